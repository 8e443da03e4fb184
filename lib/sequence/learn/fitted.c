/* SPDX-License-Identifier: MIT
   Classifiers on covariances: fitted on some windows of a set, applied to others. */
#include "sequence/learn/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *matrices(size_t n, size_t channels)
{
    return malloc((n * channels * channels + 1) * sizeof(double));
}

/* c of one person's windows among rows, by that person's own alignment. */
static int covariances_of_person(double *c, struct kl_sequence_fitted *f,
                                 const struct kl_sequence_set *set, const int64_t *rows, size_t n,
                                 int32_t person, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
    const size_t size = KL_SPD_TRIANGLE(set->channels);
    int64_t *const all = malloc((set->n + n + 1) * sizeof *all), *const mine = all ? all + set->n : NULL;
    double *const align = matrices(1, set->channels), *part = NULL;
    size_t n_all = 0, n_mine = 0, k = 0, lost = 0;
    struct kl_error why = { 0 };
    if (!all || !align) {
        free(all), free(align);
        return kl_fail_memory(err, set->n * sizeof *all);
    }
    for (size_t i = 0; i < set->n; i++)
        if (set->subject[i] == person) all[n_all++] = (int64_t)i;
    for (size_t i = 0; i < n; i++)
        if (set->subject[rows[i]] == person) mine[n_mine++] = rows[i];
    int code = KL_OK;
    if (n_mine && !(part = malloc(n_mine * size * sizeof *part)))
        code = kl_fail_memory(err, n_mine * size * sizeof *part);
    if (n_mine && !code) code = kl_sequence_alignment_fit(align, &lost, &source, all, n_all, pool, &why);
    if (why.code) kl_fail(err, code, "--align subject: '%s': %s", set->subject_names[person], why.text);
    if (lost > f->lost) f->lost = lost;
    if (n_mine && !code)
        code =
            kl_sequence_covariances(part, &source, mine, n_mine, f->options.estimator, align, pool, err);
    for (size_t i = 0; i < n && n_mine && !code; i++)
        if (set->subject[rows[i]] == person) memcpy(c + i * size, part + k++ * size, size * sizeof *c);
    free(all), free(align), free(part);
    return code;
}

static int covariances(double *c, struct kl_sequence_fitted *f, const struct kl_sequence_set *set,
                       const int64_t *rows, size_t n, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
    if (f->options.align != KL_SEQUENCE_ALIGN_SUBJECT)
        return kl_sequence_covariances(c, &source, rows, n, f->options.estimator, f->align, pool, err);
    int code = KL_OK;
    for (size_t p = 0; p < set->n_subjects && !code; p++)
        code = covariances_of_person(c, f, set, rows, n, (int32_t)p, pool, err);
    return code;
}

/* Features of a linear classifier, (n, inputs): logarithms of variances, or tangent vectors. */
static int features(double *x, const struct kl_sequence_fitted *f, const double *c, size_t n,
                    struct kl_pool *pool, struct kl_error *err)
{
    if (f->options.method == KL_SEQUENCE_CSP_LDA) {
        kl_sequence_csp_features(x, f->filters, f->options.filters, c, NULL, n, f->channels);
        return KL_OK;
    }
    double *const inverse = matrices(1, f->channels);
    if (!inverse) return kl_fail_memory(err, f->channels * f->channels * sizeof *inverse);
    int code = kl_sequence_roots(NULL, inverse, f->points, f->channels, err);
    if (!code) code = kl_sequence_tangent(x, c, NULL, n, f->channels, inverse, pool, err);
    free(inverse);
    return code;
}

/* The means: of each class, or of all. */
static int fit_points(struct kl_sequence_fitted *f, const double *c, const int32_t *labels, size_t n,
                      struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sequence_mean_options o = { 1e-10, 100 };
    const bool classes = f->options.method == KL_SEQUENCE_MDM;
    int64_t *const mine = malloc((n + 1) * sizeof *mine);
    f->n_points = classes ? (size_t)f->classes : 1;
    f->points = matrices(f->n_points, f->channels);
    int code = mine && f->points ? KL_OK : kl_fail_memory(err, n * sizeof *mine);
    for (size_t k = 0; k < f->n_points && !code; k++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (!classes || (size_t)labels[i] == k) mine[count++] = (int64_t)i;
        if (!count) code = kl_fail(err, KL_EDATA, "class %zu has no window to fit a mean on", k);
        else
            code = kl_sequence_riemann_mean(f->points + k * f->channels * f->channels, c, mine, count,
                                            f->channels, &o, NULL, pool, err);
    }
    free(mine);
    return code;
}

