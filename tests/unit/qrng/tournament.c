/* SPDX-License-Identifier: MIT
   Tests and divergences of symbol counts against SciPy, subsets and permutations against what they
   should be on average; threads make no difference. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"

static void near(const char *what, double found, double want, double allowed)
{
    CHECK(fabs(found - want) <= allowed, "%s: found %.17g, expected %.17g", what, found, want);
}

/* scipy.stats.chi2_contingency without correction, and lambda_="log-likelihood". */
static void symbol_tests(void)
{
    static const struct {
        int64_t a[4], b[4];
        size_t n;
        int df;
        double chi2, log10_p, g, log10_p_g;
    } cases[] = {
        { { 23364, 26118, 17802, 32716 },
          { 22019, 26237, 16700, 35044 },
          4,
          3,
          155.31190183067335,
          -32.72523878426829,
          155.33946869740566,
          -32.731186801403574 },
        { { 10, 0, 5 },
          { 3, 7, 5 },
          3,
          2,
          10.76923076923077,
          -2.3385087487098177,
          13.68057952028743,
          -2.9707000974497335 },
        { { 10, 0, 0, 5 },
          { 3, 7, 0, 5 },
          4,
          2,
          10.76923076923077,
          -2.3385087487098177,
          13.68057952028743,
          -2.9707000974497335 },
        { { 12, 5 },
          { 5, 12 },
          2,
          1,
          5.764705882352941,
          -1.7864497962872494,
          5.939778320759613,
          -1.829653769337244 },
        { { 7, 0 }, { 9, 0 }, 2, 0, 0, 0, 0, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct kl_symbol_test t = kl_bits_symbol_test(cases[i].a, cases[i].b, cases[i].n);
        CHECK(t.df == cases[i].df, "case %zu: df %d", i, t.df);
        near("chi2", t.chi_square, cases[i].chi2, 1e-11 * cases[i].chi2);
        near("log10 p", t.log10_p, cases[i].log10_p, 1e-10);
        near("g", t.g, cases[i].g, 1e-10 * cases[i].g);
        near("log10 p of g", t.log10_p_g, cases[i].log10_p_g, 1e-9);
    }
}

/* scipy.stats.contingency.expected_freq, the least of it. */
static void expected_counts(void)
{
    static const int64_t a[] = { 12, 5, 0 }, b[] = { 2, 4, 0 }, one[] = { 3, 0, 0 };
    near("least expected", kl_bits_symbol_test(a, b, 3).least, 6 * 9 / 23.0, 1e-14);
    CHECK(isinf(kl_bits_symbol_test(one, one, 3).least));
}

/* scipy.spatial.distance.jensenshannon, scipy.optimize.minimize_scalar. */
static void divergences(void)
{
    static const int64_t a[] = { 10, 0, 5 }, b[] = { 3, 7, 5 }, c[] = { 1, 9 }, d[] = { 8, 2 };
    double v[KL_N_DIVERGENCES];
    kl_bits_symbol_divergences(v, a, b, 3);
    near("kl", v[KL_DIV_AB], 2.0 / 3 * log(10.0 / 3), 1e-14);
    CHECK(isinf(v[KL_DIV_BA]), "found %g", v[KL_DIV_BA]);
    near("js", v[KL_DIV_JS], 0.22800965867145712, 1e-14);
    near("tv", v[KL_DIV_TV], 7.0 / 15, 1e-15);
    near("chernoff at its end", v[KL_DIV_CHERNOFF], -log(8.0 / 15), 1e-9);
    kl_bits_symbol_divergences(v, c, d, 2);
    near("chernoff", v[KL_DIV_CHERNOFF], 0.34737963085836265, 1e-13);
    kl_bits_symbol_divergences(v, a, a, 3);
    for (int i = 0; i < KL_N_DIVERGENCES; i++) near("with itself", v[i], 0, 1e-15);
}

static void turned(void)
{
    uint64_t m[64], before[64], x = 88172645463325252ull;
    for (int r = 0; r < 64; r++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        m[r] = before[r] = x;
    }
    kl_pairs_transpose_bits(m);
    for (int r = 0; r < 64; r++)
        for (int c = 0; c < 64; c++)
            CHECK((m[r] >> c & 1) == (before[c] >> r & 1), "row %d, column %d", r, c);
}

/* Rows of two devices: independent bits, ones with probability one of two; `width` bits a symbol. */
static void make_bits(struct kl_bits *b, size_t rows, size_t n_bits, int width, double one, double two,
                      uint64_t seed)
{
    *b = (struct kl_bits){ .n_rows = 2 * rows,
                           .n_bits = n_bits,
                           .words_per_row = (n_bits + 63) / 64,
                           .n_devices = 2,
                           .symbol_bits = width };
    b->words = calloc(b->n_rows * b->words_per_row, 8);
    b->device = calloc(b->n_rows, sizeof *b->device);
    b->names = calloc(2, sizeof *b->names);
    for (size_t r = 0; r < b->n_rows; r++) {
        b->device[r] = r % 2; /* devices by turns: rows need not be sorted */
        for (size_t j = 0; j < n_bits; j++) {
            uint32_t w[4];
            kl_philox(w, seed, (uint32_t)j, 999, (uint32_t)r, 0);
            const uint64_t bit = kl_philox_unit(w[0]) < (r % 2 ? two : one);
            b->words[r * b->words_per_row + j / 64] |= bit << (j % 64);
        }
    }
}

/* Rows of a device in a fold, which get them by turns. */
static size_t dealt(size_t rows, size_t fold)
{
    return rows / KL_CROSSFIT_FOLDS + (fold < rows % KL_CROSSFIT_FOLDS);
}

/* Each fold has as many first rows as it had, all lie within the rows, and every row is in about its
 * fold's share. */
static void labels(void)
{
    static const size_t sizes[][2] = { { 5, 5 }, { 37, 41 }, { 64, 256 }, { 300, 7 }, { 9, 1000 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n_a = sizes[i][0], n_b = sizes[i][1], n = n_a + n_b;
        enum { DRAWS = 2000 };
        struct kl_bits bits;
        struct kl_row_features f;
        struct kl_planes p;
        size_t *rows = malloc(n * sizeof *rows), bad = 0;
        make_bits(&bits, (n + 1) / 2, 6, 2, 0.5, 0.5, i);
        for (size_t r = 0; r < n; r++) rows[r] = r;
        CHECK(kl_pairs_row_features(&f, &bits, NULL) == 0);
        CHECK(kl_pairs_planes_make(&p, &bits, &f, rows, n_a, rows + n_a, n_b, NULL) == 0);
        uint64_t *mask = malloc(p.words * 8), *noise = malloc((8 * p.words + KL_LABELS_SPARE) * 8);
        uint32_t *times = calloc(p.words * 64, sizeof *times);
        double shares[KL_CROSSFIT_FOLDS];
        for (uint32_t k = 0; k < DRAWS; k++) {
            size_t sizes_of[KL_CROSSFIT_FOLDS] = { 0 };
            kl_pairs_shuffle_labels(mask, noise, &p, 17, 999, k, (uint32_t)i);
            for (size_t w = 0; w < p.words; w++) {
                CHECK(!(mask[w] & ~p.valid[w]), "a row that is not there");
                sizes_of[w / p.fold_words] += (size_t)__builtin_popcountll(mask[w]);
                for (int r = 0; r < 64; r++) times[64 * w + (size_t)r] += mask[w] >> r & 1;
            }
            for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++)
                CHECK(sizes_of[fold] == dealt(n_a, fold), "fold %zu of %zu and %zu rows: %zu", fold, n_a,
                      n_b, sizes_of[fold]);
        }
        for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++)
            shares[fold] = (double)dealt(n_a, fold) / (double)(dealt(n_a, fold) + dealt(n_b, fold));
        for (size_t r = 0; r < p.words * 64; r++) {
            const double share = shares[r / (64 * p.fold_words)], sd = sqrt(share * (1 - share) / DRAWS);
            if (p.valid[r / 64] >> (r % 64) & 1) bad += fabs((double)times[r] / DRAWS - share) > 5 * sd;
        }
        CHECK(bad == 0, "%zu rows of %zu come too often or too seldom", bad, n);
        kl_pairs_planes_free(&p), kl_pairs_row_features_free(&f), kl_bits_free(&bits);
        free(rows), free(mask), free(noise), free(times);
    }
}

