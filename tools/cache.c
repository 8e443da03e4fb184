/* SPDX-License-Identifier: MIT
   cache: look at, check, merge and keep files and the shared store (lib/cache). Here are the kinds of
   files that `cache show` draws. */
#include "backbone/extract.h"
#include "cache/cache.h"
#include "control/meta/meta_train.h"
#include "head/evaluate.h"
#include "head/head.h"
#include "head/run.h"
#include "plateau/plateau.h"
#include "qrng/bits/bits.h"
#include "qrng/classify/study.h"
#include "qrng/gan/study.h"
#include "qrng/nist/nist.h"
#include "qrng/pairs/tournament.h"
#include "qrng/synthetic/synthetic.h"
#include "sampling/chain/chain.h"
#include "sampling/chain/sample.h"
#include "sampling/ensemble/ensemble.h"
#include "sampling/ladder/ladder.h"
#include "sequence/report/compare.h"
#include "sequence/report/report.h"
#include "sequence/learn/fitted.h"
#include "sequence/learn/learn.h"
#include "sequence/learn/scaling.h"
#include "sequence/windows/windows.h"
#include "store/mode.h"

/* All kinds of files that the tools write. */
static const struct kl_kind *const kinds[] = {
    &kl_features_kind,
    &kl_head_kind,
    &kl_checkpoint_kind,
    &kl_report_kind,
    &kl_predictions_kind,
    &kl_sweep_kind,
    &kl_plateau_kind,
    &kl_bits_kind,
    &kl_study_kind,
    &kl_judge_kind,
    &kl_tournament_kind,
    &kl_nist_kind,
    &kl_gan_kind,
    &kl_synthetic_kind,
    &kl_control_policy_kind,
    &kl_control_pulse_kind,
    &kl_control_regret_kind,
    &kl_sampling_chains_kind,
    &kl_sampling_bounds_kind,
    &kl_sequence_windows_kind,
    &kl_sequence_model_kind,
    &kl_sequence_report_kind,
    &kl_sequence_comparison_kind,
    &kl_sequence_predictions_kind,
    &kl_sequence_fit_kind,
    &kl_sequence_scaling_kind,
    NULL,
};

/* Whose options have second names. */
static const struct kl_tool *const tools[] = { &kl_head_tool, &kl_sequence_train_tool,
                                               &kl_sampling_sample_tool, &kl_control_train_tool, NULL };

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    return kl_cache_run(run, kinds, tools, err);
}

int main(int argc, char **argv)
{
    static const struct kl_mode mode = { .tool = &kl_cache_tool, .run = run, .keeps_nothing = true };
    return kl_store_mode_main(&mode, argc, argv, stdout, stderr);
}
