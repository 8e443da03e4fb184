/* SPDX-License-Identifier: MIT
   The signals of a plain EDF file of equal rates in volts, without what the tools read it with. */
#ifndef KL_TESTS_GOLDEN_RECORDING_H
#define KL_TESTS_GOLDEN_RECORDING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* x (signals but the last, the annotations; n) in volts, malloc'ed; *n samples each. */
static inline double *golden_recording(const char *path, size_t *channels, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    static char head[256 * 300];
    if (fread(head, 256, 1, file) != 1) exit(1);
    const size_t signals = (size_t)atoi(head + 252), records = (size_t)atol(head + 236);
    if (signals > 290 || fread(head + 256, 256, signals, file) != signals) exit(1);
#define FIELD(offset, width, s) (head + 256 + signals * (offset) + (s) * (width))
    const size_t each = (size_t)atoi(FIELD(216, 8, 0));
    double low[300], gain[300], digital[300], *x = NULL;
    size_t samples = 0;
    for (size_t s = 0; s < signals; s++) {
        const double pmin = atof(FIELD(104, 8, s)), pmax = atof(FIELD(112, 8, s)),
                     dmin = atof(FIELD(120, 8, s)), dmax = atof(FIELD(128, 8, s));
        low[s] = pmin, digital[s] = dmin, gain[s] = (pmax - pmin) / (dmax - dmin);
        samples += (size_t)atoi(FIELD(216, 8, s));
    }
    *channels = signals - 1, *n = records * each;
    x = malloc(*channels * *n * sizeof *x);
    int16_t *record = malloc(samples * sizeof *record);
    for (size_t r = 0; r < records; r++) {
        if (fread(record, 2, samples, file) != samples) exit(1);
        for (size_t s = 0; s < *channels; s++)
            for (size_t i = 0; i < each; i++)
                x[s * *n + r * each + i] =
                    ((record[s * each + i] - digital[s]) * gain[s] + low[s]) * 1e-6;
    }
#undef FIELD
    free(record);
    fclose(file);
    return x;
}

#endif
