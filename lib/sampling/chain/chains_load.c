/* SPDX-License-Identifier: MIT
   A run's file, read: all its chains that a run has too go on from where they stood. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sampling/chain/chain_int.h"
#include "store/kind.h"

#define DATA(...) return kl_fail(err, KL_EDATA, __VA_ARGS__)

/* ---- is it of the same run? ---- */

static int check_one(const struct kl_sampling_identity *mine, struct kl_file *file, struct kl_error *err)
{
    const char *path = kl_store_file_path(file);
    if (*mine->text) {
        char *text = NULL;
        int code = kl_store_file_text(&text, file, "", mine->name, err);
        if (!code && strcmp(text, mine->text) != 0)
            code = kl_fail(err, KL_EDATA, "%s: is of another run: %s '%s', this one has '%s'", path,
                           mine->name, text, mine->text);
        free(text);
        return code;
    }
    double number = 0;
    const int code = kl_store_file_number(&number, file, "", mine->name, err);
    if (code || number == mine->number || (isnan(number) && isnan(mine->number))) return code;
    DATA("%s: is of another run: %s %.17g, this one has %.17g", path, mine->name, number, mine->number);
}

static int check_identity(const struct kl_sampling_run *run, struct kl_file *file, struct kl_error *err)
{
    struct kl_sampling_identity list[KL_SAMPLING_IDENTITIES];
    const size_t n = kl_sampling_identity(list, run);
    int code = KL_OK;
    for (size_t i = 0; i < n && !code; i++) code = check_one(&list[i], file, err);
    return code;
}

/* ---- what a file holds ---- */

struct held {
    struct kl_file *file;
    size_t rungs, chains, draws, kept;
    double *beta, *lr;
    int64_t *warmup, *chain;
    size_t *rung; /* (rungs) of the run's */
};

static int load(void **to, const struct held *h, const char *name, enum kl_type type, int rank,
                const size_t *dims, struct kl_error *err)
{
    return kl_store_file_load_shape(to, h->file, name, type, rank, dims, err);
}

static int read_held(struct held *h, struct kl_error *err)
{
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, h->file, "posterior/train_loss", KL_TYPE_F32, 3, err);
    if (code) return code;
    h->chains = set->dims[0], h->draws = set->dims[1], h->rungs = set->dims[2];
    if (h->chains < 1 || h->rungs < 1)
        DATA("%s: found %zu chains and %zu temperatures, expected some", kl_store_file_path(h->file),
             h->chains, h->rungs);
    code = load((void **)&h->beta, h, "ladder/beta", KL_TYPE_F64, 1, &h->rungs, err);
    if (!code) code = load((void **)&h->lr, h, "ladder/lr", KL_TYPE_F64, 1, &h->rungs, err);
    if (!code) code = load((void **)&h->warmup, h, "ladder/warmup", KL_TYPE_I64, 1, &h->rungs, err);
    if (!code) code = load((void **)&h->chain, h, "posterior/chain", KL_TYPE_I64, 1, &h->chains, err);
    if (!code && !(h->rung = malloc(h->rungs * sizeof *h->rung)))
        code = kl_fail_memory(err, h->rungs * sizeof *h->rung);
    return code;
}

static void free_held(struct held *h)
{
    free(h->beta), free(h->lr), free(h->warmup), free(h->chain), free(h->rung);
}

/* Match the file's temperatures to the run's; with exchange they must be the same ones. */
static int match(struct held *h, const struct kl_sampling_run *run, struct kl_error *err)
{
    const struct kl_sampling_settings *s = &run->settings;
    const char *path = kl_store_file_path(h->file);
    if (s->exchange && h->rungs != s->n_rungs)
        DATA("%s: found %zu temperatures, expected %zu: with exchange they depend on each other", path,
             h->rungs, s->n_rungs);
    for (size_t k = 0; k < h->rungs; k++) {
        h->rung[k] = SIZE_MAX;
        for (size_t mine = 0; mine < s->n_rungs; mine++)
            if (s->rungs[mine].beta == h->beta[k]) h->rung[k] = mine;
        if (h->rung[k] == SIZE_MAX && s->exchange)
            DATA("%s: found beta %g, which this run lacks: with exchange they depend on each other",
                 path, h->beta[k]);
        if (h->rung[k] == SIZE_MAX) continue;
        const struct kl_sampling_rung *r = &s->rungs[h->rung[k]];
        if (r->lr != h->lr[k])
            DATA("%s: beta %g: found the step %g, this run has %g", path, r->beta, h->lr[k], r->lr);
        if (r->warmup != h->warmup[k])
            DATA("%s: beta %g: found a warm-up of %lld epochs, this run has %lld", path, r->beta,
                 (long long)h->warmup[k], (long long)r->warmup);
    }
    return KL_OK;
}

