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

struct run {
    struct kl_gan_settings *v;
    struct kl_stage *stage;
    struct kl_log log; /* the stage's, but silent while a moment is tried */
    FILE *out;
    struct kl_bits bits;
    struct kl_gan_study study;
    struct kl_device device;
    struct kl_pool *pool;
    struct kl_writer *writer;
    json_t *raw; /* for the provenance */
    char *checkpoint;
    bool older; /* one stands there from which this run does not go on */
};

static int settle(struct run *run, struct kl_error *err)
{
    if (!run->stage->n_inputs)
        return kl_fail(err, KL_EUSAGE, "no input, expected device bits; see --help");
    if (!run->v->common.output && !run->v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o GAN.h5");
    return kl_gan_settings_complete(run->v, err);
}

static int read_bits(struct run *run, struct kl_error *err)
{
    const struct kl_bits_how how = { .symbol_bits = (int)run->v->symbol_bits,
                                     .packed = run->v->packed,
                                     .encoding = run->v->encoding,
                                     .row_bits = (size_t)run->v->row_bits };
    struct kl_gan_pair *pairs = NULL;
    size_t n = 0;
    int code = kl_bits_read_files(&run->bits, run->stage->inputs, run->stage->n_inputs, &how, err);
    if (!code) code = kl_gan_pairs(&pairs, &n, run->v->pairs, &run->bits, err);
    if (!code) return kl_gan_study_make(&run->study, &run->v->gan, &run->bits, pairs, n, err);
    free(pairs);
    return code;
}

static int save_models(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct run *run = context;
    return kl_gan_study_save(writer, &run->study, err);
}

/* The models that are done, beside the target. */
static int keep(void *context, struct kl_error *err)
{
    struct run *run = context;
    return kl_store_checkpoint_write(run->checkpoint, run->stage, save_models, run, err);
}

static size_t count_done(const struct kl_gan_study *s)
{
    size_t done = 0;
    for (size_t m = 0; m < s->n_models; m++) done += s->done[m];
    return done;
}

/* A generator is kept when it is trained; before the first one is, there is nothing to go on from. */
static int stopped(struct run *run, int code, struct kl_error *err)
{
    const size_t done = count_done(&run->study), n = run->study.n_models;
    const int kept = done ? keep(run, NULL) : KL_OK;
    if (kept) return kl_fail(err, kept, "%s: the checkpoint cannot be written", run->checkpoint);
    if (!done && run->older)
        kl_note(&run->log, 1, "stopped with 0 of %zu generators trained; %s stays as it was", n,
                run->checkpoint);
    else
        kl_note(&run->log, 1, "stopped with %zu of %zu generators trained; %s", done, n,
                done ? "the same command with --resume goes on from there" : "nothing is kept");
    return code;
}

static int resume(struct run *run, struct kl_error *err)
{
    struct kl_file *file = NULL;
    if (!run->v->resume) {
        run->older = kl_store_checkpoint_forgotten(run->checkpoint, run->stage, &run->log, "generator");
        return KL_OK;
    }
    int code = kl_store_checkpoint_resume(&file, run->checkpoint, run->stage, &run->log, err);
    if (code || !file) return code;
    code = kl_gan_study_restore(&run->study, file, err);
    if (!code)
        kl_note(&run->log, 1, "found %s: %zu of %zu generators", run->checkpoint,
                count_done(&run->study), run->study.n_models);
    kl_store_file_close(&file);
    return code;
}

static int prepare(struct run *run, struct kl_error *err)
{
    const int code = kl_device_choose(&run->device, run->v->common.device, err);
    run->v->common.device_used = run->device.name;
    kl_device_unmeasured(run->v->common.device, &run->log);
    return code ? code : kl_pool_create(&run->pool, (int)run->v->common.threads, err);
}

static int try_a_moment(void *context, struct kl_estimate *estimate, struct kl_error *err)
{
    struct run *run = context;
    struct kl_trial trial;
    run->log.level = 0;
    int code = prepare(run, err);
    if (!code) code = resume(run, err);
    kl_trial_begin(&trial);
    trial.from = trial.done = count_done(&run->study), trial.least = trial.from + 1;
    if (!code)
        code = kl_gan_study_run(&run->study, &run->device, run->pool, &trial.watch, NULL, NULL, err);
    code = kl_trial_end(code);
    estimate->seconds = 0;
    if (code || trial.from == run->study.n_models) return code;
    return kl_trial_whole(&estimate->seconds, &trial, "a generator", err);
}

static int train(struct run *run, struct kl_error *err)
{
    struct kl_progress progress;
    kl_bits_note_dropped(&run->log, run->bits.n_dropped, run->bits.n_bits);
    kl_bits_note_narrow(&run->log, run->bits.used_bits, run->bits.symbol_bits);
    if (!run->bits.n_files)
        kl_bits_note_rows(&run->log, run->bits.n_rows, run->bits.n_bits, run->bits.n_devices);
    int code = kl_bits_note_repeats(&run->log, &run->bits, true, err);
    if (!code)
        code = kl_bits_note_names(&run->log, run->stage->inputs, run->bits.names, run->stage->n_inputs,
                                  err);
    if (!code) code = prepare(run, err);
    if (!code) code = resume(run, err);
    if (code) return code;
    kl_progress_begin(&progress, &run->log, run->v->common.progress, "generators");
    code = kl_gan_study_run(&run->study, &run->device, run->pool, &progress.watch, keep, run, err);
    kl_progress_end(&progress);
    if (!code && !run->v->gan.reference) code = kl_gan_note_unequal(&run->log, &run->bits, err);
    return code == KL_ESIGNAL && run->checkpoint ? stopped(run, code, err) : code;
}

static int publish(struct run *run, struct kl_error *err)
{
    int code = kl_store_writer_open(&run->writer, run->v->common.output, &run->stage->header, err);
    if (!code) code = kl_gan_study_save(run->writer, &run->study, err);
    if (!code) code = kl_bits_publish(run->stage, &run->writer, &run->bits, run->raw, err);
    if (!code && run->checkpoint) kl_store_checkpoint_remove(run->checkpoint, NULL);
    return code;
}

static int report(const struct run *run, struct kl_error *err)
{
    const struct kl_gan_study *s = &run->study;
    const struct kl_common *common = &run->v->common;
    FILE *to = kl_words_to(common);
    const double seconds = kl_clock() - run->stage->start;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output, 0 },
        { "key", KL_JSON_TEXT, run->stage->key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "protocol", KL_JSON_TEXT, s->o.reference ? "reference" : "sound", 0 },
        { "pairs", KL_JSON_COUNT, NULL, (double)s->n_pairs },
        { "generators", KL_JSON_COUNT, NULL, (double)s->n_models },
        { "no_better_than_uniform", KL_JSON_COUNT, NULL, (double)s->unlearnt },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
        kl_json_cautions(&run->log),
    };
    if (common->json) return kl_json_line(to, pairs, sizeof pairs / sizeof *pairs, err);
    if (common->quiet) return KL_OK;
    kl_gan_study_table(to, s, common->verbose ? s->n_pairs : MOST_ROWS);
    fprintf(to, "%s: %zu pair%s, %zu generator%s", common->output, s->n_pairs, kl_s(s->n_pairs),
            s->n_models, kl_s(s->n_models));
    if (s->unlearnt) fprintf(to, ", %zu no better than the uniform law", s->unlearnt);
    fprintf(to, ", %.1f s\n", seconds);
    return KL_OK;
}

