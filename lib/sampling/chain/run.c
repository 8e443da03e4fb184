/* SPDX-License-Identifier: MIT
   A run: all chains of a ladder, in rounds of a quarter of a second between looks at the watch. Threads
   take whole chains while there are enough of them, else all of them share the work of one. Replica
   exchange. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

/* ---- exchange ----
   Replica exchange (Swendsen and Wang 1986): once a draw, of each chain number, neighbouring
   temperatures swap their weights with probability min(1, exp((beta_i - beta_j) (L_i - L_j))); even
   pairs and odd ones in turn. */

static void swap_floats(float *a, float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

static void meet(struct kl_sampling_chain *cold, struct kl_sampling_chain *hot)
{
    const int64_t d = hot->at.draws - 1;
    const double apart =
        (double)cold->trace[KL_SAMPLING_LOSS][d] - (double)hot->trace[KL_SAMPLING_LOSS][d];
    uint32_t words[4];
    kl_philox(words, hot->key, 0, KL_RANDOM_SWAP, (uint32_t)d, 0);
    hot->at.tried++;
    if (!(log(kl_philox_unit(words[0])) < (cold->beta - hot->beta) * apart)) return;
    hot->at.swapped++;
    swap_floats(cold->w, hot->w, hot->target->size);
    if (hot->v && hot->settings->sampler != KL_SAMPLING_HMC)
        swap_floats(cold->v, hot->v, hot->target->size);
}

/* Swaps where all temperatures of a chain number wait. */
static void run_exchange(struct kl_sampling_run *run)
{
    const struct kl_sampling_settings *s = &run->settings;
    for (int64_t c = 0; c < s->chains && s->exchange; c++) {
        bool all = true;
        for (size_t k = 0; k < s->n_rungs; k++)
            all = all && kl_sampling_run_chain(run, 0, k, c)->at.waiting;
        if (!all) continue;
        const int64_t round = kl_sampling_run_chain(run, 0, 0, c)->at.draws;
        for (size_t k = (size_t)(round % 2); k + 1 < s->n_rungs; k += 2)
            meet(kl_sampling_run_chain(run, 0, k + 1, c), kl_sampling_run_chain(run, 0, k, c));
        for (size_t k = 0; k < s->n_rungs; k++) kl_sampling_run_chain(run, 0, k, c)->at.waiting = 0;
    }
}

/* ---- run ---- */

#define ROUND_SECONDS 0.25
#define SHARED 4e6
enum { PIECE = 16384, SPANS = 256, ROWS = 1 << 16 };

struct kl_sampling_chain *kl_sampling_run_chain(const struct kl_sampling_run *run, int role, size_t rung,
                                                int64_t chain)
{
    return &run->chains[(size_t)role * run->per_role + rung * (size_t)run->settings.chains +
                        (size_t)chain];
}

/* ---- opening ---- */

static size_t count_pieces(const struct kl_sampling_target_f32 *t)
{
    size_t n = 0;
    for (int i = 0; i < t->n_tensors; i++) n += (t->tensors[i].size + PIECE - 1) / PIECE;
    return n;
}

static int cut(const struct kl_sampling_piece **to, struct kl_arena *memory,
               const struct kl_sampling_target_f32 *t, struct kl_error *err)
{
    const size_t n = count_pieces(t);
    struct kl_sampling_piece *p = kl_arena_take(memory, n + 1, sizeof *p);
    if (!p) return kl_fail_memory(err, n * sizeof *p);
    *to = p;
    for (int i = 0; i < t->n_tensors; i++)
        for (size_t at = 0; at < t->tensors[i].size; at += PIECE) {
            const size_t left = t->tensors[i].size - at;
            *p++ =
                (struct kl_sampling_piece){ t->tensors[i].offset + at, left < PIECE ? left : PIECE, i };
        }
    return KL_OK;
}

/* Set a chain's pieces, which all chains of a target share, and its precisions. */
static int set_pieces(struct kl_sampling_run *run, struct kl_sampling_chain *c, struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    for (struct kl_sampling_chain *other = run->chains; other < c && !c->pieces; other++)
        if (other->target->tensors == t->tensors && other->target->size == t->size)
            c->pieces = other->pieces;
    c->n_pieces = count_pieces(t);
    const int code = c->pieces ? KL_OK : cut(&c->pieces, &run->memory, t, err);
    double *precision =
        code ? NULL : kl_arena_take(&run->memory, (size_t)t->n_tensors, sizeof *precision);
    if (!precision) return code ? code : kl_fail_memory(err, (size_t)t->n_tensors * sizeof *precision);
    for (int i = 0; i < t->n_tensors; i++)
        precision[i] = (run->settings.convention == KL_SAMPLING_TEMPERED ? c->beta : 1) /
                       (t->tensors[i].sigma * t->tensors[i].sigma);
    c->precision = precision;
    return KL_OK;
}

static int take(float **to, struct kl_sampling_run *run, size_t n, struct kl_error *err)
{
    *to = kl_arena_take(&run->memory, n, sizeof **to);
    if (!*to) return kl_fail_memory(err, n * sizeof **to);
    memset(*to, 0, n * sizeof **to);
    return KL_OK;
}

static int take_scales(struct kl_sampling_run *run, struct kl_sampling_chain *c, struct kl_error *err)
{
    float **const arrays[] = { &c->scale, &c->mean, &c->squares };
    int code = KL_OK;
    for (int i = 0; i < 3 && !code; i++) code = take(arrays[i], run, c->target->size, err);
    for (size_t i = 0; i < c->target->size && !code; i++) c->scale[i] = 1;
    return code;
}

static int open_chain(struct kl_sampling_run *run, struct kl_sampling_chain *c, struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    const size_t p = c->target->size;
    const int64_t epochs = c->stops ? 0 : c->epochs;
    int code = set_pieces(run, c, err);
    if (!code) code = take(&c->w, run, p, err);
    if (!code && kl_sampling_has_momentum(s)) code = take(&c->v, run, p, err);
    if (!code && s->control_variate) code = take(&c->anchor, run, p, err);
    if (!code && s->control_variate) code = take(&c->anchor_grad, run, p, err);
    if (!code && s->sampler == KL_SAMPLING_HMC && kl_sampling_adapts(s)) code = take_scales(run, c, err);
    if (!code) code = kl_sampling_chain_room(c, epochs / c->every, err);
    return code;
}

static int open_chains(struct kl_sampling_run *run, const struct kl_sampling_target_f32 *targets,
                       size_t n_targets, struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    int code = KL_OK;
    for (int r = 0; r < run->n_roles; r++)
        for (size_t k = 0; k < s->n_rungs; k++)
            for (int64_t c = 0; c < s->chains && !code; c++) {
                struct kl_sampling_chain *chain = kl_sampling_run_chain(run, r, k, c);
                const struct kl_sampling_target_f32 *target = &targets[n_targets > 1 ? c : 0];
                if (run->roles[r] == KL_SAMPLING_GAUSSIAN) target = &run->gaussian->target;
                kl_sampling_chain_set(chain, s, k, s->first_chain + c, run->roles[r], target);
                run->n++;
                code = open_chain(run, chain, err);
            }
    return code;
}

#define TAKE(field, count)                                                         \
    ((desk->field = kl_arena_take(&run->memory, (count) + 1, sizeof *desk->field)) \
         ? KL_OK                                                                   \
         : kl_fail_memory(err, (count) * sizeof *desk->field))

static int open_desk(struct kl_sampling_run *run, struct kl_sampling_workspace *desk,
                     struct kl_error *err)
{
    size_t size = 0, n = 0, pieces = 0, tensors = 0, steps = 0, test = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct kl_sampling_chain *c = &run->chains[i];
        if (c->target->size > size) size = c->target->size;
        if (c->target->n > n) n = c->target->n;
        if (c->n_pieces > pieces) pieces = c->n_pieces;
        if ((size_t)c->target->n_tensors > tensors) tensors = (size_t)c->target->n_tensors;
        if ((size_t)c->steps > steps) steps = (size_t)c->steps;
        if (2 * c->batch > test) test = 2 * c->batch;
    }
    const bool walks = run->chains[0].target->walk;
    desk->rows_room = walks && ROWS > n ? ROWS / n < SPANS ? ROWS / n * n : SPANS * n : n;
    desk->span_room = walks ? SPANS : 1, desk->step_room = walks ? 8 * SPANS : 1;
    int code = TAKE(grad, size);
    if (!code) code = TAKE(fresh, size);
    if (!code) code = TAKE(fresh_grad, size);
    if (!code) code = TAKE(partial, pieces * KL_SAMPLING_PARTIAL);
    if (!code) code = TAKE(rows, desk->rows_room);
    if (!code) code = TAKE(test_rows, test);
    if (!code) code = TAKE(factors, tensors);
    if (!code) code = TAKE(spans, desk->span_room);
    if (!code) code = TAKE(sums, desk->step_room);
    return code;
}

