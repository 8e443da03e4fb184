/* SPDX-License-Identifier: MIT
   recording: EDF, EDF+, BDF and BrainVision files as they are, and what is wrong with them: signals in
   physical units, their types, events, gaps; and a writer of EDF+. Sources: Kemp et al. 1992 (EDF), Kemp
   & Olivan 2003 (EDF+), BioSemi (BDF, its Status channel), Brain Products (BrainVision Core Data Format
   1.0), Pernet et al. 2019, doi:10.1038/s41597-019-0104-8 (BIDS' events.tsv and channels.tsv). */
#ifndef KL_SEQUENCE_RECORDING_H
#define KL_SEQUENCE_RECORDING_H

#include "base/base.h"
struct json_t;
struct kl_mode;

enum kl_sequence_format {
    KL_SEQUENCE_EDF,
    KL_SEQUENCE_EDF_PLUS,
    KL_SEQUENCE_BDF,
    KL_SEQUENCE_BDF_PLUS,
    KL_SEQUENCE_BRAINVISION
};
/* The type of a signal: by channels.tsv beside the file, else by its label, transducer and unit
 * (signals.c). */
enum kl_sequence_type {
    KL_SEQUENCE_EEG,
    KL_SEQUENCE_EOG,
    KL_SEQUENCE_ECG,
    KL_SEQUENCE_EMG,
    KL_SEQUENCE_STIMULUS,
    KL_SEQUENCE_OTHER
};
/* One ordinary signal (annotation channels are none). physical = offset + gain * digital, in `unit`. */
struct kl_sequence_signal {
    char label[34]; /* as the file has it, blanks cut; UTF-8 (other bytes are taken for Latin-1) */
    char name[48];  /* canonical: "FC5" of "Fc5.", of "EEG Fc5-Ref"; NAME#2 where a name stands twice */
    char unit[18];
    double to_volts; /* physical unit in volts; 0: not known, or none of voltage */
    double physical_min, physical_max, digital_min, digital_max;
    size_t per_record; /* samples a record */
    double rate;       /* Hz */
    bool inverted;     /* physical_min > physical_max, applied as the standard says */
    enum kl_sequence_type type;
    char *fault; /* why its samples have no values ("physical minimum and maximum are both 0"); NULL:
                    they have. The rest of the file can be read. */
};
struct kl_sequence_annotation {
    double onset,
        duration;     /* seconds, onset from the recording's first sample; duration 0: none given */
    const char *text; /* UTF-8, '?' for control characters */
};
/* Seconds at which data are missing: [from, to), from the first sample. */
struct kl_sequence_gap {
    double from, to;
};
/* Records without a gap between them. */
struct kl_sequence_stretch {
    double start; /* seconds from the recording's first sample */
    size_t record, n_records;
};
/* Files of a recording beside the one that names it. */
enum kl_sequence_beside {
    KL_SEQUENCE_DATA,     /* BrainVision's samples */
    KL_SEQUENCE_MARKERS,  /* its events */
    KL_SEQUENCE_EVENTS,   /* BIDS' events.tsv, a hypnogram */
    KL_SEQUENCE_CHANNELS, /* BIDS' channels.tsv */
    KL_SEQUENCE_BESIDE
};
struct kl_sequence_recording {
    enum kl_sequence_format format;
    bool discontinuous; /* EDF+D, BDF+D, whether or not there are gaps */
    size_t n_signals, n_annotations, n_gaps, n_stretches, n_records;
    double record_seconds;
    uint64_t bytes;
    struct kl_sequence_signal *signals;
    struct kl_sequence_annotation *annotations; /* by onset */
    struct kl_sequence_gap *gaps;               /* n_stretches - 1 */
    struct kl_sequence_stretch *stretches;      /* in order; none where there are no records */
    char start[20];                             /* "2009-08-12 16:15:00"; "": not known */
    /* what was odd and borne, one line each: the report of the file */
    size_t n_remarks;
    char **remarks;
    const char *path;                        /* the caller's */
    char *beside[KL_SEQUENCE_BESIDE];        /* other files that it was read from; NULL: not there */
    struct kl_sequence_recording_file *file; /* (hidden) */
};
/* Reads the header and all events: annotations of EDF+, BDF+; rises of BioSemi's Status channel; markers
   of BrainVision; BIDS' events.tsv beside the file, which takes the place of the others. Of other
   samples none. What cannot be read rightly is refused in one line that says what and where (truncation,
   records that overlap, a number that is none, ...), but what is wrong with one signal alone is its
   `fault`. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Close it in any case. */
int kl_sequence_recording_open(struct kl_sequence_recording *r, const char *path, struct kl_error *err);
void kl_sequence_recording_close(struct kl_sequence_recording *r);
/* "EDF+C" */
const char *kl_sequence_recording_format(const struct kl_sequence_recording *r);
/* Events from a file of their own in place of those that there are: events.tsv, or EDF+ and BDF+ without
   signals (a hypnogram), whose onsets count from its own start. KL_EDATA: it has signals, starts on
   another day, ...; else as kl_sequence_recording_open. */
