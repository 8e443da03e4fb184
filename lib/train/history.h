/* SPDX-License-Identifier: MIT
   history: what others read of a finished file's history: JSON lines, MLflow. Its rows are history/NAME
   [replicas, epochs]; norms of gradients, where there are any, history/gradient_norm [replicas, epochs,
   groups] and history/gradient_group, the groups' names. */
#ifndef KL_TRAIN_HISTORY_H
#define KL_TRAIN_HISTORY_H

#include "train/train.h"
struct kl_kind;

/* --history and --mlflow, before anything is trained: they are read from the finished file, so there has
   to be one, and replace nothing but older ones. input: a path, or NULL. KL_EUSAGE, KL_EIO. */
int kl_train_history_check(const struct kl_train_settings *s, const struct kl_common *common,
                           const struct kl_kind *kind, const char *input, struct kl_error *err);
/* They are made from the finished file, so they come with "up to date" as well. */
int kl_train_history_write(const struct kl_train_settings *s, const struct kl_common *common,
                           const char *tool, const struct kl_kind *kind, const struct kl_train_row *rows,
                           int n_rows, struct kl_error *err);

/* One JSON object a line: replica, epoch (from 1) and the rows. */
int kl_train_history_jsonl(const char *path, struct kl_file *file, const struct kl_train_row *rows,
                           int n_rows, struct kl_error *err);
/* A file store of MLflow (https://mlflow.org): experiment "ketline", one run a replica, whose id
   follows from the file's key. tool: whose runs they are. */
int kl_train_history_mlflow(const char *folder, const char *tool, struct kl_file *file,
                            const struct kl_train_row *rows, int n_rows, struct kl_error *err);

/* rows[k] (replicas, epochs), NaN where a replica had stopped. */
struct kl_history {
    const struct kl_train_row *names;
    const char *tool;
    int n_rows;
    size_t replicas, epochs, groups;
    double **rows;
    double *norms; /* (replicas, epochs, groups); NULL, and no groups: an older file, or no such norms */
    char *group_names; /* (groups, name_size), padded with zeros */
    size_t name_size;
};
/* rows must outlive it. KL_EDATA, KL_ENOMEM. */
int kl_train_history_load(struct kl_history *h, struct kl_file *file, const struct kl_train_row *rows,
                          int n_rows, struct kl_error *err);
/* The name of group g, in `name`; at most 79 bytes of it. */
void kl_train_history_group(char name[80], const struct kl_history *h, size_t g);
void kl_train_history_free(struct kl_history *h);

#endif
