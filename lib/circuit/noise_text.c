/* SPDX-License-Identifier: MIT
   What a person writes about noise, NAME=NUMBER,... or the name of a file, as one canonical text: the
   list, sorted, or JSON where qubits differ. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"

static int read_file(char **text, const char *path, struct kl_error *err)
{
    size_t n;
    const int code = kl_read_text(text, &n, path, 1 << 16, "a calibration in JSON", err);
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

/* One NAME=NUMBER of n characters into the object. */
static int add_number(json_t *all, const char *item, size_t n, struct kl_error *err)
{
    char name[40], *end;
    const char *equals = memchr(item, '=', n);
    const size_t length = equals ? (size_t)(equals - item) : 0;
    const double x = equals ? strtod(equals + 1, &end) : NAN;
    if (!length || length >= sizeof name || end != item + n || end == equals + 1 || !isfinite(x) ||
        !is_printable(item, length))
        return kl_fail(err, KL_EUSAGE,
                       "--noise: found '%.*s', expected NAME=NUMBER as in depolarizing=0.01, a file "
                       "FILE.json, or none",
                       (int)n, item);
    snprintf(name, sizeof name, "%.*s", (int)length, item);
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

int kl_noise_parse(json_t **root, const char *text, const char *what, struct kl_error *err)
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
    if (!code) code = kl_noise_read(&noise, json, what, err);
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

int kl_noise_text(char **text, const char *option, struct kl_error *err)
{
    json_t *root = NULL;
    char *content = NULL;
    const size_t n = strlen(option);
    const bool is_file = option[0] != '{' && n > 5 && strcmp(option + n - 5, ".json") == 0;
    const char *what = is_file ? option : "--noise";
    int code = KL_OK;
    *text = NULL;
    if (n == 0 || strcmp(option, "none") == 0) {
        *text = calloc(1, 1);
        return *text ? KL_OK : kl_fail_memory(err, 1);
    }
    if (is_file) code = read_file(&content, option, err);
    if (!code && is_file) code = kl_json_parse(&root, content, what, err);
    if (!code && !is_file) code = kl_noise_parse(&root, option, what, err);
    if (!code) code = canonical(text, root, what, err);
    if (code == KL_EDATA && !is_file) code = err->code = KL_EUSAGE;
    json_decref(root);
    free(content);
    if (code) {
        free(*text);
        *text = NULL;
    }
    return code;
}

void kl_noise_label(char label[KL_NOISE_LABEL], const char *text)
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

int kl_trajectories_read(int64_t *n, const char *option, int64_t least, const char *noise,
                         struct kl_error *err)
{
    char *end = NULL;
    *n = 0;
    if (!option) return KL_OK;
    *n = strtoll(option, &end, 10);
    if (end == option || *end || *n < least || *n > 1000000)
        return kl_fail(err, KL_EUSAGE,
                       "--trajectories: found '%.40s', expected a whole number from %lld to 1000000",
                       option, (long long)least);
    if (noise && !*noise)
        return kl_fail(err, KL_EUSAGE,
                       "--trajectories: there is no noise to draw realisations of; give --noise");
    return KL_OK;
}
