/* SPDX-License-Identifier: MIT
   A circuit as the program that kernels/cuda runs: its gates between two moves of amplitudes (stages),
   and what is read at the end. */
#include "circuit/circuit_int.h"

#include <math.h>

#include "circuit/circuit.h"

/* A turn on its way into an array in which those of a matrix stand one after another. */
struct link {
    struct kl_cuda_turn turn;
    int next;
};
struct chain {
    int first, last;
    bool varies; /* inputs stand in an angle */
};
struct building {
    struct kl_circuit_gpu_stages *s;
    struct link *links;
    struct chain *chains; /* of each matrix */
    struct kl_vqc_layer now, identity;
    bool moved;    /* since the last stage */
    size_t region; /* the first stage behind the last move: up to there gates can be done earlier */
};

/* A stage before which there is nothing but the move, or `at`, behind the first of the region. */
static struct kl_circuit_gpu_stage *open_stage(struct building *b, enum kl_cuda_pass_kind kind,
                                               size_t at)
{
    struct kl_circuit_gpu_stages *s = b->s;
    if (b->moved) b->region = at = s->n;
    for (size_t i = s->n++; i > at; i--) s->stage[i] = s->stage[i - 1];
    struct kl_circuit_gpu_stage *stage = &s->stage[at];
    *stage = (struct kl_circuit_gpu_stage){ .kind = kind, .before = b->now, .moves = b->moved };
    for (int i = 0; i < KL_VQC_MOST_QUBITS; i++) stage->matrix[i] = -1;
    b->now = b->identity;
    b->moved = false;
    return stage;
}

/* The first place in the region behind all gates on these bits. */
static size_t behind(const struct building *b, uint32_t bits)
{
    size_t at = b->s->n;
    while (at > b->region + 1 && !(b->s->stage[at - 1].touched & bits)) at--;
    return at;
}

/* One gate that has a stage of its own, as early as can be: turns behind it then meet in fewer stages.
 */
static struct kl_circuit_gpu_stage *put_alone(struct building *b, enum kl_cuda_pass_kind kind,
                                              uint32_t bits)
{
    struct kl_circuit_gpu_stage *stage = open_stage(b, kind, behind(b, bits));
    stage->touched = bits;
    return stage;
}

/* The first stage of turns that one more of this bit can join, or a new one. */
static struct kl_circuit_gpu_stage *turning(struct building *b, uint32_t bit)
{
    struct kl_circuit_gpu_stages *s = b->s;
    size_t at = behind(b, bit) - 1;
    while (at < s->n && s->stage[at].kind != KL_CUDA_TURNS) at++;
    struct kl_circuit_gpu_stage *stage =
        b->moved || at == s->n ? open_stage(b, KL_CUDA_TURNS, s->n) : &s->stage[at];
    stage->touched |= bit;
    return stage;
}

/* One more turn in matrix *m, which is new if it is -1. */
static void put_turn(struct building *b, int *m, int gate, int slot)
{
    struct kl_circuit_gpu_stages *s = b->s;
    const int i = s->n_turns++;
    if (*m < 0) {
        *m = s->n_matrices++;
        b->chains[*m] = (struct chain){ i, i, false };
    }
    struct chain *chain = &b->chains[*m];
    b->links[i] = (struct link){ { gate, slot }, -1 };
    if (chain->last != i) b->links[chain->last].next = i;
    chain->last = i;
    chain->varies |= s->angles[slot].source == KL_CUDA_INPUT;
}

static void turn(struct building *b, int bit, int gate, int slot)
{
    struct kl_circuit_gpu_stage *stage = turning(b, 1u << bit);
    if (gate != KL_VQC_RX && b->s->flips >> bit & 1) b->s->angles[slot].scale *= -1;
    put_turn(b, &stage->matrix[bit], gate, slot);
}

static void hadamard(struct building *b, int bit)
{
    const int slot = b->s->n_slots++;
    b->s->angles[slot] = (struct kl_cuda_angle){ KL_CUDA_CONSTANT, 0, -1, 0, (float)M_PI_2 };
    turn(b, bit, KL_VQC_RY, slot);
    b->s->flips ^= 1u << bit;
}

static void controlled(struct building *b, const struct kl_vqc_op *op)
{
    const int bit = __builtin_ctz(op->target);
    struct kl_circuit_gpu_stage *stage = put_alone(b, KL_CUDA_CONTROLLED, op->control | op->target);
    stage->target = bit;
    stage->mask = op->control;
    stage->value = op->control & ~b->s->flips;
    if (op->gate != KL_VQC_RX && b->s->flips >> bit & 1) b->s->angles[op->slot].scale *= -1;
    put_turn(b, &stage->matrix[0], op->gate, op->slot);
}

