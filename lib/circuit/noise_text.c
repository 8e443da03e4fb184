/* SPDX-License-Identifier: MIT
   What a person writes about noise, NAME=NUMBER,... or the name of a file, as one canonical text: the
   list, sorted, or JSON where qubits differ; names and times as people write them. */
#include "circuit/circuit_int.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* t1, t2, gate-time or gate-time-2 */
static bool noise_is_time(const char *name)
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
    if (!noise_is_time(name) || (!text && !object)) {
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

/* `all` and `qubits` in place: '_' in a name becomes '-', a time with a unit its number of seconds. What
   is of another form stays as it is. KL_EDATA, KL_ENOMEM. */
static int noise_plain(json_t *root, const char *what, struct kl_error *err)
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

/* ---- noise text ----
   What a person writes about noise, NAME=NUMBER,... or the name of a file, as one canonical text: the
   list, sorted, or JSON where qubits differ. */

enum { MOST_BYTES = 1 << 22 }; /* IBM's properties have 5 KB a qubit */

static int read_file(char **text, const char *path, struct kl_error *err)
{
    size_t n;
    const int code = kl_read_text(text, &n, path, MOST_BYTES, "a calibration in JSON", err);
    if (code || !memchr(*text, 0, n)) return code;
    free(*text);
    *text = NULL;
    return kl_fail(err, KL_EDATA, "%s: no text; expected a calibration in JSON", path);
}

/* JSON takes no other names, and calls them a lack of memory. */
static bool is_printable(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] >= 127) return false;
    return true;
}

enum { NAME = 40 };

/* NAME=NUMBER or, of a time, NAME=NUMBER and a unit. */
static bool read_item(char name[NAME], double *x, const char *item, size_t n)
{
    char *end, unit[8];
    const char *equals = memchr(item, '=', n);
    const size_t length = equals ? (size_t)(equals - item) : 0;
    if (!length || length >= NAME || !is_printable(item, length)) return false;
    snprintf(name, NAME, "%.*s", (int)length, item);
    for (char *c = name; *c; c++)
        if (*c == '_') *c = '-';
    *x = strtod(equals + 1, &end);
    if (end == equals + 1 || end > item + n || !isfinite(*x)) return false;
    if (end == item + n) return true;
    if ((size_t)(item + n - end) >= sizeof unit || !noise_is_time(name)) return false;
    snprintf(unit, sizeof unit, "%.*s", (int)(item + n - end), end);
    return kl_circuit_noise_seconds(x, *x, unit);
}

/* One item of n characters into the object. */
static int add_number(json_t *all, const char *item, size_t n, struct kl_error *err)
{
    char name[NAME];
    double x;
    if (!read_item(name, &x, item, n))
        return kl_fail(
            err, KL_EUSAGE,
            "--noise: found '%.*s', expected NAME=NUMBER as in depolarizing=0.01 or t1=120us, a "
            "file FILE.json, or none",
            (int)n, item);
    if (json_object_get(all, name)) return kl_fail(err, KL_EUSAGE, "--noise: %s is given twice", name);
    return json_object_set_new(all, name, json_real(x)) ? kl_fail_memory(err, 64) : KL_OK;
}

/* A JSON object whose member `all` holds the numbers of the list. */
static int from_list(json_t **root, const char *list, struct kl_error *err)
{
    *root = json_object();
    if (json_object_set_new(*root, "all", json_object())) return kl_fail_memory(err, 64);
    json_t *all = json_object_get(*root, "all");
    for (int code;; list++) {
        const size_t n = strcspn(list, ",");
        if ((code = add_number(all, list, n, err))) return code;
        if (!*(list += n)) return KL_OK;
    }
}

/* Back again, sorted by name; numbers as short as they can be. */
static int to_list(char **text, json_t *all, struct kl_error *err)
{
    enum { MOST = 2048 };
    const char *name;
    json_t *value;
    void *next;
    size_t n = 0;
    *text = calloc(1, MOST);
    if (!*text) return kl_fail_memory(err, MOST);
    json_object_foreach_safe(all, next, name, value)
    {
        char number[40];
        const double x = json_number_value(value);
        int digits = 0;
        do snprintf(number, sizeof number, "%.*g", ++digits, x);
        while (digits < 17 && strtod(number, NULL) != x);
        n += (size_t)snprintf(*text + n, MOST - n, "%s%s=%s", n ? "," : "", name, number);
        if (n >= MOST) return kl_fail(err, KL_EDATA, "noise: too many numbers");
    }
    return KL_OK;
}

int kl_circuit_noise_parse(json_t **root, const char *text, const char *what, struct kl_error *err)
{
    return text[0] == '{' ? kl_json_parse(root, text, what, err) : from_list(root, text, err);
}

/* The same names with the same numbers are the same text, in whichever order or file. */
static int canonical(char **text, json_t *root, const char *what, struct kl_error *err)
{
    struct kl_noise noise;
    json_t *sorted = NULL;
    char *json = NULL;
    int code = kl_json_dump(&json, root, err);
    if (!code) code = kl_circuit_noise_read(&noise, json, what, err);
    free(json);
    json = NULL;
    if (code) return code;
    json_object_del(root, "note"); /* words for people */
    code = kl_json_dump(&json, root, err);
    if (!code) code = kl_json_parse(&sorted, json, what, err);
    if (!code && !noise.n_qubits) {
        code = to_list(text, json_object_get(sorted, "all"), err);
    } else {
        *text = json;
        json = NULL;
    }
    json_decref(sorted);
    free(json);
    return code;
}

