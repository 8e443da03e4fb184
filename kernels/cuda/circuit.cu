/* SPDX-License-Identifier: MIT
   Batches of one circuit: a thread a sample to 5 qubits, a warp to 10, a block above. */
#include "kernels/cuda/large.cuh"
#include "kernels/cuda/library.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, OWN = 5, SUM_THREADS = 256, SHARED = 48 << 10, MOST_BLOCKS = 4096 };

struct kl_cuda_batch {
    struct kl_cuda_circuit host, circuit; /* arrays in host memory are the caller's */
    void *arrays;
    size_t n, blocks, state; /* of large states: blocks, bytes of one block's states */
    bool shared;
    float *x, *w, *cot, *out, *dx, *dw, *trig, *dangle, *scratch;
    cudaStream_t stream;
    cudaEvent_t begin, end;
};

/* What a kernel is given. */
struct job {
    struct kl_cuda_circuit circuit;
    const float *x, *w, *cot; /* cot NULL: forward alone */
    float *out, *dx, *dw, *trig, *dangle, *scratch;
    size_t n;
    int lane_bits;
    size_t state;  /* floats of a block's states in scratch; 0: in shared memory */
    size_t amount; /* floats of a block's scratch */
};

static __global__ void shared_angles(struct job job)
{
    const int slot = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (slot < job.circuit.n_slots)
        kl_shared_angle(job.trig, job.trig + job.circuit.n_slots, &job.circuit, slot, job.w);
}

KL_GPU kl_angles angles_of(const struct job *job, size_t row)
{
    return kl_angles{ &job->circuit, job->trig, job->trig + job->circuit.n_slots,
                      job->x + row * (size_t)job->circuit.n_inputs, job->w };
}

template <int L, bool REAL>
static __global__ void __launch_bounds__(THREADS) small_states(struct job job)
{
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x,
                 sample = thread >> job.lane_bits;
    const bool writes = sample < job.n;
    const size_t row = writes ? sample : job.n - 1; /* shuffles need every thread of a warp */
    const kl_place at = { threadIdx.x & ((1u << job.lane_bits) - 1), job.lane_bits };
    const kl_angles angles = angles_of(&job, row);
    const size_t n_out = (size_t)job.circuit.n_outputs, n_in = (size_t)job.circuit.n_inputs;
    kl_state<L, REAL> state;
    kl_sweep(state, angles, at);
    kl_outputs(job.out + row * n_out, state, &job.circuit, writes, at);
    if (job.cot)
        kl_sweep_back(job.dangle + row, job.n, job.dx + row * n_in, state, angles, job.cot + row * n_out,
                      writes, at);
}

extern __shared__ float kl_shared[];

static __global__ void __launch_bounds__(KL_LARGE_THREADS) large_states(struct job job)
{
    const uint32_t size = 1u << job.circuit.n_qubits;
    float *own = job.scratch + blockIdx.x * job.amount, *at = job.state ? own : kl_shared;
    float *parts = own + job.state, *part = parts + (size_t)job.circuit.n_slots * KL_LARGE_WARPS;
    const kl_memory_state a = { at, job.circuit.real ? NULL : at + size, size };
    at += job.circuit.real ? size : 2 * size;
    const kl_memory_state b = { at, job.circuit.real ? NULL : at + size, size };
    const size_t n_out = (size_t)job.circuit.n_outputs, n_in = (size_t)job.circuit.n_inputs;
    for (size_t row = blockIdx.x; row < job.n; row += gridDim.x) {
        const kl_angles angles = angles_of(&job, row);
        kl_large_sweep(a, angles);
        kl_large_outputs(job.out + row * n_out, part, a, &job.circuit);
        if (job.cot)
            kl_large_back(job.dangle + row, job.n, job.dx + row * n_in, parts, a, b, angles,
                          job.cot + row * n_out);
        __syncthreads();
    }
}

/* A block a weight: threads take every SUM_THREADS'th row, then halves. */
static __global__ void __launch_bounds__(SUM_THREADS) sum_weights(struct job job)
{
    const int weight = (int)blockIdx.x;
    const struct kl_cuda_circuit *c = &job.circuit;
    float sum = 0;
    for (int u = weight ? c->use_end[weight - 1] : 0; u < c->use_end[weight]; u++) {
        const kl_cuda_angle angle = c->angles[c->use[u]];
        const float *d = job.dangle + (size_t)c->use[u] * job.n;
        for (size_t row = threadIdx.x; row < job.n; row += SUM_THREADS)
            sum += kl_weight_part(angle, job.x + row * (size_t)c->n_inputs, d[row]);
    }
    kl_part(kl_shared, sum);
    __syncthreads();
    if (threadIdx.x) return;
    sum = 0;
    for (int w = 0; w < SUM_THREADS / KL_WARP; w++) sum += kl_shared[w];
    job.dw[weight] = sum;
}

