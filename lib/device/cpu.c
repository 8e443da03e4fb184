/* SPDX-License-Identifier: MIT
   The processor: instruction sets, memory, the most that its registers do. */
#include "device/device.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static struct kl_cpu cpu;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
static void read_model(char model[64])
{
    unsigned int brand[12] = { 0 };
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

static void read_sets(void)
{
    __builtin_cpu_init();
    cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    cpu.avx512 = cpu.avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
/* Linux names no model of arm64, but who made it and which part it is: "arm 0x41 part 0xd40". */
static void read_model(char model[64])
{
    char line[256];
    unsigned int maker = 0, part = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "CPU implementer : %x", &maker);
        if (sscanf(line, "CPU part : %x", &part) == 1) break;
    }
    if (file) fclose(file);
    if (maker) snprintf(model, 64, "arm 0x%x part 0x%x", maker, part);
}
static void read_sets(void)
{
}
#endif

static void read_cpu(void)
{
    strcpy(cpu.model, "unknown");
    read_sets();
    read_model(cpu.model);
}

const struct kl_cpu *kl_device_cpu(void)
{
    pthread_once(&once, read_cpu);
    return &cpu;
}

/* ---- How much memory there is, and how much of it a container may use ---- */

void kl_device_memory(struct kl_memory *memory, const char *meminfo)
{
    char line[256];
    unsigned long long kilobytes;
    FILE *file = fopen(meminfo, "re");
    memset(memory, 0, sizeof *memory);
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %llu kB", &kilobytes) == 1) memory->total = kilobytes * 1024;
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) memory->available = kilobytes * 1024;
    }
    if (file) fclose(file);
    memory->limit = kl_cgroup_memory("/proc/self/cgroup", "/sys/fs/cgroup");
}

/* ---- peak ----
   What one core can do at most: multiply-adds on registers alone, in the vectors of one instruction set
   (float); and how fast memory is read. */

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

/* Independent chains hide the latency of four cycles on two ports, on arm64's up to four. */
#ifdef __aarch64__
#define CHAINS 24
#else
#define CHAINS 12
#endif
#define PEAK_LOOP(name, vector, flags)                                                     \
    flags __attribute__((noinline)) static float name(long n, float seed)                  \
    {                                                                                      \
        vector s[CHAINS], x = (vector){ 0 } + seed, y = x * 0.5f;                          \
        _Pragma("GCC unroll 24") for (int i = 0; i < CHAINS; i++) s[i] = x * (float)i;     \
        for (long r = 0; r < n; r++) {                                                     \
            _Pragma("GCC unroll 24") for (int i = 0; i < CHAINS; i++) s[i] = s[i] * x + y; \
        }                                                                                  \
        _Pragma("GCC unroll 24") for (int i = 1; i < CHAINS; i++) s[0] += s[i];            \
        return s[0][0];                                                                    \
    }
PEAK_LOOP(peak_base, v4, )
#if defined(__x86_64__)
PEAK_LOOP(peak_avx2, v8, __attribute__((target("avx2,fma"))))
PEAK_LOOP(peak_avx512, v16, __attribute__((target("avx512f,fma"))))
#else
#define peak_avx2 peak_base
#define peak_avx512 peak_base
#endif

double kl_device_peak_gflops(const char *isa)
{
    const bool wide = strcmp(isa, "avx512") == 0, middle = strcmp(isa, "avx2") == 0;
    const double lanes = wide ? 16 : middle ? 8 : 4;
    double best = 0;
    volatile float sink;
    for (int round = 0; round < 8; round++) {
        const long n = 1000000;
        double start = kl_clock();
        sink = 0.25f;
        sink = wide ? peak_avx512(n, sink) : middle ? peak_avx2(n, sink) : peak_base(n, sink);
        double rate = 2e-9 * CHAINS * lanes * (double)n / (kl_clock() - start);
        if (rate > best) best = rate;
    }
    return best;
}

float kl_device_read_memory(const float *values, size_t n)
{
    enum { SUMS = 8 };
    v8 sums[SUMS] = { { 0 } };
    for (size_t i = 0; i + 8 * SUMS <= n; i += 8 * SUMS)
        for (size_t k = 0; k < SUMS; k++) {
            v8 v;
            memcpy(&v, values + i + 8 * k, sizeof v);
            sums[k] += v;
        }
    for (size_t k = 1; k < SUMS; k++) sums[0] += sums[k];
    return sums[0][0] + sums[0][7];
}