static int copy_settings(struct kl_sampling_run *run, const struct kl_sampling_settings *s,
                         struct kl_error *err)
{
    run->settings = *s;
    run->settings.rungs = kl_arena_take(&run->memory, s->n_rungs, sizeof *s->rungs);
    if (!run->settings.rungs) return kl_fail_memory(err, s->n_rungs * sizeof *s->rungs);
    memcpy(run->settings.rungs, s->rungs, s->n_rungs * sizeof *s->rungs);
    run->roles[run->n_roles++] = KL_SAMPLING_MAIN;
    if (s->half_step) run->roles[run->n_roles++] = KL_SAMPLING_HALF;
    if (s->companion) run->roles[run->n_roles++] = KL_SAMPLING_GAUSSIAN;
    run->per_role = s->n_rungs * (size_t)s->chains;
    return KL_OK;
}

int kl_sampling_run_open(struct kl_sampling_run **to, const struct kl_sampling_settings *s,
                         const struct kl_sampling_target_f32 *targets, size_t n_targets, int n_threads,
                         struct kl_error *err)
{
    *to = NULL;
    int code = KL_OK;
    if (n_targets != 1 && n_targets != (size_t)s->chains)
        return kl_fail(err, KL_EUSAGE, "found %zu targets, expected 1 or one for each of %lld chains",
                       n_targets, (long long)s->chains);
    for (size_t i = 0; i < n_targets && !code; i++)
        code = kl_sampling_settings_check(s, &targets[i], err);
    if (code) return code;
    struct kl_sampling_run *run = *to = calloc(1, sizeof *run);
    if (!run) return kl_fail_memory(err, sizeof *run);
    code = kl_arena_init(&run->memory, 0, err);
    if (!code) code = copy_settings(run, s, err);
    if (code) return code;
    run->round_seconds = ROUND_SECONDS, run->worth = SHARED;
    run->size = targets[0].size, run->n_desks = n_threads < 1 ? 1 : n_threads;
    run->chains = calloc((size_t)run->n_roles * run->per_role, sizeof *run->chains);
    run->desks = calloc((size_t)run->n_desks, sizeof *run->desks);
    if (!run->chains || !run->desks) return kl_fail_memory(err, run->per_role * sizeof *run->chains);
    if (s->companion)
        code = kl_sampling_gaussian_open(&run->gaussian, targets[0].n, targets[0].tensors[0].sigma,
                                         s->seed, err);
    if (!code) code = open_chains(run, targets, n_targets, err);
    for (int i = 0; i < run->n_desks && !code; i++) code = open_desk(run, &run->desks[i], err);
    return code;
}

