/* SPDX-License-Identifier: MIT
   tournament: do devices that deliver bits differ, by how much, and what are the published study's
   scores worth? d devices, p = d (d - 1) / 2 pairs in the order 1v2, 1v3, ..., 2v3, ...; S symbols. */
#ifndef KL_QRNG_PAIRS_TOURNAMENT_H
#define KL_QRNG_PAIRS_TOURNAMENT_H

#include "qrng/bits/bits.h"
#include "qrng/bits/dependence.h"

struct kl_tournament_options {
    int64_t permutations; /* of the rows' labels, for each pair; 0: none, and no p-values by them */
    int64_t resamples;    /* of the bootstrap, at least 2 */
    int64_t seed;
    uint32_t wanted; /* scores whose labels are permuted: bits 1 << KL_SCORE_... */
    bool reference; /* the study's rows: every device but the first without its first row; its ranking */
};
/* 1,000 permutations of all scores, 1,000 resamples. */
void kl_pairs_tournament_options_default(struct kl_tournament_options *o);

/* Scores with a permutation test. D is the study's divergence of two vectors: 1e-10 is added to every
   element, both are divided by their sums, then (KL(a|b) + KL(b|a)) / 2 in nats. */
enum kl_score {
    KL_SCORE_BITS,        /* D of the rates of the first 64 positions */
    KL_SCORE_PATTERNS,    /* D of the shares of rows with ones at positions i and j, of these 64 */
    KL_SCORE_DIFFERENCES, /* D of the grids |rate i - rate j| */
    KL_SCORE_COMPOSITE,   /* 0.2, 0.4 and 0.4 times these: "distinguishability" */
    KL_SCORE_POSITIONS,   /* the study's Jensen-Shannon of position rates, all positions */
    KL_SCORE_HISTOGRAM,   /* D of 20-bin histograms of the rows' shares of ones, 1e-10 added last */
    KL_SCORE_CHI_SQUARE,  /* of the 2 x S table of symbols */
    KL_SCORE_ACCURACY,    /* balanced, held out: kl_pairs_crossfit_accuracy */
    KL_N_SCORES,
    KL_N_LEGACY = KL_SCORE_CHI_SQUARE,
    KL_ALL_SCORES = (1 << KL_N_SCORES) - 1
};
extern const char *const kl_score_names[KL_N_SCORES];
/* "all", or names with commas between them, as bits. KL_EUSAGE. */
int kl_pairs_scores_read(uint32_t *wanted, const char *text, struct kl_error *err);
/* The same back, in the order of the enumeration: one text for each choice. */
void kl_pairs_scores_write(char *text, size_t size, uint32_t wanted);

struct kl_pair_result {
    int a, b; /* from 0 */
    struct kl_symbol_test test;
    double log10_p_holm;                                  /* chi-squared, over all pairs */
    double divergence[KL_N_DIVERGENCES];                  /* plug-in */
    double low[KL_N_DIVERGENCES], high[KL_N_DIVERGENCES]; /* 95 %, bootstrap over rows */
    /* Of rows of independent symbols, exactly (kl_bits_bayes_limit), and standard errors: Jensen-Shannon
       divergence in nats, and how many the best rule assigns to the right device; NaN for more than 4
       symbols or 256 a row. */
    double row_js, row_accuracy, row_js_error, row_accuracy_error;
    double score[KL_N_SCORES];
    double accuracy_low, accuracy_high; /* of score[KL_SCORE_ACCURACY]: kl_pairs_crossfit_bounds */
    double p[KL_N_SCORES], null_mean[KL_N_SCORES], null_q95[KL_N_SCORES]; /* NaN: no permutations */
    double p_holm[KL_N_SCORES];                                           /* p over all pairs */
};

