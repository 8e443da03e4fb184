/* SPDX-License-Identifier: MIT
   A run's file, of kind `chains`: written. Traces lie in the groups that ArviZ reads, posterior and
   sample_stats, with their scales; states in groups of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/chain/chain_int.h"
#include "store/kind.h"

static const struct kl_kind_number numbers[] = {
    { .attribute = "sampler", .title = "sampler" },
    { .attribute = "n_parameters", .title = "parameters", .format = "%.0f" },
    { .attribute = "n", .title = "records", .format = "%.0f" },
    { .attribute = "batch", .title = "records a step", .format = "%.0f" },
    { .attribute = "chains", .title = "chains", .format = "%.0f" },
    { .attribute = NULL },
};
static const struct kl_kind_table tables[] = {
    { .name = "temperatures",
      .axes = { { "beta", "ladder/beta" } },
      .columns = { KL_KIND_COLUMN("lr", "ladder/lr", "first step", "%g"),
                   KL_KIND_COLUMN("draws", "ladder/draws", "draws", "%.0f"),
                   KL_KIND_COLUMN("virial", "bias/virial", "virial ratio", "%.3f"),
                   KL_KIND_COLUMN("norm", "bias/norm", "norm", "%.3f") } },
    { .name = NULL },
};
static const struct kl_kind_group groups[] = {
    { .prefixes = { "posterior/", "sample_stats/" }, .words = "traces" },
    { .prefixes = { "state/", "kept/" }, .words = "states" },
    { .words = NULL },
};
const struct kl_kind kl_sampling_chains_kind = {
    .name = "chains", .maker = "sgld sample", .numbers = numbers, .tables = tables, .groups = groups
};

const char *kl_sampling_group(enum kl_sampling_role role)
{
    static const char *const names[] = { "state", "half_step", "companion" };
    return names[role];
}

const char *kl_sampling_trace_name(int field)
{
    static const char *const names[] = { "posterior/train_loss", "posterior/train01",
                                         "posterior/norm",       "sample_stats/test_loss",
                                         "sample_stats/test01",  "sample_stats/virial" };
    return names[field];
}

/* ---- what the run is ---- */

static void word(char to[24], const char *choices, int index)
{
    for (; index > 0; index--) choices = strchr(choices, '|') + 1;
    snprintf(to, 24, "%.*s", (int)strcspn(choices, "|"), choices);
}

size_t kl_sampling_identity(struct kl_sampling_identity list[KL_SAMPLING_IDENTITIES],
                            const struct kl_sampling_run *run)
{
    const struct kl_sampling_settings *s = &run->settings;
    const struct kl_sampling_chain *c = run->chains;
    size_t n = 0;
#define WORD(label, choices, index)                            \
    (list[n] = (struct kl_sampling_identity){ .name = label }, \
     word(list[n++].text, choices, (int)(index)))
#define NUMBER(label, value) \
    list[n++] = (struct kl_sampling_identity){ .name = label, .number = (double)(value) }
#define WHOLE(label, value)                                     \
    list[n++] = (struct kl_sampling_identity)                   \
    {                                                           \
        .name = label, .number = (double)(value), .whole = true \
    }
    WORD("sampler", KL_SAMPLING_SAMPLERS, s->sampler);
    WORD("convention", KL_SAMPLING_CONVENTIONS, s->convention);
    WORD("start", KL_SAMPLING_STARTS, s->start);
    WORD("schedule", KL_SAMPLING_SCHEDULES, s->schedule);
    WHOLE("n_parameters", run->size), WHOLE("n", c->target->n), WHOLE("n_test", c->target->n_test);
    WHOLE("batch", c->batch), WHOLE("seed_low", s->seed & 0xffffffffu),
        WHOLE("seed_high", s->seed >> 32);
    NUMBER("sigma", c->target->tensors[0].sigma);
    NUMBER("power", s->power), NUMBER("stair_drop", s->stair_drop), NUMBER("stair_low", s->stair_low);
    WHOLE("period", s->period), WHOLE("anneal", s->anneal), WHOLE("every", s->every);
    WHOLE("test_every", s->test_every), WHOLE("whole", s->whole), WHOLE("noise", s->noise);
    WHOLE("control_variate", s->control_variate), WHOLE("exchange", s->exchange),
        WHOLE("tune", s->tune + kl_sampling_adapts(s));
    NUMBER("target_accept", s->target_accept), NUMBER("friction", s->friction);
    NUMBER("rms_decay", s->rms_decay), NUMBER("rms_epsilon", s->rms_epsilon);
    WHOLE("leapfrogs", s->leapfrogs), WHOLE("keep", s->keep), WHOLE("keep_last", s->keep_last),
        WHOLE("pointwise", s->pointwise);
    WHOLE("independent_batches", s->independent_batches), WHOLE("path_work", s->work);
    WHOLE("half_step", s->half_step), WHOLE("companion", s->companion);
    WHOLE("stop", s->stop.on), WHOLE("stop_leak", s->stop.leak), NUMBER("stop_alpha", s->stop.alpha);
    NUMBER("stop_eps", s->stop.eps), WHOLE("stop_min_steps", s->stop.min_steps);
#undef WORD
#undef NUMBER
#undef WHOLE
    return n;
}

