/* SPDX-License-Identifier: MIT
   An angle of OpenQASM as it is written: numbers, names, functions of numbers, signs, parentheses and
   operators; and the sum of terms that it is. */
#include "circuit/qasm_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ----
   Angles of OpenQASM as sums of terms, each a constant times a weight and up to two inputs, or some of
   these; their sums and products. */

struct kl_qasm_sum kl_circuit_qasm_constant(double value)
{
    return (struct kl_qasm_sum){ .terms = { { KL_CONSTANT, 0, -1, value, -1 } }, .n = 1 };
}

static bool qasm_is_constant(const struct kl_qasm_sum *s)
{
    return s->n == 1 && s->terms[0].source == KL_CONSTANT;
}

static void append(struct kl_qasm_reader *r, struct kl_qasm_sum *s, const struct kl_qasm_term *t)
{
    if (s->n < KL_QASM_TERMS) s->terms[s->n++] = *t;
    else kl_circuit_qasm_fail(r, r->at, "an angle of more than %d terms", KL_QASM_TERMS);
}

static void qasm_add(struct kl_qasm_reader *r, struct kl_qasm_sum *a, const struct kl_qasm_sum *b,
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

static struct kl_qasm_sum qasm_product(struct kl_qasm_reader *r, const struct kl_qasm_sum *a,
                                       const struct kl_qasm_sum *b)
{
    struct kl_qasm_sum s = qasm_is_constant(a) ? *b : qasm_is_constant(b) ? *a : expand(r, a, b);
    const struct kl_qasm_sum *constant = qasm_is_constant(a) ? a : qasm_is_constant(b) ? b : NULL;
    for (int i = 0; i < s.n && constant; i++) s.terms[i].scale *= constant->terms[0].scale;
    s.whole = a->whole && b->whole;
    return s;
}

/* ---- angles ---- */
/* A number as it is written, up to *end: whole without a point and an exponent. */
static struct kl_qasm_sum number(const char *text, char **end)
{
    struct kl_qasm_sum s = kl_circuit_qasm_constant(strtod(text, end));
    const size_t n = (size_t)(*end - text), digits = strspn(text, "0123456789");
    s.whole = digits == n || (digits == 1 && tolower((unsigned char)text[1]) == 'x');
    return s;
}

/* ---- names ---- */
static bool known_constant(double *value, const char *text)
{
    static const struct {
        const char *name;
        double value;
    } known[] = { { "pi", M_PI },           { "\xcf\x80", M_PI }, { "tau", 2 * M_PI },
                  { "\xcf\x84", 2 * M_PI }, { "euler", M_E },     { "\xe2\x84\x87", M_E } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, text) == 0) {
            *value = known[i].value;
            return true;
        }
    return false;
}

static const struct function {
    const char *name;
    double (*of)(double);
} functions[] = { { "sin", sin },     { "cos", cos },     { "tan", tan },     { "arcsin", asin },
                  { "arccos", acos }, { "arctan", atan }, { "exp", exp },     { "log", log },
                  { "ln", log },      { "sqrt", sqrt },   { "floor", floor }, { "ceiling", ceil } };

static struct kl_qasm_sum call(struct kl_qasm_reader *r, const char *text)
{
    const char *at = r->token;
    const struct function *f = functions, *const end = functions + sizeof functions / sizeof *functions;
    while (f < end && strcmp(f->name, text) != 0) f++;
    if (f == end) kl_circuit_qasm_fail(r, at, "'%s' is no function that is read here", text);
    const struct kl_qasm_sum of = kl_circuit_qasm_angle(r);
    kl_circuit_qasm_expect(r, ')');
    if (!r->code && !qasm_is_constant(&of))
        kl_circuit_qasm_fail(r, at,
                             "'%s' of a parameter: angles are sums of numbers, parameters and their "
                             "products; give the head what it gives, or have it written as a number",
                             text);
    return kl_circuit_qasm_constant(r->code ? 0 : f->of(of.terms[0].scale));
}

