/* SPDX-License-Identifier: MIT
   sgld: Langevin sampling of networks, evidence, generalisation bounds. Its first word chooses what it does; each has a
   table of options and a file mode_WORD.c in a room of lib/sampling. */
#include "sampling/chain/sample.h"
#include "sampling/ladder/ladder.h"
#include "sampling/heads/heads.h"
#include "sampling/diagnose/diagnose.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
};

/* clang-format off */
static const struct kl_tool *const parts[] = {
    &kl_sampling_sample_tool,
    &kl_sampling_head_tool,
    &kl_sampling_diagnose_tool,
    &kl_sampling_bounds_tool,
    &kl_sampling_export_tool,
    NULL
};
static const struct kl_tool tool = {
    .name = "sgld",
    .summary = "Posterior samples of networks, what they prove, and whether to believe them.\n"
               "  sample       chains of a network's weights on a ladder of temperatures\n"
               "  head         the same of a trained head; the evidence of its circuit\n"
               "  diagnose     whether a file's chains may be believed\n"
               "  bounds       integrals, evidence and bounds on the test error\n"
               "  export       a kept draw of a head's chains as a head",
    .arguments = "COMMAND [options]",
    .example = "sgld sample --data synth -o chains.h5\n  sgld sample --help",
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key json note no-provenance progress",
    .commands = "sample|head|diagnose|bounds|export",
    .parts = parts,
};

int main(int argc, char **argv)
{
    static const struct kl_mode none = { .tool = &tool, .keeps_nothing = true };
    const struct kl_mode *const modes[] = {
        &none,
        &kl_sampling_mode_sample,
        &kl_sampling_mode_bounds,
        &kl_sampling_mode_head,
        &kl_sampling_mode_export,
        &kl_sampling_mode_diagnose,
    };
    return kl_store_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
/* clang-format on */
