/* SPDX-License-Identifier: MIT
   The options of a head that is imported beside those that its weights were made with. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "head/exchange.h"

enum { VALUE = 100 };

/* As on the command line; "none" of what is not there. */
static void value_text(char text[VALUE], const json_t *value)
{
    char *dumped = NULL;
    if (json_is_string(value)) snprintf(text, VALUE, "%s", json_string_value(value));
    else if (!value) strcpy(text, "none");
    else {
        dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        snprintf(text, VALUE, "%s", dumped ? dumped : "?");
    }
    free(dumped);
}

static void say(const struct kl_log *log, const char *path, const char *name, const json_t *made,
                const json_t *taken)
{
    char one[VALUE], other[VALUE];
    value_text(one, made);
    value_text(other, taken);
    kl_caution(log, "%s: was made with --%s %s, %s is taken", path, name, one, other);
}

int kl_head_import_options(const struct kl_log *log, const char *path, const char *made,
                           const char *taken, struct kl_error *err)
{
    json_t *one = NULL, *other = NULL, *value;
    const char *name;
    int code = kl_json_parse(&one, made, path, err);
    if (!code) code = kl_json_parse(&other, taken, path, err);
    json_object_foreach(other, name, value)
    {
        if (!code && strcmp(name, "map") != 0 && !json_equal(json_object_get(one, name), value))
            say(log, path, name, json_object_get(one, name), value);
    }
    json_object_foreach(one, name, value)
    {
        if (!code && !json_object_get(other, name)) say(log, path, name, value, NULL);
    }
    json_decref(one);
    json_decref(other);
    return code;
}
