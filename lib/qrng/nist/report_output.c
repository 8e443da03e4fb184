/* SPDX-License-Identifier: MIT
   A report of the standards as a file of kind "nist", as text and as JSON. */
#include "qrng/nist/nist_int.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/kind.h"
#include "store/store.h"

/* ---- verdicts, text and JSON ---- */

enum verdict { FAILED, PASSED, NOT_APPLICABLE };

static const double passes = -2; /* log10 of 0.01, SP 800-22's level */
static const double iid_passes = -3;

/* log10, after Holm's correction; NaN if the test did not apply. */
static double least_p(const struct kl_nist_device *device, int test)
{
    const struct kl_nist22_test *t = &kl_nist22_tests[test];
    double least = NAN;
    for (int v = t->first; v < t->first + t->n; v++)
        if (!(device->holm[v] >= least)) least = device->holm[v];
    return least;
}

/* Why a test is applicable to no sequence; "": it is. */
static const char *why_not(const struct kl_nist_device *device, int test)
{
    for (size_t i = 0; i < device->n_sequences; i++)
        if (!device->suites[i].why[test][0]) return "";
    return device->suites[0].why[test];
}

/* Of its values the one that the smallest share of sequences passes, and the least p of uniformity. */
static struct kl_nist22_many over_sequences(const struct kl_nist_device *device, int test)
{
    const struct kl_nist22_test *t = &kl_nist22_tests[test];
    struct kl_nist22_many least = { .uniformity_p = NAN };
    for (int v = t->first; v < t->first + t->n; v++) {
        const struct kl_nist22_many *m = &device->many[v];
        const double p = fmin(least.uniformity_p, m->uniformity_p);
        if (m->sequences &&
            (!least.sequences || m->passed * least.sequences < least.passed * m->sequences))
            least = *m;
        least.uniformity_p = p;
    }
    return least;
}

/* How a test of SP 800-22 went: by its least p in all sequences, corrected after Holm for how many
   p-values it has there, against 0.01. */
static enum verdict suite_verdict(const struct kl_nist_device *device, int test)
{
    if (why_not(device, test)[0]) return NOT_APPLICABLE;
    return least_p(device, test) >= passes ? PASSED : FAILED;
}

/* Are symbols independent and identically distributed? Failed: refuted by any of section 5's tests. Not
   applicable: all symbols are equal. */
static enum verdict iid_verdict(const struct kl_nist_device *device)
{
    const struct kl_iid_tests *t = &device->tests;
    if (t->different < 2) return NOT_APPLICABLE;
    const bool refuted = (device->iid.judged && device->iid.n_failed) ||
                         t->independence.log10_p < iid_passes || t->fit.log10_p < iid_passes ||
                         t->repeat_p < pow(10, iid_passes);
    return refuted ? FAILED : PASSED;
}

static void test_line(FILE *to, const struct kl_nist_device *d, int t)
{
    const struct kl_nist22_many over = over_sequences(d, t);
    fprintf(to, "    %-26s %s, log10 p %.3g", kl_nist22_tests[t].name,
            suite_verdict(d, t) == FAILED ? "failed" : "passed", least_p(d, t));
    if (d->n_sequences > 1)
        fprintf(to, ", %s by %zu of %zu sequences",
                kl_nist22_tests[t].n > 1 ? "its worst value passed" : "passed", over.passed,
                over.sequences);
    if (!isnan(over.uniformity_p))
        fprintf(to, ", %suniform p %.3g", kl_nist22_tests[t].n > 1 ? "least " : "", over.uniformity_p);
    fputc('\n', to);
}

static void suite_lines(FILE *to, const struct kl_nist_device *d, bool detailed)
{
    size_t counts[3] = { 0 };
    for (int t = 0; t < KL_NIST22_TESTS; t++) counts[suite_verdict(d, t)]++;
    fprintf(to,
            "  SP 800-22    %zu of %zu tests passed, %zu not applicable; %zu sequence%s of %zu bits\n",
            counts[PASSED], counts[PASSED] + counts[FAILED], counts[NOT_APPLICABLE], d->n_sequences,
            kl_s(d->n_sequences), d->sequence_bits);
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        const enum verdict verdict = suite_verdict(d, t);
        if (verdict != NOT_APPLICABLE && (detailed || verdict == FAILED)) test_line(to, d, t);
        if (verdict == NOT_APPLICABLE && detailed)
            fprintf(to, "    %-26s not applicable: %s\n", kl_nist22_tests[t].name, why_not(d, t));
    }
}

