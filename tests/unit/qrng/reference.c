/* SPDX-License-Identifier: MIT
   What a report says of the choice of the epoch, and how many free numbers a rule has: by hand. */
#include <stdlib.h>
#include <string.h>

#include "qrng/classify/network.h"
#include "qrng/classify/classify_int.h"
#include "tests/unit/check.h"

/* Four best epochs about 0.57, 0.02 apart: the deviation is sqrt(0.002 / 3) with the sample's divisor,
   which the means have, and sqrt(0.002 / 4) with the population's, which the study has. */
static double best[4] = { 0.54, 0.56, 0.58, 0.60 }, last[4] = { 0.51, 0.51, 0.51, 0.53 };

static void check_table(size_t runs, bool kept_last, const char *expected)
{
    const struct kl_study_report report = { .best = best, .last = last, .n_chosen = runs };
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    kl_classify_reference_table(to, &report, kept_last);
    fclose(to);
    CHECK(strcmp(text, expected) == 0, "%s", text);
    free(text);
}

int main(void)
{
    check_table(
        4, false,
        "chosen by its own test rows: best epoch 0.5700 (sd 0.0258), last epoch 0.5150 (sd 0.0100): "
        "the choice is worth +0.0550\n"
        "best epochs of 4 runs: least 0.5400, median 0.5700, best 0.6000, +0.0300 more than the "
        "mean; 1 at 0.5867 or above\n"
        "the study's \"95 % interval\" is mean -+ 1 sd of these runs (0.0224): 0.5476 to 0.5924\n");
    check_table(1, true,
                "kept at the last epoch, not chosen by its own test rows: best epoch 0.5400, last epoch "
                "0.5100: the choice would be worth +0.0300\n"
                "best epochs of 1 run: least 0.5400, median 0.5400, best 0.5400, +0.0000 more than the "
                "mean; 0 at 0.5867 or above\n");
    check_table(0, false, "");
    /* Of a class: shares of pairs and of ones sum to 1; each bit has a share of its own; weights and a
       bias. */
    CHECK(kl_classify_rule_free(KL_RULE_PAIRS, 100) == 3 &&
          kl_classify_rule_free(KL_RULE_ONES, 100) == 1);
    CHECK(kl_classify_rule_free(KL_RULE_BERNOULLI, 100) == 100 &&
          kl_classify_rule_free(KL_RULE_LOGISTIC, 100) == 101);
    return failures ? 1 : 0;
}
