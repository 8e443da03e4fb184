/* SPDX-License-Identifier: MIT
   The table of options of `sgld sample`: every constant of the reference is one. */
#include "sampling/chain/sample.h"

/* clang-format off */
#define AT(field) offsetof(struct kl_sampling_values, field)
#define TEXT(word, field, arg, help, group) { word, 0, KL_OPT_STRING, AT(field), arg, 0, 0, true, help, group, NULL }
#define WORD(word, field, words, help, group) { word, 0, KL_OPT_CHOICE, AT(field), words, 0, 0, true, help, group, NULL }
#define WHOLE(word, field, least, most, help, group) { word, 0, KL_OPT_INT, AT(field), "N", least, most, true, help, group, NULL }
#define REAL(word, field, least, most, help, group) { word, 0, KL_OPT_FLOAT, AT(field), "X", least, most, true, help, group, NULL }
#define FLAG(word, field, help, group) { word, 0, KL_OPT_FLAG, AT(field), NULL, 0, 0, true, help, group, NULL }
static const struct kl_option options[] = {
    { "profile", 'p', KL_OPT_CHOICE, AT(profile), KL_SAMPLING_PROFILES, 0, 0, false, "says what is not given", "Problem", NULL },
    { "test-mode", 0, KL_OPT_FLAG, AT(test_mode), NULL, 0, 0, false, "the profile's short run", NULL, NULL },
    WORD("data", data, KL_SAMPLING_SETS, "its selection, its normalisation", NULL),
    TEXT("groups", groups, "CLASSES", "01234/56789: two labels; all: each class", NULL),
    TEXT("labels", labels, "P", "true, random, or the probability of a new one", NULL),
    WHOLE("train-size", train_size, 0, 1e9, "records of each group; 0: all", NULL),
    WHOLE("test-size", test_size, 0, 1e9, "at most, of each group; 0: all", NULL),
    WORD("order", order, "file|permuted", "of the records", NULL),
    WHOLE("data-seed", data_seed, 0, 4294967295, "of SYNTH, labels, order", NULL),
    WORD("records", records, "one|chain", "one set, or each chain's own: data-seed + chain", NULL),
    WORD("model", model, KL_SAMPLING_MODELS, "network", "Target"),
    WHOLE("width", width, 1, 65536, "of its hidden layers", NULL),
    WORD("loss", loss, KL_SAMPLING_LOSSES, "of a record", NULL),
    REAL("l-max", l_max, 0.01, 700, "bound of bbce", NULL),
    WORD("prior", prior, "layer|flat", "deviation sigma / sqrt(fan-in), or sigma", NULL),
    REAL("sigma", sigma, 1e-9, 1e9, "of the prior", NULL),
    { "betas", 'B', KL_OPT_STRING, AT(betas), "LIST", 0, 0, true, "inverse temperatures, rising", "Ladder", NULL },
    { "chains", 'C', KL_OPT_INT, AT(chains), "N", 1, 65536, true, "of each beta", NULL, "repetitions" },
    WHOLE("first-chain", first_chain, 0, 4e9, "number of the first", NULL),
    { "epochs", 'e', KL_OPT_STRING, AT(epochs), "LIST", 0, 0, true, "sampled, of each beta", NULL, NULL },
    TEXT("warmup", warmup, "LIST", "epochs before them, at least: a step is tuned until its acceptance is near --accept", NULL),
    { "lr", 0, KL_OPT_STRING, AT(lr), "LIST", 0, 0, true, "step of each beta", NULL, "a0" },
    WHOLE("anneal", anneal, -1, 1e9, "epochs of the warm-up: beta rises from 0; -1: half", NULL),
    WHOLE("every", every, 1, 1e9, "epochs a draw", NULL),
    WHOLE("test-every", test_every, 0, 1e9, "epochs a test; 0: none", NULL),
    WHOLE("keep", keep, 0, 1e9, "draws between kept weights; 0: none", NULL),
    WORD("sampler", sampler, KL_SAMPLING_SAMPLERS, "kernel", "Chain"),
    { "batch-size", 'b', KL_OPT_INT, AT(batch), "N", 0, 1e9, true, "records a step; 0: all", NULL, "batch" },
    WORD("convention", convention, KL_SAMPLING_CONVENTIONS, "of the step", NULL),
    WORD("start", start, KL_SAMPLING_STARTS, "of a chain", NULL),
    WORD("draws", draws, "whole|batches", "loss: over all records, or as met", NULL),
    WORD("batches", batches, "permuted|independent", "of an epoch", NULL),
    WORD("schedule", schedule, KL_SAMPLING_SCHEDULES, "of the step", NULL),
    REAL("power", power, 0, 10, "of schedule power", NULL),
    REAL("stair-drop", stair_drop, 0, 1e9, "each period", NULL),
    REAL("stair-low", stair_low, 0, 1e9, "least step", NULL),
    WHOLE("period", period, 1, 1e9, "epochs, of stair and cyclical", NULL),
    WORD("stop", stop, "fixed|rule|leak", "warm-up: by rule, with the reference's leak", NULL),
    WHOLE("min-steps", min_steps, 0, 1e12, "of the rule", NULL),
    REAL("alpha-stop", stop_alpha, 0, 1, "of its average", NULL),
    REAL("eps-stop", stop_eps, -1e9, 1e9, "of its rise", NULL),
    REAL("accept", accept, 0, 1, "to which the step is tuned", NULL),
    FLAG("tune", tune, "steps of mala and hmc, masses of hmc", NULL),
    WHOLE("leapfrogs", leapfrogs, 1, 1e6, "of hmc, at most: where it is tuned, from half of them to all are drawn", NULL),
    REAL("friction", friction, 0, 1e9, "of sghmc, sgnht", NULL),
    REAL("rms-decay", rms_decay, 0, 1, "of psgld: what its mean square of the gradient keeps a step", NULL),
    REAL("rms-epsilon", rms_epsilon, 0, 1e9, "of psgld: of units that are never active, the step is 1 / it", NULL),
    FLAG("noise", noise, "--no-noise: descent", NULL),
    FLAG("control-variate", control_variate, "gradients about an anchor", NULL),
    FLAG("exchange", exchange, "of replicas between betas", NULL),
    FLAG("work", work, "path certificate", "Checks"),
    FLAG("half-step", half_step, "the same at half the step", NULL),
    FLAG("companion", companion, "a Gaussian whose law is known", NULL),
    FLAG("pointwise", pointwise, "each record's loss at kept draws: WAIC, LOO", NULL),
    { "extend", 0, KL_OPT_STRING, AT(extend), "FILE", 0, 0, false, "go on from a smaller run", "Run", NULL },
    { "resume", 0, KL_OPT_FLAG, AT(resume), NULL, 0, 0, false, "from the checkpoint of a stopped run", NULL, NULL },
    { "checkpoint-every", 0, KL_OPT_INT, AT(checkpoint_every), "N", 0, 1e12, false, "epochs of all chains; 0: only when stopped by a signal", NULL, NULL },
};
const struct kl_tool kl_sampling_sample_tool = {
    .name = "sgld",
    .summary = "Samples the Gibbs posterior of a network's weights on a ladder of inverse temperatures.",
    .arguments = "sample [DIR | TRAIN TEST] -o CHAINS.h5",
    .example = "sgld sample --data synth -o chains.h5\n"
               "  sgld sample -p paper --data mnist --labels random mnist/ -o random.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_sampling_values),
    .without = "device",
    .chosen_by = "sample",
};
/* clang-format on */
