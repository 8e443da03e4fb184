/* SPDX-License-Identifier: MIT
   circuit: parameterised circuits on 1 to 20 qubits, their expectation values and gradients, batched
   over samples. Wire 0 is the most significant bit of a basis state's number. Angles in radians. */
#ifndef KL_CIRCUIT_H
#define KL_CIRCUIT_H

#include "base/base.h"

enum { KL_MAX_QUBITS = 20 };

enum kl_gate {
    KL_RX,
    KL_RY,
    KL_RZ,  /* exp(-i angle P/2) */
    KL_ROT, /* RZ(phi), RY(theta), RZ(omega) applied in that order; three parameters */
    KL_H,
    KL_X,
    KL_CNOT,
    KL_CZ,
    KL_CRX,
    KL_CRY,
    KL_CRZ,     /* wire[0] controls */
    KL_MULTIRZ, /* exp(-i angle/2 Z..Z) on the wires of `mask` */
    KL_ID,      /* nothing; under noise, the channels after a gate */
};

/* An angle: scale * input[index] (* input[index2] if index2 >= 0, * weight[scaled - 1] if scaled), or
   scale * weight[index], or the constant `scale`. */
enum kl_source { KL_CONSTANT, KL_INPUT, KL_WEIGHT };
struct kl_angle {
    enum kl_source source;
    int index, index2; /* index2: -1, or the second factor of a product of inputs (IQP) */
    double scale;
    int scaled; /* 0, or 1 + the weight, a learnable scale, that multiplies the inputs */
};
/* Ops in a row may be one gate: noise comes after it once, it is folded and counted once. What they
   are together, if no gate each: */
enum kl_composite {
    KL_ITSELF,
    KL_SUM,  /* ops of one kind on the same wires, whose angles add up */
    KL_U,    /* u3 of OpenQASM: a Rot, or, of sums, RZ, RY and RZ, each one or more */
    KL_CP,   /* half the angle by RZ on either wire, and MultiRZ of minus that, each one or more */
    KL_Y,    /* RZ(pi), X */
    KL_SWAP, /* three CNOT */
};
/* The next op: of another gate; the same; the same, of which a further part begins. */
enum kl_next { KL_OTHER_GATE, KL_SAME_PART, KL_NEXT_PART };
struct kl_op {
    enum kl_gate gate;
    int wire[2];   /* wire[0] the target or the control, wire[1] the target of a two-qubit gate */
    uint32_t mask; /* KL_MULTIRZ: bit q set = wire q */
    struct kl_angle angle[3];
    enum kl_composite whole;
    enum kl_next next;
};
/* A Pauli string: x and z masks over wires (bit q = wire q); X = x, Z = z, Y = both. */
struct kl_pauli {
    uint32_t x, z;
};
/* The realisations of its noise that a circuit draws (trajectories): a function of all that is named
   here and of the sample's row. */
struct kl_draws {
    uint64_t seed;
    uint32_t purpose; /* of enum kl_purpose */
    uint32_t step, replica;
    const int64_t *rows; /* a number for each sample; NULL: 0, 1, 2, ... */
    size_t sample;       /* number of the first sample */
    size_t trajectory;   /* number of the first realisation */
};
/* A state phi that the circuit's is compared with, by the fidelity |<phi|psi>|^2, under noise
   <phi|rho|phi>. A product state is an eigenstate of X, Y or Z on every wire (axis), of -1 on the wires
   of minus. */
struct kl_target {
    enum { KL_PRODUCT, KL_GHZ, KL_W } kind;
    struct kl_pauli axis;
    uint32_t minus;
};
/* A term of an output: a Pauli string's expectation value, or a fidelity; the index that is not meant is
   -1. An output is the sum of some, each times a weight. */
