/* SPDX-License-Identifier: MIT
   Circuits as passes for the card: how many they are, that only own bits are turned, that moves lose no
   amplitude, and that the threads of a warp do not meet in a bank of the block's memory: but for two
   circuits, where two of them do. What passes compute is tested in tests/gpu/circuit.c. */
#include <string.h>

#include "circuit/cuda.h"
#include "kernels/inline/place.h"
#include "tests/unit/check.h"

enum { LAYERS = 3, BANKS = 32 };

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

static void check_move(const char *name, const struct kl_cuda_circuit *c, const struct kl_cuda_pass *p)
{
    static unsigned char there[1 << KL_CUDA_HELD_QUBITS];
    const uint32_t size = 1u << (c->own_bits + c->lane_bits), threads = 1u << c->lane_bits,
                   warp = threads < BANKS ? threads : BANKS;
    memset(there, 0, size);
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t to = moved(p, c, k);
        CHECK(to < size && !there[to], "%s, %d qubits: amplitude %u is lost", name, c->n_qubits, k);
        there[to % size] = 1;
    }
    const int pairs =
        strcmp(name, "strongly-entangling") == 0 && (c->n_qubits == 6 || c->n_qubits == 11);
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

static int count_moves(const char *name, const struct kl_cuda_circuit *c)
{
    int moves = 0;
    CHECK(c->passes[0].kind == KL_CUDA_START && !c->passes[0].moves, "%s", name);
    for (int i = 0; i < c->n_passes; i++) {
        const struct kl_cuda_pass *p = &c->passes[i];
        if (p->moves) check_move(name, c, p), moves++;
        for (int b = 0; b < KL_VQC_MOST_QUBITS; b++)
            if (p->kind == KL_CUDA_TURNS && p->matrix[b] >= 0)
                CHECK(b >= c->lane_bits, "%s, %d qubits: bit %d of pass %d", name, c->n_qubits, b, i);
    }
    return moves;
}

static void lower(const char *ansatz, int n, int *passes, int *moves)
{
    struct kl_circuit_options o;
    struct kl_circuit *circuit;
    struct kl_cuda_circuit c;
    struct kl_arena memory;
    struct kl_error err;
    kl_circuit_options_default(&o);
    o.ansatz = ansatz, o.n_qubits = n, o.n_layers = LAYERS;
    *passes = *moves = 0;
    if (kl_circuit_build(&circuit, &o, &err)) return; /* qcnn takes powers of two alone */
    CHECK(!kl_arena_init(&memory, 0, &err));
    CHECK(!kl_circuit_for_cuda(&c, circuit, &memory, &err), "%s", err.text);
    *passes = c.n_passes;
    *moves = count_moves(ansatz, &c);
    kl_arena_free(&memory);
    kl_circuit_free(&circuit);
}

int main(void)
{
    int passes, moves;
    for (const char *const *ansatz = kl_ansatz_names; *ansatz; ansatz++)
        for (int n = 2; n <= KL_CUDA_HELD_QUBITS; n++) lower(*ansatz, n, &passes, &moves);
    /* A layer of rotations of all qubits is as many passes as it takes for all to have own bits: CNOT
       takes none. The first layer is one. */
    lower("ry-ring", 4, &passes, &moves);
    CHECK(passes == LAYERS && moves == LAYERS - 1, "%d passes, %d moves", passes, moves);
    lower("strongly-entangling", 10, &passes, &moves);
    CHECK(passes == 1 + 2 * (LAYERS - 1) && moves == passes - 1, "%d passes, %d moves", passes, moves);
    lower("ry-ring", 13, &passes, &moves);
    CHECK(passes == 1 + 3 * (LAYERS - 1) && moves == passes - 1, "%d passes, %d moves", passes, moves);
    return failures != 0;
}
