/* SPDX-License-Identifier: MIT
   The whole state of a training, as datasets of a head or checkpoint file: at its top, or in the group
   of a control. */
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
#include "store/kind.h"
#include "store/store.h"

/* One value of every replica. */
struct column {
    const char *name;
    enum kl_type type;
    size_t offset; /* in struct kl_replica */
};
static const struct column columns[] = {
    { "replicas/best_epoch", KL_TYPE_I64, offsetof(struct kl_replica, best_epoch) },
    { "replicas/stopped_epoch", KL_TYPE_I64, offsetof(struct kl_replica, stopped_epoch) },
    { "replicas/stale", KL_TYPE_I64, offsetof(struct kl_replica, stale) },
    { "replicas/plateau_stale", KL_TYPE_I64, offsetof(struct kl_replica, plateau_stale) },
    { "replicas/reductions", KL_TYPE_I64, offsetof(struct kl_replica, reductions) },
    { "replicas/epoch_correct", KL_TYPE_I64, offsetof(struct kl_replica, epoch_correct) },
    { "replicas/epoch_loss", KL_TYPE_F64, offsetof(struct kl_replica, epoch_loss) },
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };
/* The blocks of a replica and the group each is kept in. */
static const struct {
    const char *group;
    size_t offset;
} groups[] = { { "params", offsetof(struct kl_replica, best) },
               { "last", offsetof(struct kl_replica, params) },
               { "optimizer/m", offsetof(struct kl_replica, m) },
               { "optimizer/v", offsetof(struct kl_replica, v) } };
enum { N_GROUPS = sizeof groups / sizeof *groups, LONGEST_NAME = 128, LONGEST_PREFIX = 24 };

/* "controls/twin/" */
static void name_group(char prefix[LONGEST_PREFIX], const struct kl_train *train)
{
    snprintf(prefix, LONGEST_PREFIX, "controls/%s/", kl_core_names[train->model->options.core]);
}

static char *field(const struct kl_train *train, int64_t r, size_t offset)
{
    return (char *)&train->replicas[r] + offset;
}

static int save_tensor(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                       const struct kl_tensor *t, const char *group, size_t offset, struct kl_error *err)
{
    char name[LONGEST_NAME];
    size_t replicas = (size_t)train->options.replicas, dims[3] = { replicas, t->dims[0], t->dims[1] };
    float *values = malloc(replicas * t->size * sizeof *values);
    if (!values) return kl_fail_memory(err, replicas * t->size * sizeof *values);
    for (size_t r = 0; r < replicas; r++)
        kl_nn_tensor_to_file_f32(values + r * t->size, t, *(float **)field(train, (int64_t)r, offset));
    snprintf(name, sizeof name, "%s%s/%s", prefix, group, t->name);
    int code = kl_store_writer_put(w, name, KL_TYPE_F32, 0, 1 + t->rank, dims, values, err);
    free(values);
    return code < 0 ? code : 0;
}

/* [replicas, epochs, groups], and the names of the groups. */
static int save_norms(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                      struct kl_error *err)
{
    const size_t groups = kl_head_n_groups(train->whole), replicas = (size_t)train->options.replicas,
                 each = (size_t)train->options.epochs * groups;
    char name[LONGEST_NAME];
    double *values = malloc(replicas * each * sizeof *values);
    char(*names)[KL_GROUP_NAME] = malloc(groups * sizeof *names);
    int code = values && names ? 0 : kl_fail_memory(err, replicas * each * sizeof *values);
    for (size_t r = 0; r < replicas && !code; r++)
        memcpy(values + r * each, train->replicas[r].norms, each * sizeof *values);
    for (size_t g = 0; g < groups && !code; g++) kl_head_group_name(names[g], train->whole, g);
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    if (!code)
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 3,
                                   (size_t[]){ replicas, (size_t)train->options.epochs, groups }, values,
                                   err);
    snprintf(name, sizeof name, "%shistory/gradient_group", prefix);
    if (code >= 0)
        code = kl_store_writer_put(w, name, KL_TYPE_STRING, KL_GROUP_NAME, 1, &groups, names, err);
    free(values);
    free(names);
    return code < 0 ? code : 0;
}

