/* SPDX-License-Identifier: MIT
   One option out of the key of a file, as a number. */
#include <jansson.h>
#include <math.h>

#include "plot/plot.h"
#include "store/store.h"

int kl_plot_key_option(double *value, const struct kl_file *file, const char *name, struct kl_error *err)
{
    json_t *parts = NULL;
    const int code = kl_json_parse(&parts, kl_store_file_key_parts(file), kl_store_file_path(file), err);
    const json_t *option = json_object_get(json_object_get(parts, "options"), name);
    *value = json_is_number(option) ? json_number_value(option) : NAN;
    json_decref(parts);
    return code;
}
