/* SPDX-License-Identifier: MIT
   Quantum Mamba Hybrid and its Lite form: tensors, first values, GATE_B and the read-out. */
#include <math.h>
#include <string.h>

#include "sequence/model/mamba_int.h"

/* ---- gate b ----
   GATE_B of Quantum Mamba Hybrid on |0>: a layer is RX on all wires, RZ on each wire but the first
   controlled by the one before, RY on all wires, RZ on the first one controlled by the last. No input
   reaches it: it runs once a batch. */

enum kind { RX, RY, CRZ };
struct gate {
    enum kind kind;
    int target, control; /* bits of an amplitude's number */
    double c, s;         /* of half of the angle */
};

/* Gate i of all. turns: cosines, then sines. */
static struct gate gate_of(const double *turns, int n, int layers, int i)
{
    const double c = turns[i], s = turns[3 * n * layers + i];
    i %= 3 * n;
    if (i < n) return (struct gate){ RX, 1 << (n - 1 - i), 0, c, s };
    if (i < 2 * n - 1) return (struct gate){ CRZ, 1 << (2 * n - 2 - i), 1 << (2 * n - 1 - i), c, s };
    if (i < 3 * n - 1) return (struct gate){ RY, 1 << (3 * n - 2 - i), 0, c, s };
    return (struct gate){ CRZ, 1 << (n - 1), 1, c, s };
}

/* re, im (size); sign -1: undone. */
static void apply(double *re, double *im, int size, struct gate g, double sign)
{
    const double c = g.c, s = sign * g.s;
    const int h = g.target;
    for (int high = 0; high < size; high += 2 * h) {
        double *a = re + high, *b = a + h, *u = im + high, *w = u + h;
        if (g.kind == CRZ) {
            for (int k = 0; k < h; k++) {
                if (!((high + k) & g.control)) continue;
                const double x = a[k], y = b[k];
                a[k] = c * x + s * u[k], u[k] = c * u[k] - s * x;
                b[k] = c * y - s * w[k], w[k] = c * w[k] + s * y;
            }
            continue;
        }
        for (int k = 0; g.kind == RX && k < h; k++) {
            const double x = a[k], y = b[k], v = u[k], z = w[k];
            a[k] = c * x + s * z, w[k] = c * z - s * x, b[k] = c * y + s * v, u[k] = c * v - s * y;
        }
        for (int k = 0; g.kind == RY && k < h; k++) {
            const double x = a[k], y = b[k], v = u[k], z = w[k];
            a[k] = c * x - s * y, b[k] = s * x + c * y, u[k] = c * v - s * z, w[k] = s * v + c * z;
        }
    }
}

/* Im <bra| G |state> / 2. p: of the bra. */
static double derivative(const double *re, const double *im, const double *p, const double *q, int size,
                         struct gate g)
{
    const int h = g.target;
    double sum = 0;
    for (int high = 0; high < size; high += 2 * h)
        for (int k = high; k < high + h; k++) {
            const int o = k + h;
            if (g.kind == RX) sum += (p[k] * im[o] - q[k] * re[o]) + (p[o] * im[k] - q[o] * re[k]);
            else if (g.kind == RY) sum += (p[o] * re[k] + q[o] * im[k]) - (p[k] * re[o] + q[k] * im[o]);
            else if (k & g.control) sum += (p[k] * im[k] - q[k] * re[k]) - (p[o] * im[o] - q[o] * re[o]);
        }
    return sum / 2;
}

void kl_sequence_gate_b(double *m, double *work, const double *g, int n, int layers)
{
    const int size = 1 << n, gates = 3 * n * layers;
    double *re = work, *im = work + size, *turns = work + 4 * (size_t)size;
    memset(re, 0, 2 * (size_t)size * sizeof *re);
    re[0] = 1;
    for (int i = 0; i < gates; i++) {
        turns[i] = cos(g[i] / 2), turns[gates + i] = sin(g[i] / 2);
        apply(re, im, size, gate_of(turns, n, layers, i), 1);
    }
    for (int q = 0; q < n; q++) {
        const int h = 1 << (n - 1 - q);
        double x = 0, y = 0, z = 0;
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                x += re[k] * re[k + h] + im[k] * im[k + h], y += re[k] * im[k + h] - im[k] * re[k + h];
                z += (re[k] * re[k] + im[k] * im[k]) - (re[k + h] * re[k + h] + im[k + h] * im[k + h]);
            }
        m[q] = 2 * x, m[n + q] = 2 * y, m[2 * n + q] = z;
    }
}

