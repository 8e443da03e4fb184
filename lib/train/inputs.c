/* SPDX-License-Identifier: MIT
   The input files of a training: opened, put in the order of their contents, into its key. */
#include "train/inputs.h"

#include <stdlib.h>
#include <string.h>

static int by_content(const void *a, const void *b)
{
    return strcmp(kl_store_file_content(*(struct kl_file *const *)a),
                  kl_store_file_content(*(struct kl_file *const *)b));
}

int kl_train_inputs_open(struct kl_train_inputs *in, const char *const *paths, size_t n,
                         const struct kl_kind *kind, struct kl_error *err)
{
    int code = KL_OK;
    *in = (struct kl_train_inputs){ .files = calloc(n + 1, sizeof *in->files), .paths = paths };
    if (!in->files) return kl_fail_memory(err, n * sizeof *in->files);
    for (; in->n < n && !code; in->n++)
        code = kl_store_file_open_kind(&in->files[in->n], paths[in->n], kind, err);
    if (code) return code;
    qsort(in->files, n, sizeof *in->files, by_content);
    for (size_t i = 1; i < n; i++)
        if (by_content(&in->files[i - 1], &in->files[i]) == 0)
            return kl_fail(err, KL_EUSAGE, "%s has the same content as %s; give it once",
                           kl_store_file_path(in->files[i]), kl_store_file_path(in->files[i - 1]));
    return KL_OK;
}

int kl_train_inputs_key(struct kl_key *key, const struct kl_train_inputs *in, const char *role,
                        struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < in->n && !code; i++)
        code = kl_store_key_input(key, role, kl_store_file_content(in->files[i]), err);
    return code;
}

void kl_train_inputs_close(struct kl_train_inputs *in)
{
    for (size_t i = 0; i < in->n; i++) kl_store_file_close(&in->files[i]);
    free(in->files);
    *in = (struct kl_train_inputs){ 0 };
}
