/* SPDX-License-Identifier: MIT
   The branch that no input reaches: RX, RY and RZ on every wire of |0>. Expectation values in closed
   form, the state as a product, and their derivatives. */
#include <math.h>

#include "sequence/model/steps_int.h"

void kl_sequence_qd_read(double *m, const double *p, int n)
{
    for (int i = 0; i < n; i++) {
        const double a = p[i], b = p[n + i], c = p[2 * n + i], x = sin(b) * cos(a), y = -sin(a);
        m[i] = x * cos(c) - y * sin(c), m[n + i] = x * sin(c) + y * cos(c);
        m[2 * n + i] = cos(b) * cos(a);
    }
}

void kl_sequence_qd_read_back(double *dp, const double *dm, const double *p, int n)
{
    for (int i = 0; i < n; i++) {
        const double a = p[i], b = p[n + i], c = p[2 * n + i], x = sin(b) * cos(a), y = -sin(a);
        const double dx = dm[i] * cos(c) + dm[n + i] * sin(c), dy = dm[n + i] * cos(c) - dm[i] * sin(c);
        dp[i] = -dx * sin(b) * sin(a) - dy * cos(a) - dm[2 * n + i] * cos(b) * sin(a);
        dp[n + i] = dx * cos(b) * cos(a) - dm[2 * n + i] * sin(b) * cos(a);
        dp[2 * n + i] = -dm[i] * (x * sin(c) + y * cos(c)) + dm[n + i] * (x * cos(c) - y * sin(c));
    }
}

/* One wire's column in basis Y, for an angle of kind `kind` (0 RX, 1 RY, 2 RZ, 3 none) differentiated:
   the generator stands behind the rotation it belongs to. */
static void column(double complex u[2], const double *p, int n, int wire, int kind)
{
    const double a = p[wire] / 2, b = p[n + wire] / 2, c = p[2 * n + wire] / 2;
    double complex x = cos(a), y = -I * sin(a), t;
    if (kind == 0) t = x, x = -0.5 * I * y, y = -0.5 * I * t;
    t = x, x = cos(b) * t - sin(b) * y, y = sin(b) * t + cos(b) * y;
    if (kind == 1) t = x, x = -0.5 * y, y = 0.5 * t;
    x *= cexp(-I * c), y *= cexp(I * c);
    if (kind == 2) x *= -0.5 * I, y *= 0.5 * I;
    const double r = sqrt(0.5);
    t = x, x = r * (t + y), y = r * (y - t);
    u[0] = r * (x - I * y), u[1] = r * (y - I * x);
}

void kl_sequence_qd_state(double complex *state, const double *p, int n, int shift)
{
    state[0] = 1;
    for (int b = 0; b < n; b++) {
        double complex u[2];
        column(u, p, n, (2 * n - 1 - b - shift) % n, 3);
        for (int k = 0; k < 1 << b; k++) state[k + (1 << b)] = state[k] * u[1], state[k] *= u[0];
    }
}

void kl_sequence_qd_state_back(double *dp, double complex *bra, double complex *below, const double *p,
                               int n, int shift)
{
    double complex u[KL_RING_MOST][2], d[2];
    below[1] = 1; /* the product of the bits below b from 2^b on */
    for (int b = 0; b < n; b++) {
        column(u[b], p, n, (2 * n - 1 - b - shift) % n, 3);
        for (int k = 0; b < n - 1 && k < 1 << b; k++)
            for (int j = 0; j < 2; j++) below[(2 << b) + k + (j << b)] = below[(1 << b) + k] * u[b][j];
    }
    for (int b = n - 1; b >= 0; b--) {
        const int h = 1 << b, wire = (2 * n - 1 - b - shift) % n;
        double complex low = 0, high = 0;
        for (int k = 0; k < h; k++) {
            low += conj(bra[k]) * below[h + k], high += conj(bra[k + h]) * below[h + k];
            bra[k] = bra[k] * conj(u[b][0]) + bra[k + h] * conj(u[b][1]);
        }
        for (int kind = 0; kind < 3; kind++) {
            column(d, p, n, wire, kind);
            dp[kind * n + wire] = creal(low * d[0] + high * d[1]);
        }
    }
}
