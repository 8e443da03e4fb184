/* SPDX-License-Identifier: MIT
   Definition of the family, in double alone; see kernels/spd.h. A = Q T Q^T with T tridiagonal
   (Householder's reflections), ln T as a sum of inverses of T + s, each a product along rows (Stieltjes'
   integral of the logarithm by the trapezoidal rule in t, s = exp(alpha sinh t)), and Q ln T Q^T. About
   (5/3 + poles / n) n^3 multiply-adds: no eigenvectors. */
#include "kernels/spd.h"

#include <stdbool.h>

#include "kernels/inline/elementary.h"
#include "kernels/inline/flush.h"

#if KL_F64

enum { ROW = KL_SPD_LANES, POLES = 4 };

static inline kl_lane get(const double *v, size_t i)
{
    return *(const kl_lane *)(v + i * ROW);
}
static inline void put(double *v, size_t i, kl_lane value)
{
    *(kl_lane *)(v + i * ROW) = value;
}
static inline double *row_of(double *a, size_t i)
{
    return a + KL_SPD_TRIANGLE(i) * ROW;
}
static inline kl_lane root(kl_lane a)
{
    for (int i = 0; i < KL_LANES; i++) a[i] = __builtin_sqrt(a[i]);
    return a;
}
static inline kl_lane size_of(kl_lane a)
{
    const kl_lane zero = { 0 };
    return kl_choose(a < 0, zero - a, a);
}
static inline kl_lane larger(kl_lane a, kl_lane b)
{
    return kl_choose(a > b, a, b);
}

/* The reflection 1 - v v^T / h, h = v . v / 2, after which only the last of a row's n elements is left:
   v takes the row's place. Returns that last element. inverse: 1 / h; 0 where nothing was to do. */
static kl_lane reflect(double *row, size_t n, kl_lane *inverse)
{
    kl_lane even = { 0 }, odd = { 0 };
    const kl_lane zero = { 0 }, last = get(row, n - 1);
    for (size_t k = 0; k + 1 < n; k++) {
        const kl_lane x = get(row, k);
        if (k % 2) odd += x * x;
        else even += x * x;
    }
    const kl_lane rest = even + odd;
    const kl_lane_bits there = rest > zero + 1e-280;
    const kl_lane norm = root(last * last + rest);
    const kl_lane left = kl_choose(there, kl_choose(last > 0, zero - norm, norm), last);
    put(row, n - 1, last - left);
    *inverse = kl_choose(there, 1 / kl_choose(there, norm * (norm + size_of(last)), zero + 1), zero);
    return left;
}

/* Of the first n rows of a: a -= v q^T + q v^T, then p = a u, in one pass. */
static void update_and_multiply(double *restrict a, size_t n, const double *v, const double *q,
                                const double *u, double *restrict p)
{
    size_t j = n % 2;
    if (j) {
        const kl_lane vj = get(v, 0), qj = get(q, 0), d = get(a, 0) - vj * qj - qj * vj;
        put(a, 0, d), put(p, 0, d * get(u, 0));
    }
    for (; j < n; j += 2) {
        double *const first = row_of(a, j), *const second = row_of(a, j + 1);
        const kl_lane vj = get(v, j), qj = get(q, j), uj = get(u, j), vi = get(v, j + 1),
                      qi = get(q, j + 1), ui = get(u, j + 1);
        kl_lane sum_j = { 0 }, sum_i = { 0 };
        for (size_t k = 0; k < j; k++) {
            const kl_lane vk = get(v, k), qk = get(q, k), uk = get(u, k);
            const kl_lane x = get(first, k) - vj * qk - qj * vk;
            const kl_lane y = get(second, k) - vi * qk - qi * vk;
            put(first, k, x), put(second, k, y);
            sum_j += x * uk, sum_i += y * uk;
            put(p, k, get(p, k) + x * uj + y * ui);
        }
        const kl_lane x = get(first, j) - vj * qj - qj * vj, y = get(second, j) - vi * qj - qi * vj,
                      z = get(second, j + 1) - vi * qi - qi * vi;
        put(first, j, x), put(second, j, y), put(second, j + 1, z);
        put(p, j, sum_j + x * uj + y * ui);
        put(p, j + 1, sum_i + y * uj + z * ui);
    }
}

