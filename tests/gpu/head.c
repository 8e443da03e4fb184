/* SPDX-License-Identifier: MIT
   Heads on the GPU against the CPU: losses, accuracies, norms of gradients and parameters of some
   epochs, over cores, circuits, optimisers, odd widths, clipping and short batches; logits; and what
   must be equal to the bit: a replica alone and in company, a run in parts and in one. */
#include <math.h>

#include "gpu.h"
#include "head/gpu.h"
#include "kernels/inline/philox.h"
#include "tests/unit/check.h"

enum { CLASSES = 3, MOST = 3000, JUDGED = 205 /* more than the blocks on the CPU take at once */ };
static struct kl_features judged;

static void make_features(struct kl_features *f, size_t n, size_t d)
{
    static char names[CLASSES][4] = { "a", "b", "c" };
    *f = (struct kl_features){
        .n = n, .d = d, .n_classes = CLASSES, .class_names = names[0], .name_size = 4
    };
    f->x = malloc(n * d * sizeof *f->x);
    f->labels = malloc(n * sizeof *f->labels);
    for (uint32_t i = 0; i < n; i++) {
        f->labels[i] = (int32_t)(i % CLASSES);
        for (uint32_t j = 0; j < d; j++) {
            uint32_t words[4];
            kl_philox(words, 1, i, 1000, j, 0);
            f->x[i * d + j] = (float)kl_philox_unit(words[0]) + (j % CLASSES == i % CLASSES ? 0.6f : 0);
        }
    }
}

