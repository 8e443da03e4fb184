/* SPDX-License-Identifier: MIT
   What is here and what is broken: processor, libraries, disk; the verdict. */
#include "doctor/doctor.h"

#include <bzlib.h>
#include <cairo.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <jconfig.h>
#include <math.h>
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <png.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>

#include "kernels/cuda.h"
#include "kernels/device.h"
#include "kernels/isa.h"
#include "stats/stats.h"
#include "store/store.h"

/* ---- Libraries ---- */

enum { JPEG = LIBJPEG_TURBO_VERSION_NUMBER };

static void add(struct kl_library *libraries, size_t *n, const char *name, const char *built,
                const char *found)
{
    struct kl_library *l = &libraries[(*n)++];
    l->name = name;
    snprintf(l->built, sizeof l->built, "%s", built);
    snprintf(l->found, sizeof l->found, "%s", found);
}

/* 801 is 0.8.1, 10639 is 1.6.39. */
static const char *dotted(char text[32], unsigned number)
{
    snprintf(text, 32, "%u.%u.%u", number / 10000, number / 100 % 100, number % 100);
    return text;
}

static size_t doctor_libraries(struct kl_library *libraries)
{
    char built[32], found[32];
    size_t n = 0;
    kl_store_hdf5_versions(built, found);
    add(libraries, &n, "HDF5", built, found);
    add(libraries, &n, "libpng", PNG_LIBPNG_VER_STRING, dotted(found, png_access_version_number()));
    snprintf(built, sizeof built, "%d.%d.%d", JPEG / 1000000, JPEG / 1000 % 1000, JPEG % 1000);
    add(libraries, &n, "libjpeg-turbo", built, built); /* no function */
    add(libraries, &n, "cairo", CAIRO_VERSION_STRING, cairo_version_string());
    add(libraries, &n, "jansson", JANSSON_VERSION, jansson_version_str());
    add(libraries, &n, "libyaml", yaml_get_version_string(), yaml_get_version_string()); /* no macro */
    add(libraries, &n, "OpenSSL", OPENSSL_VERSION_STR, OpenSSL_version(OPENSSL_VERSION_STRING));
    dotted(built, XXH_VERSION_NUMBER);
    add(libraries, &n, "xxHash", built, dotted(found, XXH_versionNumber()));
    add(libraries, &n, "zlib", ZLIB_VERSION, zlibVersion());
    snprintf(found, sizeof found, "%.*s", (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion());
    add(libraries, &n, "bzip2", found, found); /* no macro */
    snprintf(built, sizeof built, "%d.%d", __GLIBC__, __GLIBC_MINOR__);
    add(libraries, &n, "glibc", built, gnu_get_libc_version());
    return n;
}

/* ---- disk ----
   What publishing needs of a folder, tried: reserve, write, fsync, rename over an older file, fsync of
   the folder, read back. Locks are not tried: none is used. */

enum { SMALL = 4096, LARGE = 16 << 20, PIECE = 1 << 20, TIMES = 5 };

struct trial {
    struct kl_disk *disk;
    char *place;        /* the folder, or the one above */
    char name[2][4096]; /* temporary, and what it replaces */
    int fd[2], folder;
};

static void name_type(struct kl_disk *disk, unsigned long number)
{
    /* statfs(2), linux/magic.h */
    static const struct {
        unsigned long number;
        const char *name;
        bool remote;
    } table[] = {
        { 0xef53, "ext", false },       { 0x58465342, "xfs", false },     { 0x9123683e, "btrfs", false },
        { 0x01021994, "tmpfs", false }, { 0x794c7630, "overlay", false }, { 0x2fc12fc1, "zfs", false },
        { 0xf2f52010, "f2fs", false },  { 0x4d44, "fat", false },         { 0x2011bab0, "exfat", false },
        { 0x6969, "nfs", true },        { 0xff534d42, "cifs", true },     { 0xfe534d42, "smb2", true },
        { 0x0bd00bd0, "lustre", true }, { 0x47504653, "gpfs", true },     { 0x19830326, "beegfs", true },
        { 0x00c36400, "ceph", true },   { 0x01021997, "9p", true },       { 0x65735546, "fuse", true },
        { 0x5346414f, "afs", true },
    };
    snprintf(disk->type, sizeof disk->type, "%#lx", number);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number) {
            snprintf(disk->type, sizeof disk->type, "%s", table[i].name);
            disk->remote = table[i].remote;
        }
}

