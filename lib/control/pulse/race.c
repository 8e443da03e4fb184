/* SPDX-License-Identifier: MIT
   A race of the starts: where a start is costly, all go a few iterations, and only the best go on. What
   goes on depends on losses alone, and begins anew at its point, on either device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse.h"
#include "kernels/device.h"

/* What the searches share, and how far the watch has been told. */
struct race {
    const struct kl_control_problem *problem;
    const struct kl_device *device;
    struct kl_pool *pool;
    const struct kl_watch *watch;
    uint64_t before, behind; /* iterations of the others */
};

bool kl_control_is_costly(const struct kl_control_problem *p)
{
    enum { TWO_QUBITS = 16 };
    return !kl_control_one_qubit(p->system) && (p->n_members > 1 || p->system->dim > TWO_QUBITS);
}

static int tell(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct race *r = context;
    return kl_watch_step(r->watch, r->before + done, r->before + total + r->behind, note);
}

static int seek(struct kl_control_start *results, double *points, const struct kl_control_search *search,
                struct race *r, struct kl_error *err)
{
    const struct kl_watch watch = { .step = tell, .context = r };
    return r->device->cuda
               ? kl_control_optimize_gpu(results, points, NULL, r->problem, 1, search, r->device, &watch,
                                         err)
               : kl_control_optimize(results, points, r->problem, search, r->pool, &watch, err);
}

/* The n best that may go on into order, the best first, and their number; all others are behind. A start
   that has come to its end is among the best as well, and goes no further. */
static int choose(int *order, struct kl_control_start *results, int starts, int n)
{
    int going = 0;
    bool *among = calloc((size_t)starts, sizeof *among);
    if (!among) return -1;
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < starts; i++)
            if (!among[i] && isfinite(results[i].loss) &&
                (best < 0 || results[i].loss < results[best].loss))
                best = i;
        if (best < 0) break;
        among[best] = true;
        if (results[best].stop == KL_CONTROL_ITERATIONS) order[going++] = best;
    }
    for (int i = 0; i < starts; i++)
        if (!among[i] && results[i].stop == KL_CONTROL_ITERATIONS) results[i].stop = KL_CONTROL_BEHIND;
    free(among);
    return going;
}

/* Those of order to their ends, from where they are. */
static int go_on(struct kl_control_start *results, double *points, size_t n, const int *order, int going,
                 const struct kl_control_search *search, struct race *r, struct kl_error *err)
{
    const size_t numbers = (size_t)going * n;
    struct kl_control_start *ends = calloc((size_t)going, sizeof *ends);
    double *from = malloc(numbers * sizeof *from), *to = malloc(numbers * sizeof *to);
    struct kl_control_search rest = *search;
    rest.starts = rest.n_first = going, rest.first = from;
    rest.iterations -= KL_CONTROL_RACE_ITERATIONS;
    int code = ends && from && to ? KL_OK : kl_fail_memory(err, 2 * numbers * sizeof *from);
    for (int i = 0; !code && i < going; i++)
        memcpy(from + (size_t)i * n, points + (size_t)order[i] * n, n * sizeof *from);
    if (!code) code = seek(ends, to, &rest, r, err);
    for (int i = 0; !code && i < going; i++) {
        struct kl_control_start *all = &results[order[i]];
        memcpy(points + (size_t)order[i] * n, to + (size_t)i * n, n * sizeof *to);
        ends[i].iterations += all->iterations, ends[i].evaluations += all->evaluations;
        *all = ends[i];
    }
    free(ends), free(from), free(to);
    return code;
}

int kl_control_race(struct kl_control_start *results, double *points, size_t n, int finalists,
                    const struct kl_control_problem *problem, const struct kl_control_search *search,
                    const struct kl_device *device, struct kl_pool *pool, const struct kl_watch *watch,
                    struct kl_error *err)
{
    struct kl_control_search first = *search;
    struct race r = { .problem = problem, .device = device, .pool = pool, .watch = watch };
    if (finalists >= search->starts) return seek(results, points, search, &r, err);
    first.iterations = KL_CONTROL_RACE_ITERATIONS;
    r.behind = (uint64_t)finalists * (uint64_t)(search->iterations - KL_CONTROL_RACE_ITERATIONS + 1);
    int *order = malloc((size_t)finalists * sizeof *order);
    int code = order ? seek(results, points, &first, &r, err) : kl_fail_memory(err, 1024);
    const int going = code ? 0 : choose(order, results, search->starts, finalists);
    if (going < 0) code = kl_fail_memory(err, (size_t)search->starts);
    r.behind = 0;
    for (int i = 0; i < search->starts; i++) r.before += (uint64_t)results[i].iterations + 1;
    if (!code && going) code = go_on(results, points, n, order, going, search, &r, err);
    free(order);
    return code;
}
