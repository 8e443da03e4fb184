/* SPDX-License-Identifier: MIT
   Averages over classical noise by sampling: what the exact averages are checked against. A trajectory
   is a pulse of pieces in which the noise is constant. */
#ifndef KL_TEST_CONTROL_TRAJECTORIES_H
#define KL_TEST_CONTROL_TRAJECTORIES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"
#include "control/noise/noise.h"
#include "kernels/inline/philox.h"

enum { MOST_TERMS = 30, MOST_PARTS = 100000 };

/* The numbers of one trajectory's process, one after another. */
struct stream {
    uint64_t seed;
    uint32_t trajectory, process, next, words[4];
};
/* The state of a process. */
struct walk {
    double x;      /* its value */
    double change; /* telegraph: when it switches next */
};
struct sampler {
    const struct kl_control_system *system;
    const struct kl_control_pulse *pulse;
    const struct kl_control_task *task;
    const struct kl_control_process *processes;
    int n_processes, columns, parts;
    const double *start, *weights;
    uint64_t seed;
    double *values; /* of the trajectories */
    double *work;   /* of each thread */
    size_t work_size;
};

static double unit(struct stream *s)
{
    if (s->next % 4 == 0)
        kl_philox(s->words, s->seed, s->next / 4, KL_RANDOM_NOISE, s->trajectory, s->process);
    return kl_philox_unit(s->words[s->next++ % 4]);
}

static double normal(struct stream *s)
{
    const double first = unit(s);
    return kl_control_normal(first, unit(s));
}

static struct walk begin(const struct kl_control_process *p, struct stream *s)
{
    struct walk w = { .change = INFINITY };
    if (p->kind != KL_CONTROL_TELEGRAPH) w.x = p->sigma * normal(s);
    else {
        w.x = unit(s) < 0.5 ? -p->sigma : p->sigma;
        if (p->rate > 0) w.change = -log(unit(s)) / p->rate;
    }
    return w;
}

/* Its mean over [now, now + t]: with the next value a pair of normal numbers (Gillespie 1996,
   doi:10.1103/PhysRevE.54.2084). */
static double mean_of(struct walk *w, const struct kl_control_process *p, double t, struct stream *s)
{
    if (p->kind != KL_CONTROL_ORNSTEIN_UHLENBECK || p->rate == 0) return w->x;
    const double y = p->rate * t, left = exp(-y), lost = -expm1(-y), first = normal(s),
                 second = normal(s);
    const double spread = p->sigma * sqrt(-expm1(-2 * y)),
                 shared = p->sigma * p->sigma * lost * lost / y,
                 variance = p->sigma * p->sigma *
                            (y < 0.01 ? y * (2.0 / 3 - y / 2 + 7 * y * y / 30)
                                      : (2 * y - 3 + 4 * left - left * left) / (y * y)),
                 along = spread > 0 ? shared / spread : 0,
                 mean =
                     w->x * lost / y + along * first + sqrt(fmax(0, variance - along * along)) * second;
    w->x = w->x * left + spread * first;
    return mean;
}

/* ---- one trajectory ---- */
struct flow {
    double *generator, *state, *term, *next;
};

static void flow_on(struct flow *f, int dim, int columns, double t)
{
    const int size = dim * columns;
    double bound = 0;
    for (int i = 0; i < dim; i++) {
        double sum = 0;
        for (int j = 0; j < dim; j++) sum += fabs(f->generator[i * dim + j]);
        bound = fmax(bound, sum);
    }
    const int parts = (int)ceil(bound * t) + (bound * t == 0);
    for (int p = 0; p < parts; p++) {
        double bound_term = 1;
        memcpy(f->term, f->state, (size_t)size * sizeof *f->term);
        for (int k = 1; k < MOST_TERMS && bound_term > 1e-19; k++) {
            memset(f->next, 0, (size_t)size * sizeof *f->next);
            for (int i = 0; i < dim; i++)
                for (int l = 0; l < dim; l++) {
                    const double g = f->generator[i * dim + l] * t / parts / k;
                    if (g == 0) continue;
                    for (int c = 0; c < columns; c++)
                        f->next[i * columns + c] += g * f->term[l * columns + c];
                }
            double *swap = f->term;
            f->term = f->next, f->next = swap;
            for (int i = 0; i < size; i++) f->state[i] += f->term[i];
            bound_term *= bound * t / parts / k;
        }
    }
}

/* From one change of the noise to the next. */
static void piece(const struct sampler *s, struct flow *f, const double *x, int segment, double t)
{
    struct kl_control_task task = *s->task;
    for (int i = 0; i < s->n_processes; i++) {
        if (s->processes[i].param < 0) task.amplitude += s->task->amplitude * x[i];
        else task.params[s->processes[i].param] += x[i];
    }
    kl_control_system_generator(f->generator, s->system,
                                s->pulse->u + (size_t)segment * (size_t)s->pulse->controls, &task);
    flow_on(f, s->system->dim, s->columns, t);
}

