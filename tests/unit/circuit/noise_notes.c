/* SPDX-License-Identifier: MIT
   Notes on a circuit's noise: what can hardly be meant, what changes nothing, where a calibration's
   numbers come from; and none where there is nothing to say. */
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "tests/unit/check.h"

static const char ring[] = "ry-ring"; /* RY, and CNOTs of two qubits or more */

/* The lines, each with its tool, of an option on a circuit of n qubits. */
static void said(const char *option, int n, int layers, const char *observables, const char *expected)
{
    struct kl_error err = { 0 };
    struct kl_noise_source source;
    struct kl_circuit_options o;
    struct kl_circuit *c = NULL;
    char *text = NULL, *lines = NULL;
    size_t size;
    kl_circuit_options_default(&o);
    o.n_qubits = n, o.n_layers = layers, o.ansatz = ring, o.observables = observables;
    const struct kl_log log = { "t", open_memstream(&lines, &size), 1, NULL };
    int code = kl_circuit_noise_text_from(&text, &source, option, &err);
    o.noise = text;
    if (!code) code = kl_circuit_build(&c, &o, &err);
    CHECK(code == 0, "%s: %s", option, err.text);
    if (!code) kl_circuit_noise_say(&log, &source, c);
    fclose(log.to);
    CHECK(strcmp(lines, expected) == 0, "%s:\nfound    %sexpected %s", option, lines, expected);
    kl_circuit_free(&c);
    free(lines);
    free(text);
}

#define UNIT "a unit can be written, as in t1=120us,gate-time=35ns\n"

static void check_times(void)
{
    said("t1=120us,t2=95us,gate-time=35ns,gate-time-2=300ns", 3, 1, "z", "");
    said("t1=100,t2=1,gate-time=135us,gate-time-2=600us", 3, 1, "z", ""); /* ions */
    said("t1=1,gate-time=1.5us", 3, 1, "z", ""); /* 7.5e-7 of t2, which nobody gave */
    said("t1=120.1,t2=95.3,gate-time=35.5", 3, 1, "z",
         "t: noise: a gate takes 0.296 of t1: are t1 = 120.1 and gate-time = 35.5 seconds? " UNIT);
    said("t1=120.1us,gate-time=35", 3, 1, "z",
         "t: noise: a gate takes 2.91e+05 of t1: are t1 = 0.0001201 and gate-time = 35 seconds? " UNIT);
    said("t1=100us,t2=1us,gate-time=35ns,gate-time-2=300ns", 3, 1, "z",
         "t: noise: a gate takes 0.3 of t2: are t2 = 1e-06 and gate-time-2 = 3e-07 seconds? " UNIT);
    said("t2=1us,gate-time=300ns", 3, 1, "z",
         "t: noise: a gate takes 0.3 of t2: are t2 = 1e-06 and gate-time = 3e-07 seconds? " UNIT);
    said("t1=1,gate-time=0.02", 3, 1, "z",
         "t: noise: gate-time = 0.02: does a gate take so many seconds? " UNIT);
    said("t1=100,gate-time=35e-9", 3, 1, "z",
         "t: noise: a gate takes 3.5e-10 of t1, which changes next to nothing: are t1 = 100 and "
         "gate-time = "
         "3.5e-08 seconds? " UNIT);
    said("t1=1,t2=1.5,gate-time=0", 3, 1, "z",
         "t: noise: a gate takes 0 of t1, which changes next to nothing: are t1 = 1 and gate-time = 0 "
         "seconds? " UNIT);
    said("t2=95,gate-time=35e-9", 3, 1, "z",
         "t: noise: a gate takes 3.7e-10 of t2, which changes next to nothing: are t2 = 95 and "
         "gate-time = "
         "3.5e-08 seconds? " UNIT);
    said("{\"all\":{\"gate-time\":35e-9,\"t1\":50e-6},\"qubits\":[{},{\"t1\":50},{\"t1\":1e-7}]}", 3, 1,
         "z",
         "t: noise: wire 2: a gate takes 0.35 of t1: are t1 = 1e-07 and gate-time = 3.5e-08 "
         "seconds? " UNIT);
    said("{\"all\":{\"gate-time\":35e-9,\"t1\":50e-6},\"qubits\":[{},{\"t1\":50},{}]}", 3, 1, "z",
         "t: noise: wire 1: a gate takes 7e-10 of t1, which changes next to nothing: are t1 = 50 and "
         "gate-time = 3.5e-08 seconds? " UNIT);
}

static void check_shares(void)
{
    said("depolarizing=0.01,readout=0.02", 3, 1, "z", "");
    said("depolarizing=0.49,readout=0.49", 3, 1, "z", "");
    said("depolarizing=0.999", 3, 1, "z",
         "t: noise: depolarizing = 0.999 is the probability of an error after every gate: is it a "
         "fidelity, "
         "or per cent?\n");
    said("bit-flip=0.01,bit-flip-2=0.5", 3, 1, "z",
         "t: noise: bit-flip-2 = 0.5 is the probability of an error after every gate: is it a "
         "fidelity, or "
         "per cent?\n");
    said(
        "readout=0.98", 3, 1, "z",
        "t: noise: readout = 0.98 is the probability of reading the wrong bit: is it a fidelity, or per "
        "cent?\n");
    said(
        "readout-0=0.5,readout-1=0.75", 3, 1, "z",
        "t: noise: readout-0 = 0.5 is the probability of reading 1 in state 0: is it a fidelity, or per "
        "cent?\n"
        "t: noise: readout-1 = 0.75 is the probability of reading 0 in state 1: is it a fidelity, or "
        "per "
        "cent?\n");
    said("{\"qubits\":[{},{\"readout-1\":0.6},{}]}", 3, 1, "z",
         "t: noise: wire 1: readout-1 = 0.6 is the probability of reading 0 in state 1: is it a "
         "fidelity, or "
         "per cent?\n");
}

