/* SPDX-License-Identifier: MIT
   Chains of networks of dense layers on the GPU: their memory; the order in which all of them go on,
   tick by tick; the launches of a tick. */
#include <stdlib.h>

#include "kernels/cuda/layers_step.cuh"
#include "kernels/cuda/library.h"

/* ORDER: permutations; KNOW: gradients that proposals begin from; STEP; DRAW: from the
   prior; JUDGE: of a set. */
enum kind { ORDER, KNOW, STEP, DRAW, JUDGE };
struct tick {
    enum kind kind;
    int32_t most; /* records of a chain */
};
/* How far a chain is. */
struct cursor {
    int32_t span, done; /* of its own spans; steps of that one */
    bool judged, known;
    int64_t ordered; /* the epoch whose order stands there */
    uint64_t outcome;
};
struct layers {
    struct kl_layers_job job;
    size_t n;      /* chains of this go */
    int32_t steps; /* of an epoch */
    const struct kl_cuda_chain *list;
    const struct kl_cuda_chain_span *spans;
    struct cursor *cursors;
    bool *known;          /* (chains of all goes) whose gradients stand there since the go before */
    size_t *turn, n_turn; /* those who do the same next */
    struct tick *ticks;
    struct kl_layers_now *now, *on_gpu; /* (ticks, n); its copy, for which there is `room` */
    size_t room;
    size_t n_ticks;
    bool counting;
    struct kl_cuda_pieces pieces;
};
static struct layers *of(struct kl_cuda_chains *chains)
{
    return (struct layers *)(void *)chains;
}

static bool accepts(const struct kl_cuda_chains_shape *shape)
{
    return shape->sampler == KL_CUDA_MALA || shape->sampler == KL_CUDA_HMC;
}

/* ---- memory ---- */

template <class T>
static int keep(struct layers *s, T **to, size_t n, const void *from, struct kl_error *err)
{
    return kl_cuda_keep(&s->pieces, to, from, n, from ? "records" : "chains", err);
}

static void lay_out(struct layers *s)
{
    struct kl_layers_job *job = &s->job;
    const struct kl_cuda_chains_shape *shape = &job->shape;
    int32_t at = 0;
    job->n_layers = shape->n_layers;
    for (int l = 0; l <= job->n_layers; l++) job->width[l] = shape->width[l];
    for (int l = 0; l < job->n_layers; l++) {
        job->weights[l] = at, at += job->width[l] * job->width[l + 1];
        job->biases[l] = at, at += job->width[l + 1];
    }
    job->size = at, job->blocks = (at + KL_LAYERS_WEIGHTS - 1) / KL_LAYERS_WEIGHTS;
    s->steps = (int32_t)((shape->n[0] + shape->batch - 1) / shape->batch);
}

static int take_records(struct layers *s, struct kl_error *err)
{
    struct kl_layers_job *job = &s->job;
    const struct kl_cuda_chains_shape *shape = &job->shape;
    int code = KL_OK;
    for (int which = 0; which < 2 && !code; which++) {
        const size_t n = shape->n_sets * shape->n[which];
        code = keep(s, (float **)&job->x[which], n * (size_t)job->width[0], shape->x[which], err);
        if (!code) code = keep(s, (int32_t **)&job->label[which], n, shape->label[which], err);
    }
    return code;
}

