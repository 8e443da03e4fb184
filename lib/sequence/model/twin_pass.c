/* SPDX-License-Identifier: MIT
   Twins forwards and backwards, window by window; what stands in memory is [feature][time], so that a
   layer is one product for all steps of a window. Steps behind the last one hold what is never read. */
#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/layers.h"
#include "kernels/policy.h"
#include "kernels/temporal.h"
#include "kernels/inline/real.h"
#include "sequence/model/twin_int.h"

enum { SIDE = 16, TAPS = KL_TWIN_TAPS, CONV = KL_TWIN_CONV };
#if KL_F64
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

#define TAKE KL_SEQUENCE_TAKE

size_t kl_sequence_twin_place(struct kl_twin_pass *p, char *base)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld, wide = CONV, classes = (size_t)t->classes,
                 in = t->channels > wide ? t->channels : wide;
    const size_t u = t->project < 0 ? t->channels : t->linear[t->project].out;
    size_t most = in > t->inputs ? in : t->inputs, at = 0;
    if (most < u) most = u;
    TAKE(p->x, in * ld), TAKE(p->u, u * ld), TAKE(p->theta, t->inputs * ld);
    TAKE(p->plain, t->inputs * ld), TAKE(p->m, f * ld), TAKE(p->y, f * ld),
        TAKE(p->o, (f + classes) * ld);
    TAKE(p->dm, f * ld), TAKE(p->dy, (f + classes) * ld), TAKE(p->dtheta, t->inputs * ld);
    TAKE(p->du, u * ld), TAKE(p->turned, (most + f + classes) * ld);
    TAKE(p->map, f * t->inputs), TAKE(p->map_bias, f), TAKE(p->joint, f * f), TAKE(p->joint_bias, f);
    TAKE(p->w, 2 * t->steps), TAKE(p->mean, 2 * f), TAKE(p->a, f);
    TAKE(p->d, classes), TAKE(p->da, f);
    TAKE(p->means, ld), TAKE(p->inverse, ld), TAKE(p->along, ld), TAKE(p->pooled, in);
    const bool dense = t->front == KL_TWIN_DENSE;
    TAKE(p->padded, dense ? t->channels * (t->stride + SIDE) : 0);
    TAKE(p->taps, dense ? t->channels * CONV * TAPS : 0);
    TAKE(p->slopes, dense ? t->steps * CONV : t->channels * (TAPS + 1));
    TAKE(p->row, 2 * KL_TEMPORAL_ROW(t->steps));
    char *const sums = base ? base + at : NULL;
    for (int l = 0; l < t->n_linear; l++) {
        TAKE(p->d_weight[l], t->linear[l].in * t->linear[l].out);
        TAKE(p->d_linear_bias[l], t->linear[l].out);
    }
    TAKE(p->d_map, t->inputs * f), TAKE(p->d_map_bias, f), TAKE(p->d_joint, f * f);
    TAKE(p->d_joint_bias, f), TAKE(p->d_w, 2 * t->steps);
    TAKE(p->d_conv, dense ? t->channels * CONV * TAPS : 0);
    if (base) memset(sums, 0, (size_t)(base + at - sums));
    return at;
}

size_t kl_sequence_twin_work(const struct kl_sequence_net *net, size_t n)
{
    struct kl_twin_pass p = { .net = net, .t = net->own };
    (void)n;
    return kl_sequence_twin_place(&p, NULL);
}

static const kl_real *tensor(const struct kl_twin_pass *p, int number)
{
    return p->params + p->net->block.tensors[number].offset;
}

static kl_real *gradient(const struct kl_twin_pass *p, int number)
{
    return p->result->grad + p->net->block.tensors[number].offset;
}

/* ---- layers of columns ---- */
/* y (out, ld) = w (out, in) x + b. */
static void affine(kl_real *y, const kl_real *w, const kl_real *b, const kl_real *x, size_t out,
                   size_t in, size_t ld)
{
    kl_kernel_layers->fill(y, ld, b, out, ld);
    kl_kernel_gemm(y, ld, w, in, 1, x, ld, out, ld, in, 1);
}

static void linear(kl_real *y, const struct kl_twin_pass *p, int l, const kl_real *x, size_t ld)
{
    const struct kl_twin_linear *a = &p->t->linear[l];
    affine(y, tensor(p, a->weight), tensor(p, a->bias), x, a->out, a->in, ld);
}

