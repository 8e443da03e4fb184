/* SPDX-License-Identifier: MIT
   A model of noise out of its JSON text, and a circuit that takes it; which qubits of a calibration are
   its wires; errors of the readout, taken back. */
#include "circuit/circuit_int.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"

#define AT(field) offsetof(struct kl_qubit_noise, field)
enum { ZERO_TO_ONE, ABOVE_ZERO, ZERO_OR_ABOVE };
/* NAME is for gates on one wire; where there is a second place, NAME-2 for gates on several. */
static const struct number {
    const char *name;
    size_t offset;
    int range;
} numbers[] = {
    { "depolarizing", AT(depolarizing[0]), ZERO_TO_ONE },
    { "depolarizing-2", AT(depolarizing[1]), ZERO_TO_ONE },
    { "amplitude-damping", AT(amplitude_damping[0]), ZERO_TO_ONE },
    { "amplitude-damping-2", AT(amplitude_damping[1]), ZERO_TO_ONE },
    { "phase-damping", AT(phase_damping[0]), ZERO_TO_ONE },
    { "phase-damping-2", AT(phase_damping[1]), ZERO_TO_ONE },
    { "bit-flip", AT(bit_flip[0]), ZERO_TO_ONE },
    { "bit-flip-2", AT(bit_flip[1]), ZERO_TO_ONE },
    { "phase-flip", AT(phase_flip[0]), ZERO_TO_ONE },
    { "phase-flip-2", AT(phase_flip[1]), ZERO_TO_ONE },
    { "t1", AT(t1), ABOVE_ZERO },
    { "t2", AT(t2), ABOVE_ZERO },
    { "gate-time", AT(gate_time[0]), ZERO_OR_ABOVE },
    { "gate-time-2", AT(gate_time[1]), ZERO_OR_ABOVE },
    { "excited", AT(excited), ZERO_TO_ONE },
    { "readout-0", AT(readout[0]), ZERO_TO_ONE },
    { "readout-1", AT(readout[1]), ZERO_TO_ONE },
};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

static double *field(struct kl_qubit_noise *q, const struct number *n)
{
    return (double *)((char *)q + n->offset);
}

/* NAN: not given */
static void clear(struct kl_qubit_noise *q)
{
    for (int i = 0; i < N_NUMBERS; i++) *field(q, &numbers[i]) = NAN;
}

static int unknown(const char *name, const char *what, struct kl_error *err)
{
    char names[512] = "readout";
    for (int i = 0; i < N_NUMBERS; i++) {
        const size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, ", %s", numbers[i].name);
    }
    return kl_fail(err, KL_EDATA, "%s: found '%.40s', expected one of %s", what, name, names);
}

static int set(struct kl_qubit_noise *q, const struct number *n, const json_t *value, const char *what,
               struct kl_error *err)
{
    const double x = json_is_number(value) ? json_number_value(value) : NAN;
    const bool fits = n->range == ZERO_TO_ONE  ? x >= 0 && x <= 1
                      : n->range == ABOVE_ZERO ? x > 0 && isfinite(x)
                                               : x >= 0 && isfinite(x);
    static const char *const ranges[] = { "from 0 to 1", "above 0", "of 0 or above" };
    *field(q, n) = x;
    if (fits) return KL_OK;
    if (!json_is_number(value))
        return kl_fail(err, KL_EDATA, "%s: %s: found no number, expected one %s", what, n->name,
                       ranges[n->range]);
    return kl_fail(err, KL_EDATA, "%s: %s: found %g, expected a number %s", what, n->name, x,
                   ranges[n->range]);
}

static int read_qubit(struct kl_qubit_noise *q, json_t *object, const char *what, struct kl_error *err)
{
    const char *name;
    json_t *value;
    int code = KL_OK;
    if (!json_is_object(object))
        return kl_fail(err, KL_EDATA, "%s: a qubit is no JSON object of numbers", what);
    json_object_foreach(object, name, value)
    {
        int i = 0, n = 1;
        while (i < N_NUMBERS && strcmp(name, numbers[i].name) != 0) i++;
        if (strcmp(name, "readout") == 0) i = N_NUMBERS - 2, n = 2; /* the same in both states */
        if (i == N_NUMBERS) return unknown(name, what, err);
        for (; n > 0 && !code; n--, i++) code = set(q, &numbers[i], value, what, err);
        if (code) return code;
    }
    return KL_OK;
}

