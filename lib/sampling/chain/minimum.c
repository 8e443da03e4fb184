/* SPDX-License-Identifier: MIT
   The least loss that a run's target has, from which the local learning coefficient is told (Lau et al.
   2023, arXiv:2308.12108): of the loss alone, without the prior, as Watanabe's theory has it (2009,
   Algebraic Geometry and Statistical Learning Theory, section 6.1: the prior is to be positive where the
   minimum is, and a normal one is so everywhere). Sought by L-BFGS with the gradient of all records,
   from where the chains of the last temperature ended. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/lbfgs.h"
#include "sampling/chain/chain_int.h"
#include "store/store.h"

enum {
    LANES = KL_LBFGS_LANES,
    WINDOW = 20, /* iterations */
    FLAT = 5,
    BACKTRACKS = 20,
    LEAST_EVALUATIONS = 500,
    MOST_EVALUATIONS = 5000,
    MOST_WEIGHTS = 1 << 17 /* 22 vectors of 16 lanes: 370 MB */
};
/* Of beta (L - L*), in WINDOW iterations, or as Newton's decrement says FLAT times in a row: nothing is
   left to gain. */
static const double PROGRESS = 1e-4;

struct lane {
    bool fresh, ended, without_pairs;
    double f, step, recent[WINDOW];
    int64_t evaluations, iterations;
    int backtracks, flat;
};
struct search {
    struct kl_lbfgs b;
    struct kl_arena memory;
    const struct kl_sampling_target_f32 *target;
    double beta;
    int64_t most; /* evaluations of a lane */
    size_t n;     /* lanes */
    struct lane lanes[LANES];
    double f[LANES];  /* of trials */
    float *grad, *at; /* (LANES, P): a lane's own vectors, without the others' */
    struct kl_error errors[LANES];
};

static int open_search(struct search *s, size_t p, struct kl_error *err)
{
    double **const vectors[] = { &s->b.x, &s->b.g, &s->b.d, &s->b.free, &s->b.next_x, &s->b.next_g };
    double *ends;
    bool whole = kl_arena_init(&s->memory, 0, err) == 0;
    s->b.n = p;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors && whole; i++)
        whole = (*vectors[i] = kl_arena_take(&s->memory, p * LANES, sizeof(double))) != NULL;
    for (int i = 0; i < KL_LBFGS_PAIRS && whole; i++) {
        whole = (s->b.s[i] = kl_arena_take(&s->memory, p * LANES, sizeof(double))) != NULL &&
                (s->b.y[i] = kl_arena_take(&s->memory, p * LANES, sizeof(double))) != NULL;
        for (size_t j = 0; j < p * LANES && whole; j++) s->b.s[i][j] = s->b.y[i][j] = 0;
    }
    whole = whole && (s->grad = kl_arena_take(&s->memory, p * LANES, sizeof(float))) &&
            (s->at = kl_arena_take(&s->memory, p * LANES, sizeof(float))) &&
            (ends = kl_arena_take(&s->memory, 2 * p, sizeof(double)));
    if (!whole) return kl_fail_memory(err, 26 * p * LANES * sizeof(double));
    for (size_t j = 0; j < p; j++) ends[j] = -INFINITY, ends[p + j] = INFINITY;
    s->b.low = ends, s->b.high = ends + p;
    memset(s->b.x, 0, p * LANES * sizeof(double)), memset(s->b.g, 0, p * LANES * sizeof(double));
    memset(s->b.next_x, 0, p * LANES * sizeof(double)),
        memset(s->b.next_g, 0, p * LANES * sizeof(double));
    return KL_OK;
}

