/* SPDX-License-Identifier: MIT
   The key of a file: SHA-256 of canonical JSON (compact, names sorted) that says what the file is.
   docs/files.md. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

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
