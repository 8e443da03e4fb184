/* SPDX-License-Identifier: MIT
   NumPy's archive, written: members stored, dated 1980 so that equal weights give equal bytes; words are
   arrays of text. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "weights/weights_int.h"

enum { FIRST_OF_1980 = 0x21, VERSION = 20, NPY_MAGIC = 10, NPY_ALIGN = 64 };

/* One member as its entries in the archive tell of it. */
struct member {
    char name[140];
    uint32_t crc, size, offset;
};

static void put(FILE *to, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) fputc((int)(x >> (8 * i) & 255), to);
}

/* Write the fields that local headers and central entries have in common. */
static void put_sizes(FILE *to, const struct member *m)
{
    put(to, VERSION, 2);
    put(to, 0, 4); /* flags, stored */
    put(to, 0, 2);
    put(to, FIRST_OF_1980, 2);
    put(to, m->crc, 4);
    put(to, m->size, 4);
    put(to, m->size, 4);
    put(to, strlen(m->name), 2);
    put(to, 0, 2);
}

/* A member NAME.npy of the type `descr` and this shape. */
static int put_array(FILE *to, struct member *m, const char *name, const char *descr, int rank,
                     const size_t *dims, const void *data, size_t n, struct kl_error *err)
{
    char header[256] = "\x93NUMPY\1";
    const long offset = ftell(to);
    if (offset < 0) return kl_fail_memory(err, n);
    if ((uint64_t)offset + n > UINT32_MAX - 65536)
        return kl_fail(err, KL_EDATA, "more than 4 GiB do not fit in an .npz; write .safetensors");
    int used = snprintf(header + NPY_MAGIC, sizeof header - NPY_MAGIC,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int i = 0; i < rank; i++)
        used += snprintf(header + NPY_MAGIC + used, sizeof header - NPY_MAGIC - (size_t)used,
                         i > 0 && i == rank - 1 ? "%zu" : "%zu, ", dims[i]);
    used += snprintf(header + NPY_MAGIC + used, sizeof header - NPY_MAGIC - (size_t)used, "), }");
    const size_t length = (NPY_MAGIC + (size_t)used) / NPY_ALIGN * NPY_ALIGN + NPY_ALIGN;
    memset(header + NPY_MAGIC + used, ' ', length - NPY_MAGIC - (size_t)used);
    header[length - 1] = '\n';
    header[8] = (char)((length - NPY_MAGIC) & 255);
    header[9] = (char)((length - NPY_MAGIC) >> 8);
    snprintf(m->name, sizeof m->name, "%s.npy", name);
    m->offset = (uint32_t)offset;
    m->size = (uint32_t)(length + n);
    m->crc = (uint32_t)crc32_z(crc32_z(0, (const Bytef *)header, length), data, n);
    put(to, 0x04034b50, 4);
    put_sizes(to, m);
    fputs(m->name, to);
    fwrite(header, 1, length, to);
    fwrite(data, 1, n, to);
    return 0;
}

/* The next character of UTF-8; a byte that is not of it is taken for Latin-1. */
static uint32_t next_character(const unsigned char **at, const unsigned char *end)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *b = *at;
    const int n = b[0] < 0xc0 ? 1 : b[0] < 0xe0 ? 2 : b[0] < 0xf0 ? 3 : b[0] < 0xf8 ? 4 : 1;
    uint32_t c = n == 1 ? b[0] : b[0] & (0xffu >> (n + 1));
    bool sound = end - b >= n;
    for (int i = 1; i < n && sound; i++) {
        sound = (b[i] & 0xc0) == 0x80;
        c = c << 6 | (b[i] & 0x3f);
    }
    sound = sound && c >= least[n] && c <= 0x10ffff && !(c >= 0xd800 && c < 0xe000);
    *at += sound ? n : 1;
    return sound ? c : b[0];
}

/* Strings as UTF-32, each padded with NUL to the longest. */
static int put_word(FILE *to, struct member *m, const struct kl_weights_word *word, struct kl_error *err)
{
    const size_t n = word->n_strings ? word->n_strings : 1,
                 size = word->n_strings ? word->size : strlen(word->text);
    char descr[32];
    size_t longest = 1;
    uint32_t *text = calloc(n * size + 1, sizeof *text); /* a character has at least one byte */
    if (!text) return kl_fail_memory(err, (n * size + 1) * sizeof *text);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            const unsigned char *at = (const unsigned char *)word->text + i * size, *end = at + size;
            for (size_t k = 0; at < end && *at; k++) {
                const uint32_t c = next_character(&at, end);
                if (pass) text[i * longest + k] = c;
                else if (k + 1 > longest) longest = k + 1;
            }
        }
    snprintf(descr, sizeof descr, "<U%zu", longest);
    int rc = put_array(to, m, word->name, descr, word->n_strings ? 1 : 0, &n, text,
                       n * longest * sizeof *text, err);
    free(text);
    return rc;
}

int kl_weights_npz_write(FILE *to, const struct kl_weights *weights, const struct kl_weights_word *words,
                         size_t n_words, struct kl_error *err)
{
    const size_t n = n_words + weights->n;
    struct member *members = calloc(n + 1, sizeof *members);
    int rc = members ? 0 : kl_fail_memory(err, n * sizeof *members);
    for (size_t i = 0; i < n_words && !rc; i++) rc = put_word(to, &members[i], &words[i], err);
    for (size_t i = 0; i < weights->n && !rc; i++) {
        const struct kl_weight *t = &weights->tensors[i];
        rc = put_array(to, &members[n_words + i], t->name, "<f4", t->rank, t->dims, t->data, 4 * t->n,
                       err);
    }
    const long directory = ftell(to);
    for (size_t i = 0; i < n && !rc; i++) {
        put(to, 0x02014b50, 4);
        put(to, VERSION, 2);
        put_sizes(to, &members[i]);
        put(to, 0, 6); /* comment, disk, attributes */
        put(to, 0, 4);
        put(to, members[i].offset, 4);
        fputs(members[i].name, to);
    }
    if (!rc) {
        const uint32_t size = (uint32_t)(ftell(to) - directory);
        put(to, 0x06054b50, 4);
        put(to, 0, 4);
        put(to, n, 2);
        put(to, n, 2);
        put(to, size, 4);
        put(to, (uint32_t)directory, 4);
        put(to, 0, 2);
    }
    free(members);
    return rc;
}
