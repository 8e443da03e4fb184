/* SPDX-License-Identifier: MIT
   Alignments, and means and deviations of channels over aligned windows, in double and in the order of
   the windows. */
#include "sequence/learn/fitted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 8 };

size_t kl_sequence_standard_rows(const struct kl_sequence_standard *s)
{
    return s->kind == KL_SEQUENCE_STANDARD_SUBJECT ? s->people : 1;
}

static size_t align_rows(const struct kl_sequence_standard *s)
{
    return s->align == KL_SEQUENCE_ALIGN_SUBJECT ? s->people : 1;
}

bool kl_sequence_standard_own(const struct kl_sequence_standard *s)
{
    return s->kind == KL_SEQUENCE_STANDARD_SUBJECT || s->align == KL_SEQUENCE_ALIGN_SUBJECT;
}

const char *kl_sequence_transductive(enum kl_sequence_standard_kind kind,
                                     enum kl_sequence_alignment align)
{
    const bool standard = kind == KL_SEQUENCE_STANDARD_SUBJECT,
               aligned = align == KL_SEQUENCE_ALIGN_SUBJECT;
    return standard && aligned ? "--align subject, --standardise subject"
           : standard          ? "--standardise subject"
           : aligned           ? "--align subject"
                               : NULL;
}

static const float *window(const void *context, size_t i, struct kl_error *err)
{
    return kl_sequence_set_window(context, i, err);
}
struct kl_sequence_window_source kl_sequence_standard_source(const struct kl_sequence_set *set)
{
    return (struct kl_sequence_window_source){
        .context = set, .single = window, .channels = set->channels, .steps = set->steps
    };
}

/* A fit, and the windows that it is made on. */
struct fit {
    struct kl_sequence_standard *s;
    const struct kl_sequence_set *set;
    int64_t *person;      /* (n_subjects): number among s->names, -1: not wanted, or without a window */
    const int64_t *train; /* (n), NULL: all */
    size_t n;
    float *aligned; /* (channels, steps): room */
};

static int fit_open(struct fit *f, const bool *wanted, struct kl_error *err)
{
    struct kl_sequence_standard *s = f->s;
    const struct kl_sequence_set *set = f->set;
    f->person = malloc((set->n_subjects + 1) * sizeof *f->person);
    f->aligned = malloc((set->channels * set->steps + 1) * sizeof *f->aligned);
    if (!f->person || !f->aligned) return kl_fail_memory(err, set->channels * set->steps * 4);
    if (!kl_sequence_standard_own(s)) return KL_OK;
    s->people = 0;
    if (!(s->names = calloc(set->n_subjects + 1, sizeof *s->names)))
        return kl_fail_memory(err, set->n_subjects * sizeof *s->names);
    for (size_t p = 0; p < set->n_subjects; p++) f->person[p] = -1;
    for (size_t i = 0; i < set->n; i++)
        if (!wanted || wanted[set->subject[i]]) f->person[set->subject[i]] = 0;
    for (size_t p = 0; p < set->n_subjects; p++) {
        if (f->person[p] < 0) continue;
        f->person[p] = (int64_t)s->people;
        if (!(s->names[s->people++] = strdup(set->subject_names[p]))) return kl_fail_memory(err, 64);
    }
    return KL_OK;
}

static void fit_close(struct fit *f)
{
    free(f->person), free(f->aligned);
}

/* ---- alignment ---- */

int kl_sequence_standard_ready(struct kl_sequence_standard *s, struct kl_error *err)
{
    const size_t n = align_rows(s) * s->channels * s->channels;
    if (!s->align_by) return KL_OK;
    s->multiply = malloc((n + 1) * sizeof *s->multiply);
    if (!s->multiply) return kl_fail_memory(err, n * sizeof *s->multiply);
    for (size_t i = 0; i < n; i++) s->multiply[i] = (float)s->align_by[i];
    return KL_OK;
}

