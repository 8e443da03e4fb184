/* SPDX-License-Identifier: MIT
   NumPy's archives: headers of arrays as they may be and as they may not, archives as savez and
   savez_compressed write them, and every byte of one damaged. */
#include <zlib.h>

#include "weights_test.h"

static unsigned char file[1 << 16];

/* An .npy of version 1 with this header; returns its length. */
static size_t make_npy(unsigned char *to, const char *header, const void *data, size_t n)
{
    const size_t length = strlen(header);
    memcpy(to, "\x93NUMPY\1\0", 8);
    to[8] = (unsigned char)length, to[9] = (unsigned char)(length >> 8);
    memcpy(to + 10, header, length);
    if (n) memcpy(to + 10 + length, data, n);
    return 10 + length + n;
}

static int parse_array(struct kl_weights *weights, const struct kl_bytes *f, struct kl_error *err)
{
    return kl_weights_npy_parse(weights, f, "a", f->data, f->n, err);
}

static const float six[6] = { 0, 1, 2, 3, 4, 5 };

static void headers(void)
{
#define H(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }\n"
    static const char *const sound[] = {
        H("'<f4'", "False", "(6,)"),
        H("'<f4'", "False", "(2, 3)"),
        H("'<f4'", "False", "(1, 2, 3, 1)"),
        H("'<f8'", "False", "(3,)"),
        H("'<f2'", "True", "(12,)"),
        H("'<i8'", "False", "(3, 1)"),
        H("'<i4'", "False", "(6, )"),
        H("'>f4'", "False", "(6,)"),
        H("'|b1'", "False", "(24,)"),
        H("'>u2'", "True", "(3, 4)"),
        H("'<U6'", "False", "()"),
        H("'|S24'", "False", "(1, 1, 1, 1, 1, 1)"),
        "{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"<f4\"}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)}                 \n",
    };
    static const char *const bad[] = {
        "",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (6,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (6,)}",
        "__import__('os').system('touch executed')",
        H("'<f4'", "False", "(6)"),
        H("'<f4'", "False", "6"),
        H("'<f4'", "False", "(-6,)"),
        H("'<f4'", "False", "(6.0,)"),
        H("'<f4'", "False", "(,)"),
        H("'<f4'", "False", "(5,)"),
        H("'<f4'", "False", "(7,)"),
        H("'<f4'", "False", "()"),
        H("'<f4'", "False", "(6, 0)"),
        H("'<f4'", "False", "(2, 3 3)"),
        H("'<f4'", "False", "(2, 3"),
        H("'<f4'", "False", "(1, 1, 1, 1, 6)"),
        H("'<f4'", "False", "(4294967296, 4294967296, 6)"),
        H("'<f4'", "False", "(18446744073709551622,)"),
        H("'<f4'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,6)"),
        H("'|O'", "False", "(3,)"),
        H("'<c8'", "False", "(3,)"),
        H("'>b4'", "False", "(6,)"),
        H("'<f16'", "False", "(1,)"),
        H("[('x', '<f4')]", "False", "(6,)"),
        H("[('x', '|O')]", "False", "(6,)"),
        H("'<f4\\x27'", "False", "(6,)"),
        H("'<f4<f4<f4<f4<f4<f4<f4<f4<f4<f4<f4'", "False", "(6,)"),
    };
    struct kl_error err;
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        const size_t n = make_npy(file, sound[i], six, sizeof six);
        CHECK(parse_only(parse_array, file, n, &err) == 0, "%s: %s", sound[i], err.text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t n = make_npy(file, bad[i], six, sizeof six);
        CHECK(refused(parse_array, file, n, &err), "%s: %s", bad[i], err.text);
        if (strstr(bad[i], "|O")) CHECK(strstr(err.text, "pickle"), "%s", err.text);
    }
    size_t n = make_npy(file, sound[0], six, sizeof six);
    file[6] = 9;
    CHECK(refused(parse_array, file, n, &err), "version 9");
    file[6] = 3; /* the length then has four bytes */
    CHECK(refused(parse_array, file, n, &err), "version 3 with a header that does not fit");
}

/* Column-major: entry (i, j) of [2, 3] lies at i + 2 j. */
static void fortran(void)
{
    static const float want[] = { 0, 2, 4, 1, 3, 5 };
    struct kl_weights *w = NULL;
    struct kl_error err;
    const size_t n = make_npy(file, H("'<f4'", "True", "(2, 3)"), six, sizeof six);
    CHECK(parse(&w, parse_array, file, n, &err) == 0, "%s", err.text);
    CHECK(w->n == 1 && memcmp(w->tensors[0].data, want, sizeof want) == 0, "transposed");
    kl_weights_free(&w);
}

/* ---- an archive of one array as NumPy writes it: sizes of 64 bits in the local header ---- */
static size_t at;
static void number(uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) file[at++] = (unsigned char)(x >> (8 * i));
}

struct trick {
    int method, zip64_size, size, cut; /* what is wrong */
    bool short_sizes;                  /* nothing: older versions of Python repeat them */
};

