/* SPDX-License-Identifier: MIT
   qseq inspect: what is in recordings, and what is wrong with them. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/recording/recording.h"
#include "sequence/recording/recording_int.h"
#include "store/mode.h"

/* ---- report ----
   The report of a recording, as JSON and in words: what is in it, and what is wrong with it. */

static double seconds(const struct kl_sequence_recording *r)
{
    return (double)r->n_records * r->record_seconds;
}

/* ---- annotations of one text ---- */
struct count {
    const char *text;
    size_t n;
};

static int by_text(const void *a, const void *b)
{
    const struct kl_sequence_annotation *const *x = a, *const *y = b;
    return strcmp((*x)->text, (*y)->text);
}

static int by_number(const void *a, const void *b)
{
    const struct count *x = a, *y = b;
    if (x->n != y->n) return x->n > y->n ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* *counts: of each text, the most frequent first; malloc'ed. */
static int count_texts(struct count **counts, size_t *n, const struct kl_sequence_recording *r,
                       struct kl_error *err)
{
    const struct kl_sequence_annotation **order = calloc(r->n_annotations + 1, sizeof(void *));
    *counts = calloc(r->n_annotations + 1, sizeof **counts);
    *n = 0;
    if (!order || !*counts) {
        free(order);
        return kl_fail_memory(err, r->n_annotations * sizeof **counts);
    }
    for (size_t i = 0; i < r->n_annotations; i++) order[i] = &r->annotations[i];
    qsort(order, r->n_annotations, sizeof *order, by_text);
    for (size_t i = 0; i < r->n_annotations; i++) {
        if (*n && strcmp((*counts)[*n - 1].text, order[i]->text) == 0) (*counts)[*n - 1].n++;
        else (*counts)[(*n)++] = (struct count){ order[i]->text, 1 };
    }
    qsort(*counts, *n, sizeof **counts, by_number);
    free(order);
    return KL_OK;
}

/* ---- JSON ---- */
static json_t *signals_json(const struct kl_sequence_recording *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n_signals && all; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        json_t *one = json_pack(
            "{s:s,s:s,s:s,s:s?,s:s,s:f,s:f,s:I,s:f,s:f,s:f,s:f,s:b}", "name", s->name, "label", s->label,
            "type", kl_sequence_type_name(s->type), "fault", s->fault, "unit", s->unit, "to_volts",
            s->to_volts, "rate", s->rate, "samples", (json_int_t)(s->per_record * r->n_records),
            "physical_min", s->physical_min, "physical_max", s->physical_max, "digital_min",
            s->digital_min, "digital_max", s->digital_max, "inverted", (int)s->inverted);
        if (json_array_append_new(all, one)) json_decref(all), all = NULL;
    }
    return all;
}

static json_t *annotations_json(const struct kl_sequence_recording *r, struct kl_error *err)
{
    struct count *counts = NULL;
    size_t n = 0;
    json_t *all = count_texts(&counts, &n, r, err) ? NULL : json_array();
    for (size_t i = 0; i < n && all; i++)
        if (json_array_append_new(
                all, json_pack("{s:s,s:I}", "text", counts[i].text, "count", (json_int_t)counts[i].n)))
            json_decref(all), all = NULL;
    free(counts);
    return all;
}

static json_t *gaps_json(const struct kl_sequence_recording *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n_gaps && all; i++)
        if (json_array_append_new(all,
                                  json_pack("{s:f,s:f}", "from", r->gaps[i].from, "to", r->gaps[i].to)))
            json_decref(all), all = NULL;
    return all;
}

/* Files that it was read from beside its own. */
static json_t *beside_json(const struct kl_sequence_recording *r, struct kl_error *err)
{
    static const char *const names[KL_SEQUENCE_BESIDE] = { "data", "markers", "events", "channels" };
    json_t *all = json_object();
    for (int i = 0; i < KL_SEQUENCE_BESIDE && all; i++) {
        json_t *path = NULL;
        if (r->beside[i] &&
            (kl_json_string(&path, r->beside[i], err) || json_object_set_new(all, names[i], path)))
            json_decref(all), all = NULL;
    }
    return all;
}

