/* SPDX-License-Identifier: MIT
   Families of any system: pulses that networks give, adapted and not, against exact propagation of what
   is played there; meta-gradients against finite differences; one qubit as a system against its own
   family. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta_train.h"
#include "tests/unit/check.h"

enum { LANES = 16, TASKS = 3, STEPS = 3 };

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void settle(struct kl_control_meta_values *v)
{
    struct kl_error err;
    must(kl_control_meta_settle(v, &err), &err);
}

static void begin(struct kl_control_meta_values *v, const char *system, const char *range)
{
    memset(v, 0, sizeof *v);
    kl_control_meta_defaults(v);
    v->problem.system = system, v->problem.range = range;
    v->segments = 6, v->hidden = 8, v->hidden_layers = 1, v->inner_steps = STEPS, v->inner_lr = 0.2;
}

/* A batch of the values' family, its network's parameters set to something. */
struct set {
    struct kl_arena memory;
    struct kl_control_net net;
    struct kl_control_batch_f64 b;
    double *params;
};

static void open_set(struct set *s, const struct kl_control_meta_values *v)
{
    struct kl_error err;
    const double limit = v->family.setup ? 1 : v->limit.value;
    *s = (struct set){ 0 };
    must(kl_arena_init(&s->memory, 0, &err), &err);
    must(kl_control_net_make(&s->net, &v->shape, &err), &err);
    must(kl_control_batch_make_f64(&s->b, &s->net, &v->inner, &v->family, limit, LANES, NULL, &s->memory,
                                   &err),
         &err);
    s->params = calloc(s->net.block.size, sizeof *s->params);
    for (int i = 0; i < s->net.block.n; i++)
        for (size_t j = 0; j < s->net.block.tensors[i].size; j++)
            s->params[s->net.block.tensors[i].offset + j] =
                0.4 * sin(1.3 * (double)(7 * (size_t)i + j + 1));
}

static void close_set(struct set *s)
{
    kl_control_batch_close_f64(&s->b), kl_arena_free(&s->memory), kl_control_net_free(&s->net);
    free(s->params);
}

/* Of the adapted pulses of a batch the losses, by the engine that is exact, from the system's own
 * description. */
static void check_losses(const struct kl_control_meta_values *v, struct set *s)
{
    const struct kl_control_setup *setup = &v->setup;
    const int n = setup->system.n_controls, rows = setup->problem.segments * n;
    struct kl_error err;
    for (uint32_t t = 0; t < TASKS; t++) {
        const struct kl_control_task_id id = { 7, KL_CONTROL_TEST, t, 0 };
        struct kl_control_meta_task task;
        struct kl_control_gradient exact = { 0 };
        double *u = calloc((size_t)rows, sizeof *u), features[KL_CONTROL_MAX_FEATURES];
        kl_control_family_draw(&task, &v->family, &id);
        kl_control_family_features(features, &v->family, &task, &id);
        const struct kl_control_task member = kl_control_family_member(&v->family, &task);
        for (int i = 0; i < setup->n_ranges; i++) {
            const struct kl_control_ranged *r = &setup->ranges[i];
            const double at = r->param < 0 ? member.amplitude : member.params[r->param];
            CHECK(at >= r->low && at <= r->high, "range %d: found %g", i, at);
            CHECK(fabs(r->low + (features[i] + 1) / 2 * (r->high - r->low) - at) < 1e-12, "feature %d",
                  i);
        }
        for (int i = 0; i < rows; i++) u[i] = s->b.adapt.u[(size_t)i * LANES + t];
        kl_control_shares_play(u, &setup->system, setup->problem.segments);
        const struct kl_control_pulse pulse = { setup->problem.segments, n, setup->problem.duration, u };
        must(kl_control_propagate(&exact, &setup->system, &setup->objective, &pulse, &member, &err),
             &err);
        CHECK(fabs(exact.loss - s->b.adapt.loss[STEPS * LANES + t]) < 1e-12,
              "task %u: found %.15g, expected %.15g", t, s->b.adapt.loss[STEPS * LANES + t], exact.loss);
        CHECK(s->b.adapt.loss[STEPS * LANES + t] < s->b.adapt.loss[t], "task %u: no step gains", t);
        free(u);
    }
}

/* Of the mean loss without steps, along one direction. */
static void check_gradient(struct kl_control_meta_values *v)
{
    const struct kl_control_task_id id = { 7, KL_CONTROL_TRAINING, 0, 0 };
    struct kl_error err;
    struct set s;
    double sums[2], along = 0, f[4];
    v->inner.method = KL_CONTROL_UNADAPTED;
    open_set(&s, v);
    double *grad = calloc(2 * s.net.block.size, sizeof *grad), *at = grad + s.net.block.size;
    memcpy(at, s.params, s.net.block.size * sizeof *at);
    kl_control_batch_fill_f64(&s.b, id, TASKS, 1.0 / TASKS);
    must(kl_control_batch_gradient_f64(grad, sums, &s.b, s.params, TASKS, &err), &err);
    for (size_t i = 0; i < s.net.block.size; i++) along += grad[i] * cos((double)i);
    for (int k = 0; k < 4; k++) {
        for (size_t i = 0; i < s.net.block.size; i++)
            s.params[i] = at[i] + (double[]){ -2, -1, 1, 2 }[k] * 1e-4 * cos((double)i);
        must(kl_control_batch_adapt_f64(&s.b, s.params, &err), &err);
        f[k] = 0;
        for (int t = 0; t < TASKS; t++) f[k] += s.b.adapt.loss[t] / TASKS;
    }
    const double wanted = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / 12e-4;
    CHECK(fabs(along - wanted) < 1e-9 && fabs(wanted) > 1e-4, "found %.12g, expected %.12g", along,
          wanted);
    free(grad);
    close_set(&s);
}

