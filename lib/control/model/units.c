/* SPDX-License-Identifier: MIT
   Numbers with their units, which nobody may leave out: whether 2 pi is in a frequency is what models of
   other programs get wrong. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/units.h"

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
