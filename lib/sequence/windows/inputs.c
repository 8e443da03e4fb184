/* SPDX-License-Identifier: MIT
   What a command reads: recordings, and which file of events is whose. */
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows_int.h"

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

bool kl_sequence_is_taken(const struct kl_sequence_signal *signal)
{
    return signal->type == KL_SEQUENCE_EEG && !signal->fault;
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
        const bool taken = kl_sequence_is_taken(&r->signals[at]);
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
