/* SPDX-License-Identifier: MIT
   Angles of OpenQASM as sums of terms, each a constant times a weight and up to two inputs, or some of
   these; their sums and products. */
#include <string.h>

#include "circuit/qasm_int.h"

struct kl_qasm_sum kl_circuit_qasm_constant(double value)
{
    return (struct kl_qasm_sum){ .terms = { { KL_CONSTANT, 0, -1, value, -1 } }, .n = 1 };
}

bool kl_circuit_qasm_is_constant(const struct kl_qasm_sum *s)
{
    return s->n == 1 && s->terms[0].source == KL_CONSTANT;
}

static void append(struct kl_qasm_reader *r, struct kl_qasm_sum *s, const struct kl_qasm_term *t)
{
    if (s->n < KL_QASM_TERMS) s->terms[s->n++] = *t;
    else kl_circuit_qasm_fail(r, r->at, "an angle of more than %d terms", KL_QASM_TERMS);
}

void kl_circuit_qasm_add(struct kl_qasm_reader *r, struct kl_qasm_sum *a, const struct kl_qasm_sum *b,
                         double sign)
{
    a->whole = a->whole && b->whole;
    for (int i = 0; i < b->n; i++) {
        struct kl_qasm_term t = b->terms[i];
        t.scale *= sign;
        if (t.source == KL_CONSTANT && a->terms[0].source == KL_CONSTANT) a->terms[0].scale += t.scale;
        else append(r, a, &t);
    }
}

/* a *= b: at most one weight and two inputs. */
static bool multiply(struct kl_qasm_term *a, const struct kl_qasm_term *b)
{
    if (a->source == KL_CONSTANT || b->source == KL_CONSTANT) {
        const double scale = a->scale * b->scale;
        if (a->source == KL_CONSTANT) *a = *b;
        a->scale = scale;
        return true;
    }
    struct kl_qasm_term inputs = a->source == KL_INPUT ? *a : *b;
    const struct kl_qasm_term *other = a->source == KL_INPUT ? b : a;
    if (inputs.source != KL_INPUT) return false;
    inputs.scale = a->scale * b->scale;
    if (other->source == KL_WEIGHT && inputs.factor < 0) inputs.factor = other->index;
    else if (other->source != KL_INPUT || inputs.index2 >= 0 || other->index2 >= 0 ||
             (inputs.factor >= 0 && other->factor >= 0))
        return false;
    else {
        inputs.index2 = other->index;
        if (inputs.factor < 0) inputs.factor = other->factor;
    }
    *a = inputs;
    return true;
}

/* Of the same weight and inputs, in either order. */
static bool is_like(const struct kl_qasm_term *a, const struct kl_qasm_term *b)
{
    if (a->source != b->source || a->source == KL_CONSTANT) return a->source == b->source;
    if (a->source == KL_WEIGHT) return a->index == b->index;
    return a->factor == b->factor && ((a->index == b->index && a->index2 == b->index2) ||
                                      (a->index == b->index2 && a->index2 == b->index));
}

/* Each term with each: like ones are one. */
static struct kl_qasm_sum expand(struct kl_qasm_reader *r, const struct kl_qasm_sum *a,
                                 const struct kl_qasm_sum *b)
{
    struct kl_qasm_sum s = { .n = 0 };
    for (int i = 0; i < a->n * b->n && !r->code; i++) {
        struct kl_qasm_term t = a->terms[i / b->n];
        int like = 0;
        if (!multiply(&t, &b->terms[i % b->n]))
            kl_circuit_qasm_fail(
                r, r->at,
                "a product of more than two inputs or of two weights: an angle is a sum of "
                "numbers times a weight times one or two inputs, or a part of these");
        while (like < s.n && !is_like(&s.terms[like], &t)) like++;
        if (like < s.n) s.terms[like].scale += t.scale;
        else append(r, &s, &t);
    }
    return s.n ? s : kl_circuit_qasm_constant(0);
}

struct kl_qasm_sum kl_circuit_qasm_product(struct kl_qasm_reader *r, const struct kl_qasm_sum *a,
                                           const struct kl_qasm_sum *b)
{
    struct kl_qasm_sum s = kl_circuit_qasm_is_constant(a)   ? *b
                           : kl_circuit_qasm_is_constant(b) ? *a
                                                            : expand(r, a, b);
    const struct kl_qasm_sum *constant = kl_circuit_qasm_is_constant(a)   ? a
                                         : kl_circuit_qasm_is_constant(b) ? b
                                                                          : NULL;
    for (int i = 0; i < s.n && constant; i++) s.terms[i].scale *= constant->terms[0].scale;
    s.whole = a->whole && b->whole;
    return s;
}
