/* SPDX-License-Identifier: MIT
   Events and types that stand in files of their own, and tables of BIDS. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "sequence/recording/recording_int.h"

enum { COLUMNS = 256 };
struct tsv {
    const char *path;
    char *text, *rest;
    size_t line, n, n_names; /* of the row that was read; its cells; those of the first line */
    char *cells[COLUMNS], *names[COLUMNS];
};

/* ---- tables of BIDS, row by row ---- */

enum { LARGEST = 1 << 24 };

/* Cells of a line, in place; quotes around one are none of it. Beyond the last column they are counted.
 */
static size_t split(char **cells, char *line)
{
    size_t n = 0;
    for (char *cell = line; cell; n++) {
        char *tab = strchr(cell, '\t');
        if (tab) *tab = '\0';
        size_t length = strlen(cell);
        while (length && strchr(" \r", cell[length - 1])) cell[--length] = '\0';
        if (length > 1 && *cell == '"' && cell[length - 1] == '"') cell[length - 1] = '\0', cell++;
        if (n < COLUMNS) cells[n] = cell;
        cell = tab ? tab + 1 : NULL;
    }
    return n;
}

/* The next line that holds something; NULL: there is none. */
static char *next_line(struct tsv *t)
{
    char *line = t->rest;
    while (line) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        t->rest = end ? end + 1 : NULL, t->line++;
        if (line[strspn(line, " \t\r")]) return line;
        line = t->rest;
    }
    return NULL;
}

/* Reads the file and its first line. KL_ENOINPUT, KL_EDATA, KL_EIO, KL_ENOMEM. Close it in any case. */
static int tsv_open(struct tsv *t, const char *path, struct kl_error *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = 0;
    *t = (struct tsv){ .path = path };
    const int code = kl_read_text(&t->text, &n, path, LARGEST, "a table of BIDS", err);
    if (code) return code;
    if (strlen(t->text) != n)
        return kl_fail(err, KL_EDATA, "%s: byte %zu is 0, expected text", path, strlen(t->text));
    t->rest = strncmp(t->text, mark, 3) == 0 ? t->text + 3 : t->text;
    char *line = next_line(t);
    if (line) t->n_names = split(t->names, line);
    if (t->n_names > COLUMNS)
        return kl_fail(err, KL_EDATA, "%s: %zu columns, expected at most %d", path, t->n_names, COLUMNS);
    return line ? KL_OK : kl_fail(err, KL_EDATA, "%s: empty, expected a line of column names", path);
}

/* *more: there is a row, now in cells. KL_EDATA: it has other cells than the first line. */
static int tsv_next(bool *more, struct tsv *t, struct kl_error *err)
{
    char *line = next_line(t);
    *more = line != NULL;
    if (!line) return KL_OK;
    t->n = split(t->cells, line);
    if (t->n == t->n_names) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: line %zu has %zu cell%s, expected the %zu of the first line",
                   t->path, t->line, t->n, kl_s(t->n), t->n_names);
}

/* The place of a column; -1: there is none. */
static int tsv_column(const struct tsv *t, const char *name)
{
    for (size_t i = 0; i < t->n_names; i++)
        if (strcmp(t->names[i], name) == 0) return (int)i;
    return -1;
}

/* The cell of a column of the row; NULL: there is no such column, or nothing in it (n/a). */
static const char *tsv_cell(const struct tsv *t, int column)
{
    if (column < 0 || !*t->cells[column] || strcmp(t->cells[column], "n/a") == 0) return NULL;
    return t->cells[column];
}

static void tsv_close(struct tsv *t)
{
    free(t->text);
    *t = (struct tsv){ 0 };
}

/* ---- beside ----
   Events and types that stand in files of their own: BIDS' events.tsv and channels.tsv beside a
   recording, a hypnogram as EDF+. */

static const double MOST_SECONDS = 1e12, DAY = 86400;

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcasecmp(text + n - m, ending) == 0;
}

/* ---- events.tsv ---- */
static int number(double *value, const struct tsv *t, const char *what, const char *cell,
                  struct kl_error *err)
{
    if (kl_sequence_number(value, cell) && fabs(*value) <= MOST_SECONDS) return KL_OK;
    return kl_fail(err, KL_EDATA, "%s: line %zu: %s: found '%.40s', expected seconds%s", t->path,
                   t->line, what, cell, strchr(cell, ',') ? " with a decimal point" : "");
}

struct columns {
    int onset, duration, type, value;
};
/* A row's meaning stands in trial_type or, if that is n/a, in value. */
static int read_row(struct kl_sequence_events *e, size_t *nameless, const struct tsv *t,
                    const struct columns *c, struct kl_error *err)
{
    const char *onset = tsv_cell(t, c->onset), *type = tsv_cell(t, c->type),
               *text = type ? type : tsv_cell(t, c->value), *duration = tsv_cell(t, c->duration);
    double from = 0, length = 0;
    int code = number(&from, t, "onset", onset ? onset : "n/a", err);
    if (!code && duration) code = number(&length, t, "duration", duration, err);
    if (!code && length < 0)
        code = kl_fail(err, KL_EDATA, "%s: line %zu: duration: found '%.40s', expected 0 or more",
                       t->path, t->line, duration);
    *nameless += !code && !text;
    return code || !text ? code : kl_sequence_events_add(e, from, length, text, strlen(text), err);
}

