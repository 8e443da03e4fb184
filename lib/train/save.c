/* SPDX-License-Identifier: MIT
   The state of a training as datasets, at the top of a file or in a group of it. */
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "train/train_int.h"

/* One value of every replica. */
struct column {
    const char *name;
    enum kl_type type;
    size_t offset; /* in struct kl_replica */
};
static const struct column columns[] = {
    { "best_epoch", KL_TYPE_I64, offsetof(struct kl_replica, best_epoch) },
    { "stopped_epoch", KL_TYPE_I64, offsetof(struct kl_replica, stopped_epoch) },
    { "stale", KL_TYPE_I64, offsetof(struct kl_replica, stale) },
    { "plateau_stale", KL_TYPE_I64, offsetof(struct kl_replica, plateau_stale) },
    { "reductions", KL_TYPE_I64, offsetof(struct kl_replica, reductions) },
    /* Of a schedule with a threshold alone. */
    { "plateau_best", KL_TYPE_F64, offsetof(struct kl_replica, plateau_best) },
};
static int n_columns(const struct kl_train *train)
{
    return (int)(sizeof columns / sizeof *columns) - (train->options.schedule.threshold <= 0);
}

/* The blocks of a replica and the group each is kept in. */
static const struct {
    const char *group;
    size_t offset;
} groups[] = { { "params", offsetof(struct kl_replica, best) },
               { "last", offsetof(struct kl_replica, params) },
               { "optimizer/m", offsetof(struct kl_replica, m) },
               { "optimizer/v", offsetof(struct kl_replica, v) } };
enum { N_GROUPS = sizeof groups / sizeof *groups, LONGEST_NAME = 128 };

static char *field(const struct kl_train *train, size_t r, size_t offset)
{
    return (char *)&train->replicas[r] + offset;
}

static void shape_of(size_t dims[KL_TENSOR_RANK + 1], const struct kl_train *train,
                     const struct kl_tensor *t)
{
    dims[0] = (size_t)train->options.replicas;
    memcpy(dims + 1, t->dims, sizeof t->dims);
}

static int save_tensor(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                       const struct kl_tensor *t, int g, struct kl_error *err)
{
    const bool wide = train->learner->wide;
    const size_t real = kl_train_real(train->learner), replicas = (size_t)train->options.replicas;
    char name[LONGEST_NAME];
    size_t dims[KL_TENSOR_RANK + 1];
    char *values = malloc(replicas * t->size * real);
    if (!values) return kl_fail_memory(err, replicas * t->size * real);
    for (size_t r = 0; r < replicas; r++) {
        void *to = values + r * t->size * real, *from = *(void **)field(train, r, groups[g].offset);
        if (wide) kl_nn_tensor_to_file_f64(to, t, from);
        else kl_nn_tensor_to_file_f32(to, t, from);
    }
    shape_of(dims, train, t);
    snprintf(name, sizeof name, "%s%s/%s", prefix, groups[g].group, t->name);
    int code = kl_store_writer_put(w, name, wide ? KL_TYPE_F64 : KL_TYPE_F32, 0, 1 + t->rank, dims,
                                   values, err);
    free(values);
    return code < 0 ? code : 0;
}

static int put_column(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                      const char *name, enum kl_type type, const void *values, struct kl_error *err)
{
    char full[LONGEST_NAME];
    const size_t replicas = (size_t)train->options.replicas;
    snprintf(full, sizeof full, "%sreplicas/%s", prefix, name);
    int code = kl_store_writer_put(w, full, type, 0, 1, &replicas, values, err);
    return code < 0 ? code : 0;
}

/* int64 and double columns alike are eight bytes. */
static int save_columns(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                        struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    const size_t replicas = (size_t)train->options.replicas;
    double *values = malloc(replicas * sizeof *values);
    int code = values ? 0 : kl_fail_memory(err, replicas * sizeof *values);
    for (int c = 0; c < n_columns(train) && !code; c++) {
        for (size_t r = 0; r < replicas; r++)
            memcpy(&values[r], field(train, r, columns[c].offset), sizeof *values);
        code = put_column(w, train, prefix, columns[c].name, columns[c].type, values, err);
    }
    for (int s = 0; s < l->n_named && !code; s++) {
        for (size_t r = 0; r < replicas; r++) {
            const double sum = train->replicas[r].sums[s];
            const int64_t count = l->sums[s].counts ? (int64_t)sum : 0;
            memcpy(&values[r], l->sums[s].counts ? (const void *)&count : &sum, sizeof *values);
        }
        code = put_column(w, train, prefix, l->sums[s].name,
                          l->sums[s].counts ? KL_TYPE_I64 : KL_TYPE_F64, values, err);
    }
    free(values);
    return code;
}

