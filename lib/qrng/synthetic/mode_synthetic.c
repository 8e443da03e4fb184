/* SPDX-License-Identifier: MIT
   tournament --synthetic N: devices of known laws, their study or their bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/synthetic/synthetic.h"
#include "store/mode.h"

enum {
    NUMERICAL_VERSION = 7 /* of a study of few devices one more */,
    SCHEMA = 1,
    BITS_SCHEMA = 1,
    STUDY_SEED = 42
};

struct values {
    struct kl_common common;
    struct kl_synthetic_options o;
    bool only_bits;
};

#define AT(field) offsetof(struct values, field)
#define OF(field) (offsetof(struct values, o) + offsetof(struct kl_synthetic_options, field))
static const struct kl_option options[] = {
    { "synthetic", 0, KL_OPT_INT, OF(devices), "N", 2, KL_BITS_DEVICES, true,
      "devices of known laws, N of them", "Devices", NULL },
    { "rows", 0, KL_OPT_INT, OF(rows), "N", 5, 1e7, true, "of each device", NULL, NULL },
    { "bits", 0, KL_OPT_INT, OF(bits), "N", 2, 65535, true, "of each row", NULL, NULL },
    { "source", 0, KL_OPT_CHOICE, OF(source), "chain|pairs", 0, 0, true,
      "chain: biased bits, with memory; pairs: of qubits", NULL, NULL },
    { "bias", 0, KL_OPT_STRING, OF(bias), "LIST", 0, 0, true, "chain: by class, 0.48-0.52,0.54-0.58",
      NULL, NULL },
    { "copy", 0, KL_OPT_STRING, OF(copy), "LIST", 0, 0, true, "chain: chance to repeat the bit before",
      NULL, NULL },
    { "drift", 0, KL_OPT_STRING, OF(drift), "LIST", 0, 0, true, "chain: of the bias over the rows, +-",
      NULL, NULL },
    { "laws", 0, KL_OPT_STRING, OF(laws), "LIST", 0, 0, true, "pairs: by class, P00/P01/P10/P11,...",
      NULL, NULL },
    { "spread", 0, KL_OPT_FLOAT, OF(spread), "S", 0, 10, true, "pairs: of the laws within a class", NULL,
      NULL },
    { "variant", 0, KL_OPT_CHOICE, OF(variant), "own|validate|full|framework|bridge", 0, 0, true,
      "the study's devices, bit for bit", NULL, NULL },
    { "only-bits", 0, KL_OPT_FLAG, AT(only_bits), NULL, 0, 0, true,
      "write the devices' bits, for other stages", NULL, NULL },
    { "null", 0, KL_OPT_INT, OF(permutations), "N", 0, 1e8, true, "permutations of the devices' classes",
      "Tests", NULL },
    { "trials", 0, KL_OPT_INT, OF(trials), "N", 0, 1e6, true,
      "of each point of the power curves; 0: none", NULL, NULL },
};
const struct kl_tool kl_synthetic_tool = {
    .name = "tournament",
    .summary = "Random-number devices of known laws: classes against each other, power of the tests",
    .arguments = "--synthetic N [-o S.h5]",
    .example = "tournament --synthetic 30 --variant validate -o s.h5\n"
               "  tournament --synthetic 6 --source pairs --only-bits -o bits.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .chosen_by = "--synthetic",
};

static void defaults(void *values)
{
    struct values *v = values;
    kl_synthetic_options_default(&v->o);
    v->o.devices = 0; /* none: the word that selects the mode needs it */
    v->common.seed = STUDY_SEED;
}

