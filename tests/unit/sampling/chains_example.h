/* SPDX-License-Identifier: MIT
   A file of kind `chains` whose chains are known: independent, autocorrelated, apart. No library
   function makes its numbers, so they are the same everywhere. */
#ifndef KL_TESTS_CHAINS_EXAMPLE_H
#define KL_TESTS_CHAINS_EXAMPLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/any_file.h"

enum {
    EXAMPLE_CHAINS = 4,
    EXAMPLE_DRAWS = 500,
    EXAMPLE_BETAS = 4,
    EXAMPLE_KEPT = 100,
    EXAMPLE_RECORDS = 30
};
static const double example_beta[EXAMPLE_BETAS] = { 0, 10, 100, 1000 };
static const int64_t example_draws[EXAMPLE_BETAS] = { 500, 500, 500, 300 };

/* Uniform in +-1. */
static inline double example_noise(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

typedef float example_trace[EXAMPLE_CHAINS][EXAMPLE_DRAWS][EXAMPLE_BETAS];

/* Beta 0 independent, 10 with autocorrelation 0.9, 100 with chains that have not met, 1000 shorter.
   every: of the others there is no number. */
static inline void example_fill(example_trace x, double mean, double spread, uint64_t state, int every)
{
    for (int b = 0; b < EXAMPLE_BETAS; b++)
        for (int c = 0; c < EXAMPLE_CHAINS; c++) {
            double y = 0;
            for (int t = 0; t < EXAMPLE_DRAWS; t++) {
                y = (b == 1 ? 0.9 : 0) * y + example_noise(&state);
                const bool there = t < example_draws[b] && (t + 1) % every == 0;
                x[c][t][b] = there ? (float)(mean + spread * (y + (b == 2 ? c : 0))) : NAN;
            }
        }
}

static inline int example_scales(struct kl_writer *w, const char *group, struct kl_error *err)
{
    static int64_t chain[EXAMPLE_CHAINS], draw[EXAMPLE_DRAWS];
    const size_t dims[3] = { EXAMPLE_CHAINS, EXAMPLE_DRAWS, EXAMPLE_BETAS };
    char name[64];
    for (int i = 0; i < EXAMPLE_CHAINS; i++) chain[i] = i;
    for (int i = 0; i < EXAMPLE_DRAWS; i++) draw[i] = i + 1;
    snprintf(name, sizeof name, "%s/chain", group);
    int code = kl_store_writer_put(w, name, KL_TYPE_I64, 0, 1, dims, chain, err);
    snprintf(name, sizeof name, "%s/draw", group);
    if (!code) code = kl_store_writer_put(w, name, KL_TYPE_I64, 0, 1, dims + 1, draw, err);
    snprintf(name, sizeof name, "%s/beta", group);
    return code ? code : kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, dims + 2, example_beta, err);
}

/* A dataset of GROUP with the named dimensions of GROUP. */
static inline int example_put(struct kl_writer *w, const char *group, const char *name,
                              enum kl_type type, int rank, const size_t *dims, const void *data,
                              const char *const *scales, struct kl_error *err)
{
    char full[64], scale[3][64];
    const char *list[3];
    snprintf(full, sizeof full, "%s/%s", group, name);
    for (int i = 0; i < rank; i++) {
        snprintf(scale[i], sizeof scale[i], "%s/%s", group, scales[i]);
        list[i] = scale[i];
    }
    const int code = kl_store_writer_put(w, full, type, 0, rank, dims, data, err);
    return code ? code : kl_store_writer_dimensions(w, full, list, err);
}

