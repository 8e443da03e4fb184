/* SPDX-License-Identifier: MIT
   device: what the machine has. */
#ifndef KL_DEVICE_H
#define KL_DEVICE_H

#include <stdbool.h>

struct kl_cpu {
    char model[64]; /* the processor's name, or "unknown" */
    bool avx2;      /* AVX2, FMA and F16C, and the system saves the registers */
    bool avx512;    /* AVX-512 F, BW, DQ and VL besides */
};

/* Read once; never NULL. */
const struct kl_cpu *kl_cpu(void);

#endif
