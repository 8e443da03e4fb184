/* SPDX-License-Identifier: MIT
   The loss of an ensemble and its gradient at sixteen points at once. One qubit: points are lanes of
   kernels/bloch.h; any other system: one after another. */
#include "control/pulse/pulse_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "control/noise/noise.h"
#include "kernels/inline/philox.h"

enum { LANES = KL_CONTROL_LANES };
_Static_assert((int)KL_CONTROL_LANES == (int)KL_BLOCH_LANES, "points are lanes");

struct kl_control_evaluator {
    const struct kl_control_problem *problem;
    const struct kl_control_task *members;
    struct kl_control_task own; /* where the problem names no member */
    int n, rows, n_members;     /* free numbers; controls of all segments */
    struct kl_arena arena;
    double *low, *high;      /* [n] */
    double *weights_of;      /* [members], their sum 1 */
    double *losses, *shares; /* [members][16] */
    bool lanes;              /* one qubit */
    struct kl_bloch bloch;
    struct kl_control_axes axes; /* of bloch's controls and parameters in the system's own */
    bool turned;                 /* they are not the same */
    double *u, *grad, *params, *weights, *work; /* of bloch */
    double *du, *curved;                        /* of its tangent */
    double *pulled;                             /* derivatives by the system's controls, if turned */
    struct kl_control_engine engine;
    const struct kl_control_waveform *waveform;      /* NULL: x are the controls */
    double *samples, *back, *controls, *by_controls; /* of the waveform */
};

/* ---- opening ---- */
/* No column has an affine part that counts: that of a transfer matrix' first column. */
static bool fits_bloch(const struct kl_control_problem *p)
{
    const struct kl_control_objective *o = p->objective;
    if (!kl_control_one_qubit(p->system) || (o->columns != 1 && o->columns != 4)) return false;
    for (int r = 0; r < 4 && o->columns == 4; r++)
        if (fabs(o->weights[r * 4]) > 1e-15 * (r > 0)) return false;
    return true;
}

void kl_control_problem_largest(double most[KL_CONTROL_MAX_CONTROLS],
                                double params[KL_CONTROL_MAX_PARAMS], const struct kl_control_problem *p)
{
    struct kl_control_task own;
    const bool named = p->members && p->n_members > 0;
    const struct kl_control_task *members = named ? p->members : &own;
    double amplitude = 0;
    kl_control_task_default(&own, p->system);
    for (int j = 0; j < KL_CONTROL_MAX_PARAMS; j++) params[j] = 0;
    for (int m = 0; m < (named ? p->n_members : 1); m++) {
        amplitude = fmax(amplitude, fabs(members[m].amplitude));
        for (int j = 0; j < KL_CONTROL_MAX_PARAMS; j++)
            params[j] = fmax(params[j], fabs(members[m].params[j]));
    }
    for (int k = 0; k < p->system->n_controls; k++) most[k] = p->limit[k] * amplitude;
}

static int open_bloch(struct kl_control_evaluator *e, struct kl_error *err)
{
    const struct kl_control_problem *p = e->problem;
    const struct kl_control_objective *o = p->objective;
    struct kl_bloch *b = &e->bloch;
    double params[KL_CONTROL_MAX_PARAMS], most[KL_CONTROL_MAX_CONTROLS];
    const int first = o->columns == 1 ? 0 : 1;
    kl_control_problem_largest(most, params, p);
    *b = (struct kl_bloch){ .segments = p->segments,
                            .controls = e->axes.controls,
                            .columns = first ? 3 : 1,
                            .affine = !first,
                            .dt = p->duration / p->segments };
    const double norm = b->dt * kl_control_axes_norm(&e->axes, most, params);
    if (!(norm <= KL_BLOCH_MOST_NORM))
        return kl_fail(
            err, KL_EUSAGE,
            "a segment of %g turns the state by %g, expected at most %g: more segments or smaller rates",
            b->dt, norm, KL_BLOCH_MOST_NORM);
    b->substeps = kl_bloch_substeps(norm);
    for (int c = 0; c < b->columns; c++)
        for (int i = 0; i < 3; i++) {
            b->start[c][i] = o->start[(i + 1) * o->columns + c + first];
            for (int l = 0; l < LANES; l++)
                e->weights[(c * 3 + i) * LANES + l] = o->weights[(i + 1) * o->columns + c + first];
        }
    return 0;
}

