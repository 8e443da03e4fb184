/* SPDX-License-Identifier: MIT
   Euler's method and Runge and Kutta's: what simulators do that have no exponentials, compared on
   random tasks with exact propagation. */
#include "control/pulse/integrators.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/engine.h"
#include "kernels/inline/philox.h"

/* ---- steps of the density matrix, as a real vector ---- */
const char *kl_control_integrator_name(enum kl_control_integrator integrator)
{
    static const char *const names[] = { "exact", "rk4", "euler" };
    return names[integrator];
}

int kl_control_steps(double segment, double dt)
{
    return (int)fmin(fmax(1, floor(segment / dt)), 1e9);
}

/* to = G from */
static void slope(double *to, const double *g, const double *from, int dim, int columns)
{
    for (int a = 0; a < dim; a++) {
        double *row = to + a * columns;
        for (int c = 0; c < columns; c++) row[c] = 0;
        for (int b = 0; b < dim; b++)
            for (int c = 0; c < columns; c++) row[c] += g[a * dim + b] * from[b * columns + c];
    }
}

static void euler(double *r, const double *g, double h, int dim, int columns, double *work)
{
    slope(work, g, r, dim, columns);
    for (int i = 0; i < dim * columns; i++) r[i] += h * work[i];
}

static void rk4(double *r, const double *g, double h, int dim, int columns, double *work)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1, 2, 2, 1 };
    const int n = dim * columns;
    double *k = work, *point = work + n, *sum = work + 2 * n;
    for (int i = 0; i < n; i++) sum[i] = 0, k[i] = 0;
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < n; i++) point[i] = r[i] + h * at[stage] * k[i];
        slope(k, g, point, dim, columns);
        for (int i = 0; i < n; i++) sum[i] += weight[stage] * k[i];
    }
    for (int i = 0; i < n; i++) r[i] += h / 6 * sum[i];
}

static int integrate_exactly(double *states, int columns, const struct kl_control_system *system,
                             const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                             double *work, struct kl_error *err)
{
    const int dim = system->dim;
    double *transfer = malloc((size_t)(dim * dim) * sizeof *transfer);
    if (!transfer) return kl_fail_memory(err, (size_t)(dim * dim) * sizeof *transfer);
    const int code = kl_control_transfer(transfer, system, pulse, task, err);
    if (!code) {
        slope(work, transfer, states, dim, columns);
        memcpy(states, work, (size_t)(dim * columns) * sizeof *states);
    }
    free(transfer);
    return code;
}

int kl_control_integrate(double *states, int columns, const struct kl_control_system *system,
                         const struct kl_control_pulse *pulse, const struct kl_control_task *task,
                         enum kl_control_integrator integrator, int steps, struct kl_error *err)
{
    const int dim = system->dim;
    const size_t size = (size_t)(dim * dim + 3 * dim * columns);
    const double h = pulse->duration / pulse->segments / steps;
    double *g = malloc(size * sizeof *g), *work = g + dim * dim;
    int code = g ? 0 : kl_fail_memory(err, size * sizeof *g);
    if (!code && integrator == KL_CONTROL_EXACT)
        code = integrate_exactly(states, columns, system, pulse, task, work, err);
    for (int s = 0; !code && integrator != KL_CONTROL_EXACT && s < pulse->segments; s++) {
        kl_control_system_generator(g, system, pulse->u + s * pulse->controls, task);
        for (int k = 0; k < steps; k++)
            (integrator == KL_CONTROL_RK4 ? rk4 : euler)(states, g, h, dim, columns, work);
    }
    free(g);
    return code;
}

int kl_control_state_of_vector(double complex *rho, double *smallest, double *population,
                               const double *vector, const double complex *basis, int d,
                               struct kl_error *err)
{
    const size_t size = (size_t)(d * d);
    double complex sum[KL_CONTROL_MATRIX];
    for (size_t i = 0; i < size; i++) {
        sum[i] = 0;
        for (size_t a = 0; a < size; a++) sum[i] += vector[a] * basis[a * size + i] / d;
    }
    if (rho) memcpy(rho, sum, size * sizeof *rho);
    *population = -INFINITY;
    for (int i = 0; i < d; i++) *population = fmax(*population, creal(sum[i * d + i]));
    return kl_control_smallest_eigenvalue(smallest, sum, d, err);
}

