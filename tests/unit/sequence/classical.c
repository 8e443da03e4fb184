/* SPDX-License-Identifier: MIT
   Classical Mamba and Hydra: numbers of parameters, first values, what is refused; gradients against
   central differences, with dropout and for windows shorter than the convolution; a window's results do
   not depend on what stands beside it; no byte behind the workspace is touched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/model/model.h"
#include "tests/unit/check.h"

static struct kl_error err;

static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) exit(75);
    return memset(p, 0, (bytes + 63) / 64 * 64);
}
static struct kl_sequence_model_options options(const char *model)
{
    struct kl_sequence_model_options o;
    kl_sequence_model_options_default(&o);
    o.model = model;
    return o;
}

/* ---- sizes, first values ---- */
static void check_counts(const char *model, size_t expected)
{
    struct kl_sequence_net net;
    const struct kl_sequence_model_options o = options(model);
    const struct kl_sequence_shape shape = { 64, 249, 2, 80 };
    CHECK(kl_sequence_net_open(&net, &o, &shape, &err) == 0, "%s", err.text);
    CHECK(net.n_parameters == expected, "%s: %zu", model, net.n_parameters);
    CHECK(net.first_state == net.block.n);
    float *w = memory(net.block.size * sizeof *w), *other = memory(net.block.size * sizeof *w);
    net.model->init(&net, w, 1, 0), net.model->init(&net, other, 1, 1);
    const struct kl_tensor
        *in = &net.block.tensors[kl_nn_block_find(&net.block, "layers.1.in_proj.weight")],
        *dt = &net.block.tensors[kl_nn_block_find(&net.block, "layers.1.ssm.dt_proj.bias")],
        *a = &net.block.tensors[kl_nn_block_find(&net.block, "layers.0.ssm.A_log")];
    double most = 0, least = 1, largest = 0, squares = 0;
    for (size_t i = 0; i < in->size; i++) {
        const double x = (double)w[in->offset + i];
        most = fmax(most, fabs(x)), squares += x * x;
    }
    CHECK(most < 1 / sqrt(128) && most > 0.999 / sqrt(128), "%g", most);
    CHECK(fabs(squares / (double)in->size * 3 * 128 - 1) < 0.02, "%g",
          squares / (double)in->size * 3 * 128);
    for (size_t i = 0; i < dt->size; i++) {
        const double step = log1p(exp((double)w[dt->offset + i]));
        least = fmin(least, step), largest = fmax(largest, step);
    }
    CHECK(least >= 0.000999 && least < 0.0015 && largest <= 0.1001 && largest > 0.08, "%g %g", least,
          largest);
    for (size_t i = 0; i < a->size; i++)
        CHECK(w[a->offset + i] == (float)log((double)(i % 16 + 1)), "%zu", i);
    CHECK(memcmp(w + in->offset, other + in->offset, in->size * sizeof *w) != 0, "replicas begin alike");
    free(w), free(other);
    kl_sequence_net_close(&net);
}

static void refused(const char *model, const struct kl_sequence_model_options *o,
                    const struct kl_sequence_shape *shape, const char *word)
{
    struct kl_sequence_net net;
    const int code = kl_sequence_net_open(&net, o, shape, &err);
    CHECK(code == KL_EUSAGE && strstr(err.text, word) && strstr(err.text, model) &&
              !strchr(err.text, '\n'),
          "%d: %s (expected a word of %s)", code, err.text, word);
    kl_sequence_net_close(&net);
}
static void check_refusals(const char *model, bool hydra)
{
    const struct kl_sequence_shape good = { 3, 9, 2, 0 };
    static const struct kl_sequence_shape bad[] = {
        { 0, 9, 2, 0 }, { 3, 0, 2, 0 }, { 3, 9, 1, 0 }, { 3, (size_t)1 << 40, 2, 0 }
    };
#define WITH(field, value, word)                             \
    do {                                                     \
        struct kl_sequence_model_options o = options(model); \
        o.field = value;                                     \
        refused(model, &o, &good, word);                     \
    } while (0)
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const struct kl_sequence_model_options o = options(model);
        refused(model, &o, &bad[i], "windows of");
    }
    WITH(width, 0, "width 0");
    WITH(width, 20, "multiple of 8");
    WITH(width, 2048, "2048");
    WITH(state, 0, "0 states");
    WITH(state, 300, "300 states");
    WITH(layers, 0, "0 layers");
    WITH(dropout, 1, "dropout 1");
    WITH(dropout, -0.1, "dropout");
    WITH(dropout, NAN, "dropout");
    WITH(revision, 'c', "revision 'c'");
    WITH(frozen, true, "frozen");
    WITH(logit_dropout, true, "logits");
    if (!hydra) WITH(revision, 'a', "its only one");
    struct kl_sequence_model_options o = options(model);
    const struct kl_sequence_shape long_one = { 2048, 2048, 2, 0 };
    o.bare = true;
    refused(model, &o, &long_one, "windows of");
}

