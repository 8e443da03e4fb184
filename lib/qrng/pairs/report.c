/* SPDX-License-Identifier: MIT
   A tournament as a file of kind "tournament" and as text. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdlib.h>

#include "store/kind.h"
#include "store/store.h"

/* ---- the file ---- */

/* One number of every pair, gathered from the results. */
static int save_each(struct kl_writer *w, const char *name, const struct kl_tournament *t, size_t offset,
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

static int save_pairs(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
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
        code = save_each(w, columns[c].name, t, columns[c].offset, columns[c].n, scratch, err);
    free(scratch), free(numbers), free(order);
    return code;
}

static int save_devices(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
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

static int save_names(struct kl_writer *w, const char *name, const char *const *names, size_t n,
                      struct kl_error *err)
{
    char text[KL_N_SCORES][16] = { "" };
    for (size_t i = 0; i < n; i++) snprintf(text[i], sizeof text[i], "%s", names[i]);
    return kl_store_writer_put(w, name, KL_TYPE_STRING, sizeof *text, 1, &n, text, err);
}

int kl_pairs_tournament_save(struct kl_writer *w, const struct kl_tournament *t, struct kl_error *err)
{
    int code = save_devices(w, t, err);
    if (code >= 0) code = save_pairs(w, t, err);
    if (code >= 0) code = save_names(w, "scores", kl_score_names, KL_N_SCORES, err);
    if (code >= 0) code = save_names(w, "divergences", kl_divergence_names, KL_N_DIVERGENCES, err);
    if (code >= 0) code = kl_store_writer_text(w, "score", "axes", "pair, score", err);
    if (code >= 0) code = kl_store_writer_text(w, "divergence", "unit", "nats a symbol", err);
    if (code >= 0) code = kl_store_writer_text(w, "row_js", "unit", "nats a row", err);
    if (code >= 0) code = kl_store_writer_text(w, "row_js_error", "unit", "nats a row", err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "permutations", (int64_t)t->permutations, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "resamples", (int64_t)t->resamples, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "symbol_bits", t->symbol_bits, err);
    if (code >= 0) code = kl_bits_dependence_put(w, &t->dependence, t->names, err);
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

/* ---- the text ---- */

enum { PAIR = 2 * KL_BITS_NAME + 4, NARROWEST = 12 };

static int name_pair(char text[PAIR], const struct kl_tournament *t, const struct kl_pair_result *r)
{
    return snprintf(text, PAIR, "%.*s v %.*s", KL_BITS_NAME, t->names[r->a], KL_BITS_NAME,
                    t->names[r->b]);
}

/* Of the first column, with the first `shown` pairs. */
static int widest(const struct kl_tournament *t, size_t shown)
{
    int most = NARROWEST;
    for (size_t i = 0; i < shown; i++) {
        char text[PAIR];
        const int width = name_pair(text, t, &t->pairs[t->order[i]]);
        if (width > most) most = width;
    }
    return most;
}

static void put_name(FILE *to, const struct kl_tournament *t, const struct kl_pair_result *r, int width)
{
    char text[PAIR];
    name_pair(text, t, r);
    fprintf(to, "%-*s", width, text);
}

/* A p-value in four places, perhaps corrected, "<=" if no permutation scored as high: there it is as
   small as it can be. */
static void put_p(FILE *to, double corrected, double p, size_t permutations)
{
    if (isnan(p)) fprintf(to, "        -");
    else fprintf(to, " %2s%6.4f", p * (double)(permutations + 1) < 1.5 ? "<=" : "", corrected);
}

static void put_pair(FILE *to, const struct kl_tournament *t, const struct kl_pair_result *r, int width)
{
    const int js = KL_DIV_JS;
    put_name(to, t, r, width);
    fprintf(to, " %10.5g %8.1f   %9.3e (%9.3e, %9.3e)", r->test.chi_square, r->log10_p_holm,
            r->divergence[js], r->low[js], r->high[js]);
    if (isnan(r->row_accuracy)) fprintf(to, "        -");
    else fprintf(to, "   %6.4f", r->row_accuracy);
    fprintf(to, "   %6.4f", r->score[KL_SCORE_ACCURACY]);
    put_p(to, r->p_holm[KL_SCORE_ACCURACY], r->p[KL_SCORE_ACCURACY], t->permutations);
    fputc('\n', to);
}

/* Of two samples of each device by itself, which only the study's scores have. */
static void put_own(FILE *to, const struct kl_tournament *t, const struct kl_pair_result *r, int s)
{
    double a = NAN, b = NAN;
    if (s < KL_N_LEGACY) {
        a = t->self_q95[(size_t)r->a * KL_N_LEGACY + (size_t)s];
        b = t->self_q95[(size_t)r->b * KL_N_LEGACY + (size_t)s];
    }
    if (isnan(a)) fprintf(to, " %12s %11s", "-", "-");
    else fprintf(to, " %12.6f %11.6f", a, b);
}

/* The study's, and chi-squared if it was permuted. */
static void put_scores(FILE *to, const struct kl_tournament *t, const struct kl_pair_result *r,
                       int width)
{
    for (int s = 0; s <= KL_SCORE_CHI_SQUARE; s++) {
        if (s == KL_SCORE_CHI_SQUARE && isnan(r->p[s])) continue;
        put_name(to, t, r, width);
        fprintf(to, " %-12s %11.6f", kl_score_names[s], r->score[s]);
        put_p(to, r->p[s], r->p[s], t->permutations);
        if (isnan(r->p[s])) fprintf(to, " %11s", "-");
        else fprintf(to, " %11.6f", r->null_q95[s]);
        put_own(to, t, r, s);
        fprintf(to, "%s%s\n", s == KL_SCORE_COMPOSITE ? "  " : "",
                s == KL_SCORE_COMPOSITE ? kl_pairs_composite_label(r->score[s]) : "");
    }
}

/* Say that the numbers above assume independent symbols, and whether symbols are independent. */
static void put_assumption(FILE *to, const struct kl_tournament *t)
{
    char p[KL_DEPENDENCE_TEXT];
    fprintf(to,
            "log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of %d bit%s are "
            "independent\n",
            t->symbol_bits, kl_s((unsigned)t->symbol_bits));
    if (!kl_bits_may_depend(&t->dependence)) return;
    kl_bits_dependence_p(p, &t->dependence);
    fprintf(to, "but they %s on each other (%s, device %s); held out and its p hold all the same\n",
            kl_bits_depend_words(&t->dependence), p, t->names[t->dependence.device]);
}

void kl_pairs_tournament_table(FILE *to, const struct kl_tournament *t, size_t lines, bool detailed)
{
    const size_t shown = lines < t->n_pairs ? lines : t->n_pairs;
    const int width = widest(t, shown);
    fprintf(to, "%-*s %10s %8s   %-34s %6s %8s %7s\n", width, "pair", "chi2", "log10 p",
            "JS, nats a symbol (95 %)", "a row", "held out", "p");
    for (size_t i = 0; i < shown; i++) put_pair(to, t, &t->pairs[t->order[i]], width);
    if (shown < t->n_pairs) fprintf(to, "... %zu more pairs\n", t->n_pairs - shown);
    put_assumption(to, t);
    if (!detailed && !t->reference) return;
    fprintf(to, "\n%-*s %-12s %11s %8s %11s %12s %11s\n", width, "pair", "score", "value", "p",
            "null 95 %", "first's own", "second's");
    for (size_t i = 0; i < shown; i++) put_scores(to, t, &t->pairs[t->order[i]], width);
}
