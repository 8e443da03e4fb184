/* SPDX-License-Identifier: MIT
   What several nets share: batch norm, the loss at their end, dropout. */
#include <math.h>
#include <string.h>

#include "kernels/act.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

/* ---- norm ----
   Batch norm: statistics, factors and gradients of a batch, in both precisions of what it stands on. */

static const kl_real *values(const struct kl_sequence_net *net, int tensor, const kl_real *params)
{
    return params + net->block.tensors[tensor].offset;
}

void kl_sequence_norm_begin(struct kl_sequence_norm *norm, double *memory, size_t n,
                            const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place, const kl_real *params,
                            bool training)
{
    double **const arrays[KL_SEQUENCE_NORM_ARRAYS] = { &norm->gain,    &norm->bias, &norm->old_mean,
                                                       &norm->old_var, &norm->a,    &norm->k,
                                                       &norm->mean,    &norm->var,  &norm->inverse,
                                                       &norm->sum,     &norm->with };
    for (int i = 0; i < KL_SEQUENCE_NORM_ARRAYS; i++, memory += n) *arrays[i] = memory;
    norm->n = n, norm->training = training;
    for (size_t i = 0; i < n; i++) {
        norm->gain[i] = values(net, place->gain, params)[i];
        norm->bias[i] = values(net, place->bias, params)[i];
        norm->old_mean[i] = values(net, place->mean, params)[i];
        norm->old_var[i] = values(net, place->var, params)[i];
        norm->a[i] = 1, norm->k[i] = norm->sum[i] = norm->with[i] = 0;
    }
}

void kl_sequence_norm_gather(struct kl_sequence_norm *norm, const kl_real *means, const kl_real *squares,
                             size_t windows, size_t stride, size_t steps)
{
    norm->count = (double)windows * (double)steps;
    for (size_t i = 0; i < norm->n; i++) {
        double mean = 0, sum = 0;
        for (size_t w = 0; norm->training && w < windows; w++) mean += means[w * stride + i];
        mean /= (double)windows;
        for (size_t w = 0; norm->training && w < windows; w++) {
            const double off = means[w * stride + i] - mean;
            sum += squares[w * stride + i] + (double)steps * off * off;
        }
        norm->mean[i] = norm->training ? mean : 0;
        norm->var[i] = sum / norm->count;
        const double var = norm->training ? norm->a[i] * norm->a[i] * norm->var[i] : norm->old_var[i];
        norm->inverse[i] = 1 / sqrt(var + norm->epsilon);
    }
}

void kl_sequence_norm_factors(kl_real *scale, kl_real *shift, kl_real *centre, size_t lanes,
                              const struct kl_sequence_norm *norm)
{
    memset(scale, 0, lanes * sizeof *scale), memset(shift, 0, lanes * sizeof *shift);
    memset(centre, 0, lanes * sizeof *centre);
    for (size_t i = 0; i < norm->n; i++) {
        const double g = norm->gain[i] * norm->inverse[i], by_v = g * norm->a[i];
        scale[i] = (kl_real)by_v;
        shift[i] = (kl_real)(norm->training ? norm->bias[i] - by_v * norm->mean[i]
                                            : norm->bias[i] + g * (norm->k[i] - norm->old_mean[i]));
        centre[i] = (kl_real)norm->mean[i];
    }
}

void kl_sequence_norm_back(kl_real *f, size_t lanes, const struct kl_sequence_norm *norm)
{
    memset(f, 0, 3 * lanes * sizeof *f);
    for (size_t i = 0; i < norm->n; i++) {
        kl_real *const at = f + i / 16 * 48 + i % 16;
        const double a = norm->a[i], inverse = norm->inverse[i], by_v = norm->gain[i] * inverse * a;
        at[0] = (kl_real)by_v;
        if (!norm->training) continue;
        const double slope = -a * a * inverse * inverse * norm->with[i] / norm->count;
        at[16] = (kl_real)(by_v * slope);
        at[32] = (kl_real)(by_v * (-norm->sum[i] / norm->count - norm->mean[i] * slope));
    }
}

/* dL/du sums to 0 over a batch whose mean is taken away; what is left of the sum with v is what epsilon
   leaves of the variance's effect. */
#if !KL_F64
double kl_sequence_norm_du(const struct kl_sequence_norm *norm, size_t i)
{
    return norm->training ? 0 : norm->gain[i] * norm->inverse[i] * norm->sum[i];
}

double kl_sequence_norm_du_v(const struct kl_sequence_norm *norm, size_t i)
{
    const double inverse = norm->inverse[i], by_u = norm->gain[i] * inverse;
    if (norm->training) return by_u * norm->with[i] * norm->epsilon * inverse * inverse;
    return by_u * norm->with[i];
}
#endif

