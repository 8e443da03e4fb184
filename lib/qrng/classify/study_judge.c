/* SPDX-License-Identifier: MIT
   Judging of a study: one run of one model on the rows that its training has not seen, one model on all
   splits, all models. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"
#include "qrng/classify/classify_int.h"
#include "store/kind.h"

/* Options of all models, then those of networks. */
static const char *const names[] = { "folds",        "test",     "init",         "keep", "epochs",
                                     "batch-size",   "lr",       "dropout",      "l1",   "clip",
                                     "weight-decay", "patience", "rate-patience" };
enum { OF_ALL = 2 };

/* "batch-size" as batch_size. */
static int put_option(struct kl_writer *w, const char *name, const json_t *value, struct kl_error *err)
{
    char attribute[32];
    snprintf(attribute, sizeof attribute, "%s", name);
    for (char *at = attribute; (at = strchr(at, '-'));) *at = '_';
    if (json_is_string(value))
        return kl_store_writer_text(w, "", attribute, json_string_value(value), err);
    if (json_is_integer(value))
        return kl_store_writer_integer(w, "", attribute, json_integer_value(value), err);
    return json_is_real(value) ? kl_store_writer_number(w, "", attribute, json_real_value(value), err)
                               : KL_OK;
}

static int put_options(const struct kl_judge *j, struct kl_error *err)
{
    json_t *parts = NULL;
    int rc = kl_json_parse(&parts, kl_store_file_key_parts(j->file), kl_store_file_path(j->file), err);
    const size_t n = j->study->network ? sizeof names / sizeof *names : OF_ALL;
    for (size_t i = 0; i < n && !rc; i++)
        rc = put_option(j->w, names[i], json_object_get(json_object_get(parts, "options"), names[i]),
                        err);
    json_decref(parts);
    return rc;
}

/* "100-30-20-3". */
static int put_layers(const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_mlp *net = &j->study->options.net;
    char text[16 * (KL_MLP_LAYERS + 1)] = "";
    size_t at = 0;
    for (int l = 0; l <= net->n_layers; l++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%d", l ? "-" : "", net->size[l]);
    return kl_store_writer_text(j->w, "", "layers", text, err);
}

static int describe(const struct kl_judge *j, struct kl_error *err)
{
    const struct kl_bits *b = j->study->bits;
    const size_t devices = (size_t)b->n_devices;
    int rc = kl_store_writer_put(j->w, "labels", KL_TYPE_I32, 0, 1, &b->n_rows, b->device, err);
    if (rc >= 0)
        rc = kl_store_writer_put(j->w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, &devices,
                                 b->names, err);
    rc = rc < 0 ? rc : KL_OK;
    if (!rc) rc = kl_store_writer_text(j->w, "", "model", j->study->v->model, err);
    if (!rc) rc = kl_store_writer_text(j->w, "", "features", j->study->v->features, err);
    if (!rc) rc = kl_store_writer_text(j->w, "", "protocol", j->study->v->protocol, err);
    if (!rc) rc = kl_store_writer_integer(j->w, "", "seed", j->study->v->common.seed, err);
    if (!rc && j->study->network) rc = put_layers(j, err);
    return rc ? rc : put_options(j, err);
}

static int take_memory(struct kl_judge *j, struct kl_arena *memory, struct kl_error *err)
{
    const size_t n = j->n, c = j->c, rule = c * (j->study->bits->n_bits + 5);
    const size_t net = kl_classify_network_size(&j->study->options.net),
                 parameters = rule > net ? rule : net;
    const struct {
        void *to;
        size_t count, size;
    } blocks[] = { { &j->part, n, 1 },
                   { &j->labels, n, sizeof *j->labels },
                   { &j->own, n, sizeof *j->own },
                   { &j->predicted, n, sizeof *j->predicted },
                   { &j->rows, 2 * n, sizeof *j->rows },
                   { &j->logits, n * c, sizeof *j->logits },
                   { &j->probabilities, n * c, sizeof *j->probabilities },
                   { &j->spread, n * c, sizeof *j->spread },
                   { &j->spread_predicted, n, sizeof *j->spread_predicted },
                   { &j->parameters, parameters, sizeof *j->parameters },
                   { &j->confusion, c * c, sizeof *j->confusion },
                   { &j->per_class, 3 * c, sizeof *j->per_class } };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        void *block = kl_arena_take(memory, blocks[i].count, blocks[i].size);
        if (!block) return kl_fail_memory(err, blocks[i].count * blocks[i].size);
        memcpy(blocks[i].to, &block, sizeof block);
    }
    return KL_OK;
}

