/* SPDX-License-Identifier: MIT
   What a head file tells of the run that made it: its seed, its beginning and its end. */
#include <jansson.h>
#include <string.h>
#include <time.h>

#include "head/history_int.h"
#include "store/store.h"

static long long now_ms(void)
{
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    return (long long)clock.tv_sec * 1000 + clock.tv_nsec / 1000000;
}

/* The newest record is the last; a file without records was finished now, as far as anyone knows. */
static int read_times(struct kl_run_record *r, const struct kl_file *file, struct kl_error *err)
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

int kl_run_record(struct kl_run_record *r, const struct kl_file *file, struct kl_error *err)
{
    json_t *parts;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    if (code) return code;
    const char *seed = json_string_value(json_object_get(json_object_get(parts, "parts"), "seed"));
    snprintf(r->seed, sizeof r->seed, "%s", seed ? seed : "");
    json_decref(parts);
    return read_times(r, file, err);
}
