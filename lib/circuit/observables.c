/* SPDX-License-Identifier: MIT
   Observables as people write them: a list of words (z, x, y, zz, probs), probs(WIRES), fidelity(STATE)
   and sums of Pauli strings, "0.5*ZZII-XIII". */
#include <stdlib.h>
#include <string.h>

#include "circuit/build_int.h"
#include "circuit/observables_int.h"

enum { MOST_MARGINAL = 8 }; /* wires of probs(...): 2^8 strings, each in 2^8 sums */

/* One Pauli string, a letter a wire, as a term of the last output. */
static int add_string(struct kl_builder *b, double weight, const char *text, size_t length)
{
    struct kl_pauli pauli = { 0 };
    if (length != (size_t)b->n)
        return kl_fail(b->err, KL_EUSAGE,
                       "observables: found '%.*s' of %zu letters, expected %d, one a qubit "
                       "(or z: <Z> of each)",
                       (int)length, text, length, b->n);
    for (int q = 0; q < b->n; q++) {
        const char letter = text[q];
        if (!strchr("IXYZ", letter))
            return kl_fail(b->err, KL_EUSAGE, "observables: found '%c' in '%.*s', expected I, X, Y or Z",
                           letter, (int)length, text);
        if (letter == 'X' || letter == 'Y') pauli.x |= 1u << q;
        if (letter == 'Z' || letter == 'Y') pauli.z |= 1u << q;
    }
    return kl_circuit_add_string(b->circuit, weight, pauli, b->err);
}

/* Of canonical text. */
static int observe_sum(struct kl_builder *b, const char *text)
{
    struct kl_summand s;
    size_t n;
    int code = kl_circuit_observe_sum(b->circuit, b->err);
    for (; !code && (n = kl_circuit_summand_take(&s, text)); text += n)
        code = add_string(b, s.weight, s.string, s.length);
    return code;
}

static int observe(struct kl_builder *b, uint32_t x, uint32_t z)
{
    return kl_circuit_observe(b->circuit, (struct kl_pauli){ x, z }, b->err);
}

static int observe_pairs(struct kl_builder *b)
{
    int code = KL_OK;
    if (b->n < 2)
        return kl_fail(b->err, KL_EUSAGE, "observables zz: found one qubit, expected two or more");
    for (int q = 0; q < b->n; q++)
        for (int r = q + 1; r < b->n && !code; r++) code = observe(b, 0, 1u << q | 1u << r);
    return code;
}

/* Of each qubit that pooling has left. */
static int observe_each(struct kl_builder *b, char axis)
{
    const struct kl_circuit_options *o = b->options;
    const bool pooled = strcmp(o->ansatz, "qcnn") == 0; /* no text beside it */
    int code = KL_OK;
    for (int q = pooled ? b->n - kl_circuit_qcnn_wires(b->n, (int)o->n_layers) : 0; q < b->n && !code;
         q++)
        code = observe(b, axis != 'z' ? 1u << q : 0, axis != 'x' ? 1u << q : 0);
    return code;
}

/* The probability of each basis state of some wires, the first the most significant: the sum over the
   parts S of the wires of (-1)^(ones of the state on S) <Z on S>, divided by their number. */
static int observe_marginal(struct kl_builder *b, const int *wires, int n)
{
    int code = KL_OK;
    for (unsigned state = 0; state < 1u << n && !code; state++) {
        code = kl_circuit_observe_sum(b->circuit, b->err);
        for (unsigned part = 0; part < 1u << n && !code; part++) {
            uint32_t z = 0;
            for (int i = 0; i < n; i++) z |= part >> (n - 1 - i) & 1 ? 1u << wires[i] : 0;
            const double sign = __builtin_parity(state & part) ? -1 : 1;
            code =
                kl_circuit_add_string(b->circuit, sign / (1u << n), (struct kl_pauli){ 0, z }, b->err);
        }
    }
    return code;
}

