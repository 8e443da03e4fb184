/* SPDX-License-Identifier: MIT
   What a command reads: recordings, their events, and which signals become channels. */
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"

/* ---- channels ----
   Which signals of a recording become the channels of windows: those that are named, else its EEG. */

static int fail_channel(struct kl_error *err, const char *path, const char *name)
{
    return kl_fail(err, KL_EDATA, "%s: has no channel '%s'; `qseq inspect` shows what it has", path,
                   name);
}

static int fail_none(struct kl_error *err, const struct kl_sequence_recording *r)
{
    char list[200] = "";
    size_t used = 0;
    bool any = false;
    for (size_t i = 0; i < r->n_signals; i++) any |= r->signals[i].type == KL_SEQUENCE_EEG;
    if (any)
        return kl_fail(err, KL_EDATA, "%s: no signal that is EEG can be read; `qseq inspect` says why",
                       r->path);
    for (size_t i = 0; i < r->n_signals && used < sizeof list - 60; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s (%s)", i ? ", " : "",
                                 r->signals[i].name, kl_sequence_type_name(r->signals[i].type));
    return kl_fail(err, KL_EDATA,
                   "%s: no signal is EEG by its name and unit: %s%s; name channels with "
                   "--channels",
                   r->path, *list ? list : "there are none", used >= sizeof list - 60 ? ", ..." : "");
}

/* Is it taken where no channels are named? */
static bool is_taken(const struct kl_sequence_signal *signal)
{
    return signal->type == KL_SEQUENCE_EEG && !signal->fault;
}

/* Warn of the signals left out if no channels are named: not all electrodes may be taken. */
static void caution_left(const struct kl_log *log, const struct kl_sequence_recording *r)
{
    char list[400] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        if (is_taken(s)) continue;
        if (n++ < 8)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s%s%s%s", used ? ", " : "",
                                     s->name, s->type == KL_SEQUENCE_EEG ? "" : " (",
                                     s->type == KL_SEQUENCE_EEG ? "" : kl_sequence_type_name(s->type),
                                     s->type == KL_SEQUENCE_EEG ? "" : ")");
    }
    if (n)
        kl_caution(
            log,
            "%zu signal%s left out, as no EEG or without values: %s%s (%s); --channels takes what "
            "it names",
            n, n == 1 ? " is" : "s are", list, n > 8 ? ", ..." : "", r->path);
}

/* Named channels that are no EEG stay as they are. */
static void caution_named(const struct kl_log *log, const struct kl_sequence_collection *c,
                          const struct kl_sequence_recording *r)
{
    char list[300] = "";
    size_t n = 0, used = 0;
    for (size_t i = 0; i < c->channels; i++) {
        const struct kl_sequence_signal *s =
            &r->signals[kl_sequence_recording_find(r, c->channel_names[i])];
        if (s->type == KL_SEQUENCE_EEG) continue;
        if (n++ < 6)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.36s (%s)", used ? ", " : "",
                                     s->name, kl_sequence_type_name(s->type));
    }
    if (n)
        kl_caution(log,
                   "--reference average: %s%s %s no EEG: not in the average, which is not taken from "
                   "%s",
                   list, n > 6 ? ", ..." : "", n == 1 ? "is" : "are", n == 1 ? "it" : "them");
}

/* Names of the collection's channels: those that were asked for, else the EEG of the first recording. */
int kl_sequence_name_channels(struct kl_sequence_cutter *k, const struct kl_sequence_recording *r,
                              struct kl_error *err)
{
    struct kl_sequence_collection *c = k->to;
    const struct kl_sequence_cut *cut = k->cut;
    const size_t n = cut->channels ? cut->n_channels : r->n_signals;
    if (c->channel_names) return 0;
    c->channel_names = calloc(n + 1, sizeof *c->channel_names);
    c->square = calloc(n + 1, sizeof *c->square), c->rejected_by = calloc(n + 1, sizeof *c->rejected_by);
    if (!c->channel_names || !c->square || !c->rejected_by)
        return kl_fail_memory(err, n * sizeof(char *));
    for (size_t i = 0; i < n; i++) {
        const char *name = cut->channels ? cut->channels[i] : r->signals[i].name;
        const long at = cut->channels ? kl_sequence_recording_find(r, name) : (long)i;
        if (at < 0) return fail_channel(err, r->path, name);
        if (!cut->channels && !is_taken(&r->signals[at])) continue;
        if (!(c->channel_names[c->channels] = strdup(r->signals[at].name)))
            return kl_fail_memory(err, strlen(name));
        c->channels++;
    }
    if (!c->channels) return fail_none(err, r);
    if (!cut->channels) caution_left(k->log, r);
    else if (cut->average) caution_named(k->log, c, r);
    return 0;
}

