/* SPDX-License-Identifier: MIT
   Meta-learning as a learner of lib/train: a step is a meta-iteration on fresh tasks, an epoch those
   between two validations on a fixed set, which is judged in double. */
#include "control/meta/meta_train.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"

/* ---- judging ----
   How a policy does on tasks that it was not trained on, before and after adaptation, in double. */

enum { PART = KL_CONTROL_PART }; /* tasks that are in lanes together, whatever the threads */

static size_t whole(size_t n, size_t part)
{
    return (n + part - 1) / part * part;
}

/* Where pulses take most of the time, fewer tasks a part keep more threads busy. */
static size_t lanes_of(size_t tasks, bool narrow)
{
    if (narrow) return KL_POLICY_LANES;
    return tasks < PART ? whole(tasks, KL_POLICY_LANES) : PART;
}

/* What networks give is clamped to it: of a system they are shares of its limits. */
static double clamp_of(const struct kl_control_meta_values *v)
{
    return v->family.setup ? 1 : v->limit.value;
}

struct kl_control_judge {
    struct kl_arena memory;
    struct kl_control_batch_f64 batch;
    size_t tasks, lanes;
    enum kl_control_task_set set;
    uint64_t seed;
    enum kl_control_aggregate aggregate;
    double *losses; /* [2][tasks]: before and after */
};

int kl_control_meta_tables(struct kl_control_family *family, const struct kl_control_meta_values *v,
                           struct kl_error *err)
{
    struct kl_control_noise noise;
    kl_control_noise_default(&noise);
    noise.mapping = (enum kl_control_mapping)kl_choice(KL_CONTROL_MAPPING_CHOICES, v->mapping);
    noise.duration = v->duration.value, noise.omega0 = v->omega0, noise.gamma_h = v->gamma_h;
    noise.line_width = v->line_width, noise.temperature = v->temperature;
    noise.segments = (int)v->segments;
    const int code = kl_control_sequence(&noise.pulses, v->sequence, err);
    return code || !family->psd ? code : kl_control_psd_tables(family, &noise, err);
}

