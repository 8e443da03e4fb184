/* SPDX-License-Identifier: MIT
   Batches of circuits on the GPU against the CPU in double: random circuits of every gate and of real
   ones, with and without a first layer, on inputs as angles, with learnable scales and products, and as
   amplitudes; sums of Pauli strings, fidelities, probabilities; outputs and gradients; every number of
   qubits and batches that fill no warp. */
#include "circuit/circuit.h"
#include "gpu.h"

enum { MOST_GIVEN = 12 /* qubits of amplitudes or probabilities */ };
static struct kl_pool *pool; /* of all CPUs; no bit depends on it */
#define FAMILY "circuit"
#define CIRCUITS_ALONE
#include "../kernels/circuits.h"

/* Gates at random; layer: first come rotations of all qubits, as in most circuits. */
static void add_gates(struct kl_circuit *c, int gates, bool real, bool layer)
{
    static const enum kl_gate all_real[6] = { KL_RY, KL_CRY, KL_H, KL_CZ, KL_X, KL_CNOT },
                              rotations[6] = { KL_RX, KL_RY, KL_RZ, KL_ROT, KL_ROT, KL_ROT },
                              turns[6] = { KL_RY, KL_RY, KL_RY, KL_RY, KL_RY, KL_RY };
    struct kl_error err;
    for (int g = layer ? -c->n_qubits : 0; g < gates; g++) {
        const enum kl_gate *few = g < 0 ? (real ? turns : rotations) : real ? all_real : NULL;
        struct kl_op op = random_op(c->n_qubits, few);
        if (g < 0) op.wire[0] = -1 - g;
        for (int i = 0; i < 3 && c->amplitude_inputs; i++) /* then they stand in no angle */
            op.angle[i] = (struct kl_angle){ KL_WEIGHT, (int)below(WEIGHTS), -1, 2 * chance() - 1, 0 };
        must(kl_circuit_append(c, &op, &err), &err);
    }
}

/* Strings of Z, a string, and a sum of strings. */
static void observe_strings(struct kl_circuit *c)
{
    const unsigned all = 1u << c->n_qubits;
    struct kl_error err;
    for (int o = 0; o < c->n_qubits; o++)
        must(kl_circuit_observe(c, (struct kl_pauli){ .z = 1u << o }, &err), &err);
    must(kl_circuit_observe(c, (struct kl_pauli){ below(all), below(all) }, &err), &err);
    must(kl_circuit_observe_sum(c, &err), &err);
    for (int t = 0; t < 4; t++) {
        const struct kl_pauli p = { t % 2 ? below(all) : 0, 1 + below(all - 1) };
        must(kl_circuit_add_string(c, 2 * chance() - 1, p, &err), &err);
    }
}

/* Fidelities with a product state, GHZ and W, and a sum of some and a string. Those of random states are
   some 1 / 2^n: they are weighed up to what strings are. */
static void observe_targets(struct kl_circuit *c)
{
    const unsigned all = 1u << c->n_qubits;
    const uint32_t x = below(all), z = (~x & (all - 1)) | below(all);
    const struct kl_target target[3] = { { KL_PRODUCT, { x, z }, below(all) },
                                         { .kind = KL_GHZ },
                                         { .kind = KL_W } };
    struct kl_error err;
    for (int t = 0; t < 6; t++) {
        if (t < 4) must(kl_circuit_observe_sum(c, &err), &err);
        must(kl_circuit_add_target(c, all * (2 * chance() - 1), target[t % 3], &err), &err);
    }
    must(kl_circuit_add_string(c, 2 * chance() - 1, (struct kl_pauli){ below(all), 1 }, &err), &err);
}

enum reading { STRINGS, TARGETS, PROBABILITIES };
static struct kl_circuit *random_circuit(int n, int gates, bool real, bool layer, bool given,
                                         enum reading reading)
{
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, n, given ? (size_t)1 << n : INPUTS, WEIGHTS, &err), &err);
    if (given) must(kl_circuit_begin_with_inputs(c, &err), &err);
    add_gates(c, gates, real, layer);
    if (reading == STRINGS) observe_strings(c);
    else if (reading == TARGETS) observe_targets(c);
    else must(kl_circuit_observe_probabilities(c, &err), &err);
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

static double worst_of(const float *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = worse(worst, (double)a[i] - b[i]);
    return worst;
}

/* Of the largest value, or `least` if that is more. */
static double relative(const float *a, const double *b, size_t n, double least)
{
    for (size_t i = 0; i < n; i++) least = fmax(least, fabs(b[i]));
    return worst_of(a, b, n) / least;
}

/* A batch in double, and its results in float. */
struct results {
    float *out, *dx, dw[WEIGHTS];
};
struct batch {
    size_t n, n_in, n_out;
    double *x, *cot, *out, *dx, w[WEIGHTS], dw[WEIGHTS];
    float *fx, *fcot, *alone, fw[WEIGHTS];
    struct results gpu, cpu;
};

