/* SPDX-License-Identifier: MIT
   Profiles of `sgld sample`: the reference's numbers, written by hand from its description; what
   overrides them; lists that do not fit. */
#include <math.h>
#include <string.h>

#include "../check.h"
#include "sampling/chain/sample.h"

static struct kl_sampling_values v;
static struct kl_sampling_settings s;
static struct kl_sampling_rung rungs[KL_SAMPLING_BETAS];

static int make(struct kl_error *err)
{
    const int code = kl_sampling_values_complete(&v, err);
    return code ? code : kl_sampling_values_settings(&s, rungs, &v, err);
}
static void fresh(const char *profile, const char *data)
{
    kl_sampling_values_default(&v);
    v.profile = profile, v.data = data;
}
/* betas and the epochs that are trained before the last one, which is the one recorded */
static void ladder(size_t n, const double *beta, const double *epochs, const double *lr)
{
    CHECK(s.n_rungs == n, "%zu", s.n_rungs);
    for (size_t i = 0; i < n && i < s.n_rungs; i++)
        CHECK(rungs[i].beta == beta[i] && (double)(rungs[i].warmup + rungs[i].epochs) == epochs[i] &&
                  rungs[i].lr == lr[i],
              "%zu: %g %lld %lld %g", i, rungs[i].beta, (long long)rungs[i].warmup,
              (long long)rungs[i].epochs, rungs[i].lr);
}

static void classic(void)
{
    struct kl_error err = { 0 };
    fresh("classic", "synth");
    CHECK(make(&err) == 0, "%s", err.text);
    ladder(8, (const double[]){ 0, 1, 10, 30, 50, 70, 100, 200 },
           (const double[]){ 1, 100, 5000, 10000, 15000, 20000, 30000, 30000 },
           (const double[]){ 1e-7, 1e-7, .1, .1, .1, .1, .1, .1 });
    CHECK(s.batch == 10 && s.chains == 30 && !s.whole && s.convention == KL_SAMPLING_TEMPERED &&
          s.power == 0.5);
    CHECK(s.schedule == KL_SAMPLING_POWER && s.start == KL_SAMPLING_FAN_IN && s.anneal == 0 && !s.tune &&
          !s.stop.on);
    CHECK(v.sigma == 1000 && v.width == 500 && !strcmp(v.model, "fcn1") && !strcmp(v.records, "chain") &&
          v.test_size == 100);
    fresh("classic", "synth"), v.test_mode = true;
    CHECK(make(&err) == 0 && s.chains == 2, "%s", err.text);
    ladder(3, (const double[]){ 0, 1, 10 }, (const double[]){ 10, 20, 50 },
           (const double[]){ .01, .01, .1 });
    fresh("classic", "mnist");
    CHECK(make(&err) == 0 && s.batch == 128 && s.chains == 5 && v.train_size == 5000 &&
          !strcmp(v.groups, "0/1"));
    ladder(6, (const double[]){ 0, 1000, 3000, 5000, 10000, 20000 },
           (const double[]){ 1, 500, 500, 500, 1000, 1000 },
           (const double[]){ 1e-7, 1e-3, 1e-3, 1e-3, 1e-3, 1e-3 });
    fresh("classic", "mnist"), v.test_mode = true;
    CHECK(make(&err) == 0 && s.chains == 2);
    ladder(3, (const double[]){ 0, 1000, 2000 }, (const double[]){ 10, 50, 50 },
           (const double[]){ 1e-5, 1e-3, 1e-3 });
}

static void paper(void)
{
    struct kl_error err = { 0 };
    fresh("paper", "mnist");
    CHECK(make(&err) == 0, "%s", err.text);
    CHECK(s.n_rungs == 9 && rungs[8].beta == 64000 && rungs[8].lr == 0.01 && rungs[0].epochs == 1000 &&
          s.batch == 100);
    CHECK(s.stop.on && s.stop.leak && s.stop.alpha == 0.00025 && s.stop.eps == -1e-7 &&
          s.stop.min_steps == 2000);
    CHECK(v.sigma == 5 && v.width == 1000 && !strcmp(v.model, "fcn2") && v.data_seed == 42 &&
          !strcmp(v.order, "permuted"));
    fresh("paper", "mnist"), v.groups = "02468/13579";
    CHECK(make(&err) == 0 && s.batch == 0 && !strcmp(v.loss, "savage") && rungs[1].beta == 125 &&
          v.width == 500);
    fresh("paper", "mnist"), v.groups = "all";
    CHECK(make(&err) == 0 && s.schedule == KL_SAMPLING_STAIR && s.stair_drop == .001 &&
          s.stair_low == .001 && !s.stop.on);
    CHECK(rungs[1].warmup == 1000 && rungs[1].epochs == 100 && s.n_rungs == 12 && s.period == 15 &&
          s.batch == 250);
    fresh("paper", "synth");
    CHECK(make(&err) == 0 && s.n_rungs == 9 && rungs[1].lr == 36 && rungs[8].lr == .3 &&
          v.test_size == 500 && v.width == 1500);
    fresh("paper", "svhn"), v.model = "fcn3", v.test_mode = true;
    CHECK(make(&err) == 0 && s.n_rungs == 5 && rungs[2].beta == 250 && v.width == 1000 &&
          rungs[1].lr == .005);
    fresh("paper", "images");
    CHECK(make(&err) == KL_EUSAGE && strstr(err.text, "no data images"), "%s", err.text);
}

