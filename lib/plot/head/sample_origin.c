/* SPDX-License-Identifier: MIT
   What the features behind a report were made from, by its provenance, and whether images that are given
   now are the same. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"
#include "plot/plot.h"
#include "store/store.h"

enum { DEEPEST = 8 /* merges of merges */ };

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static const json_t *find_record(const json_t *records, const json_t *id)
{
    size_t i;
    const json_t *record;
    json_array_foreach(records, i, record)
    {
        if (json_is_string(id) && strcmp(text_of(record, "id"), json_string_value(id)) == 0)
            return record;
    }
    return NULL;
}

/* The run that made the features which this one read, through merges of shards. A head's own features
   are further back, behind the record of the head. */
static const json_t *features_record(bool *merged, const json_t *records, const json_t *of, int depth)
{
    size_t i;
    const json_t *id;
    json_array_foreach(json_object_get(of, "parents"), i, id)
    {
        const json_t *record = find_record(records, id);
        const char *tool = text_of(record, "tool");
        *merged = depth > 0;
        if (strcmp(tool, "extract-features") == 0) return record;
        if (strcmp(tool, "cache") != 0 || depth == DEEPEST) continue;
        if ((record = features_record(merged, records, record, depth + 1))) return record;
    }
    return NULL;
}

int kl_plot_sample_origin_find(struct kl_sample_origin *origin, const struct kl_file *report,
                               struct kl_error *err)
{
    *origin = (struct kl_sample_origin){ 0 };
    int code = kl_json_parse(&origin->records, kl_store_file_provenance(report),
                             kl_store_file_path(report), err);
    const size_t n = code ? 0 : json_array_size(origin->records);
    if (n)
        origin->record =
            features_record(&origin->merged, origin->records, json_array_get(origin->records, n - 1), 0);
    return code;
}

void kl_plot_sample_origin_free(struct kl_sample_origin *origin)
{
    json_decref(origin->records);
    *origin = (struct kl_sample_origin){ 0 };
}

/* Input k of a record: "images", "images 2", ...; NULL: it had fewer. */
static const json_t *image_input(const json_t *inputs, size_t k)
{
    char name[32] = "images";
    if (k > 0) snprintf(name, sizeof name, "images %zu", k + 1);
    return json_object_get(inputs, name);
}

static size_t count_inputs(const json_t *inputs)
{
    size_t n = 0;
    while (image_input(inputs, n)) n++;
    return n;
}

/* The dataset of FILE:DATASET, of which the digest knows nothing; NULL: none is named. */
static const char *dataset_of(const char *path)
{
    const char *colon = strrchr(path, ':');
    return colon ? colon + 1 : NULL;
}

static int compare(const json_t *given, const json_t *made, const struct kl_figure_inputs *inputs,
                   struct kl_error *err)
{
    const char *report = kl_store_file_path(inputs->file);
    const size_t n = count_inputs(given), expected = count_inputs(made);
    if (n != expected)
        return kl_fail(err, KL_EDATA,
                       "--images: found %zu input%s, expected the %zu that the features of %s were made "
                       "from, the first of them %.300s; cache log names all",
                       n, kl_s(n), expected, report, text_of(image_input(made, 0), "path"));
    for (size_t k = 0; k < n; k++) {
        const json_t *now = image_input(given, k), *then = image_input(made, k);
        const char *found = text_of(now, "sha256"), *wanted = text_of(then, "sha256"),
                   *path = text_of(now, "path"), *dataset = dataset_of(path),
                   *old = dataset_of(text_of(then, "path"));
        const bool other = dataset && old && access(path, F_OK) != 0 && strcmp(dataset, old) != 0;
        if (strcmp(found, wanted) == 0 && !other) continue;
        return kl_fail(err, KL_EDATA,
                       "--images: found %.300s with SHA-256 %.12s..., expected that which the features "
                       "of %s were made from: %.300s with SHA-256 %.12s...",
                       path, found, report, text_of(then, "path"), wanted);
    }
    return KL_OK;
}

/* As extract-features identified its inputs. */
static int identify(json_t *given, const char *images, struct kl_error *err)
{
    struct kl_sample_paths paths;
    struct kl_key *key = NULL;
    int code = kl_plot_sample_paths_split(&paths, images, err);
    if (!code) code = kl_store_key_begin(&key, "features", 1, "figures", 1, err);
    if (!code) code = kl_ingest_images_identify(key, given, paths.paths, paths.n, "none", false, err);
    kl_store_key_abort(&key);
    free(paths.text);
    return code;
}

/* Rows of a shard by itself count from its own first image. */
static int check_whole(const struct kl_sample_origin *origin, const char *report, struct kl_error *err)
{
    const char *shard = text_of(json_object_get(origin->record, "options"), "shard");
    if (!*shard || origin->merged) return KL_OK;
    return kl_fail(err, KL_EDATA,
                   "%s: figure samples: made from features of shard %s alone, expected the whole; merge "
                   "the shards (cache merge) and evaluate that",
                   report, shard);
}

int kl_plot_sample_images_check(bool *known, const struct kl_figure_inputs *inputs, struct kl_error *err)
{
    struct kl_sample_origin origin;
    json_t *given = NULL;
    int code = kl_plot_sample_origin_find(&origin, inputs->file, err);
    *known = origin.record != NULL;
    if (!code && *known) {
        code = check_whole(&origin, kl_store_file_path(inputs->file), err);
        if (!code && !(given = json_object())) code = kl_fail_memory(err, sizeof *given);
        if (!code) code = identify(given, inputs->images, err);
        if (!code) code = compare(given, json_object_get(origin.record, "inputs"), inputs, err);
    }
    json_decref(given);
    kl_plot_sample_origin_free(&origin);
    return code;
}
