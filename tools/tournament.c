/* SPDX-License-Identifier: MIT
   tournament: random-number devices against each other. What a mode does is in lib/qrng/mode_NAME.c. */
#include "qrng/mode.h"

static const struct kl_mode *const modes[] = { &kl_mode_pairs, &kl_mode_synthetic, &kl_mode_nist,
                                               &kl_mode_extractor };

int main(int argc, char **argv)
{
    const struct kl_mode *mode = modes[0];
    for (size_t m = 1; m < sizeof modes / sizeof *modes; m++)
        if (kl_mode_chosen(modes[m], argc, argv)) mode = modes[m];
    return kl_mode_main(mode, argc, argv, stdout, stderr);
}