static int read_rows(struct kl_sequence_events *e, size_t *nameless, struct tsv *t, struct kl_error *err)
{
    const struct columns c = { tsv_column(t, "onset"), tsv_column(t, "duration"),
                               tsv_column(t, "trial_type"), tsv_column(t, "value") };
    bool more = true;
    int code = KL_OK;
    if (c.onset < 0 || (c.type < 0 && c.value < 0))
        return kl_fail(err, KL_EDATA,
                       "%s: no column '%s' in its first line, '%.60s%s'; expected those of BIDS, tabs "
                       "between them: onset, duration, trial_type or value",
                       t->path, c.onset < 0 ? "onset" : "trial_type", t->names[0],
                       t->n_names > 1 ? ", ..." : "");
    while (!code && more) {
        code = tsv_next(&more, t, err);
        if (!code && more) code = read_row(e, nameless, t, &c, err);
    }
    return code;
}

static int take_tsv(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    struct kl_sequence_events e = { 0 };
    struct tsv t;
    size_t nameless = 0;
    int code = tsv_open(&t, path, err);
    if (!code) code = read_rows(&e, &nameless, &t, err);
    tsv_close(&t);
    if (!code) code = kl_sequence_events_keep(r, &e, 0, err);
    kl_sequence_events_free(&e);
    if (!code && nameless)
        code = kl_sequence_remark(r, err, "%s: %zu event%s without trial_type and value %s left out",
                                  path, nameless, kl_s(nameless), nameless == 1 ? "is" : "are");
    return code;
}

/* ---- EDF+ of annotations alone ---- */
static bool seconds_of(double *seconds, const char *start)
{
    struct tm t = { 0 };
    const char *end = strptime(start, "%Y-%m-%d %H:%M:%S", &t);
    if (!end || *end) return false;
    *seconds = (double)timegm(&t);
    return true;
}

/* Annotations of h as those of r, whose clock is another's. */
static int take_annotations(struct kl_sequence_recording *r, const struct kl_sequence_recording *h,
                            struct kl_error *err)
{
    struct kl_sequence_events e = { 0 };
    double own, other, later = 0;
    if (seconds_of(&own, r->start) && seconds_of(&other, h->start)) later = other - own;
    if (fabs(later) > DAY)
        return kl_fail(err, KL_EDATA, "%s: starts at %s, %s at %s: expected events of one recording",
                       h->path, h->start, r->path, r->start);
    int code = KL_OK;
    for (size_t i = 0; i < h->n_annotations && !code; i++) {
        const struct kl_sequence_annotation *a = &h->annotations[i];
        code = kl_sequence_events_add(&e, a->onset + later, a->duration, a->text, strlen(a->text), err);
    }
    if (!code) code = kl_sequence_events_keep(r, &e, 0, err);
    kl_sequence_events_free(&e);
    if (!code && later != 0)
        code = kl_sequence_remark(r, err, "%s starts %g s %s it: its onsets are shifted by that",
                                  h->path, fabs(later), later > 0 ? "after" : "before");
    return code;
}

static int take_edf(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    struct kl_sequence_recording h;
    int code = kl_sequence_recording_open(&h, path, err);
    if (!code && h.n_signals)
        code = kl_fail(err, KL_EDATA, "%s: holds %zu signal%s, expected annotations alone", path,
                       h.n_signals, kl_s(h.n_signals));
    if (!code) code = take_annotations(r, &h, err);
    kl_sequence_recording_close(&h);
    return code;
}

static int keep_path(char **to, const char *path, struct kl_error *err)
{
    free(*to);
    *to = strdup(path);
    return *to ? KL_OK : kl_fail_memory(err, strlen(path));
}

int kl_sequence_recording_take_events(struct kl_sequence_recording *r, const char *path,
                                      struct kl_error *err)
{
    const size_t own = r->n_annotations;
    int code = keep_path(&r->beside[KL_SEQUENCE_EVENTS], path, err);
    if (!code) code = ends_with(path, ".tsv") ? take_tsv(r, path, err) : take_edf(r, path, err);
    if (code || !own) return code;
    return kl_sequence_remark(r, err, "%s: its %zu event%s take the place of the %zu of the file", path,
                              r->n_annotations, kl_s(r->n_annotations), own);
}

