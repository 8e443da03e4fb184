/* SPDX-License-Identifier: MIT
   Heads of many points of a grid, trained over one copy of the features. */
#ifndef KL_HEAD_SWEEP_RUN_H
#define KL_HEAD_SWEEP_RUN_H

#include "head/settings.h"
#include "head/sweep.h"

/* The grid of a sweep's --grid, whose points base completes (sweep_grid.c). Refused are options that
   cannot be compared, or that change nothing of a point. KL_EUSAGE. Free it with kl_grid_free. */
int kl_sweep_grid(struct kl_grid *grid, const char *text, const struct kl_head_settings *base,
                  bool halving, struct kl_error *err);

struct kl_sweep_job {
    const struct kl_grid *grid;
    const struct kl_head_settings *base; /* what all points share; not settled */
    size_t first, n;                     /* points of the grid */
    bool halving;       /* drop the worse half, again and again (successive halving, see sweep_run.c) */
    const char *folder; /* of the heads' files, which are named after their points */
    struct kl_file *input;
    int argc; /* of the heads' provenance */
    char **argv;
    const struct kl_log *log;
};
/* Train what is not up to date, publish each head, fill the rows (sweep: of job->n). Each thread trains
   whole heads; every head has the bytes that qtrain gives it alone. A head whose loss is no number is
   noted in its row. KL_ESIGNAL: heads that are finished stay. Other codes as kl_train_run's. */
int kl_sweep_run(struct kl_sweep *sweep, const struct kl_sweep_job *job, struct kl_pool *pool,
                 const struct kl_watch *watch, struct kl_error *err);
/* The line of qtrain that trains a point of the grid again, with its controls, into NAME-best.h5
   (sweep_command.c). controls: whether it has any; a core that is a control itself has none. malloc'ed.
   KL_ENOMEM. */
int kl_sweep_command(char **command, bool *controls, const struct kl_sweep_job *job, size_t point,
                     const char *features, struct kl_error *err);

#endif
