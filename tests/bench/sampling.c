/* SPDX-License-Identifier: MIT
   Langevin sampling on one thread: a million normals, the fused step of 1,787,001 weights
   (784-1000-1000-1), an epoch of the classic SYNTH problem (4-500-1, 5 steps of 10 records, then the
   test set of 100), each with every instruction set; CPU time. --values: what the peers compare theirs
   with (tests/bench/peer_sampling.py), no times. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/langevin.h"
#include "kernels/shallow.h"
#include "kernels/inline/philox.h"

enum {
    WEIGHTS = 1787001,
    NORMALS = 1000000,
    INPUTS = 4,
    UNITS = 500,
    TRAIN = 50,
    TEST = 100,
    BATCH = 10
};
enum { STEPS = TRAIN / BATCH, SHALLOW = UNITS * (INPUTS + 2) + 1 };

static int rounds = 400;
static bool values;

static void *memory(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) abort();
    memset(p, 0, bytes);
    return p;
}
/* Of this program's own: what else runs does not count. */
static double cpu_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
/* The best of the rounds, each of at least 1 ms, of seconds a call. */
static double seconds(void (*call)(void *), void *context)
{
    double best = 1e9;
    int calls = 1;
    for (int r = 0; r < rounds;) {
        const double start = cpu_clock();
        for (int i = 0; i < calls; i++) call(context);
        const double took = cpu_clock() - start;
        if (took < 1e-3 && calls < 1 << 20) {
            calls *= 2;
            continue;
        }
        best = fmin(best, took / calls), r++;
    }
    return best;
}
/* A row of the best instruction set, a remark of the others. */
static void row(const char *work, enum kl_isa k, double time)
{
    if (k == kl_isa()) printf("bench %s/ketline %.6g s\n", work, time);
    else printf("# %s, %s: %.4g us\n", work, kl_isa_name(k), 1e6 * time);
}

/* ---- normals, and the step that draws them on its way ---- */
struct flat {
    enum kl_isa k;
    float *w, *grad;
    struct kl_langevin_stream stream;
};
static void normals_call(void *context)
{
    struct flat *f = context;
    enum { PART = 1 << 14 }; /* as a consumer would, in the cache */
    for (size_t first = 0; first < NORMALS; first += PART)
        kl_isa_langevin_normals_f32(f->k)(f->w, first, NORMALS - first < PART ? NORMALS - first : PART,
                                          &f->stream);
    f->stream.step++;
}
static void step_call(void *context)
{
    struct flat *f = context;
    const struct kl_langevin_factors factors = { 0.9999, 1e-3, 1e-3 };
    struct kl_langevin_sums sums = { 0 };
    kl_isa_langevin_step_f32(f->k)(f->w, f->grad, 0, WEIGHTS, &factors, &f->stream, &sums);
    f->stream.step++;
}
static void flat(void)
{
    struct flat f = { .w = memory(WEIGHTS * sizeof *f.w),
                      .grad = memory(WEIGHTS * sizeof *f.grad),
                      .stream = { 1, KL_RANDOM_LANGEVIN, 0, 0 } };
    for (int isa = 0; isa < 3; isa++) {
        if (!kl_isa_is_here(f.k = isa)) continue;
        row("sampling-normals", f.k, seconds(normals_call, &f));
        row("sampling-step", f.k, seconds(step_call, &f));
    }
    free(f.w), free(f.grad);
}

