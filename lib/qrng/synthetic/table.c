/* SPDX-License-Identifier: MIT
   The study of synthetic devices as text. */
#include <math.h>

#include "stats/distributions.h"
#include "qrng/synthetic/synthetic.h"

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

/* Where Student's p of many devices is below what their orders can give, that is said in its place. */
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
