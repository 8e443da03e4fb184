/* SPDX-License-Identifier: MIT
   Networks that answer with one device whatever the row: found when a run ends, counted in the file. By
   the rows of training too, since of few rows that judge the epochs a sound network may say the same. */
#include <stdlib.h>

#include "qrng/classify/study_train_int.h"
#include "store/kind.h"

static size_t answer(const float *logits, size_t classes)
{
    size_t best = 0;
    for (size_t k = 1; k < classes; k++)
        if (logits[k] > logits[best]) best = k;
    return best;
}

int kl_study_collapse(uint8_t *collapsed, const struct kl_study *s, const struct kl_study_run *run,
                      struct kl_error *err)
{
    const size_t n = run->n_training + run->n_judging, c = (size_t)s->bits->n_devices;
    float *logits = malloc(n * c * sizeof *logits);
    if (!logits) return kl_fail_memory(err, n * c * sizeof *logits);
    const int rc = kl_network_logits(logits, &s->options.net, run->network.params, &s->samples,
                                     run->training, n, err);
    *collapsed = 1;
    for (size_t i = 1; i < n && !rc; i++)
        if (answer(logits + i * c, c) != answer(logits, c)) *collapsed = 0;
    free(logits);
    return rc;
}

int kl_study_count_collapsed(size_t *n, const char *path, size_t n_splits, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct kl_dataset *d;
    uint8_t *all = NULL;
    *n = 0;
    int rc = kl_store_file_open_kind(&file, path, &kl_study_kind, err);
    if (!rc) rc = kl_store_file_expect(&d, file, "collapsed", KL_TYPE_U8, 1, err);
    if (!rc) rc = kl_store_file_load((void **)&all, file, d, err);
    for (size_t i = 0; !rc && i < d->rows && i < n_splits; i++) *n += all[i];
    free(all);
    kl_store_file_close(&file);
    return rc;
}
