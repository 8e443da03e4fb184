/* SPDX-License-Identifier: MIT
   --shots as a number. */
#include "circuit/shots.h"

#include <ctype.h>
#include <stdlib.h>

int kl_circuit_shots_number(size_t *n, const char *text, struct kl_error *err)
{
    char *end = NULL;
    const long long number = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    if (!end || *end || number < 1 || number > 1000000000)
        return kl_fail(err, KL_EUSAGE,
                       "--shots: found '%s', expected a whole number from 1 to 1000000000", text);
    *n = (size_t)number;
    return KL_OK;
}
