/* SPDX-License-Identifier: MIT */
#ifndef KL_QRNG_NIST_DFT_H
#define KL_QRNG_NIST_DFT_H

#include "base/base.h"

struct kl_complex {
    double re, im;
};
/* x_j becomes sum_k x_k exp(-2 pi i j k / n), for any n > 0, by Bluestein's chirps
   (1970, doi:10.1109/TAU.1970.1162132). KL_ENOMEM. */
int kl_dft(struct kl_complex *x, size_t n, struct kl_error *err);

#endif
