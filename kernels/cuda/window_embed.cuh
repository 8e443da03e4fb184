/* SPDX-License-Identifier: MIT
   The kernel of circuits on amplitudes that are made of a window's steps (KL_CUDA_WINDOW_EMBEDDED): a
   warp takes a step from its layer norm through three measured states, or in a twin through tanh of a
   map (NORM_TANH), to the hidden values, and back. */
#ifndef KL_CUDA_WINDOW_EMBED_CUH
#define KL_CUDA_WINDOW_EMBED_CUH

#include "kernels/cuda/windows.cuh"

enum { KL_EMBED_MEAN, KL_EMBED_RISE, KL_EMBED_INVERSE, KL_EMBED_KEPT, KL_EMBED_FACTORS = 6 };

/* A warp's step. State 0 is the circuit's, state 1 the bra; behind them measured values (m1, m2, m0: 3 n
   each), the derivatives by these, and h (3 n, complex). */
struct kl_embed_step {
    int n, t, outputs;
    float *z, *dz; /* columns, of rows KL_WINDOW_ROW apart */
    float *m, *dm; /* (3, outputs) */
    kl_complex *h, *psi, *bra;
    const float *gain, *bias, *factors, *skip;
    float mean, rise, inverse; /* v = (gain (z - mean) rise + bias) inverse */
};
KL_GPU kl_embed_step kl_embed_step_of(const kl_windows_job &job, const kl_window_block &b, int t)
{
    kl_embed_step e;
    e.n = job.shape.n_qubits, e.t = t, e.outputs = 3 * e.n;
    e.z = kl_shared + job.at.z + t, e.dz = kl_shared + job.at.dz + t;
    e.psi = kl_window_state(job, 0), e.bra = kl_window_state(job, 1);
    e.m = (float *)(void *)kl_window_state(job, 2), e.dm = e.m + 3 * e.outputs;
    e.h = kl_numbers(e.dm + 3 * e.outputs);
    e.gain = b.given + job.places.gain, e.bias = b.given + job.places.bias;
    e.factors = b.given + job.places.factors, e.skip = b.given + job.places.skip;
    e.mean = e.rise = e.inverse = 0;
    return e;
}
/* use(k) for k < n, by the lanes of the warp. */
template <class F> KL_GPU void kl_lanes_for(int n, F use)
{
    for (int k = kl_lane_number(); k < n; k += KL_WARP) use(k);
}
KL_GPU float kl_embed_plain(const kl_embed_step &e, int k)
{
    return (e.z[k * KL_WINDOW_ROW] - e.mean) * e.rise;
}
KL_GPU float kl_embed_value(const kl_embed_step &e, int k)
{
    return fmaf(e.gain[k], kl_embed_plain(e, k), e.bias[k]) * e.inverse;
}
KL_GPU void kl_embed_norms(kl_embed_step &e)
{
    const int size = 1 << e.n;
    float sum = 0;
    kl_lanes_for(size, [&](int k) { sum += e.z[k * KL_WINDOW_ROW]; });
    e.mean = kl_warp_sum(sum) / (float)size;
    sum = 0;
    kl_lanes_for(size, [&](int k) {
        const float off = e.z[k * KL_WINDOW_ROW] - e.mean;
        sum = fmaf(off, off, sum);
    });
    e.rise = 1 / sqrtf(kl_warp_sum(sum) / (float)size + 1e-5f);
    sum = 0, e.inverse = 1;
    kl_lanes_for(size, [&](int k) {
        const float u = kl_embed_value(e, k);
        sum = fmaf(u, u, sum);
    });
    const float length = sqrtf(kl_warp_sum(sum));
    e.inverse = 1 / (length > 1e-12f ? length : length == length ? 1e-12f : length);
}
KL_GPU void kl_embed_begin(const kl_embed_step &e)
{
    kl_lanes_for(1 << e.n, [&](int k) { e.psi[k] = kl_complex_of(kl_embed_value(e, k), 0); });
    __syncwarp();
}

/* Rotations [from, end) of the shared angles. */
KL_GPU void kl_embed_turn(const kl_windows_job &job, const kl_embed_step &e, int from, int end)
{
    kl_embed_begin(e);
    for (int g = from; g < end; g++) {
        const kl_cuda_rotation r = job.shape.rotations[g];
        const kl_complex turn = kl_turn_of(job, r.angle, e.t);
        kl_rotate(e.psi, e.n, r, turn.x, turn.y);
    }
}
/* psi is the state behind them: the bra by dm goes back to the amplitudes, where its real part is added.
 */
