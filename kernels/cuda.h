/* SPDX-License-Identifier: MIT
   What libketline-cuda.so offers (kernels/cuda/): a table of functions a family, found by
   kernels/device.c when a GPU is asked for; the families' headers are kernels/cuda_*.h.
   Everything here is plain data in host memory; the library keeps its own copies on the GPU. Functions
   return 0, KL_EDEVICE (no such device, or it was lost), KL_ENOMEM (the GPU's memory, or the host's) or
   KL_EUSAGE (not for the GPU) and fill *err. Float, but for GANs and pulses. */
#ifndef KL_KERNELS_CUDA_H
#define KL_KERNELS_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda_bloch.h"
#include "kernels/cuda_chains.h"
#include "kernels/cuda_circuit.h"
#include "kernels/cuda_gans.h"
#include "kernels/cuda_heads.h"
#include "kernels/cuda_mlps.h"
#include "kernels/cuda_pulses.h"
#include "kernels/cuda_resnet.h"
#include "kernels/cuda_windows.h"

struct kl_error;

struct kl_cuda {
    uint32_t version; /* KL_CUDA_VERSION, from the Makefile: a sum over the bytes of these headers */
    int (*count)(int *devices, struct kl_error *err);
    int (*name)(char *name, size_t size, int device, struct kl_error *err);
    /* Takes the GPU, which needs some tenths of a second the first time; left: its bytes that are free.
     */
    int (*take)(size_t *left, int device, struct kl_error *err);
    /* The most bytes of GPUs that this process has had at once, its context and cuDNN's not counted. */
    size_t (*peak)(void);
    const struct kl_cuda_batch_calls *batch;
    const struct kl_cuda_bloch_calls *bloch;
    const struct kl_cuda_heads_calls *heads;
    const struct kl_cuda_mlps_calls *mlps;
    const struct kl_cuda_resnet_calls *resnet;
    const struct kl_cuda_gans_calls *gans;
    const struct kl_cuda_chains_calls *chains, *layers;
    const struct kl_cuda_pulses_calls *pulses;
    const struct kl_cuda_windows_calls *windows, *scans;
};
/* The library's one name. */
const struct kl_cuda *kl_cuda_table(void);

#endif
