/* SPDX-License-Identifier: MIT
   EEGNet, ShallowFBCSPNet, twins and the readout of means: gradients by parameters and inputs against
   central differences of the loss, with dropout and a batch's statistics; float beside double; each
   window alone beside the batch; instruction sets; numbers of parameters; shapes that are refused. */
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

static unsigned long long random_state = 88172645463325252ull;
static double uniform(void)
{
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0 - 0.5;
}

struct trial {
    const char *model, *twin_of;
    size_t channels, steps;
    int filters, spatial, taps, qubits;
    double weights; /* what the first values are multiplied by */
    bool bare;
};
struct set {
    struct kl_sequence_net net;
    size_t n, size; /* size: of x */
    double *params, *grad, *x, *by_x, *state;
    int32_t labels[8];
    struct kl_sequence_batch_f64 batch;
    struct kl_sequence_result_f64 result;
    double logits[32];
    void *work;
};

static void *room(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!p) exit(1);
    memset(p, 0x55, (bytes + 64) / 64 * 64);
    return p;
}

static void open_set(struct set *s, const struct trial *t, double dropout)
{
    struct kl_sequence_model_options o;
    struct kl_error err;
    kl_sequence_model_options_default(&o);
    o.model = t->model, o.twin_of = t->twin_of, o.dropout = dropout;
    o.filters = t->filters, o.spatial = t->spatial, o.taps = t->taps, o.bare = t->bare;
    if (t->qubits) o.qubits = t->qubits;
    const struct kl_sequence_shape shape = { .channels = t->channels, .steps = t->steps, .classes = 3 };
    *s = (struct set){ .n = 3 };
    if (kl_sequence_net_open(&s->net, &o, &shape, &err)) {
        printf("%s: %s\n", t->model, err.text);
        exit(1);
    }
    const size_t stride = kl_sequence_stride(t->steps), block = s->net.block.size;
    s->size = s->n * t->channels * stride;
    s->params = room(block * sizeof(double)), s->grad = room(block * sizeof(double));
    s->state = room(block * sizeof(double));
    s->x = room(s->size * sizeof(double)), s->by_x = room(s->size * sizeof(double));
    s->work = room(s->net.model->work_f64(&s->net, s->n));
    float *start = room(block * sizeof(float));
    memset(start, 0, block * sizeof(float)), memset(s->x, 0, s->size * sizeof(double));
    s->net.model->init(&s->net, start, 5, 1);
    for (size_t i = 0; i < block; i++) s->params[i] = t->weights * start[i];
    for (int i = s->net.first_state; i < s->net.block.n; i++)
        for (size_t j = 0; j < s->net.block.tensors[i].size; j++)
            s->params[s->net.block.tensors[i].offset + j] = 0.6 + uniform();
    free(start);
    for (size_t i = 0; i < s->n * t->channels; i++)
        for (size_t k = 0; k < t->steps; k++)
            s->x[i * stride + k] = 3 * uniform() + sin(0.3 * (double)k);
    for (int i = 0; i < 8; i++) s->labels[i] = i % 3;
    s->batch = (struct kl_sequence_batch_f64){
        .x = s->x, .labels = s->labels, .scale = 0.7, .n = s->n, .seed = 11, .step = 3, .row = 5
    };
    s->result = (struct kl_sequence_result_f64){
        .logits = s->logits, .grad = s->grad, .by_x = s->by_x, .state = s->state
    };
}

static void close_set(struct set *s)
{
    kl_sequence_net_close(&s->net);
    free(s->params), free(s->grad), free(s->x), free(s->by_x), free(s->state), free(s->work);
}

static void run(struct set *s)
{
    s->net.model->run_f64(&s->result, &s->net, s->params, &s->batch, s->work);
}

static double loss_at(struct set *s, double *value, double at)
{
    const double was = *value;
    *value = at;
    s->result.grad = NULL, s->result.by_x = NULL;
    run(s);
    s->result.grad = s->grad, s->result.by_x = s->by_x, *value = was;
    return s->result.loss * s->batch.scale;
}

