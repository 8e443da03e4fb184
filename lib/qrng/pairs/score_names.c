/* SPDX-License-Identifier: MIT
   Scores by name. */
#include <stdio.h>
#include <string.h>

#include "qrng/pairs/tournament.h"

const char *const kl_score_names[KL_N_SCORES] = { "bits",      "patterns",  "differences", "composite",
                                                  "positions", "histogram", "chi_square",  "accuracy" };

int kl_scores_read(uint32_t *wanted, const char *text, struct kl_error *err)
{
    const bool all = strcmp(text, "all") == 0;
    *wanted = all ? KL_ALL_SCORES : 0;
    for (const char *at = text; !all;) {
        const size_t n = strcspn(at, ",");
        uint32_t s = 0;
        while (s < KL_N_SCORES &&
               !(strlen(kl_score_names[s]) == n && strncmp(kl_score_names[s], at, n) == 0))
            s++;
        if (s == KL_N_SCORES)
            return kl_fail(
                err, KL_EUSAGE,
                "--scores: found '%.*s', expected all or some of bits, patterns, differences, "
                "composite, positions, histogram, chi_square, accuracy",
                (int)n, at);
        *wanted |= 1u << s;
        if (!at[n]) break;
        at += n + 1;
    }
    return KL_OK;
}

void kl_scores_write(char *text, size_t size, uint32_t wanted)
{
    size_t n = 0;
    if (wanted == KL_ALL_SCORES) {
        snprintf(text, size, "all");
        return;
    }
    for (uint32_t s = 0; s < KL_N_SCORES; s++)
        if (wanted >> s & 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "," : "", kl_score_names[s]);
}
