/* SPDX-License-Identifier: MIT
   checkkernels, family filter: random pieces against closed forms in long doubles, derivatives against
   central differences of these, and what must be equal to the bit: where a frequency lies, and which
   others lie beside it. --bench: a pulse of 60 segments at 500 frequencies. */
#include "kernels/filter.h"

#include <complex.h>
#include <stdlib.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { PIECES = 7, MOST = 64, N = KL_FILTER_COEFFICIENTS, MOMENTS = 1 + 2 * KL_FILTER_MAX_ORDER };
typedef long double real;

struct given {
    size_t n;
    real omega[MOST], half;
    double step[2 * MOST], first[2 * MOST], moments[MOMENTS * MOST], weights[MOST];
    double coefficients[PIECES * N];
};

/* Of t^p/p! cos omega t (sin for odd p), by its series: angles up to 8. */
static real moment(real omega, real half, int p)
{
    real factor = 2 * half, sum = 0;
    for (int k = 1; k <= p; k++) factor *= half / k;
    if (p % 2) factor *= omega * half;
    for (int j = p % 2; j < 80; j += 2) {
        sum += factor / (p + j + 1);
        factor *= -omega * half * omega * half / ((j + 1) * (j + 2));
    }
    return sum;
}

static real sinc(real x)
{
    return fabsl(x) < 1e-4L ? 1 - x * x / 6 : sinl(x) / x;
}

static void transform(long double _Complex y[3], const struct given *v, const real *coefficients,
                      size_t at)
{
    const real omega = v->omega[at], h = v->half;
    for (int k = 0; k < 3; k++) y[k] = 0;
    for (int s = 0; s < PIECES; s++) {
        const real *a = coefficients + s * N, w = sqrtl(-a[9]), mean = 2 * h * sinc(omega * h),
                   less = 2 * h * sinc((omega - w) * h), more = 2 * h * sinc((omega + w) * h),
                   c = (mean - (less + more) / 2) / (w * w), d = (less - more) / (2 * w);
        for (int k = 0; k < 3; k++)
            y[k] += cexpl(I * omega * h * (2 * s + 1)) * (a[k] * mean + a[3 + k] * c + I * a[6 + k] * d);
    }
}

static real loss(const struct given *v, const real *coefficients, real *power)
{
    real sum = 0;
    for (size_t i = 0; i < v->n; i++) {
        long double _Complex y[3];
        transform(y, v, coefficients, i);
        real square = 0;
        for (int k = 0; k < 3; k++) square += creall(y[k] * conjl(y[k]));
        if (power) power[i] = square;
        sum += v->weights[i] * square;
    }
    return sum;
}

/* rate: w h of the largest piece. */
static void draw(struct given *v, size_t n, double rate)
{
    v->n = n, v->half = 0.05L + (real)uniform() / 50;
    for (size_t i = 0; i < n; i++) {
        const real omega = v->omega[i] = i == 0 ? 0 : (real)((uniform() + 0.5) * 8) / v->half;
        v->first[i] = (double)cosl(omega * v->half), v->first[n + i] = (double)sinl(omega * v->half);
        v->step[i] = (double)cosl(2 * omega * v->half),
        v->step[n + i] = (double)sinl(2 * omega * v->half);
        for (int p = 0; p < MOMENTS; p++)
            v->moments[(size_t)p * n + i] = (double)moment(omega, v->half, p);
        v->weights[i] = uniform() + 0.5;
    }
    for (int i = 0; i < PIECES * N; i++) v->coefficients[i] = 2 * uniform();
    for (int s = 0; s < PIECES; s++) {
        const double w = rate * (0.7 + 0.6 * uniform()) / (double)v->half;
        v->coefficients[s * N + 9] = -w * w;
        for (int j = 3; j < 9; j++) v->coefficients[s * N + j] *= j < 6 ? w * w : w;
    }
}

static struct kl_filter filter_of(const struct given *v, int order)
{
    return (struct kl_filter){ PIECES, order, v->n, v->step, v->first, v->moments };
}

