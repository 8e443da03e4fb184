/* SPDX-License-Identifier: MIT
   The circuit's weights one after another, each turned to where the batch's loss is smallest
   (Ostaszewski, Grant & Benedetti 2021, arXiv:1905.09692). The loss of a head is no sinusoid in a
   weight, but the circuit's outputs are trigonometric polynomials in it: a few evaluations say them for
   every angle, and the loss is searched through the classifier. */
#include <math.h>
#include <string.h>

#include "circuit/statistics.h"
#include "head/head_int.h"
#include "kernels/inline/flush.h"
#include "kernels/inline/philox.h"

struct kl_rotosolve {
    struct kl_frequency *frequency; /* of every weight */
    float *terms;                   /* (2 degree + 1, rows, n_expval): see prepare_rows */
    double *loss;                   /* (KL_TRIG_POINTS, groups) */
};
/* One weight of one step; angles are from where it stands, in its units. */
struct turn {
    struct kl_step *step;
    size_t weight;
    const double *angles;
    size_t n_angles;
};

int kl_head_rotosolve_take(struct kl_rotosolve **rotosolve, const struct kl_head_train *train, size_t n,
                           struct kl_arena *arena, struct kl_error *err)
{
    const struct kl_head_model *model = train->model;
    *rotosolve = NULL;
    if (train->loop.options.optimizer.kind != KL_ROTOSOLVE || model->options.core != KL_CORE_CIRCUIT ||
        model->circuit->n_weights == 0)
        return 0;
    const size_t n_weights = model->circuit->n_weights,
                 groups = (n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    struct kl_rotosolve *r = kl_arena_take(arena, 1, sizeof *r);
    if (!r) return kl_fail_memory(err, sizeof *r);
    r->frequency = kl_arena_take(arena, n_weights, sizeof *r->frequency);
    r->loss = kl_arena_take(arena, KL_TRIG_POINTS * groups, sizeof *r->loss);
    if (!r->frequency || !r->loss) return kl_fail_memory(err, n_weights * sizeof *r->frequency);
    int code = kl_circuit_frequencies(r->frequency, model->circuit, err);
    size_t most = 0;
    for (size_t i = 0; i < n_weights && !code; i++)
        if (r->frequency[i].degree > most) most = r->frequency[i].degree;
    if (!code) code = kl_head_take_f32(&r->terms, arena, (2 * most + 1) * n * model->n_expval, err);
    if (!code) *rotosolve = r;
    return code;
}

static size_t values_a_term(const struct turn *t)
{
    return t->step->batch.n * t->step->train->model->n_expval;
}

/* Outputs of rows from e->first on with the weight `shift` further. */
static int shifted(float *out, const struct turn *t, double shift, const struct kl_estimator *e,
                   const float *angles, size_t n, struct kl_head_work *work, struct kl_error *err)
{
    const struct kl_head_model *model = t->step->train->model;
    const struct kl_circuit *c = model->circuit;
    float *w;
    kl_arena_reset(&work->circuit);
    int code = kl_head_take_f32(&w, &work->circuit, c->n_weights, err);
    if (code) return code;
    memcpy(w, t->step->params + model->block.tensors[model->vqc].offset, c->n_weights * sizeof *w);
    w[t->weight] = (float)(w[t->weight] + shift);
    return kl_circuit_outputs_f32(out, e, angles, w, n, &work->circuit, err);
}

/* 2 degree + 1 equidistant values become the constant, then cosine and sine of each degree. */
static void to_terms(float *values, size_t stride, size_t degree)
{
    const size_t points = 2 * degree + 1;
    double term[2 * KL_MOST_DEGREE + 1] = { 0 };
    for (size_t p = 0; p < points; p++) term[0] += values[p * stride] / (double)points;
    for (size_t d = 1; d <= degree; d++)
        for (size_t p = 0; p < points; p++) {
            const double at = 2 * M_PI * (double)(d * p % points) / (double)points,
                         value = 2 * values[p * stride] / (double)points;
            term[2 * d - 1] += value * cos(at);
            term[2 * d] += value * sin(at);
        }
    for (size_t p = 0; p < points; p++) values[p * stride] = (float)term[p];
}

/* The outputs of a part's rows at every angle: terms. */
static int prepare_rows(const struct turn *t, size_t from, size_t to, struct kl_head_work *work,
                        struct kl_error *err)
{
    const struct kl_step *s = t->step;
    struct kl_drawing_model own;
    struct kl_estimator e = s->batch.diff.estimator;
    e.first += from;
    e.shots.purpose = KL_RANDOM_STEP_SHOTS;
    const struct kl_head_model *model =
        kl_head_drawing(&own, s->train->model, &e, &s->batch.draws, from);
    const struct kl_frequency f = s->rotosolve->frequency[t->weight];
    const size_t points = 2 * f.degree + 1, stride = values_a_term(t);
    struct kl_head_values_f32 y = kl_head_values_at_f32(s->batch.y, model, from);
    struct kl_dropout dropout = s->batch.dropout;
    float *terms = s->rotosolve->terms + from * model->n_expval;
    dropout.row = from;
    y.state = NULL;
    y.expval = terms;
    int code = kl_head_measure_f32(&y, model, s->params, s->batch.x + from * y.ldx, to - from, &dropout,
                                   &e, work, err);
    for (size_t p = 1; p < points && !code; p++) {
        e.shots.purpose += 256;
        code = shifted(terms + p * stride, t, 2 * M_PI * (double)p / (double)points / f.unit, &e,
                       y.reduce[model->n_reduce - 1], to - from, work, err);
    }
    for (size_t i = 0; i < (to - from) * model->n_expval && !code; i++)
        to_terms(terms + i, stride, f.degree);
    return code;
}

static int prepare(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct turn *t = context;
    const size_t from = kl_head_step_begin(t->step, i), to = kl_head_step_begin(t->step, i + 1);
    const unsigned before = kl_flush_begin();
    const int code =
        from < to ? prepare_rows(t, from, to, &t->step->train->threads[thread].work, err) : 0;
    kl_flush_end(before);
    return code;
}

/* Outputs of n rows from their terms. */
static void outputs_at(float *out, const float *terms, size_t stride, size_t n, size_t degree,
                       double angle)
{
    memcpy(out, terms, n * sizeof *out);
    for (size_t d = 1; d <= degree; d++) {
        const float c = (float)cos((double)d * angle), s = (float)sin((double)d * angle);
        const float *cosines = terms + (2 * d - 1) * stride, *sines = cosines + stride;
        for (size_t i = 0; i < n; i++) out[i] += c * cosines[i] + s * sines[i];
    }
}

/* Losses of a part's rows at all angles, group by group. */
static int search(void *context, size_t i, int thread, struct kl_error *err)
{
    const struct turn *t = context;
    struct kl_step *s = t->step;
    const struct kl_head_model *model = s->train->model;
    const size_t from = kl_head_step_begin(s, i), to = kl_head_step_begin(s, i + 1),
                 classes = model->n_classes,
                 groups = (s->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    const struct kl_head_values_f32 y = kl_head_values_at_f32(s->batch.y, model, from);
    const float *logits = y.head[model->n_head - 1];
    struct kl_dropout dropout = s->batch.dropout;
    const unsigned before = kl_flush_begin();
    (void)thread, (void)err;
    dropout.row = from;
    for (size_t k = 0; k < t->n_angles && from < to; k++) {
        outputs_at(y.expval, s->rotosolve->terms + from * model->n_expval, values_a_term(t),
                   (to - from) * model->n_expval, s->rotosolve->frequency[t->weight].degree,
                   t->angles[k]);
        kl_head_classify_f32(&y, model, s->params, NULL, to - from, &dropout);
        for (size_t row = from; row < to; row += KL_CIRCUIT_GROUP)
            s->rotosolve->loss[k * groups + row / KL_CIRCUIT_GROUP] = kl_nn_cross_entropy_f32(
                NULL, NULL, logits + (row - from) * classes, s->batch.labels + row,
                to - row < KL_CIRCUIT_GROUP ? to - row : KL_CIRCUIT_GROUP, classes, 1);
    }
    kl_flush_end(before);
    return 0;
}

static int losses_at(double *values, const double *angles, size_t n, void *context, struct kl_error *err)
{
    struct turn *t = context;
    const size_t groups = (t->step->batch.n + KL_CIRCUIT_GROUP - 1) / KL_CIRCUIT_GROUP;
    t->angles = angles;
    t->n_angles = n;
    int code = kl_train_crew_for(t->step->crew, t->step->parts, search, t, err);
    for (size_t k = 0; k < n; k++) {
        values[k] = 0;
        for (size_t g = 0; g < groups; g++) values[k] += t->step->rotosolve->loss[k * groups + g];
    }
    return code;
}

int kl_head_rotosolve_turn(struct kl_step *s, uint64_t number, double fraction, struct kl_error *err)
{
    const struct kl_head_model *model = s->train->model;
    struct turn t = { .step = s, .weight = (size_t)(number % model->circuit->n_weights) };
    const struct kl_frequency f = s->rotosolve->frequency[t.weight];
    double angle = 0;
    if (f.degree == 0) return 0;
    int code = kl_train_crew_for(s->crew, s->parts, prepare, &t, err);
    if (!code) code = kl_nn_trig_minimum(&angle, f.degree, losses_at, &t, err);
    if (code) return code;
    float *w = s->params + model->block.tensors[model->vqc].offset + t.weight;
    *w = (float)(*w + fraction * angle / f.unit);
    return 0;
}
