/* SPDX-License-Identifier: MIT
   A head's whole way from a feature cache to its file, alone or as a point of a sweep; what a user may
   say of it: one struct and one table of options, for every tool that trains heads. */
#ifndef KL_HEAD_RUN_H
#define KL_HEAD_RUN_H

#include "circuit/noise.h"
#include "circuit/options.h"
#include "head/evaluate.h"
#include "head/head.h"
#include "kernels/device.h"
#include "store/store.h"
#include "train/train.h"
#include "train/sweep.h"

/* The layers around the circuit, as texts: "circuit", "128,32", "16" by default. */
struct kl_head_shape_texts {
    const char *core, *reduction, *classifier;
};
void kl_head_shape_default(struct kl_head_shape_texts *texts);
/* The texts into head. KL_EUSAGE. */
int kl_head_shape_settle(struct kl_head_options *head, const struct kl_head_shape_texts *texts,
                         struct kl_error *err);

struct kl_head_settings {
    struct kl_common common;
    struct kl_head_options head;
    struct kl_train_settings train;
    struct kl_head_shape_texts shape;
    const char *diff_method, *init;
    const char *shots, *trajectories, *fold;
    bool no_controls, check_gradients, profile;
    char *qasm, *noise, *observables; /* (hidden) of --circuit-file; two options in canonical form */
    struct kl_noise_source noise_source;
};
/* qtrain, by whose options the key of a head is made, whichever tool trains it. Its values are a struct
   kl_head_settings. */
extern const struct kl_tool kl_head_tool;
void kl_head_settings_default(struct kl_head_settings *v);
/* With shots, a method that was not chosen is the shift rules: before the settings are shown or settled.
 */
void kl_head_settings_complete(struct kl_head_settings *v);
/* The texts into the structs, once. KL_EUSAGE, KL_ENOINPUT, KL_EDATA, KL_ENOMEM; free it in any case. */
int kl_head_settings_settle(struct kl_head_settings *v, struct kl_error *err);
void kl_head_settings_free(struct kl_head_settings *v); /* what settling made */

/* The rows of a table of options that shape a head around its circuit; at: offset of the struct
   kl_head_shape_texts. */
/* clang-format off */
#define KL_HEAD_SHAPE_AT(at, field) ((at) + offsetof(struct kl_head_shape_texts, field))
#define KL_HEAD_SHAPE_OPTIONS(at, group)                                                         \
    { "core", 0, KL_OPT_CHOICE, KL_HEAD_SHAPE_AT(at, core), "circuit|twin|frozen|none", 0, 0,    \
      true, "between reduction and classifier; none: a linear probe", group, NULL },             \
    { "reduction", 0, KL_OPT_STRING, KL_HEAD_SHAPE_AT(at, reduction), "WIDTHS", 0, 0, true,      \
      "hidden widths before the circuit; none", NULL, NULL },                                    \
    { "classifier", 0, KL_OPT_STRING, KL_HEAD_SHAPE_AT(at, classifier), "WIDTHS", 0, 0, true,    \
      "hidden widths after it; none", NULL, NULL }
/* clang-format on */

/* In the order of their enums. */
#define KL_HEAD_OPTIMIZERS KL_OPTIMIZER_NAMES
#define KL_DIFF_CHOICES "adjoint|parameter-shift|finite-diff|spsa"
#define KL_INIT_CHOICES "normal|uniform|identity"

/* Rows of a table of options whose values begin with a struct kl_head_settings: all that changes a
   head, first what it is, then its training. Controls are qtrain's alone. */
#define KL_HEAD_AT(field) offsetof(struct kl_head_settings, field)
/* clang-format off */
#define KL_HEAD_MODEL_SETTINGS                                                                   \
    KL_CIRCUIT_OPTIONS(KL_HEAD_AT(head.circuit)),                                                \
    KL_NOISE_OPTION(KL_HEAD_AT(head.circuit.noise), NULL),                                       \
    KL_TRAJECTORIES_OPTION(KL_HEAD_AT(trajectories)),                                            \
    KL_HEAD_SHAPE_OPTIONS(KL_HEAD_AT(shape), "Head")
