/* SPDX-License-Identifier: MIT
   Batches of samples: groups as wide as a vector, each one program of the kernels; forward and adjoint
   (circuit.h). Compiled in both precisions. */
#include "circuit/batch_int.h"

#include <string.h>

#include "kernels/inline/real.h"

enum {
    WORTH_THREADS =
        1 << 20 /* amplitudes times gates of a whole batch below which one thread is faster */
};

/* The transposed: from the outputs' cotangents to those of what the kernels leave. */
static void spread_cotangents(const struct batch *b, const struct group *g, const kl_real *cot)
{
    const struct kl_circuit *c = b->c;
    memset(g->cot, 0, b->n_read * b->lanes * sizeof *g->cot);
    for (size_t o = 0, t = 0; o < c->n_obs; o++)
        for (; t < c->end[o]; t++) {
            kl_real *to = g->cot + kl_circuit_term_reading(c, &c->terms[t]) * b->lanes;
            for (size_t l = 0; l < g->here; l++)
                to[l] += (kl_real)c->terms[t].weight * cot[l * c->n_obs + o];
        }
}

static void adjoint_group(void *context, size_t number, int thread)
{
    const struct batch *b = context;
    if (kl_circuit_stopped(b->c)) return;
    struct group g = kl_circuit_batch_group(b, number, thread);
    kl_real *dangle = b->dangles + number * kl_circuit_plan_all_rows(b->plan) * b->lanes;
    size_t n_obs = b->c->n_obs;
    if (!b->state) kl_circuit_batch_run(b, &g);
    if (!b->plan->plain) spread_cotangents(b, &g, b->cot + g.first * n_obs);
    for (size_t o = 0; b->plan->plain && o < n_obs; o++) /* no sample, no gradient */
        for (size_t l = 0; l < b->lanes; l++)
            g.cot[o * b->lanes + l] = l < g.here ? b->cot[(g.first + l) * n_obs + o] : 0;
    kl_circuit_batch_sweep_back(b, &g, dangle);
    kl_circuit_batch_scale_gradients(b, &g, dangle);
    if (!b->dx) return;
    memset(b->dx + g.first * b->c->n_inputs, 0, g.here * b->c->n_inputs * sizeof *b->dx);
    if (b->c->amplitude_inputs) kl_circuit_batch_amplitude_gradients(b, &g);
    else kl_circuit_batch_input_gradients(b, &g, dangle);
}

static void run_groups(struct batch *b, struct kl_pool *pool, void (*fn)(void *, size_t, int))
{
    const struct kl_density_program *d = b->plan->density;
    const size_t size = d ? d->n_coefficients : (size_t)1 << b->c->n_qubits,
                 ops = d ? d->n_ops : b->plan->program.n_ops;
    double amplitudes = (double)b->n * (double)size * (double)ops *
                        (double)(b->plan->trajectory ? b->c->trajectories : 1);
    kl_pool_for(b->pool || amplitudes < WORTH_THREADS ? NULL : pool, (b->n + b->lanes - 1) / b->lanes,
                fn, b);
}

int kl_circuit_forward(kl_real *out, kl_real *state, const struct kl_circuit *c, const kl_real *x,
                       const kl_real *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                       struct kl_error *err)
{
    struct batch b;
    int code = kl_circuit_batch_prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.out = out;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, kl_circuit_batch_forward);
    return kl_circuit_status(c, err);
}

int kl_circuit_samples(kl_real *dx, kl_real *dangles, kl_real *state, const struct kl_circuit *c,
                       const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                       struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    struct batch b;
    int code = kl_circuit_batch_prepare(&b, c, x, w, n, pool, work, err);
    if (code) return code;
    b.dangles = dangles;
    b.cot = cot;
    b.dx = dx;
    b.state = kl_circuit_kept_values(c) ? state : NULL;
    run_groups(&b, pool, c->plan->trajectory ? kl_circuit_trajectories_back : adjoint_group);
    return kl_circuit_status(c, err);
}

/* The sum over the lanes, by halves. */
static kl_real sum_lanes(const kl_real *d, size_t lanes)
{
    kl_real sum[KL_WIDEST];
    for (size_t l = 0; l < lanes; l++) sum[l] = d[l];
    for (size_t half = lanes / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/* Groups in rising order, then lanes, whatever the threads did. */
void kl_circuit_weights(kl_real *dw, kl_real *dangles, const struct kl_circuit *c, size_t n)
{
    const struct kl_circuit_plan *p = c->plan;
    const size_t lanes = kl_circuit_lanes(), one = kl_circuit_plan_all_rows(p) * lanes,
                 groups = (n + lanes - 1) / lanes;
    const kl_real *by_scale = dangles + kl_circuit_plan_rows(p) * lanes;
    for (size_t i = 1; i < groups; i++)
        for (size_t j = 0; j < one; j++) dangles[j] += dangles[i * one + j];
    for (size_t i = 0; groups && i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        if (a->source == KL_WEIGHT)
            dw[a->index] +=
                (kl_real)a->scale * sum_lanes(dangles + kl_circuit_plan_row(p, i) * lanes, lanes);
        if (!kl_circuit_is_scaled(a)) continue;
        dw[a->scaled - 1] += sum_lanes(by_scale, lanes);
        by_scale += lanes;
    }
}

int kl_circuit_adjoint(kl_real *dx, kl_real *dw, kl_real *state, const struct kl_circuit *c,
                       const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                       struct kl_pool *pool, struct kl_arena *work, struct kl_error *err)
{
    size_t size = kl_circuit_angles_size(c, n);
    kl_real *dangles = kl_arena_take(work, size + 1, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    int code = kl_circuit_samples(dx, dangles, state, c, x, w, cot, n, pool, work, err);
    if (!code && dw) kl_circuit_weights(dw, dangles, c, n);
    return code;
}
