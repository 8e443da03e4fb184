/* SPDX-License-Identifier: MIT
   A variance of 0 that is no plateau, however it looks in a table: the observable does not see the
   parameter, as one of qubit 0 does not see a gate that comes after all that reaches it. */
#include <math.h>
#include <string.h>

#include "plateau/plateau.h"

/* A derivative is analytic in the parameters: 0 at draws from a box, it is 0 everywhere. */
static bool is_nothing(const struct kl_plateau *p, size_t at)
{
    return p->variance[at] <= KL_PLATEAU_ROUNDING && p->mean[at] * p->mean[at] <= KL_PLATEAU_ROUNDING;
}

/* The first such cell of an observable, and how many there are. */
static size_t count_nothing(size_t *first, const struct kl_plateau *p, size_t o)
{
    const size_t cells = p->n_qubits * p->n_layers;
    size_t n = 0;
    for (size_t i = 0; i < cells; i++)
        if (is_nothing(p, o * cells + i) && !n++) *first = i;
    return n;
}

void kl_plateau_remark(const struct kl_log *log, const struct kl_plateau *p,
                       const struct kl_plateau_options *options)
{
    const bool all = strcmp(options->parameter, "all") == 0;
    if (strcmp(options->init, "uniform") != 0) return; /* draws from a curve show nothing of the rest */
    for (size_t o = 0; o < p->n_observables; o++) {
        char more[64] = "";
        size_t at = 0;
        const size_t n = count_nothing(&at, p, o);
        if (!n) continue;
        const int qubits = p->qubits[at / p->n_layers], layers = p->layers[at % p->n_layers];
        if (n > 1) snprintf(more, sizeof more, " (and %zu more of the grid)", n - 1);
        kl_caution(log,
                   "%s does not depend on %s%s at %d qubit%s, %d layer%s%s: its variance is 0, which is "
                   "no plateau%s",
                   p->observables[o], all ? "any parameter" : "parameter ",
                   all ? "" : options->parameter, qubits, kl_s((unsigned)qubits), layers,
                   kl_s((unsigned)layers), more, all ? "" : "; give another --parameter, or all");
    }
}