void kl_sequence_gate_b_back(double *dg, const double *dm, double *work, int n, int layers)
{
    const int size = 1 << n, gates = 3 * n * layers;
    double *re = work, *im = re + size, *p = im + size, *q = p + size, *turns = q + size;
    memset(p, 0, 2 * (size_t)size * sizeof *p);
    for (int wire = 0; wire < n; wire++) {
        const int h = 1 << (n - 1 - wire);
        const double x = 2 * dm[wire], y = 2 * dm[n + wire], z = 2 * dm[2 * n + wire];
        for (int high = 0; high < size; high += 2 * h)
            for (int k = high; k < high + h; k++) {
                const int o = k + h;
                p[k] += x * re[o] + y * im[o] + z * re[k], q[k] += x * im[o] - y * re[o] + z * im[k];
                p[o] += x * re[k] - y * im[k] - z * re[o], q[o] += x * im[k] + y * re[k] - z * im[o];
            }
    }
    memset(dg + gates, 0, (size_t)(n * layers) * sizeof *dg); /* never used */
    for (int i = gates - 1; i >= 0; i--) {
        const struct gate gate = gate_of(turns, n, layers, i);
        dg[i] = derivative(re, im, p, q, size, gate);
        apply(re, im, size, gate, -1), apply(p, q, size, gate, -1);
    }
}

/* ---- hybrid head ----
   Read-out of Quantum Mamba Hybrid: y = sum of v_k (A_k m_k + a_k), v_k = |w_k| / sum of |w|, o = W_o y
   + b_o, logits = W_c o + b_c. All of it is linear: logits = joined m_1 + shift, and every gradient
   follows from two sums over the batch, E of d m_1^T and e of d, d being the gradient by the logits. In
   double. */

size_t kl_sequence_hybrid_head_lay_out(struct hybrid_head *h, const struct hybrid *a, double *at)
{
    size_t used = 0;
    const size_t F = a->features, K = a->classes, O = a->outputs;
    h->features = F, h->classes = K, h->outputs = O, h->bare = a->bare;
#define TAKE(p, count) (h->p = at ? at + used : NULL, used += ((count) + 7) / 8 * 8)
    for (int i = 0; i < 3; i++) {
        TAKE(A[i], F * F), TAKE(a[i], F), TAKE(m[i], F), TAKE(y[i], F), TAKE(dm[i], F);
    }
    TAKE(Wo, O * F), TAKE(bo, O), TAKE(Wc, K * O), TAKE(bc, K);
    TAKE(P, K * F), TAKE(PA, K * F), TAKE(joined, K * F), TAKE(shift, K), TAKE(constant, F);
    TAKE(E, K * F), TAKE(e, K), TAKE(H, K * F), TAKE(s, F);
#undef TAKE
    return used;
}

/* c (m, n) = or += a (m, k) b (k, n) */
static void product(double *c, const double *a, const double *b, size_t m, size_t n, size_t k)
{
    memset(c, 0, m * n * sizeof *c);
    for (size_t i = 0; i < m; i++)
        for (size_t p = 0; p < k; p++)
            for (size_t j = 0; j < n; j++) c[i * n + j] += a[i * k + p] * b[p * n + j];
}
static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void kl_sequence_hybrid_head_begin(struct hybrid_head *h)
{
    const size_t F = h->features, K = h->classes, O = h->outputs;
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += fabs(h->w[i]);
    for (int i = 0; i < 3; i++) h->share[i] = sum > 0 ? fabs(h->w[i]) / sum : 0;
    if (h->bare) memcpy(h->P, h->Wo, K * F * sizeof *h->P);
    else product(h->P, h->Wc, h->Wo, K, F, O);
    product(h->PA, h->P, h->A[0], K, F, F);
    for (size_t i = 0; i < K * F; i++) h->joined[i] = h->share[0] * h->PA[i];
    for (int i = 1; i < 3; i++)
        for (size_t f = 0; f < F; f++) h->y[i][f] = h->a[i][f] + dot(h->A[i] + f * F, h->m[i], F);
    for (size_t f = 0; f < F; f++)
        h->constant[f] = h->share[0] * h->a[0][f] + h->share[1] * h->y[1][f] + h->share[2] * h->y[2][f];
    for (size_t k = 0; k < K; k++) {
        h->shift[k] = dot(h->P + k * F, h->constant, F);
        h->shift[k] += h->bare ? h->bo[k] : dot(h->Wc + k * O, h->bo, O) + h->bc[k];
    }
    memset(h->E, 0, K * F * sizeof *h->E), memset(h->e, 0, K * sizeof *h->e);
}