/* ---- states ---- */

/* Draws and kept ones that a position comes to. */
static bool sensible(const struct kl_sampling_chain *c, const struct kl_sampling_position *p)
{
    const int64_t sampled = p->warm >= 0 && p->epoch > p->warm ? p->epoch - p->warm : 0,
                  draws = sampled / c->every, keep = kl_sampling_chain_keeps(c),
                  kept = keep > 0 ? draws / keep : 0;
    const bool exchanges = c->settings->exchange && c->role == KL_SAMPLING_MAIN;
    const bool warm = c->stops    ? p->warm >= -1 && p->warm <= c->warmup
                      : c->adapts ? p->warm >= c->warmup && p->warm <= kl_sampling_tune_limit(c->warmup)
                                  : p->warm == c->warmup;
    return warm && p->epoch >= 0 && p->step >= 0 && p->step < c->steps && p->draws == draws &&
           p->kept == kept && (p->begun == 1 || (p->begun == 0 && p->epoch == 0 && p->step == 0)) &&
           (p->warm >= 0 || p->epoch < c->warmup) && p->judged >= 0 && p->judged <= p->epoch &&
           (p->waiting == 0 || (p->waiting == 1 && exchanges && p->draws > 0));
}

static int take_position(struct kl_sampling_chain *c, const int64_t *row, const struct held *h,
                         struct kl_error *err)
{
    const char *path = kl_store_file_path(h->file);
    struct kl_sampling_position p;
    memcpy(&p, row, sizeof p);
    if (!sensible(c, &p) || (size_t)p.draws > h->draws)
        DATA("%s: chain %lld at beta %g: found a state that no chain comes to (epoch %lld, %lld draws); "
             "make the file anew",
             path, (long long)c->number, c->beta, (long long)p.epoch, (long long)p.draws);
    c->at = p;
    if (p.epoch > kl_sampling_chain_end(c) || (p.epoch == kl_sampling_chain_end(c) && p.step > 0))
        DATA("%s: chain %lld at beta %g: holds %lld epochs, this run ends after %lld; ask for as many",
             path, (long long)c->number, c->beta, (long long)p.epoch,
             (long long)kl_sampling_chain_end(c));
    return KL_OK;
}

struct states {
    float *w, *v, *anchor, *scale, *mean, *squares;
    int64_t *position;
    double *numbers, *tuning;
};

/* Of a tuner: numbers that its arithmetic comes to. */
static int check_tuning(const struct kl_sampling_chain *c, const struct states *s, size_t i,
                        const struct held *h, struct kl_error *err)
{
    const size_t p = c->target->size;
    const double *t = s->tuning + i * KL_SAMPLING_TUNINGS;
    struct kl_sampling_tuning of;
    memcpy(&of, t, sizeof of);
    bool sound = of.began >= 0 && of.began <= (double)c->at.warm && of.draws >= 0 && of.accepted >= 0;
    for (size_t j = 0; j < KL_SAMPLING_TUNINGS; j++) sound &= isfinite(t[j]) != 0;
    for (size_t j = 0; s->scale && j < p; j++)
        sound &= s->scale[i * p + j] > 0 && isfinite(s->scale[i * p + j]) &&
                 isfinite(s->mean[i * p + j]) && s->squares[i * p + j] >= 0;
    if (sound) return KL_OK;
    DATA("%s: chain %lld at beta %g: found a tuner's state that no chain comes to; make the file anew",
         kl_store_file_path(h->file), (long long)c->number, c->beta);
}

