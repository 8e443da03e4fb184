/* SPDX-License-Identifier: MIT
   Generators that have learnt nothing which holds for other rows than those they were trained on: all
   weights at 0, one and the same word whatever the latent vector, or the noise of the training rows
   alone. */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "qrng/gan/gan_int.h"

/* The study's way holds no rows out. */
static void reference_unlearnt(struct kl_gan_study *s, double *target, double *law)
{
    static const double closer = 0.99; /* of the uniform law's divergence: less is rounding */
    const size_t cells = s->n_cells;
    for (size_t m = 0; m < s->n_models; m++) {
        for (size_t k = 0; k < cells; k++) {
            target[k] = (double)s->target[m * cells + k];
            law[k] = (double)s->law[m * cells + k];
        }
        s->unlearnt +=
            !(kl_gan_divergence(target, law, cells) < closer * kl_gan_divergence(target, NULL, cells));
    }
}

/* Is the mean cost of the rows, each the mean over its words, below the uniform law's by two standard
   errors of rows? A law is in float: less than 1e-6 is rounding. */
static bool is_better(const double *costs, size_t n, double uniform)
{
    const double error = kl_stats_deviation(costs, n) / sqrt((double)n);
    return kl_stats_mean(costs, n) + 2 * error < uniform - 1e-6;
}

static int sound_unlearnt(struct kl_gan_study *s, double *table, struct kl_error *err)
{
    const size_t cells = s->n_cells;
    const double uniform = (double)s->o.word_bits * log(2);
    double *costs = malloc(s->bits->n_rows * sizeof *costs);
    int code = costs ? KL_OK : kl_fail_memory(err, s->bits->n_rows * sizeof *costs);
    for (size_t m = 0; m < s->n_models && !code; m++) {
        struct kl_gan_rows rows = { 0 };
        code = kl_gan_split(&rows, s->bits, s->of[m].a, (uint64_t)s->o.seed, err);
        if (!code) {
            kl_gan_costs(table, s->law + m * cells, cells);
            kl_gan_row_means(costs, table, s->bits, &rows, KL_GAN_HELD_OUT, (int)s->o.word_bits);
            s->unlearnt +=
                !is_better(costs, rows.from[KL_GAN_HELD_OUT + 1] - rows.from[KL_GAN_HELD_OUT], uniform);
        }
        free(rows.rows);
    }
    free(costs);
    return code;
}

int kl_gan_count_unlearnt(struct kl_gan_study *s, struct kl_error *err)
{
    int code = KL_OK;
    double *cells = malloc(2 * s->n_cells * sizeof *cells);
    if (!cells) return kl_fail_memory(err, 2 * s->n_cells * sizeof *cells);
    s->unlearnt = 0;
    if (s->o.reference) reference_unlearnt(s, cells, cells + s->n_cells);
    else code = sound_unlearnt(s, cells, err);
    free(cells);
    return code;
}