static int put_identity(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    struct kl_sampling_identity list[KL_SAMPLING_IDENTITIES];
    const size_t n = kl_sampling_identity(list, run);
    int code = KL_OK;
    for (size_t i = 0; i < n && code >= 0; i++)
        code = *list[i].text ? kl_store_writer_text(w, "", list[i].name, list[i].text, err)
               : list[i].whole
                   ? kl_store_writer_integer(w, "", list[i].name, (int64_t)list[i].number, err)
                   : kl_store_writer_number(w, "", list[i].name, list[i].number, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "chains", run->settings.chains, err);
    return code < 0 ? code : KL_OK;
}

/* ---- scales and the ladder ---- */

static int put_scale(struct kl_writer *w, const char *group, const char *name, const int64_t *values,
                     size_t n, struct kl_error *err)
{
    char full[96];
    snprintf(full, sizeof full, "%s/%s", group, name);
    const int code = kl_store_writer_put(w, full, KL_TYPE_I64, 0, 1, &n, values, err);
    return code < 0 ? code : KL_OK;
}

/* first, first + by, ... */
static int put_steps(struct kl_writer *w, const char *group, const char *name, int64_t first, int64_t by,
                     size_t n, struct kl_error *err)
{
    int64_t *values = malloc((n + 1) * sizeof *values);
    if (!values) return kl_fail_memory(err, n * sizeof *values);
    for (size_t i = 0; i < n; i++) values[i] = first + (int64_t)i * by;
    const int code = put_scale(w, group, name, values, n, err);
    free(values);
    return code;
}

static int64_t most(const struct kl_sampling_run *run, int role, bool kept)
{
    int64_t most = 0;
    for (size_t i = 0; i < run->per_role; i++) {
        const struct kl_sampling_position *at = &run->chains[(size_t)role * run->per_role + i].at;
        const int64_t n = kept ? at->kept : at->draws;
        if (n > most) most = n;
    }
    return most;
}

static int put_rung_numbers(struct kl_writer *w, const struct kl_sampling_run *run, const char *name,
                            bool lr, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs;
    double *values = malloc(n * sizeof *values);
    if (!values) return kl_fail_memory(err, n * sizeof *values);
    for (size_t k = 0; k < n; k++)
        values[k] = lr ? run->settings.rungs[k].lr : run->settings.rungs[k].beta;
    const int code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, 1, &n, values, err);
    free(values);
    return code < 0 ? code : KL_OK;
}

static int put_ladder(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    const size_t n = s->n_rungs;
    int64_t *values = malloc(3 * n * sizeof *values);
    if (!values) return kl_fail_memory(err, 3 * n * sizeof *values);
    for (size_t k = 0; k < n; k++) {
        values[k] = s->rungs[k].warmup, values[n + k] = s->rungs[k].epochs, values[2 * n + k] = 0;
        for (int64_t c = 0; c < s->chains; c++) {
            const int64_t draws = kl_sampling_run_chain(run, 0, k, c)->at.draws;
            if (draws > values[2 * n + k]) values[2 * n + k] = draws;
        }
    }
    int code = put_rung_numbers(w, run, "ladder/beta", false, err);
    if (!code) code = put_rung_numbers(w, run, "ladder/lr", true, err);
    if (!code) code = put_scale(w, "ladder", "warmup", values, n, err);
    if (!code) code = put_scale(w, "ladder", "epochs", values + n, n, err);
    if (!code) code = put_scale(w, "ladder", "draws", values + 2 * n, n, err);
    free(values);
    return code;
}

