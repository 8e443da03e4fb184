/* SPDX-License-Identifier: MIT
   Nets whose circuits run at each step of a window, and their twins, on the GPU against the CPU in
   double: logits, loss and gradients, with dropout and without, frozen, of few and many qubits, of
   windows that are less and more than a block's steps; copies side by side and one alone, the same bits;
   blocks of less memory, the same bits, or refused; a batch that 2, 3 and 4 ranks share, the same bits.
 */
#include "gpu.h"
#include "kernels/inline/philox.h"
#include "sequence/model/model.h"
#include "tests/unit/check.h"

enum { COPIES = 2, BATCH = 5, ROWS = 8, CLASSES = 3, PARTS = 4 /* of a shared batch */ };

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}
static void *take(size_t count, size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, 64, (count * size / 64 + 1) * 64)) exit(1);
    memset(memory, 0, (count * size / 64 + 1) * 64);
    return memory;
}
static float draw(uint32_t stream, uint32_t i)
{
    uint32_t w[4];
    kl_philox(w, 5, i, 1000, stream, 0);
    return (float)(2 * kl_philox_unit(w[0]) - 1);
}

/* A net, its windows, and what a batch of copies of it comes to. */
struct trial {
    struct kl_sequence_net net;
    struct kl_arena memory;
    struct kl_cuda_windows_shape shape;
    size_t window, given, outputs, block; /* sizes */
    size_t at_once;                       /* of windows, on the GPU's word */
    int ranks;                            /* that share the batch, one after another; 0: none do */
    float *x;                             /* (ROWS, window) */
    float *params;                        /* (COPIES, block) */
    int32_t rows[COPIES * BATCH], labels[COPIES * BATCH];
    uint32_t replica[COPIES];
    float *logits, *grad;
    double loss[COPIES];
    size_t correct[COPIES];
};

static void begin(struct trial *t, const struct kl_sequence_model_options *o, size_t channels,
                  size_t steps)
{
    const struct kl_sequence_shape shape = { channels, steps, CLASSES, 0 };
    struct kl_error err;
    memset(t, 0, sizeof *t);
    must(kl_sequence_net_open(&t->net, o, &shape, &err), &err);
    must(kl_arena_init(&t->memory, 0, &err), &err);
    must(t->net.model->gpu->shape(&t->shape, &t->net, &t->memory, &err), &err);
    t->shape.seed = 9;
    t->given = kl_cuda_windows_given(&t->shape), t->outputs = kl_cuda_windows_outputs(&t->shape);
    t->window = channels * kl_sequence_stride(steps), t->block = t->net.block.size;
    t->x = take(ROWS * t->window, sizeof *t->x);
    t->params = take(COPIES * t->block, sizeof *t->params);
    t->logits = take(COPIES * BATCH * CLASSES, sizeof *t->logits);
    t->grad = take(COPIES * t->block, sizeof *t->grad);
    for (size_t r = 0; r < ROWS * channels; r++)
        for (size_t s = 0; s < steps; s++)
            t->x[r * kl_sequence_stride(steps) + s] = draw(1, (uint32_t)(r * steps + s));
    for (uint32_t c = 0; c < COPIES; c++) {
        t->net.model->init(&t->net, t->params + c * t->block, 3, c);
        t->replica[c] = c + 4;
        for (uint32_t i = 0; i < BATCH; i++) {
            t->rows[c * BATCH + i] = (int32_t)((3 * i + c) % ROWS);
            t->labels[c * BATCH + i] = (int32_t)((i + c) % CLASSES);
        }
    }
}

static void end(struct trial *t)
{
    free(t->x), free(t->params), free(t->logits), free(t->grad);
    kl_arena_free(&t->memory);
    kl_sequence_net_close(&t->net);
}

static const struct kl_cuda_windows_calls *calls_of(const struct trial *t)
{
    return t->shape.kind == KL_CUDA_WINDOW_SCANS ? device.cuda->scans : device.cuda->windows;
}

/* The windows and units of rank i, of which 2 and 4 have a whole subtree each. */
static struct kl_cuda_windows_parts parts_of(const struct trial *t, int i)
{
    const int units = t->ranks == 3 ? PARTS : t->ranks, each = PARTS / units,
              from = units * i / t->ranks;
    return (struct kl_cuda_windows_parts){ BATCH, PARTS, from * each, each,
                                           units * (i + 1) / t->ranks - from };
}

