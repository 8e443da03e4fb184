/* SPDX-License-Identifier: MIT
   The history of a head file as JSON lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/history_int.h"
#include "store/store.h"

int kl_history_load(struct kl_history *h, struct kl_file *file, struct kl_error *err)
{
    *h = (struct kl_history){ 0 };
    for (int k = 0; k < KL_HISTORY_ROWS; k++) {
        char name[64];
        const struct kl_dataset *d;
        void *data = NULL;
        snprintf(name, sizeof name, "history/%s", kl_history_names[k]);
        int code = kl_file_expect(&d, file, name, KL_TYPE_F64, 2, err);
        if (!code && k > 0 && (d->dims[0] != h->replicas || d->dims[1] != h->epochs))
            code =
                kl_fail(err, KL_EDATA, "%s: dataset %s has another shape than the rest of the history",
                        kl_file_path(file), name);
        if (!code) code = kl_file_load(&data, file, d, err);
        if (code) {
            kl_history_free(h);
            return code;
        }
        h->replicas = d->dims[0], h->epochs = d->dims[1];
        h->rows[k] = data;
    }
    return 0;
}

void kl_history_free(struct kl_history *h)
{
    for (int k = 0; k < KL_HISTORY_ROWS; k++) free(h->rows[k]);
    *h = (struct kl_history){ 0 };
}

int kl_history_jsonl(const char *path, struct kl_file *file, struct kl_error *err)
{
    struct kl_history h;
    char *text = NULL;
    size_t size = 0;
    int code = kl_history_load(&h, file, err);
    if (code) return code;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) {
        code = kl_fail_memory(err, 1024);
        goto out;
    }
    for (size_t i = 0; i < h.replicas * h.epochs; i++) {
        if (isnan(h.rows[0][i])) continue; /* stopped before */
        fprintf(memory, "{\"replica\":%zu,\"epoch\":%zu", i / h.epochs, i % h.epochs + 1);
        for (int k = 0; k < KL_HISTORY_ROWS; k++)
            if (!isnan(h.rows[k][i])) fprintf(memory, ",\"%s\":%.9g", kl_history_names[k], h.rows[k][i]);
        fputs("}\n", memory);
    }
    bool written;
    code =
        fclose(memory) ? kl_fail_memory(err, size) : kl_publish_bytes(&written, path, text, size, err);
out:
    free(text);
    kl_history_free(&h);
    return code;
}
