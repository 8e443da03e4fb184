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

/* ---- a training on train->device (gpu_train.c) ---- */
int kl_head_gpu_begin(struct kl_train *train, struct kl_error *err);
/* The next steps of the epoch, at most `most`; *count: how many they were. */
int kl_head_gpu_steps(int64_t *count, struct kl_train *train, struct kl_error *err);
/* At the end of an epoch: parameters back, and all replicas on the validation samples. */
int kl_head_gpu_validate(struct kl_train *train, struct kl_error *err);
void kl_head_gpu_validation(double *loss, double *accuracy, const struct kl_train *train,
                            size_t replica);
/* Parameters and moments back into the replicas. */
int kl_head_gpu_fetch(struct kl_train *train, struct kl_error *err);
void kl_head_gpu_end(struct kl_train *train);

/* ---- a head used (gpu_logits.c) ---- */
/* As kl_head_logits, without shots, all samples on the GPU. KL_EUSAGE, KL_EDEVICE, KL_ENOMEM. */
int kl_head_gpu_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                       const struct kl_device *device, struct kl_error *err);

#endif
