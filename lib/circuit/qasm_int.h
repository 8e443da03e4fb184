/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: the reader of OpenQASM. The first failure is kept with its line and column;
   whatever is read after it is nothing. */
#ifndef KL_QASM_INT_H
#define KL_QASM_INT_H

#include "circuit/circuit.h"

enum {
    KL_QASM_WORD = 48,  /* letters of a name, with its end */
    KL_QASM_TERMS = 16, /* of an angle */
    KL_QASM_REGISTERS = 16,
    KL_QASM_DEPTH = 32,      /* of parentheses and signs */
    KL_QASM_VALUES = 1 << 16 /* of all parameters */
};

/* Name of a parameter, or of an array of them. */
struct kl_qasm_name {
    char text[KL_QASM_WORD];
    enum kl_source source;
    int first, count; /* count 0: one value, no array */
};
struct kl_qasm_qubits {
    char text[KL_QASM_WORD];
    int first, count;
};
/* A sum of terms; factors -1: none. */
struct kl_qasm_term {
    enum kl_source source;
    int index, index2;
    double scale;
    int factor; /* a weight that multiplies inputs */
};
struct kl_qasm_sum {
    struct kl_qasm_term terms[KL_QASM_TERMS];
    int n;
    bool whole; /* of whole numbers alone, which divide as such */
};

struct kl_qasm_reader {
    const char *begin, *at, *token; /* where the last word or number began */
    struct kl_circuit *circuit;
    struct kl_qasm_name *names; /* (qasm_names.c) */
    int *places, n_names, n_places, n_inputs, n_weights;
    struct kl_qasm_qubits registers[KL_QASM_REGISTERS];
    int n_registers, n_qubits, depth;
    bool joins, joined; /* what comes next is a gate with the call after it; with the call before it */
    struct kl_error *err;
    int code;
};

/* ---- letters (qasm_lex.c) ---- */
/* Keeps the message and the place, unless something has failed before: of what does not fit r->at, of a
   word or number that has been read its beginning, r->token. */
__attribute__((format(printf, 3, 4))) void kl_circuit_qasm_fail(struct kl_qasm_reader *r, const char *at,
                                                                const char *format, ...);
void kl_circuit_qasm_skip(struct kl_qasm_reader *r);           /* white space and comments */
bool kl_circuit_qasm_take(struct kl_qasm_reader *r, char c);   /* true if it stood there */
void kl_circuit_qasm_expect(struct kl_qasm_reader *r, char c); /* fails if it does not stand there */
/* Fails: what stands at r->at is not what was expected. */
void kl_circuit_qasm_unexpected(struct kl_qasm_reader *r, const char *expected);
/* A word, "" if there is none; r->at stays behind it. */
void kl_circuit_qasm_word(struct kl_qasm_reader *r, char text[KL_QASM_WORD]);
int kl_circuit_qasm_number(struct kl_qasm_reader *r, int most); /* a whole number from 0 to most */

/* ---- parameters (qasm_names.c) ---- */
const struct kl_qasm_name *kl_circuit_qasm_find(const struct kl_qasm_reader *r,
                                                const char *text); /* or NULL */
/* Adds a name that is not there. r->code becomes KL_ENOMEM if it cannot. */
void kl_circuit_qasm_declare(struct kl_qasm_reader *r, const struct kl_qasm_name *name);

/* ---- angles (qasm_angle.c) ---- */
struct kl_qasm_sum kl_circuit_qasm_angle(struct kl_qasm_reader *r);
struct kl_qasm_sum kl_circuit_qasm_constant(double value);

/* ---- gates (qasm_gates.c) ---- */
bool kl_circuit_qasm_is_gate(const char *name);
/* The rest of a call of the gate `name`, to its semicolon; appended to r->circuit. */
void kl_circuit_qasm_gate(struct kl_qasm_reader *r, const char *name);
/* The rest of a barrier, which has no effect. */
void kl_circuit_qasm_barrier(struct kl_qasm_reader *r);
/* The circuit begins with its first gate, if it has not begun: declarations come before (qasm_read.c).
 */
void kl_circuit_qasm_begin(struct kl_qasm_reader *r);
/* Fails: the statement that begins with this word is none that is read (qasm_unread.c). */
void kl_circuit_qasm_unread(struct kl_qasm_reader *r, const char *word);

#endif
