/* SPDX-License-Identifier: MIT
   Frequencies of a circuit's outputs in its weights. */
#include "circuit/frequency.h"

#include <math.h>

#include "circuit/circuit_int.h"

/* Calls use for every angle that is a weight, with the least frequency that it brings. */
static int for_angles(struct kl_frequency *f, const struct kl_circuit *c,
                      int (*use)(struct kl_frequency *, size_t weight, double least, bool controlled,
                                 struct kl_error *),
                      struct kl_error *err)
{
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct kl_op *op = &c->ops[i];
        const bool controlled = op->gate == KL_CRX || op->gate == KL_CRY || op->gate == KL_CRZ;
        for (int k = 0; k < kl_circuit_op_angles(op); k++) {
            const struct kl_angle *a = &op->angle[k];
            if (a->source != KL_WEIGHT || a->scale == 0) continue;
            const double least = fabs(a->scale) * (controlled ? 0.5 : 1);
            int code = use(&f[a->index], (size_t)a->index, least, controlled, err);
            if (code) return code;
        }
    }
    return KL_OK;
}

static int take_unit(struct kl_frequency *f, size_t weight, double least, bool controlled,
                     struct kl_error *err)
{
    (void)weight, (void)controlled, (void)err;
    if (f->unit == 0 || least < f->unit) f->unit = least;
    return KL_OK;
}

static int add_degree(struct kl_frequency *f, size_t weight, double least, bool controlled,
                      struct kl_error *err)
{
    const double units = least / f->unit * (controlled ? 2 : 1), whole = round(units);
    if (fabs(units - whole) > 1e-9 * units)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: gates take weight %zu in multiples without a common "
                       "measure, %g and %g; choose another optimizer",
                       weight, f->unit, least);
    if (whole + (double)f->degree > KL_MOST_DEGREE)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: weight %zu enters the circuit with more than %d "
                       "frequencies; choose another optimizer",
                       weight, KL_MOST_DEGREE);
    f->degree += (size_t)whole;
    return KL_OK;
}

int kl_circuit_frequencies(struct kl_frequency *f, const struct kl_circuit *c, struct kl_error *err)
{
    const int scale = kl_circuit_first_scale(c);
    if (scale >= 0)
        return kl_fail(err, KL_EUSAGE,
                       "--optimizer rotosolve: weight %d is a learnable scale, in which outputs have "
                       "another frequency for every sample; leave --learn-scale away, or choose "
                       "another optimizer",
                       scale);
    for (size_t i = 0; i < c->n_weights; i++) f[i] = (struct kl_frequency){ 0 };
    int code = for_angles(f, c, take_unit, err);
    return code ? code : for_angles(f, c, add_degree, err);
}
