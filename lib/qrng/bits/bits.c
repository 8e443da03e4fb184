/* SPDX-License-Identifier: MIT
   Whole inputs of bits in memory. */
#include "qrng/bits/bits_int.h"

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

static int append(struct kl_bits *b, size_t *room, const struct kl_bits *block, struct kl_error *err)
{
    int rc = grow(b, room, block->n_rows, err);
    if (rc) return rc;
    memcpy(b->words + b->n_rows * b->words_per_row, block->words,
           block->n_rows * b->words_per_row * sizeof *b->words);
    memcpy(b->device + b->n_rows, block->device, block->n_rows * sizeof *b->device);
    b->n_rows += block->n_rows;
    return KL_OK;
}

/* Names and our own files go over to the bits. */
static int finish(struct kl_bits *b, struct kl_bits_inputs *in, struct kl_error *err)
{
    b->files = calloc(in->n, sizeof *b->files);
    if (!b->files) return kl_fail_memory(err, in->n * sizeof *b->files);
    for (size_t i = 0; i < in->n; i++)
        if (in->sources[i]->file) {
            b->files[b->n_files++] = in->sources[i]->file;
            in->sources[i]->file = NULL;
        }
    b->n_devices = in->n_devices;
    b->n_dropped = in->n_dropped;
    b->used_bits = in->used_bits;
    b->names = in->names;
    in->names = NULL;
    return KL_OK;
}

int kl_bits_read_files(struct kl_bits *bits, const char *const *paths, size_t n,
                       const struct kl_bits_how *how, struct kl_error *err)
{
    struct kl_bits_inputs in;
    const struct kl_bits *block;
    size_t room = 0;
    *bits = (struct kl_bits){ 0 };
    int rc = kl_bits_inputs_open(&in, paths, n, how, err);
    bits->n_bits = in.n_bits;
    bits->words_per_row = (in.n_bits + 63) / 64;
    bits->symbol_bits = in.symbol_bits;
    while (!rc && !(rc = kl_bits_inputs_next(&in, &block, err)) && block->n_rows)
        rc = append(bits, &room, block, err);
    if (!rc) rc = finish(bits, &in, err);
    kl_bits_inputs_close(&in);
    if (rc) kl_bits_free(bits);
    return rc;
}

int kl_bits_read(struct kl_bits *bits, const char *path, const struct kl_bits_how *how,
                 struct kl_error *err)
{
    return kl_bits_read_files(bits, &path, 1, how, err);
}

void kl_bits_note_dropped(const struct kl_log *log, size_t n_dropped, size_t n_bits)
{
    if (n_dropped)
        kl_caution(log, "%zu bit%s at the ends of inputs make no row of %zu: left out", n_dropped,
                   kl_s(n_dropped), n_bits);
}

void kl_bits_note_narrow(const struct kl_log *log, int used_bits, int symbol_bits)
{
    if (used_bits && used_bits < symbol_bits)
        kl_caution(log, "--symbol-bits %d, but a device has no symbol of %d or more: %d bit%s a byte?",
                   symbol_bits, 1 << used_bits, used_bits, kl_s((unsigned)used_bits));
}

void kl_bits_count_rows(size_t *rows, const struct kl_bits *bits)
{
    memset(rows, 0, (size_t)bits->n_devices * sizeof *rows);
    for (size_t r = 0; r < bits->n_rows; r++) rows[bits->device[r]]++;
}

void kl_bits_note_rows(const struct kl_log *log, size_t n_rows, size_t n_bits, int n_devices)
{
    if (n_bits == 1)
        kl_caution(log,
                   "rows of 1 bit; if lines are no rows, make rows of 100: tr -d '\\n' | fold -w 100");
    else if (n_bits >= 200 && n_rows == (size_t)n_devices)
        kl_caution(log, "one row of %zu bits a device; rows of 100, which can be compared: fold -w 100",
                   n_bits);
}

void kl_bits_free(struct kl_bits *bits)
{
    for (size_t i = 0; i < bits->n_files; i++) kl_store_file_close(&bits->files[i]);
    free(bits->files);
    free(bits->words);
    free(bits->device);
    free(bits->names);
    *bits = (struct kl_bits){ 0 };
}
