/* SPDX-License-Identifier: MIT
   Gradients by three independent rules on real data. */
#include <math.h>
#include <stdlib.h>

#include "head/check_int.h"

static double largest_difference(const double *a, const double *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        if (!(d <= largest)) largest = d; /* a NaN stays */
    }
    return largest;
}

int kl_head_check_gradients(struct kl_gradient_check *check, const struct kl_head_model *model,
                            const struct kl_features *features, size_t n, uint64_t seed,
                            struct kl_error *err)
{
    const size_t size = model->block.size, d = features->d;
    const int methods = model->circuit ? 3 : 1;
    struct kl_head_work work = { 0 };
    if (n > features->n) n = features->n;
    *check = (struct kl_gradient_check){ .samples = n,
                                         .parameters = kl_head_parameters(model),
                                         .has_circuit = model->circuit,
                                         .shift_bound = 1e-10,
                                         .differences_bound = 1e-7 };
    double *params = calloc(4 * size, sizeof *params), *x = malloc(n * d * sizeof *x);
    float *initial = malloc(size * sizeof *initial);
    int code = params && x && initial ? kl_head_work_init(&work, err)
                                      : kl_fail_memory(err, 4 * size * sizeof *params);
    if (code) goto out;
    kl_head_init(initial, model, seed, 0);
    for (size_t i = 0; i < size; i++) params[i] = initial[i];
    for (size_t i = 0; i < n * d; i++) x[i] = features->x[i];
    double *grads[3];
    for (int method = 0; method < methods && !code; method++) {
        double loss;
        grads[method] = params + (size_t)(method + 1) * size;
        code = kl_head_gradient_f64(grads[method], &loss, NULL, model, params, x, features->labels, n,
                                    &(struct kl_head_diff){ .method = (enum kl_diff_method)method },
                                    &work, err);
    }
    const struct kl_loss_check loss = { model, params, grads[0], x, features->labels, n, &work };
    if (!code) code = kl_head_loss_differences(&check->loss_differences, &check->entries, &loss, err);
    if (code) goto out;
    for (size_t i = 0; i < size; i++) check->largest = fmax(check->largest, fabs(grads[0][i]));
    if (model->circuit) {
        check->shift = largest_difference(grads[0], grads[KL_DIFF_SHIFT], size);
        check->differences = largest_difference(grads[0], grads[KL_DIFF_DIFFERENCES], size);
    }
    check->agree = check->shift <= check->shift_bound &&
                   check->differences <= check->differences_bound &&
                   check->loss_differences <= check->differences_bound;
out:
    kl_head_work_free(&work);
    free(params);
    free(initial);
    free(x);
    return code;
}
