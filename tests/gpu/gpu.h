/* SPDX-License-Identifier: MIT
   What the tests of kernels/cuda/ share: the GPU, or the CPU in its place (tests/cuda/emulated, when
   KETLINE_CUDA names that library), and a digest of all results on standard output, which must not
   differ from run to run. */
#ifndef KL_TESTS_GPU_H
#define KL_TESTS_GPU_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "kernels/cuda.h"
#include "kernels/device.h"
#include "tests/worse.h"

static struct kl_device device;
/* Sizes: on the CPU, or under a checker that KETLINE_SMALL=1 speaks of; both; under racecheck, of which
   KETLINE_SMALL=2 speaks: every kernel once, little more, for it is some hundred times as slow.
   KETLINE_SMALL=0: a GPU's on the CPU. */
static bool emulated, small, smallest, racecheck;
static uint64_t digest = 14695981039346656037ull;

/* Exits with 77, skipped, where there is no GPU. */
static inline void open_gpu(void)
{
    struct kl_error err;
    int code = kl_device_choose(&device, "cuda", &err);
    if (code == KL_EDEVICE) {
        printf("skipped: no GPU (%s)\n", err.text);
        exit(77);
    }
    if (code) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const char *told = getenv("KETLINE_SMALL");
    emulated = strcmp(device.name, "cuda: emulated") == 0;
    racecheck = told && strcmp(told, "2") == 0;
    small = told ? strcmp(told, "0") != 0 : emulated,
    smallest = racecheck || (emulated && told && small);
}

/* FNV-1a (Fowler, Noll, Vo). */
static inline void digest_of(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++) digest = (digest ^ at[i]) * 1099511628211ull;
}

static inline void print_digest(void)
{
    printf("%s %016llx\n", device.name, (unsigned long long)digest);
}

/* The largest difference; where both are NaN there is none. */
static inline double far_from(const double *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(a[i]) || !isnan(b[i])) worst = worse(worst, a[i] - b[i]);
    return worst;
}

static inline double far_from_floats(const float *a, const float *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = worse(worst, (double)a[i] - (double)b[i]);
    return worst;
}

#endif
