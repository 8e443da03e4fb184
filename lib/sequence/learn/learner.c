/* SPDX-License-Identifier: MIT
   A net on windows as a learner of lib/train. A step's gradient has parts of at least four windows, as
   many as a power of two, whatever the threads and ranks; each is copied, standardised, into its
   thread's buffer. A net that needs its whole batch has one part. */
#include "sequence/learn/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "store/ranks.h"

enum { PART = 4, CHUNK = 16 /* windows that are judged at once */ };
const struct kl_train_row kl_sequence_rows[KL_SEQUENCE_ROWS] = {
    { "train_loss", "loss" },           { "train_accuracy", NULL }, { "val_loss", "val loss" },
    { "val_accuracy", "val accuracy" }, { "gradient_size", NULL },
};
enum { SUM_LOSS, SUM_CORRECT, SUM_NORM, SUMS };
static const struct kl_train_sum sums[] = { { "epoch_loss", false },
                                            { "epoch_correct", true },
                                            { "epoch_norm", false } };

/* ---- buffers ---- */

static int wake_one(const struct kl_sequence_learner *s, struct kl_sequence_worker *w,
                    struct kl_error *err)
{
    const size_t x = s->room * s->set.channels * s->stride * sizeof *w->x,
                 logits = (s->room * s->set.n_classes * sizeof *w->logits + 63) / 64 * 64,
                 labels = (s->room * sizeof *w->labels + 63) / 64 * 64,
                 bytes = x + logits + labels + s->net.model->work_f32(&s->net, s->room);
    if (posix_memalign(&w->memory, 64, bytes)) {
        w->memory = NULL;
        return kl_fail_memory(err, bytes);
    }
    memset(w->memory, 0, bytes);
    w->x = w->memory;
    w->logits = (float *)((char *)w->memory + x);
    w->labels = (int32_t *)((char *)w->logits + logits);
    w->work = (char *)w->labels + labels;
    return KL_OK;
}

static void rest(struct kl_train *train)
{
    struct kl_sequence_learner *s = train->learner->context;
    for (int i = 0; i < s->n_workers; i++) free(s->workers[i].memory);
    free(s->workers);
    s->workers = NULL, s->n_workers = 0;
}

static int wake(struct kl_train *train, int n_threads, struct kl_error *err)
{
    struct kl_sequence_learner *s = train->learner->context;
    s->workers = calloc((size_t)n_threads, sizeof *s->workers);
    if (!s->workers) return kl_fail_memory(err, (size_t)n_threads * sizeof *s->workers);
    s->n_workers = n_threads;
    int code = KL_OK;
    for (int i = 0; i < n_threads && !code; i++) code = wake_one(s, &s->workers[i], err);
    return code;
}

/* ---- windows into a thread's buffer ---- */

int kl_sequence_learner_copy(struct kl_sequence_worker *w, const struct kl_sequence_learner *s,
                             const int64_t *windows, size_t n, struct kl_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)windows[i];
        const float *x = kl_sequence_set_window(&s->set, k, err);
        if (!x) return err->code;
        kl_sequence_standard_apply(w->x + i * s->set.channels * s->stride, &s->standard,
                                   s->person[s->set.subject[k]], x, s->set.steps, s->stride);
        w->labels[i] = s->set.labels[k];
    }
    return KL_OK;
}

/* ---- the learner ---- */

static void init(void *context, void *params, int64_t replica)
{
    const struct kl_sequence_learner *s = context;
    s->net.model->init(&s->net, params, s->v->train.options.seed, (uint32_t)replica);
}

/* Each replica has an order of its own. */
static int begin_epoch(struct kl_train *train, struct kl_error *err)
{
    const struct kl_sequence_learner *s = train->learner->context;
    const size_t n = s->split.n[KL_SEQUENCE_TRAIN];
    (void)err;
    for (int64_t r = 0; r < train->options.replicas; r++) {
        uint32_t word[4];
        kl_philox(word, train->options.seed, 0, KL_RANDOM_SEQUENCE_ORDER, 0,
                  (uint32_t)(train->options.first_replica + r));
        kl_nn_shuffle(s->order + (size_t)r * n, s->split.part[KL_SEQUENCE_TRAIN], n,
                      (uint64_t)word[1] << 32 | word[0], (uint32_t)train->epoch);
    }
    return KL_OK;
}

static size_t slot_of(const struct kl_crew *crew)
{
    return (size_t)(crew->replica - crew->train->replicas);
}

