/* SPDX-License-Identifier: MIT
   Circuits against PennyLane (reference/hybrid/circuits.h5): outputs and gradients, to 1e-10 in double
   and 2e-5 in float, and parameter-shift and central differences in double; with every instruction set
   of the processor. */
#include "circuit/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/isa.h"
#include "golden.h"
#include "tests/worse.h"

enum { SAMPLES = 8 };
static int failures;

static double *read_golden(hid_t file, const char *group, const char *name, size_t *n)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", group, name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = set < 0 ? -1 : H5Dget_space(set);
    if (space < 0) {
        fprintf(stderr, "%s:%d: %s is absent\n", __FILE__, __LINE__, path);
        exit(1);
    }
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    double *values = malloc((*n ? *n : 1) * sizeof *values);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static void gate1(struct kl_circuit *c, enum kl_gate g, int q, struct kl_angle a)
{
    struct kl_error err;
    struct kl_op op = { .gate = g, .wire = { q }, .angle = { a } };
    must(kl_circuit_append(c, &op, &err), &err);
}

static void gate2(struct kl_circuit *c, enum kl_gate g, int q, int r)
{
    struct kl_error err;
    struct kl_op op = { .gate = g, .wire = { q, r } };
    must(kl_circuit_append(c, &op, &err), &err);
}

static struct kl_angle input(int i)
{
    return (struct kl_angle){ KL_INPUT, i, -1, 1, 0 };
}
static struct kl_angle weight(int i)
{
    return (struct kl_angle){ KL_WEIGHT, i, -1, 1, 0 };
}

static void embed(struct kl_circuit *c, enum kl_gate g)
{
    for (int q = 0; q < c->n_qubits; q++) gate1(c, g, q, input(q));
}

static void rot(struct kl_circuit *c, int q, int first)
{
    struct kl_error err;
    struct kl_op op = { .gate = KL_ROT,
                        .wire = { q },
                        .angle = { weight(first), weight(first + 1), weight(first + 2) } };
    must(kl_circuit_append(c, &op, &err), &err);
}

static void strongly_entangling(struct kl_circuit *c, int layers)
{
    int n = c->n_qubits;
    for (int l = 0; l < layers; l++) {
        for (int q = 0; q < n; q++) rot(c, q, 3 * (l * n + q));
        for (int q = 0; q < n; q++) gate2(c, KL_CNOT, q, (q + l % (n - 1) + 1) % n);
    }
}

static void rotations(struct kl_circuit *c, enum kl_gate g, int first)
{
    for (int q = 0; q < c->n_qubits; q++) gate1(c, g, q, weight(first + q));
}

static void chain(struct kl_circuit *c)
{
    for (int q = 0; q + 1 < c->n_qubits; q++) gate2(c, KL_CNOT, q, q + 1);
}

static void observe_each(struct kl_circuit *c)
{
    struct kl_error err;
    for (int q = 0; q < c->n_qubits; q++)
        must(kl_circuit_observe(c, (struct kl_pauli){ .z = 1u << q }, &err), &err);
}

static void angles_x_strongly(struct kl_circuit *c)
{
    embed(c, KL_RX);
    strongly_entangling(c, 3);
    observe_each(c);
}

static void basic_entangler(struct kl_circuit *c)
{
    embed(c, KL_RY);
    for (int l = 0; l < 3; l++) {
        rotations(c, KL_RX, 4 * l);
        for (int q = 0; q < 4; q++) gate2(c, KL_CNOT, q, (q + 1) % 4);
    }
    observe_each(c);
}

static void real_amplitudes(struct kl_circuit *c)
{
    embed(c, KL_RY);
    for (int l = 0; l < 4; l++) {
        rotations(c, KL_RY, 4 * l);
        if (l < 3) chain(c);
    }
    observe_each(c);
}

static void efficient_su2(struct kl_circuit *c)
{
    embed(c, KL_RY);
    for (int l = 0; l < 3; l++) {
        rotations(c, KL_RY, 8 * l);
        rotations(c, KL_RZ, 8 * l + 4);
        if (l < 2) chain(c);
    }
    observe_each(c);
}

