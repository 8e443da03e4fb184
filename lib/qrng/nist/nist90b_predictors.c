/* SPDX-License-Identifier: MIT
   SP 800-90B: estimates by predictors (sections 6.3.7 to 6.3.10): the most common of the last
   symbols, the symbol some places ago, Markov models and a dictionary. */
#include "qrng/nist/nist_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- from correct predictions to min-entropy ---- */
/* By all of them, and by the longest run of them. */

/* ln of the probability that n predictions, each correct with probability p, hold no run of r correct
   ones (Feller 1968, chapter XIII.7). */
static double no_run(double p, double r, double n)
{
    const double q = 1 - p;
    double x = 1, last = 0;
    for (int i = 0; i < 65 && x > last; i++) {
        last = x;
        x = 1 + q * pow(p, r) * pow(x, r + 1);
    }
    return log(1 - p * x) - log((r + 1 - r * x) * q) - (n + 1) * log(x);
}

/* global, local and h from the counts; k: size of the alphabet. */
static void bound(struct kl_nist90b_prediction *p, int k)
{
    const double n = (double)p->predicted, share = (double)p->correct / n, confidence = 0.99;
    double low = 0, high = 1;
    p->global = p->correct ? kl_nist_sp90b_upper(share, p->predicted) : 1 - pow(1 - confidence, 1 / n);
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        if (no_run(middle, (double)p->longest + 1, n) > log(confidence)) low = middle;
        else high = middle;
    }
    p->local = (low + high) / 2;
    p->h = fabs(log2(fmax(fmax(p->global, p->local), 1. / k)));
}

/* ---- which predictor is asked ---- */

/* The choice of the predictor that is asked next: the one that was right most often, of equals the last
   one that was right. */
struct score {
    size_t points[128];
    int winner;
};

/* One prediction more. */
static inline void tell(struct kl_nist90b_prediction *p, size_t *run, bool correct)
{
    *run = correct ? *run + 1 : 0;
    p->predicted++;
    p->correct += correct;
    if (*run > p->longest) p->longest = *run;
}

static inline void credit(struct score *score, int predictor)
{
    if (++score->points[predictor] >= score->points[score->winner]) score->winner = predictor;
}

/* ---- windows ---- */
/* The most common value of the last symbols, in four windows. */

enum { WINDOWS = 4 };

/* Counts of the last w symbols before `end`; mode: the most common, of equals the one seen last. */
struct window {
    size_t w, counts[256];
    int mode;
};

static void renew_mode(struct window *window, const size_t *last, int k)
{
    int best = 0;
    for (int v = 1; v < k; v++) {
        const size_t a = window->counts[v], b = window->counts[best];
        if (a > b || (a == b && last[v] > last[best])) best = v;
    }
    window->mode = best;
}

/* Symbol i joins. last [k]: where each symbol stood last, from 1, with this one. */
static void join(struct window *window, const uint8_t *s, size_t i, const size_t *last, int k)
{
    if (i >= window->w) {
        const int leaves = s[i - window->w];
        window->counts[leaves]--;
        if (leaves == window->mode) renew_mode(window, last, k);
    }
    if (++window->counts[s[i]] >= window->counts[window->mode]) window->mode = s[i];
}

int kl_nist_sp90b_windows(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                          const size_t w[4], struct kl_error *err)
{
    struct score score = { .winner = 0 };
    size_t last[256] = { 0 }, run = 0;
    struct window *windows = calloc(WINDOWS, sizeof *windows);
    if (!windows) return kl_fail_memory(err, WINDOWS * sizeof *windows);
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    for (int j = 0; j < WINDOWS; j++) windows[j].w = w[j];
    for (size_t i = 0; i < symbols->n; i++) {
        const int symbol = symbols->s[i];
        const int asked = score.winner;
        if (i >= w[0]) tell(p, &run, i >= w[asked] && windows[asked].mode == symbol);
        for (int j = 0; j < WINDOWS && i >= w[j]; j++)
            if (windows[j].mode == symbol) credit(&score, j);
        last[symbol] = i + 1;
        for (int j = 0; j < WINDOWS; j++) join(&windows[j], symbols->s, i, last, symbols->k);
    }
    free(windows);
    if (p->predicted > 1) bound(p, symbols->k);
    return KL_OK;
}

