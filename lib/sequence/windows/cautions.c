/* SPDX-License-Identifier: MIT
   What whoever reads windows should know: cautions that stay with the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sequence/windows/windows_int.h"
#include "stats/stats.h"

/* ---- alike ----
   Windows that hold nothing, or what another one holds: those that never move, and those that are equal
   number by number. */

struct digest {
    unsigned char bytes[16];
    size_t window;
};

static int by_digest(const void *a, const void *b)
{
    const struct digest *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, sizeof x->bytes);
    return order ? order : (x->window > y->window) - (x->window < y->window);
}

static bool is_still(const float *x, size_t steps)
{
    for (size_t t = 1; t < steps; t++)
        if (x[t] != x[0]) return false;
    return steps > 1;
}

/* ---- as they were recorded ---- */
/* Filters and a new rate leave ripples of what is beside it in a signal that stands still, so that it is
   looked for before them. */
void kl_sequence_trial_look(struct kl_sequence_trial *trial, const struct kl_sequence_cut *cut,
                            const double *x, size_t channels, size_t n, double rate, double start)
{
    const double event = (trial->onset - start) * rate,
                 first = fmax(nearbyint(event + cut->from * rate), 0),
                 end = fmin(nearbyint(event + cut->to * rate) + 1, (double)n);
    if (!(end - first > 1)) return;
    trial->still = 0;
    for (size_t i = channels; i-- > 0;) {
        const double *from = x + i * n + (size_t)first;
        size_t t = 1;
        while (t < (size_t)(end - first) && from[t] == from[0]) t++;
        if (t == (size_t)(end - first)) trial->still++, trial->first_still = i;
    }
}

void kl_sequence_trial_count(struct kl_sequence_collection *c, const struct kl_sequence_trial *trial)
{
    if (!trial->still) return;
    if (trial->still == c->channels) c->recorded.flat++;
    else if (!c->recorded.still++) c->recorded.first = trial->first_still;
}

/* ---- as they are ---- */
/* Channels that never move are counted; true: it is all of them. */
static bool look(struct kl_sequence_collection *c, size_t window)
{
    size_t still = 0, first = 0;
    for (size_t i = c->channels; i-- > 0;)
        if (is_still(c->x + (window * c->channels + i) * c->steps, c->steps)) still++, first = i;
    if (still == c->channels) return c->alike.flat++, true;
    if (still && !c->alike.still++) c->alike.first = first;
    return false;
}

/* Of windows of one digest, in order: the first of a run of equal ones, and each other one. */
static void compare(struct kl_sequence_collection *c, const struct digest *first,
                    const struct digest *other)
{
    const size_t each = c->channels * c->steps, a = first->window, b = other->window;
    if (memcmp(first->bytes, other->bytes, sizeof first->bytes) ||
        memcmp(c->x + a * each, c->x + b * each, each * sizeof *c->x))
        return;
    const bool contrary = c->labels[a] != c->labels[b];
    if (contrary ? !c->alike.contrary : !c->alike.equal) c->alike.a = a, c->alike.b = b;
    c->alike.equal++, c->alike.contrary += contrary;
}

int kl_sequence_collect_compare(struct kl_sequence_collection *c, struct kl_error *err)
{
    const size_t each = c->channels * c->steps;
    struct digest *all = malloc((c->n + 1) * sizeof *all);
    size_t n = 0;
    if (!all) return kl_fail_memory(err, c->n * sizeof *all);
    memset(&c->alike, 0, sizeof c->alike);
    for (size_t i = 0; i < c->n; i++) {
        if (look(c, i)) continue;
        kl_xxh128(all[n].bytes, c->x + i * each, each * sizeof *c->x);
        all[n++].window = i;
    }
    qsort(all, n, sizeof *all, by_digest);
    for (size_t i = 1, first = 0; i < n; i++) {
        if (memcmp(all[first].bytes, all[i].bytes, sizeof all->bytes)) first = i;
        else compare(c, &all[first], &all[i]);
    }
    free(all);
    if (c->recorded.still > c->alike.still)
        c->alike.still = c->recorded.still, c->alike.first = c->recorded.first;
    if (c->recorded.flat > c->alike.flat) c->alike.flat = c->recorded.flat;
    return 0;
}

