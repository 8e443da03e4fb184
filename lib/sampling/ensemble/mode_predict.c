/* SPDX-License-Identifier: MIT
   qeval --predict: the classes of samples without labels, by the heads of a file or the draws of chains:
   mean probabilities, how far the heads differ; a file, and the same as CSV. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "kernels/device.h"
#include "sampling/ensemble/ensemble.h"
#include "store/kind.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 1, SCHEMA = 1 };
#define FILES "aside/names" /* of features: of images in folders, of rows by --id */

struct values {
    struct kl_common common;
    const char *replica, *csv;
    bool predict;
};
#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "predict", 0, KL_OPT_FLAG, AT(predict), NULL, 0, 0, false, "no labels are needed, or read",
      "Predictions", NULL },
    { "replica", 0, KL_OPT_STRING, AT(replica), "K|best", 0, 0, true,
      "this head alone, from 0, or the best by validation (default: the mean of all)", NULL, NULL },
    { "csv", 0, KL_OPT_STRING, AT(csv), "FILE|-", 0, 0, false,
      "a line a sample as well; -: on the screen", NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
};
const struct kl_tool kl_predict_tool = {
    .name = "qeval",
    .summary =
        "Predicts the classes of new samples: mean probabilities of all heads, or of the draws of "
        "chains, and their standard deviation",
    .arguments = "--predict HEAD.h5|CHAINS.h5 FEATURES.h5 -o PREDICTIONS.h5",
    .example = "qeval --predict head.h5 new.h5 -o predictions.h5 --csv predictions.csv",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "--predict",
};

struct work {
    const struct values *v;
    struct kl_file *head, *input;
    struct kl_sampling_heads draws;
    struct kl_device device;
    struct kl_features features;
    struct kl_evaluation e;
    size_t heads; /* that the means are of */
    float *mean, *deviation;
    int32_t *predicted;
    int64_t *index; /* (n) */
    size_t agree;   /* samples of which all heads say one class */
    char *names;    /* (c, name_size) of the head's classes */
    size_t name_size;
    bool differs;
};

/* Of which the name and the maker count here; whole in the backbone, a tier above. */
static const struct kl_kind features = { .name = "features", .maker = "extract-features" };

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct values *v = run->values;
    w->v = v;
    int code = kl_store_mode_text_of_file(run, "csv", v->csv, err);
    if (!code) /* up to the name of a class, which may be in quotes */
        code = kl_store_mode_text_check(run, "csv", v->csv,
                                        "index,prediction," KL_STORE_VARIES "p " KL_STORE_OR
                                        "index,name,prediction," KL_STORE_VARIES "p ",
                                        err);
    if (!code) code = kl_sampling_judged_open(&w->head, &w->draws, run->stage.inputs[0], err);
    if (!code) code = kl_store_file_open_kind(&w->input, run->stage.inputs[1], &features, err);
    if (!code) code = kl_head_origin_check(&w->differs, w->head, w->input, run->stage.log, err);
    run->few[0] = w->head, run->few[1] = w->input, run->n_parents = 2;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    const int code = kl_store_key_input(key, "head", kl_store_file_content(w->head), err);
    return code ? code : kl_store_key_input(key, "features", kl_store_file_content(w->input), err);
}

/* Means and deviations over the replicas (r, n, c). */
static void combine(struct work *w)
{
    const struct kl_evaluation *e = &w->e;
    const size_t size = e->n * e->c;
    for (size_t k = 0; k < size; k++) {
        double sum = 0, squares = 0;
        for (size_t r = 0; r < e->replicas; r++) sum += e->probabilities[r * size + k];
        const double mean = sum / (double)e->replicas;
        for (size_t r = 0; r < e->replicas; r++) {
            const double d = e->probabilities[r * size + k] - mean;
            squares += d * d;
        }
        w->mean[k] = (float)mean;
        w->deviation[k] = e->replicas > 1 ? (float)sqrt(squares / (double)(e->replicas - 1)) : NAN;
    }
    for (size_t i = 0; i < e->n; i++) {
        const float *p = w->mean + i * e->c;
        bool same = true;
        for (size_t k = 1; k < e->c; k++)
            if (p[k] > p[w->predicted[i]]) w->predicted[i] = (int32_t)k;
        for (size_t r = 0; r < e->replicas; r++)
            same = same && e->predictions[r * e->n + i] == w->predicted[i];
        w->agree += same;
    }
}

/* An ensemble has come as one replica. */
static void take_ensemble(struct work *w)
{
    memcpy(w->mean, w->e.probabilities, w->e.n * w->e.c * sizeof *w->mean);
    memcpy(w->predicted, w->e.predictions, w->e.n * sizeof *w->predicted);
    for (size_t k = 0; k < w->e.n * w->e.c; k++) w->deviation[k] = (float)w->e.spread[k];
    w->agree = w->e.agree;
}

