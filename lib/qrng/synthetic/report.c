/* SPDX-License-Identifier: MIT
   The study of synthetic devices as a file of kind "synthetic" and as text. */
#include "qrng/synthetic/synthetic.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"
#include "store/kind.h"
#include "store/store.h"

/* ---- the file ---- */

static int save_devices(struct kl_writer *w, const struct kl_synthetic *s, struct kl_error *err)
{
    const size_t d = s->n_devices, law[2] = { d, KL_LAW };
    double *numbers = malloc(d * (4 + KL_LAW) * sizeof *numbers);
    int32_t *classes = malloc(d * sizeof *classes);
    if (!numbers || !classes) {
        free(numbers), free(classes);
        return kl_fail_memory(err, d * (4 + KL_LAW) * sizeof *numbers);
    }
    for (size_t i = 0; i < d; i++) {
        const struct kl_synthetic_device *v = &s->devices[i];
        classes[i] = v->class;
        numbers[i] = v->bias, numbers[d + i] = v->copy, numbers[2 * d + i] = v->drift;
        numbers[3 * d + i] =
            (double)v->ones / ((double)s->bits.n_rows / (double)d * (double)s->bits.n_bits);
        for (size_t k = 0; k < KL_LAW; k++) numbers[4 * d + i * KL_LAW + k] = v->law[k];
    }
    static const char *const names[] = { "bias", "copy", "drift", "rate" };
    int code =
        kl_store_writer_put(w, "devices", KL_TYPE_STRING, KL_BITS_NAME, 1, &d, s->bits.names, err);
    if (code >= 0) code = kl_store_writer_put(w, "class", KL_TYPE_I32, 0, 1, &d, classes, err);
    for (size_t k = 0; k < 4 && code >= 0; k++)
        if (k == 3 || !s->plan.pairs)
            code = kl_store_writer_put(w, names[k], KL_TYPE_F64, 0, 1, &d, numbers + k * d, err);
    if (code >= 0 && s->plan.pairs)
        code = kl_store_writer_put(w, "law", KL_TYPE_F64, 0, 2, law, numbers + 4 * d, err);
    if (code >= 0) code = kl_store_writer_put(w, "accuracy", KL_TYPE_F64, 0, 1, &d, s->accuracy, err);
    free(numbers), free(classes);
    return code;
}

/* Numbers of one divergence under its name. */
static int save_contrast(struct kl_writer *w, const char *name, const struct kl_contrast *c,
                         const struct kl_synthetic *s, struct kl_error *err)
{
    enum { COLUMNS = 8 };
    const size_t square[2] = { s->n_devices, s->n_devices }, pairs[2] = { s->n_pairs, COLUMNS };
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "within", c->within },
                    { "between", c->between },
                    { "ratio", c->between / c->within },
                    { "ratio_low", c->ratio_low },
                    { "ratio_high", c->ratio_high },
                    { "u", c->test.u },
                    { "log10_p_u", c->test.log10_p },
                    { "p_devices", c->p },
                    { "orders", (double)c->orders },
                    { "pearson", c->pearson.r },
                    { "log10_p_pearson", c->pearson.log10_p },
                    { "spearman", c->spearman.r },
                    { "log10_p_spearman", c->spearman.log10_p } };
    double *table = malloc(s->n_pairs * COLUMNS * sizeof *table);
    char path[48];
    int code = table ? KL_OK : kl_fail_memory(err, s->n_pairs * COLUMNS * sizeof *table);
    for (size_t i = 0; i < s->n_pairs && !code; i++) {
        const struct kl_class_pair *p = &c->pairs[i];
        const double row[COLUMNS] = { p->a,         p->b,      (double)p->n, p->mean,
                                      p->deviation, p->median, p->least,     p->most };
        for (size_t k = 0; k < COLUMNS; k++) table[i * COLUMNS + k] = row[k];
    }
    snprintf(path, sizeof path, "%s/class_pairs", name);
    if (!code) code = kl_store_writer_put(w, path, KL_TYPE_F64, 0, 2, pairs, table, err);
    if (code >= 0)
        code = kl_store_writer_text(w, path, "columns",
                                    "class, class, pairs, mean, deviation, median, least, most", err);
    snprintf(path, sizeof path, "%s/mean", name);
    if (code >= 0) code = kl_store_writer_put(w, path, KL_TYPE_F64, 0, 1, square, c->mean, err);
    snprintf(path, sizeof path, "%s/divergence", name);
    if (code >= 0) code = kl_store_writer_put(w, path, KL_TYPE_F64, 0, 2, square, c->divergence, err);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && code >= 0; k++)
        code = kl_store_writer_number(w, path, numbers[k].name, numbers[k].value, err);
    free(table);
    return code;
}

