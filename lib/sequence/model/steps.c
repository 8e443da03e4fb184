/* SPDX-License-Identifier: MIT
   Nets whose circuits run once a timestep, and their branch that no input reaches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sequence/model/steps_int.h"

/* ---- steps ----
   Nets whose circuits run once a timestep: their tensors by the reference's names, first values, tables
   of the circuit. */

/* A tensor (rank 1: d1 is 0) of the layer (bare: without the prefix) or of the model (layer false); d0
   0: none. complex_: its last axis is (re, im), a number counts once. */
struct tensor {
    const char *name;
    bool layer, complex_;
    size_t d0, d1;
    double low, high;
};

/* Its number, or what the block says. */
static int add(struct kl_sequence_net *net, const struct tensor *t, struct kl_error *err)
{
    struct kl_sequence_steps *s = net->own;
    char name[64];
    const size_t dims[3] = { t->d0, t->d1 ? t->d1 : 2, 2 };
    snprintf(name, sizeof name, "%s%s", t->layer && !net->options.bare ? "quantum_hydra." : "", t->name);
    if (net->block.n == KL_SEQUENCE_TENSORS) return kl_fail(err, KL_EUSAGE, "too many tensors");
    s->low[net->block.n] = t->low, s->high[net->block.n] = t->high;
    net->n_parameters += t->d0 * (t->d1 ? t->d1 : 1);
    return kl_nn_block_add_tensor(&net->block, name, 1 + (t->d1 > 0) + t->complex_, dims, err);
}

/* Linear(in -> out), its weight and bias, by their common name. */
static int linear(int *weight, int *bias, struct kl_sequence_net *net, const char *name, bool layer,
                  size_t in, size_t out, struct kl_error *err)
{
    char text[48];
    const double bound = 1 / sqrt((double)in);
    snprintf(text, sizeof text, "%s.weight", name);
    *weight = add(net, &(struct tensor){ text, layer, false, out, in, -bound, bound }, err);
    if (*weight < 0) return *weight;
    snprintf(text, sizeof text, "%s.bias", name);
    *bias = add(net, &(struct tensor){ text, layer, false, out, 0, -bound, bound }, err);
    return *bias < 0 ? *bias : 0;
}

static int fill_tables(struct kl_sequence_steps *s, struct kl_error *err)
{
    const int n = s->ring.n_qubits;
    s->rows = calloc(s->n_rows, sizeof *s->rows);
    s->row_of = calloc(s->angles, sizeof *s->row_of);
    s->pairs = calloc((size_t)1 << n, sizeof *s->pairs);
    if (!s->rows || !s->row_of || !s->pairs) return kl_fail(err, KL_ENOMEM, "no memory for a circuit");
    kl_ring_fill_rows(s->rows, &s->ring);
    for (size_t i = 0; i < s->angles; i++) s->row_of[i] = (uint32_t)kl_ring_row_of(&s->ring, i);
    s->n_pairs = kl_ring_fill_pairs(s->pairs, n);
    return 0;
}

static int open_tables(struct kl_sequence_steps **steps, struct kl_sequence_net *net,
                       struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    const size_t n = (size_t)o->qubits;
    if (o->qubits < KL_RING_LEAST || o->qubits > KL_RING_MOST)
        return kl_fail(err, KL_EUSAGE, "%s of %d qubits; expected %d to %d: its rings need two wires",
                       net->model->name, o->qubits, KL_RING_LEAST, KL_RING_MOST);
    if (o->layers < 1 || o->layers > KL_RING_LAYERS)
        return kl_fail(err, KL_EUSAGE, "%s of %d layers; expected 1 to %d", net->model->name, o->layers,
                       KL_RING_LAYERS);
    struct kl_sequence_steps *s = *steps = net->own = calloc(1, sizeof *s);
    if (!s) return kl_fail(err, KL_ENOMEM, "no memory for a net");
    s->ring = (struct kl_ring){ o->qubits, o->layers };
    s->angles = kl_ring_angles(&s->ring), s->n_rows = kl_ring_rows(&s->ring), s->outputs = 3 * n;
    s->inputs = net->shape.channels * (o->bare ? net->shape.steps : 1);
    s->lengths = o->bare ? 1 : net->shape.steps;
    int *const first = &s->tau;
    for (int i = 0; i < 20; i++) first[i] = -1;
    return fill_tables(s, err);
}

int kl_sequence_steps_open(struct kl_sequence_net *net, const struct kl_sequence_branches *b,
                           struct kl_error *err)
{
    struct kl_sequence_steps *s = NULL;
    int code = open_tables(&s, net, err);
    if (code) return code;
    const size_t classes = (size_t)net->shape.classes, out = s->outputs;
    const bool bare = net->options.bare;
    const double share = b->complex_ ? 0 : 1 / (double)s->lengths;
#define ADD(to, ...) \
    if ((to = add(net, &(struct tensor){ __VA_ARGS__ }, err)) < 0) return to
#define LINEAR(w, b, ...) \
    if ((code = linear(&w, &b, net, __VA_ARGS__, err)) < 0) return code
    if (!bare) {
        ADD(s->tau, "temporal_weights", false, b->complex_, s->lengths, 0, share,
            b->complex_ ? 1 : share);
        LINEAR(s->wp, s->bp, "feature_projection", false, s->inputs, s->angles);
    }
    for (int i = 0; i < 3; i++)
        ADD(s->branch[i], b->weight[i], true, b->complex_, 1, 0, b->complex_ ? 0 : 1, 1);
    ADD(s->base, "qlcu_base_params", true, false, s->angles, 0, 0, 1);
    ADD(s->qd, "qd_params", true, false, out, 0, 0, 1);
    LINEAR(s->wf, s->bf, "feature_projection", true, bare ? s->inputs : s->angles, s->angles);
    for (int i = 0; i < 3 && b->matrix[i]; i++)
        LINEAR(s->matrix[i], s->offset[i], b->matrix[i], true, out, out);
    LINEAR(s->wo, s->bo, "output_ff", true, out, bare ? classes : out);
    if (!bare) LINEAR(s->wc, s->bc, "output_layer", false, out, classes);
    return 0;
}

