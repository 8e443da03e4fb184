/* SPDX-License-Identifier: MIT
   `qseq fit`: a classifier on covariances of windows, with the splits of qseq train. */
#include <stdlib.h>
#include <string.h>

#include "sequence/learn/fitted.h"
#include "store/mode.h"
#include "train/inputs.h"

struct values {
    struct kl_common common;
    const char *method, *estimator, *align, *split;
    int64_t filters, fold, folds, split_seed;
    double strength, val_fraction, test_fraction;
};
#define AT(field) offsetof(struct values, field)
/* clang-format off */
static const struct kl_option options[] = {
    { "method", 'm', KL_OPT_CHOICE, AT(method), KL_SEQUENCE_METHODS, 0, 0, true,
      "spatial patterns, tangent space, least distance", "Classifier", NULL },
    { "filters", 0, KL_OPT_INT, AT(filters), "N", 0, 4096, true,
      "patterns of csp-lda; 0: 8, or as many as channels", NULL, NULL },
    { "strength", 0, KL_OPT_FLOAT, AT(strength), "C", 1e-9, 1e9, true,
      "tangent-lr: weight of the data against the penalty", NULL, NULL },
    { "estimator", 0, KL_OPT_CHOICE, AT(estimator), "sample|oas", 0, 0, true,
      "of covariances; oas shrinks them", NULL, NULL },
    { "align", 0, KL_OPT_CHOICE, AT(align), KL_SEQUENCE_ALIGNMENTS, 0, 0, true,
      "Euclidean alignment by all it is fitted on, by each person", NULL, NULL },
    { "split", 0, KL_OPT_CHOICE, AT(split), KL_SEQUENCE_SPLITS, 0, 0, true,
      "what is kept apart; leak: nothing, to show it", "Data", NULL },
    { "fold", 0, KL_OPT_INT, AT(fold), "N", 0, 1e6, true, "from 0: of loso, kfold, loro", NULL, NULL },
    { "folds", 0, KL_OPT_INT, AT(folds), "K", 2, 1e6, true, "of kfold", NULL, NULL },
    { "split-seed", 0, KL_OPT_INT, AT(split_seed), "N", 0, 4294967295.0, true,
      "of the split, as NumPy's RandomState", NULL, NULL },
    { "val-fraction", 0, KL_OPT_FLOAT, AT(val_fraction), "P", 0, 0.9, true,
      "as of qseq train; it is fitted on, too", NULL, NULL },
    { "test-fraction", 0, KL_OPT_FLOAT, AT(test_fraction), "P", 0, 0.9, true,
      "of the people, the runs (within), the windows (leak)", NULL, NULL },
};
/* clang-format on */
const struct kl_tool kl_sequence_fit_tool = {
    .name = "qseq",
    .summary = "Fits a classifier on covariances of windows: common spatial patterns with a linear "
               "discriminant, tangent vectors with logistic regression, least Riemannian distance",
    .arguments = "fit WINDOWS.h5... -o FIT.h5",
    .example = "qseq fit S*.h5 --method csp-lda -o csp.h5\n"
               "  qseq fit S*.h5 --method tangent-lr --split loso --fold 3 -o fold3.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed device progress",
    .chosen_by = "fit",
};

static void defaults(void *values)
{
    struct values *v = values;
    v->method = "csp-lda", v->estimator = "oas", v->align = "none", v->split = "subject";
    v->strength = 1, v->folds = 5, v->val_fraction = v->test_fraction = 0.15;
}

