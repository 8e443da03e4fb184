/* SPDX-License-Identifier: MIT
   Published numbers held against finished files: a list read, each number found and compared, the table.
 */
#include "claims/claims.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "claims/claims_int.h"

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

/* ---- origin ----
   Where a file comes from, by its own provenance: the data that a list names, and the options. */

/* Is it the digest of a raw input of any record? */
static bool comes_from(const json_t *records, const char *sha256)
{
    size_t i;
    json_t *record, *input;
    const char *role;
    json_array_foreach(records, i, record)
    {
        json_object_foreach(json_object_get(record, "inputs"), role, input)
        {
            const char *found = json_string_value(json_object_get(input, "sha256"));
            if (found && strcmp(found, sha256) == 0) return true;
        }
    }
    return false;
}

static bool same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

static int say_difference(char why[KL_CLAIM_WHY], const char *path, const char *tool, const char *name,
                          const json_t *is, const json_t *wanted, struct kl_error *err)
{
    char *has = NULL, *want = NULL;
    int code = is ? kl_json_dump_as(&has, is, JSON_ENCODE_ANY, err) : KL_OK;
    if (!code) code = kl_json_dump_as(&want, wanted, JSON_ENCODE_ANY, err);
    if (!code)
        snprintf(why, KL_CLAIM_WHY, "%.200s: %.20s had %.40s for --%.40s, the claims are of %.40s", path,
                 tool, has ? has : "nothing", name, want);
    free(has), free(want);
    return code;
}

/* Every record of the tool has these options, and there is one; else why says what is not so. */
static int check_tool(char why[KL_CLAIM_WHY], const char *path, const json_t *records, const char *tool,
                      const json_t *wanted, struct kl_error *err)
{
    size_t i;
    json_t *record, *value;
    const char *name;
    bool ran = false;
    json_array_foreach(records, i, record)
    {
        const char *found = json_string_value(json_object_get(record, "tool"));
        if (!found || strcmp(found, tool) != 0) continue;
        ran = true;
        json_object_foreach((json_t *)wanted, name, value)
        {
            const json_t *is = json_object_get(json_object_get(record, "options"), name);
            if (!same(is, value)) return say_difference(why, path, tool, name, is, value, err);
        }
    }
    if (!ran) snprintf(why, KL_CLAIM_WHY, "%.200s has no record of a %.20s", path, tool);
    return KL_OK;
}

/* Does the file, which the list calls `name`, come from the list's data, made with the list's options?
   If not, why says so; else it is left "". KL_EDATA, KL_ENOMEM. */
static int claims_origin(char why[KL_CLAIM_WHY], const struct kl_claims *c, const char *name,
                         const struct kl_file *file, struct kl_error *err)
{
    json_t *records = NULL, *options = NULL;
    const char *tool, *path = kl_store_file_path(file);
    const json_t *tools = json_object_get(c->options, name);
    if (!c->data && !tools) return KL_OK;
    int code = kl_json_parse(&records, kl_store_file_provenance(file), path, err);
    if (!code && c->data && !comes_from(records, c->data))
        snprintf(why, KL_CLAIM_WHY, "%.200s does not come from the data of the claims (%.12s...)", path,
                 c->data);
    json_object_foreach((json_t *)tools, tool, options)
    {
        if (!code && !*why) code = check_tool(why, path, records, tool, options, err);
    }
    json_decref(records);
    return code;
}

/* ---- A published number held against the file that should have it ---- */

const char *const kl_verdict_names[KL_VERDICTS] = {
    [KL_NOT_RUN] = "not run", [KL_PASS] = "pass", [KL_FAIL] = "FAIL"
};

/* May numbers of the file be believed? If not, why says so. */
static int check_file(char why[KL_CLAIM_WHY], const struct kl_claims *c, const char *name,
                      struct kl_file *file, struct kl_error *err)
{
    const char *version = strrchr(kl_store_file_created_by(file), ' ');
    if (!version || strcmp(version + 1, KL_VERSION) != 0) {
        snprintf(why, KL_CLAIM_WHY, "%.200s was written by %.40s, this is " KL_VERSION "; make it again",
                 kl_store_file_path(file), kl_store_file_created_by(file));
        return KL_OK;
    }
    const int code = kl_store_file_verify(file, NULL, err);
    return code ? code : claims_origin(why, c, name, file, err);
}

static int read_element(struct kl_claim *claim, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, claim->dataset);
    void *data = NULL;
    size_t at = 0;
    if (!d) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s has no dataset %.60s", kl_store_file_path(file),
                 claim->dataset);
        return KL_OK;
    }
    bool fits = claim->n_index == d->rank && d->type != KL_TYPE_F16 && d->type != KL_TYPE_STRING;
    for (int k = 0; fits && k < d->rank; k++) {
        fits = claim->index[k] < d->dims[k];
        at = at * d->dims[k] + claim->index[k];
    }
    if (!fits) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s: dataset %.60s has no number at this index (%d axes)",
                 kl_store_file_path(file), claim->dataset, d->rank);
        return KL_OK;
    }
    int code = kl_store_file_load(&data, file, d, err);
    if (!code) claim->value = kl_store_type_number(d->type, data, at);
    free(data);
    return code;
}

