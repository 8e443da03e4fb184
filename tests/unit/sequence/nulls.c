/* SPDX-License-Identifier: MIT
   A planted effect is found and a null is not. 200 data sets of synthetic people without an effect:
   people who did not train the classifier are told from chance by exact sign flips as often as the
   test's size says. The same people with the default effect are found. Fitted on the tested people too,
   the count betrays it. */
#include <stdlib.h>
#include <string.h>

#include "sequence/covariance/covariance.h"
#include "sequence/learn/fitted.h"
#include "sequence/recording/recording.h"
#include "sequence/signal/signal.h"
#include "sequence/synthetic/synthetic.h"
#include "sequence/windows/windows.h"
#include "stats/stats.h"
#include "tests/unit/check.h"

/* 5 windows of each hand of a person, a run: 25 pairs, an odd number, so that an area under the ROC is
   never 1/2, and exchanging the hands, as likely as not, mirrors it: the signs of tested people are
   independent coins. People who are left out in turn have no such independence: two of them see each
   other's labels. */
enum {
    NULLS = 200,
    EFFECTS = 10,
    TRAIN = 2,
    TEST = 6,
    PEOPLE = TRAIN + TEST,
    C = 8,
    EACH = 10,
    N = PEOPLE * EACH,
    RATE = 32,
    T = 3 * RATE,
    FILTERS = 4,
    TRIANGLE = C * (C + 1) / 2
};
static double x[N][C][T], covariances[N][TRIANGLE], features[N * FILTERS], probabilities[2 * N];
static int32_t labels[N], subject[N], recording[N];
static double onset[N];
static char names[PEOPLE][8], *people[PEOPLE], *recordings[PEOPLE];
static struct kl_sequence_workspace workspace;
static struct kl_sequence_fir band;

static const double *window(const void *context, size_t i, struct kl_error *err)
{
    (void)context, (void)err;
    return &x[i][0][0];
}

/* Windows from half a second behind each cue on, 7 to 14 Hz. */
static void cut_run(const struct kl_sequence_people *o, size_t person)
{
    static double samples[C * 4096];
    struct kl_sequence_annotation a[2 * EACH];
    struct kl_error err = { 0 };
    size_t n_annotations, at = person * EACH, n = kl_sequence_people_samples(o, person, 0);
    CHECK(n <= 4096, "%zu samples", n);
    CHECK(kl_sequence_people_run(samples, a, &n_annotations, o, person, 0, &err) == 0, "%s", err.text);
    CHECK(kl_sequence_fir_apply(samples, C, n, &band, &workspace, NULL, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < n_annotations; i++) {
        if (strcmp(a[i].text, "T0") == 0) continue;
        const size_t from = (size_t)((a[i].onset + 0.5) * RATE);
        labels[at] = strcmp(a[i].text, "T2") == 0;
        for (size_t c = 0; c < C; c++) memcpy(x[at][c], samples + c * n + from, sizeof x[at][c]);
        at++;
    }
    CHECK(at == (person + 1) * EACH, "trials");
}

static void make_people(uint64_t seed, double effect)
{
    const struct kl_sequence_window_source source = { NULL, NULL, window, C, T };
    struct kl_sequence_people o;
    struct kl_error err = { 0 };
    kl_sequence_people_default(&o);
    o.seed = seed, o.people = PEOPLE, o.channels = C, o.trials = EACH, o.rate = RATE, o.mains = 0;
    if (effect >= 0) o.effect = effect;
    for (size_t p = 0; p < PEOPLE; p++) cut_run(&o, p);
    CHECK(kl_sequence_covariances(covariances[0], &source, NULL, N, KL_SEQUENCE_OAS, NULL, NULL, &err) ==
              0,
          "%s", err.text);
}

/* Probabilities of all windows by spatial patterns and a discriminant of rows. */
static void classify(const int64_t *rows, size_t n)
{
    double filters[FILTERS * C];
    int32_t of_rows[N];
    struct kl_sequence_linear linear = { 0 };
    struct kl_error err = { 0 };
    for (size_t i = 0; i < n; i++) of_rows[i] = labels[rows[i]];
    CHECK(kl_sequence_csp(filters, FILTERS, covariances[0], rows, of_rows, n, C, 2, &err) == 0, "%s",
          err.text);
    CHECK(kl_sequence_linear_init(&linear, FILTERS, 2, &err) == 0, "%s", err.text);
    kl_sequence_csp_features(features, filters, FILTERS, covariances[0], rows, n, C);
    CHECK(kl_sequence_discriminant(&linear, features, of_rows, n, &err) == 0, "%s", err.text);
    kl_sequence_csp_features(features, filters, FILTERS, covariances[0], NULL, N, C);
    kl_sequence_linear_apply(probabilities, &linear, features, N);
    kl_sequence_linear_free(&linear);
}

/* Pairs of a person's windows of two hands in the right order, of all pairs. */
static double area(int32_t person)
{
    int right = 0, pairs = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            if (subject[i] == person && subject[k] == person && labels[i] && !labels[k])
                right += probabilities[2 * i + 1] > probabilities[2 * k + 1], pairs++;
    CHECK(pairs % 2 == 1, "%d pairs of person %d", pairs, (int)person);
    return (double)right / pairs;
}

/* Two-sided p of the people in the rows (each once), against areas of 1/2. */
static double p_of(const int64_t *rows, size_t n, double *mean)
{
    double d[PEOPLE];
    size_t n_people = 0;
    struct kl_tested t;
    struct kl_error err = { 0 };
    *mean = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || subject[rows[i]] != subject[rows[i - 1]]) {
            d[n_people] = area(subject[rows[i]]) - 0.5;
            *mean += (d[n_people++] + 0.5) / TEST;
        }
    CHECK(n_people == TEST, "%zu people are tested", n_people);
    CHECK(kl_stats_sign_flip(&t, d, n_people, 0, 0, 0, &err) == 0 && t.exact, "%s", err.text);
    return t.both;
}

