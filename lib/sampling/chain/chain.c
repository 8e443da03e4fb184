/* SPDX-License-Identifier: MIT
   A chain on its way: epochs of steps, one by one or, where the target can, many at once. It may stop
   between any two steps; what it has then is all that it needs. */
#include <math.h>

#include "kernels/langevin.h"
#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

/* ---- begin ----
   The weights that a chain begins with, exact draws from the prior, and what its certificate is there.
 */

/* w = sigma N, tensor by tensor. */
static void draw_prior(struct kl_sampling_chain *c, uint32_t purpose, uint64_t step)
{
    const struct kl_langevin_stream stream = { c->key, purpose, (uint32_t)step, (uint32_t)(step >> 32) };
    const struct kl_sampling_target_f32 *t = c->target;
    kl_kernel_langevin_normals(c->w, 0, t->size, &stream);
    for (int i = 0; i < t->n_tensors; i++)
        for (size_t j = 0; j < t->tensors[i].size; j++)
            c->w[t->tensors[i].offset + j] *= (float)t->tensors[i].sigma;
}

void kl_sampling_chain_prior_draw(struct kl_sampling_chain *c, int64_t epoch)
{
    draw_prior(c, KL_RANDOM_PRIOR_DRAWS, (uint64_t)epoch);
}

/* ln pi(w_0), or the first term of the left sum. */
static int begin_work(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                      struct kl_error *err)
{
    const enum kl_sampling_sampler sampler = c->settings->sampler;
    struct kl_sampling_sums sums = { 0 };
    if (sampler == KL_SAMPLING_SGLD) {
        c->sum.work = -kl_sampling_prior_f32(k, c->w, c->precision);
        return KL_OK;
    }
    const int code = c->target->evaluate(c->target->context, &sums, NULL, c->w, false, NULL,
                                         c->target->n, k->crew, err);
    c->sum.work =
        kl_sampling_anneal(c->beta, 0, c->anneal * c->steps) * sums.loss / (double)c->target->n;
    return code;
}

static int chain_begin(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                       struct kl_error *err)
{
    const enum kl_sampling_sampler sampler = c->settings->sampler;
    if (c->prior_draws) return KL_OK;
    if (c->role == KL_SAMPLING_GAUSSIAN) kl_sampling_gaussian_begin(c);
    else if (c->settings->start == KL_SAMPLING_PRIOR) draw_prior(c, KL_RANDOM_CHAIN_START, 0);
    else kl_sampling_start(c->w, c->target->tensors, c->target->n_tensors, c->key);
    if (sampler == KL_SAMPLING_SGHMC || sampler == KL_SAMPLING_SGNHT) {
        const struct kl_langevin_stream stream = { c->key, KL_RANDOM_CHAIN_START, 1, 0 };
        kl_kernel_langevin_normals(c->v, 0, c->target->size, &stream);
    }
    if (c->adapts) kl_sampling_tune_begin(c);
    const bool works = c->settings->work && c->role == KL_SAMPLING_MAIN && c->anneal > 0;
    return works ? begin_work(c, k, err) : KL_OK;
}

/* ---- chain ---- */

bool kl_sampling_has_momentum(const struct kl_sampling_settings *s)
{
    return s->sampler != KL_SAMPLING_SGLD && s->sampler != KL_SAMPLING_MALA;
}

static bool accepts(const struct kl_sampling_settings *s)
{
    return s->sampler == KL_SAMPLING_MALA || s->sampler == KL_SAMPLING_HMC;
}

bool kl_sampling_adapts(const struct kl_sampling_settings *s)
{
    return s->tune && !s->robbins_monro;
}

