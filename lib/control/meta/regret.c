/* SPDX-License-Identifier: MIT
   Regret: a policy's losses on test tasks, step by step of its adaptation, and beside them the losses of
   what needs no policy. */
#include "control/meta/regret_int.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/bloch.h"
#include "kernels/device.h"
#include "kernels/optim.h"
#include "kernels/policy.h"
#include "store/ranks.h"

enum { SAMPLE = 64, LANES = 32 }; /* tasks for which the fixed pulse is the best; of a batch */
enum { N_RATES = 6 };             /* at which it is steered for these, and the best one taken */
/* Replicas whose tasks no training draws. */
enum { OF_FIXED = 0x7ffffff0, OF_MEAN };

/* ---- losses of many tasks in lanes ---- */
static void test_task(struct kl_control_meta_task *task, const struct kl_control_regret_work *w,
                      uint32_t number, enum kl_control_task_set set, uint32_t replica)
{
    const struct kl_control_task_id id = { w->o->seed, set, number, replica };
    kl_control_family_draw(task, &w->p->family, &id);
}

/* The policy's losses [steps + 1][tasks of `set`] of a family, in double. */
static int policy_losses(double *losses, const struct kl_control_regret_work *w, const double *params,
                         int tasks, int steps, double lr, const struct kl_control_family *family,
                         struct kl_error *err)
{
    struct kl_arena memory = { 0 };
    struct kl_control_batch_f64 b = { 0 };
    struct kl_control_inner inner = w->p->inner;
    inner.steps = steps, inner.lr = lr, inner.method = KL_CONTROL_FOMAML;
    int code = kl_arena_init(&memory, 0, err);
    if (!code)
        code = kl_control_batch_make_f64(&b, &w->p->net, &inner, family, w->p->limit, LANES, NULL,
                                         &memory, err);
    for (int first = 0; !code && first < tasks; first += LANES) {
        const size_t count = (size_t)(tasks - first < LANES ? tasks - first : LANES);
        const struct kl_control_task_id id = { w->o->seed, KL_CONTROL_TEST, (uint32_t)first, 0 };
        if (kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
        if (code) break;
        kl_control_batch_fill_f64(&b, id, count, 0);
        code = kl_control_batch_adapt_f64(&b, params, err);
        for (int k = 0; k <= steps && !code; k++)
            for (size_t l = 0; l < count; l++)
                losses[((size_t)first + l) * (size_t)(steps + 1) + (size_t)k] =
                    b.adapt.loss[(size_t)k * LANES + l];
    }
    kl_control_batch_close_f64(&b);
    kl_arena_free(&memory);
    return code;
}

/* A pulse on n tasks: losses after `steps` steps of descent on its controls, each at the rate lr. */
static int steer(double *losses, const struct kl_control_regret_work *w,
                 const struct kl_control_meta_task *tasks, int n, double lr, int steps,
                 struct kl_error *err)
{
    const struct kl_control_net_shape *s = &w->p->net.shape;
    const int size = s->segments * s->controls;
    struct kl_control_evaluator *e = NULL;
    double *x = aligned_alloc(64, (size_t)size * KL_CONTROL_LANES * sizeof *x),
           *g = aligned_alloc(64, (size_t)size * KL_CONTROL_LANES * sizeof *g), f[KL_CONTROL_LANES];
    const bool wanted[KL_CONTROL_LANES] = { true };
    int code = x && g ? 0 : kl_fail_memory(err, 2 * (size_t)size * KL_CONTROL_LANES * sizeof *x);
    for (int i = 0; !code && i < n; i++) {
        const struct kl_control_task member = kl_control_family_member(&w->p->family, &tasks[i]);
        double target[1][9];
        kl_control_family_weights(target[0], &w->p->family, &tasks[i]);
        const struct kl_control_problem problem =
            kl_control_regret_problem(w, &member, (const double(*)[9])target, 1);
        code = kl_signals_pending() ? kl_fail(err, KL_ESIGNAL, "stopped")
                                    : kl_control_evaluator_open(&e, &problem, err);
        for (int j = 0; !code && j < size; j++)
            for (int l = 0; l < KL_CONTROL_LANES; l++) x[j * KL_CONTROL_LANES + l] = w->point[j];
        for (int k = 0; !code && k <= steps; k++) {
            kl_control_evaluate(e, f, k < steps ? g : NULL, x, wanted);
            const double *low = kl_control_evaluator_low(e), *high = kl_control_evaluator_high(e);
            for (int j = 0; k < steps && j < size * KL_CONTROL_LANES; j++)
                x[j] =
                    fmin(fmax(x[j] - lr * g[j], low[j / KL_CONTROL_LANES]), high[j / KL_CONTROL_LANES]);
        }
        losses[i] = f[0];
        kl_control_evaluator_close(&e);
    }
    free(x), free(g);
    return code;
}

/* ---- the same network, trained on the mean loss ---- */
struct mean_training {
    struct kl_arena memory;
    struct kl_control_batch_f32 batch;
    float *params, *m, *v, *grad;
    double *first, *scratch;
};

static int open_mean(struct mean_training *t, const struct kl_control_regret_work *w, size_t lanes,
                     struct kl_error *err)
{
    const struct kl_control_net *net = &w->p->net;
    struct kl_control_inner inner = { .method = KL_CONTROL_UNADAPTED, .steps = 1, .lr = 1 };
    int code = kl_arena_init(&t->memory, 0, err);
    if (!code)
        code = kl_control_batch_make_f32(&t->batch, net, &inner, &w->p->family, w->p->limit, lanes, NULL,
                                         &t->memory, err);
    if (code) return code;
    t->params = kl_arena_take(&t->memory, net->block.size, sizeof *t->params);
    t->m = kl_arena_take(&t->memory, net->block.size, sizeof *t->m);
    t->v = kl_arena_take(&t->memory, net->block.size, sizeof *t->v);
    t->grad = kl_arena_take(&t->memory, net->block.size, sizeof *t->grad);
    t->first = kl_arena_take(&t->memory, net->block.size, sizeof *t->first);
    t->scratch = kl_arena_take(&t->memory, kl_control_net_scratch(net), sizeof *t->scratch);
    if (!t->params || !t->m || !t->v || !t->grad || !t->first || !t->scratch)
        return kl_fail_memory(err, net->block.size * sizeof(double));
    memset(t->m, 0, net->block.size * sizeof *t->m), memset(t->v, 0, net->block.size * sizeof *t->v);
    kl_control_net_init(t->first, net, w->o->seed, OF_MEAN, t->scratch);
    kl_control_family_begin(t->first, net, &w->p->family);
    for (size_t i = 0; i < net->block.size; i++) t->params[i] = (float)t->first[i];
    return 0;
}

/* Adam on the gradient of the mean loss of fresh tasks, its norm clipped, as the policy was trained. */
static int train_mean(struct kl_control_regret_work *w, struct kl_error *err)
{
    const size_t size = w->p->net.block.size, batch = (size_t)w->o->batch,
                 lanes = (batch + KL_POLICY_LANES - 1) / KL_POLICY_LANES * KL_POLICY_LANES;
    const int64_t steps = (w->o->gradients + w->o->batch - 1) / w->o->batch;
    struct mean_training t = { 0 };
    int code = open_mean(&t, w, lanes, err);
    for (int64_t step = 0; !code && step < steps; step++) {
        const struct kl_control_task_id id = { w->o->seed, KL_CONTROL_TRAINING,
                                               (uint32_t)(step * (int64_t)batch), OF_MEAN };
        double sums[2], squares = 0;
        kl_control_batch_fill_f32(&t.batch, id, batch, 1 / (double)batch);
        code = kl_control_batch_gradient_f32(t.grad, sums, &t.batch, t.params, batch, err);
        for (size_t i = 0; i < size; i++) squares += (double)t.grad[i] * (double)t.grad[i];
        const double norm = sqrt(squares);
        const struct kl_adam_factors f = { .grad_scale = w->o->clip > 0 && norm > w->o->clip
                                                             ? w->o->clip / norm
                                                             : 1,
                                           .shrink = 1,
                                           .beta1 = 0.9,
                                           .beta2 = 0.999,
                                           .rate = w->o->meta_lr / (1 - pow(0.9, (double)step + 1)),
                                           .root = 1 / sqrt(1 - pow(0.999, (double)step + 1)),
                                           .epsilon = 1e-8 };
        kl_kernel_adam_f32()(t.params, t.m, t.v, t.grad, size, &f);
        if (kl_watch_step(w->watch, (uint64_t)step, (uint64_t)steps, "network on the mean"))
            code = kl_fail(err, KL_ESIGNAL, "stopped");
    }
    for (size_t i = 0; !code && i < size; i++) w->params[i] = (double)t.params[i];
    kl_control_batch_close_f32(&t.batch);
    kl_arena_free(&t.memory);
    return code;
}

/* ---- the family ---- */
/* The sum of the variances of what varies between the test tasks of a family, as they are drawn: of
   whatever law the family is. */
static double sample_variance(const struct kl_control_regret_work *w, const struct kl_control_family *f)
{
    const int n = w->r->tasks;
    double mean[KL_CONTROL_TASK_NUMBERS] = { 0 }, squares[KL_CONTROL_TASK_NUMBERS] = { 0 }, sum = 0;
    for (int t = 0; t < n; t++) {
        const struct kl_control_task_id id = { w->o->seed, KL_CONTROL_TEST, (uint32_t)t, 0 };
        struct kl_control_meta_task task;
        kl_control_family_draw(&task, f, &id);
        double x[KL_CONTROL_TASK_NUMBERS];
        const int numbers = kl_control_family_places(x, f, &task);
        /* Welford's recurrence: what does not vary has a variance of exactly 0. */
        for (int i = 0; i < numbers; i++) {
            const double from = x[i] - mean[i];
            mean[i] += from / (t + 1), squares[i] += from * (x[i] - mean[i]);
        }
    }
    for (int i = 0; i < KL_CONTROL_TASK_NUMBERS; i++) sum += squares[i] / (n - 1);
    return sum;
}

/* Gains of the policy where the family is narrower and wider, from a tenth to twice. */
static int measure_scales(struct kl_control_regret_work *w, double lr, struct kl_error *err)
{
    struct kl_control_regret *r = w->r;
    const int own = r->own_steps, tasks = r->tasks;
    double *losses = malloc((size_t)(tasks * (own + 1)) * sizeof *losses);
    int code = losses ? 0 : kl_fail_memory(err, (size_t)(tasks * (own + 1)) * sizeof *losses);
    for (int i = 0; !code && i < r->scales; i++) {
        struct kl_control_family family = w->p->family;
        const double x = r->scales > 1 ? 0.1 + 1.9 * i / (r->scales - 1) : 1;
        kl_control_family_spread(&family, x);
        r->spread[i] = sample_variance(w, &family), r->gain[i] = 0;
        code = policy_losses(losses, w, w->p->params, tasks, own, lr, &family, err);
        for (int t = 0; !code && t < tasks; t++)
            r->gain[i] += (losses[t * (own + 1)] - losses[t * (own + 1) + own]) / tasks;
    }
    free(losses);
    if (!code && r->scales > 1) kl_control_line_fit_make(&r->line, r->spread, r->gain, r->scales);
    return code;
}

/* After a drift a device is measured anew: losses of the network on the mean, which needs no gradients
   there, by the shots that are taken. */
static int measure_shots(struct kl_control_regret_work *w, struct kl_error *err)
{
    static const int64_t shots[KL_CONTROL_REGRET_SHOTS] = {
        1, 3, 10, 30, 100, 300, 1000, 10000, 100000
    };
    struct kl_control_regret *r = w->r;
    double *losses = malloc((size_t)r->tasks * sizeof *losses);
    int code = losses ? 0 : kl_fail_memory(err, (size_t)r->tasks * sizeof *losses);
    for (int i = 0; !code && i < r->n_shots; i++) {
        struct kl_control_family family = w->p->family;
        family.shots = shots[i], r->shots[i] = (double)shots[i];
        code = policy_losses(losses, w, w->params, r->tasks, 0, 0, &family, err);
        for (int t = 0; !code && t < r->tasks; t++) r->by_shots[t * r->n_shots + i] = losses[t];
        if (!code) kl_control_regret_more_shots(r, shots[i], losses);
    }
    free(losses);
    return code;
}

/* ---- the whole ---- */
static int take_memory(struct kl_control_regret *r, const struct kl_control_regret_work *w,
                       struct kl_error *err)
{
    const size_t tasks = (size_t)r->tasks,
                 size = (size_t)(w->p->net.shape.segments * w->p->net.shape.controls);
    r->policy = calloc(tasks * (size_t)(r->steps + 1), sizeof(double));
    r->fixed = calloc(tasks, sizeof(double)), r->steered = calloc(tasks, sizeof(double));
    r->mean = calloc(tasks, sizeof(double)), r->optimum = calloc(tasks, sizeof(double));
    r->params = calloc(tasks * KL_CONTROL_TASK_NUMBERS, sizeof(double)),
    r->pulse = calloc(size, sizeof(double));
    r->spread = calloc((size_t)r->scales + 1, sizeof(double)),
    r->gain = calloc((size_t)r->scales + 1, sizeof(double));
    r->shots = calloc(KL_CONTROL_REGRET_SHOTS, sizeof(double));
    r->by_shots = calloc(tasks * KL_CONTROL_REGRET_SHOTS, sizeof(double));
    r->adapted = calloc(tasks, sizeof(double));
    return r->adapted && r->shots && r->by_shots && r->policy && r->fixed && r->steered && r->mean &&
                   r->optimum && r->params && r->pulse && r->spread && r->gain
               ? 0
               : kl_fail_memory(err, tasks * (size_t)(r->steps + 1) * sizeof(double));
}

static int draw_tasks(struct kl_control_regret_work *w, struct kl_error *err)
{
    struct kl_control_regret *r = w->r;
    w->tests = calloc((size_t)r->tasks, sizeof *w->tests), w->sample = calloc(SAMPLE, sizeof *w->sample);
    if (!w->tests || !w->sample) return kl_fail_memory(err, (size_t)r->tasks * sizeof *w->tests);
    for (int i = 0; i < SAMPLE; i++)
        test_task(&w->sample[i], w, (uint32_t)i, KL_CONTROL_TRAINING, OF_FIXED);
    for (int i = 0; i < r->tasks; i++) {
        double numbers[KL_CONTROL_TASK_NUMBERS];
        test_task(&w->tests[i], w, (uint32_t)i, KL_CONTROL_TEST, 0);
        r->numbers = kl_control_family_numbers(numbers, r->names, &w->p->family, &w->tests[i]);
        memcpy(r->params + i * r->numbers, numbers, (size_t)r->numbers * sizeof *numbers);
    }
    return 0;
}

/* The fixed pulse and its point. */
static int find_fixed(struct kl_control_regret_work *w, struct kl_error *err)
{
    const struct kl_control_setup *setup = w->p->family.setup;
    double loss;
    const int code =
        kl_control_regret_best_pulse(w, w->point, &loss, w->sample, SAMPLE, 400, w->pool, err);
    if (code || setup)
        return code ? code : kl_control_amplitudes(NULL, w->r->pulse, &setup->problem, w->point, err);
    /* The point is the pulse's, rounded with it. */
    for (int i = 0; i < kl_control_regret_size(w); i++)
        w->r->pulse[i] = w->p->limit * w->point[i], w->point[i] = w->r->pulse[i] / w->p->limit;
    return KL_OK;
}

/* The fixed pulse, alone and steered: at the rate that is best for the tasks that it was found for. */
static int measure_fixed(struct kl_control_regret_work *w, struct kl_error *err)
{
    static const double rates[N_RATES] = { 0.003, 0.01, 0.03, 0.1, 0.3, 1 };
    struct kl_control_regret *r = w->r;
    double best = INFINITY, rate = rates[0], found[SAMPLE];
    int code = find_fixed(w, err);
    atomic_store(&w->gradients, 0);
    for (size_t i = 0; !code && i < N_RATES; i++) {
        code = steer(found, w, w->sample, SAMPLE, rates[i], r->own_steps, err);
        const double mean = kl_stats_mean(found, SAMPLE);
        if (!code && mean < best) best = mean, rate = rates[i];
    }
    if (!code) code = steer(r->fixed, w, w->tests, r->tasks, 0, 0, err);
    if (!code) code = steer(r->steered, w, w->tests, r->tasks, rate, r->own_steps, err);
    return code;
}

static double rate_of(const struct kl_control_regret_work *w)
{
    return w->o->lr > 0 ? w->o->lr : w->p->inner.lr;
}

static int measure(struct kl_control_regret_work *w, struct kl_error *err)
{
    struct kl_control_regret *r = w->r;
    const double lr = rate_of(w);
    double *gain = calloc((size_t)r->steps + 1, sizeof *gain);
    int code = gain ? KL_OK : kl_fail_memory(err, (size_t)r->steps * sizeof *gain);
    if (!code)
        code = policy_losses(r->policy, w, w->p->params, r->tasks, r->steps, lr, &w->p->family, err);
    if (!code) code = measure_fixed(w, err);
    if (!code || (code == KL_ESIGNAL && w->ranks)) code = kl_control_regret_optima(w, err);
    if (!code) kl_store_ranks_dismiss(w->ranks);
    if (!code) code = train_mean(w, err);
    if (!code) code = policy_losses(r->mean, w, w->params, r->tasks, 0, lr, &w->p->family, err);
    if (!code && r->scales) code = measure_scales(w, lr, err);
    if (!code && r->n_shots) code = measure_shots(w, err);
    for (int k = 0; !code && k <= r->steps; k++)
        for (int t = 0; t < r->tasks; t++)
            gain[k] += (r->policy[t * (r->steps + 1)] - r->policy[t * (r->steps + 1) + k]) / r->tasks;
    if (!code) code = kl_control_gain_fit_make(&r->fit, gain, r->steps + 1, err);
    for (int t = 0; t < r->tasks; t++) r->adapted[t] = r->policy[t * (r->steps + 1) + r->own_steps];
    free(gain);
    return code;
}

/* ---- how long it would take ---- */
/* A part that tells the watch how far it is, for a moment. */
static int try_part(struct kl_control_regret_work *w,
                    int (*part)(struct kl_control_regret_work *w, struct kl_error *err),
                    const char *what, struct kl_error *err)
{
    struct kl_trial trial;
    kl_trial_begin(&trial);
    w->watch = &trial.watch;
    const int ended = part(w, err);
    double seconds = kl_clock() - trial.start;
    int code = kl_trial_end(ended);
    if (ended && !code) code = kl_trial_whole(&seconds, &trial, what, err);
    w->seconds += seconds;
    return code;
}

/* What tells no watch, by some tasks: losses by steps of adaptation, and a pulse that is steered. */
static int forecast(struct kl_control_regret_work *w, struct kl_error *err)
{
    enum { STEERED = 4 };
    const struct kl_control_regret *r = w->r;
    const int few = r->tasks < LANES ? r->tasks : LANES;
    const double begin = kl_clock(), blocks = ceil((double)r->tasks / LANES);
    double found[STEERED];
    int code = policy_losses(r->policy, w, w->p->params, few, r->steps, rate_of(w), &w->p->family, err);
    const double losses = (kl_clock() - begin) * blocks, a_step = losses / (r->steps + 1);
    w->seconds = losses + a_step * (1 + r->n_shots + r->scales * (r->own_steps + 1));
    if (!code) code = try_part(w, find_fixed, "an iteration of the fixed pulse's search", err);
    const double steering = kl_clock();
    if (!code) code = steer(found, w, w->sample, STEERED, 0.1, r->own_steps, err);
    w->seconds += (kl_clock() - steering) / STEERED * (N_RATES * SAMPLE + r->tasks);
    if (!code) code = try_part(w, kl_control_regret_optima, "the search for an optimum", err);
    return code ? code : try_part(w, train_mean, "a step of the network on the mean", err);
}

/* With all that `task` needs. */
static int prepare(struct kl_control_regret_work *w,
                   int (*task)(struct kl_control_regret_work *w, struct kl_error *err),
                   struct kl_error *err)
{
    struct kl_control_regret *r = w->r;
    const struct kl_control_policy *policy = w->p;
    const struct kl_control_regret_options *o = w->o;
    *r = (struct kl_control_regret){ .tasks = o->tasks,
                                     .of_training = o->gradients,
                                     .own_steps =
                                         policy->inner.steps < o->steps ? policy->inner.steps : o->steps,
                                     .scales = policy->family.psd ? 0 : o->scales,
                                     .steps = o->steps };
    if (!policy->family.setup && policy->net.shape.controls != 2)
        return kl_fail(err, KL_EUSAGE, "regret: a policy of %d controls, expected one of a qubit's two",
                       policy->net.shape.controls);
    w->point = calloc((size_t)kl_control_regret_size(w), sizeof *w->point);
    w->params = calloc(policy->net.block.size, sizeof *w->params);
    r->n_shots = policy->family.tells == KL_CONTROL_TELLS_SHOTS ? KL_CONTROL_REGRET_SHOTS : 0;
    int code = w->point && w->params ? take_memory(r, w, err)
                                     : kl_fail_memory(err, policy->net.block.size * sizeof *w->params);
    if (!code) code = draw_tasks(w, err);
    if (!code) code = kl_control_system_make(&w->qubit, "qubit", NULL, err);
    if (!code) code = kl_control_family_objective(&w->objective, &policy->family, err);
    if (!code) code = task(w, err);
    kl_control_objective_free(&w->objective);
    kl_control_system_free(&w->qubit);
    free(w->tests), free(w->sample), free(w->point), free(w->params);
    return code;
}

int kl_control_regret_run(struct kl_control_regret *r, const struct kl_control_policy *policy,
                          const struct kl_control_regret_options *o, const struct kl_device *device,
                          struct kl_pool *pool, struct kl_ranks *ranks, const struct kl_watch *watch,
                          struct kl_error *err)
{
    struct kl_control_regret_work w = {
        .r = r, .p = policy, .o = o, .pool = pool, .ranks = ranks, .device = device, .watch = watch
    };
    return prepare(&w, kl_store_ranks_follow(ranks) ? kl_control_regret_optima : measure, err);
}

int kl_control_regret_estimate(double *seconds, struct kl_control_regret *r,
                               const struct kl_control_policy *policy,
                               const struct kl_control_regret_options *o, const struct kl_device *device,
                               struct kl_pool *pool, struct kl_error *err)
{
    struct kl_control_regret_work w = { .r = r, .p = policy, .o = o, .pool = pool, .device = device };
    const int code = prepare(&w, forecast, err);
    *seconds = w.seconds;
    return code;
}

void kl_control_regret_free(struct kl_control_regret *r)
{
    free(r->policy), free(r->fixed), free(r->steered), free(r->mean), free(r->optimum), free(r->params),
        free(r->pulse);
    free(r->spread), free(r->gain), free(r->shots), free(r->by_shots), free(r->adapted);
    *r = (struct kl_control_regret){ 0 };
}
