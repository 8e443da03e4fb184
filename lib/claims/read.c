/* SPDX-License-Identifier: MIT
   The list of claims: JSON, every member of it known. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "claims/claims.h"

/* Members of an object that are none of the names, which end with NULL. */
static int check_names(const json_t *object, const char *const *names, const char *where,
                       struct kl_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        const char *const *known = names;
        char all[200] = "";
        while (*known && strcmp(*known, name) != 0) known++;
        if (*known) continue;
        for (known = names; *known; known++)
            snprintf(all + strlen(all), sizeof all - strlen(all), known == names ? "%s" : ", %s",
                     *known);
        return kl_fail(err, KL_EDATA, "%s: found '%.60s'; known are %s", where, name, all);
    }
    return KL_OK;
}

static int take_text(const char **text, const json_t *object, const char *name, bool needed,
                     const char *where, struct kl_error *err)
{
    const json_t *value = json_object_get(object, name);
    *text = "";
    if (!value && !needed) return KL_OK;
    if (!value) return kl_fail(err, KL_EDATA, "%s: '%s' is missing", where, name);
    if (!json_is_string(value) || !json_string_length(value))
        return kl_fail(err, KL_EDATA, "%s: '%s': expected a text", where, name);
    *text = json_string_value(value);
    return KL_OK;
}

static bool take_number(double *number, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number);
}

/* "expected" with "tolerance", or "low" with "high": always two-sided. */
static int take_range(struct kl_claim *claim, const json_t *object, const char *where,
                      struct kl_error *err)
{
    double expected, tolerance;
    const bool around = take_number(&expected, object, "expected") &&
                        take_number(&tolerance, object, "tolerance") && tolerance >= 0;
    const bool between = take_number(&claim->low, object, "low") &&
                         take_number(&claim->high, object, "high") && claim->low <= claim->high;
    const int given = !!json_object_get(object, "expected") + !!json_object_get(object, "tolerance") +
                      !!json_object_get(object, "low") + !!json_object_get(object, "high");
    if (given != 2 || around == between)
        return kl_fail(err, KL_EDATA,
                       "%s: expected numbers 'expected' and 'tolerance' (0 or more), or 'low' and "
                       "'high' (not below it)",
                       where);
    if (around) claim->low = expected - tolerance, claim->high = expected + tolerance;
    return KL_OK;
}

static int take_index(struct kl_claim *claim, const json_t *object, const char *where,
                      struct kl_error *err)
{
    size_t i;
    json_t *at;
    const json_t *index = json_object_get(object, "index");
    if (index && (!json_is_array(index) || json_array_size(index) > KL_MAX_RANK || !*claim->dataset))
        return kl_fail(err, KL_EDATA,
                       "%s: 'index': expected a list of at most %d numbers, with a dataset", where,
                       KL_MAX_RANK);
    json_array_foreach(index, i, at)
    {
        if (!json_is_integer(at) || json_integer_value(at) < 0)
            return kl_fail(err, KL_EDATA, "%s: 'index': expected whole numbers from 0", where);
        claim->index[claim->n_index++] = (size_t)json_integer_value(at);
    }
    return KL_OK;
}

static int take_claim(struct kl_claim *claim, const json_t *object, const char *where,
                      struct kl_error *err)
{
    static const char *const names[] = { "claim",     "phase",     "file",   "dataset",
                                         "index",     "attribute", "low",    "expected",
                                         "tolerance", "high",      "source", NULL };
    if (!json_is_object(object)) return kl_fail(err, KL_EDATA, "%s: expected an object", where);
    int code = check_names(object, names, where, err);
    if (!code) code = take_text(&claim->what, object, "claim", true, where, err);
    if (!code) code = take_text(&claim->phase, object, "phase", false, where, err);
    if (!code) code = take_text(&claim->source, object, "source", false, where, err);
    if (!code) code = take_text(&claim->file, object, "file", true, where, err);
    if (!code) code = take_text(&claim->dataset, object, "dataset", false, where, err);
    if (!code) code = take_text(&claim->attribute, object, "attribute", false, where, err);
    if (!code && !*claim->dataset && !*claim->attribute)
        code = kl_fail(err, KL_EDATA, "%s: names neither a 'dataset' nor an 'attribute'", where);
    if (!code) code = take_index(claim, object, where, err);
    if (!code) code = take_range(claim, object, where, err);
    claim->value = NAN;
    return code;
}

