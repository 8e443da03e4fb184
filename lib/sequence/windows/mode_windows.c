/* SPDX-License-Identifier: MIT
   `qseq windows`: recordings of one person, or of several, to one file of labelled windows. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/ingest.h"
#include "sequence/recording/recording.h"
#include "sequence/windows/windows_int.h"
#include "store/kind.h"
#include "store/mode.h"
#include "weights/array.h"

/* 3: what is no EEG is left out, and never in the average; an event counts once however often it is
   annotated; windows are held against the annotations' ends, which are kept with them. Where none of
   that changes anything, windows are those of version 2, and keep their key. */
enum { VERSION_BEFORE = 2, NUMERICAL_VERSION = 3 };

struct work {
    struct kl_mode_run *run;
    const struct kl_sequence_windows_values *v;
    struct kl_sequence_cut cut;
    struct kl_sequence_labels labels;
    struct kl_sequence_arrays arrays; /* in place of recordings, if arrays.x */
    char **array_classes;
    size_t n_array_classes;
    struct kl_sequence_origin *sources;
    size_t n_sources, n_used;
    bool mended; /* what version 3 does changes the windows */
    struct kl_sequence_collection all;
};

/* ---- which recordings, and what their annotations mean ---- */
static bool in_list(char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0) return true;
    return false;
}

/* Two recordings of one name, or one that is given twice. */
static int fail_twice(const struct kl_sequence_origin *a, const struct kl_sequence_origin *b,
                      struct kl_error *err)
{
    char digests[2][65];
    if (strcmp(a->path, b->path) == 0) return kl_fail(err, KL_EUSAGE, "%s: given twice", a->path);
    if (!kl_sha256_file(digests[0], a->path, NULL) && !kl_sha256_file(digests[1], b->path, NULL) &&
        strcmp(digests[0], digests[1]) == 0)
        return kl_fail(err, KL_EUSAGE, "%s, %s: one recording, given twice: their contents are equal",
                       a->path, b->path);
    return kl_fail(err, KL_EUSAGE,
                   "%s, %s: two recordings of the name '%s'; rename one, or cut them into two files "
                   "with --subject",
                   a->path, b->path, b->name.recording);
}

/* A name of --exclude that is nobody's. */
static void caution_excluded(const struct work *w, char *const *excluded, size_t n)
{
    char there[160] = "";
    size_t used = 0;
    for (size_t i = 0; i < w->n_sources; i++) {
        const char *name = w->sources[i].name.subject;
        bool told = false;
        for (size_t k = 0; k < i && !told; k++) told = strcmp(w->sources[k].name.subject, name) == 0;
        if (told || used + 70 > sizeof there) continue;
        used += (size_t)snprintf(there + used, sizeof there - used, "%s'%s'", used ? ", " : "", name);
    }
    for (size_t k = 0; k < n; k++) {
        bool found = false;
        for (size_t i = 0; i < w->n_sources && !found; i++)
            found = strcmp(w->sources[i].name.subject, excluded[k]) == 0;
        if (!found)
            kl_caution(w->run->stage.log, "--exclude: no recording is of '%s'; there are %s%s",
                       excluded[k], there, used + 70 > sizeof there ? ", ..." : "");
    }
}

static int name_sources(struct work *w, struct kl_error *err)
{
    char **excluded = NULL;
    size_t n_excluded = 0;
    int code =
        w->v->exclude ? kl_sequence_words(&excluded, &n_excluded, "--exclude", w->v->exclude, err) : 0;
    for (size_t i = 0; i < w->n_sources && !code; i++) {
        struct kl_sequence_origin *s = &w->sources[i];
        kl_sequence_name_of(&s->name, s->path);
        if (w->v->subject) snprintf(s->name.subject, sizeof s->name.subject, "%s", w->v->subject);
        s->name.says_whose = s->name.says_whose || w->v->subject;
        if (in_list(excluded, n_excluded, s->name.subject)) s->skipped = "its person is excluded";
        for (size_t k = 0; k < i && !code; k++)
            if (strcmp(w->sources[k].name.recording, s->name.recording) == 0)
                code = fail_twice(&w->sources[k], s, err);
    }
    if (!code) caution_excluded(w, excluded, n_excluded);
    kl_sequence_words_free(excluded, n_excluded);
    return code;
}

