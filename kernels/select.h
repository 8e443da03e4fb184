/* SPDX-License-Identifier: MIT
   The choice of kernels, made once at start from what the processor has (or
   KETLINE_ISA=base|avx2|avx512, to reproduce a report; if the processor lacks it, the best that it has).
   A family adds its fields here and its lines in select.c. */
#ifndef KL_SELECT_H
#define KL_SELECT_H

#include "kernels/act.h"
#include "kernels/bits.h"
#include "kernels/bloch.h"
#include "kernels/conv.h"
#include "kernels/density.h"
#include "kernels/fft.h"
#include "kernels/depthwise.h"
#include "kernels/filter.h"
#include "kernels/gan.h"
#include "kernels/gemm.h"
#include "kernels/langevin.h"
#include "kernels/layers.h"
#include "kernels/lbfgs.h"
#include "kernels/liouville.h"
#include "kernels/mlp.h"
#include "kernels/optim.h"
#include "kernels/policy.h"
#include "kernels/ring.h"
#include "kernels/scan.h"
#include "kernels/shallow.h"
#include "kernels/ssm.h"
#include "kernels/spd.h"
#include "kernels/temporal.h"
#include "kernels/vqc.h"

struct kl_kernels {
    const char *isa; /* "base", "avx2", "avx512" */
    kl_gemm_f32_fn gemm_f32;
    kl_gemm_f64_fn gemm_f64;
    kl_bias_f32_fn bias_f32;
    kl_bias_f64_fn bias_f64;
    kl_dropout_f32_fn dropout_f32;
    kl_dropout_f64_fn dropout_f64;
    kl_relu_back_f32_fn relu_back_f32;
    kl_relu_back_f64_fn relu_back_f64;
    kl_sum_rows_f32_fn sum_rows_f32;
    kl_sum_rows_f64_fn sum_rows_f64;
    kl_adam_f32_fn adam_f32;
    kl_adam_f64_fn adam_f64;
    kl_sgd_f32_fn sgd_f32;
    kl_sgd_f64_fn sgd_f64;
    kl_mlp_gradient_f32_fn mlp_gradient_f32;
    kl_mlp_gradient_f64_fn mlp_gradient_f64;
    kl_mlp_logits_f32_fn mlp_logits_f32;
    kl_mlp_logits_f64_fn mlp_logits_f64;
    kl_bit_counts_fn bit_counts;
    kl_bit_sides_fn bit_sides;
    kl_bit_noise_fn bit_noise;
    kl_gan_forward_f32_fn gan_forward_f32;
    kl_gan_forward_f64_fn gan_forward_f64;
    kl_gan_step_f32_fn gan_step_f32;
    kl_gan_step_f64_fn gan_step_f64;
    kl_gan_input_f32_fn gan_input_f32;
    kl_gan_input_f64_fn gan_input_f64;
    kl_gan_logits_f32_fn gan_logits_f32;
    kl_gan_logits_f64_fn gan_logits_f64;
    kl_gan_logits_back_f32_fn gan_logits_back_f32;
    kl_gan_logits_back_f64_fn gan_logits_back_f64;
    kl_gan_look_f32_fn gan_look_f32;
    kl_gan_look_f64_fn gan_look_f64;
    kl_gan_judge_f32_fn gan_judge_f32;
    kl_gan_judge_f64_fn gan_judge_f64;
    kl_gan_weigh_f32_fn gan_weigh_f32;
    kl_gan_weigh_f64_fn gan_weigh_f64;
    kl_gan_products_f32_fn gan_products_f32;
    kl_gan_products_f64_fn gan_products_f64;
    kl_gan_law_f32_fn gan_law_f32;
    kl_gan_law_f64_fn gan_law_f64;
    kl_gan_divergence_fn gan_divergence;
    kl_gan_uniforms_fn gan_uniforms;
    kl_gan_normals_fn gan_normals;
    const struct kl_fft_table_f32 *fft_f32;
    const struct kl_fft_table_f64 *fft_f64;
    kl_filter_power_fn filter_power;
    kl_bloch_gradient_f32_fn bloch_gradient_f32;
    kl_bloch_gradient_f64_fn bloch_gradient_f64;
    kl_bloch_tangent_f32_fn bloch_tangent_f32;
    kl_bloch_tangent_f64_fn bloch_tangent_f64;
    kl_liouville_gradient_f32_fn liouville_gradient_f32;
    kl_liouville_gradient_f64_fn liouville_gradient_f64;
    kl_lbfgs_direction_fn lbfgs_direction;
    kl_lbfgs_trial_fn lbfgs_trial;
    kl_lbfgs_update_fn lbfgs_update;
    kl_policy_dots_f32_fn policy_dots_f32;
    kl_policy_dots_f64_fn policy_dots_f64;
    kl_policy_forward_f32_fn policy_forward_f32;
    kl_policy_forward_f64_fn policy_forward_f64;
    kl_policy_backward_f32_fn policy_backward_f32;
    kl_policy_backward_f64_fn policy_backward_f64;
    kl_policy_bend_f32_fn policy_bend_f32;
    kl_policy_bend_f64_fn policy_bend_f64;
    kl_policy_turn_f32_fn policy_turn_f32;
    kl_policy_turn_f64_fn policy_turn_f64;
    kl_langevin_normals_f32_fn langevin_normals_f32;
    kl_langevin_normals_f64_fn langevin_normals_f64;
    kl_langevin_step_f32_fn langevin_step_f32;
    kl_langevin_step_f64_fn langevin_step_f64;
    kl_langevin_momentum_f32_fn langevin_momentum_f32;
    kl_langevin_momentum_f64_fn langevin_momentum_f64;
    kl_langevin_rms_f32_fn langevin_rms_f32;
    kl_langevin_rms_f64_fn langevin_rms_f64;
    kl_shallow_steps_fn shallow_steps;
    kl_shallow_evaluate_fn shallow_evaluate;
    kl_spd_log_fn spd_log;
    const struct kl_conv *conv;
    const struct kl_vqc_f32 *vqc_f32;
    const struct kl_vqc_f64 *vqc_f64;
    const struct kl_density_f32 *density_f32;
    const struct kl_density_f64 *density_f64;
    const struct kl_ring_table_f32 *ring_f32;
    const struct kl_ring_table_f64 *ring_f64;
    const struct kl_layers_f32 *layers_f32;
    const struct kl_layers_f64 *layers_f64;
    const struct kl_scan_f32 *scan_f32;
    const struct kl_scan_f64 *scan_f64;
    const struct kl_temporal_f32 *temporal_f32;
    const struct kl_temporal_f64 *temporal_f64;
    const struct kl_ssm_f32 *ssm_f32;
    const struct kl_ssm_f64 *ssm_f64;
    const struct kl_depthwise_f32 *depthwise_f32;
    const struct kl_depthwise_f64 *depthwise_f64;
};

