/* SPDX-License-Identifier: MIT
   Records for Langevin sampling: the Mersenne Twister against the number that C++ prescribes for it,
   selections by hand, CIFAR's binary files, and what is wrong with inputs, in one line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../check.h"
#include "../test_folder.h"
#include "nn/nn.h"
#include "sampling/data/data.h"

static void twister(void)
{
    struct kl_nn_mersenne m;
    uint32_t word = 0;
    kl_nn_mersenne_seed(&m, 5489);
    for (int i = 0; i < 10000; i++) word = kl_nn_mersenne_word(&m);
    CHECK(word == 4123659995u, "the 10000th of mt19937 is %u", word); /* ISO C++, [rand.predef] */
}

static void groups(void)
{
    static const struct {
        const char *text;
        int classes;
        const char *says; /* NULL: it is good */
    } cases[] = {
        { "01234/56789", 10, NULL },
        { "55/88", 100, NULL },
        { "0,12/3", 100, NULL },
        { "0/1", 2, NULL },
        { "0/1", 10, NULL },
        { "012/345/6", 10, NULL },
        { "", 3, NULL },
        { "0/7", 5, "found class 7, expected 0 to 4" },
        { "0/0", 10, "class 0 is there twice" },
        { "0123", 10, "one group" },
        { "0/", 10, "a group has no class" },
        { "/1", 10, "expected classes" },
        { "0//1", 10, "expected classes" },
        { "a/b", 10, "expected classes" },
        { "0/1", 1, "found 1 class," },
        { "0,99999999999/1", 100, "found class 99999999999" },
    };
    struct kl_sampling_groups g;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_error err = { 0 };
        const int code = kl_sampling_groups_parse(&g, cases[i].text, cases[i].classes, &err);
        CHECK(!code == !cases[i].says && (!code || strstr(err.text, cases[i].says)), "'%s': %s",
              cases[i].text, err.text);
    }
    kl_sampling_groups_parse(&g, "0,12/3", 100, NULL);
    CHECK(g.n_groups == 2 && g.group_of[12] == 0 && g.group_of[3] == 1 && g.group_of[1] == -1 &&
          g.members[0] == 2);
}

static void selection(void)
{
    /* Groups {0,1} and {2}, four each: of 0 and 1 two each, until no more than two are missing; then
     * any. */
    static const int32_t label[] = { 0, 0, 0, 2, 2, 1, 0, 1, 2, 3, 0, 2, 2, 0 };
    static const int64_t expected[] = { 0, 1, 2, 3, 4, 5, 8, 11 };
    int64_t index[14];
    size_t taken[2];
    struct kl_sampling_groups g;
    kl_sampling_groups_parse(&g, "01/2", 4, NULL);
    const size_t n = kl_sampling_select(index, taken, label, 14, &g, 4);
    CHECK(n == 8 && taken[0] == 4 && taken[1] == 4 && memcmp(index, expected, sizeof expected) == 0,
          "%zu", n);
    CHECK(kl_sampling_select(index, taken, label, 14, &g, 0) == 13 && taken[0] == 8);
    CHECK(kl_sampling_select(index, taken, label, 14, &g, 1000) == 13 && taken[1] == 5);
}

static void write_file(const char *name, const void *data, size_t n)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    FILE *to = fopen(path, "wb");
    CHECK(to && fwrite(data, 1, n, to) == n && fclose(to) == 0);
}

