/* SPDX-License-Identifier: MIT
   gan: generators and discriminators over a table of cells, all of which are computed at once: nothing
   is sampled but where it is asked for. Losses in nats. In both precisions (_f32, _f64). */
#ifndef KL_QRNG_GAN_GAN_H
#define KL_QRNG_GAN_GAN_H

#include "base/base.h"
#include "circuit/circuit.h"
#include "kernels/gan.h"
#include "nn/nn.h"

/* ---- what the study trains on (law.c) ---- */
enum { KL_GRID_BITS = 64, KL_GRID_CELLS = KL_GRID_BITS * KL_GRID_BITS };
/* g[i, j] = b[j] - a[i] less the smallest of them, of two devices' rates of 1 at KL_GRID_BITS positions;
   row-major. Returns their sum, by which it is not divided. */
double kl_gan_grid(double g[KL_GRID_CELLS], const double a[KL_GRID_BITS], const double b[KL_GRID_BITS]);
/* KL(target || law) over n cells, both clipped to [1e-10, 1] and then divided by their sums. law NULL:
   the uniform one, which is the closed form of what the study's generator comes to. */
double kl_gan_divergence(const double *target, const double *law, size_t n);

/* ---- losses ---- */
/* Of an epoch, before its steps: generator = - sum p ln D, real = - sum r ln D, fake = - sum p ln(1 -
   D), over the cells, D being the discriminator's output, p the generator's law, r the target. */
struct kl_gan_losses {
    double generator, real, fake;
};
static inline double kl_gan_discriminator_loss(const struct kl_gan_losses *l)
{
    return (l->real + l->fake) / 2;
}
/* The study's cells have coordinates (j / 63, i / 63); words have their bits, most significant first, as
   -1 and 1. */
enum { KL_GAN_CHUNKS = 256 }; /* of cells, at most 2^16 */
enum { KL_GAN_LATENTS = 16 };
enum kl_gan_coordinates { KL_GAN_PLANE, KL_GAN_BITS };
#define KL_GAN_SLOPE 0.2       /* of the discriminator's leaky ReLU */
#define KL_GAN_EPSILON 1e-8    /* inside logarithms, but of the quantum generator's GAN */
enum { KL_GAN_HIDDEN = 1024 }; /* of its neurons, at most */
/* Sizes of the study's network generator: latent - hidden1 - hidden2 - cells, ReLU, softmax. */
struct kl_gan_sizes {
    size_t latent, hidden1, hidden2, cells; /* multiples of KL_GAN_COLUMNS, cells of 64 of them */
};

/* Born machine of spec 8.1: H on every qubit, then rotation layers RY, RZ of every qubit with CX (10,
   11), CX (9, 10), ... between; `repetitions` + 1 rotation layers, 2 n (repetitions + 1) angles, layer
   by layer. Qubit 0 is the least significant bit of an outcome. Outputs: the probabilities. KL_ENOMEM,
   KL_EUSAGE. */
int kl_gan_born_circuit(struct kl_circuit **circuit, int n_qubits, int repetitions,
                        struct kl_error *err);

/* ---- random numbers (random.c) ----
   The same in both precisions; stream: what tells tensors or epochs apart, replica: models. */
/* Uniform in (-bound, bound), of purpose KL_RANDOM_INIT. */
void kl_gan_uniform(double *x, size_t n, double bound, uint64_t seed, uint32_t stream, uint32_t replica);
/* Normal(0, 1) by Box and Muller (1958), of purpose KL_RANDOM_LATENT. */
void kl_gan_normal(float *x, size_t n, uint64_t seed, uint32_t stream, uint32_t replica);
/* n doubles in [0, 1) as NumPy's default_rng(seed).random(n) draws them: PCG64 (O'Neill 2014), seeded by
   SeedSequence. For `--reference` alone. */
void kl_gan_pcg64_units(double *x, size_t n, uint32_t seed);

