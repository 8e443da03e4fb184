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
    { "fold", 0, KL_OPT_INT, AT(fold), "N|all", 0, 1e6, true,
      "from 0: of loso, kfold, loro; all: each, and their report", NULL, NULL },
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
               "  qseq fit S*.h5 --method tangent-lr --split loso --fold all -o report.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed device progress",
    .chosen_by = "fit",
};

void kl_sequence_fit_defaults(void *values)
{
    struct values *v = values;
    v->method = "csp-lda", v->estimator = "oas", v->align = "none", v->split = "subject";
    v->strength = 1, v->folds = 5, v->val_fraction = v->test_fraction = 0.15;
}

/* Refuse options that would stand in the key and change nothing. */
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
    kl_sequence_fit_defaults(&usual);
    int code = KL_OK;
    for (size_t i = 0; i < sizeof idle / sizeof *idle && !code; i++) {
        char why[80];
        if (kl_choice(idle[i].values, idle[i].value) >= 0) continue;
        snprintf(why, sizeof why, "changes nothing without --%s %s", idle[i].other, idle[i].values);
        code = kl_options_refuse(&kl_sequence_fit_tool, v, &usual, idle[i].option, why, err);
    }
    return code;
}

int64_t *kl_sequence_fit_fold(void *values)
{
    return &((struct values *)values)->fold;
}

int kl_sequence_fit_split(struct kl_sequence_split_options *o, const void *values, struct kl_error *err)
{
    const struct values *const v = values;
    kl_sequence_split_options_default(o);
    o->kind = (enum kl_sequence_split_kind)kl_choice(KL_SEQUENCE_SPLITS, v->split);
    o->fold = v->fold, o->folds = v->folds, o->seed = (uint64_t)v->split_seed;
    o->validation = v->val_fraction, o->test = v->test_fraction;
    return check(v, err);
}

struct work {
    struct kl_train_inputs inputs;
    struct kl_sequence_set set;
    struct kl_sequence_split split;
    struct kl_sequence_fitted fitted;
    size_t n; /* windows that it is fitted on */
};

static int open_windows(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_sequence_split_options o;
    int code = kl_sequence_fit_split(&o, run->values, err);
    if (!code)
        code = kl_train_inputs_open(&w->inputs, run->stage.inputs, run->stage.n_inputs,
                                    &kl_sequence_windows_kind, err);
    run->parents = (const struct kl_file *const *)w->inputs.files, run->n_parents = w->inputs.n;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_train_inputs_key(key, &((struct work *)run->state)->inputs, "windows", err);
}

static int split(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_sequence_split_options o;
    int code = kl_sequence_fit_split(&o, run->values, err);
    if (!code) code = kl_sequence_split_make(&w->split, &w->set, &o, err);
    if (!code) code = kl_sequence_split_guard(&w->split, &w->set, o.kind, run->stage.log, err);
    if (!code && o.kind == KL_SEQUENCE_SPLIT_LEAK)
        kl_caution(run->stage.log, "--split leak: windows of one recording are in training and in test; "
                                   "the score is no evidence");
    return code;
}

static int fit_rows(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *const v = run->values;
    struct work *w = run->state;
    const size_t most = w->set.channels < 8 ? w->set.channels : 8;
    const struct kl_sequence_fit_options o = {
        .method = (enum kl_sequence_method)kl_choice(KL_SEQUENCE_METHODS, v->method),
        .estimator = (enum kl_sequence_estimator)kl_choice(KL_SEQUENCE_ESTIMATORS, v->estimator),
        .align = (enum kl_sequence_alignment)kl_choice(KL_SEQUENCE_ALIGNMENTS, v->align),
        .filters = v->filters ? (size_t)v->filters : most,
        .strength = v->strength,
    };
    const size_t n_train = w->split.n[KL_SEQUENCE_TRAIN], n_val = w->split.n[KL_SEQUENCE_VALIDATION];
    int64_t *const rows = malloc((n_train + n_val + 1) * sizeof *rows);
    if (!rows) return kl_fail_memory(err, (n_train + n_val) * sizeof *rows);
    w->n = n_train + n_val;
    if (n_train) memcpy(rows, w->split.part[KL_SEQUENCE_TRAIN], n_train * sizeof *rows);
    if (n_val) memcpy(rows + n_train, w->split.part[KL_SEQUENCE_VALIDATION], n_val * sizeof *rows);
    const int code = kl_sequence_fit(&w->fitted, &w->set, rows, w->n, &o, run->pool, err);
    free(rows);
    return code;
}

static int check_split(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const int code = kl_sequence_set_open(&w->set, w->inputs.files, w->inputs.n, err);
    return code ? code : split(run, err);
}

static int fit(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const int code = fit_rows(run, err);
    return code ? code : kl_sequence_set_unchanged(&w->set, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct values *v = run->values;
    return kl_sequence_fitted_save(writer, &w->fitted, &w->set, &w->split, v->split, w->inputs.files,
                                   w->inputs.n, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_sequence_fitted *f = &((const struct work *)run->state)->fitted;
    const char *own = kl_sequence_transductive(KL_SEQUENCE_STANDARD_NONE, f->options.align);
    (void)err;
    if (own) kl_caution(run->stage.log, KL_SEQUENCE_OWN, own);
    if (f->lost) kl_caution(run->stage.log, KL_SEQUENCE_LOST, f->lost, f->channels);
    return KL_OK;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = {
        { "method", KL_JSON_TEXT, v->method, 0 },
        { "split", KL_JSON_TEXT, v->split, 0 },
        { "align", KL_JSON_TEXT, v->align, 0 },
        { "transductive", KL_JSON_BOOL, NULL, strcmp(v->align, "subject") == 0 },
        { "windows", KL_JSON_COUNT, NULL, (double)w->n },
        { "test_windows", KL_JSON_COUNT, NULL, (double)w->split.n[KL_SEQUENCE_TEST] },
        { "classes", KL_JSON_COUNT, NULL, (double)w->set.n_classes },
        { "channels", KL_JSON_COUNT, NULL, (double)w->set.channels },
        { "seconds", KL_JSON_NUMBER, NULL, kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    fprintf(to, "%s: %s fitted on %zu windows of %zu channels, %zu left to test%s; %.1f s\n",
            v->common.output, v->method, w->n, w->set.channels, w->split.n[KL_SEQUENCE_TEST],
            strcmp(v->align, "subject") ? "" : "; transductive", kl_clock() - run->stage.start);
}

static void close_windows(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sequence_fitted_free(&w->fitted);
    kl_sequence_split_free(&w->split);
    kl_sequence_set_close(&w->set);
    kl_train_inputs_close(&w->inputs);
}

static const struct kl_file_stage stage = { .kind = &kl_sequence_fit_kind,
                                            .schema = KL_SEQUENCE_FIT_SCHEMA,
                                            .version = KL_SEQUENCE_FIT_VERSION,
                                            .name = "qseq fit",
                                            .state_size = sizeof(struct work),
                                            .stops_at_once = true,
                                            .open = open_windows,
                                            .key = key,
                                            .check = check_split,
                                            .compute = fit,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_windows };
const struct kl_mode kl_sequence_mode_fit = { .tool = &kl_sequence_fit_tool,
                                              .defaults = kl_sequence_fit_defaults,
                                              .stage = &stage };
