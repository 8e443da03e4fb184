/* SPDX-License-Identifier: MIT
   Three numbers out of an option: means or deviations of the colours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backbone/backbone.h"

int kl_backbone_resnet18_triple(float triple[3], char text[64], const char *from, bool positive,
                                const char *name, struct kl_error *err)
{
    const char *at = from;
    for (int i = 0; i < 3; i++) {
        char *end;
        triple[i] = strtof(at, &end);
        if (end == at || !isfinite(triple[i]) || *end != (i < 2 ? ',' : 0) ||
            (positive && triple[i] <= 0) || triple[i] > 1)
            return kl_fail(
                err, KL_EUSAGE,
                "%s: found '%.80s', expected three %snumbers up to 1 (of pixel/255), as in 0.5,0.5,0.5",
                name, from, positive ? "positive " : "");
        at = end + 1;
    }
    for (int digits = 1; digits <= 9; digits++) {
        float same[3];
        snprintf(text, 64, "%.*g,%.*g,%.*g", digits, triple[0], digits, triple[1], digits, triple[2]);
        if (sscanf(text, "%f,%f,%f", &same[0], &same[1], &same[2]) == 3 &&
            memcmp(same, triple, sizeof same) == 0)
            break;
    }
    return 0;
}