static kl_real total(const kl_real *v, size_t n)
{
    kl_real s[SIDE] = { 0 };
    for (size_t t = 0; t < n; t += SIDE)
        for (size_t l = 0; l < SIDE; l++) s[l] += v[t + l];
    for (int half = SIDE / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* dw (in, out) += x dy', db += dy, dx = w' dy (NULL: not asked for); dy is 0 behind the last column. */
static void back(kl_real *dw, kl_real *db, kl_real *dx, const kl_real *w, const kl_real *dy,
                 const kl_real *x, size_t out, size_t in, size_t ld, kl_real *turned)
{
    kl_kernel_layers->turn(turned, out, (kl_real *)dy, ld, NULL, 0, out, ld);
    kl_kernel_gemm(dw, out, x, ld, 1, turned, out, in, out, ld, 1);
    for (size_t o = 0; o < out; o++) db[o] += total(dy + o * ld, ld);
    if (dx) kl_kernel_gemm(dx, ld, w, 1, in, dy, ld, in, ld, out, 0);
}

static void linear_back(struct kl_twin_pass *p, int l, kl_real *dx, const kl_real *dy, const kl_real *x,
                        size_t ld)
{
    const struct kl_twin_linear *a = &p->t->linear[l];
    back(p->d_weight[l], p->d_linear_bias[l], dx, tensor(p, a->weight), dy, x, a->out, a->in, ld,
         p->turned);
}

/* ---- what is the same for all windows ---- */
static void lay_branches(struct kl_twin_pass *p, double v[3])
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features;
    const kl_real *const a = tensor(p, t->branches), *const b = tensor(p, t->branch_biases),
                         *const mix = tensor(p, t->mix), *const c = tensor(p, t->constants);
    double all = 0;
    for (int k = 0; k < 3; k++) all += fabs((double)mix[k]);
    for (int k = 0; k < 3; k++) v[k] = fabs((double)mix[k]) / all;
    for (size_t i = 0; i < f; i++) {
        double bias = 0, branch[3];
        for (int k = 0; k < 3; k++) {
            const bool constant = k == 2 || (k == 1 && !t->reversed);
            const kl_real *const from = c + (k == 2 && !t->reversed ? f : 0);
            branch[k] = b[(size_t)k * f + i];
            for (size_t j = 0; j < f && constant; j++)
                branch[k] += a[((size_t)k * f + i) * f + j] * tanh((double)from[j]);
            bias += v[k] * branch[k];
        }
        p->joint_bias[i] = (kl_real)bias;
        for (size_t j = 0; j < f; j++)
            p->joint[i * f + j] =
                (kl_real)(v[0] * a[i * f + j] + (t->reversed ? v[1] * a[(f + i) * f + f - 1 - j] : 0));
    }
}

void kl_sequence_twin_lay(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const kl_real *const values = tensor(p, t->map);
    memset(p->map, 0, t->features * t->inputs * sizeof *p->map);
    for (size_t e = 0; e < kl_sequence_twin_entries(t); e++) {
        size_t row, column, param;
        kl_sequence_twin_entry(t, e, &row, &column, &param);
        p->map[row * t->inputs + column] += values[param];
    }
    for (size_t f = 0; f < t->features; f++)
        p->map_bias[f] = f < t->n_biases ? tensor(p, t->map_bias)[f] : 0;
    for (size_t o = 0; o < CONV && t->front == KL_TWIN_DENSE; o++)
        for (size_t c = 0; c < t->channels; c++)
            for (size_t j = 0; j < TAPS; j++)
                p->taps[(j * t->channels + c) * CONV + o] =
                    tensor(p, t->conv)[(o * t->channels + c) * TAPS + j];
    if (t->front == KL_TWIN_DENSE) /* zeros beside the windows */
        memset(p->padded, 0, t->channels * (t->stride + SIDE) * sizeof *p->padded);
    double v[3], sum = 0;
    if (t->readout == KL_TWIN_BRANCHES) lay_branches(p, v);
    if (t->time == KL_TWIN_POOLED) {
        p->w[0] = 1, p->w[1] = 0;
        return;
    }
    const kl_real *const tau = tensor(p, t->tau);
    const bool complex = t->time == KL_TWIN_COMPLEX;
    double most = tau[0];
    for (size_t s = 0; s < t->steps && !complex; s++) most = tau[s] > most ? tau[s] : most;
    for (size_t s = 0; s < t->steps; s++)
        sum += complex ? hypot(tau[2 * s], tau[2 * s + 1]) : exp(tau[s] - most);
    for (size_t s = 0; s < t->steps; s++) {
        p->w[2 * s] = (kl_real)((complex ? tau[2 * s] : exp(tau[s] - most)) / sum);
        p->w[2 * s + 1] = complex ? (kl_real)(tau[2 * s + 1] / sum) : 0;
    }
}

/* ---- in front of the map ---- */
static void drop(kl_real *values, const struct kl_twin_pass *p, size_t i)
{
    const struct kl_twin_net *t = p->t;
    const size_t rows = t->front == KL_TWIN_DENSE ? KL_TWIN_CONV : t->channels, n = rows * t->ld;
    kl_sequence_drop(values, (p->batch->row + i) * n, n, p->net, p->batch, 0);
}

/* x = mean over time of the convolution's silu, one column. Depthwise: `slopes` (channels, taps + 1) are
   its derivatives by taps and bias; dense: those by the convolution itself, (steps, outputs). */
static struct kl_temporal_filter filter_of(const struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    return (struct kl_temporal_filter){ .channels = t->channels,
                                        .steps = t->steps,
                                        .taps = TAPS,
                                        .left = 1,
                                        .w = tensor(p, t->conv),
                                        .bias = tensor(p, t->conv_bias) };
}

static void convolve(struct kl_twin_pass *p, const kl_real *x)
{
    const struct kl_twin_net *t = p->t;
    const size_t c_all = t->channels, row = t->stride + SIDE,
                 outputs = t->front == KL_TWIN_DENSE ? CONV : c_all;
    if (t->front == KL_TWIN_DEPTHWISE) {
        const struct kl_temporal_filter f = filter_of(p);
        kl_kernel_temporal->pool(p->pooled, p->slopes, &f, x, t->stride, p->row);
    } else {
        for (size_t c = 0; c < c_all; c++)
            memcpy(p->padded + c * row + 1, x + c * t->stride, t->steps * sizeof *x);
        for (size_t j = 0; j < TAPS; j++)
            kl_kernel_gemm(p->slopes, CONV, p->padded + j, 1, row, p->taps + j * c_all * CONV, CONV,
                           t->steps, CONV, c_all, j > 0);
        kl_kernel_temporal->pool_rows(p->pooled, p->slopes, CONV, tensor(p, t->conv_bias), t->steps,
                                      CONV, 1);
    }
    memset(p->x, 0, outputs * t->ld * sizeof *p->x);
    for (size_t o = 0; o < outputs; o++) p->x[o * t->ld] = p->pooled[o];
}

/* From the gradient dx (outputs, ld) by the means; by_x (channels, stride) or NULL. */
static void unconvolve_depthwise(struct kl_twin_pass *p, const kl_real *dx, kl_real *by_x)
{
    const struct kl_twin_net *t = p->t;
    for (size_t c = 0; c < t->channels; c++) {
        const kl_real *const slope = p->slopes + c * (TAPS + 1), d = dx[c * t->ld];
        for (size_t j = 0; j < TAPS && p->result->grad; j++)
            gradient(p, t->conv)[c * TAPS + j] += d * slope[j];
        if (p->result->grad) gradient(p, t->conv_bias)[c] += d * slope[TAPS];
        p->pooled[c] = d / (kl_real)t->steps;
    }
    if (!by_x) return;
    const struct kl_temporal_filter f = filter_of(p);
    memset(by_x, 0, t->channels * t->stride * sizeof *by_x);
    kl_kernel_temporal->back(by_x, NULL, NULL, &f, p->batch->x + (size_t)(by_x - p->result->by_x),
                             t->stride, NULL, p->pooled, p->row);
}

static void unconvolve_dense(struct kl_twin_pass *p, const kl_real *dx, kl_real *by_x)
{
    const struct kl_twin_net *t = p->t;
    const size_t c_all = t->channels, row = t->stride + SIDE;
    kl_real *const z = p->slopes;
    for (size_t o = 0; o < CONV; o++) p->pooled[o] = dx[o * t->ld];
    for (size_t s = 0; s < t->steps; s++)
        for (size_t o = 0; o < CONV; o++) z[s * CONV + o] *= p->pooled[o];
    if (p->result->grad) kl_kernel_layers->add(gradient(p, t->conv_bias), z, CONV, t->steps, CONV);
    for (size_t j = 0; j < TAPS; j++) /* d_conv (taps, channels, outputs) */
        kl_kernel_gemm(p->d_conv + j * c_all * CONV, CONV, p->padded + j, row, 1, z, CONV, c_all, CONV,
                       t->steps, 1);
    if (!by_x) return;
    memset(by_x, 0, c_all * t->stride * sizeof *by_x);
    for (size_t c = 0; c < c_all; c++)
        for (size_t j = 0; j < TAPS; j++)
            for (size_t s = 0; s < t->steps; s++) { /* output s meets x[s + j - 1] */
                if (s + j < 1 || s + j > t->steps) continue;
                const kl_real *const w = p->taps + (j * c_all + c) * CONV;
                kl_real sum = 0;
                for (size_t o = 0; o < CONV; o++) sum += w[o] * z[s * CONV + o];
                by_x[c * t->stride + s + j - 1] += sum;
            }
}

/* theta becomes its layer norm; plain: before gain and shift. Column by column in the lanes. */
static void normalise(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t n = t->inputs, ld = t->ld;
    const kl_real *const gain = tensor(p, t->gain), *const shift = tensor(p, t->shift);
    kl_real *const mean = p->means, *const inverse = p->inverse;
    memset(mean, 0, ld * sizeof *mean), memset(inverse, 0, ld * sizeof *inverse);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < ld; s++) mean[s] += p->theta[i * ld + s];
    for (size_t s = 0; s < ld; s++) mean[s] /= (kl_real)n;
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < ld; s++) {
            const kl_real off = p->theta[i * ld + s] - mean[s];
            inverse[s] += off * off;
        }
    for (size_t s = 0; s < ld; s++) inverse[s] = 1 / SQRT(inverse[s] / (kl_real)n + (kl_real)1e-5);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < ld; s++) {
            const kl_real plain = (p->theta[i * ld + s] - mean[s]) * inverse[s];
            p->plain[i * ld + s] = plain, p->theta[i * ld + s] = plain * gain[i] + shift[i];
        }
}

