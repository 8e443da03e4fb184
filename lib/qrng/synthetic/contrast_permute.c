/* SPDX-License-Identifier: MIT
   Are devices of different classes further apart than those of one class? By the sum of the ranks of the
   pairs between classes, for the devices' classes in other orders: in every one there is if there are
   few, else in random ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/synthetic/synthetic.h"

struct job {
    const struct kl_synthetic *s;
    const double *ranks; /* [d, d]: of the pairs' divergences */
    double *sums;        /* [permutations]: of the ranks of pairs between classes */
};

/* With as many pairs between classes in every order, it stands for Mann and Whitney's u. */
static double sum_between(const double *ranks, const int *classes, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        for (size_t k = i + 1; k < d; k++)
            if (classes[i] != classes[k]) sum += ranks[i * d + k];
    return sum;
}

static void permute_once(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    const struct job *job = context;
    const size_t d = job->s->n_devices;
    int classes[KL_BITS_DEVICES];
    uint32_t words[4] = { 0 };
    (void)thread;
    for (size_t k = 0; k < d; k++) classes[k] = job->s->devices[k].class;
    for (size_t k = d - 1; k > 0; k--) {
        const size_t drawn = d - 1 - k;
        if (drawn % 4 == 0)
            kl_philox(words, (uint64_t)job->s->plan.options->seed, (uint32_t)(drawn / 4),
                      KL_RANDOM_CLASSES, (uint32_t)i, 0);
        const size_t j = (uint64_t)words[drawn % 4] * (k + 1) >> 32;
        const int class = classes[k];
        classes[k] = classes[j], classes[j] = class;
    }
    job->sums[i] = sum_between(job->ranks, classes, d);
}

/* In how many orders d devices can have their classes; most + 1 if in more than `most`. */
static size_t count_orders(const struct kl_synthetic *s, size_t most)
{
    double orders = 1;
    size_t seen[KL_SYNTHETIC_CLASSES] = { 0 };
    for (size_t i = 0; i < s->n_devices && orders <= (double)most; i++)
        orders *= (double)(i + 1) / (double)++seen[s->devices[i].class];
    return orders <= (double)most ? (size_t)llround(orders) : most + 1;
}

/* The next order of the classes; false after the last one, which falls. */
static bool next_order(int *classes, size_t d)
{
    size_t i = d - 1, k = d - 1;
    while (i > 0 && classes[i - 1] >= classes[i]) i--;
    if (i == 0) return false;
    while (classes[k] <= classes[i - 1]) k--;
    const int class = classes[k];
    classes[k] = classes[i - 1], classes[i - 1] = class;
    for (size_t low = i, high = d - 1; low < high; low++, high--) {
        const int swapped = classes[low];
        classes[low] = classes[high], classes[high] = swapped;
    }
    return true;
}

static double exact(const double *ranks, const struct kl_synthetic *s, double observed)
{
    int classes[KL_BITS_DEVICES];
    size_t n = 0, as_high = 0;
    for (size_t i = 0; i < s->n_devices; i++) classes[i] = s->devices[i].class; /* they rise */
    do n++, as_high += sum_between(ranks, classes, s->n_devices) >= observed;
    while (next_order(classes, s->n_devices));
    return (double)as_high / (double)n;
}

static int drawn(double *p, const double *ranks, const struct kl_synthetic *s, double observed, size_t n,
                 struct kl_pool *pool, struct kl_error *err)
{
    struct job job = { s, ranks, malloc(n * sizeof *job.sums) };
    size_t as_high = 0;
    if (!job.sums) return kl_fail_memory(err, n * sizeof *job.sums);
    kl_pool_for(pool, n, permute_once, &job);
    for (size_t i = 0; i < n; i++) as_high += job.sums[i] >= observed;
    *p = (1 + (double)as_high) / (1 + (double)n);
    free(job.sums);
    return KL_OK;
}

static int test(struct kl_contrast *c, const struct kl_synthetic *s, const double *square,
                struct kl_pool *pool, struct kl_error *err)
{
    const size_t n = (size_t)s->plan.options->permutations, orders = count_orders(s, n);
    int classes[KL_BITS_DEVICES];
    for (size_t i = 0; i < s->n_devices; i++) classes[i] = s->devices[i].class;
    const double observed = sum_between(square, classes, s->n_devices);
    c->orders = orders <= n ? orders : 0;
    if (!c->orders) return drawn(&c->p, square, s, observed, n, pool, err);
    c->p = exact(square, s, observed);
    return KL_OK;
}

int kl_contrast_permute(struct kl_contrast *c, const struct kl_synthetic *s, struct kl_pool *pool,
                        struct kl_error *err)
{
    const size_t d = s->n_devices, pairs = d * (d - 1) / 2;
    c->p = NAN, c->orders = 0;
    if (!s->plan.options->permutations || isnan(c->within) || isnan(c->between)) return KL_OK;
    double *values = calloc(2 * pairs + d * d, sizeof *values);
    double *ranks = values + pairs, *square = ranks + pairs;
    if (!values) return kl_fail_memory(err, (2 * pairs + d * d) * sizeof *values);
    for (size_t i = 0, at = 0; i < d; i++)
        for (size_t k = i + 1; k < d; k++) values[at++] = c->divergence[i * d + k];
    int code = kl_stats_ranks(ranks, NULL, values, pairs, err);
    for (size_t i = 0, at = 0; i < d && !code; i++)
        for (size_t k = i + 1; k < d; k++) square[i * d + k] = ranks[at++];
    if (!code) code = test(c, s, square, pool, err);
    free(values);
    return code;
}
