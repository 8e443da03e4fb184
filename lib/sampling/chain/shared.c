/* SPDX-License-Identifier: MIT
   Chains shared between ranks: each has those of some numbers, at all temperatures, so that exchange
   stays within a rank; what is decided after a round; all states to all. */
#include "sampling/chain/chain_int.h"
#include "store/ranks.h"

int kl_sampling_run_share(struct kl_sampling_run *run, struct kl_ranks *ranks, struct kl_error *err)
{
    run->ranks = ranks;
    return kl_store_ranks_check(ranks, (size_t)run->settings.chains, "chains of a temperature", err);
}

bool kl_sampling_run_has(const struct kl_sampling_run *run, const struct kl_sampling_chain *c)
{
    size_t from, to;
    kl_store_ranks_share(run->ranks, (size_t)run->settings.chains, &from, &to);
    const size_t i = (size_t)(c->number - run->settings.first_chain);
    return i >= from && i < to;
}

int kl_sampling_run_meet(struct kl_sampling_meeting *m, const struct kl_sampling_run *run,
                         struct kl_error *err)
{
    struct kl_sampling_meeting all[KL_RANKS_MOST];
    struct kl_ranks *ranks = run->ranks;
    m->signal = kl_signals_pending();
    if (!ranks) return KL_OK;
    all[ranks->index] = *m;
    const int code = kl_store_ranks_gather(ranks, all, ranks->count, sizeof *all, err);
    if (code) return code;
    m->stops = all[0].stops;
    for (size_t i = 0; i < ranks->count; i++) {
        if (all[i].signal > m->signal) m->signal = all[i].signal;
        m->left |= all[i].left;
    }
    if (!m->signal) return KL_OK;
    m->stops = true;
    ranks->known = true;
    kl_signals_told(m->signal);
    return KL_OK;
}

/* Of one rank to all. */
static int send(const struct kl_sampling_run *run, size_t owner, void *what, size_t bytes,
                struct kl_error *err)
{
    size_t ends[KL_RANKS_MOST + 1];
    for (size_t i = 0; i <= run->ranks->count; i++) ends[i] = i <= owner ? 0 : bytes;
    return what && bytes ? kl_store_ranks_gather_bytes(run->ranks, what, ends, err) : KL_OK;
}

static int send_chain(struct kl_sampling_run *run, size_t owner, struct kl_sampling_chain *c,
                      struct kl_error *err)
{
    const size_t p = c->target->size * sizeof(float);
    float *const states[] = { c->w, c->v, c->anchor, c->scale, c->mean, c->squares };
    int code = send(run, owner, &c->at, sizeof c->at, err);
    if (!code) code = send(run, owner, &c->sum, sizeof c->sum, err);
    if (!code) code = send(run, owner, &c->tuning, sizeof c->tuning, err);
    if (!code) code = kl_sampling_chain_room(c, c->at.draws, err);
    for (size_t i = 0; i < sizeof states / sizeof *states && !code; i++)
        code = send(run, owner, states[i], p, err);
    for (int f = 0; f < KL_SAMPLING_FIELDS && !code; f++)
        code = send(run, owner, c->trace[f], (size_t)c->at.draws * sizeof(float), err);
    for (int64_t k = 0; k < c->at.kept && !code; k++) {
        code = send(run, owner, c->kept + (size_t)k * c->target->size, p, err);
        if (!code && c->likelihood)
            code = send(run, owner, c->likelihood + (size_t)k * c->target->n,
                        c->target->n * sizeof(float), err);
    }
    if (!kl_sampling_run_has(run, c)) c->anchor_known = false;
    return code;
}

int kl_sampling_run_gather(struct kl_sampling_run *run, struct kl_error *err)
{
    const size_t ranks = run->ranks ? run->ranks->count : 0, chains = (size_t)run->settings.chains;
    int code = KL_OK;
    for (size_t owner = 0; owner < ranks; owner++) {
        const struct kl_ranks one = { .index = owner, .count = ranks };
        size_t from, to;
        kl_store_ranks_share(&one, chains, &from, &to);
        for (size_t i = 0; i < run->n && !code; i++) {
            const size_t at = (size_t)(run->chains[i].number - run->settings.first_chain);
            if (at >= from && at < to) code = send_chain(run, owner, &run->chains[i], err);
        }
    }
    if (code && run->ranks) run->ranks->known = false; /* the others wait: end them */
    return code;
}
