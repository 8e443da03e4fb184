/* SPDX-License-Identifier: MIT
   Definition of the family; see kernels/langevin.h. A group of 32 elements is whole units of blocks; a
   group of which only a part is asked for is done on a copy. */
#include "kernels/langevin.h"

#include <string.h>

#include "kernels/inline/normal.h"

/* Units whose rounds go side by side, and the groups that are made at once. */
enum {
    SIDE = KL_VECTOR_BYTES == 16 ? 1 : 2,
    AT_ONCE = SIDE > KL_GROUP_UNITS ? SIDE / KL_GROUP_UNITS : 1
};
enum { SUMS = 16 / KL_LANES }; /* vectors of the 16 partial sums */
enum rule { STEP, MOMENTUM, RMS };

/* The place of a group's elements. */
struct place {
    kl_real *w, *v;
    const kl_real *grad;
};
/* Factors and what is summed. */
struct move {
    kl_lane keep, rate, decay, spread, extra; /* extra: move of a momentum, eps of a running square */
    kl_lane rest;                             /* 1 - keep */
    kl_lane sum[3][SUMS];
};

static inline kl_lane load(const kl_real *from)
{
    return *(const kl_lane *)from;
}

/* Of a unit's vector j of cosines (half 0) or sines, from the first of the groups on. */
static inline int place_of(int unit, int half, int j)
{
    return unit / KL_GROUP_UNITS * KL_GROUP + 16 * half + unit % KL_GROUP_UNITS * KL_UNIT_VALUES +
           j * KL_LANES;
}

static inline __attribute__((always_inline)) void update(const enum rule rule, const int noisy,
                                                         struct move *m, const struct place *p, int at,
                                                         kl_lane normal, int sum)
{
    const kl_lane w = load(p->w + at), g = load(p->grad + at);
    if (rule != MOMENTUM) {
        m->sum[0][sum] = kl_fma(w, w, m->sum[0][sum]);
        m->sum[1][sum] = kl_fma(w, g, m->sum[1][sum]);
        m->sum[2][sum] = kl_fma(g, g, m->sum[2][sum]);
    }
    if (rule == STEP) {
        kl_lane to = kl_fma(m->rate, g, m->keep * w);
        if (noisy) to = kl_fma(m->spread, normal, to);
        *(kl_lane *)(p->w + at) = to;
    } else if (rule == MOMENTUM) {
        kl_lane v = kl_fma(m->decay, w, kl_fma(m->rate, g, m->keep * load(p->v + at)));
        if (noisy) v = kl_fma(m->spread, normal, v);
        m->sum[0][sum] = kl_fma(v, v, m->sum[0][sum]);
        *(kl_lane *)(p->v + at) = v, *(kl_lane *)(p->w + at) = kl_fma(m->extra, v, w);
    } else {
        const kl_lane square = kl_fma(m->rest * g, g, m->keep * load(p->v + at)),
                      scale = 1 / (m->extra + kl_root(square));
        kl_lane to = kl_fma(m->rate * scale, kl_fma(m->decay, w, g), w);
        if (noisy) to = kl_fma(m->spread * kl_root(scale), normal, to);
        *(kl_lane *)(p->v + at) = square, *(kl_lane *)(p->w + at) = to;
    }
}

static inline __attribute__((always_inline)) void groups_of(const int groups, const enum rule rule,
                                                            const int noisy, struct move *m,
                                                            const struct place *p, size_t group,
                                                            const struct kl_normal_stream *s)
{
    const int side = groups * KL_GROUP_UNITS < SIDE ? groups * KL_GROUP_UNITS : SIDE;
#pragma GCC unroll 4
    for (int first = 0; first < groups * KL_GROUP_UNITS; first += side) {
        kl_lane normal[SIDE][2][KL_UNIT_VECTORS] = { 0 };
        if (noisy)
            kl_normal_units(side, normal, (uint32_t)(8 * group) + (uint32_t)(first * KL_UNIT_BLOCKS),
                            KL_UNIT_BLOCKS, s);
#pragma GCC unroll 2
        for (int i = 0; i < side; i++)
#pragma GCC unroll 2
            for (int half = 0; half < 2; half++)
#pragma GCC unroll 2
                for (int j = 0; j < KL_UNIT_VECTORS; j++)
                    update(rule, noisy, m, p, place_of(first + i, half, j), normal[i][half][j],
                           (first + i) % KL_GROUP_UNITS * KL_UNIT_VECTORS + j);
    }
}