/* dW_c, db_c, dW_o, db_o from H, the sum of d y^T. */
static void maps(const struct hybrid_head *h, struct hybrid_head_gradients *g)
{
    const size_t F = h->features, K = h->classes, O = h->outputs;
    if (h->bare) {
        memcpy(g->dWo, h->H, K * F * sizeof *h->H), memcpy(g->dbo, h->e, K * sizeof *h->e);
        return;
    }
    memcpy(g->dbc, h->e, K * sizeof *h->e);
    memset(g->dWo, 0, O * F * sizeof *g->dWo), memset(g->dbo, 0, O * sizeof *g->dbo);
    for (size_t k = 0; k < K; k++)
        for (size_t o = 0; o < O; o++) {
            const double w = h->Wc[k * O + o];
            g->dWc[k * O + o] = dot(h->H + k * F, h->Wo + o * F, F) + h->e[k] * h->bo[o];
            g->dbo[o] += w * h->e[k];
            for (size_t f = 0; f < F; f++) g->dWo[o * F + f] += w * h->H[k * F + f];
        }
}

void kl_sequence_hybrid_head_end(struct hybrid_head *h, struct hybrid_head_gradients *g)
{
    const size_t F = h->features, K = h->classes;
    double by_share[3] = { 0 }, along = 0, sum = 0;
    for (size_t k = 0; k < K; k++)
        for (size_t f = 0; f < F; f++) {
            const double through = dot(h->E + k * F, h->A[0] + f * F, F);
            by_share[0] += h->P[k * F + f] * through;
            h->H[k * F + f] = h->share[0] * through + h->e[k] * h->constant[f];
        }
    maps(h, g);
    memset(h->s, 0, F * sizeof *h->s), memset(g->dA[0], 0, F * F * sizeof *g->dA[0]);
    for (size_t k = 0; k < K; k++)
        for (size_t f = 0; f < F; f++) {
            h->s[f] += h->P[k * F + f] * h->e[k];
            for (size_t j = 0; j < F; j++)
                g->dA[0][f * F + j] += h->share[0] * h->P[k * F + f] * h->E[k * F + j];
        }
    by_share[0] += dot(h->s, h->a[0], F);
    for (int i = 1; i < 3; i++) {
        by_share[i] = dot(h->s, h->y[i], F);
        memset(h->dm[i], 0, F * sizeof *h->dm[i]);
        for (size_t f = 0; f < F; f++)
            for (size_t j = 0; j < F; j++) {
                g->dA[i][f * F + j] = h->share[i] * h->s[f] * h->m[i][j];
                h->dm[i][j] += h->share[i] * h->s[f] * h->A[i][f * F + j];
            }
    }
    for (int i = 0; i < 3; i++) {
        for (size_t f = 0; f < F; f++) g->da[i][f] = h->share[i] * h->s[f];
        sum += fabs(h->w[i]), along += h->share[i] * by_share[i];
    }
    for (int i = 0; i < 3; i++) {
        const double sign = h->w[i] > 0 ? 1 : h->w[i] < 0 ? -1 : 0;
        g->dw[i] = sum > 0 ? sign * (by_share[i] - along) / sum : 0;
    }
}

/* ---- mamba hybrid ----
   Quantum Mamba Hybrid and its Lite form: tensors, first values. Hybrid: 64 filters over all channels
   and 3 steps, silu, mean over time, a linear map, then the layer once a window: angles 2 pi sigma(W u +
   b) + theta_0 of SSM_B; its expectation values, those of GATE_B and of QD, each through a matrix,
   weighed; two linear maps. Lite: the layer at every time step, softmax weights of time. (Reference:
   QuantumMambaHybridTS, QuantumMambaHybridLite.) */

