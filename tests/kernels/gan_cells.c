/* SPDX-License-Identifier: MIT
   checkkernels, family gan, its cells: every instruction set and precision against the formulas of
   kernels/gan.h in long double. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "kernels/gan.h"
#include "kernels/inline/philox.h"
#include "isas.h"
#include "numbers.h"

enum { VALUES = 1024 };
enum {
    WEIGHED = 128,
    CELLS = 48,
    STRIDE = 64,
    INPUTS = 5,
    HIDDEN = 6,
    PARAMS = HIDDEN * (INPUTS + 2) + 1
};

/* logits: of params w and inputs x of cell k, in long double; gradient by central differences, which are
   exact for a network that is linear in each parameter as long as no neuron crosses 0. */
static long double logit_of(const long double *w, const long double *x, int inputs, int hidden)
{
    long double sum = w[hidden * (inputs + 2)];
    for (int h = 0; h < hidden; h++) {
        long double a = w[hidden * inputs + h];
        for (int i = 0; i < inputs; i++) a += w[h * inputs + i] * x[i];
        sum += w[hidden * (inputs + 1) + h] * (a > 0 ? a : 0.25L * a);
    }
    return sum;
}

#define CHECK_CELLS(real, p, eps)                                                                     \
    static int check_cells_##p(enum kl_isa k, int inputs, int hidden)                                 \
    {                                                                                                 \
        static real x[INPUTS * STRIDE], w[PARAMS], d[CELLS], out[CELLS], grad[PARAMS];                \
        const int n = hidden * (inputs + 2) + 1;                                                      \
        long double wide[PARAMS], cell[INPUTS], want[PARAMS] = { 0 };                                 \
        int bad = 0;                                                                                  \
        for (int i = 0; i < inputs * STRIDE; i++) x[i] = (real)uniform();                             \
        for (int i = 0; i < n; i++) wide[i] = w[i] = (real)uniform();                                 \
        for (int i = 0; i < CELLS; i++) d[i] = (real)uniform();                                       \
        const struct kl_gan_cells_##p cells = {                                                       \
            x, w, (real)0.25, CELLS, STRIDE, (size_t)inputs, (size_t)hidden                           \
        };                                                                                            \
        kl_isa_gan_logits_##p(k)(out, &cells);                                                        \
        kl_isa_gan_logits_back_##p(k)(grad, d, &cells);                                               \
        for (size_t c = 0; c < CELLS; c++) {                                                          \
            for (int i = 0; i < inputs; i++) cell[i] = x[(size_t)i * STRIDE + c];                     \
            const long double logit = logit_of(wide, cell, inputs, hidden);                           \
            bad += far(kl_isa_name(k), "logits " #p, c, out[c], logit, n, 16, eps);                   \
            for (int i = 0; i < n; i++) {                                                             \
                const long double kept = wide[i], h = 1e-7L;                                          \
                wide[i] = kept + h;                                                                   \
                const long double up = logit_of(wide, cell, inputs, hidden);                          \
                wide[i] = kept - h;                                                                   \
                want[i] += (long double)d[c] * (up - logit_of(wide, cell, inputs, hidden)) / (2 * h); \
                wide[i] = kept;                                                                       \
            }                                                                                         \
        }                                                                                             \
        for (int i = 0; i < n; i++)                                                                   \
            bad += far(kl_isa_name(k), "gradient " #p, (size_t)i, grad[i], want[i], CELLS, 16,        \
                       eps + 1e-13);                                                                  \
        return bad;                                                                                   \
    }
CHECK_CELLS(float, f32, FLT_EPSILON)
CHECK_CELLS(double, f64, DBL_EPSILON)

/* Logits from hardly any to the largest, where one of D and 1 - D is 0 beside epsilon. */
static long double logit_at(size_t k)
{
    static const long double extreme[] = { 0, 80, -80, 1e-6L, -1e-6L, 300, -300, 17 };
    return k % 5 == 2 ? extreme[k / 5 % 8] : 12 * (long double)uniform();
}

