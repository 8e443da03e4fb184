/* SPDX-License-Identifier: MIT
   checkkernels, family density: random circuits of every gate under random noise on 1 to 7 qubits, in
   each instruction set and precision, against slow_noise.h; the gradients against central differences of
   it and the parameter-shift rules. Then the density matrices themselves: trace 1, no negative
   eigenvalue; and what must be equal to the bit: threads, placement in a batch. */
#include <math.h>
#include <stdio.h>

#include "circuit/estimate.h"
#include "kernels/select.h"
#include "slow_noise.h"

enum { INPUTS = 3, WEIGHTS = 5, MOST_BATCH = 35, MOST_OBS = 12 };
static int failures;
static const char *isa;

static unsigned long long random_state = 88172645463325252ull;
static unsigned below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

static double chance(void)
{
    return (double)below(1u << 30) / (1u << 30);
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void fail(const char *what, const struct kl_circuit *c, double worst)
{
    fprintf(stderr, "density %s: %s, %d qubits, %zu gates: difference %.3g\n", isa, what, c->n_qubits,
            c->n_ops, worst);
    failures++;
}

static struct kl_angle random_angle(void)
{
    struct kl_angle a = { KL_INPUT, (int)below(INPUTS), -1, 4 * chance() - 2, 0 };
    unsigned kind = below(8);
    if (kind == 0) a.source = KL_CONSTANT;
    if (kind == 1) a.index2 = (int)below(INPUTS);
    if (kind == 2) a.scaled = 1 + (int)below(WEIGHTS);
    if (kind > 3) a = (struct kl_angle){ KL_WEIGHT, (int)below(WEIGHTS), -1, a.scale, 0 };
    return a;
}

/* real: of the gates that the default head has, which leave half of the strings at 0 */
static struct kl_op random_op(int n, bool real)
{
    static const enum kl_gate few[] = { KL_RY, KL_RY, KL_X, KL_CNOT, KL_CNOT, KL_CNOT };
    struct kl_op op = { .gate = real ? few[below(6)] : (enum kl_gate)below(KL_MULTIRZ + 1),
                        .wire = { (int)below((unsigned)n) } };
    if (n == 1 && op.gate >= KL_CNOT && op.gate <= KL_CRZ) op.gate = KL_RY;
    if (n > 1) op.wire[1] = (op.wire[0] + 1 + (int)below((unsigned)n - 1)) % n;
    op.mask = 1 + below((1u << n) - 1);
    for (int i = 0; i < 3; i++) op.angle[i] = random_angle();
    return op;
}

/* Numbers of a qubit: about half of them 0; kind 0: channels that keep the identity alone. */
static void random_noise(char *text, size_t size, int n, unsigned kind)
{
    static const char *const names[] = { "depolarizing", "phase-damping",     "bit-flip",  "phase-flip",
                                         "readout",      "amplitude-damping", "readout-0", "readout-1",
                                         "bit-flip-2",   "depolarizing-2" };
    size_t at = (size_t)snprintf(text, size, "{\"qubits\":[");
    for (int q = 0; q < n; q++) {
        at += (size_t)snprintf(text + at, size - at, "%s{\"phase-flip-2\":0.01", q ? "," : "");
        for (unsigned i = 0; i < (kind ? 10 : 5); i++)
            if (below(2))
                at += (size_t)snprintf(text + at, size - at, ",\"%s\":%.3f", names[i], 0.2 * chance());
        if (kind && below(2))
            at += (size_t)snprintf(text + at, size - at,
                                   ",\"t1\":2.0,\"t2\":%.3f,\"gate-time\":0.1,\"excited\":%.3f",
                                   0.1 + 3.9 * chance(), chance());
        at += (size_t)snprintf(text + at, size - at, "}");
    }
    snprintf(text + at, size - at, "]}");
}

static struct kl_circuit *random_circuit(int n, int gates, bool real, unsigned kind)
{
    struct kl_circuit *c;
    struct kl_error err;
    char noise[8192];
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    for (int g = 0; g < gates; g++) {
        struct kl_op op = random_op(n, real);
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (int o = 0; o < n + 2; o++) {
        struct kl_pauli p = { .z = 1u << o % n };
        if (o >= n) p = (struct kl_pauli){ below(1u << n), below(1u << n) };
        must(kl_circuit_observe(c, p, &err), &err);
    }
    random_noise(noise, sizeof noise, n, kind);
    must(kl_circuit_add_noise(c, noise, &err), &err);
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

struct values {
    double x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS];
    double out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
};

static void draw(struct values *v)
{
    for (size_t i = 0; i < MOST_BATCH * INPUTS; i++) v->x[i] = (double)(float)(6 * chance() - 3);
    for (size_t i = 0; i < WEIGHTS; i++) v->w[i] = (double)(float)(6 * chance() - 3);
    for (size_t i = 0; i < MOST_BATCH * MOST_OBS; i++) v->cot[i] = (double)(float)(2 * chance() - 1);
}

static void run_f32(struct values *v, const struct kl_circuit *c, size_t n, struct kl_pool *pool,
                    float *state, struct kl_arena *work)
{
    static float x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS],
        out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
    struct kl_error err;
    for (size_t i = 0; i < n * INPUTS; i++) x[i] = (float)v->x[i];
    for (size_t i = 0; i < WEIGHTS; i++) w[i] = (float)v->w[i], dw[i] = 0;
    for (size_t i = 0; i < n * c->n_obs; i++) cot[i] = (float)v->cot[i];
    must(kl_circuit_forward_f32(out, state, c, x, w, n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f32(dx, dw, state, c, x, w, cot, n, pool, work, &err), &err);
    for (size_t i = 0; i < n * c->n_obs; i++) v->out[i] = (double)out[i];
    for (size_t i = 0; i < n * INPUTS; i++) v->dx[i] = (double)dx[i];
    for (size_t i = 0; i < WEIGHTS; i++) v->dw[i] = (double)dw[i];
}

/* out, dx and dw of n samples */
static void run(struct values *v, const struct kl_circuit *c, size_t n, bool wide, struct kl_pool *pool)
{
    struct kl_error err;
    struct kl_arena work;
    must(kl_arena_init(&work, 0, &err), &err);
    size_t size = kl_circuit_state_size(c, n);
    void *state = size ? aligned_alloc(64, (size * sizeof(double) + 63) / 64 * 64) : NULL;
    if (wide) {
        memset(v->dw, 0, sizeof v->dw);
        must(kl_circuit_forward_f64(v->out, state, c, v->x, v->w, n, pool, &work, &err), &err);
        must(kl_circuit_adjoint_f64(v->dx, v->dw, state, c, v->x, v->w, v->cot, n, pool, &work, &err),
             &err);
    } else {
        run_f32(v, c, n, pool, state, &work);
    }
    free(state);
    kl_arena_free(&work);
}

static void check_values(struct values *v, const struct kl_circuit *c, size_t n, bool wide)
{
    double worst = 0, out[MOST_OBS];
    run(v, c, n, wide, NULL);
    for (size_t i = 0; i < n; i++) {
        slow_noisy_circuit(out, c, v->x + i * INPUTS, v->w);
        for (size_t o = 0; o < c->n_obs; o++)
            worst = fmax(worst, fabs(out[o] - v->out[i * c->n_obs + o]));
    }
    if (!(worst < (wide ? 1e-12 : 1e-5))) fail("out", c, worst);
}

/* Derivative by value number k of x (sample's own) or w, by central differences of the definition. */
static double slow_derivative(const struct values *v, const struct kl_circuit *c, size_t sample,
                              bool by_w, size_t k)
{
    const double h = 1e-5;
    double x[INPUTS], w[WEIGHTS], out[MOST_OBS], ends[2] = { 0 };
    for (int side = 0; side < 2; side++) {
        memcpy(x, v->x + sample * INPUTS, sizeof x);
        memcpy(w, v->w, sizeof w);
        (by_w ? w : x)[k] += side ? -h : h;
        slow_noisy_circuit(out, c, x, w);
        for (size_t o = 0; o < c->n_obs; o++) ends[side] += v->cot[sample * c->n_obs + o] * out[o];
    }
    return (ends[0] - ends[1]) / (2 * h);
}

static void check_gradients(struct values *v, const struct kl_circuit *c, size_t n, bool wide)
{
    double worst = 0;
    run(v, c, n, wide, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < INPUTS; k++)
            worst = fmax(worst, fabs(slow_derivative(v, c, i, false, k) - v->dx[i * INPUTS + k]));
    for (size_t k = 0; k < WEIGHTS; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += slow_derivative(v, c, i, true, k);
        worst = fmax(worst, fabs(sum - v->dw[k]));
    }
    if (!(worst < (wide ? 1e-7 : 1e-4)))
        fail("gradients against differences of the definition", c, worst);
}

static void check_shift(struct values *v, const struct kl_circuit *c, size_t n)
{
    struct values shift = *v;
    struct kl_error err;
    struct kl_arena work;
    double worst = 0;
    must(kl_arena_init(&work, 0, &err), &err);
    run(v, c, n, true, NULL);
    memset(shift.dw, 0, sizeof shift.dw);
    must(kl_circuit_shift_f64(shift.dx, shift.dw, c, v->x, v->w, v->cot, n, &work, &err), &err);
    for (size_t k = 0; k < n * INPUTS; k++) worst = fmax(worst, fabs(shift.dx[k] - v->dx[k]));
    for (size_t k = 0; k < WEIGHTS; k++) worst = fmax(worst, fabs(shift.dw[k] - v->dw[k]));
    if (!(worst < 1e-11)) fail("gradients against the shift rules", c, worst);
    kl_arena_free(&work);
}

/* A sample has the same bits alone and anywhere in a batch; the batch's gradient is the sum. */
static void check_batches(struct values *v, const struct kl_circuit *c, bool wide)
{
    static struct values alone[MOST_BATCH], batch;
    bool same = true;
    double worst = 0;
    for (size_t i = 0; i < MOST_BATCH; i++) {
        alone[i] = *v;
        memcpy(alone[i].x, v->x + i * INPUTS, INPUTS * sizeof *v->x);
        memcpy(alone[i].cot, v->cot + i * c->n_obs, c->n_obs * sizeof *v->cot);
        run(&alone[i], c, 1, wide, NULL);
    }
    for (size_t n = 1; n <= MOST_BATCH; n += 2) {
        double sum[WEIGHTS] = { 0 };
        batch = *v;
        run(&batch, c, n, wide, NULL);
        for (size_t i = 0; i < n; i++) {
            same &= memcmp(batch.out + i * c->n_obs, alone[i].out, c->n_obs * sizeof *v->out) == 0;
            same &= memcmp(batch.dx + i * INPUTS, alone[i].dx, INPUTS * sizeof *v->dx) == 0;
            for (size_t k = 0; k < WEIGHTS; k++) sum[k] += alone[i].dw[k];
        }
        for (size_t k = 0; k < WEIGHTS; k++) worst = fmax(worst, fabs(sum[k] - batch.dw[k]));
    }
    if (!same) fail("bits depend on the place in the batch", c, 0);
    if (!(worst < (wide ? 1e-11 : 2e-4))) fail("sum of single gradients", c, worst);
}

static void check_threads(struct values *v, const struct kl_circuit *c, bool wide)
{
    static struct values one, more;
    struct kl_pool *pool;
    struct kl_error err;
    one = *v, more = *v;
    run(&one, c, MOST_BATCH, wide, NULL);
    must(kl_pool_create(&pool, 3, &err), &err);
    run(&more, c, MOST_BATCH, wide, pool);
    kl_pool_destroy(&pool);
    if (memcmp(one.out, more.out, sizeof one.out) || memcmp(one.dx, more.dx, sizeof one.dx) ||
        memcmp(one.dw, more.dw, sizeof one.dw))
        fail("bits depend on the number of threads", c, 3);
}

/* Cholesky's factorisation of rho + shift exists if and only if no eigenvalue is below -shift. */
static bool is_positive(slow_complex *a, size_t n, double shift)
{
    for (size_t j = 0; j < n; j++) {
        double d = creal(a[j * n + j]) + shift;
        for (size_t k = 0; k < j; k++) d -= creal(a[j * n + k] * conj(a[j * n + k]));
        if (!(d > 0)) return false;
        a[j * n + j] = sqrt(d);
        for (size_t i = j + 1; i < n; i++) {
            slow_complex sum = a[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * conj(a[j * n + k]);
            a[i * n + j] = sum / a[j * n + j];
        }
    }
    return true;
}

/* All 4^n Pauli strings are observed: rho = 2^-n sum of mean * string. Without errors of the readout,
   which are no property of rho. */
static void check_state(int n, unsigned kind)
{
    struct kl_circuit *c;
    struct kl_error err;
    struct kl_arena work;
    char noise[8192];
    static double out[1 << 14];
    double x[INPUTS], w[WEIGHTS];
    const size_t size = (size_t)1 << n;
    slow_complex *rho = calloc(size * size, sizeof *rho);
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    for (int g = 0; g < 30; g++) {
        struct kl_op op = random_op(n, false);
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (uint32_t k = 0; k < 1u << 2 * n; k++)
        must(kl_circuit_observe(c, (struct kl_pauli){ k >> n, k & ((1u << n) - 1) }, &err), &err);
    random_noise(noise, sizeof noise, n, kind);
    must(kl_circuit_add_noise(c, noise, &err), &err);
    for (int q = 0; q < n; q++) c->noise->qubit[q].readout[0] = c->noise->qubit[q].readout[1] = 0;
    must(kl_circuit_finish(c, &err), &err);
    must(kl_arena_init(&work, 0, &err), &err);
    for (int i = 0; i < INPUTS; i++) x[i] = 6 * chance() - 3;
    for (int i = 0; i < WEIGHTS; i++) w[i] = 6 * chance() - 3;
    must(kl_circuit_forward_f64(out, NULL, c, x, w, 1, NULL, &work, &err), &err);
    for (uint32_t k = 0; k < 1u << 2 * n; k++) {
        const uint32_t px = k >> n, pz = k & ((1u << n) - 1);
        uint32_t bits_x = 0, bits_z = 0;
        for (int q = 0; q < n; q++)
            bits_x |= (px >> q & 1) << (n - 1 - q), bits_z |= (pz >> q & 1) << (n - 1 - q);
        static const slow_complex powers[4] = { 1, I, -1, -I };
        for (uint32_t col = 0; col < size; col++)
            rho[(col ^ bits_x) * size + col] += out[k] / (double)size *
                                                powers[__builtin_popcount(px & pz) & 3] *
                                                (__builtin_parity(col & bits_z) ? -1 : 1);
    }
    double trace = 0;
    for (size_t i = 0; i < size; i++) trace += creal(rho[i * size + i]);
    if (!(fabs(trace - 1) < 1e-13)) fail("trace", c, trace - 1);
    if (!is_positive(rho, size, 1e-13)) fail("a negative eigenvalue", c, 0);
    free(rho);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

static void check_isa(void)
{
    static struct values v;
    for (int n = 1; n <= KL_MOST_NOISY_QUBITS; n++)
        for (unsigned kind = 0; kind < 8; kind++) {
            const bool wide = kind & 1, real = kind & 2;
            struct kl_circuit *c = random_circuit(n, n < 6 ? 24 : 12, real, kind & 4);
            draw(&v);
            check_values(&v, c, n < 5 ? 17 : 1, wide);
            if (n < 5) check_gradients(&v, c, 2, wide);
            if (wide) check_shift(&v, c, n < 5 ? 3 : 1);
            if (n == 3) check_batches(&v, c, wide);
            if (n == 5) check_threads(&v, c, wide);
            kl_circuit_free(&c);
        }
    for (int n = 1; n <= 5; n++)
        for (unsigned kind = 0; kind < 8; kind++) check_state(n, kind & 1);
}

/* Nanoseconds a gate and sample, forward and adjoint, of a random circuit of all gates. */
static void bench(int n, unsigned kind)
{
    static struct values v;
    struct kl_circuit *c = random_circuit(n, 60, false, kind);
    double best = 1e9;
    draw(&v);
    for (double begun = kl_clock(); kl_clock() - begun < 0.2;) {
        double start = kl_clock();
        run(&v, c, 32, false, NULL);
        best = fmin(best, kl_clock() - start);
    }
    printf("density %s: %d qubits, all gates, %s, float: %.2f ns a gate and sample\n", isa, n,
           kind ? "all channels" : "channels that keep the identity", 1e9 * best / 60 / 32);
    kl_circuit_free(&c);
}

int main(int argc, char **argv)
{
    for (int i = 0; kl_kernels_of(i); i++) {
        isa = kl_kernels_of(i)->isa;
        setenv("KETLINE_ISA", isa, 1);
        check_isa();
        for (int n = 4; argc > 1 && strcmp(argv[1], "--bench") == 0 && n <= 7; n += 3)
            bench(n, 0), bench(n, 1);
    }
    return failures != 0;
}
