/* SPDX-License-Identifier: MIT
   What is published of the reference's ladders, computed anew from ladders.csv: the table of MNIST, the
   table of factors, ten chain seeds, the ladder without a factor. Expected: numbers as printed there.
   Its inverse was a bisection down to 1e-5, so that a printed digit may be off where the true value is
   within 5e-6 of the next one. */
#include "golden_sampling.h"
#include "sampling/ladder/ladder.h"

static const char LADDERS[] = "sgld/ladders.csv";

static void read_ladder(struct kl_sampling_ladder *ladder, const char *set, const char *labels,
                        int64_t seed)
{
    char path[4096];
    struct kl_error err = { 0 };
    const struct kl_sampling_ladder_source source = { .set = set, .labels = labels, .seed = seed };
    must(kl_sampling_ladder_read_csv(ladder, golden_path(path, LADDERS), &source, &err), &err);
}

static void options_of(struct kl_sampling_bound_options *o, const struct kl_sampling_ladder *ladder,
                       double threshold)
{
    kl_sampling_bound_options_default(o, ladder->n);
    o->log_constant = log(2 * sqrt((double)ladder->n)), o->threshold = threshold; /* the reference's */
}

/* Rungs by their beta. */
static size_t at(const struct kl_sampling_ladder *ladder, double beta)
{
    for (size_t k = 0; k < ladder->n_rungs; k++)
        if (ladder->beta[k] == beta) return k;
    CHECK(false, "no beta %g", beta);
    return 0;
}

static void printed(const char *what, double beta, double found, double expected, double inverse)
{
    CHECK(fabs(found - expected) <= 0.5e-4 + inverse, "%s at %g: found %.6f, expected %.4f", what, beta,
          found, expected);
}

/* The factor by the closed form or by the reference's search. */
static double factor_of(const char *set, int64_t seed, double threshold, bool search)
{
    struct kl_sampling_ladder random;
    struct kl_sampling_bound_options o;
    struct kl_sampling_calibration closed;
    struct kl_sampling_bounds b;
    struct kl_error err = { 0 };
    double p[64], gamma[64], factor;
    read_ladder(&random, set, "random", seed);
    options_of(&o, &random, threshold);
    must(kl_sampling_bounds_calibrate(&closed, &random, &o, &err), &err);
    must(kl_sampling_bounds_make(&b, &random, &o, NAN, NAN, &err), &err);
    const double width = kl_sampling_ladder_width(&random);
    for (size_t k = 0; k < b.n_rungs; k++) p[k] = b.rungs[k].train, gamma[k] = b.rungs[k].gamma / width;
    const bool ends = kl_sampling_calibrate_bisect(&factor, p, gamma, b.n_rungs, random.n, &b.options);
    CHECK(ends == closed.exists, "%s: the closed form says %d, the search %d", set, closed.exists, ends);
    CHECK(!ends || (factor / width >= closed.factor - 1e-4 &&
                    factor / width <= closed.factor + 0.011 / width),
          "%s: closed form %g, search %g", set, closed.factor, factor / width);
    kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&random);
    return search ? factor / width : closed.factor;
}

static const double BETAS[] = { 500, 1000, 2000, 4000, 8000, 16000, 32000, 64000 };
enum { N = sizeof BETAS / sizeof *BETAS };

static void check_mnist(void)
{
    static const double train[2][N] = { { .1761, .0980, .0740, .0386, .0188, .0084, .0038, .0016 },
                                        { .4991, .4716, .4144, .3460, .2659, .2095, .1345, .1143 } };
    static const double test[2][N] = { { .1824, .1168, .1044, .0771, .0655, .0644, .0549, .0498 },
                                       { .5050, .4955, .5050, .5014, .5066, .5071, .5042, .4992 } };
    static const double calibrated[N] = { .2531, .1766, .1540, .1229, .1071, .0969, .0892, .0860 };
    static const double raw[N] = { .3605, .3027, .2921, .2950, .3181, .3367, .3407, .3482 };
    const double factor = factor_of("mnist-fcn2", 0, 0.5, false);
    printed("MNIST: factor", 0, factor, 0.1935, 0);
    for (int labels = 0; labels < 2; labels++) {
        struct kl_sampling_ladder ladder;
        struct kl_sampling_bound_options o;
        struct kl_sampling_bounds b;
        struct kl_error err = { 0 };
        read_ladder(&ladder, "mnist-fcn2", labels ? "random" : "true", 0);
        options_of(&o, &ladder, 0.5);
        must(kl_sampling_bounds_make(&b, &ladder, &o, factor, NAN, &err), &err);
        for (int i = 0; i < N; i++) {
            const size_t k = at(&ladder, BETAS[i]);
            printed("train", BETAS[i], ladder.train01[k], train[labels][i], 0);
            printed("test", BETAS[i], ladder.test01[k], test[labels][i], 0);
            if (labels) {
                CHECK(b.rungs[k].calibrated >= 0.5 - 1e-9, "random labels, beta %g: %g", BETAS[i],
                      b.rungs[k].calibrated);
                continue;
            }
            printed("calibrated bound", BETAS[i], b.rungs[k].calibrated, calibrated[i], 5e-6);
            printed("bound", BETAS[i], b.rungs[k].bound, raw[i], 5e-6);
        }
        kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&ladder);
    }
}