static int open_engine(struct kl_control_evaluator *e, struct kl_error *err)
{
    const struct kl_control_problem *p = e->problem;
    double params[KL_CONTROL_MAX_PARAMS], most[KL_CONTROL_MAX_CONTROLS];
    kl_control_problem_largest(most, params, p);
    return kl_control_engine_open(&e->engine, p->system, p->objective, p->segments, p->duration, most,
                                  params, err);
}

static double *numbers(struct kl_control_evaluator *e, size_t n)
{
    return kl_arena_take(&e->arena, n, sizeof(double));
}

/* After the members are known, and the size of bloch's segments. */
static int take_memory(struct kl_control_evaluator *e, struct kl_error *err)
{
    const size_t n = (size_t)e->n, rows = (size_t)e->rows, members = (size_t)e->n_members,
                 kernel = e->turned ? (size_t)(e->problem->segments * e->axes.controls) : rows;
    e->low = numbers(e, n), e->high = numbers(e, n);
    e->weights_of = numbers(e, members);
    e->losses = numbers(e, members * LANES), e->shares = numbers(e, members * LANES);
    e->u = numbers(e, kernel * LANES), e->grad = numbers(e, kernel * LANES);
    e->du = numbers(e, kernel * LANES), e->curved = numbers(e, kernel * LANES);
    e->pulled = numbers(e, rows * LANES);
    e->samples = numbers(e, rows * LANES), e->back = numbers(e, rows * LANES);
    e->controls = numbers(e, rows * LANES), e->by_controls = numbers(e, rows * LANES);
    e->params = numbers(e, KL_BLOCH_PARAMS * LANES);
    e->weights = numbers(e, 9 * LANES);
    return e->low && e->weights_of && e->high && e->losses && e->shares && e->u && e->grad && e->du &&
                   e->curved && e->samples && e->back && e->controls && e->by_controls && e->params &&
                   e->weights && e->pulled
               ? 0
               : kl_fail(err, KL_ENOMEM, "out of memory");
}

/* Samples are bounded; what functions are multiplied by is not. Of a pair with a modulus they lie in the
   square that becomes its disc. */
static void set_bounds(struct kl_control_evaluator *e)
{
    const struct kl_control_problem *p = e->problem;
    const struct kl_control_waveform *w = p->waveform;
    const int controls = p->system->n_controls;
    for (int k = 0; k < controls; k++) {
        const bool usual = p->low[k] == 0 && p->high[k] == 0;
        const double low = usual ? -1 : p->low[k] / p->limit[k],
                     high = usual ? 1 : p->high[k] / p->limit[k];
        const bool each = !w || (w->functions == KL_CONTROL_PIECEWISE && !w->constant[k]);
        const int from = w ? w->first[k] : 0, to = w ? w->first[k + 1] : p->segments;
        for (int j = from; j < to; j++) {
            const int i = e->waveform ? j : (j - from) * controls + k;
            const bool end = w && w->zero_ends && each && (j == from || j == to - 1);
            e->low[i] = end ? 0 : each ? low : -1e300;
            e->high[i] = end ? 0 : each ? high : 1e300;
        }
    }
}

