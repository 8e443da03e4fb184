/* SPDX-License-Identifier: MIT
   checkkernels, family depthwise: every instruction set and precision against the definitions. */
#include "kernels/depthwise.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "isas.h"
#include "numbers.h"

enum { ROOM = 400 * 16 };

#define REAL float
#define NAME(base) base##_f32
#define FMA fmaf
#define EPS FLT_EPSILON
#include "depthwise_check.h"
#undef REAL
#undef NAME
#undef FMA
#undef EPS
#define REAL double
#define NAME(base) base##_f64
#define FMA fma
#define EPS DBL_EPSILON
#include "depthwise_check.h"

static int check(enum kl_isa k)
{
    return check_f32(k) + check_f64(k);
}

static void bench(enum kl_isa k)
{
    bench_f32(k), bench_f64(k);
}

int main(int argc, char **argv)
{
    return with_each_isa(argc, argv, check, bench);
}