#define KL_HEAD_TRAINING_SETTINGS                                                                \
    { "dropout", 0, KL_OPT_FLOAT, KL_HEAD_AT(head.dropout), "P", 0, 0.99, true,                  \
      "rate after every ReLU", NULL, "dropout_rate" },                                           \
    { "weight-scale", 0, KL_OPT_FLOAT, KL_HEAD_AT(head.weight_scale), "S", 0, 100, true,         \
      "circuit weights start as S N(0,1) (--init normal)", NULL, NULL },                         \
    { "init", 0, KL_OPT_CHOICE, KL_HEAD_AT(init), KL_INIT_CHOICES, 0, 0, true,                   \
      "circuit weights start small, within pi, or (--mirror) undoing each other", NULL, NULL },  \
    { "grow", 0, KL_OPT_INT, KL_HEAD_AT(head.grow), "E", 0, 1e6, true,                           \
      "begin with one layer, the next joins after E epochs; 0: all at once", NULL, NULL },       \
    KL_TRAIN_STEP_OPTIONS(KL_HEAD_AT(train), KL_HEAD_OPTIMIZERS, "of sgd and spsa"),             \
    { "qng-lr", 0, KL_OPT_FLOAT, KL_HEAD_AT(train.options.optimizer.natural_lr), "X", 0, 1e3, true,      \
      "learning rate of the circuit under qng", NULL, NULL },                                    \
    { "qng-lambda", 0, KL_OPT_FLOAT, KL_HEAD_AT(train.options.optimizer.natural_lambda), "X", 1e-6, 1e6, \
      true, "added to the metric's diagonal under qng", NULL, NULL },                            \
    { "spsa-c", 0, KL_OPT_FLOAT, KL_HEAD_AT(train.options.optimizer.spsa_c), "X", 1e-6, 10, true,        \
      "first perturbation under spsa", NULL, NULL },                                             \
    KL_TRAIN_SCHEDULE_OPTIONS(KL_HEAD_AT(train)),                                                \
    KL_TRAIN_VALIDATION_OPTION(KL_HEAD_AT(train), "stratified validation part"),                 \
    { "fold", 0, KL_OPT_STRING, KL_HEAD_AT(fold), "I/K", 0, 0, true,                             \
      "in its place: part I, from 0, of K stratified ones", NULL, NULL },                        \
    KL_TRAIN_REPLICA_OPTIONS(KL_HEAD_AT(train), "heads that differ in their random numbers"),    \
    { "diff-method", 0, KL_OPT_CHOICE, KL_HEAD_AT(diff_method),                                  \
      KL_DIFF_CHOICES, 0, 0, true,                                                               \
      "how the circuit is differentiated; with --shots parameter-shift or spsa",                 \
      "Gradients", NULL },                                                                       \
    { "shots", 0, KL_OPT_STRING, KL_HEAD_AT(shots), "N", 0, 0, true,                             \
      "train on means of N measurements; else exact values", NULL, NULL },                       \
    { "spsa-step", 0, KL_OPT_FLOAT, KL_HEAD_AT(head.spsa_step), "C", 1e-6, 3, true,             \
      "of diff-method spsa, radians", NULL, NULL },                                              \
    { "spsa-directions", 0, KL_OPT_INT, KL_HEAD_AT(head.spsa_directions), "K", 1, 1e6, true,    \
      "of a sample, averaged", NULL, NULL }
/* clang-format on */

/* ---- Options of a head that change nothing unless another one has a certain value: a training notes
   those that were given, a grid refuses them as axes if all points have them idle
   ---- */
/* An option is idle unless `other` has one of the values, "A|B". An option may stand in several rows. */
struct kl_without_effect {
    const char *option, *other, *values;
};
extern const struct kl_without_effect kl_without_effect[]; /* up to one without an option */
/* "sgd" in "adam|sgd" */
bool kl_head_without_effect_among(const char *values, const char *value);
/* The value in the settings of an option that is the `other` of a row. */
const char *kl_head_without_effect_value(const struct kl_head_settings *settings, const char *other);
/* A note on each option that was given and is idle; what kl_head_remarks says is left out. */
void kl_head_say_without_effect(const struct kl_log *log, const struct kl_head_settings *settings);

/* ---- A head's whole way from a feature cache to its file. Set v, log, stage and input; then begin, and
   if the answer is KL_STAGE_COMPUTE: open, train, judge, publish; close in any case
   ---- */
enum { KL_HEAD_NUMERICAL_VERSION = 4 }; /* of qtrain, in the key; of spsa one more: run.c */

struct kl_head_run {
    const struct kl_head_settings *v; /* settled */
    const struct kl_log *log;
    struct kl_stage stage;
    struct kl_file *input;   /* the features */
    struct kl_device device; /* where it trains: the CPU unless the tool has chosen */
    bool late;               /* begin the file when it is published, and not when training is opened */
    struct kl_head_model model;
    struct kl_head_train train;
    struct kl_controls controls;
    struct kl_collapse collapse; /* of its heads, once judged */
    size_t collapsed_controls[KL_CONTROLS];
    struct kl_paired found[KL_CONTROLS]; /* the head's accuracy less each control's, once published */
    int n_found;
    struct kl_writer *writer; /* (hidden) */
    char *config;
    char *checkpoint; /* its path; NULL: none is kept, as when the output is a pipe */
    bool older;       /* a checkpoint stands there from which this run does not go on */
};
/* The key of the head that these settings give on these features (`input`, open). */
int kl_head_key(char hex[65], const struct kl_head_settings *settled, const struct kl_file *input,
                struct kl_error *err);
/* Key, and kl_store_stage_begin with it. */
int kl_head_run_begin(struct kl_head_run *run, enum kl_stage_answer *answer, FILE *out,
                      struct kl_error *err);
/* --device auto: the GPU where that pays (kl_device_auto), for training on these features by so many
   threads. (run.c) */
int kl_head_run_device(struct kl_head_run *run, const struct kl_features *features, int threads,
                       struct kl_error *err);
