/* SPDX-License-Identifier: MIT
   qtrain: a feature cache in, trained hybrid heads out, with their controls. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "circuit/noise.h"
#include "circuit/options.h"
#include "head/controls.h"
#include "head/head.h"
#include "store/store.h"

enum { NUMERICAL_VERSION = 3 };

struct values {
    struct kl_common common;
    struct kl_head_options head;
    struct kl_train_options train;
    const char *core, *reduction, *classifier, *optimizer, *schedule, *diff_method, *history, *mlflow;
    const char *shots;
    bool no_controls, resume, check_gradients;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_CIRCUIT_OPTIONS(AT(head.circuit)),
    KL_NOISE_OPTION(AT(head.circuit.noise), NULL),
    { "core", 0, KL_OPT_CHOICE, AT(core), "circuit|twin|frozen|none", 0, 0, true,
      "between reduction and classifier; none: a linear probe", "Head", NULL },
    { "no-controls", 0, KL_OPT_FLAG, AT(no_controls), NULL, 0, 0, true,
      "do not train the three other cores beside the circuit", NULL, NULL },
    { "reduction", 0, KL_OPT_STRING, AT(reduction), "WIDTHS", 0, 0, true,
      "hidden widths before the circuit; none", NULL, NULL },
    { "classifier", 0, KL_OPT_STRING, AT(classifier), "WIDTHS", 0, 0, true,
      "hidden widths after it; none", NULL, NULL },
    { "dropout", 0, KL_OPT_FLOAT, AT(head.dropout), "P", 0, 0.99, true, "rate after every ReLU", NULL,
      "dropout_rate" },
    { "weight-scale", 0, KL_OPT_FLOAT, AT(head.weight_scale), "S", 0, 100, true,
      "circuit weights start as S N(0,1)", NULL, NULL },
    { "epochs", 'e', KL_OPT_INT, AT(train.epochs), "N", 1, 1e6, true, "passes over the training samples",
      "Training", "num_epochs" },
    { "batch-size", 'b', KL_OPT_INT, AT(train.batch_size), "N", 1, 1e6, true, "samples a step", NULL,
      "batch" },
    { "lr", 0, KL_OPT_FLOAT, AT(train.schedule.lr), "X", 0, 1e3, true, "learning rate", NULL,
      "learning_rate" },
    { "optimizer", 0, KL_OPT_CHOICE, AT(optimizer), "adam|adamw|sgd", 0, 0, true, "update rule", NULL,
      NULL },
    { "momentum", 0, KL_OPT_FLOAT, AT(train.optimizer.momentum), "X", 0, 1, true, "of sgd", NULL, NULL },
    { "beta1", 0, KL_OPT_FLOAT, AT(train.optimizer.beta1), "X", 0, 0.999999, true, "of Adam", NULL,
      NULL },
    { "beta2", 0, KL_OPT_FLOAT, AT(train.optimizer.beta2), "X", 0, 0.999999, true, "of Adam", NULL,
      NULL },
    { "epsilon", 0, KL_OPT_FLOAT, AT(train.optimizer.epsilon), "X", 0, 1, true, "of Adam", NULL, NULL },
    { "weight-decay", 0, KL_OPT_FLOAT, AT(train.optimizer.weight_decay), "X", 0, 1e3, true,
      "decoupled with adamw", NULL, NULL },
    { "clip", 0, KL_OPT_FLOAT, AT(train.optimizer.clip), "X", 0, 1e9, true,
      "largest norm of the gradient; 0: any", NULL, "gradient_clip" },
    { "schedule", 0, KL_OPT_CHOICE, AT(schedule), "constant|step|cosine|plateau", 0, 0, true,
      "of the learning rate", NULL, "scheduler" },
    { "warmup", 0, KL_OPT_INT, AT(train.schedule.warmup), "N", 0, 1e6, true, "epochs of rising rate",
      NULL, "warmup_epochs" },
    { "period", 0, KL_OPT_INT, AT(train.schedule.period), "N", 1, 1e6, true,
      "epochs a step of schedule step", NULL, "step_size" },
    { "factor", 0, KL_OPT_FLOAT, AT(train.schedule.factor), "X", 0, 1, true, "of step and plateau", NULL,
      "gamma" },
    { "plateau-patience", 0, KL_OPT_INT, AT(train.schedule.patience), "N", 0, 1e6, true,
      "epochs before a reduction", NULL, NULL },
    { "min-lr", 0, KL_OPT_FLOAT, AT(train.schedule.min_lr), "X", 0, 1e3, true, "of cosine and plateau",
      NULL, NULL },
    { "patience", 0, KL_OPT_INT, AT(train.patience), "N", 0, 1e6, true,
      "stop after N epochs without gain; 0: never", NULL, "early_stopping_patience" },
    { "val-fraction", 0, KL_OPT_FLOAT, AT(train.val_fraction), "P", 0, 0.9, true,
      "stratified validation part", NULL, "validation_split" },
    { "diff-method", 0, KL_OPT_CHOICE, AT(diff_method), "adjoint|parameter-shift|finite-diff", 0, 0,
      true, "how the circuit is differentiated", NULL, NULL },
    { "shots", 0, KL_OPT_STRING, AT(shots), NULL, 0, 0, false, NULL, NULL, NULL }, /* refused */
    { "replicas", 0, KL_OPT_INT, AT(train.replicas), "R", 1, 65536, true,
      "heads that differ in their random numbers", NULL, NULL },
    { "replica", 0, KL_OPT_INT, AT(train.first_replica), "K", 0, 4e9, true, "index of the first", NULL,
      NULL },
    { "resume", 0, KL_OPT_FLAG, AT(resume), NULL, 0, 0, false,
      "go on from the checkpoint of a stopped run", "Run", NULL },
    { "checkpoint-every", 0, KL_OPT_INT, AT(train.checkpoint_every), "N", 0, 1e6, false,
      "epochs; 0: only when stopped by a signal", NULL, NULL },
    { "check-gradients", 0, KL_OPT_FLAG, AT(check_gradients), NULL, 0, 0, false,
      "compare adjoint, shift rules and differences; train nothing", NULL, NULL },
    { "history", 0, KL_OPT_STRING, AT(history), "FILE", 0, 0, false, "the history as JSON lines too",
      NULL, NULL },
    { "mlflow", 0, KL_OPT_STRING, AT(mlflow), "DIR", 0, 0, false, "and as a file store of MLflow", NULL,
      NULL },
};
static const struct kl_tool tool = {
    "qtrain",
    "Trains hybrid heads (reduction, circuit, classifier) on cached features",
    "FEATURES.h5 -o HEAD.h5",
    "qtrain train.h5 -o head.h5\n  qtrain train.h5 --replicas 5 --epochs 15 -o heads.h5",
    options,
    sizeof options / sizeof *options,
    sizeof(struct values),
    NULL
};

