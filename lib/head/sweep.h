/* SPDX-License-Identifier: MIT
   A sweep: heads of every point of a grid of options, and the file that compares them (kind "sweep"). */
#ifndef KL_HEAD_SWEEP_H
#define KL_HEAD_SWEEP_H

#include "stats/stats.h"

struct kl_file;
struct kl_writer;
struct kl_kind;

enum { KL_SWEEP_SCHEMA = 1, KL_SWEEP_NAME = 256 };

/* What became of one point. */
struct kl_sweep_row {
    size_t point;             /* of the grid */
    char name[KL_SWEEP_NAME]; /* "lr=1e-3 layers=2" */
    char key[65];             /* of the head's file; "" where there is none */
    int64_t parameters;       /* of one head, that training moves (kl_head_parameters) */
    int64_t epochs;           /* of training it had: fewer than asked for if it was dropped or stopped */
    size_t collapsed;         /* heads that do not tell all classes apart, of those trained now */
    bool diverged;            /* the loss was no number; accuracy and loss are NaN */
    double *accuracy, *loss;  /* [replicas] on the validation samples, at each head's best epoch */
};
struct kl_sweep {
    size_t n, replicas;
    struct kl_sweep_row *rows;
};
/* n rows of zeros, with accuracy and loss NaN. KL_ENOMEM. */
int kl_sweep_make(struct kl_sweep *sweep, size_t n, size_t replicas, struct kl_error *err);
void kl_sweep_free(struct kl_sweep *sweep);
/* Key, epochs, accuracy and loss of a row from the head's finished file. KL_EDATA if it has another
   number of replicas or no validation. */
int kl_sweep_read_head(struct kl_sweep_row *row, size_t replicas, struct kl_file *head,
                       struct kl_error *err);
/* Means over replicas; NaN if the point diverged. */
struct kl_judgement kl_sweep_judge(const struct kl_sweep *sweep, size_t row);
/* Rows from the best to the worst (kl_stats_comes_before); those that diverged last. order: [n]. */
void kl_sweep_order(size_t *order, const struct kl_sweep *sweep);
/* All datasets of the file (docs/files.md). */
int kl_sweep_save(struct kl_writer *writer, const struct kl_sweep *sweep, struct kl_error *err);
/* A finished file's rows; of one that diverged the epochs are unknown. KL_EDATA. Free with kl_sweep_free
   in any case. */
int kl_sweep_load(struct kl_sweep *sweep, struct kl_file *file, struct kl_error *err);
/* The table for a person, best first, at most `most` rows: mean accuracy and its range over the heads;
   mean loss where that takes no more than 80 columns. */
int kl_sweep_write(FILE *to, const struct kl_sweep *sweep, size_t most, struct kl_error *err);
extern const struct kl_kind kl_sweep_kind; /* what the file shows (store/kind.h) */

#endif
