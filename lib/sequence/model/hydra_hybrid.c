/* SPDX-License-Identifier: MIT
   Quantum Hydra Hybrid: three measured branches at each timestep, each through a matrix of its own,
   weighed; softmax weights over time; a linear read-out. The branches are permutations of one circuit's
   expectation values q and a closed form that no input reaches, and all that follows is linear: it is
   applied to the weighted sum of q over time, once a window, and what the batch adds to the branches'
   matrices is one outer product. */
#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/ring.h"
#include "kernels/inline/real.h"
#include "sequence/model/steps_int.h"

enum { S = KL_RING_STEPS };

/* Parameters behind the circuits in double, their gradients over a batch, and what a window needs. */
struct hybrid {
    struct kl_sequence_circuits c;
    size_t out, classes, maps, steps;              /* maps: of W_o: 3 n, of a bare layer the classes */
    double *matrix[3], *offset[3], w[3], share[3]; /* A_k, a_k, w_k, |w_k| / sum */
    double *wo, *bo, *wc, *bc, *qd, *m3, *dwo, *dbo, *dwc, *dbc, *scratch;
    double *joined, *shift; /* y = joined q + shift */
    double *outer, *by_y;   /* over the batch: dL/dy q^T, dL/dy */
    double *tau, *q, *y, *a, *da, *dy, *dq;
    kl_real *d, *by_q, *by_tau;
};

static size_t take(struct hybrid *h, void *work, const struct kl_sequence_net *net, bool backward)
{
    struct kl_sequence_pieces p = { work, 0 };
    const struct kl_sequence_steps *s = net->own;
    const size_t out = s->outputs, k = (size_t)net->shape.classes, maps = net->options.bare ? k : out,
                 real = sizeof(double);
    h->out = out, h->classes = k, h->maps = maps, h->steps = s->lengths;
    kl_sequence_circuits_take(&h->c, &p, net, net->options.bare ? 0 : 1, false, backward);
    for (int i = 0; i < 3; i++) {
        h->matrix[i] = kl_sequence_piece(&p, out * out, real);
        h->offset[i] = kl_sequence_piece(&p, out, real);
    }
    h->wo = kl_sequence_piece(&p, maps * out, real), h->bo = kl_sequence_piece(&p, maps, real);
    h->wc = kl_sequence_piece(&p, k * out, real), h->bc = kl_sequence_piece(&p, k, real);
    h->dwo = kl_sequence_piece(&p, maps * out, real), h->dbo = kl_sequence_piece(&p, maps, real);
    h->dwc = kl_sequence_piece(&p, k * out, real), h->dbc = kl_sequence_piece(&p, k, real);
    h->joined = kl_sequence_piece(&p, out * out, real), h->shift = kl_sequence_piece(&p, out, real);
    h->outer = kl_sequence_piece(&p, out * out, real), h->by_y = kl_sequence_piece(&p, out, real);
    h->qd = kl_sequence_piece(&p, out, real), h->m3 = kl_sequence_piece(&p, out, real);
    h->scratch = kl_sequence_piece(&p, out * out, real);
    h->tau = kl_sequence_piece(&p, s->lengths, real), h->q = kl_sequence_piece(&p, out, real);
    h->y = kl_sequence_piece(&p, out, real), h->dy = kl_sequence_piece(&p, out, real);
    h->a = kl_sequence_piece(&p, maps, real), h->da = kl_sequence_piece(&p, maps, real);
    h->dq = kl_sequence_piece(&p, out, real);
    h->d = kl_sequence_piece(&p, k, sizeof(kl_real));
    h->by_q = kl_sequence_piece(&p, out, sizeof(kl_real));
    h->by_tau = kl_sequence_piece(&p, h->c.stride, sizeof(kl_real));
    return p.used;
}

/* The element of q that is row f of m1 (branch 0), of m2 (branch 1). */
static size_t row_of(const struct hybrid *h, int branch, size_t f)
{
    const size_t n = h->out / 3, j = f % n;
    return f / n * n + (branch ? n - j : j + 1) % n;
}

