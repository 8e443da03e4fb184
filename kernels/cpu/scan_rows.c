/* SPDX-License-Identifier: MIT
   The rows around a scan: RMS norms, causal convolutions with silu, softplus, gates; see kernels/scan.h.
   A sum over a row is 16 (double: 8) partial sums, then halves are added to halves; a sum over time is
   one chain a channel, in the order that each function says. */
#include "kernels/scan.h"

#include <math.h>

#include "kernels/inline/logistic.h"
#include "kernels/inline/real.h"

enum { GROUP = 64 / (int)sizeof(kl_real), PARTS = GROUP / KL_LANES, ROWS = 8, TAPS = KL_SCAN_TAPS };
#define AT(p) (*(kl_lane *)(p))
#define FROM(p) (*(const kl_lane *)(p))
#define INLINE static inline __attribute__((always_inline))
#if KL_F64
#define ROOT sqrt
#else
#define ROOT sqrtf
#endif
#define EPSILON ((kl_real)1e-5)

INLINE kl_real total(kl_lane *v)
{
    for (int half = PARTS / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) v[i] = v[i] + v[i + half];
    return kl_sum_lanes(v[0]);
}

/* ---- norm ---- */
void KL_ISA_NAME(kl_scan_norm) KL_SCAN_NORM_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, x += ld, y += ld) {
        kl_lane sum[PARTS];
        for (int i = 0; i < PARTS; i++) sum[i] = kl_all(0);
        for (size_t j = 0; j < n; j += GROUP)
            for (int i = 0; i < PARTS; i++) {
                const kl_lane v = FROM(x + j + i * KL_LANES);
                sum[i] = kl_fma(v, v, sum[i]);
            }
        const kl_real mean = total(sum) / (kl_real)n;
        inv[t] = 1 / ROOT(mean + EPSILON);
        for (size_t j = 0; j < n; j += KL_LANES) AT(y + j) = FROM(x + j) * kl_all(inv[t]) * FROM(g + j);
    }
}

/* From the first step to the last. */
void KL_ISA_NAME(kl_scan_norm_back) KL_SCAN_NORM_BACK_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, x += ld, dy += ld, dx += ld) {
        kl_lane sum[PARTS];
        for (int i = 0; i < PARTS; i++) sum[i] = kl_all(0);
        for (size_t j = 0; j < n; j += GROUP)
            for (int i = 0; i < PARTS; i++) {
                const size_t at = j + (size_t)i * KL_LANES;
                sum[i] = kl_fma(FROM(g + at) * FROM(dy + at), FROM(x + at), sum[i]);
            }
        const kl_real dot = total(sum), by = inv[t] * inv[t] * inv[t];
        const kl_lane c = kl_all(-(dot * by / (kl_real)n)), r = kl_all(inv[t]);
        for (size_t j = 0; j < n; j += KL_LANES) {
            const kl_lane v = FROM(x + j), d = FROM(dy + j), scaled = d * r, other = c * v;
            AT(dg + j) = kl_fma(scaled, v, FROM(dg + j));
            AT(dx + j) = kl_fma(scaled, FROM(g + j), add ? kl_fma(c, v, FROM(dx + j)) : other);
        }
    }
}

/* ---- convolution ---- */
/* The three rows before row t, of a column of lanes: 0 before the first. */
INLINE void before(kl_lane past[TAPS - 1], const kl_real *x, size_t ld, size_t t)
{
    for (size_t i = 0; i < TAPS - 1; i++)
        past[i] = t + i >= TAPS - 1 ? FROM(x + (t + i - (TAPS - 1)) * ld) : kl_all(0);
}
INLINE kl_lane taken(const kl_lane past[TAPS - 1], kl_lane now, const kl_lane w[TAPS], kl_lane bias)
{
    return kl_fma(w[3], now, kl_fma(w[2], past[2], kl_fma(w[1], past[1], kl_fma(w[0], past[0], bias))));
}

void KL_ISA_NAME(kl_scan_conv) KL_SCAN_CONV_ARGS(kl_real)
{
    for (size_t t0 = 0; t0 < steps; t0 += ROWS) {
        const size_t end = steps - t0 < ROWS ? steps : t0 + ROWS;
        for (size_t j = 0; j < n; j += KL_LANES) {
            kl_lane past[TAPS - 1], taps[TAPS];
            for (int k = 0; k < TAPS; k++) taps[k] = FROM(w + (size_t)k * n + j);
            before(past, x + j, ld_x, t0);
            for (size_t t = t0; t < end; t++) {
                const kl_lane now = FROM(x + t * ld_x + j), v = taken(past, now, taps, FROM(bias + j));
                AT(y + t * ld_y + j) = v * kl_logistic_lane(v);
                past[0] = past[1], past[1] = past[2], past[2] = now;
            }
        }
    }
}