static int check_finite(const struct kl_sampling_chain *c, const float *w, const struct held *h,
                        struct kl_error *err)
{
    for (size_t i = 0; i < c->target->size; i++)
        if (!isfinite(w[i]))
            DATA("%s: chain %lld at beta %g: found the weight %g, expected a finite number",
                 kl_store_file_path(h->file), (long long)c->number, c->beta, (double)w[i]);
    return KL_OK;
}

/* A role's chain of the run that is chain i, temperature k of the file; NULL: the run has none. */
static struct kl_sampling_chain *chain_of(const struct kl_sampling_run *run, const struct held *h,
                                          int role, size_t i, size_t k)
{
    const int64_t c = h->chain[i] - run->settings.first_chain;
    if (c < 0 || c >= run->settings.chains || h->rung[k] == SIZE_MAX) return NULL;
    return kl_sampling_run_chain(run, role, h->rung[k], c);
}

static int take_states(struct kl_sampling_run *run, int role, const struct held *h,
                       const struct states *s, struct kl_error *err)
{
    int code = KL_OK;
    for (size_t i = 0; i < h->chains * h->rungs && !code; i++) {
        struct kl_sampling_chain *c = chain_of(run, h, role, i / h->rungs, i % h->rungs);
        if (!c) continue;
        const size_t p = c->target->size, bytes = p * sizeof(float);
        code = take_position(c, s->position + i * KL_SAMPLING_POSITIONS, h, err);
        if (!code) code = check_finite(c, s->w + i * p, h, err);
        if (!code && s->tuning) code = check_tuning(c, s, i, h, err);
        if (!code) code = kl_sampling_chain_room(c, c->at.draws, err);
        if (code) break;
        memcpy(&c->sum, s->numbers + i * KL_SAMPLING_NUMBERS, sizeof c->sum);
        memcpy(c->w, s->w + i * p, bytes);
        if (s->v) memcpy(c->v, s->v + i * p, bytes);
        if (s->anchor) memcpy(c->anchor, s->anchor + i * p, bytes);
        if (s->tuning) memcpy(&c->tuning, s->tuning + i * KL_SAMPLING_TUNINGS, sizeof c->tuning);
        if (s->scale) {
            memcpy(c->scale, s->scale + i * p, bytes), memcpy(c->mean, s->mean + i * p, bytes);
            memcpy(c->squares, s->squares + i * p, bytes);
        }
        c->anchor_known = false;
    }
    return code;
}

static int load_state(void **to, const struct kl_sampling_run *run, const struct held *h, int role,
                      const char *name, enum kl_type type, size_t size, struct kl_error *err)
{
    char full[96];
    const size_t dims[3] = { h->chains, h->rungs, size };
    snprintf(full, sizeof full, "%s/%s", kl_sampling_group(run->roles[role]), name);
    return load(to, h, full, type, 3, dims, err);
}

static int load_states(struct kl_sampling_run *run, const struct held *h, int role, struct kl_error *err)
{
    const struct kl_sampling_chain *c = kl_sampling_run_chain(run, role, 0, 0);
    const size_t p = c->target->size;
    struct states s = { 0 };
    int code = load_state((void **)&s.w, run, h, role, "w", KL_TYPE_F32, p, err);
    if (!code && c->v && run->settings.sampler != KL_SAMPLING_HMC)
        code = load_state((void **)&s.v, run, h, role, "v", KL_TYPE_F32, p, err);
    if (!code && c->anchor)
        code = load_state((void **)&s.anchor, run, h, role, "anchor", KL_TYPE_F32, p, err);
    if (!code && kl_sampling_adapts(&run->settings))
        code = load_state((void **)&s.tuning, run, h, role, "tuning", KL_TYPE_F64, KL_SAMPLING_TUNINGS,
                          err);
    if (!code && c->scale)
        code = load_state((void **)&s.scale, run, h, role, "scale", KL_TYPE_F32, p, err);
    if (!code && c->scale)
        code = load_state((void **)&s.mean, run, h, role, "mean", KL_TYPE_F32, p, err);
    if (!code && c->scale)
        code = load_state((void **)&s.squares, run, h, role, "squares", KL_TYPE_F32, p, err);
    if (!code)
        code = load_state((void **)&s.position, run, h, role, "position", KL_TYPE_I64,
                          KL_SAMPLING_POSITIONS, err);
    if (!code)
        code = load_state((void **)&s.numbers, run, h, role, "numbers", KL_TYPE_F64, KL_SAMPLING_NUMBERS,
                          err);
    if (!code) code = take_states(run, role, h, &s, err);
    free(s.w), free(s.v), free(s.anchor), free(s.position), free(s.numbers);
    free(s.scale), free(s.mean), free(s.squares), free(s.tuning);
    return code;
}

