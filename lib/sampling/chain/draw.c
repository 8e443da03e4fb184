/* SPDX-License-Identifier: MIT
   What a chain does between two epochs: draws with their passes over the records, the end of the
   annealing and of the warm-up, the noise of its gradient. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/inline/philox.h"
#include "sampling/chain/chain_int.h"

/* ---- room ---- */

static int grow(void **array, size_t bytes, struct kl_error *err)
{
    void *larger = realloc(*array, bytes ? bytes : 1);
    if (!larger) return kl_fail_memory(err, bytes);
    *array = larger;
    return KL_OK;
}

int64_t kl_sampling_chain_keeps(const struct kl_sampling_chain *c)
{
    const struct kl_sampling_settings *s = c->settings;
    const bool out = c->role != KL_SAMPLING_MAIN || (s->keep_last && c->rung + 1 < s->n_rungs);
    return out || s->keep < 0 ? 0 : s->keep;
}

static int64_t kept_of(const struct kl_sampling_chain *c, int64_t draws)
{
    const int64_t keep = kl_sampling_chain_keeps(c);
    return keep > 0 ? draws / keep : 0;
}

static bool pointwise(const struct kl_sampling_chain *c)
{
    return c->settings->pointwise && c->role == KL_SAMPLING_MAIN && c->rung + 1 == c->settings->n_rungs;
}

int kl_sampling_chain_room(struct kl_sampling_chain *c, int64_t draws, struct kl_error *err)
{
    int code = KL_OK;
    if (draws > c->room) {
        for (int f = 0; f < KL_SAMPLING_FIELDS && !code; f++)
            code = grow((void **)&c->trace[f], (size_t)draws * sizeof(float), err);
        if (!code) c->room = draws;
    }
    const int64_t kept = kept_of(c, draws);
    if (!code && kept > c->kept_room) {
        code = grow((void **)&c->kept, (size_t)kept * c->target->size * sizeof(float), err);
        if (!code && pointwise(c))
            code = grow((void **)&c->likelihood, (size_t)kept * c->target->n * sizeof(float), err);
        if (!code) c->kept_room = kept;
    }
    return code;
}

/* ---- a draw ---- */

static bool test_due(const struct kl_sampling_chain *c, int64_t sampled)
{
    return c->test_every > 0 && c->target->n_test > 0 &&
           sampled / c->test_every > (sampled - c->every) / c->test_every;
}

/* Is the loss of a draw more than its epochs' sums? */
static bool evaluates(const struct kl_sampling_chain *c)
{
    const bool accepts =
        c->settings->sampler == KL_SAMPLING_MALA || c->settings->sampler == KL_SAMPLING_HMC;
    return c->role != KL_SAMPLING_GAUSSIAN && (c->prior_draws || (c->settings->whole && !accepts));
}

/* Is it of the state itself? */
static bool looks(const struct kl_sampling_chain *c)
{
    return c->walks && !c->prior_draws;
}

struct kl_sampling_asked kl_sampling_chain_asks(const struct kl_sampling_chain *c, int64_t epoch)
{
    const int64_t done = epoch + 1, sampled = done - c->at.warm, draw = sampled / c->every;
    const bool draws = c->at.warm >= 0 && sampled > 0 && sampled % c->every == 0;
    return (struct kl_sampling_asked){
        .draw = draws,
        .train = draws && (evaluates(c) || looks(c)),
        .test = draws && test_due(c, sampled),
        .state = draws && (c->settings->exchange || kept_of(c, draw) > kept_of(c, draw - 1)),
    };
}

bool kl_sampling_chain_busy(const struct kl_sampling_chain *c, int64_t epoch)
{
    const int64_t done = epoch + 1, sampled = done - c->at.warm;
    if (c->at.warm < 0 || done <= c->at.warm)
        return c->at.warm < 0 || done == c->at.warm || done == c->anneal;
    if (done >= kl_sampling_chain_end(c)) return true;
    if (sampled % c->every) return false;
    const int64_t draw = sampled / c->every;
    return evaluates(c) || c->walks || c->settings->exchange || test_due(c, sampled) ||
           kept_of(c, draw) > kept_of(c, draw - 1);
}

