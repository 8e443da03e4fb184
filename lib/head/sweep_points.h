/* SPDX-License-Identifier: MIT
   What the points of a sweep are, before any of them is trained. */
#ifndef KL_HEAD_SWEEP_POINTS_H
#define KL_HEAD_SWEEP_POINTS_H

#include "head/settings.h"
#include "head/sweep.h"

struct kl_sweep_job {
    const struct kl_grid *grid;
    const struct kl_head_settings *base; /* what all points share; not settled */
    bool halving; /* drop the worse half, again and again (successive halving, see sweep_run.c) */
    const char *folder,
        *output; /* of the heads' files, which are named after their points; the sweep's */
    struct kl_file *input;
    const char *input_path;
    int argc; /* of the heads' provenance */
    char **argv;
    const struct kl_log *log;
    const struct kl_device *device; /* where points train; NULL: the CPU */
};
struct kl_sweep_point {
    char name[KL_SWEEP_NAME];  /* "lr=1e-3 layers=2" */
    char *path, key[65];       /* of the head's file */
    int64_t parameters;        /* of one head, that training moves: from kl_sweep_points_try */
    struct kl_head_settings v; /* settled, as qtrain would have them; output: path */
};
struct kl_sweep_points {
    const struct kl_sweep_job *job;
    size_t n;
    struct kl_sweep_point *points; /* of the whole grid, in its order */
};
/* Settle every point, and refuse what cannot be judged or told apart: nothing is computed or written.
   job must outlive the points. KL_EUSAGE; else as kl_head_settings_settle. Free in any case. */
int kl_sweep_points_make(struct kl_sweep_points *points, const struct kl_sweep_job *job,
                         struct kl_error *err);
/* Make, and drop, the model of n points: what cannot be trained is said before anything is. Noisy
   circuits take milliseconds each, so this is for runs that compute. Codes as kl_head_model_make's and,
   on a GPU, kl_head_gpu_check's. */
int kl_sweep_points_try(struct kl_sweep_points *points, size_t first, size_t n, struct kl_error *err);
/* SHA-256 over the keys of all heads in the order of the grid: what their options and files say. */
int kl_sweep_points_digest(char hex[65], const struct kl_sweep_points *points, struct kl_error *err);
void kl_sweep_points_free(struct kl_sweep_points *points);

#endif
