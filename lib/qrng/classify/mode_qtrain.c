/* SPDX-License-Identifier: MIT
   qtrain --qrng BITS...: classifiers of devices; its options, and what they are if they are not given.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "qrng/bits/options.h"
#include "qrng/classify/study.h"
#include "store/mode.h"

#define AT(field) offsetof(struct kl_study_settings, field)
static const struct kl_option options[] = {
    { "qrng", 0, KL_OPT_FLAG, AT(qrng), NULL, 0, 0, false, "classifiers of devices, not heads",
      "Protocol", NULL },
    { "reference", 0, KL_OPT_FLAG, AT(reference), NULL, 0, 0, true,
      "as the published study: chosen on test rows", NULL, NULL },
    { "protocol", 0, KL_OPT_CHOICE, AT(protocol), KL_STUDY_PROTOCOLS, 0, 0, true,
      "stratified splits (holdout) or nested folds", NULL, NULL },
    { "seeds", 0, KL_OPT_INT, AT(seeds), "N", 1, 1e5, true, "splits, or N times --folds", NULL, NULL },
    { "folds", 0, KL_OPT_INT, AT(folds), "N", 2, 1000, true, "of --protocol folds", NULL, NULL },
    { "test", 0, KL_OPT_FLOAT, AT(test), "F", 0.001, 0.999, true, "share of the test rows", NULL, NULL },
    { "validation", 0, KL_OPT_FLOAT, AT(validation), "F", 0.001, 0.9, true,
      "share of the validation rows", NULL, NULL },
    { "null", 0, KL_OPT_INT, AT(null), "N", 0, 1e6, true, "further runs on shuffled labels", NULL,
      NULL },
    { "model", 0, KL_OPT_CHOICE, AT(model), KL_STUDY_MODELS, 0, 0, true,
      "pairs and logistic always stand beside it", "Model", NULL },
    { "features", 0, KL_OPT_CHOICE, AT(features), KL_STUDY_FEATURES, 0, 0, true,
      "of the network: bits, or counts of bit pairs", NULL, NULL },
    { "hidden", 0, KL_OPT_STRING, AT(hidden), "LIST", 0, 0, true, "its hidden layers, \"\": none", NULL,
      NULL },
    { "init", 0, KL_OPT_CHOICE, AT(init), "glorot|fan-in", 0, 0, true, "its initial weights", NULL,
      NULL },
    { "epochs", 0, KL_OPT_INT, AT(epochs), "N", 1, 1e6, true, "at most", "Training", NULL },
    { "patience", 0, KL_OPT_INT, AT(patience), "N", 0, 1e6, true,
      "epochs without a better one; 0: no end", NULL, NULL },
    { "rate-patience", 0, KL_OPT_INT, AT(rate_patience), "N", 0, 1e6, true,
      "the same before lr is halved; 0: never", NULL, NULL },
    { "keep", 0, KL_OPT_CHOICE, AT(keep), "best|last", 0, 0, true, "epoch", NULL, NULL },
    { "batch-size", 0, KL_OPT_INT, AT(batch), "N", 1, KL_MLP_BATCH, true, "rows of a step", NULL, NULL },
    { "lr", 0, KL_OPT_FLOAT, AT(lr), "F", 1e-12, 10, true, "of Adam", NULL, NULL },
    { "dropout", 0, KL_OPT_FLOAT, AT(dropout), "F", 0, 0.99, true, "after hidden layers", NULL, NULL },
    { "l1", 0, KL_OPT_FLOAT, AT(l1), "F", 0, 10, true, "penalty on |parameters|", NULL, NULL },
    { "weight-decay", 0, KL_OPT_FLOAT, AT(weight_decay), "F", 0, 10, true, "Adam's L2", NULL, NULL },
    { "clip", 0, KL_OPT_FLOAT, AT(clip), "F", 0, 1e9, true, "norm of the gradient; 0: none", NULL,
      NULL },
    KL_DEVICE_OPTION(AT(common.device)),
    KL_SYMBOL_OPTION(AT(symbol_bits), "Input"),
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
};
const struct kl_tool kl_study_tool = {
    .name = "qtrain",
    .summary = "Trains classifiers that tell devices by their measured bits",
    .arguments = "--qrng BITS... -o CLASSIFIER.h5",
    .example = "qtrain --qrng rows.txt -o c.h5 && qeval --qrng c.h5 rows.txt -o report.h5\n"
               "  qtrain --qrng a.npy b.npy --model pairs --null 1000 -o c.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_study_settings),
    .chosen_by = "--qrng",
};

enum { NOT_GIVEN = -1, REFERENCE_SEED = 89 };

void kl_classify_settings_default(struct kl_study_settings *v)
{
    *v = (struct kl_study_settings){
        .common = { .progress = "auto", .device = "auto", .seed = NOT_GIVEN },
        .model = "network",
        .features = "bits",
        .init = "glorot",
        .keep = "best",
        .hidden = "30,20",
        .seeds = 4,
        .folds = 5,
        .epochs = 1000,
        .patience = 100,
        .rate_patience = 50,
        .batch = 8,
        .test = 0.2,
        .validation = NAN,
        .lr = 1e-3,
        .dropout = 0.2,
        .l1 = 0.002,
        .clip = 1
    };
}

/* The study took no validation rows. */
int kl_classify_settings_complete(struct kl_study_settings *v, struct kl_error *err)
{
    const bool named = v->protocol && kl_choice(KL_STUDY_PROTOCOLS, v->protocol) == KL_REFERENCE;
    if (v->reference && v->protocol && !named)
        return kl_fail(err, KL_EUSAGE, "--reference has a protocol of its own; leave --protocol %s away",
                       v->protocol);
    v->reference = v->reference || named;
    if (!v->protocol) v->protocol = v->reference ? "reference" : "holdout";
    if (v->reference && !isnan(v->validation))
        return kl_fail(err, KL_EUSAGE,
                       "--validation: the study has no validation rows; leave it or --reference away");
    if (isnan(v->validation)) v->validation = v->reference ? 0 : 0.1;
    if (v->test + v->validation >= 1)
        return kl_fail(err, KL_EUSAGE, "--test %g and --validation %g leave no rows to train on",
                       v->test, v->validation);
    if (v->common.seed == NOT_GIVEN) v->common.seed = v->reference ? REFERENCE_SEED : 0;
    if (v->reference && (v->common.seed < 0 || v->common.seed > UINT32_MAX - (v->seeds - 1)))
        return kl_fail(err, KL_EUSAGE, "--seed: found %lld; the study's are 0 to %lld for %lld split%s",
                       (long long)v->common.seed, (long long)UINT32_MAX - (v->seeds - 1),
                       (long long)v->seeds, kl_s((unsigned long long)v->seeds));
    return KL_OK;
}

