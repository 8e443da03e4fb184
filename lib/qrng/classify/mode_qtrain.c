/* SPDX-License-Identifier: MIT
   qtrain --qrng BITS...: classifiers of devices. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "qrng/classify/study.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 5, SCHEMA = 1 };

static void defaults(void *values)
{
    kl_study_settings_default(values);
}

static int complete(void *values, struct kl_error *err)
{
    return kl_study_settings_complete(values, err);
}

struct work {
    struct kl_mode_run *run;
    struct kl_study_settings *v;
    struct kl_device device;
    struct kl_bits bits;
    struct kl_study study;
    struct kl_writer *writer;
    json_t *raw; /* raw_inputs of the record */
};

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .encoding = w->v->encoding,
                                     .row_bits = (size_t)w->v->row_bits };
    int code = kl_bits_read_files(&w->bits, stage->inputs, stage->n_inputs, &how, err);
    if (!code) code = kl_study_open(&w->study, w->v, &w->bits, err);
    if (code) return code;
    return kl_bits_begin(answer, &w->raw, stage, &w->bits, "device-classifier", SCHEMA,
                         NUMERICAL_VERSION, w->run->out, err);
}

static int train(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    kl_bits_note_dropped(stage->log, w->bits.n_dropped, w->bits.n_bits);
    kl_bits_note_narrow(stage->log, w->bits.used_bits, w->bits.symbol_bits);
    if (!w->bits.n_files)
        kl_bits_note_rows(stage->log, w->bits.n_rows, w->bits.n_bits, w->bits.n_devices);
    int code = kl_bits_note_repeats(stage->log, &w->bits, true, err);
    if (!code) code = kl_bits_note_names(stage->log, stage->inputs, w->bits.names, stage->n_inputs, err);
    if (!code) code = kl_device_choose(&w->device, w->v->common.device, err);
    w->v->common.device_used = w->device.name;
    kl_device_unmeasured(w->v->common.device, stage->log);
    if (!code) code = kl_pool_create(&pool, (int)w->v->common.threads, err);
    if (!code) code = kl_store_writer_open_partial(&w->writer, w->v->common.output, &stage->header, err);
    if (!code) kl_store_writer_note_older(w->writer, stage->log, "split");
    kl_progress_begin(&progress, stage->log, w->v->common.progress, "runs");
    if (!code) code = kl_study_train(&w->study, w->writer, &w->device, pool, &progress.watch, err);
    kl_progress_end(&progress);
    kl_pool_destroy(&pool);
    if (code == KL_ESIGNAL) kl_store_writer_stopped(w->writer, stage->log, err->text);
    return code ? code : kl_bits_publish(stage, &w->writer, &w->bits, w->raw, err);
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    const size_t n = w->study.n_splits, n_null = w->study.n_runs - n;
    const double seconds = kl_clock() - w->run->stage.start;
    size_t collapsed = 0;
    const bool told = w->study.network && strcmp(common->output, "-") != 0 &&
                      kl_study_count_collapsed(&collapsed, common->output, n, NULL) == KL_OK;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output, 0 },
        { "key", KL_JSON_TEXT, w->run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "devices", KL_JSON_COUNT, NULL, (double)w->bits.n_devices },
        { "rows", KL_JSON_COUNT, NULL, (double)w->bits.n_rows },
        { "splits", KL_JSON_COUNT, NULL, (double)n },
        { "null_runs", KL_JSON_COUNT, NULL, (double)n_null },
        { "collapsed", told ? KL_JSON_COUNT : KL_JSON_NUMBER, NULL, told ? (double)collapsed : NAN },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
        kl_json_cautions(w->run->stage.log),
    };
    if (common->json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (common->quiet) return KL_OK;
    fprintf(out, "%s: %s, %s, %zu split%s", common->output, w->v->model, w->v->protocol, n, kl_s(n));
    if (n_null) fprintf(out, " and %zu of shuffled labels", n_null);
    if (collapsed) fprintf(out, "; %zu of %zu collapsed, one device whatever the row", collapsed, n);
    fprintf(out, ", %.1f s; qeval --qrng judges them\n", seconds);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (!w->run->stage.n_inputs)
        return kl_fail(err, KL_EUSAGE, "no input, expected --qrng BITS...; see qtrain --qrng --help");
    if (!common->output && !common->print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o CLASSIFIER.h5");
    int code = kl_study_settings_check(w->v, err);
    if (!code) code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE)
        return kl_store_stage_report(&w->run->stage, answer, w->run->out, err);
    code = train(w, err);
    return code ? code : report(w, kl_words_to(common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    const int code = work(&w, err);
    kl_store_writer_abort(&w.writer);
    kl_study_close(&w.study);
    kl_bits_free(&w.bits);
    json_decref(w.raw);
    return code;
}

const struct kl_mode kl_mode_qtrain = {
    .tool = &kl_study_tool, .defaults = defaults, .run = run, .complete = complete
};
