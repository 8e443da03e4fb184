/* SPDX-License-Identifier: MIT
   A meta-iteration on one thread, with Adam: FOMAML of the study's PSD network (32 tasks, K 5, 60
   segments, 49,016 parameters) and of the guide's fast one (16 tasks, 20 segments, 38,696), in float and
   double; MAML of the first; and of its CZ experiment. Median of rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta.h"
#include "warm.h"

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

enum { ROUNDS = 9 };
struct work {
    const char *name;
    int segments, tasks;
    double scale;
    enum kl_control_meta_method method;
};

#define BENCH(real, p)                                                                           \
    static double seconds_##p(const struct work *w, int iterations)                              \
    {                                                                                            \
        const struct kl_control_net_shape shape = {                                              \
            3, 128, 2, w->segments, 2, w->scale, KL_POLICY_TANH, false                           \
        };                                                                                       \
        const struct kl_control_inner inner = { .method = w->method, .steps = 5, .lr = 0.01 };   \
        const size_t n = (size_t)w->tasks;                                                       \
        struct kl_bloch b = { .segments = w->segments,                                           \
                              .controls = 2,                                                     \
                              .columns = 1,                                                      \
                              .affine = 1,                                                       \
                              .dt = 1.0 / w->segments,                                           \
                              .start = { { 0, 0, 1 } } };                                        \
        struct kl_control_net net;                                                               \
        struct kl_control_adapt_##p a;                                                           \
        struct kl_control_plant_##p plant;                                                       \
        struct kl_arena memory;                                                                  \
        struct kl_error err;                                                                     \
        struct kl_optimizer o;                                                                   \
        double rounds[ROUNDS];                                                                   \
        uint64_t step = 0;                                                                       \
        kl_nn_optimizer_default(&o);                                                             \
        o.clip = 1;                                                                              \
        must(kl_arena_init(&memory, 0, &err), &err);                                             \
        must(kl_control_net_make(&net, &shape, &err), &err);                                     \
        must(kl_control_adapt_make_##p(&a, &net, &inner, n, &memory, &err), &err);               \
        must(kl_control_plant_make_##p(&plant, &b, n, 10, 1, 1, &memory, &err), &err);           \
        const size_t size = net.block.size * sizeof(real);                                       \
        real *params = kl_arena_take(&memory, 1, size), *m = kl_arena_take(&memory, 1, size),    \
             *v = kl_arena_take(&memory, 1, size), *grad = kl_arena_take(&memory, 1, size),      \
             *weight = kl_arena_take(&memory, n, sizeof(real));                                  \
        double *first = calloc(net.block.size, sizeof *first),                                   \
               *scratch = calloc(kl_control_net_scratch(&net), sizeof *scratch);                 \
        kl_control_net_init(first, &net, 1, 0, scratch);                                         \
        kl_control_net_start(first, &net, (double[]){ 1, 0 });                                   \
        for (size_t i = 0; i < net.block.size; i++) params[i] = (real)first[i], m[i] = v[i] = 0; \
        plant.constant = 0.5;                                                                    \
        memset(plant.params, 0, KL_BLOCH_PARAMS *n * sizeof(real));                              \
        for (size_t t = 0; t < n; t++) {                                                         \
            plant.params[t] = (real)(0.02 + 0.13 * (double)t / (double)n);                       \
            plant.params[n + t] = (real)(0.08 - 0.07 * (double)t / (double)n);                   \
            plant.params[KL_BLOCH_DETUNING * n + t] = (real)0.1;                                 \
            plant.weights[t] = plant.weights[n + t] = 0, plant.weights[2 * n + t] = (real)-0.5;  \
            plant.amplitude[t] = 1, weight[t] = 1 / (real)n;                                     \
            for (size_t i = 0; i < 3; i++) a.x[i * n + t] = (real)sin((double)(3 * t + i));      \
        }                                                                                        \
        for (int r = 0; r < ROUNDS; r++) {                                                       \
            const double start = kl_clock();                                                     \
            for (int i = 0; i < iterations; i++) {                                               \
                struct kl_update update = kl_nn_update_at(&o, 1e-3, ++step);                     \
                kl_control_adapt_run_##p(&a, params, &plant, true);                              \
                kl_control_adapt_meta_##p(grad, &a, params, &plant, weight);                     \
                kl_nn_update_clip_##p(&update, &o, grad, net.block.size);                        \
                kl_nn_update_apply_##p(params, m, v, grad, net.block.size, &update);             \
            }                                                                                    \
            rounds[r] = (kl_clock() - start) / iterations;                                       \
        }                                                                                        \
        kl_control_net_free(&net), kl_arena_free(&memory), free(first), free(scratch);           \
        return median(rounds, ROUNDS);                                                           \
    }
BENCH(float, f32)
BENCH(double, f64)

/* The study's CZ experiment: 4 tasks, K 3, inner gradients clipped, 313,268 parameters with layer norms,
   AdamW; float. */
