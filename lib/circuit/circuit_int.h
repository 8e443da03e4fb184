/* SPDX-License-Identifier: MIT
   What kl_circuit_finish makes of a circuit for the kernels. */
#ifndef KL_CIRCUIT_INT_H
#define KL_CIRCUIT_INT_H

#include "circuit/circuit.h"
#include "kernels/density.h"
#include "kernels/vqc.h"
#include "circuit/noise.h"
#include "kernels/cuda.h"

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
    struct kl_vqc_layers layers;   /* n_layers 0: the circuit is not of that form, the program is run */
    struct kl_vqc_rotations turns; /* the same */
    bool wide;                     /* turns are run on one state after another, not side by side */
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
/* The status at the end of an evaluation: KL_ESIGNAL if it was stopped. */
static inline int kl_circuit_status(const struct kl_circuit *c, struct kl_error *err)
{
    return kl_circuit_stopped(c) ? kl_fail(err, KL_ESIGNAL, "stopped") : KL_OK;
}

/* The first weight that multiplies inputs (a learnable scale), be it an angle as well or not; -1: there
   is none. */
int kl_circuit_first_scale(const struct kl_circuit *c);
/* The op that undoes an op. */
struct kl_op kl_circuit_inverse(const struct kl_op *op);
/* Room for one more element of an array of n: it doubles. Returns 0 or KL_ENOMEM. */
int kl_circuit_grow(void **array, size_t n, size_t size, struct kl_error *err);
/* The place of a term among the kernels' values: strings come first, then targets. */
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

/* ---- circuits by name. The first failure is kept, gates after it are nothing ---- */

struct kl_builder {
    struct kl_circuit *circuit;
    const struct kl_circuit_options *options;
    int n;          /* qubits */
    bool alone;     /* of observables: the list has one item */
    int next_scale; /* of learn_scale: the weight that the next input's angle takes */
    struct kl_error *err;
    int code;
};
void kl_circuit_put(struct kl_builder *b, const struct kl_op *op);
void kl_circuit_put_pair(struct kl_builder *b, enum kl_gate gate, int wire0,
                         int wire1); /* without angle */
void kl_circuit_put_weight(struct kl_builder *b, enum kl_gate gate, int wire,
                           int weight); /* by a weight */
void kl_circuit_put_constant(struct kl_builder *b, enum kl_gate gate, int wire, double angle);
void kl_circuit_put_rot(struct kl_builder *b, int wire, int first_weight); /* KL_ROT, three weights */
/* Pairs of wires, a gate on each. ring: q -> q + 1 mod n for q = 0 .. n - 1. circular: Qiskit's ring, n
   - 1 -> 0 first, none of it for two qubits. reverse-linear: the pairs of linear, last first. */
enum kl_entanglement { KL_LINEAR, KL_REVERSE_LINEAR, KL_RING, KL_CIRCULAR, KL_FULL, KL_STAR };
void kl_circuit_put_pairs(struct kl_builder *b, enum kl_gate gate, enum kl_entanglement kind);
/* The option's choice, or `own` where there is none; a ring is `ring`. */
enum kl_entanglement kl_circuit_entanglement_of(const struct kl_builder *b, enum kl_entanglement own,
                                                enum kl_entanglement ring);

/* ---- a term of an angle, written out (qasm.c) ----
   weight and input stand before an index, `end` behind it. times: the gates are a loop's over wires q,
   each index of which moves by so many a wire, from those of the gate on `wire` on; 0: there is none. */
struct kl_term_words {
    const char *weight, *input, *end;
    int times, wire;
};
/* The first term of an angle has its sign before it. */
void kl_circuit_write_term(FILE *to, const struct kl_angle *a, const struct kl_term_words *words,
                           double factor, bool first);

/* Outputs from kl_circuit_options' text of observables (observables.c). Returns 0 or the code. */
int kl_circuit_observe_text(struct kl_builder *b, const char *text);
/* Elements of a list in Python, of PennyLane's measurements: these outputs of n qubits. KL_ENOMEM. */
int kl_circuit_pennylane_outputs(FILE *to, const struct kl_circuit_options *o, int n,
                                 struct kl_error *err);

/* One kind of embedding: how many inputs for n qubits, how many angles that a scale can multiply (NULL:
   none), and its gates. */
struct kl_embedding {
    const char *name;
    size_t (*n_inputs)(int n);
    size_t (*n_scales)(int n);
    void (*put)(struct kl_builder *b);
};
/* One kind of ansatz: how many weights for n qubits and L layers, and the gates of layer l; l = L is
   what closes the circuit. shape: kl_circuit_weight_shape, NULL: a list. start: what comes before the
   first layer; NULL: nothing. entangles: the option entanglement applies. alike: every layer is on all
   wires and has as many weights. */
struct kl_ansatz {
    const char *name;
    size_t (*n_weights)(int n, int n_layers);
    int (*shape)(size_t dims[3], int n, int n_layers);
    void (*put)(struct kl_builder *b, int layer);
    void (*start)(struct kl_builder *b);
    bool entangles, alike;
};
const struct kl_ansatz *kl_circuit_ansatz_find(const char *name);
/* Layer l of a circuit whose layers are mirrored in blocks (ansatz.c). */
void kl_circuit_put_mirrored(struct kl_builder *b, const struct kl_ansatz *ansatz, int l);
int kl_circuit_mirror_check(const struct kl_circuit_options *o, const struct kl_ansatz *ansatz,
                            struct kl_error *err);
