/* SPDX-License-Identifier: MIT
   What a person writes about noise, NAME=NUMBER,... or the name of a file, as one canonical JSON text.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"

static int read_file(char **text, const char *path, struct kl_error *err)
{
    const size_t most = 1 << 16;
    FILE *file = fopen(path, "re");
    if (!file) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    *text = malloc(most + 1);
    const size_t n = *text ? fread(*text, 1, most + 1, file) : 0;
    int code = KL_OK;
    if (!*text) code = kl_fail_memory(err, most);
    else if (ferror(file)) code = kl_fail_errno(err, KL_EIO, "%s", path);
    else if (n > most || memchr(*text, 0, n))
        code = kl_fail(err, KL_EDATA, "%s: expected a calibration in JSON of at most 64 KiB", path);
    else (*text)[n] = 0;
    fclose(file);
    return code;
}

/* One NAME=NUMBER of n characters into the object. */
static int add_number(json_t *all, const char *item, size_t n, struct kl_error *err)
{
    char name[40], *end;
    const char *equals = memchr(item, '=', n);
    const size_t length = equals ? (size_t)(equals - item) : 0;
    const double x = equals ? strtod(equals + 1, &end) : NAN;
    if (!length || length >= sizeof name || end != item + n || end == equals + 1 || !isfinite(x))
        return kl_fail(err, KL_EUSAGE,
                       "--noise: found \"%.*s\", expected NAME=NUMBER as in depolarizing=0.01, a file "
                       "FILE.json, or none",
                       (int)n, item);
    snprintf(name, sizeof name, "%.*s", (int)length, item);
    if (json_object_get(all, name)) return kl_fail(err, KL_EUSAGE, "--noise: %s is given twice", name);
    return json_object_set_new(all, name, json_real(x)) ? kl_fail_memory(err, 64) : KL_OK;
}

static int from_list(json_t **root, const char *list, struct kl_error *err)
{
    json_t *all = json_object();
    *root = json_object();
    if (!all || !*root || json_object_set_new(*root, "all", all)) return kl_fail_memory(err, 64);
    for (int code;; list++) {
        const size_t n = strcspn(list, ",");
        if ((code = add_number(all, list, n, err))) return code;
        if (!*(list += n)) return KL_OK;
    }
}

int kl_noise_text(char **text, const char *option, struct kl_error *err)
{
    struct kl_noise noise;
    json_t *root = NULL;
    char *content = NULL;
    const size_t n = strlen(option);
    const bool is_file = n > 5 && strcmp(option + n - 5, ".json") == 0;
    int code = KL_OK;
    *text = NULL;
    if (n == 0 || strcmp(option, "none") == 0) {
        *text = calloc(1, 1);
        return *text ? KL_OK : kl_fail_memory(err, 1);
    }
    if (is_file) code = read_file(&content, option, err);
    if (!code && is_file) code = kl_json_parse(&root, content, option, err);
    if (!code && !is_file) code = from_list(&root, option, err);
    if (!code) code = kl_json_dump(text, root, err);
    if (!code) code = kl_noise_read(&noise, *text, is_file ? option : "--noise", err);
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
    json_t *root = NULL, *value;
    const char *name;
    size_t n = 0;
    snprintf(label, KL_NOISE_LABEL, "none");
    if (!text || !*text || kl_json_parse(&root, text, "noise", NULL)) return;
    const size_t qubits = json_array_size(json_object_get(root, "qubits"));
    if (qubits) {
        name = json_string_value(json_object_get(root, "name"));
        snprintf(label, KL_NOISE_LABEL, "%.64s, %zu qubit%s", name ? name : "calibration", qubits,
                 qubits == 1 ? "" : "s");
    }
    json_object_foreach(json_object_get(root, "all"), name, value) if (!qubits && n < KL_NOISE_LABEL)
        n += (size_t)snprintf(label + n, KL_NOISE_LABEL - n, "%s%s=%.6g", n ? "," : "", name,
                              json_number_value(value));
    json_decref(root);
}
