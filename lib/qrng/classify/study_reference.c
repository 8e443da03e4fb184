/* SPDX-License-Identifier: MIT
   What choosing the epoch by the test rows is worth, which the study's headline is made of. */
#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "stats/ranks.h"
#include "qrng/classify/study_int.h"

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

int kl_judge_epochs(struct kl_study_report *r, const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_dataset *history = NULL, *epochs = NULL;
    if (j->study->protocol != KL_REFERENCE || !j->study->network) return KL_OK;
    int rc = kl_store_file_expect(&history, j->file, "history/judge_accuracy", KL_TYPE_F64, 2, err);
    if (!rc) rc = kl_judge_find(&epochs, j, "epochs", KL_TYPE_I64, 1, sizeof(int64_t), err);
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
    if (!rc) rc = kl_judge_put(j, "reference", "best_epoch_accuracy", r->best, r->n_splits, err);
    if (!rc) rc = kl_judge_put(j, "reference", "last_epoch_accuracy", r->last, r->n_splits, err);
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

void kl_study_reference_table(FILE *to, const struct kl_study_report *r, bool kept_last)
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
