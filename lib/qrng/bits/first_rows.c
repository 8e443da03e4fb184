/* SPDX-License-Identifier: MIT */
#include "qrng/bits/first_rows.h"

#include <stdlib.h>
#include <string.h>

enum { OF_DEVICE = 1 << 14, OF_ALL = 1 << 22 }; /* words */

static int see_device(struct kl_first_rows *f, int32_t device, struct kl_error *err)
{
    const size_t n = (size_t)device + 1, known = (size_t)f->bits.n_devices;
    if (n <= known) return KL_OK;
    size_t *more = realloc(f->words, n * sizeof *more);
    if (!more) return kl_fail_memory(err, n * sizeof *more);
    memset(more + known, 0, (n - known) * sizeof *more);
    f->words = more, f->bits.n_devices = (int)n;
    return KL_OK;
}

static int make_room(struct kl_first_rows *f, struct kl_error *err)
{
    struct kl_bits *b = &f->bits;
    if (b->n_rows < f->room) return KL_OK;
    const size_t rows = 2 * f->room + 1;
    uint64_t *words = realloc(b->words, rows * b->words_per_row * sizeof *words);
    if (words) b->words = words;
    int32_t *device = realloc(b->device, rows * sizeof *device);
    if (device) b->device = device;
    if (!words || !device) return kl_fail_memory(err, rows * b->words_per_row * sizeof *words);
    f->room = rows;
    return KL_OK;
}

static int take_row(struct kl_first_rows *f, const uint64_t *row, int32_t device, struct kl_error *err)
{
    struct kl_bits *b = &f->bits;
    int code = see_device(f, device, err);
    if (code) return code;
    size_t *taken = &f->words[device];
    if ((*taken && *taken + b->words_per_row > OF_DEVICE) ||
        (b->n_rows + 1) * b->words_per_row > OF_ALL) {
        f->all = false;
        return KL_OK;
    }
    code = make_room(f, err);
    if (code) return code;
    memcpy(b->words + b->n_rows * b->words_per_row, row, b->words_per_row * sizeof *row);
    b->device[b->n_rows++] = device;
    *taken += b->words_per_row;
    return KL_OK;
}

int kl_first_rows_take(struct kl_first_rows *f, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    if (!f->bits.n_bits) f->all = true;
    f->bits.n_bits = block->n_bits, f->bits.words_per_row = block->words_per_row;
    for (size_t r = 0; r < block->n_rows && !code; r++)
        code = take_row(f, kl_bits_row(block, r), block->device[r], err);
    return code;
}

void kl_first_rows_free(struct kl_first_rows *f)
{
    kl_bits_free(&f->bits);
    free(f->words);
    *f = (struct kl_first_rows){ 0 };
}
