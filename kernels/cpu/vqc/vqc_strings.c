/* SPDX-License-Identifier: MIT
   The end of a sweep over one state, its amplitudes in the lanes (vqc_wide.h): strings of Z, whose signs
   a block of vectors gets by a Walsh-Hadamard transform, other Pauli strings, each with a pass of its
   own, and the probabilities of all basis states. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc_wide.h"

enum { BLOCK = 1 << KL_VQC_WIDE_BITS };

/* The place of the next amplitude y of layer `end`, y running through the Gray code: place ^=
   direction[bit that changes]. */
static uint32_t next_place(uint32_t place, const struct kl_vqc_layer *end, uint32_t step)
{
    return place ^ end->direction[__builtin_ctz(step)];
}

/* The number of the real part at a place; the imaginary one is KL_LANES behind it. */
static size_t number_of(uint32_t place, bool real)
{
    return real ? place : 2 * (size_t)(place - place % KL_LANES) + place % KL_LANES;
}

static void probabilities(kl_real *out, const kl_real *a, const struct kl_vqc_rotations *turns,
                          size_t lane)
{
    const struct kl_vqc_layer *end = &turns->layer[turns->n_layers];
    uint32_t place = end->origin;
    for (uint32_t i = 0;; place = next_place(place, end, i)) {
        const size_t k = number_of(place, turns->real), y = i ^ i >> 1;
        out[y * KL_LANES + lane] = a[k] * a[k];
        if (!turns->real) out[y * KL_LANES + lane] += a[k + KL_LANES] * a[k + KL_LANES];
        if (++i >> turns->n_qubits) break;
    }
}

/* bra = diag(cot) |state> */
static void observe_probabilities(kl_real *b, const kl_real *a, const struct kl_vqc_rotations *turns,
                                  const kl_real *cot, size_t lane)
{
    const struct kl_vqc_layer *end = &turns->layer[turns->n_layers];
    uint32_t place = end->origin;
    for (uint32_t i = 0;; place = next_place(place, end, i)) {
        const size_t k = number_of(place, turns->real), y = i ^ i >> 1;
        const kl_real weight = cot[y * KL_LANES + lane];
        b[k] = weight * a[k];
        if (!turns->real) b[k + KL_LANES] = weight * a[k + KL_LANES];
        if (++i >> turns->n_qubits) break;
    }
}

/* In place: w[k] becomes the sum over j of (-1)^parity(j & k) w[j]. */
KL_INLINE void walsh_hadamard(kl_lane w[BLOCK])
{
    UNROLL(int half = 1; half < BLOCK; half *= 2)
    {
        UNROLL(int j = 0; j < BLOCK; j++)
        {
            if (j & half) continue;
            const kl_lane x = w[j], y = w[j | half];
            w[j] = x + y;
            w[j | half] = x - y;
        }
    }
}

/* A string on places: the parity of its Z is that of place & mask, turned over if odd; X moves
   amplitudes from place ^ move. */
struct string {
    uint32_t mask, move;
    bool odd;
};

KL_INLINE uint32_t block_of(uint32_t mask)
{
    return mask >> KL_LANE_BITS & (BLOCK - 1);
}

KL_INLINE uint32_t high_of(uint32_t mask)
{
    return mask >> KL_LANE_BITS >> KL_VQC_WIDE_BITS;
}

static struct string string_of(const struct kl_vqc_rotations *turns, size_t o)
{
    const struct kl_vqc_layer *end = &turns->layer[turns->n_layers];
    struct string s = { 0 };
    for (uint32_t z = turns->obs[o].z; z; z &= z - 1) s.mask ^= end->dual[__builtin_ctz(z)];
    for (uint32_t x = turns->obs[o].x; x; x &= x - 1) s.move ^= end->direction[__builtin_ctz(x)];
    s.odd = __builtin_parity(s.mask & end->origin);
    return s;
}

/* Behind the vectors that work holds for each string. */
static struct string *strings_in(kl_lane *work, const struct kl_vqc_rotations *turns)
{
    struct string *s = (struct string *)(work + turns->n_obs);
    for (size_t o = 0; o < turns->n_obs; o++) s[o] = string_of(turns, o);
    return s;
}

/* (P state) of a vector: P|y> = i^(number of Y) (-1)^(parity of y & z) |y ^ x>. */
struct moved {
    struct string s;
    kl_lane_index index;
    kl_lane sign; /* of vectors whose number & mask is even */
    int quarter;  /* turns: the number of Y modulo 4 */
};

static struct moved moved_of(const struct kl_vqc_rotations *turns, size_t o)
{
    const struct string s = string_of(turns, o);
    const bool odd = s.odd ^ __builtin_parity(s.move & s.mask);
    struct moved m = { s, kl_lanes_xor(s.move), kl_lane_signs(s.mask), 0 };
    if (odd) m.sign = -m.sign;
    m.quarter = __builtin_popcount(turns->obs[o].x & turns->obs[o].z) & 3;
    return m;
}

