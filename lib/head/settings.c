/* SPDX-License-Identifier: MIT
   The table of options of a head and its training, its texts as values, and options that change nothing
   unless another one has a certain value. */
#include "head/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "kernels/device.h"

static const struct kl_option options[] = {
    KL_HEAD_MODEL_SETTINGS,
    { "no-controls", 0, KL_OPT_FLAG, KL_HEAD_AT(no_controls), NULL, 0, 0, true,
      "do not train the three other cores beside the circuit", NULL, NULL },
    KL_HEAD_TRAINING_SETTINGS,
    KL_DEVICE_OPTION(KL_HEAD_AT(common.device)),
    KL_TRAIN_CHECKPOINT_OPTION(KL_HEAD_AT(train)),
    { "check-gradients", 0, KL_OPT_FLAG, KL_HEAD_AT(check_gradients), NULL, 0, 0, false,
      "compare adjoint, shift rules and differences; train nothing", NULL, NULL },
    { "profile", 0, KL_OPT_FLAG, KL_HEAD_AT(profile), NULL, 0, 0, false,
      "say where the time of a step goes; train nothing", NULL, NULL },
    KL_TRAIN_HISTORY_OPTIONS(KL_HEAD_AT(train)),
};
const struct kl_tool kl_head_tool = {
    .name = "qtrain",
    .summary = "Trains hybrid heads (reduction, circuit, classifier) on cached features",
    .arguments = "FEATURES.h5 -o HEAD.h5",
    .example = "qtrain train.h5 -o head.h5\n  qtrain train.h5 --replicas 5 --epochs 15 -o heads.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_head_settings),
};

void kl_head_shape_default(struct kl_head_shape_texts *texts)
{
    *texts = (struct kl_head_shape_texts){ "circuit", "128,32", "16" };
}

int kl_head_shape_settle(struct kl_head_options *head, const struct kl_head_shape_texts *texts,
                         struct kl_error *err)
{
    for (int i = 0; i < KL_CORES; i++)
        if (strcmp(texts->core, kl_core_names[i]) == 0) head->core = (enum kl_core)i;
    int code = kl_head_widths(head->reduction, &head->n_reduction, texts->reduction, "reduction", err);
    if (code) return code;
    return kl_head_widths(head->classifier, &head->n_classifier, texts->classifier, "classifier", err);
}

/* By its address: one that was asked for is another text. */
static const char usual_diff[] = "adjoint", diff_of_shots[] = "parameter-shift";

void kl_head_settings_complete(struct kl_head_settings *v)
{
    if (v->shots && v->diff_method == usual_diff) v->diff_method = diff_of_shots;
}

void kl_head_settings_default(struct kl_head_settings *v)
{
    *v = (struct kl_head_settings){ .common = { .progress = "auto", .device = "auto" },
                                    .diff_method = usual_diff,
                                    .init = "normal" };
    kl_head_shape_default(&v->shape);
    kl_head_options_default(&v->head);
    kl_train_settings_default(&v->train);
}

/* --noise as its canonical text; none: as if it had not been given. */
static int settle_noise(struct kl_head_settings *v, struct kl_error *err)
{
    const char *option = v->head.circuit.noise;
    int code = option ? kl_circuit_noise_text_from(&v->noise, &v->noise_source, option, err) : KL_OK;
    v->head.circuit.noise = v->noise && *v->noise ? v->noise : NULL;
    if (!code && v->head.circuit.noise && v->train.options.optimizer.kind == KL_QNG)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer qng: its metric is that of pure states, and --noise leaves none; "
                       "leave one of them out");
    if (code) return code;
    return kl_circuit_trajectories_read(&v->head.circuit.trajectories, v->trajectories, 1,
                                        v->noise ? v->noise : "", err);
}

static int settle_shots(struct kl_head_settings *v, struct kl_error *err)
{
    if (!v->shots) return KL_OK;
    int code = kl_circuit_shots_number(&v->head.shots, v->shots, err);
    if (code || v->head.diff == KL_DIFF_SHIFT || v->head.diff == KL_DIFF_SPSA) return code;
    return kl_fail(err, KL_EUSAGE, "--diff-method %s: %s; with --shots take parameter-shift or spsa",
                   v->diff_method,
                   v->head.diff == KL_DIFF_ADJOINT
                       ? "it differentiates exact expectation values, not measurements"
                       : "its step is too small for measurements, whose noise it would divide by 2e-5");
}

/* "0/5": its two numbers. */
static int settle_fold(struct kl_train_options *o, const char *fold, struct kl_error *err)
{
    long long i = 0, k = 0;
    char text[48];
    if (!fold) return KL_OK;
    sscanf(fold, "%lld/%lld", &i, &k);
    snprintf(text, sizeof text, "%lld/%lld", i, k); /* so that one fold has one key */
    if (strcmp(text, fold) != 0 || i < 0 || k < 2 || k > KL_SWEEP_FOLDS || i >= k)
        return kl_fail(err, KL_EUSAGE,
                       "--fold: found '%s', expected I/K, 0/5 to 4/5 of five; K is 2 to %d", fold,
                       (int)KL_SWEEP_FOLDS);
    struct kl_train_options usual;
    kl_train_options_default(&usual);
    if (o->val_fraction != usual.val_fraction)
        return kl_fail(
            err, KL_EUSAGE,
            "--val-fraction: of K folds one has a K-th of the samples; it cannot be given with "
            "--fold or --folds");
    o->fold = i, o->folds = k;
    return KL_OK;
}

