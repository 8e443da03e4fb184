/* SPDX-License-Identifier: MIT
   Batches of one circuit: angles that all samples share, all samples, then the weights' gradients. */
#include "kernels/cuda/circuit_kernels.cuh"
#include "kernels/cuda/library.h"

#include <stdlib.h>

struct kl_cuda_batch {
    struct kl_circuit_job job; /* as the kernels are given it */
    void *arrays;
    size_t n, shared, blocks, kept; /* shared: bytes of a block; blocks, kept: of states in memory */
    int threads;
    float *x, *w, *cot;
    cudaStream_t stream;
    cudaEvent_t begin, end;
};

typedef void (*kernel)(struct kl_circuit_job);

/* So few blocks of states in registers are all at work at once, so the launch takes so little time that
   two more would be felt; of more, it would be felt what each of them does again. */
enum { KL_FEW_BLOCKS = 1024 };

static kernel states_kernel(const struct kl_cuda_circuit *c)
{
    if (c->n_qubits > KL_CUDA_HELD_QUBITS) return kl_kept_states;
    if (c->own_bits == 4) return c->real ? kl_held_states<4, true> : kl_held_states<4, false>;
    return c->real ? kl_held_states<5, true> : kl_held_states<5, false>;
}

static int launch(kernel k, size_t blocks, int threads, size_t shared, const struct kl_circuit_job *job,
                  cudaStream_t stream, struct kl_error *err)
{
    void *arguments[] = { (void *)job };
    return kl_cuda_check(
        cudaLaunchKernel(k, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, shared, stream),
        "running the circuit", err);
}

static int run(struct kl_cuda_batch *b, bool back, struct kl_error *err)
{
    struct kl_circuit_job job = b->job;
    const struct kl_cuda_circuit *c = &job.circuit;
    if (!back) job.rows.cot = NULL;
    int code = KL_OK;
    if (!job.together)
        code = launch(c->real ? kl_share_all<true> : kl_share_all<false>, 1, KL_CIRCUIT_THREADS, 0, &job,
                      b->stream, err);
    if (!code) code = launch(states_kernel(c), b->blocks, b->threads, b->shared, &job, b->stream, err);
    if (!code && !job.together && back && c->n_weights)
        code = launch(kl_sum_weights, (size_t)c->n_weights, KL_SUM_THREADS,
                      kl_state_memory(KL_SUM_THREADS, 0) * sizeof(float), &job, b->stream, err);
    return code;
}

/* As many blocks as the GPU holds at once and a quarter of its memory has room for. */
static int open_kept(struct kl_cuda_batch *b, int device, struct kl_error *err)
{
    const struct kl_cuda_circuit *c = &b->job.circuit;
    struct cudaDeviceProp p;
    size_t room = 1;
    int each = 0;
    b->threads = KL_KEPT_THREADS;
    b->shared = kl_state_memory(b->threads, 0) * sizeof(float);
    b->kept = kl_kept_memory(c->own_bits + c->lane_bits);
    int code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, states_kernel(c),
                                                                           b->threads, b->shared),
                             "looking at the GPU", err);
    if (!code) code = kl_cuda_room(&room, b->kept * sizeof(float), err);
    if (code) return code;
    const size_t most = (size_t)(each < 1 ? 1 : each) * (size_t)p.multiProcessorCount;
    b->blocks = most < room ? most : room;
    if (b->blocks > b->n) b->blocks = b->n;
    return KL_OK;
}

static int open_held(struct kl_cuda_batch *b, struct kl_error *err)
{
    const struct kl_cuda_circuit *c = &b->job.circuit;
    /* Warps of a block are in the same code more often than those of different ones, and code that is not
       at hand is what real states wait for. */
    const int least = c->real ? 2 * KL_CIRCUIT_THREADS : KL_CIRCUIT_THREADS;
    b->threads = 1 << c->lane_bits < least ? least : 1 << c->lane_bits;
    b->shared = kl_aligned_memory(b->threads, c->lane_bits, c->own_bits) * sizeof(float);
    const size_t each = (size_t)b->threads >> c->lane_bits;
    b->blocks = (b->n + each - 1) / each;
    return kl_cuda_check(cudaFuncSetAttribute(states_kernel(c),
                                              cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              (int)b->shared),
                         "a batch of circuits", err);
}

static void batch_close(struct kl_cuda_batch **batch)
{
    struct kl_cuda_batch *b = *batch;
    if (!b) return;
    const struct kl_rows *r = &b->job.rows;
    float *const memory[] = { b->x,          b->w,
                              b->cot,        r->out,
                              r->dx,         r->trig,
                              r->shared,     r->varying,
                              r->generators, r->dangle,
                              b->job.dw,     b->job.parts,
                              b->job.kept,   (float *)b->job.together };
    for (float *m : memory) kl_cuda_give(m);
    kl_cuda_give(b->arrays);
    if (b->begin) cudaEventDestroy(b->begin);
    if (b->end) cudaEventDestroy(b->end);
    if (b->stream) cudaStreamDestroy(b->stream);
    free(b);
    *batch = NULL;
}

