/* SPDX-License-Identifier: MIT
   Normals and the updates that use them. */
#include <math.h>

#include "kernels/inline/philox.h"
#include "kernels/inline/real.h"
#include "sampling/chain/chain_int.h"

static void four(double n[4], size_t block, const struct kl_langevin_stream *s)
{
    uint32_t w[4];
    kl_philox(w, s->key, (uint32_t)block, s->purpose, s->step, s->replica);
    for (int i = 0; i < 4; i += 2) {
        const double r = sqrt(-2 * log(kl_philox_unit(w[i]))), a = 2 * M_PI * kl_philox_unit(w[i + 1]);
        n[i] = r * cos(a), n[i + 1] = r * sin(a);
    }
}

void kl_kernel_langevin_normals(kl_real *out, size_t first, size_t n, const struct kl_langevin_stream *stream)
{
    double z[4];
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || (first + i) % 4 == 0) four(z, (first + i) / 4, stream);
        out[i] = (kl_real)z[(first + i) % 4];
    }
}

void kl_kernel_langevin_step(kl_real *w, const kl_real *grad, size_t first, size_t n,
                      const struct kl_langevin_factors *f, const struct kl_langevin_stream *stream,
                      struct kl_langevin_sums *sums)
{
    double z[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (f->spread > 0 && (i == 0 || (first + i) % 4 == 0)) four(z, (first + i) / 4, stream);
        const double a = (double)w[i], g = (double)grad[i];
        sums->ww += a * a, sums->wg += a * g, sums->gg += g * g;
        w[i] = (kl_real)(f->shrink * a - f->rate * g + f->spread * z[(first + i) % 4]);
    }
}

void kl_kernel_langevin_momentum(kl_real *w, kl_real *v, const kl_real *grad, size_t first, size_t n,
                          const struct kl_langevin_momentum *f, const struct kl_langevin_stream *stream,
                          double *vv)
{
    double z[4] = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (f->spread > 0 && (i == 0 || (first + i) % 4 == 0)) four(z, (first + i) / 4, stream);
        const double a = f->keep * (double)v[i] - f->rate * (double)grad[i] - f->decay * (double)w[i] +
                         f->spread * z[(first + i) % 4];
        v[i] = (kl_real)a, *vv += a * a;
        w[i] = (kl_real)((double)w[i] + f->move * (double)v[i]);
    }
}
