/* SPDX-License-Identifier: MIT
   Which replica of a head file is judged alone: by its number, or the best by validation. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "store/store.h"

/* One column of the history of `group` ("" or "controls/twin/"), at each replica's best epoch. */
static int at_best_epochs(double **values, size_t *n, struct kl_file *file, const char *group,
                          const char *column, struct kl_error *err)
{
    char name[96];
    const struct kl_dataset *history, *best;
    int64_t *epochs = NULL;
    double *all = NULL;
    snprintf(name, sizeof name, "%shistory/%s", group, column);
    int code = kl_store_file_expect(&history, file, name, KL_TYPE_F64, 2, err);
    if (!code) code = kl_store_file_load((void **)&all, file, history, err);
    snprintf(name, sizeof name, "%sreplicas/best_epoch", group);
    if (!code) code = kl_store_file_expect(&best, file, name, KL_TYPE_I64, 1, err);
    if (!code) code = kl_store_file_load((void **)&epochs, file, best, err);
    if (!code && best->dims[0] != history->dims[0])
        code = kl_fail(err, KL_EDATA, "%s: %s: found %zu replicas, the history has %zu",
                       kl_store_file_path(file), name, best->dims[0], history->dims[0]);
    for (size_t r = 0; !code && r < history->dims[0]; r++)
        all[r] = epochs[r] >= 0 && (size_t)epochs[r] < history->dims[1]
                     ? all[r * history->dims[1] + (size_t)epochs[r]]
                     : NAN;
    free(epochs);
    if (code) free(all);
    else *values = all, *n = history->dims[0];
    return code;
}

/* The replica with the highest validation accuracy, then the lowest loss, then the first. */
static int find_best(int64_t *replica, struct kl_file *file, const char *group, struct kl_error *err)
{
    double *accuracy = NULL, *loss = NULL;
    size_t n = 0;
    if (!kl_store_file_find(file, "split/validation"))
        return kl_fail(err, KL_EUSAGE,
                       "%s: --replica best: no samples were kept for validation; give a number",
                       kl_store_file_path(file));
    int code = at_best_epochs(&accuracy, &n, file, group, "val_accuracy", err);
    if (!code) code = at_best_epochs(&loss, &n, file, group, "val_loss", err);
    *replica = 0;
    for (size_t r = 1; r < n && !code; r++)
        if (kl_stats_comes_before((struct kl_judgement){ accuracy[r], loss[r] },
                                  (struct kl_judgement){ accuracy[*replica], loss[*replica] }))
            *replica = (int64_t)r;
    free(accuracy);
    free(loss);
    return code;
}

int kl_head_evaluation_replica(int64_t *replica, const char *word, struct kl_file *file,
                               const char *group, struct kl_error *err)
{
    char *end;
    *replica = 0;
    if (!word) return KL_OK;
    if (strcmp(word, "best") == 0) return find_best(replica, file, group, err);
    *replica = strtol(word, &end, 10);
    if (*word >= '0' && *word <= '9' && !*end) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "--replica: found '%.40s', expected a number, from 0, or best", word);
}
