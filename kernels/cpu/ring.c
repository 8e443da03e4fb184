/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/ring.h. The steps lie in the lanes: a group is 64 bytes /
   KL_VECTOR_BYTES slices, each with states of its own, one after another. */
#include "kernels/ring.h"

#include "kernels/inline/ring.h"
#include "kernels/inline/ring_angles.h"

enum { STEPS = 64 / sizeof(kl_real), SLICES = STEPS / KL_LANES };
#define SLICE(s) for (int s = 0; s < STEPS; s += KL_LANES)

static inline kl_lane load(const kl_real *at)
{
    return *(const kl_lane *)at;
}

/* ---- angles ---- */

static void halves(kl_real *turn, const kl_real *theta, size_t stride, const struct kl_ring_row *rows,
                   size_t n_rows)
{
    for (size_t r = 0; r < n_rows; r++) SLICE(l)
        {
            kl_lane x = load(theta + (size_t)rows[r].first * stride + l) + (kl_real)rows[r].offset;
            if (rows[r].second >= 0) x += load(theta + (size_t)rows[r].second * stride + l);
            ring_turn((kl_lane *)(turn + r * STEPS + l), (kl_lane *)(turn + (n_rows + r) * STEPS + l),
                      x * (kl_real)0.5);
        }
}

static void angles(kl_real *turn, kl_real *z, size_t stride, size_t n, const kl_real *bias,
                   const kl_real *base, double factor, const struct kl_ring_row *rows, size_t n_rows)
{
    const kl_lane by = kl_all((kl_real)factor);
    kl_real theta[4 * KL_RING_MOST * KL_RING_LAYERS * STEPS] __attribute__((aligned(64)));
    for (size_t i = 0; i < n; i++) SLICE(l)
        {
            kl_lane s, slope;
            ring_logistic(&s, &slope, load(z + i * stride + l) + bias[i]);
            *(kl_lane *)(theta + i * STEPS + l) = kl_fma(by, s, kl_all(base[i]));
            *(kl_lane *)(z + i * stride + l) = by * slope;
        }
    halves(turn, theta, STEPS, rows, n_rows);
}

static void slopes(kl_real *z, size_t stride, size_t n, kl_real *by_base, kl_real *by_bias,
                   const kl_real *dturn, const uint32_t *row)
{
    for (size_t i = 0; i < n; i++) SLICE(l)
        {
            const kl_lane d = load(dturn + row[i] * STEPS + l);
            kl_lane *at = (kl_lane *)(z + i * stride + l);
            *(kl_lane *)(by_base + i * STEPS + l) += d;
            kl_lane *bias = (kl_lane *)(by_bias + i * STEPS + l);
            *bias = kl_fma(*at, d, *bias);
            *at = *at * d;
        }
}

/* ---- the circuit ---- */

/* Angles of layer l: its ring of XX, or its RY and ring of YY. */
static inline struct ring_angles x_ring(const kl_real *turn, const struct kl_ring *ring, int l)
{
    const size_t n = (size_t)ring->n_qubits, sine = kl_ring_rows(ring) * STEPS;
    const kl_real *x = turn + n * (size_t)(3 * l + 1) * STEPS;
    return (struct ring_angles){ x, x + sine, NULL, NULL, STEPS };
}
static inline struct ring_angles y_ring(const kl_real *turn, const struct kl_ring *ring, int l)
{
    const size_t n = (size_t)ring->n_qubits, sine = kl_ring_rows(ring) * STEPS;
    const kl_real *one = turn + n * (size_t)(3 * l + 2) * STEPS, *y = one + n * STEPS;
    return (struct ring_angles){ y, y + sine, one, one + sine, STEPS };
}

/* Of one slice; t: 3 2^n vectors. */
static void forward_slice(struct ring_z *s, const kl_real *turn, const struct kl_ring *ring,
                          struct ring_z *t)
{
    const int n = ring->n_qubits, size = 1 << n;
    const kl_real scale = ring_scale(n);
    kl_lane *p = (kl_lane *)(t + size / 2);
    ring_product(p, n, turn, turn + kl_ring_rows(ring) * STEPS, STEPS);
    for (int l = 0; l < ring->layers; l++) {
        const struct ring_angles x = x_ring(turn, ring, l), y = y_ring(turn, ring, l);
        ring_even(t, n, &x, scale);
        if (l) ring_basis(s, n, 0, t, NULL, RING_EVEN);
        else ring_basis(s, n, 0, t, p, RING_START);
        ring_full(t, n, &y, l + 1 < ring->layers ? scale : 1);
        if (l + 1 < ring->layers) ring_basis(s, n, 1, t, NULL, RING_FULL);
    }
    for (int k = 0; k < size; k++) s[k] = ring_times(s[k], t[k]);
}

