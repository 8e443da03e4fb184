/* SPDX-License-Identifier: MIT
   A struct of values as JSON, by the table of options. */
#include <jansson.h>

#include "base/base_int.h"

char *kl_options_json(const struct kl_tool *tool, const void *values, bool key_only)
{
    json_t *object = json_object();
    const struct kl_option *option;
    bool failed = !object;
    for (size_t i = 0; !failed && (option = kl_option_at(tool, i)); i++) {
        const void *field = (const char *)values + option->offset;
        if ((key_only && !option->in_key) || kl_option_is_answer(option)) continue;
        json_t *value = NULL;
        const char *string;
        switch (option->type) {
        case KL_OPT_FLAG: value = json_boolean(*(const bool *)field); break;
        case KL_OPT_INT: value = json_integer(*(const int64_t *)field); break;
        case KL_OPT_FLOAT: value = json_real(*(const double *)field); break;
        default:
            string = *(const char *const *)field;
            if (!string && key_only) continue;
            if (string) kl_json_string(&value, string, NULL);
            else value = json_null();
        }
        failed = !value || json_object_set_new(object, option->name, value) != 0;
    }
    char *text = NULL;
    if (!failed) kl_json_dump(&text, object, NULL);
    json_decref(object);
    return text;
}
