/* SPDX-License-Identifier: MIT
   checkkernels, family density: random circuits of every gate under random noise on 1 to 7 qubits, in
   each instruction set and precision, against slow_noise.h; the gradients against central differences of
   it and the parameter-shift rules. Then the density matrices themselves: trace 1, no negative
   eigenvalue; and what must be equal to the bit: threads, placement in a batch. */
#include "slow_noise.h"

enum { MOST_BATCH = 35, MOST_OBS = 12 };
#define FAMILY "density"
#define DEFINITION slow_noisy_circuit
#include "kernels/isa.h"
#include "circuits.h"

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
        struct kl_op op = random_op(n, real ? real_gates : NULL);
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
        struct kl_op op = random_op(n, NULL);
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
            if (wide) check_rules(&v, c, n < 5 ? 3 : 1);
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
    for (int i = 0; kl_isa_is_here(i); i++) {
        isa = kl_isa_name(i);
        kl_isa_use(i);
        check_isa();
        for (int n = 4; argc > 1 && strcmp(argv[1], "--bench") == 0 && n <= 7; n += 3)
            bench(n, 0), bench(n, 1);
    }
    return failures != 0;
}
