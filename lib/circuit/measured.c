/* SPDX-License-Identifier: MIT
   The circuits from which measurements of another one are drawn. */
#include "circuit/estimate.h"

int kl_circuit_measured_make(struct kl_measured *m, const struct kl_circuit *c, struct kl_error *err)
{
    *m = (struct kl_measured){ 0 };
    if (c->n_qubits > KL_MOST_MEASURED_QUBITS)
        return kl_fail(
            err, KL_EUSAGE,
            "--shots: found a circuit of %d qubits, expected at most %d: measurements are drawn "
            "from the probabilities of all basis states",
            c->n_qubits, KL_MOST_MEASURED_QUBITS);
    int code = kl_circuit_with_probabilities(&m->probabilities, c, err);
    if (!code && !kl_circuit_reads_plainly(c)) code = kl_circuit_with_readings(&m->readings, c, err);
    return code;
}

void kl_circuit_measured_stoppable(struct kl_circuit *c, const struct kl_measured *m, bool stoppable)
{
    struct kl_circuit *const all[] = { c, m->probabilities, m->readings };
    for (int i = 0; i < 3; i++)
        if (all[i]) all[i]->stoppable = stoppable;
}

void kl_circuit_measured_free(struct kl_measured *m)
{
    kl_circuit_free(&m->probabilities);
    kl_circuit_free(&m->readings);
}
