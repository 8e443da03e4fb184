/* SPDX-License-Identifier: MIT
   Bayesian linear regression as a target: the companion of a run, whose law is known. */
#include <math.h>
#include <stdlib.h>

#include "kernels/inline/real.h"
#include "sampling/model/model.h"

struct linear {
    size_t n, d;
    struct kl_sampling_tensor tensor;
    double values[]; /* x (n, d), then y (n) */
};

static double residual(const struct linear *l, const kl_real *w, size_t row)
{
    const double *x = l->values + row * l->d;
    double sum = -l->values[l->n * l->d + row];
    for (size_t j = 0; j < l->d; j++) sum += x[j] * (double)w[j];
    return sum;
}

static void add(struct kl_sampling_sums *sums, double *per_record, double r, size_t i)
{
    const double loss = r * r / 2;
    sums->loss += loss, sums->squares += loss * loss, sums->count++;
    if (per_record) per_record[i] = loss;
}

/* Sums in double, one coordinate after another, so that no memory is needed. */
static int gradient(void *context, kl_real *grad, struct kl_sampling_sums *sums, const kl_real *w,
                    const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    const struct linear *l = context;
    (void)crew, (void)err;
    enum { SIDE = 32 };
    for (size_t j = 0; j < l->d; j++) grad[j] = 0;
    for (size_t i = 0; i < count; i += SIDE) {
        const size_t some = count - i < SIDE ? count - i : SIDE;
        double r[SIDE];
        for (size_t s = 0; s < some; s++) {
            r[s] = residual(l, w, rows ? (size_t)rows[i + s] : i + s);
            add(sums, NULL, r[s], 0);
        }
        for (size_t j = 0; j < l->d; j++) {
            double sum = 0;
            for (size_t s = 0; s < some; s++)
                sum += r[s] * l->values[(rows ? (size_t)rows[i + s] : i + s) * l->d + j];
            grad[j] += (kl_real)(sum / (double)count);
        }
    }
    return 0;
}

static int evaluate(void *context, struct kl_sampling_sums *sums, double *per_record, const kl_real *w,
                    bool test, const int64_t *rows, size_t count, const struct kl_sampling_crew *crew,
                    struct kl_error *err)
{
    const struct linear *l = context;
    (void)test, (void)crew, (void)err;
    for (size_t i = 0; i < count; i++)
        add(sums, per_record, residual(l, w, rows ? (size_t)rows[i] : i), i);
    return 0;
}

int kl_sampling_linear_target(struct kl_sampling_target *target, const double *x, const double *y,
                              size_t n, size_t d, double sigma, struct kl_error *err)
{
    const size_t bytes = sizeof(struct linear) + (n * d + n) * sizeof(double);
    struct linear *l = malloc(bytes);
    if (!l) return kl_fail_memory(err, bytes);
    *l = (struct linear){
        .n = n,
        .d = d,
        .tensor = { .name = "w", .rank = 1, .dims = { d }, .size = d, .fan_in = d, .sigma = sigma }
    };
    for (size_t i = 0; i < n * d; i++) l->values[i] = x[i];
    for (size_t i = 0; i < n; i++) l->values[n * d + i] = y[i];
    *target = (struct kl_sampling_target){ .size = d,
                                           .tensors = &l->tensor,
                                           .n_tensors = 1,
                                           .n = n,
                                           .n_test = n,
                                           .loss_high = INFINITY,
                                           .chance = 0,
                                           .context = l,
                                           .gradient = gradient,
                                           .evaluate = evaluate,
                                           .close = free };
    return 0;
}
