/* SPDX-License-Identifier: MIT
   A noisy circuit lowered to the program of kernels/density.h: which Pauli strings it can fill and its
   outputs see, and what the operations do to them. */
#include "circuit/lower_int.h"

#include <stdlib.h>
#include <string.h>

static void enter(uint64_t *set, size_t k)
{
    set[k / 64] |= (uint64_t)1 << k % 64;
}

struct kl_string kl_circuit_string_of(const struct kl_pauli_support *r, size_t k)
{
    return (struct kl_string){ (uint32_t)(k >> r->n_qubits), (uint32_t)k & ((1u << r->n_qubits) - 1) };
}

static size_t string_number(const struct kl_pauli_support *r, struct kl_string s)
{
    return (size_t)s.x << r->n_qubits | s.z;
}

/* The number of the string that element e maps string k to, and *sign, as of kl_circuit_element_acts. */
static size_t string_target(int *sign, const struct kl_pauli_support *r, const struct kl_element *e,
                            size_t k)
{
    struct kl_string s = kl_circuit_string_of(r, k);
    *sign = kl_circuit_element_acts(&s, e);
    return string_number(r, s);
}

/* The string with Z on the channel's qubit that gets the shift of string k; k itself: there is none. */
static size_t string_shifted(const struct kl_pauli_support *r, const struct kl_element *e, size_t k)
{
    const struct kl_string s = kl_circuit_string_of(r, k);
    if (e->kind != KL_CHANNEL || e->channel.shift == 0 || (s.x | s.z) & e->first) return k;
    return k | e->first;
}

/* `after` becomes what element e makes of `before`; or, back, `before` all that `after` is made from. */
static void pass(uint64_t *before, uint64_t *after, const struct kl_pauli_support *r,
                 const struct kl_element *e, bool back)
{
    for (size_t k = 0; k < r->n_strings; k++) {
        int sign;
        const size_t to = string_target(&sign, r, e, k), shift = string_shifted(r, e, k);
        const bool stays = e->kind != KL_CLIFFORD;
        if (!back && kl_circuit_is_in(before, k)) {
            enter(after, to), enter(after, shift);
            if (stays) enter(after, k);
        }
        if (back && (kl_circuit_is_in(after, to) || kl_circuit_is_in(after, shift) ||
                     (stays && kl_circuit_is_in(after, k))))
            enter(before, k);
    }
}

static void need(void *context, struct kl_string s, double weight)
{
    struct kl_pauli_support *r = context;
    (void)weight;
    enter(r->seen + r->all.n * r->words, string_number(r, s));
}

static void find_sets(struct kl_pauli_support *r, const struct kl_circuit *c)
{
    const size_t w = r->words;
    for (size_t k = 0; k < r->n_strings; k++) {
        const struct kl_string s = kl_circuit_string_of(r, k);
        const bool even = !(__builtin_popcount(s.x & s.z) & 1); /* Y: amplitudes given are real */
        if (c->amplitude_inputs ? even : !s.x) enter(r->filled, k);
    }
    for (size_t o = 0; o < c->n_obs; o++) kl_circuit_output_terms(c, o, need, r);
    for (size_t i = 0; i < r->all.n; i++)
        pass(r->filled + i * w, r->filled + (i + 1) * w, r, &r->all.element[i], false);
    for (size_t i = r->all.n; i-- > 0;)
        pass(r->seen + i * w, r->seen + (i + 1) * w, r, &r->all.element[i], true);
}

static bool same_level(const struct kl_pauli_support *r, size_t i, size_t j)
{
    const struct kl_element *a = &r->all.element[i], *b = &r->all.element[j];
    return b->kind == KL_ROTATION && a->level == b->level;
}

/* Derivatives are taken where the level begins, as if each rotation came first: so what is filled behind
   all of the level's rotations counts, and what is seen from before them. */
static size_t reach_pairs(struct kl_density_pair *pairs, const struct kl_pauli_support *r, size_t i)
{
    size_t n = 0, begin = i, end = i + 1;
    while (begin > 0 && same_level(r, i, begin - 1)) begin--;
    while (end < r->all.n && same_level(r, i, end)) end++;
    const uint64_t *filled = r->filled + end * r->words, *seen = r->seen + begin * r->words;
    for (size_t k = 0; k < r->n_strings; k++) {
        int sign;
        const size_t other = string_target(&sign, r, &r->all.element[i], k);
        if (sign == 1 && (kl_circuit_is_in(filled, k) || kl_circuit_is_in(filled, other)) &&
            (kl_circuit_is_in(seen, k) || kl_circuit_is_in(seen, other)))
            pairs[n++] = (struct kl_density_pair){ (uint32_t)k, (uint32_t)other };
    }
    return n;
}

