/* SPDX-License-Identifier: MIT
   Heads on a GPU (kernels/cuda.h). A training keeps its state where it always is, in its replicas; a run
   on a GPU begins by copying it there and ends by copying it back. */
#ifndef KL_HEAD_GPU_H
#define KL_HEAD_GPU_H

#include "head/head.h"
#include "kernels/cuda.h"
#include "kernels/device.h"

/* Can heads of this model be trained so on a GPU? KL_EUSAGE names what is for the CPU alone. */
int kl_head_gpu_check(const struct kl_head_model *model, const struct kl_train_options *o,
                      struct kl_error *err);

/* The shape of the model's head; its arrays lie in memory and in the model. o NULL: it is only judged.
   KL_EUSAGE, KL_ENOMEM. */
int kl_head_gpu_shape(struct kl_cuda_head *shape, const struct kl_head_model *model,
                      const struct kl_train_options *o, struct kl_arena *memory, struct kl_error *err);

/* ---- a training on its device (gpu.c) ---- */
extern const struct kl_train_device kl_head_gpu_device;
/* Of the validation that was made last. */
void kl_head_gpu_validation(double *loss, double *accuracy, const struct kl_head_train *train,
                            size_t replica);

/* ---- a head used (gpu.c) ---- */
/* As kl_head_logits, without shots, all samples on the GPU. KL_EUSAGE, KL_EDEVICE, KL_ENOMEM. */
int kl_head_gpu_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                       const struct kl_device *device, struct kl_error *err);

#endif