/* The same counts and scores by walking along the bits. */
static void counted_plainly(void)
{
    struct kl_bits bits;
    struct kl_row_features f;
    struct kl_planes p;
    size_t rows[2][83], n[2] = { 0 };
    make_bits(&bits, 83, 70, 2, 0.45, 0.6, 3);
    for (size_t r = 0; r < bits.n_rows; r++) rows[bits.device[r]][n[bits.device[r]]++] = r;
    CHECK(kl_pairs_row_features(&f, &bits, NULL) == 0);
    CHECK(kl_pairs_planes_make(&p, &bits, &f, rows[0], 83, rows[1], 83, NULL) == 0);
    for (size_t i = 0; i < 64; i++)
        for (size_t j = i; j < 64; j++) {
            uint32_t both = 0;
            for (size_t r = 0; r < bits.n_rows; r++)
                both += (kl_bits_row(&bits, r)[0] >> i & 1) & (kl_bits_row(&bits, r)[0] >> j & 1);
            CHECK(p.both[i * 64 + j] == both, "ones at %zu and %zu: %u, expected %u", i, j,
                  p.both[i * 64 + j], both);
        }
    for (size_t s = 0; s < f.n; s++) {
        uint32_t found = 0, want = 0;
        for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++)
            found += p.folds[s * KL_CROSSFIT_FOLDS + fold];
        for (size_t r = 0; r < bits.n_rows; r++)
            for (size_t k = 0; k < 35; k++) {
                const uint64_t *row = kl_bits_row(&bits, r);
                const unsigned symbol = kl_bits_symbol(row, k, 2),
                               last = k ? kl_bits_symbol(row, k - 1, 2) : 9;
                want += s < 4 ? symbol == s : 4 + 4 * last + symbol == s;
            }
        CHECK(found == want, "number %zu: %u, expected %u", s, found, want);
    }
    kl_pairs_planes_free(&p), kl_pairs_row_features_free(&f), kl_bits_free(&bits);
}

