/* SPDX-License-Identifier: MIT
   A noisy circuit lowered to the program of kernels/density.h. Strings that are 0 when an operation
   comes, or that no output sees any more, take no part in it; the others get places in the kernels'
   states. */
#include <stdlib.h>
#include <string.h>

#include "circuit/density_int.h"

/* A string's number is x << n | z. Sets of strings are arrays of words, one bit a string. */
struct lowering {
    struct kl_elements all;
    int n_qubits;
    size_t n_strings, words;
    uint64_t *filled,
        *seen;       /* (n + 1 sets) before element i: can it differ from 0; do outputs need it */
    uint64_t *live;  /* strings that have a place */
    uint32_t *place; /* (n_strings) */
    uint32_t *from, *next_from; /* (n_strings) the map that is being put together */
    double *scale, *next_scale;
    const struct kl_element *waiting[KL_MOST_NOISY_QUBITS]; /* shifts that come behind that map */
    size_t n_waiting;
    struct kl_density_pair *pairs; /* scratch */
    struct kl_arena *memory;
    struct kl_density_program *p;
    struct kl_density_op *ops;
    size_t n_ops;
    struct kl_error *err;
};

static bool in(const uint64_t *set, size_t k)
{
    return set[k / 64] >> k % 64 & 1;
}

static void enter(uint64_t *set, size_t k)
{
    set[k / 64] |= (uint64_t)1 << k % 64;
}

static struct kl_string string_of(const struct lowering *l, size_t k)
{
    return (struct kl_string){ (uint32_t)(k >> l->n_qubits), (uint32_t)k & ((1u << l->n_qubits) - 1) };
}

static size_t number_of(const struct lowering *l, struct kl_string s)
{
    return (size_t)s.x << l->n_qubits | s.z;
}

/* Where element e takes string k: *sign as kl_element_acts has it. */
static size_t target_of(int *sign, const struct lowering *l, const struct kl_element *e, size_t k)
{
    struct kl_string s = string_of(l, k);
    *sign = kl_element_acts(&s, e);
    return number_of(l, s);
}

/* The string with Z on the channel's qubit that gets the shift of string k; k itself: there is none. */
static size_t shifted(const struct lowering *l, const struct kl_element *e, size_t k)
{
    const struct kl_string s = string_of(l, k);
    return e->kind == KL_CHANNEL && e->channel.shift != 0 && !((s.x | s.z) & e->first) ? k | e->first
                                                                                       : k;
}

/* `after` becomes what element e makes of `before`; or, back, `before` all that `after` is made from. */
static void pass(uint64_t *before, uint64_t *after, const struct lowering *l, const struct kl_element *e,
                 bool back)
{
    for (size_t k = 0; k < l->n_strings; k++) {
        int sign;
        const size_t to = target_of(&sign, l, e, k), shift = shifted(l, e, k);
        const bool stays = e->kind != KL_CLIFFORD;
        if (!back && in(before, k)) {
            enter(after, to), enter(after, shift);
            if (stays) enter(after, k);
        }
        if (back && (in(after, to) || in(after, shift) || (stays && in(after, k)))) enter(before, k);
    }
}

static void need(void *context, struct kl_string s, double weight)
{
    struct lowering *l = context;
    (void)weight;
    enter(l->seen + l->all.n * l->words, number_of(l, s));
}

static void find_sets(struct lowering *l, const struct kl_circuit *c)
{
    const size_t w = l->words;
    for (size_t k = 0; k < l->n_strings; k++) {
        const struct kl_string s = string_of(l, k);
        const bool even = !(__builtin_popcount(s.x & s.z) & 1); /* Y: amplitudes given are real */
        if (c->amplitude_inputs ? even : !s.x) enter(l->filled, k);
    }
    for (size_t o = 0; o < c->n_obs; o++) kl_output_terms(c, o, need, l);
    for (size_t i = 0; i < l->all.n; i++)
        pass(l->filled + i * w, l->filled + (i + 1) * w, l, &l->all.element[i], false);
    for (size_t i = l->all.n; i-- > 0;)
        pass(l->seen + i * w, l->seen + (i + 1) * w, l, &l->all.element[i], true);
    for (size_t i = 0; i < (l->all.n + 1) * w; i++) l->live[i % w] |= l->filled[i] & l->seen[i];
}

