/* SPDX-License-Identifier: MIT
   Private to the room of bits: an input as a format sees it, and what is counted of rows. */
#ifndef KL_QRNG_BITS_BITS_INT_H
#define KL_QRNG_BITS_BITS_INT_H

#include "qrng/bits/bits.h"

struct kl_bits_source;

/* The coding of an input's bytes, from its options. */
enum kl_bits_coding {
    KL_BITS_ROWS, /* rows: text, .npy, a file of ours */
    KL_BITS_PACKED,
    KL_BITS_SYMBOLS, /* these three in the order of KL_BITS_ENCODINGS */
    KL_BITS_HEX,
    KL_BITS_BASE64
};

/* A format: how its rows come. open sets block.n_bits; next fills block.n_rows, words and device. */
struct kl_bits_format {
    const char *name;
    bool (*knows)(const unsigned char *first, size_t n, const struct kl_bits_how *how);
    int (*open)(struct kl_bits_source *s, struct kl_error *err);
    int (*next)(struct kl_bits_source *s, size_t max_rows, struct kl_error *err);
    void (*close)(struct kl_bits_source *s); /* what is in state */
};
extern const struct kl_bits_format kl_bits_packed, kl_bits_coded, kl_bits_h5, kl_bits_npy, kl_bits_text;

struct kl_bits_source {
    const char *path; /* for messages: "standard input" for "-" */
    bool spooled;
    char content[65]; /* of what is spooled, once it is known: it cannot change */
    int fd;           /* a regular file, or an unlinked one */
    uint64_t size;    /* its bytes */
    struct kl_bits_how how;
    enum kl_bits_coding coding;
    const struct kl_bits_format *format;
    void *state;          /* of the format */
    struct kl_file *file; /* open, if it is one of ours */
    struct kl_bits block;
    size_t block_rows;    /* room for so many */
    size_t expected_rows; /* for progress */
    size_t row;           /* rows that have been read */
    bool labelled;        /* rows name their device; else all are of the first one */
    size_t *count, *seen; /* [KL_BITS_DEVICES]: rows of each, and the first of them (from 1) */
};

/* ---- what formats share (inputs.c) ---- */
/* The name of an input without labels: its path's last part without an ending. */
void kl_bits_name(char name[KL_BITS_NAME], const char *path);
/* The words of a row once n_bits, 1 or more, is known. KL_EDATA (too many), KL_EUSAGE (symbols). */
int kl_bits_make_block(struct kl_bits_source *s, size_t n_bits, struct kl_error *err);
/* KL_EDATA in words that say which byte, or character of a wider code, stands where a 0 or 1 is
   expected. column: from 1. */
int kl_bits_wrong(const struct kl_bits_source *s, size_t row, size_t column, uint32_t found,
                  struct kl_error *err);

/* ---- bits that bytes have (form.c) ---- */
struct kl_bits_widths {
    uint8_t set[8];    /* in any of bytes 0, 8, 16, ...; 1, 9, 17, ... */
    uint8_t before[8]; /* the last of each */
    uint8_t last;
    bool varies; /* some byte is not that eight before */
    size_t n, ones;
    size_t changes;        /* from 255 to another byte, or back */
    bool zero, one, other; /* a byte is 0; is 1; is none of 0, 1 and 255 */
};
/* Adds the next n bytes; w begins as zeros. */
void kl_bits_widths_add(struct kl_bits_widths *w, const unsigned char *bytes, size_t n);
/* Bits from the lowest to the highest that any byte has, 1 to 7, and *below, how many lower ones none
   has: the ones, were they anywhere in their bytes alike, would all lie so in less than one of 2^58
   inputs. 8: that cannot be said. */
int kl_bits_width(int *below, const struct kl_bits_widths *w);
/* 2, 4 or 8: the bytes are of numbers of so many bytes each, since in some byte of each two bits or
   more, the highest or the lowest, are never set that others have. Ones that were anywhere alike would
   lie so in less than one of 2^54 inputs. 1: that cannot be said. */
int kl_bits_stride(const struct kl_bits_widths *w);
/* Every byte is 0, 1 or 255, and 22 times or more there is a change to 255 or back: masks and signs are
   stored so. Bits of a stream change where a byte ends one time of eight. */
