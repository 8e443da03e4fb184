/* SPDX-License-Identifier: MIT
   Lists of NAME=NUMBER in options, with units as in model files. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/model/units.h"
#include "control/pulse/pulse.h"

static const char *skip(const char *text)
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
    const char *at = *text ? skip(*text) : "";
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

/* The text of a quantity with another number. */
static void with_number(char to[64], const struct kl_control_pair *pair, double number)
{
    char *unit;
    (void)strtod(pair->quantity, &unit);
    snprintf(to, 64, "%.17g%.30s", number, unit);
}

int kl_control_pair_limits(double *low, double *high, const struct kl_control_pair *pair,
                           const struct kl_control_system *system, const char *option,
                           struct kl_error *err)
{
    struct kl_control_pair one = *pair;
    one.range = false;
    int code = kl_control_pair_value(high, &one, KL_CONTROL_FREQUENCY, system, option, err);
    *low = -*high;
    if (code || !pair->range) return code;
    one.value = pair->low;
    if (pair->quantity[0]) with_number(one.quantity, pair, pair->low);
    return kl_control_pair_value(low, &one, KL_CONTROL_FREQUENCY, system, option, err);
}

int kl_control_pair_value(double *value, const struct kl_control_pair *pair, int quantity,
                          const struct kl_control_system *system, const char *option,
                          struct kl_error *err)
{
    char where[64];
    int unit;
    *value = pair->value;
    if (pair->range)
        return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected one number, no range", option,
                       pair->length, pair->at);
    if (!pair->quantity[0]) return KL_OK;
    if (quantity == KL_CONTROL_NO_UNIT)
        return kl_fail(err, KL_EUSAGE, "--%s: found '%.*s', expected a factor, which has no unit",
                       option, pair->length, pair->at);
    if (!kl_control_time_unit(&unit, system->time_unit) || unit == KL_CONTROL_UNITLESS)
        return kl_fail(
            err, KL_EUSAGE,
            "--%s: found '%.*s', but system %s has no unit of time: its numbers stand without "
            "units",
            option, pair->length, pair->at, system->name);
    snprintf(where, sizeof where, "--%s%s%s", option, pair->name[0] ? ": " : "", pair->name);
    const int code = kl_control_units_read(value, pair->quantity, (enum kl_control_quantity)quantity,
                                           unit, where, err);
    return code ? err->code = KL_EUSAGE : KL_OK;
}