/* ---- the comparison ----
   Integrators compared on random tasks, time and error of each against exact propagation; and what a
   cache of simulators keyed by such tasks would be worth. */

const struct kl_control_setting kl_control_guide_settings[KL_CONTROL_GUIDE_SETTINGS] = {
    { KL_CONTROL_RK4, 0.001 },  { KL_CONTROL_RK4, 0.01 },   { KL_CONTROL_EULER, 0.01 },
    { KL_CONTROL_EULER, 0.02 }, { KL_CONTROL_EULER, 0.05 },
};

void kl_control_bench_task(struct kl_control_task *task, const struct kl_control_system *system,
                           double vary, uint64_t seed, uint32_t number)
{
    uint32_t words[4];
    kl_control_task_default(task, system);
    for (int j = 0; j < system->n_params; j++) {
        if (!system->params[j].rate) continue;
        kl_philox(words, seed, (uint32_t)j, KL_RANDOM_BENCH_TASKS, number, 0);
        task->params[j] *= 1 + vary * (2 * kl_philox_unit(words[0]) - 1);
    }
}

struct bench {
    const struct kl_control_setup *setup;
    const struct kl_control_task *tasks;
    int n_tasks;
    struct kl_control_pulse pulse;
    double complex *basis;
    int inputs, columns;     /* initial states, then the objective's columns */
    double *start;           /* [dim][inputs + columns] */
    double *exact, *ends;    /* [tasks][dim][inputs + columns]; of one task */
    double *states, *vector; /* the objective's columns alone; one state */
};

/* ---- initial states ---- */
static int put_state(struct bench *b, int column, const double complex *amplitudes, struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    double complex rho[KL_CONTROL_MATRIX];
    for (int i = 0; i < s->d; i++)
        for (int j = 0; j < s->d; j++) rho[i * s->d + j] = amplitudes[i] * conj(amplitudes[j]);
    const int code = kl_control_vector_of_state(b->vector, rho, s->d, s->n_qubits, err);
    for (int a = 0; a < s->dim; a++) b->start[a * (b->inputs + b->columns) + column] = b->vector[a];
    return code;
}

/* |0>, then the products of eigenstates, or the other levels; then the objective's columns. */
static int put_states(struct bench *b, struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    double complex many[KL_CONTROL_STATES_MOST * KL_CONTROL_MAX_LEVELS],
        level[KL_CONTROL_MAX_LEVELS] = { 1 };
    const int n = kl_control_states(many, s->d);
    b->inputs = n ? n + 1 : s->d;
    const int all = b->inputs + b->columns;
    b->start = calloc((size_t)(s->dim * all), sizeof *b->start);
    int code = b->start ? 0 : kl_fail_memory(err, (size_t)(s->dim * all) * sizeof *b->start);
    for (int i = 0; !code && i < b->inputs; i++) {
        for (int k = 0; k < s->d && !n; k++) level[k] = k == i;
        code = put_state(b, i, i && n ? many + (i - 1) * s->d : level, err);
    }
    for (int a = 0; !code && a < s->dim; a++)
        memcpy(b->start + a * all + b->inputs, b->setup->objective.start + a * b->columns,
               (size_t)b->columns * sizeof *b->start);
    return code;
}

static int open_bench(struct bench *b, struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    const size_t basis = (size_t)s->dim * (size_t)s->dim;
    b->columns = b->setup->objective.columns;
    b->basis = malloc(basis * sizeof *b->basis);
    b->vector = malloc((size_t)s->dim * sizeof *b->vector);
    if (!b->basis || !b->vector) return kl_fail_memory(err, basis * sizeof *b->basis);
    kl_control_basis(b->basis, s->d, s->n_qubits);
    int code = put_states(b, err);
    if (code) return code;
    const size_t size = (size_t)(s->dim * (b->inputs + b->columns));
    b->exact = malloc(size * (size_t)b->n_tasks * sizeof *b->exact);
    b->ends = malloc(size * sizeof *b->ends);
    b->states = malloc((size_t)(s->dim * b->columns) * sizeof *b->states);
    if (!b->exact || !b->ends || !b->states)
        return kl_fail_memory(err, size * (size_t)b->n_tasks * sizeof *b->exact);
    for (int t = 0; !code && t < b->n_tasks; t++) {
        memcpy(b->exact + (size_t)t * size, b->start, size * sizeof *b->start);
        code = kl_control_integrate(b->exact + (size_t)t * size, b->inputs + b->columns, s, &b->pulse,
                                    &b->tasks[t], KL_CONTROL_EXACT, 1, err);
    }
    return code;
}