/* Elements from .. to of a group, where p->w is element `from`. */
static inline __attribute__((always_inline)) void part_of(const enum rule rule, const int noisy,
                                                          struct move *m, const struct place *p,
                                                          size_t group, size_t from, size_t to,
                                                          const struct kl_normal_stream *s)
{
    kl_real w[KL_GROUP] = { 0 }, v[KL_GROUP] = { 0 }, grad[KL_GROUP] = { 0 };
    const size_t bytes = (to - from) * sizeof *w;
    memcpy(w + from, p->w, bytes), memcpy(grad + from, p->grad, bytes);
    if (rule != STEP) memcpy(v + from, p->v, bytes);
    const struct move before = *m;
    groups_of(1, rule, noisy, m, &(struct place){ w, v, grad }, group, s);
    memcpy(p->w, w + from, bytes);
    if (rule != STEP) memcpy(p->v, v + from, bytes);
    if (rule != MOMENTUM) return; /* whose sum is of what came of it: here also of elements outside */
    *m = before;
    for (int i = 0; i < KL_GROUP; i++)
        if (i < (int)from || i >= (int)to) v[i] = 0;
    for (int at = 0; at < KL_GROUP; at += KL_LANES) {
        kl_lane *sum = &m->sum[0][at % 16 / KL_LANES];
        *sum = kl_fma(load(v + at), load(v + at), *sum);
    }
}

/* By halves. */
static double folded(const kl_lane sum[SUMS])
{
    kl_real lanes[16];
    double d[16];
    memcpy(lanes, sum, sizeof lanes);
    for (int i = 0; i < 16; i++) d[i] = (double)lanes[i];
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) d[i] += d[i + half];
    return d[0];
}

static inline __attribute__((always_inline)) void
all_of(const enum rule rule, const int noisy, struct move *m, kl_real *w, kl_real *v,
       const kl_real *grad, size_t first, size_t n, const struct kl_normal_stream *s, double sums[3])
{
    static const kl_real zeros[AT_ONCE * KL_GROUP];
    const size_t end = first + n;
    for (size_t e = first; e < end;) {
        const size_t block_end = (e / KL_LANGEVIN_BLOCK + 1) * KL_LANGEVIN_BLOCK,
                     stop = block_end < end ? block_end : end;
        struct move now = *m;
        while (e < stop) {
            const size_t group = e / KL_GROUP, group_end = (group + 1) * KL_GROUP, at = e - first;
            const struct place p = { w + at, rule == STEP ? NULL : v + at, grad ? grad + at : zeros };
            if (e % KL_GROUP == 0 && e + AT_ONCE * KL_GROUP <= stop) {
                groups_of(AT_ONCE, rule, noisy, &now, &p, group, s);
                e += AT_ONCE * KL_GROUP;
            } else {
                const size_t to = group_end < stop ? group_end : stop;
                part_of(rule, noisy, &now, &p, group, e % KL_GROUP, e % KL_GROUP + to - e, s);
                e = to;
            }
        }
        for (int i = 0; i < (rule == MOMENTUM ? 1 : 3); i++) sums[i] += folded(now.sum[i]);
    }
}

/* The rule with noise or without. */
#define ALL_OF(rule, m, w, v, sums)                                  \
    do {                                                             \
        struct kl_normal_stream s_;                                  \
        if (f->spread != 0) {                                        \
            s_ = kl_normal_stream(stream);                           \
            all_of(rule, 1, m, w, v, grad, first, n, &s_, sums);     \
        } else all_of(rule, 0, m, w, v, grad, first, n, NULL, sums); \
    } while (0)

