/* SPDX-License-Identifier: MIT
   qeval: what trained heads, and their controls, are worth on a feature cache. */
#include <stdlib.h>
#include <string.h>

#include "backbone/extract.h"
#include "circuit/options.h"
#include "claims/claims.h"
#include "head/evaluate.h"
#include "head/features.h"
#include "head/table.h"
#include "kernels/device.h"
#include "qrng/classify/study.h"
#include "sampling/ensemble/ensemble.h"
#include "store/kind.h"
#include "store/mode.h"
#include "store/shard.h"

enum { NUMERICAL_VERSION = 7, REPORT_SCHEMA = 1 };

struct values {
    struct kl_common common;
    const char *split, *replica, *compare, *noise, *shots, *trajectories, *zne, *extrapolate, *csv,
        *latex;
    bool mitigate_readout;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "split", 0, KL_OPT_CHOICE, AT(split), "all|val", 0, 0, true, "which samples of the features",
      "Evaluation", NULL },
    { "replica", 0, KL_OPT_STRING, AT(replica), "K|best", 0, 0, true,
      "this head alone, from 0, or the best by validation", NULL, NULL },
    { "compare", 0, KL_OPT_STRING, AT(compare), "HEAD2", 0, 0, false,
      "paired McNemar test against a second head", NULL, NULL },
    { "csv", 0, KL_OPT_STRING, AT(csv), "FILE|-", 0, 0, false,
      "without -o: a line a head; -: on the screen", NULL, NULL },
    { "latex", 0, KL_OPT_STRING, AT(latex), "FILE|-", 0, 0, false, "without -o: the table, for booktabs",
      NULL, NULL },
    KL_NOISE_OPTION(AT(noise), NULL),
    KL_TRAJECTORIES_OPTION(AT(trajectories)),
    { "shots", 0, KL_OPT_STRING, AT(shots), "N", 0, 0, true, "measurements a sample; else exact values",
      NULL, NULL },
    KL_DEVICE_OPTION(AT(common.device)),
    { "mitigate-readout", 0, KL_OPT_FLAG, AT(mitigate_readout), NULL, 0, 0, true,
      "take readout errors back by their inverse matrices", "Mitigation", NULL },
    { "zne", 0, KL_OPT_STRING, AT(zne), "LIST", 0, 0, true,
      "zero-noise extrapolation from gates folded so often: 1,3,5", NULL, NULL },
    { "extrapolate", 0, KL_OPT_CHOICE, AT(extrapolate), "richardson|linear", 0, 0, true,
      "of --zne: polynomial, or straight line", NULL, NULL },
};
static const struct kl_tool *const parts[] = { &kl_predict_tool, &kl_judge_tool, &kl_verify_tool, NULL };
static const struct kl_tool tool = {
    .name = "qeval",
    .summary = "Judges trained heads on a feature cache: accuracy, per-class numbers, calibration, "
               "predictions; without -o a table of several heads, each compared with the first",
    .arguments = "HEAD.h5|CHAINS.h5... FEATURES.h5 [-o REPORT.h5]",
    .example = "qeval head.h5 test.h5 -o report.h5\n"
               "  qeval head.h5 train.h5 --split val --compare other.h5 -o report.h5\n"
               "  qeval chains.h5 test.h5 -o report.h5\n"
               "  qeval lr-*.h5 test.h5 --csv heads.csv --latex heads.tex",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .parts = parts,
};

struct work {
    struct values *v;
    const struct kl_log *log;
    struct kl_file *head, *other, *input;
    struct kl_sampling_heads draws; /* of a file of chains in the head's place */
    struct kl_device device;
    struct kl_features features;
    struct kl_evaluation_cautions cautions;
    struct kl_evaluation evaluation;
    struct kl_control_scores controls;
    struct kl_collapse collapse;
    struct kl_mcnemar test;
    size_t shots;
    int64_t trajectories;
    struct kl_mitigation mitigation;
    char *noise; /* of --noise */
    struct kl_noise_source noise_source;
    int64_t *confusion; /* (c, c) of the first head, with -v */
};

static void defaults(void *values)
{
    ((struct values *)values)->split = "all";
}

/* --noise as its canonical text ("": none, whatever the head was trained with), --shots as a number,
   the options of mitigation as one. */
