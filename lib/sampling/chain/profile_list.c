/* SPDX-License-Identifier: MIT
   Lists of numbers between commas, as texts of options. */
#include <math.h>
#include <stdlib.h>

#include "sampling/chain/profile.h"

int kl_sampling_list_read(double *numbers, size_t *n, const char *text, const char *name, double least,
                          struct kl_error *err)
{
    *n = 0;
    for (const char *at = text; at && *at;) {
        char *end;
        const double x = strtod(at, &end);
        if (end == at || (*end && *end != ',') || (*end == ',' && !end[1]) || !isfinite(x))
            return kl_fail(err, KL_EUSAGE, "--%s: found '%.60s', expected numbers between commas", name,
                           at);
        if (x < least)
            return kl_fail(err, KL_EUSAGE, "--%s: found %g, expected %g or more", name, x, least);
        if (*n == KL_SAMPLING_RUNGS)
            return kl_fail(err, KL_EUSAGE, "--%s: more than %d numbers", name, KL_SAMPLING_RUNGS);
        numbers[(*n)++] = x;
        at = *end ? end + 1 : end;
    }
    return *n ? 0 : kl_fail(err, KL_EUSAGE, "--%s: found '', expected numbers between commas", name);
}

void kl_sampling_list_write(char *text, const double *numbers, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used < KL_SAMPLING_LIST; i++) {
        char one[32];
        /* Not 1e+01; in the fewest digits. */
        snprintf(one, sizeof one, "%.0f", numbers[i]);
        const bool plain = fabs(numbers[i]) < 1e15 && strtod(one, NULL) == numbers[i];
        for (int digits = 1; !plain && digits <= 17; digits++) {
            snprintf(one, sizeof one, "%.*g", digits, numbers[i]);
            if (strtod(one, NULL) == numbers[i]) break;
        }
        used += (size_t)snprintf(text + used, KL_SAMPLING_LIST - used, "%s%s", i ? "," : "", one);
    }
}
