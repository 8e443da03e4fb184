/* SPDX-License-Identifier: MIT
   What the tests of circuits' kernels share: random circuits, a batch of values run forward and back,
   and the checks that hold for every kind of circuit. Before it is included: FAMILY, a name for
   messages; enum MOST_BATCH, MOST_OBS, or CIRCUITS_ALONE if circuits are all that is wanted;
   DEFINITION(out, c, x, w), one sample's outputs by the definition of the circuit. */
#ifndef KL_TESTS_CIRCUITS_H
#define KL_TESTS_CIRCUITS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/estimate.h"
#include "kernels/vqc.h"
#include "tests/worse.h"

enum { INPUTS = 3, WEIGHTS = 5 };
static int failures;
static const char *isa;

static unsigned long long random_state = 88172645463325252ull;
static inline unsigned below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

static inline double chance(void)
{
    return (double)below(1u << 30) / (1u << 30);
}

static inline void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static inline void fail(const char *what, const struct kl_circuit *c, double worst)
{
    fprintf(stderr, FAMILY " %s: %s, %d qubits, %zu gates: difference %.3g\n", isa, what, c->n_qubits,
            c->n_ops, worst);
    failures++;
}

static inline struct kl_angle random_angle(void)
{
    struct kl_angle a = { KL_INPUT, (int)below(INPUTS), -1, 4 * chance() - 2, 0 };
    unsigned kind = below(8);
    if (kind == 0) a.source = KL_CONSTANT;
    if (kind == 1) a.index2 = (int)below(INPUTS);
    if (kind == 2) a.scaled = 1 + (int)below(WEIGHTS);
    if (kind > 3) a = (struct kl_angle){ KL_WEIGHT, (int)below(WEIGHTS), -1, a.scale, 0 };
    return a;
}

/* RY, CNOT and X alone: amplitudes stay real. */
static const enum kl_gate real_gates[6] = { KL_RY, KL_RY, KL_X, KL_CNOT, KL_CNOT, KL_CNOT };

/* few: NULL, or the gates to choose from. */
static inline struct kl_op random_op(int n, const enum kl_gate few[6])
{
    struct kl_op op = { .gate = few ? few[below(6)] : (enum kl_gate)below(KL_ID + 1),
                        .wire = { (int)below((unsigned)n) },
                        .next = below(4) ? KL_OTHER_GATE : KL_SAME_PART };
    if (n == 1 && op.gate >= KL_CNOT && op.gate <= KL_CRZ) op.gate = KL_RY;
    if (n > 1) op.wire[1] = (op.wire[0] + 1 + (int)below((unsigned)n - 1)) % n;
    op.mask = 1 + below((1u << n) - 1);
    for (int i = 0; i < 3; i++) op.angle[i] = random_angle();
    return op;
}

#ifndef CIRCUITS_ALONE
struct values {
    double x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS];
    double out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
};

static inline void draw(struct values *v)
{
    for (size_t i = 0; i < MOST_BATCH * INPUTS; i++) v->x[i] = (double)(float)(6 * chance() - 3);
    for (size_t i = 0; i < WEIGHTS; i++) v->w[i] = (double)(float)(6 * chance() - 3);
    for (size_t i = 0; i < MOST_BATCH * MOST_OBS; i++) v->cot[i] = (double)(float)(2 * chance() - 1);
}

