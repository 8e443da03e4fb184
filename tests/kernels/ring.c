/* SPDX-License-Identifier: MIT
   kernels/ring.h against the circuits gate by gate in double: expectation values, superpositions, all
   derivatives; angles; the same bits with AVX2 and AVX-512. --bench: a step's circuits. */
#include "kernels/ring.h"

#include <complex.h>
#include <float.h>
#include <stdlib.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

typedef double complex number;
enum { MOST = 12, SIZE = 1 << MOST, ROWS = MOST * (3 * 3 + 1), ANGLES = 4 * MOST * 3, STRIDE = 32 };

/* ---- the plain definition ---- */
enum kind { RY, XX, YY };
struct gate {
    enum kind kind;
    int a, b; /* bits */
};
static struct gate gate_of(const struct kl_ring *ring, int i)
{
    const int n = ring->n_qubits, block = i / n % 4, w = i % n;
    return (struct gate){ block % 2 == 0 ? RY : block == 1 ? XX : YY, n - 1 - w, n - 1 - (w + 1) % n };
}
/* out = G in */
static void generator(number *out, const number *in, struct gate g, int n)
{
    for (int k = 0; k < 1 << n; k++) {
        const int x = k >> g.a & 1, y = k >> g.b & 1;
        if (g.kind == RY) out[k ^ 1 << g.a] = (x ? -I : I) * in[k];
        else out[k ^ 1 << g.a ^ 1 << g.b] = g.kind == XX ? in[k] : (x == y ? -in[k] : in[k]);
    }
}
static void turn(number *s, struct gate g, double angle, int n)
{
    static number t[SIZE];
    generator(t, s, g, n);
    for (int k = 0; k < 1 << n; k++) s[k] = cos(angle / 2) * s[k] - I * sin(angle / 2) * t[k];
}
/* P |in>, P = X, Y, Z (0, 1, 2) on a wire. */
static void pauli(number *out, const number *in, int p, int wire, int n)
{
    const int bit = n - 1 - wire;
    for (int k = 0; k < 1 << n; k++) {
        const int one = k >> bit & 1;
        if (p == 2) out[k] = one ? -in[k] : in[k];
        else out[k ^ 1 << bit] = p == 0 ? in[k] : (one ? -I : I) * in[k];
    }
}
/* RX(pi/2) RY(-pi/2) on every wire, or its inverse. */
static void to_basis(number *s, int n, int inverse)
{
    for (int bit = 0; bit < n; bit++)
        for (int k = 0; k < 1 << n; k++)
            if (!(k >> bit & 1)) {
                number *x = &s[k], *y = &s[k | 1 << bit], a = *x, b = *y;
                const double r = sqrt(0.5);
                if (inverse) {
                    const number c = r * (a + I * b), d = r * (b + I * a);
                    *x = r * (c - d), *y = r * (c + d);
                } else {
                    const number c = r * (a + b), d = r * (b - a);
                    *x = r * (c - I * d), *y = r * (d - I * c);
                }
            }
}
static number overlap(const number *a, const number *b, int n)
{
    number sum = 0;
    for (int k = 0; k < 1 << n; k++) sum += conj(a[k]) * b[k];
    return sum;
}

