/* SPDX-License-Identifier: MIT
   Names of a dataset's dimensions, as a text attribute of which the file's dimension scales are made. */
#include <stdio.h>
#include <string.h>

#include "store/store_int.h"

static const struct kl_dataset *find(const struct kl_writer *w, const char *name)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->entries[i]->stored.dataset.name, name) == 0) return &w->entries[i]->stored.dataset;
    return NULL;
}

/* Length of "GROUP/", 0 in the root. */
static size_t group_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash + 1 - name) : 0;
}

static int check(const struct kl_writer *w, const struct kl_dataset *d, int i, const char *scale,
                 struct kl_error *err)
{
    const struct kl_dataset *s = find(w, scale);
    const size_t group = group_length(d->name);
    if (!s || s->rank != 1 || s->dims[0] != d->dims[i] || group_length(scale) != group ||
        strncmp(scale, d->name, group) || strcmp(scale, d->name) == 0)
        return kl_fail(
            err, KL_EINTERNAL,
            "dataset %s: dimension %d of %zu: %s is not a scale of it: one dimension, as long, of the "
            "same group",
            d->name, i, d->dims[i], scale);
    return 0;
}

int kl_store_writer_dimensions(struct kl_writer *w, const char *dataset, const char *const *scales,
                               struct kl_error *err)
{
    char words[KL_MAX_RANK * sizeof((struct kl_dataset *)0)->name];
    size_t n = 0;
    int rc = 0;
    pthread_mutex_lock(&w->mutex);
    const struct kl_dataset *d = find(w, dataset);
    if (!d || d->rank == 0)
        rc = kl_fail(err, KL_EINTERNAL, "dataset %s: is not declared, or has no dimensions", dataset);
    for (int i = 0; !rc && i < d->rank; i++) {
        rc = check(w, d, i, scales[i], err);
        if (!rc)
            n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", i ? " " : "",
                                  scales[i] + group_length(scales[i]));
    }
    pthread_mutex_unlock(&w->mutex);
    return rc ? rc : kl_store_writer_text(w, dataset, "dimensions", words, err);
}
