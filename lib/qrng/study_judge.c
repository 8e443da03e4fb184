/* SPDX-License-Identifier: MIT
   Models of a study on the rows that their training has not seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/distributions.h"
#include "metrics/metrics.h"
#include "qrng/study.h"

/* What judging one model takes; n rows, c classes. */
struct judge {
    const struct kl_study *study;
    struct kl_file *file;
    struct kl_writer *w;
    size_t n, c;
    /* of the run at hand: its test rows (count), their labels and probabilities in that order */
    uint8_t *part;
    int32_t *labels, *own, *predicted;
    int64_t *rows; /* [2 n] */
    size_t count;
    float *logits, *probabilities, *spread; /* spread [n, c]: NaN where a row is no test row */
    int32_t *spread_predicted;
    double *parameters; /* of a rule, or of a network (as floats) */
    int64_t *confusion;
    double *per_class;
};

static int take(struct judge *j, struct kl_arena *memory, struct kl_error *err)
{
    const size_t n = j->n, c = j->c, rule = c * (j->study->bits->n_bits + 5);
    const size_t net = kl_network_size(&j->study->options.net), parameters = rule > net ? rule : net;
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

/* ---- one run of one model ---- */
static int find(const struct kl_dataset **d, const struct judge *j, const char *name, enum kl_type type,
                int rank, size_t row_size, struct kl_error *err)
{
    const int rc = kl_file_expect(d, j->file, name, type, rank, err);
    if (rc) return rc;
    if ((*d)->rows == j->study->n_runs && (*d)->row_size == row_size) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: %s: found %zu rows of %zu bytes, expected %zu of %zu",
                   kl_file_path(j->file), name, (*d)->rows, (*d)->row_size, j->study->n_runs, row_size);
}

static int read_row(void *to, const struct judge *j, const char *name, enum kl_type type, int rank,
                    size_t row_size, size_t run, struct kl_error *err)
{
    const struct kl_dataset *d;
    const int rc = find(&d, j, name, type, rank, row_size, err);
    return rc ? rc : kl_file_rows(j->file, d, run, 1, to, err);
}

static int load_split(struct judge *j, size_t run, struct kl_error *err)
{
    const int rc = read_row(j->part, j, "splits", KL_TYPE_U8, 2, j->n, run, err);
    if (rc) return rc;
    kl_study_labels(j->labels, j->study, run, j->rows);
    j->count = kl_study_rows(j->rows, j->part, j->n, KL_PART_TEST, KL_PART_TEST);
    if (!j->count)
        return kl_fail(err, KL_EDATA, "%s: splits: run %zu has no test rows", kl_file_path(j->file),
                       run + 1);
    for (size_t i = 0; i < j->count; i++) j->own[i] = j->labels[j->rows[i]];
    return KL_OK;
}

static int network_logits(struct judge *j, size_t run, struct kl_error *err)
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
              : kl_network_logits(j->logits, net, params, &j->study->samples, j->rows, j->count, err);
}

static int rule_logits(struct judge *j, int model, size_t run, struct kl_error *err)
{
    struct kl_rule rule = { .kind = (enum kl_rule_kind)model,
                            .classes = j->c,
                            .inputs = kl_rule_inputs((enum kl_rule_kind)model, j->study->bits->n_bits),
                            .parameters = j->parameters };
    double scores[KL_NETWORK_CLASSES];
    char name[64];
    snprintf(name, sizeof name, "rules/%s", kl_rule_names[model]);
    const int rc = read_row(j->parameters, j, name, KL_TYPE_F64, 3,
                            rule.classes * (rule.inputs + 1) * sizeof *j->parameters, run, err);
    for (size_t i = 0; i < j->count && !rc; i++) {
        double most = -INFINITY;
        kl_rule_scores(scores, &rule, j->study->bits, (size_t)j->rows[i]);
        for (size_t k = 0; k < j->c; k++) most = fmax(most, scores[k]);
        for (size_t k = 0; k < j->c; k++) j->logits[i * j->c + k] = (float)(scores[k] - most);
    }
    return rc;
}

