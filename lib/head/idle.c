/* SPDX-License-Identifier: MIT
   Options of a head that change nothing unless another one has a certain value. */
#include "head/idle.h"

#include <stdio.h>
#include <string.h>

static const char of_sgd[] = "sgd|spsa", of_adam[] = "adam|adamw|qng|rotosolve",
                  with_core[] = "circuit|twin|frozen";
const struct kl_idle kl_idle[] = {
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

bool kl_head_idle_among(const char *values, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = values; (at = strstr(at, value)); at += n)
        if ((at == values || at[-1] == '|') && (at[n] == '|' || !at[n])) return true;
    return false;
}

const char *kl_head_idle_value(const struct kl_head_settings *v, const char *name)
{
    return *name == 'o'   ? v->train.optimizer
           : *name == 's' ? v->train.schedule
           : *name == 'd' ? v->diff_method
                          : v->shape.core;
}

/* What a core without a circuit and an optimiser without derivatives leave idle, kl_head_remarks says.
 */
static bool said_elsewhere(const struct kl_idle *c)
{
    return kl_head_idle_among("noise|trajectories|shots|diff-method", c->option);
}

void kl_head_say_idle(const struct kl_log *log, const struct kl_head_settings *v)
{
    struct kl_head_settings usual;
    kl_head_settings_default(&usual);
    for (const struct kl_idle *c = kl_idle; c->option; c++) {
        struct kl_error why = { 0 };
        char text[120];
        if (said_elsewhere(c)) continue;
        if (kl_head_idle_among(c->values, kl_head_idle_value(v, c->other))) continue;
        snprintf(text, sizeof text, "changes nothing without --%s %s", c->other, c->values);
        if (kl_options_refuse(&kl_head_tool, v, &usual, c->option, text, &why))
            kl_note(log, 1, "%s", why.text);
    }
}
