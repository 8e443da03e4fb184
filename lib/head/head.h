/* SPDX-License-Identifier: MIT
   head: the hybrid head: reduction (linear layers with ReLU and dropout, tanh at the end), core (a
   circuit, or what is trained in its place as a control), classifier. Tiers: a trained head used
   (qeval); a head trained (qtrain; its controls: evaluate.h); the model's own functions. */
#ifndef KL_HEAD_HEAD_H
#define KL_HEAD_HEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "circuit/circuit.h"
#include "circuit/estimate.h"
#include "head/features.h"
#include "nn/nn.h"
#include "train/train.h"

/* ---- The classical twin of a circuit: a map of as many outputs from as many inputs, out = tanh(W x +
   b), with as many parameters (model.c)
   ---- */
struct kl_head_model;
struct kl_head_part;

enum { KL_TWIN_LAYERS = 2 };

/* The entries that a twin has; all others of its tensors are zero and stay zero. */
struct kl_twin {
    int n_layers;                   /* 1, or 2 where one layer cannot hold as many parameters */
    size_t hidden;                  /* width between two layers */
    size_t weights[KL_TWIN_LAYERS]; /* of each weight: how many, in the order of kl_head_twin_entry */
    size_t biases[KL_TWIN_LAYERS];  /* of each bias: the first so many */
};
/* Of n_in inputs and n_out outputs, with `count` parameters: the first diagonals whole, so that each
   input and each output takes part, then biases, then further diagonals. Exactly `count`, but where that
   is less than the first diagonals hold: then those. */
void kl_head_twin_shape(struct kl_twin *twin, size_t n_in, size_t n_out, size_t count);
size_t kl_head_twin_parameters(const struct kl_twin *twin);
/* Entry k of a matrix [d_out, d_in], along diagonals that wrap around; k below d_out * d_in meets every
   entry once. */
void kl_head_twin_entry(size_t *i, size_t *j, size_t k, size_t d_out, size_t d_in);
/* Zero in values (block.size) what the twin does not have of this part. */
void kl_head_twin_mask_f32(float *values, const struct kl_head_model *model,
                           const struct kl_head_part *part);
void kl_head_twin_mask_f64(double *values, const struct kl_head_model *model,
                           const struct kl_head_part *part);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_head_twin_mask KL_NAME(kl_head_twin_mask)

/* ---- the head ---- */
struct kl_writer;
struct kl_kind;
struct kl_metric;
struct kl_device;
struct kl_head_gpu;

enum { KL_MAX_WIDTHS = 8, KL_HEAD_SCHEMA = 1 };

/* The part between the reduction and the classifier. */
enum kl_core {
    KL_CORE_CIRCUIT, /* the circuit, trained */
    KL_CORE_TWIN,    /* a linear-tanh map with as many parameters as the circuit (kl_twin) */
    KL_CORE_FROZEN,  /* the circuit; weights uniform within pi, drawn once a replica, never moved */
    KL_CORE_NONE,    /* nothing, and no reduction: a linear probe of the features */
    KL_CORES
};
extern const char *const kl_core_names[KL_CORES];

/* How the weights of a circuit that is trained begin. */
enum kl_init {
    KL_INIT_NORMAL,   /* weight_scale * N(0, 1): small angles */
    KL_INIT_UNIFORM,  /* within pi */
    KL_INIT_IDENTITY, /* layers uniform within pi, those that mirror them undoing them, all else 0 (Grant
                         et al. 2019, arXiv:1903.05076): the state is the embedded one */
};

enum kl_diff_method { KL_DIFF_ADJOINT, KL_DIFF_SHIFT, KL_DIFF_DIFFERENCES, KL_DIFF_SPSA };

/* The structure of a head. The defaults are the reference system's: features-128-32-4, ry-ring of 4
   qubits and 3 layers, 4-16-classes. */
struct kl_head_options {
    struct kl_circuit_options circuit;
    enum kl_core core;
    int n_reduction, n_classifier;     /* hidden layers; n_classifier 0: one linear layer */
    int64_t reduction[KL_MAX_WIDTHS];  /* {128, 32} */
    int64_t classifier[KL_MAX_WIDTHS]; /* {16} */
    double dropout;                    /* after every hidden ReLU, 0.2 */
    double weight_scale;               /* circuit and twin start as weight_scale * N(0, 1), 0.01 */
    enum kl_init init;                 /* of the circuit */
    int64_t grow; /* epochs after which the next layers of the circuit join (train.c); 0: all at once */
    enum kl_diff_method diff; /* of the circuit, while it trains */
    size_t shots;     /* measurements an evaluation while it trains; 0: exact expectation values */
    double spsa_step; /* of KL_DIFF_SPSA, radians, 0.1 */
    int64_t spsa_directions; /* a sample and step, 1 */
};
void kl_head_options_default(struct kl_head_options *o);
/* "128,32" -> widths; "" or "none" -> 0 widths. KL_EUSAGE names the option. */
int kl_head_widths(int64_t widths[KL_MAX_WIDTHS], int *n, const char *text, const char *option,
                   struct kl_error *err);

