/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/shallow.h. Inputs are filled up with zeros to `width`, 4 or 8,
   for which the loops are unrolled. A block of 16 units is 16 / KL_LANES slices, each worked on alone.
   The backward pass needs of a unit only where it is active: its gradients are sums of d x and d over
   the active records, times w2, and that of w2 is b1 and W1 times these sums. */
#include "kernels/shallow.h"

#if !KL_F64
#include "kernels/inline/normal.h"

enum { SLICES = KL_SHALLOW_LANES / KL_LANES, WIDEST = KL_SHALLOW_INPUTS, MOST = KL_SHALLOW_BATCH };

static inline kl_lane load(const float *from)
{
    return *(const kl_lane *)from;
}
static inline void store(float *to, kl_lane v)
{
    *(kl_lane *)to = v;
}

/* NaN stays NaN. */
static inline kl_lane relu(kl_lane x)
{
    return kl_higher((kl_lane){ 0 }, x);
}

/* sum + x where h > 0. */
static inline kl_lane add_active(kl_lane sum, kl_lane h, float x)
{
#if KL_VECTOR_BYTES == 64
    const __mmask16 active = _mm512_cmp_ps_mask((__m512)h, _mm512_setzero_ps(), _CMP_GT_OQ);
    return (kl_lane)_mm512_mask_add_ps((__m512)sum, active, (__m512)sum, _mm512_set1_ps(x));
#else
    return sum + (kl_lane)((kl_lane_bits)kl_all(x) & (h > 0));
#endif
}

/* A block's weights of one slice: the columns of W1, b1, w2. */
struct weights {
    kl_lane column[WIDEST], bias, out;
};
static inline __attribute__((always_inline)) void load_weights(struct weights *w, const int width,
                                                               size_t d, const float *row)
{
#pragma GCC unroll 8
    for (int k = 0; k < width; k++)
        w->column[k] = (size_t)k < d ? load(row + k * KL_SHALLOW_LANES) : (kl_lane){ 0 };
    w->bias = load(row + d * KL_SHALLOW_LANES), w->out = load(row + (d + 1) * KL_SHALLOW_LANES);
}

/* ---- forward ---- */

/* Logits of `records` records without b2: act (blocks, SLICES, batch, KL_LANES), NULL: not kept. */
static inline __attribute__((always_inline)) void tile(const int records, const int width,
                                                       const int keep, float *logits, float *act,
                                                       size_t batch, const float *packed, size_t blocks,
                                                       size_t d, const float *x)
{
    kl_lane z[SLICES][10];
    for (size_t slice = 0; slice < SLICES; slice++) {
        kl_lane sum[10];
#pragma GCC unroll 10
        for (int s = 0; s < records; s++) sum[s] = (kl_lane){ 0 };
        for (size_t v = 0; v < blocks; v++) {
            struct weights w;
            load_weights(&w, width, d, packed + v * (d + 2) * KL_SHALLOW_LANES + slice * KL_LANES);
            float *to = keep ? act + (v * SLICES + slice) * batch * KL_LANES : NULL;
#pragma GCC unroll 10
            for (int s = 0; s < records; s++) {
                kl_lane h = w.bias;
#pragma GCC unroll 8
                for (int k = 0; k < width; k++) h = kl_fma(w.column[k], kl_all(x[s * width + k]), h);
                if (keep) store(to + s * KL_LANES, h);
                sum[s] = kl_fma(w.out, relu(h), sum[s]);
            }
        }
#pragma GCC unroll 10
        for (int s = 0; s < records; s++) z[slice][s] = sum[s];
    }
#pragma GCC unroll 10
    for (int s = 0; s < records; s++) {
#if KL_VECTOR_BYTES == 64
        logits[s] = kl_sum_lanes(z[0][s]);
#elif KL_VECTOR_BYTES == 32
        logits[s] = kl_sum_lanes(z[0][s] + z[1][s]);
#else
        logits[s] = kl_sum_lanes((z[0][s] + z[2][s]) + (z[1][s] + z[3][s]));
#endif
    }
}

static inline __attribute__((always_inline)) void tiles(const int width, const int keep, float *logits,
                                                        float *act, const float *packed, size_t blocks,
                                                        size_t d, const float *x, size_t n)
{
    size_t s = 0;
#define TILE(records)                                                                                  \
    for (; s + (records) <= n; s += (records))                                                         \
        tile(records, width, keep, logits + s, keep ? act + s * KL_LANES : NULL, n, packed, blocks, d, \
             x + s * (size_t)width);
    TILE(10) TILE(4) TILE(1)
}

