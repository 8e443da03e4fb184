/* SPDX-License-Identifier: MIT
   What --device asks for. The library of kernels/cuda/ is found at run time, so that a machine without a
   driver starts the same tools; auto takes the GPU where it has been measured to be done sooner than
   this machine's CPU. */
#include "kernels/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "kernels/cuda.h"
#include "kernels/isa.h"

#define LIBRARY "libketline-cuda.so"

/* The library stays loaded as long as the process lives. */
static int load(const struct kl_cuda **table, struct kl_error *err)
{
    void *library = kl_library_open(LIBRARY, "KETLINE_CUDA");
    if (!library) {
        const char *why = dlerror();
        return kl_fail(err, KL_EDEVICE,
                       "%s; 'make cuda' builds " LIBRARY " beside the tools, KETLINE_CUDA names another "
                       "place, --device cpu needs neither",
                       why ? why : "no " LIBRARY);
    }
    const struct kl_cuda *(*get)(void) = NULL;
    *(void **)&get = dlsym(library, "kl_cuda_table");
    *table = get ? get() : NULL;
    if (*table && (*table)->version == KL_CUDA_VERSION) return KL_OK;
    return kl_fail(err, KL_EDEVICE,
                   LIBRARY " is of another version of ketline; build it anew: make cuda");
}

/* The k of cuda:k. */
static int choose(struct kl_device *device, const char *text, size_t local, struct kl_error *err)
{
    char name[256];
    int n = 0;
    int code = load(&device->cuda, err);
    if (!code) code = device->cuda->count(&n, err);
    const int k = text[4] ? atoi(text + 5) : n > 0 ? (int)(local % (size_t)n) : 0;
    if (!code && k >= n)
        code = kl_fail(err, KL_EDEVICE, "%s; --device cpu needs none",
                       n ? "there is no such GPU; the first one is cuda:0" : "no GPU was found");
    if (!code) code = device->cuda->name(name, sizeof name, k, err);
    if (code) return code;
    device->number = k;
    snprintf(device->name, sizeof device->name, "cuda: %.48s", name);
    return KL_OK;
}

/* Of one of several processes on a machine. */
static int choose_local(struct kl_device *device, const char *text, size_t local, struct kl_error *err)
{
    struct kl_error why;
    int code = KL_OK;
    *device = (struct kl_device){ 0 };
    if (strncmp(text, "cuda", 4) == 0) {
        code = choose(device, text, local, &why);
        if (!code) return KL_OK;
        *device = (struct kl_device){ 0 };
    }
    snprintf(device->name, sizeof device->name, "cpu: %s", kl_isa_name(kl_isa()));
    return code ? kl_fail(err, code, "--device %.20s: %.900s", text, why.text) : KL_OK;
}

int kl_device_choose(struct kl_device *device, const char *text, struct kl_error *err)
{
    return choose_local(device, text, 0, err);
}

void kl_device_used(struct kl_common *common, const struct kl_device *device)
{
    common->device_used = device->name;
    common->device_peak = device->cuda ? device->cuda->peak : NULL;
}

/* Of which docs/benchmarks.md has numbers. Of others it is not known where the CPU is faster. */
static bool is_measured(const char *name)
{
    static const char *const names[] = { "NVIDIA H100" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(name, names[i])) return true;
    return false;
}

/* By the node that every NVIDIA driver has, whichever GPUs are let into a container: the driver itself
   takes a while to answer. */
static bool is_there(void)
{
    const char *named = getenv("KETLINE_CUDA");
    return (named && *named) || access("/dev/nvidiactl", F_OK) == 0;
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

/* Of a stage that has not been measured on a GPU. */
static void say_unmeasured(const char *text, const struct kl_log *log)
{
    const struct kl_device_work none = { 0 };
    if (strcmp(text, "auto") == 0) kl_device_auto(&(struct kl_device){ 0 }, &none, 1, log);
}

void kl_device_say_some(const struct kl_log *log, size_t some, size_t all, const char *things)
{
    if (log && some < all)
        kl_note(
            log, 1,
            "the GPU's memory has no room for %zu %s at once: %zu at a time; the results are the same",
            all, things, some);
}

int kl_device_take(struct kl_device *device, struct kl_common *common, size_t local,
                   const struct kl_log *log, struct kl_error *err)
{
    const int code = choose_local(device, common->device, local, err);
    kl_device_used(common, device);
    if (!code) say_unmeasured(common->device, log);
    return code;
}
