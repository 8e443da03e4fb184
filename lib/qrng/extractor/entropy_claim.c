/* SPDX-License-Identifier: MIT
   Words of all widths are counted at once: the widest ones, which are made of the others, and of a row's
   rest what fits. */
#include "qrng/extractor/entropy_claim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distributions.h"
#include "qrng/nist/nist90b.h"

static unsigned word_at(const uint64_t *row, size_t at, int width)
{
    const size_t shift = at % 64;
    uint64_t bits = row[at / 64] >> shift;
    if (shift + (size_t)width > 64) bits |= row[at / 64 + 1] << (64 - shift);
    return (unsigned)bits & ((1U << width) - 1);
}

static int widest(int symbol_bits)
{
    int level = 0;
    while (symbol_bits << (level + 1) <= KL_BITS_SYMBOL) level++;
    return level;
}

static void count_row(kl_word_counts counts, const uint64_t *row, size_t n_bits, int symbol_bits)
{
    size_t at = 0;
    for (int level = widest(symbol_bits); level >= 0; level--) {
        const int width = symbol_bits << level;
        for (; at + (size_t)width <= n_bits; at += (size_t)width)
            counts[level][word_at(row, at, width)]++;
    }
}

static int make_room(struct kl_entropy_claim *c, size_t devices, struct kl_error *err)
{
    if (devices <= c->n_devices) return KL_OK;
    kl_word_counts *more = realloc(c->counts, devices * sizeof *more);
    if (!more) return kl_fail_memory(err, devices * sizeof *more);
    memset(more + c->n_devices, 0, (devices - c->n_devices) * sizeof *more);
    c->counts = more, c->n_devices = devices;
    return KL_OK;
}

int kl_entropy_claim_take(struct kl_entropy_claim *c, const struct kl_bits *block, struct kl_error *err)
{
    int code = KL_OK;
    c->symbol_bits = block->symbol_bits;
    for (size_t r = 0; r < block->n_rows && !code; r++) {
        code = make_room(c, (size_t)block->device[r] + 1, err);
        if (!code)
            count_row(c->counts[block->device[r]], kl_bits_row(block, r), block->n_bits, c->symbol_bits);
    }
    return code;
}

/* Each word is two of half its width as well. */
static void halve(kl_word_counts counts, int symbol_bits)
{
    for (int level = widest(symbol_bits); level > 0; level--) {
        const int half = symbol_bits << (level - 1);
        for (unsigned v = 0; v >> (2 * half) == 0; v++) {
            counts[level - 1][v & ((1U << half) - 1)] += counts[level][v];
            counts[level - 1][v >> half] += counts[level][v];
        }
    }
}

/* ln of the probability that a word of probability 2^-(entropy width) comes `count` times or more. */
static double log_tail(double entropy, const struct kl_entropy_verdict *of)
{
    const double bits = entropy * of->width, p = exp2(-bits), other = -expm1(-bits * M_LN2);
    if ((double)of->count <= p * (double)of->words) return 0;
    return kl_stats_log_beta_lower((double)of->count, (double)(of->words - of->count) + 1, p, other);
}

/* The commonest word of a width. */
static struct kl_entropy_verdict commonest(const uint64_t counts[KL_CLAIM_VALUES], int width)
{
    struct kl_entropy_verdict of = { .width = width, .most = width };
    for (unsigned v = 0; v >> width == 0; v++) {
        of.words += counts[v];
        if (counts[v] > of.count) of.count = counts[v], of.word = v;
    }
    if (of.words > 1) of.most = kl_nist90b_most_common(of.count, of.words);
    of.most /= width;
    return of;
}

/* A refuted one before any other. */
static bool is_worse(const struct kl_entropy_verdict *a, const struct kl_entropy_verdict *b)
{
    return a->refuted != b->refuted ? a->refuted : a->most < b->most;
}

struct kl_entropy_verdict kl_entropy_claim_judge(struct kl_entropy_claim *c)
{
    struct kl_entropy_verdict worst = { .most = INFINITY };
    const int levels = c->n_devices ? widest(c->symbol_bits) + 1 : 0;
    double compared = 0, most = INFINITY;
    for (int level = 0; level < levels; level++)
        compared += exp2(c->symbol_bits << level) * (double)c->n_devices;
    for (size_t d = 0; d < c->n_devices; d++) {
        halve(c->counts[d], c->symbol_bits);
        for (int level = 0; level < levels; level++) {
            struct kl_entropy_verdict of = commonest(c->counts[d][level], c->symbol_bits << level);
            of.refuted = log(compared) + log_tail(c->entropy, &of) < log(1e-9);
            of.device = (int)d;
            if (level > 0 && !of.refuted) continue;
            most = fmin(most, of.most);
            if (is_worse(&of, &worst)) worst = of;
        }
    }
    worst.most = most;
    return worst;
}

void kl_entropy_claim_free(struct kl_entropy_claim *c)
{
    free(c->counts);
    *c = (struct kl_entropy_claim){ 0 };
}
