/* SPDX-License-Identifier: MIT
   A recording: opened, its signals named, closed; what was odd in it, line by line. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sequence/recording/recording_int.h"

enum { MOST_REMARKS = 64 };

int kl_sequence_remark(struct kl_sequence_recording *r, struct kl_error *err, const char *format, ...)
{
    va_list list;
    char *text = NULL;
    if (r->n_remarks >= MOST_REMARKS) {
        r->file->n_refused_remarks++;
        return KL_OK;
    }
    if (!r->remarks) r->remarks = calloc(MOST_REMARKS + 1, sizeof *r->remarks);
    if (!r->remarks) return kl_fail_memory(err, MOST_REMARKS * sizeof *r->remarks);
    va_start(list, format);
    const int n = vasprintf(&text, format, list);
    va_end(list);
    if (n < 0) return kl_fail_memory(err, 256);
    r->remarks[r->n_remarks++] = text;
    return KL_OK;
}

int kl_sequence_fault(struct kl_sequence_signal *s, struct kl_error *err, const char *format, ...)
{
    va_list list;
    if (s->fault) return KL_OK;
    va_start(list, format);
    if (vasprintf(&s->fault, format, list) < 0) s->fault = NULL;
    va_end(list);
    return s->fault ? KL_OK : kl_fail_memory(err, 256);
}

const char *kl_sequence_recording_format(const struct kl_sequence_recording *r)
{
    static const char *const names[] = { "EDF", "EDF+C", "BDF", "BDF+C", "BrainVision" };
    const bool apart = r->discontinuous && r->format != KL_SEQUENCE_BRAINVISION;
    return apart ? (r->format == KL_SEQUENCE_BDF_PLUS ? "BDF+D" : "EDF+D") : names[r->format];
}

const char *kl_sequence_type_name(enum kl_sequence_type type)
{
    static const char *const names[] = { "EEG", "EOG", "ECG", "EMG", "stimulus", "other" };
    return names[type];
}

/* ---- names ---- */
static int compare_names(const void *a, const void *b)
{
    const struct kl_sequence_signal *const *x = a, *const *y = b;
    const int c = strcmp((*x)->name, (*y)->name);
    return c ? c : (*x < *y ? -1 : *x > *y);
}

static bool is_taken(const struct kl_sequence_recording *r, const char *name)
{
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].name, name) == 0) return true;
    return false;
}

/* The second signal of a name gets #2, the third #3... */
static int tell_apart(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct kl_sequence_signal **order = calloc(r->n_signals + 1, sizeof(void *));
    int code = order ? KL_OK : kl_fail_memory(err, r->n_signals * sizeof *order);
    for (size_t i = 0; i < r->n_signals && !code; i++) order[i] = &r->signals[i];
    if (!code) qsort(order, r->n_signals, sizeof *order, compare_names);
    for (size_t i = 0, n; i < r->n_signals && !code; i += n) {
        char name[48], next[64];
        unsigned number = 2;
        memcpy(name, order[i]->name, sizeof name);
        for (n = 1; i + n < r->n_signals && strcmp(order[i + n]->name, name) == 0;) n++;
        for (size_t k = 1; k < n; k++) {
            do snprintf(next, sizeof next, "%.36s#%u", name, number++);
            while (is_taken(r, next));
            memcpy(order[i + k]->name, next, sizeof order[i + k]->name);
        }
        if (n > 1)
            code = kl_sequence_remark(r, err, "%zu signals are called %s: the others are %s#2 and on", n,
                                      name, name);
    }
    free(order);
    return code;
}

/* ---- remarks ---- */
/* EEG that is not in volts, of a few by name. Of other types nothing else is expected. */
static int remark_units(struct kl_sequence_recording *r, struct kl_error *err)
{
    char list[400] = "";
    size_t n = 0, at = 0;
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        if (s->to_volts > 0 || s->type != KL_SEQUENCE_EEG || s->fault) continue;
        if (n++ < 4)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s '%s'", at ? ", " : "", s->name,
                                   s->unit);
    }
    return n ? kl_sequence_remark(r, err, "%zu signal%s in no known unit of voltage: %s%s", n, kl_s(n),
                                  list, n > 4 ? ", ..." : "")
             : KL_OK;
}

