/* SPDX-License-Identifier: MIT
   The tool of one stage: it trains, or, after the word `sweep`, a sweep of what it trains. */
#include <string.h>

#include "tests/stages/stage.h"

enum { MOST_OPTIONS = 64, MOST_VALUES = 1 << 16 };
static struct kl_option options[MOST_OPTIONS];
static struct kl_tool sweep_tool;

static void defaults(void *values)
{
    stage.defaults(values);
}

static int train(struct kl_mode_run *mode, struct kl_error *err)
{
    return kl_train_stage_run(&stage, mode, err);
}

static int sweep(struct kl_mode_run *mode, struct kl_error *err)
{
    const struct kl_sweep_stage points = kl_train_stage_sweep(&stage, stage_judged, stage_higher);
    const struct kl_sweep_tool tool = { .tool = &sweep_tool,
                                        .stage = &points,
                                        .sweep_at = stage.tool->values_size,
                                        .version = 1,
                                        .halving_version = 1 };
    return kl_train_sweep_main(&tool, mode, err);
}

/* After the stage's values stand those of the sweep. */
static void make_table(void)
{
    const size_t at = stage.tool->values_size;
    const struct kl_option own[] = { KL_SWEEP_OPTIONS(at, "points", "of the points' files") };
    const size_t n = sizeof own / sizeof *own;
    memcpy(options, own, sizeof own);
    sweep_tool = *stage.tool;
    sweep_tool.options = options, sweep_tool.n_options = n;
    for (size_t i = 0; i < stage.tool->n_options; i++) /* those of one run have no effect on a sweep */
        if (stage.tool->options[i].in_key) options[sweep_tool.n_options++] = stage.tool->options[i];
    sweep_tool.values_size = at + sizeof(struct kl_sweep_settings);
    sweep_tool.chosen_by = "sweep";
}

int main(int argc, char **argv)
{
    const struct kl_mode one = { .tool = stage.tool, .defaults = defaults, .run = train },
                         many = { .tool = &sweep_tool, .defaults = defaults, .run = sweep };
    const struct kl_mode *const modes[] = { &one, &many };
    make_table();
    return kl_store_modes_main(modes, 2, argc, argv, stdout, stderr);
}