static int settle(struct work *w, struct kl_error *err)
{
    if (w->v->extrapolate && !w->v->zne)
        return kl_fail(err, KL_EUSAGE, "--extrapolate without --zne LIST");
    if (w->v->zne && !w->v->extrapolate) w->v->extrapolate = "richardson";
    int code = kl_head_mitigation_make(&w->mitigation, w->v->zne, w->v->extrapolate,
                                       w->v->mitigate_readout, err);
    if (!code && w->v->noise)
        code = kl_circuit_noise_text_from(&w->noise, &w->noise_source, w->v->noise, err);
    w->v->noise = w->noise;
    if (!code && w->v->shots) code = kl_circuit_shots_number(&w->shots, w->v->shots, err);
    if (!code)
        code = kl_circuit_trajectories_read(&w->trajectories, w->v->trajectories, 2, w->noise, err);
    return code;
}

/* Was it made for such features, and with --split val on these? */
static int check_head(struct work *w, const struct kl_file *head, struct kl_error *err)
{
    const int code = kl_head_origin_check(&w->cautions.differs, head, w->input, w->log, err);
    return code || strcmp(w->v->split, "val") != 0 ? code : kl_head_trained_check(head, w->input, err);
}

/* Properties of the circuits that go into the key: does the report depend on the seed, and has a
   circuit's noise gates of several ops, of which each had channels? */
struct depends {
    bool chance, composites;
};

static int find_composites(bool *composites, struct kl_file *file, const struct kl_conditions *how,
                           struct kl_error *err)
{
    struct kl_head *head = NULL;
    const int code = file ? kl_head_load(&head, file, NULL, 0, how, err) : KL_OK;
    if (!code && head && head->model.circuit)
        *composites = *composites || kl_circuit_errs_by_composites(head->model.circuit);
    kl_head_free(&head);
    return code;
}

/* With a note on options that change nothing of the report. */
static int find_depends(struct depends *on, const struct work *w, struct kl_error *err)
{
    const struct kl_conditions how = { .noise = w->v->noise, .trajectories = (size_t)w->trajectories };
    struct kl_head *head = NULL;
    on->chance = w->shots > 0;
    int code = kl_head_load(&head, w->head, NULL, 0, &how, err);
    const struct kl_circuit *c = code ? NULL : head->model.circuit;
    if (c) on->composites = kl_circuit_errs_by_composites(c);
    if (!code && !c && !kl_head_mitigates(&w->mitigation) && (w->shots || (w->noise && *w->noise)))
        kl_caution(w->log, "%s has no circuit: --noise and --shots change nothing",
                   kl_store_file_path(w->head));
    if (c && c->trajectories) on->chance = true;
    if (c) kl_circuit_noise_say(w->log, &w->noise_source, c);
    if (!code && w->trajectories && !(c && c->trajectories))
        code = kl_fail(err, KL_EUSAGE,
                       "--trajectories: %s has no noise to draw realisations of; give --noise",
                       kl_store_file_path(w->head));
    kl_head_free(&head);
    return code ? code : find_composites(&on->composites, w->other, &how, err);
}

/* The device and the features; then a head and its controls on them. */
static int prepare(struct work *w, struct kl_error *err)
{
    const int code = kl_device_take(&w->device, &w->v->common, 0, w->log, err);
    return code ? code : kl_head_features_load(&w->features, w->input, err);
}

static struct kl_evaluation_options how(const struct work *w, struct kl_judge_progress *meter,
                                        const struct kl_head_ensemble *ensemble)
{
    return (struct kl_evaluation_options){
        w->v->split,   w->v->replica,           w->v->noise, w->shots, (uint64_t)w->v->common.seed,
        w->mitigation, (size_t)w->trajectories, &w->device,  meter,    ensemble
    };
}

static int judge(struct kl_evaluation *e, struct kl_control_scores *controls, const struct work *w,
                 const struct kl_mode_run *run, struct kl_error *err)
{
    struct kl_judge_progress meter = { .watch = run->watch };
    const struct kl_evaluation_options o = how(w, &meter, w->draws.n ? &w->draws.ensemble : NULL);
    const int code = kl_head_evaluate(e, w->head, &w->features, &o, run->pool, err);
    return code ? code : kl_head_control_scores(controls, e, w->head, &o, run->pool, err);
}

