/* SPDX-License-Identifier: MIT
   Private to the files that read models: numbers with units, operators, matrices in files. */
#ifndef KL_CONTROL_MODEL_INT_H
#define KL_CONTROL_MODEL_INT_H

#include <yaml.h>

#include "control/model/model.h"

/* ---- notation.c ---- */
/* The parts of a system: qubits, one oscillator, or several. A state |j k ..> has the number that its
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

/* ---- A model's file while it is read: its text as mappings of known keys, and what becomes of them
   ---- */

enum { KL_CONTROL_YAML_KEYS = 12 };
struct kl_control_yaml {
    const char *path;
    char *text;
    yaml_document_t document;
};
struct kl_control_yaml_map {
    const char *keys; /* "a|b|c" */
    char title[40];   /* "jumps 2", "" of the root */
    int line;         /* from 1 */
    yaml_node_t *value[KL_CONTROL_YAML_KEYS];
};
/* KL_ENOINPUT, KL_EDATA (no YAML, several documents), KL_ENOMEM. Close it if it was opened. */
int kl_control_yaml_open(struct kl_control_yaml *yaml, const char *path, struct kl_error *err);
void kl_control_yaml_close(struct kl_control_yaml *yaml);
/* The document as a mapping of these keys. KL_EDATA: it is none, a key is unknown or given twice. */
int kl_control_yaml_root(struct kl_control_yaml_map *map, struct kl_control_yaml *yaml, const char *keys,
                         struct kl_error *err);
/* "file.yaml:7: jumps 2: rate"; key -1: the whole mapping. */
void kl_control_yaml_where(char where[300], const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key);
/* A plain value; NULL: the key is not there. KL_EDATA: something else, or nothing, stands there. */
int kl_control_yaml_text(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* The same, and it must be there. */
int kl_control_yaml_need(const char **text, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* The plain values of a list, or of one value alone, into texts [most]; n 0: the key is not there.
   KL_EDATA: something else, or more, stands there. */
int kl_control_yaml_values(const char **texts, int *n, int most, const struct kl_control_yaml *yaml,
                           const struct kl_control_yaml_map *map, int key, struct kl_error *err);
/* Items of a list, 0 where it is not there, and one of them as a mapping. KL_EDATA. */
int kl_control_yaml_list(int *n, const struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, struct kl_error *err);
int kl_control_yaml_item(struct kl_control_yaml_map *item, struct kl_control_yaml *yaml,
                         const struct kl_control_yaml_map *map, int key, int i, const char *keys,
                         struct kl_error *err);
/* Puts where before an error's text; its code becomes KL_EDATA, which is returned. */
int kl_control_yaml_prefix(struct kl_error *err, const char *where);

/* ---- Private to model_file.c and model_entries.c: a model's file while it is read ---- */
struct kl_control_reader {
    struct kl_control_yaml yaml;
    struct kl_control_model *model;
    struct kl_control_system *s;
    struct kl_control_parts parts;
    int unit;                     /* of time, as kl_control_time_unit says */
    bool has_moduli;              /* so that a control may have no limit of its own */
    char how[KL_CONTROL_HOW + 4]; /* in which order the last matrix was read, " (C order)"; or "" */
    FILE *said;
    struct kl_error *err;
};

/* ---- model_file.c ---- */
/* A line of what was understood: texts of the file may hold anything. */
void __attribute__((format(printf, 2, 3)))
kl_control_reader_say(struct kl_control_reader *r, const char *format, ...);
/* " rad/ns" of what "rad"; "" where times have no unit. */
const char *kl_control_reader_per_time(const struct kl_control_reader *r, char text[16],
                                       const char *what);
/* "file.yaml:7: controls: limit" */
void kl_control_reader_place(char where[300], const struct kl_control_reader *r,
                             const struct kl_control_yaml_map *map, int key);
/* A number with its unit under a key; given: was it there? Then the same above 0, or from 0 on. */
int kl_control_reader_quantity(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what);
int kl_control_reader_positive(struct kl_control_reader *r, double *value, bool *given,
                               const struct kl_control_yaml_map *map, int key,
                               enum kl_control_quantity what, bool zero);
/* A whole number, which stays as it is where the key is not there. */
int kl_control_reader_whole(struct kl_control_reader *r, int *value,
                            const struct kl_control_yaml_map *map, int key, int low, int high);
/* The text of a name, NULL where there is none. */
int kl_control_reader_name(struct kl_control_reader *r, const char **text,
                           const struct kl_control_yaml_map *map, int key);

/* ---- model_entries.c: one item of each list ---- */
int kl_control_reader_term(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_jump(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_decay(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_control(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
int kl_control_reader_modulus(struct kl_control_reader *r, const struct kl_control_yaml_map *map);
/* A control has limits of its own, or is one of a pair that has. */
int kl_control_reader_check_limits(struct kl_control_reader *r);

#endif