/* The rows that a draw at beta 0 is judged by: all, or the first batch of the epoch's permutation. */
static int evaluate_draw(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                         struct kl_sampling_workspace *desk, struct kl_sampling_sums *sums,
                         struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    const bool all = c->settings->whole || c->steps == 1;
    if (!all) kl_sampling_shuffle(desk->rows, t->n, c->batch, c->key, (uint64_t)c->at.epoch);
    return t->evaluate(t->context, sums, NULL, c->w, false, all ? NULL : desk->rows,
                       all ? t->n : c->batch, k->crew, err);
}

/* Of all test records; at beta 0, where a draw has one batch of the training records, of their first
   batch, which is twice as large, as in the reference. */
static int draw_test(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k, int64_t d,
                     const struct kl_sampling_judged *judged, struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    struct kl_sampling_sums sums = { 0 };
    const bool all = !c->prior_draws || c->settings->whole || c->steps == 1 || 2 * c->batch > t->n_test;
    int code = KL_OK;
    if (judged) sums = judged->test;
    else
        code = t->evaluate(t->context, &sums, NULL, c->w, true, NULL, all ? t->n_test : 2 * c->batch,
                           k->crew, err);
    c->trace[KL_SAMPLING_TEST_LOSS][d] = (float)(sums.loss / (double)sums.count);
    c->trace[KL_SAMPLING_TEST_ERROR][d] = (float)(sums.wrong / (double)sums.count);
    return code;
}

/* The log likelihood of a record is minus its loss. */
static int keep_weights(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                        struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    struct kl_sampling_sums sums = { 0 };
    memcpy(c->kept + (size_t)c->at.kept * t->size, c->w, t->size * sizeof *c->w);
    if (!pointwise(c)) return KL_OK;
    double *each = malloc((t->n + 1) * sizeof *each);
    if (!each) return kl_fail_memory(err, t->n * sizeof *each);
    const int code = t->evaluate(t->context, &sums, each, c->w, false, NULL, t->n, k->crew, err);
    for (size_t i = 0; i < t->n && !code; i++)
        c->likelihood[(size_t)c->at.kept * t->n + i] = (float)-each[i];
    free(each);
    return code;
}

static void forget_sums(struct kl_sampling_chain *c)
{
    struct kl_sampling_numbers *s = &c->sum;
    s->loss = s->wrong = s->records = s->mean_loss = s->mean_wrong = 0;
    s->virial = s->radius = s->accept = s->steps = 0;
}

/* Steps taken many at once tell no norms: virial and radius of the state itself, and its loss. */
static int look(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                const struct kl_sampling_judged *judged, struct kl_sampling_sums *sums,
                struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    const struct kl_sampling_move m = { .precision = c->precision, .beta = c->beta };
    struct kl_sampling_outcome out = { 0 };
    int code = KL_OK;
    if (judged) {
        *sums = judged->train, out.virial = judged->virial, out.radius = judged->radius;
    } else {
        code = t->gradient(t->context, k->grad, sums, c->w, NULL, t->n, k->crew, err);
        kl_sampling_virial_f32(k, c->w, k->grad, &m, &out);
    }
    c->sum.virial = out.virial * c->sum.steps, c->sum.radius = out.radius * c->sum.steps;
    return code;
}

