/* SPDX-License-Identifier: MIT
   Samples of a pulse made, written, read and scored, and integrators compared, while allocations fail:
   KL_ENOMEM, and nothing is left behind (the sanitizer sees that). */
#include <math.h>
#include <stdlib.h>

#include "control/pulse/export.h"
#include "control/pulse/integrators.h"
#include "each.h"

enum { SEGMENTS = 4 };
static double u[2 * SEGMENTS] = { 1, 2, 2, -1, -1, -2, 1, 0 };
static enum kl_control_format format;

static int open_pulse(struct kl_control_stored *p, struct kl_error *err)
{
    *p = (struct kl_control_stored){ .u = u };
    kl_control_options_default(&p->options);
    p->options.segments = SEGMENTS;
    return kl_control_setup_make(&p->setup, &p->options, err);
}

static int there_and_back(struct kl_error *err)
{
    static const char content[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const struct kl_control_hardware h = { .format = format,
                                           .unit = 1e-7,
                                           .rate = "50 MS/s",
                                           .bits = 8,
                                           .frequency = "5 MHz",
                                           .quadrature = "auto" };
    const struct kl_control_distortion d = { .tau = 0.1, .skew = "y=0.01", .oversample = 2 };
    struct kl_control_stored pulse;
    struct kl_control_samples made = { 0 }, read = { 0 };
    struct kl_control_score score;
    unsigned char *bytes = NULL;
    size_t n;
    int code = open_pulse(&pulse, err);
    if (!code) code = kl_control_samples_make(&made, &pulse, content, &h, err);
    if (!code) code = kl_control_samples_write(&bytes, &n, &made, err);
    if (!code) code = kl_control_samples_read(&read, &pulse.setup.system, bytes, n, "file", err);
    if (!code) code = kl_control_score_samples(&score, &pulse, &read, &d, err);
    if (!code && !(score.loss[KL_CONTROL_ROW_ALL] > 0)) code = kl_fail(err, KL_EINTERNAL, "no loss");
    for (int i = 0; !code && i < made.n * made.n_outputs; i++)
        if (!(fabs(made.values[i] - read.values[i]) < 1e-12))
            code = kl_fail(err, KL_EINTERNAL, "another sample");
    free(bytes);
    kl_control_samples_free(&made), kl_control_samples_free(&read);
    kl_control_setup_free(&pulse.setup);
    return code;
}

static int bench(struct kl_error *err)
{
    const struct kl_control_setting settings[] = { { KL_CONTROL_EXACT, 0 }, { KL_CONTROL_EULER, 0.1 } };
    struct kl_control_measured measured[2];
    struct kl_control_cache cache;
    struct kl_control_task task;
    struct kl_control_stored pulse;
    int code = open_pulse(&pulse, err);
    if (!code) {
        kl_control_bench_task(&task, &pulse.setup.system, 0.5, 1, 0);
        code = kl_control_bench(measured, settings, 2, &pulse.setup, u, &task, 1, 0, err);
    }
    if (!code) code = kl_control_cache_stream(&cache, &pulse.setup, u, 0.5, 1, 2, 2, 2, err);
    if (!code && (cache.entries != 4 || cache.hits != 4 || measured[0].state_off != 0))
        code = kl_fail(err, KL_EINTERNAL, "%lld entries", (long long)cache.entries);
    kl_control_setup_free(&pulse.setup);
    return code;
}

int main(void)
{
    for (format = KL_CONTROL_CSV; format <= KL_CONTROL_QUA; format++)
        check_each("there and back", there_and_back, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    format = KL_CONTROL_CSV;
    check_each("stream", there_and_back, FAULT_STREAM, KL_ENOMEM, KL_ENOMEM);
    check_each("bench", bench, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    return failures != 0;
}
