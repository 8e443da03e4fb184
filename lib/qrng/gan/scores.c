/* SPDX-License-Identifier: MIT
   What generators say of rows that none of them was trained on, and which of them have learnt nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "stats/stats.h"
#include "qrng/gan/gan_int.h"
#include "qrng/gan/study.h"

/* Tables of a value a word: the cost under the law of a or of b, by the model or by frequencies. */
enum table { LAW_A, PLUGIN_A, LAW_B, PLUGIN_B, WITNESS, N_TABLES };
/* A pair's values on the held-out rows of both devices. */
struct held_out {
    size_t n[2];
    double *row[N_TABLES][2]; /* [n]: of each row, mean over its words */
};
/* Of the rows, or of a resample: on b less on a, and on b the law of a less that of b; by the model, by
   frequencies. */
enum statistic { DIFFERENCE, EXCESS, PLUGIN_DIFFERENCE, PLUGIN_EXCESS, N_STATISTICS };
static const enum kl_gan_score score_of[N_STATISTICS] = { KL_GAN_DIFFERENCE, KL_GAN_EXCESS,
                                                          KL_GAN_PLUGIN_DIFFERENCE,
                                                          KL_GAN_PLUGIN_EXCESS };

struct scoring {
    struct kl_gan_study *s;
    struct kl_gan_rows *rows; /* of each device; rows NULL: not in any pair */
    struct kl_error *errors;  /* of each pair */
};

void kl_gan_costs(double *costs, const float *law, size_t n)
{
    for (size_t k = 0; k < n; k++) costs[k] = -log(fmax((double)law[k], 1e-10));
}

static double mean_under(const double *table, const float *law, size_t n)
{
    double sum = 0, all = 0;
    for (size_t k = 0; k < n; k++) sum += (double)law[k] * table[k], all += (double)law[k];
    return sum / all;
}

/* Row `row` of a side into the statistics. */
static void add_row(double sums[N_STATISTICS], const struct held_out *h, int side, size_t row)
{
    const double weight = (side ? 1.0 : -1.0) / (double)h->n[side];
    sums[DIFFERENCE] += weight * h->row[LAW_A][side][row];
    sums[PLUGIN_DIFFERENCE] += weight * h->row[PLUGIN_A][side][row];
    if (side == 0) return;
    sums[EXCESS] += weight * (h->row[LAW_A][1][row] - h->row[LAW_B][1][row]);
    sums[PLUGIN_EXCESS] += weight * (h->row[PLUGIN_A][1][row] - h->row[PLUGIN_B][1][row]);
}

/* Rows drawn with replacement, those of each device from its own. */
static void resample(double sums[N_STATISTICS], const struct held_out *h, uint64_t seed, uint32_t number,
                     uint32_t pair)
{
    memset(sums, 0, N_STATISTICS * sizeof *sums);
    for (int side = 0; side < 2; side++) {
        uint32_t words[4] = { 0 };
        for (size_t i = 0; i < h->n[side]; i++) {
            if (i % 4 == 0)
                kl_philox(words, seed, (uint32_t)(i / 4) << 1 | (uint32_t)side, KL_RANDOM_BOOTSTRAP,
                          number, pair);
            add_row(sums, h, side, (uint64_t)words[i % 4] * h->n[side] >> 32);
        }
    }
}

static int bootstrap(const struct kl_gan_study *s, size_t i, const struct held_out *h,
                     struct kl_error *err)
{
    const size_t n = (size_t)s->o.resamples, all = s->n_pairs;
    const uint32_t pair = (uint32_t)s->pairs[i].a * KL_BITS_DEVICES + (uint32_t)s->pairs[i].b;
    double sums[N_STATISTICS], *values = malloc(N_STATISTICS * n * sizeof *values);
    if (!values) return kl_fail_memory(err, N_STATISTICS * n * sizeof *values);
    for (size_t r = 0; r < n; r++) {
        resample(sums, h, (uint64_t)s->o.seed, (uint32_t)r, pair);
        for (int k = 0; k < N_STATISTICS; k++) values[(size_t)k * n + r] = sums[k];
    }
    for (int k = 0; k < N_STATISTICS; k++) {
        double *low = s->scores + (score_of[k] + 1) * all + i;
        kl_stats_sort(values + (size_t)k * n, n);
        low[0] = kl_stats_sorted_quantile(values + (size_t)k * n, n, 0.025);
        low[all] = kl_stats_sorted_quantile(values + (size_t)k * n, n, 0.975);
    }
    free(values);
    return KL_OK;
}

/* In standard errors of the rows' mean: how far it is from the law's. */
static double test(const double *rows, size_t n, double expected)
{
    const double deviation = kl_stats_deviation(rows, n);
    return deviation > 0 ? (kl_stats_mean(rows, n) - expected) / (deviation / sqrt((double)n)) : NAN;
}

/* table (n_cells) of a pair. */
static void make_table(double *table, enum table which, const struct kl_gan_study *s, size_t i)
{
    const size_t n = s->n_cells, a = (size_t)s->model[2 * i] * n, b = (size_t)s->model[2 * i + 1] * n;
    if (which == LAW_A) kl_gan_costs(table, s->law + a, n);
    if (which == LAW_B) kl_gan_costs(table, s->law + b, n);
    if (which == PLUGIN_A) kl_gan_costs(table, s->target + a, n);
    if (which == PLUGIN_B) kl_gan_costs(table, s->target + b, n);
    for (size_t k = 0; which == WITNESS && k < n; k++) table[k] = (double)s->witness[a + k];
}