/* The first problem is kept. Returns false. */
static bool no(struct trial *t, const char *what)
{
    struct kl_disk *disk = t->disk;
    if (!*disk->problem)
        snprintf(disk->problem, sizeof disk->problem, "%.150s: %s: %s", t->place, what, strerror(errno));
    return false;
}

static double median(double *values)
{
    kl_stats_sort(values, TIMES);
    return values[TIMES / 2];
}

static bool make_files(struct trial *t)
{
    for (int i = 0; i < 2; i++) {
        const int end = kl_store_temporary_pattern(t->name[i], sizeof t->name[i], t->place, "doctor");
        if (end < 0) errno = ENAMETOOLONG;
        t->fd[i] = end < 0 ? -1 : mkostemps(t->name[i], end, O_CLOEXEC);
        if (t->fd[i] < 0) {
            t->name[i][0] = '\0';
            return no(t, "no file can be made");
        }
    }
    const int why = posix_fallocate(t->fd[0], 0, LARGE);
    if (!why || why == EINTR || why == EINVAL || why == EOPNOTSUPP) return true; /* writing will tell */
    errno = why;
    return no(t, "no room can be reserved");
}

static bool write_all(int fd, const char *bytes, size_t n, off_t at)
{
    while (n) {
        const ssize_t done = pwrite(fd, bytes, n, at);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        bytes += done, at += done, n -= (size_t)done;
    }
    return true;
}

static bool time_writes(struct trial *t)
{
    static char bytes[PIECE];
    double times[TIMES];
    memset(bytes, 'k', sizeof bytes);
    for (int i = 0; i < TIMES; i++) {
        const double start = kl_clock();
        if (!write_all(t->fd[0], bytes, SMALL, i * SMALL)) return no(t, "cannot be written");
        if (fsync(t->fd[0])) return no(t, "fsync fails");
        times[i] = 1e3 * (kl_clock() - start);
    }
    t->disk->sync_ms = median(times);
    const double start = kl_clock();
    for (off_t at = 0; at < LARGE; at += PIECE)
        if (!write_all(t->fd[0], bytes, PIECE, at)) return no(t, "cannot be written");
    if (fsync(t->fd[0])) return no(t, "fsync fails");
    t->disk->write_rate = LARGE / (kl_clock() - start);
    return true;
}

