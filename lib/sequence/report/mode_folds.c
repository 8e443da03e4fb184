/* SPDX-License-Identifier: MIT
   qseq train, fit and sweep with --fold all: a model, or a sweep whose best one is taken, for each fold
   of the split, each in a process of its own and as many side by side as there are cores, then one
   report of all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sequence/report/report.h"
#include "train/inputs.h"

/* What trains one fold: its mode, where its values have the fold, and the split that they name. */
struct method {
    const struct kl_mode *mode;
    int64_t *(*fold)(void *values);
    int (*split)(struct kl_sequence_split_options *o, const void *values, struct kl_error *err);
    bool tried;  /* --dry-run can say how long it takes */
    bool sweeps; /* a fold's file is a table, whose best point is its model */
};

struct fold {
    pid_t pid;         /* 0: not running */
    int out, messages; /* what it says, kept until it has ended */
    bool done;
};
struct study {
    const struct method *method;
    struct kl_mode_run *run;
    struct kl_common *common; /* of the run's values */
    const char *report;       /* -o */
    char *folder, **paths;    /* of the folds; (n) */
    char **models;            /* (n) those that sweeps chose; NULL: a fold's file is its model */
    struct fold *folds;       /* (n) */
    char left_out[80];        /* of fold 0: "'S01' is" */
    size_t n, running, done, at_once;
    char *said, *error; /* messages of folds so far, which another fold need not repeat; the error
                           of the first that failed */
    int status;         /* of the first fold that failed */
};

/* ---- which folds there are ---- */

static int count(struct study *s, struct kl_error *err)
{
    struct kl_train_inputs inputs = { 0 };
    struct kl_sequence_set set = { 0 };
    struct kl_sequence_split split = { 0 };
    struct kl_sequence_split_options o;
    const struct kl_stage *stage = &s->run->stage;
    int code = s->method->split(&o, s->run->values, err);
    if (!code && o.kind != KL_SEQUENCE_SPLIT_LOSO && o.kind != KL_SEQUENCE_SPLIT_KFOLD &&
        o.kind != KL_SEQUENCE_SPLIT_LORO)
        return kl_fail(err, KL_EUSAGE,
                       "--fold all: this --split has no folds; loso, kfold and loro have");
    o.fold = 0;
    if (!code)
        code = kl_train_inputs_open(&inputs, stage->inputs, stage->n_inputs, &kl_sequence_windows_kind,
                                    err);
    if (!code) code = kl_sequence_set_open(&set, inputs.files, inputs.n, err);
    if (!code) code = kl_sequence_split_make(&split, &set, &o, err);
    s->n = code ? 0 : (size_t)split.folds;
    if (s->n && o.kind == KL_SEQUENCE_SPLIT_LOSO)
        snprintf(s->left_out, sizeof s->left_out, "'%.60s' is", set.subject_names[0]);
    else snprintf(s->left_out, sizeof s->left_out, "a part is");
    kl_sequence_split_free(&split);
    kl_sequence_set_close(&set);
    kl_train_inputs_close(&inputs);
    return code;
}

/* The folds lie in REPORT.h5.folds, as pipelines/slurm-loso.sh has them. */
static int place(struct study *s, struct kl_error *err)
{
    s->paths = calloc(s->n, sizeof *s->paths);
    s->folds = calloc(s->n, sizeof *s->folds);
    if (!s->paths || !s->folds || asprintf(&s->folder, "%s.folds", s->report) < 0) {
        s->folder = NULL;
        return kl_fail_memory(err, s->n * sizeof *s->folds);
    }
    int code = KL_OK;
    if (!s->common->dry_run && mkdir(s->folder, 0777) && errno != EEXIST)
        code = kl_fail_errno(err, KL_EIO, "%s: the folder of the folds cannot be made", s->folder);
    for (size_t f = 0; f < s->n && !code; f++)
        if (asprintf(&s->paths[f], "%s/%zu.h5", s->folder, f) < 0) {
            s->paths[f] = NULL;
            code = kl_fail_memory(err, strlen(s->folder));
        }
    return code;
}

/* ---- one fold, in its process ---- */

