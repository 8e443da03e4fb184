/* SPDX-License-Identifier: MIT
   Private to the Quantum Mamba Hybrid nets: their tensors, the branches that no input reaches, the
   linear read-out. */
#ifndef KL_SEQUENCE_MAMBA_HYBRID_INT_H
#define KL_SEQUENCE_MAMBA_HYBRID_INT_H

#include "sequence/model/mamba_int.h"

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
