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
    struct values *v;
    uint32_t wanted;  /* scores that are permuted */
    char scores[128]; /* their names, in order: what the key has */
    struct kl_bits bits;
    struct kl_tournament t;
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

static int open_bits(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = w->v = run->values;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits };
    int code = read_scores(w, err);
    if (!code) code = kl_bits_read_files(&w->bits, run->stage.inputs, run->stage.n_inputs, &how, err);
    run->parents = (const struct kl_file *const *)w->bits.files, run->n_parents = w->bits.n_files;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_bits_key(key, run->raw_inputs, &((struct work *)run->state)->bits, &run->stage, err);
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

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct kl_tournament_options o = { .permutations = w->v->null,
                                             .resamples = w->v->resamples,
                                             .wanted = w->wanted,
                                             .seed = w->v->common.seed,
                                             .reference = w->v->reference };
    int code = kl_bits_note(&run->stage, &w->bits, true, err);
    if (!code) code = kl_pairs_tournament_run(&w->t, &w->bits, &o, run->pool, run->watch, err);
    if (!code) note_rough(run->stage.log, &w->t);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_pairs_tournament_save(writer, &((struct work *)run->state)->t, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_tournament *t = &w->t;
    const struct kl_pair_result *top = &t->pairs[t->order[0]];
    const struct kl_dependence *dependence = &t->dependence;
    char name[2 * KL_BITS_NAME + 4];
    const struct kl_differ differ = kl_pairs_tournament_differ(t);
    const bool told = kl_stats_differ_by_rows(&differ);
    snprintf(name, sizeof name, "%s v %s", t->names[top->a], t->names[top->b]);
    const struct kl_json_pair pairs[] = {
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
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct kl_tournament *t = &((const struct work *)run->state)->t;
    const struct kl_common *common = run->stage.common;
    char text[KL_DIFFER_TEXT];
    const struct kl_differ differ = kl_pairs_tournament_differ(t);
    kl_pairs_tournament_table(to, t, common->verbose ? t->n_pairs : LINES, common->verbose);
    kl_stats_differ_text(text, &differ);
    fprintf(to, "%s%s%zu devices, %s, %.1f s\n", common->output ? common->output : "",
            common->output ? ": " : "", t->n_devices, text, kl_clock() - run->stage.start);
}

static void close_bits(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_pairs_tournament_free(&w->t);
    kl_bits_free(&w->bits);
}

int main(int argc, char **argv)
{
    static const struct kl_file_stage stage = { .kind = &kl_tournament_kind,
                                                .schema = SCHEMA,
                                                .version = NUMERICAL_VERSION,
                                                .seeded = true,
                                                .state_size = sizeof(struct work),
                                                .progress = "steps",
                                                .open = open_bits,
                                                .key = key,
                                                .compute = compute,
                                                .save = save,
                                                .json = json,
                                                .words = words,
                                                .close = close_bits };
    static const struct kl_mode mode = { .tool = &tool, .defaults = defaults, .stage = &stage };
    static const struct kl_mode *const modes[] = { &mode, &kl_mode_synthetic, &kl_mode_nist,
                                                   &kl_mode_extractor };
    return kl_store_modes_main(modes, sizeof modes / sizeof *modes, argc, argv, stdout, stderr);
}
