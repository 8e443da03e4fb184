/* SPDX-License-Identifier: MIT
   The classical twin of a circuit: a map of as many outputs from as many inputs, out = tanh(W x + b),
   with as many parameters (twin.c). */
#ifndef KL_TWIN_H
#define KL_TWIN_H

#include <stdbool.h>
#include <stddef.h>

struct kl_head_model;
struct kl_head_part;

enum { KL_TWIN_LAYERS = 2 };

/* Which entries a twin has; all others of its tensors are zero and stay zero. */
struct kl_twin {
    int n_layers;                   /* 1, or 2 where one layer cannot hold as many parameters */
    size_t hidden;                  /* width between two layers */
    size_t weights[KL_TWIN_LAYERS]; /* of each weight: how many, in the order of kl_head_twin_entry */
    size_t biases[KL_TWIN_LAYERS];  /* of each bias: the first so many */
};
/* Of n_in inputs and n_out outputs, with `count` parameters: the first diagonals whole, so that each
   input and each output takes part, then biases, then further diagonals. Exactly `count`, but where that
   is less than the first diagonals hold: then those. */
void kl_head_twin_shape(struct kl_twin *twin, size_t n_in, size_t n_out, size_t count);
size_t kl_head_twin_parameters(const struct kl_twin *twin);
/* Entry k of a matrix [d_out, d_in], along diagonals that wrap around; k below d_out * d_in meets every
   entry once. */
void kl_head_twin_entry(size_t *i, size_t *j, size_t k, size_t d_out, size_t d_in);
/* Zero in values (block.size) what the twin does not have of this part. */
void kl_head_twin_mask_f32(float *values, const struct kl_head_model *model,
                           const struct kl_head_part *part);
void kl_head_twin_mask_f64(double *values, const struct kl_head_model *model,
                           const struct kl_head_part *part);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_head_twin_mask KL_NAME(kl_head_twin_mask)

#endif
