/* SPDX-License-Identifier: MIT
   Private to the figures of chains: the traces of one quantity over a ladder, and panels for some of its
   temperatures. */
#ifndef KL_PLOT_CHAINS_VIEW_H
#define KL_PLOT_CHAINS_VIEW_H

#include "plot/plot.h"

struct kl_chains_view {
    size_t chains, most, betas;
    double *beta;   /* (betas) */
    int64_t *draws; /* (betas) */
    float *trace;   /* (chains, most, betas) */
};
/* `name`: a trace [chain, draw, beta]. KL_EDATA: another form, or nothing in it. Free it in any case. */
int kl_plot_chains_load(struct kl_chains_view *v, struct kl_file *file, const char *name,
                        struct kl_error *err);
void kl_plot_chains_free(struct kl_chains_view *v);
static inline double kl_plot_chains_at(const struct kl_chains_view *v, size_t chain, size_t draw,
                                       size_t beta)
{
    return v->trace[(chain * v->most + draw) * v->betas + beta];
}
/* Temperatures that are shown, up to `most`, evenly over those that have draws: rungs (most) receives
 * them. */
size_t kl_plot_chains_rungs(size_t *rungs, size_t most, const struct kl_chains_view *v);

/* Panels for temperatures, two across. */
enum { KL_CHAINS_PANELS = 8 };
struct kl_axes kl_plot_chains_panel(size_t i, double height);
/* "beta 10", above the panel's left end. */
void kl_plot_chains_title(cairo_t *cr, const struct kl_axes *axes, double beta);
/* Above all panels: which chains there are, and what was left out. */
void kl_plot_chains_head(cairo_t *cr, const struct kl_chains_view *v, size_t shown, const char *what);

#endif
