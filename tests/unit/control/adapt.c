/* SPDX-License-Identifier: MIT
   Adaptation without copies of weights against K steps on copies, whose gradients are held against
   finite differences: all activations, the last layer alone, clipped steps, layer norms, Reptile, second
   order. Neither the number of lanes nor what stands in them changes a task's bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "control/meta/meta.h"
#include "tests/unit/check.h"

enum { LANES = 16, TASKS = 3, SEGMENTS = 5, FEATURES = 3, HIDDEN = 6 };

static const struct kl_control_net_shape plain = { FEATURES, HIDDEN,         1,    SEGMENTS, 2,
                                                   1.5,      KL_POLICY_TANH, false };
struct set {
    struct kl_control_net net;
    struct kl_control_adapt_f64 a;
    struct kl_control_plant_f64 plant;
    struct kl_arena memory;
    double *params;
    double weight[2 * LANES];
};

static void fill_lane(struct set *s, size_t lane, int task)
{
    const size_t n = s->a.n;
    s->plant.params[lane] = 0.05 + 0.04 * task, s->plant.params[n + lane] = 0.03;
    s->plant.params[2 * n + lane] = 0.01 * task, s->plant.params[3 * n + lane] = 0.4 * task - 0.3;
    s->plant.weights[lane] = 0.1, s->plant.weights[n + lane] = 0.05 * task,
    s->plant.weights[2 * n + lane] = -0.5;
    s->plant.amplitude[lane] = 1 + 0.1 * task;
    for (size_t i = 0; i < FEATURES; i++) s->a.x[i * n + lane] = sin((double)(3 * (size_t)task + i + 1));
}

static void make(struct set *s, const struct kl_control_net_shape *shape,
                 const struct kl_control_inner *inner, size_t n)
{
    const struct kl_bloch b = { .segments = SEGMENTS,
                                .controls = 2,
                                .columns = 1,
                                .affine = 1,
                                .dt = 0.2,
                                .start = { { 0, 0, 1 } } };
    struct kl_error err;
    memset(s, 0, sizeof *s);
    if (kl_arena_init(&s->memory, 0, &err) || kl_control_net_make(&s->net, shape, &err) ||
        kl_control_adapt_make_f64(&s->a, &s->net, inner, n, &s->memory, &err) ||
        kl_control_plant_make_f64(&s->plant, &b, n, 10, 1.2, 3, &s->memory, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    s->plant.constant = 0.5;
    s->params = calloc(s->net.block.size, sizeof *s->params);
    size_t count = 0;
    for (int i = 0; i < s->net.block.n; i++)
        for (size_t j = 0; j < s->net.block.tensors[i].size; j++)
            s->params[s->net.block.tensors[i].offset + j] = 0.7 * sin(1.7 * (double)++count);
    for (size_t l = 0; l < n; l++) {
        fill_lane(s, l, (int)(l % TASKS));
        s->weight[l] = l < TASKS ? 1.0 / TASKS : 0;
    }
}

static void drop(struct set *s)
{
    kl_control_net_free(&s->net), kl_arena_free(&s->memory), free(s->params);
}

static double mean_loss(struct set *s, const double *params)
{
    double sum = 0;
    kl_control_adapt_run_f64(&s->a, params, &s->plant, false);
    for (size_t t = 0; t < TASKS; t++) sum += s->a.loss[(size_t)s->a.inner.steps * s->a.n + t] / TASKS;
    return sum;
}

/* The derivative of the mean loss, before or after adaptation, along a direction. */
static void against_differences(const char *what, const struct kl_control_net_shape *shape,
                                const struct kl_control_inner *inner)
{
    const double h = 1e-4;
    struct set s;
    make(&s, shape, inner, LANES);
    double *grad = calloc(s.net.block.size, sizeof *grad),
           *moved = calloc(s.net.block.size, sizeof *moved),
           *way = calloc(s.net.block.size, sizeof *way), along = 0, f[4];
    kl_control_adapt_run_f64(&s.a, s.params, &s.plant, true);
    kl_control_adapt_meta_f64(grad, &s.a, s.params, &s.plant, s.weight);
    for (int i = 0; i < s.net.block.n; i++)
        for (size_t j = 0; j < s.net.block.tensors[i].size; j++) {
            const size_t at = s.net.block.tensors[i].offset + j;
            way[at] = cos(0.9 * (double)at), along += grad[at] * way[at];
        }
    for (int k = 0; k < 4; k++) {
        const double step = (double[]){ -2, -1, 1, 2 }[k] * h;
        for (size_t i = 0; i < s.net.block.size; i++) moved[i] = s.params[i] + step * way[i];
        f[k] = mean_loss(&s, moved);
    }
    const double wanted = (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h);
    CHECK(fabs(along - wanted) < 3e-9 * fmax(1, fabs(wanted)), "%s: found %.12g, expected %.12g", what,
          along, wanted);
    drop(&s), free(grad), free(moved), free(way);
}