static void set_fold(struct study *s, size_t f)
{
    const int64_t threads = s->common->threads > 0 ? s->common->threads : kl_threads_available();
    *s->method->fold(s->run->values) = (int64_t)f;
    s->common->output = s->paths[f], s->common->threads = threads / (int64_t)s->at_once;
}

/* The command line of this fold alone, for the model's provenance: --fold and -o are other ones. */
static int take_words(struct study *s, size_t f, struct kl_error *err)
{
    struct kl_stage *stage = &s->run->stage;
    char **words = calloc((size_t)stage->argc + 1, sizeof *words);
    if (!words) return kl_fail_memory(err, (size_t)stage->argc * sizeof *words);
    for (int i = 0; i < stage->argc; i++) {
        char *const word = words[i] = stage->argv[i];
        const size_t n = strlen(word);
        int made = 0;
        if (s->report >= word && s->report <= word + n)
            made = asprintf(&words[i], "%.*s%s", (int)(s->report - word), word, s->paths[f]);
        else if (strcmp(word, "--fold=all") == 0) made = asprintf(&words[i], "--fold=%zu", f);
        else if (i && strcmp(word, "all") == 0 && strcmp(stage->argv[i - 1], "--fold") == 0)
            made = asprintf(&words[i], "%zu", f);
        if (made < 0) return kl_fail_memory(err, n);
    }
    stage->argv = words;
    return KL_OK;
}

static _Noreturn void be_fold(struct study *s, size_t f)
{
    struct kl_mode_run *run = s->run;
    struct kl_error err = { 0 };
    struct kl_log log = *run->stage.log;
    char name[48];
    snprintf(name, sizeof name, "%.16s: fold %zu", log.tool, f);
    log.tool = name, run->stage.log = &log;
    int code = take_words(s, f, &err);
    set_fold(s, f);
    s->common->progress = "none";
    s->common->quiet |= s->method->sweeps && !s->common->json; /* tables stay in their files */
    if (!code) code = kl_store_mode_run(s->method->mode, run, &err);
    _exit(kl_store_mode_end(run, code, &err));
}

/* A process group of its own: a terminal's interrupt comes to the first process alone, which hands it
   on; and whatever ends that one, ends its folds. */
static int start(struct study *s, size_t f, struct kl_error *err)
{
    struct fold *fold = &s->folds[f];
    const pid_t parent = getpid();
    fflush(NULL);
    fold->out = memfd_create("ketline-fold", MFD_CLOEXEC);
    fold->messages = memfd_create("ketline-fold", MFD_CLOEXEC);
    fold->pid = fold->out < 0 || fold->messages < 0 ? -1 : fork();
    if (fold->pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent || dup2(fold->out, 1) < 0 || dup2(fold->messages, 2) < 0) _exit(74);
        be_fold(s, f);
    }
    if (fold->pid > 0) {
        s->running++;
        return KL_OK;
    }
    kl_fail_errno(err, KL_EIO, "fold %zu: cannot be started", f);
    if (fold->out >= 0) close(fold->out);
    if (fold->messages >= 0) close(fold->messages);
    fold->pid = 0;
    return err->code;
}

/* ---- all of them ---- */

/* The last line too ends in a line's end, as that of a fold that was killed may not. */
static int read_all(char **text, int fd, struct kl_error *err)
{
    const off_t size = lseek(fd, 0, SEEK_END);
    *text = size < 0 ? NULL : calloc(1, (size_t)size + 2);
    if (size >= 0 && !*text) return kl_fail_memory(err, (size_t)size);
    if (size >= 0 && pread(fd, *text, (size_t)size, 0) == size) {
        if (size > 0 && (*text)[size - 1] != '\n') (*text)[size] = '\n';
        return KL_OK;
    }
    return kl_fail_errno(err, KL_EIO, "what a fold has said cannot be read");
}

/* Messages of a fold, but those that an earlier one has said word by word. Of one that failed the last
   is the error, and told at the end. */
