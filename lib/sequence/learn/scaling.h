/* SPDX-License-Identifier: MIT
   scaling: how long a step of a training takes by ranks, threads, batch and qubits, or on a GPU, what
   ranks send and how long they wait: measured by the training itself. */
#ifndef KL_SEQUENCE_SCALING_H
#define KL_SEQUENCE_SCALING_H

#include "sequence/learn/learn.h"

enum { KL_SEQUENCE_SCALING_SCHEMA = 1 };
extern const struct kl_kind kl_sequence_scaling_kind;
extern const struct kl_tool kl_sequence_bench_tool;
extern const struct kl_mode kl_sequence_mode_bench;

struct kl_sequence_scaling_row {
    char model[32];
    int32_t qubits, layers; /* of a twin those of its model; 0: the model has none */
    int32_t batch, ranks, threads;
    int64_t parameters;
    double seconds;  /* of a step, on the first rank; the best of some rounds */
    double speedup;  /* over the first row of the same model, qubits and batch: one thread alone */
    double waited;   /* of it, for other ranks */
    double bytes;    /* that the first rank sends in a step */
    char device[64]; /* "cpu: avx512" (its kernels), "cuda: NVIDIA H200" */
    int32_t parts;   /* of its gradient: more ranks cannot share it; no column of the file */
    /* Of it, on a GPU: in its kernels; in launches and copies; 0 on a CPU. Of `waited` the least of all
       ranks: in exchanges, whoever waits. */
    double computed, launched, exchanged;
};
struct kl_sequence_scaling {
    struct kl_sequence_scaling_row *rows;
    size_t n;
    size_t windows, channels, steps; /* of the data */
    size_t n_left_out;               /* rows of more ranks than a step's gradient has parts */
};
/* The settings of one training of the table: the same on all ranks, but for the watch. */
struct kl_sequence_scaling_job {
    const struct kl_train_inputs *inputs;
    struct kl_ranks *ranks; /* NULL: alone */
    int threads;            /* at most; 1 on a GPU */
    double seconds;         /* that a row is measured for */
    size_t n_rows;          /* of the whole table, for the watch */
    const struct kl_watch *watch;
    const struct kl_log *log;
};
/* Can the training that `values` (settled) say be measured? KL_EDATA: fewer windows than a batch;
   KL_EUSAGE; KL_EDEVICE. */
int kl_sequence_scaling_check(struct kl_sequence_train_values *values,
                              const struct kl_sequence_scaling_job *job, struct kl_error *err);
/* Its rows for 1, 2, 4, ... ranks and threads. Its split, validation and replicas are not heeded: all
   windows but one train. Ranks beyond those that are measured wait, and all meet several times a row.
   KL_ESIGNAL, KL_EIO. */
int kl_sequence_scaling_add(struct kl_sequence_scaling *s, struct kl_sequence_train_values *values,
                            const struct kl_sequence_scaling_job *job, struct kl_error *err);
/* How many rows that would be, a number of ranks beyond the steps' parts counted too. */
size_t kl_sequence_scaling_rows(const struct kl_sequence_scaling_job *job);
void kl_sequence_scaling_free(struct kl_sequence_scaling *s);

/* ---- its file, its words (scaling.c) ---- */
int kl_sequence_scaling_save(struct kl_writer *writer, const struct kl_sequence_scaling *s,
                             struct kl_error *err);
void kl_sequence_scaling_tell(FILE *to, const struct kl_sequence_scaling *s);
/* forecast: NULL, none was asked for. */
struct kl_sequence_forecast;
int kl_sequence_scaling_json(FILE *to, const struct kl_sequence_scaling *s,
                             const struct kl_sequence_forecast *forecast, const char *output,
                             const struct kl_log *log, struct kl_error *err);

/* ---- what is not measured: more ranks than are here (forecast.c) ---- */
struct kl_sequence_forecast_row {
    struct kl_sequence_scaling_row like; /* the net and batch */
    int32_t ranks;
    double seconds, speedup;         /* over one rank, by the same fit */
    double fixed, windows, exchange; /* shares of a step: whatever its batch; of the windows, circuits
                                        above all; of ranks */
};
struct kl_sequence_forecast {
    struct kl_sequence_forecast_row *rows;
    size_t n;
    double worst;    /* relative error of a measured row that was left out; NaN: there are too few */
    bool exchange;   /* ranks were measured: what they exchange is in it */
    size_t left_out; /* rows of more ranks than a step's gradient has parts */
};
/* Of each net and batch of the table, for these ranks. KL_ENOMEM. Free it in any case. */
int kl_sequence_forecast_make(struct kl_sequence_forecast *forecast, const struct kl_sequence_scaling *s,
                              const int32_t *ranks, size_t n_ranks, struct kl_error *err);
int kl_sequence_forecast_save(struct kl_writer *writer, const struct kl_sequence_forecast *forecast,
                              struct kl_error *err);
void kl_sequence_forecast_tell(FILE *to, const struct kl_sequence_forecast *forecast);
struct json_t;
struct json_t *
kl_sequence_forecast_json(const struct kl_sequence_forecast *forecast); /* NULL: no memory */
void kl_sequence_forecast_free(struct kl_sequence_forecast *forecast);

#endif
