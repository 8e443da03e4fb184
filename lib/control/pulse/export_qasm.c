/* SPDX-License-Identifier: MIT
   Samples from OpenQASM 3 with OpenPulse: ports, frames, waveforms that are lists, and one calibration
   that plays them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/pulse/pulse_int.h"

enum { MOST_NAMES = 2 * KL_CONTROL_MAX_CONTROLS, NAME = 64 };
struct reader {
    struct kl_control_samples *s;
    const char *text, *at, *path;
    struct kl_error *err;
    /* In the order in which they are declared; a waveform's numbers are read when it is played. */
    struct named {
        char name[NAME], port[NAME];
        double frequency;
        const char *list; /* of a waveform; NULL: a frame */
    } names[MOST_NAMES];
    int n_names;
    char ports[KL_CONTROL_MAX_CONTROLS][NAME];
    int n_ports;
};

static void skip_space(struct reader *r)
{
    for (;;) {
        r->at += strspn(r->at, " \t\r\n");
        if (strncmp(r->at, "//", 2) != 0) return;
        r->at += strcspn(r->at, "\n");
    }
}

static int fail(struct reader *r, const char *expected)
{
    int line = 1;
    skip_space(r);
    for (const char *c = r->text; c < r->at; c++) line += *c == '\n';
    const int n = (int)strcspn(r->at, "\n");
    return kl_fail(r->err, KL_EDATA, "%s: line %d: found '%.*s', expected %s", r->path, line,
                   n < 30 ? n : 30, r->at, expected);
}

/* Passes over a word or a sign, if it stands here. */
static bool accept(struct reader *r, const char *word)
{
    const size_t n = strlen(word);
    skip_space(r);
    if (strncmp(r->at, word, n) != 0) return false;
    if (isalpha((unsigned char)*word) && (isalnum((unsigned char)r->at[n]) || r->at[n] == '_'))
        return false;
    r->at += n;
    return true;
}
static int expect(struct reader *r, const char *words)
{
    char word[32];
    for (const char *w = words; *w;) {
        const size_t n = strcspn(w, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, w);
        if (!accept(r, word)) return fail(r, word);
        w += n + (w[n] == ' ');
    }
    return 0;
}

static int take_name(struct reader *r, char name[NAME])
{
    size_t n = 0;
    skip_space(r);
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_') n++;
    if (n == 0 || n >= NAME) return fail(r, "a name");
    snprintf(name, NAME, "%.*s", (int)n, r->at);
    r->at += n;
    return 0;
}

/* Digits with a sign before them, perhaps a blank between. */
static int take_number(struct reader *r, double *number)
{
    char *end;
    const double sign = accept(r, "-") ? -1 : 1;
    skip_space(r);
    if (!isdigit((unsigned char)*r->at) && *r->at != '.') return fail(r, "a number");
    if (r->at[0] == '0' && tolower((unsigned char)r->at[1]) == 'x') return fail(r, "a decimal number");
    *number = sign * strtod(r->at, &end);
    if (end == r->at || !isfinite(*number)) return fail(r, "a number");
    r->at = end;
    return 0;
}

/* "0.5 - 0.25im", or "0.5" where no imaginary part is wanted. */
static int take_complex(struct reader *r, double *re, double *im)
{
    int code = take_number(r, re);
    if (code || !im) return code;
    const bool minus = accept(r, "-");
    if (!minus && !accept(r, "+")) return fail(r, "+ or -, and the imaginary part");
    code = take_number(r, im);
    if (!code && !accept(r, "im")) code = fail(r, "im");
    if (minus) *im = -*im;
    return code;
}

/* ---- cal { ... } ---- */
static struct named *find(struct reader *r, const char *name, bool list)
{
    for (int i = 0; i < r->n_names; i++)
        if (strcmp(r->names[i].name, name) == 0 && !r->names[i].list == !list) return &r->names[i];
    return NULL;
}

static int take_port(struct reader *r)
{
    if (r->n_ports == KL_CONTROL_MAX_CONTROLS) return fail(r, "no more ports");
    int code = take_name(r, r->ports[r->n_ports]);
    for (int i = 0; !code && i < r->n_ports; i++)
        if (strcmp(r->ports[i], r->ports[r->n_ports]) == 0) code = fail(r, "a port of another name");
    r->n_ports++;
    return code ? code : expect(r, ";");
}

static int take_frame(struct reader *r, struct named *n)
{
    double phase = 0;
    int code = expect(r, "= newframe (");
    if (!code) code = take_name(r, n->port);
    if (!code) code = expect(r, ",");
    if (!code) code = take_number(r, &n->frequency);
    if (!code) code = expect(r, ",");
    if (!code) code = take_number(r, &phase);
    if (!code && phase != 0) code = fail(r, "the phase 0");
    int known = 0;
    for (int i = 0; i < r->n_ports; i++) known += strcmp(r->ports[i], n->port) == 0;
    if (!code && !known) code = fail(r, "a port that was declared");
    return code ? code : expect(r, ") ;");
}

