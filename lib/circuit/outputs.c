/* SPDX-License-Identifier: MIT
   What a circuit's outputs are: Pauli strings, fidelities with states that have names, sums of them, or
   all probabilities; the circuits from which measurements of another one are drawn. */
#include "circuit/circuit_int.h"

#include <math.h>
#include <stdlib.h>

#include "circuit/estimate.h"
#include "circuit/noise.h"
#include "kernels/inline/philox.h"

size_t kl_circuit_target_size(const struct kl_circuit *c, const struct kl_target *t)
{
    if (t->kind == KL_PRODUCT) return (size_t)1 << __builtin_popcount(t->axis.x);
    return t->kind == KL_GHZ ? 2 : (size_t)c->n_qubits;
}

/* (|0> +- |1>) / sqrt 2 where the axis is X, (|0> +- i|1>) / sqrt 2 where it is Y: over the parts of
   these wires that are 1, a power of i. */
static void product(struct kl_vqc_amplitude *a, const struct kl_circuit *c, const struct kl_target *t)
{
    static const double re[4] = { 1, 0, -1, 0 }, im[4] = { 0, 1, 0, -1 };
    const uint32_t free = kl_circuit_wire_bits(c, t->axis.x), minus = kl_circuit_wire_bits(c, t->minus),
                   turned = kl_circuit_wire_bits(c, t->axis.x & t->axis.z);
    const double size = pow(0.5, __builtin_popcount(free) / 2.0);
    uint32_t part = 0;
    do {
        const int power = (__builtin_popcount(part & turned) + 2 * __builtin_popcount(part & minus)) & 3;
        *a++ = (struct kl_vqc_amplitude){ (minus & ~free) | part, size * re[power], size * im[power] };
        part = (part - free) & free; /* the next larger part */
    } while (part);
}

void kl_circuit_target_amplitudes(struct kl_vqc_amplitude *a, const struct kl_circuit *c,
                                  const struct kl_target *t)
{
    const int n = c->n_qubits;
    if (t->kind == KL_PRODUCT) product(a, c, t);
    else if (t->kind == KL_GHZ)
        for (int i = 0; i < 2; i++)
            a[i] = (struct kl_vqc_amplitude){ i ? (1u << n) - 1 : 0, sqrt(0.5), 0 };
    else
        for (int i = 0; i < n; i++) a[i] = (struct kl_vqc_amplitude){ 1u << i, 1 / sqrt(n), 0 };
}

/* ---- observe ----
   What a circuit's outputs are: Pauli strings, fidelities, sums of them, or all probabilities. */

int kl_circuit_grow(void **array, size_t n, size_t size, struct kl_error *err)
{
    if (n && (n & (n - 1))) return KL_OK;
    size_t capacity = n ? 2 * n : 1;
    void *larger = realloc(*array, capacity * size);
    if (!larger) return kl_fail_memory(err, capacity * size);
    *array = larger;
    return KL_OK;
}

static int check_open(const struct kl_circuit *c, struct kl_error *err)
{
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, no observable can be added");
    return c->probabilities ? kl_fail(err, KL_EUSAGE, "circuit: another observable beside probabilities")
                            : KL_OK;
}

int kl_circuit_observe_sum(struct kl_circuit *c, struct kl_error *err)
{
    int code = check_open(c, err);
    if (!code) code = kl_circuit_grow((void **)&c->end, c->n_obs, sizeof *c->end, err);
    if (code) return code;
    c->end[c->n_obs++] = c->n_terms;
    return KL_OK;
}

/* A term is added to the last output. */
static int check_sum(const struct kl_circuit *c, struct kl_error *err)
{
    int code = check_open(c, err);
    if (code || c->n_obs) return code;
    return kl_fail(err, KL_EUSAGE, "circuit: a term of no output; kl_circuit_observe_sum comes first");
}

static int add_term(struct kl_circuit *c, struct kl_term term, struct kl_error *err)
{
    int code = kl_circuit_grow((void **)&c->terms, c->n_terms, sizeof *c->terms, err);
    if (code) return code;
    c->terms[c->n_terms++] = term;
    c->end[c->n_obs - 1] = c->n_terms;
    return KL_OK;
}

