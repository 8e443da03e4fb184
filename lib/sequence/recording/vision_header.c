/* SPDX-License-Identifier: MIT
   The header of BrainVision files (Brain Products, "BrainVision Core Data Format 1.0"): lines of a
   .vhdr, which name the file of the samples and say how they stand there. What is missing, stands twice,
   or says what the samples are not, is refused. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "sequence/recording/recording_int.h"
#include "store/store.h"

enum { LARGEST = 1 << 24, MOST_CHANNELS = 100000 };

/* "BrainVision ...", "Brain Vision ..." */
static const char *behind_name(const char *line)
{
    static const char *const names[] = { "Brain Vision ", "BrainVision " };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(line, names[i], strlen(names[i])) == 0) return line + strlen(names[i]);
    return NULL;
}

int kl_sequence_is_vision(bool *is, const struct kl_sequence_recording *r, struct kl_error *err)
{
    char line[80] = "";
    const size_t n = r->bytes < sizeof line - 1 ? (size_t)r->bytes : sizeof line - 1;
    const int code = kl_store_pread_all(r->file->fd, line, n, 0, r->path, err);
    const char *begin = strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line;
    *is = !code && behind_name(begin) && strstr(line, "Header File");
    return code;
}

/* ---- lines of .vhdr and .vmrk ---- */
int kl_sequence_ini_open(struct kl_sequence_ini *f, const char *path, const char *what,
                         struct kl_error *err)
{
    size_t n = 0;
    *f = (struct kl_sequence_ini){ .path = path, .section = "" };
    int code = kl_read_text(&f->text, &n, path, LARGEST, "a header or markers of BrainVision", err);
    if (code) return code;
    if (strlen(f->text) != n)
        return kl_fail(err, KL_EDATA, "%s: byte %zu is 0, expected text", path, strlen(f->text));
    f->rest = strncmp(f->text, "\xef\xbb\xbf", 3) == 0 ? f->text + 3 : f->text;
    const size_t length = strcspn(f->rest, "\r\n");
    const char *name = behind_name(f->rest), *version = strstr(f->rest, "Version ");
    char first[2 * 80 + 1];
    kl_sequence_text(first, f->rest, length < 80 ? length : 80);
    if (!name || !strstr(first, what) || !version || version > f->rest + length ||
        (strncmp(version + 8, "1.0", 3) && strncmp(version + 8, "2.0", 3)))
        return kl_fail(err, KL_EDATA,
                       "%s: begins with '%s', expected 'BrainVision Data Exchange %s Version 1.0'", path,
                       first, what);
    f->rest += length;
    return KL_OK;
}

/* The next KEY=VALUE of any section but the comment, which is free text. */
bool kl_sequence_ini_next(struct kl_sequence_ini *f)
{
    while (f->rest && *f->rest) {
        char *line = f->rest, *end = line + strcspn(line, "\n");
        f->rest = *end ? end + 1 : end;
        *end = '\0', f->line++;
        for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]);) line[--n] = '\0';
        if (*line == '[') {
            char *close = strchr(line, ']');
            if (close) *close = '\0';
            f->section = line + 1;
            continue;
        }
        char *equals = strchr(line, '=');
        if (!equals || *line == ';' || strcasecmp(f->section, "Comment") == 0) continue;
        *equals = '\0', f->key = line, f->value = equals + 1;
        return true;
    }
    return false;
}

void kl_sequence_ini_close(struct kl_sequence_ini *f)
{
    free(f->text);
    *f = (struct kl_sequence_ini){ 0 };
}

/* ---- values ---- */
enum value {
    DATA_FILE,
    MARKER_FILE,
    FORMAT,
    ORIENTATION,
    TYPE,
    CHANNELS,
    INTERVAL,
    POINTS,
    BINARY,
    ORDER_OF_BYTES,
    OFFSET,
    CHANNEL_OFFSET,
    N_VALUES
};
static const struct {
    const char *section, *key;
} values[N_VALUES] = {
    [DATA_FILE] = { "Common Infos", "DataFile" },
    [MARKER_FILE] = { "Common Infos", "MarkerFile" },
    [FORMAT] = { "Common Infos", "DataFormat" },
    [ORIENTATION] = { "Common Infos", "DataOrientation" },
    [TYPE] = { "Common Infos", "DataType" },
    [CHANNELS] = { "Common Infos", "NumberOfChannels" },
    [INTERVAL] = { "Common Infos", "SamplingInterval" },
    [POINTS] = { "Common Infos", "DataPoints" },
    [BINARY] = { "Binary Infos", "BinaryFormat" },
    [ORDER_OF_BYTES] = { "Binary Infos", "UseBigEndianOrder" },
    [OFFSET] = { "Binary Infos", "DataOffset" },
    [CHANNEL_OFFSET] = { "Binary Infos", "ChannelOffset" },
};
struct header {
    struct kl_sequence_recording *r;
    struct kl_error *err;
    const char *value[N_VALUES]; /* NULL: not there */
    char **channel;              /* (n) "Fp1,,0.1,uV" */
    size_t n;
    double rate;
};

