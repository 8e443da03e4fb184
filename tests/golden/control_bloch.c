/* SPDX-License-Identifier: MIT
   The one-qubit kernel against exact exponentials and automatic differentiation (one_qubit of golden.h5
   of the shared reference) and against scipy and dynamiqs (one_qubit_batch16, one_qubit_gate_x of
   peers.h5): losses, gradients to controls and parameters, Hessian-vector products. */
#include <math.h>

#include "golden_control.h"
#include "kernels/bloch.h"

enum { LANES = KL_BLOCH_LANES, MOST = 64 * 3 * LANES };
static int failures;
static size_t compared;

static void compare(const char *group, const char *name, double found, double expected, double bound)
{
    compared++;
    if (fabs(found - expected) <= bound) return;
    if (failures++ < 20) printf("%s/%s: found %.17g, expected %.17g\n", group, name, found, expected);
}

static struct problem {
    struct kl_bloch b;
    double u[MOST], du[MOST], params[KL_BLOCH_PARAMS * LANES], weights[9 * LANES];
    double loss[LANES], grad[MOST], grad_params[KL_BLOCH_PARAMS * LANES], dgrad[MOST], dloss[LANES];
    double constant;
} p;
static double work[1 << 20] __attribute__((aligned(64)));

/* Target x, h, as a rotation of the Bloch vector. */
static void target(double rotation[3][3], char which)
{
    static const double x[3][3] = { { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } },
                        h[3][3] = { { 0, 0, 1 }, { 0, -1, 0 }, { 1, 0, 0 } };
    memcpy(rotation, which == 'x' ? x : h, sizeof x);
}

/* loss = constant - weights . ends: 1 - F of the image of |0>, or 1 - F_avg = 1 - (2 F_e + 1) / 3. */
static void objective(bool gate, char which)
{
    double rotation[3][3];
    target(rotation, which);
    p.b.affine = !gate, p.b.columns = gate ? 3 : 1;
    p.constant = gate ? 0.5 : 0.5;
    memset(p.b.start, 0, sizeof p.b.start);
    for (int c = 0; c < p.b.columns; c++)
        for (int i = 0; i < 3; i++) {
            p.b.start[c][i] = gate ? i == c : i == 2;
            for (int l = 0; l < LANES; l++)
                p.weights[(c * 3 + i) * LANES + l] = gate ? rotation[i][c] / 6 : rotation[i][2] / 2;
        }
}

static void set_params(int lane, double dephasing, double down, double detuning)
{
    p.params[KL_BLOCH_DEPHASING * LANES + lane] = dephasing;
    p.params[KL_BLOCH_DOWN * LANES + lane] = down;
    p.params[KL_BLOCH_UP * LANES + lane] = 0;
    p.params[KL_BLOCH_DETUNING * LANES + lane] = detuning;
}

static void set_substeps(void)
{
    double most = 0;
    for (int s = 0; s < p.b.segments; s++)
        for (int l = 0; l < LANES; l++) {
            const double x = p.u[2 * s * LANES + l], y = p.u[(2 * s + 1) * LANES + l];
            double rates = 0;
            for (int j = 0; j < KL_BLOCH_PARAMS; j++) rates += 2 * fabs(p.params[j * LANES + l]);
            most = fmax(most, 2 * sqrt(x * x + y * y) + rates);
        }
    p.b.substeps = kl_bloch_substeps(most * p.b.dt);
}

/* The lanes of golden.h5's cases differ by a factor of their controls, but for the one that is compared.
 */
