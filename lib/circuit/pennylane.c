/* SPDX-License-Identifier: MIT
   A circuit as a function of PennyLane: its gates in their order, those that differ by their wire alone
   as a loop. */
#include "circuit/circuit_int.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [KL_RX] = "RX",   [KL_RY] = "RY",           [KL_RZ] = "RZ", [KL_ROT] = "Rot", [KL_H] = "H",
    [KL_X] = "X",     [KL_CNOT] = "CNOT",       [KL_CZ] = "CZ", [KL_CRX] = "CRX", [KL_CRY] = "CRY",
    [KL_CRZ] = "CRZ", [KL_MULTIRZ] = "MultiRZ", [KL_ID] = "I"
};

/* The ops from `first` on that are one line: `n` gates, of which the wires are `step` apart and the
   indices `times` as far; or one gate, whose angle is the sum of n ops' (step 0). */
struct line {
    const struct kl_op *first;
    size_t n;
    int step, times;
};

static bool has_two_wires(const struct kl_op *op)
{
    return op->gate >= KL_CNOT && op->gate <= KL_CRZ;
}

static bool same_wires(const struct kl_op *a, const struct kl_op *b)
{
    return kl_circuit_op_wires(a) == kl_circuit_op_wires(b) && a->wire[0] == b->wire[0];
}

/* Is b the angle a, its indices moved? */
static bool moved_angle(const struct kl_angle *a, const struct kl_angle *b, int by)
{
    if (a->source != b->source || a->scale != b->scale || !a->scaled != !b->scaled) return false;
    if (a->source == KL_CONSTANT) return true;
    if (a->source == KL_INPUT && (a->index2 >= 0 || b->index2 >= 0)) return false;
    return b->index - a->index == by && (!a->scaled || b->scaled - a->scaled == by);
}

/* Is b the gate a on wires moved by step, the second around the ring of n? */
static bool moved(const struct kl_op *a, const struct kl_op *b, int n, int step, int times)
{
    if (a->gate != b->gate || a->gate == KL_MULTIRZ || a->next || b->next) return false;
    if (b->wire[0] - a->wire[0] != step) return false;
    if (has_two_wires(a) && (b->wire[1] - a->wire[1] - step) % n) return false;
    bool alike = true;
    for (int k = 0; k < kl_circuit_op_angles(a); k++)
        alike = alike && moved_angle(&a->angle[k], &b->angle[k], step * times);
    return alike;
}

/* Of two gates no loop is made: it would be no shorter. */
static struct line take_line(const struct kl_op *op, size_t left, int n)
{
    struct line line = { .first = op, .n = 1 };
    while (line.n < left && op[line.n - 1].next == KL_SAME_PART && op[line.n].gate == op->gate &&
           kl_circuit_op_angles(op) == 1 && same_wires(op, &op[line.n]))
        line.n++;
    if (line.n > 1 || left < 3 || op->next) return line;
    const int step = op[1].wire[0] - op->wire[0];
    if (step != 1 && step != -1) return line;
    const bool indexed = kl_circuit_op_angles(op) && op->angle[0].source != KL_CONSTANT;
    const int times = indexed ? (op[1].angle[0].index - op->angle[0].index) * step : 0;
    size_t end = 1;
    while (end < left && moved(&op[end - 1], &op[end], n, step, times)) end++;
    return end < 3 ? line : (struct line){ op, end, step, times };
}

static void write_range(FILE *to, const struct line *line)
{
    const int a = line->first->wire[0], b = line->first[line->n - 1].wire[0];
    fputs(line->step < 0 ? "    for q in reversed(range(" : "    for q in range(", to);
    if (a && b) fprintf(to, "%d, ", a < b ? a : b);
    fprintf(to, line->step < 0 ? "%d)):\n    " : "%d):\n    ", (a > b ? a : b) + 1);
}

static void write_wires(FILE *to, const struct line *line, int n)
{
    const struct kl_op *op = line->first, *last = op + line->n - 1;
    const char *between = "[";
    if (op->gate == KL_MULTIRZ || !line->step) {
        for (int q = 0; op->gate == KL_MULTIRZ && q < n; q++)
            if (op->mask >> q & 1) fprintf(to, "%s%d", between, q), between = ", ";
        if (op->gate == KL_MULTIRZ) fputc(']', to);
        else if (has_two_wires(op)) fprintf(to, "[%d, %d]", op->wire[0], op->wire[1]);
        else fprintf(to, "%d", op->wire[0]);
        return;
    }
    const int apart = op->wire[1] - op->wire[0];
    if (!has_two_wires(op)) fputc('q', to);
    else if (last->wire[1] - last->wire[0] != apart)
        fprintf(to, "[q, (q + %d) %% %d]", (apart + n) % n, n);
    else fprintf(to, "[q, q %c %d]", apart < 0 ? '-' : '+', abs(apart));
}

