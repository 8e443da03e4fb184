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
