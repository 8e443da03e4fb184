/* SPDX-License-Identifier: MIT
   Nets on windows against groups of a golden file: attributes n_params, params/NAME, x, w, out,
   grads/NAME, grad_x; loss = sum(out * w). Every gradient is compared with the file's (automatic
   differentiation) and with central differences of the net itself (in double). The includer defines
   KL_F64 and BOUND, the largest difference in units of a set's largest value. */
#ifndef KL_TESTS_GOLDEN_SEQUENCE_H
#define KL_TESTS_GOLDEN_SEQUENCE_H

#include <math.h>

#include "golden.h"
#include "kernels/inline/real.h"
#include "sequence/model/model.h"

#if KL_F64
#define GOLDEN_WORK work_f64
#define GOLDEN_RUN run_f64
#else
#define GOLDEN_WORK work_f32
#define GOLDEN_RUN run_f32
#endif

static int golden_failures;
static double golden_worst;

/* A file of KETLINE_SHARED, or -1 after a line that says that it is skipped. */
static inline hid_t golden_shared(const char *name)
{
    const char *shared = getenv("KETLINE_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/reference/%s", shared ? shared : "../shared", name);
    const hid_t file = H5Fis_hdf5(path) > 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
    if (file < 0) printf("skipped: KETLINE_SHARED holds no reference/%s\n", name);
    return file;
}
static inline void *golden_memory(size_t n, size_t size)
{
    void *p = aligned_alloc(64, (n * size + 127) / 64 * 64);
    if (!p) exit(75);
    memset(p, 0, (n * size + 127) / 64 * 64);
    return p;
}
static inline void golden_compare(const char *group, const char *what, const double *found,
                                  const double *expected, size_t n, double bound)
{
    double scale = 0;
    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(expected[i]));
    if (scale == 0) scale = 1;
    for (size_t i = 0; i < n; i++) {
        const double off = fabs(found[i] - expected[i]) / scale;
        if (off > golden_worst) golden_worst = off;
        if (off <= bound) continue;
        fprintf(stderr, "%s %s [%zu]: found %.15g, expected %.15g\n", group, what, i, found[i],
                expected[i]);
        golden_failures++;
        return;
    }
}

/* A net with what it runs on; n windows of (C, T), from C x T or, where x has rank 2, 1 x T. */
struct golden_net {
    const char *name;
    hid_t group;
    struct kl_sequence_net net;
    size_t n, stride, rows;
    kl_real *params, *grad, *x, *by_x, *logits, *cot, *state;
    void *work;
};
static inline double *golden_read(const struct golden_net *g, const char *name, size_t *n)
{
    const hid_t set = H5Dopen2(g->group, name, H5P_DEFAULT), space = H5Dget_space(set);
    golden_need(set >= 0, name);
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space), H5Dclose(set);
    double *values = golden_memory(*n, sizeof *values);
    golden_values(values, *n, g->group, name);
    return values;
}
/* Between (n, C, T) and rows of stride. */
static inline void golden_pad(kl_real *padded, double *plain, const struct golden_net *g, bool back)
{
    const size_t T = g->net.shape.steps;
    for (size_t r = 0; r < g->rows; r++)
        for (size_t t = 0; t < T; t++)
            if (back) plain[r * T + t] = (double)padded[r * g->stride + t];
            else padded[r * g->stride + t] = (kl_real)plain[r * T + t];
}
static inline void golden_fill(struct golden_net *g)
{
    kl_real file[1 << 16];
    for (int t = 0; t < g->net.first_state; t++) {
        const struct kl_tensor *tensor = &g->net.block.tensors[t];
        char name[80];
        size_t n;
        snprintf(name, sizeof name, "params/%s", tensor->name);
        double *values = golden_read(g, name, &n);
        golden_need(n == tensor->size && n <= sizeof file / sizeof *file, name);
        for (size_t i = 0; i < n; i++) file[i] = (kl_real)values[i];
        kl_nn_tensor_from_file(g->params, tensor, file);
        free(values);
    }
}
/* Opens the net of `o` on the shape and fills it. */
static inline void golden_net_open(struct golden_net *g, hid_t file, const char *name,
                                   const struct kl_sequence_model_options *o,
                                   const struct kl_sequence_shape *shape)
{
    struct kl_error err;
    size_t n;
    memset(g, 0, sizeof *g);
    g->name = name, g->group = H5Gopen2(file, name, H5P_DEFAULT);
    golden_need(g->group >= 0, name);
    must(kl_sequence_net_open(&g->net, o, shape, &err), &err);
    const struct kl_sequence_shape *s = &g->net.shape;
    double *x = golden_read(g, "x", &n), *w;
    g->n = n / (s->channels * s->steps), g->stride = kl_sequence_stride(s->steps);
    g->rows = g->n * s->channels;
    const size_t size = g->net.block.size, K = (size_t)s->classes;
    g->params = golden_memory(size, sizeof(kl_real)), g->grad = golden_memory(size, sizeof(kl_real));
    g->x = golden_memory(g->rows * g->stride, sizeof(kl_real));
    g->by_x = golden_memory(g->rows * g->stride, sizeof(kl_real));
    g->logits = golden_memory(g->n * K, sizeof(kl_real)),
    g->cot = golden_memory(g->n * K, sizeof(kl_real));
    g->work = golden_memory(g->net.model->GOLDEN_WORK(&g->net, g->n), 1);
    golden_pad(g->x, x, g, false);
    w = golden_read(g, "w", &n);
    golden_need(n == g->n * K, "w");
    for (size_t i = 0; i < n; i++) g->cot[i] = (kl_real)w[i];
    free(x), free(w);
    golden_fill(g);
}
static inline void golden_net_close(struct golden_net *g)
{
    kl_sequence_net_close(&g->net);
    free(g->params), free(g->grad), free(g->x), free(g->by_x), free(g->logits), free(g->cot),
        free(g->work);
    H5Gclose(g->group);
}
/* grad: with gradients? Returns the loss. */
static inline double golden_run(struct golden_net *g, bool grad)
{
    const struct kl_sequence_batch batch = { .x = g->x, .cot = g->cot, .scale = 1, .n = g->n };
    struct kl_sequence_result result = { .logits = g->logits,
                                         .grad = grad ? g->grad : NULL,
                                         .by_x = grad ? g->by_x : NULL };
    g->net.model->GOLDEN_RUN(&result, &g->net, g->params, &batch, g->work);
    return result.loss;
}

