/* SPDX-License-Identifier: MIT
   The stratified split, its folds and the shuffling: shares, completeness, dependence on the seed alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/nn.h"
#include "tests/unit/check.h"

enum { N = 1003, CLASSES = 7 };

static void split(void)
{
    int32_t labels[N];
    int64_t *train, *val, *train2, *val2;
    size_t n_train, n_val, per_class[CLASSES] = { 0 }, in_val[CLASSES] = { 0 }, seen[N] = { 0 };
    for (int i = 0; i < N; i++) labels[i] = i * i % CLASSES, per_class[labels[i]]++;
    CHECK(kl_nn_split_stratified(&train, &n_train, &val, &n_val, labels, N, CLASSES, 0.1, 5, NULL) == 0);
    CHECK(n_val == 100 && n_train == N - 100);
    for (size_t i = 0; i < n_train; i++) seen[train[i]]++;
    for (size_t i = 0; i < n_val; i++) seen[val[i]]++, in_val[labels[val[i]]]++;
    for (int i = 0; i < N; i++) CHECK(seen[i] == 1);
    for (int c = 0; c < CLASSES; c++) {
        double share = 0.1 * (double)per_class[c];
        CHECK((double)in_val[c] > share - 1 && (double)in_val[c] < share + 1);
    }
    CHECK(kl_nn_split_stratified(&train2, &n_train, &val2, &n_val, labels, N, CLASSES, 0.1, 5, NULL) ==
          0);
    CHECK(memcmp(val, val2, n_val * sizeof *val) == 0);
    free(train2), free(val2);
    CHECK(kl_nn_split_stratified(&train2, &n_train, &val2, &n_val, labels, N, CLASSES, 0.1, 6, NULL) ==
          0);
    CHECK(memcmp(val, val2, n_val * sizeof *val) != 0);
    free(train2), free(val2), free(train), free(val);
    CHECK(kl_nn_split_stratified(&train, &n_train, &val, &n_val, labels, N, CLASSES, 0, 5, NULL) == 0);
    CHECK(n_val == 0 && n_train == N);
    free(train), free(val);
    struct kl_error err;
    CHECK(kl_nn_split_stratified(&train, &n_train, &val, &n_val, labels, 3, CLASSES, 0.1, 5, &err) ==
          KL_EDATA);
}

/* Every sample is held by one fold; sizes, and each class's shares, differ by one at most. */
static void folds(void)
{
    enum { FOLDS = 5 };
    int32_t labels[N];
    size_t held[N] = { 0 }, size[FOLDS], shares[FOLDS][CLASSES] = { { 0 } };
    struct kl_error err;
    int64_t *train, *val, first = -1;
    for (int i = 0; i < N; i++) labels[i] = i * i % CLASSES;
    for (size_t f = 0; f < FOLDS; f++) {
        size_t n_train, n_val;
        CHECK(!kl_nn_split_fold(&train, &n_train, &val, &n_val, labels, N, CLASSES, f, FOLDS, 5, &err));
        size[f] = n_val;
        CHECK(n_train + n_val == N && n_val - N / FOLDS <= 1);
        for (size_t i = 0; i < n_val; i++) held[val[i]]++, shares[f][labels[val[i]]]++;
        for (size_t i = 0; i < n_train; i++)
            CHECK(labels[train[i]] >= 0 && (!i || train[i] > train[i - 1]));
        if (f == 0) first = val[0];
        free(train), free(val);
    }
    for (int i = 0; i < N; i++) CHECK(held[i] == 1);
    for (int c = 0; c < CLASSES; c++)
        for (size_t f = 1; f < FOLDS; f++)
            CHECK(shares[f][c] + 1 >= shares[0][c] && shares[f][c] <= shares[0][c] + 1);
    size_t n_train, n_val;
    CHECK(!kl_nn_split_fold(&train, &n_train, &val, &n_val, labels, N, CLASSES, 0, FOLDS, 6, &err));
    CHECK(n_val == size[0] && val[0] != first, "folds of another seed");
    free(train), free(val);
    CHECK(kl_nn_split_fold(&train, &n_train, &val, &n_val, labels, 3, CLASSES, 4, FOLDS, 5, &err) ==
              KL_EDATA &&
          strstr(err.text, "fold 4 of 5: 3 samples leave 3 to train and 0 to validate"));
}

static void shuffle(void)
{
    int64_t from[N], a[N], b[N], seen[N] = { 0 };
    for (int i = 0; i < N; i++) from[i] = i;
    kl_nn_shuffle(a, from, N, 3, 7);
    kl_nn_shuffle(b, from, N, 3, 7);
    CHECK(memcmp(a, b, sizeof a) == 0);
    for (int i = 0; i < N; i++) seen[a[i]]++;
    for (int i = 0; i < N; i++) CHECK(seen[i] == 1);
    size_t in_place = 0;
    for (int i = 0; i < N; i++) in_place += a[i] == i;
    CHECK(in_place < 12); /* one is expected; twelve or more: below 1e-8 */
    kl_nn_shuffle(b, from, N, 3, 8);
    CHECK(memcmp(a, b, sizeof a) != 0);
    kl_nn_shuffle(b, from, N, 4, 7);
    CHECK(memcmp(a, b, sizeof a) != 0);
}

int main(void)
{
    split();
    folds();
    shuffle();
    return failures ? 1 : 0;
}
