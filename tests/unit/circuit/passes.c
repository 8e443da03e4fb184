/* SPDX-License-Identifier: MIT
   Circuits as passes for the card: how many they are, that only own bits are turned, that moves lose no
   amplitude, and what they cost: the threads of a warp do not meet in a bank of the block's memory, but
   for two circuits, where two of them do, and of the card's memory they write to few sectors. What
   passes compute is tested in tests/gpu/circuit.c. */
#include <string.h>

#include "circuit/cuda.h"
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

static void check_banks(const char *name, const struct kl_cuda_circuit *c, const struct kl_cuda_pass *p)
{
    const int pairs =
        strcmp(name, "strongly-entangling") == 0 && (c->n_qubits == 6 || c->n_qubits == 11);
    const uint32_t size = 1u << (c->own_bits + c->lane_bits), threads = 1u << c->lane_bits,
                   warp = threads < WARP ? threads : WARP;
    for (uint32_t k = 0; k < size; k += warp) {
        uint32_t written = 0, read = 0;
        for (uint32_t t = 0; t < warp; t++) {
            written |= 1u << moved(p, c, k + t) % warp;
            read |= 1u << kl_cuda_place(k + t, c->lane_bits) % warp;
        }
        CHECK(__builtin_popcount(written) >= (int)warp >> pairs,
              "%s, %d qubits: threads write to %d banks", name, c->n_qubits,
              __builtin_popcount(written));
        CHECK(__builtin_popcount(read) == (int)warp, "%s, %d qubits: threads read from %d banks", name,
              c->n_qubits, __builtin_popcount(read));
    }
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
    int passes, moves, sectors;
};

static void count(struct counts *n, const char *name, const struct kl_cuda_circuit *c)
{
    const bool held = c->n_qubits <= KL_CUDA_HELD_QUBITS;
    CHECK((c->passes[0].kind == KL_CUDA_START) == held && !c->passes[0].moves, "%s", name);
    n->passes = c->n_passes;
    for (int i = 0; i < c->n_passes; i++) {
        const struct kl_cuda_pass *p = &c->passes[i];
        for (int b = 0; b < KL_VQC_MOST_QUBITS; b++)
            if (p->kind == KL_CUDA_TURNS && p->matrix[b] >= 0)
                CHECK(b >= c->lane_bits, "%s, %d qubits: bit %d of pass %d", name, c->n_qubits, b, i);
        if (!p->moves) continue;
        n->moves++;
        if (c->n_qubits <= KL_CUDA_HELD_QUBITS + 1) check_places(name, c, p);
        if (held) check_banks(name, c, p);
        else n->sectors += sectors(c, p);
    }
}

static struct counts lower(const char *ansatz, int n)
{
    struct kl_circuit_options o;
    struct kl_circuit *circuit;
    struct kl_cuda_circuit c;
    struct kl_arena memory;
    struct kl_error err;
    struct counts counts = { 0, 0, 0 };
    kl_circuit_options_default(&o);
    o.ansatz = ansatz, o.n_qubits = n, o.n_layers = LAYERS;
    if (kl_circuit_build(&circuit, &o, &err)) return counts; /* qcnn takes powers of two alone */
    CHECK(!kl_arena_init(&memory, 0, &err));
    CHECK(!kl_circuit_for_cuda(&c, circuit, &memory, &err), "%s", err.text);
    count(&counts, ansatz, &c);
    kl_arena_free(&memory);
    kl_circuit_free(&circuit);
    return counts;
}

/* A layer of rotations of all qubits is as many passes as it takes for all to have own bits: CNOT takes
   none. The first layer is one. */
static void check_counts(const char *ansatz, int n, int passes)
{
    const struct counts counts = lower(ansatz, n);
    CHECK(counts.passes == passes && counts.moves == passes - 1, "%s, %d qubits: %d passes, %d moves",
          ansatz, n, counts.passes, counts.moves);
}

int main(void)
{
    struct counts kept = { 0, 0, 0 };
    for (const char *const *ansatz = kl_ansatz_names; *ansatz; ansatz++)
        for (int n = 2; n <= KL_VQC_MOST_QUBITS; n++) {
            const struct counts counts = lower(*ansatz, n);
            if (n > KL_CUDA_HELD_QUBITS) kept.moves += counts.moves, kept.sectors += counts.sectors;
        }
    CHECK(kept.sectors < 10 * kept.moves, "%d sectors in %d moves, 4 each at least", kept.sectors,
          kept.moves);
    check_counts("ry-ring", 4, LAYERS);
    check_counts("strongly-entangling", 10, 1 + 2 * (LAYERS - 1));
    check_counts("ry-ring", 13, 1 + 3 * (LAYERS - 1));
    /* CZ of pairs, then RY of both, on even pairs and on odd ones: nine passes of CZ and four of RY a
       layer, not one of each a pair. */
    CHECK(lower("simplified-two-design", 10).passes == 1 + LAYERS * (9 + 4));
    return failures != 0;
}
