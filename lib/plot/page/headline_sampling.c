/* SPDX-License-Identifier: MIT
   The line of files on sampling: chains, what they prove. */
#include <math.h>
#include <stdlib.h>

#include "plot/page/headline_int.h"

/* "fcn1 on synth, true labels, 7 temperatures up to beta 300" */
int kl_plot_headline_of_chains(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *d = kl_store_file_find(file, "ladder/beta");
    double *beta = NULL;
    int code = kl_plot_headline_text(text, file, "model", "", err);
    if (!code) code = kl_plot_headline_text(text, file, "data", " on ", err);
    if (!code) code = kl_plot_headline_text(text, file, "labels", ", labels ", err);
    if (!code) code = kl_plot_headline_text(text, file, "sampler", ", ", err);
    if (!code && d && d->rows) code = kl_plot_page_doubles(&beta, file, d, err);
    if (!code && beta) {
        kl_plot_headline_counted(text, *text ? ", " : "", d->rows, "temperature");
        kl_plot_headline_add(text, " up to beta %.6g", beta[d->rows - 1]);
    }
    free(beta);
    return code;
}

/* "mnist true: bound 0.3482 at the largest beta, test error 0.0498, ..." */
int kl_plot_headline_of_bounds(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const double bound = kl_plot_headline_number(file, "last_bound"),
                 test = kl_plot_headline_number(file, "last_test"),
                 calibrated = kl_plot_headline_number(file, "last_calibrated"),
                 delta = kl_plot_headline_number(file, "delta");
    const int code = kl_plot_headline_text(text, file, "ladder", "", err);
    if (!isnan(bound))
        kl_plot_headline_add(text, "%sbound %.4f at the largest beta", *text ? ": " : "", bound);
    else kl_plot_headline_add(text, "%sno bound at the largest beta", *text ? ": " : "");
    if (!isnan(delta)) kl_plot_headline_add(text, " (delta %.3g)", delta);
    if (!isnan(test)) kl_plot_headline_add(text, ", test error %.4f", test);
    if (!isnan(calibrated))
        kl_plot_headline_add(text, ", calibrated %.4f, which is no guarantee", calibrated);
    return code;
}
