/* SPDX-License-Identifier: MIT
   Twins forwards and backwards, window by window; what stands in memory is [feature][time], so that a
   layer is one product for all steps of a window. Steps behind the last one hold what is never read. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "kernels/select.h"
#include "sequence/model/model_int.h"
#include "sequence/model/twin.h"

enum { SIDE = 16, TAPS = KL_TWIN_TAPS };

struct pass {
    const struct kl_sequence_net *net;
    const struct kl_twin_net *t;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    /* (width, ld) each: input of the first layer; outputs of the first two; normalised; features; what
       they are read into, twice; gradients by them */
    kl_real *x, *u, *theta, *plain, *m, *y, *o, *dm, *dy, *dtheta, *du, *turned;
    /* the map (features, inputs), branches as one map, their bias, weights over time (steps, 2) */
    kl_real *map, *map_bias, *joint, *joint_bias, *w;
    kl_real *mean, *a, *d, *da, *padded, *conv; /* mean (2, features), a (features) */
    /* gradients summed over windows: of linear layer l turned, (in, out), and (out) */
    kl_real *d_weight[6], *d_linear_bias[6], *d_map, *d_map_bias, *d_joint, *d_joint_bias, *d_conv;
    double *d_w, *inverse;
};

static void *take(char *base, size_t *at, size_t count, size_t size)
{
    void *const here = base ? base + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return here;
}
#define TAKE(field, count) (field) = take(base, &at, count, sizeof *(field))

/* Bytes; base NULL: only these. */
static size_t place(struct pass *p, char *base)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld, wide = KL_TWIN_CONV, classes = (size_t)t->classes,
                 in = t->channels > wide ? t->channels : wide;
    const size_t u = t->project < 0 ? t->channels : t->linear[t->project].out;
    size_t most = in > t->inputs ? in : t->inputs, at = 0;
    if (most < u) most = u;
    TAKE(p->x, in * ld), TAKE(p->u, u * ld), TAKE(p->theta, t->inputs * ld);
    TAKE(p->plain, t->inputs * ld), TAKE(p->m, f * ld), TAKE(p->y, f * ld),
        TAKE(p->o, (f + classes) * ld);
    TAKE(p->dm, f * ld), TAKE(p->dy, (f + classes) * ld), TAKE(p->dtheta, t->inputs * ld);
    TAKE(p->du, u * ld), TAKE(p->turned, (most + f + classes) * ld + in * t->stride);
    TAKE(p->map, f * t->inputs), TAKE(p->map_bias, f), TAKE(p->joint, f * f), TAKE(p->joint_bias, f);
    TAKE(p->w, 2 * t->steps), TAKE(p->mean, 2 * f), TAKE(p->a, f);
    TAKE(p->d, classes), TAKE(p->da, f);
    TAKE(p->padded, t->front == KL_TWIN_STEPS ? 0 : in * (t->stride + SIDE));
    TAKE(p->conv, t->front == KL_TWIN_STEPS ? 0 : 2 * in * t->stride);
    TAKE(p->inverse, ld);
    char *const sums = base ? base + at : NULL;
    for (int l = 0; l < t->n_linear; l++) {
        TAKE(p->d_weight[l], t->linear[l].in * t->linear[l].out);
        TAKE(p->d_linear_bias[l], t->linear[l].out);
    }
    TAKE(p->d_map, t->inputs * f), TAKE(p->d_map_bias, f), TAKE(p->d_joint, f * f);
    TAKE(p->d_joint_bias, f), TAKE(p->d_w, 2 * t->steps);
    TAKE(p->d_conv, t->front == KL_TWIN_STEPS ? 0 : in * in * TAPS);
    if (base) memset(sums, 0, (size_t)(base + at - sums));
    return at;
}

size_t kl_sequence_twin_work(const struct kl_sequence_net *net, size_t n)
{
    struct pass p = { .net = net, .t = net->own };
    (void)n;
    return place(&p, NULL);
}

