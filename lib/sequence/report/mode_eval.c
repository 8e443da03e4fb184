/* SPDX-License-Identifier: MIT
   qseq eval: models, or the folds of one, or those that sweeps chose, on the windows that they were not
   trained on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sequence/report/report.h"

struct values {
    struct kl_common common;
};
const struct kl_tool kl_sequence_eval_tool = {
    .name = "qseq",
    .summary = "Judges a model, or the folds of one, on the windows that it was not trained on",
    .arguments = "eval MODEL.h5... [SWEEP.h5...] WINDOWS.h5... -o REPORT.h5",
    .example = "qseq eval hydra.h5 S*.h5 -o report.h5\n"
               "  qseq eval fold*.h5 S*.h5 -o loso.h5",
    .values_size = sizeof(struct values),
    .chosen_by = "eval",
};

struct work {
    struct kl_sequence_models_and_windows files;
    struct kl_sequence_report report;
};

static bool is_model(const struct kl_file *file)
{
    return strcmp(kl_store_file_kind(file), kl_sequence_model_kind.name) == 0 ||
           strcmp(kl_store_file_kind(file), kl_sequence_fit_kind.name) == 0;
}

static bool is_sweep(const struct kl_file *file)
{
    return strcmp(kl_store_file_kind(file), kl_sweep_kind.name) == 0;
}

static int by_kind(const void *a, const void *b)
{
    const struct kl_file *x = *(struct kl_file *const *)a, *y = *(struct kl_file *const *)b;
    if (is_model(x) != is_model(y)) return is_model(x) ? -1 : 1;
    if (is_sweep(x) != is_sweep(y)) return is_sweep(y) ? -1 : 1;
    return strcmp(kl_store_file_content(x), kl_store_file_content(y));
}

/* What is neither model nor windows. --fold all leaves models in a folder beside its report. */
static int refuse(const char *path, const struct kl_file *file, struct kl_error *err)
{
    char folds[4096];
    snprintf(folds, sizeof folds, "%s.folds", path);
    if (strcmp(kl_store_file_kind(file), kl_sequence_report_kind.name) != 0 || access(folds, F_OK))
        return kl_store_fail_kind(err, path, kl_store_file_kind(file), &kl_sequence_model_kind);
    return kl_fail(err, KL_EDATA, "%s: a report, expected models: those of its folds are %s/*.h5", path,
                   folds);
}

int kl_sequence_report_files(struct kl_sequence_models_and_windows *w, struct kl_sequence_report *report,
                             struct kl_mode_run *run, struct kl_error *err)
{
    const size_t n = run->stage.n_inputs;
    int code = KL_OK;
    if (!(w->files = calloc(n + 1, sizeof *w->files))) return kl_fail_memory(err, n * 8);
    for (; w->n < n && !code; w->n++) {
        struct kl_file **file = &w->files[w->n];
        const char *path = run->stage.inputs[w->n];
        code = kl_store_file_open(file, path, err);
        if (!code && !is_model(*file) && !is_sweep(*file) &&
            strcmp(kl_store_file_kind(*file), kl_sequence_windows_kind.name))
            code = refuse(path, *file, err);
        if (!code) w->n_models += is_model(*file), w->n_sweeps += is_sweep(*file);
    }
    if (code) return code;
    qsort(w->files, n, sizeof *w->files, by_kind);
    for (size_t i = 1; i < n; i++)
        if (by_kind(&w->files[i - 1], &w->files[i]) == 0)
            return kl_fail(err, KL_EUSAGE, "%s has the same content as %s; give it once",
                           kl_store_file_path(w->files[i]), kl_store_file_path(w->files[i - 1]));
    const size_t windows = n - w->n_models - w->n_sweeps;
    if (!w->n_models || !windows)
        return kl_fail(err, KL_EUSAGE,
                       "found %zu model%s and %zu file%s of windows, expected at least one of each",
                       w->n_models, kl_s(w->n_models), windows, kl_s(windows));
    report->model_files = w->files, report->n_models = w->n_models;
    report->window_files = w->files + w->n_models;
    report->n_windows = windows;
    report->sweep_files = report->window_files + windows, report->n_sweeps = w->n_sweeps;
    run->parents = (const struct kl_file *const *)w->files, run->n_parents = n;
    return KL_OK;
}

int kl_sequence_report_key(const struct kl_sequence_models_and_windows *w, struct kl_key *key,
                           struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < w->n && !code; i++) {
        const char *const role = i < w->n_models          ? "models"
                                 : i < w->n - w->n_sweeps ? "windows"
                                                          : "sweeps";
        code = kl_store_key_input(key, role, kl_store_file_content(w->files[i]), err);
    }
    return code;
}