static void join(struct hybrid *h)
{
    const size_t out = h->out;
    memset(h->joined, 0, out * out * sizeof(double));
    for (size_t f = 0; f < out; f++) {
        double sum = 0;
        for (int i = 0; i < 3; i++) sum += h->share[i] * h->offset[i][f];
        for (size_t j = 0; j < out; j++) {
            for (int i = 0; i < 2; i++)
                h->joined[f * out + row_of(h, i, j)] += h->share[i] * h->matrix[i][f * out + j];
            sum += h->share[2] * h->matrix[2][f * out + j] * h->m3[j];
        }
        h->shift[f] = sum;
    }
}

/* softmax(tau) */
static void time_weights(struct hybrid *h, const kl_real *tau)
{
    double most = (double)tau[0], sum = 0;
    for (size_t t = 1; t < h->steps; t++) most = fmax(most, (double)tau[t]);
    for (size_t t = 0; t < h->steps; t++) sum += h->tau[t] = exp((double)tau[t] - most);
    memset(h->c.weights, 0, h->c.stride * sizeof *h->c.weights);
    for (size_t t = 0; t < h->steps; t++) h->c.weights[t] = (kl_real)(h->tau[t] /= sum);
}

static void begin(struct hybrid *h, const struct kl_sequence_net *net, const kl_real *params)
{
    const struct kl_sequence_steps *s = net->own;
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        h->w[i] = (double)params[net->block.tensors[s->branch[i]].offset], sum += fabs(h->w[i]);
        kl_sequence_widen(h->matrix[i], params, net, s->matrix[i]);
        kl_sequence_widen(h->offset[i], params, net, s->offset[i]);
    }
    for (int i = 0; i < 3; i++) h->share[i] = fabs(h->w[i]) / sum;
    kl_sequence_widen(h->qd, params, net, s->qd);
    kl_sequence_qd_read(h->m3, h->qd, s->ring.n_qubits);
    join(h);
    kl_sequence_circuits_begin(&h->c, net, params);
    kl_sequence_widen(h->wo, params, net, s->wo), kl_sequence_widen(h->bo, params, net, s->bo);
    memset(h->dwo, 0, h->maps * h->out * sizeof(double)), memset(h->dbo, 0, h->maps * sizeof(double));
    memset(h->outer, 0, h->out * h->out * sizeof(double)), memset(h->by_y, 0, h->out * sizeof(double));
    if (s->wc < 0) return;
    kl_sequence_widen(h->wc, params, net, s->wc), kl_sequence_widen(h->bc, params, net, s->bc);
    memset(h->dwc, 0, h->classes * h->out * sizeof(double)),
        memset(h->dbc, 0, h->classes * sizeof(double));
    memset(h->by_tau, 0, h->c.stride * sizeof *h->by_tau);
    time_weights(h, params + net->block.tensors[s->tau].offset);
}

/* y (m) = a (m, n) x + b */
static void affine(double *y, const double *a, const double *x, const double *b, size_t m, size_t n)
{
    for (size_t i = 0; i < m; i++) {
        double sum = b[i];
        for (size_t j = 0; j < n; j++) sum += a[i * n + j] * x[j];
        y[i] = sum;
    }
}
/* dx (n) = a^T dy; da, db (NULL: not) += dy x^T, dy. */
static void affine_back(double *dx, double *da, double *db, const double *a, const double *x,
                        const double *dy, size_t m, size_t n)
{
    memset(dx, 0, n * sizeof *dx);
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) dx[j] += a[i * n + j] * dy[i], da[i * n + j] += dy[i] * x[j];
        db[i] += dy[i];
    }
}

/* From h->q to a row of logits; back: from h->d to h->dq. */
static void logits_of(struct hybrid *h, kl_real *logits)
{
    affine(h->y, h->joined, h->q, h->shift, h->out, h->out);
    affine(h->a, h->wo, h->y, h->bo, h->maps, h->out);
    for (size_t k = 0; k < h->classes; k++) {
        double sum = h->c.n_weights ? h->bc[k] : h->a[k];
        for (size_t f = 0; h->c.n_weights && f < h->out; f++) sum += h->wc[k * h->out + f] * h->a[f];
        logits[k] = (kl_real)sum;
    }
}
static void logits_back(struct hybrid *h)
{
    double d[h->classes];
    for (size_t k = 0; k < h->classes; k++) d[k] = (double)h->d[k];
    if (h->c.n_weights) affine_back(h->da, h->dwc, h->dbc, h->wc, h->a, d, h->classes, h->out);
    affine_back(h->dy, h->dwo, h->dbo, h->wo, h->y, h->c.n_weights ? h->da : d, h->maps, h->out);
    affine_back(h->dq, h->outer, h->by_y, h->joined, h->q, h->dy, h->out, h->out);
}