typedef void (*kernel)(struct job);

template <bool REAL> static kernel small_kernel(int own)
{
    static const kernel of[OWN] = { small_states<1, REAL>, small_states<2, REAL>, small_states<3, REAL>,
                                    small_states<4, REAL>, small_states<5, REAL> };
    return of[own - 1];
}

static int launch(kernel k, size_t blocks, int threads, size_t shared, const struct job *job,
                  cudaStream_t stream, struct kl_error *err)
{
    void *arguments[] = { (void *)job };
    return kl_cuda_check(
        cudaLaunchKernel(k, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, shared, stream),
        "running the circuit", err);
}

static int run(struct kl_cuda_batch *b, bool back, struct kl_error *err)
{
    struct job job = { b->circuit, b->x,    b->w,      back ? b->cot : NULL, b->out, b->dx,
                       b->dw,      b->trig, b->dangle, b->scratch,           b->n,   0,
                       0,          0 };
    const int n = b->circuit.n_qubits, own = n <= OWN ? n : n - OWN;
    int code = launch(shared_angles, (size_t)(b->circuit.n_slots + THREADS) / THREADS, THREADS, 0, &job,
                      b->stream, err);
    job.lane_bits = n <= OWN ? 0 : 5;
    if (!code && n <= 2 * OWN) {
        const size_t blocks = ((b->n << job.lane_bits) + THREADS - 1) / THREADS;
        code = launch(b->circuit.real ? small_kernel<true>(own) : small_kernel<false>(own), blocks,
                      THREADS, 0, &job, b->stream, err);
    } else if (!code) {
        job.state = b->shared ? 0 : b->state / sizeof(float);
        job.amount = job.state + ((size_t)b->circuit.n_slots + 1) * KL_LARGE_WARPS;
        code = launch(large_states, b->blocks, KL_LARGE_THREADS, b->shared ? b->state : 0, &job,
                      b->stream, err);
    }
    if (!code && back && b->circuit.n_weights)
        code = launch(sum_weights, (size_t)b->circuit.n_weights, SUM_THREADS,
                      SUM_THREADS / KL_WARP * sizeof(float), &job, b->stream, err);
    return code;
}

/* As many blocks as the card holds at once, with states in shared memory where it is large enough. */
static int open_large(struct kl_cuda_batch *b, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    int each = 0, code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (code) return code;
    b->state = ((size_t)2 << b->circuit.n_qubits) * (b->circuit.real ? 1 : 2) * sizeof(float);
    b->shared = b->state <= p.sharedMemPerBlockOptin;
    if (b->shared)
        code =
            kl_cuda_check(cudaFuncSetAttribute(large_states, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               (int)b->state),
                          "shared memory", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &each, large_states, KL_LARGE_THREADS, b->shared ? b->state : 0),
                             "looking at the GPU", err);
    b->blocks = (size_t)(each < 1 ? 1 : each) * (size_t)p.multiProcessorCount;
    if (b->blocks > b->n) b->blocks = b->n;
    return code;
}

int kl_cuda_batch_open(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                       int device, struct kl_error *err)
{
    const char *what = "a batch of circuits";
    struct kl_cuda_batch *b = *batch = (struct kl_cuda_batch *)calloc(1, sizeof *b);
    if (!b) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *b);
    const size_t n_in = (size_t)circuit->n_inputs, n_out = (size_t)circuit->n_outputs,
                 slots = (size_t)circuit->n_slots;
    b->n = n;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_circuit_copy(&b->circuit, &b->arrays, circuit, err);
    if (!code && circuit->n_qubits > 2 * OWN) code = open_large(b, device, err);
    const size_t each = b->state && !b->shared ? b->state / sizeof(float) : 0;
    const struct {
        float **to;
        size_t n;
    } memory[] = { { &b->x, n * n_in },
                   { &b->w, (size_t)circuit->n_weights },
                   { &b->cot, n * n_out },
                   { &b->out, n * n_out },
                   { &b->dx, n * n_in },
                   { &b->dw, (size_t)circuit->n_weights },
                   { &b->trig, 2 * slots },
                   { &b->dangle, slots * n },
                   { &b->scratch, b->blocks * (each + (slots + 1) * KL_LARGE_WARPS) } };
    for (size_t i = 0; i < sizeof memory / sizeof *memory && !code; i++)
        code = kl_cuda_take((void **)memory[i].to, memory[i].n, sizeof(float), what, err);
    if (!code) code = kl_cuda_check(cudaStreamCreate(&b->stream), what, err);
    if (!code) code = kl_cuda_check(cudaEventCreate(&b->begin), what, err);
    if (!code) code = kl_cuda_check(cudaEventCreate(&b->end), what, err);
    if (code) kl_cuda_batch_close(batch);
    return code;
}

