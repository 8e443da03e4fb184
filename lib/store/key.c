/* SPDX-License-Identifier: MIT
   The key of a file: SHA-256 of canonical JSON (compact, names sorted) that says what the file is.
   docs/files.md. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

/* ---- making one ---- */
struct kl_key {
    struct kl_key_head head; /* first member */
    json_t *root;
};

void kl_store_key_abort(struct kl_key **key)
{
    if (!key || !*key) return;
    json_decref((*key)->root);
    free(*key);
    *key = NULL;
}

int kl_store_key_begin(struct kl_key **key, const char *kind, int schema, const char *stage,
                       int numerical_version, struct kl_error *err)
{
    struct kl_key *k = *key = calloc(1, sizeof *k);
    if (!k) return kl_fail_memory(err, sizeof *k);
    snprintf(k->head.kind, sizeof k->head.kind, "%s", kind);
    k->head.schema = schema;
    k->root = json_pack("{s:s,s:i,s:s,s:i,s:{},s:{},s:{}}", "kind", kind, "schema", schema, "stage",
                        stage, "numerical_version", numerical_version, "options", "parts", "inputs");
    if (k->root) return 0;
    kl_store_key_abort(key);
    return kl_fail_memory(err, 256);
}

const struct kl_key_head *kl_store_key_head(const struct kl_key *key)
{
    return &key->head;
}

int kl_store_key_options(struct kl_key *key, const struct kl_tool *tool, const void *values,
                         struct kl_error *err)
{
    json_t *options = NULL;
    char *text = kl_options_json(tool, values, true);
    int rc = text ? kl_json_parse(&options, text, "key: the options", err) : kl_fail_memory(err, 256);
    if (!rc && json_object_update(json_object_get(key->root, "options"), options))
        rc = kl_fail_memory(err, 256);
    json_decref(options);
    free(text);
    return rc;
}

int kl_store_key_text(struct kl_key *key, const char *name, const char *value, struct kl_error *err)
{
    json_t *text;
    int rc = kl_json_string(&text, value, err);
    if (!rc && json_object_set_new(json_object_get(key->root, "parts"), name, text))
        rc = kl_fail_memory(err, 64);
    return rc;
}

int kl_store_key_integer(struct kl_key *key, const char *name, int64_t value, struct kl_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return kl_store_key_text(key, name, text, err);
}

int kl_store_key_input(struct kl_key *key, const char *role, const char *content, struct kl_error *err)
{
    json_t *inputs = json_object_get(key->root, "inputs"), *list = json_object_get(inputs, role);
    if (!kl_store_is_key(content))
        return kl_fail(err, KL_EINTERNAL, "key: the content of input %s is not 64 hex digits", role);
    if (!list) {
        list = json_array();
        if (!list || json_object_set_new(inputs, role, list)) return kl_fail_memory(err, 64);
    }
    return json_array_append_new(list, json_string(content)) ? kl_fail_memory(err, 64) : 0;
}

int kl_store_key_finish(struct kl_key **key, char *hex, char **parts, struct kl_error *err)
{
    char *text = NULL;
    int rc = kl_json_dump(&text, (*key)->root, err);
    if (!rc) rc = kl_sha256_hex(hex, text, strlen(text), err);
    kl_store_key_abort(key);
    if (rc) {
        free(text);
        text = NULL;
    }
    if (parts) *parts = text;
    else free(text);
    return rc;
}

/* ---- why two differ ---- */
struct text {
    char *at;
    size_t n;
    bool failed;
    const json_t *records[2]; /* of both files' provenance; NULL: none is at hand */
};

static void add(struct text *t, const char *words)
{
    size_t n = strlen(words);
    char *at = t->failed ? NULL : realloc(t->at, t->n + n + 1);
    if (!at) {
        t->failed = true;
        return;
    }
    memcpy(at + t->n, words, n + 1);
    t->at = at;
    t->n += n;
}

/* The path of the file with these contents when it was read; NULL: no record has it. A file's own record
   is the last one. */
static const char *find_path(const json_t *records, const char *content)
{
    const char *name, *path = NULL;
    const json_t *below;
    for (size_t i = json_array_size(records); i-- && !path;)
        path = find_path(json_array_get(records, i), content);
    if (json_is_array(records)) return path;
    json_object_foreach((json_t *)records, name, below)
    {
        const char *text = json_string_value(below);
        if (text && strcmp(text, content) == 0)
            path = json_string_value(json_object_get(records, "path"));
        else if (!path) path = find_path(below, content);
    }
    return path;
}

