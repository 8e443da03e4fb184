/* SPDX-License-Identifier: MIT
   1,492 windows of 64 channels x 249 steps (a training set of the EEG study): covariances, common
   spatial patterns with a discriminant, tangent vectors, the Riemannian mean, logistic regression. In
   memory, all threads and one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/covariance/covariance.h"

enum { CHANNELS = 64, STEPS = 249, MOST = 1492, FILTERS = 8, TRIANGLE = CHANNELS * (CHANNELS + 1) / 2 };
static float *x;
static double *c, *tangent;
static int32_t labels[MOST];

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}
static const float *window(const void *context, size_t i, struct kl_error *err)
{
    (void)context, (void)err;
    return x + i * CHANNELS * STEPS;
}
static double normal(uint32_t index, uint32_t step)
{
    uint32_t w[4];
    kl_philox(w, 1, index, KL_RANDOM_PEOPLE, step, 0);
    return sqrt(-2 * log(kl_philox_unit(w[0]))) * cos(2 * M_PI * kl_philox_unit(w[1]));
}
/* Mixed normal noise; one source is twice as strong in windows of class 1. */
static void fill(size_t n)
{
    static double mix[CHANNELS][CHANNELS];
    for (int i = 0; i < CHANNELS; i++)
        for (int j = 0; j < CHANNELS; j++) mix[i][j] = normal((uint32_t)(i * CHANNELS + j), MOST);
    for (size_t w = 0; w < n; w++) {
        static double source[CHANNELS][STEPS];
        labels[w] = (int32_t)(w % 2);
        for (int i = 0; i < CHANNELS; i++)
            for (int t = 0; t < STEPS; t++)
                source[i][t] =
                    normal((uint32_t)(i * STEPS + t), (uint32_t)w) * (i == 5 && w % 2 ? 1.3 : 1);
        for (int i = 0; i < CHANNELS; i++)
            for (int t = 0; t < STEPS; t++) {
                double sum = 0;
                for (int j = 0; j < CHANNELS; j++) sum += mix[i][j] * source[j][t];
                x[(w * CHANNELS + (size_t)i) * STEPS + (size_t)t] = (float)sum;
            }
    }
}

static void bench(const char *threads, struct kl_pool *pool, size_t n, int rounds)
{
    enum { COVARIANCES, PATTERNS, MEAN, TANGENT, LOGISTIC, WORKS };
    static const char *const name[] = { "covariances", "csp-lda", "riemann-mean", "tangent",
                                        "logistic" };
    const struct kl_sequence_source source = { .single = window, .channels = CHANNELS, .steps = STEPS };
    const struct kl_sequence_mean_options o = { 1e-8, 100 };
    static double mean[CHANNELS * CHANNELS], inverse[CHANNELS * CHANNELS], filters[FILTERS * CHANNELS],
        features[MOST * FILTERS];
    double best[WORKS];
    int steps = 0;
    for (int w = 0; w < WORKS; w++) best[w] = 1e9;
    for (int r = 0; r < rounds; r++) {
        struct kl_sequence_linear linear;
        struct kl_error err;
        double at[WORKS + 1];
        at[0] = kl_clock();
        must(kl_sequence_covariances(c, &source, NULL, n, KL_SEQUENCE_OAS, NULL, pool, &err), &err);
        at[1] = kl_clock();
        must(kl_sequence_csp(filters, FILTERS, c, NULL, labels, n, CHANNELS, 2, &err), &err);
        kl_sequence_csp_features(features, filters, FILTERS, c, NULL, n, CHANNELS);
        must(kl_sequence_linear_init(&linear, FILTERS, 2, &err), &err);
        must(kl_sequence_discriminant(&linear, features, labels, n, &err), &err);
        kl_sequence_linear_free(&linear);
        at[2] = kl_clock();
        must(kl_sequence_riemann_mean(mean, c, NULL, n, CHANNELS, &o, &steps, pool, &err), &err);
        at[3] = kl_clock();
        must(kl_sequence_roots(NULL, inverse, mean, CHANNELS, &err), &err);
        must(kl_sequence_tangent(tangent, c, NULL, n, CHANNELS, inverse, pool, &err), &err);
        at[4] = kl_clock();
        must(kl_sequence_linear_init(&linear, TRIANGLE, 2, &err), &err);
        must(kl_sequence_logistic(&linear, tangent, labels, n, 1, pool, &err), &err);
        kl_sequence_linear_free(&linear);
        at[5] = kl_clock();
        for (int w = 0; w < WORKS; w++) best[w] = fmin(best[w], at[w + 1] - at[w]);
    }
    for (int w = 0; w < WORKS; w++)
        printf("bench sequence-%s%s/ketline %.4g s\n", name[w], threads, best[w]);
    printf("mean in %d steps\n", steps);
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 200 : MOST;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    x = malloc(n * CHANNELS * STEPS * sizeof *x), c = malloc(2 * n * TRIANGLE * sizeof *c);
    if (!x || !c) return 1;
    tangent = c + n * TRIANGLE;
    fill(n);
    must(kl_pool_create(&pool, 0, &err), &err);
    bench("", pool, n, 5);
    bench("-1-thread", NULL, n, 3);
    kl_pool_destroy(&pool);
    free(x), free(c);
    return 0;
}