void kl_sampling_run_close(struct kl_sampling_run **to)
{
    struct kl_sampling_run *run = *to;
    *to = NULL;
    if (!run) return;
    for (size_t i = 0; i < run->n && run->chains; i++) {
        for (int f = 0; f < KL_SAMPLING_FIELDS; f++) free(run->chains[i].trace[f]);
        free(run->chains[i].kept), free(run->chains[i].likelihood);
    }
    kl_sampling_gpu_close(&run->gpu);
    kl_sampling_gaussian_close(&run->gaussian);
    free(run->chains), free(run->desks);
    kl_arena_free(&run->memory);
    free(run);
}

/* ---- going ---- */

struct round {
    struct kl_sampling_run *run;
    struct kl_sampling_chain **chains;
    size_t n, turn;
    double deadline;
};

/* One chain's turn, by one thread; none begins after the deadline but the first. */
static void take_turn(void *context, size_t i, int thread)
{
    const struct round *r = context;
    struct kl_sampling_chain *c = r->chains[(i + r->turn) % r->n];
    const struct kl_sampling_crew crew = { thread, NULL };
    if (i > 0 && kl_clock() > r->deadline) return;
    c->code = kl_sampling_chain_advance(c, &r->run->desks[thread], &crew, r->deadline, &c->err);
    c->turns++;
}

static void share_turn(struct round *r, struct kl_pool *pool)
{
    const struct kl_sampling_crew crew = { 0, pool };
    for (size_t i = 0; i < r->n && (i == 0 || kl_clock() < r->deadline); i++) {
        struct kl_sampling_chain *c = r->chains[(i + r->turn) % r->n];
        c->code = kl_sampling_chain_advance(c, &r->run->desks[0], &crew, r->deadline, &c->err);
        c->turns++;
    }
}

/* Chains that can go on. */
static size_t active(struct kl_sampling_run *run, struct kl_sampling_chain **chains)
{
    size_t n = 0;
    for (size_t i = 0; i < run->n; i++)
        if (kl_sampling_run_has(run, &run->chains[i]) && !run->chains[i].at.waiting &&
            !kl_sampling_chain_done(&run->chains[i]))
            chains[n++] = &run->chains[i];
    return n;
}

/* A launch of those whose steps the GPU takes; the others have their turns. */
static int play_beside(struct round *r, struct kl_pool *pool, struct kl_error *err)
{
    struct round rest = *r;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct kl_sampling_chain *c = r->chains[i];
        if (!kl_sampling_gpu_takes(c)) continue;
        r->chains[i] = r->chains[n], r->chains[n++] = c;
    }
    const int code = kl_sampling_gpu_round(r->run, r->chains, n, pool, err);
    rest.chains += n, rest.n -= n, rest.turn = rest.n ? r->run->turn % rest.n : 0;
    rest.deadline = kl_clock() + r->run->round_seconds;
    if (!code) kl_pool_for(pool, rest.n, take_turn, &rest);
    return code;
}