static struct kl_qasm_sum parameter(struct kl_qasm_reader *r, const char *text)
{
    const struct kl_qasm_sum *local = kl_circuit_qasm_local(r, text);
    if (local) return *local;
    const struct kl_qasm_name *n = kl_circuit_qasm_find(r, text);
    int index = 0;
    if (n && n->source != KL_CONSTANT && kl_circuit_qasm_body(r)) n = NULL;
    if (!n) {
        if (kl_circuit_qasm_take(r, '(')) return call(r, text);
        kl_circuit_qasm_fail(r, r->token, "'%s' is no parameter%s", text,
                             kl_circuit_qasm_body(r) ? " of this gate" : "");
        return kl_circuit_qasm_constant(0);
    }
    if (n->source == KL_CONSTANT) {
        struct kl_qasm_sum s = kl_circuit_qasm_constant(n->value);
        s.whole = n->whole;
        return s;
    }
    if (n->count) {
        if (!kl_circuit_qasm_take(r, '['))
            kl_circuit_qasm_fail(r, r->token, "'%s' is an array of %d values: name one, as %s[0]", text,
                                 n->count, text);
        index = kl_circuit_qasm_number(r, -n->count, n->count - 1);
        if (index < 0) index += n->count;
        kl_circuit_qasm_expect(r, ']');
    }
    return (struct kl_qasm_sum){ .terms = { { n->source, n->first + index, -1, 1, -1 } }, .n = 1 };
}

/* ---- operators, from those that bind most ---- */
static struct kl_qasm_sum primary(struct kl_qasm_reader *r)
{
    char text[KL_QASM_WORD], *end;
    struct kl_qasm_sum s;
    double value;
    if (kl_circuit_qasm_take(r, '(')) {
        s = kl_circuit_qasm_angle(r);
        kl_circuit_qasm_expect(r, ')');
        return s;
    }
    if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        r->token = r->at;
        s = number(r->at, &end);
        if (!isfinite(s.terms[0].scale)) kl_circuit_qasm_fail(r, r->at, "a number too large");
        r->at = end;
        return s;
    }
    kl_circuit_qasm_word(r, text);
    if (!text[0]) kl_circuit_qasm_unexpected(r, "an angle");
    return known_constant(&value, text) ? kl_circuit_qasm_constant(value) : parameter(r, text);
}

static struct kl_qasm_sum signed_factor(struct kl_qasm_reader *r);

/* Of a parameter a small whole power: a product. */
static struct kl_qasm_sum power(struct kl_qasm_reader *r, const struct kl_qasm_sum *base,
                                const struct kl_qasm_sum *exponent)
{
    const double n = exponent->terms[0].scale;
    if (qasm_is_constant(base) && qasm_is_constant(exponent)) {
        struct kl_qasm_sum s = kl_circuit_qasm_constant(pow(base->terms[0].scale, n));
        s.whole = base->whole && exponent->whole && n >= 0;
        return s;
    }
    if (!qasm_is_constant(exponent) || !(n >= 1 && n <= 8 && n == floor(n))) {
        kl_circuit_qasm_fail(r, r->at,
                             "a power of a parameter other than 1 or 2, or by one: an angle is a "
                             "sum of numbers times a weight times one or two inputs");
        return *base;
    }
    struct kl_qasm_sum s = *base;
    for (int i = 1; i < (int)n && !r->code; i++) s = qasm_product(r, &s, base);
    return s;
}

static struct kl_qasm_sum raised(struct kl_qasm_reader *r)
{
    struct kl_qasm_sum s = primary(r);
    const bool raises =
        kl_circuit_qasm_take_two(r, "**") || (r->version == 2 && kl_circuit_qasm_take(r, '^'));
    if (!raises) return s;
    const struct kl_qasm_sum exponent = signed_factor(r);
    return r->code ? s : power(r, &s, &exponent);
}

/* A sign binds less than a power, more than a product: -x**2 is -(x**2). */
static struct kl_qasm_sum signed_factor(struct kl_qasm_reader *r)
{
    if (r->depth > KL_QASM_DEPTH)
        kl_circuit_qasm_fail(r, r->at, "more than %d parentheses and signs within each other",
                             KL_QASM_DEPTH);
    if (r->code) return kl_circuit_qasm_constant(0);
    r->depth++;
    struct kl_qasm_sum s;
    if (kl_circuit_qasm_take(r, '-')) {
        s = signed_factor(r);
        for (int i = 0; i < s.n; i++) s.terms[i].scale *= -1;
    } else if (kl_circuit_qasm_take(r, '+')) s = signed_factor(r);
    else s = raised(r);
    r->depth--;
    return s;
}

