/* SPDX-License-Identifier: MIT
   Shapes of pulses by formula: Gauss, with the quadrature that keeps a transmon from leaking (DRAG). */
#include <math.h>

#include "control/control.h"

void kl_control_gauss(double *u, int segments, const struct kl_control_shape *shape)
{
    const double t = shape->duration, dt = t / segments, sigma = shape->sigma > 0 ? shape->sigma : t / 4,
                 end = exp(-t * t / (8 * sigma * sigma));
    double area = 0;
    for (int s = 0; s < segments; s++) {
        const double from_middle = (s + 0.5) * dt - t / 2;
        u[2 * s] = exp(-from_middle * from_middle / (2 * sigma * sigma)) - end;
        area += u[2 * s] * dt;
    }
    for (int s = 0; s < segments; s++) u[2 * s] *= shape->angle / area;
    for (int s = 0; s < segments; s++) {
        const int before = s > 0 ? s - 1 : s, after = s + 1 < segments ? s + 1 : s;
        const double slope =
            after > before ? (u[2 * after] - u[2 * before]) / ((after - before) * dt) : 0;
        u[2 * s + 1] = shape->drag != 0 ? -shape->drag * slope / (2 * shape->anharmonicity) : 0;
    }
}
