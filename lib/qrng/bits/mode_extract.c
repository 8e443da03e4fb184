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
    struct kl_bits_extract e;
    struct kl_file **parents;
    struct kl_dependence verdict;
};

static int open_bits(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    const struct kl_bits_how how = { .symbol_bits = (int)v->symbol_bits,
                                     .packed = v->packed,
                                     .encoding = v->encoding,
                                     .row_bits = (size_t)v->row_bits,
                                     .max_rows = (size_t)v->rows };
    const size_t n = run->stage.n_inputs;
    if (n > KL_BITS_DEVICES)
        return kl_fail(err, KL_EUSAGE, "%zu inputs, expected 1 to %d files of bits; see --qrng --help",
                       n, (int)KL_BITS_DEVICES);
    if (!(w->parents = calloc(n, sizeof *w->parents)))
        return kl_fail_memory(err, n * sizeof *w->parents);
    run->parents = (const struct kl_file *const *)w->parents;
    return kl_bits_inputs_open(&w->e.inputs, run->stage.inputs, n, &how, err);
}

static int key(struct kl_mode_run *run, struct kl_key *key, struct kl_error *err)
{
    struct work *w = run->state;
    return kl_bits_inputs_identify(key, run->raw_inputs, w->parents, &run->n_parents, &w->e.inputs, err);
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

static int count(struct kl_mode_run *run, struct kl_error *err)
{
    const struct values *v = run->values;
    struct work *w = run->state;
    w->e.watch = run->watch;
    w->e.only_statistics = v->only_statistics;
    w->e.reference = v->reference;
    const int code = kl_bits_extract_count(&w->e, err);
    return code ? code : judge(&w->verdict, &w->e.tallies, err);
}

static int save(struct kl_mode_run *run, struct kl_writer *writer, struct kl_error *err)
{
    return kl_bits_extract_save(&((struct work *)run->state)->e, writer, err);
}

static int remark(struct kl_mode_run *run, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_bits_inputs *in = &w->e.inputs;
    const struct kl_log *log = run->stage.log;
    kl_bits_note_dropped(log, in->n_dropped, in->n_bits);
    kl_bits_note_narrow(log, in->used_bits, in->symbol_bits);
    if (!run->n_parents) kl_bits_note_rows(log, w->e.n_rows, in->n_bits, w->e.tallies.n_devices);
    const int code = kl_bits_note_repeats(log, &w->e.first.bits, w->e.first.all, err);
    return code ? code : kl_bits_note_names(log, run->stage.inputs, in->names, run->stage.n_inputs, err);
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
    char p[KL_DEPENDENCE_TEXT];
    kl_bits_dependence_p(p, v);
    fprintf(out, "successive symbols of %d bit%s ", in->symbol_bits, kl_s((unsigned)in->symbol_bits));
    if (!v->tested) fputs("are too few or all equal: not tested, ", out);
    else if (!kl_bits_may_depend(v)) fprintf(out, "show no dependence (least %s), ", p);
    else
        fprintf(out, "%s on each other (%s, device %s), ", kl_bits_depend_words(v), p,
                in->names[v->device]);
    if (v->tested && v->rough) fputs("roughly, of so few; ", out);
}

static int json(struct kl_mode_run *run, FILE *to, struct kl_error *err)
{
    const struct work *w = run->state;
    const struct kl_bits_inputs *in = &w->e.inputs;
    const struct kl_dependence *verdict = &w->verdict;
    const struct kl_json_pair pairs[] = {
        { "rows", KL_JSON_COUNT, NULL, (double)w->e.n_rows },
        { "bits", KL_JSON_COUNT, NULL, (double)in->n_bits },
        { "symbol_bits", KL_JSON_COUNT, NULL, in->symbol_bits },
        { "devices", KL_JSON_COUNT, NULL, w->e.tallies.n_devices },
        { "dropped_bits", KL_JSON_COUNT, NULL, (double)in->n_dropped },
        { "symbols_independent", KL_JSON_BOOL, NULL, verdict->tested && !kl_bits_may_depend(verdict) },
        { "least_log10_p", KL_JSON_NUMBER, NULL, verdict->log10_p },
        { "least_device", KL_JSON_TEXT, in->names[verdict->device], 0 },
        { "rough", KL_JSON_BOOL, NULL, verdict->rough },
        { "seconds", KL_JSON_NUMBER, NULL, kl_clock() - run->stage.start },
    };
    return kl_store_mode_json(run, to, pairs, sizeof pairs / sizeof *pairs, err);
}

static void words(struct kl_mode_run *run, FILE *to)
{
    const struct work *w = run->state;
    const struct kl_tallies *t = &w->e.tallies;
    const struct kl_bits_inputs *in = &w->e.inputs;
    fprintf(to, "%s: %zu row%s of %zu bit%s, %d device%s, ", run->stage.common->output, w->e.n_rows,
            kl_s(w->e.n_rows), in->n_bits, kl_s(in->n_bits), t->n_devices, kl_s((unsigned)t->n_devices));
    print_rates(to, t);
    print_verdict(to, &w->verdict, in);
    fprintf(to, "%.1f s\n", kl_clock() - run->stage.start);
}

static void close_bits(struct kl_mode_run *run)
{
    struct work *w = run->state;
    kl_bits_extract_free(&w->e);
    free(w->parents);
}

static const struct kl_file_stage stage = { .kind = &kl_bits_kind,
                                            .schema = SCHEMA,
                                            .version = NUMERICAL_VERSION,
                                            .state_size = sizeof(struct work),
                                            .progress = "rows",
                                            .reads_late = true,
                                            .open = open_bits,
                                            .key = key,
                                            .compute = count,
                                            .save = save,
                                            .remark = remark,
                                            .json = json,
                                            .words = words,
                                            .close = close_bits };
const struct kl_mode kl_mode_extract = { .tool = &kl_extract_tool, .stage = &stage };
