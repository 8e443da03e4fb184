/* SPDX-License-Identifier: MIT
   OpenQASM 3 (arXiv:2104.14722) of a circuit: inputs x_i and weights w_i are its `input` parameters; no
   measurement is added. Gates are those of stdgates.inc; one that it lacks is written as several, which
   an annotation says are one: read again, the circuit has the same noise. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <stdlib.h>

/* The ops of a gate, or of a part of one, on their way to the file; more: another part comes. */
struct writer {
    FILE *to;
    const struct kl_op *begin, *end;
    bool more;
};

static const struct kl_term_words words = { "w_", "x_", "", 0, 0 };

/* An index of a loop's gates, "3 * q + 12"; else a number. */
static void write_index(FILE *to, const struct kl_term_words *words, int index)
{
    const int from = index - words->times * words->wire;
    if (words->times != 0 && words->times != 1) fprintf(to, "%d * ", words->times);
    if (words->times != 0) fputc('q', to);
    if (words->times == 0) fprintf(to, "%d", index);
    else if (from) fprintf(to, from < 0 ? " - %d" : " + %d", abs(from));
}

static void write_factor(FILE *to, const struct kl_term_words *words, const char *name, int index,
                         bool more)
{
    fputs(name, to);
    write_index(to, words, index);
    fputs(words->end, to);
    if (more) fputs(" * ", to);
}

void kl_circuit_write_term(FILE *to, const struct kl_angle *a, const struct kl_term_words *words,
                           double factor, bool first)
{
    const double scale = factor * a->scale, size = first ? scale : fabs(scale);
    if (!first) fputs(signbit(scale) ? " - " : " + ", to);
    if (a->source == KL_CONSTANT) {
        fprintf(to, "%.17g", size);
        return;
    }
    if (size != 1) fprintf(to, "%.17g * ", size);
    if (a->source == KL_WEIGHT) {
        write_factor(to, words, words->weight, a->index, false);
        return;
    }
    if (a->scaled) write_factor(to, words, words->weight, a->scaled - 1, true);
    write_factor(to, words, words->input, a->index, a->index2 >= 0);
    if (a->index2 >= 0) write_factor(to, words, words->input, a->index2, false);
}

/* The sum of the angles of all ops from `op` on that are of its kind, times factor; returns where the
   next kind begins. */
static const struct kl_op *sum(const struct writer *w, const struct kl_op *op, double factor)
{
    const struct kl_op *at = op;
    for (; at < w->end && at->gate == op->gate && at->wire[0] == op->wire[0]; at++)
        kl_circuit_write_term(w->to, &at->angle[0], &words, factor, at == op);
    return at;
}

static void wires(FILE *to, const struct kl_op *op, bool two)
{
    fprintf(to, two ? " q[%d], q[%d];\n" : " q[%d];\n", op->wire[0], op->wire[1]);
}

/* By the angle of `op` alone, or of all that are added to it. */
static void rotation(const struct writer *w, const char *name, const struct kl_op *op, bool two)
{
    fprintf(w->to, "%s(", name);
    if (op->whole == KL_SUM) sum(w, op, 1);
    else kl_circuit_write_term(w->to, &op->angle[0], &words, 1, true);
    fputc(')', w->to);
    wires(w->to, op, two);
}

static void fixed(const struct writer *w, const char *name, const struct kl_op *op, bool two)
{
    fputs(name, w->to);
    wires(w->to, op, two);
}

static void with_next(const struct writer *w)
{
    fputs("@ketline.with_next\n", w->to);
}

/* exp(-i t/2 Z..Z): the parity is gathered on the last wire, turned there, and given back. */
static void multi_rz(const struct writer *w, const struct kl_op *op)
{
    int at[KL_MAX_QUBITS], n = 0;
    for (int q = 0; q < KL_MAX_QUBITS; q++)
        if (op->mask >> q & 1) at[n++] = q;
    struct kl_op turn = *op;
    turn.wire[0] = at[n - 1];
    for (int i = 0; i + 1 < n; i++)
        with_next(w), fixed(w, "cx", &(struct kl_op){ .wire = { at[i], at[i + 1] } }, true);
    if (n > 1 || w->more) with_next(w);
    fputs("rz(", w->to);
    if (op->whole == KL_SUM) sum(w, op, 1);
    else kl_circuit_write_term(w->to, &op->angle[0], &words, 1, true);
    fputc(')', w->to);
    wires(w->to, &turn, false);
    for (int i = n - 2; i >= 0; i--) {
        if (i || w->more) with_next(w);
        fixed(w, "cx", &(struct kl_op){ .wire = { at[i], at[i + 1] } }, true);
    }
}