bool kl_bits_signs(const struct kl_bits_widths *w);

/* ---- what inputs are not (form.c) ---- */
/* KL_EDATA: the input is something else than what its options say, or than rows. */
int kl_bits_check(const struct kl_bits_source *s, struct kl_error *err);
enum { KL_BITS_ADVICE = 160 };
/* Advise, for a message, on what else an input that was taken for rows may be: "" or "; ..." */
void kl_bits_advise(char words[KL_BITS_ADVICE], const struct kl_bits_source *s);

/* ---- what the rows of a device say (streaming_counts.c) ---- */
/* Rows are counted into whole numbers, which are all that is kept of them; every statistic and its
   standard error is made from those (statistics.c, a table). n bits a row, R rows, w bits a symbol,
   S = 2^w symbols; the first bit of a symbol is its highest. */
enum {
    KL_LAGS = 19,           /* of the autocorrelation: 1 to 19 */
    KL_RUN_LENGTHS = 64,    /* of runs: 1, 2, ...; the last one stands for all longer ones, too */
    KL_REFERENCE_ROWS = 500 /* of which the study counts runs */
};

/* One row. */
struct kl_row_counts {
    uint32_t ones, transitions[4];         /* (b_j, b_j+1) = 00, 01, 10, 11, n - 1 in all */
    uint32_t inside[4];                    /* of them those whose two bits belong to one symbol */
    uint32_t both[KL_LAGS];                /* places j with b_j = b_j+k = 1, k = 1 ... */
    uint32_t head[KL_LAGS], tail[KL_LAGS]; /* ones among the first and the last n - k */
    uint32_t runs[KL_RUN_LENGTHS];
};
/* inside: bit j is set where j and j + 1 belong to one symbol; work: 2 words for each of the row's. */
void kl_bits_row_counts(struct kl_row_counts *counts, const uint64_t *row, size_t n,
                        const uint64_t *inside, uint64_t *work);

/* One device. Products and sums of whole numbers are exact below 2^53, whatever the order of the rows;
   those of autocorrelations are added in the rows' order. */
struct kl_tally {
    size_t n_bits;
    int symbol_bits;
    int64_t rows;
    int64_t *ones_at;       /* [n]: rows with a 1 there */
    int64_t *ones_rows;     /* [n + 1]: rows with so many ones */
    int64_t *symbols;       /* [S] */
    int64_t *successive;    /* [S][S]: symbols that follow each other in a row */
    double *symbol_squares; /* [S]: sums over rows of a symbol's count squared */
    int64_t transitions[4], inside[4];
    double transition_products[4][4]; /* sums over rows of products of two of its counts */
    int64_t runs[KL_RUN_LENGTHS], reference_runs[KL_RUN_LENGTHS]; /* all rows; the first 500 */
    double run_squares[KL_RUN_LENGTHS];
    int64_t varied; /* rows with both a 0 and a 1: others have no autocorrelation */
    double lag[KL_LAGS], lag_squares[KL_LAGS];
    int64_t pearson_rows; /* rows whose first n - 1 and last n - 1 bits both vary */
    double pearson, pearson_squares;
    int64_t first_row_ones, last_row_ones;
    uint64_t *planes; /* (hidden) of ones_at, until kl_bits_tallies_finish */
    int in_planes;    /* (hidden) rows in them */
};

/* Tallies of the devices that have occurred, and what they share. */
struct kl_tallies {
    size_t n_bits;
    int symbol_bits;
    struct kl_tally *devices; /* [n_devices] */
    int n_devices;
    uint64_t *inside, *work; /* (hidden) as of kl_bits_row_counts */
    uint32_t *row_symbols;   /* (hidden) [S] of one row */
};
int kl_bits_tallies_begin(struct kl_tallies *t, size_t n_bits, int symbol_bits, struct kl_error *err);
/* The rows of a block; devices are added as they occur. */
int kl_bits_tallies_add(struct kl_tallies *t, const struct kl_bits *block, struct kl_error *err);
/* After the last row. */
void kl_bits_tallies_finish(struct kl_tallies *t);
void kl_bits_tallies_free(struct kl_tallies *t); /* accepts what was zeroed */

