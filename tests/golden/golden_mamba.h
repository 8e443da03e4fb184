/* SPDX-License-Identifier: MIT
   Quantum Mamba in its four forms against the reference; compiled once in double and once in float. */
#include "golden_sequence.h"

/* models/NAME: sizes by its attributes; layer: the bare layer, of one channel. */
static void check_model(hid_t file, const char *name, const char *model, char revision)
{
    struct golden_net g;
    struct kl_sequence_model_options o;
    char path[80];
    snprintf(path, sizeof path, "models/%s", name);
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    golden_need(group >= 0, path);
    const bool bare = strncmp(name, "layer_", 6) == 0;
    kl_sequence_model_options_default(&o);
    o.model = model, o.revision = revision, o.bare = bare;
    o.qubits = (int)golden_number(group, "n_qubits"),
    o.layers = (int)golden_number(group, "qlcu_layers");
    o.gate_layers = (int)golden_number(group, "gate_layers");
    const size_t features = (size_t)golden_number(group, "feature_dim");
    const struct kl_sequence_shape shape = { .channels = bare ? 1 : features,
                                             .steps = bare ? features
                                                           : (size_t)golden_number(group, "n_timesteps"),
                                             .classes = (int)golden_number(group, "output_dim") };
    H5Gclose(group);
    golden_net_open(&g, file, path, &o, &shape);
    golden_worst = 0;
    golden_net_check(&g);
    printf("%s: %zu parameters, worst %.1e\n", name, g.net.n_parameters, golden_worst);
    if (KL_F64) golden_differences(&g, 7);
    golden_net_close(&g);
}

int main(void)
{
    static const char *const models[][3] = {
        { "quantum_mamba", "mamba", "a" },
        { "quantum_mamba_grouped", "mamba", "b" },
        { "quantum_mamba_lite", "mamba-lite", "b" },
        { "quantum_mamba_hybrid", "mamba-hybrid", "b" },
        { "quantum_mamba_hybrid_lite", "mamba-hybrid-lite", "b" },
    };
    const hid_t file = golden_shared("hydra/golden.h5");
    if (file < 0) return 77;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int n = 3; n <= 6; n += n == 3 ? 1 : 2) {
            char name[64];
            snprintf(name, sizeof name, "%s_n%d", models[m][0], n);
            check_model(file, name, models[m][1], *models[m][2]);
        }
    check_model(file, "layer_quantum_mamba_n4", "mamba", 'a');
    check_model(file, "layer_quantum_mamba_hybrid_n4", "mamba-hybrid", 'b');
    H5Fclose(file);
    return golden_failures != 0;
}
