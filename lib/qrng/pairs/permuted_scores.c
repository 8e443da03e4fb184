/* SPDX-License-Identifier: MIT
   The scores of a pair, and what they are worth: the labels of the pair's rows are permuted, and the
   scores computed anew. */
#include "qrng/pairs/tournament.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bits.h"
#include "kernels/inline/philox.h"
#include "stats/stats.h"

/* ---- held-out accuracy ---- */
/* A two-sample test that assumes nothing of the data: a classifier is fitted to four fifths of the rows
   and judged on the others, for each fifth in turn; how often it is right is compared with how often it
   is right when the labels are permuted (Lopez-Paz & Oquab 2017, arXiv:1610.06545; the p-value by
   permutation, with the fit repeated). The classifier is the likelihood ratio of two Markov chains over
   the symbols, or of their frequencies where the chain would have too many numbers; add-one smoothing.
 */

/* ln of the smoothed share of number i among its `among` alternatives, counts c [.] of all numbers. */
static double log_share(const double *c, size_t i, size_t among)
{
    const size_t from = i / among * among;
    double sum = 0;
    for (size_t k = from; k < from + among; k++) sum += c[k] + 1;
    return log((c[i] + 1) / sum);
}

enum { MOST = 1 << KL_BITS_SYMBOL };

/* weights [numbers of the classifier] from all rows outside the fold. l->folds: sums of the first
   device's rows. */
static void fit(float *weights, const struct kl_labelling *l, const struct kl_planes *p, size_t fold)
{
    const size_t skipped = p->chain ? p->n_symbols : 0, n = p->n_counts - skipped;
    double a[MOST], b[MOST];
    for (size_t i = 0; i < n; i++) {
        const uint32_t *first = l->folds + (skipped + i) * KL_CROSSFIT_FOLDS,
                       *both = p->folds + (skipped + i) * KL_CROSSFIT_FOLDS;
        a[i] = b[i] = 0;
        for (size_t f = 0; f < KL_CROSSFIT_FOLDS; f++)
            if (f != fold) a[i] += first[f], b[i] += both[f] - first[f];
    }
    for (size_t i = 0; i < n; i++)
        weights[i] = (float)(log_share(a, i, p->n_symbols) - log_share(b, i, p->n_symbols));
}

static size_t ones(uint64_t word)
{
    return (size_t)__builtin_popcountll(word);
}

struct right {
    size_t twice[2], rows[2]; /* of each device; a tie is half right */
};

/* The rows of a fold. */
static void judge_fold(struct right *right, struct kl_labelling *l, const struct kl_planes *p,
                       size_t fold)
{
    const size_t n = p->chain ? p->n_symbols * p->n_symbols : p->n_symbols, from = fold * p->fold_words;
    kl_kernel_bit_sides()(l->sides[0], l->sides[1], p->classified + from * 64, p->words * 64, l->weights,
                          n, p->fold_words);
    for (size_t w = 0; w < p->fold_words; w++) {
        const uint64_t above = l->sides[0][w], below = l->sides[1][w];
        const uint64_t first = l->mask[from + w], second = p->valid[from + w] & ~first;
        right->rows[0] += ones(first), right->rows[1] += ones(second);
        right->twice[0] += 2 * ones(first & above) + ones(first & ~(above | below));
        right->twice[1] += 2 * ones(second & below) + ones(second & ~(above | below));
    }
}

double kl_pairs_crossfit_accuracy(struct kl_labelling *l, const struct kl_planes *p)
{
    struct right right = { 0 };
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        fit(l->weights, l, p, fold);
        judge_fold(&right, l, p, fold);
    }
    return 0.25 * ((double)right.twice[0] / (double)right.rows[0] +
                   (double)right.twice[1] / (double)right.rows[1]);
}

