/* SPDX-License-Identifier: MIT
   What was found, in words, as JSON, as a bug report; how long work will take. */
#include "doctor/doctor.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>

static const double image_28 = 1.11e8, image_224 = 8.6e9; /* of the convolution */
static const double sample = 5.0e5;       /* of the product, a step of the default head at batch 64 */
static const double sample_of_32 = 7.9e5; /* the same at batch 32 */
static const double controls = 4.2;       /* a head and its three controls over the head alone */

/* Epochs of `sgld sample`, each with a pass over the test records. Operations and normals of one; a
   normal that is drawn while its weight is updated takes a quarter more. A whole step of SYNTH's 4-500-1
   is worth so many normals. */
static const double fused = 1.25, synth_normals = 27250;
static const struct {
    double operations, normals;
} classic_mnist = { 17.3e9, 31e6 }, paper_mnist = { 108e9, 143e6 };

size_t kl_doctor_forecasts(struct kl_forecast *f, const struct kl_rates *r, int threads)
{
    const double classic =
                     classic_mnist.operations / r->product + fused * classic_mnist.normals / r->normals,
                 paper = paper_mnist.operations / r->product + fused * paper_mnist.normals / r->normals;
    const double grey = image_28 / r->convolution, photo = image_224 / r->convolution,
                 circuit = 1 / r->circuit[0];
    const double epoch = 54000 * (sample / r->product + circuit);
    const double digits = 1293 * (sample_of_32 / r->product + circuit);
    const struct kl_forecast all[KL_FORECASTS] = {
        { "features_60000_28", "features of 60,000 images of 28x28", 60000 * grey },
        { "features_10000_224", "features of 10,000 images of 224x224", 10000 * photo },
        { "epoch_54000", "an epoch of the default head, 54,000 samples", epoch },
        { "pipeline_demo", "make demo", 1797 * grey + 100 * 5 * controls * digits },
        { "pipeline_mnist", "pipelines/mnist.mk", 70000 * grey + 15 * 5 * controls * epoch },
        { "sgld_classic_synth", "sgld -p classic, an epoch of a chain, SYNTH",
          synth_normals * threads / r->normals },
        { "sgld_classic_mnist", "sgld -p classic, an epoch of a chain, MNIST", classic },
        { "sgld_paper_mnist", "sgld -p paper, an epoch of a chain, MNIST", paper },
    };
    for (size_t i = 0; i < KL_FORECASTS; i++) f[i] = all[i];
    return KL_FORECASTS;
}

/* ---- The examination as lines for a person: a topic, what was found; then advice ---- */

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

/* Of cached features a sample's numbers and its label; of heads in training parameters,
   gradient, moments. */
static void write_gpu_rates(FILE *to, const struct kl_gpu_rates *r, int i)
{
    const double features = (512 + 1) * sizeof(float), head = 70186 * 4 * sizeof(float);
    if (*r->problem) return;
    fprintf(to,
            "cuda:%d      circuits %.3g million a second with gradients, %d qubits; %.3g, %d qubits\n",
            i, r->circuit[0] / 1e6, kl_rates_qubits[0], r->circuit[1] / 1e6, kl_rates_qubits[1]);
    fprintf(to, "            classifiers of devices: %.3g million rows a second\n",
            r->network_rows / 1e6);
    fprintf(to,
            "            a second: %.3g windows of qseq's hydra, %.3g steps of sgld's chains, %.3g "
            "gradients of qcontrol's pulses (%.3g in single precision)\n",
            r->windows, r->chain_steps, r->gradients, r->single_gradients);
    fprintf(
        to,
        "            %.1f GB free: %.3g samples of 512 features, or %.0f default heads in training\n",
        (double)r->left / 1e9, (double)r->left / features, floor((double)r->left / head));
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
    for (int i = 0; i < d->n_gpu_rates; i++) write_gpu_rates(to, &d->gpu_rates[i], i);
    for (size_t i = 0; i < d->n_forecasts; i++)
        write_forecast(to, i ? "            " : "forecast    ", d->forecast[i].what,
                       d->forecast[i].seconds);
    fprintf(to, "chains      %.0f of 784-1000-1000-1 fit into half of the memory there is\n", d->chains);
    for (size_t i = 0; i < d->n_advice; i++)
        fprintf(to, "%s%s\n", d->advice[i].broken ? "BROKEN      " : "advice      ", d->advice[i].text);
    if (!d->n_advice) fputs("advice      none: fit for work\n", to);
}

