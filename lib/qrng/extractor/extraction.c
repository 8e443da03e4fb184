/* SPDX-License-Identifier: MIT
   Blocks for the hash, pairs of symbols for von Neumann's rule. */
#include "qrng/extractor/extraction.h"

#include <stdlib.h>
#include <string.h>

#include "qrng/bits/words.h"
#include "store/store.h"

/* ---- Toeplitz ---- */

static void append(struct kl_extraction *e, const uint64_t *row, size_t n)
{
    for (size_t i = 0; 64 * i < n; i++) {
        const size_t at = (e->n_waiting + 64 * i) / 64, shift = (e->n_waiting + 64 * i) % 64;
        if (shift == 0) e->waiting[at] = row[i];
        else {
            e->waiting[at] = (e->waiting[at] & (((uint64_t)1 << shift) - 1)) | row[i] << shift;
            e->waiting[at + 1] = row[i] >> (64 - shift);
        }
    }
    e->n_waiting += n;
}

/* All whole blocks that wait. */
static int hash_blocks(struct kl_extraction *e, struct kl_error *err)
{
    const size_t words = e->n_in / 64, blocks = e->n_waiting / e->n_in;
    int code = KL_OK;
    for (size_t b = 0; !code && b < blocks; b++) {
        kl_toeplitz_apply(e->hash, e->out, (const uint8_t *)(e->waiting + b * words));
        for (size_t i = 0; i < e->n_out / 8; i++) e->out[i] = (uint8_t)kl_bits_reverse(e->out[i]);
        code = kl_store_raw_write(e->raw, e->out, e->n_out / 8, err);
        e->written += e->n_out;
    }
    e->n_waiting -= blocks * e->n_in;
    memmove(e->waiting, e->waiting + blocks * words, (e->n_waiting + 63) / 64 * sizeof *e->waiting);
    return code;
}

/* ---- von Neumann: symbols are paired within rows, so never those of two devices ---- */

static int keep_bits(struct kl_extraction *e, size_t n, struct kl_error *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        e->byte = (unsigned char)(e->byte << 1 | e->out[i]);
        if (++e->filled < 8) continue;
        e->out[bytes++] = e->byte; /* overtakes nothing: eight bits were read for it */
        e->filled = 0;
    }
    e->written += 8 * bytes;
    return bytes ? kl_store_raw_write(e->raw, e->out, bytes, err) : KL_OK;
}

/* Whole bytes of a block of rows at once. */
static int pair_rows(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err)
{
    const size_t n = block->n_bits / (size_t)block->symbol_bits;
    int code = KL_OK;
    e->counts.symbol_bits = block->symbol_bits;
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        const uint64_t *row = kl_bits_row(block, r);
        for (size_t k = 0; k < n; k++)
            e->symbols[k] = (uint8_t)kl_bits_symbol(row, k, block->symbol_bits);
        code = kl_dependence_count(&e->counts, block->device[r], e->symbols, n, err);
        if (!code) code = keep_bits(e, kl_von_neumann(e->out, e->symbols, n), err);
    }
    return code;
}

/* ---- both ---- */

int kl_extraction_begin(struct kl_extraction *e, size_t n_bits, struct kl_error *err)
{
    const size_t words = (n_bits + e->n_in) / 64 + 2; /* what waits is less than a block before a row */
    e->out = malloc(n_bits + e->n_out + 1);
    e->symbols = malloc(n_bits + 1);
    e->waiting = malloc(words * sizeof *e->waiting);
    return e->out && e->symbols && e->waiting ? KL_OK : kl_fail_memory(err, words * sizeof *e->waiting);
}

int kl_extraction_take(struct kl_extraction *e, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    e->read += (uint64_t)block->n_rows * block->n_bits;
    if (!e->hash) return pair_rows(e, block, err);
    for (size_t r = 0; !code && r < block->n_rows; r++) {
        append(e, kl_bits_row(block, r), block->n_bits);
        if (e->n_waiting >= e->n_in) code = hash_blocks(e, err);
    }
    return code;
}

void kl_extraction_end(struct kl_extraction *e)
{
    free(e->out), free(e->symbols), free(e->waiting);
    e->out = e->symbols = NULL;
    e->waiting = NULL;
    kl_dependence_counts_free(&e->counts);
}
