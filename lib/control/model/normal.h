/* SPDX-License-Identifier: MIT
   Normal numbers from uniform ones (Box and Muller 1958). */
#ifndef KL_CONTROL_NORMAL_H
#define KL_CONTROL_NORMAL_H

#include <math.h>

/* Two of mean 0 and variance 1 from two in (0, 1). */
static inline void kl_control_normals(double to[2], double first, double second)
{
    const double radius = sqrt(-2 * log(first)), angle = 2 * 3.14159265358979323846 * second;
    to[0] = radius * cos(angle), to[1] = radius * sin(angle);
}

/* The first of them. */
static inline double kl_control_normal(double first, double second)
{
    double both[2];
    kl_control_normals(both, first, second);
    return both[0];
}

#endif
