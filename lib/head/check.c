/* SPDX-License-Identifier: MIT
   Gradients by independent rules on real data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/check.h"
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

struct check {
    const struct kl_head_model *model;
    const double *params, *x;
    const int32_t *labels;
    size_t n;
    uint64_t seed;
    struct kl_head_work *work;
};

static int gradient(double *grad, const struct check *c, const struct kl_head_diff *diff,
                    struct kl_error *err)
{
    double loss;
    return kl_head_gradient_f64(grad, &loss, NULL, c->model, c->params, c->x, c->labels, c->n, diff,
                                c->work, err);
}

/* The estimates' mean in the entries next to the circuit, its weights and the biases of its inputs: how
   far from the adjoint's, in standard errors. sums: (2, block.size). */
static int spsa_distance(double *distance, double *sums, double *grad, const struct check *c,
                         const double *adjoint, size_t directions, struct kl_error *err)
{
    const struct kl_block *block = &c->model->block;
    const int tensors[2] = { c->model->vqc, c->model->reduce[c->model->n_reduce - 1].bias };
    double *squares = sums + block->size;
    struct kl_head_diff diff = { KL_DIFF_SPSA,
                                 { .shots = { .seed = c->seed }, .step = 1e-3, .directions = 1 } };
    memset(sums, 0, 2 * block->size * sizeof *sums);
    for (size_t d = 0; d < directions; d++) {
        diff.estimator.shots.step = (uint32_t)d;
        int code = gradient(grad, c, &diff, err);
        if (code) return code;
        for (size_t i = 0; i < block->size; i++) sums[i] += grad[i], squares[i] += grad[i] * grad[i];
    }
    *distance = 0;
    for (int k = 0; k < 2; k++) {
        const struct kl_tensor *t = &block->tensors[tensors[k]];
        for (size_t i = t->offset; i < t->offset + t->size; i++) {
            const double n = (double)directions, mean = sums[i] / n,
                         error = sqrt(fmax(squares[i] / n - mean * mean, 0) / n),
                         off = fabs(mean - adjoint[i]) / (error + 1e-9);
            if (!(off <= *distance)) *distance = off; /* a NaN stays */
        }
    }
    return KL_OK;
}

static int compare_rules(struct kl_gradient_check *check, double *grads, const struct check *c,
                         struct kl_error *err)
{
    const size_t size = c->model->block.size;
    double *shift = grads + size, *differences = shift + size, *spsa = differences + size;
    int code = gradient(shift, c, &(struct kl_head_diff){ .method = KL_DIFF_SHIFT }, err);
    if (!code)
        code = gradient(differences, c, &(struct kl_head_diff){ .method = KL_DIFF_DIFFERENCES }, err);
    if (code) return code;
    check->adjoint_shift = largest_difference(grads, shift, size);
    check->adjoint_differences = largest_difference(grads, differences, size);
    check->shift_differences = largest_difference(shift, differences, size);
    return spsa_distance(&check->spsa, shift, spsa, c, grads, check->directions, err);
}

int kl_head_check_gradients(struct kl_gradient_check *check, const struct kl_head_model *model,
                            const struct kl_features *features, size_t n, uint64_t seed,
                            struct kl_error *err)
{
    const size_t size = model->block.size, d = features->d;
    struct kl_head_work work = { 0 };
    if (n > features->n) n = features->n;
    *check = (struct kl_gradient_check){ .samples = n,
                                         .parameters = kl_head_parameters(model),
                                         .has_circuit = model->circuit,
                                         .directions = 400,
                                         .shift_bound = 1e-10,
                                         .differences_bound = 1e-7,
                                         .spsa_bound = 5 };
    double *params = calloc(5 * size, sizeof *params), *x = malloc(n * d * sizeof *x);
    float *initial = malloc(size * sizeof *initial);
    int code = params && x && initial ? kl_head_work_init(&work, err)
                                      : kl_fail_memory(err, 5 * size * sizeof *params);
    if (code) goto out;
    kl_head_init(initial, model, seed, 0);
    for (size_t i = 0; i < size; i++) params[i] = initial[i];
    for (size_t i = 0; i < n * d; i++) x[i] = features->x[i];
    double *grads = params + size; /* by the adjoint, then what it is compared with */
    const struct check c = { model, params, x, features->labels, n, seed, &work };
    const struct kl_loss_check loss = { model, params, grads, x, features->labels, n, &work };
    code = gradient(grads, &c, NULL, err);
    if (!code) code = kl_head_loss_differences(&check->loss_differences, &check->entries, &loss, err);
    if (!code && model->circuit) code = compare_rules(check, grads, &c, err);
    if (code) goto out;
    for (size_t i = 0; i < size; i++) check->largest = fmax(check->largest, fabs(grads[i]));
    check->agree = check->adjoint_shift <= check->shift_bound &&
                   check->adjoint_differences <= check->differences_bound &&
                   check->shift_differences <= check->differences_bound &&
                   check->spsa <= check->spsa_bound &&
                   check->loss_differences <= check->differences_bound;
out:
    kl_head_work_free(&work);
    free(params);
    free(initial);
    free(x);
    return code;
}
