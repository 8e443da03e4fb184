/* SPDX-License-Identifier: MIT
   Files of chains: stopped after any step and gone on with, extended by epochs, by chains, by a
   temperature between others, with any threads, they are the bytes of the whole run; those of another
   run are refused. */
#include <stdlib.h>
#include <unistd.h>

#include "sampling/ensemble/ensemble.h"
#include "store/store.h"
#include "tests/golden/golden_chains.h"
#include "tests/unit/check.h"
#include "tests/unit/test_folder.h"

static const struct kl_header header = { "chains", 1, NULL, "{}", "test" };
static struct golden_linear problem;

static void make_problem(void)
{
    unsigned state = 1;
    for (int i = 0; i < 24 * 3; i++)
        state = state * 1664525u + 1013904223u, problem.x[i] = state / 4294967296.0 - 0.5;
    for (int i = 0; i < 24; i++)
        state = state * 1664525u + 1013904223u, problem.y[i] = state / 4294967296.0;
    golden_linear_make(&problem, 3, 24, 1);
}

static struct kl_sampling_rung rungs[3];

static struct kl_sampling_settings base(void)
{
    struct kl_sampling_settings s;
    kl_sampling_settings_default(&s);
    rungs[0] = (struct kl_sampling_rung){ 0, 0, 0, 8 };
    rungs[1] = (struct kl_sampling_rung){ 2, 0.05, 4, 8 };
    rungs[2] = (struct kl_sampling_rung){ 5, 0.04, 5, 8 };
    s.seed = 9, s.rungs = rungs, s.n_rungs = 3, s.chains = 3, s.batch = 7, s.every = 2, s.test_every = 4,
    s.keep = 2;
    return s;
}

static void path_of(char to[1200], const char *name)
{
    snprintf(to, 1200, "%s/%s.h5", test_folder, name);
}

static void save(const struct kl_sampling_run *run, const char *name)
{
    char path[1200], key[65];
    struct kl_error err = { 0 };
    struct kl_writer *w = NULL;
    struct kl_header h = header;
    path_of(path, name), memset(key, 'a', 64), key[64] = 0, h.key = key;
    must(kl_store_writer_open(&w, path, &h, &err), &err);
    must(kl_sampling_run_save(w, run, &err), &err);
    must(kl_store_writer_publish(&w, NULL, &err), &err);
}

static int load(struct kl_sampling_run *run, const char *name, struct kl_error *err)
{
    char path[1200];
    struct kl_file *file = NULL;
    path_of(path, name);
    must(kl_store_file_open(&file, path, err), err);
    const int code = kl_sampling_run_load(run, file, err);
    kl_store_file_close(&file);
    return code;
}

static bool same(const char *a, const char *b)
{
    char path[1200];
    void *bytes[2] = { NULL, NULL };
    size_t n[2];
    const char *const names[] = { a, b };
    for (int i = 0; i < 2; i++) {
        path_of(path, names[i]);
        FILE *file = fopen(path, "rb");
        golden_need(file && fseek(file, 0, SEEK_END) == 0, path);
        n[i] = (size_t)ftell(file), bytes[i] = malloc(n[i]), rewind(file);
        golden_need(bytes[i] && fread(bytes[i], 1, n[i], file) == n[i], path);
        fclose(file);
    }
    const bool equal = n[0] == n[1] && memcmp(bytes[0], bytes[1], n[0]) == 0;
    free(bytes[0]), free(bytes[1]);
    return equal;
}

static struct kl_sampling_run *open_run(const struct kl_sampling_settings *s, int threads)
{
    struct kl_sampling_run *run = NULL;
    struct kl_error err = { 0 };
    must(kl_sampling_run_open(&run, s, &problem.target, 1, threads, &err), &err);
    return run;
}