/* Probabilities, predictions and confusion of the run's test rows; how many are right. */
static int apply(size_t *right, struct judge *j, int model, size_t run, struct kl_error *err)
{
    int rc = load_split(j, run, err);
    if (!rc)
        rc = model == KL_STUDY_NETWORK ? network_logits(j, run, err) : rule_logits(j, model, run, err);
    if (rc) return rc;
    kl_softmax(j->probabilities, j->predicted, j->logits, j->count, j->c);
    kl_confusion(j->confusion, j->own, j->predicted, j->count, j->c);
    *right = 0;
    for (size_t k = 0; k < j->c; k++) *right += (size_t)j->confusion[k * j->c + k];
    return KL_OK;
}

/* ---- one model on all splits ---- */
struct sets {
    int predictions, probabilities, confusion, per_class, calibration, wilson;
};

static int declare(struct sets *sets, const struct judge *j, const char *model, struct kl_error *err)
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
        *all[i].set = kl_writer_dataset(j->w, name, all[i].type, 0, all[i].rank, all[i].dims, err);
        if (*all[i].set < 0) return *all[i].set;
    }
    return KL_OK;
}

static void spread(struct judge *j)
{
    for (size_t i = 0; i < j->n; i++) j->spread_predicted[i] = -1;
    for (size_t i = 0; i < j->n * j->c; i++) j->spread[i] = NAN;
    for (size_t i = 0; i < j->count; i++) {
        const size_t row = (size_t)j->rows[i];
        j->spread_predicted[row] = j->predicted[i];
        memcpy(j->spread + row * j->c, j->probabilities + i * j->c, j->c * sizeof *j->spread);
    }
}

static int write_split(struct judge *j, const struct sets *sets, size_t s,
                       const struct kl_interval *wilson, const double *calibration, struct kl_error *err)
{
    spread(j);
    int rc = kl_writer_rows(j->w, sets->predictions, s, 1, j->spread_predicted, err);
    if (!rc) rc = kl_writer_rows(j->w, sets->probabilities, s, 1, j->spread, err);
    if (!rc) rc = kl_writer_rows(j->w, sets->confusion, s, 1, j->confusion, err);
    if (!rc) rc = kl_writer_rows(j->w, sets->per_class, s, 1, j->per_class, err);
    if (!rc) rc = kl_writer_rows(j->w, sets->calibration, s, 1, calibration, err);
    return rc ? rc : kl_writer_rows(j->w, sets->wilson, s, 1, wilson, err);
}

static int judge_split(struct kl_verdict *v, struct judge *j, const struct sets *sets, size_t s,
                       struct kl_error *err)
{
    static const double Z95 = 1.959963984540054;
    int64_t counts[KL_STUDY_BINS];
    double accuracy[KL_STUDY_BINS], confidence[KL_STUDY_BINS], calibration[KL_STUDY_BINS][3];
    size_t right;
    const int rc = apply(&right, j, v->model, s, err);
    if (rc) return rc;
    const double guess = 1 / (double)j->c;
    const struct kl_interval wilson = kl_wilson(right, j->count, Z95);
    v->accuracy[s] = (double)right / (double)j->count;
    v->log_loss[s] = kl_log_loss(j->probabilities, j->own, j->count, j->c);
    v->calibration_error[s] = kl_calibration(counts, accuracy, confidence, j->probabilities, j->own,
                                             j->count, j->c, KL_STUDY_BINS);
    v->log10_p[s] =
        right ? kl_log_beta_lower((double)right, (double)(j->count - right) + 1, guess, 1 - guess) /
                    log(10)
              : 0;
    for (size_t b = 0; b < KL_STUDY_BINS; b++)
        calibration[b][0] = (double)counts[b], calibration[b][1] = accuracy[b],
        calibration[b][2] = confidence[b];
    for (size_t k = 0; k < j->c; k++) {
        const struct kl_class_metrics m = kl_class_metrics(j->confusion, j->c, k);
        v->recall[s * j->c + k] = m.recall;
        memcpy(j->per_class + 3 * k, (const double[]){ m.precision, m.recall, m.f1 },
               3 * sizeof(double));
    }
    return write_split(j, sets, s, &wilson, calibration[0], err);
}

static int put(const struct judge *j, const char *model, const char *what, const double *values,
               size_t n, struct kl_error *err)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", model, what);
    const int rc = kl_writer_put(j->w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    return rc < 0 ? rc : KL_OK;
}