static void forward(kl_real *state, const kl_real *turn, const struct kl_ring *ring, kl_real *work)
{
    SLICE(l)
    forward_slice((struct ring_z *)(state + ((size_t)l << (ring->n_qubits + 1))), turn + l, ring,
                  (struct ring_z *)work);
}

static void y_gradient(kl_real *dturn, const struct ring_z *s, const struct ring_z *b, kl_lane *v, int n,
                       int l)
{
    kl_lane one[RING_QUBITS], pair[RING_QUBITS], close;
    kl_real *single = dturn + (size_t)(n * (3 * l + 2)) * STEPS, *ring = single + (size_t)n * STEPS;
    ring_sums(one, pair, &close, v, n, b, s, 0);
    for (int w = 0; w < n; w++) {
        *(kl_lane *)(single + w * STEPS) = one[n - 1 - w] * (kl_real)0.5;
        *(kl_lane *)(ring + w * STEPS) = (w < n - 1 ? pair[n - 1 - w] : close) * (kl_real)0.5;
    }
}

static void x_gradient(kl_real *dturn, const struct ring_z *s, const struct ring_z *b, kl_lane *v, int n,
                       int l)
{
    kl_lane one[RING_QUBITS], pair[RING_QUBITS], close;
    kl_real *ring = dturn + (size_t)(n * (3 * l + 1)) * STEPS;
    ring_sums(one, pair, &close, v, n, b, s, 1);
    for (int w = 0; w < n; w++)
        *(kl_lane *)(ring + w * STEPS) = (w == 0       ? one[n - 2]
                                          : w == n - 1 ? one[0]
                                                       : pair[n - 1 - w]) *
                                         (kl_real)0.5;
}

static void adjoint_slice(kl_real *dturn, struct ring_z *s, struct ring_z *b, const kl_real *turn,
                          const struct kl_ring *ring, struct ring_z *t)
{
    const int n = ring->n_qubits, size = 1 << n;
    const kl_real scale = ring_scale(n);
    kl_lane *v = (kl_lane *)(t + size);
    for (int l = ring->layers - 1; l >= 0; l--) {
        const struct ring_angles x = x_ring(turn, ring, l), y = y_ring(turn, ring, l);
        y_gradient(dturn, s, b, v, n, l);
        ring_full(t, n, &y, scale);
        ring_basis(s, n, 1, t, NULL, RING_FULL_CONJ);
        ring_basis(b, n, 1, t, NULL, RING_FULL_CONJ);
        x_gradient(dturn, s, b, v, n, l);
        ring_even(t, n, &x, l ? scale : 1);
        if (!l) break;
        ring_basis(s, n, 0, t, NULL, RING_EVEN_CONJ);
        ring_basis(b, n, 0, t, NULL, RING_EVEN_CONJ);
    }
    for (int k = 0; k < size; k++) { /* the state at the start is real, and known */
        const struct ring_z *e = &t[k < size / 2 ? k : size - 1 - k];
        v[k] = kl_fma(b[k].r, e->r, b[k].i * e->i);
    }
    ring_product_back(dturn, v, (kl_lane *)s, n, turn, turn + kl_ring_rows(ring) * STEPS, STEPS);
}

static void adjoint(kl_real *dturn, kl_real *state, kl_real *bra, const kl_real *turn,
                    const struct kl_ring *ring, kl_real *work)
{
    SLICE(l)
    {
        const size_t at = (size_t)l << (ring->n_qubits + 1);
        adjoint_slice(dturn + l, (struct ring_z *)(state + at), (struct ring_z *)(bra + at), turn + l,
                      ring, (struct ring_z *)work);
    }
}

/* ---- the read-out ---- */

struct factor {
    kl_lane r, i;
};
static inline struct ring_z times(struct factor f, struct ring_z a)
{
    return (struct ring_z){ kl_fma(f.r, a.r, -(f.i * a.i)), kl_fma(f.r, a.i, f.i * a.r) };
}
static inline struct ring_z conj_times(struct factor f, struct ring_z a)
{
    return (struct ring_z){ kl_fma(f.r, a.r, f.i * a.i), kl_fma(f.r, a.i, -(f.i * a.r)) };
}
static inline struct ring_z sum_of(struct ring_z a, struct ring_z b)
{
    return (struct ring_z){ a.r + b.r, a.i + b.i };
}
static inline struct ring_z difference_of(struct ring_z a, struct ring_z b)
{
    return (struct ring_z){ a.r - b.r, a.i - b.i };
}
/* (alpha + beta) / 2 and (alpha - beta) / 2: what sums and differences of amplitudes and their images
 * take. */