static void check_case(hid_t group, const char *name)
{
    static double u[200], direction[200], expected[200];
    static const char *const losses[] = { "state_x", "state_h", "gate_x", "gate_h" };
    p.b.controls = 2, p.b.segments = (int)golden_number(group, "n_segments");
    p.b.dt = golden_number(group, "T") / p.b.segments;
    golden_values(u, 200, group, "u"), golden_values(direction, 200, group, "hvp_direction");
    const size_t n = 2 * (size_t)p.b.segments;
    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t i = 0; i < n; i++)
            p.u[i * LANES + lane] = lane == 5 ? u[i] : u[i] * 0.1 * (double)lane,
                            p.du[i * LANES + lane] = direction[i];
        set_params((int)lane, golden_number(group, "gamma_phi"), golden_number(group, "gamma_1"),
                   golden_number(group, "h0"));
    }
    set_substeps();
    for (int i = 0; i < 4; i++) {
        char set[32];
        objective(i > 1, losses[i][i > 1 ? 5 : 6]);
        for (int with_params = 0; with_params < 2; with_params++) {
            kl_kernel_bloch_gradient_f64()(p.loss, p.grad, with_params ? p.grad_params : NULL, NULL, p.u,
                                           p.params, p.weights, &p.b, LANES, work);
            snprintf(set, sizeof set, "loss_%s", losses[i]);
            golden_values(expected, 1, group, set);
            compare(name, set, p.constant + p.loss[5], expected[0], 1e-12);
            snprintf(set, sizeof set, "grad_u_%s", losses[i]);
            golden_values(expected, 200, group, set);
            for (size_t k = 0; k < n; k++) compare(name, set, p.grad[k * LANES + 5], expected[k], 1e-12);
        }
        snprintf(set, sizeof set, "grad_params_%s", losses[i]);
        golden_values(expected, 3, group, set);
        compare(name, set, p.grad_params[KL_BLOCH_DEPHASING * LANES + 5], expected[0], 1e-12);
        compare(name, set, p.grad_params[KL_BLOCH_DOWN * LANES + 5], expected[1], 1e-12);
        compare(name, set, p.grad_params[KL_BLOCH_DETUNING * LANES + 5], expected[2], 1e-12);
        kl_kernel_bloch_tangent_f64()(p.dloss, p.dgrad, NULL, p.loss, NULL, p.u, p.du, p.params, NULL,
                                      p.weights, &p.b, LANES, work);
        snprintf(set, sizeof set, "hvp_u_%s", losses[i]);
        golden_values(expected, 200, group, set);
        double along = 0;
        for (size_t k = 0; k < n; k++) {
            compare(name, set, p.dgrad[k * LANES + 5], expected[k], 1e-12);
            along += p.grad[k * LANES + 5] * direction[k];
        }
        compare(name, "dloss", p.dloss[5], along, 1e-12);
    }
}

static herr_t one_case(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    (void)info;
    check_case(group, name);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

/* columns: of tasks. */
static void check_peer(hid_t file, const char *name, int n, bool gate)
{
    static double tasks[48], u[16 * 120], loss[16], grad[16 * 120];
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_values(tasks, 48, group, "tasks"), golden_values(u, 16 * 120, group, "u");
    golden_values(loss, 16, group, gate ? "entanglement_infidelity" : "loss");
    golden_values(grad, 16 * 120, group, "grad_u");
    p.b.segments = 60, p.b.dt = 1 / 60.0;
    objective(gate, 'x');
    if (gate) /* 1 - F_e in place of 1 - F_avg */
        for (int i = 0; i < 9 * LANES; i++) p.weights[i] *= 1.5;
    for (int l = 0; l < LANES; l++) {
        const double *task = tasks + 3 * (l % n);
        set_params(l, task[0], task[1], task[2]);
        for (int i = 0; i < 120; i++) p.u[i * LANES + l] = u[(l % n) * 120 + i];
    }
    set_substeps();
    kl_kernel_bloch_gradient_f64()(p.loss, p.grad, NULL, NULL, p.u, p.params, p.weights, &p.b, LANES,
                                   work);
    for (int l = 0; l < n; l++) {
        compare(name, "loss", p.loss[l] + (gate ? 0.75 : 0.5), loss[l], 1e-12);
        for (int i = 0; i < 120; i++)
            compare(name, "grad_u", p.grad[i * LANES + l], grad[l * 120 + i], 1e-12);
    }
    H5Gclose(group);
}

int main(void)
{
    int cases = 0;
    hid_t file = golden_control("golden.h5"), all = H5Gopen2(file, "one_qubit", H5P_DEFAULT);
    for (int isa = 0; isa < 3; isa++) {
        if (!kl_isa_is_here(isa)) continue;
        kl_isa_use(isa);
        golden_need(H5Literate(all, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, one_case, &cases) >= 0,
                    "one_qubit");
    }
    H5Gclose(all), H5Fclose(file);
    file = golden_control("peers.h5");
    check_peer(file, "one_qubit_batch16", 16, false);
    check_peer(file, "one_qubit_gate_x", 4, true);
    H5Fclose(file);
    printf("%d cases, %zu numbers compared, %d off\n", cases, compared, failures);
    return failures != 0 || cases < 10;
}
