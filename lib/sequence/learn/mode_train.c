/* SPDX-License-Identifier: MIT
   qseq train and qseq sweep: their options; a net, and one for every point of a grid. */
#include <stdio.h>
#include <string.h>

#include "kernels/device.h"
#include "sequence/learn/learn.h"
#include "sequence/learn/learner.h"

/* ---- qseq train and qseq sweep: what a user may say of a training ---- */

#define AT(field) offsetof(struct kl_sequence_train_values, field)
/* clang-format off */
#define MODEL_ROWS                                                                                \
    { "model", 'm', KL_OPT_CHOICE, AT(model), KL_SEQUENCE_MODELS, 0, 0, true, "the net", "Model",  \
      NULL },                                                                                     \
    { "qubits", 0, KL_OPT_INT, AT(qubits), "N", 2, 20, true, "of its circuits", NULL, "n-qubits" }, \
    { "layers", 0, KL_OPT_INT, AT(layers), "N", 1, 64, true, "of its circuits", NULL,           \
      "qlcu-layers" },                                                                            \
    { "gate-layers", 0, KL_OPT_INT, AT(gate_layers), "N", 1, 64, true, "of the gate's circuit",   \
      NULL, NULL },                                                                               \
    { "revision", 0, KL_OPT_CHOICE, AT(revision), "a|b", 0, 0, true,                              \
      "of the reference, where its two revisions differ", NULL, NULL },                           \
    { "width", 0, KL_OPT_INT, AT(width), "N", 1, 65536, true, "of classical nets", NULL,          \
      "d-model" },                                                                                \
    { "state", 0, KL_OPT_INT, AT(state), "N", 1, 4096, true, "of their scans", NULL, "d-state" }, \
    { "filters", 0, KL_OPT_INT, AT(filters), "N", 0, 65536, true,                                 \
      "in time; 0: of eegnet 8, of shallow 40", NULL, NULL },                                     \
    { "spatial", 0, KL_OPT_INT, AT(spatial), "N", 0, 65536, true,                                 \
      "in space; 0: of eegnet 2 for each in time, of shallow 40", NULL, NULL },                   \
    { "taps", 0, KL_OPT_INT, AT(taps), "N", 0, 65536, true,                                         \
      "of filters in time; 0: of eegnet 64, of shallow 25", NULL, NULL },                         \
    { "twin-of", 0, KL_OPT_CHOICE, AT(twin_of), KL_SEQUENCE_MODELS, 0, 0, true,                    \
      "model twin: whose number of parameters it has", NULL, NULL },                              \
    { "frozen", 0, KL_OPT_FLAG, AT(frozen), NULL, 0, 0, true,                                     \
      "the circuit and its input keep their first values: a control", NULL, NULL },               \
    { "bare", 0, KL_OPT_FLAG, AT(bare), NULL, 0, 0, true,                                         \
      "the layer alone, on the flattened window", NULL, NULL },                                   \
    { "dropout", 0, KL_OPT_FLOAT, AT(dropout), "P", -1, 0.95, true,                               \
      "-1: the net's usual: 0.1, eegnet 0.25, shallow 0.5", NULL, NULL },                         \
    { "logit-dropout", 0, KL_OPT_FLAG, AT(logit_dropout), NULL, 0, 0, true,                       \
      "of the logits too, as the reference's Mamba", NULL, NULL }