/* ---- loss ---- */

/* Records of a batch (x: (n, width)), and what their losses make of them; the arrays are filled up to
   whole vectors. */
struct batch {
    size_t n;
    float x[MOST * WIDEST], sign[MOST], logit[MOST], loss[MOST],
        slope[MOST]; /* slope: of the loss by the logit */
};

/* e^x, x <= 0; below the least, that of the least. */
static inline kl_lane exponential(kl_lane x)
{
    static const float series[] = { 1 / 5040.0f, 1 / 720.0f, 1 / 120.0f, 1 / 24.0f,
                                    1 / 6.0f,    1 / 2.0f,   1,          1 };
    x = kl_choose(x < -87.0f, kl_all(-87.0f), x);
    const kl_lane shifted = kl_fma(x, kl_all(1.44269504f), kl_all(0x1.8p23f)), n = shifted - 0x1.8p23f,
                  r = kl_fma(n, kl_all(-0x1.7f7d1cp-20f), kl_fma(n, kl_all(-0x1.62e4p-1f), x));
    const kl_lane_bits power = ((kl_lane_bits)shifted - (kl_lane_bits)kl_all(0x1.8p23f)) << 23;
    return (kl_lane)((kl_lane_bits)kl_horner(r, series, 8) + power);
}

static inline void losses(struct batch *b, const struct kl_shallow *net, float bias)
{
    const float e = (float)net->floor, c = (float)(1 - 2 * net->floor), top = (float)(1 - net->floor);
    for (size_t s = 0; s < b->n; s += KL_LANES) {
        const kl_lane sign = load(b->sign + s), v = (load(b->logit + s) + bias) * sign;
        const kl_lane_bits negative = v < 0;
        const kl_lane t = exponential(kl_choose(negative, v, -v)), big = 1 / (1 + t), small = t * big;
        kl_lane f, n = { 0 }, more = { 0 }, slope;
        if (net->loss == KL_SHALLOW_BCE) {
            f = -small, more = kl_choose(negative, -v, more), slope = kl_choose(negative, big, small);
        } else {
            const kl_lane psi = kl_choose(negative, kl_fma(small, kl_all(c), kl_all(e)),
                                          kl_fma(small, kl_all(-c), kl_all(top)));
            const kl_lane_bits bits = (kl_lane_bits)psi;
            f = kl_choose(negative, (kl_lane)((bits & 0x7fffff) | 0x3f000000) - 1,
                          kl_fma(small, kl_all(-c), kl_all(-e)));
            n = kl_choose(negative, __builtin_convertvector((bits >> 23) - 126, kl_lane), n);
            slope = c * big * small / psi;
        }
        store(b->loss + s, kl_fma(kl_minus_two_log1p(f, n * -1.38629436f), kl_all(0.5f), more));
        store(b->slope + s, -sign * slope);
        store(b->logit + s, load(b->logit + s) + bias);
    }
}

static inline void add_sums(struct kl_shallow_sums *sums, const struct batch *b)
{
    for (size_t s = 0; s < b->n; s++) {
        const double loss = (double)b->loss[s];
        sums->loss += loss, sums->squares += loss * loss;
        sums->wrong += (b->logit[s] > 0) != (b->sign[s] > 0);
    }
}

static inline __attribute__((always_inline)) void gather(struct batch *b, const int width, size_t d,
                                                         const struct kl_shallow_records *records,
                                                         const int64_t *rows, size_t first, size_t n)
{
    b->n = n;
    for (size_t s = 0; s < n; s++) {
        const size_t i = rows ? (size_t)rows[first + s] : first + s;
        for (size_t k = 0; k < (size_t)width; k++)
            b->x[s * (size_t)width + k] = k < d ? records->x[i * d + k] : 0;
        b->sign[s] = records->label[i] ? 1 : -1;
    }
    for (size_t s = n; s % KL_LANES; s++) b->sign[s] = b->logit[s] = 0;
}

/* ---- backward, and the step ---- */

