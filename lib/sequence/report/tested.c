/* SPDX-License-Identifier: MIT
   Which windows a model may be tested on. Nothing is taken from the run that trained it but its file:
   the split is checked anew, by names, and the windows by their files' contents. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/report.h"

enum { UNKNOWN = -2, NO_PART = -1 };

/* ---- a model's own split ---- */

/* The contents in the key are those of the split. */
static int check_key(const struct kl_sequence_learned *m, const struct kl_file *file,
                     struct kl_error *err)
{
    json_t *parts = NULL;
    int code = kl_json_parse(&parts, kl_store_file_key_parts(file), "key_parts", err);
    if (code) return code;
    const json_t *inputs = json_object_get(json_object_get(parts, "inputs"), "windows");
    bool same = json_array_size(inputs) == m->n_files;
    for (size_t i = 0; same && i < m->n_files; i++) {
        const char *content = json_string_value(json_array_get(inputs, i));
        same = content && strcmp(content, m->contents[i]) == 0;
    }
    json_decref(parts);
    return same ? KL_OK
                : kl_fail(err, KL_EDATA,
                          "%s: dataset split/files names other windows than those in its key",
                          kl_store_file_path(file));
}

/* The model's lists as a set without values. */
static int check_split(const struct kl_sequence_learned *m, const struct kl_file *file,
                       struct kl_error *err)
{
    const struct kl_sequence_set set = { .n = m->n,
                                         .labels = m->part,
                                         .subject = m->person,
                                         .recording = m->recording,
                                         .n_subjects = m->n_people,
                                         .n_recordings = m->n_recordings,
                                         .subject_names = m->people,
                                         .recording_names = m->recordings };
    struct kl_sequence_split split = { .unlabelled = 0 };
    struct kl_error why;
    int code = KL_OK;
    for (int k = 0; k < KL_SEQUENCE_PARTS && !code; k++)
        if (!(split.part[k] = malloc((m->n + 1) * sizeof **split.part)))
            code = kl_fail_memory(err, m->n * sizeof **split.part);
    for (size_t i = 0; i < m->n && !code; i++)
        if (m->part[i] >= 0) split.part[m->part[i]][split.n[m->part[i]]++] = (int64_t)i;
    if (!code && !m->leak && kl_sequence_split_check(&split, &set, m->across, &why))
        code = kl_fail(err, why.code, "%s: %s", kl_store_file_path(file), why.text);
    kl_sequence_split_free(&split);
    return code;
}

static int check_counts(const struct kl_sequence_learned *m, const struct kl_file *file,
                        struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_files; i++) n += (size_t)m->file_n[i];
    return n == m->n ? KL_OK
                     : kl_fail(err, KL_EDATA, "%s: split/file_windows are %zu windows, expected %zu",
                               kl_store_file_path(file), n, m->n);
}

static int open_model(struct kl_sequence_report *r, size_t k, struct kl_error *err)
{
    struct kl_sequence_learned *m = &r->models[k];
    struct kl_file *file = r->model_files[k];
    int code = kl_sequence_learned_open(m, file, err);
    if (!code) code = check_counts(m, file, err);
    if (!code) code = check_key(m, file, err);
    return code ? code : check_split(m, file, err);
}

/* ---- models and windows fit ---- */

static int differ(struct kl_error *err, const struct kl_file *file, const char *what, const char *found,
                  const char *expected, const struct kl_file *first)
{
    return kl_fail(err, KL_EDATA, "%s: %s '%s', expected '%s' as in %s", kl_store_file_path(file), what,
                   found, expected, kl_store_file_path(first));
}

