/* SPDX-License-Identifier: MIT
   The most common value of the last symbols, in four windows. */
#include <stdlib.h>

#include "qrng/nist/nist90b_int.h"

enum { WINDOWS = 4 };

/* Counts of the last w symbols before `end`; mode: the most common, of equals the one seen last. */
struct window {
    size_t w, counts[256];
    int mode;
};

static void renew_mode(struct window *window, const size_t *last, int k)
{
    int best = 0;
    for (int v = 1; v < k; v++) {
        const size_t a = window->counts[v], b = window->counts[best];
        if (a > b || (a == b && last[v] > last[best])) best = v;
    }
    window->mode = best;
}

/* Symbol i joins. last [k]: where each symbol stood last, from 1, with this one. */
static void join(struct window *window, const uint8_t *s, size_t i, const size_t *last, int k)
{
    if (i >= window->w) {
        const int leaves = s[i - window->w];
        window->counts[leaves]--;
        if (leaves == window->mode) renew_mode(window, last, k);
    }
    if (++window->counts[s[i]] >= window->counts[window->mode]) window->mode = s[i];
}

int kl_nist90b_windows(struct kl_nist90b_prediction *p, const struct kl_symbols *symbols,
                       const size_t w[4], struct kl_error *err)
{
    struct kl_nist90b_score score = { .winner = 0 };
    size_t last[256] = { 0 }, run = 0;
    struct window *windows = calloc(WINDOWS, sizeof *windows);
    if (!windows) return kl_fail_memory(err, WINDOWS * sizeof *windows);
    *p = (struct kl_nist90b_prediction){ .h = NAN };
    for (int j = 0; j < WINDOWS; j++) windows[j].w = w[j];
    for (size_t i = 0; i < symbols->n; i++) {
        const int symbol = symbols->s[i];
        const int asked = score.winner;
        if (i >= w[0]) kl_nist90b_tell(p, &run, i >= w[asked] && windows[asked].mode == symbol);
        for (int j = 0; j < WINDOWS && i >= w[j]; j++)
            if (windows[j].mode == symbol) kl_nist90b_right(&score, j);
        last[symbol] = i + 1;
        for (int j = 0; j < WINDOWS; j++) join(&windows[j], symbols->s, i, last, symbols->k);
    }
    free(windows);
    if (p->predicted > 1) kl_nist90b_bound(p, symbols->k);
    return KL_OK;
}