int kl_control_evaluator_open(struct kl_control_evaluator **to, const struct kl_control_problem *problem,
                              struct kl_error *err)
{
    struct kl_control_evaluator *e = *to = calloc(1, sizeof *e);
    int code = 0;
    if (!e) return kl_fail(err, KL_ENOMEM, "out of memory");
    code = kl_arena_init(&e->arena, 1 << 16, err);
    e->problem = problem, e->members = problem->members, e->n_members = problem->n_members;
    if (!e->members || e->n_members < 1) {
        kl_control_task_default(&e->own, problem->system);
        e->members = &e->own, e->n_members = 1;
    }
    e->rows = e->n = problem->segments * problem->system->n_controls;
    if (problem->waveform && !kl_control_waveform_plain(problem->waveform))
        e->waveform = problem->waveform, e->n = e->waveform->n;
    e->lanes = fits_bloch(problem) && kl_control_axes_make(&e->axes, problem->system);
    e->turned = e->lanes && problem->system->form == KL_CONTROL_TURNED;
    if (!code) code = take_memory(e, err);
    for (int m = 0; !code && m < e->n_members; m++)
        e->weights_of[m] = problem->weights ? problem->weights[m] : 1.0 / e->n_members;
    if (!code) set_bounds(e);
    if (!code && e->lanes) {
        code = open_bloch(e, err);
        if (!code) e->work = numbers(e, kl_bloch_work(&e->bloch));
        if (!code && !e->work) code = kl_fail(err, KL_ENOMEM, "out of memory");
    } else if (!code) code = open_engine(e, err);
    if (code) kl_control_evaluator_close(to);
    return code;
}

void kl_control_evaluator_close(struct kl_control_evaluator **e)
{
    if (!*e) return;
    kl_control_engine_close(&(*e)->engine);
    kl_arena_free(&(*e)->arena);
    free(*e);
    *e = NULL;
}
int kl_control_evaluator_size(const struct kl_control_evaluator *e)
{
    return e->n;
}
const double *kl_control_evaluator_losses(const struct kl_control_evaluator *e)
{
    return e->losses;
}
const double *kl_control_evaluator_low(const struct kl_control_evaluator *e)
{
    return e->low;
}
const double *kl_control_evaluator_high(const struct kl_control_evaluator *e)
{
    return e->high;
}
int kl_control_amplitudes(double *samples, double *u, const struct kl_control_problem *p,
                          const double *x, struct kl_error *err)
{
    const struct kl_control_waveform *w = p->waveform;
    const int controls = p->system->n_controls, rows = p->segments * controls;
    if (!w || kl_control_waveform_plain(w)) {
        for (int i = 0; i < rows; i++) u[i] = p->limit[i % controls] * x[i];
        if (samples) memcpy(samples, u, (size_t)rows * sizeof *u);
        return 0;
    }
    double *own = malloc((size_t)(w->samples * controls) * sizeof *own);
    if (!own) return kl_fail_memory(err, (size_t)(w->samples * controls) * sizeof *own);
    kl_control_waveform_play(own, u, w, x, 1);
    kl_control_waveform_limit(own, w);
    kl_control_waveform_filter(u, w, own);
    for (int i = 0; i < rows; i++) u[i] *= p->limit[i % controls];
    for (int i = 0; samples && i < w->samples * controls; i++)
        samples[i] = p->limit[i % controls] * own[i];
    free(own);
    return 0;
}

/* ---- what members make together ---- */
/* losses [members][16] into f [16], and what a member's gradient counts in that of f. */
static void mean(double *f, const struct kl_control_evaluator *e)
{
    for (int l = 0; l < LANES; l++) {
        f[l] = 0;
        for (int m = 0; m < e->n_members; m++) f[l] += e->weights_of[m] * e->losses[m * LANES + l];
    }
}
static void aggregate(double *f, struct kl_control_evaluator *e)
{
    const struct kl_control_problem *p = e->problem;
    if (p->aggregate == KL_CONTROL_MEAN) mean(f, e);
    else
        for (int l = 0; l < LANES; l++)
            f[l] = p->aggregate == KL_CONTROL_WORST
                       ? kl_control_worst_f64(e->shares + l, e->losses + l, e->n_members, LANES,
                                              p->sharpness)
                       : kl_control_tail_f64(e->shares + l, e->losses + l, e->weights_of, e->n_members,
                                             LANES, p->tail);
}

/* ---- evaluation ---- */
static void fill_lanes(double *to, size_t rows, const double *values)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t l = 0; l < LANES; l++) to[r * LANES + l] = values[r];
}

/* The weights of a member that has a target of its own. */
static void set_target(struct kl_control_evaluator *e, int m)
{
    if (e->problem->targets)
        fill_lanes(e->weights, 3 * (size_t)e->bloch.columns, e->problem->targets[m]);
}

/* The kernel's controls and parameters of member m at points x: u, or x itself. du (NULL: not wanted)
   from dx likewise. */