static int put_scales(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    static const char *const places[] = { "posterior", "sample_stats" };
    const struct kl_sampling_settings *s = &run->settings;
    int code = KL_OK;
    for (int i = 0; i < 2 && !code; i++) {
        char beta[64];
        snprintf(beta, sizeof beta, "%s/beta", places[i]);
        code = put_steps(w, places[i], "chain", s->first_chain, 1, (size_t)s->chains, err);
        if (!code)
            code = put_steps(w, places[i], "draw", s->every, s->every, (size_t)most(run, 0, false), err);
        if (!code) code = put_rung_numbers(w, run, beta, false, err);
    }
    if (code || !s->pointwise) return code;
    code = put_steps(w, "log_likelihood", "chain", s->first_chain, 1, (size_t)s->chains, err);
    if (!code)
        code = put_steps(w, "log_likelihood", "draw", s->every * s->keep, s->every * s->keep,
                         (size_t)most(run, 0, true), err);
    if (!code) code = put_steps(w, "log_likelihood", "record", 0, 1, run->chains[0].target->n, err);
    return code;
}

static int scale(struct kl_writer *w, const char *name, const char *a, const char *b, const char *c,
                 struct kl_error *err)
{
    char scales[3][96];
    const int group = (int)strcspn(name, "/");
    const char *list[3] = { scales[0], scales[1], scales[2] };
    snprintf(scales[0], sizeof scales[0], "%.*s/%s", group, name, a);
    snprintf(scales[1], sizeof scales[1], "%.*s/%s", group, name, b);
    snprintf(scales[2], sizeof scales[2], "%.*s/%s", group, name, c ? c : "");
    const int code = kl_store_writer_dimensions(w, name, list, err);
    return code < 0 ? code : KL_OK;
}

/* ---- traces ---- */

/* (chains, draws, rungs), NaN behind a chain's draws. */
static int put_trace(struct kl_writer *w, const struct kl_sampling_run *run, int role, int field,
                     const char *name, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs, chains = (size_t)run->settings.chains,
                 draws = (size_t)most(run, role, false), dims[3] = { chains, draws, n };
    float *values = malloc((chains * draws * n + 1) * sizeof *values);
    if (!values) return kl_fail_memory(err, chains * draws * n * sizeof *values);
    for (size_t c = 0; c < chains; c++)
        for (size_t k = 0; k < n; k++) {
            const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, role, k, (int64_t)c);
            for (size_t d = 0; d < draws; d++)
                values[(c * draws + d) * n + k] =
                    (int64_t)d < chain->at.draws ? chain->trace[field][d] : NAN;
        }
    const int code = kl_store_writer_put(w, name, KL_TYPE_F32, 0, 3, dims, values, err);
    free(values);
    return code < 0 ? code : KL_OK;
}

static int put_ends(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs, chains = (size_t)run->settings.chains,
                 dims[2] = { chains, n };
    double *step = malloc(n * chains * sizeof *step);
    float *acceptance = malloc(n * chains * sizeof *acceptance);
    int code = step && acceptance ? KL_OK : kl_fail_memory(err, n * chains * sizeof *step);
    for (size_t i = 0; i < n * chains && !code; i++) {
        const struct kl_sampling_chain *c = kl_sampling_run_chain(run, 0, i % n, (int64_t)(i / n));
        step[i] = kl_sampling_chain_step(c), acceptance[i] = (float)kl_sampling_chain_acceptance(c);
    }
    if (!code) code = kl_store_writer_put(w, "sample_stats/step", KL_TYPE_F64, 0, 2, dims, step, err);
    if (code >= 0)
        code =
            kl_store_writer_put(w, "sample_stats/acceptance", KL_TYPE_F32, 0, 2, dims, acceptance, err);
    free(step), free(acceptance);
    if (code >= 0) code = scale(w, "sample_stats/step", "chain", "beta", NULL, err);
    if (code >= 0) code = scale(w, "sample_stats/acceptance", "chain", "beta", NULL, err);
    return code < 0 ? code : KL_OK;
}