void kl_pairs_crossfit_bounds(double *low, double *high, double accuracy, const struct kl_planes *p)
{
    const double rows = floor(4 / (1 / (double)p->rows_a + 1 / (double)(p->rows - p->rows_a)));
    const struct kl_interval i = kl_stats_wilson(accuracy, (size_t)rows, KL_Z95);
    *low = i.low, *high = i.high;
}

/* ---- the scores of a labelling ---- */
/* All scores of a pair if the rows of a mask were the first device's: counts within the mask, and the
   rest by subtraction. */

static size_t lay_out(struct kl_labelling *l, const struct kl_planes *p, char *block)
{
    size_t at = 0;
    l->mask = kl_pairs_take(block, &at, p->words, 8);
    l->noise = kl_pairs_take(block, &at, 8 * p->words + KL_LABELS_SPARE, 8);
    l->masked = kl_pairs_take(block, &at, p->words, 8);
    for (int side = 0; side < 2; side++) {
        l->ones[side] = kl_pairs_take(block, &at, p->n_bits, sizeof *l->ones[0]);
        l->both[side] = kl_pairs_take(block, &at, p->n_wide * p->n_wide, sizeof *l->both[0]);
        l->bins[side] = kl_pairs_take(block, &at, KL_BINS, sizeof *l->bins[0]);
        l->symbols[side] = kl_pairs_take(block, &at, p->n_symbols, sizeof *l->symbols[0]);
    }
    l->folds = kl_pairs_take(block, &at, p->n_counts * KL_CROSSFIT_FOLDS, sizeof *l->folds);
    l->planes = kl_pairs_take(block, &at, p->n_counts * p->feature_bits, sizeof *l->planes);
    l->weights = kl_pairs_take(block, &at, p->n_counts, sizeof *l->weights);
    l->sides[0] = kl_pairs_take(block, &at, p->fold_words, 8);
    l->sides[1] = kl_pairs_take(block, &at, p->fold_words, 8);
    return at;
}

int kl_pairs_labelling_make(struct kl_labelling *l, const struct kl_planes *p, struct kl_error *err)
{
    const size_t bytes = lay_out(l, p, NULL);
    if (!(l->block = aligned_alloc(64, bytes))) return kl_fail_memory(err, bytes);
    lay_out(l, p, l->block);
    return KL_OK;
}

void kl_pairs_labelling_free(struct kl_labelling *l)
{
    free(l->block);
    *l = (struct kl_labelling){ 0 };
}

static void subtract(uint32_t *rest, const uint32_t *all, const uint32_t *part, size_t n)
{
    for (size_t i = 0; i < n; i++) rest[i] = all[i] - part[i];
}

static void count_bits(struct kl_labelling *l, const struct kl_planes *p)
{
    kl_kernel_bit_counts()(l->ones[0], l->mask, p->columns, p->words, p->n_bits, p->words);
    kl_kernel_bit_counts()(l->bins[0], l->mask, p->bins, p->words, KL_BINS, p->words);
    for (size_t i = 0; i < p->n_wide; i++) {
        const uint64_t *column = p->columns + i * p->words;
        const size_t at = i * p->n_wide + i;
        for (size_t w = 0; w < p->words; w++) l->masked[w] = column[w] & l->mask[w];
        kl_kernel_bit_counts()(l->both[0] + at, l->masked, column, p->words, p->n_wide - i, p->words);
        subtract(l->both[1] + at, p->both + at, l->both[0] + at, p->n_wide - i);
    }
    subtract(l->ones[1], p->all, l->ones[0], p->n_bits);
    subtract(l->bins[1], p->all + p->n_bits, l->bins[0], KL_BINS);
}

/* Sum of number i over rows whose planes have so many ones. */
static uint32_t weigh(const uint32_t *planes, size_t i, const struct kl_planes *p)
{
    uint32_t sum = 0;
    for (size_t b = 0; b < p->feature_bits; b++) sum += planes[i * p->feature_bits + b] << b;
    return sum;
}

