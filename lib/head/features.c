/* SPDX-License-Identifier: MIT
   A feature cache, read whole: shuffled batches touch every row once an epoch. */
#include <math.h>
#include <stdlib.h>

#include "base/half.h"
#include "head/features.h"
#include "store/store.h"

/* The features as float; blocks of rows bound the second copy that float16 needs. */
static int load_values(struct kl_features *f, struct kl_file *file, const struct kl_dataset *data,
                       struct kl_error *err)
{
    enum { BLOCK = 1024 };
    void *memory = NULL;
    uint16_t *half = NULL;
    int code = 0;
    if (data->type != KL_TYPE_F32 && data->type != KL_TYPE_F16)
        return kl_fail(err, KL_EDATA, "%s: dataset features: neither float32 nor float16",
                       kl_store_file_path(file));
    if (data->type == KL_TYPE_F32) {
        code = kl_store_file_load(&memory, file, data, err);
        f->x = memory;
        return code;
    }
    if (posix_memalign(&memory, 64, f->n * f->d * sizeof *f->x))
        return kl_fail_memory(err, f->n * f->d * 4);
    f->x = memory;
    half = malloc(BLOCK * f->d * sizeof *half);
    if (!half) return kl_fail_memory(err, BLOCK * f->d * sizeof *half);
    for (size_t row = 0; row < f->n && !code; row += BLOCK) {
        size_t n = f->n - row < BLOCK ? f->n - row : BLOCK;
        code = kl_store_file_rows(file, data, row, n, half, err);
        if (!code) kl_float_from_half(f->x + row * f->d, half, n * f->d);
    }
    free(half);
    return code;
}

static int check(const struct kl_features *f, const char *path, struct kl_error *err)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->labels[i] < 0 || (size_t)f->labels[i] >= f->n_classes)
            return kl_fail(err, KL_EDATA,
                           "%s: dataset labels: row %zu has label %d, but there are %zu classes", path,
                           i, (int)f->labels[i], f->n_classes);
        /* 0 * x is 0 for every finite x, and NaN else */
        float sum = 0;
        for (size_t j = 0; j < f->d; j++) sum += 0 * f->x[i * f->d + j];
        if (sum != 0)
            return kl_fail(err, KL_EDATA,
                           "%s: dataset features: row %zu holds a value that is not finite", path, i);
    }
    return 0;
}

int kl_head_features_describe(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *data, *names;
    void *memory = NULL;
    *f = (struct kl_features){ 0 };
    data = kl_store_file_find(file, "features");
    if (!data || data->rank != 2)
        return kl_fail(err, KL_EDATA, "%s: no dataset features [n, d]; is it a feature cache?",
                       kl_store_file_path(file));
    if (!kl_store_file_find(file, "class_names"))
        return kl_fail(err, KL_EDATA,
                       "%s: has no labels; extract the features again with labels (--labels)",
                       kl_store_file_path(file));
    int code = kl_store_file_expect(&names, file, "class_names", KL_TYPE_STRING, 1, err);
    if (!code) code = kl_store_file_load(&memory, file, names, err);
    if (code) return code;
    f->n = data->dims[0], f->d = data->dims[1], f->n_classes = names->dims[0],
    f->name_size = names->item_size;
    f->class_names = memory;
    return 0;
}

int kl_head_features_load(struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *labels;
    void *memory = NULL;
    int code = kl_head_features_describe(f, file, err);
    if (!code) code = kl_store_file_expect(&labels, file, "labels", KL_TYPE_I32, 1, err);
    if (!code && labels->dims[0] != f->n)
        code = kl_fail(err, KL_EDATA, "%s: %zu features, but %zu labels", kl_store_file_path(file), f->n,
                       labels->dims[0]);
    if (!code) code = kl_store_file_load(&memory, file, labels, err);
    f->labels = memory;
    if (!code) code = load_values(f, file, kl_store_file_find(file, "features"), err);
    if (!code) code = check(f, kl_store_file_path(file), err);
    if (code) kl_head_features_free(f);
    return code;
}

void kl_head_features_free(struct kl_features *f)
{
    free(f->x);
    free(f->labels);
    free(f->class_names);
    *f = (struct kl_features){ 0 };
}