/* Of a file that is not there or no recording, that is said, not what its name lacks. */
static int fail_run(const char *path, struct kl_error *err)
{
    struct kl_sequence_recording r;
    const int code = kl_sequence_recording_open(&r, path, err);
    kl_sequence_recording_close(&r);
    if (code) return code;
    return kl_fail(
        err, KL_EUSAGE,
        "%s: its name has no run of eegmmidb (S001R04.edf), which would say what T1 and T2 are; "
        "give --labels TEXT=CLASS,... (`qseq inspect` shows the texts)",
        path);
}

/* Without --labels all recordings are of one task; of another they are skipped if it was asked for by
   name, else that is an error: T1 is not T1. */
static int settle_task(struct work *w, struct kl_error *err)
{
    int wanted = kl_choice(KL_SEQUENCE_TASKS, w->v->task);
    const bool asked = wanted >= 0;
    const struct kl_sequence_origin *first = NULL;
    for (size_t i = 0; i < w->n_sources; i++) {
        struct kl_sequence_origin *s = &w->sources[i];
        const int task = kl_sequence_task_of_run(s->name.run);
        if (s->skipped) continue;
        if (task == KL_SEQUENCE_NO_RUN) return fail_run(s->path, err);
        if (task == KL_SEQUENCE_BASELINE) {
            s->skipped = "a baseline run, without movements";
            continue;
        }
        if (!first && !asked) first = s, wanted = task;
        if (task == wanted) continue;
        if (!asked)
            return kl_fail(err, KL_EDATA,
                           "%s: its T1 and T2 are %s, those of %s are %s; give the recordings of one "
                           "task, or choose one "
                           "with --task",
                           s->path, kl_sequence_task_words(task), first->path,
                           kl_sequence_task_words(wanted));
        s->skipped = "of another task";
    }
    if (wanted >= 0) kl_sequence_labels_of_task(&w->labels, wanted);
    return 0;
}

static int settle(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->run->stage;
    w->sources = calloc(stage->n_inputs + 1, sizeof *w->sources);
    if (!w->sources) return kl_fail_memory(err, stage->n_inputs * sizeof *w->sources);
    struct kl_sequence_windows_values usual = { 0 };
    kl_sequence_windows_default(&usual);
    int code = kl_options_refuse(&kl_sequence_windows_tool, w->v, &usual,
                                 "labels-of subjects-of recordings-of classes array-rate limit",
                                 "of arrays; recordings say it themselves", err);
    if (!code) code = kl_sequence_cut_of(&w->cut, w->v, err);
    if (!code)
        code = kl_sequence_inputs_sort(w->sources, &w->n_sources, stage->inputs, stage->n_inputs, err);
    if (!code) code = name_sources(w, err);
    if (!code)
        code =
            w->v->labels ? kl_sequence_labels_parse(&w->labels, w->v->labels, err) : settle_task(w, err);
    for (size_t i = 0; i < w->n_sources; i++) w->n_used += !w->sources[i].skipped;
    if (!code && !w->n_used)
        code = kl_fail(err, KL_EDATA, "%s: %s: no recording is left", w->sources[0].path,
                       w->sources[0].skipped);
    for (size_t i = 0; i < w->n_sources && !code; i++) {
        if (w->sources[i].skipped) continue;
        code = kl_sequence_origin_look(&w->sources[i], &w->cut, &w->labels, err);
        w->mended = w->mended || w->sources[i].mended;
    }
    return code;
}

