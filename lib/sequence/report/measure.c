/* SPDX-License-Identifier: MIT
   Metrics of a report, its file, and models that name one class for all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"
#include "sequence/windows/windows.h"

/* ---- metrics of a report, overall and of each person, and its file ---- */

static const struct kl_kind_heading headings[] = { { "", "model" }, { "", "split" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "accuracy", .title = "accuracy", .format = "%.4f" },
    { .attribute = "accuracy_se_people", .title = "its standard error over people", .format = "%.4f" },
    { .attribute = "accuracy_se", .title = "the same by windows alone", .format = "%.4f" },
    { .attribute = "balanced_accuracy", .title = "balanced accuracy", .format = "%.4f" },
    { .attribute = "kappa", .title = "kappa", .format = "%.4f" },
    { .attribute = "auc", .title = "area under the ROC", .format = "%.4f" },
    { .attribute = "f1", .title = "F1, weighted", .format = "%.4f" },
    { .attribute = "log_loss", .title = "log loss, nats", .format = "%.4f" },
    { .attribute = "brier", .title = "Brier score", .format = "%.4f" },
    { .attribute = "calibration", .title = "calibration error", .format = "%.4f" },
    { .attribute = "leak", .title = "leak (recordings in training and test)", .format = "%.0f" },
    { .attribute = "transductive", .title = "fitted on each person's own windows", .format = "%.0f" },
    { .attribute = NULL },
};
static const struct kl_kind_table tables[] = {
    { .name = "chosen",
      .axes = { { "point", "chosen/point" } },
      .columns = { KL_KIND_COLUMN("fold", "chosen/fold", "fold", "%.0f"),
                   KL_KIND_COLUMN("val_loss", "chosen/val_loss", "val loss", "%.4f"),
                   KL_KIND_COLUMN("val_accuracy", "chosen/val_accuracy", "val accuracy", "%.4f") } },
    { .name = "people",
      .axes = { { "person", "subject_names" } },
      .columns = { KL_KIND_COLUMN("windows", "subjects/n", "windows", "%.0f", .cell = KL_CELL_AT),
                   KL_KIND_COLUMN("accuracy", "subjects/mean_accuracy", "accuracy", "%.3f",
                                  .cell = KL_CELL_AT) } },
    { .name = NULL },
};
const struct kl_kind kl_sequence_report_kind = { .name = "sequence-report",
                                                 .maker = "qseq eval",
                                                 .headings = headings,
                                                 .classes = "class_names",
                                                 .numbers = numbers,
                                                 .replicas = { "metrics/accuracy", "accuracy" },
                                                 .tables = tables };

static int measure_person(struct kl_sequence_report *r, size_t replica, size_t person, int32_t *labels,
                          double *p, struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->person[i] != (int32_t)person) continue;
        labels[n] = r->labels[i];
        memcpy(p + n * r->classes, r->probabilities + (replica * r->n + i) * r->classes,
               r->classes * sizeof *p);
        n++;
    }
    r->person_n[person] = (int64_t)n;
    return kl_stats_metrics(&r->of_person[replica * r->n_people + person], NULL, labels, p, n,
                            r->classes, err);
}

int kl_sequence_report_measure(struct kl_sequence_report *r, struct kl_error *err)
{
    r->metrics = calloc(r->replicas + 1, sizeof *r->metrics);
    r->confusion = calloc(r->replicas * r->classes * r->classes + 1, sizeof *r->confusion);
    r->of_person = calloc(r->replicas * r->n_people + 1, sizeof *r->of_person);
    r->person_n = calloc(r->n_people + 1, sizeof *r->person_n);
    int32_t *labels = malloc((r->n + 1) * sizeof *labels);
    double *p = malloc((r->n * r->classes + 1) * sizeof *p);
    int code = KL_OK;
    if (!r->metrics || !r->confusion || !r->of_person || !r->person_n || !labels || !p)
        code = kl_fail_memory(err, r->n * r->classes * sizeof *p);
    for (size_t rep = 0; rep < r->replicas && !code; rep++) {
        code =
            kl_stats_metrics(&r->metrics[rep], r->confusion + rep * r->classes * r->classes, r->labels,
                             r->probabilities + rep * r->n * r->classes, r->n, r->classes, err);
        for (size_t s = 0; s < r->n_people && !code; s++)
            code = measure_person(r, rep, s, labels, p, err);
    }
    free(labels), free(p);
    return code;
}

