/* SPDX-License-Identifier: MIT
   One recording to its windows: channels by name, microvolts, filters, reference, rate; then a stretch
   around each labelled annotation, if it lies within the recording and no gap crosses it. */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sequence/windows/windows_int.h"

/* ---- signals ---- */
static double *room(struct kl_sequence_cutter *k, int which, size_t count, struct kl_error *err)
{
    enum { PAGE = 2 << 20 };
    const size_t bytes = (count * sizeof(double) + PAGE) / PAGE * PAGE;
    if (k->bytes[which] < bytes) {
        free(k->memory[which]);
        k->memory[which] = aligned_alloc(PAGE, bytes);
        k->bytes[which] = k->memory[which] ? bytes : 0;
        if (!k->memory[which]) kl_fail_memory(err, bytes);
        else
            madvise(k->memory[which], bytes,
                    MADV_HUGEPAGE); /* advice: first touches cost as much as reading */
    }
    return k->memory[which];
}

enum { TOGETHER = 16 }; /* channels that a thread reads in a pass */
struct reading {
    const struct kl_sequence_recording *r;
    const struct kl_sequence_chosen *s;
    double *x;
    size_t first, n;
    int *codes;
    struct kl_error *errors;
};
static void read_some(void *context, size_t i, int thread)
{
    struct reading *w = context;
    const size_t first = i * TOGETHER, left = w->s->n - first;
    (void)thread;
    w->codes[i] = kl_sequence_recording_read_many(w->x + first * w->n, w->r, w->s->signals + first,
                                                  left < TOGETHER ? left : TOGETHER, w->s->scale + first,
                                                  w->first, w->n, w->n, &w->errors[i]);
}

static int read_signals(double *x, const struct kl_sequence_recording *r,
                        const struct kl_sequence_chosen *s, size_t first, size_t n, struct kl_pool *pool,
                        struct kl_error *err)
{
    const size_t parts = (s->n + TOGETHER - 1) / TOGETHER;
    struct reading w = { .r = r, .s = s, .x = x, .first = first, .n = n };
    w.codes = calloc(parts, sizeof *w.codes), w.errors = calloc(parts, sizeof *w.errors);
    int code = w.codes && w.errors ? 0 : kl_fail_memory(err, parts * sizeof *w.errors);
    if (!code) kl_pool_for(pool, parts, read_some, &w);
    for (size_t i = 0; i < parts && !code; i++)
        if ((code = w.codes[i])) *err = w.errors[i];
    free(w.codes), free(w.errors);
    return code;
}

/* Both ends lie below half the rate, which is the recording's own. */
static int check_band(const struct kl_sequence_cut *cut, double rate, const char *path,
                      struct kl_error *err)
{
    const double end = cut->high > 0 ? cut->high : cut->low, half = rate / 2;
    if (end < half) return 0;
    return kl_fail(
        err, KL_EUSAGE,
        "--band: %g Hz does not lie below %g, half of the %g samples a second of %s; choose a "
        "lower %s",
        end, half, rate, path, cut->high > 0 ? "HI, or leave it out" : "LO");
}

/* A signal that is shorter than the filter is mostly its own ends, turned over. */
static void note_brief(struct kl_sequence_collection *c, const struct kl_sequence_fir *fir, size_t n,
                       const char *path)
{
    if (fir->n <= n) return;
    if (!c->brief.n++) c->brief.taps = fir->n, c->brief.samples = n, c->brief.path = path;
}

static int apply(struct kl_sequence_cutter *k, double *x, const struct kl_sequence_chosen *s, size_t n,
                 struct kl_sequence_fir *fir, const char *path, struct kl_error *err)
{
    note_brief(k->to, fir, n, path);
    const int code = kl_sequence_fir_apply(x, s->n, n, fir, &k->workspace, k->pool, err);
    kl_sequence_fir_free(fir);
    return code;
}

