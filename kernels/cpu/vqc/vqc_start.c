/* SPDX-License-Identifier: MIT
   The beginning of a sweep over one state, its amplitudes in the lanes (vqc_wide.h): the first layer
   acts on |0> and so is a product, built by doubling and differentiated by halving. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc_wide.h"

/* First column of a qubit's matrix, of one sample. */
struct column {
    kl_real ar, ai, br, bi;
};

static struct column column_of(const struct kl_matrix *u, size_t lane)
{
    return (struct column){ u->ar[lane], u->ai[lane], u->br[lane], u->bi[lane] };
}

/* The product of the lowest `bits` qubits; im may be all 0. */
static void low_product(kl_real *re, kl_real *im, const struct kl_matrix *u, int bits, size_t lane)
{
    re[0] = 1, im[0] = 0;
    for (int b = 0; b < bits; b++) {
        const struct column c = column_of(&u[b], lane);
        for (size_t j = 0, half = (size_t)1 << b; j < half; j++) {
            const kl_real x = re[j], y = im[j];
            re[j] = c.ar * x - c.ai * y, im[j] = c.ar * y + c.ai * x;
            re[j + half] = c.br * x - c.bi * y, im[j + half] = c.br * y + c.bi * x;
        }
    }
}

static kl_lane lane_from(const kl_real *values)
{
    return *(const kl_lane *)values;
}

/* to = (pr + i pi) from, vectors of a state. */
KL_INLINE void scaled(const bool real, kl_lane *to, const kl_lane *from, kl_real pr, kl_real pi)
{
    if (real) {
        to[0] = pr * from[0];
        return;
    }
    const kl_lane x = from[0], y = from[1];
    to[0] = pr * x - pi * y;
    to[1] = pr * y + pi * x;
}

/* From the product of the lower bits at `from` to that of one bit more at `to`. */
static void double_product(const bool real, kl_lane *to, const kl_lane *from, size_t vectors,
                           struct column c)
{
    const size_t parts = real ? 1 : 2;
    for (size_t j = 0; j < parts * vectors; j += parts) {
        scaled(real, to + parts * vectors + j, from + j, c.br, c.bi);
        scaled(real, to + j, from + j, c.ar, c.ai);
    }
}

static void store_low(const bool real, kl_lane *to, const struct kl_matrix *u, size_t lane)
{
    kl_real re[KL_LANES], im[KL_LANES];
    low_product(re, im, u, KL_LANE_BITS, lane);
    to[0] = lane_from(re);
    if (!real) to[1] = lane_from(im);
}

void KL_ISA_NAME(kl_vqc_wide_start)(kl_real *state, const struct kl_vqc_rotations *turns,
                                    const struct kl_matrix *u, size_t lane)
{
    kl_lane *a = (kl_lane *)state;
    store_low(turns->real, a, u, lane);
    for (int b = KL_LANE_BITS; b < turns->n_qubits; b++)
        double_product(turns->real, a, a, (size_t)1 << (b - KL_LANE_BITS), column_of(&u[b], lane));
}

/* Sums of conj(bra) * product over the lower and the upper half: the bra's inner products with the state
   but for the qubit's own column. */
struct halves {
    kl_real lr, li, hr, hi;
};

static void set_generators(struct kl_generators *g, struct halves v, struct column c, size_t lane)
{
    g->x[lane] = v.lr * c.bi + v.li * c.br + v.hr * c.ai + v.hi * c.ar;
    g->y[lane] = v.li * c.bi - v.lr * c.br + v.hr * c.ar - v.hi * c.ai;
    g->z[lane] = v.lr * c.ai + v.li * c.ar - v.hr * c.bi - v.hi * c.br;
}

/* The upper half's part of the bra is added to the lower: bra' = conj(a) low + conj(b) high. */
static struct halves contract(const bool real, kl_lane *bra, const kl_lane *product, size_t vectors,
                              struct column c)
{
    const size_t parts = real ? 1 : 2;
    kl_lane lr = { 0 }, li = { 0 }, hr = { 0 }, hi = { 0 };
    for (size_t j = 0; j < parts * vectors; j += parts) {
        const kl_lane xr = bra[j], yr = bra[parts * vectors + j], pr = product[j];
        lr += xr * pr;
        hr += yr * pr;
        bra[j] = c.ar * xr + c.br * yr;
        if (real) continue;
        const kl_lane xi = bra[j + 1], yi = bra[parts * vectors + j + 1], pi = product[j + 1];
        lr += xi * pi, li += xr * pi - xi * pr;
        hr += yi * pi, hi += yr * pi - yi * pr;
        bra[j] += c.ai * xi + c.bi * yi;
        bra[j + 1] = c.ar * xi - c.ai * xr + c.br * yi - c.bi * yr;
    }
    return (struct halves){ kl_lanes_sum(lr), kl_lanes_sum(li), kl_lanes_sum(hr), kl_lanes_sum(hi) };
}

/* The qubits within a vector. */
static void contract_low(struct kl_generators *g, const bool real, const kl_lane *bra,
                         const struct kl_matrix *u, size_t lane)
{
    kl_real br[KL_LANES], bi[KL_LANES] = { 0 }, pr[KL_LANES], pi[KL_LANES];
    for (int l = 0; l < KL_LANES; l++) br[l] = bra[0][l];
    for (int l = 0; !real && l < KL_LANES; l++) bi[l] = bra[1][l];
    for (int b = KL_LANE_BITS - 1; b >= 0; b--) {
        const struct column c = column_of(&u[b], lane);
        const size_t half = (size_t)1 << b;
        struct halves v = { 0 };
        low_product(pr, pi, u, b, lane);
        for (size_t j = 0; j < half; j++) {
            const kl_real xr = br[j], xi = bi[j], yr = br[j + half], yi = bi[j + half];
            v.lr += xr * pr[j] + xi * pi[j], v.li += xr * pi[j] - xi * pr[j];
            v.hr += yr * pr[j] + yi * pi[j], v.hi += yr * pi[j] - yi * pr[j];
            br[j] = c.ar * xr + c.ai * xi + c.br * yr + c.bi * yi;
            bi[j] = c.ar * xi - c.ai * xr + c.br * yi - c.bi * yr;
        }
        set_generators(&g[b], v, c, lane);
    }
}

void KL_ISA_NAME(kl_vqc_wide_start_back)(struct kl_generators *g, kl_real *state, kl_real *bra,
                                         const struct kl_vqc_rotations *turns, const struct kl_matrix *u,
                                         size_t lane)
{
    const bool real = turns->real;
    const size_t parts = real ? 1 : 2;
    kl_lane *a = (kl_lane *)state, *b = (kl_lane *)bra;
    store_low(real, a + parts, u,
              lane); /* products of one vector, two, four... stand at vector 1, 2, 4... */
    for (int q = KL_LANE_BITS; q + 1 < turns->n_qubits; q++) {
        const size_t vectors = (size_t)1 << (q - KL_LANE_BITS);
        double_product(real, a + 2 * parts * vectors, a + parts * vectors, vectors,
                       column_of(&u[q], lane));
    }
    for (int q = turns->n_qubits - 1; q >= KL_LANE_BITS; q--) {
        const size_t vectors = (size_t)1 << (q - KL_LANE_BITS);
        const struct column c = column_of(&u[q], lane);
        set_generators(&g[q], contract(real, b, a + parts * vectors, vectors, c), c, lane);
    }
    contract_low(g, real, b, u, lane);
}
