/* SPDX-License-Identifier: MIT
   qeval --qrng CLASSIFIER.h5 BITS...: what classifiers of devices are worth on rows they have not seen;
   the report as text. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "qrng/bits/options.h"
#include "qrng/classify/classify_int.h"
#include "qrng/classify/study.h"
#include "store/mode.h"

enum { SHOWN_CLASSES = 8 };

static void write_model(FILE *to, const struct kl_study_verdict *v, const struct kl_study_report *r)
{
    fprintf(to, "%-10s %.4f  %.4f to %.4f  %8.4f  %11.4f  %11.1f ", kl_classify_model_name(v->model),
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
        fprintf(to, "%s less %s: %+.4f ", kl_classify_model_name(own->model),
                kl_classify_model_name(other->model), mean);
        if (kl_has_width(of.low, of.high)) fprintf(to, "(95 %% %+.4f to %+.4f)\n", of.low, of.high);
        else fprintf(to, "(the same on all splits)\n");
    }
}

static void write_collapsed(FILE *to, const struct kl_study_verdict *v, size_t n_splits)
{
    if (!v->collapsed) return;
    fprintf(to, "%s: collapsed in %zu of %zu splits: it answers with one device whatever the row",
            kl_classify_model_name(v->model), v->collapsed, n_splits);
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
    if (!kl_bits_may_depend(&r->dependence)) return;
    kl_bits_dependence_p(p, &r->dependence);
    fprintf(to,
            "but they %s on each other (%s, device %s): a classifier may exceed the limit, and a row "
            "tell more\n",
            kl_bits_depend_words(&r->dependence), p, bits->names[r->dependence.device]);
}

void kl_classify_table(FILE *to, const struct kl_study_report *r, const struct kl_study *study)
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
                kl_classify_model_name(r->models[0].model), kl_stats_mean(r->null, r->n_null),
                kl_stats_deviation(r->null, r->n_null), r->n_null, r->null_p);
    if (!r->no_limit) write_information(to, r, study->bits);
    if (biased) kl_classify_reference_table(to, r, strcmp(study->v->keep, "last") == 0);
}

enum { NUMERICAL_VERSION = 9, SCHEMA = 1 };

struct values {
    struct kl_common common;
    bool qrng, packed;
    int64_t symbol_bits, row_bits;
    const char *encoding;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "qrng", 0, KL_OPT_FLAG, AT(qrng), NULL, 0, 0, false, "classifiers of devices, not heads", "Input",
      NULL },
    KL_SYMBOL_OPTION(AT(symbol_bits), NULL),
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
};
const struct kl_tool kl_judge_tool = {
    .name = "qeval",
    .summary = "Judges classifiers of devices on the rows that training has not seen",
    .arguments = "--qrng CLASSIFIER.h5 BITS... -o REPORT.h5",
    .example = "qeval --qrng c.h5 rows.txt -o report.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "progress seed",
    .chosen_by = "--qrng",
};

struct work {
    struct kl_study_file classifier;
    struct kl_bits bits;
    struct kl_study study;
    struct kl_study_report report;
    const struct kl_file **parents;
};

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits };
    int code = kl_classify_file_open(&w->classifier, run->stage.inputs[0], err);
    if (!code)
        code = kl_bits_read_files(&w->bits, run->stage.inputs + 1, run->stage.n_inputs - 1, &how, err);
    if (!code) code = kl_classify_file_check(&w->classifier, &w->bits, err);
    if (!code) code = kl_classify_study_open(&w->study, &w->classifier.v, &w->bits, err);
    if (code) return code;
    const size_t n = w->bits.n_files + 1;
    if (!(w->parents = calloc(n, sizeof *w->parents)))
        return kl_fail_memory(err, n * sizeof *w->parents);
    w->parents[0] = w->classifier.file;
    for (size_t i = 0; i + 1 < n; i++) w->parents[i + 1] = w->bits.files[i];
    run->parents = w->parents, run->n_parents = n;
    return KL_OK;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    const int code =
        kl_store_key_input(key, "classifier", kl_store_file_content(w->classifier.file), err);
    return code ? code
                : kl_bits_identify(key, run->raw_inputs, &w->bits, run->stage.inputs + 1,
                                   run->stage.n_inputs - 1, err);
}

static int judge(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    kl_bits_note_dropped(run->stage.log, w->bits.n_dropped, w->bits.n_bits);
    kl_bits_note_narrow(run->stage.log, w->bits.used_bits, w->bits.symbol_bits);
    const int code = kl_classify_judge(&w->report, &w->study, w->classifier.file, writer, err);
    return code || !kl_signals_pending() ? code : kl_fail(err, KL_ESIGNAL, "stopped");
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_study_report *r = &w->report;
    const struct kl_study_verdict *first = &r->models[0];
    enum { HEAD = 8 };
    struct kl_json_pair pairs[HEAD + KL_STUDY_MOST_MODELS + 5] = {
        { "protocol", KL_JSON_TEXT, w->study.v->protocol, 0 },
        { "splits", KL_JSON_COUNT, NULL, (double)r->n_splits },
        { "test_rows", KL_JSON_COUNT, NULL, (double)r->n_test },
        { "accuracy_sd", KL_JSON_NUMBER, NULL, kl_stats_deviation(first->accuracy, r->n_splits) },
        { "accuracy_low", KL_JSON_NUMBER, NULL, first->low },
        { "accuracy_high", KL_JSON_NUMBER, NULL, first->high },
        { "log_loss", KL_JSON_NUMBER, NULL, kl_stats_mean(first->log_loss, r->n_splits) },
        { "log10_p", KL_JSON_NUMBER, NULL, first->worst_log10_p },
    };
    size_t n = HEAD;
    for (int m = 0; m < r->n_models; m++)
        pairs[n++] = (struct kl_json_pair){ kl_classify_model_name(r->models[m].model), KL_JSON_NUMBER,
                                            NULL, r->models[m].mean };
    if (!r->no_limit)
        pairs[n++] = (struct kl_json_pair){ "limit", KL_JSON_NUMBER, NULL, r->limit.accuracy };
    pairs[n++] = (struct kl_json_pair){ "symbol_bits", KL_JSON_COUNT, NULL, r->symbol_bits };
    pairs[n++] =
        (struct kl_json_pair){ "dependence_log10_p", KL_JSON_NUMBER, NULL, r->dependence.log10_p };
    pairs[n++] = (struct kl_json_pair){
        "dependence_device", KL_JSON_TEXT,
        kl_bits_may_depend(&r->dependence) ? w->bits.names[r->dependence.device] : "", 0
    };
    if (r->n_null) pairs[n++] = (struct kl_json_pair){ "null_p", KL_JSON_NUMBER, NULL, r->null_p };
    if (r->last)
        pairs[n++] = (struct kl_json_pair){ "last_epoch", KL_JSON_NUMBER, NULL,
                                            kl_stats_mean(r->last, r->n_chosen) };
    return kl_store_mode_json(run, to, pairs, n, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    kl_classify_table(to, &w->report, &w->study);
}

static void close_inputs(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_classify_report_free(&w->report);
    kl_classify_study_close(&w->study);
    kl_classify_file_close(&w->classifier);
    kl_bits_free(&w->bits);
    free(w->parents);
}

static const struct kl_file_stage stage = { .kind = &kl_judge_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .state_size = sizeof(struct work),
                                            .open = open_inputs,
                                            .key = key,
                                            .save = judge,
                                            .json = json,
                                            .words = words,
                                            .close = close_inputs };
const struct kl_mode kl_mode_qeval = { .tool = &kl_judge_tool, .stage = &stage };
