/* SPDX-License-Identifier: MIT
   Classical Hydra: u + RMSNorm(out_proj(mix(in_proj(u)))) block after block, RMSNorm, mean over time, a
   head of two linear layers with GELU and dropout between. */
#include <math.h>
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
    kl_sequence_classical_forward(l->projected, own->ld_projected, l->u, own->ld, t, &l->in_proj, false);
    kl_sequence_classical_mix(run, l);
    kl_sequence_classical_forward(l->out, own->ld, run->gated, own->inner, t, &l->out_proj, false);
    kl_kernel_scan->norm(next, l->inv, l->out, l->outer_norm, t, own->width, own->ld);
    for (size_t i = 0; i < t * own->ld; i++) next[i] += l->u[i];
}

static void block_back(struct kl_classical_run *run, struct kl_classical_layer *l)
{
    const struct kl_classical *own = run->own;
    const size_t t = own->steps;
    kl_kernel_scan->norm_back(run->more, l->by_outer_norm, run->rows, l->out, l->outer_norm, l->inv, t,
                              own->width, own->ld, 0);
    kl_sequence_classical_inputs(run->by_gated, own->inner, run->more, own->ld, t, &l->out_proj, false);
    kl_sequence_classical_mix_back(run, l);
    kl_sequence_classical_weights(run->gated, own->inner, run->more, own->ld, t, &l->out_proj);
    kl_sequence_classical_weights(l->u, own->ld, run->by_projected, own->ld_projected, t, &l->in_proj);
    kl_sequence_classical_inputs(run->rows, own->ld, run->by_projected, own->ld_projected, t,
                                 &l->in_proj, true);
}

/* x Phi(x), Phi the normal distribution; its derivative. */
static double gelu(double x)
{
    return 0.5 * x * erfc(-x * 0.7071067811865476);
}
static double gelu_slope(double x)
{
    return 0.5 * erfc(-x * 0.7071067811865476) + x * 0.3989422804014327 * exp(-0.5 * x * x);
}

static void head(kl_real *logits, struct kl_classical_run *run, size_t row)
{
    const struct kl_classical_linear *first = &run->head[0], *second = &run->head[1];
    kl_sequence_classical_forward(run->hidden, first->out, run->pooled, first->in, 1, first, false);
    kl_kernel_bias(run->hidden, first->bias, 1, first->out, 0);
    for (size_t i = 0; i < first->out; i++) run->bent[i] = (kl_real)gelu((double)run->hidden[i]);
    kl_sequence_classical_drop(run->bent, row * first->out, first->out, run, 1);
    kl_sequence_classical_forward(logits, second->out, run->bent, second->in, 1, second, false);
    kl_kernel_bias(logits, second->bias, 1, second->out, 0);
}
static void head_back(struct kl_classical_run *run, size_t row)
{
    const struct kl_classical_linear *first = &run->head[0], *second = &run->head[1];
    kl_sequence_classical_weights(run->bent, second->in, run->by_logits, second->out, 1, second);
    kl_kernel_layers->add(second->by_bias, run->by_logits, second->out, 1, second->out);
    kl_sequence_classical_inputs(run->by_hidden, second->in, run->by_logits, second->out, 1, second,
                                 false);
    kl_sequence_classical_drop(run->by_hidden, row * first->out, first->out, run, 1);
    for (size_t i = 0; i < first->out; i++)
        run->by_hidden[i] *= (kl_real)gelu_slope((double)run->hidden[i]);
    kl_sequence_classical_weights(run->pooled, first->in, run->by_hidden, first->out, 1, first);
    kl_kernel_layers->add(first->by_bias, run->by_hidden, first->out, 1, first->out);
    kl_sequence_classical_inputs(run->by_pooled, first->in, run->by_hidden, first->out, 1, first, false);
}

void kl_sequence_classical_hydra_run(struct kl_sequence_result *result,
                                     const struct kl_sequence_net *net, const kl_real *params,
                                     const struct kl_sequence_batch *batch, void *work)
{
    static const struct kl_classical_kind kind = { block, block_back, head, head_back };
    kl_sequence_classical_windows(result, net, params, batch, &kind, work);
}