/* dtheta is 0 behind the last column. */
static void unnormalise(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t n = t->inputs, ld = t->ld;
    const kl_real *const gain = tensor(p, t->gain);
    kl_real *const mean = p->means, *const along = p->along;
    memset(mean, 0, ld * sizeof *mean), memset(along, 0, ld * sizeof *along);
    for (size_t i = 0; i < n; i++) {
        kl_real *const d = p->dtheta + i * ld;
        const kl_real *const plain = p->plain + i * ld;
        if (p->result->grad) gradient(p, t->shift)[i] += total(d, ld);
        kl_real sum[SIDE] = { 0 };
        for (size_t s = 0; s < ld; s += SIDE)
            for (size_t l = 0; l < SIDE; l++) sum[l] += d[s + l] * plain[s + l];
        if (p->result->grad) gradient(p, t->gain)[i] += total(sum, SIDE);
        for (size_t s = 0; s < ld; s++) {
            d[s] *= gain[i];
            mean[s] += d[s], along[s] += d[s] * plain[s];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < ld; s++)
            p->dtheta[i * ld + s] =
                p->inverse[s] *
                (p->dtheta[i * ld + s] - (mean[s] + along[s] * p->plain[i * ld + s]) / (kl_real)n);
}

/* The flattened window as a column, and back; what stands beside it in either is 0. */
static void flatten(kl_real *column, const kl_real *window, const struct kl_twin_pass *p)
{
    const size_t steps = p->net->shape.steps, stride = kl_sequence_stride(steps), ld = p->t->ld;
    memset(column, 0, p->t->channels * ld * sizeof *column);
    for (size_t c = 0; c < p->net->shape.channels; c++)
        for (size_t s = 0; s < steps; s++) column[(c * steps + s) * ld] = window[c * stride + s];
}

static void unflatten(kl_real *window, const kl_real *column, const struct kl_twin_pass *p)
{
    const size_t steps = p->net->shape.steps, stride = kl_sequence_stride(steps), ld = p->t->ld;
    memset(window, 0, p->net->shape.channels * stride * sizeof *window);
    for (size_t c = 0; c < p->net->shape.channels; c++)
        for (size_t s = 0; s < steps; s++) window[c * stride + s] = column[(c * steps + s) * ld];
}

/* ---- a window ---- */
/* Values of a window in the batch. */
static size_t window_size(const struct kl_twin_pass *p)
{
    return p->net->shape.channels * kl_sequence_stride(p->net->shape.steps);
}

static const kl_real *input(struct kl_twin_pass *p, size_t i)
{
    const struct kl_twin_net *t = p->t;
    const kl_real *const x = p->batch->x + i * window_size(p);
    if (t->bare) flatten(p->x, x, p);
    else if (t->front != KL_TWIN_STEPS) convolve(p, x);
    else if (!(p->batch->training && p->net->options.dropout > 0)) return x;
    else memcpy(p->x, x, t->channels * t->ld * sizeof *x);
    drop(p->x, p, i);
    return p->x;
}

static const kl_real *project(struct kl_twin_pass *p, const kl_real *x)
{
    if (p->t->project < 0) return x;
    linear(p->u, p, p->t->project, x, p->t->ld);
    return p->u;
}

/* To the features of all columns. */
static void forward(struct kl_twin_pass *p, const kl_real *x)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld;
    linear(p->theta, p, t->angles, project(p, x), ld);
    if (t->norm) normalise(p);
    kl_kernel_gemm(p->m, ld, p->map, t->inputs, 1, p->theta, ld, f, ld, t->inputs, 0);
    kl_kernel_policy_forward(p->m, p->map_bias, p->m, 0, p->m, 0, f, ld, KL_POLICY_TANH);
}