static json_t *remarks_json(const struct kl_sequence_recording *r)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n_remarks && all; i++)
        if (json_array_append_new(all, json_string(r->remarks[i]))) json_decref(all), all = NULL;
    return all;
}

int kl_sequence_recording_report(json_t **report, const struct kl_sequence_recording *r,
                                 struct kl_error *err)
{
    json_t *path = NULL, *signals = signals_json(r), *annotations = annotations_json(r, err),
           *gaps = gaps_json(r), *remarks = remarks_json(r), *beside = beside_json(r, err);
    const int code = kl_json_string(&path, r->path, err);
    *report = NULL;
    if (!code && signals && annotations && gaps && remarks && beside)
        *report = json_pack("{s:O,s:s,s:I,s:s?,s:I,s:f,s:f,s:b,s:O,s:O,s:O,s:O,s:O}", "file", path,
                            "format", kl_sequence_recording_format(r), "bytes", (json_int_t)r->bytes,
                            "start", *r->start ? r->start : NULL, "records", (json_int_t)r->n_records,
                            "record_seconds", r->record_seconds, "seconds", seconds(r), "discontinuous",
                            (int)r->discontinuous, "beside", beside, "gaps", gaps, "signals", signals,
                            "annotations", annotations, "remarks", remarks);
    json_decref(path), json_decref(signals), json_decref(annotations), json_decref(gaps),
        json_decref(remarks), json_decref(beside);
    return code ? code : *report ? KL_OK : kl_fail_memory(err, 4096);
}

/* ---- words ---- */
/* "64 signals at 160 Hz, 1 at 1 Hz": in the order in which rates come. */
static void tell_rates(FILE *to, const struct kl_sequence_recording *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n_signals; i++) {
        size_t n = 0, before = 0;
        for (size_t k = 0; k < r->n_signals; k++) {
            if (r->signals[k].per_record != r->signals[i].per_record) continue;
            n++, before += k < i;
        }
        if (before) continue;
        if (any) fprintf(to, ", %zu at %g Hz", n, r->signals[i].rate);
        else fprintf(to, "%zu signal%s at %g Hz", n, kl_s(n), r->signals[i].rate);
        any = true;
    }
    if (!any) fputs("no signals", to);
}

/* Annotations by text, of a few. */
static int tell_annotations(FILE *to, const struct kl_sequence_recording *r, struct kl_error *err)
{
    struct count *counts = NULL;
    size_t n = 0;
    const int code = r->n_annotations ? count_texts(&counts, &n, r, err) : KL_OK;
    if (n && r->beside[KL_SEQUENCE_EVENTS])
        fprintf(to, "  annotations of %s: ", r->beside[KL_SEQUENCE_EVENTS]);
    else if (n) fputs("  annotations: ", to);
    for (size_t i = 0; i < n && i < 8; i++)
        fprintf(to, "%s%zu %.60s", i ? ", " : "", counts[i].n, counts[i].text);
    if (n > 8) fprintf(to, ", %zu more texts", n - 8);
    if (n) fputc('\n', to);
    free(counts);
    return code;
}

/* As --channels of qseq windows takes them: what is EEG by its type, then the others. */
static void tell_channels(FILE *to, const struct kl_sequence_recording *r)
{
    bool any = false;
    for (size_t i = 0; i < r->n_signals; i++) {
        if (r->signals[i].type != KL_SEQUENCE_EEG) continue;
        fprintf(to, "%s%s", any ? "," : "  channels: ", r->signals[i].name), any = true;
    }
    if (any) fputc('\n', to);
    any = false;
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        if (s->type == KL_SEQUENCE_EEG) continue;
        fprintf(to, "%s%s (%s)", any ? ", " : "  no EEG: ", s->name, kl_sequence_type_name(s->type));
        any = true;
    }
    if (any) fputc('\n', to);
}

