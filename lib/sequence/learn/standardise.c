/* SPDX-License-Identifier: MIT
   Means and deviations of channels over windows, in double and in the order of the windows. */
#include "sequence/learn/standardise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/windows/windows.h"

enum { LANES = 8 };

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

static int make(struct kl_sequence_standard *s, const struct kl_sequence_set *set, struct kl_error *err)
{
    const bool own = s->kind == KL_SEQUENCE_STANDARD_SUBJECT;
    s->groups = own ? set->n_subjects : 1, s->channels = set->channels;
    s->mean = calloc(s->groups * s->channels, sizeof *s->mean);
    s->scale = calloc(s->groups * s->channels, sizeof *s->scale);
    if (own) s->names = calloc(s->groups + 1, sizeof *s->names);
    if (!s->mean || !s->scale || (own && !s->names)) return kl_fail_memory(err, s->groups * 8);
    for (size_t g = 0; own && g < s->groups; g++)
        if (!(s->names[g] = strdup(set->subject_names[g]))) return kl_fail_memory(err, 64);
    return KL_OK;
}

/* Adds to sums (groups, channels) the rows of all windows, and to counts (groups) their values. means:
   subtracted, and squares taken; NULL: neither. */
static int add_all(double *sums, double *counts, const struct kl_sequence_standard *s,
                   const struct kl_sequence_set *set, const int64_t *train, size_t n,
                   const double *means, struct kl_error *err)
{
    const bool own = s->kind == KL_SEQUENCE_STANDARD_SUBJECT;
    const size_t C = s->channels, T = set->steps;
    for (size_t k = 0; k < (own || !train ? set->n : n); k++) {
        const size_t i = own || !train ? k : (size_t)train[k], g = own ? (size_t)set->subject[i] : 0;
        const float *x = kl_sequence_set_window(set, i, err);
        if (!x) return err->code;
        for (size_t c = 0; c < C; c++)
            sums[g * C + c] += row_sum(x + c * T, T, means ? means[g * C + c] : 0, means != NULL);
        counts[g] += (double)T;
    }
    return KL_OK;
}

static int measure(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                   const int64_t *train, size_t n, struct kl_error *err)
{
    const size_t all = s->groups * s->channels;
    double *sums = calloc(2 * all + 2 * s->groups, sizeof *sums), *squares = sums + all,
           *counts = squares + all;
    if (!sums) return kl_fail_memory(err, 2 * all * sizeof *sums);
    int code = add_all(sums, counts, s, set, train, n, NULL, err);
    for (size_t i = 0; i < all; i++)
        sums[i] = counts[i / s->channels] > 0 ? sums[i] / counts[i / s->channels] : 0;
    if (!code) code = add_all(squares, counts + s->groups, s, set, train, n, sums, err);
    for (size_t i = 0; i < all && !code; i++) {
        const double sd = counts[i / s->channels] > 0 ? sqrt(squares[i] / counts[i / s->channels]) : 0;
        s->mean[i] = (float)sums[i];
        s->scale[i] = sd > 1e-12 * fabs(sums[i]) ? (float)(1 / sd) : 0;
    }
    free(sums);
    return code;
}

int kl_sequence_standard_fit(struct kl_sequence_standard *s, const struct kl_sequence_set *set,
                             const struct kl_sequence_standard_options *o, const int64_t *train,
                             size_t n, struct kl_error *err)
{
    *s = (struct kl_sequence_standard){ .kind = o->kind };
    const int code = make(s, set, err);
    if (code) return code;
    if (s->kind != KL_SEQUENCE_STANDARD_NONE) return measure(s, set, train, n, err);
    for (size_t c = 0; c < s->channels; c++) s->scale[c] = strcmp(set->unit, "uV") ? 1 : 1e-3f;
    return KL_OK;
}

int64_t kl_sequence_standard_group(const struct kl_sequence_standard *s, const char *person)
{
    if (!s->names) return 0;
    for (size_t g = 0; g < s->groups; g++)
        if (strcmp(s->names[g], person) == 0) return (int64_t)g;
    return -1;
}

void kl_sequence_standard_apply(float *out, const struct kl_sequence_standard *s, size_t group,
                                const float *x, size_t steps, size_t stride)
{
    for (size_t c = 0; c < s->channels; c++, x += steps, out += stride) {
        const float mean = s->mean[group * s->channels + c], scale = s->scale[group * s->channels + c];
        for (size_t t = 0; t < steps; t++) out[t] = (x[t] - mean) * scale;
        for (size_t t = steps; t < stride; t++) out[t] = 0;
    }
}

void kl_sequence_standard_free(struct kl_sequence_standard *s)
{
    for (size_t g = 0; s->names && g < s->groups; g++) free(s->names[g]);
    free(s->names), free(s->mean), free(s->scale);
    *s = (struct kl_sequence_standard){ 0 };
}
