/* SPDX-License-Identifier: MIT
   Heads as targets in float, as chains use them: against the head's own gradient of the same rows, and
   the same bits from each thread and from rows that are named. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/head.h"
#include "sampling/heads/heads.h"
#include "tests/unit/check.h"
#include "tests/unit/head/head_test.h"

enum { N = 600 };

static void one(const struct kl_features *f, enum kl_core core)
{
    struct kl_head_options o;
    struct kl_head_model m;
    struct kl_error err;
    struct kl_head_work work;
    struct kl_sampling_target_f32 t;
    struct kl_sampling_head_f32 *head;
    struct kl_sampling_layout l;
    struct kl_sampling_head_prior prior;
    kl_head_options_default(&o);
    kl_sampling_head_prior_default(&prior);
    o.core = core;
    CHECK(kl_head_model_make(&m, &o, D, CLASSES, &err) == 0, "%s", err.text);
    float *p = calloc(3 * m.block.size, sizeof *p), *g = p + m.block.size, *w = g + m.block.size;
    kl_head_init(p, &m, 9, 0);
    CHECK(kl_head_work_init(&work, &err) == 0, "%s", err.text);
    CHECK(kl_sampling_layout_make(&l, &m, KL_SAMPLING_ALL, &prior, &err) == 0, "%s", err.text);
    const struct kl_sampling_head_question q = {
        .model = &m, .prior = prior, .features = f, .n_threads = 2
    };
    CHECK(kl_sampling_head_target_f32(&t, &head, &q, &err) == 0, "%s", err.text);
    float *mine = malloc(2 * t.size * sizeof *mine);
    int64_t rows[N];
    for (size_t i = 0; i < l.size; i++) w[i] = p[l.index[i]];
    for (int i = 0; i < N; i++) rows[i] = i;
    double loss, worst = 0;
    size_t right;
    CHECK(kl_head_gradient_f32(g, &loss, &right, &m, p, f->x, f->labels, N, NULL, &work, &err) == 0,
          "%s", err.text);
    struct kl_sampling_sums s = { 0 }, again = { 0 };
    const struct kl_sampling_crew first = { 0, NULL }, second = { 1, NULL };
    CHECK(t.gradient(t.context, mine, &s, w, NULL, N, &first, &err) == 0, "%s", err.text);
    CHECK(t.gradient(t.context, mine + t.size, &again, w, rows, N, &second, &err) == 0, "%s", err.text);
    for (size_t i = 0; i < t.size; i++) worst = fmax(worst, fabs(mine[i] - g[l.index[i]]));
    CHECK(worst < 1e-6, "%s: off by %g", kl_core_names[core], worst);
    CHECK(fabs(s.loss - loss) < 1e-5 * loss && s.count == N && s.wrong == (double)(N - right),
          "%.9g, %.9g", s.loss, loss);
    CHECK(memcmp(mine, mine + t.size, t.size * sizeof *mine) == 0 && memcmp(&s, &again, sizeof s) == 0,
          "bits");
    free(mine);
    free(p);
    kl_sampling_head_close_f32(&head);
    kl_sampling_layout_free(&l);
    kl_head_work_free(&work);
    kl_head_model_free(&m);
}

int main(void)
{
    struct kl_features f;
    make_features(&f, N);
    one(&f, KL_CORE_CIRCUIT);
    one(&f, KL_CORE_TWIN);
    one(&f, KL_CORE_NONE);
    free(f.x);
    free(f.labels);
    return failures != 0;
}
