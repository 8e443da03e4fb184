/* SPDX-License-Identifier: MIT
   Which options may be an axis of a sweep: those by which its points differ and can be compared. */
#include <stdio.h>
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
    { "circuit-file", NULL }, /* what it says is in the key, as --qasm */
    { NULL, NULL },
};

static const struct kl_grid_axis *find_axis(const struct kl_grid *grid, const char *name)
{
    for (int i = 0; i < grid->n_axes; i++)
        if (strcmp(grid->axes[i].option->name, name) == 0) return &grid->axes[i];
    return NULL;
}

/* The values of `other` with which the option of c is idle, "A,B" or as many as there is room for;
   returns how many they are. */
static size_t idle_values(char *text, size_t size, const struct kl_grid_axis *other,
                          const struct kl_idle *c)
{
    size_t n = 0, used = 0;
    for (size_t i = 0; i < other->n; i++) {
        if (kl_idle_among(c->values, other->values[i])) continue;
        if (used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", n ? "," : "", other->values[i]);
        n++;
    }
    return n;
}

/* An axis must change some points, and is told of if it leaves others as they are: a grid has a head for
   each. What the grid does not say is the base's. */
static int check_idle(const struct kl_grid *grid, const struct kl_head_settings *base,
                      const struct kl_idle *c, const struct kl_log *log, struct kl_error *err)
{
    const struct kl_grid_axis *other = find_axis(grid, c->other);
    char idle[200] = "";
    if (!find_axis(grid, c->option)) return KL_OK;
    const size_t n = other ? idle_values(idle, sizeof idle, other, c) : 0;
    if (other ? n == other->n : !kl_idle_among(c->values, kl_idle_value(base, c->other)))
        return kl_fail(err, KL_EUSAGE, "--grid: %s: changes nothing without --%s %s", c->option,
                       c->other, c->values);
    if (n)
        kl_note(log, 1,
                "--grid: %s changes nothing of points with %s=%s: each is trained again for each of its "
                "values; two sweeps would save that",
                c->option, c->other, idle);
    return KL_OK;
}

static int check(const struct kl_grid *grid, const struct kl_head_settings *base, bool halving,
                 const struct kl_log *log, struct kl_error *err)
{
    for (const struct kl_idle *c = kl_idle; c->option; c++) {
        const int code = check_idle(grid, base, c, log, err);
        if (code) return code;
    }
    if (halving && find_axis(grid, "epochs"))
        return kl_fail(
            err, KL_EUSAGE,
            "--grid: epochs: --halving gives each point its epochs; give --epochs outside the "
            "grid");
    return KL_OK;
}

int kl_sweep_grid(struct kl_grid *grid, const char *text, const struct kl_head_settings *base,
                  bool halving, const struct kl_log *log, struct kl_error *err)
{
    int code = kl_grid_parse(grid, &kl_head_tool, refusals, text, err);
    if (code) return code;
    code = check(grid, base, halving, log, err);
    if (code) kl_grid_free(grid);
    return code;
}
