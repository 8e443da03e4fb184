/* SPDX-License-Identifier: MIT
   A file of weights for other programs: the format by the name, and what marks one of ours. */
#include <stdlib.h>
#include <string.h>

#include "weights/weights_int.h"

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
