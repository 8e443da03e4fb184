/* SPDX-License-Identifier: MIT
   What a circuit is: counts, how much of the state space its weights reach, frequencies of its outputs
   in them, derivatives by differences. */
#include "circuit/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit_int.h"
#include "kernels/inline/philox.h"

enum { BINS = 75, BATCH = 256 };

void kl_circuit_count(struct kl_circuit_counts *counts, const struct kl_circuit *c)
{
    int depth[KL_MAX_QUBITS] = { 0 };
    *counts = (struct kl_circuit_counts){ 0 };
    for (size_t i = 0, end; i < c->n_ops; i = end) {
        end = kl_circuit_gate_end(c->ops, c->n_ops, i);
        const uint32_t wires = kl_circuit_gate_wires(c->ops, i, end);
        int before = 0;
        for (uint32_t left = wires; left; left &= left - 1)
            if (depth[__builtin_ctz(left)] > before) before = depth[__builtin_ctz(left)];
        for (uint32_t left = wires; left; left &= left - 1) depth[__builtin_ctz(left)] = before + 1;
        if (before >= counts->depth) counts->depth = before + 1;
        counts->gates++;
        counts->wide_gates += __builtin_popcount(wires) > 1;
    }
}

/* The gates of c on weights from `first` on, its inputs 0; backwards: its inverse. */
static int append_gates(struct kl_circuit *to, const struct kl_circuit *c, int first, bool backwards,
                        struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < c->n_ops && !code; i++) {
        struct kl_op op = c->ops[backwards ? c->n_ops - 1 - i : i];
        op.whole = KL_ITSELF, op.next = KL_OTHER_GATE; /* without noise that makes no difference */
        const int n = kl_circuit_op_angles(&op);
        for (int k = 0; k < n; k++) {
            if (op.angle[k].source == KL_INPUT)
                op.angle[k] = (struct kl_angle){ KL_CONSTANT, 0, -1, 0, 0 };
            if (op.angle[k].source == KL_WEIGHT) op.angle[k].index += first;
            if (backwards) op.angle[k].scale = -op.angle[k].scale;
        }
        if (backwards && op.gate == KL_ROT) {
            struct kl_angle kept = op.angle[0];
            op.angle[0] = op.angle[2];
            op.angle[2] = kept;
        }
        code = kl_circuit_append(to, &op, err);
    }
    return code;
}

/* Weights uniform in [0, 2 pi), as the inputs of a circuit whose weights are inputs. */
static void draw(double *x, size_t n, uint64_t seed, uint32_t batch)
{
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_EXPRESSIBILITY, batch, 0);
        x[i] = 6.283185307179586 * kl_philox_unit(words[i % 4]);
    }
}

/* All weights become inputs, so that a batch has its own ones in every sample. */
static void weights_to_inputs(struct kl_circuit *c)
{
    for (size_t i = 0; i < c->n_ops; i++)
        for (int k = 0; k < kl_circuit_op_angles(&c->ops[i]); k++)
            if (c->ops[i].angle[k].source == KL_WEIGHT) c->ops[i].angle[k].source = KL_INPUT;
    c->n_inputs = c->n_weights;
    c->n_weights = 0;
}

/* Outputs (n, n_obs) of n draws of the weights go to `use`, batch after batch. */
static int sample(struct kl_circuit *c, size_t n, uint64_t seed, struct kl_pool *pool,
                  void (*use)(void *sums, const double *out, size_t n_obs), void *sums,
                  struct kl_error *err)
{
    struct kl_arena work;
    double *x = NULL, *out = NULL;
    weights_to_inputs(c);
    int code = kl_circuit_finish(c, err);
    if (code) return code;
    code = kl_arena_init(&work, 0, err);
    if (code) return code;
    x = malloc((BATCH * c->n_inputs + 1) * sizeof *x);
    out = malloc(BATCH * c->n_obs * sizeof *out);
    if (!x || !out) code = kl_fail_memory(err, BATCH * (c->n_inputs + c->n_obs) * sizeof *x);
    for (size_t done = 0; done < n && !code; done += BATCH) {
        size_t here = n - done < BATCH ? n - done : BATCH;
        draw(x, here * c->n_inputs, seed, (uint32_t)(done / BATCH));
        kl_arena_reset(&work);
        code = kl_circuit_forward_f64(out, NULL, c, x, NULL, here, pool, &work, err);
        for (size_t i = 0; i < here && !code; i++) use(sums, out + i * c->n_obs, c->n_obs);
    }
    free(x);
    free(out);
    kl_arena_free(&work);
    return code;
}

