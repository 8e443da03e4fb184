/* SPDX-License-Identifier: MIT
   nn: what small networks are made of: one block of parameters with a table, linear layers, loss,
   optimisers, schedules, the order of samples. Numerics in float and double (_f32, _f64). Every random
   number is Philox4x32-10 with key = seed and counter = (index, purpose, step, replica), so that nothing
   depends on threads or on what ran before. */
#ifndef KL_NN_NN_H
#define KL_NN_NN_H

#include "base/base.h"
#include "kernels/optim.h"

/* ---- the block of parameters (block.c, linear.c) ---- */
/* One tensor of a block. Files hold it in the field's order (a weight is [out, in]), and so does memory
   but for the weights of linear layers: these lie as strips of KL_STRIP outputs (the last may be
   narrower), each [in, width]: products walk through it from one end to the other without packing, and a
   strip is a part that a thread can take. */
enum { KL_STRIP = 32, KL_TENSOR_RANK = 4 };
struct kl_tensor {
    char name[48];
    int rank;                    /* 1 to KL_TENSOR_RANK */
    size_t dims[KL_TENSOR_RANK]; /* as in files; 1 from the rank on */
    bool strips;                 /* of rank 2, the weight of a linear layer */
    size_t offset, size;         /* in values of the block */
};
/* The place of entry (i, j) of the file in memory, counted from the tensor's offset. Of rank 3 or 4
   entry (i, j) is value j of part i of the first dimension. */
size_t kl_nn_tensor_index(const struct kl_tensor *t, size_t i, size_t j);
struct kl_block {
    struct kl_tensor *tensors;
    int n, room; /* room: (hidden) of the table */
    size_t
        size; /* values in all, padding (kept at 0) included: tensors start at multiples of 16 values */
};
/* Append a tensor: of any kind, in memory as in files; the weight (d0 outputs, d1 inputs) or, of rank 1,
   bias of a linear layer. Returns its number, or KL_EUSAGE when a size is 0 or too large, KL_ENOMEM.
   Free the block in any case. */
int kl_nn_block_add_tensor(struct kl_block *block, const char *name, int rank, const size_t *dims,
                           struct kl_error *err);
int kl_nn_block_add(struct kl_block *block, const char *name, int rank, size_t d0, size_t d1,
                    struct kl_error *err);
void kl_nn_block_free(struct kl_block *block);                        /* of its table */
int kl_nn_block_find(const struct kl_block *block, const char *name); /* its number, or -1 */
/* Between a tensor inside a block and `file`, t->size values in the file's order. */
void kl_nn_tensor_to_file_f32(float *file, const struct kl_tensor *t, const float *block);
void kl_nn_tensor_to_file_f64(double *file, const struct kl_tensor *t, const double *block);
void kl_nn_tensor_from_file_f32(float *block, const struct kl_tensor *t, const float *file);
void kl_nn_tensor_from_file_f64(double *block, const struct kl_tensor *t, const double *file);

/* ---- initial values (block.c) ---- */
/* Uniform in (-bound, bound), and normal(0, sigma) by Box and Muller (1958), drawn in the file's order
   into the tensor's place in the block. stream: number of the tensor. */
void kl_nn_init_uniform(float *block, const struct kl_tensor *t, double bound, uint64_t seed,
                        uint32_t stream, uint32_t replica);
void kl_nn_init_normal(float *block, const struct kl_tensor *t, double sigma, uint64_t seed,
                       uint32_t stream, uint32_t replica);

/* ---- linear layers (linear.c) ---- */
enum kl_activation { KL_ACT_NONE, KL_ACT_RELU, KL_ACT_TANH };
struct kl_dropout {
    double rate; /* 0: none */
    uint64_t seed;
    uint32_t layer, step, replica;
    size_t row; /* of the batch, at which y begins */
};
/* Rates are counted in 65536ths: 16-bit numbers below the threshold drop; the scale of what stays is
   that of the rate so rounded, hence unbiased. */
