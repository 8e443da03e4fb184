/* SPDX-License-Identifier: MIT
   How circuits begin (--init) and grow (--grow): the state at first is the embedded one, a growing head
   is the small head until a layer joins, and mirrored layers join without changing anything. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
#include "kernels/inline/philox.h"
#include "tests/unit/check.h"

enum { N = 96, D = 10, CLASSES = 3, QUBITS = 4, SEED = 5 };
static const char *const ansaetze[] = {
    "ry-ring",       "basic-entangler",    "brick", "real-amplitudes", "simplified-two-design",
    "efficient-su2", "strongly-entangling"
};
enum { N_ANSAETZE = sizeof ansaetze / sizeof *ansaetze };

static struct kl_circuit *build(const char *ansatz, int64_t layers, const char *observables)
{
    struct kl_circuit_options o;
    struct kl_circuit *c;
    kl_circuit_options_default(&o);
    o.n_qubits = QUBITS, o.n_layers = layers, o.mirror = 2;
    o.ansatz = ansatz, o.observables = observables;
    CHECK(kl_circuit_build(&c, &o, NULL) == 0, "%s", ansatz);
    return c;
}

/* |<embedded|state>|^2: the embedding turned back behind the circuit, and the probability of |0...0>. */
static double fidelity(const struct kl_circuit *c, const double *x, const double *w)
{
    struct kl_circuit *back;
    struct kl_arena work;
    double p[1 << QUBITS];
    CHECK(kl_circuit_begin(&back, QUBITS, c->n_inputs, c->n_weights, NULL) == 0);
    for (size_t i = 0; i < c->n_ops; i++) CHECK(kl_circuit_append(back, &c->ops[i], NULL) == 0);
    for (int q = 0; q < QUBITS; q++) {
        const struct kl_op op = { .gate = KL_RY,
                                  .wire = { q },
                                  .angle = { { KL_INPUT, q, -1, -1, 0 } } };
        CHECK(kl_circuit_append(back, &op, NULL) == 0);
    }
    CHECK(kl_circuit_observe_probabilities(back, NULL) == 0 && kl_circuit_finish(back, NULL) == 0);
    CHECK(kl_arena_init(&work, 0, NULL) == 0);
    CHECK(kl_circuit_forward_f64(p, NULL, back, x, w, 1, NULL, &work, NULL) == 0);
    kl_arena_free(&work);
    kl_circuit_free(&back);
    return p[0];
}

static struct kl_head_options options_of(const char *ansatz, enum kl_init init)
{
    struct kl_head_options o;
    kl_head_options_default(&o);
    o.circuit.ansatz = ansatz;
    o.circuit.n_layers = 8;
    o.circuit.mirror = 2;
    o.init = init;
    return o;
}

static void begins_as_identity(const char *ansatz)
{
    static const double x[QUBITS] = { 0.3, -0.7, 1.1, 0.2 };
    for (int init = KL_INIT_UNIFORM; init <= KL_INIT_IDENTITY; init++) {
        struct kl_head_options o = options_of(ansatz, (enum kl_init)init);
        struct kl_head_model model;
        double largest = 0;
        CHECK(kl_head_model_make(&model, &o, D, CLASSES, NULL) == 0);
        const struct kl_tensor *t = &model.block.tensors[model.vqc];
        float *params = malloc(model.block.size * sizeof *params);
        double *w = malloc(t->size * sizeof *w);
        kl_head_init(params, &model, SEED, 0);
        for (size_t i = 0; i < t->size; i++) {
            w[i] = params[t->offset + i];
            largest = fmax(largest, fabs(w[i]));
        }
        const double f = fidelity(model.circuit, x, w);
        CHECK(largest > 2); /* random angles, not small ones */
        if (init == KL_INIT_IDENTITY) CHECK(fabs(f - 1) <= 1e-12, "%s: %.15g", ansatz, f);
        else CHECK(f < 0.9, "%s: %.15g", ansatz, f);
        free(params), free(w);
        kl_head_model_free(&model);
    }
}

/* A block whose weights are 0, behind any others, changes no output. */
static void mirrored_blocks_join_unseen(const char *ansatz)
{
    struct kl_circuit *small = build(ansatz, 4, "z"), *large = build(ansatz, 8, "z");
    double *w = calloc(large->n_weights, sizeof *w), x[QUBITS] = { 0.3, -0.7, 1.1, 0.2 }, out[2][QUBITS];
    struct kl_arena work;
    CHECK(kl_arena_init(&work, 0, NULL) == 0);
    for (size_t i = 0; i < small->n_weights; i++) w[i] = 0.1 + 0.37 * (double)(i % 7);
    CHECK(kl_circuit_forward_f64(out[0], NULL, small, x, w, 1, NULL, &work, NULL) == 0);
    CHECK(kl_circuit_forward_f64(out[1], NULL, large, x, w, 1, NULL, &work, NULL) == 0);
    for (int q = 0; q < QUBITS; q++) CHECK(fabs(out[0][q] - out[1][q]) < 1e-12, "%s %d", ansatz, q);
    kl_arena_free(&work);
    free(w);
    kl_circuit_free(&small), kl_circuit_free(&large);
}

