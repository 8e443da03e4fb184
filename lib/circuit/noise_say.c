/* SPDX-License-Identifier: MIT
   Notes on a circuit's noise: where its numbers come from, which of them can hardly be meant, and which
   change nothing. */
#include <math.h>
#include <string.h>

#include "circuit/noise.h"

#define AT(field) offsetof(struct kl_qubit_noise, field)
/* Numbers of gates on one wire, each followed by that of gates on several. */
static const struct share {
    const char *name;
    size_t offset;
} shares[] = { { "depolarizing", AT(depolarizing) },   { "amplitude-damping", AT(amplitude_damping) },
               { "phase-damping", AT(phase_damping) }, { "bit-flip", AT(bit_flip) },
               { "phase-flip", AT(phase_flip) },       { "gate-time", AT(gate_time) } };
enum { N_SHARES = sizeof shares / sizeof *shares, N_CHANNELS = N_SHARES - 1, TEXT = 512 };
/* Relaxation by more than this a gate, or by less, is hardly meant: superconducting devices have 1e-4 to
   1e-2, ions some 1e-6. Shares from UNLIKELY on are rather fidelities. */
static const double MOST = 0.1, LEAST = 1e-6, LONGEST = 1e-3, UNLIKELY = 0.5;
static const char ask[] = "a unit can be written, as in t1=120us,gate-time=35ns";

struct saying {
    const struct kl_log *log;
    const struct kl_circuit *c;
    const struct kl_noise *noise;
    int n;       /* wires with numbers of their own; 1: all have those of wire 0 */
    bool has[2]; /* gates on one wire, on several */
};

static const double *pair_of(const struct saying *s, int wire, const struct share *share)
{
    return (const double *)((const char *)&s->noise->qubit[wire] + share->offset);
}

/* "wire 2: ", or nothing where all wires are alike. */
static const char *at_wire(char text[24], const struct saying *s, int wire)
{
    text[0] = 0;
    if (s->noise->n_qubits) snprintf(text, 24, "wire %d: ", wire);
    return text;
}

static void add(char text[TEXT], const char *before, const char *word)
{
    const size_t n = strlen(text);
    snprintf(text + n, TEXT - n, "%s%s", n ? before : "", word);
}

/* ---- the source ---- */
static void add_number(char text[TEXT], int number)
{
    char word[16];
    snprintf(word, sizeof word, "%d", number);
    add(text, ", ", word);
}

static void say_qubits(const struct kl_log *log, const struct kl_noise_source *from, int n)
{
    char list[TEXT] = "", left_out[TEXT] = "", word[80];
    if (from->n_found <= n && from->n_taken == from->n_found) return;
    if (from->n_taken < n || (from->chosen && from->n_taken == n)) return;
    for (int i = 0; i < n; i++) add_number(list, from->taken[i]);
    for (int i = 0; i < from->n_left_out && from->left_out[i] < from->taken[n - 1]; i++) {
        snprintf(word, sizeof word, "%d (%s)", from->left_out[i], from->why[i]);
        add(left_out, ", ", word);
    }
    kl_caution(log, "noise: the circuit's %d wire%s %s qubit%s %s of the %d in %s%s%s; %s", n,
               kl_s((uint64_t)n), n == 1 ? "is" : "are", kl_s((uint64_t)n), list, from->n_found,
               from->file, *left_out ? "; left out: " : "", left_out,
               from->chosen ? "the others that were chosen change nothing"
                            : "FILE.json,qubits=... takes others");
}

/* One line on the qubits of some wires. */
static void say_of(const struct kl_log *log, const struct kl_noise_source *from, uint32_t wires, int n,
                   const char *what)
{
    char list[TEXT] = "";
    for (int w = 0; w < n && w < from->n_taken; w++)
        if (wires >> w & 1) add_number(list, from->taken[w]);
    if (*list) kl_caution(log, "noise: qubit%s %s: %s", strchr(list, ',') ? "s" : "", list, what);
}