/* ---- without -o: a table of all heads, and no file ---- */
/* It would be compared with itself. */
static int refuse_again(const struct kl_head_row *rows, size_t last, struct kl_error *err)
{
    for (size_t i = 0; i < last; i++)
        if (strcmp(rows[i].content, rows[last].content) == 0)
            return kl_fail(err, KL_EUSAGE, "%s: the same head as %s; give it once", rows[last].path,
                           rows[i].path);
    return KL_OK;
}

static int judge_row(struct kl_head_row *row, const char *path, struct kl_mode_run *run,
                     struct kl_error *err)
{
    struct work *w = run->state;
    struct depends on = { false, false };
    struct kl_collapse collapse = { 0 };
    char of[128];
    row->path = path;
    int code = kl_sampling_judged_open(&w->head, &w->draws, path, err);
    if (!code) memcpy(row->content, kl_store_file_content(w->head), sizeof row->content);
    if (!code) code = check_head(w, w->head, err);
    if (!code) code = find_depends(&on, w, err);
    if (!code) code = kl_head_row_own(row, w->head, err);
    if (!code) code = judge(&row->e, &row->controls, w, run, err);
    if (!code) code = kl_store_file_repeat(w->head, w->draws.n > 0 ? "" : "not trained to", w->log, err);
    if (!code) code = kl_head_trained_say(w->head, w->input, w->v->split, w->log, err);
    if (!code) code = kl_head_collapse_of_evaluation(&collapse, &row->e, err);
    row->collapsed = collapse.n_collapsed;
    snprintf(of, sizeof of, "%s: ", path);
    if (!code && !row->controls.absent)
        kl_head_controls_say_collapsed(w->log, of, row->controls.collapsed, row->controls.replicas);
    if (!code && row->collapsed)
        kl_caution(w->log, "%s: %zu of %zu head%s not tell all classes apart", path, row->collapsed,
                   collapse.replicas, collapse.replicas == 1 ? " does" : "s do");
    kl_head_collapse_free(&collapse);
    kl_sampling_heads_close(&w->draws);
    kl_store_file_close(&w->head);
    return code;
}

struct table {
    const struct kl_head_row *rows;
    size_t n;
};
static int put_csv(FILE *to, const void *context, struct kl_error *err)
{
    const struct table *t = context;
    (void)err;
    kl_head_rows_csv(to, t->rows, t->n);
    return KL_OK;
}
static int put_latex(FILE *to, const void *context, struct kl_error *err)
{
    const struct table *t = context;
    return kl_head_rows_tell(to, t->rows, t->n, true, err);
}

static int tell_table(struct kl_mode_run *run, const struct kl_head_row *rows, size_t n,
                      struct kl_error *err)
{
    const struct work *w = run->state;
    const struct values *v = w->v;
    const struct table t = { rows, n };
    int code = kl_store_mode_text_write(run, v->csv, put_csv, &t, err);
    if (!code) code = kl_store_mode_text_write(run, v->latex, put_latex, &t, err);
    if (!code && v->common.json) code = kl_head_rows_json(run->out, rows, n, w->log, err);
    else if (!code && !kl_store_mode_on_screen(v->csv) && !kl_store_mode_on_screen(v->latex))
        code = kl_head_rows_tell(run->out, rows, n, false, err);
    return code;
}

static int judge_all(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const size_t n = run->stage.n_inputs - 1;
    const char *const *paths = run->stage.inputs;
    struct values usual = { 0 };
    struct kl_progress progress;
    defaults(&usual);
    run->done = true;
    if (kl_store_mode_text_check(run, "csv", w->v->csv, "head,replicas,seed,samples,accuracy,", err) ||
        kl_store_mode_text_check(run, "latex", w->v->latex, KL_TABLE_LATEX, err))
        return err->code;
    if (w->v->compare)
        return kl_fail(err, KL_EUSAGE,
                       "--compare is of a report; give -o, or name %s before %s for a table",
                       w->v->compare, paths[n]);
    if (kl_options_refuse(&tool, w->v, &usual, "note no-provenance", "is of a report; give -o", err))
        return err->code;
    struct kl_head_row *rows = calloc(n, sizeof *rows);
    int code = rows ? kl_store_file_open_kind(&w->input, paths[n], &kl_features_kind, err)
                    : kl_fail_memory(err, n * sizeof *rows);
    if (!code) code = prepare(w, err);
    if (!code) code = kl_head_origin_seen(w->input, w->log, err);
    if (!code) code = kl_pool_create(&run->pool, (int)w->v->common.threads, err);
    if (!code) kl_store_shard_say(w->input, w->log);
    kl_progress_begin(&progress, w->log, w->v->common.progress, "samples");
    run->watch = &progress.watch;
    kl_signals_plain();
    for (size_t i = 0; i < n && !code; i++) {
        code = judge_row(&rows[i], paths[i], run, err);
        if (!code) code = refuse_again(rows, i, err);
    }
    kl_progress_end(&progress);
    if (!code) code = kl_head_rows_compare(rows, n, err);
    if (!code) code = tell_table(run, rows, n, err);
    kl_head_rows_free(rows, n);
    return code;
}

