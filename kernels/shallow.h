/* SPDX-License-Identifier: MIT
   shallow: Langevin steps of a whole network of one hidden layer, few inputs and one logit, its weights
   all in registers' shape: z = w2 . relu(W1 x + b1) + b2. Losses of a record with label y in {0, 1} and
   margin v = (2 y - 1) z: bounded cross-entropy -ln(e + (1 - 2 e) S(v)), e = exp(-l_max) < 1/2, or ln(1
   + exp(-v)); S(v) = 1 / (1 + exp(-v)). A sum over units is 16 partial sums (unit u: that of u % 16, in
   rising order), then by halves. The bits are those of weights, records and stream: AVX2 and AVX-512 the
   same, threads and batches beside change none. On a GPU, whole chains of it are
   kernels/cuda/chain.cuh. */
#ifndef KL_SHALLOW_H
#define KL_SHALLOW_H

#include "kernels/isa.h"
#include "kernels/langevin.h"

enum {
    KL_SHALLOW_INPUTS = 8,
    KL_SHALLOW_BATCH = 64,
    KL_SHALLOW_LANES = 16
}; /* the most; units of a block */
enum kl_shallow_loss { KL_SHALLOW_BBCE, KL_SHALLOW_BCE };

struct kl_shallow {
    size_t inputs, units; /* 1 .. KL_SHALLOW_INPUTS; any */
    enum kl_shallow_loss loss;
    double floor; /* e of bbce */
};
struct kl_shallow_records {
    const float *x;       /* (n, inputs) */
    const int32_t *label; /* (n) */
};
/* Over records. */
struct kl_shallow_sums {
    double loss, squares, wrong; /* of loss, loss^2, 0-1 error (label 1 is predicted where z > 0) */
};

/* Packed weights: of each 16 units the inputs + 2 rows of 16 that are W1's columns, b1, w2; units that
   fill the last 16 up are 0 and stay it. Behind them 16 numbers, of which the first is b2. */
static inline size_t kl_shallow_blocks(const struct kl_shallow *net)
{
    return (net->units + KL_SHALLOW_LANES - 1) / KL_SHALLOW_LANES;
}
static inline size_t kl_shallow_packed(const struct kl_shallow *net)
{
    return (kl_shallow_blocks(net) * (net->inputs + 2) + 1) * KL_SHALLOW_LANES;
}
/* Of parameter j in the order W1 [units][inputs], b1, w2, b2: its unit and row. */
static inline void kl_shallow_find(size_t *unit, size_t *row, const struct kl_shallow *net, size_t j)
{
    const size_t d = net->inputs, matrix = net->units * d;
    *unit = j < matrix ? j / d : (j - matrix) % net->units;
    *row = j < matrix ? j % d : d + (j - matrix) / net->units;
}
/* Its place in the packed form. */
static inline size_t kl_shallow_place(const struct kl_shallow *net, size_t j)
{
    size_t unit, row;
    kl_shallow_find(&unit, &row, net, j);
    if (row == net->inputs + 2) return kl_shallow_packed(net) - KL_SHALLOW_LANES;
    return (unit / KL_SHALLOW_LANES * (net->inputs + 2) + row) * KL_SHALLOW_LANES +
           unit % KL_SHALLOW_LANES;
}
/* The element of the stream (kernels/langevin.h) whose normal moves it: rows 2 i and 2 i + 1 share a
 * group. */
static inline size_t kl_shallow_element(const struct kl_shallow *net, size_t j)
{
    const size_t groups = (net->inputs + 3) / 2;
    size_t unit, row;
    kl_shallow_find(&unit, &row, net, j);
    if (row == net->inputs + 2) return kl_shallow_blocks(net) * groups * 32;
    return (unit / KL_SHALLOW_LANES * groups + row / 2) * 32 + row % 2 * 16 + unit % KL_SHALLOW_LANES;
}
static inline void kl_shallow_pack(float *packed, const float *flat, const struct kl_shallow *net)
{
    const size_t n = kl_shallow_packed(net), size = net->units * (net->inputs + 2) + 1;
    for (size_t i = 0; i < n; i++) packed[i] = 0;
    for (size_t j = 0; j < size; j++) packed[kl_shallow_place(net, j)] = flat[j];
}
static inline void kl_shallow_unpack(float *flat, const float *packed, const struct kl_shallow *net)
{
    const size_t size = net->units * (net->inputs + 2) + 1;
    for (size_t j = 0; j < size; j++) flat[j] = packed[kl_shallow_place(net, j)];
}

/* Steps on rows[0 .. batch - 1], the next batch, ... (a last short one too), batch <= KL_SHALLOW_BATCH,
   each w = shrink w - rate grad + spread N with the gradient of the batch's mean loss. factors (steps);
   sums (steps) are set: of each batch, with the weights before its step. Step i draws from stream with
   step + i. work: that many floats, any contents. */
static inline size_t kl_shallow_work(const struct kl_shallow *net, size_t batch)
{
    return kl_shallow_blocks(net) * KL_SHALLOW_LANES * batch;
}
typedef void kl_shallow_steps_fn(float *packed, const struct kl_shallow *net,
                                 const struct kl_shallow_records *records, const int64_t *rows,
                                 size_t n_rows, size_t batch, const struct kl_langevin_factors *factors,
                                 const struct kl_langevin_stream *stream, struct kl_shallow_sums *sums,
                                 float *work);
KL_KERNEL(kl_shallow_steps_fn, shallow_steps_f32)
/* Over records rows[i], or i where rows is NULL, i < count; sums are added to. per_record (count), NULL:
 * each loss. */
typedef void kl_shallow_evaluate_fn(struct kl_shallow_sums *sums, double *per_record,
                                    const float *packed, const struct kl_shallow *net,
                                    const struct kl_shallow_records *records, const int64_t *rows,
                                    size_t count);
KL_KERNEL(kl_shallow_evaluate_fn, shallow_evaluate_f32)

#endif
