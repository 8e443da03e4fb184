/* SPDX-License-Identifier: MIT
   qseq train and qseq sweep: a net, and one for every point of a grid. */
#include "sequence/learn/learner.h"

static int train(struct kl_mode_run *run, struct kl_error *err)
{
    run->stage.inputs++, run->stage.n_inputs--; /* the word itself */
    return kl_train_stage_run(&kl_sequence_train_stage, run, err);
}

static int sweep(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_sequence_sweep_values *v = run->values;
    const char *const judge = v->v.judge;
    const bool accuracy =
        judge ? kl_choice("loss|accuracy", judge) == 1 : kl_choice("sound|reference", v->v.profile) == 1;
    const struct kl_sweep_stage points = kl_train_stage_sweep(
        &kl_sequence_train_stage, accuracy ? KL_SEQUENCE_VAL_ACCURACY : KL_SEQUENCE_VAL_LOSS, accuracy);
    const struct kl_sweep_tool tool = { .tool = &kl_sequence_sweep_tool,
                                        .stage = &points,
                                        .sweep_at = offsetof(struct kl_sequence_sweep_values, sweep),
                                        .version = 2, /* 2: a complex parameter counts once */
                                        .halving_version = 2 };
    return kl_train_sweep_main(&tool, run, err);
}

const struct kl_mode kl_sequence_mode_train = { .tool = &kl_sequence_train_tool,
                                                .defaults = kl_sequence_train_defaults,
                                                .run = train };
const struct kl_mode kl_sequence_mode_sweep = { .tool = &kl_sequence_sweep_tool,
                                                .defaults = kl_sequence_train_defaults,
                                                .run = sweep };
