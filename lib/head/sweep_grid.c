/* SPDX-License-Identifier: MIT
   Which options may be an axis of a sweep: those by which its points differ and can be compared. */
#include <stdio.h>
#include <string.h>

#include "head/run.h"
#include "head/sweep_run.h"

static const struct kl_grid_refusal refusals[] = {
    { "seed", "points are compared by their means over seeds; give --replicas N outside the grid" },
    { "replica", "points are compared by their means over seeds; give --replicas N outside the grid" },
    { "replicas", "every point has as many heads; give --replicas N outside the grid" },
    { "no-controls",
      "heads of a sweep have no controls; repeat the best point with qtrain, which adds them" },
    { "val-fraction", "points are compared on the same validation samples; give it outside the grid" },
    { NULL, NULL },
};

/* Options without effect unless another one has one of these values. */
static const char of_sgd[] = "sgd|spsa", of_adam[] = "adam|adamw|qng|rotosolve",
                  with_core[] = "circuit|twin|frozen";
static const struct {
    const char *option, *other, *values;
} conditions[] = {
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
    { "noise", "core", "circuit|frozen" },
    { "trajectories", "core", "circuit|frozen" },
    { "shots", "core", "circuit|frozen" },
    { "weight-scale", "core", "circuit|twin" }, /* the frozen ones are uniform */
    { "diff-method", "core", "circuit|frozen" },
    { "init", "core", "circuit" },
    { "grow", "core", "circuit|frozen" },
    { "mirror", "core", with_core },
};

/* "sgd" in "adam|sgd" */
static bool among(const char *values, const char *value)
{
    size_t n = strlen(value);
    for (const char *at = values; (at = strstr(at, value)); at += n)
        if ((at == values || at[-1] == '|') && (at[n] == '|' || !at[n])) return true;
    return false;
}

static const char *value_of(const struct kl_head_settings *v, const char *name)
{
    return *name == 'o'   ? v->optimizer
           : *name == 's' ? v->schedule
           : *name == 'd' ? v->diff_method
                          : v->shape.core;
}

static const struct kl_grid_axis *find_axis(const struct kl_grid *grid, const char *name)
{
    for (int i = 0; i < grid->n_axes; i++)
        if (strcmp(grid->axes[i].option->name, name) == 0) return &grid->axes[i];
    return NULL;
}

/* Has any point an option with one of these values? What the grid does not say is the base's. */
static bool any_point(const struct kl_grid *grid, const struct kl_head_settings *base, const char *name,
                      const char *values)
{
    const struct kl_grid_axis *axis = find_axis(grid, name);
    if (!axis) return among(values, value_of(base, name));
    for (size_t i = 0; i < axis->n; i++)
        if (among(values, axis->values[i])) return true;
    return false;
}

void kl_head_say_idle(const struct kl_log *log, const struct kl_head_settings *v)
{
    struct kl_head_settings usual;
    kl_head_settings_default(&usual);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        const char *other = conditions[i].other;
        struct kl_error why = { 0 };
        char text[120];
        /* what a core and an optimiser without derivatives leave idle, kl_head_remarks says */
        if (*other == 'c' || strcmp(conditions[i].option, "diff-method") == 0) continue;
        if (among(conditions[i].values, value_of(v, other))) continue;
        snprintf(text, sizeof text, "changes nothing without --%s %s", other, conditions[i].values);
        if (kl_options_refuse(&kl_head_tool, v, &usual, conditions[i].option, text, &why))
            kl_note(log, 1, "%s", why.text);
    }
}

static int check(const struct kl_grid *grid, const struct kl_head_settings *base, bool halving,
                 struct kl_error *err)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (find_axis(grid, conditions[i].option) &&
            !any_point(grid, base, conditions[i].other, conditions[i].values))
            return kl_fail(err, KL_EUSAGE, "--grid: %s: changes nothing without --%s %s",
                           conditions[i].option, conditions[i].other, conditions[i].values);
    if (halving && find_axis(grid, "epochs"))
        return kl_fail(
            err, KL_EUSAGE,
            "--grid: epochs: --halving gives each point its epochs; give --epochs outside the "
            "grid");
    return KL_OK;
}

int kl_sweep_grid(struct kl_grid *grid, const char *text, const struct kl_head_settings *base,
                  bool halving, struct kl_error *err)
{
    int code = kl_grid_parse(grid, &kl_head_tool, refusals, text, err);
    if (code) return code;
    code = check(grid, base, halving, err);
    if (code) kl_grid_free(grid);
    return code;
}
