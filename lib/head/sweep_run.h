/* SPDX-License-Identifier: MIT
   Heads of many points of a grid, trained over one copy of the features. */
#ifndef KL_HEAD_SWEEP_RUN_H
#define KL_HEAD_SWEEP_RUN_H

#include "head/sweep_points.h"
#include "store/store.h"

/* The grid of a sweep's --grid, whose points base completes (sweep_grid.c). Refused are options that
   cannot be compared, or that change nothing of any point; those that leave some as they are get a note.
   KL_EUSAGE. Free it with kl_grid_free. */
int kl_sweep_grid(struct kl_grid *grid, const char *text, const struct kl_head_settings *base,
                  bool halving, const struct kl_log *log, struct kl_error *err);

/* Train what is not up to date of the points from `first` on, publish each head, fill the rows (as many
   points as the sweep has rows). Each thread trains whole heads; every head has the bytes that qtrain
   gives it alone. A head whose loss is no number is noted in its row. While halving, the parameters and
   moments of all points that are left stay in memory. On a GPU as many heads train at once as pool has
   threads. KL_ESIGNAL: heads that are finished stay. Other
   codes as kl_train_run's. */
int kl_sweep_run(struct kl_sweep *sweep, const struct kl_sweep_points *points, size_t first,
                 struct kl_pool *pool, const struct kl_watch *watch, struct kl_error *err);
/* How often successive halving of n points doubles the epochs. */
int kl_sweep_rounds(size_t n, int64_t epochs);
/* How long kl_sweep_run would take here for n points from `first` on, their files apart, by the first
   half second of eight of them at most (sweep_estimate.c). Nothing is written. */
int kl_sweep_estimate(struct kl_estimate *estimate, const struct kl_sweep_points *points, size_t first,
                      size_t n, struct kl_pool *pool, struct kl_error *err);
/* The line of qtrain that trains a point of the grid again, with its controls, into NAME-best.h5
   (sweep_command.c). controls: whether it has any; a core that is a control itself has none. malloc'ed.
   KL_ENOMEM. */
int kl_sweep_command(char **command, bool *controls, const struct kl_sweep_job *job, size_t point,
                     const char *features, struct kl_error *err);

/* The summary on standard output (sweep_tell.c): the rows, the best one, and how to train it again. */
struct kl_sweep_found {
    const struct kl_sweep *sweep;
    const struct kl_sweep_job *job;
    const char *key; /* of the sweep's file */
    bool part;       /* of a sweep that is merged later */
    enum kl_stage_answer status;
    double seconds; /* that it took, if it was computed; else the heads' files may not be there */
};
int kl_sweep_tell(FILE *to, const struct kl_sweep_found *found, bool json, struct kl_error *err);

#endif
