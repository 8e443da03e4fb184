/* SPDX-License-Identifier: MIT
   Classical Mamba (Gu & Dao 2023, arXiv:2312.00752) and Hydra (Hwang, Lahoti, Dao & Gu 2024,
   arXiv:2407.09941) as the reference of the quantum models has them: their tensors and first values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sequence/model/classical_int.h"

enum { WIDTH_MOST = 1024, STATE_MOST = 256, LAYERS_MOST = 64, STEPS_MOST = 1 << 20 };

/* ---- what it can be ---- */
static int refuse(const struct kl_sequence_net *net, struct kl_error *err)
{
    const struct kl_sequence_model_options *o = &net->options;
    const struct kl_sequence_shape *shape = &net->shape;
    const char *name = net->model->name;
    const bool hydra = strcmp(name, "classical-hydra") == 0;
    if (o->width < 8 || o->width > WIDTH_MOST || o->width % 8)
        return kl_fail(err, KL_EUSAGE, "%s: found width %d, expected a multiple of 8 from 8 to %d", name,
                       o->width, WIDTH_MOST);
    if (o->state < 1 || o->state > STATE_MOST)
        return kl_fail(err, KL_EUSAGE, "%s: found %d states, expected 1 to %d", name, o->state,
                       STATE_MOST);
    if (o->layers < 1 || o->layers > LAYERS_MOST)
        return kl_fail(err, KL_EUSAGE, "%s: found %d layers, expected 1 to %d", name, o->layers,
                       LAYERS_MOST);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return kl_fail(err, KL_EUSAGE, "%s: found dropout %g, expected 0 or more, below 1", name,
                       o->dropout);
    if (o->revision != 'b' && !(hydra && o->revision == 'a'))
        return kl_fail(err, KL_EUSAGE, "%s: found revision '%c', expected %s", name, o->revision,
                       hydra ? "a (Euler's steps) or b (exponentials)" : "b, its only one");
    if (o->frozen || o->logit_dropout)
        return kl_fail(err, KL_EUSAGE, "%s has no %s; they belong to quantum models", name,
                       o->frozen ? "circuit that could be frozen" : "dropout of logits");
    if (shape->classes < 2 || shape->channels < 1 || shape->steps < 1 || shape->channels > STEPS_MOST ||
        shape->steps > STEPS_MOST || (o->bare && shape->channels * shape->steps > STEPS_MOST))
        return kl_fail(err, KL_EUSAGE,
                       "%s: found windows of %zu x %zu in %d classes, expected 1 to %d of each, and 2 "
                       "classes or more",
                       name, shape->channels, shape->steps, shape->classes, STEPS_MOST);
    return 0;
}

/* ---- tensors ---- */
struct names {
    struct kl_sequence_net *net;
    struct kl_error *err;
    int code;  /* the first error */
    int layer; /* -1: none */
};
static const char *full_name(char *text, size_t size, const struct names *n, const char *name)
{
    if (n->layer < 0) snprintf(text, size, "%s", name);
    else snprintf(text, size, "layers.%d.%s", n->layer, name);
    return text;
}
static int keep(struct names *n, int number)
{
    if (number < 0 && !n->code) n->code = number;
    return number;
}
/* Of a linear layer, or of rank 1. */
static int add(struct names *n, const char *name, int rank, size_t d0, size_t d1)
{
    char text[48];
    if (n->code) return -1;
    return keep(
        n, kl_nn_block_add(&n->net->block, full_name(text, sizeof text, n, name), rank, d0, d1, n->err));
}
/* In memory as in files. */
static int add_plain(struct names *n, const char *name, int rank, size_t d0, size_t d1, size_t d2)
{
    char text[48];
    if (n->code) return -1;
    return keep(n, kl_nn_block_add_tensor(&n->net->block, full_name(text, sizeof text, n, name), rank,
                                          (size_t[]){ d0, d1, d2 }, n->err));
}

