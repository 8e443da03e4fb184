/* SPDX-License-Identifier: MIT
   nist_report: what the standards say of each device: SP 800-22 of its bits in sequences, SP 800-90B of
   its bits and symbols, and how much could be extracted. */
#ifndef KL_QRNG_NIST_REPORT_H
#define KL_QRNG_NIST_REPORT_H

#include "qrng/bits/bits.h"
#include "qrng/nist/iid.h"
#include "qrng/nist/nist22.h"
#include "qrng/nist/nist90b.h"

enum {
    KL_NIST_PART = 1000000, /* bits, and symbols, that SP 800-90B is applied to, at most */
    KL_NIST_SEQUENCE = 100  /* bits of a sequence of SP 800-22, at least */
};
struct kl_nist_options {
    int64_t
        sequence_bits;    /* of a sequence of SP 800-22; 0: all of a device's bits, up to KL_NIST_PART */
    int64_t sequences;    /* of them, of each device, at most */
    int64_t permutations; /* of SP 800-90B, section 5.1; 0: none */
    int64_t seed;
    double security; /* extracted bits are within 2^-security of uniform */
    bool restarts;   /* a row is what came after a start */
};
/* 0, 1,000, 10,000, 0, 64, no. */
void kl_nist_options_default(struct kl_nist_options *o);

/* Of each device more bits than these are not looked at: SP 800-22 is applied to so many sequences, SP
   800-90B to the first KL_NIST_PART symbols. Restarts look at 1000 rows whatever their length. */
size_t kl_nist_most_bits(const struct kl_nist_options *o);

struct kl_nist_device {
    size_t n_rows, n_bits, n_symbols; /* in all; of the parts that SP 800-90B is applied to below */
    size_t n_sequences, sequence_bits;
    struct kl_nist22 *suites;      /* [n_sequences] */
    double holm[KL_NIST22_VALUES]; /* log10 p, the least of all sequences, within its test */
    double rate[KL_NIST22_VALUES]; /* log10 false discovery rate, among all values */
    struct kl_nist22_many many[KL_NIST22_VALUES]; /* over the sequences */
    double bit_h[KL_NIST90B_ESTIMATES];           /* bits a bit */
    double symbol_h[KL_NIST90B_ESTIMATES];        /* bits a symbol; as bit_h if symbols are bits */
    double assessed;                              /* bits a symbol: the least of all */
    struct kl_iid iid;                            /* of symbols */
    struct kl_iid_tests tests;
    struct kl_restart restart; /* of options.restarts and 1000 rows of 1000 symbols */
    bool restarted;
    /* Bits within 2^-security of uniform, at the assessed entropy: from one row alone, and for each bit
       of long blocks. */
    double row_extractable, bit_extractable;
};
struct kl_nist_report {
    struct kl_nist_options options;
    size_t n_devices, row_bits, most_sequences;
    int symbol_bits;
    char (*names)[KL_BITS_NAME];
    struct kl_nist_device *devices;
    /* I(device; row) in bits, of independent symbols, and its standard error; NaN: one device, more than
       KL_LIMIT_CLASSES, or more than KL_LIMIT_SYMBOLS symbols or KL_LIMIT_ROW a row. */
    double information, information_error;
};
/* KL_EDATA (sequences longer than a device's bits, too few rows for restarts), KL_ENOMEM, KL_ESIGNAL.
   Free it in every case. */
int kl_nist_report(struct kl_nist_report *report, const struct kl_bits *bits,
                   const struct kl_nist_options *o, struct kl_pool *pool, const struct kl_watch *watch,
                   struct kl_error *err);
void kl_nist_report_free(struct kl_nist_report *report);

/* holm, rate, many, and the assessed entropy with what could be extracted, from the suites and estimates
   of a device (assess.c). KL_ENOMEM. */
int kl_nist_assess(struct kl_nist_device *device, const struct kl_nist_report *report,
                   struct kl_error *err);

/* How a test of SP 800-22 went: by its least p in all sequences, corrected after Holm for how many
   p-values it has there, against 0.01. */
enum kl_nist_verdict { KL_NIST_FAILED, KL_NIST_PASSED, KL_NIST_NOT_APPLICABLE };
enum kl_nist_verdict kl_nist_verdict(const struct kl_nist_device *device, int test);
/* Why it is applicable to no sequence; "": it is. */
const char *kl_nist_why(const struct kl_nist_device *device, int test);
/* Are symbols independent and identically distributed? Failed: refuted by any of section 5's tests. Not
   applicable: all symbols are equal. */
enum kl_nist_verdict kl_nist_iid_verdict(const struct kl_nist_device *device);

struct kl_writer;
struct json_t;
/* All datasets and attributes of the report (docs/files.md). KL_EIO, KL_ENOMEM. */
int kl_nist_save(struct kl_writer *writer, const struct kl_nist_report *report, struct kl_error *err);
/* A few lines a device; all tests if detailed. */
void kl_nist_table(FILE *to, const struct kl_nist_report *report, bool detailed);
int kl_nist_json(struct json_t **value, const struct kl_nist_report *report, struct kl_error *err);

/* ---- tournament --nist ---- */
struct kl_mode;
struct kl_kind;
extern const struct kl_mode kl_mode_nist;
extern const struct kl_tool kl_nist_tool; /* its table, for tool->parts */
extern const struct kl_kind kl_nist_kind; /* what such a file shows of itself */

#endif
