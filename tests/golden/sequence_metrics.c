/* SPDX-License-Identifier: MIT
   Metrics of two and of four classes, with ties, against scikit-learn's (group metrics of
   hydra/golden.h5). */
#include <math.h>

#include "golden.h"
#include "stats/stats.h"

enum { MOST = 4096 };
#define BOUND 1e-13
static int failures;

static void say(const char *what, double found, double expected)
{
    const bool good = fabs(found - expected) <= BOUND;
    if (!good) failures++;
    printf("%s: %.15g, expected %.15g: %s\n", what, found, expected, good ? "as expected" : "DIFFERS");
}

static double one(hid_t group, const char *name)
{
    double value[1] = { NAN };
    if (H5Aexists(group, name) > 0) return golden_number(group, name);
    golden_need(golden_values(value, 1, group, name) == 1, name);
    return value[0];
}

static size_t take_labels(int32_t *labels, hid_t group, const char *name)
{
    static double values[MOST];
    const size_t n = golden_values(values, MOST, group, name);
    for (size_t i = 0; i < n; i++) labels[i] = (int32_t)values[i];
    return n;
}

int main(void)
{
    static double p1[MOST], p[2 * MOST], expected[16];
    static int32_t labels[MOST];
    const char *shared = getenv("KETLINE_SHARED");
    struct kl_metrics m;
    struct kl_error err;
    int64_t confusion[16];
    char path[512];
    snprintf(path, sizeof path, "%s/reference/hydra/golden.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: %s is not here\n", path);
        return 77;
    }
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                group = H5Gopen2(file, "metrics", H5P_DEFAULT);
    size_t n = take_labels(labels, group, "y");
    golden_need(golden_values(p1, MOST, group, "prob1") == n, "prob1");
    for (size_t i = 0; i < n; i++) p[2 * i] = 1 - p1[i], p[2 * i + 1] = p1[i];
    must(kl_stats_metrics(&m, confusion, labels, p, n, 2, &err), &err);
    say("accuracy", m.accuracy, one(group, "accuracy"));
    say("auc", m.auc, one(group, "auc"));
    say("f1", m.f1, one(group, "f1_weighted"));
    golden_need(golden_values(expected, 16, group, "confusion") == 4, "confusion");
    for (int i = 0; i < 4; i++) say("confusion", (double)confusion[i], expected[i]);
    n = take_labels(labels, group, "multi_y");
    golden_need(golden_values(p, 2 * MOST, group, "multi_prob") == 4 * n, "multi_prob");
    must(kl_stats_metrics(&m, NULL, labels, p, n, 4, &err), &err);
    say("auc of four", m.auc, one(group, "multi_auc_ovr_weighted"));
    say("f1 of four", m.f1, one(group, "multi_f1_weighted"));
    H5Gclose(group), H5Fclose(file);
    return failures != 0;
}
