/* SPDX-License-Identifier: MIT
   Which options may be an axis of a sweep: those by which its points differ and can be compared. */
#include <string.h>

#include "head/idle.h"
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
    if (!axis) return kl_idle_among(values, kl_idle_value(base, name));
    for (size_t i = 0; i < axis->n; i++)
        if (kl_idle_among(values, axis->values[i])) return true;
    return false;
}

static int check(const struct kl_grid *grid, const struct kl_head_settings *base, bool halving,
                 struct kl_error *err)
{
    for (const struct kl_idle *c = kl_idle; c->option; c++)
        if (find_axis(grid, c->option) && !any_point(grid, base, c->other, c->values))
            return kl_fail(err, KL_EUSAGE, "--grid: %s: changes nothing without --%s %s", c->option,
                           c->other, c->values);
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
