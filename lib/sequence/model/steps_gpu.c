/* SPDX-License-Identifier: MIT
   A window's circuits as a GPU has them: rotations about strings, and what they are given. */
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/model/steps_int.h"

enum { S = 16 /* KL_RING_STEPS of floats */ };

void kl_sequence_windows_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const double rate = net->options.dropout;
    *shape = (struct kl_cuda_windows_shape){ .n_qubits = net->options.qubits,
                                             .channels = (int32_t)net->shape.channels,
                                             .steps = (int32_t)net->shape.steps,
                                             .stride = (int32_t)kl_sequence_stride(net->shape.steps),
                                             .threshold = rate > 0 ? kl_nn_dropout_threshold(rate) : 0,
                                             .purpose = KL_RANDOM_SEQUENCE_DROPOUT,
                                             .keep_scale = (float)kl_nn_dropout_scale(rate) };
}

/* Sizes alone. */
static void sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_steps *s,
                  bool superposed)
{
    shape->n_qubits = s->ring.n_qubits;
    shape->n_angles = shape->n_rotations = (int32_t)s->angles;
    shape->n_weights = superposed ? 2 : 1, shape->superposed = superposed;
    shape->channels = (int32_t)s->inputs, shape->steps = (int32_t)s->lengths;
}

/* Angle i of QLCU: blocks of RY, XX, RY, YY on all wires or rings. */
static struct kl_cuda_rotation rotation_of(size_t i, int n)
{
    const int wire = (int)(i % (size_t)n), block = (int)(i / (size_t)n % 4);
    const uint32_t one = 1u << (n - 1 - wire), two = one | 1u << (n - 1 - (wire + 1) % n);
    return (struct kl_cuda_rotation){ block % 2 ? two : one,
                                      block == 1   ? 0
                                      : block == 3 ? two
                                                   : one,
                                      (int32_t)i };
}

int kl_sequence_steps_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                            bool superposed, struct kl_arena *memory, struct kl_error *err)
{
    const struct kl_sequence_steps *s = net->own;
    const size_t states = (size_t)1 << s->ring.n_qubits;
    kl_sequence_windows_shape(shape, net);
    sizes(shape, s, superposed);
    shape->factor = (float)(2 * 3.14159);
    struct kl_cuda_rotation *rotations = kl_arena_take(memory, s->angles, sizeof *rotations);
    uint32_t *image = kl_arena_take(memory, states, sizeof *image);
    if (!rotations || !image) return kl_fail_memory(err, states * sizeof *image);
    for (size_t i = 0; i < s->angles; i++) rotations[i] = rotation_of(i, s->ring.n_qubits);
    for (size_t k = 0; k < states; k++) image[s->pairs[k]] = s->pairs[k < 2 * s->n_pairs ? k ^ 1 : k];
    shape->rotations = rotations, shape->image = image;
    return KL_OK;
}

struct kl_cuda_windows_places kl_sequence_circuits_places(const struct kl_sequence_circuits_f32 *c)
{
    struct kl_cuda_windows_shape shape = { 0 };
    sizes(&shape, c->steps, c->n_weights == 2);
    return kl_cuda_windows_places(&shape);
}

void kl_sequence_circuits_give(float *given, const struct kl_sequence_circuits_f32 *c)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_cuda_windows_places p = kl_sequence_circuits_places(c);
    memcpy(given + p.map, c->map, s->angles * s->inputs * sizeof *given);
    memcpy(given + p.shift, c->shift, s->angles * sizeof *given);
    memcpy(given + p.base, c->base, s->angles * sizeof *given);
    for (size_t w = 0; w < c->n_weights; w++)
        memcpy(given + p.weights + w * s->lengths, c->weights + w * c->stride,
               s->lengths * sizeof *given);
    if (!c->mix) return;
    memcpy(given + p.mix, c->mix->alpha, sizeof c->mix->alpha);
    memcpy(given + p.mix + 2, c->mix->beta, sizeof c->mix->beta);
    memcpy(given + p.third, c->mix->third, (p.gain - p.third) * sizeof *given);
}

void kl_sequence_circuits_given(struct kl_sequence_circuits_f32 *c, float *by_weights,
                                const float *by_given)
{
    const struct kl_sequence_steps *s = c->steps;
    const struct kl_cuda_windows_places p = kl_sequence_circuits_places(c);
    memcpy(c->by_map, by_given + p.map, s->angles * s->inputs * sizeof *c->by_map);
    for (size_t i = 0; i < s->angles; i++) {
        c->by_shift[i * S] = by_given[p.shift + i];
        c->by_base[i * S] = by_given[p.base + i];
    }
    for (size_t w = 0; w < c->n_weights; w++)
        memcpy(by_weights + w * c->stride, by_given + p.weights + w * s->lengths,
               s->lengths * sizeof *by_weights);
}
