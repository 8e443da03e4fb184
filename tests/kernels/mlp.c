/* SPDX-License-Identifier: MIT
   checkkernels, family mlp: every instruction set and precision against a network written out in double,
   sample by sample, unit by unit, on the inputs' bits; with and without dropout, for full and partial
   batches. */
#include "kernels/mlp.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/optim.h"
#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"
#include "isas.h"
#include "numbers.h"

enum { UNITS = 160, WORDS = 3, BLOCK = 30000, WORK = 60000 };

static const struct kl_mlp nets[] = {
    { 3, { 100, 30, 20, 3 } }, { 3, { 100, 20, 10, 3 } },   { 1, { 100, 3 } },     { 2, { 7, 5, 2 } },
    { 3, { 64, 16, 33, 4 } },  { 4, { 130, 9, 8, 17, 5 } }, { 2, { 65, 100, 3 } },
};

/* Does unit j of sample i in hidden layer l stay? As kernels/act.h says. */
static int stays(const struct kl_dropout_draw *drop, int l, size_t width, size_t i, size_t j)
{
    const size_t e = i * width + j, half = e / 16 % 8;
    uint32_t w[4];
    kl_philox(w, drop->seed, (uint32_t)(16 * (e / 128) + e % 16), drop->purpose + 256 * (uint32_t)l,
              drop->step, drop->replica);
    return (w[half / 2] >> 16 * (half % 2) & 0xffff) >= drop->threshold;
}

static int bit(const uint64_t *row, int j)
{
    return (int)(row[j / 64] >> j % 64 & 1);
}

/* One sample: its cross-entropy, grad += its gradient; y holds the logits on return. */
static double slow_sample(double *grad, double *logits, const double *params, const struct kl_mlp *net,
                          const uint64_t *row, int label, size_t i, const struct kl_dropout_draw *drop)
{
    static double y[KL_MLP_LAYERS + 1][UNITS], d[KL_MLP_LAYERS + 1][UNITS],
        keep[KL_MLP_LAYERS + 1][UNITS];
    const int last = net->n_layers;
    for (int j = 0; j < net->size[0]; j++) y[0][j] = bit(row, j);
    for (int l = 0; l < last; l++) {
        const size_t width = kl_mlp_width(net->size[l + 1]);
        const double *w = params + kl_mlp_layer(net, l);
        for (int j = 0; j < net->size[l + 1]; j++) {
            double z = w[(size_t)net->size[l] * width + (size_t)j];
            for (int k = 0; k < net->size[l]; k++) z += y[l][k] * w[(size_t)k * width + (size_t)j];
            keep[l + 1][j] = l + 1 == last ? 1 : z > 0;
            if (l + 1 < last && drop->threshold)
                keep[l + 1][j] *= stays(drop, l + 1, width, i, (size_t)j) ? drop->scale : 0;
            y[l + 1][j] = z * keep[l + 1][j];
        }
    }
    double total = 0;
    for (int c = 0; c < net->size[last]; c++) total += exp(logits[c] = y[last][c]);
    for (int c = 0; c < net->size[last]; c++) d[last][c] = exp(y[last][c]) / total - (c == label);
    for (int l = last - 1; l >= 0; l--) {
        const size_t begin = kl_mlp_layer(net, l), width = kl_mlp_width(net->size[l + 1]);
        for (int k = 0; k <= net->size[l]; k++) {
            double sum = 0;
            for (int j = 0; j < net->size[l + 1]; j++) {
                const size_t at = begin + (size_t)k * width + (size_t)j;
                grad[at] += d[l + 1][j] * (k < net->size[l] ? y[l][k] : 1);
                sum += d[l + 1][j] * params[at];
            }
            d[l][k] = sum * keep[l][k];
        }
    }
    return log(total) - y[last][label];
}

