/* SPDX-License-Identifier: MIT
   `sgld head`: chains of a head's parameters on cached features; the evidence of the head, its twin and
   none. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/device.h"
#include "sampling/heads/mode_head.h"
#include "store/kind.h"

/* ---- rivals ----
   The head that is sampled, and what is sampled in its circuit's place to see what the circuit is worth.
 */

/* One model to sample, with what it is made of. */
struct rival {
    const char *name; /* of its core */
    struct kl_head_model own, *model;
    struct kl_features angles; /* x: what the fixed reduction makes of the features; else empty */
    struct kl_sampling_head_f32 *head;
    struct kl_sampling_target_f32 target;
    float *params;
};

static int target(struct rival *r, struct kl_sampling_head_question q, struct kl_error *err)
{
    q.model = r->model;
    q.whiten = true;
    return kl_sampling_head_target_f32(&r->target, &r->head, &q, err);
}

/* The head itself. */
static int rival_head(struct rival *r, struct kl_head *head,
                      const struct kl_sampling_head_question *question, struct kl_error *err)
{
    struct kl_sampling_head_question q = *question;
    *r = (struct rival){ .name = kl_core_names[head->model.options.core], .model = &head->model };
    q.params = head->params;
    return target(r, q, err);
}

/* The reduction's parameters, which have the same names and shapes whatever the core is. */
static int take_reduction(struct rival *r, const struct kl_head *head, struct kl_error *err)
{
    const struct kl_block *to = &r->own.block, *from = &head->model.block;
    if (!(r->params = calloc(to->size, sizeof *r->params)))
        return kl_fail_memory(err, to->size * sizeof *r->params);
    for (int i = 0; i < 2 * head->model.n_reduce; i++)
        memcpy(r->params + to->tensors[i].offset, head->params + from->tensors[i].offset,
               from->tensors[i].size * sizeof *r->params);
    return KL_OK;
}

/* The angles of all features as features of their own. */
static int take_angles(struct rival *r, const struct kl_head *head, const struct kl_features *f,
                       struct kl_error *err)
{
    enum { BLOCK = 512 };
    const struct kl_head_model *m = &head->model;
    struct kl_head_work work;
    r->angles = *f;
    r->angles.d = m->n_angles;
    r->angles.x = malloc(f->n * m->n_angles * sizeof *r->angles.x);
    float *logits = malloc(BLOCK * m->n_classes * sizeof *logits);
    int code = r->angles.x && logits ? kl_head_work_init(&work, err)
                                     : kl_fail_memory(err, f->n * m->n_angles * sizeof *logits);
    const bool begun = !code;
    for (size_t from = 0; from < f->n && !code; from += BLOCK) {
        const size_t n = f->n - from < BLOCK ? f->n - from : BLOCK;
        code = kl_head_forward_f32(logits, r->angles.x + from * m->n_angles, NULL, m, head->params,
                                   f->x + from * f->d, n, &work, err);
    }
    if (begun) kl_head_work_free(&work);
    free(logits);
    return code;
}

/* In place of the head's circuit: its twin (KL_CORE_TWIN), which with KL_SAMPLING_TAIL has the head's
   reduction before it; or KL_CORE_NONE, one linear layer on the features, with KL_SAMPLING_TAIL on the
   angles that the head's reduction makes of them. question: as for the head; of its parts ALL and TAIL.
   path: of the head, for messages. KL_EUSAGE, KL_EDATA, KL_ENOMEM. */
static int rival_make(struct rival *r, enum kl_core core, struct kl_head *head,
                      const struct kl_sampling_head_question *question, const char *path,
                      struct kl_error *err)
{
    struct kl_sampling_head_question q = *question;
    const bool angles = core == KL_CORE_NONE && q.part == KL_SAMPLING_TAIL;
    struct kl_head_options o;
    const char *reduction, *classifier;
    json_t *config = NULL;
    *r = (struct rival){ .name = kl_core_names[core] };
    if (head->model.options.core != KL_CORE_CIRCUIT)
        return kl_fail(err, KL_EUSAGE, "%s: --compare: its core is '%s', expected a circuit", path,
                       kl_core_names[head->model.options.core]);
    int code = kl_json_parse(&config, head->config, path, err);
    if (!code) code = kl_head_config(&o, &reduction, &classifier, config, path, err);
    if (!code && angles) code = take_angles(r, head, q.features, err);
    if (!code) o.core = core;
    if (!code)
        code = kl_head_model_make(&r->own, &o, angles ? head->model.n_angles : head->model.n_features,
                                  head->model.n_classes, err);
    json_decref(config);
    if (code) return code;
    r->model = &r->own;
    if (q.part == KL_SAMPLING_TAIL && !angles) code = take_reduction(r, head, err);
    if (angles) q.features = &r->angles, q.part = KL_SAMPLING_ALL;
    q.params = r->params;
    return code ? code : target(r, q, err);
}