/* Strings that are filled and seen at some time, and both of each pair, because the derivative needs
 * them. */
static void find_live(struct kl_pauli_support *r, struct kl_density_pair *pairs)
{
    for (size_t i = 0; i < (r->all.n + 1) * r->words; i++)
        r->live[i % r->words] |= r->filled[i] & r->seen[i];
    for (size_t i = 0; i < r->all.n; i++) {
        const size_t n = r->all.element[i].kind == KL_ROTATION ? reach_pairs(pairs, r, i) : 0;
        for (size_t k = 0; k < n; k++) enter(r->live, pairs[k].to), enter(r->live, pairs[k].from);
    }
}

static int reach_make(struct kl_pauli_support *r, const struct kl_circuit *c, struct kl_error *err)
{
    r->n_qubits = c->n_qubits;
    r->n_strings = (size_t)1 << 2 * c->n_qubits;
    r->words = (r->n_strings + 63) / 64;
    const size_t sets = (r->all.n + 1) * r->words, words = 2 * sets + r->words;
    struct kl_density_pair *pairs = calloc(r->n_strings, sizeof *pairs);
    r->filled = calloc(words, sizeof *r->filled);
    if (!pairs || !r->filled) {
        free(pairs);
        return kl_fail_memory(err, words * sizeof *r->filled);
    }
    r->seen = r->filled + sets;
    r->live = r->seen + sets;
    find_sets(r, c);
    find_live(r, pairs);
    free(pairs);
    return KL_OK;
}

/* r->all is set, and is reach_free's to free. KL_ENOMEM. */
static void reach_free(struct kl_pauli_support *r)
{
    free(r->all.element);
    free(r->filled);
}

/* ---- density ----
   A noisy circuit lowered to the program of kernels/density.h. Strings that are 0 when an operation
   comes, or that no output sees any more, take no part in it; the others get places in the kernels'
   states. */

struct lowering {
    struct kl_pauli_support r;
    uint32_t *place;            /* (n_strings) */
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
    for (size_t k = 0; k < l->r.n_strings; k++) l->from[k] = (uint32_t)k, l->scale[k] = 1;
}

