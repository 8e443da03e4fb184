/* SPDX-License-Identifier: MIT
   Inputs of bits: files of kind device-bits, right and wrong; large ones; how much of them is read;
   pipes, terminals, devices; names. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bits_test.h"
#include "qrng/bits/bits.h"
#include "tests/unit/test_folder.h"

static const struct kl_bits_how plain = { 0 };

static void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n, "%s", path);
    if (f) fclose(f);
}

static void refused(const char *const *paths, size_t n, const struct kl_bits_how *how, int code,
                    const char *words)
{
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    const int found = kl_bits_read_files(&b, paths, n, how, &err);
    CHECK(found == code && strcmp(err.text, words) == 0, "%d %s, expected %s", found, err.text, words);
    CHECK(!b.words && !b.names && !b.files);
}

static void refused_one(const char *path, const struct kl_bits_how *how, int code, const char *words)
{
    refused(&path, 1, how, code, words);
}

static void check_device_bits(void)
{
    static const char disagree[] = "d.h5: bits, labels, class_names, n_bits and symbol_bits disagree";
    const struct {
        struct device_bits file;
        const char *words;
    } cases[] = {
        { { .kind = "features" },
          "d.h5: holds 'features', expected 'device-bits', which comes from extract-features --qrng" },
        { { .no_bits = true }, "d.h5: holds statistics alone; make it without --only-statistics" },
        { { .no_labels = true }, "d.h5: has no dataset labels" },
        { { .no_names = true }, "d.h5: has no dataset class_names" },
        { { .no_n_bits = true }, "d.h5: the root has no attribute n_bits" },
        { { .no_symbol_bits = true }, "d.h5: the root has no attribute symbol_bits" },
        { { .labels = -1 }, disagree },
        { { .names = -2 }, disagree },
        { { .names = 4095 }, disagree },
        { { .n_bits = -10 }, disagree },
        { { .n_bits = 1e9 }, disagree },
        { { .n_bits = 7 }, disagree },
        { { .symbol_bits = -1 }, disagree },
        { { .symbol_bits = 8 }, disagree },
        { { .second = -2 }, "d.h5: row 2 is of device 0, there are 2" },
        { { .second = 1 }, "d.h5: row 2 is of device 3, there are 2" },
        { { .names = 1 }, "d.h5: device six has no rows" },
        { { .rows = -4, .labels = -4 }, "d.h5: holds no rows" },
    };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(write_device_bits("d.h5", &cases[i].file, &err) == 0, "%zu: %s", i, err.text);
        refused_one("d.h5", &plain, KL_EDATA, cases[i].words);
    }
    CHECK(write_device_bits("d.h5", &(struct device_bits){ .symbol_bits = 2 }, &err) == 0, "%s",
          err.text);
    refused_one("d.h5", &plain, KL_EUSAGE,
                "d.h5: rows of 10 bits hold no whole number of symbols of 3 bits; --symbol-bits that "
                "divides them: 1, 2, 5");
    struct kl_bits b = { 0 };
    CHECK(kl_bits_read_files(&b, (const char *[]){ "d.h5" }, 1,
                             &(struct kl_bits_how){ .symbol_bits = 5, .max_rows = 1 }, &err) == 0,
          "%s", err.text);
    CHECK(b.n_rows == 2 && b.symbol_bits == 5 && b.n_devices == 2 && strcmp(b.names[1], "two") == 0 &&
              b.device[1] == 1 && b.words[1] == 0x29b,
          "%zu rows, %llx", b.n_rows, (unsigned long long)b.words[1]);
    kl_bits_free(&b);
    /* more rows than a block holds; two of ours as inputs, and one that is gone when it is asked for */
    CHECK(write_device_bits("e.h5", &(struct device_bits){ .rows = 70000, .labels = 70000 }, &err) == 0,
          "%s", err.text);
    CHECK(kl_bits_read_files(&b, (const char *[]){ "e.h5" }, 1, &plain, &err) == 0 && b.n_rows == 70004,
          "%s", err.text);
    kl_bits_free(&b);
    const char *const two[] = { "e.h5", "f.h5", "g.txt" };
    const struct device_bits single = { .names = -1, .second = -1 };
    struct kl_key *key = NULL;
    json_t *record = json_object();
    put("g.txt", "0110110110\n", 11);
    CHECK(write_device_bits("e.h5", &single, &err) == 0 && write_device_bits("f.h5", &single, &err) == 0,
          "%s", err.text);
    CHECK(kl_store_key_begin(&key, "bits", 1, "test", 1, &err) == 0 &&
              kl_bits_read_files(&b, two, 3, &plain, &err) == 0 && b.n_devices == 3,
          "%s", err.text);
    CHECK(kl_bits_identify(key, record, &b, two, 3, &err) == 0 && json_object_size(record) == 1, "%s",
          err.text);
    unlink("g.txt");
    CHECK(kl_bits_identify(key, record, &b, two, 3, &err) == KL_ENOINPUT && strstr(err.text, "g.txt"),
          "%s", err.text);
    kl_store_key_abort(&key);
    json_decref(record);
    kl_bits_free(&b);
    put("t.txt", "0110110110\n", 11);
    refused((const char *const[]){ "t.txt", "d.h5" }, 2, &(struct kl_bits_how){ .symbol_bits = 1 },
            KL_EDATA, "d.h5: holds 2 devices; of several inputs each is one");
    refused((const char *const[]){ "d.h5", "t.txt" }, 2, &plain, KL_EUSAGE,
            "d.h5: rows of 10 bits hold no whole number of symbols of 3 bits; --symbol-bits that "
            "divides them: 1, 2, 5");
    put("u.txt", "01101\n", 6);
    refused((const char *const[]){ "t.txt", "u.txt" }, 2, &plain, KL_EDATA,
            "u.txt: rows of 5 bits and symbols of 1, in t.txt they have 10 and 1");
}