/* Mean, interval, and the arrays into the file. */
static int conclude(struct kl_verdict *v, const struct judge *j, const struct kl_study_report *r,
                    struct kl_error *err)
{
    static const double Z95 = 1.959963984540054;
    const char *name = kl_study_model_name(v->model);
    const size_t s = r->n_splits;
    v->mean = kl_mean(v->accuracy, s);
    struct kl_interval of = kl_resampled(v->accuracy, s, (double)r->n_test / (double)r->n_train);
    if (s == 1) of = kl_wilson((size_t)llround(v->mean * (double)r->n_test), r->n_test, Z95);
    v->low = fmax(0, of.low), v->high = fmin(1, of.high);
    v->worst_log10_p = -INFINITY;
    for (size_t i = 0; i < s; i++) v->worst_log10_p = fmax(v->worst_log10_p, v->log10_p[i]);
    int rc = put(j, name, "accuracy", v->accuracy, s, err);
    if (!rc) rc = put(j, name, "log_loss", v->log_loss, s, err);
    if (!rc) rc = put(j, name, "expected_calibration_error", v->calibration_error, s, err);
    if (!rc) rc = put(j, name, "log10_p", v->log10_p, s, err);
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "accuracy", v->mean },
                    { "accuracy_low", v->low },
                    { "accuracy_high", v->high },
                    { "log_loss", kl_mean(v->log_loss, s) },
                    { "worst_log10_p", v->worst_log10_p } };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !rc; i++) {
        char attribute[96];
        snprintf(attribute, sizeof attribute, "%s_%s", name, numbers[i].name);
        rc = kl_writer_number(j->w, "", attribute, numbers[i].value, err);
    }
    return rc;
}

static int judge_model(struct kl_verdict *v, struct judge *j, struct kl_study_report *r,
                       struct kl_error *err)
{
    struct sets sets;
    const size_t s = r->n_splits;
    double *all = calloc(s * (4 + j->c), sizeof *all);
    if (!all) return kl_fail_memory(err, s * (4 + j->c) * sizeof *all);
    v->accuracy = all, v->log_loss = all + s, v->calibration_error = all + 2 * s,
    v->log10_p = all + 3 * s;
    v->recall = all + 4 * s;
    int rc = declare(&sets, j, kl_study_model_name(v->model), err);
    for (size_t i = 0; i < s && !rc; i++) rc = judge_split(v, j, &sets, i, err);
    return rc ? rc : conclude(v, j, r, err);
}

/* ---- what stands beside the models ---- */
static int judge_null(struct kl_study_report *r, struct judge *j, struct kl_error *err)
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
        rc = apply(&right, j, r->models[0].model, r->n_splits + i, err);
        r->null[i] = (double)right / (double)(j->count ? j->count : 1);
        as_good += r->null[i] >= r->models[0].accuracy[0];
    }
    if (rc) return rc;
    r->null_p = (double)as_good / (double)(r->n_null + 1);
    rc = put(j, "null", "accuracy", r->null, r->n_null, err);
    return rc ? rc : kl_writer_number(j->w, "", "null_p", r->null_p, err);
}

static int find_limit(struct kl_study_report *r, const struct judge *j, struct kl_error *err)
{
    enum { LONGEST = 150 }; /* symbols of a row: 6 10^5 vectors of counts */
    const struct kl_bits *b = j->study->bits;
    const size_t symbols = b->n_bits / 2;
    double p[4 * KL_NETWORK_CLASSES] = { 0 };
    r->has_limit = b->n_bits % 2 == 0 && symbols <= LONGEST;
    if (!r->has_limit) return KL_OK;
    for (size_t i = 0; i < b->n_rows; i++)
        for (size_t k = 0; k < symbols; k++)
            p[4 * b->device[i] + (int)kl_bits_symbol(kl_bits_row(b, i), k, 2)]++;
    for (size_t k = 0; k < j->c; k++) {
        const double all = p[4 * k] + p[4 * k + 1] + p[4 * k + 2] + p[4 * k + 3];
        for (int s = 0; s < 4; s++) p[4 * k + (size_t)s] /= all;
    }
    r->limit = kl_symbol_limit(NULL, p, j->c, 4, symbols);
    const int rc = kl_writer_number(j->w, "", "limit_accuracy", r->limit.accuracy, err);
    return rc ? rc : kl_writer_number(j->w, "", "limit_information_bits", r->limit.information, err);
}