static int fail(const struct header *h, enum value which, const char *expected)
{
    char text[2 * 60 + 1] = "nothing";
    const char *value = h->value[which];
    if (value) {
        text[0] = '\'';
        kl_sequence_text(text + 1, value, strlen(value) < 58 ? strlen(value) : 58);
        strcat(text, "'");
    }
    return kl_fail(h->err, KL_EDATA, "%s: %s: found %s, expected %s", h->r->path, values[which].key,
                   text, expected);
}

/* One of "A|B"; the first, if nothing is said. */
static int choice(int *which, const struct header *h, enum value value, const char *words)
{
    char expected[80];
    size_t used = 0;
    *which = h->value[value] ? kl_choice(words, h->value[value]) : 0;
    for (; *words && used + 5 < sizeof expected; words++)
        if (*words == '|') used += (size_t)snprintf(expected + used, sizeof expected - used, " or ");
        else expected[used++] = *words;
    expected[used] = '\0';
    return *which < 0 ? fail(h, value, expected) : KL_OK;
}

static int whole(int64_t *to, const struct header *h, enum value value, int64_t least, int64_t most,
                 int64_t usual)
{
    char expected[80];
    snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)least,
             (long long)most);
    *to = usual;
    if (!h->value[value] && usual >= 0) return KL_OK;
    return h->value[value] && kl_sequence_whole(to, h->value[value]) && *to >= least && *to <= most
               ? KL_OK
               : fail(h, value, expected);
}

/* ---- how samples stand ---- */
static int read_layout(struct header *h)
{
    struct kl_sequence_recording_file *f = h->r->file;
    static const enum kl_sequence_sample samples[] = { KL_SEQUENCE_INT16, KL_SEQUENCE_FLOAT32,
                                                       KL_SEQUENCE_INT32 };
    int which = 0, vectorized = 0, big = 0;
    int64_t offset = 0, between = 0;
    double interval = 0;
    int code = h->value[FORMAT] ? KL_OK : fail(h, FORMAT, "BINARY");
    if (!code) code = choice(&which, h, FORMAT, "BINARY");
    if (!code) code = choice(&which, h, TYPE, "TIMEDOMAIN");
    if (!code && !h->value[ORIENTATION]) code = fail(h, ORIENTATION, "MULTIPLEXED or VECTORIZED");
    if (!code) code = choice(&vectorized, h, ORIENTATION, "MULTIPLEXED|VECTORIZED");
    if (!code && !h->value[BINARY]) code = fail(h, BINARY, "INT_16 or IEEE_FLOAT_32");
    if (!code) code = choice(&which, h, BINARY, "INT_16|IEEE_FLOAT_32|INT_32");
    if (!code) code = choice(&big, h, ORDER_OF_BYTES, "NO|YES");
    if (!code) code = whole(&offset, h, OFFSET, 0, INT64_MAX / 4, 0);
    if (!code) code = whole(&between, h, CHANNEL_OFFSET, 0, 0, 0);
    if (!code && (!h->value[INTERVAL] || !kl_sequence_number(&interval, h->value[INTERVAL]) ||
                  !(interval >= 1e-3 && interval <= 1e12)))
        code = fail(h, INTERVAL, "microseconds between two samples");
    if (code) return code;
    f->sample = samples[which], f->width = f->sample == KL_SEQUENCE_INT16 ? 2 : 4;
    f->swapped = big, f->vectorized = vectorized, f->header_bytes = (size_t)offset;
    f->record_bytes = h->n * f->width;
    h->r->record_seconds = interval * 1e-6, h->rate = 1e6 / interval;
    return KL_OK;
}

/* ---- channels ---- */
/* n bytes of a longer text, less a part of a character at their end. */
static size_t characters(const char *text, size_t n)
{
    while (n && (text[n] & 0xc0) == 0x80) n--;
    return n;
}

/* The k-th field between commas, as text; "\1" stands for a comma. What was odd: NULL, or words. */
static const char *field(char *to, size_t size, const char *line, size_t k)
{
    char raw[100], text[201];
    size_t n = 0;
    for (; k && *line; k--) line += strcspn(line, ","), line += *line == ',';
    const char *end = line + strcspn(line, ",");
    for (; line < end && n + 1 < sizeof raw; line++)
        if (line[0] == '\\' && line[1] == '1') raw[n++] = ',', line++;
        else raw[n++] = *line;
    bool cut = line < end;
    if (cut) raw[n] = *line, n = characters(raw, n);
    const bool latin1 = kl_sequence_text(text, raw, n);
    size_t length = strlen(text);
    cut = cut || length >= size;
    if (cut) length = characters(text, length < size ? length : size - 1);
    snprintf(to, size, "%.*s", (int)length, text);
    return cut ? "is too long and was cut" : latin1 ? "is no UTF-8 and taken for Latin-1" : NULL;
}

