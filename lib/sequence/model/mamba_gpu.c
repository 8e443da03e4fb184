/* SPDX-License-Identifier: MIT
   Quantum Mamba's nets on a GPU. Their circuits as rotations about strings: a controlled rotation by an
   angle is one by half of it and one, with Z of the control, by less half of it; CNOT is, but for a
   phase, those about Z, X by -pi/2 and about both by pi/2. What Mamba and Lite leave to the CPU. */
#include <math.h>
#include <string.h>

#include "sequence/model/mamba_int.h"

static uint32_t bit_of(int wire, int n)
{
    return 1u << (n - 1 - wire);
}

void kl_sequence_ssm_b_rotations(struct kl_cuda_rotation *to, int n, int layers)
{
    const int32_t shared = 4 * n * layers;
    for (int l = 0; l < layers; l++)
        for (int block = 0; block < 7; block++)
            for (int w = 0; w < n; w++) {
                enum { RY, XX, RY_B, RY_AGAIN, YY, RZ, RX };
                const uint32_t one = 1u << (n - 1 - w), two = one | 1u << (n - 1 - (w + 1) % n);
                const int32_t own = 4 * n * l + w;
                *to++ = block == RY         ? (struct kl_cuda_rotation){ one, one, own }
                        : block == XX       ? (struct kl_cuda_rotation){ two, 0, own + n }
                        : block == RY_B     ? (struct kl_cuda_rotation){ one, one, shared + w }
                        : block == RY_AGAIN ? (struct kl_cuda_rotation){ one, one, own + 2 * n }
                        : block == YY       ? (struct kl_cuda_rotation){ two, two, own + 3 * n }
                        : block == RZ       ? (struct kl_cuda_rotation){ 0, one, shared + n + w }
                                            : (struct kl_cuda_rotation){ one, 0, shared + 2 * n + w };
            }
}

/* ---- SSM_A and GATE_A ---- */
struct kl_sequence_ssm_angles kl_sequence_ssm_angles(int n, int layers)
{
    struct kl_sequence_ssm_angles a = { .p = 0, .less = layers * (4 * n - 1) };
    a.b = a.less + layers * (n - 1);
    a.c = a.b + n, a.gate = a.c + n, a.quarter = a.gate + n, a.end = a.quarter + 2;
    return a;
}

size_t kl_sequence_ssm_n_rotations(int n, int layers, size_t *gate)
{
    *gate = (size_t)n + 3 * (size_t)(n - 1);
    return (size_t)layers * (size_t)(5 * n + 2 * (n - 1)) + *gate;
}

void kl_sequence_ssm_rotations(struct kl_cuda_rotation *to, int n, int layers, int first)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
#define TURN(x, z, angle)             \
    *to++ = (struct kl_cuda_rotation) \
    {                                 \
        x, z, first + (angle)         \
    }
    for (int l = 0; l < layers; l++) {
        const int p = a.p + l * (4 * n - 1);
        for (int q = 0; q < n; q++) {
            TURN(bit_of(q, n), bit_of(q, n), p + 2 * q);
            TURN(0, bit_of(q, n), p + 2 * q + 1);
        }
        for (int i = 0; i + 1 < n; i++) {
            TURN(bit_of(i + 1, n), 0, p + 2 * n + i);
            TURN(bit_of(i + 1, n), bit_of(i, n), a.less + l * (n - 1) + i);
        }
        for (int q = 0; q < n; q++) TURN(bit_of(q, n), bit_of(q, n), a.b + q);
        for (int q = 0; q < n; q++) TURN(bit_of(q, n), 0, p + 3 * n - 1 + q);
        for (int q = 0; q < n; q++) TURN(0, bit_of(q, n), a.c + q);
    }
    for (int q = 0; q < n; q++) TURN(bit_of(q, n), bit_of(q, n), a.gate + q);
    for (int i = 0; i + 1 < n; i++) {
        TURN(0, bit_of(i, n), a.quarter + 1);
        TURN(bit_of(i + 1, n), 0, a.quarter + 1);
        TURN(bit_of(i + 1, n), bit_of(i, n), a.quarter);
    }
#undef TURN
}

/* Is angle i of p a control's? Of layer l, after 2 n of RY and RZ. */
static int control_of(int i, int n)
{
    const int at = i % (4 * n - 1) - 2 * n;
    return at >= 0 && at < n - 1 ? at : -1;
}

void kl_sequence_ssm_give(float *angles, int n, int layers, const float *p, const float *b,
                          const float *c, const float *gate)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
    for (int i = 0; i < a.less; i++) {
        const int control = control_of(i, n);
        angles[a.p + i] = control < 0 ? p[i] : p[i] / 2;
        if (control >= 0) angles[a.less + i / (4 * n - 1) * (n - 1) + control] = -p[i] / 2;
    }
    for (int q = 0; q < n; q++) angles[a.b + q] = b[q], angles[a.c + q] = c[q];
    for (int q = 0; q < n; q++) angles[a.gate + q] = gate[q];
    angles[a.quarter] = (float)M_PI_2, angles[a.quarter + 1] = (float)-M_PI_2;
}

