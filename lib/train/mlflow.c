/* SPDX-License-Identifier: MIT
   MLflow's file store, version 1 and 2: a folder a run with meta.yaml, and one small file a metric,
   parameter and tag. Metric lines are "milliseconds value step". */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "store/store.h"
#include "train/history.h"

/* The bytes of "ketline" as a number: an id that MLflow's own random ones will not meet. */
static const char experiment_id[] = "30229373217500773";

/* ---- what a file tells of the run that made it: its seed, its beginning and its end ---- */
struct run_record {
    char seed[32];        /* "" where the file does not say */
    long long start, end; /* milliseconds since 1970; a file without provenance: both now */
};

static long long now_ms(void)
{
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    return (long long)clock.tv_sec * 1000 + clock.tv_nsec / 1000000;
}

/* The newest record is the last; a file without records was finished now, as far as anyone knows. */
static int read_times(struct run_record *r, const struct kl_file *file, struct kl_error *err)
{
    json_t *records;
    const char *text = NULL;
    double seconds = 0;
    struct tm utc = { 0 };
    r->start = r->end = now_ms();
    if (!*kl_store_file_provenance(file)) return KL_OK;
    int code = kl_json_parse(&records, kl_store_file_provenance(file), kl_store_file_path(file), err);
    if (code) return code;
    const json_t *last = json_array_get(records, json_array_size(records) - 1);
    text = json_string_value(json_object_get(last, "time"));
    seconds = json_number_value(json_object_get(last, "seconds"));
    if (text && strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc)) {
        r->end = (long long)timegm(&utc) * 1000;
        r->start = r->end - (long long)(seconds * 1000);
    }
    json_decref(records);
    return KL_OK;
}

static int run_record(struct run_record *r, const struct kl_file *file, struct kl_error *err)
{
    json_t *parts;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    const char *seed = json_string_value(json_object_get(json_object_get(parts, "parts"), "seed"));
    snprintf(r->seed, sizeof r->seed, "%s", seed ? seed : "");
    json_decref(parts);
    return read_times(r, file, err);
}

/* ---- the folder ---- */
static int make_folder(const char *path, struct kl_error *err)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return 0;
    return kl_fail_errno(err, KL_EIO, "%s: cannot make the folder", path);
}

/* FOLDER/NAME <- formatted text */
__attribute__((format(printf, 4, 5))) static int put(const char *folder, const char *name,
                                                     struct kl_error *err, const char *format, ...)
{
    char *path = NULL, *text = NULL;
    bool written;
    va_list arguments;
    va_start(arguments, format);
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (size < 0) return kl_fail_memory(err, 256);
    int code = asprintf(&path, "%s/%s", folder, name) < 0
                   ? kl_fail_memory(err, strlen(folder))
                   : kl_store_publish_bytes(&written, path, text, (size_t)size, err);
    free(path);
    free(text);
    return code;
}

/* One metric: values by epoch, `apart` from each other. */
static int put_metric(const char *folder, const char *name, const double *values, size_t epochs,
                      size_t apart, long long time, struct kl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    int code = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return kl_fail_memory(err, 1024);
    for (size_t e = 0; e < epochs; e++)
        if (!isnan(values[e * apart]))
            fprintf(memory, "%lld %.9g %zu\n", time, values[e * apart], e + 1);
    if (fclose(memory)) code = kl_fail_memory(err, size);
    if (!code && size > 0) code = put(folder, name, err, "%s", text);
    free(text);
    return code;
}

static int put_metrics(const char *folder, const struct kl_history *h, size_t replica, long long time,
                       struct kl_error *err)
{
    const size_t first = replica * h->epochs;
    int code = 0;
    for (int k = 0; k < h->n_rows && !code; k++)
        code = put_metric(folder, h->names[k].name, h->rows[k] + first, h->epochs, 1, time, err);
    for (size_t g = 0; g < h->groups && !code; g++) {
        char group[80], name[96];
        kl_train_history_group(group, h, g);
        snprintf(name, sizeof name, "gradient_norm.%s", group);
        code =
            put_metric(folder, name, h->norms + first * h->groups + g, h->epochs, h->groups, time, err);
    }
    return code;
}

/* The configuration, in which this run is the replica of its own number, and the seed. */
static int put_params(const char *folder, const char *config, const char *seed, size_t replica,
                      struct kl_error *err)
{
    json_t *object, *value;
    const char *name;
    int code = kl_json_parse(&object, config, "attribute config", err);
    if (code) return code;
    json_int_t first = json_integer_value(json_object_get(object, "replica"));
    if (json_object_set_new(object, "replica", json_integer(first + (json_int_t)replica)) ||
        json_object_set_new(object, "seed", json_string(seed)))
        code = kl_fail_memory(err, 256);
    json_object_foreach(object, name, value)
    {
        char *text = NULL;
        if (code) break;
        if (!json_is_string(value)) code = kl_json_dump(&text, value, err);
        else if (!(text = strdup(json_string_value(value))))
            code = kl_fail_memory(err, json_string_length(value));
        for (char *c = text; c && *c; c++)
            if (*c == '\n') *c = ' '; /* a parameter is one line */
        if (!code) code = put(folder, name, err, "%s", text);
        free(text);
    }
    json_decref(object);
    return code;
}