/* q = p / h - v (v . p / h) / (2 h): then (1 - v v^T / h) a (1 - v v^T / h) = a - v q^T - q v^T. */
static void halve(double *q, const double *p, const double *v, size_t n, kl_lane inverse)
{
    kl_lane even = { 0 }, odd = { 0 };
    for (size_t k = 0; k < n; k++) {
        if (k % 2) odd += get(v, k) * get(p, k);
        else even += get(v, k) * get(p, k);
    }
    const kl_lane half = (even + odd) * inverse * inverse * 0.5;
    for (size_t k = 0; k < n; k++) put(q, k, get(p, k) * inverse - half * get(v, k));
}

struct space {
    double *t;                    /* triangle: the logarithm of the tridiagonal matrix */
    double *d, *e, *inverse;      /* (n): diagonal; e[i] couples i - 1 and i; 1 / h of reflection i */
    double *p, *q, *none;         /* (n + 1) */
    double *ratio[POLES], *start; /* (n), (n, POLES) */
    double *s, *g;                /* (KL_SPD_POLES) */
};

/* d, e; the rows of a become the reflections' vectors, and their diagonals 0. */
static void tridiagonalise(double *a, size_t n, const struct space *w)
{
    const kl_lane zero = { 0 };
    const double *v = w->none, *q = w->none;
    for (size_t i = n - 1; i >= 2 && i < n; i--) {
        double *const row = row_of(a, i);
        const kl_lane vi = get(v, i), qi = get(q, i);
        for (size_t k = 0; k <= i; k++) put(row, k, get(row, k) - vi * get(q, k) - qi * get(v, k));
        kl_lane inverse;
        put(w->d, i, get(row, i));
        put(w->e, i, reflect(row, i, &inverse));
        put(w->inverse, i, inverse);
        put(row, i, zero);
        update_and_multiply(a, i, v, q, row, w->p);
        halve(w->q, w->p, row, i, inverse);
        v = row, q = w->q;
    }
    for (size_t i = 0; i < 2 && i < n; i++) {
        double *const row = row_of(a, i);
        const kl_lane vi = get(v, i), qi = get(q, i);
        for (size_t k = 0; k <= i; k++) put(row, k, get(row, k) - vi * get(q, k) - qi * get(v, k));
        put(w->d, i, get(row, i));
        put(w->e, i, i ? get(row, 0) : zero);
        put(row, i, zero);
    }
}

/* Choose the rule: the first decade whose bounds hold all eigenvalues, KL_SPD_DECADES: none. most: a
   bound of them (Gershgorin). From below by the signs of pivots (Sylvester). */
static void decades(double decade[KL_LANES], kl_lane *most, size_t n, const struct space *w)
{
    const kl_lane zero = { 0 };
    kl_lane least[KL_SPD_DECADES], pivot[KL_SPD_DECADES], high = zero, found = zero + KL_SPD_DECADES;
    for (size_t i = 0; i < n; i++)
        high = larger(high, get(w->d, i) + size_of(get(w->e, i)) +
                                (i + 1 < n ? size_of(get(w->e, i + 1)) : zero));
    double share = 1;
    for (int c = 0; c < KL_SPD_DECADES; c++) {
        share /= 10;
        pivot[c] = least[c] = get(w->d, 0) - share * high;
    }
    for (size_t i = 1; i < n; i++) {
        const kl_lane d = get(w->d, i), e = get(w->e, i), square = e * e;
        share = 1;
        for (int c = 0; c < KL_SPD_DECADES; c++) {
            share /= 10;
            pivot[c] = d - share * high - square / kl_choose(pivot[c] > 0, pivot[c], zero + 1);
            least[c] = kl_choose(pivot[c] < least[c], pivot[c], least[c]);
        }
    }
    for (int c = KL_SPD_DECADES - 1; c >= 0; c--) found = kl_choose(least[c] > 0, zero + c, found);
    *most = high;
    *(kl_lane *)decade = found;
}

/* The poles and weights of each lane's own rule; lanes with fewer get weights 0. Returns how many the
   longest has. */
static int choose_poles(const double decade[KL_LANES], const struct kl_spd_rules *rules,
                        const struct space *w)
{
    int most = 0;
    for (int l = 0; l < KL_LANES; l++) {
        const int c = decade[l] < KL_SPD_DECADES ? (int)decade[l] : 0;
        most = rules->n[c] > most ? rules->n[c] : most;
    }
    for (int j = 0; j < most; j++)
        for (int l = 0; l < KL_LANES; l++) {
            const int c = decade[l] < KL_SPD_DECADES ? (int)decade[l] : 0;
            w->s[j * ROW + l] = j < rules->n[c] ? rules->s[c][j] : 1;
            w->g[j * ROW + l] = j < rules->n[c] ? rules->g[c][j] : 0;
        }
    return most;
}