static inline void halves_of(struct factor f[2], const struct kl_ring_mix *mix)
{
    const kl_real half = (kl_real)0.5;
    f[0] = (struct factor){ kl_all(half * (mix->alpha[0] + mix->beta[0])),
                            kl_all(half * (mix->alpha[1] + mix->beta[1])) };
    f[1] = (struct factor){ kl_all(half * (mix->alpha[0] - mix->beta[0])),
                            kl_all(half * (mix->alpha[1] - mix->beta[1])) };
}
static inline struct ring_z third_of(const struct kl_ring_mix *mix, uint32_t k)
{
    return (struct ring_z){ kl_all(mix->third[2 * k]), kl_all(mix->third[2 * k + 1]) };
}

static void superpose(struct ring_z *phi, const struct ring_z *s, const struct kl_ring_mix *mix, int n)
{
    struct factor f[2];
    halves_of(f, mix);
    const uint32_t *pair = mix->pairs, *const end = pair + 2 * mix->n_pairs;
    for (; pair < end; pair += 2) {
        const uint32_t k = pair[0], r = pair[1];
        const struct ring_z u = times(f[0], sum_of(s[k], s[r])),
                            w = times(f[1], difference_of(s[k], s[r]));
        phi[k] = sum_of(sum_of(u, w), third_of(mix, k));
        phi[r] = sum_of(difference_of(u, w), third_of(mix, r));
    }
    for (; pair < mix->pairs + (1u << n); pair++)
        phi[*pair] = sum_of(times(f[0], sum_of(s[*pair], s[*pair])), third_of(mix, *pair));
}

static void read_slice(kl_real *m, size_t stride, kl_real *norm, const struct ring_z *s,
                       const struct kl_ring_mix *mix, int n, struct ring_z *work)
{
    struct ring_z cross[RING_QUBITS];
    kl_lane z[RING_QUBITS], *v = (kl_lane *)(work + (1 << n)), by = kl_all(1);
    if (mix) superpose(work, s, mix, n), s = work;
    for (int k = 0; k < 1 << n; k++) v[k] = kl_fma(s[k].r, s[k].r, s[k].i * s[k].i);
    ring_signed(z, v, n);
    ring_cross(cross, s, n);
    if (mix) {
        const kl_lane size = kl_root(v[0]), over = 1 / (size + (kl_real)1e-9);
        *(kl_lane *)norm = over;
        *(kl_lane *)(norm + STEPS) = kl_choose(size > 0, 1 / size, kl_all(0));
        by = over * over;
    }
    for (int w = 0; w < n; w++) {
        const int b = n - 1 - w;
        *(kl_lane *)(m + (size_t)w * stride) = cross[b].i * (by * (kl_real)-2);
        *(kl_lane *)(m + (size_t)(n + w) * stride) = z[b] * by;
        *(kl_lane *)(m + (size_t)(2 * n + w) * stride) = cross[b].r * (by * (kl_real)-2);
    }
}

static void read_out(kl_real *m, size_t stride, kl_real *norm, const kl_real *state,
                     const struct kl_ring_mix *mix, const struct kl_ring *ring, kl_real *work)
{
    SLICE(l)
    read_slice(m + l, stride, norm + l,
               (const struct ring_z *)(state + ((size_t)l << (ring->n_qubits + 1))), mix, ring->n_qubits,
               (struct ring_z *)work);
}

/* By observables m with derivatives dm; one: of the norm. */
static inline void weights_of(struct ring_weights *w, const kl_real *dm, size_t stride, int n,
                              kl_lane by)
{
    for (int b = 0; b < n; b++) {
        const kl_real *at = dm + (size_t)(n - 1 - b) * stride;
        w->y[b] = -by * load(at);
        w->z[b] = by * load(at + (size_t)n * stride);
        w->x[b] = -by * load(at + 2 * (size_t)n * stride);
    }
}

