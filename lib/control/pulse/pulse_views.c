/* SPDX-License-Identifier: MIT
   What figures of a pulse need beside its controls, in its file: the ways of Bloch vectors, the filter
   function, the loss round the problem's own values. */
#include "control/model/engine.h"
#include "control/noise/noise.h"
#include "control/pulse/pulse_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static struct kl_control_pulse pulse_of(const struct kl_control_setup *s, const double *u)
{
    return (struct kl_control_pulse){ s->problem.segments, s->system.n_controls, s->problem.duration,
                                      (double *)u };
}

/* ---- ways of Bloch vectors ---- */
enum { SMOOTH = 240, LONG = 1024, AXES = 3 };

struct ways {
    double *vectors;                    /* [n][points][3] */
    double start[AXES][3], to[AXES][3]; /* to: what the target makes of the start */
    size_t n, points;
};

/* The objective's state where it is of one; else the ends of the axes Z, X, Y. */
static int choose_starts(struct ways *w, const struct kl_control_setup *s, struct kl_error *err)
{
    double target[16];
    const int code = kl_control_transfer_of_unitary(target, s->target.u, 2, 1, err);
    if (code) return code;
    w->n = s->objective.columns == 1 ? 1 : AXES;
    for (size_t i = 0; i < w->n; i++) {
        for (int a = 0; a < 3; a++)
            w->start[i][a] = w->n == 1 ? s->objective.start[a + 1] : ((int)i + 2) % 3 == a ? 1 : 0;
        for (int a = 0; a < 3; a++) {
            w->to[i][a] = 0;
            for (int b = 0; b < 3; b++) w->to[i][a] += target[4 * (a + 1) + b + 1] * w->start[i][b];
        }
    }
    return 0;
}

/* The pulse in parts so short that chords between them look like arcs. */
static double *split(const double *u, int segments, int controls, int parts)
{
    double *fine = malloc((size_t)(segments * parts * controls) * sizeof *fine);
    for (int i = 0; fine && i < segments * parts; i++)
        memcpy(fine + (size_t)(i * controls), u + (size_t)(i / parts * controls),
               (size_t)controls * sizeof *fine);
    return fine;
}

static int follow(struct ways *w, const struct kl_control_setup *s, const double *u,
                  struct kl_error *err)
{
    const int controls = s->system.n_controls,
              parts = (SMOOTH + s->problem.segments - 1) / s->problem.segments,
              steps = s->problem.segments * parts;
    double identity[16] = { 0 }, zeros[16] = { 0 };
    struct kl_control_objective all = { .columns = 4, .start = identity, .weights = zeros };
    double *fine = split(u, s->problem.segments, controls, parts);
    struct kl_control_pulse pulse = { steps, controls, s->problem.duration, fine };
    struct kl_control_gradient to = { .path = malloc((size_t)(steps + 1) * 16 * sizeof(double)) };
    w->points = (size_t)(steps < LONG ? steps : LONG) + 1;
    w->vectors = malloc(w->n * w->points * 3 * sizeof(double));
    for (int i = 0; i < 4; i++) identity[5 * i] = 1;
    int code = fine && to.path && w->vectors ? 0 : kl_fail_memory(err, (size_t)steps * 128);
    if (!code) code = kl_control_propagate(&to, &s->system, &all, &pulse, NULL, err);
    for (size_t i = 0; !code && i < w->n; i++)
        for (size_t k = 0; k < w->points; k++) {
            const double *r = to.path + 16 * (k * (size_t)steps / (w->points - 1));
            for (int a = 1; a < 4; a++) {
                double sum = r[4 * a];
                for (int b = 1; b < 4; b++) sum += r[4 * a + b] * w->start[i][b - 1];
                w->vectors[(i * w->points + k) * 3 + (size_t)a - 1] = sum;
            }
        }
    free(fine), free(to.path);
    return code;
}

static int put_ways(struct kl_writer *writer, const struct kl_control_setup *s, const double *u,
                    struct kl_error *err)
{
    struct ways w = { 0 };
    int code = choose_starts(&w, s, err);
    if (!code) code = follow(&w, s, u, err);
    const size_t dims[] = { w.n, w.points, 3 }, ends[] = { w.n, 3 };
    if (!code)
        code = kl_store_writer_put(writer, "path/vectors", KL_TYPE_F64, 0, 3, dims, w.vectors, err);
    if (code >= 0) code = kl_store_writer_put(writer, "path/target", KL_TYPE_F64, 0, 2, ends, w.to, err);
    free(w.vectors);
    return code < 0 ? code : 0;
}

/* ---- the filter function ---- */
enum { FREQUENCIES = 300 };

