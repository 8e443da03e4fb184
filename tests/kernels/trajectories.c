/* SPDX-License-Identifier: MIT
   checkkernels, trajectories: realisations of noise on random circuits of every gate, in each
   instruction set and precision. Where every error is certain, or no channel is left but the readout,
   one realisation is the whole: outputs and gradients must be those of the density matrix. Where they
   are not, the gradients of given realisations must be those of the shift rules and of central
   differences. Then what must be equal to the bit: threads, placement in a batch, states kept or not. */
#include "circuit/noise.h"

enum { MOST_BATCH = 35, MOST_OBS = 32 };
#define FAMILY "trajectories"
#include "circuits.h"
#include "tests/worse.h"

/* Errors that happen always or never, and readout errors. */
static void certain_noise(char *text, size_t size, int n)
{
    size_t at = (size_t)snprintf(text, size, "{\"qubits\":[");
    for (int q = 0; q < n; q++)
        at += (size_t)snprintf(text + at, size - at,
                               "%s{\"bit-flip\":%u,\"bit-flip-2\":%u,\"phase-flip\":%u,"
                               "\"phase-flip-2\":%u,\"readout-0\":%.3f,\"readout-1\":%.3f}",
                               q ? "," : "", below(2), below(2), below(2), below(2), 0.2 * chance(),
                               0.2 * chance());
    snprintf(text + at, size - at, "]}");
}

static const char *const strong =
    "{\"all\":{\"depolarizing\":0.1,\"amplitude-damping\":0.2,\"phase-damping\":0.1,\"bit-flip-2\":0.1,"
    "\"phase-flip\":0.1,\"t1\":2.0,\"t2\":1.5,\"gate-time\":0.2,\"excited\":0.7,\"readout-0\":0.1}}";

