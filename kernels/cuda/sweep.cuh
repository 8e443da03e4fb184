/* SPDX-License-Identifier: MIT
   One sample through a circuit and back, on a state in registers (state.cuh). */
#ifndef KL_CUDA_SWEEP_CUH
#define KL_CUDA_SWEEP_CUH

#include "kernels/cuda/observe.cuh"
#include "kernels/cuda/undo.cuh"

/* What a sample's angles are made of. */
struct kl_angles {
    const kl_cuda_circuit *circuit;
    const float *cosine,
        *sine;          /* (n_slots) of half the angles that all samples share (kl_shared_angle) */
    const float *x, *w; /* the sample's inputs; the weights */
};

/* What the inputs are multiplied by in an angle. */
KL_GPU float kl_angle_scale(const kl_cuda_angle &a, const float *w)
{
    return a.scaled ? a.scale * w[a.scaled - 1] : a.scale;
}

/* cosine[slot] and sine[slot], unless inputs stand in the angle. */
KL_GPU void kl_shared_angle(float *cosine, float *sine, const kl_cuda_circuit *circuit, int slot,
                            const float *w)
{
    const kl_cuda_angle a = circuit->angles[slot];
    if (a.source == KL_CUDA_INPUT) return;
    sincosf(0.5f * (a.source == KL_CUDA_WEIGHT ? a.scale * w[a.index] : a.scale), &sine[slot],
            &cosine[slot]);
}

KL_GPU void kl_half_angle(float *c, float *s, const kl_angles &angles, int slot)
{
    *c = *s = 0;
    if (slot < 0) return;
    const kl_cuda_angle a = angles.circuit->angles[slot];
    if (a.source != KL_CUDA_INPUT) {
        *c = angles.cosine[slot], *s = angles.sine[slot];
        return;
    }
    float angle = kl_angle_scale(a, angles.w) * angles.x[a.index];
    if (a.index2 >= 0) angle *= angles.x[a.index2];
    sincosf(0.5f * angle, s, c);
}

template <int L, bool REAL>
KL_GPU void kl_sweep(kl_state<L, REAL> &a, const kl_angles &angles, kl_place at)
{
    const kl_cuda_circuit *circuit = angles.circuit;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) a.set(i, at.lane == 0 && i == 0 ? 1 : 0, 0);
    for (int k = 0; k < circuit->n_ops; k++) {
        const kl_vqc_op op = circuit->ops[k];
        float c, s;
        kl_half_angle(&c, &s, angles, op.slot);
        kl_apply(a, op, c, s, at);
    }
}

/* out (n_outputs) of the state; `writes`: this thread may. */
template <int L, bool REAL>
KL_GPU void kl_outputs(float *out, const kl_state<L, REAL> &a, const kl_cuda_circuit *circuit,
                       bool writes, kl_place at)
{
    for (int o = 0, t = 0; o < circuit->n_outputs; o++) {
        float sum = 0;
        for (; t < circuit->end[o]; t++)
            sum += circuit->term_weight[t] * kl_expectation(a, circuit->strings[circuit->term[t]], at);
        if (writes && at.lane == 0) out[o] = sum;
    }
}

/* dx (n_inputs) += the derivative d by an angle. */
KL_GPU void kl_to_inputs(float *dx, float d, const kl_cuda_angle &a, const kl_angles &angles)
{
    const float by = d * kl_angle_scale(a, angles.w);
    dx[a.index] += a.index2 < 0 ? by : by * angles.x[a.index2];
    if (a.index2 >= 0) dx[a.index2] += by * angles.x[a.index];
}

/* From the state that kl_sweep left: the derivatives of sum(cot * out) by every slot's angle,
   dangle[slot * stride], and by the inputs, dx (n_inputs), which are set. The state is undone. */
template <int L, bool REAL>
KL_GPU void kl_sweep_back(float *dangle, size_t stride, float *dx, kl_state<L, REAL> &a,
                          const kl_angles &angles, const float *cot, bool writes, kl_place at)
{
    const kl_cuda_circuit *circuit = angles.circuit;
    kl_state<L, REAL> b;
    writes = writes && at.lane == 0;
    for (int i = 0; writes && i < circuit->n_inputs; i++) dx[i] = 0;
#pragma unroll
    for (int i = 0; i < 1 << L; i++) b.set(i, 0, 0);
    for (int o = 0, t = 0; o < circuit->n_outputs; o++)
        for (; t < circuit->end[o]; t++)
            kl_observe(b, a, circuit->strings[circuit->term[t]], circuit->term_weight[t] * cot[o], at);
    for (int k = circuit->n_ops; k-- > 0;) {
        const kl_vqc_op op = circuit->ops[k];
        float c, s;
        kl_half_angle(&c, &s, angles, op.slot);
        const float d = kl_undo(a, b, op, c, s, at);
        if (!writes || op.slot < 0) continue;
        dangle[(size_t)op.slot * stride] = d;
        const kl_cuda_angle angle = circuit->angles[op.slot];
        if (angle.source == KL_CUDA_INPUT) kl_to_inputs(dx, d, angle, angles);
    }
}

/* One row's part of the derivative by a weight that stands in slot: x are the row's inputs, d the
   derivative by the slot's angle. */
KL_GPU float kl_weight_part(const kl_cuda_angle &a, const float *x, float d)
{
    if (a.source == KL_CUDA_WEIGHT) return a.scale * d;
    const float factor = a.scale * d * x[a.index];
    return a.index2 < 0 ? factor : factor * x[a.index2];
}

#endif
