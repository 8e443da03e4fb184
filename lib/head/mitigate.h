/* SPDX-License-Identifier: MIT
   mitigate: a head's outputs under noise, with what can be known of the noise taken back: errors of the
   readout by the inverse of their confusion matrices, those of the gates by zero-noise extrapolation
   (Temme, Bravyi, Gambetta 2017, arXiv:1612.02058). docs/noise.md. */
#ifndef KL_HEAD_MITIGATE_H
#define KL_HEAD_MITIGATE_H

#include "head/head.h"

enum { KL_MOST_SCALES = 8 };

struct kl_mitigation {
    bool readout;
    int n_scales; /* 0: no extrapolation, the circuit as it is */
    int scale[KL_MOST_SCALES];
    double weight[KL_MOST_SCALES]; /* the extrapolated output: the sum of weight * output at scale */
    char label[64];                /* "readout, ZNE 1,3,5 linear"; "": none */
};
static inline bool kl_head_mitigates(const struct kl_mitigation *m)
{
    return m->readout || m->n_scales;
}
/* scales: NULL, or "1,3,5": two to KL_MOST_SCALES odd numbers in rising order. method: "richardson", the
   polynomial through all of them, or "linear", the straight line of least squares, at scale 0.
   KL_EUSAGE. */
int kl_head_mitigation_make(struct kl_mitigation *m, const char *scales, const char *method,
                            bool readout, struct kl_error *err);

/* What mitigation was worth to one replica. Errors: mean of |output - what the exact circuit without
   noise says| over samples and outputs. */
struct kl_mitigated {
    double accuracy, log_loss; /* without mitigation */
    double error, error_mitigated;
};

/* ---- told (mitigate_report.c) ---- of n replicas; all without effect if there is no mitigation */
struct kl_json_pair;
enum { KL_MITIGATION_PAIRS = 5 };
size_t kl_head_mitigation_pairs(struct kl_json_pair pairs[KL_MITIGATION_PAIRS],
                                const struct kl_mitigation *how, const struct kl_mitigated *m, size_t n);
/* One line for people, below the summary. */
void kl_head_mitigation_write(FILE *to, const struct kl_mitigation *how, const struct kl_mitigated *m,
                              size_t n);
/* Into the report: root attributes named as the pairs, and replicas/ of the same names. */
struct kl_writer;
int kl_head_mitigation_save(struct kl_writer *writer, const struct kl_mitigation *how,
                            const struct kl_mitigated *m, size_t n, struct kl_error *err);

/* ---- computed (mitigate.c) ---- */

/* What is run: a replica of a file, or of its control, and how. */
struct kl_mitigation_job {
    struct kl_file *file;
    const char *control; /* of kl_head_load */
    size_t replica;
    struct kl_conditions how;
    const struct kl_mitigation *mitigation;
    const struct kl_shots *shots; /* of every scale; NULL or n 0: exact */
};
/* logits (n, n_classes) with mitigation, and plain (n, n_classes) without, of features x. *m: its
   errors; accuracy and log_loss are left. plain and m may be NULL both. KL_EUSAGE: there is no noise, or
   it cannot be mitigated; those of kl_head_load. */
int kl_head_mitigated_logits(float *logits, float *plain, struct kl_mitigated *m,
                             const struct kl_mitigation_job *job, const float *x, size_t n,
                             struct kl_pool *pool, struct kl_error *err);

#endif
