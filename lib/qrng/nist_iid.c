/* SPDX-License-Identifier: MIT
   The permutation test: where each statistic lies among those of permuted symbols. Permutations are
   taken in rounds, so that what is still wanted does not depend on the threads. */
#include <stdlib.h>
#include <string.h>

#include "qrng/nist_iid_int.h"

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
    kl_iid_permute(s, r->n, r->seed, (uint32_t)(r->first + (int64_t)i));
    r->codes[i] = kl_iid_statistics(r->t[i], r->wanted, s, r->n, s + r->n, &r->errors[i]);
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

static int run_rounds(struct kl_iid *result, struct rounds *r, int64_t permutations,
                      struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const int64_t edge = permutations * 5 / 10000;
    int left = KL_IID_STATISTICS, code = KL_OK;
    for (r->first = 0; !code && left && r->first < permutations; r->first += ROUND) {
        const size_t n = permutations - r->first < ROUND ? (size_t)(permutations - r->first) : ROUND;
        kl_pool_for(pool, n, run_one, r);
        for (size_t k = 0; !code && k < n; k++)
            if ((code = r->codes[k]) && err) *err = r->errors[k];
        if (!code) left = count_round(result, r, n, edge);
        if (!code &&
            kl_watch_step(watch, (uint64_t)(r->first + (int64_t)n), (uint64_t)permutations, NULL))
            code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    result->judged = permutations >= KL_IID_PERMUTATIONS;
    result->n_failed = result->judged ? left : 0;
    return code;
}

int kl_iid(struct kl_iid *result, const uint8_t *s, size_t n, int64_t permutations, int64_t seed,
           struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err)
{
    const size_t threads = pool ? (size_t)kl_pool_size(pool) : 1, room = n + kl_iid_work(n);
    struct rounds *r = calloc(1, sizeof *r);
    unsigned char *work = malloc(threads * room);
    int code = r && work ? KL_OK : kl_fail_memory(err, threads * room);
    *result = (struct kl_iid){ 0 };
    if (!code) {
        r->s = s, r->n = n, r->room = room, r->seed = seed, r->work = work;
        memset(r->wanted, true, sizeof r->wanted);
        code = kl_iid_statistics(result->statistic, NULL, s, n, work, err);
    }
    if (!code) code = run_rounds(result, r, permutations, pool, watch, err);
    free(work);
    free(r);
    return code;
}
