/* SPDX-License-Identifier: MIT
   A ladder in memory: its arrays, what of it can be integrated, raw and unit-interval losses. */
#include "sampling/ladder/ladder.h"

#include <math.h>
#include <stdlib.h>

int kl_sampling_ladder_make(struct kl_sampling_ladder *l, size_t n_rungs, size_t n_chains,
                            struct kl_error *err)
{
    double **const arrays[] = { &l->beta,        &l->loss,         &l->loss_mcse, &l->variance,
                                &l->train01,     &l->train01_mcse, &l->test_loss, &l->test01,
                                &l->test01_mcse, &l->drawn_loss,   &l->drawn01,   &l->drawn_test01,
                                &l->draws,       &l->still };
    const size_t n_arrays = sizeof arrays / sizeof *arrays, all = n_rungs * (n_arrays + 4 * n_chains);
    *l = (struct kl_sampling_ladder){ .high = INFINITY,
                                      .chance = NAN,
                                      .sigma = NAN,
                                      .least = NAN,
                                      .least_norm = NAN,
                                      .norm = NAN,
                                      .n_rungs = n_rungs,
                                      .n_chains = n_chains };
    if (!(l->block = malloc((all ? all : 1) * sizeof *l->block)))
        return kl_fail_memory(err, all * sizeof *l->block);
    for (size_t i = 0; i < all; i++) l->block[i] = NAN;
    for (size_t i = 0; i < n_arrays; i++) *arrays[i] = l->block + i * n_rungs;
    if (n_chains > 0) {
        l->loss_of = l->block + n_arrays * n_rungs;
        l->work_of = l->loss_of + n_chains * n_rungs;
        l->path01_of = l->work_of + n_chains * n_rungs;
        l->path_test01_of = l->path01_of + n_chains * n_rungs;
    }
    return KL_OK;
}

void kl_sampling_ladder_free(struct kl_sampling_ladder *l)
{
    free(l->block);
    *l = (struct kl_sampling_ladder){ 0 };
}

double kl_sampling_ladder_width(const struct kl_sampling_ladder *l)
{
    return l->scale == KL_SAMPLING_UNIT ? l->high - l->low : 1;
}

double kl_sampling_ladder_raw(const struct kl_sampling_ladder *l, double loss)
{
    return l->scale == KL_SAMPLING_UNIT ? l->low + (l->high - l->low) * loss : loss;
}

double kl_sampling_ladder_unit(const struct kl_sampling_ladder *l, double loss)
{
    return l->scale == KL_SAMPLING_UNIT ? loss : (loss - l->low) / (l->high - l->low);
}

/* Sums of float32 values may pass the ends by their rounding. */
static bool within(double x, double low, double high)
{
    const double slack = 1e-5 * (isfinite(high) ? high - low : 1);
    return x >= low - slack && x <= high + slack;
}

int kl_sampling_ladder_check(const struct kl_sampling_ladder *l, const char *path, struct kl_error *err)
{
    const bool unit = l->scale == KL_SAMPLING_UNIT;
    if (l->n_rungs < 2)
        return kl_fail(err, KL_EDATA, "%s: found %zu temperature%s, expected at least two", path,
                       l->n_rungs, kl_s(l->n_rungs));
    if (l->n < 1)
        return kl_fail(err, KL_EDATA, "%s: does not say how many records were trained on; give --n N",
                       path);
    if (!isfinite(l->low) || !(l->high > l->low) || (unit && !isfinite(l->high)))
        return kl_fail(err, KL_EDATA, "%s: found a loss from %g to %g, expected a range%s", path, l->low,
                       l->high, unit ? " that ends" : "");
    for (size_t k = 0; k < l->n_rungs; k++) {
        const double low = unit ? 0 : l->low, high = unit ? 1 : l->high;
        if (k == 0 && l->beta[0] != 0)
            return kl_fail(
                err, KL_EDATA,
                "%s: found %g as the first beta, expected 0: the integral begins at the prior", path,
                l->beta[0]);
        if (!isfinite(l->beta[k]) || (k > 0 && !(l->beta[k] > l->beta[k - 1])))
            return kl_fail(err, KL_EDATA, "%s: found beta %g behind %g, expected rising values", path,
                           l->beta[k], k ? l->beta[k - 1] : 0);
        if (!within(l->loss[k], low, high))
            return kl_fail(err, KL_EDATA, "%s: beta %g: found a %s loss of %g, expected %g to %g", path,
                           l->beta[k], unit ? "unit-interval" : "raw", l->loss[k], low, high);
        if (!within(l->train01[k], 0, 1) || (!isnan(l->test01[k]) && !within(l->test01[k], 0, 1)))
            return kl_fail(err, KL_EDATA, "%s: beta %g: found 0-1 errors of %g and %g, expected 0 to 1",
                           path, l->beta[k], l->train01[k], l->test01[k]);
    }
    return KL_OK;
}