/* ---- The examination as one JSON object: docs/schema/doctor.json ---- */

/* NULL members make the pack fail, which is "no memory". */
static json_t *processor(const struct kl_doctor *d)
{
    json_t *model = NULL;
    if (kl_json_string(&model, d->cpu->model, NULL)) return NULL;
    return json_pack("{so ss sb sb}", "model", model, "isa", d->isa, "avx2", d->cpu->avx2, "avx512",
                     d->cpu->avx512);
}

static json_t *threads(const struct kl_doctor *d)
{
    return json_pack("{si si si si sf}", "online", d->threads.online, "allowed", d->threads.allowed,
                     "quota", d->threads.quota, "used", d->threads.used, "load", d->threads.load);
}

static json_t *memory(const struct kl_memory *m)
{
    return json_pack("{sI sI sI}", "total", (json_int_t)m->total, "available", (json_int_t)m->available,
                     "limit", (json_int_t)m->limit);
}

static json_t *libraries(const struct kl_doctor *d)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < d->n_libraries; i++)
        if (json_object_set_new(
                object, d->library[i].name,
                json_pack("{ss ss}", "built", d->library[i].built, "found", d->library[i].found))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *gpu_rates(const struct kl_doctor *d)
{
    json_t *list = json_array();
    for (int i = 0; list && i < d->n_gpu_rates; i++) {
        const struct kl_gpu_rates *r = &d->gpu_rates[i];
        if (json_array_append_new(
                list,
                json_pack("{ss sI s[ff] sf sf sf sf sf ss}", "name", r->name, "free_memory",
                          (json_int_t)r->left, "circuits_per_second", r->circuit[0], r->circuit[1],
                          "network_rows_per_second", r->network_rows, "windows_per_second", r->windows,
                          "chain_steps_per_second", r->chain_steps, "pulse_gradients_per_second",
                          r->gradients, "pulse_gradients_per_second_single", r->single_gradients,
                          "problem", r->problem))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *gpus(const struct kl_doctor *d)
{
    const struct kl_gpus *g = &d->gpus;
    json_t *list = json_array();
    for (int i = 0; list && i < g->n; i++)
        if (json_array_append_new(list, json_pack("{ss sI s[ii]}", "name", g->gpu[i].name, "memory",
                                                  (json_int_t)g->gpu[i].memory, "capability",
                                                  g->gpu[i].major, g->gpu[i].minor))) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{si sb si so ss sb so}", "nodes", g->nodes, "library", g->library, "driver",
                     g->driver, "devices", list, "problem", g->problem, "usable", d->cuda, "rates",
                     gpu_rates(d));
}

static json_t *disk(const struct kl_disk *s)
{
    json_t *path = NULL, *problem = NULL;
    if (kl_json_string(&path, s->path, NULL)) return NULL;
    if (kl_json_string(&problem, s->problem, NULL)) {
        json_decref(path);
        return NULL;
    }
    return json_pack("{so sb ss sb sf sf sf sf sf sf so}", "path", path, "exists", !s->absent, "type",
                     s->type, "remote", s->remote, "size", s->size, "free", s->free, "fsync_ms",
                     s->sync_ms, "publish_ms", s->publish_ms, "write_bytes_per_second", s->write_rate,
                     "clock_ahead_seconds", s->clock_ahead, "problem", problem);
}

static json_t *rates(const struct kl_rates *r)
{
    return json_pack("{sf sf sf sf s[ff] s[ff] s[ii] sf ss}", "peak_flops", r->peak,
                     "memory_bytes_per_second", r->bandwidth, "product_flops", r->product,
                     "convolution_flops", r->convolution, "circuits_per_second", r->circuit[0],
                     r->circuit[1], "circuits_share_of_peak", r->circuit_share[0], r->circuit_share[1],
                     "circuits_qubits", kl_rates_qubits[0], kl_rates_qubits[1], "normals_per_second",
                     r->normals, "problem", r->problem);
}

static json_t *forecasts(const struct kl_doctor *d)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < d->n_forecasts; i++)
        if (json_object_set_new(object, d->forecast[i].name, json_real(d->forecast[i].seconds))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

static json_t *advice(const struct kl_doctor *d)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < d->n_advice; i++) {
        json_t *text = NULL;
        kl_json_string(&text, d->advice[i].text, NULL);
        if (!text || json_array_append_new(
                         list, json_pack("{sb so}", "broken", d->advice[i].broken, "text", text))) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

int kl_doctor_json(FILE *to, const struct kl_doctor *d, struct kl_error *err)
{
    json_t *object = json_object();
    char *text = NULL;
    int failed = !object;
    const struct {
        const char *name;
        json_t *value;
    } parts[] = { { "version", json_string(KL_VERSION) },
                  { "processor", processor(d) },
                  { "threads", threads(d) },
                  { "memory", memory(&d->memory) },
                  { "gpu", gpus(d) },
                  { "libraries", libraries(d) },
                  { "store", disk(&d->disk) },
                  { "rates", d->n_forecasts ? rates(&d->rates) : json_null() },
                  { "forecast_seconds", forecasts(d) },
                  { "chains_in_memory", json_integer((json_int_t)d->chains) },
                  { "advice", advice(d) },
                  { "broken", json_integer((json_int_t)kl_doctor_broken(d)) } };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        failed |= json_object_set_new(object, parts[i].name, parts[i].value) != 0;
    int code = failed ? kl_fail_memory(err, 4096) : kl_json_dump(&text, object, err);
    if (!code && fprintf(to, "%s\n", text) < 0) code = kl_fail_errno(err, KL_EIO, "standard output");
    free(text);
    json_decref(object);
    return code;
}

/* ---- What a maintainer asks for, ready to be pasted into an issue ---- */

#ifdef __clang__ /* its __VERSION__ has the name, gcc's has not */
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void write_system(FILE *to)
{
    struct utsname name;
    char line[256], pretty[256] = "unknown";
    FILE *file = fopen("/etc/os-release", "re");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "PRETTY_NAME=\"%255[^\"]", pretty);
    if (file) fclose(file);
    if (uname(&name)) return;
    fprintf(to, "system      %s, %s %s %s\n", pretty, name.sysname, name.release, name.machine);
    fprintf(to, "compiler    " COMPILER "\n");
}

static void write_limits(FILE *to)
{
    static const struct {
        const char *name;
        int which;
    } table[] = { { "open files", RLIMIT_NOFILE }, { "file size", RLIMIT_FSIZE },
                  { "memory", RLIMIT_AS },         { "stack", RLIMIT_STACK },
                  { "processes", RLIMIT_NPROC },   { "locked memory", RLIMIT_MEMLOCK } };
    fputs("limits     ", to);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rlimit limit;
        if (getrlimit((__rlimit_resource_t)table[i].which, &limit)) continue;
        fprintf(to, "%s %s ", i ? "," : "", table[i].name);
        if (limit.rlim_cur == RLIM_INFINITY) fputs("unlimited", to);
        else fprintf(to, "%llu", (unsigned long long)limit.rlim_cur);
    }
    fputc('\n', to);
}

/* Only these: others may hold secrets. */
static void write_environment(FILE *to)
{
    static const char *const names[] = { "KETLINE_ISA",  "KETLINE_STORE",   "KETLINE_DATA",
                                         "TMPDIR",       "XDG_CACHE_HOME",  "LC_ALL",
                                         "LANG",         "OMP_NUM_THREADS", "LD_PRELOAD",
                                         "SLURM_JOB_ID", "MALLOC_PERTURB_", "LD_LIBRARY_PATH" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i])) fprintf(to, "variable    %s=%s\n", names[i], getenv(names[i]));
}

void kl_doctor_bug_report(FILE *to, const struct kl_doctor *d)
{
    fputs("<!-- Look it over before you post it: folders' names are in it. -->\n\n"
          "**What I did** (the command, whole)\n\n\n**What I expected**\n\n\n"
          "**What happened** (the message, whole; with -v if it can be had again)\n\n\n"
          "**A file that shows it**, if there is one: the output of `cache show FILE` and `cache log "
          "FILE`\n\n\n"
          "**The machine**\n\n```\nketline     " KL_VERSION "\n",
          to);
    write_system(to);
    write_limits(to);
    write_environment(to);
    kl_doctor_text(to, d);
    fputs("```\n", to);
}
