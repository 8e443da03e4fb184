/* SPDX-License-Identifier: MIT
   The gates of a circuit in levels, and which entries of its metric tensor they reach. */
#include <stdlib.h>

#include "circuit/batch_int.h"

static bool is_trained(const struct kl_circuit *c, const struct kl_vqc_op *op)
{
    return op->slot >= 0 && c->plan->angles[op->slot].source == KL_WEIGHT;
}

/* Level of every gate of the program; a gate without a weight has that of its wires. Returns the
 * highest.
 */
static size_t find_levels(size_t *level, const struct kl_circuit *c)
{
    size_t of_bit[KL_MAX_QUBITS] = { 0 }, highest = 0;
    for (size_t i = 0; i < c->plan->program.n_ops; i++) {
        const struct kl_vqc_op *op = &c->plan->program.ops[i];
        const uint32_t bits = op->target | op->control;
        level[i] = 0;
        for (int b = 0; b < c->n_qubits; b++)
            if (bits >> b & 1 && of_bit[b] > level[i]) level[i] = of_bit[b];
        level[i] += is_trained(c, op);
        for (int b = 0; b < c->n_qubits; b++)
            if (bits >> b & 1) of_bit[b] = level[i];
        if (level[i] > highest) highest = level[i];
    }
    return highest;
}

/* exp(-i angle G): G = P/2, under a control P (1 - Z_control)/4; and what turns P to Z. */
static void add_gate(struct kl_metric_level *level, const struct kl_circuit *c,
                     const struct kl_vqc_op *op)
{
    const struct kl_angle *angle = &c->plan->angles[op->slot];
    const bool controlled = op->control != 0;
    level->gate[level->n_gates++] =
        (struct kl_metric_gate){ .weight = (size_t)angle->index,
                                 .scale = angle->scale,
                                 .n_terms = controlled ? 2 : 1,
                                 .factor = { controlled ? 0.25 : 0.5, -0.25 },
                                 .mask = { op->target, op->target | op->control } };
    if (op->gate == KL_VQC_RX)
        level->turn[level->n_turns++] = (struct kl_vqc_op){ KL_VQC_H, op->target, 0, -1 };
    if (op->gate == KL_VQC_RY)
        level->turn[level->n_turns++] = (struct kl_vqc_op){ KL_VQC_RX, op->target, 0, 0 };
}

/* Gates of one level in their order, those with weights first: on no wire does that change the order. */
static void fill_level(struct kl_metric *m, size_t number, size_t *at, const size_t *level)
{
    const struct kl_vqc_program *p = &m->circuit->plan->program;
    struct kl_metric_level *to = &m->level[number];
    to->first = *at;
    for (int fixed = 0; fixed < 2; fixed++)
        for (size_t i = 0; i < p->n_ops; i++) {
            if (level[i] != number || is_trained(m->circuit, &p->ops[i]) == fixed) continue;
            m->ops[(*at)++] = p->ops[i];
            if (!fixed) add_gate(to, m->circuit, &p->ops[i]);
        }
    to->n_ops = *at - to->first;
}

/* Row i begins at the smallest weight that meets weight i on some level. */
static int make_shape(struct kl_metric *m, struct kl_error *err)
{
    const size_t n = m->circuit->n_weights;
    size_t *first = kl_arena_take(&m->memory, n + 1, sizeof *first);
    if (!first) return kl_fail_memory(err, n * sizeof *first);
    for (size_t i = 0; i < n; i++) first[i] = i;
    for (size_t l = 1; l <= m->n_levels; l++) {
        const struct kl_metric_level *level = &m->level[l];
        size_t least = n;
        for (size_t g = 0; g < level->n_gates; g++)
            if (level->gate[g].weight < least) least = level->gate[g].weight;
        for (size_t g = 0; g < level->n_gates; g++)
            if (first[level->gate[g].weight] > least) first[level->gate[g].weight] = least;
    }
    return kl_nn_skyline_make(&m->shape, n, first, &m->memory, err);
}

static int make_levels(struct kl_metric *m, struct kl_error *err)
{
    const struct kl_circuit *c = m->circuit;
    const size_t n = c->plan->program.n_ops;
    size_t *level = kl_arena_take(&m->memory, n + 1, sizeof *level), at = 0;
    m->ops = kl_arena_take(&m->memory, n + 1, sizeof *m->ops);
    if (!level || !m->ops) return kl_fail_memory(err, n * (sizeof *level + sizeof *m->ops));
    m->n_levels = find_levels(level, c);
    m->level = kl_arena_take(&m->memory, m->n_levels + 1, sizeof *m->level);
    if (!m->level) return kl_fail_memory(err, m->n_levels * sizeof *m->level);
    for (size_t l = 0; l <= m->n_levels; l++) {
        struct kl_metric_level *one = &m->level[l];
        *one = (struct kl_metric_level){ 0 };
        one->gate = kl_arena_take(&m->memory, (size_t)c->n_qubits, sizeof *one->gate);
        one->turn = kl_arena_take(&m->memory, (size_t)c->n_qubits, sizeof *one->turn);
        if (!one->gate || !one->turn)
            return kl_fail_memory(err, (size_t)c->n_qubits * sizeof *one->gate);
        fill_level(m, l, &at, level);
    }
    return make_shape(m, err);
}

int kl_circuit_metric_make(struct kl_metric **metric, const struct kl_circuit *c, struct kl_error *err)
{
    *metric = NULL;
    if (c->noise)
        return kl_fail(err, KL_EUSAGE,
                       "natural gradient: its metric tensor is that of pure states, and the circuit has "
                       "noise; leave --noise out, or choose another --optimizer");
    const int scale = kl_circuit_first_scale(c);
    if (scale >= 0)
        return kl_fail(err, KL_EUSAGE,
                       "natural gradient: weight %d is a learnable scale of inputs, which its metric "
                       "tensor leaves out; leave --learn-scale out, or choose another --optimizer",
                       scale);
    struct kl_metric *m = *metric = calloc(1, sizeof *m);
    if (!m) return kl_fail_memory(err, sizeof *m);
    m->circuit = c;
    int code = kl_arena_init(&m->memory, 0, err);
    if (!code) code = make_levels(m, err);
    if (code) kl_circuit_metric_free(metric);
    return code;
}

void kl_circuit_metric_free(struct kl_metric **metric)
{
    if (!*metric) return;
    kl_arena_free(&(*metric)->memory);
    free(*metric);
    *metric = NULL;
}
