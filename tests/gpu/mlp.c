/* SPDX-License-Identifier: MIT
   Small networks on the GPU against the CPU: history and parameters of some epochs, over shapes, bits
   and numbers, batches that are not full, dropout, penalties, clipping; networks whose moments do not
   fit a block's memory, and such that do not fit at all; rates, ends and best epochs; and what must be
   equal to the bit: a run alone and in company. */
#include <math.h>

#include "gpu.h"
#include "kernels/inline/philox.h"
#include "qrng/classify/network.h"
#include "tests/unit/check.h"

enum { MOST_ROWS = 1200, MOST_INPUTS = 330, WORDS = 6, RUNS = 5, EPOCHS = 3, LONG = 40, SIZE = 50000 };
static uint64_t words[MOST_ROWS][WORDS];
static float numbers[MOST_ROWS][MOST_INPUTS];
static int32_t labels[RUNS][MOST_ROWS];
static int64_t rows[MOST_ROWS];

static void draw(void)
{
    for (uint32_t i = 0; i < MOST_ROWS; i++) {
        uint32_t w[4];
        for (uint32_t k = 0; k < WORDS; k++) {
            kl_philox(w, 5, i, 1000, k, 0);
            words[i][k] = (uint64_t)w[1] << 32 | w[0];
        }
        for (uint32_t j = 0; j < MOST_INPUTS; j++) {
            kl_philox(w, 6, i, 1000, j, 0);
            numbers[i][j] = (float)(2 * kl_philox_unit(w[0]) - 1);
        }
        rows[i] = (int64_t)((i * 7ull) % MOST_ROWS);
    }
}

/* Half of the labels say something of the first bits or numbers. */
static void label(bool packed, int classes)
{
    for (uint32_t r = 0; r < RUNS; r++)
        for (uint32_t i = 0; i < MOST_ROWS; i++) {
            uint32_t w[4];
            kl_philox(w, 7, i, 1000, r, 0);
            const uint32_t told = packed ? (uint32_t)words[i][0] & 3 : numbers[i][0] > 0;
            labels[r][i] = (int32_t)((w[0] & 1 ? told : w[1] % 64) % (uint32_t)classes);
        }
}

struct kind {
    const char *name;
    struct kl_mlp net;
    bool packed;
    int64_t batch;
    double dropout, l1, decay, clip;
    enum kl_network_judge judge;
};
static const struct kind kinds[] = {
    { "the study's", { 3, { 100, 30, 20, 3 } }, true, 8, 0.2, 0.002, 0, 1, KL_JUDGE_LOSS },
    { "odd sizes", { 4, { 33, 7, 41, 5, 2 } }, true, 7, 0.1, 0, 0.01, 0.3, KL_JUDGE_ACCURACY },
    { "one layer", { 1, { 64, 5 } }, true, 3, 0, 0.001, 0, 0, KL_JUDGE_LOSS },
    { "one row a step", { 2, { 9, 6, 64 } }, true, 1, 0.3, 0, 0, 1, KL_JUDGE_LOSS },
    { "numbers", { 3, { 4, 30, 20, 3 } }, false, 8, 0.2, 0.002, 0, 1, KL_JUDGE_LOSS },
    { "many numbers", { 2, { 57, 33, 4 } }, false, 5, 0.05, 0, 0.02, 0, KL_JUDGE_ACCURACY },
    { "moments outside", { 3, { 330, 60, 30, 10 } }, true, 8, 0.2, 0.0005, 0, 1, KL_JUDGE_LOSS },
};

static struct kl_network_options options_of(const struct kind *k)
{
    struct kl_network_options o;
    kl_classify_network_options_default(&o);
    o.net = k->net, o.batch = k->batch, o.dropout = k->dropout, o.l1 = k->l1;
    o.weight_decay = k->decay, o.clip = k->clip, o.judge = k->judge, o.epochs = smallest ? 1 : EPOCHS;
    return o;
}