static int take_memory(struct layers *s, struct kl_error *err)
{
    struct kl_layers_job *job = &s->job;
    const struct kl_cuda_chains_shape *shape = &job->shape;
    const size_t n = shape->chains, numbers = n * (size_t)job->size, rows = n * KL_LAYERS_ROWS;
    const bool momenta = shape->sampler != KL_CUDA_MALA && shape->sampler != KL_CUDA_SGLD;
    int code = take_records(s, err);
    if (!code) code = keep(s, &job->chains, n, NULL, err);
    if (!code) code = keep(s, (struct kl_cuda_chain_span **)&job->spans, shape->spans, NULL, err);
    if (!code) code = keep(s, &job->outcomes, shape->steps, NULL, err);
    if (!code) code = keep(s, &job->judged, shape->spans, NULL, err);
    if (!code) code = keep(s, &job->w, numbers, NULL, err);
    if (!code) code = keep(s, &job->gradient, numbers, NULL, err);
    if (!code && momenta) code = keep(s, &job->v, numbers, NULL, err);
    if (!code && accepts(shape)) code = keep(s, &job->fresh, numbers, NULL, err);
    if (!code && accepts(shape)) code = keep(s, &job->fresh_gradient, numbers, NULL, err);
    if (!code && shape->sampler == KL_CUDA_HMC) code = keep(s, &job->scale, numbers, NULL, err);
    for (int l = 0; l < job->n_layers && !code; l++) {
        code = keep(s, &job->out[l], rows * (size_t)job->width[l + 1], NULL, err);
        if (!code) code = keep(s, &job->back[l], rows * (size_t)job->width[l + 1], NULL, err);
    }
    if (!code) code = keep(s, &job->logits, rows * 2 * (size_t)job->width[job->n_layers], NULL, err);
    if (!code) code = keep(s, &job->partial, n * (size_t)job->blocks * KL_LAYERS_PARTS, NULL, err);
    if (!code) code = keep(s, &job->sums, n, NULL, err);
    if (!code) code = keep(s, &job->fresh_sums, n, NULL, err);
    if (!code && s->steps > 1) code = keep(s, &job->order, n * shape->n[0], NULL, err);
    if (!code && accepts(shape)) code = keep(s, &job->accepted, n, NULL, err);
    return code;
}

static void layers_close(struct kl_cuda_chains **chains)
{
    struct layers *s = of(*chains);
    if (!s) return;
    kl_cuda_give_pieces(&s->pieces);
    kl_cuda_give(s->on_gpu);
    free(s->known), free(s);
    *chains = NULL;
}

static int layers_open(struct kl_cuda_chains **chains, const struct kl_cuda_chains_shape *shape,
                       int device, struct kl_error *err)
{
    struct layers *s = (struct layers *)calloc(1, sizeof *s);
    *chains = (struct kl_cuda_chains *)(void *)s;
    if (!s) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *s);
    s->job.shape = *shape;
    lay_out(s);
    s->known = (bool *)calloc(shape->chains, sizeof *s->known);
    int code = s->known ? KL_OK : kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu chains", shape->chains);
    if (!code) code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = take_memory(s, err);
    if (code) layers_close(chains);
    return code;
}

/* ---- ticks ---- */

/* The next tick's row of all chains, who do nothing in it yet. While it is counted, the same one. */
static struct kl_layers_now *add_tick(struct layers *s, enum kind kind)
{
    struct kl_layers_now *now = s->now + (s->counting ? 0 : s->n_ticks * s->n);
    for (size_t i = 0; i < s->n; i++) now[i] = kl_layers_now{};
    if (!s->counting) s->ticks[s->n_ticks] = tick{ kind, 0 };
    s->n_ticks++;
    return now;
}
static void add_count(struct layers *s, struct kl_layers_now *now, int32_t count)
{
    now->count = count;
    if (!s->counting && s->ticks[s->n_ticks - 1].most < count) s->ticks[s->n_ticks - 1].most = count;
}

enum want { NOTHING, STEPS, JUDGED };
static const struct kl_cuda_chain_span *span_of(const struct layers *s, size_t i)
{
    return &s->spans[s->list[i].first_span + (size_t)s->cursors[i].span];
}
static uint64_t number_of(const struct layers *s, size_t i)
{
    return span_of(s, i)->first + (uint64_t)s->cursors[i].done;
}
/* What chain i is to do next. */
static enum want wants(const struct layers *s, size_t i)
{
    struct cursor *c = &s->cursors[i];
    for (; c->span < s->list[i].n_spans; c->span++, c->done = 0, c->judged = false) {
        if (c->done < span_of(s, i)->count) return STEPS;
        if (span_of(s, i)->judge && !c->judged) return JUDGED;
    }
    return NOTHING;
}

/* Permutations for those of the turn whose order is of another epoch. */
static void add_orders(struct layers *s, enum want want)
{
    struct kl_layers_now *now = NULL;
    for (size_t k = 0; k < s->n_turn && s->steps > 1; k++) {
        const size_t i = s->turn[k];
        const int64_t epoch = (int64_t)(number_of(s, i) / (uint64_t)s->steps);
        if (want == JUDGED && !(span_of(s, i)->judge & KL_CUDA_JUDGE_FIRST)) continue;
        if (s->cursors[i].ordered == epoch) continue;
        if (!now) now = add_tick(s, ORDER);
        now[i].ordered = 1, now[i].number = (uint64_t)epoch, s->cursors[i].ordered = epoch;
    }
}

