/* SPDX-License-Identifier: MIT
   What a head's controls are worth on the samples that the head was judged on. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "head/evaluate.h"
#include "kernels/inline/philox.h"
#include "store/store.h"

/* Why there are none, by the head's configuration. */
static int explain(struct kl_control_scores *s, struct kl_file *file, struct kl_error *err)
{
    char *text = NULL;
    json_t *config = NULL;
    int code = kl_store_file_text(&text, file, "", "config", err);
    if (!code) code = kl_json_parse(&config, text, kl_store_file_path(file), err);
    if (!code) {
        const char *core = json_string_value(json_object_get(config, "core"));
        if (core && strcmp(core, kl_core_names[KL_CORE_CIRCUIT]) != 0)
            s->absent = "the head is one itself (--core)";
        else if (json_is_true(json_object_get(config, "no-controls")))
            s->absent = "trained with --no-controls";
        else if (kl_store_file_has_attribute(file, "", KL_HEAD_SAMPLED))
            s->absent = "a draw of a chain has none (sgld head --compare)";
        else if (!kl_store_file_find(file, "history/train_loss"))
            s->absent = "the weights come from elsewhere";
        else s->absent = "trained by a version without them";
    }
    json_decref(config);
    free(text);
    return code;
}

/* The samples judged, one after another. */
static int gather(float **x, const struct kl_evaluation *e, struct kl_error *err)
{
    const size_t d = e->features->d;
    *x = malloc((e->n + 1) * d * sizeof **x);
    if (!*x) return kl_fail_memory(err, e->n * d * sizeof **x);
    for (size_t i = 0; i < e->n; i++)
        memcpy(*x + i * d, e->features->x + (size_t)e->rows[i] * d, d * sizeof **x);
    return KL_OK;
}

struct scratch {
    float *x, *logits, *probabilities;
    int32_t *predictions, *taken;
    int64_t *confusion;
};

static int control_logits(float *logits, int i, const struct kl_shots *shots,
                          const struct kl_evaluation *e, struct kl_file *file,
                          const struct kl_evaluation_options *o, const float *x, struct kl_pool *pool,
                          struct kl_error *err)
{
    const struct kl_conditions how = kl_head_evaluation_conditions(e, o, shots->replica);
    const struct kl_mitigation_job job = { file, kl_head_control_name(i), shots->replica,
                                           how,  &o->mitigation,          shots };
    struct kl_head *head = NULL;
    int code = kl_head_load(&head, file, kl_head_control_name(i), shots->replica, &how, err);
    if (!code && ((!e->replica && (size_t)head->n_replicas != e->replicas) ||
                  head->model.n_classes != e->c || head->model.n_features != e->features->d))
        code = kl_fail(err, KL_EDATA, "%s: controls/%s has another shape than the head",
                       kl_store_file_path(file), kl_head_control_name(i));
    if (!code && kl_head_mitigates(&o->mitigation) && head->model.circuit)
        code = kl_head_mitigated_logits(logits, NULL, NULL, &job, x, e->n, pool, err);
    else if (!code) code = kl_head_evaluation_logits(logits, head, x, e->n, shots, o, pool, err);
    kl_head_free(&head);
    return code;
}

/* Row r of control i: replica `own` of its file. */
static int judge(struct kl_control_scores *s, int i, size_t r, uint32_t own,
                 const struct kl_evaluation *e, struct kl_file *file,
                 const struct kl_evaluation_options *o, const struct scratch *t, struct kl_pool *pool,
                 struct kl_error *err)
{
    const struct kl_shots shots = {
        .n = o->shots, .seed = o->seed, .purpose = KL_RANDOM_SHOTS, .replica = own, .rows = e->rows
    };
    size_t right = 0;
    const int code = control_logits(t->logits, i, &shots, e, file, o, t->x, pool, err);
    if (code) return code;
    kl_stats_softmax(t->probabilities, t->predictions, t->logits, e->n, e->c);
    for (size_t k = 0; k < e->n; k++) right += t->predictions[k] == e->labels[k];
    s->accuracy[i][r] = e->n ? (double)right / (double)e->n : 0;
    s->log_loss[i][r] = kl_stats_log_loss(t->probabilities, e->labels, e->n, e->c);
    kl_stats_confusion(t->confusion, e->labels, t->predictions, e->n, e->c);
    s->collapsed[i] += kl_stats_merged_classes(t->taken, t->confusion, e->c) > 0;
    return KL_OK;
}