/* file: tool: option: value, of files that claims are on. */
static int check_options(const struct kl_claims *c, const char *path, struct kl_error *err)
{
    const char *file, *tool;
    json_t *tools, *options;
    if (c->options && !json_is_object(c->options))
        return kl_fail(err, KL_EDATA, "%s: 'options': expected {file: {tool: {option: value}}}", path);
    json_object_foreach((json_t *)c->options, file, tools)
    {
        size_t i = 0;
        while (i < c->n && strcmp(c->claims[i].file, file) != 0) i++;
        if (i == c->n)
            return kl_fail(err, KL_EDATA, "%s: 'options': no claim is on the file '%.60s'", path, file);
        bool sound = json_is_object(tools);
        json_object_foreach(tools, tool, options) sound = sound && json_is_object(options);
        if (!sound)
            return kl_fail(err, KL_EDATA, "%s: 'options': '%.60s': expected {tool: {option: value}}",
                           path, file);
    }
    return KL_OK;
}

static int take_all(struct kl_claims *c, const char *path, struct kl_error *err)
{
    static const char *const names[] = { "schema", "data", "options", "claims", NULL };
    const json_t *schema = json_object_get(c->json, "schema"),
                 *list = json_object_get(c->json, "claims"), *data = json_object_get(c->json, "data");
    char where[4200];
    if (!json_is_object(c->json) || !json_is_array(list))
        return kl_fail(err, KL_EDATA, "%s: expected an object with a list 'claims'", path);
    int code = check_names(c->json, names, path, err);
    if (code) return code;
    if (!json_is_integer(schema) || json_integer_value(schema) != 1)
        return kl_fail(err, KL_EDATA, "%s: 'schema': expected 1", path);
    if (data && (!json_is_string(data) || json_string_length(data) != 64))
        return kl_fail(err, KL_EDATA, "%s: 'data': expected 64 hex digits, the SHA-256 of the input",
                       path);
    c->data = json_string_value(data);
    c->options = json_object_get(c->json, "options");
    const size_t n = json_array_size(list);
    if (!n) return kl_fail(err, KL_EDATA, "%s: holds no claim", path);
    if (!(c->claims = calloc(n, sizeof *c->claims))) return kl_fail_memory(err, n * sizeof *c->claims);
    for (; c->n < n && !code; c->n++) {
        snprintf(where, sizeof where, "%.4000s: claim %zu", path, c->n + 1);
        code = take_claim(&c->claims[c->n], json_array_get(list, c->n), where, err);
    }
    return code ? code : check_options(c, path, err);
}

int kl_claims_read(struct kl_claims *c, const char *path, struct kl_error *err)
{
    char *text = NULL;
    size_t n = 0;
    const char *slash = strrchr(path, '/');
    *c = (struct kl_claims){ 0 };
    int code = kl_read_text(&text, &n, path, 1 << 20, "a list of claims in JSON", err);
    if (!code) code = kl_json_parse_bytes(&c->json, text, n, path, err);
    if (!code) code = take_all(c, path, err);
    if (!code && !(c->folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0)))
        code = kl_fail_memory(err, strlen(path));
    free(text);
    if (code) kl_claims_free(c);
    return code;
}

void kl_claims_free(struct kl_claims *c)
{
    json_decref(c->json);
    free(c->folder);
    free(c->claims);
    *c = (struct kl_claims){ 0 };
}
