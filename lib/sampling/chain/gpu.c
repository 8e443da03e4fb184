/* SPDX-License-Identifier: MIT
   Chains on a GPU (kernels/cuda_chains.h): which of their next steps go there at once, and what follows
   from what it tells. Weights come back after every launch, so that all else, draws, files and rules, is
   as on the CPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda.h"
#include "kernels/device.h"
#include "sampling/chain/chain_int.h"

/* Of a launch: chains, weights, steps and spans in all; of a chain. */
enum {
    CHAINS = 1 << 14,
    WEIGHTS = 1 << 28,
    STEPS = 1 << 20,
    SPANS = 1 << 18,
    CHAIN_STEPS = 2048,
    CHAIN_SPANS = 512,
    FIRST_STEPS = 16
};
/* Shares of a round's seconds, of a launch with what follows from it: below and above, the next one has
   more steps, or fewer. */
static const double SHORT = 0.4, LONG = 1.6;

struct kl_sampling_gpu {
    const struct kl_cuda_chains_calls *calls;
    struct kl_cuda_chains *chains;
    const struct kl_sampling_run *run;
    size_t n_targets, most, steps; /* chains of a launch; steps of a chain, for now */
    size_t step_room, span_room;   /* of a chain */
    int64_t size;
    /* Of a launch, by chain: what it is asked, its own spans before they are put side by side. */
    struct kl_cuda_chain *list;
    struct kl_cuda_chain_span *spans;
    size_t *n_steps;      /* (most) */
    float *w, *v, *scale; /* (most, size); NULL: the sampler has none */
    struct kl_cuda_chain_outcome *outcomes;
    struct kl_cuda_chain_judged *judged;
};

/* ---- what is for a GPU ---- */

int kl_sampling_gpu_check(const struct kl_sampling_settings *s, struct kl_error *err)
{
    const char *what = s->control_variate       ? "--control-variate"
                       : s->independent_batches ? "--batches independent"
                       : s->work                ? "--work"
                                                : NULL;
    return what ? kl_fail(err, KL_EUSAGE, "%s: not on a GPU; give --device cpu", what) : KL_OK;
}

bool kl_sampling_gpu_takes(const struct kl_sampling_chain *c)
{
    return c->role != KL_SAMPLING_GAUSSIAN && !kl_sampling_chain_at_end(c);
}

/* ---- opening ---- */

/* Records of all targets side by side: those of `which`, copied. */
static int gather(struct kl_cuda_chains_shape *shape, int which, const struct kl_sampling_data *data,
                  struct kl_error *err)
{
    const struct kl_sampling_records *one = which ? &data->test : &data->train;
    const size_t n = one->n, d = one->inputs, sets = shape->n_sets;
    float *x = malloc((sets * n * d + 1) * sizeof *x);
    int32_t *label = malloc((sets * n + 1) * sizeof *label);
    shape->n[which] = n, shape->x[which] = x, shape->label[which] = label;
    if (!x || !label) return kl_fail_memory(err, sets * n * (d + 1) * sizeof *x);
    for (size_t i = 0; i < sets; i++) {
        const struct kl_sampling_records *r = which ? &data[i].test : &data[i].train;
        if (r->n != n)
            return kl_fail(err, KL_EUSAGE,
                           "records of chains: found %zu and %zu, a GPU needs as many of each; give "
                           "--device cpu",
                           n, r->n);
        memcpy(x + i * n * d, r->x, n * d * sizeof *x);
        memcpy(label + i * n, r->label, n * sizeof *label);
    }
    return KL_OK;
}

