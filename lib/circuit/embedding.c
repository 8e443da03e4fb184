/* SPDX-License-Identifier: MIT
   Embeddings: how inputs become a state. Names and gates of PennyLane's templates and Qiskit's feature
   maps. */
#include <math.h>
#include <string.h>

#include "circuit/build_int.h"

static size_t one_a_qubit(int n)
{
    return (size_t)n;
}

/* The input of a qubit, or the product of two (r, else -1), times a constant and, if there are any, the
   next learnable scale. */
static struct kl_angle input(struct kl_builder *b, int q, int r, double scale)
{
    return (struct kl_angle){ KL_INPUT, q, r, scale, b->options->learn_scale ? ++b->next_scale : 0 };
}

static void put_inputs(struct kl_builder *b, enum kl_gate gate, double scale)
{
    for (int q = 0; q < b->n; q++)
        kl_circuit_put(
            b, &(struct kl_op){ .gate = gate, .wire = { q }, .angle = { input(b, q, -1, scale) } });
}

/* AngleEmbedding of PennyLane. Z begins with H, without which RZ would leave |0> as it is. */
static void angle_x(struct kl_builder *b)
{
    put_inputs(b, KL_RX, 1);
}
static void angle_y(struct kl_builder *b)
{
    put_inputs(b, KL_RY, 1);
}
static void angle_z(struct kl_builder *b)
{
    for (int q = 0; q < b->n; q++) kl_circuit_put_gate(b, KL_H, q);
    put_inputs(b, KL_RZ, 1);
}

/* BasisEmbedding: inputs 0 and 1, X where 1, here exp(-i pi x X/2), which is X but for a global phase.
 */
static void basis(struct kl_builder *b)
{
    put_inputs(b, KL_RX, M_PI);
}

/* IQPEmbedding of PennyLane (Havlicek et al. 2018, arXiv:1804.11326): H, RZ(x_q), then for i < j
   MultiRZ(x_i x_j). */
static void iqp(struct kl_builder *b)
{
    for (int q = 0; q < b->n; q++) {
        kl_circuit_put_gate(b, KL_H, q);
        kl_circuit_put(b,
                       &(struct kl_op){ .gate = KL_RZ, .wire = { q }, .angle = { input(b, q, -1, 1) } });
    }
    for (int i = 0; i < b->n; i++)
        for (int j = i + 1; j < b->n; j++)
            kl_circuit_put(b, &(struct kl_op){ .gate = KL_MULTIRZ,
                                               .mask = 1u << i | 1u << j,
                                               .angle = { input(b, i, j, 1) } });
}

static void iqp_twice(struct kl_builder *b)
{
    iqp(b);
    iqp(b);
}

/* ZZFeatureMap of Qiskit, reps 2, full: H, P(2 x_q), then for i < j CX P_j(2 (pi - x_i)(pi - x_j)) CX,
   which is MultiRZ of the same angle but for a global phase, one gate here. Its product is taken apart,
   since an angle is one term. */
static void put_zz(struct kl_builder *b, int i, int j)
{
    const struct kl_angle terms[] = { { KL_CONSTANT, 0, -1, 2 * M_PI * M_PI, 0 },
                                      { KL_INPUT, i, -1, -2 * M_PI, 0 },
                                      { KL_INPUT, j, -1, -2 * M_PI, 0 },
                                      { KL_INPUT, i, j, 2, 0 } };
    for (int k = 0; k < 4; k++)
        kl_circuit_put(b, &(struct kl_op){ .gate = KL_MULTIRZ,
                                           .mask = 1u << i | 1u << j,
                                           .angle = { terms[k] },
                                           .whole = KL_SUM,
                                           .next = k < 3 ? KL_SAME_PART : KL_OTHER_GATE });
}

static void zz(struct kl_builder *b)
{
    for (int rep = 0; rep < 2; rep++) {
        for (int q = 0; q < b->n; q++) kl_circuit_put_gate(b, KL_H, q);
        put_inputs(b, KL_RZ, 2);
        for (int i = 0; i < b->n; i++)
            for (int j = i + 1; j < b->n; j++) put_zz(b, i, j);
    }
}

/* AmplitudeEmbedding with normalize: the inputs are the state. */
static size_t two_to_the(int n)
{
    return (size_t)1 << n;
}
static void amplitude(struct kl_builder *b)
{
    if (!b->code) b->code = kl_circuit_begin_with_inputs(b->circuit, b->err);
}

static size_t iqp_scales(int n)
{
    return (size_t)n * (size_t)(n + 1) / 2;
}
static size_t iqp_twice_scales(int n)
{
    return 2 * iqp_scales(n);
}

static const struct kl_embedding embeddings[] = {
    { "angle-y", one_a_qubit, one_a_qubit, angle_y },
    { "angle-x", one_a_qubit, one_a_qubit, angle_x },
    { "angle-z", one_a_qubit, one_a_qubit, angle_z },
    { "basis", one_a_qubit, NULL, basis },
    { "iqp", one_a_qubit, iqp_scales, iqp },
    { "iqp-2", one_a_qubit, iqp_twice_scales, iqp_twice },
    { "zz", one_a_qubit, NULL, zz },
    { "amplitude", two_to_the, NULL, amplitude },
};
const char *const kl_embedding_names[] = { "angle-y", "angle-x", "angle-z",   "basis", "iqp",
                                           "iqp-2",   "zz",      "amplitude", NULL };

const struct kl_embedding *kl_circuit_embedding_find(const char *name)
{
    for (size_t i = 0; i < sizeof embeddings / sizeof *embeddings; i++)
        if (strcmp(embeddings[i].name, name) == 0) return &embeddings[i];
    return NULL;
}
