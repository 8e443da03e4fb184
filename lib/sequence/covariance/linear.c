/* SPDX-License-Identifier: MIT
   Linear classifiers: their probabilities, Fisher's discriminant, logistic regression with a penalty. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/gemm.h"
#include "sequence/covariance/covariance.h"

/* ---- linear classifiers: their probabilities; Fisher's discriminant ---- */

int kl_sequence_linear_init(struct kl_sequence_linear *linear, size_t inputs, int classes,
                            struct kl_error *err)
{
    const size_t k = (size_t)classes;
    *linear = (struct kl_sequence_linear){ .inputs = inputs, .classes = classes };
    linear->weights = calloc(k * (inputs + 1), sizeof *linear->weights);
    if (!linear->weights) return kl_fail_memory(err, k * (inputs + 1) * sizeof *linear->weights);
    linear->bias = linear->weights + k * inputs;
    return KL_OK;
}

void kl_sequence_linear_free(struct kl_sequence_linear *linear)
{
    free(linear->weights);
    *linear = (struct kl_sequence_linear){ 0 };
}

void kl_sequence_softmax(double *p, int classes)
{
    double most = p[0], sum = 0;
    for (int k = 1; k < classes; k++) most = fmax(most, p[k]);
    for (int k = 0; k < classes; k++) sum += p[k] = exp(p[k] - most);
    for (int k = 0; k < classes; k++) p[k] /= sum;
}

void kl_sequence_linear_apply(double *probabilities, const struct kl_sequence_linear *linear,
                              const double *x, size_t n)
{
    const size_t d = linear->inputs, classes = (size_t)linear->classes;
    for (size_t i = 0; i < n; i++) {
        double *const p = probabilities + i * classes;
        for (size_t k = 0; k < classes; k++) {
            p[k] = linear->bias[k];
            for (size_t f = 0; f < d; f++) p[k] += linear->weights[k * d + f] * x[i * d + f];
        }
        kl_sequence_softmax(p, linear->classes);
    }
}

/* Cholesky's factor of s (d, d) into its lower triangle; false: it is singular to rounding. */
static bool factor(double *s, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        const double before = s[i * d + i];
        for (size_t j = 0; j <= i; j++) {
            double sum = s[i * d + j];
            for (size_t k = 0; k < j; k++) sum -= s[i * d + k] * s[j * d + k];
            if (j < i) s[i * d + j] = sum / s[j * d + j];
            else if (!(sum > 1e-13 * before)) return false;
            else s[i * d + i] = sqrt(sum);
        }
    }
    return true;
}
static void solve(double *x, const double *l, size_t d)
{
    for (size_t i = 0; i < d; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= l[i * d + k] * x[k];
        x[i] /= l[i * d + i];
    }
    for (size_t i = d; i-- > 0;) {
        for (size_t k = i + 1; k < d; k++) x[i] -= l[k * d + i] * x[k];
        x[i] /= l[i * d + i];
    }
}

/* means (classes, d), their counts, and the covariance within classes (d, d). */
static void moments(double *means, size_t *count, double *s, const double *x, const int32_t *labels,
                    size_t n, size_t d, size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        count[labels[i]]++;
        for (size_t f = 0; f < d; f++) means[(size_t)labels[i] * d + f] += x[i * d + f];
    }
    for (size_t k = 0; k < classes; k++)
        for (size_t f = 0; f < d && count[k]; f++) means[k * d + f] /= (double)count[k];
    for (size_t i = 0; i < n; i++) {
        const double *const mean = means + (size_t)labels[i] * d, *const row = x + i * d;
        for (size_t f = 0; f < d; f++)
            for (size_t g = 0; g <= f; g++) s[f * d + g] += (row[f] - mean[f]) * (row[g] - mean[g]);
    }
    for (size_t i = 0; i < d * d; i++) s[i] /= (double)n;
}

int kl_sequence_discriminant(struct kl_sequence_linear *linear, const double *x, const int32_t *labels,
                             size_t n, struct kl_error *err)
{
    const size_t d = linear->inputs, classes = (size_t)linear->classes,
                 bytes = (classes * d + d * d) * sizeof(double) + classes * sizeof(size_t);
    if (n <= classes)
        return kl_fail(err, KL_EDATA, "%zu windows to fit a discriminant of %zu classes on: too few", n,
                       classes);
    double *const means = calloc(1, bytes);
    if (!means) return kl_fail_memory(err, bytes);
    double *const s = means + classes * d;
    size_t *const count = (size_t *)(s + d * d);
    int code = KL_OK;
    moments(means, count, s, x, labels, n, d, classes);
    for (size_t k = 0; k < classes && !code; k++)
        if (!count[k])
            code = kl_fail(err, KL_EDATA, "class %zu has no window to fit a discriminant on", k);
    if (!code && !factor(s, d))
        code =
            kl_fail(err, KL_EDATA,
                    "the covariance of %zu features of %zu windows is singular; fewer would do", d, n);
    for (size_t k = 0; k < classes && !code; k++) {
        double *const w = linear->weights + k * d, half = 0;
        memcpy(w, means + k * d, d * sizeof *w);
        solve(w, s, d);
        for (size_t f = 0; f < d; f++) half += w[f] * means[k * d + f] / 2;
        linear->bias[k] = log((double)count[k] / (double)n) - half;
    }
    free(means);
    return code;
}

