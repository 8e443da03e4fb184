/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/distributions.h"
#include "metrics/ranks.h"

int kl_mann_whitney(struct kl_mann_whitney *m, const double *a, size_t na, const double *b, size_t nb,
                    struct kl_error *err)
{
    const size_t n = na + nb;
    const double x = (double)na, y = (double)nb;
    double *values = malloc(2 * n * sizeof *values), ties, sum = 0;
    if (!values) return kl_fail_memory(err, 2 * n * sizeof *values);
    double *const ranks = values + n;
    memcpy(values, a, na * sizeof *a);
    memcpy(values + na, b, nb * sizeof *b);
    int code = kl_ranks(ranks, &ties, values, n, err);
    for (size_t i = 0; i < na && !code; i++) sum += ranks[i];
    free(values);
    if (code) return code;
    const double total = x + y, variance = x * y / 12 * (total + 1 - ties / (total * (total - 1)));
    m->u = sum - x * (x + 1) / 2;
    m->log10_p = variance > 0 ? kl_normal_log10_upper((m->u - x * y / 2 - 0.5) / sqrt(variance)) : 0;
    return KL_OK;
}
