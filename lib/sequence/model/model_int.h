/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: each net's table; the loss at the end of every net; dropout of inputs.
 */
#ifndef KL_SEQUENCE_MODEL_INT_H
#define KL_SEQUENCE_MODEL_INT_H

#include "sequence/model/model.h"
#include "kernels/depthwise.h"

extern const struct kl_sequence_model kl_sequence_hydra, kl_sequence_hydra_hybrid, kl_sequence_mamba,
    kl_sequence_mamba_hybrid, kl_sequence_mamba_lite, kl_sequence_mamba_hybrid_lite,
    kl_sequence_classical_mamba, kl_sequence_classical_hydra, kl_sequence_eegnet, kl_sequence_shallow,
    kl_sequence_twin, kl_sequence_means;

/* Tensor t of params: uniform in (low, high); stream: the tensor's number. (start.c) */
void kl_sequence_start(float *params, const struct kl_tensor *t, double low, double high, uint64_t seed,
                       int stream, uint32_t replica);
/* Loss of window i of a batch, whose logits (K) stand in the result: adds to loss and correct, d (K)
   becomes the gradient by the logits (NULL: not asked for). (layers.c) */
#define kl_sequence_loss KL_NAME(kl_sequence_loss)
void kl_sequence_loss(kl_real *d, struct kl_sequence_result *result,
                      const struct kl_sequence_batch *batch, size_t i, int classes);

/* Dropout of values [first, first + count) of all windows' at this place of the net, where a batch
   trains with some. (layers.c) */
#define kl_sequence_drop KL_NAME(kl_sequence_drop)
void kl_sequence_drop(kl_real *y, size_t first, size_t count, const struct kl_sequence_net *net,
                      const struct kl_sequence_batch *batch, uint32_t place);

/* What nets on a GPU have alike of its shape: qubits, sizes, dropout; all else is 0. (steps_gpu.c) */
void kl_sequence_windows_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net);

/* A workspace in pieces, each on a line of the cache: `at` bytes are taken of it; base NULL: they are
   only counted. KL_SEQUENCE_TAKE stands where `base` and `at` do. */
static inline void *kl_sequence_take(char *base, size_t *at, size_t count, size_t size)
{
    void *const here = base ? base + *at : NULL;
    *at += (count * size + 63) / 64 * 64;
    return here;
}
#define KL_SEQUENCE_TAKE(field, count) (field) = kl_sequence_take(base, &at, count, sizeof *(field))

/* Passes of nets that are compiled in both precisions, as in struct kl_sequence_model. */
#define KL_SEQUENCE_RUN(name)                                                                  \
    void kl_sequence_##name##_run_f32(struct kl_sequence_result_f32 *result,                   \
                                      const struct kl_sequence_net *net, const float *params,  \
                                      const struct kl_sequence_batch_f32 *batch, void *work);  \
    void kl_sequence_##name##_run_f64(struct kl_sequence_result_f64 *result,                   \
                                      const struct kl_sequence_net *net, const double *params, \
                                      const struct kl_sequence_batch_f64 *batch, void *work);
#define KL_SEQUENCE_PASS(name)                                                         \
    size_t kl_sequence_##name##_work_f32(const struct kl_sequence_net *net, size_t n); \
    size_t kl_sequence_##name##_work_f64(const struct kl_sequence_net *net, size_t n); \
    KL_SEQUENCE_RUN(name)
/* Its places in struct kl_sequence_model. */
#define KL_SEQUENCE_PASSES(name)                                                          \
    .work_f32 = kl_sequence_##name##_work_f32, .work_f64 = kl_sequence_##name##_work_f64, \
    .run_f32 = kl_sequence_##name##_run_f32, .run_f64 = kl_sequence_##name##_run_f64
