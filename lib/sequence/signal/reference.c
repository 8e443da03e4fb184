/* SPDX-License-Identifier: MIT
   The average of the channels as reference; of a window its baseline and its range. */
#include "sequence/signal/signal.h"

void kl_sequence_average_reference(double *x, const bool *part, size_t channels, size_t n)
{
    enum { TILE = 256 };
    size_t taken = 0;
    for (size_t c = 0; c < channels; c++) taken += !part || part[c];
    for (size_t first = 0; first < n && taken; first += TILE) {
        const size_t points = n - first < TILE ? n - first : TILE;
        double mean[TILE] = { 0 };
        for (size_t c = 0; c < channels; c++) {
            if (part && !part[c]) continue;
            for (size_t i = 0; i < points; i++) mean[i] += x[c * n + first + i];
        }
        for (size_t i = 0; i < points; i++) mean[i] /= (double)taken;
        for (size_t c = 0; c < channels; c++) {
            if (part && !part[c]) continue;
            for (size_t i = 0; i < points; i++) x[c * n + first + i] -= mean[i];
        }
    }
}

double kl_sequence_mean(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return n ? sum / (double)n : 0;
}

double kl_sequence_peak_to_peak(const double *x, size_t n)
{
    double least = n ? x[0] : 0, most = least;
    for (size_t i = 1; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        most = x[i] > most ? x[i] : most;
    }
    return most - least;
}