struct kl_tournament {
    size_t n_devices, n_pairs, n_bits, n_symbols, permutations, resamples;
    int symbol_bits;
    bool reference;
    struct kl_dependence
        dependence; /* of the symbols of a row, which chi-squared takes for independent */
    char (*names)[KL_BITS_NAME];
    int64_t *rows, *counts; /* [d] and [d, S]: rows, and how often each symbol came */
    double *rates;          /* [d, n_bits]: of ones at each position */
    struct kl_pair_result *pairs;
    size_t *order;                /* [p]: largest JS of symbols first; reference: largest composite */
    double *self_mean, *self_q95; /* [d, KL_N_LEGACY]: two fresh samples of one device; NaN */
};
/* All pairs. The result depends on bits and options alone. Free t with kl_pairs_tournament_free in every
   case. KL_EDATA (fewer than two devices, rows too long), KL_ENOMEM, KL_ESIGNAL. */
int kl_pairs_tournament_run(struct kl_tournament *t, const struct kl_bits *bits,
                            const struct kl_tournament_options *o, struct kl_pool *pool,
                            const struct kl_watch *watch, struct kl_error *err);
void kl_pairs_tournament_free(struct kl_tournament *t);
struct kl_differ kl_pairs_tournament_differ(const struct kl_tournament *t);
struct kl_writer;
int kl_pairs_tournament_save(struct kl_writer *writer, const struct kl_tournament *t,
                             struct kl_error *err);
/* One line a pair, best first, at most `lines` of them; the scores of each pair as well if detailed or
   t->reference. */
void kl_pairs_tournament_table(FILE *to, const struct kl_tournament *t, size_t lines, bool detailed);
/* "highly", "moderately", "somewhat" or "difficult to distinguish": the study's words for a composite.
 */
const char *kl_pairs_composite_label(double composite);

/* ---- what many labellings of a pair share, the tournament's and the power curves' ---- */
/* The rows of two devices as planes: a plane is one bit of each row, 64 rows a word. */
enum { KL_WIDE = 64 /* positions of the study's features */ };

/* `count` things of `size` bytes as the next part of a block, on lines of 64 bytes; *at: bytes taken so
   far. block NULL: to know how many it takes. */
static inline void *kl_pairs_take(char *block, size_t *at, size_t count, size_t size)
{
    void *part = block ? block + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return part;
}

/* ---- numbers of each row (pair_planes.c) ---- */
struct kl_row_features {
    size_t n_symbols;     /* S */
    size_t n_transitions; /* S * S up to 4 symbols, else 0 */
    size_t n;             /* of both together */
    size_t most;          /* symbols of a row: no number is larger */
    uint16_t *values;     /* [n_rows, n]: how often each symbol, and each successor of it, comes */
    uint8_t *bin;         /* [n_rows]: of the histogram of the share of ones */
};
int kl_pairs_row_features(struct kl_row_features *f, const struct kl_bits *bits, struct kl_error *err);
void kl_pairs_row_features_free(struct kl_row_features *f);

/* ---- two devices' rows (pair_planes.c) ---- */
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
int kl_pairs_planes_make(struct kl_planes *p, const struct kl_bits *bits,
                         const struct kl_row_features *f, const size_t *rows_a, size_t n_a,
                         const size_t *rows_b, size_t n_b, struct kl_error *err);
void kl_pairs_planes_free(struct kl_planes *p);
/* out [64]: bit r of out[c] is bit c of in[r] (64 x 64 bits, turned). */
void kl_pairs_transpose_bits(uint64_t out[64]);

/* mask [words]: of each fold as many of its rows as are the first device's, all subsets equally
   probable, from the stream (seed, purpose, step, replica). noise: room for 8 * words + KL_LABELS_SPARE.
 */
enum { KL_LABELS_SPARE = 64 };
void kl_pairs_shuffle_labels(uint64_t *mask, uint64_t *noise, const struct kl_planes *p, uint64_t seed,
                             uint32_t purpose, uint32_t step, uint32_t replica);

