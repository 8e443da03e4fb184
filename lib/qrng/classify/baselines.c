/* SPDX-License-Identifier: MIT
   What is compared with the models of a study: shuffled labels, the Bayes limit of the symbols, and what
   choosing the epoch by the test rows is worth, which the study's headline is made of. */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "qrng/classify/classify_int.h"

int kl_classify_judge_null(struct kl_study_report *r, struct kl_judge *j, struct kl_error *err)
{
    int rc = KL_OK;
    size_t as_good = 1;
    r->n_null = j->study->n_runs - r->n_splits;
    r->null_p = NAN;
    if (!r->n_null) return KL_OK;
    r->null = calloc(r->n_null, sizeof *r->null);
    if (!r->null) return kl_fail_memory(err, r->n_null * sizeof *r->null);
    for (size_t i = 0; i < r->n_null && !rc; i++) {
        size_t right = 0;
        rc = kl_classify_judge_apply(&right, j, r->models[0].model, r->n_splits + i, err);
        r->null[i] = (double)right / (double)(j->count ? j->count : 1);
        as_good += r->null[i] >= r->models[0].accuracy[0];
    }
    if (rc) return rc;
    r->null_p = (double)as_good / (double)(r->n_null + 1);
    rc = kl_classify_judge_put(j, "null", "accuracy", r->null, r->n_null, err);
    return rc ? rc : kl_store_writer_number(j->w, "", "null_p", r->null_p, err);
}

/* Are there as many rows of each device? Those of others have another limit. */
static bool are_even(const size_t *rows, size_t classes, size_t n)
{
    for (size_t k = 0; k < classes; k++)
        if (!(fabs((double)rows[k] * (double)classes / (double)n - 1) < 0.02)) return false;
    return true;
}

/* Of symbols as the bits declare them. */
static void find_limit(struct kl_study_report *r, const struct kl_study *study, size_t classes)
{
    const struct kl_bits *b = study->bits;
    const size_t *rows = study->device_rows;
    enum { LONGEST = 150 }; /* symbols of a row: of four kinds 6 10^5 vectors of counts */
    _Static_assert((int)KL_NETWORK_CLASSES <= (int)KL_LIMIT_CLASSES,
                   "devices that the limit has no room for");
    const size_t kinds = (size_t)1 << b->symbol_bits, symbols = b->n_bits / (size_t)b->symbol_bits;
    double p[KL_LIMIT_SYMBOLS * KL_NETWORK_CLASSES] = { 0 }, n[KL_NETWORK_CLASSES];
    r->no_limit = kinds > KL_LIMIT_SYMBOLS ? "symbols have more than 2 bits"
                  : symbols > (kinds > 2 ? LONGEST : (size_t)KL_LIMIT_ROW) ? "rows are too long for it"
                  : !are_even(rows, classes, b->n_rows) ? "devices have unequal numbers of rows"
                                                        : NULL;
    if (r->no_limit) return;
    for (size_t i = 0; i < b->n_rows; i++)
        for (size_t k = 0; k < symbols; k++)
            p[kinds * (size_t)b->device[i] + kl_bits_symbol(kl_bits_row(b, i), k, b->symbol_bits)]++;
    for (size_t k = 0; k < classes; k++) {
        n[k] = (double)rows[k] * (double)symbols;
        for (size_t s = 0; s < kinds; s++) p[kinds * k + s] /= n[k];
    }
    r->limit = kl_bits_bayes_limit(NULL, p, n, classes, kinds, symbols);
}

int kl_classify_judge_limit(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_bits *b = j->study->bits;
    r->symbol_bits = b->symbol_bits;
    find_limit(r, j->study, j->c);
    int rc = kl_bits_dependence_find(&r->dependence, b, b->symbol_bits, err);
    if (!rc) rc = kl_store_writer_integer(j->w, "", "symbol_bits", b->symbol_bits, err);
    if (!rc) rc = kl_bits_dependence_put(j->w, &r->dependence, b->names, err);
    if (rc || r->no_limit) return rc;
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "limit_accuracy", r->limit.accuracy },
                    { "limit_accuracy_error", r->limit.accuracy_error },
                    { "limit_information_bits", r->limit.information },
                    { "limit_information_bits_error", r->limit.information_error } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++)
        rc = kl_store_writer_number(j->w, "", numbers[i].name, numbers[i].value, err);
    return rc;
}

