/* SPDX-License-Identifier: MIT
   Private to lib/plateau/. */
#ifndef KL_PLATEAU_INT_H
#define KL_PLATEAU_INT_H

#include "circuit/circuit.h"
#include "plateau/plateau.h"

/* ---- the grid's lists (scan.c) ---- */
/* "local,ZZ" into names. KL_EUSAGE. */
int kl_plateau_names(char (*names)[KL_PLATEAU_NAME], size_t *n, const char *text, struct kl_error *err);
/* The names as the Pauli strings of n_qubits wires, for struct kl_circuit_options; size bytes of text.
   KL_EUSAGE: a string is too long. */
int kl_plateau_strings(char *text, size_t size, char (*names)[KL_PLATEAU_NAME], size_t n_names,
                       int n_qubits, struct kl_error *err);

/* ---- one cell (cell.c) ---- */
enum { KL_PLATEAU_CHUNK = 32 }; /* draws that are run side by side */
struct kl_plateau_cell {
    int n_qubits, n_layers;
    struct kl_circuit *circuit; /* all its parameters are inputs, so that every draw has its own */
    size_t n_parameters;        /* of the circuit */
    int *undoes; /* (n_parameters) as in struct kl_circuit; NULL: every parameter is drawn */
    size_t first, n_gradients; /* which of them are differentiated */
    int shifted;               /* sign of the angle in the gate, where two shifts suffice; 0: adjoint */
    double *gradients;         /* (observables, draws, n_gradients); the caller makes them */
};
/* All but the gradients. observables: as kl_plateau_strings makes them. Free with kl_plateau_cell_free.
 * KL_EUSAGE, KL_ENOMEM. */
int kl_plateau_cell_make(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, int n_qubits,
                         int n_layers, const char *observables, struct kl_error *err);
void kl_plateau_cell_free(struct kl_plateau_cell *cell);
/* Gradients of draws [first, first + n), n <= KL_PLATEAU_CHUNK. */
int kl_plateau_gradients(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, size_t first,
                         size_t n, struct kl_arena *work, struct kl_error *err);

/* ---- statistics (scan.c) ---- */
/* Mean over the parameters of mean and variance (n - 1) of gradients (draws, n_gradients); counts NULL:
   every draw once. scratch: 2 n_gradients. */
void kl_plateau_moments(double *mean, double *variance, const double *gradients, size_t draws,
                        size_t n_gradients, const uint8_t *counts, double *scratch);
/* 2.5 % and 97.5 % of n values, which are sorted on the way; those that are NaN do not count. */
void kl_plateau_interval(double *low, double *high, double *values, size_t n);
/* Least-squares slope of ln(variance) by number of qubits, of the cells above rounding; NaN: fewer than
   two. */
double kl_plateau_slope(const double *variance, size_t stride, const int *qubits, size_t n);

#endif
