/* SPDX-License-Identifier: MIT
   All that doctor looks at, one after another. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doctor/doctor.h"
#include "kernels/cuda.h"
#include "kernels/device.h"
#include "kernels/isa.h"

static void look_at_threads(struct kl_doctor *d)
{
    cpu_set_t set;
    d->threads.online = (int)sysconf(_SC_NPROCESSORS_ONLN);
    d->threads.allowed =
        sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : d->threads.online;
    d->threads.quota = kl_cgroup_limit("/proc/self/cgroup", "/sys/fs/cgroup");
    if (getloadavg(&d->threads.load, 1) != 1) d->threads.load = 0;
}

/* Is our own library for GPUs here, and does it find one? */
static void look_at_cuda(struct kl_doctor *d)
{
    struct kl_device device;
    struct kl_error why = { 0 };
    if (!d->gpus.n) return;
    int code = kl_device_choose(&device, "cuda", &why);
    if (!code) code = device.cuda->take(&(size_t){ 0 }, device.number, &why);
    d->cuda = !code;
    if (code) snprintf(d->no_cuda, sizeof d->no_cuda, "%.299s", why.text);
}

int kl_doctor_examine(struct kl_doctor *d, const struct kl_doctor_options *options, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    memset(d, 0, sizeof *d);
    d->cpu = kl_device_cpu();
    d->isa = kl_isa_name(kl_isa());
    look_at_threads(d);
    kl_device_memory(&d->memory, "/proc/meminfo");
    kl_device_gpus(&d->gpus);
    look_at_cuda(d);
    d->n_libraries = kl_doctor_libraries(d->library);
    int code = kl_pool_create(&pool, (int)options->threads, err);
    if (code) return code;
    d->threads.used = kl_pool_size(pool);
    d->chains = kl_doctor_chains(&d->memory, d->threads.used);
    code = kl_doctor_disk_try(&d->disk, options->folder, err);
    if (!code && !options->no_bench) {
        code = kl_doctor_rates_measure(&d->rates, pool, &d->memory, err);
        if (!code) d->n_forecasts = kl_doctor_forecasts(d->forecast, &d->rates, d->threads.used);
    }
    kl_pool_destroy(&pool);
    if (!code) kl_doctor_judge(d);
    return code;
}