static bool same_level(const struct lowering *l, size_t i, size_t j)
{
    const struct kl_element *a = &l->all.element[i], *b = &l->all.element[j];
    return b->kind == KL_ROTATION && a->level == b->level;
}

/* The pairs of strings that rotation i mixes: from a string to what it becomes with sign +1. Derivatives
   are taken where the level begins, as if each rotation came first: so what is filled behind all of the
   level's rotations counts, and what is seen from before them. */
static size_t find_pairs(const struct lowering *l, size_t i)
{
    size_t n = 0, begin = i, end = i + 1;
    while (begin > 0 && same_level(l, i, begin - 1)) begin--;
    while (end < l->all.n && same_level(l, i, end)) end++;
    const uint64_t *filled = l->filled + end * l->words, *seen = l->seen + begin * l->words;
    for (size_t k = 0; k < l->n_strings; k++) {
        int sign;
        const size_t other = target_of(&sign, l, &l->all.element[i], k);
        if (sign == 1 && (in(filled, k) || in(filled, other)) && (in(seen, k) || in(seen, other)))
            l->pairs[n++] = (struct kl_density_pair){ (uint32_t)k, (uint32_t)other };
    }
    return n;
}

/* A copy in the plan's memory; NULL: no memory. */
static const void *keep(struct lowering *l, const void *values, size_t n, size_t size)
{
    void *copy = kl_arena_take(l->memory, n + 1, size);
    if (copy && n) memcpy(copy, values, n * size);
    return copy;
}

/* Layers repeat themselves: an equal list of an earlier operation is used again. */
static int put_pairs(struct lowering *l, struct kl_density_op op, size_t n)
{
    const size_t bytes = n * sizeof *l->pairs;
    for (size_t i = 0; i < n; i++)
        l->pairs[i].to = l->place[l->pairs[i].to], l->pairs[i].from = l->place[l->pairs[i].from];
    op.n = n;
    for (size_t i = l->n_ops; i-- > 0 && !op.pairs;)
        if (l->ops[i].pairs && l->ops[i].n == n && memcmp(l->ops[i].pairs, l->pairs, bytes) == 0)
            op.pairs = l->ops[i].pairs;
    if (!op.pairs) op.pairs = keep(l, l->pairs, n, sizeof *l->pairs);
    if (!op.pairs) return kl_fail_memory(l->err, bytes);
    l->ops[l->n_ops++] = op;
    return KL_OK;
}

static void clear_map(struct lowering *l)
{
    for (size_t k = 0; k < l->n_strings; k++) l->from[k] = (uint32_t)k, l->scale[k] = 1;
}

/* The map collected so far, followed by element e. */
static void extend_map(struct lowering *l, const struct kl_element *e)
{
    uint32_t *from = l->next_from;
    double *scale = l->next_scale;
    for (size_t k = 0; k < l->n_strings; k++) {
        int sign;
        const size_t to = target_of(&sign, l, e, k);
        from[to] = l->from[k];
        scale[to] = sign * kl_channel_factor(e, string_of(l, k)) * l->scale[k];
    }
    l->next_from = l->from, l->from = from;
    l->next_scale = l->scale, l->scale = scale;
}

/* The collected map, if it does anything, as an operation on places. Places that come from strings
   without one become 0. */
