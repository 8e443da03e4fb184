/* SPDX-License-Identifier: MIT
   Linear layers, cross-entropy, the layout of tensors in files, one step of an optimiser. Compiled in
   both precisions. */
#include "kernels/act.h"

#include <math.h>

#include "kernels/gemm.h"
#include "kernels/optim.h"
#include "nn/nn.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

#if KL_F64
#define TANH tanh
#else
#define TANH tanhf
#endif

/* Of the strip that begins at output j. */
static size_t width(size_t d_out, size_t j)
{
    return d_out - j < KL_STRIP ? d_out - j : KL_STRIP;
}

void kl_nn_linear_forward(kl_real *y, const kl_real *x, size_t ldx, const kl_real *w, const kl_real *b,
                          size_t n, size_t d_in, size_t d_out, enum kl_activation act,
                          const struct kl_dropout *dropout)
{
    for (size_t j = 0; j < d_out; j += KL_STRIP)
        kl_kernel_gemm(y + j, d_out, x, ldx, 1, w + j * d_in, width(d_out, j), n, width(d_out, j), d_in,
                       0);
    kl_kernel_bias(y, b, n, d_out, act == KL_ACT_RELU);
    if (act == KL_ACT_TANH)
        for (size_t i = 0; i < n * d_out; i++) y[i] = TANH(y[i]);
    if (act == KL_ACT_RELU && dropout && dropout->rate > 0) {
        struct kl_dropout_draw draw = { .seed = dropout->seed,
                                        .purpose = KL_RANDOM_DROPOUT + 256 * dropout->layer,
                                        .step = dropout->step,
                                        .replica = dropout->replica,
                                        .threshold = kl_nn_dropout_threshold(dropout->rate),
                                        .scale = kl_nn_dropout_scale(dropout->rate) };
        kl_kernel_dropout(y, dropout->row * d_out, n * d_out, &draw);
    }
}

void kl_nn_activation_backward(kl_real *dy, const kl_real *y, size_t count, enum kl_activation act,
                               double rate)
{
    if (act == KL_ACT_TANH)
        for (size_t i = 0; i < count; i++) dy[i] *= 1 - y[i] * y[i];
    if (act == KL_ACT_RELU) kl_kernel_relu_back(dy, y, count, kl_nn_dropout_scale(rate));
}

void kl_nn_linear_inputs(kl_real *dx, kl_real *wt, const kl_real *dy, const kl_real *w, size_t n,
                         size_t d_in, size_t d_out)
{
    for (size_t j = 0; j < d_out; j++) {
        const size_t first = j - j % KL_STRIP, stride = width(d_out, first);
        const kl_real *from = w + first * d_in + (j - first);
        for (size_t i = 0; i < d_in; i++) wt[j * d_in + i] = from[i * stride];
    }
    kl_kernel_gemm(dx, d_in, dy, d_out, 1, wt, d_in, n, d_in, d_out, 0);
}

void kl_nn_linear_weights(kl_real *dw, const kl_real *x, size_t ldx, const kl_real *dy, size_t n,
                          size_t d_in, size_t d_out, size_t from, size_t to)
{
    for (size_t j = from * KL_STRIP; j < d_out && j < to * KL_STRIP; j += KL_STRIP)
        kl_kernel_gemm(dw + j * d_in, width(d_out, j), x, 1, ldx, dy + j, d_out, d_in, width(d_out, j),
                       n, 0);
}

void kl_nn_linear_biases(kl_real *db, const kl_real *dy, size_t n, size_t d_out)
{
    kl_kernel_sum_rows(db, dy, n, d_out);
}

/* ---- Softmax cross-entropy ---- */

#if KL_F64
#define EXP exp
#else
#define EXP expf
#endif

double kl_nn_cross_entropy(kl_real *d, size_t *correct, const kl_real *logits, const int32_t *labels,
                           size_t n, size_t classes, double scale)
{
    double total = 0;
    size_t right = 0;
    for (size_t i = 0; i < n; i++) {
        const kl_real *row = logits + i * classes;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            if (row[j] > row[best]) best = j;
        kl_real sum = 0;
        for (size_t j = 0; j < classes; j++) {
            kl_real e = EXP(row[j] - row[best]);
            sum += e;
            if (d) d[i * classes + j] = e;
        }
        total += log((double)sum) - (double)(row[labels[i]] - row[best]);
        right += best == (size_t)labels[i];
        if (!d) continue;
        kl_real factor = (kl_real)scale / sum;
        for (size_t j = 0; j < classes; j++) d[i * classes + j] *= factor;
        d[i * classes + (size_t)labels[i]] -= (kl_real)scale;
    }
    if (correct) *correct = right;
    return total;
}

/* ---- Tensors between the order of memory and that of files ---- */

void kl_nn_tensor_to_file(kl_real *file, const struct kl_tensor *t, const kl_real *block)
{
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->size / t->dims[0]; j++)
            *file++ = block[t->offset + kl_nn_tensor_index(t, i, j)];
}

void kl_nn_tensor_from_file(kl_real *block, const struct kl_tensor *t, const kl_real *file)
{
    for (size_t i = 0; i < t->dims[0]; i++)
        for (size_t j = 0; j < t->size / t->dims[0]; j++)
            block[t->offset + kl_nn_tensor_index(t, i, j)] = *file++;
}

/* ---- optimizer ----
   A step of SGD, Adam or AdamW over one block of parameters, after clipping by the gradient's norm. */

/* min(1, clip / (norm + epsilon)). The sum of squares is kept in sixteen chains in double: its order is
   fixed and vectors fit. */
static double clip_scale(const kl_real *grad, size_t n, double clip, double epsilon)
{
    enum { CHAINS = 16 };
    double sums[CHAINS] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + CHAINS <= n; i += CHAINS)
        for (int c = 0; c < CHAINS; c++) sums[c] += (double)grad[i + c] * grad[i + c];
    for (; i < n; i++) sums[0] += (double)grad[i] * grad[i];
    for (int c = 0; c < CHAINS; c++) sum += sums[c];
    double norm = sqrt(sum);
    return norm + epsilon > clip ? clip / (norm + epsilon) : 1;
}

void kl_nn_update_clip(struct kl_update *u, const struct kl_optimizer *o, const kl_real *grad, size_t n)
{
    u->adam.grad_scale = u->sgd.grad_scale =
        o->clip > 0 ? clip_scale(grad, n, o->clip, o->clip_epsilon) : 1;
}

double kl_nn_update_apply(kl_real *params, kl_real *m, kl_real *v, const kl_real *grad, size_t n,
                          const struct kl_update *u)
{
    return u->kind == KL_SGD ? kl_kernel_sgd(params, m, grad, n, &u->sgd)
                             : kl_kernel_adam(params, m, v, grad, n, &u->adam);
}
