/* SPDX-License-Identifier: MIT
   ladder: from the mean losses of chains on a ladder of inverse temperatures to every number that
   follows without sampling again: integrals, evidence, bounds on the test error, calibration. Tiers:
   small kl; a ladder and where it comes from; what is computed of it; its files.

   Notation: beta_0 = 0 < .. < beta_K-1; L_k the mean training loss (energy) at beta_k; n training and m
   test records. References: Maurer, Mirzaei, Pontil 2025 (arXiv:2510.06028); Maurer 2004
   (arXiv:cs/0411099) for the kl inequality. */
#ifndef KL_SAMPLING_LADDER_H
#define KL_SAMPLING_LADDER_H

#include "base/base.h"
struct kl_file;
struct kl_kind;
struct kl_mode;
struct kl_tool;
struct kl_writer;

/* ---- the Bernoulli kl and what is inverted (bound.c) ---- */
/* p ln(p/q) + (1-p) ln((1-p)/(1-q)) of p and q in [0, 1]: no cancellation where they are close. */
double kl_sampling_kl(double p, double q);
/* The largest q >= p with kl(p||q) <= c: to a few units of the last place, at tiny p and c too. c
   negative: NaN, no q is so close. */
double kl_sampling_kl_upper(double p, double c);
/* The reference's inverse: bisection of [p, 1 - 1e-12] down to 1e-5. For comparison. */
double kl_sampling_kl_upper_coarse(double p, double c);
/* ln of sum_k C(n,k) (k/n)^k (1-k/n)^(n-k), n >= 1: the least constant of the kl inequality for records
   drawn independently (Maurer 2004), which 2 sqrt(n) is above. O(sqrt n). */
double kl_sampling_log_xi(int64_t n);
/* From the error p of m records in the mean: with probability 1 - delta the true one lies below.
   clopper: of p m wrong ones (Clopper & Pearson 1934), for 0-1 errors of one classifier; p m between two
   whole numbers is taken as it is. chernoff: kl(p||q) = ln(1/delta)/m, also for means of errors of
   several draws. */
double kl_sampling_clopper_upper(double p, int64_t m, double delta);
double kl_sampling_chernoff_upper(double p, int64_t m, double delta);

/* ---- a ladder (ladder.c) ---- */
enum kl_sampling_scale { KL_SAMPLING_RAW, KL_SAMPLING_UNIT };
enum { KL_SAMPLING_MOST_RUNGS = 4096, KL_SAMPLING_NAME = 128 };
/* A ladder. What is unknown is NaN (numbers), NULL (arrays with chains) or 0 (counts). Losses are of
   `scale`. */
struct kl_sampling_ladder {
    char name[KL_SAMPLING_NAME]; /* printable: "mnist-fcn2 true 42" */
    char loss_name[32], convention[32],
        labels[32]; /* labels: "true", "random", a probability; "": not known */
    enum kl_sampling_scale scale;
    bool assumed;     /* scale and loss were guessed: the file does not say */
    double low, high; /* ends of the raw loss; high infinite: it has none */
    double chance, sigma;
    bool exchange;    /* its rungs were coupled by replica exchange */
    bool own_records; /* each chain was trained on records of its own */
    int64_t n, m;
    size_t n_rungs, n_chains;
    /* (n_rungs) each. mcse: standard errors of the means; variance: of the loss in the law of the rung.
     */
    double *beta, *loss, *loss_mcse, *variance, *train01, *train01_mcse, *test_loss, *test01,
        *test01_mcse;
    double *drawn_loss, *drawn01, *drawn_test01; /* of one draw: the last one of the first chain */
    double *draws;                               /* of a chain */
    double *loss_of;                             /* (n_chains, n_rungs): means of the chains */
    /* (n_chains, n_rungs) each: work along the path from a prior draw (bound.c), and the 0-1 errors at
     * its end. */
    double *work_of, *path01_of, *path_test01_of;
    double *still; /* (n_rungs) 1: no chain's loss varies, so that its mean has no error */
    /* L*, the minimum of the loss; |w|^2 / (P sigma^2) there, and of the draws at the last rung. none:
       why there is no L*. */
    double least, least_norm, norm;
    char none[KL_SAMPLING_NAME];
    double *block; /* (hidden) */
};
/* All NaN; free it in any case. KL_ENOMEM. */
int kl_sampling_ladder_make(struct kl_sampling_ladder *ladder, size_t n_rungs, size_t n_chains,
                            struct kl_error *err);
