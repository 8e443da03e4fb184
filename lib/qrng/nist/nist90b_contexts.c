/* SPDX-License-Identifier: MIT
   Predictors that remember what followed each context: Markov models of several depths, of which the one
   that was right most often is asked, and a dictionary after Lempel and Ziv, in which the context is
   asked that was followed most often by the same symbol. */
#include "qrng/nist/contexts.h"
#include "qrng/nist/nist90b_int.h"

enum { DEPTH = 16 };

/* path[d]: the node of the last d symbols before symbol i, for d up to depth; none where it is unknown.
 */
static void walk(int64_t *path, const struct kl_contexts *c, const uint8_t *s, size_t i, int depth)
{
    path[0] = KL_CONTEXT_ROOT;
    for (int d = 1; d <= depth; d++)
        path[d] = (size_t)d <= i ? kl_context_find(c, path[d - 1], s[i - (size_t)d]) : KL_CONTEXT_NONE;
}

/* The node of the d symbols before symbol i, made with all above it where it is unknown. */
static int ensure(int64_t *path, struct kl_contexts *c, const uint8_t *s, size_t i, int d,
                  struct kl_error *err)
{
    int code = KL_OK;
    for (int e = 1; !code && e <= d; e++)
        if (path[e] == KL_CONTEXT_NONE)
            code = kl_context_make(&path[e], c, path[e - 1], s[i - (size_t)e], err);
    return code;
}

/* Symbol i is learnt by the models that have room: at most 100,000 pairs of a context and what
   followed. */
static int learn(struct kl_contexts *c, int64_t *path, size_t *pairs, const uint8_t *s, size_t i,
                 int depth, struct kl_error *err)
{
    enum { MOST = 100000 };
    int code = KL_OK;
    for (int d = 1; !code && d <= depth && (size_t)d <= i; d++) {
        const bool full = pairs[d] >= MOST;
        bool first = false;
        if (full && (path[d] == KL_CONTEXT_NONE || !kl_context_told(c, path[d], s[i]))) continue;
        if (!full) code = ensure(path, c, s, i, d, err);
        if (!code) code = kl_context_add(&first, c, path[d], s[i], err);
        pairs[d] += first;
    }
    return code;
}

static bool right(const struct kl_contexts *c, int64_t node, uint8_t symbol)
{
    return node != KL_CONTEXT_NONE && c->nodes[node].count && c->nodes[node].symbol == symbol;
}

int kl_nist90b_models(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                      struct kl_error *err)
{
    struct kl_nist90b_score score = { .winner = 0 };
    struct kl_contexts c;
    int64_t path[DEPTH + 1];
    size_t pairs[DEPTH + 1] = { 0 }, run = 0;
    const uint8_t *s = symbols->s;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    int code = kl_contexts_init(&c, symbols->k, err);
    for (size_t i = 1; !code && i < symbols->n; i++) {
        walk(path, &c, s, i, depth);
        if (i >= 2) {
            kl_nist90b_tell(p, &run, right(&c, path[score.winner + 1], s[i]));
            for (int d = 1; d <= depth; d++)
                if (right(&c, path[d], s[i])) kl_nist90b_right(&score, d - 1);
        }
        code = learn(&c, path, pairs, s, i, depth, err);
    }
    kl_contexts_free(&c);
    if (!code && p->predicted > 1) kl_nist90b_bound(p, symbols->k);
    return code;
}

/* Symbol i joins the entries of all contexts before it, the longest first; new ones while there is
   room. */
static int enter(struct kl_contexts *c, int64_t *path, size_t *entries, const uint8_t *s, size_t i,
                 int depth, struct kl_error *err)
{
    enum { MOST = 65536 };
    int code = KL_OK;
    for (int d = depth; !code && d > 0; d--) {
        const bool known = path[d] != KL_CONTEXT_NONE && c->nodes[path[d]].count;
        bool first;
        if (!known && *entries >= MOST) continue;
        *entries += !known;
        code = ensure(path, c, s, i, d, err);
        if (!code) code = kl_context_add(&first, c, path[d], s[i], err);
    }
    return code;
}

int kl_nist90b_dictionary(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                          struct kl_error *err)
{
    struct kl_contexts c;
    int64_t path[DEPTH + 1];
    size_t entries = 0, run = 0;
    const uint8_t *s = symbols->s;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    int code = kl_contexts_init(&c, symbols->k, err);
    for (size_t i = (size_t)depth; !code && i < symbols->n; i++) {
        struct kl_context best = { 0 };
        walk(path, &c, s, i, depth);
        for (int d = depth; d > 0; d--)
            if (path[d] != KL_CONTEXT_NONE && c.nodes[path[d]].count > best.count)
                best = c.nodes[path[d]];
        if (i > (size_t)depth) kl_nist90b_tell(p, &run, best.count && best.symbol == s[i]);
        code = enter(&c, path, &entries, s, i, depth, err);
    }
    kl_contexts_free(&c);
    if (!code && p->predicted > 1) kl_nist90b_bound(p, symbols->k);
    return code;
}
