/* SPDX-License-Identifier: MIT
   `qcontrol import`: a policy from a checkpoint of metaqctrl (maml_*.pt, its state dictionary among what
   a training keeps, or that alone). The network's shape is that of the tensors; what family of tasks it
   is for, the options say. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "weights/weights.h"

struct work {
    struct kl_mode_run *run;
    struct kl_control_meta_values *v;
    struct kl_weights *weights;
    struct kl_control_net net;
    float *params;  /* the block */
    double loss[2]; /* before and after adaptation, on the tasks of validation */
};

static const struct kl_weight *layer_of(const struct work *w, int l, const char *what)
{
    char name[64];
    snprintf(name, sizeof name, "network.%d.%s", 2 * l, what);
    return kl_weights_find(w->weights, name);
}

/* Units and layers by the tensors' shapes, into the options' values. */
static int infer_shape(struct work *w, struct kl_error *err)
{
    const char *path = w->run->stage.inputs[0];
    const struct kl_weight *first = layer_of(w, 0, "weight"), *last = first;
    int layers = 0;
    if (kl_weights_find(w->weights, "network.1.weight"))
        return kl_fail(err, KL_EDATA,
                       "%s: found a network with layer norms, that of two qubits; expected one of "
                       "a single qubit",
                       path);
    for (const struct kl_weight *t = first; t; t = layer_of(w, ++layers, "weight")) {
        if (t->rank != 2)
            return kl_fail(err, KL_EDATA, "%s: tensor %s: found rank %d, expected 2", path, t->name,
                           t->rank);
        last = t;
    }
    if (layers < 2 || layers > KL_CONTROL_MAX_LAYERS || last->dims[0] % 2 ||
        last->dims[0] > 2 * KL_CONTROL_MAX_UNITS)
        return kl_fail(err, KL_EDATA,
                       "%s: found %d tensors network.0.weight, network.2.weight, ..., expected 2 to %d, "
                       "the last with "
                       "two outputs a segment",
                       path, layers, KL_CONTROL_MAX_LAYERS);
    w->v->hidden = (int64_t)first->dims[0], w->v->hidden_layers = layers - 2;
    w->v->segments = (int64_t)last->dims[0] / 2, w->v->features = (int64_t)first->dims[1];
    if (w->v->hidden <= KL_CONTROL_MAX_UNITS && w->v->features <= KL_CONTROL_MAX_FEATURES) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: found %lld features and %lld units, expected at most %d and %d",
                   path, (long long)w->v->features, (long long)w->v->hidden, KL_CONTROL_MAX_FEATURES,
                   KL_CONTROL_MAX_UNITS);
}