static void window(struct hybrid *h, struct kl_sequence_result *result,
                   const struct kl_sequence_net *net, const struct kl_sequence_batch *batch, size_t i)
{
    struct kl_sequence_circuits *c = &h->c;
    const kl_real *x = kl_sequence_circuits_input(c, net, batch, i, NULL);
    kl_sequence_circuits_forward(c, x);
    for (size_t f = 0; f < h->out; f++) h->q[f] = (double)kl_ring_sum(c->sum + f * S);
    logits_of(h, result->logits + i * h->classes);
    kl_sequence_loss(result->grad || result->by_x ? h->d : NULL, result, batch, i, net->shape.classes);
    if (!result->grad && !result->by_x) return;
    logits_back(h);
    for (size_t f = 0; f < h->out; f++) h->by_q[f] = (kl_real)h->dq[f];
    kl_kernel_gemm(h->by_tau, c->stride, h->by_q, h->out, 1, c->m, c->stride, 1, c->stride, h->out, 1);
    if (!c->backward) return;
    kl_kernel_gemm(c->dm, c->stride, h->by_q, 1, h->out, c->weights, c->stride, h->out, c->stride, 1, 0);
    kl_real *by_x = result->by_x ? result->by_x + i * c->steps->inputs * c->stride : NULL;
    kl_sequence_circuits_back(c, x, by_x);
    if (by_x) kl_sequence_circuits_input(c, net, batch, i, by_x);
}

static void bare_windows(struct hybrid *h, struct kl_sequence_result *result,
                         const struct kl_sequence_net *net, const struct kl_sequence_batch *batch,
                         size_t first)
{
    struct kl_sequence_circuits *c = &h->c;
    const size_t count = batch->n - first < S ? batch->n - first : S;
    const kl_real *x = kl_sequence_circuits_gather(c, net, batch, first, count);
    kl_sequence_circuits_forward(c, x);
    if (c->backward) memset(c->dm, 0, h->out * S * sizeof *c->dm);
    for (size_t l = 0; l < count; l++) {
        for (size_t f = 0; f < h->out; f++) h->q[f] = (double)c->m[f * S + l];
        logits_of(h, result->logits + (first + l) * h->classes);
        const bool back = result->grad || result->by_x;
        kl_sequence_loss(back ? h->d : NULL, result, batch, first + l, net->shape.classes);
        if (!back) continue;
        logits_back(h);
        for (size_t f = 0; c->backward && f < h->out; f++) c->dm[f * S + l] = (kl_real)h->dq[f];
    }
    if (!c->backward) return;
    kl_sequence_circuits_back(c, x, result->by_x ? c->columns : NULL);
    if (result->by_x) kl_sequence_circuits_scatter(c, net, batch, first, count, result->by_x);
}

/* ---- gradients over the batch ---- */

/* Of A_k, a_k and w_k from the outer product; returns in scratch dL/dm3. */
static void branch_gradients(struct hybrid *h, const struct kl_sequence_net *net, kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    const size_t out = h->out;
    double by_share[3] = { 0 }, mean = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        kl_real *a = grad + net->block.tensors[s->matrix[i]].offset,
                *b = grad + net->block.tensors[s->offset[i]].offset;
        for (size_t f = 0; f < out; f++) {
            for (size_t j = 0; j < out; j++) {
                const double by = i < 2 ? h->outer[f * out + row_of(h, i, j)] : h->by_y[f] * h->m3[j];
                a[f * out + j] = (kl_real)(h->share[i] * by);
                by_share[i] += h->matrix[i][f * out + j] * by;
            }
            b[f] = (kl_real)(h->share[i] * h->by_y[f]);
            by_share[i] += h->offset[i][f] * h->by_y[f];
        }
        mean += h->share[i] * by_share[i], sum += fabs(h->w[i]);
    }
    for (int i = 0; i < 3; i++) {
        const double sign = h->w[i] > 0 ? 1 : h->w[i] < 0 ? -1 : 0;
        grad[net->block.tensors[s->branch[i]].offset] = (kl_real)(sign / sum * (by_share[i] - mean));
    }
}

