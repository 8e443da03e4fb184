/* SPDX-License-Identifier: MIT
   Heads judged on features: logits, scores, the conditions under which their circuits run. */
#include "head/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "head/gpu.h"
#include "head/head.h"
#include "kernels/inline/philox.h"
#include "store/store.h"

static int all_rows(struct kl_evaluation *e, struct kl_error *err)
{
    e->n = e->features->n;
    e->rows = malloc((e->n + 1) * sizeof *e->rows);
    if (!e->rows) return kl_fail_memory(err, e->n * sizeof *e->rows);
    for (size_t i = 0; i < e->n; i++) e->rows[i] = (int64_t)i;
    return KL_OK;
}

static int validation_rows(struct kl_evaluation *e, struct kl_file *head, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code =
        kl_store_file_load_named((void **)&e->rows, &set, head, "split/validation", KL_TYPE_I64, 1, err);
    if (code) return code;
    e->n = set->dims[0];
    for (size_t i = 0; i < e->n; i++)
        if (e->rows[i] < 0 || (size_t)e->rows[i] >= e->features->n)
            return kl_fail(
                err, KL_EDATA,
                "%s: split/validation: row %lld, the features have %zu; give the file it was trained on",
                kl_store_file_path(head), (long long)e->rows[i], e->features->n);
    return KL_OK;
}

static int allocate(struct kl_evaluation *e, struct kl_error *err)
{
    size_t r = e->replicas, n = e->n + 1;
    e->labels = malloc(n * sizeof *e->labels);
    e->predictions = malloc(r * n * sizeof *e->predictions);
    e->probabilities = malloc(r * n * e->c * sizeof *e->probabilities);
    e->accuracy = calloc(4 * r, sizeof *e->accuracy);
    if (kl_head_mitigates(&e->mitigation)) e->mitigated = calloc(r, sizeof *e->mitigated);
    if (kl_head_mitigates(&e->mitigation) && !e->mitigated)
        return kl_fail_memory(err, r * sizeof *e->mitigated);
    if (e->trajectories && !kl_head_mitigates(&e->mitigation) && e->features->labels) {
        e->drawn = calloc(r, sizeof *e->drawn);
        if (!e->drawn) return kl_fail_memory(err, r * sizeof *e->drawn);
    }
    if (!e->labels || !e->predictions || !e->probabilities || !e->accuracy)
        return kl_fail_memory(err, r * n * e->c * sizeof *e->probabilities);
    e->log_loss = e->accuracy + r;
    e->top_k = e->accuracy + 2 * r;
    e->calibration_error = e->accuracy + 3 * r;
    for (size_t i = 0; i < e->n; i++)
        e->labels[i] = e->features->labels ? e->features->labels[e->rows[i]] : -1;
    return KL_OK;
}

static void judge(struct kl_evaluation *e, size_t r)
{
    const float *p = e->probabilities + r * e->n * e->c;
    const int32_t *predicted = e->predictions + r * e->n;
    int64_t count[KL_CALIBRATION_BINS];
    double accuracy[KL_CALIBRATION_BINS], confidence[KL_CALIBRATION_BINS];
    size_t right = 0;
    if (!e->features->labels) return;
    for (size_t i = 0; i < e->n; i++) right += predicted[i] == e->labels[i];
    e->accuracy[r] = e->n ? (double)right / (double)e->n : 0;
    e->log_loss[r] = kl_stats_log_loss(p, e->labels, e->n, e->c);
    e->top_k[r] = e->n ? (double)kl_stats_top_k(p, e->labels, e->n, e->c, e->k) / (double)e->n : 0;
    e->calibration_error[r] =
        kl_stats_calibration(count, accuracy, confidence, p, e->labels, e->n, e->c, KL_CALIBRATION_BINS);
}

/* Predictions and numbers of replica r from its logits. */
static void judge_logits(struct kl_evaluation *e, size_t r, const float *logits)
{
    kl_stats_softmax(e->probabilities + r * e->n * e->c, e->predictions + r * e->n, logits, e->n, e->c);
    judge(e, r);
}