static int off(const char *isa, const char *what, size_t i, double found, double want, double bound)
{
    if (fabs(found - want) <= bound) return 0;
    printf("%s mlp %s [%zu]: found %.17g, expected %.17g\n", isa, what, i, found, want);
    return 1;
}

struct given {
    const struct kl_mlp *net;
    struct kl_mlp_batch batch;
    struct kl_dropout_draw drop;
    uint64_t rows[KL_MLP_BATCH][WORDS];
    double params[BLOCK], l1;
};

static void give(struct given *g, const struct kl_mlp *net, size_t n, double size, bool dropout)
{
    memset(g, 0, sizeof *g);
    g->net = net, g->l1 = 0.002;
    g->batch.n = n, g->batch.packed = true;
    for (size_t i = 0; i < n; i++) {
        for (int j = 0; j < net->size[0]; j++)
            if (uniform() > 0) g->rows[i][j / 64] |= 1ull << j % 64;
        g->batch.row[i] = g->rows[i];
        g->batch.label[i] = (int32_t)((uniform() + 0.5) * net->size[net->n_layers]);
    }
    g->drop = (struct kl_dropout_draw){ 7, KL_RANDOM_DROPOUT, 3, 1, dropout ? 13107 : 0, 1.25 };
    for (int l = 0; l < net->n_layers; l++)
        for (int k = 0; k <= net->size[l]; k++)
            for (int j = 0; j < net->size[l + 1]; j++)
                if (uniform() > -0.4) /* some are 0 */
                    g->params[kl_mlp_layer(net, l) + (size_t)k * kl_mlp_width(net->size[l + 1]) +
                              (size_t)j] = size * uniform();
}

static double slow(double *grad, double *logits, const struct given *g)
{
    double sum = 0, none[UNITS];
    const size_t size = kl_mlp_layer(g->net, g->net->n_layers),
                 classes = (size_t)g->net->size[g->net->n_layers];
    struct kl_dropout_draw off = g->drop;
    static double unused[BLOCK];
    off.threshold = 0;
    memset(grad, 0, size * sizeof *grad);
    for (size_t i = 0; i < g->batch.n; i++) {
        const uint64_t *row = g->batch.row[i];
        sum += slow_sample(grad, none, g->params, g->net, row, g->batch.label[i], i, &g->drop);
        slow_sample(unused, logits + i * classes, g->params, g->net, row, g->batch.label[i], i, &off);
    }
    for (size_t p = 0; p < size; p++)
        grad[p] = grad[p] / (double)g->batch.n + g->l1 * ((g->params[p] > 0) - (g->params[p] < 0));
    return sum / (double)g->batch.n;
}