void kl_sequence_twin_read(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld;
    if (t->readout == KL_TWIN_BRANCHES) {
        affine(p->y, p->joint, p->joint_bias, p->m, f, f, ld);
        linear(p->o, p, t->read, p->y, ld);
    } else if (t->readout == KL_TWIN_RELU) {
        linear(p->y, p, t->read, p->m, ld);
        for (size_t j = 0; j < f * ld; j++) p->y[j] = p->y[j] > 0 ? p->y[j] : 0;
        linear(p->o, p, t->again, p->y, ld);
    } else {
        linear(p->o, p, t->read, p->m, ld);
    }
    const size_t rows = t->classify < 0 ? (size_t)t->classes : f;
    for (size_t r = 0; r < rows && t->classify >= 0; r++) {
        double re = 0, im = 0;
        for (size_t s = 0; s < t->columns; s++)
            re += (double)p->w[2 * s] * p->o[r * ld + s],
                im += (double)p->w[2 * s + 1] * p->o[r * ld + s];
        p->mean[r] = (kl_real)re, p->mean[f + r] = (kl_real)im;
        p->a[r] = (kl_real)(t->time == KL_TWIN_COMPLEX ? hypot(re, im) : re);
    }
}

void kl_sequence_twin_classify(struct kl_twin_pass *p, size_t i)
{
    const struct kl_twin_net *t = p->t;
    kl_real *const logits = p->result->logits + i * (size_t)t->classes;
    for (size_t k = 0; k < (size_t)t->classes; k++) {
        if (t->classify < 0) {
            logits[k] = p->o[k * t->ld];
            continue;
        }
        const kl_real *const w = tensor(p, t->linear[t->classify].weight) + k * t->features;
        kl_real sum = tensor(p, t->linear[t->classify].bias)[k];
        for (size_t f = 0; f < t->features; f++) sum += w[f] * p->a[f];
        logits[k] = sum;
    }
}

