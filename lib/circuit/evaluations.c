/* SPDX-License-Identifier: MIT
   Outputs of one batch, exact or by measurements, at angles that are moved from one evaluation to the
   next. */
#include <string.h>

#include "circuit/estimate_int.h"
#include "kernels/inline/real.h"

static bool has_readings(const struct kl_estimator *e)
{
    return e->shots.n && e->measured->readings;
}

/* The circuit whose outputs are drawn, or exact. */
static const struct kl_circuit *read_of(const struct kl_estimator *e)
{
    return has_readings(e) ? e->measured->readings : e->circuit;
}

/* Strings of Z and probabilities come from the counts alone. */
static bool needs_exact(const struct kl_estimator *e)
{
    const struct kl_circuit *c = read_of(e);
    if (!e->shots.n || c->n_targets) return true;
    for (size_t i = 0; i < c->n_strings; i++)
        if (c->strings[i].x) return true;
    return false;
}

static void find_moves(struct kl_evaluations *v)
{
    const struct kl_circuit_plan *p = v->plan;
    memset(v->moves, 0, kl_circuit_plan_rows(p) * sizeof *v->moves);
    for (size_t i = 0; i < p->n_angles; i++)
        v->moves[kl_circuit_plan_row(p, i)] |=
            p->angles[i].source == KL_INPUT || (p->angles[i].source == KL_WEIGHT && !v->e->inputs_only);
}

static int take_room(struct kl_evaluations *v, struct kl_arena *work, struct kl_error *err)
{
    const struct kl_circuit *c = v->e->circuit;
    const size_t n = v->n, states = v->e->shots.n ? (size_t)1 << c->n_qubits : 0;
    v->out = kl_arena_take(work, n * c->n_obs, sizeof *v->out);
    v->means =
        has_readings(v->e) ? kl_arena_take(work, n * read_of(v->e)->n_obs, sizeof *v->out) : v->out;
    v->probabilities = kl_arena_take(work, n * states, sizeof *v->probabilities);
    v->scratch = kl_arena_take(work, states ? kl_circuit_shots_scratch(c) : 0, sizeof *v->scratch);
    v->up = kl_arena_take(work, n, sizeof *v->up);
    v->down = kl_arena_take(work, n, sizeof *v->down);
    v->moves = kl_arena_take(work, kl_circuit_plan_rows(v->plan), sizeof *v->moves);
    return v->out && v->means && v->probabilities && v->scratch && v->up && v->down && v->moves
               ? KL_OK
               : kl_fail_memory(err, n * (states + c->n_obs) * sizeof *v->out);
}

int kl_circuit_evaluations_begin(struct kl_evaluations *v, const struct kl_estimator *e,
                                 const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                                 struct kl_arena *work, struct kl_error *err)
{
    *v = (struct kl_evaluations){ .e = e,
                                  .plan = kl_circuit_estimated(e)->plan,
                                  .x = x,
                                  .cot = cot,
                                  .n = n,
                                  .lanes = kl_circuit_lanes() };
    int code = take_room(v, work, err);
    if (code) return code;
    find_moves(v);
    if (needs_exact(e)) code = kl_circuit_runs_begin(&v->exact, read_of(e), w, n, work, err);
    if (!code && e->shots.n)
        code = kl_circuit_runs_begin(&v->p, e->measured->probabilities, w, n, work, err);
    return code;
}

void kl_circuit_evaluate_at(struct kl_evaluations *v, const kl_real *x,
                            const struct kl_circuit_move *move, size_t number)
{
    const struct kl_estimator *e = v->e;
    kl_real *means = has_readings(e) ? v->means : v->out;
    if (v->exact) kl_circuit_runs_go(means, v->exact, x, move);
    if (!v->p) return;
    kl_circuit_runs_go(v->probabilities, v->p, x, move);
    kl_circuit_shots_sample(means, v->scratch, read_of(e), v->probabilities, e->first, v->n,
                            (uint32_t)number, &e->shots);
    if (has_readings(e)) kl_circuit_sum_readings(v->out, means, e->circuit, v->n);
}

void kl_circuit_objectives_at(double *sum, struct kl_evaluations *v, const kl_real *x,
                              const struct kl_circuit_move *move, size_t number)
{
    const size_t n_obs = v->e->circuit->n_obs;
    kl_circuit_evaluate_at(v, x, move, number);
    for (size_t i = 0; i < v->n; i++) {
        sum[i] = 0;
        for (size_t o = i * n_obs; o < (i + 1) * n_obs; o++)
            sum[i] += (double)v->cot[o] * (double)v->out[o];
    }
}

void kl_circuit_clear_angles(kl_real *dangles, const struct kl_evaluations *v)
{
    const size_t groups = (v->n + v->lanes - 1) / v->lanes;
    memset(dangles, 0, groups * v->lanes * kl_circuit_plan_all_rows(v->plan) * sizeof *dangles);
}

int kl_circuit_outputs(kl_real *out, const struct kl_estimator *e, const kl_real *x, const kl_real *w,
                       size_t n, struct kl_arena *work, struct kl_error *err)
{
    struct kl_evaluations v;
    int code = kl_circuit_evaluations_begin(&v, e, x, w, NULL, n, work, err);
    if (code) return code;
    v.out = out;
    kl_circuit_evaluate_at(&v, x, NULL, 0);
    return kl_circuit_status(e->circuit, err);
}
