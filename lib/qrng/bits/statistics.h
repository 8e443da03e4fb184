/* SPDX-License-Identifier: MIT
   What the rows of a device say. Rows are counted into whole numbers (tally.c), which are all that is
   kept of them; every statistic and its standard error is made from those (statistics.c, a table). n
   bits a row, R rows, w bits a symbol, S = 2^w symbols; the first bit of a symbol is its highest. */
#ifndef KL_QRNG_BITS_STATISTICS_H
#define KL_QRNG_BITS_STATISTICS_H

#include "qrng/bits/bits.h"

enum {
    KL_LAGS = 19,           /* of the autocorrelation: 1 to 19 */
    KL_RUN_LENGTHS = 64,    /* of runs: 1, 2, ...; the last one stands for all longer ones, too */
    KL_REFERENCE_ROWS = 500 /* of which the study counts runs */
};

/* One row (row_counts.c). */
struct kl_row_counts {
    uint32_t ones, transitions[4];         /* (b_j, b_j+1) = 00, 01, 10, 11, n - 1 in all */
    uint32_t inside[4];                    /* of them those whose two bits belong to one symbol */
    uint32_t both[KL_LAGS];                /* places j with b_j = b_j+k = 1, k = 1 ... */
    uint32_t head[KL_LAGS], tail[KL_LAGS]; /* ones among the first and the last n - k */
    uint32_t runs[KL_RUN_LENGTHS];
};
/* inside: bit j is set where j and j + 1 belong to one symbol; work: 2 words for each of the row's. */
void kl_row_count(struct kl_row_counts *counts, const uint64_t *row, size_t n, const uint64_t *inside,
                  uint64_t *work);

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
    uint64_t *planes; /* (hidden) of ones_at, until kl_tallies_finish */
    int in_planes;    /* (hidden) rows in them */
};

/* Tallies of the devices that have occurred, and what they share. */
struct kl_tallies {
    size_t n_bits;
    int symbol_bits;
    struct kl_tally *devices; /* [n_devices] */
    int n_devices;
    uint64_t *inside, *work; /* (hidden) as of kl_row_count */
    uint32_t *row_symbols;   /* (hidden) [S] of one row */
};
int kl_tallies_begin(struct kl_tallies *t, size_t n_bits, int symbol_bits, struct kl_error *err);
/* The rows of a block; devices are added as they occur. */
int kl_tallies_add(struct kl_tallies *t, const struct kl_bits *block, struct kl_error *err);
/* After the last row. */
void kl_tallies_finish(struct kl_tallies *t);
void kl_tallies_free(struct kl_tallies *t); /* accepts what was zeroed */

/* Does the declared width of a symbol explain what depends on what? (fit.c) log10 of p-values; NaN where
   a test is not defined. */
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
void kl_tally_fit(struct kl_fit *fit, const struct kl_tally *t);

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
    size_t field; /* of struct kl_fit, where `of` is NULL */
};
/* Ends with one without a name. docs/qrng.md says what each is. */
extern const struct kl_statistic kl_statistics[];
size_t kl_statistic_width(const struct kl_statistic *s, size_t n_bits, int symbol_bits);
/* values and errors: [width]; errors may be NULL, and is left alone where there are none. What is not
   defined is NaN. */
void kl_statistic_values(double *values, double *errors, const struct kl_statistic *s,
                         const struct kl_tally *t);
const struct kl_statistic *kl_statistic_find(const char *name); /* NULL: none */

#endif