static inline void add_cross(struct ring_z *sum, struct ring_z a, struct ring_z l)
{
    sum->r = kl_fma(a.r, l.r, sum->r), sum->r = kl_fma(a.i, l.i, sum->r);
    sum->i = kl_fma(a.r, l.i, sum->i), sum->i = kl_fma(-a.i, l.r, sum->i);
}
/* bra, the derivative by phi, becomes that by psi. */
static void distribute(struct ring_z *bra, kl_real *sums, struct ring_z *field, const struct ring_z *s,
                       const struct kl_ring_mix *mix, int n)
{
    struct factor f[2];
    struct ring_z by[2] = { { { 0 }, { 0 } }, { { 0 }, { 0 } } };
    halves_of(f, mix);
    const uint32_t *pair = mix->pairs, *const end = pair + 2 * mix->n_pairs;
    for (; pair < end; pair += 2) {
        const uint32_t k = pair[0], r = pair[1];
        const struct ring_z x = bra[k], y = bra[r], both = sum_of(x, y), less = difference_of(x, y);
        field[k] = sum_of(field[k], x), field[r] = sum_of(field[r], y);
        add_cross(&by[0], sum_of(s[k], s[r]), both);
        add_cross(&by[1], difference_of(s[k], s[r]), less);
        const struct ring_z u = conj_times(f[0], both), w = conj_times(f[1], less);
        bra[k] = sum_of(u, w), bra[r] = difference_of(u, w);
    }
    for (; pair < mix->pairs + (1u << n); pair++) {
        const struct ring_z x = bra[*pair];
        field[*pair] = sum_of(field[*pair], x);
        add_cross(&by[0], sum_of(s[*pair], s[*pair]), x);
        bra[*pair] = conj_times(f[0], sum_of(x, x));
    }
    for (int j = 0; j < 2; j++) { /* alpha's, beta's */
        kl_lane *re = (kl_lane *)(sums + 2 * j * STEPS), *im = (kl_lane *)(sums + (2 * j + 1) * STEPS);
        const struct ring_z twice = j ? difference_of(by[0], by[1]) : sum_of(by[0], by[1]);
        *re = kl_fma(twice.r, kl_all((kl_real)0.5), *re),
        *im = kl_fma(twice.i, kl_all((kl_real)0.5), *im);
    }
}

static void back(kl_real *bra, kl_real *sums, kl_real *field, const kl_real *state, const kl_real *m,
                 const kl_real *dm, size_t stride, const kl_real *norm, const struct kl_ring_mix *mix,
                 const struct kl_ring *ring, kl_real *work)
{
    const int n = ring->n_qubits;
    SLICE(l)
    {
        const size_t at = (size_t)l << (n + 1);
        const struct ring_z *s = (const struct ring_z *)(state + at), *phi = s;
        struct ring_z *to = (struct ring_z *)(bra + at), *scratch = (struct ring_z *)work;
        struct ring_weights w;
        kl_lane by = kl_all(2), one = { 0 };
        if (mix) {
            kl_lane dot = { 0 };
            for (size_t f = 0; f < 3 * (size_t)n; f++)
                dot = kl_fma(load(m + f * stride + l), load(dm + f * stride + l), dot);
            by = load(norm + l) * load(norm + l) * 2;
            one = dot * load(norm + l) * load(norm + STEPS + l) * (kl_real)-2;
            superpose(scratch, s, mix, n), phi = scratch;
        }
        weights_of(&w, dm + l, stride, n, by);
        ring_observe(to, phi, (kl_lane *)(scratch + (1 << n)), n, one, &w);
        if (mix) distribute(to, sums + l, (struct ring_z *)(field + at), s, mix, n);
    }
}

static void collect(kl_real *third, const kl_real *field, const struct kl_ring *ring)
{
    const int n = ring->n_qubits;
    for (size_t k = 0; k < (size_t)2 << n; k++) {
        kl_real lanes[STEPS];
        for (size_t l = 0; l < STEPS; l++) {
            const size_t slice = l / KL_LANES;
            lanes[l] = field[slice * KL_LANES * ((size_t)2 << n) + k * KL_LANES + l % KL_LANES];
        }
        third[k] = kl_ring_sum(lanes);
    }
}

static void weigh(kl_real *sum, const kl_real *m, size_t stride, size_t rows, const kl_real *weight,
                  size_t weight_stride, size_t n_weights)
{
    for (size_t i = 0; i < n_weights; i++) SLICE(l)
        {
            const kl_lane w = load(weight + i * weight_stride + l);
            for (size_t f = 0; f < rows; f++) {
                kl_lane *to = (kl_lane *)(sum + (i * rows + f) * STEPS + l);
                *to = kl_fma(w, load(m + f * stride + l), *to);
            }
        }
}

const struct kl_ring_table KL_ISA_NAME(kl_ring) = {
    angles, halves, forward, read_out, weigh, back, collect, adjoint, slopes,
};
