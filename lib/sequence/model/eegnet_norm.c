/* SPDX-License-Identifier: MIT
   Batch norm behind EEGNet's temporal filters: mean and variance of outputs that are never made, from
   sums and lag products of the windows. With x zero outside and s = t + j - pad, the variance of filter
   w is w' R w / N - mean^2, R[i][j] = sum over outputs t of x[t + i - pad] x[t + j - pad]. */
#include <math.h>
#include <string.h>

#include "kernels/depthwise.h"
#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/inline/real.h"
#include "sequence/model/model_int.h"

#if !KL_F64
static size_t sizes(size_t size[9], const struct kl_eegnet *e)
{
    const size_t k = e->taps, f = e->filters, edges = e->edge * e->edge;
    memcpy(size, (size_t[9]){ k, edges, edges, e->steps, k, k * k, f * k, f, f }, 9 * sizeof *size);
    size_t sum = 0;
    for (int i = 0; i < 9; i++) sum += size[i];
    return sum;
}

size_t kl_sequence_eegnet_lags_size(const struct kl_eegnet *e)
{
    size_t size[9];
    return sizes(size, e);
}

void kl_sequence_eegnet_lags_place(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                   double *memory)
{
    double **const arrays[9] = { &lags->lag,     &lags->head, &lags->tail,  &lags->sum, &lags->moved,
                                 &lags->product, &lags->seen, &lags->dmean, &lags->dvar };
    size_t size[9];
    memset(memory, 0, sizes(size, e) * sizeof *memory);
    for (int i = 0; i < 9; i++) *arrays[i] = memory, memory += size[i];
}

size_t kl_sequence_eegnet_lags_scratch(const struct kl_eegnet *e)
{
    return KL_EEGNET_SIDE * e->taps + e->edge * e->edge + e->steps;
}
#endif

static void add(double *to, const kl_real *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] += from[i];
}

void kl_sequence_eegnet_lags_add(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                 const kl_real *x, const kl_real *turned, kl_real *scratch)
{
    enum { SIDE = KL_EEGNET_SIDE };
    const size_t rows = e->steps + e->taps - 1, edge = e->edge;
    kl_real *const ends = scratch + SIDE * e->taps, *const sum = ends + edge * edge;
    for (size_t c = 0; c < e->channels; c += SIDE)
        kl_kernel_depthwise->lags(scratch, turned + c * rows, turned + c * rows, e->steps, e->taps,
                                  c > 0);
    for (size_t j = 0; j < e->taps; j++) {
        kl_real s[SIDE];
        memcpy(s, scratch + j * SIDE, sizeof s);
        for (int half = SIDE / 2; half > 0; half /= 2)
            for (int l = 0; l < half; l++) s[l] += s[l + half];
        lags->lag[j] += s[0];
    }
    for (int end = 0; end < 2 && edge; end++) {
        const kl_real *from = x + (end ? e->steps - edge : 0);
        kl_kernel_gemm(ends, edge, from, 1, e->stride, from, e->stride, edge, edge, e->channels, 0);
        add(end ? lags->tail : lags->head, ends, edge * edge);
    }
    memset(sum, 0, e->steps * sizeof *sum);
    kl_kernel_layers->add(sum, x, e->stride, e->channels, e->steps);
    add(lags->sum, sum, e->steps);
}

#if !KL_F64
/* Sums of x[i] x[j] over windows and channels, of two of the first or of the last steps. */
static double ends(const double *products, size_t edge, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t n = (ptrdiff_t)edge;
    return i < 0 || j < 0 || i >= n || j >= n ? 0 : products[i * n + j];
}

/* R from the lags: its first row, then along the diagonals, where one product leaves and one enters. */
void kl_sequence_eegnet_lags_products(struct kl_eegnet_lags *lags, const struct kl_eegnet *e)
{
    const ptrdiff_t k = (ptrdiff_t)e->taps, pad = (ptrdiff_t)e->pad, steps = (ptrdiff_t)e->steps,
                    out = (ptrdiff_t)e->filtered, tail = steps - (ptrdiff_t)e->edge;
    double *const r = lags->product;
    for (ptrdiff_t j = 0; j < k; j++) {
        r[j] = lags->lag[j];
        for (ptrdiff_t s = out - pad; s + j < steps; s++)
            r[j] -= ends(lags->tail, e->edge, s - tail, s + j - tail);
    }
    for (ptrdiff_t i = 0; i + 1 < k; i++)
        for (ptrdiff_t j = i; j + 1 < k; j++)
            r[(i + 1) * k + j + 1] =
                r[i * k + j] - ends(lags->head, e->edge, i - pad, j - pad) +
                ends(lags->tail, e->edge, i + out - pad - tail, j + out - pad - tail);
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < i; j++) r[i * k + j] = r[j * k + i];
    for (ptrdiff_t j = 0; j < k; j++) {
        lags->moved[j] = 0;
        for (ptrdiff_t s = j - pad; s < j - pad + out; s++)
            lags->moved[j] += s < 0 || s >= steps ? 0 : lags->sum[s];
    }
}