int kl_classify_settings_check(const struct kl_study_settings *v, struct kl_error *err)
{
    const char *own = "features hidden init epochs patience rate-patience keep batch-size lr dropout l1 "
                      "weight-decay clip";
    const bool folds = kl_choice(KL_STUDY_PROTOCOLS, v->protocol) == KL_FOLDS;
    struct kl_study_settings defaults;
    int rc = KL_OK;
    kl_classify_settings_default(&defaults);
    if (kl_choice(KL_STUDY_MODELS, v->model) != 0)
        rc = kl_options_refuse(&kl_study_tool, v, &defaults, own, "is of --model network alone", err);
    if (rc) return rc;
    return kl_options_refuse(
        &kl_study_tool, v, &defaults, folds ? "test" : "folds",
        folds ? "of --protocol folds a fold is the test" : "is of --protocol folds alone", err);
}

enum { NUMERICAL_VERSION = 5, SCHEMA = 1 };

static void defaults(void *values)
{
    kl_classify_settings_default(values);
}

static int complete(void *values, struct kl_error *err)
{
    return kl_classify_settings_complete(values, err);
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
    if (!code) code = kl_classify_study_open(&w->study, w->v, &w->bits, err);
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
    if (!code) code = kl_classify_train(&w->study, w->writer, &w->device, pool, &progress.watch, err);
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
                      kl_classify_count_collapsed(&collapsed, common->output, n, NULL) == KL_OK;
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
    int code = kl_classify_settings_check(w->v, err);
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
    kl_classify_study_close(&w.study);
    kl_bits_free(&w.bits);
    json_decref(w.raw);
    return code;
}

const struct kl_mode kl_mode_qtrain = {
    .tool = &kl_study_tool, .defaults = defaults, .run = run, .complete = complete
};
