/* SPDX-License-Identifier: MIT
   A problem whose optimum is known, adapted by gradient: the gain of a linear regulator. A mass on a
   spring, x'' = (u - c x' - k x) / m, costs the integral of x' Q x + u' R u. For each mass: the optimum
   by Newton's method (Kleinman 1968) against the golden one and against the eigenvalues of the
   Hamiltonian matrix; the gain of mass 1 adapted by ten steps of the policy gradient (Fazel et al.
   2018); adapting gains where the mass differs, never passes the optimum, and does nothing for mass 1.
 */
#include <complex.h>
#include <math.h>

#include "control/model/model.h"
#include "eigenvalues.h"
#include "golden_control.h"
#include "tests/unit/check.h"

enum { MASSES = 3, STEPS = 10 };
static const double Q[2] = { 1, 0.1 }, R = 0.1, DAMPING = 0.5, STIFFNESS = 2, RATE = 0.08;

struct plant {
    double a[2][2], b; /* x' = a x + (0, b) u */
};

static struct plant plant_of(double mass)
{
    return (struct plant){ { { 0, 1 }, { -STIFFNESS / mass, -DAMPING / mass } }, 1 / mass };
}

/* The symmetric solution (x00, x01, x11) of M X + X M' + W = 0, by Cramer's rule. */
static void lyapunov(double x[3], double m[2][2], const double w[3])
{
    const double a[3][3] = { { 2 * m[0][0], 2 * m[0][1], 0 },
                             { m[1][0], m[0][0] + m[1][1], m[0][1] },
                             { 0, 2 * m[1][0], 2 * m[1][1] } };
    double by[4];
    for (int k = 0; k < 4; k++) { /* k = 3: the matrix itself */
        double c[3][3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) c[i][j] = j == k ? -w[i] : a[i][j];
        by[k] = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    }
    for (int k = 0; k < 3; k++) x[k] = by[k] / by[3];
}

static void close_loop(double m[2][2], const struct plant *p, const double gain[2])
{
    for (int j = 0; j < 2; j++) m[0][j] = p->a[0][j], m[1][j] = p->a[1][j] - p->b * gain[j];
}

/* P of a gain; its first entry is the cost from x = (1, 0). */
static void cost_of(double cost[3], const struct plant *p, const double gain[2])
{
    const double w[3] = { Q[0] + R * gain[0] * gain[0], R * gain[0] * gain[1],
                          Q[1] + R * gain[1] * gain[1] };
    double m[2][2], turned[2][2];
    close_loop(m, p, gain);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) turned[i][j] = m[j][i];
    lyapunov(cost, turned, w);
}

/* From no gain, which is stable here: each step takes the best answer to the last one's cost. */
static void optimum(double gain[2], double cost[3], const struct plant *p)
{
    gain[0] = gain[1] = 0;
    for (int i = 0; i < 30; i++) {
        cost_of(cost, p, gain);
        gain[0] = p->b * cost[1] / R, gain[1] = p->b * cost[2] / R;
    }
}

/* d cost / d gain = 2 (R K - B'P) S over starts of covariance 1, (A - B K) S + S (A - B K)' = -1. */
static void adapt(double gain[2], const struct plant *p)
{
    static const double one[3] = { 1, 0, 1 };
    double m[2][2], cost[3], s[3];
    close_loop(m, p, gain);
    cost_of(cost, p, gain);
    lyapunov(s, m, one);
    const double e[2] = { R * gain[0] - p->b * cost[1], R * gain[1] - p->b * cost[2] };
    gain[0] -= RATE * 2 * (e[0] * s[0] + e[1] * s[1]);
    gain[1] -= RATE * 2 * (e[0] * s[1] + e[1] * s[2]);
}

/* The stable eigenvalues of (A, -B B'/R; -Q, -A') are those of the best closed loop. */
static void check_spectrum(const struct plant *p, const double gain[2])
{
    double _Complex h[16] = { 0 }, of_h[4], of_loop[2], closed[4];
    double m[2][2], far = 0;
    close_loop(m, p, gain);
    for (int i = 0; i < 2; i++) {
        h[4 * (i + 2) + i] = -Q[i];
        for (int j = 0; j < 2; j++) {
            h[4 * i + j] = p->a[i][j], h[4 * (i + 2) + j + 2] = -p->a[j][i];
            closed[2 * i + j] = m[i][j];
        }
    }
    h[4 + 3] = -p->b * p->b / R;
    golden_eigenvalues(of_h, h, 4);
    golden_eigenvalues(of_loop, closed, 2);
    for (int i = 0; i < 2; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < 4; k++) nearest = fmin(nearest, cabs(of_h[k] - of_loop[i]));
        far = fmax(far, nearest);
    }
    CHECK(far < 1e-12, "eigenvalues of the Hamiltonian: off by %.1e", far);
}

static void near(const char *what, double found, double expected)
{
    CHECK(fabs(found - expected) <= 1e-12, "%s: found %.17g, expected %.17g", what, found, expected);
}

static void check_mass(hid_t group, int i, const double robust[2])
{
    double mass[MASSES], gains[2 * MASSES], costs[4 * MASSES], best[MASSES], of_robust[MASSES],
        adapted[MASSES * (STEPS + 1)], gain[2], cost[3];
    golden_values(mass, MASSES, group, "mass");
    golden_values(gains, 2 * MASSES, group, "K_opt");
    golden_values(costs, 4 * MASSES, group, "P_opt");
    golden_values(best, MASSES, group, "cost_opt");
    golden_values(of_robust, MASSES, group, "cost_robust");
    golden_values(adapted, MASSES * (STEPS + 1), group, "cost_adapted_0_to_10");
    const struct plant p = plant_of(mass[i]);
    optimum(gain, cost, &p);
    check_spectrum(&p, gain);
    for (int k = 0; k < 2; k++) near("K_opt", gain[k], gains[2 * i + k]);
    near("P_opt", cost[0], costs[4 * i]), near("P_opt", cost[1], costs[4 * i + 1]);
    near("P_opt", cost[2], costs[4 * i + 3]), near("cost_opt", cost[0], best[i]);
    double own[2] = { robust[0], robust[1] }, before = INFINITY;
    for (int k = 0; k <= STEPS; k++, adapt(own, &p)) {
        cost_of(cost, &p, own);
        near("adapted", cost[0], adapted[i * (STEPS + 1) + k]);
        if (k == 0) near("cost_robust", cost[0], of_robust[i]);
        CHECK(cost[0] >= best[i] - 1e-15 && cost[0] <= before + 1e-15, "mass %g, step %d: cost %.17g",
              mass[i], k, cost[0]);
        before = cost[0];
    }
    CHECK((before < of_robust[i] - 1e-6) == (mass[i] != 1), "mass %g: ten steps gain %.1e", mass[i],
          of_robust[i] - before);
}

int main(void)
{
    double robust[2], cost[3];
    const struct plant nominal = plant_of(1);
    const hid_t file = golden_control("golden.h5"), group = H5Gopen2(file, "lqr", H5P_DEFAULT);
    golden_need(group >= 0, "lqr");
    optimum(robust, cost, &nominal);
    for (int i = 0; i < MASSES; i++) check_mass(group, i, robust);
    H5Gclose(group), H5Fclose(file);
    return failures != 0;
}