/* As predict; the numbers without mitigation come first, and are put aside. */
static int predict_mitigated(struct kl_evaluation *e, size_t r, const struct kl_mitigation_job *job,
                             const float *x, struct kl_pool *pool, struct kl_error *err)
{
    const size_t size = e->n * e->c;
    float *logits = malloc((2 * size + 1) * sizeof *logits);
    if (!logits) return kl_fail_memory(err, 2 * size * sizeof *logits);
    int code =
        kl_head_mitigated_logits(logits, logits + size, &e->mitigated[r], job, x, e->n, pool, err);
    if (!code) {
        judge_logits(e, r, logits + size);
        e->mitigated[r].accuracy = e->accuracy[r];
        e->mitigated[r].log_loss = e->log_loss[r];
        judge_logits(e, r, logits);
    }
    free(logits);
    return code;
}

struct kl_conditions kl_head_evaluation_conditions(const struct kl_evaluation *e,
                                                   const struct kl_evaluation_options *o, size_t r)
{
    return (struct kl_conditions){ .noise = o->noise,
                                   .trajectories = o->trajectories,
                                   .meter = o->meter,
                                   .draws = { .seed = o->seed,
                                              .purpose = KL_RANDOM_TRAJECTORIES,
                                              .replica = (uint32_t)r,
                                              .rows = e->rows } };
}

static bool on_gpu(const struct kl_evaluation_options *o)
{
    return o->device && o->device->cuda;
}

int kl_head_evaluation_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                              const struct kl_shots *shots, const struct kl_evaluation_options *o,
                              struct kl_pool *pool, struct kl_error *err)
{
    return on_gpu(o) ? kl_head_gpu_logits(logits, head, x, n, o->device, err)
                     : kl_head_logits(logits, NULL, head, x, n, shots, pool, err);
}

/* The mean of all members' probabilities, and what is likeliest by it. */
static int predict_ensemble(struct kl_evaluation *e, struct kl_file *file, const float *x,
                            const struct kl_evaluation_options *o, struct kl_pool *pool,
                            struct kl_error *err)
{
    const struct kl_conditions how = kl_head_evaluation_conditions(e, o, 0);
    const size_t size = e->n * e->c;
    const struct kl_shots exact = { 0 };
    struct kl_head *head = NULL;
    float *logits = malloc((size + 1) * sizeof *logits);
    double *sum = calloc(size + 1, sizeof *sum), *squares = e->spread = calloc(size + 1, sizeof *sum);
    int32_t *said = calloc(e->n + 1, sizeof *said); /* by all so far; -1: they differ */
    int code = logits && sum && squares && said ? kl_head_load(&head, file, NULL, 0, &how, err)
                                                : kl_fail_memory(err, size * sizeof *sum);
    for (size_t i = 0; i < o->ensemble->n && !code; i++) {
        code = o->ensemble->set(o->ensemble->context, head, i, err);
        if (!code) code = kl_head_evaluation_logits(logits, head, x, e->n, &exact, o, pool, err);
        if (code) break;
        kl_stats_softmax(e->probabilities, e->predictions, logits, e->n, e->c);
        for (size_t k = 0; k < size; k++) {
            const double p = e->probabilities[k];
            sum[k] += p, squares[k] += p * p;
        }
        for (size_t k = 0; k < e->n; k++)
            said[k] = !i || said[k] == e->predictions[k] ? e->predictions[k] : -1;
        kl_head_judge_progress_head(o->meter, e->n);
    }
    for (size_t i = 0; i < e->n && !code; i++) {
        const double *row = sum + i * e->c;
        size_t best = 0;
        for (size_t k = 0; k < e->c; k++) {
            const double heads = (double)o->ensemble->n, mean = row[k] / heads;
            double *s = &squares[i * e->c + k];
            *s = heads > 1 ? sqrt(fmax(*s - heads * mean * mean, 0) / (heads - 1)) : NAN;
            e->probabilities[i * e->c + k] = (float)mean;
            if (row[k] > row[best]) best = k;
        }
        e->predictions[i] = (int32_t)best;
        e->agree += said[i] >= 0;
    }
    if (!code) judge(e, 0);
    kl_head_free(&head);
    free(logits);
    free(sum);
    free(said);
    return code;
}