void kl_sequence_twin_unclassify(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld, classes = (size_t)t->classes;
    if (t->classify < 0) {
        memset(p->dy, 0, classes * ld * sizeof *p->dy);
        for (size_t k = 0; k < classes; k++) p->dy[k * ld] = p->d[k];
        return;
    }
    const kl_real *const w = tensor(p, t->linear[t->classify].weight);
    memset(p->da, 0, f * sizeof *p->da);
    for (size_t k = 0; k < classes; k++) {
        p->d_linear_bias[t->classify][k] += p->d[k];
        for (size_t r = 0; r < f; r++) {
            p->da[r] += w[k * f + r] * p->d[k];
            p->d_weight[t->classify][r * classes + k] += p->d[k] * p->a[r];
        }
    }
    memset(p->dy, 0, f * ld * sizeof *p->dy);
    for (size_t r = 0; r < f; r++) {
        const bool complex = t->time == KL_TWIN_COMPLEX;
        const double re = complex ? p->a[r] > 0 ? p->da[r] * p->mean[r] / p->a[r] : 0 : p->da[r],
                     im = complex && p->a[r] > 0 ? p->da[r] * p->mean[f + r] / p->a[r] : 0;
        for (size_t s = 0; s < t->columns; s++) {
            p->dy[r * ld + s] = (kl_real)(re * p->w[2 * s] + im * p->w[2 * s + 1]);
            if (t->time == KL_TWIN_POOLED) continue;
            p->d_w[2 * s] += re * p->o[r * ld + s], p->d_w[2 * s + 1] += im * p->o[r * ld + s];
        }
    }
}