int kl_sequence_check_fold(const struct kl_file *file, const struct kl_file *first, const char *what,
                           struct kl_error *err)
{
    char *lines = NULL;
    int code =
        kl_store_key_diff(&lines, kl_store_file_key_parts(first), kl_store_file_key_parts(file), err);
    for (char *line = lines, *next; !code && line && *line; line = next) {
        const size_t n = strcspn(line, "\n");
        next = line + n + (line[n] != 0);
        if (strncmp(line, "options.fold:", 13) == 0 || strncmp(line, "parts.sequence-models:", 22) == 0)
            continue;
        code = kl_fail(err, KL_EDATA, "%s: no fold of the %s in %s: %.*s", kl_store_file_path(file),
                       what, kl_store_file_path(first), (int)n, line);
    }
    free(lines);
    return code;
}

static int check_models(struct kl_sequence_report *r, struct kl_error *err)
{
    const struct kl_sequence_learned *a = &r->models[0];
    const bool alike = !r->n_sweeps; /* chosen ones are what their points are */
    for (size_t k = 1; k < r->n_models; k++) {
        const struct kl_sequence_learned *b = &r->models[k];
        if (alike && strcmp(a->model, b->model))
            return kl_fail(err, KL_EDATA,
                           "%s: a model %s, %s holds %s; give one model at a time, with its folds",
                           kl_store_file_path(r->model_files[k]), b->model,
                           kl_store_file_path(r->model_files[0]), a->model);
        if (strcmp(a->split, b->split))
            return differ(err, r->model_files[k], "split", b->split, a->split, r->model_files[0]);
        if (a->replicas != b->replicas || (alike && a->net.block.size != b->net.block.size))
            return kl_fail(err, KL_EDATA, "%s: %zu replicas of %zu values, expected %zu of %zu as in %s",
                           kl_store_file_path(r->model_files[k]), b->replicas, b->net.block.size,
                           a->replicas, a->net.block.size, kl_store_file_path(r->model_files[0]));
        const int code =
            alike ? kl_sequence_check_fold(r->model_files[k], r->model_files[0], "model", err) : KL_OK;
        if (code) return code;
    }
    return kl_sequence_report_choose(r, err);
}

static int check_names(const struct kl_file *model, const struct kl_file *windows, const char *what,
                       char *const *a, size_t n_a, char *const *b, size_t n_b, struct kl_error *err)
{
    if (n_a != n_b)
        return kl_fail(err, KL_EDATA, "%s: %zu %s%s, expected %zu as in %s", kl_store_file_path(windows),
                       n_b, what,
                       n_b == 1                         ? ""
                       : *what == 'c' && what[1] == 'l' ? "es"
                                                        : "s",
                       n_a, kl_store_file_path(model));
    for (size_t i = 0; i < n_a; i++)
        if (strcmp(a[i], b[i])) return differ(err, windows, what, b[i], a[i], model);
    return KL_OK;
}

static int check_windows(const struct kl_sequence_report *r, size_t k, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[k];
    const struct kl_sequence_set *set = &r->set;
    const struct kl_file *model = r->model_files[k], *first = r->window_files[0];
    int code = KL_OK;
    if (!set->n_classes && !r->all)
        return kl_fail(err, KL_EDATA, "%s: windows without labels; qseq predict names their classes",
                       kl_store_file_path(first));
    if (set->n_classes)
        code = check_names(model, first, "class", m->class_names, m->n_classes, set->class_names,
                           set->n_classes, err);
    if (!code)
        code = check_names(model, first, "channel", m->channel_names, m->n_channels, set->channel_names,
                           set->channels, err);
    if (!code && strcmp(m->unit, set->unit))
        code = differ(err, first, "unit", set->unit, m->unit, model);
    if (!code && m->preprocessing && set->preprocessing[0] &&
        strcmp(m->preprocessing, set->preprocessing))
        code = differ(err, first, "preprocessing", set->preprocessing, m->preprocessing, model);
    if (!code && (set->steps != m->net.shape.steps || set->rate != m->net.shape.rate))
        code = kl_fail(err, KL_EDATA, "%s: windows of %zu steps at %g Hz, expected %zu at %g as in %s",
                       kl_store_file_path(first), set->steps, set->rate, m->net.shape.steps,
                       m->net.shape.rate, kl_store_file_path(model));
    if (!code && !isnan(m->steps_before) && (double)set->steps_before != m->steps_before)
        code = kl_fail(err, KL_EDATA, "%s: %lld steps before the event, expected %g as in %s",
                       kl_store_file_path(first), (long long)set->steps_before, m->steps_before,
                       kl_store_file_path(model));
    return code;
}

