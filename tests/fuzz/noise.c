/* SPDX-License-Identifier: MIT
   Any bytes as what --noise takes, a list, and as a calibration in JSON, whole or two qubits of it. The
   canonical text of what is read is its own canonical text; all probabilities are such, all times finite
   or none, and the label is one printable line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "tests/fuzz/frame/fuzz.h"

const int fuzz_corpus = 45;

static void check_qubit(const struct kl_qubit_noise *q, const char *text)
{
    const double shares[] = { q->depolarizing[0],
                              q->depolarizing[1],
                              q->amplitude_damping[0],
                              q->phase_damping[0],
                              q->amplitude_damping[1],
                              q->phase_damping[1],
                              q->bit_flip[0],
                              q->bit_flip[1],
                              q->phase_flip[0],
                              q->phase_flip[1],
                              q->excited,
                              q->readout[0],
                              q->readout[1] };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        need(shares[i] >= 0 && shares[i] <= 1, "a share that is none", text);
    need(q->t1 > 0 && q->t2 > 0 && q->t2 <= 2 * q->t1 * (1 + 1e-12), "times that cannot be", text);
    need(isfinite(q->gate_time[0]) && isfinite(q->gate_time[1]) && q->gate_time[0] >= 0, "no time",
         text);
    for (int several = 0; several < 2; several++) {
        const struct kl_noise noise = { .qubit = { *q } };
        const struct kl_channel c = kl_circuit_noise_channel(&noise, 0, several);
        need(fabs(c.x) <= 1 + 1e-12 && fabs(c.y) <= 1 + 1e-12 && fabs(c.z) + fabs(c.shift) <= 1 + 1e-12,
             "a channel that leaves the ball", text);
    }
}

static void check_text(const char *text)
{
    struct kl_error err = { 0 };
    struct kl_noise noise;
    char *again, label[KL_NOISE_LABEL];
    need(kl_circuit_noise_text(&again, text, &err) == 0, err.text, text);
    need(strcmp(again, text) == 0, "another canonical text", again);
    free(again);
    kl_circuit_noise_label(label, text);
    for (const char *c = label; *c; c++) need((unsigned char)*c >= ' ' && *c != 127, "a label", label);
    if (!*text) return; /* none */
    need(kl_circuit_noise_read(&noise, text, "x", &err) == 0, err.text, text);
    for (int q = 0; q < (noise.n_qubits ? noise.n_qubits : 1); q++) check_qubit(&noise.qubit[q], text);
}

static bool check(const char *option)
{
    struct kl_error err = { 0 };
    char *text;
    const int code = kl_circuit_noise_text(&text, option, &err);
    if (code) need(text == NULL, "refused, and a text left", option);
    if (code) need_refusal(code, KL_EUSAGE, KL_EDATA, &err);
    else check_text(text);
    free(text);
    return code == 0;
}

bool fuzz(const unsigned char *data, size_t n)
{
    char *text = fuzz_text(data, n), path[300], chosen[330];
    const size_t length = strlen(text);
    bool read = false;
    snprintf(path, sizeof path, "%s/x.json", fuzz_folder());
    fuzz_write(path, data, n);
    const bool names_file = (length >= 5 && strcmp(text + length - 5, ".json") == 0) ||
                            (*text != '{' && strstr(text, ".json,qubits="));
    if (length == n && !names_file) read = check(text);
    read |= check(path);
    snprintf(chosen, sizeof chosen, "%s,qubits=1,0", path);
    check(chosen);
    free(text);
    return read;
}
