/* SPDX-License-Identifier: MIT
   The kernels of windows' circuits. A block has 32 steps of one window: all its threads make their
   angles, then each warp one state after another in the block's memory. Nothing is kept from the way
   there to the way back, which goes there again: a third of its time, against copies of all states. */
#ifndef KL_CUDA_WINDOWS_CUH
#define KL_CUDA_WINDOWS_CUH

#include "kernels/cuda/parts.cuh"
#include "kernels/cuda/train.cuh"
#include "kernels/cuda/window_state.cuh"

enum {
    KL_WINDOW_STEPS = 32, /* a warp */
    KL_WINDOW_ROW = 33, /* of so many values: neither along rows nor across do threads meet in a bank */
    KL_WINDOW_WARPS = 8,
    KL_WINDOW_THREADS = KL_WINDOW_WARPS * KL_WARP,
    KL_MIX = 4 /* alpha, beta */
};

/* Places in a block's memory, in floats. Rows are of steps; turns: cosine and sine of half an angle. */
struct kl_window_layout {
    int32_t x, turns, shared, m, norm, slope, dangle, dm, mix, field, states; /* from slope on: back */
    int32_t z, dz, keep, r;                                                   /* EMBEDDED */
    int32_t state, groups; /* floats of a warp's states; warps that have some */
};
struct kl_windows_job {
    struct kl_cuda_windows_shape shape; /* arrays on the GPU, as all here */
    struct kl_cuda_windows_places places;
    struct kl_window_layout at;
    int32_t chunks, count;    /* blocks of a window; windows of a copy */
    const float *windows;     /* (n_windows, channels, stride) */
    const int32_t *rows;      /* (n, count); NULL: one after another */
    const float *given;       /* (n, places.end) */
    const uint32_t *replica;  /* (n) */
    float *by_x;              /* (n, count, channels) by step 0, or NULL */
    size_t apart;             /* of dropout's numbers from channel to channel */
    const float *by_sum;      /* (n, count, outputs) */
    float *part;              /* of each block what it adds to sum, or to by_given */
    size_t part_size, values; /* of a block; what a copy has of sum or by_given */
    float *to;                /* (n, values), copies `row` values apart */
    double *units;            /* (units, n, values), the same of each unit, or NULL */
    size_t row, copies;
    struct kl_cuda_windows_parts parts;
    int32_t number; /* in the step, of the first window */
    uint32_t step, threshold;
};

/* What a block is and where it has what. */
struct kl_window_block {
    const float *given;
    size_t copy;
    int window, first, count; /* steps [first, first + count) */
};
KL_GPU kl_window_block kl_window_block_of(const kl_windows_job &job)
{
    const unsigned chunks = (unsigned)job.chunks, windows = (unsigned)job.count;
    const size_t copy = blockIdx.x / chunks / windows;
    const int first = (int)(blockIdx.x % chunks) * KL_WINDOW_STEPS, left = job.shape.steps - first;
    return kl_window_block{ job.given + copy * job.places.end, copy,
                            (int)(blockIdx.x / chunks % windows), first,
                            left < KL_WINDOW_STEPS ? left : KL_WINDOW_STEPS };
}
KL_GPU kl_complex *kl_numbers(float *at)
{
    return (kl_complex *)(void *)at;
}
/* use(e) for e < n, by all threads of the block. */
template <class F> KL_GPU void kl_block_for(int n, F use)
{
    for (int e = (int)threadIdx.x; e < n; e += KL_WINDOW_THREADS) use(e);
}

/* ---- before the circuits ---- */
/* What dropout leaves of x of channel c at a step. */
KL_GPU float kl_window_drop(const kl_windows_job &job, const kl_window_block &b, float x, int c,
                            int step)
{
    if (!job.threshold) return x;
    const size_t channel = (size_t)(job.number + b.window) * (size_t)job.shape.channels + (size_t)c;
    const uint32_t number =
        kl_dropout_number(job.shape.seed, job.shape.purpose,
                          (uint32_t)(channel * job.apart + (size_t)step), job.step, job.replica[b.copy]);
    return number >= job.threshold ? x * job.shape.keep_scale : 0;
}
/* The block's steps of the window; in training some values are dropped. Behind the last step: 0. */
KL_GPU void kl_window_load(const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    const size_t own = (size_t)s.channels * (size_t)s.stride;
    const size_t place = b.copy * (size_t)job.count + (size_t)b.window;
    const float *from = job.windows + (job.rows ? (size_t)job.rows[place] : place) * own;
    kl_block_for(s.channels * KL_WINDOW_STEPS, [&](int e) {
        const int c = e / KL_WINDOW_STEPS, t = e % KL_WINDOW_STEPS;
        const size_t at = (size_t)c * (size_t)s.stride + (size_t)(b.first + t);
        float x = t < b.count ? from[at] : 0;
        if (t < b.count) x = kl_window_drop(job, b, x, c, b.first + t);
        kl_shared[job.at.x + c * KL_WINDOW_ROW + t] = x;
    });
}

