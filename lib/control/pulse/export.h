/* SPDX-License-Identifier: MIT
   Pulses for hardware: samples as a generator plays them, files of other programs, those files read
   again, and the loss of what was read behind a low pass, with skew and wrong amplitudes. */
#ifndef KL_CONTROL_EXPORT_H
#define KL_CONTROL_EXPORT_H

#include "control/pulse/pulse.h"

enum kl_control_format {
    KL_CONTROL_CSV,
    KL_CONTROL_JSON,
    KL_CONTROL_NPY,
    KL_CONTROL_OPENQASM3,
    KL_CONTROL_QUA,
    KL_CONTROL_NO_FORMAT
};
#define KL_CONTROL_FORMATS "csv|json|npy|openqasm3|qua"
enum { KL_CONTROL_MOST_SAMPLES = 1 << 18, KL_CONTROL_EXPORT_BYTES = 1 << 26 };

/* One output of a generator. A control x and the y of the same qubit (x1 and y1) are the quadratures of
   one signal: I, and Q = sign u_y. */
struct kl_control_output {
    int control;
    int q;             /* output of the Q that belongs to this I; -1: none, or this is no I */
    bool is_q;         /* this is a Q */
    double frequency;  /* of the pair: the intermediate frequency, cycles per unit of time */
    double full_scale; /* H at the largest sample: radians per unit of time */
    double scale;      /* a number in the file times this is H */
};
/* A signal: x + i sign y = u_x + i sign u_y, times exp(2 pi i frequency t) where it is mixed, t the
   middle of a sample. Sample i lasts from i/rate to (i+1)/rate. */
struct kl_control_samples {
    enum kl_control_format format;
    const struct kl_control_system *system;
    char gate[64], pulse[65]; /* pulse: content of its file */
    double rate;              /* samples a unit of time */
    double unit;              /* seconds in it; 0: it is dimensionless */
    int n, n_outputs, bits;   /* bits 0: not rounded */
    int sign;                 /* of u_y in Q */
    bool mixed;               /* by us; else the hardware mixes */
    struct kl_control_output outputs[KL_CONTROL_MAX_CONTROLS];
    double *values; /* [n][n_outputs]: H in radians per unit of time */
};
void kl_control_samples_free(struct kl_control_samples *samples);

/* ---- samples of a pulse (export.c) ---- */
struct kl_control_hardware {
    enum kl_control_format format;
    double unit;            /* seconds in a unit of time, where the pulse has none */
    const char *rate;       /* "1 GS/s", or samples a unit of time; NULL: those of the pulse */
    int64_t bits;           /* 0: numbers are not rounded */
    double full_scale;      /* 0: each output's limit, of a pair that of its modulus */
    const char *frequency;  /* "50 MHz", "-0.05", one a pair between commas; NULL: none */
    const char *quadrature; /* auto|plus|minus: sign of u_y in Q */
    int64_t multiple,
        pad; /* samples are a multiple of it (0: what the format wants); zeros at the end */
};
/* Each sample is the mean of the pulse over its time (of a pulse that a low pass follows: of what goes
   into it), rounded to the bits; so many samples that the pulse fits, zeros behind it. With an
   intermediate frequency f, what holding a sample takes away, sinc(f/rate), is added. The modulus of a
   pair's I + i Q is at most the full scale, rounded too. content: of the pulse's file. Free samples in
   any case. KL_EUSAGE: the full scale that was given is less than a sample; KL_ENOMEM. */
int kl_control_samples_make(struct kl_control_samples *samples, const struct kl_control_stored *pulse,
                            const char *content, const struct kl_control_hardware *hardware,
                            struct kl_error *err);
/* The same samples, not rounded, into values [n][n_outputs]. KL_ENOMEM. */
int kl_control_samples_ideal(double *values, const struct kl_control_samples *samples,
                             const struct kl_control_stored *pulse, struct kl_error *err);
/* The I and Q of each pair times exp(2 pi i frequency t), t the middle of the sample. */
void kl_control_samples_mix(double *values, const struct kl_control_samples *samples);

/* ---- files (export_write.c) ---- */
/* The whole file, malloc'ed, without a date. KL_ENOMEM. */
int kl_control_samples_write(unsigned char **bytes, size_t *n, const struct kl_control_samples *samples,
                             struct kl_error *err);
/* By which it is known, from its first byte on. */
const char *kl_control_samples_mark(enum kl_control_format format);
/* By the ending of the name: .csv, .json, .npy, .qasm; else none. */
enum kl_control_format kl_control_samples_format(const char *path);

/* ---- and back (export_read.c, export_qasm.c): nothing but the bytes is believed ---- */
/* bytes [n], with a 0 behind them. system: whose controls they drive, all of them. path: for messages.
   Free samples in any case. KL_EDATA, KL_ENOMEM. */
int kl_control_samples_read(struct kl_control_samples *samples, const struct kl_control_system *system,
                            const unsigned char *bytes, size_t n, const char *path,
                            struct kl_error *err);

/* ---- what they do (score.c) ---- */
struct kl_control_distortion {
    double tau;            /* of a low pass behind each output; below 0: the pulse's own */
    const char *skew;      /* "0.01": every Q, or every output but the first, is so late; or "y=0.01" */
    const char *amplitude; /* "0.02": every output is 1.02 times as large; or "y=0.02" */
    int64_t oversample;    /* segments of a sample; 0: as many as it needs */
    const struct kl_control_problem *other; /* the pulse's at other values; NULL: at its own alone */
};
enum kl_control_row {
    KL_CONTROL_ROW_DESIGNED,  /* the pulse itself */
    KL_CONTROL_ROW_SAMPLED,   /* at the hardware's rate, not rounded */
    KL_CONTROL_ROW_QUANTISED, /* what the file holds */
    KL_CONTROL_ROW_LOW_PASS,  /* that, behind the low pass */
    KL_CONTROL_ROW_SKEW,      /* that, with skew */
    KL_CONTROL_ROW_AMPLITUDE, /* that, with wrong amplitudes */
    KL_CONTROL_ROW_SET,       /* that, in the other problem; NaN without */
    KL_CONTROL_ROW_ALL,
    KL_CONTROL_ROWS
};
const char *kl_control_row_words(enum kl_control_row row); /* "low pass" */
struct kl_control_score {
    double loss[KL_CONTROL_ROWS]; /* of the pulse's problem, or the other, ensemble and all */
    double carrier; /* what the intermediate frequency adds to the loss of `sampled`; 0: there is none */
    int segments;   /* of the grid on which they were propagated */
    double duration; /* of the samples: it may be longer than the pulse */
    double moved;    /* largest difference of a sample from what the pulse would give, as a share of the
                        full scale */
    bool low_pass;   /* one was asked for, or is the pulse's own */
};
/* KL_EUSAGE, KL_ENOMEM, KL_EDATA (no number). */
int kl_control_score_samples(struct kl_control_score *score, const struct kl_control_stored *pulse,
                             const struct kl_control_samples *samples,
                             const struct kl_control_distortion *distortion, struct kl_error *err);

#endif