static void string(struct building *b, const struct kl_vqc_op *op)
{
    struct kl_circuit_gpu_stage *stage = put_alone(b, KL_CUDA_STRING, op->target);
    stage->mask = op->target;
    if (__builtin_parity(op->target & b->s->flips)) b->s->angles[op->slot].scale *= -1;
    put_turn(b, &stage->matrix[0], KL_VQC_RZ, op->slot);
}

static void sign(struct building *b, const struct kl_vqc_op *op)
{
    struct kl_circuit_gpu_stage *stage = put_alone(b, KL_CUDA_SIGN, op->target);
    stage->mask = op->target;
    stage->value = op->target & ~b->s->flips;
}

static void put(struct building *b, const struct kl_vqc_op *op)
{
    if (op->gate == KL_VQC_X && !op->control) {
        b->s->flips ^= op->target;
    } else if (op->gate == KL_VQC_X) {
        kl_circuit_move(&b->now, op);
        b->moved = true;
        if (b->s->flips & op->control) b->s->flips ^= op->target;
    } else if (op->gate == KL_VQC_H) {
        hadamard(b, __builtin_ctz(op->target));
    } else if (op->gate == KL_VQC_CZ) {
        sign(b, op);
    } else if (op->gate == KL_VQC_MULTIRZ) {
        string(b, op);
    } else if (op->control) {
        controlled(b, op);
    } else {
        turn(b, __builtin_ctz(op->target), op->gate, op->slot);
    }
}

static void set_angles(struct kl_circuit_gpu_stages *s, const struct kl_circuit_plan *plan)
{
    static const int32_t sources[] = {
        [KL_CONSTANT] = KL_CUDA_CONSTANT, [KL_INPUT] = KL_CUDA_INPUT, [KL_WEIGHT] = KL_CUDA_WEIGHT
    };
    s->n_slots = (int)plan->program.n_slots;
    for (int k = 0; k < s->n_slots; k++) {
        const struct kl_angle *a = &plan->angles[k];
        s->angles[k] =
            (struct kl_cuda_angle){ sources[a->source], a->index, a->index2,
                                    kl_circuit_is_scaled(a) ? a->scaled : 0, (float)a->scale };
    }
}

/* Matrices that vary first, and the turns of each together; stages are told the new numbers. */
static int order(struct building *b, struct kl_arena *memory, struct kl_error *err)
{
    struct kl_circuit_gpu_stages *s = b->s;
    int *number = kl_arena_take(memory, (size_t)s->n_matrices + 1, sizeof *number), m = 0, t = 0;
    if (!number) return kl_fail_memory(err, (size_t)s->n_matrices * sizeof *number);
    for (int varies = 1; varies >= 0; varies--) {
        for (int i = 0; i < s->n_matrices; i++) {
            if (b->chains[i].varies != varies) continue;
            number[i] = m;
            s->matrices[m].first = t;
            for (int k = b->chains[i].first; k >= 0; k = b->links[k].next)
                s->turns[t++] = b->links[k].turn;
            s->matrices[m++].end = t;
        }
        if (varies) s->n_varying = m;
    }
    for (size_t i = 0; i < s->n; i++)
        for (int k = 0; k < KL_VQC_MOST_QUBITS; k++)
            if (s->stage[i].matrix[k] >= 0) s->stage[i].matrix[k] = number[s->stage[i].matrix[k]];
    return KL_OK;
}

/* All of it lies in memory. KL_ENOMEM. */
static int stages(struct kl_circuit_gpu_stages *s, const struct kl_circuit *c, struct kl_arena *memory,
                  struct kl_error *err)
{
    const struct kl_vqc_program *p = &c->plan->program;
    struct building b = { .s = s };
    const size_t most = p->n_ops + p->n_slots + 1;
    *s = (struct kl_circuit_gpu_stages){ .stage = kl_arena_take(memory, most, sizeof *s->stage),
                                         .angles = kl_arena_take(memory, most, sizeof *s->angles),
                                         .turns = kl_arena_take(memory, most, sizeof *s->turns),
                                         .matrices = kl_arena_take(memory, most, sizeof *s->matrices) };
    b.links = kl_arena_take(memory, most, sizeof *b.links);
    b.chains = kl_arena_take(memory, most, sizeof *b.chains);
    if (!s->stage || !s->angles || !s->turns || !s->matrices || !b.links || !b.chains)
        return kl_fail_memory(err, most * sizeof *s->stage);
    for (int q = 0; q < KL_VQC_MOST_QUBITS; q++) b.identity.direction[q] = b.identity.dual[q] = 1u << q;
    b.now = b.identity;
    set_angles(s, c->plan);
    open_stage(&b, c->amplitude_inputs ? KL_CUDA_GIVEN : KL_CUDA_TURNS, 0);
    for (size_t i = 0; i < p->n_ops; i++) put(&b, &p->ops[i]);
    s->after = b.now, s->moves_after = b.moved;
    return order(&b, memory, err);
}