/* The same out of a head file's configuration (jansson), which must outlive them and the widths' texts;
   path is for the message. KL_EDATA, KL_ENOMEM. */
struct json_t;
int kl_head_config(struct kl_head_options *o, const char **reduction, const char **classifier,
                   const struct json_t *config, const char *path, struct kl_error *err);

struct kl_layer {
    size_t d_in, d_out;
    int weight, bias; /* tensors of the block */
    enum kl_activation act;
    bool dropout;
};
/* Layout without values. Tensors: reduce.<i>.weight [out, in], reduce.<i>.bias, vqc.weight or
   twin.<i>.weight and twin.<i>.bias, head.<i>.weight, head.<i>.bias. */
struct kl_head_model {
    struct kl_head_options
        options; /* the circuit's, whose texts then must outlive it, only if it grows */
    size_t n_features, n_classes;
    size_t n_angles, n_expval;    /* inputs and outputs of the core; 0 without one */
    int n_reduce, n_twin, n_head; /* linear layers */
    struct kl_layer reduce[KL_MAX_WIDTHS + 1], twin[KL_TWIN_LAYERS], head[KL_MAX_WIDTHS + 1];
    struct kl_twin shape; /* of the twin */
    int vqc;              /* tensor of the circuit's weights; -1: no circuit */
    struct kl_block block;
    struct kl_circuit *circuit; /* NULL: none */
};
int kl_head_model_make(struct kl_head_model *model, const struct kl_head_options *o, size_t n_features,
                       size_t n_classes, struct kl_error *err);
void kl_head_model_free(struct kl_head_model *model);
size_t kl_head_parameters(const struct kl_head_model *model); /* that training moves */

/* Growth (Skolik et al. 2021, arXiv:2006.14904): training begins with the circuit's first layers, and
   every `grow` epochs the next ones join (kl_circuit_growth). Stage of an epoch, from 0; the first epoch
   of a stage; how many stages there are, 1: it does not grow. */
int64_t kl_head_stages(const struct kl_head_model *model);
/* Can a head of these options grow, and within so many epochs? KL_EUSAGE. */
int kl_head_growth_check(const struct kl_head_options *o, int64_t epochs, struct kl_error *err);

/* ---- a trained head (file.c, logits.c) ---- In a head file every dataset of parameters and
   history has a leading dimension over replicas, of 1 too: params/<name> [R, ...] (each replica at
   its best epoch by validation), last/<name>, history/<name> [R, epochs], history/gradient_norm [R,
   epochs, groups] and history/gradient_group [groups], their names; besides split/validation
   [n_val] (rows of the feature file) and class_names. Root attribute `config`: JSON. */
struct kl_head {
    struct kl_head_model model;
    float *params;                   /* of one replica, in memory order */
    int64_t n_replicas;              /* in the file */
    char *config;                    /* JSON */
    char *noise;                     /* of the circuit as it was loaded, for kl_circuit_noise_label */
    size_t shots;                    /* that it was trained with; 0: exact values */
    struct kl_judge_progress *meter; /* (hidden) of kl_conditions */
};
enum { KL_TRAJECTORIES_JUDGED = 100 };
/* How its circuit is run, where that is not as it was trained. */
struct kl_conditions {
    const char *noise; /* a text of kl_circuit_noise_text; NULL: what it was trained with */
    int fold;          /* of kl_circuit_options */
    bool perfect_readout;
    size_t trajectories;   /* 0: KL_TRAJECTORIES_JUDGED, where the density matrix is too large */
    struct kl_draws draws; /* of them */
    struct kl_judge_progress *meter; /* told of each block of samples by kl_head_logits; NULL: none */
};
/* replica: 0 .. n_replicas - 1; control: NULL, or the name of the control's core instead of the head.
   how: NULL, as it was trained. KL_EDATA, KL_EUSAGE (no such replica), KL_ENOMEM. Free with
   kl_head_free. */
int kl_head_load(struct kl_head **head, struct kl_file *file, const char *control, int64_t replica,
                 const struct kl_conditions *how, struct kl_error *err);
void kl_head_free(struct kl_head **head);
/* logits (n, n_classes) and outputs of the core (n, n_expval), each unless NULL, of features
   x (n, n_features), without dropout. shots may be NULL. Samples in
   blocks over the threads of pool (may be NULL); memory does not grow with n. KL_ENOMEM; KL_EUSAGE:
   shots of a circuit of more qubits than have probabilities. */