static int save_history(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                        struct kl_error *err)
{
    const size_t replicas = (size_t)train->options.replicas, epochs = (size_t)train->options.epochs,
                 dims[2] = { replicas, epochs };
    char name[LONGEST_NAME];
    double *values = malloc(replicas * epochs * sizeof *values);
    int code = values ? 0 : kl_fail_memory(err, replicas * epochs * sizeof *values);
    for (int k = 0; k < train->learner->n_rows && code >= 0; k++) {
        for (size_t r = 0; r < replicas; r++)
            memcpy(values + r * epochs, train->replicas[r].history[k], epochs * sizeof *values);
        snprintf(name, sizeof name, "%shistory/%s", prefix, train->learner->rows[k].name);
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 2, dims, values, err);
    }
    free(values);
    return code < 0 ? code : 0;
}

int kl_train_save(struct kl_writer *w, const struct kl_train *train, const char *prefix, bool whole,
                  struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    const int64_t position[3] = { train->epoch, train->step, train->options.first_replica };
    char name[LONGEST_NAME];
    int code = 0;
    if (whole && l->n_named < l->n_sums && !l->save)
        return kl_fail(err, KL_EINTERNAL, "sums without a name are lost where nothing saves them");
    for (int g = 0; g < (whole ? N_GROUPS : 1) && !code; g++)
        for (int t = 0; t < l->block->n && !code; t++)
            code = save_tensor(w, train, prefix, &l->block->tensors[t], g, err);
    if (!code) code = save_history(w, train, prefix, err);
    if (!code) code = save_columns(w, train, prefix, err);
    if (!code && l->save) code = l->save(w, train, prefix, err);
    if (code || !whole) return code;
    snprintf(name, sizeof name, "%sposition", prefix);
    code = kl_store_writer_put(w, name, KL_TYPE_I64, 0, 1, (size_t[]){ 3 }, position, err);
    return code < 0 ? code : 0;
}

/* ---- and back ---- */

static int restore_tensor(struct kl_train *train, struct kl_file *file, const char *prefix,
                          const struct kl_tensor *t, int g, struct kl_error *err)
{
    const bool wide = train->learner->wide;
    const size_t real = kl_train_real(train->learner);
    char name[LONGEST_NAME];
    size_t dims[KL_TENSOR_RANK + 1];
    void *data = NULL;
    shape_of(dims, train, t);
    snprintf(name, sizeof name, "%s%s/%s", prefix, groups[g].group, t->name);
    int code = kl_store_file_load_shape(&data, file, name, wide ? KL_TYPE_F64 : KL_TYPE_F32, 1 + t->rank,
                                        dims, err);
    if (code) return code;
    for (size_t r = 0; r < dims[0]; r++) {
        void *to = *(void **)field(train, r, groups[g].offset),
             *from = (char *)data + r * t->size * real;
        if (wide) kl_nn_tensor_from_file_f64(to, t, from);
        else kl_nn_tensor_from_file_f32(to, t, from);
    }
    free(data);
    return 0;
}

static int restore_history(struct kl_train *train, struct kl_file *file, const char *prefix,
                           struct kl_error *err)
{
    const size_t dims[2] = { (size_t)train->options.replicas, (size_t)train->options.epochs };
    char name[LONGEST_NAME];
    for (int k = 0; k < train->learner->n_rows; k++) {
        double *data = NULL;
        snprintf(name, sizeof name, "%shistory/%s", prefix, train->learner->rows[k].name);
        int code = kl_store_file_load_shape((void **)&data, file, name, KL_TYPE_F64, 2, dims, err);
        if (code) return code;
        for (size_t r = 0; r < dims[0]; r++)
            memcpy(train->replicas[r].history[k], data + r * dims[1], dims[1] * sizeof *data);
        free(data);
    }
    return 0;
}