/* ---- lag ---- */
/* The symbol some places ago. */

void kl_nist_sp90b_lag(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int lags)
{
    struct score score = { .winner = 0 };
    const uint8_t *s = symbols->s;
    size_t run = 0;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    for (size_t i = 1; i < symbols->n; i++) {
        const size_t lag = (size_t)score.winner + 1;
        tell(p, &run, lag <= i && s[i - lag] == s[i]);
        for (int d = 0; d < lags && (size_t)d < i; d++)
            if (s[i - 1 - (size_t)d] == s[i]) credit(&score, d);
    }
    if (p->predicted > 1) bound(p, symbols->k);
}

/* ---- contexts ---- */
/* The contexts of a symbol, as nodes of a tree that is walked backwards in time, from the root by the
   last symbol, then by the one before it. Each node counts the symbols that followed. Of few symbols
   each node has its children and counts side by side. Of many most would never come: one table with open
   addressing holds both, under (node, symbol) the child, under (node, symbol | 256) the count. */
enum { ROOT = 0, NO_NODE = -1 };

/* The symbol that followed most often, of equals the largest; count 0: the context was not told any. */
struct context {
    uint32_t count;
    uint8_t symbol;
};
struct contexts {
    struct context *nodes; /* [n_nodes] */
    size_t n_nodes, room;
    /* (hidden) children and counts: of few symbols in a table [room, k], else by hashing */
    size_t k;
    struct context_next *next;
    struct context_slot *slots;
    size_t n_slots, used;
};

enum { FEW = 8 /* symbols */ };

struct context_next {
    uint32_t child; /* 0: none, since the root is no child */
    uint32_t count;
};

struct context_slot {
    uint64_t key; /* + 1; 0: free */
    uint32_t value;
};

static uint64_t key_of(int64_t node, unsigned symbol)
{
    return ((uint64_t)node << 9 | symbol) + 1;
}

/* Its slot, or the free one where it belongs. */
static struct context_slot *slot_of(const struct contexts *c, uint64_t key)
{
    uint64_t hash = key * 0x9E3779B97F4A7C15u;
    for (size_t i = hash >> 32 & (c->n_slots - 1);; i = (i + 1) & (c->n_slots - 1))
        if (c->slots[i].key == key || c->slots[i].key == 0) return &c->slots[i];
}

static int grow(struct contexts *c, struct kl_error *err)
{
    const struct contexts old = *c;
    c->n_slots *= 2;
    c->slots = calloc(c->n_slots, sizeof *c->slots);
    if (!c->slots) {
        const size_t bytes = c->n_slots * sizeof *c->slots;
        *c = old;
        return kl_fail_memory(err, bytes);
    }
    for (size_t i = 0; i < old.n_slots; i++)
        if (old.slots[i].key) *slot_of(c, old.slots[i].key) = old.slots[i];
    free(old.slots);
    return KL_OK;
}

static int take(struct context_slot **slot, struct contexts *c, uint64_t key, struct kl_error *err)
{
    const int code = 2 * c->used >= c->n_slots ? grow(c, err) : KL_OK;
    if (code) return code;
    *slot = slot_of(c, key);
    c->used += (*slot)->key == 0;
    (*slot)->key = key;
    return KL_OK;
}

static void contexts_free(struct contexts *c)
{
    free(c->slots);
    free(c->next);
    free(c->nodes);
    *c = (struct contexts){ 0 };
}

