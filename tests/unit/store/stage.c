/* SPDX-License-Identifier: MIT
   A stage's run: computed, up to date, fetched from the shared store; the dry run's words; provenance
   through two stages. */
#include <fcntl.h>
#include <time.h>

#include "store/housekeeping.h"
#include "store_test.h"

struct values {
    struct kl_common common;
    int64_t width;
};
static const struct kl_option options[] = { { .name = "width",
                                              .type = KL_OPT_INT,
                                              .offset = offsetof(struct values, width),
                                              .arg = "N",
                                              .min = 1,
                                              .max = 99,
                                              .in_key = true,
                                              .help = "columns" } };
static const struct kl_tool tool = { .name = "test",
                                     .summary = "s",
                                     .arguments = "a",
                                     .example = "e",
                                     .options = options,
                                     .n_options = 1,
                                     .values_size = sizeof(struct values) };

static enum kl_stage_answer run(struct values *v, int numerical, FILE *out, int *code,
                                struct kl_error *err)
{
    struct kl_stage stage = { .tool = &tool, .values = v, .common = &v->common };
    struct kl_key *key = NULL;
    struct kl_writer *w = NULL;
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    size_t dims[2] = { 40, (size_t)v->width };
    float *x = calloc(40 * dims[1], sizeof *x);
    int rc = kl_store_key_begin(&key, "features", 1, "test", numerical, err);
    if (!rc) rc = kl_store_key_options(key, &tool, v, err);
    if (!rc) rc = kl_store_key_input(key, "images", test_header.key, err);
    if (!rc) rc = kl_store_stage_begin(&stage, &answer, &key, out, err);
    if (!rc && answer == KL_STAGE_COMPUTE) {
        rc = kl_store_writer_open(&w, v->common.output, &stage.header, err);
        if (!rc) rc = kl_store_writer_put(w, "x", KL_TYPE_F32, 0, 2, dims, x, err);
        rc = rc ? rc
                : kl_store_stage_publish(&stage, &w, NULL, 0, "{\"images\":{\"path\":\"a.png\"}}", NULL,
                                         err);
        kl_store_writer_abort(&w);
    }
    kl_store_stage_end(&stage);
    free(x);
    *code = rc;
    return answer;
}