KL_GPU kl_complex kl_half_turn(float angle)
{
    float sine, cosine;
    sincosf(0.5f * angle, &sine, &cosine);
    return kl_complex_of(cosine, sine);
}
/* 1 / (1 + far), far = e^-z, which overflows nowhere; of a number that is none, none. */
KL_GPU float kl_window_sigmoid(float *far, float z)
{
    *far = z == z ? expf(fminf(fmaxf(-z, -86.0f), 86.0f)) : z;
    return 1 / (1 + *far);
}
/* Row i of map x + shift at step t. */
KL_GPU float kl_window_z(const kl_windows_job &job, const kl_window_block &b, int i, int t)
{
    const float *map = b.given + job.places.map + (size_t)i * (size_t)job.shape.channels,
                *x = kl_shared + job.at.x + t;
    float z = b.given[job.places.shift + i];
    for (int c = 0; c < job.shape.channels; c++) z = fmaf(map[c], x[c * KL_WINDOW_ROW], z);
    return z;
}
/* Angles of all steps, and their derivatives by z = map x + shift. */
template <bool BACK> KL_GPU void kl_window_angles(const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    kl_complex *turns = kl_numbers(kl_shared + job.at.turns);
    kl_block_for(s.n_angles * KL_WINDOW_STEPS, [&](int e) {
        const int i = e / KL_WINDOW_STEPS, t = e % KL_WINDOW_STEPS;
        const float z = kl_window_z(job, b, i, t);
        if (s.kind == KL_CUDA_WINDOW_TANH) {
            const float m = tanhf(z);
            kl_shared[job.at.m + i * KL_WINDOW_ROW + t] = m;
            if (BACK) kl_shared[job.at.slope + i * KL_WINDOW_ROW + t] = 1 - m * m;
            return;
        }
        float far;
        const float sigma = kl_window_sigmoid(&far, z);
        turns[e] = kl_half_turn(fmaf(s.factor, sigma, b.given[job.places.base + i]));
        if (BACK) kl_shared[job.at.slope + i * KL_WINDOW_ROW + t] = s.factor * (far * sigma * sigma);
    });
    kl_complex *shared = kl_numbers(kl_shared + job.at.shared);
    kl_block_for(s.n_shared, [&](int k) { shared[k] = kl_half_turn(b.given[job.places.shared + k]); });
    if (BACK)
        kl_block_for((s.n_angles + s.n_shared) * KL_WINDOW_STEPS, [&](int e) {
            const int row = e / KL_WINDOW_STEPS * KL_WINDOW_ROW + e % KL_WINDOW_STEPS;
            kl_shared[job.at.dangle + row] =
                s.kind == KL_CUDA_WINDOW_TANH ? kl_shared[job.at.dm + row] : 0;
        });
    if (BACK && s.superposed)
        kl_block_for(2 << s.n_qubits, [&](int e) { kl_shared[job.at.field + e] = 0; });
}

/* Derivatives by what is measured at each step. */
KL_GPU void kl_window_observables(const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    const int outputs = 3 * s.n_qubits;
    const float *by =
        job.by_sum + (b.copy * (size_t)job.count + (size_t)b.window) * (size_t)(s.n_weights * outputs);
    kl_block_for(outputs * KL_WINDOW_STEPS, [&](int e) {
        const int f = e / KL_WINDOW_STEPS, t = e % KL_WINDOW_STEPS;
        float sum = 0;
        for (int w = 0; w < s.n_weights && t < b.count; w++)
            sum = fmaf(b.given[job.places.weights + (size_t)(w * s.steps + b.first + t)],
                       by[w * outputs + f], sum);
        kl_shared[job.at.dm + f * KL_WINDOW_ROW + t] = sum;
    });
}