void kl_sequence_norm_gradient(kl_real *grad, const struct kl_sequence_net *net,
                               const struct kl_sequence_norm_place *place,
                               const struct kl_sequence_norm *norm)
{
    const struct kl_tensor *t = net->block.tensors;
    for (size_t i = 0; i < norm->n; i++) {
        const double off = norm->training ? 0 : norm->k[i] - norm->old_mean[i];
        grad[t[place->gain].offset + i] =
            (kl_real)(norm->inverse[i] * (norm->a[i] * norm->with[i] + norm->sum[i] * off));
        grad[t[place->bias].offset + i] = (kl_real)norm->sum[i];
        grad[t[place->mean].offset + i] = grad[t[place->var].offset + i] = 0;
    }
}

void kl_sequence_norm_state(kl_real *state, const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place,
                            const struct kl_sequence_norm *norm)
{
    const struct kl_tensor *t = net->block.tensors;
    const size_t from = t[net->first_state].offset;
    for (size_t i = 0; i < norm->n; i++) {
        const double m = norm->training ? norm->momentum : 0, a = norm->a[i],
                     unbiased =
                         norm->count > 1 ? a * a * norm->var[i] * norm->count / (norm->count - 1) : 0;
        state[t[place->mean].offset - from + i] =
            (kl_real)((1 - m) * norm->old_mean[i] + m * (a * norm->mean[i] + norm->k[i]));
        state[t[place->var].offset - from + i] = (kl_real)((1 - m) * norm->old_var[i] + m * unbiased);
    }
}

#if !KL_F64
int kl_sequence_norm_add(struct kl_sequence_norm_place *place, struct kl_sequence_net *net,
                         const char *name, size_t n, bool state, struct kl_error *err)
{
    const char *const what[4] = { "weight", "bias", "running_mean", "running_var" };
    int *const to[4] = { &place->gain, &place->bias, &place->mean, &place->var };
    for (int i = state ? 2 : 0; i < (state ? 4 : 2); i++) {
        char full[sizeof net->block.tensors->name];
        snprintf(full, sizeof full, "%s.%s", name, what[i]);
        *to[i] = kl_nn_block_add_tensor(&net->block, full, 1, &n, err);
        if (*to[i] < 0) return *to[i];
    }
    return 0;
}

void kl_sequence_norm_init(float *params, const struct kl_sequence_net *net,
                           const struct kl_sequence_norm_place *place)
{
    const struct kl_tensor *t = net->block.tensors;
    for (size_t i = 0; i < t[place->gain].size; i++)
        params[t[place->gain].offset + i] = params[t[place->var].offset + i] = 1;
}
#endif

/* ---- the loss at the end of every net: cross entropy, or given weights of the logits ---- */

void kl_sequence_loss(kl_real *d, struct kl_sequence_result *result,
                      const struct kl_sequence_batch *batch, size_t i, int classes)
{
    const kl_real *logits = result->logits + i * (size_t)classes;
    if (batch->cot) {
        const kl_real *cot = batch->cot + i * (size_t)classes;
        for (int k = 0; k < classes; k++) {
            result->loss += (double)cot[k] * (double)logits[k];
            if (d) d[k] = cot[k];
        }
        return;
    }
    int best = 0;
    for (int k = 1; k < classes; k++)
        if (logits[k] > logits[best]) best = k;
    double sum = 0;
    for (int k = 0; k < classes; k++) sum += exp((double)logits[k] - (double)logits[best]);
    const int label = batch->labels[i];
    result->loss += log(sum) - ((double)logits[label] - (double)logits[best]);
    result->correct += best == label;
    for (int k = 0; d && k < classes; k++) {
        const double p = exp((double)logits[k] - (double)logits[best]) / sum;
        d[k] = (kl_real)(batch->scale * (p - (k == label)));
    }
}

void kl_sequence_drop(kl_real *y, size_t first, size_t count, const struct kl_sequence_net *net,
                      const struct kl_sequence_batch *batch, uint32_t place)
{
    const double rate = net->options.dropout;
    const struct kl_dropout_draw draw = { .seed = batch->seed,
                                          .purpose = KL_RANDOM_SEQUENCE_DROPOUT + 256 * place,
                                          .step = batch->step,
                                          .replica = batch->replica,
                                          .threshold = kl_nn_dropout_threshold(rate),
                                          .scale = kl_nn_dropout_scale(rate) };
    if (batch->training && rate > 0) kl_kernel_dropout(y, first, count, &draw);
}
