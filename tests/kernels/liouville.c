/* SPDX-License-Identifier: MIT
   checkkernels, family liouville: every instruction set and precision, two qubits in their own form and
   as any sparse generator, against the master equation written out with complex matrices and solved in
   long double; the gradient against central differences of that. */
#include "kernels/liouville.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { DIM = 16, CONTROLS = 6, PARAMS = KL_TWO_QUBITS_PARAMS, SEGMENTS = 30, MOST_TERMS = 600 };
typedef long double complex matrix[4][4];

static matrix pauli[DIM]; /* 4 a + b: P_a of the first qubit, P_b of the second */
static long double generator[CONTROLS + PARAMS][DIM][DIM];
static struct kl_liouville_term terms[MOST_TERMS];
static struct kl_liouville g = {
    .dim = DIM, .columns = DIM, .controls = CONTROLS, .params = PARAMS, .terms = terms
};
static double u[SEGMENTS * CONTROLS], params[PARAMS], start[DIM * DIM], weights[DIM * DIM];

static void product(matrix c, const matrix a, const matrix b)
{
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            c[i][j] = 0;
            for (int k = 0; k < 4; k++) c[i][j] += a[i][k] * b[k][j];
        }
}
static void make_paulis(void)
{
    static const long double complex one[4][2][2] = {
        { { 1, 0 }, { 0, 1 } }, { { 0, 1 }, { 1, 0 } }, { { 0, -I }, { I, 0 } }, { { 1, 0 }, { 0, -1 } }
    };
    for (int p = 0; p < DIM; p++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                pauli[p][i][j] = one[p / 4][i / 2][j / 2] * one[p % 4][i % 2][j % 2];
}
/* G_ab = Tr(P_a L(P_b)) / 4 of -i [h, .] for jump NULL, else of h . h+ - {h+ h, .} / 2 */
static void add_generator(long double to[DIM][DIM], const matrix h, int is_jump, long double factor)
{
    matrix left, right, adjoint, square, image;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) adjoint[i][j] = conjl(h[j][i]);
    product(square, adjoint, h);
    for (int b = 0; b < DIM; b++) {
        product(left, is_jump ? square : h, pauli[b]), product(right, pauli[b], is_jump ? square : h);
        matrix middle, both;
        product(middle, h, pauli[b]), product(both, middle, adjoint);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                image[i][j] = is_jump ? both[i][j] - (left[i][j] + right[i][j]) / 2
                                      : -I * (left[i][j] - right[i][j]);
        for (int a = 0; a < DIM; a++) {
            matrix trace;
            product(trace, pauli[a], image);
            to[a][b] += factor * creall(trace[0][0] + trace[1][1] + trace[2][2] + trace[3][3]) / 4;
        }
    }
}
static void make_generators(void)
{
    static const int control[] = { 4, 8, 1, 2, 12, 3 }, detuning[] = { 12, 3 };
    make_paulis();
    for (int k = 0; k < CONTROLS; k++) add_generator(generator[k], pauli[control[k]], 0, 1);
    for (int q = 0; q < 2; q++) {
        const int x = q ? 1 : 4, y = q ? 2 : 8;
        matrix down, up;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                down[i][j] = (pauli[x][i][j] + I * pauli[y][i][j]) / 2,
                up[i][j] = (pauli[x][i][j] - I * pauli[y][i][j]) / 2;
        add_generator(generator[CONTROLS + 3 * q], pauli[detuning[q]], 1, 0.5L);
        add_generator(generator[CONTROLS + 3 * q + 1], down, 1, 1);
        add_generator(generator[CONTROLS + 3 * q + 2], up, 1, 1);
        add_generator(generator[CONTROLS + KL_TWO_QUBITS_DETUNING_1 + q], pauli[detuning[q]], 0, 1);
    }
    add_generator(generator[CONTROLS + KL_TWO_QUBITS_COUPLING], pauli[15], 0, 1);
    for (int r = 0; r < DIM; r++)
        for (int c = 0; c < DIM; c++)
            for (int k = 0; k < CONTROLS + PARAMS; k++)
                if (fabsl(generator[k][r][c]) > 1e-12L)
                    terms[g.n_terms++] =
                        (struct kl_liouville_term){ r, c, k, (double)generator[k][r][c] };
}