/* What would stand in the key and change nothing. */
static int check(const struct values *v, struct kl_error *err)
{
    const struct {
        const char *option, *other, *value, *values;
    } idle[] = {
        { "filters", "method", v->method, "csp-lda" },
        { "strength", "method", v->method, "tangent-lr" },
        { "folds", "split", v->split, "kfold" },
        { "test-fraction", "split", v->split, KL_SEQUENCE_SPLITS_OF_SHARES },
        { "split-seed", "split", v->split, KL_SEQUENCE_SPLITS_OF_SEED },
    };
    struct values usual = { .common = v->common };
    defaults(&usual);
    int code = KL_OK;
    for (size_t i = 0; i < sizeof idle / sizeof *idle && !code; i++) {
        char why[80];
        if (kl_choice(idle[i].values, idle[i].value) >= 0) continue;
        snprintf(why, sizeof why, "changes nothing without --%s %s", idle[i].other, idle[i].values);
        code = kl_options_refuse(&kl_sequence_fit_tool, v, &usual, idle[i].option, why, err);
    }
    return code;
}

struct run {
    const struct values *v;
    struct kl_stage *stage;
    struct kl_train_inputs inputs;
    struct kl_sequence_set set;
    struct kl_sequence_split split;
    struct kl_sequence_fitted fitted;
};

static int begin(struct run *run, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, kl_sequence_fit_kind.name, KL_SEQUENCE_FIT_SCHEMA, "qseq fit",
                                  KL_SEQUENCE_FIT_VERSION, err);
    if (!code) code = kl_store_key_options(key, &kl_sequence_fit_tool, run->v, err);
    if (!code) code = kl_train_inputs_key(key, &run->inputs, "windows", err);
    if (!code) code = kl_store_stage_begin(run->stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    return code;
}

static int split(struct run *run, struct kl_error *err)
{
    const struct values *const v = run->v;
    struct kl_sequence_split_options o;
    kl_sequence_split_options_default(&o);
    o.kind = (enum kl_sequence_split_kind)kl_choice(KL_SEQUENCE_SPLITS, v->split);
    o.fold = v->fold, o.folds = v->folds, o.seed = (uint64_t)v->split_seed;
    o.validation = v->val_fraction, o.test = v->test_fraction;
    int code = kl_sequence_split_make(&run->split, &run->set, &o, err);
    if (!code) code = kl_sequence_split_guard(&run->split, &run->set, o.kind, run->stage->log, err);
    if (!code && o.kind == KL_SEQUENCE_SPLIT_LEAK)
        kl_caution(run->stage->log,
                   "--split leak: windows of one recording train and test; what it scores is no claim");
    return code;
}

static int fit(struct run *run, size_t *n, struct kl_error *err)
{
    const struct values *const v = run->v;
    const size_t most = run->set.channels < 8 ? run->set.channels : 8;
    const struct kl_sequence_fit_options o = {
        .method = (enum kl_sequence_method)kl_choice(KL_SEQUENCE_METHODS, v->method),
        .estimator = (enum kl_sequence_estimator)kl_choice(KL_SEQUENCE_ESTIMATORS, v->estimator),
        .align = (enum kl_sequence_alignment)kl_choice(KL_SEQUENCE_ALIGNMENTS, v->align),
        .filters = v->filters ? (size_t)v->filters : most,
        .strength = v->strength,
    };
    const size_t n_train = run->split.n[KL_SEQUENCE_TRAIN], n_val = run->split.n[KL_SEQUENCE_VALIDATION];
    struct kl_pool *pool = NULL;
    int64_t *const rows = malloc((n_train + n_val + 1) * sizeof *rows);
    int code = rows ? kl_pool_create(&pool, (int)v->common.threads, err)
                    : kl_fail_memory(err, (n_train + n_val) * sizeof *rows);
    *n = n_train + n_val;
    if (!code) {
        if (n_train) memcpy(rows, run->split.part[KL_SEQUENCE_TRAIN], n_train * sizeof *rows);
        if (n_val) memcpy(rows + n_train, run->split.part[KL_SEQUENCE_VALIDATION], n_val * sizeof *rows);
        code = kl_sequence_fit(&run->fitted, &run->set, rows, *n, &o, pool, err);
    }
    free(rows);
    kl_pool_destroy(&pool);
    return code;
}

static void say(const struct run *run)
{
    const struct kl_sequence_fitted *f = &run->fitted;
    const char *own = kl_sequence_transductive(KL_SEQUENCE_STANDARD_NONE, f->options.align);
    if (own) kl_caution(run->stage->log, KL_SEQUENCE_OWN, own);
    if (f->lost) kl_caution(run->stage->log, KL_SEQUENCE_LOST, f->lost, f->channels);
}

