/* SPDX-License-Identifier: MIT
   checkkernels, family layers: every instruction set and precision against the definitions, bit for bit.
 */
#include "kernels/layers.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "isas.h"
#include "numbers.h"

enum { ROOM = 1 << 16 };

#define REAL float
#define NAME(base) base##_f32
#define FMA fmaf
#include "layers_check.h"
#undef REAL
#undef NAME
#undef FMA
#define REAL double
#define NAME(base) base##_f64
#define FMA fma
#include "layers_check.h"

static int check(enum kl_isa k)
{
    return check_f32(k) + check_f64(k);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, NULL);
}
