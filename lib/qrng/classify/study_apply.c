/* SPDX-License-Identifier: MIT
   One run of one model of a study on its test rows. */
#include <math.h>
#include <string.h>

#include "stats/stats.h"
#include "qrng/classify/study_int.h"

int kl_judge_take(struct kl_judge *j, struct kl_arena *memory, struct kl_error *err)
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

int kl_judge_find(const struct kl_dataset **d, const struct kl_judge *j, const char *name,
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
    const int rc = kl_judge_find(&d, j, name, type, rank, row_size, err);
    return rc ? rc : kl_store_file_rows(j->file, d, run, 1, to, err);
}

int kl_judge_load(struct kl_judge *j, size_t run, struct kl_error *err)
{
    const int rc = read_row(j->part, j, "splits", KL_TYPE_U8, 2, j->n, run, err);
    if (rc) return rc;
    kl_study_labels(j->labels, j->study, run, j->rows);
    j->count = kl_study_rows(j->rows, j->part, j->n, KL_PART_TEST, KL_PART_TEST);
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
              : kl_network_logits(j->logits, net, params, &j->study->samples, j->rows, j->count, err);
}

static int rule_logits(struct kl_judge *j, int model, size_t run, struct kl_error *err)
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

int kl_judge_collapse(bool *collapsed, struct kl_judge *j, int model, size_t run, struct kl_error *err)
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
int kl_judge_apply(size_t *right, struct kl_judge *j, int model, size_t run, struct kl_error *err)
{
    int rc = kl_judge_load(j, run, err);
    if (!rc) rc = predict(j, model, run, err);
    if (rc) return rc;
    kl_stats_confusion(j->confusion, j->own, j->predicted, j->count, j->c);
    *right = 0;
    for (size_t k = 0; k < j->c; k++) *right += (size_t)j->confusion[k * j->c + k];
    return KL_OK;
}

int kl_judge_put(const struct kl_judge *j, const char *model, const char *what, const double *values,
                 size_t n, struct kl_error *err)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", model, what);
    const int rc = kl_store_writer_put(j->w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    return rc < 0 ? rc : KL_OK;
}