void kl_sampling_chain_set(struct kl_sampling_chain *c, const struct kl_sampling_settings *s,
                           size_t rung, int64_t number, enum kl_sampling_role role,
                           const struct kl_sampling_target_f32 *target)
{
    const struct kl_sampling_rung *r = &s->rungs[rung];
    const bool half = role == KL_SAMPLING_HALF;
    const int64_t times = half ? 2 : 1;
    *c = (struct kl_sampling_chain){ .settings = s, .target = target, .role = role, .rung = rung };
    c->number = number, c->beta = r->beta, c->lr = r->lr / (double)times;
    c->prior_draws = s->convention == KL_SAMPLING_GIBBS && r->beta <= 0;
    c->warmup = c->prior_draws ? 0 : r->warmup * times, c->epochs = r->epochs * times;
    c->anneal = c->prior_draws ? 0 : s->anneal < 0 ? c->warmup / 2 : s->anneal * times;
    if (role == KL_SAMPLING_GAUSSIAN) c->anneal = 0; /* it begins with a draw from its law */
    c->every = s->every * times, c->test_every = role == KL_SAMPLING_MAIN ? s->test_every : 0;
    c->batch = s->batch == 0 || s->batch > target->n ? target->n : s->batch;
    if (accepts(s)) c->batch = target->n;
    c->steps = (int64_t)((target->n + c->batch - 1) / c->batch);
    c->key = kl_sampling_key(s->seed, r->beta, number,
                             role == KL_SAMPLING_MAIN   ? KL_RANDOM_LANGEVIN
                             : role == KL_SAMPLING_HALF ? KL_RANDOM_COMPANION + 256
                                                        : KL_RANDOM_COMPANION);
    c->walks =
        target->walk && s->sampler == KL_SAMPLING_SGLD && !s->control_variate && !s->independent_batches;
    for (int t = 1; t < target->n_tensors; t++)
        if (target->tensors[t].sigma != target->tensors[0].sigma) c->walks = false;
    c->stops = s->stop.on && !c->prior_draws && role == KL_SAMPLING_MAIN;
    if (s->stop.on && !c->stops) c->warmup = 0;
    c->adapts = kl_sampling_adapts(s) && c->warmup > 0 && !c->stops;
    c->at.warm = c->stops ? -1 : c->warmup;
    c->sum.average.mean = 1;
    c->sum.ln_step = log(c->lr > 0 ? c->lr : 1);
    c->sum.thermostat = s->friction;
    c->sum.work = c->sum.path_loss = c->sum.path_error = c->sum.path_test_error = c->sum.noise_ratio =
        NAN;
}

int64_t kl_sampling_chain_end(const struct kl_sampling_chain *c)
{
    if (!c->stops) return c->at.warm + c->epochs;
    return 2 * (c->at.warm < 0 ? c->warmup : c->at.warm);
}

double kl_sampling_chain_acceptance(const struct kl_sampling_chain *c)
{
    return c->sum.sampled > 0 ? c->sum.accepted / c->sum.sampled : NAN;
}

double kl_sampling_chain_step(const struct kl_sampling_chain *c)
{
    return c->settings->tune ? exp(c->sum.ln_step) : c->lr;
}

bool kl_sampling_chain_at_end(const struct kl_sampling_chain *c)
{
    return c->at.warm >= 0 && c->at.epoch >= kl_sampling_chain_end(c);
}

bool kl_sampling_chain_done(const struct kl_sampling_chain *c)
{
    return kl_sampling_chain_at_end(c) && (c->at.judged == c->at.epoch || c->at.epoch == 0);
}

struct kl_sampling_walker_f32 kl_sampling_chain_walker(struct kl_sampling_chain *c,
                                                       struct kl_sampling_workspace *desk,
                                                       const struct kl_sampling_crew *crew)
{
    return (struct kl_sampling_walker_f32){ .target = c->target,
                                            .pieces = c->pieces,
                                            .n_pieces = c->n_pieces,
                                            .crew = crew,
                                            .w = c->w,
                                            .v = c->v,
                                            .anchor = c->anchor,
                                            .anchor_grad = c->anchor_grad,
                                            .scale = c->scale,
                                            .thermostat = c->sum.thermostat,
                                            .grad = desk->grad,
                                            .fresh = desk->fresh,
                                            .fresh_grad = desk->fresh_grad,
                                            .partial = desk->partial };
}