static inline void golden_gradients(struct golden_net *g)
{
    static kl_real file[1 << 16];
    size_t n;
    for (int t = 0; t < g->net.first_state; t++) {
        const struct kl_tensor *tensor = &g->net.block.tensors[t];
        char name[80];
        snprintf(name, sizeof name, "grads/%s", tensor->name);
        double *expected = golden_read(g, name, &n), *found = golden_memory(n, sizeof *found);
        kl_nn_tensor_to_file(file, tensor, g->grad);
        for (size_t i = 0; i < n; i++) found[i] = (double)file[i];
        golden_compare(g->name, name, found, expected, n, BOUND);
        free(expected), free(found);
    }
    double *expected = golden_read(g, "grad_x", &n), *found = golden_memory(n, sizeof *found);
    golden_pad(g->by_x, found, g, true);
    golden_compare(g->name, "grad_x", found, expected, n, BOUND);
    free(expected), free(found);
}
/* Central differences of every `each`th parameter and input. */
static inline void golden_differences(struct golden_net *g, size_t each)
{
    const double step = 1e-6;
    const size_t size = g->net.block.size, inputs = g->rows * g->stride;
    kl_real *grad = golden_memory(size, sizeof *grad), *by_x = golden_memory(inputs, sizeof *by_x);
    memcpy(grad, g->grad, size * sizeof *grad), memcpy(by_x, g->by_x, inputs * sizeof *by_x);
    for (int t = 0; t <= g->net.first_state; t++) {
        const bool of_x = t == g->net.first_state;
        const struct kl_tensor *tensor = &g->net.block.tensors[of_x ? 0 : t];
        const size_t count = of_x ? inputs : tensor->size;
        for (size_t i = 0; i < count; i += i < 8 ? 1 : each) {
            if (of_x && i % g->stride >= g->net.shape.steps) continue;
            kl_real *at = of_x ? g->x + i : g->params + tensor->offset + i;
            const kl_real kept = *at;
            *at = (kl_real)((double)kept + step);
            const double more = golden_run(g, false);
            *at = (kl_real)((double)kept - step);
            const double found = (double)(of_x ? by_x[i] : grad[tensor->offset + i]),
                         expected = (more - golden_run(g, false)) / (2 * step);
            *at = kept;
            if (fabs(found - expected) <= 3e-8 * fmax(1, fabs(expected))) continue;
            fprintf(stderr, "%s %s [%zu]: found %.10g, central difference %.10g\n", g->name,
                    of_x ? "x" : tensor->name, i, found, expected);
            golden_failures++;
            break;
        }
    }
    free(grad), free(by_x);
}
/* Logits, all gradients and the count of parameters. */
static inline void golden_net_check(struct golden_net *g)
{
    size_t n;
    const size_t K = (size_t)g->net.shape.classes;
    double *expected = golden_read(g, "out", &n), *found = golden_memory(n, sizeof *found);
    golden_run(g, false);
    for (size_t i = 0; i < g->n * K; i++) found[i] = (double)g->logits[i];
    golden_compare(g->name, "out", found, expected, n, BOUND);
    golden_run(g, true);
    for (size_t i = 0; i < g->n * K; i++) found[i] = (double)g->logits[i];
    golden_compare(g->name, "out, with gradients", found, expected, n, BOUND);
    golden_gradients(g);
    if ((double)g->net.n_parameters != golden_number(g->group, "n_params")) {
        fprintf(stderr, "%s: found %zu parameters, expected %g\n", g->name, g->net.n_parameters,
                golden_number(g->group, "n_params"));
        golden_failures++;
    }
    free(expected), free(found);
}

#endif
