/* SPDX-License-Identifier: MIT
   Normal numbers as Langevin steps draw them, and what sampling with them comes to. */
#include <math.h>
#include <stdlib.h>

#include "doctor/doctor_int.h"
#include "kernels/langevin.h"

enum { N = 1 << 14 }; /* a thread: they stay in its cache */

static void draw(void *context, size_t thread)
{
    const struct kl_langevin_stream stream = { .key = thread + 1 };
    kl_kernel_langevin_normals_f32()((float *)context + thread * N, 0, N, &stream);
}

/* Mean, variance and fourth moment within six standard errors of those of the normal law. */
static bool normals_are_right(const float *x)
{
    double mean = 0, square = 0, fourth = 0;
    for (size_t i = 0; i < N; i++) {
        const double s = (double)x[i] * (double)x[i];
        mean += x[i], square += s, fourth += s * s;
    }
    const double root = sqrt((double)N);
    return fabs(mean / N) < 6 / root && fabs(square / N - 1) < 6 * sqrt(2.) / root &&
           fabs(fourth / N - 3) < 6 * sqrt(96.) / root;
}

int kl_doctor_rates_langevin(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    float *values = malloc(threads * N * sizeof *values);
    if (!values) return kl_fail_memory(err, threads * N * sizeof *values);
    rates->normals = N * kl_doctor_rates_race(draw, values, pool, 0.2);
    for (size_t t = 0; t < threads; t++)
        if (!normals_are_right(values + t * N))
            snprintf(rates->problem, sizeof rates->problem,
                     "normal numbers (%s) do not follow their law", kl_isa_name(kl_isa()));
    free(values);
    return KL_OK;
}

/* A chain keeps its weights; each thread beside it a gradient, a proposal and the proposal's gradient.
   Half of the memory is left to records and activations. */
double kl_doctor_chains(const struct kl_memory *memory, int threads)
{
    const double weights = 4.0 * (784 * 1000 + 1000 + 1000 * 1000 + 1000 + 1000 + 1);
    double room = (double)memory->available;
    if (memory->limit && (double)memory->limit < room) room = (double)memory->limit;
    return fmax(0, floor((room / 2 - 3 * threads * weights) / weights));
}
