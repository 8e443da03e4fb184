/* SPDX-License-Identifier: MIT
   How much a file of weights may hold: values of a pickle, tensors, bytes that a member becomes; and
   files that are none. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "weights_test.h"
#include "tests/unit/test_folder.h"
#include "weights/weights_int.h"

enum { MOST_VALUES = 200000 };

struct text {
    unsigned char bytes[1 << 20];
    size_t n;
};

static void add(struct text *t, const void *bytes, size_t n)
{
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

/* n values (3 or more) of which a few stay on the stack: tuples of numbers. */
static void fill(struct text *t, size_t n)
{
    while (n) { /* mark, numbers, tuple */
        const size_t part = n > 90000 ? 90000 : n, rest = n - part < 3 ? n - part : 0;
        add(t, "(", 1);
        for (size_t i = 2; i < part - (rest ? 3 : 0); i++) add(t, "K\0", 2);
        add(t, "t", 1);
        n -= part - (rest ? 3 : 0);
    }
}

/* One tensor, of 23 values, behind so many that each of its instructions in turn is one too many. */
static void check_values(void)
{
    static const char tensor[] = "ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\n"
                                 "FloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\6tQK\0K\2K\3\x86K\3K\1\x86\x89"
                                 "ccollections\nOrderedDict\n)RtR.";
    static const float six[6] = { 1, 2, 3, 4, 5, 6 };
    struct kl_zip_member member = { "a/data/0", (const unsigned char *)six, sizeof six, NULL };
    const struct kl_zip_member *sorted[1] = { &member };
    const struct kl_zip zip = { &member, sorted, 1, 0 };
    static struct text t;
    int refused = 0;
    for (size_t room = 0; room < 40; room++) {
        struct kl_error err = { 0 };
        const struct kl_bytes file = { t.bytes, t.n, "x.pth" };
        struct kl_pickle m = { .file = &file, .err = &err, .zip = &zip, .prefix = "a/" };
        t.n = 0;
        add(&t, "\x80\2", 2);
        fill(&t, MOST_VALUES - room);
        add(&t, tensor, sizeof tensor - 1);
        m.at = t.bytes, m.end = t.bytes + t.n;
        const int rc = kl_weights_pickle_run(&m);
        CHECK(rc == 0 || (rc == KL_EDATA && strstr(err.text, "is refused: too many values; ")),
              "room for %zu: %d %s", room, rc, err.text);
        CHECK(m.n_values <= MOST_VALUES && (rc == 0) == (room >= 23), "room for %zu: %d", room, rc);
        refused += rc != 0;
        kl_weights_pickle_free(&m);
    }
    CHECK(refused == 23, "%d", refused);
}

static void check_tensors(void)
{
    struct kl_weights *w = calloc(1, sizeof *w);
    struct kl_error err = { 0 };
    const float x[1] = { 1 };
    const size_t dims[5] = { 1, 1, 1, 1, 1 };
    char name[200];
    memset(name, 'n', 128);
    name[128] = 0;
    CHECK(kl_weights_put(w, name, 1, dims, x, &err) == KL_EDATA &&
              strstr(err.text, "the name is too long"),
          "%s", err.text);
    CHECK(kl_weights_put(w, "a", 5, dims, x, &err) == KL_EDATA &&
              strstr(err.text, "rank 5, expected at most 4"),
          "%s", err.text);
    const size_t huge[2] = { SIZE_MAX, 2 }, large[1] = { SIZE_MAX / 8 };
    CHECK(kl_weights_put(w, "a", 2, huge, x, &err) == KL_EDATA && strstr(err.text, "overflows"), "%s",
          err.text);
    CHECK(kl_weights_put(w, "a", 1, large, x, &err) == KL_EDATA && strstr(err.text, "are too many"),
          "%s", err.text);
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "%d", i);
        CHECK(kl_weights_put(w, name, 1, dims, x, &err) == 0, "%s", err.text);
    }
    CHECK(kl_weights_put(w, "a", 1, dims, x, &err) == KL_EDATA &&
              strstr(err.text, "more than 10000 tensors"),
          "%s", err.text);
    kl_weights_free(&w);
    kl_weights_free(NULL);
    kl_weights_free(&w);
}

static void number(struct text *t, uint64_t x, size_t width)
{
    add(t, &x, width);
}