struct run {
    struct values v;
    struct kl_log log;
    struct kl_stage stage;
    struct kl_file *input;
    struct kl_features features;
    struct kl_head_model model;
    struct kl_train train;
    struct kl_controls controls;
    struct kl_pool *pool;
    struct kl_writer *writer;  /* opened before the training: a folder that refuses is found at once */
    char *qasm, *noise;        /* of --circuit-file and --noise */
    char *config, *checkpoint; /* checkpoint: path, NULL when the output is a pipe */
};

/* --noise as its canonical text; none: as if it had not been given. */
static int settle_noise(struct values *v, char **noise, struct kl_error *err)
{
    if (v->shots)
        return kl_fail(err, KL_EUSAGE,
                       "--shots: training differentiates exact expectation values; leave it away, and "
                       "give --shots to qeval");
    int code = v->head.circuit.noise ? kl_noise_text(noise, v->head.circuit.noise, err) : KL_OK;
    v->head.circuit.noise = *noise && **noise ? *noise : NULL;
    return code;
}

/* Texts of the command line into the structs. */
static int settle(struct values *v, char **qasm, char **noise, struct kl_error *err)
{
    int code = kl_head_widths(v->head.reduction, &v->head.n_reduction, v->reduction, "reduction", err);
    if (!code)
        code =
            kl_head_widths(v->head.classifier, &v->head.n_classifier, v->classifier, "classifier", err);
    v->train.optimizer.kind = v->optimizer[0] == 's'   ? KL_SGD
                              : v->optimizer[4] == 'w' ? KL_ADAMW
                                                       : KL_ADAM;
    v->train.schedule.kind = v->schedule[0] == 's'                            ? KL_STEP_RATE
                             : v->schedule[0] == 'p'                          ? KL_PLATEAU_RATE
                             : v->schedule[1] == 'o' && v->schedule[2] == 's' ? KL_COSINE_RATE
                                                                              : KL_CONSTANT_RATE;
    v->train.diff = v->diff_method[0] == 'a'   ? KL_DIFF_ADJOINT
                    : v->diff_method[0] == 'p' ? KL_DIFF_SHIFT
                                               : KL_DIFF_DIFFERENCES;
    for (int i = 0; i < KL_CORES; i++)
        if (strcmp(v->core, kl_core_names[i]) == 0) v->head.core = (enum kl_core)i;
    if (v->head.core != KL_CORE_CIRCUIT) v->no_controls = true; /* it is one itself */
    v->train.seed = (uint64_t)v->common.seed;
    if (!code) code = kl_circuit_options_file(&v->head.circuit, qasm, err);
    if (!code) code = settle_noise(v, noise, err);
    if (!code && !v->common.output && !v->check_gradients && !v->common.print_key)
        code = kl_fail(err, KL_EUSAGE, "no output; give -o HEAD.h5");
    return code;
}

