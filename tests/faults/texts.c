/* SPDX-License-Identifier: MIT
   Reading and writing texts while memory and reads fail: noise, observables, OpenQASM, grids, JSON,
   configurations. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/base/options_test.h"
#include "base/base_int.h"
#include "circuit/circuit.h"
#include "circuit/noise.h"
#include "each.h"

static int other(struct kl_error *err, const char *found)
{
    return kl_fail(err, KL_EINTERNAL, "another text: %s", found);
}

static const char *noise, *noise_canonical;

static int noise_text(struct kl_error *err)
{
    char *text = NULL;
    int rc = kl_circuit_noise_text(&text, noise, err);
    if (!rc && !strstr(text, noise_canonical)) rc = other(err, text);
    free(text);
    return rc;
}

#define V(name, unit, value) "{\"name\":\"" name "\",\"unit\":\"" unit "\",\"value\":" value "}"
#define QUBIT "[" V("T1", "us", "50") "," V("T2", "us", "50") "," V("readout_error", "", "0.1") "]"
#define GATE(name, qubits)                       \
    "{\"gate\":\"" name "\",\"qubits\":[" qubits \
    "],\"parameters\":[" V("gate_error", "", "0.01") "," V("gate_length", "ns", "35") "]}"
static const char properties[] = "{\"backend_name\":\"d\",\"qubits\":[" QUBIT "," QUBIT
                                 "],\"gates\":[" GATE("sx", "0") "," GATE("cx", "0,1") "]}";

static int observables(struct kl_error *err)
{
    char *text = NULL;
    int rc = kl_circuit_observables_text(&text, "z, 0.5*ZZ - XI, probs(0,1), fidelity(0+)", err);
    if (!rc && strcmp(text, "z,-XI+0.5*ZZ,probs(0,1),fidelity(0+)")) rc = other(err, text);
    free(text);
    return rc;
}

/* More names than a table begins with, and every way to a gate. */
static int qasm(struct kl_error *err)
{
    struct kl_circuit *c = NULL;
    char text[4096] = "OPENQASM 3.0; qubit[2] q; input array[float[64], 2] x; ", *written = NULL;
    size_t n = 0;
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "input float w%d; ", i);
    strcat(text,
           "gate a(t, s) q, r { rx(t + s) q; } gate b q { x q; } gate e(t) q, r { cp(t) q, r; } bit c; "
           "for int i in [0:0] a(x[i] * w39, 0.5) q[i], q[1]; e(x[1]) q[0], q[1]; swap q[0], q[1]; "
           "c = measure q[0];");
    int rc = kl_circuit_from_qasm(&c, text, err);
    FILE *to = rc ? NULL : open_memstream(&written, &n);
    if (!rc && !to) rc = kl_fail_memory(err, 64);
    if (!rc) rc = kl_circuit_qasm(to, c, err);
    if (to) fclose(to);
    if (!rc && !strstr(written, "rx(w_39 * x_0 + 0.5) q[0];\ncp(x_1) q[0], q[1];\nswap "))
        rc = other(err, written);
    free(written);
    kl_circuit_free(&c);
    return rc;
}

static int grid(struct kl_error *err)
{
    struct kl_grid g;
    int rc = kl_grid_parse(&g, &test_tool, NULL, "qubits=2,3 optimizer=sgd|adam", err);
    if (!rc && g.n != 4) rc = other(err, g.text);
    kl_grid_free(&g);
    return rc;
}

static double unit(const void *context, size_t point, int axis, size_t attempt)
{
    (void)context, (void)axis, (void)attempt;
    return point ? 0.75 : 0.25;
}
static int draw(struct kl_error *err)
{
    struct kl_grid g;
    int rc = kl_grid_draw(&g, &test_tool, NULL, "lr=1e-3:1:log optimizer=sgd|adam", 2, unit, NULL, err);
    if (!rc && strcmp(kl_grid_value(&g, 1, 0), "0.1778")) rc = other(err, kl_grid_value(&g, 1, 0));
    if (!rc) kl_grid_free(&g);
    return rc;
}

