/* SPDX-License-Identifier: MIT
   What stands above a drawn circuit. */
#include <string.h>

#include "circuit/circuit.h"
#include "plot/plot.h"

void kl_plot_circuit_title(char title[KL_TITLE], const struct kl_circuit_options *o,
                           const struct kl_circuit *c, bool noisy)
{
    char what[200];
    const size_t gates = kl_circuit_gates(c);
    const char *file = o->file ? o->file : "", *slash = strrchr(file, '/');
    if (!o->qasm || !*o->qasm)
        snprintf(what, sizeof what, "%s on %s: %d qubit%s, %lld layer%s", o->ansatz, o->embedding,
                 c->n_qubits, kl_s((unsigned)c->n_qubits), (long long)o->n_layers,
                 kl_s((uint64_t)o->n_layers));
    else
        snprintf(what, sizeof what, "OpenQASM%s%.100s: %d qubit%s", *file ? ", " : "",
                 slash ? slash + 1 : file, c->n_qubits, kl_s((unsigned)c->n_qubits));
    snprintf(title, KL_TITLE, "%s, %zu weight%s, %zu gate%s%s; measured: %s", what, c->n_weights,
             kl_s(c->n_weights), gates, kl_s(gates), noisy ? ", with noise" : "", o->observables);
}
