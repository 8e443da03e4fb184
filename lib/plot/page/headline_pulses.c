/* SPDX-License-Identifier: MIT
   The line of files on quantum control: pulses, policies, what adapting is worth. */
#include <math.h>
#include <stdlib.h>

#include "plot/page/headline_int.h"

/* "x of qubit, loss 0.0414214 (average x), F_avg 0.958579; 25 members, worst 0.003; 8 starts, 0 %
   trapped", as the terminal has it. */
int kl_plot_headline_of_pulse(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const size_t members = kl_plot_headline_rows(file, "members/loss"),
                 starts = kl_plot_headline_rows(file, "starts/loss");
    const double loss = kl_plot_headline_number(file, "loss"),
                 average = kl_plot_headline_number(file, "average_gate_fidelity"),
                 leakage = kl_plot_headline_number(file, "leakage"),
                 trapped = kl_plot_headline_number(file, "trapped");
    int code = kl_plot_headline_text(text, file, "gate", "", err);
    if (!code) code = kl_plot_headline_text(text, file, "system", " of ", err);
    if (!isnan(loss)) kl_plot_headline_add(text, ", loss %.6g", loss);
    if (!code) code = kl_plot_headline_text(text, file, "objective", " (", err);
    if (kl_store_file_has_attribute(file, "", "objective")) kl_plot_headline_add(text, ")");
    if (!isnan(average)) kl_plot_headline_add(text, ", F_avg %.6f", average);
    if (leakage > 0) kl_plot_headline_add(text, ", leakage %.3g", leakage);
    if (members > 1) {
        kl_plot_headline_counted(text, "; ", members, "member");
        kl_plot_headline_add(text, ", worst %.6g", kl_plot_headline_number(file, "worst_loss"));
    }
    kl_plot_headline_counted(text, "; ", starts, "start");
    if (starts && !isnan(trapped)) kl_plot_headline_add(text, ", %.0f %% trapped", 100 * trapped);
    return code;
}

/* The least loss of the validation tasks after adapting. */
int kl_plot_headline_of_policy(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "history/val_post");
    double *values = NULL, least = INFINITY;
    if (!d || d->rank != 2 || !d->rows || !d->dims[1]) return KL_OK;
    const int code = kl_plot_page_doubles(&values, file, d, err);
    for (size_t i = 0; values && i < d->rows * d->dims[1]; i++) least = fmin(least, values[i]);
    if (d->rows == 1) kl_plot_headline_add(text, "1 policy");
    else kl_plot_headline_add(text, "%zu policies", d->rows);
    kl_plot_headline_counted(text, ", ", d->dims[1], "epoch");
    if (values && isfinite(least)) kl_plot_headline_add(text, ", best adapted loss %.6g", least);
    free(values);
    return code;
}

int kl_plot_headline_of_regret(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const double regret = kl_plot_headline_number(file, "regret");
    double ends[2];
    char *verdict = NULL;
    const int code = kl_store_file_has_attribute(file, "", "verdict")
                         ? kl_store_file_text(&verdict, file, "", "verdict", err)
                         : KL_OK;
    if (verdict) kl_plot_headline_add(text, "%.200s", verdict);
    free(verdict);
    if (isnan(regret)) return code;
    kl_plot_headline_add(text, "; regret %.3g", regret);
    if (kl_store_file_interval(ends, file, "regret"))
        kl_plot_headline_add(text, " (95 %% %.3g to %.3g)", ends[0], ends[1]);
    kl_plot_headline_counted(text, " over ", kl_plot_headline_rows(file, "losses/policy"), "task");
    return code;
}