static int fit_linear(struct kl_sequence_fitted *f, const double *c, const int32_t *labels, size_t n,
                      struct kl_pool *pool, struct kl_error *err)
{
    const bool patterns = f->options.method == KL_SEQUENCE_CSP_LDA;
    const size_t inputs = patterns ? f->options.filters : KL_SPD_TRIANGLE(f->channels);
    double *const x = malloc((n * inputs + 1) * sizeof *x);
    int code = x ? KL_OK : kl_fail_memory(err, n * inputs * sizeof *x);
    if (!code && patterns) {
        f->filters = malloc(inputs * f->channels * sizeof *f->filters);
        code = f->filters ? kl_sequence_csp(f->filters, inputs, c, NULL, labels, n, f->channels,
                                            f->classes, err)
                          : kl_fail_memory(err, inputs * f->channels * sizeof *f->filters);
    } else if (!code) code = fit_points(f, c, labels, n, pool, err);
    if (!code) code = features(x, f, c, n, pool, err);
    if (!code) code = kl_sequence_linear_init(&f->linear, inputs, f->classes, err);
    if (!code)
        code = patterns ? kl_sequence_discriminant(&f->linear, x, labels, n, err)
                        : kl_sequence_logistic(&f->linear, x, labels, n, f->options.strength, pool, err);
    free(x);
    return code;
}

int kl_sequence_fit(struct kl_sequence_fitted *f, const struct kl_sequence_set *set, const int64_t *rows,
                    size_t n, const struct kl_sequence_fit_options *o, struct kl_pool *pool,
                    struct kl_error *err)
{
    const size_t bytes = n * (KL_SPD_TRIANGLE(set->channels) * sizeof(double) + sizeof(int32_t));
    *f = (struct kl_sequence_fitted){ .options = *o,
                                      .channels = set->channels,
                                      .steps = set->steps,
                                      .classes = (int)set->n_classes,
                                      .n_fitted = n };
    double *const c = malloc(bytes + 8);
    if (!c) return kl_fail_memory(err, bytes);
    int32_t *const labels = (int32_t *)(c + n * KL_SPD_TRIANGLE(set->channels));
    int code = KL_OK;
    if (o->align == KL_SEQUENCE_ALIGN_TRAIN) {
        const struct kl_sequence_window_source source = kl_sequence_standard_source(set);
        struct kl_error why = { 0 };
        f->align = matrices(1, set->channels);
        code = f->align ? kl_sequence_alignment_fit(f->align, &f->lost, &source, rows, n, pool, &why)
                        : kl_fail_memory(err, set->channels * set->channels * sizeof *c);
        if (why.code) kl_fail(err, code, "--align train: %s", why.text);
    }
    for (size_t i = 0; i < n; i++) labels[i] = set->labels[rows[i]];
    if (!code) code = covariances(c, f, set, rows, n, pool, err);
    if (!code)
        code = o->method == KL_SEQUENCE_MDM ? fit_points(f, c, labels, n, pool, err)
                                            : fit_linear(f, c, labels, n, pool, err);
    free(c);
    return code;
}

/* p (n, classes) = softmax of minus the squared distances. */
static int by_distance(double *p, const struct kl_sequence_fitted *f, const double *c, size_t n,
                       struct kl_pool *pool, struct kl_error *err)
{
    const size_t square = f->channels * f->channels, classes = (size_t)f->classes;
    double *const inverse = matrices(1, f->channels);
    int code = inverse ? KL_OK : kl_fail_memory(err, square * sizeof *inverse);
    for (size_t k = 0; k < f->n_points && !code; k++) {
        code = kl_sequence_roots(NULL, inverse, f->points + k * square, f->channels, err);
        if (!code)
            code = kl_sequence_distances(p + k, classes, c, NULL, n, f->channels, inverse, pool, err);
    }
    for (size_t i = 0; i < n * classes && !code; i++) p[i] *= -p[i];
    for (size_t i = 0; i < n && !code; i++) kl_sequence_softmax(p + i * classes, f->classes);
    free(inverse);
    return code;
}

int kl_sequence_fitted_apply(double *probabilities, struct kl_sequence_fitted *f,
                             const struct kl_sequence_set *set, const int64_t *rows, size_t n,
                             struct kl_pool *pool, struct kl_error *err)
{
    const size_t size = KL_SPD_TRIANGLE(f->channels),
                 bytes = n * (size + f->linear.inputs) * sizeof(double);
    if (set->channels != f->channels || set->steps != f->steps)
        return kl_fail(err, KL_EDATA, "found windows of %zu channels, %zu steps, expected %zu, %zu",
                       set->channels, set->steps, f->channels, f->steps);
    double *const c = malloc(bytes + 8);
    if (!c) return kl_fail_memory(err, bytes);
    int code = covariances(c, f, set, rows, n, pool, err);
    if (!code && f->options.method == KL_SEQUENCE_MDM)
        code = by_distance(probabilities, f, c, n, pool, err);
    else if (!code) {
        code = features(c + n * size, f, c, n, pool, err);
        if (!code) kl_sequence_linear_apply(probabilities, &f->linear, c + n * size, n);
    }
    free(c);
    return code;
}

void kl_sequence_fitted_free(struct kl_sequence_fitted *f)
{
    free(f->align), free(f->filters), free(f->points);
    kl_sequence_linear_free(&f->linear);
    memset(f, 0, sizeof *f);
}
