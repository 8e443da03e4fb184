/* SPDX-License-Identifier: MIT
   Exact propagation of one pulse of any system, by kernels/liouville.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "kernels/bloch.h"

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

int kl_control_engine_open(struct kl_control_engine *e, const struct kl_control_system *system,
                           const struct kl_control_objective *objective, int segments, double duration,
                           const double *most, const double *params, struct kl_error *err)
{
    const int lanes = KL_LIOUVILLE_LANES;
    *e = (struct kl_control_engine){ .system = system, .constant = objective->constant };
    e->g = (struct kl_liouville){ .form = KL_LIOUVILLE_SPARSE,
                                  .dim = system->dim,
                                  .columns = (objective->columns + lanes - 1) / lanes * lanes,
                                  .segments = segments,
                                  .controls = system->n_controls,
                                  .params = system->n_params,
                                  .dt = duration / segments };
    for (int k = 0; k < system->n_controls + system->n_params; k++)
        e->norms[k] = norm_of(matrix_of(system, k), system->dim);
    if (system->form == KL_CONTROL_TWO_QUBITS) e->g.form = KL_LIOUVILLE_TWO_QUBITS;
    else {
        e->g.n_terms = collect_terms(NULL, system);
        e->terms = calloc((size_t)e->g.n_terms + 1, sizeof *e->terms);
        if (!e->terms) return kl_fail(err, KL_ENOMEM, "out of memory");
        collect_terms(e->terms, system);
        e->g.terms = e->terms;
    }
    const double norm = largest_norm(e, most, params);
    if (!(norm <= KL_BLOCH_MOST_NORM))
        return kl_fail(err, KL_EUSAGE,
                       "a segment of %g turns the state by %g: more segments or a shorter pulse",
                       e->g.dt, norm);
    e->g.substeps = kl_liouville_substeps(norm);
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