static void say_source(const struct kl_log *log, const struct kl_noise_source *from, int n)
{
    say_qubits(log, from, n);
    if (*from->idle)
        kl_caution(log, "noise: 'all' in %s: each qubit has its own %s: those of all change nothing",
                   from->file, from->idle);
    say_of(log, from, from->t2_cut, n, "T2 is above 2 T1, and 2 T1 is taken");
    say_of(log, from, from->assumed, n,
           "no length or error of a gate on one qubit; the others' mean is taken");
    if (from->pulse && from->no_pairs && n > 1)
        kl_caution(log, "noise: no gate on two qubits in %s: those on one stand for them", from->file);
    if (from->pulse)
        kl_caution(log, "noise: gates on one wire have the length and error of %s in %s%s%s",
                   from->pulse, from->file, *from->unused ? "; not used: " : "", from->unused);
}

/* ---- what is hardly meant ---- */
/* The longest gate of a wire, as the place in gate_time; -1: there is none. */
static int longest(const struct saying *s, int wire)
{
    const double *time = s->noise->qubit[wire].gate_time;
    int place = -1;
    for (int i = 0; i < 2; i++)
        if (s->has[i] && (place < 0 || time[i] > time[place])) place = i;
    return place;
}

/* The share of t1 (which 0) or t2 that the wire's longest gate takes; NAN: it has no such time, or t2 is
   what follows from t1. */
static double taken(const struct saying *s, int wire, int which)
{
    const struct kl_qubit_noise *q = &s->noise->qubit[wire];
    const int place = longest(s, wire);
    const double time = which ? q->t2 : q->t1;
    if (place < 0 || !isfinite(time) || (which && time == 2 * q->t1)) return NAN;
    return q->gate_time[place] / time;
}

/* The wire with the largest share, or the smallest; -1: none has any. */
static int extreme(const struct saying *s, int which, bool largest)
{
    int found = -1;
    for (int w = 0; w < s->n; w++) {
        const double share = taken(s, w, which), best = found < 0 ? NAN : taken(s, found, which);
        if (!isnan(share) && (isnan(best) || (largest ? share > best : share < best))) found = w;
    }
    return found;
}

static const char *const time_names[] = { "gate-time", "gate-time-2" };

static bool say_share(const struct saying *s, int which, bool largest)
{
    const int w = extreme(s, which, largest);
    char wire[24];
    if (w < 0) return false;
    const struct kl_qubit_noise *q = &s->noise->qubit[w];
    const double share = taken(s, w, which), time = which ? q->t2 : q->t1;
    const int place = longest(s, w);
    const char *name = which ? "t2" : "t1", *gate = time_names[place];
    if (largest ? !(share > MOST) : !(share < LEAST)) return false;
    if (largest)
        kl_caution(s->log, "noise: %sa gate takes %.3g of %s: are %s = %.6g and %s = %.6g seconds? %s",
                   at_wire(wire, s, w), share, name, name, time, gate, q->gate_time[place], ask);
    else
        kl_caution(
            s->log,
            "noise: %sa gate takes %.2g of %s, which changes next to nothing: are %s = %.6g and %s = "
            "%.6g seconds? %s",
            at_wire(wire, s, w), share, name, name, time, gate, q->gate_time[place], ask);
    return true;
}

static void say_times(const struct saying *s)
{
    char wire[24];
    if (say_share(s, 0, true) || say_share(s, 1, true)) return;
    for (int w = 0; w < s->n; w++) {
        const int place = longest(s, w);
        const double time = place < 0 ? 0 : s->noise->qubit[w].gate_time[place];
        if (!(time > LONGEST)) continue;
        kl_caution(s->log, "noise: %s%s = %.6g: does a gate take so many seconds? %s",
                   at_wire(wire, s, w), time_names[place], time, ask);
        return;
    }
    if (!say_share(s, 0, false)) say_share(s, 1, false);
}

static void say_if_unlikely(const struct saying *s, int wire, const char *name, double x, const char *of)
{
    char where[24];
    kl_caution(s->log, "noise: %s%s = %g is the probability of %s: is it a fidelity, or per cent?",
               at_wire(where, s, wire), name, x, of);
}