/* As ranks have it, each of which keeps its windows between the two ways; here they go both again. sum,
   or (by_sum) by_given. */
static int share(struct trial *t, struct kl_cuda_windows *w, struct kl_cuda_windows_batch batch,
                 float *sum, float *by_given, const float *by_sum, struct kl_error *err)
{
    const size_t n = batch.n, out = t->outputs, given = n * t->given;
    int32_t rows[COPIES * BATCH];
    float *own = take(n * BATCH * out, sizeof *own), *by_own = take(n * BATCH * out, sizeof *by_own);
    double *units = take(PARTS * given, sizeof *units), *to = units;
    int code = KL_OK;
    for (int i = 0; i < t->ranks && !code; i++) {
        struct kl_cuda_windows_batch b = batch;
        b.parts = parts_of(t, i), b.rows = rows;
        const size_t from = kl_cuda_windows_part(&b.parts, (size_t)b.parts.first);
        b.count =
            kl_cuda_windows_part(&b.parts, (size_t)(b.parts.first + b.parts.units * b.parts.each)) -
            from;
        for (size_t c = 0; c < n; c++) {
            memcpy(rows + c * b.count, batch.rows + c * BATCH + from, b.count * sizeof *rows);
            if (by_sum)
                memcpy(by_own + c * b.count * out, by_sum + (c * BATCH + from) * out, b.count * out * 4);
        }
        code = calls_of(t)->forward(w, own, &b, err);
        if (!code && by_sum) code = calls_of(t)->back(w, NULL, to, by_own, err);
        for (size_t c = 0; c < n; c++)
            memcpy(sum + (c * BATCH + from) * out, own + c * b.count * out, b.count * out * sizeof *sum);
        to += (size_t)b.parts.units * given;
    }
    for (size_t k = 0, all = (size_t)(to - units); k < given && by_sum; k++) {
        for (size_t width = given; width < all; width *= 2)
            for (size_t u = 0; u < all; u += 2 * width) units[u + k] += units[u + width + k];
        by_given[k] = (float)units[k];
    }
    free(own), free(by_own), free(units);
    return code;
}

/* Copies [first, first + n), all n forward and, if asked, back, as qseq has them. */
static int on_gpu(struct trial *t, size_t first, size_t n, bool back, bool training)
{
    const struct kl_sequence_gpu *gpu = t->net.model->gpu;
    const struct kl_cuda_windows_calls *calls = calls_of(t);
    const size_t work = gpu->work(&t->net);
    char *memory = take(COPIES, work);
    float *given = take(n * t->given, sizeof *given), *by_given = take(n * t->given, sizeof *given);
    float *sum = take(n * BATCH * t->outputs, sizeof *sum), *by_sum = take(n * BATCH * t->outputs, 4);
    struct kl_cuda_windows *w = NULL;
    struct kl_error err;
    const struct kl_cuda_windows_batch batch = { .n = n,
                                                 .count = BATCH,
                                                 .rows = t->rows + first * BATCH,
                                                 .given = given,
                                                 .replica = t->replica + first,
                                                 .step = 11,
                                                 .training = training };
    t->shape.units = t->ranks ? PARTS : 0, t->shape.whole = t->ranks ? BATCH : 0;
    int code = calls->open(&w, &t->shape, ROWS, n, BATCH, BATCH, device.number, &err);
    if (!code) t->at_once = calls->at_once(w);
    if (!code) code = calls->put(w, 0, t->x, 3, &err);
    if (!code) code = calls->put(w, 3, t->x + 3 * t->window, ROWS - 3, &err);
    for (size_t c = 0; c < n && !code; c++)
        gpu->prepare(given + c * t->given, memory + c * work, &t->net,
                     t->params + (first + c) * t->block);
    if (!code && t->ranks) code = share(t, w, batch, sum, NULL, NULL, &err);
    else if (!code) code = calls->forward(w, sum, &batch, &err);
    for (size_t c = 0; c < n && !code; c++) {
        const size_t k = first + c;
        const struct kl_sequence_batch_f32 one = { .labels = t->labels + k * BATCH,
                                                   .scale = 1.0 / BATCH,
                                                   .n = BATCH,
                                                   .training = training,
                                                   .seed = t->shape.seed,
                                                   .step = 11,
                                                   .replica = t->replica[k] };
        struct kl_sequence_result_f32 result = { .logits = t->logits + k * BATCH * CLASSES };
        gpu->read(&result, back ? by_sum + c * BATCH * t->outputs : NULL, memory + c * work, &t->net,
                  sum + c * BATCH * t->outputs, &one);
        t->loss[k] = result.loss, t->correct[k] = result.correct;
    }
    if (!code && back && t->ranks) code = share(t, w, batch, sum, by_given, by_sum, &err);
    else if (!code && back) code = calls->back(w, by_given, NULL, by_sum, &err);
    for (size_t c = 0; c < n && !code && back; c++)
        gpu->finish(t->grad + (first + c) * t->block, memory + c * work, &t->net,
                    t->params + (first + c) * t->block, by_given + c * t->given);
    if (w) calls->close(&w);
    free(memory), free(given), free(by_given), free(sum), free(by_sum);
    if (code && code != KL_EUSAGE && code != KL_ENOMEM) must(code, &err);
    return code;
}

