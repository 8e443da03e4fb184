/* SPDX-License-Identifier: MIT
   Linear layers with bias, activation and dropout. A ReLU's output says where its gradient passes
   (y > 0 there and kept), so no mask is stored. */
#include <math.h>

#include "kernels/act.h"
#include "kernels/gemm.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "nn/nn.h"

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

void kl_nn_linear_forward(kl_real *y, const kl_real *x, const kl_real *w, const kl_real *b, size_t n,
                          size_t d_in, size_t d_out, enum kl_activation act,
                          const struct kl_dropout *dropout)
{
    for (size_t j = 0; j < d_out; j += KL_STRIP)
        kl_kernel_gemm(y + j, d_out, x, d_in, 1, w + j * d_in, width(d_out, j), n, width(d_out, j), d_in,
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

void kl_nn_linear_weights(kl_real *dw, const kl_real *x, const kl_real *dy, size_t n, size_t d_in,
                          size_t d_out, size_t from, size_t to)
{
    for (size_t j = from * KL_STRIP; j < d_out && j < to * KL_STRIP; j += KL_STRIP)
        kl_kernel_gemm(dw + j * d_in, width(d_out, j), x, 1, d_in, dy + j, d_out, d_in, width(d_out, j),
                       n, 0);
}

void kl_nn_linear_biases(kl_real *db, const kl_real *dy, size_t n, size_t d_out)
{
    kl_kernel_sum_rows(db, dy, n, d_out);
}
