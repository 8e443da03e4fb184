/* SPDX-License-Identifier: MIT
   Heads as targets: the gradient against central differences for every core and every part, the loss
   against the head's own, which parameters there are and their priors, the split. */
#define KL_F64 1 /* the targets are of double; float: heads_float.c */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
#include "sampling/heads/heads.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"

enum { N = 600, KEPT = 60 }; /* more than a block */
static const struct kl_sampling_crew alone = { 0, NULL };

static void make_model(struct kl_head_model *m, enum kl_core core, bool reupload, float **params)
{
    struct kl_head_options o;
    struct kl_error err;
    kl_head_options_default(&o);
    o.core = core;
    o.n_reduction = 1, o.reduction[0] = 5;
    o.classifier[0] = 6;
    o.circuit.reupload = reupload;
    o.weight_scale = 0.7;
    CHECK(kl_head_model_make(m, &o, D, CLASSES, &err) == 0, "%s", err.text);
    *params = malloc(m->block.size * sizeof **params);
    kl_head_init(*params, m, 5, 0);
}

static struct kl_sampling_head_question ask(const struct kl_head_model *m, const float *params,
                                            enum kl_sampling_part part, const struct kl_features *f,
                                            const int64_t *kept, size_t n_kept)
{
    struct kl_sampling_head_question q = { .model = m,
                                           .params = params,
                                           .part = part,
                                           .features = f,
                                           .validation = kept,
                                           .n_validation = n_kept,
                                           .n_threads = 2 };
    kl_sampling_head_prior_default(&q.prior);
    return q;
}

/* The parameters of a target, out of the block. */
static double *values_of(const struct kl_head_model *m, const float *params, enum kl_sampling_part part)
{
    struct kl_sampling_layout l;
    struct kl_sampling_head_prior prior;
    struct kl_error err;
    kl_sampling_head_prior_default(&prior);
    CHECK(kl_sampling_layout_make(&l, m, part, &prior, &err) == 0, "%s", err.text);
    double *w = malloc((l.size + 1) * sizeof *w);
    for (size_t i = 0; i < l.size; i++) w[i] = params[l.index[i]];
    kl_sampling_layout_free(&l);
    return w;
}

/* Of rows (NULL: the first count training rows). A ReLU's bend between the two points shows in single
   parameters, at which the step is halved until it is no longer between them. */
