/* SPDX-License-Identifier: MIT
   qgan: rows of device bits in; out a generator for each device or pair, and how far apart they say the
   devices are. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "qrng/gan/settings.h"
#include "store/mode.h"

enum {
    NUMERICAL_VERSION = 8, /* with shots one more: their laws were judged by a sample before */
    GAN_SCHEMA = 2,
    MOST_ROWS = 40
};

struct work {
    struct kl_mode_run *run;
    struct kl_gan_settings *v;
    struct kl_log log; /* the stage's, but silent while a moment is tried */
    struct kl_bits bits;
    struct kl_gan_study study;
    struct kl_device device;
    bool older; /* a checkpoint stands there from which this run does not go on */
};

static int save_models(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = context;
    return kl_gan_study_save(writer, &w->study, err);
}

/* The models that are done, beside the target. */
static int keep(void *context, struct kl_error *err)
{
    struct work *w = context;
    return kl_store_checkpoint_write(w->run->checkpoint, &w->run->stage, save_models, w, err);
}

static size_t count_done(const struct kl_gan_study *s)
{
    size_t done = 0;
    for (size_t m = 0; m < s->n_models; m++) done += s->done[m];
    return done;
}

/* A generator is kept when it is trained; before the first one is, there is nothing to go on from. */
static int stopped(struct work *w, int code, struct kl_error *err)
{
    const size_t done = count_done(&w->study), n = w->study.n_models;
    const int kept = done ? keep(w, NULL) : KL_OK;
    if (kept) return kl_fail(err, kept, "%s: the checkpoint cannot be written", w->run->checkpoint);
    if (!done && w->older)
        kl_note(&w->log, 1, "stopped with 0 of %zu generators trained; %s stays as it was", n,
                w->run->checkpoint);
    else
        kl_note(&w->log, 1, "stopped with %zu of %zu generators trained; %s", done, n,
                done ? "the same command goes on from there" : "nothing is kept");
    return code;
}

static int resume(struct work *w, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_store_checkpoint_resume(&file, &w->older, w->run->checkpoint, &w->run->stage, &w->log,
                                          "generator", err);
    if (code || !file) return code;
    code = kl_gan_study_restore(&w->study, file, err);
    if (!code)
        kl_note(&w->log, 1, "found %s: %zu of %zu generators", w->run->checkpoint, count_done(&w->study),
                w->study.n_models);
    kl_store_file_close(&file);
    return code;
}

static int prepare(struct work *w, struct kl_error *err)
{
    const int code = kl_device_choose(&w->device, w->v->common.device, err);
    kl_device_used(&w->v->common, &w->device);
    kl_device_unmeasured(w->v->common.device, &w->log);
    return code || w->run->pool ? code : kl_pool_create(&w->run->pool, (int)w->v->common.threads, err);
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct work *w = context;
    struct kl_trial trial;
    w->log.level = 0;
    int code = prepare(w, err);
    if (!code) code = resume(w, err);
    kl_trial_begin(&trial);
    trial.from = trial.done = count_done(&w->study), trial.least = trial.from + 1;
    if (!code)
        code = kl_gan_study_run(&w->study, &w->device, w->run->pool, &trial.watch, NULL, NULL, err);
    code = kl_trial_end(code);
    estimate->seconds = 0;
    if (code || trial.from == w->study.n_models) return code;
    return kl_trial_whole(&estimate->seconds, &trial, "a generator", err);
}

static int open_bits(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_gan_settings *v = w->v = run->values;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits };
    struct kl_gan_pair *pairs = NULL;
    size_t n = 0;
    w->run = run, w->log = *run->stage.log;
    run->stage.estimate = try_a_moment, run->stage.estimate_context = w;
    run->version += v->gan.shots && !v->gan.reference;
    int code = kl_gan_settings_complete(w->v, err);
    if (!code) code = kl_bits_read_files(&w->bits, run->stage.inputs, run->stage.n_inputs, &how, err);
    run->parents = (const struct kl_file *const *)w->bits.files, run->n_parents = w->bits.n_files;
    if (!code) code = kl_gan_pairs(&pairs, &n, v->pairs, &w->bits, err);
    if (!code) return kl_gan_study_make(&w->study, &v->gan, &w->bits, pairs, n, err);
    free(pairs);
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_bits_key(key, run->raw_inputs, &((struct work *)run->state)->bits, &run->stage, err);
}

static int train(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    int code = kl_bits_note(&run->stage, &w->bits, true, err);
    if (!code) code = prepare(w, err);
    if (!code) code = resume(w, err);
    if (code) return code;
    code = kl_gan_study_run(&w->study, &w->device, run->pool, run->watch, keep, w, err);
    if (!code && !w->v->gan.reference) code = kl_gan_note_unequal(&w->log, &w->bits, err);
    return code == KL_ESIGNAL && run->checkpoint ? stopped(w, code, err) : code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return save_models(run->state, writer, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct kl_gan_study *s = &((const struct work *)run->state)->study;
    const struct kl_json_pair pairs[] = {
        { "protocol", KL_JSON_TEXT, s->o.reference ? "reference" : "sound", 0 },
        { "pairs", KL_JSON_COUNT, NULL, (double)s->n_pairs },
        { "generators", KL_JSON_COUNT, NULL, (double)s->n_models },
        { "no_better_than_uniform", KL_JSON_COUNT, NULL, (double)s->unlearnt },
        { "seconds", KL_JSON_NUMBER, NULL, kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct kl_gan_study *s = &((const struct work *)run->state)->study;
    const struct kl_common *common = run->stage.common;
    kl_gan_study_table(to, s, common->verbose ? s->n_pairs : MOST_ROWS);
    fprintf(to, "%s: %zu pair%s, %zu generator%s", common->output, s->n_pairs, kl_s(s->n_pairs),
            s->n_models, kl_s(s->n_models));
    if (s->unlearnt) fprintf(to, ", %zu no better than the uniform law", s->unlearnt);
    fprintf(to, ", %.1f s\n", kl_clock() - run->stage.start);
}

static void close_study(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_gan_study_free(&w->study);
    kl_bits_free(&w->bits);
}

int main(int argc, char **argv)
{
    static const struct kl_file_stage stage = { .kind = &kl_gan_kind,
                                                .schema = GAN_SCHEMA,
                                                .version = NUMERICAL_VERSION,
                                                .seeded = true,
                                                .state_size = sizeof(struct work),
                                                .has_checkpoint = true,
                                                .progress = "generators",
                                                .open = open_bits,
                                                .key = key,
                                                .compute = train,
                                                .save = save,
                                                .json = json,
                                                .words = words,
                                                .close = close_study };
    static const struct kl_mode generators = { .tool = &kl_gan_tool,
                                               .defaults = kl_gan_settings_default,
                                               .stage = &stage };
    return kl_store_mode_main(&generators, argc, argv, stdout, stderr);
}
