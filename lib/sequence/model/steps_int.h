/* SPDX-License-Identifier: MIT
   Private to lib/sequence/model: what nets share whose circuits run once a timestep, their angles theta
   = c sigma(W x_t + b) + theta_0 from one linear map of the window. A window is the unit of work. */
#ifndef KL_SEQUENCE_STEPS_INT_H
#define KL_SEQUENCE_STEPS_INT_H

#include <complex.h>

#include "kernels/cuda_windows.h"
#include "kernels/ring.h"
#include "sequence/model/model_int.h"

enum { KL_SEQUENCE_TENSORS = 24 };
/* The tensors of a net, and the tables of its circuit. -1: a tensor that it has not. */
struct kl_sequence_steps {
    struct kl_ring ring;
    size_t angles, n_rows, outputs; /* 4 n L, rows of half angles, 3 n */
    size_t inputs, lengths;         /* of a window: channels and steps; of a bare layer: C T and 1 */
    struct kl_ring_row *rows;
    uint32_t *row_of, *pairs;
    size_t n_pairs;
    /* projections, circuit, read-out; branches: alpha, beta, gamma or w1, w2, w3 */
    int tau, wp, bp, base, qd, wf, bf, wo, bo, wc, bc, branch[3], matrix[3], offset[3];
    double low[KL_SEQUENCE_TENSORS],
        high[KL_SEQUENCE_TENSORS]; /* first values are uniform between them */
};

/* ---- tables and tensors (steps.c) ---- */
/* Names of the branches' weights and, where they have some, matrices. Weights of branches and of time
   are complex and begin at random, or are real and begin equal. */
struct kl_sequence_branches {
    bool complex_;
    const char *weight[3], *matrix[3];
};
/* net->own becomes one; kl_sequence_steps_close is the model's close. KL_EUSAGE, KL_ENOMEM. */
int kl_sequence_steps_open(struct kl_sequence_net *net, const struct kl_sequence_branches *branches,
                           struct kl_error *err);
void kl_sequence_steps_close(struct kl_sequence_net *net);
/* The model's init. */
void kl_sequence_steps_init(const struct kl_sequence_net *net, float *params, uint64_t seed,
                            uint32_t replica);

/* ---- memory in pieces ---- */
/* base NULL: counts alone. */
struct kl_sequence_pieces {
    char *base;
    size_t used;
};
static inline void *kl_sequence_piece(struct kl_sequence_pieces *p, size_t count, size_t size)
{
    void *at = p->base ? p->base + p->used : NULL;
    p->used += (count * size + 63) / 64 * 64;
    return at;
}

/* ---- a window's circuits, both precisions (steps_run.c) ---- */
#define KL_SEQUENCE_RUN_TYPES(real, p)                                                               \
    struct kl_sequence_circuits_##p {                                                                \
        const struct kl_sequence_steps *steps;                                                       \
        const struct kl_ring_mix_##p *mix; /* NULL: the state as it is */                            \
        size_t stride, groups, n_weights;                                                            \
        bool backward;     /* states are kept */                                                     \
        double factor;     /* of the logistic function */                                            \
        real *map, *shift; /* (angles, inputs), (angles): both projections as one */                 \
        const real *base;                                                                            \
        real *weights;    /* (n_weights, stride) of a window's sums over time */                     \
        real *z, *m, *dm; /* (angles, stride), (outputs, stride) twice */                            \
        real *sum;        /* (n_weights, outputs, S) of m over time, in lanes */                     \
        real *norm, *turn, *state, *bra, *dturn, *work, *swapped, *dropped, *columns;                \
        real *by_map, *by_base, *by_shift; /* (angles, inputs), (angles, S) twice: over the batch */ \
        real *sums, *field, *third;        /* of the superposition: kernels/ring.h */                \
    };
KL_SEQUENCE_RUN_TYPES(float, f32)
KL_SEQUENCE_RUN_TYPES(double, f64)
#define kl_sequence_circuits KL_NAME(kl_sequence_circuits)
#define kl_sequence_circuits_take KL_NAME(kl_sequence_circuits_take)
#define kl_sequence_circuits_begin KL_NAME(kl_sequence_circuits_begin)
#define kl_sequence_circuits_forward KL_NAME(kl_sequence_circuits_forward)
#define kl_sequence_circuits_back KL_NAME(kl_sequence_circuits_back)
#define kl_sequence_circuits_input KL_NAME(kl_sequence_circuits_input)
#define kl_sequence_circuits_end KL_NAME(kl_sequence_circuits_end)
#define kl_sequence_circuits_gather KL_NAME(kl_sequence_circuits_gather)
#define kl_sequence_circuits_scatter KL_NAME(kl_sequence_circuits_scatter)
#define kl_sequence_widen KL_NAME(kl_sequence_widen)
#define kl_sequence_narrow KL_NAME(kl_sequence_narrow)
/* Pieces for windows of a net (n_weights, mixed, backward); sums are not set. */
void kl_sequence_circuits_take(struct kl_sequence_circuits *c, struct kl_sequence_pieces *p,
                               const struct kl_sequence_net *net, size_t n_weights, bool mixed,
                               bool backward);
