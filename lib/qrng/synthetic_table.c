/* SPDX-License-Identifier: MIT
   The study of synthetic devices as text. */
#include <math.h>

#include "qrng/synthetic.h"

static void put_contrast(FILE *to, const char *name, const struct kl_contrast *c,
                         const struct kl_synthetic *s)
{
    const long long permutations = (long long)s->plan.options->permutations;
    fprintf(to, "%-9s", name);
    for (size_t i = 0; i < s->n_pairs && s->n_classes <= 3; i++) fprintf(to, " %8.4f", c->pairs[i].mean);
    fprintf(to, "\n  within %.5f, between %.5f, ratio %.2f\n", c->within, c->between,
            c->between / c->within);
    if (isnan(c->test.u)) return;
    fprintf(to, "  Mann-Whitney U %.1f, log10 p %.2f as if pairs were independent;", c->test.u,
            c->test.log10_p);
    if (permutations)
        fprintf(to, " p %s%.2g by %lld permutations of devices",
                c->p * (double)(permutations + 1) < 1.5 ? "<= " : "", c->p, permutations);
    fprintf(to, "\n  with the accuracies: r %.4f (p %.2g), rho %.4f (p %.2g)\n", c->pearson.r,
            pow(10, c->pearson.log10_p), c->spearman.r, pow(10, c->spearman.log10_p));
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
    fprintf(to, "%-9s", "classes");
    for (size_t i = 0; i < s->n_pairs && s->n_classes <= 3; i++)
        fprintf(to, "      %d-%d", s->study.pairs[i].a, s->study.pairs[i].b);
    fputc('\n', to);
    put_contrast(to, "study's", &s->study, s);
    put_contrast(to, "smoothed", &s->smoothed, s);
    fprintf(to, "class of a held-out row: right %.4f of the time\n", s->mean_accuracy);
    if (s->plan.options->trials && s->rows[0]) put_power(to, s);
}