double kl_sequence_report_mean(const struct kl_sequence_report *r, int k)
{
    double sum = 0;
    for (size_t rep = 0; rep < r->replicas; rep++) sum += kl_stats_metric(&r->metrics[rep], k);
    return sum / (double)r->replicas;
}

/* Mean over replicas. */
static double accuracy_of(const struct kl_sequence_report *r, size_t person)
{
    double sum = 0;
    for (size_t rep = 0; rep < r->replicas; rep++)
        sum += r->of_person[rep * r->n_people + person].accuracy;
    return sum / (double)r->replicas;
}

double kl_sequence_report_se_people(const struct kl_sequence_report *r)
{
    const double accuracy = kl_sequence_report_mean(r, 0), people = (double)r->n_people;
    double squares = 0;
    if (r->n_people < 2) return NAN;
    for (size_t s = 0; s < r->n_people; s++) {
        const double share = (double)r->person_n[s] / (double)r->n,
                     off = share * (accuracy_of(r, s) - accuracy);
        squares += off * off;
    }
    return sqrt(people / (people - 1) * squares);
}

double kl_sequence_report_se_windows(const struct kl_sequence_report *r)
{
    const double accuracy = kl_sequence_report_mean(r, 0);
    return sqrt(accuracy * (1 - accuracy) / (double)r->n);
}

/* ---- the file ---- */

static int put(struct kl_writer *w, const char *name, enum kl_type type, int rank, const size_t *dims,
               const void *values, struct kl_error *err)
{
    const int code = kl_store_writer_put(w, name, type, 0, rank, dims, values, err);
    return code < 0 ? code : KL_OK;
}

static int put_metrics(const struct kl_sequence_report *r, struct kl_writer *w, struct kl_error *err)
{
    const size_t dims[2] = { r->replicas, r->n_people };
    double *values = malloc((r->replicas * r->n_people + r->replicas + 1) * sizeof *values);
    int code = values ? KL_OK : kl_fail_memory(err, r->replicas * r->n_people * sizeof *values);
    char name[64];
    for (int k = 0; k < KL_METRICS && !code; k++) {
        const double mean = kl_sequence_report_mean(r, k);
        for (size_t i = 0; i < r->replicas; i++) values[i] = kl_stats_metric(&r->metrics[i], k);
        snprintf(name, sizeof name, "metrics/%s", kl_stats_metric_names[k]);
        code = put(w, name, KL_TYPE_F64, 1, dims, values, err);
        for (size_t i = 0; i < r->replicas * r->n_people; i++)
            values[i] = kl_stats_metric(&r->of_person[i], k);
        snprintf(name, sizeof name, "subjects/%s", kl_stats_metric_names[k]);
        if (!code) code = put(w, name, KL_TYPE_F64, 2, dims, values, err);
        if (!code && isfinite(mean))
            code = kl_store_writer_number(w, "", kl_stats_metric_names[k], mean, err);
    }
    for (size_t s = 0; s < r->n_people && !code; s++) values[s] = accuracy_of(r, s);
    if (!code) code = put(w, "subjects/mean_accuracy", KL_TYPE_F64, 1, dims + 1, values, err);
    free(values);
    return code;
}

/* Of each tested window: who, which recording, when, by which model. */
static int put_rows(const struct kl_sequence_report *r, struct kl_writer *w, struct kl_error *err)
{
    const struct kl_sequence_set *set = &r->set;
    int32_t *list = malloc((r->n + 1) * sizeof *list);
    double *onset = malloc((r->n + 1) * sizeof *onset);
    int code = list && onset ? KL_OK : kl_fail_memory(err, r->n * sizeof *onset);
    if (!code) code = put(w, "labels", KL_TYPE_I32, 1, &r->n, r->labels, err);
    if (!code) code = put(w, "subject", KL_TYPE_I32, 1, &r->n, r->person, err);
    for (size_t i = 0; i < r->n && !code; i++) {
        list[i] = set->recording[r->tested[i].window];
        onset[i] = set->onset[r->tested[i].window];
    }
    if (!code) code = put(w, "recording", KL_TYPE_I32, 1, &r->n, list, err);
    if (!code) code = put(w, "onset", KL_TYPE_F64, 1, &r->n, onset, err);
    for (size_t i = 0; i < r->n && !code; i++) list[i] = r->tested[i].model;
    if (!code) code = put(w, "fold", KL_TYPE_I32, 1, &r->n, list, err);
    free(list), free(onset);
    return code;
}

