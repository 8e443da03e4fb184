/* SPDX-License-Identifier: MIT
   What is read of a state on the GPU at the end of its passes: Pauli strings and fidelities, on the
   numbers that amplitudes have there, or probabilities. */
#include "circuit/cuda_int.h"

/* The number, at the end, of what differs from the first amplitude in these bits. */
static uint32_t number_of(const struct kl_frame *last, uint32_t bits)
{
    return kl_circuit_frame_bits(last, kl_circuit_sum_columns(last->moves.direction, bits));
}

static struct kl_cuda_term string_of(const struct kl_vqc_observable *o, const struct kl_frame *last,
                                     uint32_t flips)
{
    return (struct kl_cuda_term){
        .x = number_of(last, o->x),
        .z = kl_circuit_frame_parity(last, o->z),
        .turns = (__builtin_popcount(o->x & o->z) + 2 * __builtin_parity(o->z & flips)) % 4,
    };
}

/* Strings and fidelities of all outputs, each kind in its own array. */
static void set_terms(struct kl_cuda_circuit *to, struct kl_cuda_term *terms, int32_t *end,
                      struct kl_cuda_fidelity *fidelities, int32_t *fidelity_end,
                      const struct kl_frame *last, const struct kl_circuit *c)
{
    const struct kl_vqc_program *p = &c->plan->program;
    for (size_t o = 0, i = 0; o < c->n_obs; o++) {
        for (; i < c->end[o]; i++) {
            const struct kl_term *t = &c->terms[i];
            if (t->target < 0) {
                struct kl_cuda_term *term = &terms[to->n_terms++];
                *term = string_of(&p->obs[t->string], last, to->flips);
                term->weight = (float)t->weight;
                to->mixed |= term->x != 0;
            } else {
                const int32_t n = (int32_t)p->targets[t->target].n;
                fidelities[to->n_fidelities++] =
                    (struct kl_cuda_fidelity){ to->n_amplitudes, to->n_amplitudes + n,
                                               (float)t->weight };
                to->n_amplitudes += n;
            }
        }
        end[o] = to->n_terms, fidelity_end[o] = to->n_fidelities;
    }
}

/* In the order of set_terms. */
static void set_amplitudes(struct kl_cuda_amplitude *amplitudes, const struct kl_frame *last,
                           uint32_t flips, const struct kl_circuit *c)
{
    for (size_t i = 0; i < c->n_terms; i++) {
        if (c->terms[i].target < 0) continue;
        const struct kl_vqc_target *t = &c->plan->program.targets[c->terms[i].target];
        for (size_t k = 0; k < t->n; k++) {
            const struct kl_vqc_amplitude *a = &t->amplitude[k];
            *amplitudes++ = (struct kl_cuda_amplitude){ number_of(last, a->number ^ flips), (float)a->re,
                                                        (float)a->im };
        }
    }
}

int kl_circuit_readings(struct kl_cuda_circuit *to, const struct kl_frame *last,
                        const struct kl_circuit_gpu_stages *s, const struct kl_circuit *c,
                        struct kl_arena *memory, struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_terms; i++)
        if (c->terms[i].target >= 0) n += c->plan->program.targets[c->terms[i].target].n;
    if (n > INT32_MAX)
        return kl_fail(
            err, KL_EUSAGE,
            "fidelities: their states have %zu amplitudes, expected at most %d on a GPU; give "
            "--device cpu",
            n, INT32_MAX);
    const size_t terms_size = c->n_terms + 1, ends_size = c->probabilities ? 1 : c->n_obs + 1;
    struct kl_cuda_term *terms = kl_arena_take(memory, terms_size, sizeof *terms);
    struct kl_cuda_fidelity *fidelities = kl_arena_take(memory, terms_size, sizeof *fidelities);
    int32_t *ends = kl_arena_take(memory, 2 * ends_size, sizeof *ends);
    struct kl_cuda_amplitude *amplitudes = kl_arena_take(memory, n + 1, sizeof *amplitudes);
    if (!terms || !fidelities || !ends || !amplitudes)
        return kl_fail_memory(err, terms_size * (sizeof *terms + sizeof *fidelities) +
                                       2 * ends_size * sizeof *ends + n * sizeof *amplitudes);
    to->flips = s->flips, to->probabilities = c->probabilities;
    if (!c->probabilities) set_terms(to, terms, ends, fidelities, ends + ends_size, last, c);
    set_amplitudes(amplitudes, last, s->flips, c);
    to->terms = terms, to->end = ends, to->fidelities = fidelities, to->fidelity_end = ends + ends_size;
    to->amplitudes = amplitudes;
    return KL_OK;
}