/* Give defaults to numbers that were not given; refuse numbers that mean nothing together. */
static int settle(struct kl_qubit_noise *q, const char *what, struct kl_error *err)
{
    const bool decays = isfinite(q->t1) || isfinite(q->t2),
               takes_time = isfinite(q->gate_time[0]) || isfinite(q->gate_time[1]);
    if (decays != takes_time)
        return kl_fail(err, KL_EDATA, "%s: %s; thermal relaxation needs gate-time and t1 or t2", what,
                       decays ? "t1 or t2 without gate-time" : "gate-time without t1 or t2");
    if (isfinite(q->excited) && !isfinite(q->t1))
        return kl_fail(err, KL_EDATA, "%s: excited without t1, the time in which it is reached", what);
    if (isnan(q->t1)) q->t1 = INFINITY;
    if (isnan(q->t2)) q->t2 = 2 * q->t1; /* nothing but the loss of energy */
    if (q->t2 > 2 * q->t1 * (1 + 1e-12))
        return kl_fail(err, KL_EDATA,
                       "%s: t2 is %g, expected at most twice t1, which is %g; where more was "
                       "measured, write %g",
                       what, q->t2, q->t1, 2 * q->t1);
    for (int i = 0; i < N_NUMBERS; i++) {
        const bool second = i > 0 && strlen(numbers[i].name) > 2 &&
                            strcmp(numbers[i].name + strlen(numbers[i].name) - 2, "-2") == 0;
        double *x = field(q, &numbers[i]);
        if (isnan(*x)) *x = second ? *field(q, &numbers[i - 1]) : 0;
    }
    return KL_OK;
}

static int check_members(json_t *root, const char *what, struct kl_error *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(root)) return kl_fail(err, KL_EDATA, "%s: no JSON object", what);
    json_object_foreach(root, name, value)
    {
        const bool text = strcmp(name, "name") == 0 || strcmp(name, "note") == 0;
        if (!text && strcmp(name, "all") != 0 && strcmp(name, "qubits") != 0)
            return kl_fail(err, KL_EDATA,
                           "%s: found '%.40s', expected name, note, all and qubits, or a backend's "
                           "properties in IBM's form",
                           what, name);
        if (text && !json_is_string(value))
            return kl_fail(err, KL_EDATA, "%s: %s: expected a text", what, name);
        for (const char *c = json_string_value(value); text && *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                return kl_fail(err, KL_EDATA, "%s: %s: expected printable characters", what, name);
    }
    return KL_OK;
}

static int read_root(struct kl_noise *noise, json_t *root, const char *what, struct kl_error *err)
{
    struct kl_qubit_noise all;
    json_t *shared = json_object_get(root, "all"), *list = json_object_get(root, "qubits");
    char here[300];
    clear(&all);
    int code = check_members(root, what, err);
    if (!code && !shared && !list)
        return kl_fail(err, KL_EDATA, "%s: neither all nor qubits: no noise is described", what);
    snprintf(here, sizeof here, "%.200s: all", what);
    if (!code && shared) code = read_qubit(&all, shared, list ? here : what, err);
    if (code) return code;
    if (!list) {
        noise->n_qubits = 0;
        noise->qubit[0] = all;
        return settle(&noise->qubit[0], what, err);
    }
    const size_t n = json_array_size(list);
    if (!n || n > KL_MAX_QUBITS) /* of a file's longer list the first ones are taken */
        return kl_fail(err, KL_EDATA, "%s: qubits: expected a list of 1 to %d qubits", what,
                       KL_MAX_QUBITS);
    noise->n_qubits = (int)n;
    for (int q = 0; q < noise->n_qubits && !code; q++) {
        snprintf(here, sizeof here, "%.200s: qubit %d", what, q);
        noise->qubit[q] = all;
        code = read_qubit(&noise->qubit[q], json_array_get(list, (size_t)q), here, err);
        if (!code) code = settle(&noise->qubit[q], here, err);
    }
    return code;
}

int kl_circuit_noise_read(struct kl_noise *noise, const char *text, const char *what,
                          struct kl_error *err)
{
    json_t *root = NULL;
    *noise = (struct kl_noise){ 0 };
    int code = kl_circuit_noise_parse(&root, text, what, err);
    if (!code) code = read_root(noise, root, what, err);
    json_decref(root);
    return code;
}

