/* SPDX-License-Identifier: MIT
   The verdict on pairs in words, for the tool and for the page of its file. */
#include <math.h>

#include "base/base.h"
#include "stats/distributions.h"
#include "stats/stats.h"

static const double level = 0.05;

void kl_stats_differ_device(struct kl_differ *d, size_t rows)
{
    if (rows > d->rows[0]) d->rows[1] = d->rows[0], d->rows[0] = rows;
    else if (rows > d->rows[1]) d->rows[1] = rows;
}

void kl_stats_differ_add(struct kl_differ *d, double log10_p, double held_out)
{
    d->n++;
    d->symbols += log10_p < log10(level);
    d->held_out += held_out < level;
    if (isnan(held_out)) d->left_out = true;
}

static double log_choose(double n, double k)
{
    return kl_stats_log_factorial(n) - kl_stats_log_factorial(k) - kl_stats_log_factorial(n - k);
}

double kl_stats_least_permuted_p(size_t permutations, size_t a, size_t b)
{
    double ways = 0;
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t of_a = (a + KL_CROSSFIT_FOLDS - 1 - fold) / KL_CROSSFIT_FOLDS,
                     of_b = (b + KL_CROSSFIT_FOLDS - 1 - fold) / KL_CROSSFIT_FOLDS;
        ways += log_choose((double)(of_a + of_b), (double)of_a);
    }
    return fmax(1 / (double)(permutations + 1), (a == b ? 2 : 1) * exp(-ways));
}

/* Holm's correction of the least p of all pairs is by their number. */
static bool can_tell(const struct kl_differ *d, size_t permutations)
{
    return (double)d->n * kl_stats_least_permuted_p(permutations, d->rows[0], d->rows[1]) < level;
}

bool kl_stats_differ_by_rows(const struct kl_differ *d)
{
    return d->permutations && !d->left_out && can_tell(d, d->permutations);
}

void kl_stats_differ_text(char text[KL_DIFFER_TEXT], const struct kl_differ *d)
{
    const int at = snprintf(text, KL_DIFFER_TEXT, "%zu of %zu pair%s differ%s by symbols%s", d->symbols,
                            d->n, kl_s(d->n), d->n == 1 ? "s" : "",
                            d->dependent ? ", which depend on each other" : " if independent");
    char *rest = text + at;
    const size_t room = KL_DIFFER_TEXT - (size_t)at;
    if (!d->permutations) snprintf(rest, room, " (Holm, 5 %%)");
    else if (d->left_out) snprintf(rest, room, " (Holm, 5 %%); --scores left held-out rows out");
    else if (!can_tell(d, SIZE_MAX - 1)) /* however many permutations */
        snprintf(rest, room, " (Holm, 5 %%); held-out rows are too few to tell");
    else if (!kl_stats_differ_by_rows(d))
        snprintf(rest, room, " (Holm, 5 %%); by held-out rows %zu permutation%s cannot tell",
                 d->permutations, kl_s(d->permutations));
    else snprintf(rest, room, ", %zu by held-out rows (Holm, 5 %% each)", d->held_out);
}