/* ---- the circuits ---- */
KL_GPU kl_complex kl_turn_of(const kl_windows_job &job, int angle, int t)
{
    const int own = job.shape.n_angles;
    return angle < own ? kl_numbers(kl_shared + job.at.turns)[angle * KL_WINDOW_STEPS + t]
                       : kl_numbers(kl_shared + job.at.shared)[angle - own];
}
/* A warp's states: psi, then the bra or phi, then the other one of these. */
KL_GPU kl_complex *kl_window_state(const kl_windows_job &job, int which)
{
    return kl_numbers(kl_shared + job.at.states + kl_warp() * job.at.state) +
           ((size_t)which << job.shape.n_qubits);
}
KL_GPU kl_mix kl_mix_of(const kl_windows_job &job, const kl_window_block &b)
{
    const float *mix = b.given + job.places.mix;
    return kl_mix{ kl_complex_of(mix[0], mix[1]), kl_complex_of(mix[2], mix[3]),
                   (const kl_complex *)(const void *)(b.given + job.places.third), job.shape.image };
}

KL_GPU void kl_window_circuit(const kl_windows_job &job, const kl_window_block &b, int t)
{
    const int n = job.shape.n_qubits;
    kl_complex *psi = kl_window_state(job, 0), *phi = kl_window_state(job, 1);
    kl_begin_state(psi, n);
    for (int g = 0; g < job.shape.n_rotations; g++) {
        const kl_cuda_rotation r = job.shape.rotations[g];
        const kl_complex turn = kl_turn_of(job, r.angle, t);
        kl_rotate(psi, n, r, turn.x, turn.y);
    }
    float by = 1;
    if (job.shape.superposed) {
        kl_superpose(phi, psi, n, kl_mix_of(job, b));
        const float size = sqrtf(kl_square_norm(phi, n)), over = 1 / (size + 1e-9f);
        if (kl_lane_number() == 0) {
            kl_shared[job.at.norm + t] = over;
            kl_shared[job.at.norm + KL_WINDOW_STEPS + t] = size > 0 ? 1 / size : 0;
        }
        by = over * over;
    } else phi = psi;
    kl_measure(kl_shared + job.at.m + t, KL_WINDOW_ROW, phi, n, by);
}

/* The derivative by the state that is measured, from dm: into state 2 where states are superposed, else
   1. */
KL_GPU void kl_window_bra(const kl_windows_job &job, int t)
{
    const int n = job.shape.n_qubits;
    const float *m = kl_shared + job.at.m + t, *dm = kl_shared + job.at.dm + t,
                *norm = kl_shared + job.at.norm + t;
    if (!job.shape.superposed) {
        kl_observe(kl_window_state(job, 1), kl_window_state(job, 0), n, dm, KL_WINDOW_ROW, 2, 0);
        return;
    }
    float dot = 0;
    for (int f = 0; f < 3 * n; f++) dot = fmaf(m[f * KL_WINDOW_ROW], dm[f * KL_WINDOW_ROW], dot);
    kl_observe(kl_window_state(job, 2), kl_window_state(job, 1), n, dm, KL_WINDOW_ROW,
               2 * norm[0] * norm[0], -2 * dot * norm[0] * norm[KL_WINDOW_STEPS]);
}

/* From that bra to derivatives by angles. */
KL_GPU void kl_window_adjoint(const kl_windows_job &job, const kl_window_block &b, int t)
{
    const int n = job.shape.n_qubits;
    kl_complex *psi = kl_window_state(job, 0), *bra = kl_window_state(job, 1);
    if (job.shape.superposed) {
        float by[KL_MIX];
        kl_superpose_back(bra, by, kl_window_state(job, 2), psi, n, kl_mix_of(job, b));
        if (kl_lane_number() == 0)
            for (int i = 0; i < KL_MIX; i++) kl_shared[job.at.mix + i * KL_WINDOW_ROW + t] = by[i];
    }
    for (int g = job.shape.n_rotations - 1; g >= 0; g--) {
        const kl_cuda_rotation r = job.shape.rotations[g];
        const kl_complex turn = kl_turn_of(job, r.angle, t);
        const float d = kl_rotate_back(psi, bra, n, r, turn.x, turn.y);
        if (kl_lane_number() == 0) kl_shared[job.at.dangle + r.angle * KL_WINDOW_ROW + t] += d;
    }
}

