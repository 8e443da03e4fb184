/* SPDX-License-Identifier: MIT
   `sgld head`: chains of a head's parameters on cached features; the evidence of the head, its twin and
   none. */
#include "sampling/heads/mode_head.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "store/kind.h"

enum { SCHEMA = 1 };
/* 2: steps by dual averaging, for as long as they take. */
static int numerical_version(const struct kl_sampling_head_values *v)
{
    return kl_choice("mala|hmc", v->sampler) >= 0 ? 2 : 1;
}

struct work {
    struct kl_mode_run *mode;
    struct kl_sampling_head_values *v;
    struct kl_file *features_file, *head_file;
    struct kl_features features;
    struct kl_head *head;
    int64_t *validation;
    size_t n_validation;
    struct kl_sampling_rival rivals[KL_SAMPLING_RIVALS]; /* the head first */
    struct kl_sampling_settings settings;
    struct kl_sampling_rung rungs[KL_SAMPLING_LADDER];
    struct kl_sampling_run *run; /* of the head */
    struct kl_sampling_head_found found;
    struct kl_sampling_minimum minimum;
    struct kl_pool *pool;
    char *checkpoint;
};

static int open_inputs(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->mode->stage;
    bool differs = false;
    stage->inputs++, stage->n_inputs--; /* the word itself */
    if (stage->n_inputs != 1)
        return kl_fail_inputs(err, stage->inputs, stage->n_inputs, 1, "FEATURES.h5");
    if (!w->v->head)
        return kl_fail(err, KL_EUSAGE, "head: no --head HEAD.h5, whose parameters are to be sampled");
    if (!w->v->common.output && !w->v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "head: no output; give -o CHAINS.h5");
    if (w->v->compare && strcmp(w->v->parameters, "all") != 0 && strcmp(w->v->parameters, "tail") != 0)
        return kl_fail(
            err, KL_EUSAGE,
            "--compare with --parameters %s: what stays fixed was trained with the circuit; take all or "
            "tail",
            w->v->parameters);
    int code = kl_store_file_open(&w->features_file, stage->inputs[0], err);
    if (!code) code = kl_store_file_open_kind(&w->head_file, w->v->head, &kl_head_kind, err);
    return code ? code : kl_head_origin_check(&differs, w->head_file, w->features_file, stage->log, err);
}

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_checkpoint_path(&w->checkpoint, w->v->common.output, err);
    if (!code)
        code = kl_store_key_begin(&key, kl_sampling_chains_kind.name, SCHEMA, "sgld head",
                                  numerical_version(w->v), err);
    if (!code) code = kl_store_key_options(key, &kl_sampling_head_tool, w->v, err);
    if (!code) code = kl_store_key_integer(key, "seed", w->v->common.seed, err);
    if (!code) code = kl_store_key_input(key, "head", kl_store_file_content(w->head_file), err);
    if (!code) code = kl_store_key_input(key, "features", kl_store_file_content(w->features_file), err);
    if (!code) code = kl_store_stage_begin(&w->mode->stage, answer, &key, w->mode->out, err);
    kl_store_key_abort(&key);
    if (!code && (*answer == KL_STAGE_UP_TO_DATE || *answer == KL_STAGE_FETCHED) && w->checkpoint)
        kl_store_checkpoint_remove(w->checkpoint, w->mode->stage.key);
    return code;
}

/* The head's own split, where these are the features that it was trained on. */
static int take_split(struct work *w, struct kl_error *err)
{
    const struct kl_dataset *set = kl_store_file_find(w->head_file, "split/validation");
    if (!strstr(kl_store_file_key_parts(w->head_file), kl_store_file_content(w->features_file))) {
        kl_caution(w->mode->stage.log,
                   "%s: %s was not trained on these: all rows are sampled on, and none is kept back",
                   kl_store_file_path(w->features_file), w->v->head);
        return KL_OK;
    }
    if (!set) return KL_OK;
    int code = kl_store_file_expect(&set, w->head_file, "split/validation", KL_TYPE_I64, 1, err);
    if (!code) code = kl_store_file_load((void **)&w->validation, w->head_file, set, err);
    if (!code) w->n_validation = set->dims[0];
    return code;
}

