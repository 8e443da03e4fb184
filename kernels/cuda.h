/* SPDX-License-Identifier: MIT
   What libketline-cuda.so offers (kernels/cuda/): one table of functions, found by kl_cuda_open of
   lib/device/cuda.c when a GPU is asked for. Everything here is plain data in host memory; the library
   keeps its own copies on the card. Functions return 0, KL_EDEVICE (no such device, or it was lost),
   KL_ENOMEM (the card's memory) or KL_EUSAGE (not for the card) and fill *err. Float only. */
#ifndef KL_KERNELS_CUDA_H
#define KL_KERNELS_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/mlp.h"
#include "kernels/vqc.h"

enum {
    KL_CUDA_VERSION = 5, /* of everything in this file */
    KL_CUDA_LAYERS = 24, /* of a head, at most */
    KL_CUDA_STEPS = 128, /* of a call, at most */
    KL_CUDA_QUBITS = 10, /* of a circuit in a head: a state fits the registers of a warp */
    KL_CUDA_BATCH_QUBITS = KL_VQC_MOST_QUBITS
};
struct kl_error;

struct kl_cuda_device {
    char name[256];
    int major, minor, processors;
    size_t memory, free_memory; /* bytes */
};

/* ---- circuits in batches (kernels/cuda/circuit.cu) ---- */
enum kl_cuda_source { KL_CUDA_CONSTANT, KL_CUDA_INPUT, KL_CUDA_WEIGHT };
/* Of slot k: scale, times input[index] (times input[index2] unless it is -1, times weight[scaled - 1]
   unless scaled is 0) or times weight[index]. */
struct kl_cuda_angle {
    int32_t source, index, index2, scaled;
    float scale;
};
/* Strings are Pauli strings; output o is the sum of terms [end[o - 1], end[o]), each a string's
   expectation value times a weight. Weight w stands in the slots use[use_end[w - 1]] ... */
struct kl_cuda_circuit {
    int32_t n_qubits, n_inputs, n_weights, n_outputs, n_ops, n_slots, n_strings, n_terms;
    int32_t real; /* all amplitudes stay real */
    const struct kl_vqc_op *ops;
    const struct kl_cuda_angle *angles;      /* (n_slots) */
    const struct kl_vqc_observable *strings; /* (n_strings) */
    const int32_t *end, *term;               /* (n_outputs), (n_terms): a string */
    const float *term_weight;                /* (n_terms) */
    const int32_t *use_end, *use;            /* (n_weights); slots */
};
struct kl_cuda_batch;

/* ---- heads, side by side (kernels/cuda/head.cu) ---- */
enum kl_cuda_kind { KL_CUDA_LINEAR, KL_CUDA_QUANTUM };
enum kl_cuda_act { KL_CUDA_NONE, KL_CUDA_RELU, KL_CUDA_TANH }; /* as enum kl_activation */
/* In the order in which samples pass them; the outputs of one are the inputs of the next. */
struct kl_cuda_layer {
    int32_t kind, d_in, d_out, act;
    int32_t dropout;      /* after it, number + 1 of its stream; 0: none */
    int32_t group;        /* of gradient norms; -1: none; of a circuit the first */
    int32_t weight, bias; /* places in the block; weights in strips of KL_STRIP outputs */
};
enum kl_cuda_rule { KL_CUDA_SGD, KL_CUDA_ADAM };
struct kl_cuda_head {
    int32_t n_layers, n_features, n_classes, n_groups, batch; /* batch: most rows of a step */
    struct kl_cuda_layer layers[KL_CUDA_LAYERS];
    struct kl_cuda_circuit circuit; /* n_qubits 0: none */
    const int32_t *weight_group;    /* (circuit.n_weights), from 0 to circuit_groups - 1; -1: in none */
    int32_t circuit_groups;
    const uint8_t *absent; /* (block) 1: held at zero; NULL: none is */
    int32_t frozen;        /* the circuit's weights do not move */
    int32_t rule;
    uint32_t threshold; /* dropout: 16-bit numbers below it drop; 0: no dropout */
    float keep_scale;   /* of what stays */
    float clip;         /* largest norm of the gradient; 0: none */
    uint64_t seed;
    size_t block; /* values of the parameters */
};
/* Of one step of one head, after struct kl_adam_factors or kl_sgd_factors (momentum is beta1). */
struct kl_cuda_factors {
    float decay, shrink, beta1, rest1, beta2, rest2, rate, root, epsilon;
};
/* `count` steps of the heads which[n], from `first` of an epoch of n_rows rows in `order`; the first
   has the number `number`, which keys its dropout with the head's replica. sums: (n, 2 + n_groups) of
   each head: loss in nats, right answers, norms of gradients; added to, step after step. */
struct kl_cuda_steps {
    size_t n, n_rows;
    const int32_t *which;
    const uint32_t *replica;
    const int32_t *order; /* (n_rows) rows of the features */
    int64_t first, count;
    uint32_t number;
    const struct kl_cuda_factors *factors; /* (n, count) */
    double *sums;
};
/* What a head says of n rows, each unless NULL: logits (n, n_classes), outputs of the circuit
   (n, n_outputs), losses in nats and whether they are right (n). */
