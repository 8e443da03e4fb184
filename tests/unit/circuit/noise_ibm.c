/* SPDX-License-Identifier: MIT
   A backend's properties in IBM's form: units, what becomes of each number, which qubits are taken, and
   what is no such file. Depolarising is held against qiskit-aer 0.18.2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

#define V(name, unit, value) \
    "{\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value ",\"date\":\"2026-01-01\"}"
#define READ V("prob_meas0_prep1", "", "0.03") "," V("prob_meas1_prep0", "", "0.01")
#define QUBIT(t1, t2) "[" V("T1", "us", t1) "," V("T2", "us", t2) "," READ "]"
#define GATE(name, qubits, error, length)        \
    "{\"gate\":\"" name "\",\"qubits\":[" qubits \
    "],\"parameters\":[" V("gate_error", "", error) "," V("gate_length", "ns", length) "]}"
#define SX(q) GATE("sx", q, "2e-3", "35.5")
#define FILE_OF(qubits, gates) \
    "{\"backend_name\":\"d\",\"qubits\":[" qubits "],\"gates\":[" gates "],\"general\":[]}"
#define USUAL QUBIT("120.1", "95.3")
#define PAIRS(a) GATE("cz", a, "0.01", "80")

static struct kl_noise noise;
static struct kl_noise_source source;
static struct kl_error err;

/* Through the canonical text; option: as --noise has it. */
static int read_option(const char *option)
{
    char *text;
    int code = kl_circuit_noise_text_from(&text, &source, option, &err);
    if (!code) code = kl_circuit_noise_read(&noise, text, "text", &err);
    free(text);
    return code;
}

static const char *write_file(const char *text)
{
    static char path[1024];
    FILE *to = fopen(in_folder(path, "p.json"), "w");
    CHECK(to && fputs(text, to) >= 0 && fclose(to) == 0);
    return path;
}

static int read_chosen(const char *text, const char *qubits)
{
    char option[1200];
    snprintf(option, sizeof option, "%s,qubits=%s", write_file(text), qubits);
    return read_option(option);
}

static bool near(double x, double expected)
{
    return fabs(x - expected) <= 1e-11 * fabs(expected);
}

/* Mean fidelity of a gate on two such wires from their channels: a product of entangled fidelities. */
static double pair_infidelity(int a, int b)
{
    const struct kl_channel c = kl_circuit_noise_channel(&noise, a, true),
                            d = kl_circuit_noise_channel(&noise, b, true);
    const double f = (1 + c.x + c.y + c.z) / 4 * (1 + d.x + d.y + d.z) / 4;
    return 1 - (4 * f + 1) / 5;
}

static void check_numbers(void)
{
    static const char file[] = FILE_OF(
        USUAL
        "," QUBIT("50", "120") ",[" V("T1", "\xc2\xb5s", "120.1") "," V("T2", "\xce\xbcs", "95.3") "," V(
            "readout_error", "", "0.02") "," V("freq\\u001b[2Juency", "GHz", "5.1") "," V("T3", "x",
                                                                                          "\"?\"") "]",
        SX("0") "," SX("1") "," GATE("sx", "2", "1e-5", "35.5") "," GATE("x", "0", "1", "35") "," PAIRS(
            "0,2") "," GATE("cz", "2,0", "0.02",
                            "100") "," PAIRS("1,0") "," GATE("cz", "2,1", "1",
                                                             "0") "," GATE("rzz", "0,1", "1", "9"));
    CHECK(read_option(file) == 0, "%s", err.text);
    CHECK(noise.n_qubits == 3 && source.n_found == 3 && source.n_taken == 3);
    const struct kl_qubit_noise *q = noise.qubit;
    CHECK(q[0].t1 == 120.1e-6 && q[0].t2 == 95.3e-6 && q[0].gate_time[0] == 35.5e-9);
    CHECK(q[2].t1 == 120.1e-6 && q[2].t2 == 95.3e-6, "both characters: micro sign, mu");
    CHECK(q[1].t1 == 50e-6 && q[1].t2 == 2 * q[1].t1 && source.t2_cut == 2, "%g", q[1].t2);
    /* readout[0]: read 1, prepared 0 */
    CHECK(q[0].readout[0] == 0.01 && q[0].readout[1] == 0.03);
    CHECK(q[2].readout[0] == 0.02 && q[2].readout[1] == 0.02);
    /* _device_depolarizing_error, then thermal_relaxation_error; relaxation alone is above 1e-5 */
    CHECK(near(q[0].depolarizing[0], 0.00274084546273), "%.15g", q[0].depolarizing[0]);
    CHECK(near(q[1].depolarizing[0], 0.00264634677081), "%.15g", q[1].depolarizing[0]);
    CHECK(q[2].depolarizing[0] == 0);
    const struct kl_channel c = kl_circuit_noise_channel(&noise, 0, false);
    CHECK(near(c.x, 0.99597446194740) && near(c.z, 0.99605107610519) &&
          near(c.shift, 2.9554332928788e-4));
    /* the mean of 80, 100 and 80 ns on qubit 0; the gate that does not work is left out */
    CHECK(near(q[0].gate_time[1], 260e-9 / 3) && near(q[2].gate_time[1], 90e-9) &&
          near(q[1].gate_time[1], 80e-9));
    CHECK(strcmp(source.unused, "freq?[2Juency, T3, gate x, gate rzz, general") == 0, "%s",
          source.unused);
    CHECK(strcmp(source.pulse, "sx") == 0 && !source.no_pairs && !source.assumed);
    CHECK(read_option(FILE_OF(USUAL "," USUAL, SX("0") "," SX("1") "," PAIRS("0,1"))) == 0, "%s",
          err.text);
    CHECK(near(pair_infidelity(0, 1), 0.01), "%.15g", pair_infidelity(0, 1));
}

