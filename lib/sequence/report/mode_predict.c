/* SPDX-License-Identifier: MIT
   qseq predict: the classes of windows, with labels or without, by a model, its replicas and its folds:
   mean probabilities, how far they differ; a file, and the same as CSV. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

enum { NUMERICAL_VERSION = 2, SCHEMA = 1 };

struct values {
    struct kl_common common;
    const char *csv;
};
static const struct kl_option options[] = {
    { "csv", 0, KL_OPT_STRING, offsetof(struct values, csv), "FILE|-", 0, 0, false,
      "a line a window as well; -: on the screen", "Predictions", NULL },
};
const struct kl_tool kl_sequence_predict_tool = {
    .name = "qseq",
    .summary = "Predicts the classes of windows, which need no labels: mean probabilities of a model's "
               "replicas and folds, and their standard deviation",
    .arguments = "predict MODEL.h5... WINDOWS.h5... -o PREDICTIONS.h5",
    .example = "qseq predict hydra.h5 new.h5 -o predictions.h5 --csv predictions.csv",
    .options = options,
    .n_options = 1,
    .values_size = sizeof(struct values),
    .without = "device seed",
    .chosen_by = "predict",
};

struct work {
    struct kl_sequence_models_and_windows files;
    struct kl_sequence_report report;
    size_t n, nets;           /* windows; models times replicas */
    double *mean, *deviation; /* (n, classes) */
    int32_t *predicted;
    size_t agree; /* windows of which all say one class */
};

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = run->values;
    int code = kl_store_mode_text_of_file(run, "csv", v->csv, err);
    if (!code)
        code = kl_store_mode_text_check(run, "csv", v->csv, "window,recording,person,onset,prediction,",
                                        err);
    return code ? code : kl_sequence_report_files(&w->files, &w->report, run, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_sequence_report_key(&((const struct work *)run->state)->files, key, err);
}

/* Probability of class k of window i, by replica r of model m. */
static double probability(const struct work *w, size_t m, size_t r, size_t i, size_t k)
{
    return w->report.probabilities[(r * w->report.n + m * w->n + i) * w->report.classes + k];
}

static void combine(struct work *w, size_t i)
{
    const struct kl_sequence_report *r = &w->report;
    double *mean = w->mean + i * r->classes, *deviation = w->deviation + i * r->classes;
    bool same = true;
    for (size_t k = 0; k < r->classes; k++) {
        double sum = 0, squares = 0;
        for (size_t j = 0; j < w->nets; j++)
            sum += probability(w, j / r->replicas, j % r->replicas, i, k);
        mean[k] = sum / (double)w->nets;
        for (size_t j = 0; j < w->nets; j++) {
            const double d = probability(w, j / r->replicas, j % r->replicas, i, k) - mean[k];
            squares += d * d;
        }
        deviation[k] = w->nets > 1 ? sqrt(squares / (double)(w->nets - 1)) : NAN;
        if (mean[k] > mean[w->predicted[i]]) w->predicted[i] = (int32_t)k;
    }
    for (size_t j = 0; j < w->nets; j++) {
        size_t most = 0;
        for (size_t k = 1; k < r->classes; k++)
            if (probability(w, j / r->replicas, j % r->replicas, i, k) >
                probability(w, j / r->replicas, j % r->replicas, i, most))
                most = k;
        same = same && (int32_t)most == w->predicted[i];
    }
    w->agree += same;
}

static int check_windows(struct kl_mode_run *run, struct kl_error *err)
{
    return kl_sequence_report_open_all(&((struct work *)run->state)->report, err);
}

static int predict(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_sequence_report *r = &w->report;
    int code = kl_sequence_report_predict(r, run->pool, err);
    if (!code) code = kl_sequence_set_unchanged(&r->set, err);
    if (code) return code;
    w->n = r->set.n, w->nets = r->n_models * r->replicas;
    const size_t size = w->n * r->classes + 1;
    w->mean = malloc(size * sizeof *w->mean), w->deviation = malloc(size * sizeof *w->deviation);
    w->predicted = calloc(w->n + 1, sizeof *w->predicted);
    if (!w->mean || !w->deviation || !w->predicted) return kl_fail_memory(err, size * sizeof *w->mean);
    for (size_t i = 0; i < w->n; i++) combine(w, i);
    return KL_OK;
}

