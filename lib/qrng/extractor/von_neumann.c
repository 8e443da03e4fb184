/* SPDX-License-Identifier: MIT */
#include "qrng/extractor/extractor.h"

size_t kl_von_neumann(uint8_t *bits, const uint8_t *s, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i + 1 < n; i += 2) {
        bits[found] = s[i] > s[i + 1];
        found += s[i] != s[i + 1];
    }
    return found;
}
