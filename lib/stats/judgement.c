/* SPDX-License-Identifier: MIT
   Which of two judged heads is the better one. */
#include <math.h>

#include "stats/stats.h"

bool kl_stats_comes_before(struct kl_judgement a, struct kl_judgement b)
{
    if (isnan(a.accuracy) || isnan(b.accuracy)) return !isnan(a.accuracy) && isnan(b.accuracy);
    if (fabs(a.accuracy - b.accuracy) > 1e-12) return a.accuracy > b.accuracy;
    return a.loss < b.loss || (!isnan(a.loss) && isnan(b.loss));
}