struct kind {
    const char *name, *ansatz, *embedding, *observables;
    enum kl_core core;
    int64_t qubits, layers, batch, reduction[2], classifier; /* classifier 0: none */
    int n_reduction;
    bool scales;
    bool broad;   /* 64 features, which the first layer's tiles and resident shares need */
    bool raced;   /* of those for racecheck, which together launch every kernel */
    bool chaotic; /* after hundreds of steps two of the CPU's own kernels (KETLINE_ISA) are 3e-3 apart */
    enum kl_optimizer_kind optimizer;
    double clip, decay, dropout;
};
#define PLAIN .ansatz = "ry-ring", .embedding = "angle-y", .observables = "z"
/* clang-format off */
static const struct kind kinds[] = {
    { .name = "default", .raced = true, PLAIN, .qubits = 4, .layers = 3, .batch = 16, .reduction = { 64, 32 },
      .n_reduction = 2, .classifier = 16, .optimizer = KL_ADAM, .dropout = 0.2 },
    { .name = "wide", PLAIN, .qubits = 4, .layers = 3, .batch = 60, .reduction = { 256, 64 },
      .n_reduction = 2, .classifier = 16, .optimizer = KL_ADAM, .dropout = 0.2 },
    { .name = "odd widths", PLAIN, .qubits = 3, .layers = 2, .batch = 7, .reduction = { 37 },
      .n_reduction = 1, .optimizer = KL_ADAM, .dropout = 0.3 },
    { .name = "clip, decay", .raced = true, PLAIN, .qubits = 2, .layers = 2, .batch = 16, .reduction = { 9 },
      .n_reduction = 1, .classifier = 5, .optimizer = KL_ADAM, .clip = 0.05, .decay = 0.01 },
    { .name = "adamw", PLAIN, .qubits = 5, .layers = 2, .batch = 16, .reduction = { 20 },
      .n_reduction = 1, .classifier = 6, .optimizer = KL_ADAMW, .decay = 0.1, .dropout = 0.1 },
    { .name = "sgd", PLAIN, .qubits = 1, .layers = 1, .batch = 16, .reduction = { 12 },
      .n_reduction = 1, .classifier = 4, .optimizer = KL_SGD, .clip = 1, .decay = 0.01,
      .dropout = 0.2 },
    { .name = "complex", .raced = true, .ansatz = "strongly-entangling", .embedding = "angle-x",
      .observables = "x,zz", .qubits = 5, .layers = 2, .batch = 16, .reduction = { 16 },
      .n_reduction = 1, .classifier = 8, .scales = true, .optimizer = KL_ADAM, .dropout = 0.2 },
    { .name = "6 qubits", .ansatz = "strongly-entangling", .embedding = "angle-y",
      .observables = "z", .qubits = 6, .layers = 1, .batch = 9, .reduction = { 16 },
      .n_reduction = 1, .classifier = 8, .optimizer = KL_ADAM, .dropout = 0.2 },
    { .name = "8 qubits", .raced = true, .ansatz = "simplified-two-design", .embedding = "iqp",
      .observables = "z", .qubits = 8, .layers = 1, .batch = 9, .reduction = { 16 },
      .n_reduction = 1, .scales = true, .optimizer = KL_ADAM, .clip = 0.1 },
    { .name = "amplitudes", .ansatz = "ry-ring", .embedding = "amplitude", .observables = "probs",
      .qubits = 4, .layers = 2, .batch = 9, .reduction = { 16 }, .n_reduction = 1,
      .optimizer = KL_ADAM, .dropout = 0.1 },
    { .name = "amplitudes, 7 qubits", .ansatz = "strongly-entangling", .embedding = "amplitude",
      .observables = "z", .qubits = 7, .layers = 1, .batch = 9, .reduction = { 8 },
      .n_reduction = 1, .classifier = 6, .optimizer = KL_ADAM },
    { .name = "amplitudes, 11 qubits", .raced = true, .ansatz = "ry-ring", .embedding = "amplitude",
      .observables = "zz,fidelity(ghz)", .qubits = 11, .layers = 1, .batch = 5,
      .reduction = { 8 }, .n_reduction = 1, .classifier = 6, .optimizer = KL_ADAM },
    { .name = "probabilities, 7 qubits", .ansatz = "strongly-entangling", .embedding = "iqp",
      .observables = "probs", .qubits = 7, .layers = 1, .batch = 9, .classifier = 6,
      .optimizer = KL_ADAM },
    { .name = "fidelities", .ansatz = "efficient-su2", .embedding = "zz",
      .observables = "fidelity(ghz),fidelity(w),ZZZZZZ", .qubits = 6, .layers = 1, .batch = 9,
      .reduction = { 16 }, .n_reduction = 1, .classifier = 6, .chaotic = true, .optimizer = KL_ADAM },
    { .name = "9 qubits", PLAIN, .qubits = 9, .layers = 1, .batch = 5, .classifier = 8,
      .optimizer = KL_ADAM },
    { .name = "10 qubits", .ansatz = "simplified-two-design", .embedding = "angle-y",
      .observables = "z", .qubits = 10, .layers = 1, .batch = 5, .classifier = 8,
      .optimizer = KL_ADAM },
    { .name = "11 qubits", .raced = true, .ansatz = "strongly-entangling", .embedding = "angle-y",
      .observables = "z", .qubits = 11, .layers = 1, .batch = 5, .classifier = 8,
      .optimizer = KL_ADAM },
    { .name = "14 qubits", .raced = true, .ansatz = "brick", .embedding = "angle-y",
      .observables = "z,fidelity(w),fidelity(00000000000000)", .qubits = 14, .layers = 1, .batch = 5, .classifier = 8, .optimizer = KL_ADAM },
    { .name = "twin", PLAIN, .core = KL_CORE_TWIN, .qubits = 4, .layers = 3, .batch = 16,
      .reduction = { 24 }, .n_reduction = 1, .classifier = 16, .optimizer = KL_ADAM,
      .dropout = 0.2 },
    { .name = "frozen", PLAIN, .core = KL_CORE_FROZEN, .qubits = 4, .layers = 3, .batch = 16,
      .reduction = { 24 }, .n_reduction = 1, .classifier = 16, .optimizer = KL_ADAM, .clip = 0.1,
      .decay = 0.02, .dropout = 0.2 },
    { .name = "none", PLAIN, .core = KL_CORE_NONE, .qubits = 4, .layers = 3, .batch = 16,
      .reduction = { 24 }, .n_reduction = 1, .classifier = 16, .optimizer = KL_ADAM,
      .dropout = 0.2 },
    { .name = "one layer", PLAIN, .core = KL_CORE_NONE, .qubits = 4, .layers = 3, .batch = 16,
      .optimizer = KL_ADAM },
    { .name = "tiles", PLAIN, .broad = true, .raced = true, .qubits = 4, .layers = 1, .batch = 60,
      .reduction = { 288, 8 }, .n_reduction = 2, .optimizer = KL_ADAM, .dropout = 0.2 },
    { .name = "tiles, sgd", PLAIN, .broad = true, .qubits = 2, .layers = 1, .batch = 60,
      .reduction = { 160 }, .n_reduction = 1, .optimizer = KL_SGD, .clip = 0.1 },
    { .name = "resident or tiles", PLAIN, .broad = true, .qubits = 4, .layers = 2, .batch = 37,
      .reduction = { 96, 20 }, .n_reduction = 2, .classifier = 5, .optimizer = KL_ADAMW, .decay = 0.1,
      .dropout = 0.1 },
};
/* clang-format on */

