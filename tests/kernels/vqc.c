/* SPDX-License-Identifier: MIT
   Random circuits of all gates against a slow simulation written apart (complex amplitudes, one gate's matrix at a time) and
   central differences of it; each instruction set, float and double, 1 to 9 qubits, odd batches; a sample's result does not depend
   on its place, nor anything on the threads. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/circuit.h"
#include "kernels/select.h"

enum { N_INPUTS = 4, N_WEIGHTS = 6, N_OPS = 24, MOST = 37 };

static int failures;

static double uniform(void)
{
    return (double)rand() / RAND_MAX;
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct kl_angle random_angle(void)
{
    int kind = rand() % 4;
    if (kind == 0) return (struct kl_angle){ KL_CONSTANT, 0, -1, 6 * uniform() - 3 };
    if (kind == 1) return (struct kl_angle){ KL_INPUT, rand() % N_INPUTS, rand() % N_INPUTS, 2 * uniform() };
    if (kind == 2) return (struct kl_angle){ KL_INPUT, rand() % N_INPUTS, -1, 2 * uniform() };
    return (struct kl_angle){ KL_WEIGHT, rand() % N_WEIGHTS, -1, 1 };
}

static struct kl_circuit *random_circuit(int n, bool real)
{
    static const enum kl_gate real_gates[] = { KL_RY, KL_H, KL_X, KL_CNOT, KL_CZ, KL_CRY };
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, n, N_INPUTS, N_WEIGHTS, &err), &err);
    for (int i = 0; i < N_OPS; i++) {
        struct kl_op op = { .gate = real ? real_gates[rand() % 6] : (enum kl_gate)(rand() % (KL_MULTIRZ + 1)) };
        op.wire[0] = rand() % n;
        op.wire[1] = n > 1 ? (op.wire[0] + 1 + rand() % (n - 1)) % n : 0;
        op.mask = 1u + (uint32_t)rand() % ((1u << n) - 1);
        for (int a = 0; a < 3; a++) op.angle[a] = random_angle();
        if (n == 1 && op.gate >= KL_CNOT && op.gate <= KL_CRZ) op.gate = KL_RY;
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (int o = 0; o < 3; o++) {
        struct kl_pauli p = { (uint32_t)rand() % (1u << n), (uint32_t)rand() % (1u << n) };
        if (real || o == 0) p.x = 0;
        must(kl_circuit_observe(c, p, &err), &err);
    }
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

/* ---- the slow simulation ---- */
static double angle_of(const struct kl_angle *a, const double *x, const double *w)
{
    if (a->source == KL_CONSTANT) return a->scale;
    if (a->source == KL_WEIGHT) return a->scale * w[a->index];
    return a->scale * x[a->index] * (a->index2 >= 0 ? x[a->index2] : 1);
}

static void matrix_on(double complex *s, int n, int wire, int control, const double complex m[4])
{
    size_t bit = (size_t)1 << (n - 1 - wire), need = control < 0 ? 0 : (size_t)1 << (n - 1 - control);
    for (size_t k = 0; k < (size_t)1 << n; k++) {
        if ((k & bit) || (k & need) != need) continue;
        double complex a = s[k], b = s[k | bit];
        s[k] = m[0] * a + m[1] * b;
        s[k | bit] = m[2] * a + m[3] * b;
    }
}

static void rotation(double complex *s, int n, char axis, double t, int wire, int control)
{
    double complex c = cos(t / 2), si = sin(t / 2);
    double complex x[4] = { c, -I * si, -I * si, c }, y[4] = { c, -si, si, c }, z[4] = { c - I * si, 0, 0, c + I * si };
    matrix_on(s, n, wire, control, axis == 'x' ? x : axis == 'y' ? y : z);
}

static void slow_gate(double complex *s, int n, const struct kl_op *op, const double *x, const double *w)
{
    const double complex h[4] = { M_SQRT1_2, M_SQRT1_2, M_SQRT1_2, -M_SQRT1_2 }, nx[4] = { 0, 1, 1, 0 }, nz[4] = { 1, 0, 0, -1 };
    double t[3];
    for (int a = 0; a < 3; a++) t[a] = angle_of(&op->angle[a], x, w);
    int p = op->wire[0], q = op->wire[1];
    switch (op->gate) {
    case KL_RX: rotation(s, n, 'x', t[0], p, -1); break;
    case KL_RY: rotation(s, n, 'y', t[0], p, -1); break;
    case KL_RZ: rotation(s, n, 'z', t[0], p, -1); break;
    case KL_ROT:
        rotation(s, n, 'z', t[0], p, -1);
        rotation(s, n, 'y', t[1], p, -1);
        rotation(s, n, 'z', t[2], p, -1);
        break;
    case KL_H: matrix_on(s, n, p, -1, h); break;
    case KL_X: matrix_on(s, n, p, -1, nx); break;
    case KL_CNOT: matrix_on(s, n, q, p, nx); break;
    case KL_CZ: matrix_on(s, n, q, p, nz); break;
    case KL_CRX: rotation(s, n, 'x', t[0], q, p); break;
    case KL_CRY: rotation(s, n, 'y', t[0], q, p); break;
    case KL_CRZ: rotation(s, n, 'z', t[0], q, p); break;
    case KL_MULTIRZ:
        for (size_t k = 0; k < (size_t)1 << n; k++) {
            int odd = 0;
            for (int wire = 0; wire < n; wire++)
                if (op->mask >> wire & 1 && k >> (n - 1 - wire) & 1) odd ^= 1;
            s[k] *= cexp((odd ? 1 : -1) * I * t[0] / 2);
        }
    }
}