int kl_head_settings_settle(struct kl_head_settings *v, struct kl_error *err)
{
    int code = kl_head_shape_settle(&v->head, &v->shape, err);
    kl_head_settings_complete(v);
    kl_train_settings_settle(&v->train, v->common.seed);
    v->head.init = (enum kl_init)kl_choice(KL_INIT_CHOICES, v->init);
    v->head.diff = (enum kl_diff_method)kl_choice(KL_DIFF_CHOICES, v->diff_method);
    if (v->head.core != KL_CORE_CIRCUIT) v->no_controls = true; /* it is one itself */
    if (!code) code = kl_circuit_options_file(&v->head.circuit, &v->qasm, err);
    if (!code) code = settle_noise(v, err);
    if (!code) code = kl_circuit_observables_text(&v->observables, v->head.circuit.observables, err);
    if (!code) v->head.circuit.observables = v->observables;
    if (!code) code = settle_shots(v, err);
    if (!code) code = settle_fold(&v->train.options, v->fold, err);
    if (!code) code = kl_head_growth_check(&v->head, v->train.options.epochs, err);
    return code;
}

void kl_head_settings_free(struct kl_head_settings *v)
{
    free(v->qasm);
    free(v->noise);
    free(v->observables);
    v->qasm = v->noise = v->observables = NULL;
}

/* ---- Options of a head that change nothing unless another one has a certain value ---- */

static const char of_sgd[] = "sgd|spsa", of_adam[] = "adam|adamw|qng|rotosolve",
                  with_core[] = "circuit|twin|frozen";
const struct kl_without_effect kl_without_effect[] = {
    { "momentum", "optimizer", of_sgd },
    { "beta1", "optimizer", of_adam },
    { "beta2", "optimizer", of_adam },
    { "epsilon", "optimizer", of_adam },
    { "qng-lr", "optimizer", "qng" },
    { "qng-lambda", "optimizer", "qng" },
    { "spsa-c", "optimizer", "spsa" },
    { "diff-method", "optimizer", "sgd|adam|adamw|qng|rotosolve" }, /* spsa takes no derivatives */
    { "spsa-step", "diff-method", "spsa" },
    { "spsa-directions", "diff-method", "spsa" },
    { "period", "schedule", "step" },
    { "factor", "schedule", "step|plateau" },
    { "plateau-patience", "schedule", "plateau" },
    { "min-lr", "schedule", "cosine|plateau" },
    { "qubits", "core", with_core }, /* core none is a linear probe */
    { "layers", "core", with_core },
    { "ansatz", "core", with_core },
    { "entanglement", "core", with_core },
    { "embedding", "core", with_core },
    { "reupload", "core", with_core },
    { "learn-scale", "core", with_core },
    { "observables", "core", with_core },
    { "circuit-file", "core", with_core },
    { "reduction", "core", with_core },
    { "classifier", "core", with_core },
    { "dropout", "core", with_core },
    { "qng-lr", "core", "circuit" }, /* the one core with a metric that is trained */
    { "qng-lambda", "core", "circuit" },
    { "noise", "core", "circuit|frozen" },
    { "trajectories", "core", "circuit|frozen" },
    { "shots", "core", "circuit|frozen" },
    { "weight-scale", "core", "circuit|twin" }, /* the frozen ones are uniform */
    { "diff-method", "core", "circuit|frozen" },
    { "init", "core", "circuit" },
    { "grow", "core", "circuit|frozen" },
    { "mirror", "core", with_core },
    { NULL, NULL, NULL },
};

bool kl_head_without_effect_among(const char *values, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = values; (at = strstr(at, value)); at += n)
        if ((at == values || at[-1] == '|') && (at[n] == '|' || !at[n])) return true;
    return false;
}

const char *kl_head_without_effect_value(const struct kl_head_settings *v, const char *name)
{
    return *name == 'o'   ? v->train.optimizer
           : *name == 's' ? v->train.schedule
           : *name == 'd' ? v->diff_method
                          : v->shape.core;
}

/* kl_head_remarks names the options that a core without a circuit and an optimiser without derivatives
   leave idle. */
static bool said_elsewhere(const struct kl_without_effect *c)
{
    return kl_head_without_effect_among("noise|trajectories|shots|diff-method", c->option);
}

void kl_head_say_without_effect(const struct kl_log *log, const struct kl_head_settings *v)
{
    struct kl_head_settings usual;
    kl_head_settings_default(&usual);
    for (const struct kl_without_effect *c = kl_without_effect; c->option; c++) {
        struct kl_error why = { 0 };
        char text[120];
        if (said_elsewhere(c)) continue;
        if (kl_head_without_effect_among(c->values, kl_head_without_effect_value(v, c->other))) continue;
        snprintf(text, sizeof text, "changes nothing without --%s %s", c->other, c->values);
        if (kl_options_refuse(&kl_head_tool, v, &usual, c->option, text, &why))
            kl_note(log, 1, "%s", why.text);
    }
}
