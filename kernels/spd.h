/* SPDX-License-Identifier: MIT
   spd: logarithms of symmetric positive definite matrices, many of the same size side by side, one a
   lane. What a lane becomes depends on nothing beside it. No CUDA twin: some thousand matrices of 64
   rows are hundredths of a second here. */
#ifndef KL_SPD_H
#define KL_SPD_H

#include <stddef.h>

#include "kernels/isa.h"

/* Matrices side by side; decades of the ratio of eigenvalues for which there is a rule; its poles. */
enum { KL_SPD_LANES = 8, KL_SPD_DECADES = 10, KL_SPD_POLES = 120 };
/* For eigenvalues z within [10^-(c+1)/2, 10^(c+1)/2], c = 0 .. KL_SPD_DECADES - 1:
   ln z = sum over j < n[c] of g (1 / (1 + s) - 1 / (z + s)), s = s[c][j] > 0, g = g[c][j];
   n is a multiple of four, what follows is not read. */
struct kl_spd_rules {
    int n[KL_SPD_DECADES];
    double s[KL_SPD_DECADES][KL_SPD_POLES], g[KL_SPD_DECADES][KL_SPD_POLES];
};
/* Of a triangle of n rows: element (i, j), j <= i, is number i (i + 1) / 2 + j. */
#define KL_SPD_TRIANGLE(n) ((n) * ((n) + 1) / 2)
/* Doubles of workspace. */
#define KL_SPD_WORK(n) (KL_SPD_LANES * (KL_SPD_TRIANGLE(n) + 2 * KL_SPD_POLES + 16 * (n) + 16))

/* The rules, made once; errors below 2e-14 (spd_rules.c). */
const struct kl_spd_rules *kl_spd_rules(void);

/* a (triangle, KL_SPD_LANES), lower triangles, aligned to 64 bytes: matrices, which become their
   logarithms. A lane that is not positive definite, or whose largest eigenvalue is about 10^10 times its
   smallest or more, becomes NaN. work: KL_SPD_WORK(n) doubles, aligned. */
typedef void kl_spd_log_fn(double *a, size_t n, const struct kl_spd_rules *rules, double *work);
KL_KERNEL(kl_spd_log_fn, spd_log_f64)

#endif