/* DIR/.NAME.checkpoint */
static int name_checkpoint(char **path, const char *output, struct kl_error *err)
{
    *path = NULL;
    if (!output || strcmp(output, "-") == 0) return 0;
    const char *slash = strrchr(output, '/');
    int folder = slash ? (int)(slash - output + 1) : 0;
    return asprintf(path, "%.*s.%s.checkpoint", folder, output, output + folder) < 0
               ? kl_fail_memory(err, strlen(output))
               : 0;
}

static int make_key(struct kl_key **key, const struct run *run, struct kl_error *err)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%lld", (long long)run->v.common.seed);
    int code = kl_key_begin(key, "head", KL_HEAD_SCHEMA, tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_key_options(*key, &tool, &run->v, err);
    if (!code) code = kl_key_text(*key, "seed", seed, err);
    return code ? code : kl_key_input(*key, "features", kl_file_content(run->input), err);
}

/* Whichever training is under way: the head's or a control's. */
static int save_checkpoint(void *context, struct kl_train *train, struct kl_error *err)
{
    const struct run *run = context;
    struct kl_writer *writer = NULL;
    struct kl_header header = run->stage.header;
    (void)train;
    if (!run->checkpoint) return 0;
    header.kind = "checkpoint";
    int code = kl_writer_open(&writer, run->checkpoint, &header, err);
    if (!code) code = kl_train_save(writer, &run->train, run->config, err);
    if (!code) code = kl_controls_save(writer, &run->controls, true, err);
    if (!code) return kl_writer_publish(&writer, NULL, err);
    kl_writer_abort(&writer);
    return code;
}

static void say_resumed(const struct run *run)
{
    const struct kl_train *at = &run->train;
    const char *name = "head";
    for (int i = 0; i < run->controls.n; i++)
        if (run->controls.trains[i].epoch > 0 || run->controls.trains[i].step > 0)
            at = &run->controls.trains[i], name = kl_control_name(i);
    kl_note(&run->log, 1, "resumed at epoch %lld, step %lld of the %s", (long long)at->epoch + 1,
            (long long)at->step, name);
}

static int resume(struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (!run->checkpoint || access(run->checkpoint, F_OK) != 0) {
        kl_note(&run->log, 1, "no checkpoint to resume from; starting anew");
        return 0;
    }
    int code = kl_file_open_kind(&file, run->checkpoint, "checkpoint", err);
    if (!code && strcmp(kl_file_key(file), run->stage.key) != 0)
        code = kl_fail(err, KL_EUSAGE,
                       "%s: belongs to a run with other options or features; repeat those, or leave "
                       "--resume away",
                       run->checkpoint);
    if (!code) code = kl_train_restore(&run->train, file, err);
    if (!code) code = kl_controls_restore(&run->controls, file, err);
    if (!code) say_resumed(run);
    kl_file_close(&file);
    return code;
}