KL_SEQUENCE_PASS(eegnet)
KL_SEQUENCE_PASS(shallow)
KL_SEQUENCE_PASS(twin)
KL_SEQUENCE_PASS(hydra)
KL_SEQUENCE_PASS(hydra_hybrid)
KL_SEQUENCE_PASS(mamba)
KL_SEQUENCE_PASS(hybrid)
KL_SEQUENCE_RUN(means)
#define kl_sequence_eegnet_work KL_NAME(kl_sequence_eegnet_work)
#define kl_sequence_eegnet_run KL_NAME(kl_sequence_eegnet_run)
#define kl_sequence_shallow_work KL_NAME(kl_sequence_shallow_work)
#define kl_sequence_shallow_run KL_NAME(kl_sequence_shallow_run)
#define kl_sequence_twin_work KL_NAME(kl_sequence_twin_work)
#define kl_sequence_twin_run KL_NAME(kl_sequence_twin_run)
#define kl_sequence_hydra_work KL_NAME(kl_sequence_hydra_work)
#define kl_sequence_hydra_run KL_NAME(kl_sequence_hydra_run)
#define kl_sequence_hydra_hybrid_work KL_NAME(kl_sequence_hydra_hybrid_work)
#define kl_sequence_hydra_hybrid_run KL_NAME(kl_sequence_hydra_hybrid_run)
#define kl_sequence_mamba_work KL_NAME(kl_sequence_mamba_work)
#define kl_sequence_mamba_run KL_NAME(kl_sequence_mamba_run)
#define kl_sequence_hybrid_work KL_NAME(kl_sequence_hybrid_work)
#define kl_sequence_hybrid_run KL_NAME(kl_sequence_hybrid_run)
#define kl_sequence_means_run KL_NAME(kl_sequence_means_run)

/* ---- batch norm (Ioffe & Szegedy 2015, arXiv:1502.03167) of features u = a v
   + k, of which v stands in memory: scales, shifts and gradients are taken by v, so what is linear
   before the norm costs nothing. In double, whatever the precision of v
   ---- */

/* The places of its four tensors in the block: weight, bias, running mean and variance. */
struct kl_sequence_norm_place {
    int gain, bias, mean, var;
};
struct kl_sequence_norm {
    size_t n;                        /* features */
    double epsilon, momentum, count; /* count: values of a feature in the batch */
    bool training;
    /* (n) each: parameters and old running statistics; u = a v + k; mean and variance of v (training),
       or 0 and that of u; 1 / sqrt(variance of u + epsilon); sums of the gradient dp by the norm's
       output, and of dp (v - mean) */
    double *gain, *bias, *old_mean, *old_var, *a, *k, *mean, *var, *inverse, *sum, *with;
};
enum { KL_SEQUENCE_NORM_ARRAYS = 11 };

/* memory: n * KL_SEQUENCE_NORM_ARRAYS doubles. a becomes 1, k 0, the sums 0. */
#define kl_sequence_norm_begin KL_NAME(kl_sequence_norm_begin)
void kl_sequence_norm_begin(struct kl_sequence_norm *norm, double *memory, size_t n,
                            const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place, const kl_real *params,
                            bool training);
/* From the windows' own means and sums of squares (windows, stride) over `steps` values each; not in
   training: mean is 0. Then `inverse`. */
#define kl_sequence_norm_gather KL_NAME(kl_sequence_norm_gather)
void kl_sequence_norm_gather(struct kl_sequence_norm *norm, const kl_real *means, const kl_real *squares,
                             size_t windows, size_t stride, size_t steps);
/* The output is v scale + shift; entries from n to `lanes` become 0. */
#define kl_sequence_norm_factors KL_NAME(kl_sequence_norm_factors)
void kl_sequence_norm_factors(kl_real *scale, kl_real *shift, kl_real *centre, size_t lanes,
                              const struct kl_sequence_norm *norm);
/* After `sum` and `with` are there: f (lanes / 16, 3, 16), gradient by v = dp f[0] + v f[1] + f[2]. */
#define kl_sequence_norm_back KL_NAME(kl_sequence_norm_back)
void kl_sequence_norm_back(kl_real *f, size_t lanes, const struct kl_sequence_norm *norm);
/* Into grad: of weight and bias; 0 for running statistics. */
#define kl_sequence_norm_gradient KL_NAME(kl_sequence_norm_gradient)
void kl_sequence_norm_gradient(kl_real *grad, const struct kl_sequence_net *net,
                               const struct kl_sequence_norm_place *place,
                               const struct kl_sequence_norm *norm);