/* K steps on copies of one task's parameters; the gradient at the last, or what was moved. */
static void by_copies(double *grad, struct set *s, int task, const struct kl_control_inner *inner)
{
    const size_t size = s->net.block.size;
    double *params = malloc(size * sizeof *params), weight[LANES] = { 0 };
    const int last = s->net.at[s->net.layers - 1].weight;
    memcpy(params, s->params, size * sizeof *params);
    weight[task] = 1;
    for (int k = 0; k <= inner->steps; k++) {
        double squares = 0, scale = inner->lr;
        kl_control_adapt_run_f64(&s->a, params, &s->plant, true);
        kl_control_adapt_meta_f64(grad, &s->a, params, &s->plant, weight);
        if (k == inner->steps) break;
        for (size_t i = 0; i < size; i++) squares += grad[i] * grad[i];
        if (inner->clip > 0 && sqrt(squares) > inner->clip) scale *= inner->clip / sqrt(squares);
        for (size_t i = inner->last_layer ? s->net.block.tensors[last].offset : 0; i < size; i++)
            params[i] -= scale * grad[i];
    }
    if (inner->method == KL_CONTROL_REPTILE)
        for (size_t i = 0; i < size; i++)
            grad[i] = (s->params[i] - params[i]) / (inner->lr * inner->steps);
    free(params);
}

static void against_copies(const char *what, const struct kl_control_net_shape *shape,
                           const struct kl_control_inner *inner)
{
    const struct kl_control_inner none = { .method = KL_CONTROL_UNADAPTED };
    struct set s, copies;
    make(&s, shape, inner, LANES), make(&copies, shape, &none, LANES);
    const size_t size = s.net.block.size;
    double *found = calloc(size, sizeof *found), *wanted = calloc(size, sizeof *wanted),
           *one = calloc(size, sizeof *one), apart = 0, most = 0;
    kl_control_adapt_run_f64(&s.a, s.params, &s.plant, true);
    kl_control_adapt_meta_f64(found, &s.a, s.params, &s.plant, s.weight);
    for (int t = 0; t < TASKS; t++) {
        by_copies(one, &copies, t, inner);
        for (size_t i = 0; i < size; i++) wanted[i] += one[i] / TASKS;
    }
    for (size_t i = 0; i < size; i++)
        apart = fmax(apart, fabs(found[i] - wanted[i])), most = fmax(most, fabs(wanted[i]));
    CHECK(apart < 1e-13 && most > 1e-3,
          "%s: found a gradient that is %.2g apart from that on copies, of %.2g", what, apart, most);
    drop(&s), drop(&copies), free(found), free(wanted), free(one);
}

static void check_lanes(void)
{
    const struct kl_control_inner inner = { .method = KL_CONTROL_FOMAML, .steps = 4, .lr = 0.4 };
    struct set a, b;
    make(&a, &plain, &inner, LANES), make(&b, &plain, &inner, 2 * LANES);
    for (size_t l = TASKS; l < 2 * LANES; l++) fill_lane(&b, l, (int)(l % 7));
    kl_control_adapt_run_f64(&a.a, a.params, &a.plant, true);
    kl_control_adapt_run_f64(&b.a, b.params, &b.plant, true);
    for (int k = 0; k <= 4; k++)
        CHECK(memcmp(a.a.loss + k * LANES, b.a.loss + k * 2 * LANES, TASKS * sizeof(double)) == 0,
              "step %d: other lanes change a task's loss", k);
    for (size_t i = 0; i < SEGMENTS * 2; i++)
        CHECK(memcmp(a.a.u + i * LANES, b.a.u + i * 2 * LANES, TASKS * sizeof(double)) == 0,
              "other lanes change a task's pulse");
    drop(&a), drop(&b);
}