/* ---- results ---- */
struct run {
    struct kl_sequence_net net;
    struct kl_sequence_batch_f64 batch;
    struct kl_sequence_result_f64 result;
    double *params, *x;
    unsigned char *work;
    size_t work_size, n_x;
    int32_t labels[4];
};
enum { CANARY = 64 };

static void begin(struct run *r, const struct kl_sequence_model_options *o,
                  struct kl_sequence_shape shape, size_t n)
{
    memset(r, 0, sizeof *r);
    CHECK(kl_sequence_net_open(&r->net, o, &shape, &err) == 0, "%s", err.text);
    const size_t stride = kl_sequence_stride(shape.steps), size = r->net.block.size;
    r->n_x = n * shape.channels * stride;
    r->params = memory(size * sizeof(double)), r->x = memory(r->n_x * sizeof(double));
    float *start = memory(size * sizeof *start);
    r->net.model->init(&r->net, start, 5, 0);
    for (size_t i = 0; i < size; i++) r->params[i] = (double)start[i];
    free(start);
    for (size_t i = 0; i < r->n_x; i++) r->x[i] = i % stride < shape.steps ? sin(1.7 * (double)i) : 0;
    for (size_t i = 0; i < n; i++) r->labels[i] = (int32_t)(i % (size_t)shape.classes);
    r->work_size = r->net.model->work_f64(&r->net, n);
    r->work = memory(r->work_size + CANARY);
    memset(r->work, 0xff, r->work_size); /* NaN: nothing is read that was not written */
    memset(r->work + r->work_size, 0x5a, CANARY);
    r->batch = (struct kl_sequence_batch_f64){ .x = r->x,
                                               .labels = r->labels,
                                               .scale = 0.5,
                                               .n = n,
                                               .training = o->dropout > 0,
                                               .seed = 3,
                                               .step = 9,
                                               .row = 2 };
    r->result = (struct kl_sequence_result_f64){ .logits = memory(n * (size_t)shape.classes * 8),
                                                 .grad = memory(size * 8),
                                                 .by_x = memory(r->n_x * 8) };
}
static void end(struct run *r)
{
    for (size_t i = 0; i < CANARY; i++) CHECK(r->work[r->work_size + i] == 0x5a, "behind the workspace");
    free(r->params), free(r->x), free(r->work), free(r->result.logits), free(r->result.grad),
        free(r->result.by_x);
    kl_sequence_net_close(&r->net);
}
static void run(struct run *r)
{
    r->net.model->run_f64(&r->result, &r->net, r->params, &r->batch, r->work);
}
static double loss(struct run *r)
{
    struct kl_sequence_result_f64 without = { .logits = r->result.logits };
    r->net.model->run_f64(&without, &r->net, r->params, &r->batch, r->work);
    return without.loss * r->batch.scale;
}

