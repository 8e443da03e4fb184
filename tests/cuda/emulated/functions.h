/* SPDX-License-Identifier: MIT
   Functions of a float as far from the rounded value as CUDA's may be, or else a bound that holds here
   might fail on a GPU. How far: NVIDIA, CUDA C++ Programming Guide, mathematical functions, maximum ulp
   error of single precision. Which way is decided by the argument's bits, so that runs agree; of 0,
   and where it is 0, a function has its value. */
#ifndef EMULATED_FUNCTIONS_H
#define EMULATED_FUNCTIONS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float emulated_rounding(double value, float x, int ulps)
{
    uint32_t bits;
    float y = (float)value;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits * 2654435761u) >> 16; /* Knuth's multiplicative hash */
    if (x == 0 || value == 0) return y;
    for (int off = (int)(bits % (2 * (uint32_t)ulps + 1)) - ulps; off; off += off < 0 ? 1 : -1)
        y = nextafterf(y, off < 0 ? -INFINITY : INFINITY);
    return y;
}
static inline float emulated_sinf(float x)
{
    return emulated_rounding(sin((double)x), x, 2);
}
static inline float emulated_cosf(float x)
{
    return emulated_rounding(cos((double)x), x, 2);
}
static inline void emulated_sincosf(float x, float *s, float *c)
{
    *s = emulated_sinf(x), *c = emulated_cosf(x);
}
static inline float emulated_expf(float x)
{
    return emulated_rounding(exp((double)x), x, 2);
}
static inline float emulated_logf(float x)
{
    return emulated_rounding(log((double)x), x, 1);
}
static inline float emulated_exp2f(float x)
{
    return emulated_rounding(exp2((double)x), x, 2);
}
static inline float emulated_expm1f(float x)
{
    return emulated_rounding(expm1((double)x), x, 1);
}
static inline float emulated_log1pf(float x)
{
    return emulated_rounding(log1p((double)x), x, 1);
}
static inline float emulated_tanhf(float x)
{
    return emulated_rounding(tanh((double)x), x, 2);
}
static inline float emulated_root(float x)
{
    return emulated_rounding(sqrt((double)x), x, 1);
}
static inline float __fdividef(float a, float b)
{
    return emulated_rounding((double)a / (double)b, a, 2);
}
#define KL_ROOT(to, x) to = emulated_root(x)
#define sinf emulated_sinf
#define cosf emulated_cosf
#define sincosf emulated_sincosf
#define expf emulated_expf
#define logf emulated_logf
#define tanhf emulated_tanhf
#define exp2f emulated_exp2f
#define expm1f emulated_expm1f
#define log1pf emulated_log1pf

#endif