static void count_symbols(struct kl_labelling *l, const struct kl_planes *p)
{
    kl_kernel_bit_counts()(l->planes, l->mask, p->counts, p->words, p->n_symbols * p->feature_bits,
                           p->words);
    for (size_t s = 0; s < p->n_symbols; s++) {
        const int64_t part = weigh(l->planes, s, p);
        l->symbols[0][s] = part, l->symbols[1][s] = -part;
        for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++)
            l->symbols[1][s] += p->folds[s * KL_CROSSFIT_FOLDS + fold];
    }
}

void kl_pairs_labelling_count(struct kl_labelling *l, const struct kl_planes *p)
{
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t from = fold * p->fold_words;
        kl_kernel_bit_counts()(l->planes, l->mask + from, p->counts + from, p->words,
                               p->n_counts * p->feature_bits, p->fold_words);
        for (size_t i = 0; i < p->n_counts; i++)
            l->folds[i * KL_CROSSFIT_FOLDS + fold] = weigh(l->planes, i, p);
    }
}

enum { LEGACY = (1 << KL_N_LEGACY) - 1 };

void kl_pairs_labelling_scores(double scores[KL_N_SCORES], uint32_t wanted, struct kl_labelling *l,
                               const struct kl_planes *p, const struct kl_shares shares[2])
{
    for (int s = 0; s < KL_N_SCORES; s++) scores[s] = NAN;
    if (wanted & LEGACY) {
        const struct kl_pairs_side a = { &shares[0], l->ones[0], l->both[0], l->bins[0] },
                                   b = { &shares[1], l->ones[1], l->both[1], l->bins[1] };
        count_bits(l, p);
        kl_pairs_reference_scores(scores, &a, &b, p->n_bits, p->n_wide);
    }
    if (wanted & 1 << KL_SCORE_CHI_SQUARE) {
        count_symbols(l, p);
        scores[KL_SCORE_CHI_SQUARE] =
            kl_bits_symbol_chi_square(l->symbols[0], l->symbols[1], p->n_symbols);
    }
    if (wanted & 1 << KL_SCORE_ACCURACY) {
        kl_pairs_labelling_count(l, p);
        scores[KL_SCORE_ACCURACY] = kl_pairs_crossfit_accuracy(l, p);
    }
}

/* ---- permuted labels ---- */
/* Labels of a pair's rows, permuted within each fold. Folds are dealt so that each has the devices'
   shares, and a fit is judged on other folds than it has seen: were labels permuted over all rows, a
   fold with too many rows of a device would be judged by a fit to folds with too few of them. Its
   accuracy would lie below chance for that alone, and the devices' own labels, which never do that,
   would look better than chance.

   A fold's first rows are a random subset of a given size, found without a permutation: every row joins
   with a probability near the share, independently, then rows that are drawn anew join or leave until
   the size is right. Given its size the first set is any of that size with equal probability, and stays
   so when a row taken at random leaves or joins. */

enum { LEVELS = 8 }; /* the probability is a multiple of 2^-LEVELS */

/* Rows whose random binary fraction is below m / 2^LEVELS, 0 < m < 2^LEVELS; the lowest digits of m that
   are 0 need no random bits. */
static void join(uint64_t *mask, const uint64_t *noise, const struct kl_planes *p, unsigned m,
                 int digits)
{
    memset(mask, 0, p->words * sizeof *mask);
    for (int d = digits - 1; d >= 0; d--) {
        const uint64_t *bits = noise + (size_t)d * p->words;
        const bool one = m >> (LEVELS - 1 - d) & 1;
        for (size_t w = 0; w < p->words; w++) mask[w] = one ? ~bits[w] | mask[w] : ~bits[w] & mask[w];
    }
    for (size_t w = 0; w < p->words; w++) mask[w] &= p->valid[w];
}

/* The stream behind what join() took, KL_LABELS_SPARE words at a time. */
struct spare {
    uint64_t *words, seed;
    size_t used; /* halves of words */
    uint32_t block, purpose, step, replica;
};

