/* SPDX-License-Identifier: MIT
   device: what the machine has. */
#ifndef KL_DEVICE_H
#define KL_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kl_cpu {
    char model[64]; /* the processor's name, or "unknown" */
    bool avx2;      /* AVX2, FMA and F16C, and the system saves the registers */
    bool avx512;    /* AVX-512 F, BW, DQ and VL besides */
};

/* Read once; never NULL. */
const struct kl_cpu *kl_cpu(void);

struct kl_memory {
    uint64_t total, available; /* bytes; 0: unknown */
    uint64_t limit;            /* of cgroup v2; 0: none */
};
/* meminfo: /proc/meminfo */
void kl_memory_read(struct kl_memory *memory, const char *meminfo);

enum { KL_MOST_GPUS = 16 };
struct kl_gpu {
    char name[96];
    uint64_t memory;  /* bytes */
    int major, minor; /* compute capability */
};
struct kl_gpus {
    int nodes;         /* /dev/nvidiaN that exist */
    bool library;      /* libcuda.so.1 could be loaded */
    int driver;        /* the highest CUDA that it knows: 12040 is 12.4 */
    int n;             /* devices that it lists */
    char problem[128]; /* why there are none, though something is there; "" */
    struct kl_gpu gpu[KL_MOST_GPUS];
};
/* Takes up to a second where there is a driver. */
void kl_gpus(struct kl_gpus *gpus);

/* GFLOP/s of the calling core on registers alone, float, in the vectors of "base", "avx2" or "avx512"
   (which the processor must have); the best of several short rounds, some 20 ms. */
double kl_peak_gflops(const char *isa);
/* The sum of values, read as fast as memory gives them: to measure its bandwidth. */
float kl_read_memory(const float *values, size_t n);

/* What --device asked for. */
struct kl_cuda;
struct kl_device {
    const struct kl_cuda *cuda; /* the functions of kernels/cuda.h; NULL: the CPU */
    int number;                 /* of the GPU */
    char name[64];              /* "cpu: avx512" (its kernels), "cuda: NVIDIA H200": for the provenance
                                   record */
};
/* text: "auto", "cpu", "cuda" or "cuda:k". auto is the CPU, until the stage knows what there is to do and
   asks kl_device_auto. KL_EDEVICE: no library, no driver, no such GPU. */
struct kl_error;
int kl_device_choose(struct kl_device *device, const char *text, struct kl_error *err);
/* Seconds that there is to do, about: of one thread of a CPU, if it had to do all; of the GPU of
   docs/benchmarks.md, its start included (0: not measured). refused: why a GPU cannot do it, or NULL. */
struct kl_device_work {
    double thread, gpu;
    const char *refused;
};
struct kl_log;
bool kl_device_pays(const struct kl_device_work *work, int threads);
/* Of a stage that has not been measured on a GPU: where --device is auto and a GPU is here, a note that it
   is not taken. */
void kl_device_unmeasured(const char *text, const struct kl_log *log);
/* device, which kl_device_choose has made of "auto", becomes the GPU where that pays and it is one that has
   been measured. Where a GPU is here and is not taken, a note says why. (auto.c) */
void kl_device_auto(struct kl_device *device, const struct kl_device_work *work, int threads,
                    const struct kl_log *log);
/* The row of a tool that can run on a GPU; at: offset of common.device. */
#define KL_DEVICE_OPTION(at)                                                                           \
    {                                                                                                  \
        "device", 0, KL_OPT_DEVICE, at, "DEVICE", 0, 0, false, "auto, cpu, cuda or cuda:K", NULL, NULL \
    }

#endif