void kl_sequence_ssm_given(float *dp, float *db, float *dc, float *dgate, int n, int layers,
                           const float *by_angles)
{
    const struct kl_sequence_ssm_angles a = kl_sequence_ssm_angles(n, layers);
    for (int i = 0; i < a.less; i++) {
        const int control = control_of(i, n);
        dp[i] = by_angles[a.p + i];
        if (control >= 0) dp[i] = (dp[i] - by_angles[a.less + i / (4 * n - 1) * (n - 1) + control]) / 2;
    }
    for (int q = 0; q < n; q++) db[q] = by_angles[a.b + q], dc[q] = by_angles[a.c + q];
    for (int q = 0; q < n; q++) dgate[q] = by_angles[a.gate + q];
}

/* ---- Mamba and Lite ---- */
/* At the head of its work; what it points to is behind it: that of a run, then a gradient, into which
   the read-out adds. */
struct on_gpu {
    struct kl_mamba_run u;
    struct kl_mamba_lite e; /* of Lite */
    double whole;
    kl_real *grad;
    struct kl_sequence_result_f32 result;
};
enum { HEAD = (sizeof(struct on_gpu) + 63) / 64 * 64 };

static void gpu_sizes(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net)
{
    const int n = net->options.qubits, layers = net->options.layers;
    size_t gate;
    kl_sequence_windows_shape(shape, net);
    shape->kind = KL_CUDA_WINDOW_EMBEDDED;
    shape->n_rotations = (int32_t)kl_sequence_ssm_n_rotations(n, layers, &gate);
    shape->n_angles = 1 << n, shape->n_shared = kl_sequence_ssm_angles(n, layers).end;
    shape->n_gate = (int32_t)gate, shape->n_weights = 2;
    if (net->model == &kl_sequence_mamba_lite) return;
    shape->n_weights = 1, shape->threshold = 0; /* which acts on what comes back */
    shape->filters = shape->channels, shape->apart = 1;
}

static int gpu_shape(struct kl_cuda_windows_shape *shape, const struct kl_sequence_net *net,
                     struct kl_arena *memory, struct kl_error *err)
{
    gpu_sizes(shape, net);
    struct kl_cuda_rotation *to = kl_arena_take(memory, (size_t)shape->n_rotations, sizeof *to);
    if (!to) return kl_fail_memory(err, (size_t)shape->n_rotations * sizeof *to);
    kl_sequence_ssm_rotations(to, net->options.qubits, net->options.layers, shape->n_angles);
    shape->rotations = to;
    return KL_OK;
}

static size_t gpu_work(const struct kl_sequence_net *net)
{
    return HEAD + kl_sequence_mamba_work_f32(net, 0) + net->block.size * sizeof(float);
}

static void gpu_prepare(float *given, void *work, const struct kl_sequence_net *net, const float *params)
{
    struct kl_cuda_windows_shape shape;
    struct on_gpu *g = work;
    struct kl_mamba_run *u = &g->u;
    gpu_sizes(&shape, net);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    memset(g, 0, sizeof *g);
    u->a = kl_sequence_mamba_sizes(net, sizeof(kl_real)), u->net = net, u->params = params;
    g->grad = (kl_real *)(void *)((char *)work + HEAD) +
              kl_sequence_mamba_lay_out(u, (kl_real *)(void *)((char *)work + HEAD));
    u->result = &g->result, g->result.grad = g->grad;
    kl_sequence_mamba_prepare(u);
    if (u->a.lite) g->whole = kl_sequence_mamba_lite_begin(u, &g->e);
    else u->time[0] = 1;
    const size_t N = u->a.N, F = u->a.features, T = kl_cuda_windows_lengths(&shape),
                 size = sizeof *given;
    memcpy(given + at.map, u->map, N * u->a.inputs * size), memcpy(given + at.shift, u->bias, N * size);
    kl_sequence_ssm_give(
        given + at.shared, u->a.n, u->a.layers, kl_sequence_mamba_of_layer(u, KL_MAMBA_P),
        kl_sequence_mamba_of_layer(u, KL_MAMBA_B), kl_sequence_mamba_of_layer(u, KL_MAMBA_C),
        kl_sequence_mamba_of_layer(u, KL_MAMBA_GATE));
    for (size_t part = 0; part < (size_t)shape.n_weights; part++)
        memcpy(given + at.weights + part * T, u->time + part * u->a.ld, T * size);
    memcpy(given + at.gain, kl_sequence_mamba_of_layer(u, KL_MAMBA_NORM), N * size);
    memcpy(given + at.bias, kl_sequence_mamba_of_layer(u, KL_MAMBA_NORM_BIAS), N * size);
    memcpy(given + at.factors, u->factor, sizeof u->factor);
    memcpy(given + at.skip, kl_sequence_mamba_of_layer(u, KL_MAMBA_SKIP), (size_t)u->a.n * size);
    memcpy(given + at.hidden, u->hidden, F * F * size);
    memcpy(given + at.hidden_bias, kl_sequence_mamba_of_layer(u, KL_MAMBA_HIDDEN_BIAS), F * size);
    if (u->a.lite) return;
    memcpy(given + at.conv, kl_sequence_mamba_tensor(u, KL_MAMBA_CONV), (at.conv_bias - at.conv) * size);
    memcpy(given + at.conv_bias, kl_sequence_mamba_tensor(u, KL_MAMBA_CONV_BIAS),
           (at.end - at.conv_bias) * size);
}

