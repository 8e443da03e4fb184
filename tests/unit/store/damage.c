/* SPDX-License-Identifier: MIT
   A file cut at every byte, and with every bit flipped: refused in words, or the very same data. A
   larger one (datasets outside of the seal) at random bits and lengths. Never other data, never a crash.
 */
#include <fcntl.h>

#include "store_test.h"

static char *read_whole(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    struct stat s;
    if (!f || fstat(fileno(f), &s)) return NULL;
    *n = (size_t)s.st_size;
    char *bytes = malloc(*n);
    if (fread(bytes, 1, *n, f) != *n) *n = 0;
    fclose(f);
    return bytes;
}

static void check(const char *path, size_t n, size_t width, const char *what, size_t where, int *same)
{
    struct kl_error err = { 0 };
    int rc = read_test_file(path, n, width, 9, &err);
    CHECK(rc == 0 || rc == KL_EDATA, "%s %zu: code %d %s", what, where, rc, err.text);
    CHECK(rc == 0 || strstr(err.text, path), "%s %zu: names no file: %s", what, where, err.text);
    *same += rc == 0;
}

static void cut_and_flip(const char *path, size_t rows, size_t width, bool every)
{
    size_t n = 0, tries = every ? 0 : 1500;
    int same = 0;
    char *bytes = read_whole(path, &n);
    int fd = open(path, O_RDWR);
    CHECK(bytes && n && fd >= 0, "%s", path);
    srand(11);
    for (size_t i = 0; i < (every ? 8 * n : tries); i++) {
        size_t bit = every ? i : ((size_t)rand() << 16 ^ (size_t)rand()) % (8 * n);
        char byte = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        CHECK(pwrite(fd, &byte, 1, (off_t)(bit / 8)) == 1, "write");
        check(path, rows, width, "bit", bit, &same);
        CHECK(pwrite(fd, bytes + bit / 8, 1, (off_t)(bit / 8)) == 1, "write");
    }
    CHECK(same == 0, "%d flipped bits were not noticed", same);
    CHECK(read_test_file(path, rows, width, 9, NULL) == 0, "whole again");
    for (size_t i = 1; i <= (every ? n : 300); i++) {
        size_t length = every ? n - i : (size_t)rand() % n;
        CHECK(ftruncate(fd, (off_t)length) == 0, "truncate");
        check(path, rows, width, "length", length, &same);
        CHECK(every || pwrite(fd, bytes, n, 0) == (ssize_t)n, "write");
    }
    CHECK(same == 0, "%d cuts were not noticed", same);
    CHECK(pwrite(fd, bytes, n, 0) == (ssize_t)n && pwrite(fd, "x", 1, (off_t)n) == 1, "write");
    check(path, rows, width, "a byte more", n, &same);
    CHECK(same == 0, "a byte more was not noticed");
    close(fd);
    free(bytes);
}

int main(void)
{
    struct kl_error err = { 0 };
    char path[1024];
    make_test_folder();
    in_folder(path, "small.h5");
    CHECK(write_test_file(path, 6, 4, 9, &err) == 0, "%s", err.text);
    cut_and_flip(path, 6, 4, true);
    unlink(path);
    in_folder(path, "large.h5");
    CHECK(write_test_file(path, 500, 64, 9, &err) == 0, "%s", err.text);
    cut_and_flip(path, 500, 64, false);
    FILE *f = fopen(in_folder(path, "text.h5"), "w");
    for (int i = 0; i < 100; i++) fputs("not a file of ours\n", f);
    fclose(f);
    struct kl_file *file;
    CHECK(kl_store_file_open(&file, path, &err) == KL_EDATA && strstr(err.text, "not an HDF5 file"),
          "%s", err.text);
    CHECK(kl_store_file_open(&file, test_folder, &err) == KL_ENOINPUT, "%s", err.text);
    return failures != 0;
}