static int take(struct work *w, struct kl_error *err)
{
    const char *path = w->run->stage.inputs[0];
    int code = kl_control_net_make(&w->net, &w->v->shape, err);
    if (code) return code;
    w->params = calloc(w->net.block.size, sizeof *w->params);
    if (!w->params) return kl_fail_memory(err, w->net.block.size * sizeof *w->params);
    for (int i = 0; i < w->net.block.n; i++) {
        const struct kl_tensor *t = &w->net.block.tensors[i];
        const struct kl_weight *found = kl_weights_find(w->weights, t->name);
        if (!found || found->rank != t->rank || found->dims[0] != t->dims[0] ||
            (t->rank > 1 && found->dims[1] != t->dims[1]))
            return kl_fail(err, KL_EDATA, "%s: tensor %s: found %s, expected %zu x %zu values", path,
                           t->name, found ? "another shape" : "none", t->dims[0], t->dims[1]);
        if ((code = kl_weights_check_read(w->weights, found, err))) return code;
        for (size_t k = 0; k < found->n; k++)
            if (!isfinite(found->data[k]))
                return kl_fail(err, KL_EDATA, "%s: tensor %s: value %zu is not finite", path, t->name,
                               k);
        kl_nn_tensor_from_file_f32(w->params, t, found->data);
    }
    return KL_OK;
}

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, "policy", KL_CONTROL_POLICY_SCHEMA, "qcontrol import",
                                  KL_CONTROL_META_VERSION, err);
    if (!code) code = kl_store_key_options(key, &kl_control_import_tool, w->v, err);
    if (!code) code = kl_store_key_input(key, "checkpoint", w->weights->sha256, err);
    if (!code) code = kl_store_stage_begin(&w->run->stage, answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

/* As a training is judged: on its tasks of validation, of seed 0. */
static int judge(struct work *w, struct kl_error *err)
{
    struct kl_control_judge *judge = NULL;
    double *params = malloc(w->net.block.size * sizeof *params), std;
    int code = params ? kl_control_meta_tables(&w->v->family, w->v, err)
                      : kl_fail_memory(err, w->net.block.size * sizeof *params);
    if (!code)
        code = kl_control_judge_open(&judge, w->v, &w->v->family, &w->net, KL_CONTROL_VALIDATION,
                                     (size_t)w->v->val_tasks, err);
    for (size_t i = 0; !code && i < w->net.block.size; i++) params[i] = (double)w->params[i];
    if (!code) kl_control_judge_run(&w->loss[0], &w->loss[1], &std, judge, params);
    kl_control_judge_close(&judge);
    kl_control_psd_tables_free(&w->v->family);
    free(params);
    return code;
}

static int save_tensors(struct kl_writer *writer, const struct work *w, struct kl_error *err)
{
    for (int i = 0; i < w->net.block.n; i++) {
        const struct kl_tensor *t = &w->net.block.tensors[i];
        const struct kl_weight *from = kl_weights_find(w->weights, t->name);
        const size_t dims[3] = { 1, t->dims[0], t->dims[1] };
        char name[64];
        snprintf(name, sizeof name, "params/%s", t->name);
        const int code =
            kl_store_writer_put(writer, name, KL_TYPE_F32, 0, t->rank + 1, dims, from->data, err);
        if (code < 0) return code;
    }
    return KL_OK;
}

static int save(struct work *w, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    char *config = kl_options_json(&kl_control_import_tool, w->v, true), *raw = NULL;
    json_t *origin = json_object();
    int code = config && origin ? kl_store_input_record(origin, "checkpoint", w->run->stage.inputs[0],
                                                        w->weights->sha256, err)
                                : kl_fail_memory(err, 1024);
    if (!code) code = kl_json_dump(&raw, origin, err);
    json_decref(origin);
    if (!code) code = kl_store_writer_open(&writer, w->v->common.output, &w->run->stage.header, err);
    if (!code) code = kl_store_writer_text(writer, "", "config", config, err);
    if (!code) code = save_tensors(writer, w, err);
    if (!code)
        code = kl_control_policy_write(writer, &w->net, &w->v->family, &w->v->inner, w->v->limit,
                                       "single", err);
    if (!code) code = kl_store_writer_number(writer, "", "loss_before", w->loss[0], err);
    if (!code) code = kl_store_writer_number(writer, "", "loss_adapted", w->loss[1], err);
    if (!code) code = kl_store_stage_publish(&w->run->stage, &writer, NULL, 0, raw, NULL, err);
    kl_store_writer_abort(&writer);
    free(config), free(raw);
    return code;
}

static int work(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    stage->inputs++, stage->n_inputs--; /* the word itself */
    if (stage->n_inputs != 1)
        return kl_fail_inputs(err, stage->inputs, stage->n_inputs, 1, "one checkpoint");
    if (!w->v->common.output && !w->v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o POLICY.h5");
    int code = kl_weights_read(&w->weights, stage->inputs[0], err);
    if (!code) code = infer_shape(w, err);
    if (!code) code = kl_control_meta_settle(w->v, err);
    if (!code) code = take(w, err);
    if (!code) code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(stage, answer, w->run->out, err);
    kl_control_meta_unused(w->v, stage->log);
    code = judge(w, err);
    if (!code) code = save(w, err);
    if (code) return code;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, w->v->common.output, 0 },
        { "key", KL_JSON_TEXT, stage->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "parameters", KL_JSON_COUNT, NULL, (double)w->net.parameters },
        { "loss_before", KL_JSON_NUMBER, NULL, w->loss[0] },
        { "loss_adapted", KL_JSON_NUMBER, NULL, w->loss[1] },
        kl_json_cautions(stage->log),
    };
    FILE *to = kl_words_to(&w->v->common);
    if (w->v->common.json) return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
    if (!w->v->common.quiet)
        fprintf(to, "%s: %lld parameters, %lld segments; loss %.4g, adapted %.4g on %lld tasks\n",
                w->v->common.output, (long long)w->net.parameters, (long long)w->v->segments, w->loss[0],
                w->loss[1], (long long)w->v->val_tasks);
    return KL_OK;
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    const int code = work(&w, err);
    kl_weights_free(&w.weights);
    kl_control_net_free(&w.net);
    free(w.params);
    return code;
}

const struct kl_mode kl_control_mode_import = { .tool = &kl_control_import_tool,
                                                .defaults = kl_control_meta_defaults,
                                                .run = run };
