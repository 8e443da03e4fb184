/* SPDX-License-Identifier: MIT
   scan: selective scans of state-space models (Gu & Dao 2023, arXiv:2312.00752) and what stands around
   them in a block. Rows are timesteps, channels lie side by side: lanes are channels, so a scan is one
   chain over time a lane and state. Forward keeps the state at every eighth step; backward takes the
   eight steps between two of them again, so memory is that of an eighth of all states, and time grows
   with the number of steps. Every sum has one order on all instruction sets. On a GPU:
   kernels/cuda/scan.cu, by kernels/cuda_scans.h.
   Rows begin `ld` values apart, a multiple of 16; channels are a multiple of 16. */
#ifndef KL_SCAN_H
#define KL_SCAN_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_SCAN_CHUNK = 8, KL_SCAN_TAPS = 4, KL_SCAN_SIDE = 16 };
/* h_t = abar h_(t-1) + bbar u_t, y_t = sum_s C_t[s] h_t[s] + D u_t. Mamba: abar = e^(dt A), bbar = dt B;
   Hydra's two revisions: abar = 1 + dt A or e^(dt A), bbar = B. */
enum kl_scan_rule { KL_SCAN_MAMBA, KL_SCAN_EULER, KL_SCAN_EXP };

/* dt >= 0, u (steps, channels); b, c (steps, states); a (states, channels) as `rates` makes it; d
   (channels). kept: the states, (kl_scan_chunks + 1, states, channels) if keep, else (states, channels).
   backward: from the last step to the first, in all of them. */
#define KL_SCAN_JOB(p, real)                                  \
    struct kl_scan_job_##p {                                  \
        enum kl_scan_rule rule;                               \
        int backward, keep;                                   \
        size_t steps, channels, states, ld_dt, ld_u, ld_bc;   \
        const real *dt, *u, *b, *c, *a, *d;                   \
        real *kept;                                           \
    };                                                        \
    /* gy: gradient at y. gdt, gu (steps, channels; rows of   \
       ld) are set, or added to if add; so are gb, gc (steps, \
       states; rows of ld_gbc). ga (states, channels), by A,  \
       and gd (channels) are added to. work:                  \
       kl_scan_work(states, channels) values. */              \
    struct kl_scan_gradient_##p {                             \
        const real *gy;                                       \
        size_t ld_gy, ld, ld_gbc;                             \
        real *gdt, *gu, *gb, *gc, *ga, *gd, *work;            \
        int add;                                              \
    };
KL_SCAN_JOB(f32, float)
KL_SCAN_JOB(f64, double)
static inline size_t kl_scan_chunks(size_t steps)
{
    return (steps + KL_SCAN_CHUNK - 1) / KL_SCAN_CHUNK;
}
static inline size_t kl_scan_work(size_t states, size_t channels)
{
    return states * (channels + 2 * (size_t)KL_SCAN_CHUNK * KL_SCAN_SIDE);
}

/* The rows around a scan: (steps, n) matrices whose rows are ld apart.
   norm: y = g x / rms, rms = sqrt(mean x^2 + 1e-5); inv (steps) = 1 / rms. Columns from n on to a
   multiple of 16 hold 0 and get 0. Back: dx = the gradient by x, or += if add; dg (n) +=. */
#define KL_SCAN_NORM_ARGS(real) \
    (real * y, real * inv, const real *x, const real *g, size_t steps, size_t n, size_t ld)
#define KL_SCAN_NORM_BACK_ARGS(real)                                                                    \
    (real * dx, real * dg, const real *dy, const real *x, const real *g, const real *inv, size_t steps, \
     size_t n, size_t ld, int add)
/* y = silu(v), v_t = bias + sum_k w[k] x_(t - 3 + k), 0 before the first step; w (4, n). Back: dy
   becomes the gradient by v, dx is set; dw (4, n), dbias (n) +=. */
#define KL_SCAN_CONV_ARGS(real)                                                                        \
    (real * y, size_t ld_y, const real *x, size_t ld_x, const real *w, const real *bias, size_t steps, \
     size_t n)
#define KL_SCAN_CONV_BACK_ARGS(real)                                                           \
    (real * dx, size_t ld_dx, real * dw, real * dbias, real * dy, size_t ld_dy, const real *x, \
     size_t ld_x, const real *w, const real *bias, size_t steps, size_t n)
/* x becomes softplus(x + bias). Back: d becomes the gradient before it, y its values; dbias (n) +=. */
#define KL_SCAN_SOFTPLUS_ARGS(real) (real * x, const real *bias, size_t steps, size_t n, size_t ld)
#define KL_SCAN_SOFTPLUS_BACK_ARGS(real) \
    (real * d, real * dbias, const real *y, size_t steps, size_t n, size_t ld)
/* out = y silu(z). Back: d, the gradient at out, becomes that by y; dz and out are set. */
#define KL_SCAN_GATE_ARGS(real)                                                                       \
    (real * out, size_t ld_out, const real *y, size_t ld_y, const real *z, size_t ld_z, size_t steps, \
     size_t n)
#define KL_SCAN_GATE_BACK_ARGS(real)                                                           \
    (real * d, size_t ld_d, real * dz, size_t ld_dz, real * out, size_t ld_out, const real *y, \
     size_t ld_y, const real *z, size_t ld_z, size_t steps, size_t n)
/* a (states, channels) of a job: -e^log in units of the rule (A, or A log2(e), whose power of 2 the scan
   takes); log (channels, states). */
#define KL_SCAN_RATES_ARGS(real) \
    (real * a, const real *log, size_t states, size_t channels, enum kl_scan_rule rule)

#define KL_SCAN_TABLE(p, real)                                                                  \
    struct kl_scan_##p {                                                                        \
        void(*rates) KL_SCAN_RATES_ARGS(real);                                                  \
        void (*forward)(real * y, size_t ld_y, const struct kl_scan_job_##p *job, int add);     \
        void (*back)(const struct kl_scan_gradient_##p *to, const struct kl_scan_job_##p *job); \
        void(*norm) KL_SCAN_NORM_ARGS(real);                                                    \
        void(*norm_back) KL_SCAN_NORM_BACK_ARGS(real);                                          \
        void(*conv) KL_SCAN_CONV_ARGS(real);                                                    \
        void(*conv_back) KL_SCAN_CONV_BACK_ARGS(real);                                          \
        void(*softplus) KL_SCAN_SOFTPLUS_ARGS(real);                                            \
        void(*softplus_back) KL_SCAN_SOFTPLUS_BACK_ARGS(real);                                  \
        void(*gate) KL_SCAN_GATE_ARGS(real);                                                    \
        void(*gate_back) KL_SCAN_GATE_BACK_ARGS(real);                                          \
    };                                                                                          \
    KL_KERNEL(const struct kl_scan_##p, scan_##p)
KL_SCAN_TABLE(f32, float)
KL_SCAN_TABLE(f64, double)
/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_scan KL_NAME(kl_kernel_scan)()
#define kl_scan_job KL_NAME(kl_scan_job)
#define kl_scan_gradient KL_NAME(kl_scan_gradient)

#endif