static void whole(const struct kl_sampling_settings *s, const char *name, int threads)
{
    struct kl_sampling_run *run = open_run(s, threads);
    struct kl_error err = { 0 };
    struct kl_pool *pool = NULL;
    if (threads > 4) run->worth = 0;
    if (threads > 1) must(kl_pool_create(&pool, threads, &err), &err);
    must(kl_sampling_run_go(run, pool, NULL, &err), &err);
    save(run, name);
    kl_sampling_run_close(&run);
    if (pool) kl_pool_destroy(&pool);
}

/* ---- stopped ---- */

static int looks, until;
static int stop(void *context, uint64_t done, uint64_t total, const char *note)
{
    (void)context, (void)done, (void)total, (void)note;
    return ++looks > until;
}

/* Stopped again and again, each time after another number of steps. */
static void in_parts(const struct kl_sampling_settings *s, const char *name, unsigned seed)
{
    const struct kl_watch watch = { .step = stop };
    int code = KL_ESIGNAL, parts = 0;
    while (code == KL_ESIGNAL) {
        struct kl_sampling_run *run = open_run(s, 1);
        struct kl_error err = { 0 };
        if (parts) must(load(run, name, &err), &err);
        seed = seed * 1664525u + 1013904223u;
        run->round_seconds = 0, looks = 0, until = (int)(seed >> 24) % (problem.target.walk ? 40 : 150);
        run->desks[0].step_room = 1 + (seed >> 16) % 5 % run->desks[0].step_room;
        code = kl_sampling_run_go(run, NULL, &watch, &err);
        if (code != KL_ESIGNAL) must(code, &err);
        save(run, name), parts++;
        kl_sampling_run_close(&run);
    }
    CHECK(parts > 1, "%s: never stopped", name);
}

static void check(const struct kl_sampling_settings *s, const char *name)
{
    whole(s, "whole", 1);
    for (unsigned seed = 1; seed <= 2; seed++) {
        in_parts(s, "parts", seed);
        CHECK(same("whole", "parts"), "%s, stopped", name);
    }
    whole(s, "threads", 2);
    CHECK(same("whole", "threads"), "%s, two threads", name);
    whole(s, "many", 12);
    CHECK(same("whole", "many"), "%s, more threads than chains", name);
}

static void check_all(void)
{
    struct kl_sampling_settings s = base();
    check(&s, "sgld");
    s.control_variate = true, check(&s, "control variates");
    s = base(), s.independent_batches = true, s.whole = false, check(&s, "independent");
    s = base(), s.sampler = KL_SAMPLING_PSGLD, check(&s, "psgld");
    s = base(), s.sampler = KL_SAMPLING_SGHMC, s.half_step = true, s.companion = true,
    check(&s, "sghmc");
    s = base(), s.sampler = KL_SAMPLING_SGNHT, check(&s, "sgnht");
    s = base(), s.batch = 0, s.sampler = KL_SAMPLING_MALA, s.tune = true, s.work = true,
    check(&s, "mala");
    s = base(), s.batch = 0, s.sampler = KL_SAMPLING_HMC, s.exchange = true, check(&s, "hmc, exchange");
    s = base(), s.batch = 0, s.sampler = KL_SAMPLING_HMC, s.tune = true, s.target_accept = 0.8;
    s.companion = true, check(&s, "hmc, tuned");
    s = base(), s.batch = 0, s.sampler = KL_SAMPLING_MALA, s.tune = s.robbins_monro = true;
    check(&s, "mala, as the reference tunes it");
    s = base(), s.work = s.pointwise = s.keep_last = true, check(&s, "work");
    s = base(), s.schedule = KL_SAMPLING_CYCLICAL, s.period = 3, s.noise = false, check(&s, "cyclical");
    s = base(), s.stop = (struct kl_sampling_stop){ true, true, 0.05, -1e-7, 8 }, rungs[1].warmup = 30;
    rungs[2].warmup = 40, s.anneal = 0, s.start = KL_SAMPLING_FAN_IN, s.companion = true,
    check(&s, "stop");
    s = base(), s.convention = KL_SAMPLING_TEMPERED, s.anneal = 0, s.schedule = KL_SAMPLING_POWER;
    rungs[0].lr = 1e-3, s.companion = true, check(&s, "tempered"); /* beta 0 is a walk without a law */
}