int kl_classify_judge_find(const struct kl_dataset **d, const struct kl_judge *j, const char *name,
                           enum kl_type type, int rank, size_t row_size, struct kl_error *err)
{
    const int rc = kl_store_file_expect(d, j->file, name, type, rank, err);
    if (rc) return rc;
    if ((*d)->rows == j->study->n_runs && (*d)->row_size == row_size) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: %s: found %zu rows of %zu bytes, expected %zu of %zu",
                   kl_store_file_path(j->file), name, (*d)->rows, (*d)->row_size, j->study->n_runs,
                   row_size);
}

static int read_row(void *to, const struct kl_judge *j, const char *name, enum kl_type type, int rank,
                    size_t row_size, size_t run, struct kl_error *err)
{
    const struct kl_dataset *d;
    const int rc = kl_classify_judge_find(&d, j, name, type, rank, row_size, err);
    return rc ? rc : kl_store_file_rows(j->file, d, run, 1, to, err);
}

/* The run's test rows and their labels. */
static int load_run(struct kl_judge *j, size_t run, struct kl_error *err)
{
    const int rc = read_row(j->part, j, "splits", KL_TYPE_U8, 2, j->n, run, err);
    if (rc) return rc;
    kl_classify_labels(j->labels, j->study, run, j->rows);
    j->count = kl_classify_rows(j->rows, j->part, j->n, KL_PART_TEST, KL_PART_TEST);
    if (!j->count)
        return kl_fail(err, KL_EDATA, "%s: splits: run %zu has no test rows",
                       kl_store_file_path(j->file), run + 1);
    for (size_t i = 0; i < j->count; i++) j->own[i] = j->labels[j->rows[i]];
    return KL_OK;
}

static int network_logits(struct kl_judge *j, size_t run, struct kl_error *err)
{
    const struct kl_mlp *net = &j->study->options.net;
    float *params = (float *)j->parameters, *at = params;
    char name[64];
    int rc = KL_OK;
    for (int l = 0; l < net->n_layers && !rc; l++) {
        const size_t out = (size_t)net->size[l + 1], weights = out * (size_t)net->size[l];
        snprintf(name, sizeof name, "network/%d.weight", l);
        rc = read_row(at, j, name, KL_TYPE_F32, 3, weights * sizeof *at, run, err);
        snprintf(name, sizeof name, "network/%d.bias", l);
        if (!rc) rc = read_row(at + weights, j, name, KL_TYPE_F32, 2, out * sizeof *at, run, err);
        at += weights + out;
    }
    return rc ? rc
              : kl_classify_network_logits(j->logits, net, params, &j->study->samples, j->rows, j->count,
                                           err);
}

static int rule_logits(struct kl_judge *j, int model, size_t run, struct kl_error *err)
{
    struct kl_rule rule = { .kind = (enum kl_rule_kind)model,
                            .classes = j->c,
                            .inputs = kl_classify_rule_inputs((enum kl_rule_kind)model,
                                                              j->study->bits->n_bits),
                            .parameters = j->parameters };
    double scores[KL_NETWORK_CLASSES];
    char name[64];
    snprintf(name, sizeof name, "rules/%s", kl_rule_names[model]);
    const int rc = read_row(j->parameters, j, name, KL_TYPE_F64, 3,
                            rule.classes * (rule.inputs + 1) * sizeof *j->parameters, run, err);
    for (size_t i = 0; i < j->count && !rc; i++) {
        double most = -INFINITY;
        kl_classify_rule_scores(scores, &rule, j->study->bits, (size_t)j->rows[i]);
        for (size_t k = 0; k < j->c; k++) most = fmax(most, scores[k]);
        for (size_t k = 0; k < j->c; k++) j->logits[i * j->c + k] = (float)(scores[k] - most);
    }
    return rc;
}

/* Of j->rows. */
static int predict(struct kl_judge *j, int model, size_t run, struct kl_error *err)
{
    const int rc =
        model == KL_STUDY_NETWORK ? network_logits(j, run, err) : rule_logits(j, model, run, err);
    if (!rc) kl_stats_softmax(j->probabilities, j->predicted, j->logits, j->count, j->c);
    return rc;
}

