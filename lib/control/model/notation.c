/* SPDX-License-Identifier: MIT
   How models are written: numbers with their units, lists of them, and operators. */
#include "control/model/model_int.h"

#include <complex.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/model.h"

/* ---- numbers with units ----
   Numbers with their units, which nobody may leave out: whether 2 pi is in a frequency is what models of
   other programs get wrong. */

/* Powers of ten: a number is then multiplied or divided once, by what is exact. */
struct unit {
    const char *name;
    int power;
};
static const struct unit times[] = { { "s", 0 },          { "ms", -3 },  { "us", -6 },
                                     { "\xc2\xb5s", -6 }, /* micro sign */
                                     { "\xce\xbcs", -6 }, /* mu */
                                     { "ns", -9 },        { "ps", -12 }, { 0 } };
static const struct unit hertz[] = { { "Hz", 0 }, { "kHz", 3 }, { "MHz", 6 }, { "GHz", 9 }, { 0 } };
static const struct unit kelvin[] = { { "K", 0 }, { "mK", -3 }, { "uK", -6 }, { 0 } };

static bool find(int *power, const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0) {
            *power = units->power;
            return true;
        }
    return false;
}

bool kl_control_time_unit(int *power, const char *name)
{
    *power = KL_CONTROL_UNITLESS;
    return strcmp(name, "1") == 0 || find(power, times, name);
}

/* x of a unit is x 10^power times turn, in the model's; false: it measures something else. */
static bool one_of(int *power, double *turn, const char *unit, enum kl_control_quantity quantity,
                   int model)
{
    const bool radians = strncmp(unit, "rad/", 4) == 0;
    *turn = 1;
    switch (quantity) {
    case KL_CONTROL_FREQUENCY:
        if (radians && find(power, times, unit + 4)) *power = model - *power;
        else {
            if (!find(power, hertz, unit)) return false;
            *power += model;
            *turn = 2 * M_PI;
        }
        return true;
    case KL_CONTROL_RATE:
        if (strncmp(unit, "1/", 2) != 0 || !find(power, times, unit + 2)) return false;
        *power = model - *power;
        return true;
    case KL_CONTROL_TIME:
        if (!find(power, times, unit)) return false;
        *power -= model;
        return true;
    case KL_CONTROL_HERTZ:
        if (!radians) return find(power, hertz, unit);
        if (!find(power, times, unit + 4)) return false;
        *power = -*power;
        *turn = 1 / (2 * M_PI);
        return true;
    case KL_CONTROL_TEMPERATURE: return find(power, kelvin, unit);
    }
    return false;
}

static const char *expected(enum kl_control_quantity quantity)
{
    static const char *const words[] = {
        [KL_CONTROL_FREQUENCY] =
            "Hz, kHz, MHz, GHz (2 pi is applied), rad/s, rad/us or rad/ns (it is not)",
        [KL_CONTROL_RATE] = "1/s, 1/ms, 1/us or 1/ns",
        [KL_CONTROL_TIME] = "s, ms, us, ns or ps",
        [KL_CONTROL_HERTZ] = "Hz, kHz, MHz, GHz, rad/s, rad/us or rad/ns",
        [KL_CONTROL_TEMPERATURE] = "K, mK or uK"
    };
    return words[quantity];
}

int kl_control_units_read(double *value, const char *text, enum kl_control_quantity quantity, int unit,
                          const char *where, struct kl_error *err)
{
    char *end;
    const double x = strtod(text, &end);
    const bool physical = quantity == KL_CONTROL_HERTZ || quantity == KL_CONTROL_TEMPERATURE;
    if (end == text)
        return kl_fail(err, KL_EDATA, "%s: found '%.40s', expected a number%s", where, text,
                       unit != KL_CONTROL_UNITLESS ? " and its unit" : "");
    if (!isfinite(x))
        return kl_fail(err, KL_EDATA, "%s: found '%.40s', expected a finite number", where, text);
    while (*end == ' ') end++;
    if (unit == KL_CONTROL_UNITLESS && physical)
        return kl_fail(err, KL_EDATA, "%s: '%.40s' has no place in a model with time-unit 1", where,
                       text);
    if (unit == KL_CONTROL_UNITLESS) {
        *value = x;
        if (!*end) return KL_OK;
        return kl_fail(err, KL_EDATA,
                       "%s: found the unit '%.20s', but time-unit is 1: numbers stand without units",
                       where, end);
    }
    if (!*end)
        return kl_fail(err, KL_EDATA, "%s: found '%.40s' without a unit, expected one of %s", where,
                       text, expected(quantity));
    int power;
    double turn;
    if (!one_of(&power, &turn, end, quantity, unit))
        return kl_fail(err, KL_EDATA, "%s: found the unit '%.20s', expected one of %s", where, end,
                       expected(quantity));
    *value = (power >= 0 ? x * pow(10, power) : x / pow(10, -power)) * turn;
    if (isfinite(*value)) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: '%.40s' overflows", where, text);
}

