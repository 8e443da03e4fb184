/* SPDX-License-Identifier: MIT
   Quantum Hydra: at each timestep the superposition alpha psi1 + beta psi2 + gamma psi3 of a circuit's
   state, its mirror image and a state of parameters alone, measured and mapped; the modulus of complex
   weighted sums over time; a linear read-out. One circuit a timestep: psi1 and psi2 are permutations of
   its state. W_o is applied behind the sum. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/gemm.h"
#include "kernels/ring.h"
#include "kernels/inline/real.h"
#include "sequence/model/steps_int.h"

enum { S = KL_RING_STEPS };
typedef double complex number;

/* Parameters behind the circuits in double, their gradients over a batch, and what a window needs. */
struct hydra {
    struct kl_sequence_circuits c;
    struct kl_ring_mix mix;
    size_t out, classes, maps, steps; /* maps: of W_o: 3 n, of a bare layer the classes */
    double *wo, *bo, *wc, *bc, *qd, *dwo, *dbo, *dwc, *dbc;
    number *tau, total, *sum, *map, *u, *du, *dm, *psi3, *bra, *below;
    double *modulus, norm;
    enum kl_sequence_basis basis;       /* of psi3 and of what its gradient is made of */
    kl_real *d, *field, *by_m, *by_tau; /* by_m (2, out), by_tau (2, stride) */
    number by_total;
};

static size_t take(struct hydra *h, void *work, const struct kl_sequence_net *net, bool backward)
{
    struct kl_sequence_pieces p = { work, 0 };
    const struct kl_sequence_steps *s = net->own;
    const size_t out = s->outputs, k = (size_t)net->shape.classes, maps = net->options.bare ? k : out,
                 size = (size_t)1 << s->ring.n_qubits, real = sizeof(double), complex_ = sizeof(number);
    h->out = out, h->classes = k, h->maps = maps, h->steps = s->lengths;
    kl_sequence_circuits_take(&h->c, &p, net, net->options.bare ? 0 : 2, true, backward);
    h->wo = kl_sequence_piece(&p, maps * out, real), h->bo = kl_sequence_piece(&p, maps, real);
    h->wc = kl_sequence_piece(&p, k * out, real), h->bc = kl_sequence_piece(&p, k, real);
    h->dwo = kl_sequence_piece(&p, maps * out, real), h->dbo = kl_sequence_piece(&p, maps, real);
    h->dwc = kl_sequence_piece(&p, k * out, real), h->dbc = kl_sequence_piece(&p, k, real);
    h->qd = kl_sequence_piece(&p, 2 * out, real), h->modulus = kl_sequence_piece(&p, out, real);
    h->tau = kl_sequence_piece(&p, s->lengths, complex_), h->sum = kl_sequence_piece(&p, out, complex_);
    h->u = kl_sequence_piece(&p, out, complex_), h->du = kl_sequence_piece(&p, out, complex_);
    h->dm = kl_sequence_piece(&p, out, complex_), h->psi3 = kl_sequence_piece(&p, size, complex_);
    h->bra = kl_sequence_piece(&p, size, complex_), h->below = kl_sequence_piece(&p, size, complex_);
    h->d = kl_sequence_piece(&p, k, sizeof(kl_real));
    h->field = kl_sequence_piece(&p, 2 * size, sizeof(kl_real));
    h->by_m = kl_sequence_piece(&p, 2 * out, sizeof(kl_real));
    h->by_tau = kl_sequence_piece(&p, 2 * h->c.stride, sizeof(kl_real));
    return p.used;
}

static number complex_of(const kl_real *block, const struct kl_sequence_net *net, int tensor)
{
    const kl_real *z = block + net->block.tensors[tensor].offset;
    return (double)z[0] + I * (double)z[1];
}

static void put_complex(kl_real *block, const struct kl_sequence_net *net, int tensor, number z)
{
    kl_real *to = block + net->block.tensors[tensor].offset;
    to[0] = (kl_real)creal(z), to[1] = (kl_real)cimag(z);
}

/* The frame of a circuit's state: row (P, j) of psi1's expectation values is its wire (j + 1) mod n. */
static size_t framed(const struct hydra *h, size_t f)
{
    const size_t n = h->out / 3;
    return f / n * n + (f % n + 1) % n;
}

