/* SPDX-License-Identifier: MIT
   What figures of chains share: loading, the choice of temperatures, panels. */
#include "plot/sampling/chains_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

static int check(const struct kl_chains_view *v, const struct kl_file *file, const char *name,
                 struct kl_error *err)
{
    int64_t most = 0;
    for (size_t b = 0; b < v->betas; b++) {
        if (!isfinite(v->beta[b]) || v->draws[b] < 0 || (size_t)v->draws[b] > v->most)
            return kl_fail(err, KL_EDATA, "%s: ladder: beta %g with %lld draws of %zu",
                           kl_store_file_path(file), v->beta[b], (long long)v->draws[b], v->most);
        most = v->draws[b] > most ? v->draws[b] : most;
    }
    return most && v->chains
               ? KL_OK
               : kl_fail(err, KL_EDATA, "%s: %s: no draws", kl_store_file_path(file), name);
}

int kl_plot_chains_load(struct kl_chains_view *v, struct kl_file *file, const char *name,
                        struct kl_error *err)
{
    const struct kl_dataset *trace, *beta;
    *v = (struct kl_chains_view){ 0 };
    int code = kl_store_file_expect(&trace, file, name, KL_TYPE_F32, 3, err);
    if (!code) code = kl_store_file_expect(&beta, file, "ladder/beta", KL_TYPE_F64, 1, err);
    if (code) return code;
    v->chains = trace->dims[0], v->most = trace->dims[1], v->betas = trace->dims[2];
    code =
        kl_store_file_load_shape((void **)&v->beta, file, "ladder/beta", KL_TYPE_F64, 1, &v->betas, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&v->draws, file, "ladder/draws", KL_TYPE_I64, 1,
                                        &v->betas, err);
    if (!code) code = kl_store_file_load((void **)&v->trace, file, trace, err);
    return code ? code : check(v, file, name, err);
}

void kl_plot_chains_free(struct kl_chains_view *v)
{
    free(v->beta), free(v->draws), free(v->trace);
    *v = (struct kl_chains_view){ 0 };
}

size_t kl_plot_chains_rungs(size_t *rungs, size_t most, const struct kl_chains_view *v)
{
    size_t have = 0, n = 0, seen = 0;
    for (size_t b = 0; b < v->betas; b++) have += v->draws[b] > 0;
    const size_t shown = have < most ? have : most;
    for (size_t b = 0; b < v->betas && n < shown; b++) {
        if (v->draws[b] <= 0) continue;
        /* the n-th shown is that nearest to n / (shown - 1) of the way */
        const double at = shown > 1 ? (double)n * (double)(have - 1) / (double)(shown - 1) : 0;
        if ((double)seen++ >= floor(at + 0.5)) rungs[n++] = b;
    }
    return n;
}

struct kl_axes kl_plot_chains_panel(size_t i, double height)
{
    return (struct kl_axes){ .left = 50 + 250.0 * (double)(i % 2),
                             .top = 30 + (height + 42) * (double)(i / 2),
                             .width = 190,
                             .height = height };
}

void kl_plot_chains_title(cairo_t *cr, const struct kl_axes *axes, double beta)
{
    char text[40];
    snprintf(text, sizeof text, "\xce\xb2 = %g", beta);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text(cr, axes->left, axes->top - 4, 8, KL_LEFT, text);
}

void kl_plot_chains_head(cairo_t *cr, const struct kl_chains_view *v, size_t shown, const char *what)
{
    char text[200];
    size_t have = 0;
    for (size_t b = 0; b < v->betas; b++) have += v->draws[b] > 0;
    const int n = snprintf(text, sizeof text, "%s; %zu chain%s", what, v->chains, kl_s(v->chains));
    if (shown < have)
        snprintf(text + n, sizeof text - (size_t)n, "; %zu of %zu temperatures", shown, have);
    kl_plot_colour(cr, 0, 1);
    kl_plot_text_within(cr, 50, 10, 7, KL_LEFT, 440, text);
}
