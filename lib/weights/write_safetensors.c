/* SPDX-License-Identifier: MIT
   The safetensors format, written: the words are its metadata, padded so that data begin at a multiple
   of 8. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "weights/weights_int.h"

/* Several strings as the text of a JSON array: metadata hold single strings only. */
static int join(json_t **value, const struct kl_weights_word *word, struct kl_error *err)
{
    json_t *list = json_array(), *item = NULL;
    char *text = NULL, *one = malloc(word->size + 1);
    int rc = list && one ? 0 : kl_fail_memory(err, word->size + 1);
    for (size_t i = 0; i < word->n_strings && !rc; i++) {
        snprintf(one, word->size + 1, "%.*s", (int)word->size, word->text + i * word->size);
        rc = kl_json_string(&item, one, err);
        if (!rc && json_array_append_new(list, item)) rc = kl_fail_memory(err, word->size);
    }
    if (!rc) rc = kl_json_dump(&text, list, err);
    if (!rc && !(*value = json_string(text))) rc = kl_fail_memory(err, strlen(text));
    free(text);
    free(one);
    json_decref(list);
    return rc;
}

static int put_metadata(json_t *root, const struct kl_weights_word *words, size_t n_words,
                        struct kl_error *err)
{
    json_t *metadata = json_object(), *value = NULL;
    if (json_object_set_new(root, "__metadata__", metadata)) return kl_fail_memory(err, 64);
    for (size_t i = 0; i < n_words; i++) {
        int rc = words[i].n_strings ? join(&value, &words[i], err)
                                    : kl_json_string(&value, words[i].text, err);
        if (rc) return rc;
        if (json_object_set_new(metadata, words[i].name, value)) return kl_fail_memory(err, 64);
    }
    return 0;
}

static int put_tensor(json_t *root, const struct kl_weight *t, size_t *at, struct kl_error *err)
{
    json_t *shape = json_array(), *entry = NULL;
    int failed = !shape;
    for (int i = 0; i < t->rank && !failed; i++)
        failed = json_array_append_new(shape, json_integer((json_int_t)t->dims[i]));
    if (!failed)
        entry = json_pack("{s:s,s:O,s:[I,I]}", "dtype", "F32", "shape", shape, "data_offsets",
                          (json_int_t)*at, (json_int_t)(*at + 4 * t->n));
    json_decref(shape);
    *at += 4 * t->n;
    return json_object_set_new(root, t->name, entry) ? kl_fail_memory(err, 128) : 0;
}

int kl_weights_safetensors_write(FILE *to, const struct kl_weights *weights,
                                 const struct kl_weights_word *words, size_t n_words,
                                 struct kl_error *err)
{
    size_t at = 0;
    char *text = NULL;
    json_t *root = json_object();
    int rc = root ? put_metadata(root, words, n_words, err) : kl_fail_memory(err, 64);
    for (size_t i = 0; i < weights->n && !rc; i++) rc = put_tensor(root, &weights->tensors[i], &at, err);
    if (!rc) rc = kl_json_dump_as(&text, root, JSON_COMPACT, err);
    json_decref(root);
    if (rc) return rc;
    const size_t n = strlen(text), padded = (n + 7) / 8 * 8;
    for (int i = 0; i < 8; i++) fputc((int)(padded >> (8 * i) & 255), to);
    fwrite(text, 1, n, to);
    for (size_t i = n; i < padded; i++) fputc(' ', to);
    for (size_t i = 0; i < weights->n; i++)
        fwrite(weights->tensors[i].data, 4, weights->tensors[i].n, to);
    free(text);
    return 0;
}

/* ---- A file of weights for other programs: the format by the name, and what marks one of ours
   ---- */

static const struct {
    const char *ending;
    int (*write)(FILE *to, const struct kl_weights *weights, const struct kl_weights_word *words,
                 size_t n_words, struct kl_error *err);
    size_t mark_at;
    const char *mark;
} formats[] = {
    [KL_SAFETENSORS] = { ".safetensors", kl_weights_safetensors_write, 8,
                         "{\"__metadata__\":{\"created_by\":" },
    [KL_NPZ] = { ".npz", kl_weights_npz_write, 30, "created_by.npy" },
};

enum kl_weights_format kl_weights_format(const char *path)
{
    for (int f = 0; f < KL_NO_FORMAT; f++) {
        const size_t n = strlen(path), m = strlen(formats[f].ending);
        if (n > m && strcmp(path + n - m, formats[f].ending) == 0) return (enum kl_weights_format)f;
    }
    return KL_NO_FORMAT;
}

const char *kl_weights_mark(size_t *at, enum kl_weights_format format)
{
    *at = formats[format].mark_at;
    return formats[format].mark;
}

int kl_weights_make(unsigned char **bytes, size_t *n, enum kl_weights_format format,
                    const struct kl_weights *weights, const struct kl_weights_word *words,
                    size_t n_words, struct kl_error *err)
{
    *bytes = NULL;
    FILE *to = open_memstream((char **)bytes, n);
    if (!to) return kl_fail_memory(err, 4096);
    int rc = formats[format].write(to, weights, words, n_words, err);
    const bool failed = ferror(to);
    if ((fclose(to) || failed) && !rc) rc = kl_fail_memory(err, *n);
    if (rc) {
        free(*bytes);
        *bytes = NULL;
    }
    return rc;
}