#define DATA_ROWS                                                                                 \
    { "split", 0, KL_OPT_CHOICE, AT(split), KL_SEQUENCE_SPLITS, 0, 0, true,                       \
      "what is kept apart; leak: nothing, to show it", "Data", NULL },                            \
    { "fold", 0, KL_OPT_INT, AT(fold), "N|all", 0, 1e6, true,                                     \
      "from 0: of loso, kfold, loro; all: each, and their report", NULL, NULL },                  \
    { "folds", 0, KL_OPT_INT, AT(folds), "K", 2, 1e6, true, "of kfold", NULL, NULL },             \
    { "split-seed", 0, KL_OPT_INT, AT(split_seed), "N", 0, 4294967295.0, true,                    \
      "of the split, as NumPy's RandomState", NULL, NULL },                                       \
    { "test-fraction", 0, KL_OPT_FLOAT, AT(test_fraction), "P", 0, 0.9, true,                     \
      "of the people, the runs (within), the windows (leak)", NULL, NULL },                       \
    { "standardise", 0, KL_OPT_CHOICE, AT(standardise), KL_SEQUENCE_STANDARDS, 0, 0, true,        \
      "channels by train (the usual), each person; none: mV", NULL, "standardize" },              \
    { "align", 0, KL_OPT_CHOICE, AT(align), KL_SEQUENCE_ALIGNMENTS, 0, 0, true,                   \
      "Euclidean alignment first, by the training windows, by each person's", NULL, NULL },       \
    { "profile", 0, KL_OPT_CHOICE, AT(profile), "sound|reference", 0, 0, true,                    \
      "reference: what it does, its flaws included", NULL, NULL }
#define JUDGE_ROWS                                                                                \
    { "judge", 0, KL_OPT_CHOICE, AT(judge), "loss|accuracy", 0, 0, true,                          \
      "by which validation chooses the best epoch; else loss", NULL, NULL },                      \
    { "tested", 0, KL_OPT_CHOICE, AT(tested), "best|last", 0, 0, true,                            \
      "weights that eval takes; else best", NULL, NULL }
#define TRAIN_ROWS                                                                                \
    MODEL_ROWS,                                                                                   \
    DATA_ROWS,                                                                                    \
    KL_TRAIN_VALIDATION_OPTION(AT(train), "of the people (subject), of the training side"),        \
    KL_TRAIN_STEP_OPTIONS(AT(train), KL_TRAIN_OPTIMIZERS, "of sgd"),                              \
    KL_TRAIN_SCHEDULE_OPTIONS(AT(train)),                                                         \
    JUDGE_ROWS,                                                                                   \
    KL_TRAIN_REPLICA_OPTIONS(AT(train), "nets that differ in their random numbers")
static const struct kl_option train_options[] = {
    TRAIN_ROWS,
    KL_TRAIN_CHECKPOINT_OPTION(AT(train)),
    KL_DEVICE_OPTION(AT(common.device)),
    KL_TRAIN_RANKS_OPTION(AT(train)),
    KL_TRAIN_HISTORY_OPTIONS(AT(train)),
};
static const struct kl_option sweep_options[] = {
    KL_SWEEP_OPTIONS(offsetof(struct kl_sequence_sweep_values, sweep), "models", "of the models' files"),
    TRAIN_ROWS,
    KL_DEVICE_OPTION(AT(common.device)),
};
/* clang-format on */
const struct kl_tool kl_sequence_train_tool = {
    .name = "qseq",
    .summary = "Trains a net on windows of recordings; no person, recording or found copy stands\n"
               "on both sides of the split",
    .arguments = "train WINDOWS.h5... -o MODEL.h5",
    .example = "qseq train S*.h5 --model hydra -o hydra.h5\n"
               "  qseq train S*.h5 --split loso --fold all --replicas 5 -o report.h5",
    .options = train_options,
    .n_options = sizeof train_options / sizeof *train_options,
    .values_size = sizeof(struct kl_sequence_train_values),
    .chosen_by = "train",
};
const struct kl_tool kl_sequence_sweep_tool = {
    .name = "qseq",
    .summary = "Trains a net for every point of a grid of options and compares them",
    .arguments = "sweep WINDOWS.h5... --grid GRID -o SWEEP.h5",
    .example = "qseq sweep S*.h5 -g \"model=hydra,means lr=1e-3,3e-3\" -o sweep.h5\n"
               "  qseq sweep S*.h5 -g lr=1e-3,3e-3 --split loso --fold all -o report.h5",
    .options = sweep_options,
    .n_options = sizeof sweep_options / sizeof *sweep_options,
    .values_size = sizeof(struct kl_sequence_sweep_values),
    .chosen_by = "sweep",
};

