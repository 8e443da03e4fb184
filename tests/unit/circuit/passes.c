/* SPDX-License-Identifier: MIT
   Circuits as passes for the GPU: how many they are, that only own bits are turned, that moves lose no
   amplitude, and what they cost: the threads of a warp do not meet in a bank of the block's memory, but
   in one of 25 moves, where two of them do, and in the last move of probabilities, where four may; and
   of the GPU's memory they write to few sectors. What passes compute is tested in tests/gpu/circuit.c.
 */
#include <string.h>

#include "circuit/circuit.h"
#include "kernels/inline/place.h"
#include "tests/unit/check.h"

enum { LAYERS = 3, WARP = 32, SECTOR = 8 /* floats */ };

/* The exclusive or of columns over the bits of a number. */
static uint32_t moved(const struct kl_cuda_pass *p, const struct kl_cuda_circuit *c, uint32_t number)
{
    uint32_t to = 0;
    for (int b = 0; b < c->lane_bits; b++)
        if (number >> b & 1) to ^= p->lane[b];
    for (int b = 0; b < c->own_bits; b++)
        if (number >> (c->lane_bits + b) & 1) to ^= p->own[b];
    return to;
}

/* Every amplitude has a place that no other one has. */
static void check_places(const char *name, const struct kl_cuda_circuit *c, const struct kl_cuda_pass *p)
{
    static unsigned char there[1 << KL_VQC_MOST_QUBITS];
    const uint32_t size = 1u << (c->own_bits + c->lane_bits);
    memset(there, 0, size);
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t to = moved(p, c, k);
        CHECK(to < size && !there[to], "%s, %d qubits: amplitude %u is lost", name, c->n_qubits, k);
        there[to % size] = 1;
    }
}

/* Threads of a warp that write to one bank, at most. */
static int meeting(const char *name, const struct kl_cuda_circuit *c, const struct kl_cuda_pass *p)
{
    const uint32_t size = 1u << (c->own_bits + c->lane_bits), threads = 1u << c->lane_bits,
                   warp = threads < WARP ? threads : WARP;
    int most = 0;
    for (uint32_t k = 0; k < size; k += warp) {
        uint32_t written = 0, read = 0;
        for (uint32_t t = 0; t < warp; t++) {
            written |= 1u << moved(p, c, k + t) % warp;
            read |= 1u << kl_cuda_place(k + t, c->lane_bits) % warp;
        }
        CHECK(__builtin_popcount(read) == (int)warp, "%s, %d qubits: threads read from %d banks", name,
              c->n_qubits, __builtin_popcount(read));
        const int each = (int)warp / __builtin_popcount(written); /* columns: the same in all banks */
        if (each > most) most = each;
    }
    return most;
}

/* Sectors that a warp writes to. */
static int sectors(const struct kl_cuda_circuit *c, const struct kl_cuda_pass *p)
{
    uint32_t seen[WARP];
    int n = 0;
    for (uint32_t t = 0; t < WARP; t++) {
        const uint32_t sector = moved(p, c, t) / SECTOR;
        int i = 0;
        while (i < n && seen[i] != sector) i++;
        if (i == n) seen[n++] = sector;
    }
    return n;
}

/* Of one circuit, what is counted. */
struct counts {
    int passes, moves, sectors, meeting; /* moves in which threads meet, the last one apart */
};

static void count(struct counts *n, const char *name, const struct kl_cuda_circuit *c)
{
    const bool held = c->n_qubits <= KL_CUDA_HELD_QUBITS;
    const enum kl_cuda_pass_kind first = c->given ? KL_CUDA_GIVEN : held ? KL_CUDA_START : KL_CUDA_TURNS;
    CHECK(c->passes[0].kind == (int)first && !c->passes[0].moves, "%s, %d qubits", name, c->n_qubits);
    n->passes = c->n_passes;
    for (int i = 0; i < c->n_passes; i++) {
        const struct kl_cuda_pass *p = &c->passes[i];
        for (int b = 0; b < KL_VQC_MOST_QUBITS; b++)
            if (p->kind == KL_CUDA_TURNS && p->matrix[b] >= 0)
                CHECK(b >= c->lane_bits, "%s, %d qubits: bit %d of pass %d", name, c->n_qubits, b, i);
        CHECK(i ? p->kind != KL_CUDA_START && p->kind != KL_CUDA_GIVEN : true, "%s", name);
        CHECK(p->kind != KL_CUDA_MOVE || (c->probabilities && i == c->n_passes - 1), "%s", name);
        if (!p->moves) continue;
        n->moves++;
        if (c->n_qubits <= KL_CUDA_HELD_QUBITS + 1) check_places(name, c, p);
        if (!held) {
            n->sectors += sectors(c, p);
            continue;
        }
        const int together = meeting(name, c, p), most = p->kind == KL_CUDA_MOVE ? 4 : 2;
        CHECK(together <= most, "%s, %d qubits: %d threads meet in pass %d", name, c->n_qubits, together,
              i);
        if (p->kind != KL_CUDA_MOVE) n->meeting += together > 1;
    }
}