/* The map collected so far, followed by element e. */
static void extend_map(struct lowering *l, const struct kl_element *e)
{
    uint32_t *from = l->next_from;
    double *scale = l->next_scale;
    for (size_t k = 0; k < l->r.n_strings; k++) {
        int sign;
        const size_t to = string_target(&sign, &l->r, e, k);
        from[to] = l->from[k];
        scale[to] = sign * kl_circuit_channel_factor(e, kl_circuit_string_of(&l->r, k)) * l->scale[k];
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
    for (size_t k = 0; k < l->r.n_strings; k++) identity &= l->from[k] == k && l->scale[k] == 1;
    if (identity) return KL_OK;
    uint32_t *from = kl_arena_take(l->memory, n + 1, sizeof *from),
             *back = kl_arena_take(l->memory, n + 1, sizeof *back);
    double *scale = kl_arena_take(l->memory, n + 1, sizeof *scale),
           *back_scale = kl_arena_take(l->memory, n + 1, sizeof *scale);
    if (!from || !back || !scale || !back_scale) return kl_fail_memory(l->err, 4 * bytes);
    for (size_t i = 0; i < n; i++) from[i] = back[i] = 0, scale[i] = back_scale[i] = 0;
    for (size_t k = 0; k < l->r.n_strings; k++) {
        if (!kl_circuit_is_in(l->r.live, k) || !kl_circuit_is_in(l->r.live, l->from[k])) continue;
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
    for (size_t k = 0; k < l->r.n_strings; k++) {
        const size_t to = string_shifted(&l->r, e, k);
        if (to != k && kl_circuit_is_in(l->r.live, k) && kl_circuit_is_in(l->r.live, to))
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
   with what acts on other qubits; but a gate there may make of the string that a shift adds one that
   nothing needs any more, and that has no place. */
static int put_fixed(struct lowering *l, const struct kl_element *e)
{
    bool now = l->n_waiting && e->kind == KL_CLIFFORD;
    for (size_t i = 0; i < l->n_waiting; i++)
        now = now || ((e->first | e->second) & l->waiting[i]->first) != 0;
    int code = now ? flush(l) : KL_OK;
    if (code) return code;
    extend_map(l, e);
    if (e->kind == KL_CHANNEL && e->channel.shift != 0) l->waiting[l->n_waiting++] = e;
    return KL_OK;
}

static int put_elements(struct lowering *l)
{
    int code = KL_OK, level = -1;
    clear_map(l);
    for (size_t i = 0; i < l->r.all.n && !code; i++) {
        const struct kl_element *e = &l->r.all.element[i];
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
        if (!code) code = put_pairs(l, op, reach_pairs(l->pairs, &l->r, i));
    }
    return code ? code : flush(l);
}

static int find_places(struct lowering *l)
{
    struct kl_density_program *p = l->p;
    uint32_t *x = kl_arena_take(l->memory, l->r.n_strings, sizeof *x),
             *z = kl_arena_take(l->memory, l->r.n_strings, sizeof *z),
             *start = kl_arena_take(l->memory, l->r.n_strings, sizeof *start);
    if (!x || !z || !start) return kl_fail_memory(l->err, 3 * l->r.n_strings * sizeof *x);
    for (size_t k = 0; k < l->r.n_strings; k++) {
        if (!kl_circuit_is_in(l->r.live, k)) continue;
        const uint32_t place = l->place[k] = (uint32_t)p->n_coefficients++;
        x[place] = kl_circuit_string_of(&l->r, k).x, z[place] = kl_circuit_string_of(&l->r, k).z;
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
    const size_t k = string_number(&t->l->r, s);
    if (!kl_circuit_is_in(t->l->r.live, k)) return; /* it is 0 */
    if (t->term) t->term[t->n] = (struct kl_density_term){ t->l->place[k], weight };
    t->n++;
}

static int put_outputs(struct lowering *l, const struct kl_circuit *c)
{
    struct terms t = { .l = l };
    for (size_t o = 0; o < c->n_obs; o++) kl_circuit_output_terms(c, o, add_term, &t);
    size_t *first = kl_arena_take(l->memory, c->n_obs + 1, sizeof *first);
    t.term = kl_arena_take(l->memory, t.n + 1, sizeof *t.term);
    if (!first || !t.term) return kl_fail_memory(l->err, (t.n + 1) * sizeof *t.term);
    t.n = first[0] = 0;
    for (size_t o = 0; o < c->n_obs; o++) {
        kl_circuit_output_terms(c, o, add_term, &t);
        first[o + 1] = t.n;
    }
    l->p->first = first;
    l->p->term = t.term;
    return KL_OK;
}

static int take(struct lowering *l, struct kl_error *err)
{
    const size_t n = l->r.n_strings, ops = 2 * l->r.all.n + l->r.all.n_levels + 2;
    l->place = calloc(n, sizeof *l->place);
    l->from = calloc(n, sizeof *l->from);
    l->next_from = calloc(n, sizeof *l->from);
    l->scale = calloc(n, sizeof *l->scale);
    l->next_scale = calloc(n, sizeof *l->scale);
    l->pairs = calloc(n, sizeof *l->pairs);
    l->ops = kl_arena_take(l->memory, ops, sizeof *l->ops);
    return l->place && l->from && l->next_from && l->scale && l->next_scale && l->pairs && l->ops
               ? KL_OK
               : kl_fail_memory(err, n * sizeof *l->scale);
}

int kl_circuit_density(struct kl_circuit_plan *plan, const struct kl_circuit *c, struct kl_error *err)
{
    struct lowering l = { .memory = &plan->memory, .err = err };
    l.p = plan->density = kl_arena_take(&plan->memory, 1, sizeof *plan->density);
    if (!l.p) return kl_fail_memory(err, sizeof *l.p);
    *l.p = (struct kl_density_program){ .n_qubits = c->n_qubits,
                                        .n_obs = c->n_obs,
                                        .from_given = c->amplitude_inputs };
    int code = kl_circuit_elements_make(&l.r.all, plan, c, err);
    if (!code) code = reach_make(&l.r, c, err);
    if (!code) code = take(&l, err);
    if (!code) code = find_places(&l);
    if (!code) code = put_elements(&l);
    if (!code) code = put_outputs(&l, c);
    l.p->ops = l.ops;
    l.p->n_ops = l.n_ops;
    reach_free(&l.r);
    free(l.place);
    free(l.from);
    free(l.next_from);
    free(l.scale);
    free(l.next_scale);
    free(l.pairs);
    return code;
}