static void rival_close(struct rival *r)
{
    kl_sampling_head_close_f32(&r->head);
    if (r->model == &r->own) kl_head_model_free(&r->own);
    free(r->angles.x);
    free(r->params);
    *r = (struct rival){ 0 };
}

/* ---- the options of `sgld head`, and the run that they ask for ---- */

/* clang-format off */
#define AT(field) offsetof(struct kl_sampling_head_values, field)
#define WHOLE(word, field, least, most, key, help, group) { word, 0, KL_OPT_INT, AT(field), "N", least, most, key, help, group, NULL }
#define REAL(word, field, least, most, help, group) { word, 0, KL_OPT_FLOAT, AT(field), "X", least, most, true, help, group, NULL }
static const struct kl_option options[] = {
    { "head", 0, KL_OPT_STRING, AT(head), "HEAD", 0, 0, false, "whose parameters are sampled, from qtrain", "Target", NULL },
    { "replica", 0, KL_OPT_INT, AT(replica), "N|best", 0, 1e6, true, "of the head's file, or the best by validation", NULL, NULL },
    { "parameters", 0, KL_OPT_CHOICE, AT(parameters), KL_SAMPLING_PARTS, 0, 0, true, "all; tail: circuit and what follows; head: what follows it", NULL, NULL },
    { "prior", 0, KL_OPT_CHOICE, AT(prior), "layer|flat", 0, 0, true, "deviation sigma / sqrt(fan-in), or sigma", NULL, NULL },
    REAL("sigma", sigma, 1e-9, 1e9, "of the prior of weights and biases", NULL),
    REAL("sigma-angles", sigma_angles, 1e-9, 1e9, "of circuit angles; pi: uniform on the circle to 1.5 %", NULL),
    REAL("sigma-scales", sigma_scales, 1e-9, 1e9, "of learnable scales of inputs", NULL),
    { "compare", 0, KL_OPT_FLAG, AT(compare), NULL, 0, 0, true, "evidence of the circuit's twin and of none too", NULL, NULL },
    { "betas", 'B', KL_OPT_STRING, AT(betas), "LIST", 0, 0, true, "inverse temperatures, rising, up to n", "Ladder", NULL },
    WHOLE("rungs", rungs, 2, KL_SAMPLING_LADDER, true, "without --betas: n (k/(N-1))^power", NULL),
    REAL("power", power, 1, 20, "of that ladder", NULL),
    { "chains", 0, KL_OPT_INT, AT(chains), "N", 1, 4096, true, "of each beta", NULL, NULL },
    WHOLE("warmup", warmup, 0, 1e9, true, "steps before the first draw, at least: mala and hmc are tuned until the acceptance is near --accept", NULL),
    WHOLE("draws", draws, 4, 1e9, true, "of each chain", NULL),
    WHOLE("every", every, 1, 1e6, true, "steps a draw", NULL),
    WHOLE("keep", keep, 0, 1e9, true, "draws between kept heads; 0: none", NULL),
    { "sampler", 0, KL_OPT_CHOICE, AT(sampler), KL_SAMPLING_SAMPLERS, 0, 0, true, "mala, hmc: exact; the others have a step's bias", "Chain", NULL },
    REAL("step", step, 1e-12, 1e6, "first one: X / (1 + beta) in units of the prior", NULL),
    REAL("accept", accept, 0, 0.999, "to which it is tuned; 0: of mala .57, of hmc .8", NULL),
    { "exchange", 0, KL_OPT_FLAG, AT(exchange), NULL, 0, 0, true, "of replicas between neighbouring betas, once a draw", NULL, NULL },
    WHOLE("leapfrogs", leapfrogs, 1, 1e5, true, "of hmc, a step, at most: from half of them to all are drawn", NULL),
    { "extend", 0, KL_OPT_STRING, AT(extend), "FILE", 0, 0, false, "go on from a smaller run", "Run", NULL },
    KL_DEVICE_OPTION(AT(common.device)),
    KL_STORE_RANKS_OPTION(AT(ranks), "chains"),
};
const struct kl_tool kl_sampling_head_tool = {
    .name = "sgld",
    .summary = "Samples the posterior of a head on cached features; its evidence against a twin's.",
    .arguments = "head FEATURES.h5 --head HEAD.h5 -o CHAINS.h5",
    .example = "sgld head train.h5 --head head.h5 -o chains.h5\n"
               "  sgld head train.h5 --head head.h5 --parameters tail --compare -o c.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct kl_sampling_head_values),
    .chosen_by = "head",
};
/* clang-format on */

