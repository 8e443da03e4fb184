/* SPDX-License-Identifier: MIT
   One batch run again and again with its angles moved (circuit_int.h). */
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/inline/real.h"
#include "kernels/select.h"

struct KL_NAME(kl_circuit_runs) {
    struct batch batch;
};

int KL_NAME(kl_circuit_runs_begin)(struct KL_NAME(kl_circuit_runs) * *runs, const struct kl_circuit *c,
                                   const kl_real *w, size_t n, struct kl_arena *work,
                                   struct kl_error *err)
{
    *runs = kl_arena_take(work, 1, sizeof **runs);
    if (!*runs) return kl_fail_memory(err, sizeof **runs);
    return KL_NAME(kl_batch_prepare)(&(*runs)->batch, c, NULL, w, n, NULL, work, err);
}

void KL_NAME(kl_circuit_runs_go)(kl_real *out, struct KL_NAME(kl_circuit_runs) * runs, const kl_real *x,
                                 const struct kl_circuit_move *move)
{
    struct batch *b = &runs->batch;
    b->x = x;
    b->out = out;
    b->move = move;
    for (size_t i = 0; i * b->lanes < b->n; i++) KL_NAME(kl_batch_forward)(b, i, 0);
}

void KL_NAME(kl_circuit_runs_inputs)(kl_real *dx, struct KL_NAME(kl_circuit_runs) * runs,
                                     const kl_real *x, kl_real *dangles)
{
    struct batch *b = &runs->batch;
    b->x = x;
    b->dx = dx;
    if (b->c->n_inputs) memset(dx, 0, b->n * b->c->n_inputs * sizeof *dx);
    for (size_t i = 0; i * b->lanes < b->n; i++) {
        const struct group g = KL_NAME(kl_batch_group)(b, i, 0);
        kl_real *own = dangles + i * kl_plan_all_rows(b->plan) * b->lanes;
        KL_NAME(kl_batch_scale_gradients)(b, &g, own);
        KL_NAME(kl_batch_input_gradients)(b, &g, own);
    }
}

size_t KL_NAME(kl_circuit_lanes)(void)
{
#if KL_F64
    return (size_t)kl_kernels()->vqc_f64->lanes;
#else
    return (size_t)kl_kernels()->vqc_f32->lanes;
#endif
}
