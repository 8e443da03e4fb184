/* SPDX-License-Identifier: MIT
   Which side an event-related desynchronisation lies on: moving or imagining a hand lowers the mu power
   over the opposite half (Pfurtscheller and Lopes da Silva 1999, doi:10.1016/S1388-2457(99)00141-8); the
   other way round, labels or channels are swapped. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plot/sequence/power.h"

/* Does the name say this side, and not the other? */
static bool says(const char *name, const char *side, const char *other)
{
    return strcasestr(name, side) && !strcasestr(name, other);
}

static bool find_classes(struct kl_laterality *l, const struct kl_windows_view *v)
{
    char name[KL_NAME];
    size_t n_left = 0, n_right = 0;
    for (size_t c = 0; c < v->n_classes; c++) {
        kl_plot_name(name, v->class_names, v->n_classes, v->class_size, c);
        if (says(name, "left", "right")) l->left = c, n_left++;
        if (says(name, "right", "left")) l->right = c, n_right++;
    }
    return n_left == 1 && n_right == 1;
}

static bool find_channels(size_t channels[2], const struct kl_windows_view *v)
{
    static const char *const wanted[2] = { "C3", "C4" };
    char name[KL_NAME];
    int found = 0;
    for (size_t c = 0; c < v->channels; c++) {
        kl_plot_name(name, v->channel_names, v->channels, v->channel_size, c);
        for (int k = 0; k < 2; k++)
            if (strcasecmp(name, wanted[k]) == 0) channels[k] = c, found |= 1 << k;
    }
    return found == 3;
}

/* Means and squares about them of both classes; values: of all windows. */
static void compare(struct kl_laterality *l, const struct kl_windows_view *v, const double *values)
{
    double n[2] = { 0 }, square[2] = { 0 };
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < v->n; i++) {
            const bool left = v->labels[i] == (int32_t)l->left,
                       right = v->labels[i] == (int32_t)l->right;
            if ((!left && !right) || !isfinite(values[i])) continue;
            const double off = values[i] - l->decibel[right];
            if (!pass) n[right]++, l->decibel[right] += off / n[right];
            else square[right] += off * off;
        }
    const double error = square[0] / (n[0] * (n[0] - 1)) + square[1] / (n[1] * (n[1] - 1));
    l->known = n[0] > 1 && n[1] > 1 && error > 0;
    l->n = (size_t)(n[0] + n[1]);
    l->t = l->known ? (l->decibel[0] - l->decibel[1]) / sqrt(error) : NAN;
}

int kl_plot_laterality_find(struct kl_laterality *l, const struct kl_windows_view *v,
                            struct kl_error *err)
{
    struct kl_power p = { 0 };
    size_t channels[2];
    *l = (struct kl_laterality){ 0 };
    if (!v->timed || 0.5 * v->rate <= KL_MU_HIGH || !find_classes(l, v) || !find_channels(channels, v))
        return KL_OK;
    int code = kl_plot_power_open(&p, kl_plot_windows_span(v), v->rate, err);
    double *density = malloc(2 * p.bins * sizeof *density + 1),
           *values = malloc(v->n * sizeof *values + 1);
    if (!code && (!density || !values)) code = kl_fail_memory(err, v->n * sizeof *values);
    for (size_t i = 0; i < v->n && !code; i++) {
        kl_plot_power_of(density, &p, v, i, channels, 2);
        const double c3 = kl_plot_band_power(density, p.bins, p.step, KL_MU_LOW, KL_MU_HIGH),
                     c4 = kl_plot_band_power(density + p.bins, p.bins, p.step, KL_MU_LOW, KL_MU_HIGH);
        values[i] = c3 > 0 && c4 > 0 ? 10 * log10(c3 / c4) : NAN;
    }
    if (!code) compare(l, v, values);
    free(density), free(values);
    kl_plot_power_close(&p);
    return code;
}

void kl_plot_laterality_text(char text[KL_LATERALITY], const struct kl_laterality *l)
{
    *text = 0;
    if (!l->known) return;
    snprintf(text, KL_LATERALITY,
             "C3 over C4, 8 to 13 Hz: %+.1f dB left, %+.1f dB right (t %.1f, %zu windows): %s",
             l->decibel[0], l->decibel[1], l->t, l->n,
             l->t > 2    ? "contralateral, as a hand's desynchronisation lies"
             : l->t < -2 ? "on the hand's own side: labels or channels swapped?"
                         : "no side is told");
}