/* Poles j to j + POLES of (T / unit + s)^-1: how an element of it follows from its right neighbour, and
   g times its diagonal, with the other sign; the diagonal of t gets its part. */
static void invert(size_t n, int j, kl_lane per_unit, const struct space *w)
{
    kl_lane s[POLES], g[POLES], pivot[POLES], diagonal[POLES], at_one[POLES];
    for (int p = 0; p < POLES; p++) {
        s[p] = get(w->s, (size_t)(j + p)), g[p] = get(w->g, (size_t)(j + p));
        at_one[p] = g[p] / (1 + s[p]);
        pivot[p] = get(w->d, 0) * per_unit + s[p];
    }
    for (size_t k = 0; k < n; k++) {
        const kl_lane e = k + 1 < n ? get(w->e, k + 1) * per_unit : per_unit * 0,
                      d = k + 1 < n ? get(w->d, k + 1) * per_unit : per_unit * 0;
        for (int p = 0; p < POLES; p++) {
            const kl_lane one_over = 1 / pivot[p], ratio = e * one_over;
            put(w->ratio[p], k, -ratio);
            put(w->start, k * POLES + (size_t)p, one_over);
            pivot[p] = d + s[p] - ratio * e;
        }
    }
    for (int p = 0; p < POLES; p++) diagonal[p] = per_unit * 0;
    for (size_t k = n; k-- > 0;) {
        double *const element = row_of(w->t, k);
        kl_lane sum = get(element, k);
        for (int p = 0; p < POLES; p++) {
            const kl_lane ratio = get(w->ratio[p], k);
            diagonal[p] = get(w->start, k * POLES + (size_t)p) + ratio * ratio * diagonal[p];
            const kl_lane scaled = g[p] * diagonal[p];
            put(w->start, k * POLES + (size_t)p, -scaled);
            sum += at_one[p] - scaled;
        }
        put(element, k, sum);
    }
}

/* Two rows below the diagonal of t get the parts of POLES poles. */
static void add_rows(size_t i, size_t n, const struct space *w)
{
    double *const first = row_of(w->t, i), *const second = row_of(w->t, i + 1);
    const bool both = i + 1 < n;
    kl_lane x[POLES], y[POLES];
    for (int p = 0; p < POLES; p++) {
        x[p] = get(w->start, i * POLES + (size_t)p);
        y[p] = both ? get(w->start, (i + 1) * POLES + (size_t)p) : x[p];
    }
    if (both) {
        kl_lane sum = get(second, i);
        for (int p = 0; p < POLES; p++) y[p] *= get(w->ratio[p], i), sum += y[p];
        put(second, i, sum);
    }
    for (size_t k = i; k-- > 0;) {
        kl_lane a = get(first, k), b = both ? get(second, k) : a;
        for (int p = 0; p < POLES; p++) {
            const kl_lane ratio = get(w->ratio[p], k);
            x[p] *= ratio, y[p] *= ratio;
            a += x[p], b += y[p];
        }
        put(first, k, a);
        if (both) put(second, k, b);
    }
}

/* Row i of t times reflections 2 to i. */
static void turn_row(double *row, double *a, size_t i, const struct space *w)
{
    for (size_t r = 2; r <= i; r++) {
        const double *v = row_of(a, r);
        kl_lane even = { 0 }, odd = { 0 };
        for (size_t k = 0; k < r; k++) {
            if (k % 2) odd += get(row, k) * get(v, k);
            else even += get(row, k) * get(v, k);
        }
        const kl_lane factor = (even + odd) * get(w->inverse, r);
        for (size_t k = 0; k < r; k++) put(row, k, get(row, k) - factor * get(v, k));
    }
}

/* t becomes Q t Q^T. */
static void turn_back(double *a, size_t n, const struct space *w)
{
    const double *v = w->none, *q = w->none;
    for (size_t i = 2; i < n; i++) {
        const double *u = row_of(a, i);
        update_and_multiply(w->t, i, v, q, u, w->p);
        halve(w->q, w->p, u, i, get(w->inverse, i));
        put(w->q, i,
            get(w->q, i) * 0); /* row i joins the next pass, which has nothing to take from it */
        v = u, q = w->q;
        turn_row(row_of(w->t, i), a, i, w);
    }
    for (size_t i = 0; i + 1 < n; i++) {
        double *const row = row_of(w->t, i);
        const kl_lane vi = get(v, i), qi = get(q, i);
        for (size_t k = 0; k <= i; k++) put(row, k, get(row, k) - vi * get(q, k) - qi * get(v, k));
    }
}

