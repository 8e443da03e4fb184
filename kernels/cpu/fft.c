/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/fft.h. Vectors hold signals, so that nothing is shuffled; a
   backward transform is the forward one with the real and the imaginary rows exchanged. */
#include "kernels/fft.h"

#include <string.h>

#include "kernels/inline/real.h"

enum { ROW = 64 / (int)sizeof(kl_real), POINT = 2 * ROW };
#define INLINE static inline __attribute__((always_inline))

/* ---- transforms of 2, 3, 4, 5, 8 numbers, in registers ---- */
INLINE void two(kl_lane *re, kl_lane *im, int a, int b)
{
    const kl_lane r = re[a] - re[b], i = im[a] - im[b];
    re[a] += re[b], im[a] += im[b], re[b] = r, im[b] = i;
}
/* Of the places a, b, c, d; results in order. */
INLINE void four(kl_lane *re, kl_lane *im, int a, int b, int c, int d)
{
    two(re, im, a, c), two(re, im, b, d);
    const kl_lane r = re[b], i = im[b], r1 = re[c], i1 = im[c], r3 = re[d], i3 = im[d];
    re[b] = r1 + i3, im[b] = i1 - r3;
    re[c] = re[a] - r, im[c] = im[a] - i;
    re[a] += r, im[a] += i;
    re[d] = r1 - i3, im[d] = i1 + r3;
}
INLINE void eight(kl_lane *re, kl_lane *im)
{
    const kl_real h = (kl_real)0.70710678118654752440;
    four(re, im, 0, 2, 4, 6), four(re, im, 1, 3, 5, 7);
    kl_lane r, i;
    r = h * (re[3] + im[3]), i = h * (im[3] - re[3]), re[3] = r, im[3] = i;
    r = im[5], i = -re[5], re[5] = r, im[5] = i;
    r = h * (im[7] - re[7]), i = -h * (re[7] + im[7]), re[7] = r, im[7] = i;
    /* Even places hold E_0..E_3 at 0, 2, 4, 6, odd ones w^t O_t at 1, 3, 5, 7. */
    kl_lane x[8], y[8];
    for (int t = 0; t < 4; t++) {
        x[t] = re[2 * t] + re[2 * t + 1], y[t] = im[2 * t] + im[2 * t + 1];
        x[t + 4] = re[2 * t] - re[2 * t + 1], y[t + 4] = im[2 * t] - im[2 * t + 1];
    }
    for (int t = 0; t < 8; t++) re[t] = x[t], im[t] = y[t];
}
INLINE void three(kl_lane *re, kl_lane *im)
{
    const kl_real h = (kl_real)0.86602540378443864676;
    const kl_lane r = re[1] + re[2], i = im[1] + im[2], dr = h * (re[1] - re[2]),
                  di = h * (im[1] - im[2]);
    const kl_lane br = re[0] - (kl_real)0.5 * r, bi = im[0] - (kl_real)0.5 * i;
    re[0] += r, im[0] += i;
    re[1] = br + di, im[1] = bi - dr, re[2] = br - di, im[2] = bi + dr;
}
INLINE void five(kl_lane *re, kl_lane *im)
{
    const kl_real c1 = (kl_real)0.30901699437494742410, c2 = (kl_real)-0.80901699437494742410,
                  s1 = (kl_real)0.95105651629515357212, s2 = (kl_real)0.58778525229247312917;
    const kl_lane ar = re[1] + re[4], ai = im[1] + im[4], br = re[2] + re[3], bi = im[2] + im[3];
    const kl_lane dr = re[1] - re[4], di = im[1] - im[4], er = re[2] - re[3], ei = im[2] - im[3];
    const kl_lane pr = re[0] + c1 * ar + c2 * br, pi = im[0] + c1 * ai + c2 * bi;
    const kl_lane qr = re[0] + c2 * ar + c1 * br, qi = im[0] + c2 * ai + c1 * bi;
    const kl_lane ur = s1 * dr + s2 * er, ui = s1 * di + s2 * ei;
    const kl_lane vr = s2 * dr - s1 * er, vi = s2 * di - s1 * ei;
    re[0] += ar + br, im[0] += ai + bi;
    re[1] = pr + ui, im[1] = pi - ur, re[4] = pr - ui, im[4] = pi + ur;
    re[2] = qr + vi, im[2] = qi - vr, re[3] = qr - vi, im[3] = qi + vr;
}

