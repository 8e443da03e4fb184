/* SPDX-License-Identifier: MIT
   Private to propagate.c and problem.c: a system and an objective as kernels/liouville.h has them. */
#ifndef KL_CONTROL_ENGINE_H
#define KL_CONTROL_ENGINE_H

#include "control/model/model.h"
#include "kernels/liouville.h"

struct kl_control_engine {
    const struct kl_control_system *system;
    struct kl_liouville g;
    struct kl_liouville_term *terms;
    double *start, *weights; /* of the objective, columns padded */
    double constant;
    double norms[KL_CONTROL_MAX_CONTROLS +
                 KL_CONTROL_MAX_PARAMS]; /* largest row or column sum of each matrix */
    void *work;
    double *u; /* [segments][controls]: scaled */
};
/* substeps are those that controls of at most most[k] and tasks of at most params[j] need; NULL: the
   limits and values of the system. Close it in any case. KL_ENOMEM. */
int kl_control_engine_open(struct kl_control_engine *e, const struct kl_control_system *system,
                           const struct kl_control_objective *objective, int segments, double duration,
                           const double *most, const double *params, struct kl_error *err);
void kl_control_engine_close(struct kl_control_engine *e);
/* As kl_control_propagate, without a check of numbers: the loss may be NaN. */
void kl_control_engine_run(struct kl_control_gradient *to, struct kl_control_engine *e, const double *u,
                           const struct kl_control_task *task);

#endif
