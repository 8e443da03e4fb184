/* SPDX-License-Identifier: MIT
   Private to the room: a head as a target on a GPU. In files that are compiled in both precisions. */
#ifndef KL_SAMPLING_HEADS_GPU_H
#define KL_SAMPLING_HEADS_GPU_H

#include "kernels/device.h"
#include "sampling/heads/heads.h"

/* Inputs of the view, in rows, and their labels. */
#define kl_sampling_head_records KL_NAME(kl_sampling_head_records)
struct kl_sampling_head_records {
    size_t n;
    kl_real *x;
    int32_t *labels;
};
#define kl_sampling_head_gpu KL_NAME(kl_sampling_head_gpu)
#define kl_sampling_head_gpu_open KL_NAME(kl_sampling_head_gpu_open)
#define kl_sampling_head_gpu_close KL_NAME(kl_sampling_head_gpu_close)
#define kl_sampling_head_gpu_gradient KL_NAME(kl_sampling_head_gpu_gradient)
#define kl_sampling_head_gpu_evaluate KL_NAME(kl_sampling_head_gpu_evaluate)
struct kl_sampling_head_gpu;
/* Of the view's heads on both sets, a head a thread. KL_EUSAGE: not for a GPU; KL_ENOMEM, KL_EDEVICE.
   Close it in any case. */
int kl_sampling_head_gpu_open(struct kl_sampling_head_gpu **gpu, const struct kl_head_model *view,
                              const struct kl_sampling_head_records *train,
                              const struct kl_sampling_head_records *test, int n_threads,
                              const struct kl_device *device, struct kl_error *err);
void kl_sampling_head_gpu_close(struct kl_sampling_head_gpu **gpu);
/* As the target's, but by all parameters (block); sums->squares becomes no number. */
int kl_sampling_head_gpu_gradient(struct kl_sampling_head_gpu *gpu, kl_real *grad,
                                  struct kl_sampling_sums *sums, const kl_real *params,
                                  const int64_t *rows, size_t count, int thread, struct kl_error *err);
int kl_sampling_head_gpu_evaluate(struct kl_sampling_head_gpu *gpu, struct kl_sampling_sums *sums,
                                  double *per_record, const kl_real *params, bool test,
                                  const int64_t *rows, size_t count, int thread, struct kl_error *err);

#endif