void kl_nist_tell_failed(FILE *to, const struct kl_nist_report *r)
{
    enum { MOST = 4 };
    size_t n = 0, passed = 0;
    for (size_t i = 0; i < r->n_devices; i++) {
        const char *before = NULL;
        for (int t = 0; t < KL_NIST22_TESTS; t++) {
            passed += suite_verdict(&r->devices[i], t) == PASSED;
            if (suite_verdict(&r->devices[i], t) != FAILED) continue;
            if (!before && n++ < MOST) fprintf(to, "; %s fails", r->names[i]);
            if (n <= MOST) fprintf(to, "%s %s", before ? before : "", kl_nist22_tests[t].name);
            before = ",";
        }
    }
    if (n > MOST) fprintf(to, "; %zu more fail", n - MOST);
    if (!n) fprintf(to, "; no test of SP 800-22 %s", passed ? "fails" : "is applicable");
}

/* Estimates of n bits or symbols are of a part if these are many; the publication asks for a million. */
static void least_line(FILE *to, const double *h, size_t n, const char *unit)
{
    const double least = kl_nist_sp90b_least(h);
    int which = 0;
    while (which < KL_NIST90B_ESTIMATES - 1 && h[which] != least) which++;
    fprintf(to, "  SP 800-90B   %.4f bits a %s (%s), %.4f if independent", least, unit,
            kl_nist90b_names[which], h[KL_NIST90B_MOST_COMMON]);
    if (n > KL_NIST_PART) fprintf(to, ", of the first %d", KL_NIST_PART);
    if (n < KL_NIST_PART) fprintf(to, ", of %zu where %d are asked for", n, KL_NIST_PART);
    fputc('\n', to);
}

/* Each estimate, of bits and, if there are wider ones, of symbols. */
static void estimates(FILE *to, const struct kl_nist_device *d, bool symbols)
{
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++) {
        if (isnan(d->bit_h[e]) && isnan(d->symbol_h[e])) continue;
        fprintf(to, "    %-26s", kl_nist90b_names[e]);
        if (!isnan(d->bit_h[e])) fprintf(to, " %.4f bits a bit", d->bit_h[e]);
        if (symbols && !isnan(d->symbol_h[e])) fprintf(to, ", %.4f a symbol", d->symbol_h[e]);
        fprintf(to, "\n");
    }
}

/* NaN: fewer symbols than the test's bins need. */
static void put_p(FILE *to, double log10_p, const char *of)
{
    if (isnan(log10_p)) fprintf(to, "- of %s (too few)", of);
    else fprintf(to, "%.3g of %s", log10_p, of);
}

static void iid_line(FILE *to, const struct kl_nist_device *d, const struct kl_nist_report *r)
{
    const struct kl_nist_options *o = &r->options;
    const enum verdict verdict = iid_verdict(d);
    if (verdict == NOT_APPLICABLE) {
        fprintf(to, "  independent  not tested: all%s %zu %s are equal\n",
                d->n_symbols > KL_NIST_PART ? " of the first" : "", kl_nist_part(d->n_symbols),
                r->symbol_bits > 1 ? "symbols" : "bits");
        return;
    }
    fprintf(to, "  independent  %s: log10 p ", verdict == FAILED ? "no" : "not refuted");
    put_p(to, d->tests.independence.log10_p, "neighbours");
    fputs(", ", to);
    put_p(to, d->tests.fit.log10_p, "parts");
    if (!o->permutations) fprintf(to, "; not compared with permutations (--permutations 0)");
    else if (!d->iid.judged)
        fprintf(to, "; %lld permutations are too few for a verdict, expected at least %d",
                (long long)o->permutations, KL_IID_PERMUTATIONS);
    else if (!d->iid.n_failed) fprintf(to, ", %d statistics as of permutations", KL_IID_STATISTICS);
    for (int i = 0, n = 0; d->iid.judged && i < KL_IID_STATISTICS; i++)
        if (!d->iid.passed[i])
            fprintf(to, "%s%s", n++ ? ", " : "; not as of permutations: ", kl_iid_names[i]);
    fprintf(to, "\n");
}