void KL_ISA_NAME(kl_langevin_step)(kl_real *w, const kl_real *grad, size_t first, size_t n,
                                   const struct kl_langevin_factors *f,
                                   const struct kl_langevin_stream *stream,
                                   struct kl_langevin_sums *sums)
{
    double unread[3] = { 0 }, *to = sums ? &sums->ww : unread;
    struct move m = { .keep = kl_all((kl_real)f->shrink),
                      .rate = kl_all((kl_real)-f->rate),
                      .spread = kl_all((kl_real)f->spread) };
    ALL_OF(STEP, &m, w, NULL, to);
}

void KL_ISA_NAME(kl_langevin_momentum)(kl_real *w, kl_real *v, const kl_real *grad, size_t first,
                                       size_t n, const struct kl_langevin_momentum *f,
                                       const struct kl_langevin_stream *stream, double *vv)
{
    double sum[3] = { 0 };
    struct move m = { .keep = kl_all((kl_real)f->keep),
                      .rate = kl_all((kl_real)-f->rate),
                      .decay = kl_all((kl_real)-f->decay),
                      .spread = kl_all((kl_real)f->spread),
                      .extra = kl_all((kl_real)f->move) };
    ALL_OF(MOMENTUM, &m, w, v, sum);
    if (vv) *vv += sum[0];
}

void KL_ISA_NAME(kl_langevin_rms)(kl_real *w, kl_real *square, const kl_real *grad, size_t first,
                                  size_t n, const struct kl_langevin_rms *f,
                                  const struct kl_langevin_stream *stream, struct kl_langevin_sums *sums)
{
    double unread[3] = { 0 }, *to = sums ? &sums->ww : unread;
    struct move m = { .keep = kl_all((kl_real)f->keep),
                      .rest = kl_all((kl_real)(1 - f->keep)),
                      .rate = kl_all((kl_real)-f->rate),
                      .decay = kl_all((kl_real)f->decay),
                      .spread = kl_all((kl_real)f->spread),
                      .extra = kl_all((kl_real)f->eps) };
    ALL_OF(RMS, &m, w, square, to);
}

static inline __attribute__((always_inline)) void
normals_of(const int groups, kl_real *out, size_t group, const struct kl_normal_stream *s)
{
    const int side = groups * KL_GROUP_UNITS < SIDE ? groups * KL_GROUP_UNITS : SIDE;
#pragma GCC unroll 4
    for (int first = 0; first < groups * KL_GROUP_UNITS; first += side) {
        kl_lane normal[SIDE][2][KL_UNIT_VECTORS];
        kl_normal_units(side, normal, (uint32_t)(8 * group) + (uint32_t)(first * KL_UNIT_BLOCKS),
                        KL_UNIT_BLOCKS, s);
#pragma GCC unroll 2
        for (int i = 0; i < side; i++)
#pragma GCC unroll 2
            for (int half = 0; half < 2; half++)
#pragma GCC unroll 2
                for (int j = 0; j < KL_UNIT_VECTORS; j++)
                    *(kl_lane *)(out + place_of(first + i, half, j)) = normal[i][half][j];
    }
}

void KL_ISA_NAME(kl_langevin_normals)(kl_real *out, size_t first, size_t n,
                                      const struct kl_langevin_stream *stream)
{
    const struct kl_normal_stream s = kl_normal_stream(stream);
    for (size_t done = 0; done < n;) {
        const size_t e = first + done, in_group = e % KL_GROUP, left = n - done,
                     count = left < KL_GROUP - in_group ? left : KL_GROUP - in_group;
        if (in_group == 0 && left >= AT_ONCE * KL_GROUP) {
            normals_of(AT_ONCE, out + done, e / KL_GROUP, &s);
            done += AT_ONCE * KL_GROUP;
        } else {
            kl_real group[KL_GROUP];
            normals_of(1, group, e / KL_GROUP, &s);
            memcpy(out + done, group + in_group, count * sizeof *out);
            done += count;
        }
    }
}
