/* SPDX-License-Identifier: MIT
   Chains on the GPU against the CPU: weights, traces and acceptance after some tens of steps, over
   samplers, networks, priors, losses, batches that are not full, stopping rules, records of each chain's
   own; draws from the prior to the bit; and what must be equal to the bit: a chain alone and in company,
   many steps a launch and one, all at once and as memory has room. Losses and gradients of heads. */
#include <math.h>

#include "chains_of_heads.h"
#include "gpu.h"
#include "kernels/inline/philox.h"
#include "kernels/isa.h"
#include "sampling/chain/chain_int.h"
#include "tests/unit/check.h"

enum { CHAINS = 3, RUNGS = 3, MOST_SETS = CHAINS, MOST_DRAWS = 64 };

struct kind {
    const char *name, *net;
    enum kl_loss loss;
    enum kl_sampling_sampler sampler;
    size_t inputs, n, n_test, batch;
    int classes; /* 0: two */
    bool layers; /* weights lie in the GPU's memory */
    double lr;
    bool layer; /* a deviation of each tensor's own */
    bool own;   /* records of each chain's own */
    bool tempered, rule, batches, descent;
    bool masses; /* HMC moves in weights over their scales, by numbers of leapfrogs that are drawn */
};
static const struct kind kinds[] = {
    { .name = "fused", .net = "fcn1:32", .inputs = 4, .n = 50, .n_test = 90, .batch = 7, .lr = 0.1 },
    { .name = "norms of each step",
      .net = "fcn1:32",
      .loss = KL_LOSS_BCE,
      .inputs = 4,
      .n = 50,
      .n_test = 40,
      .lr = 0.1,
      .layer = true },
    { .name = "odd sizes, their own records",
      .net = "fcn1:33",
      .inputs = 3,
      .n = 45,
      .n_test = 33,
      .batch = 40,
      .lr = 0.05,
      .own = true,
      .batches = true },
    { .name = "ten warps",
      .net = "fcn1:300",
      .inputs = 8,
      .n = 40,
      .n_test = 70,
      .batch = 10,
      .lr = 0.02,
      .tempered = true,
      .batches = true },
    { .name = "the stopping rule",
      .net = "fcn1:5",
      .inputs = 1,
      .n = 31,
      .n_test = 70,
      .batch = 6,
      .lr = 0.05,
      .rule = true },
    { .name = "descent",
      .net = "fcn1:16",
      .inputs = 2,
      .n = 70,
      .n_test = 33,
      .batch = 66,
      .lr = 0.3,
      .layer = true,
      .descent = true },
    { .name = "mala",
      .net = "fcn1:32",
      .sampler = KL_SAMPLING_MALA,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .lr = 0.03,
      .layer = true },
    { .name = "mala, two warps",
      .net = "fcn1:40",
      .loss = KL_LOSS_BCE,
      .sampler = KL_SAMPLING_MALA,
      .inputs = 5,
      .n = 70,
      .n_test = 33,
      .lr = 0.01 },
    { .name = "psgld",
      .net = "fcn1:32",
      .sampler = KL_SAMPLING_PSGLD,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .batch = 20,
      .lr = 0.002,
      .layer = true },
    { .name = "sghmc",
      .net = "fcn1:32",
      .sampler = KL_SAMPLING_SGHMC,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .batch = 20,
      .lr = 0.02,
      .layer = true },
    { .name = "sgnht",
      .net = "fcn1:34",
      .sampler = KL_SAMPLING_SGNHT,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .batch = 20,
      .lr = 0.02 },
    { .name = "hmc",
      .net = "fcn1:32",
      .sampler = KL_SAMPLING_HMC,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .lr = 0.02,
      .layer = true },
    { .name = "hmc, masses",
      .net = "fcn1:35",
      .sampler = KL_SAMPLING_HMC,
      .inputs = 4,
      .n = 50,
      .n_test = 33,
      .lr = 0.05,
      .masses = true },
    { .name = "layers",
      .net = "fcn2:70",
      .loss = KL_LOSS_SAVAGE,
      .inputs = 5,
      .n = 50,
      .n_test = 33,
      .batch = 20,
      .lr = 0.1,
      .layer = true,
      .layers = true },
    { .name = "layers, slices",
      .net = "linear",
      .loss = KL_LOSS_CE,
      .sampler = KL_SAMPLING_SGHMC,
      .inputs = 9,
      .n = 300,
      .n_test = 270,
      .classes = 3,
      .lr = 0.02,
      .layers = true },
    { .name = "layers, sgnht",
      .net = "fcn3:9",
      .sampler = KL_SAMPLING_SGNHT,
      .inputs = 2,
      .n = 40,
      .n_test = 33,
      .batch = 30,
      .lr = 0.02,
      .own = true,
      .layer = true,
      .layers = true },
    { .name = "layers, psgld",
      .net = "fcn1:7",
      .sampler = KL_SAMPLING_PSGLD,
      .inputs = 9,
      .n = 40,
      .n_test = 33,
      .batch = 15,
      .classes = 4,
      .lr = 0.002,
      .layers = true,
      .batches = true },
    { .name = "layers, mala",
      .net = "fcn1:20",
      .loss = KL_LOSS_SQUARE,
      .sampler = KL_SAMPLING_MALA,
      .inputs = 70,
      .n = 260,
      .n_test = 33,
      .classes = 3,
      .lr = 0.003,
      .layer = true,
      .layers = true },
    { .name = "layers, hmc",
      .net = "fcn1:20",
      .loss = KL_LOSS_TANGENT,
      .sampler = KL_SAMPLING_HMC,
      .inputs = 9,
      .n = 40,
      .n_test = 33,
      .lr = 0.01,
      .layers = true },
    { .name = "layers, hmc, masses",
      .net = "fcn2:6",
      .sampler = KL_SAMPLING_HMC,
      .inputs = 3,
      .n = 30,
      .n_test = 33,
      .lr = 0.05,
      .layer = true,
      .layers = true,
      .masses = true },
    { .name = "an order outside",
      .net = "fcn1:8",
      .inputs = 4,
      .n = 15000,
      .n_test = 33,
      .batch = 7500,
      .lr = 0.1,
      .layer = true },
};

