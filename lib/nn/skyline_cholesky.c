/* SPDX-License-Identifier: MIT
   Symmetric positive definite systems whose rows begin late, by Cholesky's decomposition, which fills
   no entry before a row's first (Jennings 1966, "A compact storage scheme for the solution of symmetric
   linear simultaneous equations"). */
#include <math.h>

#include "nn/nn.h"

int kl_nn_skyline_make(struct kl_nn_skyline *e, size_t n, const size_t *first, struct kl_arena *memory,
                       struct kl_error *err)
{
    size_t *start = kl_arena_take(memory, n + 1, sizeof *start);
    *e = (struct kl_nn_skyline){ .n = n, .first = first, .start = start };
    if (!start) return kl_fail_memory(err, n * sizeof *start);
    for (size_t i = 0; i < n; i++) {
        start[i] = e->size;
        e->size += i - first[i] + 1;
    }
    return KL_OK;
}

/* Row i of the lower factor in place of row i; rows before it are factors already. */
static void factor_row(double *a, const struct kl_nn_skyline *e, size_t i, double shift)
{
    double *row = a + e->start[i] - e->first[i], pivot = row[i] + shift;
    for (size_t j = e->first[i]; j < i; j++) {
        const double *other = a + e->start[j] - e->first[j];
        const size_t from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
        for (size_t k = from; k < j; k++) row[j] -= row[k] * other[k];
        row[j] /= other[j];
        pivot -= row[j] * row[j];
    }
    row[i] = sqrt(pivot);
}

void kl_nn_skyline_solve(double *x, double *a, const struct kl_nn_skyline *e, double shift)
{
    for (size_t i = 0; i < e->n; i++) {
        factor_row(a, e, i, shift);
        const double *row = a + e->start[i] - e->first[i];
        for (size_t k = e->first[i]; k < i; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
    for (size_t i = e->n; i-- > 0;) {
        const double *row = a + e->start[i] - e->first[i];
        x[i] /= row[i];
        for (size_t k = e->first[i]; k < i; k++) x[k] -= row[k] * x[i];
    }
}
