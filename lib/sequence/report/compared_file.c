/* SPDX-License-Identifier: MIT
   The file of a comparison (qseq compare -o), kind `sequence-comparison`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/report/compare.h"
#include "store/kind.h"
#include "store/store.h"

static const struct kl_kind_heading headings[] = { { "", "verdict" }, { NULL, NULL } };
static const struct kl_kind_number numbers[] = {
    { .attribute = "metric", .title = "metric" },
    { .attribute = "people", .title = "people", .format = "%.0f" },
    { .attribute = "windows", .title = "windows", .format = "%.0f" },
    { .attribute = "folds", .title = "folds", .format = "%.0f" },
    { .attribute = "friedman_p", .title = "Friedman p, over all models", .format = "%.3g" },
    { .attribute = NULL },
};
static const struct kl_kind_table tables[] = {
    { .name = "pairs",
      .axes = { { "difference", "models" } },
      .pairs = "pairs",
      .columns = { KL_KIND_COLUMN("difference", "difference", "difference", "%+.4f"),
                   KL_KIND_COLUMN("sign_flip_p", "sign_flip_p", "p flips", "%.3g"),
                   KL_KIND_COLUMN("sign_flip_holm", "sign_flip_holm", "Holm", "%.3g"),
                   KL_KIND_COLUMN("wilcoxon_p", "wilcoxon_p", "p ranks", "%.3g"),
                   KL_KIND_COLUMN("wilcoxon_holm", "wilcoxon_holm", "Holm", "%.3g"),
                   KL_KIND_COLUMN("folds_p", "folds_p", "p folds", "%.3g"),
                   KL_KIND_COLUMN("mcnemar_p", "mcnemar_p", "McNemar p", "%.3g") } },
    { .name = "models",
      .axes = { { "model", "models" } },
      .columns = { KL_KIND_COLUMN("mean", "mean", "mean", "%.4f"),
                   KL_KIND_COLUMN("all_windows", "all_windows", "all windows", "%.4f"),
                   KL_KIND_COLUMN("seeds_deviation", "seeds_deviation", "over seeds", "%.4f"),
                   KL_KIND_COLUMN("mean_rank", "mean_rank", "mean rank", "%.2f") } },
    { .name = NULL },
};
const struct kl_kind kl_sequence_comparison_kind = { .name = "sequence-comparison",
                                                     .maker = "qseq compare",
                                                     .headings = headings,
                                                     .numbers = numbers,
                                                     .tables = tables };

/* ---- its datasets ---- */

/* A number of each model, or of each pair. */
struct column {
    const char *name;
    size_t at; /* of a double in the struct */
};
#define OF(type, member, title)                                     \
    {                                                               \
        title, offsetof(struct kl_sequence_compared_##type, member) \
    }
static const struct column model_columns[] = {
    OF(model, mean, "mean"),
    OF(model, low, "mean_low"),
    OF(model, high, "mean_high"),
    OF(model, both.low, "people_and_seeds_low"),
    OF(model, both.high, "people_and_seeds_high"),
    OF(model, windows, "all_windows"),
    OF(model, seeds, "seeds_deviation"),
    OF(model, rank, "mean_rank"),
};
static const struct column pair_columns[] = {
    OF(pair, difference, "difference"),
    OF(pair, t.low, "difference_low"),
    OF(pair, t.high, "difference_high"),
    OF(pair, both.low, "difference_people_and_seeds_low"),
    OF(pair, both.high, "difference_people_and_seeds_high"),
    OF(pair, test_error, "test_error"),
    OF(pair, flips.both, "sign_flip_p"),
    OF(pair, flips_holm, "sign_flip_holm"),
    OF(pair, wilcoxon.both, "wilcoxon_p"),
    OF(pair, wilcoxon_holm, "wilcoxon_holm"),
    OF(pair, t.p, "t_p"),
    OF(pair, folds.p, "folds_p"),
    OF(pair, windows.p, "mcnemar_p"),
};

static int put_columns(struct kl_writer *w, const struct column *columns, size_t n_columns,
                       const void *rows, size_t size, size_t n, double *room, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t k = 0; k < n_columns && code >= 0; k++) {
        for (size_t i = 0; i < n; i++)
            room[i] = *(const double *)((const char *)rows + i * size + columns[k].at);
        code = kl_store_writer_put(w, columns[k].name, KL_TYPE_F64, 0, 1, &n, room, err);
    }
    return code;
}