int kl_head_control_scores(struct kl_control_scores *s, const struct kl_evaluation *e,
                           struct kl_file *head, const struct kl_evaluation_options *o,
                           struct kl_pool *pool, struct kl_error *err)
{
    struct scratch t = { 0 };
    char group[64];
    *s = (struct kl_control_scores){ .replicas = e->replicas };
    if (e->ensemble) s->absent = "draws of a chain have none (sgld head --compare)";
    if (e->ensemble) return KL_OK;
    if (!kl_store_file_find(head, "controls/none/params/head.0.weight")) return explain(s, head, err);
    double *values = calloc(2 * KL_CONTROLS * e->replicas, sizeof *values);
    s->accuracy[0] = values; /* owns all of them */
    t.logits = malloc((e->n + 1) * e->c * sizeof *t.logits);
    t.probabilities = malloc((e->n + 1) * e->c * sizeof *t.probabilities);
    t.predictions = malloc((e->n + 1) * sizeof *t.predictions);
    t.taken = malloc(e->c * sizeof *t.taken);
    t.confusion = malloc(e->c * e->c * sizeof *t.confusion);
    int code = values && t.logits && t.probabilities && t.predictions && t.taken && t.confusion
                   ? gather(&t.x, e, err)
                   : kl_fail_memory(err, e->n * e->c * sizeof *t.logits);
    kl_head_judge_progress_begin(o->meter, KL_CONTROLS * e->n * e->replicas);
    for (int i = 0; i < KL_CONTROLS && !code; i++) {
        s->accuracy[i] = values + (size_t)i * e->replicas;
        s->log_loss[i] = values + (size_t)(KL_CONTROLS + i) * e->replicas;
        int64_t first = 0;
        snprintf(group, sizeof group, "controls/%s/", kl_head_control_name(i));
        code = kl_head_evaluation_replica(&first, e->replica, head, group, err);
        for (size_t r = 0; r < e->replicas && !code; r++) {
            code = judge(s, i, r, (uint32_t)(first + (int64_t)r), e, head, o, &t, pool, err);
            kl_head_judge_progress_head(o->meter, e->n);
        }
        s->difference[i] = kl_stats_paired(e->accuracy, s->accuracy[i], e->replicas);
    }
    free(t.x);
    free(t.logits);
    free(t.probabilities);
    free(t.predictions);
    free(t.taken);
    free(t.confusion);
    if (code) kl_head_control_scores_free(s);
    return code;
}

void kl_head_control_scores_free(struct kl_control_scores *s)
{
    free(s->accuracy[0]);
    *s = (struct kl_control_scores){ 0 };
}

int kl_head_control_scores_save(struct kl_writer *w, const struct kl_control_scores *s,
                                struct kl_error *err)
{
    struct kl_control_numbers numbers;
    char text[96], name[64];
    if (s->absent) {
        snprintf(text, sizeof text, "no: %s", s->absent);
        return kl_store_writer_text(w, "", "controls", text, err);
    }
    int code = kl_store_writer_text(w, "", "controls", "yes", err);
    for (int i = 0; i < KL_CONTROLS && code >= 0; i++) {
        snprintf(name, sizeof name, "controls/%s/accuracy", kl_head_control_name(i));
        code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &s->replicas, s->accuracy[i], err);
        snprintf(name, sizeof name, "controls/%s/log_loss", kl_head_control_name(i));
        if (code >= 0)
            code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &s->replicas, s->log_loss[i], err);
    }
    kl_head_control_numbers(&numbers, s->difference, KL_CONTROLS, false);
    for (size_t k = 0; k < numbers.n && code >= 0; k++)
        code = kl_store_writer_number(w, "", numbers.names[k], numbers.pairs[k].number, err);
    return code < 0 ? code : KL_OK;
}
