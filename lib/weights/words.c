/* SPDX-License-Identifier: MIT
   Texts that stand beside the tensors: the configuration, the features' origin, and the names of the
   classes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "weights/weights_int.h"

void kl_weights_utf8(char *to, const unsigned char *data, size_t n, bool big_endian)
{
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t c = data[i] | (uint32_t)data[i + 1] << 8 | (uint32_t)data[i + 2] << 16 |
                     (uint32_t)data[i + 3] << 24;
        if (big_endian) c = __builtin_bswap32(c);
        if (c == 0) break;
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = '?';
        to = kl_put_utf8(to, c);
    }
    *to = 0;
}

char **kl_weights_word(struct kl_weights *weights, const char *name)
{
    return strcmp(name, "config") == 0     ? &weights->config
           : strcmp(name, "features") == 0 ? &weights->features
                                           : NULL;
}

int kl_weights_text(char **word, const unsigned char *data, size_t n, struct kl_error *err)
{
    char *text = malloc(n + 1);
    if (!text) return kl_fail_memory(err, n + 1);
    kl_weights_utf8(text, data, n, false);
    free(*word);
    *word = text;
    return KL_OK;
}

int kl_weights_classes(struct kl_weights *weights, const unsigned char *data, size_t n_classes,
                       size_t size, struct kl_error *err)
{
    char *names = calloc(n_classes, size + 1);
    if (!names) return kl_fail_memory(err, n_classes * (size + 1));
    for (size_t i = 0; i < n_classes; i++)
        kl_weights_utf8(names + i * (size + 1), data + i * size, size, false);
    free(weights->class_names);
    weights->class_names = names, weights->n_classes = n_classes, weights->name_size = size + 1;
    return KL_OK;
}

static int take_word(struct kl_weights *weights, const char *name, const json_t *metadata,
                     struct kl_error *err)
{
    char **word = kl_weights_word(weights, name);
    const char *text = json_string_value(json_object_get(metadata, name));
    if (!text) return KL_OK;
    *word = strdup(text);
    return *word ? KL_OK : kl_fail_memory(err, strlen(text));
}

/* The longest of the strings; 0: it is no array of strings. */
static size_t longest(const json_t *list)
{
    size_t most = 0, i;
    const json_t *name;
    json_array_foreach(list, i, name)
    {
        if (!json_is_string(name)) return 0;
        if (json_string_length(name) + 1 > most) most = json_string_length(name) + 1;
    }
    return most;
}

/* A list of strings, as JSON in a text. */
static int take_classes(struct kl_weights *weights, const json_t *metadata, struct kl_error *err)
{
    enum { MOST = 65536, LONGEST = 4096 }; /* what is beyond them names no classes */
    json_t *list = NULL;
    const json_t *kept = json_object_get(metadata, "class_names");
    const char *text = json_string_value(kept);
    weights->odd_names = kept;
    if (!text) return KL_OK;
    if (kl_json_parse(&list, text, "class_names", err)) {
        if (err->code == KL_ENOMEM) return KL_ENOMEM;
        *err = (struct kl_error){ 0 };
        return KL_OK;
    }
    const size_t size = longest(list), n = json_array_size(list);
    int rc = KL_OK;
    if (size && size <= LONGEST && n <= MOST) {
        weights->odd_names = false;
        weights->class_names = calloc(n, size);
        weights->n_classes = n, weights->name_size = size;
        if (!weights->class_names) rc = kl_fail_memory(err, n * size);
        for (size_t i = 0; !rc && i < n; i++)
            strcpy(weights->class_names + i * size, json_string_value(json_array_get(list, i)));
    }
    json_decref(list);
    return rc;
}

int kl_weights_metadata(struct kl_weights *weights, const json_t *metadata, struct kl_error *err)
{
    int rc = take_word(weights, "config", metadata, err);
    if (!rc) rc = take_word(weights, "features", metadata, err);
    return rc ? rc : take_classes(weights, metadata, err);
}
