/* SPDX-License-Identifier: MIT
   The examination as lines for a person: a topic, what was found; then advice. */
#include "doctor/doctor.h"

#include <string.h>

static void write_processor(FILE *to, const struct kl_doctor *d)
{
    fprintf(to, "processor   %s; kernels: %s\n", d->cpu->model, d->isa);
    fprintf(to, "threads     %d of %d processors", d->threads.used, d->threads.online);
    if (d->threads.allowed < d->threads.online) fprintf(to, "; affinity allows %d", d->threads.allowed);
    if (d->threads.quota) fprintf(to, "; a cgroup allows %d", d->threads.quota);
    fprintf(to, "; load %.1f\n", d->threads.load);
    fprintf(to, "memory      %.1f GB, %.1f GB available", (double)d->memory.total / 1e9,
            (double)d->memory.available / 1e9);
    if (d->memory.limit) fprintf(to, "; a cgroup allows %.1f GB", (double)d->memory.limit / 1e9);
    fputc('\n', to);
}

static void write_gpus(FILE *to, const struct kl_gpus *gpus)
{
    if (!gpus->n) fprintf(to, "GPU         none%s%s\n", *gpus->problem ? ": " : "", gpus->problem);
    for (int i = 0; i < gpus->n; i++)
        fprintf(to, "%s%s, %.0f GB, compute capability %d.%d; driver for CUDA %d.%d\n",
                i ? "            " : "GPU         ", gpus->gpu[i].name,
                (double)gpus->gpu[i].memory / 1e9, gpus->gpu[i].major, gpus->gpu[i].minor,
                gpus->driver / 1000, gpus->driver / 10 % 100);
}

static void write_libraries(FILE *to, const struct kl_doctor *d)
{
    fputs("libraries  ", to);
    for (size_t i = 0; i < d->n_libraries; i++)
        fprintf(to, "%s %s %s",
                i == 0   ? ""
                : i == 5 ? ",\n           "
                         : ",",
                d->library[i].name, d->library[i].found);
    fputc('\n', to);
}

static void write_disk(FILE *to, const struct kl_disk *disk)
{
    if (*disk->problem) {
        fprintf(to, "store       %s\n", disk->problem);
        return;
    }
    fprintf(to, "store       %s%s: %s, %.1f of %.1f GB free; write, fsync, rename, read back: work\n",
            disk->path, disk->absent ? " (not there yet, the first stage makes it)" : "", disk->type,
            disk->free / 1e9, disk->size / 1e9);
    fprintf(to, "            fsync %.2f ms, publishing %.2f ms, writing %.0f MB/s; no locks needed\n",
            disk->sync_ms, disk->publish_ms, disk->write_rate / 1e6);
}

static void write_rates(FILE *to, const struct kl_rates *r)
{
    fprintf(to, "peak        %.0f GFLOP/s on registers, %.1f GB/s from memory\n", r->peak / 1e9,
            r->bandwidth / 1e9);
    fprintf(to, "product     %.0f GFLOP/s, %.0f %% of peak\n", r->product / 1e9,
            100 * r->product / r->peak);
    fprintf(to, "convolution %.0f GFLOP/s of the plain sum; Winograd's quarter of it: %.0f %% of peak\n",
            r->convolution / 1e9, 25 * r->convolution / r->peak);
    for (int i = 0; i < 2; i++)
        fprintf(to, "circuit     %.3g million a second with gradients, %d qubits; %.0f %% of peak\n",
                r->circuit[i] / 1e6, kl_rates_qubits[i], 100 * r->circuit_share[i]);
    fprintf(to, "normals     %.3g billion a second, for Langevin steps\n", r->normals / 1e9);
}

/* Two digits, of a unit in which they are not 1.6e+02. */
static void write_forecast(FILE *to, const char *head, const char *what, double seconds)
{
    const char *const units[] = { "s", "min", "h", "us" };
    int unit = 0;
    if (seconds < 1e-3) seconds *= 1e6, unit = 3;
    for (; unit < 2 && seconds >= 99.5; unit++) seconds /= 60;
    fprintf(to, "%s%-46s about %.2g %s\n", head, what, seconds, units[unit]);
}

void kl_doctor_text(FILE *to, const struct kl_doctor *d)
{
    write_processor(to, d);
    write_gpus(to, &d->gpus);
    write_libraries(to, d);
    write_disk(to, &d->disk);
    if (d->n_forecasts) write_rates(to, &d->rates);
    for (size_t i = 0; i < d->n_forecasts; i++)
        write_forecast(to, i ? "            " : "forecast    ", d->forecast[i].what,
                       d->forecast[i].seconds);
    fprintf(to, "chains      %.0f of 784-1000-1000-1 fit into half of the memory there is\n", d->chains);
    for (size_t i = 0; i < d->n_advice; i++)
        fprintf(to, "%s%s\n", d->advice[i].broken ? "BROKEN      " : "advice      ", d->advice[i].text);
    if (!d->n_advice) fputs("advice      none: fit for work\n", to);
}