bool kl_control_units_turns(const char *text)
{
    const size_t n = strlen(text);
    return n > 2 && strcmp(text + n - 2, "Hz") == 0;
}

/* ---- items of a list, NAME=NUMBER, with units ---- */
static const char *skip_separators(const char *text)
{
    return text + strspn(text, " ,");
}

/* The length of a word that is a unit, "MHz" or "1/us": no item of a list looks like that. */
static size_t unit_length(const char *word)
{
    const size_t length = strcspn(word, " ,");
    const bool looks = isalpha((unsigned char)*word) || (*word & 0x80) || strncmp(word, "1/", 2) == 0;
    return looks && !memchr(word, '=', length) ? length : 0;
}

int kl_control_pair_next(struct kl_control_pair *pair, const char **text)
{
    const char *at = *text ? skip_separators(*text) : "";
    const size_t length = strcspn(at, " ,"), sign = strcspn(at, "=");
    const bool named = sign < length;
    const char *number = named ? at + sign + 1 : at, *stop = at + length;
    char *end;
    *pair = (struct kl_control_pair){ .at = at, .length = (int)length };
    if (length == 0) return 0;
    if (named && sign >= sizeof pair->name) return -1;
    memcpy(pair->name, at, named ? sign : 0);
    pair->value = strtod(number, &end);
    if (end > number && end < stop && *end == ':') {
        pair->range = true, pair->low = pair->value, number = end + 1;
        pair->value = strtod(number, &end);
        if (!isfinite(pair->low)) return -1;
    }
    if (end == number || end > stop || !isfinite(pair->value)) return -1;
    /* A unit follows at once, or behind a blank. */
    const char *next = stop + strspn(stop, " ");
    if (end == stop && next > stop) stop = next + unit_length(next);
    if (stop == next) stop = at + length;
    *text = stop, pair->length = (int)(stop - at);
    if (end == stop) return 1;
    if (stop - number >= (ptrdiff_t)sizeof pair->quantity) return -1;
    memcpy(pair->quantity, number, (size_t)(stop - number));
    return 1;
}

int kl_control_pair_value(double *value, const struct kl_control_pair *pair, int quantity,
                          const struct kl_control_system *system, const char *option,
                          struct kl_error *err)
{
    char where[64];
    int unit = 0; /* seconds */
    *value = pair->value;
    if (pair->range)
        return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected one number, no range", option,
                       pair->length, pair->at);
    if (!pair->quantity[0]) return KL_OK;
    if (quantity == KL_CONTROL_NO_UNIT)
        return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected a factor, which has no unit",
                       option, pair->length, pair->at);
    if (!system && !(pair->seconds > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--%s: found '%s', but there is no unit of time; say it, as --unit '20 ns'",
                       option, pair->quantity);
    if (system && (!kl_control_time_unit(&unit, system->time_unit) || unit == KL_CONTROL_UNITLESS))
        return kl_fail(
            err, KL_EUSAGE,
            "--%s: found '%.*s', but system %s has no unit of time: give numbers without units%s",
            option, pair->length, pair->at, system->name,
            strcmp(system->name, "qubit") ? "" : ", or --system transmon --levels 2, a qubit in ns");
    snprintf(where, sizeof where, "--%s%s%s", option, pair->name[0] ? ": " : "", pair->name);
    const int code = kl_control_units_read(value, pair->quantity, (enum kl_control_quantity)quantity,
                                           unit, where, err);
    if (!code && !system) *value *= quantity == KL_CONTROL_TIME ? 1 / pair->seconds : pair->seconds;
    return code ? err->code = KL_EUSAGE : KL_OK;
}

int kl_control_pair_ends(double *low, double *high, const struct kl_control_pair *pair, int quantity,
                         const struct kl_control_system *system, const char *option,
                         struct kl_error *err)
{
    struct kl_control_pair one = *pair;
    char *unit;
    one.range = false;
    int code = kl_control_pair_value(high, &one, quantity, system, option, err);
    if (code) return code;
    one.value = pair->low;
    (void)strtod(pair->quantity, &unit);
    if (*pair->quantity) snprintf(one.quantity, sizeof one.quantity, "%.17g%.30s", pair->low, unit);
    return kl_control_pair_value(low, &one, quantity, system, option, err);
}

