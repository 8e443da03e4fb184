/* SPDX-License-Identifier: MIT
   What kl_circuit_finish makes of a circuit for the kernels. */
#ifndef KL_CIRCUIT_INT_H
#define KL_CIRCUIT_INT_H

#include "circuit/circuit.h"
#include "kernels/density.h"
#include "kernels/vqc.h"

enum {
    KL_MOST_KEPT_QUBITS =
        12, /* above, the adjoint sweep runs the circuit again instead of keeping a batch of states */
    KL_MOST_KEPT_VALUES = 1 << 14, /* the same for the states that a noisy circuit keeps a sample */
    KL_FEWEST_WIDE_QUBITS = 9,     /* from which a state fills vectors by itself; of real circuits: */
    KL_FEWEST_WIDE_REAL_QUBITS = 13,
    KL_WIDEST = KL_CIRCUIT_GROUP, /* lanes of any instruction set and precision, at most */
};

/* Wires are bits of the amplitude's number here, and every angle has its place in `angles`, in the order
   of the gates. Angles with one `slot` are added before the kernel sees them. */
struct kl_circuit_plan {
    struct kl_arena memory;
    struct kl_vqc_program program;
    struct kl_vqc_layers layers; /* n_layers 0: the circuit is not of that form, the program is run */
    struct kl_vqc_turns turns;   /* the same */
    bool wide;                   /* turns are run on one state after another, not side by side */
    struct kl_density_program *density; /* with noise: in place of these; else NULL */
    struct kl_trajectory
        *trajectory;   /* with noise by trajectories: what a realisation does to them; else NULL */
    size_t n_readings; /* values that the kernels leave: the outputs if plain, else
                          kl_circuit_term_reading's */
    bool plain;
    size_t n_angles, n_slots, n_scaled; /* n_scaled: angles that a scale multiplies */
    struct kl_angle *angles;
    int *slot; /* (n_angles) */
    bool *controlled;
};

/* Nothing more of this circuit is asked for. */
static inline bool kl_circuit_stopped(const struct kl_circuit *c)
{
    return c->stoppable && kl_signals_pending();
}
/* What an evaluation ends with. */
static inline int kl_circuit_status(const struct kl_circuit *c, struct kl_error *err)
{
    return kl_circuit_stopped(c) ? kl_fail(err, KL_ESIGNAL, "stopped") : KL_OK;
}

/* The first weight that multiplies inputs (a learnable scale), be it an angle as well or not; -1: there
   is none. */
int kl_circuit_first_scale(const struct kl_circuit *c);
/* What undoes an op. */
struct kl_op kl_circuit_inverse(const struct kl_op *op);
/* Room for one more element of an array of n: it doubles. Returns 0 or KL_ENOMEM. */
int kl_circuit_grow(void **array, size_t n, size_t size, struct kl_error *err);
/* Which of the kernels' values a term means: strings come first, then targets. */
size_t kl_circuit_term_reading(const struct kl_circuit *c, const struct kl_term *term);
/* The amplitudes of a target that are not 0: how many, and which (outputs.c). */
size_t kl_circuit_target_size(const struct kl_circuit *c, const struct kl_target *target);
void kl_circuit_target_amplitudes(struct kl_vqc_amplitude *amplitude, const struct kl_circuit *c,
                                  const struct kl_target *target);
/* Wire 0 is the most significant bit. */
uint32_t kl_circuit_wire_bit(const struct kl_circuit *c, int wire);
uint32_t kl_circuit_wire_bits(const struct kl_circuit *c, uint32_t wires);
/* Values a sample that forward keeps for adjoint besides the angles' cosines and sines; 0: the circuit
   is run again. */
size_t kl_circuit_kept_values(const struct kl_circuit *c);
/* The same, kept or not. */
size_t kl_circuit_state_values(const struct kl_circuit *c);
/* Returns 0 or KL_ENOMEM. */
int kl_circuit_plan_make(struct kl_circuit_plan **plan, const struct kl_circuit *c,
                         struct kl_error *err);
void kl_circuit_plan_free(struct kl_circuit_plan **plan);
/* The fastest form of the program that holds it. Returns 0 or KL_ENOMEM. */
int kl_circuit_form(struct kl_circuit_plan *plan, bool forward_only, struct kl_error *err);
/* X: what was amplitude y is amplitude y ^ target now; under a control it is so for half of them. */
void kl_circuit_move(struct kl_vqc_layer *layer, const struct kl_vqc_op *op);

/* Rows of derivatives by angles: of slots, or of single angles where trajectories give the angles of a
   slot signs of their own; and that of angle i. */
static inline size_t kl_circuit_plan_rows(const struct kl_circuit_plan *p)
{
    return p->trajectory ? p->n_angles : p->n_slots;
}
static inline size_t kl_circuit_plan_row(const struct kl_circuit_plan *p, size_t i)
{
    return p->trajectory ? i : (size_t)p->slot[i];
}
/* An angle that a learnable scale multiplies. Behind the rows of derivatives by angles each of them has
   a row of those by its scale. */
static inline bool kl_circuit_is_scaled(const struct kl_angle *a)
{
    return a->source == KL_INPUT && a->scaled > 0;
}
static inline size_t kl_circuit_plan_all_rows(const struct kl_circuit_plan *p)
{
    return kl_circuit_plan_rows(p) + p->n_scaled;
}
/* One batch of n samples run again and again, forward, with some angles moved: that of a row by `by`, or
   those of the first `rows` by `by` times a sign for each sample and row, (n, rows) of -1, 0 and 1. Rows
   behind these are constants that a form of the circuit has added. */
struct kl_circuit_move {
    size_t row;
    double by;
    const signed char *signs; /* NULL: one row */
    size_t rows;
};
size_t kl_circuit_lanes_f32(void);
size_t kl_circuit_lanes_f64(void);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_lanes KL_NAME(kl_circuit_lanes)

#endif
