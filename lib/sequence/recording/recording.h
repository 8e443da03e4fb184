/* SPDX-License-Identifier: MIT
   recording: EDF, EDF+ and BDF files as they are, and what is wrong with them: signals in physical
   units, annotations, gaps; and the writer of such files. Sources: Kemp et al. 1992 (EDF), Kemp & Olivan
   2003 (EDF+), BioSemi (BDF). */
#ifndef KL_SEQUENCE_RECORDING_H
#define KL_SEQUENCE_RECORDING_H

#include "base/base.h"

enum kl_sequence_format { KL_SEQUENCE_EDF, KL_SEQUENCE_EDF_PLUS, KL_SEQUENCE_BDF, KL_SEQUENCE_BDF_PLUS };
/* One ordinary signal (annotation channels are none). physical = offset + gain * digital, in `unit`. */
struct kl_sequence_signal {
    char label[17]; /* as the file has it, blanks cut */
    char name[24];  /* canonical: "FC5" of "Fc5."; NAME#2 where a name stands twice */
    char unit[9];
    double to_volts; /* physical unit in volts; 0: not known */
    double physical_min, physical_max, digital_min, digital_max;
    size_t per_record; /* samples a record */
    double rate;       /* Hz */
    bool inverted;     /* physical_min > physical_max, applied as the standard says */
};
struct kl_sequence_annotation {
    double onset, duration; /* seconds from the start of the recording; duration 0: none given */
    const char *text;       /* UTF-8 */
    int64_t sample;         /* hidden use: -1 */
};
/* Seconds at which data are missing: [from, to). */
struct kl_sequence_gap {
    double from, to;
};
struct kl_sequence_recording {
    enum kl_sequence_format format;
    bool discontinuous; /* EDF+D, BDF+D, whether or not there are gaps */
    size_t n_signals, n_annotations, n_gaps, n_records;
    double record_seconds;
    struct kl_sequence_signal *signals;
    struct kl_sequence_annotation *annotations; /* by onset */
    struct kl_sequence_gap *gaps;
    char start[20]; /* "2009-08-12 16:15:00"; "": not known */
    /* what was odd and borne, one line each: the report of the file */
    size_t n_remarks;
    char **remarks;
    const char *path;                        /* the caller's */
    struct kl_sequence_recording_file *file; /* (hidden) mapped bytes */
};
/* Reads the header and all annotations; no sample. What cannot be read rightly is refused in one line
   that says what and where (truncation, equal physical ends, comma decimals, a number that is none,
   ...). KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_sequence_recording_open(struct kl_sequence_recording *r, const char *path, struct kl_error *err);
/* Samples [first, first + n) of signal s, counted over all records as stored, in the file's physical
   unit. Thread-safe. KL_EIO. */
int kl_sequence_recording_read(double *out, const struct kl_sequence_recording *r, size_t s,
                               size_t first, size_t n, struct kl_error *err);
void kl_sequence_recording_close(struct kl_sequence_recording *r);

#endif
