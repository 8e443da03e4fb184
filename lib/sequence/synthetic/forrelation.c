/* SPDX-License-Identifier: MIT
   Sequential forrelation: pairs of functions on bits of which one looks like the other's Walsh-Hadamard
   transform, or does not, seen point by point. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/synthetic/synthetic.h"

/* A purpose is KL_RANDOM_FORRELATION + 256 * one of these; step: pair, replica: attempt. */
enum { TABLES, POINT, DRAWS };
static const double LOW = 0.15;

static void draw(uint32_t words[4], const struct kl_sequence_forrelation *o, int what, size_t i,
                 uint32_t index, uint32_t attempt)
{
    kl_philox(words, o->seed, index, KL_RANDOM_FORRELATION + 256u * (uint32_t)what, (uint32_t)i,
              attempt);
}

void kl_sequence_walsh(double *f, int bits)
{
    const size_t n = (size_t)1 << bits;
    for (size_t half = 1; half < n; half *= 2)
        for (size_t i = 0; i < n; i += 2 * half)
            for (size_t k = i; k < i + half; k++) {
                const double a = f[k], b = f[k + half];
                f[k] = a + b, f[k + half] = a - b;
            }
}

double kl_sequence_forrelation_phi(const double *f, const double *g, int bits, double *work)
{
    const size_t n = (size_t)1 << bits;
    double sum = 0;
    memcpy(work, g, n * sizeof *work);
    kl_sequence_walsh(work, bits);
    for (size_t x = 0; x < n; x++) sum += f[x] * work[x];
    return sum * pow(2, -1.5 * bits);
}

/* Two tables of signs, one bit of a word each. */
static void draw_signs(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i,
                       uint32_t attempt)
{
    for (size_t x = 0; x < (size_t)1 << o->bits; x++) {
        uint32_t words[4];
        draw(words, o, TABLES, i, (uint32_t)x, attempt);
        f[x] = words[0] >> 31 ? 1 : -1, g[x] = words[1] >> 31 ? 1 : -1;
    }
}

static void draw_high(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t n = (size_t)1 << o->bits;
    for (size_t x = 0; x < n; x++) {
        uint32_t words[4];
        draw(words, o, TABLES, i, (uint32_t)x, 0);
        g[x] =
            sqrt(-2 * log(kl_philox_unit(words[0]))) * cos(6.283185307179586 * kl_philox_unit(words[1]));
        f[x] = g[x] < 0 ? -1 : 1;
    }
    kl_sequence_walsh(g, o->bits);
    for (size_t x = 0; x < n; x++) g[x] = g[x] < 0 ? -1 : 1;
}

static void draw_point(double *f, double *g, const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t n = (size_t)1 << o->bits;
    uint32_t words[4];
    draw(words, o, POINT, i, 0, 0);
    const size_t point = words[0] >> (32 - o->bits);
    for (size_t x = 0; x < n; x++) {
        f[x] = x == point ? 1 : -1;
        g[x] = __builtin_parityll(x & point) ? -1 : 1;
    }
}

double kl_sequence_forrelation_pair(double *f, double *g, const struct kl_sequence_forrelation *o,
                                    size_t i, double *work)
{
    double phi = 0;
    if (i % 2 && o->reference) draw_point(f, g, o, i);
    else if (i % 2) draw_high(f, g, o, i);
    for (uint32_t attempt = 0; i % 2 == 0; attempt++) {
        draw_signs(f, g, o, i, attempt);
        if (o->reference || fabs(kl_sequence_forrelation_phi(f, g, o->bits, work)) < LOW) break;
    }
    phi = kl_sequence_forrelation_phi(f, g, o->bits, work);
    if (o->reference) kl_sequence_walsh(g, o->bits);
    return phi;
}

void kl_sequence_forrelation_window(float *window, const double *f, const double *g,
                                    const struct kl_sequence_forrelation *o, size_t i)
{
    const size_t bits = (size_t)o->bits, half = (bits + 1) * o->steps;
    for (size_t t = 0; t < o->steps; t++) {
        uint32_t words[4];
        draw(words, o, DRAWS, i, (uint32_t)t, 0);
        const size_t x = words[0] >> (32 - bits), y = words[1] >> (32 - bits);
        float *at = window + t;
        for (size_t b = 0; b < bits; b++) {
            at[b * o->steps] = (float)(x >> b & 1);
            at[half + b * o->steps] = (float)(y >> b & 1);
        }
        at[bits * o->steps] = (float)f[x], at[half + bits * o->steps] = (float)g[y];
    }
}
