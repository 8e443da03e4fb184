/* SPDX-License-Identifier: MIT
   Many values in a row, drawn as means of so many: a figure has no more than a thousand places across.
 */
#include "plot/plot.h"

enum { PLACES = 1000 };

size_t kl_plot_bin_width(size_t n)
{
    return n / (PLACES + 1) + 1;
}

double kl_plot_bin_mean(double *middle, const double *values, size_t n, size_t width, size_t k)
{
    const size_t from = k * width, to = from + width < n ? from + width : n;
    double sum = 0;
    for (size_t j = from; j < to; j++) sum += values[j];
    *middle = 0.5 * (double)(from + to - 1);
    return sum / (double)(to - from);
}