/* Of a window whose hidden values are ht; dht, or NULL. */
static void gpu_head(struct kl_mamba_run *u, float *dht, const float *hidden, size_t i)
{
    const size_t F = u->a.features, at = (u->batch->row + i) * F;
    memcpy(u->ht, hidden, F * sizeof *hidden);
    kl_sequence_mamba_drop(u, u->ht, KL_MAMBA_AT_HIDDEN, at, F);
    kl_sequence_mamba_head(u, dht, u->ht, i);
    if (dht) kl_sequence_mamba_drop(u, dht, KL_MAMBA_AT_HIDDEN, at, F);
}

static void gpu_read(struct kl_sequence_result_f32 *result, float *by_sum, void *work,
                     const struct kl_sequence_net *net, const float *sum,
                     const struct kl_sequence_batch_f32 *batch)
{
    struct on_gpu *g = work;
    struct kl_mamba_run *u = &g->u;
    const size_t n = (u->a.lite ? 2 : 1) * u->a.features;
    (void)net;
    g->result =
        (struct kl_sequence_result_f32){ .logits = result->logits, .grad = by_sum ? g->grad : NULL };
    u->batch = batch;
    for (size_t i = 0; i < batch->n; i++) {
        float *const to = by_sum ? by_sum + i * n : NULL;
        if (!u->a.lite) {
            gpu_head(u, to, sum + i * n, i);
            continue;
        }
        memcpy(g->e.H, sum + i * n, n * sizeof *sum);
        kl_sequence_mamba_lite_head(u, &g->e, i);
        if (!to) continue;
        kl_sequence_mamba_lite_head_back(u, &g->e);
        memcpy(to, g->e.gH, n * sizeof *to);
    }
    result->loss = g->result.loss, result->correct = g->result.correct;
}

static void gpu_finish(float *grad, void *work, const struct kl_sequence_net *net, const float *params,
                       const float *by_given)
{
    struct kl_cuda_windows_shape shape;
    struct on_gpu *g = work;
    struct kl_mamba_run *u = &g->u;
    const size_t N = u->a.N, F = u->a.features, T = net->shape.steps, size = sizeof *grad;
    gpu_sizes(&shape, net);
    const struct kl_cuda_windows_places at = kl_cuda_windows_places(&shape);
    u->params = params;
    memcpy(u->G, by_given + at.map, N * u->a.inputs * size), memcpy(u->g, by_given + at.shift, N * size);
    memcpy(u->dhidden, by_given + at.hidden, F * F * size);
    memcpy(kl_sequence_mamba_layer_gradient(u, KL_MAMBA_HIDDEN_BIAS), by_given + at.hidden_bias,
           F * size);
    for (size_t i = 0; i < 6 + (size_t)u->a.n; i++)
        u->mix_sums[i * KL_MAMBA_GROUP] = by_given[at.factors + i];
    for (size_t k = 0; k < 2 * N; k++) u->norm_sums[k * KL_MAMBA_GROUP] = by_given[at.gain + k];
    for (size_t part = 0; u->a.lite && part < 2; part++)
        memcpy(u->dtime + part * u->a.ld, by_given + at.weights + part * T, T * size);
    if (u->a.lite) kl_sequence_mamba_lite_end(u, &g->e, g->whole);
    kl_sequence_mamba_finish(u);
    if (!net->options.frozen)
        kl_sequence_ssm_given(kl_sequence_mamba_layer_gradient(u, KL_MAMBA_P),
                              kl_sequence_mamba_layer_gradient(u, KL_MAMBA_B),
                              kl_sequence_mamba_layer_gradient(u, KL_MAMBA_C),
                              kl_sequence_mamba_layer_gradient(u, KL_MAMBA_GATE), u->a.n, u->a.layers,
                              by_given + at.shared);
    if (!u->a.lite && !net->options.frozen) {
        memcpy(kl_sequence_mamba_gradient(u, KL_MAMBA_CONV), by_given + at.conv,
               (at.conv_bias - at.conv) * size);
        memcpy(kl_sequence_mamba_gradient(u, KL_MAMBA_CONV_BIAS), by_given + at.conv_bias,
               (at.end - at.conv_bias) * size);
    }
    for (int t = 0; t < net->block.n; t++)
        memcpy(grad + net->block.tensors[t].offset, kl_sequence_mamba_gradient(u, t),
               net->block.tensors[t].size * size);
}

const struct kl_sequence_gpu kl_sequence_mamba_gpu = { gpu_shape, gpu_work, gpu_prepare, gpu_read,
                                                       gpu_finish };
