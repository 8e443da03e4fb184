/* SPDX-License-Identifier: MIT
   The readout of time averages alone: logistic regression on each channel's mean over the window. What a
   net that averages over time has to beat. */
#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

enum { WEIGHT, BIAS, TENSORS };

#if !KL_F64
static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    const size_t classes = (size_t)net->shape.classes;
    int number = kl_nn_block_add_tensor(&net->block, "output_layer.weight", 2,
                                        (size_t[]){ classes, net->shape.channels }, err);
    if (number >= 0) number = kl_nn_block_add_tensor(&net->block, "output_layer.bias", 1, &classes, err);
    net->n_parameters = classes * (net->shape.channels + 1);
    return number < 0 ? number : 0;
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const double bound = 1 / sqrt((double)net->shape.channels);
    for (int i = 0; i < TENSORS; i++)
        kl_sequence_start(params, &net->block.tensors[i], -bound, bound, seed, i, replica);
}

static size_t work_f32(const struct kl_sequence_net *net, size_t n)
{
    (void)n;
    return (net->shape.channels + (size_t)net->shape.classes) * sizeof(float);
}

static size_t work_f64(const struct kl_sequence_net *net, size_t n)
{
    return 2 * work_f32(net, n);
}
#endif

/* Sixteen sums, then halves. */
static kl_real mean(const kl_real *x, size_t steps)
{
    kl_real s[16] = { 0 };
    for (size_t t = 0; t < kl_sequence_stride(steps); t += 16)
        for (int l = 0; l < 16; l++) s[l] += x[t + (size_t)l];
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0] / (kl_real)steps;
}

static void back(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                 const kl_real *weight, const kl_real *means, const kl_real *d, size_t i)
{
    const size_t channels = net->shape.channels, steps = net->shape.steps,
                 stride = kl_sequence_stride(steps);
    const struct kl_tensor *t = net->block.tensors;
    for (int k = 0; k < net->shape.classes; k++) {
        kl_real *const row = result->grad + t[WEIGHT].offset + (size_t)k * channels;
        for (size_t c = 0; c < channels; c++) row[c] += d[k] * means[c];
        result->grad[t[BIAS].offset + (size_t)k] += d[k];
    }
    for (size_t c = 0; result->by_x && c < channels; c++) {
        kl_real sum = 0, *const to = result->by_x + (i * channels + c) * stride;
        for (int k = 0; k < net->shape.classes; k++) sum += d[k] * weight[(size_t)k * channels + c];
        for (size_t s = 0; s < stride; s++) to[s] = s < steps ? sum / (kl_real)steps : 0;
    }
}

void kl_sequence_means_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                           const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    const size_t channels = net->shape.channels, stride = kl_sequence_stride(net->shape.steps);
    const struct kl_tensor *t = net->block.tensors;
    const kl_real *const weight = params + t[WEIGHT].offset, *const bias = params + t[BIAS].offset;
    kl_real *const means = work, *const d = means + channels;
    const int classes = net->shape.classes;
    result->loss = 0, result->correct = 0;
    for (int i = 0; result->grad && i < TENSORS; i++)
        memset(result->grad + t[i].offset, 0, t[i].size * sizeof *result->grad);
    for (size_t i = 0; i < batch->n; i++) {
        for (size_t c = 0; c < channels; c++)
            means[c] = mean(batch->x + (i * channels + c) * stride, net->shape.steps);
        for (int k = 0; k < classes; k++) {
            kl_real sum = bias[k];
            for (size_t c = 0; c < channels; c++) sum += weight[(size_t)k * channels + c] * means[c];
            result->logits[i * (size_t)classes + (size_t)k] = sum;
        }
        kl_sequence_loss(result->grad ? d : NULL, result, batch, i, classes);
        if (result->grad) back(result, net, weight, means, d, i);
    }
}

#if !KL_F64
const struct kl_sequence_model kl_sequence_means = {
    .name = "means",
    .what = "logistic regression on each channel's mean over time",
    .open = open_net,
    .init = init,
    .work_f32 = work_f32,
    .work_f64 = work_f64,
    .run_f32 = kl_sequence_means_run_f32,
    .run_f64 = kl_sequence_means_run_f64,
};
#endif