/* ---- classic SYNTH ---- */
static const struct kl_shallow synth_net = { INPUTS, UNITS, KL_SHALLOW_BBCE, 0.018315638888734179 };
struct synth {
    enum kl_isa k;
    float x[(TRAIN + TEST) * INPUTS], *packed, *work;
    int32_t label[TRAIN + TEST];
    int64_t rows[TRAIN];
    uint32_t epoch;
    double spread; /* times sqrt(lr / beta) */
    struct kl_shallow_sums train[STEPS], test;
};
static void synth_epoch(void *context)
{
    struct synth *s = context;
    const struct kl_langevin_stream stream = { 1, KL_RANDOM_LANGEVIN, s->epoch * STEPS, 0 };
    const double lr = 0.1 / sqrt(s->epoch % 10000 + 1.0), beta = 50, sigma = 1000;
    const struct kl_langevin_factors step = { 1 - lr / 2 / sigma / sigma, lr / 2,
                                              s->spread * sqrt(lr / beta) };
    struct kl_langevin_factors factors[STEPS];
    for (int i = 0; i < STEPS; i++) factors[i] = step;
    const struct kl_shallow_records train = { s->x, s->label },
                                    test = { s->x + TRAIN * INPUTS, s->label + TRAIN };
    kl_isa_shallow_steps_f32(s->k)(s->packed, &synth_net, &train, s->rows, TRAIN, BATCH, factors,
                                   &stream, s->train, s->work);
    memset(&s->test, 0, sizeof s->test);
    kl_isa_shallow_evaluate_f32(s->k)(&s->test, NULL, s->packed, &synth_net, &test, NULL, TEST);
    s->epoch++;
}
static void synth_call(void *context)
{
    struct synth *s = context;
    uint32_t words[4] = { 0 };
    for (uint32_t i = TRAIN - 1; i > 0; i--) { /* Fisher and Yates */
        if (i % 4 == 3 || i == TRAIN - 1)
            kl_philox(words, 1, i / 4, KL_RANDOM_CHAIN_BATCHES, s->epoch, 0);
        const uint32_t j = (uint32_t)((uint64_t)words[i % 4] * (i + 1) >> 32);
        const int64_t row = s->rows[i];
        s->rows[i] = s->rows[j], s->rows[j] = row;
    }
    synth_epoch(s);
}
static void synth_start(struct synth *s)
{
    float flat_weights[SHALLOW];
    for (int i = 0; i < (TRAIN + TEST) * INPUTS; i++)
        s->x[i] = (float)(1.5 * sin(1.0 + 1.7 * i + 0.01 * i * i));
    for (int i = 0; i < TRAIN + TEST; i++)
        s->label[i] = (double)(s->x[4 * i] + s->x[4 * i + 1]) - 0.5 * (double)s->x[4 * i + 2] > 0;
    for (int i = 0; i < TRAIN; i++) s->rows[i] = i;
    for (int j = 0; j < SHALLOW; j++) flat_weights[j] = (float)(0.2 * sin(1.0 + j));
    kl_shallow_pack(s->packed, flat_weights, &synth_net);
    s->epoch = 0;
}
static void synth(void)
{
    static struct synth s;
    s.packed = memory(kl_shallow_packed(&synth_net) * sizeof *s.packed);
    s.work = memory(kl_shallow_work(&synth_net, BATCH) * sizeof *s.work);
    synth_start(&s);
    if (values) { /* 20 epochs without noise and in order: the last test loss, sum of weights times sines
                   */
        float w[SHALLOW];
        double sum = 0;
        s.k = kl_isa();
        for (int i = 0; i < 20; i++) synth_epoch(&s);
        kl_shallow_unpack(w, s.packed, &synth_net);
        for (int j = 0; j < SHALLOW; j++) sum += (double)w[j] * sin(1.0 + j);
        printf("value sampling-synth %.17g\nvalue sampling-synth-weights %.17g\n", s.test.loss / TEST,
               sum);
    } else
        for (int isa = 0; isa < 3; isa++) {
            if (!kl_isa_is_here(s.k = isa)) continue;
            synth_start(&s);
            s.spread = 1;
            row("sampling-synth", s.k, seconds(synth_call, &s));
        }
    free(s.packed), free(s.work);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        values |= strcmp(argv[i], "--values") == 0;
        if (strcmp(argv[i], "--quick") == 0) rounds = 40;
    }
    if (!values) flat();
    synth();
    return 0;
}
