/* SPDX-License-Identifier: MIT
   Parameters of a head file, as tensors for other programs. */
#include <stdlib.h>
#include <string.h>

#include "head/exchange.h"
#include "store/store.h"

/* Replicas [first, first + n) of one tensor; without the leading dimension if n is 0: then one. */
static int put_tensor(struct kl_weights *weights, struct kl_file *file, const struct kl_tensor *t,
                      size_t first, size_t n, struct kl_error *err)
{
    char name[96];
    const struct kl_dataset *d;
    const size_t dims[3] = { n, t->dims[0], t->dims[1] }, rows = n ? n : 1;
    snprintf(name, sizeof name, "params/%s", t->name);
    int code = kl_store_file_expect(&d, file, name, KL_TYPE_F32, 1 + t->rank, err);
    if (code) return code;
    float *values = malloc(rows * t->size * sizeof *values);
    if (!values) return kl_fail_memory(err, rows * t->size * sizeof *values);
    code = kl_store_file_rows(file, d, first, rows, values, err);
    if (!code)
        code = kl_weights_put(weights, t->name, n ? 1 + t->rank : t->rank, n ? dims : dims + 1, values,
                              err);
    free(values);
    return code;
}

int kl_head_export(struct kl_weights **weights, struct kl_file *file, int64_t replica,
                   struct kl_error *err)
{
    struct kl_head *head = NULL;
    struct kl_weights *w = *weights = calloc(1, sizeof *w);
    if (!w) return kl_fail_memory(err, sizeof *w);
    int code = kl_head_load(&head, file, NULL, replica < 0 ? 0 : replica, NULL, err); /* checks the shapes */
    const size_t n = !code && replica < 0 ? (size_t)head->n_replicas : 0;
    for (int t = 0; !code && t < head->model.block.n; t++)
        code = put_tensor(w, file, &head->model.block.tensors[t], replica < 0 ? 0 : (size_t)replica, n,
                          err);
    kl_head_free(&head);
    if (code) kl_weights_free(weights);
    return code;
}
