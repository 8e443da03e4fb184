/* SPDX-License-Identifier: MIT
   Of the tests of heads: features that can be learnt. */
#ifndef KL_HEAD_TEST_H
#define KL_HEAD_TEST_H

#include <stdlib.h>

#include "head/head.h"
#include "kernels/inline/philox.h"

enum { D = 24, CLASSES = 3 };

/* n rows of three noisy classes; x and labels are the caller's to free. */
static inline void make_features(struct kl_features *f, uint32_t n)
{
    static char names[CLASSES][4] = { "a", "b", "c" };
    *f = (struct kl_features){
        .n = n, .d = D, .n_classes = CLASSES, .class_names = names[0], .name_size = 4
    };
    f->x = malloc(n * D * sizeof *f->x);
    f->labels = malloc(n * sizeof *f->labels);
    for (uint32_t i = 0; i < n; i++) {
        f->labels[i] = (int32_t)(i % CLASSES);
        for (uint32_t j = 0; j < D; j++) {
            uint32_t words[4];
            kl_philox(words, 1, i, 1000, j, 0);
            f->x[i * D + j] = (float)kl_philox_unit(words[0]) + (j % CLASSES == i % CLASSES ? 0.6f : 0);
        }
    }
}

#endif
