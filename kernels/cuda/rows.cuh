/* SPDX-License-Identifier: MIT
   Rows of inputs of one circuit: matrices from their angles, and from the generators' values
   (kernels/inline/rotations.h) the gradients. */
#ifndef KL_CUDA_ROWS_CUH
#define KL_CUDA_ROWS_CUH

#include "kernels/cuda/gpu.cuh"

/* A matrix is its a and b, of real circuits a cosine and, since turns of real states take that, a
   tangent; generators are X, Y and Z of a matrix, of real circuits Y. */
template <bool REAL> struct kl_sizes {
    static constexpr size_t matrix = REAL ? 2 : 4;
    static constexpr int generators = REAL ? 1 : KL_CUDA_GENERATORS;
};
struct kl_rows {
    const kl_cuda_circuit *circuit;
    const float *x, *w; /* (rows, n_inputs), (n_weights) */
    float *out;         /* (rows, n_outputs) */
    const float *cot;   /* the same; NULL: forward alone */
    float *dx;          /* (rows, n_inputs) */
    float *trig;        /* (2, n_slots): cosine and sine of half the angles that all rows share */
    float *shared;      /* (n_matrices, matrix), those that do not vary */
    float *varying;     /* (n_varying, stride, matrix) */
    float *generators;  /* (n_matrices, generators, stride) */
    float *dangle;      /* (n_slots, stride): derivatives by angles */
    float *states;      /* (1 or 2 of each thread's amplitudes, stride, threads), or NULL */
    size_t stride;      /* rows there is room for */
};

/* The factor of the inputs in an angle. */
KL_GPU float kl_angle_scale(const kl_cuda_angle &a, const float *w)
{
    return a.scaled ? a.scale * w[a.scaled - 1] : a.scale;
}

KL_GPU void kl_half_angle(float *c, float *s, const kl_rows &rows, int slot, const float *x)
{
    const kl_cuda_angle a = rows.circuit->angles[slot];
    if (a.source != KL_CUDA_INPUT) {
        *c = rows.trig[slot], *s = rows.trig[rows.circuit->n_slots + slot];
        return;
    }
    float angle = kl_angle_scale(a, rows.w) * x[a.index];
    if (a.index2 >= 0) angle *= x[a.index2];
    sincosf(0.5f * angle, s, c);
}

/* A cosine, which is not quite 0, and the tangent. */
KL_GPU float2 kl_tangent(float c, float s)
{
    if (fabsf(c) < 1e-12f) c = c < 0 ? -1e-12f : 1e-12f;
    return make_float2(c, s / c);
}

template <bool REAL> KL_GPU void kl_make_matrix(float *to, const kl_rows &rows, int m, const float *x)
{
    const kl_cuda_matrix chain = rows.circuit->matrices[m];
    kl_matrix u = kl_matrix_identity();
    for (int t = chain.first; t < chain.end; t++) {
        const kl_cuda_turn turn = rows.circuit->turns[t];
        float c, s;
        kl_half_angle(&c, &s, rows, turn.slot, x);
        kl_matrix_turn(&u, REAL ? KL_VQC_RY : turn.gate, c, s);
    }
    if (REAL) *(float2 *)to = kl_tangent(u.ar, u.br);
    else *(float4 *)to = make_float4(u.ar, u.ai, u.br, u.bi);
}

/* Cosines and sines that all rows share, by a block; matrices, which need them, come behind a barrier.
 */
KL_GPU void kl_share_angles(const kl_rows &rows)
{
    const kl_cuda_circuit *c = rows.circuit;
    for (int slot = (int)threadIdx.x; slot < c->n_slots; slot += (int)blockDim.x) {
        const kl_cuda_angle a = c->angles[slot];
        if (a.source == KL_CUDA_INPUT) continue;
        sincosf(0.5f * (a.source == KL_CUDA_WEIGHT ? a.scale * rows.w[a.index] : a.scale),
                &rows.trig[c->n_slots + slot], &rows.trig[slot]);
    }
}

/* Matrices that all rows share, by a block. */
template <bool REAL> KL_GPU void kl_share_matrices(const kl_rows &rows)
{
    const kl_cuda_circuit *c = rows.circuit;
    for (int m = c->n_varying + (int)threadIdx.x; m < c->n_matrices; m += (int)blockDim.x)
        kl_make_matrix<REAL>(rows.shared + (size_t)m * kl_sizes<REAL>::matrix, rows, m, NULL);
}

/* use(m, row) for m below n and rows [from, to), by a block; neighbours in a warp have neighbouring
   rows. As if rows were a power of two, since to divide by their number takes longer than some uses. */
template <class F> KL_GPU void kl_each_of_rows(int n, size_t from, size_t to, F use)
{
    const unsigned rows = (unsigned)(to - from);
    int bits = 0;
    while (1u << bits < rows) bits++;
    for (unsigned i = threadIdx.x; i < (unsigned)n << bits; i += blockDim.x) {
        const unsigned row = i & ((1u << bits) - 1);
        if (row < rows) use((int)(i >> bits), from + row);
    }
}