static int save_replicas(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                         struct kl_error *err)
{
    size_t replicas = (size_t)train->options.replicas, epochs = (size_t)train->options.epochs;
    size_t dims[2] = { replicas, epochs };
    char name[LONGEST_NAME];
    int code = 0;
    double *values = malloc(replicas * (epochs + 1) * sizeof *values);
    if (!values) return kl_fail_memory(err, replicas * (epochs + 1) * sizeof *values);
    for (int k = 0; k < KL_HISTORY_ROWS && code >= 0; k++) {
        for (size_t i = 0; i < replicas * epochs; i++)
            values[i] = train->replicas[i / epochs].history[k][i % epochs];
        snprintf(name, sizeof name, "%shistory/%s", prefix, kl_history_names[k]);
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 2, dims, values, err);
    }
    /* int64 and double columns alike are eight bytes */
    for (int c = 0; c < N_COLUMNS && code >= 0; c++) {
        for (size_t r = 0; r < replicas; r++)
            memcpy(&values[r], field(train, (int64_t)r, columns[c].offset), sizeof *values);
        snprintf(name, sizeof name, "%s%s", prefix, columns[c].name);
        code = kl_store_writer_put(w, name, columns[c].type, 0, 1, dims, values, err);
    }
    free(values);
    return code < 0 ? code : 0;
}

/* The first n_groups blocks of parameters, and what belongs to replicas; with all of them the position
   as well, from which training goes on. */
static int save_state(struct kl_writer *w, const struct kl_train *train, const char *prefix,
                      int n_groups, struct kl_error *err)
{
    const struct kl_block *block = &train->model->block;
    int64_t position[3] = { train->epoch, train->step, train->options.first_replica };
    char name[LONGEST_NAME];
    int code = 0;
    for (int g = 0; g < n_groups && !code; g++)
        for (int t = 0; t < block->n && !code; t++)
            code = save_tensor(w, train, prefix, &block->tensors[t], groups[g].group, groups[g].offset,
                               err);
    if (!code) code = save_replicas(w, train, prefix, err);
    if (!code) code = save_norms(w, train, prefix, err);
    if (code || n_groups < N_GROUPS) return code;
    snprintf(name, sizeof name, "%sposition", prefix);
    code = kl_store_writer_put(w, name, KL_TYPE_I64, 0, 1, (size_t[]){ 3 }, position, err);
    return code < 0 ? code : 0;
}

int kl_train_save(struct kl_writer *w, const struct kl_train *train, const char *config,
                  struct kl_error *err)
{
    const struct kl_features *f = train->features;
    int code = kl_store_writer_text(w, "", "config", config, err);
    if (code >= 0) code = save_state(w, train, "", N_GROUPS, err);
    if (code >= 0 && train->n_validation > 0)
        code = kl_store_writer_put(w, "split/validation", KL_TYPE_I64, 0, 1, &train->n_validation,
                                   train->validation, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, f->name_size, 1, &f->n_classes,
                                   f->class_names, err);
    return code < 0 ? code : 0;
}

int kl_train_save_control(struct kl_writer *w, const struct kl_train *train, bool whole,
                          struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return save_state(w, train, prefix, whole ? N_GROUPS : 1, err);
}

/* ---- and back ---- */

/* A dataset of exactly these dimensions, loaded; malloc'ed in *data. */
static int load(void **data, struct kl_file *file, const char *name, enum kl_type type, int rank,
                const size_t *dims, struct kl_error *err)
{
    const struct kl_dataset *d;
    int code = kl_store_file_expect(&d, file, name, type, rank, err);
    if (code) return code;
    for (int i = 0; i < rank; i++)
        if (d->dims[i] != dims[i])
            return kl_fail(err, KL_EDATA, "%s: dataset %s: dimension %d is %zu, expected %zu",
                           kl_store_file_path(file), name, i, d->dims[i], dims[i]);
    return kl_store_file_load(data, file, d, err);
}

static int restore_tensor(struct kl_train *train, struct kl_file *file, const char *prefix,
                          const struct kl_tensor *t, const char *group, size_t offset,
                          struct kl_error *err)
{
    char name[LONGEST_NAME];
    size_t replicas = (size_t)train->options.replicas;
    void *data = NULL;
    snprintf(name, sizeof name, "%s%s/%s", prefix, group, t->name);
    int code = load(&data, file, name, KL_TYPE_F32, 1 + t->rank,
                    (size_t[]){ replicas, t->dims[0], t->dims[1] }, err);
    if (code) return code;
    for (size_t r = 0; r < replicas; r++)
        kl_nn_tensor_from_file_f32(*(float **)field(train, (int64_t)r, offset), t,
                                   (float *)data + r * t->size);
    free(data);
    return 0;
}

static int restore_norms(struct kl_train *train, struct kl_file *file, const char *prefix,
                         struct kl_error *err)
{
    const size_t dims[3] = { (size_t)train->options.replicas, (size_t)train->options.epochs,
                             kl_head_n_groups(train->whole) };
    char name[LONGEST_NAME];
    void *data = NULL;
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    int code = load(&data, file, name, KL_TYPE_F64, 3, dims, err);
    for (size_t r = 0; r < dims[0] && !code; r++)
        memcpy(train->replicas[r].norms, (double *)data + r * dims[1] * dims[2],
               dims[1] * dims[2] * sizeof(double));
    free(data);
    return code;
}

