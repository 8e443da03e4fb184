/* SPDX-License-Identifier: MIT
   How fast the machine is: products, circuits, convolutions, normal numbers. */
#include "doctor/doctor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "kernels/conv.h"
#include "kernels/gemm.h"
#include "kernels/langevin.h"

static double doctor_rates_race(void (*work)(void *, size_t), void *context, struct kl_pool *pool,
                                double seconds);
static void doctor_rates_fill(float *values, size_t n, float step);

enum { BATCH = 64, LAYERS = 3 };

struct work {
    const struct kl_circuit *c;
    struct kl_arena arena;
    float *x, *w, *out, *cot, *dx, *dw, *state;
    int code;
};

static void step(void *context, size_t thread)
{
    struct work *k = (struct work *)context + thread;
    if (k->code) return;
    kl_arena_reset(&k->arena);
    memset(k->dw, 0, k->c->n_weights * sizeof *k->dw);
    k->code = kl_circuit_forward_f32(k->out, k->state, k->c, k->x, k->w, BATCH, NULL, &k->arena, NULL);
    if (!k->code)
        k->code = kl_circuit_adjoint_f32(k->dx, k->dw, k->state, k->c, k->x, k->w, k->cot, BATCH, NULL,
                                         &k->arena, NULL);
}

static int make_work(struct work *k, const struct kl_circuit *c, struct kl_error *err)
{
    const size_t in = BATCH * c->n_inputs, out = BATCH * c->n_obs, weights = c->n_weights,
                 state = kl_circuit_state_size(c, BATCH);
    const size_t all = 2 * in + 2 * out + 2 * weights + state + 8 * 16;
    *k = (struct work){ .c = c };
    int code = kl_arena_init(&k->arena, 0, err);
    if (code) return code;
    if (!(k->x = calloc(all, sizeof *k->x))) return kl_fail_memory(err, all * sizeof *k->x);
    k->w = k->x + (in + 15) / 16 * 16;
    k->out = k->w + (weights + 15) / 16 * 16;
    k->cot = k->out + (out + 15) / 16 * 16;
    k->dx = k->cot + (out + 15) / 16 * 16;
    k->dw = k->dx + (in + 15) / 16 * 16;
    k->state = k->dw + (weights + 15) / 16 * 16;
    doctor_rates_fill(k->cot, out, 0.11f);
    return KL_OK;
}

/* Without angles every qubit stays in |0>: all expectation values are 1, their gradients 0. */
static bool is_right(const struct work *k)
{
    for (size_t i = 0; i < BATCH * k->c->n_obs; i++)
        if (!(fabsf(k->out[i] - 1) < 1e-5f)) return false;
    for (size_t i = 0; i < k->c->n_weights; i++)
        if (!(fabsf(k->dw[i]) < 1e-4f)) return false;
    return true;
}

/* Multiplications and additions that are carried out, as tests/bench/circuit.c counts them. */
static double operations(int n_qubits)
{
    const double rotations = n_qubits * (LAYERS - 1), amplitudes = ldexp(1, n_qubits);
    return amplitudes * (rotations * (6 + 16) / 2 + 16);
}

static int measure(struct kl_rates *rates, int i, struct work *works, size_t threads,
                   struct kl_pool *pool, struct kl_error *err)
{
    step(works, 0);
    if (!works->code && !is_right(works))
        snprintf(rates->problem, sizeof rates->problem, "circuits of %d qubits give wrong numbers",
                 kl_rates_qubits[i]);
    for (size_t t = 0; t < threads; t++) {
        doctor_rates_fill(works[t].x, BATCH * works[t].c->n_inputs, 0.7f);
        doctor_rates_fill(works[t].w, works[t].c->n_weights, 0.3f);
    }
    rates->circuit[i] = BATCH * doctor_rates_race(step, works, pool, 0.25);
    rates->circuit_share[i] = rates->circuit[i] * operations(kl_rates_qubits[i]) / rates->peak;
    for (size_t t = 0; t < threads; t++)
        if (works[t].code) return kl_fail(err, works[t].code, "no memory for the circuits' scratch");
    return KL_OK;
}