static void *values(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);
    if (!memory) exit(1);
    return memory;
}

static void batch_begin(struct batch *b, const struct kl_circuit *c, size_t n)
{
    const size_t in = n * c->n_inputs, out = n * c->n_obs;
    *b = (struct batch){ .n = n, .n_in = in, .n_out = out };
    b->x = values(in, sizeof(double)), b->dx = values(in, sizeof(double));
    b->out = values(out, sizeof(double)), b->cot = values(out, sizeof(double));
    b->fx = values(in, sizeof(float)), b->fcot = values(out, sizeof(float));
    b->gpu.dx = values(in, sizeof(float)), b->cpu.dx = values(in, sizeof(float));
    b->gpu.out = values(out, sizeof(float)), b->cpu.out = values(out, sizeof(float));
    b->alone = values(out, sizeof(float));
    /* Amplitudes that are all about 1: of random ones expectation values would be near 0, and what they
       have to do with a gradient too. */
    for (size_t i = 0; i < in; i++)
        b->x[i] = b->fx[i] = (float)(c->amplitude_inputs ? 2 * chance() : 4 * chance() - 2);
    for (size_t i = 0; i < WEIGHTS; i++) b->w[i] = b->fw[i] = (float)(4 * chance() - 2);
    for (size_t i = 0; i < out; i++) b->cot[i] = b->fcot[i] = (float)(2 * chance() - 1);
    if (c->amplitude_inputs && n > 1) /* a row of no length */
        for (size_t i = 0; i < c->n_inputs; i++) b->x[i] = b->fx[i] = 0;
}

static void batch_end(struct batch *b)
{
    free(b->x), free(b->cot), free(b->out), free(b->dx);
    free(b->fx), free(b->fcot), free(b->alone);
    free(b->gpu.out), free(b->gpu.dx), free(b->cpu.out), free(b->cpu.dx);
}

