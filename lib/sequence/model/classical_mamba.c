/* SPDX-License-Identifier: MIT
   Classical Mamba: u + out_proj(mix(in_proj(RMSNorm(u)))) block after block, RMSNorm, mean over time,
   one linear layer. */
#include <string.h>

#include "kernels/act.h"
#include "kernels/layers.h"
#include "kernels/scan.h"
#include "kernels/inline/real.h"
#include "sequence/model/classical_int.h"

static void block(struct kl_classical_run *run, struct kl_classical_layer *l, kl_real *next)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_kernel_scan->norm(l->normed, l->inv, l->u, l->norm, t, own->width, own->ld);
    kl_sequence_classical_forward(l->projected, own->ld_projected, l->normed, own->ld, t, &l->in_proj,
                                  false);
    kl_sequence_classical_mix(run, l);
    memcpy(next, l->u, t * own->ld * sizeof *next);
    kl_sequence_classical_forward(next, own->ld, run->gated, own->inner, t, &l->out_proj, true);
}

static void block_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_sequence_classical_inputs(run->by_gated, own->inner, run->rows, own->ld, t, &l->out_proj, false);
    kl_sequence_classical_mix_back(run, l);
    kl_sequence_classical_weights(run->gated, own->inner, run->rows, own->ld, t, &l->out_proj);
    kl_sequence_classical_weights(l->normed, own->ld, run->by_projected, own->ld_projected, t,
                                  &l->in_proj);
    kl_sequence_classical_inputs(run->more, own->ld, run->by_projected, own->ld_projected, t,
                                 &l->in_proj, false);
    kl_kernel_scan->norm_back(run->rows, l->by_norm, run->more, l->u, l->norm, l->inv, t, own->width,
                              own->ld, 1);
}

static void head(kl_real *logits, struct kl_classical_run *run, size_t row)
{
    const struct kl_classical_linear *l = &run->head[0];
    (void)row;
    kl_sequence_classical_forward(logits, l->out, run->pooled, l->in, 1, l, false);
    kl_kernel_bias(logits, l->bias, 1, l->out, 0);
}
static void head_back(struct kl_classical_run *run, size_t row)
{
    const struct kl_classical_linear *l = &run->head[0];
    (void)row;
    kl_sequence_classical_weights(run->pooled, l->in, run->by_logits, l->out, 1, l);
    kl_kernel_layers->add(l->by_bias, run->by_logits, l->out, 1, l->out);
    kl_sequence_classical_inputs(run->by_pooled, l->in, run->by_logits, l->out, 1, l, false);
}

void kl_sequence_classical_mamba_run(struct kl_sequence_result *result,
                                     const struct kl_sequence_net *net, const kl_real *params,
                                     const struct kl_sequence_batch *batch, void *work)
{
    static const struct kl_classical_kind kind = { block, block_back, head, head_back };
    kl_sequence_classical_windows(result, net, params, batch, &kind, work);
}