/* ---- arrays ---- */
static int settle_arrays(struct work *w, struct kl_error *err)
{
    const char *input = *w->run->stage.inputs;
    struct kl_sequence_windows_values usual = { 0 };
    kl_sequence_windows_default(&usual);
    if (w->run->stage.n_inputs != 1)
        return kl_fail_inputs(err, w->run->stage.inputs, w->run->stage.n_inputs, 1,
                              "one array, or recordings alone");
    if (w->v->rate != usual.rate)
        return kl_fail(err, KL_EUSAGE,
                       "--rate: resamples recordings; an array's windows are taken as they are, and "
                       "--array-rate HZ says what rate they have");
    int code = kl_options_refuse(&kl_sequence_windows_tool, w->v, &usual,
                                 "rate from to band notch reference baseline reject gaps task labels "
                                 "exclude chunk-duration",
                                 "of recordings; an array's windows are taken as they are", err);
    const char *const unfit = w->arrays.what == KL_SEQUENCE_DNA
                                  ? "labels-of subjects-of recordings-of array-rate limit channels unit"
                              : w->arrays.what == KL_SEQUENCE_IMAGES
                                  ? "subjects-of recordings-of array-rate channels unit"
                                  : "limit";
    if (!code)
        code = kl_options_refuse(&kl_sequence_windows_tool, w->v, &usual, unfit,
                                 "has no meaning for this input", err);
    if (!code && w->arrays.what != KL_SEQUENCE_ARRAYS && w->v->subject)
        code = kl_fail(err, KL_EUSAGE, "--subject: each sample is a person of its own");
    if (!code) code = kl_weights_array_foreign(input, "recordings or foreign arrays", err);
    if (!code) code = kl_sequence_array_name(&w->arrays.x, input, NULL, "x", err);
    if (!code && w->v->y) code = kl_sequence_array_name(&w->arrays.y, input, w->v->y, NULL, err);
    if (!code && w->v->subjects)
        code = kl_sequence_array_name(&w->arrays.subjects, input, w->v->subjects, NULL, err);
    if (!code && w->v->recordings)
        code = kl_sequence_array_name(&w->arrays.recordings, input, w->v->recordings, NULL, err);
    if (!code && w->v->classes && !w->v->y && w->arrays.what == KL_SEQUENCE_ARRAYS)
        code = kl_fail(err, KL_EUSAGE, "--classes: without --labels-of there are none");
    if (!code && w->v->subject && w->v->subjects)
        code = kl_fail(err, KL_EUSAGE, "--subject: --subjects-of says whose the windows are");
    if (!code) code = kl_sequence_cut_of(&w->cut, w->v, err);
    w->arrays.rate = w->v->array_rate, w->arrays.named = w->v->classes, w->arrays.unit = w->cut.unit;
    w->arrays.channels = w->cut.channels, w->arrays.n_channels = w->cut.n_channels;
    return code;
}

/* Names of the classes that --classes gives in place of their numbers. */
static int rename_classes(struct work *w, struct kl_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int code = kl_sequence_words(&names, &n, "--classes", w->v->classes, err);
    if (!code && n != w->n_array_classes)
        code = kl_fail(err, KL_EDATA, "%s: %zu classes occur, --classes names %zu", w->arrays.x,
                       w->n_array_classes, n);
    if (!code) {
        kl_sequence_words_free(w->array_classes, w->n_array_classes);
        w->array_classes = names;
        return 0;
    }
    kl_sequence_words_free(names, n);
    return code;
}

static void caution_owner(const struct kl_log *log, const char *path)
{
    struct kl_sequence_name name;
    kl_sequence_name_of(&name, path);
    if (!name.says_whose)
        kl_caution(log,
                   "all windows are taken for one person's, '%s', as neither that name says whose they "
                   "are, nor "
                   "--subjects-of or --subject",
                   name.subject);
}

static int read_arrays(struct work *w, struct kl_error *err)
{
    struct kl_sequence_collection *c = &w->all;
    const struct kl_sequence_arrays *a = &w->arrays;
    char ***classes = &w->array_classes;
    size_t *n = &w->n_array_classes;
    int code = a->what == KL_SEQUENCE_DNA ? kl_sequence_dna_read(c, classes, n, a->x, err)
               : a->what == KL_SEQUENCE_IMAGES
                   ? kl_sequence_images_read(c, classes, n, a->x, w->v->y, (size_t)w->v->limit, err)
                   : kl_sequence_arrays_read(c, classes, n, a, err);
    if (!code && w->v->classes) code = rename_classes(w, err);
    if (!code && a->what == KL_SEQUENCE_ARRAYS && c->channels > c->steps)
        kl_caution(w->run->stage.log,
                   "%s: %zu channels of %zu step%s: more channels than steps; of an array of (windows, "
                   "steps, channels) save x.transpose(0, 2, 1)",
                   a->x, c->channels, c->steps, kl_s(c->steps));
    if (!code && a->what == KL_SEQUENCE_ARRAYS && !w->v->subject && !w->v->subjects)
        caution_owner(w->run->stage.log, a->x);
    if (code || !w->v->subject) return code;
    char *names[2] = { strdup(w->v->subject), strdup(w->v->subject) };
    if (!names[0] || !names[1])
        return free(names[0]), free(names[1]), kl_fail_memory(err, strlen(w->v->subject));
    free(*c->subject_names), *c->subject_names = names[0];
    if (w->v->recordings) free(names[1]);
    else free(*c->recording_names), *c->recording_names = names[1];
    return 0;
}