/* Row by row: of the training windows, or of each person's own; list (set->n) is room. */
static int fit_rows(struct fit *f, int64_t *list, struct kl_error *err)
{
    struct kl_sequence_standard *s = f->s;
    const struct kl_sequence_window_source source = kl_sequence_standard_source(f->set);
    const bool own = s->align == KL_SEQUENCE_ALIGN_SUBJECT;
    for (size_t row = 0; row < align_rows(s); row++) {
        const int64_t *windows = own ? list : f->train;
        struct kl_error why = { 0 };
        size_t n = own ? 0 : f->train ? f->n : f->set->n, lost = 0;
        for (size_t i = 0; own && i < f->set->n; i++)
            if (f->person[f->set->subject[i]] == (int64_t)row) list[n++] = (int64_t)i;
        const int code = kl_sequence_alignment_fit(s->align_by + row * s->channels * s->channels, &lost,
                                                   &source, windows, n, NULL, &why);
        if (code && own) return kl_fail(err, code, "--align subject: '%s': %s", s->names[row], why.text);
        if (code) return kl_fail(err, code, "--align train: %s", why.text);
        if (lost > s->lost) s->lost = lost;
    }
    return KL_OK;
}

static int fit_alignment(struct fit *f, struct kl_error *err)
{
    struct kl_sequence_standard *s = f->s;
    const size_t n = align_rows(s) * s->channels * s->channels;
    int64_t *const list = malloc((f->set->n + 1) * sizeof *list);
    s->align_by = malloc((n + 1) * sizeof *s->align_by);
    int code = list && s->align_by ? KL_OK : kl_fail_memory(err, n * sizeof *s->align_by);
    if (!code) code = fit_rows(f, list, err);
    free(list);
    return code ? code : kl_sequence_standard_ready(s, err);
}

static void align(float *out, const struct kl_sequence_standard *s, size_t person, const float *x,
                  size_t steps, size_t stride)
{
    const size_t row = s->align == KL_SEQUENCE_ALIGN_SUBJECT ? person : 0;
    kl_sequence_alignment_apply(out, stride, s->multiply + row * s->channels * s->channels, x,
                                s->channels, steps);
}

/* ---- means and deviations ---- */

/* Sums over a row of n values of (x - at)^power, power 1 or 2: eight of them, then halves. */
static double row_sum(const float *x, size_t n, double at, bool square)
{
    double s[LANES] = { 0 };
    for (size_t t = 0; t < n; t++) {
        const double d = (double)x[t] - at;
        s[t % LANES] += square ? d * d : d;
    }
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* Adds to sums (rows, channels) the rows of all windows, and to counts (rows) their values. means:
   subtracted, and squares taken; NULL: neither. */
static int add_all(double *sums, double *counts, const struct fit *f, const double *means,
                   struct kl_error *err)
{
    const struct kl_sequence_standard *s = f->s;
    const struct kl_sequence_set *set = f->set;
    const bool own = s->kind == KL_SEQUENCE_STANDARD_SUBJECT, listed = !own && f->train;
    const size_t C = s->channels, T = set->steps;
    for (size_t k = 0; k < (listed ? f->n : set->n); k++) {
        const size_t i = listed ? (size_t)f->train[k] : k;
        const int64_t person = s->names ? f->person[set->subject[i]] : 0;
        if (person < 0) continue;
        const size_t row = own ? (size_t)person : 0;
        const float *x = kl_sequence_set_window(set, i, err);
        if (!x) return err->code;
        if (s->multiply) align(f->aligned, s, (size_t)person, x, T, T), x = f->aligned;
        for (size_t c = 0; c < C; c++)
            sums[row * C + c] += row_sum(x + c * T, T, means ? means[row * C + c] : 0, means != NULL);
        counts[row] += (double)T;
    }
    return KL_OK;
}

static int measure(struct fit *f, struct kl_error *err)
{
    struct kl_sequence_standard *s = f->s;
    const size_t rows = kl_sequence_standard_rows(s), all = rows * s->channels;
    double *sums = calloc(2 * all + 2 * rows + 1, sizeof *sums), *squares = sums + all,
           *counts = squares + all;
    if (!sums) return kl_fail_memory(err, 2 * all * sizeof *sums);
    int code = add_all(sums, counts, f, NULL, err);
    for (size_t i = 0; i < all; i++)
        sums[i] = counts[i / s->channels] > 0 ? sums[i] / counts[i / s->channels] : 0;
    if (!code) code = add_all(squares, counts + rows, f, sums, err);
    for (size_t i = 0; i < all && !code; i++) {
        const double sd = counts[i / s->channels] > 0 ? sqrt(squares[i] / counts[i / s->channels]) : 0;
        s->mean[i] = (float)sums[i];
        s->scale[i] = sd > 1e-12 * fabs(sums[i]) ? (float)(1 / sd) : 0;
    }
    free(sums);
    return code;
}

static int fit_standard(struct fit *f, struct kl_error *err)
{
    struct kl_sequence_standard *s = f->s;
    const size_t n = kl_sequence_standard_rows(s) * s->channels;
    const bool millivolts = !s->align_by && strcmp(f->set->unit, "uV") == 0;
    s->mean = calloc(n + 1, sizeof *s->mean);
    s->scale = calloc(n + 1, sizeof *s->scale);
    if (!s->mean || !s->scale) return kl_fail_memory(err, 2 * n * sizeof *s->mean);
    if (s->kind != KL_SEQUENCE_STANDARD_NONE) return measure(f, err);
    for (size_t c = 0; c < n; c++) s->scale[c] = millivolts ? 1e-3f : 1;
    return KL_OK;
}

int kl_sequence_standard_fit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                             const struct kl_sequence_standard_options *o, const int64_t *train,
                             size_t n, struct kl_error *err)
{
    struct fit f = { .s = s, .set = set, .train = train, .n = n };
    *s = (struct kl_sequence_standard){ .kind = o->kind, .align = o->align, .channels = set->channels };
    int code = fit_open(&f, NULL, err);
    if (!code && s->align != KL_SEQUENCE_ALIGN_NONE) code = fit_alignment(&f, err);
    if (!code) code = fit_standard(&f, err);
    fit_close(&f);
    return code;
}