/* A line for each name, of the first wire. */
static void say_fidelities(const struct saying *s)
{
    static const char *const readout[] = { "readout-0", "readout-1" };
    for (size_t k = 0; k < 2 * N_CHANNELS; k++)
        for (int w = 0; w < s->n && s->has[k % 2]; w++) {
            const struct share *share = &shares[k / 2];
            const double *x = pair_of(s, w, share);
            char name[40];
            if (x[k % 2] < UNLIKELY || (k % 2 && x[1] == x[0])) continue;
            snprintf(name, sizeof name, "%s%s", share->name, k % 2 ? "-2" : "");
            say_if_unlikely(s, w, name, x[k % 2], "an error after every gate");
            break;
        }
    for (int i = 0; i < 2; i++)
        for (int w = 0; w < s->n; w++) {
            const double *x = s->noise->qubit[w].readout;
            if (x[i] < UNLIKELY) continue;
            if (x[0] == x[1]) {
                say_if_unlikely(s, w, "readout", x[i], "reading the wrong bit");
                return;
            }
            say_if_unlikely(s, w, readout[i], x[i], i ? "reading 0 in state 1" : "reading 1 in state 0");
            break;
        }
}

/* ---- what changes nothing ---- */
static void say_idle_gates(const struct saying *s)
{
    char names[TEXT] = "", name[40];
    const int idle = s->has[0] ? 1 : 0; /* the place that no gate takes its number from */
    if (s->has[0] && s->has[1]) return;
    for (size_t k = 0; k < N_SHARES; k++) {
        bool differs = false;
        for (int w = 0; w < s->n; w++) {
            const double *x = pair_of(s, w, &shares[k]);
            /* NAME alone stands for NAME-2 too; without any gate both are idle */
            differs |= s->has[!idle] ? x[0] != x[1] : x[0] > 0 || x[1] > 0;
        }
        snprintf(name, sizeof name, "%s%s", shares[k].name, idle ? "-2" : "");
        if (differs) add(names, ", ", name);
    }
    if (*names)
        kl_caution(s->log, "noise: the circuit has no gate%s: %s change%s nothing",
                   !s->has[!idle] ? ""
                   : idle         ? " on several wires"
                                  : " on one wire",
                   names, strchr(names, ',') ? "" : "s");
}

/* Readout errors of qubits that no output reads, of all that have some. */
static void say_idle_readout(const struct saying *s)
{
    const struct kl_circuit *c = s->c;
    bool any = false;
    uint32_t read = c->probabilities || c->n_targets ? UINT32_MAX : 0;
    for (size_t i = 0; i < c->n_strings; i++) read |= c->strings[i].x | c->strings[i].z;
    for (int w = 0; w < c->n_qubits; w++) {
        const double *x = s->noise->qubit[s->n > 1 ? w : 0].readout;
        if (!(x[0] > 0 || x[1] > 0)) continue;
        any = true;
        if (read >> w & 1) return;
    }
    if (any)
        kl_caution(s->log,
                   "noise: no output reads a qubit that has readout errors: they change nothing");
}

void kl_circuit_noise_say(const struct kl_log *log, const struct kl_noise_source *source,
                          const struct kl_circuit *c)
{
    struct saying s = { .log = log, .c = c, .noise = c->noise };
    if (!c->noise) return;
    s.n = c->noise->n_qubits ? c->n_qubits : 1;
    for (size_t i = 0, end; i < c->n_ops; i = end) {
        end = kl_circuit_gate_end(c->ops, c->n_ops, i);
        const uint32_t wires = kl_circuit_gate_wires(c->ops, i, end);
        s.has[(wires & (wires - 1)) != 0] = true;
    }
    if (source) say_source(log, source, c->n_qubits);
    if (!source || !source->pulse) { /* IBM's numbers have units, and name what they are */
        say_times(&s);
        say_fidelities(&s);
    }
    say_idle_gates(&s);
    say_idle_readout(&s);
}
