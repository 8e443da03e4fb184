/* SPDX-License-Identifier: MIT
   Training of one small network by one thread; first parameters and history, which are the same
   wherever a network is trained. */
#include <math.h>
#include <string.h>

#include "kernels/mlp.h"
#include "kernels/optim.h"
#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"
#include "nn/nn.h"
#include "qrng/classify/classify_int.h"
#include "qrng/classify/network.h"

size_t kl_classify_network_size(const struct kl_mlp *net)
{
    size_t size = 0;
    for (int l = 0; l < net->n_layers; l++)
        size += ((size_t)net->size[l] + 1) * (size_t)net->size[l + 1];
    return size;
}

void kl_classify_network_draw(float *file, const struct kl_network_options *o, uint64_t seed)
{
    const struct kl_mlp *net = &o->net;
    float *to = file;
    for (int l = 0; l < net->n_layers; l++) {
        const size_t in = (size_t)net->size[l], out = (size_t)net->size[l + 1];
        const bool glorot = o->init == KL_INIT_GLOROT;
        const double bound = glorot ? sqrt(6 / (double)(in + out)) : 1 / sqrt((double)in);
        uint32_t words[4] = { 0 };
        for (size_t i = 0; i < (in + 1) * out; i++) {
            if (i % 4 == 0) kl_philox(words, seed, (uint32_t)(i / 4), KL_RANDOM_INIT, (uint32_t)l, 0);
            const double u = bound * (2 * kl_philox_unit(words[i % 4]) - 1);
            *to++ = glorot && i >= in * out ? 0 : (float)u;
        }
    }
}

const struct kl_train_row kl_network_rows[KL_NETWORK_HISTORIES] = { { "train_loss", NULL },
                                                                    { "train_accuracy", NULL },
                                                                    { "judge_loss", NULL },
                                                                    { "judge_accuracy", NULL },
                                                                    { "learning_rate", NULL } };
static const struct kl_train_sum sums[] = { { "epoch_loss", false } };

double kl_classify_network_rate(const struct kl_train *train)
{
    const struct kl_train_options *o = &train->options;
    return kl_nn_schedule_rate(&o->schedule, train->epoch, 0, train->learner->steps_per_epoch, o->epochs,
                               train->replicas[0].reductions);
}

struct kl_learner kl_classify_network_learner(const struct kl_network_options *o, size_t n_training)
{
    const bool by_loss = o->judge == KL_JUDGE_LOSS;
    return (struct kl_learner){
        .rows = kl_network_rows,
        .n_rows = KL_NETWORK_HISTORIES,
        .loss = -1,
        .judged = { { by_loss ? KL_NETWORK_JUDGE_LOSS : KL_NETWORK_JUDGE_ACCURACY, !by_loss } },
        .n_judged = 1,
        .sums = sums,
        .n_named = 1,
        .n_sums = 1,
        .steps_per_epoch = ((int64_t)n_training + o->batch - 1) / o->batch,
        .many_steps = true,
    };
}

struct kl_train_options kl_classify_network_train_options(const struct kl_network_options *o)
{
    struct kl_train_options t;
    kl_train_options_default(&t);
    t.epochs = o->epochs, t.batch_size = o->batch, t.patience = o->patience;
    t.optimizer.weight_decay = o->weight_decay;
    t.schedule = (struct kl_schedule){ .kind = o->rate_patience > 0 ? KL_PLATEAU_RATE : KL_CONSTANT_RATE,
                                       .lr = o->lr,
                                       .patience = o->rate_patience,
                                       .factor = 0.5,
                                       .threshold = 1e-4 };
    return t;
}

void kl_classify_network_result(struct kl_network_run *run, const struct kl_train *train)
{
    const size_t epochs = (size_t)train->options.epochs;
    const struct kl_replica *r = &train->replicas[0];
    for (size_t h = 0; h < KL_NETWORK_HISTORIES; h++)
        memcpy(run->history + h * epochs, r->history[h], epochs * sizeof *run->history);
    run->best = r->best_epoch, run->epochs = train->epoch;
}

void kl_classify_network_options_default(struct kl_network_options *o)
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

/* A training under way; blocks are the kernel's. */
struct training {
    const struct kl_network_options *o;
    const struct kl_samples *samples;
    struct kl_network_run *run;
    const int64_t *training, *judging;
    size_t n_training, n_judging;
    uint64_t seed; /* with the stream in its upper half */
    float *grad, *work;
    float *part; /* gradient of a group of rows; NULL: a step has one */
    int64_t *order;
    int (*stop)(void);
    bool stoppable; /* the judgement that is under way */
};