void kl_sequence_train_defaults(void *values)
{
    struct kl_sequence_train_values *v = values;
    struct kl_train_options *o = &v->train.options;
    struct kl_sequence_model_options net;
    kl_sequence_model_options_default(&net);
    v->common.progress = "auto", v->common.device = "auto";
    kl_train_settings_default(&v->train);
    v->train.schedule = "plateau";
    o->batch_size = 32, o->patience = 10, o->val_fraction = 0.15;
    o->optimizer.clip = 1, o->optimizer.clip_epsilon = 1e-6;
    o->schedule.factor = 0.5, o->schedule.patience = 5, o->schedule.threshold = 1e-4;
    v->model = net.model, v->revision = "b", v->split = "subject";
    v->align = "none", v->twin_of = "hydra", v->profile = "sound";
    v->qubits = net.qubits, v->layers = net.layers, v->gate_layers = net.gate_layers;
    v->width = net.width, v->state = net.state;
    v->folds = 5, v->test_fraction = 0.15, v->dropout = -1;
}

/* Set options that were not given as the profile has them. */
static void take_profile(struct kl_sequence_train_values *v)
{
    if (!v->standardise) v->standardise = v->reference ? "none" : "train";
    if (!v->judge) v->judge = v->reference ? "accuracy" : "loss";
    if (!v->tested) v->tested = v->reference ? "last" : "best";
    v->logit_dropout |= v->reference && strcmp(v->model, "mamba") == 0;
}

static double usual_dropout(const char *model)
{
    return strcmp(model, "eegnet") == 0 ? 0.25 : strcmp(model, "shallow") == 0 ? 0.5 : 0.1;
}

/* Options that a model does not have would stand in its key and change nothing. */
static int check_model(const struct kl_sequence_train_values *v, struct kl_error *err)
{
    static const struct {
        const char *models, *others;
    } foreign[] = {
        { "hydra|hydra-hybrid|mamba|mamba-lite",
          "gate-layers width state filters spatial taps twin-of" },
        { "mamba-hybrid|mamba-hybrid-lite", "width state filters spatial taps twin-of" },
        { "classical-mamba|classical-hydra", "qubits layers gate-layers filters spatial taps twin-of" },
        { "eegnet|shallow", "qubits layers gate-layers width state twin-of bare" },
        { "twin", "width state filters spatial taps" },
        { "means", "qubits layers gate-layers width state filters spatial taps twin-of dropout" },
        { "hydra|hydra-hybrid|eegnet|shallow|means|twin", "logit-dropout" },
        { "hydra|hydra-hybrid|mamba-hybrid|mamba-lite|mamba-hybrid-lite|classical-mamba|eegnet|shallow|"
          "means|"
          "twin",
          "revision" },
    };
    struct kl_sequence_train_values usual;
    char why[80];
    memset(&usual, 0, sizeof usual);
    kl_sequence_train_defaults(&usual);
    snprintf(why, sizeof why, "--model %s has no such thing", v->model);
    int code = KL_OK;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign && !code; i++)
        if (kl_choice(foreign[i].models, v->model) >= 0)
            code = kl_options_refuse(&kl_sequence_train_tool, v, &usual, foreign[i].others, why, err);
    if (!code && strcmp(v->model, "twin") == 0 && !strstr(v->twin_of, "hybrid-lite") &&
        strcmp(v->twin_of, "mamba-hybrid"))
        code = kl_options_refuse(&kl_sequence_train_tool, v, &usual, "gate-layers",
                                 "the model that --twin-of names has no such thing", err);
    return code;
}