struct kl_term {
    int string, target;
    double weight;
};
enum kl_undoes {
    KL_UNDONE = -1,         /* of a layer that a later one mirrors */
    KL_UNDONE_BY_NONE = -2, /* of what begins or closes the ansatz */
};
struct kl_circuit {
    int n_qubits;
    size_t n_inputs, n_weights, n_ops;
    struct kl_op *ops;
    /* Output o is the sum of term[end[o - 1]] to term[end[o] - 1], end[-1] being 0. */
    size_t n_obs, n_terms, n_strings, n_targets;
    size_t *end; /* (n_obs) */
    struct kl_term *terms;
    struct kl_pauli *strings; /* each one once */
    struct kl_target *targets;
    /* Weights [layer_ends[l - 1], layer_ends[l]) are those of layer l of the ansatz; what closes it is
       one more; n_layers 0: OpenQASM has none. */
    size_t n_layers, *layer_ends;
    /* (n_weights) of mirrored layers (ansatz.c): the weight whose angle this one turns back, or of enum
       kl_undoes; NULL: no layer is mirrored. */
    int *undoes;
    bool amplitude_inputs; /* the state begins as x / |x|, n_inputs = 2^n_qubits */
    bool probabilities; /* outputs are the probabilities of all basis states, n_obs = 2^n_qubits; there
                           are no terms */
    bool forward_only;  /* set before kl_circuit_finish: a faster form may be taken where forward leaves
                           no state, whose outputs then have other last bits than with one */
    bool real;          /* all amplitudes stay real: set by kl_circuit_finish */
    struct kl_noise *noise; /* NULL: none; added by kl_circuit_add_noise (noise.h) */
    /* Outputs are means over so many realisations of the noise a sample; 0: the density matrix. It is 0
       or not as of kl_circuit_finish; the number may change later. */
    size_t trajectories;
    bool stoppable;         /* of who can undo what it began: evaluations soon after a signal
                               (kl_signals_pending) fail with KL_ESIGNAL, and what they leave
                               means nothing */
    struct kl_draws draws;  /* set in a copy of the struct, where several share a circuit */
    char *notes, *cautions; /* on the OpenQASM text that it was read from (kl_circuit_say): lines, each
                               ended by a newline; NULL: none */
    struct kl_circuit_plan *plan; /* (hidden), made by kl_circuit_finish */
};

/* ---- circuits by name (build.c, ansatz.c) ---- */
struct kl_circuit_options {
    int64_t n_qubits, n_layers;
    const char *embedding;    /* of kl_embedding_names */
    const char *ansatz;       /* of kl_ansatz_names */
    const char *entanglement; /* of kl_entanglement_names; "": the ansatz's own */
    const char *observables;  /* "probs": all probabilities; or a list of: "x", "y", "z", of every qubit;
                                 "zz", of every pair; sums of Pauli strings, wire 0 first,
                                 "ZZII,0.5*XIYI-ZIII"; "probs(0,2)", of these wires; "fidelity(0+1-)",
                                 with this state, or ghz, w */
    int64_t mirror;   /* layers come in blocks of so many and their mirror image (ansatz.c); 0: not so */
    bool reupload;    /* embed before every layer (Perez-Salinas et al. 2019, arXiv:1907.02085) */
    bool learn_scale; /* each angle of the embedding is a weight, to begin with 1, times the input
                         (Jerbi et al. 2021, arXiv:2103.05577); these weights come last, embedding after
                         embedding */
    const char *qasm; /* "": none; OpenQASM 3 in place of all else but the observables */
    const char *noise;    /* NULL or "": none; a text of kl_circuit_noise_text (noise.h) */
    int64_t trajectories; /* with noise: kl_circuit's; 0: the density matrix */
    int fold;             /* 0 or 1: none; else of kl_circuit_fold (noise.h) */
    bool perfect_readout; /* the noise without its readout errors (kl_circuit_readout_perfect) */
    const char *file;     /* to read qasm from (kl_circuit_options_file); NULL: none */
};
extern const char *const kl_embedding_names[], *const kl_ansatz_names[], *const kl_entanglement_names[];
/* The reference system's: 4 qubits, 3 layers, RY(x_q), ry-ring, <Z_q>. */
void kl_circuit_options_default(struct kl_circuit_options *o);
/* o->qasm becomes the text of o->file, if there is one: *text, the caller's to free, must outlive o.
   KL_ENOINPUT, KL_EIO, KL_EDATA, KL_ENOMEM. */
int kl_circuit_options_file(struct kl_circuit_options *o, char **text, struct kl_error *err);
/* KL_EUSAGE names what is wrong. Free with kl_circuit_free. */
int kl_circuit_build(struct kl_circuit **circuit, const struct kl_circuit_options *o,
                     struct kl_error *err);
/* Observables in one canonical form, for keys: no blanks, sums sorted, weights as short as they can be.
   malloc'ed. KL_EUSAGE, KL_ENOMEM. */
int kl_circuit_observables_text(char **canonical, const char *text, struct kl_error *err);
/* The shape that PennyLane or Qiskit give to the weights that are a list here; returns its rank, 0: a
   list there as well, or learnable scales behind them. The order is the same. */
int kl_circuit_weight_shape(size_t dims[3], const struct kl_circuit_options *o);
/* Weights of the ansatz by these options, which kl_circuit_build takes (no OpenQASM); learnable scales
   come behind them. */
size_t kl_circuit_count_weights(const struct kl_circuit_options *o);
/* Layers by which a circuit can grow: one, or a block and its mirror image. The circuit of fewer layers
   then begins with the same gates, has the same outputs, and its weights come first. 0: it cannot (qcnn,
   OpenQASM). */