static int read_attribute(struct kl_claim *claim, const struct kl_file *file, struct kl_error *err)
{
    struct kl_error why;
    if (!kl_store_file_has_attribute(file, claim->dataset, claim->attribute)) {
        snprintf(claim->why, KL_CLAIM_WHY, "%.200s has no attribute %.60s", kl_store_file_path(file),
                 claim->attribute);
        return KL_OK;
    }
    int code = kl_store_file_number(&claim->value, file, claim->dataset, claim->attribute, &why);
    if (code == KL_ENOMEM) return kl_fail(err, code, "%s", why.text);
    if (code) snprintf(claim->why, KL_CLAIM_WHY, "%.290s", why.text);
    return KL_OK;
}

static void judge(struct kl_claim *claim)
{
    if (*claim->why) {
        claim->verdict = KL_NOT_RUN;
        claim->value = NAN;
    } else
        claim->verdict = claim->value >= claim->low && claim->value <= claim->high ? KL_PASS : KL_FAIL;
}

/* All claims on one file, from claim `first` on: it is opened and verified once. */
static int check_claims(struct kl_claims *c, size_t first, struct kl_error *err)
{
    struct kl_file *file = NULL;
    char path[4200], why[KL_CLAIM_WHY] = "";
    const char *name = c->claims[first].file;
    snprintf(path, sizeof path, "%.2000s%.2000s", *name == '/' ? "" : c->folder, name);
    int code = kl_store_file_open(&file, path, err);
    if (code == KL_ENOINPUT && access(path, F_OK) != 0)
        snprintf(why, sizeof why, "there is no %.200s yet", path), code = KL_OK;
    else if (!code) code = check_file(why, c, name, file, err);
    for (size_t i = first; i < c->n && !code; i++) {
        struct kl_claim *claim = &c->claims[i];
        if (strcmp(claim->file, name) != 0) continue;
        memcpy(claim->why, why, sizeof why);
        if (file) snprintf(claim->key, sizeof claim->key, "%s", kl_store_file_key(file));
        if (!*why)
            code = *claim->attribute ? read_attribute(claim, file, err) : read_element(claim, file, err);
        judge(claim);
        c->verdicts[claim->verdict]++;
    }
    kl_store_file_close(&file);
    return code;
}

int kl_claims_check(struct kl_claims *c, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < c->n && !code; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) seen = strcmp(c->claims[k].file, c->claims[i].file) == 0;
        if (kl_signals_pending()) return kl_fail(err, KL_ESIGNAL, "stopped");
        if (!seen) code = check_claims(c, i, err);
    }
    return code;
}

/* ---- What was found, for people and for programs ---- */

static void write_line(FILE *to, const struct kl_claim *claim)
{
    fprintf(to, "%-8s %-44s ", kl_verdict_names[claim->verdict], claim->what);
    if (claim->verdict == KL_NOT_RUN) fprintf(to, "%s\n", claim->why);
    else
        fprintf(to, "%.9g %s [%.9g, %.9g]%s%s%s\n", claim->value,
                claim->verdict == KL_PASS ? "in" : "not in", claim->low, claim->high,
                *claim->source ? "  (" : "", claim->source, *claim->source ? ")" : "");
}

void kl_claims_table(FILE *to, const struct kl_claims *c)
{
    static const enum kl_verdict order[KL_VERDICTS] = { KL_PASS, KL_NOT_RUN, KL_FAIL };
    for (int v = 0; v < KL_VERDICTS; v++)
        for (size_t i = 0; i < c->n; i++)
            if (c->claims[i].verdict == order[v]) write_line(to, &c->claims[i]);
}

static json_t *counts(const struct kl_claims *c, const char *phase)
{
    size_t n[KL_VERDICTS] = { 0 };
    for (size_t i = 0; i < c->n; i++)
        if (!phase || strcmp(c->claims[i].phase, phase) == 0) n[c->claims[i].verdict]++;
    return json_pack("{s:I, s:I, s:I}", "pass", (json_int_t)n[KL_PASS], "fail", (json_int_t)n[KL_FAIL],
                     "not_run", (json_int_t)n[KL_NOT_RUN]);
}

/* NULL: no memory. Paths and what quotes them may hold any bytes. */
static json_t *describe(const struct kl_claim *claim)
{
    static const char *const words[KL_VERDICTS] = {
        [KL_NOT_RUN] = "not-run", [KL_PASS] = "pass", [KL_FAIL] = "fail"
    };
    json_t *value = isfinite(claim->value) ? json_real(claim->value) : json_null(), *why = NULL;
    if (kl_json_string(&why, claim->why, NULL)) return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:f, s:f, s:s, s:s, s:o}", "claim", claim->what, "phase",
                     claim->phase, "verdict", words[claim->verdict], "file", claim->file, "value", value,
                     "low", claim->low, "high", claim->high, "source", claim->source, "key", claim->key,
                     "why", why);
}

int kl_claims_json(FILE *to, const struct kl_claims *c, struct kl_error *err)
{
    json_t *phases = json_object(), *list = json_array();
    char *text = NULL;
    int failed = !phases || !list;
    for (size_t i = 0; i < c->n && !failed; i++) {
        failed = json_array_append_new(list, describe(&c->claims[i]));
        if (!failed && !json_object_get(phases, c->claims[i].phase))
            failed = json_object_set_new(phases, c->claims[i].phase, counts(c, c->claims[i].phase));
    }
    json_t *all = failed ? NULL
                         : json_pack("{s:i, s:o, s:O, s:O}", "schema", 1, "counts", counts(c, NULL),
                                     "phases", phases, "claims", list);
    int code = all ? kl_json_dump_as(&text, all, JSON_COMPACT, err) : kl_fail_memory(err, 4096);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(all);
    json_decref(phases);
    json_decref(list);
    return code;
}
