/* SPDX-License-Identifier: MIT
   Terms, jumps and controls of a model's file: operators from text or files, values and limits with
   units. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "control/model/model_int.h"

/* ---- operators ---- */
/* The largest entry of m - m^+ (sign -1) or m + m^+, and where; as a share of the largest of m. */
static double deviation(int at[2], double *absolute, const double complex *m, int d, int sign)
{
    double worst = 0, largest = 0;
    at[0] = at[1] = 0;
    for (int i = 0; i < d; i++)
        for (int j = i; j < d; j++) {
            const double off = cabs(m[i * d + j] + sign * conj(m[j * d + i]));
            largest = fmax(largest, fmax(cabs(m[i * d + j]), cabs(m[j * d + i])));
            if (off > worst) worst = off, at[0] = i, at[1] = j;
        }
    *absolute = worst;
    return largest > 0 ? worst / largest : 0;
}

/* Does it lead one way alone, as a or |0><1|? What has |j><k| and |k><j| with other factors is a
 * mistake. */
static bool is_one_way(const double complex *m, int d)
{
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++)
            if (m[i * d + j] != 0 && m[j * d + i] != 0) return false;
    return true;
}

/* *hermitian: is it? What is not, and may not be `complex` either, is refused. */
static int judge_hermitian(struct kl_control_reader *r, bool *hermitian, const double complex *m,
                           const char *where, bool may_be_complex)
{
    int at[2], other[2];
    double off, rest;
    *hermitian = deviation(at, &off, m, r->s->d, -1) <= 1e-10;
    if (*hermitian || (may_be_complex && is_one_way(m, r->s->d))) return KL_OK;
    return kl_fail(r->err, KL_EDATA,
                   "%s: the operator is not Hermitian: entries (%d, %d) and (%d, %d) deviate by %.3g%s",
                   where, at[0], at[1], at[1], at[0], off,
                   deviation(other, &rest, m, r->s->d, 1) <= 1e-10 ? "; i times it is"
                   : may_be_complex ? "; nor does it lead one way, as a complex control's, a or sm1"
                                    : "");
}

/* The operator under a key, which must be there. */
static int operator_of(struct kl_control_reader *r, double complex *m, const char **text,
                       const struct kl_control_yaml_map *map, int key)
{
    char where[300], how[KL_CONTROL_HOW] = "";
    double complex read[KL_CONTROL_MATRIX];
    bool zero = true;
    int code = kl_control_yaml_need(text, &r->yaml, map, key, r->err);
    if (code) return code;
    kl_control_reader_place(where, r, map, key);
    const int d = r->s->d;
    if (kl_control_is_matrix_file(*text)) {
        code = kl_control_matrix_read(read, d, d, *text, r->yaml.path, how, r->err);
        if (!code) kl_control_parts_order(m, read, d, &r->parts);
    } else code = kl_control_operator_text(m, *text, &r->parts, where, r->err);
    r->how[0] = 0;
    if (*how) snprintf(r->how, sizeof r->how, " (%s)", how);
    for (int i = 0; i < r->s->dim && !code; i++) zero &= m[i] == 0;
    if (!code && zero) code = kl_fail(r->err, KL_EDATA, "%s: the operator '%.40s' is 0", where, *text);
    return code;
}

static int hermitian_of(struct kl_control_reader *r, double complex *m, const char **text,
                        const struct kl_control_yaml_map *map, int key)
{
    char where[300];
    bool hermitian;
    const int code = operator_of(r, m, text, map, key);
    kl_control_reader_place(where, r, map, key);
    return code ? code : judge_hermitian(r, &hermitian, m, where, false);
}

/* The name under a key, or one made of a stem and a number; no two entries have the same. */
static int name_of(struct kl_control_reader *r, char name[KL_CONTROL_NAME],
                   const struct kl_control_yaml_map *map, int key, const char *stem, int number)
{
    char where[300];
    const char *text;
    const int code = kl_control_reader_name(r, &text, map, key);
    if (code) return code;
    kl_control_reader_place(where, r, map, key);
    if (text) snprintf(name, KL_CONTROL_NAME, "%s", text);
    else snprintf(name, KL_CONTROL_NAME, "%s%d", stem, number);
    if (kl_control_system_param(r->s, name) < 0 && kl_control_system_control(r->s, name) < 0)
        return KL_OK;
    return kl_fail(r->err, KL_EDATA, "%s: the name '%s' is given twice", where, name);
}