/* ---- which windows ---- */

/* Does this model know the window's file? Then its place in the model's lists, and
   how many of its windows are there; else UNKNOWN. */
static int64_t place_of_file(const struct kl_sequence_learned *m, const char *content, size_t *n)
{
    int64_t first = 0;
    for (size_t i = 0; i < m->n_files; i++) {
        *n = (size_t)m->file_n[i];
        if (strcmp(m->contents[i], content) == 0) return first;
        first += m->file_n[i];
    }
    return UNKNOWN;
}

/* Of a file that it knows: people and recordings are those that the model's lists say. */
static int check_place(const struct kl_sequence_report *r, const struct kl_sequence_learned *m,
                       size_t window, size_t place, const struct kl_file *file, struct kl_error *err)
{
    const struct kl_sequence_set *set = &r->set;
    const char *person = set->subject_names[set->subject[window]],
               *recording = set->recording_names[set->recording[window]];
    if (strcmp(person, m->people[m->person[place]]) == 0 &&
        strcmp(recording, m->recordings[m->recording[place]]) == 0)
        return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: window %zu is of '%s', '%s', the model's split says '%s', '%s'",
                   kl_store_file_path(file), window, person, recording, m->people[m->person[place]],
                   m->recordings[m->recording[place]]);
}

/* Of a window whose file the model does not know: its recording (same), or its person (of splits over
   people), trained the model or chose its epoch. */
static bool is_known(const struct kl_sequence_report *r, const struct kl_sequence_learned *m,
                     size_t window, bool *same)
{
    const struct kl_sequence_set *set = &r->set;
    const char *person = set->subject_names[set->subject[window]],
               *recording = set->recording_names[set->recording[window]];
    for (size_t i = 0; i < m->n; i++) {
        if (m->part[i] != KL_SEQUENCE_TRAIN && m->part[i] != KL_SEQUENCE_VALIDATION) continue;
        if (strcmp(m->people[m->person[i]], person)) continue;
        *same = strcmp(m->recordings[m->recording[i]], recording) == 0;
        if (*same || m->across) return true;
    }
    return false;
}

static int check_unknown(const struct kl_sequence_report *r, const struct kl_sequence_learned *m,
                         size_t window, const struct kl_file *file, struct kl_error *err)
{
    const struct kl_sequence_set *set = &r->set;
    bool same = false;
    if (!is_known(r, m, window, &same)) return KL_OK;
    return kl_fail(
        err, KL_EDATA, "%s: '%s'%s%s%s trained the model or chose its epoch: testing on that is a leak",
        kl_store_file_path(file), set->subject_names[set->subject[window]], same ? ", recording '" : "",
        same ? set->recording_names[set->recording[window]] : "", same ? "'," : "");
}

/* One recording's windows stand together, so what is asked of names is asked once for them. */
static bool is_again(const struct kl_sequence_report *r, size_t first, size_t i)
{
    return i > first && r->set.subject[i] == r->set.subject[i - 1] &&
           r->set.recording[i] == r->set.recording[i - 1];
}