struct kl_cuda_judged {
    float *logits, *outputs, *loss;
    uint8_t *right;
};
struct kl_cuda_heads;

/* ---- small dense networks, a block each (kernels/cuda/mlp.cu) ---- */
/* Networks of one shape that learn from the same rows, each its own choice of them under labels of its
   own. A row is words of packed bits, or floats, as in struct kl_mlp_batch. */
struct kl_cuda_mlp {
    struct kl_mlp net;
    int32_t batch;              /* rows of a step, at most KL_MLP_BATCH */
    uint32_t threshold;         /* dropout: 16-bit numbers below it drop; 0: none */
    float keep_scale, l1, clip; /* clip 0: none */
    /* Of Adam. At step t = 1, 2, ... the rate is the run's own times rate[t - 1], the root root[t - 1];
       the last ones stay. */
    struct kl_cuda_factors adam;
    const float *rate, *root; /* (n_steps) */
    size_t n_steps;
    const void *rows;
    size_t n_rows, stride; /* bytes from row to row */
    int32_t packed;
};
/* The next epoch of run `run`: `step` steps are behind it. keep: what it has learned until now is the
   best so far. */
struct kl_cuda_mlp_epoch {
    int32_t run, n_training, keep;
    float lr;
    uint64_t seed, step;
};
/* Sum of its steps' losses with their penalty; behind it the cross-entropy of the judging rows, summed,
   and how many rows are told right. */
struct kl_cuda_mlp_result {
    double loss, judged_loss;
    int32_t right, judged_right;
};
struct kl_cuda_mlps;

/* ---- features of a ResNet (kernels/cuda/resnet.cu, with cuDNN) ---- */
/* Of what convolutions multiply; sums are float. */
enum kl_cuda_precision { KL_CUDA_FP32, KL_CUDA_TF32, KL_CUDA_BF16, KL_CUDA_FP16 };
enum {
    KL_CUDA_PLANES = 4, /* of the first convolution's input */
    KL_CUDA_MAPS = 3    /* that the other convolutions read and write */
};
/* out channels of size x size taps on (in_h, in_w, in), zeros around it; then plus bias, plus the map
   `residual` unless it is -1, then ReLU if relu. from, to, residual: three different maps. */
struct kl_cuda_conv {
    int32_t in, out, size, stride, pad, in_h, in_w, out_h, out_w;
    int32_t from, to, residual, relu;
    const float *weights; /* (out, size, size, in) */
    const float *bias;    /* (out) */
};
/* The first convolution reads planes (p - 128) / 128 of each channel of the images, one of ones, and
   zeros; it goes to map 1, of which the 3x3 maxima of stride 2 become map 0; ReLU stands before them.
   The last one's map, (h, w, c) whatever its convolution calls it, is what features are taken from. */
struct kl_cuda_backbone {
    int32_t precision, height, width, channels; /* channels of the images: 1 or 3 */
    int32_t h, w, c, mean;                      /* features: (c) means over the map, or (c, h, w) */
    int32_t n_convs;
    const struct kl_cuda_conv *convs;
    size_t batch;  /* images that run at once */
    int32_t slots; /* batches between host and card at a time */
};
struct kl_cuda_resnet;

/* ---- GANs of pairs over a table of cells, a block each (kernels/cuda/gan.cu) ---- */
enum { KL_CUDA_CELLS = 4096 }; /* 64 x 64 */
/* Generator: the circuit of 12 qubits of kl_born_circuit, or a network 4096-128-256-cells.
   Discriminator: 2-hidden-1 on the cells' coordinates, leaky ReLU. Parameters in the order of
   qrng/gan.h. */
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

struct kl_cuda {
    int version;
    int (*count)(int *devices, struct kl_error *err);
    int (*describe)(struct kl_cuda_device *device, int number, struct kl_error *err);

    /* Room for n samples. run: out (n, n_outputs) of x (n, n_inputs) and w, and, unless cot is NULL, dx
       (n, n_inputs) and dw (n_weights), the gradients of sum(cot * out), both set. With seconds:
       *seconds of the kernels alone, copies apart, the least of `repeats` runs. */
    int (*batch_open)(struct kl_cuda_batch **batch, const struct kl_cuda_circuit *circuit, size_t n,
                      int device, struct kl_error *err);
    int (*batch_run)(struct kl_cuda_batch *batch, float *out, float *dx, float *dw, const float *x,
                     const float *w, const float *cot, double *seconds, int repeats,
                     struct kl_error *err);
    void (*batch_close)(struct kl_cuda_batch **batch);