/* ---- traces and kept weights ---- */

static int load_trace(struct kl_sampling_run *run, const struct held *h, int role, int field,
                      const char *name, struct kl_error *err)
{
    float *all = NULL;
    const struct kl_dataset *set;
    int code = kl_store_file_expect(&set, h->file, name, KL_TYPE_F32, 3, err);
    const size_t draws = code ? 0 : set->dims[1], dims[3] = { h->chains, draws, h->rungs };
    if (!code) code = load((void **)&all, h, name, KL_TYPE_F32, 3, dims, err);
    for (size_t i = 0; i < h->chains * h->rungs && !code; i++) {
        struct kl_sampling_chain *c = chain_of(run, h, role, i / h->rungs, i % h->rungs);
        if (!c) continue;
        if ((size_t)c->at.draws > draws)
            code = kl_fail(err, KL_EDATA, "%s: dataset %s: found %zu draws, expected %lld at least",
                           kl_store_file_path(h->file), name, draws, (long long)c->at.draws);
        for (int64_t d = 0; d < c->at.draws && !code; d++)
            c->trace[field][d] = all[(i / h->rungs * draws + (size_t)d) * h->rungs + i % h->rungs];
    }
    free(all);
    return code;
}

static int load_traces(struct kl_sampling_run *run, const struct held *h, struct kl_error *err)
{
    int code = KL_OK;
    for (int f = 0; f < KL_SAMPLING_FIELDS && !code; f++)
        code = load_trace(run, h, 0, f, kl_sampling_trace_name(f), err);
    for (int r = 1; r < run->n_roles && !code; r++) {
        char name[64];
        snprintf(name, sizeof name, "%s/train_loss", kl_sampling_group(run->roles[r]));
        code = load_trace(run, h, r, KL_SAMPLING_LOSS, name, err);
    }
    return code;
}

static int load_kept(struct kl_sampling_run *run, const struct held *h, struct kl_error *err)
{
    const struct kl_dataset *set;
    const size_t p = run->size;
    int code = kl_store_file_expect(&set, h->file, "kept/weights", KL_TYPE_F32, 4, err);
    if (code) return code;
    const bool last = run->settings.keep_last;
    const size_t kept = set->dims[1], n = last ? 1 : h->rungs, row = kept * n * p;
    if (set->dims[0] != h->chains || set->dims[2] != n || set->dims[3] != p)
        DATA("%s: dataset kept/weights: found other dimensions than those of the chains",
             kl_store_file_path(h->file));
    if (last && h->rung[h->rungs - 1] + 1 != run->settings.n_rungs)
        DATA("%s: weights are kept at the last temperature, beta %g, this run has another one",
             kl_store_file_path(h->file), h->beta[h->rungs - 1]);
    float *all = malloc((row + 1) * sizeof *all);
    if (!all) return kl_fail_memory(err, row * sizeof *all);
    for (size_t i = 0; i < h->chains && kept && !code; i++) {
        code = kl_store_file_rows(h->file, set, i, 1, all, err);
        for (size_t k = 0; k < n && !code; k++) {
            struct kl_sampling_chain *c = chain_of(run, h, 0, i, last ? h->rungs - 1 : k);
            if (!c) continue;
            if ((size_t)c->at.kept > kept)
                code = kl_fail(err, KL_EDATA, "%s: dataset kept/weights: found %zu, expected %lld",
                               kl_store_file_path(h->file), kept, (long long)c->at.kept);
            for (size_t d = 0; !code && d < (size_t)c->at.kept; d++)
                memcpy(c->kept + d * p, all + (d * n + k) * p, p * sizeof *all);
        }
    }
    free(all);
    return code;
}