static uint32_t draw(struct spare *s)
{
    if (s->used == 2 * KL_LABELS_SPARE) {
        kl_kernel_bit_noise()(s->words, KL_LABELS_SPARE, s->seed, s->block, s->purpose, s->step,
                              s->replica);
        s->block += KL_LABELS_SPARE / 2;
        s->used = 0;
    }
    const size_t i = s->used++;
    return (uint32_t)(s->words[i / 2] >> (32 * (i % 2)));
}

/* Rows of one fold join or leave until there are `want`. Without branches on the row, since half of them
   are of the wrong kind. */
static void mend(uint64_t *mask, const uint64_t *valid, size_t words, size_t want, struct spare *s)
{
    uint32_t found;
    kl_kernel_bit_counts()(&found, mask, mask, words, 1, words);
    size_t size = found;
    const uint64_t leaves = size > want;
    while (size != want) {
        const size_t place = (size_t)((uint64_t)draw(s) * (words * 64) >> 32), w = place / 64;
        const uint64_t there = valid[w] >> (place % 64), held = mask[w] >> (place % 64);
        const uint64_t turns = there & ~(held ^ leaves) & 1;
        mask[w] ^= turns << (place % 64);
        size = leaves ? size - turns : size + turns;
    }
}

void kl_pairs_shuffle_labels(uint64_t *mask, uint64_t *noise, const struct kl_planes *p, uint64_t seed,
                             uint32_t purpose, uint32_t step, uint32_t replica)
{
    const double share = (double)p->rows_a / (double)p->rows;
    const int near = (int)(share * (1 << LEVELS) + 0.5), top = (1 << LEVELS) - 1;
    const unsigned m = (unsigned)(near < 1 ? 1 : near > top ? top : near);
    const int digits = LEVELS - __builtin_ctz(m);
    const size_t words = (size_t)digits * p->words;
    struct spare spare = { .words = noise + words,
                           .seed = seed,
                           .block = (uint32_t)(words + KL_LABELS_SPARE) / 2 + 1,
                           .purpose = purpose,
                           .step = step,
                           .replica = replica };
    kl_kernel_bit_noise()(noise, words + KL_LABELS_SPARE, seed, 0, purpose, step, replica);
    join(mask, noise, p, m, digits);
    for (size_t fold = 0; fold < KL_CROSSFIT_FOLDS; fold++) {
        const size_t from = fold * p->fold_words;
        mend(mask + from, p->valid + from, p->fold_words, p->first_of_fold[fold], &spare);
    }
}

/* ---- the permutation test ---- */

struct job {
    const struct kl_planes *planes;
    const struct kl_shares *shares;
    struct kl_labelling *labellings; /* one a thread */
    double *scores;                  /* [permutations, KL_N_SCORES] */
    uint64_t seed;
    size_t n, first, chunk; /* permutations: all, done, those that a thread takes at a time */
    uint32_t pair, wanted;
};

static void permute_once(const struct job *job, size_t i, struct kl_labelling *l)
{
    const struct kl_planes *p = job->planes;
    kl_pairs_shuffle_labels(l->mask, l->noise, p, job->seed, KL_RANDOM_LABELS, (uint32_t)i, job->pair);
    kl_pairs_labelling_scores(job->scores + i * KL_N_SCORES, job->wanted, l, p, job->shares);
}

static void permute_some(void *context, size_t chunk, int thread)
{
    if (kl_signals_pending()) return; /* what calls this asks as well */
    const struct job *job = context;
    const size_t from = job->first + chunk * job->chunk;
    for (size_t i = from; i < from + job->chunk && i < job->n; i++)
        permute_once(job, i, &job->labellings[thread]);
}