/* ---- lists ---- */
static const char *turns_words(const char *text)
{
    return kl_control_units_turns(text) ? ", 2 pi applied" : "";
}

int kl_control_reader_term(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, VALUE };
    char name[KL_CONTROL_NAME], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    const char *text, *value_text;
    double value;
    bool given;
    int code = name_of(r, name, map, NAME, "h", r->s->n_params + 1);
    if (!code) code = hermitian_of(r, m, &text, map, OPERATOR);
    if (!code) code = kl_control_yaml_need(&value_text, &r->yaml, map, VALUE, r->err);
    if (!code) code = kl_control_reader_quantity(r, &value, &given, map, VALUE, KL_CONTROL_FREQUENCY);
    if (!code) code = kl_control_system_add_param(r->s, name, m, false, value, r->err);
    if (!code)
        kl_control_reader_say(r, "H       %s = %.10g%s (%s%s) times %s%s", name, value,
                              kl_control_reader_per_time(r, unit, "rad"), value_text,
                              turns_words(value_text), text, r->how);
    return code;
}

int kl_control_reader_jump(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, RATE, TIME };
    char name[KL_CONTROL_NAME], where[300], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    const char *text;
    double rate = 0, time = 0;
    bool has_rate, has_time = false;
    int code = name_of(r, name, map, NAME, "rate", r->s->n_params + 1);
    if (!code) code = operator_of(r, m, &text, map, OPERATOR);
    if (!code) code = kl_control_reader_positive(r, &rate, &has_rate, map, RATE, KL_CONTROL_RATE, true);
    if (!code) code = kl_control_reader_positive(r, &time, &has_time, map, TIME, KL_CONTROL_TIME, false);
    if (!code && has_rate == has_time) {
        kl_control_reader_place(where, r, map, -1);
        code = kl_fail(r->err, KL_EDATA, "%s: found %s, expected one of rate and time", where,
                       has_rate ? "both rate and time" : "neither rate nor time");
    }
    if (!code && has_time) rate = 1 / time;
    if (!code) code = kl_control_system_add_param(r->s, name, m, true, rate, r->err);
    if (!code)
        kl_control_reader_say(r, "jump    %s = %.10g%s, operator sqrt(%s) times %s%s", name, rate,
                              kl_control_reader_per_time(r, unit, "1"), name, text, r->how);
    return code;
}

/* Between which values a control lies: -L and L of one, the two of a list; NaN: nothing is said. */
struct range {
    double low, high;
    const char *texts[2];
    int n;
};

static int read_range(struct kl_control_reader *r, struct range *to,
                      const struct kl_control_yaml_map *map, int key)
{
    char where[300];
    double values[2] = { NAN, NAN };
    int code = kl_control_yaml_values(to->texts, &to->n, 2, &r->yaml, map, key, r->err);
    kl_control_reader_place(where, r, map, key);
    for (int i = 0; i < to->n && !code; i++)
        code = kl_control_units_read(&values[i], to->texts[i], KL_CONTROL_FREQUENCY, r->unit, where,
                                     r->err);
    to->low = to->n == 2 ? values[0] : -values[0], to->high = to->n == 2 ? values[1] : values[0];
    if (code || !to->n || to->low < to->high) return code;
    return to->n == 1
               ? kl_fail(r->err, KL_EDATA, "%s: found %g, expected a positive number", where, to->high)
               : kl_fail(r->err, KL_EDATA, "%s: found %g and %g, expected the lesser one first", where,
                         to->low, to->high);
}

/* Describe a control's limits, behind its name. */
static void say_range(struct kl_control_reader *r, char line[400], const char *name,
                      const struct range *l)
{
    char unit[16];
    const char *per = kl_control_reader_per_time(r, unit, "rad");
    if (!l->n) snprintf(line, 400, "%s", name);
    else if (l->n == 1)
        snprintf(line, 400, "|%s| at most %.10g%s (%.60s%s)", name, l->high, per, l->texts[0],
                 turns_words(l->texts[0]));
    else
        snprintf(line, 400, "%s from %.10g to %.10g%s (%.60s to %.60s%s)", name, l->low, l->high, per,
                 l->texts[0], l->texts[1], turns_words(l->texts[1]));
}

/* e A + e* A^+ with e = e_x - i e_y: two quadratures, e_x (A + A^+) + e_y i (A^+ - A), as of X and Y
   where A is |0><1|. */