/* Into state: the running statistics after this batch (as they were, if not in training), of a feature
   whose batch has this mean and variance. */
#define kl_sequence_norm_state KL_NAME(kl_sequence_norm_state)
void kl_sequence_norm_state(kl_real *state, const struct kl_sequence_net *net,
                            const struct kl_sequence_norm_place *place,
                            const struct kl_sequence_norm *norm);
/* Gradients of what u is made of: sums over the batch of du, and of du v, du being that by u. */
double kl_sequence_norm_du(const struct kl_sequence_norm *norm, size_t i);
double kl_sequence_norm_du_v(const struct kl_sequence_norm *norm, size_t i);
/* Four tensors "NAME.weight", ".bias" (now) and "NAME.running_mean", ".running_var" (second call, state
   true: they stand behind all parameters). */
int kl_sequence_norm_add(struct kl_sequence_norm_place *place, struct kl_sequence_net *net,
                         const char *name, size_t n, bool state, struct kl_error *err);
/* weight 1, bias 0, mean 0, variance 1. */
void kl_sequence_norm_init(float *params, const struct kl_sequence_net *net,
                           const struct kl_sequence_norm_place *place);

/* ---- the sizes of a ShallowFBCSPNet ---- */

enum { KL_FBCSP_POOL = 75, KL_FBCSP_STEP = 15 };
/* Steps of the window, behind the filters (rounded up to 16: room), behind the pool. */
struct kl_fbcsp {
    size_t filters, outputs, taps, channels, stride, steps, filtered, room, pooled;
    int classes;
    int time, time_bias, space, weight, bias; /* tensors */
    struct kl_sequence_norm_place norm;
};

/* ---- the sizes of an EEGNet, and the norm behind its temporal filters ---- */

enum {
    KL_EEGNET_SIDE = KL_DEPTHWISE_SIDE,
    KL_EEGNET_POOL = 4,
    KL_EEGNET_LAST_POOL = 8,
    KL_EEGNET_DEPTH_TAPS = 16
};
/* Signals: `outputs` = filters * depth of them, in `lanes` (a multiple of 16), `blocks` of 16. Steps: of
   the window, behind the temporal filters, the first pool, the second filters, the second pool. */
struct kl_eegnet {
    size_t filters, depth, taps, pad, outputs, blocks, lanes, channels, stride;
    size_t steps, filtered, pooled, again, last, edge;
    int classes;
    int temporal, spatial, depthwise, pointwise, weight, bias; /* tensors */
    struct kl_sequence_norm_place first, second, third;        /* temporal, bnorm_1, bnorm_2 */
};

/* ---- the norm of the temporal filters (eegnet_norm.c) ----
   Its input, every channel y through every filter, is never made: a filter's mean is its product with
   sums of the windows, the variance one with products of the windows at two lags, which are Toeplitz but
   for the ends. All in double, summed over windows. */
struct kl_eegnet_lags {
    double *lag;          /* (taps): sum of x[t] x[t + j] */
    double *head, *tail;  /* (edge, edge): of products of the first and of the last steps */
    double *sum;          /* (steps): over windows and channels */
    double *moved;        /* (taps): sum of the steps that tap j meets */
    double *product;      /* (taps, taps): sum over outputs of x at tap i times x at tap j */
    double *seen;         /* (filters, taps): product with the filters */
    double *dmean, *dvar; /* (filters): gradients by the norm's statistics */
};
size_t kl_sequence_eegnet_lags_size(const struct kl_eegnet *e); /* doubles */
/* memory becomes 0. */
void kl_sequence_eegnet_lags_place(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                   double *memory);
/* Adds one window; turned (blocks of 16 channels, steps + taps - 1, 16): its transpose, 0 behind;
   scratch: kl_sequence_eegnet_lags_scratch values. */
size_t kl_sequence_eegnet_lags_scratch(const struct kl_eegnet *e);
#define kl_sequence_eegnet_lags_add KL_NAME(kl_sequence_eegnet_lags_add)
void kl_sequence_eegnet_lags_add(struct kl_eegnet_lags *lags, const struct kl_eegnet *e,
                                 const kl_real *x, const kl_real *turned, kl_real *scratch);
