/* SPDX-License-Identifier: MIT
   Private to lib/sampling/model: a network's workspace and what its passes are made of. */
#ifndef KL_SAMPLING_MODEL_INT_H
#define KL_SAMPLING_MODEL_INT_H

#include "kernels/layers.h"
#include "sampling/model/model.h"

enum { KL_SAMPLING_CHUNK = 128, KL_SAMPLING_SIDE = KL_LAYERS_IMAGES };

/* Maps of blocks of 16 images, [block][channel][y][x][16]; at: y = x = 0 of the first, behind a border
   of zeros where a convolution is padded. */
#define kl_sampling_maps KL_NAME(kl_sampling_maps)
struct kl_sampling_maps {
    kl_real *at;
    size_t block, channel, row;
};

/* One thread's, or one pool's. Of the records in hand: valid of them, n with those that fill up blocks
   of 16. Matrices are feature-major, (features, ld), and row-major, (records, features), where `r`
   stands behind the name. */
#define kl_sampling_work KL_NAME(kl_sampling_work)
struct kl_sampling_work {
    size_t ld, n, valid;
    kl_real *x[KL_SAMPLING_DENSE + 1], *xr[KL_SAMPLING_DENSE]; /* inputs of dense layers; last: logits */
    kl_real *dy, *dyr, *dx, *dxr; /* gradients: of a layer's outputs, of its inputs */
    struct kl_sampling_maps in[KL_SAMPLING_UNITS + 1], raw[KL_SAMPLING_UNITS], act[KL_SAMPLING_UNITS],
        back[KL_SAMPLING_UNITS],
        slope; /* inputs; before batch norm; after ReLU; gradients of raw; of a unit's output */
    int32_t *taps[KL_SAMPLING_UNITS], *taps_back[KL_SAMPLING_UNITS];
    kl_real *turned[KL_SAMPLING_UNITS]; /* (in, kernel, out, kernel): filters turned by half a turn */
    double *mean, *variance;            /* of the records in hand (n_statistics) */
    double *logits, *by_logits;         /* of a record */
    struct kl_arena arena;
};
#define kl_sampling_context KL_NAME(kl_sampling_context)
struct kl_sampling_context {
    const struct kl_sampling_net *net;
    const struct kl_sampling_records *sets[2]; /* training, test */
    size_t most;                               /* records in hand at once */
    int threads;
    double *mean, *variance; /* frozen statistics */
    struct kl_sampling_work *works;
    struct kl_sampling_shallow *shallow; /* (threads); NULL: not of the shallow kind */
};

#define kl_sampling_work_open KL_NAME(kl_sampling_work_open)
int kl_sampling_work_open(struct kl_sampling_work *work, const struct kl_sampling_net *net, size_t most,
                          struct kl_error *err);

/* The arguments of a pass; grad NULL: forward alone; further: the gradient goes on from grad. */
#define kl_sampling_step KL_NAME(kl_sampling_step)
struct kl_sampling_step {
    const struct kl_sampling_context *context;
    struct kl_sampling_work *work;
    struct kl_pool *pool;
    const kl_real *w;
    kl_real *grad;
    bool further;
    bool statistics; /* batch norm takes those of the records in hand */
    int layer;
};
/* layers.c: from x[0] to the logits; from dy and dyr of the logits to grad and, with convolutions
 * before, to dx. */
#define kl_sampling_dense_forward KL_NAME(kl_sampling_dense_forward)
void kl_sampling_dense_forward(struct kl_sampling_step *step);
#define kl_sampling_dense_backward KL_NAME(kl_sampling_dense_backward)
void kl_sampling_dense_backward(struct kl_sampling_step *step);
/* layers.c: from in[0] to x[0]; from dx to grad. */
#define kl_sampling_conv_forward KL_NAME(kl_sampling_conv_forward)
void kl_sampling_conv_forward(struct kl_sampling_step *step);
#define kl_sampling_conv_backward KL_NAME(kl_sampling_conv_backward)
void kl_sampling_conv_backward(struct kl_sampling_step *step);

/* net.c, in float: many steps at once of a net of one hidden layer, few inputs and one logit. */
struct kl_sampling_target_f32;
struct kl_sampling_shallow;
/* Sets target's walk if its net and batches are of that kind. KL_ENOMEM. */
int kl_sampling_shallow_open(struct kl_sampling_shallow **shallow, struct kl_sampling_target_f32 *target,
                             const struct kl_sampling_net *net, size_t batch, int threads,
                             struct kl_error *err);
void kl_sampling_shallow_close(struct kl_sampling_shallow *shallow, int threads); /* accepts NULL */

#endif