static int add_quadratures(struct kl_control_reader *r, const char *name, const double complex *m,
                           const char *text, const struct range *l, const char *where)
{
    const int d = r->s->d;
    char names[2][KL_CONTROL_NAME + 2], line[400];
    double complex parts[2][KL_CONTROL_MATRIX];
    int code = KL_OK;
    if (l->n == 2)
        return kl_fail(r->err, KL_EDATA,
                       "%s: a complex control (its operator is not Hermitian) has one limit, of its "
                       "modulus; found two",
                       where);
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            const double complex a = m[i * d + j], b = conj(m[j * d + i]);
            parts[0][i * d + j] = a + b, parts[1][i * d + j] = I * (b - a);
        }
    for (int q = 0; q < 2 && !code; q++) {
        snprintf(names[q], sizeof names[q], "%s_%c", name, "xy"[q]);
        if (!kl_control_is_name(names[q]) || kl_control_system_control(r->s, names[q]) >= 0)
            return kl_fail(r->err, KL_EDATA, "%s: no place for the name '%s'", where, names[q]);
        code = kl_control_system_add_control(r->s, names[q], parts[q], l->low, l->high, r->err);
    }
    if (code) return code;
    say_range(r, line, name, l);
    kl_control_reader_say(r, "control %s times %s%s is complex, %s = %s_x - i %s_y; %s", name, text,
                          r->how, name, name, name, line);
    kl_control_reader_say(r, "        split in %s_x times A + A^+ and %s_y times i (A^+ - A), A = %s",
                          name, name, text);
    const int n = r->s->n_controls;
    return l->n ? kl_control_system_add_modulus(r->s, n - 2, n - 1, l->high, r->err) : KL_OK;
}

int kl_control_reader_control(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    enum { NAME, OPERATOR, LIMIT };
    char name[KL_CONTROL_NAME], where[300], line[400];
    double complex m[KL_CONTROL_MATRIX];
    const char *text;
    struct range limits = { 0 };
    bool hermitian = true;
    int code = name_of(r, name, map, NAME, "u", r->s->n_controls + 1);
    if (!code) code = operator_of(r, m, &text, map, OPERATOR);
    kl_control_reader_place(where, r, map, OPERATOR);
    if (!code) code = judge_hermitian(r, &hermitian, m, where, true);
    if (!code) code = read_range(r, &limits, map, LIMIT);
    if (!code && !limits.n && !r->has_moduli)
        code = kl_control_yaml_need(&text, &r->yaml, map, LIMIT, r->err);
    if (code) return code;
    if (!hermitian) return add_quadratures(r, name, m, text, &limits, where);
    code = kl_control_system_add_control(r->s, name, m, limits.low, limits.high, r->err);
    say_range(r, line, name, &limits);
    if (!code)
        kl_control_reader_say(r, "control %s times %s%s%s%s", name, text, r->how, limits.n ? ", " : "",
                              limits.n ? line : "");
    return code;
}

int kl_control_reader_modulus(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    enum { OF, LIMIT };
    char where[300], unit[16];
    const char *text, *limit_text;
    double most;
    bool given;
    int x, y, code = kl_control_yaml_need(&text, &r->yaml, map, OF, r->err);
    if (!code) code = kl_control_yaml_need(&limit_text, &r->yaml, map, LIMIT, r->err);
    if (!code)
        code = kl_control_reader_positive(r, &most, &given, map, LIMIT, KL_CONTROL_FREQUENCY, false);
    if (code) return code;
    kl_control_reader_place(where, r, map, OF);
    if (!kl_control_system_quadratures(&x, &y, r->s, text))
        return kl_fail(r->err, KL_EDATA, "%s: found '%.60s', expected two controls as x + i y", where,
                       text);
    code = kl_control_system_add_modulus(r->s, x, y, most, r->err);
    if (code == KL_EUSAGE) return kl_control_yaml_prefix(r->err, where);
    if (!code)
        kl_control_reader_say(r, "modulus |%s| at most %.10g%s (%s%s)", text, most,
                              kl_control_reader_per_time(r, unit, "rad"), limit_text,
                              turns_words(limit_text));
    return code;
}

/* A control has limits of its own, or is one of a pair that has. */
int kl_control_reader_check_limits(struct kl_control_reader *r)
{
    for (int k = 0; k < r->s->n_controls; k++)
        if (isnan(r->s->controls[k].high))
            return kl_fail(r->err, KL_EDATA, "%s: controls: limit of %s is missing", r->yaml.path,
                           r->s->controls[k].name);
    return KL_OK;
}