/* ---- one step ---- */

struct kl_sampling_euler kl_sampling_chain_euler(const struct kl_sampling_chain *c, int64_t epoch,
                                                 int64_t step)
{
    const struct kl_sampling_settings *s = c->settings;
    const int64_t total = epoch * c->steps + step, annealing = c->anneal * c->steps;
    return (struct kl_sampling_euler){
        .convention = s->convention,
        .beta = c->beta,
        .annealed = kl_sampling_anneal(c->beta, total, annealing),
        .lr = kl_sampling_lr(s, kl_sampling_chain_step(c),
                             c->role == KL_SAMPLING_HALF ? epoch / 2 : epoch),
        .noise = s->noise,
        .exact_prior = s->work && s->sampler == KL_SAMPLING_SGLD && epoch < c->anneal,
    };
}

static void factors_at(struct kl_langevin_factors *f, const struct kl_sampling_chain *c,
                       const struct kl_sampling_euler *e)
{
    for (int t = 0; t < c->target->n_tensors; t++)
        f[t] = kl_sampling_factors(e, c->target->tensors[t].sigma);
}

/* Records of step `step` of the epoch whose permutation stands in rows. */
static size_t batch_at(const struct kl_sampling_chain *c, const int64_t **rows, const int64_t *order,
                       int64_t step)
{
    const size_t first = (size_t)step * c->batch, left = c->target->n - first;
    *rows = c->steps == 1 ? NULL : order + first;
    return left < c->batch ? left : c->batch;
}

static int take_step(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                     struct kl_sampling_workspace *desk, struct kl_sampling_outcome *out,
                     struct kl_error *err)
{
    static int (*const samplers[])(struct kl_sampling_walker_f32 *, const struct kl_sampling_move *,
                                   struct kl_sampling_outcome *, struct kl_error *) = {
        kl_sampling_step_sgld,  kl_sampling_step_psgld, kl_sampling_step_sghmc,
        kl_sampling_step_sgnht, kl_sampling_step_mala,  kl_sampling_step_hmc,
    };
    const struct kl_sampling_settings *s = c->settings;
    const struct kl_sampling_euler e = kl_sampling_chain_euler(c, c->at.epoch, c->at.step);
    struct kl_sampling_move m = { .factors = desk->factors,
                                  .precision = c->precision,
                                  .beta = e.annealed,
                                  .eta = c->beta > 0 ? e.lr / c->beta : 0,
                                  .key = c->key,
                                  .step = (uint64_t)(c->at.epoch * c->steps + c->at.step),
                                  .friction = s->friction,
                                  .rms_decay = s->rms_decay,
                                  .rms_epsilon = s->rms_epsilon,
                                  .leapfrogs = s->leapfrogs,
                                  .spread = kl_sampling_adapts(s) };
    m.adapt = c->at.warm < 0 || c->at.epoch < c->at.warm,
    m.ratio = e.exact_prior && c->role == KL_SAMPLING_MAIN;
    factors_at(desk->factors, c, &e);
    if (s->independent_batches && c->steps > 1) {
        kl_sampling_shuffle(desk->rows, c->target->n, c->batch, c->key, m.step);
        m.rows = desk->rows, m.count = c->batch;
    } else {
        m.count = batch_at(c, &m.rows, desk->rows, c->at.step);
    }
    const int code = samplers[s->sampler](k, &m, out, err);
    if (code) return code;
    c->sum.thermostat = k->thermostat;
    return KL_OK;
}

/* MALA and HMC leave every annealed law as it is: their certificate is the left sum, section 10.2. */
static void add_work(struct kl_sampling_chain *c, double log_ratio, double mean_loss)
{
    const int64_t total = c->at.epoch * c->steps + c->at.step, annealing = c->anneal * c->steps;
    if (!c->settings->work || c->role != KL_SAMPLING_MAIN || total >= annealing) return;
    c->sum.work += log_ratio;
    if (accepts(c->settings))
        c->sum.work +=
            mean_loss * (total + 1 < annealing ? kl_sampling_anneal(c->beta, total + 1, annealing) -
                                                     kl_sampling_anneal(c->beta, total, annealing)
                                               : -c->beta);
}