/* R(T), in 8 parts of a segment of 20 terms each, and the loss. */
static long double slow(void)
{
    static long double r[DIM][DIM], v[DIM][DIM], w[DIM][DIM], a[DIM][DIM];
    for (int i = 0; i < DIM * DIM; i++) r[i / DIM][i % DIM] = start[i];
    for (int s = 0; s < g.segments; s++) {
        for (int i = 0; i < DIM * DIM; i++) {
            a[i / DIM][i % DIM] = 0;
            for (int k = 0; k < CONTROLS + PARAMS; k++)
                a[i / DIM][i % DIM] +=
                    generator[k][i / DIM][i % DIM] * (k < g.controls ? u[s * g.controls + k]
                                                      : k < CONTROLS ? 0
                                                                     : params[k - CONTROLS]);
        }
        for (int part = 0; part < 8; part++) {
            memcpy(v, r, sizeof r);
            for (int k = 1; k < 20; k++) {
                for (int i = 0; i < DIM; i++)
                    for (int j = 0; j < DIM; j++) {
                        w[i][j] = 0;
                        for (int m = 0; m < DIM; m++) w[i][j] += a[i][m] * v[m][j];
                        w[i][j] *= (long double)g.dt / 8 / k;
                    }
                memcpy(v, w, sizeof v);
                for (int i = 0; i < DIM * DIM; i++) r[i / DIM][i % DIM] += v[i / DIM][i % DIM];
            }
        }
    }
    long double loss = 0;
    for (int i = 0; i < DIM * DIM; i++) loss -= weights[i] * r[i / DIM][i % DIM];
    return loss;
}
static long double slope(double *at)
{
    const double was = *at, h = 1e-5;
    *at = was + h;
    const long double high = slow(), to = *at;
    *at = was - h;
    const long double low = slow(), from = *at;
    *at = was;
    return (high - low) / (to - from);
}

static void draw(int segments, double size, int identity)
{
    g.segments = segments, g.dt = 0.4 / segments;
    for (int i = 0; i < segments * CONTROLS; i++) u[i] = (float)(size * uniform());
    for (int i = 0; i < PARAMS; i++) params[i] = (float)(uniform() + 0.5);
    params[KL_TWO_QUBITS_COUPLING] *= 2;
    for (int i = 0; i < DIM * DIM; i++) {
        start[i] = identity ? i % (DIM + 1) == 0 : (float)uniform();
        weights[i] = (float)(uniform() / DIM);
    }
    g.substeps = kl_liouville_substeps((8 * size + 60) * g.dt);
}

#define REAL float
#define NAME(x) x##_f32
#define NEAR 2e-5L
#include "liouville_check.h"
#undef REAL
#undef NAME
#undef NEAR
#define REAL double
#define NAME(x) x##_f64
#define NEAR 2e-9L
#include "liouville_check.h"

static int check(enum kl_isa k)
{
    int failures = 0;
    for (int form = 0; form < 2; form++)
        for (int i = 0; i < 3; i++) {
            g.form = form ? KL_LIOUVILLE_TWO_QUBITS : KL_LIOUVILLE_SPARSE;
            draw(i == 0 ? 1 : 3, i == 2 ? 30 : 3, i == 1);
            failures += check_f32(k) + check_f64(k);
        }
    printf("liouville %s: %s\n", kl_isa_name(k), failures ? "off" : "as defined");
    return failures;
}

static void bench(enum kl_isa k)
{
    for (int form = 0; form < 2; form++) {
        g.form = form ? KL_LIOUVILLE_TWO_QUBITS : KL_LIOUVILLE_SPARSE;
        draw(SEGMENTS, 6, 1);
        for (int i = 0; i < KL_TWO_QUBITS_COUPLING; i++) params[i] /= 20;
        g.substeps = 1;
        bench_f32(k), bench_f64(k);
    }
}

int main(int argc, char **argv)
{
    make_generators();
    return with_each_isa(argc, argv, check, bench);
}