static int filter(struct kl_sequence_cutter *k, double *x, const struct kl_sequence_chosen *s, size_t n,
                  const char *path, struct kl_error *err)
{
    const struct kl_sequence_cut *cut = k->cut;
    struct kl_sequence_fir fir = { 0 };
    int code = 0;
    if (cut->low > 0 || cut->high > 0) {
        if ((code = check_band(cut, s->rate, path, err))) return code;
        code = kl_sequence_fir_band(&fir, s->rate, cut->low, cut->high, err);
        if (!code) code = apply(k, x, s, n, &fir, path, err);
    }
    if (!code && cut->notch > 0) {
        code = kl_sequence_fir_notch(&fir, s->rate, cut->notch, err);
        if (!code) code = apply(k, x, s, n, &fir, path, err);
    }
    if (!code && cut->average) kl_sequence_average_reference(x, s->eeg, s->n, n);
    return code;
}

/* ---- windows ---- */
/* A stretch without gaps at the new rate. */
struct stretch {
    const double *x; /* (channels, n) microvolts */
    size_t n;
    double start, end; /* seconds, of the recording */
    bool first, last;
};

/* A window's place in a stretch: steps [begin, begin + steps), those of its baseline [base,
 * base_end). */
struct place {
    size_t begin, base, base_end;
};

/* false: it does not lie within the stretch; *before: it begins before that. */
static bool find_place(struct place *p, bool *before, const struct kl_sequence_cutter *k,
                       const struct stretch *t, double onset)
{
    const struct kl_sequence_collection *c = k->to;
    const struct kl_sequence_cut *cut = k->cut;
    const double event = nearbyint((onset - t->start) * c->rate),
                 begin = event + nearbyint(cut->from * c->rate), end = begin + (double)c->steps,
                 base = cut->baseline ? event + nearbyint(cut->baseline_from * c->rate) : begin,
                 base_end = cut->baseline ? event + nearbyint(cut->baseline_to * c->rate) + 1 : end,
                 first = fmin(begin, base), last = fmax(end, base_end);
    *before = first < 0;
    if (first < 0 || last > (double)t->n) return false;
    *p = (struct place){ (size_t)begin, (size_t)base, (size_t)base_end };
    return true;
}

/* Of a rejected window: that of its largest channel. */
static double largest(const struct kl_sequence_collection *c, const struct stretch *t, size_t begin)
{
    double size = 0;
    for (size_t i = 0; i < c->channels; i++)
        size = fmax(size, kl_sequence_peak_to_peak(t->x + i * t->n + begin, c->steps));
    return size;
}

static void add_squares(struct kl_sequence_collection *c, const float *x)
{
    for (size_t i = 0; i < c->channels; i++) {
        double sum = 0, square = 0;
        for (size_t s = 0; s < c->steps; s++) sum += x[i * c->steps + s];
        const double mean = sum / (double)c->steps;
        for (size_t s = 0; s < c->steps; s++)
            square += (x[i * c->steps + s] - mean) * (x[i * c->steps + s] - mean);
        c->square[i] += square;
    }
}

/* The window at p to the collection; false: it is rejected. */
static bool take_window(struct kl_sequence_cutter *k, struct kl_sequence_count *count,
                        const struct stretch *t, const struct place *p, double *values)
{
    struct kl_sequence_collection *c = k->to;
    const struct kl_sequence_cut *cut = k->cut;
    float *to = c->x + c->n * c->channels * c->steps;
    for (size_t i = 0; i < c->channels; i++) {
        const double *row = t->x + i * t->n, *x = row + p->begin;
        if (cut->baseline) {
            const double mean = kl_sequence_mean(row + p->base, p->base_end - p->base);
            for (size_t s = 0; s < c->steps; s++) values[s] = x[s] - mean;
            x = values;
        }
        if (cut->reject > 0 && kl_sequence_peak_to_peak(x, c->steps) > cut->reject) {
            count->rejected++, c->rejected_by[i]++;
            c->rejected[c->n_rejected++] = largest(c, t, p->begin);
            return false;
        }
        for (size_t s = 0; s < c->steps; s++) to[i * c->steps + s] = (float)x[s];
    }
    add_squares(c, to);
    count->windows++, c->n++;
    return true;
}

/* Of a window that is taken: how far it reaches. */
static void count_reach(struct kl_sequence_collection *c, struct kl_sequence_count *count,
                        const struct kl_sequence_trial *t)
{
    count->next += t->next, count->previous += t->previous, count->bad += t->bad;
    if (!(t->excess > 0)) return;
    c->least_duration = c->excess > 0 ? fmin(c->least_duration, t->duration) : t->duration;
    c->most_duration = fmax(c->most_duration, t->duration);
    c->excess = fmax(c->excess, t->excess);
    count->beyond++;
}