static int save(struct kl_mode_run *run, struct kl_writer *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_sequence_set *set = &w->report.set;
    const struct kl_sequence_learned *m = &w->report.models[0];
    const size_t dims[2] = { w->n, w->report.classes };
    char model[KL_SEQUENCE_NAME];
    kl_sequence_report_name(model, &w->report);
    int code = kl_store_writer_text(to, "", "model", model, err);
    if (!code) code = kl_store_writer_integer(to, "", "heads", (int64_t)w->nets, err);
    if (!code) code = kl_store_writer_integer(to, "", "agree", (int64_t)w->agree, err);
    if (!code) code = kl_store_writer_integer(to, "", "seen", (int64_t)w->report.seen, err);
    if (!code) code = kl_store_writer_put(to, "subject", KL_TYPE_I32, 0, 1, dims, set->subject, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "recording", KL_TYPE_I32, 0, 1, dims, set->recording, err);
    if (code >= 0) code = kl_store_writer_put(to, "onset", KL_TYPE_F64, 0, 1, dims, set->onset, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "predictions", KL_TYPE_I32, 0, 1, dims, w->predicted, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "probabilities", KL_TYPE_F64, 0, 2, dims, w->mean, err);
    if (code >= 0 && w->nets > 1)
        code = kl_store_writer_put(to, "deviations", KL_TYPE_F64, 0, 2, dims, w->deviation, err);
    if (code >= 0)
        code = kl_sequence_names_put(to, "class_names", (const char *const *)m->class_names,
                                     m->n_classes, err);
    if (code >= 0)
        code = kl_sequence_names_put(to, "subject_names", (const char *const *)set->subject_names,
                                     set->n_subjects, err);
    if (code >= 0)
        code = kl_sequence_names_put(to, "recording_names", (const char *const *)set->recording_names,
                                     set->n_recordings, err);
    return code < 0 ? code : KL_OK;
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_sequence_report *r = &((const struct work *)run->state)->report;
    (void)err;
    if (r->seen)
        kl_caution(
            run->stage.log,
            "%zu of %zu windows, or others of their recording or person, trained the model or chose its "
            "epoch: what it says of these tells nothing of new ones",
            r->seen, r->set.n);
    if (r->transductive) kl_caution(run->stage.log, KL_SEQUENCE_OWN, r->transductive);
    if (r->lost) kl_caution(run->stage.log, KL_SEQUENCE_LOST, r->lost, r->channels);
    return KL_OK;
}

/* ---- as CSV, out of the file that is there ---- */

struct predictions {
    size_t n, c, n_people, n_recordings;
    char **names, **people, **recordings;
    int32_t *subject, *recording, *predicted;
    double *onset, *mean, *deviation; /* deviation NULL: of one net */
};

static int load(struct predictions *p, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code =
        kl_store_file_load_named((void **)&p->mean, &set, file, "probabilities", KL_TYPE_F64, 2, err);
    if (!code) p->n = set->dims[0];
    if (!code) code = kl_sequence_names_take(&p->names, &p->c, file, "class_names", err);
    if (!code) code = kl_sequence_names_take(&p->people, &p->n_people, file, "subject_names", err);
    if (!code)
        code = kl_sequence_names_take(&p->recordings, &p->n_recordings, file, "recording_names", err);
    if (!code && set->dims[1] != p->c)
        code = kl_fail(err, KL_EDATA, "%s: dataset probabilities: found %zu classes, expected %zu",
                       kl_store_file_path(file), set->dims[1], p->c);
    if (!code) code = kl_sequence_numbers_take(&p->predicted, file, "predictions", p->n, 0, p->c, err);
    if (!code) code = kl_sequence_numbers_take(&p->subject, file, "subject", p->n, 0, p->n_people, err);
    if (!code)
        code = kl_sequence_numbers_take(&p->recording, file, "recording", p->n, 0, p->n_recordings, err);
    const size_t dims[2] = { p->n, p->c };
    if (!code)
        code = kl_store_file_load_shape((void **)&p->onset, file, "onset", KL_TYPE_F64, 1, dims, err);
    if (!code && kl_store_file_find(file, "deviations"))
        code = kl_store_file_load_shape((void **)&p->deviation, file, "deviations", KL_TYPE_F64, 2, dims,
                                        err);
    return code;
}

static void put_name(FILE *to, const char *before, const char *name)
{
    char field[256];
    snprintf(field, sizeof field, "%s%s", before, name);
    fputc(',', to), kl_csv_write(to, field, strlen(field));
}