static int save_power(struct kl_writer *w, const struct kl_synthetic *s, struct kl_error *err)
{
    const size_t effects = KL_POWER_EFFECTS, rows = KL_POWER_ROWS, dims[2] = { effects, rows };
    int code = kl_store_writer_put(w, "power/effect", KL_TYPE_F64, 0, 1, &effects, s->effect, err);
    if (code >= 0) code = kl_store_writer_put(w, "power/rows", KL_TYPE_I64, 0, 1, &rows, s->rows, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "power/rejected", KL_TYPE_F64, 0, 2, dims, s->power, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "power/accuracy", KL_TYPE_F64, 0, 2, dims, s->learnt, err);
    if (code >= 0)
        code = kl_store_writer_text(w, "power/effect", "unit", "total variation a symbol", err);
    if (code >= 0) code = kl_store_writer_text(w, "power/rejected", "test", "chi-squared at 5 %", err);
    return code;
}

/* NAME/accuracy [d] of the study's classifiers, with what else is known as its attributes, and
   NAME/confusion [c, c]. */
static int save_learner(struct kl_writer *w, const struct kl_synthetic *s, int i, struct kl_error *err)
{
    const struct kl_synthetic_learner *l = &s->learners[i];
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "train", l->train },         { "test", l->test },
                    { "pearson", l->pearson.r },   { "log10_p_pearson", l->pearson.log10_p },
                    { "spearman", l->spearman.r }, { "log10_p_spearman", l->spearman.log10_p } };
    char path[48];
    snprintf(path, sizeof path, "%s/accuracy", kl_synthetic_learner_names[i]);
    int code = kl_store_writer_put(w, path, KL_TYPE_F64, 0, 1, &s->n_devices, l->accuracy, err);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers && code >= 0; k++)
        code = kl_store_writer_number(w, path, numbers[k].name, numbers[k].value, err);
    const size_t c = s->n_classes, square[2] = { c, c };
    int64_t confusion[KL_SYNTHETIC_CLASSES * KL_SYNTHETIC_CLASSES];
    for (size_t k = 0; k < c * c; k++) confusion[k] = l->confusion[k / c][k % c];
    snprintf(path, sizeof path, "%s/confusion", kl_synthetic_learner_names[i]);
    if (code >= 0) code = kl_store_writer_put(w, path, KL_TYPE_I64, 0, 2, square, confusion, err);
    if (code >= 0)
        code = kl_store_writer_text(w, path, "axes", "true class, named class, test rows", err);
    return code;
}

int kl_synthetic_save(struct kl_writer *w, const struct kl_synthetic *s, struct kl_error *err)
{
    int code = save_devices(w, s, err);
    if (code >= 0) code = save_contrast(w, "study", &s->study, s, err);
    if (code >= 0) code = save_contrast(w, "smoothed", &s->smoothed, s, err);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS && s->plan.study && code >= 0; i++)
        code = save_learner(w, s, i, err);
    if (code >= 0 && s->plan.options->trials && s->rows[0]) code = save_power(w, s, err);
    if (code >= 0) code = kl_store_writer_text(w, "", "variant", s->plan.options->variant, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "draws", (int64_t)s->draws, err);
    return code < 0 ? code : KL_OK;
}

const struct kl_kind kl_synthetic_kind = { .name = "synthetic" };

/* ---- the text ---- */

/* "-" for what is not defined. */
static void put_number(FILE *to, const char *form, double value)
{
    if (isnan(value)) fputc('-', to);
    else fprintf(to, form, value);
}

static void put_correlation(FILE *to, const char *name, const struct kl_correlation *c, size_t n)
{
    if (isnan(c->r)) fprintf(to, "%s - (all equal)", name);
    else if (n < 3) fprintf(to, "%s - (of two devices)", name);
    else fprintf(to, "%s %.4f (p %.2g)", name, c->r, pow(10, c->log10_p));
}

/* If Student's p of many devices is below what their orders can give, that least value is printed. */
static void put_rank_correlation(FILE *to, const struct kl_correlation *c, size_t n)
{
    const double least = (M_LN2 - kl_stats_log_factorial((double)n)) / M_LN10;
    if (n > KL_SPEARMAN_EXACT && c->log10_p < least)
        fprintf(to, "rho %.4f (p >= %.2g)", c->r, pow(10, least));
    else put_correlation(to, "rho", c, n);
}

