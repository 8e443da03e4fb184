/* SPDX-License-Identifier: MIT
   The random streams of the published study. */
#include "qrng/classify/mt19937.h"

#include <string.h>

static void swap(int32_t *rows, size_t i, size_t j)
{
    const int32_t kept = rows[i];
    rows[i] = rows[j], rows[j] = kept;
}

void kl_classify_mt19937_split(int32_t *rows, size_t n, uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    for (size_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    for (size_t i = 0; i + 1 < n; i++) swap(rows, i, i + kl_nn_mersenne_word(&mt) % (uint32_t)(n - i));
}

void kl_classify_mt19937_shuffle(int32_t *rows, size_t n, struct kl_nn_mersenne *mt)
{
    for (size_t i = n; i-- > 1;) swap(rows, i, kl_nn_mersenne_below(mt, (uint32_t)i));
}

/* A class's rows are shuffled where the test rows are to stand. */
void kl_classify_mt19937_stratified(int32_t *train, size_t *n_train, int32_t *test, size_t *n_test,
                                    const int32_t *labels, size_t n, int classes, double share,
                                    uint32_t seed)
{
    struct kl_nn_mersenne mt;
    kl_nn_mersenne_seed(&mt, seed);
    *n_train = *n_test = 0;
    for (int c = 0; c < classes; c++) {
        int32_t *const class = test + *n_test;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (labels[i] == c) class[count++] = (int32_t)i;
        const size_t taken = (size_t)(share * (double)count);
        kl_classify_mt19937_shuffle(class, count, &mt);
        memcpy(train + *n_train, class, taken * sizeof *train);
        memmove(class, class + taken, (count - taken) * sizeof *class);
        *n_train += taken, *n_test += count - taken;
    }
    kl_classify_mt19937_shuffle(train, *n_train, &mt);
    kl_classify_mt19937_shuffle(test, *n_test, &mt);
}