/* In the reference's order of registration. */
static void add_block(struct names *n, const struct kl_classical *own, struct kl_classical_block *b)
{
    const size_t e = own->inner;
    b->outer_norm = -1;
    b->in_proj = add(n, "in_proj.weight", 2, own->projected, own->width);
    b->x_proj = own->hydra ? -1 : add(n, "x_proj.weight", 2, own->mixed, e);
    b->conv = add_plain(n, "conv1d.weight", 3, e, 1, KL_SCAN_TAPS);
    b->conv_bias = add(n, "conv1d.bias", 1, e, 0);
    b->a_log = add_plain(n, "ssm.A_log", 2, e, own->states, 1);
    b->d = add(n, "ssm.D", 1, e, 0);
    b->dt = add(n, "ssm.dt_proj.weight", 2, e, own->rank);
    b->dt_bias = add(n, "ssm.dt_proj.bias", 1, e, 0);
    b->out_proj = add(n, "out_proj.weight", 2, own->width, e);
    b->norm = add(n, "norm.weight", 1, own->hydra ? e : own->width, 0);
}
static void add_outer_norms(struct names *n, const struct kl_classical *own)
{
    char text[48];
    n->layer = -1;
    for (int i = 0; i < own->n_blocks && own->hydra; i++) {
        snprintf(text, sizeof text, "norms.%d.weight", i);
        own->blocks[i].outer_norm = add(n, text, 1, own->width, 0);
    }
}
static void add_head(struct names *n, struct kl_classical *own, size_t classes)
{
    own->final_norm = add(n, "final_norm.weight", 1, own->width, 0);
    if (own->hydra) {
        own->head[0] = add(n, "classifier.0.weight", 2, own->hidden, own->width);
        own->head_bias[0] = add(n, "classifier.0.bias", 1, own->hidden, 0);
        own->head[1] = add(n, "classifier.3.weight", 2, classes, own->hidden);
        own->head_bias[1] = add(n, "classifier.3.bias", 1, classes, 0);
        return;
    }
    own->head[0] = add(n, "classifier.weight", 2, classes, own->width);
    own->head_bias[0] = add(n, "classifier.bias", 1, classes, 0);
    own->head[1] = own->head_bias[1] = -1;
}

static size_t rows_of(size_t values)
{
    return (values + KL_SCAN_SIDE - 1) / KL_SCAN_SIDE * KL_SCAN_SIDE;
}
static void measure(struct kl_classical *own, const struct kl_sequence_net *net, bool hydra)
{
    const struct kl_sequence_model_options *o = &net->options;
    own->hydra = hydra;
    own->rule = !hydra ? KL_SCAN_MAMBA : o->revision == 'a' ? KL_SCAN_EULER : KL_SCAN_EXP;
    own->channels = o->bare ? 1 : net->shape.channels;
    own->steps = o->bare ? net->shape.channels * net->shape.steps : net->shape.steps;
    own->width = (size_t)o->width, own->inner = 2 * own->width, own->states = (size_t)o->state;
    own->rank = (own->width + 15) / 16, own->hidden = own->width / 2;
    own->mixed = hydra ? 0 : own->rank + 2 * own->states;
    own->projected = 2 * own->inner + (hydra ? own->rank + 2 * own->states : 0);
    own->ld = rows_of(own->width), own->ld_projected = rows_of(own->projected);
    own->ld_mixed = rows_of(own->mixed);
    own->n_blocks = o->layers;
}

static int classical_open(struct kl_sequence_net *net, bool hydra, struct kl_error *err)
{
    const int code = refuse(net, err);
    if (code) return code;
    struct kl_classical *own = net->own = calloc(1, sizeof *own);
    if (!own) return kl_fail_memory(err, sizeof *own);
    measure(own, net, hydra);
    own->blocks = calloc((size_t)own->n_blocks, sizeof *own->blocks);
    if (!own->blocks) return kl_fail_memory(err, (size_t)own->n_blocks * sizeof *own->blocks);
    struct names n = { .net = net, .err = err, .layer = -1 };
    own->embedding = add(&n, "embedding.weight", 2, own->width, own->channels);
    own->embedding_bias = add(&n, "embedding.bias", 1, own->width, 0);
    for (n.layer = 0; n.layer < own->n_blocks; n.layer++) add_block(&n, own, &own->blocks[n.layer]);
    add_outer_norms(&n, own);
    add_head(&n, own, (size_t)net->shape.classes);
    for (int i = 0; i < net->block.n; i++) net->n_parameters += net->block.tensors[i].size;
    return n.code;
}

static void classical_close(struct kl_sequence_net *net)
{
    struct kl_classical *own = net->own;
    if (own) free(own->blocks);
    free(own);
}

