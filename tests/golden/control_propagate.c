/* SPDX-License-Identifier: MIT
   Pulses of two qubits (golden.h5 and peers.h5 of the shared reference) and of a transmon (three_level
   of peers.h5: scipy, QuTiP): transfer matrices, fidelities, leakage, losses and gradients. */
#include <complex.h>
#include <math.h>

#include "control/pulse/pulse.h"
#include "golden_control.h"

static int failures;
static size_t compared;
static struct kl_error err;

static void compare(const char *group, const char *name, double found, double expected, double bound)
{
    compared++;
    if (fabs(found - expected) <= bound) return;
    if (failures++ < 20) printf("%s/%s: found %.17g, expected %.17g\n", group, name, found, expected);
}

static double u[200], grad[200], expected[1000], transfer[256];

static void check_gradient(hid_t group, const char *name, const struct kl_control_system *s,
                           const struct kl_control_objective *o, const struct kl_control_pulse *pulse,
                           const struct kl_control_task *task, const char *loss, const char *set)
{
    struct kl_control_gradient to = { .u = grad };
    must(kl_control_propagate(&to, s, o, pulse, task, &err), &err);
    golden_values(expected, 1, group, loss);
    compare(name, loss, to.loss, expected[0], 1e-12);
    const size_t n = golden_values(expected, 200, group, set);
    for (size_t i = 0; i < n; i++) compare(name, set, grad[i], expected[i], 1e-12);
}

/* Of the attribute jump_direction, a text of variable length. */
static bool jumps_up(hid_t group)
{
    char *text = NULL;
    const hid_t attribute = H5Aopen(group, "jump_direction", H5P_DEFAULT), type = H5Aget_type(attribute);
    golden_need(attribute >= 0 && H5Tis_variable_str(type) > 0 && H5Aread(attribute, type, &text) >= 0,
                "jump_direction");
    const bool up = strcmp(text, "|1><0|") == 0;
    H5free_memory(text), H5Tclose(type), H5Aclose(attribute);
    return up;
}

/* peers.h5 has entanglement infidelities and jumps |0><1| only. */
static void check_two(hid_t file, const char *name, bool peer)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_control_system s;
    struct kl_control_objective o;
    struct kl_control_target cz;
    struct kl_control_task task;
    struct kl_control_pulse pulse = {
        .segments = 30, .controls = 6, .duration = golden_number(group, "T"), .u = u
    };
    double rates[4];
    const bool up = !peer && jumps_up(group);
    must(kl_control_system_make(&s, "cz", NULL, &err), &err);
    must(kl_control_target_gate(&cz, "cz", 4, &err), &err);
    golden_values(rates, 4, group, "rates"), golden_values(u, 200, group, "u");
    kl_control_task_default(&task, &s);
    task = (struct kl_control_task){ .amplitude = 1 };
    for (int q = 0; q < 2; q++)
        task.params[3 * q] = rates[2 * q], task.params[3 * q + (up ? 2 : 1)] = rates[2 * q + 1];
    task.params[6] = golden_number(group, "J");
    if (peer) {
        must(kl_control_objective_make(&o, &s, KL_CONTROL_ENTANGLEMENT, &cz, &err), &err);
        check_gradient(group, name, &s, &o, &pulse, &task, "entanglement_infidelity", "grad_u");
        kl_control_objective_free(&o);
    } else {
        must(kl_control_transfer(transfer, &s, &pulse, &task, &err), &err);
        golden_values(expected, 256, group, "ptm");
        for (int i = 0; i < 256; i++) compare(name, "ptm", transfer[i], expected[i], 1e-12);
        must(kl_control_objective_make(&o, &s, KL_CONTROL_AVERAGE, &cz, &err), &err);
        check_gradient(group, name, &s, &o, &pulse, &task, "loss_gate", "grad_u_gate");
        kl_control_objective_free(&o);
        must(kl_control_objective_make(&o, &s, KL_CONTROL_STATES, &cz, &err), &err);
        check_gradient(group, name, &s, &o, &pulse, &task, "loss_mean12", "grad_u_mean12");
        kl_control_objective_free(&o);
    }
    kl_control_system_free(&s);
    H5Gclose(group);
}

static herr_t one_case(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    H5O_info_t about;
    (void)info;
    if (H5Oget_info_by_name(file, name, &about, H5P_DEFAULT) >= 0 && about.type == H5O_TYPE_GROUP)
        check_two(file, name, false), ++*(int *)context;
    return 0;
}

static void check_transmon(hid_t file, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "three_level/%s", name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    struct kl_control_system s;
    struct kl_control_target x;
    struct kl_control_task task;
    struct kl_control_channel channel;
    struct kl_control_pulse pulse = { .segments = 48, .controls = 2, .duration = 12, .u = u };
    must(kl_control_system_make(&s, "transmon", NULL, &err), &err);
    must(kl_control_target_gate(&x, "x", 2, &err), &err);
    golden_values(u, 200, group, "u");
    const double t1 = golden_number(group, "T1_ns"), tphi = golden_number(group, "Tphi_ns");
    task = (struct kl_control_task){ .params = { 1 / tphi, 1 / t1, 0, 0, -2 * acos(-1) * 0.3 },
                                     .amplitude = 1 };
    must(kl_control_transfer(transfer, &s, &pulse, &task, &err), &err);
    must(kl_control_channel_measure(&channel, &s, &x, transfer, &err), &err);
    golden_values(expected, 1, group, "entanglement_fidelity");
    compare(name, "entanglement_fidelity", channel.entanglement, expected[0], 1e-12);
    golden_values(expected, 1, group, "average_gate_fidelity_subspace");
    compare(name, "average_gate_fidelity_subspace", channel.average, expected[0], 1e-12);
    golden_values(expected, 1, group, "leakage_L1");
    compare(name, "leakage_L1", channel.leakage, expected[0], 1e-12);
    if (channel.smallest_choi < -1e-12 || channel.trace_error > 1e-13)
        printf("%s: Choi %g, trace %g\n", name, channel.smallest_choi, channel.trace_error), failures++;
    kl_control_system_free(&s);
    H5Gclose(group);
}

int main(void)
{
    hid_t file = golden_control("golden.h5"), all = H5Gopen2(file, "two_qubit", H5P_DEFAULT);
    int cases = 0;
    golden_need(H5Literate(all, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, one_case, &cases) >= 0,
                "two_qubit");
    H5Gclose(all), H5Fclose(file);
    file = golden_control("peers.h5");
    check_two(file, "cz_T_pi_4", true), check_two(file, "cz_T_pi_8", true);
    check_transmon(file, "gauss_closed"), check_transmon(file, "drag_closed"),
        check_transmon(file, "drag_open");
    H5Fclose(file);
    printf("%d cases, %zu numbers compared, %d off\n", cases, compared, failures);
    return failures != 0 || cases != 4;
}
