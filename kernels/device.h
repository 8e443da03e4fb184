/* SPDX-License-Identifier: MIT
   What --device asked for: the CPU's kernels (isa.h), or the table of a GPU (cuda.h), whose library
   device.c finds and loads. The room lib/device only says what the machine has. */
#ifndef KL_KERNELS_DEVICE_H
#define KL_KERNELS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

struct kl_cuda;
struct kl_error;
struct kl_log;

struct kl_device {
    const struct kl_cuda *cuda; /* the functions of kernels/cuda.h; NULL: the CPU */
    int number;                 /* of the GPU */
    char name[64];              /* "cpu: avx512" (its kernels), "cuda: NVIDIA H200": for the provenance
                                   record */
};
/* text: "auto", "cpu", "cuda" or "cuda:k". auto is the CPU, until the stage knows what there is to do
   and asks kl_device_auto. KL_EDEVICE: no library, no driver, no such GPU. */
int kl_device_choose(struct kl_device *device, const char *text, struct kl_error *err);
struct kl_common;
/* What common->device says, for a stage that has not been measured on a GPU: where it is auto and a GPU
   is here, a note that it is not taken. Of several processes on a machine, `local` from 0, "cuda" is a
   GPU of its own, as long as there are enough. The run's record tells it. KL_EDEVICE. */
int kl_device_take(struct kl_device *device, struct kl_common *common, size_t local,
                   const struct kl_log *log, struct kl_error *err);
/* What the run's record says of it: its name, and at the end the most of its memory that was taken. */
void kl_device_used(struct kl_common *common, const struct kl_device *device);
/* Seconds that there is to do, about: of one thread of a CPU, if it had to do all; of the GPU of
   docs/benchmarks.md, its start included (0: not measured). refused: why a GPU cannot do it, or NULL. */
struct kl_device_work {
    double thread, gpu;
    const char *refused;
};
bool kl_device_pays(const struct kl_device_work *work, int threads);
/* device, which kl_device_choose has made of "auto", becomes the GPU where that pays and it is one that
   has been measured. Where a GPU is here and is not taken, a note says why. */
void kl_device_auto(struct kl_device *device, const struct kl_device_work *work, int threads,
                    const struct kl_log *log);
/* A note where memory has room for `some` of all things ("chains") at once. */
void kl_device_say_some(const struct kl_log *log, size_t some, size_t all, const char *things);
/* The row of a tool that can run on a GPU; at: offset of common.device. */
#define KL_DEVICE_OPTION(at)                                                                           \
    {                                                                                                  \
        "device", 0, KL_OPT_DEVICE, at, "DEVICE", 0, 0, false, "auto, cpu, cuda or cuda:K", NULL, NULL \
    }

#endif