/* The derivatives by the third state, of the steps from t on that the warps have, in their order. */
KL_GPU void kl_window_field(const kl_windows_job &job, int steps)
{
    const int size = 1 << job.shape.n_qubits;
    const float *bra = kl_shared + job.at.states + 4 * size;
    kl_block_for(2 * size, [&](int e) {
        float sum = kl_shared[job.at.field + e];
        for (int i = 0; i < steps; i++) sum += bra[i * job.at.state + e];
        kl_shared[job.at.field + e] = sum;
    });
}

template <bool BACK> KL_GPU void kl_window_states(const kl_windows_job &job, const kl_window_block &b)
{
    const int groups = job.at.groups, warp = kl_warp();
    for (int first = 0; first < b.count; first += groups) {
        const int t = first + warp, left = b.count - first, steps = left < groups ? left : groups;
        const bool there = warp < steps;
        if (there) kl_window_circuit(job, b, t);
        if (!BACK) continue;
        if (there) kl_window_bra(job, t);
        if (job.shape.superposed) {
            __syncthreads();
            kl_window_field(job, steps);
            __syncthreads();
        }
        if (there) kl_window_adjoint(job, b, t);
    }
}

/* ---- behind them ---- */
/* Sums over the block's steps. */
KL_GPU float kl_row_sum(int row, int count)
{
    float sum = 0;
    for (int t = 0; t < count; t++) sum += kl_shared[row + t];
    return sum;
}
KL_GPU void kl_window_sums(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const int outputs = 3 * job.shape.n_qubits;
    kl_block_for(job.shape.n_weights * outputs, [&](int e) {
        const int w = e / outputs, f = e % outputs;
        const float *weight = b.given + job.places.weights + (size_t)(w * job.shape.steps + b.first),
                    *m = kl_shared + job.at.m + f * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(weight[t], m[t], sum);
        part[e] = sum;
    });
}

/* By the map, shift, base, the shared angles. */
KL_GPU void kl_window_by_angles(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    kl_block_for(s.n_angles * s.channels, [&](int e) {
        const int i = e / s.channels, c = e % s.channels;
        const float *d = kl_shared + job.at.dangle + i * KL_WINDOW_ROW,
                    *slope = kl_shared + job.at.slope + i * KL_WINDOW_ROW,
                    *x = kl_shared + job.at.x + c * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(d[t] * slope[t], x[t], sum);
        part[job.places.map + (size_t)e] = sum;
    });
    kl_block_for(s.n_angles, [&](int i) {
        const int d = job.at.dangle + i * KL_WINDOW_ROW, slope = job.at.slope + i * KL_WINDOW_ROW;
        float sum = 0;
        for (int t = 0; t < b.count; t++) sum = fmaf(kl_shared[d + t], kl_shared[slope + t], sum);
        part[job.places.shift + (size_t)i] = sum;
        part[job.places.base + (size_t)i] = kl_row_sum(d, b.count);
    });
    kl_block_for(s.n_shared, [&](int k) {
        part[job.places.shared + (size_t)k] =
            kl_row_sum(job.at.dangle + (s.n_angles + k) * KL_WINDOW_ROW, b.count);
    });
}

/* By the weights of its own steps; others are not written. */
KL_GPU void kl_window_by_weights(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    const kl_cuda_windows_shape &s = job.shape;
    const int outputs = 3 * s.n_qubits;
    const float *by =
        job.by_sum + (b.copy * (size_t)job.count + (size_t)b.window) * (size_t)(s.n_weights * outputs);
    kl_block_for(s.n_weights * b.count, [&](int e) {
        const int w = e / b.count, t = e % b.count;
        const float *m = kl_shared + job.at.m + t;
        float sum = 0;
        for (int f = 0; f < outputs; f++) sum = fmaf(by[w * outputs + f], m[f * KL_WINDOW_ROW], sum);
        part[job.places.weights + (size_t)(w * s.steps + b.first + t)] = sum;
    });
}
KL_GPU void kl_window_by_mix(float *part, const kl_windows_job &job, const kl_window_block &b)
{
    if (!job.shape.superposed) return;
    kl_block_for(KL_MIX, [&](int i) {
        part[job.places.mix + (size_t)i] = kl_row_sum(job.at.mix + i * KL_WINDOW_ROW, b.count);
    });
    kl_block_for(2 << job.shape.n_qubits,
                 [&](int e) { part[job.places.third + (size_t)e] = kl_shared[job.at.field + e]; });
}

