/* SPDX-License-Identifier: MIT
   Training of the small network: it learns what can be learned, each of the ways in which its inputs are
   given agrees, it ends when it should, and the rules about rate, end and kept epoch hold on its own
   history. */
#include "qrng/classify/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"
#include "kernels/inline/philox.h"

enum { N = 400, BITS = 12, EPOCHS = 60, SIZE = 2000 };
static uint64_t words[N];
static float numbers[N][BITS];
static int32_t labels[N];
static int64_t order[N];

/* The label is the exclusive or of two bits, so only a hidden layer can learn it. */
static void draw(void)
{
    for (uint32_t i = 0; i < N; i++) {
        uint32_t w[4];
        kl_philox(w, 5, i, 1000, 0, 0);
        words[i] = w[0] & ((1u << BITS) - 1);
        labels[i] = (int32_t)((words[i] >> 3 ^ words[i] >> 7) & 1);
        order[i] = (int64_t)i;
        for (int j = 0; j < BITS; j++) numbers[i][j] = (float)(words[i] >> j & 1);
    }
}

struct result {
    float params[SIZE];
    double history[KL_NETWORK_HISTORIES][EPOCHS];
    struct kl_network_run run;
};

static void train(struct result *r, const struct kl_network_options *o, bool packed, uint32_t stream)
{
    struct kl_error err = { 0 };
    const struct kl_samples samples =
        packed ? (struct kl_samples){ words, N, 8, true, labels }
               : (struct kl_samples){ numbers, N, sizeof numbers[0], false, labels };
    r->run = (struct kl_network_run){ .params = r->params, .history = r->history[0] };
    CHECK(kl_classify_network_train(&r->run, o, &samples, order, 300, order + 300, 100, 1, stream, NULL,
                                    &err) == 0,
          "%s", err.text);
}

static struct kl_network_options options(void)
{
    struct kl_network_options o;
    kl_classify_network_options_default(&o);
    o.net = (struct kl_mlp){ 2, { BITS, 24, 2 } };
    o.epochs = EPOCHS, o.lr = 0.01, o.l1 = 0, o.dropout = 0.05;
    return o;
}

static void check_learning(void)
{
    static struct result a, b, c;
    const struct kl_network_options o = options();
    train(&a, &o, true, 0), train(&b, &o, true, 0), train(&c, &o, true, 1);
    CHECK(a.history[KL_NETWORK_JUDGE_ACCURACY][a.run.best] > 0.95, "%g",
          a.history[KL_NETWORK_JUDGE_ACCURACY][a.run.best]);
    CHECK(memcmp(a.params, b.params, kl_classify_network_size(&o.net) * sizeof(float)) == 0,
          "a run twice");
    CHECK(memcmp(a.params, c.params, kl_classify_network_size(&o.net) * sizeof(float)) != 0,
          "two streams");
    train(&c, &o, false, 0);
    /* Sums in another order: the same course at first. */
    for (int e = 0; e < 3; e++)
        CHECK(fabs(a.history[KL_NETWORK_TRAIN_LOSS][e] - c.history[KL_NETWORK_TRAIN_LOSS][e]) < 1e-3,
              "epoch %d", e);
}

static void check_rules(void)
{
    static struct result r, last;
    struct kl_network_options o = options();
    o.patience = 6, o.rate_patience = 2, o.lr = 0.03;
    train(&r, &o, true, 2);
    const double *judged = r.history[KL_NETWORK_JUDGE_ACCURACY], *rate = r.history[KL_NETWORK_RATE];
    int64_t best = 0, stale = 0, end = -1;
    double scheduled = -1, lr = o.lr;
    for (int64_t e = 0, held = 0; e < r.run.epochs; e++) {
        CHECK(rate[e] == lr, "epoch %d: rate %g, expected %g", (int)e, rate[e], lr);
        if (e == 0 || judged[e] > judged[best]) best = e, stale = 0;
        else stale++;
        if (judged[e] > scheduled * (1 + 1e-4)) scheduled = judged[e], held = 0;
        else if (++held > o.rate_patience) lr /= 2, held = 0;
        if (stale == o.patience) end = e;
    }
    CHECK(r.run.best == best, "best %d, expected %d", (int)r.run.best, (int)best);
    CHECK(end == -1 ? r.run.epochs == EPOCHS : r.run.epochs == end + 1, "%d epochs", (int)r.run.epochs);
    CHECK(lr < o.lr, "the rate was never halved: this checks nothing");
    CHECK(r.run.epochs == EPOCHS || isnan(judged[r.run.epochs]), "a history behind the end");
    o.last = true;
    train(&last, &o, true, 2);
    CHECK(best + 1 == r.run.epochs ||
              memcmp(r.params, last.params, kl_classify_network_size(&o.net) * sizeof(float)) != 0,
          "best and last epoch");
}

/* More rows a step than the kernel takes at once: of rows of which each stands there twice, or three
   times, the mean gradient is that of one of each. */
static void check_batches(void)
{
    enum { FEW = 6, MANY = 18 };
    static struct result few, twice, thrice;
    struct result *const results[] = { &few, &twice, &thrice };
    struct kl_network_options o = options();
    o.dropout = 0, o.l1 = 0.002, o.epochs = 5;
    const size_t size = kl_classify_network_size(&o.net);
    int64_t rows[MANY];
    for (int i = 0; i < MANY; i++) rows[i] = i % FEW;
    for (int k = 0; k < 3; k++) {
        struct kl_error err = { 0 };
        const struct kl_samples samples = { words, N, 8, true, labels };
        struct result *r = results[k];
        r->run = (struct kl_network_run){ .params = r->params, .history = r->history[0] };
        o.batch = (k + 1) * FEW, o.last = true;
        CHECK(kl_classify_network_train(&r->run, &o, &samples, rows, (size_t)o.batch, order + 300, 100, 1, 0,
                                        NULL, &err) == 0,
              "%s", err.text);
        for (size_t i = 0; i < size; i++)
            CHECK(fabsf(r->params[i] - few.params[i]) < 2e-5f, "%d rows, parameter %zu: %g, expected %g",
                  (int)o.batch, i, (double)r->params[i], (double)few.params[i]);
        CHECK(fabs(r->history[KL_NETWORK_TRAIN_LOSS][4] - few.history[KL_NETWORK_TRAIN_LOSS][4]) < 1e-5,
              "%d rows: loss", (int)o.batch);
    }
}

static int always(void)
{
    return 1;
}

static void check_stop(void)
{
    static struct result r;
    struct kl_error err = { 0 };
    const struct kl_network_options o = options();
    const struct kl_samples samples = { words, N, 8, true, labels };
    r.run = (struct kl_network_run){ .params = r.params, .history = r.history[0] };
    CHECK(kl_classify_network_train(&r.run, &o, &samples, order, 300, order + 300, 100, 1, 0, always,
                                    &err) == KL_ESIGNAL,
          "stopped");
}

int main(void)
{
    draw();
    check_learning();
    check_rules();
    check_batches();
    check_stop();
    return failures != 0;
}
