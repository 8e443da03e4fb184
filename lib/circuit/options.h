/* SPDX-License-Identifier: MIT
   The rows of a table of options that choose a circuit, for every tool that takes one. */
#ifndef KL_CIRCUIT_OPTIONS_H
#define KL_CIRCUIT_OPTIONS_H

#include "circuit/circuit.h"

/* Names that KL_OPT_CHOICE takes: kl_ansatz_names, kl_entanglement_names. */
#define KL_ANSATZ_CHOICES                                                                              \
    "ry-ring|basic-entangler|strongly-entangling|simplified-two-design|real-amplitudes|efficient-su2|" \
    "brick|qcnn|qlcu"
#define KL_ENTANGLEMENT_CHOICES "linear|reverse-linear|ring|full|star"

/* at: offset of the struct kl_circuit_options in the tool's values. The text of --circuit-file is in the
   key, as `qasm`, its name is not. */
/* clang-format off */
#define KL_CIRCUIT_AT(at, field) ((at) + offsetof(struct kl_circuit_options, field))
#define KL_CIRCUIT_OPTIONS(at)                                                                            \
    { "qubits", 0, KL_OPT_INT, KL_CIRCUIT_AT(at, n_qubits), "N", 1, KL_MAX_QUBITS, true,                  \
      "of the circuit", "Circuit", "n_qubits" },                                                          \
    { "layers", 0, KL_OPT_INT, KL_CIRCUIT_AT(at, n_layers), "N", 0, 1000, true,                           \
      "of the ansatz", NULL, "n_layers" },                                                                \
    { "ansatz", 0, KL_OPT_CHOICE, KL_CIRCUIT_AT(at, ansatz), KL_ANSATZ_CHOICES, 0, 0, true,                \
      "gates of a layer", NULL, NULL },                                                                   \
    { "entanglement", 0, KL_OPT_CHOICE, KL_CIRCUIT_AT(at, entanglement),                                  \
      KL_ENTANGLEMENT_CHOICES, 0, 0, true, "pairs that a layer couples (default: its own)", NULL, NULL },                    \
    { "mirror", 0, KL_OPT_INT, KL_CIRCUIT_AT(at, mirror), "N", 0, 500, true,                               \
      "blocks of N layers and their mirror image; 0: none", NULL, NULL },                                 \
    { "embedding", 0, KL_OPT_CHOICE, KL_CIRCUIT_AT(at, embedding),                                        \
      "angle-y|angle-x|angle-z|basis|iqp|iqp-2|zz|amplitude", 0, 0, true, "how inputs enter", NULL, NULL }, \
    { "reupload", 0, KL_OPT_FLAG, KL_CIRCUIT_AT(at, reupload), NULL, 0, 0, true,                          \
      "embed before every layer", NULL, NULL },                                                           \
    { "learn-scale", 0, KL_OPT_FLAG, KL_CIRCUIT_AT(at, learn_scale), NULL, 0, 0, true,                     \
      "weights, 1 at first, times the inputs' angles", NULL, NULL },                                       \
    { "observables", 0, KL_OPT_STRING, KL_CIRCUIT_AT(at, observables), "LIST", 0, 0, true,                \
      "z, x, zz, probs, ZZII-0.5*XIYI, probs(0,2), fidelity(ghz)...", NULL, NULL },                                          \
    { "circuit-file", 0, KL_OPT_STRING, KL_CIRCUIT_AT(at, file), "FILE", 0, 0, false,                     \
      "OpenQASM 3 in place of these: docs/circuits.md", NULL, NULL },                                     \
    { "qasm", 0, KL_OPT_STRING, KL_CIRCUIT_AT(at, qasm), "TEXT", 0, 0, true, NULL, NULL, NULL }
/* The row of its noise, for tools that run it; the value becomes kl_circuit_noise_text's before the key. */
#define KL_NOISE_OPTION(at, group)                                                                        \
    { "noise", 0, KL_OPT_STRING, at, "LIST|FILE", 0, 0, true,                                             \
      "NAME=NUMBER,... or calibration.json[,qubits=0,3,5]", group, NULL }
/* How it is run; the value is read by kl_circuit_trajectories_read. */
#define KL_TRAJECTORIES_OPTION(at)                                                                        \
    { "trajectories", 0, KL_OPT_STRING, at, "T", 0, 0, true,                                              \
      "noise by T realisations; else above 7 qubits", NULL, NULL }
/* clang-format on */

#endif