/* The devices' classes in other orders, or why there is no such test. */
static void put_test(FILE *to, const struct kl_contrast *c, const struct kl_synthetic *s)
{
    const long long permutations = (long long)s->plan.options->permutations;
    if (isnan(c->test.u)) {
        fprintf(to, "  no test: no two devices %s\n",
                isnan(c->within) ? "of one class" : "of different classes");
        return;
    }
    fprintf(to, "  Mann-Whitney U %.1f, log10 p %.2f as if pairs were independent", c->test.u,
            c->test.log10_p);
    if (c->orders) fprintf(to, "; p %.2g, exact: all %zu orders of devices", c->p, c->orders);
    else if (permutations)
        fprintf(to, "; p %s%.2g by %lld permutations of devices",
                c->p * (double)(permutations + 1) < 1.5 ? "<= " : "", c->p, permutations);
    fputc('\n', to);
}

static void put_contrast(FILE *to, const char *name, const struct kl_contrast *c,
                         const struct kl_synthetic *s)
{
    fprintf(to, "%-9s", name);
    for (size_t i = 0; i < s->n_pairs && s->n_classes <= 3; i++) {
        if (isnan(c->pairs[i].mean)) fprintf(to, " %8s", "-");
        else fprintf(to, " %8.4f", c->pairs[i].mean);
    }
    fputs("\n  within ", to);
    put_number(to, "%.5f", c->within);
    fputs(", between ", to);
    put_number(to, "%.5f", c->between);
    fputs(", ratio ", to);
    put_number(to, "%.2f", c->between / c->within);
    if (!isnan(c->ratio_low))
        fprintf(to, " (95 %% over devices %.2f to %.2f)", c->ratio_low, c->ratio_high);
    fputc('\n', to);
    put_test(to, c, s);
    fputs("  with the accuracies: ", to);
    put_correlation(to, "r", &c->pearson, s->n_devices);
    fputs(", ", to);
    put_rank_correlation(to, &c->spearman, s->n_devices);
    fputc('\n', to);
}

static void put_learner(FILE *to, const struct kl_synthetic *s, int i)
{
    const struct kl_synthetic_learner *l = &s->learners[i];
    fprintf(
        to,
        "the study's %s: %.4f of the test rows, %.4f of those of training\n  on all rows of a device: ",
        kl_synthetic_learner_names[i], l->test, l->train);
    put_correlation(to, "r", &l->pearson, s->n_devices);
    fputs(", ", to);
    put_rank_correlation(to, &l->spearman, s->n_devices);
    fputc('\n', to);
}

static void put_power(FILE *to, const struct kl_synthetic *s)
{
    fprintf(
        to,
        "chi2 rejects at 5 %% / held-out accuracy; two devices apart by (total variation a symbol)\n%6s",
        "rows");
    for (size_t e = 0; e < KL_POWER_EFFECTS; e++) fprintf(to, "   %11.4f", s->effect[e]);
    fputc('\n', to);
    for (size_t k = 0; k < KL_POWER_ROWS && s->rows[k]; k++) {
        fprintf(to, "%6lld", (long long)s->rows[k]);
        for (size_t e = 0; e < KL_POWER_EFFECTS; e++)
            fprintf(to, "   %4.2f / %4.2f", s->power[e][k], s->learnt[e][k]);
        fputc('\n', to);
    }
}

void kl_synthetic_table(FILE *to, const struct kl_synthetic *s)
{
    fputs("mean divergence of two devices' histograms, nats; within one class, between two classes\n",
          to);
    fprintf(to, "%-9s", "classes");
    for (size_t i = 0; i < s->n_pairs && s->n_classes <= 3; i++)
        fprintf(to, "      %d-%d", s->study.pairs[i].a, s->study.pairs[i].b);
    fputc('\n', to);
    put_contrast(to, "study's", &s->study, s);
    put_contrast(to, "smoothed", &s->smoothed, s);
    fprintf(to, "class of a held-out row: right %.4f of the time\n", s->mean_accuracy);
    for (int i = 0; i < KL_SYNTHETIC_LEARNERS && s->plan.study; i++) put_learner(to, s, i);
    if (s->plan.options->trials && s->rows[0]) put_power(to, s);
}
