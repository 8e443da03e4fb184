/* SPDX-License-Identifier: MIT
   Excursions of the walk +-1 from zero and back: visits in each cycle (section 2.14) and in all (2.15).
   A last cycle that does not come back counts as one. */
#include <string.h>

#include "qrng/nist/nist22_int.h"

enum { FAR = 4, FAR_VARIANT = 9, CLASSES = 6 };

/* Place of state x among -far .. -1, 1 .. far. */
static int place(long x, int far)
{
    return (int)x + far - (x > 0);
}

size_t kl_nist22_excursions(struct kl_nist22_value values[KL_NIST22_EXCURSIONS], const uint8_t *bits,
                            size_t n)
{
    size_t counts[KL_NIST22_EXCURSIONS][CLASSES] = { { 0 } }, visits[KL_NIST22_EXCURSIONS] = { 0 };
    size_t cycles = 0;
    long at = 0;
    for (size_t i = 0; i < n; i++) {
        at += bits[i] ? 1 : -1;
        if (at && at >= -FAR && at <= FAR) visits[place(at, FAR)]++;
        if (at && i + 1 < n) continue;
        cycles++;
        for (int s = 0; s < KL_NIST22_EXCURSIONS; s++)
            counts[s][visits[s] < CLASSES ? visits[s] : CLASSES - 1]++;
        memset(visits, 0, sizeof visits);
    }
    for (int s = 0; s < KL_NIST22_EXCURSIONS; s++) {
        const double x = s < FAR ? FAR - s : s - FAR + 1, stay = 1 - 1 / (2 * x);
        double law[CLASSES] = { stay };
        for (int k = 1; k < CLASSES - 1; k++) law[k] = pow(stay, k - 1) / (4 * x * x);
        law[CLASSES - 1] = pow(stay, CLASSES - 2) / (2 * x);
        const double statistic = kl_nist22_chi_square(counts[s], law, CLASSES, cycles);
        values[s] = (struct kl_nist22_value){ statistic, kl_nist22_igamc(2.5, statistic / 2) };
    }
    return cycles;
}

size_t kl_nist22_variants(struct kl_nist22_value values[KL_NIST22_VARIANTS], const uint8_t *bits,
                          size_t n)
{
    size_t visits[KL_NIST22_VARIANTS] = { 0 }, cycles = 0;
    long at = 0;
    for (size_t i = 0; i < n; i++) {
        at += bits[i] ? 1 : -1;
        if (at && at >= -FAR_VARIANT && at <= FAR_VARIANT) visits[place(at, FAR_VARIANT)]++;
        cycles += !at || i + 1 == n;
    }
    const double j = (double)cycles;
    for (int s = 0; s < KL_NIST22_VARIANTS; s++) {
        const double x = s < FAR_VARIANT ? FAR_VARIANT - s : s - FAR_VARIANT + 1;
        const double xi = (double)visits[s];
        values[s] =
            (struct kl_nist22_value){ xi, kl_stats_normal_log10_p((xi - j) / sqrt(j * (4 * x - 2))) };
    }
    return cycles;
}
