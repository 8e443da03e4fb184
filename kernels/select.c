/* SPDX-License-Identifier: MIT
   The only place that chooses an instruction set. */
#include "kernels/select.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"

/* Both precisions of one function of a family. */
#define KL_PAIR(name, set) .name##_f32 = kl_##name##_f32_##set, .name##_f64 = kl_##name##_f64_##set
/* Both of a family's tables. */
#define KL_FAMILY(name, set) .name##_f32 = &kl_##name##_f32_##set, .name##_f64 = &kl_##name##_f64_##set
#define KL_TABLE(set)                                                                                   \
    {                                                                                                   \
        .isa = #set, KL_PAIR(gemm, set), KL_PAIR(bias, set), KL_PAIR(dropout, set),                     \
        KL_PAIR(relu_back, set), KL_PAIR(sum_rows, set), KL_PAIR(adam, set), KL_PAIR(sgd, set),         \
        KL_PAIR(mlp_gradient, set), KL_PAIR(mlp_logits, set), .bit_counts = kl_bit_counts_##set,        \
        .bit_sides = kl_bit_sides_##set, .bit_noise = kl_bit_noise_##set, KL_PAIR(gan_forward, set),    \
        KL_PAIR(gan_step, set), KL_PAIR(gan_input, set), KL_PAIR(gan_logits, set),                      \
        KL_PAIR(gan_logits_back, set), KL_PAIR(gan_look, set), KL_PAIR(gan_judge, set),                 \
        KL_PAIR(gan_weigh, set), KL_PAIR(gan_products, set), KL_PAIR(gan_law, set),                     \
        KL_PAIR(policy_dots, set), KL_PAIR(policy_forward, set), KL_PAIR(policy_backward, set),         \
        KL_PAIR(policy_bend, set), KL_PAIR(policy_turn, set), KL_PAIR(langevin_normals, set),           \
        KL_PAIR(langevin_step, set), KL_PAIR(langevin_momentum, set), KL_PAIR(langevin_rms, set),       \
        .shallow_steps = kl_shallow_steps_f32_##set, .shallow_evaluate = kl_shallow_evaluate_f32_##set, \
        .gan_divergence = kl_gan_divergence_f64_##set, .gan_uniforms = kl_gan_uniforms_f32_##set,       \
        .gan_normals = kl_gan_normals_f32_##set, .filter_power = kl_filter_power_f64_##set,             \
        KL_PAIR(bloch_gradient, set), KL_PAIR(bloch_tangent, set), KL_PAIR(liouville_gradient, set),    \
        .lbfgs_direction = kl_lbfgs_direction_f64_##set, .lbfgs_trial = kl_lbfgs_trial_f64_##set,       \
        .lbfgs_update = kl_lbfgs_update_f64_##set, .spd_log = kl_spd_log_f64_##set,                     \
        .conv = &kl_conv_f32_##set, KL_FAMILY(ring, set), KL_FAMILY(vqc, set), KL_FAMILY(fft, set),     \
        KL_FAMILY(density, set), KL_FAMILY(layers, set), KL_FAMILY(scan, set),                          \
        KL_FAMILY(temporal, set), KL_FAMILY(ssm, set), KL_FAMILY(depthwise, set)                        \
    }

/* Lowest first. */
static const struct kl_kernels tables[] = { KL_TABLE(base), KL_TABLE(avx2), KL_TABLE(avx512) };
enum { N_TABLES = sizeof tables / sizeof *tables };

static bool runs_here(const struct kl_kernels *table)
{
    const struct kl_cpu *cpu = kl_device_cpu();
    if (strcmp(table->isa, "avx512") == 0) return cpu->avx512;
    if (strcmp(table->isa, "avx2") == 0) return cpu->avx2;
    return true;
}

const struct kl_kernels *kl_kernels_of(int i)
{
    return i >= 0 && i < N_TABLES && runs_here(&tables[i]) ? &tables[i] : NULL;
}

static const struct kl_kernels *choose(void)
{
    const char *wanted = getenv("KETLINE_ISA");
    const struct kl_kernels *best = &tables[0];
    for (int i = 0; i < N_TABLES; i++) {
        if (!runs_here(&tables[i])) continue;
        best = &tables[i];
        if (wanted && strcmp(wanted, best->isa) == 0) break;
    }
    return best;
}

/* Asked for in every product of every step: an environment of hundreds of variables is walked once. */
static _Atomic(const struct kl_kernels *) chosen;

const struct kl_kernels *kl_kernels(void)
{
    const struct kl_kernels *table = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!table) kl_kernels_use(table = choose());
    return table;
}

void kl_kernels_use(const struct kl_kernels *table)
{
    atomic_store_explicit(&chosen, table, memory_order_relaxed);
}
