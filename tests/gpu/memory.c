/* SPDX-License-Identifier: MIT
   A GPU with too little memory: features are streamed, batches worked on in slices; each is said, and
   no bit of the result changes. Less still is an error that says so. Heads on the same features share
   one copy of them. On a real GPU, nearly all of whose memory is taken: streaming alone. */
#include <dlfcn.h>

#include "gpu.h"
#include "head/gpu.h"
#include "kernels/inline/philox.h"
#include "tests/unit/check.h"

enum { ROWS = 603, FEATURES = 64, CLASSES = 3, BATCH = 100 };

static void make_features(struct kl_features *f)
{
    static char names[CLASSES][4] = { "a", "b", "c" };
    static float x[ROWS * FEATURES];
    static int32_t labels[ROWS];
    *f = (struct kl_features){ .n = ROWS,
                               .d = FEATURES,
                               .n_classes = CLASSES,
                               .class_names = names[0],
                               .name_size = 4,
                               .x = x,
                               .labels = labels };
    for (uint32_t i = 0; i < ROWS; i++) {
        labels[i] = (int32_t)(i % CLASSES);
        for (uint32_t j = 0; j < FEATURES; j++) {
            uint32_t words[4];
            kl_philox(words, 3, i, 1000, j, 0);
            x[i * FEATURES + j] = (float)kl_philox_unit(words[0]);
        }
    }
}

/* Learnable scales stand in several slots each, whose sums go over rows as well. */
static void model_make(struct kl_head_model *model, struct kl_train_options *o, double clip,
                       const struct kl_features *f)
{
    struct kl_head_options h;
    struct kl_error err;
    kl_head_options_default(&h);
    kl_train_options_default(o);
    h.circuit.n_qubits = 3, h.circuit.n_layers = 2, h.circuit.learn_scale = h.circuit.reupload = true;
    h.n_reduction = 1, h.reduction[0] = 20, h.dropout = 0.2;
    o->batch_size = BATCH, o->epochs = 1, o->replicas = 4, o->seed = 5;
    o->val_fraction = 0.4; /* more rows than are on the GPU at once where features are streamed */
    o->optimizer.clip = clip;
    if (!kl_head_model_make(model, &h, f->d, f->n_classes, &err)) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

/* Train, and keep the messages; returns the code of the training. */
static int train_with(char *said, size_t size, struct kl_head_train *t, size_t memory,
                      struct kl_head_model *model, const struct kl_features *f,
                      const struct kl_train_options *o)
{
    char text[32];
    struct kl_error err;
    snprintf(text, sizeof text, "%zu", memory);
    setenv("KETLINE_EMULATED_MEMORY", text, 1);
    memset(said, 0, size);
    FILE *to = fmemopen(said, size - 1, "w");
    const struct kl_log log = { "test", to, 1, NULL };
    int code = kl_head_train_open(t, model, f, o, 1, &err);
    kl_head_train_on(t, &device);
    t->log = &log;
    if (!code) code = kl_train_run(&t->loop, NULL, NULL, &err);
    fclose(to);
    CHECK(!code || (code == KL_ENOMEM && strstr(err.text, "the GPU's memory is full")), "%s", err.text);
    return code;
}

static bool same(const struct kl_head_train *a, const struct kl_head_train *b)
{
    bool alike = true;
    for (int64_t r = 0; r < a->loop.options.replicas; r++) {
        const struct kl_replica *x = &a->loop.replicas[r], *y = &b->loop.replicas[r];
        alike = alike && memcmp(x->params, y->params, 4 * a->model->block.size * sizeof(float)) == 0 &&
                memcmp(x->history[0], y->history[0], KL_HISTORY_ROWS * sizeof(double)) == 0 &&
                memcmp(kl_head_norms(a, r, 0), kl_head_norms(b, r, 0),
                       kl_head_n_groups(a->model) * sizeof(double)) == 0;
    }
    return alike;
}

/* Less and less memory. */
static void check(double clip)
{
    struct kl_features f;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_head_train whole, less;
    char said[256];
    int streamed = 0, sliced = 0, code = 0;
    make_features(&f);
    model_make(&model, &o, clip, &f);
    train_with(said, sizeof said, &whole, 64 << 20, &model, &f, &o);
    CHECK(!said[0], "with room for all: %s", said);
    for (size_t memory = 1 << 20; !code && memory;
         memory = smallest ? memory / 5 * 4 : memory * 29 / 32) {
        code = train_with(said, sizeof said, &less, memory, &model, &f, &o);

        CHECK(code || same(&whole, &less), "%zu bytes, other bits: %s", memory, said);
        if (!code && strstr(said, "features are streamed")) streamed++;
        if (!code && strstr(said, "batches of 100 rows in slices of")) sliced++;
        kl_head_train_close(&less);
    }
    CHECK(code == KL_ENOMEM, "no memory at all was enough");
    CHECK(streamed > sliced && sliced > 1, "streamed %d times, in slices %d times", streamed, sliced);
    digest_of(whole.loop.replicas[0].params, model.block.size * sizeof(float));
    kl_head_train_close(&whole);
    kl_head_model_free(&model);
}

static size_t free_memory(void)
{
    size_t left;
    struct kl_error err;
    CHECK(device.cuda->take(&left, device.number, &err) == 0, "%s", err.text);
    return left;
}

/* Three heads, the third on a copy of the features elsewhere: its own takes room, the second's none. The
   second is the same when the first, whose copy it was, has gone. */
static void check_shared(void)
{
    static float elsewhere[ROWS * FEATURES], logits[3][ROWS * CLASSES];
    static int32_t rows[ROWS];
    struct kl_features f;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_cuda_head shape;
    struct kl_arena memory;
    struct kl_cuda_heads *heads[3];
    struct kl_error err;
    size_t taken[3];
    const struct kl_cuda_heads_calls *calls = device.cuda->heads;
    unsetenv("KETLINE_EMULATED_MEMORY");
    make_features(&f);
    model_make(&model, &o, 0, &f);
    memcpy(elsewhere, f.x, sizeof elsewhere);
    for (int32_t i = 0; i < ROWS; i++) rows[i] = i;
    float *params = calloc(model.block.size, sizeof *params);
    for (size_t i = 0; i < model.block.size; i++) params[i] = (float)(i % 7) * 0.1f - 0.3f;
    CHECK(!kl_arena_init(&memory, 0, &err) && !kl_head_gpu_shape(&shape, &model, &o, &memory, &err));
    for (int i = 0; i < 3; i++) {
        const size_t before = free_memory();
        CHECK(!calls->open(&heads[i], &shape, 1, i < 2 ? f.x : elsewhere, f.labels, ROWS, device.number,
                           &err),
              "%s", err.text);
        taken[i] = before - free_memory();
        CHECK(!calls->put(heads[i], 0, params, NULL, NULL, &err), "%s", err.text);
    }
    CHECK(taken[0] == taken[2] && taken[2] - taken[1] == sizeof elsewhere + sizeof rows,
          "heads take %zu, %zu and %zu bytes", taken[0], taken[1], taken[2]);
    for (int i = 0; i < 3; i++) {
        const struct kl_cuda_judged to = { .logits = logits[i] };
        CHECK(!calls->judge(heads[i], &to, &(int32_t){ 0 }, 1, rows, ROWS, &err), "%s", err.text);
        calls->close(&heads[i]);
    }
    CHECK(memcmp(logits[0], logits[1], sizeof logits[0]) == 0 &&
          memcmp(logits[0], logits[2], sizeof logits[0]) == 0 && logits[0][0] != logits[0][CLASSES]);
    kl_arena_free(&memory);
    kl_head_model_free(&model);
    free(params);
}

/* Of cuda.h, in the context that the runtime has made for this thread. */
struct driver {
    int (*room)(size_t *left, size_t *all);
    int (*take)(uint64_t *memory, size_t bytes);
    int (*drop)(uint64_t memory);
};

static bool find_driver(struct driver *driver)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found[] = { library ? dlsym(library, "cuMemGetInfo_v2") : NULL,
                      library ? dlsym(library, "cuMemAlloc_v2") : NULL,
                      library ? dlsym(library, "cuMemFree_v2") : NULL };
    memcpy(driver, found, sizeof *driver);
    return found[0] && found[1] && found[2];
}