/* Weights and losses, if not virial and norm: those are of a draw's own state where many steps are taken
 * at once. */
static void check_alike(const struct kl_sampling_settings *s, int what)
{
    problem.target.walk = NULL;
    struct kl_sampling_run *single = golden_run(s, &problem.target);
    problem.target.walk = golden_linear_walk;
    struct kl_sampling_run *many = golden_run(s, &problem.target);
    for (size_t i = 0; i < single->n; i++) {
        const struct kl_sampling_chain *a = &single->chains[i], *b = &many->chains[i];
        const size_t bytes = (size_t)a->at.draws * sizeof(float);
        CHECK(memcmp(a->w, b->w, 3 * sizeof(float)) == 0 && a->at.draws == b->at.draws &&
                  a->at.draws > 0 &&
                  memcmp(a->trace[KL_SAMPLING_LOSS], b->trace[KL_SAMPLING_LOSS], bytes) == 0,
              "%d, chain %zu", what, i);
    }
    kl_sampling_run_close(&single), kl_sampling_run_close(&many);
}

/* When the stream's step passes 2^32, within an epoch of many steps taken at once, the noise goes on as
 * it does step by step. */
static void check_long(void)
{
    struct kl_sampling_settings s = base();
    float w[2][3];
    s.whole = false, s.keep = 0, s.test_every = 0, s.every = 1 << 20, s.anneal = 0, s.chains = 1;
    s.batch = 8; /* three steps an epoch, which 2^32 is no multiple of */
    rungs[1] = (struct kl_sampling_rung){ 2, 0.05, 0, 1431655765 + 2 };
    s.rungs = rungs + 1, s.n_rungs = 1;
    for (int many = 0; many < 2; many++) {
        problem.target.walk = many ? golden_linear_walk : NULL;
        struct kl_sampling_run *run = open_run(&s, 1);
        struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, 0, 0);
        struct kl_error err = { 0 };
        c->at.begun = 1, c->at.epoch = 1431655765 - 1;
        must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
        memcpy(w[many], c->w, sizeof w[many]);
        kl_sampling_run_close(&run);
    }
    CHECK(memcmp(w[0], w[1], sizeof w[0]) == 0, "steps beyond 2^32: %g, %g", w[0][0], w[1][0]);
    problem.target.walk = NULL;
}

/* Many steps at once are the steps one by one. */
static void check_walk(void)
{
    struct kl_sampling_settings s[3] = { base(), base(), base() };
    s[1].whole = false, s[1].keep = 0, s[1].test_every = 0, s[1].every = 1;
    s[2].stop = (struct kl_sampling_stop){ true, true, 0.05, -1e-7, 8 }, s[2].start = KL_SAMPLING_FAN_IN;
    s[2].anneal = 0;
    for (int i = 0; i < 3; i++) {
        rungs[1].warmup = rungs[2].warmup = i == 2 ? 30 : 4;
        check_alike(&s[i], i), check(&s[i], "walk");
    }
    problem.target.walk = NULL;
}

/* AVX2 and AVX-512, if the processor has them. */
static void check_instructions(void)
{
    const enum kl_isa own = kl_isa();
    struct kl_sampling_settings s = base();
    s.companion = true;
    if (!kl_isa_is_here(KL_ISA_AVX512)) return;
    kl_isa_use(KL_ISA_AVX2), whole(&s, "whole", 1);
    kl_isa_use(KL_ISA_AVX512), whole(&s, "other", 1);
    kl_isa_use(own);
    CHECK(same("whole", "other"), "instruction sets");
}

/* ---- extended ---- */

