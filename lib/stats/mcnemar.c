/* SPDX-License-Identifier: MIT
   The test of McNemar. */
#include <math.h>

#include "stats/distributions.h"
#include "stats/stats.h"

struct kl_mcnemar kl_stats_mcnemar(int64_t only_first, int64_t only_second)
{
    int64_t n = only_first + only_second, less = only_first < only_second ? only_first : only_second;
    struct kl_mcnemar m = { only_first, only_second, n < 25, (double)less, 1 };
    if (m.exact) { /* twice the lower tail of Binomial(n, 1/2) */
        double tail = 0;
        for (int64_t k = 0; k <= less; k++)
            tail += exp(kl_stats_log_factorial((double)n) - kl_stats_log_factorial((double)k) -
                        kl_stats_log_factorial((double)(n - k)) - (double)n * M_LN2);
        m.p = fmin(1, 2 * tail);
        return m;
    }
    double gap = fmax(0, fabs((double)(only_first - only_second)) - 1);
    m.statistic = gap * gap / (double)n;
    m.p = erfc(sqrt(m.statistic / 2)); /* one degree of freedom */
    return m;
}