/* Text that is no UTF-8 is taken for Latin-1. */
static int json(struct kl_error *err)
{
    json_t *value = NULL;
    char *text = NULL, *line = NULL;
    size_t n = 0;
    const struct kl_json_pair pairs[] = { { "a", KL_JSON_TEXT, .text = "b" },
                                          { "c", KL_JSON_NUMBER, .number = 1 / 0.0 } };
    int rc = kl_json_string(&value, "caf\xe9", err);
    if (!rc) rc = kl_json_dump(&text, value, err);
    if (!rc && strcmp(text, "\"caf\xc3\xa9\"")) rc = other(err, text);
    json_decref(value);
    free(text);
    value = NULL;
    char many[8192] = "[1";
    for (size_t i = 2; i < 8000; i += 2) memcpy(many + i, ",1", 2);
    strcpy(many + 8000, "]");
    if (!rc) rc = kl_json_parse(&value, many, "x", err);
    json_decref(value);
    FILE *to = rc ? NULL : open_memstream(&line, &n);
    if (!rc && !to) rc = kl_fail_memory(err, 64);
    if (!rc) rc = kl_json_line(to, pairs, 2, err);
    if (to) fclose(to);
    if (!rc && strcmp(line, "{\"a\":\"b\",\"c\":null}\n")) rc = other(err, line);
    free(line);
    return rc;
}

static const char *yaml;

static int config(struct kl_error *err)
{
    struct values v = test_defaults;
    int rc = kl_config_read(&test_tool, &v, yaml, err);
    return !rc && v.qubits != 3 ? other(err, "qubits") : rc;
}

int main(void)
{
    static const char text[] = "n_qubits: 3\noptimizer: sgd\nnote: words\n";
    yaml = test_file(text, sizeof text - 1);
    struct kl_error err = { 0 };
    struct {
        const char *what;
        each_run *run;
        bool reads;
    } runs[] = { { "observables", observables, false },
                 { "OpenQASM", qasm, false },
                 { "grid", grid, false },
                 { "drawn points", draw, false },
                 { "JSON", json, false },
                 { "configuration", config, true } };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        CHECK(runs[i].run(&err) == 0, "%s: %s", runs[i].what, err.text);
        check_each(runs[i].what, runs[i].run, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
        if (runs[i].reads) check_each(runs[i].what, runs[i].run, FAULT_READ, KL_EIO, KL_EIO);
    }
    noise = "t1=50,gate-time=0.1,depolarizing=0.01",
    noise_canonical = "depolarizing=0.01,gate-time=0.1,t1=5e+01";
    check_each("noise", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    noise = "data/noise/example.json", noise_canonical = "\"qubits\":[";
    check_each("calibration", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("calibration", noise_text, FAULT_READ, KL_EIO, KL_EIO);
    noise = "{\"all\":{\"t1\":\"50us\",\"gate_time\":{\"value\":35,\"unit\":\"ns\"}},"
            "\"qubits\":[{\"t2\":\"9us\"}]}";
    noise_canonical = "\"t2\":";
    check_each("units", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    noise = "data/noise/example.json,qubits=6,5", noise_canonical = "\"t1\":";
    check_each("a choice", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    noise = properties, noise_canonical = "\"depolarizing-2\":";
    check_each("properties", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    noise = "", noise_canonical = "";
    check_each("no noise", noise_text, FAULT_MEMORY, KL_ENOMEM, KL_ENOMEM);
    check_each("observables", observables, FAULT_STREAM, KL_ENOMEM, KL_ENOMEM);
    check_each("OpenQASM", qasm, FAULT_STREAM, KL_EIO, KL_EIO);
    unlink(yaml);
    return failures != 0;
}