/* By a window's one step itself, from dz (rows KL_WINDOW_ROW apart; slope: times these, NULL: nothing).
 */
KL_GPU void kl_window_by_x(const kl_windows_job &job, const kl_window_block &b, const float *dz,
                           const float *slope)
{
    const int channels = job.shape.channels;
    if (!job.by_x) return;
    float *to = job.by_x + (b.copy * (size_t)job.count + (size_t)b.window) * (size_t)channels;
    kl_block_for(channels, [&](int c) {
        const float *map = b.given + job.places.map + c;
        float sum = 0;
        for (int i = 0; i < job.shape.n_angles; i++)
            sum = fmaf(map[(size_t)i * (size_t)channels],
                       dz[i * KL_WINDOW_ROW] * (slope ? slope[i * KL_WINDOW_ROW] : 1), sum);
        to[c] = kl_window_drop(job, b, sum, c, 0);
    });
}

/* A block 32 steps of a window of a copy, in this order. */
template <bool BACK>
static __global__ void __launch_bounds__(KL_WINDOW_THREADS)
    kl_windows_blocks(const __grid_constant__ kl_windows_job job)
{
    const kl_window_block b = kl_window_block_of(job);
    float *part = job.part + blockIdx.x * job.part_size;
    kl_window_load(job, b);
    if (BACK) kl_window_observables(job, b);
    __syncthreads();
    kl_window_angles<BACK>(job, b);
    __syncthreads();
    if (job.shape.kind == KL_CUDA_WINDOW_TURNED) kl_window_states<BACK>(job, b);
    __syncthreads();
    if (!BACK) {
        kl_window_sums(part, job, b);
        return;
    }
    kl_window_by_angles(part, job, b);
    kl_window_by_weights(part, job, b);
    kl_window_by_mix(part, job, b);
    kl_window_by_x(job, b, kl_shared + job.at.dangle, kl_shared + job.at.slope);
}

static inline __host__ __device__ size_t kl_windows_sum_blocks(size_t values)
{
    return (values + KL_WINDOW_THREADS - 1) / KL_WINDOW_THREADS;
}
/* The blocks' parts of a value, in double: forward of each window, in their order; back of all windows,
   by parts of the step, but by a step's weight of those blocks that have it. A thread a value, whole
   blocks a copy. */
template <bool BACK>
static __global__ void __launch_bounds__(KL_WINDOW_THREADS)
    kl_windows_sums(const __grid_constant__ kl_windows_job job)
{
    const size_t each = kl_windows_sum_blocks(job.values), copy = blockIdx.x / each,
                 value = blockIdx.x % each * KL_WINDOW_THREADS + threadIdx.x, outputs = job.part_size,
                 chunks = (size_t)job.chunks, e = BACK ? value : value % outputs;
    if (value >= job.values) return;
    const bool one = BACK && e >= job.places.weights && e < job.places.mix;
    const size_t from = one ? (e - job.places.weights) % (size_t)job.shape.steps / KL_WINDOW_STEPS : 0,
                 end = one ? from + 1 : chunks;
    auto add = [&](double sum, int window) {
        const float *part = job.part + ((copy * (size_t)job.count + (size_t)window) * chunks) * outputs;
        for (size_t c = from; c < end; c++) sum += part[c * outputs + e];
        return sum;
    };
    if (!BACK) {
        job.to[copy * job.row + value] = (float)add(0, (int)(value / outputs));
        return;
    }
    double slots[KL_CUDA_WINDOWS_PARTS];
    kl_sum_parts(slots, 1, job.parts, 0, job.count, add);
    if (!job.units) job.to[copy * job.row + value] = (float)slots[0];
    else
        for (int u = 0; u < job.parts.units; u++)
            job.units[((size_t)u * job.copies + copy) * job.row + value] = slots[u];
}

#endif
