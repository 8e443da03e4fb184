/* SPDX-License-Identifier: MIT
   A system as kernels know it: for kernels/bloch.h, if it is one qubit along X, Y and Z; else for
   kernels/liouville.h, which propagates a pulse of any system exactly. */
#include "control/model/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bloch.h"

/* ---- any system ---- */
static double *matrix_of(const struct kl_control_system *s, int k)
{
    return k < s->n_controls ? s->controls[k].matrix : s->params[k - s->n_controls].matrix;
}

/* max(||M||_1, ||M||_inf) */
static double norm_of(const double *m, int dim)
{
    double most = 0;
    for (int i = 0; i < dim; i++) {
        double row = 0, column = 0;
        for (int j = 0; j < dim; j++) row += fabs(m[i * dim + j]), column += fabs(m[j * dim + i]);
        most = fmax(most, fmax(row, column));
    }
    return most;
}

/* Entries of all matrices, by place. to NULL: only counted. */
static int collect_terms(struct kl_liouville_term *to, const struct kl_control_system *s)
{
    int n = 0;
    for (int r = 0; r < s->dim; r++)
        for (int c = 0; c < s->dim; c++)
            for (int k = 0; k < s->n_controls + s->n_params; k++) {
                const double value = matrix_of(s, k)[r * s->dim + c];
                if (value == 0) continue;
                if (to) to[n] = (struct kl_liouville_term){ r, c, k, value };
                n++;
            }
    return n;
}

static int pad_objective(struct kl_control_engine *e, const struct kl_control_objective *o,
                         struct kl_error *err)
{
    const size_t dim = (size_t)e->g.dim, columns = (size_t)e->g.columns;
    e->start = calloc(dim * columns, sizeof(double)), e->weights = calloc(dim * columns, sizeof(double));
    if (!e->start || !e->weights) return kl_fail(err, KL_ENOMEM, "out of memory");
    for (size_t r = 0; r < dim; r++)
        for (size_t c = 0; c < (size_t)o->columns; c++) {
            e->start[r * columns + c] = o->start[r * (size_t)o->columns + c];
            e->weights[r * columns + c] = o->weights[r * (size_t)o->columns + c];
        }
    return 0;
}

static double largest_norm(const struct kl_control_engine *e, const double *most, const double *params)
{
    const struct kl_control_system *s = e->system;
    double sum = 0;
    for (int k = 0; k < s->n_controls; k++)
        sum += e->norms[k] *
               (most ? fabs(most[k]) : kl_control_largest(s->controls[k].low, s->controls[k].high));
    for (int j = 0; j < s->n_params; j++)
        sum += e->norms[s->n_controls + j] * fabs(params ? params[j] : s->params[j].value);
    return sum * e->g.dt;
}

int kl_control_engine_describe(struct kl_control_engine *e, const struct kl_control_system *system,
                               enum kl_liouville_form form, int segments, double duration,
                               const double *most, const double *params, struct kl_error *err)
{
    *e = (struct kl_control_engine){ .system = system };
    e->g = (struct kl_liouville){ .form = form,
                                  .dim = system->dim,
                                  .segments = segments,
                                  .controls = system->n_controls,
                                  .params = system->n_params,
                                  .dt = duration / segments };
    for (int k = 0; k < system->n_controls + system->n_params; k++)
        e->norms[k] = norm_of(matrix_of(system, k), system->dim);
    if (form == KL_LIOUVILLE_SPARSE) {
        e->g.n_terms = collect_terms(NULL, system);
        e->terms = calloc((size_t)e->g.n_terms + 1, sizeof *e->terms);
        if (!e->terms) return kl_fail(err, KL_ENOMEM, "out of memory");
        collect_terms(e->terms, system);
        e->g.terms = e->terms;
    }
    e->norm = largest_norm(e, most, params);
    if (!(e->norm <= KL_BLOCH_MOST_NORM))
        return kl_fail(err, KL_EUSAGE,
                       "a segment of %g turns the state by %g: more segments or a shorter pulse",
                       e->g.dt, e->norm);
    e->g.substeps = kl_liouville_substeps(e->norm);
    return 0;
}

