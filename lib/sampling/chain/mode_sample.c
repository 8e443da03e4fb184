/* SPDX-License-Identifier: MIT
   `sgld sample`: chains on a ladder of temperatures, as a file that goes on from smaller ones. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head/features.h"
#include "kernels/device.h"
#include "sampling/chain/chain_int.h"
#include "sampling/chain/sample.h"
#include "store/kind.h"

/* ---- problem ----
   What a run samples: records, a network on them, its prior; one for all chains, or one for each. */

/* Do chains with records of their own have the same ones, as nothing in them is drawn? */
static bool all_the_same(const struct kl_sampling_values *v)
{
    return !strcmp(v->records, "one") ||
           (strcmp(v->data, "synth") != 0 && !strcmp(v->labels, "true") && !strcmp(v->order, "file"));
}

static int load(struct kl_sampling_data *data, const struct kl_sampling_values *v, size_t i,
                const char *const *paths, size_t n_paths, struct kl_file *const features[2],
                struct kl_pool *pool, const struct kl_log *log, struct kl_error *err)
{
    const bool own = strcmp(v->records, "chain") == 0;
    struct kl_sampling_data_options o = {
        .set = (enum kl_sampling_set)kl_choice(KL_SAMPLING_SETS, v->data),
        .groups = strcmp(v->groups, "all") == 0 ? NULL : v->groups,
        .train_size = v->train_size,
        .test_size = v->test_size,
        .permute = strcmp(v->order, "permuted") == 0,
        .seed = (uint64_t)(v->data_seed + (own ? v->first_chain + (int64_t)i : 0)),
        .pool = pool,
        .log = log,
        .features = { features[0], features[1] },
    };
    const int code = kl_sampling_values_labels(&o.random, v->labels, err);
    if (code) return code;
    if (o.set != KL_SAMPLING_SYNTH && n_paths == 0)
        return kl_fail(err, KL_EUSAGE, "--data %s: no images; give the folder that holds them", v->data);
    return kl_sampling_data_load(data, &o, paths, n_paths, err);
}

static int make_net(struct kl_sampling_net *net, const struct kl_sampling_data *data,
                    const struct kl_sampling_values *v, struct kl_error *err)
{
    char name[64];
    const bool wide = strncmp(v->model, "fcn", 3) == 0;
    snprintf(name, sizeof name, wide ? "%s:%lld" : "%s", v->model, (long long)v->width);
    const int code =
        kl_sampling_net_make(net, name, data->channels, data->height, data->width, data->classes,
                             (enum kl_loss)kl_choice(KL_SAMPLING_LOSSES, v->loss), v->l_max, err);
    if (code) return code;
    const bool layer = strcmp(v->prior, "layer") == 0;
    for (int t = 0; t < net->n_tensors; t++) {
        struct kl_sampling_tensor *tensor = &net->tensors[t];
        tensor->sigma = layer && tensor->fan_in ? v->sigma / sqrt((double)tensor->fan_in) : v->sigma;
    }
    return 0;
}

int kl_sampling_problem_open(struct kl_sampling_problem *p, const struct kl_sampling_values *v,
                             const char *const *paths, size_t n_paths, struct kl_file *const features[2],
                             struct kl_pool *pool, const struct kl_log *log, struct kl_error *err)
{
    *p = (struct kl_sampling_problem){ .n = all_the_same(v) ? 1 : (size_t)v->chains };
    p->data = calloc(p->n, sizeof *p->data), p->nets = calloc(p->n, sizeof *p->nets);
    p->targets = calloc(p->n, sizeof *p->targets);
    if (!p->data || !p->nets || !p->targets) return kl_fail_memory(err, p->n * sizeof *p->nets);
    int code = 0;
    for (size_t i = 0; i < p->n && !code; i++) {
        code = load(&p->data[i], v, i, paths, n_paths, features, pool, log, err);
        if (!code) code = make_net(&p->nets[i], &p->data[i], v, err);
        if (!code)
            code =
                kl_sampling_net_target_f32(&p->targets[i], &p->nets[i], &p->data[i].train,
                                           &p->data[i].test, (size_t)v->batch, kl_pool_size(pool), err);
    }
    return code;
}

void kl_sampling_problem_close(struct kl_sampling_problem *p)
{
    for (size_t i = 0; i < p->n && p->targets; i++)
        if (p->targets[i].close) p->targets[i].close(p->targets[i].context);
    for (size_t i = 0; i < p->n && p->data; i++) kl_sampling_data_free(&p->data[i]);
    free(p->targets), free(p->data), free(p->nets);
    memset(p, 0, sizeof *p);
}

/* ---- mode sample ---- */

/* 2: steps by dual averaging, for as long as they take; the gradient's noise of samplers with momentum
   or a preconditioner. */