static void must(int code, const struct kl_error *err)
{
    if (!code) return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* ---- problem ---- */

static struct kl_sampling_data data[MOST_SETS];
static struct kl_sampling_net net;
static struct kl_sampling_target_f32 targets[MOST_SETS];
static struct kl_sampling_rung rungs[RUNGS];

static void draw(struct kl_sampling_records *r, size_t n, size_t inputs, int classes, uint32_t which)
{
    *r = (struct kl_sampling_records){ n, inputs, malloc((n * inputs + 1) * sizeof *r->x),
                                       malloc((n + 1) * sizeof *r->label) };
    if (!r->x || !r->label) exit(1);
    for (size_t i = 0; i < n; i++) {
        uint32_t w[4] = { 0 };
        for (size_t k = 0; k < inputs; k++) {
            kl_philox(w, 11, (uint32_t)i, 1000, (uint32_t)k, which);
            r->x[i * inputs + k] = (float)(4 * kl_philox_unit(w[0]) - 2);
        }
        r->label[i] =
            (int32_t)((w[1] % 8 == 0 ? w[2] : (uint32_t)(r->x[i * inputs] > 0.3f)) % (uint32_t)classes);
    }
}

static size_t n_sets(const struct kind *k)
{
    return !k->own ? 1 : racecheck ? 2 : CHAINS;
}

static void make(const struct kind *k)
{
    struct kl_error err;
    const size_t height = strncmp(k->net, "cnn4", 4) == 0 ? 6 : 1;
    must(kl_sampling_net_make(&net, k->net, 1, height, k->inputs / height, k->classes ? k->classes : 2,
                              k->loss, 4, &err),
         &err);
    for (int t = 0; t < net.n_tensors; t++)
        net.tensors[t].sigma = k->layer ? 1 / sqrt((double)net.tensors[t].fan_in) : 0.8;
    for (size_t i = 0; i < n_sets(k); i++) {
        draw(&data[i].train, k->n, k->inputs, net.classes, (uint32_t)(2 * i));
        draw(&data[i].test, k->n_test, k->inputs, net.classes, (uint32_t)(2 * i + 1));
        must(kl_sampling_net_target_f32(&targets[i], &net, &data[i].train, &data[i].test, k->batch, 1,
                                        &err),
             &err);
    }
}

static void unmake(const struct kind *k)
{
    for (size_t i = 0; i < n_sets(k); i++) {
        targets[i].close(targets[i].context);
        free(data[i].train.x), free(data[i].train.label);
        free(data[i].test.x), free(data[i].test.label);
    }
}

static struct kl_sampling_settings settings_of(const struct kind *k)
{
    struct kl_sampling_settings s;
    const double betas[RUNGS] = { 0, 2, 30 };
    const int64_t less = k->layers && small              ? 1
                         : k->n > 1000 || k->inputs == 8 ? 2
                         : racecheck                     ? 2
                         : smallest                      ? 4
                                                         : 16;
    kl_sampling_settings_default(&s);
    for (int i = 0; i < RUNGS; i++)
        rungs[i] = (struct kl_sampling_rung){ betas[i], k->lr, k->rule ? 3 * less : less, 2 * less };
    s.seed = 5, s.rungs = rungs, s.n_rungs = racecheck || (k->layers && small) ? 2 : RUNGS,
    s.chains = racecheck ? 2 : CHAINS, s.sampler = k->sampler;
    s.batch = k->batch, s.every = 2, s.test_every = 2, s.keep = 1, s.noise = !k->descent;
    s.whole = !k->batches, s.half_step = k->sampler == KL_SAMPLING_SGHMC;
    s.friction = 0.3, s.leapfrogs = 4, s.tune = k->masses;
    for (int i = 0; i < RUNGS && k->masses; i++) rungs[i].warmup = 0;
    if (k->tempered) s.convention = KL_SAMPLING_TEMPERED, s.anneal = 0, s.start = KL_SAMPLING_FAN_IN;
    if (k->rule) s.anneal = 0, s.stop.on = s.stop.leak = true, s.stop.min_steps = 12;
    return s;
}

static struct kl_sampling_run *run_of(const struct kind *k, const struct kl_sampling_settings *s,
                                      bool on_gpu, double round_seconds)
{
    struct kl_sampling_run *run;
    struct kl_error err;
    const size_t own = (size_t)(s->first_chain - 0) % n_sets(k), n = s->chains == 1 ? 1 : n_sets(k);
    must(kl_sampling_run_open(&run, s, targets + own, n, 1, &err), &err);
    if (on_gpu) must(kl_sampling_run_on_gpu(run, &device, &net, data + own, n, NULL, &err), &err);
    if (round_seconds >= 0) run->round_seconds = round_seconds;
    for (size_t i = 0; i < run->n && k->masses; i++)
        for (size_t j = 0; j < run->size; j++)
            run->chains[i].scale[j] = 0.5f + 0.1f * (float)(((size_t)run->chains[i].number + j) % 9);
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    return run;
}

/* ---- GPU against CPU ---- */

/* In units of 1 or of the larger ones' size. */
static double apart(const float *a, const float *b, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = (double)a[i], y = (double)b[i];
        if (isnan(x) && isnan(y)) continue;
        worst = worse(worst, (x - y) / fmax(1, fabs(x)));
    }
    return worst;
}

