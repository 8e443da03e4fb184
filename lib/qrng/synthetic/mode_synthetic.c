/* SPDX-License-Identifier: MIT
   tournament --synthetic N: devices of known laws, their study or their bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/synthetic/synthetic.h"
#include "store/kind.h"
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

/* Refuse options that were given and have no effect. */
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

static int settle(struct kl_mode_run *run, struct kl_error *err)
{
    struct values *v = run->values;
    struct kl_synthetic_plan plan;
    v->o.seed = v->common.seed;
    /* For the others version 7 stays: their p were never approximations. */
    run->version += !v->only_bits && v->o.devices <= KL_SPEARMAN_EXACT;
    if (v->only_bits) run->kind = kl_bits_kind.name, run->schema = BITS_SCHEMA;
    if (v->only_bits && !v->common.output)
        return kl_fail(err, KL_EUSAGE, "--only-bits: no output; give -o FILE.h5");
    const int code = refuse(v, err);
    return code ? code : kl_synthetic_plan(&plan, &v->o, err);
}

/* The bits alone need no study. */
static int make_bits(struct kl_synthetic *s, const struct values *v, struct kl_pool *pool,
                     struct kl_error *err)
{
    s->devices = calloc((size_t)v->o.devices, sizeof *s->devices);
    if (!s->devices) return kl_fail_memory(err, (size_t)v->o.devices * sizeof *s->devices);
    const int code = kl_synthetic_plan(&s->plan, &v->o, err);
    return code ? code : kl_synthetic_make(&s->bits, s->devices, &s->draws, &s->plan, pool, err);
}

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    return v->only_bits ? make_bits(run->state, v, run->pool, err)
                        : kl_synthetic_run(run->state, &v->o, run->pool, run->watch, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    const struct kl_synthetic *s = run->state;
    return ((const struct values *)run->values)->only_bits
               ? kl_synthetic_save_bits(writer, &s->bits, err)
               : kl_synthetic_save(writer, s, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct values *v = run->values;
    const struct kl_synthetic *s = run->state;
    const struct kl_contrast *c = &s->study, *m = &s->smoothed;
    const struct kl_json_pair pairs[] = {
        { "devices", KL_JSON_COUNT, NULL, (double)v->o.devices },
        { "rows", KL_JSON_COUNT, NULL, (double)s->bits.n_rows },
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
    return kl_store_mode_json(run, to, pairs, v->only_bits ? 2 : s->plan.study ? all : all - 2, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct values *v = run->values;
    const struct kl_synthetic *s = run->state;
    if (!v->only_bits) kl_synthetic_table(to, s);
    if (v->common.output) fprintf(to, "%s: ", v->common.output);
    fprintf(to, "%zu rows of %zu bits of %lld devices, %.1f s\n", s->bits.n_rows, s->bits.n_bits,
            (long long)v->o.devices, kl_clock() - run->stage.start);
}

static void release(struct kl_mode_run *run)
{
    kl_synthetic_free(run->state);
}

static const struct kl_file_stage stage = { .kind = &kl_synthetic_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .seeded = true,
                                            .state_size = sizeof(struct kl_synthetic),
                                            .progress = "parts",
                                            .stops_at_once = true,
                                            .open = settle,
                                            .compute = compute,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = release };
const struct kl_mode kl_mode_synthetic = { .tool = &kl_synthetic_tool,
                                           .defaults = defaults,
                                           .stage = &stage };