static void check_value(struct set *s, double *value, double found, const char *about, const char *what,
                        size_t i)
{
    const double h = 1e-6, was = *value,
                 want = (loss_at(s, value, was + h) - loss_at(s, value, was - h)) / (2 * h);
    if (fabs(found - want) <= 2e-8 + 1e-5 * fabs(want)) return;
    printf("%s, %s[%zu]: found %.12g, expected %.12g\n", about, what, i, found, want);
    failures++;
}

/* Some entries of every tensor, some of the input. */
static void check_gradients(const struct trial *t, bool training, double dropout)
{
    struct set s;
    char about[96];
    open_set(&s, t, dropout);
    snprintf(about, sizeof about, "%s %s%s, %zu x %zu, training %d, dropout %g", t->model,
             t->twin_of ? t->twin_of : "", t->bare ? " bare" : "", t->channels, t->steps, training,
             dropout);
    s.batch.training = training;
    run(&s);
    for (int i = 0; i < s.net.block.n; i++) {
        const struct kl_tensor *of = &s.net.block.tensors[i];
        for (size_t k = 0; k<of->size; k += of->size> 6 ? of->size / 6 : 1) {
            double *value = s.params + of->offset + k;
            if (i < s.net.first_state)
                check_value(&s, value, s.grad[of->offset + k], about, of->name, k);
            else expect(s.grad[of->offset + k] == 0, "a running statistic has a gradient", about);
        }
    }
    const size_t stride = kl_sequence_stride(t->steps);
    for (size_t r = 0; r < s.n * t->channels; r += 2)
        for (size_t k = 0; k < t->steps; k += k + 3 < t->steps && k > 4 ? t->steps / 5 : 3)
            check_value(&s, s.x + r * stride + k, s.by_x[r * stride + k], about, "by_x", r * stride + k);
    for (size_t i = 0; i < s.size; i++)
        expect(i % stride < t->steps || s.by_x[i] == 0, "by_x is not 0 behind the window", about);
    close_set(&s);
}

/* In evaluation a window's logits are its own; all windows in float are near those in double, and the
   same on AVX2 and AVX-512. */
static void check_logits(const struct trial *t)
{
    struct set s;
    double logits[2][32];
    float f_logits[3][32];
    open_set(&s, t, 0);
    for (int training = 0; training < 2; training++) {
        s.batch.training = training;
        run(&s);
        memcpy(logits[training], s.logits, sizeof s.logits);
    }
    s.batch.training = false;
    float *params = room(s.net.block.size * sizeof *params), *x = room(s.size * sizeof *x), *grad[3];
    void *work = room(s.net.model->work_f32(&s.net, s.n));
    for (size_t i = 0; i < s.net.block.size; i++) params[i] = (float)s.params[i];
    for (size_t i = 0; i < s.size; i++) x[i] = (float)s.x[i];
    for (int training = 0; training < 2; training++) {
        const struct kl_sequence_batch_f32 batch = {
            .x = x, .labels = s.labels, .scale = 1, .n = s.n, .training = training
        };
        const enum kl_isa usual = kl_isa();
        for (int isa = 0; isa < 3; isa++) {
            grad[isa] = room(s.net.block.size * sizeof(float));
            if (!kl_isa_is_here(isa)) continue;
            kl_isa_use(isa);
            struct kl_sequence_result_f32 result = { .logits = f_logits[isa], .grad = grad[isa] };
            s.net.model->run_f32(&result, &s.net, params, &batch, work);
            for (size_t k = 0; k < s.n * 3; k++)
                expect(fabs(f_logits[isa][k] - logits[training][k]) <
                           2e-4 * (1 + fabs(logits[training][k])),
                       "float is far from double", t->model);
        }
        if (kl_isa_is_here(KL_ISA_AVX512)) {
            expect(!memcmp(f_logits[1], f_logits[2], s.n * 3 * sizeof(float)),
                   "logits differ between AVX2 and AVX-512", t->model);
            expect(!memcmp(grad[1], grad[2], s.net.block.size * sizeof(float)),
                   "gradients differ between AVX2 and AVX-512", t->model);
        }
        for (int isa = 0; isa < 3; isa++) free(grad[isa]);
        kl_isa_use(usual);
    }
    s.result.grad = NULL, s.result.by_x = NULL, s.batch.n = 1;
    s.batch.x = s.x + s.size / s.n, s.batch.labels = s.labels + 1;
    run(&s);
    expect(!memcmp(s.logits, logits[0] + 3, 3 * sizeof **logits), "a window alone has other logits",
           t->model);
    free(params), free(x), free(work);
    close_set(&s);
}

