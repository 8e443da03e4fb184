/* SPDX-License-Identifier: MIT
   Words about noise and trajectories that are no model, and what a model is called. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "circuit/noise.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static void refused(const char *option, int code, const char *words)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    const int found = kl_circuit_noise_text(&text, option, &err);
    CHECK(found == code && !text && strstr(err.text, words), "%s: %d %s", option, found, err.text);
    free(text);
}

static void check_noise(void)
{
    struct kl_error err = { 0 };
    char *text = NULL, label[KL_NOISE_LABEL], path[1024];
    refused("depolarizing\x80=1", KL_EUSAGE, "expected NAME=NUMBER");
    refused("depol arizing=1", KL_EUSAGE, "expected NAME=NUMBER");
    refused("depolarizing\x7f=1", KL_EUSAGE, "expected NAME=NUMBER");
    refused("/nonexistent.json", KL_ENOINPUT, "/nonexistent.json");
    const int fd = open(in_folder(path, "noise.json"), O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, (1 << 22) + 1) == 0); /* a byte too many */
    refused(path, KL_EDATA, "expected a calibration in JSON");
    CHECK(ftruncate(fd, 10) == 0 && pwrite(fd, "{\"all\":{}\0", 10, 0) == 10);
    refused(path, KL_EDATA, "expected a calibration in JSON");
    close(fd);
    /* 17 digits, and not one more than the number needs */
    CHECK(kl_circuit_noise_text(&text, "depolarizing=0.30000000000000004,bit-flip=0.25", &err) == 0 &&
              strcmp(text, "bit-flip=0.25,depolarizing=0.30000000000000004") == 0,
          "%s", text ? text : err.text);
    free(text);
    CHECK(kl_circuit_noise_text(&text, "", &err) == 0 && !*text, "%s", err.text);
    free(text);
    static const char *const labels[][2] = {
        { NULL, "none" },
        { "", "none" },
        { "bit-flip=0.25", "bit-flip=0.25" },
        { "{no JSON", "{no JSON" },
        { "{\"qubits\":[{},{}]}", "calibration (2 qubits)" },
        { "{\"name\":\"n\",\"qubits\":[{}]}", "n (1 qubit)" },
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        kl_circuit_noise_label(label, labels[i][0]);
        CHECK(strcmp(label, labels[i][1]) == 0, "%s: %s", labels[i][0], label);
    }
}

static void check_trajectories(void)
{
    static const char *const wrong[] = { "", "x", "5x", "1", "1000001" };
    struct kl_error err = { 0 };
    int64_t n = 7;
    CHECK(kl_circuit_trajectories_read(&n, NULL, 2, "", &err) == 0 && n == 0, "%s", err.text);
    CHECK(kl_circuit_trajectories_read(&n, "50", 2, "bit-flip=0.1", &err) == 0 && n == 50, "%s",
          err.text);
    CHECK(kl_circuit_trajectories_read(&n, "50", 2, NULL, &err) == 0 && n == 50, "not known yet: %s",
          err.text);
    CHECK(kl_circuit_trajectories_read(&n, "50", 2, "", &err) == KL_EUSAGE &&
              strstr(err.text, "there is no noise"),
          "%s", err.text);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(kl_circuit_trajectories_read(&n, wrong[i], 2, "", &err) == KL_EUSAGE &&
                  strstr(err.text, "expected a whole number from 2 to 1000000"),
              "%s: %s", wrong[i], err.text);
}

/* Noise comes before a circuit is finished; observables of what pooling leaves, or of a text's circuit.
 */
static void check_circuits(void)
{
    struct kl_error err = { 0 };
    struct kl_circuit *c = NULL;
    struct kl_circuit_options o;
    char *text = NULL;
    kl_circuit_options_default(&o);
    o.n_qubits = 4, o.ansatz = "qcnn", o.n_layers = 1;
    CHECK(kl_circuit_build(&c, &o, &err) == 0, "%s", err.text);
    CHECK(c && c->n_obs == 2, "half of the qubits are left");
    CHECK(kl_circuit_add_noise(c, "bit-flip=0.1", &err) == KL_EUSAGE &&
              strstr(err.text, "it is finished"),
          "%s", err.text);
    kl_circuit_free(&c);
    o.qasm = "";
    CHECK(kl_circuit_build(&c, &o, &err) == 0 && c->n_obs == 2, "%s", err.text);
    kl_circuit_free(&c);
    kl_circuit_options_default(&o);
    o.qasm = "OPENQASM 3.0; input float x; qubit[4] q; rx(x) q[0]; ry(0.5) q[1];";
    CHECK(kl_circuit_build(&c, &o, &err) == 0 && c->n_obs == 4, "%s", err.text);
    kl_circuit_free(&c);
    kl_circuit_options_default(&o);
    o.n_qubits = 2, o.observables = "AB+ZZ";
    CHECK(kl_circuit_build(&c, &o, &err) == KL_EUSAGE && strstr(err.text, "found 'A' in 'AB'"), "%s",
          err.text);
    static const char *const overflow[] = { "1e308*ZZ+1e308*ZZ", "z,XX-1e308*ZZ-1e308*ZZ" };
    for (int i = 0; i < 2; i++)
        CHECK(kl_circuit_observables_text(&text, overflow[i], &err) == KL_EUSAGE &&
                  strstr(err.text, "the weights of ZZ in ") && !text,
              "%s", err.text);
    CHECK(kl_circuit_observables_text(&text, "0.30000000000000004*ZZ", &err) == 0 &&
              strcmp(text, "0.30000000000000004*ZZ") == 0,
          "%s", text ? text : err.text);
    free(text);
}

int main(void)
{
    check_noise();
    check_trajectories();
    check_circuits();
    return failures != 0;
}