/* i: of kl_rates_qubits */
static int doctor_rates_circuit(struct kl_rates *rates, int i, struct kl_pool *pool,
                                struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    struct kl_circuit_options options;
    struct kl_circuit *c = NULL;
    kl_circuit_options_default(&options);
    options.n_qubits = kl_rates_qubits[i];
    options.n_layers = LAYERS;
    struct work *works = calloc(threads, sizeof *works);
    int code =
        works ? kl_circuit_build(&c, &options, err) : kl_fail_memory(err, threads * sizeof *works);
    for (size_t t = 0; !code && t < threads; t++) code = make_work(&works[t], c, err);
    if (!code) code = measure(rates, i, works, threads, pool, err);
    for (size_t t = 0; works && t < threads; t++) {
        free(works[t].x);
        kl_arena_free(&works[t].arena);
    }
    free(works);
    kl_circuit_free(&c);
    return code;
}

/* ---- rates convolution ----
   A 3x3 convolution as extract-features does it: Winograd's points, a product a point, back. */

enum {
    MAP_SIDE = 8,
    CHANNELS = 128,
    IMAGES = 16,
    PIXELS = MAP_SIDE * MAP_SIDE * IMAGES,
    TILES = 4,
    COLUMNS = TILES * IMAGES,
    POINTS = 36,
    MAP = CHANNELS * PIXELS,
    STEP = CHANNELS * COLUMNS +
           16, /* apart, so that the points' columns fall into different sets of a cache */
};

struct layer {
    float *in, *out, *weights, *before, *after; /* maps; (points, panels); (points, STEP) */
};

static void convolve(void *context, size_t thread)
{
    const struct layer *l = (const struct layer *)context + thread;
    const struct kl_conv *conv = kl_kernel_conv_f32();
    const struct kl_conv_map size = { MAP_SIDE, MAP_SIDE, IMAGES };
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t t = 0; t < TILES; t++)
            conv->in(l->before + c * COLUMNS + t * IMAGES, STEP, l->in + c * PIXELS, size, t / 2 * 4,
                     t % 2 * 4, KL_CONV_4);
    for (size_t p = 0; p < POINTS; p++)
        conv->product(l->after + p * STEP, COLUMNS,
                      l->weights + p * kl_conv_panels_size(CHANNELS, CHANNELS), l->before + p * STEP,
                      COLUMNS, CHANNELS, COLUMNS, CHANNELS, false);
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t t = 0; t < TILES; t++)
            conv->out(l->out + c * PIXELS, l->after + c * COLUMNS + t * IMAGES, STEP, 0, NULL, size,
                      t / 2 * 4, t % 2 * 4, KL_CONV_4, true);
}

/* Every channel's own centre tap is 1, all else 0: at a point, the outer product of what a dimension's
   middle tap becomes (Lavin & Gray 2015, arXiv:1509.09308, the matrix G of F(4x4,3x3)). */
static void set_weights(struct layer *l)
{
    static const float middle[6] = { 0, -1.0f / 6, 1.0f / 6, 1.0f / 12, -1.0f / 12, 0 };
    for (size_t p = 0; p < POINTS; p++)
        for (size_t row = 0; row < CHANNELS; row++)
            l->weights[p * kl_conv_panels_size(CHANNELS, CHANNELS) +
                       kl_conv_panels_at(row, row, CHANNELS)] = middle[p / 6] * middle[p % 6];
}

/* Such a layer is ReLU alone. */
static bool is_right_product(const struct layer *l)
{
    for (size_t i = 0; i < MAP; i += 61)
        if (!(fabsf(l->out[i] - fmaxf(l->in[i], 0)) < 1e-3f)) return false;
    return true;
}

static int make_layer(struct layer *l, struct kl_error *err)
{
    const size_t weights = POINTS * kl_conv_panels_size(CHANNELS, CHANNELS);
    const size_t all = 2 * MAP + weights + 2 * POINTS * STEP;
    float *values = aligned_alloc(64, (all * sizeof *values + 63) / 64 * 64);
    if (!values) return kl_fail_memory(err, all * sizeof *values);
    *l = (struct layer){ values, values + MAP, values + 2 * MAP, NULL, NULL };
    l->before = l->weights + weights;
    l->after = l->before + POINTS * STEP;
    for (size_t i = 0; i < all; i++) values[i] = 0;
    doctor_rates_fill(l->in, MAP, 0.13f);
    set_weights(l);
    return KL_OK;
}