/* Running statistics: the block's values from the first of these tensors on. */
static size_t state_at(const struct kl_sequence_learner *s)
{
    const struct kl_block *b = &s->net.block;
    return s->net.first_state < b->n ? b->tensors[s->net.first_state].offset : b->size;
}

static float *state_of(const struct kl_sequence_learner *s, size_t slot)
{
    const size_t n = s->net.block.size - state_at(s);
    return n ? s->state + slot * n : NULL;
}

static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part, void *to,
                    double *sum, int thread, struct kl_error *err)
{
    const struct kl_sequence_learner *s = kl_train_crew_learner(crew);
    struct kl_sequence_worker *w = &s->workers[thread];
    const size_t all = s->split.n[KL_SEQUENCE_TRAIN], first = (size_t)step->step * s->batch,
                 left = all - first, n = left < s->batch ? left : s->batch, from = n * part / s->parts,
                 count = n * (part + 1) / s->parts - from;
    float *grad = to;
    if (s->gpu) {
        kl_sequence_gpu_gradient(grad, &sum[SUM_LOSS], &sum[SUM_CORRECT], s, slot_of(crew));
        return KL_OK;
    }
    for (int t = 0; t < s->net.block.n && !count; t++)
        memset(grad + s->net.block.tensors[t].offset, 0, s->net.block.tensors[t].size * sizeof *grad);
    if (!count) return KL_OK;
    const int code =
        kl_sequence_learner_copy(w, s, s->order + slot_of(crew) * all + first + from, count, err);
    if (code) return code;
    const struct kl_sequence_batch_f32 batch = { .x = w->x,
                                                 .labels = w->labels,
                                                 .scale = 1 / (double)n,
                                                 .n = count,
                                                 .training = true,
                                                 .seed = s->v->train.options.seed,
                                                 .step = (uint32_t)step->number,
                                                 .replica = (uint32_t)crew->index,
                                                 .row = from };
    struct kl_sequence_result_f32 result = { .logits = w->logits,
                                             .grad = grad,
                                             .state = state_of(s, slot_of(crew)) };
    s->net.model->run_f32(&result, &s->net, crew->replica->params, &batch, w->work);
    sum[SUM_LOSS] = result.loss, sum[SUM_CORRECT] = (double)result.correct;
    return KL_OK;
}

/* The statistics of the step's batch take their place in the block. */
static int after_update(const struct kl_crew *crew, const struct kl_train_step *step,
                        struct kl_error *err)
{
    const struct kl_sequence_learner *s = kl_train_crew_learner(crew);
    const struct kl_block *b = &s->net.block;
    const float *state = state_of(s, slot_of(crew));
    float *params = crew->replica->params;
    (void)step, (void)err;
    for (int t = s->net.first_state; t < b->n; t++)
        memcpy(params + b->tensors[t].offset, state + b->tensors[t].offset - state_at(s),
               b->tensors[t].size * sizeof *params);
    return KL_OK;
}

static int judge_chunk(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct kl_crew *crew = context;
    const struct kl_sequence_learner *s = kl_train_crew_learner(crew);
    struct kl_sequence_worker *w = &s->workers[thread];
    const size_t n = s->split.n[KL_SEQUENCE_VALIDATION], from = i * CHUNK,
                 count = n - from < CHUNK ? n - from : CHUNK;
    const int code =
        kl_sequence_learner_copy(w, s, s->split.part[KL_SEQUENCE_VALIDATION] + from, count, err);
    if (code) return code;
    const struct kl_sequence_batch_f32 batch = {
        .x = w->x, .labels = w->labels, .scale = 1, .n = count
    };
    struct kl_sequence_result_f32 result = { .logits = w->logits };
    s->net.model->run_f32(&result, &s->net, crew->replica->params, &batch, w->work);
    s->judged[slot_of(crew) * s->chunks + i] =
        (struct kl_sequence_chunk){ result.loss, (double)result.correct };
    return KL_OK;
}

struct share {
    const struct kl_crew *crew;
    size_t from;
};
static int judge_share(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct share *share = context;
    return judge_chunk((void *)share->crew, share->from + i, thread, err);
}