int kl_sequence_recording_take_events(struct kl_sequence_recording *r, const char *path,
                                      struct kl_error *err);
/* Of a recording without events: a stimulus channel, whose triggers are not read, as it is no Status of
   BDF. NULL: it has events, or no such channel. */
const char *kl_sequence_recording_trigger(const struct kl_sequence_recording *r);
#define KL_SEQUENCE_TRIGGER                                                                            \
    "no events; %s is a stimulus channel, and triggers are read of BDF's Status alone: write them as " \
    "events.tsv"
/* Is this a file of events alone: NAME.tsv, or EDF+ without signals? false: not, or it cannot be read.
 */
bool kl_sequence_is_events(const char *path);
/* "EEG", "stimulus" */
const char *kl_sequence_type_name(enum kl_sequence_type type);
/* The signal of this canonical name or, if there is none, of this label; -1. */
long kl_sequence_recording_find(const struct kl_sequence_recording *r, const char *name);

/* Samples [first, first + n) of signal s, counted over all records as stored, in the file's physical
   unit. Thread-safe. KL_EUSAGE: there are not so many; KL_EDATA: the signal has a fault, the file was
   cut meanwhile; KL_EIO, KL_ENOMEM. */
int kl_sequence_recording_read(double *out, const struct kl_sequence_recording *r, size_t s,
                               size_t first, size_t n, struct kl_error *err);
/* The same of `count` signals of one rate in one pass over the records: row i of out (count, stride) is
   signal signals[i], each value times scale[i] (NULL: 1; 1e6 * to_volts for microvolts). KL_EUSAGE: also
   where their rates differ. KL_EDATA: also a value that is no number (BrainVision's float32). */
int kl_sequence_recording_read_many(double *out, const struct kl_sequence_recording *r,
                                    const size_t *signals, size_t count, const double *scale,
                                    size_t first, size_t n, size_t stride, struct kl_error *err);

/* The report of a file: a new JSON object. (mode_inspect.c) */
int kl_sequence_recording_report(struct json_t **report, const struct kl_sequence_recording *r,
                                 struct kl_error *err);
/* The same in words. KL_ENOMEM. */
int kl_sequence_recording_tell(FILE *to, const struct kl_sequence_recording *r, struct kl_error *err);

/* ---- electrodes of the 10-10 system (signals.c) ---- */
/* Place on the unit disc: the head from above, nose at y = 1; equal steps of angle from the vertex are
   equal steps of radius, the line through nasion, ears and inion is the rim. */
struct kl_sequence_electrode {
    char name[6];
    float x, y;
};
extern const struct kl_sequence_electrode kl_sequence_electrodes[];
extern const size_t kl_sequence_n_electrodes;
/* By canonical name, upper and lower case alike; the names of the 10-20 system before (T3, T4, T5, T6)
   too. NULL: it is none. */
const struct kl_sequence_electrode *kl_sequence_electrode_find(const char *name);
/* Canonical name of a label: trailing points and blanks cut, "EEG " before it and "-Ref" and the like
   behind it too, if an electrode of the 10-10 system is left, which is then written as that is; else the
   label without its trailing points. name holds 48 bytes. */
void kl_sequence_electrode_name(char *name, const char *label);

/* ---- writing (edf_write.c) ---- */
struct kl_sequence_edf_signal {
    const char *label, *unit;          /* at most 16 and 8 ASCII characters */
    double physical_min, physical_max; /* as written: in 8 characters; samples beyond are clipped */
    const double *samples;             /* per_record * n_records, in the unit */
};
struct kl_sequence_edf {
    const struct kl_sequence_edf_signal *signals;
    size_t n_signals;
    size_t per_record, n_records; /* of every signal; records are of record_seconds */
    double record_seconds;
    const char *start;                                /* "2009-08-12 16:15:00" */
    const char *patient;                              /* fields of EDF+: "X X X X"; NULL: that */
    const char *equipment;                            /* one word; NULL: X */
    const struct kl_sequence_annotation *annotations; /* by onset */
    size_t n_annotations;
};
/* EDF+C of 16 bits with one annotation channel, as wide as the fullest record needs. *n_clipped (or
   NULL): samples beyond the ends. write: takes the bytes in order. KL_EUSAGE: a text or number that the
   format cannot hold; what write says; KL_ENOMEM. */
int kl_sequence_edf_write(size_t *n_clipped, const struct kl_sequence_edf *edf,
                          int (*write)(void *context, const void *data, size_t n, struct kl_error *err),
                          void *context, struct kl_error *err);

/* `qseq inspect`: what is in recordings. */
extern const struct kl_tool kl_sequence_inspect_tool;
extern const struct kl_mode kl_sequence_mode_inspect;

#endif
