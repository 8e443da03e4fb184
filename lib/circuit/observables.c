/* SPDX-License-Identifier: MIT
   Observables as people write them: a list of words (z, x, y, zz, probs), probs(WIRES), fidelity(STATE)
   and sums of Pauli strings, "0.5*ZZII-XIII"; one text for the same observables. */
#include "circuit/circuit_int.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"

/* A term of a sum: "+0.5*ZZII"; string points into the text. */
struct summand {
    double weight;
    const char *string;
    size_t length;
};

/* ---- observables text ----
   One text for the same observables: no blanks, sums sorted by their strings, each of them once. */

/* The summand at text: its bytes; 0: there is none, and without a string its number is none. Of
   canonical text: there is one up to the end. */
static size_t summand_take(struct summand *s, const char *text)
{
    const char *at = text;
    char *end;
    *s = (struct summand){ .weight = *at == '-' ? -1 : 1 };
    if (*at == '+' || *at == '-') at++;
    if (isdigit((unsigned char)*at) || *at == '.') {
        s->weight *= strtod(at, &end);
        if (end == at || *end != '*' || !isfinite(s->weight)) return 0;
        at = end + 1;
    }
    s->string = at;
    while (isalpha((unsigned char)*at)) at++;
    s->length = (size_t)(at - s->string);
    return s->length && (!*at || strchr("+-", *at)) ? (size_t)(at - text) : 0;
}

static int read_summand(struct summand *s, const char **text, struct kl_error *err)
{
    const char *at = *text;
    const size_t n = summand_take(s, at);
    *text += n;
    if (n) return KL_OK;
    if (!s->string)
        return kl_fail(err, KL_EUSAGE,
                       "observables: found '%.40s', expected NUMBER*STRING, as in 0.5*ZZII",
                       at + strspn(at, "+-"));
    return kl_fail(err, KL_EUSAGE,
                   "observables: found '%.40s', expected a letter a qubit as in ZZII, sums such as "
                   "0.5*ZZII-XIII, probs(WIRES) or fidelity(STATE)",
                   at);
}

static int by_string(const void *a, const void *b)
{
    const struct summand *x = a, *y = b;
    const size_t n = x->length < y->length ? x->length : y->length;
    const int order = strncmp(x->string, y->string, n);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* The fewest digits that are the number again. */
static void write_weight(FILE *to, double weight, bool first)
{
    char text[32];
    const double size = fabs(weight);
    int digits = 0;
    do snprintf(text, sizeof text, "%.*g", ++digits, size);
    while (digits < 17 && strtod(text, NULL) != size);
    fputs(weight < 0 ? "-" : first ? "" : "+", to);
    if (size != 1) fprintf(to, "%s*", text);
}

static int write_sum(FILE *to, const char *item, struct kl_error *err)
{
    const char *at = item;
    size_t n = 0, kept = 0;
    struct summand *all = malloc((strlen(item) + 1) * sizeof *all);
    int code = all ? KL_OK : kl_fail_memory(err, strlen(item) * sizeof *all);
    do
        if (!code) code = read_summand(&all[n++], &at, err);
    while (!code && *at);
    if (!code) qsort(all, n, sizeof *all, by_string);
    for (size_t i = 0, next; i < n && !code; i = next) {
        double weight = 0;
        for (next = i; next < n && by_string(&all[i], &all[next]) == 0; next++)
            weight += all[next].weight;
        if (weight == 0) continue;
        if (!isfinite(weight)) {
            code = kl_fail(err, KL_EUSAGE, "observables: the weights of %.*s in '%.60s' overflow",
                           (int)all[i].length, all[i].string, item);
            break;
        }
        write_weight(to, weight, kept++ == 0);
        fwrite(all[i].string, 1, all[i].length, to);
    }
    if (!code && !kept) code = kl_fail(err, KL_EUSAGE, "observables: '%.60s' is 0", item);
    free(all);
    return code;
}

/* "(0,2)" */
static int write_wires(FILE *to, const char *item, struct kl_error *err)
{
    const char *at = item + strlen("probs(");
    fputs("probs(", to);
    for (;; at++) {
        char *end = NULL;
        const long wire = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : -1;
        if (wire < 0 || wire > KL_MAX_QUBITS || (*end != ',' && strcmp(end, ")") != 0))
            return kl_fail(err, KL_EUSAGE,
                           "observables: found '%.60s', expected wires in parentheses, "
                           "as in probs(0,2)",
                           item);
        fprintf(to, "%ld%c", wire, *end);
        if (*end == ')') return KL_OK;
        at = end;
    }
}

static int write_item(FILE *to, const char *item, struct kl_error *err)
{
    static const char *const words[] = { "z", "x", "y", "zz", "probs" };
    const size_t n = strlen(item);
    if (strncmp(item, "probs(", 6) == 0) return write_wires(to, item, err);
    bool whole = strncmp(item, "fidelity(", 9) == 0 && strchr(item, ')') == item + n - 1;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) whole |= strcmp(item, words[i]) == 0;
    if (!whole) return write_sum(to, item, err);
    fputs(item, to);
    return KL_OK;
}