static int judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    const struct kl_sequence_learner *s = kl_train_crew_learner(crew);
    struct kl_ranks *ranks = crew->train->options.ranks;
    struct kl_sequence_chunk *chunks = s->judged + slot_of(crew) * s->chunks, sum = { 0 };
    const double n = (double)s->split.n[KL_SEQUENCE_VALIDATION];
    struct share share = { crew, 0 };
    size_t to;
    (void)untrained;
    kl_store_ranks_share(ranks, s->chunks, &share.from, &to);
    int code = kl_train_crew_for(crew, to - share.from, judge_share, &share, err);
    if (!code) code = kl_store_ranks_gather(ranks, chunks, s->chunks, sizeof *chunks, err);
    if (code) return code;
    for (size_t i = 0; i < s->chunks; i++) sum.loss += chunks[i].loss, sum.correct += chunks[i].correct;
    crew->replica->history[KL_SEQUENCE_VAL_LOSS][crew->train->epoch] = sum.loss / n;
    crew->replica->history[KL_SEQUENCE_VAL_ACCURACY][crew->train->epoch] = sum.correct / n;
    return KL_OK;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    const struct kl_sequence_learner *s = kl_train_crew_learner(crew);
    const double *sum = crew->replica->sums, n = (double)s->split.n[KL_SEQUENCE_TRAIN];
    double **history = crew->replica->history;
    const int64_t epoch = crew->train->epoch;
    history[KL_SEQUENCE_TRAIN_LOSS][epoch] = sum[SUM_LOSS] / n;
    history[KL_SEQUENCE_TRAIN_ACCURACY][epoch] = sum[SUM_CORRECT] / n;
    history[KL_SEQUENCE_GRADIENT_SIZE][epoch] =
        sum[SUM_NORM] / (double)crew->train->learner->steps_per_epoch;
    return kl_sequence_set_unchanged(&s->set, err);
}

/* ---- the stage ---- */

static void say(const struct kl_sequence_learner *s, const struct kl_log *log)
{
    const struct kl_sequence_train_values *v = s->v;
    const char *own = kl_sequence_transductive(s->standard.kind, s->standard.align);
    size_t flat = 0;
    if (v->parts.kind == KL_SEQUENCE_SPLIT_LEAK)
        kl_caution(log, "--split leak: windows of one person and recording train and test: what is "
                        "measured is not how the model does on people or days that it has not seen");
    if (v->reference)
        kl_caution(log, "--profile reference: %s, %s are tested, the best epoch is by %s%s",
                   s->standard.kind != KL_SEQUENCE_STANDARD_NONE ? "windows are standardised"
                   : s->standard.align == KL_SEQUENCE_ALIGN_NONE
                       ? "windows are not standardised (millivolts)"
                       : "windows are aligned alone",
                   v->last ? "the last weights and not the best" : "the best weights", v->judge,
                   v->logit_dropout ? ", dropout acts on the logits too" : "");
    if (s->split.unlabelled)
        kl_note(log, 1, "%zu of %zu windows have no label and are left out", s->split.unlabelled,
                s->set.n);
    if (own) kl_caution(log, KL_SEQUENCE_OWN, own);
    if (s->standard.lost) kl_caution(log, KL_SEQUENCE_LOST, s->standard.lost, s->set.channels);
    for (size_t i = 0; i < kl_sequence_standard_rows(&s->standard) * s->standard.channels; i++)
        flat += s->standard.scale[i] == 0;
    if (flat)
        kl_caution(log,
                   "%zu channel%s never move%s in the windows by which they are standardised: they "
                   "are 0 to the model",
                   flat, kl_s(flat), flat == 1 ? "s" : "");
    kl_note(log, 2, "%zu windows train, %zu validate, %zu test; %zu parameters",
            s->split.n[KL_SEQUENCE_TRAIN], s->split.n[KL_SEQUENCE_VALIDATION],
            s->split.n[KL_SEQUENCE_TEST], s->net.n_parameters);
}

/* A class without a window in a part: nothing is learnt, or known, of it. */
static int check_classes(const struct kl_sequence_learner *s, const struct kl_log *log,
                         struct kl_error *err)
{
    static const char *const parts[] = { "training", "validation", "test" };
    if (s->set.n_classes < 2)
        return kl_fail(err, KL_EDATA, "the windows have %zu class%s, expected at least 2",
                       s->set.n_classes, s->set.n_classes == 1 ? "" : "es");
    for (int k = 0; k < KL_SEQUENCE_PARTS; k++)
        for (size_t c = 0; c < s->set.n_classes && s->split.n[k]; c++) {
            size_t n = 0;
            for (size_t i = 0; i < s->split.n[k]; i++)
                n += s->set.labels[s->split.part[k][i]] == (int32_t)c;
            if (!n && k == KL_SEQUENCE_TRAIN)
                return kl_fail(err, KL_EDATA, "no training window is of class '%s'",
                               s->set.class_names[c]);
            if (!n) kl_caution(log, "no %s window is of class '%s'", parts[k], s->set.class_names[c]);
        }
    return KL_OK;
}

