/* SPDX-License-Identifier: MIT
   A circuit whose probabilities are the generator's law. What the generator loses is the mean of an
   observable that is diagonal, so that one adjoint sweep has all derivatives. Compiled in both
   precisions. */
#include "qrng/gan/gan.h"

#include <string.h>

#include "kernels/inline/real.h"

int kl_born_make(struct kl_born *g, const struct kl_circuit *circuit, struct kl_arena *memory,
                 struct kl_error *err)
{
    const size_t n = circuit->n_weights, all = 4 * n + kl_circuit_state_size(circuit, 1);
    kl_real *at = kl_arena_take(memory, all, sizeof *at);
    if (!at) return kl_fail_memory(err, all * sizeof *at);
    memset(at, 0, 4 * n * sizeof *at);
    *g = (struct kl_born){ circuit, at, at + n, at + 2 * n, at + 3 * n, at + 4 * n };
    return KL_OK;
}

int kl_born_law(kl_real *law, struct kl_born *g, struct kl_arena *work, struct kl_error *err)
{
    return kl_circuit_forward(law, g->state, g->circuit, NULL, g->angles, 1, NULL, work, err);
}

int kl_born_gradient(struct kl_born *g, const kl_real *dp, struct kl_arena *work, struct kl_error *err)
{
    memset(g->grad, 0, g->circuit->n_weights * sizeof *g->grad);
    return kl_circuit_adjoint(NULL, g->grad, g->state, g->circuit, NULL, g->angles, dp, 1, NULL, work,
                              err);
}
