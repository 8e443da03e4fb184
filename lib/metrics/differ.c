/* SPDX-License-Identifier: MIT
   The verdict on pairs in words, for the tool and for the page of its file. */
#include <math.h>

#include "base/base.h"
#include "metrics/metrics.h"

static const double level = 0.05;

void kl_differ_add(struct kl_differ *d, double log10_p, double held_out)
{
    d->n++;
    d->symbols += log10_p < log10(level);
    d->held_out += held_out < level;
    if (isnan(held_out)) d->left_out = true;
}

bool kl_differ_by_rows(const struct kl_differ *d)
{
    return d->permutations && !d->left_out && (double)d->n / (double)(d->permutations + 1) < level;
}

void kl_differ_text(char text[KL_DIFFER_TEXT], const struct kl_differ *d)
{
    const int at = snprintf(text, KL_DIFFER_TEXT, "%zu of %zu pair%s differ%s by symbols%s", d->symbols,
                            d->n, kl_s(d->n), d->n == 1 ? "s" : "",
                            d->dependent ? ", which depend on each other" : " if independent");
    char *rest = text + at;
    const size_t room = KL_DIFFER_TEXT - (size_t)at;
    if (!d->permutations) snprintf(rest, room, " (Holm, 5 %%)");
    else if (d->left_out) snprintf(rest, room, " (Holm, 5 %%); --scores left held-out rows out");
    else if (!kl_differ_by_rows(d))
        snprintf(rest, room, " (Holm, 5 %%); by held-out rows %zu permutation%s cannot tell",
                 d->permutations, kl_s(d->permutations));
    else snprintf(rest, room, ", %zu by held-out rows (Holm, 5 %% each)", d->held_out);
}
