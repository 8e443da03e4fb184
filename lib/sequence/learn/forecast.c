/* SPDX-License-Identifier: MIT
   How a training would scale over ranks that are not here: a step's time as fixed + windows B / R +
   exchange log2 R, fitted to what was measured of one thread a rank, by least squares of relative
   errors. How far it is off is found by leaving out each measured row in turn. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/scaling.h"

enum { FIXED, WINDOWS, EXCHANGE, PARTS };

static bool same_net(const struct kl_sequence_scaling_row *a, const struct kl_sequence_scaling_row *b)
{
    return strcmp(a->model, b->model) == 0 && a->qubits == b->qubits && a->layers == b->layers &&
           a->parameters == b->parameters;
}

static void parts_of(double x[PARTS], double batch, double ranks)
{
    x[FIXED] = 1, x[WINDOWS] = batch / ranks, x[EXCHANGE] = log2(ranks);
}

/* Normal equations of the parts that are used, by elimination; false: they are singular. */
static bool solve(double c[PARTS], double a[PARTS][PARTS], const double b[PARTS], const bool used[PARTS])
{
    double m[PARTS][PARTS + 1] = { { 0 } };
    for (int i = 0; i < PARTS; i++) {
        for (int j = 0; j < PARTS; j++) m[i][j] = used[i] && used[j] ? a[i][j] : i == j;
        m[i][PARTS] = used[i] ? b[i] : 0;
    }
    for (int k = 0; k < PARTS; k++) {
        if (used[k] && !(m[k][k] > 1e-9 * a[k][k])) return false;
        for (int i = 0; i < PARTS; i++) {
            const double f = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = k; j <= PARTS; j++) m[i][j] -= f * m[k][j];
        }
    }
    for (int k = 0; k < PARTS; k++) c[k] = m[k][PARTS] / m[k][k];
    return true;
}

/* Of the net of `like`, without row `left_out` (SIZE_MAX: with all); what would be negative, or is not
   told apart, is left away. Returns the number of parts; 0: nothing can be fitted. */
static int fit(double c[PARTS], const struct kl_sequence_scaling *s,
               const struct kl_sequence_scaling_row *like, size_t left_out)
{
    static const bool choices[][PARTS] = {
        { true, true, true }, { false, true, true }, { true, true, false }, { false, true, false }
    };
    double a[PARTS][PARTS] = { { 0 } }, b[PARTS] = { 0 };
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        double x[PARTS];
        if (i == left_out || r->threads != 1 || !same_net(r, like)) continue;
        parts_of(x, r->batch, r->ranks);
        for (int j = 0; j < PARTS; j++) {
            b[j] += x[j] / r->seconds;
            for (int k = 0; k < PARTS; k++) a[j][k] += x[j] * x[k] / (r->seconds * r->seconds);
        }
    }
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const bool *used = choices[i];
        if (used[EXCHANGE] && !(a[EXCHANGE][EXCHANGE] > 0)) continue;
        if (solve(c, a, b, used) && c[FIXED] >= 0 && c[WINDOWS] > 0 && c[EXCHANGE] >= 0)
            return used[FIXED] + used[WINDOWS] + used[EXCHANGE];
    }
    return 0;
}

static double predict(double share[PARTS], const double c[PARTS], double batch, double ranks)
{
    double x[PARTS], sum = 0;
    parts_of(x, batch, ranks);
    for (int k = 0; k < PARTS; k++) sum += share[k] = c[k] * x[k];
    for (int k = 0; k < PARTS; k++) share[k] /= sum;
    return sum;
}

/* The largest relative error of a row's time by a fit to the others of its net; NaN: there are too few.
 */
static double worst_error(const struct kl_sequence_scaling *s)
{
    double worst = NAN;
    for (size_t i = 0; i < s->n; i++) {
        double c[PARTS], share[PARTS];
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        size_t others = 0;
        for (size_t k = 0; k < s->n; k++)
            others += k != i && s->rows[k].threads == 1 && same_net(&s->rows[k], r);
        if (r->threads != 1 || others < 2 || !fit(c, s, r, i)) continue;
        worst = fmax(worst, fabs(predict(share, c, r->batch, r->ranks) / r->seconds - 1));
    }
    return worst;
}

/* Row i's first of its net and batch? Threads and ranks are what a forecast stands in for. */
static bool is_first(const struct kl_sequence_scaling *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_net(&s->rows[k], &s->rows[i]) && s->rows[k].batch == s->rows[i].batch) return false;
    return true;
}