void kl_sequence_eegnet_lags_back(double *dfilter, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const struct kl_sequence_norm *norm)
{
    for (size_t f = 0; f < e->filters && norm->training; f++) {
        const double inverse = norm->inverse[f], gain = norm->gain[f];
        lags->dvar[f] = -0.5 * norm->with[f] * gain * inverse * inverse * inverse;
        lags->dmean[f] = -gain * inverse * norm->sum[f];
        const double by_square = 2 * lags->dvar[f] / norm->count,
                     by_sum = lags->dmean[f] / norm->count - by_square * norm->mean[f];
        for (size_t j = 0; j < e->taps; j++)
            dfilter[f * e->taps + j] +=
                by_square * lags->seen[f * e->taps + j] + by_sum * lags->moved[j];
    }
}
#endif

void kl_sequence_eegnet_lags_norm(struct kl_sequence_norm *norm, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const kl_real *filter, size_t n)
{
    norm->count = (double)n * (double)e->channels * (double)e->filtered;
    if (norm->training) kl_sequence_eegnet_lags_products(lags, e);
    for (size_t f = 0; f < e->filters; f++) {
        const kl_real *w = filter + f * e->taps;
        double *seen = lags->seen + f * e->taps, sum = 0, square = 0;
        for (size_t i = 0; i < e->taps && norm->training; i++) {
            seen[i] = 0;
            for (size_t j = 0; j < e->taps; j++) seen[i] += lags->product[i * e->taps + j] * w[j];
            sum += lags->moved[i] * w[i], square += seen[i] * w[i];
        }
        const double mean = sum / norm->count, var = square / norm->count - mean * mean;
        norm->mean[f] = mean, norm->var[f] = var > 0 ? var : 0;
        norm->inverse[f] = 1 / sqrt((norm->training ? norm->var[f] : norm->old_var[f]) + norm->epsilon);
    }
}

/* pair (taps, taps): sum over filters of 2 dvar / N w[i] w[j]. */
static double pair(const struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                   const struct kl_sequence_norm *norm, const kl_real *filter, size_t i, size_t j)
{
    double sum = 0;
    for (size_t f = 0; f < e->filters; f++)
        sum += 2 * lags->dvar[f] / norm->count * filter[f * e->taps + i] * filter[f * e->taps + j];
    return sum;
}

void kl_sequence_eegnet_lags_map(double *map, double *level, struct kl_eegnet_lags *lags,
                                 const struct kl_eegnet *e, const struct kl_sequence_norm *norm,
                                 const kl_real *filter)
{
    const size_t k = e->taps, steps = e->steps, wide = 2 * k - 1;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) lags->product[i * k + j] = pair(lags, e, norm, filter, i, j);
    for (size_t s = 0; s < steps; s++) {
        level[s] = 0;
        memset(map + s * wide, 0, wide * sizeof *map);
        for (size_t j = 0; j < k; j++) { /* tap j brings step s to output s + pad - j */
            if (s + e->pad < j || s + e->pad - j >= e->filtered) continue;
            for (size_t f = 0; f < e->filters; f++)
                level[s] += (lags->dmean[f] - 2 * lags->dvar[f] * norm->mean[f]) / norm->count *
                            filter[f * k + j];
            for (size_t i = 0; i < k; i++) /* and tap i step s + i - j */
                map[s * wide + i + k - 1 - j] += lags->product[i * k + j];
        }
    }
}

void kl_sequence_eegnet_lags_input(kl_real *by_x, const double *map, const double *level,
                                   const struct kl_eegnet *e, const kl_real *x)
{
    const ptrdiff_t most = (ptrdiff_t)e->taps - 1, steps = (ptrdiff_t)e->steps;
    for (ptrdiff_t s = 0; s < steps; s++) {
        const double *row = map + s * (2 * most + 1);
        double sum = level[s];
        for (ptrdiff_t lag = -most; lag <= most; lag++)
            if (s + lag >= 0 && s + lag < steps) sum += row[lag + most] * x[s + lag];
        by_x[s] += (kl_real)sum;
    }
}
