/* SPDX-License-Identifier: MIT
   What a scan found: its file and what the page shows of it, a table, JSON, and what deserves a remark.
 */
#include "plateau/plateau_int.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plateau/plateau.h"
#include "store/kind.h"
#include "store/store.h"

/* Numbers of the cells, or of the fit, under a name. */
static int put(struct kl_writer *w, const char *name, const struct kl_plateau *p, const double *data,
               bool of_fit, struct kl_error *err)
{
    const size_t cells[] = { p->n_observables, p->n_qubits, p->n_layers },
                 fits[] = { p->n_observables, p->n_layers };
    return kl_store_writer_put(w, name, KL_TYPE_F64, 0, of_fit ? 2 : 3, of_fit ? fits : cells, data,
                               err);
}

int kl_plateau_save(struct kl_writer *w, const struct kl_plateau *p, struct kl_error *err)
{
    int32_t qubits[KL_PLATEAU_LIST], layers[KL_PLATEAU_LIST];
    for (size_t i = 0; i < p->n_qubits; i++) qubits[i] = p->qubits[i];
    for (size_t i = 0; i < p->n_layers; i++) layers[i] = p->layers[i];
    int code = kl_store_writer_put(w, "qubits", KL_TYPE_I32, 0, 1, &p->n_qubits, qubits, err);
    if (code >= 0) code = kl_store_writer_put(w, "layers", KL_TYPE_I32, 0, 1, &p->n_layers, layers, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "observables", KL_TYPE_STRING, KL_PLATEAU_NAME, 1,
                                   &p->n_observables, p->observables, err);
    if (code >= 0) code = put(w, "mean", p, p->mean, false, err);
    if (code >= 0) code = put(w, "variance", p, p->variance, false, err);
    if (code >= 0) code = put(w, "variance_low", p, p->low, false, err);
    if (code >= 0) code = put(w, "variance_high", p, p->high, false, err);
    if (code >= 0) code = put(w, "slope", p, p->slope, true, err);
    if (code >= 0) code = put(w, "slope_low", p, p->slope_low, true, err);
    if (code >= 0) code = put(w, "slope_high", p, p->slope_high, true, err);
    if (code >= 0) code = kl_store_writer_text(w, "variance", "axes", "observable, qubits, layers", err);
    if (code >= 0) code = kl_store_writer_text(w, "slope", "axes", "observable, layers", err);
    if (code >= 0) code = kl_store_writer_text(w, "slope", "unit", "ln(variance) a qubit", err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "draws", (int64_t)p->n_draws, err);
    return code < 0 ? code : KL_OK;
}

static void put_number(FILE *to, double value, const char *format)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    fprintf(to, " %9s", isnan(value) ? "-" : text);
}

static void put_variance(FILE *to, double value)
{
    if (value > KL_PLATEAU_ROUNDING) put_number(to, value, "%.2e");
    else fprintf(to, " %9s", "0");
}

static void put_cells(FILE *to, const struct kl_plateau *p, size_t o)
{
    fprintf(to, "%6s %6s %9s %9s %9s %9s\n", "qubits", "layers", "mean", "variance", "low", "high");
    for (size_t q = 0; q < p->n_qubits; q++)
        for (size_t l = 0; l < p->n_layers; l++) {
            const size_t at = (o * p->n_qubits + q) * p->n_layers + l;
            fprintf(to, "%6d %6d", p->qubits[q], p->layers[l]);
            if (fabs(p->mean[at]) < sqrt(KL_PLATEAU_ROUNDING)) fprintf(to, " %9s", "0");
            else put_number(to, p->mean[at], "%.2e");
            put_variance(to, p->variance[at]);
            put_variance(to, p->low[at]);
            put_variance(to, p->high[at]);
            fputc('\n', to);
        }
}

static void put_grid(FILE *to, const struct kl_plateau *p, size_t o)
{
    fprintf(to, "%6s", "qubits");
    for (size_t l = 0; l < p->n_layers; l++) {
        char text[24];
        snprintf(text, sizeof text, "%d %s", p->layers[l], p->layers[l] == 1 ? "layer" : "layers");
        fprintf(to, " %9s", text);
    }
    fputc('\n', to);
    for (size_t q = 0; q < p->n_qubits; q++) {
        fprintf(to, "%6d", p->qubits[q]);
        for (size_t l = 0; l < p->n_layers; l++)
            put_variance(to, p->variance[(o * p->n_qubits + q) * p->n_layers + l]);
        fputc('\n', to);
    }
}

/* Print the factors by which a further qubit multiplies the variance. */
static void put_factors(FILE *to, const struct kl_plateau *p, const char *name, const double *slope)
{
    fprintf(to, "%6s", name);
    for (size_t l = 0; l < p->n_layers; l++) put_number(to, exp(slope[l]), "%.3f");
    fputc('\n', to);
}

void kl_plateau_table(FILE *to, const struct kl_plateau *p, bool detailed)
{
    for (size_t o = 0; o < p->n_observables; o++) {
        const char *name = p->observables[o];
        fprintf(to, "%s%s%s\n", name,
                strcmp(name, "local") == 0    ? ": Z on qubit 0"
                : strcmp(name, "global") == 0 ? ": Z on every qubit"
                                              : "",
                detailed ? "" : "; variance of the derivative");
        if (detailed) put_cells(to, p, o);
        else put_grid(to, p, o);
        if (p->n_qubits < 2) continue;
        if (detailed) put_grid(to, p, o);
        put_factors(to, p, "x each", p->slope + o * p->n_layers);
        put_factors(to, p, "from", p->slope_low + o * p->n_layers);
        put_factors(to, p, "to", p->slope_high + o * p->n_layers);
    }
}

