/* SPDX-License-Identifier: MIT
   Strongly entangling layers alone, float: forward and gradients of inputs and weights. Three layers
   on 4 and 10 qubits, batch 64; four layers on 16 and 20 qubits, one sample, which is one training
   step's gradient of a weighted sum of all <Z_q>. One thread and all, and how much of one core's peak.
 */
#include "circuit_work.h"
#include "kernels/isa.h"
#include "device/device.h"

/* Multiplications and additions of one thread's work: a matrix on a pair of amplitudes takes 28; on the
   way back it takes them on state and bra, and 26 for its inner products. The first layer is a product
   and hardly counts. Above 12 qubits forward runs twice. */
static double flops(int n_qubits, int n_layers, size_t batch)
{
    const double pairs = ldexp(1, n_qubits - 1) * n_qubits * (n_layers - 1) * (double)batch;
    return pairs * ((n_qubits > 12 ? 2 : 1) * 28 + 2 * 28 + 26);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int n_qubits, n_layers;
        size_t batch;
    } cases[] = { { "entangling4", 4, 3, 64 },
                  { "entangling10", 10, 3, 64 },
                  { "gradient16", 16, 4, 1 },
                  { "gradient20", 20, 4, 1 } };
    double budget = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 0.1 : 2;
    struct kl_pool *pool = NULL;
    struct kl_error err;
    must(kl_pool_create(&pool, 0, &err), &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct work k =
            begin("strongly-entangling", cases[i].n_qubits, cases[i].n_layers, cases[i].batch);
        double one = seconds(&k, NULL, budget), all = seconds(&k, pool, budget);
        printf("%s: %zu sample%s, %.4g ms, one thread; %.4g ms, %d threads\n", cases[i].name, k.n,
               kl_s(k.n), 1e3 * one, 1e3 * all, kl_pool_size(pool));
        const double rate = 1e-9 * flops(cases[i].n_qubits, cases[i].n_layers, k.n) / one,
                     peak = kl_device_peak_gflops(kl_isa_name(kl_isa()));
        printf("%s, %s, one thread: %.1f GFLOP/s, peak %.1f: %.0f%%\n", cases[i].name,
               kl_isa_name(kl_isa()), rate, peak, 100 * rate / peak);
        printf("bench %s/ketline %.4g s\n", cases[i].name, one < all ? one : all);
        end(&k);
    }
    kl_pool_destroy(&pool);
    return 0;
}
