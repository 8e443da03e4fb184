/* SPDX-License-Identifier: MIT
   Tests and scores against SciPy's and scikit-learn's values (reference/sequence/statistics.json; group
   metrics of reference/hydra/golden.h5), and where SciPy's exact law knows no ties, against all signs.
 */
#include <jansson.h>
#include <math.h>

#include "golden.h"
#include "stats/stats.h"

enum { MOST = 64 };
static int failures;

static void compare(const char *what, size_t n, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound * fmax(1, fabs(expected))) return;
    fprintf(stderr, "%s (%zu): found %.17g, expected %.17g\n", what, n, found, expected);
    failures++;
}
static size_t numbers(double *to, const json_t *from, const char *name)
{
    const json_t *const list = name ? json_object_get(from, name) : from;
    const size_t n = json_array_size(list);
    golden_need(json_is_array(list) && n <= MOST, name ? name : "list");
    for (size_t i = 0; i < n; i++) to[i] = json_number_value(json_array_get(list, i));
    return n;
}

/* Both laws by all 2^n signs. */
static void by_signs(const double *d, size_t n, const struct kl_tested *flip,
                     const struct kl_tested *rank)
{
    double size[MOST], kept[MOST], ranks[MOST], w = 0, sum = 0;
    size_t m = 0, above = 0, below = 0, both = 0;
    struct kl_error err;
    for (size_t i = 0; i < n; i++)
        if (d[i] != 0) kept[m] = d[i], size[m++] = fabs(d[i]);
    must(kl_stats_ranks(ranks, NULL, size, m, &err), &err);
    for (size_t i = 0; i < m; i++) w += kept[i] > 0 ? ranks[i] : 0;
    for (size_t i = 0; i < n; i++) sum += d[i];
    for (size_t s = 0; s < (size_t)1 << m; s++) {
        double x = 0;
        for (size_t i = 0; i < m; i++) x += s >> i & 1 ? ranks[i] : 0;
        above += x >= w - 1e-9, below += x <= w + 1e-9;
    }
    const double all = (double)((size_t)1 << m);
    compare("wilcoxon by signs, greater", n, rank->greater, (double)above / all, 1e-12);
    compare("wilcoxon by signs, less", n, rank->less, (double)below / all, 1e-12);
    for (size_t s = 0; s < (size_t)1 << n; s++) {
        double x = 0;
        for (size_t i = 0; i < n; i++) x += s >> i & 1 ? d[i] : -d[i];
        both += fabs(x) >= fabs(sum) - 1e-12;
    }
    compare("sign flips by signs", n, flip->both, (double)both / (double)((size_t)1 << n), 1e-12);
}

static bool without_ties(const double *d, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (d[i] == 0) return false;
        for (size_t j = 0; j < i; j++)
            if (fabs(d[i]) == fabs(d[j])) return false;
    }
    return true;
}

