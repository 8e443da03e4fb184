/* SPDX-License-Identifier: MIT
   Options of qseq windows, and what it says of its work. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"
#include "store/store.h"

/* ---- options of `qseq windows`, and what they say of recordings ---- */

static const double MOST_SECONDS = 1e4;
#define AT(field) offsetof(struct kl_sequence_windows_values, field)
static const struct kl_option options[] = {
    { "rate", 0, KL_OPT_FLOAT, AT(rate), "HZ", 0, 1e6, true, "of the windows; 0: as recorded",
      "Windows of recordings", NULL },
    { "from", 0, KL_OPT_FLOAT, AT(from), "S", -1e4, 1e4, true,
      "seconds from the event to the first step", NULL, NULL },
    { "to", 0, KL_OPT_FLOAT, AT(to), "S", -1e4, 1e4, true, "to the last step", NULL, NULL },
    { "band", 0, KL_OPT_STRING, AT(band), "LO:HI", 0, 0, true, "Hz that pass; one end may be left out",
      NULL, NULL },
    { "notch", 0, KL_OPT_FLOAT, AT(notch), "HZ", 0, 1e6, true,
      "of the mains, which is taken out; 0: not", NULL, NULL },
    { "reference", 0, KL_OPT_CHOICE, AT(reference), "none|average", 0, 0, true,
      "what is taken from each channel", NULL, NULL },
    { "baseline", 0, KL_OPT_STRING, AT(baseline), "FROM:TO", 0, 0, true,
      "seconds from the event whose mean is taken off; ':': all of the window", NULL, NULL },
    { "chunk-duration", 0, KL_OPT_STRING, AT(chunk), "S", 0, 0, true,
      "a window every S seconds of an annotation (hypnograms)", NULL, NULL },
    { "reject", 0, KL_OPT_FLOAT, AT(reject), "UV", 0, 1e12, true,
      "drop windows with more from peak to peak; 0: none", NULL, NULL },
    { "channels", 0, KL_OPT_STRING, AT(channels), "LIST", 0, 0, true,
      "names; else the first recording's EEG; of an array: its names", NULL, NULL },
    { "gaps", 0, KL_OPT_CHOICE, AT(gaps), "refuse|split", 0, 0, true, "recordings that were interrupted",
      NULL, NULL },
    { "unit", 0, KL_OPT_CHOICE, AT(unit), "none|nV|uV|mV|V", 0, 0, true,
      "of channels whose unit is not known; of an array", NULL, NULL },
    { "task", 0, KL_OPT_CHOICE, AT(task), "auto|" KL_SEQUENCE_TASKS, 0, 0, true,
      "of eegmmidb's runs, which say what T1 and T2 are", "Labels and people", NULL },
    { "labels", 0, KL_OPT_STRING, AT(labels), "TEXT=CLASS,...", 0, 0, true,
      "of other recordings' annotations; \"a, b\"=CLASS; TEXT,...: no labels", NULL, NULL },
    { "subject", 0, KL_OPT_STRING, AT(subject), "NAME", 0, 0, true,
      "of all inputs; else by S001R04.edf or sub-01_*.edf", NULL, NULL },
    { "exclude", 0, KL_OPT_STRING, AT(exclude), "LIST", 0, 0, true,
      "people whose recordings are left out", NULL, NULL },
    { "labels-of", 0, KL_OPT_STRING, AT(y), "ARRAY", 0, 0, false,
      "the classes, numbers or texts: FILE.npy, or a dataset", "Arrays", NULL },
    { "subjects-of", 0, KL_OPT_STRING, AT(subjects), "ARRAY", 0, 0, false, "the people, likewise", NULL,
      NULL },
    { "recordings-of", 0, KL_OPT_STRING, AT(recordings), "ARRAY", 0, 0, false,
      "the recordings; else one a person", NULL, NULL },
    { "classes", 0, KL_OPT_STRING, AT(classes), "LIST", 0, 0, true,
      "names of the classes, by rising number", NULL, NULL },
    { "limit", 0, KL_OPT_INT, AT(limit), "N", 0, 1e6, true, "of images: the first so many; 0: all", NULL,
      NULL },
    { "array-rate", 0, KL_OPT_FLOAT, AT(array_rate), "HZ", 0, 1e9, true, "of arrays; 0: unknown", NULL,
      NULL },
};
const struct kl_tool kl_sequence_windows_tool = {
    .name = "qseq",
    .summary = "Cuts labelled windows out of recordings (EDF, BDF, BrainVision), or takes them\n"
               "from arrays, images (IDX) and DNA sequences (promoters.data of UCI)",
    .arguments = "windows RECORDING... [EVENTS...] -o S001.h5",
    .example = "qseq windows S001R04.edf S001R08.edf S001R12.edf -o S001.h5\n"
               "  qseq windows a.bdf --labels 1=go,2=stop --band 8:30 -o a.h5\n"
               "  qseq windows x.npy --labels-of y.npy --array-rate 128 -o x.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_sequence_windows_values),
    .without = "seed device",
    .chosen_by = "windows",
};