/* n bytes of c, without room for them on a disk. */
static const char *memory_file(size_t n, char c)
{
    static char path[64];
    int fd = memfd_create("bits", 0);
    char part[1 << 16];
    memset(part, c, sizeof part);
    for (size_t at = 0; c && at < n; at += sizeof part)
        CHECK(pwrite(fd, part, n - at < sizeof part ? n - at : sizeof part, (off_t)at) > 0);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)n) == 0, "%zu", n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return path;
}

static void check_long(void)
{
    char words[200];
    const char *path = memory_file(KL_BITS_ROW + 1, '1');
    snprintf(words, sizeof words, "%s: rows of 16777217 bits, expected 1 to 16777216", path);
    refused_one(path, &plain, KL_EDATA, words);
    path = memory_file(36 << 20, '1');
    snprintf(words, sizeof words, "%s: row 1 is longer than 16777216 bits", path);
    refused_one(path, &plain, KL_EDATA, words);
    snprintf(words, sizeof words, "%s: packed rows of 16777217 bits; expected at most 16777216", path);
    refused_one(path, &(struct kl_bits_how){ .packed = true, .row_bits = KL_BITS_ROW + 1 }, KL_EUSAGE,
                words);
    path = memory_file((size_t)1 << 62, 0);
    snprintf(words, sizeof words, "%s: 4611686018427387904 bytes are too many", path);
    refused_one(path, &(struct kl_bits_how){ .packed = true, .row_bits = 8 }, KL_EDATA, words);
}

