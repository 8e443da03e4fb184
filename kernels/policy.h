/* SPDX-License-Identifier: MIT
   policy: networks that many tasks share and that each task has adapted by K steps, without a copy of
   their weights: what stands between the shared products (kernels/gemm.h). Activations lie [unit][lane],
   a task a lane. No CUDA twin yet: a GPU pays from about 10^4 lanes, a batch has 16 to 200. */
#ifndef KL_POLICY_H
#define KL_POLICY_H

#include <stddef.h>

enum { KL_POLICY_LANES = 16 }; /* n, the lanes of a row, is a multiple of it */
enum kl_policy_act { KL_POLICY_NONE, KL_POLICY_TANH, KL_POLICY_RELU, KL_POLICY_ELU };

/* `steps` matrices [units][n], v, v + stride, ... and for each a factor a lane, c [steps][n]. */
#define KL_POLICY_STEPS(real) const real *v, size_t stride, const real *c, size_t steps

/* dots [steps][n] = sum over units of v_j * x, in rising order. */
#define KL_POLICY_DOTS_ARGS(real) \
    (real * dots, const real *v, size_t stride, size_t steps, const real *x, size_t units, size_t n)
/* y [units][n] = act(y + bias[unit] + sum_j c_j v_j); bias NULL: none. */
#define KL_POLICY_FORWARD_ARGS(real) \
    (real * y, const real *bias, KL_POLICY_STEPS(real), size_t units, size_t n, enum kl_policy_act act)
/* e = d + sum_j c_j v_j; d = e * act'(.), by the activation's output y. e NULL: it is not kept. */
#define KL_POLICY_BACKWARD_ARGS(real)                                                  \
    (real * d, real * e, const real *y, KL_POLICY_STEPS(real), size_t units, size_t n, \
     enum kl_policy_act act)
/* d += e * (derivative of act'(.) along dy, the output's tangent). */
#define KL_POLICY_BEND_ARGS(real) \
    (real * d, const real *e, const real *y, const real *dy, size_t count, enum kl_policy_act act)
/* to [n][units] = from [units][n] * c[lane]. */
#define KL_POLICY_TURN_ARGS(real) (real * to, const real *from, const real *c, size_t units, size_t n)

typedef void(*kl_policy_dots_f32_fn) KL_POLICY_DOTS_ARGS(float);
typedef void(*kl_policy_dots_f64_fn) KL_POLICY_DOTS_ARGS(double);
typedef void(*kl_policy_forward_f32_fn) KL_POLICY_FORWARD_ARGS(float);
typedef void(*kl_policy_forward_f64_fn) KL_POLICY_FORWARD_ARGS(double);
typedef void(*kl_policy_backward_f32_fn) KL_POLICY_BACKWARD_ARGS(float);
typedef void(*kl_policy_backward_f64_fn) KL_POLICY_BACKWARD_ARGS(double);
typedef void(*kl_policy_bend_f32_fn) KL_POLICY_BEND_ARGS(float);
typedef void(*kl_policy_bend_f64_fn) KL_POLICY_BEND_ARGS(double);
typedef void(*kl_policy_turn_f32_fn) KL_POLICY_TURN_ARGS(float);
typedef void(*kl_policy_turn_f64_fn) KL_POLICY_TURN_ARGS(double);

/* The versions, lowest first; select.c chooses. */
#define KL_POLICY_DECLARE(isa)                                         \
    void kl_policy_dots_f32_##isa KL_POLICY_DOTS_ARGS(float);          \
    void kl_policy_dots_f64_##isa KL_POLICY_DOTS_ARGS(double);         \
    void kl_policy_forward_f32_##isa KL_POLICY_FORWARD_ARGS(float);    \
    void kl_policy_forward_f64_##isa KL_POLICY_FORWARD_ARGS(double);   \
    void kl_policy_backward_f32_##isa KL_POLICY_BACKWARD_ARGS(float);  \
    void kl_policy_backward_f64_##isa KL_POLICY_BACKWARD_ARGS(double); \
    void kl_policy_bend_f32_##isa KL_POLICY_BEND_ARGS(float);          \
    void kl_policy_bend_f64_##isa KL_POLICY_BEND_ARGS(double);         \
    void kl_policy_turn_f32_##isa KL_POLICY_TURN_ARGS(float);          \
    void kl_policy_turn_f64_##isa KL_POLICY_TURN_ARGS(double);
KL_POLICY_DECLARE(base)
KL_POLICY_DECLARE(avx2)
KL_POLICY_DECLARE(avx512)

#endif
