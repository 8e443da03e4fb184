/* SPDX-License-Identifier: MIT
   Layers of one-qubit unitaries (struct kl_vqc_rotations), samples side by side. The rotations of a
   qubit between two moves are multiplied into one matrix [[a, -b*], [b, a*]] a sample; a pass turns M
   qubits at once with 2^M amplitudes in registers. An amplitude's real and imaginary part lie side by
   side. The first layer acts on |0>, so it is a product of first columns, built by doubling. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"
#include "kernels/inline/vqc_pass.h"

#if KL_VECTOR_BYTES == 64
enum { M = 3, ADJOINT_M = 2 };
#else
enum { M = 2, ADJOINT_M = 1 };
#endif

KL_INLINE void turn_m(const int m, kl_real *state, const struct pass *p, const struct kl_matrix *u)
{
    kl_lane re[1 << M], im[1 << M];
    /* No shift in the loops' conditions: sanitizers would take the unrolling away. */
    const int size = 1 << m;
    size_t base = p->origin;
    for (size_t i = 1;; i++) {
        UNROLL(int j = 0; j < size; j++)
        {
            re[j] = place(state, base ^ p->offset[j])[0];
            im[j] = place(state, base ^ p->offset[j])[1];
        }
        UNROLL(int t = 0; t < m; t++)
        {
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) kl_ingest_turn(&re[j], &im[j], &re[j | 1 << t], &im[j | 1 << t], &u[t]);
        }
        UNROLL(int j = 0; j < size; j++)
        {
            place(state, base ^ p->offset[j])[0] = re[j];
            place(state, base ^ p->offset[j])[1] = im[j];
        }
        if (i == p->blocks) break;
        base ^= p->step[__builtin_ctzl(i)];
    }
}

static void turn_1(kl_real *state, const struct pass *p, const struct kl_matrix *u)
{
    turn_m(1, state, p, u);
}
static void turn_2(kl_real *state, const struct pass *p, const struct kl_matrix *u)
{
    turn_m(2, state, p, u);
}
#if KL_VECTOR_BYTES == 64
static void turn_3(kl_real *state, const struct pass *p, const struct kl_matrix *u)
{
    turn_m(3, state, p, u);
}
#endif
static void (*const turn_of[])(kl_real *, const struct pass *, const struct kl_matrix *) = {
    turn_1,
    turn_2,
#if KL_VECTOR_BYTES == 64
    turn_3,
#endif
};

/* State and bra turned back, and the generators of each qubit on the way; u are the inverses. */
KL_INLINE void back_m(const int m, struct kl_generators *g, kl_real *state, kl_real *bra,
                      const struct pass *p, const struct kl_matrix *u)
{
    kl_lane re[1 << ADJOINT_M], im[1 << ADJOINT_M], bre[1 << ADJOINT_M], bim[1 << ADJOINT_M];
    const int size = 1 << m;
    size_t base = p->origin;
    for (int t = 0; t < m; t++) g[t] = (struct kl_generators){ 0 };
    for (size_t i = 1;; i++) {
        UNROLL(int j = 0; j < size; j++)
        {
            const kl_lane *a = place(state, base ^ p->offset[j]), *b = place(bra, base ^ p->offset[j]);
            re[j] = a[0], im[j] = a[1], bre[j] = b[0], bim[j] = b[1];
        }
        UNROLL(int t = 0; t < m; t++)
        {
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) {
                const int k = j | 1 << t;
                kl_add_generators(&g[t], re[j], im[j], re[k], im[k], bre[j], bim[j], bre[k], bim[k]);
                kl_ingest_turn(&re[j], &im[j], &re[k], &im[k], &u[t]);
                kl_ingest_turn(&bre[j], &bim[j], &bre[k], &bim[k], &u[t]);
            }
        }
        UNROLL(int j = 0; j < size; j++)
        {
            kl_lane *a = place(state, base ^ p->offset[j]), *b = place(bra, base ^ p->offset[j]);
            a[0] = re[j], a[1] = im[j], b[0] = bre[j], b[1] = bim[j];
        }
        if (i == p->blocks) break;
        base ^= p->step[__builtin_ctzl(i)];
    }
}