/* Of symbols below k. */
static int contexts_init(struct contexts *c, int k, struct kl_error *err)
{
    enum { SLOTS = 1 << 12, NODES = 1 << 10 };
    const bool few = k <= FEW;
    *c = (struct contexts){ .n_nodes = 1, .room = NODES, .n_slots = SLOTS, .k = (size_t)k };
    if (few) c->next = calloc(NODES * c->k, sizeof *c->next);
    else c->slots = calloc(SLOTS, sizeof *c->slots);
    c->nodes = calloc(NODES, sizeof *c->nodes);
    if ((c->slots || c->next) && c->nodes) return KL_OK;
    contexts_free(c);
    return kl_fail_memory(err, SLOTS * sizeof *c->slots);
}

/* The node behind `node` by one more symbol; NO_NODE if there is none. */
static int64_t context_find(const struct contexts *c, int64_t node, uint8_t symbol)
{
    if (node == NO_NODE) return NO_NODE;
    if (c->next) {
        const uint32_t child = c->next[(size_t)node * c->k + symbol].child;
        return child ? (int64_t)child : NO_NODE;
    }
    const struct context_slot *slot = slot_of(c, key_of(node, symbol));
    return slot->key ? (int64_t)slot->value : NO_NODE;
}

static int more_nodes(struct contexts *c, struct kl_error *err)
{
    const size_t bytes = 2 * c->room * (c->next ? c->k * sizeof *c->next : sizeof *c->nodes);
    struct context *nodes = realloc(c->nodes, 2 * c->room * sizeof *nodes);
    if (!nodes) return kl_fail_memory(err, bytes);
    c->nodes = nodes;
    if (c->next) {
        struct context_next *next = realloc(c->next, bytes);
        if (!next) return kl_fail_memory(err, bytes);
        memset(next + c->room * c->k, 0, bytes / 2);
        c->next = next;
    }
    c->room *= 2;
    return KL_OK;
}

/* The same, made if there is none. */
static int context_make(int64_t *child, struct contexts *c, int64_t node, uint8_t symbol,
                        struct kl_error *err)
{
    struct context_slot *slot;
    int code = c->n_nodes == c->room ? more_nodes(c, err) : KL_OK;
    if (!code && !c->next) code = take(&slot, c, key_of(node, symbol), err);
    if (code) return code;
    if (c->next) c->next[(size_t)node * c->k + symbol].child = (uint32_t)c->n_nodes;
    else slot->value = (uint32_t)c->n_nodes;
    c->nodes[c->n_nodes] = (struct context){ 0 };
    *child = (int64_t)c->n_nodes++;
    return KL_OK;
}

/* Did a symbol follow? */
static bool context_told(const struct contexts *c, int64_t node, uint8_t symbol)
{
    if (c->next) return c->next[(size_t)node * c->k + symbol].count != 0;
    return slot_of(c, key_of(node, symbol | 256u))->key != 0;
}

/* It does once more; *first: for the first time. */
static int context_add(bool *first, struct contexts *c, int64_t node, uint8_t symbol,
                       struct kl_error *err)
{
    struct context_slot *slot;
    const int code = c->next ? KL_OK : take(&slot, c, key_of(node, symbol | 256u), err);
    if (code) return code;
    const uint32_t count = ++*(c->next ? &c->next[(size_t)node * c->k + symbol].count : &slot->value);
    *first = count == 1;
    struct context *context = &c->nodes[node];
    if (count > context->count || (count == context->count && symbol > context->symbol))
        *context = (struct context){ count, symbol };
    return KL_OK;
}

/* ---- predictors by context ---- */
/* Predictors that remember what followed each context: Markov models of several depths, of which the one
   that was right most often is asked, and a dictionary after Lempel and Ziv, in which the context is
   asked that was followed most often by the same symbol. */

enum { DEPTH = 16 };

/* path[d]: the node of the last d symbols before symbol i, for d up to depth; none where it is unknown.
 */
static void walk(int64_t *path, const struct contexts *c, const uint8_t *s, size_t i, int depth)
{
    path[0] = ROOT;
    for (int d = 1; d <= depth; d++)
        path[d] = (size_t)d <= i ? context_find(c, path[d - 1], s[i - (size_t)d]) : NO_NODE;
}