static int doctor_rates_convolution(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    struct layer *layers = calloc(threads, sizeof *layers);
    int code = layers ? KL_OK : kl_fail_memory(err, threads * sizeof *layers);
    for (size_t i = 0; !code && i < threads; i++) code = make_layer(&layers[i], err);
    if (!code) {
        const double plain = 2.0 * 9 * CHANNELS * CHANNELS * PIXELS;
        rates->convolution = plain * doctor_rates_race(convolve, layers, pool, 0.3);
        if (!is_right_product(&layers[threads - 1]))
            snprintf(rates->problem, sizeof rates->problem, "convolutions (%s) give wrong numbers",
                     kl_isa_name(kl_isa()));
    }
    for (size_t i = 0; layers && i < threads; i++) free(layers[i].in);
    free(layers);
    return code;
}

/* ---- Normal numbers as Langevin steps draw them, and what sampling with them comes to ---- */

enum { N = 1 << 14 }; /* a thread: they stay in its cache */

static void draw(void *context, size_t thread)
{
    const struct kl_langevin_stream stream = { .key = thread + 1 };
    kl_kernel_langevin_normals_f32()((float *)context + thread * N, 0, N, &stream);
}

/* Mean, variance and fourth moment within six standard errors of those of the normal law. */
static bool normals_are_right(const float *x)
{
    double mean = 0, square = 0, fourth = 0;
    for (size_t i = 0; i < N; i++) {
        const double s = (double)x[i] * (double)x[i];
        mean += x[i], square += s, fourth += s * s;
    }
    const double root = sqrt((double)N);
    return fabs(mean / N) < 6 / root && fabs(square / N - 1) < 6 * sqrt(2.) / root &&
           fabs(fourth / N - 3) < 6 * sqrt(96.) / root;
}

/* sin(step), sin(2 step), ... */
static int doctor_rates_langevin(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    float *values = malloc(threads * N * sizeof *values);
    if (!values) return kl_fail_memory(err, threads * N * sizeof *values);
    rates->normals = N * doctor_rates_race(draw, values, pool, 0.2);
    for (size_t t = 0; t < threads; t++)
        if (!normals_are_right(values + t * N))
            snprintf(rates->problem, sizeof rates->problem,
                     "normal numbers (%s) do not follow their law", kl_isa_name(kl_isa()));
    free(values);
    return KL_OK;
}

/* A chain keeps its weights; each thread beside it a gradient, a proposal and the proposal's gradient.
   Half of the memory is left to records and activations. */
double kl_doctor_chains(const struct kl_memory *memory, int threads)
{
    const double weights = 4.0 * (784 * 1000 + 1000 + 1000 * 1000 + 1000 + 1000 + 1);
    double room = (double)memory->available;
    if (memory->limit && (double)memory->limit < room) room = (double)memory->limit;
    return fmax(0, floor((room / 2 - 3 * threads * weights) / weights));
}

/* ---- rates ----
   A benchmark of two seconds: what the machine could do, and what circuits, products and convolutions
   reach. Every thread works on data of its own; a rate is that of the best of several rounds. */

const int kl_rates_qubits[2] = { 4, 10 };
enum { SIDE = 256, DEPTH = 512 }; /* of the product: (SIDE, DEPTH) times (DEPTH, SIDE) */

struct race {
    void (*work)(void *context, size_t thread);
    void *context;
};

static void run_one(void *context, size_t i, int thread)
{
    const struct race *race = context;
    (void)thread;
    race->work(race->context, i);
}

/* work(context, i) on all threads at once, i the thread, again and again: pieces of work a second. */
static double doctor_rates_race(void (*work)(void *, size_t), void *context, struct kl_pool *pool,
                                double seconds)
{
    struct race race = { work, context };
    const size_t threads = (size_t)kl_pool_size(pool);
    double best = 1e9, begun = kl_clock();
    for (int round = 0; round < 3 || kl_clock() - begun < seconds; round++) {
        const double start = kl_clock();
        kl_pool_for(pool, threads, run_one, &race);
        const double time = kl_clock() - start;
        if (round && time < best) best = time; /* the first one warms up */
    }
    return (double)threads / best;
}

static void doctor_rates_fill(float *values, size_t n, float step)
{
    for (size_t i = 0; i < n; i++) values[i] = sinf(step * (float)(i + 1));
}

/* ---- peak ---- */

