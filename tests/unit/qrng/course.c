/* SPDX-License-Identifier: MIT
   What a run says of how far it has come: many steps, what is left never grows, at the end nothing is.
   And permutations in parts are those at once. */
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "base/base.h"
#include "qrng/nist/nist.h"
#include "qrng/pairs/tournament.h"

enum { ROWS = 400, BITS = 100 };

struct told {
    uint64_t done, total, first_total;
    int times;
    bool grew;
};

static int tell(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct told *t = context;
    (void)note;
    if (!t->times++) t->first_total = total;
    else t->grew = t->grew || done < t->done || total > t->total || done > total;
    t->done = done, t->total = total;
    return 0;
}

static void check_told(const char *what, const struct told *t, int times)
{
    CHECK(t->times >= times, "%s: told %d times, expected %d at least", what, t->times, times);
    CHECK(!t->grew, "%s: what is left grew", what);
    CHECK(t->done == t->total, "%s: at the end %llu of %llu", what, (unsigned long long)t->done,
          (unsigned long long)t->total);
}

/* The first device's bits are fair, the second's repeat themselves. */
static void make_bits(struct kl_bits *b)
{
    uint64_t state = 1;
    *b = (struct kl_bits){ .n_rows = 2 * ROWS,
                           .n_bits = BITS,
                           .words_per_row = 2,
                           .words = calloc(2 * ROWS * 2, sizeof *b->words),
                           .device = calloc(2 * ROWS, sizeof *b->device),
                           .n_devices = 2,
                           .names = calloc(2, sizeof *b->names),
                           .symbol_bits = 1 };
    int last = 0;
    for (size_t r = 0; r < b->n_rows; r++) {
        b->device[r] = r >= ROWS;
        for (size_t j = 0; j < BITS; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const int draw = (int)(state >> 60);
            last = r >= ROWS && draw < 8 ? last : draw & 1;
            b->words[2 * r + j / 64] |= (uint64_t)last << j % 64;
        }
    }
    strcpy(b->names[0], "fair"), strcpy(b->names[1], "chain");
}

static void check_nist(const struct kl_bits *bits, struct kl_pool *pool)
{
    struct kl_error err = { 0 };
    struct kl_nist_options o;
    struct kl_nist_report r;
    struct told t = { 0 };
    const struct kl_watch watch = { tell, &t };
    kl_nist_options_default(&o);
    o.permutations = 2000;
    CHECK(kl_nist_report(&r, bits, &o, pool, &watch, &err) == KL_OK, "%s", err.text);
    check_told("nist", &t, 2 + 2000 / 64);
    CHECK(t.total < t.first_total, "nist: of the fair device no permutation was dropped");
    CHECK(r.devices[0].iid.n_failed == 0 && r.devices[1].iid.n_failed > 0, "nist: %d and %d failed",
          r.devices[0].iid.n_failed, r.devices[1].iid.n_failed);
    kl_nist_report_free(&r);
}

static void check_tournament(const struct kl_bits *bits, struct kl_pool *pool)
{
    struct kl_error err = { 0 };
    struct kl_tournament_options o;
    struct kl_tournament tournament;
    struct told t = { 0 };
    const struct kl_watch watch = { tell, &t };
    kl_pairs_tournament_options_default(&o);
    CHECK(kl_pairs_tournament_run(&tournament, bits, &o, pool, &watch, &err) == KL_OK, "%s", err.text);
    check_told("tournament", &t, 5);
    kl_pairs_tournament_free(&tournament);
}

static void check_parts(void)
{
    enum { N = 2000 };
    static uint8_t s[N];
    struct kl_error err = { 0 };
    struct kl_iid whole, parts;
    uint64_t state = 7;
    for (size_t i = 0; i < N; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        s[i] = i && state >> 61 ? s[i - 1] : (uint8_t)(state >> 40 & 3);
    }
    CHECK(kl_nist_iid_begin(&whole, s, N, &err) == KL_OK, "%s", err.text);
    parts = whole;
    CHECK(kl_nist_iid_go_on(&whole, s, N, 2000, 2000, 5, NULL, NULL, &err) == KL_OK, "%s", err.text);
    CHECK(kl_nist_iid_needed(&parts, 2000) == 2000, "before all permutations are needed");
    for (int64_t until = 64; until < 2000; until += 640)
        CHECK(kl_nist_iid_go_on(&parts, s, N, 2000, until, 5, NULL, NULL, &err) == KL_OK, "%s",
              err.text);
    CHECK(kl_nist_iid_go_on(&parts, s, N, 2000, 2000, 5, NULL, NULL, &err) == KL_OK, "%s", err.text);
    CHECK(memcmp(&whole, &parts, sizeof whole) == 0, "permutations in parts are others");
    CHECK(whole.taken == 2000 && whole.n_failed > 0, "%d failed in %lld", whole.n_failed,
          (long long)whole.taken);
}

/* What is expected of independent data against what it takes, over many: the mean of what is left is of
   few that take long, so sums are compared, of permutations and of those with the compression. Of data
   that depend all are expected. */
static void expected(void)
{
    enum { N = 2000, DATA = 40, ALL = 10000 };
    struct kl_error err;
    uint8_t s[N];
    uint64_t state = 11;
    double taken, compression, of = 0, all = 0;
    int near = 0;
    for (int d = 0; d <= DATA; d++) {
        struct kl_iid few, whole;
        for (size_t i = 0; i < N; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            s[i] = d == DATA && i % 2 ? s[i - 1] : (uint8_t)(state >> 40 & 1);
        }
        CHECK(kl_nist_iid_begin(&few, s, N, &err) == KL_OK, "%s", err.text);
        whole = few;
        CHECK(kl_nist_iid_go_on(&few, s, N, ALL, 128, 5, NULL, NULL, &err) == KL_OK, "%s", err.text);
        const bool at_most = kl_nist_iid_expect(&taken, &compression, &few, ALL);
        CHECK(at_most == (d == DATA) && compression <= taken, "%d: %g of %g", d, compression, taken);
        if (d == DATA) break;
        CHECK(kl_nist_iid_go_on(&whole, s, N, ALL, ALL, 5, NULL, NULL, &err) == KL_OK, "%s", err.text);
        const double own = (double)whole.taken;
        near += taken < 2 * own && own < 2 * taken;
        of += taken, all += own;
    }
    CHECK(taken == ALL, "of data that depend %g are expected", taken);
    CHECK(near >= DATA * 3 / 4, "within a factor of 2 of %d of %d", near, DATA);
    CHECK(of > all / 1.5 && of < all * 1.5, "%g expected, %g taken", of, all);
}

int main(void)
{
    expected();
    struct kl_error err;
    struct kl_bits bits;
    struct kl_pool *pool = NULL;
    make_bits(&bits);
    if (kl_pool_create(&pool, 2, &err)) return 1;
    check_parts();
    check_nist(&bits, pool);
    check_tournament(&bits, pool);
    kl_pool_destroy(&pool);
    kl_bits_free(&bits);
    return failures != 0;
}
