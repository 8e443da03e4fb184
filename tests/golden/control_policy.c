/* SPDX-License-Identifier: MIT
   Networks that give pulses against the reference's (policy of golden.h5 of the shared reference): all
   parameters w[i] = a sin(i + 1), counted in the checkpoint's order. */
#include <math.h>

#include "control/meta/meta.h"
#include "golden_control.h"

enum { LANES = 16, MOST = 30 * 6 * LANES };
static int failures;
static size_t compared;

static void fill(double *params, const struct kl_control_net *net, double a, bool unit_norms)
{
    static double file[313268];
    size_t count = 0;
    for (int i = 0; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        bool norm = false, scale = false;
        for (int l = 0; l < net->layers; l++) {
            norm = norm || i == net->at[l].norm_weight || i == net->at[l].norm_bias;
            scale = scale || i == net->at[l].norm_weight;
        }
        for (size_t j = 0; j < t->size; j++, count++)
            file[j] = norm && unit_norms ? scale : a * sin((double)count + 1);
        kl_nn_tensor_from_file_f64(params, t, file);
    }
}

static enum kl_policy_act act_of(hid_t group)
{
    char text[16] = "tanh";
    if (H5Aexists(group, "activation") > 0) golden_text(text, sizeof text, group, "activation");
    return strcmp(text, "relu") == 0  ? KL_POLICY_RELU
           : strcmp(text, "elu") == 0 ? KL_POLICY_ELU
                                      : KL_POLICY_TANH;
}

static struct kl_control_net_shape shape_of(hid_t group, bool cz)
{
    return (struct kl_control_net_shape){
        .features = cz ? 4 : 3,
        .hidden = (int)golden_number(group, "hidden_dim"),
        .hidden_layers = (int)golden_number(group, "n_hidden_layers"),
        .segments = (int)golden_number(group, "n_segments"),
        .controls = (int)golden_number(group, "n_controls"),
        .scale = cz ? M_PI : golden_number(group, "output_scale"),
        .act = act_of(group),
        .norm = cz,
    };
}

static void compare(const char *name, const struct kl_control_adapt_f64 *a, const double *expected,
                    size_t tasks, size_t outputs)
{
    for (size_t t = 0; t < tasks; t++)
        for (size_t i = 0; i < outputs; i++, compared++) {
            const double found = a->u[i * LANES + t], wanted = expected[t * outputs + i];
            if (fabs(found - wanted) <= 1e-12 * fmax(1, fabs(wanted))) continue;
            if (failures++ < 10)
                printf("policy/%s: task %zu, output %zu: found %.17g, expected %.17g\n", name, t, i,
                       found, wanted);
        }
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    static double features[6 * 4], expected[6 * 180];
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    const bool cz = strncmp(name, "cz", 2) == 0;
    const struct kl_control_net_shape shape = shape_of(group, cz);
    struct kl_control_net net;
    struct kl_control_adapt_f64 a;
    struct kl_arena memory;
    struct kl_error err;
    (void)info;
    must(kl_arena_init(&memory, 0, &err), &err);
    must(kl_control_net_make(&net, &shape, &err), &err);
    if ((double)net.parameters != golden_number(group, "n_parameters")) failures++;
    must(kl_control_adapt_make_f64(&a, &net, &(struct kl_control_inner){ 0 }, LANES, &memory, &err),
         &err);
    double *params = calloc(net.block.size, sizeof *params);
    fill(params, &net, golden_number(group, "fill_amplitude"), strstr(name, "unit_norm") != NULL);
    const size_t tasks = golden_values(features, 24, group, "features") / (size_t)shape.features;
    for (size_t t = 0; t < LANES; t++)
        for (int i = 0; i < shape.features; i++)
            a.x[(size_t)i * LANES + t] =
                features[(t < tasks ? t : 0) * (size_t)shape.features + (size_t)i];
    kl_control_adapt_pulse_f64(&a, params);
    golden_values(expected, 6 * 180, group, "controls");
    compare(name, &a, expected, tasks, (size_t)net.size[net.layers]);
    kl_control_net_free(&net), kl_arena_free(&memory), free(params);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    int groups = 0;
    const hid_t file = golden_control("golden.h5");
    const hid_t policies = H5Gopen2(file, "policy", H5P_DEFAULT);
    golden_need(policies >= 0 &&
                    H5Literate(policies, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &groups) >= 0,
                "policy");
    H5Gclose(policies), H5Fclose(file);
    printf("control_policy: %d networks, %zu amplitudes compared, %d apart\n", groups, compared,
           failures);
    return failures != 0 || groups < 8;
}
