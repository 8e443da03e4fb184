/* SPDX-License-Identifier: MIT
   Private to twins: a pass over windows, of which a GPU does the middle (twin_gpu.c). */
#ifndef KL_SEQUENCE_TWIN_INT_H
#define KL_SEQUENCE_TWIN_INT_H

#include "sequence/model/model_int.h"

extern const struct kl_sequence_gpu kl_sequence_twin_gpu;

#define kl_twin_pass KL_NAME(kl_twin_pass)
struct kl_twin_pass {
    const struct kl_sequence_net *net;
    const struct kl_twin_net *t;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    /* (width, ld) each: input of the first layer; outputs of the first two; normalised; features; what
       they are read into, twice; gradients by them */
    kl_real *x, *u, *theta, *plain, *m, *y, *o, *dm, *dy, *dtheta, *du, *turned;
    /* the map (features, inputs), branches as one map, their bias, weights over time (steps, 2) */
    kl_real *map, *map_bias, *joint, *joint_bias, *w;
    kl_real *mean, *a, *d, *da; /* mean (2, features), a (features) */
    /* of columns; of a convolution: its means, input with zeros beside, taps (taps, channels, outputs)
     */
    kl_real *means, *inverse, *along, *pooled, *padded, *taps, *slopes, *row;
    /* gradients summed over windows: of linear layer l turned, (in, out), and (out) */
    kl_real *d_weight[6], *d_linear_bias[6], *d_map, *d_map_bias, *d_joint, *d_joint_bias, *d_conv;
    double *d_w;
};

/* Places of its arrays behind base, sums over windows 0; bytes. base NULL: only these. */
#define kl_sequence_twin_place KL_NAME(kl_sequence_twin_place)
size_t kl_sequence_twin_place(struct kl_twin_pass *p, char *base);
/* What is the same for all windows, from the parameters. */
#define kl_sequence_twin_lay KL_NAME(kl_sequence_twin_lay)
void kl_sequence_twin_lay(struct kl_twin_pass *p);
/* From the features m of all columns to what they are read into, and its means over time; and back from
   dy to dm. */
#define kl_sequence_twin_read KL_NAME(kl_sequence_twin_read)
void kl_sequence_twin_read(struct kl_twin_pass *p);
#define kl_sequence_twin_unread KL_NAME(kl_sequence_twin_unread)
void kl_sequence_twin_unread(struct kl_twin_pass *p);
/* From the means to the logits of window i; from the gradient d by the logits to that by o, in dy; d_w:
   by the weights over time. */
#define kl_sequence_twin_classify KL_NAME(kl_sequence_twin_classify)
void kl_sequence_twin_classify(struct kl_twin_pass *p, size_t i);
#define kl_sequence_twin_unclassify KL_NAME(kl_sequence_twin_unclassify)
void kl_sequence_twin_unclassify(struct kl_twin_pass *p);
/* All tensors', which are 0, from the sums over windows. */
#define kl_sequence_twin_gradients KL_NAME(kl_sequence_twin_gradients)
void kl_sequence_twin_gradients(struct kl_twin_pass *p);

#endif