static void count(const char *model, const char *twin_of, int qubits, size_t expected)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    struct kl_error err;
    kl_sequence_model_options_default(&o);
    o.model = model, o.twin_of = twin_of, o.qubits = qubits;
    const struct kl_sequence_shape shape = { .channels = 64, .steps = 249, .classes = 2 };
    if (kl_sequence_net_open(&net, &o, &shape, &err)) puts(err.text), failures++;
    if (net.n_parameters != expected) {
        printf("%s %s of %d qubits: found %zu parameters, expected %zu\n", model, twin_of ? twin_of : "",
               qubits, net.n_parameters, expected);
        failures++;
    }
    kl_sequence_net_close(&net);
}

/* Bare layers, the specification, section 9: 784 pixels and 10 classes, 228 values and 2. */
static void count_bare(const char *model, const char *twin_of, const size_t expected[2])
{
    static const struct kl_sequence_shape shapes[2] = { { .channels = 1, .steps = 784, .classes = 10 },
                                                        { .channels = 1, .steps = 228, .classes = 2 } };
    for (int i = 0; i < 2; i++) {
        struct kl_sequence_model_options o;
        struct kl_sequence_net net;
        struct kl_error err;
        kl_sequence_model_options_default(&o);
        o.model = model, o.twin_of = twin_of, o.bare = true;
        if (kl_sequence_net_open(&net, &o, &shapes[i], &err)) puts(err.text), failures++;
        if (net.n_parameters != expected[i]) {
            printf("%s %s, bare, %zu steps: found %zu parameters, expected %zu\n", model,
                   twin_of ? twin_of : "", shapes[i].steps, net.n_parameters, expected[i]);
            failures++;
        }
        kl_sequence_net_close(&net);
    }
}

static void refused_bare(const char *twin_of, const char *because)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    struct kl_error err = { 0 };
    kl_sequence_model_options_default(&o);
    o.model = "twin", o.twin_of = twin_of, o.bare = true;
    const struct kl_sequence_shape shape = { .channels = 1, .steps = 228, .classes = 2 };
    expect(kl_sequence_net_open(&net, &o, &shape, &err) == KL_EUSAGE, "not refused", twin_of);
    expect(strstr(err.text, because) != NULL, err.text, twin_of);
    kl_sequence_net_close(&net);
}

static void refused(const char *model, const char *twin_of, size_t channels, size_t steps, int taps,
                    const char *because)
{
    struct kl_sequence_model_options o;
    struct kl_sequence_net net;
    struct kl_error err = { 0 };
    kl_sequence_model_options_default(&o);
    o.model = model, o.twin_of = twin_of, o.taps = taps;
    const struct kl_sequence_shape shape = { .channels = channels, .steps = steps, .classes = 2 };
    const int code = kl_sequence_net_open(&net, &o, &shape, &err);
    expect(code == KL_EUSAGE, "a shape was not refused", model);
    if (!strstr(err.text, because)) printf("%s: said '%s'\n", model, err.text), failures++;
    kl_sequence_net_close(&net);
}