static bool time_publishing(struct trial *t)
{
    double times[TIMES];
    for (int i = 0; i < TIMES; i++) {
        const double start = kl_clock();
        if (rename(t->name[i % 2], t->name[1 - i % 2])) return no(t, "rename over a file fails");
        if (kl_store_sync_folder(t->folder, t->place, NULL)) return no(t, "fsync of the folder fails");
        times[i] = 1e3 * (kl_clock() - start);
        const int again = open(t->name[i % 2], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (again < 0) return no(t, "no file can be made");
        close(again);
    }
    t->disk->publish_ms = median(times);
    return true;
}

/* TIMES is odd: what was written lies under the second name. */
static bool read_back(struct trial *t)
{
    char byte = 0;
    struct stat status;
    struct timespec now;
    const int fd = open(t->name[1], O_RDONLY | O_CLOEXEC);
    if (fd < 0) return no(t, "a renamed file cannot be opened");
    const bool same = pread(fd, &byte, 1, LARGE - 1) == 1 && byte == 'k' && fstat(fd, &status) == 0 &&
                      status.st_size == LARGE;
    close(fd);
    if (!same) {
        errno = EIO;
        return no(t, "what was written is not what is read");
    }
    /* The last writing was before the renames: a new file tells the time. */
    clock_gettime(CLOCK_REALTIME, &now);
    if (stat(t->name[0], &status)) return no(t, "a file's time cannot be read");
    t->disk->clock_ahead = (double)(status.st_mtim.tv_sec - now.tv_sec) +
                           1e-9 * (double)(status.st_mtim.tv_nsec - now.tv_nsec);
    return true;
}

/* KL_ENOMEM */
static int doctor_disk_try(struct kl_disk *disk, const char *folder, struct kl_error *err)
{
    struct statfs fs;
    struct trial t = { .disk = disk, .fd = { -1, -1 } };
    *disk = (struct kl_disk){ .path = folder, .absent = access(folder, F_OK) != 0 && errno == ENOENT };
    const int code = kl_store_shared_place(&t.place, folder, err);
    if (code == KL_ENOMEM) return code;
    if (code) {
        snprintf(disk->problem, sizeof disk->problem, "%.250s", err->text);
        return KL_OK;
    }
    t.folder = open(t.place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (t.folder < 0) {
        no(&t, "cannot be opened");
        free(t.place);
        return KL_OK;
    }
    if (fstatfs(t.folder, &fs) == 0) {
        name_type(disk, (unsigned long)fs.f_type & 0xffffffff);
        disk->size = (double)fs.f_blocks * (double)fs.f_frsize;
        disk->free = (double)fs.f_bavail * (double)fs.f_frsize;
    }
    if (make_files(&t) && time_writes(&t) && time_publishing(&t)) read_back(&t);
    for (int i = 0; i < 2; i++) {
        if (t.fd[i] >= 0) close(t.fd[i]);
        if (t.name[i][0]) unlink(t.name[i]);
    }
    close(t.folder);
    free(t.place);
    return KL_OK;
}

/* ---- What to make of it, in words: first what is broken, then what could be better ---- */

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
    for (int i = 0; i < d->n_gpu_rates; i++)
        if (*d->gpu_rates[i].problem)
            say(d, true, "GPU %d, %.60s: %.120s; --device cpu needs none", i, d->gpu_rates[i].name,
                d->gpu_rates[i].problem);
}

static void judge_processor(struct kl_doctor *d)
{
    const char *wish = getenv("KETLINE_ISA");
    const char *best = kl_isa_name(d->cpu->avx512 ? KL_ISA_AVX512
                                   : d->cpu->avx2 ? KL_ISA_AVX2
                                                  : KL_ISA_BASE);
    if (strcmp(d->isa, best) != 0)
        say(d, false, "KETLINE_ISA=%.20s: the kernels use %s, though the processor has %s",
            wish ? wish : "", d->isa, best);
    if (strcmp(best, "base") == 0)
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
    if (d->cuda) say(d, false, "GPU: --device cuda takes it; which stages have one, docs/cuda.md says");
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

static void doctor_judge(struct kl_doctor *d)
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

/* ---- All that doctor looks at, one after another ---- */

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
    if (!d->gpus.n && !getenv("KETLINE_CUDA")) return;
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
    d->n_libraries = doctor_libraries(d->library);
    int code = kl_pool_create(&pool, (int)options->threads, err);
    if (code) return code;
    d->threads.used = kl_pool_size(pool);
    d->chains = kl_doctor_chains(&d->memory, d->threads.used);
    code = doctor_disk_try(&d->disk, options->folder, err);
    if (!code && !options->no_bench) {
        code = kl_doctor_rates_measure(&d->rates, pool, &d->memory, err);
        if (!code) d->n_forecasts = kl_doctor_forecasts(d->forecast, &d->rates, d->threads.used);
        if (!code && d->cuda) d->n_gpu_rates = kl_doctor_gpus(d->gpu_rates);
    }
    kl_pool_destroy(&pool);
    if (!code) doctor_judge(d);
    return code;
}
