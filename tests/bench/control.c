/* SPDX-License-Identifier: MIT
   Optimal control, one thread: gradients of one and of two qubits, and optimisations from many starts of
   a one-qubit X gate, closed and open, and of CZ: time a start, share of starts that reach the best. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "kernels/select.h"

static struct kl_error err;
static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

struct job {
    const char *name, *system, *gate;
    int segments;
    double duration, limit, target; /* target: loss that counts as found */
    double dephasing, relaxation, detuning;
    int starts;
    enum kl_control_method method;
};
/* The losses of the open gates: grape of golden.h5 of the shared reference for 20 segments; with 60 the
   best of 4,096 starts. */
static const struct job jobs[] = {
    { "closed X, |u| <= pi", "qubit", "x", 60, 1, M_PI, 1e-6, 0, 0, 0.1, 2048, KL_CONTROL_LBFGS },
    { "closed X, |u| <= 10", "qubit", "x", 60, 1, 10, 1e-6, 0, 0, 0.1, 2048, KL_CONTROL_LBFGS },
    { "open X, |u| <= pi", "qubit", "x", 60, 1, M_PI, 0, 0.085, 0.045, 0.1, 512, KL_CONTROL_LBFGS },
    { "open X, |u| <= pi, Newton", "qubit", "x", 60, 1, M_PI, 0, 0.085, 0.045, 0.1, 512,
      KL_CONTROL_NEWTON },
    { "closed X, |u| <= pi, Newton", "qubit", "x", 60, 1, M_PI, 1e-6, 0, 0, 0.1, 2048,
      KL_CONTROL_NEWTON },
    { "open CZ, |u| <= pi", "cz", "cz", 30, M_PI / 8, M_PI, 0.002586577109612187 + 1e-6, 0.0055, 0.00275,
      0, 32, KL_CONTROL_LBFGS },
};

static void run(const struct job *job)
{
    struct kl_control_system system;
    struct kl_control_target target;
    struct kl_control_objective objective;
    struct kl_control_task task;
    struct kl_control_search search;
    const bool two = strcmp(job->system, "cz") == 0;
    must(kl_control_system_make(&system, job->system, NULL, &err));
    must(kl_control_target_gate(&target, job->gate, system.d, &err));
    must(kl_control_objective_make(&objective, &system, KL_CONTROL_AVERAGE, &target, &err));
    kl_control_task_default(&task, &system);
    memset(task.params, 0, sizeof task.params);
    for (int q = 0; q < (two ? 2 : 1); q++) {
        task.params[3 * q] = job->dephasing,
                        task.params[3 * q + (two ? 2 : 1)] = job->relaxation; /* |1><0| of two */
    }
    task.params[two ? 6 : 3] = two ? 2 : job->detuning;
    struct kl_control_problem problem = { .system = &system,
                                          .objective = &objective,
                                          .segments = job->segments,
                                          .duration = job->duration,
                                          .members = &task,
                                          .n_members = 1 };
    for (int k = 0; k < system.n_controls; k++) problem.limit[k] = job->limit;
    kl_control_search_default(&search);
    search.starts = job->starts, search.target = job->target, search.iterations = 400,
    search.method = job->method;
    const size_t n = (size_t)(problem.segments * system.n_controls);
    struct kl_control_start *results = calloc((size_t)search.starts, sizeof *results);
    double *points = calloc((size_t)search.starts * n, sizeof *points);
    if (job->target == 0) { /* the best of the same starts */
        struct kl_control_search best = search;
        best.target = -1, best.iterations = 2000;
        must(kl_control_optimize(results, points, &problem, &best, NULL, NULL, &err));
        search.target = 1;
        for (int i = 0; i < search.starts; i++) search.target = fmin(search.target, results[i].loss);
        printf("%s: best %.9f\n", job->name, search.target);
        search.target += 1e-6;
    }
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        const double start = kl_clock();
        must(kl_control_optimize(results, points, &problem, &search, NULL, NULL, &err));
        best = fmin(best, kl_clock() - start);
    }
    int reached = 0, iterations = 0, evaluations = 0, stops[KL_CONTROL_STOPS] = { 0 };
    double least = 1;
    for (int i = 0; i < search.starts; i++) {
        reached += results[i].loss <= search.target, iterations += results[i].iterations;
        evaluations += results[i].evaluations, stops[results[i].stop]++;
        least = fmin(least, results[i].loss);
    }
    printf("%s: %.1f us a start, %d of %d reached %.9g, %.1f iterations, %.1f evaluations a start; "
           "least %.9f\n",
           job->name, 1e6 * best / search.starts, reached, search.starts, search.target,
           (double)iterations / search.starts, (double)evaluations / search.starts, least);
    for (int i = 1; i < KL_CONTROL_STOPS; i++)
        if (stops[i]) printf("    %d: %s\n", stops[i], kl_control_stop_words(i));
    free(results), free(points);
    kl_control_objective_free(&objective), kl_control_system_free(&system);
}

int main(void)
{
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) run(&jobs[i]);
    return 0;
}