/* Rot(a, b, c) is u3(b, c, a). */
static void rot(const struct writer *w, const struct kl_op *op)
{
    const int order[] = { 1, 2, 0 };
    for (int i = 0; i < 3; i++) {
        fputs(i ? ", " : "u3(", w->to);
        kl_circuit_write_term(w->to, &op->angle[order[i]], &words, 1, true);
    }
    fputc(')', w->to);
    wires(w->to, op, false);
}

/* Sums of RZ, RY, RZ. */
static void u3(const struct writer *w)
{
    const struct kl_op *theta = w->begin, *phi;
    while (theta->gate != KL_RY) theta++;
    fputs("u3(", w->to);
    phi = sum(w, theta, 1);
    fputs(", ", w->to);
    sum(w, phi, 1);
    fputs(", ", w->to);
    sum(w, w->begin, 1);
    fputc(')', w->to);
    wires(w->to, w->begin, false);
}

static void cp(const struct writer *w)
{
    const struct kl_op *first = w->begin, *second;
    while (first->gate != KL_RZ) first++;
    fputs("cp(", w->to);
    second = sum(w, first, 2);
    fputc(')', w->to);
    wires(w->to, &(struct kl_op){ .wire = { first->wire[0], second->wire[0] } }, true);
}

static void write_op(const struct writer *w)
{
    const struct kl_op *op = w->begin;
    switch (op->gate) {
    case KL_RX: rotation(w, "rx", op, false); break;
    case KL_RY: rotation(w, "ry", op, false); break;
    case KL_RZ: rotation(w, "rz", op, false); break;
    case KL_ROT: rot(w, op); break;
    case KL_H: fixed(w, "h", op, false); break;
    case KL_X: fixed(w, "x", op, false); break;
    case KL_CNOT: fixed(w, "cx", op, true); break;
    case KL_CZ: fixed(w, "cz", op, true); break;
    case KL_CRX: rotation(w, "crx", op, true); break;
    case KL_CRY: rotation(w, "cry", op, true); break;
    case KL_CRZ: rotation(w, "crz", op, true); break;
    case KL_MULTIRZ: multi_rz(w, op); break;
    case KL_ID: fixed(w, "id", op, false); break;
    }
}

static void write_part(const struct writer *w)
{
    const struct kl_op *op = w->begin;
    if (w->more && op->gate != KL_MULTIRZ) with_next(w);
    switch (op->whole) {
    case KL_ITSELF:
    case KL_SUM: write_op(w); break;
    case KL_U: op->gate == KL_ROT ? rot(w, op) : u3(w); break;
    case KL_CP: cp(w); break;
    case KL_Y: fixed(w, "y", op, false); break;
    case KL_SWAP: fixed(w, "swap", op, true); break;
    }
}

int kl_circuit_qasm(FILE *to, const struct kl_circuit *c, struct kl_error *err)
{
    if (c->amplitude_inputs)
        return kl_fail(err, KL_EUSAGE, "OpenQASM has no gate for an amplitude embedding");
    fputs("OPENQASM 3.0;\ninclude \"stdgates.inc\";\n", to);
    for (size_t i = 0; i < c->n_inputs; i++) fprintf(to, "input float[64] x_%zu;\n", i);
    for (size_t i = 0; i < c->n_weights; i++) fprintf(to, "input float[64] w_%zu;\n", i);
    fprintf(to, "qubit[%d] q;\n", c->n_qubits);
    for (size_t i = 0, end; i < c->n_ops; i = end) {
        for (end = i + 1; end < c->n_ops && c->ops[end - 1].next == KL_SAME_PART;) end++;
        write_part(&(struct writer){ to, c->ops + i, c->ops + end,
                                     end < c->n_ops && c->ops[end - 1].next == KL_NEXT_PART });
    }
    return ferror(to) ? kl_fail(err, KL_EIO, "writing the circuit failed") : KL_OK;
}
