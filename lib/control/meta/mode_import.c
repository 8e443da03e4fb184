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
static int infer_shape(struct work *w, const char *path, struct kl_error *err)
{
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

static int take(struct work *w, const char *path, struct kl_error *err)
{
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

static int open_checkpoint(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const char *path = *run->stage.inputs;
    w->v = run->values;
    int code = kl_weights_read(&w->weights, path, err);
    if (!code) code = infer_shape(w, path, err);
    if (!code) code = kl_control_meta_settle(w->v, err);
    return code ? code : take(w, path, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const char *content = ((struct work *)run->state)->weights->sha256;
    const int code =
        kl_store_input_record(run->raw_inputs, "checkpoint", *run->stage.inputs, content, err);
    return code ? code : kl_store_key_input(key, "checkpoint", content, err);
}

/* As a training is judged: on its tasks of validation, of seed 0. */
static int judge(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    kl_control_meta_unused(w->v, run->stage.log);
    struct kl_control_judge *judge = NULL;
    double *params = malloc(w->net.block.size * sizeof *params), std;
    int code = params ? kl_control_meta_tables(&w->v->family, w->v, err)
                      : kl_fail_memory(err, w->net.block.size * sizeof *params);
    if (!code)
        code = kl_control_judge_open(&judge, w->v, &w->v->family, &w->net, KL_CONTROL_VALIDATION,
                                     (size_t)w->v->val_tasks, NULL, err);
    for (size_t i = 0; !code && i < w->net.block.size; i++) params[i] = (double)w->params[i];
    if (!code) code = kl_control_judge_run(&w->loss[0], &w->loss[1], &std, judge, params, err);
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

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    char *config = kl_options_json(&kl_control_import_tool, w->v, true);
    int code =
        config ? kl_store_writer_text(writer, "", "config", config, err) : kl_fail_memory(err, 1024);
    if (!code) code = save_tensors(writer, w, err);
    if (!code)
        code = kl_control_policy_write(writer, &w->net, &w->v->family, &w->v->inner, w->v->limit.value,
                                       "single", NULL, err);
    if (!code) code = kl_store_writer_number(writer, "", "loss_before", w->loss[0], err);
    if (!code) code = kl_store_writer_number(writer, "", "loss_adapted", w->loss[1], err);
    free(config);
    return code;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = {
        { "parameters", KL_JSON_COUNT, NULL, (double)w->net.parameters },
        { "loss_before", KL_JSON_NUMBER, NULL, w->loss[0] },
        { "loss_adapted", KL_JSON_NUMBER, NULL, w->loss[1] },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    fprintf(to, "%s: %lld parameters, %lld segments; loss %.4g, adapted %.4g on %lld tasks\n",
            w->v->common.output, (long long)w->net.parameters, (long long)w->v->segments, w->loss[0],
            w->loss[1], (long long)w->v->val_tasks);
}

static void close_checkpoint(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_weights_free(&w->weights);
    kl_control_net_free(&w->net);
    free(w->params);
}

static const struct kl_file_stage stage = { .kind = &kl_control_policy_kind,
                                            .schema = KL_CONTROL_POLICY_SCHEMA,
                                            .version = KL_CONTROL_META_VERSION,
                                            .name = "qcontrol import",
                                            .state_size = sizeof(struct work),
                                            .open = open_checkpoint,
                                            .key = key,
                                            .compute = judge,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = close_checkpoint };
const struct kl_mode kl_control_mode_import = { .tool = &kl_control_import_tool,
                                                .defaults = kl_control_meta_defaults,
                                                .stage = &stage };