/* Joins the projections of params, empties the sums over the batch. */
void kl_sequence_circuits_begin(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                                const kl_real *params);
/* x (inputs, stride) -> m; with n_weights sum = the weighted sums over time. */
void kl_sequence_circuits_forward(struct kl_sequence_circuits *c, const kl_real *x);
/* From dm: adds to the sums over the batch; by_x (inputs, stride), NULL: not asked for. */
void kl_sequence_circuits_back(struct kl_sequence_circuits *c, const kl_real *x, kl_real *by_x);
/* Window i of a batch as training sees it: itself or a copy with dropout (back: by_x in place of x, in
 * place). */
const kl_real *kl_sequence_circuits_input(struct kl_sequence_circuits *c,
                                          const struct kl_sequence_net *net,
                                          const struct kl_sequence_batch *batch, size_t i,
                                          kl_real *by_x);
/* Gradients of both projections and theta_0 from the sums over the batch. */
void kl_sequence_circuits_end(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                              const kl_real *params, kl_real *grad);

/* A bare layer's x (inputs, S) of windows [first, first + count) of a batch, 0 behind them; back: by_x
   (n, C, stride) from columns. (steps_run.c) */
const kl_real *kl_sequence_circuits_gather(struct kl_sequence_circuits *c,
                                           const struct kl_sequence_net *net,
                                           const struct kl_sequence_batch *batch, size_t first,
                                           size_t count);
void kl_sequence_circuits_scatter(struct kl_sequence_circuits *c, const struct kl_sequence_net *net,
                                  const struct kl_sequence_batch *batch, size_t first, size_t count,
                                  kl_real *by_x);
/* A tensor of a block as doubles, and back. */
void kl_sequence_widen(double *to, const kl_real *block, const struct kl_sequence_net *net, int tensor);
void kl_sequence_narrow(kl_real *block, const double *from, const struct kl_sequence_net *net,
                        int tensor);

/* ---- QD: RX, RY, RZ on every wire (steps.c) ---- */
/* p (3 n): the angles of RX of all wires, of RY, of RZ. m (3 n): <X> of all wires, <Y>, <Z> in closed
   form; dp (3 n) the derivatives of sum(dm m). */
void kl_sequence_qd_read(double *m, const double *p, int n);
void kl_sequence_qd_read_back(double *dp, const double *dm, const double *p, int n);
/* State (2^n) of QD|0> in the frame of a circuit: its wire j is wire (j + shift) mod n there; in basis
   Y, as kernels/ring.h has states, or Z. dp (3 n): the derivatives where bra = dL/dRe + i dL/dIm by the
   state (used up); below: 2^n of scratch. */
enum kl_sequence_basis { KL_SEQUENCE_BASIS_Y, KL_SEQUENCE_BASIS_Z };
void kl_sequence_qd_state(double complex *state, const double *p, int n, int shift,
                          enum kl_sequence_basis basis);
void kl_sequence_qd_state_back(double *dp, double complex *bra, double complex *below, const double *p,
                               int n, int shift, enum kl_sequence_basis basis);

/* ---- circuits on a GPU, in float (steps_gpu.c) ---- */
/* Those of a net: QLCU, whose states are superposed with two others (two sums over time) or not (one).
   Its arrays are memory's. KL_ENOMEM. */
int kl_sequence_steps_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                            bool superposed, struct kl_arena *memory, struct kl_error *err);
/* From what kl_sequence_circuits_begin has joined to given, all but the superposition; and from the
   derivatives to the sums over the batch, of which one lane has all, and by_weights (n_weights, stride).
 */
struct kl_cuda_windows_places kl_sequence_circuits_places(const struct kl_sequence_circuits_f32 *c);
void kl_sequence_circuits_give(float *given, const struct kl_sequence_circuits_f32 *c);
void kl_sequence_circuits_given(struct kl_sequence_circuits_f32 *c, float *by_weights,
                                const float *by_given);

#endif