static int numerical_version(const struct kl_sampling_values *v)
{
    const bool euler = !strcmp(v->sampler, "sgld"), refuses = kl_choice("mala|hmc", v->sampler) >= 0;
    return refuses ? v->tune && !strcmp(v->profile, "sound") ? 2 : 1 : euler || v->batch == 0 ? 1 : 2;
}

struct work {
    struct kl_mode_run *mode;
    struct kl_sampling_values *v;
    struct kl_sampling_settings settings;
    struct kl_sampling_rung rungs[KL_SAMPLING_BETAS];
    struct kl_sampling_problem problem;
    struct kl_file *features[2]; /* NULL: the records are of another kind */
    struct kl_device device;
    struct kl_sampling_run *run;
    struct kl_sampling_told *told; /* (settings.n_rungs) */
    struct kl_sampling_minimum minimum;
    char *config;
    bool older, prepared; /* older: another run's checkpoint is there */
    uint64_t loaded;      /* epochs */
};

/* --extend: the records, the network and the sampler are to be the same; the ladder's numbers the
   engine compares. */
static int check_kin(const struct work *w, const struct kl_file *file, struct kl_error *err)
{
    static const char *const grow[] = {
        "betas", "epochs", "warmup", "lr", "chains", "first-chain", NULL
    };
    return kl_sampling_chains_check_kin(file, w->mode->stage.key_parts, grow, err);
}

static int choose_device(struct work *w, struct kl_error *err)
{
    const struct kl_ranks *ranks = w->mode->ranks;
    return kl_device_take(&w->device, &w->v->common, ranks ? ranks->local : 0, w->mode->stage.log, err);
}

/* Few epochs, so that a cache of images' features ends soon. */
static void say_usual(const struct work *w)
{
    if (w->features[0] && w->v->usual && !w->v->test_mode)
        kl_note(w->mode->stage.log, 1,
                "--data features: %s epochs are a first look; for a law that can be reported give "
                "--epochs 10000 --warmup 1600",
                w->v->epochs);
}

/* Device, records, networks, chains; what --extend and a checkpoint have of them. */
static int prepare(struct work *w, struct kl_error *err)
{
    int code = w->prepared ? KL_OK : choose_device(w, err);
    if (!code && !w->mode->pool) code = kl_pool_create(&w->mode->pool, (int)w->v->common.threads, err);
    if (!code && !w->prepared)
        code =
            kl_sampling_problem_open(&w->problem, w->v, w->mode->stage.inputs, w->mode->stage.n_inputs,
                                     w->features, w->mode->pool, w->mode->stage.log, err);
    if (!code && !w->prepared) say_usual(w);
    w->prepared = true;
    kl_sampling_run_close(&w->run);
    if (!code)
        code = kl_sampling_run_open(&w->run, &w->settings, w->problem.targets, w->problem.n,
                                    kl_pool_size(w->mode->pool), err);
    if (!code && w->device.cuda)
        code = kl_sampling_run_on_gpu(w->run, &w->device, w->problem.nets, w->problem.data, w->problem.n,
                                      w->mode->stage.log, err);
    if (code || !w->v->extend) return code;
    struct kl_file *file = NULL;
    code = kl_store_file_open_kind(&file, w->v->extend, &kl_sampling_chains_kind, err);
    if (!code) code = check_kin(w, file, err);
    if (!code) code = kl_sampling_run_load(w->run, file, err);
    kl_store_file_close(&file);
    return code;
}

static int resume(struct work *w, const struct kl_log *log, struct kl_error *err)
{
    struct kl_file *file = NULL;
    const struct kl_stage *stage = &w->mode->stage;
    int code =
        kl_store_checkpoint_resume(&file, &w->older, w->mode->checkpoint, stage, log, "epoch", err);
    if (!code && file) code = kl_sampling_run_load(w->run, file, err);
    if (!code && file) {
        uint64_t done, total;
        kl_sampling_run_done(w->run, &done, &total);
        kl_note(log, 1, "found %s: %llu of %llu epochs; %llu left", w->mode->checkpoint,
                (unsigned long long)done, (unsigned long long)total, (unsigned long long)(total - done));
    }
    kl_store_file_close(&file);
    return code;
}

/* Of the work that is left once prepared; thrown away. */
static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct work *w = context;
    struct kl_trial trial;
    const struct kl_log *log = w->mode->stage.log, quiet = { log->tool, log->to, 0, NULL };
    uint64_t done = 0, total = 0;
    const double start = kl_clock();
    int code = prepare(w, err);
    if (!code) code = resume(w, &quiet, err);
    const double prepared = kl_clock() - start;
    if (!code) kl_sampling_run_done(w->run, &done, &total);
    kl_trial_begin(&trial);
    trial.from = done;
    if (!code && done < total) code = kl_sampling_run_go(w->run, w->mode->pool, &trial.watch, err);
    code = kl_trial_end(code);
    if (!code && done < total) code = kl_trial_whole(&estimate->seconds, &trial, "an epoch", err);
    estimate->seconds += prepared;
    estimate->at_most = w->settings.stop.on;
    return code;
}