/* By the number of its role each has a dataset of its own in the key. */
static int identify_arrays(struct work *w, struct kl_key *key, struct kl_error *err)
{
    const char *const roles[] = { "windows", "labels", "subjects", "recordings" };
    const char *const paths[] = { w->arrays.x, w->arrays.y, w->arrays.subjects, w->arrays.recordings };
    struct kl_sequence_name name;
    kl_sequence_name_of(&name, w->arrays.x);
    const bool named = w->v->subject || w->v->subjects; /* then the file's name is nobody's */
    int code = named ? 0 : kl_store_key_text(key, "name", name.subject, err);
    if (!code && w->arrays.what == KL_SEQUENCE_IMAGES)
        return kl_ingest_images_identify(key, w->run->raw_inputs, (const char *const[]){ w->arrays.x },
                                         1, w->v->y, false, err);
    for (int i = 0; i < 4 && !code; i++)
        if (paths[i])
            code = kl_store_input_identify(key, w->run->raw_inputs, roles[i], (size_t)i, paths[i], err);
    return code;
}

/* ---- the key ---- */
/* Files that recording `used` was read from beside its own: which it has, and their contents. */
static int identify_beside(struct work *w, struct kl_key *key, const struct kl_sequence_origin *s,
                           size_t used, size_t n[KL_SEQUENCE_BESIDE], struct kl_error *err)
{
    static const char *const roles[] = { "data", "markers", "events", "channels" };
    char name[32], words[40] = "";
    int code = 0;
    for (int i = 0; i < KL_SEQUENCE_BESIDE && !code; i++) {
        if (!s->beside[i]) continue;
        strcat(strcat(words, *words ? " " : ""), roles[i]);
        code = kl_store_input_identify(key, w->run->raw_inputs, roles[i], n[i]++, s->beside[i], err);
    }
    snprintf(name, sizeof name, "beside.%zu", used);
    return code || !*words ? code : kl_store_key_text(key, name, words, err);
}

