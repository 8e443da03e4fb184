/* SPDX-License-Identifier: MIT
   Philox4x32-10: the known answers of Random123 1.14 (kat_vectors), and what dropout makes of it. */
#include "kernels/inline/philox.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/act.h"
#include "tests/unit/check.h"

static void known_answers(void)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } vectors[] = {
        { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
          { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
          { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
    };
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        const uint32_t *c = vectors[v].counter, *k = vectors[v].key;
        uint32_t out[4];
        kl_philox(out, (uint64_t)k[1] << 32 | k[0], c[0], c[1], c[2], c[3]);
        CHECK(memcmp(out, vectors[v].answer, sizeof out) == 0, "vector %zu: %08x %08x %08x %08x", v,
              out[0], out[1], out[2], out[3]);
    }
}

/* Element e is dropped by the 16-bit number that the header's rule names; every instruction set
   does the same. */
static void dropout_by_its_rule(enum kl_isa kernels)
{
    enum { COUNT = 1000 };
    const struct kl_dropout_draw draw = {
        .seed = 9, .purpose = 4, .step = 17, .replica = 2, .threshold = 20000, .scale = 1.5
    };
    float y[COUNT];
    for (int i = 0; i < COUNT; i++) y[i] = 2;
    kl_isa_dropout_f32(kernels)(y, 0, COUNT, &draw);
    for (uint32_t e = 0; e < COUNT; e++) {
        uint32_t words[4], part = e / 16 % 8;
        kl_philox(words, draw.seed, 16 * (e / 128) + e % 16, draw.purpose, draw.step, draw.replica);
        uint32_t number = part % 2 ? words[part / 2] >> 16 : words[part / 2] & 0xffff;
        CHECK(y[e] == (number >= draw.threshold ? 3.0f : 0.0f), "%s: element %u is %g",
              kl_isa_name(kernels), e, y[e]);
    }
}

/* The share kept lies within five standard deviations of its expectation. */
static void dropout_rate(enum kl_isa kernels)
{
    enum { COUNT = 1 << 18 };
    static double y[COUNT];
    const struct kl_dropout_draw draw = { .seed = 1, .threshold = 65536 / 5, .scale = 1 };
    double sum = 0, p = 1 - (65536 / 5) / 65536.0;
    for (int i = 0; i < COUNT; i++) y[i] = 1;
    kl_isa_dropout_f64(kernels)(y, 0, COUNT, &draw);
    for (int i = 0; i < COUNT; i++) sum += y[i];
    double bound = 5 * sqrt(COUNT * p * (1 - p));
    CHECK(fabs(sum - COUNT * p) < bound, "%s: %g of %d kept, expected %g +- %g", kl_isa_name(kernels),
          sum, COUNT, COUNT * p, bound);
}

int main(void)
{
    known_answers();
    for (int isa = 0; kl_isa_is_here(isa); isa++) dropout_by_its_rule(isa), dropout_rate(isa);
    return failures ? 1 : 0;
}