static int take_memory(struct training *t, struct kl_arena *memory, size_t size, struct kl_error *err)
{
    t->grad = kl_arena_take(memory, size, sizeof *t->grad);
    t->work = kl_arena_take(memory, kl_mlp_work(&t->o->net), sizeof *t->work);
    t->order = kl_arena_take(memory, t->n_training, sizeof *t->order);
    if (t->o->batch > KL_MLP_BATCH) t->part = kl_arena_take(memory, size, sizeof *t->part);
    if (!t->grad || !t->work || !t->order || (t->o->batch > KL_MLP_BATCH && !t->part)) return kl_fail_memory(err, size * sizeof *t->grad);
    memset(t->grad, 0, size * sizeof *t->grad);
    return KL_OK;
}

static void init(void *context, void *params, int64_t replica)
{
    const struct training *t = context;
    (void)replica;
    kl_classify_network_draw(t->run->params, t->o, t->seed);
    kl_classify_network_from_file_f32(params, t->run->params, &t->o->net);
}

static int begin_epoch(struct kl_train *train, struct kl_error *err)
{
    const struct training *t = train->learner->context;
    (void)err;
    kl_nn_shuffle(t->order, t->training, t->n_training, t->seed, (uint32_t)train->epoch);
    return KL_OK;
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

enum { PURPOSES = 4096 }; /* of the dropout of a group: 256 a layer */

/* Gradient of a step's n rows, penalty included: the mean over groups of as many rows as the kernel
   takes, each weighted by its own. */
static struct kl_mlp_loss gradient(struct training *t, const float *params,
                                   const struct kl_dropout_draw *drop, const int64_t *which, size_t n)
{
    const struct kl_network_options *o = t->o;
    const size_t size = kl_mlp_layer(&o->net, o->net.n_layers);
    struct kl_mlp_loss sum = { 0 }, loss;
    struct kl_mlp_batch batch;
    struct kl_dropout_draw own = *drop;
    float *to = n > KL_MLP_BATCH ? t->part : t->grad;
    for (size_t i = 0; i < n; i += KL_MLP_BATCH, own.purpose += PURPOSES) {
        fill(&batch, t->samples, which + i, n - i < KL_MLP_BATCH ? n - i : KL_MLP_BATCH);
        kl_kernel_mlp_gradient_f32()(&loss, to, params, &o->net, &batch, o->l1, &own, t->work);
        if (to == t->grad) return loss;
        const float share = (float)batch.n / (float)n;
        for (size_t j = 0; j < size; j++) t->grad[j] = (i ? t->grad[j] : 0) + share * to[j];
        sum.cross_entropy += loss.cross_entropy * (double)batch.n / (double)n;
    }
    sum.sum_abs = loss.sum_abs;
    for (size_t j = 0; j < size; j++) sum.squares += (double)t->grad[j] * (double)t->grad[j];
    return sum;
}

/* One step; the loss with its penalty. */
static double one_step(const struct kl_crew *crew, double lr, uint64_t number, const int64_t *which,
                       size_t n)
{
    struct training *t = kl_train_crew_learner(crew);
    const struct kl_network_options *o = t->o;
    struct kl_replica *r = crew->replica;
    const struct kl_dropout_draw drop = { .seed = t->seed,
                                          .purpose = KL_RANDOM_DROPOUT,
                                          .step = (uint32_t)number,
                                          .replica = (uint32_t)(number >> 32),
                                          .threshold = kl_nn_dropout_threshold(o->dropout),
                                          .scale = kl_nn_dropout_scale(o->dropout) };
    const struct kl_mlp_loss loss = gradient(t, r->params, &drop, which, n);
    struct kl_update update = kl_nn_update_at(&crew->train->options.optimizer, lr, number + 1);
    const double scale = o->clip / (sqrt(loss.squares) + 1e-6);
    update.adam.grad_scale = o->clip > 0 && scale < 1 ? scale : 1;
    kl_kernel_adam_f32()(r->params, r->m, r->v, t->grad, crew->train->learner->block->size,
                         &update.adam);
    return loss.cross_entropy + o->l1 * loss.sum_abs;
}

/* The rate is the same in all of an epoch. */
static int steps(const struct kl_crew *crew, int64_t first, int64_t count, struct kl_error *err)
{
    const struct training *t = kl_train_crew_learner(crew);
    const struct kl_train_step at = kl_train_step_at(crew, first);
    const size_t batch = (size_t)t->o->batch;
    (void)err;
    for (int64_t s = first; s < first + count; s++) {
        const size_t i = (size_t)s * batch, left = t->n_training - i;
        crew->replica->sums[0] += one_step(crew, at.lr, at.number + (uint64_t)(s - first), t->order + i,
                                           left < batch ? left : batch);
    }
    return KL_OK;
}

static bool stops(const struct training *t)
{
    return t->stoppable && t->stop && t->stop();
}

/* Share of the samples that are told right; *loss (NULL: not asked for): their mean cross-entropy. */
static double share(const struct training *t, const float *params, double *loss, const int64_t *which,
                    size_t n)
{
    const size_t classes = (size_t)t->o->net.size[t->o->net.n_layers];
    float logits[KL_MLP_BATCH * KL_NETWORK_CLASSES];
    struct kl_mlp_batch batch;
    size_t correct = 0;
    double sum = 0;
    for (size_t i = 0; i < n && !stops(t); i += KL_MLP_BATCH) {
        fill(&batch, t->samples, which + i, n - i < KL_MLP_BATCH ? n - i : KL_MLP_BATCH);
        kl_kernel_mlp_logits_f32()(logits, params, &t->o->net, &batch, t->work);
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

static int judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    const struct training *t = kl_train_crew_learner(crew);
    const struct kl_train *train = crew->train;
    const struct kl_replica *r = crew->replica;
    const int64_t e = train->epoch;
    double found[KL_NETWORK_HISTORIES];
    (void)untrained;
    found[KL_NETWORK_TRAIN_LOSS] = r->sums[0] / (double)train->learner->steps_per_epoch;
    found[KL_NETWORK_TRAIN_ACCURACY] = share(t, r->params, NULL, t->training, t->n_training);
    found[KL_NETWORK_JUDGE_ACCURACY] =
        share(t, r->params, &found[KL_NETWORK_JUDGE_LOSS], t->judging, t->n_judging);
    found[KL_NETWORK_RATE] = kl_classify_network_rate(train);
    if (stops(t)) return kl_fail(err, KL_ESIGNAL, "stopped");
    for (int h = 0; h < KL_NETWORK_HISTORIES; h++) r->history[h][e] = found[h];
    return KL_OK;
}

static void stoppable(struct kl_train *train, bool stoppable)
{
    struct training *t = train->learner->context;
    t->stoppable = stoppable;
}

static int ask(void *context, uint64_t done, uint64_t total, const char *note)
{
    const struct training *t = context;
    (void)done, (void)total, (void)note;
    return t->stop && t->stop();
}

static int run_training(struct training *t, struct kl_error *err)
{
    const struct kl_network_options *o = t->o;
    const struct kl_block block = { .size = kl_mlp_layer(&o->net, o->net.n_layers) };
    const struct kl_train_options options = kl_classify_network_train_options(o);
    const struct kl_watch watch = { ask, t };
    struct kl_learner learner = kl_classify_network_learner(o, t->n_training);
    struct kl_arena memory = { 0 };
    struct kl_train train = { 0 };
    learner.context = t, learner.block = &block, learner.init = init;
    learner.begin_epoch = begin_epoch, learner.steps = steps, learner.judge = judge;
    learner.stoppable = stoppable;
    int rc = kl_arena_init(&memory, 0, err);
    if (!rc) rc = take_memory(t, &memory, block.size, err);
    if (!rc) rc = kl_train_open(&train, &learner, &options, 1, err);
    if (!rc) rc = kl_train_run(&train, NULL, &watch, err);
    if (!rc) {
        const struct kl_replica *r = &train.replicas[0];
        kl_classify_network_to_file_f32(t->run->params, o->last ? r->params : r->best, &o->net);
        kl_classify_network_result(t->run, &train);
    }
    kl_train_close(&train);
    kl_arena_free(&memory);
    return rc;
}

int kl_classify_network_train(struct kl_network_run *run, const struct kl_network_options *o,
                              const struct kl_samples *samples, const int64_t *training,
                              size_t n_training, const int64_t *judging, size_t n_judging, uint64_t seed,
                              uint32_t stream, int (*stop)(void), struct kl_error *err)
{
    struct training t = { .o = o,
                          .samples = samples,
                          .run = run,
                          .training = training,
                          .judging = judging,
                          .n_training = n_training,
                          .n_judging = n_judging,
                          .seed = kl_classify_network_seed(seed, stream),
                          .stop = stop };
    const unsigned before = kl_flush_begin();
    const int rc = run_training(&t, err);
    kl_flush_end(before);
    return rc;
}

int kl_classify_network_logits(float *logits, const struct kl_mlp *net, const float *params,
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
        kl_classify_network_from_file_f32(block, params, net);
        for (size_t i = 0; i < n; i += KL_MLP_BATCH) {
            fill(&batch, samples, which + i, n - i < KL_MLP_BATCH ? n - i : KL_MLP_BATCH);
            kl_kernel_mlp_logits_f32()(logits + i * classes, block, net, &batch, work);
        }
    } else rc = kl_fail_memory(err, size * sizeof *block);
    kl_arena_free(&memory);
    return rc;
}