/* More rows than a block has room for, of which the first ones of each device are taken. */
static void check_many(void)
{
    enum { ROWS = 150000 };
    char *text = malloc(4 * ROWS);
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    for (size_t r = 0; r < ROWS; r++) memcpy(text + 4 * r, r == ROWS - 1 ? "1 2\n" : "0 1\n", 4);
    put("many.txt", text, 4 * ROWS);
    CHECK(kl_bits_read_files(&b, (const char *[]){ "many.txt" }, 1,
                             &(struct kl_bits_how){ .max_rows = 3 }, &err) == 0,
          "%s", err.text);
    CHECK(b.n_rows == 4 && b.n_devices == 2 && b.device[3] == 1 && b.words[3] == 1, "%zu", b.n_rows);
    kl_bits_free(&b);
    /* bytes that do not begin as text: so many bits of each; at least so many rows */
    memset(text, 0xa5, 16);
    put("many.bin", text, 4 * ROWS);
    const struct kl_bits_how bits = { .packed = true, .row_bits = 10, .max_bits = 25 };
    CHECK(kl_bits_read_files(&b, (const char *[]){ "many.bin" }, 1, &bits, &err) == 0 && b.n_rows == 3 &&
              b.n_dropped == 0,
          "%zu", b.n_rows);
    kl_bits_free(&b);
    const struct kl_bits_how least = { .packed = true, .row_bits = 10, .max_bits = 25, .least_rows = 7 };
    CHECK(kl_bits_read_files(&b, (const char *[]){ "many.bin" }, 1, &least, &err) == 0 && b.n_rows == 7,
          "%zu", b.n_rows);
    kl_bits_free(&b);
    const struct kl_bits_how all = { .packed = true, .row_bits = 10, .max_rows = SIZE_MAX };
    CHECK(kl_bits_read_files(&b, (const char *[]){ "many.bin" }, 1, &all, &err) == 0 &&
              b.n_rows == 32 * ROWS / 10,
          "%zu", b.n_rows);
    kl_bits_free(&b);
    free(text);
}

static void check_npy(void)
{
    enum { ROWS = 70000 };
    static const char *const headers[] = {
        "{'descr': '|u1', 'fortran_order': False, 'shape': (70000, 1)}",
        "{'descr': '|S1', 'fortran_order': True, 'shape': (70000,)}",
        "{'descr': '|S0123456789', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|S1234567890', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 16777217)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1152921504606846976, 1)}",
    };
    char *file = calloc(1, ROWS + 200);
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const size_t n = strlen(headers[i]);
        memcpy(file, "\x93NUMPY\1\0", 8);
        file[8] = (char)(n + 1);
        memcpy(file + 10, headers[i], n);
        file[10 + n] = '\n';
        memset(file + 11 + n, i ? '1' : 1, ROWS);
        put("a.npy", file, 11 + n + ROWS);
        const int rc = kl_bits_read_files(&b, (const char *[]){ "a.npy" }, 1,
                                          &(struct kl_bits_how){ .max_rows = i ? 0 : 66000 }, &err);
        CHECK(rc == (i < 2 ? 0 : KL_EDATA), "%zu: %d %s", i, rc, err.text);
        if (!rc) CHECK(b.n_rows == (i ? ROWS : 66000) && b.words[65999] == 1, "%zu: %zu", i, b.n_rows);
        else CHECK(strstr(err.text, " bits, expected 1 to 16777216 bits"), "%zu: %s", i, err.text);
        kl_bits_free(&b);
    }
    free(file);
}

