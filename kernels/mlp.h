/* SPDX-License-Identifier: MIT
   mlp: a small dense network with ReLU and dropout, eight samples at a time, one thread a network: all
   that it has (100-30-20-3: 4,560 numbers with their padding) stays in the nearest caches. Inputs may be
   packed bits. Its cuda/ twin trains whole epochs, a block a network (kernels/cuda/mlp.cu): a step takes
   two microseconds, fewer than a launch. */
#ifndef KL_MLP_H
#define KL_MLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/isa.h"
#include "kernels/act.h"

enum { KL_MLP_BATCH = 8, KL_MLP_LAYERS = 4, KL_MLP_PAD = 16 };

/* size[0] inputs, then the units of each layer; the last ones are the classes. */
struct kl_mlp {
    int n_layers, size[KL_MLP_LAYERS + 1];
};

/* A layer's parameters: a row of weights for each of its inputs, then the biases; rows are padded to a
   multiple of KL_MLP_PAD with zeros, which stay zero. The layers follow each other. */
static inline size_t kl_mlp_width(int units)
{
    return ((size_t)units + KL_MLP_PAD - 1) / KL_MLP_PAD * KL_MLP_PAD;
}
/* The first place of layer l; with l = n_layers the size of the block. */
static inline size_t kl_mlp_layer(const struct kl_mlp *net, int l)
{
    size_t at = 0;
    for (int i = 0; i < l; i++) at += ((size_t)net->size[i] + 1) * kl_mlp_width(net->size[i + 1]);
    return at;
}
/* Numbers of workspace that a call needs: activations and their gradients, tables of sums, a transposed
   layer, one byte an input. */
static inline size_t kl_mlp_work(const struct kl_mlp *net)
{
    size_t most = kl_mlp_width(net->size[1]) * 32, all = 0;
    for (int i = 0; i <= net->n_layers; i++) {
        const size_t width = kl_mlp_width(net->size[i]);
        all += 2 * KL_MLP_BATCH * width;
        if (i > 1 && width * kl_mlp_width(net->size[i - 1]) > most)
            most = width * kl_mlp_width(net->size[i - 1]);
    }
    return all + most + (size_t)net->size[0] + 64;
}

/* Up to KL_MLP_BATCH samples. A sample's inputs: words of which bit j % 64 of word j / 64 is input j, or
   size[0] numbers of the precision. */
struct kl_mlp_batch {
    size_t n;
    bool packed;
    const void *row[KL_MLP_BATCH];
    int32_t label[KL_MLP_BATCH];
};

/* grad (the block) = gradient of the mean cross-entropy + l1 * sum |params|, the subgradient of |0|
   being 0. drop: of every hidden layer l = 1, 2, ... with purpose + 256 l, element i * width + j for
   unit j of sample i; threshold 0: none. params and grad differ; work: kl_mlp_work numbers. */
struct kl_mlp_loss {
    double cross_entropy, sum_abs; /* mean over the batch, nats; sum |params| */
    double squares;                /* sum grad^2 */
};
#define KL_MLP_GRADIENT(real, p)                                                                      \
    typedef void kl_mlp_gradient_##p##_fn(struct kl_mlp_loss *loss, real *grad, const real *params,   \
                                          const struct kl_mlp *net, const struct kl_mlp_batch *batch, \
                                          double l1, const struct kl_dropout_draw *drop, real *work); \
    KL_KERNEL(kl_mlp_gradient_##p##_fn, mlp_gradient_##p)
KL_MLP_GRADIENT(float, f32)
KL_MLP_GRADIENT(double, f64)
/* logits (batch->n, classes), without dropout. */
#define KL_MLP_LOGITS(real, p)                                                                      \
    typedef void kl_mlp_logits_##p##_fn(real *logits, const real *params, const struct kl_mlp *net, \
                                        const struct kl_mlp_batch *batch, real *work);              \
    KL_KERNEL(kl_mlp_logits_##p##_fn, mlp_logits_##p)
KL_MLP_LOGITS(float, f32)
KL_MLP_LOGITS(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_mlp_gradient KL_NAME(kl_kernel_mlp_gradient)()
#define kl_kernel_mlp_logits KL_NAME(kl_kernel_mlp_logits)()

#endif
