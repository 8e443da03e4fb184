/* SPDX-License-Identifier: MIT
   line: what a user may say of it. */
#include "line.h"

#define AT(field) offsetof(struct line_values, field)
static const struct kl_option options[] = {
    { "ridge", 0, KL_OPT_FLOAT, AT(ridge), "X", 0, 1e6, true, "penalty on the squares of the weights",
      "Model", NULL },
    KL_TRAIN_STEP_OPTIONS(AT(train), KL_TRAIN_OPTIMIZERS, "of sgd"),
    KL_TRAIN_SCHEDULE_OPTIONS(AT(train)),
    KL_TRAIN_VALIDATION_OPTION(AT(train), "stratified validation part"),
    KL_TRAIN_REPLICA_OPTIONS(AT(train), "lines that differ in the order of their samples"),
    KL_TRAIN_CHECKPOINT_OPTION(AT(train)),
    KL_TRAIN_HISTORY_OPTIONS(AT(train)),
};
const struct kl_tool line_tool = {
    .name = "line",
    .summary = "Fits a line: the number of the class, from cached features",
    .arguments = "FEATURES.h5 -o LINE.h5",
    .example = "line train.h5 -o line.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct line_values),
};

void line_defaults(void *values)
{
    struct line_values *v = values;
    v->common.progress = "auto";
    kl_train_settings_default(&v->train);
}