/* The value of an option: a file, one and qubits of it, or the noise itself. */
struct option {
    char *path; /* malloc'ed; NULL: the text itself */
    const char *what;
    struct kl_noise_choice choice;
};

static int read_option(struct option *o, const char *text, struct kl_error *err)
{
    static const char ending[] = ".json", chosen[] = ".json,qubits=";
    const size_t n = strlen(text), length = sizeof ending - 1;
    const bool is_file = text[0] != '{' && n > length && strcmp(text + n - length, ending) == 0;
    const char *list = text[0] != '{' && !is_file ? strstr(text, chosen) : NULL;
    *o = (struct option){ NULL, "--noise", { 0 } };
    if (!is_file && !list) return KL_OK;
    o->path = strndup(text, list ? (size_t)(list - text) + length : n);
    if (!o->path) return kl_fail_memory(err, n);
    o->what = o->path;
    return list ? kl_circuit_noise_choice_read(&o->choice, list + sizeof chosen - 1, err) : KL_OK;
}

/* In our own form, names and times plain, of the qubits that are taken. */
static int in_own_form(json_t **root, struct kl_noise_source *source, const struct option *o,
                       struct kl_error *err)
{
    int code;
    source->chosen = o->choice.n > 0;
    if (!json_is_object(*root)) return kl_fail(err, KL_EDATA, "%s: no JSON object", o->what);
    if (kl_circuit_noise_is_ibm(*root)) {
        json_t *own = NULL;
        code = kl_circuit_noise_from_ibm(&own, source, *root, &o->choice, o->what, err);
        json_decref(*root);
        *root = own;
        return code;
    }
    source->n_found = (int)json_array_size(json_object_get(*root, "qubits"));
    code = noise_plain(*root, o->what, err);
    if (!code) code = kl_circuit_noise_pick(*root, source, &o->choice, o->what, err);
    if (!code) kl_circuit_noise_find_idle(source, *root);
    return code;
}

int kl_circuit_noise_text_from(char **text, struct kl_noise_source *source, const char *option,
                               struct kl_error *err)
{
    json_t *root = NULL;
    char *content = NULL;
    struct option o;
    *text = NULL;
    *source = (struct kl_noise_source){ 0 };
    if (!*option || strcmp(option, "none") == 0) {
        *text = calloc(1, 1);
        return *text ? KL_OK : kl_fail_memory(err, 1);
    }
    int code = read_option(&o, option, err);
    snprintf(source->file, sizeof source->file, "%s", o.what);
    if (!code && o.path) code = read_file(&content, o.path, err);
    if (!code && o.path) code = kl_json_parse(&root, content, o.what, err);
    if (!code && !o.path) code = kl_circuit_noise_parse(&root, option, o.what, err);
    if (!code) code = in_own_form(&root, source, &o, err);
    if (!code) code = canonical(text, root, o.what, err);
    kl_make_printable(source->file);
    kl_make_printable(source->unused);
    if (code == KL_EDATA && !o.path) code = err->code = KL_EUSAGE;
    json_decref(root);
    free(content);
    free(o.path);
    if (code) {
        free(*text);
        *text = NULL;
    }
    return code;
}

int kl_circuit_noise_text(char **text, const char *option, struct kl_error *err)
{
    struct kl_noise_source source;
    return kl_circuit_noise_text_from(text, &source, option, err);
}

void kl_circuit_noise_label(char label[KL_NOISE_LABEL], const char *text)
{
    json_t *root = NULL;
    snprintf(label, KL_NOISE_LABEL, "%.*s", KL_NOISE_LABEL - 1, text && *text ? text : "none");
    if (label[0] != '{' || kl_json_parse(&root, text, "noise", NULL)) return;
    const size_t qubits = json_array_size(json_object_get(root, "qubits"));
    const char *name = json_string_value(json_object_get(root, "name"));
    if (!name) name = "calibration";
    size_t n = strnlen(name, 64);
    while (name[n] && (name[n] & 0xc0) == 0x80) n--; /* not within a character of UTF-8 */
    snprintf(label, KL_NOISE_LABEL, "%.*s (%zu qubit%s)", (int)n, name, qubits, qubits == 1 ? "" : "s");
    json_decref(root);
}

int kl_circuit_trajectories_read(int64_t *n, const char *option, int64_t least, const char *noise,
                                 struct kl_error *err)
{
    char *end = NULL;
    *n = 0;
    if (!option) return KL_OK;
    if (isdigit((unsigned char)*option)) *n = strtoll(option, &end, 10);
    if (!end || *end || *n < least || *n > 1000000)
        return kl_fail(err, KL_EUSAGE,
                       "--trajectories: found '%.40s', expected a whole number from %lld to 1000000",
                       option, (long long)least);
    if (noise && !*noise)
        return kl_fail(err, KL_EUSAGE,
                       "--trajectories: there is no noise to draw realisations of; give --noise");
    return KL_OK;
}