#define KL_GAN_TYPES(real, p)                                                                           \
    /* Network n_inputs - n_hidden - 1, leaky ReLU 0.2, sigmoid, over n_cells cells. */                 \
    struct kl_discriminator_##p {                                                                       \
        size_t n_inputs, n_hidden, n_cells, n_params;                                                   \
        size_t stride;        /* n_cells, up to a multiple of KL_GAN_COLUMNS */                         \
        real *x;              /* (n_inputs, stride) */                                                  \
        real *params, *m, *v; /* (n_params): weights (n_hidden, n_inputs), biases, weights, bias */     \
        real *grad;           /* of (real + fake) / 2 */                                                \
        real *out, *d_logit;  /* (stride): D; the derivative by what its sigmoid takes */               \
        real *other, *unseen; /* (stride): 1 - D, - ln of it */                                         \
        real *parts;          /* (hidden) */                                                            \
    };                                                                                                  \
    /* A layer of the study's generator. Biases are the weights of one more input, which is always 1;   \
       moments as struct kl_bare_adam says. The first two: w [rows, stride], a row the columns inputs   \
       of one output, then its bias, then zeros. The last: w [columns + 1, rows], a row one input's     \
       part in all outputs; the last row their biases; so for each part of the outputs                  \
       (generator.c). */                                                                                \
    struct kl_gan_layer_##p {                                                                           \
        size_t rows, columns, stride; /* outputs, inputs */                                             \
        real *w, *m, *v;                                                                                \
        real *a, *h, *d; /* (rows): before ReLU, (rows + 16) behind it, then 1, 0, ..; dL_G / da */     \
        size_t *steps;   /* first: (rows), last: (columns + 1), how many of Adam's they have taken */   \
    };                                                                                                  \
    struct kl_gan_network_##p {                                                                         \
        struct kl_gan_layer_##p layer[3];                                                               \
        struct kl_bare_adam *adam; /* (epochs): of each step */                                         \
        size_t epochs, epoch;      /* of all; the one at hand */                                        \
        real *latent;              /* (KL_GAN_LATENTS, latent + 16) */                                  \
        size_t n_latent;           /* epochs whose latent vector is there */                            \
        real *past;                /* hidden: the last layer's derivatives of some epochs */            \
        real *last;                /* (hidden2 + 16): its inputs when they last were not 0 */           \
        real *back;                /* hidden: sums over parts of the cells */                           \
        real *sums;                /* hidden: of the parts of the cells */                              \
    };                                                                                                  \
    /* A circuit that is its own generator. */                                                          \
    struct kl_born_##p {                                                                                \
        const struct kl_circuit *circuit;                                                               \
        real *angles, *m, *v, *grad, *state; /* (n_weights) but state */                                \
    };                                                                                                  \
    /* Memory from the arena; moments 0, params unset. KL_ENOMEM. */                                    \
    int kl_gan_discriminator_make_##p(struct kl_discriminator_##p *d, enum kl_gan_coordinates kind,     \
                                      size_t n_cells, size_t n_hidden, struct kl_arena *memory,         \
                                      struct kl_error *err);                                            \
    /* D of each cell, and dp (n_cells) = -ln(D + KL_GAN_EPSILON), by which the generator learns: no    \
       law is needed. n_cells: a multiple of KL_GAN_COLUMNS. */                                         \
    void kl_gan_discriminator_look_##p(real *dp, struct kl_discriminator_##p *d, struct kl_pool *pool); \
    /* Behind it: losses of the generator's law and the target (n_cells); d->grad is set. */            \
    void kl_gan_discriminator_judge_##p(struct kl_gan_losses *losses, real *dp,                         \
                                        struct kl_discriminator_##p *d, const real *law,                \
                                        const real *target, struct kl_pool *pool);                      \
    /* Both in one, without an epsilon inside the logarithms. */                                        \
    void kl_gan_discriminator_score_##p(struct kl_gan_losses *losses, real *dp,                         \
                                        struct kl_discriminator_##p *d, const real *law,                \
                                        const real *target, struct kl_pool *pool);                      \
    /* Adds the gradient of weight / 2 sum r |slope of the logit|^2 (discriminator.c) to d->grad;       \
       returns the penalty. */                                                                          \
    double kl_gan_discriminator_penalty_##p(struct kl_discriminator_##p *d, const real *target,         \
                                            double weight);                                             \
    void kl_gan_discriminator_step_##p(struct kl_discriminator_##p *d, const struct kl_update *update); \
    /* For `epochs` steps of Adam with learning rate lr, of kind KL_ADAM and without clipping. */       \
    int kl_gan_network_make_##p(struct kl_gan_network_##p *g, const struct kl_gan_sizes *size,          \
                                const struct kl_optimizer *adam, double lr, size_t epochs,              \
                                struct kl_arena *memory, struct kl_pool *pool, struct kl_error *err);   \
    /* The place of the next latent vector (latent), to be written, which then counts as there. At      \
       least those of the epoch at hand and, before a step, of the one behind it must be there; at most \
       KL_GAN_LATENTS from the one at hand: rows whose output is negative take their steps in advance   \
       as far as they reach. */                                                                         \
    real *kl_gan_network_latent_##p(struct kl_gan_network_##p *g);                                      \
    /* The last layer's weights of input j <= columns, all cells'. */                                   \
    void kl_gan_network_set_##p(struct kl_gan_network_##p *g, size_t j, const real *w);                 \
    /* law (cells) of the epoch at hand, and all derivatives by dp (cells), the gradient by law. */     \
    void kl_gan_network_law_##p(real *law, struct kl_gan_network_##p *g, const real *dp,                \
                                struct kl_pool *pool);                                                  \
    /* One step down them; the next epoch is at hand then. */                                           \
    void kl_gan_network_step_##p(struct kl_gan_network_##p *g, struct kl_pool *pool);                   \
    /* The last layer's inputs that were 0 take the steps that wait for them, for who reads weights. */ \
    void kl_gan_network_settle_##p(struct kl_gan_network_##p *g);                                       \
    int kl_gan_born_make_##p(struct kl_born_##p *g, const struct kl_circuit *circuit,                   \
                             struct kl_arena *memory, struct kl_error *err);                            \
    /* work is only taken from. KL_ENOMEM. */                                                           \
    int kl_gan_born_law_##p(real *law, struct kl_born_##p *g, struct kl_arena *work,                    \
                            struct kl_error *err);                                                      \
    /* g->grad from dp (2^n), of the angles that law had; exact, by one adjoint sweep. */               \
    int kl_gan_born_gradient_##p(struct kl_born_##p *g, const real *dp, struct kl_arena *work,          \
                                 struct kl_error *err);