static int read_scale(struct kl_sequence_channel *c, struct kl_sequence_signal *s, const char *line,
                      struct kl_error *err)
{
    char text[100];
    field(text, sizeof text, line, 2);
    c->gain = 1;
    if (*text && (!kl_sequence_number(&c->gain, text) || !(fabs(c->gain) < 1e200) || c->gain == 0)) {
        c->gain = 0;
        return kl_sequence_fault(s, err, "resolution: found '%s', expected a number%s", text,
                                 strchr(text, ',') ? " with a decimal point" : "");
    }
    return KL_OK;
}

static int read_channel(const struct header *h, size_t i)
{
    struct kl_sequence_recording *r = h->r;
    struct kl_sequence_recording_file *f = r->file;
    struct kl_sequence_channel *c = &f->channels[i];
    struct kl_sequence_signal *s = &r->signals[i];
    if (!h->channel[i])
        return kl_fail(h->err, KL_EDATA, "%s: no Ch%zu=, expected one for each of %zu channels", r->path,
                       i + 1, h->n);
    *c = (struct kl_sequence_channel){ .per_record = 1, .signal = (long)i, .offset = i * f->width };
    f->of_signal[i] = c, r->n_signals = i + 1;
    const char *odd = field(s->label, sizeof s->label, h->channel[i], 0);
    field(s->unit, sizeof s->unit, h->channel[i], 3);
    if (!*s->unit) strcpy(s->unit, "uV");
    snprintf(c->label, sizeof c->label, "%s", s->label);
    kl_sequence_electrode_name(s->name, s->label);
    s->to_volts = kl_sequence_unit_volts(s->unit);
    s->type = kl_sequence_type_of(s->label, "", s->unit);
    s->per_record = 1, s->rate = h->rate;
    int code = read_scale(c, s, h->channel[i], h->err);
    if (!code && odd) code = kl_sequence_remark(r, h->err, "%s: its label %s", s->label, odd);
    s->digital_max = f->sample == KL_SEQUENCE_INT16   ? INT16_MAX
                     : f->sample == KL_SEQUENCE_INT32 ? INT32_MAX
                                                      : (double)FLT_MAX;
    s->digital_min = f->sample == KL_SEQUENCE_FLOAT32 ? -s->digital_max : -s->digital_max - 1;
    s->physical_min = c->gain * s->digital_min, s->physical_max = c->gain * s->digital_max;
    return code;
}

static int read_channels(struct header *h)
{
    struct kl_sequence_recording *r = h->r;
    r->file->channels = calloc(h->n, sizeof *r->file->channels);
    r->file->of_signal = calloc(h->n, sizeof *r->file->of_signal);
    r->signals = calloc(h->n, sizeof *r->signals);
    if (!r->file->channels || !r->file->of_signal || !r->signals)
        return kl_fail_memory(h->err, h->n * sizeof *r->signals);
    r->file->n_channels = h->n;
    int code = KL_OK;
    for (size_t i = 0; i < h->n && !code; i++) code = read_channel(h, i);
    return code;
}

/* ---- lines into values ---- */
static int take_channel(struct header *h, const struct kl_sequence_ini *f)
{
    int64_t k = 0;
    if (strncasecmp(f->key, "Ch", 2) || !kl_sequence_whole(&k, f->key + 2)) return KL_OK;
    if (k < 1 || (size_t)k > h->n)
        return kl_fail(h->err, KL_EDATA, "%s: line %zu: %s, expected Ch1 to Ch%zu (NumberOfChannels)",
                       h->r->path, f->line, f->key, h->n);
    if (h->channel[k - 1])
        return kl_fail(h->err, KL_EDATA, "%s: line %zu: %s stands twice", h->r->path, f->line, f->key);
    h->channel[k - 1] = f->value;
    return KL_OK;
}

static int take_line(struct header *h, const struct kl_sequence_ini *f)
{
    int64_t n = 0;
    if (strcasecmp(f->section, "Channel Infos") == 0) {
        if (!h->channel) {
            const int code = whole(&n, h, CHANNELS, 1, MOST_CHANNELS, -1);
            if (code) return code;
            h->n = (size_t)n;
            if (!(h->channel = calloc(h->n, sizeof *h->channel)))
                return kl_fail_memory(h->err, h->n * sizeof *h->channel);
        }
        return take_channel(h, f);
    }
    for (size_t i = 0; i < N_VALUES; i++) {
        if (strcasecmp(f->section, values[i].section) || strcasecmp(f->key, values[i].key)) continue;
        if (h->value[i])
            return kl_fail(h->err, KL_EDATA, "%s: line %zu: %s stands twice", h->r->path, f->line,
                           values[i].key);
        if (*f->value) h->value[i] = f->value;
    }
    return KL_OK;
}

