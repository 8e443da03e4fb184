/* SPDX-License-Identifier: MIT
   State-space nets of windows on a GPU (kernels/cuda/scan.cu), classical Mamba and Hydra: see
   kernels/cuda_windows.h, whose table of functions they have too. There go the parameters but the
   head's; what comes back is each window's mean over time behind the last norm. */
#ifndef KL_KERNELS_CUDA_SCANS_H
#define KL_KERNELS_CUDA_SCANS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/scan.h"

struct kl_cuda_scans_shape {
    enum kl_scan_rule rule;
    int32_t hydra; /* else Mamba */
    int32_t n_blocks, width, states, rank;
};
/* Where a copy's parameters stand, and the derivatives by them. Matrices (outputs, inputs) are strips of
   KL_CUDA_SCANS_STRIP outputs, (inputs, outputs of the strip) each, as lib/nn has them: embedding
   (width, channels), its bias, then the blocks, `block` values each, then the last norm's gain. In a
   block, inner being 2 width: in_proj (2 inner, Hydra's + rank + 2 states, width), Mamba's x_proj (rank
   + 2 states, inner), conv (inner, 4), its bias, rates (states, inner) as kl_scan's, d (inner), dt
   (inner, rank), its bias, out_proj (width, inner), norm, Hydra's outer_norm. By rates: by A, whatever
   their unit. */
enum { KL_CUDA_SCANS_STRIP = 32 };
struct kl_cuda_scans_places {
    size_t embedding, embedding_bias, blocks, block, final_norm, end;
    size_t in_proj, x_proj, conv, conv_bias, rates, d, dt, dt_bias, out_proj, norm, outer_norm;
};
static inline size_t kl_cuda_scans_mixed(const struct kl_cuda_scans_shape *s)
{
    return (size_t)s->rank + 2 * (size_t)s->states;
}
static inline size_t kl_cuda_scans_projected(const struct kl_cuda_scans_shape *s)
{
    return 4 * (size_t)s->width + (s->hydra ? kl_cuda_scans_mixed(s) : 0);
}
static inline struct kl_cuda_scans_places kl_cuda_scans_places(const struct kl_cuda_scans_shape *s,
                                                               size_t channels)
{
    struct kl_cuda_scans_places p;
    const size_t width = (size_t)s->width, inner = 2 * width;
    p.in_proj = 0;
    p.x_proj = p.in_proj + kl_cuda_scans_projected(s) * width;
    p.conv = p.x_proj + (s->hydra ? 0 : kl_cuda_scans_mixed(s) * inner);
    p.conv_bias = p.conv + KL_SCAN_TAPS * inner;
    p.rates = p.conv_bias + inner;
    p.d = p.rates + (size_t)s->states * inner;
    p.dt = p.d + inner;
    p.dt_bias = p.dt + (size_t)s->rank * inner;
    p.out_proj = p.dt_bias + inner;
    p.norm = p.out_proj + width * inner;
    p.outer_norm = p.norm + (s->hydra ? inner : width);
    p.block = p.outer_norm + (s->hydra ? width : 0);
    p.embedding = 0;
    p.embedding_bias = width * channels;
    p.blocks = p.embedding_bias + width;
    p.final_norm = p.blocks + (size_t)s->n_blocks * p.block;
    p.end = p.final_norm + width;
    return p;
}

#endif