/* ---- cautions ----
   What whoever reads the windows of recordings should know: cautions that stay with the file; and why no
   window is left. */

enum { LIST = 240, SHOWN = 8 };

/* ---- annotations ---- */
/* 'T0', 'T1', at most SHOWN of them, as long as there is room. */
struct list {
    char text[LIST];
    size_t used, n;
    const char *between;
};
static void show(struct list *l, const char *text)
{
    char begin[64];
    snprintf(begin, sizeof begin, "%s", text);
    kl_make_printable(begin); /* a character may be cut */
    if (l->n < SHOWN && l->used + strlen(begin) + 16 < sizeof l->text)
        l->used +=
            (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s'%s%s'",
                             l->n ? l->between : "", begin, strlen(text) < sizeof begin ? "" : "...");
    else if (l->n <= SHOWN) {
        snprintf(l->text + l->used, sizeof l->text - l->used, "%s...", l->n ? l->between : "");
        l->n = SHOWN;
    }
    l->n++;
}

struct missing {
    struct list missing, there;
    size_t n;            /* of the missing */
    const char *because; /* "": nothing looks wrong about them */
};
static void find_missing(struct missing *m, const struct kl_sequence_collection *c,
                         const struct kl_sequence_labels *labels)
{
    *m = (struct missing){ .missing.between = " or ", .there.between = ", ", .because = "" };
    for (size_t i = 0; i < labels->n; i++) {
        if (c->found[i]) continue;
        show(&m->missing, labels->texts[i]), m->n++;
        if (strpbrk(labels->texts[i], "=;"))
            m->because = "; commas separate one TEXT=CLASS from the next";
    }
    for (size_t i = 0; i < c->n_texts; i++) show(&m->there, c->texts[i]);
    if (!c->n_texts) snprintf(m->there.text, sizeof m->there.text, "none");
}

/* A class without windows; one of texts that no annotation has is told by those. */
static void caution_classes(const struct kl_log *log, const struct kl_sequence_collection *c,
                            const struct kl_sequence_labels *labels)
{
    const bool given = strcmp(labels->rule, "labels") == 0;
    struct missing m;
    find_missing(&m, c, labels);
    if (m.n && given)
        kl_caution(log, "--labels: no annotation is %s; there are %s%s", m.missing.text, m.there.text,
                   m.because);
    for (size_t k = 0; k < labels->n_classes; k++) {
        size_t n = 0;
        bool found = !given;
        for (size_t i = 0; i < c->n; i++) n += c->labels[i] == (int32_t)k;
        for (size_t i = 0; i < labels->n; i++)
            found = found || (labels->classes[i] == (int32_t)k && c->found[i]);
        if (!n && found) kl_caution(log, "class '%s' has no window", labels->names[k]);
    }
}

/* " (the least has 190 uV, the median 210 uV)": by it a limit can be chosen. Sorts. */
static void tell_rejected(char text[LIST], const struct kl_sequence_collection *c)
{
    const size_t n = c->n_rejected;
    *text = 0;
    if (!n) return;
    kl_stats_sort(c->rejected, n);
    snprintf(text, LIST, " (the least has %.4g uV, the median %.4g uV)", c->rejected[0],
             (c->rejected[(n - 1) / 2] + c->rejected[n / 2]) / 2);
}

static void caution_dropped(const struct kl_log *log, const struct kl_sequence_collection *c,
                            double reject)
{
    char sizes[LIST];
    size_t worst = 0;
    for (size_t i = 1; i < c->channels; i++)
        if (c->rejected_by[i] > c->rejected_by[worst]) worst = i;
    tell_rejected(sizes, c);
    if (c->count.rejected)
        kl_caution(
            log,
            "%zu window%s dropped, above %g uV from peak to peak%s; %zu of them by channel %s first",
            c->count.rejected, kl_s(c->count.rejected), reject, sizes, c->rejected_by[worst],
            c->channel_names[worst]);
    if (c->count.outside)
        kl_caution(log, "%zu window%s dropped, outside their recording", c->count.outside,
                   kl_s(c->count.outside));
    if (c->count.gap)
        kl_caution(log, "%zu window%s dropped, across a gap", c->count.gap, kl_s(c->count.gap));
}