static void begin(struct hydra *h, const struct kl_sequence_net *net, const kl_real *params)
{
    const struct kl_sequence_steps *s = net->own;
    const number alpha = complex_of(params, net, s->branch[0]),
                 beta = complex_of(params, net, s->branch[1]),
                 gamma = complex_of(params, net, s->branch[2]);
    h->mix = (struct kl_ring_mix){ { (kl_real)creal(alpha), (kl_real)cimag(alpha) },
                                   { (kl_real)creal(beta), (kl_real)cimag(beta) },
                                   h->c.third,
                                   s->pairs,
                                   s->n_pairs };
    kl_sequence_widen(h->qd, params, net, s->qd);
    kl_sequence_qd_state(h->psi3, h->qd, s->ring.n_qubits, 1, h->basis);
    for (size_t k = 0; k < (size_t)1 << s->ring.n_qubits; k++) {
        const number z = gamma * h->psi3[k];
        h->c.third[2 * k] = (kl_real)creal(z), h->c.third[2 * k + 1] = (kl_real)cimag(z);
    }
    h->c.mix = &h->mix;
    kl_sequence_circuits_begin(&h->c, net, params);
    kl_sequence_widen(h->wo, params, net, s->wo), kl_sequence_widen(h->bo, params, net, s->bo);
    memset(h->dwo, 0, h->maps * h->out * sizeof(double)), memset(h->dbo, 0, h->maps * sizeof(double));
    if (s->wc < 0) return;
    kl_sequence_widen(h->wc, params, net, s->wc), kl_sequence_widen(h->bc, params, net, s->bc);
    memset(h->dwc, 0, h->classes * h->out * sizeof(double)),
        memset(h->dbc, 0, h->classes * sizeof(double));
    memset(h->by_tau, 0, 2 * h->c.stride * sizeof *h->by_tau);
    memset(h->c.weights, 0, 2 * h->c.stride * sizeof *h->c.weights);
    h->norm = 0, h->total = 0, h->by_total = 0;
    const kl_real *tau = params + net->block.tensors[s->tau].offset;
    for (size_t t = 0; t < h->steps; t++) {
        h->tau[t] = (double)tau[2 * t] + I * (double)tau[2 * t + 1];
        h->norm += cabs(h->tau[t]);
    }
    for (size_t t = 0; t < h->steps; t++) {
        const number w = h->norm > 0 ? h->tau[t] / h->norm : 0;
        h->total += w;
        h->c.weights[t] = (kl_real)creal(w), h->c.weights[h->c.stride + t] = (kl_real)cimag(w);
    }
}

/* ---- a window ---- */

static void logits_of(struct hydra *h, kl_real *logits)
{
    const size_t out = h->out;
    for (size_t f = 0; f < out; f++) {
        const size_t at = framed(h, f);
        h->sum[f] =
            (double)kl_ring_sum(h->c.sum + at * S) + I * (double)kl_ring_sum(h->c.sum + (out + at) * S);
    }
    for (size_t f = 0; f < out; f++) {
        double re = h->bo[f] * creal(h->total), im = h->bo[f] * cimag(h->total);
        for (size_t j = 0; j < out; j++)
            re += h->wo[f * out + j] * creal(h->sum[j]), im += h->wo[f * out + j] * cimag(h->sum[j]);
        h->u[f] = re + I * im, h->modulus[f] = hypot(re, im);
    }
    for (size_t k = 0; k < h->classes; k++) {
        double sum = h->bc[k];
        for (size_t f = 0; f < out; f++) sum += h->wc[k * out + f] * h->modulus[f];
        logits[k] = (kl_real)sum;
    }
}

/* Gradients by the read-out; by_m: by the weighted sums of m, in the circuit's frame. */
static void logits_back(struct hydra *h)
{
    const size_t out = h->out;
    memset(h->dm, 0, out * sizeof *h->dm);
    for (size_t f = 0; f < out; f++) {
        double by = 0;
        for (size_t k = 0; k < h->classes; k++) {
            by += (double)h->d[k] * h->wc[k * out + f];
            h->dwc[k * out + f] += (double)h->d[k] * h->modulus[f];
        }
        const double re = h->modulus[f] > 0 ? by * creal(h->u[f]) / h->modulus[f] : 0,
                     im = h->modulus[f] > 0 ? by * cimag(h->u[f]) / h->modulus[f] : 0;
        h->dbo[f] += re * creal(h->total) + im * cimag(h->total);
        h->by_total += h->bo[f] * (re + I * im);
        for (size_t j = 0; j < out; j++) {
            h->dwo[f * out + j] += re * creal(h->sum[j]) + im * cimag(h->sum[j]);
            h->dm[j] += h->wo[f * out + j] * re + I * (h->wo[f * out + j] * im);
        }
    }
    for (size_t k = 0; k < h->classes; k++) h->dbc[k] += (double)h->d[k];
    for (size_t f = 0; f < out; f++) {
        h->by_m[framed(h, f)] = (kl_real)creal(h->dm[f]);
        h->by_m[out + framed(h, f)] = (kl_real)cimag(h->dm[f]);
    }
}

