/* SPDX-License-Identifier: MIT
   Gradients by independent rules on real data: parameter shifts, and central differences of the loss of
   the whole head. */
#include "head/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct loss_check {
    const struct kl_head_model *model;
    double *params; /* put back as they were */
    const double *grad, *x;
    const int32_t *labels;
    size_t n;
    struct kl_head_work *work;
};

/* ---- The gradient of the whole head against central differences of its loss ---- */

/* How many entries of tensor t training moves. */
static size_t trained(const struct kl_head_model *model, int t)
{
    for (int i = 0; i < model->n_twin; i++) {
        if (t == model->twin[i].weight) return model->shape.weights[i];
        if (t == model->twin[i].bias) return model->shape.biases[i];
    }
    return t == model->vqc && model->options.core == KL_CORE_FROZEN ? 0 : model->block.tensors[t].size;
}

/* The place in the block of the k-th of them. */
static size_t place(const struct kl_head_model *model, int t, size_t k)
{
    const struct kl_tensor *tensor = &model->block.tensors[t];
    size_t i = k / tensor->dims[1], j = k % tensor->dims[1];
    for (int l = 0; l < model->n_twin; l++)
        if (t == model->twin[l].weight) kl_head_twin_entry(&i, &j, k, tensor->dims[0], tensor->dims[1]);
    return tensor->offset + kl_nn_tensor_index(tensor, i, j);
}

static int loss_at(double *loss, double *logits, const struct loss_check *c, double value, size_t at,
                   struct kl_error *err)
{
    const double kept = c->params[at];
    c->params[at] = value;
    int code = kl_head_forward_f64(logits, NULL, NULL, c->model, c->params, c->x, c->n, c->work, err);
    c->params[at] = kept;
    if (!code)
        *loss = kl_nn_cross_entropy_f64(NULL, NULL, logits, c->labels, c->n, c->model->n_classes, 1) /
                (double)c->n;
    return code;
}

/* How far the gradient at one entry is from a central difference. A ReLU that begins or ends within the
   step falsifies it, so of three steps the nearest counts: a wrong gradient is far from all of them. */
static int distance(double *least, double *logits, const struct loss_check *c, size_t at,
                    struct kl_error *err)
{
    enum { STEPS = 3 };
    static const double steps[STEPS] = { 1e-5, 1e-6, 1e-7 };
    const double near = 1e-9; /* what rounding leaves of a difference over the first step */
    *least = INFINITY;
    for (int s = 0; s<STEPS && * least> near; s++) {
        double up, down;
        int code = loss_at(&up, logits, c, c->params[at] + steps[s], at, err);
        if (!code) code = loss_at(&down, logits, c, c->params[at] - steps[s], at, err);
        if (code) return code;
        *least = fmin(*least, fabs(c->grad[at] - (up - down) / (2 * steps[s])));
    }
    return 0;
}

/* The largest distance between grad and central differences of the mean loss, in some entries of every
   tensor that trains; *entries: how many. */
static int kl_head_loss_differences(double *largest, size_t *entries, const struct loss_check *c,
                                    struct kl_error *err)
{
    enum { MOST = 16 }; /* of a tensor, evenly spaced */
    double *logits = malloc(c->n * c->model->n_classes * sizeof *logits);
    int code = logits ? 0 : kl_fail_memory(err, c->n * c->model->n_classes * sizeof *logits);
    *largest = 0, *entries = 0;
    for (int t = 0; t < c->model->block.n && !code; t++) {
        const size_t all = trained(c->model, t), n = all < MOST ? all : MOST;
        for (size_t i = 0; i < n && !code; i++) {
            double d;
            code = distance(&d, logits, c, place(c->model, t, all * i / n), err);
            if (!code && !(d <= *largest)) *largest = d; /* a NaN stays */
        }
        *entries += n;
    }
    free(logits);
    return code;
}

/* ---- Gradients by independent rules on real data ---- */

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
    const struct loss_check loss = { model, params, grads, x, features->labels, n, &work };
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

/* ---- What the comparison of gradients found, in words and as JSON ---- */

void kl_head_gradient_check_write(FILE *to, const struct kl_gradient_check *check, const char *core)
{
    fprintf(to, "%zu sample%s, %zu parameters, double precision, largest gradient %.3g\n",
            check->samples, kl_s(check->samples), check->parameters, check->largest);
    if (check->has_circuit) {
        fprintf(to, "adjoint - parameter-shift: %.2e (bound %.0e)\n", check->adjoint_shift,
                check->shift_bound);
        fprintf(to, "adjoint - central differences: %.2e (bound %.0e)\n", check->adjoint_differences,
                check->differences_bound);
        fprintf(to, "parameter-shift - central differences: %.2e (bound %.0e)\n",
                check->shift_differences, check->differences_bound);
        fprintf(to, "adjoint - mean of %zu spsa directions: %.2f standard errors (bound %.0f)\n",
                check->directions, check->spsa, check->spsa_bound);
    }
    fprintf(to, "core %s, %zu entries - central differences of the loss: %.2e (bound %.0e)\n", core,
            check->entries, check->loss_differences, check->differences_bound);
}

int kl_head_gradient_check_json(FILE *to, const struct kl_gradient_check *check, const char *core,
                                struct kl_error *err)
{
    const struct kl_json_pair pairs[] = {
        { "samples", KL_JSON_COUNT, NULL, (double)check->samples },
        { "parameters", KL_JSON_COUNT, NULL, (double)check->parameters },
        { "largest_gradient", KL_JSON_NUMBER, NULL, check->largest },
        { "core", KL_JSON_TEXT, core, 0 },
        { "entries", KL_JSON_COUNT, NULL, (double)check->entries },
        { "loss_differences", KL_JSON_NUMBER, NULL, check->loss_differences },
        { "differences_bound", KL_JSON_NUMBER, NULL, check->differences_bound },
        { "agree", KL_JSON_BOOL, NULL, check->agree },
        { "adjoint_shift", KL_JSON_NUMBER, NULL, check->adjoint_shift },
        { "shift_bound", KL_JSON_NUMBER, NULL, check->shift_bound },
        { "adjoint_differences", KL_JSON_NUMBER, NULL, check->adjoint_differences },
        { "shift_differences", KL_JSON_NUMBER, NULL, check->shift_differences },
        { "spsa_directions", KL_JSON_COUNT, NULL, (double)check->directions },
        { "spsa_standard_errors", KL_JSON_NUMBER, NULL, check->spsa },
        { "spsa_bound", KL_JSON_NUMBER, NULL, check->spsa_bound },
    };
    const size_t of_circuit = 7, n = sizeof pairs / sizeof *pairs;
    return kl_json_line(to, pairs, check->has_circuit ? n : n - of_circuit, err);
}