static void check_system(const char *system, const char *range)
{
    struct kl_control_meta_values v;
    struct kl_error err;
    struct set s;
    begin(&v, system, range);
    settle(&v);
    open_set(&s, &v);
    kl_control_batch_fill_f64(&s.b, (struct kl_control_task_id){ 7, KL_CONTROL_TEST, 0, 0 }, TASKS, 0);
    must(kl_control_batch_adapt_f64(&s.b, s.params, &err), &err);
    check_losses(&v, &s);
    close_set(&s);
    check_gradient(&v);
    kl_control_meta_close(&v);
}

/* A qubit's own family and the system `qubit`, told nothing, the same network but for the unit of its
   output: losses of the same task before, between and after the steps. */
static void check_qubit(void)
{
    struct kl_control_meta_values own, any;
    struct kl_error err;
    struct set a, b;
    begin(&own, NULL, NULL),
        begin(&any, "qubit", "detuning=-0.5:0.5 gamma_phi=0.02:0.15 amplitude=0.9:1.1");
    own.detuning = "-0.5,0.5", own.controls_range = "0.9,1.1", own.limit.value = any.limit.value = 8,
    any.scale = 0.125;
    own.tells = any.tells = "none";
    any.problem.set = "gamma_down=0.03";
    settle(&own), settle(&any);
    open_set(&a, &own), open_set(&b, &any);
    for (uint32_t t = 0; t < LANES; t++) {
        const struct kl_control_task_id id = { 3, KL_CONTROL_TEST, t, 0 };
        struct kl_control_meta_task task = { 0 }, of_system = { 0 };
        kl_control_family_draw(&task, &own.family, &id);
        task.rates[KL_BLOCH_DOWN] = 0.03;
        of_system.numbers[0] = task.rates[KL_BLOCH_DEPHASING],
        of_system.numbers[1] = task.rates[KL_BLOCH_DETUNING], of_system.numbers[2] = task.controls;
        kl_control_batch_set_f64(&a.b, t, &task, (double[]){ 1 });
        kl_control_batch_set_f64(&b.b, t, &of_system, (double[]){ 1 });
    }
    kl_control_plant_any_count_f64(&b.b.plant, LANES);
    must(kl_control_batch_adapt_f64(&a.b, a.params, &err), &err);
    must(kl_control_batch_adapt_f64(&b.b, b.params, &err), &err);
    for (size_t i = 0; i < (STEPS + 1) * LANES; i++)
        CHECK(fabs(a.b.adapt.loss[i] - b.b.adapt.loss[i]) < 1e-12,
              "step %zu, task %zu: found %.15g, expected %.15g", i / LANES, i % LANES, b.b.adapt.loss[i],
              a.b.adapt.loss[i]);
    CHECK(fabs(a.b.adapt.loss[STEPS * LANES] - a.b.adapt.loss[0]) > 1e-5, "no step did anything");
    close_set(&a), close_set(&b);
    kl_control_meta_close(&own), kl_control_meta_close(&any);
}

/* The first pulse is the middle's optimum, or near it; a network begins with it at the features 0. */
static void check_start(const char *limit)
{
    struct kl_control_meta_values v;
    struct kl_error err;
    struct set s;
    struct kl_control_gradient exact = { 0 };
    begin(&v, "transmon", "detuning=-0.03:0.05");
    v.segments = 20, v.problem.limit = limit;
    settle(&v);
    const int rows = v.setup.problem.segments * 2;
    double *start = calloc((size_t)rows, sizeof *start);
    must(kl_control_family_search(start, &v.setup, 0, NULL, &err), &err);
    v.family.start = start;
    open_set(&s, &v);
    memset(s.params, 0, s.net.block.size * sizeof *s.params);
    kl_control_family_begin(s.params, &s.net, &v.family);
    kl_control_adapt_pulse_f64(&s.b.adapt, s.params);
    for (int i = 0; i < rows; i++) {
        CHECK(fabs(start[i]) <= 1 && fabs(s.b.adapt.u[i * LANES] - start[i]) < 1e-15,
              "number %d: found %g of %g", i, s.b.adapt.u[i * LANES], start[i]);
    }
    kl_control_shares_play(start, &v.setup.system, 20);
    const struct kl_control_pulse pulse = { 20, 2, 12, start };
    struct kl_control_task middle;
    kl_control_task_default(&middle, &v.setup.system);
    CHECK(fabs(middle.params[3] - 0.01) < 1e-15, "middle %g", middle.params[3]);
    must(kl_control_propagate(&exact, &v.setup.system, &v.setup.objective, &pulse, &middle, &err), &err);
    CHECK(exact.loss < 5e-4, "limit %s: loss %g", limit ? limit : "", exact.loss);
    free(start);
    close_set(&s);
    kl_control_meta_close(&v);
}

int main(void)
{
    check_system("transmon", "detuning=-0.1:0.1");
    check_system("transmon", "amplitude=0.9:1.1 anharmonicity=-2:-1.8 gamma_down=0:1e-4");
    check_system("two-qubits", "J=1.8:2.2 gdown2=0.01:0.05");
    check_system("qubit", "detuning=-0.5:0.5");
    check_qubit();
    check_start(NULL);
    check_start("x+iy=0.6");
    check_start("x=0:0.6,y=0.6");
    return failures != 0;
}
