/* SPDX-License-Identifier: MIT
   What a file of classifiers holds. */
#include <stdio.h>

#include "qrng/classify/study_train_int.h"
#include "store/kind.h"

static const char *const history_names[KL_NETWORK_HISTORIES] = { "train_loss", "train_accuracy",
                                                                 "judge_loss", "judge_accuracy",
                                                                 "learning_rate" };

static int datasets(struct kl_study_sets *sets, const struct kl_study *s, struct kl_writer *w,
                    struct kl_error *err)
{
    const size_t r = s->n_runs, c = (size_t)s->bits->n_devices;
    const struct kl_mlp *net = &s->options.net;
    char name[64];
    int last = sets->split = kl_store_writer_dataset(w, "splits", KL_TYPE_U8, 0, 2,
                                                     (const size_t[]){ r, s->bits->n_rows }, err);
    for (int k = 0; k < KL_RULES && last >= 0; k++) {
        if (!(s->rules >> k & 1)) continue;
        const size_t dims[] = { r, c, kl_rule_inputs((enum kl_rule_kind)k, s->bits->n_bits) + 1 };
        snprintf(name, sizeof name, "rules/%s", kl_rule_names[k]);
        last = sets->rules[k] = kl_store_writer_dataset(w, name, KL_TYPE_F64, 0, 3, dims, err);
    }
    for (int l = 0; l < net->n_layers && s->network && last >= 0; l++) {
        const size_t dims[] = { r, (size_t)net->size[l + 1], (size_t)net->size[l] };
        snprintf(name, sizeof name, "network/%d.weight", l);
        last = sets->weight[l] = kl_store_writer_dataset(w, name, KL_TYPE_F32, 0, 3, dims, err);
        snprintf(name, sizeof name, "network/%d.bias", l);
        if (last >= 0)
            last = sets->bias[l] = kl_store_writer_dataset(w, name, KL_TYPE_F32, 0, 2, dims, err);
    }
    for (int h = 0; h < KL_NETWORK_HISTORIES && s->network && last >= 0; h++) {
        snprintf(name, sizeof name, "history/%s", history_names[h]);
        last = sets->history[h] = kl_store_writer_dataset(
            w, name, KL_TYPE_F64, 0, 2, (const size_t[]){ r, (size_t)s->options.epochs }, err);
    }
    if (!s->network || last < 0) return last < 0 ? last : KL_OK;
    last = sets->best = kl_store_writer_dataset(w, "best_epoch", KL_TYPE_I64, 0, 1, &r, err);
    if (last >= 0)
        last = sets->epochs = kl_store_writer_dataset(w, "epochs", KL_TYPE_I64, 0, 1, &r, err);
    if (last >= 0)
        last = sets->collapsed = kl_store_writer_dataset(w, "collapsed", KL_TYPE_U8, 0, 1, &r, err);
    return last < 0 ? last : KL_OK;
}

/* Text and numbers by which a report knows what it reads. */
static int describe(const struct kl_study *s, struct kl_writer *w, struct kl_error *err)
{
    const struct kl_study_settings *v = s->v;
    const struct kl_bits *b = s->bits;
    const size_t names[] = { (size_t)b->n_devices }, labels[] = { b->n_rows };
    const struct {
        const char *name, *value;
    } texts[] = { { "model", v->model },
                  { "features", v->features },
                  { "protocol", v->protocol },
                  { "hidden", v->hidden },
                  { "keep", v->keep } };
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = { { "seed", v->common.seed },
                    { "seeds", v->seeds },
                    { "folds", v->folds },
                    { "null", v->null },
                    { "n_bits", (int64_t)b->n_bits } };
    int rc = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, labels, b->device, err);
    if (rc >= 0)
        rc = kl_store_writer_put(w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, names, b->names,
                                 err);
    rc = rc < 0 ? rc : KL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !rc; i++)
        rc = kl_store_writer_text(w, "", texts[i].name, texts[i].value, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++)
        rc = kl_store_writer_integer(w, "", numbers[i].name, numbers[i].value, err);
    return rc;
}

int kl_study_declare(struct kl_study_sets *sets, const struct kl_study *s, struct kl_writer *w,
                     struct kl_error *err)
{
    const int rc = datasets(sets, s, w, err);
    return rc ? rc : describe(s, w, err);
}

/* The rows that judge an epoch are those of the test in the reference protocol. Runs on shuffled labels
   stand last. */
static const struct kl_kind_history histories[] = {
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/judge_accuracy", "test accuracy" },
      .of = "split",
      .attribute = "protocol",
      .is = "reference",
      .left_out = "null" },
    { .loss = { "history/train_loss", "training loss" },
      .judged = { "history/judge_accuracy", "validation accuracy" },
      .of = "split",
      .left_out = "null" },
    { .of = NULL }
};
const struct kl_kind kl_study_kind = { .name = "device-classifier",
                                       .maker = "qtrain --qrng",
                                       .histories = histories };