static void check_chain(const struct kind *k, const struct kl_sampling_chain *cpu,
                        const struct kl_sampling_chain *gpu)
{
    static const char *const fields[] = {
        "loss", "error", "radius", "test loss", "test error", "virial"
    };
    const size_t p = cpu->target->size;
    const double w = apart(cpu->w, gpu->w, p), kept = cpu->kept ? apart(cpu->kept, gpu->kept, p) : 0;
    CHECK(cpu->at.draws == gpu->at.draws && cpu->at.warm == gpu->at.warm &&
              cpu->at.epoch == gpu->at.epoch && cpu->at.draws > 0,
          "%s: %lld draws, %lld", k->name, (long long)cpu->at.draws, (long long)gpu->at.draws);
    CHECK(w < 1e-5 && kept < 1e-5, "%s, beta %g: weights differ by %.3g, the first ones by %.3g",
          k->name, cpu->beta, w, kept);
    if (cpu->v) {
        const double v = apart(cpu->v, gpu->v, p);
        CHECK(v < 1e-5, "%s, beta %g: momenta differ by %.3g", k->name, cpu->beta, v);
    }
    for (int f = 0; f < KL_SAMPLING_FIELDS; f++) {
        const bool share = f == KL_SAMPLING_ERROR || f == KL_SAMPLING_TEST_ERROR;
        const double off = apart(cpu->trace[f], gpu->trace[f], (size_t)cpu->at.draws);
        CHECK(off < (share ? 1.5 / (double)k->n_test : 1e-5), "%s, beta %g: %s differs by %.3g", k->name,
              cpu->beta, fields[f], off);
    }
    const double accepted = fabs(cpu->sum.accepted - gpu->sum.accepted),
                 heat = fabs(cpu->sum.thermostat - gpu->sum.thermostat);
    CHECK(accepted < 1e-3 && heat < 1e-6, "%s, beta %g: acceptance differs by %.3g, thermostat by %.3g",
          k->name, cpu->beta, accepted, heat);
    /* Its operations are those of the CPU's, one by one. */
    if (cpu->prior_draws && kl_isa() != KL_ISA_BASE)
        CHECK(memcmp(cpu->w, gpu->w, p * sizeof *cpu->w) == 0, "%s: draws from the prior", k->name);
}

