/* SPDX-License-Identifier: MIT
   A report on device classifiers as text. */
#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "qrng/classify/study_int.h"

enum { SHOWN_CLASSES = 8 };

static void write_model(FILE *to, const struct kl_study_verdict *v, const struct kl_study_report *r)
{
    fprintf(to, "%-10s %.4f  %.4f to %.4f  %8.4f  %11.4f  %11.1f ", kl_study_model_name(v->model),
            v->mean, v->low, v->high, kl_stats_mean(v->log_loss, r->n_splits),
            kl_stats_mean(v->calibration_error, r->n_splits), v->worst_log10_p);
    for (size_t k = 0; k < r->classes && k < SHOWN_CLASSES; k++) {
        double sum = 0;
        for (size_t s = 0; s < r->n_splits; s++) sum += v->recall[s * r->classes + k];
        fprintf(to, " %.3f", sum / (double)r->n_splits);
    }
    fputs(r->classes > SHOWN_CLASSES ? " ...\n" : "\n", to);
}

/* The first model's accuracy less each other's, split by split. */
static void write_differences(FILE *to, const struct kl_study_report *r)
{
    const struct kl_study_verdict *own = &r->models[0];
    for (int m = 1; m < r->n_models && r->n_splits > 1; m++) {
        const struct kl_study_verdict *other = &r->models[m];
        const size_t n_train = own->n_train < other->n_train ? own->n_train : other->n_train;
        const struct kl_interval of = kl_stats_resampled(own->accuracy, other->accuracy, r->n_splits,
                                                         (double)r->n_test / (double)n_train);
        const double mean = (of.low + of.high) / 2;
        fprintf(to, "%s less %s: %+.4f ", kl_study_model_name(own->model),
                kl_study_model_name(other->model), mean);
        if (kl_has_width(of.low, of.high)) fprintf(to, "(95 %% %+.4f to %+.4f)\n", of.low, of.high);
        else fprintf(to, "(the same on all splits)\n");
    }
}

static void write_collapsed(FILE *to, const struct kl_study_verdict *v, size_t n_splits)
{
    if (!v->collapsed) return;
    fprintf(to, "%s: collapsed in %zu of %zu splits: it answers with one device whatever the row",
            kl_study_model_name(v->model), v->collapsed, n_splits);
    if (v->collapsed < n_splits) fprintf(to, "; the others have %.4f", v->others);
    fputc('\n', to);
}

static void write_limit(FILE *to, const struct kl_study_report *r, const struct kl_study *study)
{
    if (!(study->rules >> KL_RULE_PAIRS & 1))
        fprintf(to, "pairs      none: rows of %zu bit%s are no pairs of bits\n", study->bits->n_bits,
                kl_s(study->bits->n_bits));
    if (r->no_limit) fprintf(to, "limit      not known: %s\n", r->no_limit);
    else
        fprintf(to,
                "limit      %.4f  (standard error %.4f) of any classifier, if symbols of %d bit%s are "
                "independent\n",
                r->limit.accuracy, r->limit.accuracy_error, r->symbol_bits,
                kl_s((unsigned)r->symbol_bits));
}

static void write_information(FILE *to, const struct kl_study_report *r, const struct kl_bits *bits)
{
    char p[KL_DEPENDENCE_TEXT];
    fprintf(
        to,
        "a row tells %.3f (standard error %.3f) of the %.3f bits that name its device, if symbols of "
        "%d bit%s are independent\n",
        r->limit.information, r->limit.information_error, log2((double)r->classes), r->symbol_bits,
        kl_s((unsigned)r->symbol_bits));
    if (!kl_depends(&r->dependence)) return;
    kl_dependence_p(p, &r->dependence);
    fprintf(
        to,
        "but they depend on each other (%s, device %s): a classifier may exceed the limit, and a row "
        "tell more\n",
        p, bits->names[r->dependence.device]);
}

void kl_study_table(FILE *to, const struct kl_study_report *r, const struct kl_study *study)
{
    const bool biased = study->protocol == KL_REFERENCE && study->network;
    fprintf(to, "%zu device%s, %zu rows of %zu bit%s; %s, %zu split%s, %zu test rows in each\n",
            r->classes, kl_s(r->classes), study->bits->n_rows, study->bits->n_bits,
            kl_s(study->bits->n_bits), study->v->protocol, r->n_splits, kl_s(r->n_splits), r->n_test);
    fputs("model      accuracy  95 % interval     log-loss  calibration  log10 p <=   recall of each "
          "device\n",
          to);
    for (int m = 0; m < r->n_models; m++) write_model(to, &r->models[m], r);
    write_limit(to, r, study);
    fprintf(to,
            "commonest  %.4f  by always naming the device of most test rows; log10 p is against this, "
            "split by split\n",
            r->models[0].commonest);
    for (int m = 0; m < r->n_models; m++) write_collapsed(to, &r->models[m], r->n_splits);
    write_differences(to, r);
    if (r->n_null)
        fprintf(to, "shuffled labels: %s %.4f (sd %.4f) over %zu runs, p = %.4g for the first split\n",
                kl_study_model_name(r->models[0].model), kl_stats_mean(r->null, r->n_null),
                kl_stats_deviation(r->null, r->n_null), r->n_null, r->null_p);
    if (!r->no_limit) write_information(to, r, study->bits);
    if (biased) kl_study_reference_table(to, r, strcmp(study->v->keep, "last") == 0);
}