struct result {
    float params[SIZE];
    double history[KL_NETWORK_HISTORIES][LONG];
    struct kl_network_run run;
};
static struct result cpu[RUNS], gpu[RUNS], alone;

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static struct kl_samples samples_of(bool packed)
{
    return packed ? (struct kl_samples){ words, MOST_ROWS, sizeof words[0], true, NULL }
                  : (struct kl_samples){ numbers, MOST_ROWS, sizeof numbers[0], false, NULL };
}
static bool many;                    /* rows */
static size_t n_training(size_t run) /* of each run its own */
{
    return (many ? 900 : racecheck ? 9 : smallest ? 20 : 75) + 3 * run;
}
enum { JUDGING = 1000 };
static size_t n_judging(void)
{
    return racecheck ? 9 : 61;
}

static void on_cpu(const struct kl_network_options *o, bool packed)
{
    struct kl_error err;
    for (size_t r = 0; r < RUNS; r++) {
        struct kl_samples samples = samples_of(packed);
        samples.labels = labels[r];
        cpu[r].run = (struct kl_network_run){ .params = cpu[r].params, .history = cpu[r].history[0] };
        must(kl_classify_network_train(&cpu[r].run, o, &samples, rows, n_training(r), rows + JUDGING,
                                       n_judging(), 3, (uint32_t)r, NULL, &err),
             &err);
    }
}

static bool gaps; /* every third place stays empty */
/* Runs [first, first + n) on the GPU, as many at once as there are places. */
static void on_gpu(struct result *results, const struct kl_network_options *o, bool packed, size_t first,
                   size_t n)
{
    const struct kl_samples samples = samples_of(packed);
    struct kl_network_gpu *networks;
    struct kl_error err;
    size_t places = n, next = 0, ended = 0, who[RUNS];
    must(kl_classify_network_gpu_open(&networks, &places, o, &samples, &device, NULL, &err), &err);
    for (size_t p = 0; p < places; p++) who[p] = RUNS;
    while (ended < n) {
        for (size_t p = 0; p < places && next < n; p++) {
            if (who[p] != RUNS || (gaps && p % 3 == 1)) continue;
            const size_t r = first + next;
            struct result *to = &results[next];
            to->run = (struct kl_network_run){ .params = to->params, .history = to->history[0] };
            must(kl_classify_network_gpu_begin(networks, p, &to->run, labels[r], rows, n_training(r),
                                               rows + JUDGING, n_judging(), 3, (uint32_t)r, &err),
                 &err);
            who[p] = next++;
        }
        must(kl_classify_network_gpu_epoch(networks, &err), &err);
        for (size_t p = 0; p < places; p++) {
            bool over;
            must(kl_classify_network_gpu_take(&over, networks, p, &err), &err);
            if (over) who[p] = RUNS, ended++;
        }
    }
    kl_classify_network_gpu_close(&networks);
}

/* The root of the mean square: Adam makes a step of a gradient that is rounding alone, so that single
   parameters go ways of their own, in few steps not far. */
static double params_differ(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum / (double)n);
}

static void check(const struct kind *k)
{
    const struct kl_network_options o = options_of(k);
    const size_t size = kl_classify_network_size(&o.net);
    const double tolerance = many ? 3e-3 : 1e-5; /* some 350 steps, or some 30 */
    label(k->packed, o.net.size[o.net.n_layers]);
    on_cpu(&o, k->packed);
    on_gpu(gpu, &o, k->packed, 0, RUNS);
    for (size_t r = 0; r < RUNS; r++) {
        const double params = params_differ(cpu[r].params, gpu[r].params, size),
                     most = far_from_floats(cpu[r].params, gpu[r].params, size);
        CHECK(params < tolerance && (many || most < 1e-4),
              "%s, run %zu: parameters differ by %.3g, at most %.3g", k->name, r, params, most);
        for (int h = 0; h < KL_NETWORK_HISTORIES; h++) {
            const bool share = h == KL_NETWORK_TRAIN_ACCURACY || h == KL_NETWORK_JUDGE_ACCURACY;
            const double off = far_from(cpu[r].run.history + h * o.epochs,
                                        gpu[r].run.history + h * o.epochs, (size_t)cpu[r].run.epochs);
            CHECK(off < (share ? 1.5 / (double)n_judging() : tolerance),
                  "%s, run %zu: history %d differs by %.3g", k->name, r, h, off);
        }
        CHECK(cpu[r].run.best == gpu[r].run.best && gpu[r].run.epochs == o.epochs, "%s, run %zu",
              k->name, r);
        digest_of(gpu[r].params, size * sizeof(float));
        digest_of(gpu[r].history, sizeof(double) * (size_t)(KL_NETWORK_HISTORIES * o.epochs));
    }
    if (racecheck) return;
    on_gpu(&alone, &o, k->packed, 3, 1);
    CHECK(memcmp(alone.params, gpu[3].params, size * sizeof(float)) == 0 &&
              memcmp(alone.history, gpu[3].history,
                     sizeof(double) * (size_t)(KL_NETWORK_HISTORIES * o.epochs)) == 0,
          "%s: a run alone has other bits than in company", k->name);
    CHECK(memcmp(gpu[1].params, gpu[3].params, size * sizeof(float)) != 0, "%s: all runs are the same",
          k->name);
}

