/* SPDX-License-Identifier: MIT
   qconvert: trained heads to other programs, and their weights to a head. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backbone/extract.h"
#include "circuit/noise.h"
#include "circuit/estimate.h"
#include "head/exchange.h"
#include "head/run.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 1 };

struct values {
    struct kl_common common;
    struct kl_head_options head;
    struct kl_head_shape_texts shape;
    const char *features, *map, *shots;
    int64_t replica;
    bool all_replicas;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "replica", 0, KL_OPT_INT, AT(replica), "K|best", 0, 65535, false,
      "which head of the file, from 0, or the best by validation", "To .safetensors, .npz or .py",
      NULL },
    { "all-replicas", 0, KL_OPT_FLAG, AT(all_replicas), NULL, 0, 0, false,
      "all heads, along a first dimension", NULL, NULL },
    { "features", 0, KL_OPT_STRING, AT(features), "FEATURES", 0, 0, false,
      "that the weights belong to: classes, origin", "To a head", NULL },
    { "map", 0, KL_OPT_STRING, AT(map), "OURS=THEIRS,...", 0, 0, true,
      "names of tensors or layers in the file; A+B joins", NULL, NULL },
    KL_HEAD_SHAPE_OPTIONS(AT(shape), NULL),
    { "dropout", 0, KL_OPT_FLOAT, AT(head.dropout), "P", 0, 0.99, true, NULL, NULL,
      "dropout_rate" }, /* that it was trained with: only kept, as the shots */
    { "shots", 0, KL_OPT_STRING, AT(shots), "N", 0, 0, true, NULL, NULL, NULL },
    KL_CIRCUIT_OPTIONS(AT(head.circuit)),
    KL_NOISE_OPTION(AT(head.circuit.noise), NULL),
    { "output", 'o', KL_OPT_STRING, AT(common.output), "FILE", 0, 0, false,
      "the result; - is standard output, for a head only", "Result", NULL },
};
static const struct kl_tool tool = {
    .name = "qconvert",
    .summary = "Heads to PyTorch, PennyLane and NumPy, and weights of these to a head that qeval takes",
    .arguments = "HEAD.h5 -o W.safetensors|W.npz|HEAD.py\n       qconvert W.safetensors|W.npz|W.pth "
                 "--features F.h5 -o "
                 "HEAD.h5",
    .example = "qconvert head.h5 -o head.py\n  qconvert head.h5 -o head.safetensors\n  qconvert net.npz "
               "--features train.h5 --map "
               "vqc.weight=q.weights -o head.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "output seed progress",
};

struct run {
    struct values *v;
    struct kl_stage *stage;
    FILE *out;
    struct kl_file *file; /* the head, or the features */
    struct kl_weights *weights;
    struct kl_features features;
    json_t *config;            /* that stands beside the weights: options point into it */
    char *qasm;                /* of --circuit-file */
    char *noise, *observables; /* in their canonical forms */
    char *made_config; /* the options by the weights' own configuration alone; NULL: they have none */
    char *own_config;
    struct kl_writer *writer;
};

static void defaults(void *values)
{
    struct values *v = values;
    *v = (struct values){ .map = "" };
    kl_head_shape_default(&v->shape);
    kl_head_options_default(&v->head);
}

/* ---- a head to other programs ---- */

/* Refuse options that make a head: they change nothing of its export. */
static int check_export(const struct values *v, struct kl_error *err)
{
    struct values usual;
    int code = KL_OK;
    defaults(&usual);
    for (size_t i = 0; i < tool.n_options && !code; i++)
        if (options[i].in_key)
            code = kl_options_refuse(&tool, v, &usual, options[i].name,
                                     "makes a head of weights, with --features; leave it out", err);
    return code;
}

