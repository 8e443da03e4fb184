/* SPDX-License-Identifier: MIT
   An angle of OpenQASM: a sum of terms, each a constant times a weight and up to two inputs, or some of
   these.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/qasm_int.h"

struct kl_qasm_sum kl_circuit_qasm_constant(double value)
{
    return (struct kl_qasm_sum){ .terms = { { KL_CONSTANT, 0, -1, value, -1 } }, .n = 1 };
}

static bool is_constant(const struct kl_qasm_sum *s)
{
    return s->n == 1 && s->terms[0].source == KL_CONSTANT;
}

/* A number as it is written, up to *end: whole without a point and an exponent. */
static struct kl_qasm_sum number(const char *text, char **end)
{
    struct kl_qasm_sum s = kl_circuit_qasm_constant(strtod(text, end));
    const size_t n = (size_t)(*end - text), digits = strspn(text, "0123456789");
    s.whole = digits == n || (digits == 1 && tolower((unsigned char)text[1]) == 'x');
    return s;
}

/* a *= b: at most one weight and two inputs. */
static bool multiply(struct kl_qasm_term *a, const struct kl_qasm_term *b)
{
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

static struct kl_qasm_sum product(struct kl_qasm_reader *r, struct kl_qasm_sum a,
                                  const struct kl_qasm_sum *b)
{
    if (is_constant(&a)) {
        struct kl_qasm_sum swapped = *b;
        swapped.whole = a.whole && b->whole;
        for (int i = 0; i < swapped.n; i++) swapped.terms[i].scale *= a.terms[0].scale;
        return swapped;
    }
    if (is_constant(b)) {
        for (int i = 0; i < a.n; i++) a.terms[i].scale *= b->terms[0].scale;
        return a;
    }
    if (a.n > 1 || b->n > 1 || !multiply(&a.terms[0], &b->terms[0]))
        kl_circuit_qasm_fail(
            r, r->at, "a product of parameters that is not weight * input * input, or a part of it");
    return a;
}

static struct kl_qasm_sum parameter(struct kl_qasm_reader *r, const char *text)
{
    const struct kl_qasm_name *n = kl_circuit_qasm_find(r, text);
    int index = 0;
    if (!n) {
        if (kl_circuit_qasm_take(r, '('))
            kl_circuit_qasm_fail(
                r, r->token,
                "'%s' is a function: angles are sums of numbers, parameters and their products", text);
        kl_circuit_qasm_fail(r, r->token, "'%s' is no parameter", text);
        return kl_circuit_qasm_constant(0);
    }
    if (n->count) {
        if (!kl_circuit_qasm_take(r, '['))
            kl_circuit_qasm_fail(r, r->token, "'%s' is an array of %d values: name one, as %s[0]", text,
                                 n->count, text);
        index = kl_circuit_qasm_number(r, n->count - 1);
        kl_circuit_qasm_expect(r, ']');
    }
    return (struct kl_qasm_sum){ .terms = { { n->source, n->first + index, -1, 1, -1 } }, .n = 1 };
}

static struct kl_qasm_sum factor(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD], *end;
    if (r->depth > KL_QASM_DEPTH)
        kl_circuit_qasm_fail(r, r->at, "more than %d parentheses and signs within each other",
                             KL_QASM_DEPTH);
    if (r->code) return kl_circuit_qasm_constant(0);
    r->depth++;
    struct kl_qasm_sum s;
    if (kl_circuit_qasm_take(r, '-')) {
        s = factor(r);
        for (int i = 0; i < s.n; i++) s.terms[i].scale *= -1;
    } else if (kl_circuit_qasm_take(r, '(')) {
        s = kl_circuit_qasm_angle(r);
        kl_circuit_qasm_expect(r, ')');
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        s = number(r->at, &end);
        if (!isfinite(s.terms[0].scale)) kl_circuit_qasm_fail(r, r->at, "a number too large");
        r->at = end;
    } else {
        kl_circuit_qasm_word(r, text);
        if (!text[0]) kl_circuit_qasm_unexpected(r, "an angle");
        s = strcmp(text, "pi") == 0    ? kl_circuit_qasm_constant(M_PI)
            : strcmp(text, "tau") == 0 ? kl_circuit_qasm_constant(2 * M_PI)
                                       : parameter(r, text);
    }
    r->depth--;
    return s;
}

static struct kl_qasm_sum product_chain(struct kl_qasm_reader *r)
{
    struct kl_qasm_sum s = factor(r);
    while (!r->code) {
        if (kl_circuit_qasm_take(r, '*')) {
            struct kl_qasm_sum next = factor(r);
            s = product(r, s, &next);
        } else if (kl_circuit_qasm_take(r, '/')) {
            struct kl_qasm_sum next = factor(r);
            if (!is_constant(&next) || next.terms[0].scale == 0)
                kl_circuit_qasm_fail(r, r->at, "division by what is no constant, or 0");
            else if (s.whole && next.whole && fmod(s.terms[0].scale, next.terms[0].scale) != 0)
                kl_circuit_qasm_fail(
                    r, r->at,
                    "%.0f / %.0f of whole numbers, which OpenQASM 3 rounds to %.0f; write "
                    "%.0f.0 / %.0f for the quotient",
                    s.terms[0].scale, next.terms[0].scale,
                    trunc(s.terms[0].scale / next.terms[0].scale) + 0.0, s.terms[0].scale,
                    next.terms[0].scale);
            next.terms[0].scale = 1 / next.terms[0].scale;
            s = product(r, s, &next);
        } else {
            return s;
        }
    }
    return s;
}

static void add(struct kl_qasm_reader *r, struct kl_qasm_sum *s, struct kl_qasm_term t)
{
    if (t.source == KL_CONSTANT && s->terms[0].source == KL_CONSTANT) s->terms[0].scale += t.scale;
    else if (s->n < KL_QASM_TERMS) s->terms[s->n++] = t;
    else kl_circuit_qasm_fail(r, r->at, "an angle of more than %d terms", KL_QASM_TERMS);
}

struct kl_qasm_sum kl_circuit_qasm_angle(struct kl_qasm_reader *r)
{
    struct kl_qasm_sum s = product_chain(r);
    while (!r->code) {
        const double sign = kl_circuit_qasm_take(r, '+') ? 1 : kl_circuit_qasm_take(r, '-') ? -1 : 0;
        if (sign == 0) break;
        const struct kl_qasm_sum next = product_chain(r);
        s.whole = s.whole && next.whole;
        for (int i = 0; i < next.n; i++) {
            struct kl_qasm_term t = next.terms[i];
            t.scale *= sign;
            add(r, &s, t);
        }
    }
    for (int i = 0; i < s.n; i++)
        if (!isfinite(s.terms[i].scale)) kl_circuit_qasm_fail(r, r->at, "a number too large");
    return s;
}