static int load_column(double **data, const struct kl_train *train, struct kl_file *file,
                       const char *prefix, const char *name, enum kl_type type, struct kl_error *err)
{
    char full[LONGEST_NAME];
    const size_t replicas = (size_t)train->options.replicas;
    snprintf(full, sizeof full, "%sreplicas/%s", prefix, name);
    return kl_store_file_load_shape((void **)data, file, full, type, 1, &replicas, err);
}

/* A sum of a replica; counts are whole in double up to 2^53. */
static int restore_sum(struct kl_train *train, struct kl_file *file, const char *prefix, int s,
                       struct kl_error *err)
{
    const struct kl_train_sum *sum = &train->learner->sums[s];
    void *data = NULL;
    int code = load_column((double **)&data, train, file, prefix, sum->name,
                           sum->counts ? KL_TYPE_I64 : KL_TYPE_F64, err);
    for (size_t r = 0; r < (size_t)train->options.replicas && !code; r++) {
        const int64_t count = sum->counts ? ((const int64_t *)data)[r] : 0;
        if (count < 0 || count > (int64_t)1 << 53)
            code = kl_fail(err, KL_EDATA, "%s: dataset %sreplicas/%s: found %lld, expected a count",
                           kl_store_file_path(file), prefix, sum->name, (long long)count);
        train->replicas[r].sums[s] = sum->counts ? (double)count : ((const double *)data)[r];
    }
    free(data);
    return code;
}

static int restore_columns(struct kl_train *train, struct kl_file *file, const char *prefix,
                           struct kl_error *err)
{
    const size_t replicas = (size_t)train->options.replicas;
    int code = 0;
    for (int c = 0; c < n_columns(train) && !code; c++) {
        double *data = NULL;
        code = load_column(&data, train, file, prefix, columns[c].name, columns[c].type, err);
        for (size_t r = 0; r < replicas && !code; r++)
            memcpy(field(train, r, columns[c].offset), &data[r], sizeof *data);
        free(data);
    }
    for (int s = 0; s < train->learner->n_named && !code; s++)
        code = restore_sum(train, file, prefix, s, err);
    return code;
}

static int check_epochs(const struct kl_train *train, const struct kl_file *file, struct kl_error *err)
{
    const int64_t epochs = train->options.epochs;
    for (size_t r = 0; r < (size_t)train->options.replicas; r++) {
        const struct kl_replica *one = &train->replicas[r];
        if (one->best_epoch < (train->epoch > 0 ? 0 : -1) || one->best_epoch >= epochs ||
            one->stopped_epoch < -1 || one->stopped_epoch >= epochs)
            return kl_fail(err, KL_EDATA,
                           "%s: replica %zu: best epoch %lld, stopped in %lld, of %lld epochs",
                           kl_store_file_path(file), r, (long long)one->best_epoch,
                           (long long)one->stopped_epoch, (long long)epochs);
    }
    return 0;
}

static int restore_position(struct kl_train *train, struct kl_file *file, const char *prefix,
                            struct kl_error *err)
{
    char name[LONGEST_NAME];
    int64_t *position = NULL;
    snprintf(name, sizeof name, "%sposition", prefix);
    int code =
        kl_store_file_load_shape((void **)&position, file, name, KL_TYPE_I64, 1, (size_t[]){ 3 }, err);
    if (code) return code;
    train->epoch = position[0], train->step = position[1];
    free(position);
    if (train->epoch < 0 || train->epoch > train->options.epochs || train->step < 0 ||
        train->step > train->learner->steps_per_epoch ||
        (train->epoch == train->options.epochs && train->step > 0))
        return kl_fail(err, KL_EDATA, "%s: dataset %s: epoch %lld, step %lld lies outside the training",
                       kl_store_file_path(file), name, (long long)train->epoch, (long long)train->step);
    return 0;
}

int kl_train_restore(struct kl_train *train, struct kl_file *file, const char *prefix,
                     struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    int code = 0;
    for (int g = 0; g < N_GROUPS && !code; g++)
        for (int t = 0; t < l->block->n && !code; t++)
            code = restore_tensor(train, file, prefix, &l->block->tensors[t], g, err);
    if (!code) code = restore_history(train, file, prefix, err);
    if (!code) code = restore_columns(train, file, prefix, err);
    if (!code) code = restore_position(train, file, prefix, err);
    if (!code) code = check_epochs(train, file, err);
    return code || !l->restore ? code : l->restore(train, file, prefix, err);
}