INLINE void transform(int radix, kl_lane *re, kl_lane *im)
{
    if (radix == 2) two(re, im, 0, 1);
    else if (radix == 3) three(re, im);
    else if (radix == 4) four(re, im, 0, 1, 2, 3);
    else if (radix == 5) five(re, im);
    else eight(re, im);
}
INLINE void times(kl_lane *re, kl_lane *im, const kl_real *w)
{
    const kl_lane r = *re * w[0] - *im * w[1], i = *re * w[1] + *im * w[0];
    *re = r, *im = i;
}

/* ---- a pass ---- */
/* Points of a line: point i at `at + i stride`, its real row at re, its imaginary row at ROW - re. */
struct line {
    kl_real *at;
    size_t stride;
};
/* m transforms times s: point q + s (p + m t) of `from` becomes point q + s (radix p + t) of `to`, times
   exp(-2 pi i p t / (radix m)). outer: roots that the points of `from` (before) or of `to` (after) are
   multiplied by. */
struct step {
    struct line from, to;
    size_t m, s;
    const kl_real *twiddle, *before, *after;
    int re;
};

INLINE void point(int radix, const struct step *c, size_t p, size_t q, const kl_real *w, bool turn,
                  bool before, bool after)
{
    for (int v = 0; v < ROW; v += KL_LANES) {
        kl_lane re[8], im[8];
        for (int t = 0; t < radix; t++) {
            const size_t i = q + c->s * (p + c->m * (size_t)t);
            const kl_real *x = c->from.at + i * c->from.stride + v;
            re[t] = *(const kl_lane *)(x + c->re), im[t] = *(const kl_lane *)(x + ROW - c->re);
            if (before) times(&re[t], &im[t], c->before + 2 * i);
        }
        transform(radix, re, im);
        for (int t = 0; t < radix; t++) {
            const size_t i = q + c->s * ((size_t)radix * p + (size_t)t);
            kl_real *y = c->to.at + i * c->to.stride + v;
            if (turn && t) times(&re[t], &im[t], w + 2 * (t - 1));
            if (after) times(&re[t], &im[t], c->after + 2 * i);
            *(kl_lane *)(y + c->re) = re[t], *(kl_lane *)(y + ROW - c->re) = im[t];
        }
    }
}

INLINE void pass(int radix, const struct step *step, bool before, bool after)
{
    const struct step c = *step;
    for (size_t q = 0; q < c.s; q++) point(radix, &c, 0, q, NULL, false, before, after);
    for (size_t p = 1; p < c.m; p++) {
        const kl_real *w = c.twiddle + 2 * p * (size_t)(radix - 1);
        for (size_t q = 0; q < c.s; q++) point(radix, &c, p, q, w, true, before, after);
    }
}
#define PASS(radix)                                     \
    static void pass_##radix(const struct step *c)      \
    {                                                   \
        if (c->before) pass(radix, c, true, false);     \
        else if (c->after) pass(radix, c, false, true); \
        else pass(radix, c, false, false);              \
    }
PASS(2)
PASS(3)
PASS(4)
PASS(5)
PASS(8)

/* ---- a line of points ---- */
/* Through two pieces of workspace of n points; the line itself is read first and written last. before,
   after: roots of its n points, or NULL; one pass alone takes one of them. */
static void line(const struct kl_fft_factor *f, struct line whole, kl_real *work, int re,
                 const kl_real *before, const kl_real *after)
{
    struct line from = whole;
    size_t length = f->n, s = 1;
    for (int i = 0; i < f->passes; i++) {
        const size_t radix = (size_t)f->radix[i];
        const bool last = i == f->passes - 1;
        const struct line to = last ? whole : (struct line){ work + (i % 2 ? f->n * POINT : 0), POINT };
        const struct step c = { .from = from,
                                .to = to,
                                .m = length / radix,
                                .s = s,
                                .twiddle = f->twiddle[i],
                                .before = i ? NULL : before,
                                .after = last ? after : NULL,
                                .re = re };
        if (radix == 8) pass_8(&c);
        else if (radix == 4) pass_4(&c);
        else if (radix == 2) pass_2(&c);
        else if (radix == 3) pass_3(&c);
        else pass_5(&c);
        from = to, length /= radix, s *= radix;
    }
}

