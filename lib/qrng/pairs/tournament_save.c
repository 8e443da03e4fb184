/* SPDX-License-Identifier: MIT
   A tournament as a file of kind "tournament". */
#include <stdlib.h>

#include "qrng/pairs/tournament.h"
#include "store/kind.h"
#include "store/store.h"

/* One number of every pair, gathered from the results. */
static int put_each(struct kl_writer *w, const char *name, const struct kl_tournament *t, size_t offset,
                    size_t n, double *scratch, struct kl_error *err)
{
    const size_t dims[2] = { t->n_pairs, n };
    for (size_t i = 0; i < t->n_pairs; i++)
        for (size_t k = 0; k < n; k++)
            scratch[i * n + k] =
                *(const double *)((const char *)&t->pairs[i] + offset + k * sizeof(double));
    return kl_store_writer_put(w, name, KL_TYPE_F64, 0, n > 1 ? 2 : 1, dims, scratch, err);
}

#define OF(field) offsetof(struct kl_pair_result, field)
static const struct column {
    const char *name;
    size_t offset, n;
} columns[] = {
    { "chi_square", OF(test.chi_square), 1 },
    { "g", OF(test.g), 1 },
    { "log10_p", OF(test.log10_p), 1 },
    { "log10_p_g", OF(test.log10_p_g), 1 },
    { "log10_p_holm", OF(log10_p_holm), 1 },
    { "divergence", OF(divergence), KL_N_DIVERGENCES },
    { "divergence_low", OF(low), KL_N_DIVERGENCES },
    { "divergence_high", OF(high), KL_N_DIVERGENCES },
    { "row_js", OF(row_js), 1 },
    { "row_accuracy", OF(row_accuracy), 1 },
    { "row_js_error", OF(row_js_error), 1 },
    { "row_accuracy_error", OF(row_accuracy_error), 1 },
    { "accuracy_low", OF(accuracy_low), 1 },
    { "accuracy_high", OF(accuracy_high), 1 },
    { "score", OF(score), KL_N_SCORES },
    { "score_p", OF(p), KL_N_SCORES },
    { "score_p_holm", OF(p_holm), KL_N_SCORES },
    { "score_null_mean", OF(null_mean), KL_N_SCORES },
    { "score_null_q95", OF(null_q95), KL_N_SCORES },
};

static int put_pairs(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
{
    const size_t n = t->n_pairs, two[2] = { n, 2 };
    double *scratch = malloc(n * KL_N_SCORES * sizeof *scratch);
    int32_t *numbers = malloc(n * 2 * sizeof *numbers);
    int64_t *order = malloc(n * sizeof *order);
    int code = scratch && numbers && order ? KL_OK : kl_fail_memory(err, n * KL_N_SCORES * 8);
    for (size_t i = 0; i < n && !code; i++) {
        numbers[2 * i] = t->pairs[i].a, numbers[2 * i + 1] = t->pairs[i].b;
        order[i] = (int64_t)t->order[i];
    }
    if (!code) code = kl_store_writer_put(w, "pairs", KL_TYPE_I32, 0, 2, two, numbers, err);
    if (code >= 0) code = kl_store_writer_put(w, "order", KL_TYPE_I64, 0, 1, &n, order, err);
    for (size_t i = 0; i < n && code >= 0; i++) numbers[i] = t->pairs[i].test.df;
    if (code >= 0) code = kl_store_writer_put(w, "df", KL_TYPE_I32, 0, 1, &n, numbers, err);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && code >= 0; c++)
        code = put_each(w, columns[c].name, t, columns[c].offset, columns[c].n, scratch, err);
    free(scratch), free(numbers), free(order);
    return code;
}

static int put_devices(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
{
    const size_t d = t->n_devices, counts[2] = { d, t->n_symbols }, rates[2] = { d, t->n_bits },
                 self[2] = { d, KL_N_LEGACY };
    int code = kl_store_writer_put(w, "devices", KL_TYPE_STRING, sizeof *t->names, 1, &d, t->names, err);
    if (code >= 0) code = kl_store_writer_put(w, "rows", KL_TYPE_I64, 0, 1, &d, t->rows, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "symbol_counts", KL_TYPE_I64, 0, 2, counts, t->counts, err);
    if (code >= 0) code = kl_store_writer_put(w, "rates", KL_TYPE_F64, 0, 2, rates, t->rates, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "self_mean", KL_TYPE_F64, 0, 2, self, t->self_mean, err);
    if (code >= 0) code = kl_store_writer_put(w, "self_q95", KL_TYPE_F64, 0, 2, self, t->self_q95, err);
    return code;
}

static int put_names(struct kl_writer *w, const char *name, const char *const *names, size_t n,
                     struct kl_error *err)
{
    char text[KL_N_SCORES][16] = { "" };
    for (size_t i = 0; i < n; i++) snprintf(text[i], sizeof text[i], "%s", names[i]);
    return kl_store_writer_put(w, name, KL_TYPE_STRING, sizeof *text, 1, &n, text, err);
}

int kl_tournament_save(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
{
    int code = put_devices(w, t, err);
    if (code >= 0) code = put_pairs(w, t, err);
    if (code >= 0) code = put_names(w, "scores", kl_score_names, KL_N_SCORES, err);
    if (code >= 0) code = put_names(w, "divergences", kl_divergence_names, KL_N_DIVERGENCES, err);
    if (code >= 0) code = kl_store_writer_text(w, "score", "axes", "pair, score", err);
    if (code >= 0) code = kl_store_writer_text(w, "divergence", "unit", "nats a symbol", err);
    if (code >= 0) code = kl_store_writer_text(w, "row_js", "unit", "nats a row", err);
    if (code >= 0) code = kl_store_writer_text(w, "row_js_error", "unit", "nats a row", err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "permutations", (int64_t)t->permutations, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "resamples", (int64_t)t->resamples, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "symbol_bits", t->symbol_bits, err);
    if (code >= 0) code = kl_dependence_put(w, &t->dependence, t->names, err);
    if (code >= 0)
        code = kl_store_writer_text(w, "", "rows_are", t->reference ? "the study's" : "all", err);
    return code < 0 ? code : KL_OK;
}

static const struct kl_kind_table tables[] = {
    { .name = "pairs",
      .axes = { { "pair", "devices" } },
      .pairs = "pairs",
      .order = "order",
      .columns = { KL_KIND_COLUMN("chi_square", "chi_square", "chi2", "%.5g"),
                   KL_KIND_COLUMN("log10_p_holm", "log10_p_holm", "log10 p (Holm)", "%.1f"),
                   KL_KIND_COLUMN("js", "divergence", "JS, nats a symbol", "%.3e",
                                  .names = "divergences", .pick = "js"),
                   KL_KIND_COLUMN("row_accuracy", "row_accuracy", "a row", "%.4f"),
                   KL_KIND_COLUMN("accuracy", "score", "held out", "%.4f", .names = "scores",
                                  .pick = "accuracy", .spread = "accuracy"),
                   KL_KIND_COLUMN("accuracy_p_holm", "score_p_holm", "p (Holm)", "%.4f",
                                  .names = "scores", .pick = "accuracy") } },
    { .name = NULL }
};
const struct kl_kind kl_tournament_kind = { .name = "tournament", .tables = tables };
