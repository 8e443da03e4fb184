/* SPDX-License-Identifier: MIT
   The study of synthetic devices, as the figure of validation needs it. */
#include "plot/qrng/validation_view.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "store/store.h"

/* rank 1: [d]; 2: [d, d]. d 0: is found out. */
static int load(void **data, size_t *d, struct kl_file *f, const char *name, enum kl_type type, int rank,
                struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, f, name, type, rank, err);
    if (code) return code;
    if (!*d) *d = set->dims[0];
    for (int i = 0; i < rank; i++)
        if (set->dims[i] != *d)
            return kl_fail(err, KL_EDATA, "%s: %s: expected %zu instead of %zu", kl_store_file_path(f),
                           name, *d, set->dims[i]);
    return kl_store_file_load(data, f, set, err);
}

/* Least squares of accuracy on divergence. */
static void fit(struct kl_validation *v)
{
    double xy = 0, squares = 0;
    v->centre = kl_stats_mean(v->mean, v->d), v->level = kl_stats_mean(v->accuracy, v->d);
    for (size_t i = 0; i < v->d; i++) {
        v->xx += pow(v->mean[i] - v->centre, 2);
        xy += (v->mean[i] - v->centre) * (v->accuracy[i] - v->level);
    }
    v->slope = v->xx > 0 ? xy / v->xx : 0;
    for (size_t i = 0; i < v->d; i++)
        squares += pow(v->accuracy[i] - v->level - v->slope * (v->mean[i] - v->centre), 2);
    v->scatter = v->d > 2 ? sqrt(squares / (double)(v->d - 2)) : 0;
    v->t = v->d > 2 ? kl_stats_student_quantile(0.95, v->d - 2) : 0;
}

static int check_classes(const struct kl_validation *v, struct kl_error *err)
{
    for (size_t i = 0; i < v->d; i++)
        if (v->class[i] < 0 || (size_t)v->class[i] >= v->c)
            return kl_fail(err, KL_EDATA, "%s: class %d of device %zu, expected 0 to %zu",
                           kl_store_file_path(v->file), v->class[i], i, v -> c - 1);
    for (size_t i = 0; i < v->c * v->c; i++)
        if (v->confusion[i] < 0)
            return kl_fail(err, KL_EDATA, "%s: network/confusion: found %lld rows",
                           kl_store_file_path(v->file), (long long)v->confusion[i]);
    return KL_OK;
}

int kl_plot_validation_load(struct kl_validation *v, struct kl_file *f, struct kl_error *err)
{
    *v = (struct kl_validation){ .file = f };
    int code = load((void **)&v->class, &v->d, f, "class", KL_TYPE_I32, 1, err);
    if (!code) code = load((void **)&v->mean, &v->d, f, "study/mean", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->divergence, &v->d, f, "study/divergence", KL_TYPE_F64, 2, err);
    if (!code) code = load((void **)&v->accuracy, &v->d, f, "network/accuracy", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->ones, &v->d, f, "accuracy", KL_TYPE_F64, 1, err);
    if (!code) code = load((void **)&v->confusion, &v->c, f, "network/confusion", KL_TYPE_I64, 2, err);
    if (!code) code = check_classes(v, err);
    if (!code) fit(v);
    return code;
}

void kl_plot_validation_free(struct kl_validation *v)
{
    free(v->mean), free(v->accuracy), free(v->class), free(v->divergence), free(v->ones);
    free(v->confusion);
}