static bool answers_alike(const struct kl_judge *j)
{
    for (size_t i = 1; i < j->count; i++)
        if (j->predicted[i] != j->predicted[0]) return false;
    return true;
}

/* After kl_classify_judge_apply: does the model answer with one device whatever the row? Few test rows
   may have the same answer of a sound model too, so all rows are asked then; what j had of the run is
   lost. */
static int find_collapse(bool *collapsed, struct kl_judge *j, int model, size_t run,
                         struct kl_error *err)
{
    *collapsed = answers_alike(j);
    if (!*collapsed) return KL_OK;
    for (size_t i = 0; i < j->n; i++) j->rows[i] = (int64_t)i;
    j->count = j->n;
    const int rc = predict(j, model, run, err);
    *collapsed = !rc && answers_alike(j);
    return rc;
}

/* Probabilities, predictions and confusion of the run's test rows; how many are right. */
int kl_classify_judge_apply(size_t *right, struct kl_judge *j, int model, size_t run,
                            struct kl_error *err)
{
    int rc = load_run(j, run, err);
    if (!rc) rc = predict(j, model, run, err);
    if (rc) return rc;
    kl_stats_confusion(j->confusion, j->own, j->predicted, j->count, j->c);
    *right = 0;
    for (size_t k = 0; k < j->c; k++) *right += (size_t)j->confusion[k * j->c + k];
    return KL_OK;
}

int kl_classify_judge_put(const struct kl_judge *j, const char *model, const char *what,
                          const double *values, size_t n, struct kl_error *err)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", model, what);
    const int rc = kl_store_writer_put(j->w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    return rc < 0 ? rc : KL_OK;
}

struct sets {
    int predictions, probabilities, confusion, per_class, calibration, wilson;
};

static int declare(struct sets *sets, const struct kl_judge *j, const char *model, struct kl_error *err)
{
    const size_t s = j->study->n_splits, n = j->n, c = j->c;
    const struct {
        int *set;
        const char *name;
        enum kl_type type;
        int rank;
        size_t dims[3];
    } all[] = { { &sets->predictions, "predictions", KL_TYPE_I32, 2, { s, n } },
                { &sets->probabilities, "probabilities", KL_TYPE_F32, 3, { s, n, c } },
                { &sets->confusion, "confusion", KL_TYPE_I64, 3, { s, c, c } },
                { &sets->per_class, "per_class", KL_TYPE_F64, 3, { s, c, 3 } },
                { &sets->calibration, "calibration", KL_TYPE_F64, 3, { s, KL_STUDY_BINS, 3 } },
                { &sets->wilson, "wilson", KL_TYPE_F64, 2, { s, 2 } } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s/%s", model, all[i].name);
        *all[i].set = kl_store_writer_dataset(j->w, name, all[i].type, 0, all[i].rank, all[i].dims, err);
        if (*all[i].set < 0) return *all[i].set;
    }
    return KL_OK;
}

static void spread(struct kl_judge *j)
{
    for (size_t i = 0; i < j->n; i++) j->spread_predicted[i] = -1;
    for (size_t i = 0; i < j->n * j->c; i++) j->spread[i] = NAN;
    for (size_t i = 0; i < j->count; i++) {
        const size_t row = (size_t)j->rows[i];
        j->spread_predicted[row] = j->predicted[i];
        memcpy(j->spread + row * j->c, j->probabilities + i * j->c, j->c * sizeof *j->spread);
    }
}

static int write_split(struct kl_judge *j, const struct sets *sets, size_t s,
                       const struct kl_interval *wilson, const double *calibration, struct kl_error *err)
{
    spread(j);
    int rc = kl_store_writer_rows(j->w, sets->predictions, s, 1, j->spread_predicted, err);
    if (!rc) rc = kl_store_writer_rows(j->w, sets->probabilities, s, 1, j->spread, err);
    if (!rc) rc = kl_store_writer_rows(j->w, sets->confusion, s, 1, j->confusion, err);
    if (!rc) rc = kl_store_writer_rows(j->w, sets->per_class, s, 1, j->per_class, err);
    if (!rc) rc = kl_store_writer_rows(j->w, sets->calibration, s, 1, calibration, err);
    return rc ? rc : kl_store_writer_rows(j->w, sets->wilson, s, 1, wilson, err);
}