static int open_data(struct kl_sequence_learner *s, const struct kl_training *t, struct kl_error *err)
{
    const struct kl_sequence_train_values *v = s->v;
    int code = kl_sequence_set_open(&s->set, t->inputs->files, t->inputs->n, err);
    if (!code) code = kl_sequence_split_make(&s->split, &s->set, &v->parts, err);
    if (!code) code = kl_sequence_split_guard(&s->split, &s->set, v->parts.kind, t->log, err);
    if (!code) code = check_classes(s, t->log, err);
    if (!code)
        code = kl_sequence_standard_fit(&s->standard, &s->set, &v->standard,
                                        s->split.part[KL_SEQUENCE_TRAIN], s->split.n[KL_SEQUENCE_TRAIN],
                                        err);
    if (code) return code;
    s->person = calloc(s->set.n_subjects + 1, sizeof *s->person);
    if (!s->person) return kl_fail_memory(err, s->set.n_subjects * sizeof *s->person);
    for (size_t i = 0; i < s->set.n_subjects; i++)
        s->person[i] = (size_t)kl_sequence_standard_person(&s->standard, s->set.subject_names[i]);
    const struct kl_sequence_shape shape = { .channels = s->set.channels,
                                             .steps = s->set.steps,
                                             .classes = (int)s->set.n_classes,
                                             .rate = s->set.rate };
    return kl_sequence_net_open(&s->net, &v->net, &shape, err);
}

static int take_room(struct kl_sequence_learner *s, struct kl_error *err)
{
    const struct kl_train_options *o = &s->v->train.options;
    const size_t n = s->split.n[KL_SEQUENCE_TRAIN], n_val = s->split.n[KL_SEQUENCE_VALIDATION];
    s->batch = (size_t)o->batch_size < n ? (size_t)o->batch_size : n;
    s->parts = 1;
    while (!s->net.model->whole_batch && 2 * s->parts * PART <= s->batch &&
           s->parts < KL_CUDA_WINDOWS_PARTS)
        s->parts *= 2;
    s->room = (s->batch + s->parts - 1) / s->parts;
    if (s->room < CHUNK) s->room = CHUNK;
    s->stride = kl_sequence_stride(s->set.steps);
    s->chunks = (n_val + CHUNK - 1) / CHUNK;
    const size_t replicas = (size_t)o->replicas, state = s->net.block.size - state_at(s);
    s->order = malloc(replicas * n * sizeof *s->order);
    s->state = calloc(replicas * state + 1, sizeof *s->state);
    s->judged = calloc(replicas * s->chunks + 1, sizeof *s->judged);
    if (s->order && s->state && s->judged) return KL_OK;
    return kl_fail_memory(err, replicas * n * sizeof *s->order);
}

/* A sweep has chosen for its points, and says so in their records. */
static int choose_device(struct kl_sequence_learner *s, const struct kl_training *t,
                         struct kl_error *err)
{
    struct kl_common *common = t->values;
    if (t->device) {
        s->device = *t->device;
        return KL_OK;
    }
    return kl_device_take(&s->device, common, t->ranks ? t->ranks->local : 0, t->log, err);
}