static int write_head(struct run *run, struct kl_error *err)
{
    const struct kl_file *parents[] = { run->input };
    int code = kl_train_save(run->writer, &run->train, run->config, err);
    if (!code) code = kl_origin_save(run->writer, run->input, err);
    if (!code) code = kl_controls_save(run->writer, &run->controls, false, err);
    if (!code) code = kl_stage_publish(&run->stage, &run->writer, parents, 1, NULL, NULL, err);
    if (!code && run->checkpoint) unlink(run->checkpoint);
    return code;
}

/* --history and --mlflow are made from the finished file, so they come with "up to date" as well. */
static int write_histories(const struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct values *v = &run->v;
    if ((!v->history && !v->mlflow) || !v->common.output || strcmp(v->common.output, "-") == 0) return 0;
    int code = kl_file_open_kind(&file, v->common.output, "head", err);
    if (!code && v->history) code = kl_history_jsonl(v->history, file, err);
    if (!code && v->mlflow) code = kl_history_mlflow(v->mlflow, file, err);
    kl_file_close(&file);
    return code;
}

/* Accuracy on the validation samples, the head's less each control's. */
static int differences(struct kl_paired found[KL_CONTROLS], const struct run *run, struct kl_error *err)
{
    int code = 0;
    for (int i = 0; i < run->controls.n && !code; i++)
        code = kl_controls_difference(&found[i], &run->controls, i, &run->train, err);
    return code;
}

static int summarise_as_json(const struct run *run, int64_t epochs, double mean,
                             const struct kl_paired found[KL_CONTROLS], int n_found, FILE *out,
                             struct kl_error *err)
{
    enum { HEAD = 10 };
    const struct kl_train *t = &run->train;
    struct kl_control_numbers numbers;
    struct kl_json_pair pairs[HEAD + 3 * KL_CONTROLS] = {
        { "output", KL_JSON_TEXT, run->v.common.output, 0 },
        { "key", KL_JSON_TEXT, run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_stage_status(KL_STAGE_COMPUTE), 0 },
        { "epochs", KL_JSON_COUNT, NULL, (double)epochs },
        { "replicas", KL_JSON_COUNT, NULL, (double)t->options.replicas },
        { t->n_validation ? "val_accuracy" : "train_accuracy", KL_JSON_NUMBER, NULL, mean },
        { "best_epoch", KL_JSON_COUNT, NULL, (double)t->replicas[0].best_epoch + 1 },
        { "seconds", KL_JSON_NUMBER, NULL, t->seconds },
        { "seconds_per_epoch", KL_JSON_NUMBER, NULL, t->seconds / (double)epochs },
        { "controls", KL_JSON_BOOL, NULL, run->controls.n > 0 }
    };
    kl_control_numbers(&numbers, found, n_found);
    memcpy(pairs + HEAD, numbers.pairs, numbers.n * sizeof *pairs);
    return kl_json_line(out, pairs, HEAD + numbers.n, err);
}

static void write_controls(const struct run *run, const struct kl_paired found[KL_CONTROLS], int n_found,
                           FILE *out)
{
    kl_controls_write(out, found, n_found);
    fprintf(out, "  controls: %.1f s; parameters: circuit %zu, twin %zu%s\n",
            kl_controls_seconds(&run->controls), run->model.circuit->n_weights,
            kl_twin_parameters(&run->controls.models[0].shape),
            n_found ? "" : "; no validation samples to compare on");
}

