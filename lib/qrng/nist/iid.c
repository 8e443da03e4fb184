/* SPDX-License-Identifier: MIT
   SP 800-90B, section 5.1: the permutation test. Where each statistic lies among those of permuted
   symbols. */
#include "qrng/nist/nist_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bits.h"
#include "kernels/inline/philox.h"

/* ---- one permutation ---- */

/* Places are drawn some at a time, by vectors: only the swaps themselves are one after another. */
enum { ABREAST = 1024 };

void kl_nist_iid_permute(uint8_t *s, size_t n, int64_t seed, uint32_t permutation)
{
    uint64_t words[ABREAST];
    uint32_t places[ABREAST];
    for (size_t first = 0; first + 1 < n; first += ABREAST) {
        const size_t left = n - 1 - first, draws = left < ABREAST ? left : ABREAST;
        kl_kernel_bit_noise()(words, draws, (uint64_t)seed, (uint32_t)(first / 2), KL_RANDOM_ORDER,
                              permutation, 0);
        for (size_t k = 0; k < draws; k++) {
            const uint64_t word = words[k] << 32 | words[k] >> 32; /* the first number on top */
            places[k] = (uint32_t)((unsigned __int128)word * (n - first - k) >> 64);
        }
        for (size_t k = 0; k < draws; k++) {
            uint8_t *own = &s[n - 1 - first - k], *other = &s[places[k]];
            const uint8_t kept = *own;
            *own = *other;
            *other = kept;
        }
    }
}

/* ---- rounds of permutations ---- */
/* Permutations are taken in rounds, so that what is still wanted does not depend on the threads. */

enum { ROUND = 64 };

struct rounds {
    const uint8_t *s;
    size_t n, room; /* bytes of a thread's work */
    int64_t first, seed;
    unsigned char *work; /* [threads, room]: the permuted symbols, then what statistics need */
    bool wanted[KL_IID_STATISTICS];
    double t[ROUND][KL_IID_STATISTICS];
    int codes[ROUND];
    struct kl_error errors[ROUND];
};

static void run_one(void *context, size_t i, int thread)
{
    struct rounds *r = context;
    uint8_t *s = r->work + (size_t)thread * r->room;
    memcpy(s, r->s, r->n);
    kl_nist_iid_permute(s, r->n, r->seed, (uint32_t)(r->first + (int64_t)i));
    r->codes[i] = kl_nist_iid_statistics(r->t[i], r->wanted, s, r->n, s + r->n, &r->errors[i]);
}

/* Adds a round; a statistic with more than `edge` on both sides can no longer fail. Returns how many
   are left. */
static int count_round(struct kl_iid *result, struct rounds *r, size_t n, int64_t edge)
{
    int left = 0;
    for (int i = 0; i < KL_IID_STATISTICS; i++) {
        if (!r->wanted[i]) continue;
        for (size_t k = 0; k < n; k++) {
            const double t = r->t[k][i], own = result->statistic[i];
            result->above[i] += t > own;
            result->equal[i] += t == own;
            result->below[i] += t < own;
        }
        result->passed[i] =
            result->above[i] + result->equal[i] > edge && result->below[i] + result->equal[i] > edge;
        r->wanted[i] = !result->passed[i];
        left += r->wanted[i];
    }
    return left;
}

/* More than so many on both sides, and it passes. */
static int64_t edge_of(int64_t permutations)
{
    return permutations * 5 / 10000;
}

/* How many permutations were at least as large, or as small, whichever is fewer. */
static int64_t seen_of(const struct kl_iid *d, int i)
{
    const int64_t high = d->above[i] + d->equal[i], low = d->below[i] + d->equal[i];
    return high < low ? high : low;
}

int64_t kl_nist_iid_needed(const struct kl_iid *result, int64_t permutations)
{
    int64_t needed = result->taken;
    for (int i = 0; i < KL_IID_STATISTICS; i++) {
        const int64_t seen = seen_of(result, i);
        if (result->passed[i]) continue;
        if (!seen) return permutations;
        const int64_t own = (edge_of(permutations) + 1) * result->taken / seen;
        if (own > needed) needed = own;
    }
    return needed < permutations ? needed : permutations;
}

bool kl_nist_iid_expect(double *taken, double *of_compression, const struct kl_iid *result,
                        int64_t permutations)
{
    enum { NEVER = 3 }; /* of independent data two seldom are, but for related ones */
    const double all = (double)permutations,
                 enough = (double)(edge_of(permutations) + 1) * (double)(result->taken + 1);
    int never = 0;
    for (int i = 0; i < KL_IID_STATISTICS; i++)
        never += result->taken >= ROUND && !result->passed[i] && !seen_of(result, i);
    *taken = 0;
    for (int i = 0; i < KL_IID_STATISTICS; i++) {
        const int64_t seen = seen_of(result, i);
        /* The mean of edge / share, the share no less than 1 / permutations. */
        const double own = result->passed[i]
                               ? (double)(result->above[i] + result->equal[i] + result->below[i])
                           : seen           ? enough / (double)seen
                           : never >= NEVER ? all
                                            : enough * fmax(1, log(all / enough));
        *of_compression = fmin(all, ROUND * ceil(own / ROUND)); /* the last one's stays */
        *taken = fmax(*taken, *of_compression);
    }
    return never >= NEVER;
}

static int run_rounds(struct kl_iid *result, struct rounds *r, int64_t permutations, int64_t until,
                      struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    int left = 0, code = KL_OK;
    for (int i = 0; i < KL_IID_STATISTICS; i++) left += r->wanted[i];
    while (!code && left && result->taken < until) {
        const int64_t rest = until - result->taken;
        const size_t n = rest < ROUND ? (size_t)rest : ROUND;
        r->first = result->taken;
        kl_pool_for(pool, n, run_one, r);
        for (size_t k = 0; !code && k < n; k++)
            if ((code = r->codes[k]) && err) *err = r->errors[k];
        if (code) return code;
        left = count_round(result, r, n, edge_of(permutations));
        result->taken += (int64_t)n;
        if (kl_watch_step(watch, (uint64_t)result->taken,
                          (uint64_t)kl_nist_iid_needed(result, permutations), NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    result->judged = permutations >= KL_IID_PERMUTATIONS;
    result->n_failed = result->judged ? left : 0;
    return code;
}

int kl_nist_iid_begin(struct kl_iid *result, const uint8_t *s, size_t n, struct kl_error *err)
{
    unsigned char *work = malloc(kl_nist_iid_work(n));
    *result = (struct kl_iid){ 0 };
    if (!work) return kl_fail_memory(err, kl_nist_iid_work(n));
    const int code = kl_nist_iid_statistics(result->statistic, NULL, s, n, work, err);
    free(work);
    return code;
}

int kl_nist_iid_go_on(struct kl_iid *result, const uint8_t *s, size_t n, int64_t permutations,
                      int64_t until, int64_t seed, struct kl_pool *pool, const struct kl_watch *watch,
                      struct kl_error *err)
{
    const size_t threads = pool ? (size_t)kl_pool_size(pool) : 1, room = n + kl_nist_iid_work(n);
    struct rounds *r = calloc(1, sizeof *r);
    unsigned char *work = malloc(threads * room);
    int code = r && work ? KL_OK : kl_fail_memory(err, threads * room);
    if (!code) {
        r->s = s, r->n = n, r->room = room, r->seed = seed, r->work = work;
        for (int i = 0; i < KL_IID_STATISTICS; i++) r->wanted[i] = !result->passed[i];
        code = run_rounds(result, r, permutations, until, pool, watch, err);
    }
    free(work);
    free(r);
    return code;
}
