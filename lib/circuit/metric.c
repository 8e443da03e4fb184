/* SPDX-License-Identifier: MIT
   Metric tensors of a batch, in both precisions: as many samples side by side as a vector has lanes. On
   each level the generators are made diagonal by turning wires, and a Walsh-Hadamard transform of the
   probabilities has the means of all products of Z, and so every covariance of two generators. */
#include "circuit/estimate.h"

#include <math.h>
#include <string.h>

#include "circuit/batch_int.h"
#include "kernels/vqc.h"
#include "kernels/inline/real.h"

struct metric_batch {
    const struct kl_metric *m;
    const struct kl_vqc *kernel;
    size_t lanes, amplitudes; /* amplitudes: values of one part, real or imaginary */
    const kl_real *x, *w;
    kl_real *cosine, *sine;    /* (n_angles, lanes) */
    kl_real *quarter;          /* (2, lanes): cosine and sine of pi/4 */
    kl_real *state, *measured; /* measured: a turned copy, complex; then probabilities, transformed */
};

static int prepare(struct metric_batch *b, const struct kl_metric *m, const kl_real *x, const kl_real *w,
                   struct kl_arena *work, struct kl_error *err)
{
    *b = (struct metric_batch){ .m = m, .x = x, .w = w };
#if KL_F64
    b->kernel = kl_kernel_vqc_f64();
#else
    b->kernel = kl_kernel_vqc_f32();
#endif
    b->lanes = (size_t)b->kernel->lanes;
    b->amplitudes = b->lanes << m->circuit->n_qubits;
    const size_t angles = m->circuit->plan->n_angles * b->lanes,
                 states = (m->circuit->real ? 3 : 4) * b->amplitudes;
    b->cosine = kl_arena_take(work, 2 * angles + 2 * b->lanes, sizeof *b->cosine);
    b->state = kl_arena_take(work, states, sizeof *b->state);
    if (!b->cosine || !b->state) return kl_fail_memory(err, states * sizeof *b->state);
    b->sine = b->cosine + angles;
    b->quarter = b->sine + angles;
    b->measured = b->state + states - 2 * b->amplitudes;
    for (size_t l = 0; l < 2 * b->lanes; l++) b->quarter[l] = (kl_real)M_SQRT1_2;
    return KL_OK;
}

/* Angles of samples `first` on; those that the group lacks repeat the first one. */
static void group_angles(const struct metric_batch *b, size_t first, size_t here)
{
    const struct kl_circuit_plan *p = b->m->circuit->plan;
    const size_t n_inputs = b->m->circuit->n_inputs;
    for (size_t i = 0; i < p->n_angles; i++) {
        const struct kl_angle *a = &p->angles[i];
        for (size_t l = 0; l < b->lanes; l++) {
            const kl_real *x = b->x + (first + (l < here ? l : 0)) * n_inputs;
            double value = a->scale;
            if (a->source == KL_WEIGHT) value *= b->w[a->index];
            if (a->source == KL_INPUT) value *= x[a->index] * (a->index2 >= 0 ? x[a->index2] : 1);
            b->cosine[i * b->lanes + l] = (kl_real)value;
        }
    }
    b->kernel->half_angles(b->cosine, b->sine, b->cosine, p->n_angles * b->lanes);
}

/* |0...0>, or the inputs as amplitudes, divided by their norm. */
static void first_state(const struct metric_batch *b, size_t first, size_t here)
{
    const struct kl_circuit *c = b->m->circuit;
    memset(b->state, 0, (c->real ? 1 : 2) * b->amplitudes * sizeof *b->state);
    for (size_t l = 0; !c->amplitude_inputs && l < b->lanes; l++) b->state[l] = 1;
    for (size_t l = 0; c->amplitude_inputs && l < here; l++) {
        const kl_real *x = b->x + (first + l) * c->n_inputs;
        double squares = 0;
        for (size_t k = 0; k < c->n_inputs; k++) squares += (double)x[k] * x[k];
        const kl_real scale = squares > 0 ? (kl_real)(1 / sqrt(squares)) : 0;
        for (size_t k = 0; k < c->n_inputs; k++) b->state[k * b->lanes + l] = scale * x[k];
    }
}

static void run(const struct metric_batch *b, const struct kl_metric_level *level)
{
    const struct kl_circuit *c = b->m->circuit;
    const struct kl_vqc_program p = { .n_qubits = c->n_qubits,
                                      .real = c->real,
                                      .from_given = true,
                                      .n_ops = level->n_ops,
                                      .n_slots = c->plan->n_angles,
                                      .ops = b->m->ops + level->first };
    if (level->n_ops) b->kernel->forward(NULL, b->state, &p, b->cosine, b->sine);
}

