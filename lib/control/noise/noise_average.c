/* SPDX-License-Identifier: MIT
   Averages over classical noise without a sample: quasi-static noise by Gauss's nodes; telegraph and
   Ornstein-Uhlenbeck noise by the Liouville equation of the system and the noise together, expanded in
   the eigenfunctions of the noise (Kubo 1963, doi:10.1063/1.1703941): level n decays with n times its
   rate and the system couples neighbours. Truncations are raised until the answer stands still. */
#include "control/noise/noise_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/noise/noise.h"
#include "kernels/liouville.h"

/* Beyond it rounding alone, 1e-16 of the norm, would be seen. */
#define MOST_NORM 1e6
enum { MOST_TERMS = 30, MOST_ROWS = 512, TERMS = 16 };

/* A process in its eigenfunctions. */
struct mode {
    int levels;
    double decay; /* of level 1 */
    double sigma;
    double *coupling; /* [dim][dim], of the segment */
    int param;
};
struct joint {
    const struct kl_control_system *system;
    const struct kl_control_pulse *pulse;
    int dim, columns, levels; /* of all modes together */
    int n_modes;
    struct mode modes[KL_CONTROL_MAX_PROCESSES];
    double *generator; /* [dim][dim], of the segment */
    double size;       /* the largest norm times the duration: rounding grows with it */
    double *state, *term, *next, *mixed; /* [levels][dim][columns]; mixed without levels */
};

/* ---- generators ---- */
static void add(double *to, const double *matrix, double factor, int dim)
{
    for (int i = 0; i < dim * dim; i++) to[i] += factor * matrix[i];
}

static void set_segment(struct joint *j, const struct kl_control_task *task, int segment)
{
    const double *u = j->pulse->u + (size_t)segment * (size_t)j->pulse->controls;
    kl_control_system_generator(j->generator, j->system, u, task);
    for (int m = 0; m < j->n_modes; m++) {
        double *to = j->modes[m].coupling;
        memset(to, 0, (size_t)(j->dim * j->dim) * sizeof *to);
        if (j->modes[m].param >= 0) add(to, j->system->params[j->modes[m].param].matrix, 1, j->dim);
        else
            for (int k = 0; k < j->system->n_controls; k++)
                add(to, j->system->controls[k].matrix, u[k] * task->amplitude, j->dim);
    }
}

