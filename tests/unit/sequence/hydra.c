/* SPDX-License-Identifier: MIT
   Quantum Hydra and its hybrid without a reference: counts of parameters, what is refused, one window
   among others, windows in parts, dropout, frozen circuits, AVX2 against AVX-512. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/isa.h"
#include "sequence/model/model.h"

enum { N = 6, C = 5, T = 37, MOST = 1 << 16 };
static int failures;
static struct kl_error err;

static void expect(bool right, const char *what)
{
    if (right) return;
    printf("%s\n", what);
    failures++;
}
static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) exit(75);
    return memset(p, 0, (bytes + 127) / 64 * 64);
}
static int open_net(struct kl_sequence_net *net, const char *model, int qubits, size_t channels,
                    size_t steps, int classes, bool bare)
{
    struct kl_sequence_model_options o;
    const struct kl_sequence_shape shape = { channels, steps, classes, 80 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.qubits = qubits, o.bare = bare;
    return kl_sequence_net_open(net, &o, &shape, &err);
}

/* The reference's counts at 64 channels, 249 steps; bare layers of MNIST and DNA. */
static void counts(void)
{
    static const struct {
        const char *model;
        int qubits;
        size_t channels, steps;
        int classes;
        bool bare;
        size_t count;
    } all[] = {
        { "hydra", 4, 64, 249, 2, false, 3614 },
        { "hydra", 6, 64, 249, 2, false, 6170 },
        { "hydra", 8, 64, 249, 2, false, 9310 },
        { "hydra", 10, 64, 249, 2, false, 13034 },
        { "hydra-hybrid", 4, 64, 249, 2, false, 4082 },
        { "hydra-hybrid", 6, 64, 249, 2, false, 7196 },
        { "hydra-hybrid", 8, 64, 249, 2, false, 11110 },
        { "hydra-hybrid", 10, 64, 249, 2, false, 15824 },
        { "hydra", 6, 1, 784, 10, true, 37939 },
        { "hydra-hybrid", 6, 1, 784, 10, true, 38965 },
        { "hydra", 6, 1, 228, 2, true, 11099 },
        { "hydra-hybrid", 6, 4, 57, 2, true, 12125 },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct kl_sequence_net net;
        expect(!open_net(&net, all[i].model, all[i].qubits, all[i].channels, all[i].steps,
                         all[i].classes, all[i].bare),
               "a net of the reference does not open");
        if (net.n_parameters != all[i].count)
            printf("%s of %d qubits: found %zu parameters, expected %zu\n", all[i].model, all[i].qubits,
                   net.n_parameters, all[i].count),
                failures++;
        kl_sequence_net_close(&net);
    }
    struct kl_sequence_net net;
    for (int qubits = 1; qubits <= 15; qubits += 14) {
        expect(open_net(&net, "hydra", qubits, 4, 9, 2, false) == KL_EUSAGE,
               "1 or 15 qubits are not refused");
        kl_sequence_net_close(&net);
    }
}

/* ---- results ---- */
struct seen {
    float logits[2 * N], grad[MOST], by_x[N * C * 48];
    double loss;
    size_t correct;
};
static float *x;
static int32_t labels[N];

static void run(struct seen *s, const struct kl_sequence_net *net, const float *params, size_t first,
                size_t n, bool training)
{
    const size_t stride = kl_sequence_stride(net->shape.steps);
    const struct kl_sequence_batch_f32 batch = { .x = x + first * C * stride,
                                                 .labels = labels + first,
                                                 .scale = 1,
                                                 .n = n,
                                                 .training = training,
                                                 .seed = 7,
                                                 .step = 3,
                                                 .row = first };
    memset(s, 0, sizeof *s); /* the padding of gradients stays as it was */
    struct kl_sequence_result_f32 result = { .logits = s->logits, .grad = s->grad, .by_x = s->by_x };
    void *work = memory(net->model->work_f32(net, n));
    net->model->run_f32(&result, net, params, &batch, work);
    s->loss = result.loss, s->correct = result.correct;
    free(work);
}
static double difference(const float *a, const float *b, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}
static double largest(const float *a, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs((double)a[i]));
    return most;
}

