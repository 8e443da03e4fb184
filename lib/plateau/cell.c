/* SPDX-License-Identifier: MIT
   One cell of the grid: a circuit, random parameters, derivatives. Draws lie side by side in the lanes
   of a batch, each with parameters of its own. A single parameter is differentiated by the two terms of
   its shift rule, which serve all observables at once; all parameters by the adjoint sweep, one an
   observable. */
#include "plateau/plateau_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"

static bool is_rotation(enum kl_gate g)
{
    return g <= KL_ROT || g == KL_MULTIRZ;
}

/* The gates of a circuit by name on parameters that are inputs; its inputs, which are the angles of the
   RY that come first, are the constant `initial`. */
static int append_gates(struct kl_circuit *to, const struct kl_circuit *c, double initial,
                        struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < c->n_ops && !code; i++) {
        struct kl_op op = c->ops[i];
        const int n = kl_circuit_op_angles(&op);
        if (n && initial == 0 && op.angle[0].source == KL_INPUT) continue;
        for (int k = 0; k < n; k++) {
            struct kl_angle *a = &op.angle[k];
            if (a->source == KL_INPUT)
                *a = (struct kl_angle){ KL_CONSTANT, 0, -1, initial * a->scale, 0 };
            else if (a->source == KL_WEIGHT) a->source = KL_INPUT;
        }
        code = kl_circuit_append(to, &op, err);
    }
    for (size_t i = 0; i < c->n_obs && !code; i++) /* outputs are strings */
        code = kl_circuit_observe(to, c->strings[c->terms[i].string], err);
    return code;
}

/* 1 or -1 if parameter k is the angle of one rotation, or its negative, and nowhere else; 0: not so. */
static int shift_sign(const struct kl_circuit *c, size_t k)
{
    int sign = 0, places = 0;
    for (size_t i = 0; i < c->n_ops; i++)
        for (int j = 0; j < kl_circuit_op_angles(&c->ops[i]); j++) {
            const struct kl_angle *a = &c->ops[i].angle[j];
            if (a->source != KL_INPUT || (size_t)a->index != k) continue;
            places++;
            if (is_rotation(c->ops[i].gate) && a->index2 < 0)
                sign = a->scale == 1 ? 1 : a->scale == -1 ? -1 : 0;
        }
    return places == 1 ? sign : 0;
}

/* Choose the parameters that the option names. */
static int choose(struct kl_plateau_cell *cell, const char *parameter, struct kl_error *err)
{
    char *end;
    cell->n_gradients = cell->n_parameters;
    if (strcmp(parameter, "all") == 0 && cell->n_parameters) return KL_OK;
    long k = strtol(parameter, &end, 10);
    if (end == parameter || *end || k < 0)
        return kl_fail(err, KL_EUSAGE, "--parameter: found '%s', expected a number from 0, or all",
                       parameter);
    if ((size_t)k >= cell->n_parameters)
        return kl_fail(err, KL_EUSAGE, "--parameter %ld: %d layers on %d qubits have %zu parameters", k,
                       cell->n_layers, cell->n_qubits, cell->n_parameters);
    cell->first = (size_t)k;
    cell->n_gradients = 1;
    cell->shifted = shift_sign(cell->circuit, cell->first);
    return KL_OK;
}

static int take_undoes(struct kl_plateau_cell *cell, struct kl_circuit *c, struct kl_error *err)
{
    if (!c->undoes)
        return kl_fail(err, KL_EUSAGE,
                       "--init identity: no layer undoes another here; give --mirror 2, with numbers of "
                       "layers that are multiples of 4");
    cell->undoes = c->undoes;
    c->undoes = NULL;
    return KL_OK;
}

int kl_plateau_cell_make(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, int n_qubits,
                         int n_layers, const char *observables, struct kl_error *err)
{
    struct kl_circuit_options named;
    struct kl_circuit *c = NULL;
    kl_circuit_options_default(&named);
    named.n_qubits = n_qubits;
    named.n_layers = n_layers;
    named.ansatz = o->ansatz;
    named.entanglement = o->entanglement;
    named.mirror = o->mirror;
    named.observables = observables;
    *cell = (struct kl_plateau_cell){ .n_qubits = n_qubits, .n_layers = n_layers };
    int code = kl_circuit_build(&c, &named, err);
    if (!code) code = kl_circuit_begin(&cell->circuit, n_qubits, c->n_weights, 0, err);
    if (!code) code = append_gates(cell->circuit, c, o->initial, err);
    if (!code) cell->circuit->forward_only = true;
    if (!code) code = kl_circuit_finish(cell->circuit, err);
    if (!code) cell->n_parameters = c->n_weights;
    if (!code && strcmp(o->init, "identity") == 0) code = take_undoes(cell, c, err);
    kl_circuit_free(&c);
    if (!code) code = choose(cell, o->parameter, err);
    if (code) kl_plateau_cell_free(cell);
    return code;
}

