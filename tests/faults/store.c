/* SPDX-License-Identifier: MIT
   Every allocation, read, write, fsync, rename, every call of HDF5 and every opening of writing,
   reading, resuming, merging and of a stage fails once, or from then on: the code says so, the old file
   stays whole, no temporary is left. Interrupted everywhere, they do the same as undisturbed. */
#include <jansson.h>

#include "../unit/store/store_test.h"
#include "faults.h"
#include "store/shard.h"

enum { ROWS = 300, WIDTH = 64 };
static char path[1024], merged[1024], shard[1024], store[1024];
static const struct kl_tool tool = { .name = "test", .values_size = sizeof(struct kl_common) };

static int write_new(struct kl_error *err)
{
    return write_test_file(path, ROWS, WIDTH, 2, err);
}

static int read_old(struct kl_error *err)
{
    int rc = read_test_file(path, ROWS, WIDTH, 1, err);
    return rc == 1 ? KL_EINTERNAL : rc;
}

static int write_partial(struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[2] = { ROWS, WIDTH };
    float x[ROWS / 3 * WIDTH];
    bool done[ROWS];
    int set = 0, rc = kl_store_writer_open_partial(&w, path, &test_header, err);
    if (!rc) set = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err);
    rc = rc ? rc : set < 0 ? set : kl_store_writer_done_rows(w, set, done, err);
    for (size_t i = 0; i < ROWS && !rc; i += ROWS / 3) {
        for (size_t j = 0; j < ROWS / 3 * WIDTH; j++) x[j] = test_value(i + j / WIDTH, j % WIDTH, 2);
        if (done[i]) continue;
        rc = kl_store_writer_rows(w, set, i, ROWS / 3, x, err);
        rc = rc ? rc : kl_store_writer_journal(w, set, i, ROWS / 3, err);
    }
    rc = rc ? rc : kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

/* A run that stops after a third of its rows, and leaves them to the next one. */
static int stop_partial(struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[2] = { ROWS, WIDTH };
    static float x[ROWS / 3 * WIDTH];
    bool done[ROWS];
    int set = 0, rc = kl_store_writer_open_partial(&w, path, &test_header, err);
    if (!rc) set = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err);
    rc = rc ? rc : set < 0 ? set : kl_store_writer_done_rows(w, set, done, err);
    for (size_t j = 0; j < ROWS / 3 * WIDTH; j++) x[j] = test_value(j / WIDTH, j % WIDTH, 2);
    if (!rc && !done[0]) rc = kl_store_writer_rows(w, set, 0, ROWS / 3, x, err);
    if (!rc && !done[0]) rc = kl_store_writer_journal(w, set, 0, ROWS / 3, err);
    kl_store_writer_abort(&w);
    return rc;
}

/* If a file is in no store though one was asked for, the log says so. */
static int check_shared(const struct kl_stage *stage, const char *said, struct kl_error *err)
{
    char shared[1200];
    snprintf(shared, sizeof shared, "%s/%.2s/%s.h5", store, stage->key, stage->key + 2);
    return access(shared, F_OK) == 0 || *said ? KL_OK
                                              : kl_fail(err, KL_EINTERNAL, "not shared, and not said");
}

static int run_stage(struct kl_error *err)
{
    char said[4096] = "";
    struct kl_log log = { "test", fmemopen(said, sizeof said, "w"), 1, NULL };
    struct kl_common values = { .output = path, .store = store, .note = "n", .force = true };
    char *argv[] = { "test" };
    struct kl_stage stage = {
        .tool = &tool, .values = &values, .common = &values, .log = &log, .argc = 1, .argv = argv
    };
    struct kl_key *key = NULL;
    struct kl_writer *w = NULL;
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    size_t dims[2] = { ROWS, WIDTH };
    static float x[ROWS * WIDTH];
    for (size_t j = 0; j < ROWS * WIDTH; j++) x[j] = test_value(j / WIDTH, j % WIDTH, 2);
    int rc = kl_store_key_begin(&key, "features", 1, "test", 1, err);
    rc = rc ? rc : kl_store_key_options(key, &tool, &values, err);
    rc = rc ? rc : kl_store_key_text(key, "a", "b", err);
    rc = rc ? rc : kl_store_key_input(key, "images", test_header.key, err);
    rc = rc ? rc : kl_store_stage_begin(&stage, &answer, &key, stdout, err);
    kl_store_key_abort(&key);
    rc = rc ? rc : kl_store_writer_open(&w, path, &stage.header, err);
    rc = rc ? rc : kl_store_writer_put(w, "features", KL_TYPE_F32, 0, 2, dims, x, err);
    rc = rc ? rc : kl_store_stage_publish(&stage, &w, NULL, 0, NULL, NULL, err);
    kl_store_writer_abort(&w);
    fclose(log.to);
    rc = rc ? rc : check_shared(&stage, said, err);
    kl_store_stage_end(&stage);
    return rc;
}