int kl_circuit_add_string(struct kl_circuit *c, double weight, struct kl_pauli p, struct kl_error *err)
{
    size_t i = 0;
    int code = check_sum(c, err);
    if (code) return code;
    if ((p.x | p.z) >> c->n_qubits)
        return kl_fail(err, KL_EUSAGE, "circuit: an observable on a wire beyond the %d qubits",
                       c->n_qubits);
    while (i < c->n_strings && (c->strings[i].x != p.x || c->strings[i].z != p.z)) i++;
    if (i == c->n_strings) {
        code = kl_circuit_grow((void **)&c->strings, c->n_strings, sizeof *c->strings, err);
        if (code) return code;
        c->strings[c->n_strings++] = p;
    }
    return add_term(c, (struct kl_term){ (int)i, -1, weight }, err);
}

int kl_circuit_add_target(struct kl_circuit *c, double weight, struct kl_target target,
                          struct kl_error *err)
{
    const uint32_t all = (uint32_t)(((uint64_t)1 << c->n_qubits) - 1);
    int code = check_sum(c, err);
    if (code) return code;
    if (target.kind == KL_PRODUCT &&
        ((target.axis.x | target.axis.z) != all || (target.minus & ~all) != 0))
        return kl_fail(err, KL_EUSAGE, "circuit: a product state needs an axis on each of the %d wires",
                       c->n_qubits);
    code = kl_circuit_grow((void **)&c->targets, c->n_targets, sizeof *c->targets, err);
    if (code) return code;
    c->targets[c->n_targets++] = target;
    return add_term(c, (struct kl_term){ -1, (int)c->n_targets - 1, weight }, err);
}

int kl_circuit_observe(struct kl_circuit *c, struct kl_pauli pauli, struct kl_error *err)
{
    int code = kl_circuit_observe_sum(c, err);
    return code ? code : kl_circuit_add_string(c, 1, pauli, err);
}

int kl_circuit_observe_probabilities(struct kl_circuit *c, struct kl_error *err)
{
    if (c->n_obs) return kl_fail(err, KL_EUSAGE, "circuit: probabilities beside another observable");
    if (c->n_qubits > KL_MOST_KEPT_QUBITS)
        return kl_fail(err, KL_EUSAGE, "circuit: probabilities of %d qubits; expected at most %d",
                       c->n_qubits, KL_MOST_KEPT_QUBITS);
    c->probabilities = true;
    c->n_obs = (size_t)1 << c->n_qubits;
    return KL_OK;
}

size_t kl_circuit_term_reading(const struct kl_circuit *c, const struct kl_term *term)
{
    return term->string >= 0 ? (size_t)term->string : c->n_strings + (size_t)term->target;
}

bool kl_circuit_reads_plainly(const struct kl_circuit *c)
{
    if (c->probabilities) return true;
    if (c->n_terms != c->n_obs || c->n_strings + c->n_targets != c->n_obs) return false;
    for (size_t o = 0; o < c->n_obs; o++)
        if (c->end[o] != o + 1 || c->terms[o].weight != 1 ||
            kl_circuit_term_reading(c, &c->terms[o]) != o)
            return false;
    return true;
}

/* Gates and noise of c, no observable. */
static int copy(struct kl_circuit **to, const struct kl_circuit *c, struct kl_error *err)
{
    int code = kl_circuit_begin(to, c->n_qubits, c->n_inputs, c->n_weights, err);
    if (!code && c->amplitude_inputs) code = kl_circuit_begin_with_inputs(*to, err);
    for (size_t i = 0; i < c->n_ops && !code; i++) code = kl_circuit_append(*to, &c->ops[i], err);
    if (code || !c->noise) return code;
    (*to)->noise = malloc(sizeof *c->noise);
    if (!(*to)->noise) return kl_fail_memory(err, sizeof *c->noise);
    *(*to)->noise = *c->noise;
    (*to)->trajectories = c->trajectories;
    return KL_OK;
}

int kl_circuit_with_probabilities(struct kl_circuit **to, const struct kl_circuit *c,
                                  struct kl_error *err)
{
    int code = copy(to, c, err);
    if (!code) code = kl_circuit_observe_probabilities(*to, err);
    if (!code) code = kl_circuit_finish(*to, err);
    if (code) kl_circuit_free(to);
    return code;
}

