/* SPDX-License-Identifier: MIT
   A report as a file of kind "nist". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "qrng/nist/report.h"
#include "store/kind.h"
#include "store/store.h"

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
    for (int v = 0; v < KL_NIST22_VALUES; v++) kl_nist22_part(parts[v], v);
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

/* What lies at `offset` of every device, n doubles. */
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
    for (size_t i = 0; i < n; i++) verdict[i] = kl_nist_iid_verdict(&r->devices[i]);
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
        verdict[i] = kl_nist_verdict(d, (int)(i % KL_NIST22_TESTS));
        snprintf(why[i], KL_NIST22_WHY, "%s", kl_nist_why(d, (int)(i % KL_NIST22_TESTS)));
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