static int add_layer(struct kl_sequence_net *net, const struct hybrid *a, const char *prefix,
                     struct kl_error *err)
{
    static const char *const names[KL_HYBRID_LAYER] = { "w1",
                                                        "w2",
                                                        "w3",
                                                        "qlcu_base_params",
                                                        "gate_base_params",
                                                        "skip_params",
                                                        "b_params",
                                                        "c_params",
                                                        "dt_params",
                                                        "feature_projection.weight",
                                                        "feature_projection.bias",
                                                        "branch1_ff.weight",
                                                        "branch1_ff.bias",
                                                        "branch2_ff.weight",
                                                        "branch2_ff.bias",
                                                        "branch3_ff.weight",
                                                        "branch3_ff.bias",
                                                        "output_ff.weight",
                                                        "output_ff.bias" };
    const size_t n = (size_t)a->n, F = a->features, gate = 4 * n * (size_t)a->gate_layers,
                 inputs = a->bare ? a->inputs : a->angles;
    const size_t sizes[KL_HYBRID_LAYER][2] = {
        { 1, 0 },         { 1, 0 }, { 1, 0 },          { a->angles, 0 }, { gate, 0 },
        { F, 0 },         { n, 0 }, { n, 0 },          { n, 0 },         { a->angles, inputs },
        { a->angles, 0 }, { F, F }, { F, 0 },          { F, F },         { F, 0 },
        { F, F },         { F, 0 }, { a->outputs, F }, { a->outputs, 0 }
    };
    int code = 0;
    for (int i = 0; i < KL_HYBRID_LAYER && !code; i++)
        code = kl_sequence_add(net, prefix, names[i], sizes[i][0], sizes[i][1], 0, err);
    return code;
}

static int open_net(struct kl_sequence_net *net, struct kl_error *err)
{
    int code = kl_sequence_check_circuit(net, false, err);
    if (code) return code;
    const struct hybrid a = kl_sequence_hybrid_sizes(net, sizeof(float));
    if (a.lite && a.bare)
        return kl_fail(err, KL_EUSAGE,
                       "mamba-hybrid-lite: no bare layer of its own; mamba-hybrid has the same one");
    if (net->options.logit_dropout)
        return kl_fail(err, KL_EUSAGE, "%s: no dropout of logits; expected mamba for it",
                       net->model->name);
    if (a.lite) code = kl_sequence_add(net, "", "temporal_weights", net->shape.steps, 0, 0, err);
    if (!a.lite && !a.bare) {
        code = kl_sequence_add(net, "", "temporal_conv.weight", KL_HYBRID_FILTERS, net->shape.channels,
                               3, err);
        if (!code) code = kl_sequence_add(net, "", "temporal_conv.bias", KL_HYBRID_FILTERS, 0, 0, err);
    }
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "feature_projection.weight", a.angles, a.inputs, 0, err);
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "feature_projection.bias", a.angles, 0, 0, err);
    if (!code) code = add_layer(net, &a, a.bare ? "" : "quantum_mamba.", err);
    if (!a.bare && !code)
        code = kl_sequence_add(net, "", "output_layer.weight", a.classes, a.outputs, 0, err);
    if (!a.bare && !code) code = kl_sequence_add(net, "", "output_layer.bias", a.classes, 0, 0, err);
    return code;
}

static void init(const struct kl_sequence_net *net, float *params, uint64_t seed, uint32_t replica)
{
    const struct hybrid a = kl_sequence_hybrid_sizes(net, sizeof(float));
    const struct kl_tensor *t = net->block.tensors, *time = t + KL_LITE_TIME;
    const int layer = a.before;
    for (size_t i = 0; a.lite && i < time->size; i++)
        params[time->offset + i] = 1 / (float)net->shape.steps;
    if (!a.lite && !a.bare) kl_sequence_start_linear(net, params, KL_MAMBA_CONV, seed, replica);
    if (!a.bare) {
        kl_sequence_start_linear(net, params, layer - 2, seed, replica);
        kl_sequence_start_linear(net, params, layer + KL_HYBRID_LAYER, seed, replica);
    }
    for (int i = 0; i < 3; i++) params[t[layer + KL_HYBRID_W + i].offset] = 1;
    for (int i = layer + KL_HYBRID_BASE; i <= layer + KL_HYBRID_D; i++)
        kl_sequence_start(params, t + i, 0, 6.283185307179586, seed, i, replica);
    for (int i = layer + KL_HYBRID_INPUT; i < layer + KL_HYBRID_LAYER; i += 2)
        kl_sequence_start_linear(net, params, i, seed, replica);
}

const struct kl_sequence_model kl_sequence_mamba_hybrid = {
    .name = "mamba-hybrid",
    .what = "Quantum Mamba Hybrid: a circuit whose angles a window's filtered averages give",
    .quantum = true,
    .open = open_net,
    .init = init,
    KL_SEQUENCE_PASSES(hybrid),
    .gpu = &kl_sequence_hybrid_gpu,
};
const struct kl_sequence_model kl_sequence_mamba_hybrid_lite = {
    .name = "mamba-hybrid-lite",
    .what = "Quantum Mamba Hybrid's layer at every time step, then softmax weights of time",
    .quantum = true,
    .open = open_net,
    .init = init,
    KL_SEQUENCE_PASSES(hybrid),
    .gpu = &kl_sequence_hybrid_gpu,
};
