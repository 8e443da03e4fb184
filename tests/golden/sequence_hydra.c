/* SPDX-License-Identifier: MIT
   Quantum Hydra and its hybrid against the reference's modules in double: logits, all gradients, counts
   of parameters. */
#ifndef KL_F64
#define KL_F64 1
#define BOUND 1e-12
#endif
#include "golden_sequence.h"

static void net_check(hid_t file, const char *name, const char *model, bool bare)
{
    struct golden_net g;
    struct kl_sequence_model_options o;
    struct kl_sequence_shape shape = { .rate = 80 };
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(group >= 0, name);
    kl_sequence_model_options_default(&o);
    o.model = model, o.bare = bare;
    o.qubits = (int)golden_number(group, "n_qubits"),
    o.layers = (int)golden_number(group, "qlcu_layers");
    shape.channels = bare ? 1 : (size_t)golden_number(group, "feature_dim");
    shape.steps = (size_t)golden_number(group, bare ? "feature_dim" : "n_timesteps");
    shape.classes = (int)golden_number(group, "output_dim");
    H5Gclose(group);
    golden_net_open(&g, file, name, &o, &shape);
    golden_net_check(&g);
    if (KL_F64) golden_differences(&g, 7);
    golden_net_close(&g);
}

int main(void)
{
    const hid_t file = golden_shared("hydra/golden.h5");
    if (file < 0) return 77;
    static const char *const models[2][2] = { { "hydra", "quantum_hydra" },
                                              { "hydra-hybrid", "quantum_hydra_hybrid" } };
    for (int m = 0; m < 2; m++) {
        char name[64];
        for (int n = 3; n <= 6; n += n == 4 ? 2 : 1) {
            snprintf(name, sizeof name, "models/%s_n%d", models[m][1], n);
            net_check(file, name, models[m][0], false);
        }
        snprintf(name, sizeof name, "models/layer_%s_n4", models[m][1]);
        net_check(file, name, models[m][0], true);
    }
    printf("largest difference %.2g, at most %.2g\n", golden_worst, BOUND);
    H5Fclose(file);
    return golden_failures != 0;
}