/* Values of all rows; in table the witness is left. */
static void take_rows(struct held_out *h, double *table, const struct scoring *c, size_t i)
{
    const struct kl_gan_study *s = c->s;
    const int32_t devices[2] = { s->pairs[i].a, s->pairs[i].b };
    for (int which = 0; which < N_TABLES; which++) {
        make_table(table, (enum table)which, s, i);
        for (int side = 0; side < 2; side++)
            kl_gan_row_means(h->row[which][side], table, s->bits, &c->rows[devices[side]],
                             KL_GAN_HELD_OUT, (int)s->o.word_bits);
    }
}

static void set_scores(const struct kl_gan_study *s, size_t i, const struct held_out *h,
                       const double *witness)
{
    const size_t all = s->n_pairs, n = s->n_cells;
    const double expected = mean_under(witness, s->law + (size_t)s->model[2 * i] * n, n);
    double *score = s->scores + i, sums[N_STATISTICS] = { 0 };
    for (int side = 0; side < 2; side++)
        for (size_t row = 0; row < h->n[side]; row++) add_row(sums, h, side, row);
    for (int k = 0; k < N_STATISTICS; k++) score[score_of[k] * all] = sums[k];
    score[KL_GAN_ON_A * all] = kl_stats_mean(h->row[LAW_A][0], h->n[0]);
    score[KL_GAN_ON_B * all] = kl_stats_mean(h->row[LAW_A][1], h->n[1]);
    score[KL_GAN_Z_A * all] = test(h->row[WITNESS][0], h->n[0], expected);
    score[KL_GAN_Z_B * all] = test(h->row[WITNESS][1], h->n[1], expected);
}

/* Divergences of all held-out words of device a. */
static int set_divergences(const struct scoring *c, size_t i, double *table, struct kl_error *err)
{
    const struct kl_gan_study *s = c->s;
    const size_t n = s->n_cells, all = s->n_pairs, model = (size_t)s->model[2 * i];
    double *counts = malloc(n * sizeof *counts);
    if (!counts) return kl_fail_memory(err, n * sizeof *counts);
    const double words =
        kl_gan_count(counts, s->bits, &c->rows[s->pairs[i].a], KL_GAN_HELD_OUT, (int)s->o.word_bits);
    for (size_t k = 0; k < n; k++) counts[k] /= words, table[k] = (double)s->law[model * n + k];
    s->scores[KL_GAN_KL * all + i] = kl_gan_divergence(counts, table, n);
    s->scores[KL_GAN_KL_UNIFORM * all + i] = kl_gan_divergence(counts, NULL, n);
    const int code = kl_gan_first_law(table, &s->o, kl_gan_replica(&s->of[model]), err);
    if (!code) s->scores[KL_GAN_KL_START * all + i] = kl_gan_divergence(counts, table, n);
    free(counts);
    return code;
}

static int score_pair(const struct scoring *c, size_t i, struct kl_error *err)
{
    const struct kl_gan_study *s = c->s;
    struct held_out h;
    double *at, *table = malloc(s->n_cells * sizeof *table);
    for (int side = 0; side < 2; side++) {
        const struct kl_gan_rows *r = &c->rows[side ? s->pairs[i].b : s->pairs[i].a];
        h.n[side] = r->from[KL_GAN_HELD_OUT + 1] - r->from[KL_GAN_HELD_OUT];
    }
    double *rows = at = malloc(N_TABLES * (h.n[0] + h.n[1]) * sizeof *rows);
    int code = table && rows ? KL_OK : kl_fail_memory(err, s->n_cells * sizeof *table);
    for (int k = 0; k < 2 * N_TABLES && !code; k++) {
        h.row[k / 2][k % 2] = at;
        at += h.n[k % 2];
    }
    if (!code) {
        take_rows(&h, table, c, i);
        set_scores(s, i, &h, table);
        code = bootstrap(s, i, &h, err);
    }
    if (!code) code = set_divergences(c, i, table, err);
    free(rows), free(table);
    return code;
}

static void score_item(void *context, size_t i, int thread)
{
    const struct scoring *c = context;
    (void)thread;
    c->errors[i].code = score_pair(c, i, &c->errors[i]);
}

static int split_devices(struct scoring *c, struct kl_error *err)
{
    const struct kl_gan_study *s = c->s;
    int code = KL_OK;
    for (size_t i = 0; i < 2 * s->n_pairs && !code; i++) {
        const int32_t device = i % 2 ? s->pairs[i / 2].b : s->pairs[i / 2].a;
        if (!c->rows[device].rows)
            code = kl_gan_split(&c->rows[device], s->bits, device, (uint64_t)s->o.seed, err);
    }
    return code;
}

int kl_gan_score(struct kl_gan_study *s, struct kl_pool *pool, struct kl_error *err)
{
    const size_t devices = (size_t)s->bits->n_devices;
    struct scoring c = { s, calloc(devices, sizeof *c.rows), calloc(s->n_pairs, sizeof *c.errors) };
    int code = c.rows && c.errors ? KL_OK : kl_fail_memory(err, s->n_pairs * sizeof *c.errors);
    if (!code) code = split_devices(&c, err);
    if (!code) kl_pool_for(pool, s->n_pairs, score_item, &c);
    for (size_t i = 0; i < s->n_pairs && !code; i++) {
        code = c.errors[i].code;
        if (code && err) *err = c.errors[i];
    }
    for (size_t d = 0; c.rows && d < devices; d++) free(c.rows[d].rows);
    free(c.rows), free(c.errors);
    return code;
}

/* ---- Generators that have learnt nothing which holds for other rows than those they were trained on:
   all weights at 0, one and the same word whatever the latent vector, or the noise of the training rows
   alone. */
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
