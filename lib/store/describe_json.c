/* SPDX-License-Identifier: MIT
   The page of `cache show` as one JSON object. */
#include <jansson.h>
#include <stdlib.h>

#include "store/describe_int.h"

/* Name, type and shape of each dataset; NULL: no memory. */
static json_t *dataset_list(const struct kl_file *file)
{
    json_t *sets = json_array();
    for (size_t i = 0; sets && i < kl_store_file_n_datasets(file); i++) {
        const struct kl_dataset *d = kl_store_file_dataset(file, i);
        json_t *shape = json_array();
        int failed = shape ? 0 : -1;
        for (int k = 0; k < d->rank && !failed; k++)
            failed = json_array_append_new(shape, json_integer((json_int_t)d->dims[k]));
        json_t *set = failed ? NULL
                             : json_pack("{s:s, s:s, s:O}", "name", d->name, "type",
                                         kl_type_names[d->type], "shape", shape);
        json_decref(shape);
        if (json_array_append_new(sets, set) == 0) continue;
        json_decref(sets);
        sets = NULL;
    }
    return sets;
}

int kl_store_describe_json(FILE *to, struct kl_file *file, const struct kl_kind *kind,
                           struct kl_error *err)
{
    json_t *sets = NULL, *parts = NULL, *records = NULL, *path = NULL, *page = NULL, *attributes = NULL,
           *tables = NULL;
    char *text = NULL;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (!code)
        code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (!code) code = kl_json_string(&path, kl_store_file_path(file), err);
    if (!code && !(sets = dataset_list(file))) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_store_attributes_json(&attributes, file, kind, err);
    if (!code) code = kl_store_tables_json(&tables, file, kind, err);
    if (!code)
        page = json_pack("{s:O, s:s, s:i, s:s, s:s, s:s, s:O, s:O, s:O, s:O, s:O}", "path", path, "kind",
                         kl_store_file_kind(file), "schema", kl_store_file_schema(file), "key",
                         kl_store_file_key(file), "content", kl_store_file_content(file), "created_by",
                         kl_store_file_created_by(file), "datasets", sets, "key_parts", parts,
                         "provenance", records, "attributes", attributes, "tables", tables);
    if (!code && !page) code = kl_fail_memory(err, 4096);
    if (!code) code = kl_json_dump_as(&text, page, JSON_COMPACT, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(page);
    json_decref(attributes);
    json_decref(tables);
    json_decref(sets);
    json_decref(parts);
    json_decref(records);
    json_decref(path);
    return code;
}