static int take_declaration(struct reader *r)
{
    const bool frame = accept(r, "frame");
    if (!frame && !accept(r, "waveform")) return fail(r, "port, frame, waveform or '}'");
    if (r->n_names == MOST_NAMES) return fail(r, "no more frames and waveforms");
    struct named *n = &r->names[r->n_names];
    *n = (struct named){ .list = NULL };
    int code = take_name(r, n->name);
    if (!code && (find(r, n->name, true) || find(r, n->name, false)))
        code = fail(r, "a name that is not declared twice");
    if (code) return code;
    r->n_names++;
    if (frame) return take_frame(r, n);
    code = expect(r, "= {");
    n->list = r->at;
    if (code) return code;
    r->at += strcspn(r->at, "}");
    return expect(r, "} ;");
}

/* ---- defcal ... { play(frame, waveform); ... } ---- */
static int take_wave(struct reader *r, const struct named *wave, int j)
{
    struct kl_control_samples *s = r->s;
    const char *back = r->at;
    const int q = s->outputs[j].q;
    int code = 0;
    r->at = wave->list;
    for (int i = 0; !code && i < s->n; i++) {
        double re = 0, im = 0;
        if (i && !accept(r, ",")) return fail(r, "',' and as many samples as the conventions say");
        code = take_complex(r, &re, q >= 0 ? &im : NULL);
        if (!code) code = kl_control_samples_take(s, i, j, re, r->path, r->err);
        if (!code && q >= 0) code = kl_control_samples_take(s, i, q, im, r->path, r->err);
    }
    if (!code && !accept(r, "}")) return fail(r, "'}': the conventions say that there are no more");
    r->at = back;
    return code;
}

/* Read the waveform that output j, an I or one alone, plays. */
static int take_play(struct reader *r, int j, char used[MOST_NAMES][NAME], int *n_used)
{
    const struct kl_control_samples *s = r->s;
    char frame_name[NAME], wave_name[NAME];
    int code = expect(r, "play (");
    if (!code) code = take_name(r, frame_name);
    if (!code) code = expect(r, ",");
    if (!code) code = take_name(r, wave_name);
    if (!code) code = expect(r, ") ;");
    if (code) return code;
    const struct named *frame = find(r, frame_name, false), *wave = find(r, wave_name, true);
    if (!frame || !wave)
        return kl_fail(r->err, KL_EDATA, "%s: play(%s, %s): no such %s", r->path, frame_name, wave_name,
                       frame ? "waveform" : "frame");
    for (int i = 0; i < *n_used; i++)
        if (strcmp(used[i], frame->port) == 0)
            return kl_fail(r->err, KL_EDATA, "%s: two waveforms are played on %s", r->path, frame->port);
    snprintf(used[(*n_used)++], NAME, "%s", frame->port);
    const double expected = s->outputs[j].frequency / (s->unit > 0 ? s->unit : 1);
    if (!kl_control_samples_agree(frame->frequency, expected))
        return kl_fail(r->err, KL_EDATA, "%s: frame %s: frequency %g, expected %g", r->path, frame_name,
                       frame->frequency, expected);
    return take_wave(r, wave, j);
}

static int take_calibration(struct reader *r)
{
    char used[MOST_NAMES][NAME], name[NAME];
    int n_used = 0, code = expect(r, "defcal");
    if (!code) code = take_name(r, name);
    while (!code && accept(r, "$")) {
        const size_t digits = strspn(r->at, "0123456789");
        if (!digits) code = fail(r, "the number of a qubit");
        r->at += digits;
        if (!accept(r, ",")) break;
    }
    if (!code) code = expect(r, "{");
    for (int j = 0; !code && j < r->s->n_outputs; j++)
        if (!r->s->outputs[j].is_q) code = take_play(r, j, used, &n_used);
    return code ? code : expect(r, "}");
}

int kl_control_samples_read_qasm(struct kl_control_samples *s, const char *text, const char *path,
                                 struct kl_error *err)
{
    struct reader r = { .s = s, .text = text, .at = text, .path = path, .err = err };
    int code = expect(&r, "OPENQASM 3.0 ; defcalgrammar \"openpulse\" ; cal {");
    while (!code && !accept(&r, "}")) code = accept(&r, "port") ? take_port(&r) : take_declaration(&r);
    if (!code) code = take_calibration(&r);
    skip_space(&r);
    if (!code && *r.at) code = fail(&r, "the end of the file");
    return code;
}