/* Largest rotation of a segment, half a radian a unit of time. */
static double largest_turn(const struct kl_control_pulse *pulse, double detuning)
{
    double most = fabs(detuning);
    for (int i = 0; i < pulse->segments; i++) {
        double square = 0;
        for (int k = 0; k < pulse->controls; k++) {
            const double v = pulse->u[i * pulse->controls + k] + (k == 2 ? detuning : 0);
            square += v * v;
        }
        most = fmax(most, sqrt(square + (pulse->controls == 2 ? detuning * detuning : 0)));
    }
    return most;
}

/* Of a pulse along X, Y, Z: from a hundredth of a turn over its duration to twenty turns, or well above
   what the controls themselves turn. */
static int put_filter_of(struct kl_writer *writer, const struct kl_control_pulse *pulse, double detuning,
                         struct kl_error *err)
{
    const double turn = 2 * M_PI / pulse->duration, most = largest_turn(pulse, detuning);
    const size_t n = FREQUENCIES, dims[] = { 3, FREQUENCIES };
    double omega[FREQUENCIES], values[3 * FREQUENCIES];
    struct kl_control_filter *filter = NULL;
    const double first = 0.01 * turn, last = fmax(20 * turn, 6 * most);
    for (size_t i = 0; i < n; i++) omega[i] = first * pow(last / first, (double)i / (FREQUENCIES - 1));
    int code = kl_control_filter_open(&filter, omega, n, pulse->segments, pulse->duration,
                                      most * (1 + 1e-9) + 1e-9, err);
    for (int axis = 0; !code && axis < 3; axis++) {
        struct kl_control_filter_gradient to = { .values = values + (size_t)axis * n };
        code = kl_control_filter_evaluate(&to, filter, pulse, detuning, axis, NULL, err);
    }
    kl_control_filter_close(&filter);
    if (!code) code = kl_store_writer_put(writer, "filter/omega", KL_TYPE_F64, 0, 1, &n, omega, err);
    if (code >= 0) code = kl_store_writer_put(writer, "filter/F", KL_TYPE_F64, 0, 2, dims, values, err);
    return code < 0 ? code : 0;
}

static int put_filter(struct kl_writer *writer, const struct kl_control_setup *s, const double *u,
                      struct kl_error *err)
{
    struct kl_control_axes axes;
    struct kl_control_task task;
    double params[KL_BLOCH_PARAMS], drift[2];
    if (!kl_control_axes_make(&axes, &s->system)) return 0;
    struct kl_control_pulse pulse = pulse_of(s, u);
    const size_t bytes = (size_t)(pulse.segments * axes.controls) * sizeof *pulse.u;
    pulse.controls = axes.controls, pulse.u = malloc(bytes);
    if (!pulse.u) return kl_fail_memory(err, bytes);
    kl_control_task_default(&task, &s->system);
    kl_control_axes_task(params, drift, &axes, task.params);
    kl_control_axes_turn(pulse.u, u, &axes, pulse.segments, 1, 1, drift);
    const int code = put_filter_of(writer, &pulse, params[KL_BLOCH_DETUNING], err);
    free(pulse.u);
    return code;
}

/* ---- the loss round the problem's own values ---- */
enum { AMPLITUDE = -1, MOST_POINTS = 25 };
static const double BUDGET = 4e8; /* multiplications, a second of the slowest machine */

struct axis {
    int param; /* or AMPLITUDE */
    double at, reach;
};

static double value_of(const struct kl_control_task *task, int param)
{
    return param == AMPLITUDE ? task->amplitude : task->params[param];
}

/* How far the ensemble's members lie from the middle. */
static double reach_of(const struct kl_control_setup *s, const struct kl_control_task *middle, int param)
{
    double most = 0;
    for (int m = 0; m < s->n_members; m++)
        most = fmax(most, fabs(value_of(&s->members[m], param) - value_of(middle, param)));
    return most;
}

/* A parameter that the ensemble does not spread: one that is no rate, the detuning if there is one. */
static int usual_param(const struct kl_control_system *system)
{
    const int detuning = kl_control_system_param(system, "detuning");
    if (detuning >= 0) return detuning;
    for (int j = 0; j < system->n_params; j++)
        if (!system->params[j].rate) return j;
    return system->n_params ? 0 : AMPLITUDE;
}

/* The first two of: what the ensemble spreads, the usual parameter, the amplitude. false: a system
   without parameters. */
