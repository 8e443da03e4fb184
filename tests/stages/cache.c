/* SPDX-License-Identifier: MIT
   The tool `cache` that draws the files of one stage, and sweeps. */
#include "cache/cache.h"
#include "tests/stages/stage.h"

static int run(struct kl_mode_run *mode, struct kl_error *err)
{
    const struct kl_kind *const kinds[] = { stage.kind, &kl_sweep_kind, NULL };
    static const struct kl_tool *const tools[] = { NULL };
    return kl_cache_run(mode, kinds, tools, err);
}

int main(int argc, char **argv)
{
    static const struct kl_mode mode = { .tool = &kl_cache_tool, .run = run, .keeps_nothing = true };
    return kl_store_mode_main(&mode, argc, argv, stdout, stderr);
}