int kl_sequence_forecast_make(struct kl_sequence_forecast *f, const struct kl_sequence_scaling *s,
                              const int32_t *ranks, size_t n_ranks, struct kl_error *err)
{
    *f = (struct kl_sequence_forecast){ .worst = worst_error(s),
                                        .exchange = true,
                                        .rows = calloc(s->n * n_ranks + 1, sizeof *f->rows) };
    if (!f->rows) return kl_fail_memory(err, s->n * n_ranks * sizeof *f->rows);
    for (size_t i = 0; i < s->n; i++) {
        const struct kl_sequence_scaling_row *r = &s->rows[i];
        double c[PARTS], share[PARTS];
        bool apart = false;
        if (!is_first(s, i)) continue;
        for (size_t k = 0; k < s->n; k++) apart |= same_net(&s->rows[k], r) && s->rows[k].ranks > 1;
        f->exchange &= apart;
        if (!fit(c, s, r, SIZE_MAX)) continue;
        const double alone = predict(share, c, r->batch, 1);
        for (size_t k = 0; k < n_ranks; k++) {
            f->left_out += ranks[k] > r->parts;
            if (ranks[k] > r->parts) continue;
            struct kl_sequence_forecast_row *to = &f->rows[f->n++];
            *to = (struct kl_sequence_forecast_row){ .like = *r, .ranks = ranks[k] };
            to->seconds = predict(share, c, r->batch, ranks[k]);
            to->speedup = alone / to->seconds;
            to->fixed = share[FIXED], to->windows = share[WINDOWS], to->exchange = share[EXCHANGE];
        }
    }
    return KL_OK;
}

void kl_sequence_forecast_free(struct kl_sequence_forecast *f)
{
    free(f->rows);
    *f = (struct kl_sequence_forecast){ 0 };
}

void kl_sequence_forecast_tell(FILE *to, const struct kl_sequence_forecast *f)
{
    fprintf(to, "forecast, not measured: fixed + windows B / R + exchange log2 R, fitted to the rows "
                "above of one thread a rank");
    if (isnan(f->worst)) fprintf(to, "; of too few rows to say how far it is off\n");
    else fprintf(to, "; a row left out is off by %.0f %% at most\n", 100 * f->worst);
    if (f->left_out)
        fprintf(to, "(left out: %zu row%s of more ranks than a step's gradient has parts)\n",
                f->left_out, kl_s(f->left_out));
    if (!f->exchange) fprintf(to, "(one rank alone was measured: what ranks exchange is left out)\n");
    fprintf(to, "%-18s%7s%7s%7s%7s%10s%10s%10s%10s%10s\n", "model", "qubits", "layers", "batch", "ranks",
            "ms", "speed-up", "fixed", "windows", "exchange");
    for (size_t i = 0; i < f->n; i++) {
        const struct kl_sequence_forecast_row *r = &f->rows[i];
        fprintf(to, "%-18s%7d%7d%7d%7d%10.3f%10.2f%8.0f %%%8.0f %%%8.0f %%\n", r->like.model,
                r->like.qubits, r->like.layers, r->like.batch, r->ranks, 1e3 * r->seconds, r->speedup,
                100 * r->fixed, 100 * r->windows, 100 * r->exchange);
    }
}

json_t *kl_sequence_forecast_json(const struct kl_sequence_forecast *f)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < f->n && rows; i++) {
        const struct kl_sequence_forecast_row *r = &f->rows[i];
        if (json_array_append_new(rows,
                                  json_pack("{s:s, s:i, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:f}",
                                            "model", r->like.model, "qubits", r->like.qubits, "layers",
                                            r->like.layers, "batch", r->like.batch, "ranks", r->ranks,
                                            "seconds", r->seconds, "speed_up", r->speedup, "fixed",
                                            r->fixed, "windows", r->windows, "exchange", r->exchange))) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

/* ---- its datasets: forecast/... ---- */

int kl_sequence_forecast_save(struct kl_writer *writer, const struct kl_sequence_forecast *f,
                              struct kl_error *err)
{
    static const char *const whole[] = { "qubits", "layers", "batch", "ranks" }, *const real[] = {
        "seconds", "speed_up", "fixed", "windows", "exchange"
    };
    const size_t size = sizeof f->rows->like.model;
    char name[64], *models = calloc(f->n + 1, size);
    int32_t *w = malloc((f->n + 1) * sizeof *w);
    double *x = malloc((f->n + 1) * sizeof *x);
    int code = models && w && x ? KL_OK : kl_fail_memory(err, f->n * size);
    for (size_t i = 0; i < f->n && !code; i++) memcpy(models + i * size, f->rows[i].like.model, size);
    if (!code)
        code =
            kl_store_writer_put(writer, "forecast/model", KL_TYPE_STRING, size, 1, &f->n, models, err);
    for (int k = 0; k < 4 && code >= 0; k++) {
        for (size_t i = 0; i < f->n; i++) {
            const struct kl_sequence_forecast_row *r = &f->rows[i];
            w[i] = (const int32_t[]){ r->like.qubits, r->like.layers, r->like.batch, r->ranks }[k];
        }
        snprintf(name, sizeof name, "forecast/%s", whole[k]);
        code = kl_store_writer_put(writer, name, KL_TYPE_I32, 0, 1, &f->n, w, err);
    }
    for (int k = 0; k < 5 && code >= 0; k++) {
        for (size_t i = 0; i < f->n; i++) {
            const struct kl_sequence_forecast_row *r = &f->rows[i];
            x[i] = (const double[]){ r->seconds, r->speedup, r->fixed, r->windows, r->exchange }[k];
        }
        snprintf(name, sizeof name, "forecast/%s", real[k]);
        code = kl_store_writer_put(writer, name, KL_TYPE_F64, 0, 1, &f->n, x, err);
    }
    if (code >= 0) code = kl_store_writer_number(writer, "forecast", "worst_error", f->worst, err);
    free(models), free(w), free(x);
    return code < 0 ? code : KL_OK;
}
