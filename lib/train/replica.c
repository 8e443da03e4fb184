/* SPDX-License-Identifier: MIT
   The state of a training: opened, closed, rested; and which epoch of a replica is its best, when it
   stops early, when its rate falls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "train/train_int.h"

void kl_train_options_default(struct kl_train_options *o)
{
    *o = (struct kl_train_options){ .epochs = 50, .batch_size = 64, .replicas = 1, .val_fraction = 0.1 };
    kl_nn_optimizer_default(&o->optimizer);
    kl_nn_schedule_default(&o->schedule);
}

/* ---- memory ---- */

static int replica_open(struct kl_replica *r, const struct kl_train *train, int64_t index,
                        struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    const size_t size = l->block->size * kl_train_real(l), epochs = (size_t)train->options.epochs,
                 rows = (size_t)l->n_rows, numbers = rows * epochs + (size_t)l->n_sums;
    *r = (struct kl_replica){ .best_epoch = -1, .stopped_epoch = -1, .plateau_best = -1e300 };
    void *values = NULL;
    if (posix_memalign(&values, 64, 4 * size + 1)) return kl_fail_memory(err, 4 * size);
    memset(values, 0, 4 * size);
    r->params = values;
    r->m = (char *)values + size, r->v = (char *)values + 2 * size, r->best = (char *)values + 3 * size;
    r->history = malloc(rows * sizeof *r->history + numbers * sizeof(double) + 1);
    if (!r->history) return kl_fail_memory(err, numbers * sizeof(double));
    double *history = (double *)(r->history + rows);
    for (size_t k = 0; k < rows; k++) r->history[k] = history + k * epochs;
    for (size_t i = 0; i < rows * epochs; i++) history[i] = NAN;
    r->sums = history + rows * epochs;
    memset(r->sums, 0, (size_t)l->n_sums * sizeof *r->sums);
    if (l->init) l->init(l->context, r->params, index);
    return 0;
}

int kl_train_open(struct kl_train *train, const struct kl_learner *learner,
                  const struct kl_train_options *o, int n_threads, struct kl_error *err)
{
    *train = (struct kl_train){ .learner = learner, .options = *o, .device = learner->device };
    int code = 0;
    if (!learner->many_steps && learner->steps_per_epoch * o->epochs > (int64_t)UINT32_MAX)
        code = kl_fail(err, KL_EUSAGE,
                       "%lld epochs of %lld steps: more than 2^32 steps; fewer epochs, larger batches",
                       (long long)o->epochs, (long long)learner->steps_per_epoch);
    if (!code) train->replicas = calloc((size_t)o->replicas, sizeof *train->replicas);
    if (!code && !train->replicas)
        code = kl_fail_memory(err, (size_t)o->replicas * sizeof *train->replicas);
    for (int64_t r = 0; r < o->replicas && !code; r++)
        code = replica_open(&train->replicas[r], train, o->first_replica + r, err);
    if (!code) code = kl_train_start_workers(train, n_threads, err);
    if (code) kl_train_close(train);
    return code;
}

int kl_train_start_workers(struct kl_train *train, int n_threads, struct kl_error *err)
{
    const struct kl_learner *l = train->learner;
    train->n_threads = n_threads;
    train->threads = calloc((size_t)n_threads, sizeof *train->threads);
    if (!train->threads) return kl_fail_memory(err, (size_t)n_threads * sizeof *train->threads);
    int code = l->gradient ? kl_train_take_grads(train, err) : 0;
    return code || !l->wake ? code : l->wake(train, n_threads, err);
}

void kl_train_stop_workers(struct kl_train *train)
{
    if (train->learner && train->learner->rest) train->learner->rest(train);
    kl_train_rollback_free(train);
    for (int i = 0; train->threads && i < train->n_threads; i++) free(train->threads[i].grads);
    free(train->threads);
    train->threads = NULL;
}

void kl_train_close(struct kl_train *train)
{
    kl_train_stop_workers(train);
    for (int64_t r = 0; train->replicas && r < train->options.replicas; r++) {
        free(train->replicas[r].params);
        free(train->replicas[r].history);
    }
    free(train->replicas);
    *train = (struct kl_train){ 0 };
}

/* ---- the judgement of epochs ---- */

