/* SPDX-License-Identifier: MIT */
#include "circuit/cuda.h"

#include "circuit/circuit_int.h"

/* What a GPU cannot do with it; NULL: it can all. */
static const char *refusal(const struct kl_circuit *c)
{
    if (c->noise) return "noise";
    if (c->probabilities) return "probabilities as outputs";
    if (c->amplitude_inputs) return "amplitudes as inputs";
    return c->n_targets ? "fidelities as outputs" : NULL;
}

/* In which slots each weight stands, as an angle or as a scale. */
static void uses(int32_t *end, int32_t *use, const struct kl_circuit *c)
{
    const struct kl_angle *a = c->plan->angles;
    int32_t n = 0;
    for (size_t w = 0; w < c->n_weights; w++) {
        for (size_t k = 0; k < c->plan->program.n_slots; k++)
            if ((a[k].source == KL_WEIGHT && (size_t)a[k].index == w) ||
                (kl_is_scaled(&a[k]) && (size_t)a[k].scaled == w + 1))
                use[n++] = (int32_t)k;
        end[w] = n;
    }
}

static void angles(struct kl_cuda_angle *to, const struct kl_circuit *c)
{
    static const int32_t sources[] = {
        [KL_CONSTANT] = KL_CUDA_CONSTANT, [KL_INPUT] = KL_CUDA_INPUT, [KL_WEIGHT] = KL_CUDA_WEIGHT
    };
    for (size_t k = 0; k < c->plan->program.n_slots; k++) {
        const struct kl_angle *a = &c->plan->angles[k];
        to[k] = (struct kl_cuda_angle){ sources[a->source], a->index, a->index2,
                                        kl_is_scaled(a) ? a->scaled : 0, (float)a->scale };
    }
}

static void terms(int32_t *end, int32_t *term, float *weight, const struct kl_circuit *c)
{
    for (size_t o = 0; o < c->n_obs; o++) end[o] = (int32_t)c->end[o];
    for (size_t t = 0; t < c->n_terms; t++)
        term[t] = c->terms[t].string, weight[t] = (float)c->terms[t].weight;
}

int kl_circuit_for_cuda(struct kl_cuda_circuit *to, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err)
{
    const struct kl_vqc_program *p = &c->plan->program;
    const char *refused = refusal(c);
    if (refused) return kl_fail(err, KL_EUSAGE, "%s: not on a GPU; give --device cpu", refused);
    const size_t n = p->n_slots + c->n_weights + c->n_obs + c->n_terms + 1;
    struct kl_cuda_angle *angle = kl_arena_take(memory, p->n_slots + 1, sizeof *angle);
    int32_t *end = kl_arena_take(memory, n, sizeof *end), *term = kl_arena_take(memory, n, sizeof *term),
            *use_end = kl_arena_take(memory, n, sizeof *use_end),
            *use = kl_arena_take(memory, 2 * n, sizeof *use);
    float *weight = kl_arena_take(memory, n, sizeof *weight);
    if (!angle || !end || !term || !use_end || !use || !weight)
        return kl_fail_memory(err, 8 * n * sizeof *end);
    angles(angle, c);
    terms(end, term, weight, c);
    uses(use_end, use, c);
    *to = (struct kl_cuda_circuit){ .n_qubits = c->n_qubits,
                                    .n_inputs = (int32_t)c->n_inputs,
                                    .n_weights = (int32_t)c->n_weights,
                                    .n_outputs = (int32_t)c->n_obs,
                                    .n_ops = (int32_t)p->n_ops,
                                    .n_slots = (int32_t)p->n_slots,
                                    .n_strings = (int32_t)c->n_strings,
                                    .n_terms = (int32_t)c->n_terms,
                                    .real = c->real,
                                    .ops = p->ops,
                                    .angles = angle,
                                    .strings = p->obs,
                                    .end = end,
                                    .term = term,
                                    .term_weight = weight,
                                    .use_end = use_end,
                                    .use = use };
    return KL_OK;
}
