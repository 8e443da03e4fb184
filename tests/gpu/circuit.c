/* SPDX-License-Identifier: MIT
   Batches of circuits on the GPU against the CPU in double: random circuits of every gate and of real
   ones, with and without a first layer, sums of Pauli strings, learnable scales, products of inputs;
   outputs and gradients; every number of qubits and batches that fill no warp. */
#include "circuit/cuda.h"
#include "gpu.h"

enum { MOST_BATCH = 5000, MOST_OBS = 24 };
#define FAMILY "circuit"
#include "../kernels/circuits.h"

/* layer: it begins with rotations of all qubits, as most circuits do. */
static struct kl_circuit *random_circuit(int n, int gates, bool real, bool layer)
{
    static const enum kl_gate all_real[6] = { KL_RY, KL_CRY, KL_H, KL_CZ, KL_X, KL_CNOT },
                              rotations[6] = { KL_RX, KL_RY, KL_RZ, KL_ROT, KL_ROT, KL_ROT },
                              turns[6] = { KL_RY, KL_RY, KL_RY, KL_RY, KL_RY, KL_RY };
    struct kl_circuit *c;
    struct kl_error err;
    must(kl_circuit_begin(&c, n, INPUTS, WEIGHTS, &err), &err);
    for (int q = 0; layer && q < n; q++) {
        struct kl_op op = random_op(n, real ? turns : rotations);
        op.wire[0] = q;
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (int g = 0; g < gates; g++) {
        struct kl_op op = random_op(n, real ? all_real : NULL);
        must(kl_circuit_append(c, &op, &err), &err);
    }
    for (int o = 0; o < n; o++)
        must(kl_circuit_observe(c, (struct kl_pauli){ .z = 1u << o }, &err), &err);
    must(kl_circuit_observe(c, (struct kl_pauli){ below(1u << n), below(1u << n) }, &err), &err);
    must(kl_circuit_observe_sum(c, &err), &err);
    for (int t = 0; t < 4; t++) {
        const struct kl_pauli p = { t % 2 ? below(1u << n) : 0, 1 + below((1u << n) - 1) };
        must(kl_circuit_add_string(c, 2 * chance() - 1, p, &err), &err);
    }
    must(kl_circuit_finish(c, &err), &err);
    return c;
}

static double worst_of(const float *a, const double *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = worse(worst, (double)a[i] - b[i]);
    return worst;
}

static double largest(const double *b, size_t n)
{
    double most = 1;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(b[i]));
    return most;
}

static void check(const struct kl_circuit *c, size_t n)
{
    static double x[MOST_BATCH * INPUTS], w[WEIGHTS], cot[MOST_BATCH * MOST_OBS],
        out[MOST_BATCH * MOST_OBS], dx[MOST_BATCH * INPUTS], dw[WEIGHTS];
    static float fx[MOST_BATCH * INPUTS], fw[WEIGHTS], fcot[MOST_BATCH * MOST_OBS],
        fout[MOST_BATCH * MOST_OBS], alone[MOST_BATCH * MOST_OBS], fdx[MOST_BATCH * INPUTS],
        fdw[WEIGHTS];
    struct kl_cuda_circuit card;
    struct kl_cuda_batch *batch;
    struct kl_arena work;
    struct kl_error err;
    must(kl_arena_init(&work, 0, &err), &err);
    for (size_t i = 0; i < n * INPUTS; i++) x[i] = fx[i] = (float)(4 * chance() - 2);
    for (size_t i = 0; i < WEIGHTS; i++) w[i] = fw[i] = (float)(4 * chance() - 2);
    for (size_t i = 0; i < n * c->n_obs; i++) cot[i] = fcot[i] = (float)(2 * chance() - 1);
    memset(dw, 0, sizeof dw);
    must(kl_circuit_forward_f64(out, NULL, c, x, w, n, NULL, &work, &err), &err);
    must(kl_circuit_adjoint_f64(dx, dw, NULL, c, x, w, cot, n, NULL, &work, &err), &err);
    must(kl_circuit_for_cuda(&card, c, &work, &err), &err);
    must(device.cuda->batch->open(&batch, &card, n, device.number, &err), &err);
    must(device.cuda->batch->run(batch, fout, fdx, fdw, fx, fw, fcot, NULL, 1, &err), &err);
    must(device.cuda->batch->run(batch, alone, NULL, NULL, fx, fw, NULL, NULL, 1, &err), &err);
    device.cuda->batch->close(&batch);
    if (memcmp(alone, fout, n * c->n_obs * sizeof *fout) != 0) fail("outputs alone", c, NAN);
    const double o = worst_of(fout, out, n * c->n_obs), i = worst_of(fdx, dx, n * INPUTS),
                 s = worst_of(fdw, dw, WEIGHTS) / largest(dw, WEIGHTS);
    if (!(o < 1e-5)) fail("outputs", c, o);
    if (!(i < 2e-4)) fail("gradients by inputs", c, i);
    if (!(s < 1e-4)) fail("gradients by weights", c, s);
    digest_of(fout, n * c->n_obs * sizeof *fout);
    digest_of(fdx, n * INPUTS * sizeof *fdx);
    digest_of(fdw, sizeof fdw);
    kl_arena_free(&work);
}

int main(void)
{
    open_gpu();
    isa = device.name;
    const int most = small ? 15 : 17;
    for (int n = 1; n <= most; n++)
        for (int kind = 0; kind < (smallest ? 2 : small ? 4 : 8); kind++) {
            /* Rows that are no whole block, or more than the blocks take at once. */
            const size_t samples = small    ? (n < 6    ? 37
                                               : n < 11 ? 3
                                                        : 7)
                                   : n < 11 ? 4099
                                   : n < 15 ? 300
                                            : 5;
            struct kl_circuit *c = random_circuit(n, n < 11 ? 30 : 16, kind & 1, !(kind & 2));
            check(c, samples);
            kl_circuit_free(&c);
        }
    struct kl_circuit *largest = random_circuit(KL_MAX_QUBITS, 12, false, true);
    if (!smallest) check(largest, 1);
    kl_circuit_free(&largest);
    print_digest();
    return failures != 0;
}