/* ---- logistic ----
   Logistic regression with a penalty: Newton's method, its steps by conjugate gradients (Nocedal &
   Wright, Numerical Optimization, 7.1). Both products with the data are kl_gemm's, shared by columns,
   whose bits do not depend on who computes them. */

enum { COLUMNS = 64, NEWTON_STEPS = 100, INNER_STEPS = 500, HALVINGS = 40 };
/* m outputs: one of two classes, else one a class. A point is m rows of d weights and a bias. */
struct problem {
    size_t n, d, m, size;
    const double *x; /* (n, d) */
    double *across;  /* (d, n) */
    const int32_t *labels;
    double strength;
    struct kl_pool *pool;
    double *p;              /* (m, n): probabilities at the point */
    double *z, *r;          /* (m, n) */
    const double *point_in; /* of the product that is under way */
    double *point_out;
};

/* z = W x^T + b, columns of a chunk. */
static void outputs_of(void *context, size_t chunk, int thread)
{
    struct problem *o = context;
    (void)thread;
    const size_t from = chunk * COLUMNS, count = o->n - from < COLUMNS ? o->n - from : COLUMNS;
    for (size_t k = 0; k < o->m; k++)
        for (size_t i = 0; i < count; i++)
            o->z[k * o->n + from + i] = o->point_in[k * (o->d + 1) + o->d];
    kl_kernel_gemm_f64()(o->z + from, o->n, o->point_in, o->d + 1, 1, o->across + from, o->n, o->m,
                         count, o->d, 1);
}
static void outputs(struct problem *o, const double *point)
{
    o->point_in = point;
    kl_pool_for(o->pool, (o->n + COLUMNS - 1) / COLUMNS, outputs_of, o);
}
/* out = strength r x + point, of weights; of biases strength times the sum of r. */
static void gather_of(void *context, size_t chunk, int thread)
{
    struct problem *o = context;
    (void)thread;
    const size_t from = chunk * COLUMNS, count = o->d - from < COLUMNS ? o->d - from : COLUMNS,
                 row = o->d + 1;
    for (size_t k = 0; k < o->m; k++)
        for (size_t f = from; f < from + count; f++)
            o->point_out[k * row + f] = o->point_in[k * row + f];
    kl_kernel_gemm_f64()(o->point_out + from, row, o->r, o->n, 1, o->x + from, o->d, o->m, count, o->n,
                         1);
}
static void gather(struct problem *o, double *out, const double *point)
{
    o->point_in = point, o->point_out = out;
    for (size_t i = 0; i < o->m * o->n; i++) o->r[i] *= o->strength;
    for (size_t k = 0; k < o->m; k++) {
        double sum = 0;
        for (size_t i = 0; i < o->n; i++) sum += o->r[k * o->n + i];
        out[k * (o->d + 1) + o->d] = sum;
    }
    kl_pool_for(o->pool, (o->d + COLUMNS - 1) / COLUMNS, gather_of, o);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum[4] = { 0 };
    for (size_t i = 0; i < n; i++) sum[i % 4] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* -ln p(label) of window i, from z; its probabilities into p. */
static double judge(struct problem *o, size_t i)
{
    const size_t n = o->n, label = (size_t)o->labels[i];
    if (o->m == 1) {
        const double z = o->z[i], towards = label ? z : -z, e = exp(-fabs(z));
        o->p[i] = z > 0 ? 1 / (1 + e) : e / (1 + e);
        return log1p(e) + (towards < 0 ? -towards : 0);
    }
    double most = o->z[i], sum = 0;
    for (size_t k = 1; k < o->m; k++) most = fmax(most, o->z[k * n + i]);
    for (size_t k = 0; k < o->m; k++) sum += o->p[k * n + i] = exp(o->z[k * n + i] - most);
    for (size_t k = 0; k < o->m; k++) o->p[k * n + i] /= sum;
    return log(sum) + most - o->z[label * n + i];
}

/* The loss at a point; p is set. */
static double loss_at(struct problem *o, const double *point)
{
    double sum = 0, squares = 0;
    outputs(o, point);
    for (size_t i = 0; i < o->n; i++) sum += judge(o, i);
    for (size_t k = 0; k < o->m; k++)
        squares += dot(point + k * (o->d + 1), point + k * (o->d + 1), o->d);
    return o->strength * sum + squares / 2;
}
static void gradient(struct problem *o, double *g, const double *point)
{
    for (size_t k = 0; k < o->m; k++)
        for (size_t i = 0; i < o->n; i++) {
            const bool is = o->m == 1 ? o->labels[i] == 1 : (size_t)o->labels[i] == k;
            o->r[k * o->n + i] = o->p[k * o->n + i] - (is ? 1 : 0);
        }
    gather(o, g, point);
}
/* out = the second derivatives times v. */
static void curve(struct problem *o, double *out, const double *v)
{
    const size_t n = o->n;
    outputs(o, v);
    for (size_t i = 0; i < n; i++) {
        double mean = 0;
        if (o->m == 1) {
            o->r[i] = o->p[i] * (1 - o->p[i]) * o->z[i];
            continue;
        }
        for (size_t k = 0; k < o->m; k++) mean += o->p[k * n + i] * o->z[k * n + i];
        for (size_t k = 0; k < o->m; k++) o->r[k * n + i] = o->p[k * n + i] * (o->z[k * n + i] - mean);
    }
    gather(o, out, v);
}

/* step: about minus the inverse of the second derivatives times g, residual below `share` of g. */
static void newton_step(struct problem *o, double *step, const double *g, double share, double *residual,
                        double *direction, double *curved)
{
    double square = dot(g, g, o->size);
    const double end = share * share * square;
    memset(step, 0, o->size * sizeof *step);
    for (size_t i = 0; i < o->size; i++) residual[i] = direction[i] = -g[i];
    for (int k = 0; k < INNER_STEPS && square > end; k++) {
        curve(o, curved, direction);
        const double bend = dot(direction, curved, o->size);
        if (!(bend > 0)) break;
        const double far = square / bend, was = square;
        for (size_t i = 0; i < o->size; i++) {
            step[i] += far * direction[i];
            residual[i] -= far * curved[i];
        }
        square = dot(residual, residual, o->size);
        for (size_t i = 0; i < o->size; i++) direction[i] = residual[i] + square / was * direction[i];
    }
}

/* point moves along step until the loss has fallen; false: it does not any more. */
static bool descend(struct problem *o, double *point, double *trial, const double *step, const double *g,
                    double *loss)
{
    const double slope = dot(step, g, o->size);
    double far = 1;
    for (int h = 0; h < HALVINGS; h++, far /= 2) {
        for (size_t i = 0; i < o->size; i++) trial[i] = point[i] + far * step[i];
        const double now = loss_at(o, trial);
        /* Rounding of the sum hides the last falls. */
        if (now <= *loss + 1e-4 * far * slope + 1e-13 * fabs(*loss)) {
            memcpy(point, trial, o->size * sizeof *point);
            *loss = now;
            return true;
        }
    }
    return false;
}

static int minimise(struct problem *o, double *point, double *room, struct kl_error *err)
{
    double *const g = room, *const step = g + o->size, *const trial = step + o->size,
                  *const residual = trial + o->size, *const direction = residual + o->size,
                  *const curved = direction + o->size;
    double loss = loss_at(o, point), first = 0, size = 0;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        gradient(o, g, point);
        size = sqrt(dot(g, g, o->size));
        if (k == 0) first = size;
        if (!(size > 1e-10 * first)) return KL_OK;
        newton_step(o, step, g, fmin(0.1, sqrt(size / first) / 10), residual, direction, curved);
        if (!descend(o, point, trial, step, g, &loss)) break;
    }
    loss_at(o, point);
    gradient(o, g, point);
    size = sqrt(dot(g, g, o->size));
    if (size <= 1e-7 * first) return KL_OK;
    return kl_fail(
        err, KL_EDATA,
        "logistic regression on %zu windows of %zu features: no convergence (gradient %.3g of "
        "%.3g); weaker --strength would do",
        o->n, o->d, size, first);
}

int kl_sequence_logistic(struct kl_sequence_linear *linear, const double *x, const int32_t *labels,
                         size_t n, double strength, struct kl_pool *pool, struct kl_error *err)
{
    const size_t d = linear->inputs, m = linear->classes == 2 ? 1 : (size_t)linear->classes,
                 size = m * (d + 1), bytes = (d * n + 3 * m * n + 7 * size) * sizeof(double);
    double *const room = calloc(1, bytes);
    if (!room) return kl_fail_memory(err, bytes);
    double *const point = room + d * n + 3 * m * n;
    struct problem o = { n,
                         d,
                         m,
                         size,
                         x,
                         room,
                         labels,
                         strength,
                         pool,
                         .p = room + d * n,
                         .z = room + d * n + m * n,
                         .r = room + d * n + 2 * m * n };
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < d; f++) o.across[f * n + i] = x[i * d + f];
    const int code = minimise(&o, point, point + size, err);
    for (size_t k = 0; k < m && !code; k++) {
        const size_t at = m == 1 ? 1 : k;
        memcpy(linear->weights + at * d, point + k * (d + 1), d * sizeof *point);
        linear->bias[at] = point[k * (d + 1) + d];
    }
    free(room);
    return code;
}