enum { KL_DROPOUT_STEPS = 65536 };
static inline uint32_t kl_nn_dropout_threshold(double rate)
{
    return (uint32_t)(rate * KL_DROPOUT_STEPS + 0.5);
}
static inline double kl_nn_dropout_scale(double rate)
{
    return (double)KL_DROPOUT_STEPS / (KL_DROPOUT_STEPS - kl_nn_dropout_threshold(rate));
}
/* Weights lie in strips; rows of x lie ldx apart. y (n, d_out) = dropout(act(x (n, d_in) w (d_in, d_out)
   + b)), d_out <= 65536; dropout (NULL: none) scales what stays by 1 / (1 - rate) and acts on
   KL_ACT_RELU only. */
void kl_nn_linear_forward_f32(float *y, const float *x, size_t ldx, const float *w, const float *b,
                              size_t n, size_t d_in, size_t d_out, enum kl_activation act,
                              const struct kl_dropout *dropout);
void kl_nn_linear_forward_f64(double *y, const double *x, size_t ldx, const double *w, const double *b,
                              size_t n, size_t d_in, size_t d_out, enum kl_activation act,
                              const struct kl_dropout *dropout);
/* The way back, in parts: rows of a batch are independent of each other but for the sums in weights and
   biases, which run over samples in rising order. dy (count), the gradient at a layer's output y,
   becomes that before dropout and activation; rate: of the forward's dropout. */
void kl_nn_activation_backward_f32(float *dy, const float *y, size_t count, enum kl_activation act,
                                   double rate);
void kl_nn_activation_backward_f64(double *dy, const double *y, size_t count, enum kl_activation act,
                                   double rate);
/* dx (n, d_in) = dy (n, d_out) w^T; wt: scratch of d_in * d_out values. */
void kl_nn_linear_inputs_f32(float *dx, float *wt, const float *dy, const float *w, size_t n,
                             size_t d_in, size_t d_out);
void kl_nn_linear_inputs_f64(double *dx, double *wt, const double *dy, const double *w, size_t n,
                             size_t d_in, size_t d_out);
/* Strips [from, to) of dw (d_in, d_out) = x (n, d_in)^T dy (n, d_out). */
void kl_nn_linear_weights_f32(float *dw, const float *x, size_t ldx, const float *dy, size_t n,
                              size_t d_in, size_t d_out, size_t from, size_t to);
void kl_nn_linear_weights_f64(double *dw, const double *x, size_t ldx, const double *dy, size_t n,
                              size_t d_in, size_t d_out, size_t from, size_t to);
/* db (d_out) = sum over the rows of dy. */
void kl_nn_linear_biases_f32(float *db, const float *dy, size_t n, size_t d_out);
void kl_nn_linear_biases_f64(double *db, const double *dy, size_t n, size_t d_out);

/* ---- loss (linear.c) ---- */
/* Sum of -log softmax(logits)[label] over n samples, in nats; *correct (may be NULL) counts argmax
   = label. d (n, classes), unless NULL, becomes the gradient of sum * scale. Labels must lie in [0,
   classes). */
double kl_nn_cross_entropy_f32(float *d, size_t *correct, const float *logits, const int32_t *labels,
                               size_t n, size_t classes, double scale);
double kl_nn_cross_entropy_f64(double *d, size_t *correct, const double *logits, const int32_t *labels,
                               size_t n, size_t classes, double scale);

/* ---- optimisers (schedule.c: the factors of a step; linear.c: the step) ---- */
/* KL_QNG and KL_ROTOSOLVE are Adam here, KL_SPSA is SGD: how the circuit's weights are moved, and whence
   the gradient, is said by lib/head/step.c, rotosolve.c, spsa.c. */