/* A tick of those of the turn whose judge has these bits; test: which records, below 0: none. */
static void add_judged(struct layers *s, enum kind kind, int bits, int test)
{
    const struct kl_cuda_chains_shape *shape = &s->job.shape;
    struct kl_layers_now *now = NULL;
    for (size_t k = 0; k < s->n_turn; k++) {
        const size_t i = s->turn[k];
        const int32_t judge = span_of(s, i)->judge;
        if (!(judge & bits)) continue;
        if (!now) now = add_tick(s, kind);
        const bool first = judge & KL_CUDA_JUDGE_FIRST;
        const size_t n = test < 0 ? 1 : shape->n[test], some = (size_t)(test + 1) * shape->batch;
        now[i].span = (int32_t)(s->list[i].first_span + (size_t)s->cursors[i].span);
        now[i].number = number_of(s, i) / (uint64_t)s->steps;
        now[i].test = test > 0, now[i].ordered = first && test == 0, now[i].aside = 1;
        add_count(s, &now[i], (int32_t)(first && test >= 0 && some < n ? some : n));
    }
}

/* Gradients of states that proposals begin from, where they are not known; then a step. */
static void add_steps(struct layers *s)
{
    const struct kl_cuda_chains_shape *shape = &s->job.shape;
    struct kl_layers_now *now = NULL;
    for (size_t k = 0; k < s->n_turn && accepts(shape); k++) {
        struct cursor *c = &s->cursors[s->turn[k]];
        if (c->known) continue;
        if (!now) now = add_tick(s, KNOW);
        add_count(s, &now[s->turn[k]], (int32_t)shape->n[0]), c->known = true;
    }
    now = add_tick(s, STEP);
    for (size_t k = 0; k < s->n_turn; k++) {
        const size_t i = s->turn[k];
        struct cursor *c = &s->cursors[i];
        const size_t first = (size_t)(number_of(s, i) % (uint64_t)s->steps) * shape->batch,
                     left = shape->n[0] - first;
        now[i].span = (int32_t)(s->list[i].first_span + (size_t)c->span);
        now[i].first = (int32_t)first, now[i].ordered = s->steps > 1;
        now[i].fresh = now[i].aside = accepts(shape);
        now[i].number = number_of(s, i), now[i].outcome = c->outcome++;
        add_count(s, &now[i], (int32_t)(left < shape->batch ? left : shape->batch));
        c->done++;
    }
}

/* All ticks of a go: those who are to be judged first, then a step of all others. */
static void plan(struct layers *s)
{
    s->n_ticks = 0;
    for (size_t i = 0; i < s->n; i++)
        s->cursors[i] = cursor{ 0, 0, false, s->list[i].same && s->known[i], -1, s->list[i].first_step };
    for (;;) {
        enum want want = NOTHING;
        for (size_t i = 0; i < s->n; i++)
            if (wants(s, i) > want) want = wants(s, i);
        s->n_turn = 0;
        for (size_t i = 0; i < s->n && want; i++)
            if (wants(s, i) == want) s->turn[s->n_turn++] = i;
        if (!want) return;
        add_orders(s, want);
        if (want == STEPS) {
            add_steps(s);
            continue;
        }
        add_judged(s, DRAW, KL_CUDA_PRIOR, -1);
        add_judged(s, JUDGE, KL_CUDA_JUDGE_TRAIN, 0);
        add_judged(s, JUDGE, KL_CUDA_JUDGE_TEST, 1);
        for (size_t k = 0; k < s->n_turn; k++) s->cursors[s->turn[k]].judged = true;
    }
}

/* ---- launches ---- */

static int launch(void (*kernel)(struct kl_layers_call), dim3 grid, int threads,
                  struct kl_layers_call *call, struct kl_error *err)
{
    void *arguments[] = { call };
    return kl_cuda_check(
        cudaLaunchKernel(kernel, grid, dim3((unsigned)threads), arguments, KL_PRODUCT_SHARED, NULL),
        "sampling", err);
}
static unsigned tiles(int n)
{
    return (unsigned)((n + KL_PRODUCT_TILE - 1) / KL_PRODUCT_TILE);
}

