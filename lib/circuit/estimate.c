/* SPDX-License-Identifier: MIT
   Outputs of a batch at angles that are moved from one evaluation to the next, exact or by measurements;
   gradients from them, by parameter-shift rules and by simultaneous perturbation. Compiled in both
   precisions. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <string.h>

#include "circuit/batch_int.h"
#include "circuit/estimate.h"
#include "circuit/noise.h"
#include "kernels/vqc.h"
#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"

/* ---- measurements ----
   How they fall on the basis states is drawn qubit by qubit: of those that
   share the first bits, a binomial number has a 0 next, whose probability the exact ones give. */

/* A tree of sums and one of counts: node 1 is the root, 2k and 2k + 1 follow k, leaves from n_states. */
struct tree {
    double *sum;
    uint32_t *count;
    size_t n_states;
};

static void begin_setting(struct kl_coins *coins, uint32_t setting)
{
    coins->setting = setting;
    coins->block = 0;
    coins->left = 0;
}

/* Rounding may make a probability negative, and the sum of all other than 1. */
static void add_up(struct tree *t, const kl_real *p)
{
    for (size_t k = 0; k < t->n_states; k++) t->sum[t->n_states + k] = p[k] < 0 ? 0 : (double)p[k];
    for (size_t k = t->n_states; k-- > 1;) t->sum[k] = t->sum[2 * k] + t->sum[2 * k + 1];
}

static void measure(struct tree *t, size_t shots, struct kl_coins *coins)
{
    t->count[1] = (uint32_t)shots;
    for (size_t k = 1; k < t->n_states; k++) {
        const uint32_t n = t->count[k],
                       zeros = n ? kl_circuit_binomial(coins, n, t->sum[2 * k] / t->sum[k]) : 0;
        t->count[2 * k] = zeros;
        t->count[2 * k + 1] = n - zeros;
    }
}

/* The sum of (-1)^parity of the measured bits on the wires of z. */
static double sum_of_signs(const double *counts, const struct kl_circuit *c, uint32_t z)
{
    const uint32_t bits = kl_circuit_wire_bits(c, z);
    double sum = 0;
    for (uint32_t k = 0; k < 1u << c->n_qubits; k++)
        sum += __builtin_parity(k & bits) ? -counts[k] : counts[k];
    return sum;
}

/* A string that is not of Z alone has a measurement of its own: its sign is + with (1 + mean) / 2. */
static double mean_alone(double exact, const struct kl_circuit *c, struct kl_pauli string,
                         uint32_t setting, const struct kl_shots *shots, struct kl_coins *coins)
{
    begin_setting(coins, setting);
    const uint32_t plus = kl_circuit_binomial(coins, (uint32_t)shots->n, (1 + exact) / 2);
    const double mean = 2 * (double)plus / (double)shots->n - 1;
    return shots->undo_readout ? kl_circuit_readout_mean(mean, c, string) : mean;
}

/* A fidelity is how often one outcome comes: with a basis state, of the common measurements. */
static double fidelity(const double *counts, const struct kl_circuit *c, const struct kl_target *t,
                       double exact, uint32_t setting, const struct kl_shots *shots,
                       struct kl_coins *coins)
{
    if (t->kind == KL_PRODUCT && !t->axis.x)
        return counts[kl_circuit_wire_bits(c, t->minus)] / (double)shots->n;
    begin_setting(coins, setting);
    return kl_circuit_binomial(coins, (uint32_t)shots->n, exact) / (double)shots->n;
}

/* Counts as doubles, which hold them exactly, in place of the leaves of the sums: where readout errors
   are taken back they are no whole numbers. */
static void outputs(kl_real *out, const struct kl_circuit *c, const struct tree *t,
                    const struct kl_shots *shots, struct kl_coins *coins)
{
    double *counts = t->sum + t->n_states;
    for (size_t k = 0; k < t->n_states; k++) counts[k] = t->count[t->n_states + k];
    if (shots->undo_readout) kl_circuit_readout_undo(counts, c);
    for (size_t o = 0; o < c->n_obs; o++) {
        const uint32_t setting = (uint32_t)o + 1;
        double mean;
        if (c->probabilities) mean = counts[o] / (double)shots->n;
        else if (o >= c->n_strings)
            mean = fidelity(counts, c, &c->targets[o - c->n_strings], (double)out[o], setting, shots,
                            coins);
        else if (!c->strings[o].x) mean = sum_of_signs(counts, c, c->strings[o].z) / (double)shots->n;
        else mean = mean_alone((double)out[o], c, c->strings[o], setting, shots, coins);
        out[o] = (kl_real)mean;
    }
}