static void head_defaults(void *values)
{
    struct kl_sampling_head_prior prior;
    struct kl_sampling_head_values *v = values;
    kl_sampling_head_prior_default(&prior);
    v->common.device = "auto";
    v->parameters = "all";
    v->sampler = "hmc";
    v->prior = "layer";
    v->rungs = 16, v->chains = 4, v->warmup = 200, v->draws = 200, v->every = 1, v->keep = 10,
    v->leapfrogs = 16;
    v->accept = 0, v->step = 1, v->power = 5;
    v->sigma = prior.sigma, v->sigma_angles = prior.angles, v->sigma_scales = prior.scales;
}

/* "0,10,200" or "0,10,n". */
static int read_betas(struct kl_sampling_rung *rungs, size_t *n_rungs, const char *list, size_t n,
                      struct kl_error *err)
{
    size_t k = 0;
    for (const char *at = list;; at++) {
        char *end = (char *)at + 1;
        const double beta = *at == 'n' ? (double)n : strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(beta) || beta < 0 ||
            (k && !(beta > rungs[k - 1].beta)))
            return kl_fail(err, KL_EUSAGE,
                           "--betas: found '%.60s', expected rising numbers from 0, or n: 0,1,10,n", at);
        if (k == KL_SAMPLING_LADDER)
            return kl_fail(err, KL_EUSAGE, "--betas: at most %d temperatures", KL_SAMPLING_LADDER);
        rungs[k++].beta = beta;
        if (!*(at = end)) break;
    }
    *n_rungs = k;
    if (rungs[0].beta == 0 && rungs[k - 1].beta == (double)n) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "--betas: found %g to %g, expected 0, the prior, to n = %zu, the posterior (write n)",
                   rungs[0].beta, rungs[k - 1].beta, n);
}

/* rungs: room for KL_SAMPLING_LADDER, which settings points to; n: records, beta of the posterior.
 * KL_EUSAGE. */
static int head_settings(struct kl_sampling_settings *s, struct kl_sampling_rung *rungs,
                         const struct kl_sampling_head_values *v, size_t n, struct kl_error *err)
{
    const int sampler = kl_choice(KL_SAMPLING_SAMPLERS, v->sampler);
    const bool exact = sampler == KL_SAMPLING_MALA || sampler == KL_SAMPLING_HMC;
    kl_sampling_settings_default(s);
    s->n_rungs = (size_t)v->rungs;
    for (size_t k = 0; !v->betas && k < s->n_rungs; k++)
        rungs[k].beta = k + 1 == s->n_rungs
                            ? (double)n
                            : (double)n * pow((double)k / (double)(v->rungs - 1), v->power);
    const int code = v->betas ? read_betas(rungs, &s->n_rungs, v->betas, n, err) : KL_OK;
    if (code) return code;
    for (size_t k = 0; k < s->n_rungs; k++) {
        struct kl_sampling_rung *r = &rungs[k];
        r->lr = r->beta * v->step / (1 + r->beta);
        r->warmup = v->warmup, r->epochs = v->draws * v->every;
    }
    s->rungs = rungs;
    s->seed = (uint64_t)v->common.seed;
    s->sampler = (enum kl_sampling_sampler)sampler;
    s->chains = v->chains;
    s->every = v->every, s->test_every = v->every;
    s->tune = exact;
    s->target_accept = v->accept <= 0 ? sampler == KL_SAMPLING_HMC ? 0.8 : 0.57 : v->accept;
    s->leapfrogs = v->leapfrogs;
    s->exchange = v->exchange;
    s->keep = v->keep;
    s->keep_last = true; /* a predictive needs the posterior's draws alone */

    return KL_OK;
}