static int predict(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_judge_progress meter = { .watch = run->watch };
    const struct kl_evaluation_options o = { .split = "all",
                                             .replica = w->v->replica,
                                             .device = &w->device,
                                             .meter = &meter,
                                             .ensemble = w->draws.n ? &w->draws.ensemble : NULL };
    int code = kl_device_choose(&w->device, w->v->common.device, err);
    kl_device_used(&((struct values *)run->values)->common, &w->device);
    if (!code) code = kl_head_features_load_bare(&w->features, w->input, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&w->index, w->input, "index", KL_TYPE_I64, 1,
                                        &w->features.n, err);
    if (!code) code = kl_head_evaluate(&w->e, w->head, &w->features, &o, run->pool, err);
    const struct kl_dataset *names;
    if (!code)
        code = kl_store_file_load_named((void **)&w->names, &names, w->head, "class_names",
                                        KL_TYPE_STRING, 1, err);
    if (!code && names->dims[0] != w->e.c)
        code = kl_fail(err, KL_EDATA, "%s: dataset class_names: found %zu, expected %zu",
                       kl_store_file_path(w->head), names->dims[0], w->e.c);
    if (code) return code;
    w->name_size = names->item_size;
    const size_t size = w->e.n * w->e.c + 1;
    w->heads = w->e.ensemble ? w->e.ensemble : w->e.replicas;
    w->mean = malloc(size * sizeof *w->mean), w->deviation = malloc(size * sizeof *w->deviation);
    w->predicted = calloc(w->e.n + 1, sizeof *w->predicted);
    if (!w->mean || !w->deviation || !w->predicted) return kl_fail_memory(err, size * sizeof *w->mean);
    if (w->e.ensemble) take_ensemble(w);
    else combine(w);
    return KL_OK;
}

static int save(struct kl_mode_run *run, struct kl_writer *to, struct kl_error *err)
{
    struct work *w = run->state;
    const size_t dims[2] = { w->e.n, w->e.c };
    int code = kl_store_writer_integer(to, "", "heads", (int64_t)w->heads, err);
    if (!code) code = kl_store_writer_integer(to, "", "agree", (int64_t)w->agree, err);
    if (!code) code = kl_store_writer_put(to, "index", KL_TYPE_I64, 0, 1, dims, w->index, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "predictions", KL_TYPE_I32, 0, 1, dims, w->predicted, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "probabilities", KL_TYPE_F32, 0, 2, dims, w->mean, err);
    if (code >= 0 && w->heads > 1)
        code = kl_store_writer_put(to, "deviations", KL_TYPE_F32, 0, 2, dims, w->deviation, err);
    if (code >= 0)
        code = kl_store_writer_put(to, "class_names", KL_TYPE_STRING, w->name_size, 1, dims + 1,
                                   w->names, err);
    return code < 0 ? code : KL_OK;
}

/* What was said of the heads, or of chains that have not met, holds of what they predict. */
static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    return kl_store_file_repeat(w->head, w->draws.n > 0 ? "" : "not trained to", run->stage.log, err);
}

/* ---- as text, out of the file that is there ---- */

struct predictions {
    size_t n, c, name_size, file_size, heads, agree;
    char *names, *files;
    int64_t *index;
    int32_t *predicted;
    float *mean, *deviation; /* deviation NULL: of one head */
};

static void free_predictions(struct predictions *p)
{
    free(p->names), free(p->files), free(p->index), free(p->predicted), free(p->mean),
        free(p->deviation);
}

static int load(struct predictions *p, const char *path, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct kl_dataset *set;
    double heads = 0, agree = 0;
    *p = (struct predictions){ 0 };
    int code = kl_store_file_open_kind(&file, path, &kl_predictions_kind, err);
    if (!code) code = kl_store_file_number(&heads, file, "", "heads", err);
    if (!code) code = kl_store_file_number(&agree, file, "", "agree", err);
    if (!code)
        code = kl_store_file_load_named((void **)&p->names, &set, file, "class_names", KL_TYPE_STRING, 1,
                                        err);
    if (!code) p->c = set->dims[0], p->name_size = set->item_size;
    if (!code)
        code = kl_store_file_load_named((void **)&p->index, &set, file, "index", KL_TYPE_I64, 1, err);
    if (!code) p->n = set->dims[0], p->heads = (size_t)heads, p->agree = (size_t)agree;
    const size_t dims[2] = { p->n, p->c };
    if (!code)
        code = kl_store_file_load_shape((void **)&p->predicted, file, "predictions", KL_TYPE_I32, 1,
                                        dims, err);
    if (!code)
        code = kl_store_file_load_shape((void **)&p->mean, file, "probabilities", KL_TYPE_F32, 2, dims,
                                        err);
    if (!code && p->heads > 1)
        code = kl_store_file_load_shape((void **)&p->deviation, file, "deviations", KL_TYPE_F32, 2, dims,
                                        err);
    for (size_t i = 0; i < p->n && !code; i++)
        if (p->predicted[i] < 0 || (size_t)p->predicted[i] >= p->c)
            code = kl_fail(err, KL_EDATA, "%s: dataset predictions: row %zu has class %d of %zu", path,
                           i, (int)p->predicted[i], p->c);
    kl_store_file_close(&file);
    return code;
}