void kl_circuit_shots_sample(kl_real *out, double *scratch, const struct kl_circuit *c, const kl_real *p,
                             size_t first, size_t n, uint32_t evaluation, const struct kl_shots *shots)
{
    const size_t n_states = (size_t)1 << c->n_qubits;
    struct tree t = { scratch, (uint32_t *)(scratch + 2 * n_states), n_states };
    for (size_t i = 0; i < n && !kl_circuit_stopped(c); i++) {
        struct kl_coins coins = { .key = kl_circuit_shots_key(shots, shots->purpose, first + i),
                                  .evaluation = evaluation };
        kl_real *row = out + i * c->n_obs;
        add_up(&t, p + i * n_states);
        if (isnan(t.sum[1])) {
            for (size_t o = 0; o < c->n_obs; o++) row[o] = (kl_real)NAN;
            continue;
        }
        begin_setting(&coins, 0);
        measure(&t, shots->n, &coins);
        outputs(row, c, &t, shots, &coins);
    }
}

/* out (n, n_obs of c) from readings (n, their number). */
static void sum_readings(kl_real *out, const kl_real *readings, const struct kl_circuit *c, size_t n)
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

/* ---- one batch run again and again with its angles moved ---- */
struct kl_circuit_shifted_runs {
    struct batch batch;
};

/* Their memory is from work, which must outlive them. KL_ENOMEM. */
static int runs_begin(struct kl_circuit_shifted_runs **runs, const struct kl_circuit *c,
                      const kl_real *w, size_t n, struct kl_arena *work, struct kl_error *err)
{
    *runs = kl_arena_take(work, 1, sizeof **runs);
    if (!*runs) return kl_fail_memory(err, sizeof **runs);
    return kl_circuit_batch_prepare(&(*runs)->batch, c, NULL, w, n, NULL, work, err);
}

/* out (n, n_obs) of x (n, n_inputs); move may be NULL. */
static void runs_go(kl_real *out, struct kl_circuit_shifted_runs *runs, const kl_real *x,
                    const struct kl_circuit_move *move)
{
    struct batch *b = &runs->batch;
    b->x = x;
    b->out = out;
    b->move = move;
    for (size_t i = 0; i * b->lanes < b->n; i++) kl_circuit_batch_forward(b, i, 0);
}

/* dx (n, n_inputs) from derivatives by the angles' rows, as kl_circuit_samples leaves them, those by
   scales included, which are set: groups of kl_circuit_lanes samples, the group's
   (kl_circuit_plan_all_rows, lanes). */
static void runs_inputs(kl_real *dx, struct kl_circuit_shifted_runs *runs, const kl_real *x,
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

/* ---- evaluations: outputs of one batch, exact or by measurements ---- */
struct kl_evaluations {
    const struct kl_estimator *e;
    const struct kl_circuit_plan *plan;        /* whose rows are moved */
    struct kl_circuit_shifted_runs *exact, *p; /* NULL: not needed */
    const kl_real *x, *cot;
    size_t n, lanes;
    kl_real *out, *means, *probabilities; /* means: readings, summed to out */
    double *scratch, *up, *down;          /* (n) up, down: objectives at both sides */
    bool *moves; /* (rows): some input or, unless inputs_only, weight is in its angle */
};

/* The place of the derivative of sample i by the angle of row k. */
static size_t row_place(const struct kl_evaluations *v, size_t i, size_t k)
{
    return (i / v->lanes * kl_circuit_plan_all_rows(v->plan) + k) * v->lanes + i % v->lanes;
}

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

static int evaluations_begin(struct kl_evaluations *v, const struct kl_estimator *e, const kl_real *x,
                             const kl_real *w, const kl_real *cot, size_t n, struct kl_arena *work,
                             struct kl_error *err)
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
    if (needs_exact(e)) code = runs_begin(&v->exact, read_of(e), w, n, work, err);
    if (!code && e->shots.n) code = runs_begin(&v->p, e->measured->probabilities, w, n, work, err);
    return code;
}