/* What choosing the epoch by the test rows is worth. */
static int compare_epochs(struct kl_study_report *r, const struct judge *j, struct kl_error *err)
{
    const struct kl_dataset *history = NULL, *epochs = NULL;
    if (j->study->protocol != KL_REFERENCE || !j->study->network) return KL_OK;
    int rc = kl_file_expect(&history, j->file, "history/judge_accuracy", KL_TYPE_F64, 2, err);
    if (!rc) rc = find(&epochs, j, "epochs", KL_TYPE_I64, 1, sizeof(int64_t), err);
    const size_t most = rc ? 0 : history->dims[1];
    double *curve = malloc((most + 1) * sizeof *curve);
    r->best = calloc(2 * r->n_splits, sizeof *r->best);
    if (!rc && (!curve || !r->best)) rc = kl_fail_memory(err, (most + 2 * r->n_splits) * sizeof *curve);
    r->last = r->best ? r->best + r->n_splits : NULL;
    for (size_t s = 0; s < r->n_splits && !rc; s++) {
        int64_t ran = 0;
        rc = kl_file_rows(j->file, history, s, 1, curve, err);
        if (!rc) rc = kl_file_rows(j->file, epochs, s, 1, &ran, err);
        if (!rc && (ran < 1 || (size_t)ran > most))
            rc = kl_fail(err, KL_EDATA, "%s: epochs: found %lld of %zu", kl_file_path(j->file),
                         (long long)ran, most);
        for (int64_t e = 0; e < ran && !rc; e++) r->best[s] = fmax(r->best[s], curve[e]);
        if (!rc) r->last[s] = curve[ran - 1];
    }
    free(curve);
    if (!rc) rc = put(j, "reference", "best_epoch_accuracy", r->best, r->n_splits, err);
    return rc ? rc : put(j, "reference", "last_epoch_accuracy", r->last, r->n_splits, err);
}

int kl_study_models(int models[KL_STUDY_MOST_MODELS], const struct kl_study *study)
{
    int n = 0;
    models[n++] = study->network ? KL_STUDY_NETWORK : study->chosen;
    for (int k = 0; k < KL_RULES; k++)
        if (study->rules >> k & 1 && models[0] != k) models[n++] = k;
    return n;
}

const char *kl_study_model_name(int model)
{
    return model == KL_STUDY_NETWORK ? "network" : kl_rule_names[model];
}

static int describe(const struct judge *j, struct kl_error *err)
{
    const struct kl_bits *b = j->study->bits;
    const size_t names = (size_t)b->n_devices;
    int rc = kl_writer_put(j->w, "labels", KL_TYPE_I32, 0, 1, &b->n_rows, b->device, err);
    if (rc >= 0)
        rc = kl_writer_put(j->w, "device_names", KL_TYPE_STRING, KL_BITS_NAME, 1, &names, b->names, err);
    rc = rc < 0 ? rc : KL_OK;
    if (!rc) rc = kl_writer_text(j->w, "", "model", j->study->v->model, err);
    if (!rc) rc = kl_writer_text(j->w, "", "features", j->study->v->features, err);
    return rc ? rc : kl_writer_text(j->w, "", "protocol", j->study->v->protocol, err);
}

int kl_study_judge(struct kl_study_report *report, const struct kl_study *study, struct kl_file *file,
                   struct kl_writer *w, struct kl_error *err)
{
    struct judge j = { .study = study,
                       .file = file,
                       .w = w,
                       .n = study->bits->n_rows,
                       .c = (size_t)study->bits->n_devices };
    struct kl_arena memory = { 0 };
    int models[KL_STUDY_MOST_MODELS];
    *report = (struct kl_study_report){ .n_splits = study->n_splits, .classes = j.c };
    report->n_models = kl_study_models(models, study);
    int rc = kl_arena_init(&memory, 0, err);
    if (!rc) rc = take(&j, &memory, err);
    if (!rc) rc = describe(&j, err);
    if (!rc) rc = load_split(&j, 0, err);
    report->n_test = j.count, report->n_train = j.n - j.count;
    for (int m = 0; m < report->n_models && !rc; m++) {
        report->models[m].model = models[m];
        rc = judge_model(&report->models[m], &j, report, err);
    }
    if (!rc) rc = judge_null(report, &j, err);
    if (!rc) rc = find_limit(report, &j, err);
    if (!rc) rc = compare_epochs(report, &j, err);
    kl_arena_free(&memory);
    return rc;
}

void kl_study_report_free(struct kl_study_report *report)
{
    for (int m = 0; m < report->n_models; m++) free(report->models[m].accuracy);
    free(report->null), free(report->best);
    *report = (struct kl_study_report){ 0 };
}
