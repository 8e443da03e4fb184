/* SPDX-License-Identifier: MIT
   checkkernels, family vqc: random circuits of every gate, random circuits of RY, CNOT, X and strings of
   Z (which take the path of layers), and of rotations, CNOT, X and strings of Z (the path of turns, on
   samples side by side and on one state after another), on 1 to 13 qubits, in each instruction set and
   precision, against slow_circuit.h; the gradients against central differences of it and the
   parameter-shift rules. Then what must be equal to the bit: threads, placement in a batch. */
#include <math.h>
#include <stdio.h>

#include "circuit/estimate.h"
#include "kernels/select.h"
#include "slow_circuit.h"

enum { INPUTS = 3, WEIGHTS = 5, MOST_BATCH = 67, MOST_OBS = 24 };
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

static double uniform(void)
{
    return (double)below(1u << 30) / (1u << 29) - 1;
}

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static void fail(const char *what, const struct kl_circuit *c, double worst)
{
    fprintf(stderr, "vqc %s: %s, %d qubits, %zu gates: difference %.3g\n", isa, what, c->n_qubits,
            c->n_ops, worst);
    failures++;
}

static struct kl_angle random_angle(void)
{
    struct kl_angle a = { KL_INPUT, (int)below(INPUTS), -1, 2 * uniform(), 0 };
    unsigned kind = below(8);
    if (kind == 0) a.source = KL_CONSTANT;
    if (kind == 1) a.index2 = (int)below(INPUTS);
    if (kind == 2) a.scaled = 1 + (int)below(WEIGHTS), a.scale /= 2;
    if (kind > 3) a = (struct kl_angle){ KL_WEIGHT, (int)below(WEIGHTS), -1, a.scale, 0 };
    return a;
}

enum form { ANY, LAYERS, TURNS };

static struct kl_op random_op(int n, enum form form)
{
    static const enum kl_gate few[2][6] = { { KL_RY, KL_RY, KL_X, KL_CNOT, KL_CNOT, KL_CNOT },
                                            { KL_RX, KL_RY, KL_RZ, KL_ROT, KL_CNOT, KL_X } };
    struct kl_op op = { .gate = form != ANY ? few[form - LAYERS][below(6)]
                                            : (enum kl_gate)below(KL_MULTIRZ + 1),
                        .wire = { (int)below((unsigned)n) } };
    if (n == 1 && op.gate >= KL_CNOT && op.gate <= KL_CRZ) op.gate = KL_RY;
    if (n > 1) op.wire[1] = (op.wire[0] + 1 + (int)below((unsigned)n - 1)) % n;
    op.mask = 1 + below((1u << n) - 1);
    for (int i = 0; i < 3; i++) op.angle[i] = random_angle();
    return op;
}