void kl_sequence_report_files_close(struct kl_sequence_models_and_windows *w)
{
    for (size_t i = 0; i < w->n; i++) kl_store_file_close(&w->files[i]);
    free(w->files);
}

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    return kl_sequence_report_files(&w->files, &w->report, run, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_sequence_report_key(&((const struct work *)run->state)->files, key, err);
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

static void say_own(const struct kl_mode_run *run)
{
    const struct kl_sequence_report *r = &((const struct work *)run->state)->report;
    const struct kl_log *log = run->stage.log;
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

static void say(const struct kl_mode_run *run)
{
    const struct kl_sequence_report *r = &((const struct work *)run->state)->report;
    if (r->leak)
        kl_caution(run->stage.log, "a leak: the model was trained on windows of the people and "
                                   "recordings that it is tested on; "
                                   "these numbers say nothing about people it has not seen");
    else if (r->models[0].across) kl_sequence_caution_people(&r->set, run->stage.log);
    say_own(run);
    size_t one = 0;
    for (size_t s = 0; s < r->n_people; s++) one += isnan(r->of_person[s].kappa);
    if (one)
        kl_note(run->stage.log, 1,
                "%zu of %zu %s windows of one class only: metrics that need two are undefined for them",
                one, r->n_people, r->n_people == 1 ? "person has" : "people have");
}

static int check_windows(struct kl_mode_run *run, struct kl_error *err)
{
    return kl_sequence_report_open(&((struct work *)run->state)->report, err);
}

static int predict(struct kl_mode_run *run, struct kl_error *err)
{
    struct kl_sequence_report *r = &((struct work *)run->state)->report;
    int code = kl_sequence_report_predict(r, run->pool, err);
    if (!code) code = kl_sequence_set_unchanged(&r->set, err);
    return code ? code : kl_sequence_report_measure(r, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_sequence_report_save(&((struct work *)run->state)->report, writer, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    say(run);
    return kl_sequence_report_say_one_class(&w->report, run->stage.log, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct kl_sequence_report *r = &((const struct work *)run->state)->report;
    struct kl_json_pair pairs[KL_METRICS + 11];
    char model[KL_SEQUENCE_NAME], *chosen = NULL;
    size_t n = 0;
    int code = r->n_sweeps ? kl_sequence_chosen_json(&chosen, r, err) : KL_OK;
    kl_sequence_report_name(model, r);
    pairs[n++] = (struct kl_json_pair){ "model", KL_JSON_TEXT, model, 0 };
    pairs[n++] = (struct kl_json_pair){ "windows", KL_JSON_COUNT, NULL, (double)r->n };
    pairs[n++] = (struct kl_json_pair){ "people", KL_JSON_COUNT, NULL, (double)r->n_people };
    pairs[n++] = (struct kl_json_pair){ "replicas", KL_JSON_COUNT, NULL, (double)r->replicas };
    for (int k = 0; k < KL_METRICS; k++) {
        pairs[n++] = (struct kl_json_pair){ kl_stats_metric_names[k], KL_JSON_NUMBER, NULL,
                                            kl_sequence_report_mean(r, k) };
        if (k) continue;
        pairs[n++] = (struct kl_json_pair){ "accuracy_se_people", KL_JSON_NUMBER, NULL,
                                            kl_sequence_report_se_people(r) };
        pairs[n++] = (struct kl_json_pair){ "accuracy_se", KL_JSON_NUMBER, NULL,
                                            kl_sequence_report_se_windows(r) };
    }
    pairs[n++] = (struct kl_json_pair){ "leak", KL_JSON_BOOL, NULL, r->leak };
    pairs[n++] = (struct kl_json_pair){ "transductive", KL_JSON_BOOL, NULL, r->transductive != NULL };
    if (r->transductive) {
        long long ends[2];
        own_windows(ends, r);
        pairs[n++] = (struct kl_json_pair){ "own_windows_least", KL_JSON_COUNT, NULL, (double)ends[0] };
        pairs[n++] = (struct kl_json_pair){ "own_windows_most", KL_JSON_COUNT, NULL, (double)ends[1] };
    }
    if (chosen) pairs[n++] = (struct kl_json_pair){ "chosen", KL_JSON_RAW, chosen, 0 };
    if (!code) code = kl_store_mode_json(run, to, pairs, n, err);
    free(chosen);
    return code;
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct kl_sequence_report *r = &((const struct work *)run->state)->report;
    const double people = kl_sequence_report_se_people(r), windows = kl_sequence_report_se_windows(r);
    char model[KL_SEQUENCE_NAME];
    kl_sequence_report_name(model, r);
    fprintf(to, "%s: %s, accuracy %.4f (standard error ", run->stage.common->output, model,
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
    kl_sequence_chosen_write(to, r);
}

static void close_files(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sequence_report_close(&w->report);
    kl_sequence_report_files_close(&w->files);
}

static void defaults(void *values)
{
    struct values *v = values;
    v->common.progress = "none";
}

static const struct kl_file_stage stage = { .kind = &kl_sequence_report_kind,
                                            .schema = KL_SEQUENCE_REPORT_SCHEMA,
                                            .version = KL_SEQUENCE_EVAL_VERSION,
                                            .state_size = sizeof(struct work),
                                            .open = open_inputs,
                                            .key = key,
                                            .check = check_windows,
                                            .compute = predict,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_files };
const struct kl_mode kl_sequence_mode_eval = { .tool = &kl_sequence_eval_tool,
                                               .defaults = defaults,
                                               .stage = &stage };
