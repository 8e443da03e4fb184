/* SPDX-License-Identifier: MIT
   covariance: covariances of windows and what is made of them: common spatial patterns, Riemannian
   means, distances and tangent vectors, Euclidean alignment, linear classifiers. All in double. Matrices
   are (C, C); many of them are triangles: element (i, j), j <= i, of C channels is number i (i + 1) / 2
   + j. Eigenvalues are LAPACK's, of OpenBLAS, which is loaded when they are first asked for; logarithms
   of many matrices are ours (kernels/spd.h). Results depend neither on threads nor on the matrices
   beside, those by LAPACK in their last bits on the processor. */
#ifndef KL_SEQUENCE_COVARIANCE_H
#define KL_SEQUENCE_COVARIANCE_H

#include "base/base.h"
#include "kernels/spd.h"

/* ---- covariances (covariance.c) ---- */
/* moment: x x^T / T; sample: of x less its mean over time; oas: sample, shrunk towards a multiple of 1
   by as much as Chen, Wiesel, Eldar & Hero 2010 (doi:10.1109/TSP.2010.2053029), as scikit-learn writes
   it. */
enum kl_sequence_estimator { KL_SEQUENCE_MOMENT, KL_SEQUENCE_SAMPLE, KL_SEQUENCE_OAS };
#define KL_SEQUENCE_ESTIMATORS "moment|sample|oas"
/* Window i, (C, T), as float or as double; one of the two. Called from several threads. NULL: err. */
struct kl_sequence_window_source {
    const void *context;
    const float *(*single)(const void *context, size_t i, struct kl_error *err);
    const double *(*twice)(const void *context, size_t i, struct kl_error *err);
    size_t channels, steps;
};
/* c (n, triangle): of windows rows[0] to rows[n - 1], NULL: 0 to n - 1. align (C, C), which may be NULL:
   of align x in place of x. KL_EDATA: a value is not finite, or a channel of a window is constant and
   the estimator does not shrink; KL_ENOMEM; what source says. */
int kl_sequence_covariances(double *c, const struct kl_sequence_window_source *source,
                            const int64_t *rows, size_t n, enum kl_sequence_estimator estimator,
                            const double *align, struct kl_pool *pool, struct kl_error *err);
/* mean (C, C): the arithmetic mean of matrices rows[0..n) of c. */
void kl_sequence_mean_of(double *mean, const double *c, const int64_t *rows, size_t n, size_t channels);

/* ---- eigenvalues (lapack.c) ---- */
/* Of a symmetric matrix, rising; row i of vectors belongs to values[i]. The component of a vector that
   is furthest from 0, of equal ones the first, is positive. With b, positive definite: a v = value b v,
   v b v = 1; else NULL. KL_EDEVICE: there is no OpenBLAS; KL_EDATA: b is not positive definite. Of
   several threads one computes at a time. */
int kl_sequence_eigen(double *values, double *vectors, const double *a, const double *b, size_t channels,
                      struct kl_error *err);
/* result = V f(values) V^T of a symmetric matrix; root: f = sqrt, inverse_root: 1 / sqrt, either may be
   NULL. KL_EDATA: an eigenvalue is not above 0 by more than rounding. */
int kl_sequence_roots(double *root, double *inverse_root, const double *a, size_t channels,
                      struct kl_error *err);
/* The inverse root of a symmetric matrix on the space where it has power: eigenvalues below 1e-10 of the
   largest count as 0, and so do their directions in the result; *rank: how many are left. With all of
   them it is kl_sequence_roots' inverse root. KL_EDATA: none is left. */
int kl_sequence_inverse_root(double *result, size_t *rank, const double *a, size_t channels,
                             struct kl_error *err);
int kl_sequence_exponential(double *result, const double *a, size_t channels, struct kl_error *err);

/* square (n, n) of its lower triangle. */
void kl_sequence_unpack(double *square, const double *triangle, size_t n);

/* ---- Riemannian geometry (covariance.c; Barachant et al. 2012, doi:10.1109/TBME.2011.2172210) ---- */
/* The matrix from which the sum of squared distances is least (Moakher 2005): from the arithmetic mean,
   M <- M^1/2 exp(J) M^1/2 until the norm of J, the mean of the logarithms, is below tolerance sqrt(C) or
   falls no more. KL_EDATA as above, or: not after `most` steps. steps may be NULL. */
