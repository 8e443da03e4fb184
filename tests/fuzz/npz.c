/* SPDX-License-Identifier: MIT
   Any bytes as .npz (from "PK" on) or as one array of it, .npy: so the search need not get behind the
   archive's checksums. What is read can be written and read again, to the same tensors. */
#include "tests/fuzz/frame/tensors.h"

const int fuzz_corpus = 20;

static int parse_array(struct kl_weights *weights, const struct kl_bytes *file, struct kl_error *err)
{
    const int rc = kl_weights_npy_parse(weights, file, "config", file->data, file->n, err);
    return rc ? rc : kl_weights_npy_parse(weights, file, "class_names", file->data, file->n, err);
}

bool fuzz(const unsigned char *data, size_t n)
{
    const bool archive = n >= 2 && data[0] == 'P' && data[1] == 'K';
    return check_weights(archive ? kl_weights_npz_parse : parse_array, data, n);
}