static void make_features(struct kl_features *f)
{
    static char names[CLASSES][2] = { "a", "b", "c" };
    *f = (struct kl_features){
        .n = N, .d = D, .n_classes = CLASSES, .class_names = names[0], .name_size = 2
    };
    f->x = malloc(N * D * sizeof *f->x);
    f->labels = malloc(N * sizeof *f->labels);
    for (uint32_t i = 0; i < N * D; i++) {
        uint32_t words[4];
        kl_philox(words, 1, i, 1000, 0, 0);
        f->labels[i / D] = (int32_t)(i / D % CLASSES);
        f->x[i] = (float)kl_philox_unit(words[0]) + (i % D % CLASSES == i / D % CLASSES ? 1.0f : 0);
    }
}

static void train(struct kl_head_train *t, struct kl_head_model *model, const struct kl_head_options *o,
                  const struct kl_features *f, int64_t epochs)
{
    struct kl_train_options to;
    struct kl_error err = { 0 };
    kl_train_options_default(&to);
    to.epochs = epochs, to.batch_size = 16, to.seed = SEED, to.schedule.lr = 0.01;
    CHECK(kl_head_model_make(model, o, f->d, f->n_classes, &err) == 0, "%s", err.text);
    CHECK(kl_head_train_open(t, model, f, &to, 1, &err) == 0, "%s", err.text);
    CHECK(kl_train_run(&t->loop, NULL, NULL, &err) == 0, "%s", err.text);
}

/* Of three layers that join after 2 epochs each, by the head of one layer. */
static void grows(const char *ansatz, const struct kl_features *f)
{
    struct kl_head_options o;
    struct kl_head_model model, small_model;
    struct kl_head_train grown, small;
    kl_head_options_default(&o);
    o.circuit.ansatz = ansatz;
    o.circuit.n_layers = 1;
    train(&small, &small_model, &o, f, 2);
    o.circuit.n_layers = 3;
    o.grow = 2;
    train(&grown, &model, &o, f, 7);
    const struct kl_replica *r = &grown.loop.replicas[0], *s = &small.loop.replicas[0];
    for (int k = 0; k < KL_LEARNING_RATE; k++)
        CHECK(memcmp(r->history[k], s->history[k], 2 * sizeof(double)) == 0, "%s %d", ansatz, k);
    CHECK(memcmp(r->history[0], s->history[0], 2 * sizeof(double)) == 0);
    CHECK(r->history[0][2] != r->history[0][1]);
    CHECK(r->best_epoch >= 4, "%s: %d", ansatz, (int)r->best_epoch);
    const size_t layers = model.circuit->n_layers,
                 last = (size_t)model.n_reduce + layers - 1; /* which joins in epoch 5 */
    for (size_t e = 0; e < 7; e++)
        CHECK(isnan(kl_head_norms(&grown, 0, (int64_t)e)[last]) == (e < 4), "%s: epoch %zu", ansatz, e);
    const struct kl_tensor *t = &model.block.tensors[model.vqc];
    CHECK(t->size == model.circuit->n_weights);
    for (size_t i = 0; i < t->size; i++)
        CHECK(((const float *)r->params)[t->offset + i] != 0, "%s: weight %zu", ansatz, i);
    kl_head_train_close(&grown), kl_head_train_close(&small);
    kl_head_model_free(&model), kl_head_model_free(&small_model);
}

/* The optimiser begins anew where a layer joins: the first step moves each new weight by the rate. */
static void new_weights_move_by_the_rate(const struct kl_features *f)
{
    struct kl_head_options o;
    struct kl_head_model model;
    struct kl_train_options to;
    struct kl_head_train t;
    kl_head_options_default(&o);
    o.circuit.n_layers = 2;
    o.grow = 3;
    kl_train_options_default(&to);
    to.epochs = 4, to.batch_size = N, to.val_fraction = 0; /* one step an epoch */
    CHECK(kl_head_model_make(&model, &o, f->d, f->n_classes, NULL) == 0);
    CHECK(kl_head_train_open(&t, &model, f, &to, 1, NULL) == 0 &&
          kl_train_run(&t.loop, NULL, NULL, NULL) == 0);
    const float *w = (const float *)t.loop.replicas[0].params + model.block.tensors[model.vqc].offset;
    for (int q = 0; q < QUBITS; q++) CHECK(fabs(fabs(w[QUBITS + q]) - 1e-3) < 1e-5, "%g", w[QUBITS + q]);
    kl_head_train_close(&t);
    kl_head_model_free(&model);
}

int main(void)
{
    struct kl_features f;
    make_features(&f);
    for (int i = 0; i < N_ANSAETZE; i++) {
        begins_as_identity(ansaetze[i]);
        mirrored_blocks_join_unseen(ansaetze[i]);
    }
    grows("ry-ring", &f);
    grows("real-amplitudes", &f);
    grows("simplified-two-design", &f);
    new_weights_move_by_the_rate(&f);
    free(f.x), free(f.labels);
    return failures ? 1 : 0;
}