/* So little is left that features may not stay (a 32nd of the GPU must be free beside them), and plenty
   for all else. */
static void check_streamed(void)
{
    struct driver driver;
    struct kl_features f;
    struct kl_train_options o;
    struct kl_head_model model;
    struct kl_head_train whole, less;
    char said[256];
    size_t left = 0, all = 0;
    uint64_t memory = 0;
    CHECK(find_driver(&driver), "the driver lacks a function");
    if (failures) return;
    make_features(&f);
    model_make(&model, &o, 0, &f);
    o.epochs = 20;
    CHECK(!train_with(said, sizeof said, &whole, 0, &model, &f, &o) && !said[0], "%s", said);
    CHECK(!driver.room(&left, &all) && left > all / 32 && all / 64 > 64 << 20,
          "%zu of %zu bytes are free", left, all);
    const int refused = driver.take(&memory, left - (all / 32 - (64 << 20)));
    CHECK(!refused, "the driver answers %d to a request of nearly all memory", refused);
    CHECK(!train_with(said, sizeof said, &less, 0, &model, &f, &o) && same(&whole, &less) &&
              strstr(said, "features are streamed"),
          "streamed: %s", said);
    driver.drop(memory);
    digest_of(less.loop.replicas[0].params, model.block.size * sizeof(float));
    kl_head_train_close(&whole);
    kl_head_train_close(&less);
    kl_head_model_free(&model);
}

int main(void)
{
    open_gpu();
    if (strcmp(device.name, "cuda: emulated") != 0) check_streamed();
    else {
        if (!smallest) check(0);
        check(0.05);
        check_shared();
    }
    print_digest();
    return failures != 0;
}