static int tell_messages(struct study *s, char *text, bool failed, struct kl_error *err)
{
    char *last = text;
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) last = line;
    if (failed && !s->error && !(s->error = strdup(last))) return kl_fail_memory(err, strlen(last));
    if (failed) *last = 0;
    for (char *line = text; *line;) {
        const size_t n = strcspn(line, "\n") + 1, before = s->said ? strlen(s->said) : 0;
        if (!s->said || !memmem(s->said, before, line, n)) {
            char *longer = realloc(s->said, before + n + 1);
            if (!longer) return kl_fail_memory(err, before + n);
            memcpy(longer + before, line, n), longer[before + n] = 0;
            s->said = longer;
            fwrite(line, 1, n, s->run->stage.log->to);
        }
        line += n;
    }
    return KL_OK;
}

static int collect(struct study *s, struct fold *fold, int status, struct kl_error *err)
{
    char *out = NULL, *messages = NULL;
    int code = read_all(&out, fold->out, err);
    if (!code) code = read_all(&messages, fold->messages, err);
    close(fold->out), close(fold->messages);
    fold->pid = 0, s->running--;
    fold->done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    s->done += fold->done;
    if (!code && !kl_signals_pending()) {
        code = tell_messages(s, messages, !fold->done, err);
        fputs(out, s->run->out);
        fflush(s->run->out);
    }
    if (!fold->done && !s->status) s->status = status;
    free(out), free(messages);
    return code;
}

/* The code of an exit status. */
static int code_of(int status)
{
    static const int codes[] = { KL_ENO, KL_EUSAGE, KL_EDATA, KL_ENOINPUT, KL_ENOMEM };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (WIFEXITED(status) && kl_exit_status(codes[i]) == WEXITSTATUS(status)) return codes[i];
    return KL_EIO;
}

/* Those that run are waited for, whatever happens; told: by a signal to end. */
static int wait_for_one(struct study *s, bool *told, const struct kl_watch *watch, struct kl_error *err)
{
    const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
    int status, code = KL_OK;
    if (kl_watch_step(watch, s->done, s->n, NULL) && !*told) {
        for (size_t f = 0; f < s->n; f++)
            if (s->folds[f].pid > 0) kill(s->folds[f].pid, SIGTERM);
        *told = true;
    }
    bool any = false;
    for (size_t f = 0; f < s->n; f++) {
        if (s->folds[f].pid <= 0 || waitpid(s->folds[f].pid, &status, WNOHANG) != s->folds[f].pid)
            continue;
        const int one = collect(s, &s->folds[f], status, err);
        any = true;
        if (!code) code = one;
    }
    if (!any) nanosleep(&pause, NULL);
    return code;
}

static int run_all(struct study *s, const struct kl_watch *watch, struct kl_error *err)
{
    bool told = false;
    int code = KL_OK;
    for (size_t next = 0; next < s->n || s->running;) {
        const bool more = next < s->n && !code && !s->status && !kl_signals_pending();
        if (more && s->running < s->at_once) code = start(s, next++, err);
        else if (s->running) {
            const int one = wait_for_one(s, &told, watch, err);
            if (!code) code = one;
        } else break;
    }
    if (kl_signals_pending()) {
        kl_note(s->run->stage.log, 1,
                "stopped; %zu of %zu folds are in %s, and the same command goes on", s->done, s->n,
                s->folder);
        return kl_fail(err, KL_ESIGNAL, "stopped");
    }
    if (code || !s->status) return code;
    const char *name = s->run->stage.log->tool,
               *text = s->error && *s->error ? s->error : "a fold was ended";
    const size_t n = strlen(name);
    const bool named = strncmp(text, name, n) == 0 && strncmp(text + n, ": fold ", 7) == 0;
    const char *const refusal = named ? strstr(text + n + 2, ": ") : NULL;
    if (refusal) text = refusal + 2; /* what one fold refuses, all do */
    return kl_fail(err, code_of(s->status), "%.*s (%zu of %zu folds are in %s)",
                   (int)strcspn(text, "\n"), text, s->done, s->n, s->folder);
}

/* Is a point's file there, as its table has it? */
static int check_model(const char *path, const char *key, const char *table, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const int code = kl_store_file_open_kind(&file, path, &kl_sequence_model_kind, err);
    const bool other = code == KL_ENOINPUT || (!code && strcmp(kl_store_file_key(file), key));
    kl_store_file_close(&file);
    if (!other) return code;
    return kl_fail(err, KL_ENOINPUT,
                   "%s: is not there as %s has it; remove %s, and the same command trains it again",
                   path, table, table);
}