static const kl_real *tensor(const struct pass *p, int number)
{
    return p->params + p->net->block.tensors[number].offset;
}

static kl_real *gradient(const struct pass *p, int number)
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

static void linear(kl_real *y, const struct pass *p, int l, const kl_real *x, size_t ld)
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

static void linear_back(struct pass *p, int l, kl_real *dx, const kl_real *dy, const kl_real *x,
                        size_t ld)
{
    const struct kl_twin_linear *a = &p->t->linear[l];
    back(p->d_weight[l], p->d_linear_bias[l], dx, tensor(p, a->weight), dy, x, a->out, a->in, ld,
         p->turned);
}

/* ---- what is the same for all windows ---- */
static void lay_branches(struct pass *p, double v[3])
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

static void lay(struct pass *p)
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
static void drop(kl_real *values, const struct pass *p, size_t i)
{
    const struct kl_twin_net *t = p->t;
    const struct kl_sequence_batch *b = p->batch;
    const double rate = p->net->options.dropout;
    const size_t rows = t->front == KL_TWIN_DENSE ? KL_TWIN_CONV : t->channels, n = rows * t->ld;
    if (!b->training || !(rate > 0)) return;
    const struct kl_dropout_draw draw = { .seed = b->seed,
                                          .purpose = KL_RANDOM_SEQUENCE_DROPOUT,
                                          .step = b->step,
                                          .replica = b->replica,
                                          .threshold = kl_nn_dropout_threshold(rate),
                                          .scale = kl_nn_dropout_scale(rate) };
    kl_kernel_dropout(values, (b->row + i) * n, n, &draw);
}

/* conv (outputs, stride) = convolution over time with a zero on both sides; x = mean of its silu. */
static void convolve(struct pass *p, const kl_real *x)
{
    const struct kl_twin_net *t = p->t;
    const size_t c_all = t->channels, row = t->stride + SIDE, dense = t->front == KL_TWIN_DENSE,
                 outputs = dense ? KL_TWIN_CONV : c_all;
    const kl_real *const w = tensor(p, t->conv);
    memset(p->padded, 0, c_all * row * sizeof *p->padded);
    for (size_t c = 0; c < c_all; c++)
        memcpy(p->padded + c * row + 1, x + c * t->stride, t->steps * sizeof *x);
    kl_kernel_layers->fill(p->conv, t->stride, tensor(p, t->conv_bias), outputs, t->stride);
    for (size_t j = 0; j < TAPS && dense; j++)
        kl_kernel_gemm(p->conv, t->stride, w + j, c_all * TAPS, TAPS, p->padded + j, row, outputs,
                       t->stride, c_all, 1);
    for (size_t c = 0; c < c_all && !dense; c++)
        for (size_t s = 0; s < t->stride; s++)
            for (size_t j = 0; j < TAPS; j++)
                p->conv[c * t->stride + s] += w[c * TAPS + j] * p->padded[c * row + s + j];
    memset(p->x, 0, outputs * t->ld * sizeof *p->x);
    for (size_t o = 0; o < outputs; o++) {
        const kl_real *const z = p->conv + o * t->stride;
        double sum = 0;
        for (size_t s = 0; s < t->steps; s++) sum += z[s] / (1 + exp(-(double)z[s]));
        p->x[o * t->ld] = (kl_real)(sum / (double)t->steps);
    }
}

