/* SPDX-License-Identifier: MIT
   What to make of it, in words: first what is broken, then what could be better. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

static void say(struct kl_doctor *d, bool broken, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(struct kl_doctor *d, bool broken, const char *format, ...)
{
    va_list words;
    if (d->n_advice == KL_MOST_ADVICE) return;
    struct kl_advice *advice = &d->advice[d->n_advice++];
    advice->broken = broken;
    va_start(words, format);
    vsnprintf(advice->text, sizeof advice->text, format, words);
    va_end(words);
}

static void judge_broken(struct kl_doctor *d)
{
    const struct kl_disk *disk = &d->disk;
    if (*disk->problem)
        say(d, true, "%s; give --store a folder where results can be written", disk->problem);
    else if (disk->free < 64e6)
        say(d, true, "%.100s: %.0f MB are free: too few for features", disk->path, disk->free / 1e6);
    if (*d->rates.problem)
        say(d, true, "%s: do not trust results of this machine; KETLINE_ISA=base avoids its vectors",
            d->rates.problem);
}

static void judge_processor(struct kl_doctor *d)
{
    const char *wish = getenv("KETLINE_ISA");
    const char *best = d->cpu->avx512 ? "avx512" : d->cpu->avx2 ? "avx2" : "base";
    if (strcmp(d->isa, best) != 0)
        say(d, false, "KETLINE_ISA=%.20s: the kernels use %s, though the processor has %s",
            wish ? wish : "", d->isa, best);
    if (!d->cpu->avx2)
        say(d, false, "the processor has no AVX2: everything takes three to eight times as long");
    if (d->threads.allowed < d->threads.online)
        say(d, false,
            "this process may use %d of %d processors (affinity: taskset, numactl, Slurm's "
            "--cpus-per-task)",
            d->threads.allowed, d->threads.online);
    if (d->threads.quota && d->threads.quota < d->threads.allowed)
        say(d, false,
            "a cgroup allows the time of %d of %d processors (docker --cpus, Kubernetes' limits)",
            d->threads.quota, d->threads.allowed);
    if (d->threads.load > 0.5 + 0.5 * d->threads.online)
        say(d, false, "other programs are at work (load %.1f): what was measured is too slow",
            d->threads.load);
}

static void judge_memory(struct kl_doctor *d)
{
    const struct kl_memory *m = &d->memory;
    uint64_t least = m->available;
    if (m->limit && m->limit < least) least = m->limit;
    if (least && least < (uint64_t)1 << 30)
        say(d, false, "%.0f MB of memory can be had: enough for 28x28 images; photographs want 1 GB",
            (double)least / 1e6);
}

static void judge_gpu(struct kl_doctor *d)
{
    if (*d->gpus.problem) say(d, false, "GPU: %s", d->gpus.problem);
    if (d->cuda)
        say(d, false,
            "GPU: extract-features, qtrain and qeval take it with --device cuda (docs/cuda.md)");
    else if (d->gpus.n) say(d, false, "GPU: it is here, but not used: %.200s", d->no_cuda);
}

static void judge_disk(struct kl_doctor *d)
{
    const struct kl_disk *disk = &d->disk;
    if (*disk->problem) return;
    if (disk->free >= 64e6 && disk->free < 2e9)
        say(d, false, "%.100s: only %.1f GB are free; a set of features has some 0.1 GB", disk->path,
            disk->free / 1e9);
    if (disk->sync_ms > 100)
        say(d, false, "%.100s: fsync takes %.0f ms; many small results (sweeps) wait for it", disk->path,
            disk->sync_ms);
    if (fabs(disk->clock_ahead) > 60)
        say(d, false, "%.100s: its clock is %.0f s %s this machine's; `cache gc` counts ages by it",
            disk->path, fabs(disk->clock_ahead), disk->clock_ahead > 0 ? "ahead of" : "behind");
    if (disk->remote)
        say(d, false,
            "%.100s is shared by machines (%s): fit for a store; let temporaries lie on a local disk "
            "(TMPDIR)",
            disk->path, disk->type);
    if (strcmp(disk->type, "tmpfs") == 0)
        say(d, false, "%.100s lies in memory: what is stored there is lost with the next start",
            disk->path);
}

/* Up to the second dot: what follows are corrections, as a distribution's security updates are. */
static bool same_series(const char *a, const char *b)
{
    for (int dots = 0; *a && *a == *b; a++, b++)
        if (*a == '.' && ++dots == 2) return true;
    return *a == *b;
}

static void judge_libraries(struct kl_doctor *d)
{
    for (size_t i = 0; i < d->n_libraries; i++) {
        const struct kl_library *l = &d->library[i];
        if (!same_series(l->built, l->found) && strcmp(l->name, "glibc") != 0)
            say(d, false, "%s: built with %s, runs with %s; if anything is odd, build anew", l->name,
                l->built, l->found);
    }
}

void kl_doctor_judge(struct kl_doctor *d)
{
    judge_broken(d);
    judge_processor(d);
    judge_memory(d);
    judge_gpu(d);
    judge_disk(d);
    judge_libraries(d);
}

size_t kl_doctor_broken(const struct kl_doctor *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->n_advice; i++) n += d->advice[i].broken;
    return n;
}
