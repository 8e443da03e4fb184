/* SPDX-License-Identifier: MIT
   Euler's method and Runge and Kutta's on pulses of one qubit (one_qubit of the shared golden.h5: rho
   after 1, 2 and 5 steps a segment, not renormalised); final states by exponentials. */
#include <complex.h>
#include <math.h>

#include "control/pulse/integrators.h"
#include "golden_control.h"

static int failures;
static size_t compared;
static struct kl_error err;

static void check_rho(hid_t group, const char *name, const char *set, int which, const double *vector)
{
    double expected[24], smallest, population;
    double complex rho[4], basis[16];
    kl_control_basis(basis, 2, 1);
    golden_values(expected, 24, group, set);
    must(kl_control_state_of_vector(rho, &smallest, &population, vector, basis, 2, &err), &err);
    for (int i = 0; i < 4; i++) {
        const double *e = &expected[8 * which + 2 * i];
        const double off = cabs(rho[i] - e[0] - I * e[1]), size = fmax(1, hypot(e[0], e[1]));
        compared++;
        if (!(off <= 1e-12 * size) && failures++ < 20)
            printf("%s/%s %d, element %d: off by %g\n", name, set, which, i, off);
    }
    /* Of a 2 x 2 matrix of trace 1. */
    const double z = creal(rho[0] - rho[3]), length = hypot(z, 2 * cabs(rho[1]));
    if (!(fabs(smallest - (1 - length) / 2) <= 1e-9 * fmax(1, length)) && failures++ < 20)
        printf("%s/%s: smallest eigenvalue %g, expected %g\n", name, set, smallest, (1 - length) / 2);
}

static herr_t one_case(hid_t all, const char *name, const H5L_info_t *info, void *context)
{
    static double u[400];
    const hid_t group = H5Gopen2(all, name, H5P_DEFAULT);
    const int segments = (int)golden_number(group, "n_segments");
    struct kl_control_system s;
    struct kl_control_task task = { .params = { golden_number(group, "gamma_phi"),
                                                golden_number(group, "gamma_1"), 0,
                                                golden_number(group, "h0") },
                                    .amplitude = 1 };
    const struct kl_control_pulse pulse = { segments, 2, golden_number(group, "T"), u };
    double steps[3];
    (void)info;
    must(kl_control_system_make(&s, "qubit", NULL, &err), &err);
    golden_need(golden_values(u, 400, group, "u") == 2 * (size_t)segments, "u");
    golden_need(golden_values(steps, 3, group, "n_sub") == 3, "n_sub");
    for (int i = 0; i < 3; i++)
        for (int k = KL_CONTROL_EXACT; k <= KL_CONTROL_EULER; k++) {
            static const char *const sets[] = { "rho_final", "rk4_rho", "euler_rho" };
            double state[4] = { 1, 0, 0, 1 };
            must(kl_control_integrate(state, 1, &s, &pulse, &task, (enum kl_control_integrator)k,
                                      (int)steps[i], &err),
                 &err);
            check_rho(group, name, sets[k], k == KL_CONTROL_EXACT ? 0 : i, state);
        }
    kl_control_system_free(&s);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    int cases = 0;
    const hid_t file = golden_control("golden.h5"), all = H5Gopen2(file, "one_qubit", H5P_DEFAULT);
    golden_need(H5Literate(all, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, one_case, &cases) >= 0,
                "one_qubit");
    H5Gclose(all), H5Fclose(file);
    /* As the reference floors it. */
    if (kl_control_steps(0.05, 0.02) != 2 || kl_control_steps(1.0 / 60, 0.02) != 1 ||
        kl_control_steps(1.0 / 60, 0.01) != 1 || kl_control_steps(0.05, 0.05) != 1)
        printf("steps\n"), failures++;
    printf("%d cases, %zu numbers compared, %d off\n", cases, compared, failures);
    return failures != 0 || cases != 10;
}