static void check_pair(const json_t *pair)
{
    double a[MOST], b[MOST], d[MOST], want[MOST];
    struct kl_tested exact, normal, flip, drawn;
    struct kl_error err;
    const size_t n = numbers(a, pair, "a");
    numbers(b, pair, "b");
    for (size_t i = 0; i < n; i++) d[i] = a[i] - b[i];
    must(kl_stats_wilcoxon(&exact, d, n, 0, &err), &err);
    must(kl_stats_wilcoxon_normal(&normal, d, n, 0, &err), &err);
    must(kl_stats_sign_flip(&flip, d, n, 200000, 1, 1, &err), &err);
    const double least = fmin(exact.statistic, (double)(exact.n * (exact.n + 1)) / 2 - exact.statistic);
    numbers(want, pair, "wilcoxon_approx_two-sided");
    compare("wilcoxon statistic", n, least, want[0], 1e-12);
    compare("wilcoxon normal, two-sided", n, normal.both, want[1], 1e-12);
    numbers(want, pair, "wilcoxon_approx_greater");
    compare("wilcoxon statistic, greater", n, exact.statistic, want[0], 1e-12);
    compare("wilcoxon normal, greater", n, normal.greater, want[1], 1e-12);
    numbers(want, pair, "wilcoxon_approx_less");
    compare("wilcoxon normal, less", n, normal.less, want[1], 1e-12);
    if (without_ties(d, n)) {
        numbers(want, pair, "wilcoxon_exact_two-sided");
        compare("wilcoxon exact, two-sided", n, exact.both, want[1], 1e-12);
        numbers(want, pair, "wilcoxon_exact_greater");
        compare("wilcoxon exact, greater", n, exact.greater, want[1], 1e-12);
        numbers(want, pair, "wilcoxon_exact_less");
        compare("wilcoxon exact, less", n, exact.less, want[1], 1e-12);
    }
    if (n <= 20) by_signs(d, n, &flip, &exact);
    if (json_object_get(pair, "sign_flip_exact_greater")) {
        compare("sign flips, two-sided", n, flip.both,
                json_number_value(json_object_get(pair, "sign_flip_exact_two_sided")), 1e-12);
        compare("sign flips, greater", n, flip.greater,
                json_number_value(json_object_get(pair, "sign_flip_exact_greater")), 1e-12);
    }
    /* Drawn ones beside the exact ones of twice the data: within five of their standard errors. */
    if (n == 50) failures += flip.exact || !(flip.error > 0 && flip.error < 0.002);
    if (n == 20) {
        double twice[2 * MOST];
        for (size_t i = 0; i < 40; i++) twice[i] = d[i % 20];
        must(kl_stats_sign_flip(&exact, twice, 40, 0, 1, 1, &err), &err);
        twice[40] = 0; /* whose sign does not matter */
        must(kl_stats_sign_flip(&drawn, twice, 41, 100000, 1, 1, &err), &err);
        failures += drawn.exact || !exact.exact;
        compare("sign flips, drawn", 41, drawn.both, exact.both, 5 * drawn.error);
    }
    const struct kl_t_test t = kl_stats_t_test(d, n, 0), corrected = kl_stats_t_test(d, n, 0.2);
    numbers(want, pair, "t");
    compare("t", n, t.t, want[0], 1e-12);
    compare("p of t", n, t.p, want[1], 1e-12);
    numbers(want, pair, "t_interval");
    compare("t, low", n, t.low, want[0], 1e-12);
    compare("t, high", n, t.high, want[1], 1e-12);
    numbers(want, pair, "nadeau_bengio_ratio_0.2");
    compare("corrected t", n, corrected.t, want[0], 1e-12);
    compare("p of corrected t", n, corrected.p, want[1], 1e-12);
}

static void check_several(const json_t *all)
{
    double p[MOST], want[MOST], found[MOST], x[MOST];
    struct kl_error err;
    const size_t n = numbers(p, all, "p");
    for (size_t i = 0; i < n; i++) p[i] = log10(p[i]);
    must(kl_stats_holm(found, p, n, &err), &err);
    numbers(want, all, "holm");
    for (size_t i = 0; i < n; i++) compare("holm", i, pow(10, found[i]), want[i], 1e-12);
    must(kl_stats_false_discovery(found, p, n, &err), &err);
    numbers(want, all, "bh");
    for (size_t i = 0; i < n; i++) compare("bh", i, pow(10, found[i]), want[i], 1e-12);
    const json_t *const friedman = json_object_get(all, "friedman"), *const rows =
                                                                         json_object_get(friedman, "x");
    struct kl_friedman f;
    for (size_t i = 0; i < 10; i++) numbers(x + 4 * i, json_array_get(rows, i), NULL);
    must(kl_stats_friedman(&f, NULL, x, 10, 4, &err), &err);
    compare("friedman", 4, f.statistic, json_number_value(json_object_get(friedman, "statistic")),
            1e-12);
    compare("p of friedman", 4, f.p, json_number_value(json_object_get(friedman, "p")), 1e-12);
}

/* An undetermined number is NaN. */
static void check_undefined(void)
{
    static const double same[4] = { 0.25, 0.25, 0.25, 0.25 }, none[3] = { 0 };
    struct kl_tested t;
    struct kl_friedman f;
    struct kl_error err;
    failures += !isnan(kl_stats_t_test(same, 4, 0).p) || !isnan(kl_stats_t_test(same, 1, 0).low);
    must(kl_stats_wilcoxon(&t, none, 3, 1e-9, &err), &err);
    failures += t.n != 0 || !isnan(t.both);
    must(kl_stats_sign_flip(&t, none, 3, 0, 1, 1, &err), &err);
    failures += t.both != 1;
    must(kl_stats_friedman(&f, NULL, same, 1, 4, &err), &err);
    failures += !isnan(f.p);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    if (!shared) shared = "../shared";
    check_undefined();
    snprintf(path, sizeof path, "%s/reference/sequence/statistics.json", shared);
    json_t *const all = json_load_file(path, 0, NULL);
    if (!all) {
        puts("skipped: KETLINE_SHARED holds no reference/sequence/statistics.json");
        return failures ? 1 : 77;
    }
    const json_t *const pairs = json_object_get(all, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) check_pair(json_array_get(pairs, i));
    check_several(all);
    json_decref(all);
    return failures != 0;
}