/* QCNN: wires that layer `layer` begins with: [n - kl_circuit_qcnn_wires, n). */
int kl_circuit_qcnn_wires(int n, int layer);

/* ---- what becomes of a description of noise until it is the canonical text. All
   JSON is jansson's; `what` is named in messages
   ---- */

struct json_t;
/* The text as JSON, not checked. */
int kl_circuit_noise_parse(struct json_t **root, const char *text, const char *what,
                           struct kl_error *err);

/* ---- spellings and units (noise_text.c) ---- */
/* x of a unit, "us", in seconds: the double that the same decimal number has in seconds. False: there is
   no such unit. */
#define KL_TIME_UNITS "s, ms, us, ns or ps"
bool kl_circuit_noise_seconds(double *seconds, double x, const char *unit);

/* ---- which qubits of a list (noise.c) ---- */
/* Numbers of a device's qubits, wire 0 first; n 0: nobody chose. */
struct kl_noise_choice {
    int n, qubit[KL_MAX_QUBITS];
};
/* From "0,3,5". KL_EUSAGE. */
int kl_circuit_noise_choice_read(struct kl_noise_choice *choice, const char *list, struct kl_error *err);
/* KL_EUSAGE: a number that none of the n qubits of the file has. */
int kl_circuit_noise_choice_check(const struct kl_noise_choice *choice, size_t n, const char *what,
                                  struct kl_error *err);
/* The list `qubits` of root becomes those that were chosen, else the first KL_MAX_QUBITS. KL_EUSAGE,
   KL_ENOMEM. */
int kl_circuit_noise_pick(struct json_t *root, struct kl_noise_source *source,
                          const struct kl_noise_choice *choice, const char *what, struct kl_error *err);
/* source->idle, of a root whose qubits are picked. */
void kl_circuit_noise_find_idle(struct kl_noise_source *source, const struct json_t *root);

/* ---- a backend's properties in IBM's form (noise_ibm.c) ---- */
bool kl_circuit_noise_is_ibm(const struct json_t *root);
/* The same calibration in our own form, a new reference; docs/noise.md says what becomes of each number.
   KL_EDATA, KL_EUSAGE, KL_ENOMEM. */
int kl_circuit_noise_from_ibm(struct json_t **own, struct kl_noise_source *source,
                              const struct json_t *root, const struct kl_noise_choice *choice,
                              const char *what, struct kl_error *err);
/* A qubit's entry in the properties. Times in seconds; NAN: not given. */
struct kl_ibm_qubit {
    double t1, t2, meas1_prep0, meas0_prep1, readout_error, operational;
    double error, length;           /* of the gate on one qubit */
    bool assumed;                   /* one of the two is the mean of the others */
    double pair_error, pair_length; /* sums over its gates on two that work */
    int n_pairs, n_listed;          /* how many these are; and those that do not work */
};

/* ---- A circuit on its way to the GPU: the gates between two moves of amplitudes (gpu_lower.c), then
   passes over a state whose qubits change places (gpu_passes.c)
   ---- */

/* `before`: what CNOT does before it, dual[b] & places of the stage before it has the parity of bit b
   here. Bits are those of struct kl_vqc_op. */
struct kl_circuit_gpu_stage {
    enum kl_cuda_pass_kind kind;
    struct kl_vqc_layer before;
    bool moves;                     /* before is not the identity */
    int matrix[KL_VQC_MOST_QUBITS]; /* of turns, by bit, -1: none; else matrix[0] */
    int target;                     /* bit that a controlled rotation turns */
    uint32_t mask, value;
    uint32_t touched; /* bits of all its gates */
};
struct kl_circuit_gpu_stages {
    size_t n;
    struct kl_circuit_gpu_stage *stage; /* the first one is of KL_CUDA_TURNS or KL_CUDA_GIVEN */
    struct kl_vqc_layer after;          /* CNOT behind the last one */
    bool moves_after;                   /* it is not the identity */
    uint32_t flips;                     /* and X: these bits are the other way round */
    struct kl_cuda_angle *angles;
    struct kl_cuda_turn *turns;
    struct kl_cuda_matrix *matrices;
    int n_slots, n_turns, n_matrices, n_varying;
};

/* The bit of an amplitude's number that is each qubit's, and the effect of CNOT that is not applied yet:
   from these bits, taken as those of struct kl_vqc_op, to the bits that gates mean now. */
struct kl_frame {
    int at[KL_VQC_MOST_QUBITS];
    struct kl_vqc_layer moves;
};
/* The bits of a number that stand for those of a mask, moves apart; and those of which the parity is
   that of a mask of what gates mean now. */
uint32_t kl_circuit_frame_bits(const struct kl_frame *f, uint32_t mask);
uint32_t kl_circuit_frame_parity(const struct kl_frame *f, uint32_t mask);
/* The exclusive or of columns over bits. */
uint32_t kl_circuit_sum_columns(const uint32_t *columns, uint32_t bits);

/* Sets passes, n_passes, own_bits, lane_bits and home of `to`; the last frame, in which, for
   probabilities, numbers are those of the basis states, but for stages' flips. KL_ENOMEM. */
int kl_circuit_passes(struct kl_cuda_circuit *to, struct kl_frame *last,
                      const struct kl_circuit_gpu_stages *s, const struct kl_circuit *c,
                      struct kl_arena *memory, struct kl_error *err);

#endif