static int put_names(const struct kl_sequence_report *r, struct kl_writer *w, struct kl_error *err)
{
    const struct kl_sequence_set *set = &r->set;
    int code = kl_sequence_names_put(w, "subject_names", r->people, r->n_people, err);
    if (!code)
        code = kl_sequence_names_put(w, "recording_names", (const char *const *)set->recording_names,
                                     set->n_recordings, err);
    if (!code)
        code = kl_sequence_names_put(w, "class_names", (const char *const *)set->class_names,
                                     set->n_classes, err);
    if (!code)
        code = kl_sequence_names_put(w, "channel_names", (const char *const *)set->channel_names,
                                     set->channels, err);
    return code ? code
                : kl_sequence_positions_put(w, (const char *const *)set->channel_names, set->channels,
                                            err);
}

static int put_words(const struct kl_sequence_report *r, struct kl_writer *w, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[0];
    const double people = kl_sequence_report_se_people(r);
    char name[KL_SEQUENCE_NAME];
    size_t parameters = r->n_models / 2; /* mean over the models, rounded */
    for (size_t k = 0; k < r->n_models; k++) parameters += r->models[k].net.n_parameters;
    kl_sequence_report_name(name, r);
    int code = kl_store_writer_text(w, "", "model", name, err);
    if (!code) code = kl_store_writer_text(w, "", "split", m->split, err);
    if (!code) code = kl_store_writer_integer(w, "", "leak", r->leak, err);
    if (!code) code = kl_store_writer_integer(w, "", "transductive", r->transductive != NULL, err);
    if (!code && r->transductive)
        code = kl_store_writer_text(w, "", "transductive_by", r->transductive, err);
    if (!code)
        code = kl_store_writer_integer(w, "", "parameters", (int64_t)(parameters / r->n_models), err);
    if (!code) code = kl_store_writer_integer(w, "", "train_windows", (int64_t)r->train_windows, err);
    if (!code && !isnan(people)) code = kl_store_writer_number(w, "", "accuracy_se_people", people, err);
    return code ? code
                : kl_store_writer_number(w, "", "accuracy_se", kl_sequence_report_se_windows(r), err);
}

int kl_sequence_report_save(const struct kl_sequence_report *r, struct kl_writer *w,
                            struct kl_error *err)
{
    const size_t dims[3] = { r->replicas, r->n, r->classes }, of[2] = { r->replicas, r->channels },
                 square[3] = { r->replicas, r->classes, r->classes };
    int code = put_words(r, w, err);
    if (!code) code = put_rows(r, w, err);
    if (!code) code = put_names(r, w, err);
    if (!code) code = put(w, "logits", KL_TYPE_F32, 3, dims, r->logits, err);
    if (!code) code = put(w, "probabilities", KL_TYPE_F64, 3, dims, r->probabilities, err);
    if (!code) code = put(w, "channel_importance", KL_TYPE_F64, 2, of, r->importance, err);
    if (!code) code = put(w, "confusion", KL_TYPE_I64, 3, square, r->confusion, err);
    if (!code) code = put(w, "subjects/n", KL_TYPE_I64, 1, &r->n_people, r->person_n, err);
    if (!code) code = kl_sequence_chosen_save(r, w, err);
    if (!code && r->own_n) code = put(w, "subjects/own_n", KL_TYPE_I64, 1, &r->n_people, r->own_n, err);
    return code ? code : put_metrics(r, w, err);
}

/* ---- one class ----
   Models that name one class for all windows that they are judged on, or for all of a fold or a person,
   though these are of several: what one line says of them. */

enum {
    FEWEST = 8, /* windows: fewer can be of one class by chance */
    MOST = 4,   /* that the line names */
    SENTENCE = 1000,
};

struct search {
    const struct kl_sequence_report *r;
    int32_t *predicted; /* (n) by a replica */
    bool *said;         /* (n) of something that the line has */
    size_t replica, found;
    char text[SENTENCE];
};