int kl_circuit_add_noise(struct kl_circuit *c, const char *text, struct kl_error *err)
{
    if (!text || !*text) return KL_OK;
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, no noise can be added");
    if (!c->trajectories && c->n_qubits > KL_MOST_NOISY_QUBITS) c->trajectories = KL_TRAJECTORIES;
    struct kl_noise *noise = malloc(sizeof *noise);
    if (!noise) return kl_fail_memory(err, sizeof *noise);
    free(c->noise);
    c->noise = noise;
    int code = kl_circuit_noise_read(noise, text, "noise", err);
    if (!code && noise->n_qubits && noise->n_qubits < c->n_qubits)
        code = kl_fail(err, KL_EUSAGE,
                       "noise: it describes %d qubit%s, the circuit has %d; add the others to its list "
                       "'qubits'",
                       noise->n_qubits, kl_s((uint64_t)noise->n_qubits), c->n_qubits);
    return code;
}

bool kl_circuit_noise_errs(const struct kl_noise *noise, int n_qubits)
{
    bool found = false;
    for (int q = 0; q < n_qubits; q++)
        for (int several = 0; several < 2; several++) {
            const struct kl_channel c = kl_circuit_noise_channel(noise, q, several);
            found = found || c.x < 1 || c.y < 1 || c.z < 1;
        }
    return found;
}

bool kl_circuit_errs_by_composites(const struct kl_circuit *c)
{
    return c->noise && kl_circuit_has_composites(c) && kl_circuit_noise_errs(c->noise, c->n_qubits);
}

int kl_circuit_options_err_by_composites(bool *yes, const struct kl_circuit_options *o,
                                         struct kl_error *err)
{
    struct kl_circuit_options exact = *o;
    struct kl_circuit *c = NULL;
    *yes = false;
    if (!o->noise || !*o->noise) return KL_OK;
    exact.noise = NULL, exact.trajectories = 0, exact.fold = 0, exact.perfect_readout = false;
    int code = kl_circuit_build(&c, &exact, err);
    struct kl_noise noise;
    if (!code) code = kl_circuit_noise_read(&noise, o->noise, "noise", err);
    if (!code) *yes = kl_circuit_has_composites(c) && kl_circuit_noise_errs(&noise, c->n_qubits);
    kl_circuit_free(&c);
    return code;
}

/* ---- noise choice ----
   Which qubits of a calibration a circuit's wires are: those that were chosen, else the first ones. */

int kl_circuit_noise_choice_read(struct kl_noise_choice *choice, const char *list, struct kl_error *err)
{
    choice->n = 0;
    for (;; list++) {
        char *end;
        const long number = *list >= '0' && *list <= '9' ? strtol(list, &end, 10) : -1;
        if (number < 0 || number > 99999 || (*end && *end != ','))
            return kl_fail(err, KL_EUSAGE,
                           "--noise: qubits: found '%.40s', expected numbers, wire 0 first, as in "
                           "FILE.json,qubits=0,3,5",
                           list);
        for (int i = 0; i < choice->n; i++)
            if (choice->qubit[i] == number)
                return kl_fail(err, KL_EUSAGE, "--noise: qubits: %ld is given twice", number);
        if (choice->n == KL_MAX_QUBITS)
            return kl_fail(err, KL_EUSAGE, "--noise: qubits: expected at most %d", KL_MAX_QUBITS);
        choice->qubit[choice->n++] = (int)number;
        if (!*(list = end)) return KL_OK;
    }
}

int kl_circuit_noise_choice_check(const struct kl_noise_choice *choice, size_t n, const char *what,
                                  struct kl_error *err)
{
    for (int i = 0; i < choice->n; i++)
        if ((size_t)choice->qubit[i] >= n)
            return kl_fail(err, KL_EUSAGE,
                           "--noise: qubits: found %d, %s describes %zu qubit%s, numbered from 0",
                           choice->qubit[i], what, n, kl_s(n));
    return KL_OK;
}

int kl_circuit_noise_pick(json_t *root, struct kl_noise_source *source,
                          const struct kl_noise_choice *choice, const char *what, struct kl_error *err)
{
    json_t *list = json_object_get(root, "qubits");
    const size_t n = json_array_size(list), most = KL_MAX_QUBITS;
    if (!choice->n && n <= most) {
        source->n_taken = (int)n;
        for (int i = 0; i < source->n_taken; i++) source->taken[i] = i;
        return KL_OK;
    }
    if (!n) return kl_fail(err, KL_EUSAGE, "--noise: %s has no list 'qubits' to choose from", what);
    int code = kl_circuit_noise_choice_check(choice, n, what, err);
    if (code) return code;
    source->n_taken = choice->n ? choice->n : (int)most;
    json_t *picked = json_array();
    for (int i = 0; i < source->n_taken && !code; i++) {
        source->taken[i] = choice->n ? choice->qubit[i] : i;
        if (json_array_append(picked, json_array_get(list, (size_t)source->taken[i])))
            code = kl_fail_memory(err, 64);
    }
    if (!code && json_object_set(root, "qubits", picked)) code = kl_fail_memory(err, 64);
    json_decref(picked);
    return code;
}

