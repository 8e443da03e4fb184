/* SPDX-License-Identifier: MIT
   Layers of RY (struct kl_vqc_layers). A pass holds 2^M amplitudes of the group in registers and turns M
   qubits at once; the passes of the adjoint sweep turn back state and bra together and take the inner
   products on the way. The first layer acts on |0>, so it is a product of one-qubit states: it is built
   by doubling and differentiated by halving. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"
#include "kernels/inline/vqc_pass.h"

/* Registers: 2^M amplitudes forward, twice as many backward, and 2 M factors. */
#if KL_VECTOR_BYTES == 64
enum { FORWARD_M = 4, ADJOINT_M = 3 };
#else
enum { FORWARD_M = 3, ADJOINT_M = 2 };
#endif
enum { MOST_M = KL_PASS_MOST_M };

KL_INLINE void forward_m(const int m, kl_real *state, const struct pass *p, const kl_lane *cosine,
                         const kl_lane *sine)
{
    kl_lane c[MOST_M], s[MOST_M], a[1 << MOST_M];
    /* No shift in the loops' conditions: sanitizers would take the unrolling away. */
    const int size = 1 << m;
    size_t base = p->origin;
    for (int t = 0; t < m; t++) c[t] = cosine[p->slot[t]], s[t] = sine[p->slot[t]];
    for (size_t i = 1;; i++) {
        UNROLL(int j = 0; j < size; j++) a[j] = *place(state, base ^ p->offset[j]);
        UNROLL(int t = 0; t < m; t++)
        {
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) kl_rotate(&a[j], &a[j | 1 << t], c[t], s[t]);
        }
        UNROLL(int j = 0; j < size; j++) * place(state, base ^ p->offset[j]) = a[j];
        if (i == p->blocks) break;
        base ^= p->step[__builtin_ctzl(i)];
    }
}

/* <bra| Y |state> of one bit of the block: the derivative by the angle, see kernels/cpu/vqc/vqc.c */
KL_INLINE kl_lane derivative(const int m, const int t, const kl_lane *a, const kl_lane *b)
{
    const int size = 1 << m;
    kl_lane sum = b[1 << t] * a[0] - b[0] * a[1 << t];
    UNROLL(int j = 1; j < size; j++)
    if (!(j >> t & 1)) sum += b[j | 1 << t] * a[j] - b[j] * a[j | 1 << t];
    return sum;
}

KL_INLINE void adjoint_m(const int m, kl_lane *dangle, kl_real *state, kl_real *bra,
                         const struct pass *p, const kl_lane *cosine, const kl_lane *sine)
{
    kl_lane c[MOST_M], s[MOST_M], d[MOST_M], a[1 << MOST_M], b[1 << MOST_M];
    const int size = 1 << m;
    size_t base = p->origin;
    for (int t = 0; t < m; t++)
        c[t] = cosine[p->slot[t]], s[t] = -sine[p->slot[t]], d[t] = (kl_lane){ 0 };
    for (size_t i = 1;; i++) {
        UNROLL(int j = 0; j < size; j++) a[j] = *place(state, base ^ p->offset[j]);
        UNROLL(int j = 0; j < size; j++) b[j] = *place(bra, base ^ p->offset[j]);
        UNROLL(int t = 0; t < m; t++)
        {
            d[t] += derivative(m, t, a, b);
            UNROLL(int j = 0; j < size; j++)
            if (!(j >> t & 1)) {
                kl_rotate(&a[j], &a[j | 1 << t], c[t], s[t]);
                kl_rotate(&b[j], &b[j | 1 << t], c[t], s[t]);
            }
        }
        UNROLL(int j = 0; j < size; j++) * place(state, base ^ p->offset[j]) = a[j];
        UNROLL(int j = 0; j < size; j++) * place(bra, base ^ p->offset[j]) = b[j];
        if (i == p->blocks) break;
        base ^= p->step[__builtin_ctzl(i)];
    }
    for (int t = 0; t < m; t++) dangle[p->slot[t]] = d[t];
}

static void forward_1(kl_real *a, const struct pass *p, const kl_lane *c, const kl_lane *s)
{
    forward_m(1, a, p, c, s);
}
static void forward_2(kl_real *a, const struct pass *p, const kl_lane *c, const kl_lane *s)
{
    forward_m(2, a, p, c, s);
}
static void forward_3(kl_real *a, const struct pass *p, const kl_lane *c, const kl_lane *s)
{
    forward_m(3, a, p, c, s);
}
#if KL_VECTOR_BYTES == 64
static void forward_4(kl_real *a, const struct pass *p, const kl_lane *c, const kl_lane *s)
{
    forward_m(4, a, p, c, s);
}
#endif
static void (*const forward_of[])(kl_real *, const struct pass *, const kl_lane *, const kl_lane *) = {
    forward_1,
    forward_2,
    forward_3,
#if KL_VECTOR_BYTES == 64
    forward_4,
#endif
};

