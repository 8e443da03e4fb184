/* SPDX-License-Identifier: MIT
   The datasets of a report: predictions and probabilities of each sample, and the tables that the
   figures draw. */
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "head/features.h"
#include "store/kind.h"
#include "store/store.h"

static int put_classes(struct kl_writer *w, const struct kl_evaluation *e, struct kl_error *err)
{
    size_t cells = e->replicas * e->c * e->c, dims[3] = { e->replicas, e->c, e->c },
           table_dims[3] = { e->replicas, e->c, 3 };
    int64_t *counts = malloc(cells * sizeof *counts);
    double *table = malloc(e->replicas * e->c * 3 * sizeof *table);
    int code = counts && table ? KL_OK : kl_fail_memory(err, cells * sizeof *counts);
    for (size_t r = 0; !code && r < e->replicas; r++) {
        kl_stats_confusion(counts + r * e->c * e->c, e->labels, e->predictions + r * e->n, e->n, e->c);
        for (size_t k = 0; k < e->c; k++) {
            struct kl_class_metrics m = kl_stats_class_metrics(counts + r * e->c * e->c, e->c, k);
            double *row = table + (r * e->c + k) * 3;
            row[0] = m.precision, row[1] = m.recall, row[2] = m.f1;
        }
    }
    if (!code) code = kl_store_writer_put(w, "confusion", KL_TYPE_I64, 0, 3, dims, counts, err);
    if (!code) code = kl_store_writer_put(w, "per_class", KL_TYPE_F64, 0, 3, table_dims, table, err);
    if (!code) code = kl_store_writer_text(w, "per_class", "columns", "precision,recall,f1", err);
    if (!code)
        code = kl_store_writer_text(w, "confusion", "axes", "replica,true class,predicted class", err);
    free(counts);
    free(table);
    return code;
}

static int put_calibration(struct kl_writer *w, const struct kl_evaluation *e, struct kl_error *err)
{
    size_t dims[3] = { e->replicas, KL_CALIBRATION_BINS, 3 },
           values = e->replicas * KL_CALIBRATION_BINS * 3;
    double *bins = malloc(values * sizeof *bins);
    if (!bins) return kl_fail_memory(err, values * sizeof *bins);
    for (size_t r = 0; r < e->replicas; r++) {
        int64_t count[KL_CALIBRATION_BINS];
        double accuracy[KL_CALIBRATION_BINS], confidence[KL_CALIBRATION_BINS];
        kl_stats_calibration(count, accuracy, confidence, e->probabilities + r * e->n * e->c, e->labels,
                             e->n, e->c, KL_CALIBRATION_BINS);
        for (size_t b = 0; b < KL_CALIBRATION_BINS; b++) {
            double *row = bins + (r * KL_CALIBRATION_BINS + b) * 3;
            row[0] = (double)count[b], row[1] = accuracy[b], row[2] = confidence[b];
        }
    }
    int code = kl_store_writer_put(w, "calibration", KL_TYPE_F64, 0, 3, dims, bins, err);
    if (!code)
        code = kl_store_writer_text(w, "calibration", "columns", "count,accuracy,confidence", err);
    free(bins);
    return code;
}

static int put_scalars(struct kl_writer *w, const struct kl_evaluation *e, const struct kl_mcnemar *test,
                       struct kl_error *err)
{
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(e);
    int code = kl_store_writer_number(w, "", "accuracy", s.accuracy, err);
    if (!code) code = kl_store_writer_number(w, "", "accuracy_low", s.interval.low, err);
    if (!code) code = kl_store_writer_number(w, "", "accuracy_high", s.interval.high, err);
    if (!code)
        code = kl_store_writer_number(w, "", "expected_calibration_error", s.calibration_error, err);
    if (!code) code = kl_store_writer_number(w, "", "log_loss", s.log_loss, err);
    if (!code) code = kl_store_writer_integer(w, "", "top_k_k", (int64_t)e->k, err);
    if (!code && test)
        code = kl_store_writer_integer(w, "", "mcnemar_only_first", test->only_first, err);
    if (!code && test)
        code = kl_store_writer_integer(w, "", "mcnemar_only_second", test->only_second, err);
    if (!code && test) code = kl_store_writer_number(w, "", "mcnemar_p", test->p, err);
    if (!code && test)
        code = kl_store_writer_text(w, "", "mcnemar_test", test->exact ? "exact" : "chi-squared", err);
    /* Reports of exact, noiseless heads have neither. */
    if (!code && strcmp(e->noise, "none") != 0)
        code = kl_store_writer_text(w, "", "noise", e->noise, err);
    if (!code && e->replica) code = kl_store_writer_integer(w, "", "replica", e->first, err);
    if (!code && e->ensemble)
        code = kl_store_writer_integer(w, "", "ensemble", (int64_t)e->ensemble, err);
    if (!code && e->shots) code = kl_store_writer_integer(w, "", "shots", (int64_t)e->shots, err);
    return code;
}