static void add_fidelity(void *sums, const double *out, size_t n_obs)
{
    double *histogram = sums;
    int bin = (int)(out[0] * BINS);
    (void)n_obs;
    histogram[bin < 0 ? 0 : bin < BINS ? bin : BINS - 1]++;
}

/* KL divergence of the fidelities' histogram from Haar's, P(F) = (N - 1) (1 - F)^(N - 2). */
static double divergence(const double *histogram, size_t n, int n_qubits)
{
    double sum = 0, dimension = ldexp(1, n_qubits);
    for (int b = 0; b < BINS; b++) {
        double p = histogram[b] / (double)n, low = (double)b / BINS, high = (double)(b + 1) / BINS;
        double log_low = (dimension - 1) * log1p(-low);
        double log_haar =
            b == BINS - 1 ? log_low : log_low + log(-expm1((dimension - 1) * log1p(-high) - log_low));
        if (p > 0) sum += p * (log(p) - log_haar);
    }
    return sum;
}

int kl_circuit_expressibility(double *result, const struct kl_circuit *c, size_t n, uint64_t seed,
                              struct kl_pool *pool, struct kl_error *err)
{
    double histogram[BINS] = { 0 };
    struct kl_circuit *pairs = NULL;
    if (c->amplitude_inputs)
        return kl_fail(err, KL_EUSAGE, "expressibility: not with an amplitude embedding");
    int code = kl_circuit_begin(&pairs, c->n_qubits, 0, 2 * c->n_weights, err);
    if (!code) code = append_gates(pairs, c, 0, false, err);
    if (!code) code = append_gates(pairs, c, (int)c->n_weights, true, err);
    if (!code) code = kl_circuit_observe_probabilities(pairs, err);
    if (!code) code = sample(pairs, n, seed, pool, add_fidelity, histogram, err);
    if (!code) *result = divergence(histogram, n, c->n_qubits);
    kl_circuit_free(&pairs);
    return code;
}

/* Meyer and Wallach's Q = 2 - 2/n sum_q Tr rho_q^2, Tr rho^2 = (1 + <X>^2 + <Y>^2 + <Z>^2) / 2. */
static void add_entanglement(void *sums, const double *out, size_t n_obs)
{
    double purity = 0;
    const double qubits = (double)n_obs / 3;
    for (size_t o = 0; o < n_obs; o++) purity += out[o] * out[o];
    *(double *)sums += 2 - 2 / qubits * (qubits + purity) / 2;
}

int kl_circuit_entanglement(double *result, const struct kl_circuit *c, size_t n, uint64_t seed,
                            struct kl_pool *pool, struct kl_error *err)
{
    struct kl_circuit *copy = NULL;
    double sum = 0;
    if (c->amplitude_inputs)
        return kl_fail(err, KL_EUSAGE, "entanglement: not with an amplitude embedding");
    int code = kl_circuit_begin(&copy, c->n_qubits, 0, c->n_weights, err);
    if (!code) code = append_gates(copy, c, 0, false, err);
    for (int q = 0; q < c->n_qubits && !code; q++)
        for (int pauli = 1; pauli < 4 && !code; pauli++)
            code = kl_circuit_observe(
                copy, (struct kl_pauli){ .x = pauli != 3 ? 1u << q : 0, .z = pauli != 1 ? 1u << q : 0 },
                err);
    if (!code) code = sample(copy, n, seed, pool, add_entanglement, &sum, err);
    if (!code) *result = sum / (double)n;
    kl_circuit_free(&copy);
    return code;
}

/* ---- Frequencies of a circuit's outputs in its weights ---- */

/* Calls use for every angle that is a weight, with the least frequency that it brings. */
static int for_angles(struct kl_frequency *f, const struct kl_circuit *c,
                      int (*use)(struct kl_frequency *, size_t weight, double least, bool controlled,
                                 struct kl_error *),
                      struct kl_error *err)
{
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct kl_op *op = &c->ops[i];
        const bool controlled = op->gate == KL_CRX || op->gate == KL_CRY || op->gate == KL_CRZ;
        for (int k = 0; k < kl_circuit_op_angles(op); k++) {
            const struct kl_angle *a = &op->angle[k];
            if (a->source != KL_WEIGHT || a->scale == 0) continue;
            const double least = fabs(a->scale) * (controlled ? 0.5 : 1);
            int code = use(&f[a->index], (size_t)a->index, least, controlled, err);
            if (code) return code;
        }
    }
    return KL_OK;
}

