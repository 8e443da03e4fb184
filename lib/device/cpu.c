/* SPDX-License-Identifier: MIT
   The processor: its name, cores, instruction sets. */
#include "device/device.h"

#include <cpuid.h>
#include <pthread.h>
#include <string.h>

static struct kl_cpu cpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_model(char model[64])
{
    unsigned int brand[12] = { 0 };
    strcpy(model, "unknown");
    if ((unsigned int)__get_cpuid_max(0x80000000u, NULL) < 0x80000004u) return;
    for (unsigned int i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, &brand[4 * i], &brand[4 * i + 1], &brand[4 * i + 2],
                    &brand[4 * i + 3]);
    const char *text = (const char *)brand;
    while (*text == ' ') text++;
    size_t n = strnlen(text, sizeof brand - (size_t)(text - (const char *)brand));
    memcpy(model, text, n);
    model[n] = '\0';
}

/* clang 14 does not know the name f16c. */
static bool has_f16c(void)
{
    unsigned int a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static void read_cpu(void)
{
    __builtin_cpu_init();
    cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    read_model(cpu.model);
}

const struct kl_cpu *kl_device_cpu(void)
{
    pthread_once(&once, read_cpu);
    return &cpu;
}
