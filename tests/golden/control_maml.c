/* SPDX-License-Identifier: MIT
   Adaptation and both meta-gradients against automatic differentiation through copies of all weights
   (maml of golden.h5 of the shared reference): losses, the first inner gradient, pulses, meta-gradients,
   a step of Adam; the same in float. */
#include <math.h>

#include "control/meta/meta.h"
#include "golden_control.h"

enum { LANES = 16, MOST = 11176 };
static int failures;
static size_t compared;

static void compare(const char *name, const double *found, const double *expected, size_t n,
                    double bound)
{
    for (size_t i = 0; i < n; i++, compared++) {
        if (fabs(found[i] - expected[i]) <= bound) continue;
        if (failures++ < 20)
            printf("%s[%zu]: found %.17g, expected %.17g\n", name, i, found[i], expected[i]);
    }
}

/* A block as the checkpoint's numbers, one after another. */
static void to_file(double *file, const struct kl_control_net *net, const double *block)
{
    for (int i = 0; i < net->block.n; i++) {
        kl_nn_tensor_to_file_f64(file, &net->block.tensors[i], block);
        file += net->block.tensors[i].size;
    }
}

static void from_file(double *block, const struct kl_control_net *net, const double *file)
{
    for (int i = 0; i < net->block.n; i++) {
        kl_nn_tensor_from_file_f64(block, &net->block.tensors[i], file);
        file += net->block.tensors[i].size;
    }
}

/* 1 - F of the image of |0>, or 1 - F_avg of the gate X. */
static struct kl_bloch bloch_of(int segments, bool gate)
{
    struct kl_bloch b = { .segments = segments,
                          .controls = 2,
                          .columns = gate ? 3 : 1,
                          .affine = !gate,
                          .dt = 1.0 / segments };
    for (int c = 0; c < b.columns; c++)
        for (int i = 0; i < 3; i++) b.start[c][i] = gate ? i == c : i == 2;
    return b;
}
static const double x_gate[3] = { 1, -1, -1 };

#define REAL double
#define NAME(x) x##_f64
#include "golden_meta.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(x) x##_f32
#include "golden_meta.h"

static struct kl_control_net net;
static struct kl_arena memory;
static double params[MOST + 512], file_order[MOST], tasks[8], features[12];

static void open_case(hid_t group, int *steps, double *lr, bool *gate)
{
    char text[16];
    struct kl_error err;
    static double numbers[MOST];
    golden_text(text, sizeof text, group, "loss");
    *gate = strcmp(text, "gate_x") == 0;
    *steps = (int)golden_number(group, "inner_steps"), *lr = golden_number(group, "inner_lr");
    const struct kl_control_net_shape shape = { .features = 3,
                                                .hidden = (int)golden_number(group, "hidden_dim"),
                                                .hidden_layers =
                                                    (int)golden_number(group, "n_hidden_layers"),
                                                .segments = (int)golden_number(group, "n_segments"),
                                                .controls = 2,
                                                .scale = golden_number(group, "output_scale"),
                                                .act = KL_POLICY_TANH };
    must(kl_control_net_make(&net, &shape, &err), &err);
    golden_values(numbers, MOST, group, "params");
    memset(params, 0, sizeof params);
    from_file(params, &net, numbers);
}

static void check_losses(const char *name, hid_t group, const struct adapt_f64 *m, size_t n)
{
    static double found[MOST * 4], expected[MOST * 4];
    const int K = m->a.inner.steps;
    const size_t outputs = (size_t)net.size[net.layers];
    for (size_t t = 0; t < n; t++)
        for (int k = 0; k <= K; k++)
            found[t * (size_t)(K + 1) + (size_t)k] = m->a.loss[(size_t)k * LANES + t];
    compare(name, found, expected, golden_values(expected, MOST, group, "losses"), 1e-12);
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < outputs; i++) found[t * outputs + i] = m->a.u[i * LANES + t];
    compare(name, found, expected, golden_values(expected, MOST, group, "controls_after"), 1e-12);
}