static int publish(struct run *run, struct kl_error *err)
{
    const struct kl_file *const *parents = (const struct kl_file *const *)run->inputs.files;
    struct kl_writer *writer = NULL;
    say(run);
    int code = kl_store_writer_open(&writer, run->v->common.output, &run->stage->header, err);
    if (!code)
        code = kl_sequence_fitted_save(writer, &run->fitted, &run->set, &run->split, run->v->split,
                                       run->inputs.files, run->inputs.n, err);
    if (!code)
        return kl_store_stage_publish(run->stage, &writer, parents, run->inputs.n, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int tell(const struct run *run, size_t n, FILE *out, struct kl_error *err)
{
    const struct values *const v = run->v;
    const double seconds = kl_clock() - run->stage->start;
    const size_t n_test = run->split.n[KL_SEQUENCE_TEST];
    out = kl_words_to(&v->common);
    if (v->common.json) {
        const struct kl_json_pair pairs[] = {
            { "output", KL_JSON_TEXT, v->common.output, 0 },
            { "key", KL_JSON_TEXT, run->stage->key, 0 },
            { "status", KL_JSON_TEXT, "computed", 0 },
            { "method", KL_JSON_TEXT, v->method, 0 },
            { "split", KL_JSON_TEXT, v->split, 0 },
            { "align", KL_JSON_TEXT, v->align, 0 },
            { "transductive", KL_JSON_BOOL, NULL, strcmp(v->align, "subject") == 0 },
            { "windows", KL_JSON_COUNT, NULL, (double)n },
            { "test_windows", KL_JSON_COUNT, NULL, (double)n_test },
            { "classes", KL_JSON_COUNT, NULL, (double)run->set.n_classes },
            { "channels", KL_JSON_COUNT, NULL, (double)run->set.channels },
            { "seconds", KL_JSON_NUMBER, NULL, seconds },
            kl_json_cautions(run->stage->log),
        };
        return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    }
    if (!v->common.quiet)
        fprintf(out, "%s: %s fitted on %zu windows of %zu channels, %zu left to test%s; %.1f s\n",
                v->common.output, v->method, n, run->set.channels, n_test,
                strcmp(v->align, "subject") ? "" : "; transductive", seconds);
    return KL_OK;
}

static int work(struct run *run, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    size_t n = 0;
    if (!run->v->common.output && !run->v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o FIT.h5");
    int code = check(run->v, err);
    if (!code)
        code = kl_train_inputs_open(&run->inputs, run->stage->inputs, run->stage->n_inputs,
                                    &kl_sequence_windows_kind, err);
    if (!code) code = begin(run, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(run->stage, answer, out, err);
    kl_signals_plain(); /* it keeps nothing of a fit: who stops it need not wait */
    code = kl_sequence_set_open(&run->set, run->inputs.files, run->inputs.n, err);
    if (!code) code = split(run, err);
    if (!code) code = fit(run, &n, err);
    if (!code) code = kl_sequence_set_unchanged(&run->set, err);
    kl_signals_install();
    if (!code && kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
    if (!code) code = publish(run, err);
    return code ? code : tell(run, n, out, err);
}

static int run_fit(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values, .stage = &mode->stage };
    mode->stage.inputs++, mode->stage.n_inputs--; /* the word itself */
    const int code = mode->stage.n_inputs ? work(&run, mode->out, err)
                                          : kl_fail(err, KL_EUSAGE, "no windows; give WINDOWS.h5");
    kl_sequence_fitted_free(&run.fitted);
    kl_sequence_split_free(&run.split);
    kl_sequence_set_close(&run.set);
    kl_train_inputs_close(&run.inputs);
    return code;
}

const struct kl_mode kl_sequence_mode_fit = { .tool = &kl_sequence_fit_tool,
                                              .defaults = defaults,
                                              .run = run_fit };