KL_GPU void kl_embed_undo(const kl_windows_job &job, const kl_embed_step &e, int from, int end,
                          const float *dm)
{
    kl_observe(e.bra, e.psi, e.n, dm, 1, 2, 0);
    for (int g = end - 1; g >= from; g--) {
        const kl_cuda_rotation r = job.shape.rotations[g];
        const kl_complex turn = kl_turn_of(job, r.angle, e.t);
        const float d = kl_rotate_back(e.psi, e.bra, e.n, r, turn.x, turn.y);
        if (kl_lane_number() == 0)
            kl_shared[job.at.dangle + (r.angle - job.shape.n_angles) * KL_WINDOW_ROW + e.t] += d;
    }
    kl_lanes_for(1 << e.n, [&](int k) { e.dz[k * KL_WINDOW_ROW] += e.bra[k].x; });
    __syncwarp();
}

/* Measured value j of vector 1, 2, 3 of those that are weighed. */
KL_GPU float kl_embed_weighed(const kl_embed_step &e, int which, int j)
{
    if (which < 2) return e.m[which * e.outputs + j];
    const int q = j % e.n, axis = j / e.n;
    if (axis == 2) return e.m[2 * e.outputs + j];
    return e.m[2 * e.outputs + q] * (axis ? sinf(e.skip[q]) : cosf(e.skip[q]));
}
/* h, and r into the step's column; returns 1 / sqrt(sum |h|^2 + 1e-8). */
KL_GPU float kl_embed_mix(const kl_windows_job &job, const kl_embed_step &e)
{
    float sum = 0;
    kl_lanes_for(e.outputs, [&](int j) {
        kl_complex h = kl_complex_of(0, 0);
        for (int w = 0; w < 3; w++) {
            const float m = kl_embed_weighed(e, w, j);
            h = kl_complex_of(fmaf(e.factors[2 * w], m, h.x), fmaf(e.factors[2 * w + 1], m, h.y));
        }
        e.h[j] = h;
        sum += fmaf(h.x, h.x, h.y * h.y);
    });
    const float over = 1 / sqrtf(kl_warp_sum(sum) + 1e-8f);
    kl_lanes_for(e.outputs, [&](int j) {
        const kl_complex h = e.h[j];
        kl_shared[job.at.r + j * KL_WINDOW_ROW + e.t] = sqrtf(fmaf(h.x, h.x, h.y * h.y)) * over;
    });
    __syncwarp();
    return over;
}
/* What is summed over time. */
KL_GPU void kl_embed_hidden(const kl_windows_job &job, const kl_window_block &b, const kl_embed_step &e)
{
    const float *weight = b.given + job.places.hidden, *bias = b.given + job.places.hidden_bias,
                *r = kl_shared + job.at.r + e.t;
    kl_lanes_for(e.outputs, [&](int f) {
        float sum = bias[f];
        for (int j = 0; j < e.outputs; j++)
            sum = fmaf(weight[f * e.outputs + j], r[j * KL_WINDOW_ROW], sum);
        kl_shared[job.at.m + f * KL_WINDOW_ROW + e.t] = sum <= 0 ? 0 : sum; /* of none, none */
    });
    __syncwarp();
}