void kl_sampling_ladder_free(struct kl_sampling_ladder *ladder);
/* Is it one that can be integrated: beta from 0, rising, finite, losses within their range, errors in
   [0, 1], n known? path: for the line. KL_EDATA. */
int kl_sampling_ladder_check(const struct kl_sampling_ladder *ladder, const char *path,
                             struct kl_error *err);
/* Raw loss for one of the recorded scale: 1, or the width of the range. */
double kl_sampling_ladder_width(const struct kl_sampling_ladder *ladder);
double kl_sampling_ladder_raw(const struct kl_sampling_ladder *ladder,
                              double loss); /* recorded to raw */
double kl_sampling_ladder_unit(const struct kl_sampling_ladder *ladder,
                               double loss); /* recorded to [0, 1] */

/* ---- where one comes from (csv.c, chains_read.c) ---- */
/* Facts that a CSV does not hold. Texts may be NULL. */
struct kl_sampling_ladder_source {
    const char *set, *labels; /* of several ladders in one file */
    int64_t seed;             /* the same; 0: any, if there is one */
    const char *loss;         /* "bbce", ...; NULL: the file's, or bbce */
    const char *scale; /* "raw", "unit"; NULL or "auto": the file's, or by the size of the values */
    double l_max;      /* of bbce; 0: the file's, or 4 */
    int64_t n, m;      /* 0: the file's */
    double chance;     /* 0: the file's, or by the name of the set */
};
/* The reference's CSV (Sample_size, Beta, EMA_...; rows up to an empty one, then a summary) or a table
   of several ladders (set, labels, seed, ..., as `ladders.csv`), told apart by the header. KL_ENOINPUT,
   KL_EDATA, KL_EUSAGE (which ladder?), KL_ENOMEM. Free the ladder in any case. */
int kl_sampling_ladder_read_csv(struct kl_sampling_ladder *ladder, const char *path,
                                const struct kl_sampling_ladder_source *source, struct kl_error *err);
/* A file of kind `chains`; errors by the effective number of draws (diagnose). Of chains with unequal
   numbers of draws, as many of each as the shortest one has. KL_EDATA, KL_ENOMEM. */
int kl_sampling_ladder_read_chains(struct kl_sampling_ladder *ladder, struct kl_file *file,
                                   struct kl_error *err);

/* ---- thermodynamic integration (ladder.c) ---- */
/* mean (n), its errors and the variances of the loss, each NULL where there is none. */
struct kl_sampling_curve {
    size_t n;
    const double *beta, *mean, *mcse, *variance;
};
/* Of one rung. E_b[L] falls with b, so left is above int_0^beta E_b[L] db and right below. hermite:
   trapezoid with the slopes -Var. gamma = left - beta L >= KL(rho||pi) >= right - beta L = kl_low. _se:
   by the errors of the means, taken as independent; NaN without. */
struct kl_sampling_integral {
    double left, right, trapezoid, hermite, left_se, right_se, trapezoid_se;
    double gamma, gamma_se, kl_low, kl_low_se, kl_trapezoid, kl_hermite;
};
void kl_sampling_integrate(struct kl_sampling_integral *to,
                           const struct kl_sampling_curve *curve); /* to (n) */
/* Does the curve fall? Rises of more than chance explains: z above the normal quantile of 1 - level / (n
   - 1); without errors, all rises. worst: the rung from which the largest goes. */
struct kl_sampling_rise {
    size_t rises, worst;
    double z, by; /* of the worst; z NaN without errors */
};
void kl_sampling_monotony(struct kl_sampling_rise *rise, const struct kl_sampling_curve *curve,
                          double level);
/* The gap in which a further temperature gains most: that of the largest (left - right), and its
   geometric middle (below the first, going on as the ladder does). NaN of fewer than two rungs. */