static void run_on_cpu(struct batch *b, const struct kl_circuit *c, struct kl_arena *work)
{
    struct kl_error err;
    must(kl_circuit_forward_f64(b->out, NULL, c, b->x, b->w, b->n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f64(b->dx, b->dw, NULL, c, b->x, b->w, b->cot, b->n, pool, work, &err),
         &err);
    must(kl_circuit_forward_f32(b->cpu.out, NULL, c, b->fx, b->fw, b->n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f32(b->cpu.dx, b->cpu.dw, NULL, c, b->fx, b->fw, b->fcot, b->n, pool, work,
                                &err),
         &err);
}

/* Outputs alone must be those that come with gradients, bit for bit. */
static void run_on_gpu(struct batch *b, const struct kl_circuit *c, struct kl_arena *work)
{
    struct kl_cuda_circuit lowered;
    struct kl_cuda_batch *batch;
    struct kl_error err;
    struct results *r = &b->gpu;
    must(kl_circuit_for_cuda(&lowered, c, work, &err), &err);
    must(device.cuda->batch->open(&batch, &lowered, b->n, device.number, &err), &err);
    must(device.cuda->batch->run(batch, r->out, r->dx, r->dw, b->fx, b->fw, b->fcot, NULL, 0, &err),
         &err);
    must(device.cuda->batch->run(batch, b->alone, NULL, NULL, b->fx, b->fw, NULL, NULL, 0, &err), &err);
    device.cuda->batch->close(&batch);
    if (memcmp(b->alone, r->out, b->n_out * sizeof *r->out) != 0) fail("outputs alone", c, NAN);
}

enum { OUTPUTS, BY_INPUTS, BY_WEIGHTS, KINDS };
static void compare(double off[KINDS], const struct kl_circuit *c, const struct batch *b,
                    const struct results *r)
{
    const double each = 1.0 / (1 << c->n_qubits); /* of an amplitude, or its probability */
    off[OUTPUTS] = relative(r->out, b->out, b->n_out, c->probabilities ? each : 1);
    off[BY_INPUTS] = relative(r->dx, b->dx, b->n_in, c->amplitude_inputs ? each : 1);
    off[BY_WEIGHTS] = relative(r->dw, b->dw, WEIGHTS, c->probabilities ? sqrt(each) : 1);
}

/* The GPU may be off by a bound, or where float itself is far from double, which single circuits are
   (large terms that cancel), by a few times what the CPU's float is. */
static void check(const struct kl_circuit *c, size_t n)
{
    static const double bounds[KINDS] = { 1e-5, 1e-4, 1e-4 };
    static const char *const names[KINDS] = { "outputs", "gradients by inputs", "gradients by weights" };
    struct kl_arena work;
    struct kl_error err;
    struct batch b;
    double gpu[KINDS], cpu[KINDS];
    batch_begin(&b, c, n);
    must(kl_arena_init(&work, 0, &err), &err);
    run_on_cpu(&b, c, &work);
    run_on_gpu(&b, c, &work);
    compare(gpu, c, &b, &b.gpu), compare(cpu, c, &b, &b.cpu);
    for (int k = 0; k < KINDS; k++)
        if (!(gpu[k] < fmax(bounds[k], 4 * cpu[k]))) fail(names[k], c, gpu[k]);
    digest_of(b.gpu.out, b.n_out * sizeof *b.gpu.out);
    digest_of(b.gpu.dx, b.n_in * sizeof *b.gpu.dx);
    digest_of(b.gpu.dw, sizeof b.gpu.dw);
    kl_arena_free(&work);
    batch_end(&b);
}

/* Batches in groups, for benches: their seconds, and the results of one. */
static void check_groups(void)
{
    enum { GROUPS = 3, N = 5, ROWS = 9 };
    struct kl_circuit *c = random_circuit(N, 10, false, true, false, STRINGS);
    struct kl_cuda_circuit lowered;
    struct kl_cuda_batch *batch;
    struct kl_arena work;
    struct kl_error err;
    struct batch b;
    double seconds[GROUPS], sum = 0;
    float dw[WEIGHTS];
    batch_begin(&b, c, ROWS);
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_circuit_for_cuda(&lowered, c, &work, &err), &err);
    must(device.cuda->batch->open(&batch, &lowered, ROWS, device.number, &err), &err);
    must(
        device.cuda->batch->run(batch, b.gpu.out, b.gpu.dx, b.gpu.dw, b.fx, b.fw, b.fcot, NULL, 0, &err),
        &err);
    const double start = kl_clock();
    must(
        device.cuda->batch->run(batch, b.alone, b.gpu.dx, dw, b.fx, b.fw, b.fcot, seconds, GROUPS, &err),
        &err);
    const double all = kl_clock() - start;
    for (int i = 0; i < GROUPS; i++) sum += seconds[i] > 0 ? seconds[i] * KL_CUDA_GROUP : INFINITY;
    if (!(sum <= all)) fail("seconds of groups", c, sum / all);
    if (memcmp(b.alone, b.gpu.out, b.n_out * sizeof *b.alone) != 0 ||
        memcmp(dw, b.gpu.dw, sizeof dw) != 0)
        fail("results of groups", c, NAN);
    device.cuda->batch->close(&batch);
    kl_arena_free(&work);
    batch_end(&b);
    kl_circuit_free(&c);
}

static void check_random(int n, int gates, bool real, bool layer, bool given, enum reading reading,
                         size_t rows)
{
    struct kl_circuit *c = random_circuit(n, gates, real, layer, given, reading);
    check(c, rows);
    kl_circuit_free(&c);
}

/* Rows that are no whole block, or more than the blocks take at once. */
static size_t rows_of(int n)
{
    if (racecheck) return 3;
    if (small) return n < 6 ? 37 : n < 11 ? 3 : 7;
    return n < 11 ? 4099 : n < 15 ? 300 : 5;
}

/* Strings of circuits that begin with |0>, then what else is given or read; real and complex, with and
   without a first layer. */
static void check_size(int n, int kinds)
{
    const int gates = n < 11 ? 30 : 16;
    for (int kind = 0; kind < kinds; kind++)
        check_random(n, gates, kind & 1, !(kind & 2), false, STRINGS, rows_of(n));
    for (int kind = 0; kind < (kinds > 4 ? 4 : 2); kind++)
        for (enum reading reading = STRINGS; reading <= PROBABILITIES; reading++)
            for (int given = reading == STRINGS; given < 2; given++) {
                const bool layer = kind & 2 ? kind & 1 : (n + kind + (int)reading + given) & 1;
                if (n > MOST_GIVEN && (given || reading == PROBABILITIES)) continue;
                check_random(n, gates, kind & 1, layer, given, reading, rows_of(n) / 4 + 1);
            }
}

/* States of 4 and 5 qubits a thread, in less than a warp and in several, and in the GPU's memory; of
   all gates and readings those that several warps share, for what one does alone is in no block's
   memory. */
static void check_races(void)
{
    static const int few[] = { 4, 5, 8, 13 };
    for (int i = 0; i < 2 * (int)(sizeof few / sizeof *few); i++)
        check_random(few[i / 2], 6, i & 1, true, false, STRINGS, 3);
    check_size(11, 2);
    check_size(14, 2);
}

static void check_sizes(void)
{
    for (int n = 1; n <= (small ? 15 : 17); n++) check_size(n, smallest ? 2 : small ? 4 : 8);
    if (!smallest) check_random(KL_MAX_QUBITS, 12, false, true, false, STRINGS, 1);
    if (!smallest) check_random(KL_MAX_QUBITS, 12, true, false, false, TARGETS, 1);
    check_groups();
}

int main(void)
{
    struct kl_error err;
    open_gpu();
    isa = device.name;
    must(kl_pool_create(&pool, 0, &err), &err);
    if (racecheck) check_races();
    else check_sizes();
    kl_pool_destroy(&pool);
    print_digest();
    return failures != 0;
}
