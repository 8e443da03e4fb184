/* SPDX-License-Identifier: MIT
   Any bytes as .pth (from "PK" on) or as the pickle in it: that is put into a sound archive with three
   storages, so that the search need not get behind the checksums. What is read can be written and read
   again, to the same tensors. */
#include <zlib.h>

#include "tests/fuzz/frame/tensors.h"

const int fuzz_corpus = 40;

static struct {
    unsigned char *bytes;
    size_t n;
} archive;

static void put(const void *data, size_t n)
{
    archive.bytes = realloc(archive.bytes, archive.n + n + 1);
    need(archive.bytes != NULL, "no memory", "");
    memcpy(archive.bytes + archive.n, data, n);
    archive.n += n;
}

/* Little-endian. */
static void number(uint64_t x, int width)
{
    unsigned char b[8];
    for (int i = 0; i < 8; i++) b[i] = (unsigned char)(x >> (8 * i));
    put(b, (size_t)width);
}

struct member {
    const char *name;
    const void *data;
    size_t n, at;
};

/* Write the fields common to local header and central entry, from the flags to the name's length. */
static void describe(const struct member *m)
{
    number(0, 2 + 2 + 2);
    number(0, 2);
    number(crc32(0, m->data, (unsigned)m->n), 4);
    number(m->n, 4);
    number(m->n, 4);
    number(strlen(m->name), 2);
}

static void put_archive(struct member *m, int n)
{
    archive.n = 0;
    for (int i = 0; i < n; i++) {
        m[i].at = archive.n;
        number(0x04034b50, 4);
        number(20, 2);
        describe(&m[i]);
        number(0, 2);
        put(m[i].name, strlen(m[i].name));
        put(m[i].data, m[i].n);
    }
    const size_t directory = archive.n;
    for (int i = 0; i < n; i++) {
        number(0x02014b50, 4);
        number(20, 2);
        number(20, 2);
        describe(&m[i]);
        number(0, 8);
        number(0, 4);
        number(m[i].at, 4);
        put(m[i].name, strlen(m[i].name));
    }
    const size_t size = archive.n - directory;
    number(0x06054b50, 4);
    number(0, 4);
    number((unsigned)n, 2);
    number((unsigned)n, 2);
    number(size, 4);
    number(directory, 4);
    number(0, 2);
}

bool fuzz(const unsigned char *data, size_t n)
{
    static const float numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    struct member members[] = { { "a/data.pkl", data, n, 0 },
                                { "a/data/0", numbers, sizeof numbers, 0 },
                                { "a/data/1", numbers, 4, 0 },
                                { "a/data/2", numbers, 0, 0 } };
    if (n >= 2 && data[0] == 'P' && data[1] == 'K') return check_weights(kl_weights_pth_parse, data, n);
    put_archive(members, 4);
    unsigned char *exact = malloc(archive.n);
    need(exact != NULL, "no memory", "");
    memcpy(exact, archive.bytes, archive.n);
    const bool read = check_weights(kl_weights_pth_parse, exact, archive.n);
    free(exact);
    return read;
}