static void reupload(struct kl_circuit *c)
{
    for (int l = 0; l < 4; l++) {
        embed(c, KL_RX);
        for (int q = 0; q < 3; q++) rot(c, q, 3 * (3 * l + q));
        for (int q = 0; q < 3; q++) gate2(c, KL_CZ, q, (q + 1) % 3);
    }
    observe_each(c);
}

static void iqp(struct kl_circuit *c)
{
    struct kl_error err;
    for (int repeat = 0; repeat < 2; repeat++) {
        for (int q = 0; q < 4; q++) {
            gate2(c, KL_H, q, 0);
            gate1(c, KL_RZ, q, input(q));
        }
        for (int i = 0; i < 4; i++)
            for (int j = i + 1; j < 4; j++) {
                struct kl_op op = { .gate = KL_MULTIRZ,
                                    .mask = 1u << i | 1u << j,
                                    .angle = { { KL_INPUT, i, j, 1, 0 } } };
                must(kl_circuit_append(c, &op, &err), &err);
            }
    }
    strongly_entangling(c, 2);
    observe_each(c);
}

static void pauli_strings(struct kl_circuit *c)
{
    struct kl_error err;
    embed(c, KL_RY);
    strongly_entangling(c, 2);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            must(kl_circuit_observe(c, (struct kl_pauli){ .z = 1u << i | 1u << j }, &err), &err);
    must(kl_circuit_observe(c, (struct kl_pauli){ .x = 1u << 0 | 1u << 2, .z = 1u << 2 }, &err), &err);
}

static void amplitudes(struct kl_circuit *c)
{
    struct kl_error err;
    must(kl_circuit_begin_with_inputs(c, &err), &err);
    strongly_entangling(c, 2);
    observe_each(c);
}

static void probabilities(struct kl_circuit *c)
{
    struct kl_error err;
    embed(c, KL_RY);
    for (int l = 0; l < 3; l++) {
        rotations(c, KL_RY, 4 * l);
        for (int q = 0; q < 4; q++) gate2(c, KL_CNOT, q, (q + 1) % 4);
    }
    must(kl_circuit_observe_probabilities(c, &err), &err);
}

static void compare(const char *group, const char *what, const double *a, const double *b, size_t n,
                    double bound)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]);
        worst = worse(worst, d);
    }
    if (worst <= bound) return;
    fprintf(stderr, "%s:%d: %s: %s: difference %.3g, bound %.1g\n", __FILE__, __LINE__, group, what,
            worst, bound);
    failures++;
}

struct golden {
    double *x, *w, *out, *cot, *grad_x, *grad_w;
    size_t n_x, n_w, n_out;
};

static void check_f64(const char *group, const struct kl_circuit *c, const struct golden *g,
                      struct kl_arena *work)
{
    struct kl_error err;
    double *out = malloc(g->n_out * 8), *dx = malloc(g->n_x * 8), *dw = calloc(g->n_w + 1, 8);
    double *state = aligned_alloc(64, kl_circuit_state_size(c, SAMPLES) * 8);
    must(kl_circuit_forward_f64(out, state, c, g->x, g->w, SAMPLES, NULL, work, &err), &err);
    compare(group, "out", out, g->out, g->n_out, 1e-10);
    must(kl_circuit_adjoint_f64(dx, dw, state, c, g->x, g->w, g->cot, SAMPLES, NULL, work, &err), &err);
    compare(group, "adjoint by x", dx, g->grad_x, g->n_x, 1e-10);
    compare(group, "adjoint by w", dw, g->grad_w, g->n_w, 1e-10);
    memset(dw, 0, g->n_w * 8);
    must(kl_circuit_shift_f64(dx, dw, c, g->x, g->w, g->cot, SAMPLES, work, &err), &err);
    compare(group, "parameter-shift by x", dx, g->grad_x, g->n_x, 1e-10);
    compare(group, "parameter-shift by w", dw, g->grad_w, g->n_w, 1e-10);
    memset(dw, 0, g->n_w * 8);
    must(kl_circuit_differences(dx, dw, c, g->x, g->w, g->cot, SAMPLES, 1e-5, work, &err), &err);
    compare(group, "differences by x", dx, g->grad_x, g->n_x, 1e-8);
    compare(group, "differences by w", dw, g->grad_w, g->n_w, 1e-8);
    free(out), free(dx), free(dw), free(state);
}