void kl_sequence_windows_default(void *values)
{
    struct kl_sequence_windows_values *v = values;
    v->rate = 80, v->from = 1, v->to = 4.1;
    v->reference = "none", v->gaps = "refuse", v->unit = "none", v->task = "auto";
}

/* ---- lists ---- */
void kl_sequence_words_free(char **words, size_t n)
{
    for (size_t i = 0; i < n && words; i++) free(words[i]);
    free(words);
}

/* A word up to `stop` or the end, in place; one in quotes may hold it, "" stands for a quote there.
 *rest: the stop that follows, or the end; NULL: a quote is not closed, or something follows it. */
char *kl_sequence_word(char **rest, char *at, char stop)
{
    char *to = at, *word = at;
    if (*at != '"') return *rest = strchrnul(at, stop), word;
    for (at++; *at && (*at != '"' || at[1] == '"'); at++) at += *at == '"', *to++ = *at;
    *rest = *at == '"' && (!at[1] || at[1] == stop) ? at + 1 : NULL;
    *to = '\0';
    return word;
}

int kl_sequence_words(char ***words, size_t *n, const char *option, const char *text,
                      struct kl_error *err)
{
    size_t count = 1;
    for (const char *at = text; *at; at++) count += *at == ',';
    char *copy = strdup(text), *rest = copy;
    *n = 0;
    *words = calloc(count, sizeof **words);
    int code = *words && copy ? 0 : kl_fail_memory(err, count * sizeof **words + strlen(text));
    for (char *at = copy; !code; at = rest + 1) {
        char *word = kl_sequence_word(&rest, at, ',');
        const bool last = rest && !*rest;
        if (rest) *rest = '\0';
        if (!rest) code = kl_fail(err, KL_EUSAGE, "%s: a quote is not closed in '%s'", option, text);
        else if (!*word) code = kl_fail(err, KL_EUSAGE, "%s: an empty name in '%s'", option, text);
        else if (!((*words)[*n] = strdup(word))) code = kl_fail_memory(err, strlen(word));
        else (*n)++;
        if (last) break;
    }
    free(copy);
    return code;
}

/* ---- what is done ---- */
/* "LO:HI", either of which may be missing, which gives what `low` and `high` were. */
static int range(double *low, double *high, const char *option, const char *text, struct kl_error *err)
{
    char *end;
    const char *colon = strchr(text, ':');
    double values[2] = { *low, *high };
    for (int i = 0; i < 2 && colon; i++) {
        const char *at = i ? colon + 1 : text;
        if (*at == (i ? 0 : ':')) continue;
        errno = 0, values[i] = strtod(at, &end);
        if (end == at || *end != (i ? 0 : ':') || errno || !isfinite(values[i])) colon = NULL;
    }
    if (!colon)
        return kl_fail(err, KL_EUSAGE, "%s: found '%s', expected two numbers, LO:HI", option, text);
    *low = values[0], *high = values[1];
    return 0;
}

/* NaN: it is none. */
static double number(const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    return end != text && !*end ? value : NAN;
}

static double volts(const char *unit)
{
    static const double all[] = { 0, 1e-9, 1e-6, 1e-3, 1 };
    return all[kl_choice("none|nV|uV|mV|V", unit)];
}

static int check_cut(const struct kl_sequence_cut *c, const struct kl_sequence_windows_values *v,
                     struct kl_error *err)
{
    if (v->from > v->to)
        return kl_fail(err, KL_EUSAGE, "--from %g: expected at most --to, %g", v->from, v->to);
    if (v->band && (!(c->low >= 0) || !(c->high >= 0) || (c->high > 0 && c->low >= c->high) ||
                    (c->low == 0 && c->high == 0)))
        return kl_fail(err, KL_EUSAGE, "--band: found '%s', expected 0 <= LO < HI, in Hz", v->band);
    if (v->baseline && !(c->baseline_from <= c->baseline_to && fabs(c->baseline_from) <= MOST_SECONDS &&
                         fabs(c->baseline_to) <= MOST_SECONDS))
        return kl_fail(err, KL_EUSAGE,
                       "--baseline: found '%s', expected FROM <= TO, seconds from the event",
                       v->baseline);
    if (v->chunk && !(c->chunk >= 1e-3 && c->chunk <= MOST_SECONDS))
        return kl_fail(err, KL_EUSAGE, "--chunk-duration: found '%s', expected seconds, 0.001 or more",
                       v->chunk);
    if (v->labels && strcmp(v->task, "auto"))
        return kl_fail(err, KL_EUSAGE, "--task: with --labels there is no task of a run");
    return 0;
}

