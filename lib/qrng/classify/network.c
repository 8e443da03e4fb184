/* SPDX-License-Identifier: MIT
   Training of one small network by one thread. */
#include "qrng/classify/network.h"

#include <math.h>
#include <string.h>

#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"
#include "kernels/select.h"
#include "nn/nn.h"
#include "qrng/classify/network_int.h"

void kl_network_options_default(struct kl_network_options *o)
{
    *o = (struct kl_network_options){ .net = { 3, { 100, 30, 20, 3 } },
                                      .batch = 8,
                                      .epochs = 1000,
                                      .patience = 100,
                                      .rate_patience = 50,
                                      .lr = 1e-3,
                                      .dropout = 0.2,
                                      .l1 = 0.002,
                                      .clip = 1,
                                      .judge = KL_JUDGE_ACCURACY };
}

/* A training under way; the blocks are the kernel's. */
struct training {
    const struct kl_network_options *o;
    const struct kl_samples *samples;
    const struct kl_kernels *kernels;
    struct kl_optimizer optimizer;
    uint64_t seed; /* with the stream in its upper half */
    size_t size;   /* of a block */
    float *params, *m, *v, *grad, *best, *work;
    int64_t *order;
    uint64_t step;
    struct kl_early_stopping stopping;
    int (*stop)(void);
};

static int take_memory(struct training *t, struct kl_arena *memory, size_t n_training,
                       struct kl_error *err)
{
    float **blocks[] = { &t->params, &t->m, &t->v, &t->grad, &t->best };
    bool all = true;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        *blocks[i] = kl_arena_take(memory, t->size, sizeof(float));
        if (*blocks[i]) memset(*blocks[i], 0, t->size * sizeof(float));
        else all = false;
    }
    t->work = kl_arena_take(memory, kl_mlp_work(&t->o->net), sizeof(float));
    t->order = kl_arena_take(memory, n_training, sizeof *t->order);
    return all && t->work && t->order ? KL_OK : kl_fail_memory(err, 5 * t->size * sizeof(float));
}

static void fill(struct kl_mlp_batch *batch, const struct kl_samples *s, const int64_t *which, size_t n)
{
    batch->n = n;
    batch->packed = s->packed;
    for (size_t i = 0; i < n; i++) {
        batch->row[i] = (const char *)s->rows + (size_t)which[i] * s->stride;
        batch->label[i] = s->labels[which[i]];
    }
}

/* One step; the loss with its penalty. */
static double step(struct training *t, const int64_t *which, size_t n)
{
    const struct kl_network_options *o = t->o;
    struct kl_mlp_batch batch;
    struct kl_mlp_loss loss;
    const struct kl_dropout_draw drop = { .seed = t->seed,
                                          .purpose = KL_RANDOM_DROPOUT,
                                          .step = (uint32_t)t->step,
                                          .replica = (uint32_t)(t->step >> 32),
                                          .threshold = kl_nn_dropout_threshold(o->dropout),
                                          .scale = kl_nn_dropout_scale(o->dropout) };
    fill(&batch, t->samples, which, n);
    t->kernels->mlp_gradient_f32(&loss, t->grad, t->params, &o->net, &batch, o->l1, &drop, t->work);
    struct kl_update update = kl_nn_update_at(&t->optimizer, t->stopping.lr, ++t->step);
    const double scale = o->clip / (sqrt(loss.squares) + 1e-6);
    update.adam.grad_scale = o->clip > 0 && scale < 1 ? scale : 1;
    t->kernels->adam_f32(t->params, t->m, t->v, t->grad, t->size, &update.adam);
    return loss.cross_entropy + o->l1 * loss.sum_abs;
}

static bool stops(const struct training *t)
{
    return t->stop && t->stop();
}

/* Share of the samples that are told right; *loss (NULL: not asked for): their mean cross-entropy. */
static double judge(const struct training *t, double *loss, const int64_t *which, size_t n)
{
    const size_t classes = (size_t)t->o->net.size[t->o->net.n_layers];
    float logits[KL_MLP_BATCH * KL_NETWORK_CLASSES];
    struct kl_mlp_batch batch;
    size_t correct = 0;
    double sum = 0;
    for (size_t i = 0; i < n && !stops(t); i += KL_MLP_BATCH) {
        fill(&batch, t->samples, which + i, n - i < KL_MLP_BATCH ? n - i : KL_MLP_BATCH);
        t->kernels->mlp_logits_f32(logits, t->params, &t->o->net, &batch, t->work);
        for (size_t s = 0; s < batch.n && !loss; s++) {
            size_t most = 0;
            for (size_t c = 1; c < classes; c++)
                if (logits[s * classes + c] > logits[s * classes + most]) most = c;
            correct += (int32_t)most == batch.label[s];
        }
        size_t right = 0;
        if (loss) sum += kl_nn_cross_entropy_f32(NULL, &right, logits, batch.label, batch.n, classes, 1);
        correct += right;
    }
    if (loss) *loss = sum / (double)n;
    return (double)correct / (double)n;
}