/* A row of the table of factors; last: the beta of its last two columns. */
static void check_set(const char *set, double threshold, double factor, double low, double test,
                      double high, double last)
{
    struct kl_sampling_ladder ladder;
    struct kl_sampling_bound_options o;
    struct kl_sampling_bounds b;
    struct kl_error err = { 0 };
    const double found = factor_of(set, 0, threshold, threshold != 0.5);
    printed(set, 0, found, factor, 0);
    read_ladder(&ladder, set, "true", 0);
    options_of(&o, &ladder, threshold);
    must(kl_sampling_bounds_make(&b, &ladder, &o, found, NAN, &err), &err);
    const struct kl_sampling_rung_bounds *top = &b.rungs[at(&ladder, last)];
    printed(set, 1000, b.rungs[at(&ladder, 1000)].calibrated, low, 5e-6);
    printed(set, last, top->test, test, 0);
    printed(set, last, top->calibrated, high, 5e-6);
    /* LeNet's test error is above its calibrated bound; the theorem's bound holds for all. */
    CHECK((top->test > top->calibrated) == (strcmp(set, "mnist-lenet5") == 0 && threshold == 0.5), "%s",
          set);
    CHECK(top->bound > top->test, "%s", set);
    if (strcmp(set, "mnist-lenet5") == 0) printed("LeNet without a factor", last, top->bound, .2107, 0);
    kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&ladder);
}

/* Ten chain seeds: 0.166 +- 0.028, by the reference's search, whose steps are 0.01 where losses are raw.
 */
static void check_seeds(void)
{
    double sum = 0, squares = 0, closed = 0;
    for (int64_t seed = 1; seed <= 10; seed++) {
        const double factor = factor_of("mnist-fcn2-two-stage", seed, 0.5, true);
        sum += factor, squares += factor * factor;
        closed += factor_of("mnist-fcn2-two-stage", seed, 0.5, false) / 10;
    }
    const double mean = sum / 10, deviation = sqrt(squares / 10 - mean * mean);
    CHECK(fabs(mean - 0.166) < 0.0005, "mean %.4f", mean);
    CHECK(fabs(deviation - 0.028) < 0.0005, "deviation %.4f", deviation);
    printed("ten seeds in closed form", 0, closed, 0.1645, 0);
}

/* Ten classes: the saturated chain's curve rises, its Gamma is negative, no factor exists. */
static void check_stuck(void)
{
    static const double betas[] = { 4000, 8000, 16000, 30000, 60000, 120000, 600000 };
    static const double test[] = { .0544, .0325, .0216, .0175, .0183, .0174, .0184 };
    struct kl_sampling_ladder random, ladder;
    struct kl_sampling_bound_options o;
    struct kl_sampling_calibration closed;
    struct kl_sampling_bounds b;
    struct kl_error err = { 0 };
    read_ladder(&random, "mnist10-cnn4", "random", 42), read_ladder(&ladder, "mnist10-cnn4", "true", 42);
    options_of(&o, &random, NAN);
    must(kl_sampling_bounds_calibrate(&closed, &random, &o, &err), &err);
    CHECK(!closed.exists && isnan(closed.factor));
    must(kl_sampling_bounds_make(&b, &random, &o, NAN, NAN, &err), &err);
    CHECK(b.rise.rises > 0 && fabs(b.rungs[closed.at].gamma + 1426) < 0.5, "%zu rises", b.rise.rises);
    CHECK(random.chance == 0.9 && ladder.chance == 0.9, "chance %g", random.chance);
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++)
        printed("ten classes", betas[i], ladder.test01[at(&ladder, betas[i])], test[i], 0);
    CHECK(fabs(ladder.train01[at(&ladder, 1000)] - 0.898) < 0.0005);
    kl_sampling_bounds_free(&b), kl_sampling_ladder_free(&random), kl_sampling_ladder_free(&ladder);
}

int main(void)
{
    if (golden_absent(LADDERS)) return 77;
    check_mnist();
    check_set("mnist-fcn2", 0.5, .1935, .1766, .0498, .0860, 64000);
    check_set("mnist-fcn3", 0.5, .2640, .2347, .0549, .1314, 64000);
    check_set("mnist-lenet5", 0.5, .0547, .0820, .0317, .0312, 64000);
    printed("LeNet, threshold .51, closed form", 0, factor_of("mnist-lenet5", 0, 0.51, false), .0793, 0);
    check_set("mnist-lenet5", 0.51, .0795, .0887, .0317, .0375, 64000);
    check_set("cifar10-fcn2", 0.5, .2227, .2903, .1719, .2260, 64000);
    check_set("cifar10-fcn3", 0.5, .2406, .3635, .1782, .2806, 64000);
    check_set("cifar10-vgg16", 0.5, .1825, .2330, .0903, .2030, 64000);
    check_set("mnist-fcn1-savage", 0.5, .4916, .2333, .1128, .1867, 16000);
    check_seeds();
    check_stuck();
    return failures != 0;
}
