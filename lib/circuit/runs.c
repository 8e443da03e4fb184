/* SPDX-License-Identifier: MIT
   One batch run again and again with its angles moved (circuit_int.h). */
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/vqc.h"
#include "kernels/inline/real.h"

struct kl_circuit_runs {
    struct batch batch;
};

int kl_circuit_runs_begin(struct kl_circuit_runs **runs, const struct kl_circuit *c, const kl_real *w,
                          size_t n, struct kl_arena *work, struct kl_error *err)
{
    *runs = kl_arena_take(work, 1, sizeof **runs);
    if (!*runs) return kl_fail_memory(err, sizeof **runs);
    return kl_circuit_batch_prepare(&(*runs)->batch, c, NULL, w, n, NULL, work, err);
}

void kl_circuit_runs_go(kl_real *out, struct kl_circuit_runs *runs, const kl_real *x,
                        const struct kl_circuit_move *move)
{
    struct batch *b = &runs->batch;
    b->x = x;
    b->out = out;
    b->move = move;
    for (size_t i = 0; i * b->lanes < b->n; i++) kl_circuit_batch_forward(b, i, 0);
}

void kl_circuit_runs_inputs(kl_real *dx, struct kl_circuit_runs *runs, const kl_real *x,
                            kl_real *dangles)
{
    struct batch *b = &runs->batch;
    b->x = x;
    b->dx = dx;
    if (b->c->n_inputs) memset(dx, 0, b->n * b->c->n_inputs * sizeof *dx);
    for (size_t i = 0; i * b->lanes < b->n; i++) {
        const struct group g = kl_circuit_batch_group(b, i, 0);
        kl_real *own = dangles + i * kl_circuit_plan_all_rows(b->plan) * b->lanes;
        kl_circuit_batch_scale_gradients(b, &g, own);
        kl_circuit_batch_input_gradients(b, &g, own);
    }
}

size_t kl_circuit_lanes(void)
{
#if KL_F64
    return (size_t)kl_kernel_vqc_f64()->lanes;
#else
    return (size_t)kl_kernel_vqc_f32()->lanes;
#endif
}