static int predict(struct kl_evaluation *e, struct kl_file *file, size_t r, const float *x,
                   const struct kl_evaluation_options *o, struct kl_pool *pool, struct kl_error *err)
{
    const size_t own = (size_t)e->first + r; /* in the file */
    if (e->ensemble) return predict_ensemble(e, file, x, o, pool, err);
    const struct kl_shots shots = { .n = o->shots,
                                    .seed = o->seed,
                                    .purpose = KL_RANDOM_SHOTS,
                                    .replica = (uint32_t)own,
                                    .rows = e->rows };
    const struct kl_conditions how = kl_head_evaluation_conditions(e, o, own);
    if (kl_head_mitigates(&o->mitigation)) {
        const struct kl_mitigation_job job = { file, NULL, own, how, &o->mitigation, &shots };
        return predict_mitigated(e, r, &job, x, pool, err);
    }
    struct kl_head *head = NULL;
    float *logits = malloc((e->n + 1) * e->c * sizeof *logits);
    int code = logits ? kl_head_load(&head, file, NULL, (int64_t)own, &how, err)
                      : kl_fail_memory(err, e->n * e->c * sizeof *logits);
    if (!code && e->drawn)
        code =
            kl_head_trajectory_logits(logits, &e->drawn[r], head, x, e->labels, e->n, &shots, pool, err);
    else if (!code) code = kl_head_evaluation_logits(logits, head, x, e->n, &shots, o, pool, err);
    if (!code) judge_logits(e, r, logits);
    kl_head_free(&head);
    free(logits);
    return code;
}

static bool has_class(const struct kl_features *f, const char *name, size_t size)
{
    for (size_t i = 0; i < f->n_classes; i++) {
        const char *found = f->class_names + i * f->name_size;
        if (kl_same_name(found, strnlen(found, f->name_size), name, size)) return true;
    }
    return false;
}

/* The features' classes must be the head's, name by name; they may be fewer, the last ones. */
static int check_classes(const struct kl_features *f, struct kl_file *file, struct kl_error *err)
{
    const struct kl_dataset *names;
    void *memory = NULL;
    int code = kl_store_file_load_named(&memory, &names, file, "class_names", KL_TYPE_STRING, 1, err);
    for (size_t i = 0; !code && i < f->n_classes && i < names->dims[0]; i++) {
        const char *made = (const char *)memory + i * names->item_size,
                   *found = f->class_names + i * f->name_size;
        size_t m = strnlen(made, names->item_size), n = strnlen(found, f->name_size);
        const bool lacks = f->n_classes < names->dims[0] && !has_class(f, made, m);
        if (!kl_same_name(made, m, found, n))
            code =
                kl_fail(err, KL_EDATA, "%s: class %zu is '%.*s', in the features it is '%.*s'%s%.*s%s",
                        kl_store_file_path(file), i, (int)m, made, (int)n, found,
                        lacks ? "; if images come from folders, an empty folder '" : "",
                        lacks ? (int)m : 0, made, lacks ? "' keeps the numbering" : "");
    }
    free(memory);
    return code;
}