static struct kl_circuit *random_circuit(int n, int gates, enum form form, bool forward_only)
{
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    for (int q = 0; form == LAYERS && q < n; q++) {
        struct kl_op ry = { .gate = KL_RY, .wire = { q }, .angle = { random_angle() } };
        if (below(8)) must(kl_circuit_append(c, &ry, &err), &err);
    }
    for (int g = 0; g < gates; g++) {
        struct kl_op op = random_op(n, form);
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (int o = 0; o < n + 2; o++) {
        struct kl_pauli p = { .z = 1u << o % n };
        if (form == ANY && o >= n) p = (struct kl_pauli){ below(1u << n), below(1u << n) };
        if (form == TURNS && o >= n) p.z = 1 + below((1u << n) - 1);
        must(kl_circuit_observe(c, p, &err), &err);
    }
    c->forward_only = forward_only;
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

struct values {
    double x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS];
    double out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
};

static void draw(struct values *v)
{
    for (size_t i = 0; i < MOST_BATCH * INPUTS; i++) v->x[i] = 3 * (double)(float)uniform();
    for (size_t i = 0; i < WEIGHTS; i++) v->w[i] = 3 * (double)(float)uniform();
    for (size_t i = 0; i < MOST_BATCH * MOST_OBS; i++) v->cot[i] = (double)(float)uniform();
}

static void convert(float *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (float)from[i];
}

static void widen(double *to, const float *from, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (double)from[i];
}

static void run_f32(struct values *v, const struct kl_circuit *c, size_t n, struct kl_pool *pool,
                    float *state, struct kl_arena *work)
{
    static float x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS],
        out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
    struct kl_error err;
    convert(x, v->x, n * INPUTS), convert(w, v->w, WEIGHTS), convert(cot, v->cot, n * c->n_obs);
    memset(dw, 0, sizeof dw);
    must(kl_circuit_forward_f32(out, state, c, x, w, n, pool, work, &err), &err);
    must(kl_circuit_adjoint_f32(dx, dw, state, c, x, w, cot, n, pool, work, &err), &err);
    widen(v->out, out, n * c->n_obs), widen(v->dx, dx, n * INPUTS), widen(v->dw, dw, WEIGHTS);
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

static double slow_objective(const struct values *v, const struct kl_circuit *c, size_t sample,
                             const double *x, const double *w)
{
    double out[MOST_OBS], sum = 0;
    slow_circuit(out, c, x, w);
    for (size_t o = 0; o < c->n_obs; o++) sum += v->cot[sample * c->n_obs + o] * out[o];
    return sum;
}

/* Derivative by value number k of x (sample's own) or w, by central differences of the definition. */
static double slow_derivative(const struct values *v, const struct kl_circuit *c, size_t sample,
                              bool by_w, size_t k)
{
    const double h = 1e-5;
    double x[INPUTS], w[WEIGHTS], ends[2];
    for (int side = 0; side < 2; side++) {
        memcpy(x, v->x + sample * INPUTS, sizeof x);
        memcpy(w, v->w, sizeof w);
        (by_w ? w : x)[k] += side ? -h : h;
        ends[side] = slow_objective(v, c, sample, x, w);
    }
    return (ends[0] - ends[1]) / (2 * h);
}

static void check_values(struct values *v, const struct kl_circuit *c, size_t n, bool wide)
{
    double worst = 0, out[MOST_OBS];
    run(v, c, n, wide, NULL);
    for (size_t i = 0; i < n; i++) {
        slow_circuit(out, c, v->x + i * INPUTS, v->w);
        for (size_t o = 0; o < c->n_obs; o++)
            worst = fmax(worst, fabs(out[o] - v->out[i * c->n_obs + o]));
    }
    if (!(worst < (wide ? 1e-12 : 1e-5))) fail("out", c, worst);
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

static void check_rules(struct values *v, const struct kl_circuit *c, size_t n)
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
        near = fmax(near, fabs(shift.dx[k] - v->dx[k]));
        far = fmax(far, fabs(differences.dx[k] - v->dx[k]));
    }
    for (size_t k = 0; k < WEIGHTS; k++) {
        near = fmax(near, fabs(shift.dw[k] - v->dw[k]));
        far = fmax(far, fabs(differences.dw[k] - v->dw[k]));
    }
    if (!(near < 1e-10)) fail("adjoint against parameter-shift", c, near);
    if (!(far < 1e-7)) fail("adjoint against central differences", c, far);
    kl_arena_free(&work);
}

/* Each odd batch size: samples have the bits that they have alone; dw is the sum of the single ones. */
static void check_batches(struct values *v, const struct kl_circuit *c, bool wide)
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
        for (size_t k = 0; k < WEIGHTS; k++) worst = fmax(worst, fabs(sum[k] - batch.dw[k]));
    }
    if (!same) fail("bits depend on the place in the batch", c, 0);
    if (!(worst < (wide ? 1e-11 : 2e-4))) fail("sum of single gradients", c, worst);
}

static void check_threads(struct values *v, const struct kl_circuit *c, bool wide)
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

