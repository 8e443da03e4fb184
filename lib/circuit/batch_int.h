/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: a batch on its way into the kernels and back, in the precision of the file
   being compiled. */
#ifndef KL_CIRCUIT_BATCH_INT_H
#define KL_CIRCUIT_BATCH_INT_H

#include "circuit/circuit_int.h"
#include "circuit/estimate.h"
#include "kernels/inline/real.h"

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_batch_prepare KL_NAME(kl_circuit_batch_prepare)
#define kl_circuit_batch_group KL_NAME(kl_circuit_batch_group)
#define kl_circuit_batch_moved KL_NAME(kl_circuit_batch_moved)
#define kl_circuit_batch_forward KL_NAME(kl_circuit_batch_forward)
#define kl_circuit_batch_sweep KL_NAME(kl_circuit_batch_sweep)
#define kl_circuit_batch_sweep_back KL_NAME(kl_circuit_batch_sweep_back)
#define kl_circuit_batch_add_inputs KL_NAME(kl_circuit_batch_add_inputs)
#define kl_circuit_batch_amplitude_gradients KL_NAME(kl_circuit_batch_amplitude_gradients)
#define kl_circuit_batch_input_gradients KL_NAME(kl_circuit_batch_input_gradients)
#define kl_circuit_batch_scale_gradients KL_NAME(kl_circuit_batch_scale_gradients)
#define kl_circuit_trajectories_scratch KL_NAME(kl_circuit_trajectories_scratch)
#define kl_circuit_trajectories_forward KL_NAME(kl_circuit_trajectories_forward)
#define kl_circuit_trajectories_back KL_NAME(kl_circuit_trajectories_back)

struct batch {
    const struct kl_circuit *c;
    const struct kl_circuit_plan *plan;
    const struct kl_vqc *kernel;
    const struct kl_density *noisy;
    double turn; /* the kernels' cosines are of angle * turn / 2 */
    size_t n, lanes;
    size_t one, state_size;     /* values of one vector a slot; of the amplitudes of a group */
    size_t bra_size, work_size; /* of a group's */
    const kl_real *x, *w, *cot;
    const struct kl_circuit_move *move;   /* NULL: angles are where they are */
    kl_real *angle, *shared_c, *shared_s; /* (n_slots, lanes), of the weights and constants */
    bool *moving;                         /* (n_slots): the angle depends on the sample */
    kl_real *out, *state, *dx;
    kl_real *dangles; /* (groups, kl_circuit_plan_all_rows, lanes) */
    kl_real *scratch; /* a thread's part: scratch_size values */
    size_t scratch_size;
    size_t n_read;        /* what the kernels put out: observed strings or probabilities */
    size_t frames_size;   /* of trajectories, else 0 */
    struct kl_pool *pool; /* whose threads share each state, group after group; or NULL */
};

/* The memory of a group; forward leaves the first three in the caller's state for adjoint. */
struct group {
    kl_real *cosine, *sine, *state, *bra, *out, *cot, *work, *frames;
    size_t first, here; /* its samples */
};

/* Takes all memory. Returns 0 or KL_ENOMEM. */
int kl_circuit_batch_prepare(struct batch *b, const struct kl_circuit *c, const kl_real *x,
                             const kl_real *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                             struct kl_error *err);
struct group kl_circuit_batch_group(const struct batch *b, size_t number, int thread);
/* Is the angle in row k moved for a sample: up (1), down (-1), not at all? */
static inline int kl_circuit_batch_moved(const struct batch *b, size_t k, size_t sample)
{
    const struct kl_circuit_move *m = b->move;
    if (!m->signs) return k == m->row;
    return k < m->rows ? m->signs[sample * m->rows + k] : 0;
}
/* out of one group, by kl_pool_for. */
void kl_circuit_batch_forward(void *batch, size_t number, int thread);
/* The kernels' forward sweep where cosines and sines are there already; and the way back, with dangle
 * (n_slots, lanes). */
void kl_circuit_batch_sweep(const struct batch *b, const struct group *g);
void kl_circuit_batch_sweep_back(const struct batch *b, const struct group *g, kl_real *dangle);
/* Adds what the group's inputs put into an angle, times `factor` (lanes) unless that is NULL. */
void kl_circuit_batch_add_inputs(kl_real *angle, const struct batch *b, const struct group *g,
                                 const struct kl_angle *a, const kl_real *factor);
/* dx of the group += the gradients by amplitudes given; by angles, from dangle, whose row i is that of
   angle i, or of its slot. */
void kl_circuit_batch_amplitude_gradients(const struct batch *b, const struct group *g);
void kl_circuit_batch_input_gradients(const struct batch *b, const struct group *g,
                                      const kl_real *dangle);

/* The last rows of dangle, by scales, from the others; missing samples have none. */
void kl_circuit_batch_scale_gradients(const struct batch *b, const struct group *g, kl_real *dangle);

/* Trajectories (trajectories.c): out, or dx and dangles, of one group. */
size_t kl_circuit_trajectories_scratch(const struct kl_circuit *c, size_t lanes);
void kl_circuit_trajectories_forward(void *batch, size_t number, int thread);
void kl_circuit_trajectories_back(void *batch, size_t number, int thread);

/* ---- What metric_plan.c makes for metric.c. Gates of a level are generated by commuting operators,
   each a sum of one or two products of Z after its wire has been turned
   ---- */
struct kl_metric_gate {
    size_t weight;
    double scale; /* of the weight in the gate's angle */
    int n_terms;
    double factor[2]; /* generator = sum of factor * Z on the bits of mask */
    uint32_t mask[2];
};
struct kl_metric_level {
    size_t first, n_ops; /* to run after it was measured: its gates, then what follows them */
    size_t n_gates;
    struct kl_metric_gate *gate;
    size_t n_turns;
    struct kl_vqc_op *turn; /* X and Y become Z: H, and RX by pi/2, whose slot is 0 */
};

#endif
