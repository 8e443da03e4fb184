/* SPDX-License-Identifier: MIT
   extract-features --qrng BITS...: rows of bits, and what they say, into one file. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/bits/bits_int.h"
#include "qrng/bits/dependence.h"
#include "qrng/bits/options.h"
#include "store/mode.h"

enum { NUMERICAL_VERSION = 4, SCHEMA = 1, RATES = 8 };

struct values {
    struct kl_common common;
    bool qrng, packed, only_statistics, reference;
    int64_t symbol_bits, row_bits, rows;
    const char *encoding;
};

#define AT(field) offsetof(struct values, field)
static const struct kl_option options[] = {
    { "qrng", 0, KL_OPT_FLAG, AT(qrng), NULL, 0, 0, false, "bits of random-number devices, not images",
      "Bits", NULL },
    { "symbol-bits", 0, KL_OPT_INT, AT(symbol_bits), "W", 1, KL_BITS_SYMBOL, true,
      "bits measured together: 2 for two qubits (default 1)", NULL, NULL },
    { "packed", 0, KL_OPT_FLAG, AT(packed), NULL, 0, 0, true,
      "inputs are raw bytes, most significant bit first", NULL, NULL },
    { "encoding", 0, KL_OPT_CHOICE, AT(encoding), KL_BITS_ENCODINGS, 0, 0, true, KL_ENCODING_HELP, NULL,
      NULL },
    { "bits", 0, KL_OPT_INT, AT(row_bits), "N", 1, KL_BITS_ROW, true, KL_ROW_BITS_HELP, NULL, NULL },
    { "rows", 0, KL_OPT_INT, AT(rows), "N", 0, 1e15, true, "only the first N of each device; 0: all",
      NULL, NULL },
    { "only-statistics", 0, KL_OPT_FLAG, AT(only_statistics), NULL, 0, 0, true, "keep no rows", "Result",
      NULL },
    { "reference", 0, KL_OPT_FLAG, AT(reference), NULL, 0, 0, true,
      "also what the published study computes", NULL, NULL },
};
const struct kl_tool kl_extract_tool = {
    .name = "extract-features",
    .summary = "Measured bits to rows and statistics, each with its standard error",
    .arguments = "--qrng BITS... -o BITS.h5",
    .example = "extract-features --qrng devices.txt --symbol-bits 2 -o bits.h5\n"
               "  head -c 1G /dev/urandom | extract-features --qrng - --packed --bits 1024 \\\n"
               "      --only-statistics -o noise.h5",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .values_size = sizeof(struct values),
    .without = "seed threads",
    .chosen_by = "--qrng",
};

struct work {
    struct kl_mode_run *run;
    const struct values *v;
    struct kl_bits_extract e;
    struct kl_writer *writer;
    struct kl_file **parents;
    size_t n_parents;
    json_t *raw; /* raw_inputs of the record */
    struct kl_dependence verdict;
};

static int check(const struct values *v, size_t n_inputs, struct kl_error *err)
{
    if (n_inputs == 0 || n_inputs > KL_BITS_DEVICES)
        return kl_fail(err, KL_EUSAGE, "%zu inputs, expected 1 to %d files of bits; see --qrng --help",
                       n_inputs, (int)KL_BITS_DEVICES);
    if (!v->common.output && !v->common.print_key)
        return kl_fail(err, KL_EUSAGE, "no output; give -o BITS.h5");
    return KL_OK;
}

static int make_key(struct work *w, struct kl_key **key, struct kl_error *err)
{
    json_object_clear(w->raw);
    int code =
        kl_store_key_begin(key, "device-bits", SCHEMA, kl_extract_tool.name, NUMERICAL_VERSION, err);
    if (!code) code = kl_store_key_options(*key, &kl_extract_tool, w->v, err);
    return code ? code
                : kl_bits_inputs_identify(*key, w->raw, w->parents, &w->n_parents, &w->e.inputs, err);
}