static int with_readings(struct kl_circuit **to, const struct kl_circuit *c, struct kl_error *err)
{
    int code = copy(to, c, err);
    if (!code && c->probabilities) code = kl_circuit_observe_probabilities(*to, err);
    for (size_t i = 0; i < c->n_strings && !code; i++)
        code = kl_circuit_observe(*to, c->strings[i], err);
    for (size_t i = 0; i < c->n_targets && !code; i++) {
        code = kl_circuit_observe_sum(*to, err);
        if (!code) code = kl_circuit_add_target(*to, 1, c->targets[i], err);
    }
    if (!code) code = kl_circuit_finish(*to, err);
    if (code) kl_circuit_free(to);
    return code;
}

/* ---- The circuits from which measurements of another one are drawn ---- */

int kl_circuit_measured_make(struct kl_measured *m, const struct kl_circuit *c, struct kl_error *err)
{
    *m = (struct kl_measured){ 0 };
    if (c->n_qubits > KL_MOST_MEASURED_QUBITS)
        return kl_fail(
            err, KL_EUSAGE,
            "--shots: found a circuit of %d qubits, expected at most %d: measurements are drawn "
            "from the probabilities of all basis states",
            c->n_qubits, KL_MOST_MEASURED_QUBITS);
    int code = kl_circuit_with_probabilities(&m->probabilities, c, err);
    if (!code && !kl_circuit_reads_plainly(c)) code = with_readings(&m->readings, c, err);
    return code;
}

void kl_circuit_measured_stoppable(struct kl_circuit *c, const struct kl_measured *m, bool stoppable)
{
    struct kl_circuit *const all[] = { c, m->probabilities, m->readings };
    for (int i = 0; i < 3; i++)
        if (all[i]) all[i]->stoppable = stoppable;
}

void kl_circuit_measured_free(struct kl_measured *m)
{
    kl_circuit_free(&m->probabilities);
    kl_circuit_free(&m->readings);
}

/* ---- binomial numbers ----
   Exact to p's 53 bits, from fair coins alone. A trial succeeds where a uniform number
   is below p; their binary digits are compared from the first on. One digit of all trials that are still
   undecided is one count of coins, and decides half of them: 2 n coins in all, 64 counted at once. */

uint64_t kl_circuit_shots_key(const struct kl_shots *shots, uint32_t purpose, size_t sample)
{
    uint32_t word[4];
    const int64_t row = shots->rows ? shots->rows[sample] : (int64_t)sample;
    kl_philox(word, shots->seed, (uint32_t)row, purpose, shots->step, shots->replica);
    return word[0] | (uint64_t)word[1] << 32;
}

static void refill(struct kl_coins *c)
{
    uint32_t word[4];
    kl_philox(word, c->key, c->block++, c->setting, c->evaluation, 0);
    c->word[0] = word[0] | (uint64_t)word[1] << 32;
    c->word[1] = word[2] | (uint64_t)word[3] << 32;
    c->left = 128;
}

/* Heads among n coins, n at most what is left of the word. */
static uint32_t count(struct kl_coins *c, uint32_t n)
{
    uint64_t *word = &c->word[c->left <= 64];
    const uint64_t taken = *word << (64 - n);
    *word = *word >> (n - 1) >> 1;
    c->left -= (int)n;
    return (uint32_t)__builtin_popcountll(taken);
}

/* Heads among n > 0 coins. */
static uint32_t toss(struct kl_coins *c, uint32_t n)
{
    uint32_t heads = 0;
    for (;;) {
        if (!c->left) refill(c);
        const uint32_t here = (uint32_t)(c->left > 64 ? c->left - 64 : c->left);
        if (n <= here) return heads + count(c, n);
        heads += count(c, here);
        n -= here;
    }
}

uint32_t kl_circuit_binomial(struct kl_coins *coins, uint32_t n, double p)
{
    uint32_t successes = 0;
    if (!(p > 0)) return 0;
    if (p >= 1) return n;
    for (uint64_t digits = (uint64_t)(p * 0x1p64); n && digits; digits <<= 1) {
        const uint32_t ones = toss(coins, n), zeros = n - ones;
        const bool one = digits >> 63; /* 0 against it is below p; 1 against a zero is above */
        successes += one ? zeros : 0;
        n = one ? ones : zeros;
    }
    return successes;
}