/* The accuracy of always naming the commonest device of the test rows. */
static double commonest(const struct kl_judge *j)
{
    size_t most = 0;
    for (size_t k = 0; k < j->c; k++) {
        size_t n = 0;
        for (size_t i = 0; i < j->count; i++) n += (size_t)j->own[i] == k;
        if (n > most) most = n;
    }
    return (double)most / (double)j->count;
}

static int judge_split(struct kl_study_verdict *v, struct kl_judge *j, const struct sets *sets, size_t s,
                       struct kl_error *err)
{
    int64_t counts[KL_STUDY_BINS];
    double accuracy[KL_STUDY_BINS], confidence[KL_STUDY_BINS], calibration[KL_STUDY_BINS][3];
    size_t right;
    bool collapsed;
    int rc = kl_classify_judge_apply(&right, j, v->model, s, err);
    if (rc) return rc;
    const double guess = commonest(j);
    v->commonest += guess / (double)j->study->n_splits;
    v->accuracy[s] = (double)right / (double)j->count;
    const struct kl_interval wilson = kl_stats_wilson(v->accuracy[s], j->count, KL_Z95);
    v->log_loss[s] = kl_stats_log_loss(j->probabilities, j->own, j->count, j->c);
    v->calibration_error[s] = kl_stats_calibration(counts, accuracy, confidence, j->probabilities,
                                                   j->own, j->count, j->c, KL_STUDY_BINS);
    v->log10_p[s] = right ? kl_stats_log_beta_lower((double)right, (double)(j->count - right) + 1, guess,
                                                    1 - guess) /
                                log(10)
                          : 0;
    for (size_t b = 0; b < KL_STUDY_BINS; b++)
        calibration[b][0] = (double)counts[b], calibration[b][1] = accuracy[b],
        calibration[b][2] = confidence[b];
    for (size_t k = 0; k < j->c; k++) {
        const struct kl_class_metrics m = kl_stats_class_metrics(j->confusion, j->c, k);
        v->recall[s * j->c + k] = m.recall;
        memcpy(j->per_class + 3 * k, (const double[]){ m.precision, m.recall, m.f1 },
               3 * sizeof(double));
    }
    rc = write_split(j, sets, s, &wilson, calibration[0], err);
    if (!rc) rc = find_collapse(&collapsed, j, v->model, s, err);
    if (rc) return rc;
    v->alike[s] = collapsed;
    v->collapsed += collapsed;
    if (!collapsed) v->others += v->accuracy[s];
    return KL_OK;
}

static size_t n_parameters(const struct kl_study *s, int model)
{
    if (model == KL_STUDY_NETWORK) return kl_classify_network_size(&s->options.net);
    return (size_t)s->bits->n_devices * kl_classify_rule_free((enum kl_rule_kind)model, s->bits->n_bits);
}

static int put_alike(const struct kl_study_verdict *v, const struct kl_judge *j, size_t s,
                     struct kl_error *err)
{
    char name[96];
    snprintf(name, sizeof name, "%s/collapsed", kl_classify_model_name(v->model));
    const int rc = kl_store_writer_put(j->w, name, KL_TYPE_U8, 0, 1, &s, v->alike, err);
    return rc < 0 ? rc : KL_OK;
}

