/* SPDX-License-Identifier: MIT
   tournament: random-number devices against each other: all pairs of them, or what an option chooses,
   which is in mode_NAME.c of the option's room. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/options.h"
#include "qrng/extractor/extractor.h"
#include "qrng/nist/nist.h"
#include "qrng/pairs/tournament.h"
#include "qrng/synthetic/synthetic.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 7, SCHEMA = 1, LINES = 20 };

struct values {
    struct kl_common common;
    int64_t symbol_bits, row_bits, null, resamples;
    const char *scores, *encoding;
    bool packed, reference;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    KL_SYMBOL_OPTION(AT(symbol_bits), "Bits"),
    KL_PACKED_OPTIONS(AT(packed), AT(encoding), AT(row_bits), NULL),
    { "null", 0, KL_OPT_INT, AT(null), "N", 0, 1e7, true,
      "permutations of the labels of each pair's rows", "Tests", NULL },
    { "scores", 0, KL_OPT_STRING, AT(scores), "LIST", 0, 0, true,
      "that are permuted: composite,chi_square,...; all", NULL, NULL },
    { "resamples", 0, KL_OPT_INT, AT(resamples), "N", 10, 1e6, true, "of the bootstrap", NULL, NULL },
    { "reference", 0, KL_OPT_FLAG, AT(reference), NULL, 0, 0, true,
      "the published study's rows, scores and ranking", NULL, NULL },
};
static const struct kl_tool *const parts[] = { &kl_extractor_tool, &kl_nist_tool, &kl_synthetic_tool,
                                               NULL };
static const struct kl_tool tool = {
    .name = "tournament",
    .summary = "Compares random-number devices pairwise: tests, divergences, what scores are worth",
    .arguments = "BITS... [-o T.h5]",
    .example = "tournament devices.txt --symbol-bits 2 -o t.h5\n"
               "  tournament a.txt b.txt --null 10000\n"
               "  tournament --synthetic 30 --variant validate -o s.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .parts = parts,
};

static void defaults(void *values)
{
    struct kl_tournament_options o;
    struct values *v = values;
    kl_pairs_tournament_options_default(&o);
    v->null = o.permutations, v->resamples = o.resamples, v->scores = "all";
}

struct work {
    struct kl_mode_run *run;
    struct values *v;
    uint32_t wanted;  /* scores that are permuted */
    char scores[128]; /* their names, in order: what the key has */
    struct kl_bits bits;
    struct kl_tournament t;
    json_t *raw; /* raw_inputs of the record */
};

static int read_scores(struct work *w, struct kl_error *err)
{
    struct values none = { 0 };
    defaults(&none);
    int code = kl_pairs_scores_read(&w->wanted, w->v->scores, err);
    if (!code && !w->v->null)
        code = kl_options_refuse(&tool, w->v, &none, "scores",
                                 "names what is permuted, and --null 0 permutes nothing", err);
    if (code) return code;
    kl_pairs_scores_write(w->scores, sizeof w->scores, w->wanted);
    w->v->scores = w->scores;
    return KL_OK;
}

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .encoding = w->v->encoding,
                                     .row_bits = (size_t)w->v->row_bits };
    int code = read_scores(w, err);
    if (!code) code = kl_bits_read_files(&w->bits, stage->inputs, stage->n_inputs, &how, err);
    if (code) return code;
    return kl_bits_begin(answer, &w->raw, stage, &w->bits, "tournament", SCHEMA, NUMERICAL_VERSION,
                         w->run->out, err);
}

static void note_rough(const struct kl_log *log, const struct kl_tournament *t)
{
    size_t rough = 0;
    for (size_t i = 0; i < t->n_pairs; i++) rough += t->pairs[i].test.least < 5;
    if (rough)
        kl_caution(log,
                   "in %zu of %zu pair%s some symbol is expected less than 5 times: chi2 and its p are "
                   "rough, of so few; p of held-out rows is not",
                   rough, t->n_pairs, kl_s(t->n_pairs));
}