KL_GAN_TYPES(float, f32)
KL_GAN_TYPES(double, f64)

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_discriminator KL_NAME(kl_discriminator)
#define kl_gan_layer KL_NAME(kl_gan_layer)
#define kl_gan_network KL_NAME(kl_gan_network)
#define kl_born KL_NAME(kl_born)
#define kl_gan_discriminator_make KL_NAME(kl_gan_discriminator_make)
#define kl_gan_discriminator_look KL_NAME(kl_gan_discriminator_look)
#define kl_gan_discriminator_judge KL_NAME(kl_gan_discriminator_judge)
#define kl_gan_discriminator_score KL_NAME(kl_gan_discriminator_score)
#define kl_gan_discriminator_penalty KL_NAME(kl_gan_discriminator_penalty)
#define kl_gan_discriminator_step KL_NAME(kl_gan_discriminator_step)
#define kl_gan_network_make KL_NAME(kl_gan_network_make)
#define kl_gan_network_latent KL_NAME(kl_gan_network_latent)
#define kl_gan_network_set KL_NAME(kl_gan_network_set)
#define kl_gan_network_law KL_NAME(kl_gan_network_law)
#define kl_gan_network_step KL_NAME(kl_gan_network_step)
#define kl_gan_network_settle KL_NAME(kl_gan_network_settle)
#define kl_gan_born_make KL_NAME(kl_gan_born_make)
#define kl_gan_born_law KL_NAME(kl_gan_born_law)
#define kl_gan_born_gradient KL_NAME(kl_gan_born_gradient)

#endif
