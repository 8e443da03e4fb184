/* SPDX-License-Identifier: MIT
   head: the hybrid head: reduction (linear layers with ReLU and dropout, tanh at the end), circuit,
   classifier. Tiers: a trained head used (qeval); a head trained (qtrain); the model's own
   functions. */
#ifndef KL_HEAD_H
#define KL_HEAD_H

#include "circuit/circuit.h"
#include "nn/nn.h"
/* (store.h is not included here: its KL_F64 is a macro in files compiled in both precisions) */
struct kl_file;

enum { KL_MAX_WIDTHS = 8, KL_HEAD_SCHEMA = 1 };

/* What a head is made of. The defaults are the reference system's: features-128-32-4, ry-ring of 4
   qubits and 3 layers, 4-16-classes. */
struct kl_head_options {
    int64_t n_qubits, n_layers;
    const char *ansatz;                /* "ry-ring" */
    int n_reduction, n_classifier;     /* hidden layers; n_classifier 0: one linear layer */
    int64_t reduction[KL_MAX_WIDTHS];  /* {128, 32} */
    int64_t classifier[KL_MAX_WIDTHS]; /* {16} */
    double dropout;                    /* after every hidden ReLU, 0.2 */
    double weight_scale;               /* circuit weights start as weight_scale * N(0, 1), 0.01 */
};
void kl_head_options_default(struct kl_head_options *o);
/* "128,32" -> widths; "" or "none" -> 0 widths. KL_EUSAGE names the option. */
int kl_head_widths(int64_t widths[KL_MAX_WIDTHS], int *n, const char *text, const char *option,
                   struct kl_error *err);

struct kl_layer {
    size_t d_in, d_out;
    int weight, bias; /* tensors of the block */
    enum kl_activation act;
    bool dropout;
};
/* Layout without values. Tensors: reduce.<i>.weight [out, in], reduce.<i>.bias, vqc.weight,
   head.<i>.weight, head.<i>.bias. */
struct kl_head_model {
    struct kl_head_options options;
    size_t n_features, n_classes;
    int n_reduce, n_head; /* linear layers */
    struct kl_layer reduce[KL_MAX_WIDTHS + 1], head[KL_MAX_WIDTHS + 1];
    int vqc; /* tensor of the circuit's weights */
    struct kl_block block;
    struct kl_circuit *circuit;
};
int kl_head_model_make(struct kl_head_model *model, const struct kl_head_options *o, size_t n_features,
                       size_t n_classes, struct kl_error *err);
void kl_head_model_free(struct kl_head_model *model);

/* ---- a trained head (load.c, logits.c) ---- In a head file every dataset of parameters and
   history has a leading dimension over replicas, of 1 too: params/<name> [R, ...] (each replica at
   its best epoch by validation), last/<name>, history/<name> [R, epochs]; besides split/validation
   [n_val] (rows of the feature file) and class_names. Root attribute `config`: JSON. */
struct kl_head {
    struct kl_head_model model;
    float *params;      /* of one replica, in memory order */
    int64_t n_replicas; /* in the file */
    char *config;       /* JSON */
};
/* replica: 0 .. n_replicas - 1. KL_EDATA, KL_EUSAGE (no such replica), KL_ENOMEM. Free with
   kl_head_free. */
int kl_head_load(struct kl_head **head, struct kl_file *file, int64_t replica, struct kl_error *err);
void kl_head_free(struct kl_head **head);
/* logits (n, n_classes) of features x (n, n_features), without dropout. Samples in blocks over the
   threads of pool (may be NULL); memory does not grow with n. KL_ENOMEM. */
int kl_head_logits(float *logits, const struct kl_head *head, const float *x, size_t n,
                   struct kl_pool *pool, struct kl_error *err);

/* ---- the model's functions, in float and double (forward.c, gradient.c) ---- */
/* Scratch, one a thread; made once, grown when needed. */
struct kl_head_work {
    struct kl_arena values, circuit;
};
int kl_head_work_init(struct kl_head_work *work, struct kl_error *err);
void kl_head_work_free(struct kl_head_work *work);

/* logits (n, n_classes) of x (n, n_features); angles and expval (n, n_qubits) too unless NULL. No
   dropout. */
int kl_head_forward_f32(float *logits, float *angles, float *expval, const struct kl_head_model *model,
                        const float *params, const float *x, size_t n, struct kl_head_work *work,
                        struct kl_error *err);
int kl_head_forward_f64(double *logits, double *angles, double *expval, const struct kl_head_model *model,
                        const double *params, const double *x, size_t n, struct kl_head_work *work,
                        struct kl_error *err);
/* grad (block.size, set) = gradient of the mean cross-entropy over the n samples. *loss: the sum
   (not the mean) in nats, *correct: how many argmax were right. dropout: rate 0 or NULL: none.
   diff: how the circuit is differentiated; the two others than adjoint are slow. */
enum kl_diff_method { KL_DIFF_ADJOINT, KL_DIFF_SHIFT, KL_DIFF_DIFFERENCES };
int kl_head_gradient_f32(float *grad, double *loss, size_t *correct, const struct kl_head_model *model,
                         const float *params, const float *x, const int32_t *labels, size_t n,
                         const struct kl_dropout *dropout, enum kl_diff_method diff,
                         struct kl_head_work *work, struct kl_error *err);
int kl_head_gradient_f64(double *grad, double *loss, size_t *correct, const struct kl_head_model *model,
                         const double *params, const double *x, const int32_t *labels, size_t n,
                         const struct kl_dropout *dropout, enum kl_diff_method diff,
                         struct kl_head_work *work, struct kl_error *err);
/* Initial values of one replica: reduction as torch's Linear (Kaiming uniform, a = sqrt 5: weight
   and bias uniform within 1 / sqrt(d_in)), circuit normal, classifier Xavier uniform with zero
   biases. params (block.size). */
void kl_head_init(float *params, const struct kl_head_model *model, uint64_t seed, uint32_t replica);

#endif