/* Those of trials that begin within the stretch. */
static int take_windows(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                        const struct kl_sequence_trials *trials, const struct stretch *t,
                        const int32_t places[2], struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    int code = kl_sequence_collect_room(c, trials->n, err);
    double *values = malloc(c->steps * sizeof *values);
    if (!code && !values) code = kl_fail_memory(err, c->steps * sizeof *values);
    for (size_t i = 0; i < trials->n && !code; i++) {
        const struct kl_sequence_trial *a = &trials->list[i];
        struct place p;
        bool before;
        if (!(a->onset >= t->start || t->first) || !(a->onset < t->end || t->last)) continue;
        if (!find_place(&p, &before, k, t, a->onset)) {
            if (before ? t->first : t->last) source->count.outside++;
            else source->count.gap++;
            continue;
        }
        c->labels[c->n] = k->labels->n_classes ? a->label : -1, c->recording[c->n] = places[0], c->subject[c->n] = places[1];
        c->onset[c->n] = a->onset, c->duration[c->n] = a->duration > 0 ? a->duration : NAN;
        if (!take_window(k, &source->count, t, &p, values)) continue;
        count_reach(c, &source->count, a);
        kl_sequence_trial_count(c, a);
    }
    free(values);
    return code;
}

/* ---- a recording ---- */
static int check_gaps(const struct kl_sequence_recording *r, bool split, struct kl_error *err)
{
    char places[160] = "";
    size_t at = 0;
    if (!r->n_gaps || split) return 0;
    for (size_t i = 0; i < r->n_gaps && i < 3; i++)
        at += (size_t)snprintf(places + at, sizeof places - at, "%s%.6g to %.6g s", i ? ", " : "",
                               r->gaps[i].from, r->gaps[i].to);
    return kl_fail(err, KL_EDATA, "%s: %zu gap%s: %s%s; --gaps split cuts it there", r->path, r->n_gaps,
                   kl_s(r->n_gaps), places, r->n_gaps > 3 ? ", ..." : "");
}

enum { MOST_RAISED = 1000 };
/* The rate of all windows, and how many steps they have. */
static int settle_rate(struct kl_sequence_collection *c, const struct kl_sequence_cut *cut,
                       const char *path, double rate, struct kl_error *err)
{
    if (!c->steps) {
        c->rate = cut->rate > 0 ? cut->rate : rate;
        const double first = nearbyint(cut->from * c->rate), last = nearbyint(cut->to * c->rate);
        if (last - first + 1 > 1e7)
            return kl_fail(err, KL_EUSAGE, "windows of %g steps, expected at most 1e7",
                           last - first + 1);
        c->steps = (size_t)(last - first) + 1, c->steps_before = -(int64_t)first;
    }
    if (c->rate > MOST_RAISED * rate)
        return kl_fail(err, KL_EUSAGE, "--rate: found %g, expected at most %d times the %g of %s",
                       c->rate, MOST_RAISED, rate, path);
    if (cut->rate == 0 && rate != c->rate)
        return kl_fail(err, KL_EDATA,
                       "%s: %g samples a second, the recordings before have %g; give --rate", path, rate,
                       c->rate);
    return 0;
}

static int cut_stretch(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                       const struct kl_sequence_recording *r, const struct kl_sequence_chosen *s,
                       struct kl_sequence_trials *trials, size_t which, const int32_t places[2],
                       struct kl_error *err)
{
    const struct kl_sequence_stretch *from = &r->stretches[which];
    const size_t per = r->signals[s->signals[0]].per_record, n = per * from->n_records,
                 length = kl_sequence_resampled_length(n, s->rate, k->to->rate);
    double *x = room(k, 0, s->n * n, err), *y = x ? room(k, 1, s->n * length, err) : NULL;
    if (!y) return KL_ENOMEM;
    int code = read_signals(x, r, s, per * from->record, n, k->pool, err);
    for (size_t i = 0; i < trials->n && !code; i++)
        kl_sequence_trial_look(&trials->list[i], k->cut, x, s->n, n, s->rate, from->start);
    if (!code) code = filter(k, x, s, n, r->path, err);
    if (!code)
        code = kl_sequence_resample(y, x, s->n, n, s->rate, k->to->rate, &k->workspace, k->pool, err);
    const struct stretch t = { .x = y,
                               .n = length,
                               .start = from->start,
                               .end =
                                   which + 1 < r->n_stretches ? r->stretches[which + 1].start : INFINITY,
                               .first = which == 0,
                               .last = which + 1 == r->n_stretches };
    return code ? code : take_windows(k, source, trials, &t, places, err);
}