static const double HEADLINE = 0.5867;

/* Into the report those of the runs that did not collapse, in the place of all, in rising order. */
static void leave_out_collapsed(struct kl_study_report *r)
{
    for (size_t s = 0; s < r->n_splits; s++) {
        if (r->models[0].alike[s]) continue;
        r->best[r->n_chosen] = r->best[s];
        r->last[r->n_chosen++] = r->last[s];
    }
    kl_stats_sort(r->best, r->n_chosen);
    kl_stats_sort(r->last, r->n_chosen);
}

int kl_classify_judge_epochs(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_dataset *history = NULL, *epochs = NULL;
    if (j->study->protocol != KL_REFERENCE || !j->study->network) return KL_OK;
    int rc = kl_store_file_expect(&history, j->file, "history/judge_accuracy", KL_TYPE_F64, 2, err);
    if (!rc) rc = kl_classify_judge_find(&epochs, j, "epochs", KL_TYPE_I64, 1, sizeof(int64_t), err);
    const size_t most = rc ? 0 : history->dims[1];
    double *curve = malloc((most + 1) * sizeof *curve);
    r->best = calloc(2 * r->n_splits, sizeof *r->best);
    if (!rc && (!curve || !r->best)) rc = kl_fail_memory(err, (most + 2 * r->n_splits) * sizeof *curve);
    r->last = r->best ? r->best + r->n_splits : NULL;
    for (size_t s = 0; s < r->n_splits && !rc; s++) {
        int64_t ran = 0;
        rc = kl_store_file_rows(j->file, history, s, 1, curve, err);
        if (!rc) rc = kl_store_file_rows(j->file, epochs, s, 1, &ran, err);
        if (!rc && (ran < 1 || (size_t)ran > most))
            rc = kl_fail(err, KL_EDATA, "%s: epochs: found %lld of %zu", kl_store_file_path(j->file),
                         (long long)ran, most);
        for (int64_t e = 0; e < ran && !rc; e++) r->best[s] = fmax(r->best[s], curve[e]);
        if (!rc) r->last[s] = curve[ran - 1];
    }
    free(curve);
    if (!rc)
        rc = kl_classify_judge_put(j, "reference", "best_epoch_accuracy", r->best, r->n_splits, err);
    if (!rc)
        rc = kl_classify_judge_put(j, "reference", "last_epoch_accuracy", r->last, r->n_splits, err);
    if (!rc) leave_out_collapsed(r);
    return rc;
}

/* Over runs, `best` in rising order. */
static void write_runs(FILE *to, const double *best, size_t n)
{
    const double mean = kl_stats_mean(best, n),
                 own = kl_stats_deviation(best, n) * sqrt((double)(n - 1) / (double)n);
    size_t above = 0;
    for (size_t s = 0; s < n; s++) above += best[s] >= HEADLINE - 5e-5;
    fprintf(
        to,
        "best epochs of %zu run%s: least %.4f, median %.4f, best %.4f, %+.4f more than the mean; %zu "
        "at %.4f or above\n",
        n, kl_s(n), best[0], kl_stats_sorted_quantile(best, n, 0.5), best[n - 1], best[n - 1] - mean,
        above, HEADLINE);
    if (n > 1)
        fprintf(to,
                "the study's \"95 %% interval\" is mean -+ 1 sd of these runs (%.4f): %.4f to %.4f\n",
                own, mean - own, mean + own);
}

/* "0.5692 (sd 0.0129)"; of one run without. */
static void write_mean(FILE *to, const char *what, const double *values, size_t n)
{
    fprintf(to, "%s %.4f", what, kl_stats_mean(values, n));
    if (n > 1) fprintf(to, " (sd %.4f)", kl_stats_deviation(values, n));
}

void kl_classify_reference_table(FILE *to, const struct kl_study_report *r, bool kept_last)
{
    const size_t n = r->n_chosen;
    if (!n) return;
    fputs(kept_last ? "kept at the last epoch, not chosen by its own test rows"
                    : "chosen by its own test rows",
          to);
    write_mean(to, ": best epoch", r->best, n);
    write_mean(to, ", last epoch", r->last, n);
    fprintf(to, ": the choice %s worth %+.4f\n", kept_last ? "would be" : "is",
            kl_stats_mean(r->best, n) - kl_stats_mean(r->last, n));
    write_runs(to, r->best, n);
}