/* A key is of numbers, not of how they were written. */
static void check_same_text(void)
{
    char *a = NULL, *b = NULL;
    CHECK(kl_circuit_noise_text(&a, FILE_OF(QUBIT("50", "60"), GATE("u2", "0", "0", "35")), &err) == 0 &&
              kl_circuit_noise_text(
                  &b,
                  "{\"qubits\":[{\"gate_time\":\"35 ns\",\"t2\":6e-5,\"t1\":{\"value\":50,"
                  "\"unit\":\"us\"},\"readout-0\":0.01,\"readout-1\":0.03,\"depolarizing\":0.0}],"
                  "\"name\":\"d\"}",
                  &err) == 0,
          "%s", err.text);
    CHECK(a && b && strcmp(a, b) == 0, "%s | %s", a, b);
    free(a);
    free(b);
}

#define BROKEN                                                                                          \
    FILE_OF(                                                                                            \
        USUAL ",[" V("T1", "us", "null") "," V("T2", "us", "9") "," READ "]," USUAL "," USUAL ",[" V(   \
            "T1", "us", "50") "," V("T2", "us", "50") "," READ "," V("operational", "", "0") "]," USUAL \
                                                                                             "," USUAL, \
        SX("0") "," SX("1") "," GATE("sx", "2", "1", "35") "," SX("3") "," SX("4") "," SX(              \
            "5") "," PAIRS("0,1") "," PAIRS("2,6") "," GATE("cz", "3,4", "1", "80") "," PAIRS("4,5"))

#define IDLE_GATE(name, qubits)                                          \
    "{\"gate\":\"" name "\",\"qubits\":[" qubits "],\"parameters\":[" V( \
        "gate_error", "", "0.01") "," V("gate_length", "ns", "35") "," V("operational", "", "0") "]}"

/* Gates that say themselves that they do not work. */
static void check_operational(void)
{
    CHECK(read_option(FILE_OF(
              USUAL "," USUAL "," USUAL "," USUAL,
              SX("0") "," IDLE_GATE("sx", "1") "," SX("2") "," SX("3") "," PAIRS("0,1") "," IDLE_GATE(
                  "cz", "0,2") "," IDLE_GATE("cz", "1,3") "," PAIRS("0,3"))) == 0,
          "%s", err.text);
    CHECK(source.n_taken == 2 && source.taken[1] == 3 && source.n_left_out == 2);
    CHECK(strstr(source.why[0], "on one qubit") && strstr(source.why[1], "on two qubits"));
    CHECK(near(noise.qubit[0].gate_time[1], 80e-9) && near(noise.qubit[1].gate_time[1], 80e-9));
}

static void check_which(void)
{
    CHECK(read_option(BROKEN) == 0, "%s", err.text);
    CHECK(source.n_taken == 3 && source.taken[0] == 0 && source.taken[1] == 5 && source.taken[2] == 6);
    CHECK(source.n_left_out == 4 && source.left_out[0] == 1 && source.left_out[3] == 4);
    CHECK(strstr(source.why[0], "T1") && strstr(source.why[1], "one qubit does not work") &&
          strstr(source.why[2], "on two qubits works") && strstr(source.why[3], "not operational"));
    CHECK(source.assumed == 4 && noise.qubit[2].gate_time[0] == 35.5e-9,
          "wire 2 is qubit 6, without sx");
    CHECK(read_chosen(BROKEN, "6,0") == 0 && noise.n_qubits == 2 && source.chosen, "%s", err.text);
    CHECK(source.taken[0] == 6 && source.taken[1] == 0 && source.assumed == 1);
    CHECK(read_chosen(BROKEN, "0,1") == KL_EDATA &&
              strstr(err.text, "qubit 1: without T1; choose another"),
          "%s", err.text);
    CHECK(read_chosen(BROKEN, "7") == KL_EUSAGE && strstr(err.text, "found 7") &&
              strstr(err.text, "7 qubits, numbered from 0"),
          "%s", err.text);
    CHECK(read_option(FILE_OF(USUAL, SX("0"))) == 0 && source.no_pairs && source.n_left_out == 0, "%s",
          err.text);
    CHECK(read_option(FILE_OF("[]," USUAL, GATE("sx", "0", "1", "1"))) == KL_EUSAGE &&
              strstr(err.text, "no qubit can be used; qubit 0: without T1"),
          "%s", err.text);
}