static void extend(const struct kl_sampling_settings *from, const struct kl_sampling_settings *to,
                   const char *what)
{
    struct kl_error err = { 0 };
    whole(from, "short", 1);
    struct kl_sampling_run *run = open_run(to, 1);
    const int code = load(run, "short", &err);
    CHECK(code == 0, "%s: %s", what, err.text);
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    save(run, "long");
    kl_sampling_run_close(&run);
    CHECK(same("whole", "long"), "%s", what);
}

static void check_extended(void)
{
    struct kl_sampling_settings s = base(), less = s;
    struct kl_sampling_rung fewer[3];
    s.half_step = less.half_step = true, s.companion = less.companion = true;
    whole(&s, "whole", 1);
    for (int k = 0; k < 3; k++) fewer[k] = rungs[k], fewer[k].epochs = 3 + k;
    less.rungs = fewer;
    extend(&less, &s, "more epochs");
    less = s, less.chains = 1, less.first_chain = 1;
    extend(&less, &s, "more chains");
    fewer[0] = rungs[0], fewer[1] = rungs[2];
    less = s, less.rungs = fewer, less.n_rungs = 2;
    extend(&less, &s, "a temperature between");
}

/* ---- refused ---- */

static void refuse(const struct kl_sampling_settings *s, const char *words)
{
    struct kl_error err = { 0 };
    struct kl_sampling_run *run = open_run(s, 1);
    const int code = load(run, "whole", &err);
    CHECK(code == KL_EDATA && strstr(err.text, words) && !strchr(err.text, '\n'), "%d: %s", code,
          err.text);
    kl_sampling_run_close(&run);
}

static void check_refused(void)
{
    struct kl_sampling_settings s = base();
    whole(&s, "whole", 1);
    s.seed = 10, refuse(&s, "another run: seed_low 9, this one has 10"), s = base();
    s.sampler = KL_SAMPLING_SGHMC, refuse(&s, "sampler 'sgld', this one has 'sghmc'"), s = base();
    rungs[1].lr = 0.1, refuse(&s, "the step 0.05, this run has 0.1"), s = base();
    rungs[2].warmup = 6, refuse(&s, "a warm-up of 5 epochs, this run has 6"), s = base();
    rungs[1].epochs = 4, refuse(&s, "holds 12 epochs, this run ends after 8"), s = base();
    s.keep = 4, refuse(&s, "keep 2, this one has 4");
}

/* A file that says what no run does: its digests are right, its numbers are not. */
static void check_damaged(void)
{
    struct kl_sampling_settings s = base();
    static const struct {
        int64_t epoch, step, draws, warm;
    } bad[] = { { 9, 0, 3, 4 }, { -1, 0, 0, 4 }, { 9, 4, 2, 4 }, { 9, 0, 2, 3 }, { 9, 0, -2, 4 } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct kl_sampling_run *run = open_run(&s, 1);
        struct kl_error err = { 0 };
        must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
        struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, 1, 1);
        c->at.epoch = bad[i].epoch, c->at.step = bad[i].step, c->at.draws = bad[i].draws,
        c->at.warm = bad[i].warm;
        if (c->at.draws < 0) c->at.draws = 2, c->at.kept = 0;
        save(run, "whole"), refuse(&s, "a state that no chain comes to");
        kl_sampling_run_close(&run);
    }
    struct kl_sampling_run *run = open_run(&s, 1);
    struct kl_error err = { 0 };
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    kl_sampling_run_chain(run, 0, 1, 1)->w[1] = NAN;
    save(run, "whole"), refuse(&s, "expected a finite number");
    kl_sampling_run_close(&run);
}

/* Only chains that exchange wait, and none before its first draw. */
static void check_waiting(void)
{
    struct kl_sampling_settings s = base();
    for (int exchanges = 0; exchanges < 2; exchanges++) {
        s.exchange = exchanges != 0;
        struct kl_sampling_run *run = open_run(&s, 1);
        for (size_t k = 0; k < 3; k++) kl_sampling_run_chain(run, 0, k, 1)->at.waiting = 1;
        save(run, "whole"), refuse(&s, "a state that no chain comes to");
        kl_sampling_run_close(&run);
    }
}