/* A number in place, up and down. */
static double difference(struct run *r, double *at)
{
    const double was = *at, step = 1e-5;
    *at = was + step;
    const double up = loss(r);
    *at = was - step;
    const double down = loss(r);
    *at = was;
    return (up - down) / (2 * step);
}
static void check_gradients(const struct kl_sequence_model_options *o, struct kl_sequence_shape shape)
{
    struct run r;
    begin(&r, o, shape, 2);
    run(&r);
    for (int i = 0; i < r.net.block.n; i++) {
        const struct kl_tensor *t = &r.net.block.tensors[i];
        for (size_t j = 0; j < t->size; j += 1 + t->size / 7) {
            const double found = r.result.grad[t->offset + j],
                         expected = difference(&r, &r.params[t->offset + j]);
            CHECK(fabs(found - expected) < 1e-8 + 1e-6 * fabs(expected), "%s, %s [%zu]: %.9g, %.9g",
                  o->model, t->name, j, found, expected);
        }
        for (size_t j = t->size; (t->offset + j) % 16; j++)
            CHECK(r.result.grad[t->offset + j] == 0, "padding of %s", t->name);
    }
    const size_t stride = kl_sequence_stride(shape.steps);
    for (size_t i = 0; i < r.n_x; i++) {
        if (i % stride >= shape.steps) CHECK(r.result.by_x[i] == 0, "padding of x");
        else if (i % 3 == 0) {
            const double expected = difference(&r, &r.x[i]);
            CHECK(fabs(r.result.by_x[i] - expected) < 1e-8 + 1e-6 * fabs(expected),
                  "%s, x [%zu]: %.9g, %.9g", o->model, i, r.result.by_x[i], expected);
        }
    }
    end(&r);
}

/* The second window alone, as a part that begins at its row; without gradients; by the input alone. */
static void check_alone(const struct kl_sequence_model_options *o)
{
    const struct kl_sequence_shape shape = { 5, 20, 3, 0 };
    struct run r, alone;
    begin(&r, o, shape, 3), begin(&alone, o, shape, 1);
    run(&r);
    memcpy(alone.x, r.x + r.n_x / 3, r.n_x / 3 * sizeof(double));
    alone.labels[0] = r.labels[1], alone.batch.row = r.batch.row + 1;
    run(&alone);
    CHECK(memcmp(alone.result.logits, r.result.logits + 3, 3 * sizeof(double)) == 0, "%s: logits",
          o->model);
    CHECK(memcmp(alone.result.by_x, r.result.by_x + r.n_x / 3, r.n_x / 3 * sizeof(double)) == 0,
          "%s: by x", o->model);
    double *by_x = memory(r.n_x * 8), *logits = memory(9 * 8);
    memcpy(by_x, r.result.by_x, r.n_x * 8), memcpy(logits, r.result.logits, 9 * 8);
    free(r.result.grad), r.result.grad = NULL;
    memset(r.work, 0xff, r.work_size);
    run(&r);
    CHECK(memcmp(by_x, r.result.by_x, r.n_x * 8) == 0, "%s: by x, without parameters' gradients",
          o->model);
    loss(&r);
    CHECK(memcmp(logits, r.result.logits, 9 * 8) == 0, "%s: logits, without gradients", o->model);
    free(by_x), free(logits), end(&r), end(&alone);
}

int main(void)
{
    check_counts("classical-mamba", 241922), check_counts("classical-hydra", 240322);
    for (int hydra = 0; hydra < 2; hydra++) {
        struct kl_sequence_model_options o = options(hydra ? "classical-hydra" : "classical-mamba");
        check_refusals(o.model, hydra);
        o.width = 8, o.state = 3;
        for (char revision = hydra ? 'a' : 'b'; revision <= 'b'; revision++) {
            o.revision = revision;
            check_gradients(&o, (struct kl_sequence_shape){ 4, 10, 3, 0 });
            check_gradients(&o, (struct kl_sequence_shape){ 2, 1, 2, 0 }); /* one step */
            check_gradients(&o, (struct kl_sequence_shape){ 1, 3, 2, 0 });
        }
        o.width = 24, o.layers = 1, o.dropout = 0.3;
        check_gradients(&o, (struct kl_sequence_shape){ 3, 17, 2, 0 });
        check_alone(&o);
        o.bare = true, o.layers = 3;
        check_gradients(&o, (struct kl_sequence_shape){ 3, 5, 2, 0 });
        check_alone(&o);
    }
    return failures != 0;
}