static int play(struct kl_sampling_run *run, struct round *r, struct kl_pool *pool, struct kl_error *err)
{
    int code = KL_OK;
    r->deadline = kl_clock() + run->round_seconds, r->turn = run->turn % r->n;
    for (size_t i = 0; i < r->n; i++) r->chains[i]->turns = r->chains[i]->code = 0;
    const bool large = (double)run->size * (double)run->chains[0].batch >= run->worth;
    if (run->gpu) code = play_beside(r, pool, err);
    else if (large && pool && kl_pool_size(pool) > 1 && r->n < (size_t)kl_pool_size(pool))
        share_turn(r, pool);
    else kl_pool_for(pool, r->n, take_turn, r);
    if (code) return code;
    for (size_t i = 0; i < r->n; i++) {
        run->turn += r->chains[i]->turns > 0;
        if (!r->chains[i]->code) continue;
        if (err) *err = r->chains[i]->err;
        return r->chains[i]->code;
    }
    return KL_OK;
}

void kl_sampling_run_done(const struct kl_sampling_run *run, uint64_t *done, uint64_t *total)
{
    *done = *total = 0;
    for (size_t i = 0; i < run->n; i++) {
        *done += (uint64_t)run->chains[i].at.epoch;
        *total += (uint64_t)kl_sampling_chain_end(&run->chains[i]);
    }
}

/* Of this rank's chains. */
static void own_done(const struct kl_sampling_run *run, uint64_t *done, uint64_t *total)
{
    *done = *total = 0;
    for (size_t i = 0; i < run->n; i++) {
        if (!kl_sampling_run_has(run, &run->chains[i])) continue;
        *done += (uint64_t)run->chains[i].at.epoch;
        *total += (uint64_t)kl_sampling_chain_end(&run->chains[i]);
    }
}

/* Rounds until no rank has chains that go on. */
static int go_on(struct kl_sampling_run *run, struct round *r, struct kl_pool *pool,
                 const struct kl_watch *watch, struct kl_error *err)
{
    uint64_t done, total;
    for (;;) {
        run_exchange(run);
        r->n = active(run, r->chains);
        own_done(run, &done, &total);
        struct kl_sampling_meeting m = { kl_watch_step(watch, done, total, NULL) != 0, r->n > 0, 0 };
        int code = kl_sampling_run_meet(&m, run, err);
        run->signal = m.signal;
        if (code || !m.left) return code;
        if (m.stops)
            return kl_fail(err, KL_ESIGNAL, "stopped after %llu of %llu epochs",
                           (unsigned long long)done, (unsigned long long)total);
        code = r->n ? play(run, r, pool, err) : KL_OK;
        if (code) return code;
    }
}

int kl_sampling_run_go(struct kl_sampling_run *run, struct kl_pool *pool, const struct kl_watch *watch,
                       struct kl_error *err)
{
    struct round r = { .run = run };
    struct kl_error other;
    if (pool && kl_pool_size(pool) > run->n_desks)
        return kl_fail(err, KL_EINTERNAL, "run of chains: found %d threads, expected at most %d",
                       kl_pool_size(pool), run->n_desks);
    r.chains = malloc((run->n + 1) * sizeof(void *));
    if (!r.chains) return kl_fail_memory(err, run->n * sizeof(void *));
    const int code = go_on(run, &r, pool, watch, err);
    free(r.chains);
    if (code && code != KL_ESIGNAL) return code;
    const int gathered = kl_sampling_run_gather(run, &other);
    return gathered ? kl_fail(err, gathered, "%s", other.text) : code;
}

void kl_sampling_run_trace(struct kl_sampling_trace *t, const struct kl_sampling_run *run, size_t rung,
                           int64_t chain)
{
    const struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, rung, chain);
    *t = (struct kl_sampling_trace){ .beta = c->beta,
                                     .draws = c->at.draws,
                                     .train_loss = c->trace[KL_SAMPLING_LOSS],
                                     .train01 = c->trace[KL_SAMPLING_ERROR],
                                     .norm = c->trace[KL_SAMPLING_RADIUS],
                                     .test_loss = c->trace[KL_SAMPLING_TEST_LOSS],
                                     .test01 = c->trace[KL_SAMPLING_TEST_ERROR],
                                     .virial = c->trace[KL_SAMPLING_VIRIAL],
                                     .acceptance = kl_sampling_chain_acceptance(c),
                                     .step = kl_sampling_chain_step(c),
                                     .warmup = c->at.warm };
}