static int begin(struct work *w, enum kl_stage_answer *answer, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    struct kl_key *key = NULL;
    const struct kl_bits_how how = { .symbol_bits = (int)w->v->symbol_bits,
                                     .packed = w->v->packed,
                                     .encoding = w->v->encoding,
                                     .row_bits = (size_t)w->v->row_bits,
                                     .max_rows = (size_t)w->v->rows };
    int code = kl_bits_inputs_open(&w->e.inputs, stage->inputs, stage->n_inputs, &how, err);
    w->parents = calloc(stage->n_inputs, sizeof *w->parents);
    if (!code && (!(w->raw = json_object()) || !w->parents))
        code = kl_fail_memory(err, stage->n_inputs * sizeof *w->parents);
    if (!code) code = make_key(w, &key, err);
    if (!code) code = kl_store_stage_begin(stage, answer, &key, w->run->out, err);
    kl_store_key_abort(&key);
    return code;
}

static int judge(struct kl_dependence *verdict, const struct kl_tallies *t, struct kl_error *err)
{
    const size_t n = (size_t)t->n_devices;
    struct kl_successive *tests = malloc(n * sizeof *tests);
    if (!tests) return kl_fail_memory(err, n * sizeof *tests);
    for (size_t d = 0; d < n; d++)
        tests[d] = kl_bits_successive_test(t->devices[d].successive, (size_t)1 << t->symbol_bits);
    const int code = kl_bits_dependence_judge(verdict, tests, n, err);
    free(tests);
    return code;
}

/* Inputs were identified first and read later: one may be a file that still grows. */
static int check_unchanged(struct work *w, struct kl_error *err)
{
    struct kl_key *key = NULL;
    int code = make_key(w, &key, err);
    if (!code) code = kl_store_stage_unchanged(&w->run->stage, &key, w->run->stage.inputs[0], err);
    kl_store_key_abort(&key);
    return code;
}

static int compute(struct work *w, struct kl_error *err)
{
    struct kl_stage *stage = &w->run->stage;
    struct kl_progress progress;
    char *raw = NULL;
    kl_progress_begin(&progress, stage->log, w->v->common.progress, "rows");
    w->e.watch = &progress.watch;
    w->e.only_statistics = w->v->only_statistics;
    w->e.reference = w->v->reference;
    int code = kl_bits_extract_count(&w->e, err);
    if (!code) code = judge(&w->verdict, &w->e.tallies, err);
    if (!code) code = kl_store_writer_open(&w->writer, w->v->common.output, &stage->header, err);
    if (!code) code = kl_bits_extract_save(&w->e, w->writer, err);
    kl_progress_end(&progress);
    kl_bits_note_dropped(stage->log, w->e.inputs.n_dropped, w->e.inputs.n_bits);
    kl_bits_note_narrow(stage->log, w->e.inputs.used_bits, w->e.inputs.symbol_bits);
    if (!code && !w->n_parents)
        kl_bits_note_rows(stage->log, w->e.n_rows, w->e.inputs.n_bits, w->e.tallies.n_devices);
    if (!code) code = kl_bits_note_repeats(stage->log, &w->e.first.bits, w->e.first.all, err);
    if (!code)
        code = kl_bits_note_names(stage->log, stage->inputs, w->e.inputs.names, stage->n_inputs, err);
    if (!code) code = check_unchanged(w, err);
    if (!code) code = kl_json_dump(&raw, w->raw, err);
    if (!code)
        code = kl_store_stage_publish(stage, &w->writer, (const struct kl_file *const *)w->parents,
                                      w->n_parents, raw, NULL, err);
    free(raw);
    return code;
}

/* "rate of 1: 0.547 0.565 0.492" */
static void print_rates(FILE *out, const struct kl_tallies *t)
{
    const struct kl_statistic *rate = kl_bits_statistic_find("device_stats/rate");
    fprintf(out, "rate of 1");
    for (int d = 0; d < t->n_devices && d < RATES; d++) {
        double value;
        kl_bits_statistic_values(&value, NULL, rate, &t->devices[d]);
        fprintf(out, " %.4f", value);
    }
    fprintf(out, t->n_devices > RATES ? " ...; " : "; ");
}

