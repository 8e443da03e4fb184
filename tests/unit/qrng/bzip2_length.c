/* SPDX-License-Identifier: MIT
   The lengths of texts against those that bzip2's library makes: symbols of one to three digits, likely
   and unlikely ones, ends of blocks at every place of a word, and texts that repeat themselves. */
#include <stdlib.h>

#include "../check.h"
#include "qrng/nist/nist_int.h"

enum { MOST = 600000 };
static uint8_t s[MOST];
static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void check(const char *what, size_t n)
{
    struct kl_error err;
    double ours = -1, theirs = -2;
    void *work = malloc(kl_nist_bzip2_length_work(n));
    CHECK(kl_nist_bzip2_length(&ours, s, n, work, &err) == KL_OK);
    CHECK(kl_nist_bzip2_length_packed(&theirs, s, n, &err) == KL_OK);
    CHECK(ours == theirs, "%s, %zu symbols: %.0f, bzip2 has %.0f", what, n, ours, theirs);
    free(work);
}

/* Symbols below k times `step`, the first one `often` times of 100 besides. */
static void fill(size_t n, uint32_t k, uint32_t step, uint32_t often)
{
    for (size_t i = 0; i < n; i++) s[i] = (uint8_t)(draw(100) < often ? 0 : draw(k) * step);
}

static void check_laws(void)
{
    static const uint32_t laws[][3] = { { 2, 1, 0 },   { 2, 1, 90 },  { 4, 1, 0 },
                                        { 8, 1, 30 },  { 16, 1, 0 },  { 256, 1, 0 },
                                        { 5, 50, 60 }, { 3, 37, 99 }, { 2, 255, 0 } };
    for (size_t l = 0; l < sizeof laws / sizeof *laws; l++)
        for (size_t n = 1; n < 40000; n += 1 + n / 2 + draw(9)) {
            fill(n, laws[l][0], laws[l][1], laws[l][2]);
            check("law", n);
        }
}

/* The first block ends after 499,981 bytes, but no run of equal digits is cut, and a character that
   would be left alone joins it. */
static void check_ends(void)
{
    for (size_t n = 249988; n < 249995; n++) {
        fill(n, 4, 1, 0);
        check("one digit", n);
    }
    for (uint32_t step = 1; step <= 111; step += 55) /* 1, 56, 111 */
        for (int shift = 0; shift < 8; shift++) {
            const size_t n = MOST / 4 + (size_t)shift;
            fill(n, 3, step, 0);
            for (int i = 0; i < shift; i++) s[i] = 111;
            check("end of a block", n);
        }
    for (size_t n = 124988; n < 125003; n++) { /* all of them 222: blocks end among equal digits */
        for (size_t i = 0; i < n; i++) s[i] = draw(2) ? 222 : 122;
        check("runs", n);
    }
}

static void check_repeats(void)
{
    for (size_t i = 0; i < MOST; i++) s[i] = 7;
    check("one symbol", 30000);
    for (size_t i = 0; i < MOST; i++) s[i] = (uint8_t)(i % 3 * 90);
    check("period", 20000);
    s[1000] = 5;
    check("period but for one", 20000);
}

int main(void)
{
    check_laws();
    check_ends();
    check_repeats();
    return failures != 0;
}