static int compute(struct work *w, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    struct kl_tournament_options o = { .permutations = w->v->null,
                                       .resamples = w->v->resamples,
                                       .wanted = w->wanted,
                                       .seed = w->v->common.seed,
                                       .reference = w->v->reference };
    kl_bits_note_dropped(w->run->stage.log, w->bits.n_dropped, w->bits.n_bits);
    kl_bits_note_narrow(w->run->stage.log, w->bits.used_bits, w->bits.symbol_bits);
    if (!w->bits.n_files)
        kl_bits_note_rows(w->run->stage.log, w->bits.n_rows, w->bits.n_bits, w->bits.n_devices);
    int code = kl_bits_note_repeats(w->run->stage.log, &w->bits, true, err);
    if (!code)
        code = kl_bits_note_names(w->run->stage.log, w->run->stage.inputs, w->bits.names,
                                  w->run->stage.n_inputs, err);
    if (!code) code = kl_pool_create(&pool, (int)w->v->common.threads, err);
    kl_progress_begin(&progress, w->run->stage.log, w->v->common.progress, "steps");
    if (!code) code = kl_pairs_tournament_run(&w->t, &w->bits, &o, pool, &progress.watch, err);
    kl_progress_end(&progress);
    if (!code) note_rough(w->run->stage.log, &w->t);
    kl_pool_destroy(&pool);
    return code;
}

static int save(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->common.output, &stage->header, err);
    if (!code) code = kl_pairs_tournament_save(writer, &w->t, err);
    if (!code) code = kl_bits_publish(stage, &writer, &w->bits, w->raw, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_tournament *t = &w->t;
    const struct kl_pair_result *top = &t->pairs[t->order[0]];
    const struct kl_common *common = &w->v->common;
    const struct kl_dependence *dependence = &t->dependence;
    char name[2 * KL_BITS_NAME + 4], text[KL_DIFFER_TEXT];
    const struct kl_differ differ = kl_pairs_tournament_differ(t);
    const bool told = kl_stats_differ_by_rows(&differ);
    snprintf(name, sizeof name, "%s v %s", t->names[top->a], t->names[top->b]);
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output ? common->output : "", 0 },
        { "key", KL_JSON_TEXT, w->run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "devices", KL_JSON_COUNT, NULL, (double)t->n_devices },
        { "rows", KL_JSON_COUNT, NULL, (double)w->bits.n_rows },
        { "symbols", KL_JSON_COUNT, NULL, (double)t->n_symbols },
        { "pairs", KL_JSON_COUNT, NULL, (double)t->n_pairs },
        { "pairs_differ", KL_JSON_COUNT, NULL, (double)differ.symbols },
        { "pairs_differ_held_out", told ? KL_JSON_COUNT : KL_JSON_NUMBER, NULL,
          told ? (double)differ.held_out : NAN },
        { "symbol_bits", KL_JSON_COUNT, NULL, t->symbol_bits },
        { "dependence_log10_p", KL_JSON_NUMBER, NULL, dependence->log10_p },
        { "dependence_device", KL_JSON_TEXT,
          kl_bits_depends(dependence) ? t->names[dependence->device] : "", 0 },
        { "permutations", KL_JSON_COUNT, NULL, (double)t->permutations },
        { "first", KL_JSON_TEXT, name, 0 },
        { "first_js", KL_JSON_NUMBER, NULL, top->divergence[KL_DIV_JS] },
        { "first_log10_p", KL_JSON_NUMBER, NULL, top->log10_p_holm },
        { "first_accuracy", KL_JSON_NUMBER, NULL, top->score[KL_SCORE_ACCURACY] },
        { "first_accuracy_low", KL_JSON_NUMBER, NULL, top->accuracy_low },
        { "first_accuracy_high", KL_JSON_NUMBER, NULL, top->accuracy_high },
        { "first_composite", KL_JSON_NUMBER, NULL, top->score[KL_SCORE_COMPOSITE] },
        { "first_composite_p", KL_JSON_NUMBER, NULL, top->p[KL_SCORE_COMPOSITE] },
        kl_json_cautions(w->run->stage.log),
    };
    if (common->json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (common->quiet) return KL_OK;
    kl_pairs_tournament_table(out, t, common->verbose ? t->n_pairs : LINES, common->verbose);
    kl_stats_differ_text(text, &differ);
    fprintf(out, "%s%s%zu devices, %s, %.1f s\n", common->output ? common->output : "",
            common->output ? ": " : "", t->n_devices, text, kl_clock() - w->run->stage.start);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (!w->run->stage.n_inputs)
        return kl_fail(err, KL_EUSAGE, "no input, expected BITS...; see --help");
    if (!common->output && (common->force || common->dry_run))
        return kl_fail(err, KL_EUSAGE, "no output; give -o T.h5");
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
    kl_pairs_tournament_free(&w.t);
    kl_bits_free(&w.bits);
    json_decref(w.raw);
    return code;
}

static const struct kl_mode mode = { .tool = &tool, .defaults = defaults, .run = run };

int main(int argc, char **argv)
{
    static const struct kl_mode *const modes[] = { &mode, &kl_mode_synthetic, &kl_mode_nist,
                                                   &kl_mode_extractor };
    return kl_store_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
