/* SPDX-License-Identifier: MIT
   What is read of a state on the card at the end of its passes: Pauli strings on the numbers that
   amplitudes have there, fidelities, or probabilities. */
#include "circuit/cuda_int.h"

static struct kl_cuda_term string_of(const struct kl_vqc_observable *o, const struct kl_frame *end,
                                     uint32_t flips)
{
    return (struct kl_cuda_term){
        .x = kl_frame_bits(end, kl_sum_columns(end->moves.direction, o->x)),
        .z = kl_frame_parity(end, o->z),
        .turns = (__builtin_popcount(o->x & o->z) + 2 * __builtin_parity(o->z & flips)) % 4,
    };
}

static void set_terms(struct kl_cuda_term *terms, struct kl_cuda_circuit *to, const struct kl_frame *end,
                      const struct kl_circuit *c)
{
    for (size_t i = 0; i < c->n_terms; i++) {
        const struct kl_term *t = &c->terms[i];
        terms[i] = t->target < 0 ? string_of(&c->plan->program.obs[t->string], end, to->flips)
                                 : (struct kl_cuda_term){ 1, (uint32_t)t->target, KL_CUDA_FIDELITY, 0 };
        terms[i].weight = (float)t->weight;
        to->mixed |= terms[i].x != 0;
    }
}

static void set_targets(struct kl_cuda_target *targets, struct kl_cuda_amplitude *amplitudes,
                        const struct kl_cuda_circuit *to, const struct kl_vqc_program *p)
{
    int32_t n = 0;
    for (size_t t = 0; t < p->n_targets; t++) {
        targets[t].first = n;
        for (size_t i = 0; i < p->targets[t].n; i++) {
            const struct kl_vqc_amplitude *a = &p->targets[t].amplitude[i];
            amplitudes[n++] =
                (struct kl_cuda_amplitude){ a->number ^ to->flips, (float)a->re, (float)a->im };
        }
        targets[t].end = n;
    }
}

int kl_circuit_readings(struct kl_cuda_circuit *to, const struct kl_frame *end,
                        const struct kl_stages *s, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err)
{
    const struct kl_vqc_program *p = &c->plan->program;
    size_t n = 0;
    for (size_t t = 0; t < p->n_targets; t++) n += p->targets[t].n;
    int32_t *ends = kl_arena_take(memory, c->n_obs + 1, sizeof *ends);
    struct kl_cuda_term *terms = kl_arena_take(memory, c->n_terms + 1, sizeof *terms);
    struct kl_cuda_target *targets = kl_arena_take(memory, p->n_targets + 1, sizeof *targets);
    struct kl_cuda_amplitude *amplitudes = kl_arena_take(memory, n + 1, sizeof *amplitudes);
    if (!ends || !terms || !targets || !amplitudes) return kl_fail_memory(err, n * sizeof *amplitudes);
    for (size_t o = 0; o < c->n_obs; o++) ends[o] = c->probabilities ? 0 : (int32_t)c->end[o];
    to->flips = s->flips, to->mixed = 0, to->probabilities = c->probabilities;
    to->n_targets = (int32_t)p->n_targets, to->n_amplitudes = (int32_t)n;
    set_terms(terms, to, end, c);
    set_targets(targets, amplitudes, to, p);
    to->end = ends, to->terms = terms, to->targets = targets, to->amplitudes = amplitudes;
    return KL_OK;
}