struct plain {
    double m[3 * MOST], dangle[ANGLES];
    number alpha, beta, third[SIZE];
};
/* Everything of one step; third: in basis Y. mixed: the superposition. */
static void plain_step(struct plain *p, const struct kl_ring *ring, const double *theta,
                       const double *dm, int mixed, number alpha, number beta, const number *third,
                       const uint32_t *mirror)
{
    static number psi[SIZE], phi[SIZE], t[SIZE], bra[SIZE], third0[SIZE];
    const int n = ring->n_qubits, size = 1 << n, angles = (int)kl_ring_angles(ring);
    memset(psi, 0, sizeof psi), psi[0] = 1;
    for (int i = 0; i < angles; i++) turn(psi, gate_of(ring, i), theta[i], n);
    memcpy(third0, third, sizeof third0), to_basis(third0, n, 1);
    for (int k = 0; k < size; k++)
        phi[k] = mixed ? alpha * psi[k] + beta * psi[mirror[k]] + third0[k] : psi[k];
    const double norm = sqrt(creal(overlap(phi, phi, n))), d = mixed ? norm + 1e-9 : 1;
    memset(bra, 0, sizeof bra);
    double dot = 0;
    for (int f = 0; f < 3 * n; f++) {
        pauli(t, phi, f / n, f % n, n);
        p->m[f] = creal(overlap(phi, t, n)) / (d * d);
        dot += p->m[f] * dm[f];
        for (int k = 0; k < size; k++) bra[k] += 2 / (d * d) * dm[f] * t[k];
    }
    for (int k = 0; mixed && k < size; k++) bra[k] -= phi[k] * 2 * dot / (norm * d);
    memcpy(p->third, bra, sizeof bra), to_basis(p->third, n, 0);
    if (mixed) {
        memcpy(t, bra, sizeof t);
        p->alpha = p->beta = 0;
        for (int k = 0; k < size; k++) {
            p->alpha += conj(psi[k]) * t[k], p->beta += conj(psi[mirror[k]]) * t[k];
            bra[k] = conj(alpha) * t[k];
        }
        for (int k = 0; k < size; k++) bra[mirror[k]] += conj(beta) * t[k];
    }
    for (int i = angles - 1; i >= 0; i--) {
        generator(t, psi, gate_of(ring, i), n);
        p->dangle[i] = 0.5 * cimag(overlap(bra, t, n));
        turn(psi, gate_of(ring, i), -theta[i], n), turn(bra, gate_of(ring, i), -theta[i], n);
    }
}

static void fill_mirror(uint32_t *mirror, int n)
{
    for (uint32_t k = 0; k < 1u << n; k++) {
        mirror[k] = 0;
        for (int w = 0; w < n; w++) mirror[k] |= (k >> (n - 1 - w) & 1) << (n - 1 - (n + 1 - w) % n);
    }
}

/* ---- both precisions ---- */
static uint32_t mirror[SIZE], pairs[SIZE];
static size_t n_pairs;
static struct kl_ring_row rows[ROWS];
static double theta[ANGLES][16], dm[3 * MOST][16];
static number third[SIZE];
static struct plain want;

/* The results of every set of instructions, to compare. */
struct kept {
    unsigned char bytes[1 << 22];
    size_t n;
};
static struct kept kept[3];
static void keep(struct kept *k, const void *from, size_t n)
{
    if (k->n + n > sizeof k->bytes) abort();
    memcpy(k->bytes + k->n, from, n), k->n += n;
}