static int add_outcome(struct kl_sampling_chain *c, const struct kl_sampling_outcome *out,
                       struct kl_error *err)
{
    const struct kl_sampling_settings *s = c->settings;
    const double count = (double)out->sums.count, mean = out->sums.loss / count;
    if (!isfinite(mean))
        return kl_fail(err, KL_EDATA,
                       "chain %lld at beta %g: found the loss %g in step %lld of epoch %lld, expected a "
                       "number; give a smaller step",
                       (long long)c->number, c->beta, mean, (long long)c->at.step + 1,
                       (long long)c->at.epoch + 1);
    c->sum.loss += out->sums.loss, c->sum.wrong += out->sums.wrong, c->sum.records += count;
    c->sum.mean_loss += mean, c->sum.mean_wrong += out->sums.wrong / count;
    c->sum.virial += out->virial, c->sum.radius += out->radius;
    c->sum.accept += out->accept, c->sum.steps++;
    add_work(c, out->log_ratio, mean);
    if (c->at.warm < 0) kl_sampling_average_add(&c->sum.average, &s->stop, mean);
    if (c->at.warm < 0 || c->at.epoch < c->at.warm) {
        /* The certificate is of kernels that do not know the past: along the path the step stands still.
         */
        if (c->adapts) kl_sampling_tune_add(c, out->accept);
        else if (s->tune && !(s->work && c->at.epoch < c->anneal))
            c->sum.ln_step =
                kl_sampling_tuned(c->sum.ln_step, ++c->at.proposals, out->accept, s->target_accept);
    } else {
        c->sum.accepted += out->accept, c->sum.sampled++;
    }
    return KL_OK;
}

/* ---- many at once ---- */

/* Can the chain's next step be one of many? */
static bool walks(const struct kl_sampling_chain *c)
{
    return c->walks && !(c->settings->work && c->role == KL_SAMPLING_MAIN && c->at.epoch < c->anneal);
}

/* Spans from where the chain stands as far as the desk's room goes, or to the end of an epoch after
   which there is more to do, or of the warm-up. */
static size_t lay_spans(struct kl_sampling_chain *c, struct kl_sampling_workspace *desk)
{
    const size_t n = c->target->n;
    size_t spans = 0, steps = 0, epochs = 0;
    int64_t epoch = c->at.epoch, step = c->at.step;
    while (spans < desk->span_room && steps < desk->step_room) {
        int64_t *order = desk->rows + epochs * n;
        if (step == 0 || spans == 0) kl_sampling_shuffle(order, n, n, c->key, (uint64_t)epoch);
        const struct kl_sampling_euler e = kl_sampling_chain_euler(c, epoch, step);
        const uint64_t total = (uint64_t)(epoch * c->steps + step);
        const size_t left = (size_t)(c->steps - step), room = desk->step_room - steps,
                     turn = ((size_t)1 << 32) - (size_t)(total & UINT32_MAX); /* of the stream's step */
        size_t count = epoch < c->anneal ? 1 : left < room ? left : room;
        if (count > turn) count = turn;
        desk->spans[spans++] =
            (struct kl_sampling_span){ .rows = order + (size_t)step * c->batch,
                                       .n_rows = n - (size_t)step * c->batch,
                                       .batch = c->batch,
                                       .count = count,
                                       .factors = kl_sampling_factors(&e, c->target->tensors[0].sigma),
                                       .stream = { c->key, KL_RANDOM_LANGEVIN, (uint32_t)total,
                                                   (uint32_t)(total >> 32) } };
        steps += count, step += (int64_t)count;
        if (step < c->steps) continue;
        step = 0;
        if (kl_sampling_chain_busy(c, epoch) || (size_t)++epochs * n + n > desk->rows_room) break;
        epoch++;
    }
    return spans;
}