static double epoch(struct training *t, int64_t number, const int64_t *training, size_t n)
{
    const size_t batch = (size_t)t->o->batch;
    double sum = 0;
    kl_nn_shuffle(t->order, training, n, t->seed, (uint32_t)number);
    for (size_t i = 0; i < n && !stops(t); i += batch)
        sum += step(t, t->order + i, n - i < batch ? n - i : batch);
    return sum / (double)((n + batch - 1) / batch);
}

static int run_epochs(struct training *t, const int64_t *training, size_t n_training,
                      const int64_t *judging, size_t n_judging, struct kl_error *err)
{
    double found[KL_NETWORK_RATE];
    for (int64_t e = 0; !t->stopping.ended; e++) {
        found[KL_NETWORK_TRAIN_LOSS] = epoch(t, e, training, n_training);
        found[KL_NETWORK_TRAIN_ACCURACY] = judge(t, NULL, training, n_training);
        found[KL_NETWORK_JUDGE_ACCURACY] = judge(t, &found[KL_NETWORK_JUDGE_LOSS], judging, n_judging);
        if (stops(t)) return kl_fail(err, KL_ESIGNAL, "stopped");
        if (kl_early_stopping_epoch(&t->stopping, found))
            memcpy(t->best, t->params, t->size * sizeof *t->best);
    }
    return KL_OK;
}

int kl_network_train(struct kl_network_run *run, const struct kl_network_options *o,
                     const struct kl_samples *samples, const int64_t *training, size_t n_training,
                     const int64_t *judging, size_t n_judging, uint64_t seed, uint32_t stream,
                     int (*stop)(void), struct kl_error *err)
{
    struct kl_arena memory = { 0 };
    struct training t = { .o = o,
                          .samples = samples,
                          .kernels = kl_kernels(),
                          .seed = kl_network_seed(seed, stream),
                          .stop = stop,
                          .size = kl_mlp_layer(&o->net, o->net.n_layers) };
    kl_nn_optimizer_default(&t.optimizer);
    t.optimizer.weight_decay = o->weight_decay;
    int rc = kl_arena_init(&memory, 0, err);
    if (!rc) rc = take_memory(&t, &memory, n_training, err);
    if (!rc) {
        const unsigned before = kl_flush_begin();
        kl_network_draw(run->params, o, t.seed);
        kl_network_from_file_f32(t.params, run->params, &o->net);
        kl_early_stopping_begin(&t.stopping, run, o);
        rc = run_epochs(&t, training, n_training, judging, n_judging, err);
        kl_flush_end(before);
    }
    if (!rc) kl_network_to_file_f32(run->params, o->last ? t.params : t.best, &o->net);
    kl_arena_free(&memory);
    return rc;
}

int kl_network_logits(float *logits, const struct kl_mlp *net, const float *params,
                      const struct kl_samples *samples, const int64_t *which, size_t n,
                      struct kl_error *err)
{
    const size_t size = kl_mlp_layer(net, net->n_layers), classes = (size_t)net->size[net->n_layers];
    struct kl_arena memory = { 0 };
    struct kl_mlp_batch batch;
    int rc = kl_arena_init(&memory, 0, err);
    if (rc) return rc;
    float *block = kl_arena_take(&memory, size, sizeof *block);
    float *work = kl_arena_take(&memory, kl_mlp_work(net), sizeof *work);
    if (block && work) {
        kl_network_from_file_f32(block, params, net);
        for (size_t i = 0; i < n; i += KL_MLP_BATCH) {
            fill(&batch, samples, which + i, n - i < KL_MLP_BATCH ? n - i : KL_MLP_BATCH);
            kl_kernels()->mlp_logits_f32(logits + i * classes, block, net, &batch, work);
        }
    } else rc = kl_fail_memory(err, size * sizeof *block);
    kl_arena_free(&memory);
    return rc;
}