#define CHECK(real, p, EPS)                                                                             \
    static int step_##p(enum kl_isa k, const struct kl_ring *ring, int mixed, struct kept *bits)        \
    {                                                                                                   \
        enum { S = 64 / sizeof(real) };                                                                 \
        const struct kl_ring_table_##p *f = kl_isa_ring_##p(k);                                         \
        const int n = ring->n_qubits, size = 1 << n;                                                    \
        const size_t angles = kl_ring_angles(ring), n_rows = kl_ring_rows(ring),                        \
                     state_size = kl_ring_state(ring, S);                                               \
        real *turn_ = aligned_alloc(64, 2 * ROWS * S * sizeof(real)),                                   \
             *dturn = aligned_alloc(64, ROWS * S * sizeof(real)),                                       \
             *angle = aligned_alloc(64, ANGLES * STRIDE * sizeof(real)),                                \
             *m = aligned_alloc(64, 3 * MOST * STRIDE * sizeof(real)),                                  \
             *d = aligned_alloc(64, 3 * MOST * STRIDE * sizeof(real)),                                  \
             *state = aligned_alloc(64, state_size * sizeof(real)),                                     \
             *bra = aligned_alloc(64, state_size * sizeof(real)),                                       \
             *field = aligned_alloc(64, state_size * sizeof(real)),                                     \
             *work = aligned_alloc(64, kl_ring_work(ring, S) * sizeof(real)),                           \
             *other = aligned_alloc(64, 2 * SIZE * sizeof(real)),                                       \
             *collected = aligned_alloc(64, 2 * SIZE * sizeof(real));                                   \
        real norm[2 * S] __attribute__((aligned(64))), sums[4 * S] __attribute__((aligned(64)));        \
        int bad = 0;                                                                                    \
        for (int i = 0; i < 2 * size; i++)                                                              \
            other[i] = (real)(i % 2 ? cimag(third[i / 2]) : creal(third[i / 2]));                       \
        for (size_t i = 0; i < angles; i++)                                                             \
            for (int l = 0; l < S; l++) angle[i * STRIDE + (size_t)l] = (real)theta[i][l];              \
        for (size_t i = 0; i < 3 * (size_t)n; i++)                                                      \
            for (int l = 0; l < S; l++) d[i * STRIDE + (size_t)l] = (real)dm[i][l];                     \
        memset(sums, 0, sizeof sums), memset(field, 0, state_size * sizeof(real));                      \
        const struct kl_ring_mix_##p mix = {                                                            \
            { (real)0.7, (real)-0.3 }, { (real)0.2, (real)0.9 }, other, pairs, n_pairs                  \
        };                                                                                              \
        f->halves(turn_, angle, STRIDE, rows, n_rows);                                                  \
        f->forward(state, turn_, ring, work);                                                           \
        f->read(m, STRIDE, norm, state, mixed ? &mix : NULL, ring, work);                               \
        f->back(bra, sums, field, state, m, d, STRIDE, norm, mixed ? &mix : NULL, ring, work);          \
        f->adjoint(dturn, state, bra, turn_, ring, work);                                               \
        f->collect(collected, field, ring);                                                             \
        for (size_t i = 0; i < 3 * (size_t)n; i++) keep(bits, m + i * STRIDE, S * sizeof(real));        \
        keep(bits, dturn, n_rows *S * sizeof(real)), keep(bits, sums, sizeof sums);                     \
        if (mixed) keep(bits, collected, 2 * (size_t)size * sizeof(real));                              \
        number by[2] = { 0 };                                                                           \
        static number by_third[SIZE];                                                                   \
        memset(by_third, 0, sizeof by_third);                                                           \
        for (int l = 0; l < S; l++) {                                                                   \
            double t[ANGLES], g[3 * MOST];                                                              \
            for (size_t i = 0; i < angles; i++) t[i] = (double)angle[i * STRIDE + (size_t)l];           \
            for (int i = 0; i < 3 * n; i++) g[i] = (double)d[i * STRIDE + l];                           \
            plain_step(&want, ring, t, g, mixed, (double)mix.alpha[0] + I * (double)mix.alpha[1],       \
                       (double)mix.beta[0] + I * (double)mix.beta[1], third, mirror);                   \
            for (int i = 0; i < 3 * n; i++)                                                             \
                bad += far(kl_isa_name(k), #p " m", (size_t)i, (long double)m[i * STRIDE + l],          \
                           want.m[i], 1, 64, EPS);                                                      \
            for (size_t i = 0; i < angles; i++)                                                         \
                bad += far(kl_isa_name(k), #p " dangle", i,                                             \
                           (long double)dturn[kl_ring_row_of(ring, i) * S + (size_t)l], want.dangle[i], \
                           n, 64, EPS);                                                                 \
            by[0] += want.alpha, by[1] += want.beta;                                                    \
            for (int i = 0; i < size; i++) by_third[i] += want.third[i];                                \
        }                                                                                               \
        for (int j = 0; mixed && j < 4; j++)                                                            \
            bad += far(kl_isa_name(k), #p " alpha, beta", (size_t)j,                                    \
                       (long double)kl_ring_sum_##p(sums + j * S),                                      \
                       j % 2 ? cimag(by[j / 2]) : creal(by[j / 2]), n * S, 64, EPS);                    \
        for (int i = 0; mixed && i < 2 * size; i++)                                                     \
            bad += far(kl_isa_name(k), #p " third", (size_t)i, (long double)collected[i],               \
                       i % 2 ? cimag(by_third[i / 2]) : creal(by_third[i / 2]), n * S, 64, EPS);        \
        if (bad) printf("n %d, %d layers, mixed %d\n", n, ring->layers, mixed);                         \
        free(turn_), free(dturn), free(angle), free(m), free(d), free(state), free(bra), free(field),   \
            free(work), free(other), free(collected);                                                   \
        return bad;                                                                                     \
    }                                                                                                   \
    /* theta = factor sigma(z + bias) + base; slopes; weigh. */                                         \
    static int maps_##p(enum kl_isa k, struct kept *bits)                                               \
    {                                                                                                   \
        enum { S = 64 / sizeof(real), N = 7 };                                                          \
        const struct kl_ring_table_##p *f = kl_isa_ring_##p(k);                                         \
        static const struct kl_ring_row two[3] = { { 0, 3, 0.25 }, { 6, -1, -1 }, { 2, -1, 0 } };       \
        static const uint32_t row[N] = { 0, 1, 2, 2, 1, 0, 1 };                                         \
        real z[N * STRIDE] __attribute__((aligned(64))), turn_[6 * S] __attribute__((aligned(64))),     \
            dturn[3 * S] __attribute__((aligned(64))), base[N], bias[N];                                \
        real sum[2][N * S] __attribute__((aligned(64))) = { { 0 } };                                    \
        real start[N * STRIDE], slope[N * STRIDE] __attribute__((aligned(64))),                         \
            weighed[2 * N * S] __attribute__((aligned(64))) = { 0 };                                    \
        int bad = 0;                                                                                    \
        for (int i = 0; i < N * STRIDE; i++)                                                            \
            start[i] = z[i] = (real)(uniform() * (i % 5 == 0 ? 100 : i % 7 == 0 ? 0.01 : 8));           \
        for (int i = 0; i < N; i++) base[i] = (real)(uniform() * 9), bias[i] = (real)uniform();         \
        for (int i = 0; i < 3 * S; i++) dturn[i] = (real)uniform();                                     \
        f->angles(turn_, z, STRIDE, N, bias, base, 6.28, two, 3);                                       \
        memcpy(slope, z, sizeof z);                                                                     \
        f->slopes(z, STRIDE, N, sum[0], sum[1], dturn, row);                                            \
        f->slopes(slope, STRIDE, N, sum[0], sum[1], dturn, row);                                        \
        f->weigh(weighed, z, STRIDE, N, slope, STRIDE, 2);                                              \
        keep(bits, turn_, sizeof turn_), keep(bits, sum, sizeof sum),                                   \
            keep(bits, weighed, sizeof weighed);                                                        \
        for (int l = 0; l < S; l++) {                                                                   \
            double t[N];                                                                                \
            for (int i = 0; i < N; i++) {                                                               \
                const double x = (double)start[i * STRIDE + l] + (double)bias[i],                       \
                             s = 1 / (1 + exp(-x));                                                     \
                t[i] = 6.28 * s + (double)base[i];                                                      \
                const double e = 6.28 / (1 + exp(x)) * s, g = (double)dturn[row[i] * S + (unsigned)l];  \
                bad += far(kl_isa_name(k), #p " slope", (size_t)i, (long double)z[i * STRIDE + l],      \
                           e * g, e, 32 + (int)fabs(x), EPS);                                           \
                bad += far(kl_isa_name(k), #p " by base", (size_t)i, (long double)sum[0][i * S + l],    \
                           2 * g, 1, 4, EPS);                                                           \
                bad += far(kl_isa_name(k), #p " by bias", (size_t)i, (long double)sum[1][i * S + l],    \
                           2 * (double)z[i * STRIDE + l], 1, 16, EPS);                                  \
                for (int j = 0; j < 2; j++)                                                             \
                    bad += far(kl_isa_name(k), #p " weighed", (size_t)i,                                \
                               (long double)weighed[(j * N + i) * S + l],                               \
                               (double)slope[j * STRIDE + l] * (double)z[i * STRIDE + l], 4, 4, EPS);   \
            }                                                                                           \
            for (int r = 0; r < 3; r++) {                                                               \
                const double a = (t[two[r].first] + (r ? 0 : t[3]) + two[r].offset) / 2;                \
                bad += far(kl_isa_name(k), #p " cosine", (size_t)r, (long double)turn_[r * S + l],      \
                           cos(a), 1, 32, EPS);                                                         \
                bad += far(kl_isa_name(k), #p " sine", (size_t)r, (long double)turn_[(3 + r) * S + l],  \
                           sin(a), 1, 32, EPS);                                                         \
            }                                                                                           \
        }                                                                                               \
        return bad;                                                                                     \
    }
