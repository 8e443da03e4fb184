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
    { "batch-size", 0, KL_OPT_INT, AT(batch), "N", 1, KL_NETWORK_BATCH, true, "rows of a step; on a GPU 8 at most", NULL, NULL },
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

void kl_classify_settings_default(void *values)
{
    struct kl_study_settings *v = values;
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
int kl_classify_settings_complete(void *values, struct kl_error *err)
{
    struct kl_study_settings *v = values;
    const bool named = v->protocol && kl_choice(KL_STUDY_PROTOCOLS, v->protocol) == KL_REFERENCE;
    if (v->reference && v->protocol && !named)
        return kl_fail(err, KL_EUSAGE, "--reference has a protocol of its own; leave --protocol %s out",
                       v->protocol);
    v->reference = v->reference || named;
    if (!v->protocol) v->protocol = v->reference ? "reference" : "holdout";
    if (v->reference && !isnan(v->validation))
        return kl_fail(err, KL_EUSAGE,
                       "--validation: the study has no validation rows; leave it or --reference out");
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

struct work {
    struct kl_study_settings *v;
    struct kl_device device;
    struct kl_bits bits;
    struct kl_study study;
};

static int open_bits(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_study_settings *v = w->v = run->values;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits };
    int code = kl_classify_settings_check(v, err);
    if (!code) code = kl_bits_read_files(&w->bits, run->stage.inputs, run->stage.n_inputs, &how, err);
    run->parents = (const struct kl_file *const *)w->bits.files, run->n_parents = w->bits.n_files;
    return code ? code : kl_classify_study_open(&w->study, w->v, &w->bits, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_bits_key(key, run->raw_inputs, &((struct work *)run->state)->bits, &run->stage, err);
}

static int prepare(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    int code = kl_bits_note(&run->stage, &w->bits, true, err);
    if (!code) code = kl_device_take(&w->device, &w->v->common, 0, run->stage.log, err);
    if (!code && w->device.cuda && w->v->batch > KL_MLP_BATCH)
        code = kl_fail(err, KL_EUSAGE,
                       "--batch-size %lld: on a GPU a step has %d rows at most; give --device cpu",
                       (long long)w->v->batch, KL_MLP_BATCH);
    return code;
}

static int train(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    return kl_classify_train(&w->study, writer, &w->device, run->pool, run->watch, err);
}

/* Splits whose network names one device whatever the row; false: they cannot be counted. */
static bool count_collapsed(size_t *collapsed, const struct kl_mode_run *run)
{
    const struct kl_study *study = &((const struct work *)run->state)->study;
    const char *output = run->stage.common->output;
    *collapsed = 0;
    return study->network && strcmp(output, "-") != 0 &&
           kl_classify_count_collapsed(collapsed, output, study->n_splits, NULL) == KL_OK;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const size_t n = w->study.n_splits, n_null = w->study.n_runs - n;
    size_t collapsed;
    const bool told = count_collapsed(&collapsed, run);
    const struct kl_json_pair pairs[] = {
        { "devices", KL_JSON_COUNT, NULL, (double)w->bits.n_devices },
        { "rows", KL_JSON_COUNT, NULL, (double)w->bits.n_rows },
        { "splits", KL_JSON_COUNT, NULL, (double)n },
        { "null_runs", KL_JSON_COUNT, NULL, (double)n_null },
        { "collapsed", told ? KL_JSON_COUNT : KL_JSON_NUMBER, NULL, told ? (double)collapsed : NAN },
        { "seconds", KL_JSON_NUMBER, NULL, kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    const size_t n = w->study.n_splits, n_null = w->study.n_runs - n;
    size_t collapsed;
    count_collapsed(&collapsed, run);
    fprintf(to, "%s: %s, %s, %zu split%s", run->stage.common->output, w->v->model, w->v->protocol, n,
            kl_s(n));
    if (n_null) fprintf(to, " and %zu of shuffled labels", n_null);
    if (collapsed) fprintf(to, "; %zu of %zu collapsed, one device whatever the row", collapsed, n);
    fprintf(to, ", %.1f s; qeval --qrng judges them\n", kl_clock() - run->stage.start);
}

static void close_bits(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_classify_study_close(&w->study);
    kl_bits_free(&w->bits);
}

static const struct kl_file_stage stage = { .kind = &kl_study_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .progress = "runs",
                                            .partial = "split",
                                            .open = open_bits,
                                            .key = key,
                                            .compute = prepare,
                                            .save = train,
                                            .json = json,
                                            .words = words,
                                            .close = close_bits };
const struct kl_mode kl_mode_qtrain = { .tool = &kl_study_tool,
                                        .defaults = kl_classify_settings_default,
                                        .stage = &stage,
                                        .complete = kl_classify_settings_complete };