bool kl_sequence_is_events(const char *path)
{
    struct kl_sequence_recording r = { .path = path };
    struct kl_error none;
    bool alone = false, vision = false;
    if (ends_with(path, ".tsv")) return true;
    if (!(r.file = calloc(1, sizeof *r.file))) return false;
    if (!kl_sequence_open(&r.file->fd, &r.bytes, path, &none) &&
        !kl_sequence_is_vision(&vision, &r, &none) && !vision)
        alone = !kl_sequence_header_read(&r, &none) && !r.n_signals;
    kl_sequence_recording_close(&r);
    return alone;
}

/* ---- channels.tsv ---- */
static bool type_of(enum kl_sequence_type *type, const char *word)
{
    static const struct {
        enum kl_sequence_type type;
        const char *words;
    } types[] = {
        { KL_SEQUENCE_EEG, "EEG|REF|ECOG|SEEG|DBS" },
        { KL_SEQUENCE_EOG, "EOG|HEOG|VEOG" },
        { KL_SEQUENCE_ECG, "ECG|EKG" },
        { KL_SEQUENCE_EMG, "EMG" },
        { KL_SEQUENCE_STIMULUS, "TRIG|STIM" },
    };
    char upper[16];
    size_t n = 0;
    for (; word[n] && n + 1 < sizeof upper; n++)
        upper[n] = (char)(word[n] >= 'a' && word[n] <= 'z' ? word[n] - 32 : word[n]);
    upper[n] = '\0';
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (kl_choice(types[i].words, upper) >= 0) return *type = types[i].type, true;
    *type = KL_SEQUENCE_OTHER;
    return *word;
}

struct told {
    char bad[200];
    size_t n_bad, used, absent;
};
static void take_channel(struct told *told, struct kl_sequence_recording *r, const char *name,
                         const char *type, const char *status)
{
    const long at = kl_sequence_recording_find(r, name);
    enum kl_sequence_type found;
    if (at < 0) {
        told->absent++;
        return;
    }
    if (type && type_of(&found, type)) r->signals[at].type = found;
    if (!status || strcasecmp(status, "bad")) return;
    if (told->n_bad++ < 4)
        told->used += (size_t)snprintf(told->bad + told->used, sizeof told->bad - told->used, "%s%s",
                                       told->used ? ", " : "", r->signals[at].name);
}

static int read_channels(struct kl_sequence_recording *r, struct tsv *t, struct kl_error *err)
{
    const int name = tsv_column(t, "name"), type = tsv_column(t, "type"),
              status = tsv_column(t, "status");
    struct told told = { 0 };
    bool more = true;
    int code = KL_OK;
    if (name < 0) return kl_fail(err, KL_EDATA, "%s: no column 'name' in its first line", t->path);
    while (!code && more) {
        code = tsv_next(&more, t, err);
        const char *of = !code && more ? tsv_cell(t, name) : NULL;
        if (of) take_channel(&told, r, of, tsv_cell(t, type), tsv_cell(t, status));
    }
    if (!code && told.n_bad)
        code = kl_sequence_remark(
            r, err, "%s calls %zu channel%s bad, %s%s: --channels can leave out what is", t->path,
            told.n_bad, kl_s(told.n_bad), told.bad, told.n_bad > 4 ? ", ..." : "");
    if (!code && told.absent)
        code = kl_sequence_remark(r, err, "%s names %zu channel%s that the file lacks", t->path,
                                  told.absent, kl_s(told.absent));
    return code;
}

/* ---- what lies beside ---- */
/* NAME_events.tsv of NAME_eeg.edf or NAME.edf, malloc'ed. */
static int path_beside(char **to, const char *path, const char *suffix, struct kl_error *err)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    size_t n = dot ? (size_t)(dot - path) : strlen(path);
    if (n > 4 && strncmp(path + n - 4, "_eeg", 4) == 0) n -= 4;
    else if (n > 5 && strncmp(path + n - 5, "_ieeg", 5) == 0) n -= 5;
    if (asprintf(to, "%.*s%s", (int)n, path, suffix) >= 0) return KL_OK;
    *to = NULL;
    return kl_fail_memory(err, n);
}

static int take_types(struct kl_sequence_recording *r, const char *path, struct kl_error *err)
{
    struct tsv t;
    int code = keep_path(&r->beside[KL_SEQUENCE_CHANNELS], path, err);
    if (code) return code;
    code = tsv_open(&t, path, err);
    if (!code) code = read_channels(r, &t, err);
    tsv_close(&t);
    return code;
}

int kl_sequence_beside_read(struct kl_sequence_recording *r, struct kl_error *err)
{
    char *channels = NULL, *events = NULL;
    if (!r->n_signals) return KL_OK; /* events themselves */
    int code = path_beside(&channels, r->path, "_channels.tsv", err);
    if (!code) code = path_beside(&events, r->path, "_events.tsv", err);
    if (!code && access(channels, F_OK) == 0) code = take_types(r, channels, err);
    if (!code && access(events, F_OK) == 0) code = kl_sequence_recording_take_events(r, events, err);
    free(channels), free(events);
    return code;
}