static int write_all(FILE *to, char *text, struct kl_error *err)
{
    int code = KL_OK;
    for (char *item = text, *end; !code; item = end + 1) {
        int depth = 0;
        for (end = item; *end && (depth > 0 || *end != ','); end++)
            depth += (*end == '(') - (*end == ')');
        const bool last = !*end;
        *end = '\0';
        code = write_item(to, item, err);
        if (last) break;
        fputc(',', to);
    }
    return code;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Without blanks, n letters. One that parts two words or numbers would make another of them, "z z" the
   pairs and probs(0 2) wire 2; letters of Pauli strings and of states may stand in groups. */
static int strip(char *bare, const char *text, struct kl_error *err)
{
    size_t n = 0, open = 0; /* open: after the last parenthesis */
    for (const char *c = text; *c; c++) {
        const char last = n ? bare[n - 1] : 0;
        const bool parted = c > text && is_blank(c[-1]) && isalnum((unsigned char)last) &&
                            isalnum((unsigned char)*c),
                   state = open >= 9 && strncmp(bare + open - 9, "fidelity(", 9) == 0;
        if (parted && !state && !(isupper((unsigned char)last) && isupper((unsigned char)*c)))
            return kl_fail(err, KL_EUSAGE,
                           "observables: found a blank between '%c' and '%c' in '%.60s', expected a "
                           "comma, or nothing",
                           last, *c, text);
        if (is_blank(*c)) continue;
        bare[n++] = *c;
        if (*c == '(') open = n;
        if (*c == ')') open = 0;
    }
    bare[n] = '\0';
    return KL_OK;
}

int kl_circuit_observables_text(char **canonical, const char *text, struct kl_error *err)
{
    size_t size;
    char *bare = malloc(strlen(text) + 1);
    *canonical = NULL;
    if (!bare) return kl_fail_memory(err, strlen(text) + 1);
    int code = strip(bare, text, err);
    FILE *to = code ? NULL : open_memstream(canonical, &size);
    if (!code) code = to ? write_all(to, bare, err) : kl_fail_memory(err, 256);
    bool failed = to && ferror(to);
    if (to) failed |= fclose(to) != 0; /* of a memory stream: what did not fit */
    if (!code && failed) code = kl_fail_memory(err, 256);
    if (code) free(*canonical), *canonical = NULL;
    free(bare);
    return code;
}

/* ---- Observables as people write them ---- */

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
    struct summand s;
    size_t n;
    int code = kl_circuit_observe_sum(b->circuit, b->err);
    for (; !code && (n = summand_take(&s, text)); text += n)
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

/* Of the qubits that pooling has left. */
static int first_left(const struct kl_circuit_options *o, int n)
{
    const bool pooled = strcmp(o->ansatz, "qcnn") == 0; /* no text beside it */
    return pooled ? n - kl_circuit_qcnn_wires(n, (int)o->n_layers) : 0;
}

static int observe_each(struct kl_builder *b, char axis)
{
    int code = KL_OK;
    for (int q = first_left(b->options, b->n); q < b->n && !code; q++)
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

/* ---- The same in PennyLane, an item a line ---- */

/* "0.5 * qml.Z(0) @ qml.Z(1) - qml.X(0)" */
static void write_pennylane_sum(FILE *to, const char *text)
{
    struct summand s;
    size_t n;
    for (bool first = true; (n = summand_take(&s, text)); text += n, first = false) {
        const double size = first ? s.weight : fabs(s.weight);
        const char *product = "";
        if (!first) fputs(s.weight < 0 ? " - " : " + ", to);
        if (size != 1) fprintf(to, "%.17g * ", size);
        for (size_t q = 0; q < s.length; q++) {
            if (s.string[q] == 'I') continue;
            fprintf(to, "%sqml.%c(%zu)", product, s.string[q], q);
            product = " @ ";
        }
        if (!*product) fputs("qml.I(0)", to);
    }
}

static void write_pennylane_item(FILE *to, const char *item, const struct kl_circuit_options *o, int n)
{
    const int length = (int)strlen(item);
    if (strcmp(item, "zz") == 0)
        fprintf(to, "*[qml.expval(qml.Z(q) @ qml.Z(r)) for q in range(%d) for r in range(q + 1, %d)],\n",
                n, n);
    else if (length == 1) {
        fprintf(to, "*[qml.expval(qml.%c(q)) for q in range(", toupper((unsigned char)*item));
        if (first_left(o, n)) fprintf(to, "%d, ", first_left(o, n));
        fprintf(to, "%d)],\n", n);
    } else if (strcmp(item, "probs") == 0) fprintf(to, "qml.probs(wires=range(%d)),\n", n);
    else if (strncmp(item, "probs(", 6) == 0)
        fprintf(to, "qml.probs(wires=[%.*s]),\n", length - 7, item + 6);
    else if (strncmp(item, "fidelity(", 9) == 0)
        fprintf(to, "qml.expval(qml.Projector(ket(\"%.*s\"), wires=range(%d))),\n", length - 10,
                item + 9, n);
    else {
        fputs("qml.expval(", to);
        write_pennylane_sum(to, item);
        fputs("),\n", to);
    }
}

int kl_circuit_pennylane_outputs(FILE *to, const struct kl_circuit_options *o, int n,
                                 struct kl_error *err)
{
    char *canonical = NULL;
    int code = kl_circuit_observables_text(&canonical, o->observables, err);
    bool last = code;
    for (char *at = canonical, *end; !last; at = end + 1) {
        end = end_of(at);
        last = !*end;
        *end = '\0';
        fputs("        ", to);
        write_pennylane_item(to, at, o, n);
    }
    free(canonical);
    return code;
}