/* ---- readings ----
   What is read of a state on the GPU at the end of its passes: Pauli strings and fidelities, on the
   numbers that amplitudes have there, or probabilities. */

/* The number, at the end, of what differs from the first amplitude in these bits. */
static uint32_t number_of(const struct kl_frame *last, uint32_t bits)
{
    return kl_circuit_frame_bits(last, kl_circuit_sum_columns(last->moves.direction, bits));
}

static struct kl_cuda_term string_of(const struct kl_vqc_observable *o, const struct kl_frame *last,
                                     uint32_t flips)
{
    return (struct kl_cuda_term){
        .x = number_of(last, o->x),
        .z = kl_circuit_frame_parity(last, o->z),
        .turns = (__builtin_popcount(o->x & o->z) + 2 * __builtin_parity(o->z & flips)) % 4,
    };
}

/* Strings and fidelities of all outputs, each kind in its own array. */
static void set_terms(struct kl_cuda_circuit *to, struct kl_cuda_term *terms, int32_t *end,
                      struct kl_cuda_fidelity *fidelities, int32_t *fidelity_end,
                      const struct kl_frame *last, const struct kl_circuit *c)
{
    const struct kl_vqc_program *p = &c->plan->program;
    for (size_t o = 0, i = 0; o < c->n_obs; o++) {
        for (; i < c->end[o]; i++) {
            const struct kl_term *t = &c->terms[i];
            if (t->target < 0) {
                struct kl_cuda_term *term = &terms[to->n_terms++];
                *term = string_of(&p->obs[t->string], last, to->flips);
                term->weight = (float)t->weight;
                to->mixed |= term->x != 0;
            } else {
                const int32_t n = (int32_t)p->targets[t->target].n;
                fidelities[to->n_fidelities++] =
                    (struct kl_cuda_fidelity){ to->n_amplitudes, to->n_amplitudes + n,
                                               (float)t->weight };
                to->n_amplitudes += n;
            }
        }
        end[o] = to->n_terms, fidelity_end[o] = to->n_fidelities;
    }
}

/* In the order of set_terms. */
static void set_amplitudes(struct kl_cuda_amplitude *amplitudes, const struct kl_frame *last,
                           uint32_t flips, const struct kl_circuit *c)
{
    for (size_t i = 0; i < c->n_terms; i++) {
        if (c->terms[i].target < 0) continue;
        const struct kl_vqc_target *t = &c->plan->program.targets[c->terms[i].target];
        for (size_t k = 0; k < t->n; k++) {
            const struct kl_vqc_amplitude *a = &t->amplitude[k];
            *amplitudes++ = (struct kl_cuda_amplitude){ number_of(last, a->number ^ flips), (float)a->re,
                                                        (float)a->im };
        }
    }
}

/* Set the readings of the final state (gpu_lower.c): terms, fidelities, their ends, mixed,
   probabilities, flips. KL_ENOMEM; KL_EUSAGE: too many amplitudes. */