static void check_idle(void)
{
    said("depolarizing=0.01", 1, 1, "z", "");
    said("depolarizing=0.01,depolarizing-2=0.02,t1=50us,gate-time=35ns,gate-time-2=300ns", 1, 1, "z",
         "t: noise: the circuit has no gate on several wires: depolarizing-2, gate-time-2 change "
         "nothing\n");
    said("phase-flip-2=0.02", 1, 1, "z",
         "t: noise: the circuit has no gate on several wires: phase-flip-2 changes nothing\n");
    said("{\"qubits\":[{\"readout\":0.1},{},{}]}", 3, 1, "IIZ,ZIX", "");
    said("{\"qubits\":[{\"readout\":0.1},{},{}]}", 3, 1, "probs", "");
    said("{\"qubits\":[{\"readout\":0.1},{},{}]}", 3, 1, "IIZ,IZX",
         "t: noise: no output reads a qubit that has readout errors: they change nothing\n");
    said("{\"qubits\":[{\"readout\":0.1},{},{}]}", 3, 1, "fidelity(000)", "");
}

#define V(name, unit, value) "{\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value "}"
#define QUBIT(t1) "[" V("T1", "us", t1) "," V("T2", "us", "90") "," V("readout_error", "", "0.1") "]"
#define SX(q)                         \
    "{\"gate\":\"sx\",\"qubits\":[" q \
    "],\"parameters\":[" V("gate_error", "", "0.001") "," V("gate_length", "ns", "35") "]}"

static void check_source(void)
{
    said(
        "{\"all\":{\"bit-flip\":0.1,\"readout\":0.1,\"phase-flip\":0.1},\"qubits\":[{\"bit-flip\":0.2,"
        "\"readout-0\":0.1,\"readout-1\":0.2},{\"bit_flip\":0.1,\"readout\":0.1,\"phase-flip-2\":0.2}]}",
        2, 1, "z",
        "t: noise: 'all' in --noise: each qubit has its own bit-flip, readout: those of all change "
        "nothing\n");
    said("{\"all\":{\"readout-1\":0.1},\"qubits\":[{\"readout\":0.1},{}]}", 2, 1, "z", "");
    said("{\"all\":{\"readout-1\":0.1},\"qubits\":[{\"readout\":0.1},{\"readout\":0.2}]}", 2, 1, "z",
         "t: noise: 'all' in --noise: each qubit has its own readout-1: those of all change nothing\n");
    said("{\"qubits\":[{\"bit-flip\":0.1},{},{}]}", 2, 1, "z",
         "t: noise: the circuit's 2 wires are qubits 0, 1 of the 3 in --noise; FILE.json,qubits=... "
         "takes "
         "others\n");
    said("{\"qubits\":[{\"bit-flip\":0.1},{}]}", 1, 1, "z",
         "t: noise: the circuit's 1 wire is qubit 0 of the 2 in --noise; FILE.json,qubits=... takes "
         "others\n");
    said(
        "{\"qubits\":[" QUBIT("50") "," QUBIT("0") "," QUBIT("40") "," QUBIT("0") "],\"gates\":[" SX(
            "0") "," SX("1") "]}",
        2, 1, "z",
        "t: noise: the circuit's 2 wires are qubits 0, 2 of the 4 in --noise; left out: 1 (without T1); "
        "FILE.json,qubits=... takes others\n"
        "t: noise: qubit 2: T2 is above 2 T1, and 2 T1 is taken\n"
        "t: noise: qubit 2: no length or error of a gate on one qubit; the others' mean is taken\n"
        "t: noise: no gate on two qubits in --noise: those on one stand for them\n"
        "t: noise: gates on one wire have the length and error of sx in --noise\n");
    /* a third of T2 a gate is what this device has: its numbers have units */
    said("{\"qubits\":[[" V("T1", "us", "50") "," V("T2", "us", "0.1") "," V(
             "readout_error", "", "0.1") "]],\"gates\":[" SX("0") "]}",
         1, 1, "z", "t: noise: gates on one wire have the length and error of sx in --noise\n");
    said("{\"qubits\":[[" V("T1", "us", "50") "," V("T2", "us", "60") "," V(
             "readout_error", "", "0.5") "]," QUBIT("60") "],\"gates\":[" SX("0") "," SX("1") "]}",
         1, 1, "z",
         "t: noise: the circuit's 1 wire is qubit 1 of the 2 in --noise; left out: 0 (its readout does "
         "not "
         "work (readout_error below 0.5)); FILE.json,qubits=... takes others\n"
         "t: noise: gates on one wire have the length and error of sx in --noise\n");
}

int main(void)
{
    check_times();
    check_shares();
    check_idle();
    check_source();
    return failures != 0;
}