static void close_bench(struct bench *b)
{
    free(b->basis), free(b->start), free(b->exact), free(b->ends), free(b->states), free(b->vector);
}

/* ---- errors ---- */
static double loss_of(struct bench *b, const double *ends)
{
    const int all = b->inputs + b->columns;
    for (int a = 0; a < b->setup->system.dim; a++)
        memcpy(b->states + a * b->columns, ends + a * all + b->inputs,
               (size_t)b->columns * sizeof *ends);
    return kl_control_objective_loss(&b->setup->objective, &b->setup->system, b->states);
}

/* One final state against the exact one. */
static int judge_state(struct kl_control_measured *m, bool *unphysical, struct bench *b,
                       const double *exact, int column, struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    const int all = b->inputs + b->columns;
    double complex rho[KL_CONTROL_MATRIX], right[KL_CONTROL_MATRIX];
    double smallest, population, ignored;
    for (int a = 0; a < s->dim; a++) b->vector[a] = exact[a * all + column];
    int code = kl_control_state_of_vector(right, &ignored, &ignored, b->vector, b->basis, s->d, err);
    for (int a = 0; a < s->dim; a++) b->vector[a] = b->ends[a * all + column];
    if (!code)
        code = kl_control_state_of_vector(rho, &smallest, &population, b->vector, b->basis, s->d, err);
    if (code) return code;
    for (int i = 0; i < s->d * s->d; i++) m->state_off = fmax(m->state_off, cabs(rho[i] - right[i]));
    m->smallest = fmin(m->smallest, smallest), m->population = fmax(m->population, population);
    *unphysical |= smallest < -1e-9 || population > 1 + 1e-9;
    return 0;
}

static int measure_errors(struct kl_control_measured *m, struct bench *b, enum kl_control_integrator how,
                          struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    const int all = b->inputs + b->columns;
    const size_t size = (size_t)(s->dim * all);
    int code = 0;
    m->smallest = INFINITY, m->population = -INFINITY;
    for (int t = 0; !code && t < b->n_tasks; t++) {
        const double *exact = b->exact + (size_t)t * size;
        bool unphysical = false;
        memcpy(b->ends, b->start, size * sizeof *b->ends);
        code = kl_control_integrate(b->ends, all, s, &b->pulse, &b->tasks[t], how, m->steps, err);
        const double right = loss_of(b, exact);
        m->loss_off = fmax(m->loss_off, fabs(loss_of(b, b->ends) - right));
        for (int c = 0; !code && c < b->inputs; c++)
            code = judge_state(m, &unphysical, b, exact, c, err);
        m->unphysical += unphysical;
    }
    return code;
}

/* ---- time ---- */
static int open_engine(struct kl_control_engine *e, const struct bench *b, struct kl_error *err)
{
    const struct kl_control_setup *s = b->setup;
    double most[KL_CONTROL_MAX_CONTROLS] = { 0 }, params[KL_CONTROL_MAX_PARAMS] = { 0 };
    for (int i = 0; i < b->pulse.segments * b->pulse.controls; i++)
        most[i % b->pulse.controls] = fmax(most[i % b->pulse.controls], fabs(b->pulse.u[i]));
    for (int t = 0; t < b->n_tasks; t++)
        for (int j = 0; j < s->system.n_params; j++)
            params[j] = fmax(params[j], fabs(b->tasks[t].params[j]));
    return kl_control_engine_open(e, &s->system, &s->objective, b->pulse.segments, b->pulse.duration,
                                  most, params, err);
}

