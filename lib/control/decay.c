/* SPDX-License-Identifier: MIT
   Decay times and a temperature, as laboratories measure them, to the rates of jumps. */
#include <math.h>

#include "control/control.h"

static const double planck = 6.62607015e-34, boltzmann = 1.380649e-23; /* SI, exact since 2019 */

static int check_number(double value, const char *name, const char *where, struct kl_error *err)
{
    if (value >= 0 && !isnan(value)) return KL_OK;
    return kl_fail(err, KL_EUSAGE, "%s: %s: found %g, expected a positive number", where, name, value);
}

static int check_times(const struct kl_control_decay *d, const char *where, struct kl_error *err)
{
    int code = check_number(d->t1, "T1", where, err);
    if (!code) code = check_number(d->t2, "T2", where, err);
    if (!code) code = check_number(d->tphi, "Tphi", where, err);
    if (!code) code = check_number(d->frequency, "frequency", where, err);
    if (!code) code = check_number(d->temperature, "temperature", where, err);
    if (code) return code;
    if (d->t2 > 0 && d->tphi > 0)
        return kl_fail(err, KL_EUSAGE, "%s: found T2 and Tphi, expected one: 1/T2 = 1/Tphi + 1/(2 T1)",
                       where);
    if (d->t1 > 0 && d->t2 > 2 * d->t1 * (1 + 1e-12))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: T2 is %g and T1 %g, expected T2 of at most 2 T1 = %g: relaxation alone limits it",
            where, d->t2, d->t1, 2 * d->t1);
    if (d->temperature > 0 && !(d->frequency > 0))
        return kl_fail(err, KL_EUSAGE,
                       "%s: a temperature without a frequency; excitation follows from h f/(k T)",
                       where);
    return KL_OK;
}

int kl_control_decay_rates(struct kl_control_rates *rates, const struct kl_control_decay *d,
                           const char *where, struct kl_error *err)
{
    const int code = check_times(d, where, err);
    if (code) return code;
    const double relaxation = d->t1 > 0 ? 1 / d->t1 : 0;
    /* The share of |1> in equilibrium. */
    const double excited =
        d->temperature > 0 ? 1 / (1 + exp(planck * d->frequency / (boltzmann * d->temperature))) : 0;
    rates->down = relaxation * (1 - excited);
    rates->up = relaxation * excited;
    rates->phi = d->tphi > 0 ? 1 / d->tphi : d->t2 > 0 ? fmax(1 / d->t2 - relaxation / 2, 0) : 0;
    if (d->up) {
        const double down = rates->down;
        rates->down = rates->up;
        rates->up = down;
    }
    return KL_OK;
}

void kl_control_system_set_rates(struct kl_control_system *system, int qubit,
                                 const struct kl_control_rates *rates)
{
    struct kl_control_entry *of = &system->params[3 * qubit]; /* all built-in ones begin so */
    of[0].value = rates->phi;
    of[1].value = rates->down;
    of[2].value = rates->up;
}