struct move {
    kl_lane shrink, rate, spread;
};
/* The rows of a slice, of which the first is at `row`, each plus its normal. */
static inline __attribute__((always_inline)) void add_noise(const int width, float *row, size_t rows,
                                                            kl_lane spread, uint32_t block,
                                                            const struct kl_normal_stream *s)
{
    enum { SIDE = KL_VECTOR_BYTES == 64 ? KL_UNITS_MOST : 1 }; /* AVX2 has too few registers for more */
#pragma GCC unroll 1
    for (int first = 0; first < (width + 3) / 2; first += SIDE) {
        const int side = (width + 3) / 2 < SIDE ? (width + 3) / 2 : SIDE;
        kl_lane normal[SIDE][2][1];
        kl_normal_units(side, normal, block + (uint32_t)(8 * first), 8, s);
#pragma GCC unroll 10
        for (int i = 0; i < 2 * side; i++) {
            float *at = row + (2 * first + i) * KL_SHALLOW_LANES;
            if ((size_t)(2 * first + i) < rows)
                store(at, kl_fma(spread, normal[i / 2][i % 2][0], load(at)));
        }
    }
}
/* Slice of a block whose first row is at `row`; dx (n, width + 1): slope x, slope. */
static inline __attribute__((always_inline)) void
slice_step(const int width, const int noisy, size_t d, float *row, const float *act, const float *dx,
           size_t n, const struct move *m, uint32_t block, const struct kl_normal_stream *s)
{
    struct weights w;
    kl_lane g[WIDEST + 1], out;
    load_weights(&w, width, d, row);
#pragma GCC unroll 9
    for (int k = 0; k <= width; k++) g[k] = (kl_lane){ 0 };
    for (size_t r = 0; r < n; r++) {
        const kl_lane h = load(act + r * KL_LANES);
#pragma GCC unroll 9
        for (int k = 0; k <= width; k++)
            g[k] = add_active(g[k], h, dx[r * (size_t)(width + 1) + (size_t)k]);
    }
    out = w.bias * g[width];
#pragma GCC unroll 8
    for (int k = 0; k < width; k++) out = kl_fma(w.column[k], g[k], out);
#pragma GCC unroll 8
    for (int k = 0; k < width; k++)
        if ((size_t)k < d)
            store(row + k * KL_SHALLOW_LANES, kl_fma(m->rate, g[k] * w.out, m->shrink * w.column[k]));
    row += d * KL_SHALLOW_LANES;
    store(row, kl_fma(m->rate, g[width] * w.out, m->shrink * w.bias));
    store(row + KL_SHALLOW_LANES, kl_fma(m->rate, out, m->shrink * w.out));
    if (noisy) add_noise(width, row - d * KL_SHALLOW_LANES, d + 2, m->spread, block, s);
}

/* Units that there are not go back to 0. */
static inline void clear_rest(float *last, size_t rows, size_t live)
{
    if (live == KL_SHALLOW_LANES) return;
    for (int slice = 0; slice < SLICES; slice++) {
        kl_lane keep;
        for (int l = 0; l < KL_LANES; l++) keep[l] = (size_t)(slice * KL_LANES + l) < live;
        for (size_t r = 0; r < rows; r++) {
            float *at = last + r * KL_SHALLOW_LANES + slice * KL_LANES;
            store(at, kl_choose(keep > 0, load(at), (kl_lane){ 0 }));
        }
    }
}

