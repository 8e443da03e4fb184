/* SPDX-License-Identifier: MIT
   qsweep: a feature cache in, a head for every point of a grid of options out, and their comparison. */
#include "backbone/extract.h"
#include "head/run.h"

struct values {
    struct kl_head_settings head;
    struct kl_sweep_settings sweep;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_SWEEP_OPTIONS(AT(sweep), "heads", "of the heads; default: NAME-heads of -o NAME.h5"),
    { "folds", 0, KL_OPT_STRING, AT(sweep.folds), "K", 0, 0, true,
      "each point K times, on all but one of K parts: their mean decides", NULL, NULL },
    { "test", 0, KL_OPT_STRING, AT(sweep.test), "FEATURES.h5", 0, 0, false,
      "of other samples: shown beside, chosen by nothing", NULL, NULL },
    KL_DEVICE_OPTION(AT(head.common.device)),
    KL_HEAD_MODEL_SETTINGS,
    KL_HEAD_TRAINING_SETTINGS,
};
static const struct kl_tool tool = {
    .name = "qsweep",
    .summary = "Trains a head for every combination of options on cached features, and compares\n"
               "them, without controls; its last line is the qtrain command for the best point\n"
               "with its controls",
    .arguments = "FEATURES.h5 --grid GRID -o SWEEP.h5",
    .example = "qsweep train.h5 --grid \"lr=1e-3,3e-3 layers=1,2\" --replicas 3 -o sweep.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
};

static int say_input(const struct kl_file *input, const struct kl_log *log, struct kl_error *err)
{
    return kl_head_origin_seen(input, log, err);
}

static int sweep(struct kl_mode_run *mode, struct kl_error *err)
{
    struct kl_sweep_stage heads = kl_head_sweep;
    heads.input = &kl_features_kind, heads.say_input = say_input;
    const struct kl_sweep_tool of = { .tool = &tool,
                                      .stage = &heads,
                                      .sweep_at = offsetof(struct values, sweep),
                                      .version = 2,
                                      .halving_version = 3 };
    return kl_train_sweep_main(&of, mode, err);
}

static void defaults(void *values)
{
    struct values *v = values;
    kl_head_settings_default(&v->head);
    v->head.no_controls = true;
}

int main(int argc, char **argv)
{
    static const struct kl_mode grid = { .tool = &tool, .defaults = defaults, .run = sweep };
    return kl_store_mode_main(&grid, argc, argv, stdout, stderr);
}