/* n values become, at place k, their sum with signs by the parity of k and their places. Halves first,
   so that most passes stay in a cache. */
static void transform(kl_real *values, size_t n, size_t lanes)
{
    if (n <= lanes) return;
    kl_real *upper = values + n / 2;
    transform(values, n / 2, lanes);
    transform(upper, n / 2, lanes);
    for (size_t i = 0; i < n / 2; i++) {
        const kl_real sum = values[i] + upper[i], difference = values[i] - upper[i];
        values[i] = sum, upper[i] = difference;
    }
}

/* measured: at place `mask` the mean of the product of Z on its bits, wires turned for this level. */
static void measure(const struct metric_batch *b, const struct kl_metric_level *level)
{
    const struct kl_circuit *c = b->m->circuit;
    struct kl_vqc_program p = { .n_qubits = c->n_qubits,
                                .real = c->real,
                                .from_given = true,
                                .probabilities = true,
                                .n_ops = level->n_turns,
                                .n_slots = 1,
                                .ops = level->turn };
    kl_real *state = b->state;
    if (level->n_turns) {
        const size_t values = (c->real ? 1 : 2) * b->amplitudes;
        state = b->measured;
        memcpy(state, b->state, values * sizeof *state);
        memset(state + values, 0, (2 * b->amplitudes - values) * sizeof *state);
        p.real = false;
    }
    b->kernel->forward(b->measured, state, &p, b->quarter, b->quarter + b->lanes);
    transform(b->measured, b->amplitudes, b->lanes);
}

static double mean(const struct metric_batch *b, const struct kl_metric_gate *g, size_t lane)
{
    double sum = 0;
    for (int s = 0; s < g->n_terms; s++) sum += g->factor[s] * b->measured[g->mask[s] * b->lanes + lane];
    return sum;
}

/* Covariance of the generators of two gates, summed over the group's samples. */
static double covariance(const struct metric_batch *b, const struct kl_metric_gate *g,
                         const struct kl_metric_gate *h, size_t here)
{
    double sum = 0;
    for (size_t l = 0; l < here; l++) {
        double product = 0;
        for (int s = 0; s < g->n_terms; s++)
            for (int t = 0; t < h->n_terms; t++)
                product +=
                    g->factor[s] * h->factor[t] * b->measured[(g->mask[s] ^ h->mask[t]) * b->lanes + l];
        sum += product - mean(b, g, l) * mean(b, h, l);
    }
    return sum;
}

/* A pair of gates stands for both entries, of which only the one below the diagonal is kept; where both
   gates have the same weight it counts twice. */
static void add_level(double *sums, const struct metric_batch *b, const struct kl_metric_level *level,
                      size_t here)
{
    const struct kl_nn_skyline *e = &b->m->shape;
    for (size_t i = 0; i < level->n_gates; i++)
        for (size_t j = 0; j <= i; j++) {
            const struct kl_metric_gate *g = &level->gate[i], *h = &level->gate[j];
            const size_t row = g->weight > h->weight ? g->weight : h->weight,
                         column = g->weight > h->weight ? h->weight : g->weight;
            const double both = i != j && row == column ? 2 : 1;
            sums[e->start[row] + column - e->first[row]] +=
                both * g->scale * h->scale * covariance(b, g, h, here);
        }
}

int kl_circuit_metric_sums(double *sums, const struct kl_metric *m, const kl_real *x, const kl_real *w,
                           size_t n, struct kl_arena *work, struct kl_error *err)
{
    struct metric_batch b;
    int code = prepare(&b, m, x, w, work, err);
    if (code) return code;
    const size_t groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    memset(sums, 0, groups * m->shape.size * sizeof *sums);
    for (size_t first = 0; first < n && !kl_circuit_stopped(m->circuit); first += b.lanes) {
        const size_t here = n - first < b.lanes ? n - first : b.lanes;
        group_angles(&b, first, here);
        first_state(&b, first, here);
        for (size_t l = 0; l <= m->n_levels && !kl_circuit_stopped(m->circuit); l++) {
            if (l > 0) measure(&b, &m->level[l]);
            if (l > 0)
                add_level(sums + first / KL_CIRCUIT_GROUP * m->shape.size, &b, &m->level[l], here);
            if (l < m->n_levels) run(&b, &m->level[l]);
        }
    }
    return kl_circuit_status(m->circuit, err);
}