int kl_sequence_cut_of(struct kl_sequence_cut *c, const struct kl_sequence_windows_values *v,
                       struct kl_error *err)
{
    *c = (struct kl_sequence_cut){ .rate = v->rate,
                                   .from = v->from,
                                   .to = v->to,
                                   .notch = v->notch,
                                   .average = strcmp(v->reference, "average") == 0,
                                   .baseline = v->baseline,
                                   .baseline_from = v->from,
                                   .baseline_to = v->to,
                                   .reject = v->reject,
                                   .split = strcmp(v->gaps, "split") == 0,
                                   .chunk = v->chunk ? number(v->chunk) : 0,
                                   .unit = volts(v->unit) };
    int code = v->band ? range(&c->low, &c->high, "--band", v->band, err) : 0;
    if (!code && v->baseline)
        code = range(&c->baseline_from, &c->baseline_to, "--baseline", v->baseline, err);
    if (!code) code = check_cut(c, v, err);
    if (!code && v->channels)
        code = kl_sequence_words(&c->channels, &c->n_channels, "--channels", v->channels, err);
    return code;
}

void kl_sequence_cut_free(struct kl_sequence_cut *c)
{
    kl_sequence_words_free(c->channels, c->n_channels);
    c->channels = NULL;
}

/* ---- tell ----
   What `qseq windows` says of its work: a line, or an object with every recording and every count. */

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

void kl_sequence_windows_words(FILE *to, const struct kl_stage *stage,
                               const struct kl_sequence_collection *c, const char *const *classes,
                               size_t n_classes, const char *rule)
{
    fprintf(to, "%s: %zu window%s of %zu channel%s and %zu step%s", stage->common->output, c->n,
            kl_s(c->n), c->channels, kl_s(c->channels), c->steps, kl_s(c->steps));
    if (c->rate > 0) fprintf(to, " at %g Hz", c->rate);
    for (size_t k = 0; k < n_classes; k++)
        fprintf(to, "%s %zu %s", k ? "," : ":", of_class(c, k), classes[k]);
    if (rule && !n_classes) fputs(" (without labels)", to);
    else if (rule) fputs(strcmp(rule, "labels") ? " (T1, T2 by eegmmidb's runs)" : " (by --labels)", to);
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
        if (!one) code = err->code;
        else if (json_array_append_new(recordings, one)) code = kl_fail_memory(err, 256);
    }
    for (size_t k = 0; k < n_classes && !code; k++) {
        json_t *name = NULL;
        code = kl_json_string(&name, classes[k], err);
        if (!code && json_array_append_new(names, json_pack("{s:o,s:I}", "name", name, "windows",
                                                            (json_int_t)of_class(c, k))))
            code = kl_fail_memory(err, 64);
    }
    int bad = json_object_set_new(all, "classes", names);
    bad |= json_object_set_new(all, "recordings", recordings);
    return bad && !code ? kl_fail_memory(err, 64) : code;
}

int kl_sequence_windows_json(const struct kl_mode_run *run, FILE *to,
                             const struct kl_sequence_collection *c, const char *const *classes,
                             size_t n_classes, const char *rule,
                             const struct kl_sequence_origin *sources, size_t n_sources,
                             struct kl_error *err)
{
    json_t *all = json_object();
    int bad = 0;
    bad |= json_object_set_new(all, "windows", json_integer((json_int_t)c->n));
    bad |= json_object_set_new(all, "channels", json_integer((json_int_t)c->channels));
    bad |= json_object_set_new(all, "steps", json_integer((json_int_t)c->steps));
    bad |= json_object_set_new(all, "rate", json_real(c->rate));
    bad |= json_object_set_new(all, "subjects", json_integer((json_int_t)c->n_subjects));
    bad |= json_object_set_new(all, "dropped", count_json(&c->count));
    bad |= json_object_set_new(all, "reach", reach_json(&c->count));
    bad |= json_object_set_new(all, "flat", json_integer((json_int_t)c->alike.flat));
    bad |= json_object_set_new(all, "equal", json_integer((json_int_t)c->alike.equal));
    bad |= json_object_set_new(all, "other_annotations", json_integer((json_int_t)c->count.other));
    bad |= json_object_set_new(all, "label_rule", rule ? json_string(rule) : json_null());
    int code = lists_json(all, c, classes, n_classes, sources, n_sources, err);
    bad |= json_object_set_new(all, "seconds", json_real(kl_clock() - run->stage.start));
    if (bad && !code) code = kl_fail_memory(err, 256);
    if (!code) return kl_store_mode_json_object(run, to, all, err);
    json_decref(all);
    return code;
}