/* How far a copy's gradient is from that in double, in parts of the largest: of all; of each tensor that
   is not as good as 0. */
static void compare_gradients(double far[2], const struct trial *t, size_t c, const double *grad)
{
    double most = 0;
    far[0] = far[1] = 0;
    for (size_t i = 0; i < t->block; i++) most = fmax(most, fabs(grad[i]));
    for (int k = 0; k < t->net.block.n; k++) {
        const struct kl_tensor *tensor = &t->net.block.tensors[k];
        double largest = 1e-5 * most, off = 0;
        for (size_t i = tensor->offset; i < tensor->offset + tensor->size; i++) {
            off = worse(off, (double)t->grad[c * t->block + i] - grad[i]);
            largest = fmax(largest, fabs(grad[i]));
        }
        far[0] = worse(far[0], off / fmax(most, 1e-3)), far[1] = worse(far[1], off / largest);
    }
}

/* A copy on the CPU, in double; how far the GPU's is from it, in parts of the largest: logits and loss,
   then gradients. */
static void compare(double far[3], struct trial *t, size_t c, bool training)
{
    const struct kl_sequence_net *net = &t->net;
    double *x = take(BATCH * t->window, sizeof *x), *params = take(t->block, sizeof *params),
           *logits = take(BATCH * CLASSES, sizeof *logits), *grad = take(t->block, sizeof *grad),
           most = 0;
    void *work = take(1, net->model->work_f64(net, BATCH));
    const struct kl_sequence_batch_f64 batch = { .x = x,
                                                 .labels = t->labels + c * BATCH,
                                                 .scale = 1.0 / BATCH,
                                                 .n = BATCH,
                                                 .training = training,
                                                 .seed = t->shape.seed,
                                                 .step = 11,
                                                 .replica = t->replica[c] };
    struct kl_sequence_result_f64 result = { .logits = logits, .grad = grad };
    for (size_t i = 0; i < BATCH * t->window; i++)
        x[i] = (double)t->x[(size_t)t->rows[c * BATCH + i / t->window] * t->window + i % t->window];
    for (size_t i = 0; i < t->block; i++) params[i] = (double)t->params[c * t->block + i];
    net->model->run_f64(&result, net, params, &batch, work);
    far[0] = worse(0, t->loss[c] / result.loss - 1);
    for (size_t i = 0; i < BATCH * CLASSES; i++) {
        far[0] = worse(far[0], (double)t->logits[c * BATCH * CLASSES + i] - logits[i]);
        most = fmax(most, fabs(logits[i]));
    }
    far[0] /= fmax(most, 1e-3);
    compare_gradients(far + 1, t, c, grad);
    free(x), free(params), free(logits), free(grad), free(work);
}