int kl_control_unit_read(double *seconds, const char *text, struct kl_error *err)
{
    *seconds = 0;
    if (text && kl_control_units_read(seconds, text, KL_CONTROL_TIME, 0, "--unit", err))
        return err->code = KL_EUSAGE;
    return !text || *seconds > 0
               ? KL_OK
               : kl_fail(err, KL_EUSAGE, "--unit: found '%s', expected a time above 0", text);
}

int kl_control_quantity_take(struct kl_quantity *q, enum kl_control_quantity quantity,
                             const struct kl_control_system *system, double seconds, const char *option,
                             struct kl_error *err)
{
    struct kl_control_pair pair = { .value = q->value, .seconds = seconds };
    double value;
    if (!q->unit) return KL_OK;
    pair.at = pair.quantity;
    pair.length = snprintf(pair.quantity, sizeof pair.quantity, "%.17g %s", q->value, q->unit);
    const int code = kl_control_pair_value(&value, &pair, (int)quantity, system, option, err);
    return code ? code : kl_quantity_settle(q, value, err);
}

/* ---- operators ----
   Operators as people write them: "0.5 * (XX + YY)", "a^+ * a - 0.1 * n^2", "|0><2| + |2><0|",
   "a1 * ad2 + ad1 * a2". */

enum { LONGEST = 4096, DEEPEST = 24, HIGHEST = 64 };

struct parser {
    const char *text, *at;
    const struct kl_control_parts *parts;
    int d, depth;
    const char *where;
    struct kl_error *err;
};
struct matrix {
    double complex e[KL_CONTROL_MATRIX];
};

static int sum(struct parser *p, struct matrix *m);

static void skip(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n') p->at++;
}

static bool take(struct parser *p, char c)
{
    skip(p);
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static int wrong(struct parser *p, const char *expected)
{
    const bool python = strstr(p->text, "dag") || strstr(p->text, "j*") || strstr(p->text, "j *");
    skip(p);
    return kl_fail(p->err, KL_EDATA, "%s: found '%.40s'%s, expected %s%s", p->where,
                   *p->at ? p->at : p->text, *p->at ? "" : ", which ends too early", expected,
                   python ? "; Python's a.dag() is a^+ here, 1j is i" : "");
}

static void scalar(const struct parser *p, struct matrix *m, double complex value)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < p->d; i++) m->e[i * p->d + i] = value;
}

static void multiply(const struct parser *p, struct matrix *to, const struct matrix *by)
{
    const struct matrix left = *to;
    const int d = p->d;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            to->e[i * d + j] = 0;
            for (int k = 0; k < d; k++) to->e[i * d + j] += left.e[i * d + k] * by->e[k * d + j];
        }
}

static void adjoint(const struct parser *p, struct matrix *m)
{
    const struct matrix before = *m;
    for (int i = 0; i < p->d; i++)
        for (int j = 0; j < p->d; j++) m->e[i * p->d + j] = conj(before.e[j * p->d + i]);
}

/* A letter of one qubit: I X Y Z, m = |0><1|, p = |1><0|. */
static double complex entry_of(char letter, int row, int col)
{
    switch (letter) {
    case 'X': return row != col;
    case 'Y': return row == col ? 0 : row ? I : -I;
    case 'Z': return row != col ? 0 : row ? -1 : 1;
    case 'm': return !row && col;
    case 'p': return row && !col;
    default: return row == col;
    }
}

static void string_of(const struct parser *p, struct matrix *m, const char *letters)
{
    for (int i = 0; i < p->d; i++)
        for (int j = 0; j < p->d; j++) {
            double complex value = 1;
            for (int q = 0; q < p->parts->n; q++) {
                const int shift = p->parts->n - 1 - q;
                value *= entry_of(letters[q], i >> shift & 1, j >> shift & 1);
            }
            m->e[i * p->d + j] = value;
        }
}

/* ZZ, X1, sm2: of qubits, counted from 1. */
static bool qubit_name(const struct parser *p, struct matrix *m, const char *name, size_t n)
{
    char letters[] = "IIII";
    if (n == (size_t)p->parts->n && strspn(name, "IXYZ") >= n) {
        string_of(p, m, name);
        return true;
    }
    const bool ladder = n == 3 && name[0] == 's' && (name[1] == 'm' || name[1] == 'p');
    if (!ladder && (n != 2 || !strchr("IXYZ", name[0]))) return false;
    const int qubit = name[n - 1] - '1';
    if (qubit < 0 || qubit >= p->parts->n) return false;
    letters[qubit] = ladder ? name[1] : name[0];
    string_of(p, m, letters);
    return true;
}

