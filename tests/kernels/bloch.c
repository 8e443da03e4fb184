/* SPDX-License-Identifier: MIT
   checkkernels, family bloch: every instruction set and precision against the equation solved in long
   double by a Taylor series in time, its gradient by central differences of that; a lane's numbers do
   not depend on the lanes beside it. */
#include "kernels/bloch.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { MOST_SEGMENTS = 60, MOST_N = 1024, ROOM = MOST_SEGMENTS * 3 * MOST_N };

static struct problem {
    struct kl_bloch b;
    size_t n;
    double u[ROOM], du[ROOM], params[KL_BLOCH_PARAMS * MOST_N], weights[9 * MOST_N];
} p;

/* One lane's loss: r by the series of dr/dt = A r + b in parts of a segment. */
static long double slow(size_t lane)
{
    const struct kl_bloch *b = &p.b;
    long double loss = 0;
    for (int c = 0; c < b->columns; c++) {
        long double r[3] = { b->start[c][0], b->start[c][1], b->start[c][2] };
        for (int s = 0; s < b->segments; s++) {
            const double *u = p.u + (size_t)s * (size_t)b->controls * p.n + lane, *q = p.params + lane;
            const long double w[3] = { 2 * (long double)u[0], 2 * (long double)u[p.n],
                                       2 * ((long double)q[3 * p.n] +
                                            (b->controls > 2 ? u[2 * p.n] : 0)) },
                              g1 = (long double)q[p.n] + q[2 * p.n], g2 = q[0] + g1 / 2;
            for (int part = 0; part < 64; part++) {
                long double v[3] = { r[0], r[1], r[2] };
                for (int k = 1; k < 12; k++) {
                    const long double h = (long double)b->dt / 64 / k, x = v[0], y = v[1], z = v[2];
                    v[0] = h * (w[1] * z - w[2] * y - g2 * x), v[1] = h * (w[2] * x - w[0] * z - g2 * y);
                    v[2] = h * (w[0] * y - w[1] * x - g1 * z);
                    if (k == 1 && b->affine) v[2] += h * ((long double)q[p.n] - q[2 * p.n]);
                    for (int i = 0; i < 3; i++) r[i] += v[i];
                }
            }
        }
        for (int i = 0; i < 3; i++) loss -= p.weights[((size_t)c * 3 + (size_t)i) * p.n + lane] * r[i];
    }
    return loss;
}

static long double slope(double *at, size_t lane)
{
    const double was = *at, h = 1e-5;
    *at = was + h;
    const long double high = slow(lane), to = *at;
    *at = was - h;
    const long double low = slow(lane), from = *at;
    *at = was;
    return (high - low) / (to - from);
}

static void draw(int segments, int controls, int columns, int affine, double size, size_t n)
{
    p.b = (struct kl_bloch){ .segments = segments,
                             .controls = controls,
                             .columns = columns,
                             .affine = affine,
                             .dt = 1.0 / segments };
    p.n = n;
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < 3; i++) p.b.start[c][i] = uniform();
    for (size_t i = 0; i < (size_t)(segments * controls) * n; i++)
        p.u[i] = size * uniform(), p.du[i] = uniform();
    for (size_t i = 0; i < KL_BLOCH_PARAMS * n; i++) p.params[i] = uniform() + 0.5;
    for (size_t i = 0; i < 9 * n; i++) p.weights[i] = uniform();
    p.b.substeps = kl_bloch_substeps((2 * size + 8) * p.b.dt);
}

#define REAL float
#define SUFFIX f32
#define NAME(x) x##_f32
#define NEAR 3e-6L
#include "bloch_check.h"
#undef REAL
#undef SUFFIX
#undef NAME
#undef NEAR
#define REAL double
#define SUFFIX f64
#define NAME(x) x##_f64
#define NEAR 5e-10L
#include "bloch_check.h"

static int check(enum kl_isa k)
{
    int failures = 0;
    for (int affine = 0; affine < 2; affine++)
        for (int columns = 1; columns <= 3; columns++)
            for (int controls = 2; controls <= 3; controls++)
                for (int i = 0; i < 3; i++) {
                    draw(i == 0 ? 1 : 6, controls, columns, affine, i == 2 ? 20 : 3, 32);
                    failures += check_f32(k) + check_f64(k);
                }
    printf("bloch %s: %s\n", kl_isa_name(k), failures ? "off" : "as defined");
    return failures;
}

static void bench(enum kl_isa k)
{
    for (int gate = 0; gate < 2; gate++)
        for (size_t n = 16; n <= MOST_N; n *= 64) {
            draw(60, 2, gate ? 3 : 1, !gate, 3, n);
            p.b.substeps = 1;
            bench_f32(k), bench_f64(k);
        }
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
