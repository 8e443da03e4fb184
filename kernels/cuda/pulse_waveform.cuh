/* SPDX-License-Identifier: MIT
   A block's point as samples and as controls, and derivatives by controls as those by the point's
   numbers: what lib/control/pulse/waveform.c does, a sample or a number a thread, a filter a control. */
#ifndef KL_CUDA_PULSE_WAVEFORM_CUH
#define KL_CUDA_PULSE_WAVEFORM_CUH

#include "kernels/cuda/pulse_job.cuh"
#include "kernels/inline/waveform.h"

/* Numbers of a block: samples (samples, controls) and derivatives by them. */
KL_GPU double *kl_pulse_samples(const kl_pulse_job &job)
{
    return job.samples +
           (size_t)blockIdx.x * (size_t)(job.problem.waveform.samples * job.problem.g.controls);
}
KL_GPU double *kl_pulse_by_samples(const kl_pulse_job &job)
{
    return job.by_samples +
           (size_t)blockIdx.x * (size_t)(job.problem.waveform.samples * job.problem.g.controls);
}

/* Sample s of control k before any limit. */
KL_GPU double kl_pulse_number(const kl_pulse_job &job, const double *x, int k, int s)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const double *own = x + w.control[k].first;
    double v = 0;
    if (w.control[k].kind == KL_CUDA_WAVEFORM_PIECEWISE) return own[s];
    if (w.control[k].kind == KL_CUDA_WAVEFORM_CONSTANT) return own[0];
    for (int j = 0; j < w.count; j++) v = fma(w.values[s * w.count + j], own[j], v);
    return v;
}

/* The sample; by [2]: its derivative by that number, and that of the partner's sample. */
KL_GPU double kl_pulse_sample(double by[2], const kl_pulse_job &job, const double *x, int k, int s)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const struct kl_cuda_waveform_control &c = w.control[k];
    const double number = kl_pulse_number(job, x, k, s);
    by[0] = 1, by[1] = 0;
    if (c.partner >= 0) {
        const double v[2] = { number, kl_pulse_number(job, x, c.partner, s) };
        double to[2], slope[2][2];
        if (c.kind == KL_CUDA_WAVEFORM_PIECEWISE) kl_waveform_disc_of_square(to, slope, v);
        else kl_waveform_disc_of_plane(to, slope, v);
        by[0] = slope[0][0], by[1] = slope[1][0];
        return to[0];
    }
    return c.kind == KL_CUDA_WAVEFORM_PIECEWISE ? number
                                                : kl_waveform_bounded(by, number, c.middle, c.half);
}

/* The change that leads to sample s of control k, and where it is one that is looked at. */
KL_GPU bool kl_pulse_change(double *change, const kl_pulse_job &job, const double *samples, int k, int s)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const int c = job.problem.g.controls;
    if (!(w.most > 0) || s < 1 - w.zero_ends || s >= w.samples + w.zero_ends) return false;
    *change = (s < w.samples ? samples[s * c + k] : 0) - (s > 0 ? samples[(s - 1) * c + k] : 0);
    return true;
}

/* The controls of the block's trial, for all its threads. */
KL_GPU void kl_pulse_play(const kl_pulse_job &job)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const int c = job.problem.g.controls;
    const double *x = kl_pulse_vector(job, KL_PULSE_NEXT_X);
    double *samples = kl_pulse_samples(job), *u = kl_pulse_controls(job), by[2];
    for (int i = (int)threadIdx.x; i < w.samples * c; i += (int)blockDim.x)
        samples[i] = kl_pulse_sample(by, job, x, i % c, i / c);
    __syncthreads();
    for (int k = (int)threadIdx.x; k < c; k += (int)blockDim.x) {
        double y = 0;
        for (int s = 0; s < w.samples * w.oversample; s++)
            u[s * c + k] = kl_waveform_low_pass(&y, samples[s / w.oversample * c + k], w.decay, w.mean);
    }
    __syncthreads();
}

/* What its samples cost that change too fast, by one warp. */
KL_GPU double kl_pulse_slew(const kl_pulse_job &job)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const int c = job.problem.g.controls;
    const double *samples = kl_pulse_samples(job);
    double sum = 0, change, slope;
    for (int i = kl_lane_number(); i < (w.samples + 1) * c; i += KL_WARP)
        if (kl_pulse_change(&change, job, samples, i % c, i / c))
            sum += kl_waveform_slew(&slope, change, w.most);
    return kl_warp_sum(sum);
}

/* Derivatives by the samples of control k, by one thread. */
KL_GPU void kl_pulse_filter_back(double *to, const kl_pulse_job &job, int k)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const int c = job.problem.g.controls;
    const double *samples = kl_pulse_samples(job), *gu = kl_pulse_by_controls(job);
    double gy = 0, change, slope, after = 0;
    if (kl_pulse_change(&change, job, samples, k, w.samples)) kl_waveform_slew(&after, change, w.most);
    for (int s = w.samples - 1; s >= 0; s--) {
        double sum = 0;
        for (int i = w.oversample - 1; i >= 0; i--)
            sum += kl_waveform_low_pass_back(&gy, gu[(s * w.oversample + i) * c + k], w.decay, w.mean);
        slope = 0;
        if (kl_pulse_change(&change, job, samples, k, s)) kl_waveform_slew(&slope, change, w.most);
        to[s * c + k] = sum + slope - after;
        after = slope;
    }
}

/* Derivatives by the controls become those by the point's numbers, for all threads. */
KL_GPU void kl_pulse_play_back(const kl_pulse_job &job)
{
    const struct kl_cuda_waveform &w = job.problem.waveform;
    const int c = job.problem.g.controls;
    const double *x = kl_pulse_vector(job, KL_PULSE_NEXT_X);
    double *by_number = kl_pulse_samples(job), *back = kl_pulse_by_samples(job),
           *g = kl_pulse_vector(job, KL_PULSE_NEXT_G), by[2];
    for (int k = (int)threadIdx.x; k < c; k += (int)blockDim.x) kl_pulse_filter_back(back, job, k);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < w.samples * c; i += (int)blockDim.x) {
        const int k = i % c, partner = w.control[k].partner;
        kl_pulse_sample(by, job, x, k, i / c);
        by_number[i] = by[0] * back[i] + (partner >= 0 ? by[1] * back[i - k + partner] : 0);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < job.n; i += (int)blockDim.x) {
        int k = 0;
        while (k + 1 < c && i >= w.control[k + 1].first) k++;
        const int j = i - w.control[k].first;
        double sum = w.control[k].kind == KL_CUDA_WAVEFORM_PIECEWISE ? by_number[j * c + k] : 0;
        for (int s = 0; w.control[k].kind != KL_CUDA_WAVEFORM_PIECEWISE && s < w.samples; s++)
            sum = fma(w.control[k].kind == KL_CUDA_WAVEFORM_CONSTANT ? 1 : w.values[s * w.count + j],
                      by_number[s * c + k], sum);
        g[i] = sum;
    }
    __syncthreads();
}

#endif