/* Entry (i, j) of part q's a, adjoint or number; 0 where another part differs. */
static double ladder_entry(const struct kl_control_parts *parts, int q, char letter, int i, int j)
{
    int below = 1;
    for (int r = q + 1; r < parts->n; r++) below *= parts->levels[r];
    const int row = i / below % parts->levels[q], col = j / below % parts->levels[q];
    if (i - row * below != j - col * below) return 0;
    if (letter == 'n') return row == col ? row : 0;
    return letter == 'a' ? (col == row + 1 ? sqrt(col) : 0) : row == col + 1 ? sqrt(row) : 0;
}

/* a, ad, n of one oscillator; a1, ad2, n2 of several, counted from 1. */
static bool level_name(const struct parser *p, struct matrix *m, const char *name, size_t n)
{
    const int several = p->parts->n > 1, q = several ? name[n - 1] - '1' : 0;
    n -= (size_t)several;
    const bool down = n == 1 && *name == 'a', up = n == 2 && strncmp(name, "ad", 2) == 0,
               number = n == 1 && *name == 'n';
    if ((!down && !up && !number) || q < 0 || q >= p->parts->n) return false;
    memset(m, 0, sizeof *m);
    for (int i = 0; i < p->d; i++)
        for (int j = 0; j < p->d; j++)
            m->e[i * p->d + j] = ladder_entry(p->parts, q, up ? 'd' : *name, i, j);
    return true;
}

/* The root of what is a number. */
static int root(struct parser *p, struct matrix *m)
{
    p->at += strlen("sqrt");
    if (!take(p, '(')) return wrong(p, "'(' after sqrt");
    const int code = sum(p, m);
    if (code) return code;
    if (!take(p, ')')) return wrong(p, "')'");
    for (int i = 0; i < p->d; i++)
        for (int j = 0; j < p->d; j++)
            if (m->e[i * p->d + j] != (i == j ? m->e[0] : 0) || !(creal(m->e[0]) >= 0))
                return wrong(p, "a number that is not negative in sqrt()");
    scalar(p, m, csqrt(m->e[0]));
    return KL_OK;
}

static const char *letters_of(const struct kl_control_parts *parts)
{
    if (parts->qubits)
        return parts->n == 1 ? "X, Y, Z, I, sm (as sm1), sp1, |0><1|, a number, i, pi or sqrt()"
                             : "a letter I, X, Y, Z a qubit as in XX, or X1, sm1 (|0><1|), sp1, "
                               "|01><10|, a number, i, pi or sqrt()";
    return parts->n == 1 ? "a, ad (or a^+), n, |0><1|, a number, i, pi or sqrt()"
                         : "a1, ad1 (or a1^+), n1, a2, ..., |01><10|, a number, i, pi or sqrt()";
}

static int named(struct parser *p, struct matrix *m)
{
    size_t n = 0;
    while (isalnum((unsigned char)p->at[n]) || p->at[n] == '_') n++;
    if (n == 4 && strncmp(p->at, "sqrt", 4) == 0) return root(p, m);
    bool known = true;
    if (n == 1 && *p->at == 'i') scalar(p, m, I);
    else if (n == 2 && strncmp(p->at, "pi", 2) == 0) scalar(p, m, M_PI);
    else known = p->parts->qubits ? qubit_name(p, m, p->at, n) : level_name(p, m, p->at, n);
    if (!known) return wrong(p, letters_of(p->parts));
    p->at += n;
    return KL_OK;
}

/* A level up to `end`: the number of one oscillator's, else a digit a part. */
static bool take_level(struct parser *p, int *level, char end)
{
    const struct kl_control_parts *parts = p->parts;
    const bool digits = parts->qubits || parts->n > 1;
    int n = 0;
    *level = 0;
    for (; isdigit((unsigned char)*p->at) && n < 8; p->at++, n++) {
        const int digit = *p->at - '0';
        if (digits && (n >= parts->n || digit >= parts->levels[n])) return false;
        *level = *level * (digits ? parts->levels[n] : 10) + digit;
    }
    if (digits && n != parts->n) return false;
    return n > 0 && *level < p->d && *p->at++ == end;
}