static void information_line(FILE *to, const struct kl_nist_report *r)
{
    size_t i = 0;
    fprintf(
        to,
        "a row tells %.4f bits (standard error %.4f) of %.4f about its device, if symbols of %d bit%s "
        "are independent",
        r->information, r->information_error, log2((double)r->n_devices), r->symbol_bits,
        kl_s((unsigned)r->symbol_bits));
    while (i < r->n_devices && iid_verdict(&r->devices[i]) != FAILED) i++;
    if (i < r->n_devices) fprintf(to, "; those of %s are not", r->names[i]);
    fputc('\n', to);
}

void kl_nist_table(FILE *to, const struct kl_nist_report *r, bool detailed)
{
    for (size_t i = 0; i < r->n_devices; i++) {
        const struct kl_nist_device *d = &r->devices[i];
        fprintf(to, "%s: %zu row%s of %zu bit%s\n", r->names[i], d->n_rows, kl_s(d->n_rows), r->row_bits,
                kl_s(r->row_bits));
        suite_lines(to, d, detailed);
        least_line(to, d->bit_h, d->n_bits, "bit");
        if (r->symbol_bits > 1) least_line(to, d->symbol_h, d->n_symbols, "symbol");
        if (detailed) estimates(to, d, r->symbol_bits > 1);
        iid_line(to, d, r);
        if (d->restarted)
            fprintf(to,
                    "  restarts     %.4f bits a symbol of rows, %.4f of columns; %zu equal in one, "
                    "cutoff %zu: %s\n",
                    d->restart.rows_h, d->restart.columns_h, d->restart.most, d->restart.cutoff,
                    d->restart.h > 0 ? "validated" : "failed");
        fprintf(to,
                "  extractable  %.0f bits of a row alone, %.4f a bit of long blocks (within 2^-%.0f)\n",
                d->row_extractable, d->bit_extractable, r->options.security);
    }
    if (!isnan(r->information)) information_line(to, r);
}

/* NaN and infinities are null. */
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *suite_json(const struct kl_nist_device *d)
{
    static const char *const verdicts[] = { "failed", "passed", "not applicable" };
    json_t *tests = json_object();
    int bad = 0;
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        const struct kl_nist22_many over = over_sequences(d, t);
        bad |= json_object_set_new(
            tests, kl_nist22_tests[t].name,
            json_pack("{s:s,s:o,s:o,s:o,s:s}", "verdict", verdicts[suite_verdict(d, t)], "log10_p",
                      number(least_p(d, t)), "proportion",
                      number(over.sequences ? (double)over.passed / (double)over.sequences : NAN),
                      "uniformity_p", number(over.uniformity_p), "why", why_not(d, t)));
    }
    if (!bad) return tests;
    json_decref(tests);
    return NULL;
}

static json_t *entropy_json(const double *h)
{
    json_t *entropy = json_object();
    int bad = 0;
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
        bad |= json_object_set_new(entropy, kl_nist90b_names[e], number(h[e]));
    if (!bad) return entropy;
    json_decref(entropy);
    return NULL;
}

static json_t *iid_json(const struct kl_nist_device *d)
{
    const enum verdict verdict = iid_verdict(d);
    return verdict == NOT_APPLICABLE ? json_null() : json_boolean(verdict == PASSED);
}

