/* SPDX-License-Identifier: MIT
   Is a system one of those that a kernel of its own knows? It is if its matrices are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/control.h"

static bool equal(const double *a, const double *b, int dim)
{
    for (int i = 0; i < dim * dim; i++)
        if (!(fabs(a[i] - b[i]) <= 1e-12)) return false;
    return true;
}

/* Where each of n entries stands among those of the kernel; false: one does not, or two in one place. */
static bool places(int *place, const struct kl_control_entry *entries, int n,
                   const struct kl_control_entry *known, int n_known, int dim)
{
    bool taken[KL_CONTROL_MAX_PARAMS] = { false };
    for (int i = 0; i < n; i++) {
        place[i] = -1;
        for (int k = 0; k < n_known && place[i] < 0; k++)
            if (!taken[k] && entries[i].rate == known[k].rate &&
                equal(entries[i].matrix, known[k].matrix, dim))
                place[i] = k;
        if (place[i] < 0) return false;
        taken[place[i]] = true;
    }
    return true;
}

/* A name of the kernel's that an entry in another place has would be there twice. */
static bool clash(const struct kl_control_entry *entries, const int *place, int n,
                  const struct kl_control_entry *known, int n_known)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_known; k++)
            if (place[i] != k && strcmp(entries[i].name, known[k].name) == 0) return true;
    return false;
}

/* The entries of s in the kernel's places; what is missing is taken out of `known`, with value 0. */
static void reorder(struct kl_control_entry *entries, int *n, const int *place,
                    struct kl_control_entry *known, int n_known)
{
    struct kl_control_entry sorted[KL_CONTROL_MAX_PARAMS];
    for (int k = 0; k < n_known; k++) sorted[k] = known[k], sorted[k].value = 0;
    for (int i = 0; i < *n; i++) {
        sorted[place[i]] = entries[i];
        entries[i].matrix = NULL;
    }
    for (int k = 0; k < n_known; k++) {
        if (sorted[k].matrix == known[k].matrix) known[k].matrix = NULL;
        entries[k] = sorted[k];
    }
    *n = n_known;
}

int kl_control_system_recognise(struct kl_control_system *s, struct kl_error *err)
{
    struct kl_control_system known;
    int param[KL_CONTROL_MAX_PARAMS], control[KL_CONTROL_MAX_CONTROLS];
    const bool one = s->n_qubits == 1 && (s->n_controls == 2 || s->n_controls == 3),
               two = s->n_qubits == 2 && (s->n_controls == 4 || s->n_controls == 6);
    if (!one && !two) return KL_OK;
    const struct kl_control_system_options options = { .controls = s->n_controls };
    int code = kl_control_system_make(&known, one ? "qubit" : "two-qubits", &options, err);
    if (!code && places(control, s->controls, s->n_controls, known.controls, known.n_controls, s->dim) &&
        places(param, s->params, s->n_params, known.params, known.n_params, s->dim) &&
        !clash(s->params, param, s->n_params, known.params, known.n_params)) {
        reorder(s->controls, &s->n_controls, control, known.controls, known.n_controls);
        reorder(s->params, &s->n_params, param, known.params, known.n_params);
        s->form = known.form;
    }
    kl_control_system_free(&known);
    return code;
}