/* The other matrices of rows [from, to), by a block. */
template <bool REAL> KL_GPU void kl_vary_matrices(const kl_rows &rows, size_t from, size_t to)
{
    const kl_cuda_circuit *c = rows.circuit;
    kl_each_of_rows(c->n_varying, from, to, [&](int m, size_t row) {
        kl_make_matrix<REAL>(rows.varying + ((size_t)m * rows.stride + row) * kl_sizes<REAL>::matrix,
                             rows, m, rows.x + row * (size_t)c->n_inputs);
    });
}

template <bool REAL> KL_GPU const float *kl_matrix_at(const kl_rows &rows, int m, size_t row)
{
    const bool varies = m < rows.circuit->n_varying;
    const float *first = varies ? rows.varying + row * kl_sizes<REAL>::matrix : rows.shared;
    const unsigned step = (varies ? (unsigned)rows.stride : 1) * (unsigned)kl_sizes<REAL>::matrix;
    return first + (size_t)m * step;
}

template <bool REAL> KL_GPU kl_matrix kl_matrix_of(const kl_rows &rows, int m, size_t row)
{
    const float *from = kl_matrix_at<REAL>(rows, m, row);
    kl_matrix u = kl_matrix_identity();
    if (REAL) {
        const float2 two = *(const float2 *)from;
        u.ar = two.x, u.br = two.x * two.y;
    } else {
        const float4 four = *(const float4 *)from;
        u.ar = four.x, u.ai = four.y, u.br = four.z, u.bi = four.w;
    }
    return u;
}

/* The identity where there is none. */
template <bool REAL> KL_GPU kl_matrix kl_matrix_if_any(const kl_rows &rows, int m, size_t row)
{
    return m < 0 ? kl_matrix_identity() : kl_matrix_of<REAL>(rows, m, row);
}

/* The place of component k of a matrix's generators. */
template <bool REAL> KL_GPU float *kl_generator_at(const kl_rows &rows, int m, int k, size_t row)
{
    return rows.generators + ((size_t)m * (size_t)kl_sizes<REAL>::generators + (size_t)k) * rows.stride +
           row;
}

/* The derivatives by the angles of a matrix, from the generators behind its last turn. */
template <bool REAL> KL_GPU void kl_differentiate_matrix(const kl_rows &rows, int m, size_t row)
{
    const kl_cuda_matrix chain = rows.circuit->matrices[m];
    kl_generators g = { 0, *kl_generator_at<REAL>(rows, m, REAL ? 0 : 1, row), 0 };
    if (!REAL)
        g.x = *kl_generator_at<REAL>(rows, m, 0, row), g.z = *kl_generator_at<REAL>(rows, m, 2, row);
    for (int t = chain.end; t-- > chain.first;) {
        const kl_cuda_turn turn = rows.circuit->turns[t];
        rows.dangle[(size_t)turn.slot * rows.stride + row] =
            *kl_generator(&g, REAL ? KL_VQC_RY : turn.gate);
        if (REAL || t == chain.first) continue;
        float c, s;
        kl_half_angle(&c, &s, rows, turn.slot, rows.x + row * (size_t)rows.circuit->n_inputs);
        kl_generators_back(&g, turn.gate, c, s);
    }
}

/* The derivative by input i of a row. */
KL_GPU float kl_input_gradient(const kl_rows &rows, int i, size_t row)
{
    const kl_cuda_circuit *c = rows.circuit;
    const float *x = rows.x + row * (size_t)c->n_inputs;
    float sum = 0;
    for (int u = i ? c->in_end[i - 1] : 0; u < c->in_end[i]; u++) {
        const kl_cuda_angle a = c->angles[c->in_use[u]];
        const float by =
            rows.dangle[(size_t)c->in_use[u] * rows.stride + row] * kl_angle_scale(a, rows.w);
        if (a.index == i) sum += a.index2 < 0 ? by : by * x[a.index2];
        if (a.index2 == i) sum += by * x[a.index];
    }
    return sum;
}

/* Gradients of rows [from, to), by a block: dangle, then, unless inputs are amplitudes, dx, of which
   value i of these rows is thread i's, modulo their number. */
template <bool REAL> KL_GPU void kl_differentiate(const kl_rows &rows, size_t from, size_t to)
{
    const kl_cuda_circuit *c = rows.circuit;
    const unsigned n = (unsigned)(to - from), n_in = (unsigned)c->n_inputs;
    kl_each_of_rows(c->n_matrices, from, to,
                    [&](int m, size_t row) { kl_differentiate_matrix<REAL>(rows, m, row); });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n * n_in && !c->given; i += blockDim.x)
        rows.dx[from * n_in + i] = kl_input_gradient(rows, (int)(i % n_in), from + i / n_in);
}

/* One row's part of the derivative by a weight that stands in slot: x are the row's inputs, d the
   derivative by the slot's angle. */
KL_GPU float kl_weight_part(const kl_cuda_angle &a, const float *x, float d)
{
    if (a.source == KL_CUDA_WEIGHT) return a.scale * d;
    const float factor = a.scale * d * x[a.index];
    return a.index2 < 0 ? factor : factor * x[a.index2];
}

#endif