/* Who edited a program would lose it. */
static int check_python(const struct run *run, const char *path, struct kl_error *err)
{
    const char *output = run->v->common.output;
    const bool force = run->v->common.force;
    char *text = NULL;
    size_t n;
    bool unedited;
    int code = kl_store_target_check_bytes(output, 0, KL_PYTHON_MARK, force, &path, 1, err);
    if (code || force || access(output, F_OK)) return code;
    code = kl_read_bytes(&text, &n, output, 1 << 20, "a program of qconvert", err);
    if (!code) code = kl_head_python_unedited(&unedited, text, n, err);
    free(text);
    return code || unedited
               ? code
               : kl_fail(err, KL_EUSAGE, "%s: was edited; give another name, or --force to replace it",
                         output);
}

static int make_python(unsigned char **bytes, size_t *n, struct run *run, const char *path,
                       struct kl_error *err)
{
    char *text = NULL;
    const char *const refused = run->v->all_replicas ? "--all-replicas: a program is one head; give "
                                                       "--replica, or edit its REPLICA"
                                : strcmp(path, "-") == 0
                                    ? "-: a program reads its weights from the head's file; name it"
                                    : NULL;
    if (refused) return kl_fail(err, KL_EUSAGE, "%s", refused);
    int code = kl_head_python(&text, n, run->file, run->v->replica, run->stage->log, err);
    if (!code) code = check_python(run, path, err);
    *bytes = (unsigned char *)text;
    return code;
}

static int make_weights(unsigned char **bytes, size_t *n, struct run *run, const char *path,
                        enum kl_weights_format format, int64_t replica, struct kl_error *err)
{
    size_t mark_at;
    const char *mark = kl_weights_mark(&mark_at, format);
    int code = kl_store_target_check_bytes(run->v->common.output, mark_at, mark, run->v->common.force,
                                           &path, 1, err);
    return code ? code : kl_head_export_bytes(bytes, n, run->weights, run->file, replica, format, err);
}

static int check_export_options(const struct run *run, struct kl_error *err)
{
    if (run->v->common.print_key || run->v->common.dry_run)
        return kl_fail(err, KL_EUSAGE,
                       "--key and --dry-run: weights for other programs have no key; these go with "
                       "--features");
    /* 0, the default, stands in what --print-config prints, too */
    if (run->v->all_replicas && run->v->replica)
        return kl_fail(err, KL_EUSAGE,
                       "--replica %lld: --all-replicas takes all; leave one of them out",
                       (long long)run->v->replica);
    return check_export(run->v, err);
}

/* KL_NO_FORMAT: a program in Python. */
static int export_head(struct run *run, const char *path, enum kl_weights_format format,
                       struct kl_error *err)
{
    const char *output = run->v->common.output;
    unsigned char *bytes = NULL;
    size_t n = 0, values = 0;
    bool written = false;
    int code = check_export_options(run, err);
    if (!code) code = kl_store_file_open_kind(&run->file, path, &kl_head_kind, err);
    if (!code && run->v->replica < 0)
        code = kl_head_evaluation_replica(&run->v->replica, "best", run->file, "", err);
    const int64_t replica = run->v->all_replicas ? -1 : run->v->replica;
    if (!code) code = kl_head_export(&run->weights, run->file, replica, err);
    if (!code)
        code = format == KL_NO_FORMAT ? make_python(&bytes, &n, run, path, err)
                                      : make_weights(&bytes, &n, run, path, format, replica, err);
    if (!code) code = kl_store_publish_bytes(&written, output, bytes, n, err);
    free(bytes);
    if (code) return code;
    for (size_t i = 0; i < run->weights->n; i++) values += run->weights->tensors[i].n;
    const char *status = kl_store_stage_status(written ? KL_STAGE_COMPUTE : KL_STAGE_UP_TO_DATE);
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, output, 0 },
        { "status", KL_JSON_TEXT, status, 0 },
        { "tensors", KL_JSON_COUNT, NULL, (double)run->weights->n },
        { "values", KL_JSON_COUNT, NULL, (double)values },
    };
    if (run->v->common.json) return kl_json_line(run->out, pairs, sizeof pairs / sizeof *pairs, err);
    if (run->v->common.quiet) return KL_OK;
    if (written) fprintf(run->out, "%s: %zu tensors, %zu values\n", output, run->weights->n, values);
    else fprintf(run->out, "%s: %s\n", output, status);
    return KL_OK;
}