static int draw(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                struct kl_sampling_workspace *desk, const struct kl_sampling_outcome *last,
                int64_t sampled, struct kl_error *err)
{
    const int64_t d = c->at.draws;
    const struct kl_sampling_numbers *s = &c->sum;
    const double tempered = c->settings->convention == KL_SAMPLING_TEMPERED ? c->beta : 1;
    struct kl_sampling_sums sums = last->sums;
    double loss = s->mean_loss / s->steps, wrong = s->mean_wrong / s->steps;
    int code = d < c->room ? KL_OK : kl_sampling_chain_room(c, d + d / 2 + 64, err);
    if (code) return code;
    if (evaluates(c) || looks(c)) sums = (struct kl_sampling_sums){ 0 };
    if (looks(c)) code = look(c, k, last->judged, &sums, err);
    else if (evaluates(c) && last->judged) sums = last->judged->train;
    else if (evaluates(c)) code = evaluate_draw(c, k, desk, &sums, err);
    if (c->role == KL_SAMPLING_GAUSSIAN) loss = kl_sampling_gaussian_excess(c);
    else if (evaluates(c) || c->settings->whole)
        loss = sums.loss / (double)sums.count, wrong = sums.wrong / (double)sums.count;
    c->trace[KL_SAMPLING_LOSS][d] = (float)loss, c->trace[KL_SAMPLING_ERROR][d] = (float)wrong;
    c->trace[KL_SAMPLING_VIRIAL][d] = (float)(s->virial / s->steps);
    c->trace[KL_SAMPLING_RADIUS][d] = (float)(s->radius / s->steps / tempered);
    if (c->beta <= 0) /* a walk has no law */
        c->trace[KL_SAMPLING_VIRIAL][d] = c->trace[KL_SAMPLING_RADIUS][d] = NAN;
    if (c->prior_draws) {
        const double radius =
            last->judged ? last->judged->radius
                         : 2 * kl_sampling_prior_f32(k, c->w, c->precision) / (double)c->target->size;
        c->trace[KL_SAMPLING_RADIUS][d] = c->trace[KL_SAMPLING_VIRIAL][d] = (float)radius;
    }
    c->trace[KL_SAMPLING_TEST_LOSS][d] = c->trace[KL_SAMPLING_TEST_ERROR][d] = NAN;
    if (!code && test_due(c, sampled)) code = draw_test(c, k, d, last->judged, err);
    if (!code && kept_of(c, d + 1) > c->at.kept) {
        code = keep_weights(c, k, err);
        c->at.kept++;
    }
    c->at.draws++;
    const bool lawless = c->role == KL_SAMPLING_GAUSSIAN && c->beta <= 0 && !c->prior_draws;
    if (!code && !isfinite(loss) && !lawless)
        code = kl_fail(err, KL_EDATA,
                       "chain %lld at beta %g: found the loss %g after epoch %lld, expected a number; "
                       "give a smaller step",
                       (long long)c->number, c->beta, loss, (long long)c->at.epoch + 1);
    return code;
}

/* ---- between two epochs ---- */

/* The annealing is over: what the certificate is of. */
static int end_path(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k, struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    struct kl_sampling_sums train = { 0 }, test = { 0 };
    if (c->settings->sampler == KL_SAMPLING_SGLD)
        c->sum.work += kl_sampling_prior_f32(k, c->w, c->precision);
    int code = t->evaluate(t->context, &train, NULL, c->w, false, NULL, t->n, k->crew, err);
    if (!code && t->n_test > 0)
        code = t->evaluate(t->context, &test, NULL, c->w, true, NULL, t->n_test, k->crew, err);
    c->sum.path_loss = train.loss / (double)t->n, c->sum.path_error = train.wrong / (double)t->n;
    if (t->n_test > 0) c->sum.path_test_error = test.wrong / (double)t->n_test;
    return code;
}

int kl_sampling_chain_end_epoch(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                                struct kl_sampling_workspace *desk,
                                const struct kl_sampling_outcome *last, struct kl_error *err)
{
    const struct kl_sampling_settings *s = c->settings;
    const int64_t done = c->at.epoch + 1;
    const bool warming = c->at.warm < 0 || done <= c->at.warm;
    int code = KL_OK;
    if (warming && s->work && c->role == KL_SAMPLING_MAIN && done == c->anneal)
        code = end_path(c, k, err);
    if (!code && !warming && (done - c->at.warm) % c->every == 0) {
        if (c->prior_draws && !last->judged) kl_sampling_chain_prior_draw(c, c->at.epoch);
        code = draw(c, k, desk, last, done - c->at.warm, err);
        c->at.waiting = s->exchange && c->role == KL_SAMPLING_MAIN;
        forget_sums(c);
    }
    if (c->at.warm < 0 &&
        (done >= c->warmup || kl_sampling_average_stops(&c->sum.average, &s->stop, done, c->steps)))
        c->at.warm = done;
    if (c->adapts && done == c->at.warm && done < kl_sampling_tune_limit(c->warmup) &&
        !kl_sampling_tune_near(c))
        c->at.warm = kl_sampling_tune_more(c);
    if (warming) forget_sums(c);
    c->at.epoch = done, c->at.step = 0;
    return code;
}

