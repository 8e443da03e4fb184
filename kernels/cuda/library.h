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
/* n values on the card, zeros; copies of n values from the host, NULL and n 0 included. */
int kl_cuda_take(void **memory, size_t n, size_t size, const char *what, struct kl_error *err);
int kl_cuda_copy(void **memory, const void *from, size_t n, size_t size, const char *what,
                 struct kl_error *err);

/* The circuit with its arrays on the card, in one piece of memory. */
int kl_cuda_circuit_copy(struct kl_cuda_circuit *to, void **memory, const struct kl_cuda_circuit *from,
                         struct kl_error *err);

/* Functions of the table. */
int kl_cuda_batch_open(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                       int device, struct kl_error *err);
int kl_cuda_batch_run(struct kl_cuda_batch *batch, float *out, float *dx, float *dw, const float *x,
                      const float *w, const float *cot, double *seconds, int repeats,
                      struct kl_error *err);
void kl_cuda_batch_close(struct kl_cuda_batch **batch);
int kl_cuda_heads_open(struct kl_cuda_heads **heads, const struct kl_cuda_head *shape, size_t n_heads,
                       const float *x, const int32_t *labels, size_t n, int device,
                       struct kl_error *err);
void kl_cuda_heads_room(int32_t *slice, size_t *chunk, const struct kl_cuda_heads *heads);
int kl_cuda_heads_put(struct kl_cuda_heads *heads, size_t head, const float *params, const float *m,
                      const float *v, struct kl_error *err);
int kl_cuda_heads_get(struct kl_cuda_heads *heads, size_t head, float *params, float *m, float *v,
                      struct kl_error *err);
int kl_cuda_heads_steps(struct kl_cuda_heads *heads, const struct kl_cuda_steps *steps,
                        struct kl_error *err);
int kl_cuda_heads_judge(struct kl_cuda_heads *heads, const struct kl_cuda_judged *to, size_t head,
                        const int32_t *rows, size_t n_rows, struct kl_error *err);
void kl_cuda_heads_close(struct kl_cuda_heads **heads);
int kl_cuda_mlps_open(struct kl_cuda_mlps **mlps, size_t *n_runs, const struct kl_cuda_mlp *shape,
                      int device, struct kl_error *err);
int kl_cuda_mlps_put(struct kl_cuda_mlps *mlps, size_t run, const float *params, const uint8_t *labels,
                     const int32_t *judging, size_t n_judging, struct kl_error *err);
int kl_cuda_mlps_start(struct kl_cuda_mlps *mlps, const struct kl_cuda_mlp_epoch *epochs, size_t n,
                       const int32_t *order, struct kl_error *err);
int kl_cuda_mlps_finish(struct kl_cuda_mlps *mlps, struct kl_cuda_mlp_result *results,
                        struct kl_error *err);
int kl_cuda_mlps_get(struct kl_cuda_mlps *mlps, size_t run, int best, float *params,
                     struct kl_error *err);
void kl_cuda_mlps_close(struct kl_cuda_mlps **mlps);
int kl_cuda_resnet_open(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *net, int device,
                        struct kl_error *err);
uint8_t *kl_cuda_resnet_pixels(struct kl_cuda_resnet *resnet, int slot);
int kl_cuda_resnet_start(struct kl_cuda_resnet *resnet, int slot, size_t first, size_t n,
                         struct kl_error *err);
int kl_cuda_resnet_wait(struct kl_cuda_resnet *resnet, int slot, const float **values,
                        struct kl_error *err);
int kl_cuda_resnet_seconds(struct kl_cuda_resnet *resnet, double *seconds, int repeats,
                           struct kl_error *err);
void kl_cuda_resnet_close(struct kl_cuda_resnet **resnet);
int kl_cuda_gans_open(struct kl_cuda_gans **gans, size_t *n, const struct kl_cuda_gan *shape, int device,
                      struct kl_error *err);
int kl_cuda_gans_put(struct kl_cuda_gans *gans, size_t i, uint32_t replica, const double *target,
                     const double *discriminator, const double *angles, struct kl_error *err);
int kl_cuda_gans_epochs(struct kl_cuda_gans *gans, size_t n, int64_t first, int64_t count,
                        const struct kl_cuda_gan_factors *factors, double *history,
                        struct kl_error *err);
int kl_cuda_gans_get(struct kl_cuda_gans *gans, size_t i, double *law, double *discriminator,
                     double *angles, struct kl_error *err);
void kl_cuda_gans_close(struct kl_cuda_gans **gans);

#endif