/* Signals without values, those of one fault together. */
static int remark_faults(struct kl_sequence_recording *r, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < r->n_signals && !code; i++) {
        char list[300] = "";
        size_t n = 0, at = 0, before = 0;
        for (size_t k = 0; k < r->n_signals && r->signals[i].fault; k++) {
            const struct kl_sequence_signal *s = &r->signals[k];
            if (!s->fault || strcmp(s->fault, r->signals[i].fault)) continue;
            before += k < i;
            if (n++ < 4)
                at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", s->name);
        }
        if (n && !before)
            code = kl_sequence_remark(r, err, "%zu signal%s cannot be read, %s%s: %s", n, kl_s(n), list,
                                      n > 4 ? ", ..." : "", r->signals[i].fault);
    }
    return code;
}

static int remark_rest(struct kl_sequence_recording *r, struct kl_error *err)
{
    char *text = NULL;
    int code = remark_faults(r, err);
    if (!code) code = remark_units(r, err);
    if (code || !r->file->n_refused_remarks) return code;
    if (asprintf(&text, "%zu more remarks", r->file->n_refused_remarks) < 0)
        return kl_fail_memory(err, 64);
    free(r->remarks[MOST_REMARKS]);
    r->remarks[MOST_REMARKS] = text, r->n_remarks = MOST_REMARKS + 1;
    return KL_OK;
}

/* ---- opened and closed ---- */
int kl_sequence_open(int *fd, uint64_t *bytes, const char *path, struct kl_error *err)
{
    struct stat s;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s", path);
    if (fstat(*fd, &s)) return kl_fail_errno(err, KL_EIO, "%s", path);
    *bytes = (uint64_t)s.st_size;
    return kl_regular(&s, path, err);
}

/* Events that the file itself holds. */
static int read_own_events(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct kl_sequence_events e = { 0 };
    double zero = 0;
    const bool vision = r->format == KL_SEQUENCE_BRAINVISION;
    int code =
        vision ? kl_sequence_markers_read(r, &e, err) : kl_sequence_annotations_read(r, &e, &zero, err);
    if (!code && !vision) code = kl_sequence_status_read(r, &e, zero, err);
    if (!code) code = kl_sequence_events_keep(r, &e, zero, err);
    kl_sequence_events_free(&e);
    return code;
}

int kl_sequence_recording_open(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    *r = (struct kl_sequence_recording){ .path = path, .file = calloc(1, sizeof *r->file) };
    if (!r->file) return kl_fail_memory(err, sizeof *r->file);
    bool vision = false;
    int code = kl_sequence_open(&r->file->fd, &r->bytes, path, err);
    if (!code) code = kl_sequence_is_vision(&vision, r, err);
    if (!code) code = vision ? kl_sequence_vision_read(r, err) : kl_sequence_header_read(r, err);
    if (!code) code = tell_apart(r, err);
    if (!code) code = read_own_events(r, err);
    if (!code) code = kl_sequence_beside_read(r, err);
    return code ? code : remark_rest(r, err);
}

void kl_sequence_recording_close(struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_remarks; i++) free(r->remarks[i]);
    for (size_t i = 0; i < r->n_signals && r->signals; i++) free(r->signals[i].fault);
    for (size_t i = 0; i < KL_SEQUENCE_BESIDE; i++) free(r->beside[i]);
    if (r->file) {
        if (r->file->fd >= 0) close(r->file->fd);
        free(r->file->channels), free(r->file->of_signal), free(r->file->texts);
    }
    free(r->remarks), free(r->signals), free(r->annotations), free(r->gaps), free(r->stretches),
        free(r->file);
    *r = (struct kl_sequence_recording){ 0 };
}

long kl_sequence_recording_find(const struct kl_sequence_recording *r, const char *name)
{
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].name, name) == 0) return (long)i;
    for (size_t i = 0; i < r->n_signals; i++)
        if (strcmp(r->signals[i].label, name) == 0) return (long)i;
    return -1;
}

const char *kl_sequence_recording_trigger(const struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_signals && !r->n_annotations; i++)
        if (r->signals[i].type == KL_SEQUENCE_STIMULUS) return r->signals[i].name;
    return NULL;
}