/* From the gradient dx (outputs, ld) by the means; by_x (channels, stride) or NULL. */
static void unconvolve(struct pass *p, const kl_real *dx, kl_real *by_x)
{
    const struct kl_twin_net *t = p->t;
    const size_t c_all = t->channels, row = t->stride + SIDE, dense = t->front == KL_TWIN_DENSE,
                 outputs = dense ? KL_TWIN_CONV : c_all, stride = t->stride;
    kl_real *const dz = p->conv + (outputs > c_all ? outputs : c_all) * stride, *const grad =
                                                                                    p->result->grad;
    const kl_real *const w = tensor(p, t->conv);
    for (size_t o = 0; o < outputs; o++)
        for (size_t s = 0; s < stride; s++) {
            const double z = p->conv[o * stride + s], sigma = 1 / (1 + exp(-z));
            dz[o * stride + s] =
                s < t->steps
                    ? (kl_real)((double)dx[o * t->ld] / (double)t->steps * sigma * (1 + z * (1 - sigma)))
                    : 0;
        }
    for (size_t o = 0; o < outputs && grad; o++)
        gradient(p, t->conv_bias)[o] += total(dz + o * stride, stride);
    kl_kernel_layers->turn(p->turned, outputs, dz, stride, NULL, 0, outputs, stride);
    for (size_t j = 0; j < TAPS && dense; j++) /* d_conv (taps, channels, outputs) */
        kl_kernel_gemm(p->d_conv + j * c_all * outputs, outputs, p->padded + j, row, 1, p->turned,
                       outputs, c_all, outputs, stride, 1);
    for (size_t c = 0; c < c_all && !dense; c++)
        for (size_t j = 0; j < TAPS; j++) {
            kl_real *const to = p->d_conv + j * c_all + c;
            for (size_t s = 0; s < t->steps; s++) *to += dz[c * stride + s] * p->padded[c * row + s + j];
        }
    if (!by_x) return;
    memset(by_x, 0, c_all * stride * sizeof *by_x);
    for (size_t c = 0; c < c_all; c++)
        for (size_t o = dense ? 0 : c; o < (dense ? outputs : c + 1); o++)
            for (size_t j = 0; j < TAPS; j++) {
                const kl_real tap = w[((dense ? o * c_all : o) + (dense ? c : 0)) * TAPS + j];
                for (size_t s = 0; s < t->steps; s++) /* output s meets x[s + j - 1] */
                    if (s + j >= 1 && s + j <= t->steps)
                        by_x[c * stride + s + j - 1] += tap * dz[o * stride + s];
            }
}

/* theta becomes its layer norm; plain: before gain and shift. */
static void normalise(struct pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t n = t->inputs, ld = t->ld;
    const kl_real *const gain = tensor(p, t->gain), *const shift = tensor(p, t->shift);
    for (size_t s = 0; s < ld; s++) {
        double mean = 0, var = 0;
        for (size_t i = 0; i < n; i++) mean += p->theta[i * ld + s];
        mean /= (double)n;
        for (size_t i = 0; i < n; i++) {
            const double off = p->theta[i * ld + s] - mean;
            var += off * off;
        }
        p->inverse[s] = 1 / sqrt(var / (double)n + 1e-5);
        for (size_t i = 0; i < n; i++) {
            p->plain[i * ld + s] = (kl_real)((p->theta[i * ld + s] - mean) * p->inverse[s]);
            p->theta[i * ld + s] = p->plain[i * ld + s] * gain[i] + shift[i];
        }
    }
}

static void unnormalise(struct pass *p)
{
    const struct kl_twin_net *t = p->t;
    const size_t n = t->inputs, ld = t->ld;
    const kl_real *const gain = tensor(p, t->gain);
    for (size_t i = 0; i < n && p->result->grad; i++)
        for (size_t s = 0; s < t->columns; s++) {
            gradient(p, t->gain)[i] += p->dtheta[i * ld + s] * p->plain[i * ld + s];
            gradient(p, t->shift)[i] += p->dtheta[i * ld + s];
        }
    for (size_t s = 0; s < ld; s++) {
        double mean = 0, along = 0;
        for (size_t i = 0; i < n && s < t->columns; i++) {
            const double g = (double)p->dtheta[i * ld + s] * gain[i];
            mean += g / (double)n, along += g * p->plain[i * ld + s] / (double)n;
        }
        for (size_t i = 0; i < n; i++)
            p->dtheta[i * ld + s] =
                s < t->columns ? (kl_real)(p->inverse[s] * ((double)p->dtheta[i * ld + s] * gain[i] -
                                                            mean - along * p->plain[i * ld + s]))
                               : 0;
    }
}