/* ---- weights of other programs to a head ---- */

static int check_shots(const char *text, struct kl_error *err)
{
    size_t shots;
    return text ? kl_circuit_shots_number(&shots, text, err) : KL_OK;
}

/* Take the weights' own configuration, under the command line's. Only one of a head counts: other
   programs may keep something else under this name. */
static int take_config(struct run *run, const char *path, struct kl_error *err)
{
    struct values v;
    struct kl_head_model model = { 0 };
    const char **inputs = NULL;
    size_t n;
    int code = KL_OK;
    if (run->weights->config) code = kl_json_parse(&run->config, run->weights->config, path, err);
    if (code == KL_ENOMEM || !json_object_get(run->config, "reduction"))
        return code == KL_ENOMEM ? code : KL_OK;
    defaults(&v);
    code = kl_head_config(&v.head, &v.shape.reduction, &v.shape.classifier, run->config, path, err);
    if (!code) code = kl_head_model_make(&model, &v.head, 1, 2, err); /* of any size: what it refuses */
    if (!code) kl_head_model_free(&model);
    v.shape.core = kl_core_names[v.head.core];
    v.shots = json_string_value(json_object_get(run->config, "shots"));
    if (!code) code = check_shots(v.shots, err);
    if (!code && !(run->made_config = kl_options_json(&tool, &v, true)))
        code = kl_fail_memory(err, 1024);
    if (code == KL_EUSAGE) {
        const struct kl_error why = *err;
        code = kl_fail(err, KL_EDATA, "%s: its config: %.400s", path, why.text);
    }
    if (!code) code = kl_options_parse(&tool, &v, run->stage->argc, run->stage->argv, &inputs, &n, err);
    free(inputs);
    if (!code) *run->v = v;
    return code;
}

static int record_weights(char **text, const struct run *run, const char *path, struct kl_error *err)
{
    json_t *raw = json_object();
    int code = raw ? kl_store_input_record(raw, "weights", path, run->weights->sha256, err)
                   : kl_fail_memory(err, 256);
    if (!code) code = kl_json_dump(text, raw, err);
    json_decref(raw);
    return code;
}

static int begin(struct run *run, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, "head", KL_HEAD_SCHEMA, tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, &tool, run->v, err);
    if (!code) code = kl_store_key_input(key, "weights", run->weights->sha256, err);
    if (!code) code = kl_store_key_input(key, "features", kl_store_file_content(run->file), err);
    if (!code) code = kl_store_stage_begin(run->stage, answer, &key, run->out, err);
    kl_store_key_abort(&key);
    return code;
}

static int write_head(struct run *run, const char *path, struct kl_error *err)
{
    const struct kl_file *parents[] = { run->file };
    const struct kl_head_import import = { &run->v->head, run->weights, path, run->v->map,
                                           run->stage->log };
    char *raw = NULL;
    if (!(run->own_config = kl_options_json(&tool, run->v, true))) return kl_fail_memory(err, 1024);
    int code = kl_head_features_describe(&run->features, run->file, err);
    if (!code && run->made_config)
        code = kl_head_import_options(import.log, path, run->made_config, run->own_config, err);
    if (!code)
        code = kl_head_origin_check_text(run->weights->features, path, run->file, import.log, err);
    if (!code)
        code = kl_store_writer_open(&run->writer, run->v->common.output, &run->stage->header, err);
    if (!code) code = kl_head_import(run->writer, &import, &run->features, run->own_config, err);
    if (!code) code = kl_head_origin_save(run->writer, run->file, err);
    if (!code) code = record_weights(&raw, run, path, err);
    if (!code) code = kl_store_stage_publish(run->stage, &run->writer, parents, 1, raw, NULL, err);
    free(raw);
    return code;
}