/* v->out at x; number: of the evaluation, which keys its measurements. */
static void evaluate_at(struct kl_evaluations *v, const kl_real *x, const struct kl_circuit_move *move,
                        size_t number)
{
    const struct kl_estimator *e = v->e;
    kl_real *means = has_readings(e) ? v->means : v->out;
    if (v->exact) runs_go(means, v->exact, x, move);
    if (!v->p) return;
    runs_go(v->probabilities, v->p, x, move);
    kl_circuit_shots_sample(means, v->scratch, read_of(e), v->probabilities, e->first, v->n,
                            (uint32_t)number, &e->shots);
    if (has_readings(e)) sum_readings(v->out, means, e->circuit, v->n);
}

/* sum (n) = the sum over the outputs of cot * out, for every sample. */
static void objectives_at(double *sum, struct kl_evaluations *v, const kl_real *x,
                          const struct kl_circuit_move *move, size_t number)
{
    const size_t n_obs = v->e->circuit->n_obs;
    evaluate_at(v, x, move, number);
    for (size_t i = 0; i < v->n; i++) {
        sum[i] = 0;
        for (size_t o = i * n_obs; o < (i + 1) * n_obs; o++)
            sum[i] += (double)v->cot[o] * (double)v->out[o];
    }
}

/* All derivatives 0, those of the lanes without a sample included. */
static void clear_angles(kl_real *dangles, const struct kl_evaluations *v)
{
    const size_t groups = (v->n + v->lanes - 1) / v->lanes;
    memset(dangles, 0, groups * v->lanes * kl_circuit_plan_all_rows(v->plan) * sizeof *dangles);
}

int kl_circuit_outputs(kl_real *out, const struct kl_estimator *e, const kl_real *x, const kl_real *w,
                       size_t n, struct kl_arena *work, struct kl_error *err)
{
    struct kl_evaluations v;
    int code = evaluations_begin(&v, e, x, w, NULL, n, work, err);
    if (code) return code;
    v.out = out;
    evaluate_at(&v, x, NULL, 0);
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
    objectives_at(v->up, v, v->x, &(struct kl_circuit_move){ .row = row, .by = by }, number);
    objectives_at(v->down, v, v->x, &(struct kl_circuit_move){ .row = row, .by = -by }, number + 1);
    for (size_t i = 0; i < v->n; i++)
        dangles[row_place(v, i, row)] += (kl_real)(factor * (v->up[i] - v->down[i]));
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
    objectives_at(at, v, v->x, NULL, number++);
    for (size_t i = 0; i < v->n; i++) {
        squares[i] = 0;
        for (size_t k = i * n; k < (i + 1) * n; k++) squares[i] += (double)v->x[k] * (double)v->x[k];
    }
    for (size_t k = 0; k < n && !kl_circuit_stopped(v->e->circuit); k++) {
        for (size_t i = 0; i < v->n; i++) moved[i * n + k] = v->x[i * n + k] + 1;
        objectives_at(v->up, v, moved, NULL, number++);
        for (size_t i = 0; i < v->n; i++) moved[i * n + k] = v->x[i * n + k] - 1;
        objectives_at(v->down, v, moved, NULL, number++);
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
    int code = evaluations_begin(&v, e, x, w, cot, n, work, err);
    if (code) return code;
    clear_angles(dangles, &v);
    shift_angles(dangles, &v);
    if (!c->amplitude_inputs) {
        runs_inputs(dx, v.p ? v.p : v.exact, x, dangles);
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

/* ---- simultaneous perturbation ----
   Spall 1992: two evaluations for each direction, however many angles there
   are. A sample's directions are its own. */

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
    objectives_at(sum, v, d->inputs ? d->moved : v->x, &move, number);
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
            dangles[row_place(v, i, k)] += (kl_real)d->angles[i * rows + k] * slope;
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
    int code = evaluations_begin(&v, e, x, w, cot, n, work, err);
    if (!code) code = take(&d, &v, work, err);
    if (code) return code;
    clear_angles(dangles, &v);
    if (e->circuit->n_inputs) memset(dx, 0, n * e->circuit->n_inputs * sizeof *dx);
    for (size_t i = 0; i < (size_t)e->directions && !kl_circuit_stopped(e->circuit); i++)
        add_direction(dx, dangles, &v, &d, i);
    if (!d.inputs) runs_inputs(dx, v.p ? v.p : v.exact, x, dangles);
    return kl_circuit_status(e->circuit, err);
}