/* file:// and the path, all bytes but letters, digits and -._~/ as %XX (RFC 3986); NULL: no memory. */
static char *file_uri(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    char *uri = malloc(8 + 3 * strlen(path)), *to = uri;
    if (!uri) return NULL;
    to += sprintf(to, "file://");
    for (; *path; path++)
        if (strchr(plain, *path)) *to++ = *path;
        else to += sprintf(to, "%%%02X", (unsigned char)*path);
    *to = 0;
    return uri;
}

static int put_run(const char *experiment, const char *uri, struct kl_file *file, const char *config,
                   const struct kl_history *h, size_t replica, const struct run_record *record,
                   struct kl_error *err)
{
    const char *tool = h->tool;
    static const char *const parts[] = { "metrics", "params", "tags", "artifacts" };
    char id[33], folder[4][4096], run[2048];
    /* 24 digits of the key and the replica: writing again replaces the same run */
    snprintf(id, sizeof id, "%.24s%08zx", kl_store_file_key(file), replica);
    if (snprintf(run, sizeof run, "%s/%s", experiment, id) >= (int)sizeof run)
        return kl_fail(err, KL_EUSAGE, "--mlflow: the path is too long");
    int code = make_folder(run, err);
    for (int i = 0; i < 4 && !code; i++) {
        snprintf(folder[i], sizeof folder[i], "%s/%s", run, parts[i]);
        code = make_folder(folder[i], err);
    }
    if (!code) code = put_metrics(folder[0], h, replica, record->end, err);
    if (!code) code = put_params(folder[1], config, record->seed, replica, err);
    if (!code)
        code =
            put(folder[2], "mlflow.runName", err, "%s-%.8s-%zu", tool, kl_store_file_key(file), replica);
    if (!code) code = put(folder[2], "ketline.key", err, "%s", kl_store_file_key(file));
    if (!code) code = put(folder[2], "ketline.content", err, "%s", kl_store_file_content(file));
    if (code) return code;
    return put(
        run, "meta.yaml", err,
        "artifact_uri: '%s/%s/artifacts'\nend_time: %lld\nentry_point_name: ''\nexperiment_id: '%s'\n"
        "lifecycle_stage: active\nrun_id: %s\nrun_name: %s-%.8s-%zu\nrun_uuid: %s\nsource_name: "
        "%s\n"
        "source_type: 4\nsource_version: ''\nstart_time: %lld\nstatus: 3\ntags: []\nuser_id: ketline\n",
        uri, id, record->end, experiment_id, id, tool, kl_store_file_key(file), replica, id, tool,
        record->start);
}

int kl_train_history_mlflow(const char *folder, const char *tool, struct kl_file *file,
                            const struct kl_train_row *rows, int n_rows, struct kl_error *err)
{
    struct kl_history h;
    char *config = NULL, *experiment = NULL, *uri = NULL, *absolute = NULL;
    struct run_record record;
    int code = kl_train_history_load(&h, file, rows, n_rows, err);
    if (code) return code;
    h.tool = tool;
    code = run_record(&record, file, err);
    if (!code) code = kl_store_file_text(&config, file, "", "config", err);
    if (!code) code = make_folder(folder, err);
    if (code) goto out;
    absolute = realpath(folder, NULL);
    if (!absolute) {
        code = kl_fail_errno(err, KL_EIO, "%s", folder);
        goto out;
    }
    if (asprintf(&experiment, "%s/%s", absolute, experiment_id) < 0 || !(uri = file_uri(experiment))) {
        code = kl_fail_memory(err, strlen(absolute));
        goto out;
    }
    code = make_folder(experiment, err);
    if (!code)
        code = put(
            experiment, "meta.yaml", err,
            "artifact_location: '%s'\ncreation_time: %lld\nexperiment_id: '%s'\nlast_update_time: %lld\n"
            "lifecycle_stage: active\nname: ketline\n",
            uri, record.end, experiment_id, record.end);
    for (size_t r = 0; r < h.replicas && !code; r++)
        code = put_run(experiment, uri, file, config, &h, r, &record, err);
out:
    kl_train_history_free(&h);
    free(config);
    free(experiment);
    free(uri);
    free(absolute);
    return code;
}