/* From the derivatives by the hidden values, which pass where these do, to those by r, in dm. */
KL_GPU void kl_embed_hidden_back(const kl_windows_job &job, const kl_window_block &b,
                                 const kl_embed_step &e)
{
    const float *weight = b.given + job.places.hidden, *hidden = kl_shared + job.at.m + e.t;
    float *d = kl_shared + job.at.dm + e.t;
    kl_lanes_for(e.outputs, [&](int f) {
        if (!(hidden[f * KL_WINDOW_ROW] > 0)) d[f * KL_WINDOW_ROW] = 0;
    });
    __syncwarp();
    kl_lanes_for(e.outputs, [&](int j) {
        float sum = 0;
        for (int f = 0; f < e.outputs; f++)
            sum = fmaf(weight[f * e.outputs + j], d[f * KL_WINDOW_ROW], sum);
        e.dm[j] = sum;
    });
    __syncwarp();
}
/* From these to those by h, in its place, and by the factors. */
KL_GPU void kl_embed_mix_back(const kl_windows_job &job, const kl_embed_step &e, float over)
{
    const float *r = kl_shared + job.at.r + e.t;
    float along = 0, by[KL_EMBED_FACTORS] = { 0, 0, 0, 0, 0, 0 };
    kl_lanes_for(e.outputs, [&](int j) { along = fmaf(e.dm[j], r[j * KL_WINDOW_ROW], along); });
    along = kl_warp_sum(along);
    kl_lanes_for(e.outputs, [&](int j) {
        const kl_complex h = e.h[j];
        const float size = sqrtf(fmaf(h.x, h.x, h.y * h.y)),
                    by_size = (e.dm[j] - r[j * KL_WINDOW_ROW] * along) * over,
                    ratio = size > 0 ? by_size / size : 0;
        const kl_complex g = kl_complex_of(ratio * h.x, ratio * h.y);
        for (int w = 0; w < 3; w++) {
            const float m = kl_embed_weighed(e, w, j);
            by[2 * w] = fmaf(m, g.x, by[2 * w]), by[2 * w + 1] = fmaf(m, g.y, by[2 * w + 1]);
        }
        e.h[j] = g;
    });
    for (int i = 0; i < KL_EMBED_FACTORS; i++) {
        const float sum = kl_warp_sum(by[i]);
        if (kl_lane_number() == 0) kl_shared[job.at.mix + i * KL_WINDOW_ROW + e.t] = sum;
    }
    __syncwarp();
}
/* Then by the measured values and skip. */
KL_GPU void kl_embed_measured_back(const kl_windows_job &job, const kl_embed_step &e)
{
    const float *f = e.factors;
    kl_lanes_for(e.outputs, [&](int j) {
        const kl_complex g = e.h[j];
        const int axis = j / e.n;
        e.dm[j] = fmaf(f[0], g.x, f[1] * g.y);
        e.dm[e.outputs + j] = axis == 1 ? 0 : fmaf(f[2], g.x, f[3] * g.y);
        e.dm[2 * e.outputs + j] = axis == 1 ? 0 : fmaf(f[4], g.x, f[5] * g.y);
    });
    __syncwarp();
    kl_lanes_for(e.n, [&](int q) {
        const kl_complex gy = e.h[e.n + q];
        const float x = e.dm[2 * e.outputs + q], y = fmaf(f[4], gy.x, f[5] * gy.y), c = cosf(e.skip[q]),
                    s = sinf(e.skip[q]), m = e.m[2 * e.outputs + q];
        e.dm[2 * e.outputs + q] = fmaf(c, x, s * y);
        kl_shared[job.at.mix + (KL_EMBED_FACTORS + q) * KL_WINDOW_ROW + e.t] = m * fmaf(c, y, -(s * x));
    });
    __syncwarp();
}
/* From the derivative by the amplitudes, in dz, to that by layer norm's outputs. */
KL_GPU void kl_embed_back(const kl_embed_step &e)
{
    float along = 0;
    kl_lanes_for(1 << e.n,
                 [&](int k) { along = fmaf(kl_embed_value(e, k), e.dz[k * KL_WINDOW_ROW], along); });
    along = kl_warp_sum(along);
    if (!(e.inverse < 0.999e12f)) along = 0; /* there the divisor is a constant */
    kl_lanes_for(1 << e.n, [&](int k) {
        float *d = e.dz + k * KL_WINDOW_ROW;
        *d = e.inverse * (*d - kl_embed_value(e, k) * along);
    });
}

KL_GPU void kl_embed_keep(const kl_windows_job &job, const kl_embed_step &e)
{
    float *keep = kl_shared + job.at.keep + e.t;
    if (kl_lane_number() != 0) return;
    keep[KL_EMBED_MEAN * KL_WINDOW_ROW] = e.mean, keep[KL_EMBED_RISE * KL_WINDOW_ROW] = e.rise;
}