/* Model, writer, initial values or those of the checkpoint. threads: those of the pool
   that trains, no fewer. features must outlive the run. */
int kl_head_run_open(struct kl_head_run *run, const struct kl_features *features, int threads,
                     struct kl_error *err);
/* In place of open, and before close: how long training would take here, by the first half second of the
   head and of each control; at most, where heads may stop early or the circuit grows. KL_ENO: a step
   takes too long to be tried. Nothing is written. (run.c) */
int kl_head_run_estimate(struct kl_estimate *estimate, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_pool *pool, struct kl_error *err);
/* Note the effects of these settings with this model that are not obvious (cautions.c). */
void kl_head_remarks(const struct kl_log *log, const struct kl_head_settings *settled,
                     const struct kl_head_model *model);
/* Warn of samples that an accuracy does not take for granted: classes without any, rows that are all
   equal, fewer than 30 validation samples, or one in a hundred of them whose features are, to the bit,
   those of a training sample. train: opened. KL_ENOMEM. (cautions.c) */
int kl_head_remark_samples(const struct kl_log *log, const struct kl_head_train *train,
                           struct kl_error *err);
/* The same of a training that is not opened: a sweep says it once, by its first point's split. As
   kl_nn_split_stratified. */
int kl_head_remark_split(const struct kl_log *log, const struct kl_features *features,
                         const struct kl_train_options *options, struct kl_error *err);
/* Say of a training that ended too soon that the loss was still falling when the epochs were over. */
void kl_head_remark_unfinished(const struct kl_log *log, const struct kl_head_train *train,
                               const struct kl_controls *controls);
/* KL_ESIGNAL: stopped, and a checkpoint was written, or an older one left before the first epoch. */
int kl_head_run_train(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err);
/* After the training and before publishing, whose file keeps what is said: did it end too soon, and
   which heads and controls have collapsed? KL_ENOMEM, KL_EDEVICE. */
int kl_head_run_judge(struct kl_head_run *run, struct kl_pool *pool, struct kl_error *err);
/* Of a run that trains in parts (train.until): hold nothing but the state, and go on, with any threads.
 */
void kl_head_run_stop_workers(struct kl_head_run *run);
int kl_head_run_start_workers(struct kl_head_run *run, int threads, struct kl_error *err);
/* The checkpoint, of a run that stands between two steps. */
int kl_head_run_keep(struct kl_head_run *run, struct kl_error *err);
/* With what was found, which kl_store_stage_tell then tells. */
int kl_head_run_publish(struct kl_head_run *run, struct kl_error *err);
void kl_head_run_close(struct kl_head_run *run);

/* ---- qtrain --profile: where the time of a step goes (profile.c) ---- */
struct kl_head_profile {
    struct kl_head_laps laps;
    size_t batch;
    const char *core;
    double extraction; /* seconds that a sample's features took; NaN: their file does not say */
};
/* Half a second of training by one thread. run: of no controls; close it in any case. KL_ENO: a step
   takes too long to be tried. */
int kl_head_profile_make(struct kl_head_profile *profile, struct kl_head_run *run,
                         const struct kl_features *features, struct kl_error *err);
void kl_head_profile_write(FILE *to, const struct kl_head_profile *profile);
int kl_head_profile_json(FILE *to, const struct kl_head_profile *profile, struct kl_error *err);

/* ---- qtrain --check-gradients: every way to differentiate a head against the others ---- */
/* The head's gradient at its initial values on the first n samples, in double: with the circuit, if
   there is one, differentiated by adjoint, shift rules and central differences, each compared with each;
   by simultaneous perturbation along many directions, whose mean is compared with its own standard
   error; and against central differences of the loss in some entries of every tensor that trains,
   whatever the core. Largest difference between any two entries. */
struct kl_gradient_check {
    size_t samples, parameters;
    double largest;   /* entry of the gradient by back-propagation and adjoint */
    bool has_circuit; /* else only loss_differences were computed */
    double adjoint_shift, adjoint_differences, shift_differences;
    double spsa; /* largest distance of the mean from the adjoint, in standard errors */
    size_t directions;
    size_t entries;                        /* compared with differences of the loss */
    double loss_differences;               /* largest difference there */
    double shift_bound, differences_bound; /* from rounding, and from the step of central differences */
    double spsa_bound;
    bool agree;
};
int kl_head_check_gradients(struct kl_gradient_check *check, const struct kl_head_model *model,
                            const struct kl_features *features, size_t n, uint64_t seed,
                            struct kl_error *err);
/* In words, and as one JSON object (gradient_check.c); core: its name. */
void kl_head_gradient_check_write(FILE *to, const struct kl_gradient_check *check, const char *core);
int kl_head_gradient_check_json(FILE *to, const struct kl_gradient_check *check, const char *core,
                                struct kl_error *err);

/* ---- A sweep of heads (train/sweep.h) ---- */
/* Without input and say_input, which the tool adds: they are of another room. A head's bytes are those
   that qtrain gives it alone, without controls. */
extern const struct kl_sweep_stage kl_head_sweep;

#endif
