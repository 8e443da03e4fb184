/* SPDX-License-Identifier: MIT
   What a network controls: one qubit by its own kernel and as any system, in amplitudes and in shares of
   its limits; two qubits under a network with layer norms, and a transmon with one limit that is not
   round 0 or with one of a pair's modulus, whose gradients are held against finite differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta.h"
#include "tests/unit/check.h"

enum { LANES = 16, TASKS = 3, SEGMENTS = 6 };
static struct kl_control_system qubit_s, pair_s;
static struct kl_control_objective qubit_o, pair_o;
static struct kl_control_task tasks[TASKS];

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void make(struct kl_control_system *s, struct kl_control_objective *o, const char *name,
                 const char *gate)
{
    struct kl_control_target target;
    struct kl_error err;
    must(kl_control_system_make(s, name, NULL, &err), &err);
    must(kl_control_target_gate(&target, gate, s->d, &err), &err);
    must(kl_control_objective_make(o, s, KL_CONTROL_AVERAGE, &target, &err), &err);
    for (int t = 0; t < TASKS; t++) {
        kl_control_task_default(&tasks[t], s);
        for (int j = 0; j < s->n_params; j++) tasks[t].params[j] += 0.03 * (t + j);
        tasks[t].amplitude = 1 + 0.1 * t;
    }
}

static void check_qubit(void)
{
    static const double x[3][3] = { { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } };
    struct kl_bloch b = { .segments = SEGMENTS, .controls = 2, .columns = 3, .dt = 0.5 / SEGMENTS };
    struct kl_control_plant_f64 any, own;
    struct kl_arena memory;
    struct kl_error err;
    double u[SEGMENTS * 2 * LANES], loss[2][LANES], grad[2][SEGMENTS * 2 * LANES];
    make(&qubit_s, &qubit_o, "qubit", "x");
    const struct kl_control_any of = { tasks, TASKS, LANES, SEGMENTS, 0.5, 8, false },
                                shares = { tasks, TASKS, LANES, SEGMENTS, 0.5, 1, true };
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) b.start[c][i] = i == c;
    must(kl_arena_init(&memory, 0, &err), &err);
    must(kl_control_plant_any_f64(&any, &qubit_s, &qubit_o, &of, &err), &err);
    must(kl_control_plant_make_f64(&own, &b, LANES, 8, 1.2, 2, &memory, &err), &err);
    own.constant = 0.5;
    for (size_t l = 0; l < LANES; l++) {
        const struct kl_control_task *t = &tasks[l < TASKS ? l : TASKS - 1];
        for (size_t j = 0; j < KL_BLOCH_PARAMS; j++) own.params[j * LANES + l] = t->params[j];
        for (size_t i = 0; i < 9; i++) own.weights[i * LANES + l] = x[i % 3][i / 3] / 6;
        own.amplitude[l] = t->amplitude;
        for (size_t i = 0; i < SEGMENTS * 2; i++)
            u[i * LANES + l] = 3 * sin((double)(i + 7 * (l < TASKS ? l : TASKS - 1)));
    }
    any.gradient(&any, loss[0], grad[0], u), own.gradient(&own, loss[1], grad[1], u);
    for (size_t l = 0; l < LANES; l++) {
        CHECK(fabs(loss[0][l] - loss[1][l]) < 1e-13, "lane %zu: found %.15g and %.15g", l, loss[0][l],
              loss[1][l]);
        for (size_t i = 0; i < SEGMENTS * 2; i++)
            CHECK(fabs(grad[0][i * LANES + l] - grad[1][i * LANES + l]) < 1e-13,
                  "lane %zu, amplitude %zu", l, i);
    }
    kl_control_plant_any_close_f64(&any);
    for (int k = 0; k < 2; k++) qubit_s.controls[k].low = -8, qubit_s.controls[k].high = 8;
    for (size_t i = 0; i < SEGMENTS * 2 * LANES; i++) u[i] /= 8, grad[1][i] *= 8;
    must(kl_control_plant_any_f64(&any, &qubit_s, &qubit_o, &shares, &err), &err);
    any.gradient(&any, loss[0], grad[0], u);
    for (size_t l = 0; l < LANES; l++)
        CHECK(fabs(loss[0][l] - loss[1][l]) < 1e-13, "lane %zu: shares", l);
    for (size_t i = 0; i < SEGMENTS * 2 * LANES; i++)
        CHECK(fabs(grad[0][i] - grad[1][i]) < 1e-12, "number %zu: shares", i);
    kl_control_plant_any_close_f64(&any), kl_arena_free(&memory);
    kl_control_system_free(&qubit_s), kl_control_objective_free(&qubit_o);
}

static double mean_loss(struct kl_control_adapt_f64 *a, const double *params,
                        const struct kl_control_plant_f64 *p)
{
    double sum = 0;
    kl_control_adapt_run_f64(a, params, p, false);
    for (size_t t = 0; t < TASKS; t++) sum += a->loss[(size_t)a->inner.steps * LANES + t] / TASKS;
    return sum;
}

static void check_pair(void)
{
    const struct kl_control_net_shape shape = { 4, 8, 2, SEGMENTS, 6, M_PI, KL_POLICY_TANH, true };
    const struct kl_control_inner none = { .method = KL_CONTROL_UNADAPTED };
    struct kl_control_net net;
    struct kl_control_adapt_f64 a;
    struct kl_control_plant_f64 plant;
    struct kl_arena memory;
    struct kl_error err;
    double weight[LANES] = { 1.0 / TASKS, 1.0 / TASKS, 1.0 / TASKS }, along = 0, f[4];
    make(&pair_s, &pair_o, "two-qubits", "cz");
    const struct kl_control_any of = { tasks, TASKS, LANES, SEGMENTS, M_PI / 8, M_PI, false };
    must(kl_arena_init(&memory, 0, &err), &err);
    must(kl_control_net_make(&net, &shape, &err), &err);
    must(kl_control_adapt_make_f64(&a, &net, &none, LANES, &memory, &err), &err);
    must(kl_control_plant_any_f64(&plant, &pair_s, &pair_o, &of, &err), &err);
    double *params = calloc(3 * net.block.size, sizeof *params), *moved = params + net.block.size,
           *grad = moved + net.block.size;
    for (int i = 0; i < net.block.n; i++)
        for (size_t j = 0; j < net.block.tensors[i].size; j++)
            params[net.block.tensors[i].offset + j] =
                0.5 * sin(1.3 * (double)(net.block.tensors[i].offset + j + 1));
    for (size_t l = 0; l < LANES; l++)
        for (size_t i = 0; i < 4; i++)
            a.x[i * LANES + l] = cos((double)(i + 5 * (l < TASKS ? l : TASKS - 1)));
    kl_control_adapt_run_f64(&a, params, &plant, true);
    kl_control_adapt_meta_f64(grad, &a, params, &plant, weight);
    for (size_t i = 0; i < net.block.size; i++) along += grad[i] * cos((double)i);
    for (int k = 0; k < 4; k++) {
        const double step = (double[]){ -2, -1, 1, 2 }[k] * 1e-4;
        for (size_t i = 0; i < net.block.size; i++) moved[i] = params[i] + step * cos((double)i);
        f[k] = mean_loss(&a, moved, &plant);
    }
    const double wanted = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / 12e-4;
    CHECK(fabs(along - wanted) < 1e-9 && fabs(wanted) > 1e-3, "found %.12g, expected %.12g", along,
          wanted);
    kl_control_plant_any_close_f64(&plant), kl_control_net_free(&net), kl_arena_free(&memory),
        free(params);
    kl_control_system_free(&pair_s), kl_control_objective_free(&pair_o);
}

/* The gradient by every share of every lane against central differences; and the loss against exact
   propagation of the amplitudes. */