static int check_replica(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    struct kl_head *head = NULL;
    int64_t replica;
    int code = kl_head_evaluation_replica(&replica, w->v->replica, w->head, "", err);
    if (!code) code = kl_head_load(&head, w->head, NULL, replica, NULL, err);
    kl_head_free(&head);
    return code;
}

/* ---- for --dry-run: some of the samples, eight times as many until that takes half a second ---- */
static int judge_some(struct kl_mode_run *run, size_t n, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_evaluation e = { 0 }, other = { 0 };
    struct kl_control_scores controls = { 0 };
    struct kl_evaluation_options o = how(w, NULL, w->draws.n ? &w->draws.ensemble : NULL);
    struct kl_features some = w->features;
    o.split = "all", some.n = n;
    int code = kl_head_evaluate(&e, w->head, &some, &o, run->pool, err);
    if (!code) code = kl_head_control_scores(&controls, &e, w->head, &o, run->pool, err);
    o.ensemble = NULL;
    if (!code && w->other) code = kl_head_evaluate(&other, w->other, &some, &o, run->pool, err);
    kl_head_control_scores_free(&controls);
    kl_head_evaluation_free(&e), kl_head_evaluation_free(&other);
    return code;
}

static int estimate(void *context, struct kl_estimate *to, struct kl_error *err)
{
    struct kl_mode_run *run = context;
    struct work *w = run->state;
    const double begin = kl_clock();
    const struct kl_dataset *kept = kl_store_file_find(w->head, "split/validation");
    int code = check_replica(run, err);
    if (!code) code = kl_pool_create(&run->pool, (int)w->v->common.threads, err);
    if (!code) code = prepare(w, err);
    const double prepared = kl_clock() - begin;
    const size_t all = strcmp(w->v->split, "val") == 0 && kept ? kept->rows : w->features.n;
    double seconds = 0;
    size_t n = 1;
    for (; !code; n = n * 8 < all ? n * 8 : all) {
        const double start = kl_clock();
        code = judge_some(run, n, err);
        seconds = kl_clock() - start;
        if (seconds > 0.5 || n >= all) break;
    }
    to->seconds = prepared + seconds * (double)all / (double)n;
    to->at_most = n < all && kl_pool_size(run->pool) > 1; /* more samples are shared out among threads */
    return code;
}

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const char *const *paths = run->stage.inputs;
    w->v = run->values, w->log = run->stage.log;
    int code = settle(w, err);
    if (!code && !w->v->common.output && !w->v->common.print_key) return judge_all(run, err);
    const char *table = w->v->csv ? "--csv" : w->v->latex ? "--latex" : NULL;
    if (!code && (run->stage.n_inputs > 2 || table))
        code = kl_fail(err, KL_EUSAGE, "%s is of %s; without -o there is a table of all heads",
                       table ? table : "-o: a report", table ? "the table" : "one head");
    if (!code) code = kl_sampling_judged_open(&w->head, &w->draws, paths[0], err);
    if (!code) code = kl_store_file_open_kind(&w->input, paths[1], &kl_features_kind, err);
    if (!code && w->v->compare)
        code = kl_store_file_open_kind(&w->other, w->v->compare, &kl_head_kind, err);
    if (!code) code = check_head(w, w->head, err);
    if (!code && w->other) code = check_head(w, w->other, err);
    w->cautions.trained =
        !code && strcmp(w->v->split, "val") != 0 && kl_head_trained_on(w->head, w->input);
    run->stage.estimate = estimate, run->stage.estimate_context = run;
    run->few[0] = w->head, run->few[1] = w->input, run->few[2] = w->other;
    run->n_parents = w->other ? 3 : 2;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    struct depends on = { false, false };
    int code = kl_store_key_input(key, "head", kl_store_file_content(w->head), err);
    if (!code) code = kl_store_key_input(key, "features", kl_store_file_content(w->input), err);
    if (!code && w->other)
        code = kl_store_key_input(key, "compared head", kl_store_file_content(w->other), err);
    if (!code) code = find_depends(&on, w, err);
    if (!code && on.chance) code = kl_store_key_integer(key, "seed", w->v->common.seed, err);
    if (!code && on.composites) code = kl_store_key_text(key, KL_COMPOSITES_PART, err);
    if (!code && !on.chance && w->v->common.seed)
        kl_note(w->log, 1, "--seed changes nothing: without --shots and trajectories nothing is drawn");
    return code;
}

