/* SPDX-License-Identifier: MIT
   Of chains.c: a head as what is sampled, on the GPU against the CPU: losses of its training and test
   rows, and the gradient by what is sampled, of each core and each choice of parameters, on all rows and
   on named ones. */
#ifndef KL_TESTS_GPU_CHAINS_OF_HEADS_H
#define KL_TESTS_GPU_CHAINS_OF_HEADS_H

#include <math.h>

#include "gpu.h"
#include "sampling/heads/heads.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"

enum { ROWS = 45, TEST = 10, TRAIN = ROWS - TEST, SOME = 12 };
static void must(int code, const struct kl_error *err);

struct head_found {
    struct kl_sampling_sums all, some, test;
    double losses[TEST];
    float *grad; /* of all rows, then of some */
};

static void ask_head(struct head_found *to, const struct kl_sampling_head_question *q)
{
    static const int64_t rows[SOME] = { 3, 0, 7, 8, 20, 21, 22, 30, 31, 5, 34, 11 };
    const struct kl_sampling_crew crew = { 1, NULL };
    struct kl_sampling_target_f32 t;
    struct kl_sampling_head_f32 *head;
    struct kl_error err;
    *to = (struct head_found){ 0 };
    must(kl_sampling_head_target_f32(&t, &head, q, &err), &err);
    float *w = calloc(t.size, sizeof *w);
    to->grad = calloc(2 * t.size, sizeof *to->grad);
    for (size_t i = 0; i < t.size; i++) w[i] = 0.7f * (float)sin(1.3 * (double)(i + 1));
    must(t.gradient(t.context, to->grad, &to->all, w, NULL, t.n, &crew, &err), &err);
    must(t.gradient(t.context, to->grad + t.size, &to->some, w, rows, SOME, &crew, &err), &err);
    must(t.evaluate(t.context, &to->test, to->losses, w, true, NULL, t.n_test, &crew, &err), &err);
    free(w);
    kl_sampling_head_close_f32(&head);
}

static void check_head(enum kl_core core, enum kl_sampling_part part, const struct kl_features *f)
{
    static const char *const parts[] = { "all", "tail", "head", "circuit" };
    const int64_t test[TEST] = { 1, 2, 6, 9, 13, 17, 23, 31, 40, 44 };
    struct kl_head_options o;
    struct kl_head_model m;
    struct kl_sampling_layout layout;
    struct head_found cpu, gpu;
    struct kl_error err;
    kl_head_options_default(&o);
    o.core = core;
    must(kl_head_model_make(&m, &o, D, CLASSES, &err), &err);
    float *params = calloc(m.block.size, sizeof *params);
    kl_head_init(params, &m, 9, 0);
    struct kl_sampling_head_question q = { .model = &m,
                                           .params = params,
                                           .part = part,
                                           .features = f,
                                           .validation = test,
                                           .n_validation = TEST,
                                           .whiten = true,
                                           .n_threads = 2 };
    kl_sampling_head_prior_default(&q.prior);
    must(kl_sampling_layout_make(&layout, &m, part, &q.prior, &err), &err);
    ask_head(&cpu, &q);
    q.device = &device, ask_head(&gpu, &q);
    double worst = 0, most = 0;
    for (size_t i = 0; i < 2 * layout.size; i++) {
        most = fmax(most, fabs((double)cpu.grad[i]));
        worst = worse(worst, (double)cpu.grad[i] - (double)gpu.grad[i]);
    }
    const char *name = kl_core_names[core], *what = parts[part];
    CHECK(worst < 1e-5 * most && most > 1e-3, "%s, %s: gradients differ by %.3g of %.3g", name, what,
          worst, most);
    CHECK(fabs(cpu.all.loss - gpu.all.loss) < 1e-5 * cpu.all.loss && cpu.all.wrong == gpu.all.wrong &&
              gpu.all.count == TRAIN,
          "%s, %s: losses of all rows", name, what);
    CHECK(fabs(cpu.some.loss - gpu.some.loss) < 1e-5 * cpu.some.loss && gpu.some.count == SOME,
          "%s, %s: losses of some", name, what);
    CHECK(far_from(cpu.losses, gpu.losses, TEST) < 1e-4 && cpu.test.wrong == gpu.test.wrong &&
              fabs(cpu.test.squares - gpu.test.squares) < 1e-4 * cpu.test.squares,
          "%s, %s: losses of test rows differ by %.3g", name, what,
          far_from(cpu.losses, gpu.losses, TEST));
    digest_of(gpu.grad, 2 * layout.size * sizeof *gpu.grad), digest_of(gpu.losses, sizeof gpu.losses);
    free(cpu.grad), free(gpu.grad), free(params);
    kl_sampling_layout_free(&layout);
    kl_head_model_free(&m);
}

static void check_heads(void)
{
    struct kl_features f;
    make_features(&f, ROWS);
    for (int part = KL_SAMPLING_ALL; part <= KL_SAMPLING_CORE; part++)
        if (part == KL_SAMPLING_ALL || !racecheck)
            check_head(KL_CORE_CIRCUIT, (enum kl_sampling_part)part, &f);
    if (!racecheck)
        check_head(KL_CORE_TWIN, KL_SAMPLING_TAIL, &f), check_head(KL_CORE_NONE, KL_SAMPLING_ALL, &f);
    free(f.x), free(f.labels);
}

#endif