static struct kl_qasm_sum quotient(struct kl_qasm_reader *r, const struct kl_qasm_sum *s,
                                   struct kl_qasm_sum *by)
{
    const double a = s->terms[0].scale, b = by->terms[0].scale;
    if (!qasm_is_constant(by) || b == 0)
        kl_circuit_qasm_fail(r, r->at, "division by what is no constant, or 0");
    else if (s->whole && by->whole && r->version != 2 && fmod(a, b) != 0)
        kl_circuit_qasm_fail(r, r->at,
                             "%.0f / %.0f of whole numbers, which OpenQASM 3 rounds to %.0f; write "
                             "%.0f.0 / %.0f for the quotient",
                             a, b, trunc(a / b) + 0.0, a, b);
    by->terms[0].scale = 1 / b;
    struct kl_qasm_sum q = qasm_product(r, s, by);
    if (r->version == 2) q.whole = false;
    return q;
}

static struct kl_qasm_sum rest(struct kl_qasm_reader *r, const struct kl_qasm_sum *s,
                               const struct kl_qasm_sum *by)
{
    if (!r->code && (!s->whole || !by->whole || by->terms[0].scale == 0))
        kl_circuit_qasm_fail(r, r->at, "%% of what is no whole number, or by 0");
    struct kl_qasm_sum q =
        kl_circuit_qasm_constant(r->code ? 0 : fmod(s->terms[0].scale, by->terms[0].scale));
    q.whole = true;
    return q;
}

static struct kl_qasm_sum product_chain(struct kl_qasm_reader *r)
{
    struct kl_qasm_sum s = signed_factor(r), next;
    while (!r->code) {
        const char sign = kl_circuit_qasm_take(r, '*')   ? '*'
                          : kl_circuit_qasm_take(r, '/') ? '/'
                          : kl_circuit_qasm_take(r, '%') ? '%'
                                                         : 0;
        if (!sign) return s;
        next = signed_factor(r);
        s = sign == '*'   ? qasm_product(r, &s, &next)
            : sign == '/' ? quotient(r, &s, &next)
                          : rest(r, &s, &next);
    }
    return s;
}

struct kl_qasm_sum kl_circuit_qasm_angle(struct kl_qasm_reader *r)
{
    struct kl_qasm_sum s = product_chain(r);
    while (!r->code) {
        const double sign = kl_circuit_qasm_take(r, '+') ? 1 : kl_circuit_qasm_take(r, '-') ? -1 : 0;
        if (sign == 0) break;
        const struct kl_qasm_sum next = product_chain(r);
        qasm_add(r, &s, &next, sign);
    }
    for (int i = 0; i < s.n; i++)
        if (!isfinite(s.terms[i].scale)) kl_circuit_qasm_fail(r, r->at, "a number too large");
    return s;
}

double kl_circuit_qasm_value(struct kl_qasm_reader *r, bool *whole)
{
    kl_circuit_qasm_skip(r);
    const char *at = r->at;
    const struct kl_qasm_sum s = kl_circuit_qasm_angle(r);
    if (!qasm_is_constant(&s)) kl_circuit_qasm_fail(r, at, "found a parameter, expected a number");
    *whole = s.whole;
    return s.terms[0].scale;
}

int kl_circuit_qasm_number(struct kl_qasm_reader *r, int least, int most)
{
    bool whole;
    kl_circuit_qasm_skip(r);
    const char *at = r->at;
    const double value = kl_circuit_qasm_value(r, &whole);
    r->token = at;
    if (r->code || (whole && value >= least && value <= most)) return r->code ? 0 : (int)value;
    kl_circuit_qasm_fail(r, at, "found '%.*s', expected a whole number from %d to %d",
                         (int)strcspn(at, " ];,:}\n"), at, least < 0 ? 0 : least, most);
    return 0;
}
