/* SPDX-License-Identifier: MIT
   Reading bits in every format, from files and from a pipe, and saying what they are, while memory,
   reads and descriptors fail. */
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/qrng/bits_test.h"
#include "../unit/test_folder.h"
#include "each.h"

static struct input {
    const char *paths[2], *content; /* content: of a pipe, which is filled anew for each run */
    size_t n;
    struct kl_bits_how how;
    char digest[65];
} * now;

/* Refill the input that "-" or a pipe's name stands for. */
static int refill(struct kl_error *err)
{
    static int ends[2] = { -1, -1 };
    (void)err;
    if (!now->content) return 0;
    if (ends[0] >= 0) close(ends[0]);
    FILE *to = pipe(ends) == 0 ? fdopen(ends[1], "w") : NULL;
    if (!to || fputs(now->content, to) < 0 || fclose(to)) abort();
    dup2(ends[0], 9);
    return 0;
}

/* Whole, then what they are; the digest of the first run is what all others must have. */
static int read_whole(struct kl_error *err)
{
    struct kl_bits b = { 0 };
    struct kl_key *key = NULL;
    json_t *record = json_object();
    char hex[65];
    int rc = record ? refill(err) : kl_fail_memory(err, 64);
    if (!rc) rc = kl_bits_read_files(&b, now->paths, now->n, &now->how, err);
    if (!rc) rc = kl_bits_content(hex, &b, err);
    if (!rc) rc = kl_store_key_begin(&key, "bits", 1, "test", 1, err);
    if (!rc) rc = kl_bits_identify(key, record, &b, now->paths, now->n, err);
    if (!rc && !now->digest[0]) strcpy(now->digest, hex);
    if (!rc && strcmp(now->digest, hex)) rc = kl_fail(err, KL_EINTERNAL, "other bits");
    kl_store_key_abort(&key);
    json_decref(record);
    kl_bits_free(&b);
    return rc;
}

/* By blocks, twice. */
static int read_blocks(struct kl_error *err)
{
    struct kl_bits_inputs in = { 0 };
    const struct kl_bits *block = NULL;
    struct kl_key *key = NULL;
    struct kl_file *files[2];
    json_t *record = json_object();
    size_t n_files = 0, rows[2] = { 0 };
    int rc = record ? refill(err) : kl_fail_memory(err, 64);
    if (!rc) rc = kl_store_key_begin(&key, "bits", 1, "test", 1, err);
    if (!rc) rc = kl_bits_inputs_open(&in, now->paths, now->n, &now->how, err);
    if (!rc) rc = kl_bits_inputs_identify(key, record, files, &n_files, &in, err);
    for (int pass = 0; pass < 2 && !rc; pass++) {
        while (!rc && !(rc = kl_bits_inputs_next(&in, &block, err)) && block->n_rows)
            rows[pass] += block->n_rows;
        if (!rc) rc = kl_bits_inputs_rewind(&in, err);
    }
    if (!rc && (rows[0] != rows[1] || !rows[0])) rc = kl_fail(err, KL_EINTERNAL, "other rows");
    kl_store_key_abort(&key);
    json_decref(record);
    kl_bits_inputs_close(&in);
    return rc;
}

static void check(struct input *input, bool reads)
{
    struct kl_error err = { 0 };
    each_run *const runs[] = { read_whole, read_blocks };
    now = input;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        CHECK(runs[i](&err) == 0, "%s: %s", now->paths[0], err.text);
        check_each(now->paths[0], runs[i], FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        check_each(now->paths[0], runs[i], FAULT_OPEN, KL_ENOINPUT, KL_EIO);
        check_each(now->paths[0], runs[i], FAULT_READ, KL_EIO, KL_ENOINPUT);
        if (!reads) check_each(now->paths[0], runs[i], FAULT_FILE, KL_EIO, KL_EIO);
        check_interrupted(now->paths[0], runs[i]);
    }
}

static void put(const char *path, const char *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n);
    if (f) fclose(f);
}

int main(void)
{
    static const char numpy[] =
        "\x93NUMPY\1\0\x38\0{'descr': '|S4', 'fortran_order': False, 'shape': (2,)}\n01101001";
    struct kl_error err = { 0 };
    make_test_folder();
    if (chdir(test_folder)) return 1;
    put("a.txt", "0110\n1001\n0001\n", 15);
    put("l.txt", "0110 1\n1001 2\n0001 1\n", 21);
    put("b.npy", numpy, sizeof numpy - 1);
    char *line = malloc(3 << 20);
    memset(line, '1', 3 << 20);
    put("long.txt", line, 3 << 20);
    free(line);
    put("c.bin", "\xa5\x0f\x3c", 3);
    CHECK(write_device_bits("d.h5", &(struct device_bits){ 0 }, &err) == 0, "%s", err.text);
    check(&(struct input){ .paths = { "a.txt", "b.npy" }, .n = 2 }, true);
    check(&(struct input){ .paths = { "l.txt" }, .n = 1, .how.symbol_bits = 2 }, true);
    check(&(struct input){ .paths = { "c.bin" }, .n = 1, .how = { .packed = true, .row_bits = 7 } },
          true);
    put("s.bin", "\1\4\6\3\7\0\2\5", 8);
    put("h.txt", "1f a0 5c\n", 9);
    put("b.txt", "Zm9v\nYmE=\n", 10);
    check(&(struct input){ .paths = { "s.bin" },
                           .n = 1,
                           .how = { .encoding = "symbols", .symbol_bits = 3, .row_bits = 6 } },
          true);
    check(&(struct input){ .paths = { "h.txt" }, .n = 1, .how = { .encoding = "hex", .row_bits = 7 } },
          true);
    check(
        &(struct input){ .paths = { "b.txt" }, .n = 1, .how = { .encoding = "base64", .row_bits = 9 } },
        true);
    check(&(struct input){ .paths = { "long.txt" }, .n = 1 }, true);
    check(&(struct input){ .paths = { "d.h5" }, .n = 1 }, true);
    check(&(struct input){ .paths = { "/dev/zero" },
                           .n = 1,
                           .how = { .packed = true, .row_bits = 80, .max_rows = 60000 } },
          false);
    check(&(struct input){ .paths = { "/dev/fd/9" }, .n = 1, .content = "0110\n1001\n" }, false);
    return failures != 0;
}