/* The networks: of one hidden layer of which a block has a chain; else of dense layers. KL_EUSAGE. */
static int set_net(struct kl_sampling_gpu *g, struct kl_cuda_chains_shape *shape,
                   const struct kl_cuda *cuda, const struct kl_sampling_net *net, struct kl_error *err)
{
    const bool shallow = kl_sampling_net_shallow(&shape->net, net);
    g->calls = cuda->chains;
    if (shallow && shape->net.units <= KL_CUDA_CHAIN_UNITS) return KL_OK;
    if (shape->fused)
        return kl_fail(
            err, KL_EUSAGE,
            "net '%s': fused steps on a GPU are of %d hidden units at most; give --device cpu",
            net->name, (int)KL_CUDA_CHAIN_UNITS);
    if (net->n_units)
        return kl_fail(err, KL_EUSAGE,
                       "net '%s': on a GPU are linear, fcn1, fcn2 and fcn3; give --device cpu",
                       net->name);
    if (net->size > INT32_MAX)
        return kl_fail(
            err, KL_EUSAGE,
            "net '%s': found %zu parameters, on a GPU are 2^31 - 1 at most; give --device cpu",
            net->name, net->size);
    g->calls = cuda->layers;
    shape->n_layers = net->n_dense, shape->loss = (int32_t)net->loss, shape->l_max = net->l_max;
    shape->width[0] = (int32_t)net->inputs;
    for (int l = 0; l < net->n_dense; l++) shape->width[l + 1] = (int32_t)net->dense[l].out;
    return KL_OK;
}