static void find_peak(void *context, size_t thread)
{
    double *peaks = context;
    peaks[thread] = kl_device_peak_gflops(kl_isa_name(kl_isa()));
}

static int peak(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool);
    double *peaks = calloc(threads, sizeof *peaks);
    if (!peaks) return kl_fail_memory(err, threads * sizeof *peaks);
    struct race race = { find_peak, peaks };
    kl_pool_for(pool, threads, run_one, &race);
    for (size_t i = 0; i < threads; i++) rates->peak += 1e9 * peaks[i];
    free(peaks);
    return KL_OK;
}

/* ---- bandwidth ---- */

struct reading {
    float *values;
    size_t n; /* a thread */
    volatile float sink;
};

static void read_share(void *context, size_t thread)
{
    struct reading *r = context;
    const float sum = kl_device_read_memory(r->values + thread * r->n, r->n);
    if (sum == 1) r->sink = sum;
}

/* Beyond any cache, but no more than an eighth of what is free. */
static int bandwidth(struct kl_rates *rates, struct kl_pool *pool, const struct kl_memory *memory,
                     struct kl_error *err)
{
    size_t bytes = (size_t)256 << 20;
    while (memory->available && bytes > memory->available / 8) bytes /= 2;
    while (memory->limit && bytes > memory->limit / 8) bytes /= 2;
    const size_t threads = (size_t)kl_pool_size(pool);
    struct reading r = { .n = bytes / sizeof(float) / threads };
    if (!(r.values = malloc(threads * r.n * sizeof *r.values))) return kl_fail_memory(err, bytes);
    for (size_t i = 0; i < threads * r.n; i += 64) r.values[i] = 0;
    memset(r.values, 0, threads * r.n * sizeof *r.values);
    rates->bandwidth = (double)(r.n * sizeof *r.values) * doctor_rates_race(read_share, &r, pool, 0.2);
    free(r.values);
    return KL_OK;
}

/* ---- product ---- */

enum { MATRICES = 2 * SIDE * DEPTH + SIDE * SIDE };

static void multiply(void *context, size_t thread)
{
    float *a = (float *)context + thread * MATRICES, *b = a + SIDE * DEPTH, *c = b + DEPTH * SIDE;
    kl_kernel_gemm_f32()(c, SIDE, a, DEPTH, 1, b, SIDE, SIDE, SIDE, DEPTH, 0);
}

/* A few elements against their definition in double. */
static bool product_is_right(const float *a, const float *b, const float *c)
{
    for (size_t k = 0; k < 64; k++) {
        const size_t i = k * 37 % SIDE, j = k * 101 % SIDE;
        double sum = 0;
        for (size_t p = 0; p < DEPTH; p++) sum += (double)a[i * DEPTH + p] * (double)b[p * SIDE + j];
        if (!(fabs(sum - (double)c[i * SIDE + j]) < 1e-3)) return false;
    }
    return true;
}

static int product(struct kl_rates *rates, struct kl_pool *pool, struct kl_error *err)
{
    const size_t threads = (size_t)kl_pool_size(pool), bytes = threads * MATRICES * sizeof(float);
    float *values = malloc(bytes);
    if (!values) return kl_fail_memory(err, bytes);
    doctor_rates_fill(values, threads * MATRICES, 0.37f);
    rates->product = 2.0 * SIDE * SIDE * DEPTH * doctor_rates_race(multiply, values, pool, 0.25);
    const float *last = values + (threads - 1) * MATRICES;
    if (!product_is_right(last, last + SIDE * DEPTH, last + 2 * SIDE * DEPTH))
        snprintf(rates->problem, sizeof rates->problem, "matrix products (%s) give wrong numbers",
                 kl_isa_name(kl_isa()));
    free(values);
    return KL_OK;
}

int kl_doctor_rates_measure(struct kl_rates *rates, struct kl_pool *pool, const struct kl_memory *memory,
                            struct kl_error *err)
{
    memset(rates, 0, sizeof *rates);
    int code = peak(rates, pool, err);
    if (!code) code = bandwidth(rates, pool, memory, err);
    if (!code) code = product(rates, pool, err);
    if (!code) code = doctor_rates_convolution(rates, pool, err);
    if (!code) code = doctor_rates_langevin(rates, pool, err);
    for (int i = 0; !code && i < 2; i++) code = doctor_rates_circuit(rates, i, pool, err);
    return code;
}
