/* SPDX-License-Identifier: MIT
   Private to lib/sequence/recording. */
#ifndef KL_SEQUENCE_RECORDING_INT_H
#define KL_SEQUENCE_RECORDING_INT_H

#include "sequence/recording/recording.h"

/* A signal in the file: an ordinary one, or one of annotations. */
struct kl_sequence_channel {
    size_t offset, per_record; /* bytes from the begin of a record; samples */
    double gain, base;         /* physical = base + gain * digital */
    long signal;               /* its number among the ordinary ones; -1: annotations */
    char label[34];
};
struct kl_sequence_recording_file {
    int fd;
    size_t width; /* bytes of a sample: 2, 3 */
    size_t header_bytes, record_bytes, n_channels;
    struct kl_sequence_channel *channels;
    const struct kl_sequence_channel **of_signal; /* (n_signals) */
    size_t n_refused_remarks;                     /* beyond the most that are kept */
    char *texts;                                  /* of annotations, one after another */
};

/* ---- header.c ---- */
/* Everything but names that stand twice, annotations and stretches. */
int kl_sequence_header_read(struct kl_sequence_recording *r, struct kl_error *err);
/* ---- annotations.c ---- */
/* Annotations of all channels, records' own onsets; gaps. */
int kl_sequence_annotations_read(struct kl_sequence_recording *r, struct kl_error *err);
/* ---- text.c ---- */
/* Bytes of a field, blanks and NULs at its ends cut, as UTF-8 without control characters; true: they
   were none, and are taken for Latin-1. to holds 2 n + 1 bytes. */
bool kl_sequence_text(char *to, const void *from, size_t n);
/* A decimal number, and nothing else but blanks around it: not "1,5", "nan", "0x1". */
bool kl_sequence_number(double *value, const char *text);
bool kl_sequence_whole(int64_t *value, const char *text);
/* A unit in volts; 0: not known. */
double kl_sequence_unit_volts(const char *unit);
/* ---- recording.c ---- */
/* A line of the report; beyond 64 they are only counted. */
int kl_sequence_remark(struct kl_sequence_recording *r, struct kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