int kl_control_engine_open(struct kl_control_engine *e, const struct kl_control_system *system,
                           const struct kl_control_objective *objective, int segments, double duration,
                           const double *most, const double *params, struct kl_error *err)
{
    const int lanes = KL_LIOUVILLE_LANES;
    const enum kl_liouville_form form =
        system->form == KL_CONTROL_TWO_QUBITS ? KL_LIOUVILLE_TWO_QUBITS : KL_LIOUVILLE_SPARSE;
    const int code = kl_control_engine_describe(e, system, form, segments, duration, most, params, err);
    if (code) return code;
    e->constant = objective->constant;
    e->g.columns = (objective->columns + lanes - 1) / lanes * lanes;
    e->work = aligned_alloc(64, kl_liouville_work(&e->g));
    e->u = calloc((size_t)(segments * system->n_controls) + 1, sizeof(double));
    if (!e->work || !e->u) return kl_fail(err, KL_ENOMEM, "out of memory");
    return pad_objective(e, objective, err);
}

void kl_control_engine_close(struct kl_control_engine *e)
{
    free(e->terms), free(e->start), free(e->weights), free(e->work), free(e->u);
    *e = (struct kl_control_engine){ 0 };
}

void kl_control_engine_run(struct kl_control_gradient *to, struct kl_control_engine *e, const double *u,
                           const struct kl_control_task *task)
{
    const int n = e->g.segments * e->g.controls;
    struct kl_control_task own;
    if (!task) kl_control_task_default(&own, e->system), task = &own;
    for (int i = 0; i < n; i++) e->u[i] = task->amplitude * u[i];
    to->loss =
        e->constant + kl_kernel_liouville_gradient_f64()(to->u, to->params, to->path, e->u, task->params,
                                                         e->start, e->weights, &e->g, e->work);
    if (to->amplitude) *to->amplitude = 0;
    for (int i = 0; to->u && i < n; i++) {
        if (to->amplitude) *to->amplitude += to->u[i] * u[i];
        to->u[i] *= task->amplitude;
    }
}

/* The engine of one pulse; substeps by its own amplitudes. */
static int open_for(struct kl_control_engine *e, const struct kl_control_system *system,
                    const struct kl_control_objective *objective, const struct kl_control_pulse *pulse,
                    const struct kl_control_task *task, struct kl_error *err)
{
    double most[KL_CONTROL_MAX_CONTROLS] = { 0 };
    const double factor = task ? fabs(task->amplitude) : 1;
    for (int s = 0; s < pulse->segments; s++)
        for (int k = 0; k < pulse->controls; k++) {
            const double u = factor * fabs(pulse->u[s * pulse->controls + k]);
            if (!isfinite(u))
                return kl_fail(err, KL_EDATA, "control %s of segment %d is not finite",
                               system->controls[k].name, s);
            most[k] = fmax(most[k], u);
        }
    return kl_control_engine_open(e, system, objective, pulse->segments, pulse->duration, most,
                                  task ? task->params : NULL, err);
}

/* The columns of path without their padding, in place. */
static void pack_path(double *path, const double *padded, const struct kl_control_engine *e, int columns)
{
    const size_t rows = (size_t)((e->g.segments + 1) * e->g.dim), wide = (size_t)e->g.columns;
    for (size_t r = 0; r < rows; r++)
        memcpy(path + r * (size_t)columns, padded + r * wide, (size_t)columns * sizeof(double));
}

int kl_control_propagate(struct kl_control_gradient *to, const struct kl_control_system *system,
                         const struct kl_control_objective *objective,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         struct kl_error *err)
{
    struct kl_control_engine e = { 0 };
    struct kl_control_gradient whole = *to;
    double *own = NULL;
    whole.path = NULL; /* with columns padded; the caller's own is not ours to free */
    int code = open_for(&e, system, objective, pulse, task, err);
    if (code) goto out;
    if (to->path) {
        whole.path = malloc((size_t)((pulse->segments + 1) * e.g.dim * e.g.columns) * sizeof(double));
        if (!whole.path) code = kl_fail(err, KL_ENOMEM, "out of memory");
    }
    if (to->amplitude && !to->u) {
        whole.u = own = malloc((size_t)(pulse->segments * pulse->controls) * sizeof(double));
        if (!own) code = kl_fail(err, KL_ENOMEM, "out of memory");
    }
    if (code) goto out;
    kl_control_engine_run(&whole, &e, pulse->u, task);
    to->loss = whole.loss;
    if (to->path) pack_path(to->path, whole.path, &e, objective->columns);
    if (!isfinite(to->loss))
        code = kl_fail(err, KL_EDATA, "the loss is no number: a parameter is not finite");
out:
    free(whole.path), free(own);
    kl_control_engine_close(&e);
    return code;
}