/* The best for this processor. */
const struct kl_kernels *kl_kernels(void);
/* The table of one instruction set, or NULL if this processor lacks it: for tests and benches. i = 0, 1,
 * ... */
const struct kl_kernels *kl_kernels_of(int i);
/* From now on kl_kernels() is this table, for all threads: for tests and benches. */
void kl_kernels_use(const struct kl_kernels *table);

/* In files that are compiled in both precisions (kernels/inline/real.h): the kernel of theirs. */
#define kl_kernel_gemm kl_kernels()->KL_NAME(gemm)
#define kl_kernel_bias kl_kernels()->KL_NAME(bias)
#define kl_kernel_dropout kl_kernels()->KL_NAME(dropout)
#define kl_kernel_relu_back kl_kernels()->KL_NAME(relu_back)
#define kl_kernel_sum_rows kl_kernels()->KL_NAME(sum_rows)
#define kl_kernel_adam kl_kernels()->KL_NAME(adam)
#define kl_kernel_sgd kl_kernels()->KL_NAME(sgd)
#define kl_kernel_gan_forward kl_kernels()->KL_NAME(gan_forward)
#define kl_kernel_gan_step kl_kernels()->KL_NAME(gan_step)
#define kl_kernel_gan_input kl_kernels()->KL_NAME(gan_input)
#define kl_kernel_gan_logits kl_kernels()->KL_NAME(gan_logits)
#define kl_kernel_gan_logits_back kl_kernels()->KL_NAME(gan_logits_back)
#define kl_kernel_gan_look kl_kernels()->KL_NAME(gan_look)
#define kl_kernel_gan_judge kl_kernels()->KL_NAME(gan_judge)
#define kl_kernel_gan_weigh kl_kernels()->KL_NAME(gan_weigh)
#define kl_kernel_gan_products kl_kernels()->KL_NAME(gan_products)
#define kl_kernel_gan_law kl_kernels()->KL_NAME(gan_law)
#define kl_kernel_bloch_gradient kl_kernels()->KL_NAME(bloch_gradient)
#define kl_kernel_liouville_gradient kl_kernels()->KL_NAME(liouville_gradient)
#define kl_kernel_bloch_tangent kl_kernels()->KL_NAME(bloch_tangent)
#define kl_kernel_ring kl_kernels()->KL_NAME(ring)
#define kl_kernel_layers kl_kernels()->KL_NAME(layers)
#define kl_kernel_scan kl_kernels()->KL_NAME(scan)
#define kl_kernel_temporal kl_kernels()->KL_NAME(temporal)
#define kl_kernel_ssm kl_kernels()->KL_NAME(ssm)
#define kl_kernel_depthwise kl_kernels()->KL_NAME(depthwise)
#define kl_kernel_policy_dots kl_kernels()->KL_NAME(policy_dots)
#define kl_kernel_policy_forward kl_kernels()->KL_NAME(policy_forward)
#define kl_kernel_policy_backward kl_kernels()->KL_NAME(policy_backward)
#define kl_kernel_policy_bend kl_kernels()->KL_NAME(policy_bend)
#define kl_kernel_policy_turn kl_kernels()->KL_NAME(policy_turn)
#define kl_kernel_langevin_normals kl_kernels()->KL_NAME(langevin_normals)
#define kl_kernel_langevin_step kl_kernels()->KL_NAME(langevin_step)
#define kl_kernel_langevin_momentum kl_kernels()->KL_NAME(langevin_momentum)
#define kl_kernel_fft kl_kernels()->KL_NAME(fft)
#define kl_kernel_langevin_rms kl_kernels()->KL_NAME(langevin_rms)

#endif