/* Signals that no electrode on a head has. */
static void caution_size(const struct kl_log *log, const struct kl_sequence_collection *c)
{
    size_t small = 0, large = 0, first_small = 0, first_large = 0;
    const double values = (double)c->n * (double)c->steps;
    for (size_t i = c->channels; i-- > 0;) {
        const double rms = sqrt(c->square[i] / values);
        if (rms < 1) small++, first_small = i;
        if (rms > 1000) large++, first_large = i;
    }
    if (small)
        kl_caution(log, "%zu of %zu channels vary by less than 1 uV, the first is %s (%.3g uV)", small,
                   c->channels, c->channel_names[first_small], sqrt(c->square[first_small] / values));
    if (large)
        kl_caution(log, "%zu of %zu channels vary by more than 1 mV, the first is %s (%.3g uV)", large,
                   c->channels, c->channel_names[first_large], sqrt(c->square[first_large] / values));
}

/* ---- what windows are cut from ---- */
/* Of so many windows: how many reach beyond the end of their annotation, into the next labelled one. */
static void caution_reach(const struct kl_log *log, const struct kl_sequence_collection *c)
{
    const struct kl_sequence_count *n = &c->count;
    char length[64];
    if (c->least_duration < c->most_duration)
        snprintf(length, sizeof length, "%.4g to %.4g s", c->least_duration, c->most_duration);
    else snprintf(length, sizeof length, "%.4g s", c->most_duration);
    if (n->beyond)
        kl_caution(log,
                   "%zu of %zu windows reach up to %.3g s beyond the end of their annotation (%s)%s",
                   n->beyond, n->windows, c->excess, length, n->next ? "" : "; --to ends them earlier");
    if (n->next)
        kl_caution(log,
                   "%zu of %zu windows reach into the next labelled annotation; --to ends them earlier",
                   n->next, n->windows);
    if (n->previous)
        kl_caution(
            log,
            "%zu of %zu windows reach back into a labelled annotation before theirs; --from begins "
            "them later",
            n->previous, n->windows);
    if (n->bad)
        kl_caution(log,
                   "%zu of %zu windows overlap an annotation that begins with 'bad', and are kept; "
                   "MNE-Python would drop them",
                   n->bad, n->windows);
}

static void caution_events(const struct kl_log *log, const struct kl_sequence_collection *c)
{
    if (c->count.repeated)
        kl_caution(log, "%zu annotation%s of an event that is annotated already: one window each",
                   c->count.repeated, c->count.repeated == 1 ? " is" : "s are");
    if (c->count.brief)
        kl_caution(log, "%zu labelled annotation%s shorter than --chunk-duration: no window",
                   c->count.brief, c->count.brief == 1 ? " is" : "s are");
}

/* As MNE-Python warns of it. */
static void caution_filter(const struct kl_log *log, const struct kl_sequence_collection *c)
{
    if (c->brief.n)
        kl_caution(log,
                   "%s: %zu samples without a gap are shorter than a filter of %zu%s: what comes out is "
                   "mostly their ends turned over; a higher LO of --band has a shorter filter, a "
                   "--notch has not",
                   c->brief.path, c->brief.samples, c->brief.taps,
                   c->brief.n > 1 ? ", as others are" : "");
}

void kl_sequence_windows_caution_alike(const struct kl_log *log, const struct kl_sequence_collection *c)
{
    if (c->alike.flat)
        kl_caution(log, "%zu of %zu windows never move in any channel", c->alike.flat, c->n);
    if (c->alike.still)
        kl_caution(log, "%zu of %zu windows have a channel that never moves, the first is %s",
                   c->alike.still, c->n, c->channel_names[c->alike.first]);
    if (c->alike.contrary)
        kl_caution(log,
                   "%zu of %zu windows are equal to another one, number by number, %zu of another class",
                   c->alike.equal, c->n, c->alike.contrary);
    else if (c->alike.equal)
        kl_caution(log, "%zu of %zu windows are equal to another one, number by number", c->alike.equal,
                   c->n);
}

/* Equal but for blanks at the ends and for capitals of ASCII. */
static bool is_nearly(const char *a, const char *b)
{
    size_t n, m;
    a += strspn(a, " \t"), b += strspn(b, " \t");
    for (n = strlen(a); n && strchr(" \t", a[n - 1]);) n--;
    for (m = strlen(b); m && strchr(" \t", b[m - 1]);) m--;
    return n == m && strncasecmp(a, b, n) == 0;
}