/* Does the declared width of a symbol explain what depends on what? (symbol_width_test.c) log10 of
   p-values; NaN where a test is not defined. */
struct kl_fit_pairs {
    double phi, chi_square, log10_p; /* of neighbouring bits, df 1 */
};
struct kl_fit {
    struct kl_fit_pairs inside, between;                             /* a symbol; two symbols */
    double successive_chi_square, successive_df, successive_log10_p; /* independence of symbols */
    double successive_least; /* smallest expected count: below 5 the test is rough */
    double place_chi_square[KL_BITS_SYMBOL], place_log10_p[KL_BITS_SYMBOL]; /* df n / w - 1 */
    double dispersion_chi_square, dispersion_df, dispersion_log10_p;
};
void kl_bits_symbol_width_test(struct kl_fit *fit, const struct kl_tally *t);

/* ---- statistics of a device, by name (statistics.c) ---- */
enum kl_width {
    KL_ONE,
    KL_PER_TRANSITION, /* 4: 00 01 10 11 */
    KL_PER_LAG,        /* KL_LAGS */
    KL_PER_RUN,        /* KL_RUN_LENGTHS */
    KL_PER_BIT,        /* n */
    KL_PER_ONES,       /* n + 1 */
    KL_PER_SYMBOL,     /* S */
    KL_PER_PHASE       /* w: places in a symbol */
};
struct kl_statistic {
    const char *name; /* "device_stats/rate" */
    enum kl_width width;
    bool count;     /* whole numbers */
    bool has_error; /* a standard error */
    void (*of)(double *values, double *errors, const struct kl_tally *t);
    /* Or the mean over rows, or the deviation, of a number that a row's ones give. */
    double (*of_ones)(double ones, double n);
    bool deviation;
    size_t field; /* of struct kl_fit, where both are NULL */
};
/* Ends with one without a name. docs/qrng.md says what each is. */
extern const struct kl_statistic kl_statistics[];
size_t kl_bits_statistic_width(const struct kl_statistic *s, size_t n_bits, int symbol_bits);
/* values and errors: [width]; errors may be NULL, and is left alone where there are none. What is not
   defined is NaN. */
void kl_bits_statistic_values(double *values, double *errors, const struct kl_statistic *s,
                              const struct kl_tally *t);
const struct kl_statistic *kl_bits_statistic_find(const char *name); /* NULL: none */

/* ---- how far two devices are apart by what was counted of their rows, as the study has it
 * (divergences.c) ---- */
/* Flaws included. Jensen-Shannon divergence of the rates by position, nats:
   divided by their sums, which throws the bias away; the mixture is made before that. */
double kl_bits_reference_position_divergence(const struct kl_tally *a, const struct kl_tally *b);
/* The same with the mixture made after it. */
double kl_bits_position_divergence(const struct kl_tally *a, const struct kl_tally *b);
/* Symmetric Kullback-Leibler divergence of the histograms of row means in 20 bins, 1e-10 added to each.
 */
double kl_bits_reference_histogram_divergence(const struct kl_tally *a, const struct kl_tally *b);

/* ---- extract-features --qrng: bits and their statistics into a file of kind device-bits (extract.c)
 * ---- */
struct kl_bits_extract {
    struct kl_bits_inputs inputs; /* open */
    struct kl_tallies tallies;
    struct kl_first_rows first;   /* for kl_bits_repeats */
    bool only_statistics;         /* no rows */
    bool reference;               /* also what the study computes */
    const struct kl_watch *watch; /* counts rows */
    size_t n_rows;                /* after the first pass */
};
/* The first pass: the statistics. */
int kl_bits_extract_count(struct kl_bits_extract *e, struct kl_error *err);
/* The second pass: rows, and all statistics, to a writer. */
int kl_bits_extract_save(struct kl_bits_extract *e, struct kl_writer *writer, struct kl_error *err);
void kl_bits_extract_free(struct kl_bits_extract *e); /* accepts what was zeroed */

#endif