static inline __attribute__((always_inline)) void step(const int width, const int noisy, float *packed,
                                                       const struct kl_shallow *net, struct batch *b,
                                                       float *act, const struct kl_langevin_factors *f,
                                                       const struct kl_langevin_stream *stream)
{
    const struct move m = { kl_all((float)f->shrink), kl_all((float)-f->rate),
                            kl_all((float)f->spread) };
    struct kl_normal_stream s;
    if (noisy) s = kl_normal_stream(stream);
    const size_t d = net->inputs, blocks = kl_shallow_blocks(net), stride = (d + 2) * KL_SHALLOW_LANES;
    const uint32_t groups = (uint32_t)(d + 3) / 2;
    float dx[MOST * (WIDEST + 1)], sum = 0, *bias = packed + blocks * stride;
    for (size_t r = 0; r < b->n; r++) {
        float *to = dx + r * (size_t)(width + 1);
        const float slope = b->slope[r] * (1 / (float)b->n);
        for (int k = 0; k < width; k++) to[k] = slope * b->x[r * (size_t)width + (size_t)k];
        to[width] = slope;
        sum = slope + sum;
    }
    for (size_t v = 0; v < blocks; v++)
#pragma GCC unroll 1
        for (int slice = 0; slice < SLICES; slice++)
            slice_step(width, noisy, d, packed + v * stride + slice * KL_LANES,
                       act + (v * SLICES + (size_t)slice) * b->n * KL_LANES, dx, b->n, &m,
                       (uint32_t)v * groups * 8 + (uint32_t)(slice * KL_UNIT_BLOCKS), &s);
    clear_rest(packed + (blocks - 1) * stride, d + 2, net->units - (blocks - 1) * KL_SHALLOW_LANES);
    kl_lane normal[1][2][1] = { 0 };
    if (noisy) kl_normal_units(1, normal, (uint32_t)blocks * groups * 8, 8, &s);
    *bias = kl_fma(m.rate, kl_all(sum), m.shrink * *bias)[0];
    if (noisy) *bias = kl_fma(m.spread, normal[0][0][0], kl_all(*bias))[0];
}

/* ---- whole runs of steps, and of records ---- */

static inline __attribute__((always_inline)) void
steps_of(const int width, float *packed, const struct kl_shallow *net,
         const struct kl_shallow_records *records, const int64_t *rows, size_t n_rows, size_t batch,
         const struct kl_langevin_factors *factors, const struct kl_langevin_stream *stream,
         struct kl_shallow_sums *sums, float *act)
{
    struct batch b;
    struct kl_langevin_stream now = { 0 };
    const size_t d = net->inputs, blocks = kl_shallow_blocks(net);
    if (stream) now = *stream;
    for (size_t first = 0; first < n_rows; first += batch, factors++, sums++, now.step++) {
        gather(&b, width, d, records, rows, first, n_rows - first < batch ? n_rows - first : batch);
        tiles(width, 1, b.logit, act, packed, blocks, d, b.x, b.n);
        losses(&b, net, packed[kl_shallow_packed(net) - KL_SHALLOW_LANES]);
        *sums = (struct kl_shallow_sums){ 0 };
        add_sums(sums, &b);
        if (factors->spread != 0) step(width, 1, packed, net, &b, act, factors, &now);
        else step(width, 0, packed, net, &b, act, factors, &now);
    }
}

static inline __attribute__((always_inline)) void
evaluate_of(const int width, struct kl_shallow_sums *sums, double *per_record, const float *packed,
            const struct kl_shallow *net, const struct kl_shallow_records *records, const int64_t *rows,
            size_t count)
{
    enum { AT_ONCE = MOST / 10 * 10 };
    struct batch b;
    for (size_t first = 0; first < count; first += AT_ONCE) {
        gather(&b, width, net->inputs, records, rows, first,
               count - first < AT_ONCE ? count - first : AT_ONCE);
        tiles(width, 0, b.logit, NULL, packed, kl_shallow_blocks(net), net->inputs, b.x, b.n);
        losses(&b, net, packed[kl_shallow_packed(net) - KL_SHALLOW_LANES]);
        add_sums(sums, &b);
        for (size_t s = 0; per_record && s < b.n; s++) per_record[first + s] = (double)b.loss[s];
    }
}

void KL_ISA_NAME(kl_shallow_steps)(float *packed, const struct kl_shallow *net,
                                   const struct kl_shallow_records *records, const int64_t *rows,
                                   size_t n_rows, size_t batch,
                                   const struct kl_langevin_factors *factors,
                                   const struct kl_langevin_stream *stream, struct kl_shallow_sums *sums,
                                   float *work)
{
    if (net->inputs <= 4)
        steps_of(4, packed, net, records, rows, n_rows, batch, factors, stream, sums, work);
    else steps_of(WIDEST, packed, net, records, rows, n_rows, batch, factors, stream, sums, work);
}

void KL_ISA_NAME(kl_shallow_evaluate)(struct kl_shallow_sums *sums, double *per_record,
                                      const float *packed, const struct kl_shallow *net,
                                      const struct kl_shallow_records *records, const int64_t *rows,
                                      size_t count)
{
    if (net->inputs <= 4) evaluate_of(4, sums, per_record, packed, net, records, rows, count);
    else evaluate_of(WIDEST, sums, per_record, packed, net, records, rows, count);
}
#endif
