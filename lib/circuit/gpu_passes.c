/* SPDX-License-Identifier: MIT
   Passes over a state on the GPU, from stages. A pass can turn qubits whose bits of an amplitude's
   number are own ones (kernels/cuda_circuit.h); for others the bits change places first, in the same
   move in which CNOT is done. Of the orders in which bits can stand, one is taken for which the threads
   of a warp write to different banks of the block's memory, or to few sectors of the GPU's; but for
   the last move of probabilities, where their order is given. */
#include "circuit/circuit_int.h"
#include "kernels/inline/place.h"

enum { TRIALS = 256, WARP_BITS = 5, SECTOR_BITS = 3 };

struct building {
    struct kl_cuda_circuit *to;
    struct kl_cuda_pass *passes;
    struct kl_frame frame;
    int n_bits;
    bool moved, held, fresh; /* fresh: nothing stands in any frame yet but |0> */
    uint32_t random;
};

static void forget_moves(struct building *b)
{
    struct kl_vqc_layer *m = &b->frame.moves;
    for (int q = 0; q < KL_VQC_MOST_QUBITS; q++) m->direction[q] = m->dual[q] = 1u << q;
    b->moved = false;
}

uint32_t kl_circuit_sum_columns(const uint32_t *columns, uint32_t bits)
{
    uint32_t sum = 0;
    for (; bits; bits &= bits - 1) sum ^= columns[__builtin_ctz(bits)];
    return sum;
}

/* Append the moves of CNOTs, `then`, to those of the frame. */
static void compose(struct building *b, const struct kl_vqc_layer *then, bool moves)
{
    struct kl_vqc_layer *m = &b->frame.moves;
    const struct kl_vqc_layer was = *m;
    for (int q = 0; q < KL_VQC_MOST_QUBITS; q++) {
        m->dual[q] = kl_circuit_sum_columns(was.dual, then->dual[q]);
        m->direction[q] = kl_circuit_sum_columns(was.direction, then->direction[q]);
    }
    b->moved |= moves;
}

uint32_t kl_circuit_frame_bits(const struct kl_frame *f, uint32_t mask)
{
    uint32_t bits = 0;
    for (; mask; mask &= mask - 1) bits |= 1u << f->at[__builtin_ctz(mask)];
    return bits;
}

uint32_t kl_circuit_frame_parity(const struct kl_frame *f, uint32_t mask)
{
    return kl_circuit_frame_bits(f, kl_circuit_sum_columns(f->moves.dual, mask));
}

/* The place in the next frame of the amplitude of which bit `from` alone is set. */
static uint32_t column(const struct building *b, const struct kl_frame *next, int from)
{
    uint32_t number = 0;
    for (int q = 0; q < b->n_bits; q++) {
        if (b->frame.at[q] != from) continue;
        for (int r = 0; r < b->n_bits; r++) number |= (b->frame.moves.dual[r] >> q & 1) << next->at[r];
    }
    return b->held ? kl_cuda_place(number, b->to->lane_bits) : number;
}

/* The rank of n numbers as vectors of bits. */
static int rank_of(const uint32_t *numbers, int n)
{
    uint32_t basis[WARP_BITS];
    int rank = 0;
    for (int i = 0; i < n; i++) {
        uint32_t left = numbers[i];
        for (int k = 0; k < rank; k++)
            if ((left ^ basis[k]) < left) left ^= basis[k];
        if (left) basis[rank++] = left;
    }
    return rank;
}

/* The cost of a move into the next frame, as a power of two: how many threads of a warp share a bank of
   the block's memory when they write, or, of states in the GPU's, how many sectors of 2^SECTOR_BITS
   values they write to. */
static int cost_of(const struct building *b, const struct kl_frame *next)
{
    const int low = b->to->lane_bits < WARP_BITS ? b->to->lane_bits : WARP_BITS;
    uint32_t to[WARP_BITS];
    for (int i = 0; i < low; i++) {
        const uint32_t c = column(b, next, i);
        to[i] = b->held ? c & ((1u << low) - 1) : c >> SECTOR_BITS;
    }
    return b->held ? low - rank_of(to, low) : rank_of(to, low);
}

