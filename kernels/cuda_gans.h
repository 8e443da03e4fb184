/* SPDX-License-Identifier: MIT
   GANs of pairs over a table of cells on a GPU, a block each (kernels/cuda/gan.cu): see kernels/cuda.h.
 */
#ifndef KL_KERNELS_CUDA_GANS_H
#define KL_KERNELS_CUDA_GANS_H

#include <stddef.h>
#include <stdint.h>

struct kl_error;
enum { KL_CUDA_CELLS = 4096 }; /* 64 x 64 */
/* Generator: the circuit of 12 qubits of kl_gan_born_circuit, or a network 4096-128-256-cells.
   Discriminator: 2-hidden-1 on the cells' coordinates, leaky ReLU. Parameters in the order of
   qrng/gan/gan.h. */
struct kl_cuda_gan {
    int32_t quantum, repetitions, n_hidden;
    double slope, epsilon; /* of the leaky ReLU; inside logarithms */
    uint64_t seed;         /* of the network's weights and latent vectors */
};
/* Of Adam, of one epoch: as struct kl_cuda_factors. */
struct kl_cuda_gan_factors {
    double decay, shrink, beta1, rest1, beta2, rest2, rate, root, epsilon;
};
enum {
    KL_CUDA_GAN_DIVERGENCE, /* KL(target || law), as kl_gan_divergence; then struct kl_gan_losses */
    KL_CUDA_GAN_GENERATOR,
    KL_CUDA_GAN_REAL,
    KL_CUDA_GAN_FAKE,
    KL_CUDA_GAN_COLUMNS
};
struct kl_cuda_gans;

struct kl_cuda_gans_calls {
    /* Room for as many pairs as are trained at once, at most *n, which becomes their number. */
    int (*open)(struct kl_cuda_gans **gans, size_t *n, const struct kl_cuda_gan *shape, int device,
                struct kl_error *err);
    /* Pair i of replica `replica` begins: target (cells), parameters of the discriminator (4 n_hidden +
       1), angles of the circuit; NULL for a network, whose weights are drawn on the GPU. */
    int (*put)(struct kl_cuda_gans *gans, size_t i, uint32_t replica, const double *target,
               const double *discriminator, const double *angles, struct kl_error *err);
    /* `count` epochs of the pairs [0, n), from epoch `first`: history (n, count, KL_CUDA_GAN_COLUMNS),
       each before its step. */
    int (*epochs)(struct kl_cuda_gans *gans, size_t n, int64_t first, int64_t count,
                  const struct kl_cuda_gan_factors *factors, double *history, struct kl_error *err);
    /* The last epoch's law (cells) before its step; what stands behind it. */
    int (*get)(struct kl_cuda_gans *gans, size_t i, double *law, double *discriminator, double *angles,
               struct kl_error *err);
    void (*close)(struct kl_cuda_gans **gans);
};

#endif