static double slow_expectation(const double complex *s, int n, struct kl_pauli p)
{
    const double complex nx[4] = { 0, 1, 1, 0 }, ny[4] = { 0, -I, I, 0 }, nz[4] = { 1, 0, 0, -1 };
    size_t size = (size_t)1 << n;
    double complex copy[512], sum = 0;
    memcpy(copy, s, size * sizeof *s);
    for (int q = 0; q < n; q++) {
        bool x = p.x >> q & 1, z = p.z >> q & 1;
        if (x || z) matrix_on(copy, n, q, -1, x && z ? ny : x ? nx : nz);
    }
    for (size_t k = 0; k < size; k++) sum += conj(s[k]) * copy[k];
    return creal(sum);
}

static void slow_run(double *out, const struct kl_circuit *c, const double *x, const double *w)
{
    double complex s[512] = { 1 };
    for (size_t i = 0; i < c->n_ops; i++) slow_gate(s, c->n_qubits, &c->ops[i], x, w);
    for (size_t o = 0; o < c->n_obs; o++) out[o] = slow_expectation(s, c->n_qubits, c->obs[o]);
}

static double slow_derivative(const struct kl_circuit *c, double *x, double *w, const double *cot, double *parameter)
{
    double saved = *parameter, plus[3], minus[3], sum = 0;
    *parameter = saved + 1e-5;
    slow_run(plus, c, x, w);
    *parameter = saved - 1e-5;
    slow_run(minus, c, x, w);
    *parameter = saved;
    for (size_t o = 0; o < c->n_obs; o++) sum += cot[o] * (plus[o] - minus[o]) / 2e-5;
    return sum;
}

/* ---- the comparisons ---- */
struct batch {
    double x[MOST * N_INPUTS], w[N_WEIGHTS], cot[MOST * 3];
    double out[MOST * 3], dx[MOST * N_INPUTS], dw[N_WEIGHTS]; /* slow */
};

static void slow_batch(struct batch *b, const struct kl_circuit *c, size_t n)
{
    memset(b->dw, 0, sizeof b->dw);
    for (size_t i = 0; i < n; i++) {
        double *x = b->x + i * N_INPUTS, *cot = b->cot + 3 * i;
        slow_run(b->out + 3 * i, c, x, b->w);
        for (int k = 0; k < N_INPUTS; k++) b->dx[i * N_INPUTS + (size_t)k] = slow_derivative(c, x, b->w, cot, &x[k]);
        for (int k = 0; k < N_WEIGHTS; k++) b->dw[k] += slow_derivative(c, x, b->w, cot, &b->w[k]);
    }
}

static void compare(const char *what, int qubits, size_t n, const double *a, const double *b, size_t count, double bound)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= bound)) {
            fprintf(stderr, "%s %s: %d qubits, %zu samples, value %zu: found %.12g, expected %.12g\n", kl_kernels()->isa, what,
                    qubits, n, i, a[i], b[i]);
            failures++;
            return;
        }
}

