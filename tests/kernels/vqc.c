/* SPDX-License-Identifier: MIT
   checkkernels, family vqc: random circuits of every gate, random circuits of RY, CNOT, X and strings of
   Z (which take the path of layers), and of rotations, CNOT, X and strings of Z (the path of turns, on
   samples side by side and on one state after another), on 1 to 13 qubits, in each instruction set and
   precision, against slow_circuit.h; the gradients against central differences of it and the
   parameter-shift rules. Then what must be equal to the bit: threads, placement in a batch. */
#include "slow_circuit.h"

enum { MOST_BATCH = 67, MOST_OBS = 24 };
#define FAMILY "vqc"
#define DEFINITION slow_circuit
#include "circuits.h"
#include "tests/worse.h"

enum form { ANY, LAYERS, TURNS };
static const enum kl_gate turn_gates[6] = { KL_RX, KL_RY, KL_RZ, KL_ROT, KL_CNOT, KL_X };
static const enum kl_gate *const gates_of[] = { NULL, real_gates, turn_gates };

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
        struct kl_op op = random_op(n, gates_of[form]);
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
    for (size_t i = 0; i < SAMPLES * INPUTS; i++) x[i] = (float)v->x[i];
    for (size_t i = 0; i < WEIGHTS; i++) w[i] = (float)v->w[i];
    must(kl_circuit_forward_f64(v->out, NULL, c, v->x, v->w, SAMPLES, NULL, &work, &err), &err);
    must(kl_circuit_forward_f32(out, NULL, c, x, w, SAMPLES, NULL, &work, &err), &err);
    for (size_t i = 0; i < (n < 8 ? SAMPLES : 2); i++) {
        slow_circuit(slow, c, v->x + i * INPUTS, v->w);
        must(kl_circuit_forward_f64(alone, NULL, c, v->x + i * INPUTS, v->w, 1, NULL, &work, &err),
             &err);
        same &= memcmp(alone, v->out + i * c->n_obs, c->n_obs * sizeof *alone) == 0;
        for (size_t o = 0; o < c->n_obs; o++) {
            wide = worse(wide, slow[o] - v->out[i * c->n_obs + o]);
            narrow = worse(narrow, slow[o] - (double)out[i * c->n_obs + o]);
        }
    }
    if (!(wide < 1e-12 && narrow < 1e-5)) fail("forward only", c, worse(wide, narrow));
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
static void check_half_angles(enum kl_isa k)
{
    enum { N = 64 };
    float angle[N], c[N], s[N];
    double worst = 0;
    for (int round = 0; round < 20000; round++) {
        double range = round % 4 == 0 ? 1 : round % 4 == 1 ? 100 : round % 4 == 2 ? 1e4 : 1e8;
        for (int i = 0; i < N; i++) angle[i] = (float)(range * (2 * chance() - 1));
        kl_isa_vqc_f32(k)->half_angles(c, s, angle, N);
        for (int i = 0; i < N; i++) {
            worst = worse(worst, cos(0.5 * (double)angle[i]) - (double)c[i]);
            worst = worse(worst, sin(0.5 * (double)angle[i]) - (double)s[i]);
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
    for (int i = 0; kl_isa_is_here(i); i++) {
        isa = kl_isa_name(i);
        kl_isa_use(i);
        check_half_angles(i);
        check_isa();
        for (int n = 4; argc > 1 && strcmp(argv[1], "--bench") == 0 && n <= 10; n += 6) bench(n);
    }
    return failures != 0;
}