static void columns(const struct kl_fft *plan, kl_real *data, kl_real *work, int re, bool before)
{
    const size_t n1 = plan->columns.n, n2 = plan->rows.n;
    for (size_t j = 0; j < n2; j++) {
        const kl_real *outer = j ? plan->outer + 2 * j * n1 : NULL; /* those of column 0 are 1 */
        line(&plan->columns, (struct line){ data + j * POINT, n2 * POINT }, work, re,
             before ? outer : NULL, before ? NULL : outer);
    }
}
static void rows(const struct kl_fft *plan, kl_real *data, kl_real *work, int re)
{
    const size_t n1 = plan->columns.n, n2 = plan->rows.n;
    for (size_t k = 0; k < n1 && n2 > 1; k++)
        line(&plan->rows, (struct line){ data + k * n2 * POINT, POINT }, work, re, NULL, NULL);
}

/* ---- any length ---- */
static void there(const struct kl_fft *plan, kl_real *data, kl_real *work, int re);
static void back(const struct kl_fft *plan, kl_real *data, kl_real *work, int re);

/* to = x w, of n points. */
static void product(kl_real *to, const kl_real *x, const kl_real *w, size_t n, int re)
{
    for (size_t j = 0; j < n; j++, to += POINT, x += POINT, w += 2)
        for (int v = 0; v < ROW; v += KL_LANES) {
            kl_lane r = *(const kl_lane *)(x + re + v), i = *(const kl_lane *)(x + ROW - re + v);
            times(&r, &i, w);
            *(kl_lane *)(to + re + v) = r, *(kl_lane *)(to + ROW - re + v) = i;
        }
}

static void bluestein(const struct kl_fft *plan, kl_real *data, kl_real *work, int re)
{
    const size_t n = plan->n, all = plan->inner->n;
    kl_real *wide = work, *rest = work + all * POINT;
    product(wide, data, plan->chirp, n, re);
    memset(wide + n * POINT, 0, (all - n) * POINT * sizeof *wide);
    there(plan->inner, wide, rest, re);
    product(wide, wide, plan->kernel, all, re);
    back(plan->inner, wide, rest, re);
    product(data, wide, plan->chirp, n, re);
}

static void there(const struct kl_fft *plan, kl_real *data, kl_real *work, int re)
{
    if (plan->inner) {
        bluestein(plan, data, work, re);
        return;
    }
    columns(plan, data, work, re, false);
    rows(plan, data, work, re);
}
static void back(const struct kl_fft *plan, kl_real *data, kl_real *work, int re)
{
    if (plan->inner) {
        bluestein(plan, data, work, ROW - re);
        return;
    }
    rows(plan, data, work, ROW - re);
    columns(plan, data, work, ROW - re, true);
}

/* ---- the table ---- */
static void forward(const struct kl_fft *plan, kl_real *data, kl_real *work)
{
    there(plan, data, work, 0);
}
static void backward(const struct kl_fft *plan, kl_real *data, kl_real *work)
{
    back(plan, data, work, 0);
}
static void all_columns(const struct kl_fft *plan, kl_real *data, kl_real *work, bool backwards)
{
    columns(plan, data, work, backwards ? ROW : 0, backwards);
}
static void one_row(const struct kl_fft *plan, kl_real *data, kl_real *work, bool backwards)
{
    if (plan->rows.n > 1)
        line(&plan->rows, (struct line){ data, POINT }, work, backwards ? ROW : 0, NULL, NULL);
}

const struct kl_fft_table KL_ISA_NAME(kl_fft) = {
    .forward = forward, .backward = backward, .columns = all_columns, .row = one_row
};