static int work(struct run *run, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_ANSWERED;
    const char *output = run->v->common.output;
    int code = settle(run, err);
    if (!code) code = read_bits(run, err);
    if (!code) code = kl_store_checkpoint_path(&run->checkpoint, output, err);
    if (!code)
        code = kl_bits_begin(&answer, &run->raw, run->stage, &run->bits, "gan", GAN_SCHEMA,
                             NUMERICAL_VERSION + (run->v->gan.shots && !run->v->gan.reference), run->out,
                             err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) {
        if (run->checkpoint) kl_store_checkpoint_remove(run->checkpoint, run->stage->key);
        return kl_store_stage_report(run->stage, answer, run->out, err);
    }
    code = train(run, err);
    if (!code) code = publish(run, err);
    return code ? code : report(run, err);
}

static int learn(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = {
        .v = mode->values, .stage = &mode->stage, .log = *mode->stage.log, .out = mode->out
    };
    run.stage->estimate = try_a_moment, run.stage->estimate_context = &run;
    const int code = work(&run, err);
    kl_store_writer_abort(&run.writer);
    kl_gan_study_free(&run.study);
    kl_bits_free(&run.bits);
    kl_pool_destroy(&run.pool);
    json_decref(run.raw);
    free(run.checkpoint);
    return code;
}

static void defaults(void *values)
{
    kl_gan_settings_default(values);
}

int main(int argc, char **argv)
{
    static const struct kl_mode generators = { .tool = &kl_gan_tool,
                                               .defaults = defaults,
                                               .run = learn };
    return kl_store_mode_main(&generators, argc, argv, stdout, stderr);
}
