/* SPDX-License-Identifier: MIT
   EEGNet and ShallowFBCSPNet against braindecode (KETLINE_SHARED/reference/sequence/models.h5): logits,
   all gradients, gradients by the input and running statistics, with running statistics and with the
   batch's, to 1e-12 in double. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "sequence/model/model.h"

enum { MOST = 1 << 16 };
static int failures;

static void compare(const char *net, const char *mode, const char *what, const double *found,
                    const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - want[i]) <= 1e-12 * (1 + fabs(want[i]))) continue;
        fprintf(stderr, "%s %s: %s[%zu]: found %.17g, expected %.17g\n", net, mode, what, i, found[i],
                want[i]);
        failures++;
        return;
    }
}

/* Tensor by tensor; of gradients a net may have some that the file lacks (running statistics). */
static void tensors(const struct kl_sequence_net *net, hid_t group, const char *under, double *params,
                    const double *grad, const char *mode)
{
    static double values[MOST];
    char name[128];
    for (int i = 0; i < net->first_state; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        snprintf(name, sizeof name, "%s/%s", under, t->name);
        if (golden_values(values, MOST, group, name) != t->size) {
            fprintf(stderr, "%s: %s: another size than %zu\n", net->model->name, t->name, t->size);
            exit(1);
        }
        if (params) kl_nn_tensor_from_file_f64(params, t, values);
        else {
            static double found[MOST];
            kl_nn_tensor_to_file_f64(found, t, grad);
            compare(net->model->name, mode, t->name, found, values, t->size);
        }
    }
}

static void check_state(const struct kl_sequence_net *net, hid_t group, const char *mode,
                        const double *state)
{
    static double values[MOST];
    char name[128];
    const struct kl_tensor *first = &net->block.tensors[net->first_state];
    for (int i = net->first_state; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        snprintf(name, sizeof name, "after/%s", t->name);
        if (golden_values(values, MOST, group, name) != t->size) failures++;
        compare(net->model->name, mode, t->name, state + (t->offset - first->offset), values, t->size);
    }
}

static void check_mode(const struct kl_sequence_net *net, hid_t file, const char *mode,
                       const double *params, const double *x, size_t n)
{
    static double values[MOST], by_x[MOST], state[MOST];
    char name[128];
    double logits[16], cot[16], *grad = calloc(net->block.size, sizeof *grad);
    void *work = aligned_alloc(64, (net->model->work_f64(net, n) + 63) / 64 * 64);
    snprintf(name, sizeof name, "%s/%s", net->model->name, mode);
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    const size_t outputs = n * (size_t)net->shape.classes;
    for (size_t i = 0; i < outputs; i++) cot[i] = cos((double)(i + 1));
    for (size_t i = 0; i < net->block.size; i++) grad[i] = 77;
    memset(work, 0x55, net->model->work_f64(net, n)); /* whatever was there before */
    struct kl_sequence_batch_f64 batch = {
        .x = x, .cot = cot, .scale = 1, .n = n, .training = strcmp(mode, "eval") != 0
    };
    struct kl_sequence_result_f64 result = {
        .logits = logits, .grad = grad, .by_x = by_x, .state = state
    };
    net->model->run_f64(&result, net, params, &batch, work);
    golden_values(values, MOST, group, "out");
    compare(net->model->name, mode, "out", logits, values, outputs);
    tensors(net, group, "grads", NULL, grad, mode);
    check_state(net, group, mode, state);
    const size_t steps = net->shape.steps, stride = kl_sequence_stride(steps);
    golden_values(values, MOST, group, "grad_x");
    for (size_t r = 0; r < n * net->shape.channels; r++) {
        compare(net->model->name, mode, "grad_x", by_x + r * stride, values + r * steps, steps);
        for (size_t t = steps; t < stride; t++) failures += by_x[r * stride + t] != 0;
    }
    for (int i = net->first_state; i < net->block.n; i++)
        for (size_t j = 0; j < net->block.tensors[i].size; j++)
            failures += grad[net->block.tensors[i].offset + j] != 0;
    H5Gclose(group), free(work), free(grad);
}

static void check(hid_t file, const char *model, size_t n, int filters, int spatial, int taps)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    struct kl_error err;
    kl_sequence_model_options_default(&o);
    o.model = model, o.filters = filters, o.spatial = spatial, o.taps = taps;
    const hid_t group = H5Gopen2(file, model, H5P_DEFAULT);
    const struct kl_sequence_shape shape = { .channels = (size_t)golden_number(group, "C"),
                                             .steps = (size_t)golden_number(group, "T"),
                                             .classes = 2 };
    must(kl_sequence_net_open(&net, &o, &shape, &err), &err);
    double *params = calloc(net.block.size, sizeof *params);
    const size_t stride = kl_sequence_stride(shape.steps);
    double *x = aligned_alloc(64, n * shape.channels * stride * sizeof *x);
    memset(x, 0, n * shape.channels * stride * sizeof *x);
    for (size_t i = 0; i < n * shape.channels * shape.steps; i++)
        x[i / shape.steps * stride + i % shape.steps] = sin(0.7 * (double)(i + 1));
    tensors(&net, group, "params", params, NULL, NULL);
    for (int i = net.first_state; i < net.block.n; i++) /* as reset_running_stats: mean 0, variance 1 */
        for (size_t j = 0; j < net.block.tensors[i].size; j++)
            params[net.block.tensors[i].offset + j] = strstr(net.block.tensors[i].name, "var") != NULL;
    check_mode(&net, file, "eval", params, x, n);
    check_mode(&net, file, "train_statistics", params, x, n);
    kl_sequence_net_close(&net), H5Gclose(group), free(params), free(x);
}

int main(void)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/sequence/models.h5", shared ? shared : "../shared");
    FILE *there = fopen(path, "rb");
    if (!there) {
        printf("skipped: no %s\n", path);
        return 77;
    }
    fclose(there);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0, path);
    check(file, "eegnet", 3, 4, 2, 32);
    check(file, "shallow", 2, 6, 5, 25);
    H5Fclose(file);
    return failures != 0;
}