static int collect_names(struct kl_sequence_cutter *k, int32_t places[2],
                         struct kl_sequence_origin *source, const struct kl_sequence_recording *r,
                         struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    int code = 0;
    for (size_t i = 0; i < r->n_annotations && !code; i++) {
        source->count.other += kl_sequence_label_of(k->labels, r->annotations[i].text) < 0;
        code = kl_sequence_collect_text(c, k->labels, r->annotations[i].text, err);
    }
    if (!code)
        code = kl_sequence_collect_name(&places[0], &c->recording_names, &c->n_recordings,
                                        source->name.recording, err);
    return code ? code
                : kl_sequence_collect_name(&places[1], &c->subject_names, &c->n_subjects,
                                           source->name.subject, err);
}

static int cut_open(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                    const struct kl_sequence_recording *r, struct kl_sequence_chosen *s,
                    struct kl_sequence_trials *trials, struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    int32_t places[2] = { 0 };
    for (size_t i = 0; i < r->n_remarks; i++) kl_caution(k->log, "%s: %s", r->path, r->remarks[i]);
    const char *trigger = kl_sequence_recording_trigger(r);
    if (r->beside[KL_SEQUENCE_EVENTS])
        kl_note(k->log, 1, "%s: its events are those of %s", r->path, r->beside[KL_SEQUENCE_EVENTS]);
    if (trigger) kl_caution(k->log, "%s: " KL_SEQUENCE_TRIGGER, r->path, trigger);
    int code = check_gaps(r, k->cut->split, err);
    if (!code) code = kl_sequence_name_channels(k, r, err);
    if (!code) code = kl_sequence_choose(s, c, k->cut, r, err);
    if (!code) code = settle_rate(c, k->cut, r->path, s->rate, err);
    if (!code) code = kl_sequence_trials_find(trials, r, k->labels, k->cut, c->rate, err);
    if (code) return code;
    source->rate = s->rate, source->seconds = r->record_seconds * (double)r->n_records,
    source->gaps = r->n_gaps, source->count.repeated = trials->repeated,
    source->count.brief = trials->brief;
    code = collect_names(k, places, source, r, err);
    for (size_t i = 0; i < r->n_stretches && !code; i++)
        code = cut_stretch(k, source, r, s, trials, i, places, err);
    return code;
}

static void add_counts(struct kl_sequence_count *all, const struct kl_sequence_count *one)
{
    all->windows += one->windows, all->outside += one->outside, all->gap += one->gap,
        all->rejected += one->rejected, all->other += one->other, all->repeated += one->repeated,
        all->brief += one->brief, all->beyond += one->beyond, all->next += one->next,
        all->previous += one->previous, all->bad += one->bad;
}

int kl_sequence_cut_recording(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                              struct kl_error *err)
{
    struct kl_sequence_recording r;
    struct kl_sequence_chosen s = { 0 };
    struct kl_sequence_trials trials = { 0 };
    int code = kl_sequence_origin_open(&r, source, err);
    if (!code) code = cut_open(k, source, &r, &s, &trials, err);
    kl_sequence_recording_close(&r);
    kl_sequence_chosen_free(&s);
    kl_sequence_trials_free(&trials);
    add_counts(&k->to->count, &source->count);
    return code;
}

void kl_sequence_cutter_free(struct kl_sequence_cutter *k)
{
    kl_sequence_workspace_free(&k->workspace);
    free(k->memory[0]), free(k->memory[1]);
    k->memory[0] = k->memory[1] = NULL;
}