static int merge_one(struct kl_error *err)
{
    const char *list[1] = { shard };
    unlink(merged);
    return kl_store_merge(merged, list, 1, &(struct kl_common){ 0 }, err);
}

static int make_shard(struct kl_error *err)
{
    struct kl_writer *w = NULL;
    struct kl_header header = test_header;
    char key[65];
    size_t dims[2] = { ROWS, WIDTH };
    float x[ROWS * WIDTH] = { 0 };
    int rc = kl_sha256_hex(key, "{}", 2, err);
    rc = rc ? rc : kl_store_writer_open(&w, shard, &header, err);
    rc = rc ? rc : kl_store_writer_put(w, "index", KL_TYPE_F32, 0, 2, dims, x, err);
    rc = rc ? rc : kl_store_writer_integer(w, "", "shard_index", 0, err);
    rc = rc ? rc : kl_store_writer_integer(w, "", "shard_count", 1, err);
    rc = rc ? rc : kl_store_writer_text(w, "", "whole_key", key, err);
    rc = rc ? rc : kl_store_writer_text(w, "", "whole_key_parts", "{}", err);
    rc = rc ? rc : kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

/* The target holds old or new rows, whole; true: new. */
static bool target_is_new(const char *what, long n)
{
    struct kl_error err = { 0 };
    if (read_test_file(path, ROWS, WIDTH, 1, &err) == 0) return false;
    int rc = read_test_file(path, ROWS, WIDTH, 2, &err);
    CHECK(rc == 0, "%s, %ld: the target is neither old nor new: %s", what, n, err.text);
    return true;
}

static void remove_partials(void)
{
    DIR *d = opendir(test_folder);
    char name[1024];
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial")) unlink(in_folder(name, e->d_name));
    if (d) closedir(d);
}

static void check_all(const char *work, const char *kind, int (*run)(struct kl_error *), int kinds,
                      bool forever)
{
    const int code = kinds == FAULT_MEMORY || kinds == FAULT_HDF5 ? KL_ENOMEM : KL_EIO;
    char what[64];
    long n = 1;
    snprintf(what, sizeof what, "%s, %s", work, kind);
    for (;; n++) {
        struct kl_error err = { 0 };
        char left[1024];
        remove_partials();
        if (run == write_partial) stop_partial(&err); /* something to go on from */
        faults_arm(kinds, n, forever);
        int rc = run(&err);
        bool fired = faults_disarm();
        bool fits = rc == 0 || rc == code || (kinds == FAULT_OPEN && rc == KL_ENOINPUT) ||
                    (kinds == FAULT_LIE && rc == KL_EDATA);
        CHECK(fits && (rc == 0 || err.text[0]), "%s, %ld: code %d %s", what, n, rc, err.text);
        CHECK(count_files(test_folder, ".ketline-tmp") == 0, "%s, %ld: a temporary is left", what, n);
        bool writes = run != read_old && run != merge_one && run != stop_partial;
        if (run == stop_partial) CHECK(!target_is_new(what, n), "%s, %ld: published", what, n);
        if (writes && target_is_new(what, n)) {
            CHECK(rc == 0 || kinds != FAULT_MEMORY, "%s, %ld: failed and yet replaced", what, n);
            CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
        } else if (writes) {
            CHECK(rc != 0, "%s, %ld: success and yet the old file", what, n);
        }
        if (!fired || n > 5000 || failures > 20 || kinds == FAULT_INTERRUPTED) {
            CHECK(rc == 0, "%s without faults: %s", what, err.text);
            break;
        }
        in_folder(left, "ketline");
        remove_folder(left); /* what was remembered */
        remove_folder(store);
    }
    printf("%s: %ld places, %s\n", what, n - 1, forever ? "for ever" : "once");
}

int main(void)
{
    struct kl_error err = { 0 };
    make_test_folder();
    json_set_alloc_funcs(malloc, free); /* through this program's wrappers */
    in_folder(path, "file.h5");
    in_folder(merged, "merged.h5");
    in_folder(shard, "shard.h5");
    in_folder(store, "store");
    CHECK(write_test_file(path, ROWS, WIDTH, 1, &err) == 0, "%s", err.text);
    CHECK(make_shard(&err) == 0, "%s", err.text);
    static const struct {
        const char *name;
        int kind;
    } kinds[] = { { "memory", FAULT_MEMORY },          { "files", FAULT_FILE }, { "reads", FAULT_READ },
                  { "openings", FAULT_OPEN },          { "HDF5", FAULT_HDF5 },  { "lies", FAULT_LIE },
                  { "interrupted", FAULT_INTERRUPTED } };
    static const struct {
        const char *name;
        int (*run)(struct kl_error *);
    } works[] = { { "read", read_old },         { "write", write_new }, { "stopped", stop_partial },
                  { "partial", write_partial }, { "stage", run_stage }, { "merge", merge_one } };
    for (int forever = 0; forever < 2; forever++)
        for (size_t w = 0; w < sizeof works / sizeof *works; w++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                check_all(works[w].name, kinds[k].name, works[w].run, kinds[k].kind, forever);
    return failures != 0;
}
