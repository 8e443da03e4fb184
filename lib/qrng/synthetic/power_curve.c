/* SPDX-License-Identifier: MIT
   Power curves: how many rows it takes to tell two devices apart. Pairs of fresh devices with a
   known difference. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "qrng/pairs/tournament.h"
#include "qrng/synthetic/synthetic.h"

static const double effects[KL_POWER_EFFECTS] = { 0, 0.0025, 0.005, 0.01, 0.02, 0.04 };
static const int64_t rows_of[KL_POWER_ROWS] = { 50, 100, 250, 500, 1000, 2000 };

struct cell {
    bool rejected;
    double accuracy;
};
struct job {
    const struct kl_synthetic *s;
    size_t trials, n_rows, most; /* numbers of rows, the largest of them */
    struct cell *cells;          /* [effects, trials, n_rows] */
    int code;                    /* of a trial that had no memory */
};

/* The first class's middle, and the same moved by `effect` in total variation, to where there is room.
 */
static void make_pair(struct kl_synthetic_device d[2], const struct kl_synthetic_plan *plan,
                      double effect)
{
    const struct kl_synthetic_class *c = &plan->classes[0];
    const double bias = 0.5 * (c->bias[0] + c->bias[1]);
    int from = 0;
    for (int s = 1; s < KL_LAW && c->law[0] < effect; s++)
        if (c->law[s] > c->law[from]) from = s;
    for (int i = 0; i < 2; i++) {
        d[i] = (struct kl_synthetic_device){ .bias = bias + (bias + effect <= 1 ? i : -i) * effect,
                                             .copy = 0.5 * (c->copy[0] + c->copy[1]) };
        memcpy(d[i].law, c->law, sizeof d[i].law);
        d[i].law[from] -= i * effect;
        d[i].law[from == KL_LAW - 1 ? 0 : KL_LAW - 1] += i * effect;
    }
}

static int judge(struct cell *cell, const struct kl_bits *bits, const struct kl_row_features *f,
                 const size_t *rows, size_t most, size_t n)
{
    struct kl_planes p = { 0 };
    struct kl_labelling l = { 0 };
    int64_t counts[2][1 << 2] = { { 0 } };
    int code = kl_pairs_planes_make(&p, bits, f, rows, n, rows + most, n, NULL);
    if (!code) code = kl_pairs_labelling_make(&l, &p, NULL);
    if (!code) {
        for (size_t i = 0; i < 2 * most; i++)
            for (size_t s = 0; s < f->n_symbols && i % most < n; s++)
                counts[i >= most][s] += f->values[i * f->n + s];
        cell->rejected = kl_bits_symbol_test(counts[0], counts[1], f->n_symbols).log10_p < log10(0.05);
        memcpy(l.mask, p.first, p.words * sizeof *p.first);
        kl_pairs_labelling_count(&l, &p);
        cell->accuracy = kl_pairs_crossfit_accuracy(&l, &p);
    }
    kl_pairs_labelling_free(&l);
    kl_pairs_planes_free(&p);
    return code;
}

static int try_pair(struct job *job, size_t effect, size_t trial)
{
    const struct kl_synthetic_plan *plan = &job->s->plan;
    struct kl_synthetic_device d[2];
    struct kl_row_features f = { 0 };
    struct kl_bits bits = { .n_rows = 2 * job->most,
                            .n_bits = job->s->bits.n_bits,
                            .words_per_row = job->s->bits.words_per_row,
                            .symbol_bits = job->s->bits.symbol_bits };
    size_t *rows = malloc(bits.n_rows * sizeof *rows);
    bits.words = malloc(bits.n_rows * bits.words_per_row * sizeof *bits.words);
    int code = rows && bits.words ? KL_OK : KL_ENOMEM;
    make_pair(d, plan, effects[effect]);
    for (size_t i = 0; i < 2 && !code; i++)
        kl_synthetic_rows(bits.words + i * job->most * bits.words_per_row, &d[i], plan->pairs, job->most,
                          bits.n_bits, (uint64_t)plan->options->seed, KL_RANDOM_POWER,
                          (uint32_t)((effect * job->trials + trial) * 2 + i));
    if (!code) code = kl_pairs_row_features(&f, &bits, NULL);
    for (size_t r = 0; r < bits.n_rows && !code; r++) rows[r] = r;
    for (size_t k = 0; k < job->n_rows && !code; k++)
        code = judge(&job->cells[(effect * job->trials + trial) * job->n_rows + k], &bits, &f, rows,
                     job->most, (size_t)rows_of[k]);
    kl_pairs_row_features_free(&f);
    free(bits.words), free(rows);
    return code;
}

static void try_one(void *context, size_t i, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    struct job *job = context;
    (void)thread;
    const int code = try_pair(job, i / job->trials, i % job->trials);
    if (code) __atomic_store_n(&job->code, code, __ATOMIC_RELAXED);
}

int kl_synthetic_power(struct kl_synthetic *s, struct kl_pool *pool, struct kl_error *err)
{
    struct job job = { .s = s, .trials = (size_t)s->plan.options->trials };
    memcpy(s->effect, effects, sizeof effects);
    for (int k = 0; k < KL_POWER_ROWS && rows_of[k] <= s->plan.options->rows; k++)
        s->rows[job.n_rows++] = rows_of[k], job.most = (size_t)rows_of[k];
    if (!job.trials || !job.n_rows) return KL_OK;
    job.cells = calloc(KL_POWER_EFFECTS * job.trials * job.n_rows, sizeof *job.cells);
    if (!job.cells)
        return kl_fail_memory(err, KL_POWER_EFFECTS * job.trials * job.n_rows * sizeof *job.cells);
    kl_pool_for(pool, KL_POWER_EFFECTS * job.trials, try_one, &job);
    for (size_t e = 0; e < KL_POWER_EFFECTS; e++)
        for (size_t k = 0; k < job.n_rows; k++) {
            size_t rejected = 0;
            double accuracy = 0;
            for (size_t t = 0; t < job.trials; t++) {
                const struct cell *cell = &job.cells[(e * job.trials + t) * job.n_rows + k];
                rejected += cell->rejected, accuracy += cell->accuracy;
            }
            s->power[e][k] = (double)rejected / (double)job.trials;
            s->learnt[e][k] = accuracy / (double)job.trials;
        }
    free(job.cells);
    return job.code ? kl_fail_memory(err, job.most * s->bits.words_per_row * 16) : KL_OK;
}