#define ADJOINT(m)                                                                                      \
    static void adjoint_##m(kl_lane *d, kl_real *a, kl_real *b, const struct pass *p, const kl_lane *c, \
                            const kl_lane *s)                                                           \
    {                                                                                                   \
        adjoint_m(m, d, a, b, p, c, s);                                                                 \
    }
ADJOINT(1)
ADJOINT(2)
#if KL_VECTOR_BYTES == 64
ADJOINT(3)
#endif
static void (*const adjoint_of[])(kl_lane *, kl_real *, kl_real *, const struct pass *, const kl_lane *,
                                  const kl_lane *) = {
    adjoint_1,
    adjoint_2,
#if KL_VECTOR_BYTES == 64
    adjoint_3,
#endif
};

/* Cosine and sine of a bit's angle; without a gate, of 0. */
KL_INLINE void factors(kl_lane *c, kl_lane *s, int slot, const kl_lane *cosine, const kl_lane *sine)
{
    *c = (kl_lane){ 0 } + (kl_real)1;
    *s = (kl_lane){ 0 };
    if (slot >= 0) *c = cosine[slot], *s = sine[slot];
}

/* state = the product of (cos, sin) of each bit, by doubling. */
static void build_product(kl_lane *a, const struct kl_vqc_layer *layer, int n_qubits,
                          const kl_lane *cosine, const kl_lane *sine)
{
    kl_lane c, s;
    a[0] = (kl_lane){ 0 } + (kl_real)1;
    for (int b = 0; b < n_qubits; b++) {
        size_t half = (size_t)1 << b;
        factors(&c, &s, layer->slot[b], cosine, sine);
        for (size_t j = 0; j < half; j++) {
            kl_lane x = a[j];
            a[j] = x * c;
            a[j + half] = x * s;
        }
    }
}

/* Amplitude j of the lower bits: the bra's two halves against the product, and into one. */
KL_INLINE void contract(kl_lane *by_c, kl_lane *by_s, kl_lane *bra, const kl_lane *product, size_t half,
                        size_t j, kl_lane c, kl_lane s)
{
    kl_lane low = bra[j], high = bra[j + half];
    *by_c += low * product[j];
    *by_s += high * product[j];
    bra[j] = c * low + s * high;
}

/* The way back: for each bit, highest first, the bra's halves against the product of the lower bits,
   then that bit is contracted. The products of 0, 1, 2... bits stand at a[1], a[2], a[4]... */
static void differentiate_product(kl_lane *dangle, kl_lane *a, kl_lane *bra,
                                  const struct kl_vqc_layer *layer, int n_qubits, const kl_lane *cosine,
                                  const kl_lane *sine)
{
    kl_lane c, s;
    a[1] = (kl_lane){ 0 } + (kl_real)1;
    for (int b = 0; b + 1 < n_qubits; b++) {
        size_t half = (size_t)1 << b;
        factors(&c, &s, layer->slot[b], cosine, sine);
        for (size_t j = 0; j < half; j++)
            a[2 * half + j] = a[half + j] * c, a[3 * half + j] = a[half + j] * s;
    }
    for (int b = n_qubits - 1; b >= 0; b--) {
        size_t half = (size_t)1 << b;
        int slot = layer->slot[b];
        if (slot < 0) continue; /* |0>: the lower half stays */
        kl_lane by_c[2] = { { 0 }, { 0 } }, by_s[2] = { { 0 }, { 0 } };
        factors(&c, &s, slot, cosine, sine);
        contract(&by_c[0], &by_s[0], bra, a + half, half, 0, c, s);
        for (size_t j = 1; j < half; j += 2) { /* two chains of sums */
            if (j + 1 < half) contract(&by_c[0], &by_s[0], bra, a + half, half, j + 1, c, s);
            contract(&by_c[1], &by_s[1], bra, a + half, half, j, c, s);
        }
        dangle[slot] = c * (by_s[0] + by_s[1]) - s * (by_c[0] + by_c[1]);
    }
}

/* Numbers of amplitudes are split in a high and a low part; strings of Z lie in one of them. places: of
   the low parts. */
struct split {
    int low_bits;
    size_t n_low, n_high;
    size_t low[1 << KL_VQC_LOW_BITS(KL_VQC_MOST_QUBITS)];
};

static void make_split(struct split *s, const struct kl_vqc_layer *end, int n_qubits)
{
    s->low_bits = KL_VQC_LOW_BITS(n_qubits);
    s->n_low = (size_t)1 << s->low_bits;
    s->n_high = (size_t)1 << (n_qubits - s->low_bits);
    s->low[0] = 0;
    for (size_t j = 1; j < s->n_low; j++)
        s->low[j] = s->low[j & (j - 1)] ^ end->direction[__builtin_ctzl(j)] * sizeof(kl_lane);
}

static size_t high_place(const struct split *s, const struct kl_vqc_layer *end, size_t high)
{
    size_t at = end->origin;
    for (size_t h = high; h; h &= h - 1) at ^= end->direction[s->low_bits + __builtin_ctzl(h)];
    return at * sizeof(kl_lane);
}