struct kl_sampling_gap {
    size_t rung; /* between it and the next one */
    double beta, area, share;
};
void kl_sampling_next_beta(struct kl_sampling_gap *gap, const struct kl_sampling_curve *curve);
/* Watanabe's WBIC (2013): n E_beta[L] at beta = n / ln n, an estimate of -ln Z(n). Between two rungs it
   is interpolated over ln beta (below the first one above 0 over beta), with the slopes -Var by
   Hermite's cubic, without variances by a line. off: the error of that, taken to be what the cubic, or
   the parabolas through a third rung, differ from the line, without a third one half of the ends'
   difference (below the first rung above 0 the way to the farther end); chance: Monte Carlo's; se: both.
   reached: the ladder has such rungs. */
struct kl_sampling_wbic {
    double beta, value, se, chance, off;
    double below, above; /* the rungs; the same: it was sampled there */
    bool reached;
};
void kl_sampling_wbic(struct kl_sampling_wbic *wbic, const struct kl_sampling_curve *curve, int64_t n);
/* Local learning coefficient (Lau et al. 2023, arXiv:2308.12108): beta (E_beta[L] - least). */
double kl_sampling_llc(double beta, double loss, double least);

/* ---- bounds (bound.c) ---- */
/* kl: kl^-1(p, (Gamma + ln(c/delta))/n). hoeffding: p + sqrt((Gamma (1+1/n) + ln(max(Gamma,1)
   (n+1)/delta))/(2n)). sqrt-linear: p + 2A/n + sqrt(2 p A/n), A = Gamma + ln(c/delta). prior-loss: kl
   with beta L_0 for Gamma. single-draw: kl with a draw's own loss in beta L and its own error. */
enum kl_sampling_form {
    KL_SAMPLING_FORM_KL,
    KL_SAMPLING_FORM_HOEFFDING,
    KL_SAMPLING_FORM_SQRT_LINEAR,
    KL_SAMPLING_FORM_PRIOR_LOSS,
    KL_SAMPLING_FORM_SINGLE_DRAW
};
#define KL_SAMPLING_FORMS "kl|hoeffding|sqrt-linear|prior-loss|single-draw"
struct kl_sampling_bound_options {
    enum kl_sampling_form form;
    double delta, log_constant; /* log_constant: ln xi(n), or the reference's ln(2 sqrt(n)) */
    double factor;              /* on the raw Gamma; 1: what the theorem says */
    double share;               /* of delta that Monte Carlo's error has in the upper confidence bound */
    bool unit_loss;             /* bound the unit-interval loss; else the 0-1 error */
    double threshold; /* for the calibration: bounds of random labels are to reach it; NaN: chance */
};
void kl_sampling_bound_options_default(struct kl_sampling_bound_options *o,
                                       int64_t n); /* kl, xi(n), 0.01 */
double kl_sampling_budget(double gamma, int64_t n, const struct kl_sampling_bound_options *o);
/* Of an empirical loss p in [0, 1] and Gamma; NaN where the budget is negative. */
double kl_sampling_bound(double p, double gamma, int64_t n, const struct kl_sampling_bound_options *o);
/* The factors f with bounds >= threshold at all rungs k > 0: n kl(p_k||threshold) - ln(c/delta) <= f
   Gamma_k. A heuristic of the reference, no theorem. exists: at rung `at` none does. */
struct kl_sampling_calibration {
    bool exists;
    double factor, at_most; /* at_most: infinite, unless some Gamma is negative */
    size_t at;              /* the rung that decides */
};
void kl_sampling_calibrate(struct kl_sampling_calibration *to, const double *p, const double *gamma,
                           size_t n_rungs, int64_t n, const struct kl_sampling_bound_options *o);
/* The reference's search in [0.1, 100] down to 0.01 with the coarse inverse; false: it would never end.
 */
bool kl_sampling_calibrate_bisect(double *factor, const double *p, const double *gamma, size_t n_rungs,
                                  int64_t n, const struct kl_sampling_bound_options *o);

/* ---- path certificate (bound.c) ---- */
/* Mean over independent chains (stride apart) and where it lies below with probability 1 - delta by
   Student's t; NaN of fewer than two. */
void kl_sampling_path_mean(double *mean, double *upper, const double *work, size_t n_chains,
                           size_t stride, double delta);