static void write_line(FILE *to, const struct line *line, int n)
{
    const struct kl_op *op = line->first;
    const struct kl_term_words words = { "w[", "x[..., ", "]", line->times, op->wire[0] };
    const int angles = kl_circuit_op_angles(op);
    if (line->step) write_range(to, line);
    fprintf(to, "    qml.%s(", names[op->gate]);
    for (int k = 0; k < angles; k++) {
        kl_circuit_write_term(to, &op->angle[k], &words, 1, true);
        for (size_t i = 1; !line->step && i < line->n; i++)
            kl_circuit_write_term(to, &op[i].angle[0], &words, 1, false);
        fputs(", ", to);
    }
    fputs(angles ? "wires=" : "", to);
    write_wires(to, line, n);
    fputs(")\n", to);
}

/* PennyLane's Rot takes no numbers beside inputs of a batch. */
static bool is_mixed(const struct kl_op *op)
{
    bool weights = true;
    for (int k = 0; op->gate == KL_ROT && k < 3; k++)
        weights = weights && op->angle[k].source == KL_WEIGHT;
    return !weights;
}

static void write_turns(FILE *to, const struct kl_op *op, int n)
{
    for (int k = 0; k < 3; k++) {
        const struct kl_op turn = { .gate = k == 1 ? KL_RY : KL_RZ,
                                    .wire = { op->wire[0] },
                                    .angle = { op->angle[k] } };
        write_line(to, &(struct line){ .first = &turn, .n = 1 }, n);
    }
}

/* Where a layer's first weight is, a comment with the layer's number. */
static void write_layer(FILE *to, const struct kl_circuit *c, const struct kl_op *op, size_t *layer)
{
    const size_t before = *layer;
    for (int k = 0; k < kl_circuit_op_angles(op); k++)
        while (op->angle[k].source == KL_WEIGHT && *layer < c->n_layers &&
               (!*layer || (size_t)op->angle[k].index >= c->layer_ends[*layer - 1]))
            ++*layer;
    if (*layer > before) fprintf(to, "    # layer %zu\n", *layer - 1);
}

/* The states of fidelity(...), where there are any. */
static const char ket[] =
    "def ket(name):\n"
    "    \"\"\"The state of fidelity(name): ghz, w, or on each wire one of 0 1 + - r l.\"\"\"\n"
    "    one = {\"0\": [1, 0], \"1\": [0, 1], \"+\": [1, 1], \"-\": [1, -1], \"r\": [1, 1j], \"l\": [1, "
    "-1j]}\n"
    "    if name == \"ghz\":\n"
    "        state = np.eye(2**%d)[[0, -1]].sum(0)\n"
    "    elif name == \"w\":\n"
    "        state = np.eye(2**%d)[[2**q for q in range(%d)]].sum(0)\n"
    "    else:\n"
    "        state = functools.reduce(np.kron, [one[letter] for letter in name])\n"
    "    return state / np.linalg.norm(state)\n\n\n";

int kl_circuit_pennylane(FILE *to, const struct kl_circuit *c, const struct kl_circuit_options *o,
                         struct kl_error *err)
{
    const int n = c->n_qubits;
    size_t layer = 0;
    if (strstr(o->observables, "fidelity(")) fprintf(to, ket, n, n, n);
    fprintf(to,
            "@qml.qnode(qml.device(\"default.qubit\", wires=%d), interface=\"torch\", "
            "diff_method=\"backprop\")\n"
            "def circuit(x, w):\n"
            "    \"\"\"Of inputs x [..., %zu] and weights w [%zu].\"\"\"\n",
            n, c->n_inputs, c->n_weights);
    if (c->amplitude_inputs)
        fprintf(to, "    qml.AmplitudeEmbedding(x, wires=range(%d), normalize=True)\n", n);
    for (size_t i = 0; i < c->n_ops;) {
        const bool mixed = is_mixed(c->ops + i);
        const struct line line = take_line(c->ops + i, mixed ? 1 : c->n_ops - i, n);
        write_layer(to, c, line.first, &layer);
        if (mixed) write_turns(to, line.first, n);
        else write_line(to, &line, n);
        i += line.n;
    }
    fputs("    return [\n", to);
    const int code = kl_circuit_pennylane_outputs(to, o, n, err);
    fputs("    ]\n", to);
    return code;
}
