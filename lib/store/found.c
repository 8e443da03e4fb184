/* SPDX-License-Identifier: MIT
   Lines about files: a table for a person, or one JSON object a line. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/describe_int.h"
#include "store/store_int.h"

static int found_json(FILE *to, const struct kl_found *f, struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "path", KL_JSON_TEXT, f->path, 0 },
        { "kind", KL_JSON_TEXT, f->kind, 0 },
        { "key", KL_JSON_TEXT, f->key, 0 },
        { "content", KL_JSON_TEXT, f->content, 0 },
        { "created_by", KL_JSON_TEXT, f->created_by, 0 },
        { "rows", KL_JSON_COUNT, NULL, (double)f->rows },
        { "bytes", KL_JSON_COUNT, NULL, (double)f->size },
        { "whole", KL_JSON_BOOL, NULL, f->code == 0 },
        { "problem", KL_JSON_TEXT, f->problem, 0 },
    };
    return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
}

/* As wide as the longest kind that there is. */
enum { KIND = 17 };

void kl_store_describe_heading(FILE *to)
{
    fprintf(to, "%-*s %-12s %9s %8s  %-24s %s\n", KIND, "kind", "key", "size", "rows", "created by",
            "file");
}

int kl_store_describe_found(FILE *to, const struct kl_found *f, bool json, struct kl_error *err)
{
    char size[32], rows[24] = "-";
    if (json) return found_json(to, f, err);
    kl_store_size_text(size, (double)f->size);
    if (f->rows) snprintf(rows, sizeof rows, "%llu", (unsigned long long)f->rows);
    if (f->code)
        fprintf(to, "%-*s %-12s %9s %8s  %s\n", KIND, f->code == KL_EDATA ? "not whole" : "not read", "",
                size, "", f->problem);
    else
        fprintf(to, "%-*s %.12s %9s %8s  %-24s %s\n", KIND, f->kind, f->key, size, rows, f->created_by,
                f->path);
    return KL_OK;
}

bool kl_store_found_is_ours(const struct kl_found *f)
{
    return *f->kind /* its envelope is whole */ || kl_store_has_shared_name(f->path);
}
