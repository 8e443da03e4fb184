/* SPDX-License-Identifier: MIT
   Root attributes that say what a stage found. */
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

/* `config` is the whole configuration, which readers take apart themselves. */
static bool is_result(const struct kl_attribute *a)
{
    return !a->object[0] && !kl_store_attribute_is_standard(a) && strcmp(a->name, "config") != 0;
}

bool kl_store_file_interval(double ends[2], const struct kl_file *file, const char *name)
{
    static const char *const ending[2] = { "_low", "_high" };
    char full[256];
    for (int i = 0; i < 2; i++) {
        const int n = snprintf(full, sizeof full, "%s%s", name, ending[i]);
        if (n < 0 || (size_t)n >= sizeof full || !kl_store_file_has_attribute(file, "", full) ||
            kl_store_file_number(&ends[i], file, "", full, NULL))
            return false;
    }
    return kl_has_width(ends[0], ends[1]);
}

int kl_store_file_result(const char **name, char **text, const struct kl_file *file, size_t k,
                         struct kl_error *err)
{
    const struct kl_attributes *all = &file->attributes;
    size_t i = 0;
    *name = NULL, *text = NULL;
    for (; i < all->n; i++)
        if (is_result(&all->items[i]) && k-- == 0) break;
    if (i == all->n) return KL_OK;
    const struct kl_attribute *a = &all->items[i];
    const int n = a->type == KL_ATTR_TEXT     ? asprintf(text, "%s", a->text)
                  : a->type == KL_ATTR_NUMBER ? asprintf(text, "%.6g", a->number)
                                              : asprintf(text, "%lld", (long long)a->integer);
    if (n < 0) {
        *text = NULL;
        return kl_fail_memory(err, 64);
    }
    *name = a->name;
    return KL_OK;
}