#define CHECK(real, p, eps)                                                                             \
    static int check_##p(enum kl_isa k, const struct given *g)                                          \
    {                                                                                                   \
        static real params[BLOCK], grad[BLOCK], work[WORK], x[KL_MLP_BATCH][UNITS],                     \
            logits[KL_MLP_BATCH * UNITS];                                                               \
        static double want[BLOCK], want_logits[KL_MLP_BATCH * UNITS];                                   \
        const size_t size = kl_mlp_layer(g->net, g->net->n_layers);                                     \
        struct kl_mlp_batch batch = g->batch;                                                           \
        struct kl_mlp_loss loss;                                                                        \
        int bad = 0;                                                                                    \
        const double ce = slow(want, want_logits, g), bound = 300 * eps;                                \
        for (size_t i = 0; i < size; i++) params[i] = (real)g->params[i];                               \
        for (int packed = 1; packed >= 0; packed--) {                                                   \
            double squares = 0, sum = 0;                                                                \
            batch.packed = packed;                                                                      \
            for (size_t i = 0; i < batch.n && !packed; i++) {                                           \
                for (int j = 0; j < g->net->size[0]; j++) x[i][j] = (real)bit(g->rows[i], j);           \
                batch.row[i] = x[i];                                                                    \
            }                                                                                           \
            memset(work, 0x7f, sizeof work), memset(grad, 0x7f, sizeof grad);                           \
            kl_isa_mlp_gradient_##p(k)(&loss, grad, params, g->net, &batch, g->l1, &g->drop, work);     \
            bad +=                                                                                      \
                off(kl_isa_name(k), "cross-entropy " #p, 0, loss.cross_entropy, ce, bound * (1 + ce));  \
            for (size_t i = 0; i < size; i++) {                                                         \
                bad += off(kl_isa_name(k), "gradient " #p, i, grad[i], want[i], bound);                 \
                squares += want[i] * want[i], sum += fabs(g->params[i]);                                \
            }                                                                                           \
            bad += off(kl_isa_name(k), "squares " #p, 0, loss.squares, squares, bound * (1 + squares)); \
            bad += off(kl_isa_name(k), "sum of |p| " #p, 0, loss.sum_abs, sum, bound * (1 + sum));      \
            memset(work, 0x7f, sizeof work);                                                            \
            kl_isa_mlp_logits_##p(k)(logits, params, g->net, &batch, work);                             \
            for (size_t i = 0; i < batch.n * (size_t)g->net->size[g->net->n_layers]; i++)               \
                bad += off(kl_isa_name(k), "logits " #p, i, logits[i], want_logits[i],                  \
                           bound * (1 + fabs(want_logits[i])));                                         \
        }                                                                                               \
        return bad;                                                                                     \
    }
CHECK(float, f32, FLT_EPSILON)
CHECK(double, f64, DBL_EPSILON)

/* Steps of the study's network on random bits: gradient and Adam. */
static void bench(enum kl_isa k)
{
    enum { STEPS = 6000 };
    static struct given g;
    static float params[BLOCK], m[BLOCK], v[BLOCK], grad[BLOCK], work[WORK], logits[24];
    struct timespec at[4];
    struct kl_mlp_loss loss;
    const struct kl_adam_factors a = { 1, 0, 1, 0.9, 0.999, 1e-3, 1, 1e-8 };
    give(&g, &nets[0], 8, 0.2, true);
    const size_t size = kl_mlp_layer(g.net, 3);
    for (size_t i = 0; i < size; i++) params[i] = (float)g.params[i];
    const unsigned before = kl_flush_begin();
    clock_gettime(CLOCK_MONOTONIC, &at[0]);
    for (int i = 0; i < STEPS; i++)
        kl_isa_mlp_gradient_f32(k)(&loss, grad, params, g.net, &g.batch, 0.002, &g.drop, work);
    clock_gettime(CLOCK_MONOTONIC, &at[1]);
    for (int i = 0; i < STEPS; i++) kl_isa_adam_f32(k)(params, m, v, grad, size, &a);
    clock_gettime(CLOCK_MONOTONIC, &at[2]);
    for (int i = 0; i < STEPS; i++) kl_isa_mlp_logits_f32(k)(logits, params, g.net, &g.batch, work);
    clock_gettime(CLOCK_MONOTONIC, &at[3]);
    kl_flush_end(before);
    double us[3];
    for (int i = 0; i < 3; i++)
        us[i] = ((double)(at[i + 1].tv_sec - at[i].tv_sec) * 1e9 +
                 (double)(at[i + 1].tv_nsec - at[i].tv_nsec)) /
                1e3 / STEPS;
    printf("mlp %-6s 8 samples: gradient %.2f us, Adam %.2f us, logits %.2f us\n", kl_isa_name(k), us[0],
           us[1], us[2]);
}

static int check(enum kl_isa k)
{
    static struct given g;
    int bad = 0;
    for (size_t s = 0; s < sizeof nets / sizeof *nets; s++)
        for (int turn = 0; turn < 4; turn++) {
            give(&g, &nets[s], turn < 2 ? 8 : turn == 2 ? 5 : 1, turn == 1 ? 1 : 0.3, turn != 0);
            bad += check_f32(k, &g) + check_f64(k, &g);
        }
    return bad;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