static void window(struct hydra *h, struct kl_sequence_result *result, const struct kl_sequence_net *net,
                   const struct kl_sequence_batch *batch, size_t i)
{
    struct kl_sequence_circuits *c = &h->c;
    const kl_real *x = kl_sequence_circuits_input(c, net, batch, i, NULL);
    kl_sequence_circuits_forward(c, x);
    logits_of(h, result->logits + i * h->classes);
    kl_sequence_loss(result->grad || result->by_x ? h->d : NULL, result, batch, i, net->shape.classes);
    if (!result->grad && !result->by_x) return;
    logits_back(h);
    kl_kernel_gemm(h->by_tau, c->stride, h->by_m, h->out, 1, c->m, c->stride, 2, c->stride, h->out, 1);
    if (!c->backward) return;
    kl_kernel_gemm(c->dm, c->stride, h->by_m, 1, h->out, c->weights, c->stride, h->out, c->stride, 2, 0);
    kl_real *by_x = result->by_x ? result->by_x + i * c->steps->inputs * c->stride : NULL;
    kl_sequence_circuits_back(c, x, by_x);
    if (by_x) kl_sequence_circuits_input(c, net, batch, i, by_x);
}

/* ---- the bare layer ---- */

static void bare_windows(struct hydra *h, struct kl_sequence_result *result,
                         const struct kl_sequence_net *net, const struct kl_sequence_batch *batch,
                         size_t first)
{
    struct kl_sequence_circuits *c = &h->c;
    const size_t count = batch->n - first < S ? batch->n - first : S, out = h->out;
    const bool back = result->grad || result->by_x;
    const kl_real *x = kl_sequence_circuits_gather(c, net, batch, first, count);
    kl_sequence_circuits_forward(c, x);
    if (c->backward) memset(c->dm, 0, out * S * sizeof *c->dm);
    for (size_t l = 0; l < count; l++) {
        kl_real *logits = result->logits + (first + l) * h->classes;
        for (size_t k = 0; k < h->classes; k++) {
            double sum = h->bo[k];
            for (size_t f = 0; f < out; f++)
                sum += h->wo[k * out + f] * (double)c->m[framed(h, f) * S + l];
            logits[k] = (kl_real)sum;
        }
        kl_sequence_loss(back ? h->d : NULL, result, batch, first + l, net->shape.classes);
        for (size_t k = 0; back && k < h->classes; k++) {
            const double d = (double)h->d[k];
            h->dbo[k] += d;
            for (size_t f = 0; f < out; f++)
                h->dwo[k * out + f] += d * (double)c->m[framed(h, f) * S + l];
        }
        for (size_t f = 0; c->backward && f < out; f++) {
            double sum = 0;
            for (size_t k = 0; k < h->classes; k++) sum += (double)h->d[k] * h->wo[k * out + f];
            c->dm[framed(h, f) * S + l] = (kl_real)sum;
        }
    }
    if (!c->backward) return;
    kl_sequence_circuits_back(c, x, result->by_x ? c->columns : NULL);
    if (result->by_x) kl_sequence_circuits_scatter(c, net, batch, first, count, result->by_x);
}

/* ---- gradients over the batch ---- */

static void circuit_gradients(struct hydra *h, const struct kl_sequence_net *net, const kl_real *params,
                              kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    const number gamma = complex_of(params, net, s->branch[2]);
    number by_gamma = 0;
    kl_sequence_circuits_end(&h->c, net, params, grad);
    for (int i = 0; i < 2; i++)
        put_complex(grad, net, s->branch[i],
                    (double)kl_ring_sum(h->c.sums + 2 * i * S) +
                        I * (double)kl_ring_sum(h->c.sums + (2 * i + 1) * S));
    for (size_t k = 0; k < (size_t)1 << s->ring.n_qubits; k++) {
        const number by = (double)h->field[2 * k] + I * (double)h->field[2 * k + 1];
        by_gamma += conj(h->psi3[k]) * by;
        h->bra[k] = conj(gamma) * by;
    }
    put_complex(grad, net, s->branch[2], by_gamma);
    kl_sequence_qd_state_back(h->qd + h->out, h->bra, h->below, h->qd, s->ring.n_qubits, 1, h->basis);
    kl_sequence_narrow(grad, h->qd + h->out, net, s->qd);
}

