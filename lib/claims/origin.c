/* SPDX-License-Identifier: MIT
   Where a file comes from, by its own provenance: the data that a list names, and the options. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "claims/claims_int.h"

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

int kl_claims_origin(char why[KL_CLAIM_WHY], const struct kl_claims *c, const char *name,
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
