/* SPDX-License-Identifier: MIT
   Private to the files that read models: numbers with units, operators, matrices in files. */
#ifndef KL_CONTROL_MODEL_INT_H
#define KL_CONTROL_MODEL_INT_H

#include "control/model/model.h"
#include "control/model/units.h"

/* ---- notation.c ---- */
/* What a system is made of: qubits, one oscillator, or several. A state |j k ..> has the number that its
   digits make, the first part's the most significant; `place` says where it stands in the system, whose
   first `subspace` levels are those that compute. */
struct kl_control_parts {
    bool qubits;
    int n, levels[KL_CONTROL_MAX_PARTS];
    int d, place[KL_CONTROL_MAX_LEVELS];
};
/* to [d][d] in the system's order from what is in that of the digits. */
void kl_control_parts_order(double _Complex *to, const double _Complex *from, int d,
                            const struct kl_control_parts *parts);
/* operator [d][d] of sums and products: numbers, i, pi, sqrt(number); of qubits Pauli strings, X1, sm1 =
   |0><1|, sp1; of levels a, ad, n, or a1, ad1, n1, a2, ...; |j><k|, ^+, powers, parentheses. where
   begins a message. KL_EDATA. */
int kl_control_operator_text(double _Complex *operator, const char * text,
                             const struct kl_control_parts *parts, const char *where,
                             struct kl_error *err);

/* ---- target.c ---- */
/* matrix [rows][cols], real or complex, from X.npy or FILE:DATASET of HDF5 (a compound of two members,
   or a last axis of 2); a relative path is taken from the folder of `beside` (NULL: the current one).
   What programs that store columns wrote (Fortran order; MATLAB's and Julia's marks) is transposed; how
   (NULL: not asked for): in which order it was read, in words, "" where that makes no difference.
   KL_ENOINPUT, KL_EDATA: another shape, not finite, not numbers, a kind of file that is not read;
   KL_EIO, KL_ENOMEM. */
int kl_control_matrix_read(double _Complex *matrix, int rows, int cols, const char *path,
                           const char *beside, char how[KL_CONTROL_HOW], struct kl_error *err);

/* kl_control_target_make, with files beside another; and the like for a state. */
int kl_control_target_beside(struct kl_control_target *target, const char *text, int d,
                             const char *beside, char how[KL_CONTROL_HOW], struct kl_error *err);
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
