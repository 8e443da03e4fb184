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
/* How a sample is stored. */
enum kl_sequence_sample { KL_SEQUENCE_INT16, KL_SEQUENCE_INT24, KL_SEQUENCE_INT32, KL_SEQUENCE_FLOAT32 };
struct kl_sequence_recording_file {
    int fd;
    enum kl_sequence_sample sample;
    size_t width; /* bytes of a sample: 2, 3, 4 */
    bool swapped; /* big-endian */
    /* Samples of a channel stand together, all of the file (BrainVision's VECTORIZED): then a record is
       one sample of each, and channel.offset counts from the begin of the samples. */
    bool vectorized;
    size_t header_bytes, record_bytes, n_channels;
    struct kl_sequence_channel *channels;
    const struct kl_sequence_channel **of_signal; /* (n_signals) */
    size_t n_refused_remarks;                     /* beyond the most that are kept */
    char *texts;                                  /* of annotations, one after another */
};

/* ---- header.c ---- */
/* Everything but names that stand twice, annotations and stretches. */
int kl_sequence_header_read(struct kl_sequence_recording *r, struct kl_error *err);

/* ---- events.c: annotations as they are found, in any order ---- */
struct kl_sequence_event {
    double onset, duration;
    size_t text, order; /* offset in the texts */
};
struct kl_sequence_events {
    struct kl_sequence_event *list;
    char *texts;
    size_t n, room, texts_n, texts_room, latin1;
};
/* text: n bytes of any encoding; blanks alone are no event. KL_ENOMEM. */
int kl_sequence_events_add(struct kl_sequence_events *e, double onset, double duration, const char *text,
                           size_t n, struct kl_error *err);
/* In place of the recording's annotations: by onset, counted from `zero`. Remarks on those in Latin-1
   and those where there are no samples. Frees e. KL_ENOMEM. */
int kl_sequence_events_keep(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                            struct kl_error *err);
void kl_sequence_events_free(struct kl_sequence_events *e);
/* Seconds of sample k of a signal, counted over all records, by the stretch that it stands in. */
double kl_sequence_time_of(const struct kl_sequence_recording *r, const struct kl_sequence_signal *s,
                           size_t k);
/* Room for `need` elements of `size` bytes, growing by a half. KL_ENOMEM. */
int kl_sequence_grow(void **data, size_t *room, size_t need, size_t size, struct kl_error *err);

/* ---- events.c ---- */
/* Annotations of all channels into e, records' own onsets; gaps. *zero: what onsets count from. */
int kl_sequence_annotations_read(struct kl_sequence_recording *r, struct kl_sequence_events *e,
                                 double *zero, struct kl_error *err);
/* The gaps between stretches that are there. KL_ENOMEM. */
int kl_sequence_gaps_make(struct kl_sequence_recording *r, struct kl_error *err);
/* Triggers of BDF's Status channel into e: rises of its low 16 bits, onsets behind `zero`. */
int kl_sequence_status_read(struct kl_sequence_recording *r, struct kl_sequence_events *e, double zero,
                            struct kl_error *err);
/* ---- beside.c: what BIDS lays beside a recording ---- */
/* Types by channels.tsv, events by events.tsv, where such files are. */
int kl_sequence_beside_read(struct kl_sequence_recording *r, struct kl_error *err);
/* ---- vision_header.c, vision_markers.c ---- */
/* *is: the file, which is open, begins as a header of BrainVision. What kl_store_pread_all says. */
int kl_sequence_is_vision(bool *is, const struct kl_sequence_recording *r, struct kl_error *err);
/* In place of kl_sequence_header_read: r->file->fd becomes that of the samples. */
int kl_sequence_vision_read(struct kl_sequence_recording *r, struct kl_error *err);
/* Markers into e, stretches and gaps of the segments. */
int kl_sequence_markers_read(struct kl_sequence_recording *r, struct kl_sequence_events *e,
                             struct kl_error *err);
/* ---- signals.c ---- */
enum kl_sequence_type kl_sequence_type_of(const char *label, const char *transducer, const char *unit);
/* ---- header.c ---- */
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
/* Why a signal's samples have no values; the first reason stays. KL_ENOMEM. */
int kl_sequence_fault(struct kl_sequence_signal *s, struct kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Opens a regular file to read; *bytes: its size. KL_ENOINPUT, KL_EDATA, KL_EIO. */
int kl_sequence_open(int *fd, uint64_t *bytes, const char *path, struct kl_error *err);

/* ---- Lines of BrainVision's headers and markers: sections of KEY=VALUE. Private to this room
   ---- */

struct kl_sequence_ini {
    const char *path;
    char *text, *rest;
    size_t line; /* the last that was read, from 0, the one that says what the file is */
    char *section, *key, *value;
};
/* what: "Header File", "Marker File", which the first line must say. KL_ENOINPUT, KL_EDATA, KL_EIO,
   KL_ENOMEM. Close it in any case. */
int kl_sequence_ini_open(struct kl_sequence_ini *f, const char *path, const char *what,
                         struct kl_error *err);
/* The next line into key and value; false: there is none. */
bool kl_sequence_ini_next(struct kl_sequence_ini *f);
void kl_sequence_ini_close(struct kl_sequence_ini *f);

#endif