/* `readout` is readout-0 and readout-1. */
static bool has_own(const json_t *qubit, const char *name)
{
    if (json_object_get(qubit, name)) return true;
    if (strcmp(name, "readout") == 0)
        return json_object_get(qubit, "readout-0") && json_object_get(qubit, "readout-1");
    return strncmp(name, "readout-", 8) == 0 && json_object_get(qubit, "readout");
}

void kl_circuit_noise_find_idle(struct kl_noise_source *source, const json_t *root)
{
    json_t *all = json_object_get(root, "all"), *list = json_object_get(root, "qubits");
    const char *name;
    json_t *value;
    if (!json_array_size(list)) return;
    json_object_foreach(all, name, value)
    {
        bool idle = true;
        for (size_t q = 0; q < json_array_size(list); q++)
            idle &= has_own(json_array_get(list, q), name);
        const size_t n = strlen(source->idle);
        if (idle && n + strlen(name) + 3 < sizeof source->idle)
            snprintf(source->idle + n, sizeof source->idle - n, "%s%s", n ? ", " : "", name);
    }
}

/* ---- readout ----
   Errors of the readout, taken back by the inverse of each qubit's confusion matrix (Bravyi et al. 2021,
   arXiv:2006.14044, the tensor product model). */

static double *errors_of(const struct kl_circuit *c, int qubit)
{
    return c->noise->qubit[c->noise->n_qubits ? qubit : 0].readout;
}

int kl_circuit_readout_check(const struct kl_circuit *c, struct kl_error *err)
{
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q);
        if (fabs(1 - e[0] - e[1]) < 1e-9)
            return kl_fail(
                err, KL_EUSAGE,
                "readout errors of qubit %d: found %g and %g, whose sum is 1: what is read says "
                "nothing about the qubit, so they cannot be taken back",
                q, e[0], e[1]);
    }
    return KL_OK;
}

int kl_circuit_readout_perfect(struct kl_circuit *c, struct kl_error *err)
{
    if (c->plan) return kl_fail(err, KL_EUSAGE, "circuit: it is finished, its readout is as it is");
    int code = kl_circuit_readout_check(c, err);
    for (int q = 0; c->noise && !code && q < KL_MAX_QUBITS; q++)
        c->noise->qubit[q].readout[0] = c->noise->qubit[q].readout[1] = 0;
    return code;
}

void kl_circuit_readout_undo(double *p, const struct kl_circuit *c)
{
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q), f = 1 / (1 - e[0] - e[1]);
        const size_t bit = (size_t)1 << (c->n_qubits - 1 - q);
        for (size_t k = 0; k < (size_t)1 << c->n_qubits; k++) {
            if (k & bit) continue;
            const double p0 = p[k], p1 = p[k | bit];
            p[k] = f * ((1 - e[1]) * p0 - e[1] * p1);
            p[k | bit] = f * ((1 - e[0]) * p1 - e[0] * p0);
        }
    }
}

int kl_circuit_readout_mean_check(const struct kl_circuit *c, struct kl_pauli string,
                                  struct kl_error *err)
{
    const uint32_t wires = string.x | string.z;
    for (int q = 0; c->noise && q < c->n_qubits && (wires & (wires - 1)); q++) {
        const double *e = errors_of(c, q);
        if ((wires >> q & 1) && fabs(e[0] - e[1]) > 1e-12)
            return kl_fail(err, KL_EUSAGE,
                           "shots of a string of several letters, not all Z, under readout errors that "
                           "differ (qubit %d: %g and %g) are not mitigated; leave --shots out, or "
                           "observe strings of Z",
                           q, e[0], e[1]);
    }
    return KL_OK;
}

double kl_circuit_readout_mean(double mean, const struct kl_circuit *c, struct kl_pauli string)
{
    const uint32_t wires = string.x | string.z;
    for (int q = 0; c->noise && q < c->n_qubits; q++) {
        const double *e = errors_of(c, q);
        if (wires >> q & 1) mean = (mean - (e[1] - e[0])) / (1 - e[0] - e[1]);
    }
    return mean;
}
