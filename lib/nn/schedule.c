/* SPDX-License-Identifier: MIT
   What an update is made of: factors of a step, learning rates over epochs. */
#include "nn/nn.h"

#include <math.h>

void kl_nn_schedule_default(struct kl_schedule *s)
{
    *s = (struct kl_schedule){
        .kind = KL_CONSTANT_RATE, .lr = 1e-3, .period = 10, .patience = 5, .factor = 0.1
    };
}

double kl_nn_schedule_rate(const struct kl_schedule *s, int64_t epoch, int64_t step,
                           int64_t steps_per_epoch, int64_t epochs, int64_t reductions)
{
    int64_t at = epoch * steps_per_epoch + step, warm = s->warmup * steps_per_epoch;
    int64_t last = epochs * steps_per_epoch - 1;
    if (at < warm) return s->lr * (double)(at + 1) / (double)(warm + 1);
    switch (s->kind) {
    case KL_STEP_RATE:
        return s->lr * pow(s->factor, (double)((epoch - s->warmup) / (s->period > 0 ? s->period : 1)));
    case KL_COSINE_RATE: {
        double along = last > warm ? (double)(at - warm) / (double)(last - warm) : 0;
        return s->min_lr + (s->lr - s->min_lr) * 0.5 * (1 + cos(3.141592653589793 * along));
    }
    case KL_PLATEAU_RATE: return fmax(s->min_lr, s->lr * pow(s->factor, (double)reductions));
    case KL_CONSTANT_RATE: break;
    }
    return s->lr;
}

/* ---- What one step of SGD, Adam or AdamW has the same for all parameters ---- */

void kl_nn_optimizer_default(struct kl_optimizer *o)
{
    *o = (struct kl_optimizer){ .kind = KL_ADAM,
                                .beta1 = 0.9,
                                .beta2 = 0.999,
                                .epsilon = 1e-8,
                                .natural_lr = 0.1,
                                .natural_lambda = 1e-3,
                                .spsa_c = 0.01 };
}

struct kl_update kl_nn_update_at(const struct kl_optimizer *o, double lr, uint64_t step)
{
    switch (o->kind) { /* a new one is to be named here */
    case KL_SGD:
    case KL_SPSA:
        /* torch's first velocity is the gradient itself, which momentum * 0 + g gives too */
        return (struct kl_update){ .kind = KL_SGD, .sgd = { 1, o->weight_decay, o->momentum, lr } };
    case KL_ADAM:
    case KL_ADAMW:
    case KL_QNG:
    case KL_ROTOSOLVE: break;
    }
    return (struct kl_update){
        .kind = o->kind,
        .adam = {
            .grad_scale = 1,
            .decay = o->kind == KL_ADAMW ? 0 : o->weight_decay,
            .shrink = o->kind == KL_ADAMW ? 1 - lr * o->weight_decay : 1,
            .beta1 = o->beta1,
            .beta2 = o->beta2,
            .rate = lr / (1 - pow(o->beta1, (double)step)),
            .root = 1 / sqrt(1 - pow(o->beta2, (double)step)),
            .epsilon = o->epsilon,
        },
    };
}

/* ---- Minima in closed form: of a trigonometric polynomial; of a quadratic form with a skyline matrix
   ---- */

enum { COARSE = 16, FINE = 17, ROUNDS = 3 };

static double vertex(double left, double middle, double right, double h)
{
    const double curvature = left - 2 * middle + right;
    return curvature > 0 ? h * 0.5 * (left - right) / curvature : 0;
}

/* Of equal values that in the middle, or else the first. */
static size_t least(const double *values, size_t n)
{
    size_t best = n / 2;
    for (size_t i = 0; i < n; i++)
        if (values[i] < values[best]) best = i;
    return best;
}

int kl_nn_trig_minimum(double *at, size_t degree, kl_trig_values_fn values_of, void *context,
                       struct kl_error *err)
{
    double points[KL_TRIG_POINTS] = { 0 }, values[KL_TRIG_POINTS];
    size_t n = COARSE * degree < KL_TRIG_POINTS ? COARSE * degree : KL_TRIG_POINTS, best = 0;
    double h = 2 * M_PI / (double)n;
    *at = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < n; i++) points[i] = *at + h * ((double)i - (double)(n / 2));
        int code = values_of(values, points, n, context, err);
        if (code) return code;
        best = least(values, n);
        *at = points[best];
        if (round + 1 < ROUNDS) n = FINE, h /= FINE / 2;
    }
    if (best > 0 && best + 1 < n) *at += vertex(values[best - 1], values[best], values[best + 1], h);
    return KL_OK;
}

/* ---- skyline cholesky ----
   Symmetric positive definite systems whose rows begin late, by Cholesky's decomposition, which fills no
   entry before a row's first (Jennings 1966, "A compact storage scheme for the solution of symmetric
   linear simultaneous equations"). */

int kl_nn_skyline_make(struct kl_nn_skyline *e, size_t n, const size_t *first, struct kl_arena *memory,
                       struct kl_error *err)
{
    size_t *start = kl_arena_take(memory, n + 1, sizeof *start);
    *e = (struct kl_nn_skyline){ .n = n, .first = first, .start = start };
    if (!start) return kl_fail_memory(err, n * sizeof *start);
    for (size_t i = 0; i < n; i++) {
        start[i] = e->size;
        e->size += i - first[i] + 1;
    }
    return KL_OK;
}

/* Row i of the lower factor in place of row i; rows before it are factors already. */
static void factor_row(double *a, const struct kl_nn_skyline *e, size_t i, double shift)
{
    double *row = a + e->start[i] - e->first[i], pivot = row[i] + shift;
    for (size_t j = e->first[i]; j < i; j++) {
        const double *other = a + e->start[j] - e->first[j];
        const size_t from = e->first[i] > e->first[j] ? e->first[i] : e->first[j];
        for (size_t k = from; k < j; k++) row[j] -= row[k] * other[k];
        row[j] /= other[j];
        pivot -= row[j] * row[j];
    }
    row[i] = sqrt(pivot);
}

void kl_nn_skyline_solve(double *x, double *a, const struct kl_nn_skyline *e, double shift)
{
    for (size_t i = 0; i < e->n; i++) {
        factor_row(a, e, i, shift);
        const double *row = a + e->start[i] - e->first[i];
        for (size_t k = e->first[i]; k < i; k++) x[i] -= row[k] * x[k];
        x[i] /= row[i];
    }
    for (size_t i = e->n; i-- > 0;) {
        const double *row = a + e->start[i] - e->first[i];
        x[i] /= row[i];
        for (size_t k = e->first[i]; k < i; k++) x[k] -= row[k] * x[i];
    }
}