/* From a pipe as from a file; more than one piece of it. */
static void check_streams(void)
{
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    struct kl_bits_inputs in;
    struct kl_key *key = NULL;
    struct kl_file *files[2];
    json_t *record = json_object();
    size_t n_files;
    int ends[2];
    refused(NULL, 0, &plain, KL_EUSAGE, "no input");
    refused_one("/dev/zero", &plain, KL_EUSAGE,
                "/dev/zero: a device may have no end; give its first bytes: head -c 1000000 /dev/zero | "
                "... -, with "
                "--packed");
    refused_one(
        "/dev/zero", &(struct kl_bits_how){ .packed = true, .row_bits = 9 }, KL_EUSAGE,
        "/dev/zero: a device may have no end; give its first bytes: head -c 1000000 /dev/zero | ... -");
    refused_one(".", &plain, KL_ENOINPUT, ".: is a folder, expected a file");
    const struct kl_bits_how some = { .packed = true, .row_bits = 9, .max_rows = 400000 };
    CHECK(kl_bits_read_files(&b, (const char *[]){ "/dev/zero" }, 1, &some, &err) == 0 &&
              b.n_rows == 400000 && !b.words[399999],
          "%s", err.text);
    kl_bits_free(&b);
    const char *zero = "/dev/zero", *dash = "-";
    CHECK(kl_store_key_begin(&key, "bits", 1, "test", 1, &err) == 0 &&
              kl_bits_inputs_open(&in, &zero, 1, &some, &err) == 0 &&
              kl_bits_inputs_identify(key, record, files, &n_files, &in, &err) == 0,
          "%s", err.text);
    kl_bits_inputs_close(&in);
    /* head -c 450000 /dev/zero | sha256sum */
    char *text = json_dumps(record, 0);
    CHECK(strstr(text, "1106f89d9c6aa8863fa6ab0793fc46e4115a9bd2c98ba9b238bb98392a32caca"), "%s", text);
    free(text);
    CHECK(pipe(ends) == 0 && write(ends[1], "0110\n1001\n", 10) == 10);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    CHECK(kl_bits_read_files(&b, (const char *[]){ dash }, 1, &plain, &err) == 0 && b.n_rows == 2 &&
              strcmp(b.names[0], "standard input") == 0,
          "%s", err.text);
    CHECK(kl_bits_identify(key, record, &b, &dash, 1, &err) == 0, "%s", err.text);
    kl_bits_free(&b);
    kl_store_key_abort(&key);
    json_decref(record);
}

/* Typed input ends with the end of the input. */
static void check_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    struct kl_bits b = { 0 };
    struct kl_error err = { 0 };
    if (master < 0 || grantpt(master) || unlockpt(master)) {
        fprintf(stderr, "skipped: no terminal can be made here: %s\n", strerror(errno));
        return;
    }
    CHECK(write(master, "0110\n\4", 6) == 6);
    CHECK(kl_bits_read_files(&b, (const char *[]){ ptsname(master) }, 1, &plain, &err) == 0 &&
              b.n_rows == 1 && b.words[0] == 6,
          "%s", err.text);
    kl_bits_free(&b);
    close(master);
}

static void check_names(void)
{
    static const char *const names[][2] = {
        { "folder.d/a.txt", "a" },
        { ".bits", ".bits" },
        { "a.b.txt", "a.b" },
        { "a-name-of-more-than-thirty-two-letters.txt", "a-name-of-more-than-thirty-two-" },
        { "plain", "plain" },
    };
    struct kl_error err = { 0 };
    CHECK(mkdir("folder.d", 0777) == 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct kl_bits b = { 0 };
        put(names[i][0], "01\n", 3);
        CHECK(kl_bits_read_files(&b, (const char *[]){ names[i][0] }, 1, &plain, &err) == 0 &&
                  strcmp(b.names[0], names[i][1]) == 0,
              "%s: %s", names[i][0], b.names ? b.names[0] : err.text);
        kl_bits_free(&b);
    }
}

static void check_words(void)
{
    uint64_t words[3];
    uint8_t bytes[17], back[17];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)(37 * i + 11);
    for (size_t n = 1; n <= 130; n++) {
        memset(back, 0, sizeof back);
        kl_bits_unpack(words, bytes, n);
        kl_bits_pack(back, words, n);
        CHECK(memcmp(back, bytes, n / 8) == 0, "%zu bits", n);
        const uint8_t mask = (uint8_t)(0xff00 >> n % 8);
        CHECK(n % 8 == 0 || back[n / 8] == (bytes[n / 8] & mask), "%zu bits: the last byte", n);
    }
}

int main(void)
{
    make_test_folder();
    if (chdir(test_folder)) return 1;
    check_device_bits();
    check_long();
    check_many();
    check_npy();
    check_streams();
    check_terminal();
    check_names();
    check_words();
    return failures != 0;
}
