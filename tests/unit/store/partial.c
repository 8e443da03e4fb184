/* SPDX-License-Identifier: MIT
   Resumable writing: killed at random times again and again, the file ends with the bytes of an
   undisturbed run, and rows that were journalled are not computed twice. */
#include <signal.h>
#include <sys/wait.h>

#include "killed.h"
#include "store_test.h"
#include "store/store_int.h"

enum { ROWS = 2000, WIDTH = 50, STEP = 40, KILLS = 120 };

/* Returns rows that were kept, or a code. `labels` are small: they live in memory until the end. */
static int run(const char *path, int stop_after, int *kept, struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[2] = { ROWS, WIDTH };
    bool done[ROWS];
    float rows[STEP * WIDTH];
    int32_t labels[STEP];
    int x = 0, y = 0, rc = kl_store_writer_open_partial(&w, path, &test_header, err);
    if (!rc && (x = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err)) < 0) rc = x;
    if (!rc && (y = kl_store_writer_dataset(w, "labels", KL_TYPE_I32, 0, 1, dims, err)) < 0) rc = y;
    if (!rc) rc = kl_store_writer_done_rows(w, x, done, err);
    for (size_t i = 0; i < ROWS && !rc; i += STEP) {
        bool have = true;
        for (size_t j = i; j < i + STEP; j++) have &= done[j];
        if (have) {
            *kept += STEP;
            continue;
        }
        if (stop_after-- == 0) rc = KL_ESIGNAL;
        for (size_t j = 0; j < STEP; j++) {
            labels[j] = (int32_t)(i + j) * 3;
            for (size_t k = 0; k < WIDTH; k++) rows[j * WIDTH + k] = test_value(i + j, k, 5);
        }
        rc = rc ? rc : kl_store_writer_rows(w, x, i, STEP, rows, err);
        rc = rc ? rc : kl_store_writer_rows(w, y, i, STEP, labels, err);
        rc = rc ? rc : kl_store_writer_journal(w, x, i, STEP, err);
    }
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static bool same_bytes(const char *a, const char *b)
{
    char command[2200];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

static void check_stopped(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024];
    int kept = 0;
    in_folder(path, "stopped.h5");
    CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL && kept == 0, "%s", err.text);
    CHECK(count_files(test_folder, ".ketline-partial") == 1, "the partial is gone");
    CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL && kept == 10 * STEP, "%d kept", kept);
    kept = 0;
    CHECK(run(path, 1000, &kept, &err) == 0 && kept == 20 * STEP, "%d kept, %s", kept, err.text);
    CHECK(same_bytes(whole, path), "resumed to other bytes");
    CHECK(count_files(test_folder, ".ketline-partial") == 0, "a partial is left");
}

/* A byte of a finished row changes while nobody looks: the range is computed again. */
static void check_damaged(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024], partial[4096] = "";
    int kept = 0;
    in_folder(path, "damaged.h5");
    CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL, "%s", err.text);
    DIR *d = opendir(test_folder);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial"))
            snprintf(partial, sizeof partial, "%s/%s", test_folder, e->d_name);
    closedir(d);
    FILE *f = fopen(partial, "r+");
    CHECK(f, "%s", partial);
    fseek(f, 20000, SEEK_SET);
    fputc(0x55, f);
    fclose(f);
    CHECK(run(path, 1000, &kept, &err) == 0 && kept == 9 * STEP, "%d kept, %s", kept, err.text);
    CHECK(same_bytes(whole, path), "damage reached the file");
}

/* The one partial in the folder, and its bytes. */
static size_t find_partial(char partial[4096], char *bytes, size_t room)
{
    DIR *d = opendir(test_folder);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial"))
            snprintf(partial, 4096, "%s/%s", test_folder, e->d_name);
    closedir(d);
    FILE *f = fopen(partial, "r");
    const size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

static void put(const char *path, const char *bytes, size_t n)
{
    FILE *f = fopen(path, "w");
    CHECK(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0, "%s", path);
}

static char bytes[1 << 20];

/* Of several that are left the longest one is taken. */
static void check_longest(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024], partial[4096] = "", name[1100];
    int kept = 0;
    in_folder(path, "longest.h5");
    CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL, "%s", err.text);
    const size_t n = find_partial(partial, bytes, sizeof bytes);
    for (int i = 1; i < 8; i++) {
        snprintf(name, sizeof name, "%s/.longest.h5.0011223344556677.free.0000000%d.ketline-partial",
                 test_folder, i);
        put(name, bytes, n / 8 * (size_t)i);
    }
    CHECK(run(path, 1000, &kept, &err) == 0 && kept == 10 * STEP, "%d kept, %s", kept, err.text);
    CHECK(same_bytes(whole, path) && count_files(test_folder, ".ketline-partial") == 0, "one is left");
}