/* ---- first values: PyTorch's of linear layers and convolutions, Mamba's of the rest ---- */
struct start {
    const struct kl_sequence_net *net;
    float *params;
    uint64_t seed;
    uint32_t replica;
};
static void uniform(const struct start *s, int tensor, double bound)
{
    kl_sequence_start(s->params, &s->net->block.tensors[tensor], -bound, bound, s->seed, tensor,
                      s->replica);
}
/* As torch.nn.Linear: weight and bias (-1: none). */
static void linear(const struct start *s, int weight, int bias)
{
    const double bound = 1 / sqrt((double)s->net->block.tensors[weight].dims[1]);
    uniform(s, weight, bound);
    if (bias >= 0) uniform(s, bias, bound);
}
static void ones(const struct start *s, int tensor)
{
    const struct kl_tensor *t = &s->net->block.tensors[tensor];
    for (size_t i = 0; i < t->size; i++) s->params[t->offset + i] = 1;
}
/* softplus(bias) is e^U(ln 0.001, ln 0.1). */
static void start_dt(const struct start *s, const struct kl_classical *own,
                     const struct kl_classical_block *b)
{
    const struct kl_tensor *t = &s->net->block.tensors[b->dt_bias];
    uniform(s, b->dt, 1 / sqrt((double)own->rank));
    uniform(s, b->dt_bias, 1);
    for (size_t i = 0; i < t->size; i++) {
        float *x = s->params + t->offset + i;
        const double dt = fmax(exp(log(0.001) + 0.5 * (*x + 1) * log(100)), 1e-4);
        *x = (float)(dt + log(-expm1(-dt)));
    }
}
static void start_block(const struct start *s, const struct kl_classical *own,
                        const struct kl_classical_block *b)
{
    const double taps = 1 / sqrt((double)KL_SCAN_TAPS);
    float *a_log = s->params + s->net->block.tensors[b->a_log].offset;
    linear(s, b->in_proj, -1), linear(s, b->out_proj, -1);
    if (b->x_proj >= 0) linear(s, b->x_proj, -1);
    uniform(s, b->conv, taps), uniform(s, b->conv_bias, taps);
    for (size_t i = 0; i < own->inner * own->states; i++)
        a_log[i] = (float)log((double)(i % own->states + 1));
    start_dt(s, own, b);
    ones(s, b->d), ones(s, b->norm);
    if (b->outer_norm >= 0) ones(s, b->outer_norm);
}

/* Interface of a model's table; both nets. (classical.c) */
static void classical_init(const struct kl_sequence_net *net, float *params, uint64_t seed,
                           uint32_t replica)
{
    const struct kl_classical *own = net->own;
    const struct start s = { net, params, seed, replica };
    linear(&s, own->embedding, own->embedding_bias);
    for (int i = 0; i < own->n_blocks; i++) start_block(&s, own, &own->blocks[i]);
    ones(&s, own->final_norm);
    for (int i = 0; i < 2; i++)
        if (own->head[i] >= 0) linear(&s, own->head[i], own->head_bias[i]);
}

/* ---- the models ---- */
static int open_mamba(struct kl_sequence_net *net, struct kl_error *err)
{
    return classical_open(net, false, err);
}
static int open_hydra(struct kl_sequence_net *net, struct kl_error *err)
{
    return classical_open(net, true, err);
}
#define TABLE(variable, text, words, which)                                                         \
    const struct kl_sequence_model variable = { .name = text,                                       \
                                                .what = words,                                      \
                                                .open = open_##which,                               \
                                                .close = classical_close,                           \
                                                .init = classical_init,                             \
                                                .work_f32 = kl_sequence_classical_work_f32,         \
                                                .work_f64 = kl_sequence_classical_work_f64,         \
                                                .run_f32 = kl_sequence_classical_##which##_run_f32, \
                                                .run_f64 = kl_sequence_classical_##which##_run_f64, \
                                                .gpu = &kl_sequence_classical_gpu }
TABLE(kl_sequence_classical_mamba, "classical-mamba",
      "selective state-space model of two blocks, causal, by a scan over time", mamba);
TABLE(kl_sequence_classical_hydra, "classical-hydra", "the same with one scan in each direction of time",
      hydra);
