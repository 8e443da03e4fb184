/* SPDX-License-Identifier: MIT
   Records of the runs that led to a file, as a graph: each record names its parents' ids. The newest record is last. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store_int.h"

/* Append the parent's records that are not there yet; the last one's id goes to `ids`. */
static int take_parent(json_t *records, json_t *ids, json_t *inputs, const struct kl_file *parent, struct kl_error *err) {
    json_t *theirs = json_loads(kl_file_provenance(parent), JSON_REJECT_DUPLICATES, NULL), *record, *mine;
    const char *last = NULL;
    size_t i, j;
    int rc = 0;
    if (!json_is_array(theirs))
        rc = kl_fail(err, KL_EDATA, "%s: its provenance is not a JSON array", kl_file_path(parent));
    json_array_foreach(theirs, i, record) {
        const char *id = json_string_value(json_object_get(record, "id"));
        bool known = !id;
        json_array_foreach(records, j, mine)
            known |= id && strcmp(id, json_string_value(json_object_get(mine, "id"))) == 0;
        if (!known && json_array_append(records, record))
            rc = kl_fail_memory(err, 256);
        last = id ? id : last;
    }
    if (!rc && last && json_array_append_new(ids, json_string(last)))
        rc = kl_fail_memory(err, 64);
    json_t *input = json_pack("{s:s,s:s,s:s}", "path", kl_file_path(parent), "kind", kl_file_kind(parent), "content",
                              kl_file_content(parent));
    json_t *files = json_object_get(inputs, "files");
    if (!files && input)
        json_object_set_new(inputs, "files", files = json_array());
    if (!rc && (!input || json_array_append(files, input)))
        rc = kl_fail(err, KL_EINTERNAL, "%s: cannot be described in JSON, or no memory", kl_file_path(parent));
    json_decref(input);
    json_decref(theirs);
    return rc;
}

/* Bytes that are not UTF-8 (a file name may hold any) become '?'. */
static json_t *text_json(const char *text) {
    json_t *made = json_string(text);
    char *copy = made ? NULL : strdup(text);
    if (copy) {
        for (char *c = copy; *c; c++)
            if ((unsigned char)*c >= 128)
                *c = '?';
        made = json_string(copy);
        free(copy);
    }
    return made;
}

static int set(json_t *object, const char *name, json_t *value) {
    return value ? json_object_set_new(object, name, value) : -1;
}

/* SHA-256 (first 32 digits) over tool, version, argv, parents and inputs: the same run, the same record. */
static int set_id(json_t *record, struct kl_error *err) {
    char hex[65];
    char *text = json_dumps(record, JSON_COMPACT | JSON_SORT_KEYS);
    int rc = text ? kl_sha256_hex(hex, text, strlen(text), err) : kl_fail_memory(err, 256);
    free(text);
    hex[32] = 0;
    if (!rc && set(record, "id", json_string(hex)))
        rc = kl_fail_memory(err, 64);
    return rc;
}

static int set_circumstances(json_t *record, const struct kl_tool *tool, const void *values, double seconds) {
    const struct kl_common *common = values;
    char when[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    char *options = kl_options_json(tool, values, false);
    int rc = set(record, "options", options ? json_loads(options, 0, NULL) : NULL);
    rc |= set(record, "seed", json_integer(common->seed));
    rc |= set(record, "device", json_string(common->device ? common->device : "auto"));
    rc |= set(record, "threads", json_integer(common->threads > 0 ? common->threads : kl_threads_available()));
    rc |= set(record, "seconds", json_real(seconds));
    rc |= set(record, "time", json_string(when));
    if (common->note && *common->note)
        rc |= set(record, "note", text_json(common->note));
    free(options);
    return rc;
}

int kl_provenance_make(char **records, const struct kl_tool *tool, const void *values, int argc, char **argv,
                       const struct kl_file *const *parents, size_t n_parents, const char *raw_inputs,
                       double seconds, struct kl_error *err) {
    json_t *all = json_array(), *ids = json_array(), *words = json_array(), *record = NULL;
    json_t *inputs = raw_inputs ? json_loads(raw_inputs, JSON_REJECT_DUPLICATES, NULL) : json_object();
    int rc = 0;
    *records = NULL;
    if (!json_is_object(inputs) || !all || !ids || !words)
        rc = kl_fail(err, KL_EINTERNAL, "provenance: the inputs are not a JSON object, or no memory");
    for (size_t i = 0; i < n_parents && !rc; i++)
        if (parents[i])
            rc = take_parent(all, ids, inputs, parents[i], err);
    for (int i = 0; i < argc && !rc; i++)
        if (json_array_append_new(words, text_json(argv[i])))
            rc = kl_fail_memory(err, 64);
    if (!rc) {
        record = json_pack("{s:s,s:s,s:O,s:O,s:O}", "tool", tool->name, "version", KL_VERSION, "argv", words, "parents",
                           ids, "inputs", inputs);
        rc = record ? set_id(record, err) : kl_fail_memory(err, 256);
    }
    if (!rc && set_circumstances(record, tool, values, seconds))
        rc = kl_fail(err, KL_EINTERNAL, "provenance: the options are not JSON, or no memory");
    if (!rc && (json_array_append(all, record) || !(*records = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS))))
        rc = kl_fail_memory(err, 1024);
    json_decref(record);
    json_decref(words);
    json_decref(ids);
    json_decref(inputs);
    json_decref(all);
    return rc;
}