static void check_f64(const struct kl_circuit *c, struct batch *b, size_t n, struct kl_pool *pool, struct kl_arena *work)
{
    struct kl_error err;
    double out[MOST * 3], dx[MOST * N_INPUTS], dw[N_WEIGHTS] = { 0 }, one_out[3], one_dx[N_INPUTS], sum[N_WEIGHTS] = { 0 };
    double *state = aligned_alloc(64, kl_circuit_state_size(c, n) * sizeof *state);
    kl_arena_reset(work);
    must(kl_circuit_forward_f64(out, state, c, b->x, b->w, n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f64(dx, dw, state, c, b->x, b->w, b->cot, n, pool, work, &err), &err);
    compare("double out", c->n_qubits, n, out, b->out, 3 * n, 1e-11);
    compare("double dx", c->n_qubits, n, dx, b->dx, N_INPUTS * n, 1e-8);
    compare("double dw", c->n_qubits, n, dw, b->dw, N_WEIGHTS, 1e-8 * MOST);
    for (size_t i = 0; i < n; i++) { /* alone, at the first place */
        must(kl_circuit_forward_f64(one_out, state, c, b->x + i * N_INPUTS, b->w, 1, NULL, work, &err), &err);
        must(kl_circuit_adjoint_f64(one_dx, sum, state, c, b->x + i * N_INPUTS, b->w, b->cot + 3 * i, 1, NULL, work, &err), &err);
        if (memcmp(one_out, out + 3 * i, sizeof one_out) != 0 || memcmp(one_dx, dx + i * N_INPUTS, sizeof one_dx) != 0)
            compare("sample by place", c->n_qubits, n, one_out, one_dx, 1, -1);
    }
    compare("sum of single gradients", c->n_qubits, n, sum, dw, N_WEIGHTS, 1e-11 * MOST);
    free(state);
}

static void check_f32(const struct kl_circuit *c, struct batch *b, size_t n, struct kl_pool *pool, struct kl_arena *work)
{
    struct kl_error err;
    float x[MOST * N_INPUTS], w[N_WEIGHTS], cot[MOST * 3], out[MOST * 3], dx[MOST * N_INPUTS], dw[N_WEIGHTS] = { 0 };
    float *state = aligned_alloc(64, kl_circuit_state_size(c, n) * sizeof *state);
    double wide[MOST * N_INPUTS];
    for (size_t i = 0; i < n * N_INPUTS; i++) x[i] = (float)b->x[i];
    for (size_t i = 0; i < N_WEIGHTS; i++) w[i] = (float)b->w[i];
    for (size_t i = 0; i < n * 3; i++) cot[i] = (float)b->cot[i];
    kl_arena_reset(work);
    must(kl_circuit_forward_f32(out, state, c, x, w, n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f32(dx, dw, state, c, x, w, cot, n, pool, work, &err), &err);
    for (size_t i = 0; i < 3 * n; i++) wide[i] = (double)out[i];
    compare("float out", c->n_qubits, n, wide, b->out, 3 * n, 1e-5);
    for (size_t i = 0; i < N_INPUTS * n; i++) wide[i] = (double)dx[i];
    compare("float dx", c->n_qubits, n, wide, b->dx, N_INPUTS * n, 1e-4);
    for (size_t i = 0; i < N_WEIGHTS; i++) wide[i] = (double)dw[i];
    compare("float dw", c->n_qubits, n, wide, b->dw, N_WEIGHTS, 1e-5 * MOST);
    free(state);
}

/* The same bits with 1, 2 and 4 threads, where there is enough work to share. */
static void check_threads(struct kl_arena *work)
{
    enum { N = 640, Q = 8 };
    struct kl_circuit *c;
    struct kl_error err;
    double *x = malloc(N * Q * 8), w[3 * Q], *cot = malloc(N * Q * 8), *out = malloc(N * Q * 8), *dx = malloc(2 * N * Q * 8);
    double dw[2][3 * Q] = { { 0 } };
    must(kl_circuit_ry_ring(&c, Q, 3, &err), &err);
    double *state = aligned_alloc(64, kl_circuit_state_size(c, N) * 8);
    for (size_t i = 0; i < N * Q; i++) x[i] = 6 * uniform(), cot[i] = uniform();
    for (size_t i = 0; i < 3 * Q; i++) w[i] = uniform();
    for (int t = 1; t <= 4; t *= 2) {
        struct kl_pool *pool;
        int own = t > 1;
        must(kl_pool_create(&pool, t, &err), &err);
        kl_arena_reset(work);
        memset(dw[own], 0, sizeof dw[own]);
        must(kl_circuit_forward_f64(out, state, c, x, w, N, pool, work, &err), &err);
        must(kl_circuit_adjoint_f64(dx + own * N * Q, dw[own], state, c, x, w, cot, N, pool, work, &err), &err);
        kl_pool_destroy(&pool);
        if (own && (memcmp(dx, dx + N * Q, N * Q * 8) != 0 || memcmp(dw[0], dw[1], sizeof dw[0]) != 0)) {
            fprintf(stderr, "%d threads give other bits than one\n", t);
            failures++;
        }
    }
    kl_circuit_free(&c);
    free(x), free(cot), free(out), free(dx), free(state);
}

static void check_all(struct kl_pool *pool, struct kl_arena *work)
{
    static struct batch b;
    static const size_t sizes[] = { 1, 5, 16, 37 };
    for (int round = 0; round < 48; round++) {
        int qubits = 1 + round % 9;
        size_t n = qubits > 6 ? sizes[round % 2] : sizes[round % 4];
        struct kl_circuit *c = random_circuit(qubits, round % 3 == 0);
        for (size_t i = 0; i < MOST * N_INPUTS; i++) b.x[i] = 4 * uniform() - 2;
        for (size_t i = 0; i < N_WEIGHTS; i++) b.w[i] = 4 * uniform() - 2;
        for (size_t i = 0; i < MOST * 3; i++) b.cot[i] = 2 * uniform() - 1;
        slow_batch(&b, c, n);
        check_f64(c, &b, n, pool, work);
        check_f32(c, &b, n, pool, work);
        kl_circuit_free(&c);
    }
}

int main(void)
{
    static const char *const sets[] = { "base", "avx2", "avx512" };
    struct kl_arena work;
    struct kl_pool *pool;
    struct kl_error err;
    must(kl_arena_init(&work, 0, &err), &err);
    must(kl_pool_create(&pool, 2, &err), &err);
    for (int isa = 0; isa < 3; isa++) {
        if (!kl_kernels_of(isa)) continue;
        setenv("KETLINE_ISA", sets[isa], 1);
        srand(1);
        check_all(pool, &work);
        check_threads(&work);
    }
    kl_pool_destroy(&pool);
    kl_arena_free(&work);
    return failures != 0;
}
