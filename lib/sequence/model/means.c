/* SPDX-License-Identifier: MIT
   The readout of time averages alone: logistic regression on each channel's mean over the window. What a
   net that averages over time has to beat. Bare: on every value of the window, what a bare layer has to
   beat. */
#include <math.h>
#include <string.h>

#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

enum { WEIGHT, BIAS, TENSORS };

/* A mean of `length` steps gives one input of the regression. */
static size_t length_of(const struct kl_sequence_net *net)
{
    return net->options.bare ? 1 : net->shape.steps;
}

static size_t inputs_of(const struct kl_sequence_net *net)
{
    return net->shape.channels * (net->shape.steps / length_of(net));
}

#if !KL_F64
static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    const size_t classes = (size_t)net->shape.classes;
    int number = kl_nn_block_add_tensor(&net->block, "output_layer.weight", 2,
                                        (size_t[]){ classes, inputs_of(net) }, err);
    if (number >= 0) number = kl_nn_block_add_tensor(&net->block, "output_layer.bias", 1, &classes, err);
    net->n_parameters = classes * (inputs_of(net) + 1);
    return number < 0 ? number : 0;
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const double bound = 1 / sqrt((double)inputs_of(net));
    for (int i = 0; i < TENSORS; i++)
        kl_sequence_start(params, &net->block.tensors[i], -bound, bound, seed, i, replica);
}

static size_t work_f32(const struct kl_sequence_net *net, size_t n)
{
    (void)n;
    return (inputs_of(net) + (size_t)net->shape.classes) * sizeof(float);
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

/* The regression's inputs of a window. */
static void average(kl_real *means, const kl_real *x, const struct kl_sequence_net *net)
{
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps);
    for (size_t c = 0; c < net->shape.channels; c++)
        if (net->options.bare) memcpy(means + c * steps, x + c * stride, steps * sizeof *x);
        else means[c] = mean(x + c * stride, steps);
}

static void back(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                 const kl_real *weight, const kl_real *means, const kl_real *d, size_t i)
{
    const size_t channels = net->shape.channels, steps = net->shape.steps,
                 stride = kl_sequence_stride(steps), inputs = inputs_of(net), length = length_of(net);
    const struct kl_tensor *t = net->block.tensors;
    for (int k = 0; k < net->shape.classes; k++) {
        kl_real *const row = result->grad + t[WEIGHT].offset + (size_t)k * inputs;
        for (size_t j = 0; j < inputs; j++) row[j] += d[k] * means[j];
        result->grad[t[BIAS].offset + (size_t)k] += d[k];
    }
    if (!result->by_x) return;
    kl_real *const to = result->by_x + i * channels * stride;
    memset(to, 0, channels * stride * sizeof *to);
    for (size_t j = 0; j < inputs; j++) {
        const size_t c = j * length / steps, from = j * length % steps;
        kl_real sum = 0;
        for (int k = 0; k < net->shape.classes; k++) sum += d[k] * weight[(size_t)k * inputs + j];
        for (size_t s = from; s < from + length; s++) to[c * stride + s] = sum / (kl_real)length;
    }
}

void kl_sequence_means_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                           const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    const size_t inputs = inputs_of(net),
                 window = net->shape.channels * kl_sequence_stride(net->shape.steps);
    const struct kl_tensor *t = net->block.tensors;
    const kl_real *const weight = params + t[WEIGHT].offset, *const bias = params + t[BIAS].offset;
    kl_real *const means = work, *const d = means + inputs;
    const int classes = net->shape.classes;
    result->loss = 0, result->correct = 0;
    for (int i = 0; result->grad && i < TENSORS; i++)
        memset(result->grad + t[i].offset, 0, t[i].size * sizeof *result->grad);
    for (size_t i = 0; i < batch->n; i++) {
        average(means, batch->x + i * window, net);
        for (int k = 0; k < classes; k++) {
            kl_real sum = bias[k];
            for (size_t j = 0; j < inputs; j++) sum += weight[(size_t)k * inputs + j] * means[j];
            result->logits[i * (size_t)classes + (size_t)k] = sum;
        }
        kl_sequence_loss(result->grad ? d : NULL, result, batch, i, classes);
        if (result->grad) back(result, net, weight, means, d, i);
    }
}

#if !KL_F64
const struct kl_sequence_model kl_sequence_means = {
    .name = "means",
    .what = "logistic regression on each channel's mean over time, or on all values",
    .open = open_net,
    .init = init,
    .work_f32 = work_f32,
    .work_f64 = work_f64,
    .run_f32 = kl_sequence_means_run_f32,
    .run_f64 = kl_sequence_means_run_f64,
};
#endif