static int open_training(struct kl_training *t, struct kl_error *err)
{
    struct kl_sequence_learner *s = t->state;
    s->v = t->values, s->inputs = t->inputs, s->log = t->log;
    int code = choose_device(s, t, err);
    if (!code) code = open_data(s, t, err);
    if (!code && s->device.cuda) code = kl_sequence_gpu_check(s, err);
    if (!code) code = take_room(s, err);
    if (code) return code;
    say(s, t->log);
    const bool judges = s->split.n[KL_SEQUENCE_VALIDATION] > 0, accuracy = s->v->by_accuracy;
    t->learner = (struct kl_learner){
        .context = s,
        .block = &s->net.block,
        .parameters = (int64_t)s->net.n_parameters,
        .rows = kl_sequence_rows,
        .n_rows = KL_SEQUENCE_ROWS,
        .loss = KL_SEQUENCE_TRAIN_LOSS,
        .judged = { { accuracy ? KL_SEQUENCE_VAL_ACCURACY : KL_SEQUENCE_VAL_LOSS, accuracy },
                    { KL_SEQUENCE_VAL_LOSS, false } },
        .n_judged = judges ? accuracy && !s->v->reference ? 2 : 1 : 0,
        .plateau = { KL_SEQUENCE_VAL_LOSS, false },
        .plateau_own = judges,
        .sums = sums,
        .n_named = SUMS,
        .n_sums = SUMS,
        .norms = true,
        .steps_per_epoch = (int64_t)((s->split.n[KL_SEQUENCE_TRAIN] + s->batch - 1) / s->batch),
        .parts = s->parts,
        .tree = true,
        .judge_cost = 0.1,
        .device = s->device.cuda ? &kl_sequence_gpu_device : NULL,
        .init = init,
        .wake = wake,
        .rest = rest,
        .begin_epoch = begin_epoch,
        .gradient = gradient,
        .after_update = s->net.first_state < s->net.block.n ? after_update : NULL,
        .judge = judges ? judge : NULL,
        .end_epoch = end_epoch,
    };
    return KL_OK;
}

static void close_training(struct kl_training *t)
{
    struct kl_sequence_learner *s = t->state;
    struct kl_common *common = t->values;
    if (common->device_used == s->device.name) common->device_used = NULL;
    kl_sequence_net_close(&s->net);
    kl_sequence_standard_free(&s->standard);
    kl_sequence_split_free(&s->split);
    kl_sequence_set_close(&s->set);
    free(s->person), free(s->order), free(s->state), free(s->judged);
}

static int save(const struct kl_training *t, struct kl_writer *w, struct kl_error *err)
{
    return kl_sequence_model_save(t->state, w, err);
}

/* The least loss of all epochs is far above that of equal probabilities. Twice that is no line between
   learnt and not: what overfits a little, or is judged by accuracy, stays below it. */
static void say_unlearnt(const struct kl_training *t)
{
    const struct kl_sequence_learner *s = t->state;
    const bool judged = s->split.n[KL_SEQUENCE_VALIDATION] > 0;
    const int row = judged ? KL_SEQUENCE_VAL_LOSS : KL_SEQUENCE_TRAIN_LOSS;
    const double guess = log((double)s->set.n_classes);
    const int64_t replicas = t->train.options.replicas;
    double worst = 0;
    int64_t n = 0;
    for (int64_t r = 0; r < replicas; r++) {
        const struct kl_replica *one = &t->train.replicas[r];
        const int64_t ran = one->stopped_epoch >= 0 ? one->stopped_epoch + 1 : t->train.epoch;
        double least = INFINITY;
        for (int64_t e = 0; e < ran; e++) least = fmin(least, one->history[row][e]);
        n += least > 2 * guess;
        worst = fmax(worst, least);
    }
    if (!n) return;
    char which[80] = "";
    if (replicas > 1)
        snprintf(which, sizeof which, " (%lld of %lld replicas)", (long long)n, (long long)replicas);
    kl_caution(t->log,
               "the least %s loss is %.4g, and %.4g is that of guessing%s: nothing was learnt; try a "
               "smaller --lr than %g",
               judged ? "validation" : "training", worst, guess, which,
               t->settings->options.schedule.lr);
}

static void remark(const struct kl_training *t)
{
    const struct kl_sequence_learner *s = t->state;
    const int judged = s->split.n[KL_SEQUENCE_VALIDATION] ? KL_SEQUENCE_VAL_LOSS : -1;
    const double percent = kl_train_unfinished(&t->train, KL_SEQUENCE_TRAIN_LOSS, judged);
    say_unlearnt(t);
    if (percent > 0) kl_train_say_unfinished(t->log, &t->train, percent);
}

const struct kl_train_stage kl_sequence_train_stage = {
    .tool = &kl_sequence_train_tool,
    .kind = &kl_sequence_model_kind,
    .schema = KL_SEQUENCE_MODEL_SCHEMA,
    .version = KL_SEQUENCE_TRAIN_VERSION,
    .input = &kl_sequence_windows_kind,
    .many = true,
    .role = "windows",
    .defaults = kl_sequence_train_defaults,
    .settings_at = offsetof(struct kl_sequence_train_values, train),
    .rows = kl_sequence_rows,
    .n_rows = KL_SEQUENCE_ROWS,
    .state_size = sizeof(struct kl_sequence_learner),
    .settle = kl_sequence_train_settle,
    .open = open_training,
    .close = close_training,
    .save = save,
    .remark = remark,
};