int kl_sampling_chain_end_step(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                               struct kl_sampling_workspace *desk, const struct kl_sampling_outcome *out,
                               struct kl_error *err)
{
    int code = add_outcome(c, out, err);
    if (code) return code;
    if (++c->at.step < c->steps) return KL_OK;
    code = kl_sampling_chain_end_epoch(c, k, desk, out, err);
    return code;
}

static int walk(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                struct kl_sampling_workspace *desk, struct kl_error *err)
{
    const size_t n = lay_spans(c, desk);
    size_t steps = 0;
    for (size_t i = 0; i < n; i++) steps += desk->spans[i].count;
    int code = c->target->walk(c->target->context, c->w, desk->spans, n, desk->sums, k->crew, err);
    for (size_t i = 0; i < steps && !code; i++) {
        const struct kl_sampling_outcome out = { .sums = desk->sums[i], .accept = 1, .accepted = true };
        code = kl_sampling_chain_end_step(c, k, desk, &out, err);
    }
    return code;
}

/* ---- on and on ---- */

/* Before the first step of an epoch, and of a stretch of work. */
static int begin_epoch(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                       struct kl_sampling_workspace *desk, bool many, struct kl_error *err)
{
    const struct kl_sampling_settings *s = c->settings;
    int code = KL_OK;
    if (c->steps > 1 && !s->independent_batches && !many)
        kl_sampling_shuffle(desk->rows, c->target->n, c->target->n, c->key, (uint64_t)c->at.epoch);
    if (c->anchor && (c->at.step == 0 || !c->anchor_known)) {
        code = kl_sampling_anchor_f32(k, c->at.step == 0, err);
        c->anchor_known = !code;
    }
    if (!code && c->at.step == 0 && c->at.epoch > 0 && s->stop.leak && c->at.warm < 0)
        code = kl_sampling_chain_leak(c, k, desk, err);
    return code;
}

static int one(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
               struct kl_sampling_workspace *desk, bool *ready, struct kl_error *err)
{
    struct kl_sampling_outcome out = { 0 };
    if (c->prior_draws) {
        c->at.step = c->steps;
        return kl_sampling_chain_end_epoch(c, k, desk, &out, err);
    }
    const bool many = walks(c);
    int code = *ready && c->at.step > 0 ? KL_OK : begin_epoch(c, k, desk, many, err);
    if (many) return code ? code : walk(c, k, desk, err);
    *ready = true;
    if (!code) code = take_step(c, k, desk, &out, err);
    if (!code) code = kl_sampling_chain_end_step(c, k, desk, &out, err);
    return code;
}

int kl_sampling_chain_ready(struct kl_sampling_chain *c, struct kl_sampling_workspace *desk,
                            const struct kl_sampling_crew *crew, struct kl_error *err)
{
    struct kl_sampling_walker_f32 k = kl_sampling_chain_walker(c, desk, crew);
    int code = c->at.begun ? KL_OK : chain_begin(c, &k, err);
    if (code) return code;
    c->at.begun = 1;
    return c->prior_draws ? KL_OK : begin_epoch(c, &k, desk, true, err);
}

int kl_sampling_chain_advance(struct kl_sampling_chain *c, struct kl_sampling_workspace *desk,
                              const struct kl_sampling_crew *crew, double deadline, struct kl_error *err)
{
    struct kl_sampling_walker_f32 k = kl_sampling_chain_walker(c, desk, crew);
    bool ready = false;
    int code = KL_OK;
    if (!c->at.begun) code = chain_begin(c, &k, err);
    if (!code) c->at.begun = 1;
    while (!code && !kl_sampling_chain_at_end(c) && !c->at.waiting) {
        code = one(c, &k, desk, &ready, err);
        if (kl_clock() > deadline) break;
    }
    if (!code && kl_sampling_chain_at_end(c) && !c->at.waiting && !kl_sampling_chain_done(c))
        code = kl_sampling_chain_judge(c, &k, desk, err);
    return code;
}
