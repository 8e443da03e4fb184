/* SPDX-License-Identifier: MIT
   qseq eval: models, or the folds of one, on the windows that they were not trained on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

struct values {
    struct kl_common common;
};
const struct kl_tool kl_sequence_eval_tool = {
    .name = "qseq",
    .summary = "Judges a model, or the folds of one, on the windows that it was not trained on",
    .arguments = "eval MODEL.h5... WINDOWS.h5... -o REPORT.h5",
    .example = "qseq eval hydra.h5 S*.h5 -o report.h5\n"
               "  qseq eval fold*.h5 S*.h5 -o loso.h5",
    .values_size = sizeof(struct values),
    .chosen_by = "eval",
};

struct run {
    struct kl_stage *stage;
    struct kl_file **files; /* models, then windows, each by content */
    size_t n, n_models;
    struct kl_sequence_report report;
    struct kl_pool *pool;
    struct kl_writer *writer;
};

static bool is_model(const struct kl_file *file)
{
    return strcmp(kl_store_file_kind(file), kl_sequence_model_kind.name) == 0 ||
           strcmp(kl_store_file_kind(file), kl_sequence_fit_kind.name) == 0;
}

static int by_kind(const void *a, const void *b)
{
    const struct kl_file *x = *(struct kl_file *const *)a, *y = *(struct kl_file *const *)b;
    if (is_model(x) != is_model(y)) return is_model(x) ? -1 : 1;
    return strcmp(kl_store_file_content(x), kl_store_file_content(y));
}

static int open_inputs(struct run *run, struct kl_error *err)
{
    const size_t n = run->stage->n_inputs;
    int code = KL_OK;
    if (!(run->files = calloc(n + 1, sizeof *run->files))) return kl_fail_memory(err, n * 8);
    for (; run->n < n && !code; run->n++) {
        struct kl_file **file = &run->files[run->n];
        const char *path = run->stage->inputs[run->n];
        code = kl_store_file_open(file, path, err);
        if (!code && !is_model(*file) &&
            strcmp(kl_store_file_kind(*file), kl_sequence_windows_kind.name))
            code = kl_store_fail_kind(err, path, kl_store_file_kind(*file), &kl_sequence_model_kind);
        if (!code) run->n_models += is_model(*file);
    }
    if (code) return code;
    qsort(run->files, n, sizeof *run->files, by_kind);
    for (size_t i = 1; i < n; i++)
        if (by_kind(&run->files[i - 1], &run->files[i]) == 0)
            return kl_fail(err, KL_EUSAGE, "%s has the same content as %s; give it once",
                           kl_store_file_path(run->files[i]), kl_store_file_path(run->files[i - 1]));
    if (!run->n_models || run->n_models == n)
        return kl_fail(err, KL_EUSAGE,
                       "found %zu model%s and %zu file%s of windows, expected at least one of each",
                       run->n_models, kl_s(run->n_models), n - run->n_models, kl_s(n - run->n_models));
    run->report.model_files = run->files, run->report.n_models = run->n_models;
    run->report.window_files = run->files + run->n_models;
    run->report.n_windows = n - run->n_models;
    return KL_OK;
}

static int begin(struct run *run, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, kl_sequence_report_kind.name, KL_SEQUENCE_REPORT_SCHEMA,
                                  kl_sequence_eval_tool.name, KL_SEQUENCE_EVAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, &kl_sequence_eval_tool, run->stage->values, err);
    for (size_t i = 0; i < run->n && !code; i++)
        code = kl_store_key_input(key, i < run->n_models ? "models" : "windows",
                                  kl_store_file_content(run->files[i]), err);
    if (!code) code = kl_store_stage_begin(run->stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    return code;
}

/* The fewest and the most windows that what is a person's own is fitted on. */
static void own_windows(long long ends[2], const struct kl_sequence_report *r)
{
    ends[0] = ends[1] = r->own_n[0];
    for (size_t p = 1; p < r->n_people; p++) {
        if (r->own_n[p] < ends[0]) ends[0] = r->own_n[p];
        if (r->own_n[p] > ends[1]) ends[1] = r->own_n[p];
    }
}

