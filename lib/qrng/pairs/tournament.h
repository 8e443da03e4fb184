/* SPDX-License-Identifier: MIT
   tournament: do devices that deliver bits differ, by how much, and what are the published study's
   scores worth? d devices, p = d (d - 1) / 2 pairs in the order 1v2, 1v3, ..., 2v3, ...; S symbols. */
#ifndef KL_QRNG_PAIRS_TOURNAMENT_H
#define KL_QRNG_PAIRS_TOURNAMENT_H

#include "qrng/bits/bits.h"
#include "qrng/bits/dependence.h"
#include "qrng/bits/symbols.h"

struct kl_tournament_options {
    int64_t permutations; /* of the rows' labels, for each pair; 0: none, and no p-values by them */
    int64_t resamples;    /* of the bootstrap, at least 2 */
    int64_t seed;
    uint32_t wanted; /* scores whose labels are permuted: bits 1 << KL_SCORE_... */
    bool reference; /* the study's rows: every device but the first without its first row; its ranking */
};
/* 1,000 permutations of all scores, 1,000 resamples. */
void kl_tournament_options_default(struct kl_tournament_options *o);

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
    KL_SCORE_ACCURACY,    /* balanced, held out, of a classifier fitted across folds; see crossfit.c */
    KL_N_SCORES,
    KL_N_LEGACY = KL_SCORE_CHI_SQUARE,
    KL_ALL_SCORES = (1 << KL_N_SCORES) - 1
};
extern const char *const kl_score_names[KL_N_SCORES];
/* "all", or names with commas between them, as bits. KL_EUSAGE. */
int kl_scores_read(uint32_t *wanted, const char *text, struct kl_error *err);
/* The same back, in the order of the enumeration: one text for each choice. */
void kl_scores_write(char *text, size_t size, uint32_t wanted);

struct kl_pair_result {
    int a, b; /* from 0 */
    struct kl_symbol_test test;
    double log10_p_holm;                                  /* chi-squared, over all pairs */
    double divergence[KL_N_DIVERGENCES];                  /* plug-in */
    double low[KL_N_DIVERGENCES], high[KL_N_DIVERGENCES]; /* 95 %, bootstrap over rows */
    /* Of rows of independent symbols, exactly (kl_symbol_limit), and standard errors: Jensen-Shannon
       divergence in nats, and how many the best rule assigns to the right device; NaN for more than 4
       symbols or 256 a row. */
    double row_js, row_accuracy, row_js_error, row_accuracy_error;
    double score[KL_N_SCORES];
    double accuracy_low, accuracy_high; /* of score[KL_SCORE_ACCURACY]: kl_crossfit_bounds */
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
/* All pairs. The result depends on bits and options alone. Free t with kl_tournament_free in every case.
   KL_EDATA (fewer than two devices, rows too long), KL_ENOMEM, KL_ESIGNAL. */
int kl_tournament_run(struct kl_tournament *t, const struct kl_bits *bits,
                      const struct kl_tournament_options *o, struct kl_pool *pool,
                      const struct kl_watch *watch, struct kl_error *err);
void kl_tournament_free(struct kl_tournament *t);
struct kl_differ kl_tournament_differ(const struct kl_tournament *t);
struct kl_writer;
int kl_tournament_save(struct kl_writer *writer, const struct kl_tournament *t, struct kl_error *err);
/* One line a pair, best first, at most `lines` of them; the scores of each pair as well if detailed or
   t->reference. */
void kl_tournament_table(FILE *to, const struct kl_tournament *t, size_t lines, bool detailed);
/* "highly", "moderately", "somewhat" or "difficult to distinguish": the study's words for a composite.
 */
const char *kl_composite_label(double composite);

struct kl_kind;
extern const struct kl_kind kl_tournament_kind; /* what such a file shows of itself */

#endif