static void overrides(void)
{
    struct kl_error err = { 0 };
    /* 0 is added; a temperature between has what the one below has. */
    fresh("classic", "synth"), v.betas = "20,30", v.chains = 3;
    CHECK(make(&err) == 0 && s.chains == 3, "%s", err.text);
    ladder(3, (const double[]){ 0, 20, 30 }, (const double[]){ 1, 5000, 10000 },
           (const double[]){ 1e-7, .1, .1 });
    fresh("classic", "synth"), v.betas = "20,30", v.epochs = "2,3", v.warmup = "7", v.lr = ".5";
    CHECK(make(&err) == 0, "%s", err.text);
    ladder(3, (const double[]){ 0, 20, 30 }, (const double[]){ 1, 9, 10 },
           (const double[]){ 1e-7, .5, .5 });
    /* Between 0 and the first one it has what that one has: at 0 nothing is warmed up. */
    static const struct {
        const char *profile, *data, *betas;
        double warmup[4];
    } between[] = { { "sound", "synth", "0,.5,.9,1", { 0, 4000, 4000, 4000 } },
                    { "sound", "images", "0,2,5", { 0, 400, 400 } },
                    { "sound", "images", "1e-9", { 0, 400 } },
                    { "paper", "mnist", "0,100,600", { 0, 100000, 100000 } },
                    { "classic", "synth", "0.5,20", { 0, 99, 4999 } } };
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        fresh(between[i].profile, between[i].data), v.betas = between[i].betas;
        CHECK(make(&err) == 0, "%s", err.text);
        for (size_t k = 0; k < s.n_rungs; k++)
            CHECK((double)rungs[k].warmup == between[i].warmup[k] && rungs[k].lr > 0,
                  "%s %s: beta %g: %lld", between[i].profile, between[i].data, rungs[k].beta,
                  (long long)rungs[k].warmup);
    }
    fresh("classic", "synth"), v.betas = "20,30", v.epochs = "2,3", v.warmup = "7", v.lr = ".5";
    CHECK(make(&err) == 0, "%s", err.text);
    /* Complete values stay as they are. */
    struct kl_sampling_values before = v;
    CHECK(make(&err) == 0 && !strcmp(v.betas, "0,20,30") && !strcmp(v.epochs, before.epochs), "%s",
          v.betas);
    static const struct {
        const char *betas, *epochs, *lr, *labels, *says;
    } cases[] = {
        { "1,-2", NULL, NULL, "true", "--betas: found -2, expected 0 or more" },
        { "3,2", NULL, NULL, "true", "--betas: found 2 behind 3" },
        { "3,3", NULL, NULL, "true", "--betas: found 3 behind 3" },
        { "1,x", NULL, NULL, "true", "--betas: found 'x', expected numbers" },
        { "1,", NULL, NULL, "true", "--betas: found '1,', expected numbers" },
        { "", NULL, NULL, "true", "--betas: found ''" },
        { "1,inf", NULL, NULL, "true", "--betas: found 'inf'" },
        { "1,2,3", "4,5", NULL, "true",
          "--epochs: found 2 numbers, expected one, or one for each of 3 betas" },
        { "1,2", "4.5", NULL, "true", "--epochs: found 4.5, expected whole numbers" },
        { "1,2", NULL, "1,2,3,4", "true", "--lr: found 4 numbers" },
        { "1,2", NULL, "-1", "true", "--lr: found -1, expected 0 or more" },
        { "1,2", NULL, NULL, "maybe", "--labels: found 'maybe'" },
        { "1,2", NULL, NULL, "1.5", "--labels: found '1.5'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fresh("classic", "synth");
        v.betas = cases[i].betas, v.epochs = cases[i].epochs, v.lr = cases[i].lr,
        v.labels = cases[i].labels;
        CHECK(make(&err) == KL_EUSAGE && strstr(err.text, cases[i].says), "%s: %s", cases[i].says,
              err.text);
    }
    fresh("sound", "synth"), v.labels = "0.5";
    CHECK(make(&err) == 0 && !strcmp(v.labels, "0.5") && s.start == KL_SAMPLING_PRIOR && s.whole &&
          s.anneal == -1);
    fresh("sound", "synth"), v.labels = "1.0";
    CHECK(make(&err) == 0 && !strcmp(v.labels, "random"));
}

int main(void)
{
    classic(), paper(), overrides();
    return failures != 0;
}
