/* SPDX-License-Identifier: MIT
   Around the products of the family layers: biases, ReLU with transposes, pools; see kernels/layers.h.
 */
#include "kernels/layers.h"

#include "kernels/inline/lanes.h"
#include "kernels/inline/real.h"

/* Four values, whatever the instruction set: tiles of 4x4 are turned in registers. */
typedef kl_real four
    __attribute__((vector_size(4 * sizeof(kl_real)), aligned(sizeof(kl_real)), may_alias));

static void turn_rest(kl_real *to, size_t ld_to, const kl_real *y, size_t ld, size_t m, size_t n)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) to[j * ld_to + i] = y[i * ld + j];
}

static inline void turn_four(kl_real *to, size_t ld_to, const kl_real *y, size_t ld)
{
    const four a = *(const four *)y, b = *(const four *)(y + ld), c = *(const four *)(y + 2 * ld),
               d = *(const four *)(y + 3 * ld);
    const four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5),
               cd = __builtin_shufflevector(c, d, 0, 4, 1, 5),
               AB = __builtin_shufflevector(a, b, 2, 6, 3, 7),
               CD = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)to = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(to + ld_to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    *(four *)(to + 2 * ld_to) = __builtin_shufflevector(AB, CD, 0, 1, 4, 5);
    *(four *)(to + 3 * ld_to) = __builtin_shufflevector(AB, CD, 2, 3, 6, 7);
}

/* Four rows at a time, which are in the first cache when they are turned. */
void KL_ISA_NAME(kl_layers_turn) KL_LAYERS_TURN_ARGS(kl_real)
{
    const size_t whole = n - n % 4;
    for (size_t i = 0; i < m; i += 4) {
        const size_t some = m - i < 4 ? m - i : 4;
        for (size_t r = i; mask && r < i + some; r++) {
            kl_real *row = y + r * ld;
            const kl_real *gate = mask + r * ld_mask;
            for (size_t j = 0; j < n; j++) row[j] = gate[j] > 0 ? row[j] : 0;
        }
        if (!to) continue;
        if (some < 4) {
            turn_rest(to + i, ld_to, y + i * ld, ld, some, n);
            continue;
        }
        for (size_t j = 0; j < whole; j += 4) turn_four(to + j * ld_to + i, ld_to, y + i * ld + j, ld);
        turn_rest(to + whole * ld_to + i, ld_to, y + i * ld + whole, ld, 4, n - whole);
    }
}

void KL_ISA_NAME(kl_layers_fill) KL_LAYERS_FILL_ARGS(kl_real)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) y[i * ld + j] = b[i];
}

void KL_ISA_NAME(kl_layers_add) KL_LAYERS_ADD_ARGS(kl_real)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) sum[j] += y[i * ld + j];
}

enum { SIDE = KL_LAYERS_IMAGES };

/* Vectors of 0 to 15 of the sixteen images of a position. */
#define AT(p) (*(kl_lane *)((p) + l))
#define FROM(p) (*(const kl_lane *)((p) + l))

static inline kl_lane larger(kl_lane a, kl_lane b)
{
    return kl_choose(b > a, b, a);
}

void KL_ISA_NAME(kl_layers_pool) KL_LAYERS_POOL_ARGS(kl_real)
{
    for (size_t x = 0; x < columns; x++, r0 += 2 * SIDE, r1 += 2 * SIDE, out += SIDE)
        for (int l = 0; l < SIDE; l += KL_LANES) {
            const kl_lane a = FROM(r0), b = FROM(r0 + SIDE), c = FROM(r1), d = FROM(r1 + SIDE);
            if (largest) AT(out) = larger(larger(a, b), larger(c, d));
            else AT(out) = ((a + b) + (c + d)) * (kl_real)0.25;
        }
}

void KL_ISA_NAME(kl_layers_pool_back) KL_LAYERS_POOL_BACK_ARGS(kl_real)
{
    const kl_lane none = { 0 };
    for (size_t x = 0; x < columns; x++) {
        for (int l = 0; l < SIDE; l += KL_LANES) {
            const kl_lane a = FROM(r0), b = FROM(r0 + SIDE), c = FROM(r1), d = FROM(r1 + SIDE);
            if (!largest) {
                const kl_lane g = FROM(dout) * (kl_real)0.25;
                AT(d0) = kl_choose(a > 0, g, none), AT(d0 + SIDE) = kl_choose(b > 0, g, none);
                AT(d1) = kl_choose(c > 0, g, none), AT(d1 + SIDE) = kl_choose(d > 0, g, none);
                continue;
            }
            const kl_lane most = larger(larger(a, b), larger(c, d)),
                          g = kl_choose(most > 0, FROM(dout), none);
            const kl_lane_bits in_a = a == most, in_b = (b == most) & ~in_a, in_ab = in_a | in_b,
                               in_c = (c == most) & ~in_ab;
            AT(d0) = kl_choose(in_a, g, none), AT(d0 + SIDE) = kl_choose(in_b, g, none);
            AT(d1) = kl_choose(in_c, g, none), AT(d1 + SIDE) = kl_choose(in_ab | in_c, none, g);
        }
        r0 += 2 * SIDE, r1 += 2 * SIDE, d0 += 2 * SIDE, d1 += 2 * SIDE, dout += SIDE;
    }
}
