/* SPDX-License-Identifier: MIT
   The circuit alone, ry-ring with three layers, float, batch 64: forward and gradients of inputs and
   weights, one thread and all; then each instruction set beside its peak, and the cost of a gate. */
#include "circuit_work.h"
#include "kernels/isa.h"
#include "device/device.h"

enum { BATCH = 64, LAYERS = 3 };

static double ring_seconds(int n_qubits, struct kl_pool *pool, double budget)
{
    struct work k = begin("ry-ring", n_qubits, LAYERS, BATCH);
    const double best = seconds(&k, pool, budget);
    end(&k);
    return best;
}

/* Multiplications and additions that are carried out: 6 a pair of amplitudes and rotation forward, 12 +
   4 backward, but the first rotation of a qubit is merged with its embedding; products, observables and
   their way back take 16 an amplitude. */
static double flops(int n_qubits)
{
    double rotations = n_qubits * (LAYERS - 1), amplitudes = ldexp(1, n_qubits);
    return BATCH * amplitudes * (rotations * (6 + 16) / 2 + 16);
}

int main(int argc, char **argv)
{
    static const int sizes[] = { 4, 10 };
    double budget = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 0.1 : 1;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    must(kl_pool_create(&pool, 0, &err), &err);
    for (size_t i = 0; i < 2; i++) {
        double one = ring_seconds(sizes[i], NULL, budget), all = ring_seconds(sizes[i], pool, budget);
        printf("%d qubits: %.2f us a batch, one thread; %.2f us, %d threads; %.2f ns a rotation and "
               "sample\n",
               sizes[i], 1e6 * one, 1e6 * all, kl_pool_size(pool),
               1e9 * one / BATCH / (sizes[i] * (LAYERS + 1)));
        printf("bench circuit%d/ketline %.4g s\n", sizes[i], one < all ? one : all);
    }
    for (int isa = 0; kl_isa_is_here(isa); isa++) {
        double peak = kl_device_peak_gflops(kl_isa_name(isa));
        kl_isa_use(isa);
        for (size_t i = 0; i < 2; i++) {
            double t = ring_seconds(sizes[i], NULL, budget / 2), rate = 1e-9 * flops(sizes[i]) / t;
            printf("%s, %d qubits: %.2f us a batch, one thread; %.1f GFLOP/s, peak %.1f: %.0f%%\n",
                   kl_isa_name(isa), sizes[i], 1e6 * t, rate, peak, 100 * rate / peak);
        }
    }
    kl_pool_destroy(&pool);
    return 0;
}