int kl_control_transfer(double *transfer, const struct kl_control_system *system,
                        const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                        struct kl_error *err)
{
    const size_t dim = (size_t)system->dim, size = dim * dim;
    struct kl_control_objective identity = { .columns = system->dim,
                                             .start = calloc(size, sizeof(double)),
                                             .weights = calloc(size, sizeof(double)) };
    struct kl_control_gradient to = { .path =
                                          calloc(size * (size_t)(pulse->segments + 1), sizeof(double)) };
    int code = 0;
    if (!identity.start || !identity.weights || !to.path)
        code = kl_fail(err, KL_ENOMEM, "out of memory");
    for (size_t i = 0; !code && i < dim; i++) identity.start[i * dim + i] = 1;
    if (!code) code = kl_control_propagate(&to, system, &identity, pulse, task, err);
    if (!code) memcpy(transfer, to.path + (size_t)pulse->segments * size, size * sizeof(double));
    free(to.path);
    kl_control_objective_free(&identity);
    return code;
}

/* ---- one qubit ----
   One qubit whose controls, terms and jumps are multiples and sums of what kernels/bloch.h knows: its
   controls along X, Y, Z and its three rates are linear in theirs. */

enum { DIM = 4, X = 1, Y = 2, Z = 3 };

/* 2 axis x r, as rows and columns of a generator. */
static void turn_about(double to[DIM * DIM], const double axis[3])
{
    memset(to, 0, DIM * DIM * sizeof *to);
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        to[DIM * (b + 1) + c + 1] = -2 * axis[a];
        to[DIM * (c + 1) + b + 1] = 2 * axis[a];
    }
}

static void damp(double to[DIM * DIM], const double rate[3])
{
    const double both = rate[1] + rate[2];
    memset(to, 0, DIM * DIM * sizeof *to);
    to[DIM * X + X] = to[DIM * Y + Y] = -(rate[0] + both / 2);
    to[DIM * Z + Z] = -both;
    to[DIM * Z] = rate[1] - rate[2];
}

static bool same(const double *a, const double *b)
{
    double largest = 0, off = 0;
    for (int i = 0; i < DIM * DIM; i++)
        largest = fmax(largest, fabs(b[i])), off = fmax(off, fabs(a[i] - b[i]));
    return off <= 1e-12 * largest;
}

/* Parts below the 15 digits of a model in JSON are none: a control along X is not one of Z, and no rate
   is negative by rounding. */
static void clean(double part[3])
{
    const double largest = fmax(fabs(part[0]), fmax(fabs(part[1]), fabs(part[2])));
    for (int i = 0; i < 3; i++)
        if (fabs(part[i]) <= 1e-13 * largest) part[i] = 0;
}

/* H = axis . (X, Y, Z) and a multiple of 1; false: the generator is none of a Hamiltonian. */
static bool find_axis(double axis[3], const double *g)
{
    double again[DIM * DIM];
    axis[0] = (g[DIM * Z + Y] - g[DIM * Y + Z]) / 4;
    axis[1] = (g[DIM * X + Z] - g[DIM * Z + X]) / 4;
    axis[2] = (g[DIM * Y + X] - g[DIM * X + Y]) / 4;
    clean(axis);
    turn_about(again, axis);
    return same(again, g);
}