/* Of the last temperature of the file, if it is the run's last one too; else its chains have none of
 * their own. */
static int load_likelihood(struct kl_sampling_run *run, const struct held *h, struct kl_error *err)
{
    const struct kl_dataset *set;
    float *all = NULL;
    int code = kl_store_file_expect(&set, h->file, "log_likelihood/train", KL_TYPE_F32, 3, err);
    if (code) return code;
    const size_t kept = set->dims[1], n = run->chains[0].target->n, dims[3] = { h->chains, kept, n };
    if (h->rung[h->rungs - 1] + 1 != run->settings.n_rungs)
        DATA("%s: each record's loss is kept at the last temperature, beta %g, this run has another one",
             kl_store_file_path(h->file), h->beta[h->rungs - 1]);
    code = load((void **)&all, h, "log_likelihood/train", KL_TYPE_F32, 3, dims, err);
    for (size_t i = 0; i < h->chains && !code; i++) {
        struct kl_sampling_chain *c = chain_of(run, h, 0, i, h->rungs - 1);
        if (!c) continue;
        if ((size_t)c->at.kept > kept)
            code = kl_fail(err, KL_EDATA, "%s: dataset log_likelihood/train: found %zu, expected %lld",
                           kl_store_file_path(h->file), kept, (long long)c->at.kept);
        else memcpy(c->likelihood, all + i * kept * n, (size_t)c->at.kept * n * sizeof *all);
    }
    free(all);
    return code;
}

int kl_sampling_run_load(struct kl_sampling_run *run, struct kl_file *file, struct kl_error *err)
{
    struct held h = { .file = file };
    const struct kl_sampling_settings *s = &run->settings;
    const char *kind = kl_store_file_kind(file);
    if (strcmp(kind, kl_sampling_chains_kind.name) != 0 && strcmp(kind, "checkpoint") != 0)
        return kl_store_fail_kind(err, kl_store_file_path(file), kl_store_file_kind(file),
                                  &kl_sampling_chains_kind);
    int code = kl_store_file_check_once(file, err);
    if (!code) code = check_identity(run, file, err);
    if (!code) code = read_held(&h, err);
    if (!code) code = match(&h, run, err);
    for (int r = 0; r < run->n_roles && !code; r++) code = load_states(run, &h, r, err);
    if (!code) code = load_traces(run, &h, err);
    if (!code && s->keep > 0) code = load_kept(run, &h, err);
    if (!code && s->keep > 0 && s->pointwise) code = load_likelihood(run, &h, err);
    free_held(&h);
    return code;
}

/* ---- is it a run to go on from? ---- */
/* The parts of a key, without the options of `grow`. */
static int parts_of_kin(char **text, const char *parts, const char *const *grow, struct kl_error *err)
{
    json_t *all = NULL;
    int code = kl_json_parse(&all, parts, "the key's parts", err);
    json_t *options = json_object_get(all, "options");
    for (size_t i = 0; grow[i] && !code; i++) json_object_del(options, grow[i]);
    if (!code) code = kl_json_dump(text, all, err);
    json_decref(all);
    return code;
}

int kl_sampling_chains_check_kin(const struct kl_file *file, const char *key_parts,
                                 const char *const *grow, struct kl_error *err)
{
    char *theirs = NULL, *ours = NULL, *differs = NULL;
    int code = parts_of_kin(&theirs, kl_store_file_key_parts(file), grow, err);
    if (!code) code = parts_of_kin(&ours, key_parts, grow, err);
    if (!code) code = kl_store_key_diff(&differs, theirs, ours, err);
    if (!code && *differs)
        code = kl_fail(
            err, KL_EDATA,
            "--extend %s: is of another run (%.*s%s); give the options and inputs it was made with",
            kl_store_file_path(file), (int)strcspn(differs, "\n"), differs,
            strcspn(differs, "\n") + 1 < strlen(differs) ? ", ..." : "");
    free(theirs);
    free(ours);
    free(differs);
    return code;
}
