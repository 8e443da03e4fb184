/* SPDX-License-Identifier: MIT
   Selective scans, forward and backward; see kernels/scan.h. Chunks of eight steps are the outer loop,
   vectors of channels the next, states the inner one: what the eight steps share stays in registers, and
   rows of a chunk in the first cache. Sums over channels (gradients of B and C) are kept as 16 (double:
   8) partial sums, channel modulo 16, then halves are added to halves. */
#include "kernels/scan.h"

#include "kernels/inline/logistic.h"
#include "kernels/inline/real.h"

enum { CHUNK = KL_SCAN_CHUNK, GROUP = 64 / (int)sizeof(kl_real) };
#define AT(p) (*(kl_lane *)(p))
#define FROM(p) (*(const kl_lane *)(p))
#define INLINE static inline __attribute__((always_inline))

/* The first rows of a chunk and the distances to the next step's: backward in time, before it. */
struct chunk {
    const kl_real *dt, *u, *b, *c, *from;
    kl_real *to, *y;
    ptrdiff_t dt_step, u_step, bc_step, y_step;
    size_t row; /* of the first step */
    int n;
};
static ptrdiff_t along(const struct kl_scan_job *job, size_t ld)
{
    return job->backward ? -(ptrdiff_t)ld : (ptrdiff_t)ld;
}
static struct chunk chunk_of(const struct kl_scan_job *job, size_t i)
{
    const size_t first = i * CHUNK, left = job->steps - first, states = job->states * job->channels,
                 row = job->backward ? job->steps - 1 - first : first;
    kl_real *from = job->kept + (job->keep ? i * states : 0);
    return (struct chunk){ .dt = job->dt + row * job->ld_dt,
                           .u = job->u + row * job->ld_u,
                           .b = job->b + row * job->ld_bc,
                           .c = job->c + row * job->ld_bc,
                           .from = from,
                           .to = job->keep ? from + states : from,
                           .dt_step = along(job, job->ld_dt),
                           .u_step = along(job, job->ld_u),
                           .bc_step = along(job, job->ld_bc),
                           .row = row,
                           .n = left < CHUNK ? (int)left : CHUNK };
}

INLINE kl_lane decay(const enum kl_scan_rule rule, kl_lane dt, kl_lane a)
{
    if (rule == KL_SCAN_EULER) return kl_fma(dt, a, kl_all(1));
    return kl_exp2_within(kl_not_below(dt * a, -KL_EXP2_MOST));
}

/* The factor of B; its derivative by dt and by u, times g, added to x. */
INLINE kl_lane entering(const enum kl_scan_rule rule, kl_lane dt, kl_lane u)
{
    if (rule != KL_SCAN_MAMBA) return u;
    return dt * u;
}
INLINE kl_lane entering_by_dt(const enum kl_scan_rule rule, kl_lane g, kl_lane u, kl_lane x)
{
    if (rule != KL_SCAN_MAMBA) return x;
    return kl_fma(g, u, x);
}
INLINE kl_lane entering_by_u(const enum kl_scan_rule rule, kl_lane g, kl_lane dt, kl_lane x)
{
    if (rule != KL_SCAN_MAMBA) dt = kl_all(1);
    return kl_fma(g, dt, x);
}

/* ---- forward ---- */
INLINE void forward_lanes(const enum kl_scan_rule rule, const int n, const struct kl_scan_job *job,
                          const struct chunk *k, size_t e, int add)
{
    kl_lane dt[CHUNK] = { { 0 } }, w[CHUNK] = { { 0 } }, y[CHUNK] = { { 0 } };
    const kl_lane d = FROM(job->d + e);
#pragma GCC unroll 8
    for (int t = 0; t < n; t++) {
        const kl_lane u = FROM(k->u + t * k->u_step + e);
        dt[t] = FROM(k->dt + t * k->dt_step + e);
        w[t] = entering(rule, dt[t], u);
        y[t] = kl_fma(d, u, add ? FROM(k->y + t * k->y_step + e) : kl_all(0));
    }
    for (size_t s = 0; s < job->states; s++) {
        const kl_lane a = FROM(job->a + s * job->channels + e);
        kl_lane h = FROM(k->from + s * job->channels + e);
#pragma GCC unroll 8
        for (int t = 0; t < n; t++) {
            h = kl_fma(decay(rule, dt[t], a), h, w[t] * kl_spread(k->b[t * k->bc_step + (ptrdiff_t)s]));
            y[t] = kl_fma(h, kl_spread(k->c[t * k->bc_step + (ptrdiff_t)s]), y[t]);
        }
        AT(k->to + s * job->channels + e) = h;
    }
#pragma GCC unroll 8
    for (int t = 0; t < n; t++) AT(k->y + t * k->y_step + e) = y[t];
}
INLINE void forward_rule(const enum kl_scan_rule rule, kl_real *y, size_t ld_y,
                         const struct kl_scan_job *job, int add)
{
    for (size_t i = 0; i < kl_scan_chunks(job->steps); i++) {
        struct chunk k = chunk_of(job, i);
        k.y = y + k.row * ld_y, k.y_step = along(job, ld_y);
        for (size_t e = 0; e < job->channels; e += KL_LANES) {
            if (k.n == CHUNK) forward_lanes(rule, CHUNK, job, &k, e, add);
            else forward_lanes(rule, k.n, job, &k, e, add);
        }
    }
}
static void forward(kl_real *y, size_t ld_y, const struct kl_scan_job *job, int add)
{
    for (size_t i = 0; i < job->states * job->channels; i++) job->kept[i] = 0;
    if (job->rule == KL_SCAN_MAMBA) forward_rule(KL_SCAN_MAMBA, y, ld_y, job, add);
    else if (job->rule == KL_SCAN_EULER) forward_rule(KL_SCAN_EULER, y, ld_y, job, add);
    else forward_rule(KL_SCAN_EXP, y, ld_y, job, add);
}

