/* SPDX-License-Identifier: MIT
   One text for the same observables: no blanks, sums sorted by their strings, each of them once. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/observables_int.h"

size_t kl_circuit_summand_take(struct kl_summand *s, const char *text)
{
    const char *at = text;
    char *end;
    *s = (struct kl_summand){ .weight = *at == '-' ? -1 : 1 };
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

static int read_summand(struct kl_summand *s, const char **text, struct kl_error *err)
{
    const char *at = *text;
    const size_t n = kl_circuit_summand_take(s, at);
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
    const struct kl_summand *x = a, *y = b;
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
    struct kl_summand *all = malloc((strlen(item) + 1) * sizeof *all);
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
