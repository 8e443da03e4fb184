/* SPDX-License-Identifier: MIT
   planes: the rows of two devices as planes, for what is done to many labellings of them: a plane is one
   bit of each row, 64 rows a word. What the tournament and the power curves share. */
#ifndef KL_QRNG_PAIRS_PLANES_H
#define KL_QRNG_PAIRS_PLANES_H

#include "qrng/bits/bits.h"
#include "qrng/bits/histogram.h"
#include "qrng/pairs/tournament.h"

enum { KL_WIDE = 64 /* positions of the study's features */ };

/* `count` things of `size` bytes as the next part of a block, on lines of 64 bytes; *at: bytes taken so
   far. block NULL: to know how many it takes. */
static inline void *kl_take(char *block, size_t *at, size_t count, size_t size)
{
    void *part = block ? block + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return part;
}

/* ---- numbers of each row (row_features.c) ---- */
struct kl_row_features {
    size_t n_symbols;     /* S */
    size_t n_transitions; /* S * S up to 4 symbols, else 0 */
    size_t n;             /* of both together */
    size_t most;          /* symbols of a row: no number is larger */
    uint16_t *values;     /* [n_rows, n]: how often each symbol, and each successor of it, comes */
    uint8_t *bin;         /* [n_rows]: of the histogram of the share of ones */
};
int kl_row_features(struct kl_row_features *f, const struct kl_bits *bits, struct kl_error *err);
void kl_row_features_free(struct kl_row_features *f);

/* ---- two devices' rows (planes.c) ---- */
struct kl_planes {
    size_t rows, rows_a;                      /* of both devices, of the first one */
    size_t words, fold_words;                 /* of a plane: KL_CROSSFIT_FOLDS folds of fold_words */
    size_t n_bits, n_wide;                    /* positions, and those of the study's features */
    size_t n_symbols, n_counts, feature_bits; /* S; numbers a row; planes of each */
    bool chain; /* the classifier's numbers are the transitions, else the symbols */
    size_t first_of_fold[KL_CROSSFIT_FOLDS]; /* rows of the first device */
    uint64_t *valid, *first; /* [words]: rows that are there; those of the first device */
    uint64_t *columns;       /* [n_bits, words] */
    uint64_t *bins;          /* [KL_BINS, words] */
    uint64_t *counts;        /* [n_counts, feature_bits, words] */
    float *classified;       /* [numbers of the classifier, 64 * words]: the same for each row */
    uint32_t *all;           /* [n_bits + KL_BINS]: ones of columns and bins */
    uint32_t *both;          /* [n_wide, n_wide], j >= i: rows with ones at i and j */
    uint32_t *folds;         /* [n_counts, KL_CROSSFIT_FOLDS]: sums of the numbers */
    uint32_t *scratch;       /* (hidden) */
    void *block;             /* (hidden) */
};
/* rows: numbers of the rows of a, then of b. KL_EDATA: sums might pass 32 bits. KL_ENOMEM. */
int kl_planes_make(struct kl_planes *p, const struct kl_bits *bits, const struct kl_row_features *f,
                   const size_t *rows_a, size_t n_a, const size_t *rows_b, size_t n_b,
                   struct kl_error *err);
void kl_planes_free(struct kl_planes *p);
/* out [64]: bit r of out[c] is bit c of in[r] (64 x 64 bits, turned). */
void kl_turn_bits(uint64_t out[64]);

/* mask [words]: of each fold as many of its rows as are the first device's, all subsets equally
   probable, from the stream (seed, purpose, step, replica). noise: room for 8 * words + KL_LABELS_SPARE.
 */
enum { KL_LABELS_SPARE = 64 };
void kl_draw_labels(uint64_t *mask, uint64_t *noise, const struct kl_planes *p, uint64_t seed,
                    uint32_t purpose, uint32_t step, uint32_t replica);

/* ---- the study's scores (legacy.c) ---- */
/* c / rows + 1e-10 for c = 0 .. rows, and its logarithm. */
struct kl_shares {
    size_t rows;
    double *value, *log;
};
int kl_shares_make(struct kl_shares *s, size_t rows, struct kl_error *err);
void kl_shares_free(struct kl_shares *s);
/* Counts of one side of a pair. */
struct kl_side {
    const struct kl_shares *shares;
    const uint32_t *ones, *both, *bins; /* as in struct kl_planes */
};
void kl_legacy_scores(double scores[KL_N_LEGACY], const struct kl_side *a, const struct kl_side *b,
                      size_t n_bits, size_t n_wide);

/* ---- the scores of a labelling (labelling.c) ---- */
/* Workspace of one thread. */
struct kl_labelling {
    uint64_t *mask, *noise, *masked;
    uint32_t *ones[2], *both[2], *bins[2], *folds, *planes;
    uint64_t *sides[2];
    int64_t *symbols[2];
    float *weights;
    void *block; /* (hidden) */
};
int kl_labelling_make(struct kl_labelling *l, const struct kl_planes *p, struct kl_error *err);
void kl_labelling_free(struct kl_labelling *l);
/* Scores (those wanted, bits 1 << KL_SCORE_...; others NaN) if the rows of l->mask were the first
   device's. shares: of the first and second device's rows. */
void kl_labelling_scores(double scores[KL_N_SCORES], uint32_t wanted, struct kl_labelling *l,
                         const struct kl_planes *p, const struct kl_shares shares[2]);
/* Sums of the numbers of rows in l->mask: l->folds. */
void kl_labelling_count(struct kl_labelling *l, const struct kl_planes *p);
/* Balanced accuracy on held-out rows, from l->folds (crossfit.c). */
double kl_crossfit_accuracy(struct kl_labelling *l, const struct kl_planes *p);
/* Its 95 %, of the held-out rows with the fits as they are: Wilson's of as many rows as bear it if both
   devices are found equally often, which is the widest. */
void kl_crossfit_bounds(double *low, double *high, double accuracy, const struct kl_planes *p);

/* ---- the permutation test of a pair (permute.c) ---- */
struct kl_course;
/* Scores of the pair, and of those wanted the p-values and null distributions, else NaN.
   pair: number of the stream. A permutation is a step of the course. KL_ENOMEM, KL_ESIGNAL. */
int kl_permute(struct kl_pair_result *r, const struct kl_planes *p, uint32_t wanted, size_t permutations,
               uint64_t seed, uint32_t pair, struct kl_pool *pool, struct kl_course *course,
               struct kl_error *err);

#endif