static int make_rivals(struct work *w, struct kl_error *err)
{
    const struct kl_sampling_head_values *v = w->v;
    const struct kl_sampling_head_question q = {
        .part = (enum kl_sampling_part)kl_choice(KL_SAMPLING_PARTS, v->parameters),
        .prior = { v->sigma, v->sigma_angles, v->sigma_scales, strcmp(v->prior, "flat") == 0 },
        .features = &w->features,
        .validation = w->validation,
        .n_validation = w->n_validation,
        .n_threads = kl_pool_size(w->pool),
    };
    static const enum kl_core cores[KL_SAMPLING_RIVALS] = { KL_CORE_CIRCUIT, KL_CORE_TWIN,
                                                            KL_CORE_NONE };
    int code = kl_sampling_rival_head(&w->rivals[0], w->head, &q, err);
    w->found.n = v->compare ? KL_SAMPLING_RIVALS : 1;
    for (int i = 1; i < w->found.n && !code; i++)
        code = kl_sampling_rival_make(&w->rivals[i], cores[i], w->head, &q,
                                      kl_store_file_path(w->head_file), err);
    for (int i = 0; i < w->found.n && !code; i++) w->found.names[i] = w->rivals[i].name;
    w->found.records = w->rivals[0].target.n;
    return code;
}

/* --extend: head, features and sampler are to be the same; the ladder's numbers the engine compares. */
static int check_kin(const struct work *w, const struct kl_file *file, struct kl_error *err)
{
    static const char *const grow[] = { "betas", "rungs", "power", "draws", "chains", "compare", NULL };
    return kl_sampling_chains_check_kin(file, w->mode->stage.key_parts, grow, err);
}

static int prepare(struct work *w, struct kl_error *err)
{
    struct kl_file *file = NULL;
    int code = kl_pool_create(&w->pool, (int)w->v->common.threads, err);
    if (!code) code = kl_head_features_load(&w->features, w->features_file, err);
    if (!code) code = kl_head_load(&w->head, w->head_file, NULL, w->v->replica, NULL, err);
    if (!code && w->head->shots)
        kl_note(w->mode->stage.log, 1, "%s was trained with %zu shots; chains take exact values",
                w->v->head, w->head->shots);
    if (!code) code = take_split(w, err);
    if (!code) code = make_rivals(w, err);
    if (!code) code = kl_sampling_head_settings(&w->settings, w->rungs, w->v, w->found.records, err);
    if (!code)
        code = kl_sampling_run_open(&w->run, &w->settings, &w->rivals[0].target, 1,
                                    kl_pool_size(w->pool), err);
    if (code || !w->v->extend) return code;
    code = kl_store_file_open_kind(&file, w->v->extend, &kl_sampling_chains_kind, err);
    if (!code) code = check_kin(w, file, err);
    if (!code) code = kl_sampling_run_load(w->run, file, err);
    kl_store_file_close(&file);
    return code;
}

static int save(void *context, struct kl_writer *writer, struct kl_error *err)
{
    const struct work *w = context;
    const struct kl_sampling_target_f32 *t = &w->rivals[0].target;
    const struct kl_sampling_head_prior prior = { w->v->sigma, w->v->sigma_angles, w->v->sigma_scales,
                                                  strcmp(w->v->prior, "flat") == 0 };
    const struct {
        const char *name;
        double number;
    } numbers[] = {
        { "n", (double)t->n },  { "m", (double)t->n_test },  { "parameters", (double)t->size },
        { "sigma", 1 },         { "loss_low", t->loss_low }, { "loss_high", t->loss_high },
        { "chance", t->chance }
    };
    int code = kl_sampling_run_save(writer, w->run, err);
    if (!code) code = kl_sampling_head_save(writer, w->head, w->head_file, w->validation != NULL, err);
    if (!code) code = kl_sampling_question_save(writer, w->v->parameters, &prior, err);
    if (!code) code = kl_store_writer_text(writer, "", "loss", "ce", err);
    if (!code) code = kl_store_writer_text(writer, "", "sampler", w->v->sampler, err);
    if (!code) code = kl_store_writer_text(writer, "", "convention", "gibbs", err);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !code; i++)
        code = kl_store_writer_number(writer, "", numbers[i].name, numbers[i].number, err);
    return code;
}

static int resume(struct work *w, struct kl_error *err)
{
    const struct kl_stage *stage = &w->mode->stage;
    struct kl_file *file = NULL;
    if (!w->v->resume) {
        kl_store_checkpoint_forgotten(w->checkpoint, stage, stage->log, "step");
        return KL_OK;
    }
    int code = kl_store_checkpoint_resume(&file, w->checkpoint, stage, stage->log, err);
    if (!code && file) code = kl_sampling_run_load(w->run, file, err);
    kl_store_file_close(&file);
    return code;
}

