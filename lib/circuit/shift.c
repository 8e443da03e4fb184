/* SPDX-License-Identifier: MIT
   Parameter-shift rules, angle by angle, all samples of a batch side by side: two terms for exp(-i angle
   P/2), four for its controlled form (Wierichs et al. 2022, arXiv:2107.12390). Shares nothing with the
   adjoint sweep but the forward pass. */
#include <math.h>
#include <string.h>

#include "circuit/estimate_int.h"
#include "kernels/inline/real.h"

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
