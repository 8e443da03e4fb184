/* SPDX-License-Identifier: MIT
   The whole head against PyTorch and PennyLane (reference/hybrid/head.h5): forward, loss,
   gradients, 60 steps of Adam; to 1e-10 in double, to stated bounds in float. */
#include "head/head.h"
#include "tests/worse.h"

#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, D = 512, CLASSES = 10, STEPS = 60 };
static int failures;

static void read_golden(hid_t file, const char *name, hid_t type, void *to)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0 || H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0) {
        fprintf(stderr, "%s:%d: cannot read %s\n", __FILE__, __LINE__, name);
        exit(1);
    }
    H5Dclose(set);
}

/* Largest |a - b| / max(1, largest |b|). */
static void compare(const char *what, const char *part, const double *a, const double *b, size_t n,
                    double bound)
{
    double worst = 0, scale = 1;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(b[i]));
    for (size_t i = 0; i < n; i++) {
        double d = fabs(a[i] - b[i]) / scale;
        worst = worse(worst, d);
    }
    if (worst <= bound) return;
    fprintf(stderr, "%s:%d: %s %s: difference %.3g, bound %.1g\n", __FILE__, __LINE__, what, part, worst,
            bound);
    failures++;
}

static void block_from(double *block, const struct kl_block *table, hid_t file, const char *group)
{
    char name[96];
    double *values = malloc(table->size * sizeof *values);
    memset(block, 0, table->size * sizeof *block);
    for (int t = 0; t < table->n; t++) {
        snprintf(name, sizeof name, "%s/%s", group, table->tensors[t].name);
        read_golden(file, name, H5T_NATIVE_DOUBLE, values);
        kl_nn_tensor_from_file_f64(block, &table->tensors[t], values);
    }
    free(values);
}

static void compare_blocks(const char *part, const double *a, const double *b,
                           const struct kl_block *table, double bound)
{
    for (int t = 0; t < table->n; t++) {
        const struct kl_tensor *tensor = &table->tensors[t];
        compare(tensor->name, part, a + tensor->offset, b + tensor->offset, tensor->size, bound);
    }
}

struct golden {
    double *x, *logits, *angles, *expval, *losses, *init, *grad, *after, loss;
    int32_t *labels;
};

static void widen(double *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = from[i];
}

static void check_double(const struct golden *g, struct kl_head_model *model, struct kl_head_work *work)
{
    const size_t size = model->block.size;
    const double bound = 1e-10;
    double *p = calloc(4 * size, sizeof *p), *grad = p + size, *m = grad + size, *v = m + size, loss = 0;
    double logits[N * CLASSES], angles[N * 4], expval[N * 4];
    memcpy(p, g->init, size * sizeof *p);
    if (kl_head_forward_f64(logits, angles, expval, model, p, g->x, N, work, NULL)) failures++;
    compare("logits", "f64", logits, g->logits, N * CLASSES, bound);
    compare("angles", "f64", angles, g->angles, N * 4, bound);
    compare("expval", "f64", expval, g->expval, N * 4, bound);
    for (int method = 0; method < 3; method++) {
        if (kl_head_gradient_f64(grad, &loss, NULL, model, p, g->x, g->labels, N,
                                 &(struct kl_head_diff){ .method = (enum kl_diff_method)method }, work,
                                 NULL))
            failures++;
        loss /= N;
        compare("loss", "f64", &loss, &g->loss, 1, bound);
        compare_blocks("gradient f64", grad, g->grad, &model->block,
                       method == KL_DIFF_DIFFERENCES ? 1e-8 : bound);
    }
    struct kl_optimizer adam;
    kl_nn_optimizer_default(&adam);
    for (int step = 0; step < STEPS; step++) {
        if (kl_head_gradient_f64(grad, &loss, NULL, model, p, g->x, g->labels, N, NULL, work, NULL))
            failures++;
        loss /= N;
        compare("adam_losses", "f64", &loss, &g->losses[step], 1, bound);
        struct kl_update update = kl_nn_update_at(&adam, 1e-2, (uint64_t)step + 1);
        kl_nn_update_apply_f64(p, m, v, grad, size, &update);
    }
    compare_blocks("after 60 steps f64", p, g->after, &model->block, bound);
    free(p);
}

/* Bounds in float: 2e-6 for one pass. Adam divides small gradients by their own size, so errors of
   1e-7 grow along the path: 2e-3 for losses that fall from 2.3, 2e-2 for parameters that moved by
   up to 0.6. */