CHECK(float, f32, FLT_EPSILON)
CHECK(double, f64, DBL_EPSILON)

static void fill(const struct kl_ring *ring)
{
    const int n = ring->n_qubits;
    fill_mirror(mirror, n), n_pairs = kl_ring_fill_pairs(pairs, n), kl_ring_fill_rows(rows, ring);
    for (size_t i = 0; i < kl_ring_angles(ring); i++)
        for (int l = 0; l < 16; l++) theta[i][l] = 12 * uniform();
    for (int i = 0; i < 3 * n; i++)
        for (int l = 0; l < 16; l++) dm[i][l] = 2 * uniform();
    for (int k = 0; k < 1 << n; k++)
        third[k] = (float)(uniform() / sqrt(1 << n)) + I * (float)(uniform() / sqrt(1 << n));
}

static int check(enum kl_isa k)
{
    struct kept *bits = &kept[k];
    int bad = 0;
    random_state = 88172645463325252ull;
    for (int n = KL_RING_LEAST; n <= MOST; n++)
        for (int layers = 1; layers <= (n < 7 ? 3 : 2); layers++) {
            if (n > 10 && layers > 1) continue;
            const struct kl_ring ring = { n, layers };
            fill(&ring);
            for (int mixed = 0; mixed < 2; mixed++)
                bad += step_f32(k, &ring, mixed, bits) + step_f64(k, &ring, mixed, bits);
        }
    bad += maps_f32(k, bits) + maps_f64(k, bits);
    if (k == KL_ISA_AVX512 && (kept[1].n != bits->n || memcmp(kept[1].bytes, bits->bytes, bits->n))) {
        size_t at = 0;
        while (at < bits->n && kept[1].bytes[at] == bits->bytes[at]) at++;
        printf("avx2 and avx512 differ, from byte %zu of %zu\n", at, bits->n);
        bad++;
    }
    return bad;
}

