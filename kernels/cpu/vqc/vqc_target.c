/* SPDX-License-Identifier: MIT
   Fidelities with given states phi: <phi|psi> over the amplitudes of phi that are not 0. */
#include "kernels/vqc.h"

#include "kernels/inline/real.h"
#include "kernels/inline/vqc.h"

/* <phi|psi>; of a real state im is NULL. */
static void overlap(kl_lane *re, kl_lane *im, const kl_lane *a, const kl_lane *b,
                    const struct kl_vqc_target *t)
{
    *re = *im = (kl_lane){ 0 };
    for (size_t i = 0; i < t->n; i++) {
        const struct kl_vqc_amplitude *phi = &t->amplitude[i];
        const kl_real x = (kl_real)phi->re, y = (kl_real)phi->im;
        *re += x * a[phi->number];
        *im -= y * a[phi->number];
        if (!b) continue;
        *re += y * b[phi->number];
        *im += x * b[phi->number];
    }
}

void KL_ISA_NAME(kl_vqc_fidelities)(kl_real *out, const kl_real *state, const struct kl_vqc_program *p)
{
    const kl_lane *a = (const kl_lane *)state, *b = p->real ? NULL : a + ((size_t)1 << p->n_qubits);
    for (size_t t = 0; t < p->n_targets; t++) {
        kl_lane re, im;
        overlap(&re, &im, a, b, &p->targets[t]);
        ((kl_lane *)out)[t] = re * re + im * im;
    }
}

/* A real bra is the real part: the derivatives of a real circuit see no other. */
void KL_ISA_NAME(kl_vqc_observe_targets)(kl_real *bra, const kl_real *state,
                                         const struct kl_vqc_program *p, const kl_real *cot)
{
    const size_t n = (size_t)1 << p->n_qubits;
    const kl_lane *a = (const kl_lane *)state, *b = p->real ? NULL : a + n;
    kl_lane *to = (kl_lane *)bra;
    for (size_t t = 0; t < p->n_targets; t++) {
        const struct kl_vqc_target *target = &p->targets[t];
        kl_lane re, im;
        overlap(&re, &im, a, b, target);
        re *= ((const kl_lane *)cot)[t];
        im *= ((const kl_lane *)cot)[t];
        for (size_t i = 0; i < target->n; i++) {
            const struct kl_vqc_amplitude *phi = &target->amplitude[i];
            const kl_real x = (kl_real)phi->re, y = (kl_real)phi->im;
            to[phi->number] += re * x - im * y;
            if (b) to[n + phi->number] += re * y + im * x;
        }
    }
}
