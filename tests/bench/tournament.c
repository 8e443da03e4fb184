/* SPDX-License-Identifier: MIT
   Three devices of 2,000 rows of 100 bits: the study's features and composites of all pairs; 10,000
   permutations of the labels of a pair, of chi-squared alone and of all eight scores; thirty devices
   made, compared and tested. Beside peer_tournament.py. Then what a permutation consists of, on one
   thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/pairs/tournament.h"
#include "qrng/synthetic/synthetic.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

struct input {
    struct kl_bits bits;
    struct kl_row_features f;
    size_t rows[3][2000];
    struct kl_error err;
};

static void make(struct input *in)
{
    struct kl_synthetic_options o;
    struct kl_synthetic_plan plan;
    struct kl_synthetic_device devices[3];
    uint64_t draws;
    kl_synthetic_options_default(&o);
    o.devices = 3, o.source = "pairs";
    must(kl_synthetic_plan(&plan, &o, &in->err), &in->err);
    must(kl_synthetic_make(&in->bits, devices, &draws, &plan, NULL, &in->err), &in->err);
    must(kl_pairs_row_features(&in->f, &in->bits, &in->err), &in->err);
    for (size_t r = 0; r < 6000; r++) in->rows[r / 2000][r % 2000] = r;
}

static void planes_of(struct kl_planes *p, struct input *in, int a, int b)
{
    must(kl_pairs_planes_make(p, &in->bits, &in->f, in->rows[a], 2000, in->rows[b], 2000, &in->err),
         &in->err);
}

/* From rows of bits to the scores of the three pairs, as the tool goes about it. */
static double composites(struct input *in)
{
    const double start = kl_clock();
    struct kl_row_features f;
    struct kl_shares shares[2];
    must(kl_pairs_row_features(&f, &in->bits, &in->err), &in->err);
    must(kl_pairs_shares_make(&shares[0], 2000, &in->err), &in->err);
    must(kl_pairs_shares_make(&shares[1], 2000, &in->err), &in->err);
    for (int a = 0; a < 3; a++)
        for (int b = a + 1; b < 3; b++) {
            struct kl_planes p;
            struct kl_labelling l;
            double scores[KL_N_SCORES];
            planes_of(&p, in, a, b);
            must(kl_pairs_labelling_make(&l, &p, &in->err), &in->err);
            memcpy(l.mask, p.first, p.words * sizeof *p.first);
            kl_pairs_labelling_scores(scores, 1 << KL_SCORE_COMPOSITE, &l, &p, shares);
            if (!(scores[KL_SCORE_COMPOSITE] > 0)) exit(1);
            kl_pairs_labelling_free(&l);
            kl_pairs_planes_free(&p);
        }
    kl_pairs_shares_free(&shares[0]), kl_pairs_shares_free(&shares[1]);
    kl_pairs_row_features_free(&f);
    return kl_clock() - start;
}

static double permutations(struct input *in, uint32_t wanted, size_t n, struct kl_pool *pool)
{
    struct kl_planes p;
    struct kl_pair_result r = { 0 };
    planes_of(&p, in, 0, 1);
    const double start = kl_clock();
    must(kl_pairs_permutation_test(&r, &p, wanted, n, 1, 0, pool, NULL, &in->err), &in->err);
    const double seconds = kl_clock() - start;
    kl_pairs_planes_free(&p);
    return seconds;
}

/* Behind the comparison come classifiers, which NumPy's side has not: classifier.c times those. */
static int compared(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)context, (void)total, (void)note;
    return done == 2;
}

static double thirty(struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_watch watch = { .step = compared };
    struct kl_synthetic s;
    struct kl_synthetic_options o;
    kl_synthetic_options_default(&o);
    o.variant = "validate", o.seed = 42, o.trials = 0;
    const double start = kl_clock();
    if (kl_synthetic_run(&s, &o, pool, &watch, err) != KL_ESIGNAL) must(err->code, err);
    const double seconds = kl_clock() - start;
    kl_synthetic_free(&s);
    return seconds;
}

/* One thread: seconds a permutation of each kind of score, and of drawing the labels alone. */
static void parts(struct input *in, size_t n)
{
    struct kl_planes p;
    planes_of(&p, in, 0, 1);
    uint64_t *mask = malloc(p.words * 8), *noise = malloc((8 * p.words + KL_LABELS_SPARE) * 8);
    const double start = kl_clock();
    for (size_t i = 0; i < n; i++) kl_pairs_shuffle_labels(mask, noise, &p, 1, 999, (uint32_t)i, 0);
    printf("labels drawn: %.3f us", 1e6 * (kl_clock() - start) / (double)n);
    for (int s = 0; s < KL_N_SCORES; s++)
        if (s == KL_SCORE_COMPOSITE || s >= KL_SCORE_CHI_SQUARE)
            printf("; %s %.3f us", kl_score_names[s],
                   1e6 * permutations(in, 1u << s, n, NULL) / (double)n);
    printf("; all %.3f us\n", 1e6 * permutations(in, KL_ALL_SCORES, n, NULL) / (double)n);
    free(mask), free(noise);
    kl_pairs_planes_free(&p);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    const size_t n = quick ? 1000 : 10000;
    const char *suffix = quick ? "-quick" : "";
    static struct input in;
    struct kl_pool *pool = NULL;
    double best[4] = { 1e9, 1e9, 1e9, 1e9 };
    make(&in);
    must(kl_pool_create(&pool, 0, &in.err), &in.err);
    for (int round = 0; round < (quick ? 2 : 5); round++) {
        best[0] = fmin(best[0], composites(&in));
        best[1] = fmin(best[1], permutations(&in, 1 << KL_SCORE_CHI_SQUARE, n, pool));
        best[2] = fmin(best[2], permutations(&in, KL_ALL_SCORES, n, pool));
        if (round < 2) best[3] = fmin(best[3], thirty(pool, &in.err));
    }
    printf("bench tournament-composites/ketline %.4g s\n", best[0]);
    printf("bench pair-permutations%s/ketline %.4g s\n", suffix, best[1]);
    printf("bench all-permutations%s/ketline %.4g s\n", suffix, best[2]);
    printf("bench thirty-devices/ketline %.4g s\n", best[3]);
    parts(&in, n / 10);
    kl_pool_destroy(&pool);
    kl_pairs_row_features_free(&in.f);
    kl_bits_free(&in.bits);
    return 0;
}
