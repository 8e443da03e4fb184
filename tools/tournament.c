/* SPDX-License-Identifier: MIT
   tournament: random-number devices against each other. What a mode does is in lib/qrng/mode_NAME.c. */
#include "qrng/mode.h"

int main(int argc, char **argv)
{
    static const struct kl_mode *const modes[] = { &kl_mode_pairs, &kl_mode_synthetic, &kl_mode_nist,
                                                   &kl_mode_extractor };
    return kl_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