int kl_sequence_choose(struct kl_sequence_chosen *s, const struct kl_sequence_collection *c,
                       const struct kl_sequence_cut *cut, const struct kl_sequence_recording *r,
                       struct kl_error *err)
{
    s->n = c->channels;
    s->signals = calloc(s->n, sizeof *s->signals), s->scale = calloc(s->n, sizeof *s->scale);
    s->eeg = calloc(s->n, sizeof *s->eeg);
    if (!s->signals || !s->scale || !s->eeg) return kl_fail_memory(err, s->n * sizeof *s->scale);
    for (size_t i = 0; i < s->n; i++) {
        const long at = kl_sequence_recording_find(r, c->channel_names[i]);
        if (at < 0) return fail_channel(err, r->path, c->channel_names[i]);
        const struct kl_sequence_signal *signal = &r->signals[at];
        for (size_t k = 0; k < i; k++)
            if (s->signals[k] == (size_t)at)
                return kl_fail(err, KL_EDATA, "%s: channel '%s' is asked for twice", r->path,
                               signal->name);
        if (signal->fault)
            return kl_fail(err, KL_EDATA, "%s: channel %s: %s; leave it out with --channels", r->path,
                           signal->name, signal->fault);
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
        s->eeg[i] = signal->type == KL_SEQUENCE_EEG;
        s->scale[i] = 1e6 * (signal->to_volts != 0 ? signal->to_volts : cut->unit);
    }
    return 0;
}

void kl_sequence_chosen_free(struct kl_sequence_chosen *s)
{
    free(s->signals), free(s->scale), free(s->eeg);
    *s = (struct kl_sequence_chosen){ 0 };
}

/* ---- what a command reads: recordings, and which file of events is whose ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    for (a = base_of(a), b = base_of(b); a[n] && a[n] == b[n];) n++;
    return n;
}

/* Events are of the recording whose name begins most as theirs does, SC4001EC-Hypnogram.edf of
   SC4001E0-PSG.edf; of the only one whatever its name. */
static int give_events(struct kl_sequence_origin *sources, size_t n, const char *events,
                       struct kl_error *err)
{
    struct kl_sequence_origin *best = NULL;
    size_t most = 0, as_much = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t same = common(sources[i].path, events);
        if (!best || same > most) best = &sources[i], most = same, as_much = 0;
        as_much += same == most;
    }
    if (!n)
        return kl_fail(err, KL_EUSAGE, "%s: events alone; give the recording that they are of", events);
    if (n > 1 && (as_much > 1 || !most))
        return kl_fail(
            err, KL_EUSAGE,
            "%s: by its name these events are of none of the %zu recordings, or of several; cut "
            "one recording a command",
            events, n);
    if (best->events)
        return kl_fail(err, KL_EUSAGE, "%s, %s: both are events of %s; give one of them", best->events,
                       events, best->path);
    best->events = events;
    return 0;
}

int kl_sequence_inputs_sort(struct kl_sequence_origin *sources, size_t *n_sources,
                            const char *const *inputs, size_t n, struct kl_error *err)
{
    int code = 0;
    *n_sources = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n && !code; i++) {
            const bool events = kl_sequence_is_events(inputs[i]);
            if (!pass && !events) sources[(*n_sources)++].path = inputs[i];
            if (pass && events) code = give_events(sources, *n_sources, inputs[i], err);
        }
    return code;
}

int kl_sequence_origin_open(struct kl_sequence_recording *r, const struct kl_sequence_origin *source,
                            struct kl_error *err)
{
    const int code = kl_sequence_recording_open(r, source->path, err);
    return code || !source->events ? code : kl_sequence_recording_take_events(r, source->events, err);
}

/* Of signals that are chosen: does their type, or a fault, make a difference to their values? *rate: of
   the first. */
static bool types_matter(double *rate, const struct kl_sequence_recording *r,
                         const struct kl_sequence_cut *cut)
{
    bool matter = false;
    *rate = 0;
    for (size_t i = 0; i < (cut->channels ? cut->n_channels : r->n_signals); i++) {
        const long at = cut->channels ? kl_sequence_recording_find(r, cut->channels[i]) : (long)i;
        if (at < 0) continue;
        const bool taken = is_taken(&r->signals[at]);
        if (*rate == 0 && (cut->channels || taken)) *rate = r->signals[at].rate;
        matter = matter || (!taken && (cut->average || !cut->channels));
    }
    return matter;
}

static int look(struct kl_sequence_origin *source, const struct kl_sequence_recording *r,
                const struct kl_sequence_cut *cut, const struct kl_sequence_labels *labels,
                struct kl_error *err)
{
    struct kl_sequence_trials t;
    double rate;
    for (int i = 0; i < KL_SEQUENCE_BESIDE; i++)
        if (r->beside[i] && !(source->beside[i] = strdup(r->beside[i])))
            return kl_fail_memory(err, strlen(r->beside[i]));
    source->mended = types_matter(&rate, r, cut);
    if (!(rate > 0)) return 0;
    const int code = kl_sequence_trials_find(&t, r, labels, cut, cut->rate > 0 ? cut->rate : rate, err);
    source->mended = source->mended || t.repeated || cut->chunk > 0;
    for (size_t i = 0; i < t.n && !code; i++)
        source->mended = source->mended || t.list[i].excess > 0 || t.list[i].next || t.list[i].previous;
    kl_sequence_trials_free(&t);
    return code;
}

int kl_sequence_origin_look(struct kl_sequence_origin *source, const struct kl_sequence_cut *cut,
                            const struct kl_sequence_labels *labels, struct kl_error *err)
{
    struct kl_sequence_recording r;
    int code = kl_sequence_origin_open(&r, source, err);
    if (!code) code = look(source, &r, cut, labels, err);
    kl_sequence_recording_close(&r);
    return code;
}
