/* SPDX-License-Identifier: MIT
   Private to libketline-cuda: the runtime's answers as errors of the project, memory, launches. */
#ifndef KL_CUDA_LIBRARY_H
#define KL_CUDA_LIBRARY_H

#include <cuda_runtime.h>

extern "C" {
#include "base/base.h"
#include "kernels/cuda.h"
}

int kl_cuda_fail(struct kl_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* 0, KL_ENOMEM or KL_EDEVICE; what: "features to the card". */
int kl_cuda_check(cudaError_t status, const char *what, struct kl_error *err);
/* n values on the GPU, zeros; copies of n values from the host, NULL and n 0 included. */
int kl_cuda_take(void **memory, size_t n, size_t size, const char *what, struct kl_error *err);
int kl_cuda_copy(void **memory, const void *from, size_t n, size_t size, const char *what,
                 struct kl_error *err);
/* Gives back what one of these took; NULL: nothing. */
void kl_cuda_give(void *memory);
/* Pieces of a GPU's memory that are given back together. */
struct kl_cuda_pieces {
    void *memory[40];
    int n;
};
/* One more: n values, copies of `from` or (NULL) zeros. */
template <class T>
static inline int kl_cuda_keep(struct kl_cuda_pieces *pieces, T **to, const void *from, size_t n,
                               const char *what, struct kl_error *err)
{
    void *memory = NULL;
    *to = NULL;
    if (pieces->n == sizeof pieces->memory / sizeof *pieces->memory)
        return kl_cuda_fail(err, KL_EINTERNAL, "%s: no place for a piece of memory", what);
    const int code = from ? kl_cuda_copy(&memory, from, n, sizeof(T), what, err)
                          : kl_cuda_take(&memory, n, sizeof(T), what, err);
    pieces->memory[pieces->n++] = memory;
    *to = (T *)memory;
    return code;
}
static inline void kl_cuda_give_pieces(struct kl_cuda_pieces *pieces)
{
    while (pieces->n > 0) kl_cuda_give(pieces->memory[--pieces->n]);
}
/* n values to the GPU, and from there. */
template <class T> static inline int kl_cuda_send(T *to, const T *from, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(cudaMemcpy((void *)to, from, n * sizeof(T), cudaMemcpyHostToDevice),
                         "to the GPU", err);
}
template <class T> static inline int kl_cuda_fetch(T *to, const T *from, size_t n, struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(cudaMemcpy((void *)to, from, n * sizeof(T), cudaMemcpyDeviceToHost),
                         "from the GPU", err);
}
/* The same in a stream's order; what comes from there is there when this returns. */
template <class T>
static inline int kl_cuda_send_in(cudaStream_t stream, const T *to, const T *from, size_t n,
                                  struct kl_error *err)
{
    if (!n) return KL_OK;
    return kl_cuda_check(
        cudaMemcpyAsync((void *)to, from, n * sizeof(T), cudaMemcpyHostToDevice, stream), "to the GPU",
        err);
}
template <class T>
static inline int kl_cuda_fetch_in(cudaStream_t stream, T *to, const T *from, size_t n, const char *what,
                                   struct kl_error *err)
{
    const int code = kl_cuda_check(
        cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToHost, stream), "from the GPU", err);
    return code ? code : kl_cuda_check(cudaStreamSynchronize(stream), what, err);
}
/* Seconds that kernels of a stream take, between begin and end, until they are read behind a wait for
   it; without events: none is counted. */
struct kl_cuda_watch {
    cudaEvent_t begin, end;
    double seconds;
};
int kl_cuda_watch_open(struct kl_cuda_watch *watch, struct kl_error *err);
int kl_cuda_watch_mark(cudaEvent_t event, cudaStream_t stream, struct kl_error *err);
int kl_cuda_watch_read(struct kl_cuda_watch *watch, struct kl_error *err);
void kl_cuda_watch_close(struct kl_cuda_watch *watch);
/* How many times `bytes` a quarter of the memory that is free has room for; 1 at least. */
int kl_cuda_room(size_t *n, size_t bytes, struct kl_error *err);
/* Memory of the host that copies pass through, zeros; cudaFreeHost gives it back. */
int kl_cuda_pin(void **memory, size_t bytes, const char *what, struct kl_error *err);

/* The circuit with its arrays on the GPU, in one piece of memory. */
int kl_cuda_circuit_copy(struct kl_cuda_circuit *to, void **memory, const struct kl_cuda_circuit *from,
                         struct kl_error *err);

/* Of the families: each stands at the end of its file. */
extern const struct kl_cuda_batch_calls kl_cuda_batch_calls;
extern const struct kl_cuda_bloch_calls kl_cuda_bloch_calls;
extern const struct kl_cuda_heads_calls kl_cuda_heads_calls;
extern const struct kl_cuda_mlps_calls kl_cuda_mlps_calls;
extern const struct kl_cuda_resnet_calls kl_cuda_resnet_calls;
extern const struct kl_cuda_gans_calls kl_cuda_gans_calls;
extern const struct kl_cuda_chains_calls kl_cuda_chains_calls, kl_cuda_layers_calls;
extern const struct kl_cuda_pulses_calls kl_cuda_pulses_calls;
extern const struct kl_cuda_windows_calls kl_cuda_windows_calls, kl_cuda_scans_calls;

#endif
