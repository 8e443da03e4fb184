/* SPDX-License-Identifier: MIT
   checkkernels, family scan: scans and the rows around them against plain recurrences in double, within
   roundings; avx2 and avx512 bit for bit. */
#include "kernels/scan.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

/* ---- memory that lives until forget() ---- */
enum { PIECES = 64 };
static void *pieces[PIECES];
static int n_pieces;

static void *memory(size_t bytes)
{
    if (n_pieces == PIECES || !(pieces[n_pieces] = aligned_alloc(64, (bytes + 63) / 64 * 64))) exit(75);
    memset(pieces[n_pieces], 0, (bytes + 63) / 64 * 64);
    return pieces[n_pieces++];
}
static void forget(void)
{
    while (n_pieces) free(pieces[--n_pieces]);
}

/* ---- bits: each set makes the same results in the same order ---- */
enum { RESULTS = 4096 };
static uint64_t sums_of[RESULTS];
static int n_results, n_before;

static bool same_bits(const char *isa, const void *p, size_t bytes)
{
    uint64_t sum = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)p)[i]) * 1099511628211u;
    if (strcmp(isa, "base") == 0) return true;
    if (n_results == RESULTS) exit(70);
    const bool same = n_before <= n_results || sums_of[n_results] == sum;
    sums_of[n_results++] = sum;
    return same;
}

#define REAL float
#define NAME(base) base##_f32
#define EPS 0x1p-24
#include "scan_check.h"
#undef REAL
#undef NAME
#undef EPS
#define REAL double
#define NAME(base) base##_f64
#define EPS 0x1p-53
#include "scan_check.h"

static int check(enum kl_isa k)
{
    random_state = 88172645463325252ull;
    n_before = n_results, n_results = 0;
    return check_f32(k) + check_f64(k);
}

/* One block of the classical nets: 249 steps of 256 channels and 16 states. */
static void bench(enum kl_isa k)
{
    enum { T = 249, E = 256, S = 16, ROUNDS = 20 };
    float *dt = numbers_f32(T * E, 0.01, 0.1), *u = numbers_f32(T * E, -1, 1),
          *bc = numbers_f32(T * 48, -1, 1), *log_a = numbers_f32(E * S, 0, 2.7),
          *d = numbers_f32(E, -1, 1), *y = memory(T * E * 4), *gdt = memory(T * E * 4),
          *gu = memory(T * E * 4), *gbc = memory(T * 48 * 4), *a = memory(S * E * 4),
          *ga = memory(S * E * 4), *gd = memory(E * 4), *work = memory(kl_scan_work(S, E) * 4),
          *kept = memory((kl_scan_chunks(T) + 1) * S * E * 4);
    const struct kl_scan_job_f32 job = { KL_SCAN_MAMBA, 0, 1, T,   E, S, E, E, 48, dt, u, bc,
                                         bc + 16,       a, d, kept };
    const struct kl_scan_gradient_f32 to = { u, E, E, 48, gdt, gu, gbc, gbc + 16, ga, gd, work, 0 };
    double best[2] = { 1, 1 };
    kl_isa_scan_f32(k)->rates(a, log_a, S, E, KL_SCAN_MAMBA);
    for (int r = 0; r < ROUNDS; r++)
        for (int back = 0; back < 2; back++) {
            struct timespec from, till;
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
            if (back) kl_isa_scan_f32(k)->back(&to, &job);
            else kl_isa_scan_f32(k)->forward(y, E, &job, 0);
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &till);
            best[back] = fmin(best[back], (double)(till.tv_sec - from.tv_sec) +
                                              1e-9 * (double)(till.tv_nsec - from.tv_nsec));
        }
    printf("scan f32 %-7s 249 steps, 256 channels, 16 states: %.0f us, back %.0f us\n", kl_isa_name(k),
           1e6 * best[0], 1e6 * best[1]);
    forget();
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