/* A class's name, behind "p " or "sd ", as a field. */
static void put_name(FILE *to, const struct predictions *p, size_t k, const char *before)
{
    char field[1024];
    const int n =
        snprintf(field, sizeof field, "%s%.*s", before,
                 (int)strnlen(p->names + k * p->name_size, p->name_size), p->names + k * p->name_size);
    kl_csv_write(to, field, n < (int)sizeof field ? (size_t)n : sizeof field - 1);
}

static int put_csv(FILE *to, const void *context, struct kl_error *err)
{
    const struct predictions *p = context;
    (void)err;
    fprintf(to, "index%s,prediction", p->files ? ",name" : "");
    for (size_t k = 0; k < p->c; k++) fputc(',', to), put_name(to, p, k, "p ");
    for (size_t k = 0; k < p->c && p->deviation; k++) fputc(',', to), put_name(to, p, k, "sd ");
    fputc('\n', to);
    for (size_t i = 0; i < p->n; i++) {
        fprintf(to, "%lld,", (long long)p->index[i]);
        if (p->files) {
            const char *file = p->files + i * p->file_size;
            kl_csv_write(to, file, strnlen(file, p->file_size)), fputc(',', to);
        }
        put_name(to, p, (size_t)p->predicted[i], "");
        for (size_t k = 0; k < p->c; k++) fprintf(to, ",%.6g", (double)p->mean[i * p->c + k]);
        for (size_t k = 0; k < p->c && p->deviation; k++)
            fprintf(to, ",%.3g", (double)p->deviation[i * p->c + k]);
        fputc('\n', to);
    }
    return KL_OK;
}

/* From the features, as they are called now: names are no part of a key. */
static int take_files(struct predictions *p, struct kl_file *features, struct kl_error *err)
{
    const struct kl_dataset *set;
    if (!kl_store_file_find(features, FILES)) return KL_OK;
    const int code =
        kl_store_file_load_named((void **)&p->files, &set, features, FILES, KL_TYPE_STRING, 1, err);
    if (code) return code;
    p->file_size = set->item_size;
    return set->rows == p->n ? KL_OK
                             : kl_fail(err, KL_EDATA, "%s: dataset " FILES ": found %zu, expected %zu",
                                       kl_store_file_path(features), set->rows, p->n);
}

static int write_csv(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct predictions p;
    if (!v->csv) return KL_OK;
    int code = load(&p, v->common.output, err);
    if (!code) code = take_files(&p, ((const struct work *)run->state)->input, err);
    if (!code) code = kl_store_mode_text_write(run, v->csv, put_csv, &p, err);
    free_predictions(&p);
    return code;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = {
        { "samples", KL_JSON_COUNT, NULL, (double)w->e.n },
        { "classes", KL_JSON_COUNT, NULL, (double)w->e.c },
        { "heads", KL_JSON_COUNT, NULL, (double)w->heads },
        { "agree", KL_JSON_COUNT, NULL, (double)w->agree },
        { "preprocess_differs", KL_JSON_BOOL, NULL, w->differs },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    fprintf(to, "%s: %zu samples of %zu classes", w->v->common.output, w->e.n, w->e.c);
    if (w->heads > 1)
        fprintf(to, ", by the mean of %zu %s, which agree on %zu", w->heads,
                w->e.ensemble ? "draws" : "heads", w->agree);
    for (size_t k = 0; k < w->e.c; k++) {
        size_t n = 0;
        for (size_t i = 0; i < w->e.n; i++) n += w->predicted[i] == (int32_t)k;
        const char *name = w->names + k * w->name_size;
        fprintf(to, "%s%.*s %zu", k ? ", " : ": ", (int)strnlen(name, w->name_size), name, n);
    }
    fputc('\n', to);
}

static void close_inputs(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_head_evaluation_free(&w->e);
    kl_head_features_free(&w->features);
    kl_sampling_heads_close(&w->draws);
    kl_store_file_close(&w->head);
    kl_store_file_close(&w->input);
    free(w->mean), free(w->deviation), free(w->predicted), free(w->index), free(w->names);
}

static const struct kl_kind_number numbers[] = {
    { .attribute = "heads", .title = "heads", .format = "%.0f" },
    { .attribute = "agree", .title = "  agree on", .format = "%.0f" },
    { .attribute = NULL }
};
const struct kl_kind kl_predictions_kind = {
    .name = "predictions", .maker = "qeval --predict", .classes = "class_names", .numbers = numbers
};

static const struct kl_file_stage stage = { .kind = &kl_predictions_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "qeval predict",
                                            .state_size = sizeof(struct work),
                                            .progress = "samples",
                                            .stops_at_once = true,
                                            .open = open_inputs,
                                            .key = key,
                                            .compute = predict,
                                            .save = save,
                                            .remark = remark,
                                            .after = write_csv,
                                            .json = json,
                                            .words = words,
                                            .close = close_inputs };
const struct kl_mode kl_mode_predict = { .tool = &kl_predict_tool, .stage = &stage };
