/* SPDX-License-Identifier: MIT
   langevin: normal deviates and the updates that use them, noise made in registers. Philox4x32-10 with key = a
   chain's own and counter (block, purpose, step, replica); normals by Box and Muller (1958). Which word makes the
   normal of element e is fixed by e alone, so that ranges, threads and instruction sets (AVX2, AVX-512) change no
   bit. No cuda/ twin yet. */
#ifndef KL_LANGEVIN_H
#define KL_LANGEVIN_H

#include <stddef.h>
#include <stdint.h>

struct kl_langevin_stream {
    uint64_t key;
    uint32_t purpose, step, replica;
};
/* out (n) = normals of elements first .. first + n - 1 of the stream. */
#define KL_LANGEVIN_NORMALS_ARGS(real) \
    (real * out, size_t first, size_t n, const struct kl_langevin_stream *stream)

/* w (n), the elements from `first` on: w = shrink w - rate grad + spread N. sums, over these elements and before the
   update, in one order, are added to. */
struct kl_langevin_factors {
    double shrink, rate, spread; /* spread 0: no noise is drawn */
};
struct kl_langevin_sums {
    double ww, wg, gg; /* of w^2, w grad, grad^2 */
};
#define KL_LANGEVIN_STEP_ARGS(real)                                                                  \
    (real * w, const real *grad, size_t first, size_t n, const struct kl_langevin_factors *f, \
     const struct kl_langevin_stream *stream, struct kl_langevin_sums *sums)

/* With momentum: v = keep v - rate grad - decay w + spread N; then w = w + move v. *vv is the sum of v^2 after. */
struct kl_langevin_momentum {
    double keep, rate, decay, spread, move;
};
#define KL_LANGEVIN_MOMENTUM_ARGS(real)                                                                        \
    (real * w, real *v, const real *grad, size_t first, size_t n, const struct kl_langevin_momentum *f, \
     const struct kl_langevin_stream *stream, double *vv)

#endif
