/* SPDX-License-Identifier: MIT
   synthetic: devices whose laws are known, and the published study of thirty of them: how far apart
   their histograms are within and between classes, and what such a contrast is worth. d devices in c
   classes; device i is of class i c / d. */
#ifndef KL_QRNG_SYNTHETIC_SYNTHETIC_H
#define KL_QRNG_SYNTHETIC_SYNTHETIC_H

#include "qrng/bits/bits.h"
#include "stats/stats.h"

struct kl_synthetic_options {
    int64_t devices, rows, bits; /* 2 or more; of each device; of each row */
    const char *variant;         /* "own", or the study's: "validate", "full", "framework", "bridge" */
    const char *source; /* "chain": bits that repeat and drift; "pairs": symbols of two qubits */
    const char *bias, *copy,
        *drift;       /* chain, by class: "0.48-0.52,0.54-0.58"; NULL: those of "validate" */
    const char *laws; /* pairs, by class: "0.25/0.25/0.25/0.25,..."; NULL: about the measured devices */
    double spread;    /* pairs: a device's law is its class's times exp(spread N(0,1)), normalised */
    int64_t permutations; /* of the devices' classes */
    int64_t trials;       /* of each cell of the power curves; 0: none */
    int64_t seed;         /* the study's variants: of MT19937 */
};
/* 30 devices, 2,000 rows of 100 bits, chains, 20,000 permutations, 100 trials. */
void kl_synthetic_options_default(struct kl_synthetic_options *o);

enum { KL_SYNTHETIC_CLASSES = 16, KL_LAW = 4 };
struct kl_synthetic_class {
    double bias[2], copy[2], drift[2]; /* ranges; the drift lies within +- drift[1] */
    double law[KL_LAW];
};
struct kl_synthetic_plan {
    const struct kl_synthetic_options *options;
    bool study, pairs; /* the study's stream; symbols of two bits */
    bool bias_alone;   /* "bridge": one draw a bit */
    int n_classes;
    struct kl_synthetic_class classes[KL_SYNTHETIC_CLASSES];
};
/* The options in numbers. KL_EUSAGE. */
int kl_synthetic_plan(struct kl_synthetic_plan *plan, const struct kl_synthetic_options *o,
                      struct kl_error *err);

struct kl_synthetic_device {
    int class;
    double bias, copy, drift; /* chain; else NaN */
    double law[KL_LAW];       /* pairs; else NaN */
    int64_t ones;
};
/* bits: named c0d0, c0d1, ..., c1d10, ...; devices [options->devices], set. *draws: uniform numbers that
   the study's stream gave, else 0. Free bits in every case. KL_ENOMEM. */
int kl_synthetic_make(struct kl_bits *bits, struct kl_synthetic_device *devices, uint64_t *draws,
                      const struct kl_synthetic_plan *plan, struct kl_pool *pool, struct kl_error *err);
/* The bits alone, as a file of kind device-bits. */
int kl_synthetic_save_bits(struct kl_writer *writer, const struct kl_bits *bits, struct kl_error *err);

/* Numbers of a class pair's divergences. */
struct kl_class_pair {
    int a, b;
    size_t n;
    double mean, deviation, median, least, most; /* deviation: of the population */
};
/* One divergence of all pairs of devices. */
struct kl_contrast {
    double *divergence;           /* [d, d] */
    struct kl_class_pair *pairs;  /* [c (c + 1) / 2]: 0-0, 0-1, ... */
    double within, between;       /* means of the class pairs' means */
    double ratio_low, ratio_high; /* 95 % of between / within over devices; NaN: too few of a class */
    struct kl_mann_whitney test;  /* pairs between classes against pairs within, as if independent */
    double p; /* of u, by permuting the devices' classes; NaN: no permutations, or nothing to compare */
    size_t orders; /* there are no more of them, and p is of all; 0: p is of options->permutations */
    double *mean;  /* [d]: to all other devices */
    struct kl_correlation pearson, spearman; /* of `mean` with the accuracies */
};
/* One of the study's classifiers of the devices' classes: shares of right answers. */
enum { KL_SYNTHETIC_LEARNERS = 2 };
extern const char *const kl_synthetic_learner_names[KL_SYNTHETIC_LEARNERS]; /* "network", "logistic" */
struct kl_synthetic_learner {
    double train, test;
    int64_t confusion[KL_SYNTHETIC_CLASSES][KL_SYNTHETIC_CLASSES]; /* [true][named], of the test rows */
    double *accuracy; /* [d]: on all rows of a device, training rows included; NULL: not the study's
                         devices */
    struct kl_correlation pearson, spearman; /* of it with study.mean */
};
enum { KL_POWER_EFFECTS = 6, KL_POWER_ROWS = 6 };
struct kl_synthetic {
    size_t n_devices, n_classes, n_pairs; /* class pairs */
    struct kl_synthetic_plan plan;
    struct kl_bits bits;
    struct kl_synthetic_device *devices;
    uint64_t draws;
    /* 20-bin histograms of the rows' shares of ones: the study's, with 1e-10 under empty bins, and with
       half a row added to every bin. */
    struct kl_contrast study, smoothed;
    double *accuracy; /* [d]: of naming the class of a held-out row, from its ones or its symbols */
    double mean_accuracy;
    struct kl_synthetic_learner learners[KL_SYNTHETIC_LEARNERS];
    /* Two devices whose laws differ by a total variation of `effect` a symbol: share of trials in which
       chi-squared rejects at 5 %, and mean balanced held-out accuracy, after so many rows. */
    double effect[KL_POWER_EFFECTS];
    int64_t rows[KL_POWER_ROWS]; /* 0 from the number of rows on that the options do not reach */
    double power[KL_POWER_EFFECTS][KL_POWER_ROWS], learnt[KL_POWER_EFFECTS][KL_POWER_ROWS];
};
/* The study. The result depends on the options alone. Free s in every case. KL_EUSAGE, KL_ENOMEM,
   KL_ESIGNAL. */
int kl_synthetic_run(struct kl_synthetic *s, const struct kl_synthetic_options *o, struct kl_pool *pool,
                     const struct kl_watch *watch, struct kl_error *err);
void kl_synthetic_free(struct kl_synthetic *s);
int kl_synthetic_save(struct kl_writer *writer, const struct kl_synthetic *s, struct kl_error *err);
void kl_synthetic_table(FILE *to, const struct kl_synthetic *s);

/* ---- the parts ---- */
/* Divergences, class pairs, the test by ranks, the interval of the ratio and permutations, from each
   row's count of ones (class_contrast.c). */
int kl_synthetic_contrast_make(struct kl_contrast *c, const struct kl_synthetic *s, bool smoothed,
                               struct kl_pool *pool, struct kl_error *err);
void kl_synthetic_contrast_free(struct kl_contrast *c);
/* Cells of the power curves (power_curve.c). */
int kl_synthetic_power(struct kl_synthetic *s, struct kl_pool *pool, struct kl_error *err);
/* rows of a device by counters, from row 0 on, into words [rows, words_per_row] (devices.c).
   replica: number of the stream. */
void kl_synthetic_rows(uint64_t *words, const struct kl_synthetic_device *device, bool pairs,
                       size_t rows, size_t n_bits, uint64_t seed, uint32_t purpose, uint32_t replica);

/* ---- tournament --synthetic ---- */
struct kl_mode;
struct kl_kind;
extern const struct kl_mode kl_mode_synthetic;
extern const struct kl_tool kl_synthetic_tool; /* its table, for tool->parts */
extern const struct kl_kind kl_synthetic_kind; /* what such a file shows of itself */

#endif
