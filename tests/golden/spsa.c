/* SPDX-License-Identifier: MIT
   Steps of simultaneous perturbation against an independent computation with PennyLane's circuit
   (tests/golden/spsa.h5, written by make_spsa.py beside it), in float: the gradient is a difference of
   losses divided by 0.04, so that their rounding of 1e-7 is 1e-5 in it and 5e-7 in a parameter. */
#include <math.h>

#include "golden.h"
#include "head/head.h"

enum { N = 10, D = 5, CLASSES = 3, STEPS = 6 };
static int failures;

static void tensor_of(double *values, hid_t file, const char *group, const struct kl_tensor *t)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s", group, t->name);
    golden_need(golden_values(values, 64, file, name) == t->size, name);
}

static void near(const char *what, double found, double expected, double bound)
{
    if (fabs(found - expected) <= bound) return;
    fprintf(stderr, "%s: found %.9g, expected %.9g\n", what, found, expected);
    failures++;
}

static void run(hid_t file, struct kl_head_model *model, const struct kl_features *features)
{
    struct kl_head_train train;
    struct kl_train_options o;
    struct kl_error err;
    double values[64], losses[STEPS];
    float one[64];
    kl_train_options_default(&o);
    o.epochs = STEPS, o.batch_size = N, o.val_fraction = 0;
    o.seed = 77, o.first_replica = 3;
    o.schedule.lr = 0.05;
    o.optimizer.kind = KL_SPSA;
    o.optimizer.spsa_c = 0.02;
    must(kl_head_train_open(&train, model, features, &o, 1, &err), &err);
    float *params = train.loop.replicas[0].params;
    for (int t = 0; t < model->block.n; t++) {
        const struct kl_tensor *tensor = &model->block.tensors[t];
        tensor_of(values, file, "init", tensor);
        for (size_t i = 0; i < tensor->size; i++) one[i] = (float)values[i];
        kl_nn_tensor_from_file_f32(params, tensor, one);
    }
    must(kl_train_run(&train.loop, NULL, NULL, &err), &err);
    golden_values(losses, STEPS, file, "losses");
    for (int k = 0; k < STEPS; k++)
        near("loss", train.loop.replicas[0].history[KL_TRAIN_LOSS][k], losses[k], 2e-6);
    for (int t = 0; t < model->block.n; t++) {
        const struct kl_tensor *tensor = &model->block.tensors[t];
        tensor_of(values, file, "after", tensor);
        kl_nn_tensor_to_file_f32(one, tensor, params);
        for (size_t i = 0; i < tensor->size; i++) near(tensor->name, one[i], values[i], 5e-6);
    }
    kl_head_train_close(&train);
}

int main(void)
{
    static char names[CLASSES][4] = { "a", "b", "c" };
    double values[N * D];
    float x[N * D];
    int32_t labels[N];
    struct kl_head_options options;
    struct kl_head_model model;
    struct kl_error err;
    const hid_t file = H5Fopen("tests/golden/spsa.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    golden_need(file >= 0 && golden_values(values, N * D, file, "x") == N * D, "x");
    for (int i = 0; i < N * D; i++) x[i] = (float)values[i];
    golden_need(golden_values(values, N, file, "y") == N, "y");
    for (int i = 0; i < N; i++) labels[i] = (int32_t)values[i];
    const struct kl_features features = { .n = N,
                                          .d = D,
                                          .n_classes = CLASSES,
                                          .class_names = names[0],
                                          .name_size = 4,
                                          .x = x,
                                          .labels = labels };
    kl_head_options_default(&options);
    options.n_reduction = options.n_classifier = 0;
    options.dropout = 0;
    options.circuit.n_qubits = 2, options.circuit.n_layers = 1;
    must(kl_head_model_make(&model, &options, D, CLASSES, &err), &err);
    run(file, &model, &features);
    kl_head_model_free(&model);
    H5Fclose(file);
    return failures != 0;
}