void kl_sequence_twin_unread(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld;
    if (t->readout == KL_TWIN_BRANCHES) {
        linear_back(p, t->read, p->o, p->dy, p->y, ld);
        back(p->d_joint, p->d_joint_bias, p->dm, p->joint, p->o, p->m, f, f, ld, p->turned);
    } else if (t->readout == KL_TWIN_RELU) {
        linear_back(p, t->again, p->o, p->dy, p->y, ld);
        for (size_t j = 0; j < f * ld; j++) p->o[j] = p->y[j] > 0 ? p->o[j] : 0;
        linear_back(p, t->read, p->dm, p->o, p->m, ld);
    } else {
        linear_back(p, t->read, p->dm, p->dy, p->m, ld);
    }
}

/* From dm to the input of the first layer; x: that input. */
static void backward(struct kl_twin_pass *p, size_t i, const kl_real *x)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld;
    for (size_t j = 0; j < f * ld; j++) p->dm[j] *= 1 - p->m[j] * p->m[j];
    back(p->d_map, p->d_map_bias, p->dtheta, p->map, p->dm, p->theta, f, t->inputs, ld, p->turned);
    if (t->norm) unnormalise(p);
    const bool steps = t->front == KL_TWIN_STEPS, deeper = !steps || p->result->by_x;
    kl_real *const to = p->result->by_x ? p->result->by_x + i * window_size(p) : NULL,
                   *dx = steps && !t->bare ? to : p->x;
    if (t->project < 0) linear_back(p, t->angles, deeper ? dx : NULL, p->dtheta, x, ld);
    else {
        linear_back(p, t->angles, p->du, p->dtheta, p->u, ld);
        linear_back(p, t->project, deeper ? dx : NULL, p->du, x, ld);
    }
    if (!deeper) return;
    drop(dx, p, i);
    if (t->bare) unflatten(to, dx, p);
    else if (t->front == KL_TWIN_DENSE) unconvolve_dense(p, dx, to);
    else if (!steps) unconvolve_depthwise(p, dx, to);
}

/* ---- gradients of what was laid out once ---- */
static void branch_gradients(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features;
    const kl_real *const a = tensor(p, t->branches), *const b = tensor(p, t->branch_biases),
                         *const mix = tensor(p, t->mix), *const c = tensor(p, t->constants);
    double v[3], dv[3] = { 0 }, all = 0, mean = 0;
    lay_branches(p, v);
    for (int k = 0; k < 3; k++) all += fabs((double)mix[k]);
    for (size_t k = 0; k < 3; k++) {
        const bool constant = k == 2 || (k == 1 && !t->reversed);
        const size_t from = k == 2 && !t->reversed ? f : 0;
        for (size_t i = 0; i < f; i++) {
            const double db = p->d_joint_bias[i];
            dv[k] += db * b[k * f + i];
            gradient(p, t->branch_biases)[k * f + i] = (kl_real)(v[k] * db);
            for (size_t j = 0; j < f; j++) { /* d_joint (in, out) */
                const double m = constant ? tanh((double)c[from + j]) : 0, w = a[(k * f + i) * f + j],
                             d = constant ? db * m : p->d_joint[(k == 1 ? f - 1 - j : j) * f + i];
                dv[k] += d * w;
                gradient(p, t->branches)[(k * f + i) * f + j] = (kl_real)(v[k] * d);
                if (constant)
                    gradient(p, t->constants)[from + j] += (kl_real)(v[k] * db * w * (1 - m * m));
            }
        }
        mean += v[k] * dv[k];
    }
    for (int k = 0; k < 3; k++)
        gradient(p, t->mix)[k] = (kl_real)((mix[k] < 0   ? -1
                                            : mix[k] > 0 ? 1
                                                         : 0) *
                                           (dv[k] - mean) / all);
}