/* Divides by the mean of the diagonal, and returns it; a matrix that has none above 0 becomes 1. */
static kl_lane normalise(double *a, size_t n, kl_lane *bad)
{
    const kl_lane zero = { 0 };
    kl_lane mean = zero;
    for (size_t i = 0; i < n; i++) mean += get(row_of(a, i), i);
    mean /= (double)n;
    const kl_lane_bits good = (mean > 1e-280) & (mean < 1e280);
    const kl_lane factor = kl_choose(good, 1 / kl_choose(good, mean, zero + 1), zero);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            const kl_lane x = get(a, KL_SPD_TRIANGLE(i) + k) * factor,
                          one = i == k ? 1 + zero : 0 + zero;
            put(a, KL_SPD_TRIANGLE(i) + k, kl_choose(good & (x == x), x, one));
        }
    *bad = kl_choose(good, zero, zero + 1);
    return kl_choose(good, mean, zero + 1);
}

static void logarithm(double *a, size_t n, const struct kl_spd_rules *rules, const struct space *w)
{
    const kl_lane zero = { 0 };
    kl_lane bad, most;
    union {
        kl_lane lanes;
        double each[KL_LANES];
    } decade, unit;
    const kl_lane mean = normalise(a, n, &bad);
    for (size_t i = 0; i <= n; i++) put(w->none, i, zero), put(w->q, i, zero);
    tridiagonalise(a, n, w);
    decades(decade.each, &most, n, w);
    const int poles = choose_poles(decade.each, rules, w);
    bad = kl_choose(decade.lanes < KL_SPD_DECADES, bad, zero + 1);
    for (int l = 0; l < KL_LANES; l++) {
        static const double roots[] = { 3.1622776601683795e-1,
                                        1e-1,
                                        3.1622776601683795e-2,
                                        1e-2,
                                        3.1622776601683795e-3,
                                        1e-3,
                                        3.1622776601683795e-4,
                                        1e-4,
                                        3.1622776601683795e-5,
                                        1e-5,
                                        1 };
        unit.each[l] = roots[(int)decade.each[l]];
    }
    /* A matrix that has no logarithm becomes 1 while others are at work. */
    const kl_lane_bits no = bad > 0;
    for (size_t i = 0; i < n; i++) {
        put(w->d, i, kl_choose(no, zero + 1, get(w->d, i)));
        put(w->e, i, kl_choose(no, zero, get(w->e, i)));
    }
    const kl_lane middle = kl_choose(no, zero + 1, most * unit.lanes);
    for (size_t i = 0; i < KL_SPD_TRIANGLE(n); i++) put(w->t, i, zero);
    for (int j = 0; j < poles; j += POLES) {
        invert(n, j, 1 / middle, w);
        for (size_t i = 1; i < n; i += 2) add_rows(i, n, w);
    }
    turn_back(a, n, w);
    const kl_lane shift = kl_log_lane(middle * mean), nan = zero + __builtin_nan("");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            const kl_lane x = get(w->t, KL_SPD_TRIANGLE(i) + k);
            put(a, KL_SPD_TRIANGLE(i) + k, kl_choose(no, nan, i == k ? x + shift : x + zero));
        }
}

void KL_ISA_NAME(kl_spd_log)(double *a, size_t n, const struct kl_spd_rules *rules, double *work)
{
    const unsigned before = kl_flush_begin();
    for (int lane = 0; lane < ROW; lane += KL_LANES) {
        double *at = work + lane;
        struct space w = { .t = at };
        at += KL_SPD_TRIANGLE(n) * ROW;
        w.d = at, w.e = at + n * ROW, w.inverse = at + 2 * n * ROW, at += 3 * n * ROW;
        w.p = at, w.q = at + (n + 1) * ROW, w.none = at + 2 * (n + 1) * ROW, at += 3 * (n + 1) * ROW;
        for (int p = 0; p < POLES; p++) w.ratio[p] = at, at += n * ROW;
        w.start = at, at += POLES * n * ROW;
        w.s = at, w.g = at + KL_SPD_POLES * ROW;
        logarithm(a + lane, n, rules, &w);
    }
    kl_flush_end(before);
}

#endif