/* The certificate is of kernels that do not know the past: the step is tuned behind its path alone, and
   then for as long as it takes. */
static void check_path_step(void)
{
    const struct kl_watch watch = { .step = stop };
    struct kl_sampling_settings s = base();
    struct kl_error err = { 0 };
    s.batch = 0, s.sampler = KL_SAMPLING_MALA, s.tune = s.work = true, s.anneal = 40;
    s.rungs = rungs + 2, s.n_rungs = 1, s.chains = 1, rungs[2].warmup = 40;
    struct kl_sampling_run *run = open_run(&s, 1);
    const struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, 0, 0);
    int code = KL_ESIGNAL;
    run->round_seconds = 0;
    while (code == KL_ESIGNAL && c->at.epoch < 40) {
        looks = 0, until = 1, code = kl_sampling_run_go(run, NULL, &watch, &err);
        CHECK(c->at.epoch > 40 || fabs(kl_sampling_chain_step(c) / 0.04 - 1) < 1e-12,
              "epoch %lld: %.17g", (long long)c->at.epoch, kl_sampling_chain_step(c));
    }
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    CHECK(c->at.warm > 40 && kl_sampling_chain_step(c) > 0.1, "%lld epochs, step %g",
          (long long)c->at.warm, kl_sampling_chain_step(c));
    kl_sampling_run_close(&run);
}

/* From steps that are far off the acceptance comes near its target, where it then stays; without a
   warm-up nothing is tuned, and one that cannot succeed ends at its limit. */
static void check_tuned(void)
{
    for (int i = 0; i < 4; i++) {
        struct kl_sampling_settings s = base();
        s.batch = 0, s.sampler = i % 2 ? KL_SAMPLING_HMC : KL_SAMPLING_MALA, s.tune = true;
        s.target_accept = i % 2 ? 0.8 : 0.57, s.chains = 8;
        rungs[1] = (struct kl_sampling_rung){ 2, i < 2 ? 1e12 : 1e-12, 60, 3000 };
        s.rungs = rungs + 1, s.n_rungs = 1, s.keep = 0;
        struct kl_sampling_run *run = golden_run(&s, &problem.target);
        for (int64_t k = 0; k < 8; k++) {
            const struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, 0, k);
            CHECK(fabs(kl_sampling_chain_acceptance(c) - s.target_accept) < 0.15 &&
                      c->at.draws == 1500 && c->at.warm >= 60 && c->at.warm <= 1000,
                  "%d: accepted %g, warm-up %lld", i, kl_sampling_chain_acceptance(c),
                  (long long)c->at.warm);
        }
        kl_sampling_run_close(&run);
    }
    struct kl_sampling_settings s = base();
    s.batch = 0, s.sampler = KL_SAMPLING_MALA, s.tune = true, rungs[1].warmup = rungs[2].warmup = 0;
    struct kl_sampling_run *run = golden_run(&s, &problem.target);
    CHECK(kl_sampling_chain_step(kl_sampling_run_chain(run, 0, 1, 0)) == rungs[1].lr ||
          fabs(kl_sampling_chain_step(kl_sampling_run_chain(run, 0, 1, 0)) / rungs[1].lr - 1) < 1e-12);
    kl_sampling_run_close(&run);
    s = base(), s.batch = 0, s.sampler = KL_SAMPLING_MALA, s.tune = true, s.target_accept = 0.9999;
    s.rungs = rungs + 1, s.n_rungs = 1, rungs[1].warmup = 150;
    run = golden_run(&s, &problem.target);
    const int64_t warm = kl_sampling_run_chain(run, 0, 0, 0)->at.warm;
    CHECK(warm >= 150 && warm <= 1500 && kl_sampling_tune_limit(0) == 0 &&
              kl_sampling_tune_limit(20) == 1000 && kl_sampling_tune_limit(4000) == 40000,
          "%lld", (long long)warm);
    kl_sampling_run_close(&run);
}