static int batch_open(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                      int device, struct kl_error *err)
{
    const char *what = "a batch of circuits";
    struct kl_cuda_batch *b = *batch = (struct kl_cuda_batch *)calloc(1, sizeof *b);
    if (!b) return kl_cuda_fail(err, KL_ENOMEM, "no memory: %zu bytes asked for", sizeof *b);
    struct kl_rows *r = &b->job.rows;
    const size_t n_in = (size_t)circuit->n_inputs, n_out = (size_t)circuit->n_outputs,
                 n_w = (size_t)circuit->n_weights, slots = (size_t)circuit->n_slots,
                 matrices = (size_t)circuit->n_matrices, varying = (size_t)circuit->n_varying;
    b->n = b->job.n = r->stride = n;
    int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    if (!code) code = kl_cuda_circuit_copy(&b->job.circuit, &b->arrays, circuit, err);
    if (!code && circuit->n_qubits > KL_CUDA_HELD_QUBITS) code = open_kept(b, device, err);
    else if (!code) code = open_held(b, err);
    if (!code && circuit->n_qubits <= KL_CUDA_HELD_QUBITS && b->blocks <= KL_FEW_BLOCKS)
        code = kl_cuda_take((void **)&b->job.together, 1, sizeof *b->job.together, what, err);
    const size_t sharing = b->job.together ? b->blocks : 1;
    const struct {
        float **to;
        size_t n;
    } memory[] = { { &b->x, n * n_in },
                   { &b->w, n_w },
                   { &b->cot, n * n_out },
                   { &r->out, n * n_out },
                   { &r->dx, n * n_in },
                   { &r->trig, sharing * kl_trig_size(circuit) },
                   { &r->shared, sharing * kl_shared_size(circuit) },
                   { &r->varying, varying * n * 4 },
                   { &r->generators, matrices * KL_CUDA_GENERATORS * n },
                   { &r->dangle, slots * n },
                   { &b->job.dw, n_w },
                   { &b->job.parts, n_w * b->blocks },
                   { &b->job.kept, b->blocks * b->kept } };
    for (size_t i = 0; i < sizeof memory / sizeof *memory && !code; i++)
        code = kl_cuda_take((void **)memory[i].to, memory[i].n, sizeof(float), what, err);
    r->x = b->x, r->w = b->w, r->cot = b->cot;
    b->job.blocks = (int32_t)b->blocks;
    if (!code) code = kl_cuda_check(cudaStreamCreate(&b->stream), what, err);
    if (!code) code = kl_cuda_check(cudaEventCreate(&b->begin), what, err);
    if (!code) code = kl_cuda_check(cudaEventCreate(&b->end), what, err);
    if (code) batch_close(batch);
    return code;
}

static int to_gpu(float *to, const float *from, size_t n, struct kl_error *err)
{
    return n ? kl_cuda_check(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyHostToDevice),
                             "inputs to the GPU", err)
             : KL_OK;
}

static int from_gpu(float *to, const float *from, size_t n, struct kl_error *err)
{
    return n && to ? kl_cuda_check(cudaMemcpy(to, from, n * sizeof *to, cudaMemcpyDeviceToHost),
                                   "results from the GPU", err)
                   : KL_OK;
}

static int once(struct kl_cuda_batch *b, bool back, struct kl_error *err)
{
    const int code = run(b, back, err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(b->stream), "running the circuit", err);
}

/* A group's mean. */
static int timed(struct kl_cuda_batch *b, bool back, double *seconds, struct kl_error *err)
{
    const char *what = "running the circuit";
    float ms = 0;
    int code = kl_cuda_check(cudaEventRecord(b->begin, b->stream), what, err);
    for (int i = 0; i < KL_CUDA_GROUP && !code; i++) code = run(b, back, err);
    if (!code) code = kl_cuda_check(cudaEventRecord(b->end, b->stream), what, err);
    if (!code) code = kl_cuda_check(cudaStreamSynchronize(b->stream), what, err);
    if (!code) code = kl_cuda_check(cudaEventElapsedTime(&ms, b->begin, b->end), what, err);
    *seconds = ms * 1e-3 / KL_CUDA_GROUP;
    return code;
}

static int batch_run(struct kl_cuda_batch *b, float *out, float *dx, float *dw, const float *x,
                     const float *w, const float *cot, double *seconds, int groups, struct kl_error *err)
{
    const struct kl_cuda_circuit *c = &b->job.circuit;
    const size_t n_in = b->n * (size_t)c->n_inputs, n_out = b->n * (size_t)c->n_outputs,
                 n_w = (size_t)c->n_weights;
    int code = to_gpu(b->x, x, n_in, err);
    if (!code) code = to_gpu(b->w, w, n_w, err);
    if (!code && cot) code = to_gpu(b->cot, cot, n_out, err);
    if (!code && !groups) code = once(b, cot != NULL, err);
    for (int i = 0; i < groups && !code; i++) code = timed(b, cot != NULL, &seconds[i], err);
    if (!code) code = from_gpu(out, b->job.rows.out, n_out, err);
    if (!code && cot) code = from_gpu(dx, b->job.rows.dx, n_in, err);
    if (!code && cot) code = from_gpu(dw, b->job.dw, n_w, err);
    return code;
}

const struct kl_cuda_batch_calls kl_cuda_batch_calls = { batch_open, batch_run, batch_close };
