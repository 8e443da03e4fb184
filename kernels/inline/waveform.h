/* SPDX-License-Identifier: MIT
   What a waveform does to single numbers, with derivatives: struct kl_control_waveform of
   control/pulse/pulse.h says where; for the CPU and kernels/cuda/pulse_waveform.cuh. */
#ifndef KL_INLINE_WAVEFORM_H
#define KL_INLINE_WAVEFORM_H

#include <math.h>

#ifndef KL_INLINE
#define KL_INLINE static inline __attribute__((always_inline))
#endif

/* v / (1 + v^4)^(1/4) times half, round the middle. */
KL_INLINE double kl_waveform_bounded(double *slope, double v, double middle, double half)
{
    const double q = v * v * v * v, root = sqrt(sqrt(1 + q));
    *slope = half / (root * (1 + q));
    return middle + half * (v / root);
}

/* A point of the disc, by the numbers v of its two controls, and its derivatives [of][by]; both are the
   same if the two are exchanged. From the plane; and from a square (Fong 2015, arXiv:1509.06344). */
KL_INLINE void kl_waveform_disc_of_plane(double to[2], double slope[2][2], const double v[2])
{
    const double square = v[0] * v[0] + v[1] * v[1], q = square * square, root = sqrt(sqrt(1 + q));
    for (int a = 0; a < 2; a++) {
        to[a] = v[a] / root;
        for (int b = 0; b < 2; b++) slope[a][b] = ((a == b) - square * v[a] * v[b] / (1 + q)) / root;
    }
}
KL_INLINE void kl_waveform_disc_of_square(double to[2], double slope[2][2], const double v[2])
{
    for (int a = 0; a < 2; a++) {
        const double other = v[1 - a], root = sqrt(1 - other * other / 2);
        to[a] = v[a] * root;
        slope[a][a] = root, slope[a][1 - a] = -v[a] * other / (2 * root);
    }
}

/* The mean over a segment of a low pass whose input is a; y, its output, goes on to the segment's end.
   And the adjoint: what the mean's derivative g and gy, that by y at the end, are by a; gy becomes that
   at the start. */
KL_INLINE double kl_waveform_low_pass(double *y, double a, double decay, double mean)
{
    const double of_segment = a + (*y - a) * mean;
    *y = a + (*y - a) * decay;
    return of_segment;
}
KL_INLINE double kl_waveform_low_pass_back(double *gy, double g, double decay, double mean)
{
    const double by_input = g * (1 - mean) + *gy * (1 - decay);
    *gy = g * mean + *gy * decay;
    return by_input;
}

/* What a change from a sample to the next beyond the largest one costs: by its square. */
#define KL_WAVEFORM_SLEW_COST 30.0
KL_INLINE double kl_waveform_slew(double *slope, double change, double most)
{
    const double over = fabs(change) - most;
    *slope = over > 0 ? 2 * KL_WAVEFORM_SLEW_COST * over * (change > 0 ? 1 : -1) : 0;
    return over > 0 ? KL_WAVEFORM_SLEW_COST * over * over : 0;
}

#endif
