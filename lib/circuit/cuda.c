/* SPDX-License-Identifier: MIT
   A circuit as the program that kernels/cuda runs. */
#include "circuit/cuda.h"

#include "circuit/cuda_int.h"

_Static_assert((int)KL_MOST_KEPT_QUBITS <= (int)KL_CUDA_HELD_QUBITS,
               "given amplitudes and probabilities are of states in registers alone");

static bool weight_stands_in(const struct kl_cuda_angle *a, int w)
{
    return (a->source == KL_CUDA_WEIGHT && a->index == w) || a->scaled == w + 1;
}

static bool input_stands_in(const struct kl_cuda_angle *a, int i)
{
    return a->source == KL_CUDA_INPUT && (a->index == i || a->index2 == i);
}

/* In which slots each of n weights or inputs stands. */
static void uses(int32_t *end, int32_t *use, size_t n, const struct kl_circuit_gpu_stages *s,
                 bool (*stands_in)(const struct kl_cuda_angle *, int))
{
    int32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < s->n_slots; k++)
            if (stands_in(&s->angles[k], (int)i)) use[all++] = k;
        end[i] = all;
    }
}

/* Weights and inputs: where they stand. */
static int connect(struct kl_cuda_circuit *to, const struct kl_circuit_gpu_stages *s,
                   const struct kl_circuit *c, struct kl_arena *memory, struct kl_error *err)
{
    const size_t n = (size_t)s->n_slots + c->n_weights + c->n_inputs + 1;
    int32_t *use_end = kl_arena_take(memory, n, sizeof *use_end),
            *use = kl_arena_take(memory, 2 * n, sizeof *use), /* an angle has two numbers at most */
                *in_end = kl_arena_take(memory, n, sizeof *in_end),
            *in_use = kl_arena_take(memory, 2 * n, sizeof *in_use);
    if (!use_end || !use || !in_end || !in_use) return kl_fail_memory(err, 6 * n * sizeof *use);
    uses(use_end, use, c->n_weights, s, weight_stands_in);
    uses(in_end, in_use, c->n_inputs, s, input_stands_in);
    to->use_end = use_end, to->use = use, to->in_end = in_end, to->in_use = in_use;
    return KL_OK;
}

int kl_circuit_for_cuda(struct kl_cuda_circuit *to, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err)
{
    struct kl_circuit_gpu_stages s;
    struct kl_frame last;
    if (c->noise) return kl_fail(err, KL_EUSAGE, "noise: not on a GPU; give --device cpu");
    int code = kl_circuit_stages(&s, c, memory, err);
    if (code) return code;
    *to = (struct kl_cuda_circuit){ .n_qubits = c->n_qubits,
                                    .real = c->real && c->n_qubits <= KL_CUDA_HELD_QUBITS,
                                    .given = c->amplitude_inputs,
                                    .n_inputs = (int32_t)c->n_inputs,
                                    .n_weights = (int32_t)c->n_weights,
                                    .n_outputs = (int32_t)c->n_obs,
                                    .n_slots = s.n_slots,
                                    .n_turns = s.n_turns,
                                    .n_matrices = s.n_matrices,
                                    .n_varying = s.n_varying,
                                    .angles = s.angles,
                                    .turns = s.turns,
                                    .matrices = s.matrices };
    code = connect(to, &s, c, memory, err);
    if (!code) code = kl_circuit_passes(to, &last, &s, c, memory, err);
    return code ? code : kl_circuit_readings(to, &last, &s, c, memory, err);
}
