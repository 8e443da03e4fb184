/* SPDX-License-Identifier: MIT
   qtrain --check-gradients: every way to differentiate a head against the others. */
#ifndef KL_HEAD_CHECK_H
#define KL_HEAD_CHECK_H

#include "head/head.h"

/* The head's gradient at its initial values on the first n samples, in double: with the circuit, if
   there is one, differentiated by adjoint, shift rules and central differences, each compared with each;
   by simultaneous perturbation along many directions, whose mean is compared with its own standard
   error; and against central differences of the loss in some entries of every tensor that trains,
   whatever the core. Largest difference between any two entries. */
struct kl_gradient_check {
    size_t samples, parameters;
    double largest;   /* entry of the gradient by back-propagation and adjoint */
    bool has_circuit; /* else only loss_differences were computed */
    double adjoint_shift, adjoint_differences, shift_differences;
    double spsa; /* largest distance of the mean from the adjoint, in standard errors */
    size_t directions;
    size_t entries;                        /* compared with differences of the loss */
    double loss_differences;               /* largest difference there */
    double shift_bound, differences_bound; /* from rounding, and from the step of central differences */
    double spsa_bound;
    bool agree;
};
int kl_head_check_gradients(struct kl_gradient_check *check, const struct kl_head_model *model,
                            const struct kl_features *features, size_t n, uint64_t seed,
                            struct kl_error *err);
/* In words, and as one JSON object (check_write.c); core: its name. */
void kl_head_gradient_check_write(FILE *to, const struct kl_gradient_check *check, const char *core);
int kl_head_gradient_check_json(FILE *to, const struct kl_gradient_check *check, const char *core,
                                struct kl_error *err);

#endif
