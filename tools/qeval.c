/* SPDX-License-Identifier: MIT
   qeval: what trained heads, and their controls, are worth on a feature cache. */
#include <stdlib.h>
#include <string.h>

#include "backbone/extract.h"
#include "circuit/options.h"
#include "claims/claims.h"
#include "head/evaluate.h"
#include "head/features.h"
#include "kernels/device.h"
#include "qrng/classify/study.h"
#include "sampling/ensemble/ensemble.h"
#include "store/kind.h"
#include "store/mode.h"
#include "store/shard.h"

enum { NUMERICAL_VERSION = 7, REPORT_SCHEMA = 1 };

struct values {
    struct kl_common common;
    const char *split, *replica, *compare, *noise, *shots, *trajectories, *zne, *extrapolate;
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
static const struct kl_tool *const parts[] = { &kl_judge_tool, &kl_verify_tool, NULL };
static const struct kl_tool tool = {
    .name = "qeval",
    .summary =
        "Judges trained heads on a feature cache: accuracy, per-class numbers, calibration, predictions",
    .arguments = "HEAD.h5|CHAINS.h5 FEATURES.h5 -o REPORT.h5",
    .example =
        "qeval head.h5 test.h5 -o report.h5\n  qeval head.h5 train.h5 --split val --compare other.h5 -o "
        "report.h5\n  qeval chains.h5 test.h5 -o report.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .parts = parts,
};

struct run {
    struct values *v;
    struct kl_stage *stage;
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

/* --noise as its canonical text ("": none, whatever the head was trained with), --shots as a number,
   the options of mitigation as one. */
static int settle(struct run *run, struct kl_error *err)
{
    if (run->v->extrapolate && !run->v->zne)
        return kl_fail(err, KL_EUSAGE, "--extrapolate without --zne LIST");
    if (run->v->zne && !run->v->extrapolate) run->v->extrapolate = "richardson";
    int code = kl_head_mitigation_make(&run->mitigation, run->v->zne, run->v->extrapolate,
                                       run->v->mitigate_readout, err);
    if (!code && run->v->noise)
        code = kl_circuit_noise_text_from(&run->noise, &run->noise_source, run->v->noise, err);
    run->v->noise = run->noise;
    if (!code && run->v->shots) code = kl_circuit_shots_number(&run->shots, run->v->shots, err);
    if (!code)
        code =
            kl_circuit_trajectories_read(&run->trajectories, run->v->trajectories, 2, run->noise, err);
    return code;
}

/* A head of weights from elsewhere has its classes of the features that it names, not its training.
   Draws of a chain have no training, but the split. */
static bool comes_from_elsewhere(const struct kl_file *head)
{
    return !kl_store_file_find(head, "history/train_loss") &&
           !kl_store_file_has_attribute(head, "", KL_HEAD_SAMPLED);
}

static bool is_ensemble(const struct kl_file *head)
{
    return strcmp(kl_store_file_kind(head), KL_SAMPLING_CHAINS) == 0;
}

/* Chains of heads stand for their draws at the posterior, as one head. */
static int open_head(struct run *run, const char *path, struct kl_error *err)
{
    int code = kl_store_file_open(&run->head, path, err);
    /* Once more, for its words: standard input can be read once. */
    if (code == KL_EDATA && strcmp(path, "-") != 0)
        return kl_store_file_open_kind(&run->head, path, &kl_head_kind, err);
    if (code || strcmp(kl_store_file_kind(run->head), kl_head_kind.name) == 0) return code;
    if (is_ensemble(run->head)) return kl_sampling_heads_open(&run->draws, run->head, err);
    code = kl_store_fail_kind(err, path, kl_store_file_kind(run->head), &kl_head_kind);
    kl_store_file_close(&run->head);
    return code;
}

/* None with --val-fraction 0. */
static bool kept_samples(const struct kl_file *head)
{
    return kl_store_file_find(head, "split/validation");
}

/* The rows that a head kept for validation mean something in the features that it was trained on alone.
 */
static bool was_trained_on(const struct kl_file *head, const struct kl_file *input)
{
    return !comes_from_elsewhere(head) &&
           strstr(kl_store_file_key_parts(head), kl_store_file_content(input));
}

static int check_trained_on(const struct kl_file *head, const struct kl_file *input,
                            struct kl_error *err)
{
    if (was_trained_on(head, input) && kept_samples(head)) return KL_OK;
    if (was_trained_on(head, input))
        return kl_fail(err, KL_EDATA,
                       "%s: --split val: it was trained with --val-fraction 0, on all samples; leave "
                       "--split away",
                       kl_store_file_path(head));
    if (comes_from_elsewhere(head))
        return kl_fail(
            err, KL_EDATA,
            "%s: --split val: the weights come from elsewhere, and what they were trained on is "
            "not known; leave --split away",
            kl_store_file_path(head));
    return kl_fail(err, KL_EDATA,
                   "%s: --split val: %s was not trained on these features; leave --split away",
                   kl_store_file_path(input), kl_store_file_path(head));
}

static int open_inputs(struct run *run, struct kl_error *err)
{
    const char *const *paths = run->stage->inputs;
    const size_t n = run->stage->n_inputs;
    if (n != 2) return kl_fail_inputs(err, paths, n, 2, "HEAD.h5 and FEATURES.h5");
    if (!run->v->common.output && !run->v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o REPORT.h5");
    int code = open_head(run, paths[0], err);
    if (!code) code = kl_store_file_open_kind(&run->input, paths[1], &kl_features_kind, err);
    if (!code && run->v->compare)
        code = kl_store_file_open_kind(&run->other, run->v->compare, &kl_head_kind, err);
    if (!code)
        code = kl_head_origin_check(&run->cautions.differs, run->head, run->input, run->stage->log, err);
    if (!code && run->other)
        code =
            kl_head_origin_check(&run->cautions.differs, run->other, run->input, run->stage->log, err);
    run->cautions.trained =
        !code && strcmp(run->v->split, "val") != 0 && was_trained_on(run->head, run->input);
    if (!code && strcmp(run->v->split, "val") == 0) code = check_trained_on(run->head, run->input, err);
    if (!code && run->other && strcmp(run->v->split, "val") == 0)
        code = check_trained_on(run->other, run->input, err);
    return code;
}

/* What the circuits say of the key: does the report depend on the seed, and has a circuit's noise gates
   of several ops, of which each had channels? */
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
static int find_depends(struct depends *on, const struct run *run, struct kl_error *err)
{
    const struct kl_conditions how = { .noise = run->v->noise,
                                       .trajectories = (size_t)run->trajectories };
    struct kl_head *head = NULL;
    on->chance = run->shots > 0;
    int code = kl_head_load(&head, run->head, NULL, 0, &how, err);
    const struct kl_circuit *c = code ? NULL : head->model.circuit;
    if (c) on->composites = kl_circuit_errs_by_composites(c);
    if (!code && !c && !kl_head_mitigates(&run->mitigation) &&
        (run->shots || (run->noise && *run->noise)))
        kl_caution(run->stage->log, "%s has no circuit: --noise and --shots change nothing",
                   kl_store_file_path(run->head));
    if (c && c->trajectories) on->chance = true;
    if (c) kl_circuit_noise_say(run->stage->log, &run->noise_source, c);
    if (!code && run->trajectories && !(c && c->trajectories))
        code = kl_fail(err, KL_EUSAGE,
                       "--trajectories: %s has no noise to draw realisations of; give --noise",
                       kl_store_file_path(run->head));
    kl_head_free(&head);
    return code ? code : find_composites(&on->composites, run->other, &how, err);
}

static int begin(struct run *run, enum kl_stage_answer *answer, FILE *out, struct kl_error *err)
{
    struct kl_key *key = NULL;
    struct depends on = { false, false };
    int code = kl_store_key_begin(&key, "report", REPORT_SCHEMA, tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, &tool, run->v, err);
    if (!code) code = kl_store_key_input(key, "head", kl_store_file_content(run->head), err);
    if (!code) code = kl_store_key_input(key, "features", kl_store_file_content(run->input), err);
    if (!code && run->other)
        code = kl_store_key_input(key, "compared head", kl_store_file_content(run->other), err);
    if (!code) code = find_depends(&on, run, err);
    if (!code && on.chance) code = kl_store_key_integer(key, "seed", run->v->common.seed, err);
    if (!code && on.composites) code = kl_store_key_text(key, KL_COMPOSITES_PART, err);
    if (!code && !on.chance && run->v->common.seed)
        kl_note(run->stage->log, 1,
                "--seed changes nothing: without --shots and trajectories nothing is drawn");
    if (!code) code = kl_store_stage_begin(run->stage, answer, &key, out, err);
    kl_store_key_abort(&key);
    return code;
}

static int evaluate(struct run *run, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_evaluation second = { 0 };
    struct kl_progress progress;
    struct kl_meter meter = { .watch = &progress.watch };
    const struct kl_evaluation_options o = { run->v->split,
                                             run->v->replica,
                                             run->v->noise,
                                             run->shots,
                                             (uint64_t)run->v->common.seed,
                                             run->mitigation,
                                             (size_t)run->trajectories,
                                             &run->device,
                                             &meter,
                                             run->draws.n ? &run->draws.ensemble : NULL };
    int code = kl_device_choose(&run->device, run->v->common.device, err);
    run->v->common.device_used = run->device.name;
    kl_device_unmeasured(run->v->common.device, run->stage->log);
    if (!code) code = kl_head_features_load(&run->features, run->input, err);
    if (!code) code = kl_pool_create(&pool, (int)run->v->common.threads, err);
    kl_progress_begin(&progress, run->stage->log, run->v->common.progress, "samples");
    if (!code) code = kl_head_evaluate(&run->evaluation, run->head, &run->features, &o, pool, err);
    if (!code) code = kl_head_control_scores(&run->controls, &run->evaluation, run->head, &o, pool, err);
    struct kl_evaluation_options alone = o;
    alone.ensemble = NULL;
    if (!code && run->other)
        code = kl_head_evaluate(&second, run->other, &run->features, &alone, pool, err);
    kl_progress_end(&progress);
    if (!code && run->other)
        code = kl_head_evaluation_compare(&run->test, &run->evaluation, &second, err);
    if (!code && run->v->common.verbose)
        code = kl_head_evaluation_confusion(&run->confusion, &run->evaluation, err);
    kl_head_evaluation_free(&second);
    kl_pool_destroy(&pool);
    return code;
}

static int write_report(struct run *run, struct kl_error *err)
{
    const struct kl_file *parents[] = { run->head, run->input, run->other };
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, run->v->common.output, &run->stage->header, err);
    if (!code)
        code = kl_head_evaluation_save(writer, &run->evaluation, &run->cautions,
                                       run->other ? &run->test : NULL, err);
    if (!code) code = kl_head_control_scores_save(writer, &run->controls, err);
    if (!code)
        return kl_store_stage_publish(run->stage, &writer, parents, run->other ? 3 : 2, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int summarise(const struct run *run, FILE *out, struct kl_error *err)
{
    const struct kl_evaluation_found found = { .output = run->v->common.output,
                                               .key = run->stage->key,
                                               .e = &run->evaluation,
                                               .controls = &run->controls,
                                               .cautions = &run->cautions,
                                               .collapsed = run->collapse.n_collapsed,
                                               .log = run->stage->log,
                                               .test = run->other ? &run->test : NULL,
                                               .compared = run->v->compare,
                                               .confusion = run->confusion };
    if (run->v->common.json) return kl_head_evaluation_tell_json(out, &found, err);
    if (!run->v->common.quiet) kl_head_evaluation_tell(out, &found);
    return KL_OK;
}

/* Samples that a head was trained on, in this file or in another one of the same images. */
static int say_trained(const struct run *run, const struct kl_file *head, struct kl_error *err)
{
    if (strcmp(run->v->split, "val") == 0 || comes_from_elsewhere(head)) return KL_OK;
    if (!was_trained_on(head, run->input))
        return kl_head_origin_same_images(head, run->input, run->stage->log, err);
    kl_caution(run->stage->log, "%s: %s was trained on these; %s", kl_store_file_path(run->input),
               kl_store_file_path(head),
               kept_samples(head) ? "--split val takes those that it has not seen"
                                  : "none were kept for validation (--val-fraction 0)");
    return KL_OK;
}

/* Before the report is published, which keeps it. */
static int remark(struct run *run, struct kl_error *err)
{
    kl_store_shard_say(run->input, run->stage->log);
    int code = kl_head_origin_seen(run->input, run->stage->log, err);
    if (!code) code = say_trained(run, run->head, err);
    if (!code && run->other) code = say_trained(run, run->other, err);
    if (!code) code = kl_head_collapse_of_evaluation(&run->collapse, &run->evaluation, err);
    if (!code) kl_head_collapse_say(run->stage->log, &run->collapse, &run->features);
    if (!code && !run->controls.absent)
        kl_head_controls_say_collapsed(run->stage->log, run->controls.collapsed, run->controls.replicas);
    return code;
}

static int work(struct run *run, FILE *out, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    int code = settle(run, err);
    if (!code) code = open_inputs(run, err);
    if (!code) code = begin(run, &answer, out, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(run->stage, answer, out, err);
    kl_signals_plain(); /* it keeps nothing of an evaluation: who stops it need not wait */
    code = evaluate(run, err);
    kl_signals_install();
    if (!code && kl_signals_pending()) code = kl_fail(err, KL_ESIGNAL, "stopped");
    if (!code) code = remark(run, err);
    if (!code) code = write_report(run, err);
    out = kl_words_to(&run->v->common);
    return code ? code : summarise(run, out, err);
}

static int judge(struct kl_mode_run *mode, struct kl_error *err)
{
    struct run run = { .v = mode->values, .stage = &mode->stage };
    const int code = work(&run, mode->out, err);
    kl_head_evaluation_free(&run.evaluation);
    kl_head_collapse_free(&run.collapse);
    kl_head_control_scores_free(&run.controls);
    kl_head_features_free(&run.features);
    kl_sampling_heads_close(&run.draws);
    kl_store_file_close(&run.head);
    kl_store_file_close(&run.other);
    kl_store_file_close(&run.input);
    free(run.noise);
    free(run.confusion);
    return code;
}

static void defaults(void *values)
{
    ((struct values *)values)->split = "all";
}

int main(int argc, char **argv)
{
    static const struct kl_mode heads = { .tool = &tool, .defaults = defaults, .run = judge };
    const struct kl_mode *const modes[] = { &heads, &kl_mode_verify, &kl_mode_qeval };
    return kl_store_modes_main(modes, 3, argc, argv, stdout, stderr);
}