int64_t kl_circuit_growth(const struct kl_circuit_options *o);
/* The options in a head file's configuration (jansson), which must outlive them; path is for the
   message. Names that are absent have their defaults: before version 2 of qtrain there was one circuit
   only. KL_EDATA. */
struct json_t;
int kl_circuit_config(struct kl_circuit_options *o, const struct json_t *config, const char *path,
                      struct kl_error *err);
/* The core that a head of this configuration has instead of a circuit ("twin", "none"), or NULL. */
const char *kl_circuit_absent(const struct json_t *config);

/* ---- general circuits (circuit.c, outputs.c) ----
   begin, append, observe, finish (validates wires, indices, masks). */
int kl_circuit_begin(struct kl_circuit **circuit, int n_qubits, size_t n_inputs, size_t n_weights,
                     struct kl_error *err);
int kl_circuit_append(struct kl_circuit *circuit, const struct kl_op *op, struct kl_error *err);
/* Adds an output: a Pauli string. */
int kl_circuit_observe(struct kl_circuit *circuit, struct kl_pauli pauli, struct kl_error *err);
/* Adds an output of no terms, which is 0; then terms to the last output. */
int kl_circuit_observe_sum(struct kl_circuit *circuit, struct kl_error *err);
int kl_circuit_add_string(struct kl_circuit *circuit, double weight, struct kl_pauli pauli,
                          struct kl_error *err);
int kl_circuit_add_target(struct kl_circuit *circuit, double weight, struct kl_target target,
                          struct kl_error *err);
/* Inputs are the amplitudes to begin with, divided by their norm (all 0: the state stays 0), and stand
   in no angle; at most 12 qubits. */
int kl_circuit_begin_with_inputs(struct kl_circuit *circuit, struct kl_error *err);
int kl_circuit_observe_probabilities(struct kl_circuit *circuit,
                                     struct kl_error *err); /* instead of strings */
int kl_circuit_finish(struct kl_circuit *circuit, struct kl_error *err);
/* The same circuit, noise included, with the probabilities of all basis states as its outputs; or with
   each of its strings, then each of its targets (of probabilities: those). Finished. */
int kl_circuit_with_probabilities(struct kl_circuit **copy, const struct kl_circuit *circuit,
                                  struct kl_error *err);
/* The circuit's outputs are its readings themselves, one after another. */
bool kl_circuit_reads_plainly(const struct kl_circuit *circuit);
void kl_circuit_free(struct kl_circuit **circuit);
/* The weight multiplies inputs and is no angle itself. */
bool kl_circuit_is_scale(const struct kl_circuit *c, size_t weight);

/* ---- circuits seen (draw.c, qasm.c, pennylane.c; statistics.h) ---- */
/* The op after the gate that begins with op `begin` of n; the wires of ops [begin, end); how many gates
   there are. */
size_t kl_circuit_gate_end(const struct kl_op *ops, size_t n, size_t begin);
uint32_t kl_circuit_gate_wires(const struct kl_op *ops, size_t begin, size_t end);
size_t kl_circuit_gates(const struct kl_circuit *c);
/* Some gate is of several ops, or does nothing: what its noise is depends on what one gate is. */
bool kl_circuit_has_composites(const struct kl_circuit *c);
int kl_circuit_op_angles(const struct kl_op *op);                       /* 0, 1 or 3 */
uint32_t kl_circuit_op_wires(const struct kl_op *op);                   /* bit q set = wire q */
void kl_circuit_op_span(int *first, int *last, const struct kl_op *op); /* wires, both included */
/* Column of every gate (n_ops), each the first free on its span. Returns how many columns there
 * are. */
int kl_circuit_columns(int *column, const struct kl_circuit *c);
enum { KL_ANGLE_NAME = 40 };
void kl_circuit_angle_name(char text[KL_ANGLE_NAME],
                           const struct kl_angle *a); /* "w3", "2 x0", "x0x1", "-1.57" */
/* A drawing in rows of at most `width` characters where gates allow. KL_EIO, KL_ENOMEM. */
int kl_circuit_text(FILE *to, const struct kl_circuit *c, size_t width, struct kl_error *err);
/* OpenQASM 3. KL_EUSAGE: an amplitude embedding; KL_EIO. */
int kl_circuit_qasm(FILE *to, const struct kl_circuit *c, struct kl_error *err);
/* The circuit that these options make as a function circuit(x, w) of PennyLane, whose modules qml, np
   and functools are there (pennylane.c). KL_ENOMEM. */
int kl_circuit_pennylane(FILE *to, const struct kl_circuit *c, const struct kl_circuit_options *o,
                         struct kl_error *err);