static void refused(const char *text, const char *words)
{
    const int code = read_option(write_file(text));
    CHECK(code == KL_EDATA && strstr(err.text, words) && !strchr(err.text, '\n'), "%s: %d %s", text,
          code, code ? err.text : "read");
}

static void check_refusals(void)
{
    refused(FILE_OF("[" V("T1", "min", "1") "]", SX("0")),
            "qubit 0: T1: found the unit 'min', expected s, ms");
    refused(FILE_OF("[" V("T1", "", "1") "]", SX("0")), "found the unit ''");
    refused(FILE_OF("[{\"name\":\"T1\",\"value\":1}]", SX("0")), "found the unit ''");
    refused(FILE_OF("[" V("T1", "us", "-1") "]", SX("0")), "found -1, expected a time");
    refused(FILE_OF("[" V("T1", "us", "\"1\"") "]", SX("0")), "T1: found no number");
    refused(FILE_OF("[" V("T1", "us", "1") "," V("T1", "us", "1") "]", SX("0")), "T1 is given twice");
    refused(FILE_OF("[" V("readout_error", "", "2.5") "]", SX("0")),
            "found 2.5, expected a number from 0 to 1");
    refused(FILE_OF("[" V("readout_error", "%", "0.5") "]", SX("0")),
            "found the unit '%', expected none");
    refused(FILE_OF("[{\"name\":\"T1\",\"date\":\"2026-01-01\"}]", SX("0")), "qubit 0: without T1");
    refused(FILE_OF("[7]", SX("0")), "item 0 has no name");
    refused(FILE_OF(USUAL ",3", SX("0")), "qubit 1: expected a list");
    refused(FILE_OF(USUAL, SX("1")), "gate 0, 'sx': expected qubits from 0 to 0");
    refused(FILE_OF(USUAL, SX("\"0\"")), "expected qubits from 0 to 0");
    refused(FILE_OF(USUAL, SX("0") "," SX("0")), "qubit 0 is given twice");
    refused(FILE_OF(USUAL, GATE("sx", "0", "0", "\"1\"")), "gate_length: found no number");
    refused(FILE_OF(USUAL, "{\"gate\":\"sx\",\"qubits\":[0]}"), "gate 0, 'sx': expected a list");
    refused(FILE_OF(USUAL, GATE("rz", "0", "0", "0")), "gates: found none of sx, u2, x, u and u3");
    refused("{\"qubits\":[[]]}", "no list 'gates'");
    refused("{\"backend_name\":\"d\",\"n_qubits\":5,\"basis_gates\":[\"sx\"]}",
            "no backend's properties");
    refused("{\"backend_name\":\"d\",\"qubits\":[{}]}", "no backend's properties");
    refused("{\"backend_name\":3,\"qubits\":[" USUAL "],\"gates\":[" SX("0") "]}",
            "name: expected a text");
    refused("{\"braketSchemaHeader\":{}}",
            "found 'braketSchemaHeader', expected name, note, all and qubits");
    refused("[{\"t1\":1}]", "no JSON object");
    refused("3", "not JSON");
    refused("{\"all\":{\"t1\":NaN}}", "not JSON");
}

/* Names that do not fit become an ellipsis. */
static void check_many_names(void)
{
    char *text = malloc(1 << 16);
    strcpy(text, "{\"backend_name\":\"d\",\"qubits\":[" USUAL "],\"gates\":[" SX("0") "]");
    for (int i = 0; i < 100; i++) sprintf(text + strlen(text), ",\"member%d\":0", i);
    strcat(text, "}");
    CHECK(read_option(text) == 0, "%s", err.text);
    const size_t n = strlen(source.unused);
    CHECK(n < KL_NOISE_UNUSED && n > KL_NOISE_UNUSED - 30 && strcmp(source.unused + n - 5, ", ...") == 0,
          "%s", source.unused);
    free(text);
}

int main(void)
{
    make_test_folder();
    check_numbers();
    check_same_text();
    check_which();
    check_operational();
    check_refusals();
    check_many_names();
    return failures != 0;
}