static double seconds_cz(int iterations)
{
    enum { TASKS = 4, LANES = 16 };
    const struct kl_control_net_shape shape = { 4, 256, 4, 30, 6, M_PI, KL_POLICY_TANH, true };
    const struct kl_control_inner inner = {
        .method = KL_CONTROL_FOMAML, .steps = 3, .lr = 0.05, .clip = 1
    };
    struct kl_control_system system;
    struct kl_control_target target;
    struct kl_control_objective objective;
    struct kl_control_task tasks[TASKS];
    struct kl_control_net net;
    struct kl_control_adapt_f32 a;
    struct kl_control_plant_f32 plant;
    struct kl_arena memory;
    struct kl_error err;
    struct kl_optimizer o;
    float weight[LANES] = { 0.25f, 0.25f, 0.25f, 0.25f };
    double rounds[ROUNDS];
    uint64_t step = 0;
    kl_nn_optimizer_default(&o);
    o.kind = KL_ADAMW, o.weight_decay = 1e-4, o.clip = 1;
    must(kl_control_system_make(&system, "two-qubits", NULL, &err), &err);
    must(kl_control_target_gate(&target, "cz", 4, &err), &err);
    must(kl_control_objective_make(&objective, &system, KL_CONTROL_STATES, &target, &err), &err);
    for (int t = 0; t < TASKS; t++) {
        kl_control_task_default(&tasks[t], &system);
        for (int j = 0; j < 6; j++) tasks[t].params[j] = 0.01 * (t + j + 1);
    }
    const struct kl_control_any of = { tasks, TASKS, LANES, 30, M_PI / 8, M_PI, false };
    must(kl_arena_init(&memory, 0, &err), &err);
    must(kl_control_net_make(&net, &shape, &err), &err);
    must(kl_control_adapt_make_f32(&a, &net, &inner, LANES, &memory, &err), &err);
    must(kl_control_plant_any_f32(&plant, &system, &objective, &of, &err), &err);
    const size_t size = net.block.size * sizeof(float);
    float *params = kl_arena_take(&memory, 1, size), *m = kl_arena_take(&memory, 1, size),
          *v = kl_arena_take(&memory, 1, size), *grad = kl_arena_take(&memory, 1, size);
    double *first = calloc(net.block.size, sizeof *first),
           *scratch = calloc(kl_control_net_scratch(&net), sizeof *scratch);
    kl_control_net_init(first, &net, 1, 0, scratch);
    for (size_t i = 0; i < net.block.size; i++) params[i] = (float)first[i], m[i] = v[i] = 0;
    for (size_t i = 0; i < 4 * LANES; i++) a.x[i] = (float)sin((double)i);
    for (int r = 0; r < ROUNDS; r++) {
        const double start = kl_clock();
        for (int i = 0; i < iterations; i++) {
            struct kl_update update = kl_nn_update_at(&o, 1e-3, ++step);
            kl_control_adapt_run_f32(&a, params, &plant, true);
            kl_control_adapt_meta_f32(grad, &a, params, &plant, weight);
            kl_nn_update_clip_f32(&update, &o, grad, net.block.size);
            kl_nn_update_apply_f32(params, m, v, grad, net.block.size, &update);
        }
        rounds[r] = (kl_clock() - start) / iterations;
    }
    kl_control_plant_any_close_f32(&plant), kl_control_objective_free(&objective);
    kl_control_system_free(&system), kl_control_net_free(&net), kl_arena_free(&memory);
    free(first), free(scratch);
    return median(rounds, ROUNDS);
}

int main(int argc, char **argv)
{
    const int iterations = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 20 : 200;
    const struct work fast = { "guide", 20, 16, 2, KL_CONTROL_FOMAML },
                      psd = { "psd", 60, 32, 1, KL_CONTROL_FOMAML },
                      second = { "maml", 60, 32, 1, KL_CONTROL_MAML };
    printf("bench control-meta-psd/ketline %.6g s\n", seconds_f32(&psd, iterations));
    printf("bench control-meta-psd-double/ketline %.6g s\n", seconds_f64(&psd, iterations));
    printf("bench control-meta-guide/ketline %.6g s\n", seconds_f32(&fast, iterations));
    printf("bench control-meta-guide-double/ketline %.6g s\n", seconds_f64(&fast, iterations));
    printf("bench control-meta-second-order/ketline %.6g s\n", seconds_f32(&second, iterations / 4 + 1));
    printf("bench control-meta-cz/ketline %.6g s\n", seconds_cz(iterations / 4 + 1));
    return 0;
}
