/* SPDX-License-Identifier: MIT
   Which strings a noisy circuit can fill, and which its outputs see, before and behind each element. */
#include <stdlib.h>

#include "circuit/density_int.h"

static void enter(uint64_t *set, size_t k)
{
    set[k / 64] |= (uint64_t)1 << k % 64;
}

struct kl_string kl_circuit_string_of(const struct kl_reach *r, size_t k)
{
    return (struct kl_string){ (uint32_t)(k >> r->n_qubits), (uint32_t)k & ((1u << r->n_qubits) - 1) };
}

size_t kl_circuit_string_number(const struct kl_reach *r, struct kl_string s)
{
    return (size_t)s.x << r->n_qubits | s.z;
}

size_t kl_circuit_string_target(int *sign, const struct kl_reach *r, const struct kl_element *e,
                                size_t k)
{
    struct kl_string s = kl_circuit_string_of(r, k);
    *sign = kl_circuit_element_acts(&s, e);
    return kl_circuit_string_number(r, s);
}

size_t kl_circuit_string_shifted(const struct kl_reach *r, const struct kl_element *e, size_t k)
{
    const struct kl_string s = kl_circuit_string_of(r, k);
    if (e->kind != KL_CHANNEL || e->channel.shift == 0 || (s.x | s.z) & e->first) return k;
    return k | e->first;
}

/* `after` becomes what element e makes of `before`; or, back, `before` all that `after` is made from. */
static void pass(uint64_t *before, uint64_t *after, const struct kl_reach *r, const struct kl_element *e,
                 bool back)
{
    for (size_t k = 0; k < r->n_strings; k++) {
        int sign;
        const size_t to = kl_circuit_string_target(&sign, r, e, k),
                     shift = kl_circuit_string_shifted(r, e, k);
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
    struct kl_reach *r = context;
    (void)weight;
    enter(r->seen + r->all.n * r->words, kl_circuit_string_number(r, s));
}

static void find_sets(struct kl_reach *r, const struct kl_circuit *c)
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

static bool same_level(const struct kl_reach *r, size_t i, size_t j)
{
    const struct kl_element *a = &r->all.element[i], *b = &r->all.element[j];
    return b->kind == KL_ROTATION && a->level == b->level;
}

/* Derivatives are taken where the level begins, as if each rotation came first: so what is filled behind
   all of the level's rotations counts, and what is seen from before them. */
size_t kl_circuit_reach_pairs(struct kl_density_pair *pairs, const struct kl_reach *r, size_t i)
{
    size_t n = 0, begin = i, end = i + 1;
    while (begin > 0 && same_level(r, i, begin - 1)) begin--;
    while (end < r->all.n && same_level(r, i, end)) end++;
    const uint64_t *filled = r->filled + end * r->words, *seen = r->seen + begin * r->words;
    for (size_t k = 0; k < r->n_strings; k++) {
        int sign;
        const size_t other = kl_circuit_string_target(&sign, r, &r->all.element[i], k);
        if (sign == 1 && (kl_circuit_is_in(filled, k) || kl_circuit_is_in(filled, other)) &&
            (kl_circuit_is_in(seen, k) || kl_circuit_is_in(seen, other)))
            pairs[n++] = (struct kl_density_pair){ (uint32_t)k, (uint32_t)other };
    }
    return n;
}

/* Strings that are filled and seen at some time, and both of each pair, because the derivative needs
 * them. */
static void find_live(struct kl_reach *r, struct kl_density_pair *pairs)
{
    for (size_t i = 0; i < (r->all.n + 1) * r->words; i++)
        r->live[i % r->words] |= r->filled[i] & r->seen[i];
    for (size_t i = 0; i < r->all.n; i++) {
        const size_t n = r->all.element[i].kind == KL_ROTATION ? kl_circuit_reach_pairs(pairs, r, i) : 0;
        for (size_t k = 0; k < n; k++) enter(r->live, pairs[k].to), enter(r->live, pairs[k].from);
    }
}

int kl_circuit_reach_make(struct kl_reach *r, const struct kl_circuit *c, struct kl_error *err)
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

void kl_circuit_reach_free(struct kl_reach *r)
{
    free(r->all.element);
    free(r->filled);
}
