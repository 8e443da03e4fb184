/* SPDX-License-Identifier: MIT
   Linear classifiers: their probabilities; Fisher's discriminant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/covariance/covariance.h"

int kl_sequence_linear_init(struct kl_sequence_linear *linear, size_t inputs, int classes,
                            struct kl_error *err)
{
    const size_t k = (size_t)classes;
    *linear = (struct kl_sequence_linear){ .inputs = inputs, .classes = classes };
    linear->weights = calloc(k * (inputs + 1), sizeof *linear->weights);
    if (!linear->weights) return kl_fail_memory(err, k * (inputs + 1) * sizeof *linear->weights);
    linear->bias = linear->weights + k * inputs;
    return KL_OK;
}

void kl_sequence_linear_free(struct kl_sequence_linear *linear)
{
    free(linear->weights);
    *linear = (struct kl_sequence_linear){ 0 };
}

void kl_sequence_softmax(double *p, int classes)
{
    double most = p[0], sum = 0;
    for (int k = 1; k < classes; k++) most = fmax(most, p[k]);
    for (int k = 0; k < classes; k++) sum += p[k] = exp(p[k] - most);
    for (int k = 0; k < classes; k++) p[k] /= sum;
}

void kl_sequence_linear_apply(double *probabilities, const struct kl_sequence_linear *linear,
                              const double *x, size_t n)
{
    const size_t d = linear->inputs, classes = (size_t)linear->classes;
    for (size_t i = 0; i < n; i++) {
        double *const p = probabilities + i * classes;
        for (size_t k = 0; k < classes; k++) {
            p[k] = linear->bias[k];
            for (size_t f = 0; f < d; f++) p[k] += linear->weights[k * d + f] * x[i * d + f];
        }
        kl_sequence_softmax(p, linear->classes);
    }
}

/* Cholesky's factor of s (d, d) into its lower triangle; false: it is singular to rounding. */
static bool factor(double *s, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        const double before = s[i * d + i];
        for (size_t j = 0; j <= i; j++) {
            double sum = s[i * d + j];
            for (size_t k = 0; k < j; k++) sum -= s[i * d + k] * s[j * d + k];
            if (j < i) s[i * d + j] = sum / s[j * d + j];
            else if (!(sum > 1e-13 * before)) return false;
            else s[i * d + i] = sqrt(sum);
        }
    }
    return true;
}
static void solve(double *x, const double *l, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[i * d + k] * x[k];
        x[i] /= l[i * d + i];
    }
    for (size_t i = d; i-- > 0;) {
        for (size_t k = i + 1; k < d; k++) x[i] -= l[k * d + i] * x[k];
        x[i] /= l[i * d + i];
    }
}

/* means (classes, d), their counts, and the covariance within classes (d, d). */
static void moments(double *means, size_t *count, double *s, const double *x, const int32_t *labels,
                    size_t n, size_t d, size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        count[labels[i]]++;
        for (size_t f = 0; f < d; f++) means[(size_t)labels[i] * d + f] += x[i * d + f];
    }
    for (size_t k = 0; k < classes; k++)
        for (size_t f = 0; f < d && count[k]; f++) means[k * d + f] /= (double)count[k];
    for (size_t i = 0; i < n; i++) {
        const double *const mean = means + (size_t)labels[i] * d, *const row = x + i * d;
        for (size_t f = 0; f < d; f++)
            for (size_t g = 0; g <= f; g++) s[f * d + g] += (row[f] - mean[f]) * (row[g] - mean[g]);
    }
    for (size_t i = 0; i < d * d; i++) s[i] /= (double)n;
}

int kl_sequence_discriminant(struct kl_sequence_linear *linear, const double *x, const int32_t *labels,
                             size_t n, struct kl_error *err)
{
    const size_t d = linear->inputs, classes = (size_t)linear->classes,
                 bytes = (classes * d + d * d) * sizeof(double) + classes * sizeof(size_t);
    if (n <= classes)
        return kl_fail(err, KL_EDATA, "%zu windows to fit a discriminant of %zu classes on: too few", n,
                       classes);
    double *const means = calloc(1, bytes);
    if (!means) return kl_fail_memory(err, bytes);
    double *const s = means + classes * d;
    size_t *const count = (size_t *)(s + d * d);
    int code = KL_OK;
    moments(means, count, s, x, labels, n, d, classes);
    for (size_t k = 0; k < classes && !code; k++)
        if (!count[k])
            code = kl_fail(err, KL_EDATA, "class %zu has no window to fit a discriminant on", k);
    if (!code && !factor(s, d))
        code =
            kl_fail(err, KL_EDATA,
                    "the covariance of %zu features of %zu windows is singular; fewer would do", d, n);
    for (size_t k = 0; k < classes && !code; k++) {
        double *const w = linear->weights + k * d, half = 0;
        memcpy(w, means + k * d, d * sizeof *w);
        solve(w, s, d);
        for (size_t f = 0; f < d; f++) half += w[f] * means[k * d + f] / 2;
        linear->bias[k] = log((double)count[k] / (double)n) - half;
    }
    free(means);
    return code;
}