/* Its own history says when the rate falls, the run ends and which parameters stay. */
static void check_course(void)
{
    struct kl_network_options o = options_of(&kinds[1]);
    static struct result best, last;
    o.epochs = LONG, o.patience = 4, o.rate_patience = 1, o.lr = 0.02;
    label(true, 2);
    on_gpu(&best, &o, true, 0, 1);
    const double *judged = best.history[KL_NETWORK_JUDGE_ACCURACY],
                 *rate = best.history[KL_NETWORK_RATE];
    int64_t at = 0;
    for (int64_t e = 1; e < best.run.epochs; e++)
        if (judged[e] > judged[at]) at = e;
    CHECK(best.run.best == at, "best %d, expected %d", (int)best.run.best, (int)at);
    CHECK(best.run.epochs == at + 5 || best.run.epochs == LONG, "%d epochs, the best is %d",
          (int)best.run.epochs, (int)at);
    CHECK(rate[best.run.epochs - 1] < o.lr, "the rate was never halved: this checks nothing");
    CHECK(best.run.epochs == LONG || isnan(judged[best.run.epochs]), "a history behind the end");
    o.last = true;
    on_gpu(&last, &o, true, 0, 1);
    CHECK(memcmp(best.history, last.history, sizeof best.history) == 0, "best and last: histories");
    CHECK(memcmp(best.params, last.params, sizeof best.params) != 0, "best and last: parameters");
    o.last = false, o.patience = 0, o.epochs = at + 1;
    on_gpu(&last, &o, true, 0, 1);
    CHECK(memcmp(best.params, last.params, kl_classify_network_size(&o.net) * sizeof(float)) == 0,
          "what was kept is not what the best epoch had");
}

/* The run at a place does not depend on those beside it, or on gaps. */
static void check_gaps(void)
{
    const struct kl_network_options o = options_of(&kinds[1]);
    label(true, 2);
    on_gpu(gpu, &o, true, 0, RUNS);
    gaps = true, on_gpu(cpu, &o, true, 0, RUNS), gaps = false;
    for (size_t r = 0; r < RUNS; r++)
        CHECK(memcmp(cpu[r].params, gpu[r].params, kl_classify_network_size(&o.net) * sizeof(float)) ==
                  0,
              "run %zu has other bits between empty places", r);
}

static void check_refusal(void)
{
    struct kl_network_options o = options_of(&kinds[0]);
    const struct kl_samples samples = samples_of(true);
    struct kl_network_gpu *networks;
    struct kl_error err;
    size_t places = 1;
    o.net = (struct kl_mlp){ 2, { 100, 4096, 3 } };
    CHECK(kl_classify_network_gpu_open(&networks, &places, &o, &samples, &device, NULL, &err) ==
              KL_EUSAGE &&
          !networks);
}

int main(void)
{
    open_gpu();
    draw();
    /* After hundreds of steps of the last kind even two of the CPU's kernels are 3e-3 apart. */
    for (int turn = 0; turn < (small ? 1 : 2); turn++, many = turn)
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds - many; i++) check(&kinds[i]);
    many = false;
    if (!smallest) check_course();
    if (!racecheck) check_gaps();
    check_refusal();
    print_digest();
    return failures != 0;
}