static struct kl_cuda_chains_shape shape_of(const struct kl_sampling_gpu *g)
{
    static const enum kl_cuda_sampler samplers[] = { KL_CUDA_SGLD,  KL_CUDA_PSGLD, KL_CUDA_SGHMC,
                                                     KL_CUDA_SGNHT, KL_CUDA_MALA,  KL_CUDA_HMC };
    const struct kl_sampling_chain *c = g->run->chains;
    const struct kl_sampling_settings *s = c->settings;
    return (struct kl_cuda_chains_shape){ .sampler = samplers[s->sampler],
                                          .fused = c->walks,
                                          .n_sets = g->n_targets,
                                          .batch = c->batch,
                                          .keep = exp(-s->friction),
                                          .spread = sqrt(-expm1(-2 * s->friction)),
                                          .friction = s->friction,
                                          .rms_decay = s->rms_decay,
                                          .rms_epsilon = s->rms_epsilon,
                                          .leapfrogs = (int32_t)s->leapfrogs,
                                          .fewer = kl_sampling_adapts(s),
                                          .chains = g->most,
                                          .spans = g->most * g->span_room,
                                          .steps = g->most * g->step_room };
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int take_memory(struct kl_sampling_gpu *g, struct kl_arena *memory, struct kl_error *err)
{
    const size_t n = g->most, numbers = n * (size_t)g->size;
    const bool momenta = g->run->chains[0].v, scaled = g->run->chains[0].scale;
    g->list = kl_arena_take(memory, n, sizeof *g->list);
    g->n_steps = kl_arena_take(memory, n, sizeof *g->n_steps);
    g->spans = kl_arena_take(memory, n * g->span_room, sizeof *g->spans);
    g->judged = kl_arena_take(memory, n * g->span_room, sizeof *g->judged);
    g->outcomes = kl_arena_take(memory, n * g->step_room, sizeof *g->outcomes);
    g->w = kl_arena_take(memory, numbers, sizeof *g->w);
    g->v = momenta ? kl_arena_take(memory, numbers, sizeof *g->v) : NULL;
    g->scale = scaled ? kl_arena_take(memory, numbers, sizeof *g->scale) : NULL;
    if (!g->list || !g->n_steps || !g->spans || !g->judged || !g->outcomes || !g->w ||
        (momenta && !g->v) || (scaled && !g->scale))
        return kl_fail_memory(err, n * g->span_room * sizeof *g->spans);
    memset(g->list, 0, n * sizeof *g->list);
    memset(g->w, 0, numbers * sizeof *g->w);
    return KL_OK;
}

/* All chains of a launch, or half of them, and so on, until memory has room. */
static int open_most(struct kl_sampling_gpu *g, struct kl_cuda_chains_shape *shape,
                     const struct kl_device *device, struct kl_error *err)
{
    for (;;) {
        const int code = g->calls->open(&g->chains, shape, device->number, err);
        if (code != KL_ENOMEM || g->most == 1) return code;
        g->most = (g->most + 1) / 2;
        shape->chains = g->most;
        shape->spans = g->most * g->span_room, shape->steps = g->most * g->step_room;
    }
}

int kl_sampling_run_on_gpu(struct kl_sampling_run *run, const struct kl_device *device,
                           const struct kl_sampling_net *nets, const struct kl_sampling_data *data,
                           size_t n, const struct kl_log *log, struct kl_error *err)
{
    int code = kl_sampling_gpu_check(&run->settings, err);
    if (code) return code;
    struct kl_sampling_gpu *g = run->gpu = calloc(1, sizeof *g);
    if (!g) return kl_fail_memory(err, sizeof *g);
    g->run = run, g->n_targets = n, g->steps = FIRST_STEPS;
    g->size = (int64_t)run->size;
    g->most = least(CHAINS, run->per_role * (size_t)run->n_roles);
    g->most = least(g->most, 1 + WEIGHTS / run->size);
    g->step_room = least(CHAIN_STEPS, STEPS / g->most);
    g->span_room = least(CHAIN_SPANS, SPANS / g->most);
    const size_t wanted = g->most;
    struct kl_cuda_chains_shape shape = shape_of(g);
    code = set_net(g, &shape, device->cuda, nets, err);
    for (int which = 0; which < 2 && !code; which++) code = gather(&shape, which, data, err);
    if (!code) code = open_most(g, &shape, device, err);
    if (!code) code = take_memory(g, &run->memory, err);
    if (!code) kl_device_say_some(log, g->most, wanted, "chains");
    for (int which = 0; which < 2; which++)
        free((float *)shape.x[which]), free((int32_t *)shape.label[which]);
    return code;
}

void kl_sampling_gpu_close(struct kl_sampling_gpu **gpu)
{
    struct kl_sampling_gpu *g = *gpu;
    if (g && g->chains) g->calls->close(&g->chains);
    free(g);
    *gpu = NULL;
}

/* ---- the next steps of a chain ---- */

static struct kl_cuda_chain_span span_at(const struct kl_sampling_chain *c, int64_t epoch, int64_t step)
{
    const struct kl_sampling_euler e = kl_sampling_chain_euler(c, epoch, step);
    struct kl_cuda_chain_span span = { .beta = e.annealed,
                                       .eta = c->beta > 0 ? e.lr / c->beta : 0,
                                       .first = (uint64_t)(epoch * c->steps + step),
                                       .adapt = c->at.warm < 0 || epoch < c->at.warm };
    for (int t = 0; t < c->target->n_tensors; t++)
        span.factors[t] = kl_sampling_factors(&e, c->target->tensors[t].sigma);
    return span;
}

static bool alike(const struct kl_cuda_chain_span *a, const struct kl_cuda_chain_span *b)
{
    return memcmp(a->factors, b->factors, sizeof a->factors) == 0 &&
           memcmp(&a->beta, &b->beta, sizeof a->beta) == 0 &&
           memcmp(&a->eta, &b->eta, sizeof a->eta) == 0 && a->adapt == b->adapt;
}

static int judge_of(const struct kl_sampling_chain *c, int64_t epoch)
{
    const struct kl_sampling_asked asked = kl_sampling_chain_asks(c, epoch);
    const bool first = c->prior_draws && !c->settings->whole && c->steps > 1;
    return (asked.train ? KL_CUDA_JUDGE_TRAIN : 0) | (asked.test ? KL_CUDA_JUDGE_TEST : 0) |
           (asked.draw && c->prior_draws ? KL_CUDA_PRIOR | (first ? KL_CUDA_JUDGE_FIRST : 0) : 0);
}

/* Does what follows depend on the epoch, or look at its state? */
static bool ends_there(const struct kl_sampling_chain *c, int64_t epoch)
{
    const int64_t done = epoch + 1;
    const bool warms = c->at.warm < 0 || done < c->at.warm;
    return c->at.warm < 0 || done == c->at.warm || done >= kl_sampling_chain_end(c) ||
           (warms && c->settings->tune) || kl_sampling_chain_asks(c, epoch).state;
}

/* Spans of a chain from where it stands; *n_steps: in all. */
static size_t lay(struct kl_cuda_chain_span *spans, size_t *n_steps, const struct kl_sampling_chain *c,
                  size_t span_room, size_t step_room)
{
    int64_t epoch = c->at.epoch, step = c->at.step;
    size_t n = 0;
    bool open = false; /* the last one may go on */
    for (*n_steps = 0; *n_steps < step_room;) {
        const struct kl_cuda_chain_span next = span_at(c, epoch, step);
        const size_t left = (size_t)(c->steps - step), room = step_room - *n_steps,
                     count = c->prior_draws      ? 0
                             : epoch < c->anneal ? 1
                             : left < room       ? left
                                                 : room;
        if (!open || !alike(&spans[n - 1], &next)) {
            if (n == span_room) break;
            spans[n++] = next;
        }
        spans[n - 1].count += (int32_t)count, *n_steps += count, step += (int64_t)count;
        open = true;
        if (!c->prior_draws && step < c->steps) continue;
        open = !(spans[n - 1].judge = judge_of(c, epoch)) && !c->prior_draws;
        if (ends_there(c, epoch)) break;
        epoch++, step = 0;
    }
    return n;
}

/* ---- a launch ---- */

struct launch {
    struct kl_sampling_gpu *g;
    struct kl_sampling_run *run;
    struct kl_sampling_chain **who;
    size_t n;
};

/* What chain i is asked, into its own places. */
static void ask(void *context, size_t i, int thread)
{
    const struct launch *l = context;
    struct kl_sampling_gpu *g = l->g;
    struct kl_sampling_chain *c = l->who[i];
    const struct kl_sampling_crew crew = { thread, NULL };
    struct kl_cuda_chain *to = &g->list[i];
    const size_t p = (size_t)g->size, chain = (size_t)(c->number - c->settings->first_chain);
    c->turns = 1;
    c->code = kl_sampling_chain_ready(c, &l->run->desks[thread], &crew, &c->err);
    if (c->code) return;
    const bool same = to->key == c->key && memcmp(g->w + i * p, c->w, p * sizeof *c->w) == 0;
    *to = (struct kl_cuda_chain){ .key = c->key,
                                  .same = same,
                                  .set = g->n_targets > 1 ? (int32_t)chain : 0,
                                  .beta = c->beta,
                                  .thermostat = c->sum.thermostat };
    to->n_spans = (int32_t)lay(g->spans + i * g->span_room, &g->n_steps[i], c, g->span_room, g->steps);
    for (int t = 0; t < c->target->n_tensors; t++)
        to->precision[t] = c->precision[t], to->sigma[t] = c->target->tensors[t].sigma;
    memcpy(g->w + i * p, c->w, p * sizeof *c->w);
    if (g->v) memcpy(g->v + i * p, c->v, p * sizeof *c->v);
    if (g->scale) memcpy(g->scale + i * p, c->scale, p * sizeof *c->scale);
}

static struct kl_sampling_judged judged_of(const struct kl_cuda_chain_judged *j)
{
    return (struct kl_sampling_judged){ .train = { j->loss[0], 0, j->wrong[0], j->count[0] },
                                        .test = { j->loss[1], 0, j->wrong[1], j->count[1] },
                                        .virial = j->virial,
                                        .radius = j->radius };
}

static int take_span(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                     struct kl_sampling_workspace *desk, const struct kl_cuda_chain_span *span,
                     const struct kl_cuda_chain_outcome *outcomes,
                     const struct kl_cuda_chain_judged *found, struct kl_error *err)
{
    struct kl_sampling_judged judged;
    int code = KL_OK;
    if (span->judge) judged = judged_of(found);
    for (int32_t i = 0; i < span->count && !code; i++) {
        const struct kl_cuda_chain_outcome *o = &outcomes[i];
        const size_t left = c->target->n - (size_t)c->at.step * c->batch;
        const struct kl_sampling_outcome out = {
            .sums = { o->loss, 0, o->wrong, (int64_t)least(left, c->batch) },
            .virial = o->virial,
            .radius = o->radius,
            .accept = o->accept,
            .judged = span->judge && i + 1 == span->count ? &judged : NULL,
        };
        code = kl_sampling_chain_end_step(c, k, desk, &out, err);
    }
    if (code || !c->prior_draws) return code;
    const struct kl_sampling_outcome out = { .judged = span->judge ? &judged : NULL };
    return kl_sampling_chain_end_epoch(c, k, desk, &out, err);
}

/* What follows for chain i. */
static void take(void *context, size_t i, int thread)
{
    const struct launch *l = context;
    const struct kl_sampling_gpu *g = l->g;
    struct kl_sampling_chain *c = l->who[i];
    struct kl_sampling_workspace *desk = &l->run->desks[thread];
    const struct kl_sampling_crew crew = { thread, NULL };
    const struct kl_cuda_chain *from = &g->list[i];
    const size_t p = (size_t)g->size;
    size_t step = from->first_step;
    memcpy(c->w, g->w + i * p, p * sizeof *c->w);
    if (g->v) memcpy(c->v, g->v + i * p, p * sizeof *c->v);
    c->sum.thermostat = from->thermostat;
    struct kl_sampling_walker_f32 k = kl_sampling_chain_walker(c, desk, &crew);
    for (size_t s = from->first_span; s < from->first_span + (size_t)from->n_spans && !c->code; s++) {
        c->code = take_span(c, &k, desk, &g->spans[s], g->outcomes + step, &g->judged[s], &c->err);
        step += (size_t)g->spans[s].count;
    }
}

/* Spans side by side; their number and that of all steps. */
static void pack(struct kl_sampling_gpu *g, size_t n, size_t *n_spans, size_t *n_steps)
{
    *n_spans = *n_steps = 0;
    for (size_t i = 0; i < n; i++) {
        struct kl_cuda_chain *c = &g->list[i];
        memmove(g->spans + *n_spans, g->spans + i * g->span_room, (size_t)c->n_spans * sizeof *g->spans);
        c->first_span = *n_spans, c->first_step = *n_steps;
        *n_spans += (size_t)c->n_spans, *n_steps += g->n_steps[i];
    }
}

static int launch(struct launch *l, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_sampling_gpu *g = l->g;
    size_t n_spans, n_steps;
    kl_pool_for(pool, l->n, ask, l);
    for (size_t i = 0; i < l->n; i++)
        if (l->who[i]->code) return KL_OK; /* the caller looks at it */
    pack(g, l->n, &n_spans, &n_steps);
    const int code = g->calls->go(g->chains, g->list, l->n, g->spans, n_spans, n_steps, g->w, g->v,
                                  g->scale, g->outcomes, g->judged, err);
    if (!code) kl_pool_for(pool, l->n, take, l);
    return code;
}

int kl_sampling_gpu_round(struct kl_sampling_run *run, struct kl_sampling_chain **chains, size_t n,
                          struct kl_pool *pool, struct kl_error *err)
{
    struct kl_sampling_gpu *g = run->gpu;
    const double start = kl_clock();
    int code = KL_OK;
    for (size_t first = 0; first < n && !code; first += g->most) {
        struct launch l = { g, run, chains + first, least(g->most, n - first) };
        code = launch(&l, pool, err);
    }
    const double seconds = kl_clock() - start;
    if (seconds < SHORT * run->round_seconds) g->steps = least(2 * g->steps, g->step_room);
    else if (seconds > LONG * run->round_seconds && g->steps > 1) g->steps /= 2;
    return code;
}
