/* SPDX-License-Identifier: MIT
   qseq: sequence models on recordings. Its first word chooses what it does; each has a table of options
   and a file mode_WORD.c in a room of lib/sequence. */
#include "sequence/learn/fitted.h"
#include "sequence/learn/learn.h"
#include "sequence/learn/scaling.h"
#include "sequence/recording/recording.h"
#include "sequence/report/compare.h"
#include "sequence/report/report.h"
#include "sequence/synthetic/synthetic.h"
#include "sequence/windows/windows.h"
#include "store/mode.h"

struct values {
    struct kl_common common;
};

/* clang-format off */
static const struct kl_tool *const parts[] = {
    &kl_sequence_inspect_tool,
    &kl_sequence_windows_tool,
    &kl_sequence_generate_tool,
    &kl_sequence_forrelation_tool,
    &kl_sequence_train_tool,
    &kl_sequence_sweep_tool,
    &kl_sequence_fit_tool,
    &kl_sequence_eval_tool,
    &kl_sequence_predict_tool,
    &kl_sequence_compare_tool,
    &kl_sequence_bench_tool,
    NULL
};
static const struct kl_tool tool = {
    .name = "qseq",
    .summary = "Sequence models on recordings: windows cached once, quantum models, rivals.\n"
               "  inspect      what is in recordings, and what is wrong with them\n"
               "  windows      recordings or arrays to labelled windows\n"
               "  generate     recordings of synthetic people\n"
               "  forrelation  windows of pairs of functions, alike or not\n"
               "  train        a model on windows, with a split that cannot leak\n"
               "  sweep        a model for every point of a grid of options\n"
               "  fit          spatial patterns or tangent space with a linear classifier\n"
               "  eval         a model on the windows that it was not trained on\n"
               "  predict      the classes of windows without labels\n"
               "  compare      reports of several models, paired over people\n"
               "  bench        how long a step takes by ranks, threads, batch and qubits",
    .arguments = "COMMAND [options]",
    .example = "qseq windows S001*.edf -o S001.h5\n  qseq train S*.h5 -o model.h5",
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key json note no-provenance progress",
    .commands = "inspect|windows|generate|forrelation|train|sweep|fit|eval|predict|compare|bench",
    .parts = parts,
};

int main(int argc, char **argv)
{
    static const struct kl_mode none = { .tool = &tool, .keeps_nothing = true };
    const struct kl_mode *const modes[] = {
        &none,
        &kl_sequence_mode_inspect,
        &kl_sequence_mode_windows,
        &kl_sequence_mode_generate,
        &kl_sequence_mode_forrelation,
        &kl_sequence_mode_train_folds,
        &kl_sequence_mode_sweep_folds,
        &kl_sequence_mode_fit_folds,
        &kl_sequence_mode_eval,
        &kl_sequence_mode_predict,
        &kl_sequence_mode_compare,
        &kl_sequence_mode_bench,
    };
    return kl_store_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
/* clang-format on */
