/* SPDX-License-Identifier: MIT
   What a killed run left, damaged: its unfinished file with the journal, in which the bytes of the input
   change others (two for the place, one that is XORed onto it), a last odd pair cutting it. The next run
   takes over what is whole, writes the rest, and ends in the file of an undisturbed run. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "../unit/store/store_test.h"
#include "store/kind.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 10;
enum { ROWS = 24, WIDTH = 1024, STEP = 4 };

static char path[300];

/* As the writer of the test files does, by steps; `most` of them. */
static int write_rows(int most, struct kl_error *err)
{
    struct kl_writer *w = NULL;
    size_t dims[2] = { ROWS, WIDTH }, names[1] = { 2 };
    bool done[ROWS];
    static float x[WIDTH];
    int f = 0, l = 0, rc = kl_store_writer_open_partial(&w, path, &test_header, err);
    if (!rc) f = kl_store_writer_dataset(w, "features", KL_TYPE_F32, 0, 2, dims, err);
    if (!rc) l = kl_store_writer_dataset(w, "labels", KL_TYPE_I32, 0, 1, dims, err);
    if (!rc) rc = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, 4, 1, names, "zeroone\0", err);
    rc = rc ? rc : kl_store_writer_done_rows(w, f, done, err);
    for (size_t at = 0; at < ROWS && !rc && most > 0; at += STEP) {
        if (done[at]) continue;
        for (size_t i = at; i < at + STEP && !rc; i++) {
            const int32_t label = (int32_t)i;
            for (size_t j = 0; j < WIDTH; j++) x[j] = test_value(i, j, 1);
            rc = kl_store_writer_rows(w, f, i, 1, x, err);
            rc = rc ? rc : kl_store_writer_rows(w, l, i, 1, &label, err);
        }
        rc = rc ? rc : kl_store_writer_journal(w, f, at, STEP, err);
        most--;
    }
    if (!rc && most > 0) rc = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return rc;
}

static void damage(const unsigned char *data, size_t n)
{
    char left[700] = "";
    unsigned char b;
    DIR *d = opendir(fuzz_folder());
    for (struct dirent *e; d && (e = readdir(d));)
        if (strstr(e->d_name, ".ketline-partial"))
            snprintf(left, sizeof left, "%s/%s", fuzz_folder(), e->d_name);
    closedir(d);
    const int fd = open(left, O_RDWR | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END),
                from = size < 65536 ? 0 : size - 65536; /* the journal is last */
    need(fd >= 0 && size > 0, "nothing was left", left);
    for (; n >= 3; data += 3, n -= 3) {
        const off_t at = from + (data[0] << 8 | data[1]);
        if (at < size && pread(fd, &b, 1, at) == 1) {
            b ^= data[2];
            need(pwrite(fd, &b, 1, at) == 1, "cannot be written", left);
        }
    }
    if (n == 2) need(ftruncate(fd, from + (data[0] << 8 | data[1])) == 0, "cannot be cut", left);
    close(fd);
}

static void check_result(void)
{
    static const struct kl_kind kind = { .name = "features" };
    struct kl_error err = { 0 };
    struct kl_file *f;
    float *x = NULL;
    int32_t *labels = NULL;
    int rc = kl_store_file_open_kind(&f, path, &kind, &err);
    if (!rc) rc = kl_store_file_load((void **)&x, f, kl_store_file_find(f, "features"), &err);
    if (!rc) rc = kl_store_file_load((void **)&labels, f, kl_store_file_find(f, "labels"), &err);
    if (!rc) rc = kl_store_file_verify(f, NULL, &err);
    need(rc == 0, "the result is not whole", err.text);
    for (size_t i = 0; i < ROWS * WIDTH; i++)
        need(x[i] == test_value(i / WIDTH, i % WIDTH, 1) && labels[i / WIDTH] == (int32_t)(i / WIDTH),
             "other rows than those that were written", path);
    free(x);
    free(labels);
    kl_store_file_close(&f);
    need(count_files(fuzz_folder(), ".ketline-partial") == 0, "something was left", fuzz_folder());
}

bool fuzz(const unsigned char *data, size_t n)
{
    struct kl_error err = { 0 };
    snprintf(path, sizeof path, "%s/out.h5", fuzz_folder());
    unlink(path);
    need(write_rows(ROWS / STEP - 1, &err) == 0, "cannot be written", err.text);
    damage(data, n);
    need(write_rows(ROWS, &err) == 0, "cannot be resumed", err.text);
    check_result();
    return !failures;
}