/* An archive of one deflated member that says that it becomes `size` bytes. */
static void check_inflated(void)
{
    static struct text t, packed;
    static const struct {
        size_t n, size;
        const char *words;
    } cases[] = {
        { 1000, 2000000, "a member would become larger than its data can, or than 1 GiB in all" },
        { 1042000, (1 << 30) + 1,
          "a member would become larger than its data can, or than 1 GiB in all" },
        { 1000, 1000, "a deflated member is damaged, or not as long as it declares" },
        { 1000, 0, "a deflated member is damaged, or not as long as it declares" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_error err;
        t.n = packed.n = 0;
        for (int central = 0; central < 2; central++) {
            struct text *to =
                central ? &packed : &t; /* the directory is made apart, and then put behind */
            number(to, central ? 0x02014b50 : 0x04034b50, 4);
            number(to, central ? 20 << 16 | 20 : 20, central ? 4 : 2);
            number(to, 0, 2);
            number(to, 8, 2);
            number(to, 0, 4 + 4);
            number(to, cases[i].n, 4);
            number(to, cases[i].size, 4);
            number(to, 5, 2);
            number(to, 0, central ? 8 : 2);
            number(to, 0, central ? 8 : 0);
            add(to, "a.npy", 5);
        }
        if (t.n + cases[i].n + packed.n + 30 > sizeof t.bytes) exit(1);
        memset(t.bytes + t.n, 7, cases[i].n);
        t.n += cases[i].n;
        const size_t at = t.n;
        add(&t, packed.bytes, packed.n);
        number(&t, 0x06054b50, 8);
        number(&t, 0x00010001, 4);
        number(&t, packed.n, 4);
        number(&t, at, 4);
        number(&t, 0, 2);
        CHECK(refused(kl_weights_npz_parse, t.bytes, t.n, &err) && strstr(err.text, cases[i].words),
              "%zu: %s", i, err.text);
    }
}

static void refused_file(const char *path, int code, const char *words)
{
    struct kl_weights *w = NULL;
    struct kl_error err = { 0 };
    const int rc = kl_weights_read_named(&w, path, &err);
    CHECK(rc == code && !w && strstr(err.text, words) && strstr(err.text, path), "%s: %d %s", path, rc,
          err.text);
    kl_weights_free(&w);
}

static void put(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(data, 1, n, f) == n, "%s", path);
    if (f) fclose(f);
}

static void check_files(void)
{
    static const char neither[] = "neither a .safetensors file, nor an .npz archive of NumPy";
    static const struct {
        const char *bytes;
        size_t n;
        const char *words;
    } cases[] = {
        { "", 0, neither },
        { "\x80", 1, neither },
        { "abc", 3, neither },
        { "abcdef", 6, neither },
        { "\x80\0x", 3, neither },
        { "\x80\6x", 3, neither },
        { "\x80\2x", 3, "in the old format of torch.save (before PyTorch 1.6), which is not read" },
        { "12345678[]", 10, neither },
        { "PK\3\4", 4, "the archive is refused: it is truncated" },
        { "PK\3\4______________________\3\0\0\0.npyxx", 36, "the archive is refused" },
        { "PK\3\4______________________\xff\xff\0\0.npyxx", 36, "the archive is refused" },
        { "PK\3\4______________________\6\0\0\0a.npxx", 36, "the archive is refused" },
        { "PK\3\4______________________\6\0\0\0a.npyy", 36, "the archive is refused" },
    };
    char path[128];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("x.bin", cases[i].bytes, cases[i].n);
        refused_file("x.bin", KL_EDATA, cases[i].words);
    }
    refused_file(".", KL_ENOINPUT, "is a folder, expected a file");
    refused_file("none.pth", KL_ENOINPUT, "cannot open the weights");
    const int fd = memfd_create("large", 0);
    CHECK(fd >= 0 && ftruncate(fd, (off_t)5 << 30) == 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    refused_file(path, KL_EDATA, "5368709120 bytes are too many for weights");
    close(fd);
    /* says that it has a page, and gives some words */
    struct stat s;
    const char *shorter = "/sys/kernel/mm/transparent_hugepage/enabled";
    if (stat(shorter, &s) == 0 && s.st_size > 1000)
        refused_file(shorter, KL_EIO, "became shorter while it was read");
    else fprintf(stderr, "skipped: there is no %s\n", shorter);
}

/* A digest in the name, or what only looks like one. */
static void check_names(const char *source)
{
    static const char *const fine[] = {
        "plain",
        "plain.safetensors",
        "a-b.safetensors",
        "a.b-1234567890",
        "a-1234567.x",
        ("a-123456789012345678901234567890123456789012345678901234567890123"
         "45.x"),
        "a-1234567g.x",
        "a-1234567G.x",
        "a-12345:67.x",
        "a-1234567+.x",
        "a-1234567`.x"
    };
    struct kl_error err = { 0 };
    struct kl_weights *w = NULL;
    char hex[65], path[256];
    FILE *f = fopen(source, "rb");
    unsigned char bytes[1 << 16];
    const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    CHECK(n > 0, "%s", source);
    if (f) fclose(f);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        put(fine[i], bytes, n);
        CHECK(kl_weights_read_named(&w, fine[i], &err) == 0, "%s: %s", fine[i], err.text);
        kl_weights_free(&w);
    }
    CHECK(kl_sha256_hex(hex, bytes, n, &err) == 0, "%s", err.text);
    snprintf(path, sizeof path, "a-%.12s.safetensors", hex);
    put(path, bytes, n);
    CHECK(kl_weights_read_named(&w, path, &err) == 0, "%s", err.text);
    kl_weights_free(&w);
    path[5] = path[5] == '0' ? '1' : '0';
    put(path, bytes, n);
    refused_file(path, KL_EDATA, "its name says");
    CHECK(kl_weights_read(&w, path, &err) == 0, "%s", err.text);
    kl_weights_free(&w);
}

int main(void)
{
    char source[512];
    make_test_folder();
    if (!realpath(corpus_file("safetensors/one"), source) || chdir(test_folder)) return 1;
    check_values();
    check_tensors();
    check_inflated();
    check_files();
    check_names(source);
    return failures != 0;
}