/* |j><k| */
static int outer(struct parser *p, struct matrix *m)
{
    const char *const from = p->at;
    int row, col;
    p->at++;
    if (take_level(p, &row, '>') && *p->at++ == '<' && take_level(p, &col, '|')) {
        memset(m, 0, sizeof *m);
        m->e[row * p->d + col] = 1;
        return KL_OK;
    }
    p->at = from;
    return wrong(p, p->parts->qubits  ? "|BITS><BITS|, a bit a qubit"
                    : p->parts->n > 1 ? "|LEVELS><LEVELS|, a digit each, from 0"
                                      : "|LEVEL><LEVEL|, from 0");
}

static int number(struct parser *p, struct matrix *m)
{
    char *end;
    const double value = strtod(p->at, &end);
    if (end == p->at || !isfinite(value) || (p->at[0] == '0' && (p->at[1] | 32) == 'x'))
        return wrong(p, "a number");
    p->at = end;
    scalar(p, m, value);
    return KL_OK;
}

/* A factor with what follows it: ^+ or ' its adjoint, ^2 a power. */
static int factor(struct parser *p, struct matrix *m)
{
    int code;
    skip(p);
    if (*p->at == '(') {
        if (++p->depth > DEEPEST) return wrong(p, "fewer parentheses inside each other");
        p->at++;
        code = sum(p, m);
        if (!code && !take(p, ')')) code = wrong(p, "')'");
        p->depth--;
    } else if (*p->at == '|') code = outer(p, m);
    else if (isdigit((unsigned char)*p->at) || *p->at == '.') code = number(p, m);
    else if (isalpha((unsigned char)*p->at)) code = named(p, m);
    else return wrong(p, "an operator");
    for (;;) {
        if (code) return code;
        if (take(p, '\'')) adjoint(p, m);
        else if (!take(p, '^')) return KL_OK;
        else if (take(p, '+')) adjoint(p, m);
        else {
            const struct matrix base = *m;
            skip(p);
            const long power = isdigit((unsigned char)*p->at) ? strtol(p->at, (char **)&p->at, 10) : -1;
            if (power < 1 || power > HIGHEST) return wrong(p, "+ or a power of 1 to 64 behind '^'");
            for (long i = 1; i < power; i++) multiply(p, m, &base);
        }
    }
}

static int term(struct parser *p, struct matrix *m)
{
    struct matrix next;
    int code = factor(p, m);
    while (!code) {
        if (take(p, '*')) {
            code = factor(p, &next);
            if (!code) multiply(p, m, &next);
        } else if (take(p, '/')) {
            skip(p);
            code = strncmp(p->at, "pi", 2) == 0 ? named(p, &next) : number(p, &next);
            if (!code && next.e[0] == 0) code = wrong(p, "a divisor that is not 0");
            for (int i = 0; i < KL_CONTROL_MATRIX && !code; i++) m->e[i] /= creal(next.e[0]);
        } else break;
    }
    return code;
}

static int sum(struct parser *p, struct matrix *m)
{
    struct matrix next;
    double sign = take(p, '-') ? -1 : 1;
    if (sign > 0) take(p, '+');
    int code = term(p, m);
    for (int i = 0; i < KL_CONTROL_MATRIX && !code; i++) m->e[i] *= sign;
    while (!code) {
        if (take(p, '+')) sign = 1;
        else if (take(p, '-')) sign = -1;
        else break;
        code = term(p, &next);
        for (int i = 0; i < KL_CONTROL_MATRIX && !code; i++) m->e[i] += sign * next.e[i];
    }
    return code;
}

void kl_control_parts_order(double complex *to, const double complex *from, int d,
                            const struct kl_control_parts *parts)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) to[parts->place[i] * d + parts->place[j]] = from[i * d + j];
}

int kl_control_operator_text(double complex *operator, const char * text,
                             const struct kl_control_parts *parts, const char *where,
                             struct kl_error *err)
{
    struct parser p = {
        .text = text, .at = text, .d = parts->d, .parts = parts, .where = where, .err = err
    };
    struct matrix m = { 0 };
    const int d = parts->d;
    if (strlen(text) > LONGEST)
        return kl_fail(err, KL_EDATA, "%s: longer than %d characters; a matrix can stand in a file",
                       where, (int)LONGEST);
    int code = sum(&p, &m);
    skip(&p);
    if (!code && *p.at) code = wrong(&p, "+, -, * or the end");
    for (int i = 0; i < d * d && !code; i++)
        if (!isfinite(creal(m.e[i])) || !isfinite(cimag(m.e[i])))
            code = kl_fail(err, KL_EDATA, "%s: '%.40s' overflows", where, text);
    if (!code) kl_control_parts_order(operator, m.e, d, parts);
    return code;
}
