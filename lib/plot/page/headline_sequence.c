/* SPDX-License-Identifier: MIT
   A line on files of qseq: windows, models on them, reports. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/page/headline_int.h"

static void add_people(char text[KL_HEADLINE], const struct kl_file *file, const char *before)
{
    const size_t n = kl_plot_headline_rows(file, "subject_names");
    if (n) kl_plot_headline_add(text, "%s%zu %s", before, n, n == 1 ? "person" : "people");
}

int kl_plot_headline_of_windows(char text[KL_HEADLINE], struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *x = kl_store_file_find(file, "x");
    const double rate = kl_plot_headline_number(file, "rate");
    (void)err;
    if (!x || x->rank != 3) return KL_OK;
    kl_plot_headline_counted(text, "", x->dims[0], "window");
    kl_plot_headline_counted(text, " of ", x->dims[1], "channel");
    kl_plot_headline_counted(text, " and ", x->dims[2], "step");
    if (rate > 0) kl_plot_headline_add(text, " at %g Hz", rate);
    add_people(text, file, ", ");
    return KL_OK;
}

/* "hydra, split loso": a model, a fit, a report. */
static int add_model(char text[KL_HEADLINE], const struct kl_file *file, struct kl_error *err)
{
    const int code = kl_plot_headline_text(text, file, "model", "", err);
    return code ? code : kl_plot_headline_text(text, file, "split", ", split ", err);
}

int kl_plot_headline_of_sequence_model(char text[KL_HEADLINE], struct kl_file *file,
                                       struct kl_error *err)
{
    const struct kl_dataset *epochs = kl_store_file_find(file, "history/train_loss");
    const int code = add_model(text, file, err);
    kl_plot_headline_counted(text, ", ", kl_plot_headline_count(file, "parameters"), "parameter");
    kl_plot_headline_counted(text, ", ", kl_plot_headline_rows(file, "replicas/best_epoch"), "replica");
    if (epochs && epochs->rank == 2)
        kl_plot_headline_counted(text, ", up to ", epochs->dims[1], "epoch");
    if (kl_plot_headline_number(file, "leak") > 0) kl_plot_headline_add(text, "; a leak");
    return code;
}

int kl_plot_headline_of_sequence_report(char text[KL_HEADLINE], struct kl_file *file,
                                        struct kl_error *err)
{
    const size_t replicas = kl_plot_headline_rows(file, "metrics/accuracy");
    const double accuracy = kl_plot_headline_number(file, "accuracy");
    char errors[KL_PAGE_ERRORS];
    const int code = add_model(text, file, err);
    kl_plot_page_errors(errors, file, "accuracy");
    if (!isnan(accuracy)) kl_plot_headline_add(text, ", accuracy %.4f%s", accuracy, errors);
    kl_plot_headline_counted(text, ", on ", kl_plot_headline_rows(file, "labels"), "window");
    add_people(text, file, " of ");
    if (replicas > 1) kl_plot_headline_counted(text, ", mean of ", replicas, "replica");
    if (kl_plot_headline_number(file, "transductive") > 0) kl_plot_headline_add(text, "; transductive");
    if (kl_plot_headline_number(file, "leak") > 0)
        kl_plot_headline_add(text, "; a leak: windows of the tested recordings trained it");
    return code;
}
