/* SPDX-License-Identifier: MIT
   Private to the Quantum Mamba nets: their tensors, the circuits' coefficients. */
#ifndef KL_SEQUENCE_MAMBA_INT_H
#define KL_SEQUENCE_MAMBA_INT_H

#include "kernels/ssm.h"
#include "sequence/model/model_int.h"

/* ---- tensors, in the order in which blocks have them ---- */
/* Of a window's net before its layer. */
enum { KL_MAMBA_CONV, KL_MAMBA_CONV_BIAS, KL_MAMBA_BEFORE };
enum { KL_LITE_TIME, KL_LITE_MAP, KL_LITE_MAP_BIAS, KL_LITE_BEFORE };
enum { KL_MAMBA_HYBRID_MAP = KL_MAMBA_BEFORE, KL_MAMBA_HYBRID_MAP_BIAS, KL_MAMBA_HYBRID_BEFORE };
/* Of the layer, counted from there. */
enum {
    KL_MAMBA_FACTORS, /* real, imaginary of alpha, beta, gamma */
    KL_MAMBA_SKIP = 6,
    KL_MAMBA_INPUT,
    KL_MAMBA_INPUT_BIAS,
    KL_MAMBA_NORM,
    KL_MAMBA_NORM_BIAS,
    KL_MAMBA_P,
    KL_MAMBA_B,
    KL_MAMBA_C,
    KL_MAMBA_GATE,
    KL_MAMBA_HIDDEN,
    KL_MAMBA_HIDDEN_BIAS,
    KL_MAMBA_OUT,
    KL_MAMBA_OUT_BIAS,
    KL_MAMBA_LAYER /* then, of Lite, the output layer's weight and bias */
};

/* Sizes of a net, from its options and shape. */
struct mamba {
    bool lite, bare, interleaved;
    int n, layers, before; /* before: tensors before the layer */
    size_t N, features;    /* 3 n */
    size_t inputs;         /* rows of the first map: channels, or all values of a window */
    size_t middle;         /* 4 n L, between the two maps of Lite */
    size_t outputs;        /* of the layer */
    size_t lanes, ld;      /* states of a block: time steps or windows; of rows of values of them */
};
/* Rows of `lanes` values lie an odd number of 64 bytes apart: no two of them meet in one set of the
 * cache. */
static inline size_t kl_sequence_apart(size_t lanes, size_t size)
{
    return (lanes * size / 64 | 1) * 64 / size;
}
static inline struct mamba kl_sequence_mamba_sizes(const struct kl_sequence_net *net, size_t size)
{
    const struct kl_sequence_model_options *o = &net->options;
    const bool lite = net->model == &kl_sequence_mamba_lite;
    struct mamba a = { .lite = lite, .bare = o->bare, .n = o->qubits, .layers = o->layers };
    a.interleaved = !lite && o->revision == 'a';
    a.before = lite ? KL_LITE_BEFORE : o->bare ? 0 : KL_MAMBA_BEFORE;
    a.N = (size_t)1 << a.n, a.features = 3 * (size_t)a.n, a.middle = 4 * (size_t)(a.n * a.layers);
    a.inputs = net->shape.channels * (o->bare ? net->shape.steps : 1);
    a.outputs = lite ? a.features : (size_t)net->shape.classes;
    a.lanes = lite ? kl_sequence_stride(net->shape.steps) : 16;
    a.ld = kl_sequence_apart(a.lanes, size);
    return a;
}

/* ---- on a GPU ---- */
extern const struct kl_sequence_gpu kl_sequence_hybrid_gpu, kl_sequence_mamba_gpu;
/* Their circuits (mamba_gpu.c): of SSM_B 7 n layers rotations, by its own angles, then b, c, d. */
void kl_sequence_ssm_b_rotations(struct kl_cuda_rotation *to, int n, int layers);
/* Where the angles of SSM_A and GATE_A stand: of p those that act, a control's halved; what the
   controls' are with Z; b, c; the gate's; a quarter of a turn and less that. */