static const double *set_member(struct kl_control_evaluator *e, double *u, double *du, const double *x,
                                const double *dx, int m)
{
    const struct kl_control_task *t = &e->members[m];
    const size_t count = (size_t)e->rows * LANES;
    double params[KL_BLOCH_PARAMS], drift[2];
    set_target(e, m);
    if (e->turned) {
        kl_control_axes_task(params, drift, &e->axes, t->params);
        fill_lanes(e->params, KL_BLOCH_PARAMS, params);
        kl_control_axes_turn(u, x, &e->axes, e->problem->segments, LANES, t->amplitude, drift);
        if (du) kl_control_axes_turn(du, dx, &e->axes, e->problem->segments, LANES, t->amplitude, NULL);
        return u;
    }
    fill_lanes(e->params, KL_BLOCH_PARAMS, t->params);
    for (size_t i = 0; du && i < count; i++) du[i] = t->amplitude * dx[i];
    if (t->amplitude == 1) return x;
    for (size_t i = 0; i < count; i++) u[i] = t->amplitude * x[i];
    return u;
}

/* Derivatives by the system's controls, amplitude 1, from those by the kernel's. */
static const double *pull(struct kl_control_evaluator *e, const double *by_kernel)
{
    if (!e->turned) return by_kernel;
    kl_control_axes_back(e->pulled, by_kernel, &e->axes, e->problem->segments, LANES);
    return e->pulled;
}

/* Member m at all points; with gradient: of its share, added to g. */
static void run_lanes(struct kl_control_evaluator *e, double *loss, double *g, const double *x, int m)
{
    const struct kl_control_task *t = &e->members[m];
    const double *const u = set_member(e, e->u, NULL, x, NULL, m);
    kl_kernel_bloch_gradient_f64()(loss, g ? e->grad : NULL, NULL, NULL, u, e->params, e->weights,
                                   &e->bloch, LANES, e->work);
    double factor[LANES];
    for (int l = 0; l < LANES; l++) factor[l] = e->shares[m * LANES + l] * t->amplitude;
    const double *const grad = g ? pull(e, e->grad) : NULL;
    for (size_t i = 0; g && i < (size_t)e->rows; i++)
        for (size_t l = 0; l < LANES; l++) g[i * LANES + l] += factor[l] * grad[i * LANES + l];
    for (int l = 0; l < LANES; l++) loss[l] += e->problem->objective->constant;
}

static void run_points(struct kl_control_evaluator *e, double *loss, double *g, const double *x, int m,
                       const bool *wanted)
{
    for (int l = 0; l < LANES; l++) {
        struct kl_control_gradient to = { .u = g ? e->grad : NULL };
        loss[l] = 0;
        if (!wanted[l] || (g && e->shares[m * LANES + l] == 0)) continue;
        for (int i = 0; i < e->rows; i++) e->u[i] = x[i * LANES + l];
        kl_control_engine_run(&to, &e->engine, e->u, &e->members[m]);
        loss[l] = to.loss;
        for (int i = 0; g && i < e->rows; i++) g[i * LANES + l] += e->shares[m * LANES + l] * e->grad[i];
    }
}

static void run(struct kl_control_evaluator *e, double *loss, double *g, const double *x, int m,
                const bool *wanted)
{
    if (e->lanes) run_lanes(e, loss, g, x, m);
    else run_points(e, loss, g, x, m, wanted);
}

/* factor * mean (u / limit)^2 */
static void add_energy(const struct kl_control_evaluator *e, double *f, double *g, const double *x)
{
    const int controls = e->problem->system->n_controls;
    const double factor = e->problem->energy / e->rows;
    for (int i = 0; i < e->rows; i++) {
        const double limit = e->problem->limit[i % controls], scale = factor / (limit * limit);
        for (int l = 0; l < LANES; l++) {
            f[l] += scale * x[i * LANES + l] * x[i * LANES + l];
            if (g) g[i * LANES + l] += 2 * scale * x[i * LANES + l];
        }
    }
}