static size_t make_archive(bool deflated, struct trick t)
{
    unsigned char npy[512], packed[1024];
    const size_t n = make_npy(npy, H("'<f4'", "False", "(6,)"), six, sizeof six);
    z_stream z = {
        .next_in = npy, .avail_in = (unsigned)n, .next_out = packed, .avail_out = sizeof packed
    };
    if (deflateInit2(&z, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END)
        exit(1);
    const size_t m = (deflated ? z.total_out : n) - (size_t)t.cut;
    deflateEnd(&z);
    const uint32_t crc = (uint32_t)crc32_z(0, npy, n);
    const int method = (deflated ? 8 : 0) + t.method;
    at = 0;
    number(0x04034b50, 4), number(45, 2), number(0, 2), number((unsigned)method, 2), number(0, 2);
    number(0x21, 2), number(crc, 4), number(t.short_sizes ? m : UINT32_MAX, 4),
        number(t.short_sizes ? n : UINT32_MAX, 4), number(5, 2);
    number(20, 2);
    memcpy(file + at, "a.npy", 5), at += 5;
    number(1, 2), number(16, 2), number(n + (size_t)t.zip64_size, 8), number(m, 8);
    memcpy(file + at, deflated ? packed : npy, m), at += m;
    const size_t directory = at;
    number(0x02014b50, 4), number(45 | 3 << 8, 2), number(45, 2), number(0, 2);
    number((unsigned)method, 2), number(0, 2), number(0x21, 2), number(crc, 4), number(m, 4);
    number(n + (size_t)t.size, 4), number(5, 2), number(0, 2), number(0, 6), number(0x1800000, 4);
    number(0, 4);
    memcpy(file + at, "a.npy", 5), at += 5;
    const size_t end = at;
    number(0x06054b50, 4), number(0, 4), number(1, 2), number(1, 2), number(end - directory, 4);
    number(directory, 4), number(0, 2);
    return at;
}

/* Any damage is refused, or hits a byte that says nothing: then the values are the right ones. */
static void damage(size_t n, const char *what)
{
    struct kl_weights *w;
    struct kl_error err;
    for (size_t cut = 0; cut < n; cut++)
        CHECK(refused(kl_weights_npz_parse, file, cut, &err), "%s cut at %zu: %s", what, cut, err.text);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        const int rc = parse(&w, kl_weights_npz_parse, file, n, &err);
        CHECK(rc == KL_EDATA || (rc == 0 && w->n >= 1 && w->tensors[0].n == 6 &&
                                 memcmp(w->tensors[0].data, six, sizeof six) == 0),
              "%s, bit %zu: %d %s", what, bit, rc, err.text);
        kl_weights_free(&w);
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}

static void archives(void)
{
    struct kl_error err;
    for (int deflated = 0; deflated < 2; deflated++) {
        size_t n = make_archive(deflated, (struct trick){ 0 });
        CHECK(parse_only(kl_weights_npz_parse, file, n, &err) == 0, "%s", err.text);
        CHECK(refused(kl_weights_pth_parse, file, n, &err), "an .npz is no .pth");
        damage(n, deflated ? "deflated" : "stored");
        n = make_archive(deflated, (struct trick){ .short_sizes = true });
        CHECK(parse_only(kl_weights_npz_parse, file, n, &err) == 0, "%s", err.text);
        damage(n, "sizes twice");
        static const struct trick tricks[] = { { .method = 1 },
                                               { .zip64_size = 1 },
                                               { .size = 1 },
                                               { .zip64_size = 1, .size = 1 },
                                               { .zip64_size = -1, .size = -1 },
                                               { .zip64_size = 1 << 28, .size = 1 << 28 },
                                               { .cut = 1 } };
        for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
            n = make_archive(deflated, tricks[i]);
            CHECK(refused(kl_weights_npz_parse, file, n, &err), "trick %zu: %s", i, err.text);
        }
    }
}

/* Written values and words are read again. */
static void written(void)
{
    const struct kl_weights_word words[] = {
        { "created_by", "test", 0, 0 },
        { "config", "{\"name\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"}", 0, 0 },
        { "class_names", "one\0\0two\0\0three", 3, 5 }
    };
    for (int format = 0; format < KL_NO_FORMAT; format++) {
        struct kl_weights *w = calloc(1, sizeof *w), *back = NULL;
        struct kl_error err = { 0 };
        unsigned char *bytes = NULL;
        size_t n = 0, mark_at;
        CHECK(kl_weights_put(w, "a", 2, (size_t[]){ 2, 3 }, six, &err) == 0, "%s", err.text);
        CHECK(kl_weights_put(w, "b.c", 1, (size_t[]){ 1 }, six + 5, &err) == 0, "%s", err.text);
        CHECK(kl_weights_put(w, "a", 1, (size_t[]){ 1 }, six, &err) == KL_EDATA, "a name twice");
        CHECK(kl_weights_make(&bytes, &n, (enum kl_weights_format)format, w, words, 3, &err) == 0, "%s",
              err.text);
        parser *p = format == KL_NPZ ? kl_weights_npz_parse : kl_weights_safetensors_parse;
        CHECK(parse(&back, p, bytes, n, &err) == 0, "%s", err.text);
        const struct kl_weight *a = kl_weights_find(back, "a"), *b = kl_weights_find(back, "b.c");
        CHECK(a && b && back->n == 2, "two tensors");
        CHECK(a && a->rank == 2 && a->dims[1] == 3 && memcmp(a->data, six, sizeof six) == 0, "a");
        CHECK(b && b->rank == 1 && b->data[0] == 5, "b");
        CHECK(back->config && strcmp(back->config, words[1].text) == 0, "config: %s", back->config);
        const char *mark = kl_weights_mark(&mark_at, (enum kl_weights_format)format);
        CHECK(memcmp(bytes + mark_at, mark, strlen(mark)) == 0, "the mark");
        if (format == KL_NPZ && n < sizeof file) {
            memcpy(file, bytes, n);
            damage(n, "written");
        }
        kl_weights_free(&w);
        kl_weights_free(&back);
        free(bytes);
    }
}

int main(void)
{
    headers();
    fortran();
    archives();
    written();
    return failures != 0;
}