static int summarise(const struct run *run, FILE *out, struct kl_error *err)
{
    const struct kl_train *t = &run->train;
    const int64_t n = t->options.replicas;
    /* rows 1 and 3 of kl_history_names: accuracy of training, of validation */
    const int judged = t->n_validation ? 3 : 1;
    const char *what = t->n_validation ? "val" : "no validation, train";
    const int n_found = t->n_validation ? run->controls.n : 0;
    struct kl_paired found[KL_CONTROLS];
    double sum = 0, low = 1, high = 0;
    int64_t epochs = 0;
    int code = n_found ? differences(found, run, err) : 0;
    if (code) return code;
    for (int64_t r = 0; r < n; r++) {
        double a = t->replicas[r].history[judged][t->replicas[r].best_epoch];
        sum += a, low = a < low ? a : low, high = a > high ? a : high;
        int64_t ran = t->replicas[r].stopped_epoch >= 0 ? t->replicas[r].stopped_epoch + 1 : t->epoch;
        epochs = ran > epochs ? ran : epochs;
    }
    double mean = sum / (double)n, per_epoch = t->seconds / (double)epochs;
    const char *output = run->v.common.output;
    if (run->v.common.json) return summarise_as_json(run, epochs, mean, found, n_found, out, err);
    if (run->v.common.quiet) return KL_OK;
    if (n == 1)
        fprintf(out, "%s: %lld epochs, %s accuracy %.4f (best epoch %lld), %.1f s, %.3f s/epoch\n",
                output, (long long)epochs, what, mean, (long long)t->replicas[0].best_epoch + 1,
                t->seconds, per_epoch);
    else
        fprintf(out,
                "%s: %lld heads, %lld epochs, %s accuracy %.4f (%.4f to %.4f), %.1f s, %.3f s/epoch\n",
                output, (long long)n, (long long)epochs, what, mean, low, high, t->seconds, per_epoch);
    if (run->controls.n) write_controls(run, found, n_found, out);
    return KL_OK;
}

/* The head first, so that its numbers are what they are without controls; then the controls. */
static int train_all(struct run *run, struct kl_error *err)
{
    struct kl_progress progress;
    const char *mode = run->v.common.progress;
    kl_progress_begin(&progress, &run->log, mode, "epochs");
    int code = kl_train_run(&run->train, run->pool, &progress.watch, err);
    kl_progress_end(&progress);
    if (code || !run->controls.n) return code;
    kl_progress_begin(&progress, &run->log, mode, "epochs of controls");
    code = kl_controls_run(&run->controls, run->pool, &progress.watch, err);
    kl_progress_end(&progress);
    return code;
}

static int train(struct run *run, struct kl_error *err)
{
    int code = kl_pool_create(&run->pool, (int)run->v.common.threads, err), threads = 0;
    if (!code) threads = kl_pool_size(run->pool);
    if (!code)
        code = kl_train_open(&run->train, &run->model, &run->features, &run->v.train, threads, err);
    if (!code && !run->v.no_controls)
        code =
            kl_controls_open(&run->controls, &run->v.head, &run->features, &run->v.train, threads, err);
    if (!code && run->v.resume) code = resume(run, err);
    if (code) return code;
    run->train.checkpoint = save_checkpoint;
    run->train.checkpoint_context = run;
    for (int i = 0; i < run->controls.n; i++) {
        run->controls.trains[i].checkpoint = save_checkpoint;
        run->controls.trains[i].checkpoint_context = run;
    }
    code = train_all(run, err);
    if (code == KL_ESIGNAL) {
        int saved = save_checkpoint(run, &run->train, err);
        if (saved) return saved;
        if (run->checkpoint)
            kl_note(&run->log, 1, "%s; the same command with --resume goes on", err->text);
    }
    return code;
}

static int work(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    enum kl_stage_answer answer;
    int code = settle(&run->v, &run->qasm, &run->noise, err);
    if (!code) code = kl_file_open_kind(&run->input, path, "features", err);
    if (code) return code;
    if (!(run->config = kl_options_json(&tool, &run->v, true))) return kl_fail_memory(err, 1024);
    code = name_checkpoint(&run->checkpoint, run->v.common.output, err);
    if (!code) code = make_key(&key, run, err);
    if (!code) code = kl_stage_begin(&run->stage, &answer, &key, out, err);
    kl_key_abort(&key);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer == KL_STAGE_COMPUTE) {
        code = kl_features_load(&run->features, run->input, err);
        if (!code)
            code = kl_head_model_make(&run->model, &run->v.head, run->features.d,
                                      run->features.n_classes, err);
        if (!code) code = kl_writer_open(&run->writer, run->v.common.output, &run->stage.header, err);
        if (!code) code = train(run, err);
        if (!code) code = write_head(run, err);
        if (!code && strcmp(run->v.common.output, "-") != 0) code = summarise(run, out, err);
    } else {
        code = kl_stage_report(&run->stage, answer, out, err);
    }
    return code ? code : write_histories(run, err);
}