/* Loss and gradient of a lane's trial. */
static void evaluate(void *context, size_t lane, int thread)
{
    struct search *s = context;
    const size_t p = s->b.n;
    const struct kl_sampling_crew crew = { thread, NULL };
    struct kl_sampling_sums sums = { 0 };
    float *at = s->at + lane * p, *grad = s->grad + lane * p;
    if (s->lanes[lane].ended) return;
    for (size_t j = 0; j < p; j++) at[j] = (float)s->b.next_x[j * LANES + lane];
    s->errors[lane].code = s->target->gradient(s->target->context, grad, &sums, at, NULL, s->target->n,
                                               &crew, &s->errors[lane]);
    s->f[lane] = sums.loss / (double)sums.count;
    for (size_t j = 0; j < p; j++) s->b.next_g[j * LANES + lane] = (double)grad[j];
}

/* Armijo's rule; a step that is too long shrinks to the least of a parabola. What the lane does. */
static double take_trial(struct lane *l, double f, double gain)
{
    l->evaluations++;
    if (l->fresh || f <= l->f + 1e-4 * gain) {
        const double how = l->fresh ? KL_LBFGS_BEGIN : KL_LBFGS_ACCEPT;
        if (!l->fresh) l->recent[l->iterations++ % WINDOW] = l->f, l->without_pairs = false;
        l->fresh = false, l->f = f, l->step = 1, l->backtracks = 0;
        return how;
    }
    const double least = isfinite(f) ? -gain / (2 * (f - l->f - gain)) : 0;
    l->step *= fmin(fmax(least, 0.1), 0.5);
    if (++l->backtracks < BACKTRACKS) return KL_LBFGS_STAY;
    l->ended = l->without_pairs; /* not even against the gradient does it fall */
    l->without_pairs = true, l->step = 1, l->backtracks = 0;
    return KL_LBFGS_FORGET;
}

static bool has_converged(const struct search *s, struct lane *l, double slope)
{
    const double before = l->recent[l->iterations % WINDOW];
    if (l->backtracks == 0) l->flat = -s->beta * slope <= PROGRESS ? l->flat + 1 : 0;
    return slope == 0 || (l->iterations > FLAT && l->flat >= FLAT) ||
           (l->iterations >= WINDOW && s->beta * (before - l->f) <= PROGRESS);
}

/* One trial in each lane; false: all have ended. */
static bool play(struct search *s, struct kl_pool *pool)
{
    double slope[LANES], size[LANES], step[LANES] = { 0 }, gain[LANES], accept[LANES] = { 0 };
    bool any = false;
    kl_kernel_lbfgs_direction_f64()(&s->b, slope, size);
    for (size_t l = 0; l < s->n; l++) {
        struct lane *lane = &s->lanes[l];
        lane->ended |=
            !lane->fresh && (has_converged(s, lane, slope[l]) || lane->evaluations >= s->most);
        any |= !lane->ended;
        step[l] = lane->ended || lane->fresh ? 0 : lane->step;
    }
    if (!any) return false;
    kl_kernel_lbfgs_trial_f64()(&s->b, gain, step);
    kl_pool_for(pool, s->n, evaluate, s);
    for (size_t l = 0; l < s->n; l++)
        if (!s->lanes[l].ended) accept[l] = take_trial(&s->lanes[l], s->f[l], gain[l]);
    kl_kernel_lbfgs_update_f64()(&s->b, accept);
    return true;
}

/* The last states of the last temperature's chains; as many evaluations as a twentieth of the run's,
   within limits. */
static void begin(struct search *s, const struct kl_sampling_run *run)
{
    const size_t last = run->settings.n_rungs - 1;
    uint64_t done, total;
    kl_sampling_run_done(run, &done, &total);
    s->n = run->settings.chains < LANES ? (size_t)run->settings.chains : LANES;
    s->beta = run->settings.rungs[last].beta;
    if (run->settings.sampler == KL_SAMPLING_HMC) total *= (uint64_t)run->settings.leapfrogs;
    s->most = (int64_t)(total / 20 / s->n);
    if (s->most < LEAST_EVALUATIONS) s->most = LEAST_EVALUATIONS;
    if (s->most > MOST_EVALUATIONS) s->most = MOST_EVALUATIONS;
    for (size_t l = 0; l < s->n; l++) {
        const struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, last, (int64_t)l);
        s->lanes[l] = (struct lane){ .fresh = true, .without_pairs = true, .f = INFINITY };
        for (size_t j = 0; j < s->b.n; j++) s->b.x[j * LANES + l] = (double)c->w[j];
    }
}

