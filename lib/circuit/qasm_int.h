/* SPDX-License-Identifier: MIT
   Private to lib/circuit/: the reader of OpenQASM. The first failure is kept with its line and column;
   whatever is read after it is nothing. */
#ifndef KL_QASM_INT_H
#define KL_QASM_INT_H

#include "circuit/circuit.h"

enum {
    KL_QASM_WORD = 64,  /* bytes of a name, with its end */
    KL_QASM_TERMS = 16, /* of an angle */
    KL_QASM_REGISTERS = 64,
    KL_QASM_DEPTH = 32,       /* of parentheses and signs; of definitions and blocks */
    KL_QASM_ARGUMENTS = 4096, /* of a definition */
    KL_QASM_STEPS = 1 << 17,  /* statements of definitions and loops, as often as they are run */
    KL_QASM_VALUES = 1 << 16  /* of all parameters */
};

/* Name of a parameter, or of an array of them; or of a constant. */
struct kl_qasm_name {
    char text[KL_QASM_WORD];
    enum kl_source source;
    int first, count; /* count 0: one value, no array */
    double value;     /* of a constant */
    bool whole;
};
/* A register, or a part of one by another name; of bits, whose number alone is known. */
struct kl_qasm_qubits {
    char text[KL_QASM_WORD];
    int wires[KL_MAX_QUBITS], count; /* count 0: one qubit, no register */
    bool bits;
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

/* Gates by the text's own definitions, and by those that stdgates.inc and qelib1.inc have beside the
   gates of the table in qasm_gates.c: from their parameters on. */
struct kl_qasm_definition {
    char text[KL_QASM_WORD];
    const char *at;
};
/* Names that hold in the body of a definition, or of a loop. */
struct kl_qasm_local {
    char text[KL_QASM_WORD];
    struct kl_qasm_sum value;
};
struct kl_qasm_scope {
    const struct kl_qasm_scope *outer; /* of a loop: what holds around it */
    bool body;     /* of a definition, which knows no parameters and qubits but its own */
    int n_visible; /* definitions before it; -1: those of the standard alone */
    struct kl_qasm_local *locals;
    int n_locals;
    char (*qubits)[KL_QASM_WORD];
    int wires[KL_MAX_QUBITS], n_qubits;
};

struct kl_qasm_reader {
    const char *begin, *end, *at, *token; /* token: where the last word or number began */
    const char *called;                   /* the word of the call that is run now */
    const char
        *site; /* where a definition of the standard was called: what is wrong in it is wrong there */
    struct kl_circuit *circuit;
    struct kl_qasm_name *names; /* (qasm_names.c) */
    int *places, n_names, n_places, n_inputs, n_weights;
    struct kl_qasm_qubits registers[KL_QASM_REGISTERS];
    int n_registers, n_qubits, depth, version;
    struct kl_qasm_definition *definitions;
    int n_definitions, nested, steps;
    const struct kl_qasm_scope *scope;
    int controls[KL_MAX_QUBITS], n_controls; /* of what is called now */
    uint32_t turned, measured;               /* wires: on which a gate was; that were measured */
    bool joins, joined; /* what comes next is a gate with the call after it; with the call before it */
    struct kl_error *err;
    int code;
};

/* ---- letters (qasm_names.c) ---- */
/* Keeps the message and the place, unless something has failed before: of what does not fit r->at, of a
   word or number that has been read its beginning, r->token. */
__attribute__((format(printf, 3, 4))) void kl_circuit_qasm_fail(struct kl_qasm_reader *r, const char *at,
                                                                const char *format, ...);
void kl_circuit_qasm_skip(struct kl_qasm_reader *r);           /* white space and comments */
bool kl_circuit_qasm_take(struct kl_qasm_reader *r, char c);   /* true if it stood there */
void kl_circuit_qasm_expect(struct kl_qasm_reader *r, char c); /* fails if it does not stand there */
/* Two letters, as "->"; true if they stood there. */
bool kl_circuit_qasm_take_two(struct kl_qasm_reader *r, const char *letters);
/* Fails: what stands at r->at is not what was expected. */
void kl_circuit_qasm_unexpected(struct kl_qasm_reader *r, const char *expected);
/* A word, "" if there is none; r->at stays behind it. */
void kl_circuit_qasm_word(struct kl_qasm_reader *r, char text[KL_QASM_WORD]);
/* r->at goes behind the block in braces that it stands before, or behind the next semicolon. */
void kl_circuit_qasm_pass(struct kl_qasm_reader *r);

/* ---- names of parameters and constants (qasm_names.c) ---- */
const struct kl_qasm_name *kl_circuit_qasm_find(const struct kl_qasm_reader *r,
                                                const char *text); /* or NULL */
/* Adds a name that is not there. r->code becomes KL_ENOMEM if it cannot. */
void kl_circuit_qasm_declare(struct kl_qasm_reader *r, const struct kl_qasm_name *name);
/* The value of a local name where r stands; NULL: not local, at most declared by the text. */
const struct kl_qasm_sum *kl_circuit_qasm_local(const struct kl_qasm_reader *r, const char *text);
/* In the body of a definition? */
const struct kl_qasm_scope *kl_circuit_qasm_body(const struct kl_qasm_reader *r);
/* Caution if the numbers in the parameters' names contradict the order of their declarations. */
void kl_circuit_qasm_order(struct kl_qasm_reader *r);

/* ---- angles (qasm_angle.c) ---- */
struct kl_qasm_sum kl_circuit_qasm_angle(struct kl_qasm_reader *r);
/* An angle that is a number; *whole of whole ones alone. */
double kl_circuit_qasm_value(struct kl_qasm_reader *r, bool *whole);
int kl_circuit_qasm_number(struct kl_qasm_reader *r, int least, int most); /* a whole one */
struct kl_qasm_sum kl_circuit_qasm_constant(double value);

/* ---- qubits (qasm_names.c) ---- */
/* An operand of a call: a qubit, or several, one after another. */
struct kl_qasm_operand {
    int wires[KL_MAX_QUBITS], count; /* count 0: a single one */
};
struct kl_qasm_operand kl_circuit_qasm_operand(struct kl_qasm_reader *r);
void kl_circuit_qasm_qubits(struct kl_qasm_reader *r, bool old); /* the rest of qubit, qreg */
void kl_circuit_qasm_bits(struct kl_qasm_reader *r, bool old);   /* of bit, creg */
void kl_circuit_qasm_alias(struct kl_qasm_reader *r);            /* of let */
void kl_circuit_qasm_barrier(struct kl_qasm_reader *r);          /* which has no effect */
void kl_circuit_qasm_measure(struct kl_qasm_reader *r);          /* what is measured at the end */
void kl_circuit_qasm_reset(struct kl_qasm_reader *r);            /* what a circuit begins with */
/* The rest of `NAME[...] = measure`, behind the name; false: it is none. */
bool kl_circuit_qasm_assigns(struct kl_qasm_reader *r, const char *name);
void kl_circuit_qasm_check_new(struct kl_qasm_reader *r, const char *text); /* fails if it is known */

/* ---- calls (qasm_gates.c), definitions (qasm_read.c) ---- */
bool kl_circuit_qasm_is_gate(const struct kl_qasm_reader *r, const char *name);
bool kl_circuit_qasm_is_modifier(const char *name);
/* The rest of a call of the gate, or of the modifier, `name`, to its semicolon. */
void kl_circuit_qasm_call(struct kl_qasm_reader *r, const char *name);
/* The definition that is seen here, the text's own or one of the standard; NULL: there is none. */
const struct kl_qasm_definition *kl_circuit_qasm_definition(const struct kl_qasm_reader *r,
                                                            const char *name, bool own);
/* Its statements on these wires; fails if it has other numbers of angles or wires. */
void kl_circuit_qasm_expand(struct kl_qasm_reader *r, const struct kl_qasm_definition *d,
                            const struct kl_qasm_sum *angles, int n_angles, const int *wires,
                            int n_wires);
/* One more statement, of what is run again and again; false: too many. */
bool kl_circuit_qasm_step(struct kl_qasm_reader *r);

/* ---- statements (qasm_read.c) ---- */
/* The circuit begins with its first gate, if it has not begun: declarations come before. */
void kl_circuit_qasm_begin(struct kl_qasm_reader *r);
/* A line for circuit->notes or circuit->cautions, once. */
void kl_circuit_qasm_say(struct kl_qasm_reader *r, char **lines, const char *line);
/* Fails: the statement that begins with this word is none that is read. */
void kl_circuit_qasm_unread(struct kl_qasm_reader *r, const char *word);

#endif
