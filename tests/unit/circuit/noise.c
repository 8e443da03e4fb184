/* SPDX-License-Identifier: MIT
   Noise as people write it: one canonical text for the same noise, defaults, and what is refused. Then
   limits that one can say without computing: no noise at strength 0, nothing left at full strength. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "circuit/noise.h"

static void is(const char *option, const char *expected)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    int code = kl_circuit_noise_text(&text, option, &err);
    CHECK(code == 0 && strcmp(text, expected) == 0, "%s: found %s %s", option, text ? text : "",
          code ? err.text : "");
    free(text);
}

static void refused(const char *option, int expected, const char *words)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    int code = kl_circuit_noise_text(&text, option, &err);
    CHECK(code == expected && err.code == expected && strstr(err.text, words), "%s: %d %s", option, code,
          err.text);
    CHECK(text == NULL);
    free(text);
}

static void check_texts(void)
{
    is("none", "");
    is("", "");
    is("readout=0.02,depolarizing=1e-2", "depolarizing=0.01,readout=0.02");
    is("depolarizing=0.1000000000000000055", "depolarizing=0.1");
    is("{\"all\": {\"bit-flip\": 0.5, \"depolarizing\": 0}}", "bit-flip=0.5,depolarizing=0");
    is("{\"qubits\":[{\"t2\":2,\"t1\":1,\"gate-time\":3}],\"name\":\"d\"}",
       "{\"name\":\"d\",\"qubits\":[{\"gate-time\":3,\"t1\":1,\"t2\":2}]}");
    refused("depolarizing", KL_EUSAGE, "NAME=NUMBER");
    refused("depolarizing=", KL_EUSAGE, "NAME=NUMBER");
    refused("=1", KL_EUSAGE, "NAME=NUMBER");
    refused("depolarizing=0.1,", KL_EUSAGE, "NAME=NUMBER");
    refused("depolarizing=nan", KL_EUSAGE, "NAME=NUMBER");
    refused("depolarizing=0.1,depolarizing=0.2", KL_EUSAGE, "twice");
    refused("depolarising=0.1", KL_EUSAGE, "expected one of");
    refused("bit-flip=1.1", KL_EUSAGE, "from 0 to 1");
    refused("bit-flip=-0.1", KL_EUSAGE, "from 0 to 1");
    refused("t1=0,gate-time=1", KL_EUSAGE, "above 0");
    refused("t1=1", KL_EUSAGE, "gate-time");
    refused("gate-time=1", KL_EUSAGE, "without t1 or t2");
    refused("t1=1,t2=2.1,gate-time=1", KL_EUSAGE, "at most twice");
    refused("t2=1,gate-time=1,excited=0.1", KL_EUSAGE, "without t1");
    refused("no/such/file.json", KL_ENOINPUT, "no/such/file.json");
    refused("{\"all\":3}", KL_EUSAGE, "no JSON object");
    refused("{\"qubits\":[]}", KL_EUSAGE, "1 to 20");
    refused("{\"qubit\":[]}", KL_EUSAGE, "expected name, note, all and qubits");
    refused("{}", KL_EUSAGE, "neither all nor qubits");
    refused("{\"all\":{\"t1\":\"1\"}}", KL_EUSAGE, "no number");
    refused("{\"all\":", KL_EUSAGE, "not JSON");
    refused("{\"qubits\":[{}, {\"bit-flip\":2}]}", KL_EUSAGE, "qubit 1: bit-flip: found 2");
    refused("{\"name\":\"a\\nb\",\"all\":{}}", KL_EUSAGE, "printable");
}

static void check_defaults(void)
{
    struct kl_noise n;
    struct kl_error err;
    CHECK(kl_circuit_noise_read(&n, "depolarizing=0.1,bit-flip-2=0.2,readout=0.3,readout-1=0.4", "",
                                &err) == 0);
    CHECK(n.n_qubits == 0);
    CHECK(n.qubit[0].depolarizing[0] == 0.1 && n.qubit[0].depolarizing[1] == 0.1);
    CHECK(n.qubit[0].bit_flip[0] == 0 && n.qubit[0].bit_flip[1] == 0.2);
    CHECK(n.qubit[0].readout[0] == 0.3 && n.qubit[0].readout[1] == 0.4);
    CHECK(isinf(n.qubit[0].t1) && isinf(n.qubit[0].t2) && n.qubit[0].gate_time[1] == 0);
    CHECK(kl_circuit_noise_read(&n,
                                "{\"all\":{\"phase-flip\":0.1,\"t1\":1,\"gate-time\":1},\"qubits\":"
                                "[{\"phase-flip\":0.2},{}]}",
                                "", &err) == 0);
    CHECK(n.n_qubits == 2 && n.qubit[0].phase_flip[0] == 0.2 && n.qubit[1].phase_flip[1] == 0.1);
    CHECK(n.qubit[1].t2 == 2);
}

/* <Z_q> of four qubits in the default circuit */
static int run(double out[4], const char *noise, struct kl_error *err)
{
    static const double x[4] = { 0.1, -0.7, 1.2, 2 },
                        w[12] = { 1, 2, 3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, -1, -2, -3 };
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_arena work;
    kl_circuit_options_default(&o);
    o.noise = noise;
    int code = kl_circuit_build(&c, &o, err);
    if (code) return code;
    code = kl_arena_init(&work, 0, err);
    if (!code) code = kl_circuit_forward_f64(out, NULL, c, x, w, 1, NULL, &work, err);
    kl_arena_free(&work);
    kl_circuit_free(&c);
    return code;
}

static void check_limits(void)
{
    struct kl_error err;
    double exact[4], out[4];
    CHECK(run(exact, "", &err) == 0);
    CHECK(run(out, "depolarizing=0", &err) == 0);
    for (int q = 0; q < 4; q++) CHECK(fabs(out[q] - exact[q]) < 1e-14);
    CHECK(run(out, "depolarizing=0.75", &err) == 0); /* all states alike */
    for (int q = 0; q < 4; q++) CHECK(out[q] == 0);
    CHECK(run(out, "amplitude-damping=1", &err) == 0); /* always |0> */
    for (int q = 0; q < 4; q++) CHECK(fabs(out[q] - 1) < 1e-15);
    CHECK(run(out, "t1=1,t2=1,gate-time=1000,excited=1", &err) == 0); /* always |1> */
    for (int q = 0; q < 4; q++) CHECK(fabs(out[q] + 1) < 1e-15);
    CHECK(run(out, "readout=1", &err) == 0); /* every bit the wrong way round */
    for (int q = 0; q < 4; q++) CHECK(fabs(out[q] + exact[q]) < 1e-14);
    CHECK(run(out, "readout-0=1", &err) == 0); /* 1 whatever it is */
    for (int q = 0; q < 4; q++) CHECK(fabs(out[q] + 1) < 1e-14);
    CHECK(run(out, "{\"qubits\":[{},{},{}]}", &err) == KL_EUSAGE && strstr(err.text, "3 qubits"));
}

int main(void)
{
    check_texts();
    check_defaults();
    check_limits();
    return failures != 0;
}