static int check_values(enum kl_isa k, const struct given *v, int order)
{
    static _Alignas(64) double power[MOST], bar[PIECES * N], work[PIECES * N * 8];
    static real coefficients[PIECES * N], expected[MOST];
    const struct kl_filter f = filter_of(v, order);
    int failures = 0;
    for (int i = 0; i < PIECES * N; i++) coefficients[i] = v->coefficients[i];
    const real whole = loss(v, coefficients, expected);
    real largest = 0;
    kl_isa_filter_power_f64(k)(power, bar, v->coefficients, v->weights, &f, work);
    for (size_t i = 0; i < v->n; i++) largest = fmaxl(largest, expected[i]);
    for (size_t i = 0; i < v->n; i++)
        failures +=
            far(kl_isa_name(k), "filter: power", i, power[i], expected[i], largest, 100, 0x1p-53);
    for (int i = 0; i < PIECES * N; i++) {
        const real was = coefficients[i], size = i % N == 9 ? -was : fmaxl(fabsl(was), 0.1L),
                   d = size * 1e-3L;
        real difference = 0;
        static const int places[] = { -2, -1, 1, 2 };
        static const real weights[] = { 1, -8, 8, -1 };
        for (int j = 0; j < 4; j++) {
            coefficients[i] = was + places[j] * d;
            difference += weights[j] * loss(v, coefficients, NULL) / (12 * d);
        }
        coefficients[i] = was;
        failures += far(kl_isa_name(k), "filter: derivative", (size_t)i, bar[i], difference,
                        whole / size, 2000, 0x1p-53);
    }
    return failures;
}

/* The same frequencies in another order and alone: the same bits. */
static int check_places(enum kl_isa k, const struct given *v)
{
    static _Alignas(64) double power[MOST], again[MOST];
    static struct given other;
    struct kl_filter f = filter_of(v, KL_FILTER_MAX_ORDER);
    other.n = KL_FILTER_LANES;
    kl_isa_filter_power_f64(k)(power, NULL, v->coefficients, NULL, &f, NULL);
    for (size_t i = 0; i < other.n; i++) {
        const size_t from = (i * 7 + 5) % v->n;
        for (size_t j = 0; j < 2; j++) {
            other.step[j * other.n + i] = v->step[j * v->n + from];
            other.first[j * other.n + i] = v->first[j * v->n + from];
        }
        for (size_t p = 0; p < MOMENTS; p++)
            other.moments[p * other.n + i] = v->moments[p * v->n + from];
    }
    f = filter_of(&other, KL_FILTER_MAX_ORDER);
    kl_isa_filter_power_f64(k)(again, NULL, v->coefficients, NULL, &f, NULL);
    for (size_t i = 0; i < other.n; i++)
        if (again[i] != power[(i * 7 + 5) % v->n]) {
            printf("%s filter: a frequency at another place has other bits\n", kl_isa_name(k));
            return 1;
        }
    return 0;
}

static int check(enum kl_isa k)
{
    static struct given v;
    int failures = 0;
    for (int i = 0; i < 6; i++) {
        static const double rates[] = { 0.02, 0.06, 0.07, 0.3, 0.3, 0.75 };
        static const int orders[] = { 3, 4, 5, 6, 8, 9 };
        draw(&v, i % 2 ? 48 : 16, rates[i]);
        failures += check_values(k, &v, orders[i]);
    }
    return failures + check_places(k, &v);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench(enum kl_isa k)
{
    enum { SEGMENTS = 60, FREQUENCIES = 512 };
    static _Alignas(64) double step[2 * FREQUENCIES], moments[MOMENTS * FREQUENCIES],
        weights[FREQUENCIES], power[FREQUENCIES], coefficients[SEGMENTS * N], bar[SEGMENTS * N],
        work[SEGMENTS * N * 8];
    for (int i = 0; i < 2 * FREQUENCIES; i++) step[i] = 0.7;
    for (int i = 0; i < MOMENTS * FREQUENCIES; i++) moments[i] = uniform();
    for (int i = 0; i < FREQUENCIES; i++) weights[i] = uniform();
    for (int i = 0; i < SEGMENTS * N; i++) coefficients[i] = uniform();
    for (int order = 3; order <= 9; order += order == 3 ? 1 : order == 4 ? 2 : 3)
        for (int gradient = 0; gradient < 2; gradient++) {
            const struct kl_filter f = { SEGMENTS, order, FREQUENCIES, step, step, moments };
            double best = 1e9;
            for (int i = 0; i < 200; i++) {
                const double start = now();
                for (int j = 0; j < 5; j++)
                    kl_isa_filter_power_f64(k)(power, gradient ? bar : NULL, coefficients, weights, &f,
                                               work);
                best = fmin(best, (now() - start) / 5);
            }
            printf("filter %s: 60 pieces, 500 frequencies, order %d%s: %.1f us\n", kl_isa_name(k), order,
                   gradient ? ", gradient" : "", 1e6 * best * 500 / FREQUENCIES);
        }
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
