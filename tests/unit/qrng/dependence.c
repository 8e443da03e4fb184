/* SPDX-License-Identifier: MIT
   How often sets of fair devices are said to depend, against the levels: Holm's least p of k independent
   devices is below a with the probability 1 - (1 - a / k)^k. And a device that repeats itself is found.
 */
#include <math.h>

#include "../check.h"
#include "kernels/inline/philox.h"
#include "qrng/bits/dependence.h"

enum { SETS = 2000, DEVICES = 3, ROWS = 60, BITS = 128 };

/* A row of fair bits as symbols; of which `stick` in 1000 repeat the one before. */
static size_t row_of(uint8_t row[BITS], uint32_t set, uint32_t device, uint32_t number, int width,
                     uint32_t stick)
{
    const size_t n = (size_t)(BITS / width);
    uint32_t words[4], w[4];
    kl_philox(words, set, number, 41, device, 0);
    for (size_t k = 0; k < n; k++) {
        row[k] = 0;
        for (int b = 0; b < width; b++) {
            const size_t at = k * (size_t)width + (size_t)b;
            row[k] = (uint8_t)(row[k] << 1 | (words[at / 32] >> at % 32 & 1));
        }
        if (!stick || !k) continue;
        kl_philox(w, set, number, 42, device, (uint32_t)k);
        if (w[0] % 1000 < stick) row[k] = row[k - 1];
    }
    return n;
}

static struct kl_dependence judge(uint32_t set, int width, uint32_t stick)
{
    struct kl_dependence_counts counts = { .symbol_bits = width };
    struct kl_dependence found = { 0 };
    uint8_t row[BITS];
    int code = KL_OK;
    for (uint32_t d = 0; d < DEVICES; d++)
        for (uint32_t r = 0; r < ROWS && !code; r++) {
            const size_t n = row_of(row, set, d, r, width, d == 1 ? stick : 0);
            code = kl_bits_dependence_count(&counts, (int32_t)d, row, n, NULL);
        }
    if (!code) code = kl_bits_dependence_counted(&found, &counts, NULL);
    CHECK(code == KL_OK, "%d", code);
    kl_bits_dependence_counts_free(&counts);
    return found;
}

static void check_share(const char *what, int width, int found, double level)
{
    const double p = 1 - pow(1 - level / DEVICES, DEVICES), sd = sqrt(p * (1 - p) / SETS),
                 share = (double)found / SETS;
    CHECK(fabs(share - p) < 4 * sd, "%s, %d bits: %.4f of fair sets, expected %.4f +- %.4f", what, width,
          share, p, sd);
}

int main(void)
{
    for (int width = 1; width <= 2; width++) {
        int may = 0, do_so = 0;
        for (uint32_t set = 0; set < SETS; set++) {
            const struct kl_dependence d = judge(set, width, 0);
            may += kl_bits_may_depend(&d), do_so += kl_bits_depends(&d);
        }
        check_share("may depend", width, may, 0.05);
        check_share("depend", width, do_so, 0.01);
        const struct kl_dependence d = judge(0, width, 100);
        CHECK(kl_bits_depends(&d) && d.device == 1, "%d bits: log10 p %g, device %d", width, d.log10_p,
              d.device);
    }
    return failures != 0;
}
