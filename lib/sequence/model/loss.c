/* SPDX-License-Identifier: MIT
   The loss at the end of every net: cross entropy, or given weights of the logits. */
#include <math.h>

#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

void kl_sequence_loss(kl_real *d, struct kl_sequence_result *result,
                      const struct kl_sequence_batch *batch, size_t i, int classes)
{
    const kl_real *logits = result->logits + i * (size_t)classes;
    if (batch->cot) {
        const kl_real *cot = batch->cot + i * (size_t)classes;
        for (int k = 0; k < classes; k++) {
            result->loss += (double)cot[k] * (double)logits[k];
            if (d) d[k] = cot[k];
        }
        return;
    }
    int best = 0;
    for (int k = 1; k < classes; k++)
        if (logits[k] > logits[best]) best = k;
    double sum = 0;
    for (int k = 0; k < classes; k++) sum += exp((double)logits[k] - (double)logits[best]);
    const int label = batch->labels[i];
    result->loss += log(sum) - ((double)logits[label] - (double)logits[best]);
    result->correct += best == label;
    for (int k = 0; d && k < classes; k++) {
        const double p = exp((double)logits[k] - (double)logits[best]) / sum;
        d[k] = (kl_real)(batch->scale * (p - (k == label)));
    }
}