static int put_traces(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    int code = KL_OK;
    for (int f = 0; f < KL_SAMPLING_FIELDS && !code; f++) {
        code = put_trace(w, run, 0, f, kl_sampling_trace_name(f), err);
        if (!code) code = scale(w, kl_sampling_trace_name(f), "chain", "draw", "beta", err);
    }
    for (int r = 1; r < run->n_roles && !code; r++) {
        char name[64];
        snprintf(name, sizeof name, "%s/train_loss", kl_sampling_group(run->roles[r]));
        code = put_trace(w, run, r, KL_SAMPLING_LOSS, name, err);
    }
    return code ? code : put_ends(w, run, err);
}

/* ---- states ---- */

/* (chains, rungs, size) of what `offset` bytes into each chain points to, or begins there. */
static int put_state(struct kl_writer *w, const struct kl_sampling_run *run, int role, const char *name,
                     enum kl_type type, size_t size, size_t offset, bool pointer, struct kl_error *err)
{
    char full[96];
    const size_t n = run->settings.n_rungs, chains = (size_t)run->settings.chains,
                 bytes = size * kl_store_type_size(type), dims[3] = { chains, n, size };
    unsigned char *all = malloc(chains * n * bytes + 1);
    if (!all) return kl_fail_memory(err, chains * n * bytes);
    for (size_t i = 0; i < n * chains; i++) {
        const char *place =
            (const char *)kl_sampling_run_chain(run, role, i % n, (int64_t)(i / n)) + offset;
        memcpy(all + i * bytes, pointer ? *(const void *const *)place : (const void *)place, bytes);
    }
    snprintf(full, sizeof full, "%s/%s", kl_sampling_group(run->roles[role]), name);
    const int code = kl_store_writer_put(w, full, type, 0, 3, dims, all, err);
    free(all);
    return code < 0 ? code : KL_OK;
}

static int put_states(struct kl_writer *w, const struct kl_sampling_run *run, int role,
                      struct kl_error *err)
{
    const struct kl_sampling_chain *c = kl_sampling_run_chain(run, role, 0, 0);
    const size_t p = c->target->size;
#define AT(member) offsetof(struct kl_sampling_chain, member)
    int code = put_state(w, run, role, "w", KL_TYPE_F32, p, AT(w), true, err);
    if (!code && c->v && run->settings.sampler != KL_SAMPLING_HMC)
        code = put_state(w, run, role, "v", KL_TYPE_F32, p, AT(v), true, err);
    if (!code && c->anchor)
        code = put_state(w, run, role, "anchor", KL_TYPE_F32, p, AT(anchor), true, err);
    if (!code && kl_sampling_adapts(&run->settings))
        code =
            put_state(w, run, role, "tuning", KL_TYPE_F64, KL_SAMPLING_TUNINGS, AT(tuning), false, err);
    if (!code && c->scale) code = put_state(w, run, role, "scale", KL_TYPE_F32, p, AT(scale), true, err);
    if (!code && c->scale) code = put_state(w, run, role, "mean", KL_TYPE_F32, p, AT(mean), true, err);
    if (!code && c->scale)
        code = put_state(w, run, role, "squares", KL_TYPE_F32, p, AT(squares), true, err);
    if (!code)
        code =
            put_state(w, run, role, "position", KL_TYPE_I64, KL_SAMPLING_POSITIONS, AT(at), false, err);
    if (!code)
        code = put_state(w, run, role, "numbers", KL_TYPE_F64, KL_SAMPLING_NUMBERS, AT(sum), false, err);
#undef AT
    return code;
}

/* By chain, draw, rung and a weight's place. */
static int put_kept_scales(struct kl_writer *w, const struct kl_sampling_run *run, size_t kept, size_t n,
                           struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    char weight[48];
    const char *const list[] = { "kept/chain", "kept/draw", "kept/beta", weight };
    snprintf(weight, sizeof weight, "kept/dimension_%zu", run->size);
    int code = put_steps(w, "kept", "chain", s->first_chain, 1, (size_t)s->chains, err);
    if (!code) code = put_steps(w, "kept", "draw", s->every * s->keep, s->every * s->keep, kept, err);
    if (!code && n > 1) code = put_rung_numbers(w, run, "kept/beta", false, err);
    if (!code && n == 1)
        code = kl_store_writer_put(w, "kept/beta", KL_TYPE_F64, 0, 1, &n, &s->rungs[s->n_rungs - 1].beta,
                                   err);
    return code < 0 ? code : kl_store_writer_dimensions(w, "kept/weights", list, err);
}