static void options_of(struct kl_head_options *h, struct kl_train_options *o, const struct kind *k)
{
    kl_head_options_default(h);
    kl_train_options_default(o);
    h->circuit.ansatz = k->ansatz, h->circuit.embedding = k->embedding,
    h->circuit.observables = k->observables;
    h->circuit.n_qubits = k->qubits, h->circuit.n_layers = k->layers, h->circuit.learn_scale = k->scales;
    h->core = k->core, h->dropout = k->dropout;
    h->n_reduction = k->n_reduction, h->n_classifier = k->classifier > 0;
    memcpy(h->reduction, k->reduction, sizeof k->reduction);
    h->classifier[0] = k->classifier;
    o->batch_size = k->batch, o->epochs = smallest ? 1 : 2, o->replicas = 3, o->seed = 7;
    o->optimizer.kind = k->optimizer, o->optimizer.clip = k->clip, o->optimizer.weight_decay = k->decay;
    o->optimizer.epsilon =
        1e-4; /* or gradients that are rounding alone would move what they belong to */
    o->schedule.lr = 1e-3, o->schedule.kind = KL_COSINE_RATE;
}

static void must_not(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void train_on(struct kl_head_train *t, struct kl_head_model *model, const struct kl_features *f,
                     const struct kl_train_options *o, const struct kl_device *where, int64_t parts)
{
    struct kl_error err;
    must_not(kl_head_train_open(t, model, f, o, 1, &err), &err);
    kl_head_train_on(t, where);
    for (int64_t i = 1; i <= parts; i++) {
        t->loop.until = o->epochs * i / parts;
        must_not(kl_train_run(&t->loop, NULL, NULL, &err), &err);
    }
}

static double slack = 1; /* 10 after hundreds of steps, which carry the last bits on */
static void compare(const struct kind *k, const struct kl_head_train *cpu,
                    const struct kl_head_train *gpu)
{
    const size_t epochs = (size_t)cpu->loop.options.epochs,
                 norms = epochs * kl_head_n_groups(cpu->model);
    for (int64_t i = 0; i < cpu->loop.options.replicas; i++) {
        const struct kl_replica *a = &cpu->loop.replicas[i], *b = &gpu->loop.replicas[i];
        const double history = far_from(a->history[0], b->history[0], KL_HISTORY_ROWS * epochs),
                     norm = far_from(kl_head_norms(cpu, i, 0), kl_head_norms(gpu, i, 0), norms),
                     params = far_from_floats(a->params, b->params, cpu->model->block.size);
        CHECK(history < slack * 1e-4, "%s, replica %lld: history differs by %.3g", k->name, (long long)i,
              history);
        CHECK(norm < slack * 1e-4, "%s, replica %lld: norms differ by %.3g", k->name, (long long)i,
              norm);
        CHECK(params < slack * 2e-4, "%s, replica %lld: parameters differ by %.3g", k->name,
              (long long)i, params);
        CHECK(a->best_epoch == b->best_epoch, "%s", k->name);
        digest_of(b->params, 4 * cpu->model->block.size * sizeof(float));
        digest_of(b->history[0], KL_HISTORY_ROWS * epochs * sizeof(double));
        digest_of(kl_head_norms(gpu, i, 0), norms * sizeof(double));
    }
}

static bool same(const struct kl_head_train *a, int64_t i, const struct kl_head_train *b, int64_t j)
{
    const struct kl_replica *r = &a->loop.replicas[i], *s = &b->loop.replicas[j];
    const size_t size = a->model->block.size * sizeof(float),
                 epochs = (size_t)a->loop.options.epochs * sizeof(double);
    return memcmp(r->params, s->params, 4 * size) == 0 &&
           memcmp(r->history[0], s->history[0], KL_HISTORY_ROWS * epochs) == 0 &&
           memcmp(kl_head_norms(a, i, 0), kl_head_norms(b, j, 0), kl_head_n_groups(a->model) * epochs) ==
               0;
}

static void check_logits(const struct kind *k, struct kl_head_model *model, const float *params,
                         const struct kl_features *f)
{
    static float a[MOST * CLASSES], b[MOST * CLASSES];
    const struct kl_head head = { .model = *model, .params = (float *)params };
    struct kl_error err;
    must_not(kl_head_logits(a, NULL, &head, f->x, f->n, NULL, NULL, &err), &err);
    must_not(kl_head_gpu_logits(b, &head, f->x, f->n, &device, &err), &err);
    const double worst = far_from_floats(a, b, f->n * CLASSES);
    CHECK(worst < 2e-5, "%s: logits differ by %.3g", k->name, worst);
    digest_of(b, f->n * CLASSES * sizeof *b);
}

/* Heads judged together, some of them and in another order, say what each says alone. */
static void check_judged(const struct kind *k, const struct kl_head_model *model,
                         const struct kl_head_train *trained, const struct kl_features *f)
{
    enum { HEADS = 3, TOLD = 2 };
    static const int32_t which[TOLD] = { 2, 0 };
    static float together[TOLD * MOST * CLASSES], alone[MOST * CLASSES];
    static int32_t rows[MOST];
    const struct kl_cuda_heads_calls *calls = device.cuda->heads;
    const size_t n = f->n * CLASSES;
    struct kl_cuda_heads *heads;
    struct kl_cuda_head shape;
    struct kl_arena memory;
    struct kl_error err;
    for (size_t i = 0; i < f->n; i++) rows[i] = (int32_t)(f->n - 1 - i);
    must_not(kl_arena_init(&memory, 0, &err), &err);
    must_not(kl_head_gpu_shape(&shape, model, NULL, &memory, &err), &err);
    must_not(calls->open(&heads, &shape, HEADS, f->x, NULL, f->n, device.number, &err), &err);
    for (size_t i = 0; i < HEADS; i++)
        must_not(calls->put(heads, i, trained->loop.replicas[i].params, NULL, NULL, &err), &err);
    struct kl_cuda_judged to = { .logits = together };
    must_not(calls->judge(heads, &to, which, TOLD, rows, f->n, &err), &err);
    to.logits = alone;
    for (size_t i = 0; i < TOLD; i++) {
        must_not(calls->judge(heads, &to, &which[i], 1, rows, f->n, &err), &err);
        CHECK(memcmp(alone, together + i * n, n * sizeof *alone) == 0,
              "%s: head %d is judged differently in company", k->name, (int)which[i]);
    }
    CHECK(memcmp(together, together + n, n * sizeof *alone) != 0, "%s: all heads say the same", k->name);
    calls->close(&heads);
    kl_arena_free(&memory);
}

/* Changes that must not change a bit: a run in parts, a replica alone, and `many` (unless 0), each of
   which has fewer blocks. */
static void check_bits(const struct kind *k, struct kl_head_model *model, const struct kl_features *f,
                       struct kl_train_options o, const struct kl_head_train *gpu, int64_t many)
{
    struct kl_head_train other;
    train_on(&other, model, f, &o, &device, 2);
    for (int64_t r = 0; r < o.replicas; r++)
        CHECK(same(gpu, r, &other, r), "%s: a run in parts has other bits", k->name);
    kl_head_train_close(&other);
    o.replicas = 1, o.first_replica = 2;
    train_on(&other, model, f, &o, &device, 1);
    CHECK(same(gpu, 2, &other, 0), "%s: a replica alone has other bits than in company", k->name);
    CHECK(!same(gpu, 1, &other, 0), "%s: all replicas are the same", k->name);
    kl_head_train_close(&other);
    if (!many) return;
    o.replicas = many, o.first_replica = 0;
    train_on(&other, model, f, &o, &device, 1);
    for (int64_t r = 0; r < 3; r++)
        CHECK(same(gpu, r, &other, r), "%s: a head of fewer blocks has other bits", k->name);
    kl_head_train_close(&other);
}

static void check(const struct kind *k, const struct kl_features *f, int64_t many)
{
    struct kl_head_options h;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_head_train cpu, gpu;
    struct kl_error err;
    options_of(&h, &o, k);
    must_not(kl_head_model_make(&model, &h, f->d, f->n_classes, &err), &err);
    must_not(kl_head_gpu_check(&model, &o, &err), &err);
    train_on(&cpu, &model, f, &o, NULL, 1);
    train_on(&gpu, &model, f, &o, &device, 1);
    compare(k, &cpu, &gpu);
    check_logits(k, &model, gpu.loop.replicas[0].params, f);
    if (f->d == judged.d && k->qubits <= 10) {
        check_logits(k, &model, gpu.loop.replicas[0].params, &judged);
        check_judged(k, &model, &gpu, &judged);
    }
    if (!racecheck) check_bits(k, &model, f, o, &gpu, many);
    kl_head_train_close(&gpu);
    kl_head_train_close(&cpu);
    kl_head_model_free(&model);
}

/* Heads of this kind, open on the GPU; the model and memory are the caller's to free. */
static struct kl_cuda_heads *open_heads(struct kl_cuda_head *shape, struct kl_head_model *model,
                                        struct kl_arena *memory, const struct kind *k,
                                        const struct kl_features *f)
{
    struct kl_head_options h;
    struct kl_train_options o;
    struct kl_cuda_heads *heads;
    struct kl_error err;
    options_of(&h, &o, k);
    must_not(kl_arena_init(memory, 0, &err), &err);
    must_not(kl_head_model_make(model, &h, f->d, f->n_classes, &err), &err);
    must_not(kl_head_gpu_shape(shape, model, &o, memory, &err), &err);
    must_not(device.cuda->heads->open(&heads, shape, 1, f->x, f->labels, f->n, device.number, &err),
             &err);
    return heads;
}

/* Heads that were opened later need less of a block's memory, and take none from those before. */
static void check_beside(const struct kl_features *large, const struct kl_features *small_ones)
{
    enum { ROWS = 20, LAST = sizeof kinds / sizeof *kinds - 1 };
    struct kl_cuda_head shapes[2];
    struct kl_head_model models[2];
    struct kl_arena memory[2];
    struct kl_error err;
    int32_t order[ROWS];
    double sums[64] = { 0 };
    struct kl_cuda_heads *heads[] = {
        open_heads(&shapes[0], &models[0], &memory[0], &kinds[LAST], large),
        open_heads(&shapes[1], &models[1], &memory[1], &kinds[0], small_ones),
    };
    for (int32_t i = 0; i < ROWS; i++) order[i] = i;
    const struct kl_cuda_factors factors = { 0, 1, 0.9f, 0.1f, 0.999f, 0.001f, 1e-3f, 1, 1e-8f };
    const struct kl_cuda_steps steps = { .n = 1,
                                         .n_rows = ROWS,
                                         .which = &(int32_t){ 0 },
                                         .replica = &(uint32_t){ 0 },
                                         .order = order,
                                         .count = 1,
                                         .factors = &factors,
                                         .sums = sums };
    const int code = device.cuda->heads->steps(heads[0], &steps, &err);
    CHECK(!code, "beside smaller heads: %s", err.text);
    for (int i = 0; i < 2; i++) {
        device.cuda->heads->close(&heads[i]);
        kl_head_model_free(&models[i]), kl_arena_free(&memory[i]);
    }
}

/* Replicas whose rates fall, and which end, at times of their own. */
static void check_course(const struct kl_features *f)
{
    const struct kind *k = &kinds[2];
    struct kl_head_options h;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_head_train cpu, gpu;
    struct kl_error err;
    options_of(&h, &o, k);
    o.epochs = 20, o.patience = 3, o.schedule.kind = KL_PLATEAU_RATE, o.schedule.patience = 0;
    o.schedule.lr = 1e-2;
    must_not(kl_head_model_make(&model, &h, f->d, f->n_classes, &err), &err);
    train_on(&cpu, &model, f, &o, NULL, 1);
    train_on(&gpu, &model, f, &o, &device, 1);
    bool rates = false, ends = false;
    for (int64_t r = 0; r < o.replicas; r++) {
        const struct kl_replica *a = &cpu.loop.replicas[r], *b = &gpu.loop.replicas[r];
        CHECK(a->reductions == b->reductions && a->stopped_epoch == b->stopped_epoch, "replica %d",
              (int)r);
        rates |= b->reductions != gpu.loop.replicas[0].reductions;
        ends |= b->stopped_epoch != gpu.loop.replicas[0].stopped_epoch;
    }
    CHECK(rates && ends, "all replicas take the same course: this checks nothing");
    compare(k, &cpu, &gpu);
    kl_head_train_close(&gpu);
    kl_head_train_close(&cpu);
    kl_head_model_free(&model);
}

/* A GPU refuses what it cannot do, and does nothing differently. */
static void check_refusals(const struct kl_features *f)
{
    struct kl_head_options h;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_error err;
    options_of(&h, &o, &kinds[0]);
    must_not(kl_head_model_make(&model, &h, f->d, f->n_classes, &err), &err);
    model.options.shots = 100;
    CHECK(kl_head_gpu_check(&model, &o, &err) == KL_EUSAGE);
    model.options.shots = 0, model.options.diff = KL_DIFF_SHIFT;
    CHECK(kl_head_gpu_check(&model, &o, &err) == KL_EUSAGE);
    model.options.diff = KL_DIFF_ADJOINT, o.optimizer.kind = KL_QNG;
    CHECK(kl_head_gpu_check(&model, &o, &err) == KL_EUSAGE);
    kl_head_model_free(&model);
    options_of(&h, &o, &kinds[0]);
    h.circuit.noise = "depolarizing=0.01";
    must_not(kl_head_model_make(&model, &h, f->d, f->n_classes, &err), &err);
    CHECK(kl_head_gpu_check(&model, &o, &err) == KL_EUSAGE);
    kl_head_model_free(&model);
}

static bool is_left_out(const struct kind *k, size_t n)
{
    if (racecheck) return !k->raced;
    if (n == MOST && (k->chaotic || k->qubits > 10)) return true; /* those have had their handful */
    return smallest && k->qubits > KL_CUDA_HELD_QUBITS;           /* circuit.c has such states */
}

static void check_all(size_t n)
{
    struct kl_features few, odd, broad, handful;
    make_features(&few, n, 24);
    make_features(&odd, n - 3, 13);
    make_features(&broad, n, 64);
    make_features(&judged, JUDGED, 24);
    make_features(&handful, 11, 24);
    const int64_t many = n == MOST ? 0 : small ? 4 : 300; /* a block a head, on an H200 */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kl_features *f = kinds[i].qubits > 10 ? &handful
                                      : kinds[i].broad     ? &broad
                                      : i % 2              ? &odd
                                                           : &few;
        if (!is_left_out(&kinds[i], n)) check(&kinds[i], f, many);
    }
    if (n != MOST && !smallest) check_course(&few);
    if (n != MOST) check_beside(&broad, &few);
    check_refusals(&few);
    free(few.x), free(few.labels), free(odd.x), free(odd.labels);
    free(broad.x), free(broad.labels);
    free(handful.x), free(handful.labels);
    free(judged.x), free(judged.labels);
}

int main(void)
{
    open_gpu();
    check_all(racecheck ? 31 : 61);
    slack = 10;
    if (!small) check_all(MOST);
    print_digest();
    return failures != 0;
}