/* ---- speed ---- */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void bench(enum kl_isa k)
{
    enum { S = 16 };
    const struct kl_ring_table_f32 *f = kl_isa_ring_f32(k);
    for (int n = 4; n <= MOST; n++) {
        const struct kl_ring ring = { n, 2 };
        const size_t size = kl_ring_state(&ring, S), n_rows = kl_ring_rows(&ring),
                     angles = kl_ring_angles(&ring);
        float *memory =
                  aligned_alloc(64, 64 * ((4 * size + kl_ring_work(&ring, S) + 8192 * S) / 16 + 64)),
              *at = memory;
        float *state = at, *kept_state = at + size, *bra = at + 2 * size, *field = at + 3 * size;
        at += 4 * size;
        float *turn_ = at, *dturn = (at += 2 * n_rows * S), *z = (at += n_rows * S),
              *m = (at += angles * S), *d = (at += 3 * MOST * S), *norm = (at += 3 * MOST * S),
              *sums = (at += 2 * S), *base = (at += 4 * S), *other = (at += 512),
              *work = (at += 2 << MOST);
        (void)kept_state;
        fill(&ring);
        for (size_t i = 0; i < angles * S; i++) z[i] = (float)uniform();
        for (size_t i = 0; i < 512; i++) base[i] = 0.3f;
        for (int i = 0; i < 2 << MOST; i++) other[i] = 0.01f;
        for (int i = 0; i < 3 * MOST * S; i++) d[i] = (float)uniform();
        memset(sums, 0, 4 * S * sizeof *sums), memset(field, 0, size * sizeof *field);
        const struct kl_ring_mix_f32 mix = { { 0.7f, -0.3f }, { 0.2f, 0.9f }, other, pairs, n_pairs };
        double best[5] = { 9, 9, 9, 9, 9 };
        for (int round = 0; round < 200 >> (n > 8 ? n - 8 : 0); round++) {
            double t[6];
            t[0] = now();
            f->angles(turn_, z, S, angles, base, base, 6.28, rows, n_rows), t[1] = now();
            f->forward(state, turn_, &ring, work), t[2] = now();
            f->read(m, S, norm, state, &mix, &ring, work), t[3] = now();
            f->back(bra, sums, field, state, m, d, S, norm, &mix, &ring, work), t[4] = now();
            f->adjoint(dturn, state, bra, turn_, &ring, work), t[5] = now();
            for (int i = 0; i < 5; i++) best[i] = fmin(best[i], t[i + 1] - t[i]);
        }
        printf("%s n %d, ns a step: angles %.0f, forward %.0f, read %.0f, back %.0f, adjoint %.0f\n",
               kl_isa_name(k), n, 1e9 * best[0] / S, 1e9 * best[1] / S, 1e9 * best[2] / S,
               1e9 * best[3] / S, 1e9 * best[4] / S);
        free(memory);
    }
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