struct work {
    struct kl_mode_run *run;
    struct values *v;
    struct kl_synthetic s;
};

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_key *key = NULL;
    /* For the others version 7 stays: their p were never approximations. */
    const int version = NUMERICAL_VERSION + (!w->v->only_bits && w->v->o.devices <= KL_SPEARMAN_EXACT);
    int code =
        kl_store_key_begin(&key, w->v->only_bits ? "device-bits" : "synthetic",
                           w->v->only_bits ? BITS_SCHEMA : SCHEMA, kl_synthetic_tool.name, version, err);
    if (!code) code = kl_store_key_options(key, &kl_synthetic_tool, w->v, err);
    if (!code) code = kl_store_key_integer(key, "seed", w->v->o.seed, err);
    if (!code) code = kl_store_stage_begin(&w->run->stage, answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

/* The bits alone need no study. */
static int make_bits(struct work *w, struct kl_pool *pool, struct kl_error *err)
{
    struct kl_synthetic *s = &w->s;
    s->devices = calloc((size_t)w->v->o.devices, sizeof *s->devices);
    if (!s->devices) return kl_fail_memory(err, (size_t)w->v->o.devices * sizeof *s->devices);
    int code = kl_synthetic_plan(&s->plan, &w->v->o, err);
    return code ? code : kl_synthetic_make(&s->bits, s->devices, &s->draws, &s->plan, pool, err);
}

static int compute(struct work *w, struct kl_error *err)
{
    struct kl_pool *pool = NULL;
    struct kl_progress progress;
    int code = kl_pool_create(&pool, (int)w->v->common.threads, err);
    kl_progress_begin(&progress, w->run->stage.log, w->v->common.progress, "parts");
    kl_signals_plain(); /* nothing is kept of it: who stops it need not wait for a part to end */
    if (!code && w->v->only_bits) code = make_bits(w, pool, err);
    else if (!code) code = kl_synthetic_run(&w->s, &w->v->o, pool, &progress.watch, err);
    kl_signals_install();
    kl_progress_end(&progress);
    kl_pool_destroy(&pool);
    return code;
}

static int save(struct work *w, struct kl_error *err)
{
    struct kl_writer *writer = NULL;
    int code = kl_store_writer_open(&writer, w->v->common.output, &w->run->stage.header, err);
    if (!code)
        code = w->v->only_bits ? kl_synthetic_save_bits(writer, &w->s.bits, err)
                               : kl_synthetic_save(writer, &w->s, err);
    if (!code) return kl_store_stage_publish(&w->run->stage, &writer, NULL, 0, NULL, NULL, err);
    kl_store_writer_abort(&writer);
    return code;
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_synthetic *s = &w->s;
    const struct kl_common *common = &w->v->common;
    const struct kl_contrast *c = &s->study, *m = &s->smoothed;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output ? common->output : "", 0 },
        { "key", KL_JSON_TEXT, w->run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "devices", KL_JSON_COUNT, NULL, (double)w->v->o.devices },
        { "rows", KL_JSON_COUNT, NULL, (double)s->bits.n_rows },
        kl_json_cautions(w->run->stage.log),
        { "within", KL_JSON_NUMBER, NULL, c->within },
        { "between", KL_JSON_NUMBER, NULL, c->between },
        { "ratio", KL_JSON_NUMBER, NULL, c->between / c->within },
        { "ratio_low", KL_JSON_NUMBER, NULL, c->ratio_low },
        { "ratio_high", KL_JSON_NUMBER, NULL, c->ratio_high },
        { "u", KL_JSON_NUMBER, NULL, c->test.u },
        { "log10_p_u", KL_JSON_NUMBER, NULL, c->test.log10_p },
        { "p_devices", KL_JSON_NUMBER, NULL, c->p },
        { "p_exact", KL_JSON_BOOL, NULL, c->orders > 0 },
        { "smoothed_ratio", KL_JSON_NUMBER, NULL, m->between / m->within },
        { "smoothed_p_devices", KL_JSON_NUMBER, NULL, m->p },
        { "accuracy", KL_JSON_NUMBER, NULL, s->mean_accuracy },
        { "pearson", KL_JSON_NUMBER, NULL, c->pearson.r },
        { "spearman", KL_JSON_NUMBER, NULL, c->spearman.r },
        { "network_test", KL_JSON_NUMBER, NULL, s->learners[0].test },
        { "logistic_test", KL_JSON_NUMBER, NULL, s->learners[1].test },
    };
    const size_t all = sizeof pairs / sizeof *pairs;
    const size_t n = w->v->only_bits ? 6 : s->plan.study ? all : all - 2;
    if (common->json) return kl_json_line(out, pairs, n, err);
    if (common->quiet) return KL_OK;
    if (!w->v->only_bits) kl_synthetic_table(out, s);
    if (common->output) fprintf(out, "%s: ", common->output);
    fprintf(out, "%zu rows of %zu bits of %lld devices, %.1f s\n", s->bits.n_rows, s->bits.n_bits,
            (long long)w->v->o.devices, kl_clock() - w->run->stage.start);
    return KL_OK;
}

/* What was given, though it does nothing. */
static int refuse(const struct values *v, struct kl_error *err)
{
    const struct kl_tool *tool = &kl_synthetic_tool;
    struct values none = { 0 };
    int code = KL_OK;
    defaults(&none);
    if (v->only_bits)
        code = kl_options_refuse(tool, v, &none, "null trials",
                                 "is of the study; --only-bits makes none", err);
    if (!code && strcmp(v->o.source, "pairs") != 0)
        code = kl_options_refuse(tool, v, &none, "spread", "is of --source pairs alone", err);
    return code;
}

static int work(struct work *w, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    struct kl_synthetic_plan plan;
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    if (w->run->stage.n_inputs)
        return kl_fail(err, KL_EUSAGE, "--synthetic: takes no input; found %zu", w->run->stage.n_inputs);
    if (!common->output && (w->v->only_bits || common->force || common->dry_run))
        return kl_fail(err, KL_EUSAGE, "--synthetic: no output; give -o FILE.h5");
    int code = refuse(w->v, err);
    if (!code) code = kl_synthetic_plan(&plan, &w->v->o, err);
    if (!code) code = begin(w, &answer, err);
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
    w.v->o.seed = w.v->common.seed;
    int code = work(&w, err);
    kl_synthetic_free(&w.s);
    return code;
}

const struct kl_mode kl_mode_synthetic = { .tool = &kl_synthetic_tool,
                                           .defaults = defaults,
                                           .run = run };
