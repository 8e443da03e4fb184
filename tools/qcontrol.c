/* SPDX-License-Identifier: MIT
   qcontrol: pulses for noisy qubits. Its first word chooses what it does; each has a table of options
   and a file mode_WORD.c in a room of lib/control. */
#include "control/meta/meta_train.h"
#include "control/noise/noise.h"
#include "control/pulse/pulse.h"
#include "control/stored/stored.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
};

/* clang-format off */
static const struct kl_tool *const parts[] = {
    &kl_control_optimize_tool,
    &kl_control_lookup_tool,
    &kl_control_budget_tool,
    &kl_control_export_tool,
    &kl_control_score_tool,
    &kl_control_train_tool,
    &kl_control_regret_tool,
    &kl_control_import_tool,
    &kl_control_noise_tool,
    &kl_control_bench_tool,
    NULL
};
static const struct kl_tool tool = {
    .name = "qcontrol",
    .summary = "Pulses for noisy qubits: optimal, robust, stored and checked.\n"
               "  optimize     the pulse that makes a gate, from many starts\n"
               "  lookup       the best stored pulse at given values, and what a new one gains\n"
               "  budget       what each rate and uncertainty adds to a pulse's loss\n"
               "  export       a pulse as a file for hardware, read again and scored\n"
               "  score        such a file, or a pulse: its loss by bits, skew, other values\n"
               "  train        a network that gives a pulse for a task and adapts it\n"
               "  regret       whether adapting that network pays\n"
               "  import       such a network from a checkpoint of metaqctrl\n"
               "  noise        the rates that a spectrum of noise becomes\n"
               "  bench        integrators of small steps against exact propagation",
    .arguments = "COMMAND [options]",
    .example = "qcontrol optimize -g x --spread detuning=0.5 -o robust.h5\n  qcontrol optimize --help",
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key json note no-provenance progress",
    .commands = "optimize|lookup|budget|export|score|train|regret|import|noise|bench",
    .parts = parts,
};

int main(int argc, char **argv)
{
    static const struct kl_mode none = { .tool = &tool, .keeps_nothing = true };
    const struct kl_mode *const modes[] = {
        &none,
        &kl_control_mode_optimize,
        &kl_control_mode_lookup,
        &kl_control_mode_budget,
        &kl_control_mode_export,
        &kl_control_mode_score,
        &kl_control_mode_bench,
        &kl_control_mode_train,
        &kl_control_mode_regret,
        &kl_control_mode_import,
        &kl_control_mode_noise,
    };
    return kl_store_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
/* clang-format on */
