/* SPDX-License-Identifier: MIT
   What --set and --range say of a system's parameters: rates, frequencies, and times that stand for
   rates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"

/* Times that stand for rates of a system that has these: 1/T1 = gamma_down + gamma_up, 1/T2 = gamma_phi
   + 1/(2 T1), gamma_phi = 1/Tphi. */
enum { T1, T2, TPHI, TIMES };
static const char *const times[TIMES] = { "T1", "T2", "Tphi" };

/* Which of them is it, and of which parameter, to which --set gives it; -1: none. */
static int find_time(int *param, const struct kl_control_options *o, const struct kl_control_system *s,
                     const char *name)
{
    for (int t = 0; t < TIMES; t++)
        if (strcmp(name, times[t]) == 0 && kl_control_system_param(s, name) < 0) {
            *param = kl_control_options_param(o, s, t == T1 ? "gamma_down" : "gamma_phi");
            return *param < 0 ? -1 : t;
        }
    return -1;
}

/* The rates of times (0: not given), once all else that --set gives is known. */
static int set_times(struct kl_control_system *s, const struct kl_control_options *o,
                     const double time[TIMES], struct kl_error *err)
{
    const int phi = kl_control_options_param(o, s, "gamma_phi"),
              down = kl_control_options_param(o, s, "gamma_down"),
              up = kl_control_options_param(o, s, "gamma_up");
    struct kl_control_decay decay = { .t1 = time[T1], .t2 = time[T2], .tphi = time[TPHI] };
    struct kl_control_rates rates;
    if (!(time[T1] > 0 || time[T2] > 0 || time[TPHI] > 0)) return KL_OK;
    const double back = up < 0 ? 0 : s->params[up].value,
                 all = down < 0 ? back : s->params[down].value + back;
    if (!(time[T1] > 0) && all > 0) decay.t1 = 1 / all;
    if (time[T2] > 2 * decay.t1 * (1 + 1e-12) && decay.t1 > 0) {
        const bool own = !(time[T1] > 0), bare = strcmp(s->time_unit, "1") == 0;
        const char *space = bare ? "" : " ", *unit = bare ? "" : s->time_unit;
        return kl_fail(err, KL_EUSAGE,
                       "--set: T2 is %g%s%s and T1 %g%s%s%s, expected T2 of at most 2 T1: relaxation "
                       "alone limits it%s",
                       time[T2], space, unit, decay.t1, space, unit, own ? ", the system's own" : "",
                       own ? "; give T1 as well" : "");
    }
    const int code = kl_control_decay_rates(&rates, &decay, "--set", err);
    if (code) return code;
    if (time[T1] > 0 && 1 / time[T1] < back)
        return kl_fail(err, KL_EUSAGE,
                       "--set: T1 is %g, expected at most %g: 1/T1 is the sum of both rates", time[T1],
                       1 / back);
    if (time[T1] > 0) s->params[down].value = 1 / time[T1] - back;
    if (time[T2] > 0 || time[TPHI] > 0) s->params[phi].value = rates.phi;
    return KL_OK;
}

int kl_control_options_set(struct kl_control_system *s, const struct kl_control_options *o,
                           const char *text, struct kl_error *err)
{
    struct kl_control_pair pair;
    bool set[KL_CONTROL_MAX_PARAMS] = { false };
    double time[TIMES] = { 0 };
    int code, j;
    while ((code = kl_control_options_pair(&pair, &text, "set", err)) > 0) {
        const char *name = pair.name;
        double value;
        const int t = find_time(&j, o, s, name);
        if (t < 0) j = kl_control_options_param(o, s, name);
        if (j < 0) return kl_control_options_fail_name("set", name, s, false, err);
        code = kl_control_pair_value(
            &value, &pair, t < 0 ? kl_control_options_quantity(s, j) : KL_CONTROL_TIME, s, "set", err);
        if (code) return code;
        if (set[j])
            return kl_fail(err, KL_EUSAGE, "--set: %s%s%s is given twice", t < 0 ? "" : name,
                           t < 0 ? "" : ": ", t < 0 ? name : s->params[j].name);
        set[j] = true;
        if (t >= 0 && !(value > 0))
            return kl_fail(err, KL_EUSAGE, "--set: %s is a time; found %g, expected more than 0", name,
                           value);
        if (t >= 0) {
            time[t] = value;
            continue;
        }
        if (s->params[j].rate && value < 0)
            return kl_fail(err, KL_EUSAGE, "--set: %s is a rate; found %g, expected 0 or more", name,
                           value);
        s->params[j].value = value;
    }
    return code ? code : set_times(s, o, time, err);
}

void kl_control_options_marked(bool *given, const struct kl_control_setup *s,
                               const struct kl_control_options *o)
{
    struct kl_control_pair pair;
    const char *text = o->set ? o->set : "";
    while (kl_control_pair_next(&pair, &text) > 0) {
        int j;
        if (find_time(&j, o, &s->system, pair.name) < 0)
            j = kl_control_options_param(o, &s->system, pair.name);
        if (j >= 0) given[j] = true;
    }
    for (int i = 0; i < s->n_ranges; i++)
        if (s->ranges[i].param >= 0) given[s->ranges[i].param] = true;
}