/* The contents of the recordings, and what their names say of people and runs. */
static int identify_recordings(struct work *w, struct kl_key *key, struct kl_error *err)
{
    size_t used = 0, beside[KL_SEQUENCE_BESIDE] = { 0 };
    int code = 0;
    for (size_t i = 0; i < w->n_sources && !code; i++) {
        const struct kl_sequence_origin *s = &w->sources[i];
        char name[32], words[160];
        if (s->skipped) continue;
        snprintf(name, sizeof name, "recording.%zu", used);
        snprintf(words, sizeof words, "%s of %s", s->name.recording, s->name.subject);
        code = kl_store_key_text(key, name, words, err);
        if (!code)
            code = kl_store_input_identify(key, w->run->raw_inputs, "recordings", used, s->path, err);
        if (!code) code = identify_beside(w, key, s, used++, beside, err);
    }
    return code || w->v->labels ? code : kl_store_key_text(key, "class", w->labels.names[0], err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    struct work *w = run->state;
    return w->arrays.x ? identify_arrays(w, key, err) : identify_recordings(w, key, err);
}

/* ---- the work ---- */
static int cut(struct work *w, struct kl_error *err)
{
    struct kl_sequence_cutter cutter = {
        .cut = &w->cut, .labels = &w->labels, .to = &w->all, .log = w->run->stage.log
    };
    int code = KL_OK;
    size_t done = 0;
    cutter.pool = w->run->pool;
    for (size_t i = 0; i < w->n_sources && !code; i++) {
        struct kl_sequence_origin *s = &w->sources[i];
        if (s->skipped) {
            kl_caution(w->run->stage.log, "%s: %s: skipped", s->path, s->skipped);
            continue;
        }
        code = kl_sequence_cut_recording(&cutter, s, err);
        if (!code && kl_watch_step(w->run->watch, ++done, w->n_used, s->name.recording))
            code = kl_fail(err, KL_ESIGNAL, "stopped by a signal; nothing is kept");
    }
    kl_sequence_cutter_free(&cutter);
    return code;
}

static const char *const *class_names(const struct work *w)
{
    return w->arrays.x ? (const char *const *)w->array_classes : w->labels.names;
}
static size_t n_classes(const struct work *w)
{
    return w->arrays.x ? w->n_array_classes : w->labels.n_classes;
}

/* Images and sequences of letters may be equal by chance; signals are not. */
static int check_alike(struct work *w, struct kl_error *err)
{
    const bool signals = !w->arrays.x || w->arrays.what == KL_SEQUENCE_ARRAYS;
    int code = signals ? kl_sequence_collect_compare(&w->all, err) : 0;
    if (!code && !w->arrays.x && w->all.alike.contrary)
        code = kl_sequence_windows_fail_contrary(err, *w->run->stage.inputs, &w->all, class_names(w));
    if (!code && signals) kl_sequence_windows_caution_alike(w->run->stage.log, &w->all);
    return code;
}

static int read_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_sequence_collection *c = &w->all;
    const int code = w->arrays.x ? read_arrays(w, err) : cut(w, err);
    if (code || c->n) return code;
    return kl_sequence_windows_fail_empty(err, w->arrays.x ? *run->stage.inputs : w->sources->path, c,
                                          &w->labels);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_sequence_collection *c = &w->all;
    char preprocessing[KL_SEQUENCE_PREPROCESSING];
    snprintf(preprocessing, sizeof preprocessing,
             "band %.20s, notch %g, reference %.10s, baseline %.20s", w->v->band ? w->v->band : "none",
             w->v->notch, w->v->reference, w->v->baseline ? w->v->baseline : "none");
    const struct kl_sequence_windows file = { .n = c->n,
                                              .channels = c->channels,
                                              .steps = c->steps,
                                              .rate = c->rate,
                                              .steps_before = c->steps_before,
                                              .unit = w->arrays.x && w->cut.unit == 0 ? "1" : "uV",
                                              .preprocessing = w->arrays.x ? NULL : preprocessing,
                                              .x = c->x,
                                              .labels = c->labels,
                                              .subject = c->subject,
                                              .recording = c->recording,
                                              .onset = c->onset,
                                              .duration = w->mended ? c->duration : NULL,
                                              .n_classes = n_classes(w),
                                              .n_subjects = c->n_subjects,
                                              .n_recordings = c->n_recordings,
                                              .class_names = class_names(w),
                                              .subject_names = (const char *const *)c->subject_names,
                                              .recording_names = (const char *const *)c->recording_names,
                                              .channel_names = (const char *const *)c->channel_names };
    return kl_sequence_windows_write(writer, &file, NULL, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_log *log = run->stage.log;
    const struct kl_sequence_collection *c = &w->all;
    const int code = check_alike(w, err);
    if (code) return code;
    kl_sequence_windows_caution_names(log, "classes", class_names(w), n_classes(w));
    kl_sequence_windows_caution_names(log, "people", (const char *const *)c->subject_names,
                                      c->n_subjects);
    if (!w->arrays.x)
        kl_sequence_windows_caution(log, c, &w->labels, w->v->reject, w->sources, w->n_sources);
    return KL_OK;
}

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    w->run = run, w->v = run->values;
    const int code =
        kl_sequence_is_other(&w->arrays, *run->stage.inputs) ? settle_arrays(w, err) : settle(w, err);
    if (w->mended) run->version = NUMERICAL_VERSION;
    return code;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    return kl_sequence_windows_json(run, to, &w->all, class_names(w), n_classes(w), w->labels.rule,
                                    w->sources, w->n_sources, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    kl_sequence_windows_words(to, &run->stage, &w->all, class_names(w), n_classes(w), w->labels.rule);
}

static void close_inputs(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sequence_collection_free(&w->all);
    kl_sequence_labels_free(&w->labels);
    kl_sequence_cut_free(&w->cut);
    kl_sequence_words_free(w->array_classes, w->n_array_classes);
    free(w->arrays.x), free(w->arrays.y), free(w->arrays.subjects), free(w->arrays.recordings);
    for (size_t i = 0; i < w->n_sources; i++)
        for (int k = 0; k < KL_SEQUENCE_BESIDE; k++) free(w->sources[i].beside[k]);
    free(w->sources);
}

static const struct kl_file_stage stage = { .kind = &kl_sequence_windows_kind,
                                            .schema = KL_SEQUENCE_WINDOWS_SCHEMA,
                                            .version = VERSION_BEFORE,
                                            .name = "qseq windows",
                                            .state_size = sizeof(struct work),
                                            .progress = "recordings",
                                            .reads_late = true,
                                            .open = open_inputs,
                                            .key = key,
                                            .compute = read_inputs,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_inputs };
const struct kl_mode kl_sequence_mode_windows = { .tool = &kl_sequence_windows_tool,
                                                  .defaults = kl_sequence_windows_default,
                                                  .stage = &stage };