static struct counts lower(const char *ansatz, int n, const char *embedding, const char *observables)
{
    struct kl_circuit_options o;
    struct kl_circuit *circuit;
    struct kl_cuda_circuit c;
    struct kl_arena memory;
    struct kl_error err;
    struct counts counts = { 0 };
    kl_circuit_options_default(&o);
    o.ansatz = ansatz, o.embedding = embedding, o.observables = observables;
    o.n_qubits = n, o.n_layers = LAYERS;
    if (kl_circuit_build(&circuit, &o, &err)) return counts; /* qcnn takes powers of two alone */
    CHECK(!kl_arena_init(&memory, 0, &err));
    CHECK(!kl_circuit_for_cuda(&c, circuit, &memory, &err), "%s", err.text);
    count(&counts, ansatz, &c);
    kl_arena_free(&memory);
    kl_circuit_free(&circuit);
    return counts;
}

/* A layer of rotations of all qubits is as many passes as it takes for all to have own bits: CNOT takes
   none. The first layer is one, which given amplitudes do not share; the last move of probabilities is
   one more. */
static void check_counts(const char *ansatz, int n, const char *embedding, const char *observables,
                         int passes, int moves)
{
    const struct counts counts = lower(ansatz, n, embedding, observables);
    CHECK(counts.passes == passes && counts.moves == moves, "%s, %d qubits, %s: %d passes, %d moves",
          ansatz, n, observables, counts.passes, counts.moves);
}

static void add(struct counts *all, struct counts some)
{
    all->moves += some.moves, all->sectors += some.sectors, all->meeting += some.meeting;
}

static void check_all(void)
{
    struct counts kept = { 0 }, held = { 0 };
    for (const char *const *ansatz = kl_ansatz_names; *ansatz; ansatz++)
        for (int n = 2; n <= KL_VQC_MOST_QUBITS; n++) {
            struct counts *all = n > KL_CUDA_HELD_QUBITS ? &kept : &held;
            add(all, lower(*ansatz, n, "angle-y", "z"));
            if (n <= 12) add(all, lower(*ansatz, n, "amplitude", "probs"));
        }
    CHECK(25 * held.meeting <= held.moves, "threads meet in %d of %d moves", held.meeting, held.moves);
    CHECK(kept.sectors < 10 * kept.moves, "%d sectors in %d moves, 4 each at least", kept.sectors,
          kept.moves);
}

static void append(struct kl_circuit *c, enum kl_gate gate, int first, int second)
{
    struct kl_error err;
    const struct kl_op op = { .gate = gate, .wire = { first, second } };
    CHECK(!kl_circuit_append(c, &op, &err), "%s", err.text);
}

/* CNOT and X alone, then probabilities: one move, which takes every amplitude to the number that the
   gates, one after another, give it. Wire 0 is the highest bit. */
static void check_classical(int n)
{
    enum { GATES = 9 };
    static const int wires[GATES][2] = { { 0, 1 },  { 1, 2 }, { 2, -1 }, { 2, 0 }, { 0, 2 },
                                         { 1, -1 }, { 1, 0 }, { 2, 1 },  { 0, -1 } };
    struct kl_circuit *circuit;
    struct kl_cuda_circuit c;
    struct kl_arena memory;
    struct kl_error err;
    CHECK(!kl_circuit_begin(&circuit, n, 0, 0, &err));
    for (int g = 0; g < GATES; g++)
        append(circuit, wires[g][1] < 0 ? KL_X : KL_CNOT, wires[g][0], wires[g][1]);
    CHECK(!kl_circuit_observe_probabilities(circuit, &err));
    CHECK(!kl_circuit_finish(circuit, &err));
    CHECK(!kl_arena_init(&memory, 0, &err));
    CHECK(!kl_circuit_for_cuda(&c, circuit, &memory, &err), "%s", err.text);
    CHECK(c.n_passes == 2 && c.passes[1].kind == KL_CUDA_MOVE, "%d passes", c.n_passes);
    for (uint32_t k = 0; k < 1u << n; k++) {
        uint32_t number = k;
        for (int g = 0; g < GATES; g++) {
            const int control = n - 1 - wires[g][0], target = n - 1 - wires[g][1];
            number ^= wires[g][1] < 0 ? 1u << control : (number >> control & 1) << target;
        }
        CHECK(moved(&c.passes[1], &c, k) == kl_cuda_place(number ^ c.flips, c.lane_bits),
              "%d qubits: amplitude %u", n, k);
    }
    kl_arena_free(&memory);
    kl_circuit_free(&circuit);
}

int main(void)
{
    check_all();
    check_counts("ry-ring", 4, "angle-y", "z", LAYERS, LAYERS - 1);
    check_counts("strongly-entangling", 10, "angle-y", "z", 1 + 2 * (LAYERS - 1), 2 * (LAYERS - 1));
    check_counts("ry-ring", 13, "angle-y", "z", 1 + 3 * (LAYERS - 1), 3 * (LAYERS - 1));
    check_counts("ry-ring", 10, "angle-y", "fidelity(w)", 1 + 2 * (LAYERS - 1), 2 * (LAYERS - 1));
    check_counts("ry-ring", 10, "angle-y", "probs", 2 + 2 * (LAYERS - 1), 1 + 2 * (LAYERS - 1));
    check_counts("ry-ring", 10, "amplitude", "z", 1 + 2 * LAYERS, 2 * LAYERS - 1);
    /* CZ moves nothing: of the first four qubits the probabilities are where they must be. */
    check_counts("simplified-two-design", 4, "angle-y", "probs", 1 + LAYERS * (3 + 2), 0);
    /* CZ of pairs, then RY of both, on even pairs and on odd ones: nine passes of CZ and four of RY a
       layer, not one of each a pair. */
    CHECK(lower("simplified-two-design", 10, "angle-y", "z").passes == 1 + LAYERS * (9 + 4));
    check_classical(3);
    check_classical(9);
    return failures != 0;
}
