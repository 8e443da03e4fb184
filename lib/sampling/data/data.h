/* SPDX-License-Identifier: MIT
   data: the records that a network is sampled on: SYNTH, selections of images, labels made random; as the
   reference (Maurer, Mirzaei, Pontil, arXiv:2510.06028) takes them. */
#ifndef KL_SAMPLING_DATA_H
#define KL_SAMPLING_DATA_H

#include "base/base.h"

/* n records of `inputs` numbers, row-major, and their labels 0 .. classes - 1 (binary: 0 or 1, classes 2). */
struct kl_sampling_records {
    size_t n, inputs;
    float *x;       /* (n, inputs), 64-byte aligned */
    int32_t *label; /* (n) */
};
/* A problem: what is trained on and what is tested on. */
struct kl_sampling_data {
    char name[32]; /* "mnist", "synth" */
    size_t channels, height, width; /* of an image; 1, 1, inputs where the records are none */
    int classes;
    struct kl_sampling_records train, test;
    int64_t *train_index, *test_index; /* positions in the source, before the permutation; NULL: SYNTH */
    int32_t *true_test_label;          /* (test.n) where test labels were made random; else NULL */
};
void kl_sampling_data_free(struct kl_sampling_data *data);

#endif
