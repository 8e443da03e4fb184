/* SPDX-License-Identifier: MIT
   The inside of a block of classical Mamba or Hydra: x and z of the projection through a causal
   convolution, a selective scan (Hydra: one in each direction, with the same parameters, D counted
   twice) and a gate, y silu(z). */
#include <string.h>

#include "kernels/scan.h"
#include "kernels/inline/real.h"
#include "sequence/model/classical_int.h"

/* Columns of a block's matrices: Mamba's projection is [x, z], of x come [dt's, B, C]; Hydra's is [z, x,
   B, C, dt's]. */
struct columns {
    size_t x, z, rank, b, c, ld; /* ld: of the matrix that holds the last three */
};
static struct columns columns(const struct kl_classical *own)
{
    const size_t e = own->inner;
    if (own->hydra)
        return (struct columns){
            e, 0, 2 * e + 2 * own->states, 2 * e, 2 * e + own->states, own->ld_projected
        };
    return (struct columns){ 0, e, 0, own->rank, own->rank + own->states, own->ld_mixed };
}

static struct kl_scan_job job(const struct kl_classical_run *r, const struct kl_classical_layer *l,
                              bool backward)
{
    const struct kl_classical *own = r->own;
    const struct columns at = columns(own);
    const kl_real *from = own->hydra ? l->projected : l->mixed;
    return (struct kl_scan_job){ .rule = own->rule,
                                 .backward = backward,
                                 .keep = r->back,
                                 .steps = own->steps,
                                 .channels = own->inner,
                                 .states = own->states,
                                 .ld_dt = own->inner,
                                 .ld_u = own->inner,
                                 .ld_bc = at.ld,
                                 .dt = l->dt,
                                 .u = l->conv,
                                 .b = from + at.b,
                                 .c = from + at.c,
                                 .a = l->rates,
                                 .d = l->d,
                                 .kept = backward ? l->kept_backward : l->kept };
}

void kl_sequence_classical_mix(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const struct columns at = columns(own);
    const size_t t = own->steps, e = own->inner, ld = own->ld_projected;
    kl_real *from = own->hydra ? l->projected : l->mixed;
    kl_kernel_scan->conv(l->conv, e, l->projected + at.x, ld, l->taps, l->conv_bias, t, e);
    if (!own->hydra)
        kl_sequence_classical_forward(l->mixed, own->ld_mixed, l->conv, e, t, &l->x_proj, false);
    kl_sequence_classical_forward(l->dt, e, from + at.rank, at.ld, t, &l->dt_proj, false);
    kl_kernel_scan->softplus(l->dt, l->dt_proj.bias, t, e, e);
    const struct kl_scan_job forward = job(run, l, false);
    kl_kernel_scan->forward(l->y, e, &forward, 0);
    if (own->hydra) {
        const struct kl_scan_job backward = job(run, l, true);
        kl_kernel_scan->forward(l->y, e, &backward, 1);
        kl_kernel_scan->norm(l->y_normed, l->inner_inv, l->y, l->norm, t, e, e);
    }
    kl_kernel_scan->gate(run->gated, e, own->hydra ? l->y_normed : l->y, e, l->projected + at.z, ld, t,
                         e);
}

/* From the gradient at the scans' sum, gy, to by_conv, by_dt and the columns of B and C in `to`. */
static void scans_back(struct kl_classical_run *r, struct kl_classical_layer *l, const kl_real *gy,
                       kl_real *to)
{
    const struct kl_classical *own = r->own;
    const struct columns at = columns(own);
    struct kl_scan_gradient gradient = { .gy = gy,
                                         .ld_gy = own->inner,
                                         .ld = own->inner,
                                         .ld_gbc = at.ld,
                                         .gdt = r->by_dt,
                                         .gu = r->by_conv,
                                         .gb = to + at.b,
                                         .gc = to + at.c,
                                         .ga = l->by_rates,
                                         .gd = l->by_d,
                                         .work = r->scan_work };
    const struct kl_scan_job forward = job(r, l, false);
    kl_kernel_scan->back(&gradient, &forward);
    if (!own->hydra) return;
    const struct kl_scan_job backward = job(r, l, true);
    gradient.add = 1;
    kl_kernel_scan->back(&gradient, &backward);
}

void kl_sequence_classical_mix_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const struct columns at = columns(own);
    const size_t t = own->steps, e = own->inner, ld = own->ld_projected;
    kl_real *gy = run->by_gated, *to = own->hydra ? run->by_projected : run->by_mixed;
    const kl_real *from = own->hydra ? l->projected : l->mixed;
    kl_kernel_scan->gate_back(run->by_gated, e, run->by_projected + at.z, ld, run->gated, e,
                              own->hydra ? l->y_normed : l->y, e, l->projected + at.z, ld, t, e);
    if (own->hydra) {
        gy = l->y_normed; /* which nobody needs any more */
        kl_kernel_scan->norm_back(gy, l->by_norm, run->by_gated, l->y, l->norm, l->inner_inv, t, e, e,
                                  0);
    }
    scans_back(run, l, gy, to);
    kl_kernel_scan->softplus_back(run->by_dt, l->dt_proj.by_bias, l->dt, t, e, e);
    kl_sequence_classical_weights(from + at.rank, at.ld, run->by_dt, e, t, &l->dt_proj);
    kl_sequence_classical_inputs(to + at.rank, at.ld, run->by_dt, e, t, &l->dt_proj, false);
    if (!own->hydra) {
        kl_sequence_classical_weights(l->conv, e, run->by_mixed, own->ld_mixed, t, &l->x_proj);
        kl_sequence_classical_inputs(run->by_conv, e, run->by_mixed, own->ld_mixed, t, &l->x_proj, true);
    }
    kl_kernel_scan->conv_back(run->by_projected + at.x, ld, l->by_taps, l->by_conv_bias, run->by_conv, e,
                              l->projected + at.x, ld, l->taps, l->conv_bias, t, e);
}