/* Mean, interval, and the arrays into the file. */
static int conclude(struct kl_study_verdict *v, const struct kl_judge *j,
                    const struct kl_study_report *r, struct kl_error *err)
{
    const char *name = kl_classify_model_name(v->model);
    const size_t s = r->n_splits;
    v->mean = kl_stats_mean(v->accuracy, s);
    v->others = s > v->collapsed ? v->others / (double)(s - v->collapsed) : NAN;
    struct kl_interval of =
        kl_stats_resampled(v->accuracy, NULL, s, (double)r->n_test / (double)v->n_train);
    if (!kl_has_width(of.low,
                      of.high)) /* one split, or equal ones, which bear no interval of their own */
        of = kl_stats_wilson(v->mean, r->n_test, KL_Z95);
    v->low = fmax(0, of.low), v->high = fmin(1, of.high);
    v->worst_log10_p = -INFINITY;
    for (size_t i = 0; i < s; i++) v->worst_log10_p = fmax(v->worst_log10_p, v->log10_p[i]);
    int rc = kl_classify_judge_put(j, name, "accuracy", v->accuracy, s, err);
    if (!rc) rc = kl_classify_judge_put(j, name, "log_loss", v->log_loss, s, err);
    if (!rc)
        rc = kl_classify_judge_put(j, name, "expected_calibration_error", v->calibration_error, s, err);
    if (!rc) rc = kl_classify_judge_put(j, name, "log10_p", v->log10_p, s, err);
    if (!rc) rc = put_alike(v, j, s, err);
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "accuracy", v->mean },
                    { "accuracy_low", v->low },
                    { "accuracy_high", v->high },
                    { "log_loss", kl_stats_mean(v->log_loss, s) },
                    { "worst_log10_p", v->worst_log10_p },
                    { "parameters", (double)n_parameters(j->study, v->model) },
                    { "collapsed", (double)v->collapsed },
                    { "accuracy_others", v->others } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++) {
        char attribute[96];
        snprintf(attribute, sizeof attribute, "%s_%s", name, numbers[i].name);
        rc = kl_store_writer_number(j->w, "", attribute, numbers[i].value, err);
    }
    return rc;
}

static int judge_model(struct kl_study_verdict *v, struct kl_judge *j, struct kl_study_report *r,
                       struct kl_error *err)
{
    struct sets sets;
    const size_t s = r->n_splits;
    const size_t numbers = s * (4 + j->c);
    double *all = calloc(1, numbers * sizeof *all + s * sizeof *v->alike);
    if (!all) return kl_fail_memory(err, numbers * sizeof *all);
    v->accuracy = all, v->log_loss = all + s, v->calibration_error = all + 2 * s,
    v->log10_p = all + 3 * s;
    v->recall = all + 4 * s, v->alike = (uint8_t *)(all + numbers);
    int rc = declare(&sets, j, kl_classify_model_name(v->model), err);
    for (size_t i = 0; i < s && !rc; i++) rc = judge_split(v, j, &sets, i, err);
    return rc ? rc : conclude(v, j, r, err);
}

int kl_classify_models(int models[KL_STUDY_MOST_MODELS], const struct kl_study *study)
{
    int n = 0;
    models[n++] = study->network ? KL_STUDY_NETWORK : study->chosen;
    for (int k = 0; k < KL_RULES; k++)
        if (study->rules >> k & 1 && models[0] != k) models[n++] = k;
    return n;
}

const char *kl_classify_model_name(int model)
{
    return model == KL_STUDY_NETWORK ? "network" : kl_rule_names[model];
}

int kl_classify_judge(struct kl_study_report *report, const struct kl_study *study, struct kl_file *file,
                      struct kl_writer *w, struct kl_error *err)
{
    struct kl_judge j = { .study = study,
                          .file = file,
                          .w = w,
                          .n = study->bits->n_rows,
                          .c = (size_t)study->bits->n_devices };
    struct kl_arena memory = { 0 };
    int models[KL_STUDY_MOST_MODELS];
    *report = (struct kl_study_report){ .n_splits = study->n_splits, .classes = j.c };
    report->n_models = kl_classify_models(models, study);
    int rc = kl_arena_init(&memory, 0, err);
    if (!rc) rc = take_memory(&j, &memory, err);
    if (!rc) rc = describe(&j, err);
    if (!rc) rc = load_run(&j, 0, err);
    report->n_test = j.count;
    size_t n_training = 0;
    for (size_t i = 0; i < j.n && !rc; i++) n_training += j.part[i] == KL_PART_TRAINING;
    for (int m = 0; m < report->n_models && !rc; m++) {
        report->models[m].model = models[m];
        report->models[m].n_train = models[m] == KL_STUDY_NETWORK ? n_training : j.n - report->n_test;
        rc = judge_model(&report->models[m], &j, report, err);
    }
    if (!rc) rc = kl_classify_judge_null(report, &j, err);
    if (!rc) rc = kl_classify_judge_limit(report, &j, err);
    if (!rc) rc = kl_classify_judge_epochs(report, &j, err);
    kl_arena_free(&memory);
    return rc;
}

void kl_classify_report_free(struct kl_study_report *report)
{
    for (int m = 0; m < report->n_models; m++) free(report->models[m].accuracy);
    free(report->null), free(report->best);
    *report = (struct kl_study_report){ 0 };
}

const struct kl_kind kl_judge_kind = { .name = "device-report" };