/* A slice back through all layers. */
static int run_back(struct layers *s, struct kl_layers_call *call, unsigned rows, struct kl_error *err)
{
    const int32_t *width = s->job.width;
    const unsigned n = (unsigned)s->n;
    int code = KL_OK;
    for (int l = s->job.n_layers - 1; l >= 0 && !code; l--) {
        call->layer = l;
        code = launch(kl_layers_weights, dim3(tiles(width[l] + 1), tiles(width[l + 1]), n),
                      KL_LAYERS_THREADS, call, err);
        if (!code && l > 0)
            code =
                launch(kl_layers_inputs, dim3(tiles(width[l]), rows, n), KL_LAYERS_THREADS, call, err);
    }
    return code;
}

/* A pass over records, slice by slice; and back. */
static int run_pass(struct layers *s, struct kl_layers_call *call, int32_t most, bool back,
                    struct kl_error *err)
{
    int code = KL_OK;
    for (call->slice = 0; call->slice * KL_LAYERS_ROWS < most && !code; call->slice++) {
        const int left = most - call->slice * KL_LAYERS_ROWS;
        const unsigned rows = tiles(left < KL_LAYERS_ROWS ? left : KL_LAYERS_ROWS), n = (unsigned)s->n;
        for (int l = 0; l < s->job.n_layers && !code; l++) {
            call->layer = l;
            code = launch(kl_layers_forward, dim3(tiles(s->job.width[l + 1]), rows, n),
                          KL_LAYERS_THREADS, call, err);
        }
        if (!code) code = launch(kl_layers_losses, dim3(n), KL_LAYERS_ROWS, call, err);
        if (!code && back) code = run_back(s, call, rows, err);
    }
    return code;
}

/* From a state to the proposal, whose gradient and sums are then known. */
static int run_proposal(struct layers *s, struct kl_layers_call *call, int32_t most,
                        struct kl_error *err)
{
    const bool hmc = s->job.shape.sampler == KL_CUDA_HMC;
    const dim3 weights((unsigned)s->job.blocks, (unsigned)s->n);
    int code = launch(hmc ? kl_layers_throw : kl_layers_propose, weights, KL_LAYERS_THREADS, call, err);
    if (!hmc) return code ? code : run_pass(s, call, most, true, err);
    for (int i = 0; i <= s->job.shape.leapfrogs && !code; i++) {
        call->layer = i;
        code = launch(kl_layers_leap, weights, KL_LAYERS_THREADS, call, err);
        if (!code && i < s->job.shape.leapfrogs) code = run_pass(s, call, most, true, err);
    }
    return code;
}

static int run_step(struct layers *s, struct kl_layers_call *call, int32_t most, struct kl_error *err)
{
    const int32_t sampler = s->job.shape.sampler;
    const bool takes = accepts(&s->job.shape), sgnht = sampler == KL_CUDA_SGNHT,
               momenta = sgnht || sampler == KL_CUDA_SGHMC;
    const dim3 weights((unsigned)s->job.blocks, (unsigned)s->n), chains((unsigned)s->n);
    int code = takes ? run_proposal(s, call, most, err) : run_pass(s, call, most, true, err);
    if (!code)
        code = launch(takes     ? kl_layers_weigh
                      : momenta ? kl_layers_kick
                                : kl_layers_euler,
                      weights, KL_LAYERS_THREADS, call, err);
    if (!code && sgnht) code = launch(kl_layers_heat, chains, KL_LAYERS_THREADS, call, err);
    if (!code && momenta) code = launch(kl_layers_rest, weights, KL_LAYERS_THREADS, call, err);
    if (!code && sgnht) code = launch(kl_layers_heat, chains, KL_LAYERS_THREADS, call, err);
    if (!code) code = launch(kl_layers_tell, chains, KL_LAYERS_THREADS, call, err);
    if (!code && takes) code = launch(kl_layers_take, weights, KL_LAYERS_THREADS, call, err);
    return code;
}