static int take_lines(struct header *h, struct kl_sequence_ini *f)
{
    int code = KL_OK;
    while (!code && kl_sequence_ini_next(f)) code = take_line(h, f);
    if (!code && !h->channel)
        code = kl_fail(h->err, KL_EDATA, "%s: no [Channel Infos], expected Ch1=NAME,,RESOLUTION,UNIT",
                       h->r->path);
    return code;
}

/* ---- the files that it names ---- */
/* Beside the header; "$b" is the header's own name. malloc'ed. */
static int path_of(char **to, const struct header *h, enum value value)
{
    const char *path = h->r->path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
               *dot = strrchr(base, '.'), *name = h->value[value];
    const bool own = strncmp(name, "$b", 2) == 0;
    const int n = asprintf(to, "%.*s%.*s%s", *name == '/' ? 0 : (int)(base - path), path,
                           own ? (int)(dot ? dot - base : (ptrdiff_t)strlen(base)) : 0, base,
                           own ? name + 2 : name);
    if (n >= 0) return KL_OK;
    *to = NULL;
    return kl_fail_memory(h->err, strlen(path));
}

static int check_there(const struct header *h, enum value value, const char *path)
{
    char name[2 * 80 + 1];
    if (access(path, F_OK) == 0) return KL_OK;
    kl_sequence_text(name, h->value[value], strlen(h->value[value]) < 80 ? strlen(h->value[value]) : 80);
    return kl_fail(h->err, KL_ENOINPUT,
                   "%s: %s=%s is not beside it; if files were renamed, name it there", h->r->path,
                   values[value].key, name);
}

static int open_files(struct header *h)
{
    struct kl_sequence_recording *r = h->r;
    int code = h->value[DATA_FILE] ? path_of(&r->beside[KL_SEQUENCE_DATA], h, DATA_FILE)
                                   : fail(h, DATA_FILE, "the name of the file with the samples");
    if (!code) code = check_there(h, DATA_FILE, r->beside[KL_SEQUENCE_DATA]);
    if (!code && h->value[MARKER_FILE]) {
        code = path_of(&r->beside[KL_SEQUENCE_MARKERS], h, MARKER_FILE);
        if (!code) code = check_there(h, MARKER_FILE, r->beside[KL_SEQUENCE_MARKERS]);
    }
    if (code) return code;
    close(r->file->fd);
    return kl_sequence_open(&r->file->fd, &r->bytes, r->beside[KL_SEQUENCE_DATA], h->err);
}

/* The samples that the header says, against the bytes that are there. */
static int judge_length(const struct header *h)
{
    struct kl_sequence_recording *r = h->r;
    const struct kl_sequence_recording_file *f = r->file;
    const char *path = r->beside[KL_SEQUENCE_DATA];
    const uint64_t bytes = r->bytes > f->header_bytes ? r->bytes - f->header_bytes : 0,
                   n = bytes / f->record_bytes;
    int64_t said = -1;
    int code = h->value[POINTS] ? whole(&said, h, POINTS, 0, INT64_MAX / 4, -1) : KL_OK;
    if (code) return code;
    if (r->bytes < f->header_bytes || bytes % f->record_bytes)
        return kl_fail(h->err, KL_EDATA,
                       "%s: %llu bytes behind %zu, expected a multiple of %zu, those of a sample of %zu "
                       "channels; fetch it again",
                       path, (unsigned long long)bytes, f->header_bytes, f->record_bytes, h->n);
    if (said >= 0 && (uint64_t)said != n)
        return kl_fail(h->err, KL_EDATA, "%s: holds %llu samples of each channel, the header says %lld",
                       path, (unsigned long long)n, (long long)said);
    r->n_records = (size_t)n;
    for (size_t i = 0; i < h->n && f->vectorized; i++) f->channels[i].offset = i * n * f->width;
    return KL_OK;
}

int kl_sequence_vision_read(struct kl_sequence_recording *r, struct kl_error *err)
{
    struct kl_sequence_ini f;
    struct header h = { .r = r, .err = err };
    r->format = KL_SEQUENCE_BRAINVISION;
    int code = kl_sequence_ini_open(&f, r->path, "Header File", err);
    if (!code) code = take_lines(&h, &f);
    if (!code) code = read_layout(&h);
    if (!code) code = read_channels(&h);
    if (!code) code = open_files(&h);
    if (!code) code = judge_length(&h);
    kl_sequence_ini_close(&f);
    free(h.channel);
    return code;
}