struct kl_sequence_mean_options {
    double tolerance; /* 1e-10 */
    int most;         /* 100 */
};
int kl_sequence_riemann_mean(double *mean, const double *c, const int64_t *rows, size_t n,
                             size_t channels, const struct kl_sequence_mean_options *o, int *steps,
                             struct kl_pool *pool, struct kl_error *err);
/* x (n, triangle): tangent vectors at the point of which inverse_root is the inverse square root: upper
   triangle by rows, off-diagonal elements times sqrt(2). Their norms are distances to that point. */
int kl_sequence_tangent(double *x, const double *c, const int64_t *rows, size_t n, size_t channels,
                        const double *inverse_root, struct kl_pool *pool, struct kl_error *err);
/* distance[i * stride], i < n. */
int kl_sequence_distances(double *distance, size_t stride, const double *c, const int64_t *rows,
                          size_t n, size_t channels, const double *inverse_root, struct kl_pool *pool,
                          struct kl_error *err);

/* ---- common spatial patterns (spatial.c; Blankertz et al. 2008, doi:10.1109/MSP.2008.4408441) ---- */
/* filters (m, C): of two classes the eigenvectors of (C1, C0 + C1), means of the classes' covariances,
   whose eigenvalues are furthest from 1/2; of more classes those of each class against the mean of the
   others, in turn. labels (n), of matrices rows[0..n). KL_EDATA: a class has no window; the sum of the
   classes' means is singular, or nearly so (eigenvalues 10^10 apart); m is more than
   there are. */
int kl_sequence_csp(double *filters, size_t m, const double *c, const int64_t *rows,
                    const int32_t *labels, size_t n, size_t channels, int classes, struct kl_error *err);
/* x (n, m): ln(f c f) of each filter. */
void kl_sequence_csp_features(double *x, const double *filters, size_t m, const double *c,
                              const int64_t *rows, size_t n, size_t channels);

/* ---- linear classifiers: scores w_k x + b_k, probabilities their softmax (linear.c)
 * ---- */
struct kl_sequence_linear {
    size_t inputs;
    int classes;
    double *weights, *bias; /* (classes, inputs), (classes) */
};
int kl_sequence_linear_init(struct kl_sequence_linear *linear, size_t inputs, int classes,
                            struct kl_error *err);
void kl_sequence_linear_free(struct kl_sequence_linear *linear);
/* probabilities (n, classes) of x (n, inputs). */
void kl_sequence_linear_apply(double *probabilities, const struct kl_sequence_linear *linear,
                              const double *x, size_t n);
/* p (classes) becomes its softmax. */
void kl_sequence_softmax(double *p, int classes);
/* Fisher's discriminant: one covariance of all classes (their mean over n: maximum likelihood, as
   scikit-learn from 1.9 on), priors as in the data. KL_EDATA:
   features are linearly dependent, or a class is absent. */
int kl_sequence_discriminant(struct kl_sequence_linear *linear, const double *x, const int32_t *labels,
                             size_t n, struct kl_error *err);
/* Logistic regression: the least of strength times the sum of -ln p(label) and half the squares of the
   weights (not the bias; of two classes one vector of weights, of more one each), by Newton's method
   with conjugate gradients to a gradient 1e-10 of the first one. KL_EDATA: it does not get there;
   KL_ENOMEM. */
int kl_sequence_logistic(struct kl_sequence_linear *linear, const double *x, const int32_t *labels,
                         size_t n, double strength, struct kl_pool *pool, struct kl_error *err);

/* ---- Euclidean alignment (spatial.c; He & Wu 2020, doi:10.1109/TBME.2019.2913914) ---- */
/* align (C, C): the inverse root of the mean moment of windows rows[0..n), NULL: 0 to n - 1; the mean
   moment of align x over them is 1. Directions without power (kl_sequence_inverse_root; an average
   reference leaves one) become 0; *lost, which may be NULL: how many. Memory does not grow with n.
   KL_EDATA: there is no window, or none with power; what kl_sequence_covariances says. */
int kl_sequence_alignment_fit(double *align, size_t *lost,
                              const struct kl_sequence_window_source *source, const int64_t *rows,
                              size_t n, struct kl_pool *pool, struct kl_error *err);
/* y (C, stride) = align x, x (C, T), T <= stride; what stands behind T steps is left. y may not be x. */
void kl_sequence_alignment_apply(float *y, size_t stride, const float *align, const float *x,
                                 size_t channels, size_t steps);

#endif