/* Forward alone: against the definition, whatever the place in the batch. */
static void check_forward_only(struct values *v, int n, enum form form)
{
    static float x[MOST_BATCH * INPUTS], w[WEIGHTS], out[MOST_BATCH * MOST_OBS];
    enum { SAMPLES = 19 };
    struct kl_circuit *c = random_circuit(n, n < 8 ? 60 : 30, form, true);
    struct kl_error err;
    struct kl_arena work;
    double slow[MOST_OBS], alone[MOST_OBS], wide = 0, narrow = 0;
    bool same = true;
    must(kl_arena_init(&work, 0, &err), &err);
    convert(x, v->x, SAMPLES * INPUTS), convert(w, v->w, WEIGHTS);
    must(kl_circuit_forward_f64(v->out, NULL, c, v->x, v->w, SAMPLES, NULL, &work, &err), &err);
    must(kl_circuit_forward_f32(out, NULL, c, x, w, SAMPLES, NULL, &work, &err), &err);
    for (size_t i = 0; i < (n < 8 ? SAMPLES : 2); i++) {
        slow_circuit(slow, c, v->x + i * INPUTS, v->w);
        must(kl_circuit_forward_f64(alone, NULL, c, v->x + i * INPUTS, v->w, 1, NULL, &work, &err),
             &err);
        same &= memcmp(alone, v->out + i * c->n_obs, c->n_obs * sizeof *alone) == 0;
        for (size_t o = 0; o < c->n_obs; o++) {
            wide = fmax(wide, fabs(slow[o] - v->out[i * c->n_obs + o]));
            narrow = fmax(narrow, fabs(slow[o] - (double)out[i * c->n_obs + o]));
        }
    }
    if (!(wide < 1e-12 && narrow < 1e-5)) fail("forward only", c, fmax(wide, narrow));
    if (!same) fail("forward only: bits depend on the place in the batch", c, 0);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

/* On 16 qubits threads share each state. */
static void check_shared(struct values *v, bool real)
{
    static struct values one, more;
    struct kl_circuit *c = random_circuit(16, 90, real ? LAYERS : TURNS, false);
    struct kl_pool *pool;
    struct kl_error err;
    must(kl_pool_create(&pool, 3, &err), &err);
    one = more = *v;
    run(&one, c, 2, false, NULL);
    run(&more, c, 2, false, pool);
    if (memcmp(one.out, more.out, 2 * c->n_obs * sizeof *one.out) ||
        memcmp(one.dx, more.dx, 2 * INPUTS * sizeof *one.dx) || memcmp(one.dw, more.dw, sizeof one.dw))
        fail("bits depend on the threads that share a state", c, 0);
    check_values(v, c, 1, false);
    check_gradients(v, c, 1, false);
    kl_pool_destroy(&pool);
    kl_circuit_free(&c);
}

/* Cosines and sines over the reduction's range and beyond it; every lane has its own angle. */
static void check_half_angles(const struct kl_kernels *k)
{
    enum { N = 64 };
    float angle[N], c[N], s[N];
    double worst = 0;
    for (int round = 0; round < 20000; round++) {
        double range = round % 4 == 0 ? 1 : round % 4 == 1 ? 100 : round % 4 == 2 ? 1e4 : 1e8;
        for (int i = 0; i < N; i++) angle[i] = (float)(range * uniform());
        k->vqc_f32->half_angles(c, s, angle, N);
        for (int i = 0; i < N; i++) {
            worst = fmax(worst, fabs(cos(0.5 * (double)angle[i]) - (double)c[i]));
            worst = fmax(worst, fabs(sin(0.5 * (double)angle[i]) - (double)s[i]));
        }
    }
    if (worst < 1.2e-7) return;
    fprintf(stderr, "vqc %s: cosine or sine: difference %.3g\n", isa, worst);
    failures++;
}

static void check_isa(void)
{
    static struct values v;
    for (int n = 1; n <= 13; n++) {
        draw(&v);
        for (int times = 0; times < 3; times++) check_forward_only(&v, n, TURNS);
        check_forward_only(&v, n, LAYERS);
        check_forward_only(&v, n, ANY);
    }
    for (int n = 1; n <= 13; n++)
        for (int kind = 0; kind < 6; kind++) {
            bool wide = kind & 1;
            const enum form form = kind / 2 == 0 ? ANY : kind / 2 == 1 ? LAYERS : TURNS;
            struct kl_circuit *c = random_circuit(n, n < 8 ? 40 : 24, form, false);
            draw(&v);
            check_values(&v, c, n < 8 ? 19 : 3, wide);
            if (n < 6 || n == 9 || n == 13) check_gradients(&v, c, n < 6 ? 3 : 1, wide);
            if (wide) check_rules(&v, c, n < 8 ? 3 : 1);
            if (n == 4 || (n == 9 && form == TURNS)) check_batches(&v, c, wide);
            kl_circuit_free(&c);
            c = random_circuit(n, 8 * n, form, false);
            if (n == 10) check_threads(&v, c, wide);
            kl_circuit_free(&c);
        }
    check_shared(&v, false);
    check_shared(&v, true);
}

/* Nanoseconds a gate and sample, forward and adjoint, of a random circuit of all gates. */
static void bench(int n)
{
    static struct values v;
    struct kl_circuit *c = random_circuit(n, 60, ANY, false);
    double best = 1e9;
    draw(&v);
    for (double begun = kl_clock(); kl_clock() - begun < 0.2;) {
        double start = kl_clock();
        run(&v, c, 64, false, NULL);
        best = fmin(best, kl_clock() - start);
    }
    printf("vqc %s: %d qubits, all gates, float: %.2f ns a gate and sample\n", isa, n,
           1e9 * best / 60 / 64);
    kl_circuit_free(&c);
}

int main(int argc, char **argv)
{
    for (int i = 0; kl_kernels_of(i); i++) {
        isa = kl_kernels_of(i)->isa;
        setenv("KETLINE_ISA", isa, 1);
        check_half_angles(kl_kernels_of(i));
        check_isa();
        for (int n = 4; argc > 1 && strcmp(argv[1], "--bench") == 0 && n <= 10; n += 6) bench(n);
    }
    return failures != 0;
}