int kl_head_logits(float *logits, float *outputs, const struct kl_head *head, const float *x, size_t n,
                   const struct kl_shots *shots, struct kl_pool *pool, struct kl_error *err);
/* logits from given outputs of the core (n, n_expval). KL_ENOMEM. */
int kl_head_classify_outputs(float *logits, const struct kl_head *head, const float *outputs, size_t n,
                             struct kl_error *err);

/* ---- training (train.c, step.c, validate.c, file.c): a learner of lib/train ---- */
enum kl_history_row {
    KL_TRAIN_LOSS,
    KL_TRAIN_ACCURACY,
    KL_VAL_LOSS,
    KL_VAL_ACCURACY,
    KL_LEARNING_RATE,
    KL_HISTORY_ROWS
};
extern const struct kl_train_row kl_head_history_rows[KL_HISTORY_ROWS];
extern const struct kl_kind kl_head_kind, kl_checkpoint_kind; /* what their files show (store/kind.h) */

/* Groups of parameters whose gradients' norms are recorded (parts.c): a linear layer with its bias, or a
   layer of the circuit's ansatz (all weights of OpenQASM), in the order in which samples pass them.
   Names: "reduce.0", "circuit.2", "twin.0", "head.1". */
enum { KL_GROUP_NAME = 24 };
size_t kl_head_n_groups(const struct kl_head_model *model);
void kl_head_group_name(char name[KL_GROUP_NAME], const struct kl_head_model *model, size_t group);

struct kl_head_train {
    struct kl_train loop;        /* replicas, position, history */
    struct kl_learner learner;   /* (hidden) */
    struct kl_head_model *whole; /* the model */
    struct kl_head_model *model; /* the same or, while its circuit grows, `stage` */
    struct kl_head_model stage;  /* (hidden) with the circuit of the stage */
    const struct kl_features *features;
    int64_t *training, *validation, *order;
    size_t n_training, n_validation;
    double *norms; /* [replicas, epochs, groups] mean over an epoch's steps of the gradient's L2 norm,
                      before clipping; NaN where no epoch was */
    struct kl_metric *metric;    /* (hidden) of natural gradients; NULL: none are taken */
    struct kl_measured measured; /* (hidden) with shots */
    float *batches; /* (hidden) gathered for the next learner.ahead steps; rows lie ldx apart */
    size_t ldx;
    int32_t *batch_labels;          /* (hidden) */
    struct kl_head_thread *threads; /* (hidden) */
    const struct kl_device *device; /* where steps are taken (gpu.h); NULL: the CPU */
    struct kl_head_gpu *gpu;        /* (hidden) while they are, on a GPU */
    const struct kl_log *log;       /* where is said what a GPU had no memory for; NULL: nowhere */
};
/* train's lists of rows, of its features, by the options' fold or fraction; malloc'ed. KL_EDATA,
 * KL_ENOMEM. */
int kl_head_split(struct kl_head_train *train, const struct kl_train_options *options,
                  struct kl_error *err);
/* Split, initial values, workspace. model and features must outlive it. KL_EDATA, KL_EUSAGE, KL_ENOMEM.
 */
int kl_head_train_open(struct kl_head_train *train, struct kl_head_model *model,
                       const struct kl_features *features, const struct kl_train_options *options,
                       int n_threads, struct kl_error *err);
/* Choose where kl_train_run(&train->loop, ...) takes the steps; NULL: on the CPU, as by default. */
void kl_head_train_on(struct kl_head_train *train, const struct kl_device *device);
void kl_head_train_close(struct kl_head_train *train);
/* Norms of epoch e of replica r. */
static inline double *kl_head_norms(const struct kl_head_train *train, int64_t r, int64_t e)
{
    return train->norms + (size_t)(r * train->loop.options.epochs + e) * kl_head_n_groups(train->whole);
}
/* At the best epoch of replica r, which has ended one; there must be validation samples. */
double kl_head_val_accuracy(const struct kl_head_train *train, int64_t r);
/* Put all datasets and the attribute `config` into a head or checkpoint file. */
int kl_head_train_save(struct kl_writer *writer, const struct kl_head_train *train, const char *config,
                       struct kl_error *err);
/* The training of a control, into the group controls/<its core>. whole: all from which it can go on, as
   a checkpoint needs it; else parameters of the best epoch, history and numbers of each replica. */
int kl_head_train_save_control(struct kl_writer *writer, const struct kl_head_train *train, bool whole,
                               struct kl_error *err);
/* Take the state from such a file, whose key the caller has compared. KL_EDATA if the shapes differ. */
int kl_head_train_restore(struct kl_head_train *train, struct kl_file *file, struct kl_error *err);
int kl_head_train_restore_control(struct kl_head_train *train, struct kl_file *file,
                                  struct kl_error *err);

