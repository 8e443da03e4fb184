/* SPDX-License-Identifier: MIT
   How many points a form of convolution multiplies, and how many outputs a tile has. */
#include "kernels/conv.h"

size_t kl_conv_points(enum kl_conv_kind kind)
{
    return kind == KL_CONV_1 ? 1 : kind == KL_CONV_2 ? 9 : 36;
}

size_t kl_conv_tile(enum kl_conv_kind kind)
{
    return kind == KL_CONV_1 ? 1 : kind == KL_CONV_2 ? 2 : 4;
}