static void differences(const struct kl_sampling_target_f64 *t, double *w, const int64_t *rows,
                        size_t count, const char *what)
{
    struct kl_error err;
    double *grad = malloc(t->size * sizeof *grad), worst = 0;
    struct kl_sampling_sums sums = { 0 };
    CHECK(t->gradient(t->context, grad, &sums, w, rows, count, &alone, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < t->size; i++) {
        double off = INFINITY;
        for (double h = 1e-4; h > 1e-6 && off > 1e-7; h /= 4) {
            const double at = w[i];
            struct kl_sampling_sums up = { 0 }, down = { 0 };
            w[i] = at + h;
            CHECK(t->evaluate(t->context, &up, NULL, w, false, rows, count, &alone, &err) == 0, "%s",
                  err.text);
            w[i] = at - h;
            CHECK(t->evaluate(t->context, &down, NULL, w, false, rows, count, &alone, &err) == 0, "%s",
                  err.text);
            w[i] = at;
            off = fmin(off, fabs((up.loss - down.loss) / (double)count / (2 * h) - grad[i]));
        }
        worst = fmax(worst, off);
    }
    CHECK(worst < 1e-7, "%s: gradient off by %g", what, worst);
    struct kl_sampling_sums again = { 0 };
    double *each = malloc(count * sizeof *each), sum = 0, squares = 0;
    CHECK(t->evaluate(t->context, &again, each, w, false, rows, count, &alone, &err) == 0, "%s",
          err.text);
    for (size_t i = 0; i < count; i++) sum += each[i], squares += each[i] * each[i];
    CHECK(again.loss == sums.loss && again.squares == sums.squares && again.wrong == sums.wrong &&
              again.count == (int64_t)count,
          "%s: sums of the two passes differ", what);
    CHECK(fabs(sum - sums.loss) < 1e-9 * sum && fabs(squares - sums.squares) < 1e-9 * squares,
          "%s: records", what);
    free(grad);
    free(each);
}

/* The head's own loss and gradient over all training rows at once. */
static void against_head(const struct kl_head_model *m, const float *params, const struct kl_features *f,
                         const struct kl_sampling_target_f64 *t, const double *w)
{
    struct kl_head_work work;
    struct kl_error err;
    double *p = malloc(m->block.size * sizeof *p), *g = malloc(m->block.size * sizeof *g),
           *x = malloc(N * D * sizeof *x), *mine = malloc(t->size * sizeof *mine), loss;
    size_t right;
    for (size_t i = 0; i < m->block.size; i++) p[i] = params[i];
    for (size_t i = 0; i < N * D; i++) x[i] = f->x[i];
    CHECK(kl_head_work_init(&work, &err) == 0, "%s", err.text);
    CHECK(kl_head_gradient_f64(g, &loss, &right, m, p, x, f->labels, N, NULL, &work, &err) == 0, "%s",
          err.text);
    struct kl_sampling_sums sums = { 0 };
    CHECK(t->gradient(t->context, mine, &sums, w, NULL, N, &alone, &err) == 0, "%s", err.text);
    CHECK(fabs(sums.loss - loss) < 1e-10 * loss, "loss %.12g, the head's %.12g", sums.loss, loss);
    CHECK((size_t)sums.wrong == N - right, "%g wrong, the head has %zu right", sums.wrong, right);
    struct kl_sampling_layout l;
    struct kl_sampling_head_prior prior;
    double worst = 0;
    kl_sampling_head_prior_default(&prior);
    CHECK(kl_sampling_layout_make(&l, m, KL_SAMPLING_ALL, &prior, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < t->size; i++) worst = fmax(worst, fabs(mine[i] - g[l.index[i]]));
    CHECK(worst < 1e-12, "gradient is off the head's by %g", worst);
    kl_sampling_layout_free(&l);
    kl_head_work_free(&work);
    free(p);
    free(g);
    free(x);
    free(mine);
}

/* In units of the prior: coordinates w / scale, the gradient times it. */
static void whitened(struct kl_sampling_head_question q, const struct kl_sampling_target_f64 *t,
                     const double *w, const char *what)
{
    struct kl_sampling_layout l;
    struct kl_sampling_target_f64 white;
    struct kl_sampling_head_f64 *head;
    struct kl_error err;
    struct kl_sampling_sums s = { 0 }, plain = { 0 };
    q.whiten = true;
    CHECK(kl_sampling_layout_make(&l, q.model, q.part, &q.prior, &err) == 0, "%s", err.text);
    CHECK(kl_sampling_head_target_f64(&white, &head, &q, &err) == 0, "%s", err.text);
    double *u = malloc(3 * t->size * sizeof *u), *mine = u + t->size, *theirs = mine + t->size,
           worst = 0;
    for (size_t i = 0; i < t->size; i++) u[i] = w[i] / l.scale[i];
    CHECK(white.gradient(white.context, mine, &s, u, NULL, N, &alone, &err) == 0, "%s", err.text);
    CHECK(t->gradient(t->context, theirs, &plain, w, NULL, N, &alone, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < t->size; i++) worst = fmax(worst, fabs(mine[i] - l.scale[i] * theirs[i]));
    CHECK(worst < 1e-12 && fabs(s.loss - plain.loss) < 1e-10 * s.loss, "%s: off by %g", what, worst);
    for (int k = 0; k < white.n_tensors; k++)
        CHECK(white.tensors[k].sigma == 1 && l.scale[l.slices[k].offset] == (float)l.slices[k].sigma,
              "%s", what);
    kl_sampling_head_close_f64(&head);
    kl_sampling_layout_free(&l);
    free(u);
}

static void one(const struct kl_features *f, enum kl_core core, enum kl_sampling_part part,
                bool reupload)
{
    struct kl_head_model m;
    struct kl_error err;
    float *params;
    char what[64];
    static const int64_t rows[] = { 5, 3, 590, 3, 77 };
    make_model(&m, core, reupload, &params);
    snprintf(what, sizeof what, "core %s, part %d%s", kl_core_names[core], (int)part,
             reupload ? ", scales" : "");
    struct kl_sampling_head_question q = ask(&m, params, part, f, NULL, 0);
    struct kl_sampling_target_f64 t;
    struct kl_sampling_head_f64 *head;
    CHECK(kl_sampling_head_target_f64(&t, &head, &q, &err) == 0, "%s: %s", what, err.text);
    double *w = values_of(&m, params, part);
    differences(&t, w, NULL, 130, what);
    differences(&t, w, rows, 5, what);
    whitened(q, &t, w, what);
    if (part == KL_SAMPLING_ALL) {
        CHECK(t.size == kl_head_parameters(&m), "%s: %zu parameters, the head has %zu", what, t.size,
              kl_head_parameters(&m));
        if (core != KL_CORE_FROZEN) against_head(&m, params, f, &t, w);
    }
    kl_sampling_head_close_f64(&head);
    kl_head_model_free(&m);
    free(params);
    free(w);
}

/* The same loss whichever part is sampled; rows kept are the test set. */
static void parts_and_split(const struct kl_features *f)
{
    struct kl_head_model m;
    struct kl_error err;
    float *params;
    int64_t kept[KEPT];
    double loss[4][2];
    make_model(&m, KL_CORE_CIRCUIT, false, &params);
    for (int i = 0; i < KEPT; i++) kept[i] = 7 * i + 2;
    for (int part = 0; part < 4; part++) {
        struct kl_sampling_head_question q = ask(&m, params, (enum kl_sampling_part)part, f, kept, KEPT);
        struct kl_sampling_target_f64 t;
        struct kl_sampling_head_f64 *head;
        CHECK(kl_sampling_head_target_f64(&t, &head, &q, &err) == 0, "%s", err.text);
        CHECK(t.n == N - KEPT && t.n_test == KEPT && t.chance == 1 - 1. / CLASSES, "%zu, %zu", t.n,
              t.n_test);
        double *w = values_of(&m, params, (enum kl_sampling_part)part);
        for (int test = 0; test < 2; test++) {
            struct kl_sampling_sums s = { 0 };
            CHECK(t.evaluate(t.context, &s, NULL, w, test, NULL, test ? KEPT : N - KEPT, &alone, &err) ==
                      0,
                  "%s", err.text);
            loss[part][test] = s.loss;
            CHECK(fabs(loss[part][test] - loss[0][test]) < 1e-9, "part %d, test %d: %.12g", part, test,
                  s.loss);
        }
        free(w);
        kl_sampling_head_close_f64(&head);
    }
    struct kl_sampling_head_f64 *head;
    struct kl_sampling_target_f64 t;
    struct kl_sampling_head_question q = ask(&m, params, KL_SAMPLING_ALL, f, kept, KEPT);
    kept[3] = 2;
    CHECK(kl_sampling_head_target_f64(&t, &head, &q, &err) == KL_EDATA, "rows that do not rise");
    q.n_validation = N;
    CHECK(kl_sampling_head_target_f64(&t, &head, &q, &err) == KL_EDATA, "nothing left");
    kl_head_model_free(&m);
    free(params);
}

static void priors(void)
{
    struct kl_head_model m;
    struct kl_sampling_layout l;
    struct kl_sampling_head_prior prior;
    struct kl_error err;
    float *params;
    kl_sampling_head_prior_default(&prior);
    prior.sigma = 3;
    make_model(&m, KL_CORE_CIRCUIT, true, &params);
    CHECK(kl_sampling_layout_make(&l, &m, KL_SAMPLING_ALL, &prior, &err) == 0, "%s", err.text);
    size_t at = 0, angles = 0, scales = 0;
    for (int i = 0; i < l.n_slices; i++) {
        const struct kl_sampling_slice *t = &l.slices[i];
        CHECK(t->offset == at, "%s begins at %zu", t->name, t->offset);
        at += t->size;
        if (strcmp(t->name, "vqc.weight") == 0) {
            if (t->sigma == 1) scales += t->size;
            else angles += t->size;
            CHECK(t->sigma == 1 || t->sigma == M_PI, "%g", t->sigma);
        } else if (strncmp(t->name, "reduce.0.", 9) == 0)
            CHECK(t->fan_in == D && fabs(t->sigma - 3 / sqrt(D)) < 1e-15, "%s: %g", t->name, t->sigma);
    }
    size_t are_scales = 0;
    for (size_t w = 0; w < m.circuit->n_weights; w++) are_scales += kl_circuit_is_scale(m.circuit, w);
    CHECK(at == l.size && scales == are_scales && angles + scales == m.circuit->n_weights,
          "%zu angles, %zu scales", angles, scales);
    kl_sampling_layout_free(&l);
    prior.flat = true;
    CHECK(kl_sampling_layout_make(&l, &m, KL_SAMPLING_CLASSIFIER, &prior, &err) == 0, "%s", err.text);
    for (int i = 0; i < l.n_slices; i++) CHECK(l.slices[i].sigma == 3, "%g", l.slices[i].sigma);
    kl_sampling_layout_free(&l);
    prior.angles = 0;
    CHECK(kl_sampling_layout_make(&l, &m, KL_SAMPLING_ALL, &prior, &err) == KL_EUSAGE, "no deviation");
    kl_sampling_layout_free(&l);
    kl_sampling_head_prior_default(&prior);
    kl_head_model_free(&m);
    free(params);
    make_model(&m, KL_CORE_NONE, false, &params);
    CHECK(kl_sampling_layout_make(&l, &m, KL_SAMPLING_CORE, &prior, &err) == KL_EUSAGE &&
              strstr(err.text, "'none'"),
          "%s", err.text);
    kl_sampling_layout_free(&l);
    kl_head_model_free(&m);
    free(params);
}

int main(void)
{
    struct kl_features f;
    make_features(&f, N);
    for (int part = 0; part < 4; part++) {
        one(&f, KL_CORE_CIRCUIT, (enum kl_sampling_part)part, false);
        one(&f, KL_CORE_TWIN, (enum kl_sampling_part)part, false);
        if (part != KL_SAMPLING_CORE) one(&f, KL_CORE_FROZEN, (enum kl_sampling_part)part, false);
        if (part != KL_SAMPLING_CORE) one(&f, KL_CORE_NONE, (enum kl_sampling_part)part, false);
    }
    one(&f, KL_CORE_CIRCUIT, KL_SAMPLING_ALL, true);
    parts_and_split(&f);
    priors();
    free(f.x);
    free(f.labels);
    return failures != 0;
}