void kl_sequence_steps_close(struct kl_sequence_net *net)
{
    struct kl_sequence_steps *s = net->own;
    if (!s) return;
    free(s->rows), free(s->row_of), free(s->pairs), free(s);
    net->own = NULL;
}

void kl_sequence_steps_init(const struct kl_sequence_net *net, float *params, uint64_t seed,
                            uint32_t replica)
{
    const struct kl_sequence_steps *s = net->own;
    for (int i = 0; i < net->block.n; i++)
        kl_sequence_start(params, &net->block.tensors[i], s->low[i], s->high[i], seed, i, replica);
}

/* ---- qd ----
   The branch that no input reaches: RX, RY and RZ on every wire of |0>. Expectation values in closed
   form, the state as a product, and their derivatives. */

void kl_sequence_qd_read(double *m, const double *p, int n)
{
    for (int i = 0; i < n; i++) {
        const double a = p[i], b = p[n + i], c = p[2 * n + i], x = sin(b) * cos(a), y = -sin(a);
        m[i] = x * cos(c) - y * sin(c), m[n + i] = x * sin(c) + y * cos(c);
        m[2 * n + i] = cos(b) * cos(a);
    }
}

void kl_sequence_qd_read_back(double *dp, const double *dm, const double *p, int n)
{
    for (int i = 0; i < n; i++) {
        const double a = p[i], b = p[n + i], c = p[2 * n + i], x = sin(b) * cos(a), y = -sin(a);
        const double dx = dm[i] * cos(c) + dm[n + i] * sin(c), dy = dm[n + i] * cos(c) - dm[i] * sin(c);
        dp[i] = -dx * sin(b) * sin(a) - dy * cos(a) - dm[2 * n + i] * cos(b) * sin(a);
        dp[n + i] = dx * cos(b) * cos(a) - dm[2 * n + i] * sin(b) * cos(a);
        dp[2 * n + i] = -dm[i] * (x * sin(c) + y * cos(c)) + dm[n + i] * (x * cos(c) - y * sin(c));
    }
}

/* One wire's column, for an angle of kind `kind` (0 RX, 1 RY, 2 RZ, 3 none) differentiated: the
   generator stands behind the rotation it belongs to. */
static void column(double complex u[2], const double *p, int n, int wire, int kind,
                   enum kl_sequence_basis basis)
{
    const double a = p[wire] / 2, b = p[n + wire] / 2, c = p[2 * n + wire] / 2;
    double complex x = cos(a), y = -I * sin(a), t;
    if (kind == 0) t = x, x = -0.5 * I * y, y = -0.5 * I * t;
    t = x, x = cos(b) * t - sin(b) * y, y = sin(b) * t + cos(b) * y;
    if (kind == 1) t = x, x = -0.5 * y, y = 0.5 * t;
    x *= cexp(-I * c), y *= cexp(I * c);
    if (kind == 2) x *= -0.5 * I, y *= 0.5 * I;
    const double r = sqrt(0.5);
    u[0] = x, u[1] = y;
    if (basis == KL_SEQUENCE_BASIS_Z) return;
    t = x, x = r * (t + y), y = r * (y - t);
    u[0] = r * (x - I * y), u[1] = r * (y - I * x);
}

void kl_sequence_qd_state(double complex *state, const double *p, int n, int shift,
                          enum kl_sequence_basis basis)
{
    state[0] = 1;
    for (int b = 0; b < n; b++) {
        double complex u[2];
        column(u, p, n, (2 * n - 1 - b - shift) % n, 3, basis);
        for (int k = 0; k < 1 << b; k++) state[k + (1 << b)] = state[k] * u[1], state[k] *= u[0];
    }
}

void kl_sequence_qd_state_back(double *dp, double complex *bra, double complex *below, const double *p,
                               int n, int shift, enum kl_sequence_basis basis)
{
    double complex u[KL_RING_MOST][2], d[2];
    below[1] = 1; /* the product of the bits below b from 2^b on */
    for (int b = 0; b < n; b++) {
        column(u[b], p, n, (2 * n - 1 - b - shift) % n, 3, basis);
        for (int k = 0; b < n - 1 && k < 1 << b; k++)
            for (int j = 0; j < 2; j++) below[(2 << b) + k + (j << b)] = below[(1 << b) + k] * u[b][j];
    }
    for (int b = n - 1; b >= 0; b--) {
        const int h = 1 << b, wire = (2 * n - 1 - b - shift) % n;
        double complex low = 0, high = 0;
        for (int k = 0; k < h; k++) {
            low += conj(bra[k]) * below[h + k], high += conj(bra[k + h]) * below[h + k];
            bra[k] = bra[k] * conj(u[b][0]) + bra[k + h] * conj(u[b][1]);
        }
        for (int kind = 0; kind < 3; kind++) {
            column(d, p, n, wire, kind, basis);
            dp[kind * n + wire] = creal(low * d[0] + high * d[1]);
        }
    }
}