/* ---- all of it (bounds.c) ---- */
struct kl_sampling_rung_bounds {
    struct kl_sampling_integral raw; /* of the raw loss; factor 1 */
    double train;                    /* the loss that is bounded, in [0, 1] */
    double gamma, gamma_se, budget, bound, bound_se, bound_upper, calibrated;
    double path_kl, path_kl_upper, path_bound, path_train,
        path_test; /* of 0-1 errors; path_: at the path's end */
    double test, test_clopper, test_chernoff;
    double llc, llc_se;
};
struct kl_sampling_bounds {
    const struct kl_sampling_ladder *ladder; /* the caller's */
    struct kl_sampling_bound_options options;
    size_t n_rungs;
    struct kl_sampling_rung_bounds *rungs;
    double factor; /* of the calibrated bound, on the raw Gamma; NaN: none is shown */
    struct kl_sampling_rise rise;
    struct kl_sampling_gap gap;
    struct kl_sampling_wbic wbic;
    double least; /* the raw loss that the learning coefficient is told from; NaN: it has none */
};
/* factor: of the calibrated bound, NaN: none; least: NaN, the ladder's own. KL_EUSAGE: a form or loss
   that this ladder has not; KL_ENOMEM. Free it in any case. */
int kl_sampling_bounds_make(struct kl_sampling_bounds *b, const struct kl_sampling_ladder *ladder,
                            const struct kl_sampling_bound_options *o, double factor, double least,
                            struct kl_error *err);
/* The least bound of the temperatures above 0, chosen after all were looked at: each has its share of
   delta (a union bound). rung 0: there is none; upper: Monte Carlo's error included, NaN: not known. */
struct kl_sampling_best {
    size_t rung;
    double bound, upper;
};
void kl_sampling_bounds_best(struct kl_sampling_best *best, const struct kl_sampling_bounds *b);
void kl_sampling_bounds_free(struct kl_sampling_bounds *b);
/* The factor by which random labels' bounds of the same options reach the threshold. */
int kl_sampling_bounds_calibrate(struct kl_sampling_calibration *to,
                                 const struct kl_sampling_ladder *random,
                                 const struct kl_sampling_bound_options *o, struct kl_error *err);
/* Print the cautions that a reader of the bounds needs (bounds_words.c). */
void kl_sampling_bounds_cautions(const struct kl_sampling_bounds *b, const struct kl_log *log);
/* "7 temperatures, best bound 0.3482, upper 0.3511, at beta 30"; of the bound only what a theorem says.
 */
void kl_sampling_bounds_tell_best(const struct kl_sampling_bounds *b, FILE *to);
/* A table, and a JSON object. */
void kl_sampling_bounds_tell(const struct kl_sampling_bounds *b, FILE *to);
int kl_sampling_bounds_json(struct json_t **value, const struct kl_sampling_bounds *b,
                            struct kl_error *err);

/* ---- files (bounds.c, csv.c) ---- */
extern const struct kl_kind kl_sampling_bounds_kind;
int kl_sampling_bounds_write(struct kl_writer *writer, const struct kl_sampling_bounds *b,
                             struct kl_error *err);
/* The reference's CSV of a ladder, unit-interval or raw as `scale` says; plain columns and EMA_ columns
   are both the means. summary: one text, quoted. KL_EUSAGE: the loss has no unit form. */
#define KL_SAMPLING_TITLES                                                                             \
    "Sample_size,Beta,BCE_Train,BCE_Test,0-1_Train,0-1_Test,EMA_BCE_Train,EMA_BCE_Test,EMA_0-1_Train," \
    "EMA_0-1_Test"
int kl_sampling_csv_write(FILE *to, const struct kl_sampling_ladder *ladder,
                          enum kl_sampling_scale scale, const char *summary, struct kl_error *err);
/* The text report of the reference's classic code: mean, variance and deviation a temperature over
 * chains. */
void kl_sampling_classic_report(FILE *to, const struct kl_sampling_ladder *ladder);

extern const struct kl_mode kl_sampling_mode_bounds;
extern const struct kl_tool kl_sampling_bounds_tool;

#endif