static void check_init(void)
{
    struct kl_control_net net;
    struct kl_error err;
    const struct kl_control_net_shape shape = { 3, 32, 1, 10, 2, 2, KL_POLICY_TANH, false };
    CHECK(kl_control_net_make(&net, &shape, &err) == 0, "%s", err.text);
    double *p = calloc(net.block.size, sizeof *p), *q = calloc(net.block.size, sizeof *q),
           scratch[32 * 32];
    kl_control_net_init(p, &net, 7, 0, scratch);
    for (int l = 0; l < net.layers; l++) {
        const struct kl_tensor *t = &net.block.tensors[net.at[l].weight];
        const size_t rows = t->dims[0], columns = t->dims[1], n = rows < columns ? rows : columns;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double sum = 0;
                for (size_t k = 0; k < rows + columns - n; k++)
                    sum += rows < columns ? p[t->offset + kl_nn_tensor_index(t, i, k)] *
                                                p[t->offset + kl_nn_tensor_index(t, j, k)]
                                          : p[t->offset + kl_nn_tensor_index(t, k, i)] *
                                                p[t->offset + kl_nn_tensor_index(t, k, j)];
                CHECK(fabs(sum - (i == j) * 0.25) < 1e-12, "layer %d: product of %zu and %zu is %g", l,
                      i, j, sum);
            }
    }
    kl_control_net_init(q, &net, 7, 1, scratch);
    CHECK(memcmp(p, q, net.block.size * sizeof *p) != 0, "two replicas begin with the same network");
    kl_control_net_start(p, &net, (double[]){ 0.8, -0.2 });
    const double *bias = p + net.block.tensors[net.at[net.layers - 1].bias].offset;
    CHECK(bias[0] == 0.4 && bias[1] == -0.1 && bias[18] == 0.4, "found biases %g, %g", bias[0], bias[1]);
    kl_control_net_free(&net), free(p), free(q);
}

static void check_refusals(void)
{
    struct kl_control_net_shape shape = plain;
    struct kl_control_net net;
    struct kl_control_adapt_f64 a;
    struct kl_arena memory;
    struct kl_error err;
    shape.hidden = 0;
    CHECK(kl_control_net_make(&net, &shape, &err) == KL_EUSAGE && strstr(err.text, "hidden units"), "%s",
          err.text);
    kl_control_net_free(&net);
    CHECK(kl_arena_init(&memory, 0, &err) == 0 && kl_control_net_make(&net, &plain, &err) == 0, "%s",
          err.text);
    const struct kl_control_inner clipped = {
        .method = KL_CONTROL_MAML, .steps = 1, .lr = 1, .clip = 1
    };
    CHECK(kl_control_adapt_make_f64(&a, &net, &clipped, LANES, &memory, &err) == KL_EUSAGE,
          "second order, clipped");
    CHECK(kl_control_adapt_make_f64(&a, &net, &(struct kl_control_inner){ 0 }, 5, &memory, &err) ==
              KL_EUSAGE,
          "five lanes");
    kl_control_net_free(&net), kl_arena_free(&memory);
}

int main(void)
{
    static const char *const acts[] = { "", "tanh", "relu", "elu" };
    struct kl_control_net_shape shape = plain, normed = plain;
    normed.norm = true;
    for (int act = KL_POLICY_TANH; act <= KL_POLICY_ELU; act++) {
        shape.act = (enum kl_policy_act)act;
        const struct kl_control_inner none = { .method = KL_CONTROL_UNADAPTED },
                                      maml = { .method = KL_CONTROL_MAML, .steps = 3, .lr = 0.6 },
                                      last = { .method = KL_CONTROL_MAML,
                                               .steps = 3,
                                               .lr = 0.6,
                                               .last_layer = true },
                                      first = { .method = KL_CONTROL_FOMAML, .steps = 7, .lr = 0.3 };
        against_differences(acts[act], &shape, &none);
        against_differences(acts[act], &shape, &maml);
        against_differences(acts[act], &shape, &last);
        against_copies(acts[act], &shape, &first);
    }
    struct kl_control_inner inner = {
        .method = KL_CONTROL_FOMAML, .steps = 4, .lr = 0.5, .last_layer = true
    };
    against_copies("the last layer", &plain, &inner);
    inner.method = KL_CONTROL_REPTILE;
    against_copies("Reptile of the last layer", &plain, &inner);
    inner.last_layer = false;
    against_copies("Reptile", &plain, &inner);
    inner.clip = 0.05;
    against_copies("clipped Reptile", &plain, &inner);
    inner.method = KL_CONTROL_FOMAML;
    against_copies("clipped", &plain, &inner);
    inner.clip = 0;
    against_differences("norms", &normed, &(struct kl_control_inner){ .method = KL_CONTROL_UNADAPTED });
    against_copies("norms", &normed, &inner);
    inner.clip = 0.05;
    against_copies("norms, clipped", &normed, &inner);
    inner.method = KL_CONTROL_REPTILE;
    against_copies("norms, Reptile", &normed, &inner);
    check_lanes();
    check_init();
    check_refusals();
    return failures != 0;
}
