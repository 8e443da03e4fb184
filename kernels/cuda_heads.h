/* SPDX-License-Identifier: MIT
   Heads side by side on a GPU (kernels/cuda/head.cu): see kernels/cuda.h. */
#ifndef KL_KERNELS_CUDA_HEADS_H
#define KL_KERNELS_CUDA_HEADS_H

#include "kernels/cuda_circuit.h"

struct kl_error;
enum {
    KL_CUDA_LAYERS = 24, /* of a head, at most */
    KL_CUDA_STEPS = 128  /* of a call, at most */
};
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
/* The results of n heads on n_rows rows, each unless NULL: logits (n, n_rows, n_classes), losses in nats
   and whether they are right (n, n_rows). */
struct kl_cuda_judged {
    float *logits, *loss;
    uint8_t *right;
};
struct kl_cuda_heads;

struct kl_cuda_heads_calls {
    /* Room for n_heads heads of one shape on the features x (n, n_features) and labels (n; NULL: no
       losses are asked for), which stay the caller's and do not change as long as the heads live:
       heads on the same ones share a copy on the GPU. */
    int (*open)(struct kl_cuda_heads **heads, const struct kl_cuda_head *shape, size_t n_heads,
                const float *x, const int32_t *labels, size_t n, int device, struct kl_error *err);
    /* The limits by the GPU's memory: *slice rows of a batch are worked on at once (0: all), and *chunk
       rows of the features are on the GPU at once (0: all). No bit of a result depends on it. */
    void (*room)(int32_t *slice, size_t *chunk, const struct kl_cuda_heads *heads);
    /* Parameters and moments (block values each; m and v may be NULL) of one head, to the GPU and
       back. */
    int (*put)(struct kl_cuda_heads *heads, size_t head, const float *params, const float *m,
               const float *v, struct kl_error *err);
    int (*get)(struct kl_cuda_heads *heads, size_t head, float *params, float *m, float *v,
               struct kl_error *err);
    int (*steps)(struct kl_cuda_heads *heads, const struct kl_cuda_steps *steps, struct kl_error *err);
    /* The heads which[n] on n_rows rows of the features, without dropout. */
    int (*judge)(struct kl_cuda_heads *heads, const struct kl_cuda_judged *to, const int32_t *which,
                 size_t n, const int32_t *rows, size_t n_rows, struct kl_error *err);
    void (*close)(struct kl_cuda_heads **heads);
};

#endif
