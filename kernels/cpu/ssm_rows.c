/* SPDX-License-Identifier: MIT
   Around the circuits of the family ssm: layer norm with amplitude embedding, the weighing of measured
   vectors; see kernels/ssm.h. */
#include <math.h>

#include "kernels/inline/groups.h"
#include "kernels/ssm.h"

#define INLINE static inline __attribute__((always_inline))
#define AT(p, row) (*(kl_lane *)((p) + (size_t)(row)*ld + lane))
#define FROM(p, row) (*(const kl_lane *)((p) + (size_t)(row)*ld + lane))
#define SUM(p, row) (*(kl_lane *)((p) + (size_t)(row)*KL_GROUP + lane % KL_GROUP))

INLINE kl_lane root(kl_lane x)
{
    kl_lane y;
    for (int l = 0; l < KL_LANES; l++) y[l] = (kl_real)sqrt(x[l]);
    return y;
}

void KL_ISA_NAME(kl_ssm_embed) KL_SSM_EMBED_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)rows;
    const kl_lane none = { 0 };
    for (size_t lane = 0; lane < groups * KL_GROUP; lane += KL_LANES) {
        kl_lane mean = none, variance = none, norm = none;
        for (size_t k = 0; k < rows; k++) mean += FROM(z, k);
        mean *= share;
        for (size_t k = 0; k < rows; k++) {
            const kl_lane d = FROM(z, k) - mean;
            variance += d * d;
        }
        const kl_lane rise = 1 / root(variance * share + (kl_real)1e-5);
        for (size_t k = 0; k < rows; k++) {
            const kl_lane u = weight[k] * ((FROM(z, k) - mean) * rise) + bias[k];
            norm += u * u;
            AT(v, k) = u;
        }
        const kl_lane least = none + (kl_real)1e-12, length = root(norm),
                      inverse = 1 / kl_choose(length > least, length, least);
        for (size_t k = 0; k < rows; k++) AT(v, k) *= inverse;
        AT(keep, 0) = mean, AT(keep, 1) = rise, AT(keep, 2) = inverse;
    }
}

void KL_ISA_NAME(kl_ssm_embed_back) KL_SSM_EMBED_BACK_ARGS(kl_real)
{
    const kl_real share = 1 / (kl_real)rows;
    const kl_lane none = { 0 };
    for (size_t lane = 0; lane < groups * KL_GROUP; lane += KL_LANES) {
        const kl_lane mean = FROM(keep, 0), rise = FROM(keep, 1), inverse = FROM(keep, 2);
        kl_lane along = none, sum = none, by = none;
        for (size_t k = 0; k < rows; k++) along += FROM(v, k) * AT(dv, k);
        /* at |u| < 1e-12 the divisor is a constant */
        along = kl_choose(inverse < (kl_real)0.999e12, along, none);
        for (size_t k = 0; k < rows; k++) {
            const kl_lane du = inverse * (AT(dv, k) - FROM(v, k) * along),
                          x = (FROM(z, k) - mean) * rise, dx = du * weight[k];
            SUM(sums, k) += du * x, SUM(sums, rows + k) += du;
            sum += dx, by += dx * x;
            AT(dv, k) = dx;
        }
        sum *= share, by *= share;
        for (size_t k = 0; k < rows; k++)
            AT(dv, k) = rise * ((AT(dv, k) - sum) - ((FROM(z, k) - mean) * rise) * by);
    }
}

/* ---- weighing ---- */
/* The three measured values of feature (axis, wire). */
struct measured {
    kl_lane m[3];
};
INLINE struct measured at(const kl_real *m, size_t ld, size_t lane, int n, int axis, int q,
                          const kl_real *skip)
{
    const kl_lane first = FROM(m, axis * n + q);
    if (axis == 2) return (struct measured){ { first, FROM(m, 4 * n + q), FROM(m, 6 * n + q) } };
    if (axis == 1) return (struct measured){ { first, { 0 }, skip[n + q] * FROM(m, 5 * n + q) } };
    return (struct measured){ { first, FROM(m, 3 * n + q), skip[q] * FROM(m, 5 * n + q) } };
}
INLINE void weigh(kl_lane *re, kl_lane *im, const struct measured *a, const kl_real *f)
{
    *re = f[0] * a->m[0] + f[2] * a->m[1] + f[4] * a->m[2];
    *im = f[1] * a->m[0] + f[3] * a->m[1] + f[5] * a->m[2];
}

void KL_ISA_NAME(kl_ssm_mix) KL_SSM_MIX_ARGS(kl_real)
{
    for (size_t lane = 0; lane < groups * KL_GROUP; lane += KL_LANES) {
        kl_lane sum = (kl_lane){ 0 } + (kl_real)1e-8;
        for (int axis = 0; axis < 3; axis++)
            for (int q = 0; q < n; q++) {
                const struct measured a = at(m, ld, lane, n, axis, q, skip);
                kl_lane re, im;
                weigh(&re, &im, &a, factor);
                const kl_lane square = re * re + im * im;
                sum += square;
                AT(r, axis * n + q) = root(square);
            }
        const kl_lane inverse = 1 / root(sum);
        for (int j = 0; j < 3 * n; j++) AT(r, j) *= inverse;
    }
}

void KL_ISA_NAME(kl_ssm_mix_back) KL_SSM_MIX_BACK_ARGS(kl_real)
{
    const kl_lane none = { 0 };
    for (size_t lane = 0; lane < groups * KL_GROUP; lane += KL_LANES) {
        kl_lane sum = none + (kl_real)1e-8, along = none, by[6] = { none, none, none, none, none, none };
        for (int axis = 0; axis < 3; axis++)
            for (int q = 0; q < n; q++) {
                const struct measured a = at(m, ld, lane, n, axis, q, skip);
                kl_lane re, im;
                weigh(&re, &im, &a, factor);
                const kl_lane square = re * re + im * im;
                sum += square, along += FROM(dr, axis * n + q) * root(square);
            }
        const kl_lane inverse = 1 / root(sum), less = inverse * inverse * inverse * along;
        for (int q = 0; q < n; q++) AT(g, 5 * n + q) = none;
        for (int axis = 0; axis < 3; axis++)
            for (int q = 0; q < n; q++) {
                const struct measured a = at(m, ld, lane, n, axis, q, skip);
                kl_lane re, im;
                weigh(&re, &im, &a, factor);
                const kl_lane size = root(re * re + im * im),
                              ratio =
                                  FROM(dr, axis * n + q) * inverse / kl_choose(size > 0, size, none + 1),
                              d = kl_choose(size > 0, ratio, none) - less, gr = d * re, gi = d * im;
                for (int j = 0; j < 3; j++) by[2 * j] += a.m[j] * gr, by[2 * j + 1] += a.m[j] * gi;
                AT(g, axis * n + q) = factor[0] * gr + factor[1] * gi;
                if (axis != 1) AT(g, (axis == 0 ? 3 : 4) * n + q) = factor[2] * gr + factor[3] * gi;
                const kl_lane plain = factor[4] * gr + factor[5] * gi;
                if (axis == 2) AT(g, 6 * n + q) = plain;
                else {
                    AT(g, 5 * n + q) += skip[axis * n + q] * plain;
                    /* d/ds (cos s, sin s) = (-sin s, cos s) */
                    const kl_lane turned = FROM(m, 5 * n + q) * plain;
                    if (axis == 0) SUM(sums, 6 + q) -= skip[n + q] * turned;
                    else SUM(sums, 6 + q) += skip[q] * turned;
                }
            }
        for (int j = 0; j < 6; j++) SUM(sums, j) += by[j];
    }
}