/* ---- back ---- */
/* Partial sums of a chunk: sums of B's gradients of step t and state s at (t * states + s) * GROUP, of
   C's behind all of them. bra: the gradient by the state after the step at hand. */
struct back {
    const struct kl_scan_gradient *to;
    kl_real *bra, *sums_b, *sums_c;
    const kl_real *gy;
    kl_real *gdt, *gu;
    ptrdiff_t gy_step, step;
};

INLINE void back_lanes(const enum kl_scan_rule rule, const int n, const struct kl_scan_job *job,
                       const struct chunk *k, const struct back *back, size_t e)
{
    const size_t channels = job->channels, states = job->states;
    kl_lane dt[CHUNK] = { { 0 } }, w[CHUNK] = { { 0 } }, g[CHUNK] = { { 0 } }, by_dt[CHUNK] = { { 0 } },
            by_w[CHUNK] = { { 0 } };
    kl_real *sums_b = back->sums_b + e % GROUP, *sums_c = back->sums_c + e % GROUP;
#pragma GCC unroll 8
    for (int t = 0; t < n; t++) {
        const kl_lane u = FROM(k->u + t * k->u_step + e);
        dt[t] = FROM(k->dt + t * k->dt_step + e);
        w[t] = entering(rule, dt[t], u);
        g[t] = FROM(back->gy + t * back->gy_step + e);
        by_dt[t] = by_w[t] = kl_all(0);
    }
    for (size_t s = 0; s < states; s++) {
        const kl_lane a = FROM(job->a + s * channels + e);
        const kl_real *b = k->b + s, *c = k->c + s;
        kl_lane h[CHUNK + 1] = { { 0 } }, x[CHUNK] = { { 0 } };
        h[0] = FROM(k->from + s * channels + e);
#pragma GCC unroll 8
        for (int t = 0; t < n; t++) {
            x[t] = decay(rule, dt[t], a);
            h[t + 1] = kl_fma(x[t], h[t], w[t] * kl_spread(b[t * k->bc_step]));
        }
        kl_lane bra = FROM(back->bra + s * channels + e), by_a = FROM(back->to->ga + s * channels + e);
#pragma GCC unroll 8
        for (int t = n - 1; t >= 0; t--) {
            kl_real *sum_b = sums_b + ((size_t)t * states + s) * GROUP,
                    *sum_c = sums_c + ((size_t)t * states + s) * GROUP;
            AT(sum_c) = kl_fma(g[t], h[t + 1], FROM(sum_c));
            bra = kl_fma(g[t], kl_spread(c[t * k->bc_step]), bra);
            AT(sum_b) = kl_fma(bra, w[t], FROM(sum_b));
            by_w[t] = kl_fma(bra, kl_spread(b[t * k->bc_step]), by_w[t]);
            const kl_lane before = bra * x[t], q = (rule == KL_SCAN_EULER ? bra : before) * h[t];
            by_dt[t] = kl_fma(q, a, by_dt[t]);
            by_a = kl_fma(q, dt[t], by_a);
            bra = before;
        }
        AT(back->bra + s * channels + e) = bra;
        AT(back->to->ga + s * channels + e) = by_a;
    }
    const kl_lane d = FROM(job->d + e), unit = kl_all(rule == KL_SCAN_EULER ? 1 : KL_LN2);
    kl_lane by_d = FROM(back->to->gd + e);
    for (int t = n - 1; t >= 0; t--) {
        kl_real *gdt = back->gdt + t * back->step + e, *gu = back->gu + t * back->step + e;
        const kl_lane u = FROM(k->u + t * k->u_step + e);
        kl_lane x = entering_by_dt(rule, by_w[t], u, by_dt[t] * unit),
                z = entering_by_u(rule, by_w[t], dt[t], g[t] * d);
        if (back->to->add) x += FROM(gdt), z += FROM(gu);
        AT(gdt) = x, AT(gu) = z;
        by_d = kl_fma(g[t], u, by_d);
    }
    AT(back->to->gd + e) = by_d;
}