void kl_plateau_cell_free(struct kl_plateau_cell *cell)
{
    kl_circuit_free(&cell->circuit);
    free(cell->gradients);
    free(cell->undoes);
    cell->gradients = NULL;
    cell->undoes = NULL;
}

/* Parameters of draw number `draw`, from (seed, cell, draw) alone. */
static void draw_parameters(double *x, const struct kl_plateau_cell *cell,
                            const struct kl_plateau_options *o, size_t draw)
{
    const uint32_t where = (uint32_t)cell->n_qubits << 16 | (uint32_t)cell->n_layers;
    uint32_t words[4] = { 0 };
    for (size_t i = 0; i < cell->n_parameters; i++) {
        if (i % 4 == 0)
            kl_philox(words, (uint64_t)o->seed, (uint32_t)(i / 4), KL_RANDOM_PLATEAU, (uint32_t)draw,
                      where);
        x[i] = o->spread * (2 * kl_philox_unit(words[i % 4]) - 1);
    }
    for (size_t i = 0; cell->undoes && i < cell->n_parameters; i++)
        if (cell->undoes[i] != KL_UNDONE) x[i] = cell->undoes[i] < 0 ? 0 : -x[cell->undoes[i]];
}

/* Two samples a draw: the angle moved up and down by pi/2. */
static int by_shift(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, size_t first,
                    size_t n, struct kl_arena *work, struct kl_error *err)
{
    const size_t n_x = cell->n_parameters, n_obs = cell->circuit->n_obs;
    double *x = kl_arena_take(work, 2 * n * n_x, sizeof *x);
    double *out = kl_arena_take(work, 2 * n * n_obs, sizeof *out);
    if (!x || !out) return kl_fail_memory(err, 2 * n * (n_x + n_obs) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        double *up = x + 2 * i * n_x, *down = up + n_x;
        draw_parameters(up, cell, o, first + i);
        memcpy(down, up, n_x * sizeof *x);
        up[cell->first] += M_PI / 2;
        down[cell->first] -= M_PI / 2;
    }
    int code = kl_circuit_forward_f64(out, NULL, cell->circuit, x, NULL, 2 * n, NULL, work, err);
    for (size_t i = 0; i < n && !code; i++)
        for (size_t k = 0; k < n_obs; k++)
            cell->gradients[k * (size_t)o->draws + first + i] =
                cell->shifted * (out[2 * i * n_obs + k] - out[(2 * i + 1) * n_obs + k]) / 2;
    return code;
}

static int by_adjoint(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, size_t first,
                      size_t n, struct kl_arena *work, struct kl_error *err)
{
    const size_t n_x = cell->n_parameters, n_obs = cell->circuit->n_obs, n_g = cell->n_gradients;
    double *x = kl_arena_take(work, n * n_x, sizeof *x), *dx = kl_arena_take(work, n * n_x, sizeof *dx);
    double *cot = kl_arena_take(work, n * n_obs, sizeof *cot);
    if (!x || !dx || !cot) return kl_fail_memory(err, n * (2 * n_x + n_obs) * sizeof *x);
    for (size_t i = 0; i < n; i++) draw_parameters(x + i * n_x, cell, o, first + i);
    int code = KL_OK;
    for (size_t k = 0; k < n_obs && !code; k++) {
        double *to = cell->gradients + (k * (size_t)o->draws + first) * n_g;
        for (size_t i = 0; i < n * n_obs; i++) cot[i] = i % n_obs == k;
        code = kl_circuit_adjoint_f64(dx, NULL, NULL, cell->circuit, x, NULL, cot, n, NULL, work, err);
        for (size_t i = 0; i < n && !code; i++)
            memcpy(to + i * n_g, dx + i * n_x + cell->first, n_g * sizeof *to);
    }
    return code;
}

int kl_plateau_gradients(struct kl_plateau_cell *cell, const struct kl_plateau_options *o, size_t first,
                         size_t n, struct kl_arena *work, struct kl_error *err)
{
    kl_arena_reset(work);
    return cell->shifted ? by_shift(cell, o, first, n, work, err)
                         : by_adjoint(cell, o, first, n, work, err);
}
