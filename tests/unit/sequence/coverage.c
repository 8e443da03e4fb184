/* SPDX-License-Identifier: MIT
   "95 %" covers 95 %: of accuracies that are drawn, a person's own and then those of his windows, the
   intervals of a comparison hold the true mean, and the true difference, in 94 to 96 % of comparisons of
   5, 6 and 10 people; those over people and seeds, whose law is an approximation on the safe side, in at
   least 95 %. */
#include <math.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sequence/report/compare.h"
#include "tests/unit/check.h"

enum { EACH = 40, PEOPLE = 10, SEEDS = 5, MOST = PEOPLE * EACH };
static const double MEAN = 0.72, LESS = 0.04;
static uint32_t drawn;

/* Uniform in (0, 1). */
static double uniform(uint64_t seed)
{
    uint32_t words[4];
    kl_philox(words, seed, drawn++, 12345, 0, 0);
    return ((double)words[0] + 0.5) / 4294967296.0;
}

static double normal(uint64_t seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

/* Within two deviations, so that shares stay shares; symmetric, so that the mean is what it was. */
static double within(uint64_t seed, double deviation)
{
    double z = 3;
    while (fabs(z) > 2) z = normal(seed);
    return deviation * z;
}

struct study {
    struct kl_sequence_reported r[2];
    double p[2][SEEDS][MOST * 2];
    int32_t labels[MOST], subject[MOST], recording[MOST], fold[MOST];
    char *people[PEOPLE], names[PEOPLE][8];
};

static void fill(struct study *s, uint64_t seed, size_t people, size_t seeds)
{
    double of_seed[2][SEEDS] = { { 0 } };
    for (int m = 0; m < 2; m++)
        for (size_t k = 0; k < seeds && seeds > 1; k++) of_seed[m][k] = within(seed, 0.03);
    for (size_t p = 0; p < people; p++) {
        const double own = MEAN + within(seed, 0.09), other = own - LESS + within(seed, 0.04);
        for (int m = 0; m < 2; m++)
            for (size_t k = 0; k < seeds; k++)
                for (size_t i = 0; i < EACH; i++) {
                    const size_t w = p * EACH + i;
                    const bool right = uniform(seed) < (m ? other : own) + of_seed[m][k];
                    double *to = (double *)s->p[m] + (k * people * EACH + w) * 2;
                    to[s->labels[w]] = right ? 0.9 : 0.1, to[1 - s->labels[w]] = right ? 0.1 : 0.9;
                }
    }
}

static void begin(struct study *s, size_t people, size_t seeds)
{
    static char *recordings[PEOPLE];
    for (size_t p = 0; p < PEOPLE; p++) {
        snprintf(s->names[p], sizeof s->names[p], "P%zu", p);
        s->people[p] = recordings[p] = s->names[p];
    }
    for (size_t w = 0; w < MOST; w++)
        s->labels[w] = w % 2, s->subject[w] = s->recording[w] = (int32_t)(w / EACH), s->fold[w] = 0;
    for (int m = 0; m < 2; m++)
        s->r[m] = (struct kl_sequence_reported){ .path = m ? "b" : "a",
                                                 .model = m ? "b" : "a",
                                                 .split = "subject",
                                                 .n = people * EACH,
                                                 .replicas = seeds,
                                                 .classes = 2,
                                                 .n_people = people,
                                                 .n_recordings = people,
                                                 .folds = 1,
                                                 .labels = s->labels,
                                                 .subject = s->subject,
                                                 .recording = s->recording,
                                                 .fold = s->fold,
                                                 .probabilities = (double *)s->p[m],
                                                 .train_windows = NAN,
                                                 .people = s->people,
                                                 .recordings = recordings };
}

static bool holds(double low, double high, double value)
{
    return low <= value && value <= high;
}

static void cover(size_t people, size_t seeds, int studies)
{
    static struct study s;
    const struct kl_sequence_compare_options o = { .draws = 1000 };
    double mean = 0, difference = 0, both = 0, both_difference = 0;
    begin(&s, people, seeds);
    for (int k = 0; k < studies; k++) {
        struct kl_sequence_compared c;
        struct kl_error err = { 0 };
        drawn = 0;
        fill(&s, (uint64_t)k, people, seeds);
        CHECK(kl_sequence_compare(&c, s.r, 2, &o, &err) == 0, "%s", err.text);
        mean += holds(c.models[0].low, c.models[0].high, MEAN) / (double)studies;
        difference += holds(c.pairs[0].t.low, c.pairs[0].t.high, LESS) / (double)studies;
        both += holds(c.models[0].both.low, c.models[0].both.high, MEAN) / (double)studies;
        both_difference += holds(c.pairs[0].both.low, c.pairs[0].both.high, LESS) / (double)studies;
        kl_sequence_compared_free(&c);
    }
    printf("%zu people, %zu seeds: mean %.4f, difference %.4f; with seeds %.4f, %.4f\n", people, seeds,
           mean, difference, both, both_difference);
    if (seeds == 1) CHECK(mean > 0.94 && mean < 0.96 && difference > 0.94 && difference < 0.96);
    else CHECK(both > 0.95 && both < 0.995 && both_difference > 0.95 && both_difference < 0.995);
}

int main(void)
{
    cover(5, 1, 10000), cover(6, 1, 10000), cover(10, 1, 10000);
    cover(6, 5, 4000), cover(10, 3, 4000);
    return failures != 0;
}
