/* SPDX-License-Identifier: MIT
   Batches of one circuit: a thread a sample to 5 qubits, a warp to 10, a block above. */
#include "kernels/cuda/circuit_kernels.cuh"
#include "kernels/cuda/library.h"

#include <stdlib.h>

enum { OWN = 5 /* qubits of the amplitudes of a thread, or of the threads of a warp */ };

struct kl_cuda_batch {
    struct kl_cuda_circuit host, circuit; /* arrays in host memory are the caller's */
    void *arrays;
    size_t n, blocks, state; /* of large states: blocks, bytes of one block's states */
    bool shared;
    float *x, *w, *cot, *out, *dx, *dw, *trig, *dangle, *scratch;
    cudaStream_t stream;
    cudaEvent_t begin, end;
};

typedef void (*kernel)(struct kl_circuit_job);

template <bool REAL> static kernel small_kernel(int own)
{
    static const kernel of[OWN] = { kl_small_states<1, REAL>, kl_small_states<2, REAL>,
                                    kl_small_states<3, REAL>, kl_small_states<4, REAL>,
                                    kl_small_states<5, REAL> };
    return of[own - 1];
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
    struct kl_circuit_job job = { b->circuit, b->x,    b->w,      back ? b->cot : NULL, b->out, b->dx,
                                  b->dw,      b->trig, b->dangle, b->scratch,           b->n,   0,
                                  0,          0 };
    const int n = b->circuit.n_qubits, own = n <= OWN ? n : n - OWN;
    int code =
        launch(kl_shared_angles, (size_t)(b->circuit.n_slots + KL_CIRCUIT_THREADS) / KL_CIRCUIT_THREADS,
               KL_CIRCUIT_THREADS, 0, &job, b->stream, err);
    job.lane_bits = n <= OWN ? 0 : 5;
    if (!code && n <= 2 * OWN) {
        const size_t blocks = ((b->n << job.lane_bits) + KL_CIRCUIT_THREADS - 1) / KL_CIRCUIT_THREADS;
        code = launch(b->circuit.real ? small_kernel<true>(own) : small_kernel<false>(own), blocks,
                      KL_CIRCUIT_THREADS, 0, &job, b->stream, err);
    } else if (!code) {
        job.state = b->shared ? 0 : b->state / sizeof(float);
        job.amount = job.state + ((size_t)b->circuit.n_slots + 1) * KL_LARGE_WARPS;
        code = launch(kl_large_states, b->blocks, KL_LARGE_THREADS, b->shared ? b->state : 0, &job,
                      b->stream, err);
    }
    if (!code && back && b->circuit.n_weights)
        code = launch(kl_sum_weights, (size_t)b->circuit.n_weights, KL_SUM_THREADS,
                      KL_SUM_THREADS / KL_WARP * sizeof(float), &job, b->stream, err);
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
        code = kl_cuda_check(cudaFuncSetAttribute(kl_large_states,
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  (int)b->state),
                             "shared memory", err);
    if (!code)
        code = kl_cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                                 &each, kl_large_states, KL_LARGE_THREADS, b->shared ? b->state : 0),
                             "looking at the GPU", err);
    b->blocks = (size_t)(each < 1 ? 1 : each) * (size_t)p.multiProcessorCount;
    if (b->blocks > b->n) b->blocks = b->n;
    return code;
}

static void batch_close(struct kl_cuda_batch **batch)
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

static int batch_open(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
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
    if (code) batch_close(batch);
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

static int batch_run(struct kl_cuda_batch *b, float *out, float *dx, float *dw, const float *x,
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

const struct kl_cuda_batch_calls kl_cuda_batch_calls = { batch_open, batch_run, batch_close };
