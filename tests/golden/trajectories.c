/* SPDX-License-Identifier: MIT
   Trajectories on 8 qubits, above what density matrices are for, against PennyLane's default.mixed
   (tests/golden/trajectories.h5, written by make_trajectories.py beside it): outputs and gradients
   within 4.5 standard errors, which are those of 32 means and small enough to tell the noise from none.
 */
#include <math.h>
#include <stdio.h>

#include "circuit/noise.h"
#include "golden.h"

enum { MEANS = 32, TRAJECTORIES = 64, QUBITS = 8, LAYERS = 2, MOST = 64 };
static int failures;

static struct kl_circuit *circuit_of(hid_t group)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    struct kl_error err;
    char list[256], *text;
    golden_text(list, sizeof list, group, "noise");
    must(kl_circuit_noise_text(&text, list, &err), &err);
    kl_circuit_options_default(&o);
    o.n_qubits = QUBITS, o.n_layers = LAYERS, o.noise = text, o.trajectories = TRAJECTORIES;
    must(kl_circuit_build(&c, &o, &err), &err);
    free(text);
    return c;
}

/* values: outputs, gradients by inputs, by weights. */
static void run(double *values, const struct kl_circuit *c, const double *x, const double *w,
                const double *cot)
{
    struct kl_arena work;
    struct kl_error err;
    memset(values, 0, MOST * sizeof *values);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_forward_f64(values, NULL, c, x, w, 1, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(values + QUBITS, values + 2 * QUBITS, NULL, c, x, w, cot, 1, NULL, &work,
                                &err),
         &err);
    kl_arena_free(&work);
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    double x[QUBITS], w[QUBITS * LAYERS], cot[QUBITS], exact[MOST], values[MOST], sum[MOST] = { 0 },
                                                                                  squares[MOST] = { 0 };
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_circuit *c = circuit_of(group);
    (void)info;
    golden_values(x, QUBITS, group, "x");
    golden_values(w, QUBITS * LAYERS, group, "w");
    golden_values(cot, QUBITS, group, "cot");
    size_t n = golden_values(exact, QUBITS, group, "out");
    n += golden_values(exact + n, QUBITS, group, "grad_x");
    n += golden_values(exact + n, QUBITS * LAYERS, group, "grad_w");
    for (int m = 0; m < MEANS; m++) {
        c->draws.step = (uint32_t)m;
        run(values, c, x, w, cot);
        for (size_t i = 0; i < n; i++) sum[i] += values[i], squares[i] += values[i] * values[i];
    }
    for (size_t i = 0; i < n; i++) {
        const double mean = sum[i] / MEANS,
                     error = sqrt(fmax(squares[i] / MEANS - mean * mean, 0) / (MEANS - 1));
        if (fabs(mean - exact[i]) <= 4.5 * error && error < 0.03) continue;
        fprintf(stderr, "%s: number %zu: found %.5f +- %.5f, expected %.5f\n", name, i, mean, error,
                exact[i]);
        failures++;
    }
    kl_circuit_free(&c);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    const int groups = golden_groups("tests/golden/trajectories.h5", check);
    if (groups != 3) failures++;
    printf("%d circuits by trajectories\n", groups);
    return failures != 0;
}
