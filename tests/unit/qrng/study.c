/* SPDX-License-Identifier: MIT
   Splits of a study: shares of each device, folds that are each the test once, the reference's cut;
   shuffled labels. */
#include "qrng/classify/study.h"

#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "qrng/classify/network.h"

enum { N = 600, DEVICES = 3 };
static uint64_t words[N];
static int32_t device[N];
static char names[DEVICES][KL_BITS_NAME] = { "1", "2", "3" };
static const struct kl_bits bits = { .n_rows = N,
                                     .n_bits = 10,
                                     .words_per_row = 1,
                                     .words = words,
                                     .device = device,
                                     .n_devices = DEVICES,
                                     .names = names,
                                     .symbol_bits = 1 };
static int32_t labels[N];
static uint8_t part[N];
static int64_t scratch[2 * N];

static struct kl_study_settings settings(const char *protocol)
{
    struct kl_study_settings v;
    struct kl_error err = { 0 };
    kl_classify_settings_default(&v);
    v.protocol = protocol, v.seeds = 2, v.null = 2;
    CHECK(kl_classify_settings_complete(&v, &err) == 0, "%s", err.text);
    return v;
}

static void split(const struct kl_study *s, size_t run)
{
    struct kl_error err = { 0 };
    kl_classify_labels(labels, s, run, scratch);
    CHECK(kl_classify_split(part, s, run, labels, &err) == 0, "%s", err.text);
}

/* Rows of a part that carry a label; label -1: any. */
static int count(enum kl_part which, int label)
{
    int n = 0;
    for (int i = 0; i < N; i++) n += part[i] == which && (label < 0 || labels[i] == label);
    return n;
}

static void check_holdout(void)
{
    const struct kl_study_settings v = settings("holdout");
    struct kl_study s;
    struct kl_error err = { 0 };
    uint8_t first[N];
    CHECK(kl_classify_study_open(&s, &v, &bits, &err) == 0, "%s", err.text);
    CHECK(s.n_splits == 2 && s.n_runs == 4, "%zu splits, %zu runs", s.n_splits, s.n_runs);
    for (size_t run = 0; run < 4; run++) {
        split(&s, run);
        for (int d = 0; d < DEVICES; d++)
            CHECK(count(KL_PART_TEST, d) == 40 && count(KL_PART_VALIDATION, d) == 20 &&
                      count(KL_PART_TRAINING, d) == 140,
                  "run %zu, device %d: %d, %d", run, d, count(KL_PART_TEST, d),
                  count(KL_PART_VALIDATION, d));
        if (run) CHECK(memcmp(first, part, N) != 0, "run %zu is split as the first", run);
        else memcpy(first, part, N);
    }
    split(&s, 0);
    CHECK(memcmp(first, part, N) == 0, "the same run twice");
    kl_classify_study_close(&s);
}

static void check_folds(void)
{
    const struct kl_study_settings v = settings("folds");
    struct kl_study s;
    struct kl_error err = { 0 };
    int tested[2][N] = { 0 };
    CHECK(kl_classify_study_open(&s, &v, &bits, &err) == 0, "%s", err.text);
    CHECK(s.n_splits == 10, "%zu splits", s.n_splits);
    for (size_t run = 0; run < 10; run++) {
        split(&s, run);
        for (int i = 0; i < N; i++) tested[run / 5][i] += part[i] == KL_PART_TEST;
        for (int d = 0; d < DEVICES; d++)
            CHECK(count(KL_PART_TEST, d) == 40, "%d", count(KL_PART_TEST, d));
        CHECK(count(KL_PART_VALIDATION, -1) == 60, "%d", count(KL_PART_VALIDATION, -1));
    }
    for (int i = 0; i < N; i++) CHECK(tested[0][i] == 1 && tested[1][i] == 1, "row %d", i);
    kl_classify_study_close(&s);
}

static void check_reference(void)
{
    const struct kl_study_settings v = settings("reference");
    struct kl_study s;
    struct kl_error err = { 0 };
    int32_t rows[N];
    CHECK(kl_classify_study_open(&s, &v, &bits, &err) == 0, "%s", err.text);
    split(&s, 1);
    kl_classify_mt19937_split(rows, N, 90);
    for (int i = 0; i < N; i++)
        CHECK(part[rows[i]] == (i < 480 ? KL_PART_TRAINING : KL_PART_TEST), "place %d", i);
    kl_classify_study_close(&s);
}

static void check_labels(void)
{
    const struct kl_study_settings v = settings("holdout");
    struct kl_study s;
    struct kl_error err = { 0 };
    int32_t first[N];
    CHECK(kl_classify_study_open(&s, &v, &bits, &err) == 0, "%s", err.text);
    kl_classify_labels(labels, &s, 1, scratch);
    CHECK(memcmp(labels, device, sizeof labels) == 0, "labels of a split");
    for (size_t run = 2; run < 4; run++) {
        int n[DEVICES] = { 0 }, same = 0;
        kl_classify_labels(labels, &s, run, scratch);
        for (int i = 0; i < N; i++) n[labels[i]]++, same += labels[i] == device[i];
        CHECK(n[0] == 200 && n[1] == 200 && n[2] == 200, "%d, %d, %d", n[0], n[1], n[2]);
        CHECK(same > 150 && same < 250, "%d labels in their places", same); /* 200 -+ 12 */
        if (run == 2) memcpy(first, labels, sizeof first);
    }
    CHECK(memcmp(labels, first, sizeof first) != 0, "two orders");
    kl_classify_study_close(&s);
}

int main(void)
{
    for (int i = 0; i < N; i++) words[i] = (uint64_t)(i * 7) % 1024, device[i] = i % DEVICES;
    check_holdout();
    check_folds();
    check_reference();
    check_labels();
    return failures != 0;
}