/* Texts of the options into the structs. The noise of a file is canonical, and never the name of one. */
static int settle(struct run *run, struct kl_error *err)
{
    struct values *v = run->v;
    const char *kept = json_string_value(json_object_get(run->config, "noise"));
    int code = kl_head_shape_settle(&v->head, &v->shape, err);
    if (!code) code = kl_circuit_options_file(&v->head.circuit, &run->qasm, err);
    if (!code) code = kl_circuit_observables_text(&run->observables, v->head.circuit.observables, err);
    if (!code) v->head.circuit.observables = run->observables;
    if (!code) code = check_shots(v->shots, err);
    if (code || !v->head.circuit.noise || v->head.circuit.noise == kept) return code;
    code = kl_circuit_noise_text(&run->noise, v->head.circuit.noise, err);
    v->head.circuit.noise = run->noise && *run->noise ? run->noise : NULL;
    return code;
}

static int import_head(struct run *run, const char *path, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    const char *inputs[] = { path, run->v->features };
    struct values usual;
    defaults(&usual);
    int code = kl_options_refuse(&tool, run->v, &usual, "replica all-replicas",
                                 "is of weights that are written; --features makes heads of all", err);
    if (!code) code = kl_weights_read(&run->weights, path, err);
    if (!code) kl_weights_say(run->weights, run->stage->log);
    if (!code) code = take_config(run, path, err);
    if (!code) code = settle(run, err);
    if (!code) code = kl_store_file_open_kind(&run->file, run->v->features, &kl_features_kind, err);
    run->stage->inputs = inputs;
    run->stage->n_inputs = 2;
    if (!code) code = begin(run, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer == KL_STAGE_COMPUTE) code = write_head(run, path, err);
    const bool to_stream = strcmp(run->v->common.output, "-") == 0;
    if (code || answer != KL_STAGE_COMPUTE || run->v->common.json)
        return code ? code : kl_store_stage_report(run->stage, answer, run->out, err);
    if (!to_stream && !run->v->common.quiet)
        fprintf(run->out, "%s: head for %zu features and %zu classes, from %s\n", run->v->common.output,
                run->features.d, run->features.n_classes, path);
    return KL_OK;
}

static int work(struct run *run, struct kl_error *err)
{
    const char *const *inputs = run->stage->inputs;
    const char *output = run->v->common.output;
    const enum kl_weights_format format = output ? kl_weights_format(output) : KL_NO_FORMAT;
    const size_t length = output ? strlen(output) : 0;
    const bool python = length > 3 && strcmp(output + length - 3, ".py") == 0;
    if ((format != KL_NO_FORMAT || python) && run->v->features)
        return kl_fail(err, KL_EUSAGE, "%s: --features makes a head; give it a name such as head.h5",
                       output);
    if (run->v->features) return import_head(run, inputs[0], err);
    if (format != KL_NO_FORMAT || python) return export_head(run, inputs[0], format, err);
    if (output && strcmp(output, "-") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "-o -: weights go to a file; give NAME.safetensors, NAME.npz or "
                       "NAME.py");
    return kl_fail(
        err, KL_EUSAGE,
        "%s: ends in none of .safetensors, .npz and .py; a head from weights needs --features "
        "FEATURES.h5",
        output ? output : "--key");
}

static int convert(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values, .stage = &mode->stage, .out = mode->out };
    const int code = work(&run, err);
    kl_store_writer_abort(&run.writer);
    kl_head_features_free(&run.features);
    kl_store_file_close(&run.file);
    kl_weights_free(&run.weights);
    json_decref(run.config);
    free(run.made_config);
    free(run.own_config);
    free(run.qasm);
    free(run.noise);
    free(run.observables);
    return code;
}

int main(int argc, char **argv)
{
    static const struct kl_mode weights = { .tool = &tool, .defaults = defaults, .run = convert };
    return kl_store_mode_main(&weights, argc, argv, stdout, stderr);
}
