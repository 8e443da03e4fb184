/* SPDX-License-Identifier: MIT
   Classical Mamba and Hydra against $KETLINE_SHARED/reference/hydra/golden.h5 (the reference's modules)
   and reference/sequence/models.h5 (PyTorch, 249 steps): logits, gradients by all parameters and by the
   input, five steps of Adam, the scan alone. In double to 1e-12 of a set's largest value; in float to
   2e-5. */
#include <math.h>
#include <unistd.h>

#include "golden.h"
#include "kernels/scan.h"
#include "sequence/model/model.h"

enum { MOST = 1 << 17 };
static int failures;
static double worst[2]; /* double, float */
static struct kl_error err;

static double *memory(size_t n)
{
    double *p = aligned_alloc(64, (n * sizeof *p + 63) / 64 * 64);
    if (!p) exit(75);
    memset(p, 0, (n * sizeof *p + 63) / 64 * 64);
    return p;
}
static float *in_float(const double *x, size_t n)
{
    float *p = (float *)memory(n);
    for (size_t i = 0; i < n; i++) p[i] = (float)x[i];
    return p;
}

static void compare(const char *what, const char *name, double found, double expected, double scale,
                    bool is_float)
{
    const double off = fabs(found - expected) / scale, bound = is_float ? 2e-5 : 1e-12;
    if (!(off <= worst[is_float])) worst[is_float] = off;
    if (off <= bound) return;
    if (failures++ < 20)
        fprintf(stderr, "%s %s in %s: found %.15g, expected %.15g\n", what, name,
                is_float ? "float" : "double", found, expected);
}
static double scale_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most > 0 ? most : 1;
}
static void compare_all(const char *what, const char *name, const double *found, const double *expected,
                        size_t n, bool is_float)
{
    const double scale = scale_of(expected, n);
    for (size_t i = 0; i < n; i++) compare(what, name, found[i], expected[i], scale, is_float);
}

/* ---- names: those of models.h5 are shorter ---- */
static void golden_name(char *to, size_t size, const char *name, bool short_names)
{
    static const char *const pairs[][2] = {
        { "embedding", "emb" },
        { "layers", "blocks" },
        { "in_proj", "inp" },
        { "x_proj", "xp" },
        { "conv1d", "conv" },
        { "ssm.A_log", "A_log" },
        { "ssm.D", "D" },
        { "ssm.dt_proj", "dt" },
        { "out_proj", "out" },
        { "classifier", "head" },
        { "final_norm.weight", "norm.g" },
        { "norm.weight", "norm.g" },
    };
    snprintf(to, size, "%s", name);
    for (size_t i = 0; short_names && i < sizeof pairs / sizeof *pairs; i++) {
        char *at = strstr(to, pairs[i][0]), rest[64];
        if (!at) continue;
        snprintf(rest, sizeof rest, "%s", at + strlen(pairs[i][0]));
        snprintf(at, size - (size_t)(at - to), "%s%s", pairs[i][1], rest);
    }
}
static void block_from(double *block, const struct kl_sequence_net *net, hid_t group, const char *set,
                       bool short_names)
{
    double *values = memory(MOST);
    for (int i = 0; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        char name[128], path[256];
        golden_name(name, sizeof name, t->name, short_names);
        snprintf(path, sizeof path, "%s/%s", set, name);
        golden_need(golden_values(values, MOST, group, path) == t->size, path);
        kl_nn_tensor_from_file_f64(block, t, values);
    }
    free(values);
}

/* ---- a net ---- */
static size_t channels, steps, windows;