static int readings(struct kl_cuda_circuit *to, const struct kl_frame *last,
                    const struct kl_circuit_gpu_stages *s, const struct kl_circuit *c,
                    struct kl_arena *memory, struct kl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_terms; i++)
        if (c->terms[i].target >= 0) n += c->plan->program.targets[c->terms[i].target].n;
    if (n > INT32_MAX)
        return kl_fail(
            err, KL_EUSAGE,
            "fidelities: their states have %zu amplitudes, expected at most %d on a GPU; give "
            "--device cpu",
            n, INT32_MAX);
    const size_t terms_size = c->n_terms + 1, ends_size = c->probabilities ? 1 : c->n_obs + 1;
    struct kl_cuda_term *terms = kl_arena_take(memory, terms_size, sizeof *terms);
    struct kl_cuda_fidelity *fidelities = kl_arena_take(memory, terms_size, sizeof *fidelities);
    int32_t *ends = kl_arena_take(memory, 2 * ends_size, sizeof *ends);
    struct kl_cuda_amplitude *amplitudes = kl_arena_take(memory, n + 1, sizeof *amplitudes);
    if (!terms || !fidelities || !ends || !amplitudes)
        return kl_fail_memory(err, terms_size * (sizeof *terms + sizeof *fidelities) +
                                       2 * ends_size * sizeof *ends + n * sizeof *amplitudes);
    to->flips = s->flips, to->probabilities = c->probabilities;
    if (!c->probabilities) set_terms(to, terms, ends, fidelities, ends + ends_size, last, c);
    set_amplitudes(amplitudes, last, s->flips, c);
    to->terms = terms, to->end = ends, to->fidelities = fidelities, to->fidelity_end = ends + ends_size;
    to->amplitudes = amplitudes;
    return KL_OK;
}

/* ---- A circuit as the program that kernels/cuda runs ---- */

_Static_assert((int)KL_MOST_KEPT_QUBITS <= (int)KL_CUDA_HELD_QUBITS,
               "given amplitudes and probabilities are of states in registers alone");

static bool weight_stands_in(const struct kl_cuda_angle *a, int w)
{
    return (a->source == KL_CUDA_WEIGHT && a->index == w) || a->scaled == w + 1;
}

static bool input_stands_in(const struct kl_cuda_angle *a, int i)
{
    return a->source == KL_CUDA_INPUT && (a->index == i || a->index2 == i);
}

/* In which slots each of n weights or inputs stands. */
static void uses(int32_t *end, int32_t *use, size_t n, const struct kl_circuit_gpu_stages *s,
                 bool (*stands_in)(const struct kl_cuda_angle *, int))
{
    int32_t all = 0;
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < s->n_slots; k++)
            if (stands_in(&s->angles[k], (int)i)) use[all++] = k;
        end[i] = all;
    }
}

/* Weights and inputs: where they stand. */
static int connect(struct kl_cuda_circuit *to, const struct kl_circuit_gpu_stages *s,
                   const struct kl_circuit *c, struct kl_arena *memory, struct kl_error *err)
{
    const size_t n = (size_t)s->n_slots + c->n_weights + c->n_inputs + 1;
    int32_t *use_end = kl_arena_take(memory, n, sizeof *use_end),
            *use = kl_arena_take(memory, 2 * n, sizeof *use), /* an angle has two numbers at most */
                *in_end = kl_arena_take(memory, n, sizeof *in_end),
            *in_use = kl_arena_take(memory, 2 * n, sizeof *in_use);
    if (!use_end || !use || !in_end || !in_use) return kl_fail_memory(err, 6 * n * sizeof *use);
    uses(use_end, use, c->n_weights, s, weight_stands_in);
    uses(in_end, in_use, c->n_inputs, s, input_stands_in);
    to->use_end = use_end, to->use = use, to->in_end = in_end, to->in_use = in_use;
    return KL_OK;
}

int kl_circuit_for_cuda(struct kl_cuda_circuit *to, const struct kl_circuit *c, struct kl_arena *memory,
                        struct kl_error *err)
{
    struct kl_circuit_gpu_stages s;
    struct kl_frame last;
    if (c->noise) return kl_fail(err, KL_EUSAGE, "noise: not on a GPU; give --device cpu");
    int code = stages(&s, c, memory, err);
    if (code) return code;
    *to = (struct kl_cuda_circuit){ .n_qubits = c->n_qubits,
                                    .real = c->real && c->n_qubits <= KL_CUDA_HELD_QUBITS,
                                    .given = c->amplitude_inputs,
                                    .n_inputs = (int32_t)c->n_inputs,
                                    .n_weights = (int32_t)c->n_weights,
                                    .n_outputs = (int32_t)c->n_obs,
                                    .n_slots = s.n_slots,
                                    .n_turns = s.n_turns,
                                    .n_matrices = s.n_matrices,
                                    .n_varying = s.n_varying,
                                    .angles = s.angles,
                                    .turns = s.turns,
                                    .matrices = s.matrices };
    code = connect(to, &s, c, memory, err);
    if (!code) code = kl_circuit_passes(to, &last, &s, c, memory, err);
    return code ? code : readings(to, &last, &s, c, memory, err);
}