static int take_unit(struct kl_frequency *f, size_t weight, double least, bool controlled,
                     struct kl_error *err)
{
    (void)weight, (void)controlled, (void)err;
    if (f->unit == 0 || least < f->unit) f->unit = least;
    return KL_OK;
}

static int add_degree(struct kl_frequency *f, size_t weight, double least, bool controlled,
                      struct kl_error *err)
{
    const double units = least / f->unit * (controlled ? 2 : 1), whole = round(units);
    if (fabs(units - whole) > 1e-9 * units)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: gates take weight %zu in multiples without a common "
                       "measure, %g and %g; choose another optimizer",
                       weight, f->unit, least);
    if (whole + (double)f->degree > KL_MOST_DEGREE)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: weight %zu enters the circuit with more than %d "
                       "frequencies; choose another optimizer",
                       weight, KL_MOST_DEGREE);
    f->degree += (size_t)whole;
    return KL_OK;
}

int kl_circuit_frequencies(struct kl_frequency *f, const struct kl_circuit *c, struct kl_error *err)
{
    const int scale = kl_circuit_first_scale(c);
    if (scale >= 0)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: weight %d is a learnable scale, in which outputs have "
                       "another frequency for every sample; leave --learn-scale out, or choose "
                       "another optimizer",
                       scale);
    for (size_t i = 0; i < c->n_weights; i++) f[i] = (struct kl_frequency){ 0 };
    int code = for_angles(f, c, take_unit, err);
    return code ? code : for_angles(f, c, add_degree, err);
}

/* ---- central differences of the whole circuit: (f(p + h) - f(p - h)) / 2h, error O(h^2) ---- */
struct differences {
    struct kl_circuit c; /* a copy that draws a sample's own noise */
    double *x, *w, *out; /* one sample's inputs and the weights, to be moved */
    const double *cot;
    double h;
    struct kl_arena local;
};

static int objective(double *sum, struct differences *d, struct kl_error *err)
{
    kl_arena_reset(&d->local);
    int code = kl_circuit_forward_f64(d->out, NULL, &d->c, d->x, d->w, 1, NULL, &d->local, err);
    *sum = 0;
    for (size_t o = 0; !code && o < d->c.n_obs; o++) *sum += d->cot[o] * d->out[o];
    return code;
}

static int derivative(double *result, struct differences *d, double *parameter, struct kl_error *err)
{
    double saved = *parameter, plus = 0, minus = 0;
    *parameter = saved + d->h;
    int code = objective(&plus, d, err);
    *parameter = saved - d->h;
    if (!code) code = objective(&minus, d, err);
    *parameter = saved;
    *result = (plus - minus) / (2 * d->h);
    return code;
}

int kl_circuit_differences(double *dx, double *dw, const struct kl_circuit *c, const double *x,
                           const double *w, const double *cot, size_t n, double h, struct kl_arena *work,
                           struct kl_error *err)
{
    struct differences d = { .c = *c, .h = h };
    d.x = kl_arena_take(work, c->n_inputs, sizeof *d.x);
    d.w = kl_arena_take(work, c->n_weights, sizeof *d.w);
    d.out = kl_arena_take(work, c->n_obs, sizeof *d.out);
    if (!d.x || !d.w || !d.out)
        return kl_fail_memory(err, (c->n_inputs + c->n_weights + c->n_obs) * sizeof *d.x);
    if (c->n_weights) memcpy(d.w, w, c->n_weights * sizeof *w);
    int code = kl_arena_init(&d.local, 0, err);
    for (size_t i = 0; !code && i < n; i++) {
        d.cot = cot + i * c->n_obs;
        d.c.draws.sample = c->draws.sample + i;
        if (c->n_inputs) memcpy(d.x, x + i * c->n_inputs, c->n_inputs * sizeof *x);
        for (size_t k = 0; !code && k < c->n_inputs; k++)
            code = derivative(&dx[i * c->n_inputs + k], &d, &d.x[k], err);
        for (size_t k = 0; !code && k < c->n_weights; k++) {
            double g = 0;
            code = derivative(&g, &d, &d.w[k], err);
            dw[k] += g;
        }
    }
    kl_arena_free(&d.local);
    return code;
}
