/* SPDX-License-Identifier: MIT
   Times with units and names with '_', in lists and in JSON: the same text as bare seconds and '-', so
   the same key. And which qubits of a longer list are taken. */
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static void same(const char *a, const char *b)
{
    struct kl_error err = { 0 };
    char *one = NULL, *other = NULL;
    CHECK(kl_circuit_noise_text(&one, a, &err) == 0, "%s: %s", a, err.text);
    CHECK(kl_circuit_noise_text(&other, b, &err) == 0, "%s: %s", b, err.text);
    CHECK(one && other && strcmp(one, other) == 0, "%s: %s, %s: %s", a, one, b, other);
    free(one);
    free(other);
}

static void refused(const char *option, int expected, const char *words)
{
    struct kl_error err = { 0 };
    char *text = NULL;
    const int code = kl_circuit_noise_text(&text, option, &err);
    CHECK(code == expected && !text && strstr(err.text, words), "%s: %d %s", option, code, err.text);
    free(text);
}

static void check_units(void)
{
    /* the nearest double, not one beside it: 120.1 * 1e-6 is 1.2009999999999999e-4 */
    same("t1=120.1us,gate-time=35.5ns", "t1=120.1e-6,gate-time=35.5e-9");
    same("t1=1.201e2us,gate_time=35500ps", "t1=0.0001201,gate-time=3.55e-8");
    same("t1=0.1201ms,t2=95.3\xc2\xb5s,gate-time=35ns", "t1=0.1201e-3,t2=95.3\xce\xbcs,gate_time=35e-9");
    same("t1=3s,gate-time=.1s,gate_time_2=0us", "t1=3,gate-time=0.1,gate-time-2=0");
    same("amplitude_damping_2=0.5,readout_0=0.25", "amplitude-damping-2=0.5,readout-0=0.25");
    same("{\"all\":{\"t1\":\"120.1us\",\"gate_time\":{\"value\":35.5,\"unit\":\"ns\",\"date\":\"x\"}}}",
         "t1=120.1us,gate-time=35.5ns");
    same("{\"all\":{\"gate_time\":\"35.5 ns\"},\"qubits\":[{\"t1\":\"50us\",\"bit_flip\":0.5}]}",
         "{\"all\":{\"gate-time\":35.5e-9},\"qubits\":[{\"t1\":50e-6,\"bit-flip\":0.5}]}");
    refused("t1=120min,gate-time=1", KL_EUSAGE, "as in depolarizing=0.01 or t1=120us");
    refused("t1=120.1sec,gate-time=1", KL_EUSAGE, "found 't1=120.1sec'");
    refused("t1=120US,gate-time=1", KL_EUSAGE, "found 't1=120US'");
    refused("t1=us,gate-time=1", KL_EUSAGE, "found 't1=us'");
    refused("t1=120us us,gate-time=1", KL_EUSAGE, "found 't1=120us us'");
    refused("readout=0.5us", KL_EUSAGE, "found 'readout=0.5us'");
    refused("readout=0.5%", KL_EUSAGE, "found 'readout=0.5%'");
    refused("t1=1,gate-time=1,gate_time=1", KL_EUSAGE, "gate-time is given twice");
    refused("t1=-1us,gate-time=1", KL_EUSAGE, "above 0");
    refused("t1=1e-323ps,gate-time=1", KL_EUSAGE, "above 0");
    refused("{\"all\":{\"t1\":\"120.1 sec\"}}", KL_EUSAGE, "found no number but '120.1 sec'");
    refused("{\"all\":{\"t1\":\"us\"}}", KL_EUSAGE, "found no number but 'us'");
    refused("{\"all\":{\"t1\":\"infus\"}}", KL_EUSAGE, "found no number but 'infus'");
    refused("{\"all\":{\"t1\":{\"value\":1,\"unit\":\"dt\"}}}", KL_EUSAGE, "an object with unit 'dt'");
    refused("{\"all\":{\"t1\":{\"value\":1}}}", KL_EUSAGE, "but an object, expected");
    refused("{\"all\":{\"t1\":{\"value\":1,\"unit\":\"us\",\"scale\":2}}}", KL_EUSAGE,
            "an object with unit");
    refused("{\"all\":{\"readout\":{\"value\":0.1,\"unit\":\"\"}}}", KL_EUSAGE, "found no number");
    refused("{\"all\":{\"readout\":\"1us\"}}", KL_EUSAGE, "found no number");
    refused("{\"qubits\":[{},{\"t1\":\"1\"}]}", KL_EUSAGE, "qubit 1: t1: found no number but '1'");
    refused("{\"all\":{\"gate-time\":1,\"gate_time\":1,\"t1\":1}}", KL_EUSAGE, "given twice, with '_'");
    refused("{\"all\":{\"t1\":1,\"t2\":2.5,\"gate-time\":1}}", KL_EUSAGE,
            "where more was measured, write 2");
}

static void check_choice(void)
{
    char path[1024], option[1200], *text = NULL;
    struct kl_error err = { 0 };
    struct kl_noise_source source;
    struct kl_noise noise;
    FILE *to = fopen(in_folder(path, "n.json"), "w");
    fputs("{\"qubits\":[{\"bit_flip\":0}", to);
    for (int i = 1; i < 27; i++) fprintf(to, ",{\"bit-flip\":%.2f}", i / 100.);
    fputs("]}", to);
    fclose(to);
    CHECK(kl_circuit_noise_text_from(&text, &source, path, &err) == 0, "%s", err.text);
    CHECK(kl_circuit_noise_read(&noise, text, "", &err) == 0 && noise.n_qubits == 20 &&
          noise.qubit[19].bit_flip[0] == 0.19);
    CHECK(source.n_found == 27 && source.n_taken == 20 && !source.chosen && source.taken[19] == 19);
    free(text);
    snprintf(option, sizeof option, "%s,qubits=26,3,0", path);
    CHECK(kl_circuit_noise_text_from(&text, &source, option, &err) == 0, "%s", err.text);
    CHECK(
        text &&
            strcmp(text,
                   "{\"qubits\":[{\"bit-flip\":0.26000000000000001},{\"bit-flip\":0.029999999999999999},"
                   "{\"bit-flip\":0}]}") == 0,
        "%s", text);
    CHECK(source.chosen && source.n_found == 27 && source.n_taken == 3 && source.taken[0] == 26);
    free(text);
    static const char *const wrong[][2] = { { "", "qubits: found ''" },
                                            { "1,", "qubits: found ''" },
                                            { "-1", "qubits: found '-1'" },
                                            { "1;2", "qubits: found '1;2'" },
                                            { "1-3", "qubits: found '1-3'" },
                                            { "99999999999999999999", "expected numbers, wire 0 first" },
                                            { "1,2,1", "1 is given twice" },
                                            { "27", "found 27" },
                                            { "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
                                              "at most 20" } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(option, sizeof option, "%s,qubits=%s", path, wrong[i][0]);
        refused(option, KL_EUSAGE, wrong[i][1]);
    }
    to = fopen(path, "w");
    fputs("{\"all\":{\"bit-flip\":0.1}}", to);
    fclose(to);
    snprintf(option, sizeof option, "%s,qubits=0", path);
    refused(option, KL_EUSAGE, "has no list 'qubits'");
    refused("/nonexistent.json,qubits=0", KL_ENOINPUT, "/nonexistent.json");
}

int main(void)
{
    make_test_folder();
    check_units();
    check_choice();
    return failures != 0;
}