static int put_map(struct lowering *l)
{
    const size_t n = l->p->n_coefficients, bytes = n * sizeof(double);
    bool identity = true;
    for (size_t k = 0; k < l->n_strings; k++) identity &= l->from[k] == k && l->scale[k] == 1;
    if (identity) return KL_OK;
    uint32_t *from = kl_arena_take(l->memory, n + 1, sizeof *from),
             *back = kl_arena_take(l->memory, n + 1, sizeof *back);
    double *scale = kl_arena_take(l->memory, n + 1, sizeof *scale),
           *back_scale = kl_arena_take(l->memory, n + 1, sizeof *scale);
    if (!from || !back || !scale || !back_scale) return kl_fail_memory(l->err, 4 * bytes);
    for (size_t i = 0; i < n; i++) from[i] = back[i] = 0, scale[i] = back_scale[i] = 0;
    for (size_t k = 0; k < l->n_strings; k++) {
        if (!in(l->live, k) || !in(l->live, l->from[k])) continue;
        const uint32_t to = l->place[k], at = l->place[l->from[k]];
        from[to] = at, back[at] = to;
        scale[to] = back_scale[at] = l->scale[k];
    }
    l->ops[l->n_ops++] =
        (struct kl_density_op){ .kind = KL_DENSITY_MAP, .map = { from, back, scale, back_scale } };
    clear_map(l);
    return KL_OK;
}

static int put_shift(struct lowering *l, const struct kl_element *e)
{
    const struct kl_density_op op = { .kind = KL_DENSITY_SHIFT, .factor = e->channel.shift };
    size_t n = 0;
    for (size_t k = 0; k < l->n_strings; k++) {
        const size_t to = shifted(l, e, k);
        if (to != k && in(l->live, k) && in(l->live, to))
            l->pairs[n++] = (struct kl_density_pair){ (uint32_t)to, (uint32_t)k };
    }
    return put_pairs(l, op, n);
}

static int flush(struct lowering *l)
{
    int code = put_map(l);
    for (size_t i = 0; i < l->n_waiting && !code; i++) code = put_shift(l, l->waiting[i]);
    l->n_waiting = 0;
    return code;
}

/* An element that is no rotation goes into the map, its shift, if it has one, behind it. Shifts commute
   with what acts on other qubits. */
static int put_fixed(struct lowering *l, const struct kl_element *e)
{
    int code = KL_OK;
    for (size_t i = 0; i < l->n_waiting; i++)
        if ((e->first | e->second) & l->waiting[i]->first) code = flush(l);
    if (code) return code;
    extend_map(l, e);
    if (e->kind == KL_CHANNEL && e->channel.shift != 0) l->waiting[l->n_waiting++] = e;
    return KL_OK;
}

static int put_elements(struct lowering *l)
{
    int code = KL_OK, level = -1;
    clear_map(l);
    for (size_t i = 0; i < l->all.n && !code; i++) {
        const struct kl_element *e = &l->all.element[i];
        if (e->kind != KL_ROTATION) {
            code = put_fixed(l, e);
            continue;
        }
        code = flush(l);
        if (e->level != level) {
            l->ops[l->n_ops++] = (struct kl_density_op){ .kind = KL_DENSITY_KEEP };
            l->p->n_kept++;
        }
        level = e->level;
        const struct kl_density_op op = { .kind = KL_DENSITY_ROTATE, .slot = e->slot };
        if (!code) code = put_pairs(l, op, find_pairs(l, i));
    }
    return code ? code : flush(l);
}

/* Strings of pairs are live too: the derivative needs both. */
static int find_places(struct lowering *l)
{
    struct kl_density_program *p = l->p;
    for (size_t i = 0; i < l->all.n; i++) {
        const size_t n = l->all.element[i].kind == KL_ROTATION ? find_pairs(l, i) : 0;
        for (size_t k = 0; k < n; k++) enter(l->live, l->pairs[k].to), enter(l->live, l->pairs[k].from);
    }
    uint32_t *x = kl_arena_take(l->memory, l->n_strings, sizeof *x),
             *z = kl_arena_take(l->memory, l->n_strings, sizeof *z),
             *start = kl_arena_take(l->memory, l->n_strings, sizeof *start);
    if (!x || !z || !start) return kl_fail_memory(l->err, 3 * l->n_strings * sizeof *x);
    for (size_t k = 0; k < l->n_strings; k++) {
        if (!in(l->live, k)) continue;
        const uint32_t place = l->place[k] = (uint32_t)p->n_coefficients++;
        x[place] = string_of(l, k).x, z[place] = string_of(l, k).z;
        if (!p->from_given && !x[place]) start[p->n_start++] = place;
    }
    p->x = x, p->z = z, p->start = start;
    return KL_OK;
}

