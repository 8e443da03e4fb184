/* SPDX-License-Identifier: MIT
   `sgld export`: a kept draw of a head's chains as a head file, which qeval, qconvert and figures take
   as any other. */
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

static int begin(struct kl_mode_run *mode, struct kl_file *file, enum kl_stage_answer *answer,
                 struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = kl_store_key_begin(&key, kl_head_kind.name, KL_HEAD_SCHEMA, "sgld export",
                                  NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(key, &kl_sampling_export_tool, mode->values, err);
    if (!code) code = kl_store_key_input(key, "chains", kl_store_file_content(file), err);
    if (!code) code = kl_sampling_head_key_features(key, file, err);
    if (!code) code = kl_store_stage_begin(&mode->stage, answer, &key, mode->out, err);
    kl_store_key_abort(&key);
    return code;
}

static int write_head(struct kl_mode_run *mode, struct kl_file *file, struct kl_sampling_heads *heads,
                      struct kl_error *err)
{
    const struct values *v = mode->values;
    const struct kl_file *parents[] = { file };
    struct kl_head *head = NULL;
    struct kl_writer *writer = NULL;
    if ((size_t)v->draw >= heads->n)
        return kl_fail(err, KL_EUSAGE, "--draw %lld: %s keeps %zu, counted from 0", (long long)v->draw,
                       kl_store_file_path(file), heads->n);
    int code = kl_head_load(&head, file, NULL, 0, NULL, err);
    if (!code) code = heads->ensemble.set(heads, head, (size_t)v->draw, err);
    if (!code) code = kl_store_writer_open(&writer, v->common.output, &mode->stage.header, err);
    if (!code) code = kl_sampling_head_save(writer, head, file, true, err);
    if (!code) code = kl_store_writer_text(writer, "", KL_HEAD_SAMPLED, heads->part, err);
    if (!code) code = kl_store_stage_publish(&mode->stage, &writer, parents, 1, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    kl_head_free(&head);
    return code;
}

static int work(struct kl_mode_run *mode, struct kl_file **file, struct kl_sampling_heads *heads,
                struct kl_error *err)
{
    const struct values *v = mode->values;
    struct kl_stage *stage = &mode->stage;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    stage->inputs++, stage->n_inputs--; /* the word itself */
    if (stage->n_inputs != 1) return kl_fail_inputs(err, stage->inputs, stage->n_inputs, 1, "CHAINS.h5");
    if (!v->common.output && !v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "export: no output; give -o HEAD.h5");
    int code = kl_store_file_open_kind(file, stage->inputs[0], &kl_sampling_chains_kind, err);
    if (!code) code = kl_sampling_heads_open(heads, *file, err);
    if (!code) code = begin(mode, *file, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE) return kl_store_stage_report(stage, answer, mode->out, err);
    code = write_head(mode, *file, heads, err);
    FILE *out = kl_words_to(&v->common);
    if (code || v->common.quiet) return code;
    if (!v->common.json) {
        fprintf(out, "%s: draw %lld of %zu\n", v->common.output, (long long)v->draw, heads->n);
        return KL_OK;
    }
    const struct kl_json_pair pairs[] = { { "output", KL_JSON_TEXT, v->common.output, 0 },
                                          { "key", KL_JSON_TEXT, stage->key, 0 },
                                          { "status", KL_JSON_TEXT,
                                            kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
                                          { "draw", KL_JSON_COUNT, NULL, (double)v->draw },
                                          { "draws", KL_JSON_COUNT, NULL, (double)heads->n } };
    return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
}

static int run(struct kl_mode_run *mode, struct kl_error *err)
{
    struct kl_file *file = NULL;
    struct kl_sampling_heads heads = { 0 };
    const int code = work(mode, &file, &heads, err);
    kl_sampling_heads_close(&heads);
    kl_store_file_close(&file);
    return code;
}

const struct kl_mode kl_sampling_mode_export = { .tool = &kl_sampling_export_tool, .run = run };