static struct kl_sequence_split split_people(void)
{
    const struct kl_sequence_split_options o = { .kind = KL_SEQUENCE_SPLIT_SUBJECT,
                                                 .test = (double)TEST / PEOPLE };
    struct kl_sequence_split split;
    struct kl_error err = { 0 };
    const struct kl_sequence_set set = { .n = N,
                                         .labels = labels,
                                         .subject = subject,
                                         .recording = recording,
                                         .onset = onset,
                                         .n_subjects = PEOPLE,
                                         .n_recordings = PEOPLE,
                                         .subject_names = people,
                                         .recording_names = recordings };
    CHECK(kl_sequence_split_make(&split, &set, &o, &err) == 0, "%s", err.text);
    CHECK(split.n[KL_SEQUENCE_TRAIN] == TRAIN * EACH && split.n[KL_SEQUENCE_TEST] == TEST * EACH,
          "%zu, %zu", split.n[KL_SEQUENCE_TRAIN], split.n[KL_SEQUENCE_TEST]);
    return split;
}

/* Of 2^6 signs, two are the furthest: p is at least 2/64, and 1/2 or less in half of all cases. The
   bounds are the central 99.9 % of Binomial(200, 1/32) and Binomial(200, 1/2). */
static void test_nulls(const struct kl_sequence_split *split)
{
    int least = 0, half = 0, leaked = 0;
    double mean;
    for (int i = 0; i < NULLS; i++) {
        make_people(1000 + (uint64_t)i, 0);
        classify(split->part[KL_SEQUENCE_TRAIN], split->n[KL_SEQUENCE_TRAIN]);
        const double p = p_of(split->part[KL_SEQUENCE_TEST], split->n[KL_SEQUENCE_TEST], &mean);
        CHECK(p >= 2.0 / 64, "p %g", p);
        least += p <= 2.0 / 64, half += p <= 0.5;
        classify(split->part[KL_SEQUENCE_TEST], split->n[KL_SEQUENCE_TEST]);
        leaked += p_of(split->part[KL_SEQUENCE_TEST], split->n[KL_SEQUENCE_TEST], &mean) <= 2.0 / 64;
    }
    printf("of %d nulls p is 2/64 in %d, at most 1/2 in %d; fitted on the tested people 2/64 in %d\n",
           NULLS, least, half, leaked);
    CHECK(least <= 16, "%d of %d nulls have p 2/64, expected 0 to 16", least, NULLS);
    CHECK(half >= 77 && half <= 123, "%d of %d nulls have p up to 1/2, expected 77 to 123", half, NULLS);
    CHECK(leaked > 16, "the test does not see that the tested people trained: p 2/64 in %d", leaked);
}

static void test_effect(const struct kl_sequence_split *split)
{
    int found = 0;
    for (int i = 0; i < EFFECTS; i++) {
        double mean;
        make_people(1 + (uint64_t)i, -1);
        classify(split->part[KL_SEQUENCE_TRAIN], split->n[KL_SEQUENCE_TRAIN]);
        const double p = p_of(split->part[KL_SEQUENCE_TEST], split->n[KL_SEQUENCE_TEST], &mean);
        printf("effect: mean area %.3f, p %g\n", mean, p);
        CHECK(mean >= 0.65, "data set %d: mean area %.3f", i, mean);
        found += p <= 2.0 / 64;
    }
    CHECK(found >= 8, "the default effect is found in %d of %d", found, EFFECTS);
}

int main(void)
{
    struct kl_error err = { 0 };
    for (int i = 0; i < N; i++) subject[i] = recording[i] = i / EACH, onset[i] = i;
    for (int p = 0; p < PEOPLE; p++) {
        snprintf(people[p] = names[p], sizeof *names, "S%d", p + 1);
        recordings[p] = names[p];
    }
    CHECK(kl_sequence_fir_band(&band, RATE, 7, 14, &err) == 0, "%s", err.text);
    make_people(1, -1); /* the split wants labels */
    struct kl_sequence_split split = split_people();
    test_effect(&split);
    test_nulls(&split);
    kl_sequence_split_free(&split);
    kl_sequence_fir_free(&band);
    kl_sequence_workspace_free(&workspace);
    return failures != 0;
}