static int evaluate(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_evaluation second = { 0 };
    struct kl_judge_progress meter = { .watch = run->watch };
    const struct kl_evaluation_options o = how(w, &meter, NULL);
    int code = prepare(w, err);
    if (!code) code = judge(&w->evaluation, &w->controls, w, run, err);
    if (!code && w->other) code = kl_head_evaluate(&second, w->other, &w->features, &o, run->pool, err);
    if (!code && w->other) code = kl_head_evaluation_compare(&w->test, &w->evaluation, &second, err);
    if (!code && w->v->common.verbose)
        code = kl_head_evaluation_confusion(&w->confusion, &w->evaluation, err);
    kl_head_evaluation_free(&second);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    const int code =
        kl_head_evaluation_save(writer, &w->evaluation, &w->cautions, w->other ? &w->test : NULL, err);
    return code ? code : kl_head_control_scores_save(writer, &w->controls, err);
}

static struct kl_evaluation_found found(const struct kl_mode_run *run)
{
    const struct work *w = run->state;
    return (struct kl_evaluation_found){ .output = w->v->common.output,
                                         .key = run->stage.key,
                                         .e = &w->evaluation,
                                         .controls = &w->controls,
                                         .cautions = &w->cautions,
                                         .collapsed = w->collapse.n_collapsed,
                                         .log = w->log,
                                         .test = w->other ? &w->test : NULL,
                                         .compared = w->v->compare,
                                         .confusion = w->confusion };
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct kl_evaluation_found all = found(run);
    return kl_head_evaluation_tell_json(to, &all, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct kl_evaluation_found all = found(run);
    kl_head_evaluation_tell(to, &all);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    kl_store_shard_say(w->input, w->log);
    int code = kl_head_origin_seen(w->input, w->log, err);
    if (!code) code = kl_store_file_repeat(w->head, w->draws.n > 0 ? "" : "not trained to", w->log, err);
    if (!code) code = kl_head_trained_say(w->head, w->input, w->v->split, w->log, err);
    if (!code && w->other) code = kl_head_trained_say(w->other, w->input, w->v->split, w->log, err);
    if (!code) code = kl_head_collapse_of_evaluation(&w->collapse, &w->evaluation, err);
    if (!code) kl_head_collapse_say(w->log, &w->collapse, &w->features);
    if (!code && !w->controls.absent)
        kl_head_controls_say_collapsed(w->log, "", w->controls.collapsed, w->controls.replicas);
    return code;
}

static void close_inputs(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_head_evaluation_free(&w->evaluation);
    kl_head_collapse_free(&w->collapse);
    kl_head_control_scores_free(&w->controls);
    kl_head_features_free(&w->features);
    kl_sampling_heads_close(&w->draws);
    kl_store_file_close(&w->head);
    kl_store_file_close(&w->other);
    kl_store_file_close(&w->input);
    free(w->noise);
    free(w->confusion);
}

int main(int argc, char **argv)
{
    static const struct kl_file_stage stage = { .kind = &kl_report_kind,
                                                .schema = REPORT_SCHEMA,
                                                .version = NUMERICAL_VERSION,
                                                .state_size = sizeof(struct work),
                                                .progress = "samples",
                                                .stops_at_once = true,
                                                .open = open_inputs,
                                                .key = key,
                                                .check = check_replica,
                                                .compute = evaluate,
                                                .save = save,
                                                .remark = remark,
                                                .json = json,
                                                .words = words,
                                                .close = close_inputs };
    static const struct kl_mode heads = { .tool = &tool, .defaults = defaults, .stage = &stage };
    const struct kl_mode *const modes[] = { &heads, &kl_mode_predict, &kl_mode_verify, &kl_mode_qeval };
    return kl_store_modes_main(modes, 4, argc, argv, stdout, stderr);
}