/* w_t = tau_t / sum |tau|. */
static void tau_gradient(struct hydra *h, const struct kl_sequence_net *net, kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    kl_real *to = grad + net->block.tensors[s->tau].offset;
    double dot = 0;
    for (size_t t = 0; t < h->steps; t++) {
        const number by = (double)h->by_tau[t] + I * (double)h->by_tau[h->c.stride + t] + h->by_total;
        dot += creal(conj(by) * h->tau[t]);
    }
    for (size_t t = 0; t < h->steps; t++) {
        const number by = (double)h->by_tau[t] + I * (double)h->by_tau[h->c.stride + t] + h->by_total;
        const double size = cabs(h->tau[t]);
        const number g =
            h->norm > 0 ? by / h->norm - (size > 0 ? h->tau[t] / size : 0) * dot / (h->norm * h->norm)
                        : 0;
        to[2 * t] = (kl_real)creal(g), to[2 * t + 1] = (kl_real)cimag(g);
    }
}

static void gradients(struct hydra *h, const struct kl_sequence_net *net, const kl_real *params,
                      kl_real *grad)
{
    const struct kl_sequence_steps *s = net->own;
    for (int i = 0; i < net->block.n; i++)
        memset(grad + net->block.tensors[i].offset, 0, net->block.tensors[i].size * sizeof *grad);
    if (!net->options.frozen) circuit_gradients(h, net, params, grad);
    kl_sequence_narrow(grad, h->dwo, net, s->wo), kl_sequence_narrow(grad, h->dbo, net, s->bo);
    if (s->wc < 0) return;
    kl_sequence_narrow(grad, h->dwc, net, s->wc), kl_sequence_narrow(grad, h->dbc, net, s->bc);
    tau_gradient(h, net, grad);
}

size_t kl_sequence_hydra_work(const struct kl_sequence_net *net, size_t n)
{
    struct hydra h;
    (void)n;
    return take(&h, NULL, net, true);
}

void kl_sequence_hydra_run(struct kl_sequence_result *result, const struct kl_sequence_net *net,
                           const kl_real *params, const struct kl_sequence_batch *batch, void *work)
{
    struct hydra h = { .basis = KL_SEQUENCE_BASIS_Y };
    take(&h, work, net, result->by_x || (result->grad && !net->options.frozen));
    begin(&h, net, params);
    result->loss = 0, result->correct = 0;
    if (net->options.bare)
        for (size_t i = 0; i < batch->n; i += S) bare_windows(&h, result, net, batch, i);
    else
        for (size_t i = 0; i < batch->n; i++) window(&h, result, net, batch, i);
    if (!result->grad) return;
    if (h.c.backward) kl_kernel_ring->collect(h.field, h.c.field, &h.c.steps->ring);
    gradients(&h, net, params, result->grad);
}

#if !KL_F64
/* ---- on a GPU ---- */
/* At the head of its work; what it points to is behind it. */
enum { HEAD = (sizeof(struct hydra) + 63) / 64 * 64 };

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    return kl_sequence_steps_shape(shape, net, true, memory, err);
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    return HEAD + kl_sequence_hydra_work_f32(net, 0);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    struct hydra *h = work;
    take(h, (char *)work + HEAD, net, true);
    h->basis = KL_SEQUENCE_BASIS_Z;
    begin(h, net, params);
    memset(h->c.sum, 0, 2 * h->out * S * sizeof *h->c.sum);
    kl_sequence_circuits_give(given, &h->c);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct hydra *h = work;
    const size_t n = 2 * h->out;
    result->loss = 0, result->correct = 0;
    for (size_t i = 0; i < batch->n; i++) {
        for (size_t f = 0; f < n; f++) h->c.sum[f * S] = sum[i * n + f];
        logits_of(h, result->logits + i * h->classes);
        kl_sequence_loss(by_sum ? h->d : NULL, result, batch, i, net->shape.classes);
        if (!by_sum) continue;
        logits_back(h);
        memcpy(by_sum + i * n, h->by_m, n * sizeof *by_sum);
    }
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    struct hydra *h = work;
    const struct kl_cuda_windows_places p = kl_sequence_circuits_places(&h->c);
    kl_sequence_circuits_given(&h->c, h->by_tau, by_given);
    for (size_t i = 0; i < 4; i++) h->c.sums[i * S] = by_given[p.mix + i];
    memcpy(h->field, by_given + p.third, (p.gain - p.third) * sizeof *h->field);
    gradients(h, net, params, grad);
}

static const struct kl_sequence_gpu on_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read, gpu_finish };

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    return kl_sequence_steps_open(
        net, &(struct kl_sequence_branches){ .complex_ = true, .weight = { "alpha", "beta", "gamma" } },
        err);
}

const struct kl_sequence_model kl_sequence_hydra = {
    .name = "hydra",
    .what = "Quantum Hydra: superposed circuits at each timestep, complex weights over time",
    .quantum = true,
    .open = open_net,
    .close = kl_sequence_steps_close,
    .init = kl_sequence_steps_init,
    KL_SEQUENCE_PASSES(hydra),
    .gpu = &on_gpu,
};
#endif