static int put_names(struct kl_writer *w, const struct kl_sequence_compared *c, struct kl_error *err)
{
    enum { SIZE = sizeof c->models->name };
    char *names = calloc(c->n_models, SIZE);
    if (!names) return kl_fail_memory(err, c->n_models * SIZE);
    for (size_t m = 0; m < c->n_models; m++) strcpy(names + m * SIZE, c->models[m].name);
    const int code = kl_store_writer_put(w, "models", KL_TYPE_STRING, SIZE, 1, &c->n_models, names, err);
    free(names);
    return code;
}

static int put_pairs(struct kl_writer *w, const struct kl_sequence_compared *c, struct kl_error *err)
{
    const size_t dims[2] = { c->n_pairs, 2 };
    int64_t *places = malloc((2 * c->n_pairs + 1) * sizeof *places);
    if (!places) return kl_fail_memory(err, c->n_pairs * 16);
    for (size_t p = 0; p < c->n_pairs; p++)
        places[2 * p] = (int64_t)c->pairs[p].a, places[2 * p + 1] = (int64_t)c->pairs[p].b;
    const int code = kl_store_writer_put(w, "pairs", KL_TYPE_I64, 0, 2, dims, places, err);
    free(places);
    return code;
}

/* The pair with the least p, in words: what the comparison comes to. */
static int put_verdict(struct kl_writer *w, const struct kl_sequence_compared *c, struct kl_error *err)
{
    const struct kl_sequence_compared_pair *best = NULL;
    char text[400], ends[64] = "";
    for (size_t p = 0; p < c->n_pairs; p++)
        if (isfinite(c->pairs[p].flips_holm) && (!best || c->pairs[p].flips_holm < best->flips_holm))
            best = &c->pairs[p];
    if (!best) return KL_OK; /* of one person */
    if (kl_has_width(best->t.low, best->t.high))
        snprintf(ends, sizeof ends, " (95 %% %+.4f to %+.4f)", best->t.low, best->t.high);
    snprintf(text, sizeof text, "%s - %s: %s %+.4f%s, p %.3g by sign flips over %zu people",
             c->models[best->a].name, c->models[best->b].name, kl_stats_metric_names[c->metric],
             best->difference, ends, best->flips_holm, c->n_people);
    if (c->n_pairs > 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), " (Holm), the least of %zu pairs",
                 c->n_pairs);
    return kl_store_writer_text(w, "", "verdict", text, err);
}

static int put_numbers(struct kl_writer *w, const struct kl_sequence_compared *c, struct kl_error *err)
{
    const struct {
        const char *name;
        size_t value;
    } counts[] = { { "windows", c->n_windows },
                   { "people", c->n_people },
                   { "people_left_out", c->n_left_out },
                   { "seeds", c->n_seeds },
                   { "folds", isnan(c->ratio) ? 0 : c->n_folds } };
    int code = kl_store_writer_text(w, "", "metric", kl_stats_metric_names[c->metric], err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !code; i++)
        code = kl_store_writer_integer(w, "", counts[i].name, (int64_t)counts[i].value, err);
    if (!code && isfinite(c->ratio))
        code = kl_store_writer_number(w, "", "test_to_training", c->ratio, err);
    if (!code && isfinite(c->friedman.p))
        code = kl_store_writer_number(w, "", "friedman_statistic", c->friedman.statistic, err);
    if (!code && isfinite(c->friedman.p))
        code = kl_store_writer_number(w, "", "friedman_p", c->friedman.p, err);
    return code;
}

int kl_sequence_compared_save(struct kl_writer *w, const struct kl_sequence_compared *c,
                              struct kl_error *err)
{
    const size_t dims[2] = { c->n_models, c->n_people },
                 most = c->n_models * (c->n_people + 1) + c->n_pairs + 1;
    double *room = malloc(most * sizeof *room);
    if (!room) return kl_fail_memory(err, most * sizeof *room);
    int code = put_numbers(w, c, err);
    if (!code) code = put_verdict(w, c, err);
    if (!code) code = put_names(w, c, err);
    for (size_t m = 0; m < c->n_models && c->n_people; m++)
        memcpy(room + m * c->n_people, c->models[m].value, c->n_people * sizeof *room);
    if (code >= 0) code = kl_store_writer_put(w, "values", KL_TYPE_F64, 0, 2, dims, room, err);
    if (code >= 0)
        code = put_columns(w, model_columns, sizeof model_columns / sizeof *model_columns, c->models,
                           sizeof *c->models, c->n_models, room, err);
    if (code >= 0) code = put_pairs(w, c, err);
    if (code >= 0)
        code = put_columns(w, pair_columns, sizeof pair_columns / sizeof *pair_columns, c->pairs,
                           sizeof *c->pairs, c->n_pairs, room, err);
    free(room);
    return code < 0 ? code : KL_OK;
}
