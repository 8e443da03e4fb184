/* SPDX-License-Identifier: MIT
   Quantum Mamba in its four forms: numbers of parameters; gradients with dropout against central
   differences; frozen ones; each window alone, with its own dropout, beside the batch; sets of
   instructions; what is refused. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/isa.h"
#include "sequence/model/model.h"

static int failures;
static void expect(bool right, const char *what, const char *about)
{
    if (right) return;
    printf("%s: %s\n", about, what);
    failures++;
}

enum { N = 5, C = 3, T = 19, K = 3 };
static const char *const models[] = { "mamba", "mamba-hybrid", "mamba-lite", "mamba-hybrid-lite" };

struct set {
    struct kl_sequence_net net;
    double *params, *grad, x[N * C * 32] __attribute__((aligned(64))),
        by_x[N * C * 32] __attribute__((aligned(64))), logits[N * K];
    int32_t labels[N];
    void *work;
    struct kl_sequence_batch_f64 batch;
    struct kl_sequence_result_f64 result;
};
static struct kl_sequence_model_options options(const char *model, bool bare)
{
    struct kl_sequence_model_options o;
    kl_sequence_model_options_default(&o);
    o.model = model, o.qubits = 3, o.dropout = 0.3, o.bare = bare;
    o.logit_dropout = strcmp(model, "mamba") == 0;
    return o;
}
static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) exit(75);
    return memset(p, 0, (bytes + 127) / 64 * 64);
}
static void open_set(struct set *s, const struct kl_sequence_model_options *o)
{
    struct kl_error err;
    const struct kl_sequence_shape shape = { C, T, K, 80 };
    memset(s, 0, sizeof *s);
    if (kl_sequence_net_open(&s->net, o, &shape, &err)) puts(err.text), exit(1);
    const size_t size = s->net.block.size;
    float *start = memory(size * sizeof *start);
    s->params = memory(size * sizeof(double)), s->grad = memory(size * sizeof(double));
    s->work = memory(s->net.model->work_f64(&s->net, N));
    s->net.model->init(&s->net, start, 7, 1);
    for (size_t i = 0; i < size; i++) s->params[i] = (double)start[i];
    free(start);
    for (size_t i = 0; i < N * C * 32; i++)
        s->x[i] = i % 32 < T ? 2 * sin(0.7 * (double)(i * i % 97)) : 0;
    for (int i = 0; i < N; i++) s->labels[i] = i % K;
    s->batch = (struct kl_sequence_batch_f64){ .x = s->x,
                                               .labels = s->labels,
                                               .scale = 0.7,
                                               .n = N,
                                               .training = true,
                                               .seed = 11,
                                               .step = 3,
                                               .row = 5 };
    s->result = (struct kl_sequence_result_f64){ .logits = s->logits, .grad = s->grad, .by_x = s->by_x };
}
static void close_set(struct set *s)
{
    kl_sequence_net_close(&s->net);
    free(s->params), free(s->grad), free(s->work);
}
static double run(struct set *s)
{
    s->net.model->run_f64(&s->result, &s->net, s->params, &s->batch, s->work);
    return s->result.loss * s->batch.scale;
}

static void check_gradients(const struct kl_sequence_model_options *o)
{
    const double h = 1e-6;
    struct set s;
    open_set(&s, o);
    run(&s);
    for (int t = 0; t <= s.net.block.n; t++) {
        const bool of_x = t == s.net.block.n;
        const struct kl_tensor *of = &s.net.block.tensors[of_x ? 0 : t];
        const size_t count = of_x ? N * C * 32 : of->size;
        for (size_t i = 0; i < count; i += 1 + count / 24) {
            if (of_x && i % 32 >= T) continue;
            double *at = of_x ? s.x + i : s.params + of->offset + i;
            const double was = *at, found = of_x ? s.by_x[i] : s.grad[of->offset + i];
            s.result.grad = NULL, s.result.by_x = NULL;
            *at = was + h;
            const double more = run(&s);
            *at = was - h;
            const double want = (more - run(&s)) / (2 * h);
            *at = was, s.result.grad = s.grad, s.result.by_x = s.by_x;
            if (fabs(found - want) <= 1e-8 + 1e-6 * fabs(want)) continue;
            printf("%s%s, %s[%zu]: found %.12g, expected %.12g\n", o->model, o->bare ? ", bare" : "",
                   of_x ? "x" : of->name, i, found, want);
            failures++;
        }
    }
    close_set(&s);
}

/* Tensors that a frozen net leaves as they are, by the ends of their names. */
static bool is_frozen(const char *name)
{
    static const char *const ends[] = {
        "temporal_conv.weight",    "temporal_conv.bias", "feature_projection.weight",
        "feature_projection.bias", "input_proj.weight",  "input_proj.bias",
        "layer_norm.weight",       "layer_norm.bias",    "_params"
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t all = strlen(name), end = strlen(ends[i]);
        if (all >= end && strcmp(name + all - end, ends[i]) == 0) return true;
    }
    return false;
}
static void check_frozen(const char *model)
{
    struct kl_sequence_model_options o = options(model, false);
    struct set free_, frozen;
    open_set(&free_, &o);
    o.frozen = true;
    open_set(&frozen, &o);
    run(&free_);
    for (int by_x = 0; by_x < 2; by_x++) {
        frozen.result.by_x = by_x ? frozen.by_x : NULL;
        memset(frozen.grad, 1, frozen.net.block.size * sizeof(double));
        run(&frozen);
        for (int t = 0; t < frozen.net.block.n; t++) {
            const struct kl_tensor *of = &frozen.net.block.tensors[t];
            for (size_t i = of->offset; i < of->offset + of->size; i++)
                expect(frozen.grad[i] == (is_frozen(of->name) ? 0 : free_.grad[i]), of->name, model);
        }
        expect(!by_x || memcmp(frozen.by_x, free_.by_x, sizeof frozen.by_x) == 0, "by_x of a frozen net",
               model);
    }
    close_set(&free_), close_set(&frozen);
}

