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
    const struct values *v;
    struct kl_bits bits;
    struct kl_nist_report report;
};

static int estimate(void *context, struct kl_estimate *to, struct kl_error *err)
{
    struct kl_mode_run *run = context;
    struct work *w = run->state;
    struct kl_nist_options o = w->v->nist;
    struct kl_nist_forecast forecast = { 0 };
    o.seed = w->v->common.seed;
    int code = kl_pool_create(&run->pool, (int)run->stage.common->threads, err);
    if (!code) code = kl_nist_estimate(&forecast, &w->report, &w->bits, &o, run->pool, err);
    *to = (struct kl_estimate){ forecast.seconds, forecast.at_most };
    return code;
}

static int open_bits(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    const struct values *v = w->v = run->values;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits,
                                     .max_bits = kl_nist_most_bits(&v->nist),
                                     .least_rows = v->nist.restarts ? KL_RESTARTS : 0 };
    if (v->nist.sequence_bits && v->nist.sequence_bits < KL_NIST_SEQUENCE)
        return kl_fail(err, KL_EUSAGE, "--sequence-bits: found %lld, expected 0 or at least %d",
                       (long long)v->nist.sequence_bits, KL_NIST_SEQUENCE);
    const int code = kl_bits_read_files(&w->bits, run->stage.inputs, run->stage.n_inputs, &how, err);
    run->stage.estimate = estimate, run->stage.estimate_context = run;
    run->parents = (const struct kl_file *const *)w->bits.files, run->n_parents = w->bits.n_files;
    return code;
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    return kl_bits_key(key, run->raw_inputs, &((struct work *)run->state)->bits, &run->stage, err);
}

/* A longer input is cut, and that is said; whether there is more is not known of what has no end. */
static void note_cut(const struct work *w, const struct kl_log *log)
{
    const struct kl_nist_report *r = &w->report;
    const size_t most = kl_nist_most_bits(&w->v->nist),
                 rows = (most + w->bits.n_bits - 1) / w->bits.n_bits;
    for (size_t i = 0; i < r->n_devices; i++)
        if (r->devices[i].n_rows >= rows && !w->v->nist.restarts)
            kl_caution(log,
                       "device %s: no more than its first %zu bits are read; for more: --sequences %zu",
                       r->names[i], r->devices[i].n_bits, most / r->devices[i].sequence_bits + 1);
}

static int compute(struct kl_mode_run *run, struct kl_error *err)
{
    struct work *w = run->state;
    struct kl_nist_options o = w->v->nist;
    o.seed = w->v->common.seed;
    int code = kl_bits_note(&run->stage, &w->bits, false, err);
    if (!code) code = kl_nist_report(&w->report, &w->bits, &o, run->pool, run->watch, err);
    if (!code) note_cut(w, run->stage.log);
    return code;
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_nist_save(writer, &((struct work *)run->state)->report, err);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    json_t *value = NULL;
    const int code = kl_nist_json(&value, &((struct work *)run->state)->report, err);
    return code ? code : kl_store_mode_json_object(run, to, value, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    const char *output = run->stage.common->output;
    kl_nist_table(to, &w->report, run->stage.common->verbose);
    fprintf(to, "%s%s%zu device%s, %.1f s", output ? output : "", output ? ": " : "",
            w->report.n_devices, kl_s(w->report.n_devices), kl_clock() - run->stage.start);
    kl_nist_tell_failed(to, &w->report);
    fputc('\n', to);
}

static void close_bits(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_nist_report_free(&w->report);
    kl_bits_free(&w->bits);
}

static const struct kl_file_stage stage = { .kind = &kl_nist_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .seeded = true,
                                            .state_size = sizeof(struct work),
                                            .progress = "steps",
                                            .stops_at_once = true,
                                            .open = open_bits,
                                            .key = key,
                                            .compute = compute,
                                            .save = save,
                                            .json = json,
                                            .words = words,
                                            .close = close_bits };
const struct kl_mode kl_mode_nist = { .tool = &kl_nist_tool, .defaults = defaults, .stage = &stage };
