/* SPDX-License-Identifier: MIT
   Plans of Fourier transforms (kernels/fft.h): factors, passes, tables. */
#include "kernels/fft.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/inline/real.h"

enum { ROW = 64 / (int)sizeof(kl_real), NEAR = 512 };

#if KL_F64
size_t kl_fft_good_length(size_t n)
{
    static const size_t odd[] = { 1, 3, 5, 9, 15, 25 };
    size_t best = 0;
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        size_t length = odd[i];
        while (length < n && length <= SIZE_MAX / 2) length *= 2;
        if (length >= n && (!best || length < best)) best = length;
    }
    return best;
}
#endif

/* Roots of unity of order n: cosine and sine of the first eighth, of angles that are rounded once. */
struct roots {
    uint64_t n;
    double *eighth; /* [n / 8 + 1][2]; NULL: n is no multiple of 8, each is made anew */
};

static int roots_open(struct roots *r, uint64_t n)
{
    *r = (struct roots){ .n = n };
    if (n % 8) return 0;
    r->eighth = malloc((n / 8 + 1) * 2 * sizeof *r->eighth);
    for (uint64_t k = 0; k <= n / 8 && r->eighth; k++) {
        const double angle = 2 * M_PI * ((double)k / (double)n);
        r->eighth[2 * k] = cos(angle), r->eighth[2 * k + 1] = sin(angle);
    }
    return r->eighth ? 0 : -1;
}

/* exp(-2 pi i k / n) */
static void root(kl_real w[2], const struct roots *r, uint64_t k)
{
    static const signed char swap[8] = { 0, 1, 1, 0, 0, 1, 1, 0 },
                             sign_c[8] = { 1, 1, -1, -1, -1, -1, 1, 1 },
                             sign_s[8] = { 1, 1, 1, 1, -1, -1, -1, -1 };
    k %= r->n;
    const uint64_t octant = 8 * k / r->n, rest = 8 * k - octant * r->n,
                   from =
                       octant & 1 ? r->n - rest : rest; /* 2 pi from / 8 n: the angle within an eighth */
    const double angle = 2 * M_PI * ((double)from / (double)(8 * r->n));
    const double c = r->eighth ? r->eighth[from / 4] : cos(angle),
                 s = r->eighth ? r->eighth[from / 4 + 1] : sin(angle);
    w[0] = (kl_real)(sign_c[octant] * (swap[octant] ? s : c));
    w[1] = (kl_real)(-sign_s[octant] * (swap[octant] ? c : s));
}

/* ---- factors ---- */
static bool is_good(size_t n)
{
    static const size_t primes[] = { 2, 3, 5 };
    for (int i = 0; i < 3; i++)
        while (n % primes[i] == 0) n /= primes[i];
    return n == 1;
}

/* n1, a divisor of n as near to its root as there is, at least the other. */
static size_t halve(size_t n)
{
    if (n <= NEAR) return n;
    size_t best = n;
    for (size_t d = 1; d <= n / d; d++)
        if (n % d == 0) best = n / d;
    return best;
}

static void take_passes(struct kl_fft_factor *f, size_t n)
{
    static const int radices[] = { 5, 3, 8, 4, 2 };
    size_t left = n;
    f->n = n, f->passes = 0;
    for (int i = 0; i < 5; i++)
        while (left % (size_t)radices[i] == 0) {
            /* 16 is 4 x 4, not 8 x 2. */
            if (radices[i] == 8 && left == 16) break;
            f->radix[f->passes++] = radices[i], left /= (size_t)radices[i];
        }
}

static size_t factor_numbers(const struct kl_fft_factor *f)
{
    size_t numbers = 0, left = f->n;
    for (int i = 0; i < f->passes; i++) {
        left /= (size_t)f->radix[i];
        numbers += left * (size_t)(f->radix[i] - 1) * 2;
    }
    return numbers;
}