struct kl_sequence_ssm_angles {
    int p, less, b, c, gate, quarter, end;
};
struct kl_sequence_ssm_angles kl_sequence_ssm_angles(int n, int layers);
/* Rotations of both, *gate of them the second's; their angles are numbers from `first` on. */
size_t kl_sequence_ssm_n_rotations(int n, int layers, size_t *gate);
void kl_sequence_ssm_rotations(struct kl_cuda_rotation *to, int n, int layers, int first);
/* angles (end) from the tensors, and the derivatives by these, but by entries of p that do not act. */
void kl_sequence_ssm_give(float *angles, int n, int layers, const float *p, const float *b,
                          const float *c, const float *gate);
void kl_sequence_ssm_given(float *dp, float *db, float *dc, float *dgate, int n, int layers,
                           const float *by_angles);

/* ---- opening (mamba.c) ---- */
/* A tensor of rank 1 to 3 (d1, d2: 0 if it has none). KL_EUSAGE, KL_ENOMEM. */
int kl_sequence_add(struct kl_sequence_net *net, const char *prefix, const char *name, size_t d0,
                    size_t d1, size_t d2, struct kl_error *err);
/* Qubits, layers, revision, dropout of a net with a circuit. revisions: has it both? KL_EUSAGE. */
int kl_sequence_check_circuit(const struct kl_sequence_net *net, bool revisions, struct kl_error *err);
/* First values of a weight and of the bias behind it: uniform within 1 / sqrt(inputs). */
void kl_sequence_start_linear(const struct kl_sequence_net *net, float *params, int weight,
                              uint64_t seed, uint32_t replica);

/* ---- coefficients of SSM_A and GATE_A (plans.c) ---- */
/* Values that they take. */
static inline size_t kl_sequence_ssm_values(int n, int layers)
{
    const size_t N = (size_t)1 << n, w = (size_t)n;
    return (size_t)layers * (4 * w + 4 * N + 32) + 11 * w + 64;
}
/* p, b, c, gate: as the tensors of those names. */
#define kl_sequence_ssm_plan KL_NAME(kl_sequence_ssm_plan)
void kl_sequence_ssm_plan(struct kl_ssm_plan *plan, kl_real *values, int n, int layers, const kl_real *p,
                          const kl_real *b, const kl_real *c, const kl_real *gate);
/* Sums of kernels/ssm.h as gradients by these; all entries are set. */
#define kl_sequence_ssm_gradient KL_NAME(kl_sequence_ssm_gradient)
void kl_sequence_ssm_gradient(kl_real *dp, kl_real *db, kl_real *dc, kl_real *dgate, const kl_real *sums,
                              int n, int layers, const kl_real *p, const kl_real *b, const kl_real *c);
/* A row of 64 bytes of partial sums: halves are added to halves. */
static inline kl_real kl_sequence_row_sum(const kl_real *row)
{
    enum { WIDTH = 64 / sizeof(kl_real) };
    kl_real s[WIDTH];
    for (int l = 0; l < WIDTH; l++) s[l] = row[l];
    for (int half = WIDTH / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) s[l] += s[l + half];
    return s[0];
}

/* ---- a run of Mamba or Lite, and its parts (mamba_run.c) ---- */
enum { KL_MAMBA_GROUP = 64 / sizeof(kl_real) };
/* Places of dropout. */
enum { KL_MAMBA_AT_INPUT, KL_MAMBA_AT_HIDDEN, KL_MAMBA_AT_LOGITS };
/* One run: what it is of, and its work. */
#define kl_mamba_run KL_NAME(kl_mamba_run)
struct kl_mamba_run {
    struct mamba a;
    const struct kl_sequence_net *net;
    const kl_real *params;
    const struct kl_sequence_batch *batch;
    struct kl_sequence_result *result;
    struct kl_ssm_plan plan;
    bool circuit; /* is the gradient asked for by what stands before the features? */
    size_t groups;
    kl_real factor[6], *skip, *plan_values;
    /* maps: from the inputs to amplitudes, its gradient and the bias's; of features, in the order of
     * rows */
    kl_real *map, *bias, *G, *g, *hidden, *dhidden, *turned;
    /* rows of lanes: inputs, amplitudes before and after layer norm, measured, moduli, hidden, back */
    kl_real *x, *z, *v, *keep, *m, *states, *r, *h, *gm, *dh, *dr, *dv;
    /* lanes in rows */
    kl_real *xt, *rt, *ht;
    kl_real *sums, *norm_sums, *mix_sums, *scratch, *slopes, *each, *row, *time, *dtime, *tail;
};
static inline const kl_real *kl_sequence_mamba_tensor(const struct kl_mamba_run *u, int t)
{
    return u->params + u->net->block.tensors[t].offset;
}
static inline kl_real *kl_sequence_mamba_gradient(const struct kl_mamba_run *u, int t)
{
    return u->result->grad + u->net->block.tensors[t].offset;
}
static inline const kl_real *kl_sequence_mamba_of_layer(const struct kl_mamba_run *u, int t)
{
    return kl_sequence_mamba_tensor(u, u->a.before + t);
}
static inline kl_real *kl_sequence_mamba_layer_gradient(const struct kl_mamba_run *u, int t)
{
    return kl_sequence_mamba_gradient(u, u->a.before + t);
}