int kl_sequence_recording_tell(FILE *to, const struct kl_sequence_recording *r, struct kl_error *err)
{
    fprintf(to, "%s: %s, ", r->path, kl_sequence_recording_format(r));
    tell_rates(to, r);
    fprintf(to, ", %g s%s%s\n", seconds(r), *r->start ? ", from " : "", r->start);
    tell_channels(to, r);
    const int code = tell_annotations(to, r, err);
    for (size_t i = 0; i < r->n_gaps && i < 8; i++)
        fprintf(to, "%s%g to %g s", i ? ", " : "  no data from ", r->gaps[i].from, r->gaps[i].to);
    if (r->n_gaps > 8) fprintf(to, ", %zu more gaps", r->n_gaps - 8);
    if (r->n_gaps) fputc('\n', to);
    const char *trigger = kl_sequence_recording_trigger(r);
    if (trigger) fprintf(to, "  " KL_SEQUENCE_TRIGGER "\n", trigger);
    for (size_t i = 0; i < r->n_remarks; i++) fprintf(to, "  %s\n", r->remarks[i]);
    return code;
}

/* ---- `qseq inspect`: what is in recordings, and what is wrong with them. It keeps no file ---- */

struct values {
    struct kl_common common;
};
const struct kl_tool kl_sequence_inspect_tool = {
    .name = "qseq",
    .summary = "Says of each recording (EDF, EDF+, BDF, BDF+) its format, signals, rates, length, "
               "annotations, gaps and "
               "what is odd in it; exit status 65 where one cannot be read rightly",
    .arguments = "inspect RECORDING...",
    .example = "qseq inspect S001R04.edf\n  qseq inspect *.edf --json | jq -r '.remarks[]'",
    .values_size = sizeof(struct values),
    .without = "output store force dry-run key note no-provenance progress seed device threads",
    .chosen_by = "inspect",
};

static int print(FILE *to, const json_t *value, struct kl_error *err)
{
    char *text = NULL;
    const int code = kl_json_dump(&text, value, err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    return code;
}

static int tell_json(FILE *to, const struct kl_sequence_recording *r, struct kl_error *err)
{
    json_t *report = NULL;
    int code = kl_sequence_recording_report(&report, r, err);
    if (!code) code = print(to, report, err);
    json_decref(report);
    return code;
}

/* Of one that is refused: the line that says so. */
static int tell_refused(FILE *to, const char *path, const char *line, struct kl_error *err)
{
    json_t *name = NULL, *words = NULL;
    int code = kl_json_string(&name, path, err);
    if (!code) code = kl_json_string(&words, line, err);
    json_t *report = code ? NULL : json_pack("{s:O,s:O}", "file", name, "refused", words);
    if (!code) code = report ? print(to, report, err) : kl_fail_memory(err, 1024);
    json_decref(name), json_decref(words), json_decref(report);
    return code;
}

static int inspect(const struct kl_mode_run *run, const char *path, struct kl_error *err)
{
    const struct values *v = run->values;
    struct kl_sequence_recording r;
    int code = kl_sequence_recording_open(&r, path, err);
    if (!code && v->common.json) code = tell_json(run->out, &r, err);
    else if (!code && !v->common.quiet) code = kl_sequence_recording_tell(run->out, &r, err);
    kl_sequence_recording_close(&r);
    return code;
}

/* All are looked at, also behind one that is refused. */
static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_stage *stage = &run->stage;
    const struct values *v = run->values;
    const size_t n = stage->n_inputs;
    size_t refused = 0;
    int last = KL_OK;
    for (size_t i = 0; i < n; i++) {
        const int code = inspect(run, stage->inputs[i], err);
        if (!code) continue;
        if (code != KL_EDATA && code != KL_ENOINPUT) return code;
        refused++, last = code;
        struct kl_error other = { 0 };
        if (v->common.json && tell_refused(run->out, stage->inputs[i], err->text, &other)) {
            *err = other;
            return other.code;
        }
        if (n > 1) kl_note(stage->log, 0, "%s", err->text);
    }
    if (n == 1 || !refused) return last;
    return kl_fail(err, last, "%zu of %zu recordings cannot be read", refused, n);
}

const struct kl_mode kl_sequence_mode_inspect = { .tool = &kl_sequence_inspect_tool,
                                                  .run = run,
                                                  .keeps_nothing = true };
