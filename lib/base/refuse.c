/* SPDX-License-Identifier: MIT
   Options that would do nothing beside others. */
#include <math.h>
#include <string.h>

#include "base/base_int.h"

static bool differ(const struct kl_option *option, const void *values, const void *defaults)
{
    const void *a = (const char *)values + option->offset, *b = (const char *)defaults + option->offset;
    switch (option->type) {
    case KL_OPT_FLAG: return *(const bool *)a != *(const bool *)b;
    case KL_OPT_INT: return *(const int64_t *)a != *(const int64_t *)b;
    case KL_OPT_FLOAT: {
        const double x = *(const double *)a, y = *(const double *)b;
        return x != y && !(isnan(x) && isnan(y));
    }
    default: {
        const char *x = *(const char *const *)a, *y = *(const char *const *)b;
        return x && y ? strcmp(x, y) != 0 : x != y;
    }
    }
}

int kl_options_refuse(const struct kl_tool *tool, const void *values, const void *defaults,
                      const char *names, const char *why, struct kl_error *err)
{
    for (const char *at = names; *at;) {
        const size_t n = strcspn(at, " ");
        const struct kl_option *option = kl_option_find(tool, at, n);
        if (option && differ(option, values, defaults))
            return kl_fail(err, KL_EUSAGE, "--%s: %s", option->name, why);
        at += n + (at[n] == ' ');
    }
    return KL_OK;
}