static inline void kl_sequence_mamba_drop(const struct kl_mamba_run *u, kl_real *y, int place,
                                          size_t first, size_t count)
{
    kl_sequence_drop(y, first, count, u->net, u->batch, (uint32_t)place);
}
/* tail: U (2, 3 n), its modulus, sums of hidden values over time and gradients by these, of
   complex numbers the real parts first; the gradient by the logits. sums: of the weights of time. */
#define kl_mamba_lite KL_NAME(kl_mamba_lite)
struct kl_mamba_lite {
    kl_real *U, *size, *H, *gH, *d;
    kl_real sums[2], from_bias[2]; /* from_bias: gradient by every step's weight from the bias of the
                                      layer's last map */
};

/* Lays out the work; returns how many values. */
#define kl_sequence_mamba_lay_out KL_NAME(kl_sequence_mamba_lay_out)
size_t kl_sequence_mamba_lay_out(struct kl_mamba_run *u, kl_real *work);
/* What all windows share; and gradients that are made once of the sums of a run. */
#define kl_sequence_mamba_prepare KL_NAME(kl_sequence_mamba_prepare)
void kl_sequence_mamba_prepare(struct kl_mamba_run *u);
#define kl_sequence_mamba_finish KL_NAME(kl_sequence_mamba_finish)
void kl_sequence_mamba_finish(struct kl_mamba_run *u);
/* Logits of a window from its hidden values, and what is asked of them; dht (3 n) becomes the gradient
   by these. */
#define kl_sequence_mamba_head KL_NAME(kl_sequence_mamba_head)
void kl_sequence_mamba_head(struct kl_mamba_run *u, kl_real *dht, const kl_real *ht, size_t i);
/* Of Lite: before all windows; returns the sum of |tau|. Of a window, from H; back, to gH. Behind all
   windows: from the gradients by the weights of time to those by tau. */
#define kl_sequence_mamba_lite_begin KL_NAME(kl_sequence_mamba_lite_begin)
double kl_sequence_mamba_lite_begin(struct kl_mamba_run *u, struct kl_mamba_lite *e);
#define kl_sequence_mamba_lite_head KL_NAME(kl_sequence_mamba_lite_head)
void kl_sequence_mamba_lite_head(struct kl_mamba_run *u, struct kl_mamba_lite *e, size_t i);
#define kl_sequence_mamba_lite_head_back KL_NAME(kl_sequence_mamba_lite_head_back)
void kl_sequence_mamba_lite_head_back(struct kl_mamba_run *u, struct kl_mamba_lite *e);
#define kl_sequence_mamba_lite_end KL_NAME(kl_sequence_mamba_lite_end)
void kl_sequence_mamba_lite_end(struct kl_mamba_run *u, const struct kl_mamba_lite *e, double whole);

/* ---- their tensors, the branches that no input reaches, the
   linear read-out
   ---- */

/* Of the layer, counted from net's own tensors before it: those of enum KL_MAMBA_..., KL_LITE_... */
enum {
    KL_HYBRID_W, /* of three branches */
    KL_HYBRID_BASE = 3,
    KL_HYBRID_GATE,
    KL_HYBRID_SKIP,
    KL_HYBRID_B,
    KL_HYBRID_C,
    KL_HYBRID_D,
    KL_HYBRID_INPUT,
    KL_HYBRID_INPUT_BIAS,
    KL_HYBRID_BRANCH, /* matrix and offset of each of three */
    KL_HYBRID_OUT = KL_HYBRID_BRANCH + 6,
    KL_HYBRID_OUT_BIAS,
    KL_HYBRID_LAYER /* then, of all but the bare layer, the output layer's weight and bias */
};
enum { KL_HYBRID_FILTERS = 64 };