static int restore_replicas(struct kl_train *train, struct kl_file *file, const char *prefix,
                            struct kl_error *err)
{
    size_t replicas = (size_t)train->options.replicas, epochs = (size_t)train->options.epochs;
    size_t dims[2] = { replicas, epochs };
    char name[LONGEST_NAME];
    for (int k = 0; k < KL_HISTORY_ROWS; k++) {
        void *data = NULL;
        snprintf(name, sizeof name, "%shistory/%s", prefix, kl_history_names[k]);
        int code = load(&data, file, name, KL_TYPE_F64, 2, dims, err);
        if (code) return code;
        for (size_t i = 0; i < replicas * epochs; i++)
            train->replicas[i / epochs].history[k][i % epochs] = ((double *)data)[i];
        free(data);
    }
    for (int c = 0; c < N_COLUMNS; c++) {
        void *data = NULL;
        snprintf(name, sizeof name, "%s%s", prefix, columns[c].name);
        int code = load(&data, file, name, columns[c].type, 1, dims, err);
        if (code) return code;
        for (size_t r = 0; r < replicas; r++)
            memcpy(field(train, (int64_t)r, columns[c].offset), (double *)data + r, sizeof(double));
        free(data);
    }
    for (size_t r = 0; r < replicas; r++) {
        const struct kl_replica *one = &train->replicas[r];
        if (one->best_epoch < -1 || one->best_epoch >= (int64_t)epochs || one->stopped_epoch < -1 ||
            one->stopped_epoch >= (int64_t)epochs)
            return kl_fail(err, KL_EDATA,
                           "%s: replica %zu: best epoch %lld, stopped in %lld, of %zu epochs",
                           kl_store_file_path(file), r, (long long)one->best_epoch,
                           (long long)one->stopped_epoch, epochs);
    }
    return 0;
}

static int restore_state(struct kl_train *train, struct kl_file *file, const char *prefix,
                         struct kl_error *err)
{
    const struct kl_block *block = &train->model->block;
    char name[LONGEST_NAME];
    int code = 0;
    for (int g = 0; g < N_GROUPS && !code; g++)
        for (int t = 0; t < block->n && !code; t++)
            code = restore_tensor(train, file, prefix, &block->tensors[t], groups[g].group,
                                  groups[g].offset, err);
    if (!code) code = restore_replicas(train, file, prefix, err);
    if (!code) code = restore_norms(train, file, prefix, err);
    void *position = NULL;
    snprintf(name, sizeof name, "%sposition", prefix);
    if (!code) code = load(&position, file, name, KL_TYPE_I64, 1, (size_t[]){ 3 }, err);
    if (code) return code;
    train->epoch = ((int64_t *)position)[0];
    train->step = ((int64_t *)position)[1];
    free(position);
    if (train->epoch < 0 || train->epoch > train->options.epochs || train->step < 0 ||
        train->step > train->steps_per_epoch)
        return kl_fail(err, KL_EDATA, "%s: dataset %s: epoch %lld, step %lld lies outside the training",
                       kl_store_file_path(file), name, (long long)train->epoch, (long long)train->step);
    return 0;
}

int kl_train_restore(struct kl_train *train, struct kl_file *file, struct kl_error *err)
{
    return restore_state(train, file, "", err);
}

int kl_train_restore_control(struct kl_train *train, struct kl_file *file, struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return restore_state(train, file, prefix, err);
}

static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/val_accuracy", "validation accuracy" },
      .of = "head",
      .needs = "split/validation" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/train_accuracy", "training accuracy" },
      .of = "head" },
    { .of = NULL }
};
static const struct kl_kind_group counted[] = {
    { { "controls/" }, "controls/, what was trained in the circuit's place" },
    { { "optimizer/", "last/" }, "optimizer/ and last/, from which training can go on" },
    { .words = NULL }
};
/* `cache log` leads to the features, whose own page tells of them. */
static const char *const not_on_page[] = { "features_", NULL };
const struct kl_kind kl_head_kind = { .name = "head",
                                      .maker = "qtrain",
                                      .classes = "class_names",
                                      .not_on_page = not_on_page,
                                      .histories = histories,
                                      .groups = counted };
const struct kl_kind kl_checkpoint_kind = { .name = "checkpoint",
                                            .classes = "class_names",
                                            .not_on_page = not_on_page,
                                            .histories = histories,
                                            .groups = counted };
