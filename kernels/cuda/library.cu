/* SPDX-License-Identifier: MIT
   The table, devices, memory, errors. */
#include "kernels/cuda/library.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int kl_cuda_fail(struct kl_error *err, int code, const char *format, ...)
{
    va_list list;
    if (!err) return code;
    err->code = code;
    va_start(list, format);
    vsnprintf(err->text, sizeof err->text, format, list);
    va_end(list);
    return code;
}

int kl_cuda_check(cudaError_t status, const char *what, struct kl_error *err)
{
    if (status == cudaSuccess) return KL_OK;
    (void)cudaGetLastError(); /* so that the next call is judged by itself */
    if (status == cudaErrorMemoryAllocation)
        return kl_cuda_fail(err, KL_ENOMEM,
                            "%s: the GPU's memory is full; fewer of them, or --device cpu", what);
    return kl_cuda_fail(err, KL_EDEVICE, "%s: CUDA says: %s", what, cudaGetErrorString(status));
}

/* What is taken of the GPU, and the most that was at once; of more pieces than there is room for, the
   first. */
static struct {
    void *memory;
    size_t bytes;
} taken[4096];
static size_t bytes_taken, most_taken;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

/* The piece at `memory`, NULL: a free place, becomes that at `now`. */
static void count_piece(const void *memory, void *now, size_t bytes)
{
    const size_t n = sizeof taken / sizeof *taken;
    size_t i = 0;
    pthread_mutex_lock(&counting);
    while (i < n && taken[i].memory != memory) i++;
    if (i < n) {
        bytes_taken += bytes - taken[i].bytes;
        taken[i].memory = now, taken[i].bytes = bytes;
        if (bytes_taken > most_taken) most_taken = bytes_taken;
    }
    pthread_mutex_unlock(&counting);
}

void kl_cuda_give(void *memory)
{
    if (!memory) return;
    count_piece(memory, NULL, 0);
    cudaFree(memory);
}

static size_t peak(void)
{
    pthread_mutex_lock(&counting);
    const size_t most = most_taken;
    pthread_mutex_unlock(&counting);
    return most;
}

int kl_cuda_take(void **memory, size_t n, size_t size, const char *what, struct kl_error *err)
{
    *memory = NULL;
    if (!n) return KL_OK;
    int code = kl_cuda_check(cudaMalloc(memory, n * size), what, err);
    if (!code) count_piece(NULL, *memory, n * size);
    return code ? code : kl_cuda_check(cudaMemset(*memory, 0, n * size), what, err);
}

int kl_cuda_copy(void **memory, const void *from, size_t n, size_t size, const char *what,
                 struct kl_error *err)
{
    int code = kl_cuda_take(memory, n, size, what, err);
    if (code || !n) return code;
    return kl_cuda_check(cudaMemcpy(*memory, from, n * size, cudaMemcpyHostToDevice), what, err);
}

int kl_cuda_room(size_t *n, size_t bytes, struct kl_error *err)
{
    size_t left = 0, total = 0;
    int code = kl_cuda_check(cudaMemGetInfo(&left, &total), "memory of the GPU", err);
    *n = left / 4 / bytes < 1 ? 1 : left / 4 / bytes;
    return code;
}

static const char timing[] = "timing the GPU";
int kl_cuda_watch_open(struct kl_cuda_watch *watch, struct kl_error *err)
{
    const int code = kl_cuda_check(cudaEventCreate(&watch->begin), timing, err);
    return code ? code : kl_cuda_check(cudaEventCreate(&watch->end), timing, err);
}

int kl_cuda_watch_mark(cudaEvent_t event, cudaStream_t stream, struct kl_error *err)
{
    return event ? kl_cuda_check(cudaEventRecord(event, stream), timing, err) : KL_OK;
}

int kl_cuda_watch_read(struct kl_cuda_watch *watch, struct kl_error *err)
{
    float ms = 0;
    const int code =
        watch->end ? kl_cuda_check(cudaEventElapsedTime(&ms, watch->begin, watch->end), timing, err)
                   : KL_OK;
    watch->seconds += ms * 1e-3;
    return code;
}

void kl_cuda_watch_close(struct kl_cuda_watch *watch)
{
    if (watch->begin) cudaEventDestroy(watch->begin);
    if (watch->end) cudaEventDestroy(watch->end);
}

int kl_cuda_pin(void **memory, size_t bytes, const char *what, struct kl_error *err)
{
    *memory = NULL;
    const cudaError_t status = cudaMallocHost(memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return kl_cuda_fail(err, KL_ENOMEM,
                            "%s: the host has no %zu bytes that can be pinned, for copies to the GPU; "
                            "--device cpu needs none",
                            what, bytes);
    }
    if (!status) memset(*memory, 0, bytes);
    return kl_cuda_check(status, what, err);
}

static int count(int *devices, struct kl_error *err)
{
    *devices = 0;
    cudaError_t status = cudaGetDeviceCount(devices);
    if (status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver) {
        (void)cudaGetLastError();
        *devices = 0;
        if (status == cudaErrorNoDevice) return KL_OK;
        return kl_cuda_fail(err, KL_EDEVICE, "the NVIDIA driver is absent or older than CUDA %d.%d",
                            CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    }
    return kl_cuda_check(status, "looking for a GPU", err);
}

static int name_of(char *name, size_t size, int device, struct kl_error *err)
{
    struct cudaDeviceProp p;
    const int code = kl_cuda_check(cudaGetDeviceProperties(&p, device), "looking at the GPU", err);
    snprintf(name, size, "%s", code ? "" : p.name);
    return code;
}

static int take(size_t *left, int device, struct kl_error *err)
{
    size_t total;
    *left = 0;
    const int code = kl_cuda_check(cudaSetDevice(device), "taking the GPU", err);
    return code ? code : kl_cuda_check(cudaMemGetInfo(left, &total), "taking the GPU", err);
}

static const struct kl_cuda table = { KL_CUDA_VERSION,
                                      count,
                                      name_of,
                                      take,
                                      peak,
                                      &kl_cuda_batch_calls,
                                      &kl_cuda_bloch_calls,
                                      &kl_cuda_heads_calls,
                                      &kl_cuda_mlps_calls,
                                      &kl_cuda_resnet_calls,
                                      &kl_cuda_gans_calls,
                                      &kl_cuda_chains_calls,
                                      &kl_cuda_layers_calls,
                                      &kl_cuda_pulses_calls,
                                      &kl_cuda_windows_calls,
                                      &kl_cuda_scans_calls };

extern "C" __attribute__((visibility("default"))) const struct kl_cuda *kl_cuda_table(void)
{
    return &table;
}
