/* SPDX-License-Identifier: MIT
   Records of the runs that led to a file, as a graph: each record names its parents' ids. They are made,
   and drawn as a tree back to the raw inputs. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "store/describe_int.h"
#include "store/store_int.h"

/* ---- records ---- */
static int set(json_t *object, const char *name, json_t *value)
{
    return value ? json_object_set_new(object, name, value) : -1;
}

/* Append the parent's records that are not there yet; *last is the id of its newest one, borrowed. */
static int take_records(json_t *records, json_t *theirs, const char **last)
{
    json_t *record, *mine;
    size_t i, j;
    json_array_foreach(theirs, i, record)
    {
        const char *id = json_string_value(json_object_get(record, "id"));
        bool known = !id;
        json_array_foreach(records, j, mine) known |=
            id && strcmp(id, json_string_value(json_object_get(mine, "id"))) == 0;
        if (!known && json_array_append(records, record)) return -1;
        json_object_del(record, KL_STORE_FOUND); /* its own file has it */
        *last = id ? id : *last;
    }
    return 0;
}

/* Path, kind and content of a parent among the inputs' "files". */
static int name_file(json_t *inputs, const struct kl_file *parent, struct kl_error *err)
{
    json_t *files = json_object_get(inputs, "files"), *path = NULL, *input = NULL;
    if (!files && (set(inputs, "files", json_array()) || !(files = json_object_get(inputs, "files"))))
        return kl_fail_memory(err, 64);
    int rc = kl_json_string(&path, kl_store_file_path(parent), err);
    if (!rc)
        input = json_pack("{s:O,s:s,s:s}", "path", path, "kind", kl_store_file_kind(parent), "content",
                          kl_store_file_content(parent));
    if (!rc && (!input || json_array_append(files, input))) rc = kl_fail_memory(err, 256);
    json_decref(input);
    json_decref(path);
    return rc;
}

static int take_parent(json_t *records, json_t *ids, json_t *inputs, const struct kl_file *parent,
                       struct kl_error *err)
{
    json_t *theirs = NULL;
    const char *last = NULL;
    int rc = kl_json_parse(&theirs, kl_store_file_provenance(parent), kl_store_file_path(parent), err);
    if (!rc && !json_is_array(theirs))
        rc =
            kl_fail(err, KL_EDATA, "%s: its provenance is not a JSON array", kl_store_file_path(parent));
    if (!rc && take_records(records, theirs, &last)) rc = kl_fail_memory(err, 256);
    if (!rc && last && json_array_append_new(ids, json_string(last))) rc = kl_fail_memory(err, 64);
    if (!rc) rc = name_file(inputs, parent, err);
    json_decref(theirs);
    return rc;
}

/* SHA-256 (first 32 digits) over tool, version, argv, options (a file of options may have changed),
   parents and inputs: the same run, the same record. */
static int set_id(json_t *record, struct kl_error *err)
{
    char hex[65];
    char *text = NULL;
    int rc = kl_json_dump(&text, record, err);
    if (!rc) rc = kl_sha256_hex(hex, text, strlen(text), err);
    free(text);
    hex[32] = 0;
    if (!rc && set(record, "id", json_string(hex))) rc = kl_fail_memory(err, 64);
    return rc;
}

static int set_options(json_t *record, const struct kl_tool *tool, const void *values,
                       struct kl_error *err)
{
    json_t *options = NULL;
    char *text = kl_options_json(tool, values, false);
    int rc =
        text ? kl_json_parse(&options, text, "provenance: the options", err) : kl_fail_memory(err, 256);
    free(text);
    if (!rc && set(record, "options", options)) rc = kl_fail_memory(err, 256);
    return rc;
}

static int set_circumstances(json_t *record, const struct kl_common *common, double seconds,
                             struct kl_error *err)
{
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    struct rusage usage;
    json_t *note = NULL;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int rc = common->note && *common->note ? kl_json_string(&note, common->note, err) : 0;
    if (rc) return rc;
    rc = set(record, "seed", json_integer(common->seed));
    rc |= set(record, "device", json_string(common->device_used ? common->device_used : "cpu"));
    rc |= set(record, "threads",
              json_integer(common->threads > 0 ? common->threads : kl_threads_available()));
    rc |= set(record, "seconds", json_real(seconds));
    if (!getrusage(RUSAGE_SELF, &usage))
        rc |= set(record, "peak_memory", json_integer((json_int_t)usage.ru_maxrss * 1024));
    if (common->device_peak)
        rc |= set(record, "device_peak_memory", json_integer((json_int_t)common->device_peak()));
    rc |= set(record, "time", json_string(when));
    if (note) rc |= set(record, "note", note);
    return rc ? kl_fail_memory(err, 256) : 0;
}

