/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: circuits by name. The first failure is kept, gates after it are nothing. */
#ifndef KL_BUILD_INT_H
#define KL_BUILD_INT_H

#include "circuit/circuit.h"

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

/* Outputs from kl_circuit_options' text of observables (observables.c). Returns 0 or the code. */
int kl_circuit_observe_text(struct kl_builder *b, const char *text);

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

#endif
