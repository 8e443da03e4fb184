/* SPDX-License-Identifier: MIT
   policy: networks that many tasks share and that each task has adapted by K steps, without a copy of
   their weights: what stands between the shared products (kernels/gemm.h). Activations lie [unit][lane],
   a task a lane. No CUDA twin yet: a GPU pays from about 10^4 lanes, a batch has 16 to 200. */
#ifndef KL_POLICY_H
#define KL_POLICY_H

#include <stddef.h>

#include "kernels/isa.h"

enum { KL_POLICY_LANES = 16 }; /* n, the lanes of a row, is a multiple of it */
enum kl_policy_act { KL_POLICY_NONE, KL_POLICY_TANH, KL_POLICY_RELU, KL_POLICY_ELU };

/* `steps` matrices [units][n], v, v + stride, ... and for each a factor a lane, c [steps][n]. */
#define KL_POLICY_STEPS(real) const real *v, size_t stride, const real *c, size_t steps

/* dots [steps][n] = sum over units of v_j * x, in rising order. */
#define KL_POLICY_DOTS(real, p)                                                                  \
    typedef void kl_policy_dots_##p##_fn(real *dots, const real *v, size_t stride, size_t steps, \
                                         const real *x, size_t units, size_t n);                 \
    KL_KERNEL(kl_policy_dots_##p##_fn, policy_dots_##p)
KL_POLICY_DOTS(float, f32)
KL_POLICY_DOTS(double, f64)
/* y [units][n] = act(y + bias[unit] + sum_j c_j v_j); bias NULL: none. */
#define KL_POLICY_FORWARD(real, p)                                                            \
    typedef void kl_policy_forward_##p##_fn(real *y, const real *bias, KL_POLICY_STEPS(real), \
                                            size_t units, size_t n, enum kl_policy_act act);  \
    KL_KERNEL(kl_policy_forward_##p##_fn, policy_forward_##p)
KL_POLICY_FORWARD(float, f32)
KL_POLICY_FORWARD(double, f64)
/* e = d + sum_j c_j v_j; d = e * act'(.), by the activation's output y. e NULL: it is not kept. */
#define KL_POLICY_BACKWARD(real, p)                                                                  \
    typedef void kl_policy_backward_##p##_fn(real *d, real *e, const real *y, KL_POLICY_STEPS(real), \
                                             size_t units, size_t n, enum kl_policy_act act);        \
    KL_KERNEL(kl_policy_backward_##p##_fn, policy_backward_##p)
KL_POLICY_BACKWARD(float, f32)
KL_POLICY_BACKWARD(double, f64)
/* d += e * (derivative of act'(.) along dy, the output's tangent). */
#define KL_POLICY_BEND(real, p)                                                                 \
    typedef void kl_policy_bend_##p##_fn(real *d, const real *e, const real *y, const real *dy, \
                                         size_t count, enum kl_policy_act act);                 \
    KL_KERNEL(kl_policy_bend_##p##_fn, policy_bend_##p)
KL_POLICY_BEND(float, f32)
KL_POLICY_BEND(double, f64)
/* to [n][units] = from [units][n] * c[lane]. */
#define KL_POLICY_TURN(real, p)                                                                   \
    typedef void kl_policy_turn_##p##_fn(real *to, const real *from, const real *c, size_t units, \
                                         size_t n);                                               \
    KL_KERNEL(kl_policy_turn_##p##_fn, policy_turn_##p)
KL_POLICY_TURN(float, f32)
KL_POLICY_TURN(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_kernel_policy_dots KL_NAME(kl_kernel_policy_dots)()
#define kl_kernel_policy_forward KL_NAME(kl_kernel_policy_forward)()
#define kl_kernel_policy_backward KL_NAME(kl_kernel_policy_backward)()
#define kl_kernel_policy_bend KL_NAME(kl_kernel_policy_bend)()
#define kl_kernel_policy_turn KL_NAME(kl_kernel_policy_turn)()

#endif