int kl_nist_json(struct json_t **value, const struct kl_nist_report *r, struct kl_error *err)
{
    json_t *devices = json_array();
    int failed = 0;
    for (size_t i = 0; i < r->n_devices; i++) {
        const struct kl_nist_device *d = &r->devices[i];
        failed |= json_array_append_new(
            devices,
            json_pack("{s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I}", "name", r->names[i], "bits",
                      (json_int_t)d->n_bits, "sp800_22", suite_json(d), "bit_entropy",
                      entropy_json(d->bit_h), "symbol_entropy", entropy_json(d->symbol_h), "assessed",
                      number(d->assessed), "iid", iid_json(d), "permutations_failed",
                      d->iid.judged ? json_integer(d->iid.n_failed) : json_null(),
                      "independence_log10_p", number(d->tests.independence.log10_p), "fit_log10_p",
                      number(d->tests.fit.log10_p), "restart_entropy",
                      number(d->restarted ? d->restart.h : NAN), "row_extractable",
                      (json_int_t)d->row_extractable));
    }
    *value = failed
                 ? NULL
                 : json_pack("{s:o,s:o,s:o}", "devices", json_incref(devices), "information",
                             number(r->information), "information_error", number(r->information_error));
    json_decref(devices);
    return *value ? KL_OK : kl_fail_memory(err, 1024);
}

/* ---- the file ---- */

enum { NAME = 32 };

static int put_names(struct kl_writer *w, const char *name, const char *const *names, size_t n,
                     struct kl_error *err)
{
    char texts[KL_IID_STATISTICS + 1][NAME] = { { 0 } };
    for (size_t i = 0; i < n; i++) snprintf(texts[i], NAME, "%s", names[i]);
    return kl_store_writer_put(w, name, KL_TYPE_STRING, NAME, 1, &n, texts, err);
}

static int put_values(struct kl_writer *w, struct kl_error *err)
{
    char parts[KL_NIST22_VALUES][KL_NIST22_PART] = { { 0 } };
    char tests[KL_NIST22_TESTS][NAME] = { { 0 } };
    int32_t test[KL_NIST22_VALUES];
    const size_t n = KL_NIST22_VALUES, n_tests = KL_NIST22_TESTS;
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        snprintf(tests[t], NAME, "%s", kl_nist22_tests[t].name);
        for (int v = 0; v < kl_nist22_tests[t].n; v++) test[kl_nist22_tests[t].first + v] = t;
    }
    for (int v = 0; v < KL_NIST22_VALUES; v++) kl_nist_sp22_part(parts[v], v);
    int code =
        kl_store_writer_put(w, "sp800_22/test_names", KL_TYPE_STRING, NAME, 1, &n_tests, tests, err);
    if (code >= 0) code = kl_store_writer_put(w, "sp800_22/test", KL_TYPE_I32, 0, 1, &n, test, err);
    if (code >= 0)
        code =
            kl_store_writer_put(w, "sp800_22/part", KL_TYPE_STRING, KL_NIST22_PART, 1, &n, parts, err);
    return code;
}

/* statistic and log10_p [devices, sequences, values], NaN where a device has fewer sequences. */
static int put_suites(struct kl_writer *w, const struct kl_nist_report *r, struct kl_error *err)
{
    const size_t dims[3] = { r->n_devices, r->most_sequences, KL_NIST22_VALUES };
    const size_t n = dims[0] * dims[1] * dims[2];
    double *statistic = malloc(2 * n * sizeof *statistic);
    if (!statistic) return kl_fail_memory(err, 2 * n * sizeof *statistic);
    double *const log10_p = statistic + n;
    for (size_t i = 0; i < n; i++) {
        const struct kl_nist_device *d = &r->devices[i / (dims[1] * dims[2])];
        const size_t sequence = i / dims[2] % dims[1];
        const bool there = sequence < d->n_sequences;
        statistic[i] = there ? d->suites[sequence].values[i % dims[2]].statistic : NAN;
        log10_p[i] = there ? d->suites[sequence].values[i % dims[2]].log10_p : NAN;
    }
    int code = kl_store_writer_put(w, "sp800_22/statistic", KL_TYPE_F64, 0, 3, dims, statistic, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "sp800_22/log10_p", KL_TYPE_F64, 0, 3, dims, log10_p, err);
    free(statistic);
    return code;
}