static void print_verdict(FILE *out, const struct kl_dependence *v, const struct kl_bits_inputs *in)
{
    fprintf(out, "successive symbols of %d bit%s ", in->symbol_bits, kl_s((unsigned)in->symbol_bits));
    if (!v->tested) fputs("are too few or all equal: not tested, ", out);
    else if (!kl_bits_depends(v))
        fprintf(out, "show no dependence (least p %.2g after Holm), ", pow(10, v->log10_p));
    else if (v->log10_p > -4)
        fprintf(out, "depend on each other (p %.2g after Holm, device %s), ", pow(10, v->log10_p),
                in->names[v->device]);
    else fprintf(out, "depend on each other (p 10^%.1f, device %s), ", v->log10_p, in->names[v->device]);
    if (v->tested && v->rough) fputs("roughly, of so few; ", out);
}

static int report(const struct work *w, FILE *out, struct kl_error *err)
{
    const struct kl_common *common = &w->v->common;
    const struct kl_tallies *t = &w->e.tallies;
    const struct kl_bits_inputs *in = &w->e.inputs;
    const double seconds = kl_clock() - w->run->stage.start;
    const struct kl_dependence *verdict = &w->verdict;
    const struct kl_json_pair pairs[] = {
        { "output", KL_JSON_TEXT, common->output, 0 },
        { "key", KL_JSON_TEXT, w->run->stage.key, 0 },
        { "status", KL_JSON_TEXT, kl_store_stage_status(KL_STAGE_COMPUTE), 0 },
        { "rows", KL_JSON_COUNT, NULL, (double)w->e.n_rows },
        { "bits", KL_JSON_COUNT, NULL, (double)in->n_bits },
        { "symbol_bits", KL_JSON_COUNT, NULL, in->symbol_bits },
        { "devices", KL_JSON_COUNT, NULL, t->n_devices },
        { "dropped_bits", KL_JSON_COUNT, NULL, (double)in->n_dropped },
        { "symbols_independent", KL_JSON_BOOL, NULL, verdict->tested && !kl_bits_depends(verdict) },
        { "least_log10_p", KL_JSON_NUMBER, NULL, verdict->log10_p },
        { "least_device", KL_JSON_TEXT, in->names[verdict->device], 0 },
        { "rough", KL_JSON_BOOL, NULL, verdict->rough },
        { "seconds", KL_JSON_NUMBER, NULL, seconds },
        kl_json_cautions(w->run->stage.log),
    };
    if (common->json) return kl_json_line(out, pairs, sizeof pairs / sizeof *pairs, err);
    if (common->quiet) return KL_OK;
    fprintf(out, "%s: %zu row%s of %zu bit%s, %d device%s, ", common->output, w->e.n_rows,
            kl_s(w->e.n_rows), in->n_bits, kl_s(in->n_bits), t->n_devices, kl_s((unsigned)t->n_devices));
    print_rates(out, t);
    print_verdict(out, verdict, in);
    fprintf(out, "%.1f s\n", seconds);
    return KL_OK;
}

static int work(struct work *w, struct kl_error *err)
{
    enum kl_stage_answer answer = KL_STAGE_COMPUTE;
    int code = check(w->v, w->run->stage.n_inputs, err);
    if (!code) code = begin(w, &answer, err);
    if (code || answer == KL_STAGE_ANSWERED) return code;
    if (answer != KL_STAGE_COMPUTE)
        return kl_store_stage_report(&w->run->stage, answer, w->run->out, err);
    code = compute(w, err);
    return code ? code : report(w, kl_words_to(&w->v->common), err);
}

static int run(struct kl_mode_run *run, struct kl_error *err)
{
    struct work w = { .run = run, .v = run->values };
    int code = work(&w, err);
    kl_store_writer_abort(&w.writer);
    kl_bits_extract_free(&w.e);
    json_decref(w.raw);
    free(w.parents);
    return code;
}

const struct kl_mode kl_mode_extract = { .tool = &kl_extract_tool, .run = run };