static double *padded(const double *x)
{
    const size_t stride = kl_sequence_stride(steps);
    double *to = memory(windows * channels * stride);
    for (size_t r = 0; r < windows * channels; r++)
        memcpy(to + r * stride, x + r * steps, steps * sizeof *x);
    return to;
}
static void open_net(struct kl_sequence_net *net, const char *model, char revision, int width, int state)
{
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { channels, steps, 2, 0 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.revision = revision, o.width = width, o.state = state;
    must(kl_sequence_net_open(net, &o, &shape, &err), &err);
}

/* In double and in float, whose results are widened. */
static void run(double *logits, double *grad, double *by_x, const struct kl_sequence_net *net,
                const double *params, const double *x, const double *cot, bool is_float)
{
    const size_t n_x = windows * channels * kl_sequence_stride(steps), n_logits = windows * 2;
    void *work = memory((net->model->work_f64(net, windows) + 7) / 8);
    if (!is_float) {
        struct kl_sequence_result_f64 result = { .logits = logits, .grad = grad, .by_x = by_x };
        const struct kl_sequence_batch_f64 batch = { .x = x, .cot = cot, .n = windows };
        net->model->run_f64(&result, net, params, &batch, work);
        free(work);
        return;
    }
    float *p = in_float(params, net->block.size), *xf = in_float(x, n_x), *c = in_float(cot, n_logits),
          *l = (float *)memory(n_logits), *g = (float *)memory(net->block.size),
          *b = (float *)memory(n_x);
    struct kl_sequence_result_f32 result = { .logits = l, .grad = g, .by_x = b };
    const struct kl_sequence_batch_f32 batch = { .x = xf, .cot = c, .n = windows };
    net->model->run_f32(&result, net, p, &batch, work);
    for (size_t i = 0; i < n_logits; i++) logits[i] = (double)l[i];
    for (size_t i = 0; i < net->block.size; i++) grad[i] = (double)g[i];
    for (size_t i = 0; i < n_x; i++) by_x[i] = (double)b[i];
    free(p), free(xf), free(c), free(l), free(g), free(b), free(work);
}

static void compare_net(const char *what, const struct kl_sequence_net *net, hid_t group,
                        const double *params, const double *x, const double *cot, bool short_names,
                        bool is_float)
{
    double *logits = memory(windows * 2), *grad = memory(net->block.size), *expected = memory(MOST),
           *by_x = memory(windows * channels * kl_sequence_stride(steps)),
           *want = memory(net->block.size);
    run(logits, grad, by_x, net, params, x, cot, is_float);
    golden_need(golden_values(expected, MOST, group, "out") == windows * 2, "out");
    compare_all(what, "logits", logits, expected, windows * 2, is_float);
    block_from(want, net, group, "grads", short_names);
    for (int i = 0; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        compare_all(what, t->name, grad + t->offset, want + t->offset, t->size, is_float);
    }
    golden_need(golden_values(expected, MOST, group, "grad_x") == windows * channels * steps, "grad_x");
    double *by = padded(expected);
    compare_all(what, "x", by_x, by, windows * channels * kl_sequence_stride(steps), is_float);
    free(by), free(logits), free(grad), free(expected), free(by_x), free(want);
}

static void check_net(const char *what, hid_t file, const char *path, const char *model, char revision,
                      int width, int state, bool short_names)
{
    struct kl_sequence_net net;
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    golden_need(group >= 0, path);
    open_net(&net, model, revision, width, state);
    double *values = memory(MOST), *params = memory(net.block.size), *cot = memory(windows * 2);
    golden_need(golden_values(values, MOST, group, short_names ? "grad_x" : "x") ==
                    windows * channels * steps,
                "x");
    for (size_t i = 0; short_names && i < windows * channels * steps; i++)
        values[i] = sin(0.7 * ((double)i + 1));
    double *x = padded(values);
    for (size_t i = 0; i < windows * 2; i++) cot[i] = cos((double)i + 1);
    block_from(params, &net, group, "params", short_names);
    compare_net(what, &net, group, params, x, cot, short_names, false);
    compare_net(what, &net, group, params, x, cot, short_names, true);
    free(values), free(params), free(cot), free(x);
    kl_sequence_net_close(&net);
    H5Gclose(group);
}

/* ---- names and their order, numbers of parameters ---- */
static void check_order(hid_t file, const char *path, const char *model)
{
    char expected[4096], found[4096];
    size_t at = 0;
    struct kl_sequence_net net;
    const hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
    open_net(&net, model, 'b', 8, 4);
    golden_text(expected, sizeof expected, group, "param_order");
    for (int i = 0; i < net.block.n; i++)
        at += (size_t)snprintf(found + at, sizeof found - at, "%s%s", i ? "," : "",
                               net.block.tensors[i].name);
    if (strcmp(found, expected) != 0 || (double)net.n_parameters != golden_number(group, "n_params")) {
        fprintf(stderr, "%s: found %s (%zu)\nexpected %s\n", path, found, net.n_parameters, expected);
        failures++;
    }
    kl_sequence_net_close(&net);
    H5Gclose(group);
}

/* ---- five steps of Adam ---- */
static void check_training(hid_t file)
{
    struct kl_sequence_net net;
    struct kl_optimizer adam;
    const hid_t group = H5Gopen2(file, "train/classical_mamba", H5P_DEFAULT);
    golden_need(group >= 0, "train/classical_mamba");
    open_net(&net, "classical-mamba", 'b', 8, 4);
    const size_t size = net.block.size;
    double *values = memory(MOST), *w = memory(size), *m = memory(size), *v = memory(size),
           *grad = memory(size), *after = memory(size), logits[6], loss[5], norm[5], labels_read[3];
    int32_t labels[3];
    golden_values(values, MOST, group, "x");
    double *x = padded(values);
    golden_need(golden_values(labels_read, 3, group, "y") == 3, "y");
    for (int i = 0; i < 3; i++) labels[i] = (int32_t)labels_read[i];
    golden_need(golden_values(loss, 5, group, "loss") == 5 &&
                    golden_values(norm, 5, group, "grad_norm") == 5,
                "loss");
    block_from(w, &net, group, "params_before", false);
    block_from(after, &net, group, "params_after", false);
    kl_nn_optimizer_default(&adam);
    adam.beta1 = golden_number(group, "beta1"), adam.beta2 = golden_number(group, "beta2");
    adam.epsilon = golden_number(group, "eps"), adam.clip = golden_number(group, "clip");
    void *work = memory(net.model->work_f64(&net, 3) / 8 + 1);
    for (uint64_t step = 1; step <= 5; step++) {
        struct kl_sequence_result_f64 result = { .logits = logits, .grad = grad };
        const struct kl_sequence_batch_f64 batch = {
            .x = x, .labels = labels, .scale = 1.0 / 3, .n = 3
        };
        net.model->run_f64(&result, &net, w, &batch, work);
        struct kl_update update = kl_nn_update_at(&adam, golden_number(group, "lr"), step);
        kl_nn_update_clip_f64(&update, &adam, grad, size);
        const double squares = kl_nn_update_apply_f64(w, m, v, grad, size, &update);
        compare("training", "loss", result.loss / 3, loss[step - 1], 1, false);
        compare("training", "norm", sqrt(squares), norm[step - 1], norm[step - 1], false);
    }
    compare_all("training", "parameters", w, after, size, false);
    free(values), free(w), free(m), free(v), free(grad), free(after), free(x), free(work);
    kl_sequence_net_close(&net);
    H5Gclose(group);
}

/* ---- the scan alone ---- */
enum { SCAN_T = 249, SCAN_E = 6, SCAN_S = 16, SIDE = 16 };

static void scan_set(double *to, hid_t file, const char *name, size_t n)
{
    golden_need(golden_values(to, MOST, file, name) == n, name);
}
static void check_rows(const char *name, const double *found, hid_t file, size_t window, size_t columns)
{
    double *expected = memory(MOST), *flat = memory(SCAN_T * columns);
    scan_set(expected, file, name, 2 * SCAN_T * columns);
    for (size_t i = 0; i < SCAN_T * columns; i++) flat[i] = found[i / columns * SIDE + i % columns];
    compare_all("scan", name, flat, expected + window * SCAN_T * columns, SCAN_T * columns, false);
    free(expected), free(flat);
}
/* (SCAN_T, columns) of a window into rows of SIDE. */
static double *rows(hid_t file, const char *name, size_t window, size_t columns)
{
    double *values = memory(MOST), *to = memory(SCAN_T * SIDE);
    scan_set(values, file, name, 2 * SCAN_T * columns);
    for (size_t i = 0; i < SCAN_T * columns; i++)
        to[i / columns * SIDE + i % columns] = values[window * SCAN_T * columns + i];
    free(values);
    return to;
}
static void check_scan(hid_t file)
{
    const struct kl_scan_f64 *kernels = kl_kernel_scan_f64();
    double *a_log = memory(SIDE * SCAN_S), *a = memory(SIDE * SCAN_S), *d = memory(SIDE),
           *ga = memory(SIDE * SCAN_S), *gd = memory(SIDE), *want = memory(MOST);
    scan_set(a_log, file, "scan/in/A_log", SCAN_E * SCAN_S), scan_set(d, file, "scan/in/D", SCAN_E);
    kernels->rates(a, a_log, SCAN_S, SIDE, KL_SCAN_MAMBA);
    for (size_t window = 0; window < 2; window++) {
        double *dt = rows(file, "scan/in/dt", window, SCAN_E),
               *u = rows(file, "scan/in/u", window, SCAN_E),
               *b = rows(file, "scan/in/B", window, SCAN_S),
               *c = rows(file, "scan/in/C", window, SCAN_S), *y = memory(SCAN_T * SIDE),
               *gy = memory(SCAN_T * SIDE), *gdt = memory(SCAN_T * SIDE), *gu = memory(SCAN_T * SIDE),
               *gb = memory(SCAN_T * SIDE), *gc = memory(SCAN_T * SIDE),
               *kept = memory((kl_scan_chunks(SCAN_T) + 1) * SCAN_S * SIDE),
               *work = memory(kl_scan_work(SCAN_S, SIDE));
        const struct kl_scan_job_f64 job = { .rule = KL_SCAN_MAMBA,
                                             .keep = 1,
                                             .steps = SCAN_T,
                                             .channels = SIDE,
                                             .states = SCAN_S,
                                             .ld_dt = SIDE,
                                             .ld_u = SIDE,
                                             .ld_bc = SIDE,
                                             .dt = dt,
                                             .u = u,
                                             .b = b,
                                             .c = c,
                                             .a = a,
                                             .d = d,
                                             .kept = kept };
        const struct kl_scan_gradient_f64 to = { .gy = gy,
                                                 .ld_gy = SIDE,
                                                 .ld = SIDE,
                                                 .ld_gbc = SIDE,
                                                 .gdt = gdt,
                                                 .gu = gu,
                                                 .gb = gb,
                                                 .gc = gc,
                                                 .ga = ga,
                                                 .gd = gd,
                                                 .work = work };
        for (size_t i = 0; i < SCAN_T * SCAN_E; i++)
            gy[i / SCAN_E * SIDE + i % SCAN_E] = cos((double)(window * SCAN_T * SCAN_E + i + 1));
        kernels->forward(y, SIDE, &job, 0);
        kernels->back(&to, &job);
        check_rows("scan/y", y, file, window, SCAN_E),
            check_rows("scan/grad/dt", gdt, file, window, SCAN_E);
        check_rows("scan/grad/u", gu, file, window, SCAN_E),
            check_rows("scan/grad/B", gb, file, window, SCAN_S);
        check_rows("scan/grad/C", gc, file, window, SCAN_S);
        free(dt), free(u), free(b), free(c), free(y), free(gy), free(gdt), free(gu), free(gb), free(gc),
            free(kept), free(work);
    }
    for (size_t e = 0; e < SCAN_E; e++)
        for (size_t s = 0; s < SCAN_S; s++)
            want[e * SCAN_S + s] = -exp(a_log[e * SCAN_S + s]) * ga[s * SIDE + e];
    double *expected = memory(MOST);
    scan_set(expected, file, "scan/grad/A_log", SCAN_E * SCAN_S);
    compare_all("scan", "A_log", want, expected, SCAN_E * SCAN_S, false);
    scan_set(expected, file, "scan/grad/D", SCAN_E);
    compare_all("scan", "D", gd, expected, SCAN_E, false);
    free(a_log), free(a), free(d), free(ga), free(gd), free(want), free(expected);
}

static hid_t open_file(const char *name)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/%s", shared ? shared : "../shared", name);
    if (access(path, R_OK) != 0) {
        printf("skipped: %s cannot be read\n", path);
        exit(77);
    }
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    return file;
}

int main(void)
{
    const hid_t golden = open_file("hydra/golden.h5"), models = open_file("sequence/models.h5");
    channels = 4, steps = 8, windows = 3;
    check_order(golden, "models/classical_mamba", "classical-mamba");
    check_order(golden, "models/classical_hydra_exp", "classical-hydra");
    check_net("mamba", golden, "models/classical_mamba", "classical-mamba", 'b', 8, 4, false);
    check_net("hydra, Euler", golden, "models/classical_hydra_euler", "classical-hydra", 'a', 8, 4,
              false);
    check_net("hydra", golden, "models/classical_hydra_exp", "classical-hydra", 'b', 8, 4, false);
    check_training(golden);
    channels = 6, steps = 249, windows = 2;
    check_net("mamba, 249 steps", models, "mamba_249", "classical-mamba", 'b', 16, 8, true);
    check_scan(models);
    printf("largest difference: double %.2g, float %.2g of a set's largest value\n", worst[0], worst[1]);
    H5Fclose(golden), H5Fclose(models);
    return failures != 0;
}