/* The ensemble at controls u [rows][16]. */
static void evaluate_controls(struct kl_control_evaluator *e, double *f, double *g, const double *u,
                              const bool *wanted)
{
    const int n = e->n_members;
    double again[LANES];
    /* Shares of a mean are known before the losses are. */
    const bool once = e->problem->aggregate == KL_CONTROL_MEAN || n == 1;
    if (g) memset(g, 0, (size_t)e->rows * LANES * sizeof *g);
    for (int i = 0; once && i < n * LANES; i++) e->shares[i] = e->weights_of[i / LANES];
    for (int m = 0; m < n; m++) run(e, e->losses + m * LANES, once ? g : NULL, u, m, wanted);
    if (n == 1) memcpy(f, e->losses, LANES * sizeof *f);
    else aggregate(f, e);
    for (int m = 0; g && !once && m < n; m++) run(e, again, g, u, m, wanted);
    if (e->problem->energy > 0) add_energy(e, f, g, u);
}

/* to = x times the limits; both [rows][16]. */
static void times_limits(double *to, const struct kl_control_evaluator *e, const double *x)
{
    for (int i = 0; i < e->rows; i++) {
        const double limit = e->problem->limit[i % e->problem->system->n_controls];
        for (int l = 0; l < LANES; l++) to[i * LANES + l] = limit * x[i * LANES + l];
    }
}

void kl_control_evaluate(struct kl_control_evaluator *e, double *f, double *g, const double *x,
                         const bool wanted[KL_CONTROL_LANES])
{
    const struct kl_control_waveform *w = e->waveform;
    if (w) kl_control_waveform_play(e->samples, e->controls, w, x, LANES);
    times_limits(e->controls, e, w ? e->controls : x);
    evaluate_controls(e, f, g ? e->by_controls : NULL, e->controls, wanted);
    if (g) times_limits(w ? e->by_controls : g, e, e->by_controls);
    if (!w) return;
    memset(e->back, 0, (size_t)(w->samples * w->controls) * LANES * sizeof *e->back);
    kl_control_waveform_slew(f, g ? e->back : NULL, w, e->samples, LANES);
    if (!g) return;
    memset(g, 0, (size_t)e->n * LANES * sizeof *g);
    kl_control_waveform_back(g, e->by_controls, w, x, e->back, LANES);
}

bool kl_control_has_hessian(const struct kl_control_evaluator *e)
{
    return e->lanes && !e->waveform && (e->problem->aggregate == KL_CONTROL_MEAN || e->n_members == 1);
}

static void add_scaled(double *to, double factor, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += factor * from[i];
}

void kl_control_evaluate_hessian(struct kl_control_evaluator *e, double *f, double *g, double *hv,
                                 const double *x, const double *v)
{
    const size_t count = (size_t)e->rows * LANES;
    times_limits(e->controls, e, x), times_limits(e->by_controls, e, v);
    memset(g, 0, count * sizeof *g), memset(hv, 0, count * sizeof *hv);
    for (int l = 0; l < LANES; l++) f[l] = 0;
    for (int m = 0; m < e->n_members; m++) {
        const double share = e->weights_of[m], factor = share * e->members[m].amplitude;
        double loss[LANES], dloss[LANES];
        const double *const u = set_member(e, e->u, e->du, e->controls, e->by_controls, m);
        kl_kernel_bloch_tangent_f64()(dloss, e->curved, NULL, loss, e->grad, u, e->du, e->params, NULL,
                                      e->weights, &e->bloch, LANES, e->work);
        for (int l = 0; l < LANES; l++) f[l] += share * (loss[l] + e->problem->objective->constant);
        add_scaled(g, factor, pull(e, e->grad), count);
        add_scaled(hv, factor, pull(e, e->curved), count);
    }
    if (e->problem->energy > 0) {
        const int controls = e->problem->system->n_controls;
        add_energy(e, f, g, e->controls);
        for (size_t i = 0; i < count; i++)
            hv[i] += 2 * e->problem->energy / e->rows /
                     pow(e->problem->limit[i / LANES % (size_t)controls], 2) * e->by_controls[i];
    }
    times_limits(g, e, g), times_limits(hv, e, hv);
}

/* ---- gradients and Hessian products against central differences ---- */
struct check {
    struct kl_control_evaluator *e;
    int n;
    double *x, *v, *g, *other, *hv; /* [n][16] */
};

