/* SPDX-License-Identifier: MIT
   binary16 against values from the standard; every one of the 65,536 comes back. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "tests/unit/check.h"

int main(void)
{
    static const struct {
        float x;
        uint16_t h;
    } known[] = { { 0, 0 },
                  { -0.0f, 0x8000 },
                  { 1, 0x3c00 },
                  { -2, 0xc000 },
                  { 65504, 0x7bff },
                  { 65519, 0x7bff },
                  { 65520, 0x7c00 },
                  { 0x1p-14f, 0x0400 },
                  { 0x1p-24f, 0x0001 },
                  { 0x1p-25f, 0x0000 },
                  { 0x1.8p-25f, 0x0001 },
                  { 0x1.ff8p-15f, 0x03ff },
                  { 0.1f, 0x2e66 },
                  { 1 + 0x1p-11f, 0x3c00 },
                  { 1 + 0x3p-11f, 0x3c02 },
                  { INFINITY, 0x7c00 },
                  { 1e-30f, 0 } };
    uint16_t h;
    float back;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kl_half_from_float(&h, &known[i].x, 1);
        CHECK(h == known[i].h, "%g: %04x, expected %04x", (double)known[i].x, h, known[i].h);
    }
    for (unsigned k = 0; k < 65536; k++) {
        uint16_t in = (uint16_t)k;
        kl_float_from_half(&back, &in, 1);
        kl_half_from_float(&h, &back, 1);
        CHECK(isnan(back) ? (k & 0x7fff) > 0x7c00 : h == k, "%04x comes back as %04x", k, h);
    }
    return failures != 0;
}