template <bool BACK> KL_GPU void kl_embed_one(const kl_windows_job &job, const kl_window_block &b, int t)
{
    const int gate = job.shape.n_rotations - job.shape.n_gate, end = job.shape.n_rotations;
    kl_embed_step e = kl_embed_step_of(job, b, t);
    kl_embed_norms(e);
    kl_embed_begin(e);
    kl_measure(e.m + 2 * e.outputs, 1, e.psi, e.n, 1);
    kl_embed_turn(job, e, gate, end);
    kl_measure(e.m + e.outputs, 1, e.psi, e.n, 1);
    kl_lanes_for(e.n, [&](int q) { e.m[e.outputs + e.n + q] = e.m[2 * e.outputs + e.n + q] = 0; });
    kl_embed_turn(job, e, 0, gate);
    kl_measure(e.m, 1, e.psi, e.n, 1);
    const float over = kl_embed_mix(job, e);
    kl_embed_hidden(job, b, e);
    if (!BACK) return;
    kl_embed_hidden_back(job, b, e), kl_embed_mix_back(job, e, over);
    kl_embed_measured_back(job, e);
    kl_embed_undo(job, e, 0, gate, e.dm);
    kl_embed_turn(job, e, gate, end);
    kl_embed_undo(job, e, gate, end, e.dm + e.outputs);
    kl_embed_begin(e);
    kl_embed_undo(job, e, 0, 0, e.dm + 2 * e.outputs);
    kl_embed_back(e), kl_embed_keep(job, e);
}

/* A twin's step: what layer norm gives is not made shorter. */
template <bool BACK>
KL_GPU void kl_embed_tanh(const kl_windows_job &job, const kl_window_block &b, int t)
{
    const int size = job.shape.n_angles;
    const float *map = b.given + job.places.features, *bias = b.given + job.places.features_bias;
    float *r = kl_shared + job.at.r + t, *by = kl_shared + job.at.mix + t;
    kl_embed_step e = kl_embed_step_of(job, b, t);
    kl_embed_norms(e);
    e.inverse = 1;
    kl_lanes_for(e.outputs, [&](int f) {
        float sum = bias[f];
        for (int k = 0; k < size; k++) sum = fmaf(map[f * size + k], kl_embed_value(e, k), sum);
        r[f * KL_WINDOW_ROW] = tanhf(sum);
    });
    __syncwarp();
    kl_embed_hidden(job, b, e);
    if (!BACK) return;
    kl_embed_hidden_back(job, b, e);
    kl_lanes_for(e.outputs, [&](int f) {
        const float y = r[f * KL_WINDOW_ROW];
        by[f * KL_WINDOW_ROW] = e.dm[f] * fmaf(-y, y, 1);
    });
    __syncwarp();
    kl_lanes_for(size, [&](int k) {
        float sum = 0;
        for (int f = 0; f < e.outputs; f++) sum = fmaf(map[f * size + k], by[f * KL_WINDOW_ROW], sum);
        e.dz[k * KL_WINDOW_ROW] = sum;
    });
    kl_embed_keep(job, e);
}