/* The largest sum of a row: the series is cut by it. */
static double norm(const double *matrix, int dim)
{
    double largest = 0;
    for (int i = 0; i < dim; i++) {
        double sum = 0;
        for (int j = 0; j < dim; j++) sum += fabs(matrix[i * dim + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* ---- the series ---- */
/* to += matrix x. */
static void multiply_add(double *restrict to, const double *restrict matrix, const double *restrict x,
                         int dim, int columns)
{
    for (int i = 0; i < dim; i++)
        for (int k = 0; k < dim; k++) {
            const double m = matrix[i * dim + k];
            if (m == 0) continue;
            for (int c = 0; c < columns; c++) to[i * columns + c] += m * x[k * columns + c];
        }
}

/* Couples a level of one mode to its neighbours: sigma (sqrt(n) below + sqrt(n + 1) above). */
static void couple(const struct joint *j, double *to, const double *from, const struct mode *mode, int n,
                   size_t stride)
{
    const size_t size = (size_t)(j->dim * j->columns);
    const double below = n > 0 ? mode->sigma * sqrt(n) : 0,
                 above = n + 1 < mode->levels ? mode->sigma * sqrt(n + 1) : 0;
    for (size_t i = 0; i < size; i++)
        j->mixed[i] = (below != 0 ? below * *(from + i - stride) : 0) +
                      (above != 0 ? above * from[i + stride] : 0);
    multiply_add(to, mode->coupling, j->mixed, j->dim, j->columns);
}

static void act(const struct joint *j, double *to, const double *from, double factor)
{
    const size_t size = (size_t)(j->dim * j->columns);
    for (int level = 0; level < j->levels; level++) {
        double *y = to + (size_t)level * size, decay = 0;
        const double *x = from + (size_t)level * size;
        for (int m = 0, rest = level; m < j->n_modes; rest /= j->modes[m++].levels)
            decay += j->modes[m].decay * (rest % j->modes[m].levels);
        for (size_t i = 0; i < size; i++) y[i] = -decay * x[i];
        multiply_add(y, j->generator, x, j->dim, j->columns);
        size_t stride = size;
        for (int m = 0, rest = level; m < j->n_modes; m++) {
            couple(j, y, x, &j->modes[m], rest % j->modes[m].levels, stride);
            stride *= (size_t)j->modes[m].levels;
            rest /= j->modes[m].levels;
        }
        for (size_t i = 0; i < size; i++) y[i] *= factor;
    }
}

/* Of the joint generator. */
static double joint_norm(const struct joint *j)
{
    double bound = norm(j->generator, j->dim);
    for (int m = 0; m < j->n_modes; m++)
        bound += j->modes[m].decay * (j->modes[m].levels - 1) +
                 2 * sqrt(j->modes[m].levels) * j->modes[m].sigma * norm(j->modes[m].coupling, j->dim);
    return bound;
}

/* state <- exp(t A) state, in parts in which the norm is at most 1. */
static void flow(struct joint *j, double t, double bound)
{
    const size_t size = (size_t)(j->dim * j->columns * j->levels);
    const int parts = (int)ceil(bound * t) + (bound * t == 0);
    for (int p = 0; p < parts; p++) {
        memcpy(j->term, j->state, size * sizeof *j->term);
        double bound_term = 1;
        for (int k = 1; k < MOST_TERMS && bound_term > 1e-19; k++) {
            act(j, j->next, j->term, t / parts / k);
            double *swap = j->term;
            j->term = j->next, j->next = swap;
            for (size_t i = 0; i < size; i++) j->state[i] += j->term[i];
            bound_term *= bound * t / parts / k;
        }
    }
}

/* Many short parts are more work than one exponential of the whole matrix, where the noise is fast. */
static bool is_stiff(const struct joint *j, double t, double bound)
{
    const double rows = j->dim * j->levels;
    const double action = 2 * 20.0 * bound * t * rows * j->dim * j->columns * (1 + j->n_modes),
                 dense = 2 * rows * rows * rows * (20 + fmax(0, log2(bound * t + 1)));
    return rows <= MOST_ROWS && dense < action;
}

/* to = a b. */
static void product(double *restrict to, const double *restrict a, const double *restrict b, size_t n)
{
    memset(to, 0, n * n * sizeof *to);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double x = a[i * n + k];
            if (x == 0) continue;
            for (size_t j = 0; j < n; j++) to[i * n + j] += x * b[k * n + j];
        }
}

/* a [n][n] becomes exp(a): a series of a part of it, squared until it is whole; rounding is 1e-16 of its
   norm. work: 3 n n numbers. */
static void exponential(double *a, int n, double *work)
{
    const size_t rows = (size_t)n, size = rows * rows;
    double *sum = work, *term = sum + size, *next = term + size, largest = 0;
    int squarings = 0;
    for (size_t i = 0; i < rows; i++) {
        double row = 0;
        for (size_t j = 0; j < rows; j++) row += fabs(a[i * rows + j]);
        largest = fmax(largest, row);
    }
    for (; largest > 0.5; largest /= 2) squarings++;
    for (size_t i = 0; i < size; i++) sum[i] = term[i] = ldexp(a[i], -squarings);
    memcpy(a, sum, size * sizeof *a);
    for (int k = 2; k <= TERMS; k++) {
        product(next, a, term, rows);
        for (size_t i = 0; i < size; i++) sum[i] += term[i] = next[i] / k;
    }
    /* exp - 1 is squared, (1 + x)^2 - 1 = 2x + x^2, which keeps the small part. */
    for (int k = 0; k < squarings; k++) {
        product(next, sum, sum, rows);
        for (size_t i = 0; i < size; i++) sum[i] = 2 * sum[i] + next[i];
    }
    memcpy(a, sum, size * sizeof *a);
    for (size_t i = 0; i < rows; i++) a[i * rows + i] += 1;
}

/* The same by the matrix: its columns are the actions on unit vectors. Column `unit` of a problem with
   one column. */
static int flow_stiff(struct joint *j, double t, struct kl_error *err)
{
    struct joint one = *j;
    const size_t rows = (size_t)(j->dim * j->levels), columns = (size_t)j->columns;
    double *matrix = malloc(4 * rows * rows * sizeof *matrix), *unit = calloc(2 * rows, sizeof *unit);
    const int code = matrix && unit ? KL_OK : kl_fail_memory(err, 4 * rows * rows * sizeof *matrix);
    one.columns = 1;
    for (size_t c = 0; !code && c < rows; c++) {
        unit[c] = 1;
        act(&one, unit + rows, unit, t);
        unit[c] = 0;
        for (size_t i = 0; i < rows; i++) matrix[i * rows + c] = unit[rows + i];
    }
    if (!code) {
        exponential(matrix, (int)rows, matrix + rows * rows);
        memset(j->next, 0, rows * columns * sizeof *j->next);
        multiply_add(j->next, matrix, j->state, (int)rows, j->columns);
        memcpy(j->state, j->next, rows * columns * sizeof *j->state);
    }
    free(matrix), free(unit);
    return code;
}

static int open_joint(struct joint *j, struct kl_arena *arena, struct kl_error *err)
{
    const size_t square = (size_t)(j->dim * j->dim), size = (size_t)(j->dim * j->columns),
                 all = size * (size_t)j->levels;
    kl_arena_reset(arena);
    j->generator = kl_arena_take(arena, square, sizeof(double));
    j->mixed = kl_arena_take(arena, size, sizeof(double));
    j->state = kl_arena_take(arena, all, sizeof(double));
    j->term = kl_arena_take(arena, all, sizeof(double));
    j->next = kl_arena_take(arena, all, sizeof(double));
    bool there = j->generator && j->mixed && j->state && j->term && j->next;
    for (int m = 0; m < j->n_modes; m++) {
        j->modes[m].coupling = kl_arena_take(arena, square, sizeof(double));
        there = there && j->modes[m].coupling;
    }
    return there ? KL_OK : kl_fail_memory(err, 3 * all * sizeof(double));
}

/* Adds weight times the mean end: level 0 of all modes, from which it also started. */
static int run(double *ends, struct joint *j, const double *start, const struct kl_control_task *task,
               double weight, struct kl_error *err)
{
    const size_t size = (size_t)(j->dim * j->columns);
    const double t = j->pulse->duration / j->pulse->segments;
    int code = KL_OK;
    memset(j->state, 0, size * (size_t)j->levels * sizeof *j->state);
    memcpy(j->state, start, size * sizeof *start);
    for (int s = 0; !code && s < j->pulse->segments; s++) {
        set_segment(j, task, s);
        const double bound = joint_norm(j);
        if (!(bound * t < MOST_NORM))
            code = kl_fail(
                err, KL_EUSAGE,
                "noise: segment %d: found a generator of norm %g in its duration, expected below %g", s,
                bound * t, MOST_NORM);
        else if (is_stiff(j, t, bound)) code = flow_stiff(j, t, err);
        else flow(j, t, bound);
        j->size = fmax(j->size, bound * j->pulse->duration);
    }
    for (size_t i = 0; i < size; i++) ends[i] += weight * j->state[i];
    return code;
}

/* ---- nodes and levels ---- */
struct average {
    const struct kl_control_process *processes;
    int n_processes;
    struct kl_control_task task;
    const double *start;
};

/* Nodes of the quasi-static processes from `process` on, then the joint equation of the others. */
static int over_nodes(double *ends, struct joint *j, struct average *a, int process, int nodes,
                      double weight, struct kl_error *err)
{
    while (process < a->n_processes && a->processes[process].kind != KL_CONTROL_QUASI_STATIC) process++;
    if (process == a->n_processes) return run(ends, j, a->start, &a->task, weight, err);
    const struct kl_control_process *p = &a->processes[process];
    double x[KL_CONTROL_MAX_NODES], w[KL_CONTROL_MAX_NODES];
    double *value = p->param < 0 ? &a->task.amplitude : &a->task.params[p->param];
    const double was = *value;
    kl_control_noise_gauss(x, w, nodes, KL_CONTROL_NORMAL);
    int code = KL_OK;
    for (int i = 0; !code && i < nodes; i++) {
        *value = was + (p->param < 0 ? was : 1) * p->sigma * x[i];
        if (w[i] > 1e-20) code = over_nodes(ends, j, a, process + 1, nodes, weight * w[i], err);
    }
    *value = was;
    return code;
}

static void set_modes(struct joint *j, const struct average *a, int nodes)
{
    j->n_modes = 0;
    j->levels = 1;
    for (int i = 0; i < a->n_processes; i++) {
        const struct kl_control_process *p = &a->processes[i];
        if (p->kind == KL_CONTROL_QUASI_STATIC) continue;
        const bool two = p->kind == KL_CONTROL_TELEGRAPH;
        j->modes[j->n_modes] = (struct mode){ .levels = two ? 2 : nodes,
                                              .decay = two ? 2 * p->rate : p->rate,
                                              .sigma = p->sigma,
                                              .param = p->param };
        j->levels *= j->modes[j->n_modes++].levels;
    }
}

int kl_control_noise_check(const struct kl_control_system *system, const struct kl_control_pulse *pulse,
                           const struct kl_control_process *processes, int n, struct kl_error *err)
{
    if (pulse->controls != system->n_controls || pulse->segments < 1 ||
        !(pulse->duration > 0 && pulse->duration < INFINITY))
        return kl_fail(
            err, KL_EUSAGE,
            "noise: found a pulse of %d segments, %d controls, duration %g, expected %d controls",
            pulse->segments, pulse->controls, pulse->duration, system->n_controls);
    for (int i = 0; i < pulse->segments * pulse->controls; i++)
        if (!isfinite(pulse->u[i]))
            return kl_fail(err, KL_EUSAGE,
                           "noise: segment %d: found an amplitude of %g, expected a finite number",
                           i / pulse->controls, pulse->u[i]);
    if (n < 0 || n > KL_CONTROL_MAX_PROCESSES)
        return kl_fail(err, KL_EUSAGE, "noise: found %d processes, expected at most %d", n,
                       KL_CONTROL_MAX_PROCESSES);
    for (int i = 0; i < n; i++) {
        const struct kl_control_process *p = &processes[i];
        const bool known =
            p->param == KL_CONTROL_AMPLITUDE || (p->param >= 0 && p->param < system->n_params);
        if (!known || !(p->sigma >= 0 && p->sigma < 1e6) || !(p->rate >= 0 && p->rate < 1e9))
            return kl_fail(err, KL_EUSAGE,
                           "noise: process %d: found parameter %d, sigma %g, rate %g, expected one of "
                           "%d parameters "
                           "or -1, sigma from 0 to 1e6, a rate from 0 to 1e9",
                           i, p->param, p->sigma, p->rate, system->n_params);
    }
    return KL_OK;
}

/* Is there a truncation at all? Telegraph noise has two levels. */
static bool expands(const struct average *a)
{
    for (int i = 0; i < a->n_processes; i++)
        if (a->processes[i].kind != KL_CONTROL_TELEGRAPH) return true;
    return false;
}

static int converge(double *ends, struct joint *j, struct average *a, double tolerance, int *levels,
                    struct kl_error *err)
{
    const size_t size = (size_t)(j->dim * j->columns);
    struct kl_arena arena;
    int used = 0;
    double change = INFINITY, *before = malloc(size * sizeof *before);
    int code = before ? kl_arena_init(&arena, 0, err) : kl_fail_memory(err, size * sizeof *before);
    if (code) {
        free(before);
        return code;
    }
    for (int nodes = 4; !code && change > tolerance && used < KL_CONTROL_MAX_NODES; nodes += nodes / 2) {
        used = nodes < KL_CONTROL_MAX_NODES ? nodes : KL_CONTROL_MAX_NODES;
        memcpy(before, ends, size * sizeof *before);
        memset(ends, 0, size * sizeof *ends);
        set_modes(j, a, used);
        code = open_joint(j, &arena, err);
        if (!code) code = over_nodes(ends, j, a, 0, used, 1, err);
        if (code) break;
        double largest = 0;
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(ends[i] - before[i]));
        change = !expands(a) ? 0 : nodes == 4 ? INFINITY : largest;
        if (!isfinite(largest))
            code = kl_fail(err, KL_EDATA, "noise: the average is not finite; see the rates");
        if (levels) *levels = used;
        tolerance = fmax(tolerance, 1e-15 * j->size);
    }
    if (!code && !(change <= tolerance))
        code = kl_fail(
            err, KL_ENO,
            "noise: %d levels change the average by %.1e still, expected at most %.1e; the noise is too "
            "strong and too slow for an expansion, sample trajectories",
            KL_CONTROL_MAX_NODES, change, tolerance);
    kl_arena_free(&arena);
    free(before);
    return code;
}

int kl_control_noise_average(double *ends, const double *start, int columns,
                             const struct kl_control_system *system,
                             const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                             const struct kl_control_process *processes, int n_processes,
                             double tolerance, int *levels, struct kl_error *err)
{
    const int code = kl_control_noise_check(system, pulse, processes, n_processes, err);
    if (code) return code;
    struct joint j = { .system = system, .pulse = pulse, .dim = system->dim, .columns = columns };
    struct average a = {
        .processes = processes, .n_processes = n_processes, .task = *task, .start = start
    };
    return converge(ends, &j, &a, tolerance, levels, err);
}
