/* SPDX-License-Identifier: MIT
   Records of the reference's Langevin sampling: group synth of its golden.h5 (numpy's Mersenne Twister),
   to the last digits of the logarithm; group subset, the selections of MNIST, exactly; the images behind
   them. */
#include <math.h>

#include "golden.h"
#include "sampling/data/data.h"

enum { MOST = 60000 };
static int failures;
static const char *shared;

static void say(bool good, const char *what)
{
    if (!good) failures++;
    printf("%s: %s\n", what, good ? "as expected" : "DIFFERS");
}
static void need(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void compare(const char *what, const struct kl_sampling_records *found, hid_t group,
                    const char *x, const char *y, size_t n)
{
    static double values[400], labels[100];
    double worst = 0;
    bool same = found->n == n && found->inputs == 4;
    golden_need(
        golden_values(values, 400, group, x) == 4 * n && golden_values(labels, 100, group, y) == n, x);
    for (size_t i = 0; same && i < 4 * n; i++)
        worst = fmax(worst, fabs(found->x[i] - (double)(float)values[i]));
    for (size_t i = 0; same && i < n; i++) same = found->label[i] == labels[i];
    say(same && worst <= 1e-7, what);
}

static void synth(hid_t file)
{
    for (int r = 0; r < 3; r++) {
        struct kl_sampling_data data = { 0 }, coins = { 0 };
        struct kl_error err;
        char name[16];
        double w[4], expected[4], worst = 0;
        snprintf(name, sizeof name, "synth/%d", r);
        const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
        struct kl_sampling_data_options o = { .set = KL_SAMPLING_SYNTH, .seed = (uint64_t)r };
        need(kl_sampling_synth_make(&data, w, &o, &err), &err);
        golden_values(expected, 4, group, "w");
        for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(w[k] - expected[k]));
        say(worst <= 1e-15, "w");
        compare("training", &data.train, group, "x_train", "y_train", 50);
        compare("test", &data.test, group, "x_test", "y_test", 100);
        H5Gclose(group);
        /* Coins stand between the records: those of training are the same, of the test others. */
        o.random = 1;
        need(kl_sampling_data_load(&coins, &o, NULL, 0, &err), &err);
        int heads = 0;
        for (int i = 0; i < 50; i++) heads += coins.train.label[i];
        say(memcmp(coins.train.x, data.train.x, 200 * sizeof(float)) == 0 && heads > 10 && heads < 40 &&
                memcmp(coins.train.label, data.train.label, 50 * sizeof(int32_t)) != 0 &&
                memcmp(coins.test.x, data.test.x, 400 * sizeof(float)) != 0 && coins.true_test_label,
            "coins");
        kl_sampling_data_free(&data), kl_sampling_data_free(&coins);
    }
}

static void compare_index(const char *what, hid_t group, const char *name, const int64_t *index,
                          size_t n)
{
    static double expected[MOST];
    bool same = golden_values(expected, MOST, group, name) == n;
    for (size_t i = 0; same && i < n; i++) same = (double)index[i] == expected[i];
    say(same, what);
}

static void subset(hid_t file, const char *name, const char *classes, int64_t train, int64_t test)
{
    char path[4096];
    const char *const paths[] = { path };
    struct kl_sampling_data data = { 0 };
    struct kl_error err;
    const struct kl_sampling_data_options o = {
        .set = KL_SAMPLING_MNIST, .groups = classes, .train_size = train, .test_size = test
    };
    snprintf(path, sizeof path, "subset/%s", name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    snprintf(path, sizeof path, "%s/data/mnist", shared);
    need(kl_sampling_data_load(&data, &o, paths, 1, &err), &err);
    compare_index(name, group, "train_index", data.train_index, data.train.n);
    compare_index(name, group, "test_index", data.test_index, data.test.n);
    H5Gclose(group);
    kl_sampling_data_free(&data);
}

/* Against the file of images, uncompressed here by the tool of that name: pixel by pixel, permuted,
 * labels random. */
static void permuted(void)
{
    char path[4096];
    const char *const paths[] = { path };
    static unsigned char raw[784];
    struct kl_sampling_data plain = { 0 }, data = { 0 };
    struct kl_error err;
    struct kl_sampling_data_options o = {
        .set = KL_SAMPLING_MNIST, .groups = "01234/56789", .train_size = 4000, .test_size = 5000
    };
    snprintf(path, sizeof path, "gzip -dc '%s/data/mnist/train-images-idx3-ubyte.gz'", shared);
    FILE *pipe = popen(path, "r");
    snprintf(path, sizeof path, "%s/data/mnist", shared);
    need(kl_sampling_data_load(&plain, &o, paths, 1, &err), &err);
    bool same = pipe && fread(raw, 1, 16, pipe) == 16;
    int64_t at = 0;
    for (size_t i = 0; same && i < 200; i++) {
        do same = fread(raw, 1, 784, pipe) == 784;
        while (same && at++ < plain.train_index[i]);
        for (size_t k = 0; same && k < 784; k++)
            same = fabs(plain.train.x[i * 784 + k] - (raw[k] / 255.0 - 0.1307) / 0.3081) < 1e-6;
    }
    if (pipe) pclose(pipe);
    say(same, "pixels");
    o.permute = true, o.random = 0.5, o.seed = 42;
    need(kl_sampling_data_load(&data, &o, paths, 1, &err), &err);
    static int place[MOST];
    size_t changed = 0, moved = 0, test_changed = 0;
    for (size_t i = 0; i < plain.train.n; i++) place[plain.train_index[i]] = (int)i + 1;
    same = data.train.n == plain.train.n && data.true_test_label;
    for (size_t i = 0; same && i < data.train.n; i++) {
        const size_t j = (size_t)place[data.train_index[i]] - 1;
        same = place[data.train_index[i]] > 0 &&
               memcmp(data.train.x + i * 784, plain.train.x + j * 784, 784 * sizeof(float)) == 0;
        place[data.train_index[i]] = 0;
        moved += i != j, changed += data.train.label[i] != plain.train.label[j];
    }
    for (size_t i = 0; same && i < data.test.n; i++)
        test_changed += data.test.label[i] != data.true_test_label[i];
    printf("of 8000 %zu moved, %zu labels changed; of 9786 test labels %zu\n", moved, changed,
           test_changed);
    /* A quarter of the labels, within five deviations. */
    say(same && moved > 7900 && fabs((double)changed - 2000) < 5 * sqrt(1500) &&
            fabs((double)test_changed - 2446.5) < 5 * sqrt(1835),
        "permutation and random labels");
    kl_sampling_data_free(&plain), kl_sampling_data_free(&data);
}

int main(void)
{
    char path[4096];
    shared = getenv("KETLINE_SHARED") ? getenv("KETLINE_SHARED") : "../shared";
    snprintf(path, sizeof path, "%s/reference/sgld/golden.h5", shared);
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: %s is absent\n", path);
        return 77;
    }
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    synth(file);
    snprintf(path, sizeof path, "%s/data/mnist/train-images-idx3-ubyte.gz", shared);
    if (!(there = fopen(path, "rb"))) printf("MNIST is absent: not compared\n");
    else {
        fclose(there);
        subset(file, "low_high", "01234/56789", 4000, 5000);
        subset(file, "even_odd", "02468/13579", 1000, 5000);
        subset(file, "zero_one", "0/1", 5000, 1000);
        permuted();
    }
    H5Fclose(file);
    return failures != 0;
}
