/* SPDX-License-Identifier: MIT
   `sgld export`: a kept draw of a head's chains as a head file, which qeval, qconvert and figures take
   as any other. */
#include <string.h>

#include "sampling/heads/heads.h"
#include "store/kind.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 1 };

struct values {
    struct kl_common common;
    int64_t draw;
};

static const struct kl_option options[] = {
    { "draw", 0, KL_OPT_INT, offsetof(struct values, draw), "I", 0, 1e9, true,
      "kept draw I / chains of chain I % chains, from 0", "Export", NULL },
};
const struct kl_tool kl_sampling_export_tool = {
    .name = "sgld",
    .summary = "Writes a kept draw of a head's chains as a head file.",
    .arguments = "export CHAINS.h5 --draw I -o HEAD.h5",
    .example = "sgld export chains.h5 --draw 12 -o head.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "device threads seed progress",
    .chosen_by = "export",
};

struct work {
    struct kl_file *chains;
    struct kl_sampling_heads heads;
};

/* Who names it so wants the chains, which are one as they are. */
static int refuse_netcdf(const struct kl_mode_run *run, struct kl_error *err)
{
    const struct kl_common *common = run->stage.common;
    const char *dot = common->output ? strrchr(common->output, '.') : NULL;
    if (!dot || strcmp(dot, ".nc") != 0 || common->force) return KL_OK;
    return kl_fail(err, KL_EUSAGE,
                   "%s: export writes one draw as a head, which is no NetCDF; ArviZ opens the chains "
                   "themselves: from_netcdf('%s'); name a head .h5, or give --force",
                   common->output, *run->stage.inputs);
}

static int open_chains(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    if (refuse_netcdf(run, err)) return err->code;
    int code = kl_store_file_open_kind(&w->chains, *run->stage.inputs, &kl_sampling_chains_kind, err);
    run->few[run->n_parents++] = w->chains;
    return code ? code : kl_sampling_heads_open(&w->heads, w->chains, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    const struct work *w = run->state;
    const int code = kl_store_key_input(key, "chains", kl_store_file_content(w->chains), err);
    return code ? code : kl_sampling_head_key_features(key, w->chains, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    struct kl_head *head = NULL;
    if ((size_t)v->draw >= w->heads.n)
        return kl_fail(err, KL_EUSAGE, "--draw %lld: %s keeps %zu, counted from 0", (long long)v->draw,
                       kl_store_file_path(w->chains), w->heads.n);
    int code = kl_head_load(&head, w->chains, NULL, 0, NULL, err);
    if (!code) code = w->heads.ensemble.set(&w->heads, head, (size_t)v->draw, err);
    if (!code) code = kl_sampling_head_save(writer, head, w->chains, true, err);
    if (!code) code = kl_store_writer_text(writer, "", KL_HEAD_SAMPLED, w->heads.part, err);
    kl_head_free(&head);
    return code;
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    const struct kl_json_pair pairs[] = { { "draw", KL_JSON_COUNT, NULL, (double)v->draw },
                                          { "draws", KL_JSON_COUNT, NULL, (double)w->heads.n } };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct values *v = run->values;
    const struct work *w = run->state;
    fprintf(to, "%s: a head, draw %lld of %zu\n", v->common.output, (long long)v->draw, w->heads.n);
}

static void close_chains(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_sampling_heads_close(&w->heads);
    kl_store_file_close(&w->chains);
}

static const struct kl_file_stage stage = { .kind = &kl_head_kind,
                                            .schema = KL_HEAD_SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .name = "sgld export",
                                            .state_size = sizeof(struct work),
                                            .open = open_chains,
                                            .key = key,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = close_chains };
const struct kl_mode kl_sampling_mode_export = { .tool = &kl_sampling_export_tool, .stage = &stage };