/* Datasets of other lengths, without bytes, of rows larger than what is read at once, and of many rows;
   declared against the order of their names. */
static int run_odd(const char *path, bool stop, int *kept, struct kl_error *err)
{
    enum { FEW = 4, WIDE = 70000, MANY = 3000 };
    static float wide[FEW * WIDE], many[MANY * 50];
    static bool done[MANY];
    struct kl_writer *w = NULL;
    const size_t wides[2] = { FEW, WIDE }, manys[2] = { MANY, 50 }, none[2] = { MANY, 0 },
                 other[1] = { 7 };
    for (size_t i = 0; i < FEW * WIDE; i++) wide[i] = (float)(i % 777);
    for (size_t i = 0; i < MANY * 50; i++) many[i] = (float)(i % 333);
    int rc = kl_store_writer_open_partial(&w, path, &test_header, err), z = 0, a = 0, n = 0;
    if (!rc && (z = kl_store_writer_dataset(w, "z", KL_TYPE_F32, 0, 2, manys, err)) < 0) rc = z;
    if (!rc && (n = kl_store_writer_dataset(w, "none", KL_TYPE_F32, 0, 2, none, err)) < 0) rc = n;
    if (!rc && (a = kl_store_writer_dataset(w, "a", KL_TYPE_F32, 0, 2, wides, err)) < 0) rc = a;
    const int o = rc ? rc : kl_store_writer_dataset(w, "other", KL_TYPE_U8, 0, 1, other, err);
    const int s = rc ? rc : kl_store_writer_dataset(w, "scalar", KL_TYPE_U8, 0, 0, NULL, err);
    if (!rc) rc = kl_store_writer_done_rows(w, z, done, err);
    for (size_t i = 0; i < MANY && !rc; i++) *kept += done[i];
    if (!rc && !done[0]) rc = kl_store_writer_rows(w, z, 0, MANY, many, err);
    if (!rc && !done[0]) rc = kl_store_writer_rows(w, n, 0, MANY, "", err);
    if (!rc && !done[0]) rc = kl_store_writer_journal(w, z, 0, MANY, err);
    if (!rc) rc = kl_store_writer_done_rows(w, a, done, err);
    for (size_t i = 0; i < FEW && !rc; i++) *kept += done[i];
    if (!rc && !done[0]) rc = kl_store_writer_rows(w, a, 0, FEW, wide, err);
    if (!rc && !done[0]) rc = kl_store_writer_journal(w, a, 0, FEW, err);
    if (!rc && stop) rc = KL_ESIGNAL;
    if (!rc) rc = kl_store_writer_rows(w, o, 0, 7, "1234567", err);
    if (!rc) rc = kl_store_writer_rows(w, s, 0, 1, "x", err);
    if (!rc) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static void check_odd(void)
{
    struct kl_error err = { 0 };
    char whole[1024], path[1024];
    int kept = 0;
    CHECK(run_odd(in_folder(whole, "odd-whole.h5"), false, &kept, &err) == 0 && kept == 0, "%s",
          err.text);
    CHECK(run_odd(in_folder(path, "odd.h5"), true, &kept, &err) == KL_ESIGNAL && kept == 0, "%s",
          err.text);
    CHECK(run_odd(path, false, &kept, &err) == 0 && kept > 0, "%d kept: %s", kept, err.text);
    CHECK(same_bytes(whole, path), "other bytes");
}

/* A record whose numbers cannot be: what is behind it is done again. */
static void check_records(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024], partial[4096] = "";
    in_folder(path, "records.h5");
    for (int field = 0; field < 5; field++) { /* magic, rows, row, n, bytes of the payload */
        int kept = 0;
        CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL, "%s", err.text);
        const size_t n = find_partial(partial, bytes, sizeof bytes);
        char *record = memmem(bytes, n, "KETLROWS", 8);
        CHECK(record, "%s", partial);
        if (!record) return;
        memset(record + 8 * field, 1, 7);
        put(partial, bytes, n);
        kept = 0;
        CHECK(run(path, 1000, &kept, &err) == 0 && kept == 0, "field %d: %d kept, %s", field, kept,
              err.text);
        CHECK(same_bytes(whole, path), "field %d", field);
        unlink(path);
    }
}