/* In blocks of less memory. */
static void check_blocks(const char *name, struct trial *t, const float *was, bool training)
{
    const size_t last = COPIES - 1;
    setenv("KETLINE_EMULATED_SHARED", "50000", 1);
    if (!on_gpu(t, last, 1, true, training))
        CHECK(memcmp(was, t->grad + last * t->block, t->block * sizeof *was) == 0,
              "%s: other bits in blocks of less memory", name);
    setenv("KETLINE_EMULATED_SHARED", "4000", 1);
    CHECK(on_gpu(t, last, 1, true, training) == KL_EUSAGE, "%s: in a block of 4,000 bytes", name);
    unsetenv("KETLINE_EMULATED_SHARED");
}

/* With less and less memory fewer windows go through at once, down to one, then none. */
static void check_room(const char *name, struct trial *t, const float *was, bool training)
{
    const size_t last = COPIES - 1;
    bool seen[BATCH + 1] = { false };
    for (size_t memory = 1 << 26;; memory = memory / 4 * 3) {
        char text[32];
        snprintf(text, sizeof text, "%zu", memory);
        setenv("KETLINE_EMULATED_MEMORY", text, 1);
        const int code = on_gpu(t, last, 1, true, training);
        if (code) {
            CHECK(code == KL_ENOMEM, "%s: %zu bytes: %d", name, memory, code);
            break;
        }
        if (seen[t->at_once]) continue;
        seen[t->at_once] = true;
        CHECK(memcmp(was, t->grad + last * t->block, t->block * sizeof *was) == 0 &&
                  memcmp(was + t->block, t->logits + last * BATCH * CLASSES,
                         BATCH * CLASSES * sizeof *was) == 0,
              "%s: other bits by %zu windows at once", name, t->at_once);
    }
    unsetenv("KETLINE_EMULATED_MEMORY");
    CHECK(seen[BATCH] && seen[1] && (seen[2] || seen[3]), "%s: always as many windows at once", name);
}

static void check_shared(const char *name, struct trial *t, bool training)
{
    const size_t block = COPIES * t->block, logits = COPIES * BATCH * CLASSES;
    float *was = take(block + logits, sizeof *was);
    for (t->ranks = 1; t->ranks <= PARTS; t->ranks++) {
        CHECK(on_gpu(t, 0, COPIES, true, training) == KL_OK, "%s: refused to ranks", name);
        if (t->ranks == 1)
            memcpy(was, t->grad, block * sizeof *was),
                memcpy(was + block, t->logits, logits * sizeof *was);
        CHECK(memcmp(was, t->grad, block * sizeof *was) == 0 &&
                  memcmp(was + block, t->logits, logits * sizeof *was) == 0,
              "%s: other bits of %d ranks", name, t->ranks);
    }
    t->ranks = 0;
    free(was);
}

static void check_alone(const char *name, struct trial *t, bool training)
{
    const size_t logits = BATCH * CLASSES, last = COPIES - 1;
    float *was = take(t->block + logits, sizeof *was);
    memcpy(was, t->grad + last * t->block, t->block * sizeof *was);
    memcpy(was + t->block, t->logits + last * logits, logits * sizeof *was);
    on_gpu(t, last, 1, true, training);
    CHECK(memcmp(was, t->grad + last * t->block, t->block * sizeof *was) == 0 &&
              memcmp(was + t->block, t->logits + last * logits, logits * sizeof *was) == 0,
          "%s: a copy alone has other bits than in company", name);
    if (emulated && t->shape.kind == KL_CUDA_WINDOW_SCANS) check_room(name, t, was, training);
    else if (emulated) check_blocks(name, t, was, training);
    free(was);
}

static void check_net(const char *name, const struct kl_sequence_model_options *o, size_t channels,
                      size_t steps)
{
    struct trial t;
    begin(&t, o, channels, steps);
    const bool training = o->dropout > 0;
    CHECK(on_gpu(&t, 0, COPIES, true, training) == KL_OK, "%s: refused", name);
    for (size_t c = 0; c < COPIES; c++) {
        double far[3];
        compare(far, &t, c, training);
        if (getenv("KETLINE_TELL")) printf("%s: %.3g %.3g %.3g\n", name, far[0], far[1], far[2]);
        CHECK(far[0] < 2e-5, "%s: logits differ by %.3g of the largest", name, far[0]);
        CHECK(far[1] < 1e-4, "%s: gradients differ by %.3g of the largest", name, far[1]);
        CHECK(far[2] < 1e-3, "%s: gradients of a tensor differ by %.3g of its largest", name, far[2]);
    }
    CHECK(memcmp(t.grad, t.grad + t.block, t.block * sizeof *t.grad) != 0, "%s: copies are alike", name);
    digest_of(t.logits, COPIES * BATCH * CLASSES * sizeof *t.logits);
    digest_of(t.grad, COPIES * t.block * sizeof *t.grad);
    if (!racecheck && steps > 32) check_alone(name, &t, training), check_shared(name, &t, training);
    end(&t);
}

