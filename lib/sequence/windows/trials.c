/* SPDX-License-Identifier: MIT
   The labelled events of a recording: what an annotation means, and how far windows reach. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sequence/windows/windows_int.h"

/* ---- eegmmidb (Schalk et al. 2004, doi:10.1109/TBME.2004.827072; physionet.org/content/eegmmidb) ----
 */
static const struct {
    const char *words, *classes[2];
} tasks[] = {
    { "executed left or right fist", { "executed left fist", "executed right fist" } },
    { "imagined left or right fist", { "imagined left fist", "imagined right fist" } },
    { "executed both fists or feet", { "executed both fists", "executed both feet" } },
    { "imagined both fists or feet", { "imagined both fists", "imagined both feet" } },
};

int kl_sequence_task_of_run(int run)
{
    if (run == 1 || run == 2) return KL_SEQUENCE_BASELINE;
    return run >= 3 && run <= 14 ? (run - 3) % 4 : KL_SEQUENCE_NO_RUN;
}

const char *kl_sequence_task_words(int task)
{
    return task >= 0 ? tasks[task].words : task == KL_SEQUENCE_BASELINE ? "a baseline" : "no run";
}

void kl_sequence_labels_of_task(struct kl_sequence_labels *l, int task)
{
    *l = (struct kl_sequence_labels){ .texts = { "T1", "T2" },
                                      .classes = { 0, 1 },
                                      .n = 2,
                                      .n_classes = 2,
                                      .rule = "eegmmidb",
                                      .names = { tasks[task].classes[0], tasks[task].classes[1] } };
}

/* ---- TEXT=CLASS,... ---- */
static int add(struct kl_sequence_labels *l, char *text, char *class, struct kl_error *err)
{
    if (l->n == KL_SEQUENCE_CLASSES)
        return kl_fail(err, KL_EUSAGE, "--labels: more than %d texts", KL_SEQUENCE_CLASSES);
    if (kl_sequence_label_of(l, text) >= 0)
        return kl_fail(err, KL_EUSAGE, "--labels: '%s' stands twice", text);
    if (l->n && !class != !l->n_classes)
        return kl_fail(err, KL_EUSAGE,
                       "--labels: '%s' has %s class, others have %s; all have one, or none has: windows "
                       "without labels, to be predicted",
                       text, class ? "a" : "no", class ? "none" : "one");
    size_t k = 0;
    while (class && k < l->n_classes && strcmp(l->names[k], class)) k++;
    if (class && k == l->n_classes) l->names[l->n_classes++] = class;
    l->texts[l->n] = text, l->classes[l->n++] = (int32_t)k;
    return 0;
}

/* TEXT=CLASS, or TEXT alone, at `at`; without quotes the last = before the comma counts. *rest: what
   follows, NULL: the last. */
static int read_pair(struct kl_sequence_labels *l, char **rest, char *at, struct kl_error *err)
{
    char *text = at, *class = NULL, *end = at;
    if (*at == '"') {
        kl_sequence_word(&end, at, '=');
        if (end && *end) class = end + 1;
    } else {
        char *comma = strchrnul(at, ',');
        class = memrchr(at, '=', (size_t)(comma - at));
        if (!class && comma > at) { /* a text alone */
            *rest = *comma ? comma + 1 + strspn(comma + 1, " ") : NULL;
            *comma = '\0';
            return add(l, text, NULL, err);
        }
        end = class, class = class ? class + 1 : NULL;
    }
    if (class) *end = '\0', class = kl_sequence_word(&end, class, ',');
    if (!class || !end || !*text || !*class) {
        *strchrnul(at, ',') = '\0';
        return kl_fail(err, KL_EUSAGE,
                       "--labels: found '%s', expected TEXT=CLASS, or TEXT for windows without labels; "
                       "what has commas stands in double quotes",
                       at);
    }
    *rest = *end ? end + 1 + strspn(end + 1, " ") : NULL;
    *end = '\0';
    return add(l, text, class, err);
}

int kl_sequence_labels_parse(struct kl_sequence_labels *l, const char *text, struct kl_error *err)
{
    int code = 0;
    *l = (struct kl_sequence_labels){ .text = strdup(text), .rule = "labels" };
    if (!l->text) return kl_fail_memory(err, strlen(text));
    for (char *at = l->text; at && !code;) code = read_pair(l, &at, at, err);
    return code;
}

void kl_sequence_labels_free(struct kl_sequence_labels *l)
{
    free(l->text);
    *l = (struct kl_sequence_labels){ 0 };
}

int32_t kl_sequence_label_of(const struct kl_sequence_labels *l, const char *text)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->texts[i], text) == 0) return l->classes[i];
    return -1;
}

/* ---- names ---- */
/* S, three digits, R, two digits, .edf: other names can end like one and mean something else. */
static int run_of(const char *base)
{
    const char *form = "S000R00.edf";
    for (size_t i = 0; form[i] || base[i]; i++)
        if (form[i] == '0' ? !isdigit((unsigned char)base[i])
            : i < 7        ? base[i] != form[i]
                           : tolower((unsigned char)base[i]) != form[i])
            return 0;
    return 10 * (base[5] - '0') + base[6] - '0';
}

/* Length of BIDS' first entity, sub-LABEL of letters and digits, at the begin of a name (Gorgolewski et
   al. 2016, doi:10.1038/sdata.2016.44); 0: it is none. */
static size_t entity_of(const char *name)
{
    size_t n = strlen("sub-");
    if (strncmp(name, "sub-", n)) return 0;
    while (isalnum((unsigned char)name[n])) n++;
    return n > strlen("sub-") && (name[n] == '_' || !name[n]) ? n : 0;
}

