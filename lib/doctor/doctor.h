/* SPDX-License-Identifier: MIT
   doctor: is this machine fit, how fast is it, what should be changed? First what the tool calls. */
#ifndef KL_DOCTOR_DOCTOR_H
#define KL_DOCTOR_DOCTOR_H

#include "base/base.h"
#include "device/device.h"

/* The versions of a library: the one found when this program was built, and the one it runs with. */
struct kl_library {
    const char *name;
    char built[32], found[32];
};

/* A folder, as publishing uses it. Times are medians of a few. */
struct kl_disk {
    const char *path;
    bool absent;        /* not there yet: a stage will make it, and the folder above was tried */
    char type[32];      /* "ext", "nfs", or the number of statfs in hexadecimal */
    bool remote;        /* shared by machines: its attributes may be old, its clock another */
    double size, free;  /* bytes */
    double sync_ms;     /* 4 KiB written and fsynced */
    double write_rate;  /* bytes/s, 16 MiB written and fsynced once */
    double publish_ms;  /* rename over an older file, fsync of the folder */
    double clock_ahead; /* seconds: a new file's time less this machine's */
    char problem[256];  /* what is needed and does not work; "": all of it does */
};

/* All threads at once; 0: not measured. Peaks and rates count multiplications and additions. */
struct kl_rates {
    double peak, bandwidth;      /* float operations/s on registers; bytes/s read from memory */
    double product, convolution; /* float operations/s; of a convolution those of its plain sum */
    double circuit[2];           /* circuits/s, forward and gradients, ry-ring of 3 layers */
    double circuit_share[2];     /* of peak */
    double normals;              /* a second, of Langevin steps */
    char problem[128];           /* a kernel that gave wrong numbers; "" */
};
extern const int kl_rates_qubits[2]; /* 4 and 10 */

/* Of a GPU, from host memory to host memory; 0: not measured. */
struct kl_gpu_rates {
    char name[64];
    size_t left;         /* bytes of its memory that were free */
    double circuit[2];   /* circuits/s, forward and gradients, as those of the processor */
    double network_rows; /* a second, of classifiers of devices in training */
    double windows;      /* a second, there and back through Hydra's circuits of 6 qubits */
    double chain_steps;  /* a second, SGLD of 4-32-1 on 50 records */
    /* A second, of pulses of 60 segments for a qubit's gate, in double and in float. */
    double gradients, single_gradients;
    char problem[160]; /* what failed, or gave wrong numbers; "" */
};
enum { KL_MOST_ADVICE = 24, KL_MOST_LIBRARIES = 16, KL_FORECASTS = 8 };
struct kl_forecast {
    const char *name, *what; /* a name in JSON, and words */
    double seconds;
};
struct kl_advice {
    bool broken; /* something needed does not work */
    char text[240];
};

struct kl_doctor {
    const struct kl_cpu *cpu;
    const char *isa; /* of the kernels: "base", "avx2", "avx512"; "neon" */
    struct {
        int online, allowed, quota,
            used;    /* processors; by affinity; by cgroup, 0: no limit; threads of a tool */
        double load; /* of the last minute */
    } threads;
    struct kl_memory memory;
    struct kl_gpus gpus;
    bool cuda;         /* the tools can compute on a GPU; */
    char no_cuda[300]; /* or why not, though one is here */
    struct kl_library library[KL_MOST_LIBRARIES];
    struct kl_disk disk;
    struct kl_rates rates;
    struct kl_gpu_rates gpu_rates[KL_MOST_GPUS];
    int n_gpu_rates;
    double chains; /* of 784-1000-1000-1 that fit into half of the memory there is */
    struct kl_forecast forecast[KL_FORECASTS]; /* where the rates were measured */
    struct kl_advice advice[KL_MOST_ADVICE];
    size_t n_libraries, n_forecasts, n_advice;
};

struct kl_doctor_options {
    const char *folder; /* whose file system is tried */
    int64_t threads;    /* 0: what the machine allows */
    bool no_bench;      /* two seconds less, and no forecasts */
};

/* Looks, tries, measures and judges. KL_ENOMEM; what does not work is advice, not an error. */
int kl_doctor_examine(struct kl_doctor *d, const struct kl_doctor_options *options,
                      struct kl_error *err);
size_t kl_doctor_broken(const struct kl_doctor *d); /* how many of the advice */
void kl_doctor_text(FILE *to, const struct kl_doctor *d);
int kl_doctor_json(FILE *to, const struct kl_doctor *d, struct kl_error *err); /* one line */
/* Markdown for a maintainer: the same, versions, limits, and variables of the environment that matter;
   no other variable, no file's content. */
void kl_doctor_bug_report(FILE *to, const struct kl_doctor *d);

/* ---- its parts ---- */
int kl_doctor_rates_measure(struct kl_rates *rates, struct kl_pool *pool, const struct kl_memory *memory,
                            struct kl_error *err);
/* All GPUs that the tools can use; returns how many. */
int kl_doctor_gpus(struct kl_gpu_rates *rates);
/* threads: by which the rates were measured. */
size_t kl_doctor_forecasts(struct kl_forecast *forecasts, const struct kl_rates *rates, int threads);
double kl_doctor_chains(const struct kl_memory *memory, int threads);

#endif
