/* SPDX-License-Identifier: MIT
   What `qseq windows` says of its work: a line, or an object with every recording and every count. */
#include <jansson.h>
#include <string.h>

#include "sequence/windows/windows_int.h"
#include "store/store.h"

static void tell_dropped(FILE *to, const struct kl_sequence_count *c)
{
    const struct {
        size_t n;
        const char *words;
    } all[] = { { c->outside, "outside their recording" },
                { c->gap, "across a gap" },
                { c->rejected, "above --reject" },
                { c->repeated, "annotated twice" },
                { c->brief, "shorter than a chunk" } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].n) fprintf(to, "; %zu %s dropped", all[i].n, all[i].words);
}

static size_t of_class(const struct kl_sequence_collection *c, size_t class)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) n += c->labels[i] == (int32_t) class;
    return n;
}

static void tell_line(FILE *to, const struct kl_stage *stage, const struct kl_sequence_collection *c,
                      const char *const *classes, size_t n_classes, const char *rule)
{
    fprintf(to, "%s: %zu window%s of %zu channel%s and %zu step%s", stage->common->output, c->n,
            kl_s(c->n), c->channels, kl_s(c->channels), c->steps, kl_s(c->steps));
    if (c->rate > 0) fprintf(to, " at %g Hz", c->rate);
    for (size_t k = 0; k < n_classes; k++)
        fprintf(to, "%s %zu %s", k ? "," : ":", of_class(c, k), classes[k]);
    if (rule) fputs(strcmp(rule, "labels") ? " (T1, T2 by eegmmidb's runs)" : " (by --labels)", to);
    fprintf(to, "; %zu recording%s of %zu %s", c->n_recordings, kl_s(c->n_recordings), c->n_subjects,
            c->n_subjects == 1 ? "person" : "people");
    tell_dropped(to, &c->count);
    if (c->count.other) fprintf(to, "; %zu other annotation%s", c->count.other, kl_s(c->count.other));
    fprintf(to, "; %.2f s\n", kl_clock() - stage->start);
}

/* ---- JSON ---- */
static json_t *count_json(const struct kl_sequence_count *c)
{
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "outside", (json_int_t)c->outside, "gap",
                     (json_int_t)c->gap, "rejected", (json_int_t)c->rejected, "repeated",
                     (json_int_t)c->repeated, "brief", (json_int_t)c->brief);
}

/* Windows by how far they reach. */
static json_t *reach_json(const struct kl_sequence_count *c)
{
    return json_pack("{s:I,s:I,s:I}", "beyond", (json_int_t)c->beyond, "next", (json_int_t)c->next,
                     "previous", (json_int_t)c->previous);
}

/* The file that events are read from; null: the recording's own. */
static int events_json(json_t **to, const struct kl_sequence_origin *s, struct kl_error *err)
{
    const char *path = s->beside[KL_SEQUENCE_EVENTS];
    if (path) return kl_json_string(to, path, err);
    *to = json_null();
    return 0;
}

static json_t *source_json(const struct kl_sequence_origin *s, struct kl_error *err)
{
    json_t *path = NULL, *events = NULL, *object = NULL;
    int code = kl_json_string(&path, s->path, err);
    if (!code) code = events_json(&events, s, err);
    if (!code && s->skipped)
        object = json_pack("{s:O,s:s,s:s,s:s}", "file", path, "recording", s->name.recording, "subject",
                           s->name.subject, "skipped", s->skipped);
    else if (!code)
        object =
            json_pack("{s:O,s:s,s:s,s:n,s:O,s:f,s:f,s:I,s:I,s:o,s:o,s:I}", "file", path, "recording",
                      s->name.recording, "subject", s->name.subject, "skipped", "events", events, "rate",
                      s->rate, "seconds", s->seconds, "gaps", (json_int_t)s->gaps, "windows",
                      (json_int_t)s->count.windows, "dropped", count_json(&s->count), "reach",
                      reach_json(&s->count), "other_annotations", (json_int_t)s->count.other);
    json_decref(path), json_decref(events);
    if (!code && !object) kl_fail_memory(err, 1024);
    return object;
}

static int lists_json(json_t *all, const struct kl_sequence_collection *c, const char *const *classes,
                      size_t n_classes, const struct kl_sequence_origin *sources, size_t n_sources,
                      struct kl_error *err)
{
    json_t *recordings = json_array(), *names = json_array();
    int code = 0;
    for (size_t i = 0; i < n_sources && !code; i++) {
        json_t *one = source_json(&sources[i], err);
        code = one && !json_array_append_new(recordings, one) ? 0 : KL_ENOMEM;
    }
    for (size_t k = 0; k < n_classes && !code; k++) {
        json_t *name = NULL;
        code = kl_json_string(&name, classes[k], err);
        if (!code)
            json_array_append_new(
                names, json_pack("{s:o,s:I}", "name", name, "windows", (json_int_t)of_class(c, k)));
    }
    json_object_set_new(all, "classes", names);
    json_object_set_new(all, "recordings", recordings);
    return code;
}

static int tell_json(FILE *to, const struct kl_stage *stage, const struct kl_sequence_collection *c,
                     const char *const *classes, size_t n_classes, const char *rule,
                     const struct kl_sequence_origin *sources, size_t n_sources, struct kl_error *err)
{
    json_t *all = json_object(), *cautions = NULL, *output = NULL;
    char *line = NULL;
    int code = kl_json_lines(&cautions, kl_caution_lines(stage->log), err);
    if (!code) code = kl_json_string(&output, stage->common->output, err);
    json_object_set_new(all, "output", output);
    json_object_set_new(all, "key", json_string(stage->key));
    json_object_set_new(all, "status", json_string("computed"));
    json_object_set_new(all, "windows", json_integer((json_int_t)c->n));
    json_object_set_new(all, "channels", json_integer((json_int_t)c->channels));
    json_object_set_new(all, "steps", json_integer((json_int_t)c->steps));
    json_object_set_new(all, "rate", json_real(c->rate));
    json_object_set_new(all, "subjects", json_integer((json_int_t)c->n_subjects));
    json_object_set_new(all, "dropped", count_json(&c->count));
    json_object_set_new(all, "reach", reach_json(&c->count));
    json_object_set_new(all, "flat", json_integer((json_int_t)c->alike.flat));
    json_object_set_new(all, "equal", json_integer((json_int_t)c->alike.equal));
    json_object_set_new(all, "other_annotations", json_integer((json_int_t)c->count.other));
    json_object_set_new(all, "label_rule", rule ? json_string(rule) : json_null());
    if (!code) code = lists_json(all, c, classes, n_classes, sources, n_sources, err);
    json_object_set_new(all, "seconds", json_real(kl_clock() - stage->start));
    json_object_set_new(all, "cautions", cautions);
    if (!code)
        code = kl_json_dump_as(&line, all, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6),
                               err);
    if (!code) fprintf(to, "%s\n", line);
    free(line);
    json_decref(all);
    return code;
}

int kl_sequence_windows_tell(FILE *to, const struct kl_stage *stage,
                             const struct kl_sequence_collection *c, const char *const *classes,
                             size_t n_classes, const char *rule,
                             const struct kl_sequence_origin *sources, size_t n_sources,
                             struct kl_error *err)
{
    if (stage->common->json)
        return tell_json(to, stage, c, classes, n_classes, rule, sources, n_sources, err);
    if (!stage->common->quiet) tell_line(to, stage, c, classes, n_classes, rule);
    return 0;
}
