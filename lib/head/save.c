/* SPDX-License-Identifier: MIT
   What a head or checkpoint file holds beside the state of the loop (train/save.c), and what the page of
   such a file shows. */
#include <stdlib.h>
#include <string.h>

#include "head/train_int.h"
#include "store/kind.h"
#include "store/store.h"

enum { LONGEST_NAME = 128, LONGEST_PREFIX = 24 };

/* "controls/twin/" */
static void name_group(char prefix[LONGEST_PREFIX], const struct kl_head_train *train)
{
    snprintf(prefix, LONGEST_PREFIX, "controls/%s/", kl_core_names[train->model->options.core]);
}

/* In the middle of an epoch its row of norms is the sum so far. */
static void put_sums(const struct kl_head_train *train, double *norms, size_t r)
{
    const size_t groups = kl_head_n_groups(train->whole);
    if (train->loop.step > 0)
        memcpy(norms + (size_t)train->loop.epoch * groups, train->loop.replicas[r].sums + KL_HEAD_NORMS,
               groups * sizeof *norms);
}

/* [replicas, epochs, groups], and the names of the groups. */
int kl_head_save_rest(struct kl_writer *w, const struct kl_train *loop, const char *prefix,
                      struct kl_error *err)
{
    const struct kl_head_train *train = loop->learner->context;
    const size_t groups = kl_head_n_groups(train->whole), replicas = (size_t)loop->options.replicas,
                 epochs = (size_t)loop->options.epochs, each = epochs * groups;
    char name[LONGEST_NAME];
    double *values = malloc(replicas * each * sizeof *values);
    char(*names)[KL_GROUP_NAME] = malloc(groups * sizeof *names);
    int code = values && names ? 0 : kl_fail_memory(err, replicas * each * sizeof *values);
    if (!code) memcpy(values, train->norms, replicas * each * sizeof *values);
    for (size_t r = 0; r < replicas && !code; r++)
        if (loop->replicas[r].stopped_epoch < 0) put_sums(train, values + r * each, r);
    for (size_t g = 0; g < groups && !code; g++) kl_head_group_name(names[g], train->whole, g);
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    if (!code)
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 3, (size_t[]){ replicas, epochs, groups },
                                   values, err);
    snprintf(name, sizeof name, "%shistory/gradient_group", prefix);
    if (code >= 0)
        code = kl_store_writer_put(w, name, KL_TYPE_STRING, KL_GROUP_NAME, 1, &groups, names, err);
    free(values);
    free(names);
    return code < 0 ? code : 0;
}

int kl_head_restore_rest(struct kl_train *loop, struct kl_file *file, const char *prefix,
                         struct kl_error *err)
{
    struct kl_head_train *train = loop->learner->context;
    const size_t groups = kl_head_n_groups(train->whole),
                 dims[3] = { (size_t)loop->options.replicas, (size_t)loop->options.epochs, groups };
    char name[LONGEST_NAME];
    double *data = NULL;
    snprintf(name, sizeof name, "%shistory/gradient_norm", prefix);
    int code = kl_store_file_load_shape((void **)&data, file, name, KL_TYPE_F64, 3, dims, err);
    if (code) return code;
    memcpy(train->norms, data, dims[0] * dims[1] * groups * sizeof *data);
    free(data);
    for (size_t r = 0; r < dims[0] && loop->step > 0; r++) {
        double *row = train->norms + (r * dims[1] + (size_t)loop->epoch) * groups;
        memcpy(loop->replicas[r].sums + KL_HEAD_NORMS, row, groups * sizeof *row);
    }
    return 0;
}

int kl_head_train_save(struct kl_writer *w, const struct kl_head_train *train, const char *config,
                       struct kl_error *err)
{
    const struct kl_features *f = train->features;
    int code = kl_store_writer_text(w, "", "config", config, err);
    if (code >= 0) code = kl_train_save(w, &train->loop, "", true, err);
    if (code >= 0 && train->n_validation > 0)
        code = kl_store_writer_put(w, "split/validation", KL_TYPE_I64, 0, 1, &train->n_validation,
                                   train->validation, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, f->name_size, 1, &f->n_classes,
                                   f->class_names, err);
    return code < 0 ? code : 0;
}

int kl_head_train_save_control(struct kl_writer *w, const struct kl_head_train *train, bool whole,
                               struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return kl_train_save(w, &train->loop, prefix, whole, err);
}

int kl_head_train_restore(struct kl_head_train *train, struct kl_file *file, struct kl_error *err)
{
    return kl_train_restore(&train->loop, file, "", err);
}

int kl_head_train_restore_control(struct kl_head_train *train, struct kl_file *file,
                                  struct kl_error *err)
{
    char prefix[LONGEST_PREFIX];
    name_group(prefix, train);
    return kl_train_restore(&train->loop, file, prefix, err);
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