static void qd_gradient(struct hybrid *h, const struct kl_sequence_net *net, kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    const size_t out = h->out;
    double *by_m3 = h->scratch, *by_qd = h->scratch + out;
    memset(by_m3, 0, out * sizeof *by_m3);
    for (size_t f = 0; f < out; f++)
        for (size_t j = 0; j < out; j++)
            by_m3[j] += h->share[2] * h->matrix[2][f * out + j] * h->by_y[f];
    kl_sequence_qd_read_back(by_qd, by_m3, h->qd, s->ring.n_qubits);
    kl_sequence_narrow(grad, by_qd, net, s->qd);
}

static void gradients(struct hybrid *h, const struct kl_sequence_net *net, const kl_real *params,
                      kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    for (int i = 0; i < net->block.n; i++)
        memset(grad + net->block.tensors[i].offset, 0, net->block.tensors[i].size * sizeof *grad);
    if (!net->options.frozen)
        kl_sequence_circuits_end(&h->c, net, params, grad), qd_gradient(h, net, grad);
    branch_gradients(h, net, grad);
    kl_sequence_narrow(grad, h->dwo, net, s->wo), kl_sequence_narrow(grad, h->dbo, net, s->bo);
    if (s->wc < 0) return;
    kl_sequence_narrow(grad, h->dwc, net, s->wc), kl_sequence_narrow(grad, h->dbc, net, s->bc);
    kl_real *tau = grad + net->block.tensors[s->tau].offset;
    double mean = 0;
    for (size_t t = 0; t < h->steps; t++) mean += h->tau[t] * (double)h->by_tau[t];
    for (size_t t = 0; t < h->steps; t++) tau[t] = (kl_real)(h->tau[t] * ((double)h->by_tau[t] - mean));
}

size_t kl_sequence_hydra_hybrid_work(const struct kl_sequence_net *net, size_t n)
{
    struct hybrid h;
    (void)n;
    return take(&h, NULL, net, true);
}

void kl_sequence_hydra_hybrid_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                                  const kl_real *params, const struct kl_sequence_batch *batch,
                                  void *work)
{
    struct hybrid h;
    take(&h, work, net, result->by_x || (result->grad && !net->options.frozen));
    begin(&h, net, params);
    result->loss = 0, result->correct = 0;
    if (net->options.bare)
        for (size_t i = 0; i < batch->n; i += S) bare_windows(&h, result, net, batch, i);
    else
        for (size_t i = 0; i < batch->n; i++) window(&h, result, net, batch, i);
    if (result->grad) gradients(&h, net, params, result->grad);
}

#if !KL_F64
/* ---- on a GPU ---- */
/* At the head of its work; what it points to is behind it. */
enum { HEAD = (sizeof(struct hybrid) + 63) / 64 * 64 };

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    return kl_sequence_steps_shape(shape, net, false, memory, err);
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    return HEAD + kl_sequence_hydra_hybrid_work_f32(net, 0);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    struct hybrid *h = work;
    take(h, (char *)work + HEAD, net, true);
    begin(h, net, params);
    kl_sequence_circuits_give(given, &h->c);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct hybrid *h = work;
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) {
        for (size_t f = 0; f < h->out; f++) h->q[f] = (double)sum[i * h->out + f];
        logits_of(h, result->logits + i * h->classes);
        kl_sequence_loss(by_sum ? h->d : NULL, result, batch, i, net->shape.classes);
        if (!by_sum) continue;
        logits_back(h);
        for (size_t f = 0; f < h->out; f++) by_sum[i * h->out + f] = (float)h->dq[f];
    }
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    struct hybrid *h = work;
    kl_sequence_circuits_given(&h->c, h->by_tau, by_given);
    gradients(h, net, params, grad);
}

static const struct kl_sequence_gpu on_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read, gpu_finish };

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    return kl_sequence_steps_open(
        net,
        &(struct kl_sequence_branches){ .weight = { "w1", "w2", "w3" },
                                        .matrix = { "branch1_ff", "branch2_ff", "branch3_ff" } },
        err);
}

const struct kl_sequence_model kl_sequence_hydra_hybrid = {
    .name = "hydra-hybrid",
    .what = "Quantum Hydra Hybrid: measured branches at each timestep, softmax weights over time",
    .quantum = true,
    .open = open_net,
    .close = kl_sequence_steps_close,
    .init = kl_sequence_steps_init,
    KL_SEQUENCE_PASSES(hydra_hybrid),
    .gpu = &on_gpu,
};
#endif