/* "0,2)" */
static int observe_wires(struct kl_builder *b, const char *text)
{
    int wires[KL_MAX_QUBITS], n = 0;
    uint32_t seen = 0;
    bool rising = true;
    for (const char *at = text; at == text || at[-1] == ','; at++) {
        char *end;
        const long wire = strtol(at, &end, 10);
        if (wire >= b->n)
            return kl_fail(b->err, KL_EUSAGE,
                           "observables: probs(WIRES): found wire %ld, the last is %d", wire, b->n - 1);
        if (seen >> wire & 1)
            return kl_fail(b->err, KL_EUSAGE, "observables: probs(WIRES): wire %ld is there twice",
                           wire);
        rising &= wire == n;
        seen |= 1u << wire;
        wires[n++] = (int)wire;
        at = end;
    }
    if (rising && n == b->n && b->alone) return kl_circuit_observe_probabilities(b->circuit, b->err);
    if (n > MOST_MARGINAL)
        return kl_fail(
            b->err, KL_EUSAGE,
            "observables: probs(WIRES): found %d wires, expected at most %d; all wires are probs", n,
            MOST_MARGINAL);
    return observe_marginal(b, wires, n);
}

/* "ghz)", "w)", or a character a wire: "0+1-)" */
static int observe_fidelity(struct kl_builder *b, const char *text, size_t n)
{
    struct kl_target target = { .kind = KL_PRODUCT };
    const bool ghz = n == 3 && strncmp(text, "ghz", n) == 0, w = n == 1 && *text == 'w';
    if (ghz || w) target.kind = ghz ? KL_GHZ : KL_W;
    else if (n != (size_t)b->n)
        return kl_fail(
            b->err, KL_EUSAGE,
            "observables: found fidelity(%.*s), expected ghz, w or %d characters, one a qubit", (int)n,
            text, b->n);
    for (int q = 0; q < b->n && target.kind == KL_PRODUCT; q++) {
        static const char states[] = "01+-rl";
        const char *state = strchr(states, text[q]);
        if (!state)
            return kl_fail(b->err, KL_EUSAGE,
                           "observables: found '%c' in fidelity(%.*s), expected ghz, w, or 0, 1, "
                           "+, -, r, l, one a qubit",
                           text[q], (int)n, text);
        const int axis = (int)(state - states) / 2; /* Z, X, Y */
        target.axis.x |= axis ? 1u << q : 0;
        target.axis.z |= axis != 1 ? 1u << q : 0;
        target.minus |= (state - states) % 2 ? 1u << q : 0;
    }
    int code = kl_circuit_observe_sum(b->circuit, b->err);
    return code ? code : kl_circuit_add_target(b->circuit, 1, target, b->err);
}

static int observe_item(struct kl_builder *b, const char *item)
{
    if (strcmp(item, "zz") == 0) return observe_pairs(b);
    if (strcmp(item, "probs") == 0 && b->alone)
        return kl_circuit_observe_probabilities(b->circuit, b->err);
    if (strcmp(item, "probs") == 0)
        return kl_fail(b->err, KL_EUSAGE,
                       "observables: probs stands alone; beside others write probs(WIRES)");
    if (strlen(item) == 1 && strchr("xyz", *item)) return observe_each(b, *item);
    if (strncmp(item, "probs(", 6) == 0) return observe_wires(b, item + 6);
    if (strncmp(item, "fidelity(", 9) == 0) return observe_fidelity(b, item + 9, strlen(item + 9) - 1);
    return observe_sum(b, item);
}

/* The comma or end behind the item at `at`. */
static char *end_of(char *at)
{
    for (int depth = 0; *at && (depth > 0 || *at != ','); at++) depth += (*at == '(') - (*at == ')');
    return at;
}

int kl_circuit_observe_text(struct kl_builder *b, const char *text)
{
    char *canonical = NULL;
    int code = kl_circuit_observables_text(&canonical, text, b->err);
    if (code) return code;
    b->alone = !*end_of(canonical);
    for (char *at = canonical, *end; !code; at = end + 1) {
        end = end_of(at);
        const bool last = !*end;
        *end = '\0';
        code = observe_item(b, at);
        if (last) break;
    }
    free(canonical);
    return code;
}