/* Windows [first, first + n) of file f and model k. */
static int take_file(struct kl_sequence_report *r, size_t k, size_t f, size_t first, size_t n,
                     struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[k];
    const struct kl_file *file = r->window_files[f];
    size_t listed = n;
    const int64_t place = place_of_file(m, kl_store_file_content(file), &listed);
    int code = KL_OK;
    if (place >= 0 && listed != n)
        code = kl_fail(err, KL_EDATA, "%s: split/file_windows: found %zu windows of %s, expected %zu",
                       kl_store_file_path(r->model_files[k]), listed, kl_store_file_path(file), n);
    for (size_t i = first; i < first + n && !code; i++) {
        const size_t at = (size_t)(place + (int64_t)(i - first));
        if (r->set.labels[i] < 0 || (place >= 0 && m->part[at] != KL_SEQUENCE_TEST)) continue;
        code = place >= 0 ? check_place(r, m, i, at, file, err) : KL_OK;
        const bool again = is_again(r, first, i) && r->set.labels[i - 1] >= 0;
        if (place < 0 && !again) code = check_unknown(r, m, i, file, err);
        if (!code)
            r->tested[r->n++] = (struct kl_sequence_tested){ i, (int32_t)k, (int32_t)f, place < 0 };
    }
    return code;
}

static int by_window(const void *a, const void *b)
{
    const struct kl_sequence_tested *x = a, *y = b;
    return x->window != y->window ? (x->window > y->window ? 1 : -1)
                                  : (x->model > y->model) - (x->model < y->model);
}

/* Nothing of model k's test part was given: whose windows those are. */
static int fail_none(const struct kl_sequence_report *r, size_t k, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[k];
    const char *first = NULL;
    bool more = false;
    for (size_t i = 0; i < m->n; i++) {
        if (m->part[i] != KL_SEQUENCE_TEST) continue;
        const char *person = m->people[m->person[i]];
        more = more || (first && strcmp(first, person));
        if (!first) first = person;
    }
    return kl_fail(err, KL_EDATA,
                   "%s: none of the windows given is of its test part: give those of '%s'%s that it was "
                   "made with, or of people whom it has not seen",
                   kl_store_file_path(r->model_files[k]), first ? first : "", more ? " and others" : "");
}

static int take_tested(struct kl_sequence_report *r, struct kl_error *err)
{
    int code = KL_OK;
    r->tested = malloc((r->set.n * r->n_models + 1) * sizeof *r->tested);
    if (!r->tested) return kl_fail_memory(err, r->set.n * r->n_models * sizeof *r->tested);
    for (size_t k = 0; k < r->n_models && !code; k++) {
        const size_t before = r->n;
        for (size_t f = 0, first = 0; f < r->n_windows && !code; f++) {
            const size_t n = kl_store_file_find(r->window_files[f], "x")->rows;
            code = take_file(r, k, f, first, n, err);
            first += n;
        }
        if (!code && r->n == before) code = fail_none(r, k, err);
    }
    if (code) return code;
    qsort(r->tested, r->n, sizeof *r->tested, by_window);
    for (size_t i = 1; i < r->n; i++)
        if (r->tested[i].window == r->tested[i - 1].window)
            return kl_fail(err, KL_EUSAGE,
                           "%s and %s test the same windows; give folds of one split on their own "
                           "windows; on other ones "
                           "one model, or qseq predict",
                           kl_store_file_path(r->model_files[r->tested[i - 1].model]),
                           kl_store_file_path(r->model_files[r->tested[i].model]));
    return KL_OK;
}

/* ---- people ---- */