/* Halves are added to halves. */
INLINE kl_real total(const kl_real *sums)
{
    kl_lane v[GROUP / KL_LANES];
    for (int i = 0; i < GROUP / KL_LANES; i++) v[i] = FROM(sums + i * KL_LANES);
    for (int half = GROUP / KL_LANES / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) v[i] = v[i] + v[i + half];
    return kl_sum_lanes(v[0]);
}
static void totals(kl_real *to, ptrdiff_t step, const kl_real *sums, int n, size_t states, int add)
{
    for (int t = 0; t < n; t++)
        for (size_t s = 0; s < states; s++) {
            const kl_real x = total(sums + ((size_t)t * states + s) * GROUP);
            to[t * step + (ptrdiff_t)s] = add ? to[t * step + (ptrdiff_t)s] + x : x;
        }
}

INLINE void back_rule(const enum kl_scan_rule rule, const struct kl_scan_gradient *to,
                      const struct kl_scan_job *job)
{
    const size_t sums = job->states * CHUNK * GROUP;
    struct back back = { .to = to,
                         .bra = to->work,
                         .sums_b = to->work + job->states * job->channels,
                         .gy_step = along(job, to->ld_gy),
                         .step = along(job, to->ld) };
    back.sums_c = back.sums_b + sums;
    for (size_t i = 0; i < job->states * job->channels; i++) back.bra[i] = 0;
    for (size_t i = kl_scan_chunks(job->steps); i-- > 0;) {
        const struct chunk k = chunk_of(job, i);
        back.gy = to->gy + k.row * to->ld_gy;
        back.gdt = to->gdt + k.row * to->ld, back.gu = to->gu + k.row * to->ld;
        for (size_t j = 0; j < 2 * sums; j++) back.sums_b[j] = 0;
        for (size_t e = 0; e < job->channels; e += KL_LANES) {
            if (k.n == CHUNK) back_lanes(rule, CHUNK, job, &k, &back, e);
            else back_lanes(rule, k.n, job, &k, &back, e);
        }
        const ptrdiff_t step = along(job, to->ld_gbc);
        totals(to->gb + k.row * to->ld_gbc, step, back.sums_b, k.n, job->states, to->add);
        totals(to->gc + k.row * to->ld_gbc, step, back.sums_c, k.n, job->states, to->add);
    }
}
static void back(const struct kl_scan_gradient *to, const struct kl_scan_job *job)
{
    if (job->rule == KL_SCAN_MAMBA) back_rule(KL_SCAN_MAMBA, to, job);
    else if (job->rule == KL_SCAN_EULER) back_rule(KL_SCAN_EULER, to, job);
    else back_rule(KL_SCAN_EXP, to, job);
}

static void rates KL_SCAN_RATES_ARGS(kl_real)
{
    const kl_real unit = rule == KL_SCAN_EULER ? 1 : KL_LOG2_E;
    for (size_t s = 0; s < states; s++)
        for (size_t e = 0; e < channels; e += KL_LANES) {
            kl_lane x;
            for (int l = 0; l < KL_LANES; l++) x[l] = log[(e + (size_t)l) * states + s];
            x = kl_not_above(kl_not_below(x * KL_LOG2_E, -KL_EXP2_MOST), KL_EXP2_MOST);
            AT(a + s * channels + e) = kl_exp2_within(x) * -unit;
        }
}

/* Defined in kernels/cpu/scan_rows.c. */
void KL_ISA_NAME(kl_scan_norm) KL_SCAN_NORM_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_norm_back) KL_SCAN_NORM_BACK_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_conv) KL_SCAN_CONV_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_conv_back) KL_SCAN_CONV_BACK_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_softplus) KL_SCAN_SOFTPLUS_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_softplus_back) KL_SCAN_SOFTPLUS_BACK_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_gate) KL_SCAN_GATE_ARGS(kl_real);
void KL_ISA_NAME(kl_scan_gate_back) KL_SCAN_GATE_BACK_ARGS(kl_real);

#if KL_F64
const struct kl_scan_f64
#else
const struct kl_scan_f32
#endif
    KL_ISA_NAME(kl_scan) = { .rates = rates,
                             .forward = forward,
                             .back = back,
                             .norm = KL_ISA_NAME(kl_scan_norm),
                             .norm_back = KL_ISA_NAME(kl_scan_norm_back),
                             .conv = KL_ISA_NAME(kl_scan_conv),
                             .conv_back = KL_ISA_NAME(kl_scan_conv_back),
                             .softplus = KL_ISA_NAME(kl_scan_softplus),
                             .softplus_back = KL_ISA_NAME(kl_scan_softplus_back),
                             .gate = KL_ISA_NAME(kl_scan_gate),
                             .gate_back = KL_ISA_NAME(kl_scan_gate_back) };