static struct kl_circuit *circuit_of(const struct kl_op *ops, int n_ops, int n, bool probabilities,
                                     const char *noise, size_t trajectories)
{
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    for (int i = 0; i < n_ops; i++) must(kl_circuit_append(c, &ops[i], &err), &err);
    for (int o = 0; !probabilities && o < n + 3; o++) {
        struct kl_pauli p = { .z = 1u << o % n };
        if (o >= n) p = (struct kl_pauli){ 5u * (unsigned)o % (1u << n), 3u * (unsigned)o % (1u << n) };
        must(kl_circuit_observe(c, p, &err), &err);
    }
    if (probabilities) must(kl_circuit_observe_probabilities(c, &err), &err);
    c->trajectories = trajectories;
    must(kl_circuit_add_noise(c, noise, &err), &err);
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

static double worst_of(const double *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = worse(worst, a[i] - b[i]);
    return worst;
}

static void check_certain(int n, bool real, bool probabilities, bool wide)
{
    enum { GATES = 40 };
    static struct values exact, drawn;
    struct kl_op ops[GATES];
    char noise[4096];
    for (int i = 0; i < GATES; i++) ops[i] = random_op(n, real ? real_gates : NULL);
    certain_noise(noise, sizeof noise, n);
    struct kl_circuit *density = circuit_of(ops, GATES, n, probabilities, noise, 0),
                      *c = circuit_of(ops, GATES, n, probabilities, noise, 1 + below(3));
    draw(&exact);
    drawn = exact;
    run(&exact, density, MOST_BATCH, true, NULL);
    run(&drawn, c, MOST_BATCH, wide, NULL);
    const double out = worst_of(exact.out, drawn.out, MOST_BATCH * c->n_obs),
                 dx = worst_of(exact.dx, drawn.dx, MOST_BATCH * INPUTS),
                 dw = worst_of(exact.dw, drawn.dw, WEIGHTS);
    if (!(out < (wide ? 1e-12 : 1e-5))) fail("certain errors, out", c, out);
    if (!(dx < (wide ? 1e-11 : 1e-4))) fail("certain errors, dx", c, dx);
    if (!(dw < (wide ? 1e-10 : 1e-3))) fail("certain errors, dw", c, dw);
    kl_circuit_free(&density);
    kl_circuit_free(&c);
}

static void check_rules(int n, bool probabilities)
{
    enum { GATES = 30, SAMPLES = 3 };
    static struct values v, other;
    struct kl_op ops[GATES];
    struct kl_error err;
    struct kl_arena work;
    must(kl_arena_init(&work, 0, &err), &err);
    for (int i = 0; i < GATES; i++) ops[i] = random_op(n, NULL);
    struct kl_circuit *c = circuit_of(ops, GATES, n, probabilities, strong, 5);
    c->draws.seed = below(1000);
    draw(&v);
    run(&v, c, SAMPLES, true, NULL);
    for (int rule = 0; rule < 2; rule++) {
        memset(other.dw, 0, sizeof other.dw);
        must(rule ? kl_circuit_differences(other.dx, other.dw, c, v.x, v.w, v.cot, SAMPLES, 1e-5, &work,
                                           &err)
                  : kl_circuit_shift_f64(other.dx, other.dw, c, v.x, v.w, v.cot, SAMPLES, &work, &err),
             &err);
        const double dx = worst_of(v.dx, other.dx, SAMPLES * INPUTS),
                     dw = worst_of(v.dw, other.dw, WEIGHTS), bound = rule ? 1e-6 : 1e-10;
        if (!(dx < bound && dw < bound))
            fail(rule ? "gradients against differences" : "gradients against the shift rules", c,
                 worse(dx, dw));
    }
    other = v;
    run(&other, c, SAMPLES, false, NULL);
    const double out = worst_of(v.out, other.out, SAMPLES * c->n_obs),
                 gradients = worse(worst_of(v.dx, other.dx, SAMPLES * INPUTS),
                                   worst_of(v.dw, other.dw, WEIGHTS));
    if (!(out < 1e-5)) fail("float against double, out", c, out);
    if (!(gradients < 1e-2)) /* damping is divided by on the way back, angles multiply by their inputs */
        fail("float against double, gradients", c, gradients);
    kl_arena_free(&work);
    kl_circuit_free(&c);
}

static void check_bits(int n, bool wide)
{
    enum { GATES = 400 };
    static struct values v, other;
    struct kl_op ops[GATES];
    struct kl_pool *pool = NULL;
    struct kl_error err;
    bool same = true;
    must(kl_pool_create(&pool, 3, &err), &err);
    for (int i = 0; i < GATES; i++) ops[i] = random_op(n, i % 2 ? real_gates : NULL);
    struct kl_circuit *c = circuit_of(ops, GATES, n, false, strong, 3);
    draw(&v);
    run(&v, c, MOST_BATCH, wide, NULL);
    other = v;
    run_as(&other, c, MOST_BATCH, wide, false, pool);
    same &= memcmp(&other, &v, sizeof v) == 0;
    if (!same) fail("threads, or states kept, change bits", c, 0);
    for (size_t i = 0; i < MOST_BATCH; i += 11) { /* a sample alone, by its number */
        struct kl_circuit one = *c;
        one.draws.sample = i;
        memcpy(other.x, v.x + i * INPUTS, INPUTS * sizeof *v.x);
        memcpy(other.cot, v.cot + i * c->n_obs, c->n_obs * sizeof *v.cot);
        run(&other, &one, 1, wide, NULL);
        same &= memcmp(other.out, v.out + i * c->n_obs, c->n_obs * sizeof *v.out) == 0;
        same &= memcmp(other.dx, v.dx + i * INPUTS, INPUTS * sizeof *v.dx) == 0;
    }
    if (!same) fail("the place in a batch changes bits", c, 0);
    other = v;
    c->draws.step = 1;
    run(&other, c, MOST_BATCH, wide, NULL);
    if (memcmp(other.out, v.out, sizeof v.out) == 0) fail("another step draws the same", c, 0);
    kl_pool_destroy(&pool);
    kl_circuit_free(&c);
}

/* Flips behind every gate, or signs, against the same circuit with these as gates, behind the last op of
   each: forms of circuits that are there on many qubits alone. */
static void check_inserted(int n, bool real, bool signs)
{
    enum { GATES = 30, SAMPLES = 3 };
    static const enum kl_gate few[] = { KL_RX, KL_RY, KL_RZ, KL_ROT, KL_CNOT, KL_X };
    static struct values v, plain;
    struct kl_op ops[GATES];
    struct kl_circuit *c, *noisy;
    struct kl_error err;
    uint32_t wires = 0;
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    must(kl_circuit_begin(&noisy, n, INPUTS, WEIGHTS, &err), &err);
    for (int i = 0; i < GATES; i++) {
        ops[i] = random_op(n, real_gates);
        if (!real) ops[i].gate = few[below(6)];
        must(kl_circuit_append(c, &ops[i], &err), &err);
        must(kl_circuit_append(noisy, &ops[i], &err), &err);
        wires |= 1u << ops[i].wire[0] | (ops[i].gate == KL_CNOT ? 1u << ops[i].wire[1] : 0);
        for (int q = 0; q < n && (!ops[i].next || i + 1 == GATES); q++) {
            const struct kl_op error = { .gate = signs ? KL_RZ : KL_X,
                                         .wire = { q },
                                         .angle = { { KL_CONSTANT, 0, -1, M_PI, 0 } } };
            if (wires >> q & 1) must(kl_circuit_append(c, &error, &err), &err);
            wires &= ~(1u << q);
        }
    }
    for (int q = 0; q < n; q++) {
        must(kl_circuit_observe(c, (struct kl_pauli){ .z = 1u << q }, &err), &err);
        must(kl_circuit_observe(noisy, (struct kl_pauli){ .z = 1u << q }, &err), &err);
    }
    noisy->trajectories = 2;
    must(kl_circuit_add_noise(
             noisy, signs ? "{\"all\":{\"phase-flip\":1}}" : "{\"all\":{\"bit-flip\":1}}", &err),
         &err);
    must(kl_circuit_finish(c, &err), &err);
    must(kl_circuit_finish(noisy, &err), &err);
    draw(&v);
    plain = v;
    run(&v, noisy, SAMPLES, true, NULL);
    run(&plain, c, SAMPLES, true, NULL);
    const double worst =
        worse(worst_of(v.out, plain.out, SAMPLES * c->n_obs),
              worse(worst_of(v.dx, plain.dx, SAMPLES * INPUTS), worst_of(v.dw, plain.dw, WEIGHTS)));
    if (!(worst < 1e-11)) fail("errors as gates", noisy, worst);
    kl_circuit_free(&c);
    kl_circuit_free(&noisy);
}

int main(void)
{
    for (int i = 0; kl_isa_is_here(i); i++) {
        isa = kl_isa_name(i);
        kl_isa_use(i);
        for (int n = 1; n <= 5; n++)
            for (int form = 0; form < 8; form++) check_certain(n, form & 1, form & 2, form & 4);
        for (int n = 1; n <= 4; n++) check_rules(n, false), check_rules(n, true);
        for (int n = 4; n <= 13; n += 3)
            for (int form = 0; form < 4; form++) check_inserted(n, form & 1, form & 2);
        check_bits(4, true);
        check_bits(4, false);
    }
    return failures != 0;
}