enum { RECORD = 3073, EACH = 6 };
static void cifar(void)
{
    static unsigned char bytes[EACH * RECORD];
    const char *const paths[] = { test_folder };
    struct kl_sampling_data data = { 0 };
    struct kl_error err = { 0 };
    struct kl_sampling_data_options o = {
        .set = KL_SAMPLING_CIFAR10, .groups = "01/2", .train_size = 4, .test_size = 9
    };
    for (int file = 0; file < 6; file++) {
        char name[32];
        for (int i = 0; i < EACH; i++) {
            unsigned char *record = bytes + i * RECORD;
            record[0] = (unsigned char)((i + file) % 3);
            for (int k = 0; k < 3072; k++)
                record[1 + k] = (unsigned char)(k / 1024 * 50 + 10 * file + i);
        }
        snprintf(name, sizeof name, file < 5 ? "data_batch_%d.bin" : "test_batch.bin", file + 1);
        write_file(name, bytes, sizeof bytes);
    }
    int code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(!code && data.train.n == 8 && data.test.n == 6 && data.classes == 2 &&
              data.train.inputs == 3072,
          "%s", err.text);
    for (size_t i = 0; i < data.train.n; i++) {
        const int64_t at = data.train_index[i], file = at / EACH, place = at % EACH;
        for (size_t c = 0; c < 3; c++) {
            const double v = (double)(c * 50) + 10 * (double)file + (double)place;
            const double expected =
                (v / 255 - (double[]){ .4914, .4822, .4465 }[c]) / (double[]){ .2023, .1994, .2010 }[c];
            CHECK(fabs(data.train.x[i * 3072 + c * 1024 + 7] - expected) < 1e-5);
        }
        CHECK(data.train.label[i] == ((file + place) % 3 == 2));
    }
    kl_sampling_data_free(&data);
    o.train_size = 500;
    code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(code == KL_EDATA && strstr(err.text, "found 20 records of group 0, expected 500"), "%s",
          err.text);
    kl_sampling_data_free(&data);
    write_file("test_batch.bin", bytes, 100);
    o.train_size = 4;
    code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(code == KL_EDATA && strstr(err.text, "found 100 bytes"), "%s", err.text);
    kl_sampling_data_free(&data);
    bytes[0] = 77;
    write_file("test_batch.bin", bytes, sizeof bytes);
    code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(code == KL_EDATA && strstr(err.text, "found label 77"), "%s", err.text);
    kl_sampling_data_free(&data);
    o.set = KL_SAMPLING_MNIST;
    code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(code == KL_EUSAGE && strstr(err.text, "only --data cifar10"), "%s", err.text);
    kl_sampling_data_free(&data);
}

static void digits(void)
{
    const char *const paths[] = { "data/digits" };
    struct kl_sampling_data data = { 0 };
    struct kl_error err = { 0 };
    struct kl_sampling_data_options o = { .set = KL_SAMPLING_IMAGES, .permute = true };
    int code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(!code && data.train.n == 1437 && data.test.n == 360 && data.classes == 10 && data.width == 8,
          "%s", err.text);
    double sum = 0, squares = 0;
    const size_t n = data.train.n * data.train.inputs;
    for (size_t i = 0; i < n; i++) sum += data.train.x[i], squares += data.train.x[i] * data.train.x[i];
    CHECK(fabs(sum / (double)n) < 1e-6 && fabs(squares / (double)n - 1) < 1e-5);
    CHECK(!data.true_test_label);
    kl_sampling_data_free(&data);
    o.set = KL_SAMPLING_MNIST;
    code = kl_sampling_data_load(&data, &o, paths, 1, &err);
    CHECK(code == KL_EDATA && strstr(err.text, "found images of 8 x 8, expected 28 x 28"), "%s",
          err.text);
    kl_sampling_data_free(&data);
    o.set = KL_SAMPLING_SYNTH;
    CHECK(kl_sampling_data_load(&data, &o, paths, 1, &err) == KL_EUSAGE &&
          strstr(err.text, "expected none"));
    kl_sampling_data_free(&data);
    o.set = KL_SAMPLING_IMAGES;
    code = kl_sampling_data_load(&data, &o, (const char *const[]){ "data/noise" }, 1, &err);
    CHECK(code == KL_ENOINPUT && strstr(err.text, "no training images"), "%s", err.text);
    kl_sampling_data_free(&data);
}

/* SYNTH's labels of a probability between 0 and 1: about half as many of them are others; the true ones
 * of the test are kept, records stay. */
static void synth_labels(void)
{
    struct kl_sampling_data plain = { 0 }, data = { 0 };
    struct kl_sampling_data_options o = {
        .set = KL_SAMPLING_SYNTH, .train_size = 2000, .test_size = 2000, .seed = 3
    };
    struct kl_error err = { 0 };
    int changed[2] = { 0 }, kept = 0;
    CHECK(kl_sampling_data_load(&plain, &o, NULL, 0, &err) == 0, "%s", err.text);
    o.random = 0.4;
    CHECK(kl_sampling_data_load(&data, &o, NULL, 0, &err) == 0 && data.true_test_label, "%s", err.text);
    for (int i = 0; i < 2000; i++) {
        changed[0] += data.train.label[i] != plain.train.label[i];
        changed[1] += data.test.label[i] != plain.test.label[i];
        kept += data.true_test_label[i] == plain.test.label[i];
    }
    CHECK(abs(changed[0] - 400) < 80 && abs(changed[1] - 400) < 80 && kept == 2000, "%d, %d, %d",
          changed[0], changed[1], kept);
    CHECK(memcmp(data.train.x, plain.train.x, 2000 * 4 * sizeof(float)) == 0);
    kl_sampling_data_free(&plain), kl_sampling_data_free(&data);
}

int main(void)
{
    make_test_folder();
    twister(), groups(), selection(), cifar(), digits(), synth_labels();
    return failures != 0;
}