/* A digest, cut, and the name of what it is of. */
static void add_digest(struct text *t, const char *digest, const json_t *records)
{
    char words[300];
    const char *path = find_path(records, digest);
    snprintf(words, sizeof words, path ? "%.12s... (%.255s)" : "%.12s...", digest, path);
    kl_make_printable(words);
    add(t, words);
}

/* A value as a person writes it: reals with as few digits as say the same. */
static void add_value(struct text *t, const json_t *value, const json_t *records)
{
    char number[40];
    if (!value) {
        add(t, "(none)");
    } else if (json_is_real(value)) {
        for (int digits = 6; digits <= 17; digits++) {
            snprintf(number, sizeof number, "%.*g", digits, json_real_value(value));
            if (strtod(number, NULL) == json_real_value(value)) break;
        }
        add(t, number);
    } else if (json_is_string(value) && kl_store_is_key(json_string_value(value))) {
        add_digest(t, json_string_value(value), records);
    } else {
        char *words = NULL;
        kl_json_dump_as(&words, value,
                        JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9), NULL);
        if (words) add(t, words);
        t->failed |= !words;
        free(words);
    }
}

static void compare(struct text *t, const char *path, const json_t *a, const json_t *b);

static void compare_member(struct text *t, const char *path, const char *name, const json_t *a,
                           const json_t *b)
{
    char below[512];
    snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "", name);
    compare(t, below, a, b);
}

static void compare(struct text *t, const char *path, const json_t *a, const json_t *b)
{
    const char *name;
    json_t *value;
    char index[32];
    if (a && b && json_equal(a, b)) return;
    if (json_is_object(a) && json_is_object(b)) {
        json_object_foreach((json_t *)a, name, value)
            compare_member(t, path, name, value, json_object_get(b, name));
        json_object_foreach((json_t *)b, name, value) if (!json_object_get(a, name))
            compare_member(t, path, name, NULL, value);
        return;
    }
    if (json_is_array(a) && json_is_array(b)) {
        size_t n = json_array_size(a) > json_array_size(b) ? json_array_size(a) : json_array_size(b);
        for (size_t i = 0; i < n; i++) {
            snprintf(index, sizeof index, "%zu", i);
            compare_member(t, path, index, json_array_get(a, i), json_array_get(b, i));
        }
        return;
    }
    add(t, path);
    add(t, ": ");
    add_value(t, a, t->records[0]);
    add(t, " -> ");
    add_value(t, b, t->records[1]);
    add(t, "\n");
}

static int diff(char **text, struct text t, const char *old_parts, const char *new_parts,
                struct kl_error *err)
{
    json_t *a = NULL, *b = NULL;
    *text = NULL;
    int rc = kl_json_parse(&a, old_parts, "key_parts", err);
    if (!rc) rc = kl_json_parse(&b, new_parts, "key_parts", err);
    add(&t, "");
    if (!rc) compare(&t, "", a, b);
    if (!rc && t.failed) rc = kl_fail_memory(err, t.n);
    json_decref(a);
    json_decref(b);
    if (rc) free(t.at);
    else *text = t.at;
    return rc;
}

int kl_store_key_diff(char **text, const char *old_parts, const char *new_parts, struct kl_error *err)
{
    return diff(text, (struct text){ 0 }, old_parts, new_parts, err);
}

int kl_store_file_diff(char **text, const struct kl_file *a, const struct kl_file *b,
                       struct kl_error *err)
{
    const struct kl_file *const files[] = { a, b };
    json_t *records[2] = { NULL, NULL };
    int code = KL_OK;
    for (int i = 0; i < 2 && !code; i++)
        code = kl_json_parse(&records[i], kl_store_file_provenance(files[i]),
                             kl_store_file_path(files[i]), err);
    if (!code)
        code = diff(text, (struct text){ .records = { records[0], records[1] } },
                    kl_store_file_key_parts(a), kl_store_file_key_parts(b), err);
    json_decref(records[0]);
    json_decref(records[1]);
    return code;
}