/* Write the n doubles at `offset` of every device. */
static int put_each(struct kl_writer *w, const char *name, const struct kl_nist_report *r, size_t offset,
                    size_t n, struct kl_error *err)
{
    const size_t dims[2] = { r->n_devices, n };
    double *all = malloc(r->n_devices * n * sizeof *all);
    if (!all) return kl_fail_memory(err, r->n_devices * n * sizeof *all);
    for (size_t i = 0; i < r->n_devices; i++)
        memcpy(all + i * n, (const char *)&r->devices[i] + offset, n * sizeof *all);
    const int code = kl_store_writer_put(w, name, KL_TYPE_F64, 0, n > 1 ? 2 : 1, dims, all, err);
    free(all);
    return code;
}

static int put_iid_verdicts(struct kl_writer *w, const struct kl_nist_report *r, struct kl_error *err)
{
    const size_t n = r->n_devices;
    int32_t *verdict = malloc(n * sizeof *verdict);
    if (!verdict) return kl_fail_memory(err, n * sizeof *verdict);
    for (size_t i = 0; i < n; i++) verdict[i] = iid_verdict(&r->devices[i]);
    const int code = kl_store_writer_put(w, "iid/verdict", KL_TYPE_I32, 0, 1, &n, verdict, err);
    free(verdict);
    return code;
}

static int put_verdicts(struct kl_writer *w, const struct kl_nist_report *r, struct kl_error *err)
{
    const size_t n = r->n_devices, dims[2] = { n, KL_NIST22_TESTS };
    int32_t *verdict = malloc(n * KL_NIST22_TESTS * sizeof *verdict);
    char(*why)[KL_NIST22_WHY] = calloc(n * KL_NIST22_TESTS, KL_NIST22_WHY);
    int code = verdict && why ? KL_OK : kl_fail_memory(err, n * KL_NIST22_TESTS * KL_NIST22_WHY);
    for (size_t i = 0; !code && i < n * KL_NIST22_TESTS; i++) {
        const struct kl_nist_device *d = &r->devices[i / KL_NIST22_TESTS];
        verdict[i] = suite_verdict(d, (int)(i % KL_NIST22_TESTS));
        snprintf(why[i], KL_NIST22_WHY, "%s", why_not(d, (int)(i % KL_NIST22_TESTS)));
    }
    if (!code) code = kl_store_writer_put(w, "sp800_22/verdict", KL_TYPE_I32, 0, 2, dims, verdict, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "sp800_22/why", KL_TYPE_STRING, KL_NIST22_WHY, 2, dims, why, err);
    free(verdict), free(why);
    return code;
}

/* counts [devices, statistics, 3]: above, equal, below. proportion and uniformity [devices, values]. */
static int put_counts(struct kl_writer *w, const struct kl_nist_report *r, struct kl_error *err)
{
    const size_t n = r->n_devices, three[3] = { n, KL_IID_STATISTICS, 3 };
    const size_t two[2] = { n, KL_NIST22_VALUES }, values = n * KL_NIST22_VALUES;
    int64_t *counts = malloc(n * KL_IID_STATISTICS * 3 * sizeof *counts);
    double *share = malloc(2 * values * sizeof *share), *uniform = share ? share + values : NULL;
    int code = counts && share ? KL_OK : kl_fail_memory(err, 2 * values * sizeof *share);
    for (size_t i = 0; !code && i < n * KL_IID_STATISTICS; i++) {
        const struct kl_iid *iid = &r->devices[i / KL_IID_STATISTICS].iid;
        const size_t s = i % KL_IID_STATISTICS;
        counts[3 * i] = iid->above[s], counts[3 * i + 1] = iid->equal[s];
        counts[3 * i + 2] = iid->below[s];
    }
    for (size_t i = 0; !code && i < values; i++) {
        const struct kl_nist22_many *m = &r->devices[i / KL_NIST22_VALUES].many[i % KL_NIST22_VALUES];
        share[i] = m->sequences ? (double)m->passed / (double)m->sequences : NAN;
        uniform[i] = m->uniformity_p;
    }
    if (!code) code = kl_store_writer_put(w, "iid/permutations", KL_TYPE_I64, 0, 3, three, counts, err);
    if (code >= 0) code = kl_store_writer_put(w, "sp800_22/passed", KL_TYPE_F64, 0, 2, two, share, err);
    if (code >= 0)
        code = kl_store_writer_put(w, "sp800_22/uniformity_p", KL_TYPE_F64, 0, 2, two, uniform, err);
    free(counts), free(share);
    return code;
}