static inline void run_f32(struct values *v, const struct kl_circuit *c, size_t n, struct kl_pool *pool,
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

/* out, dx and dw of n samples; wide: in double; keep: forward leaves its state. */
static inline void run_as(struct values *v, const struct kl_circuit *c, size_t n, bool wide, bool keep,
                          struct kl_pool *pool)
{
    struct kl_error err;
    struct kl_arena work;
    must(kl_arena_init(&work, 0, &err), &err);
    const size_t size = keep ? kl_circuit_state_size(c, n) : 0;
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

static inline void run(struct values *v, const struct kl_circuit *c, size_t n, bool wide,
                       struct kl_pool *pool)
{
    run_as(v, c, n, wide, true, pool);
}

#ifdef DEFINITION
static inline void check_values(struct values *v, const struct kl_circuit *c, size_t n, bool wide)
{
    double worst = 0, out[MOST_OBS];
    run(v, c, n, wide, NULL);
    for (size_t i = 0; i < n; i++) {
        DEFINITION(out, c, v->x + i * INPUTS, v->w);
        for (size_t o = 0; o < c->n_obs; o++) worst = worse(worst, out[o] - v->out[i * c->n_obs + o]);
    }
    if (!(worst < (wide ? 1e-12 : 1e-5))) fail("out", c, worst);
}

/* Derivative by value number k of x (sample's own) or w, by central differences of the definition. */
static inline double slow_derivative(const struct values *v, const struct kl_circuit *c, size_t sample,
                                     bool by_w, size_t k)
{
    const double h = 1e-5;
    double x[INPUTS], w[WEIGHTS], out[MOST_OBS], ends[2] = { 0 };
    for (int side = 0; side < 2; side++) {
        memcpy(x, v->x + sample * INPUTS, sizeof x);
        memcpy(w, v->w, sizeof w);
        (by_w ? w : x)[k] += side ? -h : h;
        DEFINITION(out, c, x, w);
        for (size_t o = 0; o < c->n_obs; o++) ends[side] += v->cot[sample * c->n_obs + o] * out[o];
    }
    return (ends[0] - ends[1]) / (2 * h);
}

static inline void check_gradients(struct values *v, const struct kl_circuit *c, size_t n, bool wide)
{
    double worst = 0;
    run(v, c, n, wide, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < INPUTS; k++)
            worst = worse(worst, slow_derivative(v, c, i, false, k) - v->dx[i * INPUTS + k]);
    for (size_t k = 0; k < WEIGHTS; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += slow_derivative(v, c, i, true, k);
        worst = worse(worst, sum - v->dw[k]);
    }
    if (!(worst < (wide ? 1e-7 : 1e-4)))
        fail("gradients against differences of the definition", c, worst);
}

static inline void check_rules(struct values *v, const struct kl_circuit *c, size_t n)
{
    struct values shift = *v, differences = *v;
    struct kl_error err;
    struct kl_arena work;
    double far = 0, near = 0;
    must(kl_arena_init(&work, 0, &err), &err);
    run(v, c, n, true, NULL);
    memset(shift.dw, 0, sizeof shift.dw);
    memset(differences.dw, 0, sizeof differences.dw);
    must(kl_circuit_shift_f64(shift.dx, shift.dw, c, v->x, v->w, v->cot, n, &work, &err), &err);
    must(kl_circuit_differences(differences.dx, differences.dw, c, v->x, v->w, v->cot, n, 1e-5, &work,
                                &err),
         &err);
    for (size_t k = 0; k < n * INPUTS; k++) {
        near = worse(near, shift.dx[k] - v->dx[k]);
        far = worse(far, differences.dx[k] - v->dx[k]);
    }
    for (size_t k = 0; k < WEIGHTS; k++) {
        near = worse(near, shift.dw[k] - v->dw[k]);
        far = worse(far, differences.dw[k] - v->dw[k]);
    }
    if (!(near < 1e-10)) fail("adjoint against parameter-shift", c, near);
    if (!(far < 1e-7)) fail("adjoint against central differences", c, far);
    kl_arena_free(&work);
}

/* Each odd batch size: samples have the bits that they have alone; dw is the sum of the single ones. */
static inline void check_batches(struct values *v, const struct kl_circuit *c, bool wide)
{
    static struct values alone[MOST_BATCH], batch;
    double worst = 0;
    bool same = true;
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
        for (size_t k = 0; k < WEIGHTS; k++) worst = worse(worst, sum[k] - batch.dw[k]);
    }
    if (!same) fail("bits depend on the place in the batch", c, 0);
    if (!(worst < (wide ? 1e-11 : 2e-4))) fail("sum of single gradients", c, worst);
}

static inline void check_threads(struct values *v, const struct kl_circuit *c, bool wide)
{
    static struct values one, more;
    one = *v;
    run(&one, c, MOST_BATCH, wide, NULL);
    for (int threads = 2; threads <= 4; threads += 2) {
        struct kl_pool *pool;
        struct kl_error err;
        must(kl_pool_create(&pool, threads, &err), &err);
        more = *v;
        run(&more, c, MOST_BATCH, wide, pool);
        kl_pool_destroy(&pool);
        if (memcmp(one.out, more.out, MOST_BATCH * c->n_obs * sizeof *one.out) ||
            memcmp(one.dx, more.dx, sizeof one.dx) || memcmp(one.dw, more.dw, sizeof one.dw))
            fail("bits depend on the number of threads", c, threads);
    }
}
#endif
#endif

#endif