static void check_killed(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024];
    int killed = 0, finished = 0, kept = 0;
    in_folder(path, "killed.h5");
    srand(7);
    double span = 0.006;
    for (int i = 0; i < KILLS; i++) {
        pid_t child = fork();
        if (child == 0) _exit(run(path, 1000, &kept, &err) != 0);
        killed += killed_within(child, &span);
        if (access(path, F_OK) == 0) {
            CHECK(same_bytes(whole, path), "round %d: other bytes", i);
            unlink(path);
            finished++;
        }
    }
    CHECK(run(path, 1000, &kept, &err) == 0, "%s", err.text);
    CHECK(same_bytes(whole, path), "other bytes at the end");
    CHECK(count_files(test_folder, ".ketline-partial") == 0, "partials are left");
    CHECK(killed > 0 && finished > 0, "%d killed, %d finished in between", killed, finished);
}

/* Several at once: none takes another's file. */
static void check_concurrent(const char *whole)
{
    struct kl_error err = { 0 };
    char path[1024];
    int kept = 0, bad = 0, status;
    in_folder(path, "many.h5");
    CHECK(run(path, 10, &kept, &err) == KL_ESIGNAL, "%s", err.text);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) _exit(run(path, 1000, &kept, &err) != 0);
    while (wait(&status) > 0) bad += status != 0;
    CHECK(bad == 0, "%d of 8 failed", bad);
    CHECK(same_bytes(whole, path), "other bytes");
    CHECK(count_files(test_folder, ".ketline-partial") == 0, "partials are left");
}

/* A file that only looks like a partial of this target stays, and so does one that a living process has;
   a dead one of another key goes. */
static void check_names(const char *whole)
{
    static const char key[] = "0011223344556677", other[] = "ffffffffffffffff";
    char path[1024], names[9][200], file[2400], tag[64], x[65] = "";
    struct kl_error err = { 0 };
    struct stat s, now = { .st_mtime = time(NULL) };
    int kept = 0;
    memset(x, 'x', 64);
    kl_store_process_tag(tag);
    snprintf(names[0], 200, ".names.h5.%s-free.deadbeef.ketline-partial", key);
    snprintf(names[1], 200, ".names.h5.%s.free-deadbeef.ketline-partial", key);
    snprintf(names[2], 200, ".names.h5.%s.free.deadbee.ketline-partial", key);
    snprintf(names[3], 200, ".names.h5.%s.%s.deadbeef.ketline-partial", key, x);
    snprintf(names[4], 200, ".names.h5.%s.free.deadbeef.ketline-partiax", key);
    snprintf(names[5], 200, ".other.h5.%s.free.deadbeef.ketline-partial", key);
    snprintf(names[6], 200, ".names.h5.%s.%s.deadbeef.ketline-partial", key, tag);
    snprintf(names[7], 200, ".names.h5.%s.free.00000000.ketline-partial", key);
    CHECK(!kl_store_partial_is_dead("names.h5.0011223344556677.free.deadbeef.ketline-partial", &now));
    CHECK(!kl_store_partial_is_dead(".short.free.deadbeef.ketline-partial", &now));
    snprintf(file, sizeof file, ".names.h5.%s.00000000-1-1.deadbeef.ketline-partial", key);
    CHECK(kl_store_partial_is_dead(file, &(struct stat){ .st_mtime = 1 }) &&
          !kl_store_partial_is_dead(file, &now));
    snprintf(names[8], 200, ".names.h5.%s.free.deadbeef.ketline-partial", other);
    for (int i = 0; i < 9; i++) {
        snprintf(file, sizeof file, "%s/%s", test_folder, names[i]);
        FILE *f = i == 7 ? NULL : fopen(file, "w");
        CHECK(i == 7 ? mkdir(file, 0700) == 0 : f && fputs("not a journal", f) >= 0, "%s", file);
        if (f) fclose(f);
        CHECK(kl_store_partial_is_dead(names[i], &now) == (i == 5 || i == 7 || i == 8), "%s", names[i]);
    }
    CHECK(run(in_folder(path, "names.h5"), 1000, &kept, &err) == 0 && kept == 0, "%s", err.text);
    CHECK(same_bytes(whole, path), "other bytes");
    for (int i = 0; i < 9; i++) {
        snprintf(file, sizeof file, "%s/%s", test_folder, names[i]);
        CHECK((stat(file, &s) == 0) == (i < 8), "%s", file);
        remove(file);
    }
}

int main(void)
{
    struct kl_error err = { 0 };
    char whole[1024];
    int kept = 0;
    make_test_folder();
    CHECK(run(in_folder(whole, "whole.h5"), 1000, &kept, &err) == 0 && kept == 0, "%s", err.text);
    check_stopped(whole);
    check_damaged(whole);
    check_names(whole);
    check_longest(whole);
    check_records(whole);
    check_odd();
    check_killed(whole);
    check_concurrent(whole);
    return failures != 0;
}
