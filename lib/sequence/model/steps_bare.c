/* SPDX-License-Identifier: MIT
   The bare layer: windows take the place of timesteps, a window's values that of channels. */
#include <string.h>

#include "kernels/inline/real.h"
#include "sequence/model/steps_int.h"

enum { S = KL_RING_STEPS };

const kl_real *kl_sequence_circuits_gather(struct kl_sequence_circuits *c,
                                           const struct kl_sequence_net *net,
                                           const struct kl_sequence_batch *batch, size_t first,
                                           size_t count)
{
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps), in = c->steps->inputs;
    for (size_t l = 0; l < S; l++) {
        const kl_real *x = l < count ? kl_sequence_circuits_input(c, net, batch, first + l, NULL) : NULL;
        for (size_t i = 0; i < in; i++)
            c->columns[i * S + l] = x ? x[i / steps * stride + i % steps] : 0;
    }
    return c->columns;
}

void kl_sequence_circuits_scatter(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                                  const struct kl_sequence_batch *batch, size_t first, size_t count,
                                  kl_real *by_x)
{
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps), in = c->steps->inputs;
    for (size_t l = 0; l < count; l++) {
        kl_real *to = by_x + (first + l) * net->shape.channels * stride;
        memset(to, 0, net->shape.channels * stride * sizeof *to);
        for (size_t i = 0; i < in; i++) to[i / steps * stride + i % steps] = c->columns[i * S + l];
        kl_sequence_circuits_input(c, net, batch, first + l, to);
    }
}

void kl_sequence_widen(double *to, const kl_real *block, const struct kl_sequence_net *net, int tensor)
{
    const struct kl_tensor *t = &net->block.tensors[tensor];
    for (size_t i = 0; i < t->size; i++) to[i] = (double)block[t->offset + i];
}

void kl_sequence_narrow(kl_real *block, const double *from, const struct kl_sequence_net *net,
                        int tensor)
{
    const struct kl_tensor *t = &net->block.tensors[tensor];
    for (size_t i = 0; i < t->size; i++) block[t->offset + i] = (kl_real)from[i];
}
