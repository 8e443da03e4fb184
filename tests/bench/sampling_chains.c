/* SPDX-License-Identifier: MIT
   The reference's classic SYNTH experiment through the engine of chains (CPU time, one thread): an epoch
   of 5 steps of 4-500-1 and of the same with a pass over the test set after each; 3.3 M epochs are the
   whole of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/langevin.h"
#include "sampling/chain/chain.h"

enum { TRAIN = 50, TEST = 100, INPUTS = 4 };
static struct kl_error err;

static void must(int code)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err.text);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(struct kl_sampling_records *r, size_t n, uint64_t key)
{
    const struct kl_langevin_stream stream = { key, 1, 0, 0 };
    *r = (struct kl_sampling_records){ n, INPUTS, aligned_alloc(64, n * 64),
                                       malloc(n * sizeof(int32_t)) };
    if (!r->x || !r->label) exit(1);
    kl_kernel_langevin_normals_f32()(r->x, 0, n * INPUTS, &stream);
    for (size_t i = 0; i < n; i++) r->label[i] = r->x[i * INPUTS] + r->x[i * INPUTS + 1] > 0;
}

static double seconds_an_epoch(const struct kl_sampling_target_f32 *target, int64_t warmup,
                               int64_t epochs)
{
    struct kl_sampling_settings s;
    struct kl_sampling_rung rung = { 100, 0.1, warmup, epochs };
    struct kl_sampling_run *run = NULL;
    kl_sampling_settings_default(&s);
    s.convention = KL_SAMPLING_TEMPERED, s.start = KL_SAMPLING_FAN_IN, s.schedule = KL_SAMPLING_POWER;
    s.rungs = &rung, s.n_rungs = 1, s.chains = 1, s.batch = 10, s.anneal = 0, s.whole = false,
    s.seed = 1;
    must(kl_sampling_run_open(&run, &s, target, 1, 1, &err));
    const double start = now();
    must(kl_sampling_run_go(run, NULL, NULL, &err));
    const double seconds = now() - start;
    kl_sampling_run_close(&run);
    return seconds / (double)(warmup + epochs);
}

int main(int argc, char **argv)
{
    const int64_t epochs = argc > 1 && argv[1][0] == '-' ? 3000 : 20000;
    struct kl_sampling_records train, test;
    struct kl_sampling_net net;
    struct kl_sampling_target_f32 target;
    double best = INFINITY, tested = INFINITY;
    fill(&train, TRAIN, 1), fill(&test, TEST, 2);
    must(kl_sampling_net_make(&net, "fcn1:500", 1, 1, INPUTS, 2, KL_LOSS_BBCE, 4, &err));
    for (int i = 0; i < net.n_tensors; i++) net.tensors[i].sigma = 1000;
    must(kl_sampling_net_target(&target, &net, &train, &test, 10, 1, &err));
    for (int round = 0; round < 5; round++) {
        best = fmin(best, seconds_an_epoch(&target, epochs, 1));
        tested = fmin(tested, seconds_an_epoch(&target, 0, epochs / 10));
    }
    printf("%s: classic SYNTH, an epoch %.1f us, with loss, test and virial after each %.1f us; 3.3 M "
           "epochs %.0f s\n",
           kl_isa_name(kl_isa()), 1e6 * best, 1e6 * tested, 3.3e6 * best);
    printf("bench synth-epoch/ketline %.3f us\n", 1e6 * best);
    target.close(target.context);
    free(train.x), free(train.label), free(test.x), free(test.label);
    return 0;
}