void kl_sequence_windows_caution_names(const struct kl_log *log, const char *what,
                                       const char *const *names, size_t n)
{
    enum { MOST = 4096 }; /* of people; their pairs take milliseconds */
    for (size_t i = 0; i < n && n <= MOST; i++)
        for (size_t j = 0; j < i; j++) {
            if (!is_nearly(names[i], names[j])) continue;
            kl_caution(
                log,
                "the %s '%.60s' and '%.60s' differ in blanks or capitals alone, and are taken for "
                "two",
                what, names[j], names[i]);
            return;
        }
}

int kl_sequence_windows_fail_contrary(struct kl_error *err, const char *path,
                                      const struct kl_sequence_collection *c, const char *const *classes)
{
    const size_t a = c->alike.a, b = c->alike.b;
    return kl_fail(
        err, KL_EDATA,
        "%s: the windows of '%.50s' at %.6g s and of '%.50s' at %.6g s are equal, number by number, "
        "and of the classes '%.40s' and '%.40s'",
        path, c->recording_names[c->recording[a]], c->onset[a], c->recording_names[c->recording[b]],
        c->onset[b], classes[c->labels[a]], classes[c->labels[b]]);
}

/* ---- people ---- */
/* Sessions of one person that pass for people would stand on both sides of a split over people. */
static void caution_people(const struct kl_log *log, const struct kl_sequence_origin *sources, size_t n)
{
    const struct kl_sequence_origin *first = NULL;
    size_t alone = 0;
    for (size_t i = 0; i < n; i++) {
        if (sources[i].skipped || sources[i].name.says_whose) continue;
        if (!alone++) first = &sources[i];
    }
    if (alone == 1)
        kl_caution(
            log,
            "'%s' is taken for a person of its own, as that name does not say whose it is; --subject "
            "says it",
            first->name.recording);
    else if (alone)
        kl_caution(log,
                   "%zu recordings are taken for %zu people, as names like '%s' do not say whose they "
                   "are; --subject says it, a file of windows for each person",
                   alone, alone, first->name.recording);
}

static void caution_empty(const struct kl_log *log, const struct kl_sequence_origin *sources, size_t n)
{
    const struct kl_sequence_origin *first = NULL;
    size_t empty = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        used += !sources[i].skipped;
        if (sources[i].skipped || sources[i].count.windows) continue;
        if (!empty++) first = &sources[i];
    }
    if (empty)
        kl_caution(log, "%zu of %zu recordings %s no window, the first is %s", empty, used,
                   empty == 1 ? "has" : "have", first->path);
}

void kl_sequence_windows_caution(const struct kl_log *log, const struct kl_sequence_collection *c,
                                 const struct kl_sequence_labels *labels, double reject,
                                 const struct kl_sequence_origin *sources, size_t n_sources)
{
    caution_people(log, sources, n_sources);
    caution_empty(log, sources, n_sources);
    caution_dropped(log, c, reject);
    caution_events(log, c);
    caution_reach(log, c);
    caution_filter(log, c);
    caution_classes(log, c, labels);
    caution_size(log, c);
}

int kl_sequence_windows_fail_empty(struct kl_error *err, const char *path,
                                   const struct kl_sequence_collection *c,
                                   const struct kl_sequence_labels *labels)
{
    char sizes[LIST], brief[64] = "";
    struct missing m;
    find_missing(&m, c, labels);
    if (c->count.brief)
        snprintf(brief, sizeof brief, ", %zu shorter than --chunk-duration", c->count.brief);
    if (m.n && m.n == labels->n)
        return kl_fail(err, KL_EDATA, "%s: no annotation is %s (%s); there are %s%s", path,
                       m.missing.text,
                       strcmp(labels->rule, "labels") ? "as in eegmmidb's runs" : "--labels",
                       m.there.text, m.because);
    tell_rejected(sizes, c);
    return kl_fail(err, KL_EDATA,
                   "%s: no window is left: %zu outside their recording, %zu across a gap, %zu "
                   "rejected%s%s, %zu other annotations",
                   path, c->count.outside, c->count.gap, c->count.rejected, sizes, brief,
                   c->count.other);
}
