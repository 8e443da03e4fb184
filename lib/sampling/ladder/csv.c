/* SPDX-License-Identifier: MIT
   A ladder as the reference writes it: its CSV, and the text report of its classic code. */
#include <math.h>
#include <string.h>

#include "sampling/ladder/ladder.h"

/* Python's csv module ends rows so. */
#define END "\r\n"

static double scaled(const struct kl_sampling_ladder *l, enum kl_sampling_scale scale, double loss)
{
    return scale == l->scale           ? loss
           : scale == KL_SAMPLING_UNIT ? kl_sampling_ladder_unit(l, loss)
                                       : kl_sampling_ladder_raw(l, loss);
}

int kl_sampling_csv_write(FILE *to, const struct kl_sampling_ladder *l, enum kl_sampling_scale scale,
                          const char *summary, struct kl_error *err)
{
    if (scale == KL_SAMPLING_UNIT && !isfinite(l->high))
        return kl_fail(err, KL_EUSAGE, "the loss '%s' has no upper end, so no unit-interval form",
                       l->loss_name);
    for (size_t k = 0; k < l->n_rungs; k++)
        if (isnan(l->test_loss[k]) || isnan(l->test01[k]))
            return kl_fail(err, KL_EDATA,
                           "beta %g was not tested: the reference's CSV has no place for that",
                           l->beta[k]);
    fprintf(to, "Sample_size,Beta,BCE_Train,BCE_Test,0-1_Train,0-1_Test,EMA_BCE_Train,EMA_BCE_Test,EMA_"
                "0-1_Train,"
                "EMA_0-1_Test" END);
    for (size_t k = 0; k < l->n_rungs; k++) {
        const double values[] = { scaled(l, scale, l->loss[k]), scaled(l, scale, l->test_loss[k]),
                                  l->train01[k], l->test01[k] };
        fprintf(to, "%lld,%.17g", (long long)l->n, l->beta[k]);
        for (int i = 0; i < 8; i++) fprintf(to, ",%.17g", values[i % 4]);
        fprintf(to, END);
    }
    fprintf(to, END "Summary:,\"loss=%s scale=%s", l->loss_name,
            scale == KL_SAMPLING_UNIT ? "unit" : "raw");
    if (strcmp(l->loss_name, "bbce") == 0) fprintf(to, " l_max=%.17g", l->high);
    fprintf(to, " chance=%.17g", l->chance);
    if (l->m) fprintf(to, " m=%lld", (long long)l->m);
    fprintf(to, "; ");
    for (const char *c = summary ? summary : ""; *c; c++) fprintf(to, *c == '"' ? "\"\"" : "%c", *c);
    fprintf(to, "\"" END);
    return KL_OK;
}

/* Mean, variance (1/C) and deviation over the chains. */
void kl_sampling_classic_report(FILE *to, const struct kl_sampling_ladder *l)
{
    fprintf(to, "Results of %zu temperatures, %lld training records, %lld test records\n", l->n_rungs,
            (long long)l->n, (long long)l->m);
    fprintf(to, "Loss: %s, %s\nRepetitions: %zu\n", l->loss_name,
            l->scale == KL_SAMPLING_UNIT ? "unit interval" : "raw", l->n_chains);
    for (size_t k = 0; k < l->n_rungs; k++) {
        double squares = 0;
        fprintf(to, "\nBeta = %g\n  Train loss: %.6f", l->beta[k], l->loss[k]);
        for (size_t c = 0; c < l->n_chains; c++) {
            const double off = l->loss_of[c * l->n_rungs + k] - l->loss[k];
            squares += off * off / (double)l->n_chains;
        }
        if (l->n_chains)
            fprintf(to, " (variance %.6g, standard deviation %.6g)", squares, sqrt(squares));
        fprintf(to, "\n  Train 0-1 error: %.6f\n", l->train01[k]);
        if (!isnan(l->test_loss[k])) fprintf(to, "  Test loss: %.6f\n", l->test_loss[k]);
        if (!isnan(l->test01[k]))
            fprintf(to, "  Test 0-1 error: %.6f\n  Generalisation gap: %.6f\n", l->test01[k],
                    l->test01[k] - l->train01[k]);
    }
}