static const struct kl_kind_table tables[] = {
    { .name = "slopes",
      .axes = { { "observable", "observables" }, { "layers", "layers" } },
      .columns = { KL_KIND_COLUMN("slope", "slope", "ln variance a qubit", "%.3f") } },
    { .name = "variances",
      .axes = { { "observable", "observables" }, { "qubits", "qubits" }, { "layers", "layers" } },
      .columns = { KL_KIND_COLUMN("variance", "variance", "variance", "%.2e", .rounding = 1e-28) } },
    { .name = NULL }
};
const struct kl_kind kl_plateau_kind = { .name = "plateau", .tables = tables };

/* ---- A scan as JSON: the rows that `cache show --json` prints of its file, and the means ---- */

/* NaN is null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static int add_variance(json_t *rows, const struct kl_plateau *p, size_t o, size_t q, size_t l)
{
    const size_t at = (o * p->n_qubits + q) * p->n_layers + l;
    return json_array_append_new(
        rows, json_pack("{s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "observable", p->observables[o], "qubits",
                        p->qubits[q], "layers", p->layers[l], "mean", number(p->mean[at]), "variance",
                        number(p->variance[at]), "variance_low", number(p->low[at]), "variance_high",
                        number(p->high[at])));
}

static int add_slope(json_t *rows, const struct kl_plateau *p, size_t o, size_t l)
{
    const size_t at = o * p->n_layers + l;
    return json_array_append_new(
        rows, json_pack("{s:s, s:i, s:o, s:o, s:o}", "observable", p->observables[o], "layers",
                        p->layers[l], "slope", number(p->slope[at]), "slope_low",
                        number(p->slope_low[at]), "slope_high", number(p->slope_high[at])));
}

static json_t *scan_json(const struct kl_plateau *p, json_t *output, const char *key)
{
    json_t *variances = json_array(), *slopes = json_array();
    int failed = 0;
    for (size_t o = 0; o < p->n_observables; o++) {
        for (size_t q = 0; q < p->n_qubits; q++)
            for (size_t l = 0; l < p->n_layers; l++) failed |= add_variance(variances, p, o, q, l);
        for (size_t l = 0; l < p->n_layers; l++) failed |= add_slope(slopes, p, o, l);
    }
    json_t *value = failed ? NULL
                           : json_pack("{s:O, s:s, s:s, s:I, s:I, s:I, s:O, s:O}", "output", output,
                                       "key", key, "status", kl_store_stage_status(KL_STAGE_COMPUTE),
                                       "observables", (json_int_t)p->n_observables, "cells",
                                       (json_int_t)(p->n_qubits * p->n_layers), "draws",
                                       (json_int_t)p->n_draws, "variances", variances, "slopes", slopes);
    json_decref(variances);
    json_decref(slopes);
    return value;
}

int kl_plateau_json(FILE *to, const struct kl_plateau *p, const char *output, const char *key,
                    struct kl_error *err)
{
    json_t *path = NULL, *value = NULL;
    char *text = NULL;
    int code = kl_json_string(&path, output ? output : "", err);
    if (!code && !(value = scan_json(p, path, key))) code = kl_fail_memory(err, 1024);
    if (!code) code = kl_json_dump_as(&text, value, JSON_COMPACT | JSON_REAL_PRECISION(6), err);
    if (!code) fprintf(to, "%s\n", text);
    free(text);
    json_decref(path);
    json_decref(value);
    return code;
}

/* ---- remark ----
   A variance of 0 that is no plateau, however it looks in a table: the observable does not see the
   parameter, as one of qubit 0 does not see a gate that comes after all that reaches it. */

/* A derivative is analytic in the parameters: 0 at draws from a box, it is 0 everywhere. */
static bool is_nothing(const struct kl_plateau *p, size_t at)
{
    return p->variance[at] <= KL_PLATEAU_ROUNDING && p->mean[at] * p->mean[at] <= KL_PLATEAU_ROUNDING;
}

/* The first such cell of an observable, and how many there are. */
static size_t count_nothing(size_t *first, const struct kl_plateau *p, size_t o)
{
    const size_t cells = p->n_qubits * p->n_layers;
    size_t n = 0;
    for (size_t i = 0; i < cells; i++)
        if (is_nothing(p, o * cells + i) && !n++) *first = i;
    return n;
}

void kl_plateau_remark(const struct kl_log *log, const struct kl_plateau *p,
                       const struct kl_plateau_options *options)
{
    const bool all = strcmp(options->parameter, "all") == 0;
    if (strcmp(options->init, "uniform") != 0) return; /* draws from a curve show nothing of the rest */
    for (size_t o = 0; o < p->n_observables; o++) {
        char more[64] = "";
        size_t at = 0;
        const size_t n = count_nothing(&at, p, o);
        if (!n) continue;
        const int qubits = p->qubits[at / p->n_layers], layers = p->layers[at % p->n_layers];
        if (n > 1) snprintf(more, sizeof more, " (and %zu more of the grid)", n - 1);
        kl_caution(log,
                   "%s does not depend on %s%s at %d qubit%s, %d layer%s%s: its variance is 0, which is "
                   "no plateau%s",
                   p->observables[o], all ? "any parameter" : "parameter ",
                   all ? "" : options->parameter, qubits, kl_s((unsigned)qubits), layers,
                   kl_s((unsigned)layers), more, all ? "" : "; give another --parameter, or all");
    }
}
