/* SPDX-License-Identifier: MIT
   A report in words: verdicts, a table for people, and JSON. */
#include <jansson.h>
#include <math.h>

#include "qrng/nist/report_int.h"

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

const char *kl_nist_why(const struct kl_nist_device *device, int test)
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

enum kl_nist_verdict kl_nist_verdict(const struct kl_nist_device *device, int test)
{
    if (kl_nist_why(device, test)[0]) return KL_NIST_NOT_APPLICABLE;
    return least_p(device, test) >= passes ? KL_NIST_PASSED : KL_NIST_FAILED;
}

enum kl_nist_verdict kl_nist_iid_verdict(const struct kl_nist_device *device)
{
    const struct kl_iid_tests *t = &device->tests;
    if (t->different < 2) return KL_NIST_NOT_APPLICABLE;
    const bool refuted = (device->iid.judged && device->iid.n_failed) ||
                         t->independence.log10_p < iid_passes || t->fit.log10_p < iid_passes ||
                         t->repeat_p < pow(10, iid_passes);
    return refuted ? KL_NIST_FAILED : KL_NIST_PASSED;
}

static void test_line(FILE *to, const struct kl_nist_device *d, int t)
{
    const struct kl_nist22_many over = over_sequences(d, t);
    fprintf(to, "    %-26s %s, log10 p %.3g", kl_nist22_tests[t].name,
            kl_nist_verdict(d, t) == KL_NIST_FAILED ? "failed" : "passed", least_p(d, t));
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
    for (int t = 0; t < KL_NIST22_TESTS; t++) counts[kl_nist_verdict(d, t)]++;
    fprintf(to,
            "  SP 800-22    %zu of %zu tests passed, %zu not applicable; %zu sequence%s of %zu bits\n",
            counts[KL_NIST_PASSED], counts[KL_NIST_PASSED] + counts[KL_NIST_FAILED],
            counts[KL_NIST_NOT_APPLICABLE], d->n_sequences, kl_s(d->n_sequences), d->sequence_bits);
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        const enum kl_nist_verdict verdict = kl_nist_verdict(d, t);
        if (verdict != KL_NIST_NOT_APPLICABLE && (detailed || verdict == KL_NIST_FAILED))
            test_line(to, d, t);
        if (verdict == KL_NIST_NOT_APPLICABLE && detailed)
            fprintf(to, "    %-26s not applicable: %s\n", kl_nist22_tests[t].name, kl_nist_why(d, t));
    }
}

/* Estimates of n bits or symbols are of a part if these are many; the publication asks for a million. */
static void least_line(FILE *to, const double *h, size_t n, const char *unit)
{
    const double least = kl_nist90b_least(h);
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
    const enum kl_nist_verdict verdict = kl_nist_iid_verdict(d);
    if (verdict == KL_NIST_NOT_APPLICABLE) {
        fprintf(to, "  independent  not tested: all%s %zu %s are equal\n",
                d->n_symbols > KL_NIST_PART ? " of the first" : "", kl_nist_part(d->n_symbols),
                r->symbol_bits > 1 ? "symbols" : "bits");
        return;
    }
    fprintf(to, "  independent  %s: log10 p ", verdict == KL_NIST_FAILED ? "no" : "not refuted");
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
    while (i < r->n_devices && kl_nist_iid_verdict(&r->devices[i]) != KL_NIST_FAILED) i++;
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
    for (int t = 0; t < KL_NIST22_TESTS; t++) {
        const struct kl_nist22_many over = over_sequences(d, t);
        json_object_set_new(
            tests, kl_nist22_tests[t].name,
            json_pack("{s:s,s:o,s:o,s:o,s:s}", "verdict", verdicts[kl_nist_verdict(d, t)], "log10_p",
                      number(least_p(d, t)), "proportion",
                      number(over.sequences ? (double)over.passed / (double)over.sequences : NAN),
                      "uniformity_p", number(over.uniformity_p), "why", kl_nist_why(d, t)));
    }
    return tests;
}

static json_t *entropy_json(const double *h)
{
    json_t *entropy = json_object();
    for (int e = 0; e < KL_NIST90B_ESTIMATES; e++)
        json_object_set_new(entropy, kl_nist90b_names[e], number(h[e]));
    return entropy;
}

static json_t *iid_json(const struct kl_nist_device *d)
{
    const enum kl_nist_verdict verdict = kl_nist_iid_verdict(d);
    return verdict == KL_NIST_NOT_APPLICABLE ? json_null() : json_boolean(verdict == KL_NIST_PASSED);
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