static int run_tick(struct layers *s, const struct tick *t, struct kl_layers_call *call,
                    struct kl_error *err)
{
    const dim3 weights((unsigned)s->job.blocks, (unsigned)s->n), chains((unsigned)s->n);
    int code = KL_OK;
    switch (t->kind) {
    case ORDER: return launch(kl_layers_shuffle, chains, KL_WARP, call, err);
    case KNOW: return run_pass(s, call, t->most, true, err);
    case STEP: return run_step(s, call, t->most, err);
    case DRAW: return launch(kl_layers_draw, weights, KL_LAYERS_THREADS, call, err);
    case JUDGE:
        code = run_pass(s, call, t->most, false, err);
        return code ? code : launch(kl_layers_tell_state, chains, KL_LAYERS_THREADS, call, err);
    }
    return KL_EINTERNAL;
}

/* ---- a go ---- */

static int send_plan(struct layers *s, struct kl_error *err)
{
    const size_t n = s->n_ticks * s->n;
    if (n > s->room) {
        kl_cuda_give(s->on_gpu);
        s->room = 0, s->on_gpu = NULL;
        const int code = kl_cuda_take((void **)&s->on_gpu, 2 * n, sizeof *s->on_gpu, "chains", err);
        if (code) return code;
        s->room = 2 * n;
    }
    return kl_cuda_send(s->on_gpu, s->now, n, err);
}

/* What is planned: counted, then written, and sent. */
static int make_plan(struct layers *s, struct kl_error *err)
{
    s->cursors = (struct cursor *)calloc(s->n, sizeof *s->cursors);
    s->turn = (size_t *)calloc(s->n, sizeof *s->turn);
    s->now = (struct kl_layers_now *)calloc(s->n, sizeof *s->now);
    if (!s->cursors || !s->turn || !s->now)
        return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu chains", s->n);
    s->counting = true, plan(s);
    free(s->now);
    s->now = (struct kl_layers_now *)calloc(s->n_ticks * s->n, sizeof *s->now);
    s->ticks = (struct tick *)calloc(s->n_ticks, sizeof *s->ticks);
    if (!s->now || !s->ticks) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu steps", s->n_ticks);
    s->counting = false, plan(s);
    return send_plan(s, err);
}

static int layers_go(struct kl_cuda_chains *chains, struct kl_cuda_chain *list, size_t n,
                     const struct kl_cuda_chain_span *spans, size_t n_spans, size_t n_steps, float *w,
                     float *v, const float *scale, struct kl_cuda_chain_outcome *outcomes,
                     struct kl_cuda_chain_judged *judged, struct kl_error *err)
{
    struct layers *s = of(chains);
    struct kl_layers_job *job = &s->job;
    const size_t numbers = n * (size_t)job->size;
    if (!n) return KL_OK;
    s->n = n, s->list = list, s->spans = spans;
    int code = make_plan(s, err);
    if (!code) code = kl_cuda_send(job->chains, list, n, err);
    if (!code) code = kl_cuda_send((struct kl_cuda_chain_span *)job->spans, spans, n_spans, err);
    if (!code) code = kl_cuda_send(job->w, w, numbers, err);
    if (!code && job->v) code = kl_cuda_send(job->v, v, numbers, err);
    job->scaled = scale != NULL;
    if (!code && scale) code = kl_cuda_send(job->scale, scale, numbers, err);
    for (size_t t = 0; t < s->n_ticks && !code; t++) {
        struct kl_layers_call call = { *job, s->on_gpu + t * n, 0, 0 };
        code = run_tick(s, &s->ticks[t], &call, err);
    }
    if (!code) code = kl_cuda_fetch(list, job->chains, n, err);
    if (!code) code = kl_cuda_fetch(w, job->w, numbers, err);
    if (!code && job->v) code = kl_cuda_fetch(v, job->v, numbers, err);
    if (!code) code = kl_cuda_fetch(outcomes, job->outcomes, n_steps, err);
    if (!code) code = kl_cuda_fetch(judged, job->judged, n_spans, err);
    for (size_t i = 0; i < n; i++) s->known[i] = !code && s->cursors[i].known;
    free(s->cursors), free(s->turn), free(s->now), free(s->ticks);
    s->cursors = NULL, s->turn = NULL, s->now = NULL, s->ticks = NULL;
    return code;
}

const struct kl_cuda_chains_calls kl_cuda_layers_calls = { layers_open, layers_go, layers_close };