static void back_1(struct kl_generators *g, kl_real *state, kl_real *bra, const struct pass *p,
                   const struct kl_matrix *u)
{
    back_m(1, g, state, bra, p, u);
}
#if KL_VECTOR_BYTES == 64
static void back_2(struct kl_generators *g, kl_real *state, kl_real *bra, const struct pass *p,
                   const struct kl_matrix *u)
{
    back_m(2, g, state, bra, p, u);
}
#endif
static void (*const back_of[])(struct kl_generators *, kl_real *, kl_real *, const struct pass *,
                               const struct kl_matrix *) = {
    back_1,
#if KL_VECTOR_BYTES == 64
    back_2,
#endif
};

/* to = (ur + i ui) from */
KL_INLINE void scale(kl_lane *to, const kl_lane *from, kl_lane ur, kl_lane ui)
{
    const kl_lane x = from[0], y = from[1];
    to[0] = ur * x - ui * y;
    to[1] = ur * y + ui * x;
}

static void build_product(kl_lane *state, const struct kl_vqc_rotations *p, const kl_lane *cosine,
                          const kl_lane *sine)
{
    struct kl_matrix u;
    state[0] = (kl_lane){ 0 } + (kl_real)1;
    state[1] = (kl_lane){ 0 };
    for (int b = 0; b < p->n_qubits; b++) {
        kl_lane *to = state + ((size_t)2 << b);
        kl_matrix_of_rotations(&u, p, p->layer[0].slot[b], cosine, sine);
        for (size_t j = 0; j < (size_t)2 << b; j += 2) {
            scale(to + j, state + j, u.br, u.bi);
            scale(state + j, state + j, u.ar, u.ai);
        }
    }
}

/* One bit's generators: the bra's halves against the product of the lower bits; then that bit is
   contracted, bra' = conj(a) low + conj(b) high. */
static struct kl_generators contract(kl_lane *bra, const kl_lane *product, size_t half,
                                     const struct kl_matrix *u)
{
    kl_lane lr = { 0 }, li = { 0 }, hr = { 0 }, hi = { 0 };
    for (size_t j = 0; j < 2 * half; j += 2) {
        const kl_lane pr = product[j], pi = product[j + 1], xr = bra[j], xi = bra[j + 1],
                      yr = bra[j + 2 * half], yi = bra[j + 2 * half + 1];
        kl_add_inner(&lr, &li, xr, xi, pr, pi);
        kl_add_inner(&hr, &hi, yr, yi, pr, pi);
        kl_take_out(&bra[j], &bra[j + 1], yr, yi, u);
    }
    return kl_product_generators(u, lr, li, hr, hi);
}

/* The way back through the first layer, highest bit first. The products of 0, 1, 2... bits stand at
   amplitude 1, 2, 4... */
static void differentiate_product(kl_real *dangle, kl_lane *state, kl_lane *bra,
                                  const struct kl_vqc_rotations *p, const kl_lane *cosine,
                                  const kl_lane *sine)
{
    struct kl_matrix u;
    state[2] = (kl_lane){ 0 } + (kl_real)1;
    state[3] = (kl_lane){ 0 };
    for (int b = 0; b + 1 < p->n_qubits; b++) {
        const size_t half = (size_t)2 << b;
        kl_matrix_of_rotations(&u, p, p->layer[0].slot[b], cosine, sine);
        for (size_t j = 0; j < half; j += 2) {
            scale(state + 2 * half + j, state + half + j, u.ar, u.ai);
            scale(state + 3 * half + j, state + half + j, u.br, u.bi);
        }
    }
    for (int b = p->n_qubits - 1; b >= 0; b--) {
        kl_matrix_of_rotations(&u, p, p->layer[0].slot[b], cosine, sine);
        const size_t half = (size_t)1 << b;
        const struct kl_generators g = contract(bra, state + 2 * half, half, &u);
        if (p->layer[0].slot[b] >= 0)
            kl_rotations_derivatives(dangle, p, p->layer[0].slot[b], g, cosine, sine, 0, KL_LANES);
    }
}

/* Amplitude y lies at origin ^ XOR of direction[b] over the bits b of y: both change by the same step of
   a Gray code. */
