/* SPDX-License-Identifier: MIT
   Simultaneous perturbation (Spall 1992): two evaluations for each direction, however many angles there
   are. A sample's directions are its own. */
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

struct directions {
    signed char *angles; /* (n, rows) of -1, 1, and 0 where nothing moves */
    signed char *inputs; /* (n, n_inputs), of amplitudes; else NULL */
    kl_real *moved;      /* (n, n_inputs), of amplitudes */
};

/* Sign number k of direction d. */
struct signs {
    uint64_t key;
    uint32_t direction, word[4];
};

static signed char sign_at(struct signs *s, size_t k)
{
    if (k % 128 == 0) kl_philox(s->word, s->key, (uint32_t)(k / 128), s->direction, 0, 0);
    return s->word[k % 128 / 32] >> k % 32 & 1 ? 1 : -1;
}

static void draw(const struct directions *to, const struct kl_evaluations *v, size_t direction)
{
    const size_t rows = kl_circuit_plan_rows(v->plan), n_inputs = v->e->circuit->n_inputs;
    for (size_t i = 0; i < v->n; i++) {
        struct signs s = { .key =
                               kl_circuit_shots_key(&v->e->shots, KL_RANDOM_DIRECTIONS, v->e->first + i),
                           .direction = (uint32_t)direction };
        for (size_t k = 0; k < rows; k++) {
            const signed char sign = sign_at(&s, k);
            to->angles[i * rows + k] = v->moves[k] ? sign : 0;
        }
        for (size_t k = 0; to->inputs && k < n_inputs; k++)
            to->inputs[i * n_inputs + k] = sign_at(&s, rows + k);
    }
}

static void evaluate(double *sum, struct kl_evaluations *v, const struct directions *d, double step,
                     size_t number)
{
    const struct kl_circuit_move move = { .by = step,
                                          .signs = d->angles,
                                          .rows = kl_circuit_plan_rows(v->plan) };
    for (size_t k = 0; d->inputs && k < v->n * v->e->circuit->n_inputs; k++)
        d->moved[k] = v->x[k] + (kl_real)(step * d->inputs[k]);
    kl_circuit_objectives_at(sum, v, d->inputs ? d->moved : v->x, &move, number);
}

static void add_direction(kl_real *dx, kl_real *dangles, struct kl_evaluations *v,
                          const struct directions *d, size_t number)
{
    const struct kl_estimator *e = v->e;
    const size_t rows = kl_circuit_plan_rows(v->plan), n_inputs = e->circuit->n_inputs;
    draw(d, v, number);
    evaluate(v->up, v, d, e->step, 1 + 2 * number);
    evaluate(v->down, v, d, -e->step, 2 + 2 * number);
    for (size_t i = 0; i < v->n; i++) {
        const kl_real slope = (kl_real)((v->up[i] - v->down[i]) / (2 * e->step * (double)e->directions));
        for (size_t k = 0; k < rows; k++)
            dangles[kl_circuit_row_place(v, i, k)] += (kl_real)d->angles[i * rows + k] * slope;
        for (size_t k = i * n_inputs; d->inputs && k < (i + 1) * n_inputs; k++)
            dx[k] += (kl_real)d->inputs[k] * slope;
    }
}

static int take(struct directions *d, const struct kl_evaluations *v, struct kl_arena *work,
                struct kl_error *err)
{
    const size_t inputs = v->n * v->e->circuit->n_inputs;
    *d = (struct directions){ .angles = kl_arena_take(work, v->n * kl_circuit_plan_rows(v->plan), 1) };
    if (!d->angles) return kl_fail_memory(err, v->n * kl_circuit_plan_rows(v->plan));
    if (!v->e->circuit->amplitude_inputs) return KL_OK;
    d->inputs = kl_arena_take(work, inputs, 1);
    d->moved = kl_arena_take(work, inputs, sizeof *d->moved);
    return d->inputs && d->moved ? KL_OK : kl_fail_memory(err, inputs * sizeof *d->moved);
}

int kl_circuit_spsa_samples(kl_real *dx, kl_real *dangles, const struct kl_estimator *e,
                            const kl_real *x, const kl_real *w, const kl_real *cot, size_t n,
                            struct kl_arena *work, struct kl_error *err)
{
    struct kl_evaluations v;
    struct directions d;
    int code = kl_circuit_evaluations_begin(&v, e, x, w, cot, n, work, err);
    if (!code) code = take(&d, &v, work, err);
    if (code) return code;
    kl_circuit_clear_angles(dangles, &v);
    if (e->circuit->n_inputs) memset(dx, 0, n * e->circuit->n_inputs * sizeof *dx);
    for (size_t i = 0; i < (size_t)e->directions && !kl_circuit_stopped(e->circuit); i++)
        add_direction(dx, dangles, &v, &d, i);
    if (!d.inputs) kl_circuit_runs_inputs(dx, v.p ? v.p : v.exact, x, dangles);
    return kl_circuit_status(e->circuit, err);
}
