/* SPDX-License-Identifier: MIT
   What a user may say of a head and its training: one struct and one table of options, for every tool
   that trains heads. */
#ifndef KL_HEAD_SETTINGS_H
#define KL_HEAD_SETTINGS_H

#include "circuit/noise.h"
#include "circuit/options.h"
#include "head/head.h"
#include "train/options.h"

/* What surrounds the circuit, as texts: "circuit", "128,32", "16" by default. */
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
    const char *shots, *trajectories;
    bool no_controls, check_gradients;
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

#endif
