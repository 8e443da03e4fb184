/* SPDX-License-Identifier: MIT
   One recording to its windows: channels by name, microvolts, filters, reference, rate; then a stretch
   around each labelled annotation, if it lies within the recording and no gap crosses it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sequence/recording/recording.h"
#include "sequence/windows/windows_int.h"

/* ---- channels ---- */
/* Signals of the chosen channels, and what makes microvolts of their values. */
struct chosen {
    size_t *signals;
    double *scale;
    size_t n;
    double rate;
};

static int fail_channel(struct kl_error *err, const char *path, const char *name)
{
    return kl_fail(err, KL_EDATA, "%s: has no channel '%s'; `qseq inspect` shows what it has", path,
                   name);
}

/* Names of the collection's channels: those that were asked for, else those of the first recording. */
static int name_channels(struct kl_sequence_collection *c, const struct kl_sequence_cut *cut,
                         const struct kl_sequence_recording *r, struct kl_error *err)
{
    const size_t n = cut->channels ? cut->n_channels : r->n_signals;
    if (c->channel_names) return 0;
    if (!n) return kl_fail(err, KL_EDATA, "%s: has no signals", r->path);
    c->channel_names = calloc(n, sizeof *c->channel_names);
    c->square = calloc(n, sizeof *c->square), c->rejected_by = calloc(n, sizeof *c->rejected_by);
    if (!c->channel_names || !c->square || !c->rejected_by)
        return kl_fail_memory(err, n * sizeof(char *));
    for (c->channels = 0; c->channels < n; c->channels++) {
        const char *name = cut->channels ? cut->channels[c->channels] : r->signals[c->channels].name;
        const long at = cut->channels ? kl_sequence_recording_find(r, name) : (long)c->channels;
        if (at < 0) return fail_channel(err, r->path, name);
        if (!(c->channel_names[c->channels] = strdup(r->signals[at].name)))
            return kl_fail_memory(err, strlen(name));
    }
    return 0;
}

static int choose(struct chosen *s, const struct kl_sequence_collection *c,
                  const struct kl_sequence_cut *cut, const struct kl_sequence_recording *r,
                  struct kl_error *err)
{
    s->n = c->channels;
    s->signals = calloc(s->n, sizeof *s->signals), s->scale = calloc(s->n, sizeof *s->scale);
    if (!s->signals || !s->scale) return kl_fail_memory(err, s->n * sizeof *s->scale);
    for (size_t i = 0; i < s->n; i++) {
        const long at = kl_sequence_recording_find(r, c->channel_names[i]);
        if (at < 0) return fail_channel(err, r->path, c->channel_names[i]);
        const struct kl_sequence_signal *signal = &r->signals[at];
        for (size_t k = 0; k < i; k++)
            if (s->signals[k] == (size_t)at)
                return kl_fail(err, KL_EDATA, "%s: channel '%s' is asked for twice", r->path,
                               signal->name);
        if (signal->to_volts == 0 && cut->unit == 0)
            return kl_fail(err, KL_EDATA,
                           "%s: channel %s: unit '%s' is no known unit of voltage; leave it out with "
                           "--channels, or "
                           "say with --unit what it is",
                           r->path, signal->name, signal->unit);
        if (i && signal->rate != s->rate)
            return kl_fail(
                err, KL_EDATA,
                "%s: channel %s has %g samples a second, %s has %g; choose channels of one rate with "
                "--channels",
                r->path, signal->name, signal->rate, c->channel_names[0], s->rate);
        s->signals[i] = (size_t)at, s->rate = signal->rate;
        s->scale[i] = 1e6 * (signal->to_volts != 0 ? signal->to_volts : cut->unit);
    }
    return 0;
}

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
    const struct chosen *s;
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

static int read_signals(double *x, const struct kl_sequence_recording *r, const struct chosen *s,
                        size_t first, size_t n, struct kl_pool *pool, struct kl_error *err)
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

