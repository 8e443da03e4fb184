/* SPDX-License-Identifier: MIT
   What the files of diagnose/ share. */
#ifndef KL_SAMPLING_DIAGNOSE_INT_H
#define KL_SAMPLING_DIAGNOSE_INT_H

#include "sampling/diagnose/diagnose.h"

/* ---- spectrum.c: autocovariances of many series at once ---- */
struct kl_sampling_spectrum;
/* For series of n values. KL_ENOMEM. */
int kl_sampling_spectrum_open(struct kl_sampling_spectrum **spectrum, size_t n, struct kl_error *err);
void kl_sampling_spectrum_close(struct kl_sampling_spectrum **spectrum);
/* Of `series` rows of n values whose means are 0: at lag t the mean over them of sum_i y[i] y[i+t] / n.
   For all lags below n, in memory of the spectrum's own. */
const double *kl_sampling_autocovariances(struct kl_sampling_spectrum *spectrum, const double *y,
                                          size_t series);

/* ---- traces.c ---- */
/* z with P(Z <= z) = p, 0 < p < 1, to 1e-15 of itself: Wichura 1988, algorithm AS 241
   (doi:10.2307/2347330). A tenth of the time of kl_stats_normal_quantile, of which there are millions
   here. */
double kl_sampling_normal_score(double p);

/* ---- traces.c ---- */
/* Halves of chains: rows of `half` values, first all chains' first halves, then their last; of an odd
   number of draws the middle one is in neither. */
struct kl_sampling_traces {
    size_t chains, draws, n; /* n = chains draws */
    size_t rows, half, m;    /* rows = 2 chains, m = rows half */
    const double *x;
    bool valid;           /* at least four draws, no NaN */
    double mean, squares; /* of all; sum of squared deviations */
    double *sorted;       /* (n) */
    double *halves;       /* (m) of sorted, those that stand in a half; sorted itself where all do */
    uint32_t *place;      /* (m) of halves: where in the rows */
    uint32_t *row_of;     /* (n) of x: where in the rows, UINT32_MAX: nowhere */
    double *scores;       /* (m / 2 + 1) normal scores of the lower ranks */
    double *y;            /* (m) rows of what is looked at */
    bool scored;          /* y holds the rank-normalised rows */
    double *folded; /* (m), with the places that follow: distances from the median in rising order */
    uint32_t *folded_place;
    struct kl_sampling_spectrum *spectrum; /* NULL: fewer than four draws */
    void *sort[2];                         /* (n) */
};
/* Rank-normalised rows to y; of the distances from the median. */
void kl_sampling_rows_scored(struct kl_sampling_traces *t);
void kl_sampling_rows_folded(struct kl_sampling_traces *t);
double kl_sampling_median(const double *sorted, size_t n);
/* Row r as it stands in x. */
static inline const double *kl_sampling_half(const struct kl_sampling_traces *t, size_t r)
{
    return r < t->chains ? t->x + r * t->draws : t->x + (r - t->chains + 1) * t->draws - t->half;
}
/* In lanes, so that vectors can do it. */
static inline double kl_sampling_sum(const double *x, size_t n)
{
    double lane[8] = { 0 }, sum = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++) lane[j] += x[i + j];
    for (; i < n; i++) sum += x[i];
    for (size_t j = 0; j < 8; j++) sum += lane[j];
    return sum;
}

#endif
