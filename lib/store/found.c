/* SPDX-License-Identifier: MIT
   Lines about files: a table for a person, or one JSON object a line. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

int kl_describe_pairs(FILE *to, struct kl_error *err, const struct kl_pair *pairs, size_t n)
{
    json_t *object = json_object();
    char *text = NULL;
    int code = object ? KL_OK : kl_fail_memory(err, 64);
    for (size_t i = 0; i < n && !code; i++) {
        json_t *value = NULL;
        switch (pairs[i].type) {
        case KL_PAIR_TEXT: code = kl_json_string(&value, pairs[i].text, err); break;
        case KL_PAIR_COUNT: value = json_integer((json_int_t)pairs[i].count); break;
        case KL_PAIR_BOOL: value = json_boolean(pairs[i].count != 0); break;
        }
        if (!code && (!value || json_object_set_new_nocheck(object, pairs[i].name, value) != 0))
            code = kl_fail_memory(err, 64);
    }
    if (!code) code = kl_json_dump(&text, object, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(object);
    return code;
}

static int found_json(FILE *to, const struct kl_found *f, struct kl_error *err)
{
    const struct kl_pair pairs[] = {
        { "path", KL_PAIR_TEXT, f->path, 0 },
        { "kind", KL_PAIR_TEXT, f->kind, 0 },
        { "key", KL_PAIR_TEXT, f->key, 0 },
        { "content", KL_PAIR_TEXT, f->content, 0 },
        { "created_by", KL_PAIR_TEXT, f->created_by, 0 },
        { "rows", KL_PAIR_COUNT, NULL, f->rows },
        { "bytes", KL_PAIR_COUNT, NULL, f->size },
        { "whole", KL_PAIR_BOOL, NULL, f->code == 0 },
        { "problem", KL_PAIR_TEXT, f->problem, 0 },
    };
    return kl_describe_pairs(to, err, pairs, sizeof pairs / sizeof *pairs);
}

void kl_describe_heading(FILE *to)
{
    fprintf(to, "%-10s %-12s %9s %8s  %-24s %s\n", "kind", "key", "size", "rows", "created by", "file");
}

int kl_describe_found(FILE *to, const struct kl_found *f, bool json, struct kl_error *err)
{
    char size[32], rows[24] = "-";
    if (json) return found_json(to, f, err);
    kl_size_text(size, (double)f->size);
    if (f->rows) snprintf(rows, sizeof rows, "%llu", (unsigned long long)f->rows);
    if (f->code) fprintf(to, "%-10s %-12s %9s %8s  %s\n", "not whole", "", size, "", f->problem);
    else fprintf(to, "%-10s %.12s %9s %8s  %-24s %s\n", f->kind, f->key, size, rows, f->created_by, f->path);
    return KL_OK;
}

bool kl_found_is_ours(const struct kl_found *f)
{
    return *f->kind /* its envelope is whole */ || kl_has_shared_name(f->path);
}
