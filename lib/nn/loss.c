/* SPDX-License-Identifier: MIT
   Softmax cross-entropy. */
#include <math.h>

#include "kernels/inline/real.h"
#include "nn/nn.h"

#if KL_F64
#define EXP exp
#else
#define EXP expf
#endif

double kl_nn_cross_entropy(kl_real *d, size_t *correct, const kl_real *logits, const int32_t *labels,
                           size_t n, size_t classes, double scale)
{
    double total = 0;
    size_t right = 0;
    for (size_t i = 0; i < n; i++) {
        const kl_real *row = logits + i * classes;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            if (row[j] > row[best]) best = j;
        kl_real sum = 0;
        for (size_t j = 0; j < classes; j++) {
            kl_real e = EXP(row[j] - row[best]);
            sum += e;
            if (d) d[i * classes + j] = e;
        }
        total += log((double)sum) - (double)(row[labels[i]] - row[best]);
        right += best == (size_t)labels[i];
        if (!d) continue;
        kl_real factor = (kl_real)scale / sum;
        for (size_t j = 0; j < classes; j++) d[i * classes + j] *= factor;
        d[i * classes + (size_t)labels[i]] -= (kl_real)scale;
    }
    if (correct) *correct = right;
    return total;
}
