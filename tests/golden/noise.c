/* SPDX-License-Identifier: MIT
   Noisy circuits of every gate and channel against PennyLane's default.mixed (tests/golden/noise.h5,
   written by make_noise.py beside it): outputs and gradients to 1e-10. */
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/noise.h"

enum { MOST = 1024, COLUMNS = 16 };
static int failures;

static double attribute_of(hid_t group, const char *name)
{
    double value = 0;
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) < 0) exit(1);
    H5Aclose(attribute);
    return value;
}

static void text_of(char *text, size_t size, hid_t group, const char *name)
{
    hid_t attribute = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    memset(text, 0, size);
    if (H5Tget_size(type) >= size || H5Aread(attribute, type, text) < 0) exit(1);
    H5Tclose(type), H5Aclose(attribute);
}

static size_t values_of(double *values, hid_t group, const char *name)
{
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    size_t n = (size_t)H5Sget_simple_extent_npoints(space);
    if (n > MOST || (n && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0))
        exit(1);
    H5Sclose(space), H5Dclose(set);
    return n;
}

static void must(int code, const char *name, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s: %s\n", name, err->text);
    exit(1);
}

static void compare(const char *group, const char *what, const double *found, hid_t file, size_t n)
{
    static double expected[MOST];
    if (values_of(expected, file, what) != n) {
        fprintf(stderr, "%s: %s: another size than %zu\n", group, what, n);
        failures++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= 1e-10) continue;
        fprintf(stderr, "%s: %s[%zu]: found %.15g, expected %.15g\n", group, what, i, found[i],
                expected[i]);
        failures++;
        return;
    }
}

/* A row as make_noise.py describes it. */
static struct kl_op op_of(const double *row)
{
    struct kl_op op = { .gate = (enum kl_gate)row[0],
                        .wire = { (int)row[1], (int)row[2] },
                        .mask = (uint32_t)row[3] };
    for (int k = 0; k < 3; k++)
        op.angle[k] = (struct kl_angle){ (enum kl_source)row[4 + 4 * k], (int)row[5 + 4 * k],
                                         (int)row[6 + 4 * k], row[7 + 4 * k] };
    return op;
}

static struct kl_circuit *circuit_of(hid_t group, const char *name, size_t n_inputs, size_t n_weights)
{
    static double ops[MOST], obs[MOST];
    char noise[2048];
    struct kl_circuit *c;
    struct kl_error err;
    const bool amplitudes = attribute_of(group, "amplitudes") != 0;
    const size_t n_ops = values_of(ops, group, "ops") / COLUMNS,
                 n_obs = values_of(obs, group, "obs") / 2;
    text_of(noise, sizeof noise, group, "noise");
    must(kl_circuit_begin(&c, (int)attribute_of(group, "n_qubits"), n_inputs, n_weights, &err), name,
         &err);
    if (amplitudes) must(kl_circuit_begin_with_inputs(c, &err), name, &err);
    for (size_t i = 0; i < n_ops; i++) {
        const struct kl_op op = op_of(ops + i * COLUMNS);
        must(kl_circuit_append(c, &op, &err), name, &err);
    }
    for (size_t i = 0; i < n_obs; i++)
        must(kl_circuit_observe(c, (struct kl_pauli){ (uint32_t)obs[2 * i], (uint32_t)obs[2 * i + 1] },
                                &err),
             name, &err);
    if (!n_obs) must(kl_circuit_observe_probabilities(c, &err), name, &err);
    must(kl_circuit_add_noise(c, noise, &err), name, &err);
    must(kl_circuit_finish(c, &err), name, &err);
    return c;
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    enum { SAMPLES = 3 };
    static double x[MOST], w[MOST], cot[MOST], out[MOST], dx[MOST], dw[MOST];
    struct kl_arena work;
    struct kl_error err;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    const size_t n_x = values_of(x, group, "x"), n_w = values_of(w, group, "w"),
                 n_cot = values_of(cot, group, "cot");
    struct kl_circuit *c = circuit_of(group, name, n_x / SAMPLES, n_w);
    (void)info;
    memset(dw, 0, sizeof dw);
    must(kl_arena_init(&work, 0, &err), name, &err);
    double *state = kl_arena_take(&work, kl_circuit_state_size(c, SAMPLES) + 1, sizeof *state);
    must(kl_circuit_forward_f64(out, state, c, x, w, SAMPLES, NULL, &work, &err), name, &err);
    must(kl_circuit_adjoint_f64(dx, dw, state, c, x, w, cot, SAMPLES, NULL, &work, &err), name, &err);
    compare(name, "out", out, group, n_cot);
    compare(name, "grad_x", dx, group, n_x);
    compare(name, "grad_w", dw, group, n_w);
    kl_arena_free(&work);
    kl_circuit_free(&c);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    int groups = 0;
    hid_t file = H5Fopen("tests/golden/noise.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0 || H5Literate(file, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &groups) < 0) return 1;
    H5Fclose(file);
    if (groups < 10) failures++;
    printf("%d noisy circuits\n", groups);
    return failures != 0;
}
