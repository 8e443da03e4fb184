/* SPDX-License-Identifier: MIT
   Another rate by Fourier transforms, as MNE-Python's resample does it: padded to a power of two, cut at
   the lower Nyquist frequency. Two channels are one complex signal, whose spectrum is cut like theirs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/select.h"
#include "sequence/signal/signal_int.h"

enum { ROW = KL_SEQUENCE_GROUP, NEAR = 512 };

struct resampling {
    const double *x;
    double *out;
    size_t n, before, padded;  /* points, of padding before, of the transform there */
    size_t length, skip, keep; /* of the transform back, what is dropped before and kept of it */
    struct kl_fft_f64 *there, *back;
    size_t columns; /* that both plans have; 0: they have none in common */
};

size_t kl_sequence_resampled_length(size_t n, double from, double to)
{
    const double length = nearbyint(to / from * (double)n);
    return length >= 1 ? (size_t)length : 1;
}

/* ---- the cut spectrum ---- */
/* Where frequency k of the new transform comes from in the old one: two that are added where it is the
   new Nyquist frequency, else twice the same. false: there is none, it is 0. */
static bool source(size_t at[2], double *scale, const struct resampling *r, size_t k)
{
    const size_t n = r->padded, m = r->length, less = n < m ? n : m;
    *scale = 1 / (double)n, at[0] = at[1] = k;
    if (2 * k < less) return true;
    if (less % 2 == 0 && m < n && 2 * k == m) { /* X_k doubled, of which the real part counts */
        at[1] = n - k;
        return true;
    }
    if (less % 2 == 0 && n < m && (2 * k == n || 2 * (m - k) == n)) { /* halved, on both sides */
        at[0] = at[1] = n / 2, *scale /= 2;
        return true;
    }
    if (2 * (m - k) >= less || k == 0) return false;
    at[0] = at[1] = n - (m - k);
    return true;
}

static void copy(double *to, const double *spectrum, const size_t at[2], double scale)
{
    for (int v = 0; v < ROW; v++) to[v] = scale * spectrum[at[0] * ROW + (size_t)v];
    for (int v = 0; v < ROW && at[0] != at[1]; v++) to[v] += scale * spectrum[at[1] * ROW + (size_t)v];
}

/* Row k1 of both plans has the frequencies k1 + columns k2: what is below the cut stays at its place,
   what is above it moves, and what is between is looked at one by one. */
static void cut_row(double *to, const double *row, const struct resampling *r, size_t k1)
{
    const size_t c = r->columns, n2 = r->padded / c, m2 = r->length / c,
                 less = n2 < m2 ? r->padded : r->length;
    const size_t below = 2 * k1 < less ? (less - 2 * k1 + 2 * c - 1) / (2 * c) : 0;
    const size_t start = 2 * r->length - less,
                 found = start < 2 * k1 ? 0 : (start - 2 * k1) / (2 * c) + 1;
    const size_t above = found > below ? found : below;
    const double scale = 1 / (double)r->padded;
    for (size_t i = 0; i < below * ROW; i++) to[i] = scale * row[i];
    for (size_t k2 = below; k2 < above && k2 < m2; k2++) {
        size_t at[2];
        double s;
        if (!source(at, &s, r, k1 + c * k2)) {
            memset(to + k2 * ROW, 0, ROW * sizeof *to);
            continue;
        }
        at[0] /= c, at[1] /= c;
        copy(to + k2 * ROW, row, at, s);
    }
    const double *moved = row + ((ptrdiff_t)n2 - (ptrdiff_t)m2) * ROW;
    for (size_t i = above * ROW; i < m2 * ROW; i++) to[i] = scale * moved[i];
}

static void cut_all(double *to, const double *spectrum, const struct resampling *r)
{
    for (size_t k = 0; k < r->length; k++) {
        double *row = to + kl_fft_place_f64(r->back, k) * ROW, scale;
        size_t at[2];
        if (!source(at, &scale, r, k)) {
            memset(row, 0, ROW * sizeof *row);
            continue;
        }
        for (int i = 0; i < 2; i++) at[i] = kl_fft_place_f64(r->there, at[i]);
        copy(row, spectrum, at, scale);
    }
}

/* ---- a group of channels ---- */
static void resample_group(void *context, struct kl_sequence_group group, void *memory)
{
    const struct resampling *r = context;
    const struct kl_fft_table_f64 *fft = kl_kernels()->fft_f64;
    double *there = memory, *back = there + r->padded * ROW, *work = back + r->length * ROW;
    kl_sequence_group_load(there, r->x, r->n, group, r->before, r->padded - r->before - r->n);
    if (r->columns) {
        const size_t n2 = r->padded / r->columns, m2 = r->length / r->columns;
        fft->columns(r->there, there, work, false);
        for (size_t k1 = 0; k1 < r->columns; k1++) {
            double *row = there + k1 * n2 * ROW, *to = back + k1 * m2 * ROW;
            fft->row(r->there, row, work, false);
            cut_row(to, row, r, k1);
            fft->row(r->back, to, work, true);
        }
        fft->columns(r->back, back, work, true);
    } else {
        fft->forward(r->there, there, work);
        cut_all(back, there, r);
        fft->backward(r->back, back, work);
    }
    kl_sequence_group_store(r->out, back, r->keep, group, r->skip);
}

/* ---- lengths and plans ---- */
/* Columns of both plans: a power of two that divides both lengths, near the root of the longer. */
static size_t common_columns(size_t n, size_t m)
{
    size_t columns = 1;
    const size_t longer = n > m ? n : m;
    while (n % (2 * columns) == 0 && m % (2 * columns) == 0 && columns * columns < longer) columns *= 2;
    return kl_fft_good_length(m) == m && longer / columns <= NEAR ? columns : 0;
}

static int open_plans(struct resampling *r, double from, double to, struct kl_error *err)
{
    const double ratio = to / from;
    const size_t least = r->n + 2 * (r->n / 8 < 100 ? r->n / 8 : 100);
    r->padded = 1;
    while (r->padded < least) r->padded *= 2;
    r->before = (r->padded - r->n) / 2;
    r->length = kl_sequence_resampled_length(r->padded, from, to);
    r->skip = (size_t)nearbyint(ratio * (double)r->before);
    r->columns = common_columns(r->padded, r->length);
    r->there = kl_fft_plan_f64(r->padded, r->columns);
    r->back = kl_fft_plan_f64(r->length, r->columns);
    return r->there && r->back ? 0 : kl_fail_memory(err, (r->padded + r->length) * 32);
}

int kl_sequence_resample(double *out, const double *x, size_t channels, size_t n, double from, double to,
                         struct kl_sequence_workspace *workspace, struct kl_pool *pool,
                         struct kl_error *err)
{
    struct resampling r = {
        .x = x, .out = out, .n = n, .keep = kl_sequence_resampled_length(n, from, to)
    };
    if (from == to) {
        memcpy(out, x, channels * n * sizeof *out);
        return 0;
    }
    int code = open_plans(&r, from, to, err);
    if (!code) {
        const size_t work = r.there->work > r.back->work ? r.there->work : r.back->work;
        const size_t bytes = ((r.padded + r.length) * ROW + work) * sizeof(double);
        code = kl_sequence_groups(channels, bytes, resample_group, &r, workspace, pool, err);
    }
    kl_fft_plan_free_f64(r.there), kl_fft_plan_free_f64(r.back);
    return code;
}