/* work: probability of each low part; the high parts are added up on the way. */
static void expectations(kl_real *to, kl_real *state, kl_lane *work, const struct kl_vqc_layers *p)
{
    struct split split;
    const struct kl_vqc_layer *end = &p->layer[p->n_layers];
    kl_lane *out = (kl_lane *)to;
    make_split(&split, end, p->n_qubits);
    for (size_t j = 0; j < split.n_low; j++) work[j] = (kl_lane){ 0 };
    for (size_t o = 0; o < p->n_obs; o++) out[o] = (kl_lane){ 0 };
    for (size_t h = 0; h < split.n_high; h++) {
        size_t base = high_place(&split, end, h);
        kl_lane sum[2] = { { 0 }, { 0 } };
        for (size_t j = 0; j < split.n_low; j += 2) { /* two chains of sums */
            kl_lane x = *place(state, base ^ split.low[j]), y = *place(state, base ^ split.low[j + 1]);
            work[j] += x * x;
            work[j + 1] += y * y;
            sum[0] += x * x;
            sum[1] += y * y;
        }
        sum[0] += sum[1];
        for (size_t o = 0; o < p->n_obs; o++) {
            uint32_t z = p->obs[o].z >> split.low_bits;
            if (z) out[o] += __builtin_parity((unsigned)h & z) ? -sum[0] : sum[0];
        }
    }
    for (size_t o = 0; o < p->n_obs; o++) {
        uint32_t z = p->obs[o].z;
        if (z >> split.low_bits) continue;
        for (size_t j = 0; j < split.n_low; j++)
            out[o] += __builtin_parity((unsigned)j & z) ? -work[j] : work[j];
    }
}

/* bra = (sum over the observables of cot * sign) * state; work: that sum for each low part. */
static void observe(kl_real *bra, kl_real *state, kl_lane *work, const struct kl_vqc_layers *p,
                    const kl_lane *cot)
{
    struct split split;
    const struct kl_vqc_layer *end = &p->layer[p->n_layers];
    make_split(&split, end, p->n_qubits);
    for (size_t j = 0; j < split.n_low; j++) {
        kl_lane sum = { 0 };
        for (size_t o = 0; o < p->n_obs; o++)
            if (!(p->obs[o].z >> split.low_bits))
                sum += __builtin_parity((unsigned)j & p->obs[o].z) ? -cot[o] : cot[o];
        work[j] = sum;
    }
    for (size_t h = 0; h < split.n_high; h++) {
        size_t base = high_place(&split, end, h);
        kl_lane sum = { 0 };
        for (size_t o = 0; o < p->n_obs; o++) {
            uint32_t z = p->obs[o].z >> split.low_bits;
            if (z) sum += __builtin_parity((unsigned)h & z) ? -cot[o] : cot[o];
        }
        for (size_t j = 0; j < split.n_low; j++) {
            size_t at = base ^ split.low[j];
            *place(bra, at) = (sum + work[j]) * *place(state, at);
        }
    }
}

void KL_ISA_NAME(kl_vqc_layers_forward)(kl_real *out, kl_real *state, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine)
{
    const kl_lane *c = (const kl_lane *)cosine, *s = (const kl_lane *)sine;
    int bits[KL_VQC_MOST_QUBITS], n = layers->n_qubits;
    struct pass pass;
    build_product((kl_lane *)state, &layers->layer[0], n, c, s);
    for (size_t l = 1; l < layers->n_layers; l++) {
        int all = rotated_bits(bits, &layers->layer[l], n);
        for (int done = 0, m; done < all; done += m) {
            m = pass_size(all - done, FORWARD_M);
            make_pass(&pass, &layers->layer[l], n, bits + done, m, sizeof(kl_lane));
            forward_of[m - 1](state, &pass, c, s);
        }
    }
    expectations(out, state, (kl_lane *)work, layers);
}

void KL_ISA_NAME(kl_vqc_layers_adjoint)(kl_real *dangle, kl_real *state, kl_real *bra, kl_real *work,
                                        const struct kl_vqc_layers *layers, const kl_real *cosine,
                                        const kl_real *sine, const kl_real *cot)
{
    const kl_lane *c = (const kl_lane *)cosine, *s = (const kl_lane *)sine;
    kl_lane *d = (kl_lane *)dangle;
    int bits[KL_VQC_MOST_QUBITS], n = layers->n_qubits;
    struct pass pass;
    observe(bra, state, (kl_lane *)work, layers, (const kl_lane *)cot);
    for (size_t l = layers->n_layers; l-- > 1;) {
        int all = rotated_bits(bits, &layers->layer[l], n);
        for (int done = 0, m; done < all; done += m) {
            m = pass_size(all - done, ADJOINT_M);
            make_pass(&pass, &layers->layer[l], n, bits + done, m, sizeof(kl_lane));
            adjoint_of[m - 1](d, state, bra, &pass, c, s);
        }
    }
    differentiate_product(d, (kl_lane *)state, (kl_lane *)bra, &layers->layer[0], n, c, s);
}