/* Losses of all tasks, one after another, again until the time is up; a round at least. */
static int measure_time(double *seconds, struct bench *b, enum kl_control_integrator how, int steps,
                        double most, struct kl_error *err)
{
    const struct kl_control_system *s = &b->setup->system;
    const struct kl_control_objective *o = &b->setup->objective;
    struct kl_control_engine e = { 0 };
    int code = how == KL_CONTROL_EXACT ? open_engine(&e, b, err) : 0;
    *seconds = INFINITY;
    for (const double start = kl_clock(); !code;) {
        const double from = kl_clock();
        for (int t = 0; !code && t < b->n_tasks; t++) {
            struct kl_control_gradient to = { 0 };
            if (how == KL_CONTROL_EXACT) {
                kl_control_engine_run(&to, &e, b->pulse.u, &b->tasks[t]);
                continue;
            }
            memcpy(b->states, o->start, (size_t)(s->dim * b->columns) * sizeof *b->states);
            code =
                kl_control_integrate(b->states, b->columns, s, &b->pulse, &b->tasks[t], how, steps, err);
            to.loss = kl_control_objective_loss(o, s, b->states);
        }
        *seconds = fmin(*seconds, (kl_clock() - from) / b->n_tasks);
        if (kl_clock() - start > most) break;
    }
    kl_control_engine_close(&e);
    return code;
}

/* As optimisation computes: sixteen pulses of a task in lanes. */
static int measure_lanes(double *seconds, struct bench *b, double most, struct kl_error *err)
{
    struct kl_control_problem problem = b->setup->problem;
    struct kl_control_evaluator *e = NULL;
    const size_t n = (size_t)(b->pulse.segments * b->pulse.controls);
    double *x = aligned_alloc(64, n * KL_CONTROL_LANES * sizeof *x), f[KL_CONTROL_LANES];
    bool wanted[KL_CONTROL_LANES];
    int code = x ? 0 : kl_fail_memory(err, n * KL_CONTROL_LANES * sizeof *x);
    problem.waveform = NULL, problem.energy = 0, problem.weights = NULL;
    problem.members = b->tasks, problem.n_members = 1;
    for (int l = 0; l < KL_CONTROL_LANES; l++) wanted[l] = true;
    for (size_t i = 0; !code && i < n * KL_CONTROL_LANES; i++) {
        const size_t j = i / KL_CONTROL_LANES;
        x[i] = b->pulse.u[j] / problem.limit[j % (size_t)b->pulse.controls];
    }
    if (!code) code = kl_control_evaluator_open(&e, &problem, err);
    *seconds = INFINITY;
    for (const double start = kl_clock(); !code;) {
        const double from = kl_clock();
        kl_control_evaluate(e, f, NULL, x, wanted);
        *seconds = fmin(*seconds, (kl_clock() - from) / KL_CONTROL_LANES);
        if (kl_clock() - start > most) break;
    }
    kl_control_evaluator_close(&e);
    free(x);
    return code;
}

static struct bench bench_of(const struct kl_control_setup *setup, const double *u,
                             const struct kl_control_task *tasks, int n_tasks)
{
    return (struct bench){ .setup = setup,
                           .tasks = tasks,
                           .n_tasks = n_tasks,
                           .pulse = { setup->problem.segments, setup->system.n_controls,
                                      setup->problem.duration, (double *)u } };
}

int kl_control_bench(struct kl_control_measured *measured, const struct kl_control_setting *settings,
                     int n_settings, const struct kl_control_setup *setup, const double *u,
                     const struct kl_control_task *tasks, int n_tasks, double seconds,
                     struct kl_error *err)
{
    struct bench b = bench_of(setup, u, tasks, n_tasks);
    int code = open_bench(&b, err);
    for (int i = 0; !code && i < n_settings; i++) {
        struct kl_control_measured *m = &measured[i];
        const bool exact = settings[i].integrator == KL_CONTROL_EXACT;
        *m = (struct kl_control_measured){
            .steps = exact ? 0 : kl_control_steps(b.pulse.duration / b.pulse.segments, settings[i].dt)
        };
        code = measure_errors(m, &b, settings[i].integrator, err);
        if (!code) code = measure_time(&m->seconds, &b, settings[i].integrator, m->steps, seconds, err);
        if (!code && exact && kl_control_one_qubit(&setup->system))
            code = measure_lanes(&m->lanes, &b, seconds, err);
    }
    close_bench(&b);
    return code;
}

/* ---- a cache ---- */
struct table {
    int64_t *keys; /* [size][n_params], rounded; the first is INT64_MIN where there is none */
    uint64_t size; /* a power of two, at least twice the entries */
    int n;
};

static int64_t *find(struct table *t, const int64_t *key)
{
    uint64_t hash = 14695981039346656037u;
    for (int j = 0; j < t->n; j++) hash = (hash ^ (uint64_t)key[j]) * 1099511628211u;
    hash ^= hash >> 29;
    for (;; hash++) {
        int64_t *place = t->keys + (hash & (t->size - 1)) * (uint64_t)t->n;
        if (*place == INT64_MIN || memcmp(place, key, (size_t)t->n * sizeof *key) == 0) return place;
    }
}

