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
const struct kl_cpu *kl_device_cpu(void);

struct kl_memory {
    uint64_t total, available; /* bytes; 0: unknown */
    uint64_t limit;            /* of cgroup v2; 0: none */
};
/* meminfo: /proc/meminfo */
void kl_device_memory(struct kl_memory *memory, const char *meminfo);

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
void kl_device_gpus(struct kl_gpus *gpus);

/* GFLOP/s of the calling core on registers alone, float, in the vectors of "base", "avx2" or "avx512"
   (which the processor must have); the best of several short rounds, some 20 ms. */
double kl_device_peak_gflops(const char *isa);
/* The sum of values, read as fast as memory gives them: to measure its bandwidth. */
float kl_device_read_memory(const float *values, size_t n);

#endif