void kl_sequence_name_of(struct kl_sequence_name *name, const char *path)
{
    const char *last = strrchr(path, '/'), *base = last ? last + 1 : path, *dot = strrchr(base, '.');
    const size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    *name = (struct kl_sequence_name){ .run = run_of(base) };
    snprintf(name->recording, sizeof name->recording, "%.*s", (int)n, base);
    kl_make_printable(name->recording);
    memcpy(name->subject, name->recording, sizeof name->subject);
    const size_t entity = entity_of(name->subject);
    if (entity) {
        name->subject[entity] = 0, name->says_whose = true;
        return;
    }
    char *r = strrchr(name->subject, 'R');
    if (!r || r == name->subject || !r[1] || strlen(r + 1) > 6) return; /* more digits are no run */
    name->says_whose = strspn(r + 1, "0123456789") == strlen(r + 1);
    if (name->says_whose) *r = 0;
}

/* ---- trials ----
   The labelled events of a recording, each once, and how far their windows reach: beyond the end of the
   annotation, into the next labelled one, back into one before. */

/* More than a step, so that rounding is none: a window of 4.1 s fits an annotation of 4.1 s. */
static const double BARELY = 1.01;

/* How many windows an annotation has. */
static size_t count_chunks(const struct kl_sequence_annotation *a, const struct kl_sequence_cut *cut)
{
    if (!(cut->chunk > 0)) return 1;
    const double n = floor(a->duration / cut->chunk * (1 + 1e-12) + 1e-9);
    return n < 1e7 ? (size_t)n : (size_t)1e7;
}

static int take(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut,
                struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_annotations; i++)
        if (kl_sequence_label_of(labels, r->annotations[i].text) >= 0)
            n += count_chunks(&r->annotations[i], cut);
    t->list = calloc(n + 1, sizeof *t->list);
    if (!t->list) return kl_fail_memory(err, n * sizeof *t->list);
    for (size_t i = 0; i < r->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        const int32_t label = kl_sequence_label_of(labels, a->text);
        const size_t chunks = label < 0 ? 0 : count_chunks(a, cut);
        t->brief += label >= 0 && !chunks;
        for (size_t k = 0; k < chunks; k++)
            t->list[t->n++] =
                (struct kl_sequence_trial){ .onset = a->onset + (double)k * cut->chunk,
                                            .duration = cut->chunk > 0 ? cut->chunk : a->duration,
                                            .label = label,
                                            .text = a->text };
    }
    return 0;
}

static int by_onset(const void *a, const void *b)
{
    const struct kl_sequence_trial *x = a, *y = b;
    if (x->onset != y->onset) return x->onset < y->onset ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int fail_contrary(const struct kl_sequence_trial *a, const struct kl_sequence_trial *b,
                         const struct kl_sequence_labels *labels, const char *path, struct kl_error *err)
{
    return kl_fail(
        err, KL_EDATA,
        "%s: '%.60s' at %.6g s and '%.60s' at %.6g s are one event, and mean '%s' and '%s'; leave "
        "one of the texts out of --labels",
        path, a->text, a->onset, b->text, b->onset, labels->names[a->label], labels->names[b->label]);
}

/* Those within a step of the one before are that one. */
static int drop_repeated(struct kl_sequence_trials *t, const struct kl_sequence_labels *labels,
                         double step, const char *path, struct kl_error *err)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        struct kl_sequence_trial *last = kept ? &t->list[kept - 1] : NULL, *now = &t->list[i];
        if (!last || now->onset - last->onset >= step * (1 - 1e-6)) {
            t->list[kept++] = *now;
            continue;
        }
        if (last->label != now->label) return fail_contrary(last, now, labels, path, err);
        t->repeated++;
    }
    t->n = kept;
    return 0;
}

static void measure(struct kl_sequence_trials *t, const struct kl_sequence_cut *cut, double step)
{
    double end = -INFINITY; /* of the annotations before */
    for (size_t i = 0; i < t->n; i++) {
        struct kl_sequence_trial *now = &t->list[i];
        const double excess = cut->to - now->duration;
        if (now->duration > 0 && excess > BARELY * step) now->excess = excess;
        now->next = i + 1 < t->n && now->onset + cut->to - t->list[i + 1].onset > BARELY * step;
        now->previous = end - (now->onset + cut->from) > BARELY * step;
        end = fmax(end, now->onset + now->duration);
    }
}

/* Stretches that whoever looked at them calls bad, as MNE-Python has it: by how the text begins. */
static void find_bad(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                     const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut)
{
    for (size_t i = 0; i < r->n_annotations; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        if (strncasecmp(a->text, "bad", 3) || kl_sequence_label_of(labels, a->text) >= 0) continue;
        for (size_t k = 0; k < t->n; k++)
            t->list[k].bad |= t->list[k].onset + cut->from < a->onset + a->duration &&
                              t->list[k].onset + cut->to > a->onset;
    }
}

int kl_sequence_trials_find(struct kl_sequence_trials *t, const struct kl_sequence_recording *r,
                            const struct kl_sequence_labels *labels, const struct kl_sequence_cut *cut,
                            double rate, struct kl_error *err)
{
    *t = (struct kl_sequence_trials){ 0 };
    int code = take(t, r, labels, cut, err);
    if (code) return code;
    qsort(t->list, t->n, sizeof *t->list, by_onset);
    code = drop_repeated(t, labels, 1 / rate, r->path, err);
    if (code) return code;
    measure(t, cut, 1 / rate);
    find_bad(t, r, labels, cut);
    return 0;
}

void kl_sequence_trials_free(struct kl_sequence_trials *t)
{
    free(t->list);
    *t = (struct kl_sequence_trials){ 0 };
}
