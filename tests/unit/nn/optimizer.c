/* SPDX-License-Identifier: MIT
   Five steps of each optimiser against torch.optim 2.15 (float64), and the rates of each schedule. */
#include <math.h>
#include <stdio.h>

#include "nn/nn.h"

static int failures;

static void near(const char *what, double found, double expected)
{
    if (fabs(found - expected) <= 1e-12) return;
    fprintf(stderr, "%s:%d: %s: %.17g, expected %.17g\n", __FILE__, __LINE__, what, found, expected);
    failures++;
}

static void step(double *p, double *m, double *v, const double *grad, size_t n,
                 const struct kl_optimizer *o, double lr, uint64_t number)
{
    struct kl_update update = kl_nn_update_at(o, lr, number);
    kl_nn_update_clip_f64(&update, o, grad, n);
    kl_nn_update_apply_f64(p, m, v, grad, n, &update);
}

static void optimisers(void)
{
    /* torch: p = [0.5, -1, 2], gradients [0.3 t, -0.2, 0.05 t^2] for t = 1..5, lr 0.1 */
    static const struct {
        const char *name;
        struct kl_optimizer o;
        double answer[3];
    } cases[] = {
        { "SGD(lr)", { .kind = KL_SGD }, { 0.05, -0.8999999999999999, 1.725 } },
        { "SGD(momentum=0.9, weight_decay=0.01)",
          { .kind = KL_SGD, .momentum = 0.9, .weight_decay = 0.01 },
          { -0.4561314803377306, -0.7246244873205789, 1.4860854869551932 } },
        { "Adam()",
          { .kind = KL_ADAM, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8 },
          { 0.014916913764645476, -0.5000000250000001, 1.5506624061266063 } },
        { "Adam(betas=(0.8,0.95), eps=1e-3, weight_decay=0.1)",
          { .kind = KL_ADAM, .beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-3, .weight_decay = 0.1 },
          { 0.0026130873327405157, -0.5044264520410979, 1.5057391526225765 } },
        { "AdamW(weight_decay=0.1)",
          { .kind = KL_ADAMW, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .weight_decay = 0.1 },
          { 8.585732186727757e-05, -0.4608905734049751, 1.4617988863040923 } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double p[3] = { 0.5, -1, 2 }, m[3] = { 0 }, v[3] = { 0 };
        for (int t = 1; t <= 5; t++) {
            double grad[3] = { 0.3 * t, -0.2, 0.05 * t * t };
            step(p, m, v, grad, 3, &cases[c].o, 0.1, (uint64_t)t);
        }
        for (int i = 0; i < 3; i++) near(cases[c].name, p[i], cases[c].answer[i]);
    }
}

/* By hand: the gradient (3, 4) has norm 5, so clipping to 1 leaves (0.6, 0.8); clipping to 10 leaves it.
 */
static void clipping(void)
{
    struct kl_optimizer o = { .kind = KL_SGD, .clip = 1 };
    double p[2] = { 0 }, m[2] = { 0 }, v[2] = { 0 }, grad[2] = { 3, 4 };
    step(p, m, v, grad, 2, &o, 1, 1);
    near("clipped 0", p[0], -0.6);
    near("clipped 1", p[1], -0.8);
    o.clip = 10;
    double q[2] = { 0 }, n[2] = { 0 };
    step(q, n, v, grad, 2, &o, 1, 1);
    near("not clipped", q[1], -4);
}

static void schedules(void)
{
    /* torch.optim.lr_scheduler.CosineAnnealingLR(lr 0.4, T_max=9, eta_min=0.1) */
    static const double cosine[] = { 0.4,
                                     0.3909538931178863,
                                     0.36490666646784675,
                                     0.32500000000000007,
                                     0.27604722665003967,
                                     0.2239527733499605,
                                     0.17500000000000004,
                                     0.13509333353215333,
                                     0.10904610688211376,
                                     0.1 };
    struct kl_schedule s;
    kl_nn_schedule_default(&s);
    s.kind = KL_COSINE_RATE, s.lr = 0.4, s.min_lr = 0.1;
    for (int i = 0; i < 10; i++)
        near("cosine", kl_nn_schedule_rate(&s, i / 5, i % 5, 5, 2, 0), cosine[i]);
    /* one epoch of warm-up, four steps: 1/5, 2/5, 3/5, 4/5 of lr, then the cosine from its top */
    s.warmup = 1;
    for (int i = 0; i < 4; i++)
        near("warm-up", kl_nn_schedule_rate(&s, 0, i, 4, 3, 0), 0.4 * (i + 1) / 5);
    near("after warm-up", kl_nn_schedule_rate(&s, 1, 0, 4, 3, 0), 0.4);
    near("the end", kl_nn_schedule_rate(&s, 2, 3, 4, 3, 0), 0.1);
    /* torch's StepLR(step_size=3, gamma=0.5) */
    struct kl_schedule step = { .kind = KL_STEP_RATE, .lr = 1, .period = 3, .factor = 0.5 };
    static const double stairs[] = { 1, 1, 1, 0.5, 0.5, 0.5, 0.25 };
    for (int e = 0; e < 7; e++) near("step", kl_nn_schedule_rate(&step, e, 0, 4, 9, 0), stairs[e]);
    struct kl_schedule plateau = { .kind = KL_PLATEAU_RATE, .lr = 1, .min_lr = 0.05, .factor = 0.1 };
    near("plateau 0", kl_nn_schedule_rate(&plateau, 5, 0, 4, 9, 0), 1);
    near("plateau 1", kl_nn_schedule_rate(&plateau, 5, 0, 4, 9, 1), 0.1);
    near("plateau floor", kl_nn_schedule_rate(&plateau, 5, 0, 4, 9, 3), 0.05);
}

int main(void)
{
    optimisers();
    clipping();
    schedules();
    return failures ? 1 : 0;
}