/* A window's logits depend on its own row alone. */
static void check_rows(const struct kl_sequence_model_options *o)
{
    struct set all, one;
    open_set(&all, o), open_set(&one, o);
    run(&all);
    for (size_t i = 0; i < N; i++) {
        one.batch.x = one.x + i * C * 32, one.batch.labels = one.labels + i, one.batch.n = 1,
        one.batch.row = 5 + i;
        run(&one);
        expect(memcmp(one.logits, all.logits + i * K, K * sizeof(double)) == 0, "a window alone differs",
               o->model);
        expect(memcmp(one.by_x, all.by_x + i * C * 32, C * 32 * sizeof(double)) == 0, "its by_x differs",
               o->model);
    }
    all.batch.training = false;
    run(&all);
    expect(memcmp(one.logits, all.logits + (N - 1) * K, K * sizeof(double)) != 0, "dropout does nothing",
           o->model);
    close_set(&all), close_set(&one);
}

static void check_sets(const char *model)
{
    const struct kl_sequence_model_options o = options(model, false);
    const enum kl_isa best = kl_isa();
    struct set s, t;
    if (!kl_isa_is_here(KL_ISA_AVX512)) return;
    open_set(&s, &o), open_set(&t, &o);
    kl_isa_use(KL_ISA_AVX2), run(&s);
    kl_isa_use(KL_ISA_AVX512), run(&t);
    kl_isa_use(best);
    expect(memcmp(s.grad, t.grad, s.net.block.size * sizeof(double)) == 0,
           "avx512 gives other bits than avx2", model);
    close_set(&s), close_set(&t);
}

static void check_counts(void)
{
    static const size_t counts[4][4] = { { 1564, 16229, 3281, 4126 },
                                         { 5002, 19365, 7433, 7262 },
                                         { 18160, 23301, 22913, 11198 },
                                         { 69982, 28037, 92489, 15934 } };
    for (int q = 0; q < 4; q++)
        for (int m = 0; m < 4; m++) {
            struct kl_sequence_model_options o;
            struct kl_sequence_net net;
            struct kl_error err;
            const struct kl_sequence_shape shape = { 64, 249, 2, 80 };
            kl_sequence_model_options_default(&o);
            o.model = models[m], o.qubits = 4 + 2 * q;
            if (kl_sequence_net_open(&net, &o, &shape, &err)) puts(err.text), exit(1);
            expect(net.n_parameters == counts[q][m], "another number of parameters", models[m]);
            kl_sequence_net_close(&net);
        }
    static const size_t bare[2][2] = { { 50978, 39031 }, { 15242, 12191 } };
    for (int d = 0; d < 2; d++)
        for (int m = 0; m < 2; m++) {
            struct kl_sequence_model_options o;
            struct kl_sequence_net net;
            struct kl_error err;
            const struct kl_sequence_shape shape = { 1, d ? 228 : 784, d ? 2 : 10, 0 };
            kl_sequence_model_options_default(&o);
            o.model = models[m], o.bare = true;
            if (kl_sequence_net_open(&net, &o, &shape, &err)) puts(err.text), exit(1);
            expect(net.n_parameters == bare[d][m], "another number of parameters, bare", models[m]);
            kl_sequence_net_close(&net);
        }
}

static void check_refused(void)
{
    const struct kl_sequence_shape shape = { C, T, K, 80 };
    struct kl_sequence_model_options o[7];
    for (int i = 0; i < 7; i++) o[i] = options("mamba-lite", false), o[i].logit_dropout = false;
    o[0].qubits = 1, o[1].qubits = 13, o[2].revision = 'a', o[3].bare = true, o[4].logit_dropout = true;
    o[5].dropout = 1, o[6].layers = 0;
    for (int i = 0; i < 7; i++) {
        struct kl_sequence_net net;
        struct kl_error err;
        expect(kl_sequence_net_open(&net, &o[i], &shape, &err) == KL_EUSAGE, "is not refused",
               "an option");
        kl_sequence_net_close(&net);
    }
}

int main(void)
{
    check_counts(), check_refused();
    for (int m = 0; m < 4; m++) {
        const struct kl_sequence_model_options o = options(models[m], false),
                                               bare = options(models[m], true);
        check_gradients(&o), check_rows(&o);
        if (m < 2) check_gradients(&bare), check_rows(&bare);
        check_frozen(models[m]), check_sets(models[m]);
    }
    return failures != 0;
}
