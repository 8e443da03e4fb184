/* SPDX-License-Identifier: MIT
   Runs by words of 64 signs: where a sign is not the one before it, a run starts. */
#include <string.h>

#include "qrng/nist/iid_int.h"

/* Eight bytes at a time, whose lowest bits one product gathers. */
static uint64_t pack(const bool signs[64])
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++) {
        uint64_t eight;
        memcpy(&eight, signs + 8 * k, 8);
        word |= (eight * 0x0102040810204080u >> 56) << 8 * k;
    }
    return word;
}

/* Are as many bits in a row, at least one, 0? */
static bool gap(uint64_t word, size_t bits)
{
    uint64_t zeros = ~word;
    if (bits > 64) return false;
    for (size_t length = 1, more; length < bits; length += more) {
        more = bits - length < length ? bits - length : length;
        zeros &= zeros >> more;
    }
    return zeros != 0;
}

struct runs {
    size_t found, longest, run; /* run: length of the one that may go on */
    uint64_t last;              /* the sign before */
};

/* start: bits at which runs start. */
static void add_word(struct runs *r, uint64_t start)
{
    if (!start) {
        r->run += 64;
        return;
    }
    r->found += (size_t)__builtin_popcountll(start);
    r->run += (size_t)__builtin_ctzll(start);
    if (r->run > r->longest) r->longest = r->run;
    r->run = 1 + (size_t)__builtin_clzll(start);
    if (r->longest && !gap(start, r->longest)) return;
    for (uint64_t left = start, next; (next = left & (left - 1)); left = next) {
        const size_t length = (size_t)(__builtin_ctzll(next) - __builtin_ctzll(left));
        if (length > r->longest) r->longest = length;
    }
}

void kl_iid_runs(double *count, double *longest, const bool *signs, size_t n)
{
    struct runs r = { .last = n && !signs[0] };
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const uint64_t word = pack(signs + i);
        add_word(&r, word ^ (word << 1 | r.last));
        r.last = word >> 63;
    }
    for (; i < n; i++) {
        const bool starts = signs[i] != r.last;
        if (starts && r.run > r.longest) r.longest = r.run;
        r.found += starts;
        r.run = starts ? 1 : r.run + 1;
        r.last = signs[i];
    }
    *count = (double)r.found;
    *longest = (double)(r.run > r.longest ? r.run : r.longest);
}