/* The file of the best point of a fold's table. */
static int find_best(char **model, const char *table, struct kl_error *err)
{
    const struct kl_sweep_row *best = NULL;
    struct kl_sweep sweep = { 0 };
    struct kl_file *file = NULL;
    char *folder = NULL;
    int code = kl_store_file_open_kind(&file, table, &kl_sweep_kind, err);
    if (!code) code = kl_train_sweep_load(&sweep, file, err);
    if (!code) code = kl_train_sweep_best(&best, &sweep, err);
    if (!code && !best)
        code = kl_fail(err, KL_EDATA, "%s: all points diverged: there is none to choose", table);
    if (!code) code = kl_train_sweep_folder(&folder, table, kl_sequence_model_kind.name, err);
    if (!code) code = kl_train_sweep_point_path(model, folder, best->name, best->key, err);
    if (!code) code = check_model(*model, best->key, table, err);
    free(folder);
    kl_train_sweep_free(&sweep);
    kl_store_file_close(&file);
    return code;
}

static int choose(struct study *s, struct kl_error *err)
{
    int code = KL_OK;
    if (!(s->models = calloc(s->n, sizeof *s->models)))
        return kl_fail_memory(err, s->n * sizeof *s->models);
    for (size_t f = 0; f < s->n && !code; f++) code = find_best(&s->models[f], s->paths[f], err);
    return code;
}

/* As `qseq eval FOLDS WINDOWS -o REPORT`; the models of sweeps stand between. */
static int judge(struct study *s, struct kl_error *err)
{
    const struct kl_stage *stage = &s->run->stage;
    const size_t n = s->models ? 2 * s->n : s->n;
    const char **inputs = calloc(n + stage->n_inputs, sizeof *inputs);
    struct kl_common common = *s->common;
    if (!inputs) return kl_fail_memory(err, (n + stage->n_inputs) * sizeof *inputs);
    for (size_t i = 0; i < n; i++) inputs[i] = i < s->n ? s->paths[i] : s->models[i - s->n];
    memcpy(inputs + n, stage->inputs, stage->n_inputs * sizeof *inputs);
    struct kl_mode_run run = { .values = &common, .out = s->run->out };
    run.stage = *stage;
    run.stage.tool = &kl_sequence_eval_tool, run.stage.values = run.stage.common = &common;
    run.stage.inputs = inputs, run.stage.n_inputs += n, run.stage.start = kl_clock();
    const int code = kl_store_mode_run(&kl_sequence_mode_eval, &run, err);
    kl_store_stage_end(&run.stage);
    free(inputs);
    return code;
}

static void study_free(struct study *s)
{
    for (size_t f = 0; f < s->n && s->paths; f++) free(s->paths[f]);
    for (size_t f = 0; f < s->n && s->models; f++) free(s->models[f]);
    if (s->folder && !s->done) rmdir(s->folder); /* nothing is there, unless of an earlier run */
    free(s->folder), free(s->paths), free(s->models), free(s->folds), free(s->said), free(s->error);
}

static int check(const struct study *s, struct kl_error *err)
{
    const struct kl_mode_run *run = s->run;
    const struct kl_tool *tool = s->method->mode->tool;
    void *usual = calloc(1, tool->values_size);
    if (!usual) return kl_fail_memory(err, tool->values_size);
    s->method->mode->defaults(usual);
    const int code =
        kl_options_refuse(tool, run->values, usual,
                          s->method->tried ? "key ranks history mlflow models shard"
                                           : "key dry-run ranks history mlflow models shard",
                          "is of one fold, not of --fold all", err);
    free(usual);
    if (code) return code;
    if (!s->report || strcmp(s->report, "-") == 0)
        return kl_fail(err, KL_EUSAGE,
                       "--fold all: -o: expected the name of a file, beside which the models lie");
    /* Before the folds are trained, not behind them. */
    return kl_store_target_check(s->report, kl_sequence_report_kind.name, s->common->force,
                                 run->stage.inputs, run->stage.n_inputs, err);
}