/* Print the notes and cautions of a circuit read from OpenQASM. */
void kl_circuit_say(const struct kl_log *log, const struct kl_circuit *c);
/* A circuit without observables, not finished, from OpenQASM 3 or 2: docs/circuits.md says what is read.
   Parameters whose names begin with x or input, behind any _, are inputs, all others weights, in the
   order of their declarations. KL_EDATA with line and column, KL_ENOMEM. */
int kl_circuit_from_qasm(struct kl_circuit **circuit, const char *text, struct kl_error *err);

/* Both precisions; x (n, n_inputs), w (n_weights), out and cot (n, n_obs).
   forward: out = expectation values; state: kl_circuit_state_size values that adjoint needs, or NULL.
   adjoint (Jones & Gacon 2020, arXiv:2009.02823): gradients of sum(cot * out); dx (n, n_inputs) is set,
   dw (n_weights) is ADDED to; state is what forward left for the same x, w, and is used up; above 12
   qubits (state size 0) the circuit is run again. Scratch: two states a sample for up to
   KL_CIRCUIT_GROUP samples, a thread or, from 16 qubits on, once: at most 256 MiB at 20 qubits in float,
   half of it for real amplitudes. work is only taken from: the caller resets it. Sums over samples are
   in a fixed order: the result does not depend on threads. pool may be NULL; work is scratch. Return 0
   or KL_ENOMEM. */
size_t kl_circuit_state_size(const struct kl_circuit *c, size_t n);
int kl_circuit_forward_f32(float *out, float *state, const struct kl_circuit *c, const float *x,
                           const float *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                           struct kl_error *err);
int kl_circuit_forward_f64(double *out, double *state, const struct kl_circuit *c, const double *x,
                           const double *w, size_t n, struct kl_pool *pool, struct kl_arena *work,
                           struct kl_error *err);
int kl_circuit_adjoint_f32(float *dx, float *dw, float *state, const struct kl_circuit *c,
                           const float *x, const float *w, const float *cot, size_t n,
                           struct kl_pool *pool, struct kl_arena *work, struct kl_error *err);
int kl_circuit_adjoint_f64(double *dx, double *dw, double *state, const struct kl_circuit *c,
                           const double *x, const double *w, const double *cot, size_t n,
                           struct kl_pool *pool, struct kl_arena *work, struct kl_error *err);
/* The adjoint in two halves, for callers that share a batch among threads. samples: dx and dangles
   (kl_circuit_angles_size(c, n) values) of n samples; parts that begin at multiples of KL_CIRCUIT_GROUP
   samples lie side by side in state and dangles, at the sizes of the samples before them, and have the
   bits of the whole. weights: dw += the sum over n samples; dangles is used up. */
enum { KL_CIRCUIT_GROUP = 16 };
size_t kl_circuit_angles_size(const struct kl_circuit *c, size_t n);
int kl_circuit_samples_f32(float *dx, float *dangles, float *state, const struct kl_circuit *c,
                           const float *x, const float *w, const float *cot, size_t n,
                           struct kl_pool *pool, struct kl_arena *work, struct kl_error *err);
int kl_circuit_samples_f64(double *dx, double *dangles, double *state, const struct kl_circuit *c,
                           const double *x, const double *w, const double *cot, size_t n,
                           struct kl_pool *pool, struct kl_arena *work, struct kl_error *err);
void kl_circuit_weights_f32(float *dw, float *dangles, const struct kl_circuit *c, size_t n);
void kl_circuit_weights_f64(double *dw, double *dangles, const struct kl_circuit *c, size_t n);
/* A cross-check, in double, one sample after another: dx set, dw added to, as adjoint, by central
   differences with step h. Shift rules: estimate.h. */
int kl_circuit_differences(double *dx, double *dw, const struct kl_circuit *c, const double *x,
                           const double *w, const double *cot, size_t n, double h, struct kl_arena *work,
                           struct kl_error *err);

/* In files that are compiled in both precisions (kernels/inline/real.h). */
#define kl_circuit_forward KL_NAME(kl_circuit_forward)
#define kl_circuit_adjoint KL_NAME(kl_circuit_adjoint)
#define kl_circuit_samples KL_NAME(kl_circuit_samples)
#define kl_circuit_weights KL_NAME(kl_circuit_weights)

/* ---- A circuit as kernels/cuda.h wants it ---- */

struct kl_cuda_circuit;
/* Its arrays lie in memory. KL_EUSAGE: noise, which a GPU does not do, or too many amplitudes of
   fidelities. KL_ENOMEM. */
int kl_circuit_for_cuda(struct kl_cuda_circuit *to, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err);

#endif