/* ---- mode head ---- */

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
    struct rival rivals[KL_SAMPLING_RIVALS]; /* the head first */
    struct kl_sampling_settings settings;
    struct kl_sampling_rung rungs[KL_SAMPLING_LADDER];
    struct kl_sampling_run *run; /* of the head */
    struct kl_sampling_head_found found;
    struct kl_sampling_minimum minimum;
    bool older; /* another run's checkpoint is there */
    struct kl_device device;
};

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    const int code = kl_store_key_input(key, "head", kl_store_file_content(w->head_file), err);
    return code ? code
                : kl_store_key_input(key, "features", kl_store_file_content(w->features_file), err);
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
        .n_threads = kl_pool_size(w->mode->pool),
        .device = &w->device,
    };
    static const enum kl_core cores[KL_SAMPLING_RIVALS] = { KL_CORE_CIRCUIT, KL_CORE_TWIN,
                                                            KL_CORE_NONE };
    int code = rival_head(&w->rivals[0], w->head, &q, err);
    w->found.n = v->compare ? KL_SAMPLING_RIVALS : 1;
    for (int i = 1; i < w->found.n && !code; i++)
        code = rival_make(&w->rivals[i], cores[i], w->head, &q, kl_store_file_path(w->head_file), err);
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

static int choose_device(struct work *w, struct kl_error *err)
{
    const struct kl_ranks *ranks = w->mode->ranks;
    return kl_device_take(&w->device, &w->v->common, ranks ? ranks->local : 0, w->mode->stage.log, err);
}

static int prepare(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_file *file = NULL;
    int code = choose_device(w, err);
    if (!code) code = kl_head_features_load(&w->features, w->features_file, err);
    if (!code) code = kl_head_load(&w->head, w->head_file, NULL, w->v->replica, NULL, err);
    if (!code && w->head->shots)
        kl_note(w->mode->stage.log, 1, "%s was trained with %zu shots; chains take exact values",
                w->v->head, w->head->shots);
    if (!code) code = take_split(w, err);
    if (!code) code = make_rivals(w, err);
    if (!code) code = head_settings(&w->settings, w->rungs, w->v, w->found.records, err);
    if (!code)
        code = kl_sampling_run_open(&w->run, &w->settings, &w->rivals[0].target, 1,
                                    kl_pool_size(w->mode->pool), err);
    if (code || !w->v->extend) return code;
    code = kl_store_file_open_kind(&file, w->v->extend, &kl_sampling_chains_kind, err);
    if (!code) code = check_kin(w, file, err);
    if (!code) code = kl_sampling_run_load(w->run, file, err);
    kl_store_file_close(&file);
    return code;
}

static int save_chains(void *context, struct kl_writer *writer, struct kl_error *err)
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
    int code = kl_store_checkpoint_resume(&file, &w->older, w->mode->checkpoint, stage, stage->log,
                                          "step", err);
    if (!code && file) code = kl_sampling_run_load(w->run, file, err);
    kl_store_file_close(&file);
    return code;
}

/* One model's ladder: its chains to their end, its evidence. */
static int climb(struct work *w, int i, struct kl_sampling_run *run, struct kl_error *err)
{
    struct kl_sampling_evidence *e = &w->found.evidence[i];
    const double start = kl_clock();
    int code = kl_sampling_run_share(run, w->mode->ranks, err);
    if (!code) code = kl_sampling_run_go(run, w->mode->pool, w->mode->watch, err);
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
    uint64_t done, total;
    kl_sampling_run_done(w->run, &done, &total);
    if (w->mode->checkpoint && !(w->older && done == 0) &&
        !kl_store_checkpoint_write(w->mode->checkpoint, &w->mode->stage, save_chains, w, &other))
        kl_note(w->mode->stage.log, 1, "stopped by a signal: %s; the same command goes on from there",
                w->mode->checkpoint);
}

static int sample_rivals(struct work *w, struct kl_error *err)
{
    int code = climb(w, 0, w->run, err);
    if (!code) kl_sampling_head_judge(&w->found, w->run, &w->settings);
    struct kl_sampling_settings s = w->settings;
    s.keep = 0;
    for (int i = 1; i < w->found.n && !code; i++) {
        struct kl_sampling_run *run = NULL;
        code = kl_sampling_run_open(&run, &s, &w->rivals[i].target, 1, kl_pool_size(w->mode->pool), err);
        if (!code) code = climb(w, i, run, err);
        kl_sampling_run_close(&run);
    }
    if (code == KL_ESIGNAL) {
        if (!kl_store_ranks_follow(w->mode->ranks)) keep_stopped(w);
        kl_store_ranks_wait(w->mode->ranks);
    }
    return code;
}