struct hybrid {
    bool lite, bare;
    int n, layers, gate_layers, before;
    size_t features, angles; /* 3 n, 4 n L */
    size_t inputs;           /* of the first map: filters, channels, or all values of a window */
    size_t outputs, classes; /* of W_o, of the net */
    size_t lanes, ld;
};
static inline struct hybrid kl_sequence_hybrid_sizes(const struct kl_sequence_net *net, size_t size)
{
    const struct kl_sequence_model_options *o = &net->options;
    const bool lite = net->model == &kl_sequence_mamba_hybrid_lite;
    struct hybrid a = {
        .lite = lite, .bare = o->bare, .n = o->qubits, .layers = o->layers, .gate_layers = o->gate_layers
    };
    a.before = lite ? KL_LITE_BEFORE : o->bare ? 0 : KL_MAMBA_HYBRID_BEFORE;
    a.features = 3 * (size_t)a.n, a.angles = 4 * (size_t)(a.n * a.layers);
    a.inputs = o->bare ? net->shape.channels * net->shape.steps
               : lite  ? net->shape.channels
                       : KL_HYBRID_FILTERS;
    a.classes = (size_t)net->shape.classes, a.outputs = o->bare ? a.classes : a.features;
    a.lanes = lite ? kl_sequence_stride(net->shape.steps) : 16;
    a.ld = kl_sequence_apart(a.lanes, size);
    return a;
}

/* ---- GATE_B on |0>, once a run (mamba_hybrid.c) ---- */
/* m (3 n): <X> of all wires, <Y>, <Z>. g: 4 n layers angles, of which the first 3 n layers act. work: 4
   2^n + 8 n layers values, which are left for back, where dg gets the derivatives of sum(dm m), all
   entries. */
void kl_sequence_gate_b(double *m, double *work, const double *g, int n, int layers);
void kl_sequence_gate_b_back(double *dg, const double *dm, double *work, int n, int layers);

/* ---- shared angles of SSM_B (plans.c) ---- */
/* values: n (2 layers + 9); offset (4 n layers): of kernels/ssm.h's angles. base: theta_0. */
#define kl_sequence_rings_plan KL_NAME(kl_sequence_rings_plan)
void kl_sequence_rings_plan(struct kl_ssm_rings *plan, kl_real *values, kl_real *offset, int n,
                            int layers, const kl_real *base, const kl_real *b, const kl_real *c,
                            const kl_real *d);
/* From the sums of kernels/ssm.h and the gradient by theta_0. */
#define kl_sequence_rings_gradient KL_NAME(kl_sequence_rings_gradient)
void kl_sequence_rings_gradient(kl_real *db, kl_real *dc, kl_real *dd, const kl_real *dbase,
                                const kl_real *sums, int n, int layers, const kl_real *c,
                                const kl_real *d);

/* ---- what follows the circuits is linear (mamba_hybrid.c) ---- */
/* Parameters in double, what is joined of them, sums over a batch. logits = joined m + shift, m (3 n)
   the measured values of the one branch that varies. A bare layer has no W_c: P is W_o. */
struct hybrid_head {
    size_t features, outputs, classes;
    bool bare;
    double *A[3], *a[3], w[3], share[3], *Wo, *bo, *Wc, *bc;
    double *m[3]; /* m[0] is not used; measured values of the branches */
    double *P, *PA, *joined, *shift, *y[3], *constant;
    double *E, *e; /* sum of d m^T, of d: (K, 3 n), (K) */
    double *dm[3]; /* of branches 1, 2: gradients by their measured values */
    double *H, *s;
};
/* Doubles that it takes; at NULL: counts. */
size_t kl_sequence_hybrid_head_lay_out(struct hybrid_head *h, const struct hybrid *a, double *at);
/* joined, shift from the parameters and m; empties the sums. */
void kl_sequence_hybrid_head_begin(struct hybrid_head *h);
/* Gradients by all its parameters, into grads: in the places of the parameters; dm. */
struct hybrid_head_gradients {
    double *dA[3], *da[3], dw[3], *dWo, *dbo, *dWc, *dbc;
};
void kl_sequence_hybrid_head_end(struct hybrid_head *h, struct hybrid_head_gradients *g);

#endif
