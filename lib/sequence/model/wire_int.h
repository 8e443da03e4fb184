/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: rotations of one wire one after the other. */
#ifndef KL_SEQUENCE_WIRE_INT_H
#define KL_SEQUENCE_WIRE_INT_H

#include <math.h>

/* A rotation of one wire: w - i (x X + y Y + z Z), and, of the vector (X, Y, Z) of expectation values,
 * about an axis. */
struct turn {
    double w, v[3];
};
static inline struct turn turned(struct turn a, int axis, double angle)
{
    const double c = cos(angle / 2), s = sin(angle / 2);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    struct turn t = { .w = c * a.w - s * a.v[axis] };
    t.v[axis] = c * a.v[axis] + s * a.w;
    t.v[j] = c * a.v[j] - s * a.v[k], t.v[k] = c * a.v[k] + s * a.v[j];
    return t;
}
static inline void turn_vector(double v[3], int axis, double angle)
{
    const double c = cos(angle), s = sin(angle);
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const double y = v[j], z = v[k];
    v[j] = c * y - s * z, v[k] = s * y + c * z;
}

enum { X, Y, Z };

#endif
