/* SPDX-License-Identifier: MIT
   Definition of the family, its cells; see kernels/gan.h. */
#include "kernels/gan.h"

#include "kernels/inline/elementary.h"
#include "kernels/inline/lanes.h"

static inline kl_lane get(const kl_real *p)
{
    return *(const kl_lane *)p;
}

/* Leaky ReLU's derivative, where its input is a, times x; scaled: slope x. */
static inline kl_lane derivative(kl_lane a, kl_real x, kl_real scaled)
{
    return kl_choose(a > 0, (kl_lane){ 0 } + x, (kl_lane){ 0 } + scaled);
}

/* Of neuron h before its activation, for the cells of vector j. */
static inline kl_lane neuron(const struct kl_gan_cells *c, size_t n_inputs, size_t h, size_t j)
{
    const kl_real *w = c->params + h * n_inputs;
    kl_lane a = (kl_lane){ 0 } + c->params[c->n_hidden * n_inputs + h];
    for (size_t i = 0; i < n_inputs; i++)
        a += w[i] * *(const kl_lane *)(c->x + i * c->stride + j * KL_LANES);
    return a;
}

/* n_inputs: c's, where the compiler shall know it. */
static inline __attribute__((always_inline)) void logits(kl_real *logit, const struct kl_gan_cells *c,
                                                         const size_t n_inputs)
{
    const kl_real *w = c->params + c->n_hidden * (n_inputs + 1);
    for (size_t j = 0; j < c->n / KL_LANES; j++) {
        kl_lane sum = (kl_lane){ 0 } + w[c->n_hidden];
        for (size_t h = 0; h < c->n_hidden; h++) {
            const kl_lane a = neuron(c, n_inputs, h, j);
            sum += derivative(a, w[h], w[h] * c->slope) * a;
        }
        *(kl_lane *)(logit + j * KL_LANES) = sum;
    }
}

void KL_ISA_NAME(kl_gan_logits)(kl_real *logit, const struct kl_gan_cells *c)
{
    if (c->n_inputs == 2) logits(logit, c, 2);
    else logits(logit, c, c->n_inputs);
}

/* Neuron after neuron, whose sums stay in the registers. */
static inline __attribute__((always_inline)) void neuron_back(kl_real *grad, const kl_real *d,
                                                              const struct kl_gan_cells *c,
                                                              const size_t n_inputs, size_t h)
{
    const kl_real *w = c->params + c->n_hidden * (n_inputs + 1);
    kl_lane inputs[KL_GAN_INPUTS] = { 0 }, bias = { 0 }, weight = { 0 };
    for (size_t j = 0; j < c->n / KL_LANES; j++) {
        const kl_lane a = neuron(c, n_inputs, h, j), dl = get(d + j * KL_LANES),
                      da = derivative(a, w[h], w[h] * c->slope) * dl;
        weight += derivative(a, 1, c->slope) * a * dl;
        bias += da;
        for (size_t i = 0; i < n_inputs; i++)
            inputs[i] += da * *(const kl_lane *)(c->x + i * c->stride + j * KL_LANES);
    }
    for (size_t i = 0; i < n_inputs; i++) grad[h * n_inputs + i] = kl_sum_lanes(inputs[i]);
    grad[c->n_hidden * n_inputs + h] = kl_sum_lanes(bias);
    grad[c->n_hidden * (n_inputs + 1) + h] = kl_sum_lanes(weight);
}

void KL_ISA_NAME(kl_gan_logits_back)(kl_real *grad, const kl_real *d, const struct kl_gan_cells *c)
{
    kl_lane sum = { 0 };
    for (size_t h = 0; h < c->n_hidden; h++) {
        if (c->n_inputs == 2) neuron_back(grad, d, c, 2, h);
        else neuron_back(grad, d, c, c->n_inputs, h);
    }
    for (size_t j = 0; j < c->n / KL_LANES; j++) sum += *(const kl_lane *)(d + j * KL_LANES);
    grad[c->n_hidden * (c->n_inputs + 2)] = kl_sum_lanes(sum);
}

/* D = 1 / (1 + e^-x), and 1 - D as exactly. */
void KL_ISA_NAME(kl_gan_look)(const struct kl_gan_seen *c)
{
    const kl_lane_bits sign = (kl_lane_bits)(-(kl_lane){ 0 });
    for (size_t j = 0; j < c->n; j += KL_LANES) {
        const kl_lane x = get(c->d + j), small = kl_exp_lane((kl_lane)((kl_lane_bits)x | sign)),
                      all = 1 / (1 + small), d = kl_choose(x < 0, small * all, all),
                      other = kl_choose(x < 0, all, small * all);
        *(kl_lane *)(c->d + j) = d;
        *(kl_lane *)(c->other + j) = other;
        *(kl_lane *)(c->dp + j) = -kl_log_lane(d + c->epsilon);
        *(kl_lane *)(c->unseen + j) = -kl_log_lane(other + c->epsilon);
    }
}

void KL_ISA_NAME(kl_gan_judge)(double sums[3], kl_real *slope, const kl_real *law, const kl_real *target,
                               const struct kl_gan_seen *c)
{
    const kl_real e = c->epsilon;
    kl_lane generator = { 0 }, real = { 0 }, fake = { 0 };
    for (size_t j = 0; j < c->n; j += KL_LANES) {
        const kl_lane d = get(c->d + j), other = get(c->other + j), p = get(law + j),
                      r = get(target + j);
        generator += p * get(c->dp + j), real += r * get(c->dp + j), fake += p * get(c->unseen + j);
        *(kl_lane *)(slope + j) = (kl_real)0.5 * (p / (other + e) - r / (d + e)) * d * other;
    }
    sums[0] = (double)kl_sum_lanes(generator), sums[1] = (double)kl_sum_lanes(real);
    sums[2] = (double)kl_sum_lanes(fake);
}

#if KL_F64
static inline kl_lane clipped(kl_lane x)
{
    const kl_lane least = (kl_lane){ 0 } + 1e-10, most = (kl_lane){ 0 } + 1;
    return kl_choose(x < least, least, kl_choose(x > most, most, x));
}

void KL_ISA_NAME(kl_gan_divergence)(double sums[3], const double *target, const double *law, size_t n)
{
    kl_lane all = { 0 }, of_law = { 0 }, sum = { 0 };
    for (size_t j = 0; j < n; j += KL_LANES) {
        const kl_lane r = clipped(get(target + j)), p = clipped(get(law + j));
        all += r, of_law += p;
        sum += r * kl_log_lane(r / p);
    }
    sums[0] = kl_sum_lanes(all), sums[1] = kl_sum_lanes(of_law), sums[2] = kl_sum_lanes(sum);
}
#endif