static kl_real *fill_factor(struct kl_fft_factor *f, kl_real *at, const struct roots *r)
{
    const size_t order = (size_t)r->n; /* a multiple of f->n */
    size_t length = f->n;
    for (int i = 0; i < f->passes; i++) {
        const size_t radix = (size_t)f->radix[i], m = length / radix;
        f->twiddle[i] = at;
        for (size_t p = 0; p < m; p++)
            for (size_t t = 1; t < radix; t++, at += 2) root(at, r, p * t * (order / length));
        length = m;
    }
    return at;
}

/* ---- a plan ---- */
static int fill_good(struct kl_fft *plan, size_t columns)
{
    const size_t n1 = columns && plan->n % columns == 0 ? columns : halve(plan->n), n2 = plan->n / n1,
                 outer = n2 > 1 ? plan->n * 2 : 0;
    struct roots roots;
    take_passes(&plan->columns, n1), take_passes(&plan->rows, n2);
    const size_t numbers = factor_numbers(&plan->columns) + factor_numbers(&plan->rows) + outer + 1;
    kl_real *at = plan->memory = malloc(numbers * sizeof *at);
    if (roots_open(&roots, plan->n) || !at) {
        free(roots.eighth);
        return -1;
    }
    plan->work = 2 * 2 * ROW * (n1 > n2 ? n1 : n2);
    at = fill_factor(&plan->columns, at, &roots), at = fill_factor(&plan->rows, at, &roots);
    plan->outer = outer ? at : NULL;
    for (size_t j = 0; j < n2 && outer; j++)
        for (size_t k = 0; k < n1; k++, at += 2) root(at, &roots, j * k);
    free(roots.eighth);
    return 0;
}

/* exp(-pi i j^2 / n), and the spectrum of its conjugate, wrapped round a length of at least 2 n - 1,
   divided by that length: all lanes of a transform hold the same. */
static int fill_bluestein(struct kl_fft *plan)
{
    const size_t n = plan->n;
    struct roots roots = { .n = 2 * n };
    struct kl_fft *inner = plan->inner = kl_fft_plan(kl_fft_good_length(2 * n - 1), 0);
    if (!inner) return -1;
    kl_real *data = aligned_alloc(64, (2 * ROW * inner->n + inner->work) * sizeof *data);
    plan->chirp = plan->memory = malloc((2 * n + 2 * inner->n) * sizeof *plan->chirp);
    plan->work = 2 * ROW * inner->n + inner->work;
    if (data && plan->chirp) {
        plan->kernel = plan->chirp + 2 * n;
        for (uint64_t j = 0; j < n; j++) root(plan->chirp + 2 * j, &roots, j * j % (2 * n));
        for (size_t j = 0; j < inner->n; j++) {
            const size_t from = j < n ? j : inner->n - j; /* b_-j = b_j */
            for (size_t l = 0; l < ROW; l++) {
                data[2 * ROW * j + l] = from < n ? plan->chirp[2 * from] : 0;
                data[2 * ROW * j + ROW + l] = from < n ? -plan->chirp[2 * from + 1] : 0;
            }
        }
        kl_kernel_fft->forward(inner, data, data + 2 * ROW * inner->n);
        for (size_t k = 0; k < inner->n; k++) {
            plan->kernel[2 * k] = data[2 * ROW * k] / (kl_real)inner->n;
            plan->kernel[2 * k + 1] = data[2 * ROW * k + ROW] / (kl_real)inner->n;
        }
    }
    const bool whole = data && plan->chirp;
    free(data);
    return whole ? 0 : -1;
}

void kl_fft_plan_free(struct kl_fft *plan)
{
    if (!plan) return;
    kl_fft_plan_free(plan->inner);
    free(plan->memory);
    free(plan);
}

struct kl_fft *kl_fft_plan(size_t n, size_t columns)
{
    struct kl_fft *plan = n && n < (size_t)1 << 31 ? calloc(1, sizeof *plan) : NULL;
    if (!plan) return NULL;
    plan->n = n;
    if (is_good(n) ? fill_good(plan, columns) : fill_bluestein(plan)) {
        kl_fft_plan_free(plan);
        return NULL;
    }
    return plan;
}
