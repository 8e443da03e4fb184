/* SPDX-License-Identifier: MIT
   Rank correlations in the table of a study: no p is below 2 / n!, by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "qrng/synthetic/synthetic.h"

static void check(int n, double rho, double log10_p, const char *want)
{
    const struct kl_synthetic_options o = { .devices = n };
    struct kl_contrast c = { .test = { NAN, NAN }, .pearson = { NAN, 0 }, .spearman = { rho, log10_p } };
    struct kl_synthetic s = {
        .plan = { .options = &o }, .n_devices = (size_t)n, .study = c, .smoothed = c
    };
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) abort();
    kl_synthetic_table(to, &s);
    fclose(to);
    CHECK(strstr(text, want), "expected '%s' in:\n%s", want, text);
    free(text);
}

int main(void)
{
    check(9, 1, log10(2.0 / 362880), "rho 1.0000 (p 5.5e-06)");
    check(10, 1, -INFINITY, "rho 1.0000 (p >= 5.5e-07)"); /* 2 / 3,628,800 */
    check(10, 0.99, -8, "rho 0.9900 (p >= 5.5e-07)");
    check(10, 0.9, -3.4, "rho 0.9000 (p 0.0004)");
    check(2, 1, 0, "rho - (of two devices)");
    return failures != 0;
}