/* ---- a window ---- */
static const kl_real *input(struct pass *p, size_t i)
{
    const struct kl_twin_net *t = p->t;
    const kl_real *const x = p->batch->x + i * t->channels * t->stride;
    if (t->front != KL_TWIN_STEPS) convolve(p, x);
    else if (!(p->batch->training && p->net->options.dropout > 0)) return x;
    else memcpy(p->x, x, t->channels * t->ld * sizeof *x);
    drop(p->x, p, i);
    return p->x;
}

static const kl_real *project(struct pass *p, const kl_real *x)
{
    if (p->t->project < 0) return x;
    linear(p->u, p, p->t->project, x, p->t->ld);
    return p->u;
}

/* To the features of all columns, what they are read into, its means over time. */
static void forward(struct pass *p, const kl_real *x)
{
    const struct kl_twin_net *t = p->t;
    const size_t f = t->features, ld = t->ld;
    linear(p->theta, p, t->angles, project(p, x), ld);
    if (t->norm) normalise(p);
    affine(p->m, p->map, p->map_bias, p->theta, f, t->inputs, ld);
    for (size_t j = 0; j < f * ld; j++) p->m[j] = (kl_real)tanh((double)p->m[j]);
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

static void classify(struct pass *p, size_t i)
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

/* From the gradient by the logits to that by o, in dy; d_w: by the weights over time. */
static void unclassify(struct pass *p)
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

/* From dy to the input of the first layer; x: that input. */
static void backward(struct pass *p, size_t i, const kl_real *x)
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
    for (size_t j = 0; j < f * ld; j++) p->dm[j] *= 1 - p->m[j] * p->m[j];
    back(p->d_map, p->d_map_bias, p->dtheta, p->map, p->dm, p->theta, f, t->inputs, ld, p->turned);
    if (t->norm) unnormalise(p);
    const bool steps = t->front == KL_TWIN_STEPS, deeper = !steps || p->result->by_x;
    kl_real *const to = p->result->by_x ? p->result->by_x + i * t->channels * t->stride : NULL,
                   *dx = steps ? to : p->x;
    if (t->project < 0) linear_back(p, t->angles, deeper ? dx : NULL, p->dtheta, x, ld);
    else {
        linear_back(p, t->angles, p->du, p->dtheta, p->u, ld);
        linear_back(p, t->project, deeper ? dx : NULL, p->du, x, ld);
    }
    if (!deeper) return;
    drop(dx, p, i);
    if (!steps) unconvolve(p, dx, to);
}

/* ---- gradients of what was laid out once ---- */
static void branch_gradients(struct pass *p)
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
static void time_gradients(struct pass *p)
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

static void gradients(struct pass *p)
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
    if (t->front == KL_TWIN_STEPS) return;
    const size_t outputs = t->front == KL_TWIN_DENSE ? KL_TWIN_CONV : 1;
    for (size_t o = 0; o < outputs; o++)
        for (size_t c = 0; c < t->channels; c++)
            for (size_t j = 0; j < TAPS; j++)
                gradient(p, t->conv)[(o * t->channels + c) * TAPS + j] =
                    p->d_conv[(j * t->channels + c) * outputs + o];
}

void kl_sequence_twin_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                          const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct pass p = { .net = net, .t = net->own, .params = params, .batch = batch, .result = result };
    const bool back_too = result->grad || result->by_x;
    place(&p, work);
    lay(&p);
    result->loss = 0, result->correct = 0;
    for (int i = 0; result->grad && i < net->block.n; i++)
        memset(gradient(&p, i), 0, net->block.tensors[i].size * sizeof *result->grad);
    for (size_t i = 0; i < batch->n; i++) {
        const kl_real *const x = input(&p, i);
        forward(&p, x);
        classify(&p, i);
        kl_sequence_loss(back_too ? p.d : NULL, result, batch, i, net->shape.classes);
        if (!back_too) continue;
        unclassify(&p);
        backward(&p, i, x);
    }
    if (result->grad) gradients(&p);
}