static int by_name(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static int take_people(struct kl_sequence_report *r, struct kl_error *err)
{
    const struct kl_sequence_set *set = &r->set;
    r->labels = malloc((r->n + 1) * sizeof *r->labels);
    r->person = malloc((r->n + 1) * sizeof *r->person);
    r->people = malloc((set->n_subjects + 1) * sizeof *r->people);
    if (!r->labels || !r->person || !r->people) return kl_fail_memory(err, r->n * 8);
    for (size_t s = 0; s < set->n_subjects; s++) {
        bool tested = false;
        for (size_t i = 0; i < r->n && !tested; i++)
            tested = set->subject[r->tested[i].window] == (int32_t)s;
        if (tested) r->people[r->n_people++] = set->subject_names[s];
    }
    qsort(r->people, r->n_people, sizeof *r->people, by_name);
    for (size_t i = 0; i < r->n; i++) {
        const char *name = set->subject_names[set->subject[r->tested[i].window]];
        const char **found = bsearch(&name, r->people, r->n_people, sizeof name, by_name);
        r->labels[i] = set->labels[r->tested[i].window];
        r->person[i] = (int32_t)(found - r->people);
    }
    return KL_OK;
}

/* Fit each person's own part anew for those whom model k tests, on all windows that were given. */
static int refit_own(struct kl_sequence_report *r, size_t k, bool *wanted, struct kl_error *err)
{
    for (size_t p = 0; p < r->set.n_subjects; p++) wanted[p] = false;
    for (size_t i = 0; i < r->n; i++)
        if ((size_t)r->tested[i].model == k) wanted[r->set.subject[r->tested[i].window]] = true;
    const int code = kl_sequence_standard_refit(&r->models[k].standard, &r->set, wanted, err);
    if (r->models[k].standard.lost > r->lost) r->lost = r->models[k].standard.lost;
    return code;
}

static int take_own(struct kl_sequence_report *r, struct kl_error *err)
{
    bool *wanted = calloc(r->set.n_subjects + 1, sizeof *wanted);
    int code = wanted ? KL_OK : kl_fail_memory(err, r->set.n_subjects * sizeof *wanted);
    for (size_t k = 0; k < r->n_models && !code && !r->models[k].fitted; k++)
        code = refit_own(r, k, wanted, err);
    free(wanted);
    for (size_t k = 0; k < r->n_models && !r->transductive; k++)
        r->transductive = kl_sequence_learned_transductive(&r->models[k]);
    if (code || !r->transductive) return code;
    if (!(r->own_n = calloc(r->n_people + 1, sizeof *r->own_n)))
        return kl_fail_memory(err, r->n_people * sizeof *r->own_n);
    for (size_t i = 0; i < r->set.n; i++) {
        const char *name = r->set.subject_names[r->set.subject[i]];
        const char **found = bsearch(&name, r->people, r->n_people, sizeof name, by_name);
        if (found) r->own_n[found - r->people]++;
    }
    return KL_OK;
}

int kl_sequence_report_open(struct kl_sequence_report *r, struct kl_error *err)
{
    r->models = calloc(r->n_models + 1, sizeof *r->models);
    if (!r->models) return kl_fail_memory(err, r->n_models * sizeof *r->models);
    int code = KL_OK;
    for (size_t k = 0; k < r->n_models && !code; k++) code = open_model(r, k, err);
    if (!code) code = check_models(r, err);
    if (!code) code = kl_sequence_set_open(&r->set, r->window_files, r->n_windows, err);
    for (size_t k = 0; k < r->n_models && !code; k++) {
        size_t trained = 0;
        code = check_windows(r, k, err);
        r->leak |= r->models[k].leak;
        for (size_t i = 0; i < r->models[k].n; i++) trained += r->models[k].part[i] == KL_SEQUENCE_TRAIN;
        r->train_windows += r->models[k].fitted ? r->models[k].fitted->n_fitted : trained;
    }
    r->train_windows /= r->n_models;
    r->replicas = r->models[0].replicas, r->classes = r->set.n_classes, r->channels = r->set.channels;
    if (!code) code = take_tested(r, err);
    if (!code) code = kl_sequence_report_check_copies(r, err);
    if (!code) code = take_people(r, err);
    return code ? code : take_own(r, err);
}

/* ---- all windows, for predictions ---- */

/* Windows [first, first + n) of a file that the model may not know. Those that it has learnt from, by
   their file, numbers or names, are marked. */
static int mark_seen(bool *seen, const struct kl_sequence_report *r, const struct kl_sequence_learned *m,
                     const struct kl_sequence_digest *known, size_t n_known, size_t first, size_t n,
                     int64_t place, struct kl_error *err)
{
    bool named = false, same;
    for (size_t i = first; i < first + n; i++) {
        if (place >= 0) {
            const int32_t part = m->part[(size_t)place + i - first];
            seen[i] |= part == KL_SEQUENCE_TRAIN || part == KL_SEQUENCE_VALIDATION;
            continue;
        }
        if (!is_again(r, first, i)) named = is_known(r, m, i, &same);
        seen[i] |= named;
        const float *x = !seen[i] && n_known ? kl_sequence_set_window(&r->set, i, err) : NULL;
        if (!x && !seen[i] && n_known) return err->code;
        if (x)
            seen[i] =
                kl_sequence_digests_find(
                    known, n_known, kl_sequence_window_digest(x, r->set.channels, r->set.steps)) != NULL;
    }
    return KL_OK;
}

/* Of model k. */
static int take_all(struct kl_sequence_report *r, size_t k, bool *seen, struct kl_error *err)
{
    const struct kl_sequence_learned *m = &r->models[k];
    struct kl_sequence_digest *known = malloc((m->n + 1) * sizeof *known);
    const size_t n_known = known ? kl_sequence_digests_known(known, m) : 0;
    int code = known ? KL_OK : kl_fail_memory(err, m->n * sizeof *known);
    for (size_t f = 0, first = 0; f < r->n_windows && !code; f++) {
        const size_t n = kl_store_file_find(r->window_files[f], "x")->rows;
        size_t listed = n;
        int64_t place = place_of_file(m, kl_store_file_content(r->window_files[f]), &listed);
        if (listed != n) place = UNKNOWN;
        for (size_t i = first; i < first + n; i++)
            r->tested[r->n++] = (struct kl_sequence_tested){ i, (int32_t)k, (int32_t)f, place < 0 };
        code = mark_seen(seen, r, m, known, n_known, first, n, place, err);
        first += n;
    }
    free(known);
    return code;
}

int kl_sequence_report_open_all(struct kl_sequence_report *r, struct kl_error *err)
{
    int code = KL_OK;
    r->all = true;
    r->models = calloc(r->n_models + 1, sizeof *r->models);
    if (!r->models) return kl_fail_memory(err, r->n_models * sizeof *r->models);
    for (size_t k = 0; k < r->n_models && !code; k++) code = open_model(r, k, err);
    if (!code) code = check_models(r, err);
    if (!code) code = kl_sequence_set_open(&r->set, r->window_files, r->n_windows, err);
    for (size_t k = 0; k < r->n_models && !code; k++) code = check_windows(r, k, err);
    if (code) return code;
    r->replicas = r->models[0].replicas, r->classes = r->models[0].n_classes;
    r->channels = r->set.channels;
    bool *seen = calloc(r->set.n + 1, sizeof *seen);
    r->tested = malloc((r->set.n * r->n_models + 1) * sizeof *r->tested);
    if (!seen || !r->tested) code = kl_fail_memory(err, r->set.n * r->n_models * sizeof *r->tested);
    for (size_t k = 0; k < r->n_models && !code; k++) code = take_all(r, k, seen, err);
    for (size_t i = 0; i < r->set.n && !code; i++) r->seen += seen[i];
    free(seen);
    if (!code) code = take_people(r, err);
    for (size_t i = 0; i < r->n && !code; i++) r->labels[i] = 0;
    return code ? code : take_own(r, err);
}

void kl_sequence_report_close(struct kl_sequence_report *r)
{
    for (size_t k = 0; r->models && k < r->n_models; k++) kl_sequence_learned_close(&r->models[k]);
    kl_sequence_set_close(&r->set);
    free(r->models), free(r->chosen), free(r->tested), free(r->labels), free(r->person), free(r->people);
    free(r->logits), free(r->probabilities), free(r->importance);
    free(r->metrics), free(r->confusion), free(r->of_person), free(r->person_n), free(r->own_n);
}