/* Of the lane that came lowest. */
static void settle(struct kl_sampling_minimum *to, const struct search *s)
{
    const struct kl_sampling_target_f32 *t = s->target;
    size_t best = 0;
    for (size_t l = 1; l < s->n; l++)
        if (s->lanes[l].f < s->lanes[best].f) best = l;
    const struct lane *lane = &s->lanes[best];
    *to = (struct kl_sampling_minimum){ .loss = lane->f, .starts = (int64_t)s->n };
    for (size_t l = 0; l < s->n; l++) to->evaluations += s->lanes[l].evaluations;
    for (int k = 0; k < t->n_tensors; k++)
        for (size_t j = t->tensors[k].offset; j < t->tensors[k].offset + t->tensors[k].size; j++) {
            const double w = s->b.x[j * LANES + best] / t->tensors[k].sigma;
            to->norm += w * w / (double)t->size;
            to->gradient = fmax(to->gradient, fabs(s->b.g[j * LANES + best]));
        }
    if (lane->evaluations < s->most) return;
    to->loss = NAN;
    snprintf(to->none, sizeof to->none,
             "L-BFGS had not ended after %lld evaluations, at a gradient of %.2g", (long long)s->most,
             to->gradient);
}

static int search(struct kl_sampling_minimum *to, struct search *s, const struct kl_sampling_run *run,
                  struct kl_pool *pool, struct kl_error *err)
{
    int code = open_search(s, s->target->size, err);
    if (!code) begin(s, run);
    while (!code && play(s, pool)) {
        for (size_t l = 0; l < s->n && !code; l++)
            if (s->errors[l].code) *err = s->errors[l], code = err->code;
        if (!code && kl_signals_pending())
            code = kl_fail(err, KL_ESIGNAL, "stopped on the way to the least loss");
    }
    if (!code) settle(to, s);
    kl_arena_free(&s->memory);
    return code;
}

int kl_sampling_minimum_seek(struct kl_sampling_minimum *to, const struct kl_sampling_run *run,
                             struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_sampling_target_f32 *target = run->chains[0].target;
    *to = (struct kl_sampling_minimum){ .loss = NAN };
    for (int64_t c = 1; c < run->settings.chains; c++)
        if (kl_sampling_run_chain(run, 0, 0, c)->target != target)
            snprintf(to->none, sizeof to->none, "each chain has records, and so a loss, of its own");
    if (target->size > MOST_WEIGHTS)
        snprintf(to->none, sizeof to->none, "of %zu weights no minimum is sought, only of up to %d",
                 target->size, MOST_WEIGHTS);
    if (*to->none) return KL_OK;
    struct search *s = calloc(1, sizeof *s);
    if (!s) return kl_fail_memory(err, sizeof *s);
    s->target = target;
    const int code = search(to, s, run, pool, err);
    free(s);
    return code;
}

int kl_sampling_minimum_put(struct kl_writer *w, const struct kl_sampling_minimum *m,
                            struct kl_error *err)
{
    int code = KL_OK;
    if (isnan(m->loss)) return kl_store_writer_text(w, "", "minimum_none", m->none, err);
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "minimum_loss", m->loss },
                    { "minimum_gradient", m->gradient },
                    { "minimum_norm", m->norm },
                    { "minimum_evaluations", (double)m->evaluations } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && code >= 0; i++)
        code = kl_store_writer_number(w, "", numbers[i].name, numbers[i].value, err);
    return code < 0 ? code : KL_OK;
}
