/* SPDX-License-Identifier: MIT
   What losses make together: a smooth bound of the worst, the mean of the worst share; and what each
   counts there, the derivative by it. */
#include <math.h>

#include "control/pulse/pulse.h"
#include "kernels/inline/real.h"

double kl_control_worst(kl_real *share, const kl_real *loss, int n, int stride, double sharpness)
{
    const double k = fmin(sharpness, 1e300);
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < n * stride; i += stride) most = fmax(most, (double)loss[i]);
    for (int i = 0; i < n * stride; i += stride)
        sum += share[i] = (kl_real)exp(k * ((double)loss[i] - most));
    for (int i = 0; i < n * stride; i += stride) share[i] /= (kl_real)sum;
    return most + log(sum) / k;
}

double kl_control_tail(kl_real *share, const kl_real *loss, const double *weights, int n, int stride,
                       double tail)
{
    double left = tail, sum = 0;
    for (int i = 0; i < n; i++) share[i * stride] = -1;
    for (int taken = 0; taken < n; taken++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (share[i * stride] < 0 && (next < 0 || loss[i * stride] > loss[next * stride])) next = i;
        const double part = fmin(left, weights ? weights[next] : 1) / tail;
        share[next * stride] = (kl_real)part, sum += part * (double)loss[next * stride];
        left = fmax(left - (weights ? part * tail : 1), 0);
    }
    return sum;
}
