/* SPDX-License-Identifier: MIT
   The line above a drawn circuit says what it is: by name, or OpenQASM, with noise. */
#include <string.h>

#include "circuit/circuit.h"
#include "plot/plot.h"
#include "tests/unit/check.h"

static void expect(const struct kl_circuit_options *o, bool noisy, const char *wanted)
{
    struct kl_circuit *c = NULL;
    struct kl_error err = { 0 };
    char title[KL_TITLE] = "";
    if (kl_circuit_build(&c, o, &err) == 0) kl_plot_circuit_title(title, o, c, noisy);
    CHECK(strcmp(title, wanted) == 0, "found %s, expected %s%s", title, wanted, err.text);
    kl_circuit_free(&c);
}

int main(void)
{
    struct kl_circuit_options o;
    kl_circuit_options_default(&o);
    expect(&o, false, "ry-ring on angle-y: 4 qubits, 3 layers, 12 weights, 28 gates; measured: z");
    expect(&o, true,
           "ry-ring on angle-y: 4 qubits, 3 layers, 12 weights, 28 gates, with noise; measured: z");
    o.qasm = "input float[64] w_0; qubit[1] q; ry(w_0) q[0];";
    expect(&o, false, "OpenQASM: 1 qubit, 1 weight, 1 gate; measured: z");
    o.file = "some/where/c.qasm";
    expect(&o, false, "OpenQASM, c.qasm: 1 qubit, 1 weight, 1 gate; measured: z");
    o.file = "c.qasm";
    expect(&o, true, "OpenQASM, c.qasm: 1 qubit, 1 weight, 1 gate, with noise; measured: z");
    return failures != 0;
}
