/* SPDX-License-Identifier: MIT
   Parsing and making JSON values, with "no memory" told from "damaged". */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_int.h"

int kl_json_parse(json_t **value, const char *text, const char *what, struct kl_error *err) {
    json_error_t problem;
    errno = 0; /* jansson itself does not always tell the two apart */
    *value = json_loads(text, JSON_REJECT_DUPLICATES, &problem);
    if (*value)
        return 0;
    if (errno == ENOMEM)
        return kl_fail_memory(err, strlen(text));
    return kl_fail(err, KL_EDATA, "%s: not JSON: %s", what, problem.text);
}

int kl_json_string(json_t **value, const char *text, struct kl_error *err) {
    json_t *bytes = json_stringn_nocheck(text, strlen(text)); /* NULL: no memory */
    *value = bytes ? json_string(text) : NULL;
    char *copy = bytes && !*value ? strdup(text) : NULL;
    for (char *c = copy; c && *c; c++)
        if ((unsigned char)*c >= 128)
            *c = '?';
    if (copy)
        *value = json_string(copy);
    free(copy);
    json_decref(bytes);
    return *value ? 0 : kl_fail_memory(err, strlen(text));
}

/* In one block of the right size: json_dumps (jansson 2.14) forgets to look whether its buffer could grow at
   a name. */
int kl_json_dump(char **text, const json_t *value, struct kl_error *err) {
    enum { FLAGS = JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY };
    size_t n = json_dumpb(value, NULL, 0, FLAGS);
    *text = n ? malloc(n + 1) : NULL;
    if (*text && json_dumpb(value, *text, n, FLAGS) != n) {
        free(*text);
        *text = NULL;
    }
    if (!*text)
        return kl_fail_memory(err, n + 1);
    (*text)[n] = 0;
    return 0;
}
