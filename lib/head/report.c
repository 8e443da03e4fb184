/* SPDX-License-Identifier: MIT
   The report of an evaluation: predictions and probabilities of each sample and the tables that the
   figures draw; what was found, in words and as JSON. */
#include "head/evaluate.h"

#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- One line about all heads of an evaluation ---- */

struct kl_evaluation_summary kl_head_evaluation_summary(const struct kl_evaluation *e)
{
    const double mean = kl_stats_mean(e->accuracy, e->replicas);
    return (struct kl_evaluation_summary){
        .accuracy = mean,
        .deviation = kl_stats_deviation(e->accuracy, e->replicas),
        .interval = kl_stats_wilson(mean, e->n, KL_Z95),
        .log_loss = kl_stats_mean(e->log_loss, e->replicas),
        .calibration_error = kl_stats_mean(e->calibration_error, e->replicas),
    };
}

/* ---- Datasets ---- */

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
    OF("accuracy", "accuracy", ENDS, .low_of_several = "  95 % over samples"),
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

/* ---- What an evaluation found, in words or as JSON ---- */

/* Of the other head's first replica, on the samples of the first one of e. */
static double compared_accuracy(const struct kl_evaluation *e, const struct kl_mcnemar *test)
{
    return e->accuracy[0] + (double)(test->only_second - test->only_first) / (double)e->n;
}

int kl_head_evaluation_tell_json(FILE *to, const struct kl_evaluation_found *found, struct kl_error *err)
{
    enum { HEAD = 19 };
    const struct kl_evaluation *e = found->e;
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(e);
    const int n_controls = found->controls->absent ? 0 : KL_CONTROLS;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 4 + 3 * KL_CONTROLS + KL_MITIGATION_PAIRS + KL_DRAWN_PAIRS] = {
        { "output", KL_JSON_TEXT, found->output, 0 },
        { "key", KL_JSON_TEXT, found->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "samples", KL_JSON_COUNT, NULL, (double)e->n },
        { "replicas", KL_JSON_COUNT, NULL, (double)e->replicas },
        { "accuracy", KL_JSON_NUMBER, NULL, s.accuracy },
        { "accuracy_sd", KL_JSON_NUMBER, NULL, s.deviation },
        { "accuracy_low", KL_JSON_NUMBER, NULL, s.interval.low },
        { "accuracy_high", KL_JSON_NUMBER, NULL, s.interval.high },
        { "log_loss", KL_JSON_NUMBER, NULL, s.log_loss },
        { "ece", KL_JSON_NUMBER, NULL, s.calibration_error },
        { "noise", KL_JSON_TEXT, e->noise, 0 },
        { "shots", KL_JSON_COUNT, NULL, (double)e->shots },
        { "trained_shots", KL_JSON_COUNT, NULL, (double)e->trained_shots },
        { "preprocess_differs", KL_JSON_BOOL, NULL, found->cautions->differs },
        { "trained_on_these", KL_JSON_BOOL, NULL, found->cautions->trained },
        { "collapsed", KL_JSON_COUNT, NULL, (double)found->collapsed },
        kl_json_cautions(found->log),
        { "controls", KL_JSON_BOOL, NULL, n_controls > 0 }
    };
    kl_head_control_numbers(&numbers, found->controls->difference, n_controls, true);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    size_t n = HEAD + numbers.n;
    if (e->replica)
        pairs[n++] = (struct kl_json_pair){ "replica", KL_JSON_COUNT, NULL, (double)e->first };
    if (e->ensemble)
        pairs[n++] = (struct kl_json_pair){ "ensemble", KL_JSON_COUNT, NULL, (double)e->ensemble };
    n += kl_head_trajectory_error_pairs(pairs + n, e->trajectories, e->drawn, e->replicas);
    n += kl_head_mitigation_pairs(pairs + n, &e->mitigation, e->mitigated, e->replicas);
    if (found->test) {
        pairs[n++] = (struct kl_json_pair){ "mcnemar_p", KL_JSON_NUMBER, NULL, found->test->p };
        pairs[n++] = (struct kl_json_pair){ "compared_accuracy", KL_JSON_NUMBER, NULL,
                                            compared_accuracy(e, found->test) };
    }
    return kl_json_line(to, pairs, n, err);
}

int kl_head_evaluation_confusion(int64_t **confusion, const struct kl_evaluation *e,
                                 struct kl_error *err)
{
    *confusion = malloc(e->c * e->c * sizeof **confusion);
    if (!*confusion) return kl_fail_memory(err, e->c * e->c * sizeof **confusion);
    kl_stats_confusion(*confusion, e->labels, e->predictions, e->n, e->c);
    return KL_OK;
}

static void tell_classes(FILE *to, const struct kl_evaluation *e, const int64_t *confusion)
{
    const struct kl_features *f = e->features;
    fprintf(to, "%-20s %9s %9s %9s %9s\n", "class", "precision", "recall", "f1", "samples");
    for (size_t k = 0; k < f->n_classes; k++) {
        struct kl_class_metrics m = kl_stats_class_metrics(confusion, e->c, k);
        fprintf(to, "%-20.*s %9.4f %9.4f %9.4f %9lld\n", (int)f->name_size,
                f->class_names + k * f->name_size, m.precision, m.recall, m.f1, (long long)m.support);
    }
}

void kl_head_evaluation_tell(FILE *to, const struct kl_evaluation_found *found)
{
    const struct kl_evaluation *e = found->e;
    const struct kl_mcnemar *test = found->test;
    const char *output = found->output;
    const struct kl_evaluation_summary s = kl_head_evaluation_summary(e);
    char which[64] = "";
    if (e->replica) snprintf(which, sizeof which, "replica %lld, ", (long long)e->first);
    if (e->ensemble) snprintf(which, sizeof which, "ensemble of %zu draws, ", e->ensemble);
    if (e->replicas == 1)
        fprintf(to, "%s: %saccuracy %.4f [%.4f, %.4f], log loss %.4f, ECE %.4f on %zu sample%s", output,
                which, s.accuracy, s.interval.low, s.interval.high, s.log_loss, s.calibration_error,
                e->n, kl_s(e->n));
    else
        fprintf(to,
                "%s: accuracy %.4f +- %.4f (standard deviation over %zu heads; 95 %% over samples %.4f "
                "to %.4f), on %zu sample%s",
                output, s.accuracy, s.deviation, e->replicas, s.interval.low, s.interval.high, e->n,
                kl_s(e->n));
    if (strcmp(e->noise, "none") != 0) fprintf(to, ", noise %s", e->noise);
    if (e->shots) fprintf(to, ", %zu shot%s", e->shots, kl_s(e->shots));
    if (e->trained_shots)
        fprintf(to, ", trained with %zu shot%s", e->trained_shots, kl_s(e->trained_shots));
    fputc('\n', to);
    kl_head_trajectory_error_write(to, e->trajectories, e->drawn, e->replicas);
    kl_head_mitigation_write(to, &e->mitigation, e->mitigated, e->replicas);
    if (found->controls->absent) fprintf(to, "  no controls: %s\n", found->controls->absent);
    else kl_head_controls_write(to, found->controls->difference, KL_CONTROLS, found->controls->collapsed);
    if (test)
        fprintf(to, "McNemar%s: %lld right only here, %lld only in %s (accuracy %.4f), p = %.4g (%s)\n",
                e->replicas > 1 ? ", first heads" : "", (long long)test->only_first,
                (long long)test->only_second, found->compared, compared_accuracy(e, test), test->p,
                test->exact ? "exact" : "chi-squared");
    if (found->confusion) tell_classes(to, e, found->confusion);
}