static int put_csv(FILE *to, const void *context, struct kl_error *err)
{
    const struct predictions *p = context;
    (void)err;
    fputs("window,recording,person,onset,prediction", to);
    for (size_t k = 0; k < p->c; k++) put_name(to, "p ", p->names[k]);
    for (size_t k = 0; k < p->c && p->deviation; k++) put_name(to, "sd ", p->names[k]);
    fputc('\n', to);
    for (size_t i = 0; i < p->n; i++) {
        fprintf(to, "%zu", i);
        put_name(to, "", p->recordings[p->recording[i]]), put_name(to, "", p->people[p->subject[i]]);
        if (isnan(p->onset[i])) fputc(',', to);
        else fprintf(to, ",%.10g", p->onset[i]);
        put_name(to, "", p->names[p->predicted[i]]);
        for (size_t k = 0; k < p->c; k++) fprintf(to, ",%.6g", p->mean[i * p->c + k]);
        for (size_t k = 0; k < p->c && p->deviation; k++)
            fprintf(to, ",%.3g", p->deviation[i * p->c + k]);
        fputc('\n', to);
    }
    return KL_OK;
}

static int write_csv(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct predictions p = { 0 };
    if (!v->csv) return KL_OK;
    struct kl_file *file = NULL;
    int code = kl_store_file_open_kind(&file, v->common.output, &kl_sequence_predictions_kind, err);
    if (!code) code = load(&p, file, err);
    kl_store_file_close(&file);
    if (!code) code = kl_store_mode_text_write(run, v->csv, put_csv, &p, err);
    kl_sequence_names_free(p.names, p.c), kl_sequence_names_free(p.people, p.n_people);
    kl_sequence_names_free(p.recordings, p.n_recordings);
    free(p.subject), free(p.recording), free(p.predicted), free(p.onset), free(p.mean);
    free(p.deviation);
    return code;
}

/* ---- what was found ---- */

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    char model[KL_SEQUENCE_NAME];
    kl_sequence_report_name(model, &w->report);
    const struct kl_json_pair pairs[] = {
        { "model", KL_JSON_TEXT, model, 0 },
        { "windows", KL_JSON_COUNT, NULL, (double)w->n },
        { "classes", KL_JSON_COUNT, NULL, (double)w->report.classes },
        { "heads", KL_JSON_COUNT, NULL, (double)w->nets },
        { "agree", KL_JSON_COUNT, NULL, (double)w->agree },
        { "seen", KL_JSON_COUNT, NULL, (double)w->report.seen },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    char model[KL_SEQUENCE_NAME];
    kl_sequence_report_name(model, &w->report);
    fprintf(to, "%s: %zu window%s by %s", run->stage.common->output, w->n, kl_s(w->n), model);
    if (w->nets > 1) fprintf(to, ", the mean of %zu, which agree on %zu", w->nets, w->agree);
    for (size_t k = 0; k < w->report.classes; k++) {
        size_t n = 0;
        for (size_t i = 0; i < w->n; i++) n += w->predicted[i] == (int32_t)k;
        fprintf(to, "%s%s %zu", k ? ", " : ": ", w->report.models[0].class_names[k], n);
    }
    fputc('\n', to);
}

static void close_files(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sequence_report_close(&w->report);
    kl_sequence_report_files_close(&w->files);
    free(w->mean), free(w->deviation), free(w->predicted);
}

static const struct kl_kind_number numbers[] = {
    { .attribute = "model", .title = "model" },
    { .attribute = "heads", .title = "nets", .format = "%.0f" },
    { .attribute = "agree", .title = "  agree on", .format = "%.0f" },
    { .attribute = "seen", .title = "windows that they learnt from", .format = "%.0f" },
    { .attribute = NULL }
};
const struct kl_kind kl_sequence_predictions_kind = {
    .name = "sequence-predictions", .maker = "qseq predict", .classes = "class_names", .numbers = numbers
};

static const struct kl_file_stage stage = { .kind = &kl_sequence_predictions_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "qseq predict",
                                            .state_size = sizeof(struct work),
                                            .stops_at_once = true,
                                            .open = open_inputs,
                                            .key = key,
                                            .check = check_windows,
                                            .compute = predict,
                                            .save = save,
                                            .remark = remark,
                                            .after = write_csv,
                                            .json = json,
                                            .words = words,
                                            .close = close_files };
const struct kl_mode kl_sequence_mode_predict = { .tool = &kl_sequence_predict_tool, .stage = &stage };
