/* SPDX-License-Identifier: MIT
   Names and times as people write them: gate_time for gate-time, "120.1us" or {"value": 120.1, "unit":
   "us"} for 120.1e-6. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise_int.h"

bool kl_circuit_noise_is_time(const char *name)
{
    return strcmp(name, "t1") == 0 || strcmp(name, "t2") == 0 || strcmp(name, "gate-time") == 0 ||
           strcmp(name, "gate-time-2") == 0;
}

/* x 10^power by its decimal digits: 120.1 us is the double 120.1e-6, which a product need not be. */
static double shifted(double x, int power)
{
    char text[64], *e;
    int digits = 0;
    do snprintf(text, sizeof text, "%.*e", digits++, x);
    while (digits < 18 && strtod(text, NULL) != x);
    e = strchr(text, 'e');
    if (!e) return x; /* not finite */
    const int exponent = (int)strtol(e + 1, NULL, 10) + power;
    snprintf(e, sizeof text - (size_t)(e - text), "e%d", exponent);
    return strtod(text, NULL);
}

bool kl_circuit_noise_seconds(double *seconds, double x, const char *unit)
{
    static const struct {
        const char *name;
        int power;
    } units[] = { { "s", 0 },          { "ms", -3 },        { "us", -6 },
                  { "\xc2\xb5s", -6 }, { "\xce\xbcs", -6 }, /* micro sign, mu */ { "ns", -9 },
                  { "ps", -12 } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *seconds = units[i].power ? shifted(x, units[i].power) : x;
            return true;
        }
    return false;
}

/* "120.1us", "120.1 us" */
static bool from_text(double *seconds, const char *text)
{
    char *end;
    const double x = strtod(text, &end);
    if (end == text || !isfinite(x)) return false;
    return kl_circuit_noise_seconds(seconds, x, end + (*end == ' '));
}

/* {"value": 120.1, "unit": "us"}, with IBM's name and date beside them or not */
static bool from_object(double *seconds, const json_t *object)
{
    const json_t *value = json_object_get(object, "value");
    const char *unit = json_string_value(json_object_get(object, "unit"));
    size_t known = 2;
    known += json_object_get(object, "name") != NULL;
    known += json_object_get(object, "date") != NULL;
    return json_is_number(value) && unit && json_object_size(object) == known &&
           kl_circuit_noise_seconds(seconds, json_number_value(value), unit);
}

/* The value of a name, a new reference in *made. A bare number is seconds. */
static int plain_value(json_t **made, const char *name, json_t *value, const char *what,
                       struct kl_error *err)
{
    const bool text = json_is_string(value), object = json_is_object(value);
    double seconds = NAN;
    if (!kl_circuit_noise_is_time(name) || (!text && !object)) {
        *made = json_incref(value);
        return KL_OK;
    }
    const bool read =
        text ? from_text(&seconds, json_string_value(value)) : from_object(&seconds, value);
    if (read) *made = json_real(seconds);
    if (read) return *made ? KL_OK : kl_fail_memory(err, 64);
    if (text)
        return kl_fail(err, KL_EDATA,
                       "%s: %s: found no number but '%.40s', expected seconds as a number, or a number "
                       "and a unit in quotes, one of " KL_TIME_UNITS,
                       what, name, json_string_value(value));
    const char *unit = json_string_value(json_object_get(value, "unit"));
    return kl_fail(
        err, KL_EDATA,
        "%s: %s: found no number but an object%s%.20s%s, expected a number 'value' and a text "
        "'unit', one of " KL_TIME_UNITS,
        what, name, unit ? " with unit '" : "", unit ? unit : "", unit ? "'" : "");
}

/* One object of numbers, a new one in *made. */
static int plain_numbers(json_t **made, json_t *object, const char *what, struct kl_error *err)
{
    const char *found;
    json_t *value;
    int code = KL_OK;
    if (!(*made = json_object())) return kl_fail_memory(err, 64);
    json_object_foreach(object, found, value)
    {
        char name[64];
        json_t *plain = NULL;
        snprintf(name, sizeof name, "%s", found);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        const bool known = strlen(found) < sizeof name; /* a longer one keeps its name, and is refused */
        if (json_object_get(*made, known ? name : found))
            return kl_fail(err, KL_EDATA, "%s: %s is given twice, with '_' and with '-'", what, name);
        code = plain_value(&plain, name, value, what, err);
        if (!code && json_object_set_new(*made, known ? name : found, plain))
            code = kl_fail_memory(err, 64);
        if (code) return code;
    }
    return KL_OK;
}

int kl_circuit_noise_plain(json_t *root, const char *what, struct kl_error *err)
{
    json_t *all = json_object_get(root, "all"), *list = json_object_get(root, "qubits"), *made = NULL;
    char here[300];
    int code = KL_OK;
    if (json_is_object(all)) {
        snprintf(here, sizeof here, "%.200s%s", what, list ? ": all" : "");
        code = plain_numbers(&made, all, here, err);
        if (!code && json_object_set(root, "all", made)) code = kl_fail_memory(err, 64);
        json_decref(made);
    }
    for (size_t q = 0; !code && q < json_array_size(list); q++) {
        json_t *numbers = json_array_get(list, q);
        if (!json_is_object(numbers)) continue;
        snprintf(here, sizeof here, "%.200s: qubit %zu", what, q);
        code = plain_numbers(&made, numbers, here, err);
        if (!code && json_array_set(list, q, made)) code = kl_fail_memory(err, 64);
        json_decref(made);
    }
    return code;
}