/* --data features: both caches, which must be of one kind. */
static int open_features(struct work *w, struct kl_mode_run *run, struct kl_error *err)
{
    struct kl_features f[2] = { { 0 } };
    int code = KL_OK;
    if (run->stage.n_inputs != 2)
        return kl_fail(
            err, KL_EUSAGE,
            "--data features: found %zu input%s, expected TRAIN.h5 TEST.h5, two feature caches "
            "of extract-features",
            run->stage.n_inputs, kl_s(run->stage.n_inputs));
    for (int i = 0; i < 2 && !code; i++) {
        code = kl_store_file_open(&w->features[i], run->stage.inputs[i], err);
        run->few[run->n_parents++] = w->features[i];
        if (!code) code = kl_head_features_describe(&f[i], w->features[i], err);
    }
    if (!code)
        code = kl_head_features_check_alike(&f[0], w->features[0], &f[1], w->features[1], run->stage.log,
                                            err);
    if (!code && !strcmp(kl_store_file_content(w->features[0]), kl_store_file_content(w->features[1])))
        kl_caution(run->stage.log, "%s: the test part is the training part: test errors say nothing new",
                   run->stage.inputs[1]);
    for (int i = 0; i < 2; i++) kl_head_features_free(&f[i]);
    return code;
}

static int open_ladder(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    w->mode = run, w->v = run->values;
    run->stage.estimate = try_a_moment, run->stage.estimate_context = w;
    run->version = numerical_version(w->v);
    if (!(w->config = kl_options_json(&kl_sampling_sample_tool, w->v, true)))
        return kl_fail_memory(err, 4096);
    int code = kl_sampling_values_settings(&w->settings, w->rungs, w->v, err);
    if (!code && strncmp(w->v->common.device, "cuda", 4) == 0)
        code = kl_sampling_gpu_check(&w->settings, err);
    if (!code && run->stage.n_inputs && !strcmp(w->v->data, "synth"))
        return kl_fail(err, KL_EUSAGE,
                       "--data synth: found an input, expected none; it is drawn from its seed. Feature "
                       "caches go with --data features, images with images, mnist, ...");
    return code || strcmp(w->v->data, "features") != 0 ? code : open_features(w, run, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    for (int i = 0; w->features[0] && i < 2; i++) {
        const int code =
            kl_store_key_input(key, i ? "test" : "features", kl_store_file_content(w->features[i]), err);
        if (code || i) return code;
    }
    return kl_sampling_data_identify(key, run->raw_inputs, run->stage.inputs, run->stage.n_inputs, err);
}

static int save_chains(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = context;
    const struct kl_sampling_values *v = w->v;
    const struct kl_sampling_data *data = w->problem.data;
    const struct kl_sampling_target_f32 *target = w->problem.targets;
    const struct {
        const char *name, *text;
    } texts[] = {
        { "config", w->config }, { "data", data->name }, { "groups", v->groups },
        { "labels", v->labels }, { "model", v->model },  { "loss", v->loss },
        { "prior", v->prior },
    };
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        { "l_max", v->l_max },
        { "loss_low", target->loss_low },
        { "loss_high", target->loss_high },
        { "prior_sigma", v->sigma },
        { "chance", target->chance },
        { "width", (double)v->width },
        { "classes", data->classes },
    };
    int code = kl_sampling_run_save(writer, w->run, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !code; i++)
        code = kl_store_writer_text(writer, "", texts[i].name, texts[i].text, err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !code; i++)
        code = kl_store_writer_number(writer, "", numbers[i].name, numbers[i].number, err);
    return code;
}

/* Stops when a checkpoint is due, else as the progress says. */
struct pace {
    const struct kl_watch *watch;
    uint64_t every, last; /* 0: never */
    bool begun;
};
static int pace_step(void *context, uint64_t done, uint64_t total, const char *note)
{
    struct pace *p = context;
    const int stop = kl_watch_step(p->watch, done, total, note);
    if (stop) return stop;
    if (!p->begun) p->begun = true, p->last = done;
    const bool due = p->every && done - p->last >= p->every && done < total;
    if (due) p->last = done;
    return due;
}