/* The node of the d symbols before symbol i, made with all above it where it is unknown. */
static int ensure(int64_t *path, struct contexts *c, const uint8_t *s, size_t i, int d,
                  struct kl_error *err)
{
    int code = KL_OK;
    for (int e = 1; !code && e <= d; e++)
        if (path[e] == NO_NODE) code = context_make(&path[e], c, path[e - 1], s[i - (size_t)e], err);
    return code;
}

/* Symbol i is learnt by the models that have room: at most 100,000 pairs of a context and what
   followed. */
static int learn(struct contexts *c, int64_t *path, size_t *pairs, const uint8_t *s, size_t i, int depth,
                 struct kl_error *err)
{
    enum { MOST = 100000 };
    int code = KL_OK;
    for (int d = 1; !code && d <= depth && (size_t)d <= i; d++) {
        const bool full = pairs[d] >= MOST;
        bool first = false;
        if (full && (path[d] == NO_NODE || !context_told(c, path[d], s[i]))) continue;
        if (!full) code = ensure(path, c, s, i, d, err);
        if (!code) code = context_add(&first, c, path[d], s[i], err);
        pairs[d] += first;
    }
    return code;
}

static bool right(const struct contexts *c, int64_t node, uint8_t symbol)
{
    return node != NO_NODE && c->nodes[node].count && c->nodes[node].symbol == symbol;
}

int kl_nist_sp90b_models(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols, int depth,
                         struct kl_error *err)
{
    struct score score = { .winner = 0 };
    struct contexts c;
    int64_t path[DEPTH + 1];
    size_t pairs[DEPTH + 1] = { 0 }, run = 0;
    const uint8_t *s = symbols->s;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    int code = contexts_init(&c, symbols->k, err);
    for (size_t i = 1; !code && i < symbols->n; i++) {
        walk(path, &c, s, i, depth);
        if (i >= 2) {
            tell(p, &run, right(&c, path[score.winner + 1], s[i]));
            for (int d = 1; d <= depth; d++)
                if (right(&c, path[d], s[i])) credit(&score, d - 1);
        }
        code = learn(&c, path, pairs, s, i, depth, err);
    }
    contexts_free(&c);
    if (!code && p->predicted > 1) bound(p, symbols->k);
    return code;
}

/* Symbol i joins the entries of all contexts before it, the longest first; new ones while there is
   room. */
static int enter(struct contexts *c, int64_t *path, size_t *entries, const uint8_t *s, size_t i,
                 int depth, struct kl_error *err)
{
    enum { MOST = 65536 };
    int code = KL_OK;
    for (int d = depth; !code && d > 0; d--) {
        const bool known = path[d] != NO_NODE && c->nodes[path[d]].count;
        bool first;
        if (!known && *entries >= MOST) continue;
        *entries += !known;
        code = ensure(path, c, s, i, d, err);
        if (!code) code = context_add(&first, c, path[d], s[i], err);
    }
    return code;
}

int kl_nist_sp90b_dictionary(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                             int depth, struct kl_error *err)
{
    struct contexts c;
    int64_t path[DEPTH + 1];
    size_t entries = 0, run = 0;
    const uint8_t *s = symbols->s;
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    int code = contexts_init(&c, symbols->k, err);
    for (size_t i = (size_t)depth; !code && i < symbols->n; i++) {
        struct context best = { 0 };
        walk(path, &c, s, i, depth);
        for (int d = depth; d > 0; d--)
            if (path[d] != NO_NODE && c.nodes[path[d]].count > best.count) best = c.nodes[path[d]];
        if (i > (size_t)depth) tell(p, &run, best.count && best.symbol == s[i]);
        code = enter(&c, path, &entries, s, i, depth, err);
    }
    contexts_free(&c);
    if (!code && p->predicted > 1) bound(p, symbols->k);
    return code;
}