static void set_old(const char *path)
{
    struct timespec t[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
    utimensat(AT_FDCWD, path, t, 0);
}

static void check_answers(struct values *v)
{
    struct kl_error err = { 0 };
    struct stat before, after;
    char text[4096] = "";
    int rc;
    CHECK(run(v, 1, stdout, &rc, &err) == KL_STAGE_COMPUTE && rc == 0, "%s", err.text);
    set_old(v->common.output);
    stat(v->common.output, &before);
    CHECK(run(v, 1, stdout, &rc, &err) == KL_STAGE_UP_TO_DATE && rc == 0, "%s", err.text);
    stat(v->common.output, &after);
    CHECK(before.st_ino == after.st_ino && before.st_mtim.tv_sec == after.st_mtim.tv_sec,
          "the target was touched");
    v->common.dry_run = true;
    FILE *out = fmemopen(text, sizeof text, "w");
    CHECK(run(v, 1, out, &rc, &err) == KL_STAGE_ANSWERED && rc == 0, "%s", err.text);
    fclose(out);
    CHECK(strncmp(text, "hit: ", 5) == 0, "%s", text);
    v->width = 9;
    out = fmemopen(text, sizeof text, "w");
    CHECK(run(v, 2, out, &rc, &err) == KL_STAGE_ANSWERED && rc == 0, "%s", err.text);
    fclose(out);
    CHECK(strncmp(text, "miss: ", 6) == 0 && strstr(text, "options.width: 8 -> 9\n") &&
              strstr(text, "numerical_version: 1 -> 2\n"),
          "%s", text);
    v->common.dry_run = false;
    v->common.print_key = true;
    out = fmemopen(text, sizeof text, "w");
    CHECK(run(v, 2, out, &rc, &err) == KL_STAGE_ANSWERED && rc == 0, "%s", err.text);
    fclose(out);
    CHECK(strlen(text) == 65, "%s", text);
    v->common.print_key = false;
    CHECK(run(v, 2, stdout, &rc, &err) == KL_STAGE_COMPUTE && rc == 0, "%s", err.text);
    CHECK(run(v, 2, stdout, &rc, &err) == KL_STAGE_UP_TO_DATE, "after another key");
}

/* A changed byte is seen, and the stage computes again. */
static void check_damage(struct values *v)
{
    struct kl_error err = { 0 };
    int rc, fd = open(v->common.output, O_RDWR);
    char byte = 0;
    CHECK(pread(fd, &byte, 1, 300) == 1, "read");
    byte ^= 4;
    CHECK(pwrite(fd, &byte, 1, 300) == 1, "write");
    close(fd);
    CHECK(run(v, 2, stdout, &rc, &err) == KL_STAGE_COMPUTE && rc == 0, "damage was not seen");
}

static void check_shared(struct values *v)
{
    struct kl_error err = { 0 };
    static char store[1024], other[1024]; /* the values keep pointing here */
    int rc;
    v->common.store = in_folder(store, "store/deep");
    run(v, 3, stdout, &rc, &err);
    CHECK(rc == KL_EIO && strstr(err.text, "store/deep: neither it nor its folder exists"), "%d %s", rc,
          err.text);
    v->common.store = in_folder(store, "store//");
    CHECK(run(v, 3, stdout, &rc, &err) == KL_STAGE_COMPUTE && rc == 0, "%s", err.text);
    v->common.output = in_folder(other, "other.h5");
    CHECK(run(v, 3, stdout, &rc, &err) == KL_STAGE_FETCHED && rc == 0, "%s", err.text);
    CHECK(run(v, 3, stdout, &rc, &err) == KL_STAGE_UP_TO_DATE, "after fetching");
    v->common.store = "/none/store";
    CHECK(run(v, 3, stdout, &rc, &err) == KL_STAGE_UP_TO_DATE, "without need of a store");
    v->common.store = NULL;
    v->common.force = true;
    CHECK(run(v, 3, stdout, &rc, &err) == KL_STAGE_COMPUTE && rc == 0, "%s", err.text);
    size_t bad = 9;
    CHECK(kl_store_walk(store, true, NULL, NULL, &bad, &err) == 0 && bad == 0, "%s", err.text);
}

static void check_provenance(struct values *v)
{
    struct kl_error err = { 0 };
    struct kl_file *f = NULL;
    char *records = NULL, *again = NULL;
    char *argv[] = { "test", "-o", "x" };
    int rc = kl_store_file_open(&f, v->common.output, &err);
    CHECK(rc == 0 && strstr(kl_store_file_provenance(f), "a.png"), "%s", err.text);
    const struct kl_file *parents[2] = { f, f };
    v->common.note = "first try";
    rc = kl_store_provenance_make(&records, &tool, v, 3, argv, parents, 2, NULL, "one\nand two\n", NULL,
                                  1.5, &err);
    CHECK(rc == 0 && strstr(records, "\"cautions\":[\"one\",\"and two\"]"), "%s: %s", err.text, records);
    rc = kl_store_provenance_make(&again, &tool, v, 3, argv, parents, 2, NULL, NULL, NULL, 1.5, &err);
    CHECK(rc == 0 && !strstr(again, "cautions"), "%s", again);
    CHECK(rc == 0 && strstr(records, "first try") && strstr(records, "\"seconds\":1.5"), "%s", err.text);
    int ids = 0;
    for (char *at = records; at && (at = strstr(at, "\"id\":")); at++) ids++;
    CHECK(ids == 2, "%d records in %s", ids, records);
    char *id = strstr(records, "\"id\":");
    CHECK(id && strncmp(id, strstr(again, "\"id\":"), 40) == 0, "ids differ");
    free(records);
    free(again);
    kl_store_file_close(&f);
}

static void check_inputs(void)
{
    struct kl_error err = { 0 };
    char folder[1024], a[1024], b[1024], first[65], second[65];
    mkdir(in_folder(folder, "images"), 0777);
    FILE *f = fopen(in_folder(a, "images/a"), "w");
    fputs("abc", f);
    fclose(f);
    CHECK(kl_store_input_content(first, a, &err) == 0, "%s", err.text);
    CHECK(strcmp(first, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") == 0, "%s",
          first);
    set_old(a);
    CHECK(kl_store_input_content(first, folder, &err) == 0, "%s", err.text);
    CHECK(kl_store_input_content(second, folder, &err) == 0 && strcmp(first, second) == 0, "twice");
    rename(a, in_folder(b, "images/b"));
    CHECK(kl_store_input_content(second, folder, &err) == 0 && strcmp(first, second), "a name counts");
    memcpy(first, second, sizeof first);
    mkdir(in_folder(a, "images/none"), 0777);
    CHECK(kl_store_input_content(second, folder, &err) == 0 && strcmp(first, second),
          "an empty class counts");
    CHECK(kl_store_input_content(second, "/nonexistent", &err) == KL_ENOINPUT, "%s", err.text);
}

/* The leftovers of dead runs go, whole and living files stay. */
static void check_gc(const char *whole)
{
    struct kl_error err = { 0 };
    char dead[1024], partial[1024], alive[1024];
    struct kl_gc gc = { .dry = true };
    in_folder(dead, ".x.h5.01234567-1-1.00000000.ketline-tmp");
    in_folder(partial, ".x.h5.0123456789abcdef.free.00000000.ketline-partial");
    in_folder(alive, ".x.h5.0123456789abcdef.free.00000001.ketline-partial");
    const char *const all[] = { dead, partial, alive };
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen(all[i], "w");
        fputs("data", f);
        fclose(f);
    }
    set_old(dead);
    set_old(partial);
    CHECK(kl_store_gc(test_folder, &gc, &err) == 0 && gc.n == 2 && gc.bytes == 8, "%zu %s", gc.n,
          err.text);
    CHECK(access(dead, F_OK) == 0, "a dry run removed a file");
    gc.dry = false;
    CHECK(kl_store_gc(test_folder, &gc, &err) == 0 && gc.n == 2, "%zu %s", gc.n, err.text);
    CHECK(access(dead, F_OK) && access(partial, F_OK) && access(alive, F_OK) == 0,
          "wrong files removed");
    CHECK(access(whole, F_OK) == 0, "a whole file was removed");
    unlink(alive);
    set_old(whole);
    gc.max_age = 86400;
    CHECK(kl_store_gc(test_folder, &gc, &err) == 0 && gc.n == 1, "%zu", gc.n);
    CHECK(access(whole, F_OK) != 0, "a file long unused stayed");
}

int main(void)
{
    char path[1024];
    make_test_folder();
    unsetenv("KETLINE_STORE");
    struct values v = { .width = 8, .common = { .output = in_folder(path, "out.h5") } };
    check_answers(&v);
    check_damage(&v);
    check_shared(&v);
    check_provenance(&v);
    check_inputs();
    check_gc(in_folder(path, "out.h5"));
    return failures != 0;
}