static int to_card(float *to, const float *from, size_t n, struct kl_error *err)
{
    return n ? kl_cuda_check(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyHostToDevice),
                             "inputs to the GPU", err)
             : KL_OK;
}

static int from_card(float *to, const float *from, size_t n, struct kl_error *err)
{
    return n && to ? kl_cuda_check(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyDeviceToHost),
                                   "results from the GPU", err)
                   : KL_OK;
}

/* The least time of all runs. */
static int timed(struct kl_cuda_batch *b, bool back, double *seconds, int repeats, struct kl_error *err)
{
    int code = KL_OK;
    for (int i = 0; i < (repeats > 1 ? repeats : 1) && !code; i++) {
        float ms = 0;
        code = kl_cuda_check(cudaEventRecord(b->begin, b->stream), "running the circuit", err);
        if (!code) code = run(b, back, err);
        if (!code) code = kl_cuda_check(cudaEventRecord(b->end, b->stream), "running the circuit", err);
        if (!code) code = kl_cuda_check(cudaStreamSynchronize(b->stream), "running the circuit", err);
        if (!code)
            code =
                kl_cuda_check(cudaEventElapsedTime(&ms, b->begin, b->end), "running the circuit", err);
        if (seconds && (i == 0 || ms * 1e-3 < *seconds)) *seconds = ms * 1e-3;
    }
    return code;
}

int kl_cuda_batch_run(struct kl_cuda_batch *b, float *out, float *dx, float *dw, const float *x,
                      const float *w, const float *cot, double *seconds, int repeats,
                      struct kl_error *err)
{
    const size_t n_in = b->n * (size_t)b->circuit.n_inputs, n_out = b->n * (size_t)b->circuit.n_outputs,
                 n_w = (size_t)b->circuit.n_weights;
    int code = to_card(b->x, x, n_in, err);
    if (!code) code = to_card(b->w, w, n_w, err);
    if (!code && cot) code = to_card(b->cot, cot, n_out, err);
    if (!code) code = timed(b, cot != NULL, seconds, repeats, err);
    if (!code) code = from_card(out, b->out, n_out, err);
    if (!code && cot) code = from_card(dx, b->dx, n_in, err);
    if (!code && cot) code = from_card(dw, b->dw, n_w, err);
    return code;
}

void kl_cuda_batch_close(struct kl_cuda_batch **batch)
{
    struct kl_cuda_batch *b = *batch;
    if (!b) return;
    float *const memory[] = { b->x, b->w, b->cot, b->out, b->dx, b->dw, b->trig, b->dangle, b->scratch };
    for (float *m : memory) cudaFree(m);
    cudaFree(b->arrays);
    if (b->begin) cudaEventDestroy(b->begin);
    if (b->end) cudaEventDestroy(b->end);
    if (b->stream) cudaStreamDestroy(b->stream);
    free(b);
    *batch = NULL;
}

int kl_cuda_circuit_copy(struct kl_cuda_circuit *to, void **memory, const struct kl_cuda_circuit *c,
                         struct kl_error *err)
{
    enum { ALIGN = 16 };
    const struct {
        const void *from;
        const void **to;
        size_t bytes;
    } part[] = {
        { c->ops, (const void **)&to->ops, (size_t)c->n_ops * sizeof *c->ops },
        { c->angles, (const void **)&to->angles, (size_t)c->n_slots * sizeof *c->angles },
        { c->strings, (const void **)&to->strings, (size_t)c->n_strings * sizeof *c->strings },
        { c->end, (const void **)&to->end, (size_t)c->n_outputs * sizeof *c->end },
        { c->term, (const void **)&to->term, (size_t)c->n_terms * sizeof *c->term },
        { c->term_weight, (const void **)&to->term_weight, (size_t)c->n_terms * sizeof *c->term_weight },
        { c->use_end, (const void **)&to->use_end, (size_t)c->n_weights * sizeof *c->use_end },
        { c->use, (const void **)&to->use,
          (c->n_weights ? (size_t)c->use_end[c->n_weights - 1] : 0) * sizeof *c->use },
    };
    size_t total = 0;
    for (const auto &p : part) total += (p.bytes + ALIGN - 1) / ALIGN * ALIGN;
    *to = *c;
    int code = kl_cuda_take(memory, total + 1, 1, "the circuit", err);
    char *at = (char *)*memory;
    for (const auto &p : part) {
        if (code) break;
        *p.to = at;
        if (p.bytes)
            code = kl_cuda_check(cudaMemcpy(at, p.from, p.bytes, cudaMemcpyHostToDevice),
                                 "the circuit to the GPU", err);
        at += (p.bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    return code;
}