static int check_gradients(struct run *run, const char *path, FILE *out, struct kl_error *err)
{
    struct kl_gradient_check check;
    int code = settle(&run->v, &run->qasm, &run->noise, err);
    if (!code) code = kl_file_open_kind(&run->input, path, "features", err);
    if (!code) code = kl_features_load(&run->features, run->input, err);
    if (!code)
        code =
            kl_head_model_make(&run->model, &run->v.head, run->features.d, run->features.n_classes, err);
    if (!code)
        code = kl_head_check_gradients(&check, &run->model, &run->features,
                                       (size_t)run->v.train.batch_size, run->v.train.seed, err);
    if (code) return code;
    fprintf(out, "%zu samples, %zu parameters, double precision, largest gradient %.3g\n", check.samples,
            check.parameters, check.largest);
    if (check.has_circuit) {
        fprintf(out, "adjoint - parameter-shift: %.2e (bound %.0e)\n", check.shift, check.shift_bound);
        fprintf(out, "adjoint - central differences: %.2e (bound %.0e)\n", check.differences,
                check.differences_bound);
    }
    fprintf(out, "core %s, %zu entries - central differences of the loss: %.2e (bound %.0e)\n",
            run->v.core, check.entries, check.loss_differences, check.differences_bound);
    return check.agree ? 0 : kl_fail(err, KL_ENO, "the gradients differ by more than their bounds");
}

int main(int argc, char **argv)
{
    struct kl_error err = { 0 };
    struct run run = { .v = { .common = { .progress = "auto", .device = "auto" },
                              .core = "circuit",
                              .reduction = "128,32",
                              .classifier = "16",
                              .optimizer = "adam",
                              .schedule = "constant",
                              .diff_method = "adjoint" },
                       .log = { tool.name, stderr, 1 } };
    const char **inputs = NULL;
    size_t n_inputs = 0;
    kl_signals_install();
    kl_head_options_default(&run.v.head);
    kl_train_options_default(&run.v.train);
    int code = kl_options_parse(&tool, &run.v, argc, argv, &inputs, &n_inputs, &err);
    bool answered = !code && kl_options_answer(&tool, &run.v, stdout);
    if (code || answered) {
        free(inputs);
        return code ? kl_report(&run.log, &err) : kl_finish(&run.log, 0);
    }
    run.log.level = run.v.common.quiet ? 0 : run.v.common.verbose ? 2 : 1;
    run.stage = (struct kl_stage){ .tool = &tool,
                                   .values = &run.v,
                                   .common = &run.v.common,
                                   .log = &run.log,
                                   .argc = argc,
                                   .argv = argv,
                                   .inputs = inputs,
                                   .n_inputs = n_inputs,
                                   .start = kl_clock() };
    if (n_inputs != 1)
        code = kl_fail(&err, KL_EUSAGE, "%zu inputs, expected one feature cache; see --help", n_inputs);
    else
        code = run.v.check_gradients ? check_gradients(&run, inputs[0], stdout, &err)
                                     : work(&run, inputs[0], stdout, &err);
    kl_writer_abort(&run.writer);
    kl_train_close(&run.train);
    kl_controls_close(&run.controls);
    kl_pool_destroy(&run.pool);
    kl_head_model_free(&run.model);
    kl_features_free(&run.features);
    kl_file_close(&run.input);
    kl_stage_end(&run.stage);
    free(run.config);
    free(run.qasm);
    free(run.noise);
    free(run.checkpoint);
    free(inputs);
    int status = code ? kl_report(&run.log, &err) : 0;
    if (code == KL_ESIGNAL) kl_signals_reraise();
    return kl_finish(&run.log, status);
}
