/* SPDX-License-Identifier: MIT
   What a step does to one weight (kernels/cpu/langevin.c), and the order of an epoch's records
   (kl_sampling_shuffle). */
#ifndef KL_CUDA_LANGEVIN_CUH
#define KL_CUDA_LANGEVIN_CUH

#include "kernels/cuda/normal.cuh"

/* w = shrink w - rate g + spread N; without noise, f.spread is 0 and normal is not looked at. */
KL_GPU float kl_moved(float w, float g, const kl_langevin_factors &f, float normal)
{
    const float next = fmaf((float)-f.rate, g, (float)f.shrink * w);
    return f.spread != 0 ? fmaf((float)f.spread, normal, next) : next;
}

/* v = keep v - rate g - decay w + spread N, w = w + move v. */
KL_GPU void kl_push(float *w, float *v, float g, const kl_langevin_momentum &f, float normal)
{
    const float pushed = fmaf((float)-f.rate, g, (float)f.keep * *v),
                decayed = fmaf((float)-f.decay, *w, pushed);
    *v = f.spread != 0 ? fmaf((float)f.spread, normal, decayed) : decayed;
    *w = fmaf((float)f.move, *v, *w);
}

/* V = keep V + (1 - keep) g^2, G = 1 / (eps + sqrt V), w = w - rate G (g + decay w) + spread sqrt(G) N.
 */
KL_GPU void kl_scaled(float *w, float *square, float g, const kl_langevin_rms &f, float normal)
{
    *square = fmaf((float)(1 - f.keep) * g, g, (float)f.keep * *square);
    const float scale = 1 / ((float)f.eps + sqrtf(*square)),
                next = fmaf((float)-f.rate * scale, fmaf((float)f.decay, *w, g), *w);
    *w = fmaf((float)f.spread * sqrtf(scale), normal, next);
}

/* Of a step of psgld, of which rms_decay and rms_epsilon are the shape's. */
KL_GPU kl_langevin_rms kl_scaled_factors(const kl_cuda_chains_shape &shape,
                                         const kl_cuda_chain_span &span, double precision,
                                         uint64_t number)
{
    return { !span.adapt ? 1
             : number    ? shape.rms_decay
                         : 0,
             shape.rms_epsilon, span.eta / 2 * span.beta, precision / span.beta, sqrt(span.eta) };
}
/* Of the kick of sghmc and sgnht and half of their drift; of the rest, which takes noise. */
KL_GPU kl_langevin_momentum kl_kick_factors(const kl_cuda_chain_span &span, double precision)
{
    const double h = sqrt(span.eta);
    return { 1, h * span.beta, h * precision, 0, h / 2 };
}
KL_GPU kl_langevin_momentum kl_rest_factors(const kl_cuda_chains_shape &shape,
                                            const kl_cuda_chain_span &span, double thermostat)
{
    const double x = thermostat, lost = fabs(x) < 1e-8 ? 2 : -expm1(-2 * x) / x;
    if (shape.sampler == KL_CUDA_SGHMC) return { shape.keep, 0, 0, shape.spread, sqrt(span.eta) / 2 };
    return { exp(-x), 0, 0, sqrt(shape.friction * lost), sqrt(span.eta) / 2 };
}

/* What one weight adds to ln of the acceptance of a proposal `to`. */
KL_GPU double kl_log_ratio(float to, float from, float g, const kl_langevin_factors &f)
{
    const double r = (double)to - f.shrink * (double)from + f.rate * (double)g;
    return -r * r / (2 * f.spread * f.spread);
}
KL_GPU double kl_log_alpha(float w, float g, float to, float g_to, const kl_langevin_factors &f,
                           double precision)
{
    return precision / 2 * ((double)w * (double)w - (double)to * (double)to) +
           kl_log_ratio(w, to, g_to, f) - kl_log_ratio(to, w, g, f);
}
/* Is the proposal of step `number` taken? *accept: the probability that it is. */
KL_GPU bool kl_accepts(double *accept, double log_alpha, uint64_t key, uint64_t number)
{
    uint32_t words[4];
    kl_philox(words, key, 0, KL_RANDOM_ACCEPT, (uint32_t)number, (uint32_t)(number >> 32));
    *accept = isnan(log_alpha) ? 0 : exp(log_alpha < 0 ? log_alpha : 0);
    return log(kl_philox_unit(words[0])) < log_alpha;
}

/* Of HMC: v = v - rate scale (beta g + precision w), w = w + move scale v; scale NULL: 1. */
KL_GPU void kl_leap(float *w, float *v, float g, const float *scale, double rate, double move,
                    double beta, double precision)
{
    if (!scale) {
        kl_push(w, v, g, { 1, rate * beta, rate * precision, 0, move }, 0);
        return;
    }
    const double s = (double)*scale;
    *v = (float)((double)*v - rate * (s * (beta * (double)g + precision * (double)*w)));
    *w = (float)((double)*w + move * s * (double)*v);
}
/* The leapfrogs of step `number`. */
KL_GPU int kl_leapfrogs(const kl_cuda_chains_shape &shape, uint64_t key, uint64_t number)
{
    uint32_t words[4];
    const int most = shape.leapfrogs, least = shape.fewer ? (most + 1) / 2 : most;
    kl_philox(words, key, 0, KL_RANDOM_ACCEPT, (uint32_t)number, (uint32_t)(number >> 32));
    const int more = (int)(kl_philox_unit(words[1]) * (double)(most - least + 1));
    return more < most - least ? least + more : most;
}

/* ---- order ---- */

enum { KL_PARTNERS = 1024 };
/* The permutation of an epoch: partners are drawn side by side, one thread exchanges. By the whole
   block; partner: KL_PARTNERS + 1 numbers of shared memory. */
KL_GPU void kl_shuffle(int32_t *order, int32_t *partner, int n, uint64_t key, uint64_t epoch)
{
    const int lane = (int)threadIdx.x;
    __syncthreads(); /* the order before is done with */
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) order[i] = i;
    __syncthreads();
    for (int first = 0; lane < KL_WARP && first + 1 < n; first += KL_PARTNERS) {
        for (int i = first + 2 * lane; i < first + KL_PARTNERS && i < n; i += 2 * KL_WARP) {
            uint32_t words[4];
            kl_philox(words, key, (uint32_t)(i / 2), KL_RANDOM_CHAIN_BATCHES, (uint32_t)epoch,
                      (uint32_t)(epoch >> 32));
            for (int k = 0; k < 2; k++) {
                const uint64_t bits = (uint64_t)words[2 * k + 1] << 32 | words[2 * k];
                partner[i - first + k] =
                    i + k + (int)(((unsigned __int128)bits * (uint64_t)(n - i - k)) >> 64);
            }
        }
        __syncwarp();
        for (int i = first; lane == 0 && i < first + KL_PARTNERS && i + 1 < n; i++) {
            const int j = partner[i - first], kept = order[i];
            order[i] = order[j], order[j] = kept;
        }
        __syncwarp();
    }
    __syncthreads();
}

#endif