/* The unit of time a thousand times as long; NULL: none has a name. */
static const char *longer_unit(const char *unit)
{
    static const char *const units[] = { "ps", "ns", "us", "ms", "s" };
    for (int i = 0; i < 4; i++)
        if (strcmp(unit, units[i]) == 0) return units[i + 1];
    return NULL;
}

static void caution_limits(const struct kl_log *log, const struct kl_control_setup *s, int power,
                           const char *text)
{
    const double mhz = pow(10, -power - 6) / (2 * M_PI);
    struct kl_control_pair pair;
    while (kl_control_pair_next(&pair, &text) > 0) {
        if (pair.quantity[0] || !isfinite(s->usual_limit) || !(s->usual_limit > 0)) continue;
        if (pair.value > 10 * s->usual_limit)
            kl_caution(log,
                       "--limit %.*s is %.4g MHz, %.3g times the system's own of %.4g MHz; with a unit: "
                       "--limit '%.*s MHz'",
                       pair.length, pair.at, pair.value * mhz, pair.value / s->usual_limit,
                       s->usual_limit * mhz, pair.length, pair.at);
    }
}

void kl_control_options_caution(const struct kl_log *log, const struct kl_control_setup *s,
                                const struct kl_control_options *o)
{
    const char *unit = s->system.time_unit, *longer = longer_unit(unit), *text = o->set ? o->set : "";
    struct kl_control_pair pair;
    int power, j;
    if (!kl_control_time_unit(&power, unit) || power == KL_CONTROL_UNITLESS) return;
    if (o->limit) caution_limits(log, s, power, o->limit);
    while (longer && kl_control_pair_next(&pair, &text) > 0)
        if (!pair.quantity[0] && find_time(&j, o, &s->system, pair.name) >= 0 &&
            pair.value < 10 * s->problem.duration)
            kl_caution(
                log, "%s = %.10g %s is short beside the pulse of %.10g %s; with a unit: --set '%.*s %s'",
                pair.name, pair.value, unit, s->problem.duration, unit, pair.length, pair.at, longer);
}

/* ---- ranges ---- */
/* By parameter, the amplitude last. */
static int in_order(const void *a, const void *b)
{
    const unsigned x = (unsigned)((const struct kl_control_ranged *)a)->param,
                   y = (unsigned)((const struct kl_control_ranged *)b)->param;
    return (x > y) - (x < y);
}

static int take_range(struct kl_control_ranged *r, const struct kl_control_pair *pair, const bool *given,
                      const struct kl_control_setup *s, const struct kl_control_options *o,
                      struct kl_error *err)
{
    const bool amplitude = strcmp(pair->name, "amplitude") == 0;
    const int j = r->param = amplitude ? -1 : kl_control_options_param(o, &s->system, pair->name);
    if (!pair->range || !pair->name[0])
        return kl_fail(err, KL_EUSAGE,
                       "--range: found '%.*s', expected NAME=LOW:HIGH, a unit behind both, as "
                       "detuning=-5:5 MHz",
                       pair->length, pair->at);
    if (!amplitude && j < 0)
        return kl_control_options_fail_name("range", pair->name, &s->system, false, err);
    for (int i = 0; i < s->n_ranges; i++)
        if (s->ranges[i].param == j)
            return kl_fail(err, KL_EUSAGE, "--range: %s is given twice", pair->name);
    if (j >= 0 && given[j])
        return kl_fail(err, KL_EUSAGE, "--range: %s is given by --set as well; expected one of them",
                       pair->name);
    const int code = kl_control_pair_ends(
        &r->low, &r->high, pair, kl_control_options_quantity(&s->system, j), &s->system, "range", err);
    if (code) return code;
    if (!(r->low < r->high))
        return kl_fail(err, KL_EUSAGE, "--range: found '%.*s', expected the lesser one first",
                       pair->length, pair->at);
    if (j >= 0 && s->system.params[j].rate && r->low < 0)
        return kl_fail(err, KL_EUSAGE, "--range: %s is a rate; found '%.*s', expected 0 or more",
                       pair->name, pair->length, pair->at);
    if (j < 0 && !(r->low > 0))
        return kl_fail(err, KL_EUSAGE,
                       "--range: amplitude is a factor; found '%.*s', expected more than 0",
                       pair->length, pair->at);
    return KL_OK;
}

int kl_control_options_ranges(struct kl_control_setup *s, const struct kl_control_options *o,
                              struct kl_error *err)
{
    struct kl_control_pair pair;
    bool given[KL_CONTROL_MAX_PARAMS] = { false };
    const char *text = o->range ? o->range : "";
    int code;
    kl_control_options_marked(given, s, o);
    while ((code = kl_control_options_pair(&pair, &text, "range", err)) > 0) {
        struct kl_control_ranged r;
        if ((code = take_range(&r, &pair, given, s, o, err))) return code;
        if (s->n_ranges == KL_CONTROL_MAX_RANGES)
            return kl_fail(err, KL_EUSAGE, "--range: expected at most %d of them",
                           (int)KL_CONTROL_MAX_RANGES);
        s->ranges[s->n_ranges++] = r;
        if (r.param >= 0) s->system.params[r.param].value = (r.low + r.high) / 2;
    }
    qsort(s->ranges, (size_t)s->n_ranges, sizeof *s->ranges, in_order);
    return code;
}