#define OF(field) offsetof(struct kl_nist_device, field)
static const struct column {
    const char *name;
    size_t offset, n;
} columns[] = {
    { "sp800_22/log10_p_holm", OF(holm), KL_NIST22_VALUES },
    { "sp800_22/log10_false_discovery", OF(rate), KL_NIST22_VALUES },
    { "entropy/bit", OF(bit_h), KL_NIST90B_ESTIMATES },
    { "entropy/symbol", OF(symbol_h), KL_NIST90B_ESTIMATES },
    { "entropy/assessed", OF(assessed), 1 },
    { "iid/statistic", OF(iid.statistic), KL_IID_STATISTICS },
    { "iid/independence", OF(tests.independence), 3 },
    { "iid/fit", OF(tests.fit), 3 },
    { "iid/repeat_p", OF(tests.repeat_p), 1 },
    { "extractable/row", OF(row_extractable), 1 },
    { "extractable/bit", OF(bit_extractable), 1 },
    { "restart/rows", OF(restart.rows_h), 1 },
    { "restart/columns", OF(restart.columns_h), 1 },
    { "restart/validated", OF(restart.h), 1 },
};

int kl_nist_save(struct kl_writer *w, const struct kl_nist_report *r, struct kl_error *err)
{
    const size_t n = r->n_devices;
    int code = kl_store_writer_put(w, "devices", KL_TYPE_STRING, KL_BITS_NAME, 1, &n, r->names, err);
    if (code >= 0) code = put_values(w, err);
    if (code >= 0) code = put_suites(w, r, err);
    if (code >= 0) code = put_verdicts(w, r, err);
    if (code >= 0) code = put_counts(w, r, err);
    if (code >= 0) code = put_iid_verdicts(w, r, err);
    if (code >= 0) code = put_names(w, "entropy/names", kl_nist90b_names, KL_NIST90B_ESTIMATES, err);
    if (code >= 0) code = put_names(w, "iid/names", kl_iid_names, KL_IID_STATISTICS, err);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && code >= 0; c++) {
        const bool restart = strncmp(columns[c].name, "restart/", 8) == 0;
        if (!restart || r->options.restarts)
            code = put_each(w, columns[c].name, r, columns[c].offset, columns[c].n, err);
    }
    if (code >= 0) code = kl_store_writer_number(w, "", "information", r->information, err);
    if (code >= 0) code = kl_store_writer_number(w, "", "information_error", r->information_error, err);
    if (code >= 0) code = kl_store_writer_integer(w, "", "symbol_bits", r->symbol_bits, err);
    return code < 0 ? code : KL_OK;
}

static const struct kl_kind_table tables[] = {
    { .name = "devices",
      .axes = { { "device", "devices" } },
      .columns = { KL_KIND_COLUMN("passed", "sp800_22/verdict", "tests passed", "%.0f",
                                  .cell = KL_CELL_ONES),
                   KL_KIND_COLUMN("failed", "sp800_22/verdict", "failed", "%.0f", .cell = KL_CELL_ZEROS),
                   KL_KIND_COLUMN("bit_entropy", "entropy/bit", "bits a bit", "%.4f",
                                  .cell = KL_CELL_LEAST),
                   KL_KIND_COLUMN("symbol_entropy", "entropy/symbol", "a symbol", "%.4f",
                                  .cell = KL_CELL_LEAST),
                   KL_KIND_COLUMN("assessed", "entropy/assessed", "assessed", "%.4f"),
                   KL_KIND_COLUMN("independence_log10_p", "iid/independence", "log10 p, neighbours",
                                  "%.3g", .at = 2),
                   KL_KIND_COLUMN("fit_log10_p", "iid/fit", "log10 p, parts", "%.3g", .at = 2) } },
    { .name = NULL }
};
const struct kl_kind kl_nist_kind = { .name = "nist", .tables = tables };