/* For --dry-run: each model's ladder for a moment. */
static int estimate(void *context, struct kl_estimate *to, struct kl_error *err)
{
    struct kl_mode_run *mode = context;
    struct work *w = mode->state;
    const double begin = kl_clock();
    int code = kl_pool_create(&mode->pool, (int)mode->stage.common->threads, err);
    if (!code) code = prepare(mode, err);
    if (!code) code = resume(w, err);
    to->seconds = kl_clock() - begin;
    to->at_most = w->settings.stop.on;
    struct kl_sampling_settings s = w->settings;
    s.keep = 0;
    for (int i = 0; i < w->found.n && !code; i++) {
        struct kl_sampling_run *own = NULL, *run = w->run;
        struct kl_trial trial;
        uint64_t done = 0, total = 0;
        double seconds = 0;
        if (i) {
            code =
                kl_sampling_run_open(&own, &s, &w->rivals[i].target, 1, kl_pool_size(mode->pool), err);
            run = own;
        }
        if (!code) kl_sampling_run_done(run, &done, &total);
        kl_trial_begin(&trial);
        trial.from = done;
        if (!code && done < total) code = kl_sampling_run_go(run, mode->pool, &trial.watch, err);
        code = kl_trial_end(code);
        if (!code && done < total) code = kl_trial_whole(&seconds, &trial, "an epoch", err);
        to->seconds += seconds;
        kl_sampling_run_close(&own);
    }
    return code;
}

static int open_inputs(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_sampling_head_values *v = w->v = run->values;
    bool differs = false;
    w->mode = run, w->found.v = v, w->found.stage = &run->stage;
    run->version = numerical_version(v);
    run->stage.estimate = estimate, run->stage.estimate_context = run;
    if (!v->head)
        return kl_fail(err, KL_EUSAGE, "head: no --head HEAD.h5, whose parameters are to be sampled");
    if (v->compare && strcmp(v->parameters, "all") != 0 && strcmp(v->parameters, "tail") != 0)
        return kl_fail(
            err, KL_EUSAGE,
            "--compare with --parameters %s: what stays fixed was trained with the circuit; take all or "
            "tail",
            v->parameters);
    int code = kl_store_file_open(&w->features_file, *run->stage.inputs, err);
    if (!code) code = kl_store_file_open_kind(&w->head_file, v->head, &kl_head_kind, err);
    if (!code && v->replica < 0)
        code = kl_head_evaluation_replica(&v->replica, "best", w->head_file, "", err);
    if (!code)
        code = kl_head_origin_check(&differs, w->head_file, w->features_file, run->stage.log, err);
    run->few[run->n_parents++] = w->head_file, run->few[run->n_parents++] = w->features_file;
    return code;
}

static int sample(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    int code = resume(w, err);
    if (!code) code = sample_rivals(w, err);
    if (code || kl_store_ranks_dismiss(run->ranks) || run->version < 2) return code;
    code = kl_sampling_minimum_seek(&w->minimum, w->run, run->pool, err);
    if (code == KL_ESIGNAL) keep_stopped(w);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    struct work *w = run->state;
    int code = save_chains(w, writer, err);
    if (!code) code = kl_sampling_head_found_save(writer, &w->found, err);
    return code || run->version < 2 ? code : kl_sampling_minimum_put(writer, &w->minimum, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    (void)err;
    kl_sampling_head_caution(&((struct work *)run->state)->found);
    return KL_OK;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    return kl_sampling_head_tell_json(to, &((struct work *)run->state)->found, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    kl_sampling_head_tell(to, &((struct work *)run->state)->found);
}

static void close_run(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sampling_run_close(&w->run);
    for (int i = 0; i < KL_SAMPLING_RIVALS; i++) {
        rival_close(&w->rivals[i]);
        kl_sampling_evidence_free(&w->found.evidence[i]);
    }
    kl_head_free(&w->head);
    kl_head_features_free(&w->features);
    kl_store_file_close(&w->head_file);
    kl_store_file_close(&w->features_file);
    free(w->validation);
}

static const struct kl_file_stage stage = { .kind = &kl_sampling_chains_kind,
                                            .schema = SCHEMA,
                                            .name = "sgld head",
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .has_checkpoint = true,
                                            .ranks_at = AT(ranks),
                                            .progress = "steps",
                                            .open = open_inputs,
                                            .key = key,
                                            .check = prepare,
                                            .compute = sample,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_run };
const struct kl_mode kl_sampling_mode_head = { .tool = &kl_sampling_head_tool,
                                               .defaults = head_defaults,
                                               .stage = &stage };