static void shuffle(struct building *b, int *order, int n)
{
    for (int i = n - 1; i > 0; i--) {
        b->random = b->random * 1664525 + 1013904223; /* Numerical Recipes' generator */
        const int j = (int)((b->random >> 8) % (uint32_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* One in which the qubits of `wanted`, or as many of them as can, have own bits, the lowest first. */
static struct kl_frame choose_frame(struct building *b, uint32_t wanted)
{
    const int lanes = b->to->lane_bits, own = b->to->own_bits, n = __builtin_popcount(wanted);
    struct kl_frame best = { .at = { 0 } };
    int order[KL_VQC_MOST_QUBITS], first = 0, rest = n, least = WARP_BITS + 1;
    for (int q = 0; q < b->n_bits; q++) order[wanted >> q & 1 ? first++ : rest++] = q;
    const int least_possible = b->held ? 0 : WARP_BITS - SECTOR_BITS;
    for (int trial = 0; trial < TRIALS && least > least_possible; trial++) {
        struct kl_frame f;
        for (int i = 0; i < b->n_bits; i++) f.at[order[i]] = i < own ? lanes + i : i - own;
        const int cost = cost_of(b, &f);
        if (cost < least) least = cost, best = f;
        shuffle(b, order, n);
        shuffle(b, order + n, b->n_bits - n);
    }
    return best;
}

static struct kl_cuda_pass *add_pass(struct building *b, enum kl_cuda_pass_kind kind)
{
    struct kl_cuda_pass *pass = &b->passes[b->to->n_passes++];
    *pass = (struct kl_cuda_pass){ .kind = kind };
    for (int i = 0; i < KL_VQC_MOST_QUBITS; i++) pass->matrix[i] = -1;
    b->fresh = false;
    return pass;
}

/* A pass before which bits change places, and CNOT is done. */
static struct kl_cuda_pass *move_to(struct building *b, enum kl_cuda_pass_kind kind,
                                    const struct kl_frame *next)
{
    const bool moves = !b->fresh;
    struct kl_cuda_pass *pass = add_pass(b, kind);
    pass->moves = moves;
    for (int i = 0; i < b->to->lane_bits; i++) pass->lane[i] = column(b, next, i);
    for (int i = 0; i < b->to->own_bits; i++) pass->own[i] = column(b, next, b->to->lane_bits + i);
    b->frame = *next;
    forget_moves(b);
    return pass;
}

/* So that qubits of `wanted` have own bits. */
static struct kl_cuda_pass *move_for(struct building *b, enum kl_cuda_pass_kind kind, uint32_t wanted)
{
    const struct kl_frame next = choose_frame(b, wanted);
    return move_to(b, kind, &next);
}

/* To the numbers of the basis states, unless they are there. */
static void move_to_plain(struct building *b)
{
    struct kl_frame plain;
    bool there = !b->moved;
    for (int q = 0; q < KL_VQC_MOST_QUBITS; q++) plain.at[q] = q;
    for (int q = 0; q < b->n_bits; q++) there &= b->frame.at[q] == q;
    if (!there) move_to(b, KL_CUDA_MOVE, &plain);
}

static void start(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    struct kl_cuda_pass *pass = add_pass(b, KL_CUDA_START);
    for (int q = 0; q < b->n_bits; q++) pass->matrix[b->frame.at[q]] = s->matrix[q];
}

/* Those of `bits` that are own ones now. */
static uint32_t own_among(const struct building *b, uint32_t bits)
{
    uint32_t own = 0;
    for (int q = 0; q < b->n_bits; q++)
        if (b->frame.at[q] >= b->to->lane_bits) own |= bits & 1u << q;
    return own;
}

/* First those that have own bits, if nothing must be moved, then as many as can have them. */
static void turns(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    uint32_t left = 0, group;
    for (int q = 0; q < b->n_bits; q++)
        if (s->matrix[q] >= 0) left |= 1u << q;
    for (; left; left &= ~group) {
        struct kl_cuda_pass *pass = b->moved || !own_among(b, left) ? move_for(b, KL_CUDA_TURNS, left)
                                                                    : add_pass(b, KL_CUDA_TURNS);
        group = own_among(b, left);
        for (int q = 0; q < b->n_bits; q++)
            if (group >> q & 1) pass->matrix[b->frame.at[q]] = s->matrix[q];
    }
}

static void controlled(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    struct kl_cuda_pass *pass = !b->moved && b->frame.at[s->target] == b->to->lane_bits
                                    ? add_pass(b, KL_CUDA_CONTROLLED)
                                    : move_for(b, KL_CUDA_CONTROLLED, 1u << s->target);
    pass->matrix[0] = s->matrix[0];
    pass->mask = kl_circuit_frame_bits(&b->frame, s->mask),
    pass->value = kl_circuit_frame_bits(&b->frame, s->value);
}

static void string(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    struct kl_cuda_pass *pass = add_pass(b, KL_CUDA_STRING);
    pass->matrix[0] = s->matrix[0];
    pass->mask = kl_circuit_frame_parity(&b->frame, s->mask);
}

static void sign(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    struct kl_cuda_pass *pass =
        b->moved ? move_for(b, KL_CUDA_SIGN, s->mask) : add_pass(b, KL_CUDA_SIGN);
    pass->mask = kl_circuit_frame_bits(&b->frame, s->mask),
    pass->value = kl_circuit_frame_bits(&b->frame, s->value);
}

static void add_stage(struct building *b, const struct kl_circuit_gpu_stage *s)
{
    compose(b, &s->before, s->moves);
    switch (s->kind) {
    case KL_CUDA_GIVEN: add_pass(b, KL_CUDA_GIVEN); break;
    case KL_CUDA_CONTROLLED: controlled(b, s); break;
    case KL_CUDA_STRING: string(b, s); break;
    case KL_CUDA_SIGN: sign(b, s); break;
    default:
        if (b->fresh && b->held) start(b, s);
        else turns(b, s);
    }
}

/* All amplitudes of up to five qubits are one thread's; a warp holds a state, or a few side by side, of
   up to ten; a block larger ones. */
static void share_bits(struct kl_cuda_circuit *to, int n)
{
    to->own_bits = n <= 4 || (n >= 6 && n <= 8) ? 4 : KL_CUDA_OWN_BITS;
    to->lane_bits = n > to->own_bits ? n - to->own_bits : 0;
    for (int k = 0; k < to->own_bits; k++)
        to->home[k] = kl_cuda_place(1u << (to->lane_bits + k), to->lane_bits);
}

int kl_circuit_passes(struct kl_cuda_circuit *to, struct kl_frame *last,
                      const struct kl_circuit_gpu_stages *s, const struct kl_circuit *c,
                      struct kl_arena *memory, struct kl_error *err)
{
    struct building b = { .to = to, .fresh = true, .held = c->n_qubits <= KL_CUDA_HELD_QUBITS };
    /* Four own bits at least, and a last move. */
    const size_t most = s->n * (KL_VQC_MOST_QUBITS / 4 + 1) + 1;
    b.passes = kl_arena_take(memory, most, sizeof *b.passes);
    if (!b.passes) return kl_fail_memory(err, most * sizeof *b.passes);
    share_bits(to, c->n_qubits);
    b.n_bits = to->own_bits + to->lane_bits;
    for (int q = 0; q < KL_VQC_MOST_QUBITS; q++) b.frame.at[q] = q;
    forget_moves(&b);
    for (size_t i = 0; i < s->n; i++) add_stage(&b, &s->stage[i]);
    compose(&b, &s->after, s->moves_after);
    if (c->probabilities) move_to_plain(&b);
    to->passes = b.passes;
    *last = b.frame;
    return KL_OK;
}
