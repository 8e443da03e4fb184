/* SPDX-License-Identifier: MIT
   A circuit's arrays on the GPU. */
#include "kernels/cuda/library.h"

int kl_cuda_circuit_copy(struct kl_cuda_circuit *to, void **memory, const struct kl_cuda_circuit *c,
                         struct kl_error *err)
{
    enum { ALIGN = 16 };
    const size_t in_angles = c->given ? 0 : (size_t)c->n_inputs, /* inputs that may stand there */
        with_terms = c->probabilities ? 0 : (size_t)c->n_outputs,
                 with_fidelities = c->n_fidelities ? (size_t)c->n_outputs : 0;
    const struct {
        const void *from;
        const void **to;
        size_t bytes;
    } part[] = {
        { c->angles, (const void **)&to->angles, (size_t)c->n_slots * sizeof *c->angles },
        { c->turns, (const void **)&to->turns, (size_t)c->n_turns * sizeof *c->turns },
        { c->matrices, (const void **)&to->matrices, (size_t)c->n_matrices * sizeof *c->matrices },
        { c->passes, (const void **)&to->passes, (size_t)c->n_passes * sizeof *c->passes },
        { c->terms, (const void **)&to->terms, (size_t)c->n_terms * sizeof *c->terms },
        { c->end, (const void **)&to->end, with_terms * sizeof *c->end },
        { c->fidelities, (const void **)&to->fidelities,
          (size_t)c->n_fidelities * sizeof *c->fidelities },
        { c->fidelity_end, (const void **)&to->fidelity_end, with_fidelities * sizeof *c->fidelity_end },
        { c->use_end, (const void **)&to->use_end, (size_t)c->n_weights * sizeof *c->use_end },
        { c->use, (const void **)&to->use,
          (c->n_weights ? (size_t)c->use_end[c->n_weights - 1] : 0) * sizeof *c->use },
        { c->in_end, (const void **)&to->in_end, in_angles * sizeof *c->in_end },
        { c->in_use, (const void **)&to->in_use,
          (in_angles ? (size_t)c->in_end[in_angles - 1] : 0) * sizeof *c->in_use },
        /* The last one, which is no part of arrays_size. */
        { c->amplitudes, (const void **)&to->amplitudes,
          (size_t)c->n_amplitudes * sizeof *c->amplitudes },
    };
    size_t total = 0, last = 0;
    for (const auto &p : part) total += last = (p.bytes + ALIGN - 1) / ALIGN * ALIGN;
    *to = *c;
    int code = kl_cuda_take(memory, total + 1, 1, "the circuit", err);
    to->arrays = *memory;
    to->arrays_size = total - last;
    char *at = (char *)*memory;
    for (const auto &p : part) {
        if (code) break;
        *p.to = at;
        if (p.bytes)
            code = kl_cuda_check(cudaMemcpy(at, p.from, p.bytes, cudaMemcpyHostToDevice),
                                 "the circuit to the GPU", err);
        at += (p.bytes + ALIGN - 1) / ALIGN * ALIGN;
    }
    return code;
}