/* By tau: w = tau / sum |tau|, or softmax. */
static void time_gradients(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    const kl_real *const tau = tensor(p, t->tau);
    kl_real *const to = gradient(p, t->tau);
    const bool complex = t->time == KL_TWIN_COMPLEX;
    double mean = 0, sum = 0;
    for (size_t s = 0; s < t->steps; s++) {
        mean += p->w[2 * s] * p->d_w[2 * s] + p->w[2 * s + 1] * p->d_w[2 * s + 1];
        if (complex) sum += hypot(tau[2 * s], tau[2 * s + 1]);
    }
    for (size_t s = 0; s < t->steps; s++) {
        if (!complex) {
            to[s] = (kl_real)(p->w[2 * s] * (p->d_w[2 * s] - mean));
            continue;
        }
        const double size = hypot(tau[2 * s], tau[2 * s + 1]);
        for (int c = 0; c < 2; c++)
            to[2 * s + (size_t)c] = (kl_real)((p->d_w[2 * s + (size_t)c] -
                                               (size > 0 ? mean * tau[2 * s + (size_t)c] / size : 0)) /
                                              sum);
    }
}

void kl_sequence_twin_gradients(struct kl_twin_pass *p)
{
    const struct kl_twin_net *t = p->t;
    for (int l = 0; l < t->n_linear; l++) {
        const struct kl_twin_linear *a = &t->linear[l];
        for (size_t o = 0; o < a->out; o++) {
            for (size_t i = 0; i < a->in; i++)
                gradient(p, a->weight)[o * a->in + i] = p->d_weight[l][i * a->out + o];
            gradient(p, a->bias)[o] = p->d_linear_bias[l][o];
        }
    }
    for (size_t e = 0; e < kl_sequence_twin_entries(t); e++) {
        size_t row, column, param;
        kl_sequence_twin_entry(t, e, &row, &column, &param);
        gradient(p, t->map)[param] += p->d_map[column * t->features + row];
    }
    for (size_t f = 0; f < t->n_biases; f++) gradient(p, t->map_bias)[f] = p->d_map_bias[f];
    if (t->readout == KL_TWIN_BRANCHES) branch_gradients(p);
    if (t->time != KL_TWIN_POOLED) time_gradients(p);
    for (size_t o = 0; o < CONV && t->front == KL_TWIN_DENSE; o++)
        for (size_t c = 0; c < t->channels; c++)
            for (size_t j = 0; j < TAPS; j++)
                gradient(p, t->conv)[(o * t->channels + c) * TAPS + j] =
                    p->d_conv[(j * t->channels + c) * CONV + o];
}

void kl_sequence_twin_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                          const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct kl_twin_pass p = {
        .net = net, .t = net->own, .params = params, .batch = batch, .result = result
    };
    const bool back_too = result->grad || result->by_x;
    kl_sequence_twin_place(&p, work);
    kl_sequence_twin_lay(&p);
    result->loss = 0, result->correct = 0;
    for (int i = 0; result->grad && i < net->block.n; i++)
        memset(gradient(&p, i), 0, net->block.tensors[i].size * sizeof *result->grad);
    for (size_t i = 0; i < batch->n; i++) {
        const kl_real *const x = input(&p, i);
        forward(&p, x), kl_sequence_twin_read(&p);
        kl_sequence_twin_classify(&p, i);
        kl_sequence_loss(back_too ? p.d : NULL, result, batch, i, net->shape.classes);
        if (!back_too) continue;
        kl_sequence_twin_unclassify(&p), kl_sequence_twin_unread(&p);
        backward(&p, i, x);
    }
    if (result->grad) kl_sequence_twin_gradients(&p);
}
