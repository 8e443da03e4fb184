/* SPDX-License-Identifier: MIT
   The provenance DAG drawn as a tree: a record, below it what it was made from, back to the raw inputs.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

json_t *kl_store_own_record(json_t *records)
{
    size_t n = json_array_size(records);
    return n ? json_array_get(records, n - 1) : NULL;
}

/* The byte at text, or '?' for a control character, whose length it returns. */
static int put(FILE *to, const char *text)
{
    const int n = kl_control_length(text);
    fputc(n ? '?' : *text, to);
    return n ? n : 1;
}

void kl_store_write_safely(FILE *to, const char *text)
{
    while (*text) text += put(to, text);
}

/* As a shell would take it. */
static void write_word(FILE *to, const char *text)
{
    if (*text && !strpbrk(text, " \t\n'\"\\$`*?[](){}<>|&;#~!")) {
        kl_store_write_safely(to, text);
        return;
    }
    fputc('\'', to);
    while (*text)
        if (*text == '\'') fputs("'\\''", to), text++;
        else text += put(to, text);
    fputc('\'', to);
}

void kl_store_write_command(FILE *to, const json_t *record)
{
    size_t i;
    json_t *word;
    json_array_foreach(json_object_get(record, "argv"), i, word)
    {
        const char *text = json_string_value(word) ? json_string_value(word) : "";
        const char *program =
            i == 0 ? strrchr(text, '/') : NULL; /* where the tool lay is of no interest */
        if (i) fputc(' ', to);
        write_word(to, program ? program + 1 : text);
    }
}

enum { DEEPEST = 60 };

struct tree {
    FILE *to;
    json_t *records, *drawn;      /* drawn: ids already shown, so that a shared ancestor stands once */
    char prefix[4 * DEEPEST + 8]; /* what stands left of a record's lines below its first one */
    bool failed;                  /* no memory to note what was drawn */
};

static json_t *find_record(json_t *records, const char *id)
{
    size_t i;
    json_t *record;
    json_array_foreach(records, i, record)
    {
        if (strcmp(kl_store_json_text(record, "id"), id) == 0) return record;
    }
    return NULL;
}

/* What the input is known by: its bytes, or what was read of it under a name that the stage chose. */
static const char *digest_name(json_t *input)
{
    const char *name;
    json_t *value;
    if (*kl_store_json_text(input, "sha256")) return "sha256";
    json_object_foreach(input, name, value)
    {
        if (strcmp(name, "path") != 0 && json_is_string(value) &&
            kl_store_is_key(json_string_value(value)))
            return name;
    }
    return NULL;
}

/* The lines of a record, with a bar if something hangs below. */
static void draw_body(struct tree *t, const json_t *record, bool bar)
{
    const char *role, *prefix = t->prefix, *margin = bar ? "| " : "  ";
    json_t *input, *caution;
    size_t i;
    fprintf(t->to, "%s%s", prefix, margin);
    kl_store_write_command(t->to, record);
    fprintf(t->to, "\n%s%s", prefix, margin);
    kl_store_write_safely(t->to, kl_store_json_text(record, "time"));
    fprintf(t->to, ", %.3g s\n", json_number_value(json_object_get(record, "seconds")));
    if (*kl_store_json_text(record, "note")) {
        fprintf(t->to, "%s%snote: ", prefix, margin);
        kl_store_write_safely(t->to, kl_store_json_text(record, "note"));
        fputc('\n', t->to);
    }
    json_array_foreach(json_object_get(record, "cautions"), i, caution)
    {
        fprintf(t->to, "%s%scaution: ", prefix, margin);
        kl_store_write_safely(t->to, json_string_value(caution) ? json_string_value(caution) : "");
        fputc('\n', t->to);
    }
    json_object_foreach(json_object_get(record, "inputs"), role, input)
    {
        if (!json_is_object(input)) continue;
        fprintf(t->to, "%s%s", prefix, margin);
        kl_store_write_safely(t->to, role);
        fputs(": ", t->to);
        kl_store_write_safely(t->to, kl_store_json_text(input, "path"));
        fputc('\n', t->to);
        const char *name = digest_name(input);
        if (!name) continue;
        fprintf(t->to, "%s%s  ", prefix, margin);
        kl_store_write_safely(t->to, name);
        fputc(' ', t->to);
        kl_store_write_safely(t->to, kl_store_json_text(input, name));
        fputc('\n', t->to);
    }
}

static void draw(struct tree *t, const json_t *record, size_t depth)
{
    const char *id = kl_store_json_text(record, "id");
    fputs("* ", t->to);
    kl_store_write_safely(t->to, kl_store_json_text(record, "tool"));
    fputc(' ', t->to);
    kl_store_write_safely(t->to, kl_store_json_text(record, "version"));
    fprintf(t->to, "  %.8s", id);
    if (json_object_get(t->drawn, id)) {
        fputs("  (shown above)\n", t->to);
        return;
    }
    fputc('\n', t->to);
    if (json_object_set_new(t->drawn, id, json_true())) t->failed = true;
    const json_t *parents = json_object_get(record, "parents");
    size_t n = json_array_size(parents);
    draw_body(t, record, n > 0);
    for (size_t i = 0; i < n; i++) {
        const char *parent = json_string_value(json_array_get(parents, i));
        const json_t *found = parent ? find_record(t->records, parent) : NULL;
        fprintf(t->to, "%s|\n%s%s-- ", t->prefix, t->prefix, i + 1 < n ? "|" : "`");
        memcpy(t->prefix + 4 * depth, i + 1 < n ? "|   " : "    ", 5);
        if (!found) fprintf(t->to, "(no record of %.8s)\n", parent ? parent : "?");
        else if (depth == DEEPEST) fputs("(and earlier stages)\n", t->to);
        else draw(t, found, depth + 1);
        t->prefix[4 * depth] = '\0';
    }
}

int kl_store_describe_log(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    struct tree t = { .to = to, .drawn = json_object() };
    int code = kl_json_parse(&t.records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    json_t *own = kl_store_own_record(t.records);
    if (code) own = NULL;
    else if (!t.drawn) code = kl_fail_memory(err, sizeof(json_t));
    else if (own) draw(&t, own, 0);
    else
        code = kl_fail(err, KL_EDATA, "%s: no provenance; it was written with --no-provenance",
                       kl_store_file_path(file));
    json_decref(t.records);
    json_decref(t.drawn);
    if (!code && t.failed) code = kl_fail_memory(err, 64);
    return code;
}