static void among_others(const struct kl_sequence_net *net, const float *params)
{
    static struct seen all, one;
    static float sum[MOST];
    const size_t window = C * kl_sequence_stride(T), size = net->block.size;
    run(&all, net, params, 0, N, false);
    memset(sum, 0, sizeof sum);
    double loss = 0;
    for (size_t i = 0; i < N; i++) {
        run(&one, net, params, i, 1, false);
        loss += one.loss;
        expect(!memcmp(one.logits, all.logits + 2 * i, sizeof(float[2])),
               "logits depend on other windows");
        expect(!memcmp(one.by_x, all.by_x + i * window, window * sizeof(float)) || net->options.bare,
               "gradients by the input depend on other windows");
        for (size_t j = 0; j < size; j++) sum[j] += one.grad[j];
    }
    expect(fabs(loss - all.loss) < 1e-12 * fabs(loss), "losses do not add up");
    expect(difference(sum, all.grad, size) <= 1e-5 * largest(all.grad, size), "gradients do not add up");
    /* The padding of by_x stays 0. */
    for (size_t r = 0; r < N * C; r++)
        for (size_t t = T; t < 48; t++) expect(all.by_x[r * 48 + t] == 0, "gradient by the padding");
}

/* The same draw whichever part a window is in; inputs that are dropped have no gradient. */
static void dropout(struct kl_sequence_net *net, const float *params)
{
    static struct seen all, part, none;
    const size_t window = C * kl_sequence_stride(T);
    size_t zero = 0, count = 0;
    run(&none, net, params, 0, N, true);
    net->options.dropout = 0.25;
    run(&all, net, params, 0, N, true), run(&part, net, params, 2, 3, true);
    expect(difference(part.logits, all.logits + 4, 6) == 0, "dropout depends on the part");
    expect(difference(none.logits, all.logits, 2 * N) > 1e-4, "dropout does nothing");
    for (size_t i = 0; i < N * window; i++)
        if (i % 48 < T) count++, zero += all.by_x[i] == 0;
    expect(fabs((double)zero / (double)count - 0.25) < 0.04, "another share than a quarter is dropped");
    run(&part, net, params, 0, N, false);
    expect(difference(none.logits, part.logits, 2 * N) == 0, "dropout outside of training");
    net->options.dropout = 0;
}

static void frozen(struct kl_sequence_net *net, const float *params)
{
    static struct seen free_, kept;
    run(&free_, net, params, 0, N, false);
    net->options.frozen = true;
    run(&kept, net, params, 0, N, false);
    net->options.frozen = false;
    for (int i = 0; i < net->block.n; i++) {
        const struct kl_tensor *t = &net->block.tensors[i];
        const char *name = t->name;
        const bool circuit = strstr(name, "projection") || strstr(name, "params") ||
                             strstr(name, "alpha") || strstr(name, "beta") || strstr(name, "gamma");
        if (circuit)
            expect(largest(kept.grad + t->offset, t->size) == 0, "a frozen parameter has a gradient");
        else
            expect(!memcmp(kept.grad + t->offset, free_.grad + t->offset, t->size * sizeof(float)),
                   "the read-out's gradient depends on what is frozen");
    }
    expect(!memcmp(kept.by_x, free_.by_x, sizeof kept.by_x), "gradient by the input of a frozen net");
}

static void instructions(const struct kl_sequence_net *net, const float *params)
{
    static struct seen seen[2];
    if (!kl_isa_is_here(2)) return;
    for (int i = 0; i < 2; i++) {
        memset(&seen[i], 0, sizeof seen[i]);
        kl_isa_use(1 + i);
        run(&seen[i], net, params, 0, N, true);
    }
    expect(!memcmp(&seen[0], &seen[1], sizeof *seen), "AVX2 and AVX-512 differ");
}

int main(void)
{
    counts();
    x = memory(N * C * 48 * sizeof *x);
    for (size_t i = 0; i < N * C * 48; i++)
        if (i % 48 < T) x[i] = (float)sin(0.7 * (double)i);
    for (int i = 0; i < N; i++) labels[i] = i % 2;
    for (int qubits = 2; qubits <= 8; qubits += 2)
        for (int m = 0; m < 4; m++) {
            struct kl_sequence_net net;
            expect(!open_net(&net, m % 2 ? "hydra-hybrid" : "hydra", qubits, C, T, 2, m > 1), err.text);
            float *params = memory(net.block.size * sizeof *params);
            net.model->init(&net, params, 1, 0);
            among_others(&net, params), dropout(&net, params), frozen(&net, params),
                instructions(&net, params);
            free(params), kl_sequence_net_close(&net);
        }
    free(x);
    return failures != 0;
}