/* One of the three jumps of a qubit, or of a system of levels. */
static int add_decay(struct kl_control_reader *r, int qubit, int which, double value)
{
    static const char *const operators[2][3] = { { "Z", "sm", "sp" }, { "n", "a", "ad" } };
    static const char *const several[3] = { "gphi", "gdown", "gup" }, *const names[3] = { "gamma_phi",
                                                                                          "gamma_down",
                                                                                          "gamma_up" };
    const bool levels = !r->s->n_qubits, phase = which == 0, one = r->parts.n == 1;
    char name[KL_CONTROL_NAME], text[8], unit[16];
    double complex m[KL_CONTROL_MATRIX];
    if (!one) snprintf(name, sizeof name, "%s%d", several[which], qubit);
    else snprintf(name, sizeof name, "%s", names[which]);
    if (levels && one) snprintf(text, sizeof text, "%s", operators[1][which]);
    else snprintf(text, sizeof text, "%s%d", operators[levels][which], qubit);
    if (kl_control_system_param(r->s, name) >= 0)
        return kl_fail(r->err, KL_EDATA, "%s: decay: the name '%s' is given twice", r->yaml.path, name);
    int code = kl_control_operator_text(m, text, &r->parts, r->yaml.path, r->err);
    if (code) return code;
    /* Pure dephasing: coherence of neighbouring levels decays with this rate. */
    for (int i = 0; i < r->s->dim && phase; i++) m[i] *= levels ? M_SQRT2 : M_SQRT1_2;
    code = kl_control_system_add_param(r->s, name, m, true, value, r->err);
    if (!code)
        kl_control_reader_say(r, "jump    %s = %.10g%s, operator sqrt(%s%s%s) times %s", name, value,
                              kl_control_reader_per_time(r, unit, "1"), phase && levels ? "2 " : "",
                              name, phase && !levels ? "/2" : "", text);
    return code;
}

int kl_control_reader_decay(struct kl_control_reader *r, const struct kl_control_yaml_map *map)
{
    enum { QUBIT, T1, T2, TPHI, FREQUENCY, TEMPERATURE, JUMP };
    struct kl_control_decay d = { 0 };
    struct kl_control_rates rates;
    char where[300];
    const char *jump;
    bool given;
    int qubit = 0, code = kl_control_reader_whole(r, &qubit, map, QUBIT, 1, r->parts.n);
    kl_control_reader_place(where, r, map, -1);
    if (!code && r->parts.n > 1 && !qubit)
        code = kl_fail(r->err, KL_EDATA, "%s: qubit is missing, expected a number from 1", where);
    if (!code && !r->s->n_qubits && r->parts.n == 1 && qubit)
        code = kl_fail(r->err, KL_EDATA, "%s: qubit has no place in a system of levels", where);
    if (!code) code = kl_control_reader_positive(r, &d.t1, &given, map, T1, KL_CONTROL_TIME, false);
    if (!code) code = kl_control_reader_positive(r, &d.t2, &given, map, T2, KL_CONTROL_TIME, false);
    if (!code) code = kl_control_reader_positive(r, &d.tphi, &given, map, TPHI, KL_CONTROL_TIME, false);
    if (!code)
        code =
            kl_control_reader_positive(r, &d.frequency, &given, map, FREQUENCY, KL_CONTROL_HERTZ, false);
    if (!code)
        code = kl_control_reader_positive(r, &d.temperature, &given, map, TEMPERATURE,
                                          KL_CONTROL_TEMPERATURE, true);
    if (!code) code = kl_control_yaml_text(&jump, &r->yaml, map, JUMP, r->err);
    if (!code && jump && kl_choice("down|up", jump) < 0) {
        kl_control_reader_place(where, r, map, JUMP);
        code = kl_fail(r->err, KL_EDATA, "%s: found '%.40s', expected down (to |0>) or up (to |1>)",
                       where, jump);
    }
    if (code) return code;
    d.up = jump && strcmp(jump, "up") == 0;
    if (!d.t1 && !d.t2 && !d.tphi)
        return kl_fail(r->err, KL_EDATA, "%s: found no time, expected T1, T2 or Tphi", where);
    code = kl_control_decay_rates(&rates, &d, where, r->err);
    if (code == KL_EUSAGE) code = r->err->code = KL_EDATA;
    if (!code) code = add_decay(r, qubit ? qubit : 1, 0, rates.phi);
    if (!code) code = add_decay(r, qubit ? qubit : 1, 1, rates.down);
    if (!code) code = add_decay(r, qubit ? qubit : 1, 2, rates.up);
    return code;
}