/* "45", "12 to 45" */
static void tell_own(char text[48], const struct kl_sequence_report *r)
{
    long long ends[2];
    own_windows(ends, r);
    if (ends[0] == ends[1]) snprintf(text, 48, "%lld", ends[0]);
    else snprintf(text, 48, "%lld to %lld", ends[0], ends[1]);
}

static void say_own(const struct run *run)
{
    const struct kl_sequence_report *r = &run->report;
    const struct kl_log *log = run->stage->log;
    char own[48];
    if (r->transductive) {
        tell_own(own, r);
        kl_caution(log,
                   "%s: fitted on each person's own windows as given here (%s a person), test windows "
                   "among them (not their labels): transductive; other windows of a person give other "
                   "numbers",
                   r->transductive, own);
    }
    if (r->lost) kl_caution(log, KL_SEQUENCE_LOST, r->lost, r->channels);
    if (r->undigested)
        kl_caution(log,
                   "%s has no digests of its windows (an older file): copies of them in windows that it "
                   "does not know are not seen",
                   kl_store_file_path(r->undigested));
}

static void say(const struct run *run)
{
    const struct kl_sequence_report *r = &run->report;
    if (r->leak)
        kl_caution(run->stage->log,
                   "a leak: windows of the tested people and recordings trained the model; these "
                   "numbers say nothing of people whom it has not seen");
    else if (r->models[0].across) kl_sequence_caution_people(&r->set, run->stage->log);
    say_own(run);
    size_t one = 0;
    for (size_t s = 0; s < r->n_people; s++) one += isnan(r->of_person[s].kappa);
    if (one)
        kl_note(run->stage->log, 1,
                "%zu of %zu %s windows of one class alone: what needs two is undefined there", one,
                r->n_people, r->n_people == 1 ? "person has" : "people have");
}

static int compute(struct run *run, struct kl_error *err)
{
    const struct kl_file *const *parents = (const struct kl_file *const *)run->files;
    int code = kl_store_writer_open(&run->writer, run->stage->common->output, &run->stage->header, err);
    if (!code) code = kl_pool_create(&run->pool, (int)run->stage->common->threads, err);
    if (!code) code = kl_sequence_report_open(&run->report, err);
    if (!code) code = kl_sequence_report_predict(&run->report, run->pool, err);
    if (!code) code = kl_sequence_set_unchanged(&run->report.set, err);
    if (!code) code = kl_sequence_report_measure(&run->report, err);
    if (!code) code = kl_sequence_report_save(&run->report, run->writer, err);
    if (code) return code;
    say(run);
    if ((code = kl_sequence_report_say_one_class(&run->report, run->stage->log, err))) return code;
    return kl_store_stage_publish(run->stage, &run->writer, parents, run->n, NULL, NULL, err);
}