/* Random numbers in the middle half of what may be; the same in all lanes. */
static void draw(struct check *c, uint64_t seed)
{
    const double *low = kl_control_evaluator_low(c->e), *high = kl_control_evaluator_high(c->e);
    for (int i = 0; i < c->n; i++) {
        uint32_t w[4];
        kl_philox(w, seed, (uint32_t)i, KL_RANDOM_STARTS, UINT32_MAX, 0);
        const double from = fmax(low[i], -1), to = fmin(high[i], 1),
                     x = (from + to) / 2 + (to - from) / 4 * (2 * kl_philox_unit(w[0]) - 1);
        for (int l = 0; l < LANES; l++)
            c->x[i * LANES + l] = x,
                             c->v[i * LANES + l] = low[i] == high[i] ? 0 : 2 * kl_philox_unit(w[1]) - 1;
    }
}

/* Two lanes step forward and back along component i; sixteen lanes serve eight components. */
static double differences(struct check *c, double largest)
{
    const double h = 1e-5;
    const bool wanted[LANES] = { true, true, true, true, true, true, true, true,
                                 true, true, true, true, true, true, true, true };
    double worst = 0, f[LANES];
    for (int from = 0; from < c->n; from += LANES / 2) {
        memcpy(c->other, c->x, (size_t)(c->n * LANES) * sizeof *c->other);
        for (int l = 0; l < LANES && from + l / 2 < c->n; l++)
            c->other[(from + l / 2) * LANES + l] += l % 2 ? -h : h;
        kl_control_evaluate(c->e, f, NULL, c->other, wanted);
        for (int l = 0; l < LANES && from + l / 2 < c->n; l += 2) {
            const double slope = (f[l] - f[l + 1]) / (2 * h);
            worst = fmax(worst, fabs(slope - c->g[(from + l / 2) * LANES]) / largest);
        }
    }
    return worst;
}

static double largest_of(const double *v, int n)
{
    double most = 1e-300;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i * LANES]));
    return most;
}

/* Lane 0 a step along v, lane 1 one back. */
static double check_hessian(struct check *c)
{
    const double h = 1e-5;
    double f[LANES], worst = 0;
    const bool wanted[LANES] = { true, true };
    kl_control_evaluate_hessian(c->e, f, c->g, c->hv, c->x, c->v);
    for (int i = 0; i < c->n * LANES; i++) c->other[i] = c->x[i] + (i % 2 ? -h : h) * c->v[i];
    kl_control_evaluate(c->e, f, c->g, c->other, wanted);
    const double largest = largest_of(c->hv, c->n);
    for (int i = 0; i < c->n; i++) {
        const double slope = (c->g[i * LANES] - c->g[i * LANES + 1]) / (2 * h);
        worst = fmax(worst, fabs(slope - c->hv[i * LANES]) / largest);
    }
    return worst;
}

int kl_control_check_gradients(double *gradient, double *hessian,
                               const struct kl_control_problem *problem, uint64_t seed,
                               struct kl_error *err)
{
    struct check c = { 0 };
    struct kl_arena arena = { 0 };
    double f[LANES];
    const bool wanted[LANES] = { true };
    int code = kl_control_evaluator_open(&c.e, problem, err);
    if (!code) code = kl_arena_init(&arena, 1 << 16, err);
    if (!code) {
        double **const vectors[] = { &c.x, &c.v, &c.g, &c.other, &c.hv };
        c.n = kl_control_evaluator_size(c.e);
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
            if (!(*vectors[i] = kl_arena_take(&arena, (size_t)(c.n * LANES), sizeof(double))))
                code = kl_fail_memory(err, (size_t)(c.n * LANES) * sizeof(double));
    }
    if (!code) {
        draw(&c, seed);
        kl_control_evaluate(c.e, f, c.g, c.x, wanted);
        *gradient = differences(&c, largest_of(c.g, c.n));
        *hessian = kl_control_has_hessian(c.e) ? check_hessian(&c) : NAN;
    }
    kl_control_evaluator_close(&c.e);
    kl_arena_free(&arena);
    return code;
}