int kl_sampling_chain_leak(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                           struct kl_sampling_workspace *desk, struct kl_error *err)
{
    /* Batches of the test are twice as large. */
    const struct kl_sampling_target_f32 *t = c->target;
    const size_t size = 2 * c->batch < t->n_test ? 2 * c->batch : t->n_test,
                 count = size && t->n_test % size ? t->n_test % size : size;
    struct kl_sampling_sums sums = { 0 };
    if (!count) return KL_OK;
    int64_t *rows = desk->test_rows;
    for (size_t i = 0; i < count; i++) rows[i] = (int64_t)(t->n_test - count + i);
    const int code = t->evaluate(t->context, &sums, NULL, c->w, true, rows, count, k->crew, err);
    c->sum.average.last = sums.loss / (double)count;
    return code;
}

/* ---- the gradient's noise ---- */

struct apart {
    const struct kl_sampling_walker_f32 *k;
    double epsilon; /* of psgld, whose step is 1 / (epsilon + root of the mean square); else below 0 */
};

static void apart_piece(void *context, size_t i)
{
    const struct apart *a = context;
    const struct kl_sampling_walker_f32 *k = a->k;
    const struct kl_sampling_piece *p = &k->pieces[i];
    double sum = 0;
    for (size_t j = p->first; j < p->first + p->n; j++) {
        const double d = (double)k->grad[j] - (double)k->fresh_grad[j];
        sum += a->epsilon < 0 ? d * d : d * d / (a->epsilon + sqrt((double)k->v[j]));
    }
    k->partial[i * KL_SAMPLING_PARTIAL] = sum;
}

/* The variance that independently drawn batches add to a slow weight, over the variance that it is to
   have. variance: of the gradient of the mean loss, summed over the weights (of psgld, times its
   preconditioner). A kick u moves a weight of SGHMC by h u (1 + a) / (2 (1 - a)) in the end, a =
   exp(-friction) what momenta keep of a step, h^2 = eta, and the noise that is put in, N sqrt(1 - a^2),
   by h N (1 + a)^1/2 / (1 - a)^1/2: with strong friction as in SGLD. SGNHT's thermostat takes it up
   again. */
static double noise_ratio(const struct kl_sampling_chain *c, double variance)
{
    const struct kl_sampling_settings *s = c->settings;
    const bool momenta = s->sampler == KL_SAMPLING_SGHMC || s->sampler == KL_SAMPLING_SGNHT;
    const double lr = kl_sampling_lr(s, kl_sampling_chain_step(c), c->at.epoch - 1),
                 kept = momenta ? exp(-s->friction) : 0;
    return (1 + kept) / (1 - kept) * lr * c->beta * variance / (4 * (double)c->target->size);
}

/* One more epoch of gradients, at the last state. */
int kl_sampling_chain_judge(struct kl_sampling_chain *c, struct kl_sampling_walker_f32 *k,
                            struct kl_sampling_workspace *desk, struct kl_error *err)
{
    const struct kl_sampling_target_f32 *t = c->target;
    const struct kl_sampling_settings *s = c->settings;
    struct kl_sampling_sums unused = { 0 };
    struct apart apart = { k, s->sampler == KL_SAMPLING_PSGLD ? s->rms_epsilon : -1 };
    double variance = 0;
    int code = KL_OK;
    c->at.judged = c->at.epoch;
    if (c->prior_draws || c->steps == 1 || c->role != KL_SAMPLING_MAIN || c->beta <= 0) return KL_OK;
    const size_t whole = t->n / c->batch;
    code = t->gradient(t->context, k->fresh_grad, &unused, c->w, NULL, t->n, k->crew, err);
    kl_sampling_shuffle(desk->rows, t->n, t->n, c->key, (uint64_t)c->at.epoch);
    for (size_t b = 0; b < whole && !code; b++) {
        code = t->gradient(t->context, k->grad, &unused, c->w, desk->rows + b * c->batch, c->batch,
                           k->crew, err);
        kl_sampling_over_f32(k, apart_piece, &apart);
        variance += kl_sampling_total_f32(k, 0) / (double)whole;
    }
    c->sum.noise_ratio = noise_ratio(c, variance);
    if (code) c->at.judged = 0;
    return code;
}