static int keep_stopped(struct work *w, struct kl_error *err)
{
    const struct kl_log *log = w->mode->stage.log;
    uint64_t done, total;
    kl_sampling_run_done(w->run, &done, &total);
    if (!w->mode->checkpoint || (w->older && done == w->loaded)) {
        kl_note(log, 1, "stopped by a signal with %llu of %llu epochs done%s%s",
                (unsigned long long)done, (unsigned long long)total,
                w->mode->checkpoint ? "; as it was stays " : "; nothing is kept",
                w->mode->checkpoint ? w->mode->checkpoint : "");
        return KL_ESIGNAL;
    }
    const int code =
        kl_store_checkpoint_write(w->mode->checkpoint, &w->mode->stage, save_chains, w, err);
    if (code) return code;
    kl_note(log, 1,
            "stopped by a signal with %llu of %llu epochs done; the same command goes on from "
            "there",
            (unsigned long long)done, (unsigned long long)total);
    return KL_ESIGNAL;
}

static int stopped(struct work *w, struct kl_error *err)
{
    const int code = kl_store_ranks_follow(w->mode->ranks) ? KL_ESIGNAL : keep_stopped(w, err);
    kl_store_ranks_wait(w->mode->ranks);
    return code;
}

/* Of a run that goes on after it. */
static int keep(struct work *w, struct kl_error *err)
{
    if (kl_store_ranks_follow(w->mode->ranks)) return KL_OK;
    return kl_store_checkpoint_write(w->mode->checkpoint, &w->mode->stage, save_chains, w, err);
}

static int go(struct work *w, struct kl_error *err)
{
    uint64_t total;
    bool due;
    kl_sampling_run_done(w->run, &w->loaded, &total);
    struct pace pace = { .watch = w->mode->watch, .every = (uint64_t)w->v->checkpoint_every };
    const struct kl_watch watch = { pace_step, &pace };
    int code = kl_sampling_run_share(w->run, w->mode->ranks, err);
    do {
        if (!code) code = kl_sampling_run_go(w->run, w->mode->pool, &watch, err);
        due = code == KL_ESIGNAL && !w->run->signal;
        if (due) code = keep(w, err);
    } while (!code && due);
    return code == KL_ESIGNAL ? stopped(w, err) : code;
}

/* Of chains that sample the law itself, with one prior for all temperatures. */
static bool seeks(const struct work *w)
{
    return kl_choice("mala|hmc", w->v->sampler) >= 0 && numerical_version(w->v) > 1 &&
           strcmp(w->v->convention, "gibbs") == 0;
}

static int sample(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    int code = prepare(w, err);
    if (!code) code = resume(w, run->stage.log, err);
    if (!code) code = go(w, err);
    if (code || kl_store_ranks_dismiss(run->ranks)) return code;
    w->told = calloc(w->settings.n_rungs, sizeof *w->told);
    if (!w->told) return kl_fail_memory(err, w->settings.n_rungs * sizeof *w->told);
    code = kl_sampling_tell_make(w->told, w->run, w->settings.n_rungs, w->settings.chains,
                                 run->stage.log, err);
    if (!code && seeks(w)) code = kl_sampling_minimum_seek(&w->minimum, w->run, run->pool, err);
    return code == KL_ESIGNAL ? keep_stopped(w, err) : code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    const int code = save_chains(w, writer, err);
    return code || !seeks(w) ? code : kl_sampling_minimum_put(writer, &w->minimum, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    return kl_sampling_tell_json(to, &run->stage, w->told, w->settings.n_rungs,
                                 kl_clock() - run->stage.start, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    fprintf(to, "%s: %s on %s, %lld chain%s of %zu parameters; ", w->v->common.output, w->v->model,
            w->problem.data->name, (long long)w->v->chains, kl_s((unsigned long long)w->v->chains),
            w->problem.targets->size);
    kl_sampling_tell_line(to, w->told, w->settings.n_rungs);
    fprintf(to, "; %.2f s\n", kl_clock() - run->stage.start);
}

static void close_run(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sampling_run_close(&w->run);
    kl_sampling_problem_close(&w->problem);
    for (int i = 0; i < 2; i++) kl_store_file_close(&w->features[i]);
    free(w->told), free(w->config);
}

static const struct kl_file_stage stage = { .kind = &kl_sampling_chains_kind,
                                            .schema = 1,
                                            .name = "sgld sample",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .has_checkpoint = true,
                                            .ranks_at = offsetof(struct kl_sampling_values, ranks),
                                            .progress = "epochs",
                                            .open = open_ladder,
                                            .key = key,
                                            .compute = sample,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = close_run };
const struct kl_mode kl_sampling_mode_sample = { .tool = &kl_sampling_sample_tool,
                                                 .defaults = kl_sampling_values_default,
                                                 .stage = &stage,
                                                 .complete = kl_sampling_values_complete };
