/* SPDX-License-Identifier: MIT
   Private to the files that read models: numbers with units, operators, matrices in files. */
#ifndef KL_CONTROL_MODEL_INT_H
#define KL_CONTROL_MODEL_INT_H

#include "control/model/model.h"
#include "control/model/units.h"

/* ---- operator_text.c ---- */
/* operator [d][d] of sums and products: numbers, i, pi; of qubits (n_qubits > 0) Pauli strings, X1, sm1
   = |0><1|, sp1; of levels a, ad, n; |j><k|, ^+, powers, parentheses. where begins a message. KL_EDATA.
 */
int kl_control_operator_text(double _Complex *operator, const char * text, int d, int n_qubits,
                             const char *where, struct kl_error *err);

/* ---- matrix_file.c ---- */
/* matrix [rows][cols], real or complex (in HDF5 a compound of r and i, or a last axis of 2), from X.npy
   or FILE:DATASET; a relative path is taken from the folder of `beside` (NULL: the current one).
   KL_ENOINPUT, KL_EDATA: another shape, not finite, not numbers; KL_EIO, KL_ENOMEM. */
int kl_control_matrix_read(double _Complex *matrix, int rows, int cols, const char *path,
                           const char *beside, struct kl_error *err);

/* kl_control_target_make and kl_control_state_make, with files beside another. */
int kl_control_target_beside(struct kl_control_target *target, const char *text, int d,
                             const char *beside, struct kl_error *err);
int kl_control_state_beside(double _Complex *amplitudes, const char *text, int d, int n_qubits,
                            const char *beside, struct kl_error *err);

/* Of kl_control_target_json (model_json.c). */
int kl_control_target_parse(struct kl_control_target *target, const char *text, int d,
                            struct kl_error *err);
/* Letters, digits, '_' and '-', shorter than KL_CONTROL_NAME (model_file.c). */
bool kl_control_is_name(const char *text);
/* The rest of a target that is a state, from `from` and `state` [d]: a gate that does it. KL_EDATA: they
   are not of norm 1 (model_file.c). */
int kl_control_model_target_state(struct kl_control_model_target *target, const char *name, int d,
                                  struct kl_error *err);

#endif