enum kl_optimizer_kind { KL_SGD, KL_ADAM, KL_ADAMW, KL_QNG, KL_ROTOSOLVE, KL_SPSA };
#define KL_OPTIMIZER_NAMES "sgd|adam|adamw|qng|rotosolve|spsa" /* in the order of the kinds */
struct kl_optimizer {
    enum kl_optimizer_kind kind;
    double momentum;                   /* SGD (heavy ball, as torch.optim.SGD) */
    double beta1, beta2, epsilon;      /* Adam (Kingma & Ba 2014, arXiv:1412.6980) */
    double weight_decay;               /* added to the gradient; AdamW: decoupled (Loshchilov & Hutter,
                                          arXiv:1711.05101) */
    double clip;                       /* largest norm of the whole gradient; 0: no clipping */
    double clip_epsilon;               /* added to the norm before, as PyTorch's 1e-6; 0: nothing */
    double natural_lr, natural_lambda; /* of the circuit's weights under KL_QNG */
    double spsa_c;                     /* first perturbation of every parameter under KL_SPSA */
};
void kl_nn_optimizer_default(struct kl_optimizer *o); /* Adam, 0.9, 0.999, 1e-8, no decay, no clipping */
/* The factors common to all parameters at step `step` (from 1) at rate lr, before clipping. */
struct kl_update {
    enum kl_optimizer_kind kind;
    struct kl_adam_factors adam;
    struct kl_sgd_factors sgd;
};
struct kl_update kl_nn_update_at(const struct kl_optimizer *o, double lr, uint64_t step);
/* Clip the update by the norm of the whole gradient (n values) where o asks for it. */
void kl_nn_update_clip_f32(struct kl_update *u, const struct kl_optimizer *o, const float *grad,
                           size_t n);
void kl_nn_update_clip_f64(struct kl_update *u, const struct kl_optimizer *o, const double *grad,
                           size_t n);
/* Update n parameters; returns the sum of the gradient's squares, before clipping. m, v: the moments
   (SGD: m is the velocity, v unused), zeros before the first step. */
double kl_nn_update_apply_f32(float *params, float *m, float *v, const float *grad, size_t n,
                              const struct kl_update *u);
double kl_nn_update_apply_f64(double *params, double *m, double *v, const double *grad, size_t n,
                              const struct kl_update *u);

/* ---- minima of rotations (schedule.c) ---- */
enum { KL_TRIG_POINTS = 512 };
/* values (n) of a function at angles (n), n <= KL_TRIG_POINTS. */
typedef int (*kl_trig_values_fn)(double *values, const double *angles, size_t n, void *context,
                                 struct kl_error *err);
/* *at in [-pi, pi]: where a function with period 2 pi, no finer than cosines of `degree` turns, is
   smallest; 0 if nothing is smaller. What values_of returns, if not 0. */
int kl_nn_trig_minimum(double *at, size_t degree, kl_trig_values_fn values_of, void *context,
                       struct kl_error *err);

/* ---- linear systems of natural gradients (schedule.c) ---- */
/* Lower triangle of a symmetric matrix (n, n), row i from column first[i] <= i, before which all is 0:
   entry (i, j) at start[i] + j - first[i]. */
struct kl_nn_skyline {
    size_t n, size; /* size: entries kept */
    const size_t *first, *start;
};
/* first is kept, start is taken from memory. KL_ENOMEM. */
int kl_nn_skyline_make(struct kl_nn_skyline *e, size_t n, const size_t *first, struct kl_arena *memory,
                       struct kl_error *err);
/* x (n), the right-hand side, becomes (a + shift I)^-1 x; a (size) is used up. NaN where a + shift I is
   not positive definite. */
void kl_nn_skyline_solve(double *x, double *a, const struct kl_nn_skyline *e, double shift);