/* ---- before and behind the steps, by all threads of the block ---- */
template <bool BACK> KL_GPU void kl_embed_maps(const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    kl_block_for(s.n_angles * KL_WINDOW_STEPS, [&](int e) {
        const int k = e / KL_WINDOW_STEPS, t = e % KL_WINDOW_STEPS;
        kl_shared[job.at.z + k * KL_WINDOW_ROW + t] = kl_window_z(job, b, k, t);
        if (BACK) kl_shared[job.at.dz + k * KL_WINDOW_ROW + t] = 0;
    });
    kl_complex *shared = kl_numbers(kl_shared + job.at.shared);
    kl_block_for(s.n_shared, [&](int k) { shared[k] = kl_half_turn(b.given[job.places.shared + k]); });
    if (BACK)
        kl_block_for(s.n_shared * KL_WINDOW_STEPS, [&](int e) {
            kl_shared[job.at.dangle + e / KL_WINDOW_STEPS * KL_WINDOW_ROW + e % KL_WINDOW_STEPS] = 0;
        });
}
/* z without its mean, over its deviation, of step t. */
KL_GPU float kl_embed_kept(const float *keep, float z, int t)
{
    return (z - keep[KL_EMBED_MEAN * KL_WINDOW_ROW + t]) * keep[KL_EMBED_RISE * KL_WINDOW_ROW + t];
}
/* By gain and bias; then dz becomes the derivative by z, a step a thread. */
KL_GPU void kl_embed_by_norm(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const int size = job.shape.n_angles;
    const float *keep = kl_shared + job.at.keep;
    kl_block_for(size, [&](int k) {
        const float *z = kl_shared + job.at.z + k * KL_WINDOW_ROW,
                    *d = kl_shared + job.at.dz + k * KL_WINDOW_ROW;
        float by_gain = 0, by_bias = 0;
        for (int t = 0; t < b.count; t++) {
            by_gain = fmaf(d[t], kl_embed_kept(keep, z[t], t), by_gain), by_bias += d[t];
        }
        part[job.places.gain + (size_t)k] = by_gain, part[job.places.bias + (size_t)k] = by_bias;
    });
    __syncthreads();
    const float *gain = b.given + job.places.gain;
    kl_block_for(b.count, [&](int t) {
        const float mean = keep[t], rise = keep[KL_EMBED_RISE * KL_WINDOW_ROW + t];
        const float *z = kl_shared + job.at.z + t;
        float *d = kl_shared + job.at.dz + t, sum = 0, along = 0;
        for (int k = 0; k < size; k++) {
            const float dx = d[k * KL_WINDOW_ROW] * gain[k];
            sum += dx, along = fmaf(dx, (z[k * KL_WINDOW_ROW] - mean) * rise, along);
        }
        sum /= (float)size, along /= (float)size;
        for (int k = 0; k < size; k++) {
            float *at = d + k * KL_WINDOW_ROW;
            *at = rise * (*at * gain[k] - sum - (z[k * KL_WINDOW_ROW] - mean) * rise * along);
        }
    });
    __syncthreads();
}
/* By the map and shift; by shared angles, factors and skip; by the hidden layer. */
KL_GPU void kl_embed_by_given(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    const int outputs = 3 * s.n_qubits;
    kl_block_for(s.n_angles * s.channels, [&](int e) {
        const float *d = kl_shared + job.at.dz + e / s.channels * KL_WINDOW_ROW,
                    *x = kl_shared + job.at.x + e % s.channels * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(d[t], x[t], sum);
        part[job.places.map + (size_t)e] = sum;
    });
    kl_block_for(outputs * outputs, [&](int e) {
        const float *d = kl_shared + job.at.dm + e / outputs * KL_WINDOW_ROW,
                    *r = kl_shared + job.at.r + e % outputs * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(d[t], r[t], sum);
        part[job.places.hidden + (size_t)e] = sum;
    });
    const float *keep = kl_shared + job.at.keep, *gain = b.given + job.places.gain,
                *bias = b.given + job.places.bias;
    const bool tanh = s.kind == KL_CUDA_WINDOW_NORM_TANH;
    kl_block_for(tanh ? outputs * s.n_angles : 0, [&](int e) {
        const int f = e / s.n_angles, k = e % s.n_angles;
        const float *d = kl_shared + job.at.mix + f * KL_WINDOW_ROW,
                    *z = kl_shared + job.at.z + k * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++)
            sum = fmaf(d[t], fmaf(gain[k], kl_embed_kept(keep, z[t], t), bias[k]), sum);
        part[job.places.features + (size_t)e] = sum;
    });
    const struct {
        size_t to;
        int rows, n;
    } sums[] = { { job.places.shift, job.at.dz, s.n_angles },
                 { job.places.shared, job.at.dangle, s.n_shared },
                 { tanh ? job.places.features_bias : job.places.factors, job.at.mix,
                   tanh ? outputs : KL_EMBED_FACTORS + s.n_qubits }, /* then skip */
                 { job.places.hidden_bias, job.at.dm, outputs } };
    for (int i = 0; i < 4; i++)
        kl_block_for(sums[i].n, [&](int k) {
            part[sums[i].to + (size_t)k] = kl_row_sum(sums[i].rows + k * KL_WINDOW_ROW, b.count);
        });
}

template <bool BACK>
static __global__ void __launch_bounds__(KL_WINDOW_THREADS)
    kl_embed_blocks(const __grid_constant__ kl_windows_job job)
{
    const kl_window_block b = kl_window_block_of(job);
    const int warp = kl_warp();
    float *part = job.part + blockIdx.x * job.part_size;
    kl_window_load(job, b);
    if (BACK) kl_window_observables(job, b);
    __syncthreads();
    kl_embed_maps<BACK>(job, b);
    __syncthreads();
    for (int t = warp; t < b.count && warp < job.at.groups; t += job.at.groups)
        if (job.shape.kind == KL_CUDA_WINDOW_NORM_TANH) kl_embed_tanh<BACK>(job, b, t);
        else kl_embed_one<BACK>(job, b, t);
    __syncthreads();
    if (!BACK) {
        kl_window_sums(part, job, b);
        return;
    }
    kl_embed_by_norm(part, job, b);
    kl_embed_by_given(part, job, b);
    kl_window_by_weights(part, job, b);
    kl_window_by_x(job, b, kl_shared + job.at.dz, NULL);
}

#endif