/* ---- another set's people ---- */

static void forget_names(struct kl_sequence_standard *s)
{
    for (size_t p = 0; s->names && p < s->people; p++) free(s->names[p]);
    free(s->names);
    s->names = NULL;
}

int kl_sequence_standard_refit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                               const bool *wanted, struct kl_error *err)
{
    struct fit f = { .s = s, .set = set };
    if (!kl_sequence_standard_own(s)) return KL_OK;
    forget_names(s);
    int code = fit_open(&f, wanted, err);
    if (!code && s->align == KL_SEQUENCE_ALIGN_SUBJECT) {
        free(s->align_by), free(s->multiply);
        s->align_by = NULL, s->multiply = NULL, s->lost = 0;
        code = fit_alignment(&f, err);
    }
    if (!code && s->kind == KL_SEQUENCE_STANDARD_SUBJECT) {
        free(s->mean), free(s->scale);
        s->mean = NULL, s->scale = NULL;
        code = fit_standard(&f, err);
    }
    fit_close(&f);
    return code;
}

int64_t kl_sequence_standard_person(const struct kl_sequence_standard *s, const char *name)
{
    if (!s->names) return 0;
    for (size_t p = 0; p < s->people; p++)
        if (strcmp(s->names[p], name) == 0) return (int64_t)p;
    return -1;
}

void kl_sequence_standard_apply(float *out, const struct kl_sequence_standard *s, size_t person,
                                const float *x, size_t steps, size_t stride)
{
    const size_t row = s->kind == KL_SEQUENCE_STANDARD_SUBJECT ? person : 0,
                 step = s->multiply ? stride : steps; /* of a row of x */
    const float *means = s->mean + row * s->channels, *scales = s->scale + row * s->channels;
    if (s->multiply) align(out, s, person, x, steps, stride), x = out;
    for (size_t c = 0; c < s->channels; c++, x += step, out += stride) {
        const float mean = means[c], scale = scales[c];
        for (size_t t = 0; t < steps; t++) out[t] = (x[t] - mean) * scale;
        for (size_t t = steps; t < stride; t++) out[t] = 0;
    }
}

void kl_sequence_standard_free(struct kl_sequence_standard *s)
{
    forget_names(s);
    free(s->mean), free(s->scale), free(s->align_by), free(s->multiply);
    *s = (struct kl_sequence_standard){ 0 };
}