/* ---- the model's functions, in float and double (gradient.c) ---- */
/* Scratch, one a thread; made once, grown when needed. */
struct kl_head_work {
    struct kl_arena values, circuit;
    struct kl_head_laps *laps; /* NULL: nobody asks where the time goes */
};
/* Of steps of training: seconds that their parts took, each from the end of the part before it. */
enum kl_head_phase {
    KL_HEAD_REDUCTION,
    KL_HEAD_CORE,
    KL_HEAD_CLASSIFIER, /* and the loss */
    KL_HEAD_CLASSIFIER_BACK,
    KL_HEAD_CORE_BACK,
    KL_HEAD_REDUCTION_BACK,
    KL_HEAD_SUMS,   /* gradients of the weights, over the batch */
    KL_HEAD_UPDATE, /* and what else a step does */
    KL_HEAD_PHASES
};
struct kl_head_laps {
    double since, seconds[KL_HEAD_PHASES];
    uint64_t steps;
};
static inline void kl_head_lap(const struct kl_head_work *work, enum kl_head_phase phase)
{
    if (!work->laps) return;
    const double now = kl_clock();
    work->laps->seconds[phase] += now - work->laps->since;
    work->laps->since = now;
}
int kl_head_work_init(struct kl_head_work *work, struct kl_error *err);
void kl_head_work_free(struct kl_head_work *work);

/* logits (n, n_classes) of x (n, n_features); angles (n, n_angles) and expval (n, n_expval) too unless
   NULL. No dropout. */
int kl_head_forward_f32(float *logits, float *angles, float *expval, const struct kl_head_model *model,
                        const float *params, const float *x, size_t n, struct kl_head_work *work,
                        struct kl_error *err);
int kl_head_forward_f64(double *logits, double *angles, double *expval,
                        const struct kl_head_model *model, const double *params, const double *x,
                        size_t n, struct kl_head_work *work, struct kl_error *err);
/* How the circuit of a head is differentiated, and whether its outputs are measured. Without shots the
   estimator is that of spsa alone. */
struct kl_head_diff {
    enum kl_diff_method method;
    struct kl_estimator estimator; /* circuit and inputs_only are filled in */
};
/* grad (block.size, set) = gradient of the mean cross-entropy over the n samples. *loss: the sum
   (not the mean) in nats, *correct: how many argmax were right; no dropout. diff: how the circuit, if
   there is one, is differentiated; NULL: by the adjoint. What is frozen has zeros. */
int kl_head_gradient_f32(float *grad, double *loss, size_t *correct, const struct kl_head_model *model,
                         const float *params, const float *x, const int32_t *labels, size_t n,
                         const struct kl_head_diff *diff, struct kl_head_work *work,
                         struct kl_error *err);
int kl_head_gradient_f64(double *grad, double *loss, size_t *correct, const struct kl_head_model *model,
                         const double *params, const double *x, const int32_t *labels, size_t n,
                         const struct kl_head_diff *diff, struct kl_head_work *work,
                         struct kl_error *err);
/* The same; logits (n, n_classes) too unless NULL. */
int kl_head_gradient_logits_f32(float *grad, float *logits, double *loss, size_t *correct,
                                const struct kl_head_model *model, const float *params, const float *x,
                                const int32_t *labels, size_t n, const struct kl_head_diff *diff,
                                struct kl_head_work *work, struct kl_error *err);
int kl_head_gradient_logits_f64(double *grad, double *logits, double *loss, size_t *correct,
                                const struct kl_head_model *model, const double *params, const double *x,
                                const int32_t *labels, size_t n, const struct kl_head_diff *diff,
                                struct kl_head_work *work, struct kl_error *err);
/* A view of the model from its core on, whose input x (n, n_angles) are the angles; or, `behind` it, of
   the classifier alone, whose input is (n, n_expval): where what stands before is fixed, it need be
   computed once. Same block; nothing of the view is freed. The model must have a core. (model.c) */
struct kl_head_model kl_head_view(const struct kl_head_model *model, bool behind);
/* Initial values of one replica: reduction as torch's Linear (Kaiming uniform, a = sqrt 5: weight and
   bias uniform within 1 / sqrt(d_in)), circuit as options.init or (frozen) uniform, twin normal around
   handing its inputs on, classifier Xavier uniform with zero biases; learnable scales of inputs 1.
   Reduction and classifier begin at the same values whatever the core between them. What joins a growing
   circuit later begins at 0, unless it begins as the identity. params (block.size). */
void kl_head_init(float *params, const struct kl_head_model *model, uint64_t seed, uint32_t replica);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_head_forward KL_NAME(kl_head_forward)
#define kl_head_gradient KL_NAME(kl_head_gradient)
#define kl_head_gradient_logits KL_NAME(kl_head_gradient_logits)

#endif