static void expectations(kl_lane *out, kl_real *state, const struct kl_vqc_rotations *p)
{
    const struct kl_vqc_layer *end = &p->layer[p->n_layers];
    size_t at = end->origin;
    uint32_t number = 0;
    for (size_t o = 0; o < p->n_obs; o++) out[o] = (kl_lane){ 0 };
    for (size_t i = 1;; i++) {
        const kl_lane *a = place(state, at * 2 * sizeof(kl_lane));
        const kl_lane probability = a[0] * a[0] + a[1] * a[1];
        for (size_t o = 0; o < p->n_obs; o++)
            out[o] += __builtin_parity(number & p->obs[o].z) ? -probability : probability;
        if (i >> p->n_qubits) break;
        at ^= end->direction[__builtin_ctzl(i)];
        number ^= 1u << __builtin_ctzl(i);
    }
}

/* bra = (sum over the strings of cot * string) |state> */
static void observe(kl_real *bra, kl_real *state, const struct kl_vqc_rotations *p, const kl_lane *cot)
{
    const struct kl_vqc_layer *end = &p->layer[p->n_layers];
    size_t at = end->origin;
    uint32_t number = 0;
    for (size_t i = 1;; i++) {
        const kl_lane *a = place(state, at * 2 * sizeof(kl_lane));
        kl_lane *b = place(bra, at * 2 * sizeof(kl_lane)), weight = { 0 };
        for (size_t o = 0; o < p->n_obs; o++)
            weight += __builtin_parity(number & p->obs[o].z) ? -cot[o] : cot[o];
        b[0] = weight * a[0];
        b[1] = weight * a[1];
        if (i >> p->n_qubits) break;
        at ^= end->direction[__builtin_ctzl(i)];
        number ^= 1u << __builtin_ctzl(i);
    }
}

void KL_ISA_NAME(kl_vqc_rotations_forward)(kl_real *out, kl_real *state,
                                           const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                           const kl_real *sine)
{
    const kl_lane *c = (const kl_lane *)cosine, *s = (const kl_lane *)sine;
    int bits[KL_VQC_MOST_QUBITS], n = turns->n_qubits;
    struct kl_matrix u[M];
    struct pass pass;
    build_product((kl_lane *)state, turns, c, s);
    for (size_t l = 1; l < turns->n_layers; l++) {
        int all = rotated_bits(bits, &turns->layer[l], n);
        for (int done = 0, m; done < all; done += m) {
            m = pass_size(all - done, M);
            make_pass(&pass, &turns->layer[l], n, bits + done, m, 2 * sizeof(kl_lane));
            for (int t = 0; t < m; t++) kl_matrix_of_rotations(&u[t], turns, pass.slot[t], c, s);
            turn_of[m - 1](state, &pass, u);
        }
    }
    expectations((kl_lane *)out, state, turns);
}

void KL_ISA_NAME(kl_vqc_rotations_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra,
                                           const struct kl_vqc_rotations *turns, const kl_real *cosine,
                                           const kl_real *sine, const kl_real *cot)
{
    const kl_lane *c = (const kl_lane *)cosine, *s = (const kl_lane *)sine;
    int bits[KL_VQC_MOST_QUBITS], n = turns->n_qubits;
    struct kl_matrix u[ADJOINT_M];
    struct kl_generators g[ADJOINT_M];
    struct pass pass;
    observe(bra, state, turns, (const kl_lane *)cot);
    for (size_t l = turns->n_layers; l-- > 1;) {
        int all = rotated_bits(bits, &turns->layer[l], n);
        for (int done = 0, m; done < all; done += m) {
            m = pass_size(all - done, ADJOINT_M);
            make_pass(&pass, &turns->layer[l], n, bits + done, m, 2 * sizeof(kl_lane));
            for (int t = 0; t < m; t++) {
                kl_matrix_of_rotations(&u[t], turns, pass.slot[t], c, s);
                u[t] = kl_matrix_back(u[t]);
            }
            back_of[m - 1](g, state, bra, &pass, u);
            for (int t = 0; t < m; t++)
                kl_rotations_derivatives(dangle, turns, pass.slot[t], g[t], c, s, 0, KL_LANES);
        }
    }
    differentiate_product(dangle, (kl_lane *)state, (kl_lane *)bra, turns, c, s);
}