static const struct trial trials[] = {
    { "eegnet", NULL, 5, 77, 3, 2, 16, 0, 1, false },
    { "eegnet", NULL, 17, 70, 9, 2, 13, 0, 3,
      false }, /* two blocks of signals; filters beyond their norm */
    { "eegnet", NULL, 2, 31, 2, 1, 64, 0, 1, false }, /* more taps than steps */
    { "shallow", NULL, 4, 131, 3, 5, 9, 0, 1, false },
    { "shallow", NULL, 3, 80, 2, 3, 1, 0, 1, false },
    { "twin", "hydra", 5, 21, 0, 0, 0, 3, 1, false },
    { "twin", "hydra-hybrid", 5, 16, 0, 0, 0, 3, 1, false },
    { "twin", "mamba", 5, 21, 0, 0, 0, 3, 1, false },
    { "twin", "mamba", 5, 21, 0, 0, 0, 8, 1, false }, /* weights of the map repeat */
    { "twin", "mamba-hybrid", 5, 35, 0, 0, 0, 3, 1, false },
    { "twin", "mamba-lite", 5, 21, 0, 0, 0, 4, 1, false },
    { "twin", "mamba-hybrid-lite", 5, 21, 0, 0, 0, 3, 1, false },
    { "means", NULL, 5, 21, 0, 0, 0, 0, 1, false },
    { .model = "means", .channels = 3, .steps = 19, .weights = 1, .bare = true },
    { "twin", "hydra", 2, 19, 0, 0, 0, 3, 1, true },
    { "twin", "hydra-hybrid", 1, 33, 0, 0, 0, 3, 1, true },
    { "twin", "mamba", 2, 19, 0, 0, 0, 3, 1, true },
    { "twin", "mamba-hybrid", 1, 33, 0, 0, 0, 3, 1, true },
};

int main(void)
{
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        check_logits(&trials[i]);
        check_gradients(&trials[i], false, 0);
        check_gradients(&trials[i], true, 0);
        check_gradients(&trials[i], true, 0.3);
    }
    count("eegnet", NULL, 6, 2354), count("shallow", NULL, 6, 104402), count("means", NULL, 6, 130);
    /* those of the quantum models, the specification, section 9 */
    const size_t twins[6][4] = { { 3614, 6170, 9310, 13034 },  { 4082, 7196, 11110, 15824 },
                                 { 1564, 5002, 18160, 69982 }, { 16229, 19365, 23301, 28037 },
                                 { 3281, 7433, 22913, 92489 }, { 4126, 7262, 11198, 15934 } };
    const char *const names[6] = { "hydra",        "hydra-hybrid", "mamba",
                                   "mamba-hybrid", "mamba-lite",   "mamba-hybrid-lite" };
    for (int m = 0; m < 6; m++)
        for (int q = 0; q < 4; q++) {
            count(names[m], NULL, 4 + 2 * q, twins[m][q]);
            count("twin", names[m], 4 + 2 * q, twins[m][q]);
        }
    const size_t bare[4][2] = { { 37939, 11099 }, { 38965, 12125 }, { 50978, 15242 }, { 39031, 12191 } };
    for (int m = 0; m < 4; m++)
        count_bare(names[m], NULL, bare[m]), count_bare("twin", names[m], bare[m]);
    count_bare("means", NULL, (const size_t[]){ 7850, 458 });
    refused_bare("mamba-lite", "mamba has the same one");
    refused_bare("mamba-hybrid-lite", "mamba-hybrid has the same one");
    refused("eegnet", NULL, 64, 26, 0, "27 steps"), refused("eegnet", NULL, 0, 249, 0, "0 channels");
    refused("eegnet", NULL, 64, 249, 5000, "5000 taps");
    refused("shallow", NULL, 1 << 20, 1 << 9, 0, "at most 268435456 numbers; cut shorter windows");
    refused("shallow", NULL, 64, 98, 0, "99 steps"), refused("shallow", NULL, 64, 249, -1, "-1 taps");
    refused("twin", "eegnet", 64, 249, 0, "no quantum model 'eegnet'");
    return failures != 0;
}