/* ---- learning rates (schedule.c) ---- */
enum kl_schedule_kind { KL_CONSTANT_RATE, KL_STEP_RATE, KL_COSINE_RATE, KL_PLATEAU_RATE };
struct kl_schedule {
    enum kl_schedule_kind kind;
    double lr, min_lr;
    int64_t warmup;   /* epochs over which the rate rises in a line from 0, step by step; any kind */
    int64_t period;   /* step: epochs between reductions */
    int64_t patience; /* plateau: epochs without improvement before a reduction */
    double factor;    /* step and plateau: what a reduction multiplies by */
    double threshold; /* plateau: the part by which an epoch has to be better; 0: as the best one is */
};
void kl_nn_schedule_default(struct kl_schedule *s); /* constant, 1e-3 */
/* The rate of step `step` (from 0) of `epoch` (from 0): cosine falls from lr to min_lr between the
   warm-up and the last step (Loshchilov & Hutter 2016, arXiv:1608.03983). reductions: how many the
   plateau rule has made. */
double kl_nn_schedule_rate(const struct kl_schedule *s, int64_t epoch, int64_t step,
                           int64_t steps_per_epoch, int64_t epochs, int64_t reductions);

/* ---- order of samples (batch.c) ---- */
/* Stratified split: round(n * fraction) of n samples go to validation, from each class its share to
   within one. Both lists, rising, are malloc'ed. KL_EDATA if a list would be empty while fraction >
   0, KL_ENOMEM. */
int kl_nn_split_stratified(int64_t **training, size_t *n_training, int64_t **validation,
                           size_t *n_validation, const int32_t *labels, size_t n, size_t classes,
                           double fraction, uint64_t seed, struct kl_error *err);
/* The same of one of `folds` parts, from 0: every sample is in the validation of one fold, each class is
   spread over them to within one, and their sizes differ by one at most. KL_EDATA: an empty list. */
int kl_nn_split_fold(int64_t **training, size_t *n_training, int64_t **validation, size_t *n_validation,
                     const int32_t *labels, size_t n, size_t classes, size_t fold, size_t folds,
                     uint64_t seed, struct kl_error *err);
/* order becomes a random permutation of `from` (n values) for this epoch (Fisher and Yates). */
void kl_nn_shuffle(int64_t *order, const int64_t *from, size_t n, uint64_t seed, uint32_t epoch);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_nn_tensor_from_file KL_NAME(kl_nn_tensor_from_file)
#define kl_nn_tensor_to_file KL_NAME(kl_nn_tensor_to_file)
#define kl_nn_linear_forward KL_NAME(kl_nn_linear_forward)
#define kl_nn_activation_backward KL_NAME(kl_nn_activation_backward)
#define kl_nn_linear_inputs KL_NAME(kl_nn_linear_inputs)
#define kl_nn_linear_weights KL_NAME(kl_nn_linear_weights)
#define kl_nn_linear_biases KL_NAME(kl_nn_linear_biases)
#define kl_nn_cross_entropy KL_NAME(kl_nn_cross_entropy)
#define kl_nn_update_clip KL_NAME(kl_nn_update_clip)
#define kl_nn_update_apply KL_NAME(kl_nn_update_apply)

/* ---- mersenne: the Mersenne Twister as numpy.random.RandomState draws from it. It carries state, so it
   serves to repeat what others drew; random numbers of our own are Philox's
   ---- */
struct kl_nn_mersenne {
    uint32_t state[624];
    int at;
    bool has_normal;
    double normal; /* the second of a pair */
};
/* Matsumoto and Nishimura 1998, init_genrand of 2002. */
void kl_nn_mersenne_seed(struct kl_nn_mersenne *m, uint32_t seed);
uint32_t kl_nn_mersenne_word(struct kl_nn_mersenne *m);
/* In [0, 1), 53 bits of two words; at most `most`, by masking and rejection. */
double kl_nn_mersenne_unit(struct kl_nn_mersenne *m);
uint32_t kl_nn_mersenne_below(struct kl_nn_mersenne *m, uint32_t most);
/* Standard normal, by Marsaglia's polar method. */
double kl_nn_mersenne_normal(struct kl_nn_mersenne *m);
/* values (n <= 2^32) in a random order, as RandomState.permutation: Fisher and Yates from the last on.
 */
void kl_nn_mersenne_permute(struct kl_nn_mersenne *m, int64_t *values, size_t n);

#endif