static int set_cautions(json_t *record, const char *cautions, struct kl_error *err)
{
    json_t *lines;
    const int rc = kl_json_lines(&lines, cautions, err);
    return rc || !set(record, "cautions", lines) ? rc : kl_fail_memory(err, 256);
}

int kl_store_file_cautions(char **lines, const struct kl_file *file, struct kl_error *err)
{
    json_t *records = NULL, *line;
    size_t n = 0, i;
    *lines = NULL;
    int rc = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    const json_t *own = rc ? NULL : json_object_get(kl_store_own_record(records), "cautions");
    json_array_foreach(own, i, line)
    {
        const char *text = json_string_value(line);
        char *longer = text && !rc ? realloc(*lines, n + strlen(text) + 2) : NULL;
        if (!longer) {
            if (text && !rc) rc = kl_fail_memory(err, n + strlen(text));
            continue;
        }
        *lines = longer;
        n += (size_t)sprintf(longer + n, "%s\n", text);
    }
    json_decref(records);
    if (rc) free(*lines), *lines = NULL;
    return rc;
}

int kl_store_file_repeat(const struct kl_file *file, const char *words, const struct kl_log *log,
                         struct kl_error *err)
{
    char *lines = NULL;
    const int code = kl_store_file_cautions(&lines, file, err);
    for (const char *line = lines ? lines : ""; *line; line += strcspn(line, "\n") + 1) {
        const size_t n = strcspn(line, "\n");
        if (memmem(line, n, words, strlen(words)))
            kl_caution(log, "%s: %.*s", kl_store_file_path(file), (int)n, line);
    }
    free(lines);
    return code;
}

int kl_store_provenance_make(char **records, const struct kl_tool *tool, const void *values, int argc,
                             char **argv, const struct kl_file *const *parents, size_t n_parents,
                             const char *raw_inputs, const char *cautions, struct json_t *found,
                             double seconds, struct kl_error *err)
{
    json_t *all = json_array(), *ids = json_array(), *words = json_array(), *inputs = NULL,
           *record = NULL, *word;
    int rc = kl_json_parse(&inputs, raw_inputs ? raw_inputs : "{}", "provenance: the inputs", err);
    *records = NULL;
    if (!rc && !json_is_object(inputs))
        rc = kl_fail(err, KL_EINTERNAL, "provenance: the inputs are not a JSON object");
    if (!rc && (!all || !ids || !words)) rc = kl_fail_memory(err, 64);
    for (size_t i = 0; i < n_parents && !rc; i++)
        if (parents[i]) rc = take_parent(all, ids, inputs, parents[i], err);
    for (int i = 0; i < argc && !rc; i++)
        if (!(rc = kl_json_string(&word, argv[i], err)) && json_array_append_new(words, word))
            rc = kl_fail_memory(err, 64);
    if (!rc) {
        record = json_pack("{s:s,s:s,s:O,s:O,s:O}", "tool", tool->name, "version", KL_VERSION, "argv",
                           words, "parents", ids, "inputs", inputs);
        rc = record ? set_options(record, tool, values, err) : kl_fail_memory(err, 256);
    }
    if (!rc) rc = set_id(record, err);
    if (!rc) rc = set_circumstances(record, values, seconds, err);
    if (!rc && cautions) rc = set_cautions(record, cautions, err);
    if (!rc && found && json_object_set(record, KL_STORE_FOUND, found)) rc = kl_fail_memory(err, 64);
    if (!rc && json_array_append(all, record)) rc = kl_fail_memory(err, 64);
    if (!rc) rc = kl_json_dump(records, all, err);
    json_decref(record);
    json_decref(words);
    json_decref(ids);
    json_decref(inputs);
    json_decref(all);
    return rc;
}

/* ---- the tree ---- */
json_t *kl_store_own_record(json_t *records)
{
    size_t n = json_array_size(records);
    return n ? json_array_get(records, n - 1) : NULL;
}

int kl_store_file_told(char **line, const struct kl_file *file, struct kl_error *err)
{
    json_t *records = NULL;
    int code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    const json_t *found = code ? NULL : json_object_get(kl_store_own_record(records), KL_STORE_FOUND);
    const char *words = json_string_value(json_object_get(found, "words"));
    while (words && *words && *words != ':')
        words = strchr(words, '\n') ? strchr(words, '\n') + 1 : ""; /* the line on the file itself */
    *line = NULL;
    if (words && strncmp(words, ": ", 2) == 0 && !(*line = strndup(words + 2, strcspn(words + 2, "\n"))))
        code = kl_fail_memory(err, strlen(words));
    json_decref(records);
    return code;
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

int kl_store_write_own_command(FILE *to, const struct kl_file *file, struct kl_error *err)
{
    json_t *records = NULL;
    const int rc =
        kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (!rc) kl_store_write_command(to, kl_store_own_record(records));
    json_decref(records);
    return rc;
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

/* The name of an input's digest: of its bytes, or a name that the stage chose for what it read. */
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