/* One source twice: every p-value is as good as uniform, and nothing is learnt. Then two sources. */
static void permutations(void)
{
    struct kl_tournament t;
    struct kl_error err;
    const struct kl_tournament_options o = { .permutations = 99,
                                             .resamples = 20,
                                             .wanted = KL_ALL_SCORES };
    double sum[KL_N_SCORES] = { 0 };
    enum { TIMES = 60 };
    for (uint64_t i = 0; i < TIMES; i++) {
        struct kl_bits bits;
        make_bits(&bits, 60, 20, 2, 0.5, 0.5, 100 + i);
        CHECK(kl_pairs_tournament_run(&t, &bits, &o, NULL, NULL, &err) == 0, "%s", err.text);
        for (int s = 0; s < KL_N_SCORES; s++) sum[s] += t.pairs[0].p[s];
        kl_pairs_tournament_free(&t), kl_bits_free(&bits);
    }
    for (int s = 0; s < KL_N_SCORES; s++) /* 4 standard errors of a uniform mean */
        near(kl_score_names[s], sum[s] / TIMES, 0.505, 4 * 0.2887 / sqrt(TIMES) + 0.02);
    struct kl_bits bits;
    make_bits(&bits, 60, 20, 2, 0.4, 0.6, 1);
    CHECK(kl_pairs_tournament_run(&t, &bits, &o, NULL, NULL, &err) == 0, "%s", err.text);
    near("p", t.pairs[0].p[KL_SCORE_ACCURACY], 0.01, 1e-12);
    CHECK(t.pairs[0].score[KL_SCORE_ACCURACY] > 0.7, "%g", t.pairs[0].score[KL_SCORE_ACCURACY]);
    kl_pairs_tournament_free(&t), kl_bits_free(&bits);
}

/* scipy.stats.binomtest(225, 300), (30, 40): 100 and 300 rows bear as much as 300, 20 and 20 as 40. */
static void bounds(void)
{
    double low, high;
    kl_pairs_crossfit_bounds(&low, &high, 0.75, &(struct kl_planes){ .rows = 400, .rows_a = 100 });
    near("low", low, 0.6980484035459826, 1e-14);
    near("high", high, 0.7956301108417443, 1e-14);
    kl_pairs_crossfit_bounds(&low, &high, 0.75, &(struct kl_planes){ .rows = 40, .rows_a = 20 });
    near("low", low, 0.5980603857923197, 1e-14);
    near("high", high, 0.858128813609037, 1e-14);
}

static void threads(void)
{
    struct kl_bits bits;
    struct kl_tournament a, b;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    const struct kl_tournament_options o = {
        .permutations = 50, .resamples = 30, .seed = 5, .wanted = KL_ALL_SCORES
    };
    make_bits(&bits, 100, 65, 1, 0.5, 0.53, 8);
    CHECK(kl_pool_create(&pool, 3, &err) == 0);
    CHECK(kl_pairs_tournament_run(&a, &bits, &o, NULL, NULL, &err) == 0, "%s", err.text);
    CHECK(kl_pairs_tournament_run(&b, &bits, &o, pool, NULL, &err) == 0, "%s", err.text);
    CHECK(memcmp(a.pairs[0].divergence, b.pairs[0].divergence,
                 sizeof *a.pairs - offsetof(struct kl_pair_result, divergence)) == 0);
    CHECK(memcmp(a.self_q95, b.self_q95, 2 * KL_N_LEGACY * sizeof(double)) == 0);
    kl_pairs_tournament_free(&a), kl_pairs_tournament_free(&b);
    kl_pool_destroy(&pool);
    kl_bits_free(&bits);
}

/* Sums of counts are kept in 32 bits: a pair whose sums might not fit is refused, no row read. */
static void too_many_symbols(void)
{
    const struct kl_bits bits = { .n_bits = UINT16_MAX, .symbol_bits = 1 };
    const struct kl_row_features f = { .n_symbols = 2, .n = 2, .most = UINT16_MAX };
    struct kl_planes p;
    struct kl_error err = { 0 };
    CHECK(kl_pairs_planes_make(&p, &bits, &f, NULL, 65538, NULL, 65538, &err) == KL_EDATA, "%s",
          err.text);
    CHECK(strstr(err.text, "131076 rows of 65535 symbols"), "%s", err.text);
    CHECK(p.block == NULL);
    CHECK(kl_pairs_planes_make(&p, &bits, &f, NULL, 65537, NULL, 1, &err) == KL_EDATA, "%s", err.text);
}

int main(void)
{
    symbol_tests();
    too_many_symbols();
    divergences();
    expected_counts();
    turned();
    labels();
    counted_plainly();
    permutations();
    bounds();
    threads();
    return failures != 0;
}
