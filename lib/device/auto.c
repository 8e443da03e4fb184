/* SPDX-License-Identifier: MIT
   --device auto: the GPU where it has been measured to be done sooner than this machine's CPU. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

/* Of which docs/benchmarks.md has numbers. Of others it is not known where the CPU is faster. */
static bool is_measured(const char *name)
{
    static const char *const names[] = { "NVIDIA H100" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i])) return true;
    return false;
}

/* Without the driver, which takes a while to answer. */
static bool is_there(void)
{
    const char *named = getenv("KETLINE_CUDA");
    return (named && *named) || access("/dev/nvidia0", F_OK) == 0;
}

bool kl_device_pays(const struct kl_device_work *work, int threads)
{
    return !work->refused && work->gpu > 0 && work->thread / threads > work->gpu;
}

void kl_device_auto(struct kl_device *device, const struct kl_device_work *work, int threads,
                    const struct kl_log *log)
{
    struct kl_device gpu;
    struct kl_error why;
    if (!is_there()) return;
    if (work->refused) kl_note(log, 1, "--device auto: the CPU; %s", work->refused);
    else if (work->gpu <= 0)
        kl_note(log, 1, "--device auto: the CPU; this has not been measured on a GPU (docs/cuda.md)");
    else if (!kl_device_pays(work, threads))
        kl_note(
            log, 1,
            "--device auto: the CPU, about %.2g s; a GPU would take about %.2g s, its start included",
            work->thread / threads, work->gpu);
    else if (kl_device_choose(&gpu, "cuda", &why))
        kl_note(log, 1, "--device auto: the CPU; %s", why.text);
    else if (!is_measured(gpu.name))
        kl_note(log, 1,
                "--device auto: the CPU; the GPU here (%s) is none that has been measured "
                "(docs/cuda.md); --device cuda takes it",
                gpu.name);
    else {
        *device = gpu;
        kl_note(log, 1, "--device auto: %s, about %.2g s; the CPU would take about %.2g s", gpu.name,
                work->gpu, work->thread / threads);
    }
}

void kl_device_unmeasured(const char *text, const struct kl_log *log)
{
    const struct kl_device_work none = { 0 };
    if (strcmp(text, "auto") == 0) kl_device_auto(&(struct kl_device){ 0 }, &none, 1, log);
}
