/* SPDX-License-Identifier: MIT
   Lists of names, written and read; numbers into them. */
#include "sequence/windows/names.h"

#include <stdlib.h>
#include <string.h>

int kl_sequence_names_put(struct kl_writer *writer, const char *dataset, const char *const *names,
                          size_t n, struct kl_error *err)
{
    size_t item = 1;
    for (size_t i = 0; i < n; i++) item = strlen(names[i]) > item ? strlen(names[i]) : item;
    item = (item + 8) / 8 * 8;
    char *all = calloc(n + 1, item);
    if (!all) return kl_fail_memory(err, (n + 1) * item);
    for (size_t i = 0; i < n; i++) memcpy(all + i * item, names[i], strlen(names[i]));
    const int code =
        kl_store_writer_put(writer, dataset, KL_TYPE_STRING, item, 1, (size_t[]){ n }, all, err);
    free(all);
    return code < 0 ? code : 0;
}

int kl_sequence_names_take(char ***names, size_t *n, struct kl_file *file, const char *dataset,
                           struct kl_error *err)
{
    const struct kl_dataset *d;
    void *data = NULL;
    int code = kl_store_file_expect(&d, file, dataset, KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load(&data, file, d, err);
    if (code) return code;
    *n = d->rows;
    *names = calloc(d->rows + 1, sizeof **names);
    if (!*names) code = kl_fail_memory(err, (d->rows + 1) * sizeof **names), *n = 0;
    for (size_t i = 0; i < d->rows && !code; i++) {
        (*names)[i] = strndup((const char *)data + i * d->item_size, d->item_size);
        if (!(*names)[i]) code = kl_fail_memory(err, d->item_size);
        else kl_make_printable((*names)[i]);
    }
    free(data);
    return code;
}

int kl_sequence_numbers_take(int32_t **numbers, struct kl_file *file, const char *dataset, size_t n,
                             int32_t least, size_t names, struct kl_error *err)
{
    void *data = NULL;
    int code = kl_store_file_load_shape(&data, file, dataset, KL_TYPE_I32, 1, &n, err);
    const int32_t *const values = *numbers = data;
    for (size_t i = 0; i < n && !code; i++)
        if (values[i] < least || (values[i] >= 0 && (size_t)values[i] >= names))
            code = kl_fail(err, KL_EDATA,
                           "%s: dataset %s: number %zu is %d, expected %d or more, below %zu",
                           kl_store_file_path(file), dataset, i, (int)values[i], (int)least, names);
    return code;
}

void kl_sequence_names_free(char **names, size_t n)
{
    for (size_t i = 0; names && i < n; i++) free(names[i]);
    free(names);
}