/* Some at a time, which take about a tenth of a second. */
static int permute_all(struct job *job, struct kl_pool *pool, struct kl_course *course,
                       struct kl_error *err)
{
    enum { ROWS = 1 << 22, CHUNK = 32 };
    const size_t some = 1 + ROWS / job->planes->rows;
    int code = KL_OK;
    job->chunk = some < CHUNK ? some : CHUNK;
    const size_t most = (size_t)kl_pool_size(pool) * (some / job->chunk) * job->chunk;
    for (size_t n; !code && job->first < job->n; job->first += n) {
        n = job->n - job->first < most ? job->n - job->first : most;
        kl_pool_for(pool, (n + job->chunk - 1) / job->chunk, permute_some, job);
        code = kl_course_step(course, n, NULL, err);
    }
    return code;
}

/* p = (1 + permutations that score as high) / (1 + permutations) (Phipson & Smyth 2010,
   doi:10.2202/1544-6115.1585). */
static void judge_scores(struct kl_pair_result *r, uint32_t wanted, const double *scores, double *column,
                         size_t n)
{
    for (int s = 0; s < KL_N_SCORES; s++) {
        size_t as_high = 0;
        double sum = 0;
        r->p[s] = r->null_mean[s] = r->null_q95[s] = NAN;
        if (!n || !(wanted >> s & 1)) continue;
        for (size_t i = 0; i < n; i++) {
            column[i] = scores[i * KL_N_SCORES + (size_t)s];
            as_high += column[i] >= r->score[s];
            sum += column[i];
        }
        kl_stats_sort(column, n);
        r->p[s] = (1 + (double)as_high) / (1 + (double)n);
        r->null_mean[s] = sum / (double)n;
        r->null_q95[s] = kl_stats_sorted_quantile(column, n, 0.95);
    }
}

static int run_test(struct kl_pair_result *r, struct job *job, size_t n, struct kl_pool *pool,
                    struct kl_course *course, struct kl_error *err)
{
    const struct kl_planes *p = job->planes;
    double *column = malloc((n + 1) * sizeof *column);
    int code = column ? KL_OK : kl_fail_memory(err, n * sizeof *column);
    for (int t = 0; t < kl_pool_size(pool) && !code; t++)
        code = kl_pairs_labelling_make(&job->labellings[t], p, err);
    if (!code) {
        memcpy(job->labellings[0].mask, p->first, p->words * sizeof *p->first);
        kl_pairs_labelling_scores(r->score, KL_ALL_SCORES, &job->labellings[0], p, job->shares);
        job->n = n;
        code = permute_all(job, pool, course, err);
        if (!code) judge_scores(r, job->wanted, job->scores, column, n);
    }
    for (int t = 0; t < kl_pool_size(pool); t++) kl_pairs_labelling_free(&job->labellings[t]);
    free(column);
    return code;
}

int kl_pairs_permutation_test(struct kl_pair_result *r, const struct kl_planes *p, uint32_t wanted,
                              size_t permutations, uint64_t seed, uint32_t pair, struct kl_pool *pool,
                              struct kl_course *course, struct kl_error *err)
{
    struct kl_shares shares[2] = { 0 };
    struct job job = { .planes = p, .shares = shares, .seed = seed, .pair = pair, .wanted = wanted };
    const size_t bytes = (permutations + 1) * KL_N_SCORES * sizeof *job.scores;
    job.scores = malloc(bytes);
    job.labellings = calloc((size_t)kl_pool_size(pool), sizeof *job.labellings);
    int code = job.scores && job.labellings ? KL_OK : kl_fail_memory(err, bytes);
    if (!code) code = kl_pairs_shares_make(&shares[0], p->rows_a, err);
    if (!code) code = kl_pairs_shares_make(&shares[1], p->rows - p->rows_a, err);
    if (!code) code = run_test(r, &job, permutations, pool, course, err);
    kl_pairs_shares_free(&shares[0]), kl_pairs_shares_free(&shares[1]);
    free(job.scores), free(job.labellings);
    return code;
}