/* R, and the sums that taps meet. */
void kl_sequence_eegnet_lags_products(struct kl_eegnet_lags *lags, const struct kl_eegnet *e);
/* Mean, variance and inverse of the norm for n windows, in training from the sums; filter (filters,
   taps). */
#define kl_sequence_eegnet_lags_norm KL_NAME(kl_sequence_eegnet_lags_norm)
void kl_sequence_eegnet_lags_norm(struct kl_sequence_norm *norm, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const kl_real *filter, size_t n);
/* norm->sum and with are there: dfilter (filters, taps) += what comes by way of mean and variance. */
void kl_sequence_eegnet_lags_back(double *dfilter, struct kl_eegnet_lags *lags,
                                  const struct kl_eegnet *e, const struct kl_sequence_norm *norm);
/* The same to the windows, each channel x (steps) of them: by_x[s] += level[s] + sum over |l| < taps of
   map[s][l + taps - 1] x[s + l]; map (steps, 2 taps - 1). Slow, for gradients by the input; `product` is
   used up. */
#define kl_sequence_eegnet_lags_map KL_NAME(kl_sequence_eegnet_lags_map)
void kl_sequence_eegnet_lags_map(double *map, double *level, struct kl_eegnet_lags *lags,
                                 const struct kl_eegnet *e, const struct kl_sequence_norm *norm,
                                 const kl_real *filter);
#define kl_sequence_eegnet_lags_input KL_NAME(kl_sequence_eegnet_lags_input)
void kl_sequence_eegnet_lags_input(kl_real *by_x, const double *map, const double *level,
                                   const struct kl_eegnet *e, const kl_real *x);

/* ---- of what a twin consists ---- */

/* y = W x + b of columns; tensors of the block. */
struct kl_twin_linear {
    int weight, bias;
    size_t in, out;
};
enum kl_twin_front { KL_TWIN_STEPS, KL_TWIN_DEPTHWISE, KL_TWIN_DENSE };
enum kl_twin_readout { KL_TWIN_ONE, KL_TWIN_BRANCHES, KL_TWIN_RELU };
enum kl_twin_time { KL_TWIN_COMPLEX, KL_TWIN_SOFTMAX, KL_TWIN_POOLED };
enum { KL_TWIN_CONV = 64, KL_TWIN_TAPS = 3 }; /* outputs of the dense convolution */
struct kl_twin_net {
    enum kl_twin_front front;
    enum kl_twin_readout readout;
    enum kl_twin_time time;
    bool bare;     /* the layer alone: the flattened window is one column of as many channels */
    bool norm;     /* layer norm behind the last projection */
    bool reversed; /* branch 2 has the features backwards; else constants of its own */
    size_t channels, steps, stride, columns, ld, features; /* columns: steps, or 1 behind a pool */
    int classes, n_linear;
    /* in this order, those that there are: project, angles; then read, read_more; then classify */
    struct kl_twin_linear linear[6];
    int project, angles, read, again, classify; /* of linear, -1: none */
    size_t inputs, n_weights, n_biases;         /* of the map: features = tanh(M inputs + b) */
    int map, map_bias, conv, conv_bias, gain, shift, branches, branch_biases, mix, constants, tau;
};
/* Entry e of the map stands at row, column and is value `param` of the weights. Diagonals, each through
   every input (or, of fewer inputs than features, every feature); where the weights do not suffice for
   the first one, they repeat. */
static inline size_t kl_sequence_twin_entries(const struct kl_twin_net *t)
{
    const size_t whole = t->inputs > t->features ? t->inputs : t->features;
    return t->n_weights < whole ? whole : t->n_weights;
}
static inline void kl_sequence_twin_entry(const struct kl_twin_net *t, size_t e, size_t *row,
                                          size_t *column, size_t *param)
{
    const size_t whole = t->inputs > t->features ? t->inputs : t->features, at = e % whole,
                 diagonal = e / whole;
    *row = t->inputs < t->features ? at : (at + diagonal) % t->features;
    *column = t->inputs < t->features ? (at + diagonal) % t->inputs : at;
    *param = e % t->n_weights;
}

#endif