/* The earlier epoch on a tie; what is no number is worse than all that are. */
static bool better(const struct kl_learner *l, const struct kl_replica *r, int64_t epoch)
{
    if (r->best_epoch < l->best_from || l->n_judged == 0) return true;
    for (int k = 0; k < l->n_judged; k++) {
        const double *row = r->history[l->judged[k].row], sign = l->judged[k].higher ? 1 : -1,
                     a = sign * row[epoch], b = sign * row[r->best_epoch];
        if (a > b || (isnan(b) && !isnan(a))) return true;
        if (a < b || isnan(a)) return false;
    }
    return false;
}

/* A schedule with a threshold asks for a little more than better, of the first row alone or of the
   learner's row for it. */
static bool leaves_plateau(const struct kl_train *train, struct kl_replica *r, bool best)
{
    const struct kl_learner *l = train->learner;
    const double threshold = train->options.schedule.threshold;
    if (threshold <= 0 || (l->n_judged == 0 && !l->plateau_own)) return best;
    const int row = l->plateau_own ? l->plateau.row : l->judged[0].row;
    const bool higher = l->plateau_own ? l->plateau.higher : l->judged[0].higher;
    const double value = (higher ? 1 : -1) * r->history[row][train->epoch];
    if (!(value > r->plateau_best + threshold * fabs(r->plateau_best))) return false;
    r->plateau_best = value;
    return true;
}

bool kl_train_judge_epoch(struct kl_train *train, struct kl_replica *r)
{
    const struct kl_learner *l = train->learner;
    const struct kl_train_options *o = &train->options;
    const int64_t e = train->epoch;
    const bool best = better(l, r, e);
    if (best) {
        r->best_epoch = e;
        r->stale = 0;
        memcpy(r->best, r->params, l->block->size * kl_train_real(l));
    } else r->stale++;
    if (leaves_plateau(train, r, best)) r->plateau_stale = 0;
    else if (++r->plateau_stale > o->schedule.patience) r->reductions++, r->plateau_stale = 0;
    if (!best && o->patience > 0 && r->stale >= o->patience) r->stopped_epoch = e;
    return best;
}

/* ---- was it too short? ---- */

/* Of the epochs [from, from + n), over the replicas that went on to the last one; NaN: none did. */
static double mean_of(const struct kl_train *t, int row, int64_t from, int64_t n)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < t->options.replicas; r++) {
        if (t->replicas[r].stopped_epoch >= 0) continue;
        for (int64_t i = from; i < from + n; i++) sum += t->replicas[r].history[row][i];
        count += n;
    }
    return sum / (double)count;
}

/* Has the loss been below `last`, of n epochs, in n others before `until`? Then the rate is too high,
   not the epochs too few: it oscillates, or was lost. One epoch alone is below by chance, if it has few
   steps.
 */
static bool was_lower(const struct kl_train *t, int loss, double last, int64_t n, int64_t until)
{
    for (int64_t e = 0; e + n <= until; e++)
        if (mean_of(t, loss, e, n) < last) return true;
    return false;
}

/* Trainings of few images, which a few times as many epochs make better by far, lose 5 to 15 % of the
   whole fall from the last tenth of the epochs but one to the last; those of thousands, which are
   learned, 3 % at most. What only learns its samples by heart has a validation loss that rises; what
   learns nothing, labels without meaning, hardly falls. In percent; 0: it came to its end. */
double kl_train_unfinished(const struct kl_train *t, int loss, int judged)
{
    const int64_t epochs = t->options.epochs, n = epochs / 10;
    if (!n) return 0;
    const double first = mean_of(t, loss, 0, 1), last = mean_of(t, loss, epochs - n, n),
                 whole = first - last, fall = mean_of(t, loss, epochs - 2 * n, n) - last;
    if (!(whole > 0.1 * first && fall > 0.05 * whole) || was_lower(t, loss, last, n, epochs - n))
        return 0;
    if (judged >= 0 && !(mean_of(t, judged, epochs - n, n) < mean_of(t, judged, epochs - 2 * n, n)))
        return 0;
    return 100 * fall / whole;
}

void kl_train_say_unfinished(const struct kl_log *log, const struct kl_train *t, double percent)
{
    kl_caution(log,
               "not trained to its end: %.0f %% of what the training loss fell by came with the last "
               "tenth of the %lld epochs; give more --epochs",
               percent, (long long)t->options.epochs);
}