KL_INLINE void moved_vector(kl_lane *re, kl_lane *im, const struct moved *m, const kl_lane *a, bool real,
                            size_t v)
{
    const size_t from = v ^ m->s.move >> KL_LANE_BITS;
    kl_lane sign = __builtin_parity((unsigned)v & m->s.mask >> KL_LANE_BITS) ? -m->sign : m->sign;
    if (m->quarter & 2) sign = -sign;
    const kl_lane r = sign * kl_exchanged(a[real ? from : 2 * from], m->index);
    kl_lane i = { 0 };
    if (!real) i = sign * kl_exchanged(a[2 * from + 1], m->index);
    *re = m->quarter & 1 ? -i : r;
    *im = m->quarter & 1 ? r : i;
}

static kl_real moved_output(const kl_lane *a, const struct kl_vqc_rotations *turns, size_t o)
{
    const struct moved m = moved_of(turns, o);
    kl_lane sum = { 0 }, re, im;
    for (size_t v = 0; v < (size_t)1 << (turns->n_qubits - KL_LANE_BITS); v++) {
        moved_vector(&re, &im, &m, a, turns->real, v);
        sum += a[turns->real ? v : 2 * v] * re;
        if (!turns->real) sum += a[2 * v + 1] * im;
    }
    return kl_lanes_sum(sum);
}

static void observe_moved(kl_lane *b, const kl_lane *a, const struct kl_vqc_rotations *turns, size_t o,
                          kl_real cot)
{
    const struct moved m = moved_of(turns, o);
    kl_lane re, im;
    for (size_t v = 0; v < (size_t)1 << (turns->n_qubits - KL_LANE_BITS); v++) {
        moved_vector(&re, &im, &m, a, turns->real, v);
        b[turns->real ? v : 2 * v] += cot * re;
        if (!turns->real) b[2 * v + 1] += cot * im;
    }
}

void KL_ISA_NAME(kl_vqc_wide_outputs)(kl_real *out, kl_lane *work, const kl_real *state,
                                      const struct kl_vqc_rotations *turns, size_t lane)
{
    const size_t blocks = (size_t)1 << (turns->n_qubits - KL_LANE_BITS - KL_VQC_WIDE_BITS);
    const kl_lane *a = (const kl_lane *)state;
    const struct string *s = strings_in(work, turns);
    if (turns->probabilities) {
        probabilities(out, state, turns, lane);
        return;
    }
    for (size_t o = 0; o < turns->n_obs; o++) work[o] = (kl_lane){ 0 };
    for (size_t h = 0; h < blocks; h++) {
        kl_lane w[BLOCK];
        for (size_t j = 0; j < BLOCK; j++) {
            const size_t v = h * BLOCK + j;
            if (turns->real) w[j] = a[v] * a[v];
            else w[j] = a[2 * v] * a[2 * v] + a[2 * v + 1] * a[2 * v + 1];
        }
        walsh_hadamard(w);
        for (size_t o = 0; o < turns->n_obs; o++)
            work[o] += __builtin_parity((unsigned)h & high_of(s[o].mask)) ? -w[block_of(s[o].mask)]
                                                                          : w[block_of(s[o].mask)];
    }
    for (size_t o = 0; o < turns->n_obs; o++) {
        const kl_real sum =
            s[o].move ? moved_output(a, turns, o) : kl_lanes_sum(kl_lane_signs(s[o].mask) * work[o]);
        out[o * KL_LANES + lane] = s[o].odd && !s[o].move ? -sum : sum;
    }
}

void KL_ISA_NAME(kl_vqc_wide_observe)(kl_real *bra, kl_lane *work, const kl_real *state,
                                      const struct kl_vqc_rotations *turns, const kl_real *cot,
                                      size_t lane)
{
    const size_t blocks = (size_t)1 << (turns->n_qubits - KL_LANE_BITS - KL_VQC_WIDE_BITS);
    const kl_lane *a = (const kl_lane *)state;
    kl_lane *b = (kl_lane *)bra;
    const struct string *s = strings_in(work, turns);
    if (turns->probabilities) {
        observe_probabilities(bra, state, turns, cot, lane);
        return;
    }
    for (size_t o = 0; o < turns->n_obs; o++) {
        const kl_real c = s[o].move ? 0 : cot[o * KL_LANES + lane];
        work[o] = kl_lane_signs(s[o].mask) * (s[o].odd ? -c : c);
    }
    for (size_t h = 0; h < blocks; h++) {
        kl_lane w[BLOCK] = { 0 };
        for (size_t o = 0; o < turns->n_obs; o++)
            w[block_of(s[o].mask)] +=
                __builtin_parity((unsigned)h & high_of(s[o].mask)) ? -work[o] : work[o];
        walsh_hadamard(w);
        for (size_t j = 0; j < BLOCK; j++) {
            const size_t v = h * BLOCK + j;
            if (turns->real) {
                b[v] = w[j] * a[v];
                continue;
            }
            b[2 * v] = w[j] * a[2 * v];
            b[2 * v + 1] = w[j] * a[2 * v + 1];
        }
    }
    for (size_t o = 0; o < turns->n_obs; o++)
        if (s[o].move) observe_moved(b, a, turns, o, cot[o * KL_LANES + lane]);
}