/* (chains, kept, rungs, P), NaN behind a chain's own. */
static int put_kept(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const size_t rungs = run->settings.n_rungs, n = run->settings.keep_last ? 1 : rungs,
                 chains = (size_t)run->settings.chains, p = run->size, kept = (size_t)most(run, 0, true),
                 dims[4] = { chains, kept, n, p };
    const int set = kl_store_writer_dataset(w, "kept/weights", KL_TYPE_F32, 0, 4, dims, err);
    float *row = set < 0 ? NULL : malloc((kept * n * p + 1) * sizeof *row);
    int code = set < 0 ? set : row ? KL_OK : kl_fail_memory(err, kept * n * p * sizeof *row);
    for (size_t c = 0; c < chains && !code; c++) {
        for (size_t i = 0; i < kept * n; i++) {
            const struct kl_sampling_chain *chain =
                kl_sampling_run_chain(run, 0, rungs - n + i % n, (int64_t)c);
            const bool there = (int64_t)(i / n) < chain->at.kept;
            for (size_t j = 0; j < p; j++) row[i * p + j] = there ? chain->kept[i / n * p + j] : NAN;
        }
        code = kl_store_writer_rows(w, set, c, 1, row, err);
    }
    free(row);
    return code ? code : put_kept_scales(w, run, kept, n, err);
}

static int put_kept_counts(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const size_t n = run->settings.n_rungs, chains = (size_t)run->settings.chains,
                 dims[2] = { chains, n };
    int64_t *counts = malloc(n * chains * sizeof *counts);
    if (!counts) return kl_fail_memory(err, n * chains * sizeof *counts);
    for (size_t i = 0; i < n * chains; i++)
        counts[i] = kl_sampling_run_chain(run, 0, i % n, (int64_t)(i / n))->at.kept;
    const int code = kl_store_writer_put(w, "kept/draws", KL_TYPE_I64, 0, 2, dims, counts, err);
    free(counts);
    return code < 0 ? code : KL_OK;
}

static int put_likelihood(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const size_t rung = run->settings.n_rungs - 1, chains = (size_t)run->settings.chains,
                 n = run->chains[0].target->n, kept = (size_t)most(run, 0, true),
                 dims[3] = { chains, kept, n };
    float *all = malloc((chains * kept * n + 1) * sizeof *all);
    if (!all) return kl_fail_memory(err, chains * kept * n * sizeof *all);
    for (size_t c = 0; c < chains; c++) {
        const struct kl_sampling_chain *chain = kl_sampling_run_chain(run, 0, rung, (int64_t)c);
        for (size_t i = 0; i < kept * n; i++)
            all[c * kept * n + i] = (int64_t)(i / n) < chain->at.kept ? chain->likelihood[i] : NAN;
    }
    int code = kl_store_writer_put(w, "log_likelihood/train", KL_TYPE_F32, 0, 3, dims, all, err);
    free(all);
    if (code >= 0) code = scale(w, "log_likelihood/train", "chain", "draw", "record", err);
    return code < 0 ? code : KL_OK;
}

int kl_sampling_run_save(struct kl_writer *w, const struct kl_sampling_run *run, struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    int code = put_identity(w, run, err);
    if (!code) code = put_ladder(w, run, err);
    if (!code) code = put_scales(w, run, err);
    if (!code) code = put_traces(w, run, err);
    for (int r = 0; r < run->n_roles && !code; r++) code = put_states(w, run, r, err);
    if (!code && s->keep > 0) code = put_kept(w, run, err);
    if (!code && s->keep > 0) code = put_kept_counts(w, run, err);
    if (!code && s->keep > 0 && s->pointwise) code = put_likelihood(w, run, err);
    if (!code) code = kl_sampling_bias_put(w, run, err);
    return code;
}