/* Does the head fit the features? */
static int check_fit(struct kl_evaluation *e, struct kl_file *file,
                     const struct kl_evaluation_options *o, struct kl_error *err)
{
    const struct kl_conditions how = kl_head_evaluation_conditions(e, o, 0);
    struct kl_head *head = NULL;
    int code = kl_head_evaluation_replica(&e->first, e->replica, file, "", err);
    if (!code) code = kl_head_load(&head, file, NULL, e->first, &how, err);
    if (code) return code;
    e->c = head->model.n_classes;
    e->replicas = e->replica || e->ensemble ? 1 : (size_t)head->n_replicas;
    const bool circuit = head->model.circuit; /* else there is neither noise nor a measurement */
    kl_circuit_noise_label(e->noise, circuit ? head->noise : "");
    e->shots = circuit ? o->shots : 0;
    e->trained_shots = circuit ? head->shots : 0;
    e->trajectories = head->model.circuit ? head->model.circuit->trajectories : 0;
    if (head->model.n_features != e->features->d)
        code = kl_fail(
            err, KL_EDATA,
            "%s: made for %zu features a sample, found %zu; extract them with the same backbone and tap",
            kl_store_file_path(file), head->model.n_features, e->features->d);
    else if (head->model.n_classes < e->features->n_classes)
        code = kl_fail(err, KL_EDATA, "%s: made for %zu classes, the features have %zu",
                       kl_store_file_path(file), head->model.n_classes, e->features->n_classes);
    else if (on_gpu(o) && (o->shots || e->trajectories || kl_head_mitigates(&o->mitigation)))
        code = kl_fail(err, KL_EUSAGE,
                       "shots, trajectories and mitigation: not on a GPU; give --device cpu");
    else if (e->ensemble &&
             (e->replica || o->shots || e->trajectories || kl_head_mitigates(&o->mitigation)))
        code = kl_fail(err, KL_EUSAGE,
                       "%s: an ensemble of draws is judged by exact outputs: leave --replica, --shots, "
                       "--trajectories and mitigation out, or take one draw out of it (sgld export)",
                       kl_store_file_path(file));
    else code = check_classes(e->features, file, err);
    kl_head_free(&head);
    return code;
}

int kl_head_evaluate(struct kl_evaluation *e, struct kl_file *head, const struct kl_features *features,
                     const struct kl_evaluation_options *o, struct kl_pool *pool, struct kl_error *err)
{
    *e = (struct kl_evaluation){ .features = features,
                                 .mitigation = o->mitigation,
                                 .replica = o->replica,
                                 .ensemble = o->ensemble ? o->ensemble->n : 0 };
    float *x = NULL;
    int code = check_fit(e, head, o, err);
    if (!code) code = strcmp(o->split, "val") == 0 ? validation_rows(e, head, err) : all_rows(e, err);
    if (!code) {
        e->k = e->c > 5 ? 5 : e->c > 1 ? e->c - 1 : 1;
        code = allocate(e, err);
    }
    if (!code && !(x = malloc((e->n + 1) * features->d * sizeof *x)))
        code = kl_fail_memory(err, e->n * features->d * sizeof *x);
    for (size_t i = 0; !code && i < e->n; i++)
        memcpy(x + i * features->d, features->x + (size_t)e->rows[i] * features->d,
               features->d * sizeof *x);
    kl_head_judge_progress_begin(o->meter, e->n * (e->ensemble ? e->ensemble : e->replicas));
    for (size_t r = 0; !code && r < e->replicas; r++) {
        code = predict(e, head, r, x, o, pool, err);
        kl_head_judge_progress_head(o->meter, e->n);
    }
    free(x);
    if (code) kl_head_evaluation_free(e);
    return code;
}

void kl_head_evaluation_free(struct kl_evaluation *e)
{
    free(e->rows);
    free(e->labels);
    free(e->predictions);
    free(e->probabilities);
    free(e->accuracy);
    free(e->mitigated);
    free(e->drawn);
    free(e->spread);
    *e = (struct kl_evaluation){ 0 };
}

int kl_head_evaluation_compare(struct kl_mcnemar *test, const struct kl_evaluation *a,
                               const struct kl_evaluation *b, struct kl_error *err)
{
    int64_t only_a = 0, only_b = 0;
    if (a->n != b->n || memcmp(a->rows, b->rows, a->n * sizeof *a->rows) != 0)
        return kl_fail(err, KL_EDATA,
                       "the two heads kept different validation samples; compare them on a test file");
    for (size_t i = 0; i < a->n; i++) {
        bool right_a = a->predictions[i] == a->labels[i], right_b = b->predictions[i] == a->labels[i];
        only_a += right_a && !right_b;
        only_b += right_b && !right_a;
    }
    *test = kl_stats_mcnemar(only_a, only_b);
    return KL_OK;
}
