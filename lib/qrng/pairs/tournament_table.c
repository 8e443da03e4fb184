/* SPDX-License-Identifier: MIT
   A tournament as text. */
#include <math.h>
#include <string.h>

#include "qrng/pairs/tournament.h"

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
                s == KL_SCORE_COMPOSITE ? kl_composite_label(r->score[s]) : "");
    }
}

/* What the numbers above are if symbols are independent, and whether they are. */
static void put_assumption(FILE *to, const struct kl_tournament *t)
{
    char p[KL_DEPENDENCE_TEXT];
    fprintf(to,
            "log10 p, p: after Holm; chi2, log10 p, a row (at best): if symbols of %d bit%s are "
            "independent\n",
            t->symbol_bits, kl_s((unsigned)t->symbol_bits));
    if (!kl_depends(&t->dependence)) return;
    kl_dependence_p(p, &t->dependence);
    fprintf(to, "but they depend on each other (%s, device %s); held out and its p hold all the same\n",
            p, t->names[t->dependence.device]);
}

void kl_tournament_table(FILE *to, const struct kl_tournament *t, size_t lines, bool detailed)
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