/* ---- the study's scores (reference_scores.c) ---- */
/* c / rows + 1e-10 for c = 0 .. rows, and its logarithm. */
struct kl_shares {
    size_t rows;
    double *value, *log;
};
int kl_pairs_shares_make(struct kl_shares *s, size_t rows, struct kl_error *err);
void kl_pairs_shares_free(struct kl_shares *s);
/* Counts of one side of a pair. */
struct kl_pairs_side {
    const struct kl_shares *shares;
    const uint32_t *ones, *both, *bins; /* as in struct kl_planes */
};
void kl_pairs_reference_scores(double scores[KL_N_LEGACY], const struct kl_pairs_side *a,
                               const struct kl_pairs_side *b, size_t n_bits, size_t n_wide);

/* ---- the scores of a labelling (permuted_scores.c) ---- */
/* Workspace of one thread. */
struct kl_labelling {
    uint64_t *mask, *noise, *masked;
    uint32_t *ones[2], *both[2], *bins[2], *folds, *planes;
    uint64_t *sides[2];
    int64_t *symbols[2];
    float *weights;
    void *block; /* (hidden) */
};
int kl_pairs_labelling_make(struct kl_labelling *l, const struct kl_planes *p, struct kl_error *err);
void kl_pairs_labelling_free(struct kl_labelling *l);
/* Scores (those wanted, bits 1 << KL_SCORE_...; others NaN) if the rows of l->mask were the first
   device's. shares: of the first and second device's rows. */
void kl_pairs_labelling_scores(double scores[KL_N_SCORES], uint32_t wanted, struct kl_labelling *l,
                               const struct kl_planes *p, const struct kl_shares shares[2]);
/* Sums of the numbers of rows in l->mask: l->folds. */
void kl_pairs_labelling_count(struct kl_labelling *l, const struct kl_planes *p);
/* Balanced accuracy on held-out rows, from l->folds. */
double kl_pairs_crossfit_accuracy(struct kl_labelling *l, const struct kl_planes *p);
/* Its 95 %, of the held-out rows with the fits as they are: Wilson's of as many rows as bear it if both
   devices are found equally often, which is the widest. */
void kl_pairs_crossfit_bounds(double *low, double *high, double accuracy, const struct kl_planes *p);

/* ---- the permutation test of a pair (permuted_scores.c) ---- */
/* Scores of the pair, and of those wanted the p-values and null distributions, else NaN.
   pair: number of the stream. A permutation is a step of the course. KL_ENOMEM, KL_ESIGNAL. */
int kl_pairs_permutation_test(struct kl_pair_result *r, const struct kl_planes *p, uint32_t wanted,
                              size_t permutations, uint64_t seed, uint32_t pair, struct kl_pool *pool,
                              struct kl_course *course, struct kl_error *err);

/* ---- what scores are of one device with itself (reference_null.c) ---- */
enum { KL_SELF_WIDTH = 4 /* bits of a symbol, at most, of which a device's samples are drawn */ };

/* Mean and 95 % quantile of the study's scores between two samples of `rows` rows each of n_bits bits of
   one source of independent symbols with probabilities p [S]; S is a power of two up to
   16. mean, q95: [KL_N_LEGACY]. device: number of the stream. A sample is kl_pairs_sample_steps of the
   course. KL_EDATA: more bits than the stream has numbers for. KL_ENOMEM, KL_ESIGNAL. */
int kl_pairs_reference_null(double *mean, double *q95, const double *p, size_t n_symbols, size_t n_bits,
                            size_t rows, size_t samples, uint64_t seed, uint32_t device,
                            struct kl_pool *pool, struct kl_course *course, struct kl_error *err);
/* About as many permutations of a pair as two samples of so many bits a row take. */
static inline uint64_t kl_pairs_sample_steps(size_t n_bits)
{
    return 1 + n_bits / 50;
}

struct kl_kind;
extern const struct kl_kind kl_tournament_kind; /* what such a file shows of itself */

#endif
