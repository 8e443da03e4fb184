/* SPDX-License-Identifier: MIT
   Any bytes as .safetensors: what is read can be written and read again, to the same tensors, and its
   header and data fill the file. */
#include "tests/fuzz/frame/tensors.h"

const int fuzz_corpus = 20;

bool fuzz(const unsigned char *data, size_t n)
{
    return check_weights(kl_weights_safetensors_parse, data, n);
}