static int filter(struct kl_sequence_cutter *k, double *x, const struct chosen *s, size_t n,
                  const char *path, struct kl_error *err)
{
    const struct kl_sequence_cut *cut = k->cut;
    struct kl_sequence_fir fir = { 0 };
    int code = 0;
    if (cut->low > 0 || cut->high > 0) {
        if ((code = check_band(cut, s->rate, path, err))) return code;
        code = kl_sequence_fir_band(&fir, s->rate, cut->low, cut->high, err);
        if (!code) code = kl_sequence_fir_apply(x, s->n, n, &fir, &k->workspace, k->pool, err);
        kl_sequence_fir_free(&fir);
    }
    if (!code && cut->notch > 0) {
        code = kl_sequence_fir_notch(&fir, s->rate, cut->notch, err);
        if (!code) code = kl_sequence_fir_apply(x, s->n, n, &fir, &k->workspace, k->pool, err);
        kl_sequence_fir_free(&fir);
    }
    if (!code && cut->average) kl_sequence_average_reference(x, s->n, n);
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

/* Of a rejected window: that of its largest channel. */
static double largest(const struct kl_sequence_collection *c, const struct stretch *t, size_t begin)
{
    double size = 0;
    for (size_t i = 0; i < c->channels; i++)
        size = fmax(size, kl_sequence_peak_to_peak(t->x + i * t->n + begin, c->steps));
    return size;
}

/* The window of steps from `begin` on to the collection, unless it is rejected. */
static void take_window(struct kl_sequence_cutter *k, struct kl_sequence_count *count,
                        const struct stretch *t, size_t begin, double *values)
{
    struct kl_sequence_collection *c = k->to;
    const struct kl_sequence_cut *cut = k->cut;
    float *to = c->x + c->n * c->channels * c->steps;
    const double first = nearbyint(cut->from * c->rate);
    const size_t base = (size_t)(nearbyint(cut->baseline_from * c->rate) - first),
                 base_end = (size_t)(nearbyint(cut->baseline_to * c->rate) - first) + 1;
    for (size_t i = 0; i < c->channels; i++) {
        const double *x = t->x + i * t->n + begin;
        if (cut->baseline) {
            memcpy(values, x, c->steps * sizeof *values);
            kl_sequence_baseline(values, c->steps, base, base_end < c->steps ? base_end : c->steps);
            x = values;
        }
        if (cut->reject > 0 && kl_sequence_peak_to_peak(x, c->steps) > cut->reject) {
            count->rejected++, c->rejected_by[i]++;
            c->rejected[c->n_rejected++] = largest(c, t, begin);
            return;
        }
        for (size_t s = 0; s < c->steps; s++) to[i * c->steps + s] = (float)x[s];
    }
    for (size_t i = 0; i < c->channels; i++) {
        double sum = 0, square = 0;
        for (size_t s = 0; s < c->steps; s++) sum += to[i * c->steps + s];
        const double mean = sum / (double)c->steps;
        for (size_t s = 0; s < c->steps; s++)
            square += (to[i * c->steps + s] - mean) * (to[i * c->steps + s] - mean);
        c->square[i] += square;
    }
    count->windows++, c->n++;
}

/* Those whose annotations begin within the stretch. */
static int take_windows(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                        const struct kl_sequence_recording *r, const struct stretch *t,
                        int32_t recording, int32_t subject, struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    const double before = nearbyint(k->cut->from * c->rate);
    int code = kl_sequence_collect_room(c, r->n_annotations, err);
    double *values = malloc(c->steps * sizeof *values);
    if (!code && !values) code = kl_fail_memory(err, c->steps * sizeof *values);
    for (size_t i = 0; i < r->n_annotations && !code; i++) {
        const struct kl_sequence_annotation *a = &r->annotations[i];
        const int32_t label = kl_sequence_label_of(k->labels, a->text);
        if (label < 0 || !(a->onset >= t->start || t->first) || !(a->onset < t->end || t->last))
            continue;
        const double begin = nearbyint((a->onset - t->start) * c->rate) + before,
                     end = begin + (double)c->steps;
        if (begin < 0 || end > (double)t->n) {
            if ((begin < 0 && t->first) || (begin >= 0 && t->last)) source->count.outside++;
            else source->count.gap++;
            continue;
        }
        c->labels[c->n] = label, c->subject[c->n] = subject, c->recording[c->n] = recording;
        c->onset[c->n] = a->onset;
        take_window(k, &source->count, t, (size_t)begin, values);
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
                       const struct kl_sequence_recording *r, const struct chosen *s, size_t which,
                       const int32_t places[2], struct kl_error *err)
{
    const struct kl_sequence_stretch *from = &r->stretches[which];
    const size_t per = r->signals[s->signals[0]].per_record, n = per * from->n_records,
                 length = kl_sequence_resampled_length(n, s->rate, k->to->rate);
    double *x = room(k, 0, s->n * n, err), *y = x ? room(k, 1, s->n * length, err) : NULL;
    if (!y) return KL_ENOMEM;
    int code = read_signals(x, r, s, per * from->record, n, k->pool, err);
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
    return code ? code : take_windows(k, source, r, &t, places[0], places[1], err);
}

static int cut_open(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                    const struct kl_sequence_recording *r, struct chosen *s, struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    int32_t places[2] = { 0 };
    for (size_t i = 0; i < r->n_remarks; i++) kl_caution(k->log, "%s: %s", r->path, r->remarks[i]);
    int code = check_gaps(r, k->cut->split, err);
    if (!code) code = name_channels(c, k->cut, r, err);
    if (!code) code = choose(s, c, k->cut, r, err);
    if (!code) code = settle_rate(c, k->cut, r->path, s->rate, err);
    if (code) return code;
    source->rate = s->rate, source->seconds = r->record_seconds * (double)r->n_records,
    source->gaps = r->n_gaps;
    for (size_t i = 0; i < r->n_annotations && !code; i++) {
        source->count.other += kl_sequence_label_of(k->labels, r->annotations[i].text) < 0;
        code = kl_sequence_collect_text(c, k->labels, r->annotations[i].text, err);
    }
    if (!code)
        code = kl_sequence_collect_name(&places[0], &c->recording_names, &c->n_recordings,
                                        source->name.recording, err);
    if (!code)
        code = kl_sequence_collect_name(&places[1], &c->subject_names, &c->n_subjects,
                                        source->name.subject, err);
    for (size_t i = 0; i < r->n_stretches && !code; i++)
        code = cut_stretch(k, source, r, s, i, places, err);
    return code;
}

int kl_sequence_cut_recording(struct kl_sequence_cutter *k, struct kl_sequence_origin *source,
                              struct kl_error *err)
{
    struct kl_sequence_recording r;
    struct chosen s = { 0 };
    int code = kl_sequence_recording_open(&r, source->path, err);
    if (!code) code = cut_open(k, source, &r, &s, err);
    kl_sequence_recording_close(&r);
    free(s.signals), free(s.scale);
    struct kl_sequence_count *all = &k->to->count;
    all->windows += source->count.windows, all->outside += source->count.outside;
    all->gap += source->count.gap, all->rejected += source->count.rejected,
        all->other += source->count.other;
    return code;
}

void kl_sequence_cutter_free(struct kl_sequence_cutter *k)
{
    kl_sequence_workspace_free(&k->workspace);
    free(k->memory[0]), free(k->memory[1]);
    k->memory[0] = k->memory[1] = NULL;
}