static void predict(struct search *s)
{
    const size_t K = s->r->classes;
    for (size_t i = 0; i < s->r->n; i++) {
        const double *p = s->r->probabilities + (s->replica * s->r->n + i) * K;
        int32_t most = 0;
        for (size_t k = 1; k < K; k++)
            if (p[k] > p[most]) most = (int32_t)k;
        s->predicted[i] = most;
        s->said[i] = false;
    }
}

enum group { ALL, FOLD, PERSON };
static bool among(const struct kl_sequence_report *r, size_t i, enum group group, size_t id)
{
    return group == ALL || (group == FOLD ? r->tested[i].model : r->person[i]) == (int32_t)id;
}

/* At the end of the line, as far as there is room. */
static void add(struct search *s, enum group group, size_t id, size_t n, size_t right, int32_t class)
{
    const struct kl_sequence_report *r = s->r;
    const size_t used = strlen(s->text);
    char of[400] = "", replica[40] = "";
    if (s->found++ >= MOST) return;
    if (group == FOLD) snprintf(of, sizeof of, " of %.300s", kl_store_file_path(r->model_files[id]));
    if (group == PERSON) snprintf(of, sizeof of, " of '%.300s'", r->people[id]);
    if (r->replicas > 1) snprintf(replica, sizeof replica, "replica %zu takes ", s->replica);
    snprintf(s->text + used, SENTENCE - used, "%s%sall %zu windows%s for '%.100s' (accuracy %.4f)",
             used ? ", " : "", replica, n, of, r->set.class_names[class], (double)right / (double)n);
}

/* Windows of a group, not all of which the line has, of several classes. */
static void look(struct search *s, enum group group, size_t id)
{
    const struct kl_sequence_report *r = s->r;
    size_t n = 0, right = 0, first = 0;
    bool mixed = false, fresh = false;
    for (size_t i = 0; i < r->n; i++) {
        if (!among(r, i, group, id)) continue;
        if (!n) first = i;
        if (s->predicted[i] != s->predicted[first]) return;
        mixed |= r->labels[i] != r->labels[first], fresh |= !s->said[i];
        right += r->labels[i] == s->predicted[i], n++;
    }
    if (n < FEWEST || !mixed || !fresh) return;
    add(s, group, id, n, right, s->predicted[first]);
    for (size_t i = 0; i < r->n; i++) s->said[i] |= among(r, i, group, id);
}

/* The model whose file comes behind that of `last` by its name, the first one if that is n_models; at
   the end n_models. The report has them by content, which a processor's rounding changes. */
static size_t next_by_name(const struct kl_sequence_report *r, size_t last)
{
    const char *const after = last < r->n_models ? kl_store_file_path(r->model_files[last]) : "";
    const char *name, *least = NULL;
    size_t next = r->n_models;
    for (size_t k = 0; k < r->n_models; k++)
        if (strcmp(name = kl_store_file_path(r->model_files[k]), after) > 0 &&
            (!least || strcmp(name, least) < 0))
            least = name, next = k;
    return next;
}

int kl_sequence_report_say_one_class(const struct kl_sequence_report *r, const struct kl_log *log,
                                     struct kl_error *err)
{
    struct search s = { .r = r };
    s.predicted = malloc((r->n + 1) * sizeof *s.predicted);
    s.said = malloc((r->n + 1) * sizeof *s.said);
    const int code = s.predicted && s.said ? KL_OK : kl_fail_memory(err, r->n * sizeof *s.predicted);
    for (; s.replica < r->replicas && !code; s.replica++) {
        predict(&s);
        look(&s, ALL, 0);
        for (size_t k = r->n_models; (k = next_by_name(r, k)) < r->n_models;) look(&s, FOLD, k);
        for (size_t p = 0; p < r->n_people; p++) look(&s, PERSON, p);
    }
    if (s.found) {
        char more[40] = "";
        if (s.found > MOST) snprintf(more, sizeof more, " and %zu more", s.found - MOST);
        kl_caution(log, "the model does not tell all classes apart: %s%s%s",
                   r->replicas > 1 ? "" : "it takes ", s.text, more);
    }
    free(s.predicted), free(s.said);
    return code;
}