/* Nor does an option that another one leaves without effect. */
static int check_idle(const struct kl_sequence_train_values *v, struct kl_error *err)
{
    const struct {
        const char *options, *other, *value, *values;
    } idle[] = {
        { "momentum", "optimizer", v->train.optimizer, "sgd" },
        { "beta1 beta2 epsilon", "optimizer", v->train.optimizer, "adam|adamw" },
        { "period", "schedule", v->train.schedule, "step" },
        { "factor", "schedule", v->train.schedule, "step|plateau" },
        { "plateau-patience", "schedule", v->train.schedule, "plateau" },
        { "min-lr", "schedule", v->train.schedule, "cosine|plateau" },
        { "test-fraction", "split", v->split, KL_SEQUENCE_SPLITS_OF_SHARES },
        { "split-seed", "split", v->split, KL_SEQUENCE_SPLITS_OF_SEED },
    };
    struct kl_sequence_train_values usual;
    memset(&usual, 0, sizeof usual);
    kl_sequence_train_defaults(&usual);
    int code = KL_OK;
    for (size_t i = 0; i < sizeof idle / sizeof *idle && !code; i++) {
        char why[80];
        if (kl_choice(idle[i].values, idle[i].value) >= 0) continue;
        snprintf(why, sizeof why, "changes nothing without --%s %s", idle[i].other, idle[i].values);
        code = kl_options_refuse(&kl_sequence_train_tool, v, &usual, idle[i].options, why, err);
    }
    return code;
}

static int check(const struct kl_sequence_train_values *v, struct kl_error *err)
{
    const bool folded = v->parts.kind == KL_SEQUENCE_SPLIT_LOSO ||
                        v->parts.kind == KL_SEQUENCE_SPLIT_KFOLD ||
                        v->parts.kind == KL_SEQUENCE_SPLIT_LORO;
    if (v->fold && !folded)
        return kl_fail(err, KL_EUSAGE, "--fold: --split %s has no folds; loso, kfold and loro have",
                       v->split);
    if (v->folds != 5 && v->parts.kind != KL_SEQUENCE_SPLIT_KFOLD)
        return kl_fail(err, KL_EUSAGE, "--folds: of --split kfold alone");
    if (v->by_accuracy && v->train.options.val_fraction == 0)
        return kl_fail(err, KL_EUSAGE, "--judge accuracy: --val-fraction 0 leaves nothing to judge by");
    const int code = check_model(v, err);
    return code ? code : check_idle(v, err);
}

struct kl_sequence_split_options kl_sequence_train_parts(const struct kl_sequence_train_values *v)
{
    return (struct kl_sequence_split_options){
        .kind = (enum kl_sequence_split_kind)kl_choice(KL_SEQUENCE_SPLITS, v->split),
        .fold = v->fold,
        .folds = v->folds,
        .validation = v->train.options.val_fraction,
        .test = v->test_fraction,
        .seed = (uint64_t)v->split_seed,
    };
}

int kl_sequence_train_settle(void *values, struct kl_error *err)
{
    struct kl_sequence_train_values *v = values;
    v->reference = strcmp(v->profile, "reference") == 0;
    take_profile(v);
    kl_sequence_model_options_default(&v->net);
    v->net.model = v->model, v->net.twin_of = v->twin_of, v->net.revision = v->revision[0];
    v->net.qubits = (int)v->qubits, v->net.layers = (int)v->layers;
    v->net.gate_layers = (int)v->gate_layers, v->net.width = (int)v->width;
    v->net.state = (int)v->state, v->net.filters = (int)v->filters;
    v->net.spatial = (int)v->spatial, v->net.taps = (int)v->taps;
    v->net.bare = v->bare, v->net.frozen = v->frozen, v->net.logit_dropout = v->logit_dropout;
    v->net.dropout = v->dropout < 0 ? usual_dropout(v->model) : v->dropout;
    v->parts = kl_sequence_train_parts(v);
    v->standard.kind = (enum kl_sequence_standard_kind)kl_choice(KL_SEQUENCE_STANDARDS, v->standardise);
    v->standard.align = (enum kl_sequence_alignment)kl_choice(KL_SEQUENCE_ALIGNMENTS, v->align);
    v->by_accuracy = strcmp(v->judge, "accuracy") == 0, v->last = strcmp(v->tested, "last") == 0;
    if (v->train.options.schedule.kind != KL_PLATEAU_RATE) v->train.options.schedule.threshold = 0;
    /* Nothing judges epochs then: a default has nothing to wait for. */
    if (v->train.options.val_fraction == 0 && v->train.options.patience == 10)
        v->train.options.patience = 0;
    return check(v, err);
}

/* ---- qseq train and qseq sweep: a net, and one for every point of a grid ---- */

static int train(struct kl_mode_run *run, struct kl_error *err)
{
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