static void digest_chain(const struct kl_sampling_chain *c)
{
    digest_of(c->w, c->target->size * sizeof *c->w);
    for (int f = 0; f < KL_SAMPLING_FIELDS; f++)
        digest_of(c->trace[f], (size_t)c->at.draws * sizeof *c->trace[f]);
}

static void check_same(const struct kind *k, const struct kl_sampling_chain *a,
                       const struct kl_sampling_chain *b, const char *what)
{
    bool same = a->at.draws == b->at.draws && memcmp(a->w, b->w, a->target->size * sizeof *a->w) == 0 &&
                memcmp(&a->sum, &b->sum, sizeof a->sum) == 0;
    for (int f = 0; f < KL_SAMPLING_FIELDS && same; f++)
        same = memcmp(a->trace[f], b->trace[f], (size_t)a->at.draws * sizeof(float)) == 0;
    CHECK(same, "%s, beta %g: %s it has other bits", k->name, a->beta, what);
}

/* As much memory as all chains take, and less and less: half of the chains at a time, a quarter, until
   there is none for one. Launches go over all chains, whether memory or their weights part them. */
static void check_room(const struct kind *k, const struct kl_sampling_settings *s,
                       const struct kl_sampling_run *whole)
{
    char said[256], before[256] = "";
    size_t room = 1 << 30, parted = 0;
    struct kl_sampling_run *less;
    struct kl_error err;
    for (int code = 0; !code; room = room / 8 * 7) {
        FILE *to = (memset(said, 0, sizeof said), fmemopen(said, sizeof said - 1, "w"));
        const struct kl_log log = { "test", to, 1, NULL };
        char text[32];
        snprintf(text, sizeof text, "%zu", room);
        setenv("KETLINE_EMULATED_MEMORY", text, 1);
        must(kl_sampling_run_open(&less, s, targets, n_sets(k), 1, &err), &err);
        code = kl_sampling_run_on_gpu(less, &device, &net, data, n_sets(k), &log, &err);
        fclose(to);
        if (!code && strcmp(said, before) != 0) {
            parted++, memcpy(before, said, sizeof said);
            CHECK(strstr(said, "chains at once") && strstr(said, "at a time"), "%s", said);
            must(kl_sampling_run_go(less, NULL, NULL, &err), &err);
            for (size_t i = 0; i < less->n; i++)
                check_same(k, &whole->chains[i], &less->chains[i], said);
        }
        CHECK(!code || (code == KL_ENOMEM && strstr(err.text, "the GPU's memory is full")), "%s",
              err.text);
        kl_sampling_run_close(&less);
    }
    CHECK(parted > 1, "%s: chains were parted %zu times", k->name, parted);
    unsetenv("KETLINE_EMULATED_MEMORY");
}