    /* Room for n_heads heads of one shape on the features x (n, n_features) and labels (n; NULL: no
       losses are asked for), which stay the caller's as long as the heads live. */
    int (*heads_open)(struct kl_cuda_heads **heads, const struct kl_cuda_head *shape, size_t n_heads,
                      const float *x, const int32_t *labels, size_t n, int device, struct kl_error *err);
    /* What the card had too little memory for: *slice rows of a batch are worked on at once (0: all),
     *chunk rows of the features are on the card at once (0: all). No bit of a result depends on it. */
    void (*heads_room)(int32_t *slice, size_t *chunk, const struct kl_cuda_heads *heads);
    /* Parameters and moments (block values each; m and v may be NULL) of one head, to the card and
       back. */
    int (*heads_put)(struct kl_cuda_heads *heads, size_t head, const float *params, const float *m,
                     const float *v, struct kl_error *err);
    int (*heads_get)(struct kl_cuda_heads *heads, size_t head, float *params, float *m, float *v,
                     struct kl_error *err);
    int (*heads_steps)(struct kl_cuda_heads *heads, const struct kl_cuda_steps *steps,
                       struct kl_error *err);
    /* One head on n_rows rows of the features, without dropout. */
    int (*heads_judge)(struct kl_cuda_heads *heads, const struct kl_cuda_judged *to, size_t head,
                       const int32_t *rows, size_t n_rows, struct kl_error *err);
    void (*heads_close)(struct kl_cuda_heads **heads);

    /* Room for as many runs as are trained at once, at most *n_runs, which becomes their number.
       KL_EUSAGE: the network does not fit a block's memory. */
    int (*mlps_open)(struct kl_cuda_mlps **mlps, size_t *n_runs, const struct kl_cuda_mlp *shape,
                     int device, struct kl_error *err);
    /* Run `run` begins: parameters in the order of files (layer by layer weights [out][in], biases),
       labels (n_rows), and the rows that judge its epochs. */
    int (*mlps_put)(struct kl_cuda_mlps *mlps, size_t run, const float *params, const uint8_t *labels,
                    const int32_t *judging, size_t n_judging, struct kl_error *err);
    /* An epoch of n different runs, on the rows `order` (run, n_rows: the first n_training of each run)
       in this order, begins; all arguments are copied. Then its results (n), waited for. */
    int (*mlps_start)(struct kl_cuda_mlps *mlps, const struct kl_cuda_mlp_epoch *epochs, size_t n,
                      const int32_t *order, struct kl_error *err);
    int (*mlps_finish)(struct kl_cuda_mlps *mlps, struct kl_cuda_mlp_result *results,
                       struct kl_error *err);
    /* What a run has learned, or the best that was kept. */
    int (*mlps_get)(struct kl_cuda_mlps *mlps, size_t run, int best, float *params,
                    struct kl_error *err);
    void (*mlps_close)(struct kl_cuda_mlps **mlps);

    /* A slot holds a batch on its way; different threads may use different slots at once. pixels: its
       images (batch, height, width, channels), to be filled by the caller. start: send images [first,
       first + n), run, fetch; returns before that is done. wait: until it is, and where the features
       (batch, d) lie. Where in a batch an image stands may change its bits, its neighbours do not.
       seconds, if not NULL: of one batch on the card alone, the least of `repeats` runs of slot 0. */
    int (*resnet_open)(struct kl_cuda_resnet **resnet, const struct kl_cuda_backbone *net, int device,
                       struct kl_error *err);
    uint8_t *(*resnet_pixels)(struct kl_cuda_resnet *resnet, int slot);
    int (*resnet_start)(struct kl_cuda_resnet *resnet, int slot, size_t first, size_t n,
                        struct kl_error *err);
    int (*resnet_wait)(struct kl_cuda_resnet *resnet, int slot, const float **values,
                       struct kl_error *err);
    int (*resnet_seconds)(struct kl_cuda_resnet *resnet, double *seconds, int repeats,
                          struct kl_error *err);
    void (*resnet_close)(struct kl_cuda_resnet **resnet);

    /* Room for as many pairs as are trained at once, at most *n, which becomes their number. */
    int (*gans_open)(struct kl_cuda_gans **gans, size_t *n, const struct kl_cuda_gan *shape, int device,
                     struct kl_error *err);
    /* Pair i of replica `replica` begins: target (cells), parameters of the discriminator (4 n_hidden +
       1), angles of the circuit; NULL for a network, whose weights are drawn on the card. */
    int (*gans_put)(struct kl_cuda_gans *gans, size_t i, uint32_t replica, const double *target,
                    const double *discriminator, const double *angles, struct kl_error *err);
    /* `count` epochs of the pairs [0, n), from epoch `first`: history (n, count, KL_CUDA_GAN_COLUMNS),
       each before its step. */
    int (*gans_epochs)(struct kl_cuda_gans *gans, size_t n, int64_t first, int64_t count,
                       const struct kl_cuda_gan_factors *factors, double *history, struct kl_error *err);
    /* The last epoch's law (cells) before its step; what stands behind it. */
    int (*gans_get)(struct kl_cuda_gans *gans, size_t i, double *law, double *discriminator,
                    double *angles, struct kl_error *err);
    void (*gans_close)(struct kl_cuda_gans **gans);
};
/* The library's one name. */
const struct kl_cuda *kl_cuda_table(void);

#endif