/* By the first fold whose file is not there, in place of all of them. */
static int forecast(struct study *s, struct kl_error *err)
{
    size_t first = s->n, left = 0;
    for (size_t f = s->n; f-- > 0;)
        if (s->common->force || access(s->paths[f], F_OK)) first = f, left++;
    set_fold(s, left ? first : 0);
    if (access(s->folder, F_OK)) s->common->output = NULL; /* nothing is made */
    s->run->stage.runs = left ? left : s->n, s->run->stage.at_once = s->at_once;
    return kl_store_mode_run(s->method->mode, s->run, err);
}

/* All folds, and their report. */
static int work(struct study *s, struct kl_error *err)
{
    struct kl_progress progress;
    kl_progress_begin(&progress, s->run->stage.log, s->common->progress, "folds");
    int code = run_all(s, &progress.watch, err);
    kl_progress_end(&progress);
    if (!code && s->method->sweeps) code = choose(s, err);
    return code ? code : judge(s, err);
}

/* Fold 0, which nobody asked for: others may take it for all. */
static int one_fold(struct study *s, struct kl_error *err)
{
    const struct kl_stage *stage = &s->run->stage;
    bool asked = s->common->dry_run || *s->method->fold(s->run->values) > 0;
    for (int i = 1; i < stage->argc; i++)
        asked |= strcmp(stage->argv[i], "--fold") == 0 || strncmp(stage->argv[i], "--fold=", 7) == 0;
    const bool told = !asked && count(s, NULL) == KL_OK;
    const int code = kl_store_mode_run(s->method->mode, s->run, err);
    if (!code && told)
        kl_note(stage->log, 1, "fold 0 of %zu alone: %s left out and tested; --fold all does each", s->n,
                s->left_out);
    return code;
}

static int folds(const struct method *method, struct kl_mode_run *run, struct kl_error *err)
{
    struct study s = { .method = method, .run = run, .common = run->values };
    if (*method->fold(run->values) >= 0) return one_fold(&s, err);
    s.report = s.common->output;
    int code = check(&s, err);
    if (!code) code = count(&s, err);
    if (!code) code = place(&s, err);
    const int64_t threads = s.common->threads > 0 ? s.common->threads : kl_threads_available();
    s.at_once = (size_t)threads < s.n ? (size_t)threads : s.n;
    if (!code) code = s.common->dry_run ? forecast(&s, err) : work(&s, err);
    study_free(&s);
    return code;
}

/* ---- of a net, of what is fitted at once, and of the best of several nets ---- */

static int64_t *train_fold(void *values)
{
    return &((struct kl_sequence_train_values *)values)->fold;
}
static int train_split(struct kl_sequence_split_options *o, const void *values, struct kl_error *err)
{
    struct kl_sequence_train_values v = *(const struct kl_sequence_train_values *)values;
    const int code = kl_sequence_train_settle(&v, err);
    *o = v.parts;
    return code;
}
static int train(struct kl_mode_run *run, struct kl_error *err)
{
    static const struct method net = { &kl_sequence_mode_train, train_fold, train_split, true, false };
    return folds(&net, run, err);
}
const struct kl_mode kl_sequence_mode_train_folds = { .tool = &kl_sequence_train_tool,
                                                      .defaults = kl_sequence_train_defaults,
                                                      .run = train };

static int fit(struct kl_mode_run *run, struct kl_error *err)
{
    static const struct method fitted = { &kl_sequence_mode_fit, kl_sequence_fit_fold,
                                          kl_sequence_fit_split, false, false };
    return folds(&fitted, run, err);
}
const struct kl_mode kl_sequence_mode_fit_folds = { .tool = &kl_sequence_fit_tool,
                                                    .defaults = kl_sequence_fit_defaults,
                                                    .run = fit };

/* What the grid sets of the rest, the points alone know. */
static int sweep_split(struct kl_sequence_split_options *o, const void *values, struct kl_error *err)
{
    (void)err;
    *o = kl_sequence_train_parts(values);
    return KL_OK;
}
static int sweep(struct kl_mode_run *run, struct kl_error *err)
{
    static const struct method best = { &kl_sequence_mode_sweep, train_fold, sweep_split, true, true };
    return folds(&best, run, err);
}
const struct kl_mode kl_sequence_mode_sweep_folds = { .tool = &kl_sequence_sweep_tool,
                                                      .defaults = kl_sequence_train_defaults,
                                                      .run = sweep };