/* gamma_phi, gamma_down, gamma_up; false: a jump of another kind, such as X. */
static bool find_rates(double rate[3], const double *g)
{
    double again[DIM * DIM];
    const double both = -g[DIM * Z + Z];
    rate[0] = -g[DIM * X + X] - both / 2;
    rate[1] = (both + g[DIM * Z]) / 2, rate[2] = (both - g[DIM * Z]) / 2;
    clean(rate);
    damp(again, rate);
    return rate[0] >= 0 && rate[1] >= 0 && rate[2] >= 0 && same(again, g);
}

/* A system whose entries are the kernel's own, in its order. */
static void identity(struct kl_control_axes *axes)
{
    for (int k = 0; k < axes->n_controls; k++) axes->control[k][k] = 1;
    for (int j = 0; j < 3; j++) axes->rate[j][j] = 1;
    axes->term[KL_BLOCH_DETUNING][2] = 1;
    axes->controls = axes->n_controls;
}

bool kl_control_axes_make(struct kl_control_axes *axes, const struct kl_control_system *s)
{
    bool fits = s->d == 2;
    *axes = (struct kl_control_axes){ .n_controls = s->n_controls, .n_params = s->n_params, 2 };
    if (s->form == KL_CONTROL_ONE_QUBIT) {
        identity(axes);
        return true;
    }
    for (int k = 0; k < s->n_controls && fits; k++) {
        fits = find_axis(axes->control[k], s->controls[k].matrix);
        if (axes->control[k][2] != 0) axes->controls = 3;
    }
    for (int j = 0; j < s->n_params && fits; j++)
        fits = s->params[j].rate ? find_rates(axes->rate[j], s->params[j].matrix)
                                 : find_axis(axes->term[j], s->params[j].matrix);
    return fits;
}

void kl_control_axes_task(double params[KL_BLOCH_PARAMS], double drift[2],
                          const struct kl_control_axes *axes, const double *of_system)
{
    drift[0] = drift[1] = 0;
    for (int i = 0; i < KL_BLOCH_PARAMS; i++) params[i] = 0;
    for (int j = 0; j < axes->n_params; j++) {
        const double p = of_system[j];
        for (int i = 0; i < 3; i++) params[i] += axes->rate[j][i] * p;
        drift[0] += axes->term[j][0] * p, drift[1] += axes->term[j][1] * p;
        params[KL_BLOCH_DETUNING] += axes->term[j][2] * p;
    }
}

double kl_control_axes_norm(const struct kl_control_axes *axes, const double *controls,
                            const double *params)
{
    double square = 0, rates = 0;
    for (int a = 0; a < 3; a++) {
        double most = 0;
        for (int k = 0; k < axes->n_controls; k++) most += fabs(axes->control[k][a]) * controls[k];
        for (int j = 0; j < axes->n_params; j++) most += fabs(axes->term[j][a]) * params[j];
        square += most * most;
        for (int j = 0; j < axes->n_params; j++) rates += axes->rate[j][a] * params[j];
    }
    return 2 * sqrt(square) + rates;
}

void kl_control_axes_turn(double *to, const double *u, const struct kl_control_axes *axes, int segments,
                          size_t lanes, double factor, const double *drift)
{
    for (int s = 0; s < segments; s++, u += (size_t)axes->n_controls * lanes)
        for (int a = 0; a < axes->controls; a++, to += lanes) {
            const double start = drift && a < 2 ? drift[a] : 0;
            for (size_t l = 0; l < lanes; l++) to[l] = start;
            for (int k = 0; k < axes->n_controls; k++) {
                const double part = factor * axes->control[k][a];
                for (size_t l = 0; part != 0 && l < lanes; l++) to[l] += part * u[(size_t)k * lanes + l];
            }
        }
}

void kl_control_axes_back(double *to, const double *by_axes, const struct kl_control_axes *axes,
                          int segments, size_t lanes)
{
    for (int s = 0; s < segments; s++, by_axes += (size_t)axes->controls * lanes)
        for (int k = 0; k < axes->n_controls; k++, to += lanes) {
            for (size_t l = 0; l < lanes; l++) to[l] = 0;
            for (int a = 0; a < axes->controls; a++) {
                const double part = axes->control[k][a];
                for (size_t l = 0; l < lanes; l++) to[l] += part * by_axes[(size_t)a * lanes + l];
            }
        }
}