int kl_control_judge_open(struct kl_control_judge **judge, const struct kl_control_meta_values *v,
                          const struct kl_control_family *family, const struct kl_control_net *net,
                          enum kl_control_task_set set, size_t tasks, const struct kl_device *device,
                          struct kl_error *err)
{
    struct kl_control_judge *j = *judge = calloc(1, sizeof *j);
    if (!j) return kl_fail_memory(err, sizeof *j);
    /* Of a GPU all that fit a batch in one launch. */
    j->lanes = lanes_of(tasks, !(device && device->cuda));
    j->tasks = tasks, j->set = set, j->seed = v->train.options.seed, j->aggregate = v->aggregate;
    int code = kl_arena_init(&j->memory, 0, err);
    if (!code)
        code = kl_control_batch_make_f64(&j->batch, net, &v->inner, family, clamp_of(v), j->lanes,
                                         device, &j->memory, err);
    if (!code && !(j->losses = kl_arena_take(&j->memory, 2 * tasks, sizeof *j->losses)))
        code = kl_fail_memory(err, 2 * tasks * sizeof *j->losses);
    return code;
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The worst of n losses, which are put in order, or the mean of the worst share. */
static double worst_of(double *losses, size_t n, bool one)
{
    const double tail = one ? 1 : KL_CONTROL_TASKS_TAIL * (double)n;
    double sum = 0;
    qsort(losses, n, sizeof *losses, falling);
    for (size_t i = 0; i < n && (double)i < tail; i++) sum += losses[i] * fmin(1, tail - (double)i);
    return sum / tail;
}

int kl_control_judge_run(double *before, double *after, double *std, struct kl_control_judge *j,
                         const double *params, struct kl_error *err)
{
    struct kl_control_batch_f64 *b = &j->batch;
    const size_t steps = (size_t)b->adapt.inner.steps;
    double squares = 0;
    *before = *after = 0;
    for (size_t first = 0; first < j->tasks; first += j->lanes) {
        const size_t count = j->tasks - first < j->lanes ? j->tasks - first : j->lanes;
        const struct kl_control_task_id id = { j->seed, j->set, (uint32_t)first, 0 };
        kl_control_batch_fill_f64(b, id, count, 0);
        const int code = kl_control_batch_adapt_f64(b, params, err);
        if (code) return code;
        for (size_t l = 0; l < count; l++) {
            const double adapted = b->adapt.loss[steps * b->adapt.n + l];
            *before += b->adapt.loss[l], *after += adapted, squares += adapted * adapted;
            j->losses[first + l] = b->adapt.loss[l], j->losses[j->tasks + first + l] = adapted;
        }
    }
    const double n = (double)j->tasks;
    *before /= n, *after /= n;
    *std = sqrt(fmax(0, squares / n - *after * *after));
    if (j->aggregate == KL_CONTROL_MEAN) return KL_OK;
    *before = worst_of(j->losses, j->tasks, j->aggregate == KL_CONTROL_WORST);
    *after = worst_of(j->losses + j->tasks, j->tasks, j->aggregate == KL_CONTROL_WORST);
    return KL_OK;
}

void kl_control_judge_close(struct kl_control_judge **judge)
{
    if (!*judge) return;
    kl_control_batch_close_f64(&(*judge)->batch);
    kl_arena_free(&(*judge)->memory);
    free(*judge);
    *judge = NULL;
}

enum { TRAIN_LOSS, ADAPTED_LOSS, VAL_PRE, VAL_POST, VAL_STD, GAIN, GRADIENT_NORM, ROWS };
static const struct kl_train_row rows[] = {
    { "train_loss", "loss" },       { "adapted_loss", NULL }, { "val_pre", NULL },
    { "val_post", "adapted loss" }, { "val_std", NULL },      { "adaptation_gain", NULL },
    { "gradient_size", NULL },
};
enum { SUM_LOSS, SUM_ADAPTED, SUM_NORM, SUMS };
static const struct kl_train_sum sums[] = { { "epoch_loss", false },
                                            { "epoch_adapted", false },
                                            { "epoch_norm", false } };

/* The workspace of one thread. */
struct worker {
    struct kl_arena memory;
    struct kl_control_batch_f32 f32;
    struct kl_control_batch_f64 f64;
    struct kl_control_judge *judge;
    double *params; /* in double, for judging */
};
struct meta {
    const struct kl_control_meta_values *v;
    struct kl_control_family family; /* the values', with tables of its own */
    struct kl_control_net net;
    bool wide;
    struct kl_device device;
    size_t tasks, lanes;
    struct worker *workers;
    int n_workers;
    double *first, *scratch; /* of init */
    double *start;           /* of a system */
    pthread_mutex_t beginning;
};

/* ---- buffers ---- */

static int wake_one(struct meta *s, struct worker *w, struct kl_error *err)
{
    const struct kl_control_meta_values *v = s->v;
    const struct kl_control_inner *inner = &v->inner;
    int code = kl_arena_init(&w->memory, 0, err);
    if (!code && s->wide)
        code = kl_control_batch_make_f64(&w->f64, &s->net, inner, &s->family, clamp_of(v), s->lanes,
                                         &s->device, &w->memory, err);
    if (!code && !s->wide)
        code = kl_control_batch_make_f32(&w->f32, &s->net, inner, &s->family, clamp_of(v), s->lanes,
                                         &s->device, &w->memory, err);
    if (!code)
        code = kl_control_judge_open(&w->judge, v, &s->family, &s->net, KL_CONTROL_VALIDATION,
                                     (size_t)v->val_tasks, &s->device, err);
    if (code) return code;
    w->f32.aggregate = w->f64.aggregate = v->aggregate;
    w->params = kl_arena_take(&w->memory, s->net.block.size, sizeof *w->params);
    return w->params ? KL_OK : kl_fail_memory(err, s->net.block.size * sizeof *w->params);
}

static void rest(struct kl_train *train)
{
    struct meta *s = train->learner->context;
    for (int i = 0; i < s->n_workers; i++) {
        kl_control_judge_close(&s->workers[i].judge);
        kl_control_batch_close_f32(&s->workers[i].f32), kl_control_batch_close_f64(&s->workers[i].f64);
        kl_arena_free(&s->workers[i].memory);
    }
    free(s->workers);
    s->workers = NULL, s->n_workers = 0;
}

static int wake(struct kl_train *train, int n_threads, struct kl_error *err)
{
    struct meta *s = train->learner->context;
    s->workers = calloc((size_t)n_threads, sizeof *s->workers);
    if (!s->workers) return kl_fail_memory(err, (size_t)n_threads * sizeof *s->workers);
    s->n_workers = n_threads;
    for (int i = 0; i < n_threads; i++) {
        const int code = wake_one(s, &s->workers[i], err);
        if (code) return code;
    }
    return KL_OK;
}

/* ---- the learner ---- */

static void init(void *context, void *params, int64_t replica)
{
    struct meta *s = context;
    /* Several replicas that diverged may begin anew at once. */
    pthread_mutex_lock(&s->beginning);
    kl_control_net_init(s->first, &s->net, s->v->train.options.seed, (uint32_t)replica, s->scratch);
    if (strcmp(s->v->start, "zero") != 0) kl_control_family_begin(s->first, &s->net, &s->family);
    for (size_t i = 0; i < s->net.block.size; i++)
        if (s->wide) ((double *)params)[i] = s->first[i];
        else ((float *)params)[i] = (float)s->first[i];
    pthread_mutex_unlock(&s->beginning);
}

static int gradient(const struct kl_crew *crew, const struct kl_train_step *step, size_t part,
                    void *grad, double *sum, int thread, struct kl_error *err)
{
    struct meta *s = kl_train_crew_learner(crew);
    struct worker *w = &s->workers[thread];
    const size_t first = part * s->lanes,
                 count = s->tasks - first < s->lanes ? s->tasks - first : s->lanes;
    const struct kl_control_task_id id = { s->v->train.options.seed, KL_CONTROL_TRAINING,
                                           (uint32_t)(step->number * s->tasks + first),
                                           (uint32_t)crew->index };
    const double weight = 1 / (double)s->tasks;
    double losses[2];
    int code;
    if (s->wide) {
        kl_control_batch_fill_f64(&w->f64, id, count, weight);
        code = kl_control_batch_gradient_f64(grad, losses, &w->f64, crew->replica->params, count, err);
    } else {
        kl_control_batch_fill_f32(&w->f32, id, count, weight);
        code = kl_control_batch_gradient_f32(grad, losses, &w->f32, crew->replica->params, count, err);
    }
    sum[SUM_LOSS] = losses[0], sum[SUM_ADAPTED] = losses[1];
    return code;
}

/* The same tasks for all replicas and epochs. */
static int judge(const struct kl_crew *crew, bool untrained, struct kl_error *err)
{
    struct meta *s = kl_train_crew_learner(crew);
    struct worker *w = &s->workers[crew->thread];
    double pre, post, std, **history = crew->replica->history;
    const int64_t epoch = crew->train->epoch;
    (void)untrained;
    for (size_t i = 0; i < s->net.block.size; i++)
        w->params[i] =
            s->wide ? ((double *)crew->replica->params)[i] : (double)((float *)crew->replica->params)[i];
    const int code = kl_control_judge_run(&pre, &post, &std, w->judge, w->params, err);
    if (code) return code;
    history[VAL_PRE][epoch] = pre, history[VAL_POST][epoch] = post, history[VAL_STD][epoch] = std;
    history[GAIN][epoch] = pre - post;
    return KL_OK;
}

static int end_epoch(const struct kl_crew *crew, struct kl_error *err)
{
    const struct meta *s = kl_train_crew_learner(crew);
    const double *sum = crew->replica->sums, steps = (double)s->v->val_interval;
    double **history = crew->replica->history;
    const int64_t epoch = crew->train->epoch;
    history[TRAIN_LOSS][epoch] = sum[SUM_LOSS] / (steps * (double)s->tasks);
    history[ADAPTED_LOSS][epoch] = sum[SUM_ADAPTED] / (steps * (double)s->tasks);
    history[GRADIENT_NORM][epoch] = sum[SUM_NORM] / steps;
    /* A loss of training that is no number is the loop's to judge. */
    if (!isfinite(history[TRAIN_LOSS][epoch]) || isfinite(history[VAL_POST][epoch])) return KL_OK;
    return kl_fail(err, KL_EDATA,
                   "epoch %lld: found the adapted validation loss %g, expected a number; give a smaller "
                   "--inner-lr, --meta-lr or --limit, or more --n-segments",
                   (long long)epoch + 1, history[VAL_POST][epoch]);
}

/* ---- the stage ---- */

/* " dephasing 0.02 to 0.15," */
static void say_range(char *text, size_t size, const char *name, const struct kl_control_range *r)
{
    const size_t used = strlen(text);
    if (r->low < r->high) snprintf(text + used, size - used, " %s %.4g to %.4g,", name, r->low, r->high);
    else snprintf(text + used, size - used, " %s %.4g,", name, r->low);
}

/* The same of a system. */
static int say_system(const struct meta *s, const struct kl_log *log, struct kl_error *err)
{
    const struct kl_control_meta_values *v = s->v;
    bool rates = false;
    for (int i = 0; i < v->setup.n_ranges; i++) rates |= kl_control_family_is_rate(&v->setup, i);
    const int code = kl_control_setup_say(log, &v->setup, &v->problem, &v->texts, err);
    if (code) return code;
    char scaled[64] = "";
    if (v->diversity != 1)
        snprintf(scaled, sizeof scaled, "; ranges of rates %g times as wide", v->diversity);
    if (rates && s->family.distribution != KL_CONTROL_UNIFORM)
        kl_note(log, 1, "tasks   uniform within the ranges, rates %s%s", v->distribution, scaled);
    else kl_note(log, 1, "tasks   uniform within the ranges%s", scaled);
    return KL_OK;
}

/* What is drawn and what is sought, given or not. */
static void say_tasks(const struct meta *s, const struct kl_log *log)
{
    const struct kl_control_family *f = &s->family;
    char text[400] = "";
    if (f->psd) {
        say_range(text, sizeof text, "alpha", &f->alpha);
        say_range(text, sizeof text, "strength", &f->amplitude);
        say_range(text, sizeof text, "corner", &f->omega_c);
    } else {
        say_range(text, sizeof text, "dephasing", &f->dephasing);
        say_range(text, sizeof text, "relaxation", &f->relaxation);
    }
    say_range(text, sizeof text, "detuning", &f->detuning);
    say_range(text, sizeof text, "factor of the controls", &f->controls);
    if (f->two_qubits) say_range(text, sizeof text, "factor of J", &f->coupling);
    kl_note(log, 1, "tasks   %s:%s %s; radians, or one, per unit of time", f->psd ? "spectra" : "rates",
            text, s->v->distribution);
    kl_note(log, 1, "pulse   T %.6g, %lld segments, controls at most %.6g; target %s, 1 - fidelity %s",
            f->duration, (long long)s->v->segments, s->v->limit.value, s->v->gate, s->v->fidelity);
}

/* Where a system's policies begin. */
static int find_start(struct meta *s, struct kl_pool *pool, struct kl_error *err)
{
    const struct kl_control_meta_values *v = s->v;
    const size_t n = (size_t)(v->shape.segments * v->shape.controls);
    if (!s->family.setup) return KL_OK;
    s->family.start = s->start = calloc(n, sizeof *s->start);
    if (!s->start) return kl_fail_memory(err, n * sizeof *s->start);
    return strcmp(v->start, "zero") == 0
               ? KL_OK
               : kl_control_family_search(s->start, s->family.setup, v->train.options.seed, pool, err);
}

static int open_meta(struct kl_training *t, struct kl_error *err)
{
    struct meta *s = t->state;
    const struct kl_control_meta_values *v = t->values;
    pthread_mutex_init(&s->beginning, NULL);
    s->v = v, s->family = v->family, s->wide = strcmp(v->precision, "double") == 0;
    s->tasks = (size_t)v->train.options.batch_size;
    int code = KL_OK;
    if (v->family.setup) code = say_system(s, t->log, err);
    else say_tasks(s, t->log);
    kl_control_meta_unused(v, t->log);
    if (!code) code = kl_device_take(&s->device, t->values, 0, t->log, err);
    s->lanes = lanes_of(s->tasks, v->family.setup && !s->device.cuda && v->aggregate == KL_CONTROL_MEAN);
    if (!code) code = kl_control_net_make(&s->net, &v->shape, err);
    if (!code) code = kl_control_meta_tables(&s->family, v, err);
    if (!code) code = find_start(s, t->pool, err);
    if (code) return code;
    s->first = malloc(s->net.block.size * sizeof *s->first);
    s->scratch = malloc(kl_control_net_scratch(&s->net) * sizeof *s->scratch);
    if (!s->first || !s->scratch) return kl_fail_memory(err, s->net.block.size * sizeof *s->first);
    t->learner = (struct kl_learner){
        .context = s,
        .block = &s->net.block,
        .wide = s->wide,
        .rows = rows,
        .n_rows = ROWS,
        .loss = TRAIN_LOSS,
        .judged = { { VAL_POST, false } },
        .n_judged = 1,
        .sums = sums,
        .n_named = SUMS,
        .n_sums = SUMS,
        .norms = true,
        .steps_per_epoch = v->val_interval,
        .parts = whole(s->tasks, s->lanes) / s->lanes,
        .judge_cost = 0.2,
        .init = init,
        .wake = wake,
        .rest = rest,
        .gradient = gradient,
        .judge = judge,
        .end_epoch = end_epoch,
    };
    return code;
}

static void close_meta(struct kl_training *t)
{
    struct meta *s = t->state;
    struct kl_common *common = t->values;
    if (common->device_used == s->device.name) common->device_used = NULL;
    kl_control_net_free(&s->net);
    kl_control_psd_tables_free(&s->family);
    free(s->first), free(s->scratch), free(s->start);
    pthread_mutex_destroy(&s->beginning);
}

static int save(const struct kl_training *t, struct kl_writer *w, struct kl_error *err)
{
    const struct meta *s = t->state;
    return kl_control_policy_write(w, &s->net, &s->family, &s->v->inner, clamp_of(s->v), s->v->precision,
                                   s->v->model, err);
}

/* The best epoch was chosen by the tasks of validation, so that its loss there is too good: what is kept
   is told with its loss on tasks that nothing saw, and how far that may be from the law's mean. */
static void remark_unseen(const struct kl_training *t)
{
    enum { UNSEEN = 200 };
    struct meta *s = t->state;
    const struct kl_train *train = &t->train;
    const int64_t n = train->options.replicas;
    struct kl_control_judge *judge = NULL;
    double *params = malloc(s->net.block.size * sizeof *params), mean = 0, chosen = 0, error = 0;
    if (!params ||
        kl_control_judge_open(&judge, s->v, &s->family, &s->net, KL_CONTROL_TEST, UNSEEN, NULL, NULL)) {
        free(params);
        return;
    }
    for (int64_t r = 0; r < n; r++) {
        const struct kl_replica *one = &train->replicas[r];
        double pre, post, std;
        for (size_t i = 0; i < s->net.block.size; i++)
            params[i] = s->wide ? ((double *)one->best)[i] : (double)((float *)one->best)[i];
        kl_control_judge_run(&pre, &post, &std, judge, params, NULL);
        mean += post / (double)n, chosen += one->history[VAL_POST][one->best_epoch] / (double)n;
        error = fmax(error, 1.96 * std / sqrt(UNSEEN));
    }
    kl_control_judge_close(&judge);
    free(params);
    char words[200];
    snprintf(words, sizeof words,
             "adapted, the loss is %.4g +- %.2g (95 %%) on %d tasks that nothing saw, %.4g on the %lld "
             "by which "
             "the epoch was chosen",
             mean, error, UNSEEN, chosen, (long long)s->v->val_tasks);
    if (fabs(mean - chosen) > fmax(2 * error, KL_CONTROL_LAW_SHARE * mean))
        kl_caution(t->log, "%s", words);
    else kl_note(t->log, 1, "%s", words);
}

/* As many epochs again would gain more than the share that counts: the adapted loss still fell by that
   in the last tenth, over the replicas that went on to it. */
static void remark_unfinished(const struct kl_training *t)
{
    const int64_t epochs = t->train.options.epochs, n = (epochs + 9) / 10;
    double before = 0, last = 0;
    for (int64_t r = 0; r < t->train.options.replicas && 2 * n <= epochs; r++) {
        const struct kl_replica *one = &t->train.replicas[r];
        const double *loss = one->history[VAL_POST] + epochs - n;
        for (int64_t i = 0; i < n && one->stopped_epoch < 0; i++) before += loss[i - n], last += loss[i];
    }
    if (before - last > KL_CONTROL_LAW_SHARE * last)
        kl_caution(t->log,
                   "not trained to its end: in the last %lld of %lld epochs the adapted loss fell by "
                   "%.0f %%; give more --iterations",
                   (long long)n, (long long)epochs, 100 * (before - last) / before);
}

static void remark(const struct kl_training *t)
{
    if (((const struct kl_control_meta_values *)t->values)->aggregate == KL_CONTROL_MEAN)
        remark_unseen(t);
    remark_unfinished(t);
}

const struct kl_train_stage kl_control_meta_stage = {
    .tool = &kl_control_train_tool,
    .kind = &kl_control_policy_kind,
    .schema = KL_CONTROL_POLICY_SCHEMA,
    .version = KL_CONTROL_META_VERSION,
    .defaults = kl_control_meta_defaults,
    .settings_at = offsetof(struct kl_control_meta_values, train),
    .rows = rows,
    .n_rows = ROWS,
    .state_size = sizeof(struct meta),
    .settle = kl_control_meta_settle,
    .open = open_meta,
    .close = close_meta,
    .save = save,
    .remark = remark,
};

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    const int code = kl_train_stage_run(&kl_control_meta_stage, run, err);
    kl_control_meta_close(run->values);
    return code;
}

const struct kl_mode kl_control_mode_train = { .tool = &kl_control_train_tool,
                                               .defaults = kl_control_meta_defaults,
                                               .run = run };