/* The gradient of one task before any step: its weight alone is not 0. */
static void check_first(const char *name, hid_t group, bool gate, size_t n)
{
    static double found[MOST * 4], expected[MOST * 4], grad[MOST + 512];
    const struct kl_control_inner inner = { .method = KL_CONTROL_UNADAPTED };
    struct adapt_f64 m;
    adapt_make_f64(&m, &net, &inner, gate, tasks, features, n, golden_number(group, "h0"), &memory);
    kl_control_adapt_run_f64(&m.a, params, &m.plant, true);
    for (size_t t = 0; t < n; t++) {
        double weight[LANES] = { 0 };
        weight[t] = 1;
        kl_control_adapt_meta_f64(grad, &m.a, params, &m.plant, weight);
        to_file(found + t * (size_t)net.parameters, &net, grad);
    }
    compare(name, found, expected, golden_values(expected, 4 * MOST, group, "first_inner_gradient"),
            1e-12);
    const size_t outputs = (size_t)net.size[net.layers];
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < outputs; i++) found[t * outputs + i] = m.a.u[i * LANES + t];
    compare(name, found, expected, golden_values(expected, MOST, group, "controls_before"), 1e-12);
}

static void check_adam(const char *name, hid_t group, const double *grad)
{
    static double p[MOST + 512], m[MOST + 512], v[MOST + 512], found[MOST], expected[MOST];
    struct kl_optimizer o;
    kl_nn_optimizer_default(&o);
    o.clip = 1;
    struct kl_update update = kl_nn_update_at(&o, 1e-3, 1);
    memcpy(p, params, sizeof p), memset(m, 0, sizeof m), memset(v, 0, sizeof v);
    kl_nn_update_clip_f64(&update, &o, grad, net.block.size);
    kl_nn_update_apply_f64(p, m, v, grad, net.block.size, &update);
    to_file(found, &net, p);
    compare(name, found, expected, golden_values(expected, MOST, group, "params_after_adam_first_order"),
            1e-12);
}

static void check_orders(const char *name, hid_t group, int steps, double lr, bool gate, size_t n)
{
    static double grad[MOST + 512], expected[MOST];
    static float grad_f32[MOST + 512], params_f32[MOST + 512];
    const double h0 = golden_number(group, "h0");
    for (int second = 0; second < 2; second++) {
        const char *set = second ? "meta_gradient_second_order" : "meta_gradient_first_order";
        const struct kl_control_inner inner = { .method = second ? KL_CONTROL_MAML : KL_CONTROL_FOMAML,
                                                .steps = steps,
                                                .lr = lr };
        struct adapt_f64 m;
        struct adapt_f32 f;
        if (second && H5Lexists(group, set, H5P_DEFAULT) <= 0) continue;
        adapt_make_f64(&m, &net, &inner, gate, tasks, features, n, h0, &memory);
        kl_control_adapt_run_f64(&m.a, params, &m.plant, true);
        check_losses(name, group, &m, n);
        kl_control_adapt_meta_f64(grad, &m.a, params, &m.plant, m.weight);
        to_file(file_order, &net, grad);
        golden_values(expected, MOST, group, set);
        compare(name, file_order, expected, (size_t)net.parameters, 1e-12);
        if (!second) check_adam(name, group, grad);
        adapt_make_f32(&f, &net, &inner, gate, tasks, features, n, h0, &memory);
        for (size_t i = 0; i < net.block.size; i++) params_f32[i] = (float)params[i];
        kl_control_adapt_run_f32(&f.a, params_f32, &f.plant, true);
        kl_control_adapt_meta_f32(grad_f32, &f.a, params_f32, &f.plant, f.weight);
        for (size_t i = 0; i < net.block.size; i++) grad[i] = (double)grad_f32[i];
        to_file(file_order, &net, grad);
        compare("float", file_order, expected, (size_t)net.parameters, 2e-6);
    }
}

static herr_t check(hid_t file, const char *name, const H5L_info_t *info, void *context)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    struct kl_error err;
    int steps;
    double lr;
    bool gate;
    (void)info;
    must(kl_arena_init(&memory, 0, &err), &err);
    open_case(group, &steps, &lr, &gate);
    const size_t n = golden_values(tasks, 8, group, "tasks") / 2;
    golden_values(features, 12, group, "features");
    check_first(name, group, gate, n);
    check_orders(name, group, steps, lr, gate, n);
    kl_control_net_free(&net), kl_arena_free(&memory);
    H5Gclose(group);
    ++*(int *)context;
    return 0;
}

int main(void)
{
    int groups = 0;
    const hid_t file = golden_control("golden.h5");
    const hid_t cases = H5Gopen2(file, "maml", H5P_DEFAULT);
    golden_need(cases >= 0 &&
                    H5Literate(cases, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, check, &groups) >= 0,
                "maml");
    H5Gclose(cases), H5Fclose(file);
    printf("control_maml: %d cases, %zu numbers compared, %d apart\n", groups, compared, failures);
    return failures != 0 || groups != 3;
}
