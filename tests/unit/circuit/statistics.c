/* SPDX-License-Identifier: MIT
   Expressibility and entanglement against values known apart: fidelities whose distribution has a closed
   form, and states whose entanglement is known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "circuit/statistics.h"

enum { SAMPLES = 200000 };
static int failures;

static void near(const char *what, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: found %.6g, expected %.6g +- %.2g\n", what, found, expected, bound);
    failures++;
}

static struct kl_circuit *begin(int n_qubits, size_t n_weights)
{
    struct kl_circuit *c;
    struct kl_error err;
    if (kl_circuit_begin(&c, n_qubits, 0, n_weights, &err)) exit(1);
    return c;
}

static void put(struct kl_circuit *c, struct kl_op op)
{
    struct kl_error err;
    if (kl_circuit_append(c, &op, &err)) exit(1);
}

/* RY by one uniform angle: the fidelity of two states is cos^2 of half a uniform angle, whose
   distribution function is 2/pi asin sqrt F; Haar's on one qubit is F. */
static void one_rotation(void)
{
    struct kl_circuit *c = begin(1, 1);
    struct kl_error err;
    double found, expected = 0;
    put(c, (struct kl_op){ .gate = KL_RY, .angle = { { KL_WEIGHT, 0, -1, 1, 0 } } });
    for (int b = 0; b < 75; b++) {
        double p = M_2_PI * (asin(sqrt((b + 1) / 75.0)) - asin(sqrt(b / 75.0)));
        expected += p * log(p * 75);
    }
    if (kl_circuit_expressibility(&found, c, SAMPLES, 1, NULL, &err)) exit(1);
    near("expressibility of RY", found, expected, 0.01);
    if (kl_circuit_entanglement(&found, c, 1000, 1, NULL, &err)) exit(1);
    near("entanglement of one qubit", found, 0, 1e-12);
    kl_circuit_free(&c);
}

/* cos t/2 |00> + sin t/2 |11> has Q = sin^2 t, 1/2 on the average; H and CNOT make a Bell state, Q = 1.
 */
static void two_qubits(void)
{
    struct kl_circuit *c = begin(2, 1), *bell = begin(2, 0);
    struct kl_error err;
    double found;
    put(c, (struct kl_op){ .gate = KL_RY, .angle = { { KL_WEIGHT, 0, -1, 1, 0 } } });
    put(c, (struct kl_op){ .gate = KL_CNOT, .wire = { 0, 1 } });
    if (kl_circuit_entanglement(&found, c, SAMPLES, 1, NULL, &err)) exit(1);
    near("entanglement of RY, CNOT", found, 0.5, 0.005);
    put(bell, (struct kl_op){ .gate = KL_H });
    put(bell, (struct kl_op){ .gate = KL_CNOT, .wire = { 0, 1 } });
    if (kl_circuit_entanglement(&found, bell, 10, 1, NULL, &err)) exit(1);
    near("entanglement of a Bell state", found, 1, 1e-12);
    /* one state always: all fidelities in the last bin, whose share by Haar is (1/75)^3 on two qubits */
    if (kl_circuit_expressibility(&found, bell, 100, 1, NULL, &err)) exit(1);
    near("expressibility of a Bell state", found, 3 * log(75), 1e-9);
    kl_circuit_free(&c);
    kl_circuit_free(&bell);
}

int main(void)
{
    one_rotation();
    two_qubits();
    return failures != 0;
}
