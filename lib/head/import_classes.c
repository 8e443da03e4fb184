/* SPDX-License-Identifier: MIT
   The classes that weights name beside the features'. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "head/exchange.h"

/* As the weights have it, which are written in UTF-8: the name of a folder may hold any bytes. */
static int check_class(const struct kl_head_import *from, const struct kl_features *f, size_t i,
                       struct kl_error *err)
{
    const char *made = from->weights->class_names + i * from->weights->name_size;
    char *name = strndup(f->class_names + i * f->name_size, f->name_size);
    json_t *found = NULL;
    int code = name ? kl_json_string(&found, name, err) : kl_fail_memory(err, f->name_size);
    if (!code && !kl_same_name(made, strlen(made), json_string_value(found), json_string_length(found)))
        code = kl_fail(err, KL_EDATA, "%s: class %zu is '%.200s', in the features it is '%.200s'",
                       from->path, i, made, json_string_value(found));
    json_decref(found);
    free(name);
    return code;
}

int kl_head_import_classes(const struct kl_head_import *from, const struct kl_features *f,
                           struct kl_error *err)
{
    const struct kl_weights *w = from->weights;
    int code = KL_OK;
    if (w->odd_names)
        kl_caution(from->log, "%s: class_names is no list of texts: classes are not compared",
                   from->path);
    if (!w->class_names) return KL_OK;
    if (w->n_classes != f->n_classes)
        return kl_fail(err, KL_EDATA, "%s: names %zu classes, the features have %zu", from->path,
                       w->n_classes, f->n_classes);
    for (size_t i = 0; i < f->n_classes && !code; i++) code = check_class(from, f, i, err);
    return code;
}
