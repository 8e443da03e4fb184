/* SPDX-License-Identifier: MIT
   Heads whose core is a twin or none against PyTorch (tests/golden/controls.h5, written by
   make_controls.py beside it), in double: logits, loss, gradients, 20 steps of Adam, to 1e-10. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
#include "golden.h"

enum { N = 32, D = 20, CLASSES = 4, STEPS = 20 };
static const double LR = 1e-2, BOUND = 1e-10;
static int failures;

static void read_golden(hid_t at, const char *name, hid_t type, void *to)
{
    hid_t set = H5Dopen2(at, name, H5P_DEFAULT);
    if (set < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0) {
        fprintf(stderr, "cannot read %s\n", name);
        exit(1);
    }
    H5Dclose(set);
}

static void compare(const char *group, const char *what, const char *part, const double *found,
                    const double *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (fabs(found[i] - expected[i]) <= BOUND) continue;
        fprintf(stderr, "%s: %s %s [%zu]: found %.15g, expected %.15g\n", group, what, part, i, found[i],
                expected[i]);
        failures++;
        return;
    }
}

/* A group's tensors into a block. */
static double *block(hid_t group, const char *part, const struct kl_block *table)
{
    double *values = calloc(table->size, sizeof *values), *tensor = calloc(table->size, sizeof *tensor);
    char name[96];
    for (int t = 0; t < table->n; t++) {
        snprintf(name, sizeof name, "%s/%s", part, table->tensors[t].name);
        read_golden(group, name, H5T_NATIVE_DOUBLE, tensor);
        kl_nn_tensor_from_file_f64(values, &table->tensors[t], tensor);
    }
    free(tensor);
    return values;
}

static void compare_blocks(const char *group, const char *part, const double *found,
                           const double *expected, const struct kl_block *table)
{
    for (int t = 0; t < table->n; t++) {
        const struct kl_tensor *tensor = &table->tensors[t];
        compare(group, part, tensor->name, found + tensor->offset, expected + tensor->offset,
                tensor->size);
    }
}

static void follow(const char *name, hid_t group, const struct kl_head_model *model, const double *x,
                   const int32_t *y, struct kl_head_work *work)
{
    const size_t size = model->block.size;
    double *p = block(group, "init", &model->block), *grad = block(group, "grad", &model->block),
           *after = block(group, "after", &model->block), *own = calloc(3 * size, sizeof *own);
    double logits[N * CLASSES], expected[N * CLASSES], losses[STEPS], loss = 0;
    struct kl_optimizer adam;
    kl_nn_optimizer_default(&adam);
    read_golden(group, "logits", H5T_NATIVE_DOUBLE, expected);
    read_golden(group, "losses", H5T_NATIVE_DOUBLE, losses);
    if (kl_head_forward_f64(logits, NULL, NULL, model, p, x, N, work, NULL)) failures++;
    compare(name, "logits", "", logits, expected, N * CLASSES);
    for (int step = 0; step < STEPS; step++) {
        if (kl_head_gradient_f64(own, &loss, NULL, model, p, x, y, N, NULL, work, NULL)) failures++;
        loss /= N;
        compare(name, "loss", "", &loss, &losses[step], 1);
        if (step == 0) compare_blocks(name, "gradient", own, grad, &model->block);
        struct kl_update update = kl_nn_update_at(&adam, LR, (uint64_t)step + 1);
        kl_nn_update_apply_f64(p, own + size, own + 2 * size, own, size, &update);
    }
    compare_blocks(name, "after 20 steps", p, after, &model->block);
    free(p), free(grad), free(after), free(own);
}

static void run(const char *name, hid_t file, const double *x, const int32_t *y,
                struct kl_head_work *work)
{
    hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    char ansatz[32], core[32];
    struct kl_head_options o;
    struct kl_head_model model;
    struct kl_error err;
    golden_text(ansatz, sizeof ansatz, group, "ansatz"), golden_text(core, sizeof core, group, "core");
    kl_head_options_default(&o);
    o.n_reduction = o.n_classifier = 1;
    o.reduction[0] = 8, o.classifier[0] = 6;
    o.circuit.ansatz = ansatz;
    o.core = strcmp(core, "twin") == 0 ? KL_CORE_TWIN : KL_CORE_NONE;
    if (kl_head_model_make(&model, &o, D, CLASSES, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        exit(1);
    }
    follow(name, group, &model, x, y, work);
    kl_head_model_free(&model);
    H5Gclose(group);
}

int main(void)
{
    static double x[N * D];
    static int32_t y[N];
    struct kl_head_work work;
    hid_t file = H5Fopen("tests/golden/controls.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0 || kl_head_work_init(&work, NULL)) return 1;
    read_golden(file, "x", H5T_NATIVE_DOUBLE, x);
    read_golden(file, "y", H5T_NATIVE_INT32, y);
    run("one", file, x, y, &work);
    run("two", file, x, y, &work);
    run("none", file, x, y, &work);
    kl_head_work_free(&work);
    H5Fclose(file);
    return failures ? 1 : 0;
}