static void check(const char *model, int qubits, int layers, size_t channels, size_t steps,
                  double dropout, bool frozen)
{
    struct kl_sequence_model_options o;
    char name[96];
    snprintf(name, sizeof name, "%s of %d qubits, %d layers, %zu steps, dropout %g%s", model, qubits,
             layers, steps, dropout, frozen ? ", frozen" : "");
    kl_sequence_model_options_default(&o);
    const char *of = strncmp(model, "twin of ", 8) == 0 ? model + 8 : NULL;
    const bool reference = strcmp(model, "mamba of the reference") == 0;
    o.model = of ? "twin" : reference ? "mamba" : model, o.twin_of = of, o.frozen = frozen;
    o.qubits = qubits, o.layers = layers, o.dropout = dropout;
    if (reference) o.revision = 'a', o.logit_dropout = true;
    check_net(name, &o, channels, steps);
}

/* revision: 0: Mamba; a, b: of Hydra. */
static void check_scans(char revision, int width, int states, int layers, size_t channels, size_t steps,
                        double dropout)
{
    struct kl_sequence_model_options o;
    char name[96];
    kl_sequence_model_options_default(&o);
    o.model = revision ? "classical-hydra" : "classical-mamba", o.revision = revision ? revision : 'b';
    o.width = width, o.state = states, o.layers = layers, o.dropout = dropout;
    snprintf(name, sizeof name, "%s, revision %c, width %d, %d states, %d layers, %zu steps, dropout %g",
             o.model, o.revision, width, states, layers, steps, dropout);
    check_net(name, &o, channels, steps);
}
static void check_all_scans(void)
{
    static const char revisions[] = { 0, 'a', 'b' };
    for (size_t i = 0; i < sizeof revisions; i++) {
        const char r = revisions[i];
        check_scans(r, 8, 3, 2, 3, 35, 0.25);
        if (racecheck) continue;
        check_scans(r, 16, 9, 1, 2, 9, 0);
        if (smallest) continue;
        check_scans(r, 24, 17, 1, 2, 8, 0);
        check_scans(r, 8, 1, 3, 5, 1, 0.1);
        check_scans(r, 8, 2, 1, 70, 70, 0);
        check_scans(r, 64, 16, 1, 4, 11, 0.1);
        if (!small) check_scans(r, 128, 16, 2, 64, 249, 0.1);
    }
}

int main(void)
{
    open_gpu();
    check_all_scans();
    static const char *const models[] = { "hydra",
                                          "hydra-hybrid",
                                          "mamba",
                                          "mamba of the reference",
                                          "mamba-hybrid",
                                          "mamba-lite",
                                          "mamba-hybrid-lite",
                                          "twin of hydra",
                                          "twin of hydra-hybrid",
                                          "twin of mamba",
                                          "twin of mamba-hybrid",
                                          "twin of mamba-lite",
                                          "twin of mamba-hybrid-lite" };
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const bool twin = strncmp(models[i], "twin", 4) == 0;
        check(models[i], 3, 2, 3, 35, 0.25, false);
        if (smallest) continue;
        check(models[i], 2, 1, 4, 7, 0, false);
        check(models[i], 4, 1, 2, 20, 0, !twin);
        check(models[i], 6, 2, small ? 5 : 64, small ? 9 : 249, 0.1, false);
        /* Of the larger nets whose amplitudes stand in rows, as many as fit a block of consumer cards.
         */
        const char *of = twin ? models[i] + 8 : models[i];
        const bool rows = strstr(of, "mamba") && !strstr(of, "hybrid");
        if (!small) check(models[i], rows ? 7 : 10, 2, 64, 249, 0.1, false);
    }
    print_digest();
    return failures != 0;
}