/* Derivative of silu: s (1 + v (1 - s)). */
INLINE kl_lane bend(kl_lane v, kl_lane s)
{
    return kl_fma(v * s, kl_all(1) - s, s);
}

/* From the last step to the first. The gradients by v of the three steps behind come again from dy. */
void KL_ISA_NAME(kl_scan_conv_back) KL_SCAN_CONV_BACK_ARGS(kl_real)
{
    for (size_t t0 = (steps - 1) / ROWS * ROWS;; t0 -= ROWS) {
        const size_t end = steps - t0 < ROWS ? steps : t0 + ROWS;
        for (size_t j = 0; j < n; j += KL_LANES) {
            kl_lane taps[TAPS], by[TAPS], next[TAPS - 1], by_bias = FROM(dbias + j);
            for (size_t k = 0; k < TAPS; k++)
                taps[k] = FROM(w + k * n + j), by[k] = FROM(dw + k * n + j);
            for (size_t i = 0; i < TAPS - 1; i++)
                next[i] = end + i < steps ? FROM(dy + (end + i) * ld_dy + j) : kl_all(0);
            for (size_t t = end; t-- > t0;) {
                kl_lane past[TAPS - 1];
                before(past, x + j, ld_x, t);
                const kl_lane now = FROM(x + t * ld_x + j), v = taken(past, now, taps, FROM(bias + j)),
                              d = FROM(dy + t * ld_dy + j) * bend(v, kl_logistic_lane(v));
                AT(dy + t * ld_dy + j) = d;
                AT(dx + t * ld_dx + j) = kl_fma(
                    taps[3], d, kl_fma(taps[2], next[0], kl_fma(taps[1], next[1], taps[0] * next[2])));
                for (int k = 0; k < TAPS - 1; k++) by[k] = kl_fma(d, past[k], by[k]);
                by[3] = kl_fma(d, now, by[3]);
                by_bias = kl_fma(d, kl_all(1), by_bias);
                next[2] = next[1], next[1] = next[0], next[0] = d;
            }
            for (size_t k = 0; k < TAPS; k++) AT(dw + k * n + j) = by[k];
            AT(dbias + j) = by_bias;
        }
        if (t0 == 0) break;
    }
}

/* ---- softplus, gates ---- */
void KL_ISA_NAME(kl_scan_softplus) KL_SCAN_SOFTPLUS_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, x += ld)
        for (size_t j = 0; j < n; j += KL_LANES)
            AT(x + j) = kl_softplus_lane(FROM(x + j) + FROM(bias + j));
}

/* From the first step to the last. */
void KL_ISA_NAME(kl_scan_softplus_back) KL_SCAN_SOFTPLUS_BACK_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, d += ld, y += ld)
        for (size_t j = 0; j < n; j += KL_LANES) {
            const kl_lane v = FROM(d + j) * kl_rise_lane(FROM(y + j));
            AT(d + j) = v;
            AT(dbias + j) = kl_fma(v, kl_all(1), FROM(dbias + j));
        }
}

void KL_ISA_NAME(kl_scan_gate) KL_SCAN_GATE_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, y += ld_y, z += ld_z, out += ld_out)
        for (size_t j = 0; j < n; j += KL_LANES) {
            const kl_lane v = FROM(z + j);
            AT(out + j) = FROM(y + j) * (v * kl_logistic_lane(v));
        }
}

void KL_ISA_NAME(kl_scan_gate_back) KL_SCAN_GATE_BACK_ARGS(kl_real)
{
    for (size_t t = 0; t < steps; t++, d += ld_d, dz += ld_dz, out += ld_out, y += ld_y, z += ld_z)
        for (size_t j = 0; j < n; j += KL_LANES) {
            const kl_lane v = FROM(z + j), s = kl_logistic_lane(v), silu = v * s, g = FROM(d + j),
                          was = FROM(y + j);
            AT(out + j) = was * silu;
            AT(dz + j) = g * was * bend(v, s);
            AT(d + j) = g * silu;
        }
}