/* One batch of fresh tasks: each is looked up `uses` times. */
static void one_batch(struct kl_control_cache *cache, struct table *table,
                      const struct kl_control_system *system, double vary, uint64_t seed, int batch,
                      int tasks, int uses)
{
    int64_t key[KL_CONTROL_MAX_PARAMS + 1];
    struct kl_control_task task;
    for (int i = 0; i < tasks; i++) {
        kl_control_bench_task(&task, system, vary, seed, (uint32_t)(batch * tasks + i));
        for (int j = 0; j < system->n_params; j++)
            key[j] = llround(fmin(fmax(task.params[j], -1e9), 1e9) * 1e6);
        key[system->n_params] = 0; /* a system may have no parameter */
        int64_t *place = find(table, key);
        const bool known = *place != INT64_MIN;
        memcpy(place, key, (size_t)table->n * sizeof *key);
        cache->lookups += uses, cache->entries += !known;
        cache->hits += uses - !known, cache->hits_of_others += known ? uses : 0;
    }
}

/* Bytes of a simulator: the generators of drift and controls, and the jump operators. */
static double bytes_of(const struct kl_control_system *s)
{
    double jumps = 0;
    for (int j = 0; j < s->n_params; j++) jumps += s->params[j].rate;
    return (1.0 + s->n_controls) * s->dim * s->dim * sizeof(double) +
           jumps * s->d * s->d * sizeof(double complex);
}

/* Measure the gain of a hit: it saves the building of a generator. */
static int measure_gain(struct kl_control_cache *cache, const struct kl_control_setup *setup,
                        const double *u, int uses, struct kl_error *err)
{
    enum { ROUNDS = 64 };
    struct kl_control_task task;
    const int dim = setup->system.dim;
    double *g = malloc((size_t)(dim * dim) * sizeof *g), kept = 0;
    if (!g) return kl_fail_memory(err, (size_t)(dim * dim) * sizeof *g);
    kl_control_task_default(&task, &setup->system);
    cache->build_seconds = INFINITY;
    for (int attempt = 0; attempt < 16; attempt++) {
        const double from = kl_clock();
        for (int i = 0; i < ROUNDS; i++) {
            kl_control_system_generator(g, &setup->system, NULL, &task);
            kept += g[dim * dim - 1];
        }
        cache->build_seconds = fmin(cache->build_seconds, (kl_clock() - from) / ROUNDS);
    }
    free(g);
    struct bench b = bench_of(setup, u, &task, 1);
    int code = isfinite(kept) ? open_bench(&b, err) : kl_fail(err, KL_EDATA, "a rate is not finite");
    if (!code) code = measure_time(&cache->run_seconds, &b, KL_CONTROL_EXACT, 0, 0.02, err);
    close_bench(&b);
    const double missed = (double)(cache->lookups - cache->hits) / (double)cache->lookups * uses;
    cache->gain = uses * (cache->build_seconds + cache->run_seconds) /
                  (missed * cache->build_seconds + uses * cache->run_seconds);
    return code;
}

int kl_control_cache_stream(struct kl_control_cache *cache, const struct kl_control_setup *setup,
                            const double *u, double vary, uint64_t seed, int iterations, int tasks,
                            int uses, struct kl_error *err)
{
    struct table table = { .size = 1024, .n = setup->system.n_params + 1 };
    *cache = (struct kl_control_cache){ 0 };
    while (table.size < 2 * (uint64_t)iterations * (uint64_t)tasks) table.size *= 2;
    const size_t numbers = table.size * (size_t)table.n;
    table.keys = malloc(numbers * sizeof *table.keys);
    if (!table.keys) return kl_fail_memory(err, numbers * sizeof *table.keys);
    for (size_t i = 0; i < numbers; i++) table.keys[i] = INT64_MIN;
    for (int batch = 0; batch < iterations; batch++)
        one_batch(cache, &table, &setup->system, vary, seed, batch, tasks, uses);
    free(table.keys);
    cache->bytes = (double)cache->entries * bytes_of(&setup->system);
    return measure_gain(cache, setup, u, uses, err);
}
