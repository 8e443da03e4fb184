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
    if (r->n_remarks == MOST_REMARKS) {
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

const char *kl_sequence_recording_format(const struct kl_sequence_recording *r)
{
    static const char *const names[] = { "EDF", "EDF+C", "BDF", "BDF+C" };
    return r->discontinuous ? (r->format == KL_SEQUENCE_BDF_PLUS ? "BDF+D" : "EDF+D") : names[r->format];
}

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

/* What is not in volts, of a few by name. */
static int remark_units(struct kl_sequence_recording *r, struct kl_error *err)
{
    char list[400] = "";
    size_t n = 0, at = 0;
    for (size_t i = 0; i < r->n_signals; i++) {
        const struct kl_sequence_signal *s = &r->signals[i];
        if (s->to_volts > 0) continue;
        if (n++ < 4)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s '%s'", at ? ", " : "", s->name,
                                   s->unit);
    }
    return n ? kl_sequence_remark(r, err, "%zu signal%s in no known unit of voltage: %s%s", n, kl_s(n),
                                  list, n > 4 ? ", ..." : "")
             : KL_OK;
}

static int open_file(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct stat s;
    r->file = calloc(1, sizeof *r->file);
    if (!r->file) return kl_fail_memory(err, sizeof *r->file);
    r->file->fd = open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->file->fd < 0) return kl_fail_errno(err, KL_ENOINPUT, "%s", r->path);
    if (fstat(r->file->fd, &s)) return kl_fail_errno(err, KL_EIO, "%s", r->path);
    const int code = kl_regular(&s, r->path, err);
    r->bytes = (uint64_t)s.st_size;
    return code;
}

int kl_sequence_recording_open(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    *r = (struct kl_sequence_recording){ .path = path };
    int code = open_file(r, err);
    if (!code) code = kl_sequence_header_read(r, err);
    if (!code) code = tell_apart(r, err);
    if (!code) code = kl_sequence_annotations_read(r, err);
    if (!code) code = remark_units(r, err);
    if (!code && r->file->n_refused_remarks) {
        char *text = NULL;
        if (asprintf(&text, "%zu more remarks", r->file->n_refused_remarks) < 0)
            return kl_fail_memory(err, 64);
        r->remarks[r->n_remarks++] = text;
    }
    return code;
}

void kl_sequence_recording_close(struct kl_sequence_recording *r)
{
    for (size_t i = 0; i < r->n_remarks; i++) free(r->remarks[i]);
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