struct terms {
    const struct lowering *l;
    struct kl_density_term *term; /* NULL: count only */
    size_t n;
};

static void add_term(void *context, struct kl_string s, double weight)
{
    struct terms *t = context;
    const size_t k = number_of(t->l, s);
    if (!in(t->l->live, k)) return; /* it is 0 */
    if (t->term) t->term[t->n] = (struct kl_density_term){ t->l->place[k], weight };
    t->n++;
}

static int put_outputs(struct lowering *l, const struct kl_circuit *c)
{
    struct terms t = { .l = l };
    for (size_t o = 0; o < c->n_obs; o++) kl_output_terms(c, o, add_term, &t);
    size_t *first = kl_arena_take(l->memory, c->n_obs + 1, sizeof *first);
    t.term = kl_arena_take(l->memory, t.n + 1, sizeof *t.term);
    if (!first || !t.term) return kl_fail_memory(l->err, (t.n + 1) * sizeof *t.term);
    t.n = first[0] = 0;
    for (size_t o = 0; o < c->n_obs; o++) {
        kl_output_terms(c, o, add_term, &t);
        first[o + 1] = t.n;
    }
    l->p->first = first;
    l->p->term = t.term;
    return KL_OK;
}

static int take(struct lowering *l, struct kl_error *err)
{
    const size_t sets = (l->all.n + 1) * l->words, ops = 2 * l->all.n + l->all.n_levels + 2,
                 bytes = 2 * sets * sizeof *l->filled;
    l->filled = calloc(2 * sets + l->words, sizeof *l->filled);
    l->place = calloc(l->n_strings, sizeof *l->place);
    l->from = calloc(l->n_strings, sizeof *l->from);
    l->next_from = calloc(l->n_strings, sizeof *l->from);
    l->scale = calloc(l->n_strings, sizeof *l->scale);
    l->next_scale = calloc(l->n_strings, sizeof *l->scale);
    l->pairs = calloc(l->n_strings, sizeof *l->pairs);
    l->ops = kl_arena_take(l->memory, ops, sizeof *l->ops);
    if (!l->filled || !l->place || !l->from || !l->next_from || !l->scale || !l->next_scale ||
        !l->pairs || !l->ops)
        return kl_fail_memory(err, bytes);
    l->seen = l->filled + sets;
    l->live = l->seen + sets;
    return KL_OK;
}

int kl_circuit_density(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err)
{
    struct lowering l = { .n_qubits = c->n_qubits, .memory = &plan->memory, .err = err };
    l.n_strings = (size_t)1 << 2 * c->n_qubits;
    l.words = (l.n_strings + 63) / 64;
    l.p = plan->density = kl_arena_take(&plan->memory, 1, sizeof *plan->density);
    if (!l.p) return kl_fail_memory(err, sizeof *l.p);
    *l.p = (struct kl_density_program){ .n_qubits = c->n_qubits,
                                        .n_obs = c->n_obs,
                                        .from_given = c->amplitude_inputs };
    int code = kl_elements_make(&l.all, plan, c, err);
    if (!code) code = take(&l, err);
    if (!code) {
        find_sets(&l, c);
        code = find_places(&l);
    }
    if (!code) code = put_elements(&l);
    if (!code) code = put_outputs(&l, c);
    l.p->ops = l.ops;
    l.p->n_ops = l.n_ops;
    free(l.all.element);
    free(l.filled);
    free(l.place);
    free(l.from);
    free(l.next_from);
    free(l.scale);
    free(l.next_scale);
    free(l.pairs);
    return code;
}
