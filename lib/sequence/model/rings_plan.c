/* SPDX-License-Identifier: MIT
   The shared angles of SSM_B as coefficients of kernels/ssm.h, and its sums as their gradients. Between
   two layers, and behind the last, stands RX(d) RZ(c) on each wire, which is RY(last) RX(turn)
   RY(first). */
#include "kernels/inline/real.h"
#include "sequence/model/mamba_hybrid_int.h"
#include "sequence/model/wire_int.h"

void kl_sequence_rings_plan(struct kl_ssm_rings *plan, kl_real *values, kl_real *offset, int n,
                            int layers, const kl_real *base, const kl_real *b, const kl_real *c,
                            const kl_real *d)
{
    kl_real *turn = values, *end = values + 2 * n * layers;
    for (int r = 0; r < 4 * n * layers; r++) offset[r] = base[r] / 2;
    for (int q = 0; q < n; q++) {
        struct turn t = { 1, { 0 } };
        t = turned(turned(t, Z, (double)c[q]), X, (double)d[q]);
        const double sum = atan2(t.v[Y], t.w), difference = atan2(-t.v[Z], t.v[X]);
        for (int l = 0; l < layers; l++) {
            kl_real *to = offset + 4 * n * l + q;
            const double first = l + 1 < layers ? sum - difference : 0,
                         last = l ? sum + difference : -1.5707963267948966;
            to[0] = (kl_real)(((double)base[4 * n * l + q] + last) / 2);
            to[2 * n] = (kl_real)(((double)base[4 * n * l + 2 * n + q] + (double)b[q] + first) / 2);
            if (l + 1 == layers) continue;
            turn[2 * n * l + q] = (kl_real)hypot(t.w, t.v[Y]);
            turn[2 * n * l + n + q] = (kl_real)hypot(t.v[X], t.v[Z]);
        }
        for (int a = 0; a < 3; a++) {
            double v[3] = { a == 0, a == 1, a == 2 };
            turn_vector(v, Z, (double)c[q]);
            turn_vector(v, X, (double)d[q]);
            for (int r = 0; r < 3; r++) end[9 * q + 3 * r + a] = (kl_real)v[r];
        }
    }
    *plan = (struct kl_ssm_rings){ n, layers, turn, end };
}

void kl_sequence_rings_gradient(kl_real *db, kl_real *dc, kl_real *dd, const kl_real *dbase,
                                const kl_real *sums, int n, int layers, const kl_real *c,
                                const kl_real *d)
{
    enum { WIDTH = 64 / sizeof(kl_real) };
    for (int q = 0; q < n; q++) {
        struct turn t = { 1, { 0 } };
        t = turned(turned(t, Z, (double)c[q]), X, (double)d[q]);
        const double last = atan2(t.v[Y], t.w) + atan2(-t.v[Z], t.v[X]);
        double by_b = 0, by_c = 0, by_d = 0;
        for (int l = 0; l < layers; l++) {
            double g[3];
            for (int a = 0; a < 3; a++)
                g[a] = (double)kl_sequence_row_sum(sums + (size_t)((l * n + q) * 3 + a) * WIDTH);
            if (l + 1 < layers) turn_vector(g, Y, last);
            by_d += g[X];
            turn_vector(g, X, -(double)d[q]);
            by_c += g[Z];
            by_b += (double)dbase[4 * n * l + 2 * n + q];
        }
        db[q] = (kl_real)by_b, dc[q] = (kl_real)by_c, dd[q] = (kl_real)by_d;
    }
}