static void check(const struct kind *k)
{
    static int roomy[2]; /* looked at: one of each family */
    make(k);
    const struct kl_sampling_settings s = settings_of(k);
    struct kl_sampling_settings one = s;
    struct kl_sampling_run *cpu = run_of(k, &s, false, -1), *gpu = run_of(k, &s, true, -1);
    for (size_t i = 0; i < gpu->n; i++) {
        check_chain(k, &cpu->chains[i], &gpu->chains[i]);
        digest_chain(&gpu->chains[i]);
    }
    const size_t p = gpu->size;
    CHECK(memcmp(kl_sampling_run_chain(gpu, 0, 1, 0)->w, kl_sampling_run_chain(gpu, 0, 1, 1)->w,
                 p * sizeof(float)) != 0,
          "%s: all chains are the same", k->name);
    kl_sampling_gpu_close(&gpu->gpu);
    if (emulated && (k == kinds || k->layers) && !roomy[k->layers]++) check_room(k, &s, gpu);
    if (!racecheck) {
        one.chains = 1, one.first_chain = 2;
        struct kl_sampling_run *alone = run_of(k, &one, true, -1), *slow = run_of(k, &s, true, 0);
        for (size_t r = 0; r < s.n_rungs; r++)
            check_same(k, kl_sampling_run_chain(gpu, 0, r, 2), kl_sampling_run_chain(alone, 0, r, 0),
                       "alone");
        for (size_t i = 0; i < gpu->n; i++)
            check_same(k, &gpu->chains[i], &slow->chains[i], "in few steps a launch");
        kl_sampling_run_close(&alone), kl_sampling_run_close(&slow);
    }
    kl_sampling_run_close(&cpu), kl_sampling_run_close(&gpu);
    unmake(k);
}

/* ---- the tuned step, and what is refused ---- */

/* Tuned steps follow from every acceptance, so that the two part in time; before that, in the epochs of
   a short warm-up, they do not. */
static void check_tuned(void)
{
    const struct kind *k = &kinds[6];
    make(k);
    struct kl_sampling_settings s = settings_of(k);
    s.tune = s.robbins_monro = true;
    struct kl_sampling_run *cpu = run_of(k, &s, false, -1), *gpu = run_of(k, &s, true, -1);
    for (size_t r = 1; r < RUNGS; r++) {
        const struct kl_sampling_chain *a = kl_sampling_run_chain(cpu, 0, r, 0),
                                       *b = kl_sampling_run_chain(gpu, 0, r, 0);
        CHECK(fabs(a->sum.ln_step - b->sum.ln_step) < 1e-4 && fabs(a->sum.ln_step - log(k->lr)) > 1e-2,
              "tuned steps: ln %.7g and %.7g", a->sum.ln_step, b->sum.ln_step);
        check_chain(k, a, b);
    }
    kl_sampling_run_close(&cpu), kl_sampling_run_close(&gpu);
    unmake(k);
}

static void check_refused(const char *name, const struct kind *k, const struct kl_sampling_settings *s)
{
    struct kl_sampling_run *run;
    struct kl_error err;
    must(kl_sampling_run_open(&run, s, targets, 1, 1, &err), &err);
    const int code = kl_sampling_run_on_gpu(run, &device, &net, data, 1, NULL, &err);
    CHECK(code == KL_EUSAGE && strstr(err.text, "give --device cpu"), "%s, %s: not refused", k->name,
          name);
    kl_sampling_run_close(&run);
}

static void check_refusals(void)
{
    struct kind k = kinds[1];
    struct kl_sampling_settings s = settings_of(&k);
    make(&k);
    s.control_variate = true, check_refused("control variates", &k, &s);
    s.control_variate = false, s.independent_batches = true, check_refused("batches", &k, &s);
    s.independent_batches = false, s.work = true, check_refused("work", &k, &s);
    unmake(&k);
    s.work = false;
    static const char *const nets[] = { "fcn1:513", "cnn4:1,1,1" };
    for (size_t i = 0; i < 2; i++) {
        k.net = nets[i], k.layer = i > 0, k.inputs = i ? 36 : 4;
        make(&k), check_refused(nets[i], &k, &s), unmake(&k);
    }
}

int main(void)
{
    open_gpu();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!racecheck || kinds[i].n < 1000) check(&kinds[i]);
    if (!racecheck) check_tuned();
    check_refusals();
    check_heads();
    print_digest();
    return failures != 0;
}
