/* SPDX-License-Identifier: MIT
   The table of options of a head and its training, and its texts as values. */
#include "head/settings.h"

#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "kernels/device.h"

static const struct kl_option options[] = {
    KL_HEAD_MODEL_SETTINGS,
    { "no-controls", 0, KL_OPT_FLAG, KL_HEAD_AT(no_controls), NULL, 0, 0, true,
      "do not train the three other cores beside the circuit", NULL, NULL },
    KL_HEAD_TRAINING_SETTINGS,
    KL_TRAIN_RESUME_OPTION(KL_HEAD_AT(train)),
    KL_DEVICE_OPTION(KL_HEAD_AT(common.device)),
    KL_TRAIN_CHECKPOINT_OPTION(KL_HEAD_AT(train)),
    { "check-gradients", 0, KL_OPT_FLAG, KL_HEAD_AT(check_gradients), NULL, 0, 0, false,
      "compare adjoint, shift rules and differences; train nothing", NULL, NULL },
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
                       "leave one of them away");
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
