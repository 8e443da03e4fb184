/* SPDX-License-Identifier: MIT
   tournament --nist BITS...: the standards' tests and estimates of each device. */
#include <jansson.h>
#include <stdlib.h>

#include "qrng/bits/options.h"
#include "qrng/nist/nist.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 4, SCHEMA = 2 };

struct values {
    struct kl_common common;
    int64_t symbol_bits, row_bits;
    const char *encoding;
    struct kl_nist_options nist;
    bool chosen, packed;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "nist", 0, KL_OPT_FLAG, AT(chosen), NULL, 0, 0, false, "SP 800-22 and SP 800-90B, not pairs",
      "Bits", NULL },
    KL_SYMBOL_OPTION(AT(symbol_bits), NULL),
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
    { "sequence-bits", 0, KL_OPT_INT, AT(nist.sequence_bits), "N", 0, KL_NIST_PART, true,
      "of a sequence of SP 800-22; 0: all, up to 1e6", "Tests", NULL },
    { "sequences", 0, KL_OPT_INT, AT(nist.sequences), "N", 1, 1e6, true,
      "of each device, at most; the rest of a longer input is not read", NULL, NULL },
    { "permutations", 0, KL_OPT_INT, AT(nist.permutations), "N", 0, 1e6, true,
      "of SP 800-90B's test of independence; 0: none", NULL, NULL },
    { "restarts", 0, KL_OPT_FLAG, AT(nist.restarts), NULL, 0, 0, true,
      "rows are what came after restarts", NULL, NULL },
    { "security", 0, KL_OPT_FLOAT, AT(nist.security), "BITS", 1, 1024, true,
      "of bits that are extracted: 2^-BITS from uniform", NULL, NULL },
};
const struct kl_tool kl_nist_tool = {
    .name = "tournament",
    .summary = "Tests devices by NIST SP 800-22 and estimates their entropy by SP 800-90B",
    .arguments = "--nist BITS... [-o N.h5]",
    .example = "tournament --nist devices.txt --symbol-bits 2 -o n.h5\n"
               "  cat /dev/urandom | tournament --nist --packed --bits 1000 --sequences 10 -",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "--nist",
};

static void defaults(void *values)
{
    kl_nist_options_default(&((struct values *)values)->nist);
}

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_bits bits;
    struct kl_nist_report report;
    json_t *raw;
};

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .encoding = w->v->encoding,
                                     .row_bits = (size_t)w->v->row_bits,
                                     .max_bits = kl_nist_most_bits(&w->v->nist),
                                     .least_rows = w->v->nist.restarts ? KL_RESTARTS : 0 };
    int code = kl_bits_read_files(&w->bits, stage->inputs, stage->n_inputs, &how, err);
    if (code) return code;
    return kl_bits_begin(answer, &w->raw, stage, &w->bits, "nist", SCHEMA, NUMERICAL_VERSION,
                         w->run->out, err);
}

/* A longer input is cut, and that is said; whether there is more is not known of what has no end. */
static void note_cut(const struct work *w)
{
    const struct kl_nist_report *r = &w->report;
    const size_t most = kl_nist_most_bits(&w->v->nist),
                 rows = (most + w->bits.n_bits - 1) / w->bits.n_bits;
    for (size_t i = 0; i < r->n_devices; i++)
        if (r->devices[i].n_rows >= rows && !w->v->nist.restarts)
            kl_caution(w->run->stage.log,
                       "device %s: no more than its first %zu bits are read; for more: --sequences %zu",
                       r->names[i], r->devices[i].n_bits, most / r->devices[i].sequence_bits + 1);
}

static int compute(struct work *w, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    struct kl_nist_options o = w->v->nist;
    o.seed = w->v->common.seed;
    kl_bits_note_dropped(w->run->stage.log, w->bits.n_dropped, w->bits.n_bits);
    kl_bits_note_narrow(w->run->stage.log, w->bits.used_bits, w->bits.symbol_bits);
    int code = kl_bits_note_names(w->run->stage.log, w->run->stage.inputs, w->bits.names,
                                  w->run->stage.n_inputs, err);
    if (!code) code = kl_pool_create(&pool, (int)w->v->common.threads, err);
    kl_progress_begin(&progress, w->run->stage.log, w->v->common.progress, "steps");
    kl_signals_plain(); /* nothing is kept of it: who stops it need not wait for a test to end */
    if (!code) code = kl_nist_report(&w->report, &w->bits, &o, pool, &progress.watch, err);
    kl_signals_install();
    kl_progress_end(&progress);
    kl_pool_destroy(&pool);
    if (!code) note_cut(w);
    return code;
}

static int save(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->common.output, &stage->header, err);
    if (!code) code = kl_nist_save(writer, &w->report, err);
    if (!code) code = kl_bits_publish(stage, &writer, &w->bits, w->raw, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int report_json(const struct work *w, FILE *out, struct kl_error *err)
{
    const char *output = w->v->common.output;
    json_t *value = NULL, *path = NULL, *cautions = NULL;
    char *text = NULL;
    int code = kl_nist_json(&value, &w->report, err);
    if (!code) code = kl_json_string(&path, output ? output : "", err);
    if (!code) code = kl_json_lines(&cautions, kl_caution_lines(w->run->stage.log), err);
    if (!code &&
        (json_object_set(value, "output", path) ||
         json_object_set_new(value, "key", json_string(w->run->stage.key)) ||
         json_object_set(value, "cautions", cautions) ||
         json_object_set_new(value, "status", json_string(kl_store_stage_status(KL_STAGE_COMPUTE)))))
        code = kl_fail_memory(err, 256);
    if (!code) code = kl_json_dump(&text, value, err);
    if (!code) fprintf(out, "%s\n", text);
    json_decref(value);
    json_decref(path);
    json_decref(cautions);
    free(text);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    if (common->json) return report_json(w, out, err);
    if (common->quiet) return KL_OK;
    kl_nist_table(out, &w->report, common->verbose);
    fprintf(out, "%s%s%zu device%s, %.1f s\n", common->output ? common->output : "",
            common->output ? ": " : "", w->report.n_devices, kl_s(w->report.n_devices),
            kl_clock() - w->run->stage.start);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (!w->run->stage.n_inputs)
        return kl_fail(err, KL_EUSAGE, "no input, expected BITS...; see tournament --nist --help");
    if (!common->output && (common->force || common->dry_run))
        return kl_fail(err, KL_EUSAGE, "no output; give -o N.h5");
    if (w->v->nist.sequence_bits && w->v->nist.sequence_bits < KL_NIST_SEQUENCE)
        return kl_fail(err, KL_EUSAGE, "--sequence-bits: found %lld, expected 0 or at least %d",
                       (long long)w->v->nist.sequence_bits, KL_NIST_SEQUENCE);
    int code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE)
        return kl_store_stage_report(&w->run->stage, answer, w->run->out, err);
    code = compute(w, err);
    if (!code && common->output) code = save(w, err);
    return code ? code : report(w, kl_words_to(common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    int code = work(&w, err);
    kl_nist_report_free(&w.report);
    kl_bits_free(&w.bits);
    json_decref(w.raw);
    return code;
}

const struct kl_mode kl_mode_nist = { .tool = &kl_nist_tool, .defaults = defaults, .run = run };