static void part(const struct sampler *s, struct flow *f, struct walk *walks, struct stream *streams,
                 int segment, double now, double t)
{
    double x[KL_CONTROL_MAX_PROCESSES];
    const double end = now + t;
    for (int i = 0; i < s->n_processes; i++) x[i] = mean_of(&walks[i], &s->processes[i], t, &streams[i]);
    for (;;) {
        int first = -1;
        for (int i = 0; i < s->n_processes; i++)
            if (walks[i].change < end && (first < 0 || walks[i].change < walks[first].change)) first = i;
        const double until = first < 0 ? end : walks[first].change;
        if (until > now) piece(s, f, x, segment, until - now);
        if (first < 0) return;
        now = until;
        x[first] = walks[first].x = -walks[first].x;
        walks[first].change -= log(unit(&streams[first])) / s->processes[first].rate;
    }
}

static void trajectory(void *context, size_t at, int thread)
{
    const struct sampler *s = context;
    const size_t dim = (size_t)s->system->dim, size = dim * (size_t)s->columns;
    double *work = s->work + (size_t)thread * s->work_size;
    struct flow f = { work, work + dim * dim, work + dim * dim + size, work + dim * dim + 2 * size };
    struct stream streams[KL_CONTROL_MAX_PROCESSES];
    struct walk walks[KL_CONTROL_MAX_PROCESSES];
    const double t = s->pulse->duration / s->pulse->segments / s->parts;
    for (int i = 0; i < s->n_processes; i++) {
        streams[i] = (struct stream){ s->seed, (uint32_t)at, (uint32_t)i, 0, { 0 } };
        walks[i] = begin(&s->processes[i], &streams[i]);
    }
    memcpy(f.state, s->start, size * sizeof *f.state);
    for (int segment = 0; segment < s->pulse->segments; segment++)
        for (int p = 0; p < s->parts; p++)
            part(s, &f, walks, streams, segment, (segment * s->parts + p) * t, t);
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += s->weights[i] * f.state[i];
    s->values[at] = sum;
}

static int parts_of(const struct sampler *s, struct kl_error *err)
{
    double rate = 0;
    for (int i = 0; i < s->n_processes; i++)
        if (s->processes[i].kind == KL_CONTROL_ORNSTEIN_UHLENBECK)
            rate = fmax(rate, s->processes[i].rate);
    const double parts = fmax(1, ceil(8 * rate * s->pulse->duration / s->pulse->segments));
    if (!(parts <= MOST_PARTS))
        return kl_fail(err, KL_EUSAGE,
                       "noise: a rate of %g asks for %g parts a segment, expected at most %d", rate,
                       parts, MOST_PARTS);
    return (int)parts;
}

/* The mean of <weights, R(T)> over n trajectories of the same noise, and its standard error. Telegraph
   noise switches at its own times, Ornstein-Uhlenbeck noise has its exact means over parts of at most
   1/8 of its memory. Random numbers: seed, KL_RANDOM_NOISE, trajectory, process. weights [dim][columns].
 */
struct estimate {
    double mean, error;
};
static int sample_trajectories(struct estimate *to, const double *start, const double *weights,
                               int columns, const struct kl_control_system *system,
                               const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                               const struct kl_control_process *processes, int n_processes, size_t n,
                               uint64_t seed, struct kl_pool *pool, struct kl_error *err)
{
    struct sampler s = { system, pulse,   task, processes, n_processes, columns, 1,
                         start,  weights, seed, NULL,      NULL,        0 };
    const int parts = parts_of(&s, err);
    if (parts < 0) return parts;
    if (n < 2 || n > UINT32_MAX)
        return kl_fail(err, KL_EUSAGE, "noise: found %zu trajectories, expected 2 to 4294967295", n);
    s.parts = parts;
    s.work_size = (size_t)(system->dim * (system->dim + 3 * columns) + 8); /* 8: no shared cache line */
    s.values = malloc(n * sizeof *s.values);
    s.work = malloc((pool ? (size_t)kl_pool_size(pool) : 1) * s.work_size * sizeof *s.work);
    if (s.values && s.work) {
        double sum = 0, square = 0;
        kl_pool_for(pool, n, trajectory, &s);
        for (size_t i = 0; i < n; i++) sum += s.values[i];
        to->mean = sum / (double)n;
        for (size_t i = 0; i < n; i++) square += (s.values[i] - to->mean) * (s.values[i] - to->mean);
        to->error = sqrt(square / ((double)n - 1) / (double)n);
    }
    const int memory = s.values && s.work ? KL_OK : kl_fail_memory(err, n * sizeof *s.values);
    free(s.values), free(s.work);
    return memory;
}

#endif