int kl_head_evaluation_save(struct kl_writer *w, const struct kl_evaluation *e,
                            const struct kl_evaluation_cautions *cautions, const struct kl_mcnemar *test,
                            struct kl_error *err)
{
    size_t dims[3] = { e->replicas, e->n, e->c }, names[1] = { e->features->n_classes };
    int code = put_scalars(w, e, test, err);
    if (!code && cautions->differs) code = kl_store_writer_integer(w, "", "preprocess_differs", 1, err);
    if (!code && cautions->trained) code = kl_store_writer_integer(w, "", "trained_on_these", 1, err);
    if (!code) code = kl_head_trajectory_error_save(w, e->trajectories, e->drawn, e->replicas, err);
    if (!code) code = kl_head_mitigation_save(w, &e->mitigation, e->mitigated, e->replicas, err);
    if (!code) code = kl_store_writer_put(w, "index", KL_TYPE_I64, 0, 1, &e->n, e->rows, err);
    if (!code) code = kl_store_writer_put(w, "labels", KL_TYPE_I32, 0, 1, &e->n, e->labels, err);
    if (!code)
        code = kl_store_writer_put(w, "predictions", KL_TYPE_I32, 0, 2, dims, e->predictions, err);
    if (!code)
        code = kl_store_writer_put(w, "probabilities", KL_TYPE_F32, 0, 3, dims, e->probabilities, err);
    if (!code)
        code = kl_store_writer_put(w, "replicas/accuracy", KL_TYPE_F64, 0, 1, &e->replicas, e->accuracy,
                                   err);
    if (!code)
        code = kl_store_writer_put(w, "replicas/log_loss", KL_TYPE_F64, 0, 1, &e->replicas, e->log_loss,
                                   err);
    if (!code)
        code = kl_store_writer_put(w, "replicas/top_k", KL_TYPE_F64, 0, 1, &e->replicas, e->top_k, err);
    if (!code)
        code = kl_store_writer_put(w, "replicas/expected_calibration_error", KL_TYPE_F64, 0, 1,
                                   &e->replicas, e->calibration_error, err);
    if (!code) code = put_classes(w, e, err);
    if (!code) code = put_calibration(w, e, err);
    if (!code)
        code = kl_store_writer_put(w, "class_names", KL_TYPE_STRING, e->features->name_size, 1, names,
                                   e->features->class_names, err);
    return code;
}

#define OF(name, words, ...)                                             \
    {                                                                    \
        .attribute = name, .title = words, .format = "%.4f", __VA_ARGS__ \
    }
#define ENDS .low = "  95 % from", .high = "  to"
/* Noise and mitigation are those that were applied, by qeval's own options or by the head's. */
static const struct kl_kind_number numbers[] = {
    { .attribute = "noise", .title = "noise" },
    { .attribute = "mitigation", .title = "mitigation" },
    OF("accuracy", "accuracy", ENDS, .low_of_several = "  95 % of samples"),
    OF("log_loss", "log loss"),
    OF("expected_calibration_error", "calibration error"),
    OF("output_error", "outputs off by"),
    OF("unmitigated_output_error", "  not mitigated"),
    OF("unmitigated_accuracy", "  their accuracy"),
    { .attribute = "mcnemar_p", .title = "McNemar p", .format = "%.3g" },
    OF("minus_twin", "circuit - twin", ENDS, .difference = true),
    OF("minus_frozen", "circuit - frozen", ENDS, .difference = true),
    OF("minus_none", "circuit - none", ENDS, .difference = true),
    { .attribute = NULL }
};
static const struct kl_kind_group counted[] = {
    { { "controls/" }, "controls/, what was trained in the circuit's place" }, { .words = NULL }
};
const struct kl_kind kl_report_kind = { .name = "report",
                                        .maker = "qeval",
                                        .classes = "class_names",
                                        .numbers = numbers,
                                        .replicas = { "replicas/accuracy", "heads' accuracy" },
                                        .groups = counted };