/* One model's ladder: its chains to their end, its evidence. */
static int climb(struct work *w, int i, struct kl_sampling_run *run, struct kl_error *err)
{
    struct kl_progress progress;
    struct kl_sampling_evidence *e = &w->found.evidence[i];
    const double start = kl_clock();
    kl_progress_begin(&progress, w->mode->stage.log, w->v->common.progress, "steps");
    int code = kl_sampling_run_go(run, w->pool, &progress.watch, err);
    kl_progress_end(&progress);
    if (code) return code;
    kl_sampling_run_say_warmup(run, w->mode->stage.log);
    code = kl_sampling_evidence_make(e, run, &w->settings, err);
    e->parameters = w->rivals[i].target.size;
    e->seconds = kl_clock() - start;
    return code;
}

/* Also where a rival was stopped: the head's own chains are not sampled again. */
static void keep_stopped(struct work *w)
{
    struct kl_error other;
    if (w->checkpoint && !kl_store_checkpoint_write(w->checkpoint, &w->mode->stage, save, w, &other))
        kl_note(w->mode->stage.log, 1,
                "stopped by a signal: %s; the same command with --resume goes on from there",
                w->checkpoint);
}

static int sample(struct work *w, struct kl_error *err)
{
    int code = climb(w, 0, w->run, err);
    if (!code) kl_sampling_head_judge(&w->found, w->run, &w->settings);
    struct kl_sampling_settings s = w->settings;
    s.keep = 0;
    for (int i = 1; i < w->found.n && !code; i++) {
        struct kl_sampling_run *run = NULL;
        code = kl_sampling_run_open(&run, &s, &w->rivals[i].target, 1, kl_pool_size(w->pool), err);
        if (!code) code = climb(w, i, run, err);
        kl_sampling_run_close(&run);
    }
    if (code == KL_ESIGNAL) keep_stopped(w);
    return code;
}

static int publish(struct work *w, struct kl_error *err)
{
    const struct kl_file *parents[] = { w->head_file, w->features_file };
    struct kl_writer *writer = NULL;
    kl_sampling_head_caution(&w->found);
    const bool seeks = numerical_version(w->v) > 1;
    int code = seeks ? kl_sampling_minimum_seek(&w->minimum, w->run, w->pool, err) : KL_OK;
    if (code == KL_ESIGNAL) keep_stopped(w);
    if (!code) code = kl_store_writer_open(&writer, w->v->common.output, &w->mode->stage.header, err);
    if (!code) code = save(w, writer, err);
    if (!code) code = kl_sampling_head_found_save(writer, &w->found, err);
    if (!code && seeks) code = kl_sampling_minimum_put(writer, &w->minimum, err);
    if (!code) code = kl_store_stage_publish(&w->mode->stage, &writer, parents, 2, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    if (!code && w->checkpoint) kl_store_checkpoint_remove(w->checkpoint, NULL);
    return code;
}

static int work(struct work *w, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    w->found.v = w->v, w->found.stage = &w->mode->stage;
    int code = open_inputs(w, err);
    if (!code) code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE)
        return kl_store_stage_report(&w->mode->stage, answer, w->mode->out, err);
    code = prepare(w, err);
    if (!code) code = resume(w, err);
    if (!code) code = sample(w, err);
    if (!code) code = publish(w, err);
    FILE *out = kl_words_to(&w->v->common);
    if (!code && w->v->common.json) return kl_sampling_head_tell_json(out, &w->found, err);
    if (!code && !w->v->common.quiet) kl_sampling_head_tell(out, &w->found);
    return code;
}

static int run(struct kl_mode_run *mode, struct kl_error *err)
{
    struct work w = { .mode = mode, .v = mode->values };
    const int code = work(&w, err);
    kl_sampling_run_close(&w.run);
    for (int i = 0; i < KL_SAMPLING_RIVALS; i++) {
        kl_sampling_rival_close(&w.rivals[i]);
        kl_sampling_evidence_free(&w.found.evidence[i]);
    }
    kl_head_free(&w.head);
    kl_head_features_free(&w.features);
    kl_store_file_close(&w.head_file);
    kl_store_file_close(&w.features_file);
    kl_pool_destroy(&w.pool);
    free(w.validation);
    free(w.checkpoint);
    return code;
}

const struct kl_mode kl_sampling_mode_head = { .tool = &kl_sampling_head_tool,
                                               .defaults = kl_sampling_head_defaults,
                                               .run = run };