static float *narrow(const double *values, size_t n)
{
    float *result = malloc((n + 1) * sizeof *result);
    for (size_t i = 0; i < n; i++) result[i] = (float)values[i];
    return result;
}

static void widen_compare(const char *group, const char *what, const float *a, const double *b, size_t n)
{
    double *wide = malloc((n + 1) * sizeof *wide);
    for (size_t i = 0; i < n; i++) wide[i] = (double)a[i];
    compare(group, what, wide, b, n, 2e-5);
    free(wide);
}

static void check_f32(const char *group, const struct kl_circuit *c, const struct golden *g,
                      struct kl_arena *work)
{
    struct kl_error err;
    float *x = narrow(g->x, g->n_x), *w = narrow(g->w, g->n_w), *cot = narrow(g->cot, g->n_out);
    float *out = malloc(g->n_out * 4), *dx = malloc(g->n_x * 4), *dw = calloc(g->n_w + 1, 4);
    float *state = aligned_alloc(64, kl_circuit_state_size(c, SAMPLES) * 4);
    must(kl_circuit_forward_f32(out, state, c, x, w, SAMPLES, NULL, work, &err), &err);
    must(kl_circuit_adjoint_f32(dx, dw, state, c, x, w, cot, SAMPLES, NULL, work, &err), &err);
    widen_compare(group, "float out", out, g->out, g->n_out);
    widen_compare(group, "float adjoint by x", dx, g->grad_x, g->n_x);
    widen_compare(group, "float adjoint by w", dw, g->grad_w, g->n_w);
    free(x), free(w), free(cot), free(out), free(dx), free(dw), free(state);
}

static void check(hid_t file, const char *group, int n_qubits, int ring_layers,
                  void (*build)(struct kl_circuit *))
{
    struct kl_error err;
    struct kl_circuit *c;
    struct kl_arena work;
    struct golden g;
    size_t n;
    g.x = read_golden(file, group, "x", &g.n_x);
    g.w = read_golden(file, group, "w", &g.n_w);
    g.out = read_golden(file, group, "out", &g.n_out);
    g.cot = read_golden(file, group, "cot", &n);
    g.grad_x = read_golden(file, group, "grad_x", &n);
    g.grad_w = read_golden(file, group, "grad_w", &n);
    must(kl_arena_init(&work, 0, &err), &err);
    if (ring_layers) {
        struct kl_circuit_options o;
        kl_circuit_options_default(&o);
        o.n_qubits = n_qubits, o.n_layers = ring_layers;
        must(kl_circuit_build(&c, &o, &err), &err);
    } else {
        must(kl_circuit_begin(&c, n_qubits, g.n_x / SAMPLES, g.n_w, &err), &err);
        build(c);
        must(kl_circuit_finish(c, &err), &err);
    }
    for (int i = 0; kl_isa_is_here(i); i++) {
        kl_isa_use(i);
        check_f64(group, c, &g, &work);
        check_f32(group, c, &g, &work);
    }
    kl_arena_free(&work);
    kl_circuit_free(&c);
    free(g.x), free(g.w), free(g.out), free(g.cot), free(g.grad_x), free(g.grad_w);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/hybrid/circuits.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: %s is absent\n", path);
        return 77;
    }
    fclose(there);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    check(file, "ry_ring_4q3l", 4, 3, NULL);
    check(file, "ry_ring_6q2l", 6, 2, NULL);
    check(file, "ry_ring_8q2l", 8, 2, NULL);
    check(file, "ry_ring_10q2l", 10, 2, NULL);
    check(file, "sel_4q3l", 4, 0, angles_x_strongly);
    check(file, "bel_4q3l", 4, 0, basic_entangler);
    check(file, "real_amplitudes_4q3l", 4, 0, real_amplitudes);
    check(file, "efficient_su2_4q2l", 4, 0, efficient_su2);
    check(file, "reupload_3q4l", 3, 0, reupload);
    check(file, "iqp_4q_sel2l", 4, 0, iqp);
    check(file, "sel_4q2l_zz", 4, 0, pauli_strings);
    check(file, "amplitude_4q_sel2l", 4, 0, amplitudes);
    check(file, "ry_ring_4q3l_probs", 4, 0, probabilities);
    H5Fclose(file);
    return failures != 0;
}
