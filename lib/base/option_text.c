/* SPDX-License-Identifier: MIT
   The value of an option as text. */
#include <stdlib.h>

#include "base/base_int.h"

/* The shortest decimal text that reads back as the same double. */
static void number_text(double value, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) return;
    }
}

/* A number that lies outside its bounds stands for none: it was not given, and cannot be. */
static bool is_none(const struct kl_option *option, const void *field)
{
    if (option->min == 0 && option->max == 0) return false;
    const double value = option->type == KL_OPT_INT     ? (double)*(const int64_t *)field
                         : option->type == KL_OPT_FLOAT ? *(const double *)field
                                                        : option->min;
    return value < option->min || value > option->max;
}

void kl_option_text(const struct kl_option *option, const void *values, char *text, size_t size)
{
    const void *field = (const char *)values + option->offset;
    const char *string;
    *text = '\0';
    if (is_none(option, field)) return;
    switch (option->type) {
    case KL_OPT_FLAG: snprintf(text, size, "%s", *(const bool *)field ? "true" : "false"); break;
    case KL_OPT_INT: snprintf(text, size, "%lld", (long long)*(const int64_t *)field); break;
    case KL_OPT_FLOAT: number_text(*(const double *)field, text, size); break;
    default: string = *(const char *const *)field; snprintf(text, size, "%s", string ? string : "");
    }
}
