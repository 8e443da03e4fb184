/* SPDX-License-Identifier: MIT
   Noisy circuits of every gate and channel against PennyLane's default.mixed (tests/golden/noise.h5,
   written by make_noise.py beside it): outputs and gradients to 1e-10. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_circuit.h"

enum { MOST = GOLDEN_MOST };
static int failures;

static void compare(const char *group, const char *what, const double *found, hid_t file, size_t n)
{
    static double expected[MOST];
    if (golden_values(expected, MOST, file, what) != n) {
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

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    enum { SAMPLES = 3 };
    static double x[MOST], w[MOST], cot[MOST], out[MOST], dx[MOST], dw[MOST];
    struct kl_arena work;
    struct kl_error err;
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    const size_t n_x = golden_values(x, MOST, group, "x"), n_w = golden_values(w, MOST, group, "w"),
                 n_cot = golden_values(cot, MOST, group, "cot");
    struct kl_circuit *c = golden_circuit(group, n_x / SAMPLES, n_w);
    (void)info;
    must(kl_circuit_finish(c, &err), &err);
    memset(dw, 0, sizeof dw);
    must(kl_arena_init(&work, 0, &err), &err);
    double *state = kl_arena_take(&work, kl_circuit_state_size(c, SAMPLES) + 1, sizeof *state);
    must(kl_circuit_forward_f64(out, state, c, x, w, SAMPLES, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(dx, dw, state, c, x, w, cot, SAMPLES, NULL, &work, &err), &err);
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
    const int groups = golden_groups("tests/golden/noise.h5", check);
    if (groups < 10) failures++;
    printf("%d noisy circuits\n", groups);
    return failures != 0;
}
