/* SPDX-License-Identifier: MIT
   Whole inputs of bits in memory. */
#include "qrng/bits_int.h"

#include <stdlib.h>
#include <string.h>

/* Room for `more` rows behind those that are there. */
static int grow(struct kl_bits *b, size_t *room, size_t more, struct kl_error *err)
{
    if (b->n_rows + more <= *room) return KL_OK;
    const size_t rows = b->n_rows + more > 2 * *room ? b->n_rows + more : 2 * *room;
    uint64_t *words = realloc(b->words, rows * b->words_per_row * sizeof *words);
    if (words) b->words = words;
    int32_t *device = realloc(b->device, rows * sizeof *device);
    if (device) b->device = device;
    if (!words || !device) return kl_fail_memory(err, rows * b->words_per_row * sizeof *words);
    *room = rows;
    return KL_OK;
}

/* The rows of a block; those of a further input belong to the devices from `first` on. */
static int append(struct kl_bits *b, size_t *room, const struct kl_bits *block, int first,
                  struct kl_error *err)
{
    int rc = grow(b, room, block->n_rows, err);
    if (rc) return rc;
    memcpy(b->words + b->n_rows * b->words_per_row, block->words,
           block->n_rows * b->words_per_row * sizeof *b->words);
    for (size_t r = 0; r < block->n_rows; r++) b->device[b->n_rows + r] = first + block->device[r];
    b->n_rows += block->n_rows;
    return KL_OK;
}

/* At the end of an input: its devices, and its file, if it is ours. */
static int finish(struct kl_bits *b, struct kl_bits_source *s, struct kl_error *err)
{
    const struct kl_bits *last = &s->block;
    const size_t n = (size_t)(b->n_devices + last->n_devices);
    char(*names)[KL_BITS_NAME] = realloc(b->names, n * sizeof *names);
    if (names) b->names = names;
    struct kl_file **files = realloc(b->files, (b->n_files + 1) * sizeof *files);
    if (files) b->files = files;
    if (!names || !files) return kl_fail_memory(err, n * sizeof *names);
    memcpy(names + b->n_devices, last->names, (size_t)last->n_devices * sizeof *names);
    b->n_devices += last->n_devices;
    b->n_dropped += last->n_dropped;
    if (s->file) files[b->n_files++] = s->file;
    s->file = NULL;
    return KL_OK;
}

static int take_block(struct kl_bits *b, size_t *room, const struct kl_bits *block, const char *path,
                      const char *first_path, struct kl_error *err)
{
    if (!b->n_rows) {
        b->n_bits = block->n_bits;
        b->words_per_row = block->words_per_row;
        b->symbol_bits = block->symbol_bits;
    }
    if (block->n_bits != b->n_bits || block->symbol_bits != b->symbol_bits)
        return kl_fail(err, KL_EDATA,
                       "%s: rows of %zu bits and symbols of %d, in %s they have %zu and %d", path,
                       block->n_bits, block->symbol_bits, first_path, b->n_bits, b->symbol_bits);
    return append(b, room, block, b->n_devices, err);
}

int kl_bits_read_files(struct kl_bits *bits, const char *const *paths, size_t n,
                       const struct kl_bits_how *how, struct kl_error *err)
{
    size_t room = 0;
    int rc = n ? KL_OK : kl_fail(err, KL_EUSAGE, "no input");
    *bits = (struct kl_bits){ 0 };
    for (size_t i = 0; i < n && !rc; i++) {
        struct kl_bits_source *source = NULL;
        const struct kl_bits *block = NULL;
        rc = kl_bits_open(&source, paths[i], how, err);
        while (!rc && !(rc = kl_bits_next(source, &block, err)) && block->n_rows)
            rc = take_block(bits, &room, block, paths[i], paths[0], err);
        if (!rc && n > 1 && block->n_devices > 1)
            rc = kl_fail(err, KL_EDATA, "%s: holds %d devices; of several inputs each is one", paths[i],
                         block->n_devices);
        if (!rc) rc = finish(bits, source, err);
        kl_bits_close(&source);
    }
    if (rc) kl_bits_free(bits);
    return rc;
}

int kl_bits_read(struct kl_bits *bits, const char *path, const struct kl_bits_how *how,
                 struct kl_error *err)
{
    return kl_bits_read_files(bits, &path, 1, how, err);
}

void kl_bits_free(struct kl_bits *bits)
{
    for (size_t i = 0; i < bits->n_files; i++) kl_file_close(&bits->files[i]);
    free(bits->files);
    free(bits->words);
    free(bits->device);
    free(bits->names);
    *bits = (struct kl_bits){ 0 };
}