static void check_shares(bool pair)
{
    struct kl_control_system s;
    struct kl_control_objective o;
    struct kl_control_plant_f64 plant;
    struct kl_error err;
    double v[SEGMENTS * 2 * LANES], moved[SEGMENTS * 2 * LANES], grad[SEGMENTS * 2 * LANES], loss[LANES],
        up[LANES], down[LANES];
    struct kl_control_target target;
    must(kl_control_system_make(&s, "transmon", NULL, &err), &err);
    must(kl_control_target_gate(&target, "x", s.subspace, &err), &err);
    must(kl_control_objective_make(&o, &s, KL_CONTROL_AVERAGE, &target, &err), &err);
    if (pair) must(kl_control_system_add_modulus(&s, 0, 1, 0.5, &err), &err);
    else s.controls[0].low = -0.1;
    for (int t = 0; t < TASKS; t++) {
        kl_control_task_default(&tasks[t], &s);
        tasks[t].params[3] = 0.02 * (t - 1), tasks[t].amplitude = 1 + 0.1 * t;
    }
    const struct kl_control_any of = { tasks, TASKS, LANES, SEGMENTS, 12, 1, true };
    must(kl_control_plant_any_f64(&plant, &s, &o, &of, &err), &err);
    for (size_t i = 0; i < SEGMENTS * 2 * LANES; i++) v[i] = 0.9 * sin((double)i);
    plant.gradient(&plant, loss, grad, v);
    for (size_t i = 0; i < SEGMENTS * 2; i++) {
        memcpy(moved, v, sizeof v);
        for (size_t l = 0; l < TASKS; l++) moved[i * LANES + l] += 1e-5;
        plant.gradient(&plant, up, NULL, moved);
        for (size_t l = 0; l < TASKS; l++) moved[i * LANES + l] -= 2e-5;
        plant.gradient(&plant, down, NULL, moved);
        for (size_t l = 0; l < TASKS; l++)
            CHECK(fabs((up[l] - down[l]) / 2e-5 - grad[i * LANES + l]) < 1e-8, "lane %zu, share %zu", l,
                  i);
    }
    for (size_t l = 0; l < TASKS; l++) {
        double u[SEGMENTS * 2];
        const struct kl_control_pulse pulse = { SEGMENTS, 2, 12, u };
        struct kl_control_gradient exact = { 0 };
        for (size_t i = 0; i < SEGMENTS; i++) {
            const double a = v[2 * i * LANES + l], b = v[(2 * i + 1) * LANES + l],
                         high = s.controls[0].high;
            u[2 * i] = pair ? 0.5 * a * sqrt(1 - b * b / 2) : -0.1 + (a + 1) / 2 * (high + 0.1);
            u[2 * i + 1] = pair ? 0.5 * b * sqrt(1 - a * a / 2) : b * s.controls[1].high;
        }
        must(kl_control_propagate(&exact, &s, &o, &pulse, &tasks[l], &err), &err);
        CHECK(fabs(exact.loss - loss[l]) < 1e-13, "lane %zu: found %.15g, expected %.15g", l, loss[l],
              exact.loss);
    }
    kl_control_plant_any_close_f64(&plant), kl_control_system_free(&s), kl_control_objective_free(&o);
}

int main(void)
{
    check_qubit();
    check_pair();
    check_shares(false);
    check_shares(true);
    return failures != 0;
}
