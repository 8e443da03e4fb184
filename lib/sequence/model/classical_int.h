/* SPDX-License-Identifier: MIT
   Private to classical Mamba and Hydra: their sizes and tensors, a run's memory, and the steps that both
   have. A matrix inside the net has a row a timestep; what pads a row to 16 values holds 0. */
#ifndef KL_SEQUENCE_CLASSICAL_INT_H
#define KL_SEQUENCE_CLASSICAL_INT_H

#include "kernels/scan.h"
#include "sequence/model/model_int.h"

/* Numbers of tensors in net->block; -1: this net has none. */
struct kl_classical_block {
    int in_proj, x_proj, conv, conv_bias, a_log, d, dt, dt_bias, out_proj, norm, outer_norm;
};
struct kl_classical {
    bool hydra;
    enum kl_scan_rule rule;
    size_t channels, steps;                    /* as the net sees them: of a bare one 1, all values */
    size_t width, inner, states, rank, hidden; /* D, E = 2 D, S, R = D/16 up; of Hydra's head D/2 */
    size_t projected, mixed;                   /* outputs of in_proj; of x_proj (Mamba), else 0 */
    size_t ld, ld_projected, ld_mixed;         /* rows of width and of these */
    int embedding, embedding_bias, final_norm, head[2], head_bias[2], n_blocks;
    struct kl_classical_block *blocks;
};

/* ---- a run: files compiled in both precisions ---- */
/* Weight and bias (NULL: none) of `in` inputs and `out` outputs; back: the transpose, in strips of
   inputs; gradients. */
struct kl_classical_linear {
    const kl_real *w, *bias;
    kl_real *back, *by_w, *by_bias;
    size_t in, out;
};
/* A block: parameters as the kernels take them, their gradients (sums over windows), and what a window
   leaves for the way back. */
struct kl_classical_layer {
    const struct kl_classical_block *numbers;
    struct kl_classical_linear in_proj, x_proj, dt_proj, out_proj;
    const kl_real *conv_bias, *d, *norm, *outer_norm;
    kl_real *rates, *taps, *by_rates, *by_taps, *by_conv_bias, *by_d, *by_norm, *by_outer_norm;
    kl_real *u, *normed, *inv; /* input; Mamba: its norm */
    kl_real *projected, *conv, *mixed, *dt, *y, *kept, *kept_backward;
    kl_real *y_normed, *inner_inv, *out; /* Hydra: norm of y; of out_proj's results, inv above */
};
struct kl_classical_run {
    const struct kl_classical *own;
    const struct kl_sequence_net *net;
    const struct kl_sequence_batch *batch;
    bool back; /* gradients are asked for */
    struct kl_classical_linear embedding, head[2];
    const kl_real *final_norm;
    kl_real *by_final_norm, *grad;
    struct kl_classical_layer *layers;
    kl_real *last, *last_inv, *pooled, *hidden, *bent, *by_logits, *by_pooled, *by_hidden;
    kl_real *x, *by_x;    /* of bare nets the window as one row; (steps, channels) */
    kl_real *gated;       /* of the block at hand: y silu(z) */
    kl_real *rows, *more; /* (steps, width): gradient at what the block gave; within it */
    kl_real *by_gated, *by_projected, *by_conv, *by_dt, *by_mixed, *scan_work;
};
#define kl_sequence_classical_work KL_NAME(kl_sequence_classical_work)
#define kl_sequence_classical_mamba_run KL_NAME(kl_sequence_classical_mamba_run)
#define kl_sequence_classical_hydra_run KL_NAME(kl_sequence_classical_hydra_run)

/* Outputs of the strip that begins with this one of n. */
static inline size_t kl_sequence_classical_strip(size_t n, size_t first)
{
    return n - first < KL_STRIP ? n - first : KL_STRIP;
}
/* Linear layers and heads (classical_head.c). set_linear: of tensors `weight` and `bias` (-1: none).
   forward: y (m, out) = x (m, in) w, without the bias, or += it; weights: gradient of the weight +=;
   inputs: dx (m, in) = dy w^T, or +=. place_head: the head's memory behind `at` of base (NULL: it is
   counted), whose end it returns. head: logits from pooled; head_back: by_pooled from by_logits; row:
   the window's number in the step. */
#define kl_sequence_classical_set_linear KL_NAME(kl_sequence_classical_set_linear)
#define kl_sequence_classical_forward KL_NAME(kl_sequence_classical_forward)
#define kl_sequence_classical_weights KL_NAME(kl_sequence_classical_weights)
#define kl_sequence_classical_inputs KL_NAME(kl_sequence_classical_inputs)
#define kl_sequence_classical_place_head KL_NAME(kl_sequence_classical_place_head)
#define kl_sequence_classical_set_head KL_NAME(kl_sequence_classical_set_head)
#define kl_sequence_classical_head KL_NAME(kl_sequence_classical_head)
#define kl_sequence_classical_head_back KL_NAME(kl_sequence_classical_head_back)
void kl_sequence_classical_set_linear(struct kl_classical_linear *l, const struct kl_classical_run *run,
                                      const kl_real *params, int weight, int bias);
void kl_sequence_classical_forward(kl_real *y, size_t ld_y, const kl_real *x, size_t ld_x, size_t m,
                                   const struct kl_classical_linear *l, bool add);
void kl_sequence_classical_weights(const kl_real *x, size_t ld_x, const kl_real *dy, size_t ld_dy,
                                   size_t m, const struct kl_classical_linear *l);
void kl_sequence_classical_inputs(kl_real *dx, size_t ld_dx, const kl_real *dy, size_t ld_dy, size_t m,
                                  const struct kl_classical_linear *l, bool add);
size_t kl_sequence_classical_place_head(struct kl_classical_run *run, char *base, size_t at);
void kl_sequence_classical_set_head(struct kl_classical_run *run, const kl_real *params);
void kl_sequence_classical_head(kl_real *logits, struct kl_classical_run *run, size_t row);
void kl_sequence_classical_head_back(struct kl_classical_run *run, size_t row);

/* Bytes; work for n windows is that for one. begin: memory and what is the same for all windows; grad
   NULL and back: sums go where nobody looks. end: gradients that were summed in another order into grad.
 */
#define KL_CLASSICAL_MODELS(real, p)                                                                 \
    size_t kl_sequence_classical_work_##p(const struct kl_sequence_net *net, size_t n);              \
    void kl_sequence_classical_mamba_run_##p(struct kl_sequence_result_##p *result,                  \
                                             const struct kl_sequence_net *net, const real *params,  \
                                             const struct kl_sequence_batch_##p *batch, void *work); \
    void kl_sequence_classical_hydra_run_##p(struct kl_sequence_result_##p *result,                  \
                                             const struct kl_sequence_net *net, const real *params,  \
                                             const struct kl_sequence_batch_##p *batch, void *work);
KL_CLASSICAL_MODELS(float, f32)
KL_CLASSICAL_MODELS(double, f64)

extern const struct kl_sequence_gpu kl_sequence_classical_gpu; /* classical_gpu.c */

#endif
