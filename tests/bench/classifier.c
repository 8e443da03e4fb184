/* SPDX-License-Identifier: MIT
   The device classifier 100-30-20-3 on 6,000 rows of bits, 4,800 of them to train on: an epoch of 600
   steps of 8 rows, with the accuracies on both parts that end it, on one thread; 20 runs of the study's
   length (as many epochs as it takes without a better one in 100) on all threads; and what a step is
   made of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "kernels/isa.h"
#include "kernels/mlp.h"
#include "kernels/inline/philox.h"
#include "qrng/classify/network.h"

enum { ROWS = 6000, TRAINING = 4800, RUNS = 20, EPOCHS = 1000 };

/* Pairs of bits as the study's three devices give them. */
static void draw(uint64_t *words, int32_t *labels)
{
    static const double p[3][3] = { { .23364, .49482, .67284 },
                                    { .22019, .48256, .64956 },
                                    { .2744, .49491, .74189 } };
    for (uint32_t r = 0; r < ROWS; r++) {
        labels[r] = (int32_t)(r % 3);
        words[2 * r] = words[2 * r + 1] = 0;
        for (uint32_t k = 0; k < 50; k++) {
            uint32_t w[4];
            kl_philox(w, 1, r, 1000, k, 0);
            const double u = kl_philox_unit(w[0]);
            const uint64_t symbol = (u > p[r % 3][0]) + (u > p[r % 3][1]) + (u > p[r % 3][2]);
            words[2 * r + k / 32] |= (symbol >> 1 | (symbol & 1) << 1) << (2 * k % 64);
        }
    }
}

struct runs {
    struct kl_network_options o;
    struct kl_samples samples;
    int64_t order[ROWS], epochs[RUNS];
};

static void train(void *context, size_t run, int thread)
{
    struct runs *r = context;
    struct kl_error err;
    struct kl_network_run trained = {
        .params = malloc(kl_classify_network_size(&r->o.net) * sizeof(float)),
        .history = malloc(KL_NETWORK_HISTORIES * (size_t)r->o.epochs * sizeof(double))
    };
    (void)thread;
    if (!trained.params || !trained.history ||
        kl_classify_network_train(&trained, &r->o, &r->samples, r->order, TRAINING, r->order + TRAINING,
                                  ROWS - TRAINING, 89, (uint32_t)run, NULL, &err))
        exit(1);
    r->epochs[run] = trained.epochs;
    free(trained.params), free(trained.history);
}

/* Multiplications and additions of a step, as if every input were multiplied. */
static double step_flops(const struct kl_mlp *net)
{
    double flops = 0;
    for (int l = 0; l < net->n_layers; l++)
        flops += (l ? 6.0 : 4.0) * KL_MLP_BATCH * (double)(net->size[l] * net->size[l + 1]);
    return flops;
}

int main(int argc, char **argv)
{
    const int quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    static struct runs r;
    static uint64_t words[2 * ROWS];
    static int32_t labels[ROWS];
    struct kl_pool *pool = NULL;
    struct kl_error err;
    double best = 1e9;
    draw(words, labels);
    kl_classify_network_options_default(&r.o);
    r.samples = (struct kl_samples){ words, ROWS, 16, true, labels };
    for (int i = 0; i < ROWS; i++) r.order[i] = (int64_t)i * 7 % ROWS;
    r.o.epochs = quick ? 5 : 50;
    for (int i = 0; i < (quick ? 2 : 5); i++) {
        const double start = kl_clock();
        train(&r, 0, 0);
        const double seconds = (kl_clock() - start) / (double)r.o.epochs;
        if (seconds < best) best = seconds;
    }
    const double peak = kl_device_peak_gflops(kl_isa_name(kl_isa())),
                 rate = step_flops(&r.o.net) * 600 / best * 1e-9;
    printf("%s: an epoch %.2f ms, a step %.2f us with its share of the accuracies: products %.1f "
           "GFLOP/s of %.1f (%.0f %%)\n",
           kl_isa_name(kl_isa()), best * 1e3, best / 600 * 1e6, rate, peak, 100 * rate / peak);
    printf("bench classifier-epoch/ketline %.6g s\n", best);
    r.o.epochs = quick ? 20 : EPOCHS;
    if (kl_pool_create(&pool, 0, &err)) return 1;
    const double start = kl_clock();
    kl_pool_for(pool, RUNS, train, &r);
    const double seconds = kl_clock() - start;
    int64_t epochs = 0;
    for (int i = 0; i < RUNS; i++) epochs += r.epochs[i];
    kl_pool_destroy(&pool);
    printf("%d runs of %.0f epochs on the average\n", RUNS, (double)epochs / RUNS);
    if (!quick) printf("bench classifier-runs/ketline %.6g s\n", seconds);
    return 0;
}
