/* SPDX-License-Identifier: MIT
   Layers of one-qubit unitaries (struct kl_vqc_turns), forward. The rotations of a qubit between two
   moves are multiplied into one matrix [[a, -b*], [b, a*]] a sample; a pass turns M qubits at once with
   2^M amplitudes in registers. An amplitude's real and imaginary part lie side by side. The first layer
   acts on |0>, so it is a product of first columns, built by doubling. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"
#include "kernels/inline/vqc_pass.h"

#if KL_VECTOR_BYTES == 64
enum { M = 3 };
#else
enum { M = 2 };
#endif

struct matrix {
    kl_lane ar, ai, br, bi;
};

/* Its first column is what the rotations make of |0>. */
static void multiply(struct matrix *u, const struct kl_vqc_turns *p, int turn, const kl_lane *cosine,
                     const kl_lane *sine)
{
    *u = (struct matrix){ .ar = (kl_lane){ 0 } + (kl_real)1 };
    for (; turn >= 0; turn = p->turn[turn].next) {
        const struct kl_vqc_turn *t = &p->turn[turn];
        const kl_lane c = cosine[t->slot], s = sine[t->slot];
        if (t->gate == KL_VQC_RX) {
            kl_rotate_x(&u->ar, &u->ai, &u->br, &u->bi, c, s);
        } else if (t->gate == KL_VQC_RY) {
            kl_rotate(&u->ar, &u->br, c, s);
            kl_rotate(&u->ai, &u->bi, c, s);
        } else {
            kl_phase(&u->ar, &u->ai, c, s);
            kl_phase(&u->br, &u->bi, c, -s);
        }
    }
}

KL_INLINE void turn_pair(kl_lane *xr, kl_lane *xi, kl_lane *yr, kl_lane *yi, const struct matrix *u)
{
    const kl_lane a = *xr, b = *xi, c = *yr, d = *yi;
    *xr = u->ar * a - u->ai * b - u->br * c - u->bi * d;
    *xi = u->ar * b + u->ai * a - u->br * d + u->bi * c;
    *yr = u->br * a - u->bi * b + u->ar * c + u->ai * d;
    *yi = u->br * b + u->bi * a + u->ar * d - u->ai * c;
}

KL_INLINE void turn_m(const int m, kl_real *state, const struct pass *p, const struct matrix *u)
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
            if (!(j >> t & 1)) turn_pair(&re[j], &im[j], &re[j | 1 << t], &im[j | 1 << t], &u[t]);
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

static void turn_1(kl_real *state, const struct pass *p, const struct matrix *u)
{
    turn_m(1, state, p, u);
}
static void turn_2(kl_real *state, const struct pass *p, const struct matrix *u)
{
    turn_m(2, state, p, u);
}
#if KL_VECTOR_BYTES == 64
static void turn_3(kl_real *state, const struct pass *p, const struct matrix *u)
{
    turn_m(3, state, p, u);
}
#endif
static void (*const turn_of[])(kl_real *, const struct pass *, const struct matrix *) = {
    turn_1,
    turn_2,
#if KL_VECTOR_BYTES == 64
    turn_3,
#endif
};

static void build_product(kl_lane *state, const struct kl_vqc_turns *p, const kl_lane *cosine,
                          const kl_lane *sine)
{
    struct matrix u;
    state[0] = (kl_lane){ 0 } + (kl_real)1;
    state[1] = (kl_lane){ 0 };
    for (int b = 0; b < p->n_qubits; b++) {
        kl_lane *to = state + ((size_t)2 << b);
        multiply(&u, p, p->layer[0].slot[b], cosine, sine);
        for (size_t j = 0; j < (size_t)2 << b; j += 2) {
            const kl_lane x = state[j], y = state[j + 1];
            state[j] = u.ar * x - u.ai * y;
            state[j + 1] = u.ar * y + u.ai * x;
            to[j] = u.br * x - u.bi * y;
            to[j + 1] = u.br * y + u.bi * x;
        }
    }
}

/* Amplitude y lies at origin ^ XOR of direction[b] over the bits b of y: both change by the same step of
   a Gray code. */
static void expectations(kl_lane *out, kl_real *state, const struct kl_vqc_turns *p)
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

void KL_ISA_NAME(kl_vqc_turns_forward)(kl_real *out, kl_real *state, const struct kl_vqc_turns *turns,
                                       const kl_real *cosine, const kl_real *sine)
{
    const kl_lane *c = (const kl_lane *)cosine, *s = (const kl_lane *)sine;
    int bits[KL_VQC_MOST_QUBITS], n = turns->n_qubits;
    struct matrix u[M];
    struct pass pass;
    build_product((kl_lane *)state, turns, c, s);
    for (size_t l = 1; l < turns->n_layers; l++) {
        int all = rotated_bits(bits, &turns->layer[l], n);
        for (int done = 0, m; done < all; done += m) {
            m = pass_size(all - done, M);
            make_pass(&pass, &turns->layer[l], n, bits + done, m, 2 * sizeof(kl_lane));
            for (int t = 0; t < m; t++) multiply(&u[t], turns, pass.slot[t], c, s);
            turn_of[m - 1](state, &pass, u);
        }
    }
    expectations((kl_lane *)out, state, turns);
}