static bool choose_params(int chosen[2], const struct kl_control_setup *s,
                          const struct kl_control_task *middle)
{
    int all[KL_CONTROL_MAX_PARAMS + 3], n = 0;
    for (int j = 0; j < s->system.n_params; j++)
        if (reach_of(s, middle, j) > 0) all[n++] = j;
    if (reach_of(s, middle, AMPLITUDE) > 0) all[n++] = AMPLITUDE;
    all[n++] = usual_param(&s->system);
    all[n++] = AMPLITUDE;
    chosen[0] = all[0];
    for (int i = 1; i < n; i++)
        if (all[i] != chosen[0]) {
            chosen[1] = all[i];
            return true;
        }
    return false;
}

static bool choose_axes(struct axis axes[2], const struct kl_control_setup *s)
{
    struct kl_control_task middle;
    int chosen[2];
    double limit = 0;
    kl_control_task_default(&middle, &s->system);
    if (!choose_params(chosen, s, &middle)) return false;
    for (int k = 0; k < s->system.n_controls; k++) limit = fmax(limit, s->problem.limit[k]);
    for (int i = 0; i < 2; i++) {
        const double at = value_of(&middle, chosen[i]), reach = reach_of(s, &middle, chosen[i]);
        axes[i] = (struct axis){ chosen[i], at, 1.25 * reach };
        if (reach == 0)
            axes[i].reach = chosen[i] == AMPLITUDE ? 0.1 : at != 0 ? 0.2 * fabs(at) : 0.1 * limit;
    }
    return true;
}

static int points_of(const struct kl_control_setup *s)
{
    const double dim = s->system.dim,
                 one = 4 * dim * dim * (dim + s->objective.columns) * s->problem.segments;
    int n = MOST_POINTS;
    while (n > 5 && n * n * one > BUDGET) n -= 2;
    return n;
}

static double set_axis(struct kl_control_task *task, const struct kl_control_system *system,
                       const struct axis *axis, int i, int n)
{
    double value = axis->at + axis->reach * (2.0 * i / (n - 1) - 1);
    if (axis->param == AMPLITUDE) return task->amplitude = value;
    if (system->params[axis->param].rate) value = fmax(value, 0);
    return task->params[axis->param] = value;
}

/* at [2][n], loss [n][n]: rows by the second axis. */
static int scan(double *at, double *loss, const struct kl_control_setup *s, const double *u,
                const struct axis axes[2], int n, struct kl_error *err)
{
    const struct kl_control_pulse pulse = pulse_of(s, u);
    struct kl_control_task task;
    int code = 0;
    kl_control_task_default(&task, &s->system);
    for (int i = 0; i < n * n && !code; i++) {
        struct kl_control_gradient to = { 0 };
        at[i % n] = set_axis(&task, &s->system, &axes[0], i % n, n);
        at[n + i / n] = set_axis(&task, &s->system, &axes[1], i / n, n);
        code = kl_control_propagate(&to, &s->system, &s->objective, &pulse, &task, err);
        loss[i] = to.loss;
    }
    return code;
}

static const char *axis_name(const struct kl_control_system *system, const struct axis *axis)
{
    return axis->param == AMPLITUDE ? "amplitude" : system->params[axis->param].name;
}

static int put_landscape(struct kl_writer *writer, const struct kl_control_setup *s, const double *u,
                         struct kl_error *err)
{
    struct axis axes[2];
    if (!choose_axes(axes, s)) return 0;
    const size_t n = (size_t)points_of(s), square[] = { n, n };
    double at[2 * MOST_POINTS], loss[MOST_POINTS * MOST_POINTS];
    int code = scan(at, loss, s, u, axes, (int)n, err);
    if (!code) code = kl_store_writer_put(writer, "landscape/x", KL_TYPE_F64, 0, 1, &n, at, err);
    if (code >= 0) code = kl_store_writer_put(writer, "landscape/y", KL_TYPE_F64, 0, 1, &n, at + n, err);
    if (code >= 0)
        code = kl_store_writer_put(writer, "landscape/loss", KL_TYPE_F64, 0, 2, square, loss, err);
    if (code >= 0)
        code = kl_store_writer_text(writer, "landscape/x", "parameter", axis_name(&s->system, &axes[0]),
                                    err);
    if (code >= 0)
        code = kl_store_writer_text(writer, "landscape/y", "parameter", axis_name(&s->system, &axes[1]),
                                    err);
    return code < 0 ? code : 0;
}

int kl_control_views_put(struct kl_writer *writer, const struct kl_control_setup *s, const double *u,
                         struct kl_error *err)
{
    const bool qubit = kl_control_one_qubit(&s->system);
    int code = qubit ? put_ways(writer, s, u, err) : 0;
    if (!code && qubit) code = put_filter(writer, s, u, err);
    return code ? code : put_landscape(writer, s, u, err);
}
