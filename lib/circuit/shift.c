/* SPDX-License-Identifier: MIT
   Outputs of one batch at angles that are moved from one evaluation to the next, exact or by
   measurements; gradients by parameter-shift rules. Compiled in both precisions. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/vqc.h"
#include "kernels/inline/real.h"

void kl_circuit_sum_readings(kl_real *out, const kl_real *readings, const struct kl_circuit *c, size_t n)
{
    const size_t n_readings = c->n_strings + c->n_targets;
    for (size_t i = 0; i < n; i++, readings += n_readings)
        for (size_t o = 0, t = 0; o < c->n_obs; o++) {
            kl_real sum = 0;
            for (; t < c->end[o]; t++)
                sum += (kl_real)c->terms[t].weight * readings[kl_circuit_term_reading(c, &c->terms[t])];
            out[i * c->n_obs + o] = sum;
        }
}

/* ---- One batch run again and again with its angles moved (circuit_int.h) ---- */

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

/* ---- evaluations ----
   Outputs of one batch, exact or by measurements, at angles that are moved from one evaluation to the
   next. */

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

/* ---- shift ----
   Parameter-shift rules, angle by angle, all samples of a batch side by side: two terms for exp(-i angle
   P/2), four for its controlled form (Wierichs et al. 2022, arXiv:2107.12390). Shares nothing with the
   adjoint sweep but the forward pass. */

/* Evaluations in a fixed order: 0 is the forward pass, then four for each row, then the amplitudes'. */
enum { OF_A_ROW = 4 };

/* Half of the rule: outputs with the row's angle moved by `by` less those with it moved as far back. */
static void add_difference(kl_real *dangles, struct kl_evaluations *v, size_t row, double by,
                           double factor, size_t number)
{
    kl_circuit_objectives_at(v->up, v, v->x, &(struct kl_circuit_move){ .row = row, .by = by }, number);
    kl_circuit_objectives_at(v->down, v, v->x, &(struct kl_circuit_move){ .row = row, .by = -by },
                             number + 1);
    for (size_t i = 0; i < v->n; i++)
        dangles[kl_circuit_row_place(v, i, row)] += (kl_real)(factor * (v->up[i] - v->down[i]));
}

static bool controlled(const struct kl_circuit_plan *p, size_t row)
{
    for (size_t i = 0; i < p->n_angles; i++)
        if (kl_circuit_plan_row(p, i) == row && p->controlled[i]) return true;
    return false;
}

static void shift_angles(kl_real *dangles, struct kl_evaluations *v)
{
    for (size_t k = 0; k < kl_circuit_plan_rows(v->plan); k++) {
        const bool four = controlled(v->plan, k);
        const size_t number = 1 + OF_A_ROW * k;
        if (!v->moves[k]) continue;
        add_difference(dangles, v, k, M_PI / 2, four ? (M_SQRT2 + 1) / (4 * M_SQRT2) : 0.5, number);
        if (four)
            add_difference(dangles, v, k, 3 * M_PI / 2, -(M_SQRT2 - 1) / (4 * M_SQRT2), number + 2);
    }
}

/* By the amplitudes given: out(x) |x|^2 is a quadratic form, whose central difference is its derivative
   at any step; then the quotient rule. at, squares: (n). */
static void shift_amplitudes(kl_real *dx, kl_real *moved, double *at, double *squares,
                             struct kl_evaluations *v)
{
    const size_t n = v->e->circuit->n_inputs;
    size_t number = 1 + OF_A_ROW * kl_circuit_plan_rows(v->plan);
    memcpy(moved, v->x, v->n * n * sizeof *moved);
    kl_circuit_objectives_at(at, v, v->x, NULL, number++);
    for (size_t i = 0; i < v->n; i++) {
        squares[i] = 0;
        for (size_t k = i * n; k < (i + 1) * n; k++) squares[i] += (double)v->x[k] * (double)v->x[k];
    }
    for (size_t k = 0; k < n && !kl_circuit_stopped(v->e->circuit); k++) {
        for (size_t i = 0; i < v->n; i++) moved[i * n + k] = v->x[i * n + k] + 1;
        kl_circuit_objectives_at(v->up, v, moved, NULL, number++);
        for (size_t i = 0; i < v->n; i++) moved[i * n + k] = v->x[i * n + k] - 1;
        kl_circuit_objectives_at(v->down, v, moved, NULL, number++);
        for (size_t i = 0; i < v->n; i++) {
            const double x = (double)(moved[i * n + k] = v->x[i * n + k]), rest = squares[i] - x * x,
                         slope = (v->up[i] * (rest + (x + 1) * (x + 1)) -
                                  v->down[i] * (rest + (x - 1) * (x - 1))) /
                                 2;
            dx[i * n + k] = squares[i] > 0 ? (kl_real)((slope - 2 * x * at[i]) / squares[i]) : 0;
        }
    }
}

int kl_circuit_shift_samples(kl_real *dx, kl_real *dangles, const struct kl_estimator *e,
                             const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                             struct kl_arena *work, struct kl_error *err)
{
    const struct kl_circuit *c = e->circuit;
    struct kl_evaluations v;
    int code = kl_circuit_evaluations_begin(&v, e, x, w, cot, n, work, err);
    if (code) return code;
    kl_circuit_clear_angles(dangles, &v);
    shift_angles(dangles, &v);
    if (!c->amplitude_inputs) {
        kl_circuit_runs_inputs(dx, v.p ? v.p : v.exact, x, dangles);
        return kl_circuit_status(c, err);
    }
    kl_real *moved = kl_arena_take(work, n * c->n_inputs, sizeof *moved);
    double *sums = kl_arena_take(work, 2 * n, sizeof *sums);
    if (!moved || !sums) return kl_fail_memory(err, n * c->n_inputs * sizeof *moved);
    shift_amplitudes(dx, moved, sums, sums + n, &v);
    return kl_circuit_status(c, err);
}

int kl_circuit_shift(kl_real *dx, kl_real *dw, const struct kl_circuit *c, const kl_real *x,
                     const kl_real *w, const kl_real *cot, size_t n, struct kl_arena *work,
                     struct kl_error *err)
{
    const struct kl_estimator exact = { .circuit = c };
    const size_t size = kl_circuit_angles_size(c, n);
    kl_real *dangles = kl_arena_take(work, size + 1, sizeof *dangles);
    if (!dangles) return kl_fail_memory(err, size * sizeof *dangles);
    int code = kl_circuit_shift_samples(dx, dangles, &exact, x, w, cot, n, work, err);
    if (!code) kl_circuit_weights(dw, dangles, c, n);
    return code;
}