static int tell(struct run *run, FILE *to, struct kl_error *err)
{
    const struct kl_sequence_report *r = &run->report;
    const struct kl_common *common = run->stage->common;
    const double people = kl_sequence_report_se_people(r), windows = kl_sequence_report_se_windows(r);
    struct kl_json_pair pairs[KL_METRICS + 15];
    char model[KL_SEQUENCE_NAME];
    size_t n = 0;
    kl_sequence_learned_name(model, &r->models[0]);
    pairs[n++] = (struct kl_json_pair){ "output", KL_JSON_TEXT, common->output, 0 };
    pairs[n++] = (struct kl_json_pair){ "key", KL_JSON_TEXT, run->stage->key, 0 };
    pairs[n++] =
        (struct kl_json_pair){ "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 };
    pairs[n++] = (struct kl_json_pair){ "model", KL_JSON_TEXT, model, 0 };
    pairs[n++] = (struct kl_json_pair){ "windows", KL_JSON_COUNT, NULL, (double)r->n };
    pairs[n++] = (struct kl_json_pair){ "people", KL_JSON_COUNT, NULL, (double)r->n_people };
    pairs[n++] = (struct kl_json_pair){ "replicas", KL_JSON_COUNT, NULL, (double)r->replicas };
    for (int k = 0; k < KL_METRICS; k++) {
        pairs[n++] = (struct kl_json_pair){ kl_stats_metric_names[k], KL_JSON_NUMBER, NULL,
                                            kl_sequence_report_mean(r, k) };
        if (k) continue;
        pairs[n++] = (struct kl_json_pair){ "accuracy_se_people", KL_JSON_NUMBER, NULL, people };
        pairs[n++] = (struct kl_json_pair){ "accuracy_se", KL_JSON_NUMBER, NULL, windows };
    }
    pairs[n++] = (struct kl_json_pair){ "leak", KL_JSON_BOOL, NULL, r->leak };
    pairs[n++] = (struct kl_json_pair){ "transductive", KL_JSON_BOOL, NULL, r->transductive != NULL };
    if (r->transductive) {
        long long ends[2];
        own_windows(ends, r);
        pairs[n++] = (struct kl_json_pair){ "own_windows_least", KL_JSON_COUNT, NULL, (double)ends[0] };
        pairs[n++] = (struct kl_json_pair){ "own_windows_most", KL_JSON_COUNT, NULL, (double)ends[1] };
    }
    pairs[n++] = kl_json_cautions(run->stage->log);
    if (common->json) return kl_json_line(to, pairs, n, err);
    if (common->quiet) return KL_OK;
    fprintf(to, "%s: %s, accuracy %.4f (standard error ", common->output, model,
            kl_sequence_report_mean(r, 0));
    if (r->n_people > 1)
        fprintf(to, "%.4f over %zu people, %.4f by %zu windows alone", people, r->n_people, windows,
                r->n);
    else fprintf(to, "%.4f by %zu window%s of 1 person", windows, r->n, kl_s(r->n));
    if (r->replicas > 1) fprintf(to, "; mean of %zu replicas", r->replicas);
    fputc(')', to);
    const double auc = kl_sequence_report_mean(r, 3), kappa = kl_sequence_report_mean(r, 2);
    if (isnan(auc)) fputs(", AUC undefined", to);
    else fprintf(to, ", AUC %.4f", auc);
    if (isnan(kappa)) fputs(", kappa undefined", to);
    else fprintf(to, ", kappa %.4f", kappa);
    if (r->transductive) {
        char own[48];
        tell_own(own, r);
        fprintf(to, "; transductive (%s own windows a person)", own);
    }
    fprintf(to, "%s\n", r->leak ? ": A LEAK" : "");
    return KL_OK;
}

static int work(struct run *run, FILE *out, struct kl_error *err)
{
    const struct kl_common *common = run->stage->common;
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    if (!run->stage->n_inputs)
        return kl_fail_inputs(err, run->stage->inputs, 0, 0, "models and files of windows");
    if (!common->output && !common->print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o FILE.h5");
    int code = open_inputs(run, err);
    if (!code) code = begin(run, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    out = kl_words_to(common);
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(run->stage, answer, out, err);
    code = compute(run, err);
    return code ? code : tell(run, out, err);
}

static int eval(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .stage = &mode->stage };
    mode->stage.inputs++, mode->stage.n_inputs--; /* the word itself */
    const int code = work(&run, mode->out, err);
    kl_store_writer_abort(&run.writer);
    kl_sequence_report_close(&run.report);
    kl_pool_destroy(&run.pool);
    for (size_t i = 0; i < run.n; i++) kl_store_file_close(&run.files[i]);
    free(run.files);
    return code;
}

static void defaults(void *values)
{
    struct values *v = values;
    v->common.progress = "none";
}

const struct kl_mode kl_sequence_mode_eval = { .tool = &kl_sequence_eval_tool,
                                               .defaults = defaults,
                                               .run = eval };