static void check_float(const struct golden *g, struct kl_head_model *model, struct kl_head_work *work)
{
    const size_t size = model->block.size;
    float *p = aligned_alloc(64, 4 * size * sizeof *p), *grad = p + size, *m = grad + size,
          *v = m + size;
    float *x = malloc(N * D * sizeof *x), logits[N * CLASSES];
    double *wide = calloc(size, sizeof *wide), wide_logits[N * CLASSES], loss = 0;
    memset(p, 0, 4 * size * sizeof *p);
    for (size_t i = 0; i < size; i++) p[i] = (float)g->init[i];
    for (size_t i = 0; i < N * D; i++) x[i] = (float)g->x[i];
    if (kl_head_forward_f32(logits, NULL, NULL, model, p, x, N, work, NULL)) failures++;
    widen(wide_logits, logits, N * CLASSES);
    compare("logits", "f32", wide_logits, g->logits, N * CLASSES, 2e-6);
    struct kl_optimizer adam;
    kl_nn_optimizer_default(&adam);
    for (int step = 0; step < STEPS; step++) {
        if (kl_head_gradient_f32(grad, &loss, NULL, model, p, x, g->labels, N, NULL, work, NULL))
            failures++;
        loss /= N;
        compare("adam_losses", "f32", &loss, &g->losses[step], 1, step == 0 ? 2e-6 : 2e-3);
        widen(wide, grad, size);
        if (step == 0) compare_blocks("gradient f32", wide, g->grad, &model->block, 2e-6);
        struct kl_update update = kl_nn_update_at(&adam, 1e-2, (uint64_t)step + 1);
        kl_nn_update_apply_f32(p, m, v, grad, size, &update);
    }
    widen(wide, p, size);
    compare_blocks("after 60 steps f32", wide, g->after, &model->block, 2e-2);
    free(p);
    free(x);
    free(wide);
}

/* The history's norms of one step on all samples against those of the golden gradient. */
static void check_norms(const struct golden *g, struct kl_head_model *model)
{
    static const char names[CLASSES] = "0";
    float *x = malloc(N * D * sizeof *x);
    struct kl_features features = { .x = x, .labels = g->labels, .n = N, .d = D, .n_classes = CLASSES };
    struct kl_train_options options;
    struct kl_head_train train;
    struct kl_error err = { 0 };
    features.class_names = (char *)names, features.name_size = 1;
    for (size_t i = 0; i < N * D; i++) x[i] = (float)g->x[i];
    kl_train_options_default(&options);
    options.epochs = 1, options.val_fraction = 0;
    const double dropout = model->options.dropout;
    model->options.dropout = 0;
    if (kl_head_train_open(&train, model, &features, &options, 1, &err)) exit(1);
    float *params = train.loop.replicas[0].params;
    for (size_t i = 0; i < model->block.size; i++) params[i] = (float)g->init[i];
    if (kl_train_run(&train.loop, NULL, NULL, &err)) failures++;
    for (size_t i = 0, groups = kl_head_n_groups(model); i < groups; i++) {
        char name[KL_GROUP_NAME];
        double sum = 0;
        kl_head_group_name(name, model, i);
        const bool circuit = strncmp(name, "circuit.", 8) == 0;
        for (int t = 0; t < model->block.n; t++) {
            const struct kl_tensor *tensor = &model->block.tensors[t];
            const size_t first = circuit ? 4 * (size_t)atoi(name + 8) : 0;
            if (circuit ? t != model->vqc : strncmp(tensor->name, name, strlen(name)) != 0) continue;
            for (size_t k = first; k < (circuit ? first + 4 : tensor->size); k++)
                sum += g->grad[tensor->offset + k] * g->grad[tensor->offset + k];
        }
        sum = sqrt(sum);
        if (!(sum > 0)) failures++;
        compare("norms", name, &kl_head_norms(&train, 0, 0)[i], &sum, 1, 1e-5 * sum);
    }
    if (kl_head_n_groups(model) != 3 + 3 + 2) failures++;
    model->options.dropout = dropout;
    kl_head_train_close(&train);
    free(x);
}

static double *values(hid_t file, const char *name, size_t n)
{
    double *to = malloc(n * sizeof *to);
    read_golden(file, name, H5T_NATIVE_DOUBLE, to);
    return to;
}

int main(void)
{
    char path[4096];
    const char *shared = getenv("KETLINE_SHARED");
    snprintf(path, sizeof path, "%s/reference/hybrid/head.h5", shared ? shared : "../shared");
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        printf("skipped: no %s\n", path);
        return 77;
    }
    struct kl_head_options options;
    struct kl_head_model model;
    struct kl_head_work work;
    struct kl_error err;
    kl_head_options_default(&options);
    if (kl_head_model_make(&model, &options, D, CLASSES, &err) || kl_head_work_init(&work, &err)) {
        fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, err.text);
        return 1;
    }
    struct golden g = { .x = values(file, "x", N * D),
                        .logits = values(file, "logits", N * CLASSES),
                        .angles = values(file, "angles", N * 4),
                        .expval = values(file, "expval", N * 4),
                        .losses = values(file, "adam_losses", STEPS) };
    g.init = malloc(model.block.size * sizeof(double));
    g.grad = malloc(model.block.size * sizeof(double));
    g.after = malloc(model.block.size * sizeof(double));
    g.labels = malloc(N * sizeof *g.labels);
    block_from(g.init, &model.block, file, "init");
    block_from(g.grad, &model.block, file, "grad");
    block_from(g.after, &model.block, file, "after60");
    read_golden(file, "loss", H5T_NATIVE_DOUBLE, &g.loss);
    read_golden(file, "y", H5T_NATIVE_INT32, g.labels);
    check_double(&g, &model, &work);
    check_float(&g, &model, &work);
    check_norms(&g, &model);
    free(g.x), free(g.logits), free(g.angles), free(g.expval), free(g.losses), free(g.init),
        free(g.grad), free(g.after);
    free(g.labels);
    kl_head_work_free(&work);
    kl_head_model_free(&model);
    H5Fclose(file);
    return failures ? 1 : 0;
}