static inline int example_log_likelihood(struct kl_writer *w, struct kl_error *err)
{
    static float log_lik[EXAMPLE_CHAINS][EXAMPLE_KEPT][EXAMPLE_RECORDS];
    static const char *const scales[3] = { "chain", "draw", "record" };
    static int64_t number[EXAMPLE_KEPT];
    const size_t dims[3] = { EXAMPLE_CHAINS, EXAMPLE_KEPT, EXAMPLE_RECORDS };
    uint64_t state = 77;
    for (int i = 0; i < EXAMPLE_KEPT; i++) number[i] = i;
    for (int i = 0; i < EXAMPLE_CHAINS * EXAMPLE_KEPT; i++) {
        const double shift = example_noise(&state);
        for (int r = 0; r < EXAMPLE_RECORDS;
             r++) { /* one record is far away, so that its weights have a long tail */
            const double z = (r == 7 ? 3.0 : 0.1 * r) - 0.8 * shift - 0.5 * example_noise(&state);
            (&log_lik[0][0][0])[i * EXAMPLE_RECORDS + r] = (float)(-1 - z * z / 2);
        }
    }
    int code = kl_store_writer_put(w, "log_likelihood/chain", KL_TYPE_I64, 0, 1, dims, number, err);
    if (!code)
        code = kl_store_writer_put(w, "log_likelihood/draw", KL_TYPE_I64, 0, 1, dims + 1, number, err);
    if (!code)
        code = kl_store_writer_put(w, "log_likelihood/record", KL_TYPE_I64, 0, 1, dims + 2, number, err);
    return code ? code
                : example_put(w, "log_likelihood", "train", KL_TYPE_F32, 3, dims, log_lik, scales, err);
}

static inline int example_traces(struct kl_writer *w, struct kl_error *err)
{
    static example_trace x;
    static const struct {
        const char *group, *name;
        double mean, spread;
        int every;
    } traces[] = {
        { "posterior", "train_loss", 0.4, 0.05, 1 }, { "posterior", "train01", 0.2, 0.02, 1 },
        { "posterior", "norm", 1, 0.01, 1 },         { "sample_stats", "test_loss", 0.5, 0.05, 10 },
        { "sample_stats", "test01", 0.3, 0.02, 10 }, { "sample_stats", "virial", 1, 0.1, 1 },
    };
    static const char *const scales[3] = { "chain", "draw", "beta" };
    const size_t dims[3] = { EXAMPLE_CHAINS, EXAMPLE_DRAWS, EXAMPLE_BETAS };
    int code = KL_OK;
    for (size_t i = 0; i < sizeof traces / sizeof *traces && !code; i++) {
        example_fill(x, traces[i].mean, traces[i].spread, i + 1, traces[i].every);
        code = example_put(w, traces[i].group, traces[i].name, KL_TYPE_F32, 3, dims, x, scales, err);
    }
    return code;
}

/* With `log_likelihood`, or without. */
static inline int write_example(const char *path, bool log_likelihood, struct kl_error *err)
{
    static const char *const scales[2] = { "chain", "beta" };
    const size_t dims[2] = { EXAMPLE_CHAINS, EXAMPLE_BETAS }, betas = EXAMPLE_BETAS;
    float accepted[EXAMPLE_CHAINS][EXAMPLE_BETAS];
    double step[EXAMPLE_CHAINS][EXAMPLE_BETAS];
    struct kl_writer *w = NULL;
    for (int c = 0; c < EXAMPLE_CHAINS; c++)
        for (int b = 0; b < EXAMPLE_BETAS; b++)
            accepted[c][b] = 0.5F + 0.0625F * (float)c, step[c][b] = 1.0 / (1 << b);
    int code = open_any_file(&w, path, "chains", err);
    if (!code)
        code = kl_store_writer_put(w, "ladder/beta", KL_TYPE_F64, 0, 1, &betas, example_beta, err);
    if (!code)
        code = kl_store_writer_put(w, "ladder/draws", KL_TYPE_I64, 0, 1, &betas, example_draws, err);
    if (!code) code = example_scales(w, "posterior", err);
    if (!code) code = example_scales(w, "sample_stats", err);
    if (!code) code = example_traces(w, err);
    if (!code)
        code = example_put(w, "sample_stats", "acceptance", KL_TYPE_F32, 2, dims, accepted, scales, err);
    if (!code) code = example_put(w, "sample_stats", "step", KL_TYPE_F64, 2, dims, step, scales, err);
    if (!code && log_likelihood) code = example_log_likelihood(w, err);
    if (!code) code = kl_store_writer_publish(&w, NULL, err);
    kl_store_writer_abort(&w);
    return code;
}

#endif