/* Events that never happen are refused before they are waited for. */
static void check_seldom(void)
{
    static const struct {
        int64_t epochs, every, keep, test_every;
        const char *says;
    } cases[] = { { 8, 9, 0, 4, "8 epochs with a draw each 9 have none" },
                  { 8, 2, 5, 4, "weights of each 5 draws are kept: of 4 there are none" },
                  { 8, 2, 0, 9, "a test each 9 epochs: in 8 there is none" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct kl_sampling_settings s = base();
        struct kl_sampling_run *run = NULL;
        struct kl_error err = { 0 };
        for (int k = 0; k < 3; k++) rungs[k].epochs = cases[i].epochs;
        s.every = cases[i].every, s.keep = cases[i].keep, s.test_every = cases[i].test_every;
        const int code = kl_sampling_run_open(&run, &s, &problem.target, 1, 1, &err);
        CHECK(code == KL_EUSAGE && strstr(err.text, cases[i].says), "%d: %s", code, err.text);
        kl_sampling_run_close(&run);
    }
}

/* A tuner's state from elsewhere. */
static void check_damaged_tuner(void)
{
    for (int i = 0; i < 4; i++) {
        struct kl_sampling_settings s = base();
        s.batch = 0, s.sampler = KL_SAMPLING_HMC, s.tune = true;
        struct kl_sampling_run *run = golden_run(&s, &problem.target);
        struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, 1, 1);
        if (i == 0) c->tuning.began = 1e300;
        if (i == 1) c->tuning.dual.error = NAN;
        if (i == 2) c->scale[1] = 0;
        if (i == 3) c->squares[2] = -1;
        save(run, "whole"), refuse(&s, "a tuner's state that no chain comes to");
        kl_sampling_run_close(&run);
    }
}

/* ---- kept weights, traces ---- */

static void check_kept(void)
{
    struct kl_sampling_settings s = base();
    struct kl_sampling_run *run = open_run(&s, 1);
    struct kl_error err = { 0 };
    struct kl_file *file = NULL;
    struct kl_sampling_kept kept;
    struct kl_sampling_trace trace;
    char path[1200];
    float w[3];
    must(kl_sampling_run_go(run, NULL, NULL, &err), &err);
    save(run, "whole"), path_of(path, "whole");
    must(kl_store_file_open(&file, path, &err), &err);
    must(kl_sampling_kept_open(&kept, file, &err), &err);
    CHECK(kept.rungs == 3 && kept.chains == 3 && kept.draws == 2 && kept.size == 3);
    for (int64_t c = 2; c >= 0; c--) {
        must(kl_sampling_kept_read(w, &kept, 2, c, 1, &err), &err);
        CHECK(memcmp(w, kl_sampling_run_chain(run, 0, 2, c)->w, sizeof w) == 0,
              "the last draw is the last state");
    }
    CHECK(kl_sampling_kept_read(w, &kept, 3, 0, 0, &err) == KL_EUSAGE &&
          strstr(err.text, "temperature 3"));
    kl_sampling_run_trace(&trace, run, 2, 1);
    CHECK(trace.draws == 4 && trace.beta == 5 && isnan(trace.test_loss[0]) && trace.test_loss[1] >= 0,
          "%lld", (long long)trace.draws);
    kl_sampling_kept_close(&kept), kl_store_file_close(&file);
    kl_sampling_run_close(&run);
}

int main(void)
{
    make_test_folder();
    make_problem();
    check_all(), check_walk(), check_long(), check_instructions(), check_extended(), check_refused(),
        check_damaged(), check_damaged_tuner(), check_waiting(), check_path_step(), check_tuned(),
        check_seldom(), check_kept();
    return failures != 0;
}
