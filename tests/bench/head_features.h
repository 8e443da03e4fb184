/* SPDX-License-Identifier: MIT
   What the benches of heads train on: random features, of ten classes which a head can tell apart. */
#ifndef KL_BENCH_HEAD_FEATURES_H
#define KL_BENCH_HEAD_FEATURES_H

#include <stdlib.h>

#include "head/head.h"
#include "kernels/inline/philox.h"

enum { D = 512, CLASSES = 10 };

/* [n, D] in [0, 1), and one more where the column is the class's. */
static void make_features(struct kl_features *f, size_t n)
{
    static char names[CLASSES][2];
    *f = (struct kl_features){
        .n = n, .d = D, .n_classes = CLASSES, .class_names = names[0], .name_size = 2
    };
    f->x = aligned_alloc(64, n * D * sizeof *f->x);
    f->labels = malloc(n * sizeof *f->labels);
    if (!f->x || !f->labels) exit(1);
    for (uint32_t i = 0; i < n; i++) {
        f->labels[i] = (int32_t)(i % CLASSES);
        for (uint32_t j = 0; j < D; j += 4) {
            uint32_t words[4];
            kl_philox(words, 1, i, 1000, j, 0);
            for (uint32_t k = 0; k < 4; k++)
                f->x[(size_t)i * D + j + k] =
                    (float)kl_philox_unit(words[k]) + ((j + k) % CLASSES == i % CLASSES);
        }
    }
}

#endif