#define CHECK_JUDGE(real, p, eps)                                                                       \
    static int check_judge_##p(enum kl_isa k)                                                           \
    {                                                                                                   \
        static real d[CELLS], other[CELLS], dp[CELLS], unseen[CELLS], slope[CELLS], law[CELLS],         \
            target[CELLS], x[CELLS];                                                                    \
        const real e = (real)1e-8;                                                                      \
        long double want[3] = { 0 };                                                                    \
        double sums[3];                                                                                 \
        int bad = 0;                                                                                    \
        for (size_t i = 0; i < CELLS; i++) {                                                            \
            d[i] = x[i] = (real)logit_at(i);                                                            \
            law[i] = (real)(uniform() + 0.5), target[i] = (real)(uniform() + 0.5);                      \
        }                                                                                               \
        const struct kl_gan_seen_##p cells = { d, other, dp, unseen, e, CELLS };                        \
        kl_isa_gan_look_##p(k)(&cells);                                                                 \
        kl_isa_gan_judge_##p(k)(sums, slope, law, target, &cells);                                      \
        for (size_t i = 0; i < CELLS; i++) {                                                            \
            const long double yes = 1 / (1 + expl(-(long double)x[i])),                                 \
                              no = 1 / (1 + expl((long double)x[i])), seen = logl(yes + e),             \
                              hidden = logl(no + e),                                                    \
                              s = (law[i] / (no + e) - target[i] / (yes + e)) * yes * no / 2;           \
            bad += far(kl_isa_name(k), "D " #p, i, d[i], yes, yes + eps, 16, eps);                      \
            bad += far(kl_isa_name(k), "1 - D " #p, i, other[i], no, no + eps, 16, eps);                \
            bad += far(kl_isa_name(k), "- ln D " #p, i, dp[i], -seen, fabsl(seen) + 1, 16, eps);        \
            bad += far(kl_isa_name(k), "- ln(1 - D) " #p, i, unseen[i], -hidden, fabsl(hidden) + 1, 16, \
                       eps);                                                                            \
            bad += far(kl_isa_name(k), "slope " #p, i, slope[i], s, 1, 16, eps);                        \
            want[0] -= law[i] * seen, want[1] -= target[i] * seen, want[2] -= law[i] * hidden;          \
        }                                                                                               \
        for (size_t i = 0; i < 3; i++)                                                                  \
            bad += far(kl_isa_name(k), "sums " #p, i, sums[i], want[i], want[i], 16, eps);              \
        return bad;                                                                                     \
    }
CHECK_JUDGE(float, f32, FLT_EPSILON)
CHECK_JUDGE(double, f64, DBL_EPSILON)

/* Logits whose largest is at `top`; the same weights twice and once more. */
#define CHECK_LAW(real, p, eps)                                                                       \
    static int check_law_##p(enum kl_isa k, size_t top)                                               \
    {                                                                                                 \
        static real x[WEIGHED], dp[WEIGHED], e[WEIGHED], u[WEIGHED], w[WEIGHED], d[WEIGHED];          \
        const real level = (real)0.25, scale = (real)0.125, mean = (real)-0.375;                      \
        long double want[4] = { 0 }, sizes[4] = { 0 };                                                \
        double sums[2];                                                                               \
        real found[2];                                                                                \
        int bad = 0;                                                                                  \
        for (size_t i = 0; i < WEIGHED; i++)                                                          \
            x[i] = (real)(20 * uniform()), dp[i] = (real)uniform(), w[i] = (real)uniform();           \
        x[top] = 21;                                                                                  \
        const struct kl_gan_weighed_##p cells = { x, dp, e, u, level, WEIGHED };                      \
        const real most = kl_isa_gan_weigh_##p(k)(sums, &cells);                                      \
        kl_isa_gan_products_##p(k)(found, w, e, u, WEIGHED);                                          \
        bad += far(kl_isa_name(k), "the largest logit " #p, top, most, 21, 21, 0, eps);               \
        for (size_t i = 0; i < WEIGHED; i++) {                                                        \
            const long double y = expl((long double)x[i] - 21), z = y * ((long double)dp[i] - 0.25L); \
            const long double terms[4] = { y, z, w[i] * y, w[i] * z };                                \
            bad += far(kl_isa_name(k), "e^x " #p, i, e[i], y, y, 16, eps);                            \
            bad += far(kl_isa_name(k), "e^x dp " #p, i, u[i], z, y, 16, eps);                         \
            for (int t = 0; t < 4; t++) want[t] += terms[t], sizes[t] += fabsl(terms[t]);             \
        }                                                                                             \
        for (size_t t = 0; t < 2; t++) {                                                              \
            bad += far(kl_isa_name(k), "sums of e^x " #p, t, sums[t], want[t], sizes[t], 32, eps);    \
            bad +=                                                                                    \
                far(kl_isa_name(k), "products " #p, t, found[t], want[t + 2], sizes[t + 2], 32, eps); \
        }                                                                                             \
        kl_isa_gan_law_##p(k)(e, d, dp, scale, level, mean, WEIGHED);                                 \
        for (size_t i = 0; i < WEIGHED; i++) {                                                        \
            const long double y = expl((long double)x[i] - 21) / 8;                                   \
            bad += far(kl_isa_name(k), "law " #p, i, e[i], y, y, 16, eps);                            \
            bad +=                                                                                    \
                far(kl_isa_name(k), "d " #p, i, d[i], y * ((long double)dp[i] + 0.125L), y, 16, eps); \
        }                                                                                             \
        return bad;                                                                                   \
    }
CHECK_LAW(float, f32, FLT_EPSILON)
CHECK_LAW(double, f64, DBL_EPSILON)

/* Values on both sides of what they are clipped to. */
static int check_divergence(enum kl_isa k)
{
    double r[CELLS], p[CELLS], sums[3];
    long double want[3] = { 0 };
    int bad = 0;
    for (size_t i = 0; i < CELLS; i++) {
        r[i] = pow(10, 14 * uniform() - 6), p[i] = i % 7 ? pow(10, 14 * uniform() - 6) : 0;
        const long double a = fminl(fmaxl(r[i], 1e-10), 1), b = fminl(fmaxl(p[i], 1e-10), 1);
        want[0] += a, want[1] += b, want[2] += a * logl(a / b);
    }
    kl_isa_gan_divergence_f64(k)(sums, r, p, CELLS);
    for (size_t i = 0; i < 3; i++)
        bad += far(kl_isa_name(k), "divergence", i, sums[i], want[i], fabsl(want[i]), 16, DBL_EPSILON);
    return bad;
}

/* Every value from its own word, by the scalar generator; counts that end within a block. */
static int check_random(enum kl_isa k, size_t n)
{
    const struct kl_gan_stream s = { 0x123456789abcdef, KL_RANDOM_LATENT, 7, 3 };
    float uniforms[VALUES], normals[VALUES];
    int bad = 0;
    uniforms[n] = normals[n] = 77;
    kl_isa_gan_uniforms_f32(k)(uniforms, n, 0.25, &s);
    kl_isa_gan_normals_f32(k)(normals, n, &s);
    for (size_t i = 0; i < n; i++) {
        uint32_t words[4];
        kl_philox(words, s.seed, (uint32_t)(i / 4), s.purpose, s.step, s.replica);
        const double u = kl_philox_unit(words[i % 4]);
        const long double radius = sqrtl(-2 * logl((long double)kl_philox_unit(words[i % 4 & 2]))),
                          angle = 2 * acosl(-1) * (long double)kl_philox_unit(words[i % 4 | 1]),
                          want = radius * (i % 2 ? sinl(angle) : cosl(angle));
        bad += far(kl_isa_name(k), "uniform", i, uniforms[i], 0.25L * (2 * u - 1), 0.25, 16,
                   FLT_EPSILON / 16);
        bad += far(kl_isa_name(k), "normal", i, normals[i], want, 1, 16, FLT_EPSILON);
    }
    return bad + far(kl_isa_name(k), "behind the last", n, uniforms[n] + normals[n], 154, 0, 16, 1);
}

static int check(enum kl_isa k)
{
    int bad = 0;
    for (size_t n = 1; n < VALUES; n += 37) bad += check_random(k, n);
    bad += check_judge_f32(k) + check_judge_f64(k) + check_divergence(k);
    for (size_t top = 0; top < WEIGHED; top += 127) bad += check_law_f32(k, top) + check_law_f64(k, top);
    for (int inputs = 1; inputs <= INPUTS; inputs++)
        for (int hidden = 1; hidden <= HIDDEN; hidden++)
            bad += check_cells_f32(k, inputs, hidden) + check_cells_f64(k, inputs, hidden);
    return bad;
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, NULL);
}
